/* SPDX-License-Identifier: BSD-2-Clause */
/* assay REFERENCE DISTORTED: what the command does at the steps of a walk. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/score/ladder.h"
#include "host/libvmaf.h"
#include "host/text.h"
#include "results/shard.h"

void score_frame(struct ladder *l)
{
    struct walk *w = &l->walk;
    for (uint32_t k = 0; k < w->run.lanes; k++) {
        struct rung *g = rung_at(l, k);
        const struct scores *s = &g->x.scores;
        if (walk_take(w, g->lane, &g->x))
            results_frame(&g->results, g->cli, s, s->rows - 1, &g->lane->not_taken);
    }
    progress_update(&l->progress, w->scored + 1);
}

/* Prints lines to standard error, behind `name` and a colon unless it is NULL. */
static void show(const struct ladder *l, const char *name, const char *lines)
{
    size_t n;
    for (const char *line; !l->cli->quiet && (line = text_line(&lines, &n));)
        text_say("%s%s%.*s", name ? name : "", name ? ": " : "", (int)n, line);
}

/* The name that messages about an encode begin with; NULL of a single pair. */
static const char *name_of(const struct ladder *l, const struct lane *lane)
{
    return l->cli->q.encodes > 1 ? lane->pair.source[1].input->name : NULL;
}

static int dump(const struct ladder *l, struct assay_error *e)
{
    char *(*const describe[2])(const assay_session *) = {assay_session_describe_graph, assay_session_describe_memory};
    const bool wanted[2] = {l->cli->dump_graph, l->cli->dump_memory};
    for (unsigned i = 0; i < 2; i++) {
        char *text = wanted[i] ? describe[i](l->walk.run.session) : NULL;
        if (wanted[i] && !text)
            return assay_fail_memory(e, "the description of the graph");
        if (text)
            fputs(text, results_stream(l->cli));
        free(text);
    }
    return ASSAY_OK;
}

