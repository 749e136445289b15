# SPDX-License-Identifier: BSD-2-Clause
"""Intact files of every kind that people have are not refused as damaged: 300 of them, made here."""
import itertools
import os
import shutil
import struct
import subprocess
import unittest
import zlib

from command import REF, Case, main
from pictures import GREY, MAGIC, RGB, RGBA, chunk, pixels, png
from test_image_files import exif, icc, iccp, jpeg_with, tiff, FILES, SRGB, SRGB_CURVE

KINDS = os.environ.get("ASSAY_IMAGES", "").split()
LIBAV = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")

# Encoders, and what ffmpeg needs to know beside their names.
CODECS = {"libx264": [], "libx265": ["-x265-params", "log-level=none"], "mpeg2video": [], "mpeg4": [], "mpeg1video": [],
          "libvpx": [], "libvpx-vp9": ["-deadline", "realtime", "-cpu-used", "8"], "libaom-av1": ["-cpu-used", "8"],
          "mjpeg": [], "ffv1": [], "prores_ks": [], "dnxhd": ["-s", "1280x720", "-b:v", "90M", "-r", "25"],
          "huffyuv": ["-pix_fmt", "yuv422p"], "ffvhuff": [], "utvideo": [], "libtheora": [], "flv": [], "wmv2": [],
          "wmv1": [], "msmpeg4v2": [], "h263p": [], "libxvid": [], "png": [], "snow": ["-strict", "-2"],
          "cinepak": [], "rawvideo": [], "libx264rgb": [], "ljpeg": [], "jpeg2000": [], "asv1": [], "dvvideo":
          ["-s", "720x576", "-pix_fmt", "yuv420p", "-r", "25"], "roqvideo": ["-s", "352x192", "-r", "30"], "qtrle": [],
          "gif": [], "apng": []}
CONTAINERS = ["mkv", "mp4", "mov", "avi", "ts", "m2ts", "nut", "webm", "ogv", "flv", "asf", "mpg", "vob", "mxf", "3gp",
              "ivf", "h264", "hevc", "m2v", "obu", "dv", "roq", "gif", "apng", "gxf", "wtv", "swf", "rm", "smjpeg",
              "y4m"]
LAYOUTS = {"fragments.mp4": ["-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov"],
           "faststart.mp4": ["-c:v", "libx264", "-movflags", "faststart"],
           "live.mkv": ["-c:v", "libx264", "-live", "1"], "live.webm": ["-c:v", "libvpx", "-live", "1"],
           "cues.mkv": ["-c:v", "libx264", "-reserve_index_space", "4096"],
           "open.mkv": ["-c:v", "libx264", "-flags", "+cgop", "-bf", "3", "-g", "4"],
           "intra.mp4": ["-c:v", "libx264", "-intra-refresh", "1"], "title.mkv": ["-c:v", "libx264", "-metadata",
                                                                               "title=\u00e9\u4e2d"],
           "annexb.mkv": ["-c:v", "libx264", "-bsf:v", "h264_metadata"],
           "slices.mp4": ["-c:v", "libx264", "-slices", "5"], "fields.ts": ["-c:v", "libx264", "-flags", "+ilme+ildct"],
           "constant.mpg": ["-c:v", "mpeg2video", "-b:v", "20M", "-minrate", "20M", "-maxrate", "20M", "-bufsize",
                            "2M"],
           "pcr.ts": ["-c:v", "libx264", "-muxrate", "8M"], "resent.ts": ["-c:v", "mpeg2video", "-mpegts_flags",
                                                                        "resend_headers"]}


