/* SPDX-License-Identifier: BSD-2-Clause */
/* assay REFERENCE DISTORTED */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/borders.h"
#include "cli/differences.h"
#include "cli/ladder.h"
#include "cli/pairing.h"
#include "cli/run.h"
#include "host/clock.h"
#include "host/libvmaf.h"
#include "host/text.h"
#include "input/stream.h"
#include "report/shard.h"

/* Notes the first frame at which the distance in time between the two sides changes by more than half a frame: one side
 * has lost a frame there, or shows one longer. Containers that count milliseconds round each time by up to one. */
static void watch_times(struct run *r, struct rung *g, uint64_t frame)
{
    enum { ROUNDING = 3000000 };
    const assay_format *f = &r->reference.source[0].input->format;
    const uint64_t picture = frame - r->cli->q.first;
    const int64_t a = times_get(&r->times, picture), b = times_get(&g->times, picture);
    if (g->pairing || a == SCORES_NO_TIME || b == SCORES_NO_TIME || !f->rate_num || g->timing[0] ||
        g->pair.overridden[ALLOW_RATE])
        return;
    const int64_t half = (int64_t)(UINT64_C(500000000) * f->rate_den / f->rate_num), apart = b - a,
                  moved = g->has_apart ? apart - g->apart : 0, size = moved < 0 ? -moved : moved;
    g->apart = apart;
    g->has_apart = true;
    if (size > half && size > ROUNDING)
        snprintf(g->timing, sizeof g->timing,
                 "timing: from frame %" PRIu64 " on %s is shown %.3f s later than before beside the other one: frames "
                 "are paired by number, so one side may lack frames; --pair time pairs them by time",
                 frame, g->pair.source[moved > 0].input->name,
                 (double)size / 1e9);
}

/* Takes an encode's scores of a frame. */
static int rung_frame(struct run *r, struct rung *g, uint64_t frame, const double *values)
{
    const int64_t time = times_get(&r->times, frame - r->cli->q.first);
    watch_times(r, g, frame);
    for (uint32_t i = 0; i < g->columns; i++)
        g->row[i] = values[g->column[i]];
    TRY(scores_add(&g->scores, frame, time, g->row, &g->report_error));
    TRY(results_frame(&g->results, g->cli, frame, time, g->row, &g->report_error));
    g->scored++;
    return ASSAY_OK;
}

/* Goes on while the scores of an encode can be written. */
static int on_frame(void *opaque, uint64_t frame, const double *values)
{
    struct run *r = opaque;
    bool left = false;
    for (uint32_t k = 0; k < r->rungs; k++) {
        struct rung *g = r->rung[k];
        if (!g->report_error.code && run_counts(r, g, frame))
            rung_frame(r, g, frame, values);
        left = left || !g->report_error.code;
    }
    progress_update(&r->progress, ++r->scored);
    return !left;
}

/* Makes the table of an encode's scores before the first frame. */
static int make_table(const struct run *r, struct rung *g, struct assay_error *e)
{
    const uint32_t keys = assay_session_keys(r->session) / r->rungs;
    g->column = calloc(keys + 1, sizeof *g->column);
    g->row = calloc(keys + 1, sizeof *g->row);
    g->key = calloc(keys + 1, sizeof *g->key);
    g->direction = calloc(keys + 1, sizeof *g->direction);
    g->alone_column = calloc(keys + 1, sizeof *g->alone_column);
    if (!g->column || !g->row || !g->key || !g->direction || !g->alone_column)
        return assay_fail_memory(e, "the scores");
    g->columns = keys;
    for (uint32_t i = 0; i < keys; i++)
        g->column[i] = g->pair.encode * keys + i;
    if (r->cli->command == COMMAND_VMAF)
        g->columns = vmaf_columns(r->cli, r->session, g->column);
    for (uint32_t i = 0; i < g->columns; i++) {
        g->alone_column[i] = g->column[i] - g->pair.encode * keys;
        g->key[i] = assay_session_key(r->session, g->column[i]);
        g->direction[i] = (signed char)assay_session_key_direction(r->session, g->column[i]);
    }
    TRY(scores_init(&g->scores, g->columns, g->key, e));
    g->scores.direction = g->direction;
    return ASSAY_OK;
}

void run_show(const struct run *r, const char *name, const char *line)
{
    for (size_t n; !r->cli->quiet && *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        text_say("%s%s%.*s", name ? name : "", name ? ": " : "", (int)n, line);
    }
}

