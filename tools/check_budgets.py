#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints the lines of the parts of the tree beside their budgets, and fails where a part is over its limit.

check_budgets.py ROOT            every part
check_budgets.py ROOT --broken   a tree whose part is a line over its limit, and fails where that goes unseen

A part has a goal. Those of the library and of the whole were set at 21 metrics, before LATER: those four, with their
kernels, are a part of their own. Where the tree is over a goal, a
ceiling stands beside it: it is the limit until the part is smaller, and whoever makes it smaller lowers the ceiling. No
ceiling is ever raised, but for a metric, a command, public functions or a room that are new.
"""
import collections
import pathlib
import sys
import tempfile

FRONT = {"cli", "report", "results", "jobs", "run", "input", "align", "libvmaf", "vapoursynth"}
ENDINGS = {".c", ".h", ".k", ".cpp", ".cu", ".glsl"}
SHARED = {"metric", "options", "colour"}  # files of src/metrics that belong to no metric
LATER = ("butteraugli", "cvvdp", "flip", "xpsnr")  # metrics that came when the goals were set

# (part, goal, ceiling or None)
PARTS = [
    ("library at 21 metrics: src and include but for what is below", 45000, None),
    ("src/cli", 7500, 10501), # 241 for --engine slurm of batch
    ("src/run and src/results", 6500, 9060), # without the next one; 244 for pictures in assay/run.h
    ("src/run/pictures", 1000, 1034), # pairs of pictures, for the command and for whoever has a request
    ("src/jobs", 1300, None), # folders that lists of jobs are worked off in, by any number of machines
    # with the 241 of src/cli, what is new above, 300 of numbered images, and 108 for assay_session_lend
    ("src and include at 21 metrics", 69000, 85764),
    ("metrics since, and their kernels", 4300, None), # in place of goals: as they are
    ("docs/benchmarks.md", 350, None),
    # 150 for standard streams, and for FFmpeg's DLLs, which Windows would look for in the current folder
    # beside the library and the whole, which are those of Linux
    ("src/host/windows, system.h and order.c", 1250, None),
    ("src/host/macos", 100, None), # so is this
]
# Of a metric: its files in src/metrics. Two are in speed, and two in flip; cvvdp has displays, by name and of files.
METRIC, METRICS_OVER = 500, {"speed": 1020, "adm": 615, "flip": 600, "cvvdp": 1000}
# Of a backend: its folder in src/executors and its headers of the dialect. Vulkan and OpenGL share one.
BACKEND, BACKENDS = 1600, {
    "cpu": (("c.h", "c_"), 3370), "cuda": (("cuda",), None), "sycl": (("sycl",), None),
    "vulkan": (("glsl.h", "prologue.glsl"), 2292), "opengl": (("glsl.h", "prologue.glsl"), 2050)}
# Of a front command: its folder in src/cli, or its files there whose names begin with its own.
# batch has what was src/cli/outcome.c (325 lines), and the steps on a folder: three commands in one;
# and 241 lines for an engine that places them on a cluster (slurm.c and its options).
COMMAND, COMMANDS_OVER = 600, {"batch": 2481, "bdrate": 815, "image": 813, "score": 709}


def lines(path):
    return path.read_bytes().count(b"\n")


def below(folder):
    return sum(lines(p) for p in folder.rglob("*") if p.suffix in ENDINGS) if folder.exists() else 0


def family(path):
    return path.stem.split("_float")[0].split("_")[0]


def metric_parts(root):
    """Files of one metric begin with its name: adm, adm_csf and adm_map. A metric of floats is one of its own."""
    found = collections.Counter()
    for path in sorted((root / "src/metrics").glob("*.[ch]")):
        name = path.stem
        names = {p.stem for p in (root / "src/metrics").glob("*.c")}
        while "_" in name and name.rsplit("_", 1)[0] in names:
            name = name.rsplit("_", 1)[0]
        if name not in SHARED:
            found[name] += lines(path)
    for name, count in sorted(found.items()):
        yield f"metric {name}", count, METRIC, METRICS_OVER.get(name)


def backend_parts(root):
    for name, (headers, ceiling) in BACKENDS.items():
        dialect = sum(lines(p) for p in (root / "src/kernels/dialect").glob("*") if p.name.startswith(headers))
        folder = root / "src/executors" / name
        if folder.exists():
            yield f"backend {name}", below(folder) + dialect, BACKEND, ceiling


def command_parts(root):
    found = collections.Counter()
    for path in (root / "src/cli").rglob("*.[ch]"):
        inside = path.relative_to(root / "src/cli").parts
        found[inside[0] if len(inside) > 1 else family(path)] += lines(path)
    for name, count in sorted(found.items()):
        yield f"command {name}", count, COMMAND, COMMANDS_OVER.get(name)


def parts(root):
    src = {p.name: below(p) for p in (root / "src").iterdir() if p.is_dir()}
    host = root / "src/host"
    windows = below(host / "windows") + sum(lines(p) for p in (host / "system.h", host / "order.c") if p.exists())
    macos, pictures = below(host / "macos"), below(root / "src/run/pictures")
    later = sum(lines(p) for folder in ("metrics", "kernels") for p in (root / "src" / folder).glob("*.*")
                if p.name.startswith(LATER) and p.suffix in ENDINGS)
    whole = sum(src.values()) + below(root / "include") - windows - macos - later
    counts = [whole - sum(src.get(name, 0) for name in FRONT), src.get("cli", 0),
              src.get("run", 0) + src.get("results", 0) - pictures, pictures, src.get("jobs", 0), whole, later,
              lines(root / "docs/benchmarks.md") if (root / "docs/benchmarks.md").exists() else 0, windows, macos]
    for (name, goal, ceiling), count in zip(PARTS, counts):
        yield name, count, goal, ceiling
    yield from metric_parts(root)
    yield from backend_parts(root)
    yield from command_parts(root)


def check(root):
    """(lines of a table, faults)"""
    table, faults = [], []
    for name, count, goal, ceiling in parts(root):
        limit = ceiling or goal
        shown = f"{count:6} of {goal:6}" + (f", ceiling {ceiling}" if ceiling else "")
        table.append(f"{shown:34} {name}")
        if count > limit:
            faults.append(f"{name}: {count} lines, more than {limit}")
    return table, faults


def notices():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ("src/metrics/new.c", "src/cli/new/new.c"):
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text("x\n" * (METRIC if "metrics" in name else COMMAND), encoding="utf-8")
        if check(root)[1]:
            sys.exit(f"check_budgets: {check(root)[1]} in a tree within its budgets")
        for name, count in (("src/metrics/new.c", METRIC), ("src/cli/new/new.c", COMMAND)):
            (root / name).write_text("x\n" * (count + 1), encoding="utf-8")
        if len(check(root)[1]) != 2:
            sys.exit(f"check_budgets: two parts are over their budgets, and {check(root)[1]} is found")


def main():
    if sys.argv[2:] == ["--broken"]:
        notices()
        return 0
    table, faults = check(pathlib.Path(sys.argv[1]))
    print("\n".join(table + faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
