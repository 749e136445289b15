# SPDX-License-Identifier: BSD-2-Clause
"""Runs of files: started, asked for events, cancelled."""
from __future__ import annotations

import asyncio
import ctypes
import math
import threading
import time
import weakref
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Any, Callable, Dict, Generator, Iterator, List, Optional, Protocol, Sequence, Tuple,
                    cast)

import numpy as np

from . import _abi
from ._errors import AssayError, UsageError, error_of
from ._fields import Side
from ._format import Format, format_of
from ._held import Held
from ._library import C, call, data, objects, text
from ._request import Request
from ._results import Results

if TYPE_CHECKING:
    import numpy.typing as npt

_kinds = {_abi.EVENT_OPENED: "opened", _abi.EVENT_STARTED: "started", _abi.EVENT_NOTE: "note",
          _abi.EVENT_PROGRESS: "progress", _abi.EVENT_FRAMES: "frames", _abi.EVENT_ENDED: "ended"}
_slice = 100  # milliseconds after which Python looks at signals


@dataclass(frozen=True)
class Event:
    """Something that a run says.

    Attributes:
        kind: "opened": an input was opened: `format`, and `text` names it. "started": encodes are being scored, `text`
            names the device. "note": `text` is a line that a user should know, `code` a word that stays the same.
            "progress": `done` of `total` pairs (0: not known), `rate` of them a second. "frames": the rows `first` to
            `end` - 1 of an encode are final. "ended": an encode is done; `error` is why not.
        encode: its number, from 0 on; None: no encode, or the reference.
    """
    kind: str
    encode: Optional[int]
    code: str
    text: str
    format: Optional[Format]
    error: Optional[AssayError]
    first: int
    end: int
    done: int
    total: int
    rate: float


def _event(own: _abi.Event, say: Callable[[str], str]) -> Event:
    return Event(_kinds.get(own.kind, str(own.kind)), None if own.encode == _abi.NONE else own.encode, text(own.code),
                 say(text(own.text)), format_of(own.format.contents) if own.format else None,
                 error_of(own.result, say(text(own.text))) if own.result else None, own.first, own.end, own.done,
                 own.total, own.rate)


class State:
    """What outlives a run or a session: whether its threads are counted as at work, and whether it is freed."""

    def __init__(self) -> None:
        self.pid = objects.pid
        self.counted = True
        self.closed = False
        self.lock = threading.RLock()  # held by the one thread that waits for an event, or calls a session

    def check(self, what: str) -> None:
        """Refuses a call that an object can't be asked for any more."""
        if self.closed:  # at the end of the interpreter, when other threads still run
            raise UsageError(f"this {what} is freed")
        objects.check(self.pid, what)

    def end(self) -> None:
        if self.counted:
            self.counted = False
            objects.end(self.pid)


def close(free: Callable[[Any], None], handle: int, state: State) -> None:
    """Frees an object by a function of the library."""
    if state.pid == objects.pid:  # else its threads, for which this would wait, are not here
        with state.lock:
            state.closed = True
            free(ctypes.byref(ctypes.c_void_p(handle)))
        state.end()


def _close_run(handle: int, state: State) -> None:
    if state.pid == objects.pid:
        C.assay_run_cancel(handle)  # so that a thread that waits for an event gives the lock
    close(C.assay_run_close, handle, state)


class Core:
    """A run of the library. Results keep it."""

    def __init__(self, request: Request) -> None:
        handle = ctypes.c_void_p()
        objects.begin(request.uses_gpu)
        self.state = State()
        self.held = request.held  # files that are open for the run
        try:
            call(C.assay_run_start, ctypes.byref(handle), request.handle)
        except BaseException:
            self.state.end()
            raise
        self._handle = cast(int, handle.value)
        self.notes: List[str] = []
        self.over = False
        weakref.finalize(self, _close_run, self._handle, self.state)

    @property
    def handle(self) -> int:
        """For a call of the library."""
        self.state.check("run")
        return self._handle

    @property
    def results(self) -> int:
        """For a call that asks for results."""
        return cast(int, C.assay_run_results(self.handle))

    def next(self, milliseconds: int) -> Optional[Event]:
        """The next event. None: the time is up, or the run is over."""
        own = _abi.Event()
        with self.state.lock:
            kind = C.assay_run_next(self.handle, milliseconds, ctypes.byref(own))
            event = None if kind in (_abi.EVENT_NONE, _abi.EVENT_END) else _event(own, self.held.say)
            if kind == _abi.EVENT_END:
                self.over = True
                self.state.end()
            if event and event.kind == "note":
                self.notes.append(event.text)
        return event

    def write(self, encode: int, form: str, decimals: int, path: str) -> None:
        """Writes a report."""
        call(C.assay_results_write, self.results, encode, data(form), decimals, data(path))


class Holder(Protocol):
    """What has results of the library, and keeps them while it is there."""
    held: Held

    @property
    def results(self) -> int:
        """For a call that asks for results."""