const char *run_name(const struct run *r, const struct rung *g)
{
    return r->cli->q.encodes > 1 ? g->pair.source[1].input->name : NULL;
}

static int dump(const struct run *r, struct assay_error *e)
{
    char *(*const describe[2])(const assay_session *) = {assay_session_describe_graph, assay_session_describe_memory};
    const bool wanted[2] = {r->cli->dump_graph, r->cli->dump_memory};
    for (unsigned i = 0; i < 2; i++) {
        char *text = wanted[i] ? describe[i](r->session) : NULL;
        if (wanted[i] && !text)
            return assay_fail_memory(e, "the description of the graph");
        if (text)
            fputs(text, results_stream(r->cli));
        free(text);
    }
    return ASSAY_OK;
}

/* Checks before the run whether the shard can be written. Creates no file. */
static int shard_has_place(const char *path, struct assay_error *e)
{
    struct stat st;
    char folder[PATH_MAX];
    int why = 0;
    text_folder(folder, sizeof folder, path);
    if (!stat(path, &st))
        why = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    else if (errno != ENOENT || !*path || access(folder, W_OK | X_OK))
        why = errno;
    return why ? assay_fail(e, ASSAY_EINTERNAL, "%s: can't be opened for writing: %s", path, strerror(why)) : ASSAY_OK;
}

static int start_session(struct run *r, struct assay_error *e)
{
    assay_config config = r->cli->q.config;
    const assay_format *format = &r->rung[0]->pair.format;
    run_plan_readers(r);
    config.prefetch_frames = run_prefetch(r);
    config.gpu_sides = r->reference.source[0].input->on_device;
    const char *name[ASSAY_ENCODES];
    for (uint32_t k = 0; k < r->rungs; k++) {
        name[k] = r->rung[k]->cli->q.path[1];
        config.gpu_sides |= r->rung[k]->pair.source[1].input->on_device ? 2u << k : 0;
        r->distorted[k] = *pair_side(&r->rung[k]->pair, 1);
        pair_configure(&r->rung[k]->pair, &config);
    }
    config.distorted = r->distorted;
    config.encodes = r->rungs;
    TRY(cli_session(&r->session, &config, e));
    TRY(cli_add_metrics(r->cli, r->session, &config, format, name, r->rungs, e));
    TRY(cli_failed(r->session, assay_session_set_callback(r->session, on_frame, r), e));
    TRY(cli_failed(r->session, assay_session_start(r->session, format), e));
    for (unsigned plane = 0; plane < 3; plane++) {
        r->reference.source[0].unread[plane] = !assay_session_reads(r->session, 0, plane);
        for (uint32_t k = 0; k < r->rungs; k++)
            r->rung[k]->pair.source[1].unread[plane] = !assay_session_reads(r->session, k + 1, plane);
    }
    return ASSAY_OK;
}

/* Whether a text has a line of `length` bytes as one of its own. */
static bool has_line(const char *text, const char *line, size_t length)
{
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        if (n == length && !strncmp(text, line, n))
            return true;
    }
    return false;
}

/* Shows what metrics took for granted: a line once where it holds for all encodes, else with the encode's name. */
static void show_notes(const struct run *r)
{
    for (uint32_t k = 0; k < r->rungs; k++) {
        const char *at = assay_session_encode_notes(r->session, k);
        for (size_t n; *at; at += n + (at[n] == '\n')) {
            bool all = true;
            n = strcspn(at, "\n");
            for (uint32_t i = 0; i < r->rungs; i++)
                all = all && has_line(assay_session_encode_notes(r->session, i), at, n);
            const char *name = all ? NULL : run_name(r, r->rung[k]);
            if (!r->cli->quiet && (!all || !k))
                text_say("%s%s%.*s", name ? name : "", name ? ": " : "", (int)n, at);
        }
    }
}

static uint64_t partner(void *opaque, uint64_t frame)
{
    const struct rung *g = opaque;
    return pairing_partner(g->pairing, frame);
}

