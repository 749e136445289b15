# SPDX-License-Identifier: BSD-2-Clause
"""The structures, numbers and functions of assay/run.h, assay/assay.h and assay/floats.h that this package uses.

tests/python/test_abi.py compares each of them with the headers.
"""
from __future__ import annotations

import ctypes
from ctypes import (POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_ssize_t, c_uint, c_uint32,
                    c_uint64, c_void_p)
from typing import Any, Dict, Tuple

OK, EUSAGE, EINPUT, EDEVICE, EMISMATCH, EINTERNAL, ECANCELLED = 0, -2, -3, -4, -5, -6, -130
NONE = 0xFFFFFFFF
NO_TIME = -(1 << 63)
ENCODES = 16
GPU_CUDA = 3
DEPTH_FLOAT = 32

EVENT_NONE, EVENT_OPENED, EVENT_STARTED, EVENT_NOTE, EVENT_PROGRESS, EVENT_FRAMES, EVENT_ENDED, EVENT_END = range(8)

LAYOUT = {"unknown": 0, "400": 1, "420": 2, "422": 3, "444": 4, "411": 5, "rgb": 6}
RANGE = {"unknown": 0, "limited": 1, "full": 2}
CHROMA = {"unknown": 0, "left": 1, "center": 2, "top_left": 3, "top": 4, "bottom_left": 5, "bottom": 6}
SITING = {"centre": 0, "tag": 1}

# The numbers above, by the names that the headers have.
NUMBERS = {
    "ASSAY_OK": OK, "ASSAY_EUSAGE": EUSAGE, "ASSAY_EINPUT": EINPUT, "ASSAY_EDEVICE": EDEVICE,
    "ASSAY_EMISMATCH": EMISMATCH, "ASSAY_EINTERNAL": EINTERNAL, "ASSAY_ECANCELLED": ECANCELLED, "ASSAY_NONE": NONE,
    "ASSAY_ENCODES": ENCODES, "ASSAY_GPU_CUDA": GPU_CUDA, "ASSAY_DEPTH_FLOAT": DEPTH_FLOAT,
    "ASSAY_EVENT_NONE": EVENT_NONE, "ASSAY_EVENT_OPENED": EVENT_OPENED,
    "ASSAY_EVENT_STARTED": EVENT_STARTED, "ASSAY_EVENT_NOTE": EVENT_NOTE, "ASSAY_EVENT_PROGRESS": EVENT_PROGRESS,
    "ASSAY_EVENT_FRAMES": EVENT_FRAMES, "ASSAY_EVENT_ENDED": EVENT_ENDED, "ASSAY_EVENT_END": EVENT_END,
    **{"ASSAY_LAYOUT_" + name.upper(): number for name, number in LAYOUT.items()},
    **{"ASSAY_RANGE_" + name.upper(): number for name, number in RANGE.items()},
    **{"ASSAY_CHROMA_" + name.upper(): number for name, number in CHROMA.items()},
    "ASSAY_SCALE_CENTRED": SITING["centre"], "ASSAY_SCALE_TAG": SITING["tag"],
}


class Format(ctypes.Structure):
    """assay_format"""
    _fields_ = [
        ("width", c_uint32), ("height", c_uint32), ("bit_depth", c_uint32), ("layout", c_int), ("range", c_int),
        ("matrix", c_uint32), ("transfer", c_uint32), ("primaries", c_uint32), ("chroma_location", c_int),
        ("field_order", c_int), ("rate_num", c_uint32), ("rate_den", c_uint32), ("sar_num", c_uint32),
        ("sar_den", c_uint32), ("alpha", c_uint32), ("gamma", c_uint32), ("reserved", c_uint32 * 6),
        ("curve", c_double * 7), ("to_bt709", c_double * 9), ("light_largest", c_double),
        ("light_median", c_double)]


