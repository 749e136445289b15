# SPDX-License-Identifier: BSD-2-Clause
"""The N-th allocation, thread, read or write of the whole command fails, for N = 1, 2, ... until none is left to fail.

Whatever fails: one line on standard error, the right exit code, no crash, and no report that looks whole and is not. A
failure that the command can do without (a hint that is read ahead) may also leave everything exactly as it would have
been. With --every each call fails in turn, otherwise the first ones and then a sample.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import GATE, INPUT, INTERNAL, MISMATCH, Case, frame, main, unittest, y4m  # noqa: E402
import pictures  # noqa: E402

FAULTY = os.environ["ASSAY_FAULTY"]
EVERY = "--every" in sys.argv
FRAMES = 3
METRICS = "psnr=enable_mse=true:enable_apsnr=true,float_psnr,ssim,float_ssim=scale=2:enable_lcs=true,float_moment"
REPORTS = ["a.json", "a.xml", "a.csv", "a.sub"]
WRITE_REPORTS = [f"--{name[2:]}={name}" for name in REPORTS]
# What may come out when a call of a kind fails. A run that fails anyway may keep its own code.
CODES = {"memory": [INTERNAL], "thread": [INTERNAL], "read": [INPUT], "write": [INTERNAL]}


def png(width, height, seed):
    """A grey picture as a PNG file."""
    rows = b"".join(b"\0" + bytes((x * 3 + y * seed) % 256 for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Faults(Case):
    def run_with(self, fault, args, stdin):
        """The exit code, the lines on standard error, and whether the call was reached."""
        for name in self.written:
            (self.dir / name).unlink(missing_ok=True)
        reached, reach = os.pipe()
        env = {**os.environ, "ASSAY_FAULT": fault, "ASSAY_FAULT_FD": str(reach)}
        with open(self.dir / stdin if stdin else os.devnull, "rb") as data:
            done = subprocess.run([FAULTY, *args], cwd=self.dir, env=env, pass_fds=[reach], stdin=data, timeout=1200,
                                  check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        os.close(reach)
        hit = os.read(reached, 16) != b""
        os.close(reached)
        return done, hit

    def files(self):
        return {name: (self.dir / name).read_bytes() for name in self.written if (self.dir / name).exists()}

    def check_reports(self, kind, what):
        """A report that can be read holds all frames or says that it does not."""
        for name in [n for n in self.written if n.endswith(".json") and (self.dir / n).exists()]:
            text = (self.dir / name).read_text(encoding="utf-8")
            try:
                report = json.loads(text)
            except ValueError:
                self.assertEqual(kind, "write", f"{what}: {name} is no JSON:\n{text}")
                continue
            if "frames" not in report or not isinstance(report["frames"], list): # of images, of parity
                continue
            if len(report["frames"]) < self.frames:
                block = [b for b in report.values() if isinstance(b, dict) and "incomplete" in b]
                self.assertTrue(block and block[0]["incomplete"] is True, f"{what}: {name} looks whole:\n{text}")

    def fail_each(self, *args, stdin=None, kinds=tuple(CODES), written=(), frames=FRAMES, code=0, lines_most=1,
                  codes=None):
        """Every call of the kinds fails in turn. `code` is the exit code without a fault."""
        codes = codes or CODES
        self.written, self.frames = list(written), frames
        args = [str(a) for a in args]
        whole, hit = self.run_with("memory:0", args, stdin)
        self.assertFalse(hit)
        self.assertEqual(whole.returncode, code, whole.stderr)
        good = self.files()
        self.assertEqual(sorted(good), sorted(written))
        for kind in kinds:
            n, step = 1, 1
            while True:
                done, hit = self.run_with(f"{kind}:{n}", args, stdin)
                what = f"{kind} call {n} of {args}: exit {done.returncode}, says\n{done.stderr}"
                if not hit:
                    break
                lines = done.stderr.splitlines()
                if done.returncode == code and code in (0, GATE) and not lines:
                    self.assertEqual((done.stdout, self.files()), (whole.stdout, good), f"{what}, and loses something")
                else:
                    self.assertIn(done.returncode, codes[kind] + ([code] if code else []), what)
                    self.assertIn(len(lines), range(1, lines_most + 1), what)
                    for line in lines:
                        self.assertTrue(line.startswith("assay: ") and len(line) > 20, what)
                    self.check_reports(kind, what)
                n += step
                if not EVERY:
                    step = max(1, n // 10 if kind == "memory" else n // 5)
            self.assertGreater(n, 1, f"no {kind} call was reached by {args}")

    def setUp(self):
        super().setUp()
        self.ref, self.dis = self.pair(width=40, height=34, frames=FRAMES)

    def test_every_report(self):
        self.fail_each("-q", "--threads=2", "--reproducible", "-m", METRICS, *WRITE_REPORTS, "--shard=part.json",
                       self.ref,
                       self.dis, written=[*REPORTS, "part.json"])

    def test_groups_of_threads(self):
        ref, dis = self.pair(width=40, height=34, frames=16) # two groups score a frame each
        self.fail_each("-q", "--threads=8", "--reproducible", "-m", "psnr,motion", "--json=a.json", ref, dis,
                       kinds=("memory", "thread"), written=["a.json"], frames=16)

    def test_table_gates_and_dumps(self):
        self.fail_each("--threads=1", "--reproducible", "--dump-graph", "--dump-memory", "--fail-under=psnr_y=1",
                       "--no-progress",
                       self.ref, self.dis, "-m", "psnr")

    def test_pipe_of_raw_video(self):
        self.write("raw", b"".join(frame(40, 34, "422", 10, i) for i in range(FRAMES)))
        self.write("same", b"".join(frame(40, 34, "422", 10, i) for i in range(FRAMES)))
        self.fail_each("-q", "-m", "psnr", "-w", 40, "-h", 34, "-p", 422, "-b", 10, "--reproducible", "--json=a.json",
                       "--threads=1", "same", "-", stdin="raw", written=["a.json"])

    def test_depths_that_differ(self):
        deep = self.write("deep.y4m", y4m(width=40, height=34, frames=FRAMES, depth=12))
        self.fail_each("-q", "-m", "psnr,float_ssim", "--allow-depth", "--reproducible", "--csv=a.csv", "--threads=1",
                       self.ref,
                       deep, written=["a.csv"])

    def test_sizes_that_differ(self):
        small = self.write("small.y4m", y4m(width=30, height=22, frames=FRAMES))
        self.fail_each("-q", "-m", "psnr", "--scale", "lanczos", "--reproducible", "--csv=a.csv", "--threads=1",
                       self.ref, small, written=["a.csv"])

    def test_rates_that_differ(self):
        fast = self.write("fast.y4m", y4m(width=40, height=34, frames=2 * FRAMES, rate="50:1"))
        self.fail_each("-q", "-m", "psnr", "--pair", "time", "--crop-ref", "30x20+4+6", "--crop-dis", "30x20+4+6",
                       "--reproducible", "--csv=a.csv", "--threads=1", self.ref, fast, written=["a.csv"])
        self.fail_each("-q", "-m", "psnr", "--pair", "time", "--reproducible", "--csv=a.csv", "--threads=1", fast,
                       "-", stdin=self.ref, written=["a.csv"])

    def test_inputs_that_end_apart(self):
        short = self.write("short.y4m", y4m(width=40, height=34, frames=FRAMES - 1).replace(b"FRAME\n", b"FRAME Ip\n"))
        self.fail_each("-q", "-m", "psnr", "--json=a.json", "--threads=1", self.ref, short, written=["a.json"],
                       code=MISMATCH,
                       kinds=["memory", "read", "write"])

    def test_ladder(self):
        """An encode that fails is named, and the last line says which ones did."""
        third = self.write("third.y4m", y4m(width=40, height=34, frames=FRAMES, noise=9))
        small = self.write("small.y4m", y4m(width=30, height=22, frames=FRAMES))
        self.fail_each("-q", "-m", "psnr=enable_apsnr=true", "--threads=1", "--reproducible", "--json=all.json",
                       "--csv=all.csv", "--json={number}.json", "--fail-under=psnr_y=1", self.ref, self.dis, third,
                       written=["all.json", "all.csv", "1.json", "2.json"], lines_most=3)
        self.fail_each("-q", "-m", "psnr", "--threads=1", "--reproducible", "--scale=bicubic", "--scale-ref",
                       "--html=all.html", self.ref, self.dis, small, third, written=["all.html"], lines_most=4,
                       kinds=["memory", "write"])

    def test_front_of_vmaf(self):
        """With a gate its failures have assay's exit codes."""
        self.fail_each("vmaf", "-q", "-r", self.ref, "-d", self.dis, "-n", "--feature", "psnr=enable_mse=true",
                       "--feature", "motion", "--threads", 1, "--json", "-o", "a.json", "--reproducible",
                       "--fail-under=psnr_y=1", written=["a.json"])

    def test_html(self):
        """With pictures, for which the inputs are read twice."""
        self.fail_each("-q", "-m", "psnr", "--threads=1", "--html=a.html", "--reproducible", self.ref, self.dis,
                       written=["a.html"],
                       kinds=["memory", "write"])

    def test_merge(self):
        for i in range(FRAMES):
            self.passes("-q", "-m", "psnr=enable_apsnr=true,ssim", "--first", i, "--frames", 1, "--shard", f"{i}.json",
                        self.ref,
                        self.dis)
        self.fail_each("merge", "2.json", "0.json", "1.json", "--json=a.json", "--csv=a.csv", "--plot=a.svg",
                       "--html=a.html", written=["a.json", "a.csv", "a.svg", "a.html"],
                       kinds=["memory", "read", "write"])

    def test_report(self):
        self.passes("-q", "-m", "psnr=enable_apsnr=true,ssim", "--precision=max", "--json=s.json", self.ref, self.dis)
        self.fail_each("report", "-q", "s.json", "--json=a.json", "--csv=a.csv", "--plot=a.svg", "--html=a.html",
                       written=["a.json", "a.csv", "a.svg", "a.html"], kinds=["memory", "read", "write"])

    def test_diff(self):
        for i in (0, 1):
            self.passes("-q", "-m", "psnr=enable_apsnr=true", "--json", f"{i}.json", "--skip-ref", i, "--allow-length",
                        self.ref, self.dis)
        self.fail_each("diff", "0.json", "1.json", code=1, kinds=["memory", "read", "write"])

    def test_bdrate(self):
        """Of reports, and of files that are scored first."""
        two = self.write("two.y4m", y4m(width=40, height=34, frames=2))
        for i in range(4):
            noisy = y4m(width=40, height=34, frames=2, noise=9 - 2 * i)
            self.write(f"{i}.y4m", noisy)
            self.passes("-q", "-m", "psnr=enable_apsnr=true", "--json", f"{i}.json", two, f"{i}.y4m")
        reports = [f"{i}.json@{2**i}" for i in range(4)]
        self.fail_each("bdrate", "-q", "-m", "psnr_y.p5,apsnr_y", "--anchor", *reports, "--test", *reports,
                       "--json=a.json", "--csv=a.csv", "--html=a.html", written=["a.json", "a.csv", "a.html"],
                       kinds=["memory", "read", "write"])
        self.fail_each("bdrate", "-q", "-m", "psnr_y", "--feature", "psnr=enable_apsnr=true", "-r", two, "--threads", 1,
                       "--anchor", *reports, "--test", "0.y4m@1", *reports[1:], "--json=a.json", written=["a.json"],
                       kinds=["memory", "read", "write"])
        self.passes("-q", "-m", "psnr=enable_apsnr=true", "--json", "all.json", two, *[f"{i}.y4m" for i in range(4)])
        self.fail_each("bdrate", "-q", "-m", "psnr_y", "--anchor", *[f"all.json:{r.replace('.json', '')}" for r in
                                                                     reports], "--test", *reports, "--json=a.json",
                       written=["a.json"], kinds=["memory", "read", "write"])

    def test_align(self):
        """Of both sides at once, and in front of a run."""
        ref = self.write("long.y4m", y4m(width=40, height=34, frames=12))
        dis = self.write("late.y4m", y4m(width=40, height=34, frames=14, first=-2))
        self.fail_each("align", "-q", "--search", 6, ref, dis, "--json=a.json", code=GATE, written=["a.json"])
        self.fail_each("-q", "-m", "psnr", "-t", 1, "--align", "auto", ref, dis, "--json=a.json", "--reproducible",
                       written=["a.json"])

    def test_batch(self):
        """Calls are counted in each process: in those that score, too, whose failure is that of a job."""
        self.write("jobs.csv", f"reference,distorted,options\n{self.ref},{self.dis},-m psnr -t 1 --json a.json "
                   "--reproducible --fail-under psnr_y=1\n".encode())
        codes = {**CODES, "read": [INPUT, INTERNAL], "process": [INTERNAL]} # what a process says is read, too
        self.fail_each("batch", "-q", "-", "--summary=s.csv", "-j1", stdin="jobs.csv", written=["a.json", "s.csv"],
                       lines_most=2, codes=codes, kinds=codes)

    def test_batch_without_another_process(self):
        """While a job runs, the next one waits for it where the system has no process for both."""
        self.write("jobs.csv", "reference,distorted,options\n".encode() + b"".join(
            f"{self.ref},{self.dis},-m psnr -t 1 --frames {n}\n".encode() for n in (1, 2, 3)))
        said, self.written = [], []
        for fault in ("process:0", "process:2"):
            shutil.rmtree(self.dir / "jobs.csv.state", ignore_errors=True)
            done, hit = self.run_with(fault, ["batch", "-q", "jobs.csv", "-j2"], None)
            self.assertEqual((done.returncode, hit), (0, fault != "process:0"), done.stderr)
            said.append(done.stdout)
        self.assertEqual(said[0], said[1])

    def test_state_of_a_batch(self):
        """What can't be written or read is told, what is in place is whole, and the next run has what is missing."""
        self.write("jobs.csv", f"reference,distorted,options\n{self.ref},{self.dis},-m psnr -t 1\n".encode())
        args, state = ["batch", "-q", "jobs.csv", "--summary=s.csv", "-j1"], self.dir / "jobs.csv.state"
        self.written = ["s.csv"]
        whole, _ = self.run_with("memory:0", args, None)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        good = self.files()
        for kind in ("read", "write", "memory"):
            n = 1
            while True:
                shutil.rmtree(state, ignore_errors=True)
                done, hit = self.run_with(f"{kind}:{n}", args, None)
                what = f"{kind} call {n}: exit {done.returncode}, says\n{done.stderr}"
                for part in state.glob("done/*/*.json"):
                    json.loads(part.read_text())
                if not hit:
                    break
                if done.returncode == 0:
                    self.assertEqual(self.files(), good, what)
                else:
                    self.assertIn(done.returncode, (INPUT, INTERNAL), what)
                    self.assertIn(len(done.stderr.splitlines()), (1, 2), what)
                    again, _ = self.run_with_files(args)
                    self.assertEqual(again.returncode, 0, f"{what}and then {again.stderr}")
                    self.assertEqual(self.files()["s.csv"], good["s.csv"], what)
                n += 1 if EVERY or n < 20 else n // 10

    def test_signal_while_a_plan_is_written(self):
        """The plan is put in its place, or nothing is left of it."""
        self.write("jobs.csv", f"reference,distorted,options\n{self.ref},{self.dis},-m psnr -t 1\n".encode())
        self.written, ends, hit, n = [], set(), True, 0
        while hit:
            n += 1
            shutil.rmtree(self.dir / "plan", ignore_errors=True)
            done, hit = self.run_with(f"signal:{n}", ["batch", "-q", "jobs.csv", "--plan", "plan"], None)
            ends.add(done.returncode)
            self.assertEqual([p.name for p in (self.dir / "plan").rglob("*.part-*")], [], f"write call {n}")
            if done.returncode == 128 + signal.SIGTERM:
                self.assertTrue((self.dir / "plan" / "plan.jsonl").exists())
                self.assertIn("stopped by SIGTERM", done.stderr)
        self.assertIn(128 + signal.SIGTERM, ends)

    def run_with_files(self, args):
        """As run_with without a fault, and with the files that are there."""
        written, self.written = self.written, []
        try:
            return self.run_with("memory:0", args, None)
        finally:
            self.written = written

    def test_lists(self):
        for option in ["--list-metrics", "--list-metrics-json", "--help", "--version"]:
            self.fail_each(option, kinds=["write"])

    def test_stages_and_heatmaps(self):
        maps = [f"{i:06}.diff.png" for i in range(FRAMES)] if os.environ.get("ASSAY_PNG") else []
        self.fail_each("-q", "-m", "diff", "--threads=1", "--dump-stage=diff_u8.1:1=a.npy",
                       "--dump-stage=diff_join_i32:2", *(["--heatmap=."] if maps else []), self.ref, self.dis,
                       written=["a.npy", "diff_join_i32-2.npy", *maps])

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
    def test_worst_frames(self):
        self.fail_each("-q", "-m", "diff,motion", "--threads=1", "--heatmap=.", "--frames-worst=1", self.ref, self.dis,
                       written=["000000.diff.png"])  # of equal frames

    def test_files_of_planes(self):
        sides = self.pair(width=240, height=230, frames=FRAMES)
        sizes = ((240, 230), (120, 115), (60, 58), (30, 29), (15, 15))
        files = [f"cambi_heatmap_scale_{i}_{w}x{h}_16b.gray" for i, (w, h) in enumerate(sizes)]
        self.fail_each("-q", "-m", "cambi=heatmaps_path=.", "--threads=1", "--reproducible", "--json=a.json", *sides,
                       written=["a.json", *files])

    def test_parity(self):
        self.fail_each("parity", "--backends=cpu,cpu:scalar", "--threads=1", "-m", "psnr,diff", "--json=a.json",
                       self.ref, self.dis,
                       written=["a.json"], frames=0)
        fast = self.write("fast.y4m", y4m(width=40, height=34, frames=2 * FRAMES, rate="50:1"))
        self.fail_each("parity", "-q", "--backends=cpu,cpu:scalar", "--threads=1", "-m", "psnr", "--json=a.json",
                       "--pair", "time", fast, self.ref, written=["a.json"], frames=0)

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
    def test_image(self):
        rows = pictures.pixels(24, 17, pictures.RGBA, 16)
        other = [[v ^ (9 if i == 7 else 0) for i, v in enumerate(row)] for row in rows]
        self.write("a.png", pictures.png(rows, pictures.RGBA, 16))
        self.write("b.png", pictures.png(other, pictures.RGBA, 16, interlaced=True))
        self.fail_each("image", "--threads=1", "--heatmap=.", "--json=a.json", "--fail-over=alpha_max_diff=3", "a.png",
                       "b.png",
                       written=["a.json", "b.alpha.diff.png"], frames=0, code=GATE)

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
    def test_folders_of_images(self):
        rows = pictures.pixels(24, 17)
        for folder in ("A", "B"):
            (self.dir / folder).mkdir()
            for name in ("x.png", "y.png", "only.png")[:3 if folder == "A" else 2]:
                self.write(f"{folder}/{name}", pictures.png(rows))
        self.fail_each("image", "-q", "--threads=1", "--json=a.json", "--allow-unpaired", "A", "B", written=["a.json"],
                       frames=0,
                       kinds=["memory", "write"])

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
    def test_numbered_images(self):
        for folder in ("A", "B"):
            (self.dir / folder).mkdir()
            for i in range(3):
                self.write(f"{folder}/{i}.png", pictures.png(pictures.pixels(24, 17, seed=i + ord(folder))))
        self.fail_each("-q", "-m", "diff", "--reproducible", "--json=a.json", "--threads=1", "A/%d.png", "B/%d.png",
                       written=["a.json"], frames=3)

    def test_libav(self):
        if not os.environ.get("ASSAY_LIBAV"):
            self.skipTest("this build has no libav")
        a, b = self.write("a.png", png(40, 34, 5)), self.write("b.png", png(40, 34, 6))
        self.fail_each("-q", "-m", "psnr,float_ssim", "--reproducible", "--json=a.json", "--threads=1", a, b,
                       written=["a.json"],
                       frames=1)

    @unittest.skipUnless(os.environ.get("ASSAY_LIBAV") and shutil.which("ffmpeg"),
                         "there is no libav, or no ffmpeg program")
    def test_file_that_is_sought(self):
        """MP4 with its index behind the pictures: a demuxer may take a position that can't be had for the end."""
        width, height, frames = 320, 240, 12
        dice = random.Random(1)
        reference = self.write("a.y4m", f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420\n".encode()
                               + b"".join(b"FRAME\n" + dice.randbytes(width * height * 3 // 2) for _ in range(frames)))
        subprocess.run(["ffmpeg", "-v", "error", "-i", reference, "-c:v", "mpeg4", "-q:v", "1", "b.mp4"], cwd=self.dir,
                       check=True,
                       stdin=subprocess.DEVNULL)
        self.assertGreater((self.dir / "b.mp4").stat().st_size, 1 << 20) # more than what is read ahead
        self.written, self.frames, n, hit, codes = ["a.json"], frames, 0, True, set()
        while hit:
            n += 1
            done, hit = self.run_with(f"read:{n}",
                                      ["-q", "-m", "psnr", "--threads=1", "--allow-length", "--json=a.json", reference,
                                       "b.mp4"],
                                      None)
            self.assertIn(done.returncode, (0, INPUT), f"read {n}: {done}")
            codes.add(done.returncode)
            self.check_reports("read", f"read {n}")
            if not done.returncode:
                self.assertEqual(len(json.loads(self.read("a.json"))["frames"]), frames, f"read {n}")
        self.assertGreater(n, 20)
        self.assertEqual(codes, {0, INPUT})


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "--every"]
    main()
