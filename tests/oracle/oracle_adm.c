/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * adm (integer) with its default contrast sensitivity, band by band over whole planes, in 64-bit integers and double.
 * The definition is libvmaf's scalar code; scores are equal to it, not near it.
 */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

enum { A, H, V, D, BANDS };

/* A wavelet tap that is off by one makes every score another one. */
static const int64_t low_tap[4] = { 15826 + ORACLE_SABOTAGE, 27411, 7345, -4240 };
static const int64_t high_tap[4] = { -4240, -7345, 27411, -15826 };

/* Of the default viewing distance: as floats, and as integers of 21 (d: 23) bits at scale 0, 32 bits at the others. */
static const float factor[ORACLE_ADM_SCALES][2] = {{0x1.1cc774p-6f, 0x1.820d54p-8f}, {0x1.06050cp-5f, 0x1.d48d46p-7f},
                                                   {0x1.634f10p-5f, 0x1.8fb80cp-6f}, {0x1.762816p-5f, 0x1.008392p-5f}};
static const int64_t whole_factor[ORACLE_ADM_SCALES][2] = {{36453, 49417}, {137373792, 61414028},
                                                           {186284160, 104783920}, {196165808, 134487184}};

struct plane {
    size_t w, h;
    int64_t *v;
};

static struct plane plane_new(size_t w, size_t h)
{
    return (struct plane){ w, h, oracle_alloc(w * h, sizeof(int64_t)) };
}

static size_t border(ptrdiff_t i, size_t n)
{
    if (i < 0)
        i = -i;
    return (size_t)(i < (ptrdiff_t)n ? i : 2 * (ptrdiff_t)n - 1 - i);
}

static int64_t at(const struct plane *p, ptrdiff_t x, ptrdiff_t y)
{
    return p->v[border(y, p->h) * p->w + border(x, p->w)];
}

/* (v + 2^(n - 1)) >> n, towards minus infinity; v itself for n = 0. */
static int64_t rounded(int64_t v, int n)
{
    return n > 0 ? (v + ((int64_t)1 << (n - 1))) >> n : v;
}

static int64_t taps(const int64_t tap[4], const int64_t s[4])
{
    return tap[0] * s[0] + tap[1] * s[1] + tap[2] * s[2] + tap[3] * s[3];
}

static void wavelet(const struct plane *in, int scale, int depth, struct plane out[BANDS])
{
    static const int later_columns[] = { 0, 0, 16, 16 }, row_shift[] = { 16, 15, 16, 15 };
    static const int64_t *const vertical[BANDS] = { low_tap, high_tap, low_tap, high_tap };
    static const int64_t *const horizontal[BANDS] = { low_tap, low_tap, high_tap, high_tap };
    const int column_shift = scale ? later_columns[scale] : depth;
    for (int b = 0; b < BANDS; b++) {
        out[b] = plane_new((in->w + 1) / 2, (in->h + 1) / 2);
        for (size_t y = 0; y < out[b].h; y++)
            for (size_t x = 0; x < out[b].w; x++) {
                int64_t row[4], column[4];
                for (int i = 0; i < 4; i++) {
                    for (int k = 0; k < 4; k++)
                        column[k] = at(in, (ptrdiff_t)(2 * x) - 1 + i, (ptrdiff_t)(2 * y) - 1 + k);
                    row[i] = rounded(taps(vertical[b], column), column_shift);
                }
                out[b].v[y * out[b].w + x] = rounded(taps(horizontal[b], row), row_shift[scale]);
            }
    }
}

static bool same_direction(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    const double cos_2 = (double)0.99969542f;
    const double dot = (double)(float)(oh * th + ov * tv), oo = (double)(float)(oh * oh + ov * ov),
                 tt = (double)(float)(th * th + tv * tv);
    return dot >= 0 && dot * dot >= cos_2 * oo * tt;
}

