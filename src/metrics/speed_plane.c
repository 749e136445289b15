/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/speed_plane.h"

#include <stddef.h>
#include <string.h>

#include "host/bits.h"
#include "host/exact_math.h"
#include "host/int128.h"

enum { N = SPEED_SHIFTS, SIDE = SPEED_SIDE, LAGS = 2 * SIDE - 1, CHUNK = 8 };

/* ---- logarithm --------------------------------------------------------------------------------------------------- */

void speed_logs_make(struct speed_logs *logs)
{
    for (int i = 0; i < SPEED_LOG_PARTS; i++) {
        const float reciprocal = (float)(1.0 / (1.0 + (i + 0.5) / SPEED_LOG_PARTS));
        logs->reciprocal[i] = (double)reciprocal;
        logs->log[i] = -assay_log2((double)reciprocal);
    }
}

/* v = 2^e m, and m times the reciprocal is 1 + r, for a float v exactly, with |r| < 2^-7.9: of the series of
 * log2(1 + r) the seventh term is below 2^-57. */
double speed_log2(const struct speed_logs *logs, double v)
{
    static const double c[6] = {1.4426950408889634, -0.7213475204444817, 0.48089834696298783, -0.36067376022224085,
                                0.28853900817779268, -0.24044917348149392}; /* (-1)^(k+1) / (k ln 2) */
    const uint64_t bits = bits_of_double(v);
    const unsigned part = bits >> 45 & (SPEED_LOG_PARTS - 1);
    const double e = (double)((int)(bits >> 52) - 1023);
    const double m = double_of_bits((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff) << 52),
                 r = m * logs->reciprocal[part] - 1.0;
    return e + (logs->log[part] + r * (c[0] + r * (c[1] + r * (c[2] + r * (c[3] + r * (c[4] + r * c[5]))))));
}

/* ---- covariance -------------------------------------------------------------------------------------------------- */

/* 256 bits in two's complement, the lowest word first. */
struct whole {
    uint64_t word[4];
};

static struct whole speed_whole_negated(struct whole v)
{
    uint64_t carry = 1;
    for (int i = 0; i < 4; i++) {
        v.word[i] = ~v.word[i] + carry;
        carry = carry && !v.word[i];
    }
    return v;
}