class Event(ctypes.Structure):
    """assay_event"""
    _fields_ = [
        ("kind", c_int), ("encode", c_uint32), ("code", c_char_p), ("text", c_char_p), ("format", POINTER(Format)),
        ("result", c_int), ("first", c_uint64), ("end", c_uint64), ("done", c_uint64), ("total", c_uint64),
        ("rate", c_double), ("reserved", c_uint32 * 8)]


class Config(ctypes.Structure):
    """assay_config"""
    _fields_ = [
        ("backend", c_char_p), ("device", c_char_p), ("cpu_level", c_char_p), ("threads", c_uint),
        ("frames_in_flight", c_uint32), ("tile_width", c_uint32), ("tile_height", c_uint32), ("rgb_matrix", c_char_p),
        ("rgb_range", c_int), ("keep_planes", c_uint32), ("strip_height", c_uint32), ("prefetch_frames", c_uint32),
        ("least_frames", c_uint32), ("gpu_sides", c_uint32), ("allow_colour", c_uint32),
        ("distorted", POINTER(Format)), ("allow_depth", c_uint32), ("allow_format", c_uint32), ("scale", c_char_p),
        ("scale_width", c_uint32), ("scale_height", c_uint32), ("scale_siting", c_uint32), ("encodes", c_uint32),
        ("maps", c_uint32), ("stills", c_uint32), ("frames", c_uint32),
        ("reserved", c_uint32 * 15)]


class Picture(ctypes.Structure):
    """assay_picture"""
    _fields_ = [
        ("plane", c_void_p * 4), ("stride", c_ssize_t * 4), ("release", c_void_p), ("opaque", c_void_p),
        ("reserved", c_uint32 * 4)]


class FloatImage(ctypes.Structure):
    """assay_float_image"""
    _fields_ = [
        ("plane", c_void_p * 4), ("stride", c_ssize_t * 4), ("width", c_uint32), ("height", c_uint32),
        ("reserved", c_uint32 * 8)]


class FloatLight(ctypes.Structure):
    """assay_float_light"""
    _fields_ = [
        ("largest", c_double), ("median", c_double), ("negative", c_uint64), ("not_finite", c_uint64),
        ("channel", c_uint32), ("x", c_uint32), ("y", c_uint32), ("reserved", c_uint32 * 7)]


class Comparison(ctypes.Structure):
    """assay_comparison"""
    _fields_ = [
        ("score", c_char_p), ("in", c_int * 2), ("equal", c_int), ("common", c_uint64), ("differ", c_uint64),
        ("first", c_uint64), ("value", c_double * 2), ("largest", c_double), ("reserved", c_uint32 * 8)]


class RatePoint(ctypes.Structure):
    """assay_rate_point"""
    _fields_ = [("results", c_void_p), ("encode", c_uint32), ("kbps", c_double), ("reserved", c_uint32 * 4)]


class BDRate(ctypes.Structure):
    """assay_bdrate"""
    _fields_ = [
        ("rate", c_double), ("figure", c_double), ("figures", c_double * 2), ("figures_share", c_double),
        ("rates", c_double * 2), ("rates_share", c_double), ("cross", c_int), ("reserved", c_uint32 * 8)]


class Plane(ctypes.Structure):
    """assay_plane"""
    _fields_ = [
        ("type", c_char_p), ("width", c_uint32), ("height", c_uint32), ("sample_size", c_uint32),
        ("pass", c_char * 64), ("pass_number", c_uint32), ("output", c_uint32), ("view", c_uint32), ("map", c_char_p),
        ("encode", c_uint32), ("map_full", c_double), ("map_colours", c_uint32), ("reserved", c_uint32 * 7)]


class CudaContext(ctypes.Structure):
    """assay_cuda_context"""
    _fields_ = [("context", c_void_p), ("reserved", c_uint32 * 8)]


class CudaImage(ctypes.Structure):
    """assay_cuda_image"""
    _fields_ = [
        ("format", POINTER(Format)), ("plane", c_uint64 * 3), ("pitch", c_size_t * 3), ("stream", c_void_p),
        ("packing", c_uint32), ("texels", c_uint32), ("width", c_uint32), ("height", c_uint32),
        ("reserved", c_uint32 * 8)]


