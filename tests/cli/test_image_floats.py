# SPDX-License-Identifier: BSD-2-Clause
"""Images of floats in `assay image`: PFM and OpenEXR, exact figures, and the codes that metrics of colour take."""
import json
import math
import os
import random
import struct
import zlib

from command import GATE, INPUT, MISMATCH, USAGE, Case, main
from pictures import RGB, png, read_png

W, H = 24, 20
HAS_EXR = "exr" in os.environ.get("ASSAY_IMAGES", "").split()
UINT, HALF, FLOAT = 0, 1, 2


def f32(v):
    return struct.unpack("<f", struct.pack("<f", v))[0]


def picture(channels=3):
    """Rows of pixels, all channels of a pixel together, from 0 to 1; halves hold them exactly."""
    return [[((x * 7 + y * 13 + c * 5) % 65) / 64 for x in range(W) for c in range(channels)] for y in range(H)]


def pfm(rows, channels=3, order="<", scale="1.0"):
    head = f"P{'F' if channels == 3 else 'f'}\n{len(rows[0]) // channels} {len(rows)}\n{'-' * (order == '<')}{scale}\n"
    return head.encode() + b"".join(struct.pack(f"{order}{len(row)}f", *row) for row in reversed(rows))


def attribute(name, kind, body):
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(body)) + body


def zipped(body):
    """OpenEXR's ZIPS: bytes at even places, then those at odd ones, as differences, by zlib."""
    split = body[0::2] + body[1::2]
    packed = zlib.compress(split[:1] + bytes((b - a + 128) % 256 for a, b in zip(split, split[1:])))
    return packed if len(packed) < len(body) else body


