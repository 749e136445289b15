#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What docs/scale.md says that `assay batch` costs beside scoring, in processor seconds, least of three: planning, the
state of a folder, putting parts together, and what a part does before its first frame."""
import atexit
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import DIS, REF, SKIP, main, y4m
from test_batch import Case

FFMPEG = shutil.which("ffmpeg")
if not FFMPEG or b"libx264" not in subprocess.run([FFMPEG, "-v", "quiet", "-encoders"], capture_output=True,
                                                  check=False).stdout:
    print("skipped: no ffmpeg that encodes H.264 is installed")
    sys.exit(SKIP)

TASK = 600  # seconds that a task takes by default
TOLD = []   # what was measured, which is printed at the end
atexit.register(lambda: print("\n".join(TOLD)))


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Costs(Case):
    def seconds(self, *words, times=3):
        """Processor seconds of a command that passes, least of `times`."""
        found = []
        for _ in range(times):
            before = used()
            self.passes(*words)
            found.append(used() - before)
        return min(found)

    def jobs(self, n):
        """A list of n jobs, each of a file of its own."""
        self.write("ref.y4m", y4m(frames=1))
        data = y4m(frames=1, noise=2)
        (self.dir / "dis").mkdir(exist_ok=True)
        for i in range(n):
            (self.dir / f"dis/{i}.y4m").write_bytes(data)
        self.list(["reference", "distorted", "metric"], *(["ref.y4m", f"dis/{i}.y4m", "psnr"] for i in range(n)))

    def test_planning(self):
        self.jobs(10000)
        took = self.seconds("batch", "-q", "jobs.csv", "--plan", "F")
        TOLD.append(f"planning 10,000 jobs: {took:.2f} s")
        self.assertLess(took, 5)

    def test_status(self):
        """A folder of 100,000 tasks, none done and all done."""
        self.jobs(100000)
        self.passes("batch", "-q", "jobs.csv", "--plan", "F", "--task-seconds", "1e-9")
        none = self.seconds("batch", "--status", "F")
        self.passes("batch", "-q", "--work", "F", "--task", "0")
        part, = (self.dir / "F").glob("done/*/*.json")
        data = part.read_bytes()
        for line in (self.dir / "F/plan.jsonl").read_text().splitlines()[1:]:
            key = json.loads(line)["job"]
            at = self.dir / f"F/done/{key[:2]}/{key}.json"
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_bytes(data)
        done = self.seconds("batch", "--status", "F")
        self.assertIn("100000 of 100000 parts are done", self.passes("batch", "--status", "F").out)
        TOLD.append(f"status of 100,000 tasks: {none:.2f} s with none done, {done:.2f} s with all done")
        self.assertLess(max(none, done), 2)

    def test_collecting(self):
        """By all processors and by one: the same bytes."""
        for name, path in (("ref", REF), ("dis", DIS)):
            data = pathlib.Path(path).read_bytes()
            head = data.index(b"\n") + 1
            self.write(f"{name}.y4m", data[:head] + data[head:] * 60)
        for i in range(12):
            os.link(self.dir / "dis.y4m", self.dir / f"d{i}.y4m")
        self.list(["reference", "distorted", "metric", "json"],
                  *(["ref.y4m", f"d{i}.y4m", "psnr", f"{i}.json"] for i in range(12)))
        self.passes("batch", "-q", "jobs.csv", "--plan", "F", "--task-seconds", "0.05")
        units = sum(len(json.loads(line)["first"]) for line in (self.dir / "F/plan.jsonl").read_text().splitlines()[1:])
        self.assertGreater(units, 24)
        self.passes("batch", "-q", "--work", "F")
        frames = 12 * len(json.loads(self.collected(4)["0.json"])["frames"])
        before = used()
        written = self.collected(4)
        took = used() - before
        TOLD.append(f"collecting {frames} frames in {units} parts: {1e6 * took / frames:.0f} us of a processor a frame")
        self.assertEqual(written, self.collected(1))
        self.assertLess(took / frames, 200e-6)

    def collected(self, processors):
        for path in (self.dir / "F").glob("done/*/*.json"):
            if path.stat().st_size > 3 * min(p.stat().st_size for p in (self.dir / "F").glob("done/*/*.json")):
                path.unlink() # what was put together
        allowed = set(sorted(os.sched_getaffinity(0))[:processors])
        done = self.run_assay("batch", "-q", "--collect", "F", "--summary", "s.csv",
                              preexec_fn=lambda: os.sched_setaffinity(0, allowed))
        self.assertEqual(done.code, 0, done)
        return {name: self.read(name) for name in ["s.csv", *(f"{i}.json" for i in range(12))]}

    def test_a_part(self):
        """Start, seek and history: H.264 of 9,000 frames with a keyframe in 250, from four places."""
        subprocess.run([FFMPEG, "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25,noise=alls=6:allf=t",
                        "-frames:v", "9000", "-c:v", "libx264", "-preset", "ultrafast", "-g", "250", "-crf", "26",
                        "r.mp4"], cwd=self.dir, check=True)
        cost = {first: self.seconds("-q", "-m", "motion", "--first", str(first), "--frames", "1", "-t", "1", "r.mp4",
                                    "r.mp4") for first in (0, 1249, 4990, 8900)}
        TOLD.append("a part of one frame: " +
                    ", ".join(f"{took:.2f} s from frame {first}" for first, took in cost.items()))
        self.assertLess(cost[8900], 3 * max(cost[1249], 0.05))   # not from the file's beginning
        self.assertLess(9 * max(cost.values()), 0.03 * TASK)     # 1920x1080 has nine times the pixels


if __name__ == "__main__":
    main()
