/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the pictures of a run for its session, ahead of the scores. */
#include <string.h>

#include "run/run.h"
#include "host/cpu.h"
#include "host/format.h"
#include "input/stream.h"
#include "results/shard.h"

enum {
    READERS = 4,      /* threads that read a side, at most */
    READER_BYTES = 512 * 1024, STEADY_BYTES = 2 * 1024 * 1024,
    FRAMES_AHEAD = 3, /* pairs read and not yet submitted, where the time to read a picture is not known ahead */
};

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Pictures of a side that are left out. --align auto finds them for each encode; of the reference they are the same for
 * all encodes of a run. */
static uint64_t skip_of(const struct run *r, unsigned side)
{
    return side ? r->lane[side - 1]->q->skip[1] : r->lane[0]->q->skip[0];
}

static const struct source *source_of(const struct run *r, unsigned side)
{
    return side ? &r->lane[side - 1]->pair.source[1] : &r->reference.source[0];
}

/*
 * Threads that read a side. One thread copies 4 to 8 GB/s from the page cache, 1400 to 2500 pictures of 1080p a second;
 * a fast device wants more. On a machine with few processors a second thread of a side only takes time from the
 * computation, and a picture of less than READER_BYTES is read in less time than it takes to wake one. All sides
 * together have half of the processors.
 */
static uint32_t readers(const struct source *s, uint32_t sides)
{
    const size_t parts = format_frame_bytes(&s->input->format) / READER_BYTES;
    const unsigned processors = cpu_allowed_count() / (2 * sides);
    size_t n = s->input->positioned && s->recode.equal ? READERS : 1;
    n = n < processors ? n : processors;
    n = n < parts ? n : parts;
    return n ? (uint32_t)n : 1;
}

/* Whether every picture takes about the same time to read, and longer than waking a thread. */
static bool is_steady(const struct run *r)
{
    bool steady = true;
    for (unsigned side = 0; side <= r->lanes; side++) {
        const struct input *in = source_of(r, side)->input;
        steady = steady && in->positioned && format_frame_bytes(&in->format) >= STEADY_BYTES;
    }
    return steady;
}

/* Pairs are read ahead, and not yet submitted. With more frame slots, less of a slot is still in a cache when the slot
 * is used again: psnr of 1080p takes 8 % more processor time with 4 slots than with 3. A single processor gains nothing
 * by reading ahead, and one slot stays in a cache: psnr of 1080p takes 0.75 of the time that it takes with 3 slots. */
void run_plan_readers(struct run *r, assay_config *config)
{
    const bool in_turn = r->q->pair_by == PAIR_TIME || r->q->keep_pictures, steady = is_steady(r),
               gpu = config->backend && strcmp(config->backend, "cpu") != 0;
    uint32_t most = 0;
    for (unsigned side = 0; side <= r->lanes; side++) {
        r->readers[side] = in_turn ? 1 : readers(source_of(r, side), r->lanes + 1);
        most = r->readers[side] > most ? r->readers[side] : most;
    }
    config->prefetch_frames = r->q->keep_pictures ? 1 : most > 1 || steady ? most + 1 : FRAMES_AHEAD;
    if (!config->frames_in_flight && !gpu && cpu_allowed_count() <= 1 && steady)
        config->frames_in_flight = 1;
}

/* ---- which pairs are read ---------------------------------------------------------------------------------------- */

/* Sets which pairs are read: those of this part, and the pairs before and behind it on which its scores depend. At
 * least one pair behind a part is read or passed over, which tells whether the inputs end with the part. A run that is
 * no part ends with its last pair. */
static void plan_reading(struct run *r)
{
    const struct request *q = r->q;
    assay_session_reach(r->session, &r->before, &r->after);
    r->end = q->frames ? q->first + q->frames : UINT64_MAX;
    r->begin = q->first - (q->first < r->before ? q->first : r->before);
    r->stop = q->frames && q->part ? r->end + (r->after ? r->after : 1) : r->end;
    if (!q->only)
        return;
    const uint64_t last = q->only[q->onlys - 1];
    r->begin = q->only[0] - (q->only[0] < r->before ? q->only[0] : r->before);
    r->stop = r->end - last > r->after ? last + r->after + 1 : r->end;
}

