# SPDX-License-Identifier: BSD-2-Clause
"""Two inputs that do not match: each difference is refused in one line that names its flag,
and the flag is recorded."""
import json
import math
import os
import struct
import subprocess
import unittest
from fractions import Fraction

from command import INPUT, MISMATCH, PROGRAM, USAGE, Case, main, y4m
from pictures import pixels, png


class Pairs(Case):
    def check(self, ref, dis, flag, says, kind=MISMATCH):
        self.write("ref.y4m", ref)
        self.write("dis.y4m", dis)
        self.fails(kind, [says, f"--allow-{flag}"], "-m", "psnr=enable_mse=true", "ref.y4m", "dis.y4m")
        self.passes("-q", "-m", "psnr=enable_mse=true", f"--allow-{flag}", "--json", "out.json", "ref.y4m", "dis.y4m")
        report = json.loads(self.read("out.json"))
        self.assertIn(flag, report["assay"]["allowed_differences"].split())
        return report

    def test_size(self):
        report = self.check(y4m(width=32, height=24), y4m(width=30, height=20), "size", "32x24")
        self.assertEqual((report["assay"]["width"], report["assay"]["height"]), (30, 20))

    def test_length(self):
        self.write("ref.y4m", y4m(frames=5))
        self.write("dis.y4m", y4m(frames=3, noise=2))
        self.refuses(MISMATCH, ["dis.y4m", "3 frames", "--allow-length"], "-m", "psnr", "--json", "out.json",
                     "ref.y4m", "dis.y4m")
        self.assertFalse((self.dir / "out.json").exists())
        # Of a pipe the length is known at its end.
        with open(self.dir / "dis.y4m", "rb") as stream:
            done = subprocess.run([PROGRAM, "-m", "psnr", "--json", "out.json", "ref.y4m", "-"], cwd=self.dir,
                                  input=stream.read(), capture_output=True, check=False)
        self.assertEqual(done.returncode, MISMATCH, done)
        for text in (b"stdin", b"3 frames", b"--allow-length"):
            self.assertIn(text, done.stderr)
        self.assertIn(b"incomplete", done.stdout)
        report = json.loads(self.read("out.json"))
        self.assertEqual(len(report["frames"]), 3)
        self.assertTrue(report["assay"]["incomplete"])
        report = self.check(y4m(frames=5), y4m(frames=3), "length", "3 frames")
        self.assertFalse(report["assay"]["incomplete"])
        self.check(y4m(frames=2), y4m(frames=7), "length", "2 frames")

    def test_length_does_not_matter_beyond_the_frames_asked_for(self):
        self.write("ref.y4m", y4m(frames=5))
        self.write("dis.y4m", y4m(frames=3))
        self.passes("-m", "psnr", "--frames", "3", "ref.y4m", "dis.y4m")
        self.fails(MISMATCH, "3 frames", "-m", "psnr", "--frames", "4", "ref.y4m", "dis.y4m")

    def test_frame_rate(self):
        self.check(y4m(rate="25:1"), y4m(rate="30000:1001"), "rate", "25/1")
        self.write("ref.y4m", y4m(rate="25:1"))
        self.write("dis.y4m", y4m(rate="50:2"))
        self.passes("-m", "psnr", "ref.y4m", "dis.y4m")

    def test_range(self):
        self.check(y4m(tags="XCOLORRANGE=FULL"), y4m(tags="XCOLORRANGE=LIMITED"), "range", "full")
        self.write("ref.y4m", y4m(tags="XCOLORRANGE=FULL"))
        self.write("dis.y4m", y4m())
        self.passes("-m", "psnr", "ref.y4m", "dis.y4m")

    def test_depth(self):
        report = self.check(y4m(depth=10), y4m(depth=8), "depth", "10 bits")
        # The pattern of command.py is shifted left by the depth, so the 8-bit side becomes the same samples.
        self.assertEqual(report["pooled_metrics"]["mse_y"]["max"], 0)
        self.check(y4m(depth=8), y4m(depth=16), "depth", "16 bits")

    def scaled(self, depth, full):
        """Y4M of 4:4:4 with every 8-bit code on each plane, and what it is at another depth."""
        small, large, factor = bytes(range(256)), [], Fraction((1 << depth) - 1, 255)
        for plane in range(3):
            zero, new_zero = (128, 1 << (depth - 1)) if plane else (0, 0)
            for v in range(256):
                exact = (v - zero) * factor + new_zero if full else v << (depth - 8)
                large.append(max(0, math.floor(exact + Fraction(1, 2))))
        tag = f" XCOLORRANGE={'FULL' if full else 'LIMITED'}\nFRAME\n"
        head = "YUV4MPEG2 W16 H16 F25:1 Ip A1:1 C444"
        self.write("ref.y4m", (head + tag).encode() + 3 * small)
        self.write("dis.y4m", (head + f"p{depth}" + tag).encode() + struct.pack(f"<{len(large)}H", *large))

    def test_depth_by_range(self):
        for depth in (9, 10, 12, 16):
            for full, said in ((False, "shifted left"), (True, "scaled")):
                with self.subTest(depth=depth, full=full):
                    self.scaled(depth, full)
                    result = self.passes("-m", "diff", "--allow-depth", "--no-progress", "--csv", "-", "ref.y4m",
                                         "dis.y4m")
                    self.assertIn(said, result.err)
                    head, row = [line.split(",") for line in result.out.splitlines()[:2]]
                    self.assertEqual(float(row[head.index("max_diff")]), 0)

    @unittest.skipUnless(os.environ.get("ASSAY_LIBAV"), "this build has no libav")
    def test_depth_of_rgb(self):
        rows = pixels(20, 10)
        self.write("a.png", png(rows))
        self.write("b.png", png([[v * 257 for v in row] for row in rows], depth=16))
        for metric in ("psnr", "ssimulacra2"):
            result = self.passes("-m", metric, "--allow-depth", "--no-progress", "a.png", "b.png")
            self.assertIn("scaled", result.err)
            self.assertIn("100.000" if metric == "ssimulacra2" else "108.000", result.out)

    def test_pixel_format(self):
        report = self.check(y4m(chroma="420"), y4m(chroma="444"), "format", "420")
        self.assertNotIn("psnr_cb", report["frames"][0]["metrics"])
        self.check(y4m(chroma="mono"), y4m(chroma="422"), "format", "422")

    def test_aspect_and_field_order(self):
        self.check(y4m(), y4m().replace(b" A1:1", b" A16:15"), "sar", "16:15")
        self.check(y4m(), y4m().replace(b" Ip", b" It"), "field-order", "top")

    def test_one_flag_does_not_cover_another(self):
        self.write("ref.y4m", y4m(depth=10))
        self.write("dis.y4m", y4m(width=30))
        self.fails(MISMATCH, "--allow-depth", "-m", "psnr", "--allow-size", "ref.y4m", "dis.y4m")
        self.fails(MISMATCH, "--allow-size", "-m", "psnr", "--allow-depth", "ref.y4m", "dis.y4m")
        self.passes("-m", "psnr", "--allow-depth", "--allow-size", "ref.y4m", "dis.y4m")

    def test_nothing_is_recorded_for_equal_inputs(self):
        ref, dis = self.pair()
        self.passes("-q", "-m", "psnr", "--allow-size", "--allow-rate", "--json", "out.json", ref, dis)
        self.assertEqual(json.loads(self.read("out.json"))["assay"]["allowed_differences"], "")


