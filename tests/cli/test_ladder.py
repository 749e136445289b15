# SPDX-License-Identifier: BSD-2-Clause
"""Several encodes of one reference: the scores of single runs, the table, reports, and encodes that fail."""
import csv
import io
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import unittest

import command
from command import GATE, INPUT, INTERNAL, MISMATCH, PASS, USAGE, Case, main, y4m
from pictures import GREY, pixels, png

HAVE = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")
EXACT = ("--precision", "max", "--reproducible", "-q")
# motion and vmaf look at other frames, and psnr has aggregates
METRICS = ("-m", "vmaf,psnr=enable_apsnr=true,motion,float_ssim,ciede2000,diff")


class Ladder(Case):
    def make(self, name, **how):
        how.setdefault("width", 96)
        how.setdefault("height", 64)
        how.setdefault("frames", 6)
        return self.write(name, y4m(**how))

    def ladder(self, noises=(1, 3, 9), **how):
        """A reference and its encodes."""
        return self.make("ref.y4m", **how), [self.make(f"n{n}.y4m", noise=n, **how) for n in noises]

    def take(self, name):
        """A report's lines; None where there is none. Its libraries are those that any input of the run needs."""
        path = self.dir / name
        if not path.exists():
            return None
        text = path.read_text(encoding="utf-8")
        path.unlink()
        return [line for line in text.splitlines() if not line.startswith('    "libraries": ')]

    def single(self, ref, encode, *args, code=PASS):
        """The report of a run of one encode."""
        result = self.run_assay(ref, encode, *args, *EXACT, "--json", "single.json")
        self.assertEqual(result.code, code, result)
        return self.take("single.json")

    def equal_to_singles(self, ref, encodes, *args, code=PASS, codes=None):
        """Each encode's own report has the text of a single run's, and the common report says the same."""
        result = self.run_assay(ref, *encodes, *args, *EXACT, "--json", "own-{number}.json", "--json", "all.json")
        self.assertEqual(result.code, code, result)
        entries = json.loads(self.read("all.json"), parse_float=str)["encodes"]
        self.assertEqual([entry["file"] for entry in entries], encodes)
        for i, encode in enumerate(encodes):
            expected = codes[i] if codes else PASS
            one = self.single(ref, encode, *args, code=expected)
            self.assertEqual(self.take(f"own-{i + 1}.json"), one, encode)
            entry = entries[i]
            self.assertEqual(entry.pop("exit_code"), expected)
            self.assertEqual(entry.pop("failed") is None, expected in (PASS, GATE))
            self.assertEqual(entry.pop("name"), encode.rsplit(".", 1)[0])
            entry.pop("file")
            if one:
                report = json.loads("\n".join(one), parse_float=str)
                report.pop("version")
                entry["assay"].pop("libraries", None)
                self.assertEqual(entry, report)
            else:
                self.assertEqual(entry, {})
        return result


