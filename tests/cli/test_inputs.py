# SPDX-License-Identifier: BSD-2-Clause
"""What is read, and what is refused, file by file: Y4M, raw, standard input, pipes."""
import json
import os
import subprocess
import threading

from command import INPUT, PROGRAM, USAGE, Case, frame, main, y4m


class Inputs(Case):
    def scores(self, *args, **how):
        self.passes("-m", "psnr=enable_mse=true,float_moment", "-q", "--json", "out.json", *args, **how)
        return json.loads(self.read("out.json"))

    def test_every_chroma_format_and_depth(self):
        for chroma in ("420", "422", "444", "mono"):
            for depth in (8, 9, 10, 12, 14, 16):
                with self.subTest(chroma=chroma, depth=depth):
                    ref, dis = self.pair(chroma=chroma, depth=depth, frames=2, width=17, height=9)
                    report = self.scores(ref, dis)
                    keys = report["frames"][0]["metrics"].keys()
                    self.assertEqual("psnr_cb" in keys, chroma != "mono")
                    self.assertGreater(report["frames"][1]["metrics"]["mse_y"], 0)
        ref, dis = self.pair(chroma="411", width=17, height=9)
        self.assertIn("psnr_cr", self.scores(ref, dis)["frames"][0]["metrics"])

    def test_mse_is_that_of_the_samples(self):
        for depth in (8, 10, 16):
            with self.subTest(depth=depth):
                ref, dis = self.pair(depth=depth, frames=1, width=33, height=21)
                wide, n = (2 if depth > 8 else 1), 33 * 21
                a, b = frame(33, 21, depth=depth), frame(33, 21, depth=depth, noise=3)
                luma = [[int.from_bytes(p[i * wide:i * wide + wide], "little") for i in range(n)] for p in (a, b)]
                expected = sum((x - y) ** 2 for x, y in zip(*luma)) / n
                self.passes("-m", "psnr=enable_mse=true", "-q", "--precision", "max", "--json", "out.json", ref, dis)
                self.assertEqual(json.loads(self.read("out.json"))["frames"][0]["metrics"]["mse_y"], expected)

    def test_sizes_from_one_by_one(self):
        for width, height in ((1, 1), (1, 40), (40, 1), (2, 3), (7, 5), (65, 17)):
            with self.subTest(size=(width, height)):
                ref, dis = self.pair(width=width, height=height, frames=1)
                self.assertEqual(len(self.scores(ref, dis)["frames"]), 1)

    def test_raw(self):
        for layout, chroma in (("420", "420"), ("422", "422"), ("444", "444"), ("400", "mono"), ("411", "411")):
            for depth in (8, 10, 16):
                with self.subTest(layout=layout, depth=depth):
                    data = {name: [frame(19, 11, chroma, depth, i, noise) for i in range(3)]
                            for name, noise in (("a.yuv", 0), ("b.yuv", 2))}
                    for name, frames in data.items():
                        self.write(name, b"".join(frames))
                    raw = self.scores("a.yuv", "b.yuv", "-w", "19", "-h", "11", "-p", layout, "-b", depth)
                    if chroma != "411" or depth == 8:
                        ref, dis = self.pair(width=19, height=11, chroma=chroma, depth=depth, noise=2)
                        coded = self.scores(ref, dis)
                        for report in (raw, coded): # raw video has no rate, so its frames have no times
                            report["frames"] = [f["metrics"] for f in report["frames"]]
                        self.assertEqual(raw["frames"], coded["frames"])

    def test_raw_of_a_broken_length(self):
        self.write("a.yuv", frame(16, 16) * 2)
        self.write("b.yuv", frame(16, 16) * 2 + b"\0")
        self.refuses(INPUT, ["b.yuv", "whole number"], "a.yuv", "b.yuv", "-w", "16", "-h", "16", "-p", "420", "-b", "8")
        self.write("c.yuv", b"")
        self.refuses(INPUT, "c.yuv", "c.yuv", "a.yuv", "-w", "16", "-h", "16", "-p", "420", "-b", "8")

    def test_samples_above_the_stated_depth(self):
        self.write("a.yuv", frame(16, 16, depth=10))
        self.write("b.yuv", b"\xff" * len(frame(16, 16, depth=10)))
        self.fails(INPUT, ["b.yuv", "frame 0"], "-m", "psnr", "a.yuv", "b.yuv", "-w", "16", "-h", "16", "-p", "420",
                   "-b", "10")

    def test_missing_files_and_folders(self):
        ref, dis = self.pair()
        self.refuses(INPUT, "nowhere.y4m", "nowhere.y4m", dis)
        self.refuses(INPUT, "nowhere.y4m", ref, "nowhere.y4m")
        (self.dir / "folder").mkdir()
        self.refuses(USAGE, "assay image", "folder", dis)
        self.write("empty.y4m", b"")
        self.refuses(INPUT, "empty.y4m", ref, "empty.y4m")

    def test_lying_headers(self):
        _, dis = self.pair()
        for head in ("W0 H24", "W-32 H24", "W32", "H24", "W32 H24 W32", "W65536 H24", "W32 H99999999999", "W32 H24 F25",
                     "W32 H24 Ix", "W32 H24 C410", "W32 H24 C420p17", "W32 H24 C420p8", "W32 H24 C999", "W3x H24"):
            with self.subTest(head=head):
                name = self.write("lie.y4m", f"YUV4MPEG2 {head}\nFRAME\n".encode() + bytes(4000))
                self.refuses(INPUT, "lie.y4m", name, dis)
        self.write("huge.y4m", b"YUV4MPEG2 W65535 H65535 C444p16\nFRAME\n" + bytes(100))
        self.refuses(INPUT, ["huge.y4m", "truncated"], "huge.y4m", dis)
        self.write("long.y4m", b"YUV4MPEG2 W32 H24 X" + b"a" * 100000)
        self.refuses(INPUT, "long.y4m", "long.y4m", dis)
        self.write("head.y4m", b"YUV4MPEG2 W32 H24\n")
        self.refuses(INPUT, ["head.y4m", "no pictures"], "head.y4m", dis)

    def test_truncation_keeps_what_was_scored(self):
        ref, dis = self.pair(frames=5)
        whole = (self.dir / dis).read_bytes()
        self.write(dis, whole[:-10])
        for metric in ("vif", "motion"): # which read no chroma, and motion nothing of this side
            self.fails(INPUT, [dis, "frame 4", "truncated"], "-m", metric, ref, dis)
        result = self.fails(INPUT, [dis, "frame 4", "truncated"], "-m", "psnr", "--json", "out.json", ref, dis)
        self.assertIn("incomplete", result.out)
        report = json.loads(self.read("out.json"))
        self.assertEqual(len(report["frames"]), 4)
        self.assertTrue(report["assay"]["incomplete"])
        self.assertIn("frame 4", report["assay"]["reason"])

    def test_damaged_frame_line(self):
        ref, dis = self.pair(frames=3)
        data = (self.dir / dis).read_bytes()
        cut = data.rindex(b"FRAME")
        self.write(dis, data[:cut] + b"FLAME" + data[cut + 5:])
        self.fails(INPUT, [dis, "frame 2"], "-m", "psnr", ref, dis)

    def test_frame_parameters_and_unknown_tags(self):
        ref, dis = self.pair(frames=2)
        plain = self.scores(ref, dis)["frames"]
        data = (self.dir / ref).read_bytes().replace(b"FRAME\n", b"FRAME Ip Xany=thing\n")
        self.write(ref, data.replace(b"YUV4MPEG2 ", b"YUV4MPEG2 Xfoo=bar "))
        self.assertEqual(self.scores(ref, dis)["frames"], plain)

    def test_alpha_is_dropped_with_a_notice(self):
        def with_alpha(noise, alpha):
            luma = frame(16, 8, "444", 8, 0, noise)
            return b"YUV4MPEG2 W16 H8 F25:1 C444alpha\nFRAME\n" + luma + bytes([alpha]) * 128
        self.write("a.y4m", with_alpha(0, 0))
        self.write("b.y4m", with_alpha(0, 255))
        result = self.passes("-m", "psnr=enable_mse=true", "--json", "out.json", "a.y4m", "b.y4m")
        self.assertIn("alpha is dropped", result.err)
        self.assertEqual(json.loads(self.read("out.json"))["frames"][0]["metrics"]["mse_y"], 0)
        self.assertEqual(self.passes("-q", "-m", "psnr", "a.y4m", "b.y4m").err, "")

    def test_standard_input(self):
        ref, dis = self.pair()
        plain = self.scores(ref, dis)
        for side in (0, 1):
            files = [ref, dis]
            name, files[side] = files[side], "-"
            with open(self.dir / name, "rb") as stream:
                self.assertEqual(self.scores(*files, stdin=stream)["frames"], plain["frames"])
            pipe = subprocess.run([PROGRAM, "-m", "psnr=enable_mse=true,float_moment", "-q", "--json", "-", *files],
                                  input=(self.dir / name).read_bytes(), capture_output=True, cwd=self.dir, check=True)
            self.assertEqual(json.loads(pipe.stdout)["frames"], plain["frames"])
        raw = subprocess.run([PROGRAM, "-q", "-m", "psnr", "-w", "32", "-h", "24", "-p", "420", "-b", "8", "-",
                              "b.yuv"],
                             input=frame(32, 24) * 2 + b"x", capture_output=True, cwd=self.dir, check=False)
        self.assertEqual(raw.returncode, INPUT)
        self.write("b.yuv", frame(32, 24) * 2)
        raw = subprocess.run([PROGRAM, "-q", "-m", "psnr", "-w", "32", "-h", "24", "-p", "420", "-b", "8", "-",
                              "b.yuv"],
                             input=frame(32, 24) * 2 + b"x", capture_output=True, cwd=self.dir, check=False)
        self.assertEqual(raw.returncode, INPUT, raw.stderr)
        self.assertIn(b"frame 2", raw.stderr)

    def test_named_pipe_written_in_small_pieces(self):
        ref, dis = self.pair()
        plain = self.scores(ref, dis)
        fifo = self.dir / "fifo"
        os.mkfifo(fifo)
        data = (self.dir / dis).read_bytes()

        def feed():
            with open(fifo, "wb", buffering=0) as out:
                for at in range(0, len(data), 97):
                    out.write(data[at:at + 97])
        feeder = threading.Thread(target=feed)
        feeder.start()
        report = self.scores(ref, "fifo")
        feeder.join()
        self.assertEqual(report["frames"], plain["frames"])

    def test_the_same_file_twice(self):
        ref, _ = self.pair()
        report = self.scores(ref, ref)
        self.assertEqual({f["metrics"]["mse_y"] for f in report["frames"]}, {0})
        self.assertEqual(report["pooled_metrics"]["psnr_y"]["min"], 60)

    def test_names_that_steer_a_terminal(self):
        name = "\x1b[31mred.y4m"
        self.write(name, b"not a video")
        result = self.fails(INPUT, "", name, name)
        self.assertNotIn("\x1b", result.err)


if __name__ == "__main__":
    main()
