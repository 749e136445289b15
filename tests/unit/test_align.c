/* SPDX-License-Identifier: BSD-2-Clause */
/* Signatures of pictures, and offsets found from signatures that are made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "align/align.h"

/* ---- signatures -------------------------------------------------------------------------------------------------- */

/* The mean of a block over all rows, computed the plain way. */
static uint32_t mean(const uint16_t *luma, uint32_t width, uint32_t height, uint32_t block, uint32_t depth)
{
    const uint32_t x = block % SIGNATURE_COLUMNS, y = block / SIGNATURE_COLUMNS;
    uint64_t sum = 0, n = 0;
    for (uint32_t j = y * height / SIGNATURE_ROWS; j < (y + 1) * height / SIGNATURE_ROWS; j++)
        for (uint32_t i = x * width / SIGNATURE_COLUMNS; i < (x + 1) * width / SIGNATURE_COLUMNS; i++, n++)
            sum += luma[j * width + i];
    return (uint32_t)((sum << (16 - depth)) / n);
}

/* Heights below 2 * 8 * 24 rows: none is passed over. */
static void signature_is_the_mean(void **state)
{
    static const uint32_t sizes[][2] = {{12, 8}, {13, 9}, {97, 61}, {352, 288}};
    (void)state;
    for (unsigned s = 0; s < 4; s++)
        for (uint32_t depth = 8; depth <= 16; depth += 4) {
            const uint32_t w = sizes[s][0], h = sizes[s][1], pad = 5;
            uint16_t *luma = calloc((size_t)w * h, sizeof *luma);
            uint8_t *bytes = calloc(h, 2 * (size_t)w + pad); /* rows at odd addresses, too */
            for (uint32_t i = 0; i < w * h; i++)
                luma[i] = (uint16_t)((i * 2654435761u >> 7) & ((1u << depth) - 1));
            const size_t size = depth > 8 ? 2 : 1, stride = w * size + pad;
            for (uint32_t y = 0; y < h; y++)
                for (uint32_t x = 0; x < w; x++)
                    memcpy(bytes + y * stride + x * size, &luma[y * w + x], size); /* little-endian */
            struct signature got;
            signature_make(&got, bytes, (ptrdiff_t)stride, w, h, depth);
            for (uint32_t b = 0; b < SIGNATURE_BLOCKS; b++)
                assert_int_equal(got.block[b], mean(luma, w, h, b, depth));
            free(luma);
            free(bytes);
        }
}

static void signature_of_small_and_large(void **state)
{
    const uint8_t one = 77;
    struct signature s;
    (void)state;
    signature_make(&s, &one, 1, 1, 1, 8);
    for (uint32_t b = 0; b < SIGNATURE_BLOCKS; b++)
        assert_int_equal(s.block[b], 77 * SIGNATURE_CODE);
    /* rows that are passed over are not read: the largest picture, of which all rows are one */
    uint16_t *row = malloc(65535 * sizeof *row);
    memset(row, 0xff, 65535 * sizeof *row);
    signature_make(&s, row, 0, 65535, 65535, 16);
    for (uint32_t b = 0; b < SIGNATURE_BLOCKS; b++)
        assert_int_equal(s.block[b], 65535);
    free(row);
}

/* ---- offsets ----------------------------------------------------------------------------------------------------- */

static uint32_t dice(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* Frame i of a scene: bumps that move at speeds of their own. */
static struct signature scene(uint32_t number, int64_t i)
{
    struct signature s;
    uint32_t seed = number;
    int64_t at[6], speed[6];
    for (unsigned k = 0; k < 6; k++) {
        at[k] = dice(&seed) % 9600;
        speed[k] = 40 + dice(&seed) % 300;
    }
    for (int64_t b = 0; b < SIGNATURE_BLOCKS; b++) {
        int64_t v = 12000 + 150 * b;
        for (int64_t k = 0; k < 6; k++) {
            const int64_t away = llabs((at[k] + speed[k] * i + k * i * i / 3) % 9600 - 100 * b);
            v += away < 1500 ? (1500 - away) * 6 : 0;
        }
        s.block[b] = (uint16_t)(v > 65535 ? 65535 : v);
    }
    return s;
}

/* Adds frames [from, to) of a scene, with +-noise. */
static void add(struct signatures *to, uint32_t number, int64_t from, int64_t end, uint32_t noise)
{
    uint32_t seed = number + (uint32_t)from * 31 + noise;
    for (int64_t i = from; i < end; i++) {
        struct signature *s = signatures_add(to, NULL);
        assert_non_null(s);
        *s = scene(number, i);
        for (unsigned b = 0; noise && b < SIGNATURE_BLOCKS; b++)
            s->block[b] = (uint16_t)(s->block[b] + dice(&seed) % (2 * noise + 1));
    }
}

struct pair {
    struct signatures side[2];
    struct align_result r;
};

static void find(struct pair *p, uint32_t search)
{
    assert_int_equal(align_find(&p->r, &p->side[0], &p->side[1], search, NULL), 0);
}

static void done(struct pair *p)
{
    align_free(&p->r);
    signatures_free(&p->side[0]);
    signatures_free(&p->side[1]);
    memset(p, 0, sizeof *p);
}

static void constant_offsets(void **state)
{
    static const int64_t offsets[] = {0, 1, -1, 7, -24, 48, -48};
    struct pair p = {0};
    (void)state;
    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const int64_t d = offsets[i];
        add(&p.side[0], 5, 100, 220, 0);
        add(&p.side[1], 5, 100 - d, 220, 60);
        find(&p, ALIGN_SEARCH);
        assert_true(p.r.certain);
        assert_int_equal(p.r.offset, d);
        assert_int_equal(p.r.segments, 1);
        assert_int_equal(p.r.events, 0);
        assert_int_equal(p.r.segment[0].reference, d < 0 ? (uint64_t)-d : 0);
        assert_int_equal(p.r.segment[0].distorted, d < 0 ? 0 : (uint64_t)d);
        assert_int_equal(p.r.segment[0].length, d < 0 ? (uint64_t)(120 + d) : 120);
        done(&p);
    }
}

