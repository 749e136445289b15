# SPDX-License-Identifier: BSD-2-Clause
"""What `score` does, of files and of arrays."""
from __future__ import annotations

import itertools
import os
import sys
import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, cast

import numpy as np

from ._cuda import is_cuda
from ._errors import AssayError, AssayWarning, Interrupted, MismatchError, UsageError
from ._fields import Input, Progress, Value
from ._format import Format
from ._frames import Frames
from ._held import is_held
from ._request import Request, texts
from ._results import Results
from ._run import Run
from ._session import Session

if TYPE_CHECKING:
    from ._frames import Picture, Source

_level = 4  # of warnings: who called score
_of_arrays = ("metrics", "allow", "scale", "scale_to", "scale_siting", "rgb_matrix", "rgb_range", "backend", "device",
              "threads", "cpu", "in_flight")


class _Line:
    """The line of progress on standard error, at most ten times a second."""

    def __init__(self) -> None:
        self.last = 0.0
        self.width = 0

    def __call__(self, done: int, total: int, rate: float) -> None:
        now = time.monotonic()
        if now - self.last >= 0.1:
            self.last = now
            self._show(f"{done}{f' of {total}' if total else ''} pairs, {rate:.1f} a second")

    def _show(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self.width) + ("\r" if not line else ""))
        sys.stderr.flush()
        self.width = len(line)

    def clear(self) -> None:
        if self.width:
            self._show("")


def _is_arrays(source: Any) -> bool:
    if isinstance(source, tuple):
        return bool(source) and all(isinstance(plane, np.ndarray) or is_cuda(plane) for plane in source)
    return (isinstance(source, (Frames, np.ndarray)) or is_cuda(source)
            or (isinstance(source, Iterator) and not is_held(source)))


def _sides(encodes: Any) -> List[Any]:
    """The encodes: a list, or a tuple that is no picture, has several."""
    one = isinstance(encodes, (str, os.PathLike, Input)) or is_held(encodes) or _is_arrays(encodes)
    if not one and not isinstance(encodes, Sequence):
        raise UsageError("an encode is a path, bytes, a file object, an Input, Frames, an iterator or arrays, not "
                         f"{type(encodes).__name__}")
    return [encodes] if one else list(encodes)


def score_values(reference: "Source", encodes: Union["Source", Sequence["Source"]], values: Dict[str, Value],
                 progress: Union[bool, Progress], check: bool) -> Results:
    """Does what `score` says."""
    sides = _sides(encodes)
    arrays = [_is_arrays(side) for side in (reference, *sides)]
    line = _Line()
    show: Optional[Progress] = (line if progress else None) if isinstance(progress, bool) else progress
    try:
        if not any(arrays):
            return _score_files(Request(cast(Any, reference), sides, **cast(Any, values)), show, check)
        if not all(arrays):
            raise UsageError("a file and arrays can't be compared: read the file into Frames")
        return _score_arrays([side if isinstance(side, Frames) else Frames(cast(Any, side))
                              for side in (reference, *sides)], values, show, check)
    finally:
        line.clear()


def _ended(results: Results, check: bool) -> Results:
    error = results.error
    if error and check:
        error.results = results
        raise error
    return results


def _score_files(request: Request, show: Optional[Progress], check: bool) -> Results:
    run = Run(request)
    try:
        for event in run:
            if event.kind == "progress" and show:
                show(event.done, event.total, event.rate)
            elif event.kind == "note":
                warnings.warn(event.text, AssayWarning, stacklevel=_level)
    except KeyboardInterrupt:
        run.close()
        raise Interrupted(run.results) from None
    except BaseException:
        run.close()
        raise
    return _ended(run.results, check)


def _size(values: Dict[str, Value], distorted: Sequence[Format]) -> Optional[Tuple[int, int]]:
    to = values["scale_to"]
    if to in (None, "reference"):
        return None
    if to == "distorted":
        if len({(form.width, form.height) for form in distorted}) > 1:
            raise UsageError("scale_to \"distorted\": the encodes have several sizes")
        return distorted[0].width, distorted[0].height
    width, _, height = str(to).partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise UsageError(f"scale_to is 'reference', 'distorted' or WxH, not '{to}'")
    return int(width), int(height)


def _total(sides: Sequence[Frames]) -> int:
    """The pairs that there will be; 0: not known."""
    try:
        return min(len(side) for side in sides)
    except TypeError:
        return 0


def _pairs(names: Sequence[str], pictures: Sequence[Iterator["Picture"]], may_end: bool) -> Iterator[List["Picture"]]:
    """The pictures of each frame, until a side ends. MismatchError: another one goes on."""
    none = object()
    for number in range(1 << 62):
        found: List[Any] = [next(side, none) for side in pictures]
        over = [side is none for side in found]
        if any(over):
            if not all(over) and (not may_end or len(names) > 2):
                raise MismatchError(f"the lengths differ: {names[over.index(True)]} has {number} frames, and "
                                    f"{names[over.index(False)]} has more"
                                    + (': allow="length" scores the frames that both have' if len(names) == 2 else ""))
            return
        yield found


def _score_arrays(sides: Sequence[Frames], values: Dict[str, Value], show: Optional[Progress], check: bool) -> Results:
    for keyword, value in values.items():
        if value is not None and keyword not in _of_arrays:
            raise UsageError(f"{keyword} is of files, and not of arrays")
    allow = texts("allow", values["allow"] or ())
    names = ["the reference", *(side.name or ("distorted" if len(sides) == 2 else f"encode {k}")
                                for k, side in enumerate(sides[1:]))]
    sources = [id(side.pictures) for side in sides if isinstance(side.pictures, Iterator)]
    if len(set(sources)) < len(sources):
        raise UsageError("one iterator is two sides, and a picture of it goes to one: list(pictures) serves both")
    opened = [side.opened(name) for side, name in zip(sides, names)]
    formats, pictures = [form for form, _ in opened], [found for _, found in opened]
    first: Optional[List[Any]] = None
    if any(side.on_device for side in sides):
        if not all(side.on_device for side in sides):
            raise UsageError("pictures on a device and arrays of numpy can't be compared: bring them to one place")
        first = [next(found) for found in pictures]
        pictures = [itertools.chain((picture,), found) for picture, found in zip(first, pictures)]
    if not values["scale"] and values["scale_to"] is not None:
        raise UsageError("scale_to needs scale")
    formats = [formats[0], *(replace(form, light=(0.0, 0.0)) for form in formats[1:])]  # it is the reference's
    session = Session(formats[0], formats[1:], allow=allow, scale_size=_size(values, formats[1:]), names=names[1:],
                      **{key: cast(Any, values[key]) for key in _of_arrays
                         if key not in ("allow", "scale_to", "scale_siting")},
                      scale_siting=cast(str, values["scale_siting"] or "centre"), _first=first)
    results = session.results
    total, began = _total(sides), time.monotonic()
    try:
        for note in results.notes:
            warnings.warn(note, AssayWarning, stacklevel=_level)
        for done, found in enumerate(_pairs(names, pictures, "length" in allow), 1):
            session.submit(*found)
            if show:
                show(done, total, done / max(time.monotonic() - began, 1e-9))
        session.flush()
        session.close()
    except KeyboardInterrupt:
        session.close()
        raise Interrupted(results) from None
    except AssayError as error:
        session._failed(error)
        try:
            session.close()
        except AssayError:
            pass  # the first failure is the reason of this one
    except BaseException:
        session.close()
        raise
    return _ended(results, check)
