# SPDX-License-Identifier: BSD-2-Clause
"""Numbered pictures as a video: which files a path stands for, and pictures that are not of one video."""
import json
import os
import subprocess
import unittest
import zlib

from command import INPUT, MISMATCH, PASS, USAGE, Case, main
from pictures import GREY, PALETTE, RGB, RGBA, chunk, pixels, png

WIDTH, HEIGHT = 40, 24


@unittest.skipUnless(os.environ.get("ASSAY_PNG"), "built without libpng")
class Numbered(Case):
    def setUp(self):
        super().setUp()
        for folder in ("r", "d"):
            (self.dir / folder).mkdir()

    def pictures(self, folder, numbers, form="x_{:04d}.png", seed=0, **how):
        for i in numbers:
            self.write(f"{folder}/{form.format(i)}", png(pixels(WIDTH, HEIGHT, seed=100 * seed + i), **how))

    def both(self, numbers=range(1, 8)):
        self.pictures("r", numbers)
        self.pictures("d", numbers, seed=1)
        return "r/x_%04d.png", "d/x_%04d.png"

    def scores(self, *args, keys=("ssimulacra2", "max_diff")):
        report = json.loads(self.passes("-q", "-m", "ssimulacra2,diff", "--precision", "max", "--json", "-", *args).out)
        return [[frame["metrics"][key] for key in keys] for frame in report["frames"]]

    def test_pairs(self):
        """Each pair has the scores of the two images, by any number of threads, also of parts."""
        ref, dis = self.both()
        each = [self.scores(f"r/x_000{i}.png", f"d/x_000{i}.png")[0] for i in range(1, 8)]
        self.assertEqual(len({str(figures) for figures in each}), 7)
        self.assertEqual(self.scores(ref, dis), each)
        self.assertEqual(self.scores(ref, dis, "--threads", "9"), each)
        self.assertEqual(self.scores(ref, dis, "--first", "2", "--frames", "3"), each[2:5])
        self.assertEqual(self.scores(ref, dis, "--every", "3"), each[::3])
        self.assertEqual(self.scores(ref, dis, "--skip-ref", "1", "--skip-dis", "1"), each[1:])
        cropped = ["--crop-ref", "16x16+8+4", "--crop-dis", "16x16+8+4"]
        self.assertEqual(self.scores(ref, dis, *cropped)[4], self.scores("r/x_0005.png", "d/x_0005.png", *cropped)[0])
        report = json.loads(self.passes("-q", "-m", "diff", ref, dis, "--json", "-").out)["assay"]
        self.assertEqual([report[f"reference_{of}"] for of in ("file", "reader", "frame_rate")], [ref, "images", "0/0"])
        self.assertEqual(report["reference_bytes"], sum(f.stat().st_size for f in (self.dir / "r").iterdir()))

    def test_alpha(self):
        for folder in "rd":
            for i in range(3):
                self.write(f"{folder}/a{i}.png", png(pixels(WIDTH, HEIGHT, RGBA, seed=i + (folder == "d")), RGBA))
        each = [self.scores(f"r/a{i}.png", f"d/a{i}.png")[0] for i in range(3)]
        self.assertEqual(self.scores("r/a%d.png", "d/a%d.png"), each)

    def test_which(self):
        """The names are those that printf writes."""
        self.pictures("r", (8, 9, 10, 11), "{:d}.png")
        self.pictures("r", (10,), "{:04d}.png", seed=9)
        self.pictures("d", (8, 9, 10, 11), "{:02d}.png")
        for name in ("7.png.bak", "x7.png", "12.PNG", "7", "-7.png", "+7.png", "7 .png"):
            self.write(f"r/{name}", b"nothing")
        self.assertEqual(self.scores("r/%d.png", "d/%02d.png", keys=["max_diff"]), [[0]] * 4)
        self.assertEqual(self.scores("r/%04d.png", "d/%02d.png", "--allow-length", "--skip-dis", "2",
                                     keys=["max_diff"])[0], self.scores("r/0010.png", "d/10.png", keys=["max_diff"])[0])
        self.fails(INPUT, "there is no such file, and none with a number in the place of '%03d'", "r/%03d.png",
                   "d/%02d.png")
        self.fails(INPUT, "no such file", "r/%d.webp", "d/%02d.png")
        self.fails(INPUT, "the folder can't be read", "none/%d.png", "d/%02d.png")
        for name in ("r/%4d.png", "r/%00d.png", "r/%0d.png", "r/%u.png", "r/%", "%d/8.png"):
            with self.subTest(name):
                self.fails(INPUT, f"{name}: can't be opened: No such file", name, "d/%02d.png")
        self.write("%d.png", png(pixels(WIDTH, HEIGHT, seed=8))) # a file of this very name
        self.assertEqual(self.scores("%d.png", "d/08.png", keys=["max_diff"]), [[0]])
        os.mkdir(self.dir / "r" / "13.png")
        self.fails(INPUT, "r/12.png is missing: there are 5 of the pictures 8 to 13", "r/%d.png", "d/%02d.png")

    def test_numbers(self):
        """A number that is missing is no end. Other first numbers are told."""
        ref, dis = self.both()
        os.rename(self.dir / "d" / "x_0007.png", self.dir / "d" / "x_0000.png")
        said = self.passes("-m", "diff", ref, dis).err
        self.assertIn("the numbers of the pictures begin at 1 against 0: they are paired in order", said)
        os.remove(self.dir / "d" / "x_0003.png")
        self.fails(INPUT, "d/x_0003.png is missing: there are 6 of the pictures 0 to 6", ref, dis)
        for i in (4, 5, 6):
            os.remove(self.dir / "d" / f"x_000{i}.png")
        self.fails(MISMATCH, "length 7 frames against 3 frames", ref, dis)
        self.assertEqual(len(self.scores("--allow-length", ref, dis)), 3)

    def refused_later(self, picture, says):
        """Frames in front of a picture are kept, and the picture is named."""
        ref, dis = self.both()
        self.write("d/x_0004.png", picture)
        said = self.run_assay("-q", "-m", "diff", ref, dis, "--json", "o.json", "--threads", "3")
        self.assertEqual(said.code, INPUT, said)
        self.assertIn(says, said.err)
        self.assertEqual(said.err.count("\n"), 1, said)
        report = json.loads(self.read("o.json"))
        self.assertEqual([report["assay"]["incomplete"], len(report["frames"])], [True, 3])
        self.assertIn(says, report["assay"]["reason"])

    def test_other_pictures(self):
        at = "frame 3: d/x_0004.png "
        rows = pixels(WIDTH, HEIGHT)
        for says, picture in (
                (at + "is 42x24 rgb24, and the first picture 40x24 rgb24", png(pixels(42, HEIGHT))),
                (at + "is 40x24 rgb48, and", png(pixels(WIDTH, HEIGHT, depth=16), depth=16)),
                (at + "is 40x24 rgb24 with alpha, and", png(pixels(WIDTH, HEIGHT, RGBA), RGBA)),
                (at + "states other colours", png(rows, before=[chunk(b"gAMA", (45455).to_bytes(4, "big"))])),
                (at + "states other colours", png(rows, before=[chunk(b"sRGB", b"\0")])),
                (at + "states other colours", png(rows, before=[chunk(b"cICP", bytes((9, 16, 0, 1)))])),
                (at + "is not as the first picture: its pixels are 0.5 times as wide as high",
                 png(rows, before=[chunk(b"pHYs", (1).to_bytes(4, "big") + (2).to_bytes(4, "big") + b"\0")])),
                ("d/x_0004.png: ends in the middle of a picture", png(rows)[:-40]), ("d/x_0004.png: is empty", b""),
                ("x_0004.png", zlib.compress(b"nothing that a picture is" * 9))):
            with self.subTest(says):
                self.refused_later(picture, says)

    def test_grey_among_colours(self):
        """Writers store pictures without colours as grey. Among RGB they are RGB; RGB among grey is refused."""
        ref, dis = self.both()
        grey = pixels(WIDTH, HEIGHT, GREY, seed=5)
        full = [[v for sample in row for v in [sample] * 3] for row in grey]
        self.write("d/x_0004.png", png(full))
        each = self.scores(ref, dis)
        self.write("d/x_0004.png", png(grey, GREY))
        self.assertEqual(self.scores(ref, dis), each)
        palette = [chunk(b"PLTE", bytes(v for i in range(256) for v in (i, i, i)))]
        self.write("d/x_0004.png", png(grey, PALETTE, before=palette))
        self.assertEqual(self.scores(ref, dis), each)
        os.remove(self.dir / "d" / "x_0004.png")
        for folder in "rd":
            self.write(f"{folder}/x_0001.png", png(grey, GREY))
            os.path.exists(self.dir / folder / "x_0004.png") or self.write(f"{folder}/x_0004.png", png(full))
        self.fails(INPUT, "x_0002.png is 40x24 rgb24, and the first picture 40x24 gray", "-q", "-m", "diff", ref, dis)

    def test_not_as_they_are_said(self):
        ref, dis = self.both()
        raw = ("-w", WIDTH, "-h", HEIGHT, "-p", "yuv420p")
        self.fails(INPUT, "numbered files are images, which have headers", *raw, "--ref-format", "raw", ref, dis)
        self.fails(USAGE, "both inputs have headers", *raw, ref, dis)
        self.fails(USAGE, "cvvdp needs the frame rate", "-m", "cvvdp", ref, dis)
        self.passes("-q", "-m", "cvvdp=fps=25", ref, dis)
        self.fails(USAGE, "defined on luma", "-m", "vmaf", ref, dis)
        self.passes("-q", "-m", "psnr", "--matrix", "bt709", ref, dis)
        self.fails(USAGE, "is one of the inputs and would be overwritten", "-m", "diff", "--force", "--json",
                   "./d/x_0002.png", ref, dis)

    def test_written_to(self):
        """A folder that a program still writes to. The reference comes through a pipe. What is put into it first is
        more than its 1 MiB and the 64 KiB of the stream's buffer: once that is there, frames are read, so both inputs
        are open."""
        side, count, first = 256, 22, 20
        grey = pixels(side, side, GREY)
        picture, frame = png(grey, GREY), b"FRAME\n" + b"".join(map(bytes, grey))
        head = f"YUV4MPEG2 W{side} H{side} F25:1 Ip A1:1 Cmono XCOLORRANGE=FULL\n".encode()
        changed = b"d/x_%d.png: changed while it was read"
        for what, options, expected in (("none", [], PASS), ("more", [], INPUT), ("again", [], INPUT),
                                        ("more", ["--allow-damage"], PASS)):
            for i in range(count):
                self.write(f"d/x_{i}.png", picture)
                os.utime(self.dir / f"d/x_{i}.png", (1, 1)) # long ago
            args = [os.environ["ASSAY"], "-m", "diff", "--json", "out.json", "--force", *options, "-", "d/x_%d.png"]
            program = subprocess.Popen(args, cwd=self.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            program.stdin.write(head + first * frame)
            program.stdin.flush()
            if what == "more":
                self.write(f"d/x_{count}.png", picture)
            elif what == "again": # with the bytes that it has
                os.utime(self.dir / "d/x_0.png", (2, 1))
                self.write("d/x_0.png", picture)
            text, err = program.communicate((count - first) * frame)
            (self.dir / f"d/x_{count}.png").unlink(missing_ok=True)
            with self.subTest(what, options=options):
                self.assertEqual(program.returncode, expected, (text, err))
                self.assertEqual(changed in (text if options else err), what != "none", (text, err))
                self.assertIs(json.loads(self.read("out.json"))["assay"]["incomplete"], expected == INPUT)

    def test_no_rate(self):
        ref, dis = self.both()
        self.fails(USAGE, "needs the times of the pictures", "-m", "diff", "--pair", "time", ref, dis)
        self.fails(USAGE, "frame rate", "-m", "diff", "--first", "0.1s", ref, dis)

    def test_many_digits(self):
        for folder in "rd":
            self.pictures(folder, (9999, 10000), "{:04d}.png")
        self.assertEqual(len(self.scores("r/%04d.png", "d/%04d.png")), 2)

    def test_elsewhere(self):
        """Ladders, aligning, a look at files, lists of jobs."""
        ref, dis = self.both()
        table = self.passes("-m", "ssimulacra2", ref, dis, "r/x_%04d.png").out
        self.assertIn("100", table)
        self.assertIn("7 and 7 frames", self.run_assay("align", ref, dis).out)
        self.assertIn("frames              7", self.passes("probe", ref).out)
        self.write("jobs.csv", f"reference,distorted,metric,json\n{ref},{dis},diff,o.json\n".encode())
        self.passes("batch", "-q", "jobs.csv", "--summary", "s.csv")
        first = self.read("o.json")
        self.write("d/x_0005.png", png(pixels(WIDTH, HEIGHT, seed=77))) # changed since: done anew
        self.passes("batch", "-q", "jobs.csv", "--summary", "s.csv")
        self.assertNotEqual(self.read("o.json"), first)
        os.remove(self.dir / "d" / "x_0005.png")
        said = self.run_assay("batch", "-q", "jobs.csv", "--summary", "s.csv")
        self.assertNotEqual(said.code, PASS)


if __name__ == "__main__":
    main()