class Intact(Case):
    def setUp(self):
        super().setUp()
        self.count, self.refused = 0, []

    def try_one(self, name, *args):
        self.count += 1
        result = self.run_assay(*args, name, name)
        if result.code:
            self.refused.append((name, result.err.strip()[-200:]))

    def finish(self, least):
        print(f"{self.count} files")
        self.assertEqual(self.refused, [])
        self.assertGreaterEqual(self.count, least)

    def image(self, name, data):
        self.write(name, data)
        self.try_one(name, "image", "-q")

    def test_png(self):
        dice = [b"tEXt", b"zTXt", b"iTXt", b"tIME", b"pHYs", b"sBIT", b"bKGD", b"oFFs", b"sCAL", b"pCAL", b"sTER",
                b"prVt", b"vpAg", b"iDOT", b"caNv", b"meTa", b"dSIG", b"orNT", b"mkBF", b"gIFx", b"eXIf"]
        bodies = {b"tEXt": b"a\0b", b"zTXt": b"a\0\0" + zlib.compress(b"text"), b"iTXt": b"a\0\0\0\0\0text",
                  b"tIME": bytes((7, 230, 1, 1, 1, 1, 1)), b"pHYs": bytes(9), b"sBIT": b"\x08\x08\x08",
                  b"bKGD": bytes(6), b"oFFs": bytes(9), b"sCAL": b"\x011\x001", b"sTER": b"\0", b"eXIf": exif(6)}
        for depth, kind in ((1, GREY), (2, GREY), (4, GREY), (8, GREY), (16, GREY), (8, RGB), (16, RGB), (8, RGBA),
                            (16, RGBA)):
            for interlaced in (False, True):
                self.image(f"{kind}-{depth}-{interlaced}.png", png(pixels(9, 7, kind, depth), kind, depth,
                                                                   interlaced=interlaced))
        whole = png(pixels(9, 7))
        for name in dice:
            extra = chunk(name, bodies.get(name, b"x" * 20))
            self.image(f"before-{name.decode()}.png", png(pixels(9, 7), before=[extra]))
            self.image(f"behind-{name.decode()}.png", whole[:-12] + extra + whole[-12:])
        for tail in (b"\0", b"\n", b"\xff" * 3000, b"PK\3\4" + bytes(100), b"\r\n--boundary--"):
            self.image(f"tail-{len(tail)}.png", whole + tail)
        for profile in (icc("sRGB", SRGB, SRGB_CURVE), bytes(132), b"x"):
            self.image(f"profile-{len(profile)}.png", png(pixels(9, 7), before=[iccp(profile)]))
        # Samples in many chunks, empty ones among them.
        data = zlib.compress(b"".join(b"\0" + bytes(row) for row in pixels(9, 7)))
        for step in (1, 7, 50):
            parts = b"".join(chunk(b"IDAT", data[i:i + step]) + chunk(b"IDAT", b"")
                             for i in range(0, len(data), step))
            head = MAGIC + chunk(b"IHDR", struct.pack(">IIBBBBB", 9, 7, 8, 2, 0, 0, 0))
            self.image(f"parts-{step}.png", head + parts + chunk(b"IEND", b""))
        self.finish(60)

    @unittest.skipUnless("jpg" in KINDS, "this build has no libjpeg")
    def test_jpeg(self):
        whole = (FILES / "rgb.jpg").read_bytes()
        for n in range(16):
            segment = b"\xff" + bytes([0xe0 + n]) + struct.pack(">H", 40) + b"Unknown\0" + bytes(30)
            self.image(f"app{n}.jpg", whole[:2] + segment + whole[2:])
        for name, segment in (("comment", b"\xff\xfe\0\x06abcd"), ("empty", b"\xff\xe1\0\2"), ("fill", b"\xff" * 9),
                              ("xmp", b"\xff\xe1\0\x23http://ns.adobe.com/xap/1.0/\0<x/>"),
                              ("exif", b"\xff\xe1\0\x08Exif\0\0"), ("adobe", b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\1")):
            self.image(f"{name}.jpg", whole[:2] + segment + whole[2:])
        for order, orientation in itertools.product("<>", range(10)):
            self.image(f"exif{order == '<'}{orientation}.jpg", jpeg_with(whole, b"Exif\0\0" + exif(orientation, order)))
        for tail in (b"\0", b"\n", bytes(4000), b"\xff\xd9", b"MotionPhoto" + bytes(90)):
            self.image(f"tail-{len(tail)}.jpg", whole + tail)
        if LIBAV:
            for i, pixel in enumerate(("yuvj420p", "yuvj422p", "yuvj444p", "gray")):
                for q in (2, 31):
                    self.ffmpeg(f"f{i}-{q}.jpg", "-frames:v", "1", "-pix_fmt", pixel, "-q:v", str(q))
                    self.try_one(f"f{i}-{q}.jpg", "image", "-q")
        self.finish(45)

    @unittest.skipUnless("tiff" in KINDS, "this build has no libtiff")
    def test_tiff(self):
        rows = pixels(20, 11)
        tags = [(270, 7, list(b"text\0")), (282, 4, [72]), (305, 7, list(b"program\0")), (700, 7, list(b"<x/>")),
                (33432, 7, list(b"(c)\0")), (34377, 7, [1] * 20), (37724, 7, [2] * 9), (50341, 7, list(b"PrintIM")),
                (42112, 7, list(b"<GDAL/>\0")), (33550, 7, [0] * 24), (65000, 3, [7]), (65535, 4, [9]), (274, 3, [6]),
                (296, 3, [2]), (266, 3, [1]), (306, 7, list(b"not a date\0")), (37439, 7, [1] * 8)]
        for tag in tags:
            for order in "<>":
                self.image(f"{tag[0]}{order == '<'}.tif", tiff(rows, 3, order=order, tags=[tag]))
        for tail in (b"\0", bytes(3000)):
            self.image(f"tail{len(tail)}.tif", tiff(rows, 3) + tail)
        for how in ({"planar": 2}, {"tile": 16}, {"strip": 1}, {"strip": 11}, {"strip": 100}, {"depth": 16}):
            self.image(f"{'-'.join(how)}-{list(how.values())[0]}.tif", tiff(rows, 3, **how))
        if LIBAV:
            for method in ("packbits", "raw", "lzw", "deflate"):
                for pixel in ("rgb24", "gray", "rgb48le", "monob", "gray16le", "rgba", "pal8"):
                    self.ffmpeg(f"{method}-{pixel}.tif", "-frames:v", "1", "-pix_fmt", pixel,
                                "-compression_algo", method)
                    self.try_one(f"{method}-{pixel}.tif", "image", "-q")
        self.finish(40)

    def ffmpeg(self, name, *options):
        return not subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", REF, *options, name], cwd=self.dir, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True).returncode

    @unittest.skipUnless(LIBAV, "no libav, or no ffmpeg program")
    def test_videos(self):
        """Each encoder in each container that takes it."""
        for codec, options in CODECS.items():
            if not self.ffmpeg("whole.nut", "-frames:v", "4", "-c:v", codec, *options):
                continue
            for container in CONTAINERS:
                if (codec, container) == ("gif", "m2v"): # pictures one by one, without the block that ends a GIF
                    continue
                name = f"{codec}.{container}"
                done = subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", "whole.nut", "-c", "copy", "-strict", "-2",
                                       name], cwd=self.dir, check=False, stdin=subprocess.DEVNULL, capture_output=True)
                # What ffmpeg itself can't read without a word is no intact file.
                read = subprocess.run(["ffmpeg", "-v", "error", "-xerror", "-i", name, "-f", "null", "-"], cwd=self.dir,
                                      check=False, stdin=subprocess.DEVNULL, capture_output=True)
                if not done.returncode and not read.returncode and not read.stderr:
                    self.try_one(name, "-q", "-m", "psnr")
        for name, options in LAYOUTS.items():
            if self.ffmpeg(name, *options):
                self.try_one(name, "-q", "-m", "psnr")
            sound = ["-f", "lavfi", "-i", "sine=d=0.3", "-c:a", "mp2" if name.endswith("ts") else
                     "libvorbis" if name.endswith("webm") else "aac"]
            if self.ffmpeg("sound." + name, *sound, *options):
                self.try_one("sound." + name, "-q", "-m", "psnr")
        self.finish(100)


if __name__ == "__main__":
    main()
