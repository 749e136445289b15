# SPDX-License-Identifier: BSD-2-Clause
"""--hwdec: files decoded on the device. libav's own CUDA hwaccels run on stand-ins for NVIDIA's libraries: the driver
of tests/cuda, and a decoder that hands out pictures which ffmpeg decoded before. What they can't show is NVDEC itself:
test_hwdec_device.py does, on a machine that has it."""
import json
import os
import random
import shutil
import struct
import subprocess
import unittest

from command import DEVICE, INPUT, USAGE, Case, main, y4m

METRICS = "psnr=enable_mse=true,float_ssim,motion"
ENCODERS = subprocess.run(["ffmpeg", "-v", "error", "-encoders"], capture_output=True, text=True,
                          check=False).stdout if shutil.which("ffmpeg") else ""


@unittest.skipUnless("libx264" in ENCODERS and "libx265" in ENCODERS,
                     "there is no ffmpeg program with libx264 and libx265")
class Hwdec(Case):
    width, height, count = 100, 70, 4

    def setUp(self):
        super().setUp()
        lib = self.dir / "lib"
        lib.mkdir()
        (lib / "libcuda.so.1").symlink_to(os.environ["FAKE_CUDA"])
        (lib / "libnvcuvid.so.1").symlink_to(os.environ["FAKE_NVCUVID_LIBRARY"])
        self.env = {"LD_LIBRARY_PATH": str(lib), "FAKE_NVCUVID": str(self.dir / "raw%d"),
                    "FAKE_NVCUVID_SIZE": f"{self.width}x{self.height}"}

    def ffmpeg(self, *args):
        return subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, args)], cwd=self.dir, check=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE).stdout

    def encode(self, name, number, pixel_format="yuv420p", codec="libx264", noise=0, **how):
        """A file in the order of decoding, and beside it what decoder `number` hands out for it."""
        raw = self.write("in.y4m", y4m(self.width, self.height, self.count, noise=noise, **how))
        extra = {"libx264": ["-bf", "0", "-qp", "18"], "libx265": ["-x265-params", "bframes=0:qp=18:log-level=error"]}
        self.ffmpeg("-i", raw, "-pix_fmt", pixel_format, "-c:v", codec, *extra.get(codec, []), name)
        self.lay_out(name, number, "yuv420p" if pixel_format == "gray" else pixel_format)
        return name

    def lay_out(self, name, number, pixel_format):
        data = self.ffmpeg("-i", name, "-f", "rawvideo", "-pix_fmt", pixel_format, "-")
        wide, full = "10le" in pixel_format, "444" in pixel_format
        samples = list(struct.unpack(f"<{len(data) // 2}H", data)) if wide else list(data)
        luma = self.width * self.height
        chroma = luma if full else (self.width + 1) // 2 * ((self.height + 1) // 2)
        out = []
        for at in range(0, len(samples), luma + 2 * chroma):
            cb, cr = at + luma, at + luma + chroma
            out += samples[at:at + luma]
            if full:
                out += samples[cb:cr + chroma]
            else:
                for i in range(chroma):
                    out += (samples[cb + i], samples[cr + i])
        self.write(f"raw{number}", struct.pack(f"<{len(out)}H", *(v << 6 for v in out)) if wide else bytes(out))

    def scores(self, *args, env=None, says=()):
        done = self.passes("--no-progress", "-m", METRICS, "--precision", "max", "--json", "out.json", *args,
                           env=env or {})
        for text in says:
            self.assertIn(text, done.err)
        report = json.loads(self.read("out.json"))
        return report["frames"], report["assay"], done

    def on_device(self, *args, says=(), env=None):
        hwdec = () if "--hwdec" in args else ("--hwdec", "auto")
        return self.scores("--backend", "cuda", *hwdec, *args, env={**self.env, **(env or {})}, says=says)

    def expect_device(self, ref, dis, surface):
        expected, block, done = self.scores(ref, dis)
        self.assertNotIn("distorted_decoding", block)
        self.assertNotIn("decoded on", done.err)
        for wish in ("cuda", "auto"):
            got, block, done = self.on_device("--hwdec", wish, ref, dis,
                                              says=[f"assay: {dis}: decoded on the device ({surface})"])
            self.assertEqual(got, expected)
            self.assertEqual(block["distorted_decoding"], f"decoded on the device ({surface})")
            self.assertIn("on the device", block["distorted_decoder"])
            self.assertEqual(block["backend"], "cuda")
        self.assertEqual(len(expected), self.count)
        return expected

    def test_nv12(self):
        expected = self.expect_device(self.encode("a.mp4", 0), self.encode("b.mp4", 1, noise=4), "nv12")
        # off, which is the default: the same through the host, and nothing is said
        for args in (["--hwdec", "off"], []):
            got, block, done = self.scores("--backend", "cuda", *args, "a.mp4", "b.mp4", env=self.env)
            self.assertEqual(got, expected)
            self.assertNotIn("distorted_decoding", block)
            self.assertNotIn("decoded on", done.err)

    def test_p010(self):
        self.expect_device(self.encode("a.mp4", 0, "yuv420p10le", "libx265", depth=10),
                           self.encode("b.mp4", 1, "yuv420p10le", "libx265", depth=10, noise=9), "p010le")

    def test_444(self):
        self.expect_device(self.encode("a.mp4", 0, "yuv444p", "libx265", chroma="444"),
                           self.encode("b.mp4", 1, "yuv444p", "libx265", chroma="444", noise=4), "yuv444p")

    def test_444_of_10_bits(self):
        self.expect_device(self.encode("a.mp4", 0, "yuv444p10le", "libx265", chroma="444", depth=10),
                           self.encode("b.mp4", 1, "yuv444p10le", "libx265", chroma="444", depth=10, noise=9),
                           "yuv444p16le")

    def test_another_size(self):
        """The side on the device is scaled there, or the other one is."""
        reference = self.write("large.y4m", y4m(150, 105, self.count))
        self.encode("b.mp4", 0, noise=4)
        for how in (["--scale", "bicubic"], ["--scale", "lanczos", "--scale-ref"],
                    ["--scale", "spline", "--scale-to", "90x120"]):
            expected, _, _ = self.scores(*how, reference, "b.mp4")
            got, block, _ = self.on_device(*how, reference, "b.mp4", says=["b.mp4: decoded on the device"])
            self.assertEqual(got, expected)
            self.assertEqual(block["scale_filter"], how[1])

    def test_a_part(self):
        """A part of a side's pictures is read where the decoder has left them."""
        for pixels, coder, depth, chroma in (("yuv420p", "libx264", 8, "420"), ("yuv420p10le", "libx265", 10, "420"),
                                             ("yuv444p", "libx265", 8, "444")):
            self.encode("a.mp4", 0, pixels, coder, depth=depth, chroma=chroma)
            self.encode("b.mp4", 1, pixels, coder, depth=depth, chroma=chroma, noise=5 << depth - 8)
            for how in (["--crop-ref", "60x44+10+6", "--crop-dis", "60x44+10+6"],
                        ["--crop-ref", f"{self.width - 4}x{self.height - 2}+4+2", "--crop-dis", "40x30+2+8",
                         "--scale", "bicubic"]):
                with self.subTest(pixels=pixels, how=how):
                    if chroma == "444" and "--scale" not in how:
                        how = [v.replace("60x44+10+6", "59x43+11+7") for v in how]
                    expected, _, _ = self.scores(*how, "a.mp4", "b.mp4")
                    got, block, _ = self.on_device(*how, "a.mp4", "b.mp4", says=["b.mp4: decoded on the device"])
                    self.assertEqual(got, expected)
                    self.assertEqual(block["distorted_crop"], how[3])
        # The whole pictures have other scores, so a part that is left out of account would be seen.
        whole, _, _ = self.scores("a.mp4", "b.mp4")
        self.assertNotEqual(whole, self.scores("--crop-ref", "60x44+10+6", "--crop-dis", "60x44+10+6", "a.mp4",
                                               "b.mp4")[0])

    def test_a_part_of_one_side(self):
        """Beside a side that is uploaded; and of one that has to be converted, so that it is decoded anew on the
        CPU."""
        self.encode("b.mp4", 0, noise=4)
        small = self.write("small.y4m", y4m(60, 44, self.count))
        expected, _, _ = self.scores("--crop-dis", "60x44+10+6", small, "b.mp4")
        got, block, _ = self.on_device("--hwdec", "cuda", "--crop-dis", "60x44+10+6", small, "b.mp4",
                                       says=["b.mp4: decoded on the device (nv12)"])
        self.assertEqual(got, expected)
        self.assertEqual((block["distorted_crop"], block["distorted_size"]),
                         ("60x44+10+6", f"{self.width}x{self.height}"))
        self.falls_back(["differ in size"], small, "b.mp4", args=["--allow-size", "--crop-dis", "64x46+10+6"])

    def test_one_of_the_two(self):
        """The other one is a Y4M file, or a codec that the device doesn't know: it is uploaded."""
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.expect_device(reference, self.encode("b.mp4", 0, noise=4), "nv12")
        self.ffmpeg("-i", reference, "-c:v", "ffv1", "a.mkv")
        expected, _, _ = self.scores("a.mkv", "b.mp4")
        got, block, _ = self.on_device("a.mkv", "b.mp4",
                                       says=["a.mkv: decoded on the CPU: this libavcodec has no CUDA decoder",
                                                               "b.mp4: decoded on the device"])
        self.assertEqual(got, expected)
        self.assertIn("ffv1", block["reference_decoding"])
        self.refuses(DEVICE, ["a.mkv", "--hwdec cuda is not possible", "ffv1"], "--backend", "cuda", "--hwdec", "cuda",
                     "a.mkv",
                     "b.mp4", env=self.env)

    def test_frames_are_left_out(self):
        self.encode("a.mp4", 0)
        self.encode("b.mp4", 1, noise=4)
        for args in (["--every", "2"], ["--first", "1", "--frames", "2"], ["--skip-ref", "1", "--skip-dis", "1"]):
            with self.subTest(args=args):
                self.assertEqual(self.on_device(*args, "a.mp4", "b.mp4", says=["on the device"])[0],
                                 self.scores(*args, "a.mp4", "b.mp4")[0])

    def falls_back(self, says, ref, dis, env=None, **how):
        """With auto it is said and the scores are the same; by name it is an error."""
        env = {**self.env, **(env or {})}
        how.setdefault("args", [])
        expected, _, _ = self.scores(*how["args"], ref, dis)
        got, block, done = self.on_device(*how["args"], ref, dis, env=env)
        self.assertEqual(got, expected)
        for text in says:
            self.assertIn(text, done.err)
            self.assertIn(text, block["distorted_decoding"])
        self.assertIn(f"{dis}: decoded on the CPU: ", done.err)
        self.fails(DEVICE, ["--hwdec cuda is not possible", *says], "-q", "--backend", "cuda", "--hwdec", "cuda",
                   *how["args"], ref,
                   dis, env=env)

    def test_no_decoder(self):
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.mp4", 0, noise=4)
        self.falls_back(["the device refuses"], reference, "b.mp4", {"FAKE_NVCUVID_FAIL": "caps"})
        self.falls_back(["the device refuses"], reference, "b.mp4", {"FAKE_NVCUVID_FAIL": "create"})
        self.falls_back(["the device refuses"], reference, "b.mp4", {"FAKE_NVCUVID_FAIL": "decode:0"})
        (self.dir / "lib" / "libnvcuvid.so.1").unlink()
        (self.dir / "lib" / "libnvcuvid.so.1").write_text("no library")
        self.falls_back(["the device refuses: Cannot load libnvcuvid.so.1"], reference, "b.mp4")

    def test_no_chroma(self):
        """NVDEC takes H.264 without chroma for such with chroma. The parameters stand in the container or in packets,
        which may be later ones."""
        reference = self.write("a.y4m", y4m(self.width, self.height, 2 * self.count, chroma="mono"))
        gray = "it reads H.264 without chroma"
        for name in ("gray.mp4", "gray.h264"):
            self.encode(name, 0, "gray", noise=4)
            self.falls_back([f"the device refuses: {gray}"], reference, name, args=["--allow-length"])
        coloured = (self.dir / self.encode("coloured.h264", 0)).read_bytes()
        self.write("both.h264", coloured + (self.dir / "gray.h264").read_bytes())
        reference = self.write("b.y4m", y4m(self.width, self.height, 2 * self.count))
        self.fails(DEVICE, [gray, "--hwdec off decodes it"], "-q", "--backend", "cuda", "--hwdec", "cuda", reference,
                   "both.h264", env=self.env)

    def test_reason_is_the_devices(self):
        """And not what the container had to say before."""
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.ffmpeg("-i", reference, "-f", "lavfi", "-i", "anullsrc", "-shortest", "-c:v", "libx264", "-c:a", "aac",
                    "b.mp4")
        data = (self.dir / "b.mp4").read_bytes()
        at = data.rindex(b"stsc") # of the sound: the demuxer complains and goes on without it
        self.write("c.mp4", data[:at] + b"none" + data[at + 4:])
        (self.dir / "lib" / "libcuda.so.1").unlink()
        (self.dir / "lib" / "libcuda.so.1").write_text("no library")
        result = self.fails(DEVICE, "no driver", "-m", "psnr", "--backend", "cuda", "--hwdec", "auto", reference,
                            "c.mp4", env=self.env)
        self.assertIn("c.mp4: decoded on the CPU: the device refuses: ", result.err)
        self.assertNotIn("broken header", result.err)

    def test_what_can_not_be_scored_where_it_is(self):
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.mpg", 0, codec="mpeg2video")
        self.falls_back(["decoders of mpeg2video differ"], reference, "b.mpg")
        reference = self.write("c.y4m", y4m(self.width, self.height, self.count, chroma="422"))
        self.ffmpeg("-i", reference, "-c:v", "libx264", "-bf", "0", "d.mp4")
        self.falls_back(["yuv422p as nv12, which can't be scored"], reference, "d.mp4")

    def test_converted_pairs(self):
        self.encode("b.mp4", 0, noise=4)
        larger = self.write("a.y4m", y4m(self.width, self.height - 2, self.count))
        self.falls_back(["differ in size"], larger, "b.mp4", args=["--allow-size"])

    def test_several_devices(self):
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.mp4", 0, noise=4)
        got, block, done = self.on_device("--device", "all", reference, "b.mp4",
                                          says=["b.mp4: decoded on the CPU: ", "several devices"])
        self.assertNotIn("decoded on the device", done.err)
        self.assertIn("several devices", block["distorted_decoding"])
        self.assertEqual(got, self.scores(reference, "b.mp4")[0])
        self.refuses(DEVICE, "several devices", "--backend", "cuda", "--device", "all", "--hwdec", "cuda", reference,
                     "b.mp4",
                     env=self.env)
        self.on_device("--device", "beta", reference, "b.mp4", says=["on the device"])
        self.on_device("--device", "all", reference, "b.mp4", says=["on the device"], env={"FAKE_CUDA_DEVICES": "1"})

    def test_no_such_device(self):
        """The same words, whether anything is to be decoded or not."""
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.mp4", 0, noise=4)
        for device in ("9", "gamma", "9,0"):
            for hwdec in ("off", "auto", "cuda"):
                for distorted in (reference, "b.mp4"):
                    self.refuses(DEVICE, f"CUDA: no device '{device.split(',')[0]}': 0 is '", "-m", "psnr", "--backend",
                                 "cuda",
                                 "--device", device, "--hwdec", hwdec, reference, distorted, env=self.env)

    def test_pipe(self):
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.mkv", 0, noise=4)
        expected, _, _ = self.scores(reference, "b.mkv")
        for wish, says in (("auto", "can't be read again"), ("cuda", "decoded on the device")):
            cat = subprocess.Popen(["cat", "b.mkv"], cwd=self.dir, stdout=subprocess.PIPE)
            with cat, cat.stdout:
                done = self.passes("--no-progress", "-m", METRICS, "--precision", "max", "--json", "out.json",
                                   "--backend", "cuda",
                                   "--hwdec", wish, reference, "-", env=self.env, stdin=cat.stdout)
            self.assertIn(says, done.err)
            self.assertEqual(json.loads(self.read("out.json"))["frames"], expected)

    def test_file_on_standard_input(self):
        """It can't be opened again at its start, as a pair that is converted would need."""
        smaller = self.write("a.y4m", y4m(self.width, self.height - 2, self.count))
        self.encode("b.mkv", 0, noise=4)
        expected, _, _ = self.scores("--allow-size", smaller, "b.mkv")
        with open(self.dir / "b.mkv", "rb") as data:
            done = self.passes("--no-progress", "-m", METRICS, "--precision", "max", "--json", "out.json", "--backend",
                               "cuda", "--hwdec",
                               "auto", "--allow-size", smaller, "-", env=self.env, stdin=data)
        self.assertIn("stdin: decoded on the CPU", done.err)
        self.assertEqual(json.loads(self.read("out.json"))["frames"], expected)
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        expected, _, _ = self.scores(reference, "b.mkv")
        with open(self.dir / "b.mkv", "rb") as data:
            done = self.passes("--no-progress", "-m", METRICS, "--precision", "max", "--json", "out.json", "--backend",
                               "cuda", "--hwdec",
                               "cuda", reference, "-", env=self.env, stdin=data)
        self.assertIn("stdin: decoded on the device", done.err)
        self.assertEqual(json.loads(self.read("out.json"))["frames"], expected)

    def test_device_lost(self):
        """Frames before it are scored; the message says what to do."""
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.mp4", 0, noise=4)
        for where in ("decode:2", "map:2"):
            with self.subTest(where=where):
                result = self.run_assay("--no-progress", "-m", "psnr", "--json", "out.json", "--backend", "cuda",
                                        "--hwdec", "auto",
                                        reference, "b.mp4", env={**self.env, "FAKE_NVCUVID_FAIL": where})
                self.assertEqual(result.code, DEVICE, result)
                self.assertIn("b.mp4: frame 2: the device can't decode what follows, --hwdec off",
                              result.err.splitlines()[-1])
                report = json.loads(self.read("out.json"))
                self.assertEqual(len(report["frames"]), 2)

    def piped(self, name, code, says, *args, env=None):
        """What `fails` does, with a file through a pipe as the distorted one."""
        cat = subprocess.Popen(["cat", name], cwd=self.dir, stdout=subprocess.PIPE)
        with cat, cat.stdout:
            hwdec = () if "--hwdec" in args else ("--hwdec", "cuda")
            return self.fails(code, says, "-q", "-m", "psnr", "--allow-rate", "--backend", "cuda", *hwdec,
                              *args, "-",
                              env={**self.env, **(env or {})}, stdin=cat.stdout)

    def test_whose_fault_it_is_through_a_pipe(self):
        """Nothing can be read again to find out."""
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.h264", 0, noise=4)
        for what in ("caps", "create", "decode:0", "map:0"):
            with self.subTest(what=what):
                self.piped("b.h264", DEVICE, "stdin: --hwdec cuda is not possible: the device refuses", reference,
                           env={"FAKE_NVCUVID_FAIL": what})
        (self.dir / "lib" / "libcuda.so.1").rename(self.dir / "cuda")
        (self.dir / "lib" / "libcuda.so.1").write_text("no library")
        self.piped("b.h264", DEVICE, "cuda", reference)
        (self.dir / "cuda").rename(self.dir / "lib" / "libcuda.so.1")
        data = (self.dir / "b.h264").read_bytes()
        first = data.index(b"\0\0\1\x65") # the first picture's header
        self.write("c.h264", data[:first + 4] + b"\xff" * 40 + data[first + 44:])
        for args in ([], ["--hwdec", "off"]):
            self.piped("c.h264", INPUT, "stdin: frame 0", *args, reference)

    def test_reads_that_fail(self):
        """A file that can't be read is no fault of the device, however early that is."""
        width, height, count = 320, 240, 12
        dice = random.Random(1)
        pictures = [dice.randbytes(width * height * 3 // 2) for _ in range(count)]
        reference = self.write("a.y4m", f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420\n".encode()
                               + b"".join(b"FRAME\n" + p for p in pictures))
        # Larger than what is read ahead, and pictures of which the first one comes after several packets.
        self.ffmpeg("-i", reference, "-c:v", "libx264", "-qp", "1", "-bf", "8", "-b_strategy", "0", "-x264-params",
                    "b-pyramid=normal:ref=8", "b.mp4")
        self.write("raw0", b"".join(pictures))
        args = ["-q", "-m", "psnr", "--backend", "cuda", "--hwdec", "auto", reference, "b.mp4"]
        env = {**os.environ, **self.env, "FAKE_NVCUVID_SIZE": f"{width}x{height}"}
        self.passes(*args, env=env) # the device's self-test is done and kept
        file = set()
        for n in range(1, 45):
            done = subprocess.run([os.environ["ASSAY_FAULTY"], *args], cwd=self.dir,
                                  env={**env, "ASSAY_FAULT": f"read:{n}"},
                                  capture_output=True, text=True, check=False, timeout=1200)
            self.assertIn(done.returncode, (0, INPUT), f"read {n}: {done}")
            if done.returncode:
                file.add(done.stderr.split(":")[1])
        self.assertEqual(file, {" a.y4m", " b.mp4"})

    def test_format_changes(self):
        """4:2:2 follows 4:2:0 in one stream."""
        self.encode("a.h264", 0)
        self.ffmpeg("-i", "in.y4m", "-pix_fmt", "yuv422p", "-c:v", "libx264", "-bf", "0", "b.h264")
        shutil.copy(self.dir / "raw0", self.dir / "raw1") # the second sequence has a decoder of its own
        both = self.write("c.h264", (self.dir / "a.h264").read_bytes() + (self.dir / "b.h264").read_bytes())
        reference = self.write("r.y4m", y4m(self.width, self.height, 2 * self.count))
        for hwdec in ("off", "auto"):
            self.fails(INPUT, ["c.h264: frame 4", "pixel format changes from yuv420p to yuv422p"], "-q", "-m", "psnr",
                       "--allow-rate",
                       "--backend", "cuda", "--hwdec", hwdec, reference, both, env=self.env)

    def test_damaged_file_is_the_files_fault(self):
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.mp4", 0, noise=4)
        data = bytearray((self.dir / "b.mp4").read_bytes())
        self.write("c.mp4", bytes(data[:200]))
        self.fails(INPUT, "c.mp4", "-q", "--backend", "cuda", "--hwdec", "cuda", reference, "c.mp4", env=self.env)

    def test_damage_is_seen_unless_the_device_decodes(self):
        """Inside a picture's coded samples only who decodes them can see it. The stand-in, which does not look, shows
        what would be scored if that were not said."""
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        self.encode("b.mp4", 0, noise=4)
        data = (self.dir / "b.mp4").read_bytes()
        end = data.index(b"moov") - 4 # of the last picture
        damaged = self.write("c.mp4", data[:end - 1200] + b"\xaa" * 600 + data[end - 600:])
        for args in ([], ["--backend", "cuda"], ["--backend", "cuda", "--hwdec", "off"]):
            self.fails(INPUT, "c.mp4: frame 3: ", "-q", "-m", "psnr", *args, reference, damaged, env=self.env)
        self.assertEqual(len(self.on_device(reference, damaged, says=["decoded on the device"])[0]), self.count)

    def test_named_without_sense(self):
        self.encode("b.mp4", 0, noise=4)
        pair = self.pair(width=self.width, height=self.height, frames=self.count)
        self.refuses(DEVICE, "neither of the two", "--backend", "cuda", "--hwdec", "cuda", *pair, env=self.env)
        self.refuses(DEVICE, "--backend cuda", "--hwdec", "cuda", pair[0], "b.mp4", env=self.env)
        self.refuses(DEVICE, "--backend cuda", "--hwdec", "cuda", "--backend", "auto", pair[0], "b.mp4", env=self.env)
        self.refuses(USAGE, "--hwdec takes off, auto, cuda", "--hwdec", "nvdec", pair[0], "b.mp4")
        self.refuses(USAGE, "--hwdec", "parity", "--hwdec", "off", pair[0], "b.mp4")
        self.assertIn("b.mp4: decoded on the CPU: it needs --backend cuda",
                      self.scores("--hwdec", "auto", pair[0], "b.mp4")[2].err)
        self.assertNotIn("decoded", self.scores("--hwdec", "auto", *pair)[2].err)

    def test_no_driver(self):
        """The backend can't run either, and that is the error."""
        self.encode("b.mp4", 0, noise=4)
        reference = self.write("a.y4m", y4m(self.width, self.height, self.count))
        (self.dir / "lib" / "libcuda.so.1").unlink()
        (self.dir / "lib" / "libcuda.so.1").write_text("no library")
        self.refuses(DEVICE, "no driver", "-m", "psnr", "--backend", "cuda", reference, "b.mp4", env=self.env)


if __name__ == "__main__":
    main()
