# SPDX-License-Identifier: BSD-2-Clause
"""Where two files differ: the maps that the command draws."""
from __future__ import annotations

import operator
import pathlib
import struct
import tempfile
import zlib
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union, cast

import numpy as np

from ._errors import InternalError, UsageError
from ._fields import OF_REQUEST, File, Input, Texts, Value
from ._held import Held
from ._program import options_of_fields, run, side
from ._request import texts

if TYPE_CHECKING:
    import numpy.typing as npt

_of_sides = ("skip", "crop", "format", "colour")


def _words(fields: Dict[str, Value]) -> List[str]:
    """The fields of a request as options."""
    said: List[str] = []
    for keyword, value in fields.items():
        if value is None:
            continue
        if keyword not in OF_REQUEST:
            raise UsageError(f"maps has no argument '{keyword}'")
        if keyword == "allow":
            said += [f"--allow-{word}" for word in texts(keyword, value)]
        elif keyword == "scale_to" and value in ("reference", "distorted"):
            said += ["--scale-ref"] if value == "distorted" else []
        else:
            name, kind = OF_REQUEST[keyword]
            text = ",".join(texts(keyword, value)) if kind == "list" else (
                str(operator.index(cast(int, value))) if kind == "integer" and not isinstance(value, str) else value)
            if not isinstance(text, str):
                raise UsageError(f"{keyword} is a text, not {value!r}")
            said += [options_of_fields()[name][0], text]
    return said


def _picture(png: bytes) -> "npt.NDArray[np.uint8]":
    """The pixels of a PNG of RGB with 8 bits a channel, (height, width, 3), as the command writes them."""
    at, packed, width, height = 8, b"", 0, 0
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack_from(">IIBBBBB", png, at + 8)
            if (depth, colour, interlaced) != (8, 2, 0):
                raise InternalError("the command has drawn a map in another form than RGB")
        elif kind == b"IDAT":
            packed += png[at + 8:at + 8 + length]
        at += length + 12
    data = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    kinds, steps = data[:, :1], data[:, 1:].reshape(height, width, 3)
    # A pixel is made of those to its left and above. So those of one x + y are made at once, and [2 + x + y, 1 + y] is
    # their place; what is outside of the picture is 0.
    found = np.zeros((height + width + 1, height + 1, 3), np.int16)
    for at in range(height + width - 1):
        first, end = max(0, at - width + 1), min(height, at + 1)
        left, up, corner = found[at + 1, first + 1:end + 1], found[at + 1, first:end], found[at, first:end]
        to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        near = np.where((to_left <= to_up) & (to_left <= to_corner), left, np.where(to_up <= to_corner, up, corner))
        rows = np.arange(first, end)
        guess = np.choose(kinds[first:end], (np.zeros_like(left), left, up, (left + up) // 2, near))  # PNG's filters
        found[at + 2, first + 1:end + 1] = (steps[rows, at - rows] + guess) & 255
    rows = np.arange(height)[:, None]
    picture: "npt.NDArray[np.uint8]" = found[2 + rows + np.arange(width), 1 + rows].astype(np.uint8)
    return picture


def maps(reference: Union[File, Input], encode: Union[File, Input], *, metrics: Optional[Texts] = None,
         worst: Union[None, int, str] = None, colours: bool = False,
         **fields: Value) -> Dict[int, Dict[str, "npt.NDArray[Any]"]]:
    """Where the pictures of two files differ, by the metrics that have a map (docs/maps.md).

    The command `assay --heatmap` does the work, in a process of its own.

    Args:
        reference, encode: paths, bytes, file objects, or an Input with one of these and `skip`, `crop`, `format` or
            `colour`.
        metrics: as of `score`; at least one has a map.
        worst: N, or "N:KEY": the N worst frames alone, by a score. None: all frames that are scored, which `first`,
            `frames` and `every` choose.
        colours: True gives the pictures that the command draws, False the numbers.
        fields: further arguments of `score` that are fields of a request.

    Returns:
        by the number of the frame and the name of the map, "float_ssim" for example: an array (height, width) of the
        map, float32 or integers, 0 where the metric finds no difference; with `colours` (height, width, 3) of uint8.

    Raises:
        AssayError: with the command's line.
    """
    held = Held()
    sides = [side(file, number, held, "maps", _of_sides) for number, file in enumerate((reference, encode))]
    words = _words({"metrics": metrics, **fields})
    if worst is not None:
        words += ["--frames-worst", worst if isinstance(worst, str) else str(operator.index(worst))]
    found: Dict[int, Dict[str, "npt.NDArray[Any]"]] = {}
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        run(["-q", "--heatmap", folder, "--heatmap-values", *words], sides, held)
        for path in sorted(pathlib.Path(folder).glob("*.png" if colours else "*.npy")):
            frame, name = path.name[:-4].split(".", 1)
            values = _picture(path.read_bytes()) if colours else np.load(path)
            found.setdefault(int(frame), {})[name] = values
    return found
