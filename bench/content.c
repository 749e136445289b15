/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "frames.h"
#include "host/format.h"
#include "input/input.h"

static void draw(struct content *c, unsigned pair, uint32_t plane)
{
    assay_buffer side[2] = {0};
    for (unsigned i = 0; i < 2; i++) {
        union { const void *in; void *out; } to = {.in = c->picture[pair][i].plane[plane]};
        side[i].plane[plane] = to.out;
        side[i].stride[plane] = c->picture[pair][i].stride[plane];
    }
    bench_frames_draw(&c->format, pair, plane, &side[0], &side[1]);
}

static void released(void *opaque) { (void)opaque; }

static int allocate(struct content *c)
{
    void *at = c->memory = malloc(2 * BENCH_PAIRS * format_frame_bytes(&c->format));
    if (!at) {
        fprintf(stderr, "assay_bench: out of memory for %d frame pairs\n", BENCH_PAIRS);
        return ASSAY_EINTERNAL;
    }
    for (unsigned i = 0; i < BENCH_PAIRS; i++)
        for (unsigned side = 0; side < 2; side++) {
            assay_picture *picture = &c->picture[i][side];
            picture->release = released;
            void *plane[3] = {NULL};
            at = format_place(&c->format, at, plane, picture->stride);
            for (unsigned p = 0; p < 3; p++)
                picture->plane[p] = plane[p];
        }
    return ASSAY_OK;
}

int content_make(struct content *c, uint32_t width, uint32_t height, uint32_t bits)
{
    *c = (struct content){.format = {.width = width, .height = height, .bit_depth = bits, .layout = ASSAY_LAYOUT_420},
                          .pairs = BENCH_PAIRS};
    const int rc = allocate(c);
    for (unsigned i = 0; !rc && i < BENCH_PAIRS; i++)
        for (uint32_t p = 0; p < 3; p++)
            draw(c, i, p);
    return rc;
}

static int read_side(struct content *c, struct input *in, unsigned side, struct assay_error *e)
{
    unsigned n = 0;
    int rc = 1;
    while (n < BENCH_PAIRS) {
        struct picture to;
        struct picture_info info;
        for (unsigned p = 0; p < 3; p++) {
            union { const void *in; void *out; } data = {.in = c->picture[n][side].plane[p]};
            to.plane[p] = data.out;
            to.stride[p] = c->picture[n][side].stride[p];
        }
        rc = input_read(in, &to, &info, e);
        if (rc <= 0)
            break;
        n++;
    }
    if (n < c->pairs)
        c->pairs = n;
    return rc < 0 ? rc : ASSAY_OK;
}

int content_read(struct content *c, const char *ref, const char *dis)
{
    struct assay_error e = {0};
    struct input *in[2] = {0};
    int rc = input_open(&in[0], &(struct input_options){.path = ref}, &e);
    if (!rc)
        rc = input_open(&in[1], &(struct input_options){.path = dis}, &e);
    if (!rc && (in[0]->format.width != in[1]->format.width || in[0]->format.height != in[1]->format.height
                || in[0]->format.bit_depth != in[1]->format.bit_depth || in[0]->format.layout != in[1]->format.layout))
        rc = assay_fail(&e, ASSAY_EMISMATCH, "the two files differ in size, bit depth or layout");
    if (!rc) {
        *c = (struct content){.format = in[0]->format, .pairs = BENCH_PAIRS};
        rc = allocate(c);
    }
    for (unsigned side = 0; !rc && side < 2; side++)
        rc = read_side(c, in[side], side, &e);
    if (!rc && !c->pairs)
        rc = assay_fail(&e, ASSAY_EINPUT, "the files hold no frames");
    for (unsigned side = 0; side < 2; side++)
        if (in[side])
            input_close(&in[side]);
    if (rc && e.code)
        fprintf(stderr, "assay_bench: %s\n", e.text);
    return rc;
}

void content_free(struct content *c)
{
    free(c->memory);
    c->memory = NULL;
}
