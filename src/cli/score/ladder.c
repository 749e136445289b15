/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/score/ladder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"

struct ladder {
    const struct cli *cli;
    struct rung rung[ASSAY_ENCODES], *all[ASSAY_ENCODES];
    struct lane *lane[ASSAY_ENCODES]; /* of the rungs */
    uint32_t rungs;
    assay_session *session[ASSAY_ENCODES]; /* finished ones, which have the scores */
    uint32_t sessions;
    bool mixed;              /* encodes have waited for a run after the first one */
    struct ladder_reports reports;
};

/* ---- what can't be combined -------------------------------------------------------------------------------------- */

int ladder_check(const struct cli *c, struct assay_error *e)
{
    if (c->shard)
        return assay_fail(e, ASSAY_EUSAGE, "--shard takes one encode: score each in parts of its own");
    for (uint32_t k = 0; c->q.align.wish && k < c->q.encodes; k++)
        if (!strcmp(c->q.encode[k], "-"))
            return assay_fail(e, ASSAY_EUSAGE, "--align auto reads the inputs twice, and one of them is standard "
                              "input");
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
        const char *one = o->kind == REPORT_XML     ? "--xml"
                          : o->kind == REPORT_SUB   ? "--sub"
                          : o->kind == REPORT_XPSNR ? "--xpsnr-log" : NULL;
        if (one && !ladder_has_place(o->path))
            return assay_fail(e, ASSAY_EUSAGE, "%s writes one encode: with several, '%s' needs {name} in it, which "
                              "stands for each one's name", one, o->path);
    }
    return ASSAY_OK;
}

/* ---- encodes that fail ------------------------------------------------------------------------------------------- */

/* The line of an encode's failure begins with this: its path and a colon, unless the failure names it. */
static void name_failed(char *text, size_t size, const struct rung *g)
{
    const char *path = g->cli->q.path[1], *slash = strrchr(path, '/');
    const bool named = signals_why() || strstr(g->lane.error.text, slash ? slash + 1 : path);
    snprintf(text, size, "%s%s", named ? "" : path, named ? "" : ": ");
}

/* The failure of the first encode that has failed, where that ends the run. */
static int first_failure(const struct ladder *l, struct assay_error *e)
{
    char name[PATH_MAX];
    for (uint32_t k = 0; l->cli->all_or_none && l->rungs > 1 && k < l->rungs; k++) {
        const struct rung *g = &l->rung[k];
        if (g->lane.state != LANE_DONE || g->lane.rc >= 0)
            continue;
        name_failed(name, sizeof name, g);
        return assay_fail(e, g->lane.rc, "%s%s", name, g->lane.error.text);
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
        if (g->lane.state == LANE_DONE && !last && g->lane.rc < 0 && !g->told && !signals_why())
            text_say("%s%s", name, g->lane.error.text);
        g->told = g->told || g->lane.state == LANE_DONE;
    }
}

/* Notes that the encodes of this run, or of an earlier one, may have other scores than those that wait. */
static void note_mix(const struct cli_run *r, struct ladder *l)
{
    const bool waits = lanes_wait(l->lane, l->rungs);
    for (uint32_t k = 0; k < r->run.lanes; k++)
        rung_at(r, k)->cli->mix = l->mixed ? MIX_LATER : waits ? MIX_FIRST : MIX_NONE;
    l->mixed = l->mixed || waits;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Frees what a run has made for an encode, so that another one can take it. */
static void clear(struct rung *g)
{
    lane_clear(&g->lane);
    results_close(&g->results);
    scores_free(&g->scores);
    free(g->direction);
    free(g->key);
    free(g->column);
    free(g->alone_column);
    thumbs_free(&g->thumbs);
    free(g->kept);
    struct rung fresh = {.lane = g->lane, .cli = g->cli, .name = g->name};
    memcpy(fresh.path, g->path, sizeof fresh.path);
    *g = fresh;
}

/* Copies a text behind those that are kept. With `to` NULL, only counts its bytes. */
static const char *keep_text(char *to, size_t *used, const char *text)
{
    const size_t n = text ? strlen(text) + 1 : 0;
    char *at = to ? to + *used : NULL;
    *used += n;
    return at && n ? memcpy(at, text, n) : text;
}

static size_t keep_all(struct rung *g, char *to)
{
    size_t used = 0;
    for (uint32_t i = 0; i < g->description.fields; i++)
        g->description.field[i].value = keep_text(to, &used, g->description.field[i].value);
    return used;
}

/* Copies the texts of an encode's results that the inputs have, which are closed before the results of all encodes are
 * written. */
static int keep(struct rung *g, struct assay_error *e)
{
    g->kept = malloc(keep_all(g, NULL) + 1);
    if (!g->kept)
        return assay_fail_memory(e, "the results of an encode");
    keep_all(g, g->kept);
    return ASSAY_OK;
}

/* --align auto, of the encodes that wait. */
static int align_all(struct ladder *l, struct assay_error *e)
{
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        struct assay_error why = {0};
        if (g->lane.state != LANE_WAITING || !g->cli->q.align.wish || g->cli->q.align.applied)
            continue;
        const int rc = align_apply(g->cli, &why);
        if (rc && signals_why())
            return signals_stopped(e);
        if (rc)
            lane_fail(&g->lane, rc, &why);
    }
    return ASSAY_OK;
}

