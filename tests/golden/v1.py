#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Metrics of VMAF v1 against all 17 digits of libvmaf's figures (golden/v1 of the shared data folder), frame by frame.

v1.py PROGRAM METRIC... [--backend NAME]

Skipped where the folder is absent. Pairs that the index makes by ffmpeg are left out where there is none.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

import golden

OPTIONS = {"-w": "-w", "-h": "-h", "-p": "-p", "-b": "-b", "--frame_skip_dist": "--skip-dis"}


def figures_of(shared):
    return shared / "golden" / "v1"


def make(entry, data, folder):
    """Runs the commands that make an entry's inputs; whether they are there."""
    if any(c.startswith("ffmpeg") for c in entry.get("make", [])) and not shutil.which("ffmpeg"):
        return False
    for command in entry.get("make", []):
        subprocess.run(command.replace("$OUT", str(folder)), shell=True, cwd=data, check=True)
    return True


def command(program, entry, metric, data, folder, out):
    args = dict(zip(entry["args"][::2], entry["args"][1::2]))
    sides = [str(folder / args[side][2:]) if args[side].startswith("@/") else str(data / args[side])
             for side in ("-r", "-d")]
    words = [str(program), *sides, "-m", metric, "--frames", str(entry["frame_cnt"]), "--json", str(out),
             "--precision", "max", "--allow-colour"]
    for theirs, ours in OPTIONS.items():
        words += [ours, args[theirs]] if theirs in args else []
    return words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("metric", nargs="+")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--only", default="", help="part of an entry's name")
    options = parser.parse_args()
    shared = golden.shared_folder()
    figures_folder, data = figures_of(shared), shared / "data"
    if not figures_folder.is_dir():
        raise SystemExit(77)
    compared, failures, left_out = 0, [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, entry in json.loads((figures_folder / "index.json").read_text()).items():
            if options.only not in name:
                continue
            if not make(entry, data, folder):
                left_out.append(name)
                continue
            for kind in ("features", "options"):
                expected = figures_folder / f"{name}.{kind}.json"
                metrics = [m for m in entry.get(kind, []) if m.split("=")[0] in options.metric]
                got = {}
                for metric in metrics:
                    out = folder / "report.json"
                    words = command(options.program, entry, metric, data, folder, out) + ["--backend", options.backend]
                    done = subprocess.run(words, capture_output=True, text=True)
                    if done.returncode:
                        failures.append(f"{' '.join(words)}: {done.stderr}")
                        continue
                    for frame in json.loads(out.read_text())["frames"]:
                        got.setdefault(frame["frameNum"], {}).update(frame["metrics"])
                for frame in json.loads(expected.read_text())["frames"] if metrics else []:
                    ours = got.get(frame["frameNum"], {})
                    for key in (k for k in frame["metrics"] if k.startswith(tuple(options.metric))):
                        compared += 1
                        if ours.get(key) != frame["metrics"][key]:
                            failures.append(f"{name} frame {frame['frameNum']} {key}: expected "
                                            f"{frame['metrics'][key]!r}, got {ours.get(key)!r}")
    for line in failures:
        print(line)
    print(f"{compared} figures of {', '.join(options.metric)}, {len(failures)} differ"
          + (f"; left out: {left_out}" if left_out else ""))
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    raise SystemExit(main())
