# SPDX-License-Identifier: BSD-2-Clause
"""Pictures in the memory of a CUDA device: arrays of CuPy, PyTorch and others, scored where they are."""
from __future__ import annotations

import ctypes
import weakref
from typing import Any, List, Optional, Sequence, Tuple, cast

import numpy as np

from . import _abi
from ._errors import InputError, UsageError, error_of
from ._format import Format
from ._library import C, call, text

_DLPACK_CUDA = 2  # kDLCUDA
_DEFAULT_STREAM = 1  # as DLPack and the interface number it


class _Tensor(ctypes.Structure):
    """DLTensor"""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class DeviceArray:
    """An array on a device: its address, shape and strides in bytes, and what keeps it."""

    def __init__(self, owner: Any, address: int, shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]],
                 dtype: Any, stream: int) -> None:
        self.owner, self.address, self.shape, self.stream = owner, address, shape, stream
        self.dtype = np.dtype(dtype)
        self.ndim = len(shape)
        if strides is None:
            steps = [self.dtype.itemsize]
            for length in shape[:0:-1]:
                steps.insert(0, steps[0] * length)
            strides = tuple(steps)
        self.strides = strides


def is_cuda(array: Any) -> bool:
    """Whether an object is an array in the memory of a CUDA device."""
    if isinstance(array, (DeviceArray, np.ndarray)):
        return isinstance(array, DeviceArray)
    if hasattr(array, "__cuda_array_interface__"):
        return True
    return hasattr(array, "__dlpack_device__") and int(array.__dlpack_device__()[0]) == _DLPACK_CUDA


def device_array(array: Any, name: str) -> DeviceArray:
    """What the interface of an array says. UsageError: it says what this package does not take."""
    if isinstance(array, DeviceArray):
        return array
    if hasattr(array, "__cuda_array_interface__"):
        said = array.__cuda_array_interface__
        if said.get("mask") is not None:
            raise UsageError(f"{name}: a masked array is no picture")
        stream = said.get("stream")
        return DeviceArray(array, int(said["data"][0]), tuple(said["shape"]),
                           None if said.get("strides") is None else tuple(said["strides"]), said["typestr"],
                           0 if stream in (None, _DEFAULT_STREAM) else int(stream))
    return _of_dlpack(array, name)


def _of_dlpack(array: Any, name: str) -> DeviceArray:
    capsule = array.__dlpack__(stream=_DEFAULT_STREAM)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    kinds = {(1, 8): np.uint8, (1, 16): np.uint16, (2, 32): np.float32}
    kind = kinds.get((tensor.code, tensor.bits))
    if kind is None or tensor.lanes != 1:
        raise UsageError(f"{name}: samples are uint8 or uint16, not DLPack's type ({tensor.code}, {tensor.bits})")
    shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
    size = np.dtype(kind).itemsize
    strides = tuple(tensor.strides[k] * size for k in range(tensor.ndim)) if tensor.strides else None
    # The capsule frees the tensor; its name stays "dltensor", so its own destructor does that.
    return DeviceArray((array, capsule), (tensor.data or 0) + tensor.byte_offset, shape, strides, kind, 0)


def _image(form: Format, own: _abi.Format, planes: Sequence[DeviceArray], name: str) -> _abi.GpuImage:
    shapes = form.shapes()
    samples = np.dtype(np.uint8 if form.bit_depth == 8 else np.uint16)
    if len(planes) != len(shapes):
        raise InputError(f"{name}: {len(planes)} planes, not {len(shapes)}")
    image = _abi.GpuImage(kind=_abi.GPU_CUDA)
    for number, (plane, shape) in enumerate(zip(planes, shapes)):
        if plane.shape != shape or plane.dtype != samples:
            raise InputError(f"{name}: plane {number} is {plane.shape[1]}x{plane.shape[0]} of {plane.dtype}, not "
                             f"{shape[1]}x{shape[0]} of {samples}")
        if plane.strides[1] != samples.itemsize or plane.strides[0] < shape[1] * samples.itemsize:
            raise UsageError(f"{name}: plane {number}: samples of a plane on a device lie next to each other, and rows "
                             "from the top: make it contiguous")
        if plane.stream != planes[0].stream:
            raise UsageError(f"{name}: its planes are on several streams")
        image.cuda.plane[number], image.cuda.pitch[number] = plane.address, plane.strides[0]
    image.cuda.format = ctypes.pointer(own)
    image.cuda.stream = planes[0].stream or None
    return image


class Device:
    """The device of the calling thread's CUDA context, and what is started on it."""

    def __init__(self) -> None:
        handles = _abi.GpuHandles(kind=_abi.GPU_CUDA)
        handle = ctypes.c_void_p()
        call(C.assay_gpu_open, ctypes.byref(handle), ctypes.byref(handles))
        self.handle = cast(int, handle.value)
        self.name = text(C.assay_gpu_device(self.handle))
        self.close = weakref.finalize(self, _close, self.handle)


def _close(handle: int) -> None:
    C.assay_gpu_close(ctypes.byref(ctypes.c_void_p(handle)))


class Pairs:
    """The pairs of a session whose pictures are on a device."""

    def __init__(self, formats: Sequence[Format]) -> None:
        if len(formats) != 2:
            raise UsageError("pictures on a device are compared with one encode at a time")
        if any(form.alpha or form.bit_depth > 16 for form in formats):
            raise UsageError("pictures on a device are planes of integers without alpha")
        self.formats = formats
        self.structs = [form._struct() for form in formats]
        self.device = Device()

    def images(self, pictures: Sequence[Any], names: Sequence[str]) -> List[_abi.GpuImage]:
        return [_image(form, own, picture, name)
                for form, own, picture, name in zip(self.formats, self.structs, pictures, names)]

    def start(self, session: int, first: Sequence[Any], names: Sequence[str]) -> int:
        """Starts a session of the library for pictures like these, which are not read."""
        images = self.images(first, names)
        return cast(int, C.assay_session_start_gpu(session, self.device.handle, ctypes.byref(images[0]),
                                                   ctypes.byref(images[1]), None))


def planes_on_device(picture: Any, name: str) -> List[DeviceArray]:
    """The planes of a picture."""
    arrays = picture if isinstance(picture, tuple) else (picture,)
    if not all(is_cuda(array) for array in arrays):
        raise error_of(_abi.EUSAGE, f"{name}: a picture is either on a device or in arrays of numpy")
    planes = [device_array(array, name) for array in arrays]
    if any(plane.ndim != 2 for plane in planes):
        raise UsageError(f"{name}: a picture on a device is a tuple of planes (height, width): of an array with "
                         "channels each channel, made contiguous")
    return planes
