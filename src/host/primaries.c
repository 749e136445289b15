/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/primaries.h"

#include <string.h>

static const struct primaries bt709 = {{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}}};

/* X, Y, Z of D50, from ICC.1. */
static const double d50[3] = {0.9642, 1.0, 0.8249};

/* Bradford's matrix from X, Y, Z to cones (Lam 1985). */
static const double bradford[9] = {0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296};

static void product(const double a[9], const double b[9], double out[9])
{
    double m[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[3 * i + j] = (a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j]) + a[3 * i + 2] * b[6 + j];
    memcpy(out, m, sizeof m);
}

/* Sets elements that are 0 but for rounding to 0. */
static void settle(double m[9])
{
    for (int i = 0; i < 9; i++)
        m[i] = m[i] < 1e-14 && m[i] > -1e-14 ? 0.0 : m[i];
}

static void apply(const double m[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (m[3 * i] * v[0] + m[3 * i + 1] * v[1]) + m[3 * i + 2] * v[2];
}

/* False: the matrix has no inverse. */
static bool inverse(const double m[9], double out[9])
{
    double cofactor[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            cofactor[3 * i + j] = m[3 * r + c] * m[3 * s + d] - m[3 * r + d] * m[3 * s + c];
        }
    const double whole = (m[0] * cofactor[0] + m[1] * cofactor[3]) + m[2] * cofactor[6];
    for (int i = 0; i < 9; i++)
        out[i] = whole != 0.0 ? cofactor[i] / whole : 0.0;
    return whole > 1e-9 || whole < -1e-9;
}

static void xyz_of(const double xy[2], double out[3])
{
    out[0] = xy[0] / xy[1];
    out[1] = 1.0;
    out[2] = (1.0 - xy[0] - xy[1]) / xy[1];
}

static bool to_xyz(const struct primaries *p, double m[9])
{
    double white[3], back[9], strength[3];
    if (!(p->xy[3][1] > 0.0))
        return false;
    for (int j = 0; j < 3; j++) {
        m[j] = p->xy[j][0];
        m[3 + j] = p->xy[j][1];
        m[6 + j] = 1.0 - p->xy[j][0] - p->xy[j][1];
    }
    xyz_of(p->xy[3], white);
    if (!inverse(m, back))
        return false;
    apply(back, white, strength);
    for (int i = 0; i < 9; i++)
        m[i] *= strength[i % 3];
    return true;
}

/* The matrix of Bradford's adaptation of X, Y, Z from one white to another. */
static void adapt(const double from[3], const double to[3], double m[9])
{
    double was[3], is[3], back[9];
    apply(bradford, from, was);
    apply(bradford, to, is);
    for (int i = 0; i < 9; i++)
        m[i] = bradford[i] * (is[i / 3] / was[i / 3]);
    inverse(bradford, back);
    product(back, m, m);
}

/* The matrix from X, Y, Z under `white` to linear light with the primaries of BT.709 and D65. */
static void from_xyz(const double white[3], double m[9])
{
    double d65[3], to_d65[9];
    to_xyz(&bt709, m);
    inverse(m, m);
    xyz_of(bt709.xy[3], d65);
    if (!memcmp(white, d65, sizeof d65))
        return;
    adapt(white, d65, to_d65);
    product(m, to_d65, m);
}

bool primaries_to_bt709(const struct primaries *p, double matrix[9])
{
    double white[3], xyz[9];
    if (!to_xyz(p, xyz))
        return false;
    xyz_of(p->xy[3], white);
    from_xyz(white, matrix);
    product(matrix, xyz, matrix);
    settle(matrix);
    return true;
}

void primaries_of_profile(const double to_d50[9], double matrix[9])
{
    from_xyz(d50, matrix);
    product(matrix, to_d50, matrix);
    settle(matrix);
}

bool primaries_of_matrix(const double to_bt709[9], struct primaries *p)
{
    double xyz[9];
    bool good = to_xyz(&bt709, xyz);
    product(xyz, to_bt709, xyz);
    *p = bt709;
    for (int i = 0; i < 3; i++) {
        const double sum = xyz[i] + xyz[3 + i] + xyz[6 + i];
        good = good && sum > 1e-6;
        p->xy[i][0] = xyz[i] / sum;
        p->xy[i][1] = xyz[3 + i] / sum;
    }
    return good;
}
