/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/together.h"

#include <stdlib.h>
#include <string.h>

/* Whether a pass reads only what frames hold, and writes only sums. */
static bool together_possible(const struct graph *g, graph_pass p)
{
    const struct graph_pass_info *pass = &g->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    bool possible = k->encode_plane && !k->planes_out && !k->extrema;
    for (unsigned i = 0; possible && i < k->planes_in; i++)
        possible = g->plane[pass->plane[i]].input;
    return possible && !g->plane[pass->plane[k->encode_plane]].table;
}

/* Whether two such passes differ in no more than the plane that is an encode's. */
static bool together_equal(const struct graph *g, graph_pass a, graph_pass b)
{
    const struct graph_pass_info *p = &g->pass[a], *q = &g->pass[b];
    const struct kernel_info *k = &assay_kernel_info[p->kernel];
    if (p->kernel != q->kernel || p->grid_w != q->grid_w || p->grid_h != q->grid_h ||
        memcmp(p->param, q->param, sizeof p->param) != 0)
        return false;
    for (unsigned i = 0; i < k->planes_in; i++) {
        const struct graph_plane_info *m = &g->plane[p->plane[i]], *n = &g->plane[q->plane[i]];
        if (i == k->encode_plane ? m->width != n->width || m->height != n->height : p->plane[i] != q->plane[i])
            return false;
    }
    return true;
}

int together_plan(struct together **out, const struct graph *g, struct assay_error *e)
{
    struct together *t = *out = calloc(1, sizeof *t);
    if (!t)
        return assay_fail_memory(e, "the CPU executor");
    t->leader = calloc(g->passes + 1, sizeof *t->leader);
    t->next = calloc(g->passes + 1, sizeof *t->next);
    t->other = calloc(g->passes + 1, sizeof *t->other);
    t->from = calloc(g->passes + 1, sizeof *t->from);
    if (!t->leader || !t->next || !t->other || !t->from)
        return assay_fail_memory(e, "the CPU executor");
    for (graph_pass p = 0; p < g->passes; p++) {
        t->leader[p] = p;
        t->next[p] = g->passes;
    }
    uint32_t used = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        graph_pass last = p;
        t->from[p] = used;
        if (t->leader[p] != p || !together_possible(g, p))
            continue;
        for (graph_pass q = p + 1; q < g->passes; q++)
            if (t->leader[q] == q && together_possible(g, q) && together_equal(g, p, q)) {
                t->leader[q] = p;
                t->next[last] = q;
                last = q;
                used++;
            }
    }
    return ASSAY_OK;
}

void together_free(struct together **out)
{
    struct together *t = *out;
    if (!t)
        return;
    *out = NULL;
    free(t->leader);
    free(t->next);
    free(t->other);
    free(t->from);
    free(t);
}
