/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures one line of assay_rates: a session scores the frame pairs in its slots again and again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rates.h"
#include "host/clock.h"

enum {
    ROUNDS = 5,          /* the rate is the median one's */
    MOST_TIMES = 1 << 14,/* frames whose times are kept */
    DEVICE_COPY = 256 << 20, /* bytes: beyond any cache */
};

struct run {
    assay_session *session;
    uint64_t frame;              /* committed so far: frame n holds pair n % pairs */
    uint32_t pairs, keys;
    assay_buffer buffer[RATES_MOST_PAIRS][2];
    assay_work work;             /* of a pair */
    double *expected;            /* the CPU's scores, by pair and key */
    double *first;               /* scores of this session's first `firsts` frames */
    uint32_t firsts;
    bool known;                  /* `expected` is filled */
    /* Written by the session's thread. */
    uint64_t wrong;              /* frames whose scores differ */
    uint64_t wrong_frame;
    uint32_t wrong_key;
    double got;
    assay_frame_times *times;
    unsigned timed;
};

/* ---- scores ------------------------------------------------------------------------------------------------------ */

static void compare(struct run *r, uint64_t frame, const double *values)
{
    const double *expected = r->expected + frame % r->pairs * r->keys;
    for (uint32_t k = 0; k < r->keys; k++)
        if (memcmp(&values[k], &expected[k], sizeof *values)) {
            if (!r->wrong++) {
                r->wrong_frame = frame;
                r->wrong_key = k;
                r->got = values[k];
            }
            return;
        }
}

static int on_frame(void *opaque, uint64_t frame, const double *values)
{
    struct run *r = opaque;
    if (r->known) {
        compare(r, frame, values);
    } else {
        memcpy(r->first + frame * r->keys, values, r->keys * sizeof *values);
        r->firsts = (uint32_t)frame + 1;
    }
    return 0;
}

static void on_times(void *opaque, uint64_t frame, const assay_frame_times *times)
{
    struct run *r = opaque;
    (void)frame;
    if (r->timed < MOST_TIMES)
        r->times[r->timed++] = *times;
}

static int check(const struct run *r, struct assay_error *e)
{
    if (!r->wrong)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE,
                      "%s: %" PRIu64 " frames have other scores than the CPU's; the first is pair %" PRIu64
                      ", %s: %a, the CPU has %a",
                      assay_session_device(r->session), r->wrong, r->wrong_frame % r->pairs,
                      assay_session_key(r->session, r->wrong_key), r->got,
                      r->expected[r->wrong_frame % r->pairs * r->keys + r->wrong_key]);
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

/* Returns 1 where a metric of the list can't be computed of the format; `why` names it. */
static int add_metrics(assay_session *s, const assay_config *config, const char *list, const assay_format *format,
                       struct assay_error *why, struct assay_error *e)
{
    if (!strcmp(list, "all"))
        return session_failed(s, assay_session_add_all(s, format, NULL, NULL), e);
    if (!strcmp(list, "everything"))
        return session_failed(s, assay_session_add_everything(s, format, NULL, NULL), e);
    while (*list) {
        char name[RATES_NAMES], reason[512];
        const size_t n = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, list);
        TRY(session_failed(s, assay_session_add_metric(s, name), e));
        const int allowed = assay_metric_allows(name, config, format, reason, sizeof reason);
        if (allowed) {
            assay_fail(allowed == ASSAY_EUSAGE ? why : e, allowed, "%s", reason);
            return allowed == ASSAY_EUSAGE ? 1 : allowed;
        }
        list += n + (list[n] == ',');
    }
    return ASSAY_OK;
}

static int open_session(assay_session **s, const assay_config *config, const char *metrics, const assay_format *format,
                        struct assay_error *why, struct assay_error *e)
{
    TRY(session_make(s, config, e));
    return add_metrics(*s, config, metrics, format, why, e);
}

/* Fills the session's own buffers once. Their pictures are scored in every round. */
static int fill(struct run *r, const assay_format *format, struct bench_frames *frames, struct assay_error *e)
{
    if (!bench_frames_take(frames, format, r->pairs))
        return assay_fail_memory(e, "the frames");
    for (; r->frame < r->pairs; r->frame++) {
        assay_buffer *b = r->buffer[r->frame];
        TRY(session_failed(r->session, assay_session_take(r->session, &b[0], &b[1]), e));
        bench_frames_copy(frames, (unsigned)r->frame, &b[0], &b[1]);
        TRY(session_failed(r->session, assay_session_commit(r->session, r->frame, ASSAY_SCORED), e));
    }
    return session_failed(r->session, assay_session_wait(r->session), e);
}

