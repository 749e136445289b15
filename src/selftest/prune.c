/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/prune.h"

#include <stdlib.h>
#include <string.h>

/* Marks the passes of the chosen kernels, and every pass that writes an input of a marked one. */
static void mark(const struct graph *g, const bool kernels[KERNEL_VARIANTS], bool *wanted)
{
    for (graph_pass p = g->passes; p-- > 0;) {
        const struct graph_pass_info *pass = &g->pass[p];
        wanted[p] |= kernels[pass->kernel];
        for (unsigned i = 0; wanted[p] && i < assay_kernel_info[pass->kernel].planes_in; i++)
            if (!g->plane[pass->plane[i]].input)
                wanted[g->plane[pass->plane[i]].pass] = true;
    }
}

static int copy_input(const struct graph *g, graph_plane plane, graph_plane *number, struct graph *to,
                      struct assay_error *e)
{
    const struct graph_plane_info *p = &g->plane[plane];
    if (p->table)
        return graph_table(to, p->table, graph_stride(p), p->type, p->width, p->height, &number[plane], e);
    if (p->input)
        return graph_frame(to, p->age, p->side, p->component, p->type, p->width, p->height, &number[plane], e);
    return p->view ? graph_view(to, number[p->of], p->type, p->width, &number[plane], e) : ASSAY_OK;
}

static int copy_pass(const struct graph *g, graph_pass p, graph_plane *number, struct graph *to, struct assay_error *e)
{
    const struct graph_pass_info *pass = &g->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    struct graph_pass_request request = {.grid_w = pass->grid_w, .grid_h = pass->grid_h};
    graph_plane out[KERNEL_PLANES];
    graph_pass same;
    while (assay_kernel_variant[request.family][k->plane[0]] != (int)pass->kernel)
        request.family++;
    for (unsigned i = 0; i < k->planes_in; i++) {
        TRY(copy_input(g, pass->plane[i], number, to, e));
        request.in[i] = number[pass->plane[i]];
    }
    for (unsigned o = 0; o < k->planes_out; o++) {
        request.out[o].width = g->plane[pass->plane[k->planes_in + o]].width;
        request.out[o].height = g->plane[pass->plane[k->planes_in + o]].height;
    }
    memcpy(request.param, pass->param, sizeof request.param);
    TRY(graph_add(to, &request, &same, out, e));
    for (unsigned o = 0; o < k->planes_out; o++)
        number[pass->plane[k->planes_in + o]] = out[o];
    return ASSAY_OK;
}

static int copy(const struct graph *g, const bool *wanted, graph_plane *number, struct graph *to, struct assay_error *e)
{
    for (graph_pass p = 0; p < g->passes; p++)
        if (wanted[p])
            TRY(copy_pass(g, p, number, to, e));
    to->keep = true;
    return graph_seal(to, e);
}

int graph_prune(const struct graph *g, const bool kernels[KERNEL_VARIANTS], struct graph **out, struct assay_error *e)
{
    bool *wanted = calloc(g->passes + 1, sizeof *wanted);
    graph_plane *number = calloc(g->planes + 1, sizeof *number);
    struct graph *to = wanted && number ? graph_new(e) : NULL;
    int rc = to ? ASSAY_OK : assay_fail_memory(e, "a part of the pass graph");
    if (!rc) {
        mark(g, kernels, wanted);
        rc = copy(g, wanted, number, to, e);
    }
    if (rc)
        graph_free(&to);
    free(wanted);
    free(number);
    *out = to;
    return rc;
}
