# SPDX-License-Identifier: BSD-2-Clause
"""Where the command is."""
import os
import pathlib
import shutil
import sys


def program() -> str:
    """The path of the command: the package's own, or that in the PATH. FileNotFoundError: it is not installed."""
    own = pathlib.Path(__file__).resolve().parent / "bin" / "assay"
    found = str(own) if own.exists() else shutil.which("assay")
    # The script that pip makes of this function is called assay, too.
    if found is None or os.path.realpath(found) == os.path.realpath(sys.argv[0]):
        raise FileNotFoundError("the command is not installed, only its Python package")
    return found
