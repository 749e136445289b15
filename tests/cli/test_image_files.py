# SPDX-License-Identifier: BSD-2-Clause
"""The formats of images: what is read, turned, and said; small files in images/ (images/make.py)."""
import csv
import json
import os
import struct
import subprocess
import zlib
from pathlib import Path

import command
from command import GATE, INPUT, MISMATCH, PASS, Case, main
from pictures import CHANNELS, GREY, GREY_ALPHA, MAGIC, RGB, RGBA, chunk, pixels, png, with_gain_map

FILES = Path(__file__).resolve().parent / "images"
WIDTH, HEIGHT = 12, 8


def picture():
    """No row or column is like another, in no channel."""
    return [[(x * 17 + y * 29 + c * 71) % 251 for x in range(WIDTH) for c in range(3)] for y in range(HEIGHT)]


def ramp(depth):
    """64 rows of 64 codes, from 0 to nearly the largest of the depth."""
    return [[(1 << depth) * i // 4096 for i in range(64 * y, 64 * y + 64)] for y in range(64)]


def nearest(v, own, to):
    """The code that is nearest to v, where the largest code is `to` in place of `own`."""
    return (2 * v * to + own) // (2 * own)


def deep():
    return [[v * 257 + (v % 5) for v in row] for row in picture()]


def with_alpha(rows, alpha):
    return [[v for x in range(WIDTH) for v in (*row[3 * x:3 * x + 3], alpha)] for row in rows]


def turned(rows, orientation, channels=3):
    """What a viewer shows of stored rows with this EXIF orientation."""
    points = [[tuple(row[x:x + channels]) for x in range(0, len(row), channels)] for row in rows]
    if orientation in (5, 6, 7, 8):
        points = [list(column) for column in zip(*points)]
    if orientation in (2, 3, 6, 7):
        points = [row[::-1] for row in points]
    if orientation in (3, 4, 7, 8):
        points = points[::-1]
    return [[v for p in row for v in p] for row in points]


def exif(orientation, order="<"):
    magic = b"II*\0" if order == "<" else b"MM\0*"
    return magic + struct.pack(order + "IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)


def jpeg_with(data, segment):
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + data[2:]


def webp_with(data, kind, body, flag):
    """A plain lossless WebP in the extended form, with another chunk."""
    def riff(name, content):
        return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)
    head = struct.pack("<I", flag) + struct.pack("<I", WIDTH - 1)[:3] + struct.pack("<I", HEIGHT - 1)[:3]
    out = b"WEBP" + riff(b"VP8X", head) + data[12:] + riff(kind, body)
    return b"RIFF" + struct.pack("<I", len(out)) + out


def tiff(rows, channels, depth=8, order="<", tags=(), strip=3, planar=1, photometric=None, pages=1, tile=None):
    """An uncompressed TIFF. `tags`: (number, type, values), of type 3 (16 bits), 4 (32 bits), 5 (two of these: a
    quotient) or 7 (bytes)."""
    width, height, sample = len(rows[0]) // channels, len(rows), "H" if depth == 16 else "B"
    planes = [rows] if planar == 1 else [[row[c::channels] for row in rows] for c in range(channels)]
    blocks = []
    for plane in planes:
        n = channels if planar == 1 else 1
        if tile:
            for y in range(0, height, tile):
                for x in range(0, width, tile):
                    part = [(row[n * x:n * (x + tile)] + [0] * n * tile)[:n * tile] for row in plane[y:y + tile]]
                    part += [[0] * n * tile] * (tile - len(part))
                    blocks.append([v for row in part for v in row])
        else:
            blocks += [[v for row in plane[y:y + strip] for v in row] for y in range(0, height, strip)]
    packed = [struct.pack(f"{order}{len(b)}{sample}", *b) for b in blocks]
    out = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8 + sum(map(len, packed)))
    at, offsets = 8, []
    for p in packed:
        offsets.append(at)
        at += len(p)
    out += b"".join(packed)
    entries = [(256, 4, [width]), (257, 4, [height]), (258, 3, [depth] * channels), (259, 3, [1]),
               (262, 3, [(2 if channels > 2 else 1) if photometric is None else photometric]), (277, 3, [channels]),
               (284, 3, [planar]), *tags]
    entries += ([(322, 3, [tile]), (323, 3, [tile]), (324, 4, offsets), (325, 4, [len(p) for p in packed])] if tile else
                [(273, 4, offsets), (278, 4, [strip]), (279, 4, [len(p) for p in packed])])
    for page in range(pages):
        base, long, extra = len(out), b"", b""
        directory = struct.pack(order + "H", len(entries))
        after = base + 2 + 12 * len(entries) + 4
        for number, kind, values in sorted(entries):
            body = struct.pack(f"{order}{len(values)}{'?BBHII?B'[kind]}", *values)
            if len(body) > 4:
                long = struct.pack(order + "I", after + len(extra))
                extra += body
            else:
                long = body.ljust(4, b"\0")
            directory += struct.pack(order + "HHI", number, kind, len(values) // (2 if kind == 5 else 1)) + long
        following = after + len(extra) if page + 1 < pages else 0
        out += directory + struct.pack(order + "I", following) + extra
    return out


# ---- ICC profiles

SRGB = ((0.4361, 0.2225, 0.0139), (0.3851, 0.7169, 0.0971), (0.1431, 0.0606, 0.7141))
P3 = ((0.51512, 0.2412, -0.00105), (0.29198, 0.69225, 0.04189), (0.1571, 0.06657, 0.78407))
ADOBE = ((0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457))


def s15(*values):
    return struct.pack(f">{len(values)}i", *(round(v * 65536) for v in values))


def para(kind, *values):
    return b"para" + struct.pack(">IHH", 0, kind, 0) + s15(*values)


def curv(*entries):
    return b"curv" + struct.pack(f">II{len(entries)}H", 0, len(entries), *entries)


SRGB_CURVE = para(3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)


def icc(name, primaries, curve, space=b"RGB ", extra=()):
    tags = [(b"desc", b"desc" + struct.pack(">II", 0, len(name) + 1) + name.encode() + bytes(90))]
    if primaries:
        tags += [(n, b"XYZ " + bytes(4) + s15(*xyz)) for n, xyz in zip((b"rXYZ", b"gXYZ", b"bXYZ"), primaries)]
    curves = [curve] * 3 if isinstance(curve, bytes) else curve
    tags += ([(b"kTRC", curve)] if space == b"GRAY" else
             [(n, c) for n, c in zip((b"rTRC", b"gTRC", b"bTRC"), curves)] if curve else [])
    tags += [(b"wtpt", b"XYZ " + bytes(4) + s15(0.9642, 1, 0.8249)), (b"cprt", b"text" + bytes(8)), *extra]
    at, table, body = 132 + 12 * len(tags), b"", b""
    for tag, data in tags:
        data += b"\0" * (-len(data) % 4)
        table += tag + struct.pack(">II", at + len(body), len(data))
        body += data
    size = at + len(body)
    head = struct.pack(">I4sI4s4s4s", size, b"none", 0x04200000, b"mntr", space, b"XYZ ") + bytes(12) + b"acsp"
    head += bytes(28) + s15(0.9642, 1, 0.8249)
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + body


def iccp(profile):
    return chunk(b"iCCP", b"profile\0\0" + zlib.compress(profile))


# What the lossy JPEG XL with a profile shows: name, rows, kind, profile.
PROFILES = [("profile", picture(), RGB, icc("Adobe", ADOBE, para(0, 563 / 256))),
            ("toe", picture(), RGB, icc("toe", ADOBE, para(3, 1.8, 1, 0, 1 / 16, 1 / 32))),
            ("grey", [row[::3] for row in picture()], GREY, icc("grey", None, SRGB_CURVE, b"GRAY"))]


def has(name):
    return name in os.environ.get("ASSAY_IMAGES", "").split()


@command.unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
class Formats(Case):
    def put(self, name, data):
        return self.write(name, data)

    def needs(self, *formats):
        for name in formats:
            if not has(name):
                self.skipTest(f"this build does not read {name}")

    def pair(self, *args, code=PASS):
        result = self.run_assay("image", "-q", "--precision", "max", "--json", "-", *args)
        self.assertEqual(result.code, code, result)
        return json.loads(result.out)["pairs"][0]

    def equal(self, a, b, *args):
        pair = self.pair(a, b, *args)
        self.assertEqual(pair["result"], "equal", pair)
        return pair

    def fixed(self, name):
        self.needs(name.split(".")[1])
        return str(FILES / name)

    def setUp(self):
        super().setUp()
        self.put("rgb.png", png(picture()))
        self.put("deep.png", png(deep(), RGB, 16))
        self.put("clear.png", png(with_alpha(picture(), 153), RGBA))
        self.put("opaque.png", png(with_alpha(picture(), 255), RGBA))

    # ---- samples and alpha

    def test_samples_are_exact(self):
        for kind in ("webp", "avif", "jxl"):
            with self.subTest(kind=kind):
                self.equal("rgb.png", self.fixed(f"rgb.{kind}"))
                self.assertEqual(self.equal("clear.png", self.fixed(f"clear.{kind}"))["alpha"], True)
        self.equal("deep.png", self.fixed("deep.jxl"))

    def test_depths_between_are_exact(self):
        """Codes of 9 to 15 bits become the nearest of 16: those that a product of floats rounds to another one, too."""
        ten = [[nearest(nearest(v, 65535, 1023), 1023, 65535) for v in row] for row in deep()]
        self.put("ten.png", png(ten, RGB, 16))
        self.equal("ten.png", self.fixed("deep.avif"))
        for kind, depth in (("avif", 12), ("jxl", 11), ("jxl", 15)):
            peak = (1 << depth) - 1
            self.put("codes.png", png([[nearest(v, peak, 65535) for v in row] for row in ramp(depth)], GREY, 16))
            self.equal("codes.png", self.fixed(f"codes_{depth}.{kind}"), "--allow-colour")

    def test_jpeg(self):
        got = self.pair("rgb.png", self.fixed("rgb.jpg"))
        self.assertIn("libjpeg", got["distorted_reader"])
        self.assertGreater(got["metrics"]["psnr"], 30)

    def test_alpha_is_never_dropped(self):
        for kind in ("png", "webp", "avif", "jxl", "tiff"):
            with self.subTest(kind=kind):
                if kind == "tiff":
                    self.needs("tiff")
                    self.put("clear.tiff", tiff(with_alpha(picture(), 153), 4, tags=[(338, 3, [2])]))
                clear = f"clear.{kind}" if kind in ("png", "tiff") else self.fixed(f"clear.{kind}")
                self.refuses(MISMATCH, ["channels", "--allow-alpha"], "image", clear, "rgb.png")
                self.refuses(MISMATCH, ["channels", "--allow-alpha"], "image", "rgb.png", clear)
                got = self.pair(clear, "rgb.png", "--allow-alpha")
                self.assertEqual((got["result"], got["metrics"]["max_diff"], got["metrics"]["alpha_max_diff"]),
                                 ("differs", 0, 102))
                self.assertEqual(self.pair(clear, "opaque.png")["metrics"]["alpha_max_diff"], 102)
        self.equal("opaque.png", "rgb.png", "--allow-alpha")
        self.put("deep_opaque.png", png(with_alpha(deep(), 65535), RGBA, 16))
        self.equal("deep_opaque.png", "deep.png", "--allow-alpha")
        self.equal("deep.png", "deep_opaque.png", "--allow-alpha")

    @command.unittest.skipUnless(os.environ.get("ASSAY_LIBAV"), "this build has no libav")
    def test_alpha_that_is_not_read(self):
        """A side whose alpha its reader drops is not opaque, whatever --allow-alpha says."""
        for alpha in (b"", b"\x99"): # QOI: every pixel as it is
            pixel = b"\xff" if alpha else b"\xfe"
            rows = b"".join(pixel + bytes(row[3 * x:3 * x + 3]) + alpha for row in picture() for x in range(WIDTH))
            self.put(f"{'clear' if alpha else 'rgb'}.qoi", b"qoif" + struct.pack(
                ">IIBB", WIDTH, HEIGHT, 4 if alpha else 3, 0) + rows + b"\0" * 7 + b"\1")
        for pair in (("clear.qoi", "clear.png"), ("clear.png", "clear.qoi")):
            for allowed in ([], ["--allow-alpha"]):
                told = self.refuses(MISMATCH, ["the channels differ", "clear.qoi is 12x8 rgb24 with alpha that is not "
                                               "read", "clear.png is 12x8 rgb24 with alpha"], "image", *allowed, *pair)
                self.assertNotIn("--allow-alpha", told.err)
        self.assertIn("alpha is dropped", self.passes("image", "clear.qoi", "rgb.png").err)
        self.assertEqual(self.pair("rgb.qoi", "clear.png", "--allow-alpha")["metrics"]["alpha_max_diff"], 102)

    def test_alpha_of_the_video_path(self):
        """`assay a.png b.png` reads what `assay image` reads, and blends it."""
        got = {}
        for name in ("image", "score"):
            args = ["-q", "--precision", "max", "-m", "ssimulacra2", "--json", "-", "clear.png", "opaque.png"]
            result = self.passes(*(["image"] if name == "image" else []), *args)
            got[name] = json.loads(result.out)
        image = got["image"]["pairs"][0]["metrics"]["ssimulacra2"]
        self.assertEqual(got["score"]["frames"][0]["metrics"]["ssimulacra2"], image)
        self.assertLess(image, 95)
        self.refuses(MISMATCH, "--allow-alpha", "clear.png", "rgb.png")
        result = self.passes("-q", "--precision", "max", "-m", "ssimulacra2", "--allow-alpha", "--json", "-",
                             "clear.png", "rgb.png")
        self.assertEqual(json.loads(result.out)["frames"][0]["metrics"]["ssimulacra2"], image)
        # The worst of several backgrounds counts, whichever of the two is clear.
        for metric in ("ssimulacra2", "flip", "butteraugli"):
            how = ("-q", "--precision", "max", "-m", metric, "--json", "-")
            told = [json.loads(self.passes(*how, *pair).out)["frames"][0]["metrics"]
                    for pair in (("opaque.png", "clear.png"), ("--allow-alpha", "rgb.png", "clear.png"))]
            self.assertEqual(told[0], told[1])
        self.assertIn("alpha", self.passes("clear.png", "opaque.png", "-m", "psnr").err)

    def test_depths(self):
        self.put("wide.png", png([[v * 257 for v in row] for row in picture()], RGB, 16))
        self.refuses(MISMATCH, ["bit depths", "--allow-depth"], "image", "rgb.png", "wide.png")
        self.equal("rgb.png", "wide.png", "--allow-depth")
        self.equal("wide.png", "rgb.png", "--allow-depth")
        self.put("off.png", png([[max(0, v * 257 - 1) for v in row] for row in picture()], RGB, 16))
        self.assertEqual(self.pair("rgb.png", "off.png", "--allow-depth")["metrics"]["max_diff"], 1)

    def test_depths_of_pictures_of_y4m(self):
        grey = [[(x * 31 + y * 17) % 256 for x in range(WIDTH)] for y in range(HEIGHT)]

        def y4m(name, depth, chroma, full, code):
            part = 2 if chroma == "420" else 1
            rows = [grey, *(0 if chroma == "mono" else 2) * [[r[:WIDTH // part] for r in grey[:HEIGHT // part]]]]
            tag = chroma + ("" if depth == 8 else f"{depth}" if chroma == "mono" else f"p{depth}")
            head = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C{tag} XCOLORRANGE={'FULL' if full else 'LIMITED'}\n"
            self.put(name, head.encode() + b"FRAME\n" + b"".join(
                code(v, i > 0).to_bytes(1 if depth == 8 else 2, "little")
                for i, plane in enumerate(rows) for row in plane for v in row))

        def full(v, chroma):
            return max(0, ((v - 128) * 2046 + 255) // 510 + 512) if chroma else (v * 2046 + 255) // 510

        y4m("ten.y4m", 10, "mono", True, full)
        y4m("eight.y4m", 8, "mono", True, lambda v, chroma: v)
        self.put("grey.png", png(grey, GREY))
        self.put("wide.png", png([[v * 257 for v in row] for row in grey], GREY, 16))
        self.put("untagged.y4m", (self.dir / "eight.y4m").read_bytes().replace(b" XCOLORRANGE=FULL", b""))
        self.equal("untagged.y4m", "wide.png", "--allow-depth")
        deep = [[nearest(full(v, False), 1023, 65535) for v in row] for row in grey]
        self.put("deep.png", png(deep, GREY, 16))
        for pair in ("grey.png", "ten.y4m"), ("ten.y4m", "eight.y4m"), ("deep.png", "ten.y4m"):
            self.equal(*pair, "--allow-depth")
        for whole, code in (True, full), (False, lambda v, chroma: 4 * v):
            y4m("ten.y4m", 10, "420", whole, code)
            y4m("eight.y4m", 8, "420", whole, lambda v, chroma: v)
            self.equal("eight.y4m", "ten.y4m", "--allow-depth")
        y4m("ten.y4m", 10, "444", False, lambda v, chroma: 4 * v)
        y4m("eight.y4m", 8, "444", False, lambda v, chroma: v)
        self.equal("ten.y4m", "eight.y4m", "--allow-depth")

    @command.unittest.skipUnless(os.environ.get("ASSAY_LIBAV"), "this build has no libav")
    def test_grey_that_states_nothing(self):
        """PGM is full range and sRGB, as PNG without a tag, for metrics of colour, too."""
        metrics = "ssimulacra2,butteraugli,flip"
        grey = [[(x * 31 + y * 17) % 256 for x in range(WIDTH)] for y in range(HEIGHT)]
        for name, rows in (("a", grey), ("b", [[v ^ 6 for v in row] for row in grey])):
            self.put(f"{name}.png", png(rows, GREY))
            self.put(f"{name}.pgm", f"P5\n{WIDTH} {HEIGHT}\n255\n".encode() + bytes(v for row in rows for v in row))
        same = self.equal("a.png", "a.png", "-m", metrics)["metrics"]
        differ = self.pair("a.png", "b.png", "-m", metrics)["metrics"]
        for pair in (("a.pgm", "{}.png"), ("a.png", "{}.pgm"), ("a.pgm", "{}.pgm")):
            for other, want in (("a", same), ("b", differ)):
                self.assertEqual(self.pair(pair[0], pair[1].format(other), "-m", metrics)["metrics"], want)
        self.assertIn("a.pgm has no tag of colour and is taken as sRGB",
                      self.passes("image", "-m", metrics, "a.pgm", "b.pgm").err)

    def test_colours_that_libjxl_converts(self):
        """Of a lossy file with an ICC profile libjxl makes codes by the profile's primaries and curve, where it can.
        Else it makes codes of BT.2020's primaries and sRGB's curve: of linear light 8 bits are too few, and sRGB has
        no room for the colours."""
        own = "libjxl makes codes of its profile's primaries and curve, and cuts off others"
        wide = "libjxl makes codes of BT.2020's primaries and sRGB's curve of its ICC profile's colours, and cuts off"
        for name, rows, kind, profile in PROFILES:
            with self.subTest(name=name):
                jxl = self.fixed(f"{name}.jxl")
                source = self.put(f"{name}.png", png(rows, kind, before=[iccp(profile)]))
                result = self.passes("image", jxl, jxl)
                self.assertIn(wide if name == "toe" else own, result.err)
                self.assertNotIn(own if name == "toe" else wide, result.err)
                metrics = self.pair(source, jxl, "-m", "ssimulacra2,butteraugli")["metrics"]
                self.assertGreater(metrics["ssimulacra2"], 93.5)  # of linear light 92.5 and 1.71 for profile.jxl
                self.assertLess(metrics["butteraugli"], 1.3)
                if name == "toe":
                    self.refuses(MISMATCH, "the colours differ", "image", "-q", source, jxl)
                else:
                    self.assertGreater(self.pair(source, jxl)["metrics"]["psnr"], 30 if kind == GREY else 19.5)
        for text in own, wide:
            self.assertNotIn(text, self.passes("image", self.fixed("rgb.jxl"), self.fixed("rgb.jxl")).err)

    def test_what_metrics_take_for_granted(self):
        """Notes of metrics are printed for images as for videos, once a run."""
        white = "assay: ssimulacra2: transfer srgb against pq, primaries bt709 against bt2020: each side is " \
                "converted from its own; the white of the reference, which is SDR, is 203 cd/m2; light of PQ above " \
                "1000 cd/m2 counts as that (peak)"
        rows = [row * 2 for row in picture()]
        for folder, before in (("a", [chunk(b"sRGB", b"\0")]), ("b", [chunk(b"cICP", bytes([9, 16, 0, 1]))])):
            (self.dir / folder).mkdir()
            for n in (1, 2, 3): # of three sizes
                self.put(f"{folder}/{n}.png", png([row[:24 * n] for row in rows], RGB, before=before))
        for pair in (("a/2.png", "b/2.png"), ("a", "b")):
            self.assertEqual(self.run_assay("image", "-m", "ssimulacra2", *pair).err.splitlines().count(white), 1)
        told = self.run_assay("image", "-m", "cvvdp", "a/2.png", "a/2.png").err
        self.assertIn("assay: cvvdp: ColorVideoVDP v", told)

    def test_gain_maps(self):
        """A gain map makes another picture on displays of HDR, and is not looked at: a notice says so."""
        said = "its gain map for displays of HDR is not looked at: its base picture is compared"
        plain = {}
        for kind in ("jpg", "avif"):
            with open(self.fixed(f"rgb.{kind}"), "rb") as file:
                plain[kind] = file.read()
        for n, (marker, text) in enumerate(((0xe1, b"http://ns.adobe.com/xap/1.0/\0<x hdrgm:Version='1.0'/>"),
                                            (0xe2, b"urn:iso:std:iso:ts:21496:-1\0\0\0\0\0"))):
            segment = bytes([0xff, marker]) + struct.pack(">H", 2 + len(text)) + text
            self.put(f"{n}.jpg", plain["jpg"][:2] + segment + plain["jpg"][2:])
        self.put("0.avif", with_gain_map(plain["avif"]))
        for kind, name in (("jpg", "0.jpg"), ("jpg", "1.jpg"), ("avif", "0.avif")):
            self.assertIn(f"assay: {name}: {said}\n", self.passes("image", self.fixed(f"rgb.{kind}"), name).err)
            self.equal(self.fixed(f"rgb.{kind}"), name)
            self.assertNotIn(said, self.passes("image", self.fixed(f"rgb.{kind}"), self.fixed(f"rgb.{kind}")).err)

    def test_light_that_the_display_does_not_show(self):
        """Pictures of PQ that differ above the peak alone are equal on that display, and a notice says what it is."""
        rows = [[210 + (x * 7 + y * 3) % 40 for x in range(3 * 16)] for y in range(16)] # 2000 to 9000 cd/m2
        for name, v in (("a", 0), ("b", 5)):
            self.put(f"{name}.png", png([[c + v for c in row] for row in rows],
                                        before=[chunk(b"cICP", bytes([9, 16, 0, 1]))]))
        for metric, best in (("ssimulacra2", 100), ("butteraugli", 0)):
            self.assertEqual(self.pair("a.png", "b.png", "-m", metric)["metrics"][metric], best)
            self.assertIn(f"assay: {metric}: light of PQ above 1000 cd/m2 counts as that (peak)\n",
                          self.passes("image", "-m", metric, "a.png", "b.png").err)
            self.assertNotEqual(self.pair("a.png", "b.png", "-m", f"{metric}=peak=10000")["metrics"][metric], best)
            self.assertNotIn("counts as", self.passes("image", "-m", f"{metric}=peak=10000", "a.png", "b.png").err)

    def test_grey_against_rgb(self):
        grey = [[(x * 31 + y * 17) % 256 for x in range(WIDTH)] for y in range(HEIGHT)]
        self.put("grey.png", png(grey, GREY))
        self.put("three.png", png([[v for v in row for _ in range(3)] for row in grey]))
        self.equal("grey.png", "three.png")
        self.assertIn("three equal channels", self.passes("image", "grey.png", "three.png").err)
        for codes in ([12, 13, 0, 1], [9, 16, 0, 1]): # grey has no primaries that could differ
            tag = [chunk(b"cICP", bytes(codes))]
            self.put("grey.png", png(grey, GREY, before=tag))
            self.put("three.png", png([[v for v in row for _ in range(3)] for row in grey], before=tag))
            for pair in (("grey.png", "three.png"), ("three.png", "grey.png")):
                self.equal(*pair)
                self.assertEqual(self.pair(*pair, "-m", "ssimulacra2")["metrics"]["ssimulacra2"], 100)

    # ---- orientation

    def test_orientation_by_exif(self):
        for n in range(1, 9):
            with self.subTest(orientation=n):
                self.put("want.png", png(turned(picture(), n)))
                for order in "<>":
                    for at in ("before", "after"):
                        self.put("t.png", png(picture(), before=[chunk(b"eXIf", exif(n, order))]) if at == "before" else
                                 png(picture())[:-12] + chunk(b"eXIf", exif(n, order)) + chunk(b"IEND", b""))
                        got = self.equal("want.png", "t.png")
                        self.assertEqual((got["reference_orientation"], got["distorted_orientation"]), (1, n))
                if has("webp"):
                    self.put("t.webp", webp_with((FILES / "rgb.webp").read_bytes(), b"EXIF", exif(n), 8))
                    self.assertEqual(self.equal("want.png", "t.webp")["distorted_orientation"], n)
                if has("tiff"):
                    self.put("t.tiff", tiff(picture(), 3, tags=[(274, 3, [n])]))
                    self.assertEqual(self.equal("want.png", "t.tiff")["distorted_orientation"], n)
                if has("avif") and n > 1:
                    self.assertEqual(self.equal("want.png", self.fixed(f"turned_{n}.avif"))["distorted_orientation"], n)
                if has("jxl") and n > 1:
                    self.assertEqual(self.equal("want.png", self.fixed(f"turned_{n}.jxl"))["distorted_orientation"], n)

    def test_orientation_with_alpha(self):
        """Alpha and samples of 16 bits are turned with the colours; rows of a turned picture are as long as it is."""
        for kind in (GREY, GREY_ALPHA, RGBA):
            for depth in (8, 16):
                rows = pixels(23, 11, kind, depth)
                for n in range(1, 9):
                    with self.subTest(kind=kind, depth=depth, orientation=n):
                        self.put("want.png", png(turned(rows, n, CHANNELS[kind]), kind, depth))
                        self.put("t.png", png(rows, kind, depth, before=[chunk(b"eXIf", exif(n))]))
                        self.equal("want.png", "t.png")

    def test_orientation_of_jpeg(self):
        plain = (self.fixed("rgb.jpg"), Path(self.fixed("rgb.jpg")).read_bytes())
        want = self.pair("rgb.png", plain[0])["metrics"]
        for n in range(1, 9):
            self.put("want.png", png(turned(picture(), n)))
            self.put("t.jpg", jpeg_with(plain[1], b"Exif\0\0" + exif(n, ">")))
            got = self.pair("want.png", "t.jpg")
            self.assertEqual(got["distorted_orientation"], n)
            self.assertEqual(got["metrics"]["mse"], want["mse"])
        # the same samples, one of them turned: the sizes differ, or with a half turn the pictures do
        self.put("t.jpg", jpeg_with(plain[1], b"Exif\0\0" + exif(6)))
        self.refuses(MISMATCH, "sizes", "image", plain[0], "t.jpg")
        self.refuses(MISMATCH, "turned on its side", plain[0], "t.jpg")
        self.put("t.jpg", jpeg_with(plain[1], b"Exif\0\0" + exif(3)))
        self.assertEqual(self.pair(plain[0], "t.jpg")["result"], "differs")

    # ---- gates

    def test_gate_on_a_figure_that_the_pair_lacks_fails(self):
        for side in "AB":
            (self.dir / side).mkdir()
            self.put(f"{side}/a.png", png(with_alpha(picture(), 255), RGBA))
            self.put(f"{side}/b.png", png([row[::3] for row in picture()], GREY))
        self.passes("image", "A", "B", "--fail-over", "alpha_max_diff=0")
        result = self.run_assay("image", "A", "B", "--fail-over", "max_diff_g=0")
        self.assertEqual(result.code, GATE, result)
        self.assertIn("FAIL  b.png: max_diff_g: this pair has no such figure", result.out)
        result = self.run_assay("image", "A", "B", "--fail-over", "alpha_max_dif=0")
        self.assertEqual(result.code, command.USAGE, result)
        self.assertIn("no score named 'alpha_max_dif'", result.err)

    # ---- reports and memory

    def test_csv(self):
        self.folders_of_two()
        self.passes("image", "A", "B", "-q", "--csv", "o.csv", "--json", "o.json", "--precision", "max")
        with open(self.dir / "o.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        pairs = json.loads(self.read("o.json"))["pairs"]
        self.assertEqual([r["image"] for r in rows], ['a, "b".png', "c.png"])
        for row, pair in zip(rows, pairs):
            self.assertEqual((row["result"], row["alpha"]), (pair["result"], str(int(pair["alpha"]))))
            for key, value in pair["metrics"].items():
                self.assertEqual(float(row[key]), value)
        self.assertEqual((rows[1]["alpha_max_diff"], rows[1]["error"]), ("", ""))
        self.put("B/c.png", b"no image")
        result = self.run_assay("image", "A", "B", "-q", "--csv", "o.csv")
        self.assertEqual(result.code, INPUT, result)
        with open(self.dir / "o.csv", newline="", encoding="utf-8") as file:
            row = list(csv.DictReader(file))[1]
        self.assertEqual((row["result"], row["width"], row["mse"]), ("error", "", ""))
        self.assertIn("c.png", row["error"])

    def folders_of_two(self):
        for side in "AB":
            (self.dir / side).mkdir()
            self.put(f'{side}/a, "b".png', png(with_alpha(picture(), 255), RGBA))
            self.put(f"{side}/c.png", png(picture()))

    def test_memory_of_large_pictures(self):
        """8000x8000 of RGB: two pictures of 192 MB, and no copy of them."""
        side = 8000
        head = MAGIC + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, RGB, 0, 0, 0))
        for name, grey in (("a.png", 90), ("b.png", 91)):
            packer = zlib.compressobj(1)
            data = b"".join(packer.compress(b"\0" + bytes([grey]) * 3 * side) for _ in range(side)) + packer.flush()
            self.put(name, head + chunk(b"IDAT", data) + chunk(b"IEND", b""))
        child = subprocess.Popen([command.PROGRAM, "image", "-q", "a.png", "b.png", "--fail-over", "max_diff=1"],
                                 cwd=self.dir)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, PASS)
        if os.environ.get("ASSAY_SANITIZED") != "1":
            self.assertLess(used.ru_maxrss, 600 * 1000)

    # ---- TIFF

    def test_every_kind_of_tiff(self):
        self.needs("tiff")
        clear = with_alpha(picture(), 153)
        grey = [row[::3] for row in picture()]
        self.put("grey.png", png(grey, GREY))
        for order in "<>":
            for how in ({}, {"planar": 2}, {"tile": 16}, {"strip": 8}, {"tile": 16, "planar": 2}):
                with self.subTest(order=order, **how):
                    self.put("t.tiff", tiff(picture(), 3, order=order, **how))
                    self.equal("rgb.png", "t.tiff")
                    self.put("t.tiff", tiff(deep(), 3, 16, order=order, **how))
                    self.equal("deep.png", "t.tiff")
                    self.put("t.tiff", tiff(clear, 4, order=order, tags=[(338, 3, [2])], **how))
                    self.equal("clear.png", "t.tiff")
        self.put("t.tiff", tiff(grey, 1))
        self.equal("grey.png", "t.tiff")
        self.put("t.tiff", tiff([[255 - v for v in row] for row in grey], 1, photometric=0))
        self.equal("grey.png", "t.tiff")
        palette = [v * 257 for c in range(3) for v in [(i * (37, 91, 13)[c]) % 256 for i in range(256)]]
        self.put("t.tiff", tiff(grey, 1, photometric=3, tags=[(320, 3, palette)]))
        self.put("colours.png", png([[(v * k) % 256 for v in row for k in (37, 91, 13)] for row in grey]))
        self.equal("colours.png", "t.tiff")
        # palettes whose entries have 8 bits; 16 that are no 8
        self.put("t.tiff", tiff(grey, 1, photometric=3, tags=[(320, 3, [v // 257 for v in palette])]))
        self.equal("colours.png", "t.tiff")
        self.put("t.tiff", tiff(grey, 1, photometric=3, tags=[(320, 3, [v // 257 * 256 for v in palette])]))
        self.assertEqual(self.passes("image", "colours.png", "t.tiff").err, "")
        self.put("t.tiff", tiff(grey, 1, photometric=3, tags=[(320, 3, [v & 0xff17 | 1 for v in palette])]))
        self.assertIn("16 bits, the upper 8 of which", self.passes("image", "colours.png", "t.tiff").err)
        # premultiplied: divided and rounded, with a notice
        stored = [[(v * 153 + 127) // 255 if i % 4 < 3 else v for i, v in enumerate(row)] for row in clear]
        want = [[(v * 255 + 76) // 153 if i % 4 < 3 else v for i, v in enumerate(row)] for row in stored]
        self.put("t.tiff", tiff(stored, 4, tags=[(338, 3, [1])]))
        self.put("want.png", png(want, RGBA))
        self.equal("want.png", "t.tiff")
        self.assertIn("divided", self.passes("image", "want.png", "t.tiff").err)

    def test_tiff_that_is_refused(self):
        self.needs("tiff")

        def changed(data, tag, was, to):
            entry = struct.pack("<HHIH", tag, 3, 1, was)
            self.assertEqual(data.count(entry), 1)
            return data.replace(entry, struct.pack("<HHIH", tag, 3, 1, to))
        bits, jpeg = (258, 8, 1), (259, 1, 7)
        for data, why in ((tiff(picture(), 3, pages=2), "more than one picture"),
                          (tiff(with_alpha(picture(), 9), 4, photometric=5), "grey, RGB, a palette"),
                          (tiff(with_alpha(picture(), 9), 4), "not called alpha"),
                          (tiff(picture(), 3, tags=[(339, 3, [3, 3, 3])]), "floating-point"),
                          (changed(tiff([row[::3] for row in picture()], 1, tile=4), *bits), "within a byte"),
                          # libtiff makes no RGB of planes that are stored apart
                          (changed(tiff(picture(), 3, planar=2, photometric=6), *jpeg), "JPEG's in one plane"),
                          (tiff(picture(), 3)[:60], "damaged TIFF")):
            self.put("t.tiff", data)
            self.refuses(INPUT, ["t.tiff", why], "image", "rgb.png", "t.tiff")

    # ---- colour

    def score(self, *args):
        return self.pair("-m", "ssimulacra2", *args)["metrics"]["ssimulacra2"]

    def test_profiles_that_are_srgb_by_their_numbers(self):
        table = [round(65535 * (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4))
                 for v in (i / 1023 for i in range(1024))]
        for curve in (SRGB_CURVE, curv(*table), para(4, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045, 0, 0)):
            self.put("t.png", png(picture(), before=[iccp(icc("GIMP built-in sRGB", SRGB, curve))]))
            self.equal("rgb.png", "t.png")
            self.assertEqual(self.score("rgb.png", "t.png"), 100)
        grey = [row[::3] for row in picture()]
        self.put("grey.png", png(grey, GREY))
        self.put("t.png", png(grey, GREY, before=[iccp(icc("grey", None, SRGB_CURVE, b"GRAY"))]))
        self.equal("grey.png", "t.png")

    def test_profiles_become_parameters(self):
        """The same profile in another form, or H.273's code for it, is the same; sRGB is not."""
        forms = {"p3": [iccp(icc("Display P3", P3, SRGB_CURVE))], "p3_code": [chunk(b"cICP", bytes([12, 13, 0, 1]))],
                 "adobe": [iccp(icc("Adobe RGB (1998)", ADOBE, curv(563)))],
                 "adobe_type0": [iccp(icc("Adobe", ADOBE, para(0, 563 / 256)))],
                 "adobe_chunks": [chunk(b"gAMA", struct.pack(">I", 45471)), chunk(b"cHRM", struct.pack(
                     ">8I", 31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000))],
                 "odd": [iccp(icc("odd", ADOBE, para(3, 1.9, 1 / 1.1, 0.1 / 1.1, 1 / 9, 0.09)))]}
        for name, before in forms.items():
            self.put(f"{name}.png", png(picture(), before=before))
            self.assertEqual(self.score(f"{name}.png", f"{name}.png"), 100)
            self.refuses(MISMATCH, ["colours differ", f"{name}.png", "untagged"], "image", "rgb.png", f"{name}.png")
            self.assertLess(self.score("rgb.png", f"{name}.png"), 99, name)
            self.assertNotIn("max_diff", self.pair("-m", "ssimulacra2", "rgb.png", f"{name}.png")["metrics"])
            self.assertIn("max_diff", self.pair("-m", "ssimulacra2", "--allow-colour", "rgb.png",
                                                f"{name}.png")["metrics"])
            result = self.passes("-q", "--precision", "max", "-m", "ssimulacra2", "--json", "-", "rgb.png",
                                 f"{name}.png")
            self.assertEqual(json.loads(result.out)["frames"][0]["metrics"]["ssimulacra2"],
                             self.score("rgb.png", f"{name}.png"))
        self.assertEqual(self.score("p3.png", "p3_code.png"), 100)
        self.assertGreater(self.score("adobe.png", "adobe_type0.png"), 99.9)

    def test_the_same_picture_in_two_profiles(self):
        """Codes that were converted from sRGB to linear light in P3 show the same picture, within the rounding."""
        def linear(v):
            v /= 255
            return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
        to_p3 = ((0.8224619687, 0.1775380313, 0), (0.0331941989, 0.9668058011, 0), (0.0170826307, 0.0723974407,
                                                                                    0.9105199286))
        rows = []
        for row in picture():
            light = [linear(v) for v in row]
            rows.append([round(65535 * sum(m * light[x + i] for i, m in enumerate(to_p3[c])))
                         for x in range(0, len(row), 3) for c in range(3)])
        self.put("p3.png", png(rows, RGB, 16, before=[iccp(icc("linear P3", P3, curv()))]))
        self.put("wide.png", png([[v * 257 for v in row] for row in picture()], RGB, 16))
        self.assertGreater(self.score("wide.png", "p3.png"), 99)

    def test_profiles_of_other_formats(self):
        profile = icc("Display P3", P3, SRGB_CURVE)
        self.put("p3.png", png(picture(), before=[iccp(profile)]))
        if has("tiff"):
            self.put("t.tiff", tiff(picture(), 3, tags=[(34675, 7, list(profile))]))
            self.equal("p3.png", "t.tiff")
        if has("webp"):
            self.put("t.webp", webp_with((FILES / "rgb.webp").read_bytes(), b"ICCP", profile, 32))
            self.equal("p3.png", "t.webp")
        if has("jpg"):
            segment = b"ICC_PROFILE\0\1\1" + profile
            data = (FILES / "rgb.jpg").read_bytes()
            self.put("t.jpg", data[:2] + b"\xff\xe2" + struct.pack(">H", len(segment) + 2) + segment + data[2:])
            self.assertGreater(self.pair("p3.png", "t.jpg")["metrics"]["psnr"], 30)
            self.refuses(MISMATCH, ["colours differ", "Display P3"], "image", "rgb.png", "t.jpg")

    def test_profiles_that_cannot_be_expressed(self):
        a_table = [round(65535 * (i / 255 + 0.05 * (1 if 90 < i < 120 else 0))) for i in range(256)]
        cases = {"primaries": icc("one", None, SRGB_CURVE), "function": icc("two", SRGB, curv(*a_table)),
                 "another curve": icc("three", SRGB, [SRGB_CURVE, curv(563), SRGB_CURVE]),
                 "do not add up to white": icc("six", (*SRGB[:2], (0.2, 0.1, 0.5)), SRGB_CURVE),
                 "tables of colours": icc("four", SRGB, SRGB_CURVE, extra=[(b"A2B0", b"mAB " + bytes(28))])}
        for why, profile in cases.items():
            with self.subTest(why=why):
                self.put("t.png", png(picture(), before=[iccp(profile)]))
                name = profile[profile.index(b"desc", 200) + 12:].split(b"\0")[0].decode()
                self.refuses(command.USAGE, ["t.png", f"'{name}'", why, "--assume srgb"], "image", "rgb.png", "t.png",
                             "-m", "ssimulacra2")
                self.assertEqual(self.score("rgb.png", "t.png", "--assume", "srgb"), 100)
                self.refuses(MISMATCH, "colours differ", "image", "rgb.png", "t.png")
                self.equal("t.png", "t.png")
        self.put("other.png", png(picture(), before=[iccp(icc("five", None, SRGB_CURVE))]))
        self.refuses(MISMATCH, "colours differ", "image", "t.png", "other.png")

    def test_scores_of_the_reference_program(self):
        """JPEG files against their PNG: the decoded pixels are the reference program's, and so are the scores."""
        self.needs("jpg")
        shared = Path(os.environ.get("ASSAY_SHARED") or Path(__file__).resolve().parents[3] / "shared")
        if not (shared / "golden" / "ssimulacra2.json").exists():
            self.skipTest("needs the shared data folder")
        data, seen = shared / "data", 0
        for row in json.loads((shared / "golden" / "ssimulacra2.json").read_text(encoding="utf-8")):
            if str(row["dis"]).endswith(".jpg") and "dis_png" in row:
                seen += 1
                self.equal(str(data / row["dis_png"]), str(data / row["dis"]))
                self.assertAlmostEqual(self.score(str(data / row["ref"]), str(data / row["dis"])), row["value"],
                                       delta=0.3)
        self.assertGreater(seen, 3)

    def test_untagged_is_said_once(self):
        result = self.passes("image", "rgb.png", "rgb.png", "-m", "ssimulacra2")
        self.assertEqual(result.err.count("sRGB"), 1)
        self.assertNotIn("sRGB", self.passes("image", "rgb.png", "rgb.png").err)

    # ---- files that are not one good picture

    def test_pictures_that_move(self):
        for name in ("moving.webp", "moving.avif", "moving.jxl", "moving.png"):
            with self.subTest(name=name):
                path = self.fixed(name) if name != "moving.png" else str(FILES / name)
                says = "animated WebP, which is not read" if name == "moving.webp" else "more than one picture"
                self.refuses(INPUT, [name, says], "image", "rgb.png", path)
                self.refuses(INPUT, [name, says], "image", path, path)
        if has("webp"): # libav does not decode it either
            self.refuses(INPUT, ["animated WebP", "webpmux -get frame N"], self.fixed("moving.webp"), "rgb.png")
            self.refuses(INPUT, ["animated WebP", "webpmux -get frame N"], "rgb.png", self.fixed("moving.webp"))
        if has("jpg"):
            self.put("two.jpg", (FILES / "rgb.jpg").read_bytes() * 2)
            self.refuses(INPUT, ["two.jpg", "more than one picture"], "image", "rgb.png", "two.jpg")

    def test_damage(self):
        for name in ("rgb.jpg", "rgb.webp", "rgb.avif", "rgb.jxl"):
            if not has(name.split(".")[1]):
                continue
            data = (FILES / name).read_bytes()
            for cut in (20, len(data) // 2, len(data) - 8):
                with self.subTest(name=name, cut=cut):
                    self.put("cut." + name, data[:cut])
                    self.refuses(INPUT, "cut." + name, "image", "rgb.png", "cut." + name)

    def test_pam(self):
        """libav takes a PAM for one where its head has a comment behind the first line; all of them are read."""
        for kind, depth, name in ((GREY, 1, "GRAYSCALE"), (RGB, 3, "RGB"), (RGBA, 4, "RGB_ALPHA")):
            rows = [[(37 * i + 11 * y) % 256 for i in range(5 * depth)] for y in range(3)]
            self.write("a.png", png(rows, kind))
            for comment in ("", "# of a tool\n"):
                head = f"P7\n{comment}WIDTH 5\nHEIGHT 3\nDEPTH {depth}\nMAXVAL 255\nTUPLTYPE {name}\nENDHDR\n"
                self.write("a.pam", head.encode() + bytes(v for row in rows for v in row))
                with self.subTest(name=name, comment=comment):
                    if depth < 4:
                        self.assertIn("equal", self.passes("image", "a.png", "a.pam").out)
                    else:
                        self.refuses(MISMATCH, "a.pam is 5x3 rgb24 with alpha that is not read", "image", "a.png",
                                     "a.pam")

    def test_junk(self):
        """The message is of images: it does not offer the options of raw video."""
        self.put("junk.png", b"no image at all " * 64)
        for files in (("junk.png", "rgb.png"), ("rgb.png", "junk.png")):
            err = self.refuses(INPUT, ["junk.png: is n", "image", "PNG, JPEG"], "image", *files).err
            self.assertNotIn("-w", err)
            self.assertNotIn("YUV", err)

    def test_a_pipe(self):
        for name in ("rgb.webp", "rgb.avif", "rgb.jxl"):
            if has(name.split(".")[1]):
                with open(FILES / name, "rb") as data:
                    self.assertIn("equal", self.passes("image", "rgb.png", "-", stdin=data).out)
                data = (FILES / name).read_bytes()
                self.assertIn("equal", self.passes("image", "rgb.png", "-", input=data, text=False).out.decode())


if __name__ == "__main__":
    main()
