# SPDX-License-Identifier: BSD-2-Clause
"""assay batch: lists and their mistakes, equal scores, a killed run that goes on, several jobs at once."""
import csv
import io
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from command import DIS, GATE, INPUT, INTERNAL, MISMATCH, PROGRAM, REF, USAGE, Case, OnTerminal, main, y4m
from test_models import model

HAVE = shutil.which("ffmpeg") and os.environ.get("ASSAY_LIBAV")
HEADING = ["reference", "distorted", "options", "status", "reason", "exit_code", "frames", "width_px", "height_px",
           "video_bytes", "duration_s", "bitrate_kbps", "notices"]


def text_of(rows):
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def heed():
    """What whoever runs the tests ignores (a job in the background) must not be inherited."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Case(Case):
    def list(self, *rows, name="jobs.csv"):
        """A list; its first row names the columns."""
        return self.write(name, text_of(rows))

    def pairs(self, n, frames=3, **how):
        """The rows of n jobs of one reference."""
        self.write("ref.y4m", y4m(frames=frames, **how))
        for i in range(n):
            self.write(f"d{i}.y4m", y4m(frames=frames, noise=1 + i % 7, **how))
        return [["ref.y4m", f"d{i}.y4m"] for i in range(n)]

    def slow(self, n):
        """The rows of n jobs, each of which takes some tenths of a second. The files are longer."""
        for name, path in (("ref", REF), ("dis", DIS)):
            data = pathlib.Path(path).read_bytes()
            head, frames = data[:data.index(b"\n") + 1], data[data.index(b"\n") + 1:]
            self.write(f"{name}.y4m", head + frames * 40)
        return [["ref.y4m", "dis.y4m", "vmaf,float_ms_ssim,ssimulacra2", str(60 + i)] for i in range(n)]

    def rows(self, text):
        return list(csv.DictReader(io.StringIO(text)))

    def batch(self, *args, code=0, **how):
        """The rows of the summary on standard output, and what was said."""
        result = self.run_assay("batch", *args, **how)
        self.assertEqual(result.code, code, result)
        return self.rows(result.out), result.err

    def nothing_was_done(self):
        self.assertFalse([f for f in os.listdir(self.dir) if f.endswith((".state", ".json"))])

    def start(self, *args, **how):
        p = subprocess.Popen([PROGRAM, "batch", *args], cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, **how)
        self.addCleanup(lambda: (p.kill(), p.communicate()))
        return p

    def done(self, state="jobs.csv.state"):
        """The results that a state has."""
        return sorted((self.dir / state).glob("done/*/*.json"))

    def forget(self, state="jobs.csv.state"):
        shutil.rmtree(self.dir / state)

    def wait_for(self, p, jobs, state="jobs.csv.state"):
        """Until so many jobs have ended."""
        for _ in range(60000):
            if (self.dir / state / "plan.jsonl").exists() and len(self.done(state)) >= jobs:
                return
            self.assertIsNone(p.poll())
            time.sleep(0.005)
        self.fail("the jobs do not end")

    def children(self, p):
        return [int(n) for n in pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text().split()]

    def scoring(self, p):
        """The process of a run with one job at a time that has opened its files."""
        while True:
            self.assertIsNone(p.poll())
            for child in self.children(p):
                try:
                    files = [os.readlink(f) for f in pathlib.Path(f"/proc/{child}/fd").iterdir()]
                    threads = len(os.listdir(f"/proc/{child}/task"))
                except OSError:
                    continue
                if any(f.endswith("ref.y4m") for f in files) and threads > 1:
                    return child

    def running(self, processes):
        """Those that have not ended: one that has, and that nobody has waited for, has no files."""
        return [n for n in processes if os.path.exists(f"/proc/{n}/fd/0")]


class Lists(Case):
    def test_a_summary(self):
        rows = self.pairs(3)
        self.list(["reference", "distorted", "metric", "fail-under"], [*rows[0], "psnr", "-"], [*rows[1], "diff", ""],
                  [*rows[2], "psnr", "psnr_y=99"])
        result = self.run_assay("batch", "jobs.csv")
        self.assertEqual(result.code, GATE, result)
        summary = self.rows(result.out)
        self.assertEqual(list(summary[0])[:len(HEADING)], HEADING)
        self.assertEqual([(r["distorted"], r["status"], r["exit_code"], r["frames"]) for r in summary],
                         [("d0.y4m", "ok", "0", "3"), ("d1.y4m", "ok", "0", "3"), ("d2.y4m", "gate", "1", "3")])
        self.assertEqual(summary[0]["options"], "--metric=psnr")
        self.assertRegex(summary[2]["reason"], r"^psnr_y\.mean is [0-9.]+, not at least 99$")
        self.assertEqual((summary[0]["width_px"], summary[0]["height_px"]), ("32", "24"))
        self.assertEqual((summary[0]["psnr_y.mean"] == "", summary[1]["psnr_y.mean"]), (False, ""))
        self.assertIn("diff_count.max" if "diff_count.max" in summary[1] else "max_diff.max", summary[1])
        self.assertRegex(result.err, r"(?m)^assay: [123]/3 ok: d0\.y4m against ref\.y4m: 3 frames$")
        self.assertRegex(result.err, r"(?m)^assay: [123]/3 gate failed: d2\.y4m against ref\.y4m \(line 4\): psnr_y")
        self.assertRegex(result.err, r"(?m)^assay: 3 jobs: 2 ok, 1 failed a gate; 9 frames in 0:0")

    def test_mistakes(self):
        """Each is found before the first job, with its line and column, and nothing is written."""
        (a, b), (_, c) = self.pairs(2)
        os.mkfifo(self.dir / "pipe")
        os.mkdir(self.dir / "folder")
        self.write("notes.txt", b"not of assay")
        os.symlink("x.json", self.dir / "link")
        cases = [
            (USAGE, "it is empty", []),
            (USAGE, "no job below the line", [["reference", "distorted"]]),
            (USAGE, "line 1: no column is named 'distorted'", [["reference"], [a]]),
            (USAGE, "line 1: columns are separated by commas", [["reference;distorted"], [f"{a};{b}"]]),
            (USAGE, ["line 1, column 3 (metrik): no option is called '--metrik'", "did you mean '--metric'"],
             [["reference", "distorted", "metrik"], [a, b, "psnr"]]),
            (USAGE, "line 1, column 3 (backends): '--backends' is for another command",
             [["reference", "distorted", "backends"], [a, b, "cpu,cpu"]]),
            (USAGE, "line 1, column 4 (skip_ref): column 3 has this name, too",
             [["reference", "distorted", "skip-ref", "skip_ref"], [a, b, "", ""]]),
            (USAGE, "line 1, column 3: a column is named", [["reference", "distorted", ""], [a, b, ""]]),
            (USAGE, "line 3: it has 3 cells, and the first line names 2",
             [["reference", "distorted"], [a, b], [a, c, ""]]),
            (USAGE, "line 2: it has 1 cell, and", [["reference", "distorted"], [a]]),
            (USAGE, "line 2, column 2 (distorted): a job needs a file", [["reference", "distorted"], [a, "-"]]),
            (USAGE, "line 2, column 1 (reference): a job needs a file", [["reference", "distorted"], ["", b]]),
            (INPUT, "line 3, column 2 (distorted): nowhere.y4m: can't be opened: No such file",
             [["reference", "distorted"], [a, b], [a, "nowhere.y4m"]]),
            (INPUT, "line 2, column 1 (distorted): folder: is no file but a folder",
             [["distorted", "reference"], ["folder", a]]),
            (INPUT, "line 2, column 2 (distorted): pipe: is no file that can be read again",
             [["reference", "distorted"], [a, "pipe"]]),
            (USAGE, "line 2, column 3 (frames): --frames takes a whole number of frames",
             [["reference", "distorted", "frames"], [a, b, "many"]]),
            (USAGE, "line 2, column 4 (metric): ",
             [["reference", "distorted", "frames", "metric"], [a, b, "2", "psnrr"]]),
            (USAGE, "line 2, column 3 (options): ", [["reference", "distorted", "options"], [a, b, "-m psnr:x=1"]]),
            (USAGE, "line 2, column 3 (allow-length): it takes yes or no, not 'true'",
             [["reference", "distorted", "allow-length"], [a, b, "true"]]),
            (USAGE, "line 2, column 3 (options): no option is called '--metrix'",
             [["reference", "distorted", "options"], [a, b, "--metrix psnr"]]),
            (USAGE, "line 2, column 3 (options): a quote is never closed: -m 'psnr",
             [["reference", "distorted", "options"], [a, b, "-m 'psnr"]]),
            (USAGE, "line 2, column 3 (options): more than two inputs",
             [["reference", "distorted", "options"], [a, b, c]]),
            (USAGE, "line 2, column 3 (options): --distorted is given twice",
             [["reference", "distorted", "options"], [a, b, f"-d {c}"]]),
            (USAGE, "line 2, column 3 (options): a report can't be written to standard output",
             [["reference", "distorted", "options"], [a, b, "--json -"]]),
            (USAGE, "line 2, column 3 (json): {name} and {number} are for several encodes",
             [["reference", "distorted", "json"], [a, b, "{name}.json"]]),
            (USAGE, "line 2, column 3 (help): a job scores", [["reference", "distorted", "help"], [a, b, "yes"]]),
            (USAGE, "line 2, column 3 (dump-graph): --dump-graph prints",
             [["reference", "distorted", "dump-graph"], [a, b, "yes"]]),
            (USAGE, "line 2, column 3 (progress): --progress is for all jobs",
             [["reference", "distorted", "progress"], [a, b, "yes"]]),
            (USAGE, "line 2: --scale and --allow-size contradict",
             [["reference", "distorted", "scale", "allow-size"], [a, b, "bicubic", "yes"]]),
            (USAGE, "line 3, column 3 (json): 'x.json' is written by line 2, too",
             [["reference", "distorted", "json"], [a, b, "x.json"], [a, c, "x.json"]]),
            (USAGE, "line 3, column 3 (json): './x.json' is written by line 2, too",
             [["reference", "distorted", "json", "csv"], [a, b, "", "x.json"], [a, c, "./x.json", ""]]),
            (USAGE, "line 3, column 3 (json): 'x.json' is written by line 2, too",
             [["reference", "distorted", "json"], [a, b, "link"], [a, c, "x.json"]]),
            (USAGE, "line 3, column 3 (heatmap): 'folder/' is written by line 2, too",
             [["reference", "distorted", "heatmap"], [a, b, "folder"], [a, c, "folder/"]]),
            (USAGE, "line 2, column 3 (json): 'd1.y4m' is an input of line 3 and would be overwritten",
             [["reference", "distorted", "json", "force"], [a, b, c, "yes"], [a, c, "", ""]]),
            (USAGE, "line 2, column 3 (csv): 'd0.y4m' is one of the inputs and would be overwritten",
             [["reference", "distorted", "csv", "force"], [a, b, b, "yes"]]),
            (USAGE, "line 2, column 3 (csv): notes.txt: is there, and nothing in it says that assay wrote it",
             [["reference", "distorted", "csv"], [a, b, "notes.txt"]]),
            (USAGE, "line 2, column 3 (csv): 'jobs.csv' is the list itself",
             [["reference", "distorted", "csv", "force"], [a, b, "jobs.csv", "yes"]]),
            (USAGE, "line 2, column 3 (csv): 'jobs.csv.state' is the folder of the state",
             [["reference", "distorted", "csv"], [a, b, "jobs.csv.state"]]),
            (INTERNAL, "line 3, column 3 (json): notes.txt/x.json: can't be written: Not a directory",
             [["reference", "distorted", "json"], [a, b, ""], [a, c, "notes.txt/x.json"]]),
            (INTERNAL, "line 2, column 3 (options): notes.txt/x: can't be written",
             [["reference", "distorted", "options"], [a, b, "--shard notes.txt/x"]]),
            (USAGE, "line 3, column 4 (fail-under): --fail-under: this run has no score named 'psnr_z'; it has psnr_y, "
             "psnr_cb, psnr_cr", [["reference", "distorted", "metric", "fail-under"], [a, b, "psnr", "psnr_y=3"],
                                  [a, c, "psnr", "psnr_z=3"]]),
            (USAGE, "line 2, column 3 (fail-over): --fail-over: this run has no score named 'vmfa'; it has vmaf, ",
             [["reference", "distorted", "fail-over"], [a, b, "vmfa.p5=3"]]),
            (USAGE, "line 3, column 4 (options): --fail-under: this run has no score named 'ssim'; it has psnr_y",
             [["reference", "distorted", "metric", "options"], [a, b, "psnr,ssim", "--fail-under ssim=0.1"],
              [a, c, "psnr", "--fail-under ssim=0.1"]]),
            (USAGE, "'apsnr_y' is one figure for the whole run and has no pool 'p5'",
             [["reference", "distorted", "options"],
              [a, b, "-m psnr=enable_apsnr=true --fail-under apsnr_y=1 --fail-under apsnr_y.p5=1"]]),
            (USAGE, "line 4: it is the same job as line 2", [["reference", "distorted"], [a, b], [a, c], [a, b]]),
            (USAGE, "line 3: it is the same job as line 2",
             [["reference", "distorted", "metric", "options"], [a, b, "-", "--metric=psnr"], [a, b, "psnr", ""]]),
        ]
        for code, says, rows in cases:
            with self.subTest(says=says):
                self.list(*rows)
                for form in [("jobs.csv",), ("jobs.csv", "--jobs", "2")]:
                    self.refuses(code, says, "batch", *form)
                self.nothing_was_done()
        self.assertEqual(self.read("notes.txt"), "not of assay")

    def test_gates_that_are_seen_later(self):
        """A score that some pictures have, of a job's own pictures that have it or not; and that of a user's model."""
        rows = self.pairs(1)
        self.write("grey.y4m", y4m(frames=3, chroma="mono"))
        self.write("m.json", json.dumps(model(1)).encode())
        self.list(["reference", "distorted", "metric", "fail-under", "options"],
                  [*rows[0], "psnr", "psnr_cb=1", ""], ["grey.y4m", "grey.y4m", "psnr", "psnr_cb=1", ""],
                  [*rows[0], "all", "psnr_y.p5=1", ""], [*rows[0], "-", "vmaf=0", "--fail-under psnr_r=1"],
                  [*rows[0], "vmaf=path=m.json:name=mine", "mine=-1000000", ""])
        summary, _ = self.batch("jobs.csv", code=USAGE)
        self.assertEqual([(r["status"], r["reason"].split(";")[0]) for r in summary],
                         [("ok", ""), ("failed", "--fail-under: this run has no score named 'psnr_cb'"), ("ok", ""),
                          ("failed", "--fail-under: this run has no score named 'psnr_r'"), ("ok", "")])

    def test_damaged_csv(self):
        a, b = self.pairs(1)[0]
        for says, data in [
                ("line 2: something follows the closing quote", b'reference,distorted\n"ref.y4m"x,d0.y4m\n'),
                ("line 3: the quote that opens a cell is never closed", b'reference,distorted\nref.y4m,d0.y4m\n"ref'),
                ("line 2: a quote stands inside a cell", b'reference,distorted\nref".y4m,d0.y4m\n'),
                ("line 2: a carriage return stands alone", b"reference,distorted\nref.y4m\r,d0.y4m\n"),
                ("line 1: it is UTF-16", "\ufeffreference,distorted\n".encode("utf-16")),
                ("line 2: it holds a NUL byte", b"reference,distorted\nref\0.y4m,d0.y4m\n")]:
            with self.subTest(says=says):
                self.write("jobs.csv", data)
                self.refuses(INPUT, says, "batch", "jobs.csv")
        for data in [b"\xef\xbb\xbfreference,distorted\r\n\r\nref.y4m,d0.y4m\r\n",
                     b"reference,distorted\nref.y4m,d0.y4m",
                     b'"reference","distorted"\n\n"ref.y4m",d0.y4m\n\n']:
            self.write("good.csv", data)
            summary, _ = self.batch("good.csv", "--state", "s")
            self.assertEqual([(r["reference"], r["distorted"]) for r in summary], [(a, b)])
            self.forget("s")

    def test_names(self):
        """Blanks, quotes, commas, line ends, letters beyond ASCII, and names that look like options."""
        self.pairs(1)
        names = ["a b.y4m", 'a"b.y4m', "a,b.y4m", "ä€𝄞.y4m", "a\nb.y4m", "--help", "-x", "a'b.y4m", "$(touch x).y4m",
                 "`touch x`", "*", "a=b:c.y4m", "~", "-d"]
        for name in names:
            self.write(name, (self.dir / "d0.y4m").read_bytes())
        self.list(["distorted", "reference", "json"], *[[name, "ref.y4m", name + ".json"] for name in names])
        summary, _ = self.batch("jobs.csv", code=0)
        self.assertEqual([r["distorted"] for r in summary], [n.replace("\n", "; ") for n in names])
        self.assertEqual({r["status"] for r in summary}, {"ok"})
        for name in names:
            self.assertEqual(len(json.loads(self.read(name + ".json"))["frames"]), 3)
        self.assertFalse((self.dir / "x").exists())
        summary, err = self.batch("jobs.csv")
        self.assertIn(f"{len(names)} of {len(names)} jobs are done already", err)

    def test_words(self):
        """The column `options` is cut as a shell cuts, and nothing is expanded."""
        rows = self.pairs(1)
        self.list(["reference", "distorted", "options"], [
            *rows[0], "--json 'a b.json' --csv \"a\\\"b.csv\" --xml a\\ $HOME'*'.xml\t-m  psnr '-q'"])
        summary, _ = self.batch("jobs.csv")
        self.assertEqual(summary[0]["status"], "ok")
        for name in ["a b.json", 'a"b.csv', "a $HOME*.xml"]:
            self.assertTrue((self.dir / name).exists(), name)

    def test_paths_are_relative_to_the_list(self):
        rows = self.pairs(1)
        os.mkdir(self.dir / "elsewhere")
        self.list(["reference", "distorted", "json"], [*rows[0], "out.json"])
        result = self.run_assay("batch", "../jobs.csv", "--summary", "s.csv", "--state", "st", cwd_of="elsewhere")
        self.assertEqual(result.code, 0, result)
        self.assertTrue((self.dir / "out.json").exists())
        self.assertEqual(sorted(os.listdir(self.dir / "elsewhere")), ["s.csv", "st"])

    def run_assay(self, *args, cwd_of=None, **how):
        if not cwd_of:
            return super().run_assay(*args, **how)
        here = self.dir
        self.dir = here / cwd_of
        try:
            return super().run_assay(*args, **how)
        finally:
            self.dir = here

    def test_standard_input(self):
        rows = self.pairs(2)
        summary, err = self.batch("-", input=text_of([["reference", "distorted"], *rows]).decode())
        self.assertEqual([r["status"] for r in summary], ["ok", "ok"])
        self.nothing_was_done()
        self.assertNotIn("already", err)
        for _ in range(2):
            summary, err = self.batch("-", "--state", "s.state",
                                      input=text_of([["reference", "distorted"], *rows]).decode())
        self.assertIn("2 of 2 jobs are done already", err)
        self.refuses(USAGE, "stdin: line 1", "batch", "-", input="a,b\n")

    def test_pipe_by_another_name(self):
        """As from a shell's <(...): its folder is not that of the list."""
        text = text_of([["reference", "distorted"], *self.pairs(2)])
        ends = os.pipe()
        os.write(ends[1], text)
        os.close(ends[1])
        summary, _ = self.batch(f"/dev/fd/{ends[0]}", pass_fds=[ends[0]])
        os.close(ends[0])
        self.assertEqual([r["status"] for r in summary], ["ok", "ok"])
        self.nothing_was_done()

    def test_options(self):
        self.list(["reference", "distorted"], *self.pairs(1))
        self.refuses(USAGE, "batch needs a list", "batch")
        self.refuses(USAGE, "the second is b.csv", "batch", "jobs.csv", "b.csv")
        self.refuses(USAGE, ["no option is called '--metric'", "columns"], "batch", "jobs.csv", "--metric", "psnr")
        for n in ["0", "-1", "1025", "x"]:
            self.refuses(USAGE, "--jobs takes a whole number from 1 to 1024", "batch", f"--jobs={n}", "jobs.csv")
        self.refuses(USAGE, "contradict", "batch", "jobs.csv", "--progress", "--no-progress")
        self.refuses(INPUT, "nowhere.csv", "batch", "nowhere.csv")
        self.refuses(USAGE, "the folder of the state is the summary, too", "batch", "jobs.csv", "--state", "x",
                     "--summary", "x")
        self.refuses(USAGE, "the list itself is the summary, too", "batch", "jobs.csv", "--summary", "jobs.csv")
        self.refuses(USAGE, "the summary is an input of a job", "batch", "jobs.csv", "--summary", "d0.y4m", "--force")
        self.write("notes.txt", b"mine")
        self.refuses(USAGE, "notes.txt: is there", "batch", "jobs.csv", "--summary", "notes.txt")
        self.refuses(USAGE, "notes.txt: is no folder of jobs", "batch", "jobs.csv", "--state", "notes.txt", "--force")
        self.assertEqual(self.read("notes.txt"), "mine")
        self.nothing_was_done()
        self.refuses(INTERNAL, "/proc/nowhere/s.csv", "batch", "jobs.csv", "--summary", "/proc/nowhere/s.csv")
        self.refuses(INTERNAL, "nowhere/s", "batch", "jobs.csv", "--state", "nowhere/s")
        self.assertIn("usage: assay batch", self.passes("batch", "--help").out)
        self.assertIn("usage: assay batch", self.passes("help", "batch").out)
        self.passes("batch", "jobs.csv", "--summary", "notes.txt", "--force", "-q")
        self.assertTrue(self.read("notes.txt").startswith("reference,"))