/* A gain, an offset and another level of each block change nothing. */
static void another_scale(void **state)
{
    struct pair p = {0};
    (void)state;
    add(&p.side[0], 9, 0, 100, 0);
    add(&p.side[1], 9, 3, 100, 30);
    for (uint64_t i = 0; i < p.side[1].frames; i++)
        for (unsigned b = 0; b < SIGNATURE_BLOCKS; b++) {
            uint16_t *v = &p.side[1].frame[i].block[b];
            *v = (uint16_t)(3000u + *v * 220u / 256 + b % 7 * 20);
        }
    find(&p, ALIGN_SEARCH);
    assert_true(p.r.certain);
    assert_int_equal(p.r.offset, -3);
    done(&p);
}

static void dropped_and_repeated(void **state)
{
    struct pair p = {0};
    (void)state;
    add(&p.side[0], 11, 0, 150, 0);
    add(&p.side[1], 11, 0, 40, 20);
    add(&p.side[1], 11, 41, 90, 20); /* 40 is missing */
    add(&p.side[1], 11, 89, 150, 20); /* 89 is there twice */
    find(&p, ALIGN_SEARCH);
    assert_true(p.r.certain);
    assert_int_equal(p.r.segments, 3);
    assert_int_equal(p.r.events, 2);
    assert_int_equal(p.r.event[0].kind, ALIGN_DROPPED);
    assert_int_equal(p.r.event[0].frame, 40);
    assert_int_equal(p.r.event[0].count, 1);
    assert_int_equal(p.r.event[1].kind, ALIGN_REPEATED);
    assert_int_equal(p.r.event[1].frame, 89);
    assert_int_equal(p.r.event[1].count, 1);
    assert_int_equal(p.r.segment[2].reference - p.r.segment[2].distorted, 0);
    assert_int_equal(p.r.period, 0);
    done(&p);
}

static void every_25th(void **state)
{
    struct pair p = {0};
    (void)state;
    add(&p.side[0], 21, 0, 250, 0);
    for (int64_t i = 0; i < 250; i += 25) {
        add(&p.side[1], 21, i, i + 12, 20);
        add(&p.side[1], 21, i + 13, i + 25, 20);
    }
    find(&p, ALIGN_SEARCH);
    assert_true(p.r.certain);
    assert_int_equal(p.r.events, 10);
    assert_int_equal(p.r.period, 25);
    assert_int_equal(p.r.period_kind, ALIGN_DROPPED);
    for (uint32_t i = 0; i < p.r.events; i++)
        assert_int_equal(p.r.event[i].frame, 25 * i + 12);
    done(&p);
}

/* Where a scene is at frame i of 250: at both ends it moves on only with each `slow`-th frame. */
static int64_t place(int64_t i, int64_t slow)
{
    return i < 14 ? 14 + (i - 14) / slow : i < 236 ? i : 236 + (i - 236) / slow;
}

/* 250 frames, of which the distorted side lacks each 25th, from 12 on, up to frame `evenly`. */
static void lack_every_25th(struct pair *p, int64_t evenly, int64_t slow, uint32_t noise)
{
    for (int64_t i = 0; i < 250; i++) {
        const int64_t at = place(i, slow);
        add(&p->side[0], 21, at, at + 1, 0);
        if (i % 25 != 12 || i >= evenly)
            add(&p->side[1], 21, at, at + 1, noise + (uint32_t)i % 3); /* on which the dice depend, too */
    }
}

/* Frames that are said to show the same are at most one of the scene's frames apart, and the same where it moves. */
static void claims_are_true(const struct align_result *r, int64_t evenly, int64_t slow)
{
    int64_t made_from[250], n = 0;
    for (int64_t i = 0; i < 250; i++)
        if (i % 25 != 12 || i >= evenly)
            made_from[n++] = i;
    for (uint32_t i = 0; i < r->segments; i++)
        for (uint64_t k = 0; k < r->segment[i].length; k++) {
            const int64_t a = (int64_t)(r->segment[i].reference + k), b = made_from[r->segment[i].distorted + k];
            const bool moves = a >= 16 && a < 234;
            assert_true(moves ? a == b : llabs(place(a, slow) - place(b, slow)) <= 1);
        }
}