static int start_rung(struct run *r, struct rung *g, struct assay_error *e)
{
    const struct cli *c = r->cli;
    describe_run(&g->description, g->cli, &g->pair, r->session);
    g->report = (struct report_run){.version = assay_version(), .width = g->pair.width,
                                    .height = g->pair.height, .fields = g->description.fields,
                                    .field = g->description.field, .compared = g->description.compared,
                                    .libvmaf = c->command == COMMAND_VMAF ? libvmaf_version() : NULL,
                                    .fps = c->reproducible ? 0.0 : -1.0,
                                    .partner = c->q.pair_by == PAIR_TIME ? partner : NULL, .partner_opaque = g};
    if (c->shard)
        TRY(shard_has_place(c->shard, e));
    TRY(make_table(r, g, e));
    g->worst = (struct worst_run){.scores = &g->scores, .column = g->alone_column};
    TRY(c->worst.frames ? worst_check(g->cli, &g->pair, r->session, &g->worst, e) : ASSAY_OK);
    return results_open(&g->results, g->cli, r->session, &g->report, g->columns, g->column, g->key, e);
}

static int start(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    TRY(start_session(r, e));
    if (!c->quiet && *assay_session_choice(r->session))
        text_say("%s", assay_session_choice(r->session));
    run_show(r, NULL, assay_session_notice(r->session));
    TRY(stages_check(c, r->session, e));
    for (uint32_t k = 0; k < r->rungs; k++)
        TRY(c->worst.frames ? ASSAY_OK : heatmaps_check(r->rung[k]->cli, r->session, e));
    TRY(plane_codes_open(&r->codes, c->force, r->session, e));
    show_notes(r);
    if (c->q.encodes > 1)
        TRY(ladder_memory(r, e));
    TRY(dump(r, e));
    for (uint32_t k = 0; k < r->rungs; k++)
        TRY(start_rung(r, r->rung[k], e));
    return ASSAY_OK;
}

/* This part's result for `assay merge`. */
static int write_shard(const struct run *r, const struct rung *g, struct assay_error *e)
{
    const struct cli *c = r->cli;
    const uint32_t n = assay_session_totals(r->session);
    struct shard_total *totals = calloc(n + 1, sizeof *totals);
    int rc = totals ? ASSAY_OK : assay_fail_memory(e, "the part's result");
    for (uint32_t i = 0; !rc && i < n; i++) {
        assay_total v;
        snprintf(totals[i].name, sizeof totals[i].name, "%s", assay_session_total_name(r->session, i));
        rc = cli_failed(r->session, assay_session_total(r->session, i, &v), e);
        totals[i].value = rc ? 0 : total_join(v);
    }
    struct shard part = {.run = g->report, .first = c->q.first, .count = g->read, .every = c->q.every,
                         .total = g->total, .scores = g->scores, .totals = n, .exact = totals};
    part.run.aggregates = 0;
    part.run.fps = 0;
    if (!rc)
        rc = shard_write(&part, c->shard, e);
    free(totals);
    return rc;
}

/* The worst frames of an encode, by a second pass. */
static int look_again(const struct run *r, struct rung *g, struct assay_error *e)
{
    const char *none = g->rc ? "the run broke off" : r->cli->q.encodes > 1 && r->cli->q.all_metrics
        ? "all encodes have one list of metrics, and -m all may choose others for one" : NULL;
    g->worst.begin = r->begin;
    g->worst.end = r->cli->q.first + g->read;
    int rc = g->rc || !r->cli->worst.frames ? ASSAY_OK : worst_draw(g->cli, &g->worst, e);
    if (!rc && thumbs_wanted(r->cli))
        rc = thumbs_make(&g->thumbs, g->cli, r->session, &g->worst, none, e);
    if (!rc) /* else pictures may be half made */
        thumbs_show(&g->thumbs, &g->report);
    return rc;
}

