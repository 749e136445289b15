#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Scores of the package `assay` in pandas and matplotlib, where these are installed."""
import unittest

from common import DIS, REF, Case

import assay

QUICK = {"metrics": "psnr"}


class Tables(Case):
    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        results = assay.score(REF, [DIS, REF], **QUICK)
        table = results[0].to_pandas()
        self.assertIsInstance(table, pandas.DataFrame)
        self.assertEqual(list(table.columns), ["time", "psnr_y", "psnr_cb", "psnr_cr"])
        self.assertEqual(table["psnr_y"].tolist(), results[0]["psnr_y"].tolist())
        self.assertEqual(results.to_pandas().loc["ref", "psnr_y"].tolist(), [60] * 8)

    def test_plots(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        results = assay.score(REF, [DIS, REF], **QUICK)
        axes = results.plot("psnr_y", "psnr_cb")
        self.assertEqual([line.get_label() for line in axes.lines],
                         ["dis psnr_y", "dis psnr_cb", "ref psnr_y", "ref psnr_cb"])
        self.assertEqual(axes.lines[0].get_ydata().tolist(), results[0]["psnr_y"].tolist())
        self.assertEqual(axes.lines[0].get_xdata().tolist(), results[0].times.tolist())
        self.assertIs(results[1].plot(axes=axes), axes)


if __name__ == "__main__":
    unittest.main()
