/* SPDX-License-Identifier: BSD-2-Clause */
#include "images/compare.h"

#include <math.h> /* NAN and INFINITY only */
#include <string.h>

#include "host/bits.h"
#include "host/exact_math.h"
#include "host/fpenv.h"
#include "host/int128.h"

enum { MAX_LIMBS = 8, LIMB_MASK = (1 << TEXEL_LIMB_BITS) - 1, CHANNELS = 4 };

int texel_pair_check(const struct texel_pair *pair, bool srgb_as_unorm, struct assay_error *e)
{
    const struct texel_format *r = pair->format[0], *d = pair->format[1];
    const bool codes = texel_is_codes(r) && texel_is_codes(d);
    if (memcmp(r->bits, d->bits, sizeof r->bits) || r->element != d->element || r->elements != d->elements ||
        (!codes && r->kind != d->kind))
        return assay_fail(e, ASSAY_EMISMATCH, "the reference is %s, the distorted image %s: they have other channels",
                          r->name, d->name);
    if (r->kind != d->kind && !srgb_as_unorm)
        return assay_fail(e, ASSAY_EMISMATCH,
                          "the reference is %s, the distorted image %s: equal codes are other colours "
                          "(srgb_as_unorm compares them nevertheless)", r->name, d->name);
    return ASSAY_OK;
}

int32_t texel_fields(const uint8_t of[4])
{
    return (int32_t)(uint32_t)little_endian(of, 4);
}

uint8_t texel_half_shift(uint8_t bits)
{
    return bits && bits < 16 ? (uint8_t)(15 - bits) : 0;
}

static int32_t half_shifts(const uint8_t bits[4])
{
    uint8_t up[CHANNELS];
    for (unsigned c = 0; c < CHANNELS; c++)
        up[c] = texel_half_shift(bits[c]);
    return texel_fields(up);
}

/* The pass of the comparison. It is the only one of its graph: its totals and extrema are those of a frame. */
static int add_pass(struct graph *g, const struct texel_pair *pair, uint32_t rows, const graph_plane side[2],
                    struct assay_error *e)
{
    const struct texel_format *f = pair->format[0];
    const int32_t ref_shift = texel_fields(pair->format[0]->shift), dis_shift = texel_fields(pair->format[1]->shift);
    struct texel_codes_at codes;
    struct texel_half_at half;
    struct texel_float_at floats;
    if (texel_is_codes(f))
        return texel_codes_add(g,
                               PASS_GRID(texel_codes, pair->width, rows, .ref = side[0], .dis = side[1],
                                         .words = f->elements, .ref_shift = ref_shift, .dis_shift = dis_shift,
                                         .bits = texel_fields(f->bits)),
                               &codes, e);
    if (f->kind == TEXEL_HALF)
        return texel_half_add(g,
                              PASS_GRID(texel_half, pair->width, rows, .ref = side[0], .dis = side[1],
                                        .words = f->elements, .ref_shift = ref_shift, .dis_shift = dis_shift,
                                        .bits = texel_fields(f->bits), .up = half_shifts(f->bits)),
                              &half, e);
    return texel_float_add(
        g, PASS_GRID(texel_float, pair->width, rows, .ref = side[0], .dis = side[1], .words = f->elements), &floats, e);
}

int texel_passes(struct graph *g, const struct texel_pair *pair, uint32_t rows, struct assay_error *e)
{
    const struct texel_format *f = pair->format[0];
    graph_plane plane[2];
    for (unsigned side = 0; side < 2; side++)
        TRY(graph_input(g, side ? SIDE_DIS : SIDE_REF, 0, f->element, pair->width * f->elements, rows, &plane[side],
                        e));
    return add_pass(g, pair, rows, plane, e);
}

/* A total of texel_float.k, which both kinds of floats have. */
#define FLOAT_TOTAL(f, sums, name) ((f)->kind == TEXEL_HALF ? (sums)->total.half.name : (sums)->total.floats.name)

