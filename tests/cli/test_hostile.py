# SPDX-License-Identifier: BSD-2-Clause
"""Hostile and damaged files: damage is told, time and memory follow the file, and a signal ends every reader."""
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
import zlib
from pathlib import Path

from command import INPUT, PASS, PROGRAM, REF, Case, Result, main, two_processors
from pictures import MAGIC, PALETTE, RGB, chunk, pixels, png
from test_image_files import FILES
from test_image_floats import exr, picture

KINDS = os.environ.get("ASSAY_IMAGES", "").split()
PNG = os.environ.get("ASSAY_PNG")
SANITIZED = os.environ.get("ASSAY_SANITIZED") == "1"
MEGABYTE = 1e6


class Measured(Case):
    def measure(self, *args, stdin=None, stop_after=None, caught=False):
        """The result, seconds of processor time, and bytes of peak memory. A limit ends what would go on. `caught`: the
        time in front of the signal begins when the command catches it, which a busy machine may put off. It has two
        processors: with more of them a decoder has more threads, and each has memory."""
        def limited():
            two_processors()
            resource.setrlimit(resource.RLIMIT_CPU, (20, 20))

        env = {k: v for k, v in os.environ.items() if k != "MALLOC_PERTURB_"} # which writes all that is allocated
        with open(self.dir / "out", "w+b") as out, open(self.dir / "err", "w+b") as err:
            begun = time.monotonic()
            run = subprocess.Popen([PROGRAM, *map(str, args)], cwd=self.dir, env=env, stdout=out, stderr=err,
                                   stdin=stdin or subprocess.DEVNULL, preexec_fn=limited)
            if stop_after:
                status = Path(f"/proc/{run.pid}/status")
                while caught and time.monotonic() < begun + 60 and not int(
                        status.read_text().split("SigCgt:")[1].split()[0], 16) >> signal.SIGTERM - 1 & 1:
                    time.sleep(0.01)
                time.sleep(stop_after)
                begun = time.monotonic()
                run.send_signal(signal.SIGTERM)
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
            took = time.monotonic() - begun if stop_after else used.ru_utime + used.ru_stime
            out.seek(0)
            err.seek(0)
            result = Result(subprocess.CompletedProcess(args, run.returncode, out.read().decode(), err.read().decode()))
        return result, took, used.ru_maxrss * 1024

    def ends_soon(self, *args, code=INPUT, says="", holds=0, files=1, seconds=2, **how):
        """`holds`: bytes of the picture that the files hold. `files`: how many are read at a time."""
        result, took, peak = self.measure(*args, **how)
        self.assertEqual(result.code, code, result)
        self.assertIn(says, result.err)
        if code == INPUT:
            self.assertEqual(result.err.count("\n"), 1, result)
        if not SANITIZED:
            self.assertLess(took, seconds, result)
            self.assertLess(peak, (48 + 16 * files) * MEGABYTE + 12 * holds, result)


def flipped(data, at, bit=1):
    out = bytearray(data)
    out[at] ^= bit
    return bytes(out)


def png_head(width, height, depth=8, kind=RGB, interlaced=0):
    return MAGIC + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced))


