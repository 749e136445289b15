# SPDX-License-Identifier: BSD-2-Clause
"""The notice where the black borders of the two sides differ."""
import json
import os
import random
import shutil
import subprocess
import unittest

from command import Case, main, sizes
from pictures import RGB, pixels, png

HAVE = shutil.which("ffmpeg")
LIBAV = os.environ.get("ASSAY_LIBAV") == "1"
WIDTH, HEIGHT = 96, 64


def picture(borders=(0, 0, 0, 0), depth=8, chroma="420", level=100, noise=0, seed=0, black=16, spread=60,
            size=(WIDTH, HEIGHT)):
    """Samples around `level`, and borders (top, bottom, left, right) of black with +-`noise`."""
    dice, out = random.Random(seed), bytearray()
    top, bottom, left, right = borders
    for plane, (w, h) in enumerate(sizes(*size, chroma)):
        for y in range(h):
            for x in range(w):
                if plane:
                    v = 128
                elif y < top or y >= h - bottom or x < left or x >= w - right:
                    v = black + (dice.randint(-noise, noise) if noise else 0)
                else:
                    v = level + dice.randint(-spread, spread)
                out += (min(max(v, 0), 255) << depth - 8).to_bytes(1 if depth == 8 else 2, "little")
    return bytes(out)


