#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints what a tier's tests need, as targets of ninja: all targets of `make`, and the programs and modules that the
tests start. `all` of ninja builds those of every tier.

--suite: the tests of these suites alone, and no target but theirs. --no-suite: tests of these suites are left out.
--installed: the targets that are installed, and no other.
"""
import argparse
import json
import os
import pathlib


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a folder that meson configured")
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--no-suite", action="append", default=[])
    parser.add_argument("--installed", action="store_true")
    args = parser.parse_args()
    tests, targets = (json.loads((args.build / "meson-info" / f"intro-{what}.json").read_text(encoding="utf-8"))
                      for what in ("tests", "targets"))
    needed = set()
    for test in tests:
        suites = {suite.rpartition(":")[2] for suite in test["suite"]}
        if not suites & set(args.no_suite) and (not args.suite or suites & set(args.suite)):
            needed.update(test["depends"])
    root = args.build.resolve()
    for target in targets:
        if args.installed:
            wanted = target["installed"]
        else:
            wanted = target["id"] in needed or (target["build_by_default"] and not args.suite)
        if wanted:
            print("\n".join(os.path.relpath(name, root) for name in target["filename"]))


if __name__ == "__main__":
    main()
