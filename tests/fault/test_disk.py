# SPDX-License-Identifier: BSD-2-Clause
"""Disks that are full after N bytes, devices that take nothing, pipes that nobody reads, and inputs
that end after N bytes."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import INPUT, INTERNAL, PROGRAM, Case, main, y4m  # noqa: E402

FRAMES = 4


class Disk(Case):
    def setUp(self):
        super().setUp()
        self.ref, self.dis = self.pair(width=24, height=20, frames=FRAMES)

    def one_line(self, done, code, says):
        self.assertEqual(done.returncode, code, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("assay: "), lines)
        self.assertIn(says, lines[0])

    def on_disk_of(self, size, *args):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return subprocess.run([PROGRAM, *args, self.ref, self.dis], cwd=self.dir, preexec_fn=limit, timeout=600,
                              check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_full_after_n_bytes(self):
        for kind in ["json", "xml", "csv", "sub", "shard"]:
            name, size, failed = f"out.{kind}", 0, 0
            args = ["-q", "-m", "psnr", f"--{kind}", name]
            while True:
                done = self.on_disk_of(size, *args)
                if done.returncode == 0:
                    break
                self.one_line(done, INTERNAL, "File too large")
                self.assertIn(name, done.stderr)
                self.assertFalse([f for f in os.listdir(self.dir) if f.startswith(name)]) # not even a part of it
                failed += 1
                size += 1 + size // 2
            self.assertGreater(failed, 5, kind)
            if kind == "json":
                self.assertEqual(len(json.loads(self.read(name))["frames"]), FRAMES)

    def test_input_that_becomes_shorter(self):
        """An end that a file has not had when it was opened is no end of the video, whatever lengths are allowed."""
        fed = y4m(width=24, height=20, frames=60)
        head = fed.index(b"\n") + 1
        pictures = [fed[at:at + (len(fed) - head) // 60] for at in range(head, len(fed), (len(fed) - head) // 60)]
        files = {"long.y4m": (fed[:head], pictures), "long.yuv": (b"", [p[len(b"FRAME\n"):] for p in pictures])}
        for name, (before, data) in files.items():
            path = self.dir / name
            path.write_bytes(before + b"".join(data))
            form = [] if before else ["-w", "24", "-h", "20", "-p", "yuv420p"]
            p = subprocess.Popen([PROGRAM, "-q", "-m", "psnr", "--csv", f"{name}.csv", "--allow-length", *form, "-",
                                  name], cwd=self.dir, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(lambda p=p: (p.kill(), p.wait(), p.stderr.close()))
            p.stdin.write(fed[:head] + b"".join(pictures[:3]))
            p.stdin.flush()
            while not any(f.read_bytes().count(b"\n") > 1 for f in self.dir.glob(f"{name}.csv.part-*")):
                self.assertIsNone(p.poll())
                time.sleep(0.01) # the reader is a few pictures ahead of what is scored, at most
            os.truncate(path, len(before) + 30 * len(data[0]))
            p.stdin.write(b"".join(pictures[3:]))
            p.stdin.close()
            self.assertEqual(p.wait(timeout=600), INPUT)
            self.assertIn(f"{name}: changed while it was read", p.stderr.read().decode())
            self.assertEqual(len(self.read(f"{name}.csv").splitlines()), 1 + 30)

    def test_device_that_is_full(self):
        for kind in ["json", "xml", "csv", "sub", "shard"]:
            self.refuses(INTERNAL, ["/dev/full", "No space left"], "-q", "-m", "psnr", f"--{kind}", "/dev/full",
                         self.ref, self.dis)
        with open("/dev/full", "w", encoding="ascii") as full:
            for args in [[self.ref, self.dis], ["--json", "-", self.ref, self.dis],
                         ["--dump-graph", "-q", self.ref, self.dis],
                         ["--list-metrics"], ["--list-metrics-json"], ["--help"], ["--version"]]:
                done = self.run_assay(*args, "-m", "psnr",
                                      stdout=full) if self.ref in args else self.run_assay(*args, stdout=full)
                self.assertEqual(done.code, INTERNAL, done)
                self.assertEqual(len(done.err.splitlines()), 1, done)

    def test_one_full_report_spares_the_others(self):
        self.refuses(INTERNAL, "/dev/full", "-q", "-m", "psnr", "--json", "a.json", "--csv", "/dev/full", self.ref,
                     self.dis)
        report = json.loads(self.read("a.json"))
        self.assertFalse(report["assay"]["incomplete"])
        self.assertEqual(len(report["frames"]), FRAMES)

    def test_the_table_is_printed(self):
        """Hours of scoring are not lost because a report can't be written."""
        for kind in ["json", "xml", "csv", "sub", "shard"]:
            done = self.fails(INTERNAL, ["/dev/full", "No space left"], "-m", "psnr", f"--{kind}", "/dev/full",
                              "--fail-under", "psnr_y=99", self.ref, self.dis)
            self.assertIn(f"{FRAMES} frames", done.out)
            self.assertNotIn("incomplete", done.out)
            self.assertIn("FAIL  psnr_y.mean", done.out)

    def test_what_was_there_stays(self):
        for kind in ["json", "xml", "csv", "sub", "shard"]:
            name = f"out.{kind}"
            self.passes("-q", "-m", "psnr", f"--{kind}", name, self.ref, self.dis)
            before, size = self.read(name), 0
            while True:
                done = self.on_disk_of(size, "-q", "-m", "psnr=enable_mse=true", f"--{kind}", name)
                if done.returncode == 0:
                    break
                self.one_line(done, INTERNAL, "File too large")
                self.assertEqual(self.read(name), before)
                size += 1 + size // 2
            self.assertNotEqual(self.read(name), before)
            self.assertEqual([f for f in os.listdir(self.dir) if f.startswith("out.")], [name])
            (self.dir / name).unlink()

    def test_pipe_that_nobody_reads(self):
        for args in [["--json", "-"], ["--csv", "-"], []]:
            unread, pipe = os.pipe()
            os.close(unread)
            done = subprocess.run([PROGRAM, "-m", "psnr", *args, self.ref, self.dis], cwd=self.dir,
                                  stdin=subprocess.DEVNULL,
                                  stdout=pipe, stderr=subprocess.PIPE, timeout=600, check=False, text=True)
            os.close(pipe)
            self.one_line(done, INTERNAL, "Broken pipe")

    def test_outputs_that_can_not_be_opened(self):
        os.mkdir(self.dir / "folder")
        for kind in ["json", "xml", "csv", "sub", "shard"]:
            for path in [f"{self.ref}/a", "folder", ""]:
                self.refuses(INTERNAL, "", "-q", "-m", "psnr", f"--{kind}={path}", self.ref, self.dis)
                # ... which shows before the work is done, and not after it
                short = self.write("short.y4m", (self.dir / self.dis).read_bytes()[:-1])
                self.refuses(INTERNAL, "", "-q", "-m", "psnr", f"--{kind}={path}", self.ref, short)
        below = f"{self.ref}/a"  # a folder would be made
        self.refuses(INTERNAL, below, "-q", "-m", "psnr", "--json", "a.json", "--csv", below, self.ref, self.dis)
        self.assertFalse((self.dir / "a.json").exists())

    def test_input_that_ends_after_n_bytes(self):
        data = (self.dir / self.dis).read_bytes()
        head = data.index(b"\n") + 1
        each = (len(data) - head) // FRAMES
        for size in [0, 1, 9, head - 1, head, head + 3, head + 6, head + each - 1, head + each + 1,
                     head + 2 * each + 100,
                     len(data) - 1]:
            cut = self.write("cut.y4m", data[:size])
            (self.dir / "a.json").unlink(missing_ok=True)
            whole = (size - head) // each if size > head else 0
            self.refuses(INPUT, "cut.y4m", "-q", "-m", "psnr", "--json", "a.json", self.ref, cut)
            if not whole: # found out before the reports are opened
                self.assertFalse((self.dir / "a.json").exists())
                continue
            report = json.loads(self.read("a.json"))
            self.assertEqual(len(report["frames"]), whole)
            block = next(b for b in report.values() if isinstance(b, dict) and "incomplete" in b)
            self.assertIs(block["incomplete"], True)
            self.assertIn("cut.y4m", block["reason"])


if __name__ == "__main__":
    main()