@unittest.skipUnless(PNG, "this build has no libpng")
class Png(Measured):
    def test_damaged_chunks(self):
        """Two files with the same damage are damaged all the same."""
        colours = bytes(range(3 * 12))
        chunks = {b"PLTE": colours, b"tRNS": b"\0\x40\x80\xff", b"gAMA": struct.pack(">I", 45455),
                  b"cHRM": struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000),
                  b"eXIf": b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0", b"sRGB": b"\0",
                  b"cICP": bytes((1, 13, 0, 1)), b"tEXt": b"Title\0a"}
        rows = [[(x + y) % 12 for x in range(8)] for y in range(8)]
        for name in chunks:
            before = [chunk(k, chunks[k]) for k in ({b"PLTE": 0, name: 0})]
            whole = png(rows, PALETTE, before=before)
            self.write("whole.png", whole)
            self.passes("image", "-q", "whole.png", "whole.png")
            self.write("hurt.png", flipped(whole, whole.index(name) + 4 + len(chunks[name])))
            with self.subTest(chunk=name):
                self.ends_soon("image", "-q", "hurt.png", "hurt.png", says="CRC error")

    def test_chunks_behind_the_end(self):
        for kind in (b"zTXt", b"iTXt", b"eXIf", b"iCCP", b"sPLT", b"IDAT", b"abCd"):
            self.write("z.png", png_head(8, 8) + struct.pack(">I", 0x7fffffff) + kind + b"A\0\0")
            with self.subTest(chunk=kind):
                self.ends_soon("image", "z.png", "z.png", says="ends in the middle of a picture")

    def test_packed_text(self):
        """64 MB of text in 64 KB; text is not unpacked."""
        self.write("ok.png", png(pixels(8, 8)))
        text = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(64 << 20), 9))
        self.write("text.png", png(pixels(8, 8), before=[text] * 20))
        self.ends_soon("image", "ok.png", "text.png", code=PASS)

    def test_many_chunks(self):
        self.write("many.png", png(pixels(8, 8), before=[chunk(b"abCd", b"")] * 200000))
        self.ends_soon("image", "many.png", "many.png", code=PASS)

    def test_sizes_that_the_file_does_not_hold(self):
        samples = chunk(b"IDAT", zlib.compress(bytes(4500000), 9)) + chunk(b"IEND", b"")
        for depth, kind in ((1, 0), (8, 2), (16, 6)):
            for interlaced in (0, 1):
                for side in (30000, 65535):
                    self.write("huge.png", png_head(side, side, depth, kind, interlaced) + samples)
                    with self.subTest(depth=depth, kind=kind, interlaced=interlaced, side=side):
                        self.ends_soon("image", "huge.png", "huge.png", says="can't hold")
                        self.ends_soon("huge.png", "huge.png", says="can't hold")

    def test_pipes(self):
        for start, says in ((MAGIC, "its header states no picture"), (png_head(8, 8), "can't be read from a pipe")):
            self.write("ok.png", png(pixels(8, 8)))
            self.write("start", start)
            with subprocess.Popen(["sh", "-c", "cat start; exec cat /dev/zero"], cwd=self.dir,
                                  stderr=subprocess.DEVNULL, stdout=subprocess.PIPE) as zeros:
                with self.subTest(says=says):
                    self.ends_soon("image", "-", "ok.png", says=says, stdin=zeros.stdout, holds=MEGABYTE)
                zeros.stdout.close()

    def test_refused_profile(self):
        """A profile that libpng refuses is no missing tag."""
        bad = chunk(b"iCCP", b"mine\0\0" + zlib.compress(b"\0" * 132))
        self.write("none.png", png(pixels(16, 16)))
        self.write("bad.png", png(pixels(16, 16), before=[bad]))
        self.write("gamma.png", png(pixels(16, 16), before=[chunk(b"gAMA", struct.pack(">I", 45455)), bad]))
        done = self.passes("image", "bad.png", "bad.png", "-m", "ssimulacra2")
        said = "bad.png: counts as sRGB, as libpng refuses its ICC profile ("
        self.assertIn(said, done.err)
        self.assertNotIn("no tag of colour", done.err)
        self.assertIn(said, self.passes("-m", "ssimulacra2", "bad.png", "bad.png").err)
        self.assertIn(said, self.passes("image", "bad.png", "none.png").err) # codes alone, too
        done = self.passes("image", "gamma.png", "none.png", "-m", "ssimulacra2")
        self.assertIn("libpng refuses its ICC profile (", done.err)


