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
    t->pass = calloc(g->passes + 1, sizeof *t->pass);
    t->other = calloc(g->passes + 1, sizeof *t->other);
    if (!t->pass || !t->other)
        return assay_fail_memory(e, "the CPU executor");
    for (graph_pass p = 0; p < g->passes; p++) {
        t->pass[p].leader = p;
        t->pass[p].next = g->passes;
    }
    uint32_t used = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        graph_pass last = p;
        t->pass[p].from = used;
        if (t->pass[p].leader != p || !together_possible(g, p))
            continue;
        for (graph_pass q = p + 1; q < g->passes; q++)
            if (t->pass[q].leader == q && together_possible(g, q) && together_equal(g, p, q)) {
                t->pass[q].leader = p;
                t->pass[last].next = q;
                last = q;
                used++;
            }
    }
    return ASSAY_OK;
}

void together_free(struct together **t)
{
    if (*t)
        free((*t)->pass), free((*t)->other);
    free(*t);
    *t = NULL;
}
