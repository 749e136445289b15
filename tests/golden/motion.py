#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""motion against libvmaf's figures: all 17 digits of libvmaf/*.json, 6 decimals of oracle/*.json
and of its own test suite.

motion.py PROGRAM [--libav]

Where the shared data folder is absent, the sample pair alone is compared.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import golden

KEY = re.compile(r"integer_motion[23]?(_mmxv_18)?|VMAF_integer_feature_motion_sad_score(_mmxv_18)?")
SETS = {"features": "motion", "models": "motion,motion=motion_max_val=18", "options": "motion=debug=true"}


class Figures:
    def __init__(self, program, data, folder):
        self.program, self.data, self.out = program, data, pathlib.Path(folder) / "report.json"
        self.compared, self.failures, self.reports = 0, [], {}

    def report(self, ref, dis, arguments, metrics):
        command = [self.program, self.data / ref, self.data / dis, *arguments, "-m", metrics, "--json", self.out,
                   "--precision", "max"]
        words = tuple(str(word) for word in command)
        if words not in self.reports:
            self.out.unlink(missing_ok=True)
            done = subprocess.run(words, capture_output=True, text=True)
            self.reports[words] = json.loads(self.out.read_text()) if done.returncode == 0 else None
            if done.returncode:
                self.failures.append(f"{' '.join(words)}: {done.stderr}")
        return self.reports[words]

    def value(self, label, expected, got, bound):
        self.compared += 1
        if got is None or abs(got - expected) > bound:
            self.failures.append(f"{label}: expected {expected!r}, got {got!r}")

    def compare(self, name, expected, got, bound):
        """Every figure of motion, per frame and pooled."""
        if not got or len(got["frames"]) != len(expected["frames"]):
            self.failures.append(f"{name}: not as many frames")
            return
        keys = {key for frame in expected["frames"] for key in frame["metrics"] if KEY.fullmatch(key)}
        for key in sorted(keys):
            for theirs, ours in zip(expected["frames"], got["frames"]):
                self.value(f"{name} frame {theirs['frameNum']} {key}", theirs["metrics"][key], ours["metrics"].get(key),
                           bound)
            for pool in golden.POOLS:
                theirs = expected["pooled_metrics"][key][pool]
                self.value(f"{name} {pool} {key}", theirs, got["pooled_metrics"].get(key, {}).get(pool), bound)


def suite_figures(figures, entries):
    """Those of libvmaf's tests that ask for motion, with its options."""
    for entry in entries:
        key = re.sub(r"_scores?$", "", entry["metric"]).replace("VMAF_integer_feature_", "integer_").replace(
            "integer_motion_feature_", "integer_")
        options = {name: value for name, value in entry["options"].items() if name.startswith("motion_")}
        metric = "motion=" + ":".join(["debug=true"] + [f"{name}={str(value).lower()}" for name,
                                                        value in options.items()])
        depth = re.search(r"p(\d+)le$", entry["pixfmt"])
        arguments = ["-w", entry["width"], "-h", entry["height"], "-p", "420", "-b", depth.group(1) if depth else 8]
        got = figures.report(entry["ref"], entry["dis"], arguments, metric)
        frames = [frame["metrics"].get(key) for frame in got["frames"]] if got else [None]
        if None in frames:
            had = sorted(got["frames"][0]["metrics"]) if got else "nothing"
            figures.failures.append(f"{entry['metric']}: no {key} among {had}")
            continue
        at = entry["frame_or_pool"]
        value = frames[int(at.split(":")[1])] if at.startswith("frame:") else sum(frames) / len(frames)
        figures.value(f"{entry['source_test']} {key}", entry["value"], value, 0.5001 * 10.0 ** -min(entry["places"], 6))


def same_by_name(figures, ref, dis, how):
    """motion_v2 has the values of motion."""
    got = figures.report(ref, dis, how, "motion,motion_v2")
    for frame in got["frames"] if got else []:
        for key, other in (("integer_motion2", "VMAF_integer_feature_motion2_v2_score"),
                           ("integer_motion3", "VMAF_integer_feature_motion3_v2_score"),
                           ("VMAF_integer_feature_motion_sad_score", "VMAF_integer_feature_motion_v2_sad_score")):
            figures.value(f"{other} of {frame['frameNum']}", frame["metrics"][key], frame["metrics"].get(other), 0.0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--libav", action="store_true")
    arguments = parser.parse_args()
    shared = golden.shared_folder()
    folder, data = shared / "golden", shared / "data"

    with tempfile.TemporaryDirectory() as scratch:
        figures = Figures(arguments.program, data, scratch)
        for name, (ref, dis, how) in golden.indexed_pairs(folder).items():
            for kind, metrics in SETS.items():
                path = golden.figures_file(folder, name, kind)
                if golden.all_present(data, ref, dis) and path.exists():
                    expected = json.loads(path.read_text())
                    figures.compare(f"{name}.{kind}", expected, figures.report(ref, dis, how, metrics), 0.0)
        exact = figures.compared
        same_by_name(figures, *golden.indexed_pairs(folder)["sample"])
        if not exact:
            figures.failures.append("the sample pair has no figure of motion")
        for name, (ref, dis, how) in golden.SIX_DECIMALS.items():
            if golden.all_present(data, ref, dis) and (folder / f"oracle/{name}.json").exists() and (arguments.libav
                                                                                    or "libav" not in how):
                expected = json.loads((folder / f"oracle/{name}.json").read_text())
                how = [word for word in how if word != "libav"]
                figures.compare(name, expected, figures.report(ref, dis, how, "motion"), 0.5001e-6)
        suite = folder / "netflix.json"
        entries = [e for e in json.loads(suite.read_text() if suite.exists() else "[]")
                   if "nteger" in e["metric"] and "motion" in e["metric"] and "asset_dict" not in e["options"]
                   and e["pixfmt"].startswith("yuv420") and golden.all_present(data, e["ref"], e["dis"])]
        suite_figures(figures, entries)
    for text in figures.failures[:40]:
        print("FAILED", text)
    if figures.failures:
        return 1
    print(f"{exact} figures equal to 17 digits, {figures.compared - exact} within 6 decimals or as its tests allow")
    return 0


if __name__ == "__main__":
    sys.exit(main())
