# SPDX-License-Identifier: BSD-2-Clause
"""--crop-ref and --crop-dis: the scores are those of files that were cropped before."""
import json
import os
import random
import shutil
import subprocess
import unittest

from command import MISMATCH, PROGRAM, USAGE, Case, main, sizes, y4m
from pictures import GREY, RGB, RGBA, pixels, png

HAVE = shutil.which("ffmpeg")
LIBAV = os.environ.get("ASSAY_LIBAV") == "1"
METRICS = "psnr,float_ssim,motion,diff=per_plane=true"
SHIFT = {"420": (1, 1), "422": (1, 0), "444": (0, 0), "mono": (0, 0), "411": (2, 0)}


def crop(data, width, height, part, chroma="420", depth=8):
    """A Y4M file of the part (width, height, left, top) of each picture."""
    head, *pictures = data.split(b"FRAME\n")
    w, h, left, top = part
    head = head.replace(b"W%d H%d" % (width, height), b"W%d H%d" % (w, h))
    size = 2 if depth > 8 else 1
    out = head
    for picture in pictures:
        out += b"FRAME\n"
        for plane, ((pw, ph), (cw, ch)) in enumerate(zip(sizes(width, height, chroma), sizes(w, h, chroma))):
            x, y = (v >> s if plane else v for v, s in zip((left, top), SHIFT[chroma]))
            rows = [picture[i * pw * size:(i + 1) * pw * size] for i in range(ph)]
            out += b"".join(row[x * size:(x + cw) * size] for row in rows[y:y + ch])
            picture = picture[pw * ph * size:]
    return out


def text(part):
    return "%dx%d+%d+%d" % part


