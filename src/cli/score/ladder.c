/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/score/ladder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"
#include "results/file.h"

/* ---- what can't be combined -------------------------------------------------------------------------------------- */

int ladder_check(const struct cli *c, struct assay_error *e)
{
    if (c->shard)
        return assay_fail(e, ASSAY_EUSAGE, "--shard takes one encode: score each in parts of its own");
    if (c->stages)
        return assay_fail(e, ASSAY_EUSAGE, "--dump-stage takes one encode");
    if (c->worst.frames && c->q.all_metrics)
        return assay_fail(e, ASSAY_EUSAGE, "--frames-worst with several encodes needs metrics by name: -m all may "
                          "choose others for one");
    if (plane_codes_wanted(c))
        return assay_fail(e, ASSAY_EUSAGE, "heatmaps_path takes one encode: --heatmap 'FOLDER/{name}' draws several");
    if (c->heatmap && !ladder_has_place(c->heatmap))
        return assay_fail(e, ASSAY_EUSAGE, "--heatmap with several encodes needs {name} in its folder, which stands "
                          "for each one's name: --heatmap '%s/{name}'", c->heatmap);
    for (uint32_t i = 0; i < c->outputs; i++) {
        const struct cli_output *o = &c->output[i];
        const char *one = report_of_one(o->kind);
        if (one && !ladder_has_place(o->path))
            return assay_fail(e, ASSAY_EUSAGE, "%s writes one encode: with several, '%s' needs {name} in it, which "
                              "stands for each one's name", one, o->path);
    }
    return ASSAY_OK;
}

/* ---- an encode's arguments --------------------------------------------------------------------------------------- */

/* Refuses "{nam}", which would be a file's name as it stands, and names that lead to another folder. */
static int check_places(const struct rung *g, const char *path, struct assay_error *e)
{
    for (const char *at = path; (at = strchr(at, '{')); at++) {
        const size_t n = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_");
        if (n && at[n + 1] == '}' && strncmp(at, LADDER_NAME, n + 2) && strncmp(at, LADDER_NUMBER, n + 2))
            return assay_fail(e, ASSAY_EUSAGE, "'%s': %.*s stands for nothing; {name} stands for an encode's name, "
                              "{number} for its place", path, (int)n + 2, at);
    }
    const bool leads = strchr(g->x.name, '/') != NULL;
    if (strstr(path, LADDER_NAME) && (leads || !strcmp(g->x.name, ".") || !strcmp(g->x.name, "..")))
        return assay_fail(e, ASSAY_EUSAGE, "'%s': {name} of %s would be '%s', which %s; {number} stands for its place",
                          path, g->cli->q.path[1], g->x.name, leads ? "leads to another folder" : "is a folder");
    return ASSAY_OK;
}

int ladder_arguments(const struct cli *c, uint32_t number, struct rung *g, struct assay_error *e)
{
    static const char what[] = "the arguments of an encode";
    const bool several = c->q.encodes > 1;
    g->cli = stored_alloc(&g->x, 1, sizeof *g->cli);
    const char *name = c->each ? c->each_name[number] : NULL;
    struct request own = c->each ? c->each[number] : c->q;
    TRY(settings_apply(c, number, &own, &name, e));
    stored_name(&g->x, name, c->q.encode[number]);
    TRY(stored_lost(&g->x, what, e));
    g->x.run.gates = c->gates;
    g->x.run.gate = c->gate;
    *g->cli = *c;
    g->cli->q = own;
    if (c->q.libvmaf)
        return stored_lost(&g->x, what, e);
    g->cli->q.several = several;
    g->cli->q.path[1] = c->q.encode[number];
    for (uint32_t i = 0; i < c->outputs; i++)
        TRY(check_places(g, c->output[i].path, e));
    TRY(ladder_outputs(g->cli, c, &g->x, number + 1, several, e));
    TRY(c->heatmap ? check_places(g, c->heatmap, e) : ASSAY_OK);
    if (c->heatmap)
        g->cli->heatmap = ladder_fill(&g->x, c->heatmap, number + 1);
    return stored_lost(&g->x, what, e);
}

/* What an encode is written to, each by its number; NULL behind the last one. */
static const char *own_path(const struct rung *g, uint32_t i)
{
    return i < g->cli->outputs ? g->cli->output[i].path : i == g->cli->outputs ? g->cli->heatmap : NULL;
}

/* Refuses a path of encode number `k` where it is that of a report on all encodes, or of an encode before this one. */
static int apart(const struct ladder *l, uint32_t k, const char *path, struct assay_error *e)
{
    const struct cli *all = l->cli;
    const char *who = l->rung[k].cli->q.path[1], *other;
    for (uint32_t i = 0; l->rungs > 1 && i < all->outputs; i++)
        if (!ladder_has_place(all->output[i].path) && file_same_spot(all->output[i].path, path))
            return assay_fail(e, ASSAY_EUSAGE, "'%s' would be written for both %s and all encodes", path, who);
    for (uint32_t n = 0; n < k; n++)
        for (uint32_t i = 0; (other = own_path(&l->rung[n], i)); i++)
            if (!strcmp(other, path) || file_same_spot(other, path))
                return assay_fail(e, ASSAY_EUSAGE, "'%s' would be written for both %s and %s: {number} in its path "
                                  "stands for the place among the encodes, from 1", path, l->rung[n].cli->q.path[1],
                                  who);
    return ASSAY_OK;
}

