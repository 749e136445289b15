/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle_read.h"

#include <stdio.h>
#include <stdlib.h>

void oracle_fail(const char *text)
{
    fprintf(stderr, "oracle: %s\n", text);
    exit(EXIT_FAILURE);
}

void oracle_picture_new(struct oracle_picture *p, const assay_format *f)
{
    *p = (struct oracle_picture){ .depth = f->bit_depth, .planes = f->layout == ASSAY_LAYOUT_400 ? 1 : ORACLE_PLANES };
    const bool half_width = f->layout == ASSAY_LAYOUT_420 || f->layout == ASSAY_LAYOUT_422;
    for (uint32_t k = 0; k < p->planes; k++) {
        p->width[k] = k && half_width ? (f->width + 1) / 2 : f->width;
        p->height[k] = k && f->layout == ASSAY_LAYOUT_420 ? (f->height + 1) / 2 : f->height;
        p->sample[k] = oracle_alloc((size_t)p->width[k] * p->height[k], sizeof(uint16_t));
    }
}

void oracle_picture_free(struct oracle_picture *p)
{
    for (uint32_t k = 0; k < p->planes; k++)
        free(p->sample[k]);
}

bool oracle_picture_read(struct oracle_picture *p, struct input *in)
{
    struct picture dst = { 0 };
    const ptrdiff_t size = p->depth > 8 ? 2 : 1;
    for (uint32_t k = 0; k < p->planes; k++) {
        dst.plane[k] = p->sample[k];
        dst.stride[k] = (ptrdiff_t)p->width[k] * size;
    }
    struct picture_info info;
    struct assay_error e = { 0 };
    const int state = input_read(in, &dst, &info, &e);
    if (state < 0)
        oracle_fail(e.text);
    if (state == 1 && size == 1) {
        for (uint32_t k = 0; k < p->planes; k++) {
            const uint8_t *bytes = (const uint8_t *)p->sample[k];
            for (size_t i = (size_t)p->width[k] * p->height[k]; i-- > 0;)
                p->sample[k][i] = bytes[i]; /* from the end: sample i covers bytes 2i and 2i + 1 only */
        }
    }
    return state == 1;
}
