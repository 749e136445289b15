#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Arrays in the memory of a CUDA device have the scores of arrays of numpy, bit for bit. Needs a device and nothing of
Python's but numpy: its arrays are made by the driver. With PyTorch or CuPy it tries theirs, too."""
import ctypes
import importlib.util
import sys

import numpy as np

import assay

try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def check(code):
    if code:
        sys.exit(f"the driver says {code}")


class OnDevice:
    """A copy of an array in device memory, with rows `pitch` bytes apart."""

    def __init__(self, array):
        pitch = (array.shape[1] * array.itemsize + 511) // 512 * 512
        wide = np.zeros((array.shape[0], pitch), np.uint8)
        wide[:, :array.shape[1] * array.itemsize] = np.ascontiguousarray(array).view(np.uint8)
        self.address = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(wide.nbytes)))
        check(cuda.cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(wide.ctypes.data), ctypes.c_size_t(wide.nbytes)))
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "strides": (pitch, array.itemsize), "version": 3,
            "data": (self.address.value, False)}


def pictures(seed, frames, shapes, top, samples):
    dice = np.random.default_rng(seed)
    base = [dice.integers(0, top, shape).astype(samples) for shape in shapes]
    return [tuple(np.roll(plane, k, 1) for plane in base) for k in range(frames)]


def main():
    check(cuda.cuInit(0))
    device, context = ctypes.c_int(), ctypes.c_void_p()
    check(cuda.cuDeviceGet(ctypes.byref(device), 0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(cuda.cuCtxSetCurrent(context))
    makers = {"the driver's": OnDevice}
    if importlib.util.find_spec("torch"):
        torch = __import__("torch")
        makers["PyTorch's"] = lambda array: torch.from_numpy(np.ascontiguousarray(array)).cuda()
    if importlib.util.find_spec("cupy"):
        cupy = __import__("cupy")
        makers["CuPy's"] = cupy.asarray
    for shapes, top, samples, words in (
            ([(198, 352), (99, 176), (99, 176)], 256, np.uint8, {}),
            ([(198, 352)] * 3, 256, np.uint8, {"layout": "444"}),
            ([(198, 352)], 1024, np.uint16, {"bit_depth": 10})):
        sides = [pictures(seed, 5, shapes, top, samples) for seed in (1, 2)]
        metrics = "psnr,vmaf,float_ms_ssim" if len(shapes) > 1 else "psnr,ssim"
        expected = assay.score(*(assay.Frames(side, **words) for side in sides), metrics=metrics)
        for name, make in makers.items():
            if samples is np.uint16 and name == "PyTorch's":
                continue  # its numpy bridge lacks the type in many versions
            moved = [[tuple(map(make, picture)) for picture in side] for side in sides]
            found = assay.score(*(assay.Frames(side, **words) for side in moved), metrics=metrics)
            for key in expected[0]:
                if found[key].tolist() != expected[key].tolist():
                    sys.exit(f"{name}: {key}: {found[key]} and {expected[key]}")
            print(f"{name} arrays, {len(shapes)} planes of {np.dtype(samples)}: {', '.join(expected[0])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