/* The limbs of a channel's squares, and how many there are. */
static const int64_t *limbs_of(const struct texel_format *f, const struct texel_sums *sums, unsigned channel,
                               unsigned *limbs)
{
    *limbs = f->kind == TEXEL_HALF ? sizeof sums->total.half.squares[0] / sizeof(int64_t)
                                   : sizeof sums->total.floats.squares[0] / sizeof(int64_t);
    return FLOAT_TOTAL(f, sums, squares[channel]);
}

static size_t total_words(const struct texel_format *f)
{
    return (texel_is_codes(f)       ? sizeof(struct texel_codes_totals)
            : f->kind == TEXEL_HALF ? sizeof(struct texel_half_totals)
                                    : sizeof(struct texel_float_totals)) / sizeof(int64_t);
}

void texel_sums_add(struct texel_sums *sums, const struct texel_pair *pair, const struct frame_results *strip,
                    uint32_t first_row)
{
    const struct texel_format *f = pair->format[0];
    const struct texel_codes_extrema largest =
        texel_codes_extrema((struct texel_codes_at){0}, strip->extrema); /* of any kind */
    for (size_t i = 0; i < total_words(f); i++)
        sums->total.word[i] += strip->totals[i];
    for (unsigned c = 0; c < CHANNELS; c++) {
        const struct kernel_extremum here = largest.extremum[c];
        if (here.value <= sums->largest[c].value)
            continue;
        sums->largest[c].value = here.value;
        sums->largest[c].x = here.position % pair->width;
        sums->largest[c].y = first_row + here.position / pair->width;
    }
}