static int64_t restored(int64_t o, int64_t t, bool same, double gain)
{
    int64_t k = 32768;
    if (o) {
        int s = 0;
        while (llabs(o) >> s >= 32768)
            s++;
        const int64_t m = rounded(llabs(o), s);
        k = rounded(((int64_t)1 << 30) / m * t * (o < 0 ? -1 : 1), 15 + s);
        k = k < 0 ? 0 : k > 32768 ? 32768 : k;
    }
    const int64_t r = rounded(k * o, 15);
    if (!same || k == 0 || o == 0)
        return r;
    const double enhanced = (double)r * gain;
    if (o > 0)
        return enhanced < (double)t ? (int64_t)enhanced : t;
    return enhanced > (double)t ? (int64_t)enhanced : t;
}

static int64_t contrast(int64_t v, int scale, int b)
{
    const int64_t product = whole_factor[scale][b == D] * v;
    if (scale)
        return rounded(product, 28);
    return b == D ? (product + 65535) >> 17 : rounded(product, 15);
}

/* A thirtieth and a fifteenth of a contrast. */
static int64_t around(int64_t size, int scale)
{
    return scale ? (143165577 * size - ((int64_t)1 << 31)) >> 32 : rounded(4369 * size, 12);
}

static int64_t centre(int64_t size, int scale)
{
    if (scale)
        return (286331153 * size - ((int64_t)1 << 31)) >> 32;
    const int64_t v = rounded(8738 * size, 12);
    return v >= 32768 ? v - 65536 : v; /* of 16 bits */
}

static int64_t threshold(const struct plane masking[BANDS], int scale, size_t x, size_t y)
{
    int64_t sum = 0;
    for (int b = H; b <= D; b++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int64_t size = llabs(contrast(at(&masking[b], (ptrdiff_t)x + dx, (ptrdiff_t)y + dy), scale, b));
                sum += dx || dy ? around(size, scale) : centre(size, scale);
            }
    return sum;
}

/* What is seen of v, to the third power. */
static uint64_t visible(int64_t v, int64_t masked, int scale, int b, int cube_shift)
{
    int64_t size = scale ? llabs(contrast(v, scale, b)) : llabs(v * whole_factor[0][b == D]);
    size -= scale ? masked : masked * (b == D ? 4096 : 1024);
    if (size < 0)
        size = 0;
    const int64_t square = rounded(size * size, scale || b == D ? 30 : 29);
    return (uint64_t)rounded(square * size, cube_shift);
}

static int log2_ceil(size_t n)
{
    int i = 0;
    while (((size_t)1 << i) < n)
        i++;
    return i;
}

static float cube_root(float v)
{
    return (float)pow((double)v, (double)(1.0f / 3.0f));
}

struct box {
    size_t left, top, right, bottom;
};

static uint64_t rounded_row(uint64_t sum, int shift)
{
    return shift ? (sum + ((uint64_t)1 << (shift - 1))) >> shift : sum;
}

static float reference_norm(const struct plane *o, const struct box *box, int scale, int b)
{
    static const int square_shift[] = { 0, 31, 30, 31 }, bits[] = { 18, 32, 27, 23 };
    const size_t cw = box->right - box->left, ch = box->bottom - box->top;
    const int cube_shift = scale ? log2_ceil(cw) : 0;
    const int row_shift = scale ? log2_ceil(ch) : log2_ceil(cw * ch) > 20 ? log2_ceil(cw * ch) - 20 : 0;
    uint64_t sum = 0;
    for (size_t y = box->top; y < box->bottom; y++) {
        uint64_t row = 0;
        for (size_t x = box->left; x < box->right; x++) {
            const int64_t size = llabs(o->v[y * o->w + x]);
            if (scale) /* a whole unit is added to the square */
                row += (uint64_t)rounded((((size * size) >> square_shift[scale]) + 1) * size, cube_shift);
            else
                row += (uint64_t)(size * size * size);
        }
        sum += rounded_row(row, row_shift);
    }
    const double f = (double)factor[scale][b == D];
    return cube_root((float)(ldexp((double)sum, row_shift + cube_shift - bits[scale]) * (f * f * f)));
}