class Scores(Ladder):
    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build reads no PNG")
    def test_images(self):
        """Images have bytes and bits per pixel; a ladder with a video among them has rates."""
        pictures = [pixels(64, 48, seed=i) for i in range(3)]
        names = [self.write(f"p{i}.png", png(rows)) for i, rows in enumerate(pictures)]
        self.only_images(names)
        grey = [self.write(f"{w}.png", png(pixels(w, w * 3 // 4, GREY, seed=w), GREY)) for w in (64, 32)]
        self.only_images([grey[0], *grey], "--scale", "bicubic", small=(32, 24))
        if os.environ["ASSAY_LIBAV"]: # reads PPM
            ppm = [self.write(f"p{i}.ppm", b"P6\n64 48\n255\n" + bytes(v for row in rows for v in row))
                   for i, rows in enumerate(pictures)]
            self.only_images(ppm)
            self.only_images([names[0], names[1], ppm[2]])

    def only_images(self, names, *how, small=None):
        """Of a picture that was scaled, the pixels of the file count. `small`: the size of the last one."""
        out = self.passes("-m", "psnr", "--precision", "max", "--html", "page.html", "--json", "all.json",
                          *how, *names).out
        told = self.passes("report", "all.json", "--html", "told.html").out
        for encode in json.loads(self.read("all.json"))["encodes"]:
            self.assertEqual(encode["assay"]["distorted_bitrate_of"], "image")
            self.assertIsNone(encode["assay"]["distorted_bitrate_kbps"])
        page = self.read("page.html")
        self.assertNotIn("kbit/s", out + page)
        for name, (text, page) in itertools.product(names[1:], ((out, page), (told, self.read("told.html")))):
            width, height = small if small and name == names[-1] else (64, 48)
            size = (self.dir / name).stat().st_size
            bits = f"{size * 8 / (width * height):.3f}"
            self.assertRegex(text, r"(?m)^encode +size +bytes +bits/pixel +frames ")
            self.assertRegex(text, rf"(?m)^{name} +{width}x{height} +{size} +{bits} +1 ")
            self.assertIn(f'<td data-figure="bytes">{size}</td><td data-figure="bpp"', page)
            self.assertIn(f">{bits}</td>", page)
            self.assertIn(f": {bits} bits/pixel, ", page)

    def test_bits(self):
        ref, encodes = self.ladder()
        self.equal_to_singles(ref, encodes, *METRICS)

    def test_default_metrics(self):
        ref, encodes = self.ladder()
        self.equal_to_singles(ref, encodes)

    def test_all_metrics(self):
        ref, encodes = self.ladder((2, 5))
        self.equal_to_singles(ref, encodes, "-m", "all")

    def test_the_most(self):
        ref, encodes = self.ladder(range(16))
        self.equal_to_singles(ref, encodes, "-m", "psnr,motion")
        self.refuses(USAGE, ["more than 16", "n3.y4m"], ref, *encodes, encodes[3])

    def test_parts(self):
        ref, encodes = self.ladder(frames=12)
        self.equal_to_singles(ref, encodes, *METRICS, "--every", "3")
        self.equal_to_singles(ref, encodes, *METRICS, "--first", "4", "--frames", "5")
        self.equal_to_singles(ref, encodes, *METRICS, "--skip-ref", "2", "--skip-dis", "2")

    def test_threads(self):
        ref, encodes = self.ladder()
        self.equal_to_singles(ref, encodes, *METRICS, "--threads", "1")
        self.equal_to_singles(ref, encodes, *METRICS, "--threads", "5", "--in-flight", "7")

    def test_other_sizes(self):
        ref = self.make("ref.y4m")
        encodes = [self.make("same.y4m", noise=4), self.make("half.y4m", width=48, height=32, noise=1),
                   self.make("large.y4m", width=192, height=128)]
        self.equal_to_singles(ref, encodes, *METRICS, "--scale", "bicubic")
        self.equal_to_singles(ref, encodes, *METRICS, "--scale", "lanczos", "--scale-to", "128x96")

    def test_scaled_reference(self):
        """The reference is scaled to each encode, so each size has a run of its own."""
        ref = self.make("ref.y4m")
        encodes = [self.make("same.y4m", noise=4), self.make("half.y4m", width=48, height=32, noise=1),
                   self.make("same2.y4m", noise=7)]
        self.equal_to_singles(ref, encodes, "-m", "psnr", "--scale", "bicubic", "--scale-ref")
        told = self.run_assay(ref, *encodes, "-m", "psnr", "--scale", "bicubic", "--scale-ref").err
        self.assertIn("half.y4m: it is compared with the reference as yuv420p of 48x32, not as yuv420p of 96x64, so "
                      "it is scored in a run of its own", told)
        small = self.make("small.y4m", width=40, height=40) # less than xpsnr takes
        self.equal_to_singles(small, encodes[::2], "-m", "xpsnr", "--scale", "bicubic", "--scale-ref")
        self.refuses(USAGE, "at least 2025 pixels", small, *encodes[::2], "-m", "xpsnr", "--scale", "bicubic")

    def test_other_depths(self):
        """The reference becomes 10 bits beside one encode, and stays at 8 beside the others."""
        ref = self.make("ref.y4m")
        encodes = [self.make("ten.y4m", depth=10, noise=4), self.make("eight.y4m", noise=1),
                   self.make("ten2.y4m", depth=10, noise=9), self.make("mono.y4m", chroma="mono")]
        self.equal_to_singles(ref, encodes, "-m", "vmaf,psnr,motion", "--allow-depth", "--allow-format")

    def test_deep_reference(self):
        ref = self.make("ref.y4m", depth=10)
        encodes = [self.make("ten.y4m", depth=10, noise=4), self.make("eight.y4m", noise=1)]
        self.equal_to_singles(ref, encodes, *METRICS, "--allow-depth")

    def test_cut(self):
        ref = self.make("ref.y4m")
        encodes = [self.make("wide.y4m", width=112, noise=2), self.make("low.y4m", height=60, noise=2)]
        self.equal_to_singles(ref, encodes, "-m", "psnr,motion", "--allow-size")

    def test_other_lengths(self):
        """Metrics that look ahead see the end of each encode, whichever is longest."""
        ref = self.make("ref.y4m", frames=8)
        for lengths in [(8, 6, 9), (6, 8, 8), (6, 7, 5), (9, 9, 8), (5, 5, 8), (8, 1, 2), (1, 8, 1)]:
            encodes = [self.make(f"e{i}.y4m", frames=n, noise=i + 1) for i, n in enumerate(lengths)]
            with self.subTest(lengths):
                self.equal_to_singles(ref, encodes, *METRICS, "--allow-length")
                self.equal_to_singles(ref, encodes, "-m", "motion", "--allow-length", "--every", "2")

    def test_notices_of_two_runs(self):
        """What the end of an encode says stands once, though the encode is scored a second time, alone."""
        ref = self.make("ref.y4m", frames=8)
        encodes = [self.make("whole.y4m", frames=8, noise=1), self.make("short.y4m", frames=5, noise=2)]
        told = self.passes(ref, *encodes, "-m", "motion", "--allow-length").err
        self.assertEqual(told.count("the frames that both have are compared"), 1, told)

    def test_paired_by_time(self):
        """Encodes of other rates beside each other, one that ends early, one that goes on."""
        ref = self.make("ref.y4m", frames=8)
        encodes = [self.make("double.y4m", frames=16, rate="50:1", noise=1), self.make("same.y4m", frames=8, noise=2),
                   self.make("half.y4m", frames=4, rate="25:2", noise=3)]
        self.equal_to_singles(ref, encodes, *METRICS, "--pair", "time")
        ends = [self.make("early.y4m", frames=10, rate="50:1", noise=4), self.make("late.y4m", frames=12, noise=5)]
        self.equal_to_singles(ref, encodes + ends, *METRICS, "--pair", "time", "--allow-length")
        self.equal_to_singles(ref, encodes + ends, *METRICS, "--pair", "time", code=MISMATCH,
                              codes=[PASS] * 3 + [MISMATCH] * 2)

    def test_aligned(self):
        """Each encode has its own offset."""
        def clip(name, first, frames, noise):
            dice = random.Random(3)
            shots = [dice.randbytes(32) for _ in range(64)]
            data = b"YUV4MPEG2 W64 H64 F25:1 Cmono\n"
            for i in range(first, first + frames):
                change = random.Random(noise * 99 + i).randint(-noise, noise)
                row = bytes(min(255, max(0, b + change)) for b in shots[i] for _ in range(2))
                data += b"FRAME\n" + 64 * row
            return self.write(name, data)
        ref = clip("ref.y4m", 8, 40, 0)
        encodes = [clip("even.y4m", 8, 40, 1), clip("late.y4m", 5, 43, 2), clip("early.y4m", 10, 38, 1),
                   clip("later.y4m", 2, 46, 1)]
        self.equal_to_singles(ref, encodes, "-m", "psnr,motion", "--align", "auto")

    def test_cropped(self):
        ref, encodes = self.ladder()
        self.equal_to_singles(ref, encodes, *METRICS, "--crop-ref", "80x48+8+8", "--crop-dis", "80x48+8+8")

    @unittest.skipUnless(HAVE, "needs ffmpeg and libav")
    def test_containers(self):
        """Lengths that no file states, decoded beside files without a container."""
        ref, encodes = self.ladder((2, 4))
        for name, frames in (("a.mkv", 6), ("b.mkv", 5), ("c.mp4", 6)):
            subprocess.run(["ffmpeg", "-v", "error", "-i", ref, "-frames:v", str(frames), "-c:v", "mpeg4", "-q:v", "9",
                            name], cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
            encodes.insert(1, name)
        self.equal_to_singles(ref, encodes, *METRICS, "--allow-length")
        without = [name for name in encodes if name != "b.mkv"]
        self.equal_to_singles(ref, without, *METRICS)
        self.equal_to_singles("a.mkv", ["c.mp4", "n2.y4m"], "-m", "psnr,motion")
        # the end of b.mkv is found while it is read: its scores until then are kept, as in a single run
        codes = [MISMATCH if name == "b.mkv" else PASS for name in encodes]
        self.equal_to_singles(ref, encodes, *METRICS, code=MISMATCH, codes=codes)


class Failures(Ladder):
    def broken(self):
        """Encodes that fail, with the exit code of each."""
        whole = y4m(width=96, height=64, frames=6, noise=5)
        return [(self.write("cut.y4m", whole[:len(whole) * 2 // 3]), INPUT), ("missing.y4m", INPUT),
                (self.make("small.y4m", width=64, height=64), MISMATCH),
                (self.make("short.y4m", frames=4), MISMATCH), (self.write("noise.y4m", b"no video"), INPUT),
                (self.write("head.y4m", whole[:120]), INPUT), (self.write("empty.y4m", b""), INPUT)]

    def test_places(self):
        ref, good = self.ladder((1, 3))
        for bad, code in self.broken():
            for place in range(3):
                encodes = list(good)
                encodes.insert(place, bad)
                codes = [PASS] * 3
                codes[place] = code
                with self.subTest(bad=bad, place=place):
                    result = self.equal_to_singles(ref, encodes, *METRICS, code=code, codes=codes)
                    self.assertIn(bad, result.err)
                    self.assertEqual(result.err.splitlines()[-1], f"assay: 1 of 3 encodes failed: {bad}")

    def test_the_first_decides(self):
        ref, good = self.ladder((1,))
        bad = self.broken()
        for order in (bad, bad[::-1], bad[2:] + bad[:2]):
            codes = [code for _, code in order] + [PASS]
            names = [name for name, _ in order] + good
            self.equal_to_singles(ref, names, "-m", "psnr,motion", code=codes[0], codes=codes)

    def test_all(self):
        ref, _ = self.ladder((1,))
        result = self.fails(INPUT, "2 of 2 encodes failed: missing.y4m, gone.y4m", ref, "missing.y4m", "gone.y4m",
                            "--json", "all.json")
        self.assertEqual(result.out, "")
        self.assertFalse((self.dir / "all.json").exists())
        self.assertEqual(list(self.dir.glob("*.part-*")), [])

    def test_reference(self):
        _, good = self.ladder((1, 3))
        self.refuses(INPUT, "missing.y4m", "missing.y4m", *good)
        whole = y4m(width=96, height=64, frames=6)
        cut = self.write("cut.y4m", whole[:len(whole) * 2 // 3])
        self.equal_to_singles(cut, good, *METRICS, code=INPUT, codes=[INPUT, INPUT])
        result = self.fails(INPUT, "cut.y4m", cut, *good)
        self.assertEqual(sum("cut.y4m: " in line for line in result.err.splitlines()), 1, result)

    def test_metrics(self):
        ref, good = self.ladder((1, 3))
        self.refuses(USAGE, "nosuch", ref, *good, "-m", "nosuch")
        ref10 = self.make("ref10.y4m", depth=10)
        ten, eight = self.make("ten.y4m", depth=10, noise=1), good[0]
        self.equal_to_singles(ref10, [ten, eight], "-m", "psnr", code=MISMATCH, codes=[PASS, MISMATCH])

    def test_range(self):
        """Codes of another range are refused for that encode alone."""
        ref, good = self.ladder((1, 3), tags="XCOLORRANGE=LIMITED")
        full = self.make("full.y4m", noise=2, tags="XCOLORRANGE=FULL")
        self.equal_to_singles(ref, [full, *good], "-m", "psnr", code=MISMATCH, codes=[MISMATCH, PASS, PASS])
        self.equal_to_singles(ref, [full, *good], "-m", "psnr", "--allow-range")

    def test_unwritable(self):
        ref, good = self.ladder((1, 3))
        self.refuses(INTERNAL, "nowhere/all.json", ref, *good, "--json", "/proc/nowhere/all.json")
        self.fails(INTERNAL, "nowhere/n1.json", ref, *good, "--json", "/proc/nowhere/{name}.json")


class Readers(Ladder):
    """Pictures so large that several threads read each input, as on a machine of many processors."""
    WIDTH, HEIGHT, FRAMES = 2048, 1024, 9

    def large(self, name, seed, frames=FRAMES, cut=0):
        noise = random.Random(seed).randbytes(self.WIDTH * self.HEIGHT + frames * 512)
        data = f"YUV4MPEG2 W{self.WIDTH} H{self.HEIGHT} F25:1 Cmono\n".encode() + b"".join(
            b"FRAME\n" + noise[i * 512:i * 512 + self.WIDTH * self.HEIGHT] for i in range(frames))
        return self.write(name, data[:len(data) - cut])

    def test_ends(self):
        ref = self.large("ref.y4m", 1)
        picture = self.WIDTH * self.HEIGHT
        encodes = [self.large("cut.y4m", 2, cut=picture * 7 // 2), self.large("whole.y4m", 3),
                   self.large("short.y4m", 4, frames=6), self.large("long.y4m", 5, frames=10)]
        program, command.PROGRAM = command.PROGRAM, os.environ["ASSAY_MANY"]
        self.addCleanup(setattr, command, "PROGRAM", program)
        for order in (encodes, encodes[::-1], encodes[2:] + encodes[:2]):
            codes = [INPUT if name == "cut.y4m" else PASS for name in order]
            self.equal_to_singles(ref, order, "-m", "psnr,motion", "--allow-length", "--threads", "2", code=INPUT,
                                  codes=codes)
        self.assertEqual(list(self.dir.glob("*.part-*")), [])


class Inputs(Ladder):
    def test_pipes(self):
        ref, encodes = self.ladder()
        for args in ([ref, *encodes], ["-", *encodes], [ref, encodes[0], "-", encodes[2]]):
            name = ref if args[0] == "-" else encodes[1]
            with self.subTest(args):
                self.passes(*args, "-q", "--csv", "all.csv", input=(self.dir / name).read_bytes(), text=False)
                found = [row[1:] for row in csv.reader(io.StringIO(self.read("all.csv")))]
                if args[0] == ref and "-" not in args:
                    expected = found
                self.assertEqual(found, expected)
        self.refuses(USAGE, "only one of the inputs can be standard input", "-", encodes[0], "-")

    def test_piped_once(self):
        """What standard input has given can't be read for a second run."""
        ref, encodes = self.ladder((1, 3))
        ten = self.make("ten.y4m", depth=10)
        with open(self.dir / ref, "rb") as pipe:
            result = self.fails(MISMATCH, "1 of 3 encodes failed: ten.y4m", "-", *encodes, ten, "--allow-depth",
                                stdin=pipe)
        self.assertIn("standard input is read once", result.err)

    def test_ends_in_the_run(self):
        """An encode that ends before others needs no second run, so the reference may be standard input."""
        ref, encodes = self.ladder((1, 3))
        short = self.make("short.y4m", frames=4, noise=2)
        order = [encodes[0], short, encodes[1]]
        self.passes(ref, *order, "--allow-length", "-q", "--csv", "file.csv")
        with open(self.dir / ref, "rb") as pipe:
            result = self.passes("-", *order, "--allow-length", "--csv", "pipe.csv", stdin=pipe)
        self.assertIn("short.y4m: length 6 frames against 4 frames", result.err)
        self.assertNotIn("run of its own", result.err)
        self.assertEqual(self.read("pipe.csv"), self.read("file.csv"))
        self.assertEqual(sum(line.startswith("short.y4m,") for line in self.read("pipe.csv").splitlines()), 4)

    def test_raw(self):
        ref, encodes = self.ladder((1, 3))
        raw = y4m(width=96, height=64, frames=6, noise=2)
        frames = raw[raw.index(b"\n") + 1:].split(b"FRAME\n")
        self.write("d.yuv", b"".join(frames))
        form = ("-w", "96", "-h", "64", "-p", "yuv420p")
        self.passes(ref, encodes[0], "d.yuv", *form, "-q", "--json", "all.json")
        found = json.loads(self.read("all.json"))["encodes"]
        self.assertEqual(found[1]["assay"]["distorted_reader"], "raw")
        self.refuses(USAGE, "all inputs have headers", ref, *encodes, *form)
        self.write("deep.y4m", y4m(width=96, height=64, frames=6, depth=10))
        several = (ref, "d.yuv", "deep.y4m") # which is scored in a run of its own, where nothing is raw
        self.passes(*several, *form, "--allow-depth", "-m", "psnr", "-q", "--reproducible", "--json", "all.json")
        request = self.passes(*several, *form, "--allow-depth", "-m", "psnr", "--print-request").out
        self.write("r.json", request.encode())
        self.passes("run", "r.json", "-q", "--reproducible", "--json", "run.json")
        self.assertEqual(self.read("all.json"), self.read("run.json"))

    def test_other_commands(self):
        ref, encodes = self.ladder((1, 3))
        for args in (("parity", ref, *encodes, "--backends", "cpu,cpu:scalar"), ("image", ref, *encodes),
                     ("diff", ref, *encodes)):
            self.refuses(USAGE, "more than two inputs", *args)
        self.refuses(USAGE, "no command is called 'imgae'", "imgae", ref, *encodes)
        self.refuses(USAGE, "a command stands first: assay image ...", "-q", "image", ref, *encodes)


class Outputs(Ladder):
    def test_patterns(self):
        ref, encodes = self.ladder((1, 3))
        self.passes(ref, *encodes, "-q", "--json", "out/{name}.json", "--xml", "{number}-{name}.xml", "--csv", "{name}",
                    "--sub", "new/{name}/{name}.sub", "--plot", "{name}.svg")
        for i, encode in enumerate(encodes):
            name = encode[:-4]
            for path in (f"out/{name}.json", f"{i + 1}-{name}.xml", name, f"new/{name}/{name}.sub",
                         f"{name}.svg"):
                self.assertTrue((self.dir / path).exists(), path)
        # a single encode has a name, too
        self.passes(ref, encodes[0], "-q", "--json", "one-{name}.json")
        self.assertTrue((self.dir / "one-n1.json").exists())

    def test_same_names(self):
        ref, encodes = self.ladder((1, 3))
        (self.dir / "b").mkdir()
        shutil.copy(self.dir / encodes[0], self.dir / "b" / encodes[0])
        self.refuses(USAGE, ["'n1.json' would be written for both n1.y4m and b/n1.y4m", "{number}"], ref, encodes[0],
                     "b/n1.y4m", "--json", "{name}.json")
        self.passes(ref, encodes[0], "b/n1.y4m", "-q", "--json", "{name}-{number}.json")
        self.passes(ref, encodes[0], encodes[0], "-q", "--json", "all.json")

    def test_one_file_by_two_spellings(self):
        ref, encodes = self.ladder((1, 3))
        (self.dir / "b").mkdir()
        self.refuses(USAGE, "two reports would both be written to 'b/../n1.json'", ref, *encodes, "--json",
                     "{name}.json", "--csv", "b/../{name}.json")
        self.refuses(USAGE, "'n1.json' would be written for both n1.y4m and all encodes", ref, *encodes, "--json",
                     "{name}.json", "--html", "b/../n1.json")
        self.refuses(USAGE, "two reports would both be written to './all.txt'", ref, *encodes, "--json", "all.txt",
                     "--csv", "./all.txt")
        self.refuses(USAGE, "a report and the shard would both be written to './all.txt'", ref, encodes[0], "--json",
                     "all.txt", "--shard", "./all.txt")
        (self.dir / "b/link").symlink_to("../far") # which leads to no file yet
        (self.dir / "far").symlink_to("all.txt")
        self.refuses(USAGE, "two reports would both be written to 'all.txt'", ref, *encodes, "--json", "b/link",
                     "--csv", "all.txt")
        self.assertEqual(list(self.dir.glob("**/*.json")) + list(self.dir.glob("**/*.txt")), [])

    def test_refused(self):
        ref, encodes = self.ladder((1, 3))
        for option in ("--xml", "--sub"):
            self.refuses(USAGE, [option, "{name}"], ref, *encodes, option, "x")
        self.refuses(USAGE, "--shard takes one encode", ref, *encodes, "--shard", "x.json")
        self.refuses(USAGE, "--dump-stage takes one encode", ref, *encodes, "--dump-stage", "x:0")
        self.refuses(USAGE, "--frames-worst with several encodes needs metrics by name", ref, *encodes, "-m", "all",
                     "--heatmap", "x/{name}", "--frames-worst", "1")
        self.refuses(USAGE, "heatmaps_path takes one encode", ref, *encodes, "-m", "cambi=heatmaps_path=x")
        self.refuses(USAGE, ["--heatmap", "maps/{name}"], ref, *encodes, "-m", "diff", "--heatmap", "maps")
        self.refuses(USAGE, "would be overwritten", ref, *encodes, "--json", encodes[1])
        self.refuses(USAGE, "would be overwritten", ref, *encodes, "--json", "{name}.y4m")
        self.write("old.json", b"mine")
        self.refuses(USAGE, "--force", ref, *encodes, "--json", "old.json")

    def test_overwrites_its_own(self):
        ref, encodes = self.ladder((1, 3))
        for _ in range(2):
            self.passes(ref, *encodes, "-q", "--json", "all.json", "--csv", "all.csv", "--json", "{name}.json")

    def test_csv(self):
        ref, encodes = self.ladder((1, 3))
        quoted = "a,b \"c\".y4m"
        shutil.copy(self.dir / encodes[1], self.dir / quoted)
        self.passes(ref, encodes[0], quoted, "-q", "--csv", "all.csv", "--csv", "own-{number}.csv")
        rows = list(csv.reader(io.StringIO(self.read("all.csv"))))
        own = [list(csv.reader(io.StringIO(self.read(f"own-{i}.csv")))) for i in (1, 2)]
        self.assertEqual(rows, [["encode", *own[0][0]]] + [[encodes[0], *row] for row in own[0][1:]]
                         + [[quoted, *row] for row in own[1][1:]])

    def test_page(self):
        ref, encodes = self.ladder((1, 3))
        self.run_assay(ref, encodes[0], "missing.y4m", encodes[1], "-q", "--html", "all.html")
        page = self.read("all.html")
        for encode in encodes:
            self.assertIn(encode[:-4], page)

    def test_standard_output(self):
        ref, encodes = self.ladder((1, 3))
        result = self.passes(ref, *encodes, "--json", "-")
        self.assertEqual(len(json.loads(result.out)["encodes"]), 2)

    def test_heatmaps(self):
        ref, encodes = self.ladder((1, 3), frames=2)
        (self.dir / "maps").mkdir()
        result = self.run_assay(ref, *encodes, "-q", "-m", "diff", "--heatmap", "maps/{name}")
        if "PNG" in result.err:
            self.skipTest("a build without PNG")
        self.assertEqual(result.code, PASS, result)
        for encode in encodes:
            self.passes(ref, encode, "-q", "-m", "diff", "--heatmap", "one")
            for path in sorted((self.dir / "one").iterdir()):
                self.assertEqual(path.read_bytes(), (self.dir / "maps" / encode[:-4] / path.name).read_bytes())
            shutil.rmtree(self.dir / "one")

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "a build without PNG")
    def test_worst_frames(self):
        ref, encodes = self.ladder((1, 3))
        (self.dir / "maps").mkdir()
        worst = ("-m", "diff", "--frames-worst", "2")
        result = self.passes(ref, *encodes, *worst, "--heatmap", "maps/{name}")
        for encode in encodes:
            self.assertIn(f"assay: {encode}: the worst frames by ", result.err)
            self.passes(ref, encode, "-q", *worst, "--heatmap", "one")
            own, found = (sorted(path.name for path in (self.dir / folder).iterdir())
                          for folder in ("one", f"maps/{encode[:-4]}"))
            self.assertEqual(own, found)
            shutil.rmtree(self.dir / "one")

    def test_readers(self):
        """Commands that read a report on one encode say so of one on several."""
        ref, encodes = self.ladder((1, 3))
        self.passes(ref, *encodes, "-q", "--json", "all.json", "--json", "{name}.json")
        self.refuses(INPUT, ["all.json", "several encodes"], "diff", "all.json", "n1.json")
        self.fails(INPUT, "all.json", "merge", "all.json")


class Table(Ladder):
    def test_rows(self):
        ref, encodes = self.ladder()
        result = self.passes(ref, *encodes, "--csv", "all.csv")
        lines = result.out.splitlines()
        self.assertTrue(lines[0].startswith("ref.y4m: 3 encodes, compared at 96x64"), result)
        self.assertEqual(lines[1].split()[:6], ["encode", "size", "kbit/s", "frames", "worst", "time"])
        for line, encode in zip(lines[2:5], encodes):
            cells = line.split()
            self.assertEqual(cells[:4], [encode, "96x64", "-", "6"])
        rows = list(csv.DictReader(io.StringIO(self.read("all.csv"))))
        for line, encode in zip(lines[2:5], encodes):
            own = [row for row in rows if row["encode"] == encode]
            worst = min(own, key=lambda row: float(row["vmaf"]))
            self.assertEqual(line.split()[4], worst["Frame"])
            mean = sum(float(row["vmaf"]) for row in own) / len(own)
            self.assertAlmostEqual(float(line.split()[6]), mean, delta=2e-3)
        self.assertLessEqual(max(map(len, lines)), 80, result)

    def test_names(self):
        """Two parts of one file are told apart by the names that they were given."""
        ref, (encode, other, _) = self.ladder()
        names = ("left", "right", other)
        result = self.passes(ref, encode, encode, other, "--name", "1=left", "--name", "2=right", "-m", "psnr",
                             "--crop-dis", "2=94x64+0+0", "--allow-size", "--csv", "all.csv", "--json", "all.json",
                             "--fail-under", "psnr_y=1", "-q")
        self.assertEqual([line.split()[1] for line in result.out.splitlines()], [name + ":" for name in names])
        rows = list(csv.DictReader(io.StringIO(self.read("all.csv"))))
        self.assertEqual({row["encode"]: row["Frame"] for row in rows}, dict.fromkeys(names, "5"))
        self.assertEqual([(e["name"], e["file"]) for e in json.loads(self.read("all.json"))["encodes"]],
                         [("left", encode), ("right", encode), (other.removesuffix(".y4m"), other)])
        told = self.passes("report", "all.json", "--csv", "told.csv")
        self.assertEqual(self.read("told.csv"), self.read("all.csv"))
        for name in names:
            self.assertRegex(told.out, f"(?m)^{name} ")

    def test_widths(self):
        ref, encodes = self.ladder((1, 3))
        long = "a-folder-with-a-long-name/" * 6 + "encode.y4m"
        (self.dir / long).parent.mkdir(parents=True)
        shutil.copy(self.dir / encodes[0], self.dir / long)
        for args in ((), ("-m", "all"), ("--precision", "12")):
            with self.subTest(args):
                lines = self.passes(ref, long, encodes[1], *args).out.splitlines()
                self.assertLessEqual(max(map(len, lines)), 80, lines)
                self.assertTrue(any(line.startswith("...") and "encode.y4m" in line for line in lines), lines)

    def test_failures(self):
        ref, encodes = self.ladder((1, 3))
        whole = y4m(width=96, height=64, frames=6, noise=5)
        cut = self.write("cut.y4m", whole[:len(whole) * 2 // 3])
        result = self.run_assay(ref, "missing.y4m", cut, *encodes)
        out = result.out
        self.assertRegex(out, r"(?m)^missing\.y4m +- +- +0 ")
        self.assertRegex(out, r"(?m)^cut\.y4m +96x64 +- +[234] ")
        self.assertNotIn("failed: ", out, "standard error has the reason, once")
        self.assertNotIn("incomplete: ", out)
        for name in ("missing", "cut"):
            self.assertEqual(len(re.findall(rf"(?m)^assay: {name}\.y4m: ", result.err)), 1, result.err)

    def test_what_is_left_out_is_said_of_a_file(self):
        ref = self.write("small.y4m", y4m(width=64, height=48, frames=1))
        encodes = [self.write(f"s{i}.y4m", y4m(width=64, height=48, frames=1, noise=i)) for i in (1, 2)]
        err = self.passes(ref, *encodes).err
        self.assertIn("float_ms_ssim is left out: ", err)
        self.assertNotIn("encode 0", err)

    def test_quiet(self):
        ref, encodes = self.ladder((1, 3))
        result = self.passes(ref, *encodes, "-m", "psnr")
        self.assertRegex(result.err, r"^assay: 2 encodes at once: [0-9.]+ MiB of memory for \d+ frames of all 3 inputs")
        result = self.passes(ref, *encodes, "-q")
        self.assertEqual((result.out, result.err), ("", ""))


class Places(Ladder):
    def test_unknown(self):
        ref, encodes = self.ladder((1, 3))
        for option in ("--json", "--heatmap"):
            self.refuses(USAGE, ["{nam} stands for nothing", "{name}", "{number}"], ref, *encodes, "-m", "diff", option,
                         "out-{nam}-{name}")

    def test_folders(self):
        """The name of '...y4m' without its ending is '..'."""
        ref, encodes = self.ladder((1,))
        (self.dir / encodes[0]).rename(self.dir / "...y4m")
        self.refuses(USAGE, "would be '..', which is a folder", ref, "...y4m", "...y4m", "-m", "psnr", "--json",
                     "{name}")


class Gates(Ladder):
    def test_each_encode(self):
        ref, encodes = self.ladder((1, 9))
        result = self.run_assay(ref, *encodes, "-q", "--fail-under", "psnr_y=35", "--fail-over", "psnr_y.max=99",
                                "--allow-reversed-gates", "--json", "all.json")
        self.assertEqual(result.code, GATE, result)
        lines = result.out.splitlines()
        self.assertEqual([line.split(" = ")[0] for line in lines],
                         ["pass  n1.y4m: psnr_y.mean", "pass  n1.y4m: psnr_y.max", "FAIL  n9.y4m: psnr_y.mean",
                          "pass  n9.y4m: psnr_y.max"])
        entries = json.loads(self.read("all.json"))["encodes"]
        self.assertEqual([entry["exit_code"] for entry in entries], [PASS, GATE])
        self.assertEqual([gate["passed"] for gate in entries[1]["assay"]["gates"]], [False, True])
        self.passes(ref, *encodes, "-q", "--fail-under", "psnr_y=1")

    def test_failed_encode(self):
        """A gate that could not be checked is no gate that passed; the failure's code stays."""
        ref, encodes = self.ladder((1,))
        result = self.run_assay(ref, *encodes, "missing.y4m", "-q", "--fail-under", "psnr_y=1")
        self.assertEqual(result.code, INPUT, result)
        self.assertIn("FAIL  missing.y4m: psnr_y: not checked", result.out)

    def test_unknown(self):
        ref, encodes = self.ladder((1, 3))
        self.fails(USAGE, "nosuch", ref, *encodes, "--fail-under", "nosuch=1")


if __name__ == "__main__":
    main()
