/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/cpu.h"
#include "host/text.h"
#include "input/stream.h"
#include "run/differences.h"

/* ---- encodes ----------------------------------------------------------------------------------------------------- */

void lane_fail(struct lane *l, int rc, const struct assay_error *why)
{
    l->state = LANE_DONE;
    l->rc = rc;
    l->error = *why;
}

/* Frees what a group has made for an encode. The encode's state, code, error and size stay for the next group. */
static void lane_clear(struct lane *l)
{
    pair_close(&l->pair);
    pairing_close(&l->pairing);
    times_free(&l->times);
    *l = (struct lane){.times.lock = PTHREAD_MUTEX_INITIALIZER, .q = l->q, .state = l->state, .rc = l->rc,
                       .error = l->error, .width = l->width, .height = l->height};
}

bool walk_waits(const struct walk *w)
{
    bool waits = false;
    for (uint32_t k = 0; k < w->lanes; k++)
        waits = waits || w->lane[k].state == LANE_WAITING;
    return waits;
}

bool run_note(const struct run *r, struct lane *l, enum run_note which, const char **code, char text[RUN_NOTE])
{
    static const char *const codes[RUN_NOTES] = {"ending", "timing", "borders", "pairing"};
    text[0] = '\0';
    if (which == RUN_NOTES)
        return false;
    *code = codes[which];
    if (which == NOTE_ENDING || which == NOTE_TIMING)
        snprintf(text, RUN_NOTE, "%s", which == NOTE_ENDING ? l->pair.ending : l->timing);
    if (which == NOTE_BORDERS && borders_differ(&r->borders, &l->borders, l->q, &l->pair, text, RUN_NOTE))
        pair_notice(&l->pair, "%s", text);
    if (which == NOTE_PAIRING && l->pairing && l->pair.paired.pairs) {
        pairing_finish(l->pairing);
        pairing_text(&l->pair.paired, text, RUN_NOTE);
    }
    return true;
}

/* ---- a group of encodes, and its session ------------------------------------------------------------------------- */

/* Whether the metrics that were named can score an encode; for NULL, an encode of the reference's own format. */
static int check_metrics(const struct run *r, const struct pair *p, struct assay_error *e)
{
    const struct request *q = r->q;
    assay_config config = q->config;
    config.encodes = 1;
    if (p)
        pair_configure(p, q, &config);
    for (uint32_t i = 0; i < q->metrics; i++) {
        char why[512];
        const assay_format *format = p ? &p->format : &r->reference.source[0].format;
        const int rc = assay_metric_allows(q->metric[i], &config, format, why, sizeof why);
        if (rc)
            return assay_fail(e, rc, "%s%s%s", p ? p->source[1].input->name : "", p ? ": " : "", why);
    }
    return ASSAY_OK;
}

/* Opens the waiting encodes, when the reference is open, and compares each with it. An encode that can't be scored is
 * done. Fails where none can be. */
static int open_encodes(struct walk *w, struct assay_error *e)
{
    struct run *r = &w->run;
    const struct input *in[ASSAY_ENCODES + 1] = {r->reference.source[0].input};
    uint32_t inputs = 1;
    for (uint32_t k = 0; k < w->lanes; k++) {
        struct lane *l = &w->lane[k];
        struct assay_error why = {0};
        if (l->state != LANE_WAITING)
            continue;
        const int rc = pair_open_encode(&l->pair, &r->reference, l->q, &why);
        if (rc && input_stopped(r->q->stop))
            return RUN_STOPPED; /* the walk says so */
        if (!rc && !l->width) /* pair_check_inputs has seen the inputs of later groups */
            in[inputs++] = l->pair.source[1].input;
        l->width = rc ? 0 : l->pair.source[1].input->whole_width;
        l->height = rc ? 0 : l->pair.source[1].input->whole_height;
        if (rc)
            lane_fail(l, rc, &why);
    }
    if (inputs > 1)
        TRY(pair_check_inputs(in, inputs, r->q, e));
    TRY(w->lanes > 1 && !r->q->scale_ref ? check_metrics(r, NULL, e) : ASSAY_OK); /* sizes are the encodes' */
    for (uint32_t k = 0; k < w->lanes; k++) {
        struct lane *l = &w->lane[k];
        struct assay_error why = {0};
        int rc = l->state == LANE_WAITING ? differences_check(&l->pair, l->q, &why) : ASSAY_OK;
        if (!rc && l->state == LANE_WAITING && w->lanes > 1)
            rc = check_metrics(r, &l->pair, &why);
        if (rc)
            lane_fail(l, rc, &why);
    }
    return ASSAY_OK;
}

