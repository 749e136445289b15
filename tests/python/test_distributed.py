#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""assay.distributed on a cluster of local worker processes: the bytes of one machine, workers killed in the middle."""
import importlib.util
import json
import os
import signal
import sys
import threading
import unittest
import warnings

from common import DIS, REF, SKIP, Case, command

if importlib.util.find_spec("distributed") is None:
    print("skipped: distributed is not installed")
    sys.exit(SKIP)

warnings.simplefilter("ignore")  # of packages on which distributed stands
import distributed

import assay
import assay.distributed

LIST = """reference,distorted,metric,fail-under,options
ref.y4m,dis.y4m,"vmaf,psnr=enable_apsnr=true",psnr_y=60,--json a.json --csv a.csv --reproducible -t 1
ref.y4m,dis.y4m,"psnr,float_ssim",psnr_y.min=1,--json b.json --every 2 --reproducible -t 1
dis.y4m,ref.y4m,diff,-,--json c.json --reproducible -t 1
"""
REPORTS = ("a.json", "a.csv", "b.json", "c.json")
TIMES = 12  # that the sample is repeated
SECONDS = 0.005  # of a task


class Distributed(Case):
    def setUp(self):
        super().setUp()
        self.find_command()  # workers have it from here
        for name, path in (("ref", REF), ("dis", DIS)):
            data = path.read_bytes()
            head = data.index(b"\n") + 1
            (self.dir / f"{name}.y4m").write_bytes(data[:head] + data[head:] * TIMES)
        self.list = self.dir / "jobs.csv"
        self.list.write_text(LIST, encoding="utf-8")

    def cluster(self, workers=2):
        """A client of worker processes, which are started again when they die."""
        own = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None,
                                       local_directory=str(self.dir / "workers"), silence_logs=50)
        self.addCleanup(own.close)
        client = distributed.Client(own)
        self.addCleanup(client.close)
        return client

    def alone(self):
        """The reports of one machine, which are removed, and its exact results."""
        code, _ = command("batch", self.list, "-q", "--state", self.dir / "alone", "--summary", self.dir / "s.csv")
        self.assertEqual(code, 1)  # a gate fails
        reports = {name: (self.dir / name).read_bytes() for name in REPORTS}
        for name in REPORTS:
            os.unlink(self.dir / name)
        return reports

    def same(self, jobs, reports):
        self.assertEqual([job.status for job in jobs], ["gate", "ok", "ok"])
        self.assertIn("psnr_y", jobs[0].reason)
        for name, data in reports.items():
            self.assertEqual((self.dir / name).read_bytes(), data, name)
        whole = assay.score(self.dir / "ref.y4m", self.dir / "dis.y4m", metrics="vmaf,psnr=enable_apsnr=true")
        self.assertEqual({*jobs[0].results[0]}, {*whole[0]})
        for key, values in whole[0].items():
            self.assertEqual(jobs[0].results[key].tobytes(), values.tobytes(), key)

    def test_as_one_machine(self):
        reports, told = self.alone(), []
        client = self.cluster()
        jobs = assay.distributed.score(client, self.list, task_seconds=SECONDS,
                                       progress=lambda *counts: told.append(counts))
        self.same(jobs, reports)
        self.assertGreater(told[-1][1], 6)  # it was cut
        self.assertEqual(told[-1][0], told[-1][1])
        done = {path: path.stat().st_mtime_ns for path in (self.dir / "jobs.csv.state").glob("done/*/*.json")}
        self.same(assay.distributed.score(client, str(self.list), task_seconds=SECONDS), reports)
        self.assertEqual(done, {path: path.stat().st_mtime_ns for path in done})
        # A part that was cut off is done again.
        for path in list(done)[::2]:
            path.write_bytes(path.read_bytes()[:-100])
        self.same(assay.distributed.score(client, self.list, task_seconds=SECONDS), reports)

    def test_workers_are_lost(self):
        """Both workers are killed, one after the other, while they do tasks. Their nannies start others."""
        reports = self.alone()
        client = self.cluster()
        state, killed, over = self.dir / "jobs.csv.state", [], threading.Event()
        workers = list(client.run(os.getpid).values())

        def kill():
            while workers and not over.wait(0.01):
                if len(list(state.glob("done/*/*.json"))) > len(killed) and list(state.glob("done/*/*.new-*")):
                    os.kill(workers[0], signal.SIGKILL)
                    killed.append(workers.pop(0))

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            jobs = assay.distributed.score(client, self.list, task_seconds=SECONDS)
        finally:
            over.set()
            thread.join()
        self.assertEqual(len(killed), 2)
        self.same(jobs, reports)

    def test_rows_and_failures(self):
        client = self.cluster(1)
        (self.dir / "cut.y4m").write_bytes((self.dir / "dis.y4m").read_bytes()[:-1])
        rows = [{"reference": self.dir / "ref.y4m", "distorted": self.dir / name, "metric": "psnr",
                 "json": self.dir / f"{name}.json", "allow-length": True} for name in ("dis.y4m", "cut.y4m")]
        jobs = assay.distributed.score(client, rows, folder=self.dir / "state")
        self.assertEqual([(job.status, job.exit_code) for job in jobs], [("ok", 0), ("failed", 3)])
        self.assertIn("cut.y4m", jobs[1].reason)
        self.assertIsNone(jobs[1].results)
        report = json.loads((self.dir / "dis.y4m.json").read_text(encoding="utf-8"))
        self.assertEqual(len(jobs[0].results["psnr_y"]), len(report["frames"]))
        self.fails(assay.UsageError, "needs a folder", assay.distributed.score, client, rows)
        rows[0]["metric"] = "nothing"
        self.fails(assay.UsageError, "nothing", assay.distributed.score, client, rows, folder=self.dir / "state")

    def test_workers_that_have_no_command(self):
        client = self.cluster(1)
        client.run(lambda: os.environ.update(PATH="/nowhere"))
        said = self.fails(assay.InternalError, "not all tasks could be done", assay.distributed.score, client,
                          self.list, attempts=1)
        self.assertIn("the command is not installed", str(said))


if __name__ == "__main__":
    unittest.main()
