# SPDX-License-Identifier: BSD-2-Clause
"""The state that assay batch keeps: a killed run goes on, and what is run again."""
import csv
import fcntl
import json
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import termios
import time

from command import DIS, INPUT, PROGRAM, REF, USAGE, main, y4m
from test_batch import Case, heed
from test_models import model


class State(Case):
    def whole(self, n):
        rows = self.slow(n)
        rows[-1][3] = "320" # so that a run which is slow to be stopped has not ended
        self.list(["reference", "distorted", "metric", "frames", "json"],
                  *[[*row, f"{i}.json"] for i, row in enumerate(rows)])

    def test_killed(self):
        self.whole(6)
        self.passes("batch", "jobs.csv", "--state", "other", "--summary", "want.csv", "--jobs", "2")
        for i in range(6):
            os.unlink(self.dir / f"{i}.json")
        for jobs in ("1", "2"):
            p = self.start("jobs.csv", "--summary", "s.csv", "--jobs", jobs)
            self.wait_for(p, 2)
            left = []
            while not left: # between two jobs there is none
                p.send_signal(signal.SIGCONT)
                self.assertIsNone(p.poll())
                p.send_signal(signal.SIGSTOP)
                left = [c for c in self.running(self.children(p)) if os.path.realpath(f"/proc/{c}/fd/1") == os.devnull]
            for child in left: # else they would end by themselves
                os.kill(child, signal.SIGSTOP)
                self.addCleanup(lambda c=child: self.running([c]) and os.kill(c, signal.SIGKILL))
            p.kill()
            p.wait()
            self.assertFalse((self.dir / "s.csv").exists())
            for _ in range(10000): # the jobs do not outlive it
                if not self.running(left):
                    break
                time.sleep(0.01)
            self.assertEqual(self.running(left), [])
            done = len(self.done())
            self.assertLess(done, 6)
            times = {f.name: f.stat().st_mtime_ns for f in self.dir.glob("*.json")}
            result = self.passes("batch", "jobs.csv", "--summary", "s.csv", "--jobs", jobs)
            self.assertIn(f"assay: {done} of 6 jobs are done already, and their files are unchanged (jobs.csv.state)\n",
                          result.err)
            self.assertEqual(len(re.findall(r"(?m)^assay: [1-6]/6 ok: ", result.err)), 6 - done)
            self.assertEqual(self.read("s.csv"), self.read("want.csv"))
            again = sum(f.stat().st_mtime_ns != times.get(f.name) for f in self.dir.glob("*.json"))
            self.assertLessEqual(again, 6 - done)
            result = self.passes("batch", "jobs.csv", "--summary", "s.csv")
            self.assertEqual(result.err.splitlines()[0],
                             "assay: 6 of 6 jobs are done already, and their files are unchanged (jobs.csv.state)")
            self.assertEqual(len(result.err.splitlines()), 1)
            self.assertEqual(self.read("s.csv"), self.read("want.csv"))
            self.forget()
            for name in ["s.csv", *[f"{i}.json" for i in range(6)]]:
                os.unlink(self.dir / name)

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.whole(5)
            p = self.start("jobs.csv", "--summary", "s.csv", "--jobs", "1", preexec_fn=heed)
            self.wait_for(p, 2)
            p.send_signal(number)
            _, err = p.communicate(timeout=600)
            self.assertEqual(p.returncode, 128 + number, err)
            self.assertEqual(err.decode().splitlines()[-1], f"assay: stopped by {signal.Signals(number).name}")
            status = [r["status"] for r in self.rows(self.read("s.csv"))]
            done = status.count("ok")
            self.assertGreaterEqual(done, 2)
            self.assertEqual(status, ["ok"] * done + (["stopped"] if "stopped" in status else [])
                             + ["not run"] * status.count("not run"))
            result = self.passes("batch", "jobs.csv", "--summary", "s.csv")
            self.assertIn(f"{done} of 5 jobs", result.err)
            self.assertEqual([r["status"] for r in self.rows(self.read("s.csv"))], ["ok"] * 5)
            self.forget()
            for i in range(5):
                os.unlink(self.dir / f"{i}.json")

    def test_interrupted_at_a_terminal(self):
        """Ctrl-C reaches the jobs, too, as does a signal of timeout(1), of systemd or of Slurm. What a stopped job has
        scored is in its report, marked incomplete. Signals that go on end everything."""
        self.whole(4)
        with open(self.dir / "dis.y4m", "ab") as more, open(self.dir / "ref.y4m", "ab") as other:
            for f in (more, other): # long enough to be in the middle
                f.write(pathlib.Path(REF).read_bytes().split(b"\n", 1)[1] * 150)
        self.list(["reference", "distorted", "metric", "frames", "json"],
                  *[["ref.y4m", "dis.y4m", "vmaf,float_ms_ssim,ssimulacra2", 1200 + i, f"{i}.json"] for i in range(4)])
        for number, more in ((signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGHUP, False),
                             (signal.SIGINT, True)):
            p = self.start("jobs.csv", "--summary", "s.csv", "--jobs", "2", preexec_fn=heed, start_new_session=True)
            while sum(f.stat().st_size > 2000 for f in self.dir.glob("[01].json.part-*")) < 2:
                self.assertIsNone(p.poll()) # a job stopped before its first frame leaves no report
                time.sleep(0.01)
            children = self.children(p)
            os.killpg(p.pid, number)
            while more and p.poll() is None:
                os.killpg(p.pid, number)
                time.sleep(0.01)
            _, err = p.communicate(timeout=600)
            if not more:
                self.assertEqual(p.returncode, 128 + number, err)
                self.assertEqual(err.decode().splitlines()[-1], f"assay: stopped by {signal.Signals(number).name}")
                self.assertEqual({r["status"] for r in self.rows(self.read("s.csv"))}, {"stopped", "not run"})
                self.assertEqual(list(self.dir.glob("*.part-*")), [])
                report = json.loads(self.read("0.json"))
                self.assertIs(report["assay"]["incomplete"], True)
                self.assertIn(signal.Signals(number).name, report["assay"]["reason"])
                self.assertGreater(len(report["frames"]), 0)
                self.assertEqual(self.done(), [])
            for _ in range(10000):
                if not self.running(children):
                    break
                time.sleep(0.01)
            self.assertEqual(self.running(children), [])

    def test_a_job_that_waits_for_the_reader_of_a_pipe(self):
        """A signal to the run alone ends the job, too."""
        self.whole(1)
        fifo = self.dir / "fifo"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        room = fcntl.fcntl(reader, getattr(fcntl, "F_SETPIPE_SZ", 1031), 4096)
        with open(self.dir / "dis.y4m", "ab") as more, open(self.dir / "ref.y4m", "ab") as other:
            for f in (more, other):
                f.write(pathlib.Path(REF).read_bytes().split(b"\n", 1)[1] * 100)
        self.list(["reference", "distorted", "metric", "csv"], ["ref.y4m", "dis.y4m", "psnr", "fifo"])
        for number in (signal.SIGTERM, signal.SIGINT):
            p = self.start("jobs.csv", "--summary", "s.csv", preexec_fn=heed, start_new_session=True)
            held = b""
            while not held or struct.unpack("i", held)[0] < room - 256: # until a line finds no room
                self.assertIsNone(p.poll())
                held = fcntl.ioctl(reader, termios.FIONREAD, bytes(4))
            p.send_signal(number)
            _, err = p.communicate(timeout=600)
            self.assertEqual(p.returncode, 128 + number, err)
            while os.read(reader, 65536):
                pass

    def test_a_folder_for_the_time_being_is_removed(self):
        """Also where a signal comes while a list from standard input is planned."""
        self.pairs(1)
        rows = b"reference,distorted,json\n" + b"".join(b"ref.y4m,d0.y4m,o/%d.json\n" % i for i in range(4000))
        folder = self.dir / "temporary"
        folder.mkdir()
        self.write("list", rows)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with open(self.dir / "list", "rb") as rows:
                p = subprocess.Popen([PROGRAM, "batch", "-q", "-"], cwd=self.dir, stdin=rows, preexec_fn=heed,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     env={**os.environ, "TMPDIR": str(folder)})
            self.addCleanup(lambda p=p: (p.kill(), p.wait()))
            while not list(folder.iterdir()):
                self.assertIsNone(p.poll())
                time.sleep(0.001)
            p.send_signal(number)
            self.assertEqual(p.wait(timeout=600), 128 + number)
            self.assertEqual(list(folder.iterdir()), [])

    def test_what_is_run_again(self):
        rows = self.pairs(4)
        self.list(["reference", "distorted", "json"], *[[*row, f"{i}.json"] for i, row in enumerate(rows)])

        def run(expected, name="jobs.csv"):
            _, err = self.batch(name, "--state", "st")
            self.assertEqual(sorted(re.findall(r"(?m)^assay: [0-9]+/[0-9]+ ok: (\S+) ", err)), expected, err)
        everything = [row[1] for row in rows]
        run(everything)
        run([])
        os.utime(self.dir / "d1.y4m", ns=(1, 1))
        run(["d1.y4m"])
        self.write("d2.y4m", y4m(frames=3, noise=9))
        run(["d2.y4m"])
        os.unlink(self.dir / "3.json")
        run(["d3.y4m"])
        self.list(["reference", "distorted", "json", "metric"], *[[*row, f"{i}.json", "psnr" if i == 2 else "-"]
                                                                  for i, row in enumerate(rows)])
        run(["d2.y4m"])
        # Other lists may share it: their jobs are known by what they are.
        self.list(["distorted", "json", "reference"], ["d3.y4m", "3.json", "ref.y4m"], ["d0.y4m", "0.json", "ref.y4m"],
                  ["d0.y4m", "new.json", "ref.y4m"], name="other.csv")
        run(["d0.y4m"], "other.csv")
        self.list(["reference", "distorted", "json"], *[[*row, f"{i}.json"] for i, row in enumerate(rows)])
        run([])
        self.write("ref.y4m", y4m(frames=3, noise=1))
        run(everything)

    def test_what_shows_that_a_file_has_changed(self):
        """Its time to the nanosecond, its size and its first 4096 bytes: each of them alone."""
        ref, dis = self.pair(width=64, height=48, frames=3)
        self.list(["reference", "distorted"], [ref, dis])
        data = (self.dir / dis).read_bytes()
        last = data.rindex(b"FRAME\n")
        longer = data[:last] + b"FRAME Ip\n" + data[last + 6:]
        other = longer[:4095] + bytes([longer[4095] ^ 1]) + longer[4096:]
        for content, time_ns, kept in ((data, 5000000001, False), (data, 5000000001, True), (data, 5000000002, False),
                                       (longer, 5000000002, False), (other, 5000000002, False),
                                       (other, 5000000002, True)):
            self.write(dis, content)
            os.utime(self.dir / dis, ns=(time_ns, time_ns))
            self.assertEqual("is done already" in self.batch("jobs.csv")[1], kept)

    def test_failed_jobs_are_run_again(self):
        rows = self.pairs(2)
        self.write("d1.y4m", y4m(frames=3)[:-1])
        stat = (self.dir / "d1.y4m").stat()
        self.list(["reference", "distorted"], *rows)
        for _ in range(2):
            result = self.fails(INPUT, "truncated", "batch", "jobs.csv")
            self.assertEqual("1 of 2 jobs is done already" in result.err, _ == 1)
        self.assertEqual(stat.st_size, (self.dir / "d1.y4m").stat().st_size)

    def test_models(self):
        """A model of the user's is an input, too."""
        self.write("ref.y4m", pathlib.Path(REF).read_bytes())
        self.write("dis.y4m", pathlib.Path(DIS).read_bytes())
        self.write("m.json", json.dumps(model(1)).encode())
        self.list(["reference", "distorted", "metric"], ["ref.y4m", "dis.y4m", "vmaf=path=m.json"])
        self.assertNotIn("already", self.batch("jobs.csv")[1])
        self.assertIn("already", self.batch("jobs.csv")[1])
        os.utime(self.dir / "m.json", ns=(1, 1))
        self.assertNotIn("already", self.batch("jobs.csv")[1])

    def test_damaged(self):
        """Of a result that was cut, or changed by hand, the job runs again, and a line says so. A damaged plan is
        refused, and --plan makes a new one."""
        self.list(["reference", "distorted"], *self.pairs(3))
        want, _ = self.batch("jobs.csv")
        parts = self.done()
        self.assertEqual(len(parts), 3)
        good = parts[1].read_bytes()
        for damaged in [b"", good[:1], good[:len(good) // 2], good[:-1], good[:-2], b"{}\n", b"\n}\n", good + b"x",
                        re.sub(rb'"psnr_y": [0-9]', rb'"psnr_y": 9', good), re.sub(rb'"bits"', rb'"bots"', good)]:
            self.assertNotEqual(damaged, good)
            parts[1].write_bytes(damaged)
            summary, err = self.batch("jobs.csv")
            self.assertEqual(summary, want)
            self.assertIn("2 of 3 jobs are done already", err)
            self.assertEqual(parts[1].read_bytes(), good)
        plan = (self.dir / "jobs.csv.state/plan.jsonl").read_bytes()
        lines = plan.splitlines(keepends=True)
        for bad in [plan[:-2], b"".join(lines[:-1]), plan + lines[-1], b"{}\n" + plan, b"",
                    plan.replace(b'"task":[1]', b'"task":[9]'), plan.replace(b'"first":[0]', b'"first":[1]'),
                    plan.replace(b'"first":[0],"task":[1]', b'"first":[0,0],"task":[1,1]')]:
            self.assertNotEqual(bad, plan)
            self.write("jobs.csv.state/plan.jsonl", bad)
            self.refuses(INPUT, "plan.jsonl: line ", "batch", "jobs.csv")
            self.passes("batch", "jobs.csv", "--plan", "jobs.csv.state")
            self.assertIn("3 of 3 jobs are done already", self.batch("jobs.csv")[1])

    def test_no_state(self):
        """A file, as earlier versions kept, and a folder with other things in it are no state."""
        self.list(["reference", "distorted"], *self.pairs(1))
        self.write("jobs.csv.state", b'{"assay_batch": 1}\n')
        self.refuses(USAGE, "jobs.csv.state: is no folder of jobs but a file", "batch", "jobs.csv")
        (self.dir / "other").mkdir()
        self.write("other/x", b"")
        self.refuses(USAGE, "other: is no folder of assay batch", "batch", "jobs.csv", "--state", "other")
        os.unlink(self.dir / "other/x")
        self.passes("batch", "jobs.csv", "--state", "other")

    def test_many_rows(self):
        """20,000 rows are checked in seconds, with bounded memory, and a line says that they are."""
        self.pairs(1)
        (self.dir / "e").mkdir()
        for i in range(200):
            os.link(self.dir / "d0.y4m", self.dir / "e" / f"{i}.y4m")
        rows = [["ref.y4m", f"e/{i % 200}.y4m", "vmaf,psnr", str(i // 200)] for i in range(20000)]
        self.list(["reference", "distorted", "metric", "skip-dis"], *rows, ["ref.y4m", "none.y4m", "psnr", "-"])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.refuses(INPUT, "line 20002, column 2 (distorted): none.y4m", "batch", "jobs.csv", "-q")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if os.environ["ASSAY_SANITIZED"] == "0":
            self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 10)
        self.assertIn("assay: 20001 rows are checked before the first job starts\n",
                      self.run_assay("batch", "jobs.csv").err)

    def test_locked(self):
        self.whole(3)
        p = self.start("jobs.csv", "-q")
        self.wait_for(p, 0)
        self.refuses(USAGE, "jobs.csv.state: another assay batch is running with this state", "batch", "jobs.csv")
        self.assertEqual(p.wait(timeout=600), 0)
        self.passes("batch", "jobs.csv")

    def test_inherited_nothing(self):
        """The lock goes with the run, even where a job is still there for a moment."""
        self.whole(3)
        p = self.start("jobs.csv", "-q")
        self.wait_for(p, 1)
        scoring = []
        while not scoring: # jobs that have opened their files
            self.assertIsNone(p.poll())
            for child in self.children(p):
                try:
                    files = [os.readlink(f) for f in pathlib.Path(f"/proc/{child}/fd").iterdir()]
                except OSError:
                    continue
                if any(f.endswith("ref.y4m") for f in files):
                    scoring.append(files)
        self.assertFalse([f for files in scoring for f in files if f.endswith(".state/lock")])
        p.kill()
        p.wait()
        self.passes("batch", "jobs.csv")


if __name__ == "__main__":
    main()
