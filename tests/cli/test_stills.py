# SPDX-License-Identifier: BSD-2-Clause
"""Still pictures that libav reads: those without their end, and those that its decoders would scale inexactly."""
import json
import os
import struct
import unittest
import zlib

from command import INPUT, USAGE, Case, main
from pictures import GREY, chunk, pixels, png
from test_image_files import P3, SRGB_CURVE, icc, iccp

WIDTH, HEIGHT = 13, 9


def bmp(turned):
    body = b"".join(row + bytes(-len(row) % 4) for row in turned[::-1])
    return b"BM" + struct.pack("<IIIIiiHHIIiiII", 54 + len(body), 0, 54, 40, WIDTH, HEIGHT, 1, 24, 0, len(body), 1, 1,
                               0, 0) + body


def dpx(flat, order):
    """8 bits, linear, each row a whole number of words."""
    body = b"".join(row + bytes(-len(row) % 4) for row in flat)
    head = bytearray(2048)
    for at, form, *values in ((0, "I", 0x53445058), (4, "I", 2048), (16, "I", 2048 + len(body)),
                              (768, "HHII", 0, 1, WIDTH, HEIGHT), (800, "BBBB", 50, 2, 1, 8), (804, "HHI", 0, 0, 2048)):
        struct.pack_into(order + form, head, at, *values)
    return bytes(head) + body


def qoi(flat):
    pixel = b"".join(b"\xfe" + row[3 * x:3 * x + 3] for row in flat for x in range(WIDTH))
    return b"qoif" + struct.pack(">IIBB", WIDTH, HEIGHT, 3, 0) + pixel + bytes(7) + b"\1"


def sun(body, kind, stated):
    return struct.pack(">8I", 0x59a66a95, WIDTH, HEIGHT, 24, stated, kind, 0, 0) + body


def sgi(flat):
    """Rows of runs from the bottom up, red, green and blue; each row is one run of unequal samples."""
    rows = [bytes([0x80 | WIDTH]) + row[c::3] + b"\0" for c in range(3) for row in flat[::-1]]
    first, count = 512 + 8 * len(rows), len(rows[0])
    table = [first + count * i for i in range(len(rows))] + [count] * len(rows)
    head = struct.pack(">HBBHHHHII", 474, 1, 1, 3, WIDTH, HEIGHT, 3, 0, 255).ljust(512, b"\0")
    return head + struct.pack(f">{len(table)}I", *table) + b"".join(rows)


def pcx(flat, packed):
    """Rows of three planes, of an even number of bytes each; with runs, each sample is one."""
    wide = WIDTH + WIDTH % 2
    head = struct.pack("<4B6H", 10, 5, packed, 8, 0, 0, WIDTH - 1, HEIGHT - 1, 72, 72).ljust(65, b"\0")
    planes = (row[c::3] + bytes(wide - WIDTH) for row in flat for c in range(3))
    body = (bytes(b for v in plane for b in ([0xc1, v] if packed else [v])) for plane in planes)
    return (head + struct.pack("<BHH", 3, wide, 1)).ljust(128, b"\0") + b"".join(body)


def psd(flat):
    """Rows of literals, plane by plane, behind a section of resources."""
    rows = [bytes([WIDTH - 1]) + row[c::3] for c in range(3) for row in flat]
    head = struct.pack(">4sH6xHIIHHII5sIH", b"8BPS", 1, 3, HEIGHT, WIDTH, 8, 3, 0, 5, b"notes", 0, 1)
    return head + struct.pack(f">{len(rows)}H", *map(len, rows)) + b"".join(rows)


def pix(turned):
    pixels_of = (row[3 * x:3 * x + 3] for row in turned for x in range(WIDTH))
    return struct.pack(">5H", WIDTH, HEIGHT, 0, 0, 24) + b"".join(b"\1" + pixel for pixel in pixels_of)


