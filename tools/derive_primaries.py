#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Derives the matrices that bring linear light of other primaries to those of sRGB; all have the white of D65.

From the chromaticities (ITU-R BT.709, BT.601, BT.2020; SMPTE EG 432-1 with D65) in fractions: M =
XYZ_of_sRGB^-1 XYZ_of_them.

    tools/derive_primaries.py                                  prints the rows of the table in that test
    tools/derive_primaries.py tests/unit/test_session_colour.c exits 1 if it has not these rows
"""
import struct
import sys
from fractions import Fraction as F

WHITE = (F(3127, 10000), F(3290, 10000))
SRGB = ((F(64, 100), F(33, 100)), (F(30, 100), F(60, 100)), (F(15, 100), F(6, 100)))
OTHERS = {
    "BT.601, 625 lines": ((F(64, 100), F(33, 100)), (F(29, 100), F(60, 100)), (F(15, 100), F(6, 100))),
    "BT.601, 525 lines": ((F(630, 1000), F(340, 1000)), (F(310, 1000), F(595, 1000)), (F(155, 1000), F(70, 1000))),
    "BT.2020": ((F(708, 1000), F(292, 1000)), (F(170, 1000), F(797, 1000)), (F(131, 1000), F(46, 1000))),
    "Display P3": ((F(680, 1000), F(320, 1000)), (F(265, 1000), F(690, 1000)), (F(150, 1000), F(60, 1000))),
}


def inverse(m):
    cofactor = [[m[(j + 1) % 3][(i + 1) % 3] * m[(j + 2) % 3][(i + 2) % 3]
                 - m[(j + 1) % 3][(i + 2) % 3] * m[(j + 2) % 3][(i + 1) % 3]
                 for j in range(3)] for i in range(3)]
    whole = sum(m[0][k] * cofactor[k][0] for k in range(3))
    return [[v / whole for v in row] for row in cofactor]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(len(b[0]))] for i in range(3)]


def column(xy):
    return [xy[0] / xy[1], F(1), (1 - xy[0] - xy[1]) / xy[1]]


def to_xyz(primaries):
    columns = [column(p) for p in primaries]
    m = [[columns[j][i] for j in range(3)] for i in range(3)]
    strength = product(inverse(m), [[v] for v in column(WHITE)])
    return [[m[i][j] * strength[j][0] for j in range(3)] for i in range(3)]


def single(v):
    """The float nearest to v, in the 9 digits that identify it."""
    text = "%.9g" % struct.unpack("<f", struct.pack("<f", float(v)))[0]
    return text + "f" if "." in text else text


def main():
    rows = []
    for name, primaries in OTHERS.items():
        m = product(inverse(to_xyz(SRGB)), to_xyz(primaries))
        rows.append("    {" + ",\n     ".join(", ".join(single(v) for v in row) for row in m) + "}, /* %s */" % name)
    print("\n".join(rows))
    if len(sys.argv) > 1:
        text = open(sys.argv[1]).read()
        missing = [row for row in rows if row not in text]
        print("\n".join("missing: " + row.strip() for row in missing))
        return 1 if missing else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
