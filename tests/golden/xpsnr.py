#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""xpsnr of the command against ffmpeg's filter (golden/xpsnr of the shared data folder), frame by frame: the weighted
errors are equal as integers, dB within 1e-12 relative, and the lines of --xpsnr-log are those of ffmpeg's stats file.

xpsnr.py ASSAY [--backend NAME] [--only TEXT] [--made FOLDER]

Skipped where the folder is absent. --made is for the pictures that gen_xpsnr.py makes; without it they are made anew,
those of at most 1024x768 alone. Pairs that the README of the golden files decodes with ffmpeg are left out where the
folder does not have them."""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import golden

LETTERS, PLANES = "yuv", {"400": 1}
NAMES = {"400": "gray", "420": "yuv420p", "422": "yuv422p", "444": "yuv444p", "411": "yuv411p"}
DB = 1e-12


def number(v):
    return math.inf if v == "inf" else float(v)


def same_db(a, b):
    return a == b or abs(a - b) <= DB * max(abs(a), abs(b))


def text(v):
    return "inf" if math.isinf(v) else "%3.4f" % v


def log_of(entry):
    """The stats file that ffmpeg writes."""
    def figures(row):
        return [number(row["xpsnr_" + c]) for c in LETTERS if "xpsnr_" + c in row]
    lines = []
    for n, row in enumerate(entry["per_frame"], 1):
        lines.append("n: %4d" % n + "".join("  XPSNR %s: %s" % (c, text(v)) for c, v in zip(LETTERS, figures(row))))
    average = figures(entry["average"])
    last = "XPSNR average, %d frames" % len(entry["per_frame"])
    last += "".join("  %s: %s" % (c, text(v)) for c, v in zip(LETTERS, average))
    if len(average) > 1:
        last += "  (minimum: %s)" % text(number(entry["average"]["minimum"]))
    return "\n".join(lines) + "\n\n" + last + "\n"


def compare(program, entry, ref, dis, backend, folder):
    depth, log = entry["depth"], folder / "stats.log"
    num, _, den = entry["rate"].partition("/")
    words = [program, ref, dis, "-w", str(entry["width"]), "-h", str(entry["height"]), "-b", str(depth), "-p",
             NAMES[entry["layout"]] if depth == 8 else entry["layout"], "-m",
             "xpsnr=fps=%r" % (int(num) / int(den or 1)), "-n", str(len(entry["per_frame"])), "--backend", backend,
             "--json", "-", "--precision", "max", "--xpsnr-log", str(log), "--force"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        return [done.stderr.strip()]
    report, wrong = json.loads(done.stdout), []
    for n, row in enumerate(entry["per_frame"]):
        got = report["frames"][n]["metrics"]
        for c, wsse in zip(LETTERS, row["wsse"]):
            if got["xpsnr_wsse_" + c] != wsse:
                wrong.append("frame %d: wsse_%s is %r, not %r" % (n, c, got["xpsnr_wsse_" + c], wsse))
            if not same_db(number(got["xpsnr_" + c] if got["xpsnr_" + c] is not None else "inf"),
                           number(row["xpsnr_" + c])):
                wrong.append("frame %d: xpsnr_%s is %r, not %r" % (n, c, got["xpsnr_" + c], row["xpsnr_" + c]))
    figures = report["aggregate_metrics"]
    for key, v in entry["average"].items():
        ours = "xpsnr_minimum" if key == "minimum" else key.replace("xpsnr", "xpsnr_average")
        if ours not in figures and key == "minimum" and len(entry["average"]) == 2:
            continue
        got = figures[ours]
        if not same_db(math.inf if got is None else number(got), number(v)):
            wrong.append("%s is %r, not %r" % (ours, got, v))
    if log.read_text() != log_of(entry):
        wrong.append("the log is\n%s\nand not\n%s" % (log.read_text(), log_of(entry)))
    return wrong


def made(entry, scratch, options, shared, name):
    """The two files of an entry, or None."""
    paths = []
    for side in ("ref", "dis"):
        path = entry[side]
        if not path.startswith("@/"):
            paths.append(shared / "data" / path)
            continue
        folder = pathlib.Path(options.made) if options.made else scratch
        if not options.made and path.startswith("@/g") and entry["width"] * entry["height"] <= 1024 * 768:
            if not (folder / path[2:]).exists():
                subprocess.run([sys.executable, shared / "golden" / "xpsnr" / "gen_xpsnr.py", folder, name], check=True)
        paths.append(folder / path[2:])
    return paths if all(p.exists() for p in paths) else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--only", default="", help="part of an entry's name")
    parser.add_argument("--made", default="")
    options = parser.parse_args()
    shared = golden.shared_folder()
    index = shared / "golden" / "xpsnr" / "index.json"
    if not index.exists():
        return golden.SKIP
    compared, wrong, left_out = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for name, entry in json.loads(index.read_text()).items():
            if options.only not in name:
                continue
            paths = made(entry, scratch, options, shared, name)
            if not paths:
                left_out.append(name)
                continue
            compared += 1
            wrong += ["%s: %s" % (name, w) for w in compare(options.program, entry, *paths, options.backend, scratch)]
    print("%d pairs compared; left out: %s" % (compared, ", ".join(left_out) or "none"))
    print("\n".join(wrong[:40]))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
