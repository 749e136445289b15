/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle.h"

void oracle_float_moment(const struct oracle_picture *picture, double *first, double *second)
{
    const size_t n = (size_t)picture->width[0] * picture->height[0];
    uint64_t sum = 0, squares = 0; /* below 2^48 and 2^64: a plane has at most 2^32 samples */
    for (size_t i = 0; i < n; i++) {
        const uint64_t v = picture->sample[0][i];
        sum += v;
        squares += v * v;
    }
    const double unit = (double)(1u << (picture->depth - 8));
    *first = (double)sum / unit / (double)n;
    *second = (double)squares / (unit * unit) / (double)n;
}
