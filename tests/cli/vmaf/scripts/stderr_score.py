# SPDX-License-Identifier: BSD-2-Clause
"""Runs the command and takes the score from standard error, as programs do that drive an encoder by VMAF: the text
behind "VMAF score: " to the end of the line is the number."""
import subprocess
import sys

MARK = "VMAF score: "
with subprocess.Popen(["vmaf", "-r", sys.argv[1], "-d", sys.argv[2]], stderr=subprocess.PIPE, text=True) as run:
    score = None
    for line in run.stderr:
        at = line.find(MARK)
        if at >= 0:
            score = float(line[at + len(MARK):].strip())
if run.returncode or score is None:
    sys.exit("no score")
print(f"{score:.6f}")
