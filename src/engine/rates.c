/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/rates.h"

#include <string.h>

#include "host/clock.h"
#include "host/fpenv.h"
#include "selftest/batch.h"

enum {
    WIDTH = 960, HEIGHT = 540, /* large enough that a launch doesn't show in a kernel's time */
    TINY = 64,                 /* small enough that nothing else shows in a frame's */
    WARM = 2, FRAMES = 5,      /* the best of five, after two that load code and pages */
};

struct measured {
    uint64_t wall, upload, passes; /* nanoseconds; the last two 0 on a device without clocks */
    uint64_t bytes, items;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return b < a ? b : a;
}

/* Planes of a batch in the executor's memory. */
static void *fill(const struct batch *b, struct executor *x, struct frame_inputs *inputs, uint64_t *bytes)
{
    char *memory = NULL;
    for (int placing = 0; placing < 2; placing++) {
        size_t at = 0;
        if (placing && !(memory = x->ops->host_alloc(x, 0, *bytes)))
            return NULL;
        for (unsigned i = 0; i < b->inputs; i++) {
            const struct recipe_pass *recipe = &b->entry[b->input[i].entry].recipe;
            const unsigned p = b->input[i].plane;
            const size_t stride = ((size_t)recipe->plane[p].width * sample_size(recipe->info->plane[p]) + 63) / 64 * 64;
            inputs->plane[i % 2][i / 2] = (struct kernel_plane){
                .data = placing ? memory + at : NULL, .stride = (ptrdiff_t)stride, .width = (int32_t)recipe->plane[p].width,
                .height = (int32_t)recipe->plane[p].height};
            if (placing)
                recipe_fill(recipe, p, PATTERN_RANDOM, 1, memory + at, stride);
            at += stride * recipe->plane[p].height;
        }
        *bytes = at;
    }
    return memory;
}

static int time_frames(struct executor *x, const struct frame_inputs *inputs, struct measured *m, struct assay_error *e)
{
    m->wall = m->upload = m->passes = UINT64_MAX;
    x->timed = true;
    for (unsigned i = 0; i < WARM + FRAMES; i++) {
        struct frame_results results;
        memset(&results, 0, sizeof results);
        const uint64_t before = clock_ns();
        int rc = x->ops->submit(x, 0, inputs, e);
        if (!rc)
            rc = x->ops->wait(x, 0, &results, e);
        if (rc)
            return rc;
        if (i < WARM)
            continue;
        const struct frame_times *t = &results.times;
        m->wall = least(m->wall, clock_ns() - before);
        m->upload = least(m->upload, t->upload[1] - t->upload[0]);
        m->passes = least(m->passes, t->passes[1] - t->passes[0]);
    }
    return ASSAY_OK;
}

/* A kernel alone on a frame of width x height. */
static int time_kernel(const struct selftest_device *device, unsigned kernel, uint32_t width, uint32_t height, struct measured *m,
                       struct assay_error *e)
{
    struct batches b = {0};
    struct executor *x = NULL;
    struct frame_inputs inputs = {0};
    void *memory = NULL;
    int rc = batches_add_one(&b, kernel, width, height, e);
    struct graph *g = rc ? NULL : batch_graph(b.batch, e);
    rc = rc ? rc : g ? ASSAY_OK : ASSAY_EINTERNAL;
    if (!rc)
        rc = device->open(device->opaque, &x, e);
    if (!rc)
        rc = x->ops->prepare(x, g, x->devices ? x->devices : 1, e);
    if (!rc && !(memory = fill(b.batch, x, &inputs, &m->bytes)))
        rc = assay_fail_memory(e, "the frame that is timed");
    if (!rc)
        rc = time_frames(x, &inputs, m, e);
    if (!rc)
        m->items = (uint64_t)g->pass[0].grid_w * g->pass[0].grid_h;
    if (memory)
        x->ops->host_free(x, 0, memory);
    if (x)
        x->ops->close(&x);
    graph_free(&g);
    batches_free(&b);
    return rc;
}

/* At least 1, so that what was measured is never taken for unknown. */
static uint64_t per(uint64_t nanoseconds, uint64_t n)
{
    const uint64_t femtoseconds = nanoseconds * 1000000 / (n ? n : 1);
    return femtoseconds ? femtoseconds : 1;
}

static int measure(const struct selftest_device *device, const struct graph *g, struct selftest_record *r, bool *changed,
                   struct assay_error *e)
{
    const unsigned simple = (unsigned)assay_kernel_variant[KERNEL_SSE][SAMPLE_U8];
    struct measured m;
    int rc = ASSAY_OK;
    if (!r->frame_time) {
        rc = time_kernel(device, simple, TINY, TINY, &m, e);
        r->frame_time = per(m.wall, 1);
        if (!rc)
            rc = time_kernel(device, simple, WIDTH, HEIGHT, &m, e);
        r->byte_time = rc ? 0 : per(m.upload, m.bytes);
        *changed = true;
    }
    for (graph_pass p = 0; !rc && p < g->passes; p++) {
        const unsigned k = g->pass[p].kernel;
        if (r->rate[k])
            continue;
        rc = time_kernel(device, k, WIDTH, HEIGHT, &m, e);
        if (!rc && !m.passes && m.wall > r->frame_time / 1000000)
            m.passes = m.wall - r->frame_time / 1000000;
        r->rate[k] = rc ? 0 : per(m.passes, m.items);
        *changed = true;
    }
    return rc;
}

int rates_measure(const struct selftest_device *device, const struct graph *g, struct selftest_record *r,
                     struct assay_error *e)
{
    struct assay_fpenv saved;
    bool changed = false;
    assay_fpenv_enter(&saved);
    const int rc = measure(device, g, r, &changed, e);
    assay_fpenv_leave(&saved);
    if (!rc && changed)
        selftest_record_save(r);
    return rc;
}

double rates_predict(const struct selftest_record *r, const struct graph *g)
{
    double femtoseconds = (double)r->frame_time;
    for (graph_plane i = 0; i < g->planes; i++)
        if (g->plane[i].input)
            femtoseconds += (double)r->byte_time * (double)g->plane[i].width * g->plane[i].height * sample_size(g->plane[i].type);
    for (graph_pass p = 0; p < g->passes; p++)
        femtoseconds += (double)r->rate[g->pass[p].kernel] * (double)g->pass[p].grid_w * g->pass[p].grid_h;
    return femtoseconds * 1e-15;
}