@unittest.skipUnless("jpg" in KINDS, "this build has no libjpeg")
class Jpeg(Measured):
    def test_many_segments(self):
        for name, segment, n in (("list", b"\xff\xe1\0\2", 2500000), ("no length", b"\xff\xe1\0\0", 2500000),
                                 ("others", b"\xff\xe5\0\2", 2500000), ("comments", b"\xff\xfe\0\3a", 2000000)):
            self.write("m.jpg", b"\xff\xd8" + segment * n + b"\xff\xd9")
            with self.subTest(name):
                self.ends_soon("image", "m.jpg", "m.jpg")

    def frame(self, side, marker=0xc0, scan=b"\x12\x34"):
        tables = b"\xff\xdb\0\x43\0" + bytes([1] * 64)
        head = b"\xff" + bytes([marker]) + struct.pack(">HBHHB", 11, 8, side, side, 1) + b"\1\x11\0"
        codes = b"\xff\xc4" + struct.pack(">HB", 20, 0) + bytes([1] + [0] * 15) + b"\0"
        codes += b"\xff\xc4" + struct.pack(">HB", 20, 16) + bytes([1] + [0] * 15) + b"\0"
        scans = b"\xff\xda\0\x08\1\1\0\0" + (b"\x3f\0" if marker != 0xc2 else b"\0\0") + scan
        return b"\xff\xd8" + tables + head + codes + scans

    def test_sizes_that_the_file_does_not_hold(self):
        for marker in (0xc0, 0xc1, 0xc2, 0xc9, 0xca):
            self.write("h.jpg", self.frame(65535, marker) + b"\xff\xd9")
            with self.subTest(marker=hex(marker)):
                self.ends_soon("image", "h.jpg", "h.jpg", says="h.jpg")

    def test_many_scans(self):
        """Progressive: each scan of a large picture takes its time."""
        empty = bytes(2048 * 2048 // 64 // 8)
        data = self.frame(2048, 0xc2, empty) + b"\xff\xda\0\x08\1\1\0\1\x3f\0" * 30000 + b"\xff\xd9"
        self.write("scans.jpg", data)
        self.ends_soon("image", "scans.jpg", "scans.jpg", holds=2048 * 2048)

    def test_bytes_behind_a_scan(self):
        """Before a scan they change no sample; behind it they may be the scan's own."""
        whole = self.frame(16, 0xc0, b"\0") + b"\xff\xd9"
        self.write("whole.jpg", whole)
        self.passes("image", "-q", "whole.jpg", "whole.jpg")
        self.write("before.jpg", whole.replace(b"\xff\xc0", b"\1\2\3\xff\xc0"))
        self.passes("image", "-q", "whole.jpg", "before.jpg")
        self.write("behind.jpg", whole[:-2] + b"\1" * 20 + b"\xff\xd9")
        self.ends_soon("image", "-q", "behind.jpg", "behind.jpg", says="extraneous bytes")


@unittest.skipUnless("tiff" in KINDS, "this build has no libtiff")
class Tiff(Measured):
    # Group 4, 48x32, with a flipped bit: 50 pixels are wrong.
    FAX = """49492a002600000026a782def088eb8ef7ad6f5adfd736bffeca2ac77afffdeb5bf0010010000d00000103000100000030000000
        010103000100000020000000020103000100000001000000030103000100000004000000060103000100000000000000
        0a010300010000000100000011010400010000000800000012010300010000000100000015010300010000000100000016010300010000
        002000000017010400010000001d0000001c010300010000000100000029010300020000000000010000000000"""

    def test_fax(self):
        data = bytes.fromhex("".join(self.FAX.split()))
        self.write("g4.tif", data)
        self.ends_soon("image", "-q", "g4.tif", "g4.tif", says="damaged TIFF: Line length mismatch")
        self.ends_soon("-q", "g4.tif", "g4.tif", says="damaged TIFF: Line length mismatch")

    def test_sizes_that_the_file_does_not_hold(self):
        data = bytes.fromhex("".join(self.FAX.split()))
        for compression in (1, 5, 8, 32773):
            large = data.replace(struct.pack("<HHII", 0x100, 3, 1, 48), struct.pack("<HHII", 0x100, 4, 1, 65535))
            large = large.replace(struct.pack("<HHII", 0x101, 3, 1, 32), struct.pack("<HHII", 0x101, 4, 1, 65535))
            self.write("l.tif", large.replace(struct.pack("<HHII", 0x103, 3, 1, 4),
                                              struct.pack("<HHII", 0x103, 3, 1, compression)))
            with self.subTest(compression=compression):
                self.ends_soon("image", "l.tif", "l.tif", says="can't hold")


class Avif(Measured):
    @unittest.skipUnless("avif" in KINDS, "this build has no libavif")
    def test_lines_of_the_decoder(self):
        """dav1d says on standard error what it finds; assay's line has it, and there is no other.

        A sanitizer's own report goes to standard error, so such a build leaves the decoder's lines there."""
        whole = (FILES / "rgb.avif").read_bytes()
        first = whole.index(b"mdat") + 4
        said = 0
        for at in (first, first + 1, first + 2, first + 3, first + 5, (first + len(whole)) // 2):
            for bit in (0x08, 0x40):
                self.write("hurt.avif", flipped(whole, at, bit))
                done = self.run_assay("image", "-q", "hurt.avif", "hurt.avif")
                with self.subTest(at=at, bit=bit):
                    lines = done.err.splitlines()
                    ours = [line for line in lines if line.startswith("assay: ")]
                    if not SANITIZED:
                        self.assertEqual(ours, lines, done)
                    self.assertIn((done.code, len(ours)), ((INPUT, 1), (PASS, 0)))
                    said += done.code == INPUT
        self.assertGreaterEqual(said, 3)


class Floats(Measured):
    def test_pfm(self):
        self.write("l.pfm", b"PF\n65535 65535\n-1.0\n")
        self.ends_soon("image", "l.pfm", "l.pfm", says="it ends before its last row")

    @unittest.skipUnless("exr" in KINDS, "this build has no OpenEXR")
    def test_exr(self):
        self.write("w.exr", exr(picture(), display=(0, 0, 24999, 24999)))
        self.ends_soon("image", "w.exr", "w.exr", says="too large for its data window")
        whole = exr(picture(), zips=True)
        window = struct.pack("<4i", 0, 0, 23, 19)
        for right, bottom in ((65534, 19), (65534, 65534), (23, 65534)):
            self.write("l.exr", whole.replace(window, struct.pack("<4i", 0, 0, right, bottom)))
            with self.subTest(right=right, bottom=bottom):
                self.ends_soon("image", "l.exr", "l.exr", says="l.exr", holds=MEGABYTE)

    @unittest.skipUnless("exr" in KINDS, "this build has no OpenEXR")
    def test_small_data_window(self):
        """A render of nothing: 4K with a pixel of data."""
        self.write("r.exr", exr([[1.0] * 3], display=(0, 0, 4095, 2159)))
        self.ends_soon("image", "r.exr", "r.exr", code=PASS, holds=12 * 4096 * 2160)


class Pipes(Measured):
    @unittest.skipIf(SANITIZED, "a sanitizer's allocator copies what grows")
    def test_formats_whose_start_tells_no_size(self):
        """They are read to 256 MiB, and no further."""
        for kind, start in (("tiff", b"II*\0\x08\0\0\0"), ("exr", b"\x76\x2f\x31\x01\2\0\0\0")):
            if kind not in KINDS:
                continue
            self.write("start", start)
            self.write("ok.pfm", b"Pf\n1 1\n-1.0\n\0\0\0\0")
            with subprocess.Popen(["sh", "-c", "cat start; exec cat /dev/zero"], cwd=self.dir,
                                  stderr=subprocess.DEVNULL, stdout=subprocess.PIPE) as zeros, self.subTest(kind):
                self.ends_soon("image", "-", "ok.pfm", says="more than 268435456 bytes can't be read from a pipe",
                               stdin=zeros.stdout, holds=(256 << 20) / 12, seconds=4)
                zeros.stdout.close()


class Fifos(Measured):
    def test_model(self):
        """A pipe that nobody writes to keeps nobody waiting."""
        os.mkfifo(self.dir / "model.json")
        ref, dis = self.pair()
        self.ends_soon("-m", "vmaf=path=model.json", ref, dis, says="model.json: is no regular file")

    def test_encode(self):
        """Encodes are opened while the reference is. A pipe waits for its turn, which does not come here."""
        os.mkfifo(self.dir / "encode.y4m")
        self.ends_soon("-m", "psnr", "missing.y4m", "encode.y4m", says="missing.y4m: can't be opened")


@unittest.skipUnless(shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV"), "no libav, or no ffmpeg program")
class Containers(Measured):
    def make(self, name, *options, source=REF):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, *options, name], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)
        return (self.dir / name).read_bytes()

    def test_what_a_demuxer_says(self):
        """Both sides are the same damaged file; with --allow-damage the loss is told."""
        ogg = self.make("o.ogv", "-c:v", "libtheora")
        webm = self.make("w.webm", "-c:v", "libvpx", "-g", "1", "-b:v", "1M")
        block = list(re.finditer(rb"\xa3(?:[\x40-\x7e].|[\x20-\x3e]..)\x81\0", webm, re.S))[3].start()
        huge = webm[:block + 1] + bytes([webm[block + 1] | 0x1f]) + webm[block + 2:] # the block's size
        for name, data, says in (("d.ogv", flipped(ogg, len(ogg) * 3 // 4), "CRC mismatch"),
                                 ("d.webm", huge, "master element")):
            with self.subTest(name):
                self.write(name, data)
                self.ends_soon("-q", "-m", "psnr", name, name, says=says)
                done = self.passes("-m", "psnr", "--json", "r.json", "--allow-damage", name, name)
                self.assertIn(f"damaged: {name}: frames may be lost: ", done.out)
                self.assertIn(says, done.out)
                block = json.loads(self.read("r.json"))["assay"]
                self.assertGreaterEqual(block["distorted_container_faults"], 1)
                self.assertEqual(block["allowed_differences"], "damage")

    def test_packet_in_error(self):
        """What receives MPEG-TS marks the packets that it could not correct."""
        whole = bytearray(self.make("a.ts", "-c:v", "mpeg2video", "-g", "1"))
        whole[len(whole) // 188 // 2 * 188 + 1] |= 0x80
        self.write("a.ts", whole)
        self.assertRegex(self.run_assay("-q", "-m", "psnr", "a.ts", "a.ts").err,
                         r"a\.ts: frame [2-6]: damaged or truncated in its container\n\Z")

    def test_cut(self):
        """Each cut file ends with exit 3, whatever is left of it."""
        for name, options in (("a.ts", ["-c:v", "mpeg2video", "-g", "1"]), ("a.asf", ["-c:v", "mjpeg"]),
                              ("a.mxf", ["-c:v", "mpeg2video"]), ("a.flv", ["-c:v", "flv"]),
                              ("a.obu", ["-c:v", "libaom-av1", "-cpu-used", "8", "-g", "1"]),
                              ("a.ogv", ["-c:v", "libtheora", "-g", "1", "-page_duration", "1"]),
                              ("a.m2ts", ["-c:v", "mpeg2video", "-mpegts_m2ts_mode", "1"])):
            whole = self.make(name, *options)
            self.passes("-q", "-m", "psnr", name, name)
            for size in (len(whole) - 1, len(whole) - 80, len(whole) * 9 // 10 - 5, len(whole) // 2 + 3):
                self.write(name, whole[:size])
                with self.subTest(name, size=size, of=len(whole)):
                    self.fails(INPUT, name, "-q", "-m", "psnr", name, name)

    def frames(self, name, code, *args):
        """The scores of each frame of a report that was made, or none."""
        self.write("r.json", b"")
        done = self.run_assay("-q", "-m", "psnr", "--json", "r.json", "--allow-rate", *args, REF, name)
        self.assertEqual(done.code, code, done)
        return [frame["metrics"] for frame in json.loads(self.read("r.json") or '{"frames": []}')["frames"]]

    def test_held_pictures(self):
        """Pictures that the decoder still holds where a file is cut are scored up to the first one that is lost. Where
        times are uneven, nobody can know that a picture is the next one."""
        uneven = ["-vf", "settb=1/1000,setpts=40*N+7*mod(7*N\\,5)", "-vsync", "vfr", "-enc_time_base", "1/1000"]
        for name, options in (("a.mkv", []), ("a.flv", []), ("a.mp4", ["-movflags", "+faststart"]), ("u.mkv", uneven)):
            whole = self.make(name, "-c:v", "libx264", "-bf", "3", "-b_strategy", "0", *options)
            expected = self.frames(name, PASS)
            probe = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=pos,size,pts", "-of", "json",
                                    name], cwd=self.dir, check=True, capture_output=True)
            packets = [[int(p[k]) for k in ("pos", "size", "pts")] for p in json.loads(probe.stdout)["packets"]]
            times = sorted(time for _, _, time in packets)
            shown = [times.index(time) for _, _, time in packets]
            self.assertNotEqual(shown, sorted(shown))
            for n in range(4, 8):
                lost = min(set(range(8)) - set(shown[:n]))
                self.write(name, whole[:packets[n][0] + packets[n][1] // 2])
                for threads in (1, 3):
                    with self.subTest(name, n=n, threads=threads, shown=shown):
                        got = self.frames(name, INPUT, "--threads", threads)
                        self.assertEqual(got, expected[:len(got)])
                        self.assertEqual(len(got) < lost, name == "u.mkv")
        whole = self.make("a.mp4", "-c:v", "libx264", "-bf", "3", "-b_strategy", "0")
        expected = self.frames("a.mp4", PASS)
        self.write("a.mp4", whole + whole)
        self.assertEqual(self.frames("a.mp4", INPUT), expected) # all of the first file are there

    def test_cut_pictures(self):
        """A GIF and an animated PNG have a last block: a cut is seen wherever it lies, between two blocks, too."""
        for name in ("a.gif", "a.png"):
            whole = self.make(name, *(["-f", "apng"] if name == "a.png" else []))
            self.passes("-q", "-m", "psnr", name, name)
            mark, ahead = (b"\x21\xf9\x04", 0) if name == "a.gif" else (b"fcTL", 4)
            between = [m.start() - ahead for m in re.finditer(re.escape(mark), whole)]
            self.assertGreaterEqual(len(between), 8)
            for size in (between[3], between[-1], len(whole) - 1, len(whole) * 2 // 3, len(whole) * 4 // 5):
                self.write(name, whole[:size])
                with self.subTest(name, size=size, of=len(whole)):
                    self.fails(INPUT, name, "-q", "-m", "psnr", name, name)
            # libav reads a GIF that was joined to another one, and PNGs that stand still.
            self.write(name, whole + whole)
            if name == "a.gif":
                done = self.passes("-m", "psnr", "--frames", 16, name, name)
                self.assertIn(" 16 frames", done.out)
                self.write(name, whole + whole[:-1])
                self.fails(INPUT, "truncated", "-q", "-m", "psnr", name, name)
                for junk in (b"!\n", b", and more", b";;"): # bytes behind the trailer that look like blocks
                    self.write(name, whole + junk)
                    with self.subTest(junk=junk):
                        done = self.run_assay("-m", "psnr", name, name)
                        self.assertIn(" 8 frames", done.out)
                        self.assertNotIn("truncated", done.err)
            else:
                self.fails(INPUT, f"{name}: frame 8: another file was joined", "-q", "-m", "psnr", name, name)
                still = self.make("s.png", "-frames:v", "1")
                self.write("s.png", still + still)
                self.assertIn(" 2 frames", self.passes("-m", "psnr", "s.png", "s.png").out)

    def test_joined(self):
        """Files that were joined as they are, of which libav reads the first one, or all by its parameters."""
        for name, codec in (("a.mp4", "mpeg4"), ("a.mov", "ffv1"), ("a.flv", "flv"), ("a.asf", "wmv2"),
                            ("a.mkv", "ffv1"), ("a.avi", "ffvhuff")):
            with self.subTest(name):
                whole = self.make(name, "-c:v", codec)
                self.write(name, whole + whole)
                said = f"{name}: frame 8: another file was joined to this one here"
                self.fails(INPUT, said, "-q", "-m", "psnr", "--json", "r.json", "--force", REF, name)
                self.assertIn('"incomplete": true', self.read("r.json"))
                if name != "a.flv": # in which libav takes them for a tag
                    self.write(name, whole + bytes(4096))
                    self.passes("-q", "-m", "psnr", name, name)
        # Of FLV without its size, as of what was sent, tags are gone through to their end.
        whole = self.make("a.flv", "-c:v", "flv", "-flvflags", "no_duration_filesize")
        for size in (len(whole), len(whole) - 4): # some writers leave out the last size
            self.write("b.flv", whole[:size])
            self.passes("-q", "-m", "psnr", "b.flv", "b.flv")
        self.write("b.flv", whole + whole)
        self.fails(INPUT, "b.flv: frame 8: another file was joined to", "-q", "-m", "psnr", "b.flv", "b.flv")
        plain = self.make("a.mp4", "-c:v", "mpeg4")
        # Each fragment may have a header of its own, the first one, too, behind a header without pictures.
        whole = self.make("f.mp4", "-c:v", "mpeg4", "-g", "2", "-movflags",
                          "frag_keyframe+empty_moov+default_base_moof")
        self.write("f.mp4", whole + plain)
        self.fails(INPUT, "f.mp4: frame 8: another file was joined to", "-q", "-m", "psnr", "f.mp4", "f.mp4")
        head, second = whole[:whole.index(b"moof") - 4], whole.index(b"moof", whole.index(b"moof") + 4) - 4
        for before in (b"", head):
            self.write("f.mp4", before + whole[:second] + head + whole[second:])
            self.passes("-q", "-m", "psnr", "--json", "r.json", "--force", "f.mp4", "f.mp4")
            self.assertEqual(len(json.loads(self.read("r.json"))["frames"]), 8)
        self.write("f.mp4", whole + whole)
        said = "the times of its fragments begin anew"
        self.fails(INPUT, f"f.mp4: frame 8: damaged in its container: {said}", "-q", "-m", "psnr", "f.mp4", "f.mp4")
        self.assertIn(said, self.passes("-m", "psnr", "--allow-damage", "f.mp4", "f.mp4").out)

    def test_padding(self):
        """Zeros between two files hide no second one, and zeros behind a file are none."""
        for name, options in (("a.mp4", ["-c:v", "mpeg4"]), ("a.asf", ["-c:v", "wmv2"]),
                              ("a.flv", ["-c:v", "flv"])):
            whole = self.make(name, *options)
            for zeros in (1, 4, 4095, 4096, 70000):
                self.write(name, whole + bytes(zeros) + whole)
                with self.subTest(name, zeros=zeros):
                    said = f"{name}: frame 8: another file was joined" if name != "a.flv" else name
                    self.fails(INPUT, said, "-q", "-m", "psnr", name, name) # libav takes zeros in FLV for a tag
                    if name != "a.flv" and zeros > 4: # fewer may be the beginning of a box
                        self.write(name, whole + bytes(zeros))
                        self.passes("-q", "-m", "psnr", name, name)
            for more in (1, 4, 5, 7) if name == "a.mp4" else ():
                self.write(name, whole + bytes(more))
                self.assertEqual(self.run_assay("-q", "-m", "psnr", name, name).code, PASS if more > 4 else INPUT)
        whole = self.make("a.mp4", "-c:v", "mpeg4", "-g", "2", "-movflags", "frag_keyframe+empty_moov")
        behind = whole.rindex(b"moof") - 4 # libav ends at zeros, in front of a fragment, too
        self.write("a.mp4", whole[:behind] + bytes(64) + whole[behind:])
        self.fails(INPUT, "another file was joined", "-q", "-m", "psnr", "a.mp4", "a.mp4")
        # What is wrong with an end is allowed, and told, as other damage is.
        whole = self.make("a.mp4", "-c:v", "mpeg4")
        self.write("a.mp4", whole + whole)
        said = "damaged: a.mp4: frames may be lost: another file was joined to this one here"
        self.assertIn(said, self.passes("-m", "psnr", "--allow-damage", "a.mp4", "a.mp4").out)

    def test_stated_lengths(self):
        """FLV that states more bytes than there are is whole where its pictures have their end. IVF that states more
        pictures, or a longer time, is cut."""
        for codec, ends in (("libx264", True), ("flv", False)):
            whole = self.make("a.flv", "-c:v", codec)
            at = whole.index(b"filesize\0") + 9
            larger = whole[:at] + struct.pack(">d", len(whole) + 1000) + whole[at + 8:]
            self.write("b.flv", larger)
            for name, data, good in (("b.flv", larger, ends), ("c.flv", larger[:-20], False),
                                     ("d.flv", larger[:-4], ends), ("e.flv", larger[:len(larger) // 2], False)):
                self.write(name, data)
                with self.subTest(codec, name=name):
                    if good:
                        self.assertIn(" 8 frames", self.passes("-m", "psnr", name, name).out)
                    else:
                        self.fails(INPUT, "truncated", "-q", "-m", "psnr", name, name)
        for name, options in (("a.ivf", []), ("t.ivf", ["-vsync", "vfr", "-enc_time_base", "1/90000"]),
                              ("u.ivf", ["-vf", "setpts=N+5*gt(N\\,3)", "-vsync", "vfr"])):
            whole = self.make(name, "-c:v", "libvpx", "-g", "1", *options)
            self.passes("-q", "-m", "psnr", name, name)
            starts, stated = [32], struct.unpack_from("<I", whole, 24)[0]
            while starts[-1] < len(whole):
                starts.append(starts[-1] + 12 + struct.unpack_from("<I", whole, starts[-1])[0])
            self.assertEqual(len(starts), 9)
            for length in (stated, 8, 0, 0xffffffff): # pictures, or their time; the last two: not stated
                data = whole[:24] + struct.pack("<I", length) + whole[28:]
                for size in (*starts[2:], starts[5] + 11, starts[5] + 13):
                    self.write(name, data[:size])
                    even = name != "u.ivf" or size <= starts[4] # those behind the fourth one are later
                    known = size not in starts or (length in (stated, 8) and size < len(whole) and even)
                    with self.subTest(name, length=length, size=size):
                        self.assertEqual(self.run_assay("-q", "-m", "psnr", name, name).code, INPUT if known else PASS)

    def test_lines_of_decoders(self):
        """What a library of a decoder says of damage is in assay's line, or nowhere."""
        made = {"a.mkv": ["-c:v", "libaom-av1", "-cpu-used", "8"], "v.webm": ["-c:v", "libvpx-vp9", "-cpu-used", "8"],
                "j.mkv": ["-c:v", "jpeg2000"], "h.mkv": ["-c:v", "libx265", "-x265-params", "log-level=none"]}
        said = 0
        for name, options in made.items():
            whole = self.make(name, *options)
            for part in range(4, 20, 2): # newer decoders find fewer of them damaged
                hurt = flipped(whole, len(whole) * part // 20, 0x55)
                self.write(name, hurt)
                done = self.run_assay("-q", "-m", "psnr", name, name)
                with self.subTest(name, part=part):
                    self.assertTrue(all(line.startswith("assay: ") for line in done.err.splitlines()), done)
                    self.assertIn((done.code, done.err.count("\n")), ((INPUT, 1), (PASS, 0)))
                    said += done.code == INPUT
        self.assertGreaterEqual(said, 4)

    def playlist(self):
        self.make("q.m3u8", "-c:v", "libx264", "-g", "2", "-bf", "0", "-f", "hls", "-hls_time", "0.05",
                  "-hls_list_size", "0")
        self.assertTrue((self.dir / "q3.ts").exists())

    def test_playlists(self):
        self.playlist()
        self.write("evil.mp4", f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.2,\n{self.dir}/q0.ts\n"
                               "#EXT-X-ENDLIST\n".encode())
        self.write("list", b"ffconcat version 1.0\nfile q0.ts\nfile 'q1.ts'\n")
        for name, frames in (("q.m3u8", 8), ("evil.mp4", 2), ("list", 4)):
            with self.subTest(name):
                self.ends_soon("-q", "-m", "psnr", REF, name, says=f"{name}: is a playlist (")
                self.ends_soon("align", "-q", REF, name, says="--allow-playlist")
                done = self.passes("-m", "psnr", "--allow-playlist", name, name)
                self.assertIn(f" {frames} frames", done.out)
        for part in ("q0.ts", "q2.ts", "q3.ts"):
            os.rename(self.dir / part, self.dir / "away")
            with self.subTest(part):
                self.ends_soon("-q", "-m", "psnr", "--allow-playlist", "q.m3u8", "q.m3u8", says=f"{part}: No such file")
                done = self.passes("-m", "psnr", "--allow-playlist", "--allow-damage", "q.m3u8", "q.m3u8")
                self.assertIn(f"frames may be lost: {part}: No such file", done.out)
            os.rename(self.dir / "away", self.dir / part)

    def test_a_signal_ends_the_wait_for_a_playlist(self):
        """One without its end is read once more after its stated time."""
        self.playlist()
        text = self.read("q.m3u8").replace("#EXT-X-ENDLIST", "").replace("TARGETDURATION:0", "TARGETDURATION:7")
        self.write("live.m3u8", text.replace("TARGETDURATION:1", "TARGETDURATION:7").encode())
        result, took, _ = self.measure("-q", "-m", "psnr", "--allow-playlist", "live.m3u8", "live.m3u8", stop_after=2)
        self.assertEqual(result.code, 128 + signal.SIGTERM, result)
        self.assertLess(took, 1)

    def test_parts_count_for_a_batch(self):
        self.playlist()
        self.write("jobs.csv", b"reference,distorted,options\nq.m3u8,q.m3u8,-m psnr --allow-playlist\n")
        for says in ("1 job: 1 ok", "1 of 1 jobs is done already", "1 job: 1 ok"):
            self.assertIn(says, self.passes("batch", "jobs.csv", "--state", "s").err)
            if "already" in says:
                os.utime(self.dir / "q2.ts", (1, 1))

    def test_size_of_a_frame(self):
        """A frame of more than 2 GiB is no lack of memory."""
        data = self.make("s.ivf", "-c:v", "libvpx", "-g", "1")
        second = 44 + int.from_bytes(data[32:36], "little")
        self.write("s.ivf", data[:second] + b"\0\0\0\xf0" + data[second + 4:])
        for options in ((), ("--allow-damage",)):
            self.ends_soon("-q", "-m", "psnr", *options, "s.ivf", "s.ivf", says="a size that libav does not take")

    def test_many_tracks(self):
        def element(name, body):
            return bytes.fromhex(name) + struct.pack(">Q", len(body) | 1 << 56) + body
        tracks = b"".join(element("ae", element("d7", struct.pack(">H", n)) + element("73c5", struct.pack(">H", n)) +
                                  element("83", b"\1") + element("86", b"V_VP8") +
                                  element("e0", element("b0", b"\x10") + element("ba", b"\x10")))
                          for n in range(1, 10001))
        segment = element("1549a966", element("2ad7b1", b"\x0f\x42\x40")) + element("1654ae6b", tracks)
        segment += element("1f43b675", element("e7", b"\0") + element("a3", b"\x81\0\0\x80abc"))
        self.write("t.mkv", element("1a45dfa3", element("4282", b"matroska")) + element("18538067", segment))
        says = "t.mkv: " # has more tracks than libav reads; newer libav leaves these out, and the picture is damaged
        self.ends_soon("-q", "-m", "psnr", "t.mkv", REF, says=says)
        self.ends_soon("-q", "-m", "psnr", REF, "t.mkv", says=says)
        self.ends_soon("-q", "-m", "psnr", "t.mkv", "t.mkv", files=2, says=says)


class Signals(Measured):
    def test_while_a_text_is_read(self):
        """From a pipe whose other end is open and says no more: also before its first byte, and after a second."""
        self.write("r.json", b"{}")
        commands = (("batch", "-"), ("batch", "/dev/stdin"), ("diff", "/dev/stdin", "r.json"), ("merge", "/dev/stdin"),
                    ("report", "/dev/stdin"), ("run", "/dev/stdin"))
        waiting = []
        for start in (b"", b"reference,distorted\n{"):
            for args in commands:
                out, into = os.pipe()
                os.write(into, start)
                waiting.append((args, start, into, subprocess.Popen(
                    [PROGRAM, *args], cwd=self.dir, stdin=out, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)))
                os.close(out)
        time.sleep(1.2)
        for args, start, into, run in waiting:
            with self.subTest(args=args, start=start):
                begun = time.monotonic()
                run.send_signal(signal.SIGTERM)
                try:
                    _, err = run.communicate(timeout=200)
                finally:
                    run.kill() # what would go on
                self.assertIn(run.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM), err)
                self.assertLess(time.monotonic() - begun, 1 if not SANITIZED else 10)
            os.close(into)

    def test_while_an_image_is_decoded(self):
        """A library that decodes can't be asked to end."""
        if "webp" not in KINDS:
            self.skipTest("this build has no libwebp")
        # Lossless, 16383x16383, each code of one symbol and no bit: 268 million pixels of one colour.
        bits = 0x2f | (16382 << 8) | (16382 << 22) # signature, sides less 1
        at = 8 + 14 + 14 + 1 + 3 # no alpha, version 0
        at += 3 # no transform, no cache, no meta codes
        for symbol in (0, 0, 0, 255, 0): # green, red, blue, alpha, distance
            bits |= (1 | (symbol > 1) << 2 | symbol << 3) << at # simple, one symbol, of 8 bits or 1
            at += 3 + (8 if symbol > 1 else 1)
        body = bits.to_bytes(64, "little")
        body = b"WEBP" + b"VP8L" + struct.pack("<I", len(body)) + body
        self.write("one.webp", b"RIFF" + struct.pack("<I", len(body)) + body)
        result, took, _ = self.measure("image", "one.webp", "one.webp", stop_after=0.3, caught=True)
        self.assertEqual((result.code, result.err), (128 + signal.SIGTERM, "assay: stopped by SIGTERM\n"))
        self.assertLess(took, 1)


if __name__ == "__main__":
    main()
