# SPDX-License-Identifier: BSD-2-Clause
"""Videos of rare codecs and containers: samples of odd depths, inks, and files whose end was lost."""
import json
import os
import random
import shutil
import struct
import subprocess
import unittest

from command import GATE, INPUT, PASS, Case, main
from h264 import Syntax, unit, video
from test_image_files import tiff

WIDTH, HEIGHT = 64, 48


class Bits:
    """Coded samples of JPEG."""

    def __init__(self):
        self.bits = []

    def put(self, value, count):
        self.bits += [value >> i & 1 for i in range(count - 1, -1, -1)]

    def difference(self, value, code):
        """Its number of bits, in a code of `code` bits, and the bits."""
        size = abs(value).bit_length()
        self.put(size, code)
        self.put(value if value >= 0 else value + (1 << size) - 1, size)

    def scan(self):
        whole = self.bits + [1] * (-len(self.bits) % 8)
        data = bytes(int("".join(map(str, whole[i:i + 8])), 2) for i in range(0, len(whole), 8))
        return data.replace(b"\xff", b"\xff\0")


def segment(marker, body):
    return bytes([0xff, marker]) + struct.pack(">H", len(body) + 2) + body


def jpeg(frame, depth, components, width, height, tables, selection, scan):
    each = b"".join(bytes([i + 1, 0x11, 0]) for i in range(components))
    start = bytes([components]) + b"".join(bytes([i + 1, 0]) for i in range(components)) + selection
    return (b"\xff\xd8" + tables + segment(frame, struct.pack(">BHHB", depth, height, width, components) + each) +
            segment(0xda, start) + scan + b"\xff\xd9")


def lossless(planes, depth):
    """Lossless JPEG; each sample is predicted from the one before it."""
    bits = Bits()
    for at in range(WIDTH * HEIGHT):
        for plane in planes:
            before = plane[at - 1] if at % WIDTH else plane[at - WIDTH] if at else 1 << (depth - 1)
            bits.difference(plane[at] - before, 5)
    table = segment(0xc4, bytes([0, 0, 0, 0, 0, 17] + [0] * 11) + bytes(range(17)))
    return jpeg(0xc3, depth, len(planes), WIDTH, HEIGHT, table, b"\1\0\0", bits.scan())


def flat(levels, adobe):
    """Baseline JPEG of 16x16 pixels, of one level for each component."""
    bits, before = Bits(), [0] * len(levels)
    for _ in range(4):
        for i, level in enumerate(levels):
            bits.difference(level - before[i], 4)
            bits.put(0, 1)
        before = levels
    tables = (segment(0xee, b"Adobe\0\x64\0\0\0\0" + bytes([adobe])) + segment(0xdb, bytes([0] + [8] * 64)) +
              segment(0xc4, bytes([0, 0, 0, 0, 12] + [0] * 12) + bytes(range(12))) +
              segment(0xc4, bytes([0x10, 1] + [0] * 15) + b"\0"))
    return jpeg(0xc0, 8, len(levels), 16, 16, tables, b"\0\x3f\0", bits.scan())


