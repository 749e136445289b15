#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Results of the package `assay` that are read, merged and compared, and Bjontegaard's deltas: the command's."""
import gc
import importlib
import json
import os
import sys
import unittest

from common import DIS, REF, ROOT, Case, command

import numpy as np

import assay

METRICS = "psnr=enable_apsnr=true,ssim"


class Aligned(Case):
    """`align` is the command's."""

    def setUp(self):
        super().setUp()
        self.find_command()
        sys.path.insert(0, str(ROOT / "tests/cli"))
        self.addCleanup(sys.path.pop, 0)
        self.moving = importlib.import_module("command").moving

    def test_offsets(self):
        reference, shifted = self.dir / "a.y4m", self.moving(3, 60)
        reference.write_bytes(self.moving(0, 60))
        found = assay.align(reference, shifted)
        path = self.dir / "b.y4m"
        path.write_bytes(shifted)
        code, _ = command("align", "-q", "--json", self.dir / "own.json", reference, path)
        own = json.loads((self.dir / "own.json").read_text(encoding="utf-8"))
        self.assertEqual((code, found.certain, found.offset), (1, True, -3))
        self.assertEqual((found.confidence, found.skip_ref, found.skip_dis),
                         (own["confidence"], own["skip_ref"], own["skip_dis"]))
        self.assertEqual(found.segments, ((3, 0, 57),))
        results = assay.score(assay.Input(reference, skip=found.skip_ref), path, metrics="psnr", allow="length")
        self.assertEqual(set(results["psnr_y"].tolist()), {60.0})
        again = assay.align(assay.Input(reference, skip=3), shifted)
        self.assertTrue(again.certain)

    def test_not_certain_and_failures(self):
        still = assay.align(REF, DIS)
        self.assertFalse(still.certain)
        self.assertIn("too few frames", still.reason)
        self.fails(assay.InputError, "none.y4m: can't be opened", assay.align, "none.y4m", DIS)
        self.fails(assay.UsageError, "not with colour", assay.align, assay.Input(REF, colour="bt709"), DIS)


