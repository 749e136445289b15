/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/rates.h"

#include <stdlib.h>

#include "host/clock.h"
#include "host/fpenv.h"
#include "selftest/frame.h"

enum {
    WIDTH = 960, HEIGHT = 540, /* large enough that launches don't show in the time per pixel */
    WARM = 2, FRAMES = 5,      /* the best of five, after two that load code and pages */
    FEMTO = 1000000,           /* femtoseconds in a nanosecond */
};

/* Pixels of the largest plane of the pair. */
static uint64_t pixels_of(const struct graph *g)
{
    uint64_t most = 1;
    for (graph_plane i = 0; i < g->planes; i++) {
        const uint64_t pixels = (uint64_t)g->plane[i].width * g->plane[i].height;
        most = g->plane[i].input && !g->plane[i].table && pixels > most ? pixels : most;
    }
    return most;
}

/* Allocates planes of the pair in the memory that the executor reads fastest. The caller frees it. NULL when there is
 * none. */
static void *place_inputs(struct selftest_inputs *inputs, struct executor *x, const struct graph *g)
{
    size_t bytes = 0;
    for (graph_plane i = 0; i < g->planes; i++)
        bytes += g->plane[i].input && !g->plane[i].table ? graph_stride(&g->plane[i]) * g->plane[i].height : 0;
    char *const memory = x->ops->host_alloc(x, 0, bytes), *at = memory;
    for (graph_plane i = 0; memory && i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        if (!p->input || p->table)
            continue;
        *selftest_input(inputs, p) = (struct kernel_plane){.data = at, .stride = (ptrdiff_t)graph_stride(p),
                                                           .width = (int32_t)p->width, .height = (int32_t)p->height};
        at += graph_stride(p) * p->height;
    }
    return memory;
}

static int time_frames(struct executor *x, const struct frame_inputs *inputs, uint64_t *least, struct assay_error *e)
{
    *least = UINT64_MAX;
    for (unsigned i = 0; i < WARM + FRAMES; i++) {
        struct frame_results results;
        const uint64_t before = clock_ns();
        TRY(x->ops->submit(x, 0, inputs, e));
        TRY(x->ops->wait(x, 0, &results, e));
        const uint64_t took = clock_ns() - before;
        *least = i >= WARM && took < *least ? took : *least;
    }
    return ASSAY_OK;
}

/* Measures the nanoseconds of a frame of noise. Seals the graph. */
static int time_graph(const struct selftest_device *device, struct graph *g, uint32_t bits, uint64_t *least,
                      struct assay_error *e)
{
    struct executor *x = NULL;
    struct selftest_inputs inputs;
    void *memory = NULL;
    TRY(selftest_inputs_init(&inputs, e));
    int rc = graph_seal(g, e);
    rc = rc ? rc : device->open(device->opaque, &x, e);
    rc = rc ? rc : x->ops->prepare(x, g, x->devices ? x->devices : 1, e);
    if (!rc && !(memory = place_inputs(&inputs, x, g)))
        rc = assay_fail_memory(e, "the frame that is timed");
    for (graph_plane i = 0; !rc && i < g->planes; i++)
        if (g->plane[i].input && !g->plane[i].table)
            pattern_fill(PATTERN_SMOOTH, g->plane[i].side, 1, g->plane[i].type, bits,
                         selftest_input(&inputs, &g->plane[i]));
    rc = rc ? rc : time_frames(x, &inputs.frame, least, e);
    if (memory)
        x->ops->host_free(x, 0, memory);
    if (x)
        x->ops->close(&x);
    selftest_inputs_free(&inputs);
    return rc;
}

/* Fits a line through the times of two frame sizes. */
static int measure(const struct selftest_device *device, const struct selftest_subject *s, struct graph *small,
                   struct selftest_graph *to, struct assay_error *e)
{
    struct graph *large = NULL;
    struct assay_error why = {0};
    uint64_t least[2] = {0};
    int rc = s->build(s->opaque, WIDTH, HEIGHT, &large, &why);
    if (rc == ASSAY_EUSAGE)
        rc = s->build(s->opaque, s->width, s->height, &large, e);
    else if (rc)
        assay_fail(e, rc, "%s", why.text);
    const uint64_t few = pixels_of(small), many = rc ? 0 : pixels_of(large);
    rc = rc ? rc : time_graph(device, small, s->bits, &least[0], e);
    rc = rc ? rc : time_graph(device, large, s->bits, &least[1], e);
    const uint64_t more = least[1] > least[0] && many > few ? (least[1] - least[0]) * FEMTO / (many - few) : 0,
                   whole = least[0] * FEMTO;
    to->pixel_time = more;
    to->frame_time = whole > more * few ? whole - more * few : 1; /* at least 1: measured */
    graph_free(&large);
    return rc;
}

int rates_seconds(const struct executor *x, const struct selftest_device *device,
                  const struct selftest_subject *subject, double *seconds, struct assay_error *e)
{
    const struct selftest_identity identity = selftest_identity_of(x);
    struct selftest_record *r = malloc(sizeof *r);
    struct graph *small = NULL;
    struct assay_fpenv saved;
    int rc = r ? selftest_small(subject, &small, e) : assay_fail_memory(e, "the choice of a device");
    assay_fpenv_enter(&saved);
    if (!rc) {
        selftest_record_load(r, &identity, NULL);
        struct selftest_graph *known = selftest_record_graph(r, selftest_digest(small, subject->bits));
        const bool measured = known->frame_time;
        if (!measured)
            rc = measure(device, subject, small, known, e);
        if (!rc && !measured)
            selftest_record_save(r);
        *seconds = 1e-15 * ((double)known->frame_time + (double)known->pixel_time * (double)pixels_of(subject->graph));
    }
    assay_fpenv_leave(&saved);
    graph_free(&small);
    free(r);
    return rc;
}
