#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs of the package `assay` that compare pictures, beside `assay image`: its figures, bit for bit."""
import json
import math
import struct
import sys
import unittest

from common import REF, ROOT, Case, command

import assay

sys.path.insert(0, str(ROOT / "tests/cli"))
from pictures import RGB, RGBA, pixels, png  # noqa: E402


def pfm(path, value):
    path.write_bytes(b"PF\n16 16\n-1.0\n" + struct.pack("<768f", *(i % 31 / 8 for i in range(767)), value))


class Pictures(Case):
    def png(self, name, rows, kind=RGB, depth=8):
        (self.dir / name).write_bytes(png(rows, kind, depth))
        return self.dir / name

    def made(self, kind=RGB, depth=8):
        """Paths of two pictures that differ in a sample of each row."""
        a = pixels(16, 16, kind, depth)
        b = [[row[0] ^ 5, *row[1:]] for row in a]
        return self.png("a.png", a, kind, depth), self.png("b.png", b, kind, depth)

    def same_as_image(self, a, b, *options, **fields):
        report = self.dir / "image.json"
        code, lines = command("image", "-q", "--precision", "max", "--force", "--json", report, *options, a, b)
        self.assertEqual(code, 0, lines)
        pair = json.loads(report.read_text(encoding="utf-8"))["pairs"][0]
        with assay.Run(assay.Request(a, b, compare="pictures", **fields)) as run:
            for _ in run:
                pass
            encode = run.results[0]
            self.assertIsNone(encode.error)
            found = {key: encode[key].tolist() for key in encode}
            self.assertEqual(list(encode.frames), [0])
        self.assertEqual({key: [value] for key, value in pair["metrics"].items()},
                         {key: [None if v == math.inf else v for v in values] for key, values in found.items()})
        return found

    def test_codes(self):
        found = self.same_as_image(*self.made(), "-m", "ssimulacra2,flip", metrics="ssimulacra2,flip")
        self.assertEqual(found["diff_pixels"], [16])

    def test_sixteen_bits_with_alpha(self):
        found = self.same_as_image(*self.made(RGBA, 16))
        self.assertEqual((found["diff_pixels"], found["alpha_max_diff"]), ([16], [0]))

    def test_floats(self):
        a, b = self.dir / "a.pfm", self.dir / "b.pfm"
        pfm(a, 1.0)
        pfm(b, 1.5)
        found = self.same_as_image(a, b, "--abs-tolerance", "0.25", tolerance_absolute="0.25")
        self.assertEqual(found["beyond_tolerance"], [1])

    def test_each_side_has_its_part(self):
        a, b = self.made()
        with assay.Run(assay.Request(assay.Input(a, crop="4x4+1+1"), assay.Input(b, crop="4x4+1+1"),
                                     compare="pictures")) as run:
            notes = [event for event in run if event.kind == "note"]
            self.assertEqual(notes, [])
            self.assertEqual(run.results[0].fact("distorted_crop"), "4x4+1+1")

    def test_a_pair_that_does_not_match_fails_alone(self):
        a, b = self.made()
        small = self.png("small.png", pixels(8, 8))
        request = assay.Request(a, [small, b, self.dir / "none.png"], compare="pictures")
        with assay.Run(request) as run:
            for _ in run:
                pass
            errors = [encode.error for encode in run.results]
        self.assertIsInstance(errors[0], assay.MismatchError)
        self.assertIn("16x16", str(errors[0]))
        self.assertIsNone(errors[1])
        self.assertIsInstance(errors[2], assay.InputError)

    def test_what_is_of_frames_is_refused(self):
        a, b = self.made()
        for more in ({"first": 1}, {"frames": 1}, {"scale": "bicubic"}, {"pair": "time"}, {"hwdec": "auto"},
                     {"allow": "size"}):
            with self.assertRaisesRegex(assay.UsageError, "of pictures, a request has"):
                with assay.Run(assay.Request(a, b, compare="pictures", **more)):
                    pass
        with self.assertRaisesRegex(assay.UsageError, "are of pictures"):
            with assay.Run(assay.Request(REF, REF, assume="srgb")):
                pass


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
