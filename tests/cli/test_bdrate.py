# SPDX-License-Identifier: BSD-2-Clause
"""assay bdrate: its figures against a second computation, its inputs, its outputs and every refusal."""
import csv
import io
import json
import os
import random
import re
import shutil
import subprocess
import unittest
from fractions import Fraction

from bd_fractions import curve, deltas, log10, value
from command import DIS, INPUT, MISMATCH, REF, USAGE, Case, frame, main, y4m
from pages import BROWSER, ROUNDING, Browser, parse
from pictures import pixels, png

HAVE = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")
METHODS = ("pchip", "akima", "aom", "cubic")
ANCHOR = [(9487.76, 40.037), (4593.60, 38.615), (2486.44, 36.845), (1358.24, 34.851)]
TEST = [(9787.80, 40.121), (4469.00, 38.651), (2451.52, 36.970), (1356.24, 34.987)]


class Case(Case):
    def report(self, name, scores, block=None, **more):
        """A report in libvmaf's shape, of a frame for each entry of the lists."""
        scores = {key: v if isinstance(v, list) else [v] for key, v in scores.items()}
        frames = [{"frameNum": i, "metrics": {key: v[i] for key, v in scores.items()}}
                  for i in range(len(next(iter(scores.values()))))]
        report = {"version": "3.0.0", "fps": 1.5, "frames": frames, "pooled_metrics": {}, "aggregate_metrics": {},
                  **({"assay": block} if block is not None else {}), **more}
        return self.write(name, json.dumps(report).encode())

    def points(self, anchor=ANCHOR, test=TEST, key="psnr_y"):
        args = []
        for side, points in (("anchor", anchor), ("test", test)):
            args.append(f"--{side}")
            for i, (rate, score) in enumerate(points):
                args.append(self.report(f"{side}{i}.json", {key: score}) + f"@{rate!r}")
        return args

    def results(self, *args):
        out = self.passes("bdrate", "-q", "--precision", "max", "--json", "-", *args).out
        return {(r["score"], r["method"]): r for r in json.loads(out)["results"]}


class Figures(Case):
    def compare(self, anchor, test, key="psnr_y"):
        results = self.results("--method", ",".join(METHODS), "-m", key, *self.points(anchor, test, key))
        self.assertEqual(len(results), len(METHODS))
        for method in METHODS:
            found, (rate, score) = results[key, method], deltas(anchor, test, method)
            scale = max(q for _, q in anchor) - min(q for _, q in anchor)
            self.assertAlmostEqual(found["bd_rate_percent"], rate, delta=1e-10 * (100 + abs(rate)), msg=method)
            if score is None:
                self.assertIsNone(found["bd_score"])
            else:
                self.assertAlmostEqual(found["bd_score"], score, delta=1e-11 * (scale + abs(score)), msg=method)
        return results

    def test_published_points(self):
        found = self.compare(ANCHOR, TEST)["psnr_y", "akima"]
        self.assertEqual(f"{found['bd_rate_percent']:.2f}", "-4.43")
        self.assertEqual((found["better"], found["score_from"], found["score_to"]), ("higher", 34.987, 40.037))
        self.assertEqual((found["kbps_from"], found["kbps_to"]), (1358.24, 9487.76))
        turned = self.compare(TEST, ANCHOR)["psnr_y", "akima"]
        ends = ("score_from", "score_to", "kbps_from", "kbps_to")
        self.assertEqual([turned[end] for end in ends], [found[end] for end in ends])
        self.assertAlmostEqual(found["score_overlap_percent"], 100 * (40.037 - 34.987) / (40.121 - 34.851), delta=1e-9)

    def test_made_up_curves(self):
        dice = random.Random(5)
        for n in range(40):
            curves = []
            for _ in range(2):
                rates = sorted(dice.uniform(1.5, 5) for _ in range(dice.choice((4, 4, 5, 6, 9))))
                score, points = dice.uniform(20, 26), []
                for rate in rates:
                    score += dice.choice((0.01, 1, 1, 3, 8)) * dice.uniform(0.1, 2)
                    points.append((10**rate, score))
                dice.shuffle(points)
                curves.append(points)
            a, b = (sorted(q for _, q in c) for c in curves)
            if max(a[0], b[0]) < min(a[-1], b[-1]):
                with self.subTest(n=n):
                    self.compare(*curves)

    def test_straight_lines(self):
        """Where Akima's weights are all zero."""
        line = [(100 * 2.0**i, 30.0 + i) for i in range(5)]
        for r in self.compare(line, [(r / 2, q) for r, q in line]).values():
            self.assertAlmostEqual(r["bd_rate_percent"], -50, delta=1e-10)
            self.assertAlmostEqual(r["bd_score"], 1, delta=1e-12)

    def test_lower_is_better(self):
        """Banding: the test needs half the rate for the same, and has less of it at the same rate."""
        line = [(100 * 2.0**i, 8.0 - i) for i in range(5)]
        for r in self.compare(line, [(r / 2, q) for r, q in line], "cambi").values():
            self.assertAlmostEqual(r["bd_rate_percent"], -50, delta=1e-10)
            self.assertAlmostEqual(r["bd_score"], -1, delta=1e-12)
            self.assertEqual(r["better"], "lower")

    def test_rates_apart(self):
        line = [(100 * 2.0**i, 30.0 + i) for i in range(4)]
        result = self.passes("bdrate", *self.points(line, [(r * 100, q) for r, q in line]), "--csv", "r.csv")
        self.assertIn("assay: psnr_y: the rates of the curves do not overlap, so there is no BD-score\n", result.err)
        self.assertRegex(result.out, r"(?m)^psnr_y +akima +9900\.000 % +- ")
        row = list(csv.DictReader(io.StringIO(self.read("r.csv"))))[0]
        self.assertEqual((row["bd_score"], row["kbps_from"], row["kbps_overlap_percent"]), ("", "", "0.000000"))
        self.assertEqual(self.compare(line, [(r * 100, q) for r, q in line])["psnr_y", "aom"]["kbps_from"], None)

    def test_small_overlap(self):
        line = [(100 * 2.0**i, 30.0 + i) for i in range(5)]
        result = self.passes("bdrate", *self.points(line, [(r, q + 2) for r, q in line]), "-m", "psnr_y")
        self.assertEqual(result.err, "assay: psnr_y: the curves have only 33 % of their range in common\n")
        for more, said in ((0.574, ["assay: psnr_y: the curves have only 74 % of their range in common"]), (0.57, [])):
            near = self.passes("bdrate", *self.points(line, [(r, q + more) for r, q in line]), "-m", "psnr_y")
            self.assertEqual(near.err.splitlines(), said) # 74.9 % and 75.05 %
        dear = self.passes("bdrate", *self.points(line, [(r * 4, q) for r, q in line]), "-m", "psnr_y")
        self.assertEqual(dear.err, "assay: psnr_y: the curves have only 33 % of their rates in common\n")
        self.assertEqual(self.passes("bdrate", "-q", *self.points(line, [(r, q + 2) for r, q in line])).err, "")


    def test_crossing(self):
        """The notice is there where each curve is the better one somewhere, on the page too."""
        line = [(100 * 2.0**i, 30.0 + i) for i in range(5)]
        args = self.points(line, [(r * (0.8 + 0.1 * i), q) for i, (r, q) in enumerate(line)])
        said = "psnr_y: the curves cross: which one needs less rate depends on the score"
        self.assertEqual(self.passes("bdrate", "--html", "c.html", *args).err.splitlines()[-1], f"assay: {said}")
        self.assertIn(said, self.read("c.html"))
        args = self.points(line, [(r * (0.8 + 0.04 * i), q) for i, (r, q) in enumerate(line)])
        self.assertNotIn("cross", self.passes("bdrate", *args).err)


