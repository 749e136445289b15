#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""float_adm's options against figures of libvmaf's own test suite (golden/netflix.json of the shared data folder).

netflix_adm.py PROGRAM

Each entry names a pair, options, a key (which tests how options enter keys) and what libvmaf's command prints with 6
decimals. Skipped where the shared data folder is absent.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import golden

BOUND = 1e-6 + 0.5e-6  # the promise, and the rounding of 6 decimals


def run(program, entry, data, folder):
    """The report of the pair, or None and what the program said."""
    out = pathlib.Path(folder) / "report.json"
    out.unlink(missing_ok=True)
    metric = ":".join(f"{name}={value}" for name, value in entry["options"].items())
    command = [program, data / entry["ref"], data / entry["dis"], "-w", entry["width"], "-h", entry["height"], "-p",
               "420",
               "-b", 8, "-m", "float_adm" + ("=" + metric if metric else ""), "--json", out, "--precision", "max"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return (json.loads(out.read_text()) if done.returncode == 0 else None), done.stderr


def main():
    program, shared = sys.argv[1], golden.shared_folder()
    figures = shared / "golden/netflix.json"
    if not figures.exists():
        print("skipped: no shared data folder")
        return golden.SKIP
    entries = [e for e in json.loads(figures.read_text()) if e["runner"] == "FloatAdmFeatureExtractor"
               and (shared / "data" / e["ref"]).exists() and (shared / "data" / e["dis"]).exists()]
    reports, failures, compared, worst = {}, [], 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for entry in entries:
            pair = json.dumps([entry["ref"], entry["options"]])
            if pair not in reports:
                reports[pair] = run(program, entry, shared / "data", folder)
            report, error = reports[pair]
            if not report:
                failures.append(f"{entry['metric']}: {error}")
                continue
            key = entry["metric"].removeprefix("float_ADM_feature_").removesuffix("s").removesuffix("_score")
            frames = [frame["metrics"].get(key) for frame in report["frames"]]
            if None in frames:
                failures.append(f"{key}: no such key among {sorted(report['frames'][0]['metrics'])}")
                continue
            if entry["frame_or_pool"].startswith("frame:"):
                got = frames[int(entry["frame_or_pool"].split(":")[1])]
            else:
                got = sum(frames) / len(frames)
            difference = abs(got - entry["value"])
            bound = max(BOUND, 0.5 * 10.0 ** -entry["places"] if entry["places"] < 6 else 0.0)
            worst = max(worst, difference)
            compared += 1
            if difference > bound:
                failures.append(f"{key}: expected {entry['value']}, got {got}")
    for text in failures:
        print("FAILED", text)
    if failures:
        return 1
    if not compared:
        print("skipped: no pair is present")
        return golden.SKIP
    print(f"{compared} figures agree, largest difference {worst:.3g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
