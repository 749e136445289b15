# SPDX-License-Identifier: BSD-2-Clause
"""assay image: figures against plain Python, pairing of folders, gates, reports, pictures."""
import copy
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zlib

import command
from command import DEVICE, GATE, INPUT, INTERNAL, MISMATCH, PASS, USAGE, Case, main
from pictures import CHANNELS, GREY, GREY_ALPHA, MAGIC, PALETTE, RGB, RGBA, chunk, pixels, png, read_png


def figures(a, b, kind, depth, alpha=None):
    """What the definitions say of two lists of rows; of the channels, or of alpha alone."""
    n = CHANNELS[kind]
    has_alpha = kind in (GREY_ALPHA, RGBA)
    chosen = [n - 1] if alpha else list(range(n - has_alpha))
    names = ["y"] if len(chosen) == 1 else ["r", "g", "b"]
    peak, width, height = (1 << depth) - 1, len(a[0]) // n, len(a)
    sse, most, count = [0] * 3, [0] * 3, [0] * 3
    best, at, differ = 0, (0, 0), 0
    for y in range(height):
        for x in range(width):
            d = [abs(a[y][x * n + c] - b[y][x * n + c]) for c in chosen]
            for i, v in enumerate(d):
                sse[i] += v * v
                most[i] = max(most[i], v)
                count[i] += v > 0
            differ += max(d) > 0
            if max(d) > best:
                best, at = max(d), (x, y)

    def psnr(total, samples):
        cap = math.ceil(10 * math.log10(peak * peak * samples))
        return min(cap, 10 * math.log10(peak * peak / max(total / samples, 1e-16)))
    size, out = width * height, {}
    prefix = "alpha_" if alpha else ""
    for i, name in enumerate(names if not alpha else []):
        out.update({f"mse_{name}": sse[i] / size, f"psnr_{name}": psnr(sse[i], size), f"max_diff_{name}": most[i],
                    f"diff_samples_{name}": count[i]})
    out.update({f"{prefix}mse": sum(sse) / (size * len(chosen)), f"{prefix}psnr": psnr(sum(sse), size * len(chosen)),
                f"{prefix}max_diff": best, f"{prefix}max_diff_at_x": at[0], f"{prefix}max_diff_at_y": at[1],
                f"{prefix}diff_pixels": differ})
    return out


def moved(rows, kind, *changes):
    """A copy with some samples changed: (x, y, channel, value)."""
    out = copy.deepcopy(rows)
    for x, y, c, v in changes:
        out[y][x * CHANNELS[kind] + c] = v
    return out