class Outputs(Case):
    def test_names(self):
        """What the curves are called, in every form."""
        name = "new <b>&"
        args = ("bdrate", "-m", "psnr_y", "--anchor-name", "x264 slow", "--test-name", name, *self.points())
        out = self.passes(*args, "--json", "n.json", "--html", "n.html").out
        self.assertRegex(out, r"(?m)^x264 slow +kbit/s")
        self.assertRegex(out, r"(?m)^new <b>& +kbit/s")
        self.assertNotRegex(out, r"(?m)^(anchor|test) ")
        report = json.loads(self.read("n.json"))
        self.assertEqual((report["anchor_name"], report["test_name"], len(report["test"])), ("x264 slow", name, 4))
        page = parse(self.read("n.html"))
        self.assertEqual(page.one(id="results-title").text, f"{name} against x264 slow")
        self.assertEqual([li.text.strip() for li in page.one("ul", class_="legend").all("li")], ["x264 slow", name])
        self.assertEqual([h.text for h in page.one(id="points").all("h3")], ["x264 slow", name])

    def test_long_names(self):
        """Of a name that is cut, whole characters are left."""
        for length in range(20, 28):
            name = "é" * (length // 2) + "x" * (length % 2) + "世界"
            out = self.passes("bdrate", "-m", "psnr_y", "--anchor-name", name, *self.points(), text=False).out
            shown = next(line for line in out.decode().splitlines() if "kbit/s" in line).split()[0]
            self.assertTrue(name.endswith(shown.removeprefix("...")), shown)
            self.assertLessEqual(len(shown.encode()), 24)

    def test_names_that_tell_nothing(self):
        for names, words in ((("--anchor-name", "x", "--test-name", "x"), ["both curves", "'x'"]),
                             (("--anchor-name", "test"), ["both curves", "'test'"]),
                             (("--test-name", ""), ["--test-name needs a name"])):
            self.refuses(USAGE, words, "bdrate", "-m", "psnr_y", *names, *self.points())

    def test_table(self):
        result = self.passes("bdrate", "-m", "psnr_y", *self.points())
        self.assertEqual(result.err, "")
        self.assertEqual(result.out, """\
anchor        kbit/s   psnr_y
anchor3.json  1358.2  34.8510
anchor2.json  2486.4  36.8450
anchor1.json  4593.6  38.6150
anchor0.json  9487.8  40.0370
test          kbit/s   psnr_y
test3.json    1356.2  34.9870
test2.json    2451.5  36.9700
test1.json    4469.0  38.6510
test0.json    9787.8  40.1210

score   method   BD-rate  BD-score     from       to  overlap
psnr_y   pchip  -4.417 %   0.11969  34.9870  40.0370   95.8 %
psnr_y   akima  -4.425 %   0.11941  34.9870  40.0370   95.8 %
""")
        self.assertIn("-4.4 %", self.passes("bdrate", "--precision", 1, "--method=aom", *self.points()).out)

    def test_many_scores_fit_the_table(self):
        keys = [f"a_rather_long_name_of_score_{i}" for i in range(9)]
        args = []
        for side in ("anchor", "test"):
            args += [f"--{side}", *[self.report(f"{side}{i}.json", {k: 10.0 + i for k in keys}) + f"@{2**i}"
                                    for i in range(4)]]
        out = self.passes("bdrate", "-m", ",".join(keys), *args).out
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertIn("..._long_name_of_score_8   akima", out)
        self.assertEqual(len(self.results("-m", ",".join(keys), *args)), 18)

    def test_json_and_csv(self):
        self.passes("bdrate", "-q", "--json", "a.json", "--csv", "a.csv", "--method", "aom,pchip", *self.points())
        report = json.loads(self.read("a.json"))
        self.assertEqual(list(report), ["version", "anchor_name", "test_name", "anchor", "test", "results"])
        self.assertEqual(report["anchor"][0], {"file": "anchor3.json", "kbps": 1358.24, "bitrate_of": "given",
                                               "scores": {"psnr_y": 34.851}})
        rows = list(csv.DictReader(io.StringIO(self.read("a.csv"))))
        self.assertEqual([r["method"] for r in rows], ["pchip", "aom"])
        for row, result in zip(rows, report["results"]):
            self.assertEqual(list(row), list(result))
            for key, v in result.items():
                self.assertEqual(row[key], v if isinstance(v, str) else f"{v:.6f}", key)
        self.passes("bdrate", "-q", "--csv", "a.csv", *self.points())
        again = self.passes("bdrate", "-q", "--json", "a.json", "--csv", "-", *self.points()) # assay wrote a.json
        self.assertTrue(again.out.startswith("score,better,method,"))

    def test_help(self):
        self.assertIn("--anchor", self.passes("bdrate", "--help").out)
        self.assertIn("--anchor", self.passes("help", "bdrate").out)


class Page(Browser, Case):
    """--html"""

    RESULTS = ("bd_rate_percent", "bd_score", "score_from", "score_to", "score_overlap_percent", "kbps_from", "kbps_to")

    def page(self, *args):
        self.passes("bdrate", "-q", "--html", "p.html", "--json", "p.json", "--precision", "max", *args)
        return parse(self.read("p.html")), json.loads(self.read("p.json"))

    def check(self, page, report):
        """Every figure reads back as that of the JSON."""
        rows = [row for row in page.one(id="results").all("tr") if row.get("data-key")]
        for row, result in zip(rows, report["results"], strict=True):
            self.assertEqual((row.get("data-key"), row.get("data-method")), (result["score"], result["method"]))
            cells = {cell.get("data-figure"): float(cell.get("data-value")) for cell in row.all("td")
                     if cell.get("data-figure")}
            self.assertEqual(cells, {k: result[k] for k in self.RESULTS if result[k] is not None})
        for side, name in enumerate(("anchor", "test")):
            rows = list(page.one("table", id=f"points-{side}").one("tbody").all("tr"))
            for row, point in zip(rows, report[name], strict=True):
                cells = {cell.get("data-figure"): float(cell.get("data-value")) for cell in row.all("td")}
                self.assertEqual(cells, {"kbps": point["kbps"], **point["scores"]})
                self.assertIn(point["file"], row.text)

    def test_figures(self):
        page, report = self.page("--method", "pchip,akima,aom", *self.points())
        self.check(page, report)
        self.assertEqual(len(report["results"]), 3)
        self.passes("bdrate", "-q", "--html", "d.html", *self.points())
        rates = parse(self.read("d.html")).one(id="results").all("td", data_figure="bd_rate_percent")
        self.assertEqual([td.text for td in rates], ["-4.417 %", "-4.425 %"])
        self.assertEqual(list(page.all("p", class_="warning")), [])
        self.assertEqual(self.passes("bdrate", "--html", "-", *self.points()).out, self.read("d.html"))
        self.passes("bdrate", "-q", "--html", "d.html", *self.points()) # over its own
        self.write("mine.html", b"<p>mine")
        self.refuses(USAGE, "--force", "bdrate", "--html", "mine.html", *self.points())
        self.refuses(USAGE, "--thumbnails", "bdrate", "--html", "d.html", "--thumbnails", 3, *self.points())

    def test_head(self):
        """What reports state, as text, whatever it is; a page without script that loads nothing."""
        args = []
        for side, points in (("anchor", ANCHOR), ("test", TEST)):
            args.append(f"--{side}")
            for i, (rate, score) in enumerate(points):
                args.append(self.report(f"<i>{side}&{i}.json", {"psnr_y": [score, score]}, {
                    "reference_file": "x/<b>&\".y4m", "width": 64, "height": 48, "distorted_bitrate_kbps": rate}))
        page, report = self.page(*args)
        self.check(page, report)
        self.assertEqual(page.one("h1").text, 'Two rate-distortion curves of x/<b>&".y4m')
        self.assertEqual([span.text for span in page.one("p", class_="facts").all("span")][:3],
                         ["64\u00d748", "2 frames", "4 and 4 points"])
        self.assertEqual(list(page.all("script")), [])
        policy = page.one("meta", http_equiv="Content-Security-Policy").get("content")
        self.assertTrue(policy.startswith("default-src 'none'; ") and "script-src 'none'" in policy, policy)
        for node in page.all():
            for key in ("src", "href", "srcset", "action", "data"):
                self.assertTrue((node.get(key) or "data:").startswith("data:"), (node.name, node.attributes))
        for table in page.all("table"):
            self.assertTrue(table.get("aria-label") and all(th.get("scope") for th in table.all("th")))
        for svg in page.all("svg"):
            self.assertTrue(svg.get("aria-hidden") or (svg.get("role") == "img" and list(svg.all("title"))))
        ids = [node.get("id") for node in page.all() if node.get("id")]
        self.assertEqual(len(ids), len(set(ids)))
        page, _ = self.page(*self.points()) # libvmaf's reports state nothing
        self.assertEqual(page.one("h1").text, "Two rate-distortion curves")

    def test_plot(self):
        """The points and the curves lie where the axes say, and the curves are those that are compared."""
        for method in METHODS:
            page, report = self.page("--method", method, *self.points())
            figure = page.one("figure", class_="rate", data_key="psnr_y")
            ticks = [(float(t.get("y")) - 4, float(t.text)) for t in figure.all("text", class_="y")]
            rates = [(float(t.get("x")), log10(float(t.text))) for t in figure.all("text", class_="x")
                     if t.text != "kbit/s"]

            def scale(known, v):
                (p0, v0), (p1, v1) = known[0], known[-1]
                return p0 + float((v - v0) / (v1 - v0)) * (p1 - p0)
            for side, name in enumerate(("anchor", "test")):
                points = [(log10(p["kbps"]), Fraction(p["scores"]["psnr_y"])) for p in report[name]]
                circles = [g.one("circle") for g in figure.all("g", data_curve=str(side))]
                for circle, (rate, score) in zip(circles, points, strict=True):
                    self.assertAlmostEqual(float(circle.get("cx")), scale(rates, rate), delta=3 * ROUNDING)
                    self.assertAlmostEqual(float(circle.get("cy")), scale(ticks, float(score)), delta=3 * ROUNDING)
                line = figure.one("polyline", data_curve=str(side)).get("points").split()
                x, y = [q for _, q in points], [r for r, _ in points]
                y, slopes = curve(x, y, method)
                self.assertEqual(len(line), 3 * 24 + 1)
                for i, vertex in enumerate(line):
                    k = min(i // 24, 2)
                    at = x[k] + (x[k + 1] - x[k]) * Fraction(i - 24 * k, 24)
                    across, up = map(float, vertex.split(","))
                    self.assertAlmostEqual(across, scale(rates, value(x, y, slopes, at)), delta=3 * ROUNDING)
                    self.assertAlmostEqual(up, scale(ticks, float(at)), delta=3 * ROUNDING)
            band = figure.one("rect", class_="band")
            top, height = float(band.get("y")), float(band.get("height"))
            self.assertAlmostEqual(top, scale(ticks, 40.037), delta=3 * ROUNDING)
            self.assertAlmostEqual(top + height, scale(ticks, 34.987), delta=3 * ROUNDING)

    def test_notices(self):
        line = [(100 * 2.0**i, 30.0 + i) for i in range(4)]
        page, report = self.page(*self.points(line, [(r * 100, q + 2) for r, q in line]))
        self.check(page, report)
        self.assertEqual([p.text for p in page.all("p", class_="warning")],
                         ["psnr_y: the curves have only 20 % of their range in common",
                          "psnr_y: the rates of the curves do not overlap, so there is no BD-score"])
        line = [(r, 40 - q) for r, q in line]
        page, report = self.page("-m", "cambi", *self.points(line, [(r / 2, q) for r, q in line], "cambi"))
        self.check(page, report)
        self.assertEqual(page.one("figure").one("span", class_="note").text, "lower is better")

    @unittest.skipUnless(BROWSER, "no chromium")
    def test_in_a_browser(self):
        """Nothing is complained of. Light and dark, wide and narrow, something is drawn, and nothing scrolls sideways.
        """
        args = self.points(key="vmaf")
        _, report = self.page(*args)
        dom, said = self.browse("p.html", "--dump-dom")
        self.assertEqual(said, [])
        self.check(parse(dom.removeprefix("<!DOCTYPE html>")), report)
        pictures = set()
        for scheme in (0, 1):  # dark, light
            for width in (500, 1280):
                name = self.dir / f"s{scheme}{width}.png"
                self.browse("p.html", f"--screenshot={name}", f"--window-size={width},900",
                            f"--blink-settings=preferredColorScheme={scheme}")
                self.assertGreater(name.stat().st_size, 15000)
                pictures.add(name.read_bytes())
        self.assertEqual(len(pictures), 4)
        self.assertTrue(self.with_test_script(
            "document.getElementById('result').textContent = JSON.stringify(document.documentElement.scrollWidth <= "
            "innerWidth && [...document.querySelectorAll('polyline')].every(l => l.getTotalLength() > 100))", "p.html"))


class Reports(Case):
    def test_pools_and_figures_of_the_run(self):
        """A pool is that of the frames; an aggregate stands for itself."""
        dice, args = random.Random(1), []
        for side in (0, 1):
            args.append(("--anchor", "--test")[side])
            for i in range(4):
                values = [30 + 2 * i + side + dice.random() for _ in range(9)]
                args.append(self.report(f"{side}{i}.json", {"psnr_y": values},
                                        aggregate_metrics={"apsnr_y": min(values)}) + f"@{2**i}")
        found = self.results("-m", "psnr_y.min,apsnr_y,psnr_y.median,psnr_y", *args)
        for field in ("bd_rate_percent", "bd_score", "score_from"):
            self.assertEqual(found["psnr_y.min", "pchip"][field], found["apsnr_y", "pchip"][field])
            self.assertEqual(len({found[key, "pchip"][field] for key in ("psnr_y.min", "psnr_y.median", "psnr_y")}), 3)
        self.refuses(USAGE, ["00.json", "'apsnr_y' is one figure", "no pool 'p5'"], "bdrate", "-m", "apsnr_y.p5", *args)
        self.refuses(USAGE, "'nope' is not a pool", "bdrate", "-m", "psnr_y.nope", *args)

    def test_rates_of_reports(self):
        """The one that a report states, unless another is given; a file that has @ in its name is that file."""
        args = []
        for side, points in (("anchor", ANCHOR), ("test", TEST)):
            args += [f"--{side}", *[self.report(f"{side}{i}@7", {"vmaf": q}, {"distorted_bitrate_kbps": r,
                                                                             "distorted_bitrate_of": "video track"})
                                    for i, (r, q) in enumerate(points)]]
        found = self.results(*args)
        self.assertEqual(found["vmaf", "pchip"]["bd_rate_percent"],
                         self.results(*self.points(key="vmaf"))["vmaf", "pchip"]["bd_rate_percent"])
        args[1] += "@20000"
        report = json.loads(self.passes("bdrate", "-q", "--json", "-", *args).out)
        self.assertEqual([(p["kbps"], p["bitrate_of"]) for p in report["anchor"]],
                         [(1358.24, "video track"), (2486.44, "video track"), (4593.6, "video track"),
                          (20000, "given")])

    def test_usual_scores(self):
        args = self.points(key="vmaf")
        result = self.passes("bdrate", *args)
        self.assertEqual(result.err.splitlines(), [f"assay: {key} is left out: anchor0.json has no such score"
                                                   for key in ("psnr_y", "float_ms_ssim")])
        self.assertRegex(result.out, r"(?m)^vmaf +pchip ")

    def test_what_has_a_rate(self):
        """Each point says it of itself, in whatever order the points stand."""
        def points(of):
            args = []
            for side, curve in (("anchor", ANCHOR), ("test", TEST)):
                args.append(f"--{side}")
                for i, (rate, score) in enumerate(curve):
                    block = {} if of[i] == "given" else {"distorted_bitrate_kbps": rate, "distorted_bitrate_of": of[i]}
                    args.append(self.report(f"{side}{i}.json", {"vmaf": score}, block)
                                + (f"@{rate!r}" if of[i] == "given" else ""))
            return args
        of = ["video track", "given", "video track", "given"]
        report = json.loads(self.passes("bdrate", "-q", "--json", "-", *points(of)).out)
        for side in ("anchor", "test"):
            self.assertEqual([(p["file"], p["bitrate_of"]) for p in report[side]],
                             [(f"{side}{i}.json", of[i]) for i in (3, 2, 1, 0)])
        # A file that is not coded, a decoded one, has a rate that is none of an encode.
        of[2] = "file"
        self.refuses(USAGE, "anchor2.json: its bitrate is not known; 'anchor2.json@KBPS' gives it", "bdrate",
                     *points(of))
        given = [f"{word}@{rate}" if word.endswith("2.json") else word
                 for word, rate in zip(points(of), [0, 0, 0, 2486.44, 0, 0, 0, 0, 2451.52, 0])]
        self.assertEqual(json.loads(self.passes("bdrate", "-q", "--json", "-", *given).out)["results"],
                         report["results"])

    def ladder(self, **how):
        """Noise of four strengths for each curve. Uncompressed, so rates are given."""
        self.write("ref.y4m", y4m(frames=4, **how))
        return [[self.write(f"{side}{i}.y4m", y4m(frames=4, noise=14 - 3 * i - j, **how)) for i in range(4)]
                for j, side in enumerate("ab")]

    def test_files_score_as_their_reports_do(self):
        files = self.ladder(width=176, height=176)
        args = {"video": [], "json": []}
        for side, names in zip(("--anchor", "--test"), files):
            for kind in args:
                args[kind].append(side)
            for i, name in enumerate(names):
                self.passes("-q", "-m", "psnr,float_ms_ssim,float_ssim", "--precision", "max", "--json", f"{name}.json",
                            "ref.y4m", name)
                args["video"].append(f"{name}@{100 * 3**i}")
                args["json"].append(f"{name}.json@{100 * 3**i}")
        names = "psnr_y,float_ms_ssim.p5,psnr_cb"
        from_reports = self.results("-m", names, *args["json"])
        self.assertEqual(self.results("-m", names, "--reference", "ref.y4m", *args["video"]), from_reports)
        self.assertEqual(len(from_reports), 6)
        mixed = [*args["video"][:5], *args["json"][5:]]
        self.assertEqual(self.results("-m", names, "-r", "ref.y4m", *mixed), from_reports)
        result = self.passes("bdrate", "-m", "psnr_y", "-r", "ref.y4m", "--no-progress", *args["video"])
        self.assertEqual([re.sub("(once: ).*", r"\1", line) for line in result.err.splitlines()],
                         ["assay: 8 videos are scored", "assay: 8 encodes at once: "])
        self.assertTrue(result.out.startswith("anchor "), result)
        # The reference is read once: a pipe is enough.
        with open(self.dir / "ref.y4m", "rb") as stream:
            piped = self.passes("bdrate", "-q", "--precision", "max", "--json", "-", "-m", names, "-r", "-",
                                *args["video"], stdin=stream)
        self.assertEqual(piped.out, self.passes("bdrate", "-q", "--precision", "max", "--json", "-", "-m", names, "-r",
                                                "ref.y4m", *args["video"]).out)
        with_option = ("-m", "psnr_y,mse_y", "--feature", "psnr=enable_mse=true")
        found = self.results(*with_option, "-r", "ref.y4m", *args["video"])
        self.assertEqual(found["mse_y", "pchip"]["better"], "lower")
        self.assertLess(found["mse_y", "pchip"]["bd_rate_percent"], 0)
        self.refuses(USAGE, "a0.y4m has no score named 'mse_y'", "bdrate", "-q", "-m", "psnr_y,mse_y", "--feature",
                     "psnr", "-r", "ref.y4m", *args["video"])
        # Before anything is scored: one line.
        self.refuses(USAGE, "its scores are psnr_y psnr_cb psnr_cr", "bdrate", "-m", "psnr", "-r", "ref.y4m",
                     *args["video"])
        self.refuses(USAGE, "--feature", "bdrate", "-q", "-m", "psnr_z", "-r", "ref.y4m", *args["video"])
        # other options of the metric that is compared, and of one that is not
        self.passes("-q", "-m", "psnr=min_sse=1,float_ssim", "--json", "a0.y4m.json", "ref.y4m", "a0.y4m")
        self.refuses(MISMATCH, ["a0.y4m.json", "different options: psnr="], "bdrate", "-m", "psnr_y", *args["json"])
        self.passes("-q", "-m", "psnr,float_ssim=enable_lcs=true", "--json", "a0.y4m.json", "ref.y4m", "a0.y4m")
        self.results("-m", "psnr_y", *args["json"])
        self.refuses(INPUT, "b2.y4m", "bdrate", "-q", "-m", "psnr_y", "-r", "ref.y4m",
                     *[a.replace("b2.y4m@900", self.write("b2.y4m", b"junk") + "@900") for a in args["video"]])

    def test_encodes_of_another_size(self):
        files = self.ladder(width=64, height=48)
        self.write("small.y4m", y4m(32, 24, 4, noise=20))
        args = ["--anchor", "small.y4m@50", *[f"{n}@{100 * 3**i}" for i, n in enumerate(files[0])],
                "--test", *[f"{n}@{100 * 3**i}" for i, n in enumerate(files[1])]]
        self.fails(MISMATCH, ["64x48 against 32x24", "--scale bicubic"], "bdrate", "-m", "psnr_y", "-r", "ref.y4m",
                   *args)
        scaled = self.results("-m", "psnr_y", "-r", "ref.y4m", "--scale", "lanczos", *args)
        self.passes("-q", "-m", "psnr", "--scale", "lanczos", "--precision", "max", "--json", "small.json", "ref.y4m",
                    "small.y4m")
        args[1] = "small.json@50"
        self.assertEqual(self.results("-m", "psnr_y", "-r", "ref.y4m", *args), scaled)
        self.fails(MISMATCH, "different sizes", "bdrate", "-m", "psnr_y", "-r", "ref.y4m", "--scale", "bicubic",
                   "--scale-to", "32x24", *args)
        self.refuses(USAGE, "--scale is for files", "bdrate", "--scale", "bicubic", *self.points())
        self.refuses(USAGE, "--crop-dis is for files", "bdrate", "--crop-dis", "2x2+0+0", *self.points())
        self.refuses(USAGE, "--scale-ref needs --scale", "bdrate", "--scale-ref", *self.points())

    def test_parts_of_pictures(self):
        files = self.ladder(width=64, height=48)
        args = ["--anchor", *[f"{n}@{100 * 3**i}" for i, n in enumerate(files[0])],
                "--test", *[f"{n}@{100 * 3**i}" for i, n in enumerate(files[1])]]
        part = ["--crop-ref", "32x40+8+4", "--crop-dis", "32x40+8+4"]
        cropped = self.results("-m", "psnr_y", "-r", "ref.y4m", *part, *args)
        self.assertNotEqual(cropped, self.results("-m", "psnr_y", "-r", "ref.y4m", *args))
        self.passes("-q", "-m", "psnr", *part, "--precision", "max", "--json", "one.json", "ref.y4m", files[0][0])
        args[1] = "one.json@100"
        self.assertEqual(self.results("-m", "psnr_y", "-r", "ref.y4m", *part, *args), cropped)
        self.fails(MISMATCH, "different sizes", "bdrate", "-m", "psnr_y", "-r", "ref.y4m", *args)
        part[1] = part[3] = "32x40+10+4"
        self.fails(MISMATCH, "two parts of the reference: 32x40+8+4 and 32x40+10+4", "bdrate", "-m", "psnr_y", "-r",
                   "ref.y4m", *part, *args)

    @unittest.skipUnless(HAVE, "this build has no libav, or there is no ffmpeg program")
    def test_encodes(self):
        """Their rates are those of their containers."""
        args = []
        for side, codec in (("--anchor", "mpeg4"), ("--test", "libx264")):
            args.append(side)
            for q in (3, 6, 12, 24):
                name = f"{codec}{q}.mkv"
                subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", REF, "-c:v", codec,
                                *(["-qscale:v", str(q)] if codec == "mpeg4" else ["-qp", str(q + 14)]), name],
                               cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
                args.append(name)
        self.passes("bdrate", "-q", "-m", "psnr_y", "-r", REF, *args, "--json", "direct.json", "--precision", "max")
        direct = json.loads(self.read("direct.json"))
        for i, name in enumerate(args):
            if name.endswith(".mkv"):
                self.passes("-q", "-m", "psnr", "--precision", "max", "--json", f"{name}.json", REF, name)
                block = json.loads(self.read(f"{name}.json"))["assay"]
                point, = (p for side in ("anchor", "test") for p in direct[side] if p["file"] == name)
                self.assertEqual(point["kbps"], block["distorted_bitrate_kbps"])
                args[i] = f"{name}.json"
        self.assertEqual(list(self.results("-m", "psnr_y", *args).values()), direct["results"])
        self.assertEqual(deltas(*[[(p["kbps"], p["scores"]["psnr_y"]) for p in direct[side]]
                                  for side in ("anchor", "test")], "pchip")[0].__round__(6),
                         round(direct["results"][0]["bd_rate_percent"], 6))


class Several(Case):
    """Reports on several encodes of one reference."""

    def joint(self, name, encodes, **more):
        """A report on encodes, {file: (rate, score)}; no rate: it states none."""
        listed = []
        for file, (rate, score) in encodes.items():
            block = {"distorted_bitrate_kbps": rate, "distorted_bitrate_of": "video track"} if rate else {}
            listed.append({"name": os.path.splitext(os.path.basename(file))[0], "file": file, "exit_code": 0,
                           "failed": None, "frames": [{"frameNum": 0, "metrics": {"psnr_y": score}}],
                           "pooled_metrics": {}, "aggregate_metrics": {}, "assay": block, **more.get(file, {})})
        return self.write(name, json.dumps({"version": "assay 0.1.0", "encodes": listed}).encode())

    def curves(self):
        """The files of both, with their points."""
        return [{f"{codec}/{i}.mp4": point for i, point in enumerate(points)}
                for codec, points in (("old", ANCHOR), ("new", TEST))]

    def test_a_report_is_a_curve(self):
        anchor, test = self.curves()
        expected = self.results("-m", "psnr_y", *self.points())
        files = self.joint("a.json", anchor), self.joint("b.json", test)
        self.assertEqual(self.results("-m", "psnr_y", "--anchor", files[0], "--test", files[1]), expected)
        # with points of other files, in any order
        single = self.report("one.json", {"psnr_y": TEST[2][1]}) + f"@{TEST[2][0]}"
        self.joint("b.json", {f: p for f, p in test.items() if p != TEST[2]})
        self.assertEqual(self.results("-m", "psnr_y", "--test", single, "b.json", "--anchor", "a.json"), expected)

    def test_encodes_by_name(self):
        """One report has both curves: an encode is called by its path, or by its name where that is one's alone."""
        anchor, test = self.curves()
        self.joint("all.json", {**anchor, **test, "extra.mkv": (5000, 39.0)})
        expected = self.results("-m", "psnr_y", *self.points())
        args = ["--anchor", *[f"all.json:{f}" for f in anchor], "--test", *[f"all.json:{f}" for f in test]]
        self.assertEqual(self.results("-m", "psnr_y", *args), expected)
        report = json.loads(self.passes("bdrate", "-q", "-m", "psnr_y", *args, "--json", "-").out)
        self.assertEqual(report["test"][0], {"file": "all.json", "encode": "new/3.mp4", "kbps": TEST[3][0],
                                             "bitrate_of": "video track", "scores": {"psnr_y": TEST[3][1]}})
        self.assertIn("\nall.json:old/0.mp4  9487.8  ", self.passes("bdrate", "-m", "psnr_y", *args).out)
        with_extra = ["bdrate", "-q", "-m", "psnr_y", "--json", "-", *args, "all.json:extra"]
        self.assertEqual([p["encode"] for p in json.loads(self.passes(*with_extra).out)["test"]],
                         ["new/3.mp4", "new/2.mp4", "new/1.mp4", "extra.mkv", "new/0.mp4"])
        with_extra[-1] += "@6000"
        self.assertEqual([(p["encode"], p["bitrate_of"]) for p in json.loads(self.passes(*with_extra).out)["test"]][3],
                         ("extra.mkv", "given"))
        self.refuses(USAGE, "all.json: two encodes are called '0': old/0.mp4 and new/0.mp4", "bdrate", *args,
                     "all.json:0")
        self.refuses(USAGE, "all.json: has no encode 'old'; it has old/0.mp4, old/1.mp4", "bdrate", *args,
                     "all.json:old")
        self.refuses(USAGE, "has no encode ''", "bdrate", *args, "all.json:")
        self.refuses(USAGE, "all.json:new/1.mp4 is a point of --test already", "bdrate", *args,
                     "all.json:new/1.mp4")
        self.refuses(USAGE, "all.json:old/0.mp4 is a point of --anchor already: 'all.json:ENCODE' takes one", "bdrate",
                     *args, "all.json:old/0.mp4")

    def test_whose_name_it_is(self):
        """A file goes before an encode, the whole text before the part in front of @, a path before a name."""
        self.joint("all.json", {"a": (100, 30.0), "a@7": (200, 31.0), "b@7": (400, 32.0), "x/c": (800, 33.0),
                                "c": (1600, 34.0), "y/d:e": (3200, 35.0)})
        _, test = self.curves()
        self.joint("b.json", {f: (r, q - 5) for f, (r, q) in test.items()})

        def anchor(*names):
            args = ("bdrate", "-q", "-m", "psnr_y", "--json", "-", "--test", "b.json", "--anchor", *names)
            return [(p.get("encode", p["file"]), p["kbps"]) for p in json.loads(self.passes(*args).out)["anchor"]]
        self.assertEqual(anchor("all.json:a@7", "all.json:b@7", "all.json:c", "all.json:x/c@900"),
                         [("a@7", 200), ("b@7", 400), ("x/c", 900), ("c", 1600)])
        self.assertEqual(anchor("all.json:a@7@250", "all.json:a", "all.json:c", "all.json:y/d:e"),
                         [("a", 100), ("a@7", 250), ("c", 1600), ("y/d:e", 3200)])
        self.report("all.json:c", {"psnr_y": 31.5}, {"distorted_bitrate_kbps": 300})
        self.assertEqual(anchor("all.json:c", "all.json:a", "all.json:b@7", "all.json:x/c"),
                         [("a", 100), ("all.json:c", 300), ("b@7", 400), ("x/c", 800)])

    def test_what_a_ladder_run_writes(self):
        """The figures are those of reports on single encodes."""
        self.write("ref.y4m", y4m(frames=3))
        names = [[self.write(f"{side}{i}.y4m", y4m(frames=3, noise=14 - 3 * i - j)) for i in range(4)]
                 for j, side in enumerate("ab")]
        how = ("-q", "-m", "psnr", "--precision", "max")
        self.passes(*how, "--json", "{name}.json", "ref.y4m", *names[0], *names[1])
        self.passes(*how, "--json", "all.json", "ref.y4m", *names[0], *names[1])
        single, joint = ([v for j in (0, 1) for v in (("--anchor", "--test")[j],
                                                      *[f"{form.format(n[:-4])}@{100 * 3**i}"
                                                        for i, n in enumerate(names[j])])]
                         for form in ("{}.json", "all.json:{}"))
        expected = self.results("-m", "psnr_y,psnr_cb.p5", *single)
        self.assertEqual(self.results("-m", "psnr_y,psnr_cb.p5", *joint), expected)
        self.assertEqual(len(expected), 4)
        # a video among them
        joint[2] = f"{names[0][1]}@300"
        self.assertEqual(self.results("-m", "psnr_y,psnr_cb.p5", "-r", "ref.y4m", *joint), expected)

    def test_refusals(self):
        anchor, test = self.curves()
        self.joint("a.json", anchor)
        self.joint("b.json", test)
        args = ("bdrate", "-m", "psnr_y", "--anchor", "a.json", "--test")
        self.refuses(USAGE, "a.json:old/0.mp4 is a point of --anchor already", *args, "a.json")
        self.refuses(USAGE, "b.json: is a report on 4 encodes, and a rate is one encode's", *args, "b.json@100")
        self.refuses(USAGE, "at least 4 points of each curve, and --test has 2", *args, "b.json:0", "b.json:1")
        single = self.report("one.json", {"psnr_y": 38.0}, {"distorted_bitrate_kbps": 3000})
        self.refuses(USAGE, "one.json: is a report on one encode, and '0' names one of several", *args, "b.json",
                     f"{single}:0")
        self.refuses(USAGE, "has no encode named '0'", *args, "b.json", f"{REF}:0")
        self.refuses(INPUT, "nowhere.json:0: can't be opened", *args, "nowhere.json:0")
        self.joint("b.json", {**test, "new/4.mp4": (None, 20.0)})
        self.refuses(USAGE, "b.json:new/4.mp4: its bitrate is not known; 'b.json:new/4.mp4@KBPS' gives it", *args,
                     "b.json")
        self.passes(*args, *[f"b.json:{i}" for i in range(4)])
        # One that failed is refused, with or without scores, where it is asked for.
        bad = {"new/1.mp4": {"exit_code": 3, "failed": "new/1.mp4: frame 7: is\ndamaged"}}
        self.joint("b.json", {**test, "new/4.mp4": (500, 30.0)}, **bad)
        self.refuses(INPUT, "b.json:new/1.mp4: this encode failed: new/1.mp4: frame 7: is?damaged", *args, "b.json")
        self.passes(*args, *[f"b.json:{i}" for i in (0, 2, 3, 4)])
        data = json.loads(self.read("b.json"))
        del data["encodes"][1]["frames"], data["encodes"][1]["assay"]
        self.write("b.json", json.dumps(data).encode())
        self.refuses(INPUT, "this encode failed", *args, "b.json")
        data["encodes"][1]["failed"] = None
        self.write("b.json", json.dumps(data).encode())
        self.refuses(INPUT, "b.json:new/1.mp4: no report of scores", *args, "b.json")
        for text in (b'{"encodes": []}', b'{"encodes": [{"name": "a"}]}', b'{"encodes": [1]}',
                     json.dumps({"encodes": data["encodes"][:1] * 17}).encode()):
            self.write("b.json", text)
            self.refuses(INPUT, "b.json: no report of scores", *args, "b.json")
        self.refuses(USAGE, "one of the inputs", *args, "a.json:0", "--json", "a.json")
        many = [self.joint(f"m{i}.json", {f"{k}.mp4": (1 + 16 * i + k, 20.0 + 16 * i + k) for k in range(16)})
                for i in range(5)]
        self.refuses(USAGE, "--test has more than 64 points", *args, *many)


class Refusals(Case):
    def other(self, code, says, scores=None, block=None, whole=None, **more):
        """A second point of the anchor that does not fit the others, which state everything."""
        files, whole = [], {"width": 64, "height": 48, "reference_file": "/a/ref.mkv",
                            "configuration": "psnr=x=1,vmaf=model=a", **(whole or {})}
        for i in range(8):
            scores_of = {"psnr_y": [30.0 + i % 4, 31.0 + i % 4]}
            files.append(self.report(f"{i}.json", scores or scores_of if i == 1 else scores_of,
                                     {**whole, **(block or {})} if i == 1 else whole, **(more if i == 1 else {}))
                         + f"@{2**(i % 4)}")
        args = ("bdrate", "-m", "psnr_y", "--anchor", *files[:4], "--test", *files[4:])
        return self.passes(*args) if code is None else self.refuses(code, says, *args)

    def test_mixed_references(self):
        self.other(MISMATCH, ["0.json and 1.json have different references: /a/ref.mkv and other.mkv"],
                   block={"reference_file": "other.mkv"})
        self.other(None, "", block={"reference_file": "/b/ref.mkv"})
        self.other(MISMATCH, "different sizes: 64x48 and 64x50", block={"height": 50})
        self.other(MISMATCH, ["0.json and 1.json were scaled in two ways: bicubic and lanczos"],
                   whole={"scale_filter": "bicubic", "scale_siting": "centre"}, block={"scale_filter": "lanczos"})
        self.other(MISMATCH, "in two ways: centre and tag",
                   whole={"scale_filter": "bicubic", "scale_siting": "centre"}, block={"scale_siting": "tag"})
        self.other(None, "", block={"scale_filter": "bicubic", "scale_siting": "centre"})
        self.other(MISMATCH, "against two parts of the reference: 64x48+0+8 and the whole",
                   whole={"reference_crop": "64x48+0+8"}, block={"reference_crop": None})
        self.other(None, "", whole={"reference_crop": "64x48+0+8"}, block={"distorted_crop": "64x48+0+8"})
        self.other(MISMATCH, "different frames: 2 and 3", scores={"psnr_y": [31.0, 32.0, 31.5]})
        self.other(MISMATCH, "different frames: their numbers differ",
                   frames=[{"frameNum": i, "metrics": {"psnr_y": 31.5}} for i in (0, 2)])
        self.other(MISMATCH, "number 0 is frame 0 of the reference in one and frame 3 in the other",
                   whole={"first_reference_frame": 0}, block={"first_reference_frame": 3})
        self.other(MISMATCH, "number 0 is frame 3 of the reference in one and frame 0 in the other",
                   whole={"first_reference_frame": 3}, block={"first_reference_frame": 0})
        self.other(None, "", whole={"first_reference_frame": 3}, block={"first_distorted_frame": 2})
        self.other(None, "", block={"first_reference_frame": 3})
        self.other(MISMATCH, "different options: psnr=x=1 and psnr=x=2", block={"configuration": "psnr=x=2"})
        self.other(None, "", block={"configuration": "vmaf=model=b,psnr=x=1"})
        self.other(INPUT, ["1.json", "incomplete run: the disk is full"],
                   block={"incomplete": True, "reason": "the disk is full"})

    def test_shapes(self):
        for text in (b"", b"{", b"{}", b'{"frames": [], "pooled_metrics": {}}',
                     b'{"frames": [{"metrics": {"psnr_y": 31}}], "pooled_metrics": {}}',
                     b'{"frames": [{"frameNum": 0}], "pooled_metrics": {}}',
                     b'{"frames": [{"frameNum": 0.5, "metrics": {}}], "pooled_metrics": {}}',
                     b'{"frames": [{"frameNum": 1, "metrics": {}}, {"frameNum": 1, "metrics": {}}],'
                     b' "pooled_metrics": {}}',
                     b'{"frames": 1, "pooled_metrics": {}}', b'{"pairs": []}'):
            with self.subTest(text=text):
                args = self.points()
                self.write("anchor1.json", text)
                code = USAGE if not text else INPUT # an empty file is no report
                self.refuses(code, "anchor1.json", "bdrate", "-m", "psnr_y", *args)

    def test_curves(self):
        def refuse(code, says, anchor=ANCHOR, test=TEST, key="psnr_y"):
            return self.refuses(code, says, "bdrate", "-m", key, *self.points(anchor, test, key))
        refuse(USAGE, "at least 4 points of each curve, and --test has 3", test=TEST[:3])
        refuse(USAGE, "at least 4 points of each curve, and --anchor has 0", anchor=[])
        refuse(MISMATCH, "anchor: anchor0.json and anchor1.json have the same rate, 9487.76",
               anchor=[ANCHOR[0], (ANCHOR[0][0], 39.0), *ANCHOR[2:]])
        refuse(MISMATCH, "test: psnr_y is not monotonic: 38.651000 of test1.json, and 38.000000 of test0.json",
               test=[(9000.0, 38.0), *TEST[1:]])
        refuse(MISMATCH, "not monotonic", test=[(9000.0, TEST[1][1]), *TEST[1:]])
        refuse(MISMATCH, "cambi is not monotonic", key="cambi") # where less is better
        refuse(MISMATCH, "psnr_y: the curves do not overlap: 34.851000 to 40.037000 of the anchor, 44.9",
               test=[(r, q + 10) for r, q in TEST])
        refuse(USAGE, "psnr_y of anchor0.json has no finite value", anchor=[(9487.76, None), *ANCHOR[1:]])
        refuse(USAGE, "neither higher nor lower", key="integer_motion2")
        # a score that assay does not know: the anchor shows that more is better
        turned = [(r, -q) for r, q in TEST]
        self.results("-m", "mine", *self.points(key="mine"))
        refuse(MISMATCH, "test: mine is not monotonic", test=turned, key="mine")
        self.assertEqual(self.results("-m", "mine", *self.points([(r, -q) for r, q in ANCHOR], turned, "mine"))
                         ["mine", "pchip"]["better"], "lower")

    def test_missing(self):
        args = self.points()
        self.refuses(USAGE, "anchor0.json has no score named 'vmaf'", "bdrate", "-m", "psnr_y,vmaf", *args)
        self.report("test2.json", {"other": 1.0})
        self.refuses(USAGE, "test2.json has no score named 'psnr_y'", "bdrate", "-m", "psnr_y", *args)
        self.fails(USAGE, "-m names others", "bdrate", *args)
        args = self.points()
        without = [a.split("@")[0] if "test1" in a else a for a in args]
        self.refuses(USAGE, "test1.json: its bitrate is not known; 'test1.json@KBPS'", "bdrate", "-m", "psnr_y",
                     *without)
        self.refuses(USAGE, "test1.json: its bitrate is not known", "bdrate", "-m", "psnr_y", *without, f"{DIS}@77",
                     "-r", REF) # and no video was scored before
        self.write("d.yuv", bytes(352 * 198 * 3 // 2 * 8)) # files that have no bitrate: nothing is scored before
        self.write("d.png", png(pixels(32, 24)))
        for name, what in ((DIS, "not coded"), ("d.yuv", "not coded"), ("d.png", "an image")):
            if name == "d.png" and not os.environ.get("ASSAY_PNG"):
                continue
            self.refuses(USAGE, f"{name}: is {what}, so its bitrate is not known; '{name}@KBPS' gives", "bdrate", "-m",
                         "psnr_y", *args, f"{DIS}@77", name, "-r", REF, "-w", 352, "--height", 198, "-p", "yuv420p")
        self.refuses(INPUT, "nowhere.json", "bdrate", *[a.replace("test1", "nowhere") for a in args])
        self.refuses(INPUT, "Is a directory", "bdrate", *[a.replace("test1.json@4469.0", ".") for a in args])

    def test_arguments(self):
        args = self.points()
        self.refuses(USAGE, "'x.json' stands behind neither", "bdrate", "x.json", *args)
        self.refuses(USAGE, "standard input", "bdrate", *args, "-")
        self.refuses(USAGE, "no positive number", "bdrate", *args, "test0.json@0")
        self.refuses(USAGE, "no positive number", "bdrate", *args, "test0.json@-4")
        self.refuses(USAGE, "pchip, akima, aom, cubic, not 'cubi'", "bdrate", "--method", "cubi", *args)
        self.refuses(USAGE, "too short", "bdrate", "-m", "", *args)
        self.refuses(USAGE, "can't be the name", "bdrate", "-m", "a b", *args)
        self.refuses(USAGE, "more than 64 scores", "bdrate", "-m", ",".join(["vmaf"] * 65), *args)
        self.refuses(USAGE, "more than 64 files behind --test", "bdrate", *args, *["test0.json"] * 61)
        self.refuses(USAGE, "--xml", "bdrate", *args, "--xml", "o.xml")
        self.refuses(USAGE, "--frames", "bdrate", *args, "--frames", 3)
        self.refuses(USAGE, "--anchor", REF, DIS, "--anchor")
        self.refuses(USAGE, "one of the inputs", "bdrate", *args, "--json", "test0.json")
        for option in (["--reference", REF], ["--feature", "psnr"], ["--skip-ref", 1], ["--skip-dis", 1],
                       ["--every", 2], ["--ref-colour", "bt709"], ["--crop-dis", "8x8+0+0"], ["--scale", "bicubic"],
                       ["--pair", "time"], ["--dis-format", "coded"], ["--matrix", "bt709"],
                       ["--width", 8, "-h", 8, "-p", "yuv420p"]):
            self.refuses(USAGE, f"{option[0]} is for files that are to be scored, and all points are reports",
                         "bdrate", *option, *args)
        self.assertEqual(self.passes("bdrate", "--threads", 1, *args).out, self.passes("bdrate", *args).out)
        self.refuses(USAGE, f"{DIS}: is no report, and to be scored it needs --reference", "bdrate", *args, f"{DIS}@5")
        self.write("o.json", b"mine")
        self.refuses(USAGE, "--force", "bdrate", *args, "--json", "o.json")


if __name__ == "__main__":
    main()
