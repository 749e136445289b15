# SPDX-License-Identifier: BSD-2-Clause
"""assay diff: two reports with the same bits, with others, and what else differs."""
import json
import math
import re
import shutil
import struct

from command import DIS, GATE, INPUT, PASS, REF, USAGE, Case, main, y4m

METRICS = "psnr=enable_mse=true:enable_apsnr=true,float_ssim,diff"


def fnv(words):
    """FNV-1a of 64 bits over words of eight bytes."""
    digest = 0xcbf29ce484222325
    for byte in b"".join(words):
        digest = (digest ^ byte) * 0x100000001b3 % 2**64
    return f"{digest:016x}"


class Diff(Case):
    def report(self, name, *args, ref=REF, dis=DIS, metrics=METRICS, code=PASS):
        self.assertEqual(self.run_assay("-q", "-m", metrics, "--json", name, *args, ref, dis).code, code)
        return json.loads(self.read(name))

    def differ(self, *says):
        result = self.run_assay("diff", "a.json", "b.json")
        self.assertEqual(result.code, GATE, result)
        self.assertEqual(result.err, "")
        for text in says:
            self.assertRegex(result.out, text)
        self.assertEqual(self.run_assay("diff", "-q", "a.json", "b.json").out, "")
        self.assertEqual(self.run_assay("diff", "-q", "a.json", "b.json").code, GATE)
        return result.out

    def test_equal(self):
        """Threads, precision and the frame rate are no scores."""
        self.report("a.json", "--threads", 1)
        self.report("b.json", "--threads", 2, "--precision", "max", "--reproducible", "--fail-under", "psnr_y=1")
        out = self.passes("diff", "a.json", "b.json").out
        self.assertIn("threads: 1 and 2\n", out)
        self.assertRegex(out, r"scores, 8 frames: the same bits\n\Z")
        self.assertEqual(self.passes("diff", "-q", "a.json", "b.json").out, "")
        self.assertEqual(len(self.passes("diff", "a.json", "a.json").out.splitlines()), 1)

    def test_digests_are_those_of_the_numbers(self):
        """With --precision max the text of every number reads back to the bits that were scored."""
        report = self.report("a.json", "--precision", "max")
        for key, digest in report["assay"]["bits"].items():
            if key in report["aggregate_metrics"]:
                rows = [(0, report["aggregate_metrics"][key])]
            else:
                rows = [(f["frameNum"], f["metrics"][key]) for f in report["frames"]]
            self.assertEqual(fnv(struct.pack("<Qd", *row) for row in rows), digest, key)
        self.assertEqual(set(report["assay"]["bits"]),
                         set(report["frames"][0]["metrics"]) | set(report["aggregate_metrics"]))
        self.assertEqual(report["assay"]["bits"], self.report("b.json")["assay"]["bits"])

    def test_one_sample_by_one_step(self):
        self.write("r.y4m", y4m(frames=5))
        data = bytearray(y4m(frames=5, noise=3))
        self.write("d.y4m", bytes(data))
        data[[m.start() for m in re.finditer(b"FRAME\n", data)][3] + 50] ^= 1
        self.write("e.y4m", bytes(data))
        for precision in ("0", "6", "max"):
            a = self.report("a.json", "--precision", precision, ref="r.y4m", dis="d.y4m")
            b = self.report("b.json", "--precision", precision, ref="r.y4m", dis="e.y4m")
            out = self.differ(r"distorted_file: \"d.y4m\" and \"e.y4m\"", r"(?m)^\d+ of \d+ scores differ$")
            for key in ("psnr_y", "mse_y", "float_ssim", "apsnr_y"):
                self.assertNotEqual(a["assay"]["bits"][key], b["assay"]["bits"][key])
                self.assertRegex(out, rf"(?m)^{key}: ")
            for key in ("psnr_cb", "mse_cr", "apsnr_cb"):
                self.assertEqual(a["assay"]["bits"][key], b["assay"]["bits"][key])
                self.assertNotRegex(out, rf"(?m)^{key}: ")
            if precision == "0":
                self.assertRegex(out, r"(?m)^float_ssim: its bits differ, and the decimals .* do not show where")
                self.assertRegex(out, r"(?m)^apsnr_y: \d+ and \d+ \(their bits differ\)$")
            else:
                self.assertRegex(out, r"(?m)^mse_y: differs in 1 of 5 frames, by at most \S+; first in frame 3: ")

    def test_one_bit_of_one_number(self):
        """The smallest change of a number that --precision max wrote is another number."""
        report = self.report("a.json", "--precision", "max")
        value = report["frames"][2]["metrics"]["float_ssim"]
        text = self.read("a.json").replace(repr(value), repr(math.nextafter(value, 2)), 1)
        self.write("b.json", text.replace(report["assay"]["bits"]["float_ssim"], "0" * 16).encode())
        self.differ(r"float_ssim: differs in 1 of 8 frames, by at most \S+; first in frame 2: ", "1 of")

    def test_other_frames_metrics_and_options(self):
        self.report("a.json", "--precision", "max")
        self.report("b.json", "--precision", "max", "--frames", 5)
        self.differ("frames: 8 and 5", "float_ssim: the same bits in the 5 frames that both have")
        self.report("b.json", metrics="psnr,ssim")
        self.differ("(?m)^mse_y: only in a.json$", "(?m)^ssim: only in b.json$",
                    "(?m)^configuration: psnr: enable_mse=true and enable_mse=false$",
                    "(?m)^configuration: float_ssim only in a.json$", "(?m)^configuration: ssim only in b.json$")
        self.report("b.json", "--skip-ref", 1, "--skip-dis", 1)
        self.differ("(?m)^first_reference_frame: 0 and 1$", "(?m)^time: differs from frame 0 on$")
        self.write("short.y4m", y4m(frames=2)[:-5])
        self.write("r.y4m", y4m(frames=2))
        self.report("a.json", ref="r.y4m", dis="r.y4m")
        self.report("b.json", ref="r.y4m", dis="short.y4m", code=INPUT)
        self.differ("(?m)^incomplete: false and true$", "(?m)^reason: null and ")

    def test_configurations(self):
        """What differs is said, and nothing else of them."""
        def told(a, b):
            report = self.report("c.json", metrics="psnr")
            for name, text in (("a.json", a), ("b.json", b)):
                report["assay"]["configuration"] = text
                self.write(name, json.dumps(report).encode())
            return self.passes("diff", "a.json", "b.json").out.splitlines()[:-1]
        self.assertEqual(told("x=a=1:b=2,y=c=3", "y=c=3,x=a=1:b=2"), [])
        self.assertEqual(told("x=a=1:b=2,y=c=3", "x=a=1:b=3:d=4,y=c=3"),
                         ["configuration: x: b=2 and b=3", "configuration: x: not stated and d=4"])
        self.assertEqual(told("x=a=1:b=2", "x=b=2"), ["configuration: x: a=1 and not stated"])
        self.assertEqual(told("x=a=1,x=a=2", "x=a=2"), ["configuration: x=a=1 only in a.json"])
        self.assertEqual(told("x,y", "x=a=1,z"), ["configuration: y only in a.json",
                                                  "configuration: x: not stated and a=1",
                                                  "configuration: z only in b.json"])
        self.assertEqual(told("x", None), ['configuration: "x" and null'])
        out = told("x=a=" + "1" * 2000 + ":b=1", "x=a=" + "1" * 2000 + ":b=2")
        self.assertEqual(out, ["configuration: x: b=1 and b=2"])

    def test_two_precisions(self):
        """Numbers are compared with the decimals that both have, and that is said."""
        self.write("r.y4m", y4m(frames=5))
        data = bytearray(y4m(frames=5, noise=3))
        self.write("d.y4m", bytes(data))
        data[[m.start() for m in re.finditer(b"FRAME\n", data)][3] + 50] ^= 8
        self.write("e.y4m", bytes(data))
        for one, other, said in (("2", "6", "2 decimals and 6 decimals"), ("6", "2", "6 decimals and 2 decimals"),
                                 ("max", "2", "exact numbers and 2 decimals"),
                                 ("1", "max", "1 decimal and exact numbers")):
            self.report("a.json", "--precision", one, ref="r.y4m", dis="d.y4m")
            self.report("b.json", "--precision", other, ref="r.y4m", dis="d.y4m")
            out = self.passes("diff", "a.json", "b.json").out
            self.assertIn(f"precision: {said}; digests of the exact scores are compared\n", out)
            self.report("b.json", "--precision", other, ref="r.y4m", dis="e.y4m")
            d = min(one, other)
            plural = "" if d == "1" else "s"
            out = self.differ(rf"(?m)^precision: {said};",
                              rf"(?m)^mse_y: differs in 1 of 5 frames at the {d} decimal{plural} that both have, by at "
                              rf"most 0\.\d+; first in frame 3: \d+(\.\d{{1,{d}}})? and \d+(\.\d{{1,{d}}})?$")
            self.assertNotIn("differs in 5", out)
        self.report("b.json", "--precision", "1", ref="r.y4m", dis="d.y4m")
        self.assertNotIn("precision: ", self.passes("diff", "b.json", "b.json").out)

    def test_as_many_decimals_as_there_are(self):
        """A number below 0.5 may need more than 16 or 17 decimals."""
        for one, other, said in (("16", "max", "16 decimals and exact numbers"), ("17", "16", "17 decimals and 16"),
                                 ("max", "17", "exact numbers and 17 decimals")):
            self.report("a.json", "--precision", one, metrics="adm")
            self.report("b.json", "--precision", other, metrics="adm")
            self.assertIn(f"precision: {said}", self.passes("diff", "a.json", "b.json").out)
            self.report("b.json", "--precision", other, metrics="adm", dis=REF)
            self.differ("integer_adm2: differs in 8 of 8 frames")

    def test_numbers_that_were_changed(self):
        """The digests stay what they were; the numbers differ all the same."""
        for digits, other, step in (("6", "6", 1e-6), ("max", "max", 1e-12), ("6", "max", 2e-6), ("max", "3", 0.002)):
            report = self.report("a.json", "--force", "--precision", digits)
            self.report("b.json", "--precision", other)
            self.passes("diff", "a.json", "b.json")
            value = report["frames"][3]["metrics"]["psnr_y"] + step
            report["frames"][3]["metrics"]["psnr_y"] = round(value, 6) if digits == "6" else value
            self.write("a.json", json.dumps(report).encode())
            self.differ("psnr_y: differs in 1 of 8 frames.*first in frame 3", "1 of [0-9]+ scores differ")
            report["frames"][3]["metrics"]["psnr_y"] = None
            self.write("a.json", json.dumps(report).encode())
            self.differ("psnr_y: differs in 1 of 8 frames.*first in frame 3", "1 of [0-9]+ scores differ")

    def test_frames_whose_numbers_were_changed(self):
        for digits in ("6", "max"):
            report = self.report("a.json", "--force", "--precision", digits, "--every", "2")
            report["frames"][2]["frameNum"] += 1
            self.write("b.json", json.dumps(report).encode())
            self.differ("psnr_y: the same numbers in the 3 frames that both have", "[0-9]+ of [0-9]+ scores differ")

    def test_a_frame_that_was_taken_away(self):
        report = self.report("whole.json")
        del report["frames"][5]
        report["assay"]["frames"] = 7
        for names in (("a.json", "b.json"), ("b.json", "a.json")):
            shutil.copy(self.dir / "whole.json", self.dir / names[0])
            self.write(names[1], json.dumps(report).encode())
            self.differ("psnr_y: the same numbers in the 7 frames that both have", "[0-9]+ of [0-9]+ scores differ")

    def test_one_side_has_fewer_frames(self):
        for names in (("a.json", "b.json"), ("b.json", "a.json")):
            for name, frames in zip(names, ("6", "3")):
                self.report(name, "--force", "--frames", frames)
            self.differ("psnr_y: the same numbers in the 3 frames that both have")

    def test_decimals_are_those_of_the_text(self):
        """A rounded number that ends in a zero has the decimals that were asked for."""
        self.report("c.json", "--precision", 3, "--frames", 1, metrics="psnr=enable_chroma=false")
        for name, number, digest in ("a.json", "32.590", "1"), ("b.json", "32.594", "2"):
            text = re.sub(r'"psnr_y": [0-9.]+', f'"psnr_y": {number}', self.read("c.json"))
            self.write(name, re.sub(r'"psnr_y": "\w+"', f'"psnr_y": "{digest * 16}"', text).encode())
        out = self.differ(r"(?m)^psnr_y: differs in 1 of 1 frames, by at most 0\.00\d+; first in frame 0: 32\.59 and "
                          r"32\.594$")
        self.assertNotIn("precision: ", out)

    def test_version_and_rates(self):
        report = self.report("a.json")
        report["assay"]["version"] = "9.9"
        self.write("b.json", json.dumps(report).encode())
        self.assertRegex(self.passes("diff", "a.json", "b.json").out, 'version: "[^"]*" and "9.9"')

    def test_refusals(self):
        self.report("a.json")
        self.refuses(USAGE, "two reports", "diff", "a.json")
        self.refuses(USAGE, "more than two", "diff", "a.json", "a.json", "a.json")
        self.refuses(USAGE, "--json", "diff", "a.json", "a.json", "--json", "o.json")
        self.refuses(INPUT, "nowhere.json", "diff", "a.json", "nowhere.json")
        for pair in (("a.json", "-"), ("-", "a.json")):
            self.refuses(USAGE, "'-'; /dev/stdin", "diff", *pair)
        whole = self.read("a.json")
        for name, text in (("empty", ""), ("half", whole[:-40]), ("list", "[]"), ("number", "3"),
                           ("libvmaf", '{"version": "3.0.0", "frames": [], "aggregate_metrics": {}}'),
                           ("frames", whole.replace('"frameNum": 3', '"frameNum": null')),
                           ("bits", re.sub(r'"mse_y": "[0-9a-f]{16}"', '"mse_y": 7', whole))):
            self.write(name, text.encode())
            for pair in (("a.json", name), (name, "a.json")):
                self.refuses(INPUT, [name, "no report"], "diff", *pair)
        self.assertIn("assay diff", self.passes("diff", "--help").out)


if __name__ == "__main__":
    main()