class Kept(Case):
    def setUp(self):
        super().setUp()
        self.results = assay.score(REF, DIS, metrics=METRICS)

    def parts(self, *cuts):
        first = 0
        for count in cuts:
            command("-q", "-m", METRICS, "--first", first, "--frames", count, "--shard",
                    self.dir / f"{first}.part", REF, DIS)
            yield self.dir / f"{first}.part"
            first += count

    def test_a_report_is_read(self):
        self.results.write(self.dir / "a.json")
        read = assay.read(self.dir / "a.json")
        self.assertEqual(list(read[0]), list(self.results[0]))
        for key, values in self.results[0].items():
            self.assertEqual(read[key].tobytes(), values.tobytes())
            self.assertEqual(read[0].direction(key), self.results[0].direction(key))
        self.assertEqual(read.aggregates, self.results.aggregates)
        self.assertEqual(read.times.tolist(), self.results.times.tolist())
        self.assertEqual(read[0].name, "dis")
        self.assertIsNone(read.error)
        self.assertEqual(read.to_json(), self.results.to_json())
        values = assay.read(str(self.dir / "a.json"))[0]
        gc.collect()
        self.assertEqual(values.pool("psnr_y"), self.results.pool("psnr_y"))
        class Named(os.PathLike): # by bytes, which need be no UTF-8
            def __fspath__(own):
                return os.fsencode(self.dir) + b"/caf\xe9.json"
        self.results.write(Named())
        self.assertEqual(assay.read(Named()).to_json(), self.results.to_json())
        self.fails(assay.InputError, "no JSON", assay.read, REF)
        self.fails(assay.InputError, "can't be opened", assay.read, "nowhere.json")

    def test_parts_are_merged(self):
        parts = list(self.parts(3, 1, 4))
        whole = assay.merge([parts[2], assay.read(parts[0]), str(parts[1])])
        self.assertEqual(whole.to_json(), self.results.to_json())
        self.assertTrue(all(c.equal for c in assay.compare(whole, self.results).values()))
        self.assertRegex(str(assay.merge(parts[:2]).error), "no part has seen the end")
        self.fails(assay.MismatchError, "frames 3 to 3 are in no part", assay.merge, [parts[0], parts[2]])
        self.fails(assay.InputError, "report of a whole run", assay.merge, [self.results])
        self.fails(assay.UsageError, "nothing to merge", assay.merge, [])

    def test_differences_are_found(self):
        other = assay.score(DIS, DIS, metrics="psnr", frames=5)
        found = assay.compare(self.results, other[0])
        y = found["psnr_y"]
        self.assertEqual((y.equal, y.within, y.common, y.differ, y.first), (False, (True, True), 5, 5, 0))
        self.assertEqual(y.values, (self.results["psnr_y"][0], other["psnr_y"][0]))
        self.assertEqual(found["ssim"].within, (True, False))
        self.assertIsNone(found["ssim"].values)
        self.assertEqual(list(found), ["psnr_y", "psnr_cb", "psnr_cr", "ssim", "apsnr_y", "apsnr_cb", "apsnr_cr"])
        same = assay.compare(self.results, self.results)
        self.assertTrue(all(c.equal and c.first is None for c in same.values()))
        pair = assay.score(REF, [DIS, REF], metrics="psnr")
        self.fails(assay.UsageError, "there are 2 encodes", assay.compare, pair, self.results)
        self.assertTrue(assay.compare(pair[0], self.results)["psnr_y"].equal)
        arrays = assay.score(np.zeros((64, 64), np.uint8), np.zeros((64, 64), np.uint8), metrics="psnr")
        self.fails(assay.UsageError, "arrays have none", assay.compare, arrays, self.results)

    def test_rates_are_the_commands(self):
        curves = {"anchor": [(500, 61), (1000, 74.5), (2000, 83), (4000, 90)],
                  "test": [(400, 60.25), (900, 75), (1800, 84), (3500, 91.5)]}
        names = {side: [] for side in curves}
        for side, points in curves.items():
            for i, (rate, value) in enumerate(points):
                names[side].append(self.dir / f"{side}{i}.json")
                names[side][-1].write_text(json.dumps({
                    "frames": [{"frameNum": 0, "metrics": {"vmaf": value}}], "pooled_metrics": {},
                    "assay": {"reference_file": "r.mkv", "distorted_bitrate_kbps": rate}}), encoding="utf-8")
        out = self.dir / "rates.json"
        for method in ("pchip", "akima", "aom", "cubic"):
            command("bdrate", "-q", "--precision", "max", "--method", method, "-m", "vmaf.p5", "--json", out,
                    "--anchor", *names["anchor"], "--test", *names["test"])
            theirs = json.loads(out.read_text(encoding="utf-8"))["results"][0]
            ours = assay.bdrate(names["anchor"], [assay.read(p) for p in names["test"]], "vmaf.p5", method)
            self.assertEqual((ours.rate, ours.figure), (theirs["bd_rate_percent"], theirs["bd_score"]))
            self.assertEqual((ours.figures, ours.cross), ((61.0, 90.0), False))
        doubled = [(path, 2 * rate) for path, (rate, _) in zip(names["anchor"], curves["anchor"])]
        self.assertAlmostEqual(assay.bdrate(names["anchor"], doubled).rate, 100, 9)
        self.fails(assay.UsageError, "a curve has 4 to", assay.bdrate, names["anchor"][:3], names["test"])
        self.fails(assay.UsageError, "no score named", assay.bdrate, names["anchor"], names["test"], "ssim")
        self.fails(assay.UsageError, "not 'spline'", assay.bdrate, names["anchor"], names["test"], "vmaf", "spline")
        self.fails(assay.MismatchError, "have the same rate", assay.bdrate,
                   [(path, 5.0) for path in names["anchor"]], names["test"])
        for rate in (0, -5.0, float("nan")):
            self.fails(assay.UsageError, "is a positive number", assay.bdrate,
                       [(names["anchor"][0], rate), *names["anchor"][1:]], names["test"])


if __name__ == "__main__":
    unittest.main()
