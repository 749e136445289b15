# SPDX-License-Identifier: BSD-2-Clause
"""assay report: forms of results that exist already have the bytes that the scoring command writes."""
import ctypes.util
import json
import os
import unittest

from command import DIS, GATE, INPUT, INTERNAL, REF, USAGE, Case, main, moving, y4m

ONE = {"json": "json", "xml": "xml", "csv": "csv", "sub": "sub", "html": "html", "svg": "plot"}
if os.environ.get("ASSAY_PNG") and (os.environ.get("CI") or ctypes.util.find_library("rsvg-2")):
    ONE["png"] = "plot"


class Report(Case):
    def forms(self, names, folder, place=""):
        """Options that write each form into a folder."""
        return [word for name in names for word in (f"--{ONE.get(name, name)}", f"{folder}/{place}s.{name}")]

    def same(self, *args, names=tuple(ONE), place="", also=(), code=0):
        """Each form from the JSON report has the bytes that the run wrote."""
        how = [*self.forms(names, "run", place), "--thumbnails", "0", *also]
        scored = self.run_assay("-q", "--precision", "max", "--json", "s.json", "--force", *args, *how)
        self.assertEqual(scored.code, code, scored)
        how = [*self.forms(names, "told", place), "--thumbnails", "0", *also]
        told = self.run_assay("report", "-q", "s.json", "--force", "--precision", "max", *how)
        self.assertEqual(told.code, 1 if code == 1 else 0, told)
        self.assertEqual(told.err, "")
        written = sorted(f.name for f in (self.dir / "run").iterdir())
        self.assertEqual(written, sorted(f.name for f in (self.dir / "told").iterdir()))
        self.assertGreaterEqual(len(written), len(names))
        for name in written:
            self.assertEqual((self.dir / "run" / name).read_bytes(), (self.dir / "told" / name).read_bytes(), name)

    def test_each_form(self):
        self.same("-m", "all", REF, DIS)

    def test_other_precisions(self):
        """The report is exact; its forms may have any number of decimals."""
        self.passes("-q", "-m", "vmaf,psnr", "--precision", "max", "--json", "s.json", REF, DIS)
        for how in ([], ["--precision", "3"], ["--precision", "max"], ["--reproducible"]):
            run = ["-q", "--thumbnails", "0", "--force", "--reproducible", "-m", "vmaf,psnr", *how]
            self.passes(*run, *self.forms(ONE, "run"), REF, DIS)
            self.passes("report", "-q", "s.json", "--thumbnails", "0", "--force", "--reproducible", *how,
                        *self.forms(ONE, "told"))
            for name in ONE:
                self.assertEqual((self.dir / "run" / f"s.{name}").read_bytes(),
                                 (self.dir / "told" / f"s.{name}").read_bytes(), (name, how))

    def test_gates_are_of_this_command(self):
        self.same("-m", "psnr", REF, DIS, also=("--fail-under", "psnr_y=90"), code=GATE)
        self.same("-m", "psnr", REF, DIS, also=("--fail-under", "psnr_y.p5=9", "--fail-over", "psnr_cb=90",
                                                "--allow-reversed-gates"))
        self.refuses(USAGE, "nonsense", "report", "-q", "s.json", "--fail-under", "nonsense=1")

    def test_what_is_no_number(self):
        """Infinities are null in JSON; the digests of the scores tell what they were."""
        self.same("-m", "psnr=enable_mse=true:min_sse=0,xpsnr,float_psnr,psnr_hvs", REF, REF,
                  names=(*ONE, "xpsnr-log"))

    def test_frames_of_a_part_and_frames_that_are_left_out(self):
        self.same("-m", "psnr", "--first", "1", "--frames", "2", REF, DIS)
        self.same("-m", "psnr", "--every", "2", "--skip-ref", "1", "--skip-dis", "1", REF, DIS)
        self.same("-m", "psnr", "--frames", "1", REF, DIS)

    def test_times_that_are_rounded(self):
        """Times of 24000/1001 frames a second are no whole nanoseconds, nor doubles."""
        self.same("-m", "psnr", *self.pair(frames=14, rate="24000:1001"))

    def test_sides_that_were_changed(self):
        self.write("small.y4m", y4m(width=32, height=24, frames=3))
        self.write("large.y4m", y4m(width=64, height=48, frames=3, noise=2))
        self.same("-m", "psnr", "--scale", "bicubic", "large.y4m", "small.y4m")
        self.same("-m", "psnr", "--crop-ref", "32x24+8+8", "large.y4m", "small.y4m")
        self.same("-m", "psnr", "--crop-ref", "40x24+8+8", "--scale", "bicubic", "large.y4m", "small.y4m")

    def test_frames_that_are_paired_by_time(self):
        self.write("ref.y4m", moving(0, 8))
        self.write("half.y4m", moving(0, 4, rate="25:2"))
        self.same("-m", "psnr", "--pair", "time", "ref.y4m", "half.y4m")

    def test_a_run_that_ended_early(self):
        data = y4m(frames=4)
        self.write("whole.y4m", data)
        self.write("cut.y4m", data[:-700])
        self.same("-m", "psnr", "whole.y4m", "cut.y4m", code=INPUT)

    def test_reports_of_the_front_of_libvmaf(self):
        how = ("-q", "-r", REF, "-d", DIS, "--feature", "psnr", "--precision", "max")
        self.passes("vmaf", *how, "-o", "s.json", "--json")
        for form in ("xml", "csv", "sub"):
            self.passes("vmaf", *how, "-o", f"run.{form}", f"--{form}")
            self.passes("report", "-q", "s.json", "--precision", "max", f"--{form}", f"told.{form}")
            texts = [self.read(f"{which}.{form}").split("fps=") for which in ("run", "told")]
            for k, text in enumerate(texts): # each run has a rate of its own
                texts[k] = [text[0], *(rest[rest.index(" "):] for rest in text[1:])]
            self.assertEqual(texts[0], texts[1], form)

    def test_several_encodes(self):
        size = {"width": 64, "height": 48, "frames": 4}
        ref, dis = self.pair(**size)
        self.write("b.y4m", y4m(noise=9, **size))
        self.write("grey.y4m", y4m(chroma="mono", noise=4, **size))
        joint = [name for name in ONE if name not in ("xml", "sub")]
        self.same("-m", "psnr,xpsnr", ref, dis, "b.y4m", names=joint)
        self.same("-m", "psnr,xpsnr", ref, dis, "b.y4m", place="{name}-")
        # Grey is a run of its own, with a rate of its own, and the JSON has one rate.
        self.same("-m", "psnr", "--allow-format", "--reproducible", ref, dis, "grey.y4m", "b.y4m", names=joint)
        self.write("cut.y4m", y4m(**size)[:-700])
        self.same("-m", "psnr", "--reproducible", ref, dis, "cut.y4m", names=joint, code=INPUT)
        self.same("-m", "psnr", "--reproducible", ref, dis, "missing.y4m", "b.y4m", names=joint, code=INPUT)
        self.same("-m", "psnr", "--reproducible", ref, dis, "b.y4m", names=joint, also=("--fail-under", "psnr_y=38"),
                  code=GATE)
        for form in ("xml", "sub", "xpsnr-log"):
            self.refuses(USAGE, ["one encode", "{name}"], "report", "-q", "s.json", f"--{form}", "one")
        table = self.passes("report", "s.json").out
        self.assertIn("ref.y4m: 2 encodes", table)

    def test_the_table(self):
        # A report has the rate with two decimals, of which the table's one need not be that of the run.
        options = "--precision", "max", "--reproducible"
        scored = self.passes("-m", "vmaf,psnr", *options, "--json", "s.json", REF, DIS).out
        told = self.passes("report", "s.json", "--precision", "max").out
        self.assertEqual(scored.splitlines()[1:], told.splitlines()[1:])
        self.assertEqual(self.passes("report", "s.json", "--csv", "-").out.splitlines()[0].split(",")[0], "Frame")

    def test_lines_that_say_what_is_not_equal(self):
        self.passes("-q", "-m", "psnr", "--json", "six.json", REF, DIS)
        self.passes("-q", "-m", "psnr", "--json", "s.json", "--precision", "max", REF, DIS)
        self.refuses(USAGE, "rounded", "report", "six.json", "--json", "a.json")
        result = self.passes("report", "six.json", "--csv", "a.csv")
        self.assertEqual(len(result.err.splitlines()), 1)
        self.assertIn("rounded", result.err)
        self.passes("-q", "-m", "psnr", "--csv", "b.csv", REF, DIS)
        self.assertEqual(self.read("a.csv"), self.read("b.csv")) # six decimals of six decimals
        result = self.passes("report", "s.json", "--html", "a.html")
        self.assertEqual(len(result.err.splitlines()), 1)
        self.assertIn("no pictures", result.err)
        self.assertIn("assay report has the scores and not the videos", self.read("a.html"))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_other_reports_survive_one_that_fails(self):
        """Behind standard output that can't be written they are marked incomplete; behind a file they are whole."""
        self.passes("-q", "-m", "psnr", "--precision", "max", "--json", "s.json", REF, DIS)
        frames = len(json.loads(self.read("s.json"))["frames"])
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.fails(INTERNAL, "stdout: can't be written", "report", "-q", "s.json", "--json", "a.json", "--csv", "-",
                       stdout=full)
        told = json.loads(self.read("a.json"))
        self.assertTrue(told["assay"]["incomplete"])
        self.assertIn("stdout", told["assay"]["reason"])
        self.assertLess(len(told["frames"]), frames)
        self.fails(INTERNAL, "/dev/full: can't be written", "report", "-q", "s.json", "--json", "b.json", "--csv",
                   "/dev/full")
        told = json.loads(self.read("b.json"))
        self.assertFalse(told["assay"]["incomplete"])
        self.assertEqual(len(told["frames"]), frames)

    def test_refusals(self):
        self.refuses(USAGE, "one report", "report", "--csv", "a.csv")
        self.refuses(USAGE, "one report", "report", "a.json", "b.json")
        self.refuses(INPUT, "no.json", "report", "no.json")
        self.refuses(USAGE, "'--frames' is not for 'assay report'", "report", "a.json", "--frames", "3")
        for text in ("", "{", "[]", "null", '{"frames": [], "pooled_metrics": {}}',
                     '{"encodes": []}', '{"encodes": [{"name": "a"}]}'):
            self.write("bad.json", text.encode())
            self.refuses(INPUT, "bad.json", "report", "bad.json", "--csv", "never.csv")
        self.passes("-q", "-m", "psnr", "--json", "s.json", REF, DIS)
        good = json.loads(self.read("s.json"))
        for change in ({"configuration": None}, {"configuration": "nonsense"}, {"configuration": "float_ssim"},
                       {"scored_layout": 99}, {"scored_bit_depth": 77}, {"version": 3}, {"width": -1}):
            self.write("bad.json", json.dumps({**good, "assay": {**good["assay"], **change}}).encode())
            self.refuses(INPUT, "bad.json", "report", "-q", "bad.json", "--csv", "never.csv")
        self.refuses_changed(good)
        self.assertFalse((self.dir / "never.csv").exists())
        self.refuses(USAGE, "inputs", "report", "-q", "s.json", "--csv", "s.json", "--force")
        self.refuses(USAGE, "--force", "report", "-q", "s.json", "--csv", self.write("notes", b"mine\n"))

    def refuses_changed(self, good):
        """What was cut out of a report or is no number in it is no result."""
        frames, block = good["frames"], good["assay"]
        for says, change in (("the scores of 7 frames and not of 8", {"frames": frames[:3] + frames[4:]}),
                             ("the scores of 0 frames and not of 8", {"frames": []}),
                             ("the scores of 8 frames and not of 9", {"assay": {**block, "frames": 9}}),
                             ("'frames' is no whole number", {"assay": {**block, "frames": "8"}}),
                             ("'width' is no whole number", {"assay": {**block, "width": "352"}}),
                             ("'incomplete' is neither", {"assay": {**block, "incomplete": "true"}}),
                             ("frame 0 are damaged", {"frames": [{**frames[0], "time": "0"}, *frames[1:]]}),
                             ("frame 0 are damaged", {"frames": [{**frames[0], "metrics": {"psnr_y": "35"}},
                                                                 *frames[1:]]}),
                             ("a score that the first one lacks", {"frames": [*frames[:3], {**frames[3], "metrics": {
                                 "later": 1, **frames[3]["metrics"]}}, *frames[4:]]}),
                             ("of the number 0", {"pooled_metrics": {**good["pooled_metrics"], "psnr_y\0": {}}})):
            self.write("bad.json", json.dumps({**good, **change}).encode())
            for command in (["report", "-q", "bad.json", "--csv", "never.csv"], ["diff", "s.json", "bad.json"]):
                self.refuses(INPUT, says, *command)


if __name__ == "__main__":
    main()