static void lent(void *opaque)
{
    (void)opaque;
}

/* Submits the pair of frame number `frame` to the CPU's session. */
static int submit_again(const struct run *r, assay_session *s, uint64_t frame, bool scored)
{
    assay_picture side[2];
    for (unsigned k = 0; k < 2; k++) {
        side[k] = (assay_picture){.release = lent};
        for (unsigned p = 0; p < 3; p++) {
            side[k].plane[p] = r->buffer[frame % r->pairs][k].plane[p];
            side[k].stride[p] = r->buffer[frame % r->pairs][k].stride[p];
        }
    }
    return scored ? assay_session_submit(s, frame, &side[0], &side[1])
                  : assay_session_submit_neighbour(s, frame, &side[0], &side[1]);
}

/* Fills `expected`. Sets *before to the number of earlier pairs that a score depends on. */
static int score_again(struct run *r, assay_session *s, const assay_format *format, uint32_t *before)
{
    uint32_t after;
    TRY(assay_session_start(s, format));
    TRY(assay_session_reach(s, before, &after));
    for (uint64_t i = r->pairs - *before; i < 2ull * r->pairs + after; i++)
        TRY(submit_again(r, s, i, i >= r->pairs && i < 2ull * r->pairs));
    TRY(assay_session_flush(s));
    for (uint64_t i = 0, frame; i < r->pairs; i++)
        if (assay_session_poll(s, &frame, r->expected + i * r->keys) != 1)
            return ASSAY_EINTERNAL;
    return ASSAY_OK;
}

/* Scores the same pictures on the CPU, without copying them. If the CPU is what is measured, it uses no vectors and no
 * strips here. The expected scores are those of the second round, because the first pairs of a session have no pairs
 * before them and later rounds do. */
static int expect(struct run *r, const struct rates_options *o, const char *metrics, const assay_format *format,
                  struct assay_error *e)
{
    const bool cpu = !strcmp(assay_session_backend(r->session), "cpu");
    assay_config config = o->config;
    config.backend = "cpu";
    config.device = NULL;
    config.cpu_level = cpu ? "scalar" : NULL;
    config.strip_height = 65535; /* no strips */
    assay_session *s = NULL;
    uint32_t before = 0;
    int rc = open_session(&s, &config, metrics, format, e, e);
    if (!rc)
        rc = session_failed(s, score_again(r, s, format, &before), e);
    assay_session_close(&s);
    r->known = true;
    for (uint64_t i = before; !rc && i < r->firsts; i++)
        compare(r, i, r->first + i * r->keys);
    return rc ? rc : check(r, e);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* Scores frames for `seconds`, at least each pair once. With `alone`, waits for each frame before the next one. Sets
 * *frames to the number of frames and *took to their seconds. */
static int round_of(struct run *r, double seconds, bool alone, uint64_t *frames, double *took, struct assay_error *e)
{
    const uint64_t before = r->frame;
    const uint64_t start = clock_ns();
    do {
        assay_buffer unused[2];
        TRY(session_failed(r->session, assay_session_take(r->session, &unused[0], &unused[1]), e));
        TRY(session_failed(r->session, assay_session_commit(r->session, r->frame++, ASSAY_SCORED), e));
        TRY(alone ? session_failed(r->session, assay_session_wait(r->session), e) : ASSAY_OK);
    } while (clock_seconds_since(start) < seconds || r->frame - before < r->pairs);
    TRY(session_failed(r->session, assay_session_wait(r->session), e));
    *took = clock_seconds_since(start);
    *frames = r->frame - before;
    return check(r, e);
}

static int measure_rate(struct run *r, const struct rates_options *o, struct rates_result *out, struct assay_error *e)
{
    double rate[ROUNDS];
    out->frames = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint64_t frames;
        double took;
        TRY(round_of(r, o->seconds / ROUNDS, false, &frames, &took, e));
        out->frames += frames;
        unsigned at = n; /* kept in order */
        for (; at > 0 && rate[at - 1] > (double)frames / took; at--)
            rate[at] = rate[at - 1];
        rate[at] = (double)frames / took;
    }
    out->slowest = rate[0];
    out->rate = rate[ROUNDS / 2];
    out->fastest = rate[ROUNDS - 1];
    return ASSAY_OK;
}

