# SPDX-License-Identifier: BSD-2-Clause
"""Containers and images through the command. Needs a build with libav, and the ffmpeg program to make the files."""
import json
import os
import shutil
import subprocess
import unittest

from command import DIS, INPUT, MISMATCH, PROGRAM, REF, USAGE, Case, frame, main

HAVE = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")


@unittest.skipUnless(HAVE, "this build has no libav, or there is no ffmpeg program")
class Libav(Case):
    def ffmpeg(self, *args):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, args)], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)

    def frames(self, *args):
        report = json.loads(self.passes("-q", "-m", "psnr=enable_mse=true", "--precision", "max", "--json", "-",
                                        *args).out)
        return report["frames"], report["assay"]

    def test_lossless_containers_score_as_the_y4m_does(self):
        expected, _ = self.frames(REF, DIS)
        for name, codec in (("a.mkv", ["ffv1"]), ("a.avi", ["rawvideo"]), ("a.mp4", ["libx264", "-qp", "0"])):
            with self.subTest(name=name):
                self.ffmpeg("-i", DIS, "-c:v", *codec, name)
                scored, block = self.frames(REF, name)
                self.assertEqual(scored, expected)
                self.assertEqual(block["distorted_reader"], "libav")
                self.assertTrue(block["distorted_decoder"])

    def test_cut_in_an_open_group(self):
        """The first pictures that are shown need some in front of the cut, which is no damage of the file's bytes."""
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=80x64:rate=25", "-frames:v", 100, "-c:v", "libx264", "-g", 24,
                    "-bf", 3, "-x264-params", "open-gop=1:scenecut=0", "-threads", 1, "a.ts")
        self.ffmpeg("-ss", "1.2", "-i", "a.ts", "-c", "copy", "b.ts")
        said = "b.ts: frame 0: is damaged, or needs pictures that the stream does not hold (it may be cut in an open"
        self.refuses(INPUT, said, "-q", "-m", "psnr", "b.ts", "b.ts")
        self.passes("-q", "--allow-damage", "-m", "psnr", "b.ts", "b.ts")

    def test_progress_knows_the_total(self):
        for name, codec in (("a.mkv", "ffv1"), ("a.mp4", "mpeg4")):
            self.ffmpeg("-i", DIS, "-c:v", codec, name)
            result = self.passes("-m", "psnr", "--progress", name, name)
            self.assertRegex(result.err, r"(?m)^assay: 1/8 frames +12 %  [0-9.]+ frames/s  [0-9:]+ left$", name)

    def test_loaded_only_for_files_that_need_it(self):
        """Without the libraries Y4M is scored as ever, and other files are refused with the library's name."""
        self.ffmpeg("-i", DIS, "-c:v", "ffv1", "a.mkv")
        expected, block = self.frames(REF, "a.mkv")
        self.assertIn("libavcodec", block["libraries"])
        folder = self.dir / "lib"
        folder.mkdir()
        # The libraries of every version that a build may look for: FFmpeg 5 to 12.
        for library, first in (("avutil", 57), ("avcodec", 59), ("avformat", 59)):
            for number in range(first, first + 8):
                (folder / f"lib{library}.so.{number}").write_text("no library")
        without = {"LD_LIBRARY_PATH": str(folder)}
        done = self.passes("-q", "-m", "psnr=enable_mse=true", "--precision", "max", "--json", "-", REF, DIS,
                           env=without)
        self.assertEqual(json.loads(done.out)["frames"], expected)
        self.assertNotIn("libraries", json.loads(done.out)["assay"])
        self.refuses(INPUT, ["a.mkv", "libavformat.so.", "install FFmpeg "], REF, "a.mkv", env=without)

    def test_standard_input(self):
        self.ffmpeg("-i", DIS, "-c:v", "ffv1", "a.mkv")
        expected, _ = self.frames(REF, "a.mkv")
        with open(self.dir / "a.mkv", "rb") as stream:
            done = self.passes("-q", "-m", "psnr=enable_mse=true", "--precision", "max", "--json", "-", REF, "-",
                               stdin=stream)
        self.assertEqual(json.loads(done.out)["frames"], expected)

    def test_alpha_beside_pictures(self):
        """WebM has alpha in data of its own beside VP8 and VP9, which libav's decoders pass over."""
        for codec in ("libvpx", "libvpx-vp9"):
            for pixels, expected in (("yuva420p", 1), ("yuv420p", 0)):
                with self.subTest(codec=codec, pixels=pixels):
                    self.ffmpeg("-i", REF, "-pix_fmt", pixels, "-c:v", codec, "-auto-alt-ref", "0", "a.webm")
                    told = self.passes("-m", "psnr", REF, "a.webm").err
                    self.assertEqual(told.count("a.webm: alpha is dropped"), expected, told)

    def test_images(self):
        self.ffmpeg("-i", REF, "-frames:v", "1", "a.png")
        self.ffmpeg("-i", DIS, "-frames:v", "1", "b.png")
        scored, _ = self.frames("a.png", "b.png")
        self.assertEqual(list(scored[0]["metrics"]), ["psnr_r", "psnr_g", "psnr_b", "mse_r", "mse_g", "mse_b"])

    def test_rgb_and_luma(self):
        self.ffmpeg("-i", REF, "-frames:v", "1", "a.png")
        self.ffmpeg("-i", DIS, "-frames:v", "1", "b.png")
        self.fails(USAGE, ["float_psnr", "RGB", "--matrix"], "-m", "float_psnr", "a.png", "b.png")
        values = set()
        for matrix in ("bt709", "bt601"):
            for size in ("full", "limited"):
                done = self.passes("-q", "-m", "float_psnr,float_moment", "--matrix", matrix, "--range", size, "--json",
                                   "-",
                                   "a.png", "b.png")
                report = json.loads(done.out)
                self.assertEqual(report["assay"]["rgb_to_luma"], f"{matrix} {size}")
                values.add(report["frames"][0]["metrics"]["float_moment_ref1st"])
        self.assertEqual(len(values), 4)
        self.fails(USAGE, "bt2020", "-m", "float_psnr", "--matrix", "bt2020", "a.png", "b.png")
        self.refuses(USAGE, "--range", "-m", "float_psnr", "--matrix", "bt709", "--range", "wide", "a.png", "b.png")

    def test_h264_without_chroma(self):
        """libav's pictures of it are 4:2:0 with chroma of 128, which the stream does not have."""
        self.ffmpeg("-i", DIS, "-pix_fmt", "gray", "gray.y4m")
        expected, _ = self.frames("gray.y4m", "gray.y4m")
        for name in ("gray.mp4", "gray.ts", "gray.h264"):
            with self.subTest(name=name):
                self.ffmpeg("-i", "gray.y4m", "-c:v", "libx264", "-qp", "0", name)
                self.assertEqual([f["metrics"] for f in self.frames("gray.y4m", name)[0]],
                                 [f["metrics"] for f in expected])
                probe = json.loads(self.passes("probe", "--json", "-", name).out)["files"][0]
                self.assertEqual((probe["format"], probe["chroma_location"]), ("gray8", "unknown"))
                self.refuses(MISMATCH, "pixel format yuv420p against gray8", "-q", "-m", "psnr", REF, name)

    def test_repacked_formats_hold_the_same_samples(self):
        self.ffmpeg("-i", DIS, "-c:v", "ffv1", "a.mkv")
        expected, _ = self.frames(REF, "a.mkv")
        self.ffmpeg("-i", DIS, "-pix_fmt", "nv12", "-c:v", "rawvideo", "b.avi")
        self.assertEqual(self.frames(REF, "b.avi")[0], expected)

    def test_refused_by_name(self):
        for name, pixel_format, codec in (("a.mkv", "pal8", "png"), ("b.mkv", "yuv440p", "ffv1"),
                                          ("c.mkv", "yuv410p", "ffv1")):
            self.ffmpeg("-i", DIS, "-frames:v", "1", "-pix_fmt", pixel_format, "-c:v", codec, name)
            with self.subTest(pixel_format=pixel_format):
                self.refuses(INPUT, [name, "refused"], name, name)

    def test_rgb_against_yuv(self):
        self.ffmpeg("-i", REF, "-frames:v", "1", "a.png")
        self.fails(MISMATCH, "", "a.png", DIS)

    def test_full_range_of_jpeg(self):
        self.ffmpeg("-i", REF, "-frames:v", "1", "-q:v", "2", "-c:v", "mjpeg", "a.mkv")
        self.fails(MISMATCH, "--allow-range", "-m", "psnr", "--frames", "1", "--allow-rate", "--allow-sar", REF,
                   "a.mkv")

    def test_damaged_file(self):
        self.ffmpeg("-i", DIS, "-c:v", "libx264", "-g", "1", "a.mkv")
        data = bytearray((self.dir / "a.mkv").read_bytes())
        for i in range(len(data) // 2, len(data) // 2 + 400):
            data[i] ^= 0x5a
        self.write("b.mkv", bytes(data))
        result = self.run_assay("-m", "psnr", REF, "b.mkv")
        self.assertEqual(result.code, INPUT, result)
        self.assertIn("b.mkv", result.err)

    def test_not_a_video(self):
        self.write("a.mkv", frame(50, 50))
        self.refuses(INPUT, "a.mkv", "a.mkv", DIS)
        self.write("b.txt", b"just some words\n" * 50)
        self.refuses(INPUT, "b.txt", REF, "b.txt")


if __name__ == "__main__":
    main()
