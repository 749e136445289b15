# SPDX-License-Identifier: BSD-2-Clause
"""Pictures that are numpy arrays."""
from __future__ import annotations

import ctypes
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Optional, Sequence, Tuple, Union, cast

import numpy as np

from . import _abi
from ._errors import InputError, UsageError
from ._fields import File, Input
from ._format import Format
from ._cuda import device_array, is_cuda
from ._library import C, call

if TYPE_CHECKING:
    import numpy.typing as npt
    Array = npt.NDArray[Any]
    Picture = Union[Array, Tuple[Array, ...]]
    Source = Union[File, Input, "Frames", Array, Tuple[Array, ...], Iterator["Picture"]]

_channels = {1: "400", 3: "rgb", 4: "rgb"}


class Frames:
    """A side of pictures that are numpy arrays, with what they stand for.

    A picture is one of

    - a tuple of planes of the shape (height, width): one of grey, three of Y, Cb, Cr or R, G, B, and one more of alpha.
      The size of chroma says how it is subsampled. Rows may be apart from each other or upside down; a plane whose
      samples are not next to each other is copied;
    - an array of the shape (height, width), grey;
    - an array of the shape (height, width, channels) of 1 channel, grey, of 3, R, G, B, or of 4 with alpha. Its
      channels are copied into planes.

    Samples are uint8; or uint16 with `bit_depth`, the value in the low bits; or float32. With a `bit_depth` of 16 these
    are 0 to 1 and become codes: value * 65535 to the nearest integer, halves up. With 32 they are linear light of RGB
    or grey, which may be above 1 and which metrics of light take.

    Planes may be in the memory of a CUDA device, too: objects with `__cuda_array_interface__` or DLPack's methods, such
    as CuPy's arrays and PyTorch's tensors. They are scored where they are, on the device of the calling thread's
    context, with the same bits: tuples of planes of integers, whose samples lie next to each other.

    Args:
        pictures: an iterable of pictures, an array of the shape (frames, height, width, channels), or one picture.
        layout: "400", "420", "422", "444", "411" or "rgb". None: as the pictures say; three planes of one size don't.
        bit_depth: of uint16, 9 to 16; of float32, 16 or 32.
        range: "limited", "full" or "unknown".
        matrix, transfer, primaries: code points of ITU-T H.273. 2: not known. None of a matrix: 0 for "rgb", else 2.
            None of a transfer: 8 of linear light, else 2.
        chroma_location: "left", "center", "top_left", "top", "bottom_left", "bottom" or "unknown".
        rate: frames per second as a fraction, (30000, 1001). (0, 0): not known.
        sar: the shape of a sample, width to height. (0, 0): not known.
        name: what messages and results call the side.
    """

    def __init__(self, pictures: Union["Picture", Iterable["Picture"]], *, layout: Optional[str] = None,
                 bit_depth: Optional[int] = None, range: str = "unknown", matrix: Optional[int] = None,
                 transfer: Optional[int] = None, primaries: int = 2, chroma_location: str = "unknown",
                 rate: Tuple[int, int] = (0, 0), sar: Tuple[int, int] = (0, 0), name: Optional[str] = None) -> None:
        if isinstance(pictures, tuple) or is_cuda(pictures) or (isinstance(pictures, np.ndarray) and pictures.ndim < 4):
            pictures = [cast("Picture", pictures)]
        self.pictures = cast("Iterable[Picture]", pictures)
        self.layout, self.bit_depth, self.range, self.matrix = layout, bit_depth, range, matrix
        self.transfer, self.primaries, self.chroma_location = transfer, primaries, chroma_location
        self.rate, self.sar, self.name = rate, sar, name
        self.on_device = False  # what `opened` finds

    def __len__(self) -> int:
        """How many pictures there are; TypeError: that is not known."""
        return len(cast("Sequence[Picture]", self.pictures))

    def opened(self, name: str) -> Tuple[Format, Iterator["Picture"]]:
        """The format, which the first picture says, and all pictures. InputError: there is none."""
        pictures = iter(self.pictures)
        first = next(pictures, None)
        if first is None:
            raise InputError(f"{name}: there is no picture")
        self.on_device = any(is_cuda(array) for array in (first if isinstance(first, tuple) else (first,)))
        form = self._format(first, name)
        if form.bit_depth == _abi.DEPTH_FLOAT and _length(self.pictures) == 1:
            form = replace(form, light=_light(first, form, name))
        return form, itertools.chain((first,), pictures)

    def _format(self, first: "Picture", name: str) -> Format:
        arrays = _arrays(first, name)
        height, width = arrays[0].shape[:2]
        packed = arrays[0].ndim == 3
        if not 1 <= height <= 65535 or not 1 <= width <= 65535:
            raise InputError(f"{name}: a picture of {width}x{height}; sizes are 1 to 65535")
        depth = _depth(arrays[0], self.bit_depth, name)
        count = arrays[0].shape[2] if packed else len(arrays)
        layout = self.layout
        if packed:
            if count not in _channels or layout not in (None, _channels[count]):
                raise UsageError(f"{name}: an array with {count} channels is no picture of "
                                 f"{layout or 'grey or RGB, with alpha or without'}")
            layout = _channels[count]
        elif count not in (1, 3, 4):
            raise UsageError(f"{name}: a picture has 1, 3 or 4 planes, not {count}")
        layout = layout or ("400" if count == 1 else self._layout(width, height, arrays[1].shape, name))
        matrix = self.matrix if self.matrix is not None else 0 if layout == "rgb" else 2
        transfer = self.transfer if self.transfer is not None else 8 if depth == _abi.DEPTH_FLOAT else 2
        return Format(width, height, depth, layout, self.range, matrix, transfer, self.primaries,
                      self.chroma_location, self.rate, self.sar, alpha=count == 4)

    @staticmethod
    def _layout(width: int, height: int, chroma: Tuple[int, ...], name: str) -> str:
        if chroma == (height, width):
            raise UsageError(f"{name}: three planes of one size are \"444\" or \"rgb\": state the layout")
        fit = [layout for layout in ("420", "422", "411") if Format(width, height, 8, layout).shapes()[1] == chroma]
        if len(fit) != 1:
            raise UsageError(f"{name}: planes of {width}x{height} and {chroma[::-1]} are of no single layout: state it")
        return fit[0]