/* What a session compares with an encode: "the reference as yuv420p of 1920x1080". */
static void as_text(char *text, size_t size, const struct pair *p)
{
    char format[32];
    snprintf(text, size, "%s of %ux%u", input_format_name(&p->format, format), p->width, p->height);
}

/* An encode that needs a run of its own waits for it. */
static void postpone(const struct run *r, struct lane *l, const char *why)
{
    struct assay_error failed = {0};
    if (!strcmp(r->q->path[0], "-") || !strcmp(l->q->path[1], "-")) {
        assay_fail(&failed, ASSAY_EMISMATCH, "%s: %s, so it needs a run of its own, and standard input is read once",
                   l->q->path[1], why);
        lane_fail(l, failed.code, &failed);
    } else {
        snprintf(l->later, sizeof l->later, "%s: %s, so it is scored in a run of its own", l->q->path[1], why);
    }
}

/* Takes the first waiting encode, and those that one session can score beside it. Others wait, with the reason in
 * `later`, or have failed: what standard input has given can't be read again. */
static void choose_group(struct walk *w)
{
    struct run *r = &w->run;
    for (uint32_t k = 0; k < w->lanes; k++) {
        struct lane *l = &w->lane[k];
        const struct lane *lead = r->lanes ? r->lane[0] : NULL;
        if (l->state != LANE_WAITING)
            continue;
        const bool beside = lead && pair_like(&lead->pair, &l->pair);
        if (!lead || (beside && lead->q->skip[0] == l->q->skip[0])) {
            l->pair.encode = r->lanes;
            l->state = LANE_RUNNING;
            l->stop = l->limit = UINT64_MAX;
            r->lane[r->lanes++] = l;
            continue;
        }
        char one[64], other[64], why[256];
        as_text(one, sizeof one, &l->pair);
        as_text(other, sizeof other, &lead->pair);
        if (beside)
            snprintf(why, sizeof why, "it is compared with the reference from another frame on");
        else
            snprintf(why, sizeof why, "it is compared with the reference as %s, not as %s", one, other);
        postpone(r, l, why);
        pair_close(&l->pair);
        l->pair = (struct pair){0};
    }
}

/* Makes the inputs of the encodes that were taken ready to be read. */
static int make_ready(struct run *r, struct assay_error *e)
{
    struct pair *all = &r->reference;
    const struct pair *lead = &r->lane[0]->pair;
    all->format = lead->format;
    all->distorted = lead->distorted;
    all->width = lead->width;
    all->height = lead->height;
    TRY(pair_ready(all, 0, r->lane[0]->q, e));
    uint32_t good = 0;
    for (uint32_t k = 0; k < r->lanes; k++) {
        struct lane *l = r->lane[k];
        struct assay_error why = {0};
        l->pair.source[0].input = all->source[0].input;
        const int rc = pair_ready(&l->pair, 1, l->q, &why);
        if (rc && input_stopped(r->q->stop))
            return RUN_STOPPED; /* the walk says so */
        if (rc) {
            lane_fail(l, rc, &why);
            pair_close(&l->pair);
            continue;
        }
        l->pair.encode = good;
        r->lane[good++] = l;
    }
    r->lanes = good;
    return ASSAY_OK;
}

