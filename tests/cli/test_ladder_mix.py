# SPDX-License-Identifier: BSD-2-Clause
"""Ladders whose encodes have other scores than each other: every cell of every report is that of the single run."""
import csv
import io
import json
import math
import random
import shutil
import unittest

from command import GATE, INPUT, MISMATCH, PASS, USAGE, Case, main, y4m
from pages import parse

DECIMALS = 9
EXACT = ("--precision", DECIMALS, "--reproducible")
FORMATS = ["mono", "420", "422", "444"]
METRICS = ["psnr", "psnr=enable_apsnr=true", "float_ssim", "motion", "diff", "float_psnr", "ciede2000", "cambi", "ssim",
           "float_ms_ssim"]
LOWER = ("max_diff", "diff_pixels", "cambi") # is better
DICE = random.Random(20261124)


def shown(value):
    """As reports print a number."""
    return "inf" if value is None else f"{value:.{DECIMALS}f}"


class Mix(Case):
    def clip(self, name, chroma, depth=8, width=64, height=64, noise=0, frames=3):
        return self.write(name, y4m(width, height, frames=frames, chroma=chroma, depth=depth, noise=noise))

    def single(self, ref, encode, *args):
        """The exit code and the report of a run of one encode; None where it has none."""
        path = self.dir / "single.json"
        path.unlink(missing_ok=True)
        code = self.run_assay(ref, encode, *args, *EXACT, "-q", "--json", "single.json").code
        return code, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def figure(self, report, key, pool):
        """A figure of a single run; False: the encode has none."""
        if not report:
            return False
        if key in report["aggregate_metrics"]:
            return report["aggregate_metrics"][key]
        if key not in report["pooled_metrics"]:
            return False
        return report["pooled_metrics"][key]["mean"] if pool == "mean" else report["assay"]["percentiles"][key][pool]

    # ---- forms of reports

    def check_json(self, singles, encodes):
        entries = json.loads(self.read("all.json"))["encodes"]
        self.assertEqual([entry["file"] for entry in entries], encodes)
        for entry, (code, report) in zip(entries, singles):
            self.assertEqual(entry["failed"] is None, code == PASS)
            for part in ("pooled_metrics", "aggregate_metrics", "frames"):
                self.assertEqual(entry.get(part), report and report[part], (entry["file"], part))
            if report:
                self.assertEqual(entry["assay"]["percentiles"], report["assay"]["percentiles"])

    def check_csv(self, singles, encodes):
        rows = list(csv.DictReader(io.StringIO(self.read("all.csv"))))
        keys = {key for _, report in singles if report for key in report["pooled_metrics"]}
        self.assertEqual(keys | {"encode", "Frame", "time", ""}, set(rows[0]) | {""})
        expected = [(name, frame) for name, (_, report) in zip(encodes, singles) if report
                    for frame in report["frames"]]
        self.assertEqual(len(rows), len(expected))
        for row, (name, frame) in zip(rows, expected):
            self.assertEqual((row["encode"], int(row["Frame"])), (name, frame["frameNum"]))
            for key in keys:
                want = frame["metrics"].get(key, False)
                self.assertEqual(row[key], "" if want is False else shown(want), (name, key))

    def check_table(self, out, singles, encodes):
        """The cells of all parts of the table."""
        cells = {name: {} for name in encodes}
        columns = []
        for line in out.splitlines():
            words = line.split()
            if words[:1] == ["encode"]:
                columns, key = [], None
                for word in words[1:]:
                    tail = key and word == ("p95" if key.startswith(LOWER) else "p5")
                    key = key if tail else word
                    columns.append((key, word.replace("p", "perc") if tail else "mean"))
            elif words and words[0] in cells and len(words) == len(columns) + 1:
                for column, word in zip(columns, words[1:]):
                    self.assertNotIn(column, cells[words[0]])
                    cells[words[0]][column] = word
        scores = 0
        for name, (_, report) in zip(encodes, singles):
            for (key, pool), word in cells[name].items():
                if key in ("size", "compared", "kbit/s", "frames", "worst", "time"):
                    continue
                want = self.figure(report, key, pool)
                self.assertEqual(word, "-" if want is False else shown(want), (name, key, pool))
                scores += 1
            if report:
                lacks = {key for key in report["pooled_metrics"] if not key.endswith(("_at_x", "_at_y"))}
                self.assertEqual(lacks - {key for key, _ in cells[name]}, set(), name)
        return scores

    def check_page(self, singles, encodes):
        page = parse(self.read("all.html"))
        data = json.loads(page.one("script", id="data").text)
        self.assertEqual(len(data["encodes"]), len(encodes))
        table = page.one("table", id="encodes")
        heads = [th.text.split(" ")[0] for th in table.all("th", scope="colgroup")]
        self.assertEqual([key["name"] for key in data["keys"]], heads)
        for i, (name, (_, report)) in enumerate(zip(encodes, singles)):
            row = table.one("tr", data_encode=str(i))
            cells = list(row.all("td"))[-2 * len(heads):] if heads else []
            for k, key in enumerate(heads):
                for pool, cell in zip(("mean", "perc95" if key.startswith(LOWER) else "perc5"), cells[2 * k:2 * k + 2]):
                    want = self.figure(report, key, pool)
                    if want is False:
                        self.assertEqual(cell.text, "–", (name, key))
                    else:
                        self.assertEqual((cell.get("data-key"), cell.get("data-figure")), (key, pool))
                        self.assertEqual(shown(float(cell.get("data-value"))), shown(want))
                curve = data["keys"][k]["curves"][i]
                want = self.figure(report, key, "mean")
                self.assertEqual(curve is None, want is False, (name, key))
                if curve and want is not None:
                    self.assertAlmostEqual(curve["mean"], want, 2)
        return page

    def check_gates(self, out, page, gates, singles, encodes):
        """Lines of the terminal and of the page, for each encode and gate."""
        lines = [line for line in out.splitlines() if line[:4] in ("pass", "FAIL")]
        items = [li.text for li in page.all("li") if li.get("class") in ("passed", "failed")]
        self.assertEqual(len(lines), len(gates) * len(encodes), out)
        self.assertEqual(len(items), len(lines))
        entries, failed = json.loads(self.read("all.json"))["encodes"], [False] * len(encodes)
        for i, (name, (code, report)) in enumerate(zip(encodes, singles)):
            for k, (key, over, limit) in enumerate(gates):
                line, item = lines[i * len(gates) + k], items[i * len(gates) + k]
                want = self.figure(report, key, "mean")
                good = want is not False and code == PASS and (
                    (want is None or want >= limit) if not over else want is not None and want <= limit)
                self.assertTrue(line.startswith(f"{'pass' if good else 'FAIL'}  {name}: {key}"), (line, want, limit))
                self.assertTrue(item.startswith("passed" if good else "failed"), item)
                failed[i] = failed[i] or not good
                why = ("not checked, the run is incomplete" if code != PASS else
                       "this encode has no such score" if want is False else None)
                for text in (line, item):
                    self.assertEqual(why is not None and text.endswith(why), why is not None, text)
                    self.assertNotIn("nan", text)
        self.assertEqual([e["exit_code"] for e in entries],
                         [code if code != PASS else GATE if bad else PASS for (code, _), bad in zip(singles, failed)])

    def check_batch(self, ref, singles, encodes, metrics):
        """A list refuses a file that is missing before it begins, so those are left out."""
        both = [(s, name) for s, name in zip(singles, encodes) if (self.dir / name).exists()]
        singles, encodes = [s for s, _ in both], [name for _, name in both]
        rows = [["reference", "distorted", "metric", "options"]]
        rows += [[ref, name, ",".join(metrics), "--allow-format --allow-depth"] for name in encodes]
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        (self.dir / "jobs.csv").write_text(text.getvalue(), encoding="utf-8")
        result = self.run_assay("batch", "-q", "jobs.csv", "--force")
        shutil.rmtree(self.dir / "jobs.csv.state")
        out = result.out
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(len(rows), len(encodes), out)
        for row, name, (code, report) in zip(rows, encodes, singles):
            self.assertEqual((row["distorted"], int(row["exit_code"])), (name, code), row)
            for column in list(row)[13:]:
                key, pool = column.rsplit(".", 1) if "." in column else (column, "mean")
                if pool in ("mean", "p5", "p95"):
                    want = self.figure(report if code == PASS else None, key, pool.replace("p", "perc"))
                    got = row[column]
                    self.assertEqual(got if got in ("", "inf") else shown(float(got)),
                                     "" if want is False else shown(want), (name, column))

    # ---- mixtures

    def encodes(self, n):
        made = []
        for i in range(n):
            kind = DICE.choice(["good"] * 8 + ["missing", "cut", "small"])
            chroma, depth = DICE.choice(FORMATS), DICE.choice([8, 8, 10])
            if chroma == "mono":
                depth = 8
            name = f"{kind}{i}-{chroma}-{depth}.y4m"
            if kind == "small":
                self.clip(name, chroma, depth, 48, 48)
            elif kind != "missing":
                self.clip(name, chroma, depth, noise=DICE.randrange(12))
            if kind == "cut":
                data = (self.dir / name).read_bytes()
                (self.dir / name).write_bytes(data[:-100])
            made.append(name)
        return made

    def gates(self, singles):
        keys = sorted({key for _, report in singles if report for key in report["pooled_metrics"]
                       if not key.endswith(("_at_x", "_at_y"))})
        made = []
        for key in DICE.sample(keys, min(3, len(keys))):
            values = [self.figure(report, key, "mean") for _, report in singles]
            values = [v for v in values if v not in (False, None)] or [1]
            made.append((key, DICE.random() < 0.5, round(DICE.choice(values), 3)))
        return made

    def mixture(self, chroma, depth, metrics, encodes):
        ref = self.clip("ref.y4m", chroma, depth)
        args = ["-m", ",".join(metrics), "--allow-format", "--allow-depth"]
        singles = [self.single(ref, name, *args) for name in encodes]
        gates = self.gates(singles)
        for key, over, limit in gates:
            args += ["--fail-over" if over else "--fail-under", f"{key}={limit}"]
        for name in ("all.json", "all.csv", "all.html"):
            (self.dir / name).unlink(missing_ok=True)
        result = self.run_assay(ref, *encodes, *args, *EXACT, "--allow-reversed-gates", "--json", "all.json", "--csv",
                                "all.csv", "--html", "all.html", "--plot", "all.svg")
        if not any(report for _, report in singles):
            self.assertNotIn(result.code, (PASS, GATE), result)
            return 0
        failed = [code for code, _ in singles if code != PASS]
        self.assertEqual(result.code in (PASS, GATE), not failed, result)
        self.check_json(singles, encodes)
        self.check_csv(singles, encodes)
        page = self.check_page(singles, encodes)
        self.check_gates(result.out, page, gates, singles, encodes)
        self.check_batch(ref, singles, encodes, metrics)
        return self.check_table(result.out, singles, encodes)


