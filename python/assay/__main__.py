# SPDX-License-Identifier: BSD-2-Clause
"""`python -m assay` is the command `assay`."""
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


def main() -> int:
    """Becomes the command."""
    try:
        found = program()
    except FileNotFoundError as error:
        print(f"assay: {error}", file=sys.stderr)
        return 6
    os.execv(found, ["assay", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
