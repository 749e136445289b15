/* SPDX-License-Identifier: BSD-2-Clause */
/* assay REFERENCE DISTORTED */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/score/ladder.h"
#include "cli/score/rungs.h"
#include "host/clock.h"
#include "host/libvmaf.h"
#include "host/text.h"
#include "results/shard.h"
#include "run/pairing.h"

/* Takes an encode's scores of a frame. */
static int rung_frame(struct cli_run *r, struct rung *g, uint64_t frame)
{
    const int64_t time = times_get(&r->run.times, frame - r->cli->q.first);
    run_watch_times(&r->run, &g->lane, frame);
    const double *values = assay_session_row(r->run.session, g->lane.pair.encode, r->scored, NULL);
    TRY(scores_lend(&g->scores, frame, time, values, &g->lane.not_taken));
    TRY(results_frame(&g->results, g->cli, frame, time, values, &g->lane.not_taken));
    g->lane.scored++;
    return ASSAY_OK;
}

/* Goes on while the scores of an encode can be written. */
static int on_frame(void *opaque, uint64_t frame, const double *values)
{
    struct cli_run *r = opaque;
    bool left = false;
    for (uint32_t k = 0; k < r->run.lanes; k++) {
        struct rung *g = rung_at(r, k);
        if (!g->lane.not_taken.code && run_counts(&r->run, &g->lane, frame))
            rung_frame(r, g, frame);
        left = left || !g->lane.not_taken.code;
    }
    (void)values; /* those of the rows are the same, and stay */
    progress_update(&r->progress, ++r->scored);
    return !left;
}

/* Makes the table of an encode's scores before the first frame. */
static int make_table(const struct cli_run *r, struct rung *g, struct assay_error *e)
{
    const uint32_t keys = assay_session_keys(r->run.session) / r->run.lanes;
    g->column = calloc(keys + 1, sizeof *g->column);
    g->key = calloc(keys + 1, sizeof *g->key);
    g->direction = calloc(keys + 1, sizeof *g->direction);
    g->alone_column = calloc(keys + 1, sizeof *g->alone_column);
    if (!g->column || !g->key || !g->direction || !g->alone_column)
        return assay_fail_memory(e, "the scores");
    g->columns = keys;
    for (uint32_t i = 0; i < keys; i++)
        g->column[i] = g->lane.pair.encode * keys + i;
    if (r->cli->q.libvmaf)
        g->columns = vmaf_columns(r->cli, r->run.session, g->column);
    for (uint32_t i = 0; i < g->columns; i++) {
        g->alone_column[i] = g->column[i] - g->lane.pair.encode * keys;
        g->key[i] = assay_session_key(r->run.session, g->column[i]);
        g->direction[i] = (signed char)assay_session_key_direction(r->run.session, g->column[i]);
    }
    TRY(scores_init(&g->scores, g->columns, g->key, e));
    g->scores.direction = g->direction;
    g->scores.column = g->alone_column;
    return ASSAY_OK;
}

void run_show(const struct cli_run *r, const char *name, const char *lines)
{
    size_t n;
    for (const char *line; !r->cli->quiet && (line = text_line(&lines, &n));)
        text_say("%s%s%.*s", name ? name : "", name ? ": " : "", (int)n, line);
}

const char *run_name(const struct cli_run *r, const struct rung *g)
{
    return r->cli->q.encodes > 1 ? g->lane.pair.source[1].input->name : NULL;
}

