# SPDX-License-Identifier: BSD-2-Clause
"""Makes python/assay/_fields.py, the keyword arguments of the package, of the table of a request's fields. The test
'fields of requests' (tests/contract/test_run_fields.py) calls it with what assay_request_field says."""
import textwrap

HEAD = '''\
# SPDX-License-Identifier: BSD-2-Clause
"""Keyword arguments, made by tools/python_fields.py of the table of a request's fields (src/run). Not to be edited."""
from __future__ import annotations

import os
from typing import (TYPE_CHECKING, BinaryIO, Callable, Dict, Iterable, Literal, Optional, Sequence, Tuple, Union)

if TYPE_CHECKING:
    from ._frames import Source
    from ._results import Results

VERSION = "{version}"

Path = Union[str, "os.PathLike[str]", "os.PathLike[bytes]"]
File = Union[Path, bytes, bytearray, memoryview, BinaryIO]
Texts = Union[str, Iterable[str]]
Value = Union[None, str, int, Iterable[str]]
Progress = Callable[[int, int, float], object]

{words}
# By keyword: the field's name, and its type.
OF_SIDES: Dict[str, Tuple[str, str]] = {{
{sides}}}
OF_REQUEST: Dict[str, Tuple[str, str]] = {{
{request}}}


class Input:
    """A side of a comparison: a file, and how it is read.

    Args:
{input_help}    """

    def __init__(self, file: File, *,
{input_arguments}) -> None:
        self.values: Dict[str, Value] = {{
{input_values}}}
        self.file = file

    def __repr__(self) -> str:
        stated = "".join(f", {{key}}={{value!r}}" for key, value in self.values.items() if value is not None)
        return f"Input({{self.file!r}}{{stated}})"


Side = Union[File, Input]


class RequestFields:
    """The fields that a request has."""

    def __init__(self, reference: Side, encodes: Union[Side, Sequence[Side]], *,
{arguments}) -> None:
        """What is compared with what, and how. None stands for a field's default.

        Args:
            reference: a path; bytes, or a file object that is read from where it stands to its end; or an Input
                with one of these and how it is read.
            encodes: one of these, or a sequence of 16 at most.
{help}        """
        self._take(reference, encodes, {{
{values}}})

    def _take(self, reference: Side, encodes: Union[Side, Sequence[Side]], values: Dict[str, Value]) -> None:
        raise NotImplementedError


def score(reference: Source, encodes: Union[Source, Sequence[Source]], *,
{score_arguments},
          progress: Union[bool, Progress] = False, check: bool = True) -> Results:
    """Scores one encode, or several, against a reference.

    None stands for a field's default. A line that a user should know is an AssayWarning. Ctrl-C ends the run early and
    raises Interrupted, whose `results` has what was scored.

    Args:
        reference: a path; bytes, or a file object that is read from where it stands to its end; an Input with one of
            these and how it is read; Frames, an iterator of pictures, or a picture as arrays of numpy or of CUDA: a
            tuple of planes (height, width), or one array (height, width, channels).
        encodes: one of these, or a list of 16 at most.
{score_help}\
        progress: True writes a line to standard error. A function gets the pairs that are done, how many there are
            (0: not known) and how many are done a second.
        check: False keeps the failure of an encode in its `error` and raises nothing.

    Returns:
        the scores, by encode: arrays of float64 of the shape (frames,).

    Raises:
        AssayError: of the kind of the first failure of an encode, with what was scored in its `results`.
    """
    from ._scoring import score_values
    return score_values(reference, encodes, {{
{values_of_score}}}, progress, check)
'''


def keyword(name):
    """"device.backend" is `backend`, "device.name" is `device`, "scale.filter" is `scale`, "raw.width" `raw_width`."""
    short = {"device.name": "device", "scale.filter": "scale"}.get(name, name.removeprefix("device."))
    return short.replace(".", "_").replace("-", "_")


def word_type(row):
    return "".join(part.capitalize() for part in keyword(row["name"]).split("_")) + "Word"


def python_type(row):
    word = word_type(row) if row["words"] else "str"
    if row["type"] == "integer":
        return "int"
    if row["type"] == "list":
        return f"Union[{word}, Iterable[{word}]]" if row["words"] else "Texts"
    return {"text": word}[row["type"]]


def literal(row):
    return f"{word_type(row)} = Literal[\n" + in_lines([f'"{w}"' for w in row["words"].split(", ")], 4, 1) + "]\n"


def helped(rows, indent):
    """The lines of "Args:". """
    lines = ""
    for row in rows:
        value = {"integer": f"{row['least']} to {row['most']}",
                 "list": "a list, or a text with commas"}.get(row["type"], "")
        if row["words"]:
            value = (value + ", of " if value else "one of ") + row["words"]
        said = row["help"] + (f". {value[0].upper()}{value[1:]}" if value else "") + "."
        said += f" Default: {row['fallback']}." if row["fallback"] else ""
        lines += textwrap.fill(f"{keyword(row['name'])}: {said}", 120, initial_indent=" " * indent,
                               subsequent_indent=" " * (indent + 4), break_on_hyphens=False) + "\n"
    return lines.replace("\\", "\\\\")


def in_lines(items, indent, room):
    """The items with commas between them, on lines of 120 columns, of which the last one has `room` columns left."""
    lines = [""]
    for i, item in enumerate(items):
        item += "," if i + 1 < len(items) else ""
        if lines[-1] and indent + len(lines[-1]) + 1 + len(item) > 120 - room:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + item
    return "\n".join(" " * indent + line for line in lines)


def arguments(rows, indent):
    return in_lines([f"{keyword(row['name'])}: Optional[{python_type(row)}] = None" for row in rows], indent, 10)


def values(rows, indent):
    return in_lines([f'"{keyword(row["name"])}": {keyword(row["name"])}' for row in rows], indent, 2)


def table(rows):
    return "".join(f'    "{keyword(row["name"])}": ("{row["name"]}", "{row["type"]}"),\n' for row in rows)


def module(rows, version):
    """The text of the module; rows are dictionaries of assay_field."""
    sides = [row for row in rows if row["of_sides"]]
    request = [row for row in rows if not row["of_sides"]]
    others = [row for row in sides if row["name"] != "file"]
    names = [keyword(row["name"]) for row in request] + ["reference", "encodes", "progress", "check"]
    if len(set(names)) != len(names):
        raise SystemExit("two fields of requests have one keyword: tools/python_fields.py, keyword()")
    return HEAD.format(
        version=version, words="".join(literal(row) for row in rows if row["words"]), sides=table(sides),
        request=table(request), input_help=helped(sides, 8), input_arguments=arguments(others, 17),
        input_values=values(others, 12), arguments=arguments(request, 17), help=helped(request, 12),
        values=values(request, 12), score_arguments=arguments(request, 10), score_help=helped(request, 8),
        values_of_score=values(request, 8))