struct span { uint64_t from, to; };

static int earlier(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* How long at least one of the spans covers the clock. */
static uint64_t covered(struct span *span, size_t n)
{
    uint64_t sum = 0, end = 0;
    qsort(span, n, sizeof *span, earlier);
    for (size_t i = 0; i < n; i++) {
        const uint64_t from = span[i].from > end ? span[i].from : end;
        if (span[i].to > from) {
            sum += span[i].to - from;
            end = span[i].to;
        }
    }
    return sum;
}

struct busy { uint64_t upload, passes, either, all; };

/* Sums up the times of one device. */
static struct busy look(const assay_frame_times *times, unsigned n, uint32_t device, struct span *span)
{
    struct busy b = {0};
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned kind = 0; kind < 3; kind++) {
        size_t spans = 0;
        for (unsigned i = 0; i < n; i++) {
            const assay_frame_times *t = &times[i];
            if (t->device != device || !t->passes[1])
                continue;
            const struct span upload = {t->upload[0], t->upload[1]}, passes = {t->passes[0], t->passes[1]};
            if (kind != 1 && upload.to > upload.from)
                span[spans++] = upload;
            if (kind != 0)
                span[spans++] = passes;
            const uint64_t begin = upload.to > upload.from ? upload.from : passes.from;
            first = begin < first ? begin : first;
            last = passes.to > last ? passes.to : last;
        }
        const uint64_t sum = covered(span, spans);
        *(kind == 0 ? &b.upload : kind == 1 ? &b.passes : &b.either) = sum;
    }
    b.all = last > first ? last - first : 0;
    return b;
}

static int sum_times(const struct run *r, struct rates_result *out, struct assay_error *e)
{
    struct span *span = malloc(2 * ((size_t)r->timed + 1) * sizeof *span);
    struct busy sum = {0};
    uint64_t submit = 0;
    if (!span)
        return assay_fail_memory(e, "the times");
    for (uint32_t d = 0; d < r->work.devices; d++) {
        const struct busy b = look(r->times, r->timed, d, span);
        sum.upload += b.upload;
        sum.passes += b.passes;
        sum.either += b.either;
        sum.all += b.all;
    }
    for (unsigned i = 0; i < r->timed; i++)
        submit += r->times[i].submit;
    free(span);
    const double each = 1e-6 / (double)r->timed;
    const bool clock = sum.all > 0;
    out->upload = clock ? (double)sum.upload * each : -1.0;
    out->passes = clock ? (double)sum.passes * each : -1.0;
    out->idle = clock ? (double)(sum.all - sum.either) * each : -1.0;
    out->submit = (double)submit * each;
    return ASSAY_OK;
}

static int measure_times(struct run *r, const struct rates_options *o, struct rates_result *out, struct assay_error *e)
{
    uint64_t frames;
    double took;
    assay_work before, after;
    TRY(session_failed(r->session, assay_session_set_times(r->session, on_times, r), e));
    TRY(round_of(r, 0.0, false, &frames, &took, e)); /* commands are recorded again, events made */
    r->timed = 0;
    TRY(round_of(r, o->seconds / 4, false, &frames, &took, e));
    TRY(sum_times(r, out, e));
    struct rates_result alone;
    r->timed = 0;
    TRY(round_of(r, o->seconds / 8, true, &frames, &took, e));
    TRY(sum_times(r, &alone, e));
    TRY(session_failed(r->session, assay_session_set_times(r->session, NULL, NULL), e));
    out->upload_alone = alone.upload;
    out->passes_alone = alone.passes;
    out->latency = 1e3 * took / (double)frames;
    TRY(session_failed(r->session, assay_session_work(r->session, &before), e));
    TRY(round_of(r, 0.0, false, &frames, &took, e));
    TRY(session_failed(r->session, assay_session_work(r->session, &after), e));
    out->dispatches = (double)(after.dispatches - before.dispatches) / (double)frames;
    out->submissions = (double)(after.submissions - before.submissions) / (double)frames;
    return ASSAY_OK;
}

/* *rate is the best of three measurements. */
static int copy_rate(assay_session *s, int kind, size_t bytes, unsigned times, double *rate, struct assay_error *e)
{
    *rate = 0.0;
    for (unsigned i = 0; i < 3; i++) {
        double one;
        TRY(session_failed(s, assay_session_copy_rate(s, kind, bytes, times, &one), e));
        *rate = one > *rate ? one : *rate;
    }
    return ASSAY_OK;
}

