# SPDX-License-Identifier: BSD-2-Clause
"""assay align, --align auto, and the line about shifted pairs. Where the ffmpeg program is there, it makes most of the
pairs; each has a known answer."""
import json
import os
import re
import shutil
import subprocess
import unittest

from command import DIS, GATE, INPUT, MISMATCH, PASS, REF, USAGE, Case, main, moving, y4m

HAVE = shutil.which("ffmpeg")
W, H = 192, 108
SHIFTED = GATE

TESTSRC, MANDELBROT = "testsrc2=s=192x108:r=25", "mandelbrot=s=192x108:r=25"
LIFE = "life=s=192x108:r=25:mold=10:ratio=0.3:seed=5:life_color=#c8ffc8:death_color=#003300"
X264 = ["-c:v", "libx264", "-preset", "fast", "-threads", "1"]


class Align(Case):
    def align(self, ref, dis, *options):
        """What the JSON says. The exit code has to agree with it."""
        result = self.run_assay("align", ref, dis, "--json", "-", *options)
        self.assertIn(result.code, (PASS, SHIFTED, MISMATCH), result)
        found = json.loads(result.out)
        same = found["offset"] == 0 and found["constant"]
        self.assertEqual(result.code, MISMATCH if found["word"] != "certain" else PASS if same else SHIFTED, result)
        self.assertEqual(found["word"] == "certain", found["confidence"] >= 0.5)
        self.assertEqual(found["reason"] is None, found["word"] == "certain")
        return found

    def is_offset(self, offset, ref, dis, *options):
        found = self.align(ref, dis, *options)
        self.assertEqual((found["word"], found["offset"], found["constant"]), ("certain", offset, True), found)
        self.assertEqual(found["skip_dis"] - found["skip_ref"], offset)
        self.assertEqual(found["dropped"] + found["repeated"] + found["inserted"], [])
        return found

    def not_certain(self, why, ref, dis, *options):
        found = self.align(ref, dis, *options)
        self.assertEqual(found["word"], "not certain", found)
        self.assertNotIn("skip_ref", found)
        if why:
            self.assertIn(why, found["reason"])
        return found