class Scores(Case):
    def test_those_of_single_runs(self):
        """Every figure, exactly."""
        for name, path in (("ref.y4m", REF), ("dis.y4m", DIS)):
            self.write(name, pathlib.Path(path).read_bytes())
        self.write("small.y4m", y4m(48, 32, 3))
        forms = [["-m", "all"], [], ["--every", "3", "-m", "psnr=enable_apsnr=true,float_ssim"],
                 ["--frames", "5", "-m", "ssim,cambi"], ["-m", "diff,psnr_hvs", "-t", "2"],
                 ["--skip-ref", "1", "--allow-length", "-m", "psnr=enable_mse=true"]]
        self.list(["reference", "distorted", "options"],
                  *[["ref.y4m", "dis.y4m", " ".join([*form, "--json", f"{i}.json"])] for i, form in enumerate(forms)])
        summary, _ = self.batch("jobs.csv")
        for i, form in enumerate(forms):
            self.passes("-q", "--precision", "max", "--json", "one.json", *form, "ref.y4m", "dis.y4m")
            self.passes("-q", "--json", "plain.json", *form, "ref.y4m", "dis.y4m")
            report, row = json.loads(self.read("one.json")), summary[i]
            figures = {k: v for k, v in row.items() if k not in HEADING and v}
            pools = {"mean": "mean", "min": "min", "max": "max"}
            checked = 0
            for name, text in figures.items():
                if name in report["aggregate_metrics"]:
                    want = report["aggregate_metrics"][name]
                else:
                    key, pool = name.rsplit(".", 1)
                    want = (report["pooled_metrics"][key][pools[pool]] if pool in pools else
                            report["assay"]["percentiles"][key]["perc" + pool[1:]])
                self.assertEqual(float(text), float("inf") if want is None else want, (form, name))
                checked += 1
            self.assertGreater(checked, 2)
            self.assertEqual(row["frames"], str(report["assay"]["frames"]))
            for mine, theirs in (("video_bytes", "distorted_video_bytes"), ("duration_s", "distorted_duration_s"),
                                 ("bitrate_kbps", "distorted_bitrate_kbps")):
                want = report["assay"][theirs]
                self.assertEqual(row[mine], "" if want is None else row[mine])
                if want is not None:
                    self.assertEqual(float(row[mine]), want)

            def same(name):
                text = re.sub(r'(?m)^.*"(fps|threads)".*\n', "", self.read(name))
                return text
            self.assertEqual(same(f"{i}.json"), same("plain.json"))

    def test_rows_of_the_table(self):
        """Features that only a model reads and places of pixels have no column; where lower is better the end counts
        at which a score is bad."""
        self.write("ref.y4m", pathlib.Path(REF).read_bytes())
        self.write("dis.y4m", pathlib.Path(DIS).read_bytes())
        self.list(["reference", "distorted", "metric"], ["ref.y4m", "dis.y4m", "vmaf,diff"])
        summary, _ = self.batch("jobs.csv")
        names = [n for n in summary[0] if n not in HEADING]
        self.assertEqual(names[:3], ["vmaf.mean", "vmaf.p5", "vmaf.min"])
        self.assertFalse([n for n in names if n.startswith("integer_") or "_at_" in n])
        self.assertIn("max_diff.max", names)
        self.assertIn("max_diff.p95", names)

    @unittest.skipUnless(HAVE, "this needs ffmpeg and a build with FFmpeg's libraries")
    def test_encodes(self):
        """Files that are decoded, with the rates of their tracks."""
        rows = []
        for i, crf in enumerate(("20", "35")):
            subprocess.run(["ffmpeg", "-v", "error", "-i", DIS, "-c:v", "libx264", "-crf", crf, "-pix_fmt", "yuv420p",
                            f"e{i}.mp4"], cwd=self.dir, check=True)
            rows.append([REF, f"e{i}.mp4", "psnr", "yes", f"{i}.json"])
        self.list(["reference", "distorted", "metric", "allow-range", "json"], *rows)
        summary, _ = self.batch("jobs.csv")
        for i, row in enumerate(summary):
            self.passes("-q", "--precision", "max", "--json", "one.json", "-m", "psnr", "--allow-range", REF,
                        f"e{i}.mp4")
            report = json.loads(self.read("one.json"))
            self.assertEqual(float(row["psnr_y.mean"]), report["pooled_metrics"]["psnr_y"]["mean"])
            self.assertEqual(float(row["bitrate_kbps"]), report["assay"]["distorted_bitrate_kbps"])
            self.assertEqual(json.loads(self.read(f"{i}.json"))["assay"]["bits"], report["assay"]["bits"])
        self.assertLess(float(summary[1]["bitrate_kbps"]), float(summary[0]["bitrate_kbps"]))

    @unittest.skipUnless(os.environ.get("ASSAY_VULKAN"), "this build has no Vulkan")
    def test_devices(self):
        """A device is opened by the process of each job that uses it."""
        rows = self.pairs(3)
        self.list(["reference", "distorted", "backend", "metric"],
                  *[[*row, backend, "psnr,float_ssim"] for row in rows for backend in ("vulkan", "cpu")])
        summary, _ = self.batch("jobs.csv")
        for i in range(0, 6, 2):
            for name in summary[0]:
                if name not in HEADING:
                    self.assertEqual(summary[i][name], summary[i + 1][name])

    def test_any_number_at_once(self):
        rows = self.pairs(9)
        self.write("d4.y4m", (self.dir / "d4.y4m").read_bytes()[:-5])
        self.list(["reference", "distorted", "metric"],
                  *[[*row, "psnr" if i % 2 else "-"] for i, row in enumerate(rows)])
        seen = set()
        for how in [[], ["--jobs", "1"], ["--jobs", "4"], ["-j4"], ["-j", "1000"], ["-j1", "-q"]]:
            self.fails(INPUT, "d4.y4m", "batch", "jobs.csv", "--summary", "s.csv", *how)
            seen.add(self.read("s.csv"))
            self.forget()
        self.assertEqual(len(seen), 1)
        self.assertEqual([r["status"] for r in self.rows(seen.pop())], ["ok"] * 4 + ["failed"] + ["ok"] * 4)