static int dump(const struct cli_run *r, struct assay_error *e)
{
    char *(*const describe[2])(const assay_session *) = {assay_session_describe_graph, assay_session_describe_memory};
    const bool wanted[2] = {r->cli->dump_graph, r->cli->dump_memory};
    for (unsigned i = 0; i < 2; i++) {
        char *text = wanted[i] ? describe[i](r->run.session) : NULL;
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

/* Whether a text has a line of `length` bytes as one of its own. */
static bool has_line(const char *text, const char *line, size_t length)
{
    size_t n;
    for (const char *own; (own = text_line(&text, &n));)
        if (n == length && !strncmp(own, line, n))
            return true;
    return false;
}

/* Shows what metrics took for granted: a line once where it holds for all encodes, else with the encode's name. */
static void show_notes(const struct cli_run *r)
{
    for (uint32_t k = 0; k < r->run.lanes; k++) {
        const char *notes = assay_session_encode_notes(r->run.session, k);
        size_t n;
        for (const char *at; (at = text_line(&notes, &n));) {
            bool all = true;
            for (uint32_t i = 0; i < r->run.lanes; i++)
                all = all && has_line(assay_session_encode_notes(r->run.session, i), at, n);
            const char *name = all ? NULL : run_name(r, rung_at(r, k));
            if (!r->cli->quiet && (!all || !k))
                text_say("%s%s%.*s", name ? name : "", name ? ": " : "", (int)n, at);
        }
    }
}

static uint64_t partner(void *opaque, uint64_t frame)
{
    const struct rung *g = opaque;
    return pairing_partner(g->lane.pairing, frame);
}

static int start_rung(struct cli_run *r, struct rung *g, struct assay_error *e)
{
    const struct cli *c = r->cli;
    describe_run(&g->description, &g->cli->q, &g->lane.pair, r->run.session);
    g->report = (struct report_run){.version = assay_version(), .width = g->lane.pair.width,
                                    .height = g->lane.pair.height, .fields = g->description.fields,
                                    .field = g->description.field, .compared = g->description.compared,
                                    .libvmaf = c->q.libvmaf ? libvmaf_version() : NULL,
                                    .fps = c->reproducible ? 0.0 : -1.0,
                                    .partner = c->q.pair_by == PAIR_TIME ? partner : NULL, .partner_opaque = g};
    if (c->shard)
        TRY(shard_has_place(c->shard, e));
    TRY(make_table(r, g, e));
    g->report.column = g->scores.column;
    g->worst = (struct worst_run){.scores = &g->scores};
    TRY(c->worst.frames ? worst_check(g->cli, &g->lane.pair, r->run.session, &g->worst, e) : ASSAY_OK);
    return results_open(&g->results, g->cli, r->run.session, &g->report, g->columns, g->column, g->key, e);
}

/* Writes the planes and heatmaps that were asked for of a frame that has just been submitted. */
static int look(void *opaque, uint64_t frame, struct assay_error *e)
{
    struct cli_run *r = opaque;
    char stem[32];
    int rc = stages_write(r->cli, r->run.session, frame, e);
    snprintf(stem, sizeof stem, "%06" PRIu64, frame);
    for (uint32_t k = 0; !rc && r->cli->heatmap && !r->cli->worst.frames && k < r->run.lanes; k++) {
        struct rung *g = rung_at(r, k);
        if (run_counts(&r->run, &g->lane, frame))
            rc = heatmaps_write(g->cli, r->run.session, k, stem, e);
    }
    return rc ? rc : plane_codes_write(&r->codes, r->run.session, frame, e);
}

/* Starts the session, and says which metrics it leaves out. */
static int start_session(struct cli_run *r, struct assay_error *e)
{
    const char *name[ASSAY_ENCODES];
    for (uint32_t k = 0; k < r->run.lanes; k++)
        name[k] = rung_at(r, k)->cli->q.path[1];
    struct left_out left = {.c = r->cli, .name = name, .names = r->run.lanes};
    TRY(run_start(&r->run, on_frame, r, r->cli->quiet ? NULL : left_out_note, &left, e));
    left_out_say(&left);
    r->run.look = look;
    r->run.opaque = r;
    return ASSAY_OK;
}

static int start(struct cli_run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    TRY(start_session(r, e));
    if (!c->quiet && *assay_session_choice(r->run.session))
        text_say("%s", assay_session_choice(r->run.session));
    run_show(r, NULL, assay_session_notice(r->run.session));
    TRY(stages_check(c, r->run.session, e));
    for (uint32_t k = 0; k < r->run.lanes; k++)
        TRY(c->worst.frames ? ASSAY_OK : heatmaps_check(rung_at(r, k)->cli, r->run.session, e));
    TRY(plane_codes_open(&r->codes, c->force, r->run.session, e));
    show_notes(r);
    if (c->q.encodes > 1)
        TRY(ladder_memory(r, e));
    TRY(dump(r, e));
    for (uint32_t k = 0; k < r->run.lanes; k++)
        TRY(start_rung(r, rung_at(r, k), e));
    return ASSAY_OK;
}

/* This part's report for `assay merge`. */
static int write_shard(const struct cli_run *r, const struct rung *g, struct assay_error *e)
{
    const uint32_t n = assay_session_totals(r->run.session);
    struct report_total *totals = calloc(n + 1, sizeof *totals);
    int rc = totals ? ASSAY_OK : assay_fail_memory(e, "the part's result");
    for (uint32_t i = 0; !rc && i < n; i++) {
        assay_total v = {0};
        rc = session_failed(r->run.session, assay_session_total(r->run.session, i, &v), e);
        totals[i] = (struct report_total){assay_session_total_name(r->run.session, i), total_join(v)};
    }
    const struct report_part part = {r->cli->q.first, g->lane.read, r->cli->q.every, g->lane.total, n, totals};
    struct report_run run = g->report;
    run.part = &part;
    run.fps = 0;
    if (!rc)
        rc = reporter_write(REPORT_JSON, r->cli->shard, REPORT_HEX, &run, &g->scores, e);
    free(totals);
    return rc;
}

/* The worst frames of an encode, by a second pass. */
static int look_again(const struct cli_run *r, struct rung *g, struct assay_error *e)
{
    const char *none = g->lane.rc ? "the run broke off" : r->cli->q.encodes > 1 && r->cli->q.all_metrics
        ? "all encodes have one list of metrics, and -m all may choose others for one" : NULL;
    g->worst.begin = r->run.begin;
    g->worst.end = r->cli->q.first + g->lane.read;
    int rc = g->lane.rc || !r->cli->worst.frames ? ASSAY_OK : worst_draw(g->cli, &g->worst, e);
    if (!rc && thumbs_wanted(r->cli))
        rc = thumbs_make(&g->thumbs, g->cli, r->run.session, &g->worst, none, e);
    if (!rc) /* else pictures may be half made */
        thumbs_show(&g->thumbs, &g->report);
    return rc;
}

/* Writes an encode's reports, also when it broke off; the table and gates, too, of a single pair. Sets its result. */
static void finish(struct cli_run *r, struct rung *g)
{
    const struct cli *c = g->cli;
    const int broken = g->lane.rc;
    struct assay_error unknown = {0}, late = {0};
    pair_damage(&g->lane.pair, NULL);
    /* A look at the first frames does not read the rest of a file for its rate. */
    if (!broken && (!c->q.frames || c->shard) && pair_measure(&g->lane.pair, &unknown) && !c->quiet)
        text_say("the bitrate is not known: %s", unknown.text);
    describe_run(&g->description, &c->q, &g->lane.pair, r->run.session); /* all overridden differences are known now */
    g->report.fields = g->description.fields;
    g->report.incomplete = broken != 0;
    snprintf(g->reason, sizeof g->reason, "%s", g->lane.error.text);
    g->report.reason = broken ? g->reason : NULL;
    if (!c->reproducible)
        g->report.fps = (double)g->lane.scored / r->seconds;
    const int looked = look_again(r, g, &late);
    int rc = broken ? ASSAY_OK : results_aggregates(&g->results, r->run.session, &g->report, &late);
    if (!rc && !broken)
        rc = stages_missing(c, &g->scores, &late);
    if (!rc && !broken && c->shard)
        rc = write_shard(r, g, &late);
    if (!rc && !broken && c->scored)
        rc = c->scored(c->scored_opaque, c->q.number, &g->scores, &g->report, &late);
    if (!rc && !broken && c->q.libvmaf)
        vmaf_print_scores(c, &g->scores);
    const int shown = results_finish(&g->results, c, &g->scores, &g->report, &late);
    if (!c->quiet)
        pair_damage(&g->lane.pair, results_stream(r->cli));
    rc = looked ? looked : rc ? rc : shown;
    g->lane.rc = broken ? broken : rc;
    if (!broken && rc < 0)
        assay_fail(&g->lane.error, rc, "%s", late.text);
    g->lane.state = LANE_DONE;
}

static void input_notices(const struct cli_run *r, const struct input *in)
{
    run_show(r, in->name, in->notice);
    run_show(r, in->name, in->decoding);
}

static void notices(const struct cli_run *r)
{
    input_notices(r, r->run.reference.source[0].input);
    for (uint32_t k = 0; k < r->run.lanes; k++)
        input_notices(r, rung_at(r, k)->lane.pair.source[1].input);
    for (uint32_t k = 0; k < r->run.lanes; k++)
        run_show(r, run_name(r, rung_at(r, k)), rung_at(r, k)->lane.pair.notices);
}

static void note_pairing(const struct cli_run *r, struct rung *g)
{
    char text[400];
    if (!g->lane.pairing || !g->lane.pair.paired.pairs)
        return;
    pairing_finish(g->lane.pairing);
    pairing_text(&g->lane.pair.paired, text, sizeof text);
    run_show(r, run_name(r, g), text);
}

/* Whether a score that only equal pictures have in every frame says that all of them are. */
static bool is_witness(const struct scores *s, uint32_t key)
{
    static const struct {
        const char *key;
        double value;
    } witnesses[] = {{"max_diff", 0}, {"diff_pixels", 0}, {"mse_y", 0}, {"float_ms_ssim", 1}, {"float_ssim", 1},
                     {"ssim", 1}};
    for (unsigned i = 0; i < sizeof witnesses / sizeof witnesses[0]; i++)
        if (!strcmp(s->key[key], witnesses[i].key))
            return !(scores_pool(s, key, POOL_MIN, 0, NULL) < witnesses[i].value) &&
                   !(scores_pool(s, key, POOL_MAX, 0, NULL) > witnesses[i].value);
    return false;
}

/* VMAF of equal pictures is less than 100 where they move little, which looks like a fault. */
static void note_identical(const struct cli_run *r, struct rung *g)
{
    const struct scores *s = &g->scores;
    bool equal = false;
    for (uint32_t k = 0; k < s->keys && !equal && s->rows; k++)
        equal = is_witness(s, k);
    for (uint32_t k = 0; equal && k < s->keys; k++) {
        const double least = scores_pool(s, k, POOL_MIN, 0, NULL);
        char text[NUMBER_TEXT_SIZE];
        if (strncmp(s->key[k], "vmaf", 4) || !(least > 90) || !(least < 100))
            continue;
        format_fixed(text, least, 1);
        if (!r->cli->quiet)
            text_say("%s%sall frames look equal to the reference's, and %s is down to %s: its model gives less than "
                     "100 to equal pictures that move little", run_name(r, g) ? run_name(r, g) : "",
                     run_name(r, g) ? ": " : "", s->key[k], text);
        return;
    }
}

int cli_run_score(struct cli_run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    notices(r);
    TRY(start(r, e));
    if (c->progress || (!c->quiet && !c->no_progress))
        progress_start(&r->progress, stderr, c->progress, run_frames(&r->run),
                       c->q.libvmaf ? PROGRESS_VMAF : "frames");
    r->started = clock_ns();
    struct assay_error all = {0};
    char borders[800];
    int rc = run_read(&r->run, &all);
    if (rc == RUN_STOPPED)
        rc = signals_stopped(&all);
    r->seconds = clock_seconds_since(r->started);
    progress_erase(&r->progress);
    for (uint32_t k = 0; k < r->run.lanes; k++) {
        struct rung *g = rung_at(r, k);
        if (rc && (!g->lane.rc || signals_why())) {
            g->lane.error = all;
            g->lane.rc = rc;
            g->told = true; /* once, behind all of them */
        }
        run_show(r, NULL, g->lane.pair.ending);
        run_show(r, NULL, g->lane.timing);
        if (run_borders_differ(&r->run, &g->lane, borders, sizeof borders))
            run_show(r, NULL, borders);
        note_pairing(r, g);
        if (!g->lane.rc && !c->q.libvmaf && !c->scored)
            note_identical(r, g);
        finish(r, g);
        if ((g->lane.rc >= 0 || g->lane.rc == ASSAY_EMISMATCH) && r->cli->q.encodes <= 1)
            align_hint(g->cli, &g->scores); /* whose keys are the session's */
    }
    return ASSAY_OK;
}

void cli_run_close(struct cli_run *r)
{
    struct assay_error late = {0};
    const int closed = plane_codes_close(&r->codes, &late);
    if (closed && r->run.lanes && !r->run.lane[0]->rc)
        r->run.lane[0]->rc = assay_fail(&r->run.lane[0]->error, closed, "%s", late.text);
    run_close(&r->run);
}
