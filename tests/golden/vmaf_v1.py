#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The models of version 1 against all 17 digits of libvmaf's figures (golden/v1 of the shared data folder), frame by
frame: adm and motion with the models' options, and with --scores the scores, too.

vmaf_v1.py PROGRAM [--scores] [--backend NAME] [--only PART]

A score is within 1e-9 of libvmaf's, every feature is equal. Skipped where the folder is absent. Pairs that the index
makes by ffmpeg are left out where there is none. Prints how many figures agree: docs/metrics/vmaf-v1.md has the table.
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

ADM = "adm=adm_csf_mode=2:adm_dlm_weight=0.7:adm_enhn_gain_limit=1:adm_noise_weight=0.02:adm_min_val=0.5"
MOTION = "motion=motion_max_val=18"
FEATURES = [ADM, f"{ADM}:adm_norm_view_dist=5", f"{ADM}:adm_norm_view_dist=1.5:adm_ref_display_height=2160",
            f"{ADM}:adm_ref_display_height=2160", MOTION,
            f"{MOTION}:motion_five_frame_window=true:motion_moving_average=true"]
ALONE = re.compile(r"integer_.*|VMAF_integer_feature_motion_sad_score.*")  # keys of FEATURES
SCORE = re.compile(r"vmaf_v1\.0\.16_\w+")
BOUND = 1e-9  # of scores: exp of the C library is not correctly rounded


class Figures:
    def __init__(self, program, data, folder, backend):
        self.program, self.data, self.folder, self.backend = program, data, folder, backend
        self.failures, self.counts, self.largest = [], collections.Counter(), 0.0

    def report(self, entry, metrics):
        """The metrics of each frame by its number, or None."""
        out = self.folder / "report.json"
        words = v1.command(self.program, entry, metrics[0], self.data, self.folder, out)
        words += ["-q", "--backend", self.backend] + [word for metric in metrics[1:] for word in ("-m", metric)]
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

    def compare(self, name, entry, scores):
        expected = json.loads((v1.figures_of(golden.shared_folder()) / f"{name}.models.json").read_text())
        models = [f"vmaf=version={model}:name={model}" for model in entry["models"]] if scores else []
        got = self.report(entry, FEATURES + models)
        if got is None:
            return
        for frame in expected["frames"]:
            ours = got.get(frame["frameNum"], {})
            for key, value in frame["metrics"].items():
                if ALONE.fullmatch(key) or scores:
                    self.value(f"{name} frame {frame['frameNum']}", key, value, ours.get(key))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--scores", action="store_true")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--only", default="", help="part of an entry's name")
    arguments = parser.parse_args()
    shared = golden.shared_folder()
    index = v1.figures_of(shared) / "index.json"
    if not index.exists():
        raise SystemExit(golden.SKIP)
    left_out = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        figures = Figures(arguments.program, shared / "data", folder, arguments.backend)
        for name, entry in json.loads(index.read_text()).items():
            if arguments.only not in name or not entry["models"]:
                continue
            if v1.make(entry, shared / "data", folder):
                figures.compare(name, entry, arguments.scores)
            else:
                left_out.append(name)
    for text in figures.failures[:60]:
        print("FAILED", text)
    for kind, count in figures.counts.items():
        if isinstance(kind, str):
            print(f"{kind}: {count} compared, {figures.counts[kind, 'equal']} equal")
    print(f"largest difference {figures.largest:.3g}" + (f"; left out: {left_out}" if left_out else ""))
    return 1 if figures.failures or not figures.counts else 0


if __name__ == "__main__":
    raise SystemExit(main())
