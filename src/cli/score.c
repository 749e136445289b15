/* SPDX-License-Identifier: BSD-2-Clause */
/* assay REFERENCE DISTORTED */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/ahead.h"
#include "engine/session.h"
#include "host/clock.h"
#include "input/stream.h"
#include "report/progress.h"
#include "report/shard.h"

struct run {
    const struct cli *cli;
    struct pair pair;
    assay_session *session;
    const char **key;                /* of the session */
    struct scores scores;            /* written by the session's thread, read after flush */
    struct cli_results results;
    struct description description;
    struct report_run report;
    struct progress progress;
    struct assay_error report_error; /* written by the session's thread, read after flush */
    uint64_t begin, end, stop;       /* pairs that are read: [begin, stop); the first and the last of them are only looked at */
    uint32_t before, after;          /* how far metrics look */
    uint64_t read, scored;           /* pairs of this part; `scored` belongs to the session's thread until flush */
    uint64_t started;                /* of clock_ns */
    uint32_t ahead;                  /* pairs that are read at once */
    char reason[640];
};

/* ---- being stopped ---- */

/* The first signal ends the reading: what was scored is reported as incomplete. The second one kills. */
static void on_signal(int number)
{
    input_stop = number;
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;
        sigemptyset(&act.sa_mask);
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN) /* nohup, a job in the background */
            sigaction(numbers[i], &act, NULL);
    }
}