/* The most pairs that an encode has, for progress; 0: not known. */
static uint64_t most_pairs(const struct run *r)
{
    uint64_t longest = 0;
    for (uint32_t k = 0; k < r->lanes; k++) {
        const uint64_t frames = pair_frames(&r->lane[k]->pair, r->lane[k]->q);
        longest = frames > longest ? frames : longest;
    }
    return longest;
}

/* Opens and starts the session. */
static int start_session(struct walk *w, struct assay_error *e)
{
    struct run *r = &w->run;
    assay_config config = r->q->config;
    const assay_format *format = &r->lane[0]->pair.format;
    w->total = most_pairs(r);
    config.frames = w->total < UINT32_MAX ? (uint32_t)w->total : 0;
    run_plan_readers(r, &config);
    for (unsigned side = 0; r->q->keep_pictures && side < 2; side++)
        TRY(pair_picture(&r->kept[side], pair_side(&r->lane[0]->pair, side), e));
    config.gpu_sides = r->reference.source[0].input->on_device;
    for (uint32_t k = 0; k < r->lanes; k++) {
        struct pair *p = &r->lane[k]->pair;
        config.gpu_sides |= p->source[1].input->on_device ? 2u << k : 0;
        r->distorted[k] = *pair_side(p, 1);
        pair_configure(p, r->q, &config);
    }
    config.distorted = r->distorted;
    config.encodes = r->lanes;
    TRY(session_make(&r->session, &config, e));
    TRY(run_add_metrics(r->q, r->session, &config, format, &r->left_out, e));
    TRY(session_failed(r->session, assay_session_start(r->session, format), e));
    for (unsigned plane = 0; !r->q->keep_pictures && plane < 3; plane++) {
        r->reference.source[0].unread[plane] = !assay_session_reads(r->session, 0, plane);
        for (uint32_t k = 0; k < r->lanes; k++)
            r->lane[k]->pair.source[1].unread[plane] = !assay_session_reads(r->session, k + 1, plane);
    }
    w->values = calloc(assay_session_keys(r->session) + 1, sizeof *w->values);
    return w->values ? ASSAY_OK : assay_fail_memory(e, "the scores");
}

/* Notes the first frame at which the distance in time between the two sides of an encode changes by more than half a
 * frame: one side has lost a frame there, or shows one longer. Frames come in order. Containers that count milliseconds
 * round each time by up to one. */