@unittest.skipUnless(shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV"), "no libav, or no ffmpeg program")
class Videos(Case):
    def ffmpeg(self, *args):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, args)], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)

    def clip(self, name, *args):
        """Ten pictures of 64x48."""
        self.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}:d=0.4:r=25", *args, name)
        return (self.dir / name).read_bytes()

    def scored(self, name):
        """The number of frames, or the refusal."""
        result = self.run_assay("-m", "psnr", name, name)
        if result.code:
            self.assertEqual(result.code, INPUT, result)
            return result.err
        return int(result.out.split(" frame")[0].rsplit(" ", 1)[1])

    def samples(self, depth, planes):
        dice = random.Random(depth)
        return [[dice.getrandbits(depth) for _ in range(WIDTH * HEIGHT)] for _ in range(planes)]

    def equal(self, video, planes, pixels):
        """Compares with a raw file; its planes of RGB are green, blue, red."""
        flat_planes = planes if len(planes) == 1 else [planes[1], planes[2], planes[0]]
        words = [v for plane in flat_planes for v in plane]
        self.write("a.yuv", struct.pack(f"<{len(words)}H", *words))
        self.passes("-m", "diff", "--fail-over", "max_diff.max=0", "--ref-format", "raw", "-w", WIDTH, "-h", HEIGHT,
                    "-p", pixels, "a.yuv", video)

    def test_depths_of_jpeg(self):
        """Lossless JPEG of grey lies at the top of libav's words, and of RGB at the bottom."""
        for depth in (10, 12, 14):
            with self.subTest(depth=depth):
                grey, colour = self.samples(depth, 1), self.samples(depth, 3)
                for name, planes in (("grey", grey), ("colour", colour)):
                    self.write("a.jpg", lossless(planes, depth))
                    self.ffmpeg("-f", "mjpeg", "-i", "a.jpg", "-c", "copy", name + ".avi")
                self.equal("grey.avi", grey, f"gray{depth}le")
                self.refuses(INPUT, "colour.avi: pixel format bgr48le is refused: the file's samples have fewer bits",
                             "-m", "psnr", "colour.avi", "colour.avi")

    def test_depths_of_jpeg_2000(self):
        encoders = subprocess.run(["ffmpeg", "-v", "error", "-encoders"], capture_output=True, text=True, check=True)
        if "libopenjpeg" not in encoders.stdout:
            self.skipTest("this ffmpeg writes JPEG 2000 of 8 and 16 bits only")
        for depth in (10, 12):
            for pixels, planes in ((f"gray{depth}le", 1), (f"gbrp{depth}le", 3)):
                with self.subTest(pixels=pixels):
                    samples = self.samples(depth, planes)
                    order = samples if planes == 1 else [samples[1], samples[2], samples[0]]
                    words = [v for plane in order for v in plane]
                    self.write("s.yuv", struct.pack(f"<{len(words)}H", *words))
                    self.ffmpeg("-f", "rawvideo", "-pix_fmt", pixels, "-s", f"{WIDTH}x{HEIGHT}", "-i", "s.yuv", "-c:v",
                                "libopenjpeg", "s.mov")
                    self.equal("s.mov", samples, pixels)

    def test_inks(self):
        """libav has black in the place of alpha, or makes RGB of inks."""
        for adobe in (0, 2):
            self.write("a.jpg", flat([100, 40, -60, 20], adobe))
            self.ffmpeg("-f", "mjpeg", "-i", "a.jpg", "-c", "copy", "a.avi")
            self.refuses(INPUT, "its colours are inks, which have no exact RGB", "-m", "psnr", "a.avi", "a.avi")
        rows = [[(7 * x + 5 * y) % 256 for x in range(4 * 16)] for y in range(8)]
        self.write("a.tif", tiff(rows, 4, photometric=5))
        self.ffmpeg("-f", "tiff_pipe", "-i", "a.tif", "-c", "copy", "a.mov")
        self.refuses(INPUT, "its colours are inks, which have no exact RGB", "-m", "psnr", "a.mov", "a.mov")

    def test_lost_ends(self):
        """libav makes pictures of a part of one, or ends without a word."""
        dv = ["-c:v", "dvvideo", "-s", "720x576", "-pix_fmt", "yuv420p"]
        for name, args in (("a.nut", ["-c:v", "ffv1"]), ("b.nut", ["-c:v", "mpeg4"]), ("a.mjpeg", ["-c:v", "mjpeg"]),
                           ("a.dv", dv)):
            data = self.clip(name, *args)
            self.assertEqual(self.scored(name), 10, name)
            for less in (1, 2, 10, 100, 1000):
                with self.subTest(name=name, less=less):
                    self.write("cut", data[:-less])
                    self.assertIn("cut: frame ", str(self.scored("cut")))
            if name.endswith("nut"):
                for less in (len(data) // 4, len(data) // 2):
                    self.write("cut", data[:-less])
                    self.assertIn("cut: frame ", str(self.scored("cut")))
                self.write("joined", data + data)
                self.assertIn("joined: frame ", str(self.scored("joined")))
            else:
                self.write("joined", data + data)
                self.assertEqual(self.scored("joined"), 20)

    def test_ends_that_fail(self):
        """Of the end of GXF and of Motion JPEG in parts libav makes a failure. GXF says which packet is its last."""
        self.clip("a.mpjpeg", "-c:v", "mjpeg", "-f", "mpjpeg")
        self.assertEqual(self.scored("a.mpjpeg"), 10)
        for codec in ("mpeg2video", "mjpeg", "dvvideo"):
            data = self.clip("a.gxf", "-c:v", codec, "-s", "720x576", "-pix_fmt", "yuv420p")
            self.assertEqual(self.scored("a.gxf"), 10, codec)
            packets = [at for at in range(len(data)) if data.startswith(b"\0\0\0\0\1\xbf", at)]
            for end in (len(data) - 1, len(data) - 16, packets[6], packets[3] + 9):
                with self.subTest(codec=codec, end=end):
                    self.write("cut", data[:end])
                    self.assertIn("truncated", str(self.scored("cut")))

    def test_joined_tracks(self):
        """Of a second file with other numbers libav makes a second track, which begins behind the first one."""
        for name, first, second, others in (
                ("a.ts", "mpeg2video", "mpeg2video", ["-mpegts_start_pid", "0x300"]),
                ("a.ts", "libx264", "libx264", ["-mpegts_start_pid", "0x300", "-mpegts_pmt_start_pid", "0x200"]),
                ("a.vob", "mpeg2video", "libx264", [])):
            whole = self.clip(name, "-c:v", first)
            self.assertEqual(self.scored(name), 10)
            self.write("joined", whole + self.clip("b" + name, "-c:v", second, *others))
            self.assertIn("joined: frame 10: another file was joined to this one here", str(self.scored("joined")))
        for late in ("0", "0.2"): # two tracks beside each other
            self.ffmpeg("-i", "a.vob", "-itsoffset", late, "-i", "a.vob", "-map", "0", "-map", "1", "-c", "copy",
                        "two.ts")
            self.assertEqual(self.scored("two.ts"), 10)

    def test_display_that_changes(self):
        """Two streams behind each other. Where MPEG-2 changes the shape of its samples, libav leaves out a picture."""
        wide, turned = ["-aspect", "16:9"], ["-bsf:v", "h264_metadata=display_orientation=insert:rotate=90"]
        for name, codec, change, said, flag in (
                ("a.h264", "libx264", wide, "the sample aspect ratio changes (--allow-sar ", "--allow-sar"),
                ("a.h264", "libx264", turned, "the rotation changes (--allow-rotation ", "--allow-rotation"),
                ("a.m2v", "mpeg2video", wide, "changes, where libav may leave out a picture", None)):
            with self.subTest(name=name, said=said):
                first, second = (self.clip(name, "-c:v", codec, "-bf", "0", "-aspect", "4:3", *options)
                                 for options in ([], change))
                self.write("joined", first + first)
                self.assertEqual(self.scored("joined"), 20)
                self.write("joined", first + second)
                told = str(self.scored("joined"))
                self.assertIn(f"joined: frame {10 if flag else 9}: the ", told)
                self.assertIn(said, told)
                flags = [flag] if flag else ["--allow-sar", "--allow-rotation"]
                self.assertEqual(self.run_assay("-m", "psnr", *flags, "joined", "joined").code, 0 if flag else INPUT)
                # What a container states is that of all pictures, but a lost one is lost there, too.
                self.ffmpeg("-fflags", "+genpts", "-r", "25", "-i", "joined", "-c", "copy", "-aspect", "4:3", "a.mkv")
                if change == wide:
                    self.assertEqual("changes" in str(self.scored("a.mkv")), not flag)

    def test_blocks_of_hevc(self):
        """libav's decoder gets corners of blocks of 16x16 wrong where SAO filters chroma of half the width."""
        for options, pixels, expected in (("ctu=16", "yuv420p", 1), ("ctu=16:scaling-list=default", "yuv422p10le", 1),
                                          ("ctu=16:amp=1:rect=1", "yuv420p", 1), ("ctu=16", "yuv444p", 0),
                                          ("ctu=16:amp=1:rect=1:sao=0", "yuv420p", 0), ("ctu=32", "yuv420p", 0)):
            for name in ("a.hevc", "a.mp4"):
                with self.subTest(options=options, pixels=pixels, name=name):
                    self.clip(name, "-frames:v", "2", "-pix_fmt", pixels, "-c:v", "libx265", "-x265-params",
                              "log-level=none:keyint=1:" + options)
                    told = self.passes("-m", "psnr", "a.hevc", name).err
                    self.assertEqual(told.count(f"assay: {name}: is HEVC with blocks of 16x16 and SAO"),
                                     expected * (2 if name == "a.hevc" else 1), told)

    def test_shape_of_samples_that_is_not_stated(self):
        """Beside it any shape may be stated, but not a second one."""
        none, square, wide = (self.clip("a.h264", "-c:v", "libx264", "-bf", "0", "-vf", f"setsar={sar}")
                              for sar in ("0", "1", "4/3"))
        for parts, end in (((none, square, none), None), ((none, wide, none), None), ((none, wide, none, square), 30),
                           ((square, none, wide), 20)):
            self.write("joined", b"".join(parts))
            told = self.scored("joined")
            if end is None:
                self.assertEqual(told, 10 * len(parts))
            else:
                self.assertIn(f"joined: frame {end}: the sample aspect ratio changes (--allow-sar ", str(told))

    def boxed(self, data, path, content):
        """MP4 whose index lies at its end, with `content` in the first box that is called as the last of `path`."""
        at = data.rindex(b"moov")
        places = [at := data.index(name, at) for name in path]
        size = struct.unpack(">I", data[at - 4:at])[0]
        data = bytearray(data[:at + 4] + content + data[at - 4 + size:])
        for place in places:
            old, = struct.unpack(">I", data[place - 4:place])
            data[place - 4:place] = struct.pack(">I", old + 8 + len(content) - size)
        return bytes(data)

    def described(self, data, other):
        """MP4 whose first track has its description twice, the second one as one of another codec."""
        at = data.index(b"stsd")
        entry = data[at + 12:at - 4 + struct.unpack(">I", data[at - 4:at])[0]]
        both = struct.pack(">II", 0, 2) + entry + entry.replace(entry[4:8], other, 1)
        return self.boxed(data, (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd"), both)

    def test_edits(self):
        """An edit list that shows pictures again, from one on that needs those in front of it."""
        data = self.clip("a.mp4", "-c:v", "mpeg4", "-g", "100")
        edits = struct.pack(">IIIIIIII", 0, 2, 400, 0, 0x10000, 200, 5 * 512, 0x10000) # of 1000 and 12800 a second
        self.write("a.mp4", self.boxed(data, (b"moov", b"trak", b"edts", b"elst"), edits))
        self.assertEqual(self.scored("a.mp4"), 15)

    def test_two_descriptions(self):
        """libav leaves out the pictures of MP4 that are described as those of another codec."""
        data = self.clip("a.mp4", "-f", "lavfi", "-i", "sine=d=2", "-t", "2", "-vf", "loop=-1:10", "-c:v", "mpeg4")
        pictures = data.index(b"stsc") + 16
        first, each, _ = struct.unpack(">III", data[pictures - 4:pictures + 8])
        data = self.boxed(data, (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsc"),
                          struct.pack(">IIIIIIII", 0, 2, first, each, 1, first + 1, each, 2))
        self.write("a.mp4", self.described(data, b"avc1"))
        self.assertIn("multiple fourcc not supported", str(self.scored("a.mp4")))
        data = self.clip("a.mp4", "-f", "lavfi", "-i", "sine=d=0.4", "-map", "1", "-map", "0", "-c:v", "mpeg4")
        self.write("a.mp4", self.described(data, b"ac-3"))  # of sound, of which nothing is read
        self.assertEqual(self.scored("a.mp4"), 10)

    def test_a_description_of_no_picture(self):
        """Where no picture is described as one of the other codec, none is left out; but fragments may have some."""
        data = self.described(self.clip("a.mp4", "-c:v", "mpeg4"), b"avc1")
        self.write("a.mp4", data)
        self.assertEqual(self.scored("a.mp4"), 10)
        self.write("a.mp4", data + struct.pack(">I4sI4sII", 24, b"moof", 16, b"mfhd", 0, 1))
        self.assertIn("multiple fourcc not supported", str(self.scored("a.mp4")))
        data = self.clip("a.mp4", "-c:v", "mpeg4", "-movflags", "frag_keyframe+empty_moov")
        self.write("a.mp4", self.described(data, b"avc1"))
        self.assertIn("multiple fourcc not supported", str(self.scored("a.mp4")))

    def test_end_of_avi(self):
        """A list of an odd size may lack the byte behind it."""
        data = self.clip("a.avi", "-c:v", "ffvhuff")
        data = data[:4] + struct.pack("<I", len(data) - 7) + data[8:] + b"\0"
        for more in (b"", b"\0", bytes(99)):
            self.write("a.avi", data + more)
            self.assertEqual(self.scored("a.avi"), 10)
        self.write("a.avi", data[:-1])
        self.assertIn("truncated", str(self.scored("a.avi")))
        self.write("a.avi", data + b"\0" + data)
        self.assertIn("another file was joined", str(self.scored("a.avi")))

    def test_lists_of_avi(self):
        """A list that goes on with the first one, behind zeros, too, is no other file."""
        data = self.clip("a.avi", "-c:v", "ffv1")
        at = data.index(b"movi") + 4
        end, pictures = at - 8 + struct.unpack("<I", data[at - 8:at - 4])[0] + 4, []
        head, place = data[12:at - 12], at
        while place < end:
            size, = struct.unpack("<I", data[place + 4:place + 8])
            pictures.append(data[place:place + 8 + size + size % 2])
            place += len(pictures[-1])

        def riff(name, head, pictures):
            movi = b"movi" + b"".join(pictures)
            body = name + head + b"LIST" + struct.pack("<I", len(movi)) + movi
            return b"RIFF" + struct.pack("<I", len(body)) + body
        first, second = riff(b"AVI ", head, pictures[:4]), riff(b"AVIX", b"", pictures[4:])
        for zeros in (0, 1, 4, 4095, 4096, 70000):
            with self.subTest(zeros=zeros):
                self.write("b.avi", first + bytes(zeros) + second)
                self.assertEqual(self.scored("b.avi"), 10)
                self.write("b.avi", first + bytes(zeros) + second[:-9])
                self.assertIn("truncated", str(self.scored("b.avi")))
                self.write("b.avi", first + bytes(zeros) + second + bytes(zeros) + first)
                self.assertIn("another file was joined", str(self.scored("b.avi")))

    def test_fields(self):
        """Pictures and pairs of fields follow each other, and a frame thread may have had the other kind before."""
        for step, start in ((1, 0), (2, 1), (3, 0), (3, 1)):
            stream, plain = video(12, lambda n: n % step == start)
            self.write("a.264", stream)
            self.write("a.y4m", plain)
            with self.subTest(step=step, start=start):
                done = self.passes("-m", "psnr", "--allow-field-order", "--json", "-", "a.y4m", "a.264")
                report = json.loads(done.out)
                self.assertEqual([f["metrics"]["psnr_y"] for f in report["frames"]], [60.0] * 12)
                self.assertEqual(report["assay"]["distorted_duration_s"], 0.48)

    def test_order_that_changes(self):
        """H.264 need not say how far its order goes: pictures that come in another order behind many that do not are
        all there."""
        stream, plain = video(100, lambda n: False, shown=lambda n: n if n < 60 else n // 4 * 4 + (3, 1, 0, 2)[n % 4])
        self.write("a.264", stream)
        self.write("a.y4m", plain)
        done = self.passes("-m", "psnr", "--allow-field-order", "--json", "-", "a.y4m", "a.264")
        self.assertEqual([f["metrics"]["psnr_y"] for f in json.loads(done.out)["frames"]], [60.0] * 100)

    def test_delay_that_changes(self):
        """Where MPEG-2 or MPEG-4 begins or ceases to have B-frames, libav's decoders hand out one picture twice or
        lose one, and files are refused there."""
        for codec, form, without in (("mpeg2video", "mpeg2video", ["-flags", "low_delay"]), ("mpeg4", "m4v", [])):
            plain, ordered = (self.clip("part", "-c:v", codec, *options, "-f", form)
                              for options in (without, ["-bf", "2"]))
            for name, data, frames in (("one order", plain + plain, 20), ("another order", ordered + ordered, 20),
                                       ("it begins", plain + ordered, 10), ("it ends", ordered + plain, 9)):
                self.write("a", data)
                done = self.run_assay("-m", "psnr", "--json", "-", "a", "a")
                with self.subTest(codec=codec, name=name):
                    self.assertEqual(len(json.loads(done.out)["frames"]), frames, done)
                    self.assertEqual(done.code, PASS if frames == 20 else INPUT, done)
                    self.assertEqual(f"frame {frames}: the order of decoding changes" in done.err, frames < 20, done)

    def test_film_grain(self):
        """That of AV1 is in its pictures. That of H.264 and HEVC is not, with any number of threads."""
        def grain(lasting):
            bits = Syntax()
            bits.put(0b0000000100100, 13) # additive grain of luma, whose scale is 2^-4
            for value, count in ((0, 8), (2, 3), (0, 8), (255, 8)): # one interval of light, with three values
                bits.put(value, count)
            bits.count(239, 15, 15)
            bits.count(1) if lasting == 1 else bits.put(1)
            data = bits.filled("" if len(bits.bits) % 8 == 0 else "1")
            return bytes([19, len(data)]) + data + b"\x80"

        stream, plain = video(12, lambda n: False)
        self.write("a.264", unit(6, grain(1)) + stream)
        self.write("a.y4m", plain)
        self.clip("plain.hevc", "-pix_fmt", "yuv420p", "-c:v", "libx265", "-x265-params",
                  "log-level=none:keyint=5:bframes=0")
        data = (self.dir / "plain.hevc").read_bytes()
        at = data.index(b"\0\0\1\x28") # the first picture
        self.write("grain.hevc", data[:at] + unit(39 << 1, b"\1" + grain(2)) + data[at:])
        for pair in (("a.y4m", "a.264"), ("plain.hevc", "grain.hevc")):
            done = self.passes("-m", "diff", "--fail-over", "max_diff.max=0", *pair)
            self.assertIn("its film grain is not applied", done.err)

        self.clip("a.mp4", "-pix_fmt", "yuv420p", "-c:v", "libaom-av1", "-cpu-used", "8", "-aom-params",
                  "film-grain-test=1")
        for exported, code in (("0", PASS), ("film_grain", GATE)):
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-export_side_data", exported, "-i", "a.mp4", "b.y4m"],
                           cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
            self.assertEqual(self.run_assay("-m", "diff", "--fail-over", "max_diff.max=0", "b.y4m", "a.mp4").code, code)

    def test_colours_of_a_container(self):
        """They count where the stream states none, whatever libav's decoder makes of that, and are named where the
        stream states other ones."""
        wide = ["-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-color_range"]
        narrow = "colour_primaries=1:transfer_characteristics=1:matrix_coefficients=1:video_full_range_flag=0"
        said = ("its container contradicts its stream, which counts: matrix bt2020 against bt709, range full against "
                "limited, transfer pq against bt1886, primaries bt2020 against bt709")
        for codec, how in (("h264", ["libx264"]), ("hevc", ["libx265", "-x265-params", "log-level=none"]),
                           ("vp9", ["libvpx-vp9"]), ("mpeg4", ["mpeg4"])):
            self.clip("plain.mp4", "-pix_fmt", "yuv420p", "-c:v", *how)
            for name in ("a.mp4", "a.mkv"):
                with self.subTest(codec=codec, name=name):
                    self.ffmpeg("-i", "plain.mp4", "-c", "copy", *wide, "tv", name)
                    result = self.passes("-m", "psnr", "--json", "r.json", "--force", name, name)
                    self.assertNotIn("contradicts", result.err)
                    report = json.loads(self.read("r.json"))["assay"]
                    self.assertEqual((report["reference_color"], report["reference_range"]),
                                     ("matrix bt2020, transfer pq, primaries bt2020", "limited"))
                    if codec not in ("h264", "hevc"):
                        continue
                    self.ffmpeg("-i", "plain.mp4", "-c", "copy", *wide, "pc", "-bsf:v", f"{codec}_metadata={narrow}",
                                name)
                    result = self.passes("-m", "psnr", "--json", "r.json", "--force", name, name)
                    self.assertIn(f"assay: {name}: {said}\n", result.err)
                    report = json.loads(self.read("r.json"))["assay"]
                    self.assertEqual((report["reference_notice"], report["reference_color"], report["reference_range"]),
                                     (said, "matrix bt709, transfer bt1886, primaries bt709", "limited"))

    def test_siting_of_whole_chroma(self):
        """Where chroma has a sample for each of luma it lies nowhere else, whatever a stream says."""
        for codec, pixels, code in (("libx264", "yuv444p", PASS), ("libx264rgb", "rgb24", PASS),
                                    ("libx264", "yuv420p", INPUT)):
            parts = [self.clip("part.264", "-c:v", codec, "-pix_fmt", pixels, "-bsf:v",
                               f"h264_metadata=chroma_sample_loc_type={kind}") for kind in (0, 2)]
            self.write("a.264", b"".join(parts))
            with self.subTest(pixels=pixels):
                self.assertIn("the chroma siting changes" if code else "20", str(self.scored("a.264")))
                self.assertRegex(self.passes("probe", "a.264").out,
                                 f"chroma_location +{'left' if code else 'unknown'}")

    def test_preferred_transfer_function(self):
        """In H.264 a message at each key picture counts for those behind it, with any number of threads."""
        self.clip("a.mp4", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-x264-params",
                  "keyint=5:colorprim=bt2020:transfer=bt2020-10:colormatrix=bt2020nc:alternative-transfer=arib-std-b67")
        self.assertEqual(self.scored("a.mp4"), 10)
        self.assertIn("transfer hlg", self.passes("probe", "a.mp4").out)


if __name__ == "__main__":
    main()