/* The nearest pairs that are scored: the first one that is i or behind it, and the last one in front of i. UINT64_MAX:
 * there is none. */
static void nearest(const struct run *r, uint64_t i, uint64_t *next, uint64_t *last)
{
    const struct request *q = r->q;
    const uint64_t every = q->every;
    if (!q->only) {
        *next = shard_scored(i < q->first ? q->first : i, every) * every;
        *last = i ? (i < r->end ? i - 1 : r->end - 1) / every * every : UINT64_MAX;
        *next = *next < r->end ? *next : UINT64_MAX;
        *last = *last >= q->first ? *last : UINT64_MAX;
        return;
    }
    const uint64_t at = scores_place(q->only, q->onlys, i);
    *next = at < q->onlys ? q->only[at] : UINT64_MAX;
    *last = at ? q->only[at - 1] : UINT64_MAX;
}

/* ASSAY_SCORED, ASSAY_NEIGHBOUR of one that is scored, or ASSAY_UNUSED. */
static int use_of(void *opaque, uint64_t i)
{
    const struct run *r = opaque;
    uint64_t next, last;
    nearest(r, i, &next, &last);
    const bool looked_back_at = next != UINT64_MAX && next - i <= r->before,
               ahead_at = last != UINT64_MAX && i - last <= r->after;
    return next == i ? ASSAY_SCORED : looked_back_at || ahead_at ? ASSAY_NEIGHBOUR : ASSAY_UNUSED;
}

/* ---- encodes that end or fail before others ---------------------------------------------------------------------- */

/* Ends an encode that has no picture for `pair`; the others are read on. Where it may not be shorter than the
 * reference, or can't be read, frames whose scores depend on later ones have none, as in a run that broke off. */
static int encode_ended(void *opaque, uint32_t encode, uint64_t pair, int got, const char *error)
{
    struct run *r = opaque;
    struct lane *l = r->lane[encode];
    const bool ends = !got && l->q->allow[ALLOW_LENGTH];
    l->stop = l->limit = pair;
    l->whole = ends;
    l->ended = (struct assay_error){0};
    if (got < 0)
        assay_fail(&l->ended, got, "%s", error);
    return ends ? ASSAY_ENCODE_ENDS : ASSAY_ENCODE_BREAKS_OFF;
}