class Made(Align):
    """Files that are made here."""

    def test_offsets(self):
        self.write("a.y4m", moving(20, 50))
        for offset in (0, 1, -1, 5, -13):
            name = self.write("b.y4m", moving(20 - offset, 50))
            found = self.is_offset(offset, "a.y4m", name)
            first = max(0, -offset)
            self.assertEqual(found["segments"], [{"reference": first, "distorted": first + offset, "offset": offset,
                                                  "frames": 50 - abs(offset), "confidence": found["confidence"]}])
            self.assertEqual(found["search"], [-42, 42])
        self.assertEqual(found["version"].split()[0], "assay")
        self.assertEqual(found["reference"], {"file": "a.y4m", "first": 0, "frames": 50})

    def test_text(self):
        self.write("a.y4m", moving(0, 40))
        self.write("b.y4m", moving(3, 40))
        result = self.run_assay("align", "a.y4m", "b.y4m")
        self.assertEqual(result.code, SHIFTED)
        self.assertIn("b.y4m against a.y4m: 40 and 40 frames, offsets -32 to +32\n", result.out)
        self.assertIn("distorted frame n - 3 shows reference frame n\n", result.out)
        self.assertIn("reference 3 to 39 = distorted 0 to 36\n", result.out)
        self.assertIn("--skip-ref 3 --allow-length, or --align auto, compares these frames\n", result.out)
        self.passes("-m", "psnr", "a.y4m", "b.y4m", "--skip-ref", 3, "--allow-length")
        self.write("b.y4m", moving(3, 37))
        self.assertIn("\n--skip-ref 3, or --align auto, compares these", self.run_assay("align", "a.y4m", "b.y4m").out)
        self.passes("-m", "psnr", "a.y4m", "b.y4m", "--skip-ref", 3)
        self.write("b.y4m", moving(3, 40))
        self.assertEqual(self.run_assay("align", "a.y4m", "b.y4m", "-q").out, "")
        result = self.passes("align", "a.y4m", "a.y4m")
        self.assertIn("offset +0, confidence 1.00: distorted frame n shows reference frame n\n", result.out)
        self.assertEqual(result.err, "")

    def test_skip_frames_and_search(self):
        self.write("a.y4m", moving(0, 60))
        self.write("b.y4m", moving(12, 60))
        found = self.is_offset(-12, "a.y4m", "b.y4m", "--skip-ref", 10)
        self.assertEqual((found["skip_ref"], found["skip_dis"], found["search"]), (12, 0, [-52 - 10 + 10, 42]))
        found = self.is_offset(-12, "a.y4m", "b.y4m", "--skip-ref", 20, "--skip-dis", 5, "--search", 7)
        self.assertEqual((found["skip_ref"], found["skip_dis"], found["search"]), (20, 8, [-22, -8]))
        self.is_offset(-12, "a.y4m", "b.y4m", "--frames", 40)
        self.not_certain(None, "a.y4m", "b.y4m", "--search", 6)
        self.not_certain("last one that was looked at", "a.y4m", "b.y4m", "--search", 12)
        self.not_certain("too few frames", "a.y4m", "b.y4m", "-n", 7)

    def test_depth_size_and_gain(self):
        """Another depth, layout, size and brightness."""
        self.write("a.y4m", moving(0, 50))
        b = moving(4, 50, gain=0.8)
        head, *planes = b.split(b"FRAME\n")
        self.write("gain.y4m", b)
        self.is_offset(-4, "a.y4m", "gain.y4m")
        deep = head.replace(b"Cmono", b"Cmono10") + b"".join(
            b"FRAME\n" + b"".join((4 * v).to_bytes(2, "little") for v in p) for p in planes)
        self.write("deep.y4m", deep)
        self.is_offset(-4, "a.y4m", "deep.y4m")
        twice = head.replace(b"W48 H32", b"W96 H64") + b"".join(
            b"FRAME\n" + b"".join(2 * bytes(v for v in p[r * 48:r * 48 + 48] for _ in "12") for r in range(32))
            for p in planes)
        self.write("twice.y4m", twice)
        self.is_offset(-4, "a.y4m", "twice.y4m")
        colour = head.replace(b"Cmono", b"C444") + b"".join(b"FRAME\n" + p + bytes([90]) * 3072
                                                                 for p in planes)
        self.write("colour.y4m", colour)
        self.is_offset(-4, "a.y4m", "colour.y4m")
        wide = head.replace(b"W48 H32", b"W64 H40") + b"".join(
            b"FRAME\n" + bytes(64 * 4) + b"".join(bytes(9) + p[r * 48:r * 48 + 48] + bytes(7) for r in range(32)) +
            bytes(64 * 4) for p in planes)
        self.write("wide.y4m", wide)
        self.is_offset(-4, "a.y4m", "wide.y4m", "--crop-dis", "48x32+9+4")
        self.is_offset(4, "wide.y4m", "a.y4m", "--crop-ref", "48x32+9+4")
        self.write("b.raw", b"".join(planes))
        self.is_offset(-4, "a.y4m", "b.raw", "-w", 48, "-h", 32, "-p", "gray", "-b", 8)
        self.write("rgb.raw", b"".join(p + p[::-1] + p[::-1] for p in planes)) # planes of G, B, R
        self.is_offset(-4, "a.y4m", "rgb.raw", "-w", 48, "-h", 32, "-p", "gbrp", "-b", 8)

    def test_standard_input(self):
        self.write("a.y4m", moving(0, 40))
        result = self.run_assay("align", "a.y4m", "-", input=moving(2, 40), text=False)
        self.assertEqual(result.code, SHIFTED, result)
        self.assertIn(b"--skip-ref 2", result.out)

    def test_json_file(self):
        self.write("a.y4m", moving(0, 40))
        result = self.passes("align", "a.y4m", "a.y4m", "--json", "out.json")
        self.assertIn("offset +0", result.out)
        self.assertEqual(json.loads(self.read("out.json"))["offset"], 0)
        self.passes("align", "a.y4m", "a.y4m", "--json", "out.json") # over its own file
        self.write("text", b"mine")
        self.refuses(USAGE, "nothing in it says that assay wrote it", "align", "a.y4m", "a.y4m", "--json", "text")
        self.passes("align", "a.y4m", "a.y4m", "--json", "text", "--force")
        self.refuses(USAGE, "one of the inputs", "align", "a.y4m", "a.y4m", "--json", "a.y4m")

    def test_what_cannot_be_found(self):
        self.write("a.y4m", y4m(frames=40)) # a pattern that comes back every 16 frames
        self.write("b.y4m", y4m(frames=40, first=3))
        self.not_certain("fit alike", "a.y4m", "b.y4m")
        one = y4m(frames=1)
        still = one + one[one.index(b"FRAME"):] * 39
        self.write("c.y4m", still)
        self.not_certain("changes too little", "c.y4m", "c.y4m")
        self.not_certain(None, "a.y4m", "c.y4m")
        self.not_certain("too few frames", REF, DIS) # 8 of them: no other offset can be looked at
        self.write("d.y4m", y4m(frames=3))
        found = self.not_certain("too few frames", "d.y4m", "d.y4m")
        self.assertEqual((found["offset"], found["segments"], found["confidence"]), (None, [], 0))
        self.fails(MISMATCH, "the offset is not certain: there are too few frames", "align", "d.y4m", "d.y4m")

    def test_refusals(self):
        self.write("a.y4m", moving(0, 20))
        self.refuses(USAGE, "two inputs are needed: assay align REFERENCE DISTORTED", "align", "a.y4m")
        self.refuses(USAGE, "more than two inputs", "align", "a.y4m", "a.y4m", "a.y4m")
        self.refuses(USAGE, "only one of the two inputs", "align", "-", "-")
        self.refuses(USAGE, "--search", "align", "a.y4m", "a.y4m", "--search", 0)
        self.refuses(USAGE, "not for 'assay align'", "align", "a.y4m", "a.y4m", "-m", "psnr")
        self.refuses(USAGE, "not for 'assay align'", "align", "a.y4m", "a.y4m", "--csv", "x.csv")
        self.refuses(USAGE, "both inputs have headers", "align", "a.y4m", "a.y4m", "-w", 4, "-h", 4, "-p", "gray", "-b",
                     8)
        self.refuses(INPUT, "ends before the 30 frames", "align", "a.y4m", "a.y4m", "--skip-dis", 30)
        self.refuses(INPUT, "no-such", "align", "a.y4m", "no-such")
        self.write("cut.y4m", moving(0, 20)[:-5])
        self.refuses(INPUT, ["cut.y4m", "frame 19", "truncated"], "align", "a.y4m", "cut.y4m")
        self.refuses(USAGE, "another command", "a.y4m", "a.y4m", "--align", "auto", "--anchor")


