# SPDX-License-Identifier: BSD-2-Clause
"""What came out: scores by encode and key, as numpy arrays."""
from __future__ import annotations

import importlib
import os
import pathlib
import tempfile
from typing import (TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, Union, cast,
                    overload)

import numpy as np

from . import _abi
from ._errors import AssayError, UsageError
from ._fields import Path
from ._format import whole
from ._html import page

if TYPE_CHECKING:
    import numpy.typing as npt
    Doubles = npt.NDArray[np.float64]

MOST = (1 << 64) - 1
_forms = {".json": "json", ".csv": "csv", ".html": "html", ".svg": "svg", ".xml": "xml", ".sub": "sub"}


class Table(Protocol):
    """Where the scores of an encode come from."""
    name: str

    def error(self) -> Optional[AssayError]:
        """Why the encode is not complete."""

    def going(self) -> bool:
        """Whether rows may be added."""

    def keys(self) -> Sequence[Tuple[str, int, bool]]:
        """Name, direction and whether nobody asked for it, of each key."""

    def column(self, key: int) -> Tuple[Optional["Doubles"], "npt.NDArray[np.uint64]", "npt.NDArray[np.int64]"]:
        """Values, frames and times in nanoseconds; of a key of NONE no values."""

    def pool(self, key: str, pool: str, first: int, end: int) -> float:
        """Pools the values of frames. ValueError: there is no such pool."""

    def aggregates(self) -> Dict[str, float]:
        """Aggregates of an encode that is complete."""

    def fact(self, name: str) -> Optional[str]:
        """What a report says of how the encode was scored."""


class Encode(Mapping[str, "Doubles"]):
    """The scores of an encode: a mapping from keys, "vmaf", to arrays of float64 with a value for each frame.

    It has the keys that were asked for. Those of `features` can be looked up, too. While a run goes on, an array has
    the frames that are final. Arrays are copies, and can't be written to.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept: Dict[int, Any] = {}

    @property
    def name(self) -> str:
        """What reports call the encode."""
        return self._table.name

    @property
    def error(self) -> Optional[AssayError]:
        """Why the encode is not complete, or None."""
        return self._table.error()

    @property
    def going(self) -> bool:
        """Whether the encode is being scored, or waits."""
        return self._table.going()

    @property
    def features(self) -> Tuple[str, ...]:
        """Keys that nobody asked for, and that a score was made of."""
        return tuple(name for name, _, feature in self._table.keys() if feature)

    def _column(self, key: int) -> Any:
        if key in self._kept:
            return self._kept[key]
        final = not self.going
        column = self._table.column(key)
        for array in column:
            if array is not None:
                array.flags.writeable = False
        if final:
            self._kept[key] = column
        return column

    def _find(self, key: str) -> Tuple[int, int]:
        """The number and the direction of a key."""
        keys = self._table.keys()
        for number, (name, direction, _) in enumerate(keys):
            if name == key:
                return number, direction
        raise KeyError(f"{self.name} has no key '{key}'; there are {', '.join(name for name, _, _ in keys) or 'none'}")

    def __getitem__(self, key: str) -> "Doubles":
        return cast("Doubles", self._column(self._find(key)[0])[0])

    def __contains__(self, key: object) -> bool:
        return any(name == key for name, _, _ in self._table.keys())

    def __iter__(self) -> Iterator[str]:
        return (name for name, _, feature in self._table.keys() if not feature)

    def __len__(self) -> int:
        return sum(not feature for _, _, feature in self._table.keys())

    def __repr__(self) -> str:
        return f"<assay.Encode {self.name!r}: {', '.join(self) or 'no keys'}; {len(self.frames)} frames>"

    @property
    def frames(self) -> "npt.NDArray[np.uint64]":
        """The number of each frame, in the order of the values."""
        return cast("npt.NDArray[np.uint64]", self._column(_abi.NONE)[1])

    @property
    def times(self) -> "Doubles":
        """When each frame is shown, in seconds; NaN: not known."""
        times = self._column(_abi.NONE)[2]
        return cast("Doubles", np.where(times == _abi.NO_TIME, np.nan, times / 1e9))

    def direction(self, key: str) -> int:
        """1: higher values are better. -1: lower ones are. 0: neither."""
        return self._find(key)[1]

    def pool(self, key: str, pool: str = "mean", first: int = 0, end: Optional[int] = None) -> float:
        """One figure of the values of frames.

        Args:
            key: "vmaf".
            pool: "mean", "harmonic_mean", "geometric_mean", "min", "max", "stddev", "variance", "rms", "median", or
                "perc5" with any number from 0 to 100.
            first: the number of the first frame.
            end: the number behind that of the last one. None: all that follow.

        Returns:
            the figure; NaN when no such frame has scores.
        """
        self._find(key)
        return self._table.pool(key, pool, whole("first", first, MOST),
                                MOST if end is None else whole("end", end, MOST))

    def worst(self, key: str, count: int = 5) -> List[int]:
        """The numbers of the frames with the worst values, the worst one first. NaN is worse than all."""
        direction = self.direction(key)
        if not direction:
            raise UsageError(f"'{key}' has no worst frame: neither higher nor lower values are better")
        values = self[key] * direction
        order = np.argsort(np.where(np.isnan(values), -np.inf, values), kind="stable")
        return [int(frame) for frame in self.frames[order[:whole("count", count, MOST)]]]

    @property
    def aggregates(self) -> Dict[str, float]:
        """Figures of all frames that are no pools, "apsnr_y" for example. Empty when the encode is not complete."""
        return self._table.aggregates()

    def fact(self, name: str) -> Optional[str]:
        """What a report's block "assay" says of how the encode was scored, "configuration" for example, or None."""
        return self._table.fact(name)

    def to_pandas(self) -> Any:
        """A DataFrame: a row for each frame, by `frame`, with its `time` in seconds and a column for each key."""
        pandas: Any = importlib.import_module("pandas")
        return pandas.DataFrame({"time": self.times, **dict(self)}, index=pandas.Index(self.frames, name="frame"))

    def _repr_html_(self) -> str:
        return page([self])

    def plot(self, *keys: str, axes: Any = None) -> Any:
        """`Results.plot` of this encode."""
        return _plot([self], keys, axes)