class Random(Mix):
    def test_random(self):
        cells = 0
        for number in range(10):
            chroma, depth = DICE.choice(FORMATS), DICE.choice([8, 8, 10])
            metrics, encodes = DICE.sample(METRICS, DICE.randint(1, 3)), self.encodes(DICE.randint(2, 5))
            with self.subTest(number=number, reference=chroma, depth=depth, metrics=metrics, encodes=encodes):
                cells += self.mixture(chroma, 8 if chroma == "mono" else depth, metrics, encodes)
        self.assertGreater(cells, 100)


class Known(Mix):
    def test_grey_and_colour(self):
        """Columns of the first encode's scores have shown other ones of the second."""
        ref = self.clip("ref.y4m", "420")
        names = [self.clip("a.y4m", "420", noise=3), self.clip("b.y4m", "422", noise=3), self.clip("c.y4m", "mono")]
        self.mixture("420", 8, ["psnr", "motion"], names)
        self.mixture("420", 8, ["psnr", "motion"], names[::-1])
        out = self.passes(ref, *names, "-m", "psnr", "--allow-format", "-q", "--csv", "-").out
        self.assertEqual(out.splitlines()[0].split(",")[:5], ["encode", "Frame", "psnr_y", "psnr_cb", "psnr_cr"])

    def test_sizes(self):
        """Where encodes are compared at several sizes, each row says its own."""
        ref = self.clip("ref.y4m", "420", width=64, height=64)
        names = [self.clip("a.y4m", "420", noise=1), self.clip("b.y4m", "420", width=32, height=32, noise=2)]
        args = (ref, *names, "-m", "psnr", "--scale", "bicubic", "--html", "p.html", "--plot", "p.svg", "--force")
        one = self.passes(*args)
        self.assertIn("ref.y4m: 2 encodes, compared at 64x64", one.out)
        self.assertNotIn("compared ", one.out.split("\n", 1)[1])
        self.assertIn("64×64", parse(self.read("p.html")).one("p", class_="facts").text)
        self.assertIn("64x64", self.read("p.svg"))
        several = self.passes(*args, "--scale-ref").out.splitlines()
        self.assertNotIn("compared at", several[0])
        self.assertEqual([line.split()[:3] for line in several[1:4]],
                         [["encode", "size", "compared"], ["a.y4m", "64x64", "64x64"], ["b.y4m", "32x32", "32x32"]])
        page = parse(self.read("p.html"))
        self.assertNotIn("×", page.one("p", class_="facts").text)
        self.assertEqual([td.text for td in page.all("td", data_figure="compared")], ["64x64", "32x32"])
        self.assertNotIn("64x64", self.read("p.svg"))
        names[1] = self.clip("c.y4m", "420", width=64, height=32, noise=2) # another height alone
        several = self.passes(ref, *names, *args[3:], "--scale-ref").out.splitlines()
        self.assertEqual([line.split()[:3] for line in several[1:4]],
                         [["encode", "size", "compared"], ["a.y4m", "64x64", "64x64"], ["c.y4m", "64x32", "64x32"]])

    def test_gates_of_encodes_that_failed(self):
        ref = self.clip("ref.y4m", "420")
        good = self.clip("good.y4m", "420", noise=2)
        result = self.run_assay(ref, "missing.y4m", good, "-m", "psnr", "--html", "p.html", "--fail-under", "psnr_y=1")
        self.assertEqual(result.code, INPUT, result)
        items = [li.text for li in parse(self.read("p.html")).all("li") if li.get("class") in ("passed", "failed")]
        self.assertEqual(items[0], "failed missing: psnr_y: not checked, the run is incomplete")
        self.assertRegex(items[1], r"^passed good: psnr_y\.mean is \d")

    def test_gates_on_scores_that_none_has(self):
        ref = self.clip("ref.y4m", "420")
        names = [self.clip("a.y4m", "420", noise=3), self.clip("b.y4m", "422", noise=3)]
        self.fails(USAGE, ["nosuch", "psnr_y"], ref, *names, "-m", "psnr", "--allow-format", "--fail-under", "nosuch=1")
        grey = self.clip("grey.y4m", "mono")
        self.fails(USAGE, "psnr_cb", grey, self.clip("g.y4m", "mono", noise=2), self.clip("h.y4m", "mono", noise=4),
                   "-m", "psnr", "--fail-under", "psnr_cb=1")


