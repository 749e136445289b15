/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session_test.h"

assay_format format_of(assay_layout layout, uint32_t depth, uint32_t width, uint32_t height)
{
    return (assay_format){.width = width, .height = height, .bit_depth = depth, .layout = layout};
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void put_sample(unsigned char *row, uint32_t x, uint32_t depth, uint32_t v)
{
    const uint16_t wide = (uint16_t)v;
    if (depth > 8)
        memcpy(row + 2 * (size_t)x, &wide, 2);
    else
        row[x] = (unsigned char)v;
}

uint32_t clip_sample(const struct clip *c, unsigned frame, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    const struct clip_picture *p = &c->picture[frame][side];
    const unsigned char *row = p->plane[plane] + (ptrdiff_t)y * p->stride[plane];
    uint16_t wide;
    if (c->format.bit_depth == 8)
        return row[x];
    memcpy(&wide, row + 2 * (size_t)x, 2);
    return wide;
}

static void fill_pair(struct clip *c, unsigned frame, uint32_t plane, unsigned noise, size_t pad)
{
    const uint32_t w = assay_format_plane_width(&c->format, plane), h = assay_format_plane_height(&c->format, plane);
    const uint32_t depth = c->format.bit_depth, peak = (1u << depth) - 1, shift = depth - 8;
    const size_t row = (size_t)w * (depth > 8 ? 2 : 1);
    struct clip_picture *const side = c->picture[frame];
    uint32_t state = 0x9e3779b9u + frame * 977 + plane * 31;
    for (unsigned i = 0; i < 2; i++) {
        side[i].stride[plane] = (ptrdiff_t)(row + pad);
        side[i].plane[plane] = malloc((row + pad) * (h - 1) + row);
        assert_non_null(side[i].plane[plane]);
    }
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            const uint32_t texture = (x * 5 + y * 3 + frame * 11 + ((x / 7 + y / 5) % 2 ? 60 : 0)) % 240;
            const uint32_t v = (texture << shift) + (next_random(&state) & peak) / 32;
            const uint32_t ref = v < peak ? v : peak, add = noise ? next_random(&state) % (2 * noise + 1) : 0;
            const uint32_t dis = ref + add < noise ? 0 : ref + add - noise < peak ? ref + add - noise : peak;
            put_sample(side[0].plane[plane] + (ptrdiff_t)y * side[0].stride[plane], x, depth, ref);
            put_sample(side[1].plane[plane] + (ptrdiff_t)y * side[1].stride[plane], x, depth, dis);
        }
}

void clip_open(struct clip *c, const assay_format *format, unsigned frames, unsigned noise, size_t pad)
{
    *c = (struct clip){.format = *format, .frames = frames};
    assert_true(frames <= CLIP_FRAMES);
    for (unsigned i = 0; i < frames; i++)
        for (uint32_t p = 0; p < assay_format_planes(format); p++)
            fill_pair(c, i, p, noise, pad);
}

void clip_close(struct clip *c)
{
    for (unsigned i = 0; i < c->frames; i++)
        for (unsigned side = 0; side < 2; side++)
            for (unsigned p = 0; p < 3; p++)
                free(c->picture[i][side].plane[p]);
}

assay_picture clip_view(const struct clip *c, unsigned frame, unsigned side)
{
    assay_picture p = {0};
    for (unsigned i = 0; i < assay_format_planes(&c->format); i++) {
        p.plane[i] = c->picture[frame][side].plane[i];
        p.stride[i] = c->picture[frame][side].stride[i];
    }
    return p;
}

static void count_release(void *opaque)
{
    __atomic_fetch_add((unsigned *)opaque, 1, __ATOMIC_RELAXED);
}

/* A picture that is lent. It has other samples as soon as it is back. */
struct lent {
    unsigned *count;
    size_t bytes;
    unsigned char memory[];
};

static void take_back(void *opaque)
{
    struct lent *own = opaque;
    memset(own->memory, 0xa5, own->bytes);
    __atomic_fetch_sub(own->count, 1, __ATOMIC_RELAXED);
    free(own);
}

bool clip_lend(assay_session *s, unsigned side, const assay_buffer *to, const struct clip *c, unsigned frame,
               unsigned clip_side, unsigned *lent)
{
    const assay_format *f = &c->format;
    const size_t sample = f->bit_depth > 8 ? 2 : 1;
    assay_picture p = {.release = take_back};
    size_t bytes = 0;
    if (!to->lends)
        return false;
    for (uint32_t i = 0; i < assay_format_planes(f); i++)
        bytes += (assay_format_plane_width(f, i) * sample + 3) * assay_format_plane_height(f, i);
    struct lent *own = malloc(sizeof *own + bytes);
    if (!own)
        abort();
    *own = (struct lent){.count = lent, .bytes = bytes};
    p.opaque = own;
    bytes = 0;
    for (uint32_t i = 0; i < assay_format_planes(f); i++) {
        const size_t row = assay_format_plane_width(f, i) * sample;
        p.plane[i] = own->memory + bytes;
        p.stride[i] = (ptrdiff_t)row + 3;
        for (uint32_t y = 0; y < assay_format_plane_height(f, i); y++, bytes += row + 3)
            memcpy(own->memory + bytes, c->picture[frame][clip_side].plane[i] +
                   (ptrdiff_t)y * c->picture[frame][clip_side].stride[i], row);
    }
    __atomic_fetch_add(lent, 1, __ATOMIC_RELAXED);
    if (assay_session_lend(s, side, to, &p))
        abort(); /* cmocka's assertions are for its own thread */
    return true;
}

