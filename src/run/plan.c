/* SPDX-License-Identifier: BSD-2-Clause */
/* Which encodes a run takes, and its session. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "run/differences.h"
#include "run/run.h"

void lane_fail(struct lane *l, int rc, const struct assay_error *why)
{
    l->state = LANE_DONE;
    l->rc = rc;
    l->error = *why;
}

void lane_clear(struct lane *l)
{
    pair_close(&l->pair);
    pairing_close(&l->pairing);
    times_free(&l->times);
    *l = (struct lane){.times.lock = PTHREAD_MUTEX_INITIALIZER, .q = l->q, .state = l->state, .rc = l->rc,
                       .error = l->error, .width = l->width, .height = l->height};
}

bool lanes_wait(struct lane *const *lane, uint32_t lanes)
{
    bool waits = false;
    for (uint32_t k = 0; k < lanes; k++)
        waits = waits || lane[k]->state == LANE_WAITING;
    return waits;
}

void run_init(struct run *r, const struct request *q)
{
    memset(r, 0, sizeof *r);
    r->q = q;
    r->times.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void run_close(struct run *r)
{
    assay_session_close(&r->session);
    pair_close(&r->reference);
    times_free(&r->times);
    for (unsigned side = 0; side < 2; side++) {
        free(r->kept[side].plane[0]);
        r->kept[side].plane[0] = NULL;
    }
}

/* Whether the metrics that were named can score an encode; for NULL, an encode of the reference's own format. */
static int check_metrics(const struct run *r, const struct pair *p, struct assay_error *e)
{
    const struct request *q = r->q;
    assay_config config = q->config;
    config.encodes = 1;
    if (p)
        pair_configure(p, &config);
    for (uint32_t i = 0; i < q->metrics; i++) {
        char why[512];
        const assay_format *format = p ? &p->format : &r->reference.source[0].format;
        const int rc = assay_metric_allows(q->metric[i], &config, format, why, sizeof why);
        if (rc)
            return assay_fail(e, rc, "%s%s%s", p ? p->source[1].input->name : "", p ? ": " : "", why);
    }
    return ASSAY_OK;
}

int run_open(struct run *r, struct lane *const *lane, uint32_t lanes, struct assay_error *e)
{
    const struct input *in[ASSAY_ENCODES + 1] = {r->reference.source[0].input};
    uint32_t inputs = 1;
    for (uint32_t k = 0; k < lanes; k++) {
        struct lane *l = lane[k];
        struct assay_error why = {0};
        if (l->state != LANE_WAITING)
            continue;
        const int rc = pair_open_encode(&l->pair, &r->reference, l->q, &why);
        if (rc && input_stopped(r->q->stop))
            return RUN_STOPPED; /* the walk says so */
        l->width = rc ? 0 : l->pair.source[1].input->whole_width;
        l->height = rc ? 0 : l->pair.source[1].input->whole_height;
        if (rc)
            lane_fail(l, rc, &why);
        else
            in[inputs++] = l->pair.source[1].input;
    }
    if (inputs > 1)
        TRY(pair_check_inputs(in, inputs, r->q, e));
    TRY(lanes > 1 ? check_metrics(r, NULL, e) : ASSAY_OK);
    for (uint32_t k = 0; k < lanes; k++) {
        struct lane *l = lane[k];
        struct assay_error why = {0};
        int rc = l->state == LANE_WAITING ? differences_check(&l->pair, l->q, &why) : ASSAY_OK;
        if (!rc && l->state == LANE_WAITING && lanes > 1)
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

void run_choose(struct run *r, struct lane *const *lane, uint32_t lanes)
{
    for (uint32_t k = 0; k < lanes; k++) {
        struct lane *l = lane[k];
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

int run_ready(struct run *r, struct assay_error *e)
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

int run_start(struct run *r, struct assay_error *e)
{
    assay_config config = r->q->config;
    const assay_format *format = &r->lane[0]->pair.format;
    config.prefetch_frames = run_plan_readers(r);
    config.frames_in_flight = run_in_flight(r);
    for (unsigned side = 0; r->q->keep_pictures && side < 2; side++)
        TRY(pair_picture(&r->kept[side], pair_side(&r->lane[0]->pair, side), e));
    config.gpu_sides = r->reference.source[0].input->on_device;
    for (uint32_t k = 0; k < r->lanes; k++) {
        struct pair *p = &r->lane[k]->pair;
        config.gpu_sides |= p->source[1].input->on_device ? 2u << k : 0;
        r->distorted[k] = *pair_side(p, 1);
        pair_configure(p, &config);
    }
    config.distorted = r->distorted;
    config.encodes = r->lanes;
    TRY(session_make(&r->session, &config, e));
    TRY(run_add_metrics(r->q, r->session, &config, format, &r->left_out, e));
    TRY(session_failed(r->session, assay_session_start(r->session, format), e));
    for (unsigned plane = 0; plane < 3; plane++) {
        const bool all = r->q->keep_pictures;
        r->reference.source[0].unread[plane] = !all && !assay_session_reads(r->session, 0, plane);
        for (uint32_t k = 0; k < r->lanes; k++)
            r->lane[k]->pair.source[1].unread[plane] = !all && !assay_session_reads(r->session, k + 1, plane);
    }
    return ASSAY_OK;
}

/* Containers that count milliseconds round each time by up to one. */
void run_watch_times(struct run *r, struct lane *l, uint64_t frame)
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
        snprintf(l->timing, sizeof l->timing,
                 "timing: from frame %" PRIu64 " on %s is shown %.3f s later than before beside the other one: frames "
                 "are paired by number, so one side may lack frames; --pair time pairs them by time",
                 frame, l->pair.source[moved > 0].input->name, (double)size / 1e9);
}

bool run_borders_differ(const struct run *r, struct lane *l, char *text, size_t size)
{
    memcpy(l->borders.look[0], r->borders.look[0], sizeof l->borders.look[0]);
    if (!borders_differ(&l->borders, l->q, &l->pair, text, size))
        return false;
    pair_notice(&l->pair, "%s", text);
    return true;
}

uint64_t run_frames(const struct run *r)
{
    uint64_t longest = 0;
    for (uint32_t k = 0; k < r->lanes; k++) {
        const uint64_t frames = pair_frames(&r->lane[k]->pair, r->lane[k]->q);
        longest = frames > longest ? frames : longest;
    }
    return longest;
}
