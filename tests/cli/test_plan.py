# SPDX-License-Identifier: BSD-2-Clause
"""assay batch plans a list of a million rows within 30 seconds of processor time: a pair, and a report of each row."""
import os
import resource
import unittest

from command import USAGE, Case, main, y4m

ROWS, SECONDS, BYTES_OF_A_ROW = 1000000, 30, 1500


@unittest.skipIf(os.environ.get("ASSAY_SANITIZED") == "1", "a sanitizer's own time is measured")
class Plan(Case):
    def plan(self, heading, row):
        """All of the plan: that the summary is an input is seen when the places of all files are compared."""
        self.write("jobs.csv", (heading + "".join(row.format(i) for i in range(ROWS))).encode())
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.fails(USAGE, "the summary is an input of a job, too", "batch", "jobs.csv", "--summary", "ref.y4m")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{row!r}: {took:.1f} s, {after.ru_maxrss / 1024:.0f} MB")
        self.assertLess(took, SECONDS)
        self.assertLess(after.ru_maxrss * 1024, BYTES_OF_A_ROW * ROWS)

    def test_a_pair(self):
        self.write("ref.y4m", y4m(frames=1))
        self.write("dis.y4m", y4m(frames=1, first=1))
        (self.dir / "out").mkdir()
        self.plan("reference,distorted,metric,json\n", "ref.y4m,dis.y4m,psnr,out/{}.json\n")
        self.plan("reference,distorted,options\n", "ref.y4m,dis.y4m,-m psnr --fail-under psnr_y={}e-6\n")


if __name__ == "__main__":
    main()