/* Keeps the scores of a run that ends, until the results of all encodes are written. */
static int keep_scores(struct ladder *l, struct cli_run *r, struct assay_error *e)
{
    assay_session *s = r->run.session;
    if (!s)
        return ASSAY_OK;
    l->session[l->sessions++] = s; /* a run has an encode that no other run has */
    r->run.session = NULL;
    for (uint32_t k = 0; l->rungs > 1 && k < r->run.lanes; k++)
        TRY(keep(rung_at(r, k), e));
    return session_failed(s, assay_session_finish(s), e);
}

static int one_run(struct cli_run *r, struct ladder *l, struct assay_error *e)
{
    TRY(run_open_reference(&r->run, l->lane[0]->q, e));
    TRY(align_all(l, e));
    TRY(run_open(&r->run, l->lane, l->rungs, e));
    run_choose(&r->run, l->lane, l->rungs);
    for (uint32_t k = 0; k < l->rungs; k++)
        run_show(r, NULL, l->lane[k]->later);
    note_mix(r, l);
    if (r->run.lanes)
        TRY(run_ready(&r->run, e));
    tell_failures(l);
    TRY(first_failure(l, e));
    return r->run.lanes ? cli_run_score(r, e) : ASSAY_OK;
}

/* A run of the encodes that wait. When it fails as a whole, all of them fail. */
static int next_run(struct ladder *l, struct assay_error *e)
{
    struct cli_run *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the run");
    r->cli = l->cli;
    run_init(&r->run, &l->cli->q);
    int rc = one_run(r, l, e);
    if (rc < 0 && signals_why() && !r->started)
        rc = signals_stopped(e);
    rc = rc ? rc : keep_scores(l, r, e);
    cli_run_close(r);
    for (uint32_t k = 0; k < l->rungs; k++) {
        pair_close(&l->rung[k].lane.pair);
        if (l->rung[k].lane.state != LANE_DONE)
            clear(&l->rung[k]);
    }
    tell_failures(l);
    free(r);
    return rc;
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
        const size_t n = strlen(names);
        if (g->lane.rc >= 0)
            continue;
        rc = rc ? rc : g->lane.rc;
        alike = alike && !strcmp(g->lane.error.text, l->rung[0].lane.error.text);
        snprintf(names + n, sizeof names - n, "%s%s", failed++ ? ", " : "", g->cli->q.path[1]);
    }
    if (l->rungs == 1 || (rc && alike && failed == l->rungs)) /* or a cause that all share, such as a signal */
        return rc ? assay_fail(e, rc, "%s", l->rung[0].lane.error.text) : l->rung[0].lane.rc;
    return rc ? assay_fail(e, rc, "%u of %u encodes failed: %s", failed, l->rungs, names) : gates;
}

static int score_all(struct ladder *l, struct assay_error *e)
{
    const struct cli *c = l->cli;
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = l->all[k] = &l->rung[k];
        g->lane = (struct lane)LANE_START;
        l->lane[k] = &g->lane;
        TRY(ladder_arguments(c, k, g, e));
        g->lane.q = &g->cli->q;
    }
    TRY(ladder_spared(c, l->all, l->rungs, e));
    for (uint32_t k = 0; c->worst.frames && k < l->rungs; k++)
        TRY(worst_inputs(l->rung[k].cli, "--frames-worst", e));
    if (l->rungs > 1)
        TRY(ladder_reports_open(&l->reports, c, e));
    for (bool first = true; lanes_wait(l->lane, l->rungs); first = false) {
        struct assay_error why = {0};
        int rc = next_run(l, &why);
        rc = rc ? rc : first_failure(l, &why);
        if (rc && (first || c->all_or_none))
            return assay_fail(e, rc, "%s", why.text);
        for (uint32_t k = 0; rc && k < l->rungs; k++)
            if (l->rung[k].lane.state != LANE_DONE)
                lane_fail(&l->rung[k].lane, rc, &why);
    }
    int gates = 0;
    if (l->rungs > 1)
        gates = ladder_reports_finish(&l->reports, c, l->all, l->rungs, e);
    for (uint32_t k = 0; l->rungs > 1 && k < l->rungs; k++)
        if (l->rung[k].lane.rc >= 0 || l->rung[k].lane.rc == ASSAY_EMISMATCH)
            align_hint(l->rung[k].cli, &l->rung[k].scores);
    return gates < 0 ? gates : conclude(l, gates, e);
}

int cli_score(const struct cli *c, struct assay_error *e)
{
    signals_catch();
    struct ladder *l = calloc(1, sizeof *l);
    if (!l)
        return assay_fail_memory(e, "the run");
    l->cli = c;
    l->rungs = c->q.encodes > 1 ? c->q.encodes : 1;
    const int rc = score_all(l, e);
    ladder_reports_close(&l->reports);
    for (uint32_t k = 0; k < l->rungs; k++) {
        clear(&l->rung[k]);
        ladder_arguments_free(&l->rung[k]);
    }
    for (uint32_t k = 0; k < l->sessions; k++)
        assay_session_close(&l->session[k]);
    free(l);
    return rc;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int ladder_memory(const struct cli_run *r, struct assay_error *e)
{
    assay_work work;
    TRY(session_failed(r->run.session, assay_session_work(r->run.session, &work), e));
    if (!r->cli->quiet)
        text_say("%u encode%s at once: %.1f MiB of memory for %u frames of all %u inputs, %.1f MiB for "
                 "what is computed", r->run.lanes, r->run.lanes > 1 ? "s" : "", (double)work.picture_bytes / 1048576.0,
                 work.frames, r->run.lanes + 1, (double)work.device_bytes / 1048576.0);
    return ASSAY_OK;
}