/* The ends of an even sequence are too short to say where they lie, and are left out. Nothing wrong is said where the
 * sequence does not go on. */
static void even_but_for_the_ends(void **state)
{
    static const struct {
        int64_t slow;
        uint32_t noise;
    } ends[] = {{2, 800}, {4, 200}, {4, 800}, {6, 200}, {6, 800}, {8, 400}};
    struct pair p = {0};
    (void)state;
    for (unsigned k = 0; k < sizeof ends / sizeof ends[0]; k++)
        for (int64_t evenly = 250; evenly > 50; evenly -= 25) {
            lack_every_25th(&p, evenly, ends[k].slow, ends[k].noise);
            find(&p, ALIGN_SEARCH);
            if (evenly == 250) {
                assert_true(p.r.certain);
                assert_int_equal(p.r.period, 25);
                assert_in_range(p.r.segments, 9, 10); /* of 11 */
                assert_int_equal(p.r.events, p.r.segments - 1);
            }
            if (p.r.certain)
                claims_are_true(&p.r, evenly, ends[k].slow);
            done(&p);
        }
}

static void not_certain(struct pair *p, uint32_t search, enum align_doubt doubt)
{
    find(p, search);
    assert_false(p->r.certain);
    assert_true(p->r.confidence < 0.5);
    assert_int_equal(p->r.doubt, doubt);
    done(p);
}

/* A still picture that gets lighter with each `step`-th frame, with other noise on either side. */
static void fade(struct pair *p, uint64_t step)
{
    for (uint64_t i = 0; i < 105; i++)
        for (unsigned side = i < 5 ? 1 : 0; side < 2; side++) { /* 5 frames are of the distorted side alone */
            struct signatures *to = &p->side[side];
            add(to, 3, 0, 1, (uint32_t)(side ? 31 + i * 5 % 17 : 7 + i * 7 % 19));
            for (unsigned b = 0; b < SIGNATURE_BLOCKS; b++) {
                uint16_t *v = &to->frame[to->frames - 1].block[b];
                *v = (uint16_t)(*v / 2u + 300 * (i / step));
            }
        }
}

/* The next frame of an even fade is the frame itself with more light. Where each one is shown twice, the next but one
 * is. So an offset that is as near fits as well, with a shift of its own. */
static void an_even_fade(void **state)
{
    struct pair p = {0};
    (void)state;
    for (uint64_t step = 1; step <= 2; step++) {
        fade(&p, step);
        not_certain(&p, ALIGN_SEARCH, ALIGN_ALIKE);
    }
}

static void what_cannot_be_found(void **state)
{
    struct pair p = {0};
    (void)state;
    add(&p.side[0], 3, 0, ALIGN_LEAST - 1, 0); /* too few */
    add(&p.side[1], 3, 0, 100, 0);
    not_certain(&p, ALIGN_SEARCH, ALIGN_FEW);
    not_certain(&p, ALIGN_SEARCH, ALIGN_FEW); /* no frame at all */
    for (int64_t i = 0; i < 100; i++) { /* a still picture, and noise of the encoder */
        add(&p.side[0], 3, 0, 1, 0);
        add(&p.side[1], 3, 0, 1, 20 + (uint32_t)i % 5);
    }
    not_certain(&p, ALIGN_SEARCH, ALIGN_STILL);
    for (unsigned i = 0; i < 10; i++) { /* a loop of 12 frames */
        add(&p.side[0], 3, 0, 12, 0);
        add(&p.side[1], 3, 5, 12, 20);
        add(&p.side[1], 3, 0, 5, 20);
    }
    not_certain(&p, ALIGN_SEARCH, ALIGN_ALIKE);
    add(&p.side[0], 3, 0, 100, 0); /* unrelated */
    add(&p.side[1], 4, 0, 100, 0);
    not_certain(&p, ALIGN_SEARCH, ALIGN_UNLIKE);
    add(&p.side[0], 3, 0, 100, 0); /* the offset is the last one that is looked at */
    add(&p.side[1], 3, 10, 100, 0);
    not_certain(&p, 10, ALIGN_EDGE);
    add(&p.side[0], 3, 0, 100, 0); /* beyond it */
    add(&p.side[1], 3, 40, 100, 0);
    find(&p, 10);
    assert_false(p.r.certain);
    done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signature_is_the_mean), cmocka_unit_test(signature_of_small_and_large),
        cmocka_unit_test(constant_offsets), cmocka_unit_test(another_scale), cmocka_unit_test(dropped_and_repeated),
        cmocka_unit_test(every_25th), cmocka_unit_test(even_but_for_the_ends),
        cmocka_unit_test(an_even_fade), cmocka_unit_test(what_cannot_be_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
