# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of two sizes. Where the ffmpeg program is there, scaled pictures are compared with those of its scale
filter, sample by sample."""
import json
import os
import random
import shutil
import subprocess
import unittest

from command import MISMATCH, USAGE, Case, main, y4m

HAVE = shutil.which("ffmpeg")
FILTERS = ("bicubic", "lanczos", "bilinear", "spline")
# Y4M's chroma, its depth, ffmpeg's name.
FORMATS = [("420", 8, "yuv420p"), ("422", 8, "yuv422p"), ("444", 8, "yuv444p"), ("mono", 8, "gray"),
           ("411", 8, "yuv411p"), ("420", 10, "yuv420p10le"), ("422", 10, "yuv422p10le"), ("444", 12, "yuv444p12le"),
           ("420", 16, "yuv420p16le"), ("444", 16, "yuv444p16le"), ("420", 12, "yuv420p12le"),
           ("mono", 10, "gray10le")]


class Scale(Case):
    def report(self, *args, **more):
        return json.loads(self.passes("-q", "--precision", "max", "--json", "-", *args, **more).out)

    def frames(self, *args):
        return [f["metrics"] for f in self.report(*args)["frames"]]

    def small(self, name="small.y4m", width=32, height=24, **more):
        return self.write(name, y4m(width, height, noise=6, **more))

    def large(self, name="large.y4m", width=48, height=36, **more):
        return self.write(name, y4m(width, height, **more))

    def ffmpeg(self, *args):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *args], cwd=self.dir, check=True, stdin=subprocess.DEVNULL)

    def test_refused_unless_asked(self):
        ref, dis = self.large(), self.small()
        self.refuses(MISMATCH, ["48x36 against 32x24", "--scale bicubic"], "-m", "psnr", ref, dis)
        other = self.small("other.y4m", 44, 24)
        self.refuses(MISMATCH, ["--scale bicubic", "--allow-size"], "-m", "psnr", ref, other)

    def test_usage(self):
        ref, dis = self.large(), self.small()
        for args, why in ((["--scale", "cubic"], "bicubic, lanczos, bilinear, spline"),
                          (["--scale-to", "64x64"], "--scale-to needs --scale"),
                          (["--scale-ref"], "--scale-ref needs --scale"),
                          (["--scale-siting", "tag"], "--scale-siting needs --scale"),
                          (["--scale", "bicubic", "--scale-to", "64"], "WxH"),
                          (["--scale", "bicubic", "--scale-to", "0x9"], "1 to 65535"),
                          (["--scale", "bicubic", "--scale-siting", "left"], "centre, tag"),
                          (["--scale", "bicubic", "--scale-to", "64x64", "--scale-ref"], "two sizes"),
                          (["--scale", "bicubic", "--allow-size"], "contradict"),
                          (["--scale", "bicubic", "--scale-to", "9000x9"], "too large")):
            with self.subTest(args=args):
                self.refuses(USAGE, why, "-m", "psnr", *args, ref, dis)
        self.refuses(USAGE, "--scale takes bicubic, lanczos, bilinear, spline, not 'cubic'", "--scale=cubic", ref, dis)

    def test_what_cannot_be_scaled(self):
        self.write("rgb.raw", bytes(3 * 16 * 8 * 2))
        self.write("deep.raw", bytes(2 * 16 * 8 * 2))
        for args, why in ((["-p", "gbrp", "-b", "8", "rgb.raw"], "RGB can't be scaled"),
                          (["-p", "400", "-b", "11", "deep.raw"], "11 bits can't be scaled")):
            path = args.pop()
            self.refuses(USAGE, why, "-m", "psnr", "--scale", "bicubic", "--scale-to", "20x9", "-w", "16", "-h", "8",
                         *args, path, path)
        self.refuses(MISMATCH, "turn it back first", "-m", "psnr", "--scale", "bicubic", self.large(),
                     self.small(width=36, height=48))
        self.fails(USAGE, "lanczos can't scale 600 samples to 9", "-m", "psnr", "--scale", "lanczos",
                   self.small("a.y4m", 9, 8), self.small("b.y4m", 600, 8))

    def test_the_report(self):
        ref, dis = self.large(), self.small()
        done = self.passes("-m", "psnr", "--scale", "lanczos", "--scale-siting", "tag", "--no-progress", "--xml",
                           "a.xml", "--json", "a.json", ref, dis)
        self.assertIn("small.y4m (scaled) against large.y4m, lanczos", done.out)
        self.assertIn("the distorted, 32x24, is scaled to 48x36: lanczos, chroma as tagged", done.err)
        block = json.loads(self.read("a.json"))["assay"]
        self.assertEqual((block["width"], block["height"]), (48, 36))
        self.assertEqual({k: v for k, v in block.items() if "scale" in k},
                         {"distorted_scaled": "32x24 to 48x36", "scale_filter": "lanczos", "scale_siting": "tag"})
        self.assertEqual(block["distorted_size"], "32x24")
        self.assertIn('name="distorted_scaled" value="32x24 to 48x36"', self.read("a.xml"))
        both = self.report("-m", "psnr", "--scale", "bilinear", "--scale-to", "40x30", ref, dis)["assay"]
        self.assertEqual([both["reference_scaled"], both["distorted_scaled"]], ["48x36 to 40x30", "32x24 to 40x30"])
        self.assertEqual((both["width"], both["scale_siting"]), (40, "centre"))
        other = self.report("-m", "psnr", "--scale", "bilinear", "--scale-ref", ref, dis)["assay"]
        self.assertEqual((other["reference_scaled"], other["width"]), ("48x36 to 32x24", 32))

    def test_equal_sizes_are_not_scaled(self):
        ref, dis = self.pair()
        block = self.report("-m", "psnr", "--scale", "bicubic", ref, dis)
        self.assertNotIn("scale_filter", block["assay"])
        self.assertEqual([f["metrics"] for f in block["frames"]], self.frames("-m", "psnr", ref, dis))

    def test_shapes(self):
        ref = self.large()
        done = self.passes("-m", "psnr", "--scale", "bicubic", "--no-progress", ref, self.small(width=32, height=36))
        self.assertIn("scaling stretches one", done.err)
        wide = self.small("wide.y4m", 24, 36)
        data = (self.dir / wide).read_bytes().replace(b"A1:1", b"A2:1", 1)
        self.write(wide, data)
        done = self.passes("-m", "psnr", "--scale", "bicubic", "--no-progress", ref, wide)
        self.assertNotIn("stretches", done.err)
        self.assertNotIn("aspect", done.err)
        refused = self.refuses(MISMATCH, "--scale bicubic brings it to the reference's size)", "-m", "psnr", ref, wide)
        self.assertNotIn("--allow-sar", refused.err) # scaling gives both one shape of samples

    def test_machine_options_change_nothing(self):
        ref, dis = self.large(width=96, height=200, frames=5), self.small(width=64, height=134, frames=5)
        for scale in (["bicubic"], ["lanczos", "--scale-ref"], ["spline", "--scale-to", "30x500"]):
            how = ["-m", "psnr,float_ssim,motion,ssimulacra2,diff", "--scale", *scale]
            expected = self.frames(*how, ref, dis)
            for more in (["--threads", "3"], ["--strip", "8"], ["--strip", "32", "--threads", "2"],
                         ["--tile", "16x4"], ["--in-flight", "3"], ["--cpu", "scalar", "--strip", "16"]):
                with self.subTest(scale=scale, more=more):
                    self.assertEqual(self.frames(*how, *more, ref, dis), expected)
            self.assertEqual(self.frames(*how, "--every", "2", ref, dis)[1]["psnr_y"], expected[2]["psnr_y"])
            self.assertEqual(self.frames(*how, "--first", "3", ref, dis)[0]["psnr_y"], expected[3]["psnr_y"])

    def test_parts(self):
        ref, dis = self.large(frames=5), self.small(frames=5)
        self.parts_join(["-m", "psnr,motion", "--scale", "bicubic"], ["-m", "psnr,motion", "--scale", "lanczos"], ref,
                        dis)

    def test_depths_and_layouts(self):
        """The distorted side is brought to the common form first."""
        ref = self.large(depth=10)
        dis, deep = self.small(), self.dir / "deep.y4m"
        data = (self.dir / dis).read_bytes().replace(b"C420 ", b"C420p10 ", 1).replace(b"C420\n", b"C420p10\n", 1)
        head, *pictures = data.split(b"FRAME\n")
        deep.write_bytes(head + b"".join(b"FRAME\n" + b"".join((v << 2).to_bytes(2, "little") for v in p)
                                         for p in pictures))
        how = ["-m", "psnr,diff", "--scale", "bicubic"]
        self.refuses(MISMATCH, "--allow-depth", *how, ref, dis)
        self.assertEqual(self.frames(*how, "--allow-depth", ref, dis), self.frames(*how, ref, "deep.y4m"))
        grey = self.write("grey.y4m", y4m(48, 36, chroma="mono"))
        whole = self.frames(*how, self.large("all.y4m"), dis)
        luma = self.frames(*how, "--allow-format", grey, dis)
        self.assertEqual([f["psnr_y"] for f in luma], [f["psnr_y"] for f in whole])

    def test_raw_beside_a_file(self):
        ref = self.large(frames=1)
        raw = y4m(32, 24, frames=1, noise=6)
        self.write("small.raw", raw[raw.index(b"FRAME\n") + 6:])
        how = ["-m", "psnr", "--scale", "bicubic"]
        self.assertEqual(self.frames(*how, "-w", "32", "-h", "24", "-p", "420", "-b", "8", ref, "small.raw"),
                         self.frames(*how, ref, self.small(frames=1)))

    def test_parity(self):
        backends = "cpu:scalar,cpu" + (",vulkan,opengl" if os.environ.get("ASSAY_VULKAN") else "")
        for depth in (8, 10, 16):
            for width in (32, 90):
                ref, dis = self.large(depth=depth, frames=1), self.small(width=width, depth=depth, frames=1)
                self.passes("parity", "-q", "-m", "psnr,diff", "--scale", "lanczos", "--backends", backends, ref, dis)

    @unittest.skipUnless(HAVE, "there is no ffmpeg program")
    def test_ffmpeg(self):
        """Frames of noise, at sizes up and down, odd and even."""
        dice = random.Random(5)
        for number in range(48):
            chroma, depth, pixels = FORMATS[number % len(FORMATS)]
            name = FILTERS[number // len(FORMATS)]
            most = 40 if depth > 8 else 120
            sizes = [dice.randint(2, most) for _ in range(4)]
            if sizes[:2] in (sizes[2:], sizes[:1:-1]):
                sizes[0] += 3
            with self.subTest(format=pixels, filter=name, sizes=sizes):
                self.write("a.y4m", y4m(*sizes[:2], frames=1, chroma=chroma, depth=depth, noise=90 << depth - 8))
                self.write("a.raw", samples_of(self.dir / "a.y4m"))
                self.ffmpeg("-f", "rawvideo", "-pix_fmt", pixels, "-s", f"{sizes[0]}x{sizes[1]}", "-i", "a.raw", "-vf",
                            f"scale={sizes[2]}:{sizes[3]}:flags={name}+accurate_rnd+bitexact", "-pix_fmt", pixels,
                            "-f", "rawvideo", "b.raw")
                self.write("b.y4m", y4m(*sizes[2:], frames=0, chroma=chroma, depth=depth) + b"FRAME\n" +
                           (self.dir / "b.raw").read_bytes())
                self.equal(name, "b.y4m", "a.y4m")
                broken = bytearray((self.dir / "b.y4m").read_bytes())
                broken[-1 if depth == 8 else -2] ^= 1
                self.write("c.y4m", bytes(broken))
                scores = self.frames("-m", "diff", "--scale", name, "c.y4m", "a.y4m")
                self.assertEqual(scores[0]["max_diff"], 1)

    def equal(self, name, ref, dis, *more):
        """Whether scaling makes the samples of the reference."""
        scores = self.frames("-m", "diff", "--scale", name, *more, ref, dis)
        self.assertEqual([f["diff_pixels"] for f in scores], [0] * len(scores))

    @unittest.skipUnless(HAVE, "there is no ffmpeg program")
    def test_siting(self):
        """By tags: of the reference, of the distorted side, and what ffmpeg has to be told."""
        raw = samples_of(self.dir / self.small("noise.y4m", 60, 40, frames=1))
        self.write("a.raw", raw)
        for own, other, siting, before, behind in (
                ("420mpeg2", "420mpeg2", "tag", "0", "0"), ("420jpeg", "420mpeg2", "tag", "-513", "0"),
                ("420mpeg2", "420jpeg", "tag", "0", "-513"), ("420mpeg2", "420mpeg2", "centre", "-513", "-513"),
                ("420paldv", "420mpeg2", "tag", "0", "0")):
            vertical = 0 if own == "420paldv" else -513
            with self.subTest(own=own, other=other, siting=siting):
                self.ffmpeg("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "60x40", "-i", "a.raw", "-vf",
                            f"scale=90:52:flags=bicubic+accurate_rnd+bitexact:in_h_chr_pos={before}:"
                            f"out_h_chr_pos={behind}:in_v_chr_pos={vertical}", "-f", "rawvideo", "b.raw")
                self.write("a.y4m", f"YUV4MPEG2 W60 H40 F25:1 C{own}\nFRAME\n".encode() + raw)
                self.write("b.y4m", f"YUV4MPEG2 W90 H52 F25:1 C{other}\nFRAME\n".encode() +
                           (self.dir / "b.raw").read_bytes())
                self.equal("bicubic", "b.y4m", "a.y4m", "--scale-siting", siting)

    @unittest.skipUnless(HAVE, "there is no ffmpeg program")
    def test_both_sides(self):
        ref, dis = self.large(frames=2), self.small(frames=2)
        for name, source in (("a", ref), ("b", dis)):
            self.ffmpeg("-i", source, "-vf", "scale=40:30:flags=spline+accurate_rnd+bitexact", f"{name}.y4m")
        metrics = ["-m", "psnr,float_ssim,vif,motion"]
        self.assertEqual(self.frames(*metrics, "--scale", "spline", "--scale-to", "40x30", ref, dis),
                         self.frames(*metrics, "a.y4m", "b.y4m"))


def samples_of(path):
    """The samples of a Y4M file's first picture."""
    data = path.read_bytes()
    return data[data.index(b"FRAME\n") + 6:]


if __name__ == "__main__":
    main()
