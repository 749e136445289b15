# SPDX-License-Identifier: BSD-2-Clause
"""Reports: their shapes, that they agree with each other, and what happens when they can't be written."""
import csv
import fractions
import io
import json
import math
import os
import re
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree

from command import DIS, GATE, INTERNAL, PROGRAM, REF, USAGE, Case, main, y4m

METRICS = "psnr=enable_mse=true:enable_apsnr=true,float_moment"
FRAMES = 8


def bits(value):
    return struct.pack("<d", value)


class Reports(Case):
    def four(self, *args):
        self.passes("-q", "-m", METRICS, "--json", "o.json", "--xml", "o.xml", "--csv", "o.csv", "--sub", "o.sub",
                    *args,
                    REF, DIS)
        return json.loads(self.read("o.json")), xml.etree.ElementTree.fromstring(self.read("o.xml"))

    def test_the_four_agree(self):
        report, tree = self.four()
        rows = list(csv.reader(io.StringIO(self.read("o.csv"))))
        subtitles = self.read("o.sub").splitlines()
        self.assertEqual(len(report["frames"]), FRAMES)
        self.assertEqual(len(rows), FRAMES + 1)
        self.assertEqual(len(subtitles), FRAMES)
        for i, one in enumerate(report["frames"]):
            self.assertEqual(one["frameNum"], i)
            scores = {k: f"{v:.6f}" for k, v in one["metrics"].items()}
            element = dict(tree.find("frames")[i].attrib)
            self.assertEqual(element.pop("frameNum"), str(i))
            time = element.pop("time")
            self.assertEqual(element, scores)
            self.assertEqual(dict(zip(rows[0], rows[i + 1])), {"Frame": str(i), **scores, "time": time})
            self.assertEqual(float(time), one["time"])
            shown = "".join(f"{k}: {v}|" for k, v in scores.items())
            self.assertEqual(subtitles[i], f"{{{i}}}{{{i + 1}}}frame: {i}|{shown}")
        for metric in tree.find("pooled_metrics"):
            pools = {k: float(v) for k, v in metric.attrib.items() if k != "name"}
            self.assertEqual(pools, report["pooled_metrics"][metric.attrib["name"]])
        self.assertEqual({k: float(v) for k, v in tree.find("aggregate_metrics").attrib.items()},
                         report["aggregate_metrics"])

    def test_frames_of_extremes(self):
        """They are numbers of frames, not of rows."""
        report, tree = self.four("--first", "1", "--every", "2")
        self.assertEqual([f["frameNum"] for f in report["frames"]], [2, 4, 6])
        elements = {e.attrib["name"]: e.attrib for e in tree.iter("percentiles")}
        for key, extra in report["assay"]["percentiles"].items():
            values = {f["frameNum"]: f["metrics"][key] for f in report["frames"]}
            want = {"min_frame": min(values, key=values.get), "max_frame": max(values, key=values.get)}
            if "worst_frame" in extra:
                want["worst_frame"] = want["max_frame" if key.startswith("mse") else "min_frame"]
            self.assertEqual({name: extra[name] for name in want}, want, key)
            self.assertEqual({name: int(elements[key][name]) for name in want}, want, key)
        self.assertIn("worst_frame", report["assay"]["percentiles"]["psnr_y"])

    def times(self, *args):
        """The times of the frames as JSON, CSV and XML have them: text, the same in all three."""
        self.passes("-q", "-m", "psnr", "--json", "o.json", "--xml", "o.xml", "--csv", "o.csv", *args)
        tree = xml.etree.ElementTree.fromstring(self.read("o.xml"))
        in_json = [json.loads(t) for t in re.findall(r'^      "time": (-?[0-9.]+)$', self.read("o.json"), re.M)]
        in_csv = [row["time"] for row in csv.DictReader(io.StringIO(self.read("o.csv")))]
        in_xml = [f.attrib.get("time", "") for f in tree.find("frames")]
        self.assertEqual(in_csv, in_xml)
        self.assertEqual(in_json, [float(t) for t in in_csv if t])
        return in_csv

    def test_times(self):
        """Seconds, rounded to nanoseconds, of the reference's picture."""
        rate = fractions.Fraction(30000, 1001)
        self.write("r.y4m", y4m(frames=7, rate="30000:1001"))
        self.write("d.y4m", y4m(frames=7, rate="30000:1001", noise=3))
        def of(frames):
            return ["{}.{:09}".format(*divmod(round(i / rate * 10**9), 10**9)) for i in frames]
        self.assertEqual(self.times("r.y4m", "d.y4m"), of(range(7)))
        self.assertEqual(self.times("r.y4m", "d.y4m", "--threads", 4, "--in-flight", 3), of(range(7)))
        self.assertEqual(self.times("--every", 3, "r.y4m", "d.y4m"), of([0, 3, 6]))
        self.assertEqual(self.times("--skip-ref", 2, "--skip-dis", 1, "--allow-length", "r.y4m", "d.y4m"),
                         of(range(2, 7)))
        self.assertEqual(self.times("--skip-dis", 2, "--allow-length", "r.y4m", "d.y4m"), of(range(5)))
        self.assertEqual(self.times("--first", 2, "--frames", 3, "r.y4m", "d.y4m"), of([2, 3, 4]))

    def test_times_that_are_not_known(self):
        for name in ("r", "d"):
            data = y4m(frames=2, noise=3 * (name == "d"))
            self.write(f"{name}.yuv", data.split(b"\n", 1)[1].replace(b"FRAME\n", b""))
        args = ("-w", 32, "-h", 24, "-p", 420, "-b", 8, "r.yuv", "d.yuv")
        self.assertEqual(self.times(*args), ["", ""])
        self.assertNotIn("time", self.read("o.json"))

    @unittest.skipUnless(os.environ.get("ASSAY_LIBAV") and shutil.which("ffmpeg"), "no FFmpeg")
    def test_times_of_a_container(self):
        """Presentation times in the reference's time base, also when they are uneven."""
        self.write("r.y4m", y4m(frames=6, rate="30000:1001"))
        subprocess.run(["ffmpeg", "-v", "error", "-i", "r.y4m", "-c:v", "ffv1", "-vf", "select=not(eq(n\\,2))",
                        "-fps_mode", "passthrough", "r.mkv"], cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
        probe = ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", "r.mkv"]
        shown = subprocess.run(probe, cwd=self.dir, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        self.assertEqual([f"{float(t):.6f}" for t in self.times("r.mkv", "r.mkv")], shown)
        self.assertNotAlmostEqual(float(shown[2]) - float(shown[1]), float(shown[4]) - float(shown[3]), 2)

    def test_a_little_before_zero(self):
        """What is rounded to 0 has no sign."""
        self.passes("-q", "-m", "psnr", "--precision", "max", "--json", "r.json", "--frames", 2, REF, DIS)
        for time, shown in ((-400000, "0.000"), (-500000, "-0.001")):
            text = self.read("r.json").replace('"time": 0.033333333', f'"time": {time / 1e9:.9f}')
            self.write("t.json", text.encode())
            self.assertRegex(self.passes("report", "t.json", "--html", "t.html").out, rf"(?m)^psnr_y .* 1 +{shown} ")
            self.assertIn(f"at {shown.replace('0.', '0:00.')}</span>", self.read("t.html"))

    @unittest.skipUnless(os.environ.get("ASSAY_LIBAV") and shutil.which("ffmpeg"), "no FFmpeg")
    def test_times_before_zero(self):
        """MPEG-TS whose counter of 33 bits begins anew has times below 0 in front of that. They are rounded as others
        are, half a unit away from 0, in every form and when a report is read."""
        self.write("r.y4m", y4m(width=64, height=48, frames=5, rate="24000:1001"))
        subprocess.run(["ffmpeg", "-v", "error", "-i", "r.y4m", "-c:v", "mpeg2video", "-bf", "0", "-muxdelay", "0",
                        "-muxpreload", "0", "-output_ts_offset", "95443.6", "r.ts"], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)
        probe = ["ffprobe", "-v", "error", "-show_entries", "packet=pts", "-of", "csv=p=0", "r.ts"]
        shown = subprocess.run(probe, cwd=self.dir, check=True, stdout=subprocess.PIPE, text=True).stdout
        ticks = [int(n) for n in re.findall(r"-?\d+", shown)] # of a second's 90000
        self.assertEqual([n < 0 for n in ticks], [True] * 3 + [False] * 2)
        def of(digits):
            return ["{}{}.{:0{}}".format("-" if n < 0 else "", *divmod(round(abs(n) * 10**digits / 90000), 10**digits),
                                         digits) for n in ticks]
        self.assertEqual(self.times("r.ts", "r.ts"), of(9))
        for k, time in enumerate(of(3)[:-1]):
            table = self.passes("-m", "psnr", "--first", k, "--frames", 2, "r.ts", "r.ts").out
            self.assertRegex(table, rf"psnr_y .* {k} +{time} ")
        how = ["--precision", "max", "--reproducible", "--thumbnails", "0"]
        forms = ["json", "xml", "csv", "html"]
        run, told = ([word for form in forms for word in (f"--{form}", f"{name}.{form}")] for name in "ab")
        self.passes("-q", "-m", "psnr", *how, *run, "r.ts", "r.ts")
        self.assertIn(of(3)[0].replace("-0.", "-0:00."), self.read("a.html"))
        self.passes("report", "-q", "a.json", *how, *told)
        for form in forms:
            self.assertEqual(self.read(f"a.{form}"), self.read(f"b.{form}"), form)
        self.parts_join(["-m", "psnr"], ["-m", "diff"], "r.ts", "r.ts")
        self.passes("vmaf", "-q", "-r", "r.ts", "-d", "r.ts", "--feature", "psnr", "-o", "v.json", "--json")
        self.passes("report", "-q", "v.json", "--xml", "v.xml")
        self.assertIn(f'worst_time="{of(9)[0]}"', self.read("v.xml"))

    def test_the_worst_frame(self):
        """The lowest value where higher is better, the highest where lower is, none of what is neither."""
        self.write("r.y4m", y4m(frames=6, rate="25:1"))
        worst = 3
        data = bytearray(y4m(frames=6, rate="25:1", noise=2))
        at = [m.start() for m in re.finditer(b"FRAME\n", data)][worst]
        data[at + 6:at + 700] = bytes(694)
        self.write("d.y4m", bytes(data))
        metrics = "psnr=enable_mse=true,diff,float_moment,float_ssim=enable_lcs=true"
        self.passes("-q", "-m", metrics, "--json", "o.json", "--xml", "o.xml", "r.y4m", "d.y4m")
        listed = json.loads(self.passes("--list-metrics-json").out)
        better = {key: o["better"] for m in listed for o in m["outputs"] for key in o["keys"].split()}
        for key, figures in json.loads(self.read("o.json"))["assay"]["percentiles"].items():
            expected = {"higher": figures["min_frame"], "lower": figures["max_frame"], None: None}[better[key]]
            self.assertEqual(figures.get("worst_frame"), expected, key)
            if key in ("psnr_y", "mse_y", "max_diff", "diff_pixels", "float_ssim", "float_ssim_c"):
                self.assertEqual((figures["worst_frame"], figures["worst_time"]), (worst, 0.12), key)
            if key.startswith("float_moment") or "_at_" in key:
                self.assertNotIn("worst_time", figures)
        table = {row.split()[0]: row.split() for row in
                 self.passes("-m", metrics, "r.y4m", "d.y4m").out.splitlines()[1:] if row}
        self.assertEqual(table["metric"][3:6], ["min", "frame", "time"])
        for key in ("psnr_y", "mse_y", "max_diff", "diff_pixels"):
            self.assertEqual(table[key][4:6], [str(worst), "0.120"], key)
        self.assertEqual(table["float_moment_ref1st"][4:6], ["-", "-"])
        self.passes("-q", "-m", metrics, "--json", "o.json", "--xml", "o.xml", "r.y4m", "d.y4m")
        tree = xml.etree.ElementTree.fromstring(self.read("o.xml"))
        for e in tree.find("assay").iter("percentiles"):
            if e.attrib["name"] == "max_diff":
                self.assertEqual((e.attrib["worst_frame"], e.attrib["worst_time"]), (str(worst), "0.120000000"))

    def test_directions_are_listed(self):
        listed = self.passes("--list-metrics").out
        for line in ("writes psnr_y psnr_cb psnr_cr (", "writes mse_y mse_cb mse_cr (", "writes aim ("):
            self.assertIn(line, listed)
        self.assertRegex(listed, r"writes psnr_y .*: higher is better\n")
        self.assertRegex(listed, r"writes (mse_y|aim|max_diff) .*: lower is better\n")
        self.assertRegex(listed, r"writes max_diff_at_x max_diff_at_y \(always\)\n")

    def test_shape_of_libvmaf(self):
        report, tree = self.four()
        self.assertEqual(list(report), ["version", "fps", "frames", "pooled_metrics", "aggregate_metrics", "assay"])
        self.assertEqual(list(report["pooled_metrics"]["psnr_y"]), ["min", "max", "mean", "harmonic_mean"])
        self.assertEqual(list(report["aggregate_metrics"]), ["apsnr_y", "apsnr_cb", "apsnr_cr"])
        self.assertEqual(tree.tag, "VMAF")
        self.assertEqual(tree.find("params").attrib, {"qualityWidth": "352", "qualityHeight": "198"})
        self.assertIn("fps", tree.find("fyi").attrib)
        self.assertRegex(self.read("o.csv"), r"\AFrame,psnr_y,psnr_cb,psnr_cr,mse_y,.*,time\n0,\d+\.\d{6},")

    def test_our_block(self):
        report, tree = self.four()
        block = report["assay"]
        self.assertEqual((block["width"], block["height"], block["frames"]), (352, 198, FRAMES))
        self.assertFalse(block["incomplete"])
        self.assertEqual(block["backend"], "cpu")
        for name in ("version", "configuration", "device", "threads", "reference_file", "distorted_file"):
            self.assertTrue(block[name], name)
        # Every option of every metric, default or not.
        for option in ("enable_chroma=true", "enable_mse=true", "enable_apsnr=true", "reduced_hbd_peak=false",
                       "min_sse=0"):
            self.assertIn(option, block["configuration"])
        values = [f["metrics"]["psnr_y"] for f in report["frames"]]
        figures = block["percentiles"]["psnr_y"]
        self.assertEqual(figures["min_frame"], values.index(min(values)))
        self.assertEqual(figures["max_frame"], values.index(max(values)))
        self.assertLessEqual(min(values), figures["perc1"])
        names = ["perc1", "perc5", "perc10", "perc20", "median", "perc95", "perc99"]
        self.assertEqual(sorted(figures[n] for n in names), [figures[n] for n in names])
        self.assertAlmostEqual(figures["geometric_mean"], math.prod(values) ** (1 / FRAMES), 5)
        self.assertLess(figures["geometric_mean"], report["pooled_metrics"]["psnr_y"]["mean"])
        for element in tree.find("assay").iter("percentiles"):
            pools = {k: float(v) for k, v in element.attrib.items() if k not in ("name", "worst_time")}
            given = block["percentiles"][element.attrib["name"]]
            self.assertEqual(pools, {k: v for k, v in given.items() if k != "worst_time"})
        fields = {f.attrib["name"]: f.attrib["value"] for f in tree.find("assay").iter("field")}
        self.assertEqual(fields["configuration"], block["configuration"])

    def test_precision_max_reads_back(self):
        report, tree = self.four("--precision", "max")
        rows = list(csv.reader(io.StringIO(self.read("o.csv"))))
        hundred = self.passes("-q", "-m", METRICS, "--precision", "17", "--json", "-", REF, DIS)
        seventeen = json.loads(hundred.out)
        for i, one in enumerate(report["frames"]):
            for k, v in one["metrics"].items():
                self.assertEqual(bits(v), bits(float(tree.find("frames")[i].attrib[k])))
                self.assertEqual(bits(v), bits(float(rows[i + 1][rows[0].index(k)])))
                self.assertAlmostEqual(v, seventeen["frames"][i]["metrics"][k], delta=1e-13 * abs(v))
        # The printed text is what Python finds to be the shortest, too.
        for text in re.findall(r'"mse_y": ([0-9.e+-]+)', self.read("o.json")):
            self.assertEqual(float(repr(float(text))), float(text))
            self.assertLessEqual(len(text.replace(".", "").lstrip("0")), 17)
        # The mean of the values as read back is the mean that was written: nothing was rounded on the way.
        values = [f["metrics"]["mse_y"] for f in report["frames"]]
        total = 0.0
        for v in values:
            total += v
        self.assertEqual(report["pooled_metrics"]["mse_y"]["mean"], total / len(values))

    def test_precision_counts_decimals(self):
        for n in (0, 1, 3, 9):
            report = self.passes("-q", "-m", "psnr", "--precision", n, "--csv", "-", REF, DIS).out.splitlines()
            self.assertRegex(report[1], r"^0,\d+" + (r"\.\d{%d}," % n if n else ","))

    def test_reproducible(self):
        for form in ("--json", "--xml", "--csv", "--sub"):
            first = self.passes("--reproducible", "-q", form, "-", "-m", METRICS, REF, DIS).out
            second = self.passes("--reproducible", "-q", form, "-", "-m", METRICS, REF, DIS).out
            self.assertEqual(first, second)

    def test_standard_output_stays_a_clean_report(self):
        result = self.passes("-m", "psnr", "--json", "-", REF, DIS, "--fail-under", "psnr_y=1")
        json.loads(result.out)
        self.assertIn("pass", result.err)

    def test_extra_outputs_change_no_other_score(self):
        plain = json.loads(self.passes("-q", "-m", "psnr", "--precision", "max", "--json", "-", REF, DIS).out)
        extra, _ = self.four("--precision", "max")
        for a, b in zip(plain["frames"], extra["frames"]):
            for k, v in a["metrics"].items():
                self.assertEqual(bits(v), bits(b["metrics"][k]))

    def test_identical_pictures(self):
        result = self.passes("-q", "-m", "psnr", "--json", "-", "--xml", "o.xml", REF, REF)
        self.assertEqual(json.loads(result.out)["pooled_metrics"]["psnr_y"]["mean"], 60)

    def test_percentile_gates_and_table_agree(self):
        table = self.passes("-m", "psnr", "--precision", "max", REF, DIS).out
        report = json.loads(self.passes("-q", "-m", "psnr", "--precision", "max", "--json", "-", REF, DIS).out)
        self.assertIn(repr(report["assay"]["percentiles"]["psnr_y"]["perc1"]), table)
        self.assertIn(repr(report["pooled_metrics"]["psnr_y"]["mean"]), table)


class Table(Case):
    def test_fits_a_terminal(self):
        """80 columns, nothing behind the last one, no means of places, metrics apart; one frame has one column."""
        for args in ([], ["-m", "all"], ["-m", "psnr=enable_apsnr=true,diff"], ["-m", "all", "-n", "1"]):
            out = self.passes(*args, REF, DIS).out
            lines = out.splitlines()[1:] # the first one names the files
            self.assertLessEqual(max(map(len, lines)), 80, args)
            self.assertNotRegex(out, r"(?m) $")
            self.assertEqual("max_diff_at_x" in out, "-n" in args, args)
            self.assertEqual("\n\n" in out, "all" in args, args)
            self.assertEqual("harmonic" in out, "-n" not in args)
        self.assertRegex(self.passes("-m", "diff", "--first", "5", "-n", "1", REF, DIS).out,
                         r"metric +frame 5\nmax_diff +[\d.]+\nmax_diff_at_x +\d+\n")


class Unwritable(Case):
    def test_folder_that_is_not_there(self):
        self.refuses(INTERNAL, "nowhere/o.json", "-m", "psnr", "--json", "/proc/nowhere/o.json", REF, DIS)

    def test_a_folder_in_its_place(self):
        (self.dir / "o.json").mkdir()
        self.refuses(INTERNAL, "o.json", "-m", "psnr", "--json", "o.json", REF, DIS)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        for form in ("--json", "--xml", "--csv", "--sub", "--shard"):
            with self.subTest(form=form):
                self.fails(INTERNAL, "/dev/full", "-m", "psnr", form, "/dev/full", REF, DIS)
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.fails(INTERNAL, "writ", "-m", "psnr", REF, DIS, stdout=full)
            self.fails(INTERNAL, "writ", "-m", "psnr", "--json", "-", REF, DIS, stdout=full)
            self.fails(INTERNAL, "stdout: can't be written", "-m", "cambi=heatmaps_path=maps", "--json", "-", REF, DIS,
                       stdout=full)
            self.fails(INTERNAL, "writ", "--help", stdout=full)
            self.fails(INTERNAL, "writ", "--list-metrics", stdout=full)

    def test_closed_pipe(self):
        for args in (["--csv", "-"], ["--json", "-"], []):
            read_end, write_end = os.pipe()
            os.close(read_end)
            done = subprocess.run([PROGRAM, "-m", "psnr", *args, REF, DIS], stdout=write_end, stderr=subprocess.PIPE,
                                  text=True,
                                  check=False)
            os.close(write_end)
            self.assertEqual(done.returncode, INTERNAL, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_closed_standard_output(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" -m psnr "$1" "$2" >&-', PROGRAM, REF, DIS],
                              stderr=subprocess.PIPE,
                              text=True, check=False)
        self.assertEqual(done.returncode, INTERNAL, done.stderr)

    def test_other_reports_survive_one_that_fails(self):
        # The reader of the CSV goes away after the first frame; the rest of the video comes only then.
        ref, dis = self.pair(frames=6)
        whole = (self.dir / ref).read_bytes()
        first = whole.index(b"FRAME", whole.index(b"FRAME") + 1)
        run = subprocess.Popen([PROGRAM, "-q", "-m", "psnr", "--in-flight", "1", "--csv", "-", "--json", "o.json", "-",
                                dis],
                               cwd=self.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.stdin.write(whole[:first])
        run.stdin.flush()
        self.assertTrue(run.stdout.readline().startswith(b"Frame,"))
        self.assertTrue(run.stdout.readline().startswith(b"0,"))
        run.stdout.close()
        try:
            run.stdin.write(whole[first:])
            run.stdin.close()
        except BrokenPipeError:
            pass
        err = run.stderr.read().decode()
        run.stderr.close()
        self.assertEqual(run.wait(timeout=600), INTERNAL, err)
        self.assertIn("stdout", err)
        report = json.loads(self.read("o.json"))
        self.assertTrue(report["assay"]["incomplete"])
        self.assertGreaterEqual(len(report["frames"]), 1)


class Gates(Case):
    def test_pass_and_fail(self):
        report = json.loads(self.passes("-q", "-m", "psnr", "--precision", "max", "--json", "-", REF, DIS).out)
        low = report["pooled_metrics"]["psnr_y"]["min"]
        above = struct.unpack("<d", struct.pack("<Q", struct.unpack("<Q", bits(low))[0] + 1))[0]
        result = self.passes("-m", "psnr", REF, DIS, "--fail-under", f"psnr_y.min={low!r}")
        self.assertRegex(result.out, r"(?m)^pass  psnr_y\.min = ")
        result = self.run_assay("-m", "psnr", REF, DIS, "--fail-under", f"psnr_y.min={above!r}")
        self.assertEqual(result.code, GATE, result)
        self.assertRegex(result.out, r"(?m)^FAIL  psnr_y\.min = .*frame 6")

    def test_each_gate_is_printed(self):
        result = self.run_assay("-m", "psnr=enable_apsnr=true", REF, DIS, "--fail-under", "psnr_y=30", "--fail-under",
                                "psnr_cb.p5=99", "--fail-over", "psnr_cr.stddev=99", "--fail-under", "apsnr_y=30")
        self.assertEqual(result.code, GATE, result)
        self.assertEqual(re.findall(r"(?m)^(pass|FAIL)  (\S+) = ", result.out),
                         [("pass", "psnr_y.mean"), ("FAIL", "psnr_cb.p5"), ("pass", "psnr_cr.stddev"),
                          ("pass", "apsnr_y")])
        self.assertEqual(result.err, "")

    def test_results_are_in_the_reports(self):
        args = ("-q", "-m", "psnr=enable_apsnr=true", "--precision", "max", "--json", "o.json", "--xml", "o.xml",
                "--fail-under", "psnr_y.p5=30", "--fail-over", "psnr_cb=1.5", "--fail-under", "apsnr_y=99",
                "--allow-reversed-gates")
        result = self.run_assay(*args, REF, DIS)
        self.assertEqual(result.code, GATE, result)
        report = json.loads(self.read("o.json"))
        mean, p5 = report["pooled_metrics"]["psnr_cb"]["mean"], report["assay"]["percentiles"]["psnr_y"]["perc5"]
        whole = report["aggregate_metrics"]["apsnr_y"]
        self.assertEqual(report["assay"]["gates"], [
            {"figure": "psnr_y", "pool": "p5", "value": p5, "at_least": 30, "passed": True},
            {"figure": "psnr_cb", "pool": "mean", "value": mean, "at_most": 1.5, "passed": False},
            {"figure": "apsnr_y", "pool": None, "value": whole, "at_least": 99, "passed": False}])
        in_xml = xml.etree.ElementTree.fromstring(self.read("o.xml")).find("assay").iter("gate")
        self.assertEqual([g.attrib for g in in_xml], [
            {"figure": "psnr_y", "pool": "p5", "value": repr(p5), "at_least": "30", "passed": "true"},
            {"figure": "psnr_cb", "pool": "mean", "value": repr(mean), "at_most": "1.5", "passed": "false"},
            {"figure": "apsnr_y", "value": repr(whole), "at_least": "99", "passed": "false"}])
        # Figures that look like their limits when they are rounded are told with all digits.
        limit = math.ceil(mean)
        for decimals in ("0", "6"):
            near = ("-q", "-m", "psnr", "--precision", decimals, "--json", "r.json", "--xml", "r.xml", "--html",
                    "r.html", "--thumbnails", "0", "--fail-under", f"psnr_cb={limit}", "--fail-under",
                    f"psnr_cb={mean + 1e-9!r}")
            self.assertEqual(self.run_assay(*near, REF, DIS).code, GATE)
            gates = json.loads(self.read("r.json"))["assay"]["gates"]
            self.assertEqual([(gate["value"], gate["passed"]) for gate in gates], [(mean, False)] * 2)
            self.assertEqual(self.read("r.xml").count(f'value="{mean!r}"'), 2)
            self.assertEqual(self.read("r.html").count(f"is {mean!r}, at least"), 2)
        # Nothing passes of a run that is incomplete.
        ref, dis = self.pair(frames=4)
        self.write(dis, (self.dir / dis).read_bytes()[:-5])
        self.assertEqual(self.run_assay(*args, ref, dis).code, 3)
        gates = json.loads(self.read("o.json"))["assay"]["gates"]
        self.assertEqual([(g["value"], g["passed"], g["reason"]) for g in gates],
                         [(None, False, "not checked, the run is incomplete")] * 3)
        in_xml = xml.etree.ElementTree.fromstring(self.read("o.xml")).find("assay").iter("gate")
        self.assertEqual({g.get("reason") for g in in_xml}, {"not checked, the run is incomplete"})

    def test_every_pool(self):
        for pool in ("min", "mean", "harmonic_mean", "geometric_mean", "median", "p0", "p50", "perc5", "p99.5",
                     "percentile=20", "stddev", "variance", "rms", "max"):
            self.passes("-q", "-m", "psnr", REF, DIS, "--fail-under", f"psnr_y.{pool}=0.01", "--fail-over",
                        f"psnr_y.{pool}=99", "--allow-reversed-gates")

    def test_names_are_checked_before_the_first_frame(self):
        self.refuses(USAGE, ["psnr_z", "psnr_y"], "-m", "psnr", REF, DIS, "--fail-under", "psnr_z=3")
        self.refuses(USAGE, ["apsnr_y", "p5"], "-m", "psnr=enable_apsnr=true", REF, DIS, "--fail-under", "apsnr_y.p5=3")

    def test_gates_hold_after_a_broken_run(self):
        # An input that fails wins over a gate: the scores are not those of the whole video.
        ref, dis = self.pair(frames=4)
        self.write(dis, (self.dir / dis).read_bytes()[:-5])
        result = self.run_assay("-m", "psnr", ref, dis, "--fail-under", "psnr_y=99")
        self.assertEqual(result.code, 3, result)


if __name__ == "__main__":
    main()
