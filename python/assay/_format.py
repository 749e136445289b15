# SPDX-License-Identifier: BSD-2-Clause
"""The format of pictures."""
from __future__ import annotations

import ctypes
import operator
from dataclasses import dataclass
from typing import Any, Dict, Tuple

from . import _abi
from ._errors import UsageError
from ._library import C


def number(what: str, words: Dict[str, int], word: str) -> int:
    """The number of a word."""
    if word not in words:
        raise UsageError(f"{what} is one of {', '.join(words)}, not '{word}'")
    return words[word]


def whole(what: str, value: Any, most: int, least: int = 0) -> int:
    """A whole number within its bounds: ctypes would drop the bits that a field of C has no room for."""
    try:
        found = operator.index(value)
    except TypeError:
        raise UsageError(f"{what} is a whole number, not {value!r}") from None
    if not least <= found <= most:
        raise UsageError(f"{what} is {least} to {most}, not {found}")
    return found


def fraction(what: str, value: Any) -> Tuple[int, int]:
    """A fraction or a size: two whole numbers."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise UsageError(f"{what} is two whole numbers, not {value!r}")
    return whole(what, value[0], _abi.NONE), whole(what, value[1], _abi.NONE)


def _word(words: Dict[str, int], number: int) -> str:
    return next((word for word, n in words.items() if n == number), "unknown")


@dataclass(frozen=True)
class Format:
    """The format of a stream of pictures.

    Attributes:
        width, height: of the first plane, in samples, 1 to 65535.
        bit_depth: 8 to 16; 32 stands for float, linear light of RGB or grey that may be above 1.
        layout: "400" (grey), "420", "422", "444", "411" or "rgb".
        range: "limited", "full" or "unknown".
        matrix, transfer, primaries: code points of ITU-T H.273. 2: not known. A matrix of 0 is that of "rgb".
        chroma_location: "left", "center", "top_left", "top", "bottom_left", "bottom" or "unknown".
        rate: frames per second as a fraction, (30000, 1001). (0, 0): not known.
        sar: the shape of a sample, width to height. (0, 0): not known.
        alpha: whether there is a plane of alpha behind the others. It is straight.
        light: of float samples of a reference, the largest and the median luminance. (0, 0): not known.
    """
    width: int
    height: int
    bit_depth: int = 8
    layout: str = "420"
    range: str = "unknown"
    matrix: int = 2
    transfer: int = 2
    primaries: int = 2
    chroma_location: str = "unknown"
    rate: Tuple[int, int] = (0, 0)
    sar: Tuple[int, int] = (0, 0)
    alpha: bool = False
    light: Tuple[float, float] = (0.0, 0.0)

    def shapes(self) -> Tuple[Tuple[int, int], ...]:
        """(rows, columns) of each plane."""
        own = self._struct()
        count = (1 if self.layout == "400" else 3)
        shapes = [(C.assay_format_plane_height(ctypes.byref(own), p), C.assay_format_plane_width(ctypes.byref(own), p))
                  for p in range(count)]
        return tuple(shapes + shapes[:1] * self.alpha)

    def _struct(self) -> _abi.Format:
        width, height = (whole(name, value, 65535, 1) for name, value in (("width", self.width),
                                                                          ("height", self.height)))
        matrix, transfer, primaries = (whole(name, value, 255) for name, value in (
            ("matrix", self.matrix), ("transfer", self.transfer), ("primaries", self.primaries)))
        rate, sar = fraction("rate", self.rate), fraction("sar", self.sar)
        if not 8 <= self.bit_depth <= 16 and self.bit_depth != _abi.DEPTH_FLOAT:
            raise UsageError(f"bit_depth is 8 to 16, or {_abi.DEPTH_FLOAT} for float, not {self.bit_depth}")
        return _abi.Format(
            width=width, height=height, bit_depth=self.bit_depth,
            layout=number("layout", _abi.LAYOUT, self.layout), range=number("range", _abi.RANGE, self.range),
            matrix=matrix, transfer=transfer, primaries=primaries,
            chroma_location=number("chroma_location", _abi.CHROMA, self.chroma_location), rate_num=rate[0],
            rate_den=rate[1], sar_num=sar[0], sar_den=sar[1], alpha=int(self.alpha),
            light_largest=self.light[0], light_median=self.light[1])


def format_of(own: _abi.Format) -> Format:
    """The format that the library states."""
    return Format(own.width, own.height, own.bit_depth, _word(_abi.LAYOUT, own.layout), _word(_abi.RANGE, own.range),
                  own.matrix, own.transfer, own.primaries, _word(_abi.CHROMA, own.chroma_location),
                  (own.rate_num, own.rate_den), (own.sar_num, own.sar_den), bool(own.alpha),
                  (own.light_largest, own.light_median))
