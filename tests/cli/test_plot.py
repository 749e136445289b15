# SPDX-License-Identifier: BSD-2-Clause
"""--plot: the SVG has the scores of the JSON report, read off its own axes."""
import json
import os
import random
import re
import resource
import xml.etree.ElementTree as ElementTree

from command import DIS, INPUT, REF, USAGE, Case, main, y4m
from pictures import read_png

SVG = "{http://www.w3.org/2000/svg}"
BUCKETS = 1000
ROUNDING = 0.02  # pixels; places have two decimals, and so have those of the ticks that a scale is made of


class Plot(Case):
    def svg(self, name="p.svg"):
        return ElementTree.fromstring(self.read(name))

    def run_both(self, *args):
        """The SVG and the JSON report of one run."""
        self.passes("-q", "--plot", "p.svg", "--json", "p.json", "--precision", "max", "--force", *args)
        return self.svg(), json.loads(self.read("p.json"))

    def panels(self, root):
        return {g.get("id"): g for g in root.iter(f"{SVG}g")}

    def scale(self, panel, axis):
        """From a value to a pixel, by the first and the last number of an axis."""
        texts = [t for t in panel.iter(f"{SVG}text") if t.get("class") == axis]
        ends = [(float(t.text), float(t.get(axis)) - (4 if axis == "y" else 0)) for t in (texts[0], texts[-1])]
        self.assertGreater(len(texts), 1)
        (v0, p0), (v1, p1) = ends
        return lambda v: p0 + (v - v0) * (p1 - p0) / (v1 - v0)

    def curves(self, panel):
        return [[tuple(map(float, v.split(","))) for v in line.get("points").split()]
                for line in panel.iter(f"{SVG}polyline")]

    def at(self, panel, report, key):
        """Where each frame with a finite value has to be."""
        x, y = self.scale(panel, "x"), self.scale(panel, "y")
        return {f["frameNum"]: (x(f["frameNum"]), y(f["metrics"][key])) for f in report["frames"]
                if f["metrics"][key] is not None}

    def near(self, a, b):
        return abs(a[0] - b[0]) < ROUNDING and abs(a[1] - b[1]) < ROUNDING

    def check(self, panel, report, key):
        """Every frame is a vertex, in order; the worst one has its circle."""
        at = list(self.at(panel, report, key).values())
        vertices = [v for curve in self.curves(panel) for v in curve]
        self.assertEqual(len(vertices), len(at), key)
        for vertex, place in zip(vertices, at):
            self.assertTrue(self.near(vertex, place), (key, vertex, place))
        self.check_worst(panel, report, key)

    def check_worst(self, panel, report, key):
        worst = report["assay"]["percentiles"][key].get("worst_frame")
        circles = list(panel.iter(f"{SVG}circle"))
        self.assertEqual(len(circles), worst is not None)
        for c in circles:
            place = self.at(panel, report, key)[worst]
            self.assertTrue(self.near((float(c.get("cx")), float(c.get("cy"))), place), (key, place))
            self.assertIn(f"frame {worst},", c.find(f"{SVG}title").text)

    def test_every_score_has_its_panel(self):
        root, report = self.run_both("-m", "psnr=enable_mse=true,float_ssim,diff,float_moment", REF, DIS)
        panels = self.panels(root)
        expected = [k for k in report["pooled_metrics"] if not k.endswith(("_at_x", "_at_y"))]
        self.assertEqual(list(panels), expected)
        for key, panel in panels.items():
            self.check(panel, report, key)
        heading = {key: [t.text for t in panel.iter(f"{SVG}text")][:2] for key, panel in panels.items()}
        mean = report["pooled_metrics"]["psnr_y"]["mean"]
        self.assertEqual(heading["psnr_y"], ["psnr_y (dB)", f"mean {mean!r}, worst in frame 6"])
        self.assertEqual(heading["float_ssim"][0], "float_ssim")
        line, = (l for l in panels["psnr_y"].iter(f"{SVG}line") if l.get("class") == "mean")
        self.assertAlmostEqual(float(line.get("y1")), self.scale(panels["psnr_y"], "y")(mean), delta=ROUNDING)
        title = root.find(f"{SVG}title").text
        self.assertEqual(title, f"{DIS} against {REF}")
        self.assertIn("352x198, 8 frames", [t.text for t in root.iter(f"{SVG}text")])
        self.assertIn("frame", [t.text for t in root.iter(f"{SVG}text")])

    def test_nothing_lies_outside(self):
        root, _ = self.run_both("-m", "psnr,float_ssim", REF, DIS)
        width, height = (float(root.get(side)) for side in ("width", "height"))
        self.assertEqual(root.get("viewBox"), f"0 0 {width:.0f} {height:.0f}")
        for panel in self.panels(root).values():
            ticks = [float(l.get("y1")) for l in panel.iter(f"{SVG}line") if l.get("class") == "grid"]
            for x, y in (v for curve in self.curves(panel) for v in curve):
                self.assertTrue(76 <= x <= width - 20 and min(ticks) <= y <= max(ticks), (x, y))
        lowest = max(float(t.get("y")) for t in root.iter(f"{SVG}text"))
        self.assertLess(lowest, height)

    def test_features_of_a_model_have_none(self):
        root, report = self.run_both("-m", "vmaf", REF, DIS)
        self.assertEqual(list(self.panels(root)), ["vmaf"])
        self.assertGreater(len(report["pooled_metrics"]), 1)

    def test_long_videos_keep_their_worst_frames(self):
        frames, dice = 5300, random.Random(3)
        head, base = b"YUV4MPEG2 W16 H16 F25:1 Ip Cmono\n", bytes(100 + i % 50 for i in range(256))
        other = []
        for i in range(frames):
            data, at = bytearray(base), dice.randrange(200)
            data[at:at + dice.randint(1, 40)] = bytes(dice.choice((3, 3, 3, 90)) for _ in range(dice.randint(1, 40)))
            other.append(bytes(data[:256]).ljust(256, b"\0"))
        self.write("r.y4m", head + frames * (b"FRAME\n" + base))
        self.write("d.y4m", head + b"".join(b"FRAME\n" + f for f in other))
        root, report = self.run_both("-m", "psnr", "r.y4m", "d.y4m")
        panel, = self.panels(root).values()
        at, (vertices,) = self.at(panel, report, "psnr_y"), self.curves(panel)
        self.assertLess((self.dir / "p.svg").stat().st_size, 60000)
        values = [f["metrics"]["psnr_y"] for f in report["frames"]]
        kept = []
        for i in range(BUCKETS):
            part = range(i * frames // BUCKETS, (i + 1) * frames // BUCKETS)
            kept += sorted({min(part, key=lambda f: values[f]), max(part, key=lambda f: values[f])})
        self.assertEqual(len(vertices), len(kept))
        for vertex, number in zip(vertices, kept):
            self.assertTrue(self.near(vertex, at[number]), (vertex, number))
        self.check_worst(panel, report, "psnr_y")
        self.assertIn(report["assay"]["percentiles"]["psnr_y"]["worst_frame"], kept)

    def test_frames_without_a_finite_value_are_gaps(self):
        """Also one frame between two gaps is seen, as a dot."""
        ref, dis = (y4m(32, 32, frames=9, noise=n).split(b"FRAME\n") for n in (0, 3))
        for i in (2, 4, 8):  # of 1 to 9; these stay equal
            dis[i] = ref[i]
        for name, parts in (("r.y4m", ref), ("d.y4m", dis)):
            self.write(name, b"FRAME\n".join(parts))
        root, report = self.run_both("-m", "psnr_hvs", "r.y4m", "d.y4m")
        panel = self.panels(root)["psnr_hvs_y"]
        at, curves = self.at(panel, report, "psnr_hvs_y"), self.curves(panel)
        self.assertEqual([f["frameNum"] for f in report["frames"] if f["metrics"]["psnr_hvs_y"] is None], [1, 3, 7])
        self.assertEqual([len(c) for c in curves], [2, 2, 3, 2])
        for curve, numbers in zip(curves, ((0, 0), (2, 2), (4, 5, 6), (8, 8))):
            for vertex, number in zip(curve, numbers):
                self.assertTrue(self.near(vertex, at[number]))
        self.assertEqual([t.text for t in panel.iter(f"{SVG}text")][1],
                         "worst in frame 2, 3 of 9 without a finite value")
        root, _ = self.run_both("-m", "psnr_hvs", "r.y4m", "r.y4m")
        self.assertEqual(self.curves(self.panels(root)["psnr_hvs_y"]), [])

    def test_one_value_and_one_frame(self):
        root, report = self.run_both("-m", "psnr", "--frames", 1, REF, REF)
        for key, panel in self.panels(root).items():
            (a, b), = self.curves(panel)
            self.assertEqual(a, b)
            self.assertAlmostEqual(a[1], self.scale(panel, "y")(report["frames"][0]["metrics"][key]), delta=ROUNDING)

    def test_largest_values(self):
        """A report may hold any numbers; the line above them is none that a double has. Files of 1 MB are enough."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
            resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        self.passes("-q", "-m", "psnr", "--json", "p.json", REF, DIS)
        report = json.loads(self.read("p.json"))
        del report["assay"]["bits"]
        for low, high in ((0, 1.7e308), (-1.7e308, 0), (-1.7e308, 1.7e308), (1e301, 1.79e308)):
            for i, frame in enumerate(report["frames"]):
                frame["metrics"]["psnr_y"] = high if i else low
            self.write("large.json", json.dumps(report).encode())
            self.passes("report", "large.json", "-q", "--force", "--plot", "large.svg", "--html", "large.html",
                        preexec_fn=limit)
            self.assertEqual(len(self.curves(self.panels(self.svg("large.svg"))["psnr_y"])), 1)

    def test_numbers_of_frames(self):
        root, report = self.run_both("-m", "psnr", "--every", 2, "--first", 2, REF, DIS)
        self.assertEqual([f["frameNum"] for f in report["frames"]], [2, 4, 6])
        self.check(self.panels(root)["psnr_y"], report, "psnr_y")

    def test_the_same_bytes(self):
        for name, threads in (("a.svg", 1), ("b.svg", 2)):
            self.passes("-q", "-m", "psnr", "--threads", threads, "--plot", name, REF, DIS)
        for first in (0, 5):
            self.passes("-q", "-m", "psnr", "--first", first, "--frames", 5 if not first else 9, "--shard",
                        f"{first}.json", REF, DIS)
        self.passes("merge", "-q", "0.json", "5.json", "--plot", "c.svg")
        self.assertEqual(self.read("a.svg"), self.read("b.svg"))
        self.assertEqual(self.read("a.svg"), self.read("c.svg"))
        self.assertEqual(self.passes("-m", "psnr", "--plot", "-", REF, DIS).out, self.read("a.svg"))

    def test_stands_alone(self):
        """No script, nothing from elsewhere, both colour schemes, names as text."""
        name = 'a&<b>"c.y4m'
        self.write(name, y4m(64, 64))
        self.passes("-q", "-m", "psnr", "--plot", "p.svg", name, name)
        text = self.read("p.svg")
        self.assertEqual(self.svg().find(f"{SVG}title").text, f"{name} against {name}")
        self.assertEqual(re.findall(r"https?://[^\"' ]*", text), ["http://www.w3.org/2000/svg"])
        self.assertNotIn("<script", text)
        self.assertNotIn("url(", text)
        light, dark = text.split("@media (prefers-color-scheme: dark)")
        for name in ("page", "grid", "curve", "mean", "worst"):
            colours = [re.search(rf"\.{name} {{[^}}]*(#[0-9a-f]{{6}})", part)[1] for part in (light, dark)]
            self.assertNotEqual(*colours)

    def test_incomplete(self):
        self.write("cut.y4m", y4m(64, 64, frames=3)[:-100])
        self.write("whole.y4m", y4m(64, 64, frames=3))
        self.fails(INPUT, "cut.y4m", "-m", "psnr", "--plot", "p.svg", "whole.y4m", "cut.y4m")
        said = [t.text for t in self.svg().iter(f"{SVG}text")][1]
        self.assertRegex(said, "64x64, 2 frames; incomplete: cut.y4m.*")
        self.assertEqual(len(self.curves(self.panels(self.svg())["psnr_y"])[0]), 2)

    def test_png(self):
        """The picture of the SVG at twice its size: curves lie where its vertices are."""
        drawn = self.run_assay("-q", "-m", "psnr", "--plot", "p.png", REF, DIS)
        if drawn.code == USAGE and ("librsvg" in drawn.err or "libpng" in drawn.err) and not os.environ.get("CI"):
            self.skipTest(drawn.err)
        self.assertEqual(drawn.code, 0, drawn)
        root, _ = self.run_both("-m", "psnr", REF, DIS)
        width, height, rows, chunks = read_png((self.dir / "p.png").read_bytes())
        self.assertEqual((width, height), tuple(2 * int(root.get(side)) for side in ("width", "height")))
        self.assertEqual(chunks[b"tEXt"][:14], b"Software\0assay")
        self.assertEqual(rows[1][1], (255, 255, 255))
        for panel in self.panels(root).values():
            for curve in self.curves(panel):
                for x, y in curve[1:-1]:
                    near = [rows[round(2 * y) + b][round(2 * x) + a] for a in (-1, 0, 1) for b in (-1, 0, 1)]
                    self.assertTrue(any(r < 140 and b > 140 or (r > 200 and b < 60) for r, _, b in near), (x, y, near))
        self.passes("-q", "-m", "psnr", "--plot", "q.png", REF, DIS)  # and its own is overwritten
        self.passes("-q", "-m", "psnr", "--plot", "q.png", REF, DIS)
        self.assertEqual((self.dir / "p.png").read_bytes(), (self.dir / "q.png").read_bytes())

    def test_png_without_librsvg(self):
        self.write("librsvg-2.so.2", b"no library")
        self.refuses(USAGE, "librsvg2-2" if os.environ.get("ASSAY_PNG") else "libpng", "--plot", "p.png", REF, DIS,
                     env={"LD_LIBRARY_PATH": str(self.dir)})
        self.assertFalse((self.dir / "p.png").exists())

    def test_refusals(self):
        self.refuses(USAGE, "'p.pdf' ends in neither .svg nor .png", "--plot", "p.pdf", REF, DIS)
        self.refuses(USAGE, "both be written", "--plot", "p.svg", "--plot", "p.svg", REF, DIS)
        self.refuses(USAGE, "--plot", "image", "--plot", "p.svg", REF, DIS)
        self.write("mine.svg", b"<svg/>")
        self.refuses(USAGE, "--force", "--plot", "mine.svg", REF, DIS)
        for _ in range(2):  # its own is overwritten
            self.passes("-q", "-m", "psnr", "--plot", "own.svg", REF, DIS)


if __name__ == "__main__":
    main()