def _plot(encodes: Sequence[Encode], keys: Sequence[str], axes: Any) -> Any:
    """Draws a line of each encode and key by matplotlib."""
    if axes is None:
        plots: Any = importlib.import_module("matplotlib.pyplot")
        axes = plots.subplots()[1]
    timed = all(np.isfinite(encode.times).all() for encode in encodes)
    for encode in encodes:
        for key in keys or list(encode)[:1]:
            label = key if len(encodes) == 1 else f"{encode.name} {key}"
            axes.plot(encode.times if timed else encode.frames, encode[key], label=label)
    axes.set_xlabel("time in s" if timed else "frame")
    axes.legend()
    return axes


class Results:
    """The scores of the encodes, which it is a sequence of.

    `results["vmaf"]` is an array of the only encode, and so are `pool`, `worst` and the others its. Of several encodes
    name one: `results[2]["vmaf"]`.
    """

    def __init__(self, tables: Sequence[Table], notes: List[str], writer: Any = None) -> None:
        self._encodes = [Encode(table) for table in tables]
        self._writer = writer
        self.notes = notes

    def __len__(self) -> int:
        return len(self._encodes)

    def __iter__(self) -> Iterator[Encode]:
        return iter(self._encodes)

    @overload
    def __getitem__(self, which: int) -> Encode: ...

    @overload
    def __getitem__(self, which: str) -> "Doubles": ...

    def __getitem__(self, which: Union[int, str]) -> Any:
        return self._only[which] if isinstance(which, str) else self._encodes[which]

    def __repr__(self) -> str:
        return f"<assay.Results: {', '.join(map(repr, self._encodes))}>"

    @property
    def _only(self) -> Encode:
        if len(self._encodes) != 1:
            raise UsageError(f"there are {len(self)} encodes: say of which one, results[0] for example")
        return self._encodes[0]

    def encode(self, name: str) -> Encode:
        """The first encode with this name."""
        for encode in self._encodes:
            if encode.name == name:
                return encode
        raise KeyError(f"no encode '{name}'; there are {', '.join(encode.name for encode in self._encodes)}")

    @property
    def error(self) -> Optional[AssayError]:
        """The first failure of an encode, or None."""
        return next((encode.error for encode in self._encodes if encode.error), None)

    @property
    def frames(self) -> "npt.NDArray[np.uint64]":
        """Of the only encode: the number of each frame."""
        return self._only.frames

    @property
    def times(self) -> "Doubles":
        """Of the only encode: when each frame is shown, in seconds; NaN: not known."""
        return self._only.times

    @property
    def aggregates(self) -> Dict[str, float]:
        """Of the only encode: figures of all frames that are no pools."""
        return self._only.aggregates

    def pool(self, key: str, pool: str = "mean", first: int = 0, end: Optional[int] = None) -> float:
        """Of the only encode: `Encode.pool`."""
        return self._only.pool(key, pool, first, end)

    def worst(self, key: str, count: int = 5) -> List[int]:
        """Of the only encode: `Encode.worst`."""
        return self._only.worst(key, count)

    def write(self, path: Path, form: Optional[str] = None, decimals: int = -1,
              encode: Optional[int] = None) -> None:
        """Writes a report: the bytes of the command's with --reproducible.

        Args:
            path: of the file. An input is refused; any other file is overwritten.
            form: "json", "csv", "html" or "svg", and of one encode "xml" or "sub". None: as the path ends.
            decimals: 0 to 17. -1: the shortest that read back exactly.
            encode: its number. None: all.
        """
        if self._writer is None:
            raise UsageError("reports are of files: arrays have none")
        path = os.fsdecode(path)
        if form is None:
            form = _forms.get(pathlib.PurePath(path).suffix.lower())
            if form is None:
                raise UsageError(f"'{path}' does not end in one of {' '.join(_forms)}: state the form")
        self._writer(_abi.NONE if encode is None else whole("encode", encode, _abi.NONE - 1), form,
                     whole("decimals", decimals, 17, -1), path)

    def to_json(self, decimals: int = -1, encode: Optional[int] = None) -> str:
        """The command's report as a text of JSON; the arguments are those of `write`."""
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            path = os.path.join(folder, "report.json")
            self.write(path, "json", decimals, encode)
            return pathlib.Path(path).read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        return page(self)

    def plot(self, *keys: str, axes: Any = None) -> Any:
        """Draws scores over time, or over frames where times are not known. matplotlib must be installed.

        Args:
            keys: what is drawn, a line for each encode. None: the first key.
            axes: of matplotlib, on which it is drawn. None: new ones.

        Returns:
            the axes.
        """
        return _plot(self._encodes, keys, axes)

    def to_pandas(self) -> Any:
        """A DataFrame: a row for each frame, with its `time` in seconds and a column for each key. Rows are by `frame`,
        and of several encodes by `encode` and `frame`."""
        if len(self) == 1:
            return self._only.to_pandas()
        pandas: Any = importlib.import_module("pandas")
        return pandas.concat([encode.to_pandas() for encode in self],
                             keys=[encode.name for encode in self], names=["encode", "frame"])
