/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/ladder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/differences.h"
#include "host/text.h"
#include "input/stream.h"

struct ladder {
    const struct cli *cli;
    struct rung rung[ASSAY_ENCODES], *all[ASSAY_ENCODES];
    uint32_t rungs;
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

static void fail_rung(struct rung *g, int rc, const struct assay_error *why)
{
    g->state = RUNG_DONE;
    g->rc = rc;
    g->error = *why;
}

/* Names the encodes that have failed, each once. The message of a single pair is the command's last line. */
static void tell_failures(struct ladder *l)
{
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        const char *path = g->cli->q.path[1], *slash = strrchr(path, '/');
        const bool named = strstr(g->error.text, slash ? slash + 1 : path) != NULL;
        if (g->state == RUNG_DONE && l->rungs > 1 && g->rc < 0 && !g->told && !signals_why())
            text_say("%s%s%s", named ? "" : path, named ? "" : ": ", g->error.text);
        g->told = g->told || g->state == RUNG_DONE;
    }
}

/* ---- which encodes a run takes ----------------------------------------------------------------------------------- */

/* Whether the metrics that were named can score an encode; or, for NULL, the reference beside its like. */
static int check_metrics(const struct run *r, const struct pair *p, struct assay_error *e)
{
    const struct cli *c = r->cli;
    assay_config config = c->q.config;
    config.encodes = 1;
    if (p)
        pair_configure(p, &config);
    for (uint32_t i = 0; i < c->q.metrics; i++) {
        char why[512];
        const assay_format *format = p ? &p->format : &r->reference.source[0].format;
        const int rc = assay_metric_allows(c->q.metric[i], &config, format, why, sizeof why);
        if (rc)
            return assay_fail(e, rc, "%s%s%s", p ? p->source[1].input->name : "", p ? ": " : "", why);
    }
    return ASSAY_OK;
}

/* Opens the waiting encodes and compares each with the reference. */
static int open_all(struct run *r, struct ladder *l, struct assay_error *e)
{
    const struct input *in[ASSAY_ENCODES + 1] = {r->reference.source[0].input};
    uint32_t inputs = 1;
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        struct assay_error why = {0};
        if (g->state != RUNG_WAITING)
            continue;
        int rc = g->cli->q.align.wish && !g->cli->q.align.applied ? align_apply(g->cli, &why) : ASSAY_OK;
        rc = rc ? rc : pair_open_encode(&g->pair, &r->reference, g->cli, &why);
        if (rc && signals_why())
            return signals_stopped(e);
        g->width = rc ? 0 : g->pair.source[1].input->whole_width;
        g->height = rc ? 0 : g->pair.source[1].input->whole_height;
        if (rc)
            fail_rung(g, rc, &why);
        else
            in[inputs++] = g->pair.source[1].input;
    }
    if (inputs > 1)
        TRY(pair_check_inputs(in, inputs, r->cli, e));
    TRY(l->rungs > 1 ? check_metrics(r, NULL, e) : ASSAY_OK);
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        struct assay_error why = {0};
        int rc = g->state == RUNG_WAITING ? differences_check(&g->pair, g->cli, &why) : ASSAY_OK;
        if (!rc && g->state == RUNG_WAITING && l->rungs > 1)
            rc = check_metrics(r, &g->pair, &why);
        if (rc)
            fail_rung(g, rc, &why);
    }
    return ASSAY_OK;
}

/* What a session compares with an encode: "the reference as yuv420p of 1920x1080". */
static void as_text(char *text, size_t size, const struct pair *p)
{
    char format[32];
    snprintf(text, size, "%s of %ux%u", input_format_name(&p->format, format), p->width, p->height);
}

/* An encode that needs a run of its own waits for it. What standard input has given can't be read again. */
static void postpone(const struct run *r, struct rung *g, const char *why)
{
    const bool piped = !strcmp(r->cli->q.path[0], "-") || !strcmp(g->cli->q.path[1], "-");
    struct assay_error failed = {0};
    if (piped) {
        assay_fail(&failed, ASSAY_EMISMATCH, "%s: %s, so it needs a run of its own, and standard input is read once",
                   g->cli->q.path[1], why);
        fail_rung(g, failed.code, &failed);
    } else if (!r->cli->quiet) {
        text_say("%s: %s, so it is scored in a run of its own", g->cli->q.path[1], why);
    }
}