def exr(rows, names="RGB", kind=FLOAT, sampling=1, chromaticities=None, data=None, display=None, tile=0, flags=0,
        zips=False, mips=False, aspect=1):
    """An OpenEXR file, uncompressed unless `zips`; `mips`: with black copies of half the size and so on.
    `data`, `display`: windows (x0, y0, x1, y1)."""
    n, height = len(names), len(rows)
    width = len(rows[0]) // n
    data = data or (0, 0, width - 1, height - 1)
    order = sorted(range(n), key=lambda c: names[c])
    code = {UINT: "I", HALF: "e", FLOAT: "f"}[kind]
    channels = b"".join(names[c].encode() + b"\0" +
                        struct.pack("<iB3xii", kind, 0, sampling, sampling) for c in order) + b"\0"
    head = attribute("channels", "chlist", channels) + attribute("compression", "compression", bytes([2 * zips]))
    head += attribute("dataWindow", "box2i", struct.pack("<4i", *data))
    head += attribute("displayWindow", "box2i", struct.pack("<4i", *(display or data)))
    head += attribute("lineOrder", "lineOrder", b"\0")
    head += attribute("pixelAspectRatio", "float", struct.pack("<f", aspect))
    head += attribute("screenWindowCenter", "v2f", bytes(8)) + attribute("screenWindowWidth", "float",
                                                                         struct.pack("<f", 1))
    if chromaticities:
        head += attribute("chromaticities", "chromaticities", struct.pack("<8f", *chromaticities))
    if tile:
        head += attribute("tiles", "tiledesc", struct.pack("<IIB", tile, tile, mips))
    head = struct.pack("<II", 20000630, 2 | flags | (0x200 if tile else 0)) + head + b"\0"
    chunks = []
    if tile:
        for y in range(0, height, tile):
            for x in range(0, width, tile):
                body = b"".join(struct.pack(f"<{len(part)}{code}", *part) for row in rows[y:y + tile] for c in order
                                for part in [row[n * x + c:n * min(x + tile, width):n]])
                body = zipped(body) if zips else body
                chunks.append(struct.pack("<5i", x // tile, y // tile, 0, 0, len(body)) + body)
        for level in range(1, max(width, height).bit_length() if mips else 1):
            size = max(1, width >> level) * max(1, height >> level) * n * struct.calcsize(code)
            chunks.append(struct.pack("<5i", 0, 0, level, level, size) + bytes(size))
    else:
        for y, row in enumerate(rows):
            body = b"".join(struct.pack(f"<{width}{code}", *row[c::n]) for c in order)
            body = zipped(body) if zips else body
            chunks.append(struct.pack("<ii", data[1] + y, len(body)) + body)
    at, table = len(head) + 8 * len(chunks), b""
    for c in chunks:
        table += struct.pack("<Q", at)
        at += len(c)
    return head + table + b"".join(chunks)


def changed(rows, *changes):
    out = [list(row) for row in rows]
    for y, i, v in changes:
        out[y][i] = v
    return out


class Base(Case):
    def pair(self, *args):
        return json.loads(self.passes("image", "-q", "--precision", "max", "--json", "-", *args).out)["pairs"][0]

    def figures(self, *args):
        return self.pair(*args)["metrics"]

    def refused(self, code, texts, *args):
        result = self.run_assay("image", *args)
        self.assertEqual(result.code, code, result)
        for text in [texts] if isinstance(texts, str) else texts:
            self.assertIn(text, result.err)
        self.assertEqual(result.err.count("\n"), 1, result.err)


class Pfm(Base):
    def test_equal_in_both_orders(self):
        self.write("a.pfm", pfm(picture()))
        self.write("b.pfm", pfm(picture(), order=">"))
        got = self.pair("a.pfm", "b.pfm")
        self.assertEqual((got["result"], got["format"], got["metrics"]["max_diff"]), ("equal", "rgbf32", 0))
        grey = picture(1)
        self.write("g.pfm", pfm(grey, 1))
        self.write("h.pfm", pfm(grey, 1, ">"))
        self.assertEqual(self.pair("g.pfm", "h.pfm")["format"], "grayf32")
        self.write("three.pfm", pfm([[v for v in row for _ in range(3)] for row in grey]))
        self.assertEqual(self.pair("g.pfm", "three.pfm")["result"], "equal")

    def test_figures(self):
        """Against the same sums in Python: differences of halves are exact."""
        ref, dis = picture(), changed(picture(), (3, 3 * 5 + 1, 2.5), (3, 3 * 5 + 2, -1.0), (17, 3 * 20, 0.015625))
        self.write("a.pfm", pfm(ref))
        self.write("b.pfm", pfm(dis))
        got = self.figures("a.pfm", "b.pfm")
        every = [(y, i, a, b) for y, (r, d) in enumerate(zip(ref, dis)) for i, (a, b) in enumerate(zip(r, d))]
        self.assertEqual(got["mse"], sum((a - b) ** 2 for *_, a, b in every) / (W * H * 3))
        for c, name in enumerate("rgb"):
            self.assertEqual(got["mse_" + name], sum((a - b) ** 2 for _, i, a, b in every if i % 3 == c) / (W * H))
            self.assertEqual(got["max_diff_" + name], max(abs(a - b) for _, i, a, b in every if i % 3 == c))
        self.assertEqual(got["max_diff"], max(abs(a - b) for *_, a, b in every))
        self.assertEqual((got["max_diff_at_x"], got["max_diff_at_y"]), (5, 3))
        self.assertEqual((got["diff_pixels"], got["not_finite"], got["outside"]), (2, 0, 0))
        self.assertEqual(got["max_rel_diff"], max(abs(a - b) / max(abs(a), abs(b)) for *_, a, b in every if a != b))
        self.assertAlmostEqual(got["psnr"], 10 * math.log10(1 / got["mse"]), places=9)
        self.assertEqual(self.figures("a.pfm", "b.pfm", "--cpu", "scalar", "--threads", "1"), got)
        result = self.run_assay("image", "a.pfm", "b.pfm", "--fail-over", "max_rel_diff=0.1")
        self.assertEqual(result.code, GATE, result)

    def test_tolerance(self):
        """A pixel counts when a sample is beyond both tolerances: against the same steps in Python's doubles."""
        dice = random.Random(5)
        ref = [[f32(dice.choice((0.0, 1e-6, 0.01, 1.0, 900.0)) * dice.uniform(-1, 1)) for _ in range(3 * W)]
               for _ in range(H)]
        dis = [[f32(v * (1 + dice.choice((0, 1e-7, 1e-3, 0.1)) * dice.uniform(-1, 1)) + dice.choice((0, 1e-5)))
                for v in row] for row in ref]
        ref, dis = changed(ref, (0, 0, math.nan), (0, 3, math.nan), (0, 6, math.inf)), changed(
            dis, (0, 0, math.nan), (0, 3, 1.0), (0, 6, -math.inf))
        self.write("a.pfm", pfm(ref))
        self.write("b.pfm", pfm(dis))

        def beyond(a, b, most, relative):
            if a == b or (a != a and b != b):
                return False
            if not (math.isfinite(a) and math.isfinite(b)):
                return True
            return abs(a - b) > most and abs(a - b) / max(abs(a), abs(b)) > relative
        seen = set()
        for most, relative in ((0, 0), (1e-5, 0), (0, 1e-3), (1e-5, 1e-3), (0.5, 0.01), (1e9, 0), (0, 3)):
            want = sum(any(beyond(a, b, most, relative) for a, b in zip(r[3 * x:3 * x + 3], d[3 * x:3 * x + 3]))
                       for r, d in zip(ref, dis) for x in range(W))
            how = ["--abs-tolerance", repr(most)] * (most > 0) + ["--rel-tolerance", repr(relative)] * (
                relative > 0 or not most)
            self.assertEqual(self.figures("a.pfm", "b.pfm", *how)["beyond_tolerance"], want, how)
            seen.add(want)
        self.assertEqual((len(seen), min(seen)), (6, 2)) # the last two are the samples that are not finite
        exact = abs(ref[5][5] - dis[5][5]) or 1.0
        self.write("c.pfm", pfm(changed(ref, (5, 5, dis[5][5]))))
        self.write("d.pfm", pfm(ref))
        self.assertEqual(self.figures("d.pfm", "c.pfm", "--abs-tolerance", repr(exact))["beyond_tolerance"], 0)
        for limit, code in (("3", GATE), ("1%", GATE), ("100%", 0)):
            result = self.run_assay("image", "a.pfm", "b.pfm", "--abs-tolerance", "1e-5", "--fail-over",
                                    f"beyond_tolerance={limit}")
            self.assertEqual(result.code, code, result)
        report = json.loads(self.passes("image", "-q", "--json", "-", "a.pfm", "b.pfm", "--abs-tolerance", "1e-5").out)
        self.assertEqual((report["abs_tolerance"], report["rel_tolerance"]), (1e-5, 0))
        self.assertNotIn("beyond_tolerance", self.figures("a.pfm", "b.pfm"))

    def test_heatmap(self):
        """Black where nothing differs, the last colour at the largest difference and where a NaN is on one side."""
        self.write("a.pfm", pfm(picture()))
        self.write("b.pfm", pfm(changed(picture(), (3, 3 * 5 + 1, 9.5), (4, 0, 2.0), (9, 3 * 7, math.nan))))
        self.passes("image", "a.pfm", "b.pfm", "--heatmap", "m")
        width, height, rows, chunks = read_png((self.dir / "m" / "b.pfm.diff.png").read_bytes())
        self.assertEqual((width, height), (W, H))
        coloured = {(x, y): rows[y][x] for y in range(H) for x in range(W) if rows[y][x] != (0, 0, 0)}
        self.assertEqual(sorted(coloured), [(0, 4), (5, 3), (7, 9)])
        self.assertEqual((coloured[(5, 3)], coloured[(7, 9)]), ((254, 232, 56), (254, 232, 56)))
        self.assertLess(sum(coloured[(0, 4)]), sum(coloured[(5, 3)]))
        self.assertIn(b"the brightest colour is", chunks[b"tEXt"])
        self.assertEqual(sorted(p.name for p in (self.dir / "m").iterdir()), ["b.pfm.diff.png"])
        self.passes("image", "a.pfm", "a.pfm", "--heatmap", "m")

    def test_rows_begin_below(self):
        """A difference in the first row of the file is one in the last row of the picture."""
        self.write("a.pfm", pfm(picture()))
        data = bytearray(pfm(picture()))
        start = data.index(b"-1.0\n") + 5
        data[start:start + 4] = struct.pack("<f", 7.0)
        self.write("b.pfm", bytes(data))
        got = self.figures("a.pfm", "b.pfm")
        self.assertEqual((got["max_diff_at_x"], got["max_diff_at_y"]), (0, H - 1))

    def test_not_finite(self):
        nan, inf = float("nan"), float("inf")
        self.write("a.pfm", pfm(changed(picture(), (0, 0, nan), (1, 1, nan), (2, 2, inf))))
        self.write("b.pfm", pfm(changed(picture(), (0, 0, nan), (2, 2, inf), (3, 0, 1e6))))
        got = self.figures("a.pfm", "b.pfm")
        self.assertEqual((got["not_finite"], got["diff_pixels"], got["outside"]), (3, 2, 1))
        self.assertEqual(self.pair("a.pfm", "a.pfm")["result"], "equal")
        self.refused(INPUT, ["a.pfm", "3 samples are not finite and 0 below 0"], "a.pfm", "a.pfm", "-q", "-m",
                     "ssimulacra2")
        # gates on figures in which such samples are not
        self.write("c.pfm", pfm(changed(picture(), (1, 1, nan))))
        self.write("d.pfm", pfm(picture()))
        gates = ["--fail-over", "max_diff=0", "--fail-over", "mse=0"]
        said = "note  samples are not finite in 1 pixels, and no gate is on it (--fail-over not_finite=0)\n"
        self.assertIn(said, self.passes("image", "-q", "d.pfm", "c.pfm", *gates).out)
        self.assertNotIn("note", self.passes("image", "c.pfm", "c.pfm", *gates).out)
        result = self.run_assay("image", "d.pfm", "c.pfm", *gates, "--fail-over", "not_finite=0")
        self.assertEqual((result.code, "note" in result.out), (GATE, False), result)

    def test_many_strips(self):
        """More than a strip of 32 MiB: the place and the counts are of the whole picture."""
        width, height = 2048, 1100
        data = b"PF\n%d %d\n-1\n" % (width, height) + bytes(12 * width * height)
        self.write("a.pfm", data)
        other = bytearray(data)
        other[-12 * width * 1080 - 8:-12 * width * 1080 - 4] = struct.pack("<f", 3.0)
        self.write("b.pfm", bytes(other))
        got = self.figures("a.pfm", "b.pfm")
        self.assertEqual((got["max_diff"], got["max_diff_at_x"], got["max_diff_at_y"], got["diff_pixels"]),
                         (3, width - 1, 1080, 1))
        self.assertEqual(got["mse_g"], 9 / (width * height))

    def test_metrics_of_colour(self):
        """Codes of 16 bits divided by 65535 come back as they were: linear light as PNG says it by gAMA."""
        from pictures import chunk
        codes = [[(x * 2557 + y * 1999 + c * 777) % 65536 for x in range(W) for c in range(3)] for y in range(H)]
        off = [[min(65535, v + 900 * ((i + y) % 3)) for i, v in enumerate(row)] for y, row in enumerate(codes)]
        linear = chunk(b"gAMA", struct.pack(">I", 100000))
        for name, rows in (("a", codes), ("b", off)):
            self.write(name + ".pfm", pfm([[f32(v / 65535) for v in row] for row in rows]))
            self.write(name + ".png", png(rows, RGB, 16, before=[linear]))
        want = self.figures("a.png", "b.png", "-m", "ssimulacra2")["ssimulacra2"]
        self.assertLess(want, 99)
        self.assertEqual(self.figures("a.pfm", "b.pfm", "-m", "ssimulacra2")["ssimulacra2"], want)
        self.assertNotEqual(self.figures("a.pfm", "b.pfm", "-m", "ssimulacra2", "--assume", "srgb")["ssimulacra2"],
                            want)
        self.write("c.pfm", pfm(changed(picture(), (0, 0, 1.5), (0, 1, -0.25))))
        self.refused(INPUT, ["c.pfm", "0 samples are not finite and 2 below 0 or above 1", "nothing is clipped"],
                     "a.pfm", "c.pfm", "-q", "-m", "ssimulacra2")

    def test_refused(self):
        self.write("a.pfm", pfm(picture()))
        self.write("a.png", png([[0] * 3 * W] * H))
        self.refused(MISMATCH, "floats and integers", "a.pfm", "a.png")
        self.refused(MISMATCH, "floats and integers", "a.png", "a.pfm", "--allow-depth")
        self.refused(USAGE, ["ssim", "codes"], "a.pfm", "a.pfm", "-m", "ssim")
        self.refused(USAGE, "all metrics", "a.pfm", "a.pfm", "-m", "all")
        self.refused(USAGE, "none (of codes", "a.png", "a.png", "--abs-tolerance", "1", "-q")
        for value in ("-1", "nan", "inf", "x", "1%"):
            self.refused(USAGE, "--rel-tolerance takes a number from 0 on", "a.pfm", "a.pfm",
                         f"--rel-tolerance={value}")
        self.write("small.pfm", pfm(picture()[:-1]))
        self.refused(MISMATCH, "sizes differ", "a.pfm", "small.pfm")
        result = self.run_assay("a.pfm", "a.pfm")
        self.assertEqual(result.code, INPUT, result)
        self.assertIn("'assay image' compares", result.err)
        for damage in (pfm(picture())[:-1], pfm(picture()) + b"\0", b"PF\n0 4\n-1\n", b"PF\n4 x\n-1\n", b"PF\n4 4\n0\n",
                       b"PF\n4 4\nnan\n", b"PF\n4", b"PF\n99999 4\n-1\n"):
            self.write("bad.pfm", damage)
            self.refused(INPUT, "bad.pfm", "a.pfm", "bad.pfm")
        self.write("scaled.pfm", pfm(picture(), scale="2.0"))
        self.assertIn("its scale of 2.0 is not applied", self.passes("image", "a.pfm", "scaled.pfm").err)

    def test_table(self):
        self.write("a.pfm", pfm(picture()))
        self.write("b.pfm", pfm(changed(picture(), (1, 1, 0.0))))
        out = self.passes("image", "a.pfm", "b.pfm").out
        for text in ("rgbf32", "they differ", "max_rel_diff", "not_finite"):
            self.assertIn(text, out)


VIRIDIS = {0.0: (68, 1, 84), 0.5: (33, 145, 140), 1.0: (253, 231, 37)}


class Light(Base):
    """Metrics of light take floats as they are: flip is HDR-FLIP."""

    def scene(self, name, gain=1.0, noise=0.0, also=()):
        rows = [[gain * (0.05 + (x + y) / 40 + (40 if x in (5, 6) and y < 9 else 0)) *
                 (1 + noise * ((x * 7 + y + c) % 5)) for x in range(W) for c in range(3)] for y in range(H)]
        self.write(name, pfm(changed([[f32(v) for v in row] for row in rows], *also)))
        return name

    def setUp(self):
        super().setUp()
        self.pair_of = self.scene("a.pfm"), self.scene("b.pfm", noise=0.05)

    def test_exposures(self):
        got = self.figures(*self.pair_of, "-m", "flip=pools")
        self.assertTrue(0.001 < got["flip"] < 0.2, got)
        self.assertTrue(got["flip_max"] >= got["flip_weighted_median"] >= got["flip_min"] >= 0)
        steps = got["flip_stop_exposure"] - got["flip_start_exposure"]
        self.assertEqual(got["flip_num_exposures"], math.ceil(steps))
        start = math.log2(2.1188723239873153 / f32(40.05 + 14 / 40))
        self.assertAlmostEqual(got["flip_start_exposure"], start, places=5)
        stated = ":".join("%s_exposure=%r" % (side, got[f"flip_{side}_exposure"]) for side in ("start", "stop"))
        self.assertEqual(self.figures(*self.pair_of, "-m", "flip=pools:" + stated), got)
        twice = self.figures(self.scene("c.pfm", 2), self.scene("d.pfm", 2, 0.05), "-m", "flip")
        self.assertEqual((twice["flip"], twice["flip_num_exposures"]), (got["flip"], got["flip_num_exposures"]))
        self.assertAlmostEqual(twice["flip_stop_exposure"], got["flip_stop_exposure"] - 1, places=9)
        self.assertEqual(self.figures("a.pfm", "a.pfm", "-m", "flip")["flip"], 0)

    def test_each_pair_of_folders_has_its_own(self):
        for side in "xy":
            (self.dir / side).mkdir()
        for n, gain in enumerate((1, 32)):
            self.scene(f"x/{n}.pfm", gain)
            self.scene(f"y/{n}.pfm", gain, 0.02 + 0.03 * n)
        done = self.run_assay("image", "x", "y", "-q", "-m", "flip", "--precision", "max", "--json", "-")
        both = [p["metrics"] for p in json.loads(done.out)["pairs"]]
        for n in range(2):
            self.assertEqual(self.figures(f"x/{n}.pfm", f"y/{n}.pfm", "-m", "flip"), both[n])
        self.assertAlmostEqual(both[0]["flip_start_exposure"], both[1]["flip_start_exposure"] + 5, places=9)

    def test_beside_metrics_of_codes(self):
        """Light within 0 to 1 has codes as well."""
        pair = self.scene("c.pfm", 1 / 64), self.scene("d.pfm", 1 / 64, 0.05)
        both = self.figures(*pair, "-m", "flip", "-m", "ssimulacra2")
        self.assertEqual(both["flip"], self.figures(*pair, "-m", "flip")["flip"])
        self.assertEqual(both["ssimulacra2"], self.figures(*pair, "-m", "ssimulacra2")["ssimulacra2"])

    def test_samples(self):
        below = self.scene("c.pfm", also=((0, 0, -3.0), (4, 5, -0.25))), self.scene("d.pfm", noise=0.05)
        zero = self.scene("e.pfm", also=((0, 0, 0.0), (4, 5, 0.0)))
        result = self.run_assay("image", *below, "-m", "flip")
        self.assertIn("c.pfm: 2 samples are below 0 and count as 0", result.err)
        self.assertEqual(self.figures(*below, "-m", "flip")["flip"], self.figures(zero, "d.pfm", "-m", "flip")["flip"])
        self.scene("n.pfm", also=((7, 10, float("nan")), (9, 0, float("inf"))))
        for pair in (("a.pfm", "n.pfm"), ("n.pfm", "a.pfm")):
            self.refused(INPUT, ["n.pfm: 2 samples are not finite, the first is R at 0,9"], *pair, "-q", "-m", "flip")

    def test_refused(self):
        self.write("black.pfm", pfm([[0.0] * 3 * W] * H))
        self.write("dark.pfm", pfm([[0.0] * 3 * W] * (H // 2 + 1) + [[2.0] * 3 * W] * (H // 2 - 1)))
        self.refused(USAGE, "the reference is black", "black.pfm", "a.pfm", "-q", "-m", "flip")
        self.refused(USAGE, "more than half of the reference is black", "dark.pfm", "a.pfm", "-q", "-m", "flip")
        self.assertGreater(self.figures("dark.pfm", "a.pfm", "-m", "flip=stop_exposure=2")["flip"], 0.1)
        for options, says in (("num_exposures=1", "2 or more"), ("start_exposure=3:stop_exposure=1", "above the stop"),
                              ("stop_exposure=64", "-63 to 63"), ("transfer=srgb", "linear light")):
            self.refused(USAGE, says, *self.pair_of, "-q", "-m", "flip=" + options)
        self.refused(USAGE, "a transfer of 8", *self.pair_of, "-q", "-m", "flip", "--assume", "srgb")
        self.write("a.png", png([[0] * 3 * W] * H))
        self.refused(MISMATCH, "floats and integers", "a.pfm", "a.png", "-q", "-m", "flip")
        self.refused(USAGE, "these are codes", "a.png", "a.png", "-q", "-m", "flip=tone_mapper=hable")

    def test_maps(self):
        self.run_assay("image", *self.pair_of, "-q", "-m", "flip=num_exposures=3", "--heatmap", "maps")
        files = [(self.dir / f"maps/b.pfm.{name}.png").read_bytes() for name in ("flip", "flip_exposure")]
        error, exposure = map(read_png, files)
        self.assertIn(b"flip_exposure: violet is 0, the brightest colour is 1", files[1])
        colours = {tuple(pixel) for row in exposure[2] for pixel in row}
        self.assertLessEqual(colours, set(VIRIDIS.values()))
        self.assertGreater(len(colours), 1)
        self.assertEqual(error[:2], (W, H))

    def test_alpha(self):
        """OpenEXR's colours are stored times alpha. Over two greys the larger mean counts: of a picture that is opaque
        it is that without alpha."""
        if not HAS_EXR:
            self.skipTest("this build reads no OpenEXR")
        for name, gain in (("a", 1.0), ("b", 1.25)):
            rows = [[gain * 9 * v for v in row] for row in picture()]
            half = [[v for x in range(W) for v in (*(c * 0.5 for c in row[3 * x:3 * x + 3]), 0.5)] for row in rows]
            opaque = [[v for x in range(W) for v in (*row[3 * x:3 * x + 3], 1.0)] for row in rows]
            self.write(name + ".exr", exr(rows))
            self.write(name + "4.exr", exr(opaque, "RGBA"))
            self.write(name + "5.exr", exr(half, "RGBA"))
        plain = self.figures("a.exr", "b.exr", "-m", "flip")["flip"]
        self.assertEqual(self.figures("a4.exr", "b4.exr", "-m", "flip")["flip"], plain)
        self.assertNotEqual(self.figures("a5.exr", "b5.exr", "-m", "flip")["flip"], plain)
        self.assertIn("divided by it", self.passes("image", "a5.exr", "b5.exr", "-m", "flip").err)

    def test_alpha_outside(self):
        """Alpha below 0 or above 1 counts as 0 or 1, which is said of the side that has it."""
        if not HAS_EXR:
            self.skipTest("this build reads no OpenEXR")
        dark = [[v * v / 1000 for v in row] for row in picture()]
        for name, *first in (("in", 0.0, 1.0), ("out", -0.5, 1.0 + 2**-20)):
            alpha = first + [-0.0] + [0.5] * (W * H - 3)
            self.write(name + ".exr", exr([[v for x in range(W) for v in (*row[3 * x:3 * x + 3], alpha[y * W + x])]
                                           for y, row in enumerate(dark)], "RGBA"))
        says = "2 samples of alpha are below 0 or above 1 and count as 0 or 1"
        told = self.run_assay("image", "in.exr", "out.exr", "-m", "flip").err.splitlines()
        self.assertEqual([line.split(":")[1] for line in told if says in line], [" out.exr"])
        self.assertNotIn(says, self.run_assay("image", "in.exr", "in.exr", "-m", "flip").err)
        self.assertNotIn(says, self.run_assay("image", "in.exr", "out.exr").err)


class Exr(Base):
    def setUp(self):
        super().setUp()
        if not HAS_EXR:
            self.skipTest("this build reads no OpenEXR")
        self.write("a.pfm", pfm(picture()))

    def test_equal_to_pfm(self):
        for kind in (HALF, FLOAT):
            for tile in (0, 8, 16):
                for zips in (False, True):
                    self.write("t.exr", exr(picture(), kind=kind, tile=tile, zips=zips))
                    got = self.pair("a.pfm", "t.exr")
                    self.assertEqual((got["result"], got["metrics"]["max_diff"]), ("equal", 0), (kind, tile, zips))
                    self.assertIn("OpenEXR 3", got["distorted_reader"])
        self.write("y.exr", exr(picture(1), "Y"))
        self.write("y.pfm", pfm(picture(1), 1))
        self.assertEqual(self.pair("y.pfm", "y.exr")["result"], "equal")

    def test_alpha(self):
        with_alpha = [[v for x in range(W) for v in (*(c * 0.5 for c in row[3 * x:3 * x + 3]), 0.5)]
                      for row in picture()]
        opaque = [[v for x in range(W) for v in (*row[3 * x:3 * x + 3], 1.0)] for row in picture()]
        self.write("half.exr", exr(with_alpha, "RGBA"))
        self.write("one.exr", exr(opaque, "RGBA"))
        got = self.figures("one.exr", "half.exr")
        self.assertEqual((got["alpha_max_diff"], got["max_diff"], got["alpha_diff_pixels"]), (0.5, 0.5, W * H))
        got = self.figures("one.exr", "half.exr", "--rel-tolerance", "0.4", "--heatmap", "m")
        self.assertEqual((got["alpha_beyond_tolerance"], got["beyond_tolerance"]), (W * H, got["diff_pixels"]))
        self.assertEqual(self.figures("one.exr", "half.exr", "--rel-tolerance", "0.5")["alpha_beyond_tolerance"], 0)
        _, _, rows, _ = read_png((self.dir / "m" / "half.exr.alpha.diff.png").read_bytes())
        self.assertEqual({pixel for row in rows for pixel in row}, {(254, 232, 56)})
        self.refused(MISMATCH, "--allow-alpha", "a.pfm", "one.exr")
        self.assertEqual(self.pair("a.pfm", "one.exr", "--allow-alpha")["result"], "equal")
        # A difference of alpha alone is one.
        self.write("other.exr", exr([[v for x in range(W) for v in (*row[3 * x:3 * x + 3], 0.75 if x == 3 else 1.0)]
                                     for row in picture()], "RGBA"))
        got = self.pair("one.exr", "other.exr")
        self.assertEqual((got["result"], got["metrics"]["max_diff"], got["metrics"]["alpha_diff_pixels"]),
                         ("differs", 0, H))
        result = self.passes("image", "half.exr", "half.exr", "-m", "ssimulacra2")
        self.assertIn("divided by it", result.err)
        self.assertIn("ssimulacra2  100", result.out)
        self.assertLess(self.figures("one.exr", "half.exr", "-m", "ssimulacra2")["ssimulacra2"], 95)

    def test_pixels_that_are_not_square(self):
        self.write("square.exr", exr(picture()))
        self.write("wide.exr", exr(picture(), aspect=2))
        self.assertIn("assay: wide.exr: its pixels are 2 times as wide as high, and are compared as they are\n",
                      self.passes("image", "square.exr", "wide.exr").err)
        self.write("nearly.exr", exr(picture(), aspect=1 - 2 ** -23)) # a quotient of two rounded sizes
        for name in ("square.exr", "nearly.exr"):
            self.assertEqual(self.passes("image", name, name).err, "")

    def test_chromaticities(self):
        p3 = (0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329)
        bt709 = (0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)
        self.write("p3.exr", exr(picture(), chromaticities=p3))
        self.write("bt709.exr", exr(picture(), chromaticities=bt709))
        self.assertEqual(self.pair("a.pfm", "bt709.exr")["result"], "equal")
        self.refused(MISMATCH, ["the colours differ", "--allow-colour"], "a.pfm", "p3.exr")
        self.assertEqual(self.pair("a.pfm", "p3.exr", "--allow-colour")["metrics"]["max_diff"], 0)
        got = self.figures("a.pfm", "p3.exr", "-m", "ssimulacra2")
        self.assertLess(got["ssimulacra2"], 99)
        said = self.passes("image", "a.pfm", "p3.exr", "-m", "ssimulacra2").err
        self.assertIn("a.pfm is taken as linear light with the primaries of BT.709", said)
        self.assertIn("p3.exr is taken as linear light, chromaticities 0.68,0.32", said)
        self.assertNotIn("max_diff", got)
        for folder in "ab": # each light is told once, in whatever pair it is
            (self.dir / folder).mkdir()
            # The text of the last one is how that of the second begins.
            for name, stated in (("1", None), ("2", p3), ("3", p3), ("4", (*p3[:7], 0.32))):
                self.write(f"{folder}/{name}.exr", exr(picture(), chromaticities=stated))
        said = self.passes("image", "a", "b", "-m", "ssimulacra2").err
        self.assertEqual([line.split(" is taken as linear light")[0] for line in said.splitlines()],
                         ["assay: a/1.exr", "assay: a/2.exr", "assay: a/4.exr"])

    def test_windows(self):
        """What is outside the data window is 0, what is outside the display window is not there."""
        part = [row[3 * 4:3 * 12] for row in picture()[2:9]]
        self.write("part.exr", exr(part, data=(4, 2, 11, 8), display=(0, 0, W - 1, H - 1)))
        self.write("want.pfm", pfm([[v if 2 <= y <= 8 and 4 <= i // 3 <= 11 else 0.0 for i, v in enumerate(row)]
                                  for y, row in enumerate(picture())]))
        result = self.passes("image", "want.pfm", "part.exr")
        self.assertIn("equal", result.out)
        self.assertIn("data window", result.err)
        self.write("over.exr", exr(picture(), data=(-4, -3, W - 5, H - 4), display=(0, 0, 7, 7)))
        self.write("cut.pfm", pfm([row[3 * 4:3 * 12] for row in picture()[3:11]]))
        self.assertEqual(self.pair("cut.pfm", "over.exr")["result"], "equal")
        self.write("over.exr", exr(picture(), data=(-4, -3, W - 5, H - 4), display=(0, 0, 7, 7), tile=8))
        self.assertEqual(self.pair("cut.pfm", "over.exr")["result"], "equal")

    def test_other_channels(self):
        rows = [[v for x in range(W) for v in (*row[3 * x:3 * x + 3], 0.25)] for row in picture()]
        for kind in (HALF, FLOAT):
            for tile in (0, 8):
                self.write("depth.exr", exr(rows, "RGBZ", kind=kind, tile=tile))
                result = self.passes("image", "a.pfm", "depth.exr")
                self.assertIn("1 other channel (Z) is not compared", result.err)
                self.assertIn("equal", result.out)
        self.write("depth.exr", exr(rows, ["R", "G", "B", "depth\x1b[31m"]))
        self.assertIn("(depth?[31m)", self.passes("image", "a.pfm", "depth.exr").err)

    def test_mip_levels(self):
        self.write("mip.exr", exr(picture(), tile=32, mips=True))
        result = self.passes("image", "a.pfm", "mip.exr")
        self.assertIn("its smaller copies (mip levels) are not looked at", result.err)
        self.assertIn("equal", result.out)

    def test_compression(self):
        """Blocks that compression does not make smaller are stored as they are, so a file may state any."""
        code = b"compression\0compression\0\1\0\0\0"
        for number in (0, 1, 2):
            self.write("t.exr", exr(picture()).replace(code + b"\0", code + bytes([number])))
            self.assertEqual(self.pair("a.pfm", "t.exr")["result"], "equal")
        for number in (6, 7):
            self.write("bad.exr", exr(picture()).replace(code + b"\0", code + bytes([number])))
            self.refused(INPUT, "is OpenEXR with B44 compression", "a.pfm", "bad.exr")

    def test_refused(self):
        for text, data in (("integers", exr([[1] * W] * H, "Y", UINT)),
                           ("neither", exr(picture(1), "R")),
                           ("neither", exr(picture(1), "Z")),
                           ("both Y and R", exr([[0.0] * 4 * W] * H, "RGBY")),
                           ("OpenEXR", exr(picture(), flags=0x800)), # deep
                           ("OpenEXR", exr(picture(), flags=0x1000)), # several parts
                           ("data window", exr(picture(), data=(0, 0, 70000, H - 1), display=(0, 0, 9, 9))),
                           ("refused", exr(picture(), display=(0, 0, 70000, 9))),
                           ("subsampled", exr([[0.0] * W] * H, "Y", sampling=2))):
            self.write("bad.exr", data)
            self.refused(INPUT, ["bad.exr", text], "a.pfm", "bad.exr")
        whole = exr(picture())
        for size in (6, 60, 200, len(whole) // 2, len(whole) - 1):
            self.write("bad.exr", whole[:size])
            self.refused(INPUT, "bad.exr", "a.pfm", "bad.exr")


if __name__ == "__main__":
    main()
