# SPDX-License-Identifier: BSD-2-Clause
"""Sessions: pictures of the program, scored pair by pair."""
from __future__ import annotations

import ctypes
import math
import re
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union, cast

import numpy as np

from . import _abi
from ._errors import AssayError, MismatchError, UsageError, error_of
from ._fields import Texts
from ._cuda import DeviceArray, Pairs, planes_on_device
from ._format import Format, fraction, number, whole
from ._frames import fill, planes_of
from ._library import C, call, data, objects, text
from ._request import texts
from ._results import MOST, Results
from ._run import State, close

if TYPE_CHECKING:
    import numpy.typing as npt
    from ._frames import Picture

# The metrics of a run that names none, as far as the pictures allow them.
FALLBACK = ("vmaf", "psnr", "float_ms_ssim")
_all = {"all": C.assay_session_add_all, "everything": C.assay_session_add_everything}
_samples = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "i32": np.int32, "f32": np.float32}
_in_flight = 16  # pairs on a device whose arrays are kept, before what was submitted is waited for
_allowed = ("length", "depth", "format", "colour")


class _Core:
    """A session of the library, which one thread at a time calls."""

    def __init__(self, config: _abi.Config, gpu: bool) -> None:
        handle = ctypes.c_void_p()
        objects.begin(gpu)
        self.state = State()
        try:
            call(C.assay_session_new, ctypes.byref(handle), ctypes.byref(config))
        except BaseException:
            self.state.end()
            raise
        self._handle = cast(int, handle.value)
        self.lock = self.state.lock
        self.closer = weakref.finalize(self, close, C.assay_session_close, self._handle, self.state)
        self.finished = False
        self.failed: Optional[AssayError] = None

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function that can't fail."""
        with self.lock:
            self.state.check("session")
            return function(self._handle, *arguments)

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function whose error the session knows."""
        with self.lock:
            self.state.check("session")
            code = function(self._handle, *arguments)
            if code:
                raise error_of(code, text(C.assay_session_error(self._handle)))

    def finish(self) -> None:
        """Frees the device and the pictures; scores stay."""
        with self.lock:
            if not self.finished:
                self.finished = True
                self.call(C.assay_session_finish)
                self.state.end()


class _Table:
    """The scores of an encode of a session."""

    def __init__(self, core: _Core, encode: int, encodes: int, name: str) -> None:
        self.core = core
        self.encode = encode
        self.encodes = encodes
        self.name = name
        count = core.ask(C.assay_session_keys) // encodes
        self.offset = encode * count
        self._keys = [(text(core.ask(C.assay_session_key, k)), int(core.ask(C.assay_session_key_direction, k)),
                       bool(core.ask(C.assay_session_key_feature, k)))
                      for k in range(self.offset, self.offset + count)]
        self._facts = {name: text(core.ask(function)) for name, function in (
            ("configuration", C.assay_session_configuration), ("backend", C.assay_session_backend),
            ("device", C.assay_session_device))}

    def error(self) -> Optional[AssayError]:
        return self.core.failed

    def going(self) -> bool:
        return not self.core.finished

    def keys(self) -> Sequence[Tuple[str, int, bool]]:
        return self._keys

    def column(self, key: int) -> Tuple[Optional["npt.NDArray[np.float64]"], "npt.NDArray[np.uint64]",
                                        "npt.NDArray[np.int64]"]:
        rows = self.core.ask(C.assay_session_rows, self.encode)
        values, frames = np.empty(rows, np.float64), np.empty(rows, np.uint64)
        frame = ctypes.c_uint64()
        with self.core.lock:
            for row in range(rows):
                own = self.core.ask(C.assay_session_row, self.encode, row, ctypes.byref(frame))
                frames[row] = frame.value
                if key != _abi.NONE:
                    values[row] = own[key]
        return None if key == _abi.NONE else values, frames, np.full(rows, _abi.NO_TIME, np.int64)

    def pool(self, key: str, pool: str, first: int, end: int) -> float:
        number = next(k for k, (name, _, _) in enumerate(self._keys) if name == key)
        value = ctypes.c_double(math.nan)
        self.core.call(C.assay_session_pooled_range, self.offset + number, data(pool), first, end,
                       ctypes.byref(value))
        return value.value

    def aggregates(self) -> Dict[str, float]:
        found: Dict[str, float] = {}
        if self.going() or self.error():
            return found
        count = self.core.ask(C.assay_session_aggregates) // self.encodes
        value = ctypes.c_double()
        for k in range(self.encode * count, (self.encode + 1) * count):
            self.core.call(C.assay_session_aggregate, k, ctypes.byref(value))
            found[text(self.core.ask(C.assay_session_aggregate_key, k))] = value.value
        return found

    def fact(self, name: str) -> Optional[str]:
        return self._facts.get(name)


def _optional(what: str, value: Optional[str]) -> Optional[bytes]:
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{what} is a text, not {value!r}")
    return None if value is None else data(value)


def _names(names: Optional[Sequence[str]], count: int) -> List[str]:
    if names is None:
        return ["distorted"] if count == 1 else [f"encode {k}" for k in range(count)]
    if isinstance(names, str) or len(names) != count:
        raise UsageError("names has a text for each encode")
    return list(names)


def _refuse(reference: Format, distorted: Sequence[Format], scale: Optional[str]) -> None:
    """What the library would say of formats that nothing may bring together, by name."""
    for k, other in enumerate(distorted):
        name = f"encode {k}: " if len(distorted) > 1 else ""
        if (reference.width, reference.height) != (other.width, other.height) and not scale:
            raise MismatchError(f"{name}the sizes differ, {reference.width}x{reference.height} and "
                                f"{other.width}x{other.height}: scale says by which filter they may be made equal")


class Session:
    """Scores pictures of the program, pair by pair.

    As a context manager it frees its device at the end of the block; the results stay. One thread at a time uses a
    session, others wait. Different sessions may be used at the same time.

        form = assay.Format(1920, 1080, layout="420", range="limited")
        with assay.Session(form, metrics="psnr") as session:
            for reference, distorted in pairs:       # tuples of planes
                session.submit(reference, distorted)
            session.flush()
        print(session.results["psnr_y"])

    Args:
        reference: the format of the reference's pictures.
        distorted: that of the distorted ones, of each encode where there are several. None: the reference's.
        metrics: metrics with their options, "all", or "everything": slow ones, too. A list, or a text with commas.
            None: vmaf, psnr and float_ms_ssim, as far as the pictures allow them.
        encodes: distorted pictures of each frame, 1 to 16. None: as many as `distorted` has.
        allow: differences between the sides that are not refused, of depth, format, colour.
        scale: "bicubic", "lanczos", "bilinear" or "spline", by which pictures of another size are scaled.
        scale_size: the size that is compared, (width, height). None: the reference's.
        scale_siting: "centre" or "tag": where chroma lies when it is scaled.
        rgb_matrix: "bt709" or "bt601", by which metrics of luma take RGB. None: they refuse it.
        rgb_range: "limited" or "full": of that luma. None: full.
        backend: "cpu", "cuda", "vulkan", "opengl", "sycl" or "auto".
        device: number, part of a name, "0,2" or "all". None: the first.
        threads: of the CPU, that compute. None: one for each processor.
        cpu: "scalar", "sse4", "avx2", "avx512", "avx512vnni" or "neon", the CPU's instruction set. None: the best one.
        in_flight: pairs that are scored at once, 1 to 256. None: as many as keep the device busy. 1: all threads score
            one pair, which is best where each pair's scores are waited for before the next is submitted.
        names: what results call the encodes.
        maps: True makes maps of where the pictures differ, which `maps` hands out. They take time and memory.

    Raises:
        UsageError: a metric can't score such pictures, or a name that is not known.
        MismatchError: the two sides differ in what is not allowed to.
        DeviceError: the device can't run.
    """

    def __init__(self, reference: Format, distorted: Union[Format, Sequence[Format], None] = None, *,
                 metrics: Optional[Texts] = None, encodes: Optional[int] = None,
                 allow: Texts = (), scale: Optional[str] = None, scale_size: Optional[Tuple[int, int]] = None,
                 scale_siting: str = "centre", rgb_matrix: Optional[str] = None,
                 rgb_range: Optional[str] = None, backend: Optional[str] = None, device: Optional[str] = None,
                 threads: Optional[int] = None, cpu: Optional[str] = None, in_flight: Optional[int] = None,
                 names: Optional[Sequence[str]] = None, maps: bool = False,
                 _first: Optional[Sequence["Picture"]] = None) -> None:
        others = ([reference] * (encodes or 1) if distorted is None else
                  [distorted] * (encodes or 1) if isinstance(distorted, Format) else list(distorted))
        if not others or encodes not in (None, len(others)) or len(others) > _abi.ENCODES:
            raise UsageError(f"a session has 1 to {_abi.ENCODES} encodes, and a format of each")
        allowed = texts("allow", allow)
        for word in allowed:
            if word not in _allowed:
                raise UsageError(f"of pictures that are arrays, allow is one of {', '.join(_allowed)}, not '{word}'")
        siting, luma_range = number("scale_siting", _abi.SITING, scale_siting), number(
            "rgb_range", _abi.RANGE, rgb_range or "unknown")
        _refuse(reference, others, scale)
        self._maps = bool(maps)
        self._pairs: Optional[Pairs] = None
        if _first is not None:  # pictures on a device: the first pair says on which
            if backend not in (None, "cuda") or device is not None or scale or cpu:
                raise UsageError("pictures on a device are scored there, as they are: neither device, cpu, scale nor "
                                 "another backend can be stated")
            objects.begin(True)
            objects.end(objects.pid)
            backend, self._pairs = None, Pairs([reference, *others])
        self.formats = [reference, *others]
        self._shapes = [form.shapes() for form in self.formats]
        own = reference._struct()
        theirs = (_abi.Format * len(others))(*(form._struct() for form in others))
        size = fraction("scale_size", scale_size or (0, 0))
        names = _names(names, len(others))
        config = _abi.Config(
            backend=_optional("backend", backend), device=_optional("device", device),
            threads=whole("threads", threads or 0, _abi.NONE), cpu_level=_optional("cpu", cpu),
            frames_in_flight=whole("in_flight", in_flight or 0, _abi.NONE),
            rgb_matrix=_optional("rgb_matrix", rgb_matrix), rgb_range=luma_range,
            distorted=theirs if self._pairs is None else None, allow_depth=int("depth" in allowed),
            allow_format=int("format" in allowed), allow_colour=int("colour" in allowed),
            scale=_optional("scale", scale), scale_width=size[0], scale_height=size[1],
            scale_siting=siting, encodes=len(others), keep_planes=int(maps), maps=int(maps))
        self._core = _Core(config, self._pairs is not None or backend not in (None, "cpu"))
        try:
            self._add(metrics, config, own)
            if self._pairs is None:
                self._core.call(C.assay_session_start, ctypes.byref(own))
            else:
                pairs, sides = self._pairs, ["the reference", *names]
                first = [planes_on_device(picture, name) for picture, name in zip(cast(Sequence[Any], _first), sides)]
                self._core.call(lambda session: pairs.start(session, first, sides))
        except BaseException as error:
            self._core.closer()
            if isinstance(error, MismatchError):  # the library names the members of its configuration
                error.args = (re.sub(r"\ballow_(depth|format|colour)\b", r'allow="\1"', str(error)),)
            raise
        notes = text(self._core.ask(C.assay_session_notes)).splitlines()
        self._results = Results([_Table(self._core, k, len(others), name) for k, name in enumerate(names)], notes)
        self._next = 0
        self._lent: List[Sequence[Sequence[DeviceArray]]] = []

    def _add(self, metrics: Optional[Texts], config: _abi.Config, own: _abi.Format) -> None:
        for metric in () if metrics is None else texts("metrics", metrics):
            if metric in _all:
                self._core.call(_all[metric], ctypes.byref(own), None, None)
            else:
                self._core.call(C.assay_session_add_metric, data(metric))
        if metrics is None:
            for metric in FALLBACK:
                try:
                    call(C.assay_metric_allows, data(metric), ctypes.byref(config), ctypes.byref(own))
                except UsageError:
                    continue
                self._core.call(C.assay_session_add_metric, data(metric))

    def submit(self, reference: "Picture", *distorted: "Picture", frame: Optional[int] = None) -> None:
        """Submits a pair: a picture of the reference, and one of each encode. They are copied before it returns.

        Args:
            reference, distorted: a tuple of planes (height, width), or an array (height, width, channels), as Frames
                describes them.
            frame: the number that the scores carry, larger than the one before. None: one more.

        Raises:
            InputError: a picture is not of its side's format.
        """
        with self._core.lock:  # the next number is that of one pair
            self._submit(reference, distorted, frame)

    def _submit(self, reference: "Picture", distorted: Sequence["Picture"], frame: Optional[int]) -> None:
        if len(distorted) != len(self.formats) - 1:
            raise UsageError(f"a pair has {len(self.formats) - 1} distorted pictures, not {len(distorted)}")
        number = self._next if frame is None else whole("frame", frame, MOST)
        if self._pairs is not None:
            self._submit_on_device(number, (reference, *distorted))
            return
        kept: List[Any] = []
        pictures = (_abi.Picture * len(self.formats))()
        for side, picture in enumerate((reference, *distorted)):
            planes = planes_of(picture, self.formats[side], self._shapes[side],
                               f"frame {number} of {self._name(side)}")
            kept.append(planes)
            fill(pictures[side], planes)
        self._core.call(C.assay_session_submit, number, ctypes.byref(pictures[0]),
                        ctypes.cast(ctypes.byref(pictures, ctypes.sizeof(_abi.Picture)),
                                    ctypes.POINTER(_abi.Picture)))
        self._next = number + 1

    def _submit_on_device(self, number: int, pair: Sequence[Any]) -> None:
        names = [f"frame {number} of {self._name(side)}" for side in range(2)]
        planes = [planes_on_device(picture, name) for picture, name in zip(pair, names)]
        images = cast(Pairs, self._pairs).images(planes, names)
        self._core.call(C.assay_session_submit_gpu, number, ctypes.byref(images[0]), ctypes.byref(images[1]))
        self._lent.append(planes)  # until the work on them is done
        if len(self._lent) > _in_flight:
            self._core.call(C.assay_session_wait)
            self._lent.clear()
        self._next = number + 1

    def _name(self, side: int) -> str:
        return "the reference" if side == 0 else self.results[side - 1].name

    def maps(self, encode: int = 0) -> Dict[str, "npt.NDArray[Any]"]:
        """Where the pictures of the pair that was submitted last differ, for which it waits; before `flush`.

        Args:
            encode: its number.

        Returns:
            arrays by the names of docs/maps.md, "float_ssim" for example, of the shape (height, width) of the map:
            float32 or integers, 0 where the metric finds no difference. Empty where no metric has a map.

        Raises:
            UsageError: the session was made without maps=True.
        """
        if not self._maps:
            raise UsageError("a session has maps when it is made with maps=True")
        encode = whole("encode", encode, len(self.formats) - 2)
        found: Dict[str, "npt.NDArray[Any]"] = {}
        plane = _abi.Plane()
        for index in range(self._core.ask(C.assay_session_planes)):
            self._core.call(C.assay_session_plane, index, ctypes.byref(plane))
            if plane.map is None or plane.encode != encode:
                continue
            values = np.empty((plane.height, plane.width), _samples[text(plane.type)])
            self._core.call(C.assay_session_read_plane, index, values.ctypes.data, values.strides[0])
            found[text(plane.map)] = values
        return found

    def flush(self) -> None:
        """Waits until every pair has its scores, and ends the sequence: for metrics that look at other frames, the last
        pair is the last one of a video. More pairs may follow."""
        self._core.call(C.assay_session_flush)

    def close(self) -> None:
        """Waits for the pairs that were submitted, and frees the device and the pictures. The results stay."""
        self._core.finish()

    @property
    def results(self) -> Results:
        """The scores that are final. They are there when the session is closed."""
        return self._results

    def _failed(self, error: AssayError) -> None:
        self._core.failed = error

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