bool run_counts(const struct run *r, const struct lane *l, uint64_t frame)
{
    return frame < l->limit && (l->whole || l->limit - frame > r->after);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Tells the encodes that are paired by time of the reference's picture. */
static int tell_time(struct run *r, int64_t time, struct assay_error *e)
{
    for (uint32_t k = 0; k < r->lanes; k++) {
        struct lane *l = r->lane[k];
        l->pair.source[0].lasts = r->reference.source[0].lasts;
        TRY(l->pairing ? pairing_reference(l->pairing, time, e) : ASSAY_OK);
    }
    return ASSAY_OK;
}

static void tell_end(struct run *r)
{
    for (uint32_t k = 0; k < r->lanes; k++)
        if (r->lane[k]->pairing)
            pairing_reference_ended(r->lane[k]->pairing);
}

static int find_picture(void *opaque, unsigned side, uint64_t i, int used, uint64_t *place, char *error,
                        size_t error_size)
{
    struct run *r = opaque;
    struct input *in = source_of(r, side)->input;
    struct input_place at = {0};
    struct assay_error e = {0};
    const bool later = side && r->lane[side - 1]->pairing; /* pairing_read finds it */
    (void)i;
    const int rc = later ? 1 : used ? input_begin(in, &at, &e) : input_skip(in, &e);
    if (!side && rc <= 0)
        tell_end(r);
    *place = at.at;
    snprintf(error, error_size, "%s", e.text);
    return rc;
}

/* What is done with the picture of a pair that is scored: a look at its borders, and a copy where it is kept. With one
 * pair ahead, its memory is free again when the next one is read. */
static void look_at(struct run *r, struct borders *b, const struct pair *p, unsigned side, uint64_t i,
                    const assay_buffer *to)
{
    if (use_of(r, i) != ASSAY_SCORED)
        return;
    borders_look(b, p, side, (i - r->q->first) / r->q->every, to);
    const assay_format *f = pair_side(p, side);
    for (uint32_t n = 0; r->q->keep_pictures && n < 4; n++) {
        const struct picture *kept = &r->kept[side];
        const size_t row = format_row_bytes(f, n);
        for (uint32_t y = 0; row && y < assay_format_plane_height(f, n); y++)
            memcpy((char *)kept->plane[n] + (ptrdiff_t)y * kept->stride[n],
                   (const char *)to->plane[n] + (ptrdiff_t)y * to->stride[n], row);
    }
}

static int read_side(struct run *r, unsigned side, uint64_t i, const struct input_place *place, assay_buffer *to,
                     struct assay_error *e)
{
    struct lane *l = side ? r->lane[side - 1] : NULL;
    struct pair *p = l ? &l->pair : &r->reference;
    int64_t time = SCORES_NO_TIME;
    int rc = l && l->pairing ? pairing_read(l->pairing, i, to, e)
                             : pair_finish(p, side > 0, place, r->session, to, &time, e);
    if (!l && rc > 0 && tell_time(r, time, e))
        rc = e->code;
    if (!l && rc <= 0)
        tell_end(r);
    const int kept = rc > 0 && i >= r->q->first ? times_put(l ? &l->times : &r->times, i - r->q->first, time, e) : 0;
    if (rc > 0 && !kept)
        look_at(r, l ? &l->borders : &r->borders, p, side > 0, i, to);
    return kept ? kept : rc;
}

static int read_picture(void *opaque, unsigned side, uint64_t i, uint64_t at, const assay_buffer *to, char *error,
                        size_t error_size)
{
    struct run *r = opaque;
    const struct input_place place = {.index = skip_of(r, side) + i, .at = at};
    assay_buffer is = *to; /* where the picture is, which may be lent */
    struct assay_error e = {0};
    const int rc = read_side(r, side, i, &place, &is, &e);
    snprintf(error, error_size, "%s", e.text);
    return rc;
}

static void abandon(void *opaque)
{
    const struct run *r = opaque;
    for (uint32_t k = 0; k < r->lanes; k++)
        if (r->lane[k]->pairing)
            pairing_abandon(r->lane[k]->pairing);
    input_abandon(r->q->stop, true);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* What became of an encode when all pairs before `behind` were read. `ended`: the reference has no picture there. */
static int judge(struct run *r, struct lane *l, uint64_t behind, bool ended, struct assay_error *e)
{
    const struct request *q = l->q;
    const uint64_t common = l->stop < behind ? l->stop : behind;
    for (unsigned side = 0; side < 2; side++)
        TRY(input_unchanged(l->pair.source[side].input, e));
    if (common < r->stop) {
        if (l->stop <= behind && l->ended.code)
            return assay_fail(e, l->ended.code, "%s", l->ended.text);
        const bool encode_ended = l->stop <= behind, reference_ended = ended && common == behind;
        TRY(pair_ended(&l->pair, q, (int[2]){!reference_ended, !encode_ended}, e));
    }
    if (common <= q->first)
        return assay_fail(e, ASSAY_EINPUT, "%s has no frame to score", l->pair.source[0].input->name);
    l->read = (common < r->end ? common : r->end) - q->first;
    l->total = common < r->stop ? common : 0;
    return ASSAY_OK;
}

static void judge_all(struct run *r, const assay_read_end *end)
{
    const uint64_t behind = r->begin + end->pairs;
    for (uint32_t k = 0; k < r->lanes; k++) {
        struct lane *l = r->lane[k];
        if (end->ended[k + 1] && l->stop > end->had[k + 1])
            l->stop = end->had[k + 1]; /* where the reference ends, too */
        l->rc = judge(r, l, behind, end->ended[0] != 0, &l->error);
        l->limit = l->stop < behind ? l->stop : behind;
        l->whole = !l->rc;
    }
}

static bool any_good(const struct run *r)
{
    bool good = false;
    for (uint32_t k = 0; k < r->lanes; k++)
        good = good || !r->lane[k]->rc;
    return good;
}

/* Passes over the pictures before the first pair. An encode that has not so many takes no part. */
static int skip_pictures(struct run *r, bool *left, struct assay_error *e)
{
    *left = false;
    TRY(pair_skip(r->reference.source[0].input, skip_of(r, 0) + r->begin, e));
    for (uint32_t k = 0; k < r->lanes; k++) {
        struct assay_error why = {0};
        struct lane *l = r->lane[k];
        int skipped = pair_skip(l->pair.source[1].input, skip_of(r, k + 1) + r->begin, &why);
        if (!skipped && r->q->pair_by == PAIR_TIME)
            skipped = pairing_open(&l->pairing, &l->pair, &why);
        if (skipped)
            TRY(session_failed(r->session, assay_session_end_encode(r->session, k,
                                                                encode_ended(r, k, 0, skipped, why.text)), e));
        *left = *left || !skipped;
    }
    return ASSAY_OK;
}

int run_read_begin(struct run *r, struct assay_error *e)
{
    assay_reader reader = {.find = find_picture, .read = read_picture, .use = use_of, .ended = encode_ended,
                           .abandon = abandon, .opaque = r};
    bool left;
    memcpy(reader.threads, r->readers, sizeof r->readers);
    plan_reading(r);
    TRY(skip_pictures(r, &left, e));
    const int rc = left ? assay_session_read_begin(r->session, &reader, r->begin, r->stop) : ASSAY_OK;
    r->reads = left && !rc;
    if (rc) /* some readers may have begun, and were told to end: those of a later session are not */
        input_abandon(r->q->stop, false);
    return session_failed(r->session, rc, e);
}

int run_read_next(struct run *r, uint64_t *frame, struct assay_error *e)
{
    enum { PATIENCE = 50 }; /* milliseconds until scores are looked for again, where pictures come slowly */
    int use, rc;
    do {
        rc = r->reads && !input_stopped(r->q->stop) ? assay_session_read_next(r->session, PATIENCE, frame, &use)
                                                    : ASSAY_READ_OVER;
    } while (rc == ASSAY_READ_PAIR && use == ASSAY_UNUSED);
    return rc == ASSAY_READ_PAIR && use != ASSAY_SCORED ? ASSAY_READ_LATE
                                                        : rc < 0 ? session_failed(r->session, rc, e) : rc;
}

int run_read_end(struct run *r, int rc, struct assay_error *e)
{
    assay_read_end end = {0};
    if (r->reads) {
        assay_session_read_stop(r->session, &end);
        input_abandon(r->q->stop, false);
        r->reads = false;
    }
    if (!rc)
        judge_all(r, &end);
    /* A run that broke off is not flushed: a flush would score its last frames as if the inputs ended there. */
    const int flushed = rc || input_stopped(r->q->stop) || !any_good(r) ? assay_session_wait(r->session)
                                                         : assay_session_flush(r->session);
    if (input_stopped(r->q->stop)) {
        *e = (struct assay_error){0}; /* what the stop has caused */
        return assay_fail(e, RUN_STOPPED, "%s was not read to its end: it was stopped",
                          r->reference.source[0].input->name);
    }
    return rc ? rc : session_failed(r->session, flushed, e);
}
