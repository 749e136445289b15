#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""flip of `assay image` against golden/flip of the shared data folder: an evaluation in double, and the figures that
NVlabs' program prints.

    flip.py ASSAY [--backend NAME] [--only TEXT]

- The mean is within 2e-6 of double on pictures and within 2e-5 on made ones.
- Pools are within 5e-4 of double (a quantile is a step function), the least and the largest error within 1e-3.
- The program adds a map in one float: its mean is within 5e-6 of ours at Kodak's size, 5e-5 elsewhere.
- Pictures with 16 bits, of which the program reads the upper half, are compared with double alone. Those with alpha,
  which it drops, are left out.
- Pictures of floats: the exposures are those of double within 1e-12, of the program within its 4 digits, and their
  number is the same.

Skipped where the folder is absent. Pictures that gen_flip.py makes are made anew."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import golden

MEAN, MADE_MEAN, POOL, EXTREME = 2e-6, 2e-5, 5e-4, 1e-3
TOOL, MADE_TOOL = 1e-5, 5e-5
POOLS = {"weighted_median": "weighted_median", "weighted_q1": "1st_weighted_quartile",
         "weighted_q3": "3rd_weighted_quartile", "min": "min", "max": "max"}
OPTIONS = {"tone": "tone_mapper", "start": "start_exposure", "stop": "stop_exposure", "n": "num_exposures"}


def options_of(entry):
    words = []
    for name, v in (entry.get("options") or {}).items():
        if name == "vc":
            words += ["%s=%r" % pair for pair in zip(("distance", "monitor_width", "monitor_pixels"), v)]
        else:
            words.append("%s=%s" % (OPTIONS.get(name, name), v))
    return ":".join(["flip=pools=true"] + words)


def compare(program, name, entry, ref, dis, backend):
    done = subprocess.run([program, "image", ref, dis, "-m", options_of(entry), "-q", "--backend", backend, "--json",
                           "-", "--precision", "max"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return [done.stderr.strip()], 0.0
    got = json.loads(done.stdout)["pairs"][0]["metrics"]
    want, tool, wrong = entry["double"], entry["tool"], []
    made = entry["ref"].startswith("@/") or "synth" in entry["ref"]

    def check(what, a, b, bound):
        if not abs(a - b) <= bound:
            wrong.append("%s is %r, not %r" % (what, a, b))
        if abs(a + 2 * bound - b) <= bound:
            wrong.append("%s: twice the bound would not be noticed" % what)

    off = abs(got["flip"] - want["mean"])
    check("flip", got["flip"], want["mean"], MADE_MEAN if made else MEAN)
    if name != "rgb16":
        check("flip of the program", got["flip"], tool["mean"], MADE_TOOL if made else TOOL)
    for key in POOLS:
        if key in want:
            check(key, got["flip_" + key], want[key], EXTREME if key in ("min", "max") else POOL)
    if "n" in want:
        for side in ("start", "stop"):
            check(side, got["flip_%s_exposure" % side], want[side], 1e-12)
            check(side + " of the program", got["flip_%s_exposure" % side], tool[side + "_exposure"], 6e-5)
        check("exposures", got["flip_num_exposures"], want["n"], 0.4)
    if name == "identical" and got["flip"] != 0.0:
        wrong.append("identical pictures have an error")
    return wrong, off


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--only", default="", help="part of an entry's name")
    options = parser.parse_args()
    shared = golden.shared_folder()
    index = shared / "golden" / "flip" / "index.json"
    if not index.exists():
        return golden.SKIP
    compared, wrong, worst = 0, [], {}
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        subprocess.run([sys.executable, shared / "golden" / "flip" / "gen_flip.py", folder], check=True)
        for name, entry in json.loads(index.read_text()).items():
            paths = [scratch / entry[side][2:] if entry[side].startswith("@/") else shared / "data" / entry[side]
                     for side in ("ref", "dis")]
            left_out = name == "rgba8"
            if left_out or options.only not in name or not all(p.exists() for p in paths):
                continue
            found, worst[name] = compare(options.program, name, entry, *paths, options.backend)
            wrong += ["%s: %s" % (name, w) for w in found]
            compared += 1
    for name in sorted(worst, key=worst.get, reverse=True):
        print("%-20s %.2e" % (name, worst[name]))
    print("%d pairs compared" % compared)
    print("\n".join(wrong[:40]))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
