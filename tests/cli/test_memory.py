# SPDX-License-Identifier: BSD-2-Clause
"""Peak memory of the whole command on pairs of 3840x2160, and planes that no metric reads."""
import os
import resource
import subprocess
import sys
import unittest

from command import DIS, INPUT, PROGRAM, REF, Case, frame, main, sizes, two_processors, y4m

WATCH = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdin=sys.stdin); "
         "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
WIDTH, HEIGHT, FRAMES = 3840, 2160, 6


class Memory(Case):
    def black(self, name, depth):
        """A Y4M file of black pictures. Their samples are holes, which take no room in the file system."""
        samples = sum(w * h for w, h in sizes(WIDTH, HEIGHT, "420"))
        with open(self.dir / name, "wb") as out:
            out.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420{f'p{depth}' if depth > 8 else ''}\n".encode())
            for _ in range(FRAMES):
                out.write(b"FRAME\n")
                out.seek(samples * (2 if depth > 8 else 1), os.SEEK_CUR)
            out.truncate()
        return str(self.dir / name)

    def peak(self, *args, stdin=subprocess.DEVNULL):
        """MB, of 10^6 bytes, on two processors: with more of them more threads read, and more pairs ahead."""
        env = {k: v for k, v in os.environ.items() if k != "MALLOC_PERTURB_"}  # which writes all that is allocated
        done = subprocess.run([sys.executable, "-c", WATCH, PROGRAM, "-q", *args], cwd=self.dir, stdin=stdin, env=env,
                              capture_output=True, text=True, preexec_fn=two_processors)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout) * 1024 / 1e6

    @unittest.skipIf(os.environ.get("ASSAY_SANITIZED") == "1", "a sanitizer's memory is not the command's")
    def test_4k(self):
        for depth, metric, most in ((8, "vmaf", 85), (10, "vmaf", 120), (8, "cambi,adm,motion", 140),
                                    (10, "cambi,adm,motion", 175), (10, "psnr", 120), (8, "vmaf=model=v1", 140),
                                    (10, "vmaf=model=v1", 195)):
            video = self.black(f"{depth}.y4m", depth)
            for threads in ("1", "2"):
                with self.subTest(depth=depth, metric=metric, threads=threads):
                    self.assertLess(self.peak("-m", metric, "--threads", threads, video, video), most)
        # Pairs that come from a pipe take no more.
        with subprocess.Popen(["cat", video], stdout=subprocess.PIPE) as pipe:
            self.assertLess(self.peak("-m", "vmaf", "--threads", "2", video, "-", stdin=pipe.stdout), 120)

    @unittest.skipIf(os.environ.get("ASSAY_SANITIZED") == "1", "a sanitizer takes more of a stack")
    def test_small_stacks(self):
        """A shell's limit on stacks is not that of the threads that read and compute, and the first needs little."""
        for metric, encodes, least in (("psnr", 1, 128), ("vmaf,ssimulacra2", 1, 128), ("psnr", 2, 88)):
            with self.subTest(metric=metric, encodes=encodes):
                self.passes("-q", "--threads", "2", "-m", metric, REF, *[DIS] * encodes, preexec_fn=lambda least=least:
                            resource.setrlimit(resource.RLIMIT_STACK, (least << 10, 8 << 20)))
        # The self-test's kernels run in threads of its own, too.
        self.passes("doctor", "--backend", "cpu", preexec_fn=lambda:
                    resource.setrlimit(resource.RLIMIT_STACK, (128 << 10, 8 << 20)))

    def test_unread_planes(self):
        """Samples of planes that no metric reads are checked all the same, and change no score."""
        for depth in (8, 10):
            name, size = f"{depth}.y4m", 2 if depth > 8 else 1
            whole = y4m(48, 32, 3, depth=depth, noise=2)
            chroma = sum(w * h for w, h in sizes(48, 32, "420")[1:]) * size
            luma = 48 * 32 * size
            self.write("ref.y4m", y4m(48, 32, 3, depth=depth))
            self.write(name, whole)
            alone = y4m(48, 32, 3, chroma="mono", depth=depth).split(b"\n", 1)[0] + b"\n"
            for i in range(3):
                alone += b"FRAME\n" + frame(48, 32, depth=depth, seed=i, noise=2)[:luma]
            self.write("mono.y4m", alone)
            both = [self.passes("-m", "float_ssim", "--allow-format", "--precision", "max", "ref.y4m", n).out
                    .splitlines()[-1] for n in (name, "mono.y4m")]
            self.assertEqual(both[0], both[1])
            # The file ends in the middle of the last picture's chroma.
            self.write("short.y4m", whole[:-chroma // 2])
            self.fails(INPUT, ["short.y4m", "frame 2", "truncated"], "-m", "float_ssim", "ref.y4m", "short.y4m")
        high = bytearray(whole)
        high[-1] = 0x7f
        self.write("high.y4m", bytes(high))
        self.fails(INPUT, ["high.y4m", "frame 2", "plane Cr", "column 23, row 15"], "-m", "float_ssim", "ref.y4m",
                   "high.y4m")


main()
