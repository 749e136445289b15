/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "executors/cuda/frame.h"

enum { ALIGN = 256 };

static uint64_t align_up(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static bool before(const struct graph_plane_info *a, const struct graph_plane_info *b)
{
    return a->age != b->age ? a->age < b->age : a->side != b->side ? a->side < b->side : a->component < b->component;
}

/* Insertion: there are few. */
static void sort_inputs(struct cu_layout *l)
{
    const struct graph *g = l->graph;
    for (graph_plane p = 0; p < g->planes; p++) {
        if (!g->plane[p].input)
            continue;
        l->history = l->history || g->plane[p].age;
        uint32_t at = l->inputs++;
        for (; at > 0 && before(&g->plane[p], &g->plane[l->input[at - 1]]); at--)
            l->input[at] = l->input[at - 1];
        l->input[at] = p;
    }
}

static int check_plane(const struct graph_plane_info *p, struct assay_error *e)
{
    const uint64_t bytes = (uint64_t)graph_stride(p) * p->height;
    if (bytes <= UINT32_MAX)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE, "CUDA: a plane of %ux%u needs %llu bytes; kernels address 4 GiB", p->width, p->height,
                      (unsigned long long)bytes);
}

int cu_layout_init(struct cu_layout *l, const struct graph *g, struct assay_error *e)
{
    *l = (struct cu_layout){.graph = g};
    l->input = calloc(g->planes + 1, sizeof *l->input);
    l->plane_offset = calloc(g->planes + 1, sizeof *l->plane_offset);
    uint64_t *storage = calloc(g->storages + 1, sizeof *storage);
    if (!l->input || !l->plane_offset || !storage) {
        free(storage);
        return assay_fail_memory(e, "the CUDA executor");
    }
    l->results_bytes = ((uint64_t)g->totals + g->extrema) * sizeof(int64_t);
    l->input_offset = align_up(l->results_bytes);
    sort_inputs(l);
    int rc = ASSAY_OK;
    /* Inputs lie without gaps, rows at multiples of 64 bytes, as a session lays out its own: then one copy takes all. */
    for (uint32_t i = 0; i < l->inputs; i++) {
        const struct graph_plane_info *p = &g->plane[l->input[i]];
        l->plane_offset[l->input[i]] = l->input_offset + l->input_bytes;
        l->input_bytes += (uint64_t)graph_stride(p) * p->height;
    }
    l->bytes = align_up(l->input_offset + l->input_bytes);
    for (uint32_t s = 0; s < g->storages; s++) {
        storage[s] = l->bytes;
        l->bytes += align_up(g->storage_bytes[s]);
    }
    for (graph_plane p = 0; p < g->planes && !rc; p++) {
        rc = check_plane(&g->plane[p], e);
        if (!g->plane[p].input)
            l->plane_offset[p] = storage[g->plane[p].storage];
    }
    free(storage);
    return rc;
}

void cu_layout_free(struct cu_layout *l)
{
    free(l->input);
    free(l->plane_offset);
    *l = (struct cu_layout){0};
}