static int keep_frame(void *opaque, uint64_t frame, const double *values)
{
    struct outcome *out = opaque;
    if (out->rows == CLIP_FRAMES)
        return 1;
    out->frame[out->rows] = frame;
    memcpy(out->value[out->rows++], values, out->keys * sizeof *values);
    return 0;
}

static int fill_taken(assay_session *s, const struct clip *c, unsigned frame, unsigned *lent)
{
    assay_buffer to[2];
    const int rc = assay_session_take(s, &to[0], &to[1]);
    const size_t sample = c->format.bit_depth > 8 ? 2 : 1;
    if (rc)
        return rc;
    for (unsigned side = 0; side < 2; side++) {
        if (lent && clip_lend(s, side, &to[side], c, frame, side, lent))
            continue;
        for (uint32_t p = 0; p < assay_format_planes(&c->format); p++)
            for (uint32_t y = 0; y < assay_format_plane_height(&c->format, p); y++)
                memcpy((char *)to[side].plane[p] + (ptrdiff_t)y * to[side].stride[p],
                       c->picture[frame][side].plane[p] + (ptrdiff_t)y * c->picture[frame][side].stride[p],
                       assay_format_plane_width(&c->format, p) * sample);
    }
    return assay_session_commit(s, 3 * (uint64_t)frame, 1);
}

static int feed_frame(assay_session *s, const struct how *how, const struct clip *c, unsigned frame,
                      struct outcome *out)
{
    if (how->feed == FEED_TAKE || how->feed == FEED_LEND)
        return fill_taken(s, c, frame, how->feed == FEED_LEND ? &out->lent : NULL);
    assay_picture ref = clip_view(c, frame, 0), dis = clip_view(c, frame, 1);
    if (how->feed == FEED_RELEASE) {
        ref.release = dis.release = count_release;
        ref.opaque = dis.opaque = &out->released;
    }
    return assay_session_submit(s, 3 * (uint64_t)frame, &ref, &dis);
}

static int add_metrics(assay_session *s, const struct how *how, const struct clip *c)
{
    char list[256], *rest = list, *name;
    int rc = 0;
    snprintf(list, sizeof list, "%s", how->metrics ? how->metrics : "*");
    while (!rc && (name = strsep(&rest, " ")))
        rc = strcmp(name, "*") ? assay_session_add_metric(s, name) : assay_session_add_all(s, &c->format, NULL, NULL);
    return rc;
}

static int run(assay_session *s, const struct how *how, const struct clip *c, struct outcome *out)
{
    int rc = add_metrics(s, how, c);
    if (!rc && how->callback)
        rc = assay_session_set_callback(s, keep_frame, out);
    if (!rc)
        rc = assay_session_start(s, &c->format);
    if (rc)
        return rc;
    out->keys = assay_session_keys(s);
    if (out->keys > OUTCOME_KEYS || assay_session_aggregates(s) > sizeof out->aggregate / sizeof out->aggregate[0])
        return 1; /* what this test has room for */
    for (uint32_t i = 0; i < out->keys; i++)
        snprintf(out->key[i], sizeof out->key[i], "%s", assay_session_key(s, i));
    for (unsigned i = 0; !rc && i < c->frames; i++) {
        rc = feed_frame(s, how, c, i, out);
        if (!rc && how->flush_every && (i + 1) % how->flush_every == 0)
            rc = assay_session_flush(s);
    }
    if (!rc)
        rc = assay_session_flush(s);
    while (!rc && !how->callback) {
        const int got = assay_session_poll(s, &out->frame[out->rows], out->value[out->rows]);
        if (got != 1) {
            rc = got;
            break;
        }
        if (++out->rows == CLIP_FRAMES)
            break;
    }
    out->aggregates = assay_session_aggregates(s);
    for (uint32_t i = 0; !rc && i < out->aggregates; i++)
        rc = assay_session_aggregate(s, i, &out->aggregate[i]);
    return rc ? rc : assay_session_work(s, &out->work);
}

void score(const struct how *how, const struct clip *c, struct outcome *out)
{
    assay_session *s;
    memset(out, 0, sizeof *out);
    out->rc = assay_session_new(&s, &how->config, out->error, sizeof out->error);
    if (out->rc)
        return;
    out->rc = run(s, how, c, out);
    if (out->rc)
        snprintf(out->error, sizeof out->error, "%s", assay_session_error(s));
    assay_session_close(&s);
    if (out->lent)
        out->rc = 1;
}

void same_outcome(const struct outcome *a, const struct outcome *b)
{
    if (a->rc || b->rc)
        fail_msg("%s%s", a->error, b->error);
    assert_int_equal(a->keys, b->keys);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->aggregates, b->aggregates);
    for (uint32_t i = 0; i < a->rows; i++) {
        assert_int_equal(a->frame[i], b->frame[i]);
        for (uint32_t k = 0; k < a->keys; k++)
            if (memcmp(&a->value[i][k], &b->value[i][k], sizeof(double)))
                fail_msg("%s of frame %u: %a and %a", a->key[k], i, a->value[i][k], b->value[i][k]);
    }
    assert_memory_equal(a->aggregate, b->aggregate, a->aggregates * sizeof a->aggregate[0]);
}
