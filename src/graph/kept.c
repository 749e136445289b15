/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph/kept.h"

#include <stdlib.h>
#include <string.h>

/* The ages of planes that are of no frame (tables), and of several or of what depends on more than inputs. */
enum { KEPT_ANY = 254, KEPT_MIXED = 255 };

/* What is known of a plane while the passes are looked through: its age, and the plane of age 0 that it is like. */
struct kept_plane {
    uint8_t age;
    graph_plane base;
};

/* The one age of all planes that a pass reads, if it writes planes alone. */
static uint8_t kept_age(const struct graph *g, graph_pass p, const struct kept_plane *of)
{
    const struct graph_pass_info *pass = &g->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    uint8_t age = KEPT_ANY;
    for (unsigned i = 0; i < k->planes_in; i++) {
        const uint8_t own = of[graph_rows_of(g, pass->plane[i])].age;
        if (own == KEPT_ANY)
            continue;
        if (own == KEPT_MIXED || (age != KEPT_ANY && own != age))
            return KEPT_MIXED;
        age = own;
    }
    return pass->totals_n || pass->extrema_n || age == KEPT_ANY ? KEPT_MIXED : age;
}

/* The pass of age 0 that does for its frame what p does for an earlier one; p itself: there is none. */
static graph_pass kept_twin(const struct graph *g, graph_pass p, const struct kept_plane *of)
{
    const struct graph_pass_info *a = &g->pass[p];
    for (graph_pass q = 0; q < g->passes; q++) {
        const struct graph_pass_info *b = &g->pass[q];
        bool like = q != p && a->kernel == b->kernel && a->grid_w == b->grid_w && a->grid_h == b->grid_h &&
                    !memcmp(a->param, b->param, sizeof a->param);
        for (unsigned i = 0; like && i < assay_kernel_info[a->kernel].planes_in; i++)
            like = of[graph_rows_of(g, a->plane[i])].base == graph_rows_of(g, b->plane[i]);
        if (like)
            return q;
    }
    return p;
}

/* Planes that a pass of no one age reads. */
static void kept_choose(struct graph_kept *k, const struct graph *g, const struct kept_plane *of)
{
    for (graph_pass p = 0; p < g->passes; p++)
        for (unsigned i = 0; !k->pass_age[p] && i < assay_kernel_info[g->pass[p].kernel].planes_in; i++) {
            const graph_plane plane = graph_rows_of(g, g->pass[p].plane[i]), base = of[plane].base;
            if (!k->plane_age[plane] || k->place[plane])
                continue;
            if (!k->place[base]) {
                k->place[base] = (uint32_t)k->bytes + 1;
                k->bytes += (graph_stride(&g->plane[base]) * g->plane[base].height + UINT64_C(255)) / 256 * 256;
            }
            k->place[plane] = k->place[base];
        }
}

/* Passes stand behind those whose planes they read, but the twin of a pass may stand behind it: its planes are looked
 * up by what it reads. */
int graph_kept_plan(struct graph_kept *k, const struct graph *g, struct assay_error *e)
{
    struct kept_plane *of = calloc(g->planes + 1, sizeof *of);
    *k = (struct graph_kept){.pass_age = calloc(g->passes + 1, 1), .plane_age = calloc(g->planes + 1, 1),
                             .place = calloc(g->planes + 1, sizeof *k->place)};
    if (!of || !k->pass_age || !k->plane_age || !k->place) {
        free(of);
        return assay_fail_memory(e, "what frames keep");
    }
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        const bool old = p->input && !p->table && p->age;
        of[i] = (struct kept_plane){.age = p->table ? KEPT_ANY : p->input ? p->age : 0,
                                    .base = old ? p->of : i};
    }
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *info = &assay_kernel_info[g->pass[p].kernel];
        const uint8_t age = kept_age(g, p, of);
        const graph_pass twin = age && age != KEPT_MIXED ? kept_twin(g, p, of) : p;
        for (unsigned i = info->planes_in; i < (unsigned)info->planes_in + info->planes_out; i++) {
            const graph_plane plane = g->pass[p].plane[i];
            of[plane].age = age && twin == p ? KEPT_MIXED : age;
            of[plane].base = g->pass[twin].plane[i];
            k->plane_age[plane] = twin == p ? 0 : age;
        }
        k->pass_age[p] = twin == p ? 0 : age;
    }
    kept_choose(k, g, of);
    for (graph_plane i = 0; i < g->planes; i++) { /* a view is where its rows are */
        k->plane_age[i] = k->plane_age[graph_rows_of(g, i)];
        k->place[i] = k->place[graph_rows_of(g, i)];
    }
    k->bytes = k->bytes < UINT32_MAX ? k->bytes : 0; /* a place has 32 bits */
    free(of);
    return ASSAY_OK;
}

void graph_kept_free(struct graph_kept *k)
{
    free(k->pass_age);
    free(k->plane_age);
    free(k->place);
    *k = (struct graph_kept){.bytes = 0};
}