/* Takes the place of whatever failed because of the signal. The exit code is a shell's, 128 and the signal. */
static int stopped(struct assay_error *e)
{
    const int number = input_stop;
    *e = (struct assay_error){0};
    return assay_fail(e, -128 - number, "stopped by %s", number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP");
}

static void left_out(void *opaque, const char *metric, const char *reason)
{
    const struct run *r = opaque;
    if (!r->cli->quiet)
        fprintf(stderr, "assay: %s is left out: %s\n", metric, reason);
}

static int session_failed(const struct run *r, int rc, struct assay_error *e)
{
    if (!rc)
        return ASSAY_OK;
    /* A reporter that can't write stops the session; its reason is the one that helps. */
    if (r->report_error.code)
        return assay_fail(e, r->report_error.code, "%s", r->report_error.text);
    return assay_fail(e, rc, "%s", assay_session_error(r->session));
}

static int on_frame(void *opaque, uint64_t frame, const double *values)
{
    struct run *r = opaque;
    if (scores_add(&r->scores, frame, values, &r->report_error))
        return 1;
    for (uint32_t i = 0; i < r->cli->outputs; i++)
        if (reporter_frame(r->results.reporter[i], frame, values, &r->report_error))
            return 1;
    r->scored++;
    progress_update(&r->progress, r->scored);
    return 0;
}

static int add_metrics(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    static const char *const fallback[] = {"psnr", "float_ssim", "float_ms_ssim"};
    const unsigned fallbacks = sizeof fallback / sizeof fallback[0];
    int rc = ASSAY_OK;
    for (uint32_t i = 0; !rc && i < c->metrics; i++)
        rc = assay_session_add_metric(r->session, c->metric[i]);
    if (!rc && c->all_metrics)
        rc = assay_session_add_all(r->session, &r->pair.format, left_out, r);
    if (rc || c->metrics || c->all_metrics)
        return session_failed(r, rc, e);
    /* Nothing named: what the pair allows of the metrics most people want. */
    for (unsigned i = 0; i < fallbacks; i++) {
        char why[512];
        const int allowed = assay_metric_allows(fallback[i], &c->config, &r->pair.format, why, sizeof why);
        if (allowed == ASSAY_EUSAGE)
            left_out(r, fallback[i], why);
        else if (allowed)
            return assay_fail(e, allowed, "%s", why);
        else
            TRY(session_failed(r, assay_session_add_metric(r->session, fallback[i]), e));
    }
    return ASSAY_OK;
}

/* The table of scores, which is there before the first frame comes. */
static int make_table(struct run *r, struct assay_error *e)
{
    const uint32_t keys = assay_session_keys(r->session);
    r->key = calloc(keys + 1, sizeof *r->key);
    if (!r->key)
        return assay_fail_memory(e, "the scores");
    for (uint32_t i = 0; i < keys; i++)
        r->key[i] = assay_session_key(r->session, i);
    return scores_init(&r->scores, keys, r->key, e);
}

static void session_notes(const struct run *r)
{
    const char *line = assay_session_notes(r->session);
    for (size_t n; !r->cli->quiet && *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        fprintf(stderr, "assay: %.*s\n", (int)n, line);
    }
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

/* Whether the shard can be written: better known now than after hours. Nothing is created before there is a result. */
static int shard_has_place(const char *path, struct assay_error *e)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    int why = 0;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (!stat(path, &st))
        why = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    else if (errno != ENOENT || !*path || access(folder, W_OK | X_OK))
        why = errno;
    return why ? assay_fail(e, ASSAY_EINTERNAL, "%s: can't be opened for writing: %s", path, strerror(why)) : ASSAY_OK;
}

static int start(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    char text[256];
    int rc = assay_session_new(&r->session, &c->config, text, sizeof text);
    if (rc)
        return assay_fail(e, rc, "%s", text);
    r->ahead = ahead_pairs(&r->pair);
    r->session->ahead = r->ahead;
    for (unsigned side = 0; side < 2; side++)
        r->session->on_device[side] = r->pair.source[side].input->on_device;
    rc = add_metrics(r, e);
    if (!rc)
        rc = session_failed(r, assay_session_set_callback(r->session, on_frame, r), e);
    if (!rc)
        rc = session_failed(r, assay_session_start(r->session, &r->pair.format), e);
    if (!rc && !c->quiet && *assay_session_choice(r->session))
        fprintf(stderr, "assay: %s\n", assay_session_choice(r->session));
    if (!rc)
        rc = stages_check(c, r->session, e);
    if (!rc)
        rc = heatmaps_check(c, r->session, e);
    if (!rc)
        session_notes(r);
    if (!rc)
        rc = dump(r, e);
    if (rc)
        return rc;
    describe_run(&r->description, c, &r->pair, r->session);
    r->report = (struct report_run){.version = assay_version(), .width = r->pair.format.width,
                                    .height = r->pair.format.height, .fields = r->description.fields,
                                    .field = r->description.field, .compared = r->description.compared,
                                    .fps = c->reproducible ? 0.0 : -1.0};
    if (c->shard)
        TRY(shard_has_place(c->shard, e));
    TRY(make_table(r, e));
    return results_open(&r->results, c, r->session, &r->report, r->scores.keys, r->key, e);
}

static int skip(struct run *r, unsigned side, uint64_t count, struct assay_error *e)
{
    for (uint64_t i = 0; i < count; i++) {
        const int rc = input_skip(r->pair.source[side].input, e);
        if (rc < 0)
            return rc;
        if (!rc)
            return assay_fail(e, ASSAY_EINPUT, "%s ends before the %" PRIu64 " frames that are to be skipped",
                              r->pair.source[side].input->name, count);
    }
    return ASSAY_OK;
}

/* Planes and pictures that were asked for of a frame that has just been submitted. */
static int look_at(struct run *r, uint64_t frame, struct assay_error *e)
{
    char stem[32];
    const int rc = stages_write(r->cli, r->session, frame, e);
    if (rc || !r->cli->heatmap)
        return rc;
    snprintf(stem, sizeof stem, "%06" PRIu64, frame);
    return heatmaps_write(r->cli, r->session, stem, e);
}

/* The pairs that are read: those of this part, and of the rest of the run what metrics look at beside them. A run that is no part
 * ends with its last pair. */
static void plan_reading(struct run *r)
{
    const struct cli *c = r->cli;
    assay_session_reach(r->session, &r->before, &r->after);
    r->end = c->frames ? c->first + c->frames : UINT64_MAX;
    r->begin = c->first - (c->first < r->before ? c->first : r->before);
    r->stop = c->frames && c->shard ? r->end + r->after : r->end;
}

static bool is_part(const struct run *r, uint64_t i)
{
    return i >= r->cli->first && i < r->end;
}

/* ASSAY_SCORED, ASSAY_NEIGHBOUR of one that is scored, or ASSAY_UNUSED. */
static int use_of(const struct run *r, uint64_t i)
{
    const uint64_t every = r->cli->every, first = r->cli->first;
    if (is_part(r, i) && i % every == 0)
        return ASSAY_SCORED;
    /* The scored pairs around it. */
    const uint64_t next = ((i < first ? first : i) + every - 1) / every * every, last = (i < r->end ? i : r->end - 1) / every * every;
    const bool looked_back_at = next < r->end && next - i <= r->before, ahead_at = last >= first && last < i && i - last <= r->after;
    return looked_back_at || ahead_at ? ASSAY_NEIGHBOUR : ASSAY_UNUSED;
}

/* Has frame i read into the session's memory, or passed over. */
static int ask_frame(struct run *r, struct ahead *a, uint64_t i, struct assay_error *e)
{
    struct pair_place place[2] = {{.session = r->session}, {.session = r->session}};
    const bool used = use_of(r, i) != ASSAY_UNUSED;
    const int rc = used ? session_failed(r, assay_session_take(r->session, &place[0].buffer, &place[1].buffer), e) : ASSAY_OK;
    for (unsigned side = 0; used && !rc && side < 2; side++)
        place[side].slot = session_taken(r->session);
    if (!rc)
        ahead_ask(a, used ? place : NULL);
    return rc;
}

/* Submits frame i, of those asked for the first, when both sides have it. 1: more may follow; 0: the end. */
static int one_frame(struct run *r, struct ahead *a, uint64_t i, struct assay_error *e)
{
    int got[2] = {0, 0};
    const int rc = ahead_finish(a, got, e);
    if (rc)
        return rc;
    if (!got[0] || !got[1])
        return i < r->end ? pair_ended(&r->pair, r->cli, got, e) : 0;
    const int use = use_of(r, i);
    int wrong = ASSAY_OK;
    if (use != ASSAY_UNUSED)
        wrong = session_failed(r, assay_session_commit(r->session, i, use), e);
    if (!wrong && use == ASSAY_SCORED)
        wrong = look_at(r, i, e);
    return wrong ? wrong : 1;
}

static int read_frames(struct run *r, struct ahead *a, struct assay_error *e)
{
    uint64_t asked = r->begin;
    for (uint64_t i = r->begin; i < r->stop && !input_stop; i++) {
        int rc = ASSAY_OK;
        /* The first one waits for a frame to be done; those ahead of it take what room there is. */
        while (!rc && asked < r->stop && asked - i < r->ahead &&
               (asked == i || use_of(r, asked) == ASSAY_UNUSED || session_has_room(r->session)))
            rc = ask_frame(r, a, asked++, e);
        if (!rc)
            rc = one_frame(r, a, i, e);
        if (!rc && i <= r->cli->first)
            return assay_fail(e, ASSAY_EINPUT, "%s has no frame to score", r->pair.source[0].input->name);
        if (rc <= 0)
            return rc;
        if (is_part(r, i))
            r->read = i - r->cli->first + 1;
    }
    return ASSAY_OK;
}

static int read_all(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    struct ahead *a = NULL;
    plan_reading(r);
    int rc = skip(r, 0, c->skip[0] + r->begin, e);
    if (!rc)
        rc = skip(r, 1, c->skip[1] + r->begin, e);
    if (!rc)
        rc = ahead_open(&a, &r->pair, e);
    if (!rc)
        rc = read_frames(r, a, e);
    ahead_close(&a);
    if (r->session->held) /* read for nothing */
        assay_session_commit(r->session, 0, 0);
    /* What breaks off is no end: the last frames have no scores that would be others in a whole run. */
    const int flushed = rc || input_stop ? session_drain(r->session) : assay_session_flush(r->session);
    if (input_stop)
        return stopped(e);
    if (!rc)
        rc = session_failed(r, flushed, e);
    if (!rc && !r->scored && !c->shard) /* a part may have none: another one does */
        rc = assay_fail(e, ASSAY_EINPUT, "%s has no frame to score: --every %" PRIu64 " leaves out all %" PRIu64 " that were read",
                        r->pair.source[0].input->name, c->every, r->read);
    return rc;
}

/* This part's result for `assay merge`. */
static int write_shard(const struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    const uint32_t n = assay_session_totals(r->session);
    struct shard_total *totals = calloc(n + 1, sizeof *totals);
    int rc = totals ? ASSAY_OK : assay_fail_memory(e, "the part's result");
    for (uint32_t i = 0; !rc && i < n; i++) {
        assay_total v;
        snprintf(totals[i].name, sizeof totals[i].name, "%s", assay_session_total_name(r->session, i));
        rc = session_failed(r, assay_session_total(r->session, i, &v), e);
        totals[i].value = rc ? 0 : total_join(v);
    }
    struct shard part = {.run = r->report, .first = c->first, .count = r->read, .every = c->every, .scores = r->scores,
                         .totals = n, .exact = totals};
    part.run.aggregates = 0;
    part.run.fps = 0;
    if (!rc)
        rc = shard_write(&part, c->shard, e);
    free(totals);
    return rc;
}

/* Reports, table and gates of what was scored, also when the run broke off with `broken`. */
static int finish(struct run *r, int broken, const struct assay_error *why, struct assay_error *e)
{
    const struct cli *c = r->cli;
    describe_run(&r->description, c, &r->pair, r->session); /* what was overridden is known now */
    r->report.fields = r->description.fields;
    r->report.incomplete = broken != 0;
    snprintf(r->reason, sizeof r->reason, "%s", why->text);
    r->report.reason = broken ? r->reason : NULL;
    if (!c->reproducible)
        r->report.fps = (double)r->scored / clock_seconds_since(r->started);
    int rc = broken ? ASSAY_OK : results_aggregates(&r->results, r->session, &r->report, e);
    if (!rc && !broken)
        rc = stages_missing(c, &r->scores, e);
    if (!rc && !broken && c->shard)
        rc = write_shard(r, e);
    const int shown = results_finish(&r->results, c, &r->scores, &r->report, e);
    return rc ? rc : shown;
}

static void notices(const struct run *r)
{
    for (unsigned side = 0; !r->cli->quiet && side < 2; side++) {
        const struct input *in = r->pair.source[side].input;
        if (in->notice[0])
            fprintf(stderr, "assay: %s: %s\n", in->name, in->notice);
        if (in->decoding[0])
            fprintf(stderr, "assay: %s: %s\n", in->name, in->decoding);
    }
}

static uint64_t expected_frames(const struct run *r)
{
    uint64_t least = r->cli->frames ? r->cli->frames : UINT64_MAX;
    for (unsigned side = 0; side < 2; side++) {
        const int64_t n = r->pair.source[side].input->frames;
        const uint64_t before = r->cli->skip[side] + r->cli->first;
        if (n < 0)
            return r->cli->frames ? (r->cli->frames + r->cli->every - 1) / r->cli->every : 0;
        const uint64_t left = (uint64_t)n > before ? (uint64_t)n - before : 0;
        least = left < least ? left : least;
    }
    return (least + r->cli->every - 1) / r->cli->every;
}

int cli_score(const struct cli *c, struct assay_error *e)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the run");
    r->cli = c;
    catch_signals();
    int rc = pair_spared(c, e);
    if (!rc)
        rc = pair_open(&r->pair, c, e);
    if (!rc)
        notices(r);
    if (!rc)
        rc = start(r, e);
    if (!rc) {
        if (!c->quiet && !c->no_progress)
            progress_start(&r->progress, stderr, expected_frames(r));
        r->started = clock_ns();
        rc = read_all(r, e);
        progress_erase(&r->progress);
        struct assay_error late = {0};
        const int finished = finish(r, rc, e, &late);
        if (!rc && finished < 0)
            assay_fail(e, finished, "%s", late.text);
        rc = rc ? rc : finished;
    } else if (input_stop) {
        rc = stopped(e);
    }
    assay_session_close(&r->session);
    pair_close(&r->pair);
    results_close(&r->results);
    scores_free(&r->scores);
    free(r->key);
    free(r);
    return rc;
}
