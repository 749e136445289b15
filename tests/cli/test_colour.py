# SPDX-License-Identifier: BSD-2-Clause
"""Linear light of both sides of a pair, as metrics of colour see it, against docs/colour.md in double precision; and
scores of equal codes that stand for different colours."""
import json
import math
import os
import random
import shutil
import struct
import subprocess
import unittest

from command import INPUT, MISMATCH, REF, USAGE, Case, frame, main
from pictures import GREY, GREY_ALPHA, RGB, RGBA, pixels, png
from test_stages import read_npy

LIBAV = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")
WIDTH, HEIGHT = 33, 20

# Kr, Kb; x and y of red, green, blue, white (ITU-T H.273).
MATRIX = {"bt709": (0.2126, 0.0722), "smpte170m": (0.299, 0.114), "bt2020nc": (0.2627, 0.0593), "fcc": (0.30, 0.11),
          "smpte240m": (0.212, 0.087)}
D65, E, DCI = (0.3127, 0.3290), (1 / 3, 1 / 3), (0.314, 0.351)
PRIMARIES = {"bt709": ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06), D65),
             "bt470bg": ((0.64, 0.33), (0.29, 0.60), (0.15, 0.06), D65),
             "smpte170m": ((0.630, 0.340), (0.310, 0.595), (0.155, 0.070), D65),
             "bt2020": ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046), D65),
             "smpte428": ((1, 0), (0, 1), (0, 0), E),
             "smpte431": ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), DCI),
             "smpte432": ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), D65)}
WHITE, PEAK = 203, 1000


def srgb(v):
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def pq(v):
    m1, m2, c1, c2, c3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
    t = v ** (1 / m2)
    return (max(t - c1, 0) / (c2 - c3 * t)) ** (1 / m1)


def hlg(v):
    a = 0.17883277
    b, c = 1 - 4 * a, 0.5 - a * math.log(4 * a)
    return v * v / 3 if v <= 0.5 else (math.exp((v - c) / a) + b) / 12


def power(gamma, gain=1):
    return lambda v: gain * v ** gamma


TRANSFER = {"bt709": power(2.4), "smpte170m": power(2.4), "bt2020-10": power(2.4), "smpte240m": power(2.4),
            "bt470m": power(2.2), "bt470bg": power(2.8), "linear": power(1), "iec61966-2-1": srgb,
            "smpte428": power(2.6, 52.37 / 48), "smpte2084": pq, "arib-std-b67": hlg}


def solve(m, v):
    """x with m x = v, by Cramer's rule; m by rows."""
    def det(a):
        return sum(a[0][i] * (a[1][(i + 1) % 3] * a[2][(i + 2) % 3] - a[1][(i + 2) % 3] * a[2][(i + 1) % 3])
                   for i in range(3))
    return [det([[v[r] if c == i else m[r][c] for c in range(3)] for r in range(3)]) / det(m) for i in range(3)]


def times(m, v):
    return [sum(m[r][c] * v[c] for c in range(3)) for r in range(3)]


def xyz(xy):
    return [xy[0] / xy[1], 1, (1 - xy[0] - xy[1]) / xy[1]]


def to_xyz(primaries):
    columns = [(x, y, 1 - x - y) for x, y in primaries[:3]]
    m = [[columns[c][r] for c in range(3)] for r in range(3)]
    scale = solve(m, xyz(primaries[3]))
    return [[m[r][c] * scale[c] for c in range(3)] for r in range(3)]


def to_srgb(rgb, primaries):
    bradford = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
    light = times(to_xyz(primaries), rgb)
    was, now = times(bradford, xyz(primaries[3])), times(bradford, xyz(D65))
    cones = [v * n / w for v, n, w in zip(times(bradford, light), now, was)]
    return solve(to_xyz(PRIMARIES["bt709"]), solve(bradford, cones))


def display(encoded, transfer, primaries):
    """Light of R'G'B' with the primaries of sRGB, 1 being the white of SDR."""
    rgb = [TRANSFER[transfer](v) for v in encoded]
    if transfer == "smpte2084":
        rgb = [min(10000 * v, PEAK) / WHITE for v in rgb]
    if transfer == "arib-std-b67":
        luminance = 0.2627 * rgb[0] + 0.6780 * rgb[1] + 0.0593 * rgb[2]
        gain = PEAK / WHITE * luminance ** (1.2 + 0.42 * math.log10(PEAK / 1000) - 1) if luminance else 0
        rgb = [v * gain for v in rgb]
    return to_srgb(rgb, PRIMARIES[primaries])


def unit(v):
    return min(max(v, 0), 1)


