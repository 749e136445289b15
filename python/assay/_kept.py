# SPDX-License-Identifier: BSD-2-Clause
"""Results that are read from reports, merged and compared, and rates of two encoders."""
from __future__ import annotations

import ctypes
import os
import weakref
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union, cast

from . import _abi
from ._errors import UsageError
from ._fields import Path
from ._held import Held
from ._library import C, call, data, text
from ._results import Encode, Results
from ._run import Table

Scored = Union[Path, Results, Encode]
Point = Union[Scored, Tuple[Scored, float]]


def _free(handle: int) -> None:
    C.assay_results_free(ctypes.byref(ctypes.c_void_p(handle)))


class _Kept:
    """Results of the library that belong to no run."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self.results = cast(int, handle.value)
        self.held = Held()
        weakref.finalize(self, _free, self.results)

    def write(self, encode: int, form: str, decimals: int, path: str) -> None:
        """Writes a report."""
        call(C.assay_results_write, self.results, encode, data(form), decimals, data(path))


def _results(handle: ctypes.c_void_p) -> Results:
    kept = _Kept(handle)
    return Results([Table(kept, k) for k in range(C.assay_results_encodes(kept.results))], [], kept.write)


def read(path: Path) -> Results:
    """The results of a JSON report: of one encode or of several, of a part of a run, or of libvmaf.

    Args:
        path: of the file. Its values are exact with `--precision max`.

    Raises:
        InputError: it is no such report.
    """
    handle = ctypes.c_void_p()
    call(C.assay_results_read, ctypes.byref(handle), data(os.fsdecode(path)))
    return _results(handle)


def _table(scored: Union[Results, Encode]) -> Table:
    """Where the scores of the only encode are."""
    encodes = [scored] if isinstance(scored, Encode) else list(scored)
    if len(encodes) != 1:
        raise UsageError(f"there are {len(encodes)} encodes: say which one, results[0] for example")
    table = encodes[0]._table
    if not isinstance(table, Table):
        raise UsageError("this is of results of files: arrays have none")
    return table


def _taken(scored: Scored) -> Union[Results, Encode]:
    return scored if isinstance(scored, (Results, Encode)) else read(scored)


def merge(parts: Sequence[Union[Path, Results]]) -> Results:
    """The results of a whole run of those of its parts, which `assay --shard` wrote, in any order.

    They have the bits of one run over everything. Where no part has the end of the inputs, `error` says so.

    Args:
        parts: files, or their results.

    Raises:
        MismatchError: frames are in no part or in two, or the parts are of different runs.
        InputError: one is no part.
    """
    tables = [_table(_taken(part)) for part in parts]
    handles = (ctypes.c_void_p * len(tables))(*[table.core.results for table in tables])
    handle = ctypes.c_void_p()
    call(C.assay_results_merge, ctypes.byref(handle), handles, len(tables))
    return _results(handle)


@dataclass(frozen=True)
class Comparison:
    """A score of two encodes.

    Attributes:
        equal: whether both have it, of the same frames and with the same bits. Of reports with rounded values, by the
            digests of the exact ones.
        within: whether the first and the second one have it.
        common: how many frames both have.
        differ: how many of these have different values.
        first: the number of the first one that differs; None: none does.
        values: those of that frame, else of the first one. None: no frame is in both.
        largest: the largest difference.
    """
    equal: bool
    within: Tuple[bool, bool]
    common: int
    differ: int
    first: Optional[int]
    values: Optional[Tuple[float, float]]
    largest: float


def compare(a: Scored, b: Scored) -> Dict[str, Comparison]:
    """Compares the scores of two encodes: of files of reports, results or encodes.

    Returns:
        a `Comparison` for each score of one of them at least: keys of frames, then figures of the whole run, whose
        value counts as one of frame 0. `all(c.equal for c in compare(a, b).values())` says whether they are the same.
    """
    x, y = _table(_taken(a)), _table(_taken(b))
    found: Dict[str, Comparison] = {}
    own = _abi.Comparison()
    while not C.assay_results_compare(x.core.results, x.encode, y.core.results, y.encode, len(found),
                                      ctypes.byref(own)):
        within = getattr(own, "in")
        values = (float(own.value[0]), float(own.value[1])) if own.common else None
        found[text(own.score)] = Comparison(bool(own.equal), (bool(within[0]), bool(within[1])), own.common,
                                            own.differ, own.first if own.differ else None, values, own.largest)
    return found


@dataclass(frozen=True)
class Rates:
    """Bjontegaard's deltas of a test to an anchor.

    Attributes:
        rate: by how many per cent the rates of the test differ at equal figures; less than 0: it needs less.
        figure: by how much its figures differ at equal rates, in their unit; NaN where the rates do not overlap.
        figures: the lowest and the highest figure at which both curves are.
        figures_share: which part that is of the figures at which one of them is, 0 to 1.
        rates: the lowest and the highest rate that both curves have, in kbit/s.
        rates_share: which part that is of the rates that one of them has, 0 to 1.
        cross: whether at some figures the test needs less, and at others more.
    """
    rate: float
    figure: float
    figures: Tuple[float, float]
    figures_share: float
    rates: Tuple[float, float]
    rates_share: float
    cross: bool


def _points(curve: Sequence[Point], kept: List[Any]) -> "ctypes.Array[_abi.RatePoint]":
    points: List[_abi.RatePoint] = []
    for point in curve:
        scored, kbps = point if isinstance(point, tuple) else (point, 0.0)
        taken = _taken(scored)
        encodes = [taken] if isinstance(taken, Encode) else list(taken)
        if isinstance(point, tuple) and not kbps > 0:
            raise UsageError(f"the rate of a point is a positive number of kbit/s, not {kbps!r}")
        if kbps and len(encodes) != 1:
            raise UsageError(f"there are {len(encodes)} encodes, and a rate is one encode's")
        for encode in encodes:
            table = _table(encode)
            kept.append(table)
            points.append(_abi.RatePoint(table.core.results, table.encode, kbps))
    return (_abi.RatePoint * len(points))(*points)


def bdrate(anchor: Sequence[Point], test: Sequence[Point], score: str = "vmaf", method: str = "pchip") -> Rates:
    """Compares two encoders: by how much the rates of the test differ from those of the anchor at equal quality.

    Args:
        anchor: at least 4 points: files of reports, results or encodes; or each with its rate in kbit/s, `(encode,
            2000)`, where its report does not state the one of the video. Results of several encodes are as many points.
        test: the same.
        score: "vmaf", or with a pool "vmaf.p5".
        method: "pchip", "akima", "aom" or "cubic" (docs/bdrate.md).

    Raises:
        UsageError: too few points, or one without the score or a rate.
        MismatchError: points that are not of one reference, size and list of frames, or curves that can't be compared.
    """
    kept: List[Any] = []
    curves = [_points(anchor, kept), _points(test, kept)]
    own = _abi.BDRate()
    call(C.assay_results_bdrate, curves[0], len(curves[0]), curves[1], len(curves[1]), data(score), data(method),
         ctypes.byref(own))
    return Rates(own.rate, own.figure, (own.figures[0], own.figures[1]), own.figures_share,
                 (own.rates[0], own.rates[1]), own.rates_share, bool(own.cross))
