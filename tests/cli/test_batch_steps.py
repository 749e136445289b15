# SPDX-License-Identifier: BSD-2-Clause
"""assay batch in steps: a plan that is worked off in any order, at once, twice, with kills and damage between, has the
bytes of one run."""
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import time

from command import DIS, GATE, INPUT, INTERNAL, MISMATCH, PROGRAM, REF, USAGE, main, y4m
from test_batch import Case

ENGINES = ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX")
REPORTS = ("a.json", "a.csv", "a.html", "a.xml", "b.json", "c.json")
SBATCH = """#!/usr/bin/env python3
import os, subprocess, sys
with open("calls", "a") as calls:
    calls.write("\\t".join(sys.argv[1:]) + "\\n")
script = sys.stdin.read()
of = {word.split("=")[0]: word.split("=")[-1] for word in sys.argv}
number = 11 if "--array" in of else 12
print(number, flush=True)
code = 0
with open(of["--output"], "a") as out:
    for piece in of.get("--array", "-").split("%")[0].split(","):
        first, _, last = piece.partition("-")
        for index in range(int(first), int(last or first) + 1) if first else [None]:
            own = {"SLURM_ARRAY_TASK_ID": str(index)} if first else {}
            code = subprocess.run(["/bin/sh", "-s"], input=script, text=True, stdout=out, stderr=out,
                                  env={**os.environ, **own}).returncode
sys.exit(code if "--wait" in of else 0)
"""


class StepsCase(Case):
    """What tests of the steps share, those of tests/scale among them."""

    def setUp(self):
        super().setUp()
        for name in ENGINES:
            os.environ.pop(name, None)

    def long(self, times=4):
        """A list with jobs that are cut, and the bytes of all that one run writes."""
        for name, path in (("ref", REF), ("dis", DIS)):
            data = pathlib.Path(path).read_bytes()
            head = data.index(b"\n") + 1
            self.write(f"{name}.y4m", data[:head] + data[head:] * times)
        self.write("short.y4m", y4m(frames=3))
        self.write("other.y4m", y4m(frames=3, noise=2))
        self.list(["reference", "distorted", "metric", "fail-under", "options"],
                  ["ref.y4m", "dis.y4m", "vmaf,psnr=enable_apsnr=true", "psnr_y=60",
                   "--json a.json --csv a.csv --html a.html --thumbnails 0 --xml a.xml --reproducible -t 1"],
                  ["ref.y4m", "dis.y4m", "psnr,float_ssim", "psnr_y.min=1",
                   "--json b.json --every 2 --reproducible -t 1"],
                  ["short.y4m", "other.y4m", "diff", "-", "--json c.json --reproducible -t 1"])
        self.assertEqual(self.run_assay("batch", "jobs.csv", "-q", "--state", "one", "--summary", "s.csv").code, GATE)
        self.want = self.take()

    def take(self):
        """The bytes of all files that a run writes, which are removed."""
        found = {}
        for name in ("s.csv", *REPORTS):
            path = self.dir / name
            if path.exists():
                found[name] = path.read_bytes()
                path.unlink()
        return found

    def plan(self, seconds="0.002", folder="F"):
        self.passes("batch", "jobs.csv", "--plan", folder, "--task-seconds", seconds)
        lines = (self.dir / folder / "plan.jsonl").read_text().splitlines()
        self.tasks = json.loads(lines[0])["tasks"]
        return [json.loads(line) for line in lines[1:]]

    def collect(self, folder="F", code=GATE):
        result = self.run_assay("batch", "--collect", folder, "--summary", "s.csv")
        self.assertEqual(result.code, code, result)
        return result

    def same(self, folder="F"):
        self.collect(folder)
        got = self.take()
        self.assertEqual(sorted(got), sorted(self.want))
        for name, data in self.want.items():
            self.assertEqual(got[name], data, name)

    def counts(self, folder="F"):
        out = self.passes("batch", "--status", folder).out
        counts = re.search(r": (\d+) of (\d+) parts are done, (\d+) failed, (\d+) are left", out)
        return tuple(int(n) for n in counts.groups())