class Failures(Case):
    def test_in_each_place(self):
        """The others go on; the exit code is that of the first one in the list."""
        rows = self.pairs(4)
        good = {name: (self.dir / name).read_bytes() for _, name in rows}
        for place in range(4):
            for jobs in ("1", "3"):
                self.write(rows[place][1], good[rows[place][1]][:-1])
                self.list(["reference", "distorted"], *rows)
                result = self.fails(INPUT, [f"1 of 4 jobs failed; the first is line {place + 2} of jobs.csv: ",
                                            rows[place][1], "truncated"], "batch", "jobs.csv", "-j", jobs)
                self.assertRegex(result.err, rf"(?m)^assay: [1-4]/4 failed: {rows[place][1]} against ref.y4m "
                                 rf"\(line {place + 2}\): ")
                self.assertRegex(result.err, r"(?m)^assay: 4 jobs: 3 ok, 1 failed; ")
                summary = self.rows(result.out)
                self.assertEqual([r["status"] for r in summary], ["failed" if i == place else "ok" for i in range(4)])
                self.assertEqual((summary[place]["exit_code"], summary[place]["frames"]), ("3", ""))
                self.assertIn("truncated", summary[place]["reason"])
                self.forget()
                self.write(rows[place][1], good[rows[place][1]])

    def test_codes(self):
        rows = self.pairs(4)
        self.write("d1.y4m", y4m(frames=2))
        self.write("d2.y4m", y4m(frames=3)[:-1])
        self.list(["reference", "distorted", "fail-under"], *[[*row, "psnr_y=99" if i in (0, 3) else "-"]
                                                              for i, row in enumerate(rows)])
        self.fails(5, "2 of 4 jobs failed; the first is line 3", "batch", "jobs.csv")
        self.list(["reference", "distorted", "fail-under"], [*rows[0], "psnr_y=99"], [*rows[3], "-"])
        result = self.run_assay("batch", "jobs.csv", "-q", "--state", "b")
        self.assertEqual(result.code, GATE)
        self.assertRegex(result.err, r"^assay: [12]/2 gate failed: d0.y4m against ref.y4m \(line 2\): psnr_y.mean is")
        self.assertEqual(result.err.count("\n"), 1)
        self.list(["reference", "distorted", "backend"], [*rows[0], "nosuch"], [*rows[3], "cpu"])
        self.fails(USAGE, "1 of 2 jobs failed", "batch", "jobs.csv", "--state", "c")

    def test_a_process_that_dies(self):
        rows = self.slow(2)
        rows[0][3] = "320"
        self.list(["reference", "distorted", "metric", "frames"], *rows)
        p = self.start("jobs.csv", "-j", "1")
        os.kill(self.scoring(p), signal.SIGKILL)
        out, err = p.communicate(timeout=600)
        self.assertEqual(p.returncode, INTERNAL, err)
        summary = self.rows(out.decode())
        self.assertEqual([r["status"] for r in summary], ["failed", "ok"])
        self.assertEqual(summary[0]["reason"], "its process was ended by signal 9 (out of memory?)")

    def test_an_input_that_is_replaced(self):
        """Nobody knows which of the two files a job has opened: its scores are those of neither."""
        rows = self.slow(1)
        rows[0][3] = "320"
        self.list(["reference", "distorted", "metric", "frames"], *rows)
        p = self.start("jobs.csv", "-j", "1")
        child = self.scoring(p)
        os.kill(child, signal.SIGSTOP)
        self.write("new.y4m", (self.dir / "dis.y4m").read_bytes())
        os.replace(self.dir / "new.y4m", self.dir / "dis.y4m")
        os.kill(child, signal.SIGCONT)
        out, err = p.communicate(timeout=600)
        self.assertEqual(p.returncode, MISMATCH, err)
        self.assertEqual([(r["status"], r["reason"]) for r in self.rows(out.decode())],
                         [("failed", "an input has been changed while it was scored: plan again")])
        self.assertEqual(self.done(), [])

    def test_notices(self):
        """Each one once; the summary has all of them."""
        self.write("ref.y4m", pathlib.Path(REF).read_bytes())
        for i in range(3):
            self.write(f"d{i}.y4m", pathlib.Path(DIS).read_bytes())
        self.list(["reference", "distorted", "metric", "skip-dis", "allow-length"],
                  *[["ref.y4m", f"d{i}.y4m", "vmaf=version=vmaf_4k_v0.6.1", i, "yes"] for i in range(3)])
        one = self.passes("-m", "vmaf=version=vmaf_4k_v0.6.1", "ref.y4m", "d0.y4m").err
        summary, err = self.batch("jobs.csv")
        notice = one.splitlines()[0].removeprefix("assay: ")
        self.assertEqual(err.count(notice), 1)
        self.assertEqual({notice in r["notices"] for r in summary}, {True})
        for i in (1, 2):
            line = f"length 8 frames against {8 - i} frames"
            self.assertIn(line, summary[i]["notices"])
            self.assertIn(f"assay: d{i}.y4m (line {i + 2}): {line}", err)


