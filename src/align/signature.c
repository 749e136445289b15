/* SPDX-License-Identifier: BSD-2-Clause */
#include "align/signature.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a block that are summed, at least: of a tall picture some are passed over, which saves time. */
enum { LEAST_ROWS = 24 };

/* Sums of n samples are below 2^32: n is at most 65535 and a sample at most 65535. */
static uint32_t sum8(const uint8_t *at, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += at[i];
    return sum;
}

/* Rows may begin at any byte. */
static uint32_t sum16(const uint8_t *at, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t v;
        memcpy(&v, at + 2 * (size_t)i, sizeof v);
        sum += v;
    }
    return sum;
}

/* The i-th of n parts of `length` samples: [*from, *to), at least one sample. */
static void part(uint32_t length, uint32_t i, uint32_t n, uint32_t *from, uint32_t *to)
{
    *from = (uint32_t)((uint64_t)length * i / n);
    *to = (uint32_t)((uint64_t)length * (i + 1) / n);
    if (*to == *from)
        ++*to;
}

void signature_make(struct signature *s, const void *luma, ptrdiff_t stride, uint32_t width, uint32_t height,
                    uint32_t bit_depth)
{
    const uint32_t step = height / (SIGNATURE_ROWS * LEAST_ROWS) + (height < SIGNATURE_ROWS * LEAST_ROWS);
    const size_t bytes = bit_depth > 8 ? 2 : 1;
    for (uint32_t row = 0; row < SIGNATURE_ROWS; row++) {
        uint64_t sum[SIGNATURE_COLUMNS] = {0};
        uint32_t top, bottom, left, right, rows = 0;
        part(height, row, SIGNATURE_ROWS, &top, &bottom);
        for (uint32_t y = top; y < bottom; y += step, rows++) {
            const uint8_t *line = (const uint8_t *)luma + (ptrdiff_t)y * stride;
            for (uint32_t i = 0; i < SIGNATURE_COLUMNS; i++) {
                part(width, i, SIGNATURE_COLUMNS, &left, &right);
                const uint8_t *at = line + left * bytes;
                sum[i] += bytes == 1 ? sum8(at, right - left) : sum16(at, right - left);
            }
        }
        for (uint32_t i = 0; i < SIGNATURE_COLUMNS; i++) {
            part(width, i, SIGNATURE_COLUMNS, &left, &right);
            /* the sum is below 2^48: rows * columns below 2^32, samples below 2^16 */
            const uint64_t samples = (uint64_t)rows * (right - left);
            s->block[row * SIGNATURE_COLUMNS + i] = (uint16_t)((sum[i] << (16 - bit_depth)) / samples);
        }
    }
}

struct signature *signatures_add(struct signatures *s, struct assay_error *e)
{
    return assay_grow(&s->frame, s->frames, sizeof *s->frame, "the signatures of frames", e) ? NULL
                                                                                             : &s->frame[s->frames++];
}

void signatures_free(struct signatures *s)
{
    free(s->frame);
    *s = (struct signatures){0};
}

uint32_t signature_distance(const struct signature *a, const struct signature *b)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < SIGNATURE_BLOCKS; i++) {
        const uint16_t x = a->block[i], y = b->block[i];
        sum += (uint16_t)(x > y ? x - y : y - x);
    }
    return sum;
}
