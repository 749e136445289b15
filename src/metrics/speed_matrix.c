/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eigenvalues and triangular factors of SpEED's covariance matrix, 25 x 25, in float. The order of the operations is
 * that of libvmaf, whose figures depend on it: the eigenvalues by GSL's scheme for symmetric matrices (Golub and Van
 * Loan, Matrix Computations, 8.3), the factors by Householder's reflections, multiplied out. A sum leaves out terms
 * that are 0, which change nothing. Vectors run along sums that do not depend on each other.
 */
#include <string.h>

#include "host/exact_math.h"
#include "metrics/speed_plane.h"

enum { N = SPEED_SHIFTS, WIDE = 4, VECTORS = SPEED_ROW / WIDE, SWEEPS = 500 };

typedef float wide __attribute__((vector_size(WIDE * sizeof(float)), aligned(4), may_alias));

static inline wide speed_splat(float v)
{
    return (wide){v, v, v, v};
}

static inline wide speed_load(const float *p)
{
    return *(const wide *)p;
}

static inline void speed_store(float *p, wide v)
{
    *(wide *)p = v;
}

static float speed_root(float v)
{
    return (float)assay_sqrt((double)v);
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------- */

/* Takes column i of the symmetric `a` to tridiagonal form. off: the element beside the diagonal. */
static void speed_reduce(speed_matrix a, int i, float *off)
{
    const int first = i + 1;
    float v[SPEED_ROW] = {0}, y[SPEED_ROW] = {0}, sum = 0.0f;
    for (int r = i + 2; r < N; r++)
        sum += a[i][r] * a[i][r];
    const float x = speed_root(sum), al = a[i][first];
    *off = al;
    if (x == 0.0f)
        return;
    const float norm = speed_root(al * al + x * x), be = al >= 0.0f ? -norm : norm, tau = (be - al) / be, s = al - be;
    *off = be;
    for (int r = i + 2; r < N; r++)
        v[r] = a[i][r] / s;
    v[first] = 1.0f;
    const int from = first / WIDE * WIDE;
    for (int c = first; c < N; c++)
        for (int r = from; r < N; r += WIDE)
            speed_store(y + r, speed_load(y + r) + speed_splat(tau) * speed_load(a[c] + r) * speed_splat(v[c]));
    float g = 0.0f;
    for (int r = first; r < N; r++)
        g += y[r] * v[r];
    const float al2 = -0.5f * (tau * g);
    for (int r = first; r < N; r++)
        y[r] += al2 * v[r];
    for (int r = first; r < N; r++)
        for (int c = from; c < N; c += WIDE)
            speed_store(a[r] + c, speed_load(a[r] + c) - (speed_splat(y[r]) * speed_load(v + c) +
                                                          speed_splat(v[r]) * speed_load(y + c)));
}

static void speed_chop(const float *d, float *e, int n)
{
    for (int i = 0; i + 1 < n; i++)
        if ((double)speed_abs(e[i]) < SPEED_TINY * (double)(speed_abs(d[i]) + speed_abs(d[i + 1])))
            e[i] = 0.0f;
}

/* The eigenvalue of the last 2 x 2 elements that is nearer to the last one. */
static float speed_shift(const float *d, const float *e, int n)
{
    const float ta = d[n - 2], tb = d[n - 1], g = e[n - 2], t = (ta - tb) / 2.0f;
    if (t == 0.0f)
        return tb - speed_abs(g);
    const float h = speed_root(t * t + g * g);
    return t > 0.0f ? tb - g * (g / (t + h)) : tb + g * (g / (-t + h));
}

/* The rotation that takes z to 0. */
static void speed_rotation(float x, float z, float *c, float *s)
{
    const bool steep = speed_abs(z) > speed_abs(x);
    if (z == 0.0f) {
        *c = 1.0f;
        *s = 0.0f;
        return;
    }
    const float t = steep ? -x / z : -z / x, r = (float)(1.0 / assay_sqrt((double)(1.0f + t * t)));
    *s = steep ? r : r * t;
    *c = steep ? r * t : r;
}

static void speed_sweep(float *d, float *e, int n)
{
    float mu = speed_shift(d, e, n), bk = 0.0f, zk = 0.0f, ap = d[0], bp = e[0], aq = d[1], bq = n > 2 ? e[1] : 0.0f;
    float c, s;
    if (SPEED_TINY * (double)speed_abs(mu) > (double)(speed_abs(d[0]) + speed_abs(e[0])))
        mu = 0.0f;
    float x = d[0] - mu, z = e[0];
    for (int k = 0; k + 1 < n; k++) {
        speed_rotation(x, z, &c, &s);
        const float f = c * bk - s * zk, low = c * ap - s * bp, high = s * ap + c * bp;
        const float low_q = s * aq - c * bp, high_q = s * bp + c * aq;
        d[k] = c * low + s * low_q;
        bk = c * high - s * high_q;
        ap = s * high + c * high_q;
        zk = -s * bq;
        bp = c * bq;
        if (k + 2 < n)
            aq = d[k + 2];
        if (k + 3 < n)
            bq = e[k + 2];
        if (k > 0)
            e[k - 1] = f;
        if (k + 2 < n)
            e[k + 1] = bp;
        x = bk;
        z = zk;
    }
    d[n - 1] = ap;
    e[n - 2] = bk;
}

void speed_eigenvalues(const speed_matrix k, float value[SPEED_SHIFTS])
{
    speed_matrix a;
    float e[N];
    memcpy(a, k, sizeof a);
    for (int i = 0; i < N - 2; i++)
        speed_reduce(a, i, &e[i]);
    e[N - 2] = a[N - 2][N - 1];
    for (int i = 0; i < N; i++)
        value[i] = a[i][i];
    speed_chop(value, e, N);
    for (int last = N - 1, sweeps = 0; last > 0 && sweeps < SWEEPS;) {
        int first = last - 1;
        if (e[last - 1] == 0.0f) {
            last--;
            continue;
        }
        while (first > 0 && e[first - 1] != 0.0f)
            first--;
        speed_sweep(value + first, e + first, last - first + 1);
        speed_chop(value + first, e + first, last - first + 1);
        sweeps++;
    }
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

/* `count` rows from `row` on of to = (I - 2 v v') from, of the vectors from `begin` on: v is 0 before element k. The
 * sums of several rows run side by side. */
#define ROWS_AT_ONCE 3
static inline void speed_reflect_rows(speed_matrix to, const speed_matrix from, const float *v, int k, int row,
    int count, int begin)
{
    for (int j = begin; j < VECTORS; j++) {
        wide sum[ROWS_AT_ONCE] = {{0}};
        for (int l = k; l < N; l++) {
            const wide other = speed_load(from[l] + WIDE * j);
            for (int i = 0; i < count; i++) {
                const float h = -2.0f * v[row + i] * v[l];
                sum[i] += speed_splat(row + i == l ? h + 1.0f : h) * other;
            }
        }
        for (int i = 0; i < count; i++)
            speed_store(to[row + i] + WIDE * j, sum[i]);
    }
}

/* matrix = (I - 2 v v') matrix */
static void speed_reflect(speed_matrix matrix, const float *v, int k, int begin)
{
    speed_matrix from;
    int row = k;
    memcpy(from[k], matrix[k], (size_t)(N - k) * sizeof from[0]);
    for (; row + ROWS_AT_ONCE <= N; row += ROWS_AT_ONCE)
        speed_reflect_rows(matrix, (const float (*)[SPEED_ROW])from, v, k, row, ROWS_AT_ONCE, begin);
    for (; row < N; row++)
        speed_reflect_rows(matrix, (const float (*)[SPEED_ROW])from, v, k, row, 1, begin);
}

/* The reflection that takes column k of z to 0 below row k. `diagonal`: the sign is that of the covariance and not of
 * z, as in libvmaf. */
static void speed_reflection(const speed_matrix z, int k, float diagonal, float *v)
{
    float sum = 0.0f, again = 0.0f;
    for (int i = k; i < N; i++) {
        v[i] = z[i][k];
        sum += v[i] * v[i];
    }
    v[k] += (diagonal >= 0.0f ? 1.0f : -1.0f) * speed_root(sum);
    for (int i = k; i < N; i++)
        again += v[i] * v[i];
    const float norm = speed_root(again);
    for (int i = k; i < N; i++)
        v[i] /= norm;
}

bool speed_factor(const speed_matrix k, speed_matrix q, speed_matrix right)
{
    speed_matrix z;
    bool good = true;
    memcpy(z, k, sizeof z);
    memset(q, 0, sizeof(speed_matrix));
    for (int i = 0; i < N; i++)
        q[i][i] = 1.0f;
    for (int i = 0; i < N - 1; i++) {
        float v[N] = {0};
        speed_reflection((const float (*)[SPEED_ROW])z, i, k[i][i], v);
        speed_reflect(z, v, i, (i + 1) / WIDE);
        speed_reflect(q, v, i, 0);
    }
    for (int i = 0; i < N; i++) {
        for (int j = i / WIDE; j < VECTORS; j++) {
            wide sum = {0};
            for (int l = 0; l < N; l++)
                sum += speed_splat(q[i][l]) * speed_load(k[l] + WIDE * j);
            speed_store(right[i] + WIDE * j, sum);
        }
        good = good && (double)speed_abs(right[i][i]) >= SPEED_TINY;
    }
    return good;
}