def _arrays(picture: Any, name: str) -> Sequence["Array"]:
    arrays: Tuple[Any, ...] = picture if isinstance(picture, tuple) else (picture,)
    arrays = tuple(device_array(array, name) if is_cuda(array) else array for array in arrays)
    if not arrays:
        raise UsageError(f"{name}: a picture has 1, 3 or 4 planes, not 0")
    for array in arrays:
        known = isinstance(array, np.ndarray) or is_cuda(array)
        if not known or array.ndim not in (2, 3) or (array.ndim == 3 and len(arrays) > 1):
            shape = f" of the shape {array.shape}" if isinstance(array, np.ndarray) else ""
            raise UsageError(f"{name}: a picture is a tuple of planes (height, width) or an array (height, width, "
                             f"channels), not {type(array).__name__}{shape}")
        if isinstance(array, np.ma.MaskedArray) and array.mask.any():
            raise UsageError(f"{name}: samples are masked, and each one counts: array.filled(value) gives them a value")
    return arrays


def _length(pictures: Any) -> int:
    try:
        return len(pictures)
    except TypeError:
        return 0


def _depth(array: "Array", stated: Optional[int], name: str) -> int:
    """The bit depth of an array's samples."""
    samples = str(array.dtype)  # of another byte order it has a sign: ">u2"
    depths = {"uint8": (8,), "uint16": tuple(range(9, 17)), "float32": (16, _abi.DEPTH_FLOAT)}.get(samples)
    if depths is None:
        raise UsageError(f"{name}: samples are uint8, uint16 or float32, not {samples}")
    if stated is None and len(depths) == 1:
        return depths[0]
    if stated is None:
        raise UsageError(f"{name}: state the bit_depth of {samples}, {_any_of(depths)}")
    if stated not in depths:
        raise UsageError(f"{name}: {samples} has a bit_depth of {_any_of(depths)}, not {stated}")
    return stated