def of_yuv(code, tags, depth):
    """R'G'B' of Y'CbCr codes."""
    step, full = 1 << (depth - 8), tags["range"] == "pc"
    y = code[0] / ((1 << depth) - 1) if full else (code[0] - 16 * step) / (219 * step)
    cb, cr = ((c - 128 * step) / ((1 << depth) - 1 if full else 224 * step) for c in code[1:])
    kr, kb = MATRIX[tags["colorspace"]]
    r, b = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
    return [unit(v) for v in (r, (y - kr * r - kb * b) / (1 - kr - kb), b)]


BT709 = {"colorspace": "bt709", "color_primaries": "bt709", "color_trc": "bt709", "range": "tv"}
HDR = {"colorspace": "bt2020nc", "color_primaries": "bt2020", "range": "tv"}
COLOURS = {
    "BT.709": BT709, "BT.709, full range": {**BT709, "range": "pc"},
    "BT.601, 525 lines": {**BT709, "colorspace": "smpte170m", "color_primaries": "smpte170m", "color_trc": "smpte170m"},
    "BT.601, 625 lines": {**BT709, "colorspace": "smpte170m", "color_primaries": "bt470bg", "color_trc": "bt470bg"},
    "SMPTE 240M": {**BT709, "colorspace": "smpte240m", "color_trc": "smpte240m"},
    "FCC": {**BT709, "colorspace": "fcc", "color_trc": "bt470m"},
    "BT.2020": {**HDR, "color_trc": "bt2020-10"}, "PQ": {**HDR, "color_trc": "smpte2084"},
    "PQ, full range": {**HDR, "color_trc": "smpte2084", "range": "pc"}, "HLG": {**HDR, "color_trc": "arib-std-b67"},
    "sRGB in Y'CbCr": {**BT709, "color_trc": "iec61966-2-1"}, "linear light": {**BT709, "color_trc": "linear"},
    "Display P3": {**BT709, "color_primaries": "smpte432", "color_trc": "iec61966-2-1"},
    "DCI P3": {**BT709, "color_primaries": "smpte431", "color_trc": "smpte428"},
    "X'Y'Z'": {**BT709, "color_primaries": "smpte428", "color_trc": "smpte428"},
}


OPSIN = ((0.3, 0.622, 0.078), (0.23, 0.692, 0.078), (0.24342268924547819, 0.20476744424496821, 0.5518098665095536))
BIAS = 0.0037930732552754493


def solve(rows, values):
    """The x of a linear system of three equations, by Cramer's rule."""
    def det(m):
        return sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3])
                   for i in range(3))
    return [det([[values[r] if c == k else rows[r][c] for c in range(3)] for r in range(3)]) / det(rows)
            for k in range(3)]


def light_of_xyb(x, y, b):
    difference, mean = (x - 0.42) / 14, y - 0.01
    roots = (mean + difference, mean - difference, b - 0.55 + mean)
    return solve(OPSIN, [(root + BIAS ** (1 / 3)) ** 3 - BIAS for root in roots])


