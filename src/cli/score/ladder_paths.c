/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of one encode of a ladder: paths with {name} and {number} in them. */
#include <stdlib.h>
#include <string.h>

#include "cli/score/ladder.h"
#include "results/file.h"

/* Refuses "{nam}", which would be a file's name as it stands, and names that lead to another folder. */
static int check_places(const struct rung *g, const char *path, struct assay_error *e)
{
    for (const char *at = path; (at = strchr(at, '{')); at++) {
        const size_t n = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_");
        if (n && at[n + 1] == '}' && strncmp(at, LADDER_NAME, n + 2) && strncmp(at, LADDER_NUMBER, n + 2))
            return assay_fail(e, ASSAY_EUSAGE, "'%s': %.*s stands for nothing; {name} stands for an encode's name, "
                              "{number} for its place", path, (int)n + 2, at);
    }
    const bool leads = strchr(g->x.has.path, '/') != NULL;
    if (strstr(path, LADDER_NAME) && (leads || !strcmp(g->x.has.path, ".") || !strcmp(g->x.has.path, "..")))
        return assay_fail(e, ASSAY_EUSAGE, "'%s': {name} of %s would be '%s', which %s; {number} stands for its place",
                          path, g->cli->q.path[1], g->x.has.path, leads ? "leads to another folder" : "is a folder");
    return ASSAY_OK;
}

int ladder_arguments(const struct cli *c, uint32_t number, struct rung *g, struct assay_error *e)
{
    static const char what[] = "the arguments of an encode";
    const bool several = c->q.encodes > 1;
    g->cli = malloc(sizeof *g->cli);
    const char *name = c->each ? c->each_name[number] : NULL;
    struct request own = c->each ? c->each[number] : c->q;
    TRY(settings_apply(c, number, &own, &name, e));
    char *text = name ? strdup(name) : request_name(several ? c->q.encode[number] : c->q.path[1]);
    g->x.has.path = stored_copy(&g->x.has, text);
    free(text);
    if (!g->cli || !g->x.has.path)
        return assay_fail_memory(e, what);
    *g->cli = *c;
    g->cli->q = own;
    if (c->q.libvmaf)
        return ASSAY_OK;
    g->cli->q.several = several;
    g->cli->q.path[1] = several ? c->q.encode[number] : c->q.path[1];
    if (several)
        g->cli->q.decode_threads = request_decode_threads(c->q.encodes);
    for (uint32_t i = 0; i < c->outputs; i++)
        TRY(check_places(g, c->output[i].path, e));
    TRY(ladder_outputs(g->cli, c, &g->x.has, g->x.has.path, number + 1, several, e));
    TRY(c->heatmap ? check_places(g, c->heatmap, e) : ASSAY_OK);
    if (c->heatmap && !(g->cli->heatmap = ladder_fill(&g->x.has, c->heatmap, g->x.has.path, number + 1)))
        return assay_fail_memory(e, what);
    return ASSAY_OK;
}

void ladder_arguments_free(struct rung *g)
{
    stored_free(&g->x.has);
    free(g->cli);
}

static int same_path(const char *a, const char *b, const struct rung *g, const struct rung *h, struct assay_error *e)
{
    return strcmp(a, b) && !file_same_spot(a, b)
        ? ASSAY_OK
        : assay_fail(e, ASSAY_EUSAGE, "'%s' would be written for both %s and %s: {number} in its path stands for the "
                     "place among the encodes, from 1", a, g->cli->q.path[1], h->cli->q.path[1]);
}

/* Refuses a report on all encodes of `c` that would be one of this encode's own. */
static int apart_from_joint(const struct cli *c, const struct cli *own, struct assay_error *e)
{
    for (uint32_t i = 0; c->q.encodes > 1 && i < c->outputs; i++)
        for (uint32_t j = 0; !ladder_has_place(c->output[i].path) && j < own->outputs; j++)
            if (file_same_spot(c->output[i].path, own->output[j].path))
                return assay_fail(e, ASSAY_EUSAGE, "'%s' would be written for both %s and all encodes",
                                  own->output[j].path, own->q.path[1]);
    return ASSAY_OK;
}

int ladder_spared(const struct cli *c, struct rung *const *rung, uint32_t rungs, struct assay_error *e)
{
    for (uint32_t k = 0; k < rungs; k++) {
        const struct cli *a = rung[k]->cli;
        TRY(results_spared(a, e));
        TRY(apart_from_joint(c, a, e));
        for (uint32_t l = 0; l < k; l++) {
            const struct cli *b = rung[l]->cli;
            for (uint32_t i = 0; i < a->outputs; i++)
                for (uint32_t j = 0; j < b->outputs; j++)
                    TRY(same_path(a->output[i].path, b->output[j].path, rung[l], rung[k], e));
            if (a->heatmap)
                TRY(same_path(a->heatmap, b->heatmap, rung[l], rung[k], e));
        }
    }
    return ASSAY_OK;
}