class _Handles(ctypes.Union):
    # The largest of the others, that of Vulkan, has five pointers and eight numbers.
    _fields_ = [("cuda", CudaContext), ("others", c_uint64 * 9)]


class GpuHandles(ctypes.Structure):
    """assay_gpu_handles"""
    _anonymous_ = ("of",)
    _fields_ = [("kind", c_uint32), ("reserved", c_uint32 * 3), ("of", _Handles)]


class _Images(ctypes.Union):
    _fields_ = [("cuda", CudaImage), ("others", c_uint64 * 14)]


class GpuImage(ctypes.Structure):
    """assay_gpu_image"""
    _anonymous_ = ("of",)
    _fields_ = [
        ("kind", c_uint32), ("reserved", c_uint32 * 3), ("gpu", c_void_p), ("rectangle", c_uint32 * 4),
        ("of", _Images)]


# Those with a union, of which the package has the member of CUDA.
WITH_UNIONS = {"assay_gpu_handles": GpuHandles, "assay_gpu_image": GpuImage}
STRUCTURES = {"assay_cuda_context": CudaContext, "assay_cuda_image": CudaImage,
              "assay_comparison": Comparison, "assay_rate_point": RatePoint, "assay_bdrate": BDRate,
              "assay_format": Format, "assay_event": Event, "assay_config": Config, "assay_picture": Picture,
              "assay_plane": Plane, "assay_float_image": FloatImage, "assay_float_light": FloatLight}

_why = (POINTER(c_char), c_size_t)
_object = POINTER(c_void_p)

