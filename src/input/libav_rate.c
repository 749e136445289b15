/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the pictures of a container take: the bytes of the packets of the track that is read, and how long its pictures
 * are shown. Packets are counted as they are read for the decoder. What was not read for it is read without decoding.
 */
#include "host/int128.h"
#include "input/libav.h"

void libav_count_packet(struct libav *l)
{
    struct libav_count *c = &l->count;
    const AVPacket *p = l->packet;
    if (p->flags & AV_PKT_FLAG_DISCARD) /* an edit list hides its picture */
        return;
    const int64_t duration = p->duration > 0 ? p->duration : 0;
    c->place = FFMAX(c->place, p->pos);
    c->bytes += (uint64_t)p->size;
    c->shown += (uint64_t)duration;
    c->packets++;
    c->decoding |= c->packets == 1 && p->pts == AV_NOPTS_VALUE;
    const int64_t time = c->decoding ? p->dts : p->pts;
    c->untimed |= time == AV_NOPTS_VALUE || time > INT64_MAX - duration;
    if (p->dts != AV_NOPTS_VALUE) { /* in joined streams the times begin anew, and don't say how long the whole is */
        const uint64_t back = c->dated && p->dts < c->dts ? (uint64_t)c->dts - (uint64_t)p->dts : 0;
        c->untimed |= back > (uint64_t)l->track->time_base.den / (uint64_t)FFMAX(l->track->time_base.num, 1); /* 1 s */
        c->dts = p->dts;
        c->dated = true;
    }
    c->first = c->packets == 1 || time < c->first ? time : c->first;
    if (c->packets == 1 || time >= c->last) {
        c->last = time;
        c->length = c->decoding ? 0 : duration; /* AVI states the duration of a tick, which may be half a picture */
    }
}

/* Reads what was not read of the track, without decoding. */
static int libav_count_rest(struct libav *l, struct assay_error *e)
{
    int got = 1;
    if (l->failing)
        return input_fail(&l->in, e, "%s", l->failure);
    if (l->count.broken) {
        if (!libav_go_to(l, 0))
            return input_fail(&l->in, e, "the container's index leads nowhere");
        l->count = (struct libav_count){0};
    }
    while (!l->count.ended && got == 1) {
        got = libav_read_packet(l);
        av_packet_unref(l->packet);
    }
    return got < 0 ? input_fail(&l->in, e, "%s", l->failure) : ASSAY_OK;
}

/* How long the pictures are shown by the times of their packets, in units of the track. A last picture whose length is
 * not stated is shown for as long as the frame rate says. Packets of bare streams, which may be fields, have durations
 * by the frame rate. False: the times do not say it. Damaged ones may be further apart than INT64_MAX. */
static bool libav_shown(const struct libav *l, uint64_t *units)
{
    const struct libav_count *c = &l->count;
    const assay_format *f = &l->in.format;
    const AVRational unit = l->track->time_base;
    const bool bare = libav_is_bare(l);
    if ((bare ? !f->rate_num : c->untimed) || unit.num <= 0 || unit.den <= 0)
        return false;
    uint64_t length = (uint64_t)c->length;
    if (!length && f->rate_num && f->rate_den)
        length = (uint64_t)((assay_u128)f->rate_den * (assay_u128)unit.den /
                            ((assay_u128)f->rate_num * (assay_u128)unit.num));
    *units = bare ? c->shown : (uint64_t)c->last - (uint64_t)c->first + length;
    return *units && *units <= INT64_MAX / (uint64_t)unit.num;
}

/* The duration is that of as many pictures at the stated frame rate, if the times agree with it to less than half a
 * picture, or if there are none. Containers round times, to milliseconds for instance. Else it is what the times
 * say. */
static void libav_duration(const struct libav *l, struct input_rate *rate)
{
    const assay_format *f = &l->in.format;
    const AVRational unit = l->track->time_base;
    uint64_t units = 0;
    const bool timed = libav_shown(l, &units), rated = f->rate_num && f->rate_den;
    const double picture = rated ? (double)f->rate_den / f->rate_num : 0,
                 apart = (double)l->count.packets * picture - (timed ? (double)units * unit.num / unit.den : 0);
    if (rated && (!timed || (apart < picture / 2 && -apart < picture / 2))) {
        rate->num = l->count.packets * f->rate_den;
        rate->den = f->rate_num;
    } else if (timed) {
        rate->num = units * (uint64_t)unit.num;
        rate->den = (uint64_t)unit.den;
    }
}

int libav_rate(struct input *in, struct input_rate *rate, struct assay_error *e)
{
    struct libav *l = (struct libav *)in;
    if (libav_is_image(l))
        return ASSAY_OK;
    TRY(libav_count_rest(l, e));
    if (l->count.packets)
        libav_duration(l, rate);
    if (rate->den)
        rate->bytes = l->count.bytes;
    return ASSAY_OK;
}
