#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The parabolas of integer VIF's logarithm (src/kernels/vif_log.h), for processors that look up tables of 32 floats.

Of a number m 2^e with 1 <= m < 2 and 15 bits behind the point, 2^12 (2048 log2 + 1/2) is taken: its exponent and
mantissa, and c(m) on top. libvmaf's table, the logarithm rounded to float and then to an integer, leaves c room between
two bounds at each m. In each 32nd part of [1, 2) a parabola c2 m^2 + c1 m + c0 has the most room to both sides:
the room is concave in c2 and c1, so that a search by sections finds it. Coefficients are rounded one after the other,
each with the best of those that are left, and all 32768 numbers are then computed in float.

Without an argument the script prints the lines of constants.txt; with that file's name it compares them.
"""
import math
import struct
import sys

import derived

PARTS, NUMBERS = 32, 32768
STEP = (math.sqrt(5) - 1) / 2


def single(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def largest(function, low, high):
    """The argument at which a concave function is largest."""
    a, b = high - STEP * (high - low), low + STEP * (high - low)
    of_a, of_b = function(a), function(b)
    for _ in range(44):
        if of_a < of_b:
            low, a, of_a = a, b, of_b
            b = low + STEP * (high - low)
            of_b = function(b)
        else:
            high, b, of_b = b, a, of_a
            a = high - STEP * (high - low)
            of_a = function(a)
    return (low + high) / 2


def wanted(i):
    """The integer for m = 1 + i / 2^15, less that for 1."""
    return math.floor(2048 * single(math.log2(i + NUMBERS)) + 0.5) - 15 * 2048


def parabola(part, table):
    first, after = part * NUMBERS // PARTS, (part + 1) * NUMBERS // PARTS
    middle = 1 + (part + 0.5) / PARTS
    low, high = [], []  # only the ends of a run of equal integers matter
    for i in range(first, after):
        m = 1 + i / NUMBERS - middle
        if i == first or table[i] != table[i - 1]:
            low.append((m, table[i] * 4096 - i * 256))
        if i == after - 1 or table[i] != table[i + 1]:
            high.append((m, table[i] * 4096 + 4096 - i * 256))

    def bounds(c2, c1):
        return (max(y - (c2 * m + c1) * m for m, y in low), min(y - (c2 * m + c1) * m for m, y in high))

    def room(c2, c1):
        below, above = bounds(c2, c1)
        return above - below

    slope, bend = 2**23 * (1 / math.log(2) / middle - 1), -2**22 / math.log(2) / middle**2

    def steepest(c2):
        return largest(lambda c1: room(c2, c1), slope - 2e5, slope + 2e5)
    c2 = single(largest(lambda c2: room(c2, steepest(c2)), bend * 1.3, bend * 0.7))
    at_0 = single(steepest(c2) - 2 * c2 * middle)  # c1 of powers of m instead of m - middle
    c1 = at_0 + 2 * c2 * middle
    below, above = bounds(c2, c1)
    return c2, at_0, single((below + above) / 2 - at_0 * middle - c2 * middle**2)


def errors(part, table, c):
    """How many numbers of a part come out wrong in float."""
    wrong = 0
    for i in range(part * NUMBERS // PARTS, (part + 1) * NUMBERS // PARTS):
        m = 1 + i / NUMBERS
        value = single(single(single(single(c[0] * m) + c[1]) * m) + c[2])
        wrong += (i * 256 + int(value)) >> 12 != table[i]
    return wrong


def main():
    table = [wanted(i) for i in range(NUMBERS)]
    parts = [parabola(part, table) for part in range(PARTS)]
    wrong = sum(errors(part, table, c) for part, c in enumerate(parts))
    lines = [(f'VIF_LOG_{2 - k}_{part}', c[k]) for k in range(3) for part, c in enumerate(parts)]
    return derived.check(lines, [('logarithms that are wrong', wrong, 0)])


sys.exit(main())
