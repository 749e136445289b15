#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts what meson's testlog.json says and closes with one line, "N passed, N failed, N skipped".

With CI=true a skipped test must be listed in tests/skips.txt with a reason, so that a test can't fall silent unnoticed:
a skip that is not listed counts as failed. --total FILE adds the counts to FILE (for a run of several stages), and
--sum FILE prints what was added up.
"""
import argparse
import json
import os
import pathlib
import sys

SKIPS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "skips.txt"
PASSED = {"OK", "EXPECTEDFAIL"}


def read_skips(path):
    """Lines "test name: reason"; a name without a reason is refused. Names may hold colons."""
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            if not line.partition(": ")[2].strip():
                sys.exit(f"{path}:{number}: expected 'test name: reason'")
            lines.append(line)
    return lines


def plain_name(name):
    """meson puts "project:suite / " before a test's name."""
    return name.rpartition(" / ")[2]


def line_of(counts):
    return "{} passed, {} failed, {} skipped".format(*counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", nargs="?", help="testlog.json of a build folder")
    parser.add_argument("--skips", type=pathlib.Path, default=SKIPS)
    parser.add_argument("--total", type=pathlib.Path)
    parser.add_argument("--sum", type=pathlib.Path)
    parser.add_argument("--label", help="printed before the counts")
    args = parser.parse_args()

    if args.sum:
        rows = [[int(n) for n in row.split()] for row in args.sum.read_text().splitlines()]
        counts = [sum(column) for column in zip(*rows)] if rows else [0, 0, 0]
        print(line_of(counts))
        return 1 if counts[1] else 0
    if not args.log:
        parser.error("a testlog.json is needed")

    strict = os.environ.get("CI") == "true"
    allowed = read_skips(args.skips) if strict else []
    try:
        with open(args.log, encoding="utf-8") as log:
            results = [json.loads(line) for line in log if line.strip()]
    except (OSError, ValueError) as error:
        print(f"ci_skips: no test results: {error}", file=sys.stderr)
        results = []
    counts = [0, 0, 0]
    for test in results:
        name, result = plain_name(test["name"]), test["result"]
        if result in PASSED:
            counts[0] += 1
        elif result == "SKIP":
            if strict and not any(line.startswith(name + ": ") for line in allowed):
                print(f"ci_skips: '{name}' was skipped and is not listed in {args.skips.name}", file=sys.stderr)
                counts[1] += 1
            else:
                counts[2] += 1
        else:
            counts[1] += 1
    if not results:
        counts[1] = 1
    if args.total:
        with open(args.total, "a", encoding="utf-8") as total:
            print(*counts, file=total)
    print(f"{args.label}: {line_of(counts)}" if args.label else line_of(counts), flush=True)
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
