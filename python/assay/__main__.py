# SPDX-License-Identifier: BSD-2-Clause
"""`python -m assay` is the command `assay`."""
import os
import sys

from assay._program import program


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
