# SPDX-License-Identifier: BSD-2-Clause
"""Walks the table of docs/inputs.md: each way in which two inputs can differ, on a pair that differs in this alone.

PAIRS has a function for each row. It makes the two files and returns their names, what the command says of them, and
options that the pair needs. The verdicts and the flags are the table's."""
import os
import re
import shutil
import subprocess
import unittest

from command import INPUT, MISMATCH, PASS, REF, ROOT, Case, frame, main, moving, y4m
from pictures import RGBA, pixels, png

LIBAV = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")
METRIC = {"codes": "psnr", "colour": "ssimulacra2"}


def table():
    """{row: {"codes": verdict, "colour": verdict, "flags": [...]}}"""
    text = (ROOT / "docs" / "inputs.md").read_text(encoding="utf-8")
    rows = {}
    head = "| difference | codes | colour | what happens, and the flag |\n|---|---|---|---|\n"
    for line in text[text.index(head) + len(head):].splitlines():
        if not line.startswith("|"):
            break
        name, codes, colour, rest = [cell.strip() for cell in line.strip("|").split("|")]
        rows[name] = {"codes": codes, "colour": colour, "flags": re.findall(r"`(--allow-[a-z-]+)`", rest)}
    return rows


def two(case, ref, dis):
    case.write("ref.y4m", ref)
    case.write("dis.y4m", dis)
    return "ref.y4m", "dis.y4m"


def coded(case, name, *options, source=None):
    """Three frames of the sample, or `source`, through ffmpeg."""
    source = source or ["-i", REF, "-frames:v", "3"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *source, *options, name], cwd=case.dir, check=True,
                   stdin=subprocess.DEVNULL)
    return name


def boxed(data, width, rows):
    """The pictures with black rows at the top."""
    head, *pictures = data.split(b"FRAME\n")
    return head + b"".join(b"FRAME\n" + bytes([16]) * (width * rows) + p[width * rows:] for p in pictures)


def ffv1(case, ref=(), dis=(), name="mkv"):
    return coded(case, f"ref.{name}", "-c:v", "ffv1", *ref), coded(case, f"dis.{name}", "-c:v", "ffv1", *dis)


def matrix_of(case, name, matrix):
    """An MP4 file with a display matrix, written over the one in its track header."""
    data = bytearray((case.dir / name).read_bytes())
    at = data.index(b"tkhd") + 4 + 40  # version 0
    data[at:at + 36] = b"".join((v & 0xffffffff).to_bytes(4, "big") for v in matrix)
    return case.write("turned.mp4", bytes(data))


ONE = 1 << 16


def displayed(matrix):
    def make(case):
        name = coded(case, "ref.mp4", "-c:v", "libx264", "-qp", "0")
        return name, matrix_of(case, name, matrix), "rotation"
    return make


def hevc(*params):
    def make(case):
        base = "log-level=none"
        ref = coded(case, "ref.mkv", "-c:v", "libx265", "-x265-params", base)
        return ref, coded(case, "dis.mkv", "-c:v", "libx265", "-x265-params", ":".join((base, *params)))
    return make


def with_alpha(case):
    luma = frame(32, 24, "444")
    case.write("a.y4m", b"YUV4MPEG2 W32 H24 F25:1 Ip A1:1 C444alpha\nFRAME\n" + luma + bytes([9]) * 32 * 24)
    case.write("b.y4m", b"YUV4MPEG2 W32 H24 F25:1 Ip A1:1 C444\nFRAME\n" + luma)
    return "a.y4m", "b.y4m", "alpha is dropped"


def image_with_alpha(case):
    rows = pixels(32, 24, RGBA)
    case.write("a.png", png(rows, RGBA))
    case.write("b.png", png([[v for i, v in enumerate(row) if i % 4 < 3] for row in rows]))
    return "a.png", "b.png", "alpha there against none"


def one_rate(case):
    coded(case, "ref.mp4", "-c:v", "libx264", "-video_track_timescale", "60000",
          source=["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "64x48", "-framerate", "60000/1001", "-i", "/dev/zero",
                  "-frames:v", "6"])
    return "ref.mp4", coded(case, "dis.mkv", "-c", "copy", source=["-i", "ref.mp4"]), ""


