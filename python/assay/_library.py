# SPDX-License-Identifier: BSD-2-Clause
"""Finds and loads libassay-run, and libassay with it; text from and for it; what a fork leaves of it."""
from __future__ import annotations

import ctypes
import os
import pathlib
import threading
from typing import Any, Callable, Optional

from . import _abi
from ._errors import UsageError, error_of
from ._fields import VERSION

FILE = "libassay-run.so.0"
VARIABLE = "ASSAY_LIBRARY"
_error_size = 4096


def text(value: Optional[bytes]) -> str:
    """Text of the library, which may name a file that is no UTF-8."""
    return (value or b"").decode("utf-8", "backslashreplace")


def data(value: str) -> bytes:
    """Text for the library, which ends it at a NUL."""
    if "\0" in value:
        raise UsageError("a text has a character of the number 0")
    return value.encode("utf-8", "surrogateescape")


def _path() -> str:
    stated = os.environ.get(VARIABLE)
    if stated:
        return os.path.join(stated, FILE) if os.path.isdir(stated) else stated
    own = pathlib.Path(__file__).resolve().parent / "lib"
    return str(next((path for folder in (".", "*") for path in own.glob(f"{folder}/{FILE}")), FILE))


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"assay: {FILE} can't be loaded ({error}): install assay's libraries, or name the file or "
                          f"its folder by {VARIABLE}") from None
    try:
        _abi.bind(library)
    except AttributeError as error:
        raise ImportError(f"assay: {path} is of another version than this package, {VERSION}: {error}") from None
    found = text(library.assay_version())
    if found != VERSION:
        raise ImportError(f"assay: {path} is version {found}, and this package is for {VERSION}")
    return library


C = _load()
_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]
_libc.free.restype = None


def owned(pointer: Optional[int]) -> str:
    """Takes over a text that the library has allocated."""
    if not pointer:
        raise error_of(_abi.EINTERNAL, "not enough memory")
    try:
        return text(ctypes.string_at(pointer))
    finally:
        _libc.free(pointer)


def call(function: Callable[..., Any], *arguments: Any) -> None:
    """Calls a function whose last arguments are a buffer for its error."""
    why = ctypes.create_string_buffer(_error_size)
    code = function(*arguments, why, _error_size)
    if code:
        raise error_of(code, text(why.value))


class Objects:
    """The objects of the library that have threads, and how a fork leaves them: without their threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pid = os.getpid()
        self.going = 0         # objects whose threads may be at work
        self.used_gpu = False
        self.broken = ""       # why this process, which was forked, can make no such object
        self.broken_gpu = ""
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        self.lock = threading.Lock()
        self.pid = os.getpid()
        advice = "start it by multiprocessing's method \"spawn\", or score before the fork has happened"
        if self.going and not self.broken:
            self.broken = f"this process was forked while another run or session was at work: {advice}"
        if self.used_gpu and not self.broken_gpu:
            self.broken_gpu = f"this process was forked after a GPU was used, and drivers don't allow that: {advice}"
        self.going = 0
        self.used_gpu = False

    def begin(self, gpu: bool) -> None:
        with self.lock:
            if self.broken or (gpu and self.broken_gpu):
                raise UsageError(self.broken or self.broken_gpu)
            self.going += 1
            self.used_gpu = self.used_gpu or gpu

    def end(self, pid: int) -> None:
        with self.lock:
            if pid == self.pid:
                self.going -= 1

    def check(self, pid: int, what: str) -> None:
        """Refuses an object that a fork has left without its threads."""
        if pid != self.pid:
            raise UsageError(f"this {what} is of the process that was forked: its threads are there alone")


objects = Objects()
