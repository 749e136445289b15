#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""assay.maps: the numbers of a session's maps, and the colours of the command's pictures."""
import shutil
import struct
import subprocess
import unittest
import zlib

from common import DIS, REF, Case, command, pictures

import numpy as np

import assay
from assay._maps import _picture


class Maps(Case):
    def setUp(self):
        super().setUp()
        self.find_command()

    def test_numbers_are_those_of_a_session(self):
        form = assay.Format(352, 198, 8, "420", rate=(30, 1))
        found = assay.maps(REF, DIS.read_bytes(), metrics="vmaf,diff,float_ssim", frames=3)
        self.assertEqual(sorted(found), [0, 1, 2])
        with assay.Session(form, metrics="vmaf,diff,float_ssim", maps=True) as session:
            for frame, pair in zip(found, zip(pictures(REF), pictures(DIS))):
                session.submit(*pair)
                own = session.maps()
                self.assertEqual(sorted(found[frame]), sorted(own))
                for name, values in own.items():
                    self.assertEqual(found[frame][name].dtype, values.dtype)
                    self.assertTrue(np.array_equal(found[frame][name], values), name)

    def test_fields(self):
        for words, keywords in ((["--first", "3", "--frames", "1"], {"first": 3, "frames": 1}),
                                (["--frames-worst", "2:max_diff"], {"worst": "2:max_diff"}),
                                (["--every", "4", "--crop-ref", "64x32+2+4", "--crop-dis", "64x32+2+4"], {"every": 4})):
            sides = [assay.Input(path, crop="64x32+2+4") if "every" in keywords else path for path in (REF, DIS)]
            self.assertEqual(command("-q", "-m", "diff", "--heatmap", self.dir / "m", "--heatmap-values", *words, REF,
                                     DIS), (0, []))
            want = {path.name: np.load(path) for path in (self.dir / "m").glob("*.npy")}
            found = assay.maps(*sides, metrics=["diff"], **keywords)
            self.assertEqual(sorted(f"{frame:06}.diff.npy" for frame in found), sorted(want))
            for frame, maps in found.items():
                self.assertTrue(np.array_equal(maps["diff"], want[f"{frame:06}.diff.npy"]))
            shutil.rmtree(self.dir / "m")

    def test_colours(self):
        """Those of the picture that the command draws; each filter of PNG."""
        found = assay.maps(REF, DIS, metrics="diff,flip", rgb_matrix="bt709", frames=1, colours=True)[0]
        numbers = assay.maps(REF, DIS, metrics="diff,flip", rgb_matrix="bt709", frames=1)[0]
        self.assertEqual(command("-q", "-m", "diff,flip", "--matrix", "bt709", "-n", "1", "--heatmap", self.dir / "m",
                                 REF, DIS), (0, []))
        for name, colours in found.items():
            self.assertEqual((colours.dtype, colours.shape), (np.uint8, (198, 352, 3)))
            if shutil.which("ffmpeg"):
                raw = subprocess.run(["ffmpeg", "-v", "error", "-i", self.dir / f"m/000000.{name}.png", "-pix_fmt",
                                      "rgb24", "-f", "rawvideo", "-"], stdout=subprocess.PIPE, check=True).stdout
                self.assertEqual(colours.tobytes(), raw, name)
        self.assertTrue(np.array_equal(found["diff"].any(axis=2), numbers["diff"] > 0))
        dice = np.random.default_rng(5)
        want = dice.integers(0, 256, (6, 7, 3)).astype(np.uint8)
        padded = np.zeros((7, 8, 3), np.int64)
        padded[1:, 1:] = want
        for kind in range(5):
            lines = b""
            for y in range(1, 7):
                left, up, corner = padded[y, :-1], padded[y - 1, 1:], padded[y - 1, :-1]
                off = [np.abs(left + up - corner - near) for near in (left, up, corner)]
                paeth = np.where((off[0] <= off[1]) & (off[0] <= off[2]), left, np.where(off[1] <= off[2], up, corner))
                guess = (0, left, up, (left + up) // 2, paeth)[kind]
                lines += bytes([kind]) + ((padded[y, 1:] - guess) & 255).astype(np.uint8).tobytes()
            chunks = ((b"IHDR", struct.pack(">IIBBBBB", 7, 6, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(lines)[:20]),
                      (b"IDAT", zlib.compress(lines)[20:]), (b"IEND", b""))
            png = b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I4s", len(data), name) + data + b"\0" * 4
                                                    for name, data in chunks)
            self.assertTrue(np.array_equal(_picture(png), want), kind)

    def test_refused_by_name(self):
        for kind, says, keywords in ((assay.UsageError, "no metric of this run has a map", {"metrics": "psnr"}),
                                     (assay.UsageError, "maps has no argument 'nr'", {"metrics": "diff", "nr": 1}),
                                     (assay.UsageError, "--frames-worst", {"metrics": "diff", "worst": "x"}),
                                     (assay.UsageError, "backend is a text, not 3", {"metrics": "diff", "backend": 3})):
            with self.assertRaisesRegex(kind, says):
                assay.maps(REF, DIS, **keywords)
        with self.assertRaisesRegex(assay.InputError, "none.y4m: can't be opened"):
            assay.maps(REF, self.dir / "none.y4m", metrics="diff")
        with self.assertRaisesRegex(assay.UsageError, "maps takes files with skip, crop, format, colour, and not with "
                                                      "raw_width"):
            assay.maps(assay.Input(REF, raw_width=3), DIS, metrics="diff")


if __name__ == "__main__":
    unittest.main()