def ended_pipe(case):
    """A side whose length is not known before its end: FRAME lines of different lengths."""
    ref, dis = two(case, y4m(frames=5), y4m(frames=3))
    data = (case.dir / dis).read_bytes()
    case.write(dis, data[:-1].replace(b"FRAME\n", b"FRAME Xa=b\n", 1) + data[-1:])
    return ref, dis, "3 frames"


def lost_frame(case):
    """Seven frames each; one side lacks the fourth one."""
    keep = ["-c:v", "ffv1", "-frames:v", "7", "-fps_mode", "passthrough"]
    source = ["-i", REF]
    return (coded(case, "ref.mkv", *keep, source=source),
            coded(case, "dis.mkv", "-vf", "select='not(eq(n,3))'", *keep, source=source),
            "timing: from frame 3 on dis.mkv")


def later(case):
    return (coded(case, "ref.mkv", "-c:v", "ffv1"),
            coded(case, "dis.mkv", "-c:v", "ffv1", "-output_ts_offset", "5"), "")


def audio(case):
    ref = coded(case, "ref.mkv", "-c:v", "ffv1")
    return ref, coded(case, "dis.mkv", "-frames:v", "3", "-c:v", "ffv1", "-c:a", "pcm_s16le",
                      source=["-i", REF, "-f", "lavfi", "-t", "0.1", "-i", "anullsrc"]), ""


def tracks(case):
    ref = coded(case, "ref.mkv", "-c:v", "ffv1")
    return ref, coded(case, "dis.mkv", "-map", "0:v", "-map", "0:v", "-c:v", "ffv1"), "2 video tracks"


def stated(option, ref, dis):
    return lambda case: (*ffv1(case, [option, ref], [option, dis]), dis)


def tags(**own):
    """Options that tag a file as BT.709, but for what is said."""
    all_tags = {"colorspace": "bt709", "color_primaries": "bt709", "color_trc": "bt709", "range": "tv", **own}
    return ["-vf", "setparams=" + ":".join(f"{k}={v}" for k, v in all_tags.items())]


def tagged(dis, says):
    """FFV1 of equal codes, tagged as BT.709 and as BT.709 but for what is said."""
    return lambda case: (*ffv1(case, tags(), tags(**dis)), says)


TAGS = tags()
HDR = {"colorspace": "bt2020nc", "color_primaries": "bt2020", "color_trc": "smpte2084"}
NO_TAG = dict.fromkeys(("colorspace", "color_primaries", "color_trc", "range"), "unknown")