class Outputs(Case):
    def test_full_disk(self):
        """The jobs are done all the same, and the next run has only the summary to write."""
        self.list(["reference", "distorted"], *self.pairs(3))
        self.fails(INTERNAL, ["/dev/full", "No space left"], "batch", "jobs.csv", "--summary", "/dev/full")
        result = self.passes("batch", "jobs.csv", "--summary", "s.csv")
        self.assertIn("3 of 3 jobs are done already", result.err)
        with open("/dev/full", "w", encoding="ascii") as full:
            done = self.run_assay("batch", "-q", "jobs.csv", stdout=full)
        self.assertEqual((done.code, len(done.err.splitlines())), (INTERNAL, 1), done)

    def on_disk_of(self, size, *args):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return self.run_assay(*args, preexec_fn=limit)

    def test_summary_after_n_bytes(self):
        self.list(["reference", "distorted"], *self.pairs(3))
        self.passes("batch", "jobs.csv", "--summary", "want.csv")
        size = len(self.read("jobs.csv.state/plan.jsonl")) # which has to be written before
        while True:
            self.write("s.csv", b"")
            done = self.on_disk_of(size, "batch", "-q", "jobs.csv", "--summary", "s.csv")
            if done.code == 0:
                break
            self.assertEqual(done.code, INTERNAL, done)
            self.assertEqual(done.err, "assay: s.csv: can't be written: File too large\n")
            self.assertEqual((self.read("s.csv"), [f for f in os.listdir(self.dir) if "part-" in f]), ("", []))
            size += 1 + size // 20
        self.assertGreater(size, 100)
        self.assertEqual(self.read("s.csv"), self.read("want.csv"))

    def test_state_after_n_bytes(self):
        """Without room for the plan nothing is run. A job whose results have no room has failed. What is in place is
        whole, and the next run has what is left to do."""
        self.list(["reference", "distorted", "metric"], *[[*row, "psnr"] for row in self.pairs(3)])
        want, _ = self.batch("jobs.csv", "--state", "all")
        size, seen = 5, set()
        while True:
            done = self.on_disk_of(size, "batch", "-q", "jobs.csv", "-j1")
            if done.code == 0:
                break
            self.assertEqual(done.code, INTERNAL, done)
            self.assertIn("can't be written: File too large", done.err)
            seen.add("plan" if "plan.jsonl" in done.err else "part")
            for part in self.done():
                json.loads(part.read_text())
            self.assertEqual(list((self.dir / "jobs.csv.state").rglob("*.part-*")), [])
            self.assertEqual(self.batch("jobs.csv", "-q")[0], want)
            self.forget()
            size += size // 2
        self.assertEqual(seen, {"plan", "part"})

    def test_pipe_that_nobody_reads(self):
        self.list(["reference", "distorted"], *self.pairs(1))
        unread, pipe = os.pipe()
        os.close(unread)
        done = self.run_assay("batch", "-q", "jobs.csv", stdout=pipe)
        os.close(pipe)
        self.assertEqual((done.code, len(done.err.splitlines())), (INTERNAL, 1), done)
        self.assertIn("Broken pipe", done.err)

    def test_terminal(self):
        self.list(["reference", "distorted", "metric", "frames"], *self.slow(4))
        seen = {}
        for option in ("", "-q", "--no-progress"):
            terminal = OnTerminal([PROGRAM, "batch", "jobs.csv", "--state", "t" + option, "-j2",
                                   *([option] if option else [])], cwd=self.dir, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL)
            code, seen[option] = terminal.finish()
            self.assertEqual(code, 0)
        self.assertRegex(seen[""], r"[0-4]/4 jobs  [0-9.]+ frames/s  [0-9]:[0-9]{2} left  dis\.y4m [0-9]+ %")
        self.assertRegex(seen[""], r"\rassay: 4 jobs: 4 ok; ")
        self.assertEqual(seen["-q"], "")
        self.assertNotIn("left", seen["--no-progress"])

    def test_lines_without_a_terminal(self):
        self.list(["reference", "distorted", "metric", "frames"], *self.slow(2))
        result = self.passes("batch", "jobs.csv", "--progress")
        self.assertRegex(result.err, r"(?m)^assay: 0/2 jobs  [0-9.]+ frames/s  ")
        self.assertNotIn("\r", result.err)
        self.assertNotIn("\x1b", result.err)


if __name__ == "__main__":
    main()
