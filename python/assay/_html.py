# SPDX-License-Identifier: BSD-2-Clause
"""Scores in a notebook: a table of pools and a small curve."""
from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Iterable, List

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt
    from ._results import Encode

_pools = ("mean", "harmonic_mean", "min", "perc1", "perc5", "max")
_width, _height, _points = 240, 36, 240


def _worst(values: "npt.NDArray[np.float64]", direction: int) -> "npt.NDArray[np.float64]":
    """At most as many values as the curve has points, the worst of their neighbours that is a number: none is lost."""
    worst = np.fmax.reduce if direction < 0 else np.fmin.reduce
    return np.array([worst(part) for part in np.array_split(values, min(len(values), _points))])


def curve(values: "npt.NDArray[np.float64]", direction: int = 1) -> str:
    """An SVG of the values that are finite. Where they aren't, the line is broken. `direction`: that of the key."""
    finite = np.isfinite(values)
    if not finite.any():
        return ""
    low, high = float(values[finite].min()), float(values[finite].max())
    points = _worst(np.where(finite, values, np.nan), direction)
    step = _width / max(len(points) - 1, 1)
    lines: List[List[str]] = [[]]
    for number, value in enumerate(points):
        if np.isnan(value):
            lines.append([])
        else:
            place = 0.5 if high == low else (high - float(value)) / (high - low)
            lines[-1].append(f"{number * step:.1f},{1 + place * (_height - 2):.1f}")
    drawn = "".join(f'<polyline points="{" ".join(line)}" fill="none" stroke="currentColor"/>'
                    for line in lines if line)
    return f'<svg width="{_width}" height="{_height}" role="img" aria-label="{low:.3f} to {high:.3f}">{drawn}</svg>'


def _row(encode: "Encode", key: str) -> str:
    cells = "".join(f"<td>{encode.pool(key, pool):.3f}</td>" for pool in _pools)
    return f"<tr><th>{escape(key)}</th>{cells}<td>{curve(encode[key], encode.direction(key))}</td></tr>"


def page(encodes: Iterable["Encode"]) -> str:
    """A table of each encode."""
    head = "".join(f"<th>{escape(pool)}</th>" for pool in _pools)
    said = ""
    for encode in encodes:
        error = f": {escape(str(encode.error))}" if encode.error else ""
        rows = "".join(_row(encode, key) for key in encode if encode.direction(key))
        said += (f"<table><caption>{escape(encode.name)}, {len(encode.frames)} frames{error}</caption>"
                 f"<thead><tr><th></th>{head}<th></th></tr></thead><tbody>{rows}</tbody></table>")
    return said