class Crop(Case):
    def report(self, *args, **more):
        return json.loads(self.passes("-q", "--precision", "max", "--json", "-", *args, **more).out)

    def frames(self, *args, **more):
        return [f["metrics"] for f in self.report(*args, **more)["frames"]]

    def cut(self, source, name, width, height, part, **how):
        return self.write(name, crop((self.dir / source).read_bytes(), width, height, part, **how))

    def test_equals_cropped_files(self):
        """Every layout at two depths, a part inside and parts that reach an end, odd sizes among them."""
        for chroma, depth, width, height, part in (
                ("420", 8, 64, 48, (32, 30, 8, 6)), ("420", 8, 37, 29, (33, 27, 4, 2)),
                ("420", 10, 37, 29, (37, 19, 0, 10)), ("420", 8, 64, 48, (64, 20, 0, 14)),
                ("420", 16, 64, 48, (32, 30, 8, 6)), ("422", 8, 40, 31, (24, 17, 6, 3)),
                ("422", 10, 41, 30, (29, 18, 12, 5)), ("444", 8, 33, 31, (19, 21, 5, 3)),
                ("444", 12, 33, 31, (19, 21, 14, 10)), ("mono", 8, 33, 31, (17, 19, 3, 9)),
                ("411", 8, 48, 24, (20, 19, 8, 5))):
            with self.subTest(chroma=chroma, depth=depth, part=part):
                how = {"chroma": chroma, "depth": depth}
                ref, dis = self.pair(width=width, height=height, **how)
                cut = [self.cut(f, "cut_" + f, width, height, part, **how) for f in (ref, dis)]
                expected = self.frames("-m", METRICS, *cut)
                both = ["--crop-ref", text(part), "--crop-dis", text(part)]
                self.assertEqual(self.frames("-m", METRICS, *both, ref, dis), expected)
                self.assertEqual(self.frames("-m", METRICS, "--crop-ref", text(part), ref, cut[1]), expected)
                self.assertEqual(self.frames("-m", METRICS, "--crop-dis=" + text(part), cut[0], dis), expected)

    def test_wide_rows(self):
        """Rows longer than the buffer of a stream, of a file and of a pipe."""
        width, height, part = 40000, 6, (39000, 4, 800, 2)
        noise = random.Random(3).randbytes(width * height)
        ref = self.write("ref.y4m", b"YUV4MPEG2 W%d H%d F25:1 Cmono\nFRAME\n" % (width, height) + noise)
        cut = self.cut(ref, "cut.y4m", width, height, part, chroma="mono")
        for args, more in ((["ref.y4m"], {}), (["-"], {"input": (self.dir / ref).read_bytes(), "text": False})):
            result = self.passes("-q", "--json", "-", "-m", "diff", "--crop-ref", text(part), *args, cut, **more)
            self.assertEqual(json.loads(result.out)["frames"][0]["metrics"]["diff_pixels"], 0)

    def test_raw_and_pipe(self):
        ref, dis = self.pair(width=40, height=32)
        part = (20, 16, 8, 10)
        cut = [self.cut(f, "cut_" + f, 40, 32, part) for f in (ref, dis)]
        expected = self.frames("-m", METRICS, *cut)
        raw = (self.dir / ref).read_bytes().split(b"FRAME\n")[1:]
        self.write("ref.raw", b"".join(raw))
        how = ["-m", METRICS, "--crop-ref", text(part), "--crop-dis", text(part)]
        self.assertEqual(self.frames(*how, "-w", "40", "-h", "32", "-p", "420", "-b", "8", "ref.raw", dis), expected)
        piped = self.passes(*how, "-q", "--precision", "max", "--json", "-", "-", dis, text=False,
                            input=(self.dir / ref).read_bytes())
        self.assertEqual([f["metrics"] for f in json.loads(piped.out)["frames"]], expected)

    def test_images(self):
        """Alpha is cropped, too."""
        rows, other = pixels(30, 20, RGBA, seed=1), pixels(30, 20, RGBA, seed=2)
        self.write("a.png", png(rows, RGBA))
        self.write("b.png", png(other, RGBA))
        part = (13, 11, 5, 7)
        for name, of in (("a", rows), ("b", other)):
            self.write(name + "_cut.png", png([row[4 * 5:4 * 18] for row in of[7:18]], RGBA))
        self.assertEqual(self.frames("-m", "psnr,ssimulacra2,diff", "--crop-ref", text(part), "--crop-dis", text(part),
                                     "a.png", "b.png"),
                         self.frames("-m", "psnr,ssimulacra2,diff", "a_cut.png", "b_cut.png"))

    def test_image_command(self):
        for kind, depth in ((RGBA, 8), (RGB, 16), (GREY, 8)):
            channels = {RGBA: 4, RGB: 3, GREY: 1}[kind]
            for folder in "ABCD":
                (self.dir / folder).mkdir(exist_ok=True)
            for name, seed in (("x.png", 1), ("y.png", 5)):
                for folder, cut, more in (("A", "C", 0), ("B", "D", 1)):
                    rows = pixels(30, 20, kind, depth, seed=seed + more)
                    (self.dir / folder / name).write_bytes(png(rows, kind, depth))
                    part = [row[channels * 5:channels * 18] for row in rows[7:18]]
                    (self.dir / cut / name).write_bytes(png(part, kind, depth))
            how = ["image", "-q", "-m", "psnr,ssimulacra2,diff", "--precision", "max", "--json", "-"]
            crop_ = ["--crop-ref", "13x11+5+7", "--crop-dis", "13x11+5+7"]
            found = json.loads(self.passes(*how, *crop_, "A", "B").out)
            expected = json.loads(self.passes(*how, "C", "D").out)
            self.assertEqual([p["metrics"] for p in found["pairs"]], [p["metrics"] for p in expected["pairs"]])
            self.assertEqual([(p["width"], p["height"]) for p in found["pairs"]], [(13, 11)] * 2)
            self.assertEqual((found["reference_crop"], found["distorted_crop"]), ("13x11+5+7", "13x11+5+7"))
            self.assertNotIn("reference_crop", expected)
            one = json.loads(self.passes(*how, "--crop-ref", "13x11+5+7", "A/x.png", "D/x.png").out)
            self.assertEqual(one["pairs"][0]["metrics"], expected["pairs"][0]["metrics"])
        self.fails(USAGE, "--crop-dis 13x11+5+12 does not lie in the pictures of B/x.png, 30x20", "image", "-q",
                   "--crop-ref", "13x11+5+7", "--crop-dis", "13x11+5+12", "A/x.png", "B/x.png")

    def test_image_command_and_chroma(self):
        """A picture of Y4M has the figures that it has as a video."""
        how = ["-q", "-m", "psnr=enable_all=true:enable_mse=true:min_sse=1,diff=per_plane=true", "--precision", "max",
               "--json", "-"]
        for chroma in ("420", "422", "444", "411"):
            self.write("a.y4m", y4m(64, 48, frames=1, chroma=chroma))
            self.write("b.y4m", y4m(64, 48, frames=1, chroma=chroma, noise=9, first=3))
            crop_ = ["--crop-ref", "32x20+16+10", "--crop-dis", "32x20+20+12", "a.y4m", "b.y4m"]
            got = json.loads(self.passes("image", *how, *crop_).out)["pairs"][0]["metrics"]
            self.assertEqual(got, json.loads(self.passes(*how, *crop_).out)["frames"][0]["metrics"], chroma)

    def test_samples_outside_are_not_looked_at(self):
        data = bytearray(y4m(16, 8, frames=1, chroma="mono", depth=10))
        start = len(data) - 2 * 16 * 8
        data[start + 1] = 0xff
        self.write("a.y4m", bytes(data))
        self.fails(3, "column 0, row 0", "-m", "psnr", "a.y4m", "a.y4m")
        self.passes("-m", "psnr", "--crop-ref", "14x8+2+0", "--crop-dis", "14x8+2+0", "a.y4m", "a.y4m")
        data[start + 2 * (16 * 3 + 5) + 1] = 0xff
        self.write("a.y4m", bytes(data))
        self.fails(3, "column 5, row 3", "-m", "psnr", "--crop-ref", "14x6+2+2", "--crop-dis", "14x6+2+2", "a.y4m",
                   "a.y4m")

    def test_scaled_behind(self):
        ref = self.write("ref.y4m", y4m(64, 48))
        dis = self.write("dis.y4m", y4m(48, 40, noise=5))
        cut = self.cut(dis, "cut.y4m", 48, 40, (32, 24, 8, 8))
        how = ["-m", "psnr,diff", "--scale", "bicubic"]
        expected = self.report(*how, ref, cut)
        found = self.report(*how, "--crop-dis", "32x24+8+8", ref, dis)
        self.assertEqual(found["frames"], expected["frames"])
        self.assertEqual(found["assay"]["distorted_scaled"], "32x24 to 64x48")
        self.assertEqual(self.report(*how, "--scale-ref", "--crop-ref", "32x24+2+2", ref, dis)["assay"]["width"], 48)

    def test_allowed_differences(self):
        """Another depth, another layout, and another size of the cropped picture."""
        ref, grey = self.write("ref.y4m", y4m(64, 48)), self.write("grey.y4m", y4m(40, 40, chroma="mono", noise=3))
        cut = self.cut(ref, "cut.y4m", 64, 48, (40, 40, 8, 8))
        how = ["-m", "psnr", "--allow-format"]
        self.assertEqual(self.frames(*how, "--crop-ref", "40x40+8+8", ref, grey), self.frames(*how, cut, grey))
        deep = self.write("deep.y4m", y4m(40, 40, depth=10))
        self.assertEqual(self.frames("-m", "psnr", "--allow-depth", "--crop-ref", "40x40+8+8", ref, deep),
                         self.frames("-m", "psnr", "--allow-depth", cut, deep))
        small = self.write("small.y4m", y4m(38, 36, noise=2))
        self.assertEqual(self.frames("-m", "psnr", "--allow-size", "--crop-ref", "40x40+8+8", ref, small),
                         self.frames("-m", "psnr", "--allow-size", cut, small))

    def test_parts_and_machine(self):
        ref, dis = self.pair(width=64, height=70, frames=6)
        part = (48, 50, 8, 10)
        metrics, crop = ["-m", METRICS], ["--crop-dis", text(part)]
        how = metrics + ["--crop-ref", text(part)] + crop
        self.parts_join(how, metrics + ["--crop-ref", "48x50+8+12"] + crop, ref, dis)
        cut = [self.cut(f, "cut_" + f, 64, 70, part) for f in (ref, dis)]
        for more in (["--every", "2"], ["--first", "3"], ["--skip-ref", "1"], ["--threads", "3", "--strip", "8"],
                     ["--cpu", "scalar", "--tile", "16x8"], ["--in-flight", "3"]):
            more = more + ["--allow-length"]
            with self.subTest(more=more):
                self.assertEqual(self.frames(*how, *more, ref, dis), self.frames("-m", METRICS, *more, *cut))

    def test_many_readers(self):
        """Several threads read each side of a large pair."""
        noise = random.Random(1).randbytes(1600 * 1000 * 3 // 2)
        ref = self.write("ref.y4m", b"YUV4MPEG2 W1600 H1000 F25:1 C420\n" +
                         b"".join(b"FRAME\n" + noise[i:] + noise[:i] for i in range(12)))
        cut = self.cut(ref, "cut.y4m", 1600, 1000, (1400, 900, 64, 50))
        for program in (os.environ["ASSAY_MANY"], PROGRAM):
            done = subprocess.run([program, "-q", "--json", "-", "-m", "diff", "--crop-ref", "1400x900+64+50", ref,
                                   cut], cwd=self.dir, check=True, stdout=subprocess.PIPE,
                                  env={**os.environ, "ASSAY_MOST_READS": str(self.dir / "most")})
            self.assertEqual([f["metrics"]["diff_pixels"] for f in json.loads(done.stdout)["frames"]], [0] * 12)
        self.assertGreater(int(self.read("most").split()[0]), 2)

    @unittest.skipUnless(HAVE and LIBAV, "needs ffmpeg, and a build with libav")
    def test_decoded_pictures(self):
        """They are scored where the decoder had them, and so are parts of them; not where a side is converted."""
        ref, dis = self.pair(width=64, height=48, frames=5)
        part = (32, 30, 8, 6)
        for name, source, form in (("ref.mkv", ref, "yuv420p"), ("dis.mkv", dis, "yuv420p"),
                                   ("ten.mkv", dis, "yuv420p10le"), ("semi.nut", dis, "nv12")):
            codec = "rawvideo" if name == "semi.nut" else "ffv1"
            subprocess.run(["ffmpeg", "-v", "error", "-i", source, "-pix_fmt", form, "-c:v", codec, name], check=True,
                           cwd=self.dir)
        for args, expected in (((ref, "dis.mkv"), 5), (("ref.mkv", "dis.mkv"), 10),
                               (("ref.mkv", "dis.mkv", "--crop-ref", text(part), "--crop-dis", text(part)), 10),
                               (("ref.mkv", "ten.mkv", "--allow-depth"), 5), (("ref.mkv", "semi.nut"), 5),
                               (("ref.mkv", "dis.mkv", "--pair", "time"), 5)):
            args = ["-m", "psnr,motion", "-q", "--json", "-", "--precision", "max", *args]
            done = subprocess.run([os.environ["ASSAY_MANY"], *args], cwd=self.dir, check=True, stdout=subprocess.PIPE,
                                  env={**os.environ, "ASSAY_MOST_READS": str(self.dir / "most")})
            with self.subTest(args):
                self.assertEqual(int(self.read("most").split()[1]), expected)
                plain = [{"ref.mkv": ref, "dis.mkv": dis, "semi.nut": dis}.get(a, a) for a in args]
                self.assertEqual([f["metrics"] for f in json.loads(done.stdout)["frames"]],
                                 [f["metrics"] for f in json.loads(self.passes(*plain).out)["frames"]])

    def test_the_report(self):
        ref, dis = self.write("ref.y4m", y4m(64, 48)), self.write("dis.y4m", y4m(64, 32, noise=3))
        done = self.passes("-m", "psnr", "--no-progress", "--json", "a.json", "--crop-ref", "64x32+0+8", ref, dis)
        self.assertIn("dis.y4m against ref.y4m (cropped)", done.out)
        self.assertIn("64x32", done.out)
        block = json.loads(self.read("a.json"))["assay"]
        self.assertEqual((block["width"], block["height"], block["reference_size"], block["reference_crop"]),
                         (64, 32, "64x48", "64x32+0+8"))
        self.assertNotIn("distorted_crop", block)

    def test_usage(self):
        ref, dis = self.pair(width=37, height=29)
        for value, why in (("32x20", "takes WxH+X+Y, not '32x20'"), ("32+20+1+1", "WxH+X+Y"), ("", "WxH+X+Y"),
                           ("0x20+0+0", "1 to 65535"), ("32x20+0", "WxH+X+Y"), ("32x20+2+2+2", "--crop-dis"),
                           ("32x20+-2+0", "takes WxH+X+Y, not '32x20+-2+0'"),
                           ("38x20+0+0", "does not lie in the pictures of dis.y4m, 37x29"),
                           ("30x20+8+0", "does not lie"), ("30x20+0+10", "does not lie"), ("1x1+37+0", "does not lie"),
                           ("65535x65535+65535+65535", "does not lie"),
                           ("31x20+2+2", "the next larger part is 32x20+2+2"),
                           ("30x20+3+2", "the next larger part is 32x20+2+2"),
                           ("30x20+2+3", "the next larger part is 30x22+2+2"),
                           ("31x21+5+7", "the next larger part is 32x22+4+6"),
                           ("36x29+0+0", None), ("35x27+2+2", None), ("37x29+0+0", None)):
            with self.subTest(value=value):
                args = ["-m", "psnr", f"--crop-dis={value}", "--crop-ref", value, ref, dis]
                if why:
                    args[3:5] = []
                    self.refuses(USAGE, ["--crop-dis", why], *args)
                else:
                    self.passes(*args)
        self.refuses(1, "'--crop-ref' is not for 'assay vmaf'", "vmaf", "--crop-ref", "2x2+0+0", "-r", ref, "-d", dis)

    def test_refusal_of_sizes_names_it(self):
        full, wide = self.write("full.y4m", y4m(192, 108, frames=1)), self.write("wide.y4m", y4m(192, 80, frames=1))
        self.refuses(MISMATCH, "(--crop-ref 192x80+0+14 takes the middle of the reference, if the rest is a border",
                     full, wide)
        self.refuses(MISMATCH, "(--crop-dis 192x80+0+14 takes the middle of the distorted, if", wide, full)
        self.passes("-m", "psnr", "--crop-ref", "192x80+0+14", full, wide)
        tall = self.write("tall.y4m", y4m(144, 108, frames=1))
        self.refuses(MISMATCH, "--crop-ref 144x108+24+0", full, tall)
        odd = self.write("odd.y4m", y4m(192, 82, frames=1))
        self.refuses(MISMATCH, "--crop-ref 192x82+0+12", full, odd)
        for width, height in ((192, 107), (192, 81), (96, 54), (108, 192)):
            with self.subTest(size=(width, height)):
                other = self.write("other.y4m", y4m(width, height, frames=1))
                self.assertNotIn("--crop", self.fails(MISMATCH, "size", full, other).err)
        done = self.fails(MISMATCH, "size", "--crop-ref", "192x100+0+0", full, wide)
        self.assertNotIn("takes the middle", done.err)

    def test_parity(self):
        ref, dis = self.pair(width=64, height=48)
        self.passes("parity", "-q", "-m", "psnr,diff", "--backends", "cpu:scalar,cpu", "--crop-ref", "32x32+4+4",
                    "--crop-dis", "32x32+4+4", ref, dis)

    @unittest.skipUnless(HAVE and LIBAV, "there is no ffmpeg program, or no libav")
    def test_ffmpeg(self):
        """Against ffmpeg's crop filter, in Matroska (FFV1, and H.264 with a crop of its own) and in Y4M."""
        for pixels_, chroma, depth, width, height, part, codec in (
                ("yuv420p", "420", 8, 94, 70, (58, 40, 12, 18), ["ffv1"]),
                ("yuv422p", "422", 8, 94, 71, (58, 41, 12, 17), ["ffv1"]),
                ("yuv444p", "444", 8, 95, 71, (57, 41, 13, 17), ["ffv1"]),
                ("yuv420p10le", "420", 10, 95, 71, (85, 61, 10, 10), ["ffv1"]),
                ("yuv422p10le", "422", 10, 94, 71, (58, 41, 12, 17), ["ffv1"]),
                ("yuv444p10le", "444", 10, 95, 71, (57, 41, 13, 17), ["ffv1"]),
                ("yuv420p", "420", 8, 94, 70, (58, 40, 12, 18), ["libx264", "-qp", "0"])):
            with self.subTest(pixels=pixels_, codec=codec[0]):
                self.write("a.y4m", y4m(width, height, chroma=chroma, depth=depth, noise=9))
                self.write("b.y4m", y4m(width, height, chroma=chroma, depth=depth))
                how = f"crop={part[0]}:{part[1]}:{part[2]}:{part[3]}:exact=1"
                for name in "ab":
                    self.ffmpeg("-i", f"{name}.y4m", "-pix_fmt", pixels_, "-c:v", *codec, f"{name}.mkv")
                    self.ffmpeg("-i", f"{name}.y4m", "-vf", how, "-pix_fmt", pixels_, "-c:v", "ffv1",
                                f"{name}_cut.mkv")
                expected = self.frames("-m", METRICS, "a_cut.mkv", "b_cut.mkv")
                both = ["--crop-ref", text(part), "--crop-dis", text(part)]
                for end in ("y4m", "mkv"):
                    self.assertEqual(self.frames("-m", METRICS, *both, f"a.{end}", f"b.{end}"), expected)
                self.assertEqual(self.frames("-m", METRICS, both[0], both[1], "a.mkv", "b_cut.mkv"), expected)

    def ffmpeg(self, *args):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *args], cwd=self.dir, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