/* Refuses two encodes that would write to one file, and an encode that would write to a report on all of them. */
static int spared(const struct ladder *l, struct assay_error *e)
{
    const char *path;
    for (uint32_t k = 0; k < l->rungs; k++) {
        TRY(results_spared(l->rung[k].cli, e));
        for (uint32_t i = 0; (path = own_path(&l->rung[k], i)); i++)
            TRY(apart(l, k, path, e));
    }
    return ASSAY_OK;
}

/* ---- encodes that fail ------------------------------------------------------------------------------------------- */

/* The line of an encode's failure begins with this: its path and a colon, unless the failure names it. */
static void name_failed(char *text, size_t size, const struct rung *g)
{
    const char *path = g->cli->q.path[1];
    const bool named = signals_why() || strstr(g->lane->error.text, file_name(path));
    snprintf(text, size, "%s%s", named ? "" : path, named ? "" : ": ");
}

/* The failure of the first encode that has failed, where that ends the run. */
static int first_failure(const struct ladder *l, struct assay_error *e)
{
    char name[PATH_MAX];
    for (uint32_t k = 0; l->cli->all_or_none && l->rungs > 1 && k < l->rungs; k++) {
        const struct rung *g = &l->rung[k];
        if (g->lane->state != LANE_DONE || g->lane->rc >= 0)
            continue;
        name_failed(name, sizeof name, g);
        return assay_fail(e, g->lane->rc, "%s%s", name, g->lane->error.text);
    }
    return ASSAY_OK;
}

/* Names the encodes that have failed, each once. The message of a single pair is the command's last line, and so is
 * that of an encode that ends the run. */
static void tell_failures(struct ladder *l)
{
    char name[PATH_MAX];
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        const bool last = l->rungs == 1 || l->cli->all_or_none;
        name_failed(name, sizeof name, g);
        if (g->lane->state == LANE_DONE && !last && g->lane->rc < 0 && !g->told && !signals_why())
            text_say("%s%s", name, g->lane->error.text);
        g->told = g->told || g->lane->state == LANE_DONE;
    }
}

/* Of encodes that have failed for one cause with all others of their group: names a signal, and notes that the cause
 * need not be told for each. */
static void note_common_failure(struct ladder *l)
{
    for (uint32_t k = 0; l->walk.rc && k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        if (g->lane->state != LANE_DONE || strcmp(g->lane->error.text, l->walk.error.text))
            continue;
        g->told = true;
        if (signals_why())
            g->lane->rc = signals_stopped(&g->lane->error);
    }
}

/* Notes that the encodes of this run, or of an earlier one, may have other scores than those that wait. */
static void note_mix(struct ladder *l)
{
    const bool waits = walk_waits(&l->walk);
    for (uint32_t k = 0; k < l->walk.run.lanes; k++)
        rung_at(l, k)->cli->mix = l->mixed ? MIX_LATER : waits ? MIX_FIRST : MIX_NONE;
    l->mixed = l->mixed || waits;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* --align auto, of the encodes that wait. */
static int align_all(struct ladder *l, struct assay_error *e)
{
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        struct assay_error why = {0};
        if (g->lane->state != LANE_WAITING || !g->cli->q.align.wish || g->cli->q.align.applied)
            continue;
        const int rc = align_apply(g->cli, &why);
        if (rc && signals_why())
            return signals_stopped(e);
        if (rc)
            lane_fail(g->lane, rc, &why);
    }
    return ASSAY_OK;
}

static int take_step(struct ladder *l, enum walk_step step, struct assay_error *e)
{
    switch (step) {
    case WALK_REFERENCE: return align_all(l, e);
    case WALK_CHOSEN:
        for (uint32_t k = 0; k < l->rungs; k++)
            if (l->walk.lane[k].later[0] && !l->cli->quiet)
                text_say("%s", l->walk.lane[k].later);
        note_mix(l);
        return ASSAY_OK;
    case WALK_READY:
        tell_failures(l);
        TRY(first_failure(l, e));
        if (l->walk.run.lanes)
            score_notices(l);
        return ASSAY_OK;
    case WALK_STARTED: return score_started(l, e);
    case WALK_PAIR: return score_pair(l, e);
    case WALK_SCORED:
        score_frame(l);
        return ASSAY_OK;
    case WALK_READ:
        note_common_failure(l);
        score_read(l);
        return ASSAY_OK;
    default: return ASSAY_OK;
    }
}