/* Writes an encode's reports, also when it broke off; the table and gates, too, of a single pair. Sets its result. */
static void finish(struct run *r, struct rung *g)
{
    const struct cli *c = g->cli;
    const int broken = g->rc;
    struct assay_error unknown = {0}, late = {0};
    pair_damage(&g->pair, NULL);
    /* A look at the first frames does not read the rest of a file for its rate. */
    if (!broken && (!c->q.frames || c->shard) && pair_measure(&g->pair, &unknown) && !c->quiet)
        text_say("the bitrate is not known: %s", unknown.text);
    describe_run(&g->description, c, &g->pair, r->session); /* all overridden differences are known now */
    g->report.fields = g->description.fields;
    g->report.incomplete = broken != 0;
    snprintf(g->reason, sizeof g->reason, "%s", g->error.text);
    g->report.reason = broken ? g->reason : NULL;
    if (!c->reproducible)
        g->report.fps = (double)g->scored / r->seconds;
    const int looked = look_again(r, g, &late);
    int rc = broken ? ASSAY_OK : results_aggregates(&g->results, r->session, &g->report, &late);
    if (!rc && !broken)
        rc = stages_missing(c, &g->scores, &late);
    if (!rc && !broken && c->shard)
        rc = write_shard(r, g, &late);
    if (!rc && !broken && c->scored)
        rc = c->scored(c->scored_opaque, &g->scores, &g->report, &late);
    if (!rc && !broken && c->command == COMMAND_VMAF)
        vmaf_print_scores(c, &g->scores);
    const int shown = results_finish(&g->results, c, &g->scores, &g->report, &late);
    if (!c->quiet)
        pair_damage(&g->pair, results_stream(r->cli));
    rc = looked ? looked : rc ? rc : shown;
    g->rc = broken ? broken : rc;
    if (!broken && rc < 0)
        assay_fail(&g->error, rc, "%s", late.text);
    g->state = RUNG_DONE;
}

static void input_notices(const struct run *r, const struct input *in)
{
    run_show(r, in->name, in->notice);
    run_show(r, in->name, in->decoding);
}

static void notices(const struct run *r)
{
    input_notices(r, r->reference.source[0].input);
    for (uint32_t k = 0; k < r->rungs; k++)
        input_notices(r, r->rung[k]->pair.source[1].input);
    for (uint32_t k = 0; k < r->rungs; k++)
        run_show(r, run_name(r, r->rung[k]), r->rung[k]->pair.notices);
}

static void note_pairing(const struct run *r, struct rung *g)
{
    char text[400];
    if (!g->pairing || !g->pair.paired.pairs)
        return;
    pairing_finish(g->pairing);
    pairing_text(&g->pair.paired, text, sizeof text);
    run_show(r, run_name(r, g), text);
}

static void note_borders(struct run *r, struct rung *g)
{
    char text[800];
    memcpy(g->borders.look[0], r->borders.look[0], sizeof g->borders.look[0]);
    if (!borders_differ(&g->borders, g->cli, &g->pair, text, sizeof text))
        return;
    run_show(r, NULL, text);
    pair_notice(&g->pair, "%s", text);
}

/* The number of frames for the progress line. 0: not known. */
static uint64_t expected_frames(const struct run *r)
{
    uint64_t longest = 0;
    for (uint32_t k = 0; k < r->rungs; k++) {
        const uint64_t frames = pair_frames(&r->rung[k]->pair, r->rung[k]->cli);
        longest = frames > longest ? frames : longest;
    }
    return longest;
}

/* Scores the encodes of a run whose inputs are open. Fails where nothing is scored. */
static int score(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    notices(r);
    TRY(start(r, e));
    if (c->progress || (!c->quiet && !c->no_progress))
        progress_start(&r->progress, stderr, c->progress, expected_frames(r),
                       c->command == COMMAND_VMAF ? PROGRESS_VMAF : "frames");
    r->started = clock_ns();
    struct assay_error all = {0};
    const int rc = run_read(r, &all);
    r->seconds = clock_seconds_since(r->started);
    progress_erase(&r->progress);
    for (uint32_t k = 0; k < r->rungs; k++) {
        struct rung *g = r->rung[k];
        if (rc && (!g->rc || signals_why())) {
            g->error = all;
            g->rc = rc;
            g->told = true; /* once, behind all of them */
        }
        run_show(r, NULL, g->pair.ending);
        run_show(r, NULL, g->timing);
        note_borders(r, g);
        note_pairing(r, g);
        finish(r, g);
        if ((g->rc >= 0 || g->rc == ASSAY_EMISMATCH) && r->cli->q.encodes <= 1)
            align_hint(g->cli, &g->scores); /* whose keys are the session's */
    }
    return ASSAY_OK;
}

void run_close(struct run *r)
{
    struct assay_error late = {0};
    const int closed = plane_codes_close(&r->codes, &late);
    if (closed && r->rungs && !r->rung[0]->rc)
        r->rung[0]->rc = assay_fail(&r->rung[0]->error, closed, "%s", late.text);
    assay_session_close(&r->session);
    pair_close(&r->reference);
    times_free(&r->times);
}

int cli_score(const struct cli *c, struct assay_error *e)
{
    signals_catch();
    return ladder_score(c, score, e);
}
