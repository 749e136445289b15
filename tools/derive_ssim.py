#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Derives the centring constants of src/kernels/ssim.k from the SSIM window's float taps (prints lines of constants.txt).

The window's taps, rounded to float, sum to S, not 1; W = S^2 is the sum of the 2-D weights. With both planes centred at
p = 128, blurs m' of p - 128 and s' of its squares:
    mu = m' + p W       var = (s' - m'^2) + (1 - W)(2 p m' + p^2 W)
    cov = (s12' - m1' m2') + (1 - W)(p m1' + p m2' + p^2 W)
"""
import struct
from fractions import Fraction

TAPS = ['0.001028', '0.007599', '0.036001', '0.109361', '0.213006', '0.266012']


def float32(text):
    return Fraction(struct.unpack('<f', struct.pack('<f', float(text)))[0])


half = [float32(t) for t in TAPS]
S = 2 * sum(half[:5]) + half[5]
W = S * S
p = 128
for name, value in (('SSIM_PIVOT_W', p * W), ('SSIM_PIVOT_1', (1 - W) * p), ('SSIM_PIVOT_2', 2 * (1 - W) * p),
                    ('SSIM_PIVOT_0', (1 - W) * p * p * W)):
    print(f'{name:16} {float(value)!r}')
