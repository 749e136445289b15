#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Derives W of src/kernels/ssim.k from the SSIM window's float taps (prints lines of constants.txt).

The window's taps, rounded to float, sum to S, not 1; W = S^2 is the sum of the 2-D weights.
"""
import struct
from fractions import Fraction

TAPS = ['0.001028', '0.007599', '0.036001', '0.109361', '0.213006', '0.266012']


def float32(text):
    return Fraction(struct.unpack('<f', struct.pack('<f', float(text)))[0])


half = [float32(t) for t in TAPS]
S = 2 * sum(half[:5]) + half[5]
W = S * S
for name, value in (('SSIM_S', S), ('SSIM_W', W), ('SSIM_REST', 1 - W)):
    print(f'{name:16} {float(value)!r}')