/* Chooses the first waiting encode, and those that one session can score beside it. */
static void choose(struct run *r, struct ladder *l)
{
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = &l->rung[k];
        const struct rung *lead = r->rungs ? r->rung[0] : NULL;
        if (g->state != RUNG_WAITING)
            continue;
        const bool beside = lead && pair_like(&lead->pair, &g->pair);
        if (!lead || (beside && lead->cli->q.skip[0] == g->cli->q.skip[0])) {
            g->pair.encode = r->rungs;
            g->state = RUNG_RUNNING;
            g->stop = g->limit = UINT64_MAX;
            r->rung[r->rungs++] = g;
            continue;
        }
        char one[64], other[64], why[256];
        as_text(one, sizeof one, &g->pair);
        as_text(other, sizeof other, &lead->pair);
        if (beside)
            snprintf(why, sizeof why, "it is compared with the reference from another frame on");
        else
            snprintf(why, sizeof why, "it is compared with the reference as %s, not as %s", one, other);
        postpone(r, g, why);
        pair_close(&g->pair);
        g->pair = (struct pair){0};
    }
}

static bool any_waits(const struct ladder *l)
{
    bool waits = false;
    for (uint32_t k = 0; k < l->rungs; k++)
        waits = waits || l->rung[k].state == RUNG_WAITING;
    return waits;
}

/* Notes that the encodes of this run, or of an earlier one, may have other scores than those that wait. */
static void note_mix(const struct run *r, struct ladder *l)
{
    const bool waits = any_waits(l);
    for (uint32_t k = 0; k < r->rungs; k++)
        r->rung[k]->cli->mix = l->mixed ? MIX_LATER : waits ? MIX_FIRST : MIX_NONE;
    l->mixed = l->mixed || waits;
}

/* Makes the inputs of the chosen encodes ready to be read. */
static int ready(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->rung[0]->cli;
    struct pair *all = &r->reference;
    const struct pair *lead = &r->rung[0]->pair;
    all->format = lead->format;
    all->distorted = lead->distorted;
    all->width = lead->width;
    all->height = lead->height;
    TRY(pair_ready(all, 0, c, e));
    uint32_t good = 0;
    for (uint32_t k = 0; k < r->rungs; k++) {
        struct rung *g = r->rung[k];
        struct assay_error why = {0};
        g->pair.source[0].input = all->source[0].input;
        const int rc = pair_ready(&g->pair, 1, g->cli, &why);
        if (rc && signals_why())
            return signals_stopped(e);
        if (rc) {
            fail_rung(g, rc, &why);
            pair_close(&g->pair);
            continue;
        }
        g->pair.encode = good;
        r->rung[good++] = g;
    }
    r->rungs = good;
    return ASSAY_OK;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Frees what a run has made for an encode, so that another one can take it. */
static void clear(struct rung *g)
{
    pairing_close(&g->pairing);
    results_close(&g->results);
    scores_free(&g->scores);
    times_free(&g->times);
    free(g->direction);
    free(g->key);
    free(g->row);
    free(g->column);
    free(g->alone_column);
    thumbs_free(&g->thumbs);
    free(g->kept);
    struct rung fresh = {.cli = g->cli, .name = g->name, .state = g->state, .rc = g->rc,
                         .error = g->error, .times.lock = PTHREAD_MUTEX_INITIALIZER};
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
    for (uint32_t i = 0; i < g->columns; i++)
        g->key[i] = keep_text(to, &used, g->key[i]);
    for (uint32_t i = 0; i < g->results.aggregates; i++)
        g->results.aggregate[i].key = keep_text(to, &used, g->results.aggregate[i].key);
    for (uint32_t i = 0; i < g->description.fields; i++)
        g->description.field[i].value = keep_text(to, &used, g->description.field[i].value);
    return used;
}

/* Copies the texts of an encode's results that the session and the inputs have, which are closed before the results of
 * all encodes are written. */
static int keep(struct rung *g, struct assay_error *e)
{
    g->kept = malloc(keep_all(g, NULL) + 1);
    if (!g->kept)
        return assay_fail_memory(e, "the results of an encode");
    keep_all(g, g->kept);
    return ASSAY_OK;
}

static int one_run(struct run *r, struct ladder *l, int (*score)(struct run *, struct assay_error *),
                   struct assay_error *e)
{
    TRY(pair_open_reference(&r->reference, l->rung[0].cli, e));
    TRY(open_all(r, l, e));
    choose(r, l);
    note_mix(r, l);
    if (r->rungs)
        TRY(ready(r, e));
    tell_failures(l);
    return r->rungs ? score(r, e) : ASSAY_OK;
}

/* A run of the encodes that wait. When it fails as a whole, all of them fail. */
static int next_run(struct ladder *l, int (*score)(struct run *, struct assay_error *), struct assay_error *e)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the run");
    r->cli = l->cli;
    r->lock = r->times.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    int rc = one_run(r, l, score, e);
    if (rc < 0 && signals_why() && !r->started)
        rc = signals_stopped(e);
    for (uint32_t k = 0; !rc && l->rungs > 1 && k < r->rungs; k++)
        rc = keep(r->rung[k], e);
    run_close(r);
    pthread_mutex_destroy(&r->lock);
    for (uint32_t k = 0; k < l->rungs; k++) {
        pair_close(&l->rung[k].pair);
        if (l->rung[k].state != RUNG_DONE)
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
        if (g->rc >= 0)
            continue;
        rc = rc ? rc : g->rc;
        alike = alike && !strcmp(g->error.text, l->rung[0].error.text);
        snprintf(names + n, sizeof names - n, "%s%s", failed++ ? ", " : "", g->cli->q.path[1]);
    }
    if (l->rungs == 1 || (rc && alike && failed == l->rungs)) /* or a cause that all share, such as a signal */
        return rc ? assay_fail(e, rc, "%s", l->rung[0].error.text) : l->rung[0].rc;
    return rc ? assay_fail(e, rc, "%u of %u encodes failed: %s", failed, l->rungs, names) : gates;
}