class Borders(Case):
    def y4m(self, name, pictures, depth=8, chroma="420", tags="", size=(WIDTH, HEIGHT)):
        tag = chroma + (f"p{depth}" if depth > 8 and chroma != "mono" else str(depth) if depth > 8 else "")
        return self.write(name, b"YUV4MPEG2 W%d H%d F25:1 A1:1 C%s%s\n" % (*size, tag.encode(), tags.encode()) +
                          b"".join(b"FRAME\n" + p for p in pictures))

    def side(self, name, *args, frames=3, depth=8, chroma="420", tags="", size=(WIDTH, HEIGHT), **how):
        return self.y4m(name, [picture(*args, depth=depth, chroma=chroma, seed=i, size=size, **how)
                               for i in range(frames)], depth, chroma, tags, size)

    def notice(self, *args):
        """The line, or None."""
        lines = [line for line in self.passes("-m", "psnr", "--no-progress", *args).err.splitlines()
                 if "black borders" in line]
        self.assertLessEqual(len(lines), 1)
        return lines[0] if lines else None

    def test_kinds(self):
        for borders, says in (((8, 8, 0, 0), "top 8, bottom 8"), ((0, 0, 12, 12), "left 12, right 12"),
                              ((6, 0, 0, 0), "top 6"), ((0, 10, 0, 0), "bottom 10"), ((0, 0, 2, 0), "left 2"),
                              ((0, 0, 0, 4), "right 4"), ((6, 8, 10, 12), "top 6, bottom 8, left 10, right 12"),
                              ((7, 9, 0, 0), "top 7, bottom 9")):
            with self.subTest(borders=borders):
                top, bottom, left, right = borders
                with_, without = self.side("with.y4m", borders), self.side("without.y4m", noise=2)
                crop = f"{WIDTH - (left + right) // 2 * 2}x{HEIGHT - top // 2 * 2 - bottom // 2 * 2}" \
                       f"+{left // 2 * 2}+{top // 2 * 2}"
                self.assertEqual(self.notice(with_, without),
                                 f"assay: black borders differ: with.y4m has {says}, without.y4m has none; "
                                 f"without them: --crop-ref {crop}")
                self.assertEqual(self.notice(without, with_),
                                 f"assay: black borders differ: without.y4m has none, with.y4m has {says}; "
                                 f"without them: --crop-dis {crop}")
                self.assertIsNone(self.notice(with_, with_))

    def test_black_of_the_full_range(self):
        """It is 0 there; codes that are black in the limited range are a dark picture."""
        for tags, black, told in ((" XCOLORRANGE=FULL", 16, False), (" XCOLORRANGE=FULL", 0, True),
                                  (" XCOLORRANGE=LIMITED", 16, True)):
            with self.subTest(tags=tags, black=black):
                line = self.notice(self.side("a.y4m", (8, 0, 0, 0), tags=tags, black=black),
                                   self.side("b.y4m", tags=tags))
                self.assertEqual(line is not None, told, line)

    def test_a_row_more_is_no_difference(self):
        self.assertIsNone(self.notice(self.side("a.y4m", (8, 8, 4, 4)), self.side("b.y4m", (9, 7, 3, 5))))
        self.assertIn("c.y4m has top 8, bottom 8, d.y4m has top 10, bottom 6; without them: --crop-ref 96x48+0+8 "
                      "--crop-dis 96x48+0+10",
                      self.notice(self.side("c.y4m", (8, 8, 0, 0)), self.side("d.y4m", (10, 6, 0, 0))))

    def test_smeared_blocks(self):
        """A border of the distorted side that ends inside a block of the reference's may be a coder's work."""
        size = (WIDTH, 120)
        ref = self.side("ref.y4m", (42, 0, 0, 0), size=size)
        for top, told in ((28, False), (40, False), (44, True), (27, True), (20, True), (0, True)):
            with self.subTest(top=top):
                line = self.notice(ref, self.side("dis.y4m", (top, 0, 0, 0), size=size))
                self.assertEqual(line is not None, told, line)

    @unittest.skipUnless(HAVE and LIBAV, "there is no ffmpeg program, or no libav")
    def test_low_rates(self):
        """The border's last rows are not black any more."""
        size = (320, 240)
        self.side("whole.y4m", (26, 26, 0, 0), size=size, frames=2, spread=90, level=140)
        for codec in (["libx264", "-preset", "ultrafast", "-crf", "51"], ["mpeg2video", "-q:v", "31"]):
            self.ffmpeg("-i", "whole.y4m", "-c:v", *codec, "a.mkv")
            self.assertIsNone(self.notice("whole.y4m", "a.mkv"))

    def test_noise_in_borders(self):
        for noise in (2, 5, 9):
            with self.subTest(noise=noise):
                a, b = self.side("a.y4m", (8, 8, 6, 0), noise=noise), self.side("b.y4m", (8, 8, 6, 0))
                self.assertIsNone(self.notice(a, b))
                self.assertIsNone(self.notice(b, a))
                self.assertIn("a.y4m has top 8, bottom 8, left 6,", self.notice(a, self.side("c.y4m")))

    def test_depths_layouts_ranges(self):
        for depth, chroma, tags, black in ((8, "444", "", 16), (10, "420", "", 16), (12, "444", "", 16),
                                           (16, "420", "", 16), (8, "mono", "", 16), (8, "422", "", 16),
                                           (8, "420", " XCOLORRANGE=FULL", 0), (10, "422", " XCOLORRANGE=FULL", 0)):
            with self.subTest(depth=depth, chroma=chroma, black=black):
                how = {"depth": depth, "chroma": chroma, "tags": tags}
                a, b = self.side("a.y4m", (8, 6, 0, 0), black=black, **how), self.side("b.y4m", **how)
                self.assertIn("a.y4m has top 8, bottom 6, b.y4m has none", self.notice(a, b))
                self.assertIsNone(self.notice(a, a))

    def test_dark_scenes(self):
        """Pictures that are nearly black, coded a little brighter on one side, make no border."""
        for level, other, spread in ((17, 19, 1), (17, 24, 2), (18, 21, 3), (16, 16, 0), (20, 30, 4)):
            with self.subTest(level=level, other=other):
                self.assertIsNone(self.notice(self.side("a.y4m", level=level, spread=spread),
                                              self.side("b.y4m", level=other, spread=spread)))
        for name, sky in (("a.y4m", 17), ("b.y4m", 24)):
            self.y4m(name, [bytes([sky]) * (WIDTH * HEIGHT // 2) + bytes([120]) * (WIDTH * HEIGHT // 2) +
                            bytes([128]) * (WIDTH * HEIGHT // 2)])
        self.assertIsNone(self.notice("a.y4m", "b.y4m"))

    def test_fades(self):
        """A fade that begins at two levels, and a lead-in that is black on one side alone."""
        def fade(levels):
            return [picture(level=v, spread=min(60, (v - 16) // 2), seed=i) for i, v in enumerate(levels)]
        a, b = self.y4m("a.y4m", fade([16, 16, 18, 30, 60, 100, 100, 100])), \
            self.y4m("b.y4m", fade([16, 16, 20, 34, 64, 100, 100, 100]))
        self.assertIsNone(self.notice(a, b))
        self.y4m("d.y4m", fade([100] * 8))
        self.assertIsNone(self.notice(self.y4m("c.y4m", fade([16] * 4 + [100] * 4)), "d.y4m"))
        self.assertIsNone(self.notice(self.y4m("c.y4m", fade([16] * 8)), "d.y4m"))
        # a border that is seen behind the black lead-in
        behind = [picture(level=16, spread=0)] * 5 + [picture((8, 8, 0, 0), seed=i) for i in range(5)]
        whole = [picture(level=16, spread=0)] * 5 + [picture(seed=i) for i in range(5)]
        self.assertIn("top 8, bottom 8", self.notice(self.y4m("e.y4m", behind), self.y4m("f.y4m", whole)))

    def test_a_border_stays(self):
        """Rows that are black in some pictures alone are none."""
        some = [picture((8, 8, 0, 0) if i % 4 else (0, 0, 0, 0), seed=i) for i in range(8)]
        self.assertIsNone(self.notice(self.y4m("a.y4m", some), self.side("b.y4m", frames=8)))

    def test_other_options(self):
        a, b = self.side("a.y4m", (8, 8, 0, 0), frames=6), self.side("b.y4m", frames=6)
        for more in (["--every", "2"], ["--first", "2"], ["--skip-ref", "1", "--skip-dis", "1"], ["--frames", "1"],
                     ["--first", "1", "--frames", "2", "--shard", "a.part"], ["--threads", "2"]):
            with self.subTest(more=more):
                self.assertIn("--crop-ref 96x48+0+8", self.notice(*more, a, b))
        self.assertEqual(self.passes("-q", "-m", "psnr", a, b).err, "")
        self.passes("-q", "-m", "psnr", "--json", "a.json", a, b)
        self.assertIn("black borders differ", json.loads(self.read("a.json"))["assay"]["notices"])
        crop = ["--crop-ref", "96x48+0+8", "--crop-dis", "96x48+0+8"]
        self.assertIsNone(self.notice(*crop, a, b))
        self.assertIn("--crop-ref 96x48+0+8", self.notice("--crop-ref", "96x60+0+2", "--crop-dis", "96x60+0+2", a, b))
        done = self.run_assay("vmaf", "-r", a, "-d", b, "--feature", "psnr", "-n")
        self.assertIn("black borders differ: a.y4m has top 8, bottom 8, b.y4m has none\n", done.err)

    def test_scaled(self):
        """Borders of two sizes of one picture."""
        a = self.side("a.y4m", (8, 8, 0, 0))
        same = self.side("b.y4m", (16, 16, 0, 0), size=(2 * WIDTH, 2 * HEIGHT))
        other = self.side("c.y4m", (24, 16, 0, 0), size=(2 * WIDTH, 2 * HEIGHT))
        self.assertIsNone(self.notice("--scale", "bicubic", a, same))
        self.assertIn("c.y4m has top 24, bottom 16; without them: --crop-ref 96x48+0+8 --crop-dis 192x88+0+24",
                      self.notice("--scale", "bicubic", a, other))

    def test_images(self):
        """RGB: black is black in all three."""
        rows = [[v + 20 if v < 200 else v for v in row] for row in pixels(48, 40, RGB)]
        self.write("a.png", png([[0] * 144] * 6 + rows[6:], RGB))
        self.write("b.png", png(rows, RGB))
        self.assertIn("a.png has top 6, b.png has none; without them: --crop-ref 48x34+0+6",
                      self.notice("a.png", "b.png"))
        blue = [[v if i % 3 == 2 else 0 for i, v in enumerate(row)] for row in rows[:6]]
        self.write("c.png", png(blue + rows[6:], RGB))
        self.assertIsNone(self.notice("c.png", "b.png"))

    def test_scores_are_the_same(self):
        a, b = self.side("a.y4m", (8, 8, 0, 0)), self.side("b.y4m")
        loud = self.passes("-m", "psnr", "--json", "-", "--reproducible", a, b).out
        self.assertEqual(loud, self.passes("-q", "-m", "psnr", "--json", "-", "--reproducible", a, b).out)

    @unittest.skipUnless(HAVE and LIBAV, "there is no ffmpeg program, or no libav")
    def test_coded(self):
        """Borders of an encode, with a coder's ringing at their ends."""
        size = (320, 240)
        self.side("whole.y4m", size=size, frames=2, spread=90)
        for pad, crop in ((30, "320x180+0+30"), (33, "320x176+0+32")):
            how = f"crop=320:{240 - 2 * pad}:0:{pad}:exact=1,pad=320:240:0:{pad}:black"
            self.ffmpeg("-i", "whole.y4m", "-vf", f"format=yuv444p,{how},format=yuv420p", "boxed.y4m")
            self.ffmpeg("-i", "boxed.y4m", "-c:v", "libx264", "-crf", "38", "boxed.mkv")
            self.ffmpeg("-i", "whole.y4m", "-c:v", "libx264", "-crf", "30", "whole.mkv")
            self.assertIsNone(self.notice("boxed.y4m", "boxed.mkv"))
            self.assertIsNone(self.notice("whole.y4m", "whole.mkv"))
            line = self.notice("boxed.y4m", "whole.mkv")
            self.assertIn(f"boxed.y4m has top {pad}, bottom {pad}, whole.mkv has none", line)
            self.assertIn("black borders differ: whole.y4m has none, boxed.mkv has top",
                          self.notice("whole.y4m", "boxed.mkv"))

    def ffmpeg(self, *args):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *args], cwd=self.dir, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
