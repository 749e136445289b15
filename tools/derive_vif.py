#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The float windows of float_vif: Gaussians of n taps with a standard deviation of n / 5, as libvmaf rounds them.

A tap is float(exp) over float(1 / (deviation sqrt(2 pi))), rounded to a float. Each is then divided by the float sum of
all in their order. Prints the lines of src/kernels/constants.txt.
"""
import ctypes
import math


def single(value):
    return ctypes.c_float(value).value


def window(n):
    deviation = single(n / 5)
    norm = single(1 / (deviation * math.sqrt(2 * math.pi)))
    taps = [single(single(math.exp(-0.5 * x / deviation * x / deviation)) / norm) for x in range(-(n // 2), n // 2 + 1)]
    total = 0.0
    for tap in taps:
        total = single(total + tap)
    return [single(tap / total) for tap in taps]


for size in (17, 9, 5, 3):
    for i, tap in enumerate(window(size)[:size // 2 + 1]):
        print(f"{f'FVIF_{size}_{i}':17} {tap:.9g}")