PAIRS = {
    "size": lambda c: (*two(c, y4m(), y4m(width=30, height=20)), "size 32x24 against 30x20"),
    "size of a scaled picture": lambda c: (*two(c, y4m(width=64, height=48), y4m()), "scaled"),
    "size of a turned picture": lambda c: (*two(c, y4m(), y4m(width=24, height=32)), "turned"),
    "sample aspect ratio": lambda c: (*two(c, y4m(), y4m().replace(b"A1:1", b"A16:15")),
                                      "sample aspect ratio 1:1 against 16:15"),
    "sample aspect ratio on one side": lambda c: (*two(c, y4m().replace(b"A1:1", b"A0:0"),
                                                       y4m().replace(b"A1:1", b"A16:15")),
                                                  "sample aspect ratio not stated against 16:15"),
    "frame rate": lambda c: (*two(c, y4m(rate="24:1"), y4m(rate="24000:1001")), "23.976 fps (24000/1001)"),
    "frame rate within 1/4000": one_rate,
    "frame rate on one side": lambda c: (*two(c, y4m(), y4m(rate="0:0")), ""),
    "length in the headers": lambda c: (*two(c, y4m(frames=5), y4m(frames=3)), "length 5 frames against 3 frames"),
    "length in the data": ended_pipe,
    "timing": lost_frame,
    "time of the first frame": later,
    "bit depth": lambda c: (*two(c, y4m(depth=10), y4m()), "bit depth 10 bits against 8 bits"),
    "subsampling of chroma": lambda c: (*two(c, y4m(), y4m(chroma="444")), "pixel format yuv420p against yuv444p"),
    "RGB against YUV": lambda c: (*ffv1(c, ["-pix_fmt", "bgr0"]), "no plane in common"),
    "range": lambda c: (*two(c, y4m(tags="XCOLORRANGE=FULL"), y4m(tags="XCOLORRANGE=LIMITED")),
                        "range full against limited"),
    "matrix": tagged({"colorspace": "smpte170m"}, "matrix bt709 against bt601"),
    "transfer function": tagged({"color_trc": "arib-std-b67"}, "transfer bt1886 against hlg"),
    "primaries": tagged({"color_primaries": "smpte432"}, "primaries bt709 against p3"),
    "colour of HDR against SDR": tagged(HDR, "transfer bt1886 against pq"),
    "colour that only one side is tagged with": lambda c: (*ffv1(c, tags(**HDR), tags(**NO_TAG)), "not tagged"),
    "chroma siting": lambda c: (*two(c, y4m(chroma="420jpeg"), y4m(chroma="420mpeg2")),
                                "chroma siting center against left"),
    "field order": lambda c: (*two(c, y4m(), y4m().replace(b"Ip", b"It")),
                              "field order progressive against top field first"),
    "interlaced on one side": lambda c: (*two(c, y4m().replace(b"Ip", b"I?"), y4m().replace(b"Ip", b"Ib")),
                                         "field order unknown against bottom field first"),
    "rotation": displayed((0, ONE, 0, -ONE, 0, 0, 0, 0, 1 << 30)),
    "mirroring": displayed((-ONE, 0, 0, 0, ONE, 0, 0, 0, 1 << 30)),
    "alpha on one side": with_alpha,
    "alpha of images on one side": image_with_alpha,
    "mastering display": lambda c: (*hevc("master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)"
                                          "L(10000000,1)")(c), "mastering display not stated against R 0.680,0.320"),
    "content light": lambda c: (*hevc("max-cll=1000,400")(c), "content light not stated against MaxCLL 1000"),
    "stereo or spherical view": lambda c: (*ffv1(c, (), ["-metadata:s:v", "stereo_mode=left_right"]),
                                           "view not stated against stereo side by side"),
    "packing of samples": lambda c: (coded(c, "ref.avi", "-c:v", "rawvideo"),
                                     coded(c, "dis.avi", "-c:v", "rawvideo", "-pix_fmt", "nv12"), ""),
    "codec and container": lambda c: (coded(c, "ref.mp4", "-c:v", "libx264", "-qp", "0", *TAGS),
                                      coded(c, "dis.mkv", "-c:v", "ffv1", *TAGS), ""),
    "audio and subtitles": audio,
    "several video tracks": tracks,
    "black borders": lambda case: (*two(case, y4m(), boxed(y4m(), 32, 4)), "black borders differ"),
    "shifted frames": lambda case: (*two(case, moving(0, 40), moving(3, 40)), "seems to be shown 3 frames earlier"),
}

# Rows whose pair needs no ffmpeg.
PLAIN = {"size", "size of a scaled picture", "size of a turned picture", "sample aspect ratio",
         "sample aspect ratio on one side", "frame rate", "frame rate on one side", "length in the headers",
         "length in the data", "bit depth", "subsampling of chroma", "range",
         "chroma siting", "field order", "interlaced on one side",
         "alpha on one side", "alpha of images on one side", "black borders",
         "shifted frames"}


