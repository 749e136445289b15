#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes tests/unit/data/exact_math_vectors.inc: arguments of the host's elementary functions with the correctly
rounded results, from Python's decimal at 60 digits (120 or exact fractions where a power may be exact).

Besides random arguments of every size it holds the ones that break implementations: near 1, denormal, at the overflow
and underflow limits, exact powers and exact ties, results within 2^-12 ULP of a rounding boundary (found by trying),
two arguments known from the literature to be extremely close to one, and what PSNR asks for.

    tools/make_math_vectors.py > tests/unit/data/exact_math_vectors.inc      (some seconds)
"""
import math
import random
import struct
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
getcontext().Emax = 999999
getcontext().Emin = -999999
random.seed(20)  # the arguments are part of the file: the same at every run

HARD_TRIES = 40000
HARD_CLOSENESS = Fraction(1, 4096)  # of an ULP


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def from_bits(u):
    return struct.unpack("<d", struct.pack("<Q", u))[0]


def to_double(d):
    """The double nearest to a Decimal or Fraction: by way of an exact fraction, whose division is correctly rounded."""
    try:
        return float(Fraction(d))
    except OverflowError:
        return math.inf


def log(x, _):
    return Decimal(x).ln()


def log10(x, _):
    return Decimal(x).log10()


def log2(x, _):
    m, e = math.frexp(x)
    if m == 0.5:
        return Decimal(e - 1)
    with_guard = getcontext().copy()
    with_guard.prec = 80
    return with_guard.divide(with_guard.ln(Decimal(x)), with_guard.ln(Decimal(2)))


def exp(x, _):
    return Decimal(x).exp()


def power(x, y):
    if y == int(y) and abs(y) <= 64:
        return Fraction(x) ** int(y)
    wide = getcontext().copy()
    wide.prec = 120
    return wide.power(Decimal(x), Decimal(y))


def closeness(value):
    """The distance of a Decimal from the nearest midpoint of two doubles, in ULP; None out of the normal range."""
    v = abs(Fraction(value))
    f = to_double(abs(value))
    if not 2.0 ** -1000 < f < 2.0 ** 1000:
        return None
    return abs(abs(v - Fraction(f)) / Fraction(math.ulp(f)) - Fraction(1, 2))


def hard(function, draw, wanted):
    found = []
    for _ in range(HARD_TRIES):
        x, y = draw()
        c = closeness(function(x, y))
        if c is not None and c < HARD_CLOSENESS * 20:
            found.append((c, x, y))
    found.sort()
    return [(x, y) for _, x, y in found[:wanted]]


def any_positive():
    return from_bits(random.randrange(1, 0x7ff0000000000000))


def near_one():
    return 1.0 + random.choice((-1, 1)) * random.random() * 2.0 ** -random.randrange(1, 53)


def log_arguments(function):
    out = [(any_positive(), 0.0) for _ in range(250)]
    out += [(near_one(), 0.0) for _ in range(250)]
    out += [(from_bits(random.randrange(1, 1 << random.randrange(1, 53))), 0.0) for _ in range(60)]
    out += [(2.0 ** e, 0.0) for e in range(-1074, 1024, 61)]
    out += [(10.0 ** e, 0.0) for e in range(0, 23)]
    out += [(5e-324, 0.0), (2.2250738585072014e-308, 0.0), (1.7976931348623157e308, 0.0), (math.nextafter(1, 0), 0.0),
            (math.nextafter(1, 2), 0.0), (math.sqrt(2), 0.0), (math.nextafter(math.sqrt(2), 0), 0.0),
            (math.nextafter(math.sqrt(2), 2), 0.0), (float.fromhex("0x1.62a88613629b6p+678"), 0.0)]
    out += hard(function, lambda: (random.uniform(0.5, 4.0), 0.0), 120)
    return out


def psnr_arguments():
    """peak^2 / (k / n), as a mean squared error is: the sum k over n samples."""
    out = []
    for _ in range(700):
        depth = random.choice((8, 8, 10, 12, 16))
        peak = float((1 << depth) - 1)
        n = float(random.choice((352 * 288, 720 * 576, 1280 * 720, 1920 * 1080, 3840 * 2160, 960 * 540, 17 * 33)))
        k = float(random.randrange(1, int(n * 2.0 ** random.uniform(0, 2 * depth - 4)) + 2))
        out.append((peak * peak / (k / n), 0.0))
    return out


def exp_arguments():
    out = [(random.uniform(-745.5, 710.0), 0.0) for _ in range(300)]
    out += [(random.uniform(-1, 1) * 2.0 ** -random.randrange(0, 60), 0.0) for _ in range(250)]
    out += [(random.uniform(-746.0, -708.0), 0.0) for _ in range(120)]
    out += [(float(k), 0.0) for k in range(-20, 21)]
    out += [(k * 0.34657359027997264, 0.0) for k in range(-40, 41)]
    limits = (709.782712893384, 709.7827128933841, -708.3964185322641, -708.3964185322642, -745.1332191019411,
              -745.1332191019412, -744.4400719213812, 5e-324, -5e-324, 2.0 ** -54, -(2.0 ** -54), 2.0 ** -53,
              float.fromhex("0x1.9e9cbbfd6080bp-31"))
    out += [(x, 0.0) for x in limits]
    out += hard(exp, lambda: (random.uniform(-3.0, 3.0), 0.0), 150)
    return out


def power_arguments():
    out = []
    while len(out) < 400:
        x, y = any_positive(), random.choice((-1, 1)) * random.random() * 2.0 ** random.randrange(-12, 10)
        if abs(y * math.log2(x)) < 1080:
            out.append((x, y))
    out += [(random.random(), random.choice((0.0448, 0.2856, 0.3001, 0.2363, 0.1333))) for _ in range(250)]
    out += [(random.uniform(0, 200), 0.6276336467831387) for _ in range(100)]
    out += [(near_one(), random.uniform(-1e3, 1e3)) for _ in range(150)]
    for base in (2.0, 3.0, 5.0, 7.0, 10.0, 3 * 2.0 ** -215, 0.5, 0.75, 1.5, 6.25, 94906267.0, 134217729.0):
        for y in (2.0, 3.0, 4.0, 5.0, 0.5, 1.5, 2.5, -1.0, -2.0, 34.0, 22.0, 33.0, 17.0):
            if y * math.log2(base) < 1030:
                out.append((base, y))
    # squares of odd numbers of 27 bits have up to 54: exact ties among them
    out += [(float(random.randrange(94906267, 1 << 27) | 1), 2.0) for _ in range(60)]
    out += [(2.0, e) for e in (1023.0, 1023.5, -1022.0, -1022.5, -1074.0, -1074.5, -1075.0, -1060.25)]
    out += hard(power, lambda: (random.uniform(0.1, 10.0), random.uniform(-3.0, 3.0)), 120)
    return out


def main():
    print("/* SPDX-License-Identifier: BSD-2-Clause */")
    print("/* Written by tools/make_math_vectors.py: function, x, y (0 if unused), correctly rounded result. "
          "Don't edit. */")
    jobs = (("LOG", log, log_arguments(log)), ("LOG2", log2, log_arguments(log2)),
            ("LOG10", log10, log_arguments(log10) + psnr_arguments()), ("EXP", exp, exp_arguments()),
            ("POW", power, power_arguments()))
    for name, function, arguments in jobs:
        for x, y in arguments:
            print("{ %s, 0x%016x, 0x%016x, 0x%016x }," % (name, bits(x), bits(y), bits(to_double(function(x, y)))))


if __name__ == "__main__":
    main()