static float part_norm(const struct plane *part, const struct plane masking[BANDS], const struct box *box, int scale,
                       int b)
{
    static const int later_bits[] = { 0, 45, 39, 36 };
    const int cube_shift = log2_ceil(part->w) - (scale ? 0 : b == D ? 3 : 4), row_shift = log2_ceil(part->h);
    const int bits = scale ? later_bits[scale] : b == D ? 57 : 52;
    uint64_t sum = 0;
    for (size_t y = box->top; y < box->bottom; y++) {
        uint64_t row = 0;
        for (size_t x = box->left; x < box->right; x++)
            row += visible(part->v[y * part->w + x], threshold(masking, scale, x, y), scale, b, cube_shift);
        sum += rounded_row(row, row_shift);
    }
    return cube_root((float)ldexp((double)sum, row_shift + cube_shift - bits));
}

static void score_scale(struct plane o[BANDS], struct plane t[BANDS], int scale,
                        const struct oracle_adm_int_options *options, struct oracle_adm_int *out)
{
    struct plane kept[BANDS], added[BANDS];
    const size_t w = o[H].w, h = o[H].h;
    const size_t left = (size_t)((double)w * 0.1 - 0.5), top = (size_t)((double)h * 0.1 - 0.5);
    const struct box box = { left, top, w - left, h - top };
    for (int b = H; b <= D; b++) {
        kept[b] = plane_new(w, h);
        added[b] = plane_new(w, h);
        for (size_t i = 0; i < w * h; i++) {
            const bool same = same_direction(o[H].v[i], o[V].v[i], t[H].v[i], t[V].v[i]);
            kept[b].v[i] = restored(o[b].v[i], t[b].v[i], same, options->gain);
            added[b].v[i] = t[b].v[i] - kept[b].v[i];
        }
    }
    const float noise = cube_root((float)((double)((box.bottom - top) * (box.right - left)) * options->noise_weight));
    float den[BANDS], num[BANDS], aim[BANDS];
    for (int b = H; b <= D; b++) {
        den[b] = reference_norm(&o[b], &box, scale, b) + noise;
        num[b] = part_norm(&kept[b], added, &box, scale, b) + noise;
        aim[b] = part_norm(&added[b], kept, &box, scale, b);
    }
    out->den[scale] = (double)(den[H] + den[V] + den[D]);
    out->num[scale] = (double)(num[H] + num[V] + num[D]);
    out->aim_num[scale] = (double)(aim[H] + aim[V] + aim[D]);
    for (int b = H; b <= D; b++) {
        free(kept[b].v);
        free(added[b].v);
    }
}

static struct plane centred(const struct oracle_picture *picture)
{
    const struct plane p = plane_new(picture->width[0], picture->height[0]);
    for (size_t i = 0; i < p.w * p.h; i++)
        p.v[i] = picture->sample[0][i] - (1 << (picture->depth - 1));
    return p;
}

bool oracle_adm_int(const struct oracle_picture *ref, const struct oracle_picture *dis,
                    const struct oracle_adm_int_options *options, struct oracle_adm_int *out)
{
    if (ref->width[0] < 17 || ref->height[0] < 17)
        return false;
    struct plane source[2] = { centred(ref), centred(dis) };
    double num = 0, den = 0, aim = 0;
    for (int scale = 0; scale < ORACLE_ADM_SCALES; scale++) {
        struct plane band[2][BANDS];
        for (int side = 0; side < 2; side++) {
            wavelet(&source[side], scale, (int)ref->depth, band[side]);
            free(source[side].v);
            source[side] = band[side][A];
        }
        score_scale(band[0], band[1], scale, options, out);
        for (int side = 0; side < 2; side++)
            for (int b = H; b <= D; b++)
                free(band[side][b].v);
        num += out->num[scale];
        den += out->den[scale];
        aim += out->aim_num[scale];
        out->scale[scale] = out->num[scale] / out->den[scale];
    }
    free(source[0].v);
    free(source[1].v);
    const double limit = 1e-10 * ((double)ref->width[0] * ref->height[0]) / (1920.0 * 1080.0);
    num = num < limit ? 0 : num;
    den = den < limit ? 0 : den;
    out->adm2 = den == 0 ? 1 : num / den;
    out->aim = den == 0 ? 0 : aim / den;
    out->adm3 = out->adm2 * 0.5 + (1 - out->aim) * (1 - 0.5);
    return true;
}
