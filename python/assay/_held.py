# SPDX-License-Identifier: BSD-2-Clause
"""Sides that are bytes or file objects: the library reads them as files of this process."""
from __future__ import annotations

import io
import os
import shutil
import stat
import weakref
from typing import Any, List, Tuple, cast

from ._errors import UsageError

_piece = 1 << 20
_written = (bytes, bytearray, memoryview)


def is_held(file: Any) -> bool:
    """Whether a side is no path: bytes, or an object that is read."""
    return isinstance(file, _written) or (callable(getattr(file, "read", None)) and not isinstance(file, os.PathLike))


def _memory() -> int:
    return os.memfd_create("assay", os.MFD_CLOEXEC)


def _write(into: int, data: Any) -> None:
    view = memoryview(data).cast("B")
    while view:
        view = view[os.write(into, view):]


def _from_its_start(file: Any) -> int:
    """A descriptor of a regular file that is read from its first byte on; negative: it has to be copied."""
    if not isinstance(file, (io.FileIO, io.BufferedReader, io.BufferedRandom)):
        return -1
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode) or file.tell():
        return -1
    if isinstance(file, io.BufferedRandom):
        file.flush()
    return os.dup(file.fileno())


def _opened(file: Any) -> int:
    """A descriptor of the bytes, at their start."""
    if not isinstance(file, _written):
        if isinstance(file, io.TextIOBase):
            raise UsageError("a file object of text is no side: open it with \"rb\"")
        own = _from_its_start(file)
        if own >= 0:
            return own
    memory = _memory()
    try:
        if isinstance(file, _written):
            _write(memory, file)
        else:
            with os.fdopen(os.dup(memory), "wb") as out:
                shutil.copyfileobj(file, cast(Any, out), _piece)
    except BaseException:
        os.close(memory)
        raise
    return memory


def _close(descriptors: List[int], pid: int) -> None:
    if pid == os.getpid():
        for descriptor in descriptors:
            os.close(descriptor)


class Held:
    """The files of a request that are no paths. They are open while this is there."""

    def __init__(self) -> None:
        self.descriptors: List[int] = []
        self.shown: List[Tuple[str, str]] = []  # a path, and what messages call it
        weakref.finalize(self, _close, self.descriptors, os.getpid())

    def add(self, file: Any, what: str) -> str:
        """The path by which the library reads a side. `what` is its name where it has none of its own."""
        self.descriptors.append(_opened(file))
        path = f"/proc/self/fd/{self.descriptors[-1]}"
        name = getattr(file, "name", None)
        self.shown.append((path, name if isinstance(name, str) else what))
        return path

    def say(self, line: str) -> str:
        """A line of the library with the names of such files."""
        for path, name in sorted(self.shown, reverse=True):  # that of descriptor 50 in front of that of 5
            line = line.replace(path, name)
        return line
