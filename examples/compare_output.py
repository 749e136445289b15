#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""compare_output.py EXPECTED PROGRAM [ARGS]: the program must succeed and print exactly this. Scores have the same bits
everywhere, so they have the same digits."""
import difflib
import pathlib
import subprocess
import sys

expected = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True, timeout=120, check=False)
sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), done.stdout.splitlines(True), "expected",
                                           "printed"))
sys.exit(0 if done.returncode == 0 and done.stdout == expected else 1)