@command.unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
class Image(Case):
    def png(self, name, rows, kind=RGB, depth=8, **how):
        (self.dir / name).parent.mkdir(exist_ok=True)
        return self.write(name, png(rows, kind, depth, **how))

    def metrics(self, *args, code=PASS):
        result = self.run_assay("image", "-q", "--precision", "max", "--json", "-", *args)
        self.assertEqual(result.code, code, result)
        return json.loads(result.out)["pairs"][0]["metrics"]

    def agree(self, got, want):
        self.assertEqual(sorted(got), sorted(want))
        for key, value in want.items():
            if "psnr" in key:
                self.assertAlmostEqual(got[key], value, delta=1e-9 * abs(value), msg=key)
            else:
                self.assertEqual(got[key], value, key)

    def test_what_all_leaves_out(self):
        """One line with the names of the metrics; a line for each with --verbose."""
        pair = [self.write(f"{i}.png", png(pixels(48, 48, seed=i))) for i in range(2)]
        said = [line for line in self.passes("image", "-m", "all", *pair).err.splitlines() if "left out" in line]
        self.assertEqual(len(said), 1)
        count, names = re.fullmatch(r"assay: (\d+) metrics are left out \(--verbose says why\): (.*)", said[0]).groups()
        self.assertEqual(len(names.split(", ")), int(count))
        said = [line for line in self.passes("image", "-m", "all", "--verbose", *pair).err.splitlines()
                if "left out" in line]
        self.assertEqual([line.split()[1] for line in said], names.split(", "))
        self.assertNotIn("left out", self.passes("image", "-q", "-m", "all", *pair).err)

    def test_every_kind_of_png(self):
        for kind in (GREY, RGB, GREY_ALPHA, RGBA):
            for depth in (8, 16):
                with self.subTest(kind=kind, depth=depth):
                    a = pixels(33, 27, kind, depth)
                    n, top = CHANNELS[kind], (1 << depth) - 1
                    b = moved(a, kind, (4, 3, 0, a[3][4 * n] ^ 5), (32, 26, n - 1, 0), (9, 20, n - 1, top),
                              (0, 11, 0, top))
                    self.png("a.png", a, kind, depth)
                    self.png("b.png", b, kind, depth, interlaced=True)
                    want = figures(a, b, kind, depth)
                    if kind in (GREY_ALPHA, RGBA):
                        want.update(figures(a, b, kind, depth, alpha=True))
                    self.agree(self.metrics("a.png", "b.png"), want)
                    self.agree(self.metrics("a.png", "b.png", "--cpu", "scalar", "--tile", "16x4"), want)

    def test_samples_in_any_number_of_chunks(self):
        """A file that libdeflate inflates has the samples that libpng reads of an interlaced one. Damage is refused."""
        rows = pixels(210, 150) # more than one stored block
        whole = png(rows)
        self.png("want.png", rows, interlaced=True)
        begin, end = whole.index(b"IDAT") - 4, len(whole) - 12
        data = whole[begin + 8:end - 4]

        def score(chunks, code=PASS, tail=whole[end:]):
            self.write("b.png", whole[:begin] + b"".join(chunks) + tail)
            result = self.run_assay("image", "-q", "--fail-over", "max_diff=0", "b.png", "want.png")
            self.assertEqual(result.code, code, result)
            return result.err

        for step in (1, 50, 8192, len(data)):
            cut = [chunk(b"IDAT", data[i:i + step]) for i in range(0, len(data), step)]
            score(cut)
            score([chunk(b"IDAT", b"")] + cut + [chunk(b"IDAT", b"")])
            score(cut + [chunk(b"tEXt", b"a\0b")])
            for i in {0, len(cut) // 2, len(cut) - 1}:
                flipped = cut[i][:-1] + bytes([cut[i][-1] ^ 1])
                self.assertIn("CRC error", score(cut[:i] + [flipped] + cut[i + 1:], INPUT))
        self.assertIn("damaged PNG", score([chunk(b"IDAT", data[:-1] + bytes([data[-1] ^ 1]))], INPUT)) # Adler's sum
        self.assertIn("damaged PNG", score([chunk(b"IDAT", zlib.compress(zlib.decompress(data)[:-1]))], INPUT))
        narrow = zlib.compressobj(9, zlib.DEFLATED, 9) # a window of 512 bytes
        score([chunk(b"IDAT", narrow.compress(zlib.decompress(data)) + narrow.flush())])
        self.assertIn("damaged PNG", score([chunk(b"IDAT", b"\x18\x19" + data[2:])], INPUT)) # a window of 512, too
        self.assertIn("IEND: CRC error", score(cut, INPUT, whole[end:-1] + b"\0"))

    def test_black_against_white_at_16_bits(self):
        size = 70 * 40
        self.png("a.png", [[0] * 210 for _ in range(40)], RGB, 16)
        self.png("b.png", [[65535] * 210 for _ in range(40)], RGB, 16)
        got = self.metrics("a.png", "b.png")
        self.assertEqual((got["mse"], got["psnr"], got["max_diff"], got["diff_pixels"]), (65535.0 ** 2, 0, 65535, size))

    def test_equal(self):
        rows = pixels(20, 10, RGBA)
        self.png("a.png", rows, RGBA)
        self.png("b.png", rows, RGBA, interlaced=True)
        result = self.passes("image", "a.png", "b.png")
        self.assertIn("20x10 rgb24 with alpha: equal", result.out)
        self.assertEqual(self.metrics("a.png", "b.png")["alpha_max_diff"], 0)

    def test_alpha_is_no_part_of_rgb(self):
        a = pixels(20, 10, RGBA)
        self.png("a.png", a, RGBA)
        self.png("b.png", moved(a, RGBA, (7, 2, 3, 255 - a[2][31])), RGBA)
        got = self.metrics("a.png", "b.png", "--fail-over", "max_diff=0", "--fail-over", "mse=0")
        self.assertEqual((got["max_diff"], got["mse"], got["diff_pixels"], got["alpha_diff_pixels"]), (0, 0, 0, 1))
        self.metrics("a.png", "b.png", "--fail-over", "alpha_max_diff=0", code=GATE)
        self.assertIn("they differ", self.passes("image", "a.png", "b.png").out)
        alone = "alpha is blended in by metrics of colour, such as ssimulacra2: the other ones of -m score the colours"
        for metrics, told in (("float_moment", True), ("butteraugli,float_moment", True), ("butteraugli", False),
                              ("flip,ssimulacra2", False), ("all", True)):
            self.assertEqual(alone in self.passes("image", "a.png", "b.png", "-m", metrics).err, told, metrics)

    def test_alpha_counts_in_metrics_of_colour(self):
        """A run on two images says so, and a picture that differs in alpha alone has their scores to show for it."""
        rows = pixels(20, 10, RGBA)
        self.png("a.png", rows, RGBA)
        self.png("b.png", [[v // 2 if i % 4 == 3 else v for i, v in enumerate(row)] for row in rows], RGBA)
        for metric, counts in (("ssimulacra2", True), ("flip", True), ("butteraugli", True), ("psnr", False)):
            scores = []
            for other in "ab":
                told = self.passes("-m", metric, "--csv", "s.csv", "--force", "a.png", other + ".png").err
                self.assertIn("its alpha counts in metrics of colour only; 'assay image' compares", told)
                scores.append(self.read("s.csv"))
            self.assertEqual(scores[0] != scores[1], counts, metric)

    def test_notes_in_the_report(self):
        """The report has the lines that standard error has, with -q, too. What holds of later pairs is said once."""
        for folder in "AB":
            for name in "abc":
                rows, kind = (pixels(20, 10), RGB) if name != "b" or folder == "A" else (pixels(20, 10, GREY), GREY)
                self.png(f"{folder}/{name}.png", rows, kind)
        self.write("B/c.png", b"no picture")
        args = "image", "A", "B", "-m", "ssimulacra2,ciede2000", "--json", "r.json", "--force"
        told = self.run_assay(*args).err
        pairs = json.loads(self.read("r.json"))["pairs"]
        self.assertIn("A/a.png has no tag of colour and is taken as sRGB, like all such images", pairs[0]["notes"])
        self.assertEqual(pairs[1]["notes"], "B/b.png: is grey, which is compared as three equal channels of RGB")
        self.assertNotIn("notes", pairs[2]) # as of all that could not be compared
        for pair in pairs[:2]:
            for line in pair["notes"].splitlines():
                self.assertIn(f"assay: {line}\n", told)
        self.run_assay(*args, "-q")
        self.assertEqual(json.loads(self.read("r.json"))["pairs"], pairs)
        self.passes("image", "A/a.png", "B/a.png", "--json", "s.json")
        self.assertIsNone(json.loads(self.read("s.json"))["pairs"][0]["notes"])

    def test_small_grey_and_palettes_are_expanded_exactly(self):
        for depth, factor in ((1, 255), (2, 85), (4, 17)):
            rows = [[(x * 3 + y) % (1 << depth) for x in range(19)] for y in range(7)]
            self.png("a.png", rows, GREY, depth)
            self.png("b.png", [[v * factor for v in row] for row in rows], GREY, 8)
            self.assertEqual(self.metrics("a.png", "b.png")["diff_pixels"], 0)
        colours = [(i * 37 % 256, i * 91 % 256, 255 - i) for i in range(16)]
        index = [[(x + 2 * y) % 16 for x in range(15)] for y in range(9)]
        palette = chunk(b"PLTE", b"".join(bytes(c) for c in colours))
        self.png("a.png", index, PALETTE, 4, before=[palette])
        self.png("b.png", [[v for i in row for v in colours[i]] for row in index])
        self.assertEqual(self.metrics("a.png", "b.png")["diff_pixels"], 0)
        # transparent palette entries are alpha
        self.png("c.png", index, PALETTE, 4, before=[palette, chunk(b"tRNS", bytes([0, 100]))])
        self.png("d.png", [[v for i in row for v in (*colours[i], (0, 100)[i] if i < 2 else 255)] for row in index],
                 RGBA)
        got = self.metrics("c.png", "d.png")
        self.assertEqual((got["diff_pixels"], got["alpha_diff_pixels"]), (0, 0))

    def test_pairs_that_do_not_match(self):
        self.png("a.png", pixels(20, 10))
        for name, rows, kind, depth, what in (("size.png", pixels(20, 11), RGB, 8, ["sizes", "20x10", "20x11"]),
                                              ("grey.png", pixels(20, 10, GREY_ALPHA), GREY_ALPHA, 8,
                                               ["channels", "rgb24", "gray8"]),
                                              ("alpha.png", pixels(20, 10, RGBA), RGBA, 8, ["channels", "with alpha"]),
                                              ("deep.png", pixels(20, 10, RGB, 16), RGB, 16,
                                               ["bit depths", "rgb24", "rgb48"])):
            self.png(name, rows, kind, depth)
            self.refuses(MISMATCH, what, "image", "a.png", name)
            self.refuses(MISMATCH, what, "image", name, "a.png")

    def test_damaged_files(self):
        good = png(pixels(20, 10))
        self.write("a.png", good)
        self.refuses(INPUT, "none.png", "image", "a.png", "none.png")
        for name, data in (("cut.png", good[:-30]), ("head.png", good[:20]), ("magic.png", MAGIC),
                           ("crc.png", good[:45] + bytes([good[45] ^ 1]) + good[46:]),
                           ("sizes.png", MAGIC + chunk(b"IHDR", struct.pack(">IIBBBBB", 0, 5, 8, 2, 0, 0, 0))),
                           ("huge.png", MAGIC + chunk(b"IHDR", struct.pack(">IIBBBBB", 70000, 5, 8, 2, 0, 0, 0))),
                           ("short.png", MAGIC + chunk(b"IHDR", struct.pack(">IIBBBBB", 20, 10, 8, 2, 0, 0, 0))
                            + chunk(b"IDAT", zlib.compress(b"\0" * 30)) + chunk(b"IEND", b""))):
            self.write(name, data)
            result = self.refuses(INPUT, name, "image", "a.png", name)
            self.assertNotIn("libav", result.err)
        self.write("empty.png", b"")
        self.refuses(INPUT, "empty", "image", "a.png", "empty.png")

    def test_gates(self):
        a = pixels(20, 10)
        self.png("a.png", a)
        self.png("b.png", moved(a, RGB, (3, 4, 1, (a[4][10] + 3) % 256)))
        most = int(self.metrics("a.png", "b.png")["max_diff"])
        result = self.run_assay("image", "a.png", "b.png", "--fail-over", f"max_diff={most - 1}", "--fail-under",
                                "psnr=20")
        self.assertEqual(result.code, GATE, result)
        self.assertRegex(result.out, rf"(?m)^FAIL  max_diff = {most}\.0*, at most {most - 1}$")
        self.assertRegex(result.out, r"(?m)^pass  psnr = ")
        self.passes("image", "a.png", "b.png", "--fail-over", f"max_diff={most}")
        self.refuses(USAGE, ["psnr_cb", "max_diff"], "image", "a.png", "b.png", "--fail-under", "psnr_cb=3")
        self.refuses(USAGE, "no pool", "image", "a.png", "b.png", "--fail-under", "psnr.min=3")

    def test_other_metrics(self):
        a = pixels(32, 32)
        self.png("a.png", a)
        self.png("b.png", moved(a, RGB, (3, 4, 1, 255 - a[4][10])))
        got = self.metrics("a.png", "b.png", "-m", "ssimulacra2,float_moment")
        self.assertIn("ssimulacra2", got)
        self.assertIn("float_moment_ref1st_r", got)
        plain = {k: v for k, v in got.items() if "moment" not in k and k != "ssimulacra2"}
        self.assertEqual(plain, self.metrics("a.png", "b.png"))
        self.refuses(USAGE, "luma", "image", "a.png", "b.png", "-m", "float_ssim")
        self.assertIn("float_ssim", self.metrics("a.png", "b.png", "-m", "float_ssim", "--matrix", "bt709"))
        self.assertNotIn("mse", self.metrics("a.png", "b.png", "-m", "psnr"))
        self.assertRegex(self.passes("image", "a.png", "b.png", "-m", "ssimulacra2").out, r"(?m)^ssimulacra2  [0-9.]+$")

    def test_colours(self):
        """Codes of different colours are not compared unless it is asked for; a metric of colour converts each side."""
        a = pixels(16, 16)
        profile = chunk(b"iCCP", b"mine\0\0" + zlib.compress(b"\0" * 132))
        tags = {"none": [], "srgb": [chunk(b"sRGB", b"\0")], "gama": [chunk(b"gAMA", struct.pack(">I", 45455))],
                "cicp": [chunk(b"cICP", bytes([1, 13, 0, 1]))], "linear": [chunk(b"gAMA", struct.pack(">I", 100000))],
                "other": [chunk(b"gAMA", struct.pack(">I", 55000))], "odd": [chunk(b"cICP", bytes([9, 200, 0, 1]))]}
        for name, before in tags.items():
            self.png(f"{name}.png", a, before=before)
        for name in ("srgb", "gama", "cicp"):
            self.assertEqual(self.metrics("none.png", f"{name}.png", "-m", "ssimulacra2")["ssimulacra2"], 100)
        for name in ("linear", "other"):
            self.assertEqual(self.metrics(f"{name}.png", f"{name}.png", "-m", "ssimulacra2")["ssimulacra2"], 100)
            self.assertLess(self.metrics("none.png", f"{name}.png", "-m", "ssimulacra2")["ssimulacra2"], 99)
        for first, second in (("none", "other"), ("none", "linear"), ("srgb", "odd")):
            self.refuses(MISMATCH, ["colours differ", f"{first}.png", f"{second}.png", "--allow-colour"], "image",
                         f"{first}.png", f"{second}.png")
            self.assertEqual(self.metrics(f"{first}.png", f"{second}.png", "--allow-colour")["max_diff"], 0)
            got = self.metrics(f"{first}.png", f"{second}.png", "-m", "ssimulacra2", "--assume", "srgb")
            self.assertEqual((got["ssimulacra2"], got["max_diff"]), (100, 0))
        self.png("limited.png", a, before=[chunk(b"cICP", bytes([1, 13, 0, 0]))])
        self.refuses(MISMATCH, "ranges differ: cicp.png is 16x16 rgb24, limited.png is 16x16 rgb24 of limited range",
                     "image", "cicp.png", "limited.png")
        self.refuses(USAGE, ["odd.png", "transfer"], "image", "odd.png", "odd.png", "-m", "ssimulacra2")
        self.assertEqual(self.metrics("odd.png", "odd.png")["max_diff"], 0)
        self.png("profile.png", a, before=[profile]) # one that libpng can't use is no profile
        self.metrics("profile.png", "none.png")
        self.refuses(USAGE, "--assume", "image", "none.png", "none.png", "--assume", "adobe")

    def test_gamma_of_a_file(self):
        """A power by gAMA: 1/2.2 under another name, and one that is not."""
        a = pixels(20, 10)
        b = moved(a, RGB, (6, 5, 2, 200), (9, 3, 1, 0))
        for name, gamma in (("g", 50000), ("h", 35714)):
            self.png(f"{name}a.png", a, before=[chunk(b"gAMA", struct.pack(">I", gamma))])
            self.png(f"{name}b.png", b, before=[chunk(b"gAMA", struct.pack(">I", gamma))])
        by_file = self.metrics("ha.png", "hb.png", "-m", "ssimulacra2")["ssimulacra2"]
        by_option = self.metrics("ha.png", "hb.png", "-m", "ssimulacra2=transfer=gamma28")["ssimulacra2"]
        self.assertAlmostEqual(by_file, by_option, delta=1e-3) # 100000 / 35714 is 2.80002
        self.assertGreater(abs(by_file - self.metrics("ga.png", "gb.png", "-m", "ssimulacra2")["ssimulacra2"]), 0.01)

    def test_alpha_over_two_backgrounds(self):
        def score(name, alpha_a, alpha_b):
            rows = []
            for side, alpha in ((a, alpha_a), (b, alpha_b)):
                rows.append([[v for x in range(20) for v in (*row[3 * x:3 * x + 3], alpha)] for row in side])
            self.png(f"{name}a.png", rows[0], RGBA)
            self.png(f"{name}b.png", rows[1], RGBA)
            return self.metrics(f"{name}a.png", f"{name}b.png", "-m", "ssimulacra2")["ssimulacra2"]
        a = pixels(20, 10)
        b = moved(a, RGB, (6, 5, 2, 200), (9, 3, 1, 0))
        self.png("a.png", a)
        self.png("b.png", b)
        plain = self.metrics("a.png", "b.png", "-m", "ssimulacra2")["ssimulacra2"]
        self.assertEqual(score("opaque", 255, 255), plain)
        self.assertEqual(score("clear", 0, 0), 100)
        self.assertLess(plain, score("half", 128, 128))
        for grey in (26, 230): # as good as 0.1 and 0.9: what one background hides, the other shows
            a = b = [[grey] * 60] * 10
            self.assertLess(score("hidden", 255, 0), 95)

    def folders(self):
        """Two pairs that differ, one that does not, and a file on each side that has no partner."""
        a = pixels(20, 10)
        for name, change in (("same", 0), ("near", 1), ("far", 90)):
            self.png(f"A/{name}.png", a)
            self.png(f"B/{name}.png", moved(a, RGB, (6, 5, 2, a[5][20] ^ change)))
        self.png("A/only_here.png", a)
        self.png("B/only_there.png", a)
        self.write("A/.hidden", b"x")
        (self.dir / "A" / "folder").mkdir()

    def test_folders(self):
        self.folders()
        result = self.run_assay("image", "A", "B", "--json", "o.json")
        self.assertEqual(result.code, MISMATCH, result)
        self.assertIn("2 files are in one folder only, the first is A/only_here.png", result.err)
        rows = [line.split() for line in result.out.splitlines()]
        self.assertEqual([r[-1] for r in rows[:4]], ["image", "far.png", "near.png", "same.png"])
        self.assertEqual([r[0] for r in rows[:4]], ["result", "differs", "differs", "equal"])
        self.assertEqual(rows[4:6], [["no", "partner:", "A/only_here.png"], ["no", "partner:", "B/only_there.png"]])
        report = json.loads(self.read("o.json"))
        self.assertEqual(report["unpaired"], {"reference": ["only_here.png"], "distorted": ["only_there.png"]})
        self.assertEqual([(p["name"], p["result"]) for p in report["pairs"]],
                         [("far.png", "differs"), ("near.png", "differs"), ("same.png", "equal")])
        self.assertEqual(report["pairs"][1]["metrics"]["max_diff"], 1)
        result = self.passes("image", "A", "B", "--allow-unpaired")
        self.assertIn("no partner: A/only_here.png", result.out)

    def test_folders_say_what_is_left_out(self):
        """A folder that is not looked into is no pass; a hidden file is only listed."""
        self.folders()
        (self.dir / "B/only_there.png").unlink()
        (self.dir / "A/only_here.png").unlink()
        result = self.run_assay("image", "A", "B", "--fail-over", "max_diff=255", "--json", "o.json")
        self.assertEqual(result.code, MISMATCH, result)
        self.assertIn("1 folder was not looked into, the first is A/folder", result.err)
        self.assertIn("left out: A/.hidden (hidden)\nleft out: A/folder (folder)\n", result.out)
        self.assertEqual(json.loads(self.read("o.json"))["left_out"],
                         [{"path": "A/.hidden", "why": "hidden"}, {"path": "A/folder", "why": "folder"}])
        result = self.passes("image", "A", "B", "--allow-unpaired")
        self.assertIn("\n3 pairs: 1 equal, 2 differ, 0 failed, 0 errors, 0 unpaired, 2 left out\nworst: far.png (psnr ",
                      result.out)
        self.passes("image", "A", "B", "--recursive") # the folder is empty
        self.refuses(USAGE, "--recursive", "image", "A/far.png", "B/far.png", "--recursive")

    def test_text_among_the_images(self):
        """Left out with a line; text with the name of an image, and what is no text, are an error as before."""
        self.folders()
        for name in ("A/notes.txt", "A/Makefile", "B/notes.txt"):
            self.write(name, "naïve\tnotes\r\n".encode())
        result = self.passes("image", "A", "B", "--allow-unpaired")
        for name in ("A/Makefile", "A/notes.txt", "B/notes.txt"):
            self.assertIn(f"left out: {name} (text)\n", result.out)
        self.assertIn("3 pairs: 1 equal, 2 differ, 0 failed, 0 errors, 2 unpaired, 5 left out", result.out)
        for name, data in (("page.png", b"<html>404</html>"), ("cut.bin", b"PNG\0"), ("none", b"")):
            for side in "AB":
                self.write(f"{side}/{name}", data)
            result = self.run_assay("image", "A", "B", "--allow-unpaired")
            self.assertEqual(result.code, INPUT, result)
            self.assertIn(f"{name}: ", result.err)
            for side in "AB":
                (self.dir / side / name).unlink()

    def test_one_against_a_folder(self):
        """The reference is compared with each image of the folder, and not with itself."""
        self.folders()
        (self.dir / "B/deep").mkdir()
        self.png("B/deep/more.png", pixels(20, 10))
        self.png("B/ref.png", pixels(20, 10))
        self.fails(MISMATCH, "1 folder was not looked into", "image", "B/ref.png", "B")
        result = self.passes("image", "B/ref.png", "B", "--recursive", "--precision", "max",
                             "--json", "o.json")
        self.assertIn("left out: B/ref.png (the reference)\n", result.out)
        pairs = json.loads(self.read("o.json"))["pairs"]
        results = {"deep/more.png": "equal", "far.png": "differs", "near.png": "differs", "only_there.png": "equal",
                   "same.png": "equal"}
        self.assertEqual([(p["name"], p["reference"], p["distorted"], p["result"]) for p in pairs],
                         [(name, "B/ref.png", "B/" + name, result) for name, result in results.items()])
        self.assertEqual(pairs[1]["metrics"], self.metrics("A/far.png", "B/far.png"))
        self.assertEqual(self.run_assay("image", "B/ref.png", "B", "-R", "--fail-over", "max_diff=1").code, GATE)
        (self.dir / "empty").mkdir()
        self.refuses(MISMATCH, "empty holds no image to compare with B/ref.png", "image", "B/ref.png", "empty")

    def test_heatmaps_of_names_that_are_alike(self):
        """No pair's map is written over another one's."""
        clear, opaque = pixels(20, 10, RGBA), pixels(20, 10)
        for name in ("scene.png", "scene.alpha.png", "n.png", "n"):
            both = (clear, moved(clear, RGBA, (7, 2, 3, 0))) if name == "scene.png" else (
                opaque, moved(opaque, RGB, (3, 1, 0, 255 - opaque[1][9])))
            for side, data in zip("AB", both):
                (self.dir / side).mkdir(exist_ok=True)
                self.png(f"{side}/{name}", data, *([RGBA] if name == "scene.png" else []))
        self.passes("image", "A", "B", "--heatmap", "maps")
        self.assertEqual(sorted(f.name for f in (self.dir / "maps").iterdir()),
                         ["n.diff.png", "n.png.diff.png", "scene.alpha.diff.png", "scene.png.alpha.diff.png",
                          "scene.png.diff.png"])

    def test_gates_and_alpha(self):
        """Gates on colour say that alpha differs; pictures without alpha are opaque."""
        a = pixels(20, 10, RGBA)
        self.png("a.png", a, RGBA)
        self.png("b.png", moved(a, RGBA, (7, 2, 3, 255 - a[2][31]), (8, 2, 3, 255 - a[2][35])), RGBA)
        said = "note  alpha differs in 2 pixels, and no gate is on it (--fail-over alpha_max_diff=0)\n"
        for quiet in ([], ["-q"]):
            self.assertIn(said, self.passes("image", "a.png", "b.png", "--fail-over", "max_diff=0", *quiet).out)
        self.assertNotIn("note", self.passes("image", "a.png", "b.png").out)
        self.assertNotIn("note", self.passes("image", "a.png", "a.png", "--fail-over", "max_diff=0").out)
        gated = self.run_assay("image", "a.png", "b.png", "--fail-over", "max_diff=0",
                               "--fail-over", "alpha_max_diff=0")
        self.assertEqual(gated.code, GATE, gated)
        self.assertNotIn("note", gated.out)
        self.folders()
        for side, name in (("A", "a"), ("B", "b")):
            for to in ("x", "y"):
                self.write(f"{side}/{to}.png", (self.dir / f"{name}.png").read_bytes())
        result = self.passes("image", "A", "B", "--allow-unpaired", "-q", "--fail-over", "max_diff=255")
        self.assertIn("note  alpha differs in 2 pairs, the first is x.png: 2 pixels, and no gate is on it", result.out)
        # of the five pairs three have no alpha
        result = self.run_assay("image", "A", "B", "--allow-unpaired", "-q", "--fail-over", "alpha_max_diff=0",
                                "--fail-over", "alpha_diff_pixels=0%", "--fail-under", "alpha_psnr=99")
        self.assertEqual(result.code, GATE, result)
        self.assertEqual(sorted({line.split()[1] for line in result.out.splitlines()}), ["x.png:", "y.png:"])
        result = self.passes("image", "A/far.png", "B/far.png", "--fail-over", "alpha_max_diff=0")
        self.assertRegex(result.out, r"(?m)^pass  alpha_max_diff = 0\.0*, at most 0$")
        self.refuses(USAGE, "alpha_ssim", "image", "-q", "A/far.png", "B/far.png", "--fail-over", "alpha_ssim=0")

    def test_bytes_and_bits_per_pixel(self):
        """Of each file and its whole picture, also where a part is compared."""
        self.folders()
        size = [(self.dir / side / "far.png").stat().st_size for side in "AB"]
        result = self.passes("image", "A/far.png", "B/far.png")
        bits = [8 * n / 200 for n in size]
        self.assertIn(f"\nbytes  {size[1]} against {size[0]}: {bits[1]:.3f} against {bits[0]:.3f} bits per pixel\n",
                      result.out)
        for crop in ([], ["--crop-ref", "8x8+0+0", "--crop-dis", "8x8+0+0"]):
            self.passes("image", "-q", "A/far.png", "B/far.png", *crop, "--json", "o.json", "--csv", "o.csv",
                        "--precision", "max", "--force")
            pair = json.loads(self.read("o.json"))["pairs"][0]
            head, row = (line.split(",") for line in self.read("o.csv").splitlines())
            row = dict(zip(head, row))
            for side, n, b in zip(("reference", "distorted"), size, bits):
                self.assertEqual((pair[side + "_bytes"], pair[side + "_bits_per_pixel"]), (n, b))
                self.assertEqual((int(row[side + "_bytes"]), float(row[side + "_bits_per_pixel"])), (n, b))
        out = self.passes("image", "A", "B", "--allow-unpaired").out.splitlines()
        self.assertEqual((out[0].split()[6], out[1].split()[6]), ("bits/px", f"{bits[1]:.3f}"))
        data = (self.dir / "B/far.png").read_bytes()
        piped = self.run_assay("image", "-q", "A/far.png", "-", "--json", "-", input=data, text=False)
        self.assertNotIn("distorted_bytes", json.loads(piped.out)["pairs"][0])

    def test_gates_in_percent(self):
        """Of the picture's pixels; a share that is the limit itself passes, whatever its binary fraction."""
        a = [[0] * 3 * 100] * 100
        self.png("a.png", a)
        for n in (1, 7, 29, 5700):
            self.png("b.png", [[255 if 100 * y + x // 3 < n else 0 for x in range(300)] for y in range(100)])
            limit = f"{n // 100}.{n % 100:02}"
            result = self.passes("image", "a.png", "b.png", "--fail-over", f"diff_pixels={limit}%")
            self.assertRegex(result.out, rf"(?m)^pass  diff_pixels = {limit}0000 %, at most {float(limit):g} %$")
            result = self.run_assay("image", "a.png", "b.png", "--fail-over", f"diff_pixels={n / 100 - 1e-9:.9f}%")
            self.assertEqual(result.code, GATE, result)
        self.refuses(USAGE, "'max_diff' counts no pixels", "image", "-q", "a.png", "b.png", "--fail-over",
                     "max_diff=1%")
        self.refuses(USAGE, "not a number", "image", "a.png", "b.png", "--fail-over", "diff_pixels=%")
        for limit in ("100.1%", "-1%", "inf%"):
            self.refuses(USAGE, "0% to 100%", "image", "a.png", "b.png", "--fail-over", f"diff_pixels={limit}")
        self.refuses(USAGE, "for 'assay image'", "a.png", "b.png", "--fail-over", "diff_pixels=1%")

    def test_folders_within_folders(self):
        rows = pixels(20, 10)
        for side, change in (("A", 0), ("B", 1)):
            for name in ("10.png", "9.png", "deep/er/1.png", "deep/2.png"):
                (self.dir / side / name).parent.mkdir(parents=True, exist_ok=True)
                self.png(f"{side}/{name}", moved(rows, RGB, (6, 5, 2, rows[5][20] ^ change)))
            (self.dir / side / "deep" / "round").symlink_to(self.dir / side)
        result = self.run_assay("image", "A", "B", "-R", "--fail-over", "max_diff=0", "--heatmap", "maps")
        self.assertEqual(result.code, GATE, result)
        self.assertEqual([line.split()[-1] for line in result.out.splitlines()[1:5]],
                         ["9.png", "10.png", "deep/2.png", "deep/er/1.png"])
        self.assertIn("left out: A/deep/round (link to a folder around it)", result.out)
        self.assertIn("FAIL  deep/er/1.png: max_diff", result.out)
        self.assertTrue((self.dir / "maps/deep/er/1.diff.png").exists())

    def test_folders_of_two_formats(self):
        """A name without a partner is compared with the only one that differs in the ending."""
        rows = pixels(20, 10)
        for name in ("A/one.png", "B/one.PNG", "A/two.png", "B/two.PNG", "B/two.Png", "A/three.png", "B/three.png"):
            self.png(name, rows)
        result = self.run_assay("image", "A", "B", "--json", "o.json")
        self.assertEqual(result.code, MISMATCH, result)
        self.assertIn("3 files are in one folder only, the first is A/two.png", result.err)
        pairs = json.loads(self.read("o.json"))["pairs"]
        self.assertEqual([(p["reference"], p["distorted"]) for p in pairs],
                         [("A/one.png", "B/one.PNG"), ("A/three.png", "B/three.png")])

    def test_folders_keep_what_was_done_before_ctrl_c(self):
        """Rows come one by one; a signal ends the run with a report of the pairs that were compared."""
        self.png("picture.png", pixels(400, 300))
        for side in "AB":
            (self.dir / side).mkdir()
            for i in range(400):
                (self.dir / side / f"{i}.png").symlink_to(self.dir / "picture.png")
        run = subprocess.Popen([command.PROGRAM, "image", "A", "B", "--json", "o.json"], cwd=self.dir,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        run.stdout.readline()
        self.assertIn(" 0.png", run.stdout.readline())
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=600)
        self.assertEqual((run.returncode, err), (130, "assay: stopped by SIGINT\n"))
        report = json.loads(self.read("o.json"))
        done = len(report["pairs"])
        self.assertTrue(1 <= done < 400)
        self.assertEqual((report["incomplete"], report["reason"]), (True, "stopped by SIGINT"))
        self.assertEqual(report["summary"]["pairs"], done)
        self.assertRegex(out, rf"(?m)^{done} of 400 pairs: {done} equal, ")

    def test_a_pipe_that_nobody_opens_is_waited_for_until_a_signal(self):
        for name in ("a", "b"):
            os.mkfifo(self.dir / name)
        run = subprocess.Popen([command.PROGRAM, "image", "a", "b"], cwd=self.dir, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        pipe, opened = os.path.realpath(self.dir / "a"), f"/proc/{run.pid}/fd"
        while all(os.path.realpath(f"{opened}/{fd}") != pipe for fd in os.listdir(opened)): # signals are caught by then
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        err = run.communicate(timeout=60)[1]
        self.assertEqual((run.returncode, err), (143, "assay: stopped by SIGTERM\n"))

    def test_folders_of_many_pairs(self):
        """Files are read ahead by several threads: every pair meets its own partner, and has its row in order."""
        small = [png(pixels(8 + i, 5, seed=i)) for i in range(7)]
        for side in "AB":
            (self.dir / side).mkdir()
            for i in range(300):
                self.write(f"{side}/{i}.png", small[i % 7] if i != 150 or side == "A" else b"no image")
        result = self.run_assay("image", "A", "B", "--json", "o.json")
        self.assertEqual(result.code, INPUT, result)
        pairs = json.loads(self.read("o.json"))["pairs"]
        self.assertEqual([p["name"] for p in pairs], [f"{i}.png" for i in range(300)])
        self.assertEqual([p["result"] for p in pairs], ["error" if i == 150 else "equal" for i in range(300)])
        self.assertEqual({p["width"] - 8 - i % 7 for i, p in enumerate(pairs) if i != 150}, {0})
        self.assertEqual([line.split()[-1] for line in result.out.splitlines()[1:301]],
                         [f"{i}.png" for i in range(300)])

    def test_memory(self):
        """The pictures are scored where they were read to: two of 48 MB take little more than 96 MB, and some 5 MB for
        each thread."""
        watch = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
                 "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        peaks = []
        for size in (4, 4000):
            for name, value in (("a.png", 1), ("b.png", 2)):
                self.write(name, MAGIC + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, RGB, 0, 0, 0))
                           + chunk(b"IDAT", zlib.compress((b"\0" + bytes([value]) * 3 * size) * size, 1))
                           + chunk(b"IEND", b""))
            done = subprocess.run([sys.executable, "-c", watch, command.PROGRAM, "image", "-q", "-t", "2", "a.png",
                                   "b.png"], cwd=self.dir, capture_output=True, text=True, check=True)
            peaks.append(int(done.stdout))
        # A sanitizer keeps shadow bytes and freed blocks, which are not the command's memory.
        if os.environ.get("ASSAY_SANITIZED") != "1":
            self.assertLess(peaks[1] - peaks[0], 110 * 1024)

    def test_progress_of_folders(self):
        self.folders()
        result = self.passes("image", "A", "B", "--allow-unpaired", "--progress")
        self.assertRegex(result.err, r"^assay: 1/3 pairs +33 %  [0-9.]+ pairs/s  [0-9:]+ left\n$")

    def test_figures_of_other_metrics_fit_the_line(self):
        self.folders()
        out = self.passes("image", "A", "B", "--allow-unpaired", "-m", "all", "--matrix", "bt709").out
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertEqual(out.count("ssimulacra2 "), 3)

    def test_folders_gates_and_heatmaps(self):
        self.folders()
        result = self.run_assay("image", "A", "B", "--allow-unpaired", "--fail-over", "max_diff=2", "--heatmap", "maps",
                                "--json", "o.json")
        self.assertEqual(result.code, GATE, result)
        self.assertEqual([p.name for p in (self.dir / "maps").iterdir()], ["far.diff.png"])
        self.assertRegex(result.out, r"(?m)^FAIL  far.png: max_diff = \d+\.0*, at most 2$")
        self.assertNotRegex(result.out, r"(?m)^pass  .*max_diff =")
        self.assertEqual([p["heatmap"] for p in json.loads(self.read("o.json"))["pairs"]], [True, False, False])
        self.passes("image", "A", "B", "--allow-unpaired", "--heatmap", "all")
        self.assertEqual(sorted(p.name for p in (self.dir / "all").iterdir()), ["far.diff.png", "near.diff.png"])

    def test_heatmap_shows_where(self):
        """Black where nothing differs, the last colour at the largest difference, alpha in a picture of its own."""
        a = pixels(20, 10, RGBA)
        n = CHANNELS[RGBA]
        self.png("a.png", a, RGBA)
        self.png("b.png", moved(a, RGBA, (6, 5, 2, (a[5][6 * n + 2] + 100) % 256), (7, 5, 0, a[5][7 * n] ^ 1),
                                (1, 1, 3, a[1][n + 3] ^ 8)), RGBA)
        self.passes("image", "a.png", "b.png", "--heatmap", "m")
        width, height, rows, chunks = read_png((self.dir / "m" / "b.diff.png").read_bytes())
        self.assertEqual((width, height), (20, 10))
        coloured = {(x, y): rows[y][x] for y in range(10) for x in range(20) if rows[y][x] != (0, 0, 0)}
        self.assertEqual(sorted(coloured), [(6, 5), (7, 5)])
        self.assertEqual(coloured[(6, 5)], (254, 232, 56))
        self.assertLess(sum(coloured[(7, 5)]), sum(coloured[(6, 5)]))
        self.assertIn(b"the brightest colour is", chunks[b"tEXt"])
        _, _, rows, _ = read_png((self.dir / "m" / "b.alpha.diff.png").read_bytes())
        self.assertEqual([(x, y) for y in range(10) for x in range(20) if rows[y][x] != (0, 0, 0)], [(1, 1)])

    def test_folders_with_pairs_that_fail(self):
        """One that can't be read and one that does not match: the others are compared, each says its line."""
        self.folders()
        self.write("B/near.png", b"\x89PNG\r\n\x1a\nrubbish")
        self.png("B/far.png", pixels(21, 10))
        result = self.run_assay("image", "A", "B", "--allow-unpaired", "--json", "o.json")
        self.assertEqual(result.code, MISMATCH, result) # of the first one
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 2, result)
        self.assertTrue(all(line.startswith("assay: ") for line in lines))
        self.assertIn("near.png", lines[0])
        self.assertIn("sizes", lines[1])
        report = json.loads(self.read("o.json"))
        self.assertEqual([p["result"] for p in report["pairs"]], ["error", "error", "equal"])
        self.assertEqual([p.get("code") for p in report["pairs"]], [5, 3, None])

    def test_formats_that_change_between_pairs(self):
        for name, kind, depth, size in (("a", RGB, 8, 20), ("b", GREY, 16, 31), ("c", RGBA, 8, 20), ("d", RGB, 8, 20)):
            rows = pixels(size, 9, kind, depth)
            self.png(f"A/{name}.png", rows, kind, depth)
            self.png(f"B/{name}.png", moved(rows, kind, (2, 2, 0, rows[2][2 * CHANNELS[kind]] ^ 1)), kind, depth)
        for pair in self.as_alone():
            self.assertEqual(pair["metrics"]["max_diff"], 1)

    def as_alone(self, *how):
        """The pairs of two folders, each of which has the figures that it has alone."""
        self.passes("image", "A", "B", "--json", "o.json", "--force", "-q", "--precision", "max", *how)
        pairs = json.loads(self.read("o.json"))["pairs"]
        for pair in pairs:
            alone = self.metrics("A/" + pair["name"], "B/" + pair["name"], *how)
            self.assertEqual(pair["metrics"], alone, pair["name"])
        return pairs

    def test_colours_that_change_between_pairs(self):
        """Of one side alone, too."""
        for first, second in (("A", "B"), ("B", "A")):
            for i, gamma in enumerate((45455, 55000, 35714, 100000, 45455)):
                self.png(f"{first}/{i}.png", pixels(20, 10))
                self.png(f"{second}/{i}.png", pixels(20, 10), before=[chunk(b"gAMA", struct.pack(">I", gamma))])
            scores = [pair["metrics"]["ssimulacra2"] for pair in self.as_alone("-m", "ssimulacra2")]
            self.assertEqual((scores[0], scores[4], len(set(scores))), (100, 100, 4))
            # Codes of other colours are not compared: there is no figure that the gate could pass.
            gated = self.run_assay("image", "A", "B", "-q", "-m", "ssimulacra2", "--fail-over", "max_diff=0")
            self.assertEqual(gated.code, GATE, gated)
            self.assertEqual(gated.out.splitlines(),
                             [f"FAIL  {i}.png: max_diff: this pair has no such figure" for i in (1, 2, 3)])

    def test_refusals(self):
        self.folders()
        self.png("a.png", pixels(4, 4))
        self.refuses(USAGE, ["is a folder and 'a.png' is not", "(assay image a.png A)"], "image", "A", "a.png")
        self.refuses(USAGE, "two inputs", "image", "A")
        self.refuses(USAGE, ["more than two", "third is C: 'assay REFERENCE ENCODE ENCODE ...'",
                             "'assay image REFERENCE FOLDER'"], "image", "A", "B", "C")
        self.refuses(USAGE, ["'A' is a folder", "'assay image REFERENCE-FOLDER DISTORTED-FOLDER'"], "A", "B")
        self.refuses(USAGE, "'B' is a folder", "a.png", "a.png", "B")
        for option in (["--frames", 3], ["--xml", "x"], ["-w", 3], ["--dump-graph"], ["--allow-size"],
                       ["--backends", "cpu,cpu:scalar"]):
            self.refuses(USAGE, "not for 'assay image'", "image", "A", "B", *option)
        (self.dir / "empty").mkdir()
        self.refuses(MISMATCH, "no file name in common", "image", "A", "empty")
        self.refuses(INPUT, "nowhere", "image", "a.png", "nowhere")
        self.refuses(USAGE, "overwritten", "image", "a.png", "a.png", "--json", "a.png")
        self.refuses(USAGE, "images themselves", "image", "A", "B", "--heatmap", "B")
        self.refuses(INTERNAL, "no/such", "image", "a.png", "a.png", "--heatmap", "no/such")
        self.refuses(USAGE, "quantum", "image", "a.png", "a.png", "--backend", "quantum")
        self.fails(INTERNAL, "/dev/null/o.json", "image", "-q", "a.png", "a.png", "--json", "/dev/null/o.json")

    def test_request(self):
        """`assay run` of a request prints what `assay image` prints, and takes its options."""
        rows = pixels(20, 10)
        request = {"assay": "request/1", "compare": "pictures", "reference": {"file": self.png("a.png", rows)},
                   "encodes": [{"file": self.png("b.png", moved(rows, RGB, (3, 2, 1, rows[2][10] ^ 4)))}]}
        path = self.write("r.json", json.dumps(request).encode())
        self.assertEqual(self.passes("run", path).out, self.passes("image", "a.png", "b.png").out)
        self.assertEqual(self.run_assay("run", path, "--fail-over", "max_diff=0").code, GATE)
        self.refuses(USAGE, "not for 'assay image'", "run", path, "--xml", "x.xml")
        request["encodes"] *= 2
        self.refuses(USAGE, "2 encodes", "run", self.write("r2.json", json.dumps(request).encode()))

    def test_png_from_a_pipe(self):
        rows = pixels(20, 10)
        self.png("a.png", rows)
        data = png(moved(rows, RGB, (0, 0, 0, rows[0][0] ^ 1)))
        result = self.run_assay("image", "a.png", "-", input=data, text=False)
        self.assertEqual(result.code, PASS, result)
        self.assertIn(b"they differ", result.out)

    @command.unittest.skipUnless(os.environ.get("ASSAY_VULKAN"), "this build has no Vulkan")
    def test_device(self):
        rows = pixels(67, 41, RGBA, 16)
        self.png("a.png", rows, RGBA, 16)
        self.png("b.png", moved(rows, RGBA, (60, 40, 1, 7), (1, 1, 3, 9)), RGBA, 16)
        result = self.run_assay("image", "a.png", "b.png", "--backend", "vulkan")
        if result.code == DEVICE and not os.environ.get("CI"):
            self.skipTest(result.err)
        self.assertEqual(self.metrics("a.png", "b.png"), self.metrics("a.png", "b.png", "--backend", "vulkan"))


@command.unittest.skipUnless(os.environ.get("ASSAY_LIBAV"), "this build has no libav")
class OtherFormats(Case):
    def test_ppm_by_libav(self):
        def ppm(rows):
            return b"P6\n20 10\n255\n" + b"".join(bytes(r) for r in rows)
        rows = pixels(20, 10)
        self.write("a.ppm", ppm(rows))
        self.write("b.ppm", ppm(moved(rows, RGB, (3, 2, 1, rows[2][10] ^ 4))))
        result = self.passes("image", "-q", "--json", "-", "a.ppm", "b.ppm")
        self.assertEqual(json.loads(result.out)["pairs"][0]["metrics"]["max_diff"], 4)

    def test_video_is_refused(self):
        video, other = self.pair(frames=2)
        self.refuses(INPUT, "more than one picture", "image", video, other)


if __name__ == "__main__":
    main()
