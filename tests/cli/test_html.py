#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--html: a report that stands alone, with the figures of the JSON report, in a browser with and without script."""
import base64
import json
import math
import os
import re
import resource
import shutil
import struct
import subprocess
import unittest

from command import DIS, INPUT, REF, USAGE, Case, main, y4m
from pages import BROWSER, ROUNDING, SCRIPT, Browser, parse


class Report(Case):
    def run_both(self, *args):
        self.passes("-q", "--precision", "max", "--json", "r.json", "--html", "r.html", *args)
        return parse(self.read("r.html")), json.loads(self.read("r.json"))

    def check_table(self, page, report, number=0):
        """Every figure of the table reads back as that of the JSON report."""
        rows = {row.get("data-key"): row for row in page.one("table", id=f"figures-{number}").all("tr")
                if row.get("data-key")}
        shown = [k for k in report["pooled_metrics"] if not k.endswith(("_at_x", "_at_y"))]
        self.assertEqual(list(rows), shown)
        for key, row in rows.items():
            extra = report["assay"]["percentiles"][key]
            expected = {**{f: report["pooled_metrics"][key][f] for f in ("mean", "harmonic_mean", "min", "max")},
                        **{f: extra[f] for f in ("geometric_mean", "perc1", "perc5", "median")}}
            for figure, value in expected.items():
                cell = row.one("td", data_figure=figure)
                self.assertEqual(float(cell.get("data-value")) if value is not None else None, value, (key, figure))
            if "worst_frame" in extra:
                self.assertEqual(row.one("td", data_figure="worst_frame").text, str(extra["worst_frame"]))
        return rows

    def long_pair(self):
        """r.y4m and d.y4m of 10,000 small frames."""
        frames, head = 10000, b"YUV4MPEG2 W16 H16 F25:1 Ip Cmono\n"
        other = [bytes((i * 7 + k * (i % 13)) % 40 + 90 for k in range(256)) for i in range(101)]
        self.write("r.y4m", head + frames * (b"FRAME\n" + bytes(range(256))))
        self.write("d.y4m", head + b"".join(b"FRAME\n" + other[i * i % 101] for i in range(frames)))
        return frames

    def data(self, page):
        return json.loads(page.one("script", id="data").text)


