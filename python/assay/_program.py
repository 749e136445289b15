# SPDX-License-Identifier: BSD-2-Clause
"""Where the command is, and calls of it."""
from __future__ import annotations

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Dict, List, Sequence, Tuple, Union

from ._errors import UsageError, error_of
from ._fields import File, Input
from ._held import Held, is_held


def program() -> str:
    """The path of the command: the package's own, or that in the PATH. FileNotFoundError: it is not installed."""
    own = pathlib.Path(__file__).resolve().parent / "bin" / "assay"
    found = str(own) if own.exists() else shutil.which("assay")
    # The script that pip makes of this function is called assay, too.
    if found is None or os.path.realpath(found) == os.path.realpath(sys.argv[0]):
        raise FileNotFoundError("the command is not installed, only its Python package")
    return found


@functools.lru_cache(maxsize=1)
def options_of_fields() -> Dict[str, List[str]]:
    """The options of scoring by the field of a request that they set: of a side's field the reference's first."""
    found: Dict[str, List[str]] = {}
    said = subprocess.run([program(), "--list-options-json"], stdout=subprocess.PIPE, check=True).stdout
    for option in json.loads(said)[0]["options"]:
        if "field" in option and option.get("takes_value") and not option.get("hidden"):
            found.setdefault(option["field"], []).append("--" + option["name"])
    return found


def side(file: Union[File, Input], number: int, held: Held, what: str, known: Sequence[str]) -> Tuple[str, List[str]]:
    """The path of side `number` for a command, and its options. `known` are the keywords that the command takes."""
    own = file if isinstance(file, Input) else Input(file)
    path = held.add(own.file, ("the reference", "the encode")[number]) if is_held(own.file) else os.fsdecode(
        os.fspath(own.file))  # type: ignore[arg-type]
    said: List[str] = []
    for keyword, value in own.values.items():
        if value is None or keyword == "name":
            continue
        if keyword not in known:
            raise UsageError(f"{what} takes files with {', '.join(known)}, and not with {keyword}")
        said += [options_of_fields()[keyword][number], str(value)]
    return path, said


def run(words: Sequence[str], sides: Sequence[Tuple[str, List[str]]], held: Held) -> None:
    """Runs the command with these words and sides, which prints nothing. AssayError: its line of failure."""
    done = subprocess.run([program(), *words, *(word for _, said in sides for word in said), "--",
                           *(path for path, _ in sides)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, pass_fds=held.descriptors)
    if done.returncode:
        lines = held.say(done.stderr.decode("utf-8", "backslashreplace")).splitlines()
        raise error_of(-done.returncode, lines[-1].removeprefix("assay: ") if lines else "the command failed")
