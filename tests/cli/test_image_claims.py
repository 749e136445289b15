# SPDX-License-Identifier: BSD-2-Clause
"""Images whose parts contradict each other, or lack what their library would make up without a word."""
import os
import struct
import unittest

from command import INPUT, MISMATCH, Case, main
from pictures import GREY_ALPHA, PALETTE, RGB, RGBA, box, chunk, png
from test_image_files import (ADOBE, FILES, P3, SRGB, SRGB_CURVE, curv, exif, has, icc, iccp, jpeg_with, para, picture,
                              tiff, turned, webp_with)
from test_image_floats import exr, pfm

SRGB_CHUNK = chunk(b"sRGB", b"\0")
PROFILE = iccp(icc("Display P3", P3, SRGB_CURVE))


def gama(value):
    return chunk(b"gAMA", struct.pack(">I", value))


def chrm(*values):
    """White, red, green, blue."""
    return chunk(b"cHRM", struct.pack(">8I", *values))


P3_CHUNK = chrm(31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000)


def of_camera(colours, order="<"):
    """EXIF of an upright picture, with the tag of the colours: 1 is sRGB, 65535 others."""
    magic = b"II*\0" if order == "<" else b"MM\0*"
    return magic + struct.pack(order + "IHHHIHHHHIII", 8, 2, 0x112, 3, 1, 1, 0, 0x8769, 4, 1, 38, 0) + \
        struct.pack(order + "HHHIHHI", 1, 0xa001, 3, 1, colours, 0, 0)


def jfif(data, kind, x, y):
    return data[:2] + b"\xff\xe0\0\x10JFIF\0\1\1" + struct.pack(">BHHBB", kind, x, y, 0, 0) + data[2:]


def jpeg(scans, progressive=False):
    """8x8, of three components, in which each coefficient but the first is 0. `scans`: (component, first and last
    coefficient)."""
    def segment(marker, body):
        return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body
    out = b"\xff\xd8" + segment(0xdb, b"\0" + b"\1" * 64)
    out += segment(0xc2 if progressive else 0xc0, struct.pack(">BHHB", 8, 8, 8, 3) + b"\1\x11\0\2\x11\0\3\x11\0")
    out += segment(0xc4, b"\0\1\1" + bytes(14) + b"\0\5") + segment(0xc4, b"\x10\1" + bytes(15) + b"\0")
    for component, first, last in scans:
        bits = ("1011111" if first == 0 else "") + ("0" if last > 0 else "") # 31, of 5 bits; the block's end
        out += segment(0xda, bytes([1, component, 0, first, last, 0])) + bytes([int(bits.ljust(8, "1"), 2)])
    return out + b"\xff\xd9"


@unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
class Png(Case):
    def differ(self, *files):
        return self.refuses(MISMATCH, "the colours differ", "image", *files).err

    def put(self, name, *before):
        return self.write(name, png(picture(), before=before))

    def test_profile_and_srgb(self):
        """The profile counts, whichever of the two is first."""
        self.put("none.png")
        self.put("profile.png", PROFILE)
        for before in ((SRGB_CHUNK, PROFILE), (PROFILE, SRGB_CHUNK), (gama(100000), PROFILE), (PROFILE, P3_CHUNK)):
            self.put("both.png", *before)
            self.assertIn("equal", self.passes("image", "profile.png", "both.png").out)
            self.assertIn("both.png is ICC profile 'Display P3'", self.differ("none.png", "both.png"))
        self.put("srgb.png", gama(100000), P3_CHUNK, SRGB_CHUNK)
        self.assertEqual(self.passes("image", "none.png", "srgb.png").err, "")
        self.put("refused.png", SRGB_CHUNK, iccp(b"\0" * 132))
        self.assertIn("libpng refuses its ICC profile (", self.passes("image", "none.png", "refused.png").err)

    def test_primaries_alone(self):
        """They count with sRGB's curve, and take no gamma with them where they span no colours."""
        self.put("none.png")
        self.put("profile.png", PROFILE)
        self.put("primaries.png", P3_CHUNK)
        self.assertIn("equal", self.passes("image", "profile.png", "primaries.png").out)
        self.assertIn("primaries.png is chromaticities", self.differ("none.png", "primaries.png"))
        for before in ((chrm(*[0] * 8), gama(100000)), (gama(100000), chrm(*[0] * 8))):
            self.put("bad.png", *before)
            self.assertIn("bad.png is gamma 100000/100000, chromaticities", self.differ("none.png", "bad.png"))

    def test_codes_that_state_nothing(self):
        """Where cICP leaves a curve or primaries open (2) the next chunk counts; a matrix is none of PNG's."""
        self.put("none.png")
        self.put("profile.png", PROFILE)
        for codes in ((2, 2, 0, 1), (9, 2, 0, 1), (2, 16, 0, 1), (1, 13, 1, 1)):
            cicp = chunk(b"cICP", bytes(codes))
            for before in ((cicp, PROFILE), (PROFILE, cicp), (cicp, PROFILE, gama(100000))):
                self.put("both.png", *before)
                done = self.passes("image", "profile.png", "both.png")
                self.assertIn("equal", done.out)
                notice = ("its chunk cICP states a matrix, and is passed over" if codes[2] else
                          f"its cICP leaves the {'curve' if codes[1] == 2 else 'primaries'} open: others count")
                self.assertEqual(done.err, "" if codes[:2] == (2, 2) else f"assay: both.png: {notice}\n")
            self.put("both.png", cicp, gama(100000))
            self.assertIn("gamma 100000/100000", self.differ("none.png", "both.png"))
        self.put("both.png", chunk(b"cICP", bytes([2, 2, 0, 1])))
        self.assertIn("equal", self.passes("image", "none.png", "both.png").out)
        self.put("both.png", chunk(b"cICP", bytes([9, 2, 0, 1])))
        self.assertIn("both.png is cICP 9-2-0-1", self.differ("none.png", "both.png"))

    def test_chunks_that_are_too_many(self):
        """Of two the first one counts, and of those of a wrong size none."""
        for name, bodies in (("gAMA", (struct.pack(">I", 100000), struct.pack(">I", 45455))),
                             ("cHRM", (P3_CHUNK[8:-4], bytes(32))), ("cICP", (b"\x09\x10\0\1", b"\1\x0d\0\1"))):
            one, two = (chunk(name.encode(), body) for body in bodies)
            self.put("one.png", one)
            self.put("both.png", one, two)
            self.put("cut.png", chunk(name.encode(), bodies[0][1:]), one)
            for file, what in (("both.png", "second"), ("cut.png", "damaged")):
                done = self.passes("image", "one.png", file)
                self.assertIn("equal", done.out)
                self.assertEqual(done.err, f"assay: {file}: its {what} chunk {name} is passed over\n")
        self.put("both.png", PROFILE, iccp(icc("sRGB", SRGB, SRGB_CURVE)))
        self.assertIn("both.png: it has several ICC profiles, one of which libpng takes\n",
                      self.passes("image", "both.png", "both.png").err)

    def test_samples_beyond_the_palette(self):
        """They are an error of the file's, and black and opaque, as in browsers."""
        colours = [(10 * i + 1, 255 - i, 7 * i + 3) for i in range(11)]
        for depth, n in ((1, 1), (2, 3), (4, 11), (8, 11), (4, 16), (1, 2)):
            known = (colours * 2)[:n]
            rows = [[(x + 3 * y) % (1 << depth) for x in range(29)] for y in range(13)]
            for alpha in (b"", bytes([0, 9])[:n]):
                before = [chunk(b"PLTE", bytes(v for c in known for v in c))]
                before += [chunk(b"tRNS", alpha)] if alpha else []
                shown = dict(enumerate((*c, *(alpha[i:i + 1] or [255])) for i, c in enumerate(known)))
                self.write("a.png", png([[v for i in row for v in shown.get(i, (0, 0, 0, 255))[:4 if alpha else 3]]
                                         for row in rows], RGBA if alpha else RGB))
                for interlaced in (False, True):
                    self.write("b.png", png(rows, PALETTE, depth, before, interlaced))
                    done = self.passes("image", "a.png", "b.png")
                    self.assertIn("equal", done.out)
                    said = f"assay: b.png: samples beyond the {n} colours of its palette are black\n"
                    self.assertEqual(done.err, said if n < 1 << depth else "")

    def test_transparency_that_is_refused(self):
        """libpng passes over a chunk tRNS that is none of its picture's, and shows all of it."""
        colours = chunk(b"PLTE", bytes([10, 20, 30, 200, 100, 50]))
        self.write("a.png", png([[10, 20, 30, 200, 100, 50]]))
        for before in ((colours, chunk(b"tRNS", bytes(3))), (chunk(b"tRNS", bytes(2)), colours)):
            self.write("b.png", png([[0, 1]], PALETTE, before=before))
            self.assertIn("b.png: libpng says: tRNS: ", self.passes("image", "a.png", "b.png").err)
        self.write("b.png", png([[0, 1]], PALETTE, before=(colours, chunk(b"sBIT", b"\5\5\5"))))
        self.assertEqual(self.passes("image", "a.png", "b.png").err, "")

    def test_orientation(self):
        self.write("a.png", png(turned(picture(), 3)))
        self.put("b.png", chunk(b"eXIf", exif(3)), chunk(b"eXIf", exif(1)))
        done = self.passes("image", "a.png", "b.png")
        self.assertIn("equal", done.out)
        self.assertIn("b.png: its second chunk eXIf is passed over", done.err)
        self.write("c.png", png([[1, 9, 2, 8], [3, 7, 4, 6]], GREY_ALPHA, before=[chunk(b"eXIf", exif(6))]))
        self.write("d.png", png([[3, 7, 1, 9], [4, 6, 2, 8]], GREY_ALPHA))
        self.assertIn("equal", self.passes("image", "c.png", "d.png").out)

    def test_tables_of_few_entries(self):
        """Between two entries of a profile's table is a straight line, which is no curve that goes through both."""
        self.put("line.png", iccp(icc("line", SRGB, para(0, 1))))
        self.put("two.png", iccp(icc("two", SRGB, curv(0, 65535))))
        self.assertIn("equal", self.passes("image", "line.png", "two.png").out)
        for curve, entries, known in ((SRGB_CURVE, 5, False), (SRGB_CURVE, 65, True), (para(0, 2.2), 5, False),
                                      (para(0, 2.2), 65, True)):
            def light(v, power=curve == SRGB_CURVE):
                return v ** 2.2 if not power else v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
            table = curv(*(round(65535 * light(i / (entries - 1))) for i in range(entries)))
            self.put("curve.png", iccp(icc("curve", ADOBE, curve)))
            self.put("table.png", iccp(icc("table", ADOBE, table)))
            if known:
                self.assertIn("equal", self.passes("image", "curve.png", "table.png").out)
            else:
                self.differ("curve.png", "table.png")

    # ---- other formats

    def needs(self, name):
        if not has(name):
            self.skipTest(f"this build does not read {name}")

    def test_pixels_that_are_not_square(self):
        """Densities are rounded, and a shape without a unit is as FFmpeg writes and reads it."""
        self.put("a.png")
        cases = {"dense.png": (png(picture(), before=[chunk(b"pHYs", struct.pack(">IIB", 8031, 3858, 1))]), "0.480388"),
                 "shape.png": (png(picture(), before=[chunk(b"pHYs", struct.pack(">IIB", 64, 45, 0))]), "1.42222"),
                 "square.png": (png(picture(), before=[chunk(b"pHYs", struct.pack(">IIB", 2835, 2834, 1))]), ""),
                 "none.png": (png(picture(), before=[chunk(b"pHYs", struct.pack(">IIB", 0, 2834, 1))]), "")}
        plain_jpeg = (FILES / "rgb.jpg").read_bytes()
        if has("jpg"):
            cases.update({"dense.jpg": (jfif(plain_jpeg, 1, 204, 98), "0.480392"),
                          "shape.jpg": (jfif(plain_jpeg, 0, 2, 1), "2"),
                          "square.jpg": (jfif(plain_jpeg, 2, 80, 80), "")})
        if has("tiff"):
            cases.update({f"{x}.tif": (tiff(picture(), 3, tags=[(282, 5, [x, 1]), (283, 5, [98, 1])]), text)
                          for x, text in ((204, "0.480392"), (98, ""))})
        if has("avif"):
            plain, pixi = (FILES / "rgb.avif").read_bytes(), box(b"pixi", b"\0\0\0\0\3\x08\x08\x08")
            self.assertEqual(plain.count(pixi), 1)
            cases["shape.avif"] = (plain.replace(pixi, box(b"pasp", struct.pack(">II", 4, 3))), "1.33333")
        for name, (data, text) in cases.items():
            self.write(name, data)
            said = f"assay: {name}: its pixels are {text} times as wide as high, and are compared as they are\n"
            self.assertEqual(self.passes("image", "a.png", name).err, said if text else "", name)
        # The shape is that of the upright picture, whose columns are stored as rows from 5 on.
        dense = chunk(b"pHYs", struct.pack(">IIB", 100, 200, 1))
        for n in range(1, 9):
            cases = {"dense.png": png(picture(), before=[dense])[:-12] + chunk(b"eXIf", exif(n)) + chunk(b"IEND", b"")}
            if has("jpg"):
                cases["shape.jpg"] = jpeg_with(jfif(plain_jpeg, 0, 2, 1), b"Exif\0\0" + exif(n))
            if has("tiff"):
                tags = [(274, 3, [n]), (282, 5, [100, 1]), (283, 5, [200, 1])]
                cases["dense.tif"] = tiff(picture(), 3, tags=tags)
            for name, data in cases.items():
                self.write(name, data)
                self.assertIn(f"{name}: its pixels are {2 if n < 5 else 0.5} times as wide as high",
                              self.passes("image", name, name).err)
        if os.environ.get("ASSAY_LIBAV"):
            self.write("b.y4m", b"YUV4MPEG2 W2 H2 F25:1 A4:3 C444\nFRAME\n" + bytes(12))
            self.assertIn("b.y4m: its pixels are 1.33333 times", self.passes("image", "b.y4m", "b.y4m").err)

    def test_colours_of_cameras(self):
        """A camera that is set to Adobe RGB says so in EXIF alone."""
        said = "is taken as sRGB for want of a profile, though its EXIF says that it is not (Adobe RGB?)"
        self.put("a.png")
        for order in "<>":
            for colours in (1, 65535):
                data = {"b.png": png(picture(), before=[chunk(b"eXIf", of_camera(colours, order))])}
                if has("jpg"):
                    data["b.jpg"] = jpeg_with((FILES / "rgb.jpg").read_bytes(), b"Exif\0\0" + of_camera(colours, order))
                if has("webp"):
                    data["b.webp"] = webp_with((FILES / "rgb.webp").read_bytes(), b"EXIF", of_camera(colours, order), 8)
                for name, content in data.items():
                    self.write(name, content)
                    self.assertEqual(self.passes("image", "a.png", name).err,
                                     f"assay: {name}: {said}\n" if colours > 1 else "")
        self.put("b.png", chunk(b"eXIf", of_camera(65535)), SRGB_CHUNK)
        self.assertEqual(self.passes("image", "a.png", "b.png").err, "")

    def test_scans_that_are_missing(self):
        self.needs("jpg")
        self.write("a.png", png([[132, 132, 132] * 8] * 8))
        whole = [(1, 0, 63), (2, 0, 63), (3, 0, 63)]
        first, rest = [(c, 0, 0) for c in (1, 2, 3)], [(c, 1, 63) for c in (1, 2, 3)]
        self.write("a.jpg", jpeg(whole))
        self.assertEqual(self.passes("image", "a.jpg", "a.jpg").err, "")
        self.write("b.jpg", jpeg(first + rest, True))
        done = self.passes("image", "a.jpg", "b.jpg")
        self.assertEqual(("equal" in done.out, done.err), (True, ""))
        for scans, progressive in ((whole[:2], False), (whole[1:], False), (first[:2], True), (first[1:], True)):
            self.write("b.jpg", jpeg(scans, progressive))
            self.refuses(INPUT, "b.jpg: damaged JPEG: a component has no scan", "image", "a.jpg", "b.jpg")
        for scans in (first, first + rest[:2]):
            self.write("b.jpg", jpeg(scans, True))
            self.assertIn("b.jpg: its scans leave out bits of its samples", self.passes("image", "a.jpg", "b.jpg").err)

    def test_jpeg_of_several_views(self):
        """The segment MPF tells views (2) from smaller copies (1) and a picture with such (3)."""
        self.needs("jpg")
        plain = (FILES / "rgb.jpg").read_bytes()
        self.put("a.png")
        for order, magic in (("<", b"II*\0"), (">", b"MM\0*")):
            for kind in (0x20020002, 0x20020001, 0x030000, 0, 0x00010001):
                mpf = b"MPF\0" + magic + struct.pack(order + "IHHHIIHHIII", 8, 2, 0xb001, 4, 1, 2, 0xb002, 7, 32, 38, 0)
                mpf += b"".join(struct.pack(order + "IIIHH", k, 0, 0, 0, 0) for k in (kind, kind & 0xffffff))
                self.write("a.jpg", plain[:2] + b"\xff\xe2" + struct.pack(">H", 2 + len(mpf)) + mpf + plain[2:] + plain)
                said = "assay: a.jpg: the other views or parts of a panorama that it holds are not compared\n"
                self.assertEqual(self.passes("image", "a.png", "a.jpg").err, said if kind >> 16 & 255 == 2 else "")

    def test_jpeg_that_its_library_does_not_read(self):
        """It is not damaged: the file says what it is."""
        self.needs("jpg")
        self.put("a.png")
        plain = (FILES / "rgb.jpg").read_bytes()
        at = plain.index(b"\xff\xc0") + 1
        for change, why in (({0: 0xc1, 3: 12}, "data precision 12"), ({0: 0xc5}, "process: SOF type 0xc5")):
            self.write("a.jpg", bytes(change.get(i - at, v) for i, v in enumerate(plain)))
            said = f"a.jpg: is a JPEG that its library does not read: Unsupported JPEG {why}"
            self.assertNotIn("damaged", self.refuses(INPUT, said, "image", "a.png", "a.jpg").err)

    def test_tiff_of_more(self):
        """The raw pictures of cameras begin with a small copy; a page that can't be read is one all the same."""
        self.needs("tiff")
        self.put("a.png")
        self.write("a.tif", tiff(picture(), 3, tags=[(254, 4, [1])]))
        self.refuses(INPUT, "a.tif: is a TIFF of a smaller copy of a picture", "image", "a.png", "a.tif")
        whole = tiff(picture(), 3)
        at = struct.unpack("<I", whole[4:8])[0]
        at += 2 + 12 * struct.unpack("<H", whole[at:at + 2])[0]
        self.assertEqual(whole[at:at + 4], bytes(4))
        for following in (len(whole) + 100, struct.unpack("<I", whole[4:8])[0]):
            self.write("a.tif", whole[:at] + struct.pack("<I", following) + whole[at + 4:])
            self.refuses(INPUT, "a.tif: holds more than one picture", "image", "a.png", "a.tif")

    def test_exr_of_less(self):
        """A row that is not compressed and states fewer bytes had samples that nobody has written."""
        self.needs("exr")
        rows = [[0.25, 0.5, 0.75] * 4] * 3
        self.write("a.pfm", pfm(rows))
        whole = exr(rows)
        self.write("a.exr", whole)
        self.assertIn("equal", self.passes("image", "a.pfm", "a.exr").out)
        row = struct.pack("<ii", 1, 4 * 12)
        self.assertEqual(whole.count(row), 1)
        for size in (4 * 11, 4, 4 * 13):
            self.write("a.exr", whole.replace(row, struct.pack("<ii", 1, size)))
            self.refuses(INPUT, "a.exr: damaged OpenEXR", "image", "a.pfm", "a.exr")

    def test_jxl_of_24_bits(self):
        self.needs("jxl")
        data = (FILES / "codes_11.jxl").read_bytes()
        head = int.from_bytes(data[:8], "little")
        self.assertEqual(head >> 30 & 63, 10)
        self.write("a.jxl", (head & ~(63 << 30) | 23 << 30).to_bytes(8, "little") + data[8:])
        self.refuses(INPUT, "a.jxl: has samples of floating point or of more than 16 bits", "image", "a.jxl", "a.jxl")


if __name__ == "__main__":
    main()