class WithoutBrowser(Report):
    def test_figures(self):
        page, report = self.run_both("-m", "psnr=enable_apsnr=true,float_ssim,diff,float_moment", REF, DIS)
        self.check_table(page, report)
        for key, value in report["aggregate_metrics"].items():
            self.assertEqual(float(page.one("b", data_aggregate=key).get("data-value")), value)
        fields = {th.get("data-field"): th.parent.children[1].text for th in page.one(id="run").all("th")}
        self.assertEqual(fields["version"], report["assay"]["version"])
        for name in ("configuration", "backend", "device", "reference_file", "distorted_file", "reference_frame_rate"):
            self.assertEqual(fields[name], report["assay"][name])
        self.assertEqual(page.one("head").one("title").text, f"{DIS} against {REF}")
        self.assertEqual(page.one("h1").text, f"{DIS} against {REF}")

    def test_default_decimals(self):
        """As in the table on the terminal; so are times."""
        table = self.passes("-m", "psnr,float_ms_ssim", "--html", "r.html", "-n", 6, REF, DIS).out
        page = parse(self.read("r.html"))
        for row in page.one("table", id="figures-0").all("tr"):
            if row.get("data-key"):
                mean, worst = (row.one("td", data_figure=figure) for figure in ("mean", "worst_frame"))
                cells = list(row.all("td"))
                time = cells[cells.index(worst) + 1].text.removeprefix("0:0")
                self.assertRegex(table, rf"{row.get('data-key')} +{re.escape(mean.text)} .* {worst.text} +{time} ")

    def test_plots_and_data(self):
        """Every frame is a vertex, in the picture and in the script's data."""
        page, report = self.run_both("-m", "psnr,float_ssim", REF, DIS)
        for key in self.data(page)["keys"]:
            curve, = key["curves"]
            values = [f["metrics"][key["name"]] for f in report["frames"]]
            self.assertEqual(curve["frames"], {"first": 0, "step": 1})
            self.assertEqual(len(curve["values"]), len(values))
            for a, b in zip(curve["values"], values):
                self.assertAlmostEqual(a, b, delta=0.5001 * 10 ** -key["decimals"])
            self.assertEqual((curve["times"]["frame"], curve["times"]["first"]), (0, 0))
            self.assertAlmostEqual(curve["times"]["step"], 1000 / 30, places=6)
            self.assertEqual(sum(curve["bins"]), len(values))
            self.assertEqual(curve["worst"][0], report["assay"]["percentiles"][key["name"]]["worst_frame"])
            panel = page.one("figure", data_key=key["name"])
            line, = panel.all("polyline")
            vertices = [tuple(map(float, v.split(","))) for v in line.get("points").split()]
            low, span, _ = key["y"]
            expected = [(56 + i / (len(values) - 1) * 856, 168 - (v - low) / span * 156) for i, v in enumerate(values)]
            for vertex, place in zip(vertices, expected, strict=True):
                for a, b in zip(vertex, place):
                    self.assertAlmostEqual(a, b, delta=ROUNDING)
            worst, = panel.all("circle")
            self.assertAlmostEqual(float(worst.get("cx")), expected[curve["worst"][0]][0], delta=ROUNDING)
            self.assertEqual(sum(int(r.get("data-frames")) for r in panel.all("rect")), len(values))
            self.assertTrue(panel.one("title").text)

    def test_values_that_lie_close(self):
        """The script's data have them to a hundredth of a step of the axis: it draws what the page has without it."""
        dis = bytearray(y4m(256, 256, frames=4))
        self.write("r.y4m", bytes(dis))
        for i in range(4):
            dis[-100 - i * (len(dis) // 4)] ^= i
        self.write("d.y4m", bytes(dis))
        page, report = self.run_both("-m", "psnr=enable_mse=true", "r.y4m", "d.y4m")
        key, = (k for k in self.data(page)["keys"] if k["name"] == "mse_cr")
        values = [f["metrics"]["mse_cr"] for f in report["frames"]]
        self.assertTrue(0 < max(values) < .001, values)
        for a, b in zip(key["curves"][0]["values"], values, strict=True):
            self.assertAlmostEqual(a, b, delta=key["y"][2] / 100)
        for frame in report["frames"]:
            frame["metrics"]["mse_cr"] = 5e-324 * frame["frameNum"]
        self.write("t.json", json.dumps(report).encode())
        self.passes("report", "t.json", "--html", "t.html")
        self.assertNotIn('"nan', self.read("t.html"))

    def test_one_frame(self):
        """Its number stands alone below the plots: the axis went to the next one."""
        for first in (0, 3):
            page, _ = self.run_both("-m", "psnr", "--first", first, "--frames", 1, REF, DIS)
            for panel in page.all("figure", class_="panel"):
                self.assertEqual([t.text for t in panel.all("text", class_="x")][:-1], [str(first)])
            self.assertEqual(self.data(page)["frames"], [first, 0])

    def test_names_are_text(self):
        """No name, option or reason becomes markup."""
        name = "<script>alert(1)</script>&\"'.y4m"
        (self.dir / "<script>alert(1)<").mkdir()
        self.write(name, y4m(64, 64))
        page, report = self.run_both("-m", "psnr", name, name)
        self.assertEqual(report["assay"]["distorted_file"], name)
        self.assertEqual(len(list(page.all("script"))), 2)
        self.assertEqual(page.one("head").one("title").text, f"{name} against {name}")
        self.assertIn(name, [td.text for td in page.one(id="run").all("td")])
        self.assertEqual(self.data(page)["encodes"], [name])
        self.assertNotIn("alert(1)<", self.read("r.html"))
        bad = "\xff\x01<b>.y4m".encode("latin1").decode("utf-8", "surrogateescape")
        (self.dir / bad).write_bytes(y4m(64, 64))
        page, _ = self.run_both("-m", "psnr", bad, bad)
        self.assertEqual(page.one("h1").text, "\ufffd?<b>.y4m against \ufffd?<b>.y4m")

    def test_loads_nothing(self):
        page, _ = self.run_both("-m", "psnr", REF, DIS)
        text = self.read("r.html")
        self.assertEqual(set(re.findall(r"https?://[^\"' )]*", text)), {"http://www.w3.org/2000/svg"})
        self.assertNotIn("url(http", text)
        self.assertNotIn("@import", text)
        for node in page.all():
            for key in ("src", "href", "srcset", "action", "data"):
                self.assertTrue((node.get(key) or "data:").startswith("data:"), (node.name, node.attributes))
            self.assertFalse([key for key in node.attributes if key.startswith("on")], node.attributes)
        policy = page.one("meta", **{"http_equiv": "Content-Security-Policy"}).get("content")
        self.assertTrue(policy.startswith("default-src 'none'; "), policy)

    def test_accessible(self):
        page, _ = self.run_both("-m", "psnr,float_ssim", REF, DIS)
        self.assertEqual(page.one("html").get("lang"), "en")
        for table in page.all("table"):
            self.assertTrue(table.get("aria-label"))
            self.assertTrue(all(th.get("scope") for th in table.all("th")))
        for svg in page.all("svg"):
            self.assertTrue(svg.get("aria-hidden") or (svg.get("role") == "img" and svg.one("title").text))
        ids = [node.get("id") for node in page.all() if node.get("id")]
        self.assertEqual(len(ids), len(set(ids)))

    def test_the_same_bytes(self):
        """Of a run, of its parts merged, and on standard output."""
        same = ("-m", "psnr", "--reproducible")
        self.passes("-q", *same, "--threads", 1, "--html", "a.html", REF, DIS)
        self.assertEqual(self.passes(*same, "--threads", 1, "--html", "-", REF, DIS).out, self.read("a.html"))
        for first, frames in ((0, 5), (5, 9)):
            self.passes("-q", "-m", "psnr", "--threads", 1, "--first", first, "--frames", frames, "--shard",
                        f"{first}.json", REF, DIS)
        self.passes("merge", "-q", "0.json", "5.json", "--html", "c.html", "--json", "c.json", "--precision", "max")
        page = parse(self.read("c.html"))
        self.check_table(page, json.loads(self.read("c.json")))
        self.assertEqual(self.data(page), self.data(parse(self.read("a.html"))))

    def test_incomplete(self):
        self.write("cut.y4m", y4m(64, 64, frames=3)[:-100])
        self.write("whole.y4m", y4m(64, 64, frames=3))
        self.fails(INPUT, "cut.y4m", "-m", "psnr", "--html", "p.html", "whole.y4m", "cut.y4m")
        before = self.read("p.html")
        page = parse(before)
        said = page.one("p", class_="warning").text
        self.assertTrue(said.startswith("Incomplete cut.y4m"), said)
        self.assertIn("2 frames", page.one("p", class_="facts").text)
        done = self.run_assay("-m", "psnr", "--html", "p.html", "whole.y4m", "-", text=False,
                              input=y4m(64, 64, frames=1)[:-100])
        self.assertEqual(done.code, INPUT)
        self.assertEqual(self.read("p.html"), before, "a run that scored no frame leaves the page of before")

    def test_gates(self):
        result = self.run_assay("-q", "-m", "psnr", "--html", "r.html", "--fail-under", "psnr_y.p5=10", "--fail-under",
                                "psnr_y=90", REF, DIS)
        self.assertEqual(result.code, 1)
        items = [(li.get("class"), li.text) for li in parse(self.read("r.html")).one("ul", class_="gates").all("li")]
        self.assertEqual([name for name, _ in items], ["passed", "failed"])
        self.assertRegex(items[0][1], r"passed psnr_y\.p5 is \d+\.\d+, at least 10")

    def test_numbers_of_frames_and_gaps(self):
        page, report = self.run_both("-m", "psnr", "--every", 2, "--first", 2, REF, DIS)
        self.assertEqual(self.data(page)["keys"][0]["curves"][0]["frames"], {"first": 2, "step": 2})
        ref, dis = (y4m(32, 32, frames=9, noise=n).split(b"FRAME\n") for n in (0, 3))
        for i in (2, 3, 4, 8):  # of 1 to 9; these stay equal
            dis[i] = ref[i]
        for name, parts in (("r.y4m", ref), ("d.y4m", dis)):
            self.write(name, b"FRAME\n".join(parts))
        page, report = self.run_both("-m", "psnr_hvs", "r.y4m", "d.y4m")
        curve = self.data(page)["keys"][0]["curves"][0]
        self.assertEqual([v is None for v in curve["values"]], [False, True, False, False, False, True, False])
        self.assertEqual(curve["frames"], [0, 1, 3, 1, 1, 1, 1])  # the gap of three frames is one null
        panel = page.one("figure", data_key="psnr_hvs_y")
        self.assertEqual(len(list(panel.all("polyline"))), 3)
        self.assertIn("4 of 9 without a finite value", panel.text)
        page, _ = self.run_both("-m", "psnr_hvs", "r.y4m", "r.y4m")
        self.assertEqual(list(page.all("polyline")), [])

    def test_ten_thousand_frames(self):
        """The report of a run of 10,000 frames is written in less than a second of processor time, and keeps all."""
        frames = self.long_pair()
        self.passes("-q", "-m", "psnr,float_ssim,float_moment", "--shard", "p.json", "r.y4m", "d.y4m")
        times = []
        for more in ((), ("--html", "r.html")):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.passes("merge", "-q", "p.json", "--csv", "r.csv", *more)
            times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        if os.environ.get("ASSAY_SANITIZED") != "1":
            self.assertLess(times[1] - times[0], 1)
        page = parse(self.read("r.html"))
        for key in self.data(page)["keys"]:
            self.assertEqual(len(key["curves"][0]["values"]), frames)
        self.assertLess((self.dir / "r.html").stat().st_size, 1500000)

    def frames(self, page):
        """(frame, value, number of pictures) of each of the worst frames."""
        return [(int(li.get("data-frame")), float([b.get("data-value") for b in li.all("b")][1]),
                 len(list(li.all("img")))) for li in page.all("li", class_="frame")]

    def test_worst_frames(self):
        """The five worst, the worst first, with three pictures each; in a long run at least a second apart."""
        page, report = self.run_both("-m", "psnr", REF, DIS)
        values = [f["metrics"]["psnr_y"] for f in report["frames"]]
        order = sorted(range(len(values)), key=lambda i: values[i])
        found = self.frames(page)
        self.assertEqual([f for f, _, _ in found], order[:5])
        self.assertEqual([v for _, v, _ in found], [values[i] for i in order[:5]])
        pictures = 3 if self.has_webp(page) else 0
        self.assertEqual({n for _, _, n in found}, {pictures})
        for img in page.all("img"):
            self.assertEqual((img.get("width"), img.get("height")), ("320", "180"))
            self.assertTrue(img.get("alt"))
            data = base64.b64decode(img.get("src").removeprefix("data:image/webp;base64,"), validate=True)
            self.assertEqual((data[:4], data[8:16]), (b"RIFF", b"WEBPVP8 "))
            self.assertEqual(struct.unpack("<HH", data[26:30]), (320, 180))
        self.assertEqual("difference, brightest from" in page.one(id="worst").text, pictures > 0)
        if os.environ.get("ASSAY_PNG") and pictures:
            page, _ = self.run_both("--force", "-m", "diff", "--heatmap", "maps", REF, DIS)
            self.assertIn("map diff, brightest from", page.one(id="worst").text)
        frames = self.long_pair()
        page, report = self.run_both("--force", "-m", "psnr", "--thumbnails", 9, "r.y4m", "d.y4m")
        values, chosen = [f["metrics"]["psnr_y"] for f in report["frames"]], []
        for i in sorted(range(frames), key=lambda i: values[i]):
            if len(chosen) < 9 and all(abs(i - j) >= 25 for j in chosen):
                chosen.append(i)
        self.assertEqual([f for f, _, _ in self.frames(page)], chosen)
        self.assertIn("at least 25 frames apart", page.one(id="worst").text)

    def has_webp(self, page):
        return "libwebp" not in page.one(id="worst").text or bool(os.environ.get("CI"))

    def test_worst_of_every_kind(self):
        """What two inputs can differ in, and what else pictures can be: they are shown as they were compared."""
        self.write("a.y4m", y4m(96, 64))
        for name, how in (("b.y4m", {"noise": 3}), ("mono.y4m", {"chroma": "mono"}), ("ten.y4m", {"depth": 10}),
                          ("full.y4m", {"chroma": "444", "noise": 2}), ("small.y4m", {"noise": 2})):
            size = (48, 32) if name == "small.y4m" else (96, 64)
            self.write(name, y4m(*size, **how))
        self.write("c.yuv", y4m(96, 64).replace(b"FRAME\n", b"").split(b"\n", 1)[1])
        part, whole = ("--crop-ref", "32x32+8+8", "--crop-dis", "32x32+8+8"), (96, 64)
        for args, size in ((("a.y4m", "b.y4m"), whole), ((*part, "a.y4m", "b.y4m"), (32, 32)),
                           (("--scale", "bicubic", "a.y4m", "small.y4m"), whole),
                           (("--allow-size", "a.y4m", "small.y4m"), (48, 32)),
                           (("mono.y4m", "mono.y4m"), whole), (("ten.y4m", "ten.y4m"), whole),
                           (("full.y4m", "full.y4m"), whole), (("--allow-depth", "a.y4m", "ten.y4m"), whole),
                           (("--allow-format", "a.y4m", "full.y4m"), whole),
                           (("-w", 96, "-h", 64, "-p", "420", "-b", 8, "a.y4m", "c.yuv"), whole),
                           (("--every", 2, "a.y4m", "b.y4m"), whole),
                           (("--skip-ref", 1, "--allow-length", "a.y4m", "b.y4m"), whole)):
            page, _ = self.run_both("-m", "psnr", *args)
            images = list(page.all("img"))
            self.assertEqual({(int(i.get("width")), int(i.get("height"))) for i in images} or {size}, {size}, args)
            self.assertEqual(len(images), 3 * len(self.frames(page)) if self.has_webp(page) else 0, args)
            self.assertTrue(self.frames(page), args)

    def test_no_pictures(self):
        """Where there are none the report says why, and has the frames."""
        with open(REF, "rb") as pipe:
            done = self.run_assay("-q", "-m", "psnr", "--html", "p.html", "-", DIS, stdin=pipe)
        self.assertEqual(done.code, 0, done)
        text = parse(self.read("p.html")).one(id="worst").text
        self.assertIn("There are no pictures: a second pass reads both inputs", text)
        self.passes("-q", "-m", "psnr", "--pair", "time", "--html", "t.html", REF, DIS)
        page = parse(self.read("t.html"))
        self.assertEqual([n for _, _, n in self.frames(page)], [0] * 5)
        self.assertIn("--pair time", page.one(id="worst").text)
        for i in (0, 4):
            self.passes("-q", "-m", "psnr", "--first", i, "--frames", 4, "--shard", f"{i}.json", REF, DIS)
        self.passes("merge", "-q", "0.json", "4.json", "--html", "m.html")
        page = parse(self.read("m.html"))
        self.assertEqual([n for _, _, n in self.frames(page)], [0] * 5)
        self.assertIn("assay merge has the scores and not the videos", page.one(id="worst").text)
        self.write("libwebp.so.7", b"no library")
        done = self.passes("-m", "psnr", "--html", "w.html", REF, DIS, env={"LD_LIBRARY_PATH": str(self.dir)})
        self.assertIn("libwebp7", done.err)
        self.assertIn("libwebp7", parse(self.read("w.html")).one(id="worst").text)
        for args in (("-m", "psnr", "--thumbnails", 0), ("-m", "float_moment")):
            self.passes("-q", *args, "--html", "n.html", REF, DIS)
            self.assertEqual(self.frames(parse(self.read("n.html"))), [])

    def test_refusals(self):
        self.refuses(USAGE, "--thumbnails are of --html", "--thumbnails", 3, REF, DIS)
        self.refuses(USAGE, "from 0 to 50", "--thumbnails", 51, "--html", "p.html", REF, DIS)
        self.refuses(USAGE, "both be written", "--html", "p", "--json", "p", REF, DIS)
        self.refuses(1, "--html", "vmaf", "--html", "p.html", "-r", REF, "-d", DIS)
        self.write("mine.html", b"<!DOCTYPE html>\n<p>mine")
        self.refuses(USAGE, "--force", "--html", "mine.html", REF, DIS)
        for _ in range(2):  # its own is overwritten
            self.passes("-q", "-m", "psnr", "--html", "own.html", REF, DIS)
        self.refuses(6, "nowhere", "-q", "-m", "psnr", "--html", "/proc/nowhere/p.html", REF, DIS)


class Ladder(Report):
    def encodes(self):
        """ref.y4m, and three encodes of it: a.y4m, b<&.y4m and c.y4m."""
        self.write("ref.y4m", y4m(96, 64, frames=6))
        return [self.write(name, y4m(96, 64, frames=6, noise=n)) for n, name in ((2, "a.y4m"), (5, "b<&.y4m"),
                                                                                 (9, "c.y4m"))]

    def test_encodes_over_each_other(self):
        """A row, a curve, a table and worst frames of each; figures of the JSON report."""
        names = self.encodes()
        self.passes("-q", "-m", "psnr,float_ssim", "--precision", "max", "--json", "r.json", "--html", "r.html",
                    "--plot", "p.svg", "ref.y4m", *names)
        page, report = parse(self.read("r.html")), json.loads(self.read("r.json"))
        self.assertEqual(page.one("h1").text, "3 encodes against ref.y4m")
        rows = [row for row in page.one("table", id="encodes").all("tr") if row.get("data-encode")]
        self.assertEqual(len(rows), 3)
        for number, (row, encode) in enumerate(zip(rows, report["encodes"], strict=True)):
            self.assertIn(encode["name"], row.text)
            self.check_table(page, encode, number)
            for key, pools in encode["pooled_metrics"].items():
                cell = row.one("td", data_key=key, data_figure="mean")
                self.assertEqual(float(cell.get("data-value")), pools["mean"])
        for panel in page.all("figure", class_="panel"):
            self.assertEqual([line.get("class") for line in panel.all("polyline")],
                             ["curve e0 d0", "curve e1 d1", "curve e2 d2"])
        for key in self.data(page)["keys"]:
            for curve, encode in zip(key["curves"], report["encodes"], strict=True):
                values = [f["metrics"][key["name"]] for f in encode["frames"]]
                for a, b in zip(curve["values"], values, strict=True):
                    self.assertAlmostEqual(a, b, delta=0.5001 * 10 ** -key["decimals"])
        for frames, encode in zip(page.one(id="worst").all("ol"), report["encodes"], strict=True):
            values = [f["metrics"]["psnr_y"] for f in encode["frames"]]
            self.assertEqual([int(li.get("data-frame")) for li in frames.all("li")],
                             sorted(range(6), key=lambda i: values[i])[:5])
        self.assertEqual(list(page.all("figure", class_="rate")), [])  # the rates of Y4M say nothing
        self.assertEqual(self.read("p.svg").count("<polyline"), 12)
        self.assertIn(">b&lt;&amp;<", self.read("p.svg"))

    def test_an_encode_that_fails(self):
        """It keeps its number, with the reason."""
        names = self.encodes()
        self.write("b<&.y4m", b"no video")
        self.run_assay("-q", "-m", "psnr", "--html", "r.html", "--plot", "p.svg", "ref.y4m", *names)
        page = parse(self.read("r.html"))
        self.assertEqual(page.one("h1").text, "3 encodes against ref.y4m")
        self.assertIn("b<&", page.one("p", class_="warning").text)
        panel = page.one("figure", data_key="psnr_y")
        self.assertEqual([line.get("class") for line in panel.all("polyline")], ["curve e0 d0", "curve e2 d2"])
        self.assertIn("incomplete", self.read("p.svg"))

    @unittest.skipUnless(os.environ.get("ASSAY_LIBAV") and shutil.which("ffmpeg"), "no ffmpeg")
    def test_rates(self):
        for rate in (60, 150, 400):
            subprocess.run(["ffmpeg", "-v", "error", "-i", REF, "-c:v", "mpeg4", "-b:v", f"{rate}k", f"{rate}.mkv"],
                           cwd=self.dir, check=True)
        self.passes("-q", "-m", "psnr", "--json", "r.json", "--html", "r.html", "--precision", "max", REF, "60.mkv",
                    "150.mkv", "400.mkv")
        page, report = parse(self.read("r.html")), json.loads(self.read("r.json"))
        figure = page.one("figure", class_="rate", data_key="psnr_y")
        points = [(float(g.one("circle").get("cx")), float(g.one("circle").get("cy"))) for g in figure.all("g")]
        kbps = [e["assay"]["distorted_bitrate_kbps"] for e in report["encodes"]]
        means = [e["pooled_metrics"]["psnr_y"]["mean"] for e in report["encodes"]]
        self.assertEqual(sorted(kbps), kbps)
        self.assertEqual(sorted(points), points)
        ticks = [(float(t.get("y")) - 4, float(t.text)) for t in figure.all("text", class_="y")]
        (y0, v0), (y1, v1) = ticks[0], ticks[-1]
        for (_, y), mean in zip(points, means, strict=True):
            self.assertAlmostEqual(y, y0 + (mean - v0) * (y1 - y0) / (v1 - v0), delta=2 * ROUNDING)
        a, b, c = (math.log10(v) for v in kbps)
        (x0, _), (x1, _), (x2, _) = points
        self.assertAlmostEqual((x1 - x0) / (x2 - x0), (b - a) / (c - a), places=2)
        for row, value in zip((r for r in page.one("table", id="encodes").all("tr") if r.get("data-encode")), kbps):
            self.assertEqual(float(row.one("td", data_figure="kbps").get("data-value")), value)


@unittest.skipUnless(BROWSER, "no chromium")
class InBrowser(Browser, Report):
    def test_with_script(self):
        _, report = self.run_both("-m", "psnr,float_ssim", REF, DIS)
        dom, said = self.browse("r.html", "--dump-dom", "--screenshot=s.png")
        self.assertEqual(said, [])
        page = parse(re.sub(r"^<!DOCTYPE html>", "", dom))
        self.check_table(page, report)
        self.assertEqual(page.one("html").get("class"), "scripted")
        for key in ("psnr_y", "float_ssim"):
            panel = page.one("figure", data_key=key)
            line, = panel.all("polyline")
            self.assertEqual(len(line.get("points").split()), len(report["frames"]))
            bars = sum(int(re.search(r": (\d+) frame", r.text)[1]) for r in panel.all("rect", class_="bar"))
            self.assertEqual(bars, len(report["frames"]))

    def test_without_script(self):
        _, report = self.run_both("-m", "psnr,float_ssim", REF, DIS)
        self.write("off.html", SCRIPT.sub("script-src 'none'", self.read("r.html")).encode())
        dom, said = self.browse("off.html", "--dump-dom")
        self.assertTrue(said and all("Content Security Policy" in line for line in said), said)
        page = parse(re.sub(r"^<!DOCTYPE html>", "", dom))
        self.assertIsNone(page.one("html").get("class"))
        self.check_table(page, report)
        for panel in page.all("figure"):
            self.assertEqual(len(panel.one("polyline").get("points").split()), len(report["frames"]))

    def test_is_not_blank(self):
        """Light and dark, wide and narrow: something is drawn, and nothing makes the page scroll sideways."""
        self.run_both("-m", "psnr", REF, DIS)
        sizes = set()
        for scheme in (0, 1):  # dark, light
            for width in (500, 1280):
                name = f"s{scheme}{width}.png"
                self.browse("r.html", f"--screenshot={self.dir / name}", f"--window-size={width},900",
                            f"--blink-settings=preferredColorScheme={scheme}")
                self.assertGreater((self.dir / name).stat().st_size, 15000)
                sizes.add((self.dir / name).read_bytes())
        self.assertEqual(len(sizes), 4)
        wide = self.with_test_script("document.getElementById('result').textContent = JSON.stringify("
                                     "document.documentElement.scrollWidth <= innerWidth)")
        self.assertTrue(wide)

    def test_hover_zoom_and_switches(self):
        _, report = self.run_both("-m", "psnr,float_ssim", REF, DIS)
        got = self.with_test_script("""
          const $ = s => document.querySelector(s), svg = $('#score-psnr_y svg'), box = svg.getBoundingClientRect();
          const right = box.width - 184, out = {};
          const at = part => ({clientX: box.left + 56 + part * (right - 56), clientY: box.top + 50, bubbles: true,
                               pointerId: 1, pointerType: 'mouse', button: 0});
          const fire = (name, part) => svg.dispatchEvent(new PointerEvent(name, at(part)));
          const press = key => svg.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
          svg.setPointerCapture = () => {};
          fire('pointermove', 3 / 7);
          out.hover = $('#score-psnr_y .readout').textContent;
          out.other = $('#score-float_ssim .readout').textContent;
          out.note = $('#score-psnr_y .note').hidden;
          fire('pointerleave', 0);
          out.left = $('#score-psnr_y .readout').hidden;
          fire('pointerdown', 1.9 / 7); fire('pointermove', 4 / 7); fire('pointermove', 6.1 / 7);
          fire('pointerup', 6.1 / 7);
          out.zoomed = $('#view').textContent;
          out.reset = $('#reset').hidden;
          out.vertices = $('#score-float_ssim polyline').getAttribute('points').split(' ').length;
          $('#reset').click();
          out.all = $('#view').textContent + $('#reset').hidden;
          fire('pointerleave', 0);
          press('ArrowRight'); press('ArrowRight'); press('ArrowRight');
          out.key = $('#score-psnr_y .readout').textContent;
          out.said = $('#said').textContent;
          press('+'); out.in = $('#view').textContent; press('Escape'); out.out = $('#view').textContent;
          const button = $('#score-names li button');
          button.click(); out.off = [$('#score-psnr_y').hidden, button.getAttribute('aria-pressed')];
          button.click(); out.on = [$('#score-psnr_y').hidden, button.getAttribute('aria-pressed')];
          $('#result').textContent = JSON.stringify(out);""")
        y, ssim = ([f["metrics"][k] for f in report["frames"]] for k in ("psnr_y", "float_ssim"))
        self.assertEqual(got["hover"], f"frame 3, 0:00.100 {y[3]:.3f}")
        self.assertTrue(got["other"].endswith(f"{ssim[3]:.5f}"), got)
        self.assertEqual((got["note"], got["left"], got["reset"]), (True, True, False))
        self.assertEqual(got["zoomed"], "frames 2 to 6")
        self.assertEqual(got["vertices"], 7)  # and one beyond each end
        self.assertEqual(got["all"], "Drag over a plot to zoomtrue")
        self.assertEqual(got["key"], f"frame 5, 0:00.167 {y[5]:.3f}")  # from the middle on
        self.assertEqual(got["said"], "psnr_y: " + got["key"])
        self.assertTrue(got["in"].startswith("frames "), got)
        self.assertEqual(got["out"], "Drag over a plot to zoom")
        self.assertEqual((got["off"], got["on"]), ([True, "false"], [False, "true"]))

    def test_sliders(self):
        page, _ = self.run_both("-m", "psnr", REF, DIS)
        if not list(page.all("img")):
            self.skipTest("no libwebp")
        got = self.with_test_script("""
          const frame = document.querySelector('.frame'), out = {};
          const seen = () => [...frame.querySelectorAll('.side')].filter(s => !s.hidden).map(s => s.dataset.side);
          const slider = frame.querySelector('input'), buttons = [...frame.querySelectorAll('button')];
          out.loaded = [...document.images].every(i => i.complete && i.naturalWidth === 320 && i.naturalHeight === 180);
          out.label = slider.getAttribute('aria-label');
          out.first = seen();
          slider.value = 20; slider.dispatchEvent(new Event('input'));
          out.cut = getComputedStyle(frame.querySelector('[data-side=distorted] img')).clipPath;
          buttons[1].click();
          out.second = seen();
          out.pressed = buttons.map(b => b.getAttribute('aria-pressed'));
          document.getElementById('result').textContent = JSON.stringify(out);""")
        self.assertTrue(got["loaded"])
        self.assertTrue(got["label"])
        self.assertEqual(got["first"], ["reference", "distorted"])
        self.assertEqual(got["cut"], "inset(0px 0px 0px 20%)")
        self.assertEqual(got["second"], ["reference", "map"])
        self.assertEqual(got["pressed"], ["false", "true"])

    def test_opens_fast(self):
        """10,000 frames: what the page's own script takes."""
        self.long_pair()
        self.passes("-q", "-m", "psnr,float_ssim", "--html", "r.html", "r.y4m", "d.y4m")
        got = self.with_test_script("document.getElementById('result').textContent = JSON.stringify(["
                                    "performance.now(), document.querySelectorAll('polyline').length])")
        self.assertEqual(got[1], 2)
        self.assertLess(got[0], 20000)  # on a loaded machine; docs/report.md has the figure of a free one


if __name__ == "__main__":
    main()
