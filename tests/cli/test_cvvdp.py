# SPDX-License-Identifier: BSD-2-Clause
"""cvvdp: the frame rate, displays by name and from a file, tags, parts, pictures. Figures: tests/golden/cvvdp.py."""
import json
import struct

from command import DIS, REF, USAGE, Case, frame, main, y4m
import pictures


def flat(rows):
    """Rows of samples of rows of pixels."""
    return [[v for pixel in row for v in pixel] for row in rows]


class Cvvdp(Case):
    def report(self, metric, *inputs):
        self.passes("-q", "--json", "out.json", "--force", "--reproducible", "-m", metric, *inputs)
        return json.loads((self.dir / "out.json").read_text())

    def jod(self, metric, *inputs):
        return self.report(metric, *inputs)["aggregate_metrics"]["cvvdp"]

    def test_parts_are_as_the_whole(self):
        for metric in ("cvvdp", "cvvdp=fps=60", "cvvdp=padding=symmetric", "cvvdp=fps=60:padding=symmetric"):
            whole = self.report(metric, REF, DIS)
            for name, part in (("a", ("--frames", "2")), ("b", ("--first", "2", "--frames", "1")),
                               ("c", ("--first", "3"))):
                self.passes("-q", "-m", metric, *part, "--shard", f"{name}.json", "--force", REF, DIS)
            self.passes("merge", "-q", "c.json", "a.json", "b.json", "--json", "merged.json", "--force",
                        "--reproducible")
            self.assertEqual(json.loads((self.dir / "merged.json").read_text()), whole)

    def test_a_mirrored_start_needs_its_frames(self):
        mirrored = "cvvdp=fps=24:padding=symmetric"
        pair = self.pair(width=64, height=48, frames=9)
        few = self.write("few.y4m", y4m(64, 48, noise=3))
        self.assertNotEqual(self.jod(mirrored, *pair), self.jod("cvvdp=fps=24", *pair))
        self.refuses(USAGE, ["mirrored at its first frame", "maps"], "-q", "-m", mirrored, "--heatmap", "maps", *pair)
        self.refuses(USAGE, ["mirrored at its first frame", "maps"], "-q", "-m", mirrored, "--heatmap", "maps",
                     "--frames-worst", "1", *pair)
        self.refuses(USAGE, ["encode 1 ends behind 3 frames", "score it apart"], "-q", "--allow-length", "-m", mirrored,
                     *pair, few)
        self.assertLess(self.jod(mirrored, "--allow-length", pair[0], few), 10)
        self.refuses(USAGE, ["padding is replicate|symmetric"], "-q", "-m", "cvvdp=padding=valid", *pair)

    def test_light_that_is_kept_is_light_made_anew(self):
        """With maps all planes are kept apart, and the light of earlier frames is made for each frame."""
        pair = self.pair(width=64, height=48, frames=9)
        for scaled in ((), ("--scale", "bicubic", "--crop-dis", "40x30+2+4"),
                       ("--scale", "bicubic", "--scale-ref", "--crop-ref", "40x30+2+4")):
            kept, anew = self.report("cvvdp", *pair, *scaled), self.report("cvvdp", *pair, *scaled, "--heatmap", "maps")
            for key in ("frames", "aggregate_metrics"):
                self.assertEqual(kept[key], anew[key], scaled)

    def test_equal_videos_have_10(self):
        report = self.report("cvvdp", REF, REF)
        self.assertEqual(report["aggregate_metrics"]["cvvdp"], 10)
        self.assertEqual({f["metrics"]["cvvdp_frame"] for f in report["frames"]}, {10})

    def test_the_rate_is_stated_or_refused(self):
        for side in ("a", "b"):
            self.write(f"{side}.yuv", frame(64, 48, noise=3 * (side == "b")) * 2)
        raw = ("-w", "64", "-h", "48", "-p", "yuv420p", "a.yuv", "b.yuv")
        self.refuses(USAGE, ["cvvdp needs the frame rate", "fps=25", "still"], "-q", "-m", "cvvdp", *raw)
        self.refuses(USAGE, ["cvvdp", "fps"], "-q", "-m", "cvvdp=fps=121", *raw)
        self.assertLess(self.jod("cvvdp=fps=25", *raw), 10)
        frames = self.report("cvvdp=still", *raw)["frames"]
        self.assertEqual(frames[0]["metrics"], frames[1]["metrics"])  # equal pictures, whatever came before
        self.assertNotIn("cvvdp_frame", self.report("everything", *raw)["frames"][0]["metrics"])
        fast = [self.write(f"{rate}.y4m", y4m(64, 48, rate=f"{rate}:1", noise=3)) for rate in (50, 25)]
        self.refuses(5, ["cvvdp takes one frame rate", "50/1", "25/1"], "-q", "--allow-rate", "-m", "cvvdp", *fast)

    def test_a_video_of_one_frame_is_a_picture(self):
        pair = self.pair(width=64, height=48, frames=1)
        still = self.report("cvvdp=still", *pair)["frames"][0]["metrics"]["cvvdp"]
        self.assertAlmostEqual(self.jod("cvvdp", *pair), still, delta=1e-6)

    def test_displays_have_names(self):
        pair = self.pair(width=64, height=48, frames=1)
        seen = {self.jod(f"cvvdp=display={name}", *pair)
                for name in ("standard_4k", "standard_fhd", "standard_phone", "standard_hmd")}
        self.assertEqual(len(seen), 4)
        self.refuses(USAGE, "contrast and black both say", "-q", "-m", "cvvdp=contrast=100:black=2", *pair)
        self.refuses(USAGE, ["no display is called 'standard_4q'", "standard_4k"], "-q", "-m",
                     "cvvdp=display=standard_4q", *pair)
        done = self.passes("-m", "cvvdp", *pair)
        self.assertIn("75.4 [pix/deg], Lpeak=200, Lblack=0.2, Lrefl=0.3979 [cd/m^2], (standard_4k)", done.err)
        self.assertIn("codes are shown by the display's curve, sRGB", done.err)

    def test_displays_come_from_a_file(self):
        pair = self.pair(width=64, height=48, frames=1)
        office = {"name": "a monitor", "resolution": [3840, 2160], "viewing_distance_meters": 0.7472,
                  "diagonal_size_inches": 30, "max_luminance": 200, "contrast": 1000, "E_ambient": 250}
        def with_file(**members):
            self.write("displays.json", json.dumps({"own": {**office, **members}}).encode())
            return "cvvdp=displays=displays.json:display=own"
        same = self.jod("cvvdp", *pair)
        self.assertEqual(self.jod(with_file(), *pair), same)
        self.assertEqual(self.jod(with_file(colorspace="BT.709"), *pair), same)
        self.assertEqual(self.jod(with_file(pixels_per_degree=20), *pair), self.jod("cvvdp=ppd=20", *pair))
        self.assertEqual(self.jod(with_file(min_luminance=2), *pair), self.jod("cvvdp=black=2", *pair))
        self.assertNotEqual(self.jod(with_file(fov_diagonal=90), *pair), same)
        for members, words in (({"colorspace": "ProPhoto RGB"}, ["ProPhoto RGB"]), ({"resolution": 5}, ["resolution"]),
                               ({"max_luminance": "bright"}, ["max_luminance"]), ({"exposure": 0}, ["exposure"])):
            self.refuses(3, ["own", *words], "-q", "-m", with_file(**members), *pair)
        self.refuses(3, ["has no object 'other'"], "-q", "-m", "cvvdp=displays=displays.json:display=other", *pair)
        self.write("bad.json", b"{")
        self.refuses(3, ["bad.json", "no JSON"], "-q", "-m", "cvvdp=displays=bad.json", *pair)

    def test_tags_of_hdr_are_for_displays_of_hdr(self):
        pair = self.pair(width=64, height=48, frames=1)
        hdr = "cvvdp=display=standard_hdr_pq"
        self.assertNotEqual(self.jod(hdr, *pair), self.jod("cvvdp", *pair))
        rows = [[(x * 3 % 256, y * 5 % 256, 90) for x in range(40)] for y in range(30)]
        png = pictures.png(flat(rows), before=[pictures.chunk(b"cICP", bytes([9, 16, 0, 1]))])
        for name in ("a.png", "b.png"):
            self.write(name, png)
        self.refuses(USAGE, ["tagged as", "pq", "standard_4k", "sRGB"], "image", "-q", "-m", "cvvdp", "a.png", "b.png")
        self.passes("image", "-q", "-m", hdr, "a.png", "b.png")
        self.passes("image", "-q", "-m", "cvvdp=transfer=display", "a.png", "b.png")

    def test_both_sides_are_shown_on_one_display(self):
        """Two sides whose codes mean other light are refused, since no display shows both as they are meant."""
        rows = [[(x * 3 % 256, y * 5 % 256, 90) for x in range(40)] for y in range(30)]
        for name, codes in (("srgb", [1, 13, 0, 1]), ("p3", [12, 13, 0, 1]), ("gamma", [1, 5, 0, 1])):
            self.write(f"{name}.png", pictures.png(flat(rows), before=[pictures.chunk(b"cICP", bytes(codes))]))
        for name, words in (("p3", "primaries bt709 against p3"), ("gamma", "transfer srgb against gamma28")):
            self.refuses(5, ["cvvdp shows the codes of both sides on one display", words, "--allow-colour"],
                         "image", "-q", "-m", "cvvdp", "srgb.png", f"{name}.png")
            self.passes("image", "-q", "-m", "cvvdp", "--allow-colour", "srgb.png", f"{name}.png")
            self.passes("image", "-q", "-m", "cvvdp", f"{name}.png", f"{name}.png")
        said = self.passes("image", "-m", "cvvdp", "p3.png", "p3.png").err
        self.assertIn("by the display's curve, sRGB, and with its primaries, bt709, whatever they are tagged as", said)
        pair = self.pair(width=64, height=48, frames=1)
        self.passes("-q", "-m", "cvvdp", "--ref-colour", "bt709", "--dis-colour", "bt709", *pair)
        wide = ("--ref-colour", "bt709", "--dis-colour", "bt2020", *pair)
        self.refuses(5, ["cvvdp", "primaries", "--allow-colour"], "-q", "-m", "cvvdp", *wide)
        self.passes("-q", "-m", "cvvdp", "--allow-colour", *wide)
        self.passes("-q", "-m", "cvvdp,psnr", "--allow-colour", *wide)

    def test_linear_light_is_for_displays_of_linear_light(self):
        linear = "cvvdp=display=standard_hdr_linear"
        floats = b"PF\n8 8\n-1.0\n" + struct.pack("<192f", *(v / 192 for v in range(192)))
        rows = [[(x * 3 % 256, y * 5 % 256, 90) for x in range(40)] for y in range(30)]
        self.write("light.pfm", floats)
        self.write("light.png", pictures.png(flat(rows), before=[pictures.chunk(b"cICP", bytes([1, 8, 0, 1]))]))
        self.write("srgb.png", pictures.png(flat(rows)))
        for name in ("light.pfm", "light.png"):
            self.refuses(USAGE, ["tagged as linear", "standard_4k", "sRGB"], "image", "-q", "-m", "cvvdp", name, name)
            self.passes("image", "-q", "-m", linear, name, name)
        self.refuses(USAGE, ["tagged as srgb", "linear light"], "image", "-q", "-m", linear, "srgb.png", "srgb.png")
        self.passes("image", "-q", "-m", linear + ":transfer=display", "srgb.png", "srgb.png")

    def test_images_are_pictures(self):
        a = [[(x * 3 % 256, y * 5 % 256, 90) for x in range(40)] for y in range(30)]
        b = [[(r, g, v + x % 7) for x, (r, g, v) in enumerate(row)] for row in a]
        self.write("a.png", pictures.png(flat(a)))
        self.write("b.png", pictures.png(flat(b)))
        done = self.passes("image", "-q", "-m", "cvvdp=features", "a.png", "b.png", "--json", "-")
        metrics = json.loads(done.out)["pairs"][0]["metrics"]
        self.assertLess(metrics["cvvdp"], 10)
        self.assertIn("cvvdp_yv_0", metrics)
        self.assertNotIn("cvvdp_t_0", metrics)
        self.assertNotIn("cvvdp_frame", metrics)
        self.write("c.png", pictures.png(flat([[p + (255,) for p in row] for row in a]), kind=pictures.RGBA))
        self.refuses(USAGE, ["cvvdp", "alpha"], "image", "-q", "-m", "cvvdp", "c.png", "c.png")

    def test_it_is_slow(self):
        pair = self.pair(width=64, height=48, frames=1)
        self.assertNotIn("cvvdp", self.report("all", *pair)["aggregate_metrics"])
        self.assertIn("cvvdp", self.report("everything", *pair)["aggregate_metrics"])


if __name__ == "__main__":
    main()
