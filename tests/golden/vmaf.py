#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""vmaf against libvmaf's figures: scores of every built-in model within 1e-9 and the integer features that they come
from in all 17 digits, per frame and pooled; 6 decimals of oracle/*.json. netflix.py has libvmaf's own test suite.

vmaf.py PROGRAM [--libav]

Where the shared data folder is absent, the sample pair alone is compared. Prints how many figures agree: docs/metrics/
vmaf.md has the table.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import golden

EXACT, FLOAT = 1e-9, 2e-4  # of scores: from integer features, and from float ones, which agree within their own bounds
INTEGER = re.compile(r"(VMAF_)?integer_(?!motion_force).*")
KNOTS = golden.SOURCE / "tests/golden/libvmaf/knots.json"  # a made-up model with options, knots and bounds
# Keys of scores in the figures, and the model that gives them.
SCORES = {
    "vmaf_v0.6.1": "", "vmaf_v0.6.1neg": "", "vmaf_4k_v0.6.1": "", "vmaf_4k_v0.6.1neg": "", "vmaf_b_v0.6.3": "",
    "vmaf_float_v0.6.1": "", "vmaf_float_v0.6.1neg": "", "vmaf_float_4k_v0.6.1": "", "vmaf_float_b_v0.6.3": "",
    "phone": "vmaf_v0.6.1:enable_transform", "open": "vmaf_v0.6.1:disable_clip",
    "phone_open": "vmaf_v0.6.1:disable_clip:enable_transform", "mfz": "vmaf_v0.6.1:motion.motion_force_zero=true",
    "phone_b": "vmaf_b_v0.6.3:enable_transform", "open_b": "vmaf_b_v0.6.3:disable_clip:enable_transform",
    "knots": f"path={KNOTS}", "knots_open": f"path={KNOTS}:disable_clip",
    "vmaf": "vmaf_v0.6.1", "vmaf_neg": "vmaf_v0.6.1neg", "vmaf_4k": "vmaf_4k_v0.6.1", "vmaf_b": "vmaf_b_v0.6.3",
    "vmaf_float": "vmaf_float_v0.6.1",
}
MEMBER = re.compile(r"_\d{4}|_bagging|_stddev|_ci_p95_(lo|hi)")
# libvmaf's 8-bit pair of 18x22 was scored from memory outside of the picture (README.md of the figures).
EXCLUDED = {"akiyo_18x22_420_8b"}


def score_of(key):
    """The key in SCORES that a key belongs to, or None."""
    return next((name for name in SCORES if key == name
                 or (key.startswith(name) and MEMBER.fullmatch(key, len(name)))), None)


class Figures:
    def __init__(self, program, data, folder):
        self.program, self.data, self.out = program, data, pathlib.Path(folder) / "report.json"
        self.failures, self.counts, self.largest = [], collections.Counter(), collections.Counter()

    def report(self, ref, dis, arguments, models):
        """`models`: values of the option `vmaf=`."""
        command = [self.program, self.data / ref, self.data / dis, *arguments, "-q", "--json", self.out,
                   "--precision", "max"]
        for model in models:
            command += ["-m", f"vmaf={model}"]
        self.out.unlink(missing_ok=True)
        words = [str(word) for word in command]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            self.failures.append(f"{' '.join(words)}: {done.stderr}")
            return None
        return json.loads(self.out.read_text())

    def value(self, kind, label, expected, got, bound):
        """One figure; its kind is counted with those that are equal."""
        self.counts[kind] += 1
        off = abs(got - expected) if got is not None else float("inf")
        self.largest[kind] = max(self.largest[kind], off)
        self.counts[kind, "equal"] += off == 0
        if not off <= bound:
            self.failures.append(f"{label}: expected {expected!r}, got {got!r}")

    def kind(self, key):
        """What a key is, and how far it may be off; None: not compared here."""
        score = score_of(key)
        if score:
            real = "float" in (SCORES[score] or score)
            return ("scores of float models", FLOAT) if real else ("scores", EXACT)
        return ("integer features", 0.0) if INTEGER.fullmatch(key) else None

    def compare(self, name, expected, got, digits=None):
        if not got or len(got["frames"]) < len(expected["frames"]):
            self.failures.append(f"{name}: not as many frames")
            return
        known = {key for frame in got["frames"] for key in frame["metrics"]}
        keys = {key for frame in expected["frames"] for key in frame["metrics"] if self.kind(key)} & known
        scores = {score_of(key) for key in keys} - {None}
        if scores != self.wanted(expected):
            self.failures.append(f"{name}: no score of {sorted(self.wanted(expected) - scores)}")
        for key in sorted(keys):
            kind, bound = self.kind(key)
            if digits:
                kind, bound = kind + ", 6 decimals", max(bound, digits)
            for theirs, ours in zip(expected["frames"], got["frames"]):
                self.value(kind, f"{name} frame {theirs['frameNum']} {key}", theirs["metrics"][key],
                           ours["metrics"].get(key), bound)
            for pool in golden.POOLS if "pooled_metrics" in expected else ():
                self.value(kind, f"{name} {pool} {key}", expected["pooled_metrics"][key][pool],
                           got["pooled_metrics"].get(key, {}).get(pool), bound)

    @staticmethod
    def wanted(expected):
        return {score_of(key) for key in expected["frames"][0]["metrics"]} - {None}

    def models(self, expected):
        """The models of all scores that figures have."""
        texts = {name: SCORES[name] or name for name in sorted(self.wanted(expected))}
        return [(text if text.startswith("path=") else f"version={text}") + f":name={name}"
                for name, text in texts.items()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--libav", action="store_true")
    arguments = parser.parse_args()
    shared = golden.shared_folder()
    folder, data = shared / "golden", shared / "data"

    with tempfile.TemporaryDirectory() as scratch:
        figures = Figures(arguments.program, data, scratch)
        pairs = golden.indexed_pairs(folder)
        ref = pairs["sample"][0]
        for name, (ref, dis, how), path in (
                ("sample", pairs["sample"], golden.SOURCE / "tests/golden/libvmaf/sample.vmaf.json"),
                ("sample against itself", (ref, ref, ["--frames", "2"]),
                 golden.SOURCE / "tests/golden/libvmaf/self.vmaf.json"),
                *((name, pair, golden.figures_file(folder, name, "models")) for name, pair in pairs.items())):
            if golden.all_present(data, ref, dis) and path.exists() and name not in EXCLUDED:
                expected = json.loads(path.read_text())
                figures.compare(name, expected, figures.report(ref, dis, how, figures.models(expected)))
        for name, (ref, dis, how) in golden.SIX_DECIMALS.items():
            path = folder / f"oracle/{name}.json"
            if golden.all_present(data, ref, dis) and path.exists() and (arguments.libav or "libav" not in how):
                expected = json.loads(path.read_text())
                how = [word for word in how if word != "libav"]
                figures.compare(name, expected, figures.report(ref, dis, how, figures.models(expected)), 0.5001e-6)
    for kind, count in figures.counts.items():
        if isinstance(kind, str):
            print(f"{kind}: {count} compared, {figures.counts[kind, 'equal']} equal, "
                  f"largest difference {figures.largest[kind]:.3g}")
    for text in figures.failures[:60]:
        print("FAILED", text)
    if not figures.counts["scores"]:
        figures.failures.append("nothing was compared")
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main())