def _any_of(depths: Tuple[int, ...]) -> str:
    return f"{depths[0]} to {depths[-1]}" if len(depths) > 2 else " or ".join(map(str, depths))


def _light(picture: Any, form: Format, name: str) -> Tuple[float, float]:
    """The largest and the median luminance of a picture of floats."""
    planes = planes_of(picture, form, form.shapes(), name)
    image, light = _abi.FloatImage(width=form.width, height=form.height), _abi.FloatLight()
    for number, plane in enumerate(planes):
        image.plane[number], image.stride[number] = plane.ctypes.data, plane.strides[0]
    call(C.assay_floats_light, ctypes.byref(image), ctypes.byref(form._struct()), ctypes.byref(light))
    if light.not_finite:
        raise InputError(f"{name}: {light.not_finite} samples are not finite, the first is in plane {light.channel} at "
                         f"{light.x},{light.y}")
    return light.largest, light.median


def codes_of(plane: "Array", name: str) -> "Array":
    """The codes of 16 bits of a plane of floats."""
    plane = np.ascontiguousarray(plane)
    height, width = plane.shape
    codes = np.empty((height, width), np.uint16)
    image = _abi.FloatImage(width=width, height=height)
    image.plane[0], image.stride[0] = plane.ctypes.data, width * plane.itemsize  # of one row it may be anything
    without = ctypes.c_uint64()
    call(C.assay_floats_to_codes, None, ctypes.byref(image), (ctypes.c_void_p * 4)(codes.ctypes.data),
         (ctypes.c_ssize_t * 4)(codes.strides[0]), ctypes.byref(without))
    if without.value:
        raise InputError(f"{name}: {without.value} values are below 0, above 1 or not finite")
    return codes


def planes_of(picture: Any, form: Format, shapes: Tuple[Tuple[int, int], ...], name: str) -> List["Array"]:
    """The planes of a picture of this format, with samples next to each other. InputError: it has another one."""
    arrays = _arrays(picture, name)
    if arrays[0].ndim == 3:
        arrays = [arrays[0][:, :, channel] for channel in range(arrays[0].shape[2])]
    planes = [codes_of(array, name) if array.dtype == np.float32 and form.bit_depth == 16 else array
              for array in arrays]
    samples = np.dtype({8: np.uint8, _abi.DEPTH_FLOAT: np.float32}.get(form.bit_depth, np.uint16))
    if len(planes) != len(shapes):
        raise InputError(f"{name}: {len(planes)} planes, not {len(shapes)}")
    for number, (plane, shape) in enumerate(zip(planes, shapes)):
        if plane.shape != shape or plane.dtype != samples:
            raise InputError(f"{name}: plane {number} is {plane.shape[1]}x{plane.shape[0]} of {plane.dtype}, not "
                             f"{shape[1]}x{shape[0]} of {samples}")
        if 8 < form.bit_depth < 16 and plane.max() >> form.bit_depth:
            raise InputError(f"{name}: plane {number} holds the value {plane.max()}, but {form.bit_depth}-bit samples "
                             f"end at {(1 << form.bit_depth) - 1}")
    return [plane if plane.strides[1] == samples.itemsize and abs(plane.strides[0]) >= plane.shape[1] * samples.itemsize
            else np.array(plane, order="C") for plane in planes]  # of one row, too, whose stride may be anything


def fill(into: _abi.Picture, planes: Sequence["Array"]) -> None:
    """Lends the planes for a call."""
    for number, plane in enumerate(planes):
        into.plane[number] = plane.ctypes.data
        into.stride[number] = plane.strides[0]