class Light(Case):
    def light(self, ref, dis, *options):
        """Linear light of both sides, by pixel: what the first passes to XYB read, or what their XYB stands for."""
        metric = ["-q", "-m", "ssimulacra2", *options]
        graph = self.passes(*metric, "--dump-graph", ref, dis).out.splitlines()
        first = [line for line in graph if line.split()[2].startswith(("xyb_f32", "xyb_yuv", "xyb_rgb"))]
        self.assertEqual(len(first), 2)
        names = []
        for line in first:
            plane = line.split("reads ")[1].split(":")[0]
            makers = [other.split()[2] for other in graph if f"writes {plane}:" in other]
            names.append(makers[0] if makers else line.split()[2])
        files = [f"{i}.npy" for i in range(len(names))]
        stages = [word for name, file in zip(names, files) for word in ("--dump-stage", f"{name}:0={file}")]
        self.passes(*metric, *stages, ref, dis)
        sides = []
        for name, file in zip(names, files):
            (width, rows), values = read_npy((self.dir / file).read_bytes())
            xyb = name.startswith("xyb_")
            self.assertEqual((width, rows), (WIDTH + WIDTH % 2, 4 * HEIGHT) if xyb else (WIDTH, 3 * HEIGHT))
            triples = [tuple(values[(layer * HEIGHT + y) * width + x] for layer in range(3))
                       for y in range(HEIGHT) for x in range(WIDTH)]
            sides.append([light_of_xyb(*t) for t in triples] if xyb else triples)
        return sides

    def near(self, got, want):
        worst = max(abs(g - w) / max(1, abs(w)) for a, b in zip(got, want) for g, w in zip(a, b))
        self.assertLess(worst, 1e-5) # a matrix of three terms with factors below 3.3, in float

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_video(self):
        """Equal codes, tagged as BT.709 and otherwise: each side's light is its own."""
        dice, depth = random.Random(11), 10
        codes = [[dice.randrange(1 << depth) for _ in range(3)] for _ in range(WIDTH * HEIGHT)]
        raw = b"".join(struct.pack(f"<{len(codes)}H", *(c[plane] for c in codes)) for plane in range(3))
        self.write("codes.yuv", raw)
        for name, tags in {"ref": BT709, **COLOURS}.items():
            text = "setparams=" + ":".join(f"{k}={v}" for k, v in tags.items())
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv444p10le", "-s",
                            f"{WIDTH}x{HEIGHT}", "-i", "codes.yuv", "-vf", text, "-color_range", tags["range"],
                            "-c:v", "ffv1", "ref.mkv" if name == "ref" else "dis.mkv"], cwd=self.dir, check=True,
                           stdin=subprocess.DEVNULL)
            if name == "ref":
                continue
            with self.subTest(colour=name):
                sides = self.light("ref.mkv", "dis.mkv")
                self.assertEqual(len(sides), 2)
                for got, own in zip(sides, (BT709, tags)):
                    self.near(got, [display(of_yuv(code, own, depth), own["color_trc"], own["color_primaries"])
                                    for code in codes])
                if name == "BT.709":
                    continue
                score = float(self.passes("-m", "ssimulacra2", "--no-progress", "--csv", "-", "--precision", "max",
                                          "ref.mkv", "dis.mkv").out.splitlines()[1].split(",")[1])
                self.assertLess(score, 99)
                self.refuses(MISMATCH, "--allow-", "-m", "psnr", "ref.mkv", "dis.mkv")

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_colour_that_changes(self):
        """Two streams behind each other, the second with other tags."""
        for change, said in (({}, None), ({"range": "pc"}, "the range changes"),
                             ({"colorspace": "smpte170m"}, "the colour matrix changes"),
                             ({"color_trc": "smpte2084"}, "the transfer function changes"),
                             ({"color_primaries": "bt2020"}, "the set of primaries changes"),
                             ({"siting": 2}, "the chroma siting changes")):
            streams = []
            for tags in (BT709, {**BT709, **change}):
                text = "setparams=" + ":".join(f"{k}={v}" for k, v in tags.items() if k != "siting")
                streams.append(subprocess.run(
                    ["ffmpeg", "-v", "error", "-i", REF, "-frames:v", "2", "-vf", text, "-c:v", "libx264",
                     "-bsf:v", f"h264_metadata=chroma_sample_loc_type={tags.get('siting', 0)}", "-f", "h264", "-"],
                    check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)
            self.write("a.h264", b"".join(streams))
            args = ["-m", "ssimulacra2", "--no-progress", "a.h264", "a.h264"]
            with self.subTest(change=change):
                if said:
                    self.fails(INPUT, ["frame 2", said], *args)
                else:
                    self.passes(*args)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_stated_colour(self):
        """HDR10 against its own samples without a header."""
        dice = random.Random(2)
        self.write("raw.yuv", struct.pack("<1536H", *(dice.randrange(64, 940) for _ in range(1536))))
        tags = "setparams=" + ":".join(f"{k}={v}" for k, v in {**HDR, "color_trc": "smpte2084"}.items())
        subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p10le", "-s", "32x32", "-i",
                        "raw.yuv", "-vf", tags, "-c:v", "ffv1", "a.mkv"], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)
        args = ["-w", "32", "-h", "32", "-p", "420", "-b", "10", "--no-progress", "a.mkv", "raw.yuv"]
        plain = self.passes("-m", "ssimulacra2", *args)
        self.assertIn("the distorted is not tagged, taken as: matrix bt709", plain.err)
        self.assertNotIn("100.000", plain.out)
        self.assertIn("raw.yuv is not tagged with matrix, transfer, primaries", self.passes("-m", "psnr", *args).err)
        for words in ("bt2020-pq,limited", "full,bt709,bt2020-pq,limited"):
            stated = self.passes("-m", "ssimulacra2", "--dis-colour", words, "--json", "o.json", *args)
            self.assertNotIn("taken as: matrix", stated.err)
            self.assertIn("100.000", stated.out)
            self.assertEqual(json.loads(self.read("o.json"))["assay"]["distorted_stated_colour"], words)
            self.passes("-m", "psnr", "--dis-colour", words, *args)
        self.refuses(MISMATCH, ["matrix bt2020 against bt709", "--allow-colour"], "-m", "psnr", "--dis-colour",
                     "bt709", *args)
        self.refuses(MISMATCH, "range limited against full", "-m", "psnr", "--dis-colour", "bt2020-pq,full", *args)
        # -m all leaves metrics of codes out only where nothing says that codes are meant.
        self.assertIn("raw.yuv is not tagged with matrix, transfer, primaries", self.passes("-m", "all", *args).err)
        for words in ("bt709", "bt2020-pq,full"):
            left = self.passes("-m", "all", "--dis-colour", words, *args)
            self.assertIn("metrics are left out (--verbose says why): vmaf, psnr", left.err)
            self.assertNotIn("psnr_y", left.out)
            codes = self.passes("-m", "all", "--allow-colour", "--dis-colour", words, *args)
            self.assertIn("the codes are compared as they are", codes.err)
            self.assertNotIn("psnr is left out", codes.err)
            self.assertIn("psnr_y", codes.out)
        for words in ("bt7", "", "bt709,", "bt709 full"):
            self.refuses(USAGE, "--ref-colour takes one or more of bt709", "--ref-colour", words, *args)
        for words in ("matrix=bt601", "range=full"):
            self.refuses(USAGE, "yuv_matrix stands for matrix and range", "-q", "-m",
                         f"ssimulacra2=yuv_matrix=0:{words}", *args)

    @unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build reads no PNG")
    def test_alpha(self):
        """The lower of two scores: of the pictures over R'G'B' of 0.1 and of 0.9, which are made here with 16 bits."""
        def score(a, b, kind, depth):
            self.write("a.png", png(a, kind, depth))
            self.write("b.png", png(b, kind, depth))
            report = self.passes("image", "a.png", "b.png", "-m", "ssimulacra2", "--json", "-", "--quiet").out
            return json.loads(report)["pairs"][0]["metrics"]["ssimulacra2"]

        def over(rows, channels, depth, background):
            top, blended = (1 << depth) - 1, []
            for row in rows:
                blended.append([])
                for x in range(0, len(row), channels):
                    cover = row[x + channels - 1] / top
                    blended[-1] += [round(65535 * (v / top * cover + (1 - cover) * background))
                                    for v in row[x:x + channels - 1]]
            return blended

        def noisy(rows, depth):
            dice = random.Random(5)
            return [[min(max(v + dice.randint(-9, 9) * (1 << (depth - 8)), 0), (1 << depth) - 1) for v in row]
                    for row in rows]

        for kind, depth, opaque in ((RGBA, 8, RGB), (RGBA, 16, RGB), (GREY_ALPHA, 8, GREY)):
            with self.subTest(kind=kind, depth=depth):
                a = pixels(WIDTH, HEIGHT, kind, depth, seed=3)
                b, channels = noisy(a, depth), 4 if kind == RGBA else 2
                want = [score(over(a, channels, depth, grey), over(b, channels, depth, grey), opaque, 16)
                        for grey in (0.1, 0.9)]
                self.assertGreater(abs(want[0] - want[1]), 0.1)
                self.assertAlmostEqual(score(a, b, kind, depth), min(want), delta=0.02)


