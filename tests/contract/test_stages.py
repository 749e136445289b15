#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The CI file of a public host runs each stage of .ci/run that a change runs, once, and no other. CONTRIBUTING names
no stage that is none. test_stages.py ROOT"""
import pathlib
import re
import subprocess
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    said = subprocess.run([root / ".ci/run", "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    stages = [line.split()[0] for line in said.splitlines()]
    text = (root / ".ci/run").read_text(encoding="utf-8")
    nightly = re.search(r"^nightly=\((.*)\)$", text, re.MULTILINE).group(1).split()
    of_change = re.search(r"^stages=\((.*)\)$", text, re.MULTILINE).group(1).split()
    assert stages == of_change + nightly, stages
    jobs = re.search(r"stage: \[(.*)\]", (root / ".github/workflows/ci.yml").read_text(encoding="utf-8")).group(1)
    asked = [word for job in jobs.split(",") for word in job.strip().strip('"').split()]
    assert sorted(asked) == sorted(set(of_change) - {"setup"}), (asked, of_change)
    for page in ("CONTRIBUTING.md", "docs/packages.md", "docs/windows.md"):
        for word in re.findall(r"stages? `([a-z]+)`", (root / page).read_text(encoding="utf-8")):
            assert word in stages, f"{page} names the stage {word}"
    print(f"{len(asked)} of {len(stages)} stages are jobs of the public host")


main()
