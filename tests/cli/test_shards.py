# SPDX-License-Identifier: BSD-2-Clause
"""A video scored in parts: merging gives the bytes of the whole, and refuses parts that do not make one."""
import itertools
import json
import random

from command import INPUT, MISMATCH, USAGE, Case, main, y4m

METRICS = "psnr=enable_mse=true:enable_apsnr=true,float_psnr,float_moment"
FORMS = ("json", "xml", "csv", "sub")


class Shards(Case):
    def whole(self, *args):
        self.passes("-q", "-m", METRICS, "--reproducible", "--precision", "max",
                    *itertools.chain(*((f"--{f}", f"whole.{f}") for f in FORMS)), *args, "ref.y4m", "dis.y4m")
        return [self.read(f"whole.{f}") for f in FORMS]

    def part(self, first, count, name, *args):
        self.passes("-q", "-m", METRICS, "--first", first, "--frames", count, "--shard", name, *args,
                    "ref.y4m", "dis.y4m")
        return name

    def merged(self, *parts):
        self.passes("merge", "--reproducible", "--precision", "max",
                    *itertools.chain(*((f"--{f}", f"merged.{f}") for f in FORMS)), *parts)
        return [self.read(f"merged.{f}") for f in FORMS]

    def test_bytes_of_the_whole(self):
        self.pair(frames=9)
        whole = self.whole()
        for cuts in ([9], [1, 8], [4, 5], [3, 3, 3], [1] * 9):
            with self.subTest(cuts=cuts):
                names, first = [], 0
                for i, count in enumerate(cuts):
                    names.append(self.part(first, count, f"part{i}.json"))
                    first += count
                random.Random(len(cuts)).shuffle(names)
                self.assertEqual(self.merged(*names), whole)

    def test_every_and_skips(self):
        self.write("ref.y4m", y4m(frames=11))
        self.write("dis.y4m", y4m(frames=10, first=1, noise=3))
        common = ("--skip-ref", "1", "--every", "3")
        whole = self.whole(*common)
        for cuts in ([5, 5], [1, 2, 7], [4, 6]):
            names, first = [], 0
            for i, count in enumerate(cuts):
                names.append(self.part(first, count, f"part{i}.json", *common))
                first += count
            self.assertEqual(self.merged(*names), whole)

    def test_threads_of_the_parts_do_not_matter(self):
        self.pair(frames=6)
        whole = self.whole("--threads", "1")
        a, b = self.part(0, 3, "a.json", "--threads", "2"), self.part(3, 3, "b.json", "--threads", "3")
        merged = self.merged(a, b)
        self.assertEqual(json.loads(merged[0])["frames"], json.loads(whole[0])["frames"])
        self.assertEqual(json.loads(merged[0])["aggregate_metrics"], json.loads(whole[0])["aggregate_metrics"])
        self.assertEqual(merged[2:], whole[2:])

    def test_gap_overlap_and_other_runs(self):
        self.pair(frames=8)
        a, b, c = self.part(0, 4, "a.json"), self.part(4, 4, "b.json"), self.part(5, 3, "c.json")
        d = self.part(3, 3, "d.json")
        self.fails(MISMATCH, "no part", "merge", a, c)
        self.fails(MISMATCH, "both in", "merge", a, d)
        self.fails(MISMATCH, "both in", "merge", a, b, b)
        for how in (["-m", "psnr"], ["-m", METRICS.replace("enable_mse=true", "enable_mse=false")],
                    ["-m", METRICS, "--skip-ref", "1", "--allow-length"], ["-m", METRICS, "--every", "2"]):
            self.passes("-q", *how, "--first", "4", "--shard", "other.json", "ref.y4m", "dis.y4m")
            self.fails(MISMATCH, "different runs", "merge", a, "other.json")

    def test_not_a_shard(self):
        self.pair(frames=4)
        a = self.part(0, 4, "a.json")
        for name, text in (("empty.json", ""), ("text.json", "hello"), ("list.json", "[]"), ("half.json", self.read(a)[:-40])):
            self.write(name, text.encode())
            self.fails(INPUT, name, "merge", a, name)
        self.fails(INPUT, "nowhere.json", "merge", "nowhere.json")
        self.whole()
        self.fails(INPUT, "whole.json", "merge", "whole.json")

    def test_usage(self):
        self.refuses(USAGE, "", "merge")
        self.pair(frames=2)
        a = self.part(0, 2, "a.json")
        self.refuses(USAGE, "--no-such", "merge", a, "--no-such")

    def test_gates_of_a_merged_run(self):
        self.pair(frames=4)
        a, b = self.part(0, 2, "a.json"), self.part(2, 2, "b.json")
        self.passes("merge", a, b, "--fail-under", "psnr_y=1")
        self.assertEqual(self.run_assay("merge", a, b, "--fail-under", "psnr_y=99").code, 1)
        self.assertEqual(self.run_assay("merge", a, b, "--fail-under", "apsnr_y=99").code, 1)

    def test_table(self):
        self.pair(frames=4)
        a, b = self.part(0, 2, "a.json"), self.part(2, 2, "b.json")
        self.assertIn("4 frames", self.passes("merge", a, b).out)


if __name__ == "__main__":
    main()