class Frames(Case):
    """--frames, --skip-ref, --skip-dis, --every."""

    def numbers(self, *args):
        self.passes("-q", "-m", "psnr=enable_mse=true", "--json", "out.json", *args)
        return {f["frameNum"]: f["metrics"]["mse_y"] for f in json.loads(self.read("out.json"))["frames"]}

    def test_every(self):
        ref, dis = self.pair(frames=7)
        every = self.numbers(ref, dis)
        self.assertEqual(list(every), list(range(7)))
        for n in (1, 2, 3, 7, 100):
            self.assertEqual(self.numbers("--every", n, ref, dis), {k: v for k, v in every.items() if k % n == 0})

    def test_every_that_leaves_nothing(self):
        """No scores are no success; a part of a run may be without."""
        ref, dis = self.pair(frames=5)
        for args in (["--first", "1", "--every", "100"], ["--first", "1", "--every", "3", "--frames", "2"]):
            self.fails(INPUT, ["ref.y4m has no frame to score", args[3]], "-q", "-m", "psnr", "--json", "out.json",
                       *args, ref, dis)
            self.assertFalse((self.dir / "out.json").exists())
            self.passes("-q", "-m", "psnr", "--shard", "part.json", *args, ref, dis)
        self.passes("-q", "-m", "psnr", "--first", "3", "--every", "3", "--frames", "1", ref, dis)

    def test_every_still_notices_the_length(self):
        self.write("ref.y4m", y4m(frames=7))
        self.write("dis.y4m", y4m(frames=6))
        self.fails(MISMATCH, "6 frames", "-m", "psnr", "--every", "4", "ref.y4m", "dis.y4m")

    def test_skip_pairs_frames_anew(self):
        self.write("ref.y4m", y4m(frames=6))
        self.write("dis.y4m", y4m(frames=5, first=1))
        self.assertEqual(set(self.numbers("--skip-ref", "1", "ref.y4m", "dis.y4m").values()), {0})
        self.write("late.y4m", y4m(frames=9, first=-3))
        self.assertEqual(set(self.numbers("--skip-dis", "3", "ref.y4m", "late.y4m").values()), {0})

    def test_skipping_everything(self):
        ref, dis = self.pair(frames=3)
        self.fails(INPUT, ref, "-m", "psnr", "--skip-ref", "4", ref, dis)
        self.fails(INPUT, "", "-m", "psnr", "--skip-ref", "3", "--skip-dis", "3", ref, dis)

    def test_frames(self):
        ref, dis = self.pair(frames=5)
        self.assertEqual(list(self.numbers("--frames", "2", ref, dis)), [0, 1])
        self.assertEqual(len(self.numbers("--frames", "99", ref, dis)), 5)


class Sizes(Case):
    def test_a_metric_that_the_size_does_not_allow(self):
        ref, dis = self.pair(width=175, height=176, frames=1)
        self.refuses(USAGE, ["float_ms_ssim", "176x176", "175x176"], "-m", "float_ms_ssim", ref, dis)

    def test_all_lists_what_it_leaves_out(self):
        ref, dis = self.pair(width=64, height=48, frames=1)
        result = self.passes("-m", "all", ref, dis)
        self.assertRegex(result.err, r"(?m)^assay: \d+ metrics are left out \(--verbose says why\): .*float_ms_ssim")
        self.assertNotIn("is left out: ", result.err)
        each = self.passes("-m", "all", "--verbose", ref, dis).err
        self.assertRegex(each, r"(?m)^assay: float_ms_ssim is left out: .*176x176")
        self.assertNotIn("metrics are left out", each)
        self.assertIn("psnr_y", result.out)
        self.assertNotIn("float_ms_ssim", result.out)


if __name__ == "__main__":
    main()
