# SPDX-License-Identifier: BSD-2-Clause
"""What the black-box tests of the command share: running it, and making small inputs.

The program's path is in $ASSAY. Each test has a folder of its own, `self.dir`, and runs there.
"""
import functools
import os
import pathlib
import pty
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

PASS, GATE, USAGE, INPUT, DEVICE, MISMATCH, INTERNAL = range(7)
SKIP = 77

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "examples" / "sample"
REF, DIS = str(SAMPLE / "ref.y4m"), str(SAMPLE / "dis.y4m")
PROGRAM = os.environ.get("ASSAY", "assay")


def sizes(width, height, chroma):
    """Plane sizes, by the digits of a Y4M chroma tag."""
    half_w, half_h = (width + 1) // 2, (height + 1) // 2
    if chroma.startswith("mono"):
        return [(width, height)]
    other = {"420": (half_w, half_h), "422": (half_w, height), "444": (width, height),
             "411": ((width + 3) // 4, height)}
    return [(width, height)] + 2 * [other[chroma[:3]]]


@functools.lru_cache(maxsize=64)
def frame(width, height, chroma="420", depth=8, seed=0, noise=0):
    """One picture: slopes with a block in it that moves with `seed`, and +-`noise` on every sample."""
    dice, out = random.Random(seed * 1000 + noise), bytearray()
    top = (1 << depth) - 1
    for w, h in sizes(width, height, chroma):
        for y in range(h):
            for x in range(w):
                v = (x * 3 + y * 2 + (40 if (x + seed) // 8 % 2 and y // 8 % 2 else 0)) % 200 + 16
                v = v << (depth - 8)
                if noise:
                    v += dice.randint(-noise, noise)
                v = min(max(v, 0), top)
                out += v.to_bytes(2 if depth > 8 else 1, "little")
    return bytes(out)


def y4m(width=32, height=24, frames=3, chroma="420", depth=8, noise=0, tags="", rate="25:1", first=0):
    tag = chroma + (f"p{depth}" if depth > 8 and chroma != "mono" else str(depth) if depth > 8 else "")
    head = f"YUV4MPEG2 W{width} H{height} F{rate} Ip A1:1 C{tag}{' ' if tags else ''}{tags}\n".encode()
    return head + b"".join(b"FRAME\n" + frame(width, height, chroma, depth, first + i, noise) for i in range(frames))


def moving(first, frames, width=48, height=32, gain=1, rate="25:1"):
    """Y4M of grey dots, each with a speed of its own: no frame is like another."""
    dice = random.Random(7)
    dots = [[dice.uniform(0, v) for v in (width, height)] + [dice.uniform(-1.3, 1.3) for _ in "xy"] for _ in range(9)]
    out = bytearray(f"YUV4MPEG2 W{width} H{height} F{rate} Ip A1:1 Cmono\n".encode())
    for i in range(first, first + frames):
        plane = bytearray([40]) * (width * height)
        for n, (x, y, dx, dy) in enumerate(dots):
            left, top = int(x + dx * i) % width, int(y + dy * i) % height
            for row in range(top, min(top + 9, height)):
                for column in range(left, min(left + 11, width)):
                    plane[row * width + column] = min(255, int((60 + 20 * n) * gain))
        out += b"FRAME\n" + plane
    return bytes(out)


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class OnTerminal:
    """A program whose standard error is a terminal."""

    def __init__(self, args, env=None, **how):
        self.master, slave = pty.openpty()
        self.seen = bytearray()
        self.run = subprocess.Popen(args, stderr=slave, env={**os.environ, "TERM": "xterm", **(env or {})}, **how)
        os.close(slave)
        self.reader = threading.Thread(target=self.drain)
        self.reader.start()

    def drain(self):
        while True:
            try:
                piece = os.read(self.master, 4096)
            except OSError: # the other end is gone
                return
            if not piece:
                return
            self.seen.extend(piece)

    def finish(self):
        """The exit code, and what the terminal received."""
        code = self.run.wait(timeout=600)
        self.reader.join()
        os.close(self.master)
        return code, self.seen.decode()


class Case(unittest.TestCase):
    maxDiff = 4000
    name = "assay" # what the program calls itself

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="assay-cli-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def write(self, name, data):
        """A file in the test's folder; its name comes back."""
        (self.dir / name).write_bytes(data)
        return name

    def read(self, name):
        return (self.dir / name).read_text(encoding="utf-8")

    def pair(self, **how):
        """Two files that differ by noise."""
        noise = how.pop("noise", 3)
        return self.write("ref.y4m", y4m(**how)), self.write("dis.y4m", y4m(noise=noise, **how))

    def run_assay(self, *args, env=None, **how):
        how.setdefault("stdin", subprocess.DEVNULL if "input" not in how else None)
        if how["stdin"] is None:
            del how["stdin"]
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        how.setdefault("text", True)
        done = subprocess.run([PROGRAM, *map(str, args)], cwd=self.dir, timeout=1200, env={**os.environ, **(env or {})},
                              check=False, **how)
        return Result(done)

    def has_level(self, level):
        """Whether the command has kernels of an instruction set that the processor has."""
        return self.run_assay("-q", "-m", "psnr", "--cpu", level, REF, DIS).code == PASS

    def passes(self, *args, **how):
        result = self.run_assay(*args, **how)
        self.assertEqual(result.code, PASS, result)
        return result

    def parts_join(self, how, other, ref, dis):
        """A run in two parts has the report of one run. A part with other options does not merge with them."""
        how, other = [["-q", "--reproducible", *options] for options in (how, other)]
        self.passes(*how, "--json", "whole.json", ref, dis)
        self.passes(*how, "--frames", "2", "--shard", "a.part", ref, dis)
        self.passes(*how, "--first", "2", "--shard", "b.part", ref, dis)
        self.passes("merge", "-q", "a.part", "b.part", "--reproducible", "--json", "joined.json")
        self.assertEqual(self.read("whole.json"), self.read("joined.json"))
        self.passes(*other, "--first", "2", "--shard", "c.part", ref, dis)
        self.assertNotEqual(self.run_assay("merge", "-q", "a.part", "c.part", "--json", "no.json").code, PASS)

    def fails(self, code, says, *args, **how):
        """The exit code, and one line on standard error that holds each text of `says`."""
        result = self.run_assay(*args, **how)
        self.assertEqual(result.code, code, result)
        last = result.err.splitlines()[-1] if result.err else ""
        self.assertTrue(last.startswith(self.name + ": "), result)
        self.assertEqual(sum(line.startswith(self.name + ": ") for line in result.err.splitlines()),
                         len(result.err.splitlines()),
                         result)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, last, result)
        return result

    def refuses(self, code, says, *args, **how):
        """As `fails`, and nothing else: one line, nothing on standard output."""
        result = self.fails(code, says, *args, **how)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertEqual(result.out, "", result)
        return result


def two_processors():
    """Leaves a process two: with more of them assay has more threads, reads more ahead, and takes more memory."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


def main():
    """unittest's main; exit status 77 when every test was skipped. SIGHUP is not ignored, as it is under nohup, nor is
    SIGINT, as it is in the background of a script."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program = unittest.main(exit=False, argv=[sys.argv[0], "-b", *sys.argv[1:]])
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIP if result.testsRun and len(result.skipped) == result.testsRun else 0)