/* Checks before the run whether the shard can be written. Creates no file, but the folders that it lacks. */
static int shard_has_place(const char *path, struct assay_error *e)
{
    struct stat st;
    char folder[PATH_MAX];
    int why = file_folders(path);
    text_folder(folder, sizeof folder, path);
    if (!why && !stat(path, &st))
        why = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    else if (!why && (errno != ENOENT || !*path || access(folder, W_OK | X_OK)))
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
static void show_notes(const struct ladder *l)
{
    const struct run *r = &l->walk.run;
    for (uint32_t k = 0; k < r->lanes; k++) {
        const char *notes = assay_session_encode_notes(r->session, k);
        size_t n;
        for (const char *at; (at = text_line(&notes, &n));) {
            bool all = true;
            for (uint32_t i = 0; i < r->lanes; i++)
                all = all && has_line(assay_session_encode_notes(r->session, i), at, n);
            const char *name = all ? NULL : name_of(l, r->lane[k]);
            if (!l->cli->quiet && (!all || !k))
                text_say("%s%s%.*s", name ? name : "", name ? ": " : "", (int)n, at);
        }
    }
}

/* Prints a line with the memory that the session has taken. */
static int show_memory(const struct ladder *l, struct assay_error *e)
{
    const struct run *r = &l->walk.run;
    assay_work work;
    TRY(session_failed(r->session, assay_session_work(r->session, &work), e));
    if (!l->cli->quiet)
        text_say("%u encode%s at once: %.1f MiB of memory for %u frames of all %u inputs, %.1f MiB for "
                 "what is computed", r->lanes, r->lanes > 1 ? "s" : "", (double)work.picture_bytes / 1048576.0,
                 work.frames, r->lanes + 1, (double)work.device_bytes / 1048576.0);
    return ASSAY_OK;
}

static int start_rung(struct ladder *l, struct rung *g, struct assay_error *e)
{
    const struct cli *c = l->cli;
    assay_session *s = l->walk.run.session;
    uint32_t *column = NULL; /* of libvmaf's order, of one encode */
    g->x.run.libvmaf = c->q.libvmaf ? libvmaf_version() : NULL;
    g->x.run.fps = c->reproducible ? 0.0 : -1.0;
    if (c->shard)
        TRY(shard_has_place(c->shard, e));
    if (c->q.libvmaf && !(column = stored_alloc(&g->x, assay_session_keys(s) + 1, sizeof *column)))
        return assay_fail_memory(e, "the scores");
    TRY(result_begin(&g->x, g->lane, s, column, column ? vmaf_columns(c, s, column) : 0, e));
    g->worst = (struct worst_first){.of = &g->x};
    TRY(c->worst.frames ? worst_check(g->cli, &g->lane->pair, &g->worst, e) : ASSAY_OK);
    return results_open(&g->results, g->cli, s, g->lane->pair.encode, &g->x, e);
}

int score_pair(struct ladder *l, struct assay_error *e)
{
    const struct walk *w = &l->walk;
    char stem[32];
    TRY(stages_write(l->cli, w->run.session, w->frame, e));
    snprintf(stem, sizeof stem, "%06" PRIu64, w->frame);
    for (uint32_t k = 0; l->cli->heatmap && !l->cli->worst.frames && k < w->run.lanes; k++) {
        struct rung *g = rung_at(l, k);
        if (run_counts(&w->run, g->lane, w->frame))
            TRY(heatmaps_write(g->cli, w->run.session, k, stem, e));
    }
    return plane_codes_write(&l->codes, w->run.session, w->frame, e);
}

int score_started(struct ladder *l, struct assay_error *e)
{
    const struct cli *c = l->cli;
    const struct run *r = &l->walk.run;
    const char *name[ASSAY_ENCODES];
    for (uint32_t k = 0; k < r->lanes; k++)
        name[k] = r->lane[k]->q->path[1];
    left_out_say(c, &r->left_out, name, r->lanes);
    show(l, NULL, assay_session_choice(r->session));
    show(l, NULL, assay_session_notice(r->session));
    TRY(stages_check(c, r->session, e));
    for (uint32_t k = 0; k < r->lanes; k++)
        TRY(c->worst.frames ? ASSAY_OK : heatmaps_check(rung_at(l, k)->cli, r->session, e));
    TRY(plane_codes_open(&l->codes, c, r->session, e));
    show_notes(l);
    TRY(c->q.encodes > 1 ? show_memory(l, e) : ASSAY_OK);
    TRY(dump(l, e));
    for (uint32_t k = 0; k < r->lanes; k++)
        TRY(start_rung(l, rung_at(l, k), e));
    if (c->progress || (!c->quiet && !c->no_progress))
        progress_start(&l->progress, stderr, c->progress, l->walk.total, c->q.libvmaf ? PROGRESS_VMAF : "frames");
    return ASSAY_OK;
}

/* This part's report for `assay merge`. */
static int write_shard(const struct ladder *l, struct rung *g, struct assay_error *e)
{
    assay_session *s = l->walk.run.session;
    const uint32_t n = assay_session_totals(s);
    struct report_total *totals = stored_alloc(&g->x, n, sizeof *totals);
    TRY(stored_lost(&g->x, "the part's result", e));
    for (uint32_t i = 0; i < n; i++) {
        assay_total v = {0};
        TRY(session_failed(s, assay_session_total(s, i, &v), e));
        totals[i] = (struct report_total){assay_session_total_name(s, i), total_join(v)};
    }
    const struct request *q = &l->cli->q;
    const struct report_part part = {q->first, g->lane->read, q->every, g->lane->total, n, totals};
    struct stored own = g->x;
    own.run.part = &part;
    own.run.fps = 0;
    own.run.gates = 0;
    return reporter_write(REPORT_JSON, l->cli->shard, REPORT_HEX, &own, e);
}

/* The worst frames of an encode, by a second pass. */
static int look_again(const struct ladder *l, struct rung *g, struct assay_error *e)
{
    const char *none = g->lane->rc ? "the run broke off" : l->cli->q.encodes > 1 && l->cli->q.all_metrics
        ? "all encodes have one list of metrics, and -m all may choose others for one" : NULL;
    g->worst.end = l->cli->q.first + g->lane->read;
    TRY(g->lane->rc || !l->cli->worst.frames ? ASSAY_OK : worst_draw(g->cli, &g->worst, e));
    return thumbs_wanted(l->cli) ? thumbs_make(g->cli, &g->worst, none, e) : ASSAY_OK;
}

/* Writes an encode's reports, also when it broke off; the table and gates, too, of a single pair. Sets its result. */
static void finish(const struct ladder *l, struct rung *g)
{
    const struct cli *c = g->cli;
    struct assay_error unknown = {0}, late = {0};
    struct source *encode = &g->lane->pair.source[1];
    pair_damage(&g->lane->pair, NULL);
    /* A look at the first frames does not read the rest of a file for its rate. */
    const bool measured = !g->lane->rc && (g->lane->total || c->shard);
    if (measured && input_measure(encode->input, &encode->rate, &unknown) && !c->quiet)
        text_say("the bitrate is not known: %s", unknown.text);
    /* all overridden differences are known now */
    result_end(&g->x, g->lane, l->walk.run.session);
    if (!c->reproducible)
        g->x.run.fps = (double)g->lane->scored / l->walk.seconds;
    const int looked = look_again(l, g, &late);
    int rc = g->lane->rc;
    if (!rc)
        rc = stages_missing(c, &g->x.scores, &late);
    if (!rc && c->shard)
        rc = write_shard(l, g, &late);
    if (!rc && c->q.libvmaf)
        vmaf_print_scores(c, &g->x.scores);
    const int shown = results_finish(&g->results, c, &g->x, &late);
    if (!c->quiet)
        pair_damage(&g->lane->pair, results_stream(l->cli));
    rc = looked ? looked : rc ? rc : shown;
    if (g->lane->rc)
        return;
    g->lane->rc = rc;
    if (rc < 0)
        assay_fail(&g->lane->error, rc, "%s", late.text);
}

static void input_notices(const struct ladder *l, const struct input *in)
{
    show(l, in->name, in->notice);
    show(l, in->name, in->decoding);
}

void score_notices(const struct ladder *l)
{
    const struct run *r = &l->walk.run;
    input_notices(l, r->reference.source[0].input);
    for (uint32_t k = 0; k < r->lanes; k++)
        input_notices(l, r->lane[k]->pair.source[1].input);
    for (uint32_t k = 0; k < r->lanes; k++)
        show(l, name_of(l, r->lane[k]), r->lane[k]->pair.notices);
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
static void note_identical(const struct ladder *l, const struct rung *g)
{
    const struct scores *s = &g->x.scores;
    bool equal = false;
    for (uint32_t k = 0; k < s->keys && !equal && s->rows; k++)
        equal = is_witness(s, k);
    for (uint32_t k = 0; equal && k < s->keys; k++) {
        const double least = scores_pool(s, k, POOL_MIN, 0, NULL);
        char number[NUMBER_TEXT_SIZE], text[400];
        if (strncmp(s->key[k], "vmaf", 4) || !(least > 90) || !(least < 100))
            continue;
        format_fixed(number, least, 1);
        snprintf(text, sizeof text, "all frames look equal to the reference's, and %s is down to %s: its model gives "
                 "less than 100 to equal pictures that move little", s->key[k], number);
        show(l, name_of(l, g->lane), text);
        return;
    }
}

void score_read(struct ladder *l)
{
    struct walk *w = &l->walk;
    const char *code;
    char text[RUN_NOTE];
    progress_erase(&l->progress);
    for (uint32_t k = 0; k < w->run.lanes; k++) {
        struct rung *g = rung_at(l, k);
        for (enum run_note i = 0; run_note(&w->run, g->lane, i, &code, text); i++)
            show(l, i == NOTE_PAIRING ? name_of(l, g->lane) : NULL, text); /* the others name it */
        if (!g->lane->rc && !l->cli->q.libvmaf && !l->cli->only_scores)
            note_identical(l, g);
        finish(l, g);
        if ((g->lane->rc >= 0 || g->lane->rc == ASSAY_EMISMATCH) && l->cli->q.encodes <= 1)
            align_hint(g->cli, &g->x.scores); /* whose keys are the session's */
    }
}
