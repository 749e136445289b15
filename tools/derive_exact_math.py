#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints host/exact_math_constants.h of the build: the constants of the host's log, exp and pow, each as an unevaluated
sum of two doubles (the value's nearest double, and the nearest double of what is left).

Nothing is fitted. The constants are ln 2, log10 2, log10 e, log2 e (computed here from series in exact rational
arithmetic), the reciprocals of the odd numbers (atanh's series) and of the factorials (exp's series), and the powers
2^(j / 64), from square roots of integers.
"""
import math
import sys
from fractions import Fraction

BITS = 240  # working precision of the irrational constants, far beyond the 107 bits that are kept

ATANH_TERMS = 21  # |s| <= 0.1716: s^42/43 is below 2^-111 of the first term
EXP_TERMS = 24    # |r| <= 0.3466: r^24/24! is below 2^-115
ATANH_SPLIT = 9   # from this term on a plain double is enough: s^18/19 < 2^-49, and 2^-49 * 2^-52 < 2^-100
EXP_PARTS = 64    # the first try of exp takes 2^(j / 64) from a table: |r| <= ln 2 / 128
EXP_SPLIT = 12    # from this term on, too: r^12/12! < 2^-47, and 2^-47 * 2^-53 = 2^-100


def atanh_inverse(n):
    """atanh(1/n) for an integer n > 1, to BITS bits."""
    total, power, k = Fraction(0), Fraction(1, n), 1
    while power > Fraction(1, 1 << BITS):
        total += power / k
        power /= n * n
        k += 2
    return total


def truncated(value):
    """The same value on BITS bits: keeps the fractions short."""
    return Fraction((value.numerator << BITS) // value.denominator, 1 << BITS)


def power_of_two(j):
    """2^(j / EXP_PARTS), below the true value by less than 2^-BITS."""
    value = 1 << (j + EXP_PARTS * BITS)  # 2^j, whose EXP_PARTS-th root is 2^(j / EXP_PARTS) times 2^BITS
    for _ in range(EXP_PARTS.bit_length() - 1):
        value = math.isqrt(value)
    return Fraction(value, 1 << BITS)


def pair(value, ulp=None):
    """The nearest multiple of ulp, or else the nearest double, and the nearest double of what is left."""
    hi = float(round(value / ulp) * ulp if ulp else value)  # Fraction to float is correctly rounded
    lo = float(value - Fraction(hi))
    return "{ %s, %s }" % (hi.hex(), lo.hex())


def table(name, comment, values, ulp=None):
    rows = "\n".join("    %s," % pair(v, ulp) for v in values)
    return "/* %s */\nstatic const struct dd %s[%d] = {\n%s\n};\n" % (comment, name, len(values), rows)


def header():
    # ln 2 = 2 atanh(1/3); ln 10 = 3 ln 2 + 2 atanh(1/9), since 10/8 = (1 + 1/9) / (1 - 1/9).
    ln2 = truncated(2 * atanh_inverse(3))
    ln10 = truncated(3 * ln2 + 2 * atanh_inverse(9))
    factorials = [1]
    for n in range(1, EXP_TERMS):
        factorials.append(factorials[-1] * n)
    out = ["/* SPDX-License-Identifier: BSD-2-Clause */",
           "/* Written by tools/derive_exact_math.py. A `struct dd` is the unevaluated sum hi + lo. */",
           "#ifndef ASSAY_HOST_EXACT_MATH_CONSTANTS_H", "#define ASSAY_HOST_EXACT_MATH_CONSTANTS_H", "",
           "struct dd {", "    double hi, lo;", "};", ""]
    for name, comment, value in (
            ("ln2", "ln 2", ln2), ("log10_2", "log10 2", ln2 / ln10),
            ("log10_e", "log10 e", 1 / ln10), ("log2_e", "log2 e", 1 / ln2)):
        out.append("static const struct dd %s = %s; /* %s */" % (name, pair(value), comment))
    out += ["", "enum { ATANH_TERMS = %d, ATANH_SPLIT = %d, EXP_TERMS = %d, EXP_SPLIT = %d, EXP_PARTS = %d };"
            % (ATANH_TERMS, ATANH_SPLIT, EXP_TERMS, EXP_SPLIT, EXP_PARTS), ""]
    out.append(table("inverse_odd", "1 / (2k + 1)", [Fraction(1, 2 * k + 1) for k in range(ATANH_TERMS)]))
    out.append(table("inverse_factorial", "1 / n!", [Fraction(1, f) for f in factorials]))
    # A product with a whole number below 2^17 is exact, and one of exp_part's with a number of 27 bits.
    out.append("static const struct dd exp_step = %s; /* ln 2 / 64, in 36 bits and more */\n"
               % pair(ln2 / EXP_PARTS, Fraction(1, 1 << 42)))
    out.append(table("exp_part", "2^(j / 64), in 26 bits and more", [power_of_two(j) for j in range(EXP_PARTS)],
                     Fraction(1, 1 << 25)))
    return "\n".join(out) + "\n#endif\n"


def main():
    sys.stdout.write(header())


if __name__ == "__main__":
    main()
