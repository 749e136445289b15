/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *oracle_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        fprintf(stderr, "oracle: out of memory\n");
        exit(EXIT_FAILURE);
    }
    return p;
}

void oracle_image_new(struct oracle_image *image, size_t width, size_t height)
{
    image->width = width;
    image->height = height;
    image->value = oracle_alloc(width * height, sizeof(double));
}

void oracle_image_free(struct oracle_image *image)
{
    free(image->value);
    image->value = NULL;
}

void oracle_luma(struct oracle_image *image, const struct oracle_picture *picture)
{
    oracle_image_new(image, picture->width[0], picture->height[0]);
    const double unit = (double)(1u << (picture->depth - 8));
    for (size_t i = 0; i < image->width * image->height; i++)
        image->value[i] = (double)picture->sample[0][i] / unit;
}

size_t oracle_symmetric(ptrdiff_t i, size_t n)
{
    const ptrdiff_t period = 2 * (ptrdiff_t)n;
    ptrdiff_t k = i % period;
    if (k < 0)
        k += period;
    return (size_t)(k < (ptrdiff_t)n ? k : period - 1 - k);
}

double oracle_db(double score, double max_db)
{
    const double db = score < 1 ? -10 * log10(1 - score) : INFINITY;
    return db < max_db ? db : max_db;
}

double oracle_clip_db(const struct oracle_picture *picture)
{
    const double peak = (double)((1u << picture->depth) - 1);
    const double mse = 0.5 / ((double)picture->width[0] * (double)picture->height[0]);
    return ceil(10 * log10(peak * peak / mse));
}
