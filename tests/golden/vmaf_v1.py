#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The models of version 1 against all 17 digits of libvmaf's figures, frame by frame: a score is within 1e-9 of
libvmaf's, every feature is equal.

vmaf_v1.py PROGRAM [--backend NAME] [--only PART]

The figures are those of the sample pair (libvmaf/sample.v1.json), and of golden/v1 of the shared data folder where it
is there. Pairs that its index makes by ffmpeg are left out where there is none. Prints how many figures agree:
docs/metrics/vmaf-v1.md has the table.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile

import golden
import v1

SCORE = re.compile(r"vmaf_v1\.0\.16_\w+")
BOUND = 1e-9  # of scores: exp of the C library is not correctly rounded


class Figures:
    def __init__(self, program, data, folder, backend):
        self.program, self.data, self.folder, self.backend = program, data, folder, backend
        self.failures, self.counts, self.largest = [], collections.Counter(), 0.0

    def report(self, entry, models):
        """The metrics of each frame by its number, or None."""
        out = self.folder / "report.json"
        words = v1.command(self.program, entry, ",".join(f"vmaf=version={m}:name={m}" for m in models), self.data,
                           self.folder, out) + ["-q", "--backend", self.backend]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            self.failures.append(f"{' '.join(words)}: {done.stderr}")
            return None
        return {frame["frameNum"]: frame["metrics"] for frame in json.loads(out.read_text())["frames"]}

    def value(self, label, key, expected, got):
        score = SCORE.fullmatch(key)
        kind = "scores" if score else re.sub(r"_(csf|mmxv|mffw|mxv|hrs)_.*", "", key)
        off = abs(got - expected) if got is not None else float("inf")
        self.counts[kind] += 1
        self.counts[kind, "equal"] += off == 0
        self.largest = max(self.largest, off)
        if not off <= (BOUND if score else 0.0):
            self.failures.append(f"{label} {key}: expected {expected!r}, got {got!r}")

    def compare(self, name, entry, path):
        expected = json.loads(path.read_text())
        models = [key for key in expected["frames"][0]["metrics"] if SCORE.fullmatch(key)]
        if sorted(models) != sorted(entry.get("models", models)):
            self.failures.append(f"{name}: the index has other models than the figures")
        got = self.report(entry, models)
        for frame in expected["frames"] if got else []:
            ours = got.get(frame["frameNum"], {})
            for key, value in frame["metrics"].items():
                self.value(f"{name} frame {frame['frameNum']}", key, value, ours.get(key))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--only", default="", help="part of an entry's name")
    arguments = parser.parse_args()
    shared, sample = golden.shared_folder(), golden.SOURCE / "examples/sample"
    index = v1.figures_of(shared) / "index.json"
    entries = {"sample": {"args": ["-r", str(sample / "ref.y4m"), "-d", str(sample / "dis.y4m")], "frame_cnt": 8},
               **(json.loads(index.read_text()) if index.exists() else {})}
    left_out = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        figures = Figures(arguments.program, shared / "data", folder, arguments.backend)
        for name, entry in entries.items():
            path = (golden.SOURCE / "tests/golden/libvmaf/sample.v1.json" if name == "sample" else
                    v1.figures_of(shared) / f"{name}.models.json")
            if arguments.only in name and v1.make(entry, shared / "data", folder):
                figures.compare(name, entry, path)
            elif arguments.only in name:
                left_out.append(name)
    for text in figures.failures[:60]:
        print("FAILED", text)
    for kind, count in figures.counts.items():
        if isinstance(kind, str):
            print(f"{kind}: {count} compared, {figures.counts[kind, 'equal']} equal")
    print(f"largest difference {figures.largest:.3g}" + (f"; left out: {left_out}" if left_out else ""))
    return 1 if figures.failures or not figures.counts["scores"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