class Taken(Case):
    def test_cambi_says_what_codes_are_taken_as(self):
        """As libvmaf, it goes by its option alone: banding of PQ is another one by BT.1886."""
        deep = self.write("deep.y4m", b"YUV4MPEG2 W224 H180 F25:1 C420p10\nFRAME\n" + frame(224, 180, depth=10))
        for option, colour, said in (("", "bt2020-pq", "bt1886 (eotf), although tagged pq"),
                                     ("", "bt2020-hlg", "bt1886 (eotf), although tagged hlg"),
                                     ("=eotf=pq", "bt709", "pq (eotf), although tagged bt1886"),
                                     ("=eotf=pq", "bt2020-pq", ""), ("=cambi_eotf=pq", "bt2020-pq", ""),
                                     ("", "full", "bt1886 (eotf) of limited range, although of full range"),
                                     ("=eotf=pq", "bt2020-hlg,full",
                                      "pq (eotf) of limited range, although tagged hlg and of full range"),
                                     ("", "bt709", ""), ("", "bt709,limited", ""), ("", "", "")):
            tags = [word for side in ("ref", "dis") if colour for word in (f"--{side}-colour", colour)]
            told = self.passes("-m", "cambi" + option, *tags, deep, deep).err
            with self.subTest(option=option, colour=colour):
                if said:
                    self.assertIn(f"assay: cambi: codes are taken as {said}\n", told)
                else:
                    self.assertNotIn("cambi", told)

    def test_cambi_and_the_luma_of_rgb(self):
        """It has the range that --range gives it."""
        path = self.write("rgb.png", png(pixels(224, 180)))
        said = "codes are taken as bt1886 (eotf) of limited range, although of full range\n"
        for words in ((), ("--range", "full"), ("--range", "limited")):
            with self.subTest(words=words):
                told = self.passes("-m", "cambi", "--matrix", "bt709", *words, path, path).err
                (self.assertNotIn if "limited" in words else self.assertIn)(said, told)


if __name__ == "__main__":
    main()
