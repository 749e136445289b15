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
#include "cli/cli.h"
#include "cli/differences.h"
#include "cli/pairing.h"
#include "cli/times.h"
#include "cli/thumbs.h"
#include "host/clock.h"
#include "host/cpu.h"
#include "host/format.h"
#include "input/stream.h"
#include "report/progress.h"
#include "report/shard.h"

enum {
    READERS = 4,      /* threads that read a side, at most */
    READER_BYTES = 512 * 1024, STEADY_BYTES = 2 * 1024 * 1024,
    FRAMES_AHEAD = 3, /* pairs read and not yet submitted, where the time to read a picture is not known ahead */
};

struct run {
    const struct cli *cli;
    struct cli aligned;              /* with --align: what `cli` is then */
    struct pair pair;
    assay_session *session;
    uint32_t columns;                /* of the scores */
    uint32_t *column;                /* the session's key that each one is */
    double *row;                     /* of a frame, by column */
    const char **key;                /* by column */
    signed char *direction;          /* by column */
    struct pairing *pairing;         /* of --pair time; else NULL */
    struct times times[2];           /* of the sides' pictures */
    int64_t apart;                   /* the distorted side's time less the reference's, of the frame before */
    bool has_apart;
    struct borders borders;          /* of the pictures that are scored */
    char timing[480];                /* lines for the user about the times of the pictures, or "" */
    struct scores scores;            /* written by the session's thread, read after flush */
    struct worst_run worst;
    struct thumbs thumbs;
    struct cli_results results;
    struct description description;
    struct report_run report;
    struct progress progress;
    struct plane_codes codes;
    struct assay_error report_error; /* written by the session's thread, read after flush */
    struct assay_error look_error;   /* why a plane or a heatmap could not be written */
    /* [begin, stop): pairs that are read. Those outside [first, end) are read for scores of their neighbours only */
    uint64_t begin, end, stop;
    uint32_t before, after;          /* earlier and later pairs that a score may depend on */
    uint64_t read, scored;           /* pairs of this part; `scored` belongs to the session's thread until flush */
    uint64_t total;                  /* pairs of the whole run; 0: the end of the inputs was not seen */
    uint64_t started;                /* of clock_ns */
    double seconds;                  /* that reading and scoring took */
    uint32_t readers[2];             /* threads of a side */
    char reason[1024];
};

static int session_failed(const struct run *r, int rc, struct assay_error *e)
{
    /* A reporter that can't write stops the session, so its error is the cause. */
    if (rc && r->report_error.code)
        return assay_fail(e, r->report_error.code, "%s", r->report_error.text);
    return cli_failed(r->session, rc, e);
}

/* Notes the first frame at which the distance in time between the two sides changes by more than half a frame: one side
 * has lost a frame there, or shows one longer. Containers that count milliseconds round each time by up to one. */
static void watch_times(struct run *r, uint64_t frame)
{
    enum { ROUNDING = 3000000 };
    const assay_format *f = &r->pair.source[0].input->format;
    const uint64_t picture = frame - r->cli->first;
    const int64_t a = times_get(&r->times[0], picture), b = times_get(&r->times[1], picture);
    if (r->pairing || a == SCORES_NO_TIME || b == SCORES_NO_TIME || !f->rate_num || r->timing[0] ||
        r->pair.overridden[ALLOW_RATE])
        return;
    const int64_t half = (int64_t)(UINT64_C(500000000) * f->rate_den / f->rate_num), apart = b - a,
                  moved = r->has_apart ? apart - r->apart : 0, size = moved < 0 ? -moved : moved;
    r->apart = apart;
    r->has_apart = true;
    if (size > half && size > ROUNDING)
        snprintf(r->timing, sizeof r->timing,
                 "timing: from frame %" PRIu64 " on %s is shown %.3f s later than before beside the other one: frames "
                 "are paired by number, so one side may lack frames", frame, r->pair.source[moved > 0].input->name,
                 (double)size / 1e9);
}

static int on_frame(void *opaque, uint64_t frame, const double *values)
{
    struct run *r = opaque;
    const int64_t time = times_get(&r->times[0], frame - r->cli->first);
    watch_times(r, frame);
    for (uint32_t i = 0; i < r->columns; i++)
        r->row[i] = values[r->column[i]];
    if (scores_add(&r->scores, frame, time, r->row, &r->report_error))
        return 1;
    if (results_frame(&r->results, r->cli, frame, time, r->row, &r->report_error))
        return 1;
    r->scored++;
    progress_update(&r->progress, r->scored);
    return 0;
}

