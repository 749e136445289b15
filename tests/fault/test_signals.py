# SPDX-License-Identifier: BSD-2-Clause
"""SIGINT, SIGTERM and SIGHUP end the run: what was scored is reported as incomplete, and the exit code is a shell's."""
import fcntl
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import PROGRAM, Case, main, y4m  # noqa: E402

FRAMES = 3
F_SETPIPE_SZ = 1031 # fcntl has it from Python 3.10 on


def heed():
    """What whoever runs the tests ignores (nohup, a job in the background) must not be inherited."""
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        signal.signal(number, signal.SIG_DFL)


class Signals(Case):
    def setUp(self):
        super().setUp()
        self.ref, _ = self.pair(width=24, height=20, frames=FRAMES + 5)
        self.fed = y4m(width=24, height=20, frames=FRAMES)

    def start(self, *args, before=heed):
        """The command, waiting for the rest of what comes through the pipe."""
        p = subprocess.Popen([PROGRAM, "-q", "-m", "psnr", "--csv", "a.csv", *args, self.ref, "-"], cwd=self.dir,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)
        self.addCleanup(lambda: (p.kill(), p.communicate()))
        p.stdin.write(self.fed)
        p.stdin.flush()
        for _ in range(30000): # until all that it was given is scored
            being_written = [f.name for f in self.dir.glob("a.csv.part-*")]
            if being_written and len(self.read(being_written[0]).splitlines()) == 1 + FRAMES:
                return p
            self.assertIsNone(p.poll(), p.stderr.read() if p.poll() is not None else "")
            time.sleep(0.01)
        self.fail("the frames were not scored")

    def test_each(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            for name in ["a.csv", "a.json", "part.json"]:
                (self.dir / name).unlink(missing_ok=True)
            p = self.start("--json", "a.json", "--shard", "part.json", "--fail-under", "psnr_y=99")
            p.send_signal(number)
            code, err = p.wait(timeout=600), p.stderr.read().decode()
            self.assertEqual(code, 128 + number, err)
            self.assertEqual(err, f"assay: stopped by {signal.Signals(number).name}\n")
            report = json.loads(self.read("a.json"))
            self.assertEqual(len(report["frames"]), FRAMES)
            block = next(b for b in report.values() if isinstance(b, dict) and "incomplete" in b)
            self.assertIs(block["incomplete"], True)
            self.assertIn(signal.Signals(number).name, block["reason"])
            self.assertFalse((self.dir / "part.json").exists())

    def test_twice(self):
        """As timeout(1) does it: a signal to the process, and one to its group. Where this machine was so busy that the
        second one may have come half a second later, it counts for nothing, and both are sent to another process."""
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] * 4:
            in_time = False
            while not in_time:
                (self.dir / "a.csv").unlink(missing_ok=True)
                p = self.start()
                began = time.monotonic()
                p.send_signal(number)
                while pathlib.Path(f"/proc/{p.pid}/status").read_text().count(f"Pnd:\t{1 << (number - 1):016x}"):
                    pass # until the process has taken the first one; otherwise both are one
                p.send_signal(number)
                in_time = time.monotonic() - began < 0.5
                code, err = p.wait(timeout=600), p.stderr.read().decode()
            self.assertEqual(code, 128 + number)
            self.assertEqual(err, f"assay: stopped by {signal.Signals(number).name}\n")
            self.assertEqual([f.name for f in self.dir.glob("a.csv*")], ["a.csv"])

    def test_alarms_of_the_parent(self):
        """A parent's block of SIGALRM is lifted, since by it a second signal kills, and a parent's alarm kills."""
        def block():
            heed()
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGUSR1])
        p = self.start(before=block)
        status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{p.pid}/status").read_text().splitlines())
        blocked = int(status["SigBlk"], 16)
        self.assertEqual([blocked >> (number - 1) & 1 for number in (signal.SIGALRM, signal.SIGUSR1)], [0, 1])
        p.send_signal(signal.SIGALRM)
        self.assertEqual(p.wait(timeout=600), -signal.SIGALRM)

    def test_before_the_first_frame(self):
        fifo = self.dir / "fifo"
        os.mkfifo(fifo)
        for encodes in [["fifo"], ["fifo", self.ref], [self.ref, "fifo"]]:
            p = subprocess.Popen([PROGRAM, "-q", self.ref, *encodes], cwd=self.dir, stdin=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, preexec_fn=heed)
            self.addCleanup(lambda p=p: (p.kill(), p.communicate()))
            with open(fifo, "wb"): # there is a writer now, and it says nothing
                time.sleep(0.3)
                p.send_signal(signal.SIGINT)
                self.assertEqual(p.wait(timeout=600), 130)
            self.assertEqual(p.stderr.read(), b"assay: stopped by SIGINT\n")

    def test_reports_of_before_stay(self):
        """A run that is stopped before it has scored a frame leaves all reports as they were."""
        forms = ["json", "xml", "csv", "sub", "html", "svg"]
        outputs = [x for form in forms for x in (f"--{form.replace('svg', 'plot')}", f"a.{form}")]
        self.passes("-q", "-m", "psnr", *outputs, self.ref, self.ref)
        before = [self.read(f"a.{form}") for form in forms]
        fifo = self.dir / "fifo"
        os.mkfifo(fifo)
        p = subprocess.Popen([PROGRAM, "-q", "-m", "psnr", *outputs, self.ref, "fifo"], cwd=self.dir,
                             stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=heed)
        self.addCleanup(lambda: (p.kill(), p.communicate()))
        with open(fifo, "wb") as writer:
            writer.write(self.fed.split(b"\n", 1)[0] + b"\nFRAME\n")
            writer.flush()
            while not list(self.dir.glob("a.svg.part-*")): # the last one to be begun
                self.assertIsNone(p.poll())
                time.sleep(0.01)
            p.send_signal(signal.SIGTERM)
            self.assertEqual(p.wait(timeout=600), 128 + signal.SIGTERM)
        self.assertEqual(p.stderr.read(), b"assay: stopped by SIGTERM\n")
        self.assertEqual([self.read(f"a.{form}") for form in forms], before)
        self.assertFalse(list(self.dir.glob("*.part-*")))

    def test_reports_of_results(self):
        """assay report and assay merge leave nothing of what they were writing, and what was there."""
        pair = self.pair(width=24, height=20, frames=200)
        self.passes("-q", "-m", "psnr", "--json", "scores.json", "--precision", "max", "--shard", "part.json", *pair)
        for command, number in [("report", signal.SIGTERM), ("merge", signal.SIGINT), ("report", signal.SIGHUP)]:
            results = "scores.json" if command == "report" else "part.json"
            self.passes(command, "-q", results, "--html", "a.html")
            before, fifo = self.read("a.html"), self.dir / f"fifo{number}"
            os.mkfifo(fifo)
            reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, reader)
            room = fcntl.fcntl(reader, F_SETPIPE_SZ, 4096)
            p = subprocess.Popen([PROGRAM, command, "-q", results, "--html", "a.html", "--csv", fifo], cwd=self.dir,
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=heed)
            self.addCleanup(lambda p=p: (p.kill(), p.communicate()))
            held = b""
            while not held or struct.unpack("i", held)[0] < room - 256: # until a line finds no room
                self.assertIsNone(p.poll())
                held = fcntl.ioctl(reader, termios.FIONREAD, bytes(4))
            p.send_signal(number)
            self.assertEqual(p.wait(timeout=600), 128 + number)
            self.assertEqual(p.stderr.read().decode(), f"assay: stopped by {signal.Signals(number).name}\n")
            self.assertEqual([f.name for f in self.dir.glob("a.html*")], ["a.html"])
            self.assertEqual(self.read("a.html"), before)

    def test_pages_of_results(self):
        """A page that waits for somebody to open a pipe, or to read what does not fit one, is ended by one signal."""
        pair = self.pair(width=24, height=20, frames=200)
        self.passes("-q", "-m", "psnr", "--json", "scores.json", "--precision", "max", "--shard", "part.json", *pair)
        for command, results in (("report", "scores.json"), ("merge", "part.json")):
            for opened in (False, True):
                fifo = self.dir / f"{command}{opened}"
                os.mkfifo(fifo)
                reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK) if opened else None
                if opened: # the page is longer
                    fcntl.fcntl(reader, F_SETPIPE_SZ, 4096)
                p = subprocess.Popen([PROGRAM, command, "-q", results, "--csv", "a.csv", "--html", fifo],
                                     cwd=self.dir, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=heed)
                self.addCleanup(lambda p=p: (p.kill(), p.communicate()))
                held = bytes(4)
                while not list(self.dir.glob("a.csv*")) or (opened and not any(held)):
                    self.assertIsNone(p.poll())
                    held = fcntl.ioctl(reader, termios.FIONREAD, held) if opened else held
                p.send_signal(signal.SIGINT)
                with self.subTest(command, opened=opened):
                    self.assertEqual(p.wait(timeout=600), 128 + signal.SIGINT)
                    self.assertEqual(p.stderr.read(), b"assay: stopped by SIGINT\n")
                    self.assertFalse(list(self.dir.glob("a.csv.part*")))
                (self.dir / "a.csv").unlink(missing_ok=True)
                if opened:
                    os.close(reader)

    def test_ignored_signals_stay_ignored(self):
        p = self.start(before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        p.send_signal(signal.SIGHUP)
        time.sleep(0.1)
        p.stdin.write(y4m(width=24, height=20, frames=5, first=FRAMES).split(b"\n", 1)[1])
        p.stdin.close()
        p.stdin = None # communicate() would flush it
        self.assertEqual(p.wait(timeout=600), 0, p.stderr.read())
        self.assertEqual(len(self.read("a.csv").splitlines()), 1 + FRAMES + 5)


if __name__ == "__main__":
    main()
