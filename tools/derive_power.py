#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Derives the constants of kernels/power.h and of the transfer functions of kernels/colour.h.

Polynomials interpolate at Chebyshev's points, which is within a small factor of the best polynomial; how far each is
off is printed and bounded here. Two floats "X" and "X_LOW" add up to a number to 48 bits.

    tools/derive_power.py                            prints the lines of constants.txt
    tools/derive_power.py src/kernels/constants.txt  exits 1 where those differ, or a bound fails
"""
import math
import struct
import sys
from fractions import Fraction

import derived

LOG2_E = Fraction(14426950408889634073599246810018921, 10**34)
LN_2 = 1 / LOG2_E


def rounded(x):
    return Fraction(struct.unpack("<f", struct.pack("<f", float(x)))[0])


def interpolate(f, low, high, terms):
    """Coefficients of the polynomial through f at Chebyshev's points, lowest power first: divided
    differences, expanded."""
    points = [Fraction((low + high) / 2 + (high - low) / 2 * math.cos(math.pi * (2 * i + 1) / (2 * terms)))
              for i in range(terms)]
    table = [Fraction(f(float(p))) for p in points]
    for order in range(1, terms):
        for i in range(terms - 1, order - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (points[i] - points[i - order])
    result = [Fraction(0)] * terms
    for i in range(terms - 1, -1, -1):
        result = [(result[k - 1] if k else 0) - points[i] * result[k] for k in range(terms)]
        result[0] += table[i]
    return result


def largest_error(f, coefficients, low, high, weight):
    """With coefficients as floats, of f's polynomial times weight."""
    floats = [float(rounded(c)) for c in coefficients]
    worst = 0.0
    for i in range(4001):
        x = low + (high - low) * i / 4000
        value = 0.0
        for c in reversed(floats):
            value = value * x + c
        worst = max(worst, abs((value - f(x)) * weight(x)))
    return worst


def log_rest(f):
    """(log2(1 + f) - f log2 e) / f^2, by its series near 0."""
    if abs(f) < 0.02:
        return float(LOG2_E) * sum((-1) ** (k + 1) * f ** (k - 2) / k for k in range(2, 14))
    return (math.log1p(f) - f) / (f * f) * float(LOG2_E)


def exp_rest(f):
    """(2^f - 1) / f."""
    return float(LN_2) if f == 0 else math.expm1(f * float(LN_2)) / f


def two_floats(name, value):
    high = rounded(value)
    return [(name, high), (name + "_LOW", rounded(value - high))]


def derive():
    lines, bounds = [], []
    low, high = 2 ** -0.5 - 1, 2 ** 0.5 - 1
    for kind, n_log, n_exp, log_bound, exp_bound in (("", 11, 7, 1e-8, 2e-8), ("SHORT_", 7, 5, 1.8e-7, 2.1e-7)):
        log_terms, exp_terms = interpolate(log_rest, low, high, n_log), interpolate(exp_rest, -0.5, 0.5, n_exp)
        lines += [(f"LOG2_{kind}{i + 2}", c) for i, c in enumerate(log_terms)]
        lines += [(f"EXP2_{kind}{i + 1}", c) for i, c in enumerate(exp_terms)]
        bounds.append((f"{kind}log2", largest_error(log_rest, log_terms, low, high, lambda f: f * f), log_bound))
        bounds.append((f"{kind}exp2, relative",
                       largest_error(exp_rest, exp_terms, -0.5, 0.5, lambda f: f / 2 ** f), exp_bound))
    lines += two_floats("LOG2_E", LOG2_E)
    # SMPTE ST 2084 with t = N^(1/m2) = 1 - x: (t - c1) / (c2 - c3 t) = (k - x) / (k + c3 x), k = 1 - c1 = c2 - c3.
    m1, m2 = Fraction(2610, 16384), Fraction(2523, 4096) * 128
    c1, c2, c3 = Fraction(3424, 4096), Fraction(2413, 4096) * 32, Fraction(2392, 4096) * 32
    assert c2 - c3 == 1 - c1
    lines += [("PQ_K", 1 - c1), ("PQ_C3", c3)] + two_floats("PQ_LOG", -LN_2 / m2) + two_floats("PQ_POWER", 1 / m1)
    # ARIB STD-B67: a is stated, b and c follow from it.
    a = Fraction(17883277, 10**8)
    lines += [("HLG_B", 1 - 4 * a), ("HLG_C", Fraction(0.5 - float(a) * math.log(4 * float(a)))),
              ("HLG_SLOPE", LOG2_E / a)]
    return lines, bounds


def main():
    return derived.check(*derive())


if __name__ == "__main__":
    sys.exit(main())