def stills(rows):
    flat = [bytes(row) for row in rows]
    turned = [bytes(v for x in range(WIDTH) for v in row[3 * x:3 * x + 3][::-1]) for row in flat]
    plain = b"".join(row + bytes(len(row) % 2) for row in turned)
    runs = b"".join(bytes([v, 0] if v == 0x80 else [v]) for v in plain)
    return {"a.bmp": bmp(turned), "big.dpx": dpx(flat, ">"), "little.dpx": dpx(flat, "<"), "a.qoi": qoi(flat),
            "new.sun": sun(plain, 1, len(plain)), "old.sun": sun(plain, 0, 0), "runs.sun": sun(runs, 2, len(runs)),
            "a.sgi": sgi(flat), "plain.pcx": pcx(flat, 0), "runs.pcx": pcx(flat, 1), "a.psd": psd(flat),
            "a.pix": pix(turned)}


@unittest.skipUnless(os.environ.get("ASSAY_LIBAV"), "this build has no libav")
class Stills(Case):
    def test_cut(self):
        """Their decoders make up what is missing at the end without a word."""
        rows = pixels(WIDTH, HEIGHT)
        self.write("a.png", png(rows))
        for name, data in stills(rows).items():
            with self.subTest(name=name):
                self.write(name, data)
                self.assertIn("equal", self.passes("image", "--allow-colour", "a.png", name).out)
                for less in (1, 2, 3, 9, 40, len(data) // 2):
                    self.write("cut", data[:-less])
                    result = self.run_assay("image", "--allow-colour", "a.png", "cut")
                    self.assertEqual((result.code, result.out), (INPUT, ""), (less, result))
                    self.assertRegex(result.err, r"\Aassay: cut: .*\n\Z")

    def test_jpeg_ls(self):
        """Samples of 12 bits, which libav puts at the top of 16, are read as they are. A row: fifteen of 0 in runs of
        1, 2 and 3, which a sample of 1000 interrupts."""
        bits = "1" * 8 + "0" + "011" + 31 * "0" + "1" + "001111" # a byte of ones is followed by a zero
        data = bytes(int(bits[i:i + 8].ljust(8, "0"), 2) for i in range(0, len(bits), 8))
        whole = (b"\xff\xd8\xff\xf7" + struct.pack(">HBHHBBBB", 11, 12, 1, 16, 1, 1, 0x11, 0) + b"\xff\xda" +
                 struct.pack(">HBBBBBB", 8, 1, 1, 0, 0, 0, 0) + data + b"\xff\xd9")
        self.write("a.jls", whole)
        for last, more in ((1000, 0), (1001, 1)):
            row = struct.pack("<16H", *[0] * 15, last)
            self.write("a.y4m", b"YUV4MPEG2 W16 H1 F25:1 Cmono12\nFRAME\n" + row)
            report = json.loads(self.passes("-q", "-m", "diff", "--json", "-", "a.jls", "a.y4m").out)
            self.assertEqual(report["frames"][0]["metrics"]["max_diff"], more)
        self.assertIn("gray12: equal", self.passes("image", "a.jls", "a.jls").out)
        # A head of SPIFF, whose last entry ends with the picture's start.
        spiff = b"\xff\xd8\xff\xe8" + struct.pack(">H6s4B2I4B2I", 32, b"SPIFF", 2, 0, 0, 1, 1, 16, 8, 12, 6, 0, 1, 1)
        spiff += b"\xff\xe8" + struct.pack(">HI", 8, 1) + whole
        self.write("s.jls", spiff)
        for args in (["image"], ["-m", "diff"], ["image", "--allow-colour"]):
            self.assertIn("equal" if "image" in args else "max_diff", self.passes(*args, "a.jls", "s.jls").out)
        self.refuses(INPUT, "plain: damaged JPEG", "image", "a.jls",
                     self.write("plain", spiff[:26] + b"\5" + spiff[27:])) # as one of JPEG, which its samples are not
        for less in (1, 2, 3, 5):
            self.write("cut", whole[:-less])
            self.refuses(INPUT, "cut: frame 0: truncated, or joined", "-q", "-m", "psnr", "cut", "cut")
            self.write("cut", spiff[:-less])
            self.refuses(INPUT, "cut: frame 0: ", "-q", "-m", "psnr", "cut", "cut")

    def test_what_is_not_read(self):
        """Some libav takes Radiance HDR for subtitles."""
        head = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 4\n"
        self.write("a.hdr", head + bytes([128, 100, 60, 129]) * 16)
        self.refuses(INPUT, "a.hdr: is Radiance HDR, which is not read", "image", "a.hdr", "a.hdr")

    def test_joined(self):
        """Of joined SGI and Sun rasters libav reads the first one. Other bytes behind a picture are none of it."""
        for name, data in stills(pixels(WIDTH, HEIGHT)).items():
            with self.subTest(name=name):
                self.write("a", data)
                self.write("b", data + data)
                result = self.run_assay("-m", "psnr", "b", "b")
                if result.code == INPUT and not name.endswith((".bmp", ".qoi", ".pix")):
                    self.assertIn("b: frame 0: truncated, or joined to another picture", result.err)
                elif name == "a.pix": # of which libav decodes nothing then
                    self.assertEqual(result.code, INPUT, result)
                else: # libav finds a small DPX behind another one in some versions
                    self.assertFalse(name.endswith((".sgi", ".sun")), result)
                    self.assertIn(", 2 frames", result.out)
                if name.endswith((".sgi", ".sun", ".bmp")):
                    self.write("b", data + b"note")
                    self.assertIn("equal", self.passes("image", "a", "b").out)

    def test_largest_samples(self):
        """The decoders of binary PGM, PPM and PAM scale by a factor of a few bits, and larger samples wrap."""
        rows = [[(7 * x + 5 * y) % 100 for x in range(WIDTH)] for y in range(HEIGHT)]
        self.write("8.png", png(rows, GREY))
        self.write("16.png", png([[v * 257 for v in row] for row in rows], GREY, 16))
        for head in ("P5\n13 9\n%d\n", "P5\n# 7 8\n13 # 255\n9\n# x\n%d\n",
                     "P7\n# x\nWIDTH 13\nHEIGHT 9\nDEPTH 1\nMAXVAL %d\nTUPLTYPE GRAYSCALE\nENDHDR\n"):
            self.write("b", head.partition("%d")[0].encode()) # cut in front of it
            self.assertNotIn("largest", self.refuses(INPUT, "b: ", "image", "8.png", "b").err)
            for largest in (255, 65535, 100, 254, 1, 0, 300, 65534):
                with self.subTest(head=head, largest=largest):
                    size = 2 if largest > 255 else 1
                    samples = bytes(v for row in rows for v in row for _ in range(size))
                    self.write("b", (head % largest).encode() + samples)
                    pair = (f"{8 * size}.png", "b")
                    if largest in (255, 65535):
                        self.assertIn("equal", self.passes("image", *pair).out)
                    else:
                        self.refuses(INPUT, "b: frame 0: its largest sample is stated as neither 255 nor 65535"
                                     if largest else "b: ", "image", *pair) # libav opens no PAM of 0

    def test_spread_samples(self):
        """Of FITS libav spreads the samples of each picture: one that is brighter by 10 had the same."""
        def fits(samples):
            head = "".join(f"{key:<8}= {value:>20}".ljust(80) for key, value in
                           (("SIMPLE", "T"), ("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", 16), ("NAXIS2", 6)))
            return (head + "END").ljust(2880).encode() + samples.ljust(2880, b"\0")
        self.write("a.fits", fits(bytes(range(96))))
        self.write("b.fits", fits(bytes(range(10, 106))))
        self.refuses(INPUT, "a.fits: this libavcodec has no decoder for fits that keeps its samples", "image", "a.fits",
                     "b.fits")

    def test_names_of_colours(self):
        """Of XPM libav makes black of names that it does not know, and of 12 digits."""
        for colour in ("gray50", "#ffff80000000", "#ff8000"):
            text = f'/* XPM */\nstatic char *a[] = {{\n"2 1 2 1",\n"a c {colour}",\n"b c blue",\n"ab"\n}};\n'
            self.write("a.xpm", text.encode())
            self.refuses(INPUT, "a.xpm: this libavcodec has no decoder for xpm that keeps its samples", "image",
                         "a.xpm", "a.xpm")

    def test_profile_of_a_video(self):
        """libav hands the profile of an animated PNG on, and assay has no use for it."""
        samples = zlib.compress(b"".join(b"\0" + bytes(row) for row in pixels(WIDTH, HEIGHT)))

        def control(number):
            return chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0))

        def apng(*before):
            data = png(pixels(WIDTH, HEIGHT), before=[chunk(b"acTL", struct.pack(">II", 2, 0)), *before, control(0)])
            return data[:-12] + control(1) + chunk(b"fdAT", struct.pack(">I", 2) + samples) + data[-12:]
        self.write("a.png", apng())
        self.write("b.png", apng(iccp(icc("Display P3", P3, SRGB_CURVE))))
        self.assertEqual(self.passes("-q", "-m", "psnr", "a.png", "a.png").err, "")
        self.assertNotIn("profile", self.passes("-m", "psnr", "a.png", "a.png").err)
        self.assertIn("b.png: its ICC profile is not read", self.passes("-m", "psnr", "a.png", "b.png").err)

    def test_colours_of_jpeg_2000(self):
        """libav takes codes of CIE L*a*b* and of inks for RGB, and does not read a profile. The picture is grey."""
        samples = bytes.fromhex(
            "ff4fff51002f00000000000800000008000000000000000000000008000000080000000000000000000307010107010107"
            "0101ff52000c00000001010004040001ff5c00044040ff90000a0000000000110001ff93808080ffd9")

        def box(kind, body):
            return struct.pack(">I", len(body) + 8) + kind + body

        def jp2(colour):
            head = box(b"ihdr", struct.pack(">IIHBBBB", 8, 8, 3, 7, 7, 0, 0)) + box(b"colr", colour)
            return (box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 ") + box(b"jp2h", head) +
                    box(b"jp2c", samples))
        self.write("a.png", png([[128] * 24] * 8))
        for method, told in ((b"\1\0\0\0\0\0\x10", ""), (b"\2\0\0" + bytes(132), "a.jp2: its ICC profile is not read")):
            self.write("a.jp2", jp2(method))
            done = self.passes("image", "a.png", "a.jp2")
            self.assertIn("equal", done.out)
            self.assertIn(told, done.err)
            self.assertEqual(not told, not done.err)
        for code in (12, 14, 21): # CMYK, L*a*b*, ROMM RGB
            self.write("a.jp2", jp2(b"\1\0\0" + struct.pack(">I", code)))
            self.refuses(INPUT, "a.jp2: is JPEG 2000 of colours other than sRGB, grey and sYCC", "image", "a.png",
                         "a.jp2")

    def test_inks(self):
        """Of PSD libav makes RGB of CMYK, and grey of inks. It does not read a profile."""
        def psd(mode, channels, resources=b""):
            samples = bytes((7 * i) % 256 for i in range(channels * WIDTH * HEIGHT))
            return (b"8BPS" + struct.pack(">H6xHIIHHII", 1, channels, HEIGHT, WIDTH, 8, mode, 0, len(resources)) +
                    resources + bytes(6) + samples)
        self.write("a.psd", psd(3, 3))
        self.assertIn("13x9 rgb24: equal", self.passes("image", "a.psd", "a.psd").out)
        other = b"8BIM\4\4\0\0" + struct.pack(">I", 3000) + bytes(3000)
        self.write("b.psd", psd(3, 3, other))
        self.assertEqual(self.passes("image", "a.psd", "b.psd").err, "")
        self.write("b.psd", psd(3, 3, other + b"8BIM\4\x0f\0\0" + struct.pack(">I", 132) + bytes(132)))
        self.assertIn("b.psd: its ICC profile is not read", self.passes("image", "a.psd", "b.psd").err)
        for mode, channels in ((4, 4), (4, 5), (8, 1)):
            self.write("b.psd", psd(mode, channels))
            self.refuses(INPUT, "b.psd: frame 0: its colours are inks, which have no exact RGB", "image", "a.psd",
                         "b.psd")

    def test_colours_that_libav_leaves_out(self):
        """Byte 801 of DPX is its curve: 1 printing density, 3 a logarithm, 4 that of video. Of BMP with a head of 124
        bytes, four of these say whether it has a profile."""
        whole = stills(pixels(WIDTH, HEIGHT))
        for curve in range(7):
            self.write("a.dpx", whole["big.dpx"][:801] + bytes([curve]) + whole["big.dpx"][802:])
            if curve in (1, 3):
                self.refuses(USAGE, "does not know the transfer function 9", "-m", "ssimulacra2", "a.dpx", "a.dpx")
                self.assertIn("equal", self.passes("image", "a.dpx", "a.dpx").out)
            else:
                self.passes("-m", "ssimulacra2", "a.dpx", "a.dpx")
        def linear(creator, primaries):
            """Light that byte 801 calls linear, of a program that byte 160 names."""
            data = bytearray(whole["big.dpx"])
            data[160:160 + len(creator)], data[802] = creator, primaries
            return bytes(data)
        self.write("light.dpx", linear(b"", 1))
        for creator, primaries, known in ((b"Lavc59.37.100", 2, False), (b"Lavc", 6, False), (b"", 2, False),
                                          (b"", 0, True), (b"Writer", 2, True), (b"OpenImageIO", 0, True)):
            with self.subTest(creator=creator, primaries=primaries):
                self.write("a.dpx", linear(creator, primaries))
                result = self.passes("-m", "ssimulacra2", "a.dpx", "a.dpx")
                self.assertEqual("a.dpx: is FFmpeg's, which calls every DPX linear light" in result.err, not known)
                pair = ("-m", "ssimulacra2", "--precision", "max", "--json", "-", "light.dpx", "a.dpx")
                score = json.loads(self.passes("-q", *pair).out)["frames"][0]["metrics"]["ssimulacra2"]
                self.assertEqual(score == 100, known)
                if not known:
                    stated = self.passes("-q", "--dis-colour", "linear", *pair).out
                    self.assertEqual(json.loads(stated)["frames"][0]["metrics"]["ssimulacra2"], 100)
        for kind, told in ((b"DEBM", True), (b"KNIL", True), (b"BGRs", False)):
            head = struct.pack("<I", 54 + 84) + struct.pack("<I", 124) + whole["a.bmp"][18:54] + bytes(16) + kind
            size = struct.pack("<I", len(whole["a.bmp"]) + 84)
            self.write("a.bmp", b"BM" + size + bytes(4) + head.ljust(54 + 74, b"\0") + whole["a.bmp"][54:])
            err = self.passes("-m", "psnr", "a.bmp", "a.bmp").err
            self.assertEqual("a.bmp: its ICC profile is not read" in err, told)

    def test_names_do_not_count(self):
        """A TGA begins with nothing that tells what it is."""
        self.write("a.tga", struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 4, 3, 24, 32) + bytes(range(36)))
        for args in (("image", "a.tga", "a.tga"), ("a.tga", "a.tga")):
            self.refuses(INPUT, ["a.tga: is neither ", "nor anything that libav knows by its content"], *args)

    def test_plain_text(self):
        """0, 12.75, 127.5 and 255 of 255: its decoder scales exactly."""
        self.write("a.png", png([[0, 13, 128, 255]], GREY))
        self.write("b", b"P2\n4 1\n100\n0 5 50 100\n")
        self.assertIn("equal", self.passes("image", "a.png", "b").out)


if __name__ == "__main__":
    main()
