#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Derives the constants of kernels/ciede.h.

A power x^p is y^k' (1 - e)^q: y is a seed of the kernel, its bits a fraction of x's, and e = 1 - x^a y^b is small. The
largest |e| is found here, and a polynomial of e that is 0 at 0 stands for (1 - e)^q - 1. Polynomials interpolate at
Chebyshev's points (tools/derive_power.py); how far each is off is printed and bounded here.

    tools/derive_ciede.py                            prints the lines of constants.txt
    tools/derive_ciede.py src/kernels/constants.txt  exits 1 where those differ, or a bound fails
"""
import math
import struct
import sys

import derived
from derive_power import interpolate, rounded

WHITE = (0.95047, 1.0, 1.08883)  # D65 as libvmaf has it
TO_XYZ = ((0.4124564390896921, 0.357576077643909, 0.18043748326639894),
          (0.21267285140562248, 0.715152155287818, 0.07217499330655958),
          (0.019333895582329317, 0.119192025881303, 0.9503040785363677))
KAPPA, EPSILON = 24389 / 27, 216 / 24389  # CIE 15

# name: (seed, what of the bits is subtracted from it, power of y in 1 - x y^k, range of x, q, terms, bound)
POWERS = {
    "POW24": (0x4C2E6B00, lambda u: (u >> 10) * 205, 5, (0.0893, 2.3), -0.6, 6, 3e-8),
    "ROOT3": (0x549CBA00, lambda u: (u >> 10) * 341, 3, (0.0088, 8), -2 / 3, 5, 4e-8),
    "RSQRT": (0x5F374600, lambda u: u >> 1, 2, (1, 4), -0.5, 4, 5e-8),
    "RECIPROCAL": (0x7EF31100, lambda u: u, 1, (1, 2), -1.0, 4, 5e-8),
}


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def from_bits(u):
    return struct.unpack("<f", struct.pack("<I", u))[0]


def largest_rest(seed, part, power, low, high):
    """The largest |1 - x y^power| of the seed over a range of x."""
    first, last, largest = bits(low), bits(high), 0.0
    for i in range(20001):
        u = first + (last - first) * i // 20000
        largest = max(largest, abs(1 - from_bits(u) * from_bits(seed - part(u)) ** power))
    return largest


def largest_difference(f, coefficients, low, high):
    floats, worst = [float(rounded(c)) for c in coefficients], 0.0
    for i in range(4001):
        x, value = low + (high - low) * i / 4000, 0.0
        for c in reversed(floats):
            value = value * x + c
        worst = max(worst, abs(f(x, value)))
    return worst


def powers(lines, bounds):
    for name, (seed, part, power, span, q, terms, bound) in POWERS.items():
        rest = largest_rest(seed, part, power, *span) * 1.001
        series = lambda e: math.expm1(q * math.log1p(-e)) / e if e else -q
        terms = interpolate(series, -rest, rest, terms)
        lines += [(f"CIEDE_{name}_{i + 1}", c) for i, c in enumerate(terms)]
        off = largest_difference(lambda e, v: (e * v + 1) / (1 - e) ** q - 1, terms, -rest, rest)
        bounds.append((f"{name}, relative, |e| up to {rest:.3g}", off, bound))


def turn(lines, bounds):
    """The Gaussian of the hue around 275 degrees: exp(-(d / 25)^2 / 8) as a polynomial of the cosine of the distance d,
    up to 95 degrees, and sin(60 degrees t) / t as one of t^2."""
    low = math.cos(math.radians(95))
    eighth = lambda c: math.exp(-(math.degrees(math.acos(min(c, 1.0))) / 25) ** 2 / 8)
    hue = interpolate(eighth, low, 1, 6)
    lines += [(f"CIEDE_HUE_{i}", c) for i, c in enumerate(hue)]
    bounds.append(("the Gaussian", largest_difference(lambda c, v: v ** 8 - eighth(c) ** 8, hue, low, 1), 4e-7))
    ratio = lambda q: math.sin(math.pi / 3 * math.sqrt(q)) / math.sqrt(q) if q else math.pi / 3
    sine = interpolate(ratio, 0, 1, 4)
    lines += [(f"CIEDE_SIN_{i}", c) for i, c in enumerate(sine)]
    bounds.append(("the sine", largest_difference(lambda q, v: v - ratio(q), sine, 0, 1), 1.5e-7))
    lines += [("CIEDE_HUE_FARTHEST", low), ("CIEDE_HUE_X", math.cos(math.radians(275))),
              ("CIEDE_HUE_Y", math.sin(math.radians(275)))]


def derive():
    lines, bounds = [], []
    powers(lines, bounds)
    turn(lines, bounds)
    # Light of t = (c + 0.055) / 1.055: t^2.4 where c > 10/255, else c / 12.92.
    lines += [("CIEDE_KNEE", (10 / 255 + 0.055) / 1.055), ("CIEDE_LOW", 1.055 / 12.92),
              ("CIEDE_LOW_OFFSET", 0.055 / 12.92)]
    for name, row, white in zip("XYZ", TO_XYZ, WHITE):
        lines += [(f"CIEDE_{name}{c}", v / white) for c, v in zip("RGB", row)]
    lines += [("CIEDE_LAB_KNEE", EPSILON), ("CIEDE_LAB_SLOPE", KAPPA / 116), ("CIEDE_LAB_OFFSET", 16 / 116)]
    # T = 1 - .17 cos(h - 30) + .24 cos 2h + .32 cos(3h + 6) - .20 cos(4h - 63), in degrees; cos 4h = 2 cos^2 2h - 1.
    for name, factor, degrees in (("1", 0.17, 30), ("3", 0.32, 6), ("4", 2 * 0.20, 63)):
        lines += [(f"CIEDE_T{name}_COS", factor * math.cos(math.radians(degrees))),
                  (f"CIEDE_T{name}_SIN", factor * math.sin(math.radians(degrees)))]
    lines += [("CIEDE_T0", 1 + 0.20 * math.cos(math.radians(63))), ("CIEDE_T2", 0.24)]
    return lines, bounds


def main():
    failed = derived.check(*derive())
    if len(sys.argv) > 1:
        stated = derived.stated_constants()
        for name, (seed, *_) in POWERS.items():
            if int(stated.get(f"CIEDE_{name}_SEED", "0"), 16) != seed:
                print(f"CIEDE_{name}_SEED is not {seed:#x}")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
