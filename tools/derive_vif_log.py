#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pieces of integer VIF's logarithm (src/kernels/vif_log.h), for processors that look up tables of 32 or 8 floats.

Of a number m 2^e with 1 <= m < 2 and 15 bits behind the point, 2^12 (2048 log2 + 1/2) is taken: its exponent and
mantissa, and c(m) on top. libvmaf's table, the logarithm rounded to float and then to an integer, leaves c room between
two bounds at each m. In each 32nd part of [1, 2) a parabola c2 m^2 + c1 m + c0 has the most room to both sides:
the room is concave in c2 and c1, so that a search by sections finds it. Coefficients are rounded one after the other,
each with the best of those that are left, and all 32768 numbers are then computed in float.

For tables of 8 a cubic in t = m - 1 does the same in each 8th. Its highest coefficient is that of the Chebyshev series
of the logarithm, or where the others find no room beside it, a multiple of it that is off by a few 500ths.

Without an argument the script prints the lines of constants.txt; with that file's name it compares them.
"""
import math
import struct
import sys

import derived

PARTS, EIGHTHS, NUMBERS = 32, 8, 32768
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


def bounds_of(part, parts, table, c3):
    """What a parabola around the middle of a part may be at its numbers: (m - middle, least), (m - middle, most)."""
    first, after = part * NUMBERS // parts, (part + 1) * NUMBERS // parts
    middle = 1 + (part + 0.5) / parts
    low, high = [], []  # only the ends of a run of equal integers matter
    for i in range(first, after):
        m = 1 + i / NUMBERS - middle
        rest = -i * 256 - c3 * m**3
        if i == first or table[i] != table[i - 1]:
            low.append((m, table[i] * 4096 + rest))
        if i == after - 1 or table[i] != table[i + 1]:
            high.append((m, table[i] * 4096 + 4096 + rest))
    return low, high


def parabola(part, parts, table, c3=0.0):
    """c2, c1 and c0 with the most room. With c3: of the powers of t, beside c3 t^3."""
    low, high = bounds_of(part, parts, table, c3)
    middle = 1 + (part + 0.5) / parts
    zero = middle - 1 if c3 else middle  # the powers' own 0 is so far below the middle

    def bounds(c2, c1):
        return (max([y - (c2 * m + c1) * m for m, y in low]), min([y - (c2 * m + c1) * m for m, y in high]))

    def room(c2, c1):
        below, above = bounds(c2, c1)
        return above - below

    slope, bend = 2**23 * (1 / math.log(2) / middle - 1), -2**22 / math.log(2) / middle**2

    def steepest(c2):
        return largest(lambda c1: room(c2, c1), slope - 2e5, slope + 2e5)
    c2 = largest(lambda c2: room(c2, steepest(c2)), bend * 1.3, bend * 0.7)
    c2_at_0 = single(c2 - 3 * c3 * zero)  # of powers of m or t instead of m - middle
    c2 = c2_at_0 + 3 * c3 * zero
    c1_at_0 = single(steepest(c2) - 2 * c2 * zero + 3 * c3 * zero**2)
    c1 = c1_at_0 + 2 * c2 * zero - 3 * c3 * zero**2
    below, above = bounds(c2, c1)
    return c2_at_0, c1_at_0, single((below + above) / 2 - c1 * zero + c2 * zero**2 - c3 * zero**3)


def cubic(part, table):
    """c3 to c0 of the first multiple that gets all numbers of the 8th right."""
    middle, half = 1 + (part + 0.5) / EIGHTHS, 0.5 / EIGHTHS
    ratio = middle / half - math.sqrt((middle / half)**2 - 1)  # log2's series has 2 / (n ln 2) ratio^n, signs in turn
    chebyshev = 2**23 * 4 * 2 / (3 * math.log(2)) * (ratio / half)**3
    for step in range(11):
        c3 = single(chebyshev * (1 + (step + 1) // 2 * (-1)**step / 500))
        c = (c3, *parabola(part, EIGHTHS, table, c3))
        if not errors(part, EIGHTHS, table, c):
            break
    return c


def errors(part, parts, table, c):
    """How many numbers of a part come out wrong in float: powers of m with 3 coefficients, of t with 4."""
    wrong = 0
    for i in range(part * NUMBERS // parts, (part + 1) * NUMBERS // parts):
        m = (len(c) == 3) + i / NUMBERS
        value = c[0]
        for more in c[1:]:
            value = single(single(value * m) + more)
        wrong += (i * 256 + int(value)) >> 12 != table[i]
    return wrong


def main():
    table = [wanted(i) for i in range(NUMBERS)]
    parts = [parabola(part, PARTS, table) for part in range(PARTS)]
    eighths = [cubic(part, table) for part in range(EIGHTHS)]
    wrong = sum(errors(part, PARTS, table, c) for part, c in enumerate(parts))
    wrong += sum(errors(part, EIGHTHS, table, c) for part, c in enumerate(eighths))
    lines = [(f'VIF_LOG_{2 - k}_{part}', c[k]) for k in range(3) for part, c in enumerate(parts)]
    lines += [(f'VIF_LOG8_{3 - k}_{part}', c[k]) for k in range(4) for part, c in enumerate(eighths)]
    return derived.check(lines, [('logarithms that are wrong', wrong, 0)])


sys.exit(main())