class Directions(Case):
    def test_refused_before_anything_is_read(self):
        for args in (("--fail-over", "vmaf=90"), ("--fail-over", "psnr_y.p5=30"), ("--fail-under", "max_diff=3"),
                     ("--fail-over", "vmaf.max=90")):
            self.refuses(USAGE, [args[0], "--allow-reversed-gates", "better"], "no.y4m", "no2.y4m", *args)
            self.fails(INPUT, "no.y4m", "no.y4m", "no2.y4m", *args, "--allow-reversed-gates")
        self.refuses(USAGE, "lower max_diff is better, so this passes what is worse: --fail-over max_diff=3 fails it",
                     "image", "a.png", "b.png", "--fail-under", "max_diff=3")
        self.refuses(USAGE, "lower alpha_max_diff", "image", "a.png", "b.png", "--fail-under", "alpha_max_diff=3")
        self.refuses(USAGE, "lower outside", "image", "a.exr", "b.exr", "--fail-under", "outside=3")
        self.refuses(USAGE, "higher vmaf", "merge", "a.json", "--fail-over", "vmaf=3")

    def test_spreads_and_unknown_directions(self):
        ref, dis = self.pair()
        for gate in (("--fail-over", "psnr_y.stddev=90"), ("--fail-under", "psnr_y.variance=0"),
                     ("--fail-over", "psnr_y=99", "--allow-reversed-gates")):
            self.passes(ref, dis, "-q", "-m", "psnr", *gate)

    def test_names_with_options(self):
        """A name that only the session knows is refused before the first frame."""
        ref, dis = self.pair()
        self.refuses(USAGE, "higher", ref, dis, "-q", "-m", "psnr=enable_apsnr=true", "--fail-over", "apsnr_y=90")
        self.refuses(USAGE, "higher mine is better", ref, dis, "-q", "-m", "vmaf=name=mine",
                     "--fail-over", "mine=0.5")

    def test_lists(self):
        ref, dis = self.pair()
        self.write("jobs.csv", f"reference,distorted,metric,fail-over\n{ref},{dis},psnr,psnr_y=90\n".encode())
        result = self.run_assay("batch", "jobs.csv")
        self.assertEqual(result.code, USAGE, result)
        self.assertIn("higher psnr_y is better", result.err)
        self.write("jobs.csv", f"reference,distorted,metric,options\n{ref},{dis},psnr,--fail-over psnr_y=90 "
                   "--allow-reversed-gates\n".encode())
        self.assertEqual(self.run_assay("batch", "jobs.csv").code, PASS)


if __name__ == "__main__":
    main()