static struct whole speed_whole_product(assay_i128 a, assay_i128 b)
{
    const bool negative = (a < 0) != (b < 0);
    const assay_u128 x = a < 0 ? -(assay_u128)a : (assay_u128)a, y = b < 0 ? -(assay_u128)b : (assay_u128)b;
    const uint64_t part[2][2] = {{(uint64_t)x, (uint64_t)(x >> 64)}, {(uint64_t)y, (uint64_t)(y >> 64)}};
    struct whole out = {{0}};
    for (int i = 0; i < 2; i++) {
        assay_u128 carry = 0;
        for (int j = 0; j < 2; j++) {
            carry += (assay_u128)part[0][i] * part[1][j] + out.word[i + j];
            out.word[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        out.word[i + 2] = (uint64_t)carry;
    }
    return negative ? speed_whole_negated(out) : out;
}

static struct whole speed_whole_difference(struct whole a, struct whole b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        const assay_u128 d = (assay_u128)a.word[i] - b.word[i] - borrow;
        a.word[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    return a;
}

/* Rounded once. */
static double speed_whole_double(struct whole v)
{
    const bool negative = v.word[3] >> 63;
    int top = 3;
    v = negative ? speed_whole_negated(v) : v;
    while (top > 0 && !v.word[top])
        top--;
    if (!v.word[top])
        return 0.0;
    /* The highest 64 bits, the last of them set where any bit below is. */
    const int empty = __builtin_clzll(v.word[top]);
    uint64_t high = v.word[top] << empty, rest = 0;
    if (top > 0) {
        high |= empty ? v.word[top - 1] >> (64 - empty) : 0;
        rest = v.word[top - 1] << empty;
    }
    for (int i = 0; i + 1 < top; i++)
        rest |= v.word[i];
    const double d = (double)(high | (rest != 0)) * assay_power_of_two(64 * top - empty);
    return negative ? -d : d;
}

/* The sums of the windows of mw x mh elements whose first column and row are 0 to 4, of the products of the elements
 * with those `right` columns and `below` rows from them; window[r][c] where both are inside. With right = SIDE, of the
 * elements themselves. */
static void speed_windows(const struct speed_size *size, const int64_t *fixed, int below, int right,
                    assay_i128 window[SIDE][SIDE])
{
    const bool alone = right == SIDE;
    const int mw = (int)size->across * SIDE - SIDE + 1, mh = (int)size->down * SIDE - SIDE + 1;
    const int lag = alone ? 0 : right, c0 = lag < 0 ? -lag : 0, c1 = lag > 0 ? SIDE - 1 - lag : SIDE - 1;
    const int rows = SIDE - below;
    assay_i128 top[SIDE][SIDE], bottom[SIDE][SIDE]; /* of rows 0 on, and of rows mh on */
    for (int c = c0; c <= c1; c++)
        window[0][c] = 0;
    for (int y = 0; y < mh + rows - 1; y++) {
        const int64_t *a = fixed + (size_t)y * size->width, *b = a + (ptrdiff_t)below * (ptrdiff_t)size->width + lag;
        assay_i128 sum = 0;
        if (alone)
            for (int x = c0; x < c0 + mw; x++)
                sum += a[x];
        else
            for (int x = c0; x < c0 + mw; x++)
                sum += (assay_i128)a[x] * b[x];
        for (int c = c0; c <= c1; c++) {
            if (y < mh)
                window[0][c] += sum;
            if (y < rows)
                top[y][c] = sum;
            if (y >= mh)
                bottom[y - mh][c] = sum;
            if (c < c1)
                sum += alone ? (assay_i128)a[c + mw] - a[c]
                             : (assay_i128)a[c + mw] * b[c + mw] - (assay_i128)a[c] * b[c];
        }
    }
    for (int r = 0; r + 1 < rows; r++)
        for (int c = c0; c <= c1; c++)
            window[r + 1][c] = window[r][c] - top[r][c] + bottom[r][c];
}

/* The covariance of the 25 pictures that begin at the first 5 x 5 elements. */
static void speed_covariance(const struct speed_size *size, const float *detail, int64_t *fixed, speed_matrix k)
{
    const int64_t n = ((int64_t)size->across * SIDE - SIDE + 1) * ((int64_t)size->down * SIDE - SIDE + 1);
    const double squared = (double)n * (double)n * 0x1p80;
    assay_i128 sum[SIDE][SIDE], product[SIDE][SIDE];
    for (size_t i = 0; i < (size_t)size->width * size->height; i++)
        fixed[i] = (int64_t)((double)detail[i] * 0x1p40);
    memset(k, 0, sizeof(speed_matrix));
    speed_windows(size, fixed, 0, SIDE, sum);
    for (int below = 0; below < SIDE; below++)
        for (int right = below ? 1 - SIDE : 0; right < SIDE; right++) {
            speed_windows(size, fixed, below, right, product);
            for (int p = 0; p < N; p++) {
                const int r = p / SIDE, c = p % SIDE, q = (r + below) * SIDE + c + right;
                if (r + below >= SIDE || c + right < 0 || c + right >= SIDE)
                    continue;
                const struct whole all = speed_whole_difference(
                    speed_whole_product(product[r][c], n), speed_whole_product(sum[r][c], sum[r + below][c + right]));
                k[p][q] = k[q][p] = (float)(speed_whole_double(all) / squared);
            }
        }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* S of `count` blocks from `first` on: the blocks' elements times the solution of the system. */
static void speed_variances(const struct speed_size *size, const float *detail, const speed_matrix q,
                      const speed_matrix right, uint32_t first, uint32_t count, float *variance)
{
    float b[N][CHUNK] = {{0}}, x[N][CHUNK], sum[CHUNK];
    for (uint32_t j = 0; j < count; j++) {
        const uint32_t block = first + j;
        const float *at = detail + (size_t)(block / size->across) * SIDE * size->width
            + (size_t)(block % size->across) * SIDE;
        for (int p = 0; p < N; p++)
            b[p][j] = at[(ptrdiff_t)(p / SIDE) * (ptrdiff_t)size->width + p % SIDE];
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = 0; j < CHUNK; j++)
            sum[j] = 0.0f;
        for (int l = 0; l < N; l++)
            for (int j = 0; j < CHUNK; j++)
                sum[j] += q[i][l] * b[l][j];
        for (int l = i + 1; l < N; l++)
            for (int j = 0; j < CHUNK; j++)
                sum[j] -= x[l][j] * right[i][l];
        for (int j = 0; j < CHUNK; j++)
            x[i][j] = sum[j] / right[i][i];
    }
    for (int j = 0; j < CHUNK; j++)
        sum[j] = x[0][j] * b[0][j] / 25.0f;
    for (int p = 1; p < N; p++)
        for (int j = 0; j < CHUNK; j++)
            sum[j] += x[p][j] * b[p][j] / 25.0f;
    memcpy(variance + first, sum, (size_t)count * sizeof *variance);
}

/* A block whose logarithms do not exist has no variance. */
static float speed_checked(float variance, const float *eigenvalue, float noise)
{
    bool fine = 1.0f + variance > 0.0f;
    for (int k = 0; k < N; k++) {
        const float v = eigenvalue[k] * variance + noise;
        fine = fine && v >= 0x1p-126f && v <= 0x1.fffffep127f;
    }
    return fine ? variance : 0.0f;
}

void speed_picture_solve(const struct speed_size *size, const struct speed_logs *logs, const float *detail, float noise,
                         int64_t *fixed, struct speed_picture *picture)
{
    speed_matrix k, q, right;
    float value[N];
    speed_covariance(size, detail, fixed, k);
    speed_eigenvalues((const float (*)[SPEED_ROW])k, value);
    picture->bad = false;
    for (int i = 0; i < N; i++) {
        picture->bad = picture->bad || (double)value[i] < SPEED_TINY;
        value[i] = value[i] < 0.0f ? 0.0f : value[i];
    }
    picture->bad = picture->bad || !speed_factor((const float (*)[SPEED_ROW])k, q, right);
    for (uint32_t first = 0; !picture->bad && first < size->blocks; first += CHUNK)
        speed_variances(size, detail, (const float (*)[SPEED_ROW])q, (const float (*)[SPEED_ROW])right, first,
                  size->blocks - first < CHUNK ? size->blocks - first : CHUNK, picture->variance);
    for (uint32_t j = 0; j < size->blocks; j++) {
        picture->variance[j] = picture->bad ? 0.0f : speed_checked(picture->variance[j], value, noise);
        picture->entropy[j] = 0.0f;
    }
    for (int i = 0; i < N; i++)
        for (uint32_t j = 0; j < size->blocks; j++) {
            const float share = value[i] * picture->variance[j], argument = share + noise;
            picture->entropy[j] = (float)((double)picture->entropy[j]
                                          + (speed_log2(logs, (double)argument) + SPEED_LOG2_2PIE));
        }
}