static int score_all(struct ladder *l, int (*score)(struct run *, struct assay_error *), struct assay_error *e)
{
    const struct cli *c = l->cli;
    for (uint32_t k = 0; k < l->rungs; k++) {
        struct rung *g = l->all[k] = &l->rung[k];
        g->times.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        TRY(ladder_arguments(c, k, g, e));
    }
    TRY(ladder_spared(c, l->all, l->rungs, e));
    for (uint32_t k = 0; c->worst.frames && k < l->rungs; k++)
        TRY(worst_inputs(l->rung[k].cli, "--frames-worst", e));
    if (l->rungs > 1)
        TRY(ladder_reports_open(&l->reports, c, e));
    for (bool first = true; any_waits(l); first = false) {
        struct assay_error why = {0};
        const int rc = next_run(l, score, &why);
        if (rc && first)
            return assay_fail(e, rc, "%s", why.text);
        for (uint32_t k = 0; rc && k < l->rungs; k++)
            if (l->rung[k].state != RUNG_DONE)
                fail_rung(&l->rung[k], rc, &why);
    }
    int gates = 0;
    if (l->rungs > 1)
        gates = ladder_reports_finish(&l->reports, c, l->all, l->rungs, e);
    for (uint32_t k = 0; l->rungs > 1 && k < l->rungs; k++)
        if (l->rung[k].rc >= 0 || l->rung[k].rc == ASSAY_EMISMATCH)
            align_hint(l->rung[k].cli, &l->rung[k].scores);
    return gates < 0 ? gates : conclude(l, gates, e);
}

int ladder_score(const struct cli *c, int (*score)(struct run *r, struct assay_error *e), struct assay_error *e)
{
    struct ladder *l = calloc(1, sizeof *l);
    if (!l)
        return assay_fail_memory(e, "the run");
    l->cli = c;
    l->rungs = c->q.encodes > 1 ? c->q.encodes : 1;
    const int rc = score_all(l, score, e);
    ladder_reports_close(&l->reports);
    for (uint32_t k = 0; k < l->rungs; k++) {
        clear(&l->rung[k]);
        ladder_arguments_free(&l->rung[k]);
    }
    free(l);
    return rc;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int ladder_memory(const struct run *r, struct assay_error *e)
{
    assay_work work;
    TRY(cli_failed(r->session, assay_session_work(r->session, &work), e));
    if (!r->cli->quiet)
        text_say("%u encode%s at once: %.1f MiB of memory for %u frames of all %u inputs, %.1f MiB for "
                 "what is computed", r->rungs, r->rungs > 1 ? "s" : "", (double)work.picture_bytes / 1048576.0,
                 work.frames, r->rungs + 1, (double)work.device_bytes / 1048576.0);
    return ASSAY_OK;
}