# Results and arguments. Objects that the library makes are void pointers; text that a caller frees is one, too.
FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "assay_version": (c_char_p, ()),
    "assay_metric_allows": (c_int, (c_char_p, POINTER(Config), POINTER(Format), *_why)),
    "assay_format_plane_width": (c_uint32, (POINTER(Format), c_uint32)),
    "assay_format_plane_height": (c_uint32, (POINTER(Format), c_uint32)),
    "assay_request_parse": (c_int, (_object, c_char_p, c_size_t, *_why)),
    "assay_request_close": (None, (_object,)),
    "assay_request_text": (c_void_p, (c_void_p,)),
    "assay_run_start": (c_int, (_object, c_void_p, *_why)),
    "assay_run_next": (c_int, (c_void_p, c_uint32, POINTER(Event))),
    "assay_run_cancel": (None, (c_void_p,)),
    "assay_run_close": (None, (_object,)),
    "assay_run_results": (c_void_p, (c_void_p,)),
    "assay_results_encodes": (c_uint32, (c_void_p,)),
    "assay_results_name": (c_char_p, (c_void_p, c_uint32)),
    "assay_results_state": (c_int, (c_void_p, c_uint32, POINTER(c_char_p))),
    "assay_results_keys": (c_uint32, (c_void_p, c_uint32)),
    "assay_results_key": (c_char_p, (c_void_p, c_uint32, c_uint32)),
    "assay_results_key_direction": (c_int, (c_void_p, c_uint32, c_uint32)),
    "assay_results_key_feature": (c_int, (c_void_p, c_uint32, c_uint32)),
    "assay_results_rows": (c_uint64, (c_void_p, c_uint32)),
    "assay_results_column": (c_uint64, (c_void_p, c_uint32, c_uint32, c_uint64, c_uint64, POINTER(c_double),
                                        POINTER(c_uint64), POINTER(c_int64))),
    "assay_results_pool": (c_int, (c_void_p, c_uint32, c_char_p, c_char_p, c_uint64, c_uint64, POINTER(c_double))),
    "assay_results_aggregate": (c_char_p, (c_void_p, c_uint32, c_uint32, POINTER(c_double))),
    "assay_results_fact": (c_char_p, (c_void_p, c_uint32, c_char_p)),
    "assay_results_write": (c_int, (c_void_p, c_uint32, c_char_p, c_int, c_char_p, *_why)),
    "assay_results_read": (c_int, (_object, c_char_p, *_why)),
    "assay_results_merge": (c_int, (_object, POINTER(c_void_p), c_uint32, *_why)),
    "assay_results_free": (None, (_object,)),
    "assay_results_compare": (c_int, (c_void_p, c_uint32, c_void_p, c_uint32, c_uint32, POINTER(Comparison))),
    "assay_results_bdrate": (c_int, (POINTER(RatePoint), c_uint32, POINTER(RatePoint), c_uint32, c_char_p, c_char_p,
                                     POINTER(BDRate), *_why)),
    "assay_floats_to_codes": (c_int, (POINTER(Config), POINTER(FloatImage), POINTER(c_void_p), POINTER(c_ssize_t),
                                      POINTER(c_uint64), *_why)),
    "assay_floats_light": (c_int, (POINTER(FloatImage), POINTER(Format), POINTER(FloatLight), *_why)),
    "assay_session_new": (c_int, (_object, POINTER(Config), *_why)),
    "assay_session_close": (None, (_object,)),
    "assay_session_error": (c_char_p, (c_void_p,)),
    "assay_session_add_metric": (c_int, (c_void_p, c_char_p)),
    "assay_session_add_all": (c_int, (c_void_p, POINTER(Format), c_void_p, c_void_p)),
    "assay_session_add_everything": (c_int, (c_void_p, POINTER(Format), c_void_p, c_void_p)),
    "assay_session_start": (c_int, (c_void_p, POINTER(Format))),
    "assay_session_submit": (c_int, (c_void_p, c_uint64, POINTER(Picture), POINTER(Picture))),
    "assay_session_wait": (c_int, (c_void_p,)),
    "assay_session_flush": (c_int, (c_void_p,)),
    "assay_session_finish": (c_int, (c_void_p,)),
    "assay_session_keys": (c_uint32, (c_void_p,)),
    "assay_session_key": (c_char_p, (c_void_p, c_uint32)),
    "assay_session_key_direction": (c_int, (c_void_p, c_uint32)),
    "assay_session_key_feature": (c_int, (c_void_p, c_uint32)),
    "assay_session_rows": (c_uint64, (c_void_p, c_uint32)),
    "assay_session_row": (POINTER(c_double), (c_void_p, c_uint32, c_uint64, POINTER(c_uint64))),
    "assay_session_pooled_range": (c_int, (c_void_p, c_uint32, c_char_p, c_uint64, c_uint64, POINTER(c_double))),
    "assay_session_aggregates": (c_uint32, (c_void_p,)),
    "assay_session_aggregate_key": (c_char_p, (c_void_p, c_uint32)),
    "assay_session_aggregate": (c_int, (c_void_p, c_uint32, POINTER(c_double))),
    "assay_session_configuration": (c_char_p, (c_void_p,)),
    "assay_session_notes": (c_char_p, (c_void_p,)),
    "assay_gpu_open": (c_int, (_object, POINTER(GpuHandles), *_why)),
    "assay_gpu_close": (None, (_object,)),
    "assay_gpu_device": (c_char_p, (c_void_p,)),
    "assay_session_start_gpu": (c_int, (c_void_p, c_void_p, POINTER(GpuImage), POINTER(GpuImage), c_void_p)),
    "assay_session_submit_gpu": (c_int, (c_void_p, c_uint64, POINTER(GpuImage), POINTER(GpuImage))),
    "assay_session_planes": (c_uint32, (c_void_p,)),
    "assay_session_plane": (c_int, (c_void_p, c_uint32, POINTER(Plane))),
    "assay_session_read_plane": (c_int, (c_void_p, c_uint32, c_void_p, c_size_t)),
    "assay_session_backend": (c_char_p, (c_void_p,)),
    "assay_session_device": (c_char_p, (c_void_p,)),
}


def bind(library: ctypes.CDLL) -> None:
    """Declares the functions. AttributeError: the library lacks one."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