class Auto(Align):
    """--align auto, and the line behind a run."""

    def setUp(self):
        super().setUp()
        self.write("a.y4m", moving(10, 60))
        self.write("later.y4m", moving(7, 60))
        self.write("earlier.y4m", moving(14, 60))

    def test_scores_are_those_of_the_skips(self):
        for name, offset, skip in (("later", 3, "--skip-dis"), ("earlier", -4, "--skip-ref")):
            result = self.passes("-m", "psnr", "a.y4m", f"{name}.y4m", "--align", "auto", "--json", "auto.json",
                                 "--reproducible")
            self.assertIn(f"assay: aligned with {skip} {abs(offset)}: distorted frame n {'-' if offset < 0 else '+'} "
                          f"{abs(offset)} shows reference frame n (confidence 1.00)\n", result.err)
            self.passes("-m", "psnr", "a.y4m", f"{name}.y4m", skip, abs(offset), "--allow-length", "--json",
                        "hand.json", "--reproducible")
            auto, hand = (json.loads(self.read(f"{n}.json")) for n in ("auto", "hand"))
            self.assertEqual(auto["assay"].pop("align_offset"), offset)
            self.assertEqual(auto["assay"].pop("align_confidence"), 1)
            for report in (auto, hand):
                report["assay"].pop("bits", None)
            self.assertEqual(auto["frames"], hand["frames"])
            self.assertEqual(len(auto["frames"]), 60 - abs(offset))
            self.assertEqual({k: v for k, v in auto["assay"].items() if "pair" not in k},
                             {k: v for k, v in hand["assay"].items() if "pair" not in k})
            self.assertNotIn("seems to be", result.err)

    def test_aligned_as_they_are(self):
        result = self.passes("-m", "psnr", "a.y4m", "a.y4m", "--align", "auto", "--json", "r.json")
        self.assertIn("assay: the two sides are aligned as they are (confidence 1.00)\n", result.err)
        self.assertEqual(json.loads(self.read("r.json"))["assay"]["align_offset"], 0)
        self.assertEqual(self.passes("-q", "-m", "psnr", "a.y4m", "a.y4m", "--align", "auto").err, "")

    def test_skips_come_first(self):
        self.passes("-m", "psnr", "a.y4m", "later.y4m", "--align", "auto", "--skip-ref", 20, "--skip-dis", 21,
                    "--search", 5, "-n", 10, "--json", "r.json")
        report = json.loads(self.read("r.json"))["assay"]
        self.assertEqual((report["first_reference_frame"], report["first_distorted_frame"], report["align_offset"]),
                         (20, 23, 3))
        self.assertEqual(report["psnr_y" if "psnr_y" in report else "frames"], 10)

    def test_skips_are_a_part_of_the_offset(self):
        for skip in (["--skip-dis", 1], ["--skip-ref", 2], ["--skip-ref", 2, "--skip-dis", 4]):
            self.passes("-m", "psnr", "a.y4m", "later.y4m", "--align", "auto", *skip, "--json", "r.json", "--force")
            report = json.loads(self.read("r.json"))["assay"]
            self.assertEqual(report["align_offset"], 3)
        self.write("short.y4m", moving(7, 55)) # 3 more at the start, 8 fewer at the end
        for skip in ([], ["--skip-dis", 1], ["--skip-ref", 6]):
            self.fails(MISMATCH, "--allow-length", "-m", "psnr", "a.y4m", "short.y4m", "--align", "auto", *skip)

    def test_a_length_that_the_offset_does_not_explain(self):
        self.write("cut.y4m", moving(7, 50)) # 3 more at the start, 13 fewer at the end
        self.fails(MISMATCH, "--allow-length", "-m", "psnr", "a.y4m", "cut.y4m", "--align", "auto")
        self.passes("-m", "psnr", "a.y4m", "cut.y4m", "--align", "auto", "--allow-length")
        self.passes("-m", "psnr", "a.y4m", "cut.y4m", "--align", "auto", "--frames", 30)

    def test_how_far_the_offset_explains_a_length(self):
        """At the other end of the files, on either side, as many frames lack a partner as at the first one."""
        for first, offset in ((7, 3), (14, -4)):
            for end in (-5, -4, -3, 3, 4, 5): # frames that the distorted side has more than the reference at its end
                name = self.write("b.y4m", moving(first, 70 - first + end))
                how = ["-q", "-m", "psnr", "a.y4m", name, "--align", "auto"]
                result = self.run_assay(*how)
                self.assertEqual(result.code, PASS if abs(end) <= abs(offset) else MISMATCH, (offset, end, result))

    def test_refusals(self):
        self.write("loop.y4m", y4m(frames=40))
        self.refuses(MISMATCH, ["not certain", "fit alike", "--skip-ref and --skip-dis set it by hand"], "-m", "psnr",
                     "loop.y4m", "loop.y4m", "--align", "auto", "--json", "none.json")
        self.assertFalse((self.dir / "none.json").exists())
        self.write("drop.y4m", moving(10, 30) + moving(41, 29).split(b"\n", 1)[1])
        self.refuses(MISMATCH, ["no one offset holds", "reference frame 30 is dropped"], "-m", "psnr", "a.y4m",
                     "drop.y4m", "--align", "auto")
        self.refuses(USAGE, "standard input", "a.y4m", "-", "--align", "auto")
        os.mkfifo(self.dir / "pipe")
        self.refuses(USAGE, "'pipe' is no regular file", "a.y4m", "pipe", "--align", "auto")
        self.refuses(USAGE, "--shard", "a.y4m", "a.y4m", "--align", "auto", "--shard", "s.json")
        self.refuses(USAGE, "--pair time", "a.y4m", "a.y4m", "--align", "auto", "--pair", "time")
        self.refuses(USAGE, "--search is for --align auto", "a.y4m", "a.y4m", "--search", 5)
        self.refuses(USAGE, "--align", "a.y4m", "a.y4m", "--align", "by-hand")
        self.refuses(USAGE, "'--align' is not for", "parity", "a.y4m", "a.y4m", "--backends", "cpu,cpu:scalar",
                     "--align", "auto")

    def test_line_behind_a_run(self):
        for name, says in (("later", "3 frames later: --skip-dis 3 --allow-length, or"),
                           ("earlier", "4 frames earlier: --skip-ref 4 --allow-length, or")):
            result = self.passes("-m", "psnr", "a.y4m", f"{name}.y4m")
            self.assertIn(says, self.typed(result, "a.y4m", f"{name}.y4m"))
            # JSON on standard output stays JSON
            json.loads(self.passes("-m", "psnr", "a.y4m", f"{name}.y4m", "--json", "-").out)
        one = self.passes("-m", "psnr", "a.y4m", "later.y4m", "--skip-ref", 1, "--allow-length")
        self.assertIn("4 frames later: --skip-ref 1 --skip-dis 4", one.err)

    def typed(self, result, *inputs):
        """The line about a shift. What it says to type works."""
        lines = [line for line in result.err.splitlines() if "seems to be shown" in line]
        self.assertEqual(len(lines), 1, result)
        advice = re.search(r"shown \d+ frames? (?:later|earlier): ([^,]+), or (--align auto) where", lines[0])
        for options in advice.groups():
            scored = self.passes("-m", "psnr", *inputs, *options.split(), "--json", "typed.json")
            self.assertNotIn("seems", scored.err)
            self.assertEqual({f["metrics"]["psnr_y"] for f in json.loads(self.read("typed.json"))["frames"]}, {60.0})
        return lines[0]

    def test_two_lengths(self):
        """The line comes where the lengths differ, whether the headers say so or the data does."""
        for dis, says in ((moving(11, 59), "1 frame earlier: --skip-ref 1, or"),
                          (moving(8, 62), "2 frames later: --skip-dis 2, or"),
                          (moving(13, 50), "3 frames earlier: --skip-ref 3 --allow-length, or")):
            self.write("b.y4m", dis)
            result = self.refuses(MISMATCH, [says, "--allow-length"], "-m", "psnr", "a.y4m", "b.y4m")
            if "--skip-ref 3" not in says: # what the offset does not explain is refused by --align auto
                self.typed(result, "a.y4m", "b.y4m")
        self.write("b.y4m", moving(10, 50)) # ends early, and is not shifted
        self.assertNotIn("seems", self.refuses(MISMATCH, "--allow-length", "-m", "psnr", "a.y4m", "b.y4m").err)
        self.write("b.y4m", moving(11, 59))
        self.assertNotIn("seems", self.refuses(MISMATCH, "--allow-length", "-q", "-m", "psnr", "a.y4m", "b.y4m").err)

    @unittest.skipUnless(HAVE and os.environ.get("ASSAY_LIBAV"), "needs ffmpeg and libav")
    def test_two_lengths_in_the_data(self):
        """Matroska states no number of frames: the lengths differ at the end of the data."""
        self.write("b.y4m", moving(11, 59))
        for name in "ab":
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", f"{name}.y4m", "-c:v", "ffv1", f"{name}.mkv"],
                           cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
        result = self.fails(MISMATCH, "b.mkv ends after 59 frames", "-m", "psnr", "a.mkv", "b.mkv")
        self.assertIn("1 frame earlier: --skip-ref 1, or", self.typed(result, "a.mkv", "b.mkv"))

    def test_no_line(self):
        self.write("noise.y4m", moving(10, 60, gain=0.3))
        for args in (["a.y4m", "a.y4m"], ["a.y4m", "noise.y4m"], ["-q", "a.y4m", "later.y4m"],
                     ["a.y4m", "later.y4m", "-n", 7], ["a.y4m", "later.y4m", "--skip-dis", 3, "--allow-length"],
                     ["a.y4m", "later.y4m", "--pair", "time"]):
            self.assertNotIn("seems", self.passes("-m", "psnr", *args).err, args)
        with open(self.dir / "later.y4m", "rb") as file:
            piped = self.run_assay("-m", "psnr", "a.y4m", "-", stdin=file)
        self.assertEqual(piped.code, PASS)
        self.assertNotIn("seems", piped.err)


