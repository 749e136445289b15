# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the command under wine share."""
import atexit
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))

# The page that Windows shares with every process lies at 0x7ffe0000. Linux puts the heap of wine's loader, 528 KiB,
# anywhere in 1 GiB that holds this address, so one start in 2,000 fails with the code 1. Without random addresses the
# heap ends below it. What this process starts inherits that.
ADDR_NO_RANDOMIZE = 0x0040000
ctypes.CDLL(None).personality(ctypes.c_ulong(ADDR_NO_RANDOMIZE))

QUIET = "-all,err+virtual,err+seh"  # of wine itself: why a process ends early, for want of memory or by a fault


def keep(wine="wine"):
    """Holds wine's own processes until the test ends. Started later, they would hold a pipe that the test waits for."""
    os.environ.setdefault("WINEDEBUG", QUIET)
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([*wine.split(), "cmd", "/c", "exit"], stdin=subprocess.DEVNULL, check=False, **nowhere)
    waits = subprocess.Popen([*wine.split(), "cmd"], stdin=subprocess.PIPE, **nowhere)  # for its input
    atexit.register(waits.communicate)


def program(folder, windows, wine="wine"):
    """Makes a program that is the command under wine. Each line of the file that is returned is a start of it."""
    log, text = folder / "log", folder / "assay"
    # The tests of the command make links of the name vmaf.
    text.write_text(f'#!/bin/sh\necho >>"{log}"\ncase $0 in */vmaf) set -- vmaf "$@" ;; esac\n'
                    f'exec {wine} "{windows}" "$@"\n', encoding="utf-8")
    text.chmod(0o755)
    keep(wine)
    os.environ.update(ASSAY=str(folder / "assay"), WINEDEBUG=QUIET, PYTHONDONTWRITEBYTECODE="1")
    return log


def place(case, programs):
    """A case's folders: `exe` holds these files, the command and its DLLs; the test runs in `now`."""
    for folder in ("exe", "now"):
        (case.dir / folder).mkdir()
    for path in programs:
        shutil.copy(path, case.dir / "exe")


def shown(seen):
    """What a terminal shows of what wine's console wrote: it hides the cursor around each letter."""
    return re.sub(r"\x1b\[(?:\?\d+[hl]|\d*C|K)", lambda found: " " if found[0].endswith("C") else "", seen)
