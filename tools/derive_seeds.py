#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the seeds of kernels/exact.h: how far is each first estimate off, and how far would the best one be?

A float's bits, read as an integer, are its exponent and, roughly, its logarithm. So seed - bits estimates 1/x, seed -
bits/2 1/sqrt(x) and seed - bits/3 1/cbrt(x), each with a straight line where a curve should be. The seed moves the
line; the best one makes the largest relative error smallest, and a search by thirds finds it. What is left after n
steps follows from it: Newton's step squares the error of a reciprocal (times 3/2 for the square root), a step of third
order cubes that of the cube root (times 14/3).

    tools/derive_seeds.py src/kernels/constants.txt      exits 1 if a seed's error is more than 1.05 times the best
"""
import struct
import sys

SAMPLES = 3 * 1024  # over the two, four or eight octaves after which the estimate repeats


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def from_bits(u):
    return struct.unpack("<f", struct.pack("<I", u & 0xffffffff))[0]


def third(u):
    """exact.h's division by three: shifts and additions."""
    t = (u >> 2) + (u >> 4)
    t += t >> 4
    t += t >> 8
    return t + (t >> 16)


ESTIMATES = {  # seed's name: (fraction of the bits, exponent of x, octaves)
    "EXACT_DIV_SEED": (lambda u: u, 1, 1),
    "EXACT_RSQRT_SEED": (lambda u: u >> 1, 2, 2),
    "EXACT_RCBRT_SEED": (third, 3, 3),
}


def worst(name, seed):
    """The largest relative error of the estimate."""
    fraction, root, octaves = ESTIMATES[name]
    largest = 0.0
    for i in range(SAMPLES):
        x = from_bits(bits(1.0) + ((octaves << 23) * i) // SAMPLES)
        y = from_bits(seed - fraction(bits(x)))
        # y is x^(-1/root) (1 + d): from x y^root = (1 + d)^root, a root of at most third order by Newton
        power, d = x * y ** root, 0.0
        for _ in range(6):
            d -= ((1 + d) ** root - power) / (root * (1 + d) ** (root - 1))
        largest = max(largest, abs(d))
    return largest


def best(name, near):
    low, high = near - (1 << 19), near + (1 << 19)
    while high - low > 64:
        a, b = low + (high - low) // 3, high - (high - low) // 3
        if worst(name, a) < worst(name, b):
            high = b
        else:
            low = a
    return (low + high) // 2


def main():
    seeds = {}
    with open(sys.argv[1], encoding="utf-8") as f:
        for line in f:
            words = line.split("#")[0].split()
            if words and words[0] in ESTIMATES:
                seeds[words[0]] = int(words[1], 16)
    bad = [name for name in ESTIMATES if name not in seeds]
    for name, seed in seeds.items():
        better = best(name, seed)
        ours, least = worst(name, seed), worst(name, better)
        print("%-17s 0x%08X off by %.5f at most, the best 0x%08X by %.5f" % (name, seed, ours, better, least))
        if ours > 1.05 * least:
            bad.append(name)
    if bad:
        sys.exit("not near the best, or missing: %s" % ", ".join(bad))


if __name__ == "__main__":
    main()