class Table(Case):
    def judge(self, verdict, says, result, ref):
        """What the command did with a pair is what the table says. `ref` is what it says of the reference twice."""
        if verdict == "refused":
            self.assertEqual(result.code, MISMATCH, result)
        else:
            self.assertEqual(result.code, PASS, result)
        if verdict == "ignored":
            self.assertEqual(result.err, ref.err, result)
        else:
            self.assertIn(verdict, ("refused", "noticed", "converted"))
            self.assertIn(says, result.err, result)

    def walk(self, name, row):
        made = PAIRS[name](self)
        (ref, dis, says), needs = made[:3], list(made[3:])
        for kind, metric in METRIC.items():
            with self.subTest(row=name, metric=metric):
                args = ["-m", metric, *needs, "--no-progress", ref, dis]
                result = self.run_assay(*args)
                twice = self.run_assay(*args[:-1], ref)
                self.judge(row[kind], says, result, twice)
                for flag in row["flags"] if row[kind] == "refused" else []:
                    self.assertIn(flag, result.err)
                if row[kind] == "refused":
                    self.assertEqual("--allow-" in result.err, bool(row["flags"]), result)
                if row[kind] == "refused" and row["flags"]:
                    self.judge("noticed", says, self.run_assay(*row["flags"], *args), twice)

    def test_every_row_has_a_pair(self):
        self.assertEqual(set(table()), set(PAIRS))

    def test_rows(self):
        for name, row in table().items():
            if name in PLAIN:
                self.walk(name, row)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_turned_picture_of_image(self):
        one = coded(self, "one.mp4", "-c:v", "libx264", "-qp", "0", "-frames:v", "1")
        self.assertEqual(self.run_assay("image", one, one).code, PASS)
        for matrix in (0, ONE, 0, -ONE, 0, 0, 0, 0, 1 << 30), (-ONE, 0, 0, 0, ONE, 0, 0, 0, 1 << 30):
            result = self.run_assay("image", one, matrix_of(self, one, matrix))
            self.assertEqual(result.code, INPUT, result)
            self.assertIn("turned.mp4: is shown turned or mirrored", result.err)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_rows_of_coded_files(self):
        for name, row in table().items():
            if name not in PLAIN:
                self.walk(name, row)

    def test_all_differences_in_one_message(self):
        ref, dis = two(self, y4m(depth=10), y4m(width=30, height=20, rate="50:1", frames=4))
        flags = "--allow-size --allow-depth --allow-rate --allow-length"
        result = self.refuses(MISMATCH, ["size 32x24", "bit depth", "frame rate", "length", flags], "-m", "psnr", ref,
                              dis)
        self.passes("-m", "psnr", *flags.split(), ref, dis)
        self.assertLess(len(result.err), 400)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_lengths_by_the_index(self):
        """MP4 states how many frames it has; nothing is scored before the lengths are compared."""
        ref = coded(self, "ref.mp4", "-c:v", "libx264", "-bf", "2")
        dis = coded(self, "dis.mp4", "-c:v", "libx264", source=["-i", REF, "-frames:v", "5"])
        self.refuses(MISMATCH, ["length 3 frames against 5 frames", "--allow-length"], "-m", "psnr", ref, dis)
        self.passes("-m", "psnr", "--frames", "3", ref, dis)

    def test_flags_beside_a_difference_without_one(self):
        """What can be allowed has its flags at the end, also where something else has none or needs --scale."""
        flags = "--allow-format --allow-depth --allow-rate"
        small = y4m(width=64, height=48, chroma="422", depth=10, rate="50:1")
        ref, dis = two(self, y4m(width=128, height=96), small)
        result = self.refuses(MISMATCH, "; to compare them all the same: --scale bicubic " + flags, "-m", "psnr", ref,
                              dis)
        self.passes("-m", "psnr", *result.err.strip().rpartition(": ")[2].split(), ref, dis)
        two(self, y4m(width=48, height=64), small)
        self.refuses(MISMATCH, ["turn it back first", "; for the other differences: " + flags], "-m", "psnr", ref, dis)
        self.write("ref.y4m", y4m(width=128, height=96))
        self.write("dis.y4m", y4m(width=64, height=48))
        self.assertNotIn("; ", self.refuses(MISMATCH, "--scale bicubic brings it", "-m", "psnr", ref, dis).err)

    @unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
    def test_the_line_that_makes_yuv_of_rgb(self):
        """The refusal ends with a line for ffmpeg. Typed, it makes a file that compares without a flag, with the
        matrix, the range, the layout and the depth of the other side: of a lossless encode that was made so, an equal
        one."""
        coded(self, "the source.mkv", "-c:v", "ffv1", "-pix_fmt", "bgr0",
              source=["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-frames:v", "3"])
        for name, matrix, way, form, tags in (
                ("709.mkv", "bt709", "tv", "yuv420p", ["-colorspace", "bt709", "-color_range", "tv"]),
                ("2020.mkv", "bt2020", "tv", "yuv422p10", ["-colorspace", "bt2020nc", "-color_range", "tv"]),
                ("full.mkv", "bt601", "pc", "yuv444p", ["-colorspace", "smpte170m", "-color_range", "pc"]),
                ("none.mkv", "bt601", "tv", "yuv420p", [])):
            scale = (f"scale=out_color_matrix={matrix}:out_range={way}:"
                     "flags=bicubic+accurate_rnd+full_chroma_inp+bitexact")
            untagged = "" if tags else ",setparams=colorspace=unknown" # FFmpeg 7 tags what scale makes
            coded(self, name, "-c:v", "ffv1", "-vf", f"{scale},format={form}{untagged}", *tags,
                  source=["-i", "the source.mkv"])
            pair = ["the source.mkv", name] if tags else [name, "the source.mkv"]
            result = self.refuses(MISMATCH, ["no plane in common", "converted.mkv makes the file"], "-m", "psnr", *pair)
            self.assertEqual("no matrix is tagged" in result.err, not tags)
            line = re.search(r"ffmpeg -i .* converted\.mkv", result.err)[0]
            subprocess.run(["bash", "-c", line.replace("ffmpeg ", "ffmpeg -v error -y ", 1)], cwd=self.dir, check=True,
                           stdin=subprocess.DEVNULL, timeout=60)
            self.passes("-q", "-m", "diff", *(p.replace("the source", "converted") for p in pair), "--fail-over",
                        "max_diff.max=0")

    def test_long_names_leave_room_for_the_flags(self):
        ref, dis = "r" * 240 + ".y4m", "d" * 240 + ".y4m"
        self.write(ref, y4m(depth=10))
        self.write(dis, y4m(width=30, rate="50:1"))
        self.refuses(MISMATCH, "--allow-size --allow-depth --allow-rate", "-m", "psnr", ref, dis)

    def test_what_is_close_is_no_difference(self):
        for ref, dis in (("A1:1", "A0:0"), ("Ip", "I?")):
            files = two(self, y4m().replace(b"A1:1 ", ref.encode() + b" ") if ref[0] == "A" else y4m(),
                        y4m().replace(ref.encode(), dis.encode()))
            self.assertEqual(self.passes("-m", "psnr", "--no-progress", *files).err, "")


@unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
class Times(Case):
    def test_a_lost_frame_leads_to_pairing_by_time(self):
        ref = coded(self, "ref.mkv", "-c:v", "ffv1", source=["-i", REF])
        dis = coded(self, "dis.mkv", "-vf", r"select=not(eq(n\,3))", "-fps_mode", "passthrough", "-c:v", "ffv1",
                    source=["-i", REF])
        said = self.passes("-m", "psnr", "--allow-length", ref, dis).err
        self.assertIn("one side may lack frames; --pair time pairs them by time\n", said)
        self.assertNotIn("timing", self.passes("-m", "psnr", "--pair", "time", ref, dis).err)


@unittest.skipUnless(LIBAV, "this build has no libav, or there is no ffmpeg program")
class Rates(Case):
    """A video has one rate in every container; rates that differ are refused in every container."""
    SAME = ("24000/1001", "2997/100", "48000/1001", "60000/1001", "11988/100", "25")

    def make(self, name, rate, *options):
        return coded(self, name, *options, source=["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "32x32", "-framerate",
                                                   rate, "-i", "/dev/zero", "-frames:v", "12"])

    def test_one_rate(self):
        for rate in self.SAME:
            mp4 = self.make("a.mp4", rate, "-c:v", "libx264", "-bf", "2")
            for other in ("b.mkv", "b.flv"):
                with self.subTest(rate=rate, container=other):
                    coded(self, other, "-c", "copy", source=["-i", mp4])
                    self.assertEqual(self.passes("-m", "psnr", "--no-progress", mp4, other).err, "")
        mp4 = self.make("a.mp4", "60000/1001", "-c:v", "libx264")
        webm = self.make("b.webm", "60000/1001", "-c:v", "libvpx", "-deadline", "realtime")
        self.assertNotIn("rate", self.passes("-m", "psnr", "--no-progress", mp4, webm).err)

    def test_two_rates(self):
        for one, two_ in (("24000/1001", "24"), ("60000/1001", "60"), ("25", "24")):
            files = [self.make("a.mp4", one, "-c:v", "libx264"), self.make("b.mp4", two_, "-c:v", "libx264")]
            for name, option in (("c.mkv", "copy"), ("c.flv", "copy")):
                with self.subTest(one=one, two=two_, container=name):
                    files[1] = coded(self, name, "-c", option, source=["-i", "b.mp4"])
                    self.refuses(MISMATCH, ["frame rate", "--allow-rate"], "-m", "psnr", *files)


if __name__ == "__main__":
    main()