/* sum of limb[i] * 2^(21 i), rounded once to double; limbs are not negative, their number is at most 8. */
static double texel_join(const int64_t *limb, unsigned limbs)
{
    uint64_t digit[MAX_LIMBS], carry = 0;
    for (unsigned i = 0; i < limbs; i++) {
        carry += (uint64_t)limb[i];
        digit[i] = i + 1 < limbs ? carry & LIMB_MASK : carry;
        carry >>= TEXEL_LIMB_BITS;
    }
    unsigned top = limbs;
    while (top > 1 && !digit[top - 1])
        top--;
    /* The first four digits have at most 127 bits, and at least 64 where other digits follow. Their last bit is set
     * when a digit that follows is not 0, so that they round as the whole sum would. */
    const unsigned low = top > 4 ? top - 4 : 0;
    assay_u128 lead = 0;
    uint64_t rest = 0;
    for (unsigned i = top; i-- > low;)
        lead = (lead << TEXEL_LIMB_BITS) + digit[i];
    for (unsigned i = 0; i < low; i++)
        rest |= digit[i];
    double value = (double)(lead | (rest != 0));
    for (unsigned i = 0; i < low; i++)
        value *= 1 << TEXEL_LIMB_BITS;
    return value;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* The squared differences of some channels, and how many values took part. */
struct squares {
    struct kernel_halves codes;
    int64_t limb[MAX_LIMBS]; /* of floats */
    unsigned limbs;
    uint64_t values;
};

static void add_channel(struct squares *s, const struct texel_format *f, const struct texel_sums *sums, unsigned c,
                        uint64_t pixels)
{
    s->values += pixels;
    if (texel_is_codes(f)) {
        s->codes.low += sums->total.codes.squares[c].low;
        s->codes.high += sums->total.codes.squares[c].high;
        return;
    }
    const int64_t *limb = limbs_of(f, sums, c, &s->limbs);
    for (unsigned i = 0; i < s->limbs; i++)
        s->limb[i] += limb[i];
    s->values -= (uint64_t)FLOAT_TOTAL(f, sums, left_out[c]);
}

static double mean(const struct squares *s, const struct texel_format *f)
{
    if (!s->values)
        return (double)NAN;
    if (texel_is_codes(f))
        return i128_to_double(pass_join_halves(s->codes)) / (double)s->values;
    const int scale = f->kind == TEXEL_HALF ? TEXEL_HALF_SCALE : TEXEL_FLOAT_SCALE;
    return texel_join(s->limb, s->limbs) * assay_power_of_two(-scale) / (double)s->values;
}

static double decibels(double mse, double peak)
{
    if (mse != mse)
        return (double)NAN;
    return mse > 0 ? 10.0 * assay_log10(peak * peak / mse) : (double)INFINITY;
}

static double size_of(const struct texel_format *f, uint32_t value)
{
    return texel_is_codes(f) ? value : (double)float_of_bits(value);
}

/* The largest difference of the colours: the first pixel that has it, then the first channel. */
static void largest(assay_image_figures *out)
{
    for (uint32_t c = 0; c < 3; c++) {
        const assay_channel_figures *f = &out->channel[c];
        if (!(out->channels >> c & 1) || f->max_difference < out->max_difference)
            continue;
        const uint64_t here = (uint64_t)f->max_y << 32 | f->max_x, there = (uint64_t)out->max_y << 32 | out->max_x;
        if (f->max_difference > out->max_difference || (f->max_difference > 0 && here < there)) {
            out->max_difference = f->max_difference;
            out->max_x = f->max_x;
            out->max_y = f->max_y;
            out->max_channel = c;
        }
    }
}

static void counts(const struct texel_format *f, const struct texel_sums *sums, assay_image_figures *out)
{
    if (texel_is_codes(f)) {
        const struct texel_codes_totals *t = &sums->total.codes;
        out->differing = (uint64_t)t->differing_colour;
        out->differing_alpha = (uint64_t)t->differing_alpha;
        out->differing_all = (uint64_t)t->differing;
        return;
    }
    out->differing = (uint64_t)FLOAT_TOTAL(f, sums, differing_colour);
    out->differing_alpha = (uint64_t)FLOAT_TOTAL(f, sums, differing_alpha);
    out->differing_all = (uint64_t)FLOAT_TOTAL(f, sums, differing);
    out->not_finite = (uint64_t)FLOAT_TOTAL(f, sums, not_finite);
    out->outside = (uint64_t)FLOAT_TOTAL(f, sums, outside);
}

void texel_figures(const struct texel_pair *pair, const struct texel_sums *sums, double peak, assay_image_figures *out)
{
    const struct texel_format *f = pair->format[0];
    struct squares colours = {.values = 0}, all = {.values = 0};
    struct assay_fpenv saved;
    memset(out, 0, sizeof *out);
    assay_fpenv_enter(&saved);
    out->channels = texel_channels(f);
    out->pixels = (uint64_t)pair->width * pair->height;
    if (texel_is_codes(f))
        peak = (double)((1u << f->bits[0]) - 1);
    for (unsigned c = 0; c < CHANNELS; c++) {
        assay_channel_figures *channel = &out->channel[c];
        struct squares own = {.values = 0};
        if (!f->bits[c]) {
            channel->mse = channel->psnr = (double)NAN;
            continue;
        }
        add_channel(&own, f, sums, c, out->pixels);
        add_channel(&all, f, sums, c, out->pixels);
        if (c < 3)
            add_channel(&colours, f, sums, c, out->pixels);
        channel->mse = mean(&own, f);
        channel->psnr = decibels(channel->mse, texel_is_codes(f) ? (double)((1u << f->bits[c]) - 1) : peak);
        channel->max_difference = size_of(f, sums->largest[c].value);
        channel->max_x = sums->largest[c].x;
        channel->max_y = sums->largest[c].y;
        channel->left_out = out->pixels - own.values;
    }
    out->mse = mean(&colours, f);
    out->psnr = decibels(out->mse, peak);
    const bool comparable = !texel_is_codes(f) || !f->bits[3] || f->bits[3] == f->bits[0];
    out->mse_all = comparable ? mean(&all, f) : (double)NAN;
    out->psnr_all = decibels(out->mse_all, peak);
    largest(out);
    counts(f, sums, out);
    assay_fpenv_leave(&saved);
}