class Table:
    """The scores of an encode of files."""

    def __init__(self, core: Holder, encode: int) -> None:
        self.core = core
        self.encode = encode
        self.name = text(C.assay_results_name(core.results, encode))
        self._keys: List[Tuple[str, int, bool]] = []

    def _state(self) -> Tuple[int, str]:
        reason = ctypes.c_char_p()
        state = C.assay_results_state(self.core.results, self.encode, ctypes.byref(reason))
        return state, self.core.held.say(text(reason.value))

    def error(self) -> Optional[AssayError]:
        state, reason = self._state()
        return error_of(state, reason) if state < 0 else None

    def going(self) -> bool:
        return self._state()[0] == 1

    def keys(self) -> Sequence[Tuple[str, int, bool]]:
        if not self._keys:
            results = self.core.results
            self._keys = [(text(C.assay_results_key(results, self.encode, key)),
                           C.assay_results_key_direction(results, self.encode, key),
                           bool(C.assay_results_key_feature(results, self.encode, key)))
                          for key in range(C.assay_results_keys(results, self.encode))]
        return self._keys

    def column(self, key: int) -> Tuple[Optional["npt.NDArray[np.float64]"], "npt.NDArray[np.uint64]",
                                        "npt.NDArray[np.int64]"]:
        results = self.core.results
        rows = C.assay_results_rows(results, self.encode)
        values, frames, times = np.empty(rows, np.float64), np.empty(rows, np.uint64), np.empty(rows, np.int64)
        C.assay_results_column(results, self.encode, key, 0, rows,
                               values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
                               frames.ctypes.data_as(ctypes.POINTER(ctypes.c_uint64)),
                               times.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)))
        return None if key == _abi.NONE else values, frames, times

    def pool(self, key: str, pool: str, first: int, end: int) -> float:
        value = ctypes.c_double(math.nan)
        if C.assay_results_pool(self.core.results, self.encode, data(key), data(pool), first, end,
                                ctypes.byref(value)):
            raise UsageError(f"'{pool}' is no pool")
        return value.value

    def aggregates(self) -> Dict[str, float]:
        found: Dict[str, float] = {}
        value = ctypes.c_double()
        while True:
            key = C.assay_results_aggregate(self.core.results, self.encode, len(found), ctypes.byref(value))
            if key is None:
                return found
            found[text(key)] = value.value

    def fact(self, name: str) -> Optional[str]:
        value = C.assay_results_fact(self.core.results, self.encode, data(name))
        return None if value is None else text(value)


class Run:
    """A request that is being carried out, on threads of the library. Any number of runs may go on at once.

    As a context manager it is cancelled at the end of the block, and waited for. Iterating gives the events up to the
    end. `await run` gives the results at the end, and cancels the run when it is cancelled itself.

        with assay.Run(assay.Request("source.mkv", "encode.mp4", metrics="psnr")) as run:
            for event in run:
                if event.kind == "progress":
                    print(event.done, event.total)
        print(run.results.pool("psnr_y"))

    Args:
        request: what is compared with what, and how.

    Raises:
        UsageError: where the request is wrong in itself. What is wrong with files, metrics and devices is the `error`
            of an encode.
    """

    def __init__(self, request: Request) -> None:
        self._core = Core(request)
        count = C.assay_results_encodes(self._core.results)
        self._results = Results([Table(self._core, k) for k in range(count)], self._core.notes, self._core.write)

    @property
    def results(self) -> Results:
        """The scores. They can be read from the start on, and are there when the run is closed."""
        return self._results

    @property
    def over(self) -> bool:
        """Whether the end has been asked for and seen: `wait`, or the last event."""
        return self._core.over

    def next(self, seconds: float = 0) -> Optional[Event]:
        """The next event, for which it waits up to `seconds`. None: there is none yet, or the run is over."""
        until = time.monotonic() + seconds
        while not self.over:
            left = max(0, math.ceil((until - time.monotonic()) * 1000))
            event = self._core.next(min(_slice, left))
            if event or not left:
                return event
        return None

    def __iter__(self) -> Iterator[Event]:
        while not self.over:
            event = self._core.next(_slice)
            if event:
                yield event

    def cancel(self) -> None:
        """Ends the run early. What is scored stays. Any thread and a handler of signals may call this."""
        C.assay_run_cancel(self._core.handle)

    def wait(self) -> Results:
        """Waits for the end and drops the events."""
        for _ in self:
            pass
        return self.results

    def close(self) -> None:
        """Cancels the run, unless it is over, and waits for its end. The results stay."""
        if not self.over:
            self.cancel()
            self.wait()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __await__(self) -> Generator[Any, None, Results]:
        return self._at_end().__await__()

    async def _at_end(self) -> Results:
        waiting = asyncio.get_running_loop().run_in_executor(None, self.wait)
        try:
            return await asyncio.shield(waiting)
        except asyncio.CancelledError:
            self.cancel()
            await waiting
            raise


def probe(file: Side) -> Format:
    """The format that assay sees in a file.

    Args:
        file: a path, bytes or a file object, or an Input with one of these and how it is read.

    Raises:
        AssayError: the file can't be read, with the command's line.
    """
    with Run(Request(file, file, frames=1)) as run:
        for event in run:
            if event.format:
                return event.format
    raise run.results.error or error_of(_abi.EINTERNAL, "the file's format is not known")