static int measure_copies(assay_session *s, double seconds, struct rates_result *out, struct assay_error *e)
{
    const size_t bytes = out->upload_bytes ? out->upload_bytes : 1;
    const bool brief = seconds < 0.5; /* a try of the command, not a measurement */
    const size_t times = ((size_t)1 << (brief ? 24 : 30)) / bytes;
    TRY(copy_rate(s, ASSAY_COPY_UPLOAD, bytes,
                  times < 4      ? 4
                  : times > 1000 ? 1000
                                 : (unsigned)times,
                  &out->copy_rate, e));
    TRY(copy_rate(s, ASSAY_COPY_DEVICE, brief ? DEVICE_COPY / 16 : DEVICE_COPY, brief ? 1 : 8, &out->device_rate, e));
    out->device_rate *= 2.0; /* read and written */
    return ASSAY_OK;
}

double rates_link_share(const struct rates_result *r)
{
    return r->copy_rate > 0.0 ? r->rate * (double)r->upload_bytes / r->copy_rate : 0.0;
}

double rates_submit_share(const struct rates_result *r)
{
    return r->submit * r->rate / 1e3;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static int allocate(struct run *r, struct assay_error *e)
{
    const size_t values = (size_t)r->pairs * r->keys + 1;
    r->expected = calloc(values, sizeof *r->expected);
    r->first = calloc(values, sizeof *r->first);
    r->times = calloc(MOST_TIMES, sizeof *r->times);
    return r->expected && r->first && r->times ? ASSAY_OK : assay_fail_memory(e, "the scores");
}

static void describe(const struct run *r, struct rates_machine *m, struct rates_result *out)
{
    const assay_session *s = r->session;
    snprintf(m->backend, sizeof m->backend, "%s", assay_session_backend(s));
    snprintf(m->device, sizeof m->device, "%s", assay_session_device(s));
    snprintf(m->driver, sizeof m->driver, "%s", assay_session_driver(s));
    m->threads = assay_session_threads(s);
    out->pairs = r->pairs;
    out->in_flight = r->work.in_flight;
    out->upload_bytes = r->work.upload_bytes;
    out->pass_bytes = r->work.pass_bytes;
}

/* Opens the session and measures; the caller cleans up. */
static int measure(struct run *r, const struct rates_options *o, struct bench_frames *frames,
                   struct rates_machine *machine, struct rates_result *result, struct assay_error *why,
                   struct assay_error *e)
{
    const assay_format *format = &result->format;
    assay_config config = o->config;
    config.least_frames = o->pairs ? o->pairs : RATES_PAIRS;
    TRY(open_session(&r->session, &config, result->metrics, format, why, e));
    TRY(session_failed(r->session, assay_session_set_callback(r->session, on_frame, r), e));
    TRY(session_failed(r->session, assay_session_start(r->session, format), e));
    TRY(session_failed(r->session, assay_session_work(r->session, &r->work), e));
    r->pairs = r->work.frames;
    if (r->pairs < o->pairs)
        return assay_fail(e, ASSAY_EDEVICE, "--pairs %u: the device's memory holds %u", o->pairs, r->pairs);
    r->keys = assay_session_keys(r->session);
    if (r->pairs > RATES_MOST_PAIRS)
        return assay_fail(e, ASSAY_EUSAGE, "%u frames are in flight: more than %d pairs", r->pairs, RATES_MOST_PAIRS);
    TRY(allocate(r, e));
    TRY(fill(r, format, frames, e));
    TRY(expect(r, o, result->metrics, format, e));
    describe(r, machine, result);
    TRY(measure_rate(r, o, result, e));
    TRY(measure_times(r, o, result, e));
    return measure_copies(r->session, o->seconds, result, e);
}

int rates_measure(const struct rates_options *o, const char *metrics, const assay_format *format,
                  struct bench_frames *frames, struct rates_machine *machine, struct rates_result *result,
                  struct assay_error *why, struct assay_error *e)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the measurement");
    *result = (struct rates_result){.format = *format};
    snprintf(result->metrics, sizeof result->metrics, "%s", metrics);
    const int rc = measure(r, o, frames, machine, result, why, e);
    assay_session_close(&r->session);
    free(r->expected);
    free(r->first);
    free(r->times);
    free(r);
    return rc;
}
