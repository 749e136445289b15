# SPDX-License-Identifier: BSD-2-Clause
"""--hwdec cuda on a GPU that decodes: files scored where its decoder leaves them have the scores
of software's pictures."""
import ctypes
import json
import shutil
import subprocess
import sys
import unittest

from command import SKIP, Case, main, y4m

# Encoder, pixel format, as what every decoder of the supported devices gives it (None: not all of them have it), and
# options of the encoder. HEVC with blocks of 16x16, and of 12 bits with a QP of 50, is decoded wrongly by libav.
FILES = (
    ("libx264", "yuv420p", "nv12"), ("libx264", "gray", None), ("libx264", "yuv420p", "nv12", "-qp", "0"),
    ("libx264", "yuv420p", "nv12", "-x264-params", "slices=4:ref=8:bframes=5:b-pyramid=normal"),
    ("libx264", "yuv420p", "nv12", "-x264-params", "cabac=0:8x8dct=0"),
    ("libx264", "yuv420p", "nv12", "-x264-params", "cqm=jvt:weightp=2"),
    ("libx264", "yuv420p", "nv12", "-x264-params", "intra-refresh=1:constrained-intra=1:keyint=8"),
    ("libx264", "yuv420p", "nv12", "-x264-params", "direct=temporal:weightb=1:bframes=3:partitions=all"),
    ("libx264", "yuv420p", "nv12", "-profile:v", "baseline", "-x264-params", "slices=3:ref=3"),
    ("libx264", "yuv420p", "nv12", "-flags", "+ildct+ilme", "-vf", "crop=312:180"),
    ("libx265", "yuv420p", "nv12"), ("libx265", "yuv420p10le", "p010le"), ("libx265", "yuv420p12le", "p016le"),
    ("libx265", "yuv444p", None), ("libx265", "yuv444p10le", None),
    ("libx265", "yuv420p", "nv12", "-x265-params", "lossless=1"),
    ("libx265", "yuv420p", "nv12", "-x265-params", "tskip=1:scaling-list=default:weightb=1"),
    ("libx265", "yuv420p", "nv12", "-x265-params", "cu-lossless=1:rd=4"),
    ("libx265", "yuv420p", "nv12", "-x265-params", "slices=3:sao=0:constrained-intra=1"),
    ("libx265", "yuv420p", "nv12", "-x265-params", "bframes=8:ref=6:open-gop=1:keyint=9:tu-inter-depth=3"),
    ("libx265", "yuv420p", "nv12", "-x265-params", "interlace=tff", "-vf", "crop=312:180"),
    ("libvpx", "yuv420p", "nv12"), ("libvpx", "yuv420p", "nv12", "-profile:v", "1"),
    ("libvpx", "yuv420p", "nv12", "-profile:v", "2", "-slices", "4"),
    ("libvpx", "yuv420p", "nv12", "-profile:v", "3", "-auto-alt-ref", "1", "-lag-in-frames", "10"),
    ("libvpx-vp9", "yuv420p", "nv12"), ("libvpx-vp9", "yuv420p10le", "p010le"),
    ("libvpx-vp9", "yuv420p12le", "p016le"), ("libvpx-vp9", "yuv420p", "nv12", "-lossless", "1"),
    ("libvpx-vp9", "yuv420p", "nv12", "-error-resilient", "1", "-aq-mode", "2"),
    ("libvpx-vp9", "yuv420p", "nv12", "-auto-alt-ref", "1", "-lag-in-frames", "10", "-aq-mode", "3"))


def missing():
    """What a run here lacks, or None."""
    if not shutil.which("ffmpeg"):
        return "there is no ffmpeg program to make files with"
    for name in ("libcuda.so.1", "libnvcuvid.so.1"):
        try:
            ctypes.CDLL(name)
        except OSError:
            return f"no GPU that decodes: {name} can't be opened"
    return None


class Device(Case):
    def scores(self, *args):
        done = self.passes("--no-progress", "-m", "psnr=enable_mse=true,float_ssim", "--precision", "max", "--json",
                           "out.json", *args)
        return json.loads(self.read("out.json"))["frames"], done

    def test_scores_are_those_of_software(self):
        for codec, pixel_format, surface, *options in FILES:
            with self.subTest(codec=codec, pixel_format=pixel_format, options=options):
                for name, noise in (("a.mkv", 0), ("b.mkv", 4)):
                    self.write("in.y4m", y4m(314, 182, 12, noise=noise))
                    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", "in.y4m", "-pix_fmt", pixel_format, "-c:v",
                                    codec, *options, name],
                                   cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
                expected, _ = self.scores("a.mkv", "b.mkv")
                got, done = self.scores("--backend", "cuda", "--hwdec", "auto", "a.mkv", "b.mkv")
                print(codec, pixel_format, *options, *done.err.splitlines(), sep="\n  ")
                self.assertEqual(got, expected)
                part = ("--crop-ref", "200x96+30+42", "--crop-dis", "200x96+30+42")
                expected, _ = self.scores(*part, "a.mkv", "b.mkv")
                self.assertNotEqual(got, expected)
                self.assertEqual(self.scores(*part, "--backend", "cuda", "--hwdec", "auto", "a.mkv", "b.mkv")[0],
                                 expected)
                if surface: # otherwise software may have been compared with software, and the lines above say so
                    for name in ("a.mkv", "b.mkv"):
                        self.assertIn(f"{name}: decoded on the device ({surface})", done.err)


if __name__ == "__main__":
    if missing():
        print("skipped:", missing())
        sys.exit(SKIP)
    main()
