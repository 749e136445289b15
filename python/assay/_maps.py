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
    rows = np.zeros((height + 1, width + 1, 3), np.uint8)  # with black above and to the left
    for y, line in enumerate(data):
        above, row, steps = rows[y], rows[y + 1], line[1:].reshape(width, 3)
        if line[0] == 0:
            row[1:] = steps
        elif line[0] == 1:
            row[1:] = np.cumsum(steps, axis=0, dtype=np.uint8)
        elif line[0] == 2:
            row[1:] = steps + above[1:]
        else:
            _unfilter(int(line[0]), row.tolist(), above.tolist(), steps.tolist(), row)
    return rows[1:, 1:].copy()


def _unfilter(kind: int, own: List[Any], above: List[Any], steps: List[Any], row: "npt.NDArray[np.uint8]") -> None:
    """Pixel by pixel: PNG's filters 3, the mean of the neighbours, and 4, the nearest one."""
    for x, step in enumerate(steps):
        for c in range(3):
            left, up, corner = own[x][c], above[x + 1][c], above[x][c]
            guess = left + up - corner
            near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            own[x + 1][c] = (step[c] + ((left + up) // 2 if kind == 3 else near)) & 255
    row[:] = own


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
