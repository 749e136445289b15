/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer VIF, plane by plane and pixel by pixel: every sum in 64 bits, logarithms from a table. */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

enum { SMALLEST = 16, LONGEST = 17, NOISE = 131072, LOW = 32768 };

static const int64_t tap[ORACLE_VIF_SCALES][LONGEST] = {
    { 489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784 + ORACLE_SABOTAGE, 7455, 6547, 5274, 3896, 2640, 1640, 935,
      489 },
    { 1244, 3663, 7925, 12590, 14692 + ORACLE_SABOTAGE, 12590, 7925, 3663, 1244 },
    { 3571, 16004, 26386 + ORACLE_SABOTAGE, 16004, 3571 },
    { 10904, 43728 + ORACLE_SABOTAGE, 10904 },
};
static const int taps[ORACLE_VIF_SCALES] = { 17, 9, 5, 3 };

/* Integers in rows. */
struct plane {
    int64_t width, height;
    uint64_t *value;
};

static struct plane plane_new(int64_t width, int64_t height)
{
    return (struct plane){ width, height, oracle_alloc((size_t)(width * height), sizeof(uint64_t)) };
}

/* -1 -> 1, n -> n - 2 */
static int64_t reflect(int64_t i, int64_t n)
{
    while (i < 0 || i >= n)
        i = i < 0 ? -i : 2 * n - 2 - i;
    return i;
}

static uint64_t rounded(uint64_t sum, int shift)
{
    return shift ? (sum + (UINT64_C(1) << (shift - 1))) >> shift : sum;
}

/* The filter of a scale down the columns (dy = 1) or along the rows (dx = 1), every sum rounded and shifted. */
static struct plane filter(const struct plane *p, int scale, int dx, int dy, int shift)
{
    struct plane out = plane_new(p->width, p->height);
    for (int64_t y = 0; y < p->height; y++)
        for (int64_t x = 0; x < p->width; x++) {
            uint64_t sum = 0;
            for (int k = 0; k < taps[scale]; k++) {
                const int64_t at = k - taps[scale] / 2;
                sum += (uint64_t)tap[scale][k]
                    * p->value[reflect(y + dy * at, p->height) * p->width + reflect(x + dx * at, p->width)];
            }
            out.value[y * p->width + x] = rounded(sum, shift);
        }
    return out;
}

static struct plane filter_both(const struct plane *p, int scale, int down, int along)
{
    struct plane column = filter(p, scale, 0, 1, down), out = filter(&column, scale, 1, 0, along);
    free(column.value);
    return out;
}

static struct plane half_of(const struct plane *p, int scale, int depth)
{
    struct plane smooth = filter_both(p, scale, scale == 1 ? depth : 16, 16);
    struct plane out = plane_new(p->width / 2, p->height / 2);
    for (int64_t y = 0; y < out.height; y++)
        for (int64_t x = 0; x < out.width; x++)
            out.value[y * out.width + x] = smooth.value[2 * y * p->width + 2 * x];
    free(smooth.value);
    return out;
}

static struct plane product(const struct plane *a, const struct plane *b)
{
    struct plane out = plane_new(a->width, a->height);
    for (int64_t i = 0; i < a->width * a->height; i++)
        out.value[i] = a->value[i] * b->value[i];
    return out;
}

/* round(2048 log2(x)) of the highest 16 bits of x. The logarithm is a float before it is rounded to an integer. */
static int64_t log_2048(uint64_t x)
{
    static uint16_t table[LOW];
    if (!table[0]) {
        uint64_t check = 0;
        for (int i = 0; i < LOW; i++) {
            const float log = (float)log2((double)(i + LOW));
            table[i] = (uint16_t)floor(2048 * (double)log + 0.5);
            check += (uint64_t)table[i] * (uint64_t)(i + 1);
        }
        if (check != UINT64_C(17286312511884)) /* the sum that libvmaf's table has */
            abort();
    }
    int shift = 0;
    while (x >> shift >= 2 * LOW)
        shift++;
    return table[(x >> shift) - LOW] + 2048 * shift;
}

struct sums {
    int64_t num_log, den_log, flat, flat_variance;
};

static void add_pixel(struct sums *s, int64_t s1, int64_t s2, int64_t s12, double limit)
{
    s2 = s2 > 0 ? s2 : 0;
    if (s1 < NOISE) {
        s->flat++;
        s->flat_variance += s2;
        return;
    }
    s->den_log += log_2048((uint64_t)(NOISE + s1)) - 2048 * 17;
    if (s12 <= 0 || s2 == 0)
        return;
    const double gain = (double)s12 / ((double)s1 + 65536 * 1.0e-10);
    const int64_t left = (int64_t)((double)s2 - gain * (double)s12), rest = (left > 0 ? left : 0) + NOISE;
    const double g = gain < limit ? gain : limit;
    s->num_log += log_2048((uint64_t)((int64_t)(g * g * (double)s1) + rest)) - log_2048((uint64_t)rest);
}

static void score_scale(const struct plane image[2], int scale, int depth, double limit, struct oracle_integer_vif *out)
{
    const int mean_shift = scale ? 16 : depth, square_shift = scale ? 16 : 2 * (depth - 8);
    struct plane mean[2], moment[3];
    for (int i = 0; i < 2; i++)
        mean[i] = filter_both(&image[i], scale, mean_shift, 0);
    for (int i = 0; i < 3; i++) {
        struct plane p = product(&image[i == 1], &image[i > 0]);
        moment[i] = filter_both(&p, scale, square_shift, 16);
        free(p.value);
    }
    struct sums s = { 0 };
    for (int64_t i = 0; i < image[0].width * image[0].height; i++) {
        const uint64_t m1 = mean[0].value[i], m2 = mean[1].value[i];
        add_pixel(&s, (int64_t)moment[0].value[i] - (int64_t)rounded(m1 * m1, 32),
                  (int64_t)moment[1].value[i] - (int64_t)rounded(m2 * m2, 32),
                  (int64_t)moment[2].value[i] - (int64_t)rounded(m1 * m2, 32), limit);
    }
    for (int i = 0; i < 2; i++)
        free(mean[i].value);
    for (int i = 0; i < 3; i++)
        free(moment[i].value);
    out->num[scale] = (float)((double)s.num_log / 2048 + ((double)s.flat - (double)s.flat_variance / 16384 / 65025));
    out->den[scale] = (float)((double)s.den_log / 2048 + (double)s.flat);
    out->scale[scale] = (float)out->num[scale] / (float)out->den[scale];
}

bool oracle_integer_vif(const struct oracle_picture *ref, const struct oracle_picture *dis, double limit,
                        struct oracle_integer_vif *out)
{
    const struct oracle_picture *side[2] = { ref, dis };
    struct plane image[2];
    if (ref->width[0] < SMALLEST || ref->height[0] < SMALLEST)
        return false;
    for (int i = 0; i < 2; i++) {
        image[i] = plane_new(ref->width[0], ref->height[0]);
        for (int64_t k = 0; k < image[i].width * image[i].height; k++)
            image[i].value[k] = side[i]->sample[0][k];
    }
    for (int scale = 0; scale < ORACLE_VIF_SCALES; scale++) {
        for (int i = 0; scale && i < 2; i++) {
            const struct plane half = half_of(&image[i], scale, (int)ref->depth);
            free(image[i].value);
            image[i] = half;
        }
        score_scale(image, scale, (int)ref->depth, limit, out);
    }
    free(image[0].value);
    free(image[1].value);
    return true;
}