/* A group of encodes is done. Fails where that ends the walk: when the first group fails as a whole. */
static int group_over(struct ladder *l, bool first, struct assay_error *e)
{
    const struct walk *w = &l->walk;
    struct assay_error late = {0};
    const int closed = plane_codes_close(&l->codes, &late);
    struct lane *lead = w->run.lanes ? w->run.lane[0] : NULL;
    if (closed && lead && !lead->rc)
        lead->rc = assay_fail(&lead->error, closed, "%s", late.text);
    progress_erase(&l->progress);
    note_common_failure(l);
    tell_failures(l);
    int rc = w->rc < 0 && signals_why() ? signals_stopped(e)
             : w->rc                     ? assay_fail(e, w->rc, "%s", w->error.text) : ASSAY_OK;
    rc = rc ? rc : first_failure(l, e);
    return first || l->cli->all_or_none ? rc : ASSAY_OK;
}

static int walk_all(struct ladder *l, struct assay_error *e)
{
    bool first = true;
    for (enum walk_step step; (step = walk_next(&l->walk)) != WALK_END;) {
        struct assay_error why = {0};
        const int rc = take_step(l, step, &why);
        if (rc)
            walk_fail(&l->walk, rc, &why);
        if (step == WALK_OVER)
            TRY(group_over(l, first, e));
        first = first && step != WALK_OVER;
    }
    return ASSAY_OK;
}

/* The result of all encodes: that of the first one that has failed, with the names of all that have. */
static int conclude(const struct ladder *l, int gates, struct assay_error *e)
{
    char names[700] = "";
    uint32_t failed = 0;
    int rc = ASSAY_OK;
    bool alike = true;
    for (uint32_t k = 0; k < l->rungs; k++) {
        const struct rung *g = &l->rung[k];
        if (g->lane->rc >= 0)
            continue;
        rc = rc ? rc : g->lane->rc;
        alike = alike && !strcmp(g->lane->error.text, l->rung[0].lane->error.text);
        text_append(names, sizeof names, "%s%s", failed++ ? ", " : "", g->cli->q.path[1]);
    }
    if (l->rungs == 1 || (rc && alike && failed == l->rungs)) /* or a cause that all share, such as a signal */
        return rc ? assay_fail(e, rc, "%s", l->rung[0].lane->error.text) : l->rung[0].lane->rc;
    return rc ? assay_fail(e, rc, "%u of %u encodes failed: %s", failed, l->rungs, names) : gates;
}

/* What is said of all encodes. Returns 1 when a gate failed. */
static int report_all(struct ladder *l, struct assay_error *e)
{
    struct stored entries[ASSAY_ENCODES];
    for (uint32_t k = 0; k < l->rungs; k++) {
        result_over(&l->rung[k].x, l->rung[k].lane);
        entries[k] = l->rung[k].x;
    }
    return ladder_reports_finish(&l->reports, l->cli, l->rung[0].cli->q.path[0], entries, l->rungs, e);
}

static int score_all(struct ladder *l, int *gates, struct assay_error *e)
{
    const struct cli *c = l->cli;
    walk_open(&l->walk, &c->q, l->rungs);
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        g->lane = &l->walk.lane[k];
        TRY(ladder_arguments(c, k, g, e));
        g->lane->q = &g->cli->q;
    }
    TRY(spared(l, e));
    for (uint32_t k = 0; c->worst.frames && k < l->rungs; k++)
        TRY(worst_inputs(l->rung[k].cli, "--frames-worst", e));
    if (l->rungs > 1)
        TRY(ladder_reports_open(&l->reports, c, e));
    TRY(walk_all(l, e));
    if (l->rungs > 1)
        *gates = report_all(l, e);
    for (uint32_t k = 0; l->rungs > 1 && k < l->rungs; k++)
        if (l->rung[k].lane->rc >= 0 || l->rung[k].lane->rc == ASSAY_EMISMATCH)
            align_hint(l->rung[k].cli, &l->rung[k].x.scores);
    return *gates < 0 ? *gates : ASSAY_OK;
}

int ladder_score(struct ladder **ladder, const struct cli *c, struct assay_error *e)
{
    int gates = 0;
    signals_catch(false);
    struct ladder *l = *ladder = calloc(1, sizeof *l);
    if (!l)
        return assay_fail_memory(e, "the run");
    l->cli = c;
    l->rungs = c->q.encodes;
    const int rc = score_all(l, &gates, e);
    return rc ? rc : conclude(l, gates, e);
}

const struct stored *ladder_results(const struct ladder *l, uint32_t encode)
{
    return &l->rung[encode].x;
}

void ladder_close(struct ladder **ladder)
{
    struct ladder *l = *ladder;
    if (!l)
        return;
    walk_close(&l->walk);
    results_close(&l->reports);
    for (uint32_t k = 0; k < l->rungs; k++) {
        results_close(&l->rung[k].results);
        stored_free(&l->rung[k].x);
    }
    free(l);
    *ladder = NULL;
}

int cli_score(const struct cli *c, struct assay_error *e)
{
    struct ladder *l;
    const int rc = ladder_score(&l, c, e);
    ladder_close(&l);
    return rc;
}