class Steps(StepsCase):
    def test_in_any_order(self):
        self.long()
        jobs = self.plan()
        self.assertGreater(len(jobs[0]["first"]), 4)
        self.assertEqual(len(jobs[2]["first"]), 1)
        self.assertEqual(self.counts()[0], 0)
        self.collect(code=MISMATCH)
        self.assertEqual({r["status"] for r in self.rows(self.take()["s.csv"].decode())}, {"not run"})
        order = list(range(self.tasks))
        random.Random(1).shuffle(order)
        for i, task in enumerate(order):
            if i % 4 < 3:
                env = {ENGINES[i % 3]: str(task)} if i % 4 < 2 else {}
                args = [] if env else ["--task", str(task)]
                subprocess.run([PROGRAM, "batch", "-q", "--work", "F", *args], cwd=self.dir, check=True,
                               env={**os.environ, **env})
        self.passes("batch", "--work", "F") # what is left
        done = self.counts()
        self.assertEqual(done[0], done[1])
        times = [p.stat().st_mtime_ns for p in self.done("F")]
        self.passes("batch", "--work", "F") # nothing
        self.assertEqual(times, [p.stat().st_mtime_ns for p in self.done("F")])
        self.same()

    def test_a_gate_on_a_score_that_the_pictures_lack(self):
        """A job fails for it with the same code and reason, whether it was cut or not."""
        self.write("ref.y4m", y4m(frames=3, chroma="mono"))
        self.write("dis.y4m", y4m(frames=3, chroma="mono", noise=2))
        self.list(["reference", "distorted", "metric", "fail-under"], ["ref.y4m", "dis.y4m", "psnr", "psnr_cb=1"],
                  ["ref.y4m", "dis.y4m", "psnr=enable_apsnr=true", "apsnr_y=1"])
        self.fails(USAGE, "no score named 'psnr_cb'", "batch", "jobs.csv", "--state", "one", "--summary", "s.csv")
        want = self.take()["s.csv"]
        self.assertGreater(min(len(job["first"]) for job in self.plan("0.000001")), 1)
        self.fails(USAGE, "no score named 'psnr_cb'", "batch", "--work", "F")
        self.collect(code=USAGE)
        self.assertEqual(self.take()["s.csv"], want)
        self.assertEqual([(r["status"], r["exit_code"]) for r in self.rows(want.decode())],
                         [("failed", str(USAGE)), ("ok", "0")])

    def test_at_once(self):
        """Workers at once, each task at least twice, and two that collect."""
        self.long()
        self.plan()
        workers = [subprocess.Popen([PROGRAM, "batch", "-q", "--work", "F", *how], cwd=self.dir)
                   for how in [[], [], ["--task", "1"], ["--task", "1"], ["--task", "0"]]]
        self.assertEqual([w.wait(timeout=600) for w in workers], [0] * 5)
        self.passes("batch", "--work", "F")
        collectors = [subprocess.Popen([PROGRAM, "batch", "--collect", "F", "--summary", f"s{i}.csv"], cwd=self.dir)
                      for i in range(2)]
        self.assertEqual([c.wait(timeout=600) for c in collectors], [GATE] * 2)
        self.assertEqual(self.read("s0.csv").encode(), self.want["s.csv"])
        self.assertEqual(self.read("s1.csv").encode(), self.want["s.csv"])
        self.same()

    def test_without_locks(self):
        """Where a file system has no locks, work is done twice, and nothing else happens."""
        self.long()
        self.plan()
        (self.dir / "F/lock").unlink()
        (self.dir / "F/lock").mkdir() # so that there is none
        workers = [subprocess.Popen([PROGRAM, "batch", "-q", "--work", "F"], cwd=self.dir) for _ in range(3)]
        self.assertEqual([w.wait(timeout=600) for w in workers], [0] * 3)
        self.same()

    def test_killed(self):
        """Workers that are killed wherever they are, again and again."""
        self.long(6)
        self.plan("0.002")
        dice = random.Random(2)
        for _ in range(12):
            p = subprocess.Popen([PROGRAM, "batch", "-q", "--work", "F"], cwd=self.dir)
            time.sleep(dice.random() * 0.4)
            p.send_signal(dice.choice([signal.SIGKILL, signal.SIGTERM]))
            p.wait()
        self.passes("batch", "--work", "F")
        self.same()
        part = self.done("F")[0]
        part.with_name(part.name + ".new-elsewhere-1-0").write_bytes(b"{") # a machine that lost its power
        self.plan("0.002") # which clears away what they left
        self.assertEqual([f.name for f in (self.dir / "F").rglob("*") if ".new-" in f.name], [])
        self.same()

    def test_damaged_parts(self):
        self.long()
        self.plan()
        self.passes("batch", "--work", "F")
        for damage in (lambda d: b"", lambda d: d[:len(d) // 2],
                       lambda d: d.replace(b'"frameNum": ', b'"frameNum": 1', 1)):
            for part in self.done("F")[::2]:
                part.write_bytes(damage(part.read_bytes()))
            while self.run_assay("batch", "-q", "--collect", "F", "--summary", "s.csv").code == MISMATCH:
                self.passes("batch", "-q", "--work", "F") # what collecting has found to be damaged
            self.same()

    def test_collected_side_by_side(self):
        """With a damaged part, a missing one and a report without a place, several processes write and say what one
        does."""
        self.long()
        os.mkdir(self.dir / "none")
        for i in range(6):
            shutil.copy(self.dir / "dis.y4m", self.dir / f"d{i}.y4m")
        self.list(["reference", "distorted", "metric", "options"],
                  *(["ref.y4m", f"d{i}.y4m", "psnr", f"--json {'none/' if i == 3 else ''}{i}.json --reproducible -t 1"]
                    for i in range(6)))
        jobs = self.plan()
        units = [len(job["first"]) for job in jobs]
        self.assertTrue(all(n > 1 for n in units), units)
        self.passes("batch", "-q", "--work", "F")
        results = {"alone": None, "beside": None}
        os.rmdir(self.dir / "none")
        (self.dir / "none").write_text("a file")
        for name in results:
            shutil.copytree(self.dir / "F", self.dir / name)
            part = {i: next(p for p in self.done(name) if f"d{i}.y4m" in p.read_text()) for i in (0, 5)}
            part[0].write_text(part[0].read_text()[:-1000] + " " * 997 + "\n}\n")
            part[5].unlink()
            alone = (lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})) if name == "alone" else None
            done = self.run_assay("batch", "--collect", name, "--summary", f"{name}.csv", preexec_fn=alone)
            self.assertEqual(done.code, INTERNAL, done)
            files = {f"{i}.json": self.read(f"{i}.json") if (self.dir / f"{i}.json").exists() else None
                     for i in range(6)}
            results[name] = (done.err.replace(f"{name}/", ""), self.read(f"{name}.csv"), files)
            self.assertEqual(sorted(text is None for text in files.values()), [False] * 3 + [True] * 3)
            for i in range(6):
                (self.dir / f"{i}.json").unlink(missing_ok=True)
        self.assertEqual(results["alone"], results["beside"])

    def test_a_changed_input(self):
        """One that is replaced between two parts: those that are left fail, and a new plan does them anew."""
        self.long()
        self.plan()
        self.passes("batch", "--work", "F", "--task", "0")
        data = (self.dir / "dis.y4m").read_bytes()
        changed = bytearray(data)
        changed[5000] ^= 1
        stat = (self.dir / "dis.y4m").stat()
        self.write("dis.y4m", bytes(changed))
        self.assertEqual((self.dir / "dis.y4m").stat().st_size, stat.st_size)
        result = self.fails(MISMATCH, "an input has been changed since the plan was made", "batch", "--work", "F")
        self.collect(code=MISMATCH)
        rows = self.rows(self.take()["s.csv"].decode())
        self.assertEqual([r["status"] for r in rows], ["failed", "failed", "ok"], result)
        self.assertIn("failed", self.passes("batch", "--status", "F").out)
        self.assertEqual(self.run_assay("batch", "jobs.csv", "-q", "--state", "two", "--summary", "s.csv").code, GATE)
        self.want = self.take()
        self.plan()
        self.passes("batch", "--work", "F")
        self.same()

    def test_full_disk(self):
        """Work and collecting find no room, at several places: they say so, and later the bytes are one run's."""
        def run(size, *args):
            return self.run_assay("batch", *args, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                                        (size, size)))
        self.long()
        self.plan()
        for size in (0, 200, 2000):
            result = run(size, "--work", "F")
            self.assertEqual(result.code, INTERNAL, result)
            self.assertIn("File too large", result.err)
            self.assertEqual(self.counts()[0], 0)
        self.passes("batch", "--work", "F")
        for size in (0, 500, 5000):
            result = run(size, "--collect", "F", "--summary", "s.csv")
            self.assertEqual(result.code, INTERNAL, result)
            self.assertIn("File too large", result.err)
        self.same()

    def test_clock_that_jumps(self):
        """Parts that seem to come from the past and from the future are results like the others."""
        self.long()
        self.plan()
        for task in range(self.tasks // 2):
            self.passes("batch", "--work", "F", "--task", str(task))
        for i, part in enumerate(self.done("F")):
            os.utime(part, [(0, 0), (4e9, 4e9)][i % 2])
        times = {p: p.stat().st_mtime_ns for p in self.done("F")}
        self.passes("batch", "--work", "F")
        self.assertEqual(times, {p: p.stat().st_mtime_ns for p in times}) # none was done again
        self.assertGreater(len(self.done("F")), len(times))
        self.same()

    def test_bad_input(self):
        """A failure that lasts is not tried again, is named, and the others are there."""
        rows = self.pairs(3)
        self.write("d1.y4m", (self.dir / "d1.y4m").read_bytes()[:-1])
        self.list(["reference", "distorted"], *rows)
        self.plan()
        self.fails(INPUT, ["1 part failed; the first is of line 3 of jobs.csv", "truncated"], "batch", "--work", "F")
        note, = [n for n in (self.dir / "F").glob("done/*/*.note") if '"code": 3' in n.read_text()]
        before = note.stat().st_mtime_ns
        self.passes("batch", "--work", "F")
        self.assertEqual(note.stat().st_mtime_ns, before)
        self.assertIn("line 3 failed with exit code 3: ", self.passes("batch", "--status", "F").out)
        result = self.collect(code=INPUT)
        self.assertIn("1 of 3 jobs failed; the first is line 3 of jobs.csv", result.err)
        self.assertEqual([r["status"] for r in self.rows(self.read("s.csv"))], ["ok", "failed", "ok"])
        self.write("d1.y4m", y4m(frames=3, noise=2))
        self.plan()
        self.passes("batch", "--work", "F")
        self.collect(code=0)

    def test_names_that_are_not_utf8(self):
        """Names keep their bytes: é in Latin-1 is no UTF-8."""
        name = {key: os.fsdecode(bytes(text, "latin-1")) for key, text in
                {"list": "lé.csv", "input": "dé.y4m", "output": "oé.json", "folder": "Pé"}.items()}
        self.write("ref.y4m", y4m(frames=3))
        self.write(name["input"], y4m(frames=3, noise=2))
        row = ["ref.y4m", name["input"], "psnr", f"--json {name['output']}"]
        self.write(name["list"], os.fsencode("reference,distorted,metric,options\n" + ",".join(row) + "\n"))
        self.passes("batch", "-q", name["list"], "--plan", name["folder"], errors="replace")
        self.assertEqual(sorted(p.name for p in (self.dir / name["folder"] / "done").iterdir()), [])
        self.passes("batch", "-q", "--work", name["folder"], errors="replace")
        self.passes("batch", "-q", "--collect", name["folder"], "--summary", "s.csv",
                    errors="replace")
        self.assertEqual(len(json.loads(self.read(name["output"]))["frames"]), 3)
        self.assertEqual(len(list((self.dir / name["folder"] / "done").iterdir())), 1)

    def test_here_and_there(self):
        """A run that was begun on this machine is planned for others, and the other way around. The folder moves."""
        self.long()
        p = self.start("jobs.csv", "-q", "-j", "1", "--state", "F")
        self.wait_for(p, 1, "F")
        p.kill()
        p.wait()
        self.plan()
        self.passes("batch", "--work", "F", "--task", str(self.tasks - 1))
        (self.dir / "moved").mkdir()
        for name in ("ref.y4m", "dis.y4m", "short.y4m", "other.y4m", "jobs.csv", "F"):
            shutil.move(self.dir / name, self.dir / "moved" / name)
        self.take()
        done = subprocess.run([PROGRAM, "batch", "jobs.csv", "-q", "--state", "F", "--summary", "s.csv"],
                              cwd=self.dir / "moved", check=False)
        self.assertEqual(done.returncode, GATE)
        for name, data in self.want.items():
            self.assertEqual((self.dir / "moved" / name).read_bytes(), data, name)

    def test_locked(self):
        self.long(100)
        self.plan("1000")
        p = subprocess.Popen([PROGRAM, "batch", "-q", "--work", "F", "--task", "0"], cwd=self.dir)
        while not (parts := list((self.dir / "F").rglob("*.new-*"))):
            self.assertIsNone(p.poll())
            time.sleep(0.01)
        self.refuses(USAGE, "another assay batch is running with this state", "batch", "jobs.csv", "--plan", "F")
        self.assertIn("1 task is being done by others", self.passes("batch", "--work", "F", "--task", "0").err)
        self.assertTrue(parts)
        p.kill()
        p.wait()

    def slurm(self, *args, code=GATE):
        """Runs with a stand-in for sbatch, which does the jobs at once. tests/scale has the real one."""
        self.write("sbatch", SBATCH.encode())
        os.chmod(self.dir / "sbatch", 0o755)
        result = self.run_assay("batch", *args, "--engine", "slurm", "--summary", "s.csv",
                                env={"PATH": f"{self.dir}:{os.environ['PATH']}"})
        self.assertEqual(result.code, code, result)
        calls = [line.split("\t") for line in self.read("calls").splitlines()]
        os.unlink(self.dir / "calls")
        return result, calls

    def test_engine(self):
        """What sbatch is asked for, and that its jobs have the bytes of one run."""
        self.long()
        folder = "it's $HOME; a folder"
        result, calls = self.slurm("jobs.csv", "--plan", folder, "--task-seconds", "0.002", "--jobs", "3", "--wait",
                                   "--engine-options=--partition='two words' -c1")
        got = self.take()
        self.assertEqual(got, self.want)
        heading = json.loads((self.dir / folder / "plan.jsonl").read_text().splitlines()[0])
        tasks = heading["tasks"]
        self.assertIn(f"{tasks} of {tasks} tasks are submitted, and job 12 behind them", result.err)
        same = ["--parsable", "--job-name=assay", "--open-mode=append", f"--output={self.dir / folder}/slurm.log",
                "--partition=two words", "-c1"]
        self.assertEqual(calls, [[*same, f"--array=0-{tasks - 1}%3"], [*same, "--wait", "--dependency=afterany:11"]])
        for part in sorted(self.done(folder)):
            if json.loads(part.read_text())["assay"].get("part"):
                part.write_bytes(part.read_bytes()[:-9])
                break
        for whole in self.done(folder):
            if whole.exists() and whole != part and b'"frameNum": 0,' in whole.read_bytes():
                whole.unlink()
        result, calls = self.slurm("--resume", folder, code=0)
        self.assertRegex(calls[0][4], r"^--array=\d+(-\d+)?(,\d+(-\d+)?)*$")
        self.assertNotEqual(calls[0][4], f"--array=0-{tasks - 1}")
        self.assertEqual(self.take(), self.want)
        result, calls = self.slurm("--resume", folder, "--wait") # nothing is left
        self.assertIn(f"0 of {tasks} tasks are submitted", result.err)
        self.assertEqual([call[4:] for call in calls], [["--wait"]])
        self.assertEqual(self.take(), self.want)

    def test_arrays(self):
        """More tasks than one array takes."""
        self.pairs(1)
        self.list(["reference", "distorted", "frames", "metric"],
                  *[["ref.y4m", "d0.y4m", str(1 + i), "diff"] for i in range(1003)])
        self.write("sbatch", b"#!/bin/sh\necho \"$*\" >> calls\ncat >> scripts\necho 7\n")
        os.chmod(self.dir / "sbatch", 0o755)
        self.passes("batch", "jobs.csv", "--engine", "slurm", "--task-seconds", "0.0000001", "-q",
                    env={"PATH": f"{self.dir}:{os.environ['PATH']}"})
        calls = self.read("calls").splitlines()
        self.assertEqual([re.search(r"--(array|dependency)=(.*)", call)[2] for call in calls],
                         ["0-999", "0-2", "afterany:7:7"])
        self.assertIn("--task $((SLURM_ARRAY_TASK_ID + 1000))\n", self.read("scripts"))
        self.assertIn("/jobs.csv.state/summary.csv\n", self.read("scripts"))

    def test_engine_refused(self):
        self.long(1)
        for says, *args in [
                ("--wait is for --engine", "jobs.csv", "--wait"), ("--resume is for --engine", "--resume", "F"),
                ("--work is a step of this machine", "--work", "F", "--engine", "slurm"),
                ("not 'none'", "jobs.csv", "--engine", "none"),
                ("a quote is open", "jobs.csv", "--state", "F", "--engine", "slurm", "--engine-options='x"),
                ("--engine needs --state", "-", "--engine", "slurm")]:
            with self.subTest(says=says):
                self.refuses(USAGE, says, "batch", *args)
        self.refuses(INTERNAL, "sbatch can't be called: No such file", "batch", "jobs.csv", "--engine", "slurm",
                     env={"PATH": "/nowhere"})
        self.write("sbatch", b"#!/bin/sh\nexit 1\n")
        os.chmod(self.dir / "sbatch", 0o755)
        self.refuses(INTERNAL, "sbatch has not taken the job", "batch", "jobs.csv", "--engine", "slurm",
                     env={"PATH": f"{self.dir}:{os.environ['PATH']}"})

    def test_usage(self):
        self.list(["reference", "distorted"], *self.pairs(1))
        for says, *args in [
                ("--plan and --work are two steps", "jobs.csv", "--plan", "F", "--work", "F"),
                ("--work takes no list", "jobs.csv", "--work", "F"), ("batch needs a list", "--plan", "F"),
                ("--plan names the folder", "jobs.csv", "--plan", "F", "--state", "x"),
                ("--task is for --work", "jobs.csv", "--task", "1"),
                ("--task-seconds is for --plan", "jobs.csv", "--task-seconds", "1"),
                ("--summary is not for --plan", "jobs.csv", "--plan", "F", "--summary", "s.csv"),
                ("--summary is not for --work", "--work", "F", "--summary", "s.csv"),
                ("--summary is not for --status", "--status", "F", "--summary", "s.csv"),
                ("--jobs is not for --plan", "jobs.csv", "--plan", "F", "--jobs", "2"),
                ("--jobs is not for --status", "--status", "F", "--jobs", "2"),
                ("--task-seconds takes a number above 0, not '-1'", "jobs.csv", "--plan", "F", "--task-seconds=-1"),
                ("F: can't be read", "--status", "F")]:
            with self.subTest(says=says):
                self.assertIn(says.split(":")[0], self.run_assay("batch", *args).err)
                self.assertFalse((self.dir / "F").exists())
        self.plan()
        self.refuses(USAGE, "task 7: the plan has tasks 0 to 0", "batch", "--work", "F", "--task", "7")
        done = subprocess.run([PROGRAM, "batch", "--work", "F"], cwd=self.dir, capture_output=True, text=True,
                              env={**os.environ, "SLURM_ARRAY_TASK_ID": "x"})
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("SLURM_ARRAY_TASK_ID", done.stderr)


if __name__ == "__main__":
    main()
