/* SPDX-License-Identifier: BSD-2-Clause */
#include "one_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const one_pair_level[ONE_PAIR_LEVELS] = {"scalar", NULL};

/* The code of 16 bits of a sample. */
static uint32_t code_of(int content, unsigned side, uint32_t plane, uint32_t x, uint32_t y, int frame)
{
    const uint32_t noise = one_pair_noise(x + 70001 * y + 1000003 * plane + 777767777u * (uint32_t)frame) & 0xffff;
    x += 3 * (uint32_t)frame;
    switch (content) {
    case 0: return side ? one_pair_noise(noise + 77) & 0xffff : noise;
    case 1: return (x / 3 + y / 5 + side) % 2 * 65535;
    case 2: return x == 5 && y == 2 ? 65535u - 40000u * side : 9000;
    case 3: return side * 65535;
    case 4: return 20000 + 137 * x % 9000 + 153 * y % 11000 + side * (noise & 0x7ff);
    case 5: return 30000 + 512 * side * (frame % 2 == 0);
    default: return noise;
    }
}

void one_pair_picture(struct oracle_picture *p, assay_picture *given, const assay_format *format, int content,
                      unsigned side, int frame)
{
    const assay_layout layout = format->layout;
    const uint32_t depth = format->bit_depth;
    *p = (struct oracle_picture){.depth = depth, .planes = layout == ASSAY_LAYOUT_400 ? 1 : 3};
    memset(given, 0, sizeof *given);
    for (uint32_t k = 0; k < p->planes; k++) {
        const bool half_x = k && (layout == ASSAY_LAYOUT_420 || layout == ASSAY_LAYOUT_422);
        const uint32_t w = p->width[k] = half_x ? (format->width + 1) / 2 : format->width;
        const uint32_t h = p->height[k] = k && layout == ASSAY_LAYOUT_420 ? (format->height + 1) / 2 : format->height;
        const size_t n = (size_t)w * h;
        uint8_t *bytes = oracle_alloc(n, 2);
        p->sample[k] = oracle_alloc(n, sizeof *p->sample[k]);
        for (uint32_t i = 0; i < n; i++) {
            p->sample[k][i] = (uint16_t)(code_of(content, side, k, i % w, i / w, frame) >> (16 - depth));
            if (depth > 8)
                memcpy(bytes + 2 * i, &p->sample[k][i], 2);
            else
                bytes[i] = (uint8_t)p->sample[k][i];
        }
        given->plane[k] = bytes;
        given->stride[k] = (ptrdiff_t)w * (depth > 8 ? 2 : 1);
    }
}

static void check(assay_session *s, int rc)
{
    if (!rc)
        return;
    fprintf(stderr, "one pair: %s\n", assay_session_error(s));
    exit(99);
}

void one_pair_scores(const char *metric, const char *level, const assay_format *format, const assay_picture pair[2],
                     double *scores)
{
    const assay_config config = {.cpu_level = level, .threads = 2};
    uint64_t frame;
    assay_session *s;
    if (assay_session_new(&s, &config, NULL, 0))
        exit(99);
    check(s, assay_session_add_metric(s, metric));
    check(s, assay_session_start(s, format));
    check(s, assay_session_submit(s, 0, &pair[0], &pair[1]));
    check(s, assay_session_flush(s));
    if (assay_session_poll(s, &frame, scores) != 1)
        exit(99);
    assay_session_close(&s);
}