static void watch_times(struct run *r, struct lane *l, uint64_t frame)
{
    enum { ROUNDING = 3000000 };
    const assay_format *f = &r->reference.source[0].input->format;
    const uint64_t picture = frame - r->q->first;
    const int64_t a = times_get(&r->times, picture), b = times_get(&l->times, picture);
    if (l->pairing || a == SCORES_NO_TIME || b == SCORES_NO_TIME || !f->rate_num || l->timing[0] ||
        l->pair.overridden[ALLOW_RATE])
        return;
    const int64_t half = (int64_t)(UINT64_C(500000000) * f->rate_den / f->rate_num), apart = b - a,
                  moved = l->has_apart ? apart - l->apart : 0, size = moved < 0 ? -moved : moved;
    l->apart = apart;
    l->has_apart = true;
    if (size > half && size > ROUNDING)
        text_append(l->timing, sizeof l->timing,
                    "timing: from frame %" PRIu64 " on %s is shown %.3f s later than before beside the other one: "
                    "frames are paired by number, so one side may lack frames; --pair time pairs them by time",
                    frame, l->pair.source[moved > 0].input->name, (double)size / 1e9);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

void walk_open(struct walk *w, const struct request *q, uint32_t lanes)
{
    w->run.q = q;
    w->lanes = lanes;
    w->step = WALK_OVER;
}

/* Closes the group, but for its lanes. Its session stays where it has scores. */
static void close_group(struct walk *w)
{
    struct run *r = &w->run;
    if (!assay_session_finish(r->session)) { /* else it was not started */
        w->session[w->sessions++] = r->session; /* a group has an encode that no other group has */
        r->session = NULL;
    }
    assay_session_close(&r->session);
    pair_close(&r->reference);
    times_free(&r->times);
    for (unsigned side = 0; side < 2; side++) {
        free(r->kept[side].plane[0]);
        r->kept[side].plane[0] = NULL;
    }
    free(w->values);
    w->values = NULL;
}

void walk_close(struct walk *w)
{
    if (w->step < WALK_OVER && w->reading) /* the caller leaves it in the middle */
        run_read_end(&w->run, RUN_STOPPED, &w->error);
    if (w->step < WALK_OVER)
        close_group(w);
    for (uint32_t k = 0; k < w->lanes; k++)
        lane_clear(&w->lane[k]);
    for (uint32_t k = 0; k < w->sessions; k++)
        assay_session_close(&w->session[k]);
}

void walk_fail(struct walk *w, int rc, const struct assay_error *why)
{
    w->rc = rc;
    w->error = *why;
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* Whether a frame has scores that were not handed out. */
static bool scores_there(struct walk *w)
{
    return assay_session_poll(w->run.session, &w->frame, w->values) == 1;
}

/* Notes where nobody takes the scores. */
static void anybody_left(struct walk *w)
{
    bool left = false;
    for (uint32_t k = 0; k < w->run.lanes; k++)
        left = left || !w->run.lane[k]->not_taken.code;
    if (!left && !w->rc)
        walk_fail(w, w->run.lane[0]->not_taken.code, &w->run.lane[0]->not_taken);
}

/* Reads until there is a step. False: reading is at its end, or has failed. */
static bool read_on(struct walk *w)
{
    int got = ASSAY_READ_LATE;
    while (!w->rc && got == ASSAY_READ_LATE) {
        if (scores_there(w)) {
            w->step = WALK_SCORED;
            return true;
        }
        w->step = WALK_PAIR;
        got = run_read_next(&w->run, &w->frame, &w->error);
        w->rc = got < 0 ? got : ASSAY_OK;
    }
    return got == ASSAY_READ_PAIR;
}

/* What has become of the encodes of the group. One whose scores nobody took, or that has none, has failed. */
static void conclude(struct walk *w)
{
    const struct request *q = w->run.q;
    w->seconds = clock_seconds_since(w->started);
    for (uint32_t k = 0; k < w->run.lanes; k++) {
        struct lane *l = w->run.lane[k];
        l->state = LANE_DONE;
        if (w->rc && (!l->rc || w->rc == RUN_STOPPED))
            lane_fail(l, w->rc, &w->error);
        else if (!l->rc && l->not_taken.code)
            lane_fail(l, l->not_taken.code, &l->not_taken);
        else if (!l->rc && !l->scored && !q->part) /* a part may have none: another one does */
            l->rc = assay_fail(&l->error, ASSAY_EINPUT, "%s has no frame to score: --every %" PRIu64
                               " leaves out all %" PRIu64 " that were read", l->pair.source[0].input->name, q->every,
                               l->read);
    }
}

/* The steps from the first pair to the last scores, some of which come when all is read. */
static enum walk_step read_and_score(struct walk *w)
{
    w->scored += w->step == WALK_SCORED;
    anybody_left(w);
    if (w->reading && read_on(w))
        return w->step;
    if (w->reading)
        w->rc = run_read_end(&w->run, w->rc, &w->error);
    w->reading = false;
    if (scores_there(w))
        return WALK_SCORED;
    anybody_left(w);
    conclude(w);
    return WALK_READ;
}

static enum walk_step over(struct walk *w, bool failed)
{
    if (!failed)
        w->rc = ASSAY_OK; /* the lanes have it */
    if (w->rc && input_stopped(w->run.q->stop)) {
        w->error = (struct assay_error){0}; /* what the stop has caused */
        w->rc = assay_fail(&w->error, RUN_STOPPED, "the run was cancelled");
    }
    for (uint32_t k = 0; w->rc && k < w->lanes; k++)
        if (w->lane[k].state != LANE_DONE)
            lane_fail(&w->lane[k], w->rc, &w->error);
    close_group(w);
    return WALK_OVER;
}

/* Shares threads out to the decoders of several encodes. */
static void share_decoders(struct walk *w)
{
    double bytes[ASSAY_ENCODES + 1], all = 0;
    for (uint32_t k = 0; k <= w->lanes; k++) {
        const int64_t n = stream_file_bytes(w->lane[k ? k - 1 : 0].q->path[k > 0]);
        all += bytes[k] = n > 0 ? (double)n : 0;
    }
    for (uint32_t k = 0; k <= w->lanes; k++)
        w->lane[k ? k - 1 : 0].q->decode_threads[k > 0] =
            request_decode_threads(cpu_allowed_count(), w->lanes + 1, all > 0 ? bytes[k] / all : 0);
}

/* Opens the reference for the encodes that wait. */
static enum walk_step begin(struct walk *w)
{
    for (uint32_t k = 0; w->step == WALK_OVER && k < w->lanes; k++)
        lane_clear(&w->lane[k]);
    if (!walk_waits(w))
        return WALK_END;
    w->scored = w->total = 0;
    w->rc = ASSAY_OK;
    w->error = (struct assay_error){0};
    w->run = (struct run){.q = w->run.q, .times.lock = PTHREAD_MUTEX_INITIALIZER};
    if (w->lanes > 1)
        share_decoders(w);
    for (uint32_t k = 0; k < w->lanes; k++)
        if (w->lane[k].state == LANE_WAITING)
            pair_open_early(&w->lane[k].pair, w->lane[k].q);
    w->rc = pair_open_reference(&w->run.reference, w->lane[0].q, &w->error);
    return w->rc ? over(w, true) : WALK_REFERENCE;
}

enum walk_step walk_next(struct walk *w)
{
    struct run *r = &w->run;
    const enum walk_step last = w->step;
    const bool before = last < WALK_STARTED;
    if (last >= WALK_OVER)
        return w->step = begin(w);
    if (last == WALK_READ || (before && (w->rc || (last == WALK_READY && !r->lanes))))
        return w->step = over(w, before);
    if (last == WALK_REFERENCE)
        w->rc = open_encodes(w, &w->error);
    else if (last == WALK_OPENED)
        choose_group(w);
    else if (last == WALK_CHOSEN)
        w->rc = r->lanes ? make_ready(r, &w->error) : ASSAY_OK;
    else if (last == WALK_READY)
        w->rc = start_session(w, &w->error);
    if (before)
        return w->step = w->rc ? over(w, true) : (enum walk_step)(last + 1);
    if (last == WALK_STARTED && w->rc) /* the caller's */
        return w->step = over(w, true);
    if (last == WALK_STARTED) {
        w->started = clock_ns();
        w->reading = true;
        w->rc = run_read_begin(r, &w->error);
    }
    return w->step = read_and_score(w);
}

bool walk_take(struct walk *w, struct lane *l, struct stored *x)
{
    struct scores *s = &x->scores;
    if (l->not_taken.code || !run_counts(&w->run, l, w->frame))
        return false;
    const int64_t time = times_get(&w->run.times, w->frame - l->q->first);
    const double *values = assay_session_row(w->run.session, l->pair.encode, w->scored, NULL);
    watch_times(&w->run, l, w->frame);
    if (scores_lend(s, w->frame, time, values, &l->not_taken))
        return false;
    if (l->pairing)
        s->partner[s->rows - 1] = pairing_partner(l->pairing, w->frame);
    l->scored++;
    return true;
}
