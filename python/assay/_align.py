# SPDX-License-Identifier: BSD-2-Clause
"""How far two videos lie shifted: what the command `assay align` finds."""
from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from ._errors import AssayError
from ._fields import File, Input
from ._held import Held
from ._program import run, side


@dataclass(frozen=True)
class Alignment:
    """Which frames of two videos show the same.

    Attributes:
        certain: whether the offset is the only one that fits.
        offset: distorted frame n + offset shows reference frame n. None: nothing fits.
        confidence: 0 to 1.
        constant: whether one offset holds for all frames.
        reason: why it is not certain, or "".
        skip_ref, skip_dis: frames that `score` leaves out at the start of each side (Input's `skip`), so that the
            others are pairs. None where the offset is not certain or not constant.
        segments: runs of frames (reference, distorted, length), the first frames and how many there are.
        dropped: frames that the distorted side lacks (first, how many), by the reference's numbers.
        repeated, inserted: frames that the distorted side has more (first, how many), by its numbers.
        period: every how many frames one is dropped or repeated, or None.
    """
    certain: bool
    offset: Optional[int]
    confidence: float
    constant: bool
    reason: str
    skip_ref: Optional[int]
    skip_dis: Optional[int]
    segments: Tuple[Tuple[int, int, int], ...]
    dropped: Tuple[Tuple[int, int], ...]
    repeated: Tuple[Tuple[int, int], ...]
    inserted: Tuple[Tuple[int, int], ...]
    period: Optional[int]


def _runs(rows: List[Dict[str, int]], side: str) -> Tuple[Tuple[int, int], ...]:
    return tuple((row[side], row["frames"]) for row in rows)


def align(reference: Union[File, Input], encode: Union[File, Input], *, frames: Optional[int] = None,
          search: Optional[int] = None) -> Alignment:
    """Finds by how many frames a video lies shifted against its reference, and frames that are dropped or repeated.

    The command `assay align` does the work (docs/align.md), in a process of its own.

    Args:
        reference, encode: paths, bytes, file objects, or an Input with one of these and `skip` or `crop`.
        frames: how many frames of each file are looked at. None: all.
        search: offsets that are looked at, up to this number in both directions. None: the command's.

    Raises:
        AssayError: a file can't be read, with the command's line. An offset that is not certain is no failure.
    """
    held = Held()
    sides = [side(file, number, held, "align", ("skip", "crop")) for number, file in enumerate((reference, encode))]
    options: List[str] = []
    for name, value in (("--frames", frames), ("--search", search)):
        options += [] if value is None else [name, str(value)]
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        path = os.path.join(folder, "align.json")
        try:
            run(["align", "-q", "--json", path, *options], sides, held)
        except AssayError:
            if not os.path.exists(path):  # an offset that is not certain has its report
                raise
        with open(path, encoding="utf-8") as report:
            said: Dict[str, Any] = json.load(report)
    period = said["period"]
    return Alignment(
        said["word"] == "certain", said["offset"], said["confidence"], said["constant"], said.get("reason") or "",
        said.get("skip_ref"), said.get("skip_dis"),
        tuple((row["reference"], row["distorted"], row["frames"]) for row in said["segments"]),
        _runs(said["dropped"], "reference"), _runs(said["repeated"], "distorted"),
        _runs(said["inserted"], "distorted"), None if period is None else period["frames"])
