/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/frame.h"

#include <stdlib.h>

enum { PLANE_ALIGN = 64 };

static size_t take(size_t *at, size_t bytes)
{
    const size_t here = *at;
    *at += (bytes + PLANE_ALIGN - 1) / PLANE_ALIGN * PLANE_ALIGN;
    return here;
}

/* Lays everything out from `memory` on and returns the bytes that this takes. NULL: only counts them. */
static size_t place(struct selftest_frame *f, char *memory)
{
    const struct graph *g = f->graph;
    size_t at = 0;
    const size_t planes = take(&at, g->planes * sizeof *f->plane), totals = take(&at, g->totals * sizeof *f->totals),
                 extrema = take(&at, 2 * (size_t)g->extrema * sizeof *f->extrema);
    if (memory) {
        f->plane = (void *)(memory + planes);
        f->totals = (void *)(memory + totals);
        f->extrema = (void *)(memory + extrema);
    }
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        const size_t here = p->view || p->table ? 0 : take(&at, graph_stride(p) * p->height);
        if (memory)
            f->plane[i] = p->table ? frame_table(p) : (struct kernel_plane){
                                                .data = p->view ? f->plane[p->of].data : memory + here,
                                                .stride = p->view ? f->plane[p->of].stride : (ptrdiff_t)graph_stride(p),
                                                .width = (int32_t)p->width, .height = (int32_t)p->height};
    }
    return at;
}

int selftest_frame_init(struct selftest_frame *f, const struct graph *g, struct assay_error *e)
{
    *f = (struct selftest_frame){.graph = g};
    f->memory = calloc(1, place(f, NULL) + 1);
    if (!f->memory)
        return assay_fail_memory(e, "a frame of the self-test");
    place(f, f->memory);
    return ASSAY_OK;
}

void selftest_frame_free(struct selftest_frame *f)
{
    free(f->memory);
    *f = (struct selftest_frame){0};
}

struct trial selftest_frame_trial(const struct selftest_frame *f, graph_pass pass)
{
    const struct graph_pass_info *p = &f->graph->pass[pass];
    const struct kernel_info *k = &assay_kernel_info[p->kernel];
    struct trial t = {.totals = f->totals + p->totals, .extrema = f->extrema + 2 * (size_t)p->extrema};
    for (unsigned i = 0; i < (unsigned)(k->planes_in + k->planes_out); i++)
        t.plane[i] = f->plane[p->plane[i]];
    return t;
}

void selftest_frame_run(struct selftest_frame *f)
{
    for (graph_pass p = 0; p < f->graph->passes; p++) {
        const struct trial_pass pass = trial_of(f->graph, p);
        const struct trial t = selftest_frame_trial(f, p);
        trial_expect(&pass, &t);
    }
}

int selftest_inputs_init(struct selftest_inputs *inputs, struct assay_error *e)
{
    *inputs = (struct selftest_inputs){.earlier = calloc(GRAPH_HISTORY, sizeof *inputs->earlier)};
    if (!inputs->earlier)
        return assay_fail_memory(e, "a frame of the self-test");
    for (unsigned age = 1; age <= GRAPH_HISTORY; age++)
        inputs->frame.before[age - 1] = inputs->earlier[age - 1];
    return ASSAY_OK;
}

void selftest_inputs_free(struct selftest_inputs *inputs)
{
    free(inputs->earlier);
    *inputs = (struct selftest_inputs){.earlier = NULL};
}

struct kernel_plane *selftest_input(struct selftest_inputs *inputs, const struct graph_plane_info *p)
{
    return p->age ? &inputs->earlier[p->age - 1][p->side][p->component] : &inputs->frame.plane[p->side][p->component];
}