@unittest.skipUnless(HAVE, "there is no ffmpeg program")
class Ffmpeg(Align):
    """Pairs that ffmpeg makes."""

    def ffmpeg(self, *args):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, args)], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)

    def make(self, name, source=TESTSRC, filters="null", frames=120, code=()):
        """A Y4M file of a source, through filters, and through an encoder and back."""
        source = ["-f", "lavfi", "-i", source] if "=" in source else ["-i", source]
        out = ["-vf", filters, "-frames:v", frames]
        if code:
            self.ffmpeg(*source, *out, "-pix_fmt", "yuv420p", *X264, *code, "coded.mkv")
            source, out = ["-i", "coded.mkv"], []
        self.ffmpeg(*source, *out, *([] if "format=" in filters or code else ["-pix_fmt", "yuv420p"]), "-strict", "-1",
                    name)
        return name

    @staticmethod
    def cut(first):
        return f"trim=start_frame={first},settb=1/25,setpts=N,fps=25"

    def test_1_to_9_constant_offsets(self):
        for source, shifts in ((TESTSRC, (1, 48)), (MANDELBROT, (2, 25)), (LIFE, (3, 47))):
            self.make("a.y4m", source, frames=130)
            for shift in shifts:
                self.make("b.y4m", source, self.cut(shift), code=["-crf", 23])
                self.is_offset(-shift, "a.y4m", "b.y4m")
                self.is_offset(shift, "b.y4m", "a.y4m")
            self.make("b.y4m", source, frames=130, code=["-crf", 23])
            self.is_offset(0, "a.y4m", "b.y4m")

    def test_10_one_dropped_11_one_repeated(self):
        self.make("a.y4m")
        self.make("b.y4m", filters=r"select=not(eq(n\,60)),settb=1/25,setpts=N,fps=25", frames=119, code=["-crf", 23])
        found = self.align("a.y4m", "b.y4m")
        self.assertEqual((found["word"], found["offset"], found["constant"]), ("certain", 0, False))
        self.assertEqual(found["dropped"], [{"reference": 60, "frames": 1}])
        self.assertEqual(found["repeated"] + found["inserted"], [])
        self.assertEqual([s["offset"] for s in found["segments"]], [0, -1])
        text = self.run_assay("align", "a.y4m", "b.y4m").out
        self.assertIn("reference frame 60 is dropped\nno one offset holds for all frames\n", text)
        self.make("c.y4m", filters=r"loop=loop=1:size=1:start=60,settb=1/25,setpts=N,fps=25", frames=121,
                  code=["-crf", 23])
        found = self.align("a.y4m", "c.y4m")
        self.assertEqual((found["word"], found["offset"], found["constant"]), ("certain", 0, False))
        self.assertEqual(found["dropped"] + found["inserted"], [])
        self.assertEqual(found["repeated"], [{"distorted": 60, "frames": 1}]) # the filter's frame 60 counts from 1

    def test_12_rate(self):
        self.make("a.y4m", frames=150)
        self.make("b.y4m", filters="fps=24", frames=144, code=["-crf", 23])
        found = self.align("a.y4m", "b.y4m")
        self.assertEqual((found["word"], found["period"]), ("certain", {"frames": 25, "are": "dropped"}))
        self.assertEqual([d["frames"] for d in found["dropped"]], [1] * 6)
        self.assertIn("the distorted side seems to lack every 25th frame of the reference",
                      self.run_assay("align", "a.y4m", "b.y4m").out)

    def test_13_still(self):
        self.make("a.y4m", "testsrc2=s=192x108:r=25,trim=end_frame=1,loop=loop=99:size=1", frames=100)
        self.make("b.y4m", "a.y4m", frames=100, code=["-crf", 30])
        self.not_certain("changes too little", "a.y4m", "b.y4m")

    def test_14_to_16_black_lead_in(self):
        self.make("a.y4m")
        self.make("b.y4m", filters="tpad=start=17:color=black", frames=137, code=["-crf", 23])
        self.is_offset(17, "a.y4m", "b.y4m")
        self.make("c.y4m", filters="tpad=start=30:color=black", frames=150)
        self.is_offset(-13, "c.y4m", "b.y4m")
        self.not_certain(None, "b.y4m", "c.y4m", "-n", 15) # nothing but black

    def test_17_to_20_fades(self):
        fades = "fade=in:0:25,fade=out:90:25"
        self.make("a.y4m", TESTSRC, fades, frames=115)
        self.make("b.y4m", "a.y4m", self.cut(6), frames=109, code=["-crf", 23])
        self.is_offset(-6, "a.y4m", "b.y4m")
        self.make("c.y4m", TESTSRC, "fade=in:10:25", code=["-crf", 23]) # another fade of the same scene
        found = self.align("a.y4m", "c.y4m")
        self.assertTrue(found["word"] == "not certain" or found["offset"] == 0, found)
        still = "mandelbrot=s=192x108:r=25,trim=end_frame=1,loop=loop=99:size=1"
        self.make("d.y4m", still, "fade=in:10:40", frames=100)
        self.make("e.y4m", "d.y4m", self.cut(5), frames=95, code=["-crf", 23])
        found = self.align("d.y4m", "e.y4m")
        self.assertTrue(found["word"] == "not certain" or found["offset"] == -5, found)
        self.make("f.y4m", "mandelbrot=s=192x108:r=25:start_scale=1", "fade=in:0:25,fade=out:90:25", frames=115)
        self.not_certain(None, "a.y4m", "f.y4m") # two scenes with the same fades

    def test_what_encodes_do(self):
        self.make("a.y4m")
        for filters, code in (("scale=96:54", ["-crf", 35]), ("scale=250:140", ["-crf", 35]),
                              ("scale=out_range=full", ["-crf", 30]),
                              ("eq=brightness=0.05:contrast=0.9", ["-crf", 28])):
            self.make("b.y4m", "a.y4m", f"{self.cut(4)},{filters}", 116, code)
            self.is_offset(-4, "a.y4m", "b.y4m")
        self.make("b.y4m", "a.y4m", self.cut(4) + ",format=yuv422p10le", 116)
        self.is_offset(-4, "a.y4m", "b.y4m")

    @unittest.skipUnless(os.environ.get("ASSAY_LIBAV"), "no libav")
    def test_shapes_that_change(self):
        """A recording that changes the shape of its samples or how it is turned, which scoring refuses."""
        self.make("a.y4m", frames=80)
        for second in (["-aspect", "4:3"], ["-bsf:v", "h264_metadata=display_orientation=insert:rotate=90"]):
            for number, options in enumerate(([], second)):
                self.ffmpeg("-i", "a.y4m", "-vf", self.cut(40 * number), "-frames:v", 40, *X264, "-bf", 0, *options,
                            f"{number}.h264")
            self.write("joined.h264", b"".join((self.dir / f"{number}.h264").read_bytes() for number in range(2)))
            self.assertIn("changes (--allow-", self.run_assay("-m", "psnr", "a.y4m", "joined.h264", "--align",
                                                              "auto").err)
            self.is_offset(0, "a.y4m", "joined.h264")

    def test_never_a_wrong_offset(self):
        self.make("a.y4m", TESTSRC, frames=100)
        self.make("m.y4m", MANDELBROT, frames=100)
        self.make("l.y4m", LIFE, frames=100)
        for ref, dis in (("a", "m"), ("a", "l"), ("m", "l"), ("l", "a")):
            self.not_certain(None, f"{ref}.y4m", f"{dis}.y4m")
        self.make("late.y4m", TESTSRC, self.cut(140), frames=100) # beyond what is looked at
        self.not_certain(None, "a.y4m", "late.y4m")
        self.make("loop.y4m", TESTSRC, "loop=loop=5:size=20,settb=1/25,setpts=N,fps=25,trim=end_frame=100")
        self.make("b.y4m", "loop.y4m", self.cut(7), 93, ["-crf", 28])
        self.not_certain(None, "loop.y4m", "b.y4m")
        flash = "color=gray:s=192x108:r=25,geq=lum='if(lt(mod(N,10),5),40,200)':cb=128:cr=128"
        self.make("flash.y4m", flash, frames=100)
        self.make("b.y4m", "flash.y4m", self.cut(3), 97, ["-crf", 28])
        self.not_certain(None, "flash.y4m", "b.y4m")


if __name__ == "__main__":
    main()
