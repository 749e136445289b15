# SPDX-License-Identifier: BSD-2-Clause
"""A video scored in parts: merging gives the bytes of the whole, and refuses parts that do not make one."""
import itertools
import json
import random

from command import INPUT, INTERNAL, MISMATCH, USAGE, Case, main, y4m

METRICS = "psnr=enable_mse=true:enable_apsnr=true,float_psnr,float_moment"
# What looks at other frames, up to four before and two behind.
MOTION = (METRICS + ",motion", METRICS + ",motion=motion_five_frame_window=true:motion_moving_average=true:debug=true")
FORMS = ("json", "xml", "csv", "sub")


class Shards(Case):
    metrics = METRICS

    def whole(self, *args):
        self.passes("-q", "-m", self.metrics, "--reproducible", "--precision", "max",
                    *itertools.chain(*((f"--{f}", f"whole.{f}") for f in FORMS)), *args, "ref.y4m", "dis.y4m")
        return [self.read(f"whole.{f}") for f in FORMS]

    def part(self, first, count, name, *args):
        self.passes("-q", "-m", self.metrics, "--first", first, "--frames", count, "--shard", name, *args,
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

    def test_metrics_that_look_at_other_frames(self):
        self.write("ref.y4m", y4m(frames=11))
        self.write("dis.y4m", y4m(frames=11, noise=3))
        for self.metrics in MOTION:
            for common in ((), ("--every", "2"), ("--every", "4")):
                whole = self.whole(*common)
                for cuts in ([11], [1, 10], [4, 7], [3, 1, 2, 5], [1] * 11):
                    with self.subTest(metrics=self.metrics, common=common, cuts=cuts):
                        names, first = [], 0
                        for i, count in enumerate(cuts):
                            names.append(self.part(first, count, f"part{i}.json", *common, "--in-flight", 1 + i % 3))
                            first += count
                        self.assertEqual(self.merged(*names), whole)

    def test_every_nth_frame_has_the_scores_of_the_whole(self):
        self.pair(frames=9)
        for self.metrics in MOTION:
            whole = json.loads(self.whole()[0])["frames"]
            for every in range(2, 10):
                frames = json.loads(self.whole("--every", every)[0])["frames"]
                self.assertEqual(frames, [f for f in whole if f["frameNum"] % every == 0])

    def test_frames_that_are_left_out_are_no_neighbours(self):
        """--frames without --shard, and skips: what is scored is all there is."""
        self.metrics = MOTION[1]
        self.write("ref.y4m", y4m(frames=8))
        self.write("dis.y4m", y4m(frames=8, noise=3))
        cut = json.loads(self.whole("--skip-ref", 2, "--skip-dis", 2, "--frames", 4)[0])["frames"]
        self.write("ref.y4m", y4m(frames=4, first=2))
        alone = json.loads(self.whole("--skip-dis", 2, "--frames", 4)[0])["frames"]
        motion = [{k: v for k, v in f["metrics"].items() if "motion" in k} for f in cut]
        self.assertEqual(motion, [{k: v for k, v in f["metrics"].items() if "motion" in k} for f in alone])
        self.assertGreater(motion[2]["integer_motion2_mffw_mma"], 0)

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

    def test_without_the_last_part(self):
        """A run whose end nobody has seen is incomplete: reports say so, no gate passes, and exit 5."""
        self.pair(frames=8)
        a, b, c = self.part(0, 3, "a.json"), self.part(3, 3, "b.json"), self.part(6, 2, "c.json")
        for parts, end in ((["a.json"], 3), ([b, a], 6)):
            result = self.fails(MISMATCH, f"frames from {end} on are in no part", "merge", *parts, "--json", "o.json",
                                "--fail-under", "psnr_y=1")
            self.assertIn("incomplete: ", result.out)
            self.assertRegex(result.out, r"(?m)^FAIL  psnr_y\.mean")
            self.assertNotIn("pass", result.out)
            block = json.loads(self.read("o.json"))["assay"]
            self.assertTrue(block["incomplete"])
            self.assertIn("no part has seen the end", block["reason"])
        self.fails(MISMATCH, "incomplete", "merge", "-q", a)
        self.passes("merge", a, b, c, "--fail-under", "psnr_y=1")
        self.passes("merge", a, b, self.part(6, 100, "d.json"))
        self.passes("merge", a, b, self.part(6, 2, "e.json", "--no-progress"))

    def test_without_the_first_part_or_one_between(self):
        self.pair(frames=8)
        a, b, c = self.part(0, 3, "a.json"), self.part(3, 3, "b.json"), self.part(6, 2, "c.json")
        self.refuses(MISMATCH, "frames 0 to 2 are in no part", "merge", b, c)
        self.refuses(MISMATCH, "frames 3 to 5 are in no part", "merge", a, c)

    def test_a_part_that_ends_with_one_input_only(self):
        """A run over all frames would be refused: one input is longer."""
        self.write("ref.y4m", y4m(frames=6))
        self.write("dis.y4m", y4m(frames=8, noise=3))
        self.part(0, 5, "a.json")
        self.refuses(MISMATCH, "--allow-length", "-q", "-m", "psnr", "--first", 5, "--frames", 1, "--shard", "b.json",
                     "ref.y4m", "dis.y4m")
        self.assertFalse((self.dir / "b.json").exists())
        whole = self.whole("--allow-length")
        self.assertEqual(self.merged(self.part(0, 5, "a.json", "--allow-length"),
                                     self.part(5, 1, "b.json", "--allow-length")), whole)

    def test_a_part_behind_the_last_frame(self):
        ref, dis = self.pair(frames=3)
        for how in (["--first", 3], ["--first", 3, "--frames", 2]):
            self.refuses(INPUT, f"{ref} has no frame to score", "-q", "-m", "psnr", *how, "--shard", "a.json", ref, dis)
        self.assertFalse((self.dir / "a.json").exists())

    def test_parts_of_other_inputs(self):
        self.pair(frames=8)
        a, b = self.part(0, 4, "a.json"), self.part(4, 4, "b.json")
        # Another size in bytes is another file; another name of as many bytes is worth a line.
        self.write("dis.y4m", y4m(frames=9, noise=2))
        self.write("ref.y4m", y4m(frames=9))
        self.refuses(MISMATCH, "reference_bytes", "merge", a, self.part(4, 5, "longer.json"))
        self.write("ref.y4m", y4m(frames=8))
        self.write("other.y4m", y4m(frames=8, noise=2))
        self.passes("-q", "-m", METRICS, "--first", 4, "--shard", "other.json", "ref.y4m", "other.y4m")
        result = self.passes("merge", a, "other.json")
        self.assertIn("assay: distorted_file is 'dis.y4m' in a.json and 'other.y4m' in other.json", result.err)
        (self.dir / "folder").mkdir()
        for name in ("ref.y4m", "other.y4m"):
            (self.dir / name).rename(self.dir / "folder" / ("dis.y4m" if name == "other.y4m" else name))
        self.passes("-q", "-m", METRICS, "--first", 4, "--shard", "moved.json", "folder/ref.y4m", "folder/dis.y4m")
        self.assertEqual(self.passes("merge", a, "moved.json").err, "")
        forged = self.read("other.json").replace('"other.y4m"', '"x\\n\\u001b[2J\\nassay: fake\\u009b2J"')
        self.write("forged.json", forged.encode())
        self.assertEqual(self.passes("merge", a, "forged.json").err,
                         "assay: distorted_file is 'dis.y4m' in a.json and 'x??[2J?assay: fake?2J' in forged.json\n")
        self.assertEqual(self.passes("merge", a, b).err, "")

    def test_parts_from_standard_input(self):
        """The file that standard input is redirected from is known by its bytes, as it is under its name."""
        self.pair(frames=9)
        self.write("longer.y4m", (self.dir / "dis.y4m").read_bytes().replace(b"FRAME\n", b"FRAME Xlonger\n"))
        a = self.part(0, 4, "a.json")
        for name in ("dis.y4m", "longer.y4m"):
            with open(self.dir / name, "rb") as stdin:
                self.passes("-q", "-m", METRICS, "--first", 4, "--frames", 5, "--shard", name + ".json", "ref.y4m", "-",
                            stdin=stdin)
        self.passes("merge", a, "dis.y4m.json")
        self.refuses(MISMATCH, "distorted_bytes", "merge", a, "longer.y4m.json")

    def test_not_a_shard(self):
        self.pair(frames=4)
        a = self.part(0, 4, "a.json")
        for name, text in (("empty.json", ""), ("text.json", "hello"), ("list.json", "[]"),
                           ("half.json", self.read(a)[:-40])):
            self.write(name, text.encode())
            self.fails(INPUT, name, "merge", a, name)
        self.fails(INPUT, "nowhere.json", "merge", "nowhere.json")
        self.whole()
        self.fails(INPUT, "whole.json", "merge", "whole.json")

    def test_folders_that_are_missing(self):
        """They are made, as those of a report are."""
        self.pair(frames=2)
        self.passes("-q", "-m", METRICS, "--shard", "new/below/a.json", "ref.y4m", "dis.y4m")
        self.passes("merge", "new/below/a.json")
        self.refuses(INTERNAL, "dis.y4m/a.json: can't be opened for writing", "-q", "-m", METRICS, "--shard",
                     "dis.y4m/a.json", "ref.y4m", "dis.y4m")

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

    def test_directions_and_times_of_a_merged_run(self):
        self.pair(frames=5)
        a, b = self.part(0, 2, "a.json"), self.part(2, 3, "b.json")
        self.passes("merge", a, b, "--json", "o.json")
        report = json.loads(self.read("o.json"))
        self.assertEqual([f["time"] for f in report["frames"]], [0, 0.04, 0.08, 0.12, 0.16])
        figures = report["assay"]["percentiles"]["mse_y"]
        self.assertEqual(figures["worst_frame"], figures["max_frame"])

    def test_table(self):
        self.pair(frames=4)
        a, b = self.part(0, 2, "a.json"), self.part(2, 2, "b.json")
        self.assertIn("4 frames", self.passes("merge", a, b).out)


if __name__ == "__main__":
    main()