/* Makes the table of scores before the first frame. */
static int make_table(struct run *r, struct assay_error *e)
{
    const uint32_t keys = assay_session_keys(r->session);
    r->column = calloc(keys + 1, sizeof *r->column);
    r->row = calloc(keys + 1, sizeof *r->row);
    r->key = calloc(keys + 1, sizeof *r->key);
    r->direction = calloc(keys + 1, sizeof *r->direction);
    if (!r->column || !r->row || !r->key || !r->direction)
        return assay_fail_memory(e, "the scores");
    r->columns = keys;
    for (uint32_t i = 0; i < keys; i++)
        r->column[i] = i;
    if (r->cli->command == COMMAND_VMAF)
        r->columns = vmaf_columns(r->cli, r->session, r->column);
    for (uint32_t i = 0; i < r->columns; i++) {
        r->key[i] = assay_session_key(r->session, r->column[i]);
        r->direction[i] = (signed char)assay_session_key_direction(r->session, r->column[i]);
    }
    TRY(scores_init(&r->scores, r->columns, r->key, e));
    r->scores.direction = r->direction;
    return ASSAY_OK;
}

static void show_lines(const struct run *r, const char *line)
{
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

/* Checks before the run whether the shard can be written. Creates no file. */
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

/*
 * Threads that read a side. One thread copies 4 to 8 GB/s from the page cache, 1400 to 2500 pictures of 1080p a second;
 * a fast device wants more. On a machine with few processors a second thread of a side only takes time from the
 * computation, and a picture of less than READER_BYTES is read in less time than it takes to wake one.
 */
static uint32_t readers(const struct source *s)
{
    const size_t parts = format_frame_bytes(&s->input->format) / READER_BYTES;
    const unsigned processors = cpu_allowed_count() / 4;
    size_t n = s->input->positioned && s->recode.equal ? READERS : 1;
    n = n < processors ? n : processors;
    n = n < parts ? n : parts;
    return n ? (uint32_t)n : 1;
}

/* Pairs that are read and not yet submitted. With more frame slots, less of a slot is still in a cache when the slot is
 * used again: psnr of 1080p takes 8 % more processor time with 4 slots than with 3. */
static uint32_t prefetch_frames(const struct run *r)
{
    const uint32_t most = r->readers[0] > r->readers[1] ? r->readers[0] : r->readers[1];
    /* every picture takes about the same time to read, and longer than waking a thread */
    bool steady = true;
    for (unsigned side = 0; side < 2; side++) {
        const struct input *in = r->pair.source[side].input;
        steady = steady && in->positioned && format_frame_bytes(&in->format) >= STEADY_BYTES;
    }
    return most > 1 || steady ? most + 1 : FRAMES_AHEAD;
}

static uint64_t partner(void *opaque, uint64_t frame)
{
    const struct run *r = opaque;
    return pairing_partner(r->pairing, frame);
}

static int start(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    assay_config config = c->config;
    for (unsigned side = 0; side < 2; side++) {
        r->readers[side] = c->pair_by == PAIR_TIME ? 1 : readers(&r->pair.source[side]);
        config.gpu_sides |= r->pair.source[side].input->on_device ? 1u << side : 0;
    }
    config.prefetch_frames = prefetch_frames(r);
    pair_configure(&r->pair, &config);
    TRY(cli_session(&r->session, &config, e));
    TRY(cli_add_metrics(c, r->session, &config, &r->pair.format, true, e));
    TRY(cli_failed(r->session, assay_session_set_callback(r->session, on_frame, r), e));
    TRY(cli_failed(r->session, assay_session_start(r->session, &r->pair.format), e));
    for (unsigned side = 0; side < 2; side++)
        for (unsigned plane = 0; plane < 3; plane++)
            r->pair.source[side].unread[plane] = !assay_session_reads(r->session, side, plane);
    if (!c->quiet && *assay_session_choice(r->session))
        fprintf(stderr, "assay: %s\n", assay_session_choice(r->session));
    TRY(stages_check(c, r->session, e));
    TRY(c->worst.frames ? ASSAY_OK : heatmaps_check(c, r->session, e));
    TRY(plane_codes_open(&r->codes, c->force, r->session, e));
    show_lines(r, assay_session_notes(r->session));
    TRY(dump(r, e));
    describe_run(&r->description, c, &r->pair, r->session);
    r->report = (struct report_run){.version = assay_version(), .width = r->pair.width,
                                    .height = r->pair.height, .fields = r->description.fields,
                                    .field = r->description.field, .compared = r->description.compared,
                                    .libvmaf = c->command == COMMAND_VMAF ? vmaf_version() : NULL,
                                    .fps = c->reproducible ? 0.0 : -1.0,
                                    .partner = c->pair_by == PAIR_TIME ? partner : NULL, .partner_opaque = r};
    if (c->shard)
        TRY(shard_has_place(c->shard, e));
    TRY(make_table(r, e));
    r->worst = (struct worst_run){.scores = &r->scores, .column = r->column};
    TRY(c->worst.frames ? worst_check(c, &r->pair, r->session, &r->worst, e) : ASSAY_OK);
    return results_open(&r->results, c, r->session, &r->report, r->columns, r->column, r->key, e);
}

/* Sets which pairs are read: those of this part, and the pairs before and behind it on which its scores depend. At
 * least one pair behind a part is read or passed over, which tells whether the inputs end with the part. A run that is
 * no part ends with its last pair. */
static void plan_reading(struct run *r)
{
    const struct cli *c = r->cli;
    assay_session_reach(r->session, &r->before, &r->after);
    r->end = c->frames ? c->first + c->frames : UINT64_MAX;
    r->begin = c->first - (c->first < r->before ? c->first : r->before);
    r->stop = c->frames && c->shard ? r->end + (r->after ? r->after : 1) : r->end;
}

/* ASSAY_SCORED, ASSAY_NEIGHBOUR of one that is scored, or ASSAY_UNUSED. */
static int use_of(void *opaque, uint64_t i)
{
    const struct run *r = opaque;
    const uint64_t every = r->cli->every, first = r->cli->first;
    if (i >= first && i < r->end && i % every == 0)
        return ASSAY_SCORED;
    /* The nearest scored pairs after and before pair i. */
    const uint64_t next = ((i < first ? first : i) + every - 1) / every * every,
                   last = (i < r->end ? i : r->end - 1) / every * every;
    const bool looked_back_at = next < r->end && next - i <= r->before,
               ahead_at = last >= first && last < i && i - last <= r->after;
    return looked_back_at || ahead_at ? ASSAY_NEIGHBOUR : ASSAY_UNUSED;
}

static int find_picture(void *opaque, unsigned side, uint64_t i, int used, uint64_t *place, char *error,
                        size_t error_size)
{
    struct run *r = opaque;
    struct input *in = r->pair.source[side].input;
    struct input_place at = {0};
    struct assay_error e = {0};
    (void)i;
    if (r->pairing && side)
        return 1; /* pairing_read finds it */
    const int rc = used ? input_begin(in, &at, &e) : input_skip(in, &e);
    if (r->pairing && rc <= 0)
        pairing_reference_ended(r->pairing);
    *place = at.at;
    snprintf(error, error_size, "%s", e.text);
    return rc;
}

static int read_picture(void *opaque, unsigned side, uint64_t i, uint64_t at, const assay_buffer *to, char *error,
                        size_t error_size)
{
    struct run *r = opaque;
    const struct input_place place = {.index = r->cli->skip[side] + i, .at = at};
    struct assay_error e = {0};
    int64_t time = SCORES_NO_TIME;
    int rc = r->pairing && side ? pairing_read(r->pairing, i, to, &e)
                                : pair_finish(&r->pair, side, &place, r->session, to, &time, &e);
    if (r->pairing && !side && rc > 0)
        rc = pairing_reference(r->pairing, time, &e) ? e.code : rc;
    if (r->pairing && !side && rc <= 0)
        pairing_reference_ended(r->pairing);
    if (rc > 0 && i >= r->cli->first) {
        const int kept = times_put(&r->times[side], i - r->cli->first, time, &e);
        rc = kept ? kept : rc;
    }
    if (rc > 0 && use_of(r, i) == ASSAY_SCORED)
        borders_look(&r->borders, &r->pair, side, (i - r->cli->first) / r->cli->every, to);
    snprintf(error, error_size, "%s", e.text);
    return rc;
}

/* Writes the planes and heatmaps that were asked for of a frame that has just been submitted. A result other than 0
 * ends the reading. */
static int look_at(void *opaque, uint64_t frame, int use)
{
    struct run *r = opaque;
    char stem[32];
    int rc = use == ASSAY_SCORED ? stages_write(r->cli, r->session, frame, &r->look_error) : ASSAY_OK;
    snprintf(stem, sizeof stem, "%06" PRIu64, frame);
    if (!rc && use == ASSAY_SCORED && r->cli->heatmap && !r->cli->worst.frames)
        rc = heatmaps_write(r->cli, r->session, stem, &r->look_error);
    if (!rc && use == ASSAY_SCORED)
        rc = plane_codes_write(&r->codes, r->session, frame, &r->look_error);
    return rc ? rc : input_stop;
}

static void abandon(void *opaque)
{
    const struct run *r = opaque;
    if (r->pairing)
        pairing_abandon(r->pairing);
    input_abandon(true);
}

static int read_frames(struct run *r, struct assay_error *e)
{
    const assay_reader reader = {find_picture, read_picture, use_of, look_at, abandon, r,
                                 {r->readers[0], r->readers[1]}};
    const uint64_t first = r->cli->first;
    assay_read_end end;
    int rc = assay_session_read(r->session, &reader, r->begin, r->stop, &end);
    input_abandon(false);
    /* After a reporter has stopped the session, no plane of it can be looked at. */
    if (rc)
        return r->look_error.code && !r->report_error.code
            ? assay_fail(e, r->look_error.code, "%s", r->look_error.text) : session_failed(r, rc, e);
    const uint64_t behind = r->begin + end.pairs;
    if (behind < r->stop)
        TRY(pair_ended(&r->pair, r->cli, (int[2]){!end.ended[0], !end.ended[1]}, e));
    if (behind <= first)
        return assay_fail(e, ASSAY_EINPUT, "%s has no frame to score", r->pair.source[0].input->name);
    r->read = (behind < r->end ? behind : r->end) - first;
    r->total = behind < r->stop ? behind : 0;
    return ASSAY_OK;
}

static int read_all(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    plan_reading(r);
    int rc = ASSAY_OK;
    for (unsigned side = 0; !rc && side < 2; side++)
        rc = pair_skip(&r->pair, side, c->skip[side] + r->begin, e);
    if (!rc && c->pair_by == PAIR_TIME)
        rc = pairing_open(&r->pairing, &r->pair, e);
    if (!rc)
        rc = read_frames(r, e);
    /* A run that broke off is not flushed: a flush would score its last frames as if the inputs ended there. */
    const int flushed = rc || input_stop ? assay_session_wait(r->session) : assay_session_flush(r->session);
    if (input_stop)
        return signals_stopped(e);
    TRY(rc ? rc : session_failed(r, flushed, e));
    if (!r->scored && !c->shard) /* a part may have none: another one does */
        return assay_fail(e, ASSAY_EINPUT,
                          "%s has no frame to score: --every %" PRIu64 " leaves out all %" PRIu64 " that were read",
                          r->pair.source[0].input->name, c->every, r->read);
    return ASSAY_OK;
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
    struct shard part = {.run = r->report, .first = c->first, .count = r->read, .every = c->every, .total = r->total,
                         .scores = r->scores, .totals = n, .exact = totals};
    part.run.aggregates = 0;
    part.run.fps = 0;
    if (!rc)
        rc = shard_write(&part, c->shard, e);
    free(totals);
    return rc;
}

/* Writes reports, table and gates, also for a run that broke off with code `broken`. */
static int finish(struct run *r, int broken, const struct assay_error *why, struct assay_error *e)
{
    const struct cli *c = r->cli;
    struct assay_error unknown = {0};
    pair_damage(&r->pair, NULL);
    /* A look at the first frames does not read the rest of a file for its rate. */
    if (!broken && (!c->frames || c->shard) && pair_measure(&r->pair, &unknown) && !c->quiet)
        fprintf(stderr, "assay: the bitrate is not known: %s\n", unknown.text);
    describe_run(&r->description, c, &r->pair, r->session); /* all overridden differences are known now */
    r->report.fields = r->description.fields;
    r->report.incomplete = broken != 0;
    snprintf(r->reason, sizeof r->reason, "%s", why->text);
    r->report.reason = broken ? r->reason : NULL;
    if (!c->reproducible)
        r->report.fps = (double)r->scored / r->seconds;
    int rc = broken ? ASSAY_OK : results_aggregates(&r->results, r->session, &r->report, e);
    if (!rc && !broken)
        rc = stages_missing(c, &r->scores, e);
    if (!rc && !broken && c->shard)
        rc = write_shard(r, e);
    if (!rc && !broken && c->scored)
        rc = c->scored(c->scored_opaque, &r->scores, &r->report, e);
    if (!rc && !broken && c->command == COMMAND_VMAF)
        vmaf_print_scores(c, &r->scores);
    const int shown = results_finish(&r->results, c, &r->scores, &r->report, e);
    if (!c->quiet)
        pair_damage(&r->pair, results_stream(c));
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
    show_lines(r, r->pair.notices);
}

static void note_pairing(const struct run *r)
{
    char text[400];
    if (!r->pairing || !r->pair.paired.pairs)
        return;
    pairing_finish(r->pairing);
    pairing_text(&r->pair.paired, text, sizeof text);
    show_lines(r, text);
}

static void note_borders(struct run *r)
{
    char text[800];
    if (!borders_differ(&r->borders, r->cli, &r->pair, text, sizeof text))
        return;
    show_lines(r, text);
    pair_notice(&r->pair, "%s", text);
}

static int run(struct run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    TRY(results_spared(c, e));
    TRY(c->worst.frames ? worst_inputs(c, "--frames-worst", e) : ASSAY_OK);
    if (c->align.wish) {
        r->aligned = *c;
        c = r->cli = &r->aligned;
        TRY(align_apply(&r->aligned, e));
    }
    TRY(pair_open(&r->pair, c, e));
    notices(r);
    TRY(start(r, e));
    if (c->progress || (!c->quiet && !c->no_progress))
        progress_start(&r->progress, stderr, c->progress, pair_frames(&r->pair, c),
                       c->command == COMMAND_VMAF ? PROGRESS_VMAF : "frames");
    r->started = clock_ns();
    const int rc = read_all(r, e);
    progress_erase(&r->progress);
    show_lines(r, r->pair.ending);
    show_lines(r, r->timing);
    note_borders(r);
    note_pairing(r);
    struct assay_error late = {0};
    r->seconds = clock_seconds_since(r->started);
    r->worst.begin = r->begin;
    r->worst.end = c->first + r->read;
    int looked = rc || !c->worst.frames ? ASSAY_OK : worst_draw(c, &r->worst, &late);
    if (!looked && thumbs_wanted(c))
        looked = thumbs_make(&r->thumbs, c, r->session, &r->worst, rc ? "the run broke off" : NULL, &late);
    thumbs_show(&r->thumbs, &r->report);
    const int ended = finish(r, rc, e, &late), finished = looked ? looked : ended;
    if (!rc && finished < 0)
        assay_fail(e, finished, "%s", late.text);
    return rc ? rc : finished;
}

int cli_score(const struct cli *c, struct assay_error *e)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the run");
    r->cli = c;
    r->times[0].lock = r->times[1].lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    signals_catch();
    int rc = run(r, e);
    if (rc < 0 && input_stop && !r->started)
        rc = signals_stopped(e);
    struct assay_error late = {0};
    const int closed = plane_codes_close(&r->codes, &late);
    if (!rc && closed)
        rc = assay_fail(e, closed, "%s", late.text);
    if (rc >= 0)
        align_hint(c, &r->scores); /* whose keys are the session's */
    assay_session_close(&r->session);
    pairing_close(&r->pairing);
    pair_close(&r->pair);
    results_close(&r->results);
    thumbs_free(&r->thumbs);
    scores_free(&r->scores);
    times_free(&r->times[0]);
    times_free(&r->times[1]);
    free(r->direction);
    free(r->key);
    free(r->row);
    free(r->column);
    free(r);
    return rc;
}
