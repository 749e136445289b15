#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a run is made of prints nothing, reads no environment, handles no signal and ends no process.

    test_run_symbols.py NM ARCHIVE_OR_OBJECT ..."""
import re
import subprocess
import sys

REFUSED = {"stdout", "stderr", "stdin", "printf", "puts", "putchar", "perror", "exit", "_exit", "quick_exit", "getenv",
           "secure_getenv", "setenv", "signal", "sigaction", "setlocale", "system", "fork", "popen", "text_say"}
# The command alone calls these, but for the first one.
ALLOWED = {("posix_system.c.o", "getenv"): "libassay finds the folder of records and of compiled kernels (XDG, HOME)",
           ("progress.c.o", "getenv"): "the line of progress looks at NO_COLOR and TERM",
           ("sink.c.o", "stdout"): "a report on '-', which assay_results_write refuses",
           ("text.c.o", "stderr"): "text_say, which nothing of a run calls"}


def main():
    found = set()
    for path in sys.argv[2:]:
        said = subprocess.run([sys.argv[1], "-A", "--undefined-only", path], capture_output=True, text=True, check=True)
        for line in said.stdout.splitlines():
            found.add((re.split(r"[:/]", line.rsplit(":", 1)[0])[-1], line.split()[-1].split("@")[0]))
    if len(found) < 100:
        sys.exit(f"only {len(found)} symbols were looked at")
    for unit, symbol in sorted(found):
        if symbol in REFUSED and (unit, symbol) not in ALLOWED:
            sys.exit(f"{unit} uses {symbol}, and is part of libassay-run")
    for unit, symbol in ALLOWED:
        if (unit, symbol) not in found:
            sys.exit(f"{unit} no longer uses {symbol}: it needs no exception")


if __name__ == "__main__":
    main()
