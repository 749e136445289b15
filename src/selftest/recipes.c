/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/recipes.h"

#include <string.h>

#include "selftest/recipe_words.h"

/* What a plane of 32-bit words or of the kernel's samples may hold. */
enum values {
    VALUES_SAMPLES, /* u8, u16: samples of `bits`; u32: 0 to 65535; i32: plus or minus 65535; f32: plus or minus 2 */
    VALUES_PIXELS,  /* the same, but f32: 0 to 255 */
    VALUES_UNIT,    /* the same, but f32: 0 to 1 */
    VALUES_WORDS,   /* any 32-bit word; floats: any finite value */
    VALUES_DIVISION, VALUES_ROOTS, VALUES_ROUNDING, VALUES_PRODUCTS, VALUES_CONVERSION, VALUES_SPECIAL, VALUES_DENORMAL,
    VALUES_PARTS,   /* words: floats from 0 to 1, with some others among them */
};

struct recipe {
    const char *family;
    enum values values;
    void (*shape)(struct recipe_pass *pass, uint32_t w, uint32_t h); /* NULL: every plane and the grid are w x h */
    void (*params)(struct recipe_pass *pass, unsigned set);
    unsigned sets;
    uint32_t min_w, min_h;
    uint32_t max_bits; /* of samples, also of u32 planes; 0: 16 */
};

static void all_planes(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    for (unsigned i = 0; i < KERNEL_PLANES; i++) {
        pass->plane[i].width = w;
        pass->plane[i].height = h;
    }
    pass->grid_w = w;
    pass->grid_h = h;
}

static void one_plane(struct recipe_pass *pass, unsigned i, uint32_t w, uint32_t h)
{
    pass->plane[i].width = w;
    pass->plane[i].height = h;
}

static void shape_half(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, (w + 1) / 2, (h + 1) / 2);
    for (unsigned i = 0; i < pass->info->planes_in; i++)
        one_plane(pass, i, w, h);
}

static void shape_chroma(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    one_plane(pass, 1, (w + 1) / 2, (h + 1) / 2);
}

static void shape_blocks(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, (w + 6) / 7, (h + 6) / 7);
    one_plane(pass, 0, w, h);
}

static void shape_three(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    one_plane(pass, 2, (w + 1) / 2, (h + 2) / 3);
    one_plane(pass, 3, w + 3, h + 2);
    pass->grid_w = w + 3;
    pass->grid_h = h + 2;
}

static void shape_layers(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    one_plane(pass, 1, w, 3 * h);
}

static void shape_stacked(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, 3 * h);
    one_plane(pass, 1, w, 2 * h);
    pass->grid_h = h;
}

static void shape_table(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    one_plane(pass, 1, 256, 1);
}

static void shape_rows(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    pass->grid_w = h;
    pass->grid_h = 1;
}

static void shape_columns(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    pass->grid_h = 1;
}

/* The valid region of an 11-tap window. */
static void shape_valid(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    pass->grid_w = w - 10;
    pass->grid_h = h - 10;
}

/* Three bands, one below the other. */
static void shape_bands(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, 3 * h);
    pass->grid_h = h;
}

static void shape_wavelet(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    shape_half(pass, w, h);
    one_plane(pass, 2, (w + 1) / 2, (h + 1) / 2 * 3);
}

static int box_size(unsigned set)
{
    return set == 0 ? 2 : set == 1 ? 5 : 9;
}

static int depth_of(const struct recipe_pass *pass)
{
    return (int)pass->bits;
}

static float power_of_two(int n)
{
    const uint32_t bits = (uint32_t)(127 + n) << 23;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* From samples to the 8-bit scale. */
static void params_scale(struct recipe_pass *pass, unsigned set)
{
    (void)set;
    pass->param[0].f = pass->info->sample == SAMPLE_F32 ? 1.0f : power_of_two(8 - depth_of(pass));
}

/* Contrast and structure with luminance and without, the score, all. */
static void params_ssim(struct recipe_pass *pass, unsigned set)
{
    static const int wanted[] = {6, 2, 1, 7};
    params_scale(pass, set);
    pass->param[1].i = wanted[set];
}

static void params_column_sums(struct recipe_pass *pass, unsigned set)
{
    const int n = box_size(set);
    const uint32_t w = pass->plane[0].width, h = (pass->plane[0].height + (uint32_t)n - 1) / (uint32_t)n;
    one_plane(pass, 1, w, h);
    pass->grid_h = h;
    pass->param[0].i = n;
    pass->param[1].i = n / 2;
}

static void params_row_means(struct recipe_pass *pass, unsigned set)
{
    const int n = box_size(set);
    const uint32_t w = (pass->plane[0].width + (uint32_t)n - 1) / (uint32_t)n;
    one_plane(pass, 1, w, pass->plane[0].height);
    pass->grid_w = w;
    pass->param[0].i = n;
    pass->param[1].i = n / 2;
    pass->param[2].f = 1.0f / (float)(n * n);
}

static void params_ssim_int(struct recipe_pass *pass, unsigned set)
{
    const int depth = depth_of(pass);
    (void)set;
    pass->param[0].f = power_of_two(-16 - depth);
    pass->param[1].f = power_of_two(-32 - 2 * depth);
    pass->param[2].f = 1e-4f;
    pass->param[3].f = 9e-4f;
}

static void params_offset(struct recipe_pass *pass, unsigned set)
{
    static const int32_t offset[][2] = {{0, 0}, {-1, 1}, {3, -2}, {-17, 5}, {40, 9}, {-100, -70}};
    pass->param[0].i = offset[set][0];
    pass->param[1].i = offset[set][1];
}

/* 4:4:4, 4:2:0, 4:2:2 and, for completeness, half the rows. */
static void params_phases(struct recipe_pass *pass, unsigned set)
{
    const uint32_t sx = set == 1 || set == 2, sy = set == 1 || set == 3;
    one_plane(pass, 0, (pass->grid_w + sx) >> sx, (pass->grid_h + sy) >> sy);
    pass->param[0].i = (int32_t)sx;
    pass->param[1].i = (int32_t)sy;
}

/* A negative zero, and a float that is no sum of 0 and itself in fewer bits. */
static void params_constant(struct recipe_pass *pass, unsigned set)
{
    pass->param[0].f = set ? 0x1.fffffep-20f : -0.0f;
}

static void params_shift(struct recipe_pass *pass, unsigned set)
{
    (void)set;
    pass->param[0].i = (int32_t)pass->bits - 8;
}

/* A sample's bits, less one. */
static void params_motion(struct recipe_pass *pass, unsigned set)
{
    (void)set;
    pass->param[0].i = depth_of(pass) - 1;
}

static void params_arrays(struct recipe_pass *pass, unsigned set)
{
    for (unsigned i = 0; i < 4; i++)
        pass->param[i].i = (int32_t)(i * 1000003u) - 7;
    for (unsigned i = 0; i < 5; i++)
        pass->param[4 + i].f = 0.3f + 0.17f * (float)i;
    pass->param[9].i = (int32_t)(4 - set);
}

/* Every operation; the shifts and the conversion at counts around the word's middle and its ends. */
static void params_u64(struct recipe_pass *pass, unsigned set)
{
    static const int32_t op[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {8, 0}, {4, 0}, {4, 1}, {4, 31}, {4, 32}, {4, 63}, {5, 0},
                                    {5, 7}, {5, 32}, {5, 33}, {5, 63}, {6, 0}, {6, 31}, {6, 32}, {6, 63}, {7, 0}, {7, 8},
                                    {7, 39}, {7, 63}};
    pass->param[0].i = op[set][0];
    pass->param[1].i = op[set][1];
}

/* Packed texels of one, two or four elements. */
static void texels(struct recipe_pass *pass, int words)
{
    for (unsigned i = 0; i < 2; i++)
        one_plane(pass, i, pass->grid_w * (uint32_t)words, pass->grid_h);
    pass->param[0].i = words;
}

/* Fields as shifts and sizes, a byte per channel: equal and swapped ones, 10:10:10:2, 5:6:5, 16-bit channels. */
static void params_texel_codes(struct recipe_pass *pass, unsigned set)
{
    static const int32_t small[][3] = {{0, 0, 8}, {0, 0, 6}, {4, 0, 0x404}, {0, 3, 3}};
    static const int32_t middle[][3] = {{0, 0, 16}, {0x0800, 0x0008, 0x0808}, {0x00050b, 0x00050b, 0x050605}, {0, 0, 10}};
    static const int32_t large[][3] = {{0x18100800, 0x18081000, 0x08080808}, {0x1e140a00, 0x1e000a14, 0x020a0a0a},
                                       {0x1000, 0x1000, 0x1010}, {0x10001000, 0x10001000, 0x10101010}};
    const int32_t *fields = pass->info->sample == SAMPLE_U8 ? small[set] : pass->info->sample == SAMPLE_U16 ? middle[set]
                                                                                                           : large[set];
    texels(pass, pass->info->sample == SAMPLE_U32 && set == 3 ? 2 : 1);
    for (unsigned i = 0; i < 3; i++)
        pass->param[1 + i].i = fields[i];
}

/* Elements, then fields as shifts, sizes and shifts up: one to four halves; unsigned floats of 11 and 10 bits. */
static void params_texel_half(struct recipe_pass *pass, unsigned set)
{
    static const int32_t small[][4] = {{1, 0, 16, 0}, {2, 0, 0x100010, 0}, {1, 5, 11, 4}};
    static const int32_t large[][4] = {{2, 0x10001000, 0x10101010, 0}, {1, 0x1000, 0x1010, 0}, {1, 0x160b00, 0x0a0b0b, 0x050404}};
    const int32_t *fields = pass->info->sample == SAMPLE_U16 ? small[set] : large[set];
    texels(pass, fields[0]);
    pass->param[1].i = pass->param[2].i = fields[1];
    pass->param[3].i = fields[2];
    pass->param[4].i = fields[3];
}

static void params_texel_float(struct recipe_pass *pass, unsigned set)
{
    texels(pass, (int)set + 1);
}

/* Planes of words from packed texels: 8-bit samples, four in a word, or 16-bit ones, two in a word. */
static void words_of_samples(struct recipe_pass *pass, int words, int step, unsigned first)
{
    const uint32_t samples = 32 / (uint32_t)step;
    for (unsigned i = 1; i < KERNEL_PLANES; i++)
        one_plane(pass, i, (pass->grid_w + samples - 1) / samples, pass->grid_h);
    one_plane(pass, 0, pass->grid_w * (uint32_t)words, pass->grid_h);
    pass->grid_w = pass->plane[1].width;
    pass->param[0].i = words;
    pass->param[first].i = (int32_t)samples;
    pass->param[first + 1].i = step;
}

/* Four 8-bit codes, swapped ones, 10:10:10:2, 16-bit channels in two words. */
static void params_texel_planes(struct recipe_pass *pass, unsigned set)
{
    static const int32_t fields[][2] = {{0x18100800, 0x08080808}, {0x18000810, 0x08080808}, {0x1e140a00, 0x020a0a0a},
                                        {0x10001000, 0x10101010}};
    words_of_samples(pass, set == 3 ? 2 : 1, set < 2 ? 8 : 16, 3);
    for (unsigned i = 0; i < 2; i++)
        pass->param[1 + i].i = fields[set][i];
}

/* Element, shift, bits, scale of a channel: samples of 8 bits, of 16, and fewer bits in either. */
static void params_texel_plane(struct recipe_pass *pass, unsigned set)
{
    static const int32_t small[][4] = {{0, 0, 8, 1}, {1, 0, 8, 1}, {0, 4, 4, 17}};
    static const int32_t middle[][4] = {{0, 0, 16, 1}, {0, 8, 8, 1}, {1, 14, 2, 341}};
    static const int32_t large[][4] = {{0, 24, 8, 1}, {0, 30, 2, 341}, {1, 16, 16, 1}};
    const enum sample_type sample = pass->info->sample;
    const int32_t *field = sample == SAMPLE_U8 ? small[set] : sample == SAMPLE_U16 ? middle[set] : large[set];
    const bool eight = sample == SAMPLE_U8 || field[2] == 8;
    words_of_samples(pass, field[0] + 1, eight ? 8 : 16, 2);
    pass->param[1].i = field[0];
    for (unsigned i = 1; i < 4; i++)
        pass->param[3 + i].i = field[i];
}

/* Element, shift, bits, shift up: halves, one of two, unsigned floats of 11 and 10 bits. Floats: the first of one, the last of four. */
static void params_texel_plane_values(struct recipe_pass *pass, unsigned set)
{
    static const int32_t small[][4] = {{0, 0, 16, 0}, {1, 0, 16, 0}, {0, 5, 11, 4}};
    static const int32_t large[][4] = {{1, 16, 16, 0}, {0, 11, 11, 4}, {0, 22, 10, 5}};
    const bool floats = !strcmp(pass->info->family, "texel_plane_float");
    const int32_t *field = pass->info->sample == SAMPLE_U16 ? small[set] : large[set];
    const int element = floats ? 3 * (int)set : field[0];
    words_of_samples(pass, element + 1, 16, 2);
    pass->param[1].i = element;
    for (unsigned i = 1; i < 4 && !floats; i++)
        pass->param[3 + i].i = field[i];
}

static void params_luma(struct recipe_pass *pass, unsigned set)
{
    static const int32_t weight[][4] = {{13933, 46871, 4732, 0}, {19595, 38470, 7471, 4096}, {0, 65536, 0, 0}};
    for (unsigned i = 0; i < 4; i++)
        pass->param[i].i = weight[set][i];
}

/* Samples times 2^19 around 0; floats reach the same size. */
static void params_wavelet(struct recipe_pass *pass, unsigned set)
{
    (void)set;
    const bool samples = pass->info->sample != SAMPLE_F32;
    pass->param[0].f = samples ? power_of_two(27 - depth_of(pass)) : power_of_two(18);
    pass->param[1].f = power_of_two(26);
}

/* Planes of +-2: whole bands at the bound of the sums; a crop at default factors, where most limbs are small; no masking. */
static void params_adm(struct recipe_pass *pass, unsigned set)
{
    static const struct { float hv, d, gain, masking; int32_t crop; } form[] = {
        {1.0f, 1.0f, 100.0f, 0x1.111112p-5f, 0}, {0.0173815377f, 0.005890687f, 1.2f, 0x1.111112p-5f, 1}, {1.0f, 0.25f, 1.0f, 0.0f, 2}};
    static const struct { int power, limbs; } sums[] = {{3, 4}, {3, 5}, {2, 5}, {1, 5}};
    const int power = strcmp(pass->info->family, "adm_six") ? sums[set / 3].power : 4;
    const uint32_t w = pass->plane[0].width, h = pass->plane[0].height / 3;
    const int32_t left = form[set % 3].crop && w > 8 ? form[set % 3].crop : 0, top = form[set % 3].crop && h > 8 ? 2 * form[set % 3].crop : 0;
    pass->grid_w = w - 2 * (uint32_t)left;
    pass->grid_h = h - 2 * (uint32_t)top;
    pass->param[0].i = left;
    pass->param[1].i = top;
    pass->param[2].i = (int32_t)h;
    pass->param[3].f = form[set % 3].hv;
    pass->param[4].f = form[set % 3].d;
    pass->param[5].f = form[set % 3].gain;
    pass->param[6].f = form[set % 3].masking;
    if (pass->info->sums) {
        pass->param[7].f = power_of_two(20 - power);
        pass->param[8].i = power;
        pass->param[9].i = power == 4 ? 6 : sums[set / 3].limbs;
    }
    if (pass->info->planes_out)
        one_plane(pass, 2, pass->grid_w, 9 * pass->grid_h);
}

/* Nine layers, one below the other; a row of results per layer, or one result. */
static void shape_column_peaks(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, 9);
    one_plane(pass, 0, w, 9 * h);
    pass->param[0].i = (int32_t)h;
}

static void shape_layer_scales(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    (void)h;
    all_planes(pass, 9, 1);
    one_plane(pass, 0, w, 9);
}

static void shape_power_sums(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    one_plane(pass, 0, w, 9 * h);
    one_plane(pass, 1, 9, 1);
}

static void params_power_sums(struct recipe_pass *pass, unsigned set)
{
    static const float power[][2] = {{8.0f, 0.0f}, {1.1f, -0x1.99999ap-27f}, {5.5f, 0.0f}};
    pass->param[0].f = power[set][0];
    pass->param[1].f = power[set][1];
}

/* Three layers of linear light from three planes of samples. */
static void shape_linear(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    one_plane(pass, 3, w, 3 * h);
}

static void params_linear_rgb(struct recipe_pass *pass, unsigned set)
{
    pass->param[0].i = (int32_t)set;
    pass->param[1].f = 1.0f / (float)((1u << pass->bits) - 1);
    pass->param[3].f = 2.2f;
}

/* PQ's scale with a cut; HLG's display with the primaries of BT.2020. */
static void params_linear_display(struct recipe_pass *pass, unsigned set)
{
    static const float form[][12] = {
        {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 49.26f, 5.0f},
        {1.6605f, -0.5876f, -0.0728f, -0.1246f, 1.1329f, -0.0083f, -0.0182f, -0.1006f, 1.1187f, 0.2f, 4.93f, 125.0f}};
    for (unsigned i = 0; i < 12; i++)
        pass->param[i].f = form[set][i];
}

static void shape_linear_blend(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, 3 * h);
    one_plane(pass, 0, w, h);
    pass->grid_h = h;
}

static void params_linear_blend(struct recipe_pass *pass, unsigned set)
{
    const uint32_t peak = (1u << pass->bits) - 1;
    pass->param[0].i = (int32_t)peak;
    pass->param[1].f = 1.0f / (float)peak;
    pass->param[2].f = set ? 0.9f : 0.1f;
}

/* Every way of each axis; BT.709, limited range. */
static void params_linear_yuv(struct recipe_pass *pass, unsigned set)
{
    static const int32_t ways[] = {0, 15, 2 + 4 * 3, 1 + 4 * 1, 3, 2 + 4 * 2, 3 + 4 * 4};
    const uint32_t sx = (ways[set] & 3) != 0, sy = ways[set] >> 2 != 0;
    const float step = (float)(1u << (pass->bits - 8));
    for (unsigned i = 1; i < 3; i++)
        one_plane(pass, i, (pass->grid_w + sx) >> sx, (pass->grid_h + sy) >> sy);
    pass->param[0].i = ways[set];
    pass->param[1].i = (int32_t)((set + 1) % 6);
    pass->param[10].f = 2.8f;
    pass->param[2].f = 1.0f / (219.0f * step);
    pass->param[3].f = -16.0f / 219.0f;
    pass->param[4].f = 1.0f / (224.0f * step);
    pass->param[5].f = -128.0f / 224.0f;
    pass->param[6].f = 1.5748f;
    pass->param[7].f = -0.1873243f;
    pass->param[8].f = -0.4681243f;
    pass->param[9].f = 1.8556f;
}

static void shape_linear_half(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, (w + 1) / 2, (h + 1) / 2);
    one_plane(pass, 0, w, 3 * h);
    one_plane(pass, 1, (w + 1) / 2, 3 * ((h + 1) / 2));
    pass->param[0].i = (int32_t)h;
}

/* Planes of three layers, a grid of one. */
static void shape_three_layers(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, 3 * h);
    pass->grid_h = h;
}

/* From three layers of linear light. */
static void shape_xyb(struct recipe_pass *pass, uint32_t w, uint32_t h)
{
    all_planes(pass, w, h);
    one_plane(pass, 0, w, 3 * h);
}

/* All sums, and a few. */
static void params_ssimulacra2(struct recipe_pass *pass, unsigned set)
{
    pass->param[0].i = set ? 2 + 8 : 63;
    pass->param[1].f = power_of_two(20);
    pass->param[2].f = power_of_two(16);
}

/* Nothing below, a map of the same size, one of half of it. */
static void params_ssimulacra2_map(struct recipe_pass *pass, unsigned set)
{
    if (set == 2)
        one_plane(pass, 2, (pass->grid_w + 1) / 2, (pass->grid_h + 1) / 2);
    pass->param[0].i = (int32_t)set - 1;
    pass->param[1].f = 225.25f;
    pass->param[2].f = 11.4411726f;
    pass->param[3].f = 0.00110417f;
}

/* 4:2:0, 4:2:2, 4:1:1 and half the rows. */
static void params_diff_join(struct recipe_pass *pass, unsigned set)
{
    static const int32_t shift[][2] = {{1, 1}, {1, 0}, {2, 0}, {0, 1}};
    const uint32_t sx = (uint32_t)shift[set][0], sy = (uint32_t)shift[set][1];
    one_plane(pass, 1, (pass->grid_w + (1u << sx) - 1) >> sx, (pass->grid_h + (1u << sy) - 1) >> sy);
    pass->param[0].i = shift[set][0];
    pass->param[1].i = shift[set][1];
}

/* Samples one after the other, and each of two in turns; rows end inside a word. */
static void params_unpack(struct recipe_pass *pass, unsigned set)
{
    static const int32_t steps[][3] = {{1, 0, 6}, {2, 0, 0}, {2, 1, 4}, {1, 0, 0}};
    const uint32_t samples = pass->grid_w * (pass->info->sample == SAMPLE_U8 ? 4 : 2) - 1;
    one_plane(pass, 0, samples * (uint32_t)steps[set][0], pass->grid_h);
    for (unsigned i = 0; i < 3; i++)
        pass->param[i].i = steps[set][i];
}

/* Families that need nothing special (two planes of samples of one size, no parameters) are not listed. */
static const struct recipe recipes[] = {
    {.family = "rgb_luma", .params = params_luma, .sets = 3},
    {.family = "ssim", .values = VALUES_PIXELS, .shape = shape_valid, .params = params_ssim, .sets = 4, .min_w = 11, .min_h = 11},
    {.family = "ssim_int", .params = params_ssim_int},
    {.family = "ssim_int_11", .params = params_ssim_int, .max_bits = 11},
    {.family = "halve", .values = VALUES_PIXELS, .shape = shape_half, .params = params_scale},
    {.family = "column_sums", .params = params_column_sums, .sets = 3},
    {.family = "row_means", .params = params_row_means, .sets = 3},
    {.family = "adm_dwt", .values = VALUES_PIXELS, .shape = shape_wavelet, .params = params_wavelet, .min_w = 2, .min_h = 2},
    {.family = "adm", .shape = shape_bands, .params = params_adm, .sets = 12, .min_w = 2, .min_h = 2},
    {.family = "adm_six", .shape = shape_bands, .params = params_adm, .sets = 3, .min_w = 2, .min_h = 2},
    {.family = "adm_values", .shape = shape_bands, .params = params_adm, .sets = 3, .min_w = 2, .min_h = 2},
    {.family = "column_peaks", .values = VALUES_UNIT, .shape = shape_column_peaks},
    {.family = "layer_scales", .values = VALUES_UNIT, .shape = shape_layer_scales},
    {.family = "power_sums", .values = VALUES_UNIT, .shape = shape_power_sums, .params = params_power_sums, .sets = 3},
    {.family = "linear_rgb", .shape = shape_linear, .params = params_linear_rgb, .sets = 6},
    {.family = "linear_yuv", .shape = shape_linear, .params = params_linear_yuv, .sets = 7},
    {.family = "linear_display", .values = VALUES_UNIT, .shape = shape_three_layers, .params = params_linear_display, .sets = 2},
    {.family = "linear_blend", .values = VALUES_UNIT, .shape = shape_linear_blend, .params = params_linear_blend, .sets = 2},
    {.family = "linear_half", .values = VALUES_UNIT, .shape = shape_linear_half},
    {.family = "xyb", .values = VALUES_UNIT, .shape = shape_xyb},
    {.family = "ssimulacra2", .values = VALUES_UNIT, .params = params_ssimulacra2, .sets = 2},
    {.family = "ssimulacra2_ssim", .values = VALUES_UNIT, .params = params_ssimulacra2, .sets = 2},
    {.family = "ssimulacra2_map", .values = VALUES_UNIT, .params = params_ssimulacra2_map, .sets = 3},
    {.family = "ssimulacra2_edges", .values = VALUES_UNIT, .params = params_ssimulacra2, .sets = 2},
    {.family = "motion", .params = params_motion},
    {.family = "diff_join", .params = params_diff_join, .sets = 4},
    {.family = "texel_codes", .values = VALUES_WORDS, .params = params_texel_codes, .sets = 4},
    {.family = "texel_half", .values = VALUES_WORDS, .params = params_texel_half, .sets = 3},
    {.family = "texel_float", .values = VALUES_SPECIAL, .params = params_texel_float, .sets = 4},
    {.family = "unpack", .params = params_unpack, .sets = 4},
    {.family = "texel_planes", .values = VALUES_WORDS, .params = params_texel_planes, .sets = 4},
    {.family = "texel_plane", .values = VALUES_WORDS, .params = params_texel_plane, .sets = 3},
    {.family = "texel_plane_half", .values = VALUES_WORDS, .params = params_texel_plane_values, .sets = 3},
    {.family = "texel_plane_float", .values = VALUES_PARTS, .params = params_texel_plane_values, .sets = 2},
    {.family = "t_load", .values = VALUES_WORDS, .params = params_offset, .sets = 6},
    {.family = "t_border", .values = VALUES_WORDS, .params = params_offset, .sets = 6},
    {.family = "t_steps", .values = VALUES_WORDS, .params = params_offset, .sets = 6},
    {.family = "t_decimate", .shape = shape_half},
    {.family = "t_chroma", .shape = shape_chroma},
    {.family = "t_phases", .params = params_phases, .sets = 4},
    {.family = "t_groups", .values = VALUES_SPECIAL, .params = params_constant, .sets = 2},
    {.family = "t_layers", .shape = shape_layers},
    {.family = "t_stacked", .shape = shape_stacked},
    {.family = "t_blocks", .shape = shape_blocks},
    {.family = "t_blocks_staged", .shape = shape_blocks},
    {.family = "t_planes", .shape = shape_three},
    {.family = "t_histogram", .params = params_shift, .sets = 1},
    {.family = "t_table", .values = VALUES_WORDS, .shape = shape_table},
    {.family = "t_serial_rows", .shape = shape_rows},
    {.family = "t_serial_columns", .shape = shape_columns},
    {.family = "t_params", .params = params_arrays, .sets = 3},
    {.family = "t_divide", .values = VALUES_DIVISION},
    {.family = "t_roots", .values = VALUES_ROOTS},
    {.family = "t_round", .values = VALUES_ROUNDING},
    {.family = "t_fuse", .values = VALUES_PRODUCTS},
    {.family = "t_convert", .values = VALUES_CONVERSION},
    {.family = "t_shift", .values = VALUES_WORDS},
    {.family = "t_select", .values = VALUES_SPECIAL},
    {.family = "t_clamp", .values = VALUES_WORDS, .shape = shape_table},
    {.family = "t_denormals", .values = VALUES_DENORMAL},
    {.family = "t_sums", .values = VALUES_WORDS},
    {.family = "t_u64", .values = VALUES_WORDS, .params = params_u64, .sets = 23},
};

static const struct recipe *find(unsigned kernel)
{
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        if (!strcmp(recipes[i].family, assay_kernel_info[kernel].family))
            return &recipes[i];
    return NULL;
}

unsigned recipe_param_sets(unsigned kernel)
{
    const struct recipe *r = find(kernel);
    return r && r->sets ? r->sets : 1;
}

enum recipe_result recipe_make(struct recipe_pass *pass, unsigned kernel, uint32_t width, uint32_t height, uint32_t bits,
                               unsigned param_set)
{
    static const struct recipe plain = {.family = ""};
    const struct kernel_info *k = &assay_kernel_info[kernel];
    const struct recipe *r = find(kernel);
    if (!r && k->params)
        return RECIPE_UNKNOWN;
    if (!r)
        r = &plain;
    if (width < r->min_w || height < r->min_h)
        return RECIPE_TOO_SMALL;
    memset(pass, 0, sizeof *pass);
    pass->info = k;
    pass->kernel = (uint16_t)kernel;
    pass->bits = k->sample == SAMPLE_U8 ? 8 : k->sample == SAMPLE_U16 ? bits : 16;
    if (r->max_bits && pass->bits > r->max_bits)
        pass->bits = r->max_bits;
    if (r->shape)
        r->shape(pass, width, height);
    else
        all_planes(pass, width, height);
    if (r->params)
        r->params(pass, param_set);
    return RECIPE_OK;
}

size_t recipe_totals(const struct recipe_pass *pass)
{
    return (size_t)pass->info->sums + pass->info->histogram + (size_t)pass->info->row_sums * pass->grid_h;
}

const char *recipe_pattern_name(enum recipe_pattern pattern)
{
    static const char *const name[PATTERNS] = {"random", "checkerboard", "zero against full scale", "flat", "first pixel",
                                               "last pixel", "top right pixel", "bottom left pixel", "noise on white"};
    return name[pattern];
}

/* A sample of a pattern in 0..full. */
static uint32_t pattern_sample(enum recipe_pattern pattern, unsigned plane, uint32_t x, uint32_t y, uint32_t w, uint32_t h,
                               uint32_t full, uint32_t random)
{
    const bool odd_plane = plane & 1;
    switch (pattern) {
    case PATTERN_CHECKERBOARD:
        return ((x + y) & 1) == odd_plane ? 0 : full;
    case PATTERN_ZERO_FULL:
        return odd_plane ? full : 0;
    case PATTERN_FLAT:
        return full / 3 + 1;
    case PATTERN_FIRST_PIXEL:
        return !odd_plane && x == 0 && y == 0 ? full : 0;
    case PATTERN_LAST_PIXEL:
        return !odd_plane && x == w - 1 && y == h - 1 ? full : 0;
    case PATTERN_TOP_RIGHT:
        return !odd_plane && x == w - 1 && y == 0 ? full : 0;
    case PATTERN_BOTTOM_LEFT:
        return !odd_plane && x == 0 && y == h - 1 ? full : 0;
    case PATTERN_NOISE_ON_WHITE:
        return odd_plane && (random & 1) ? full - 1 - (random >> 1 & 1) : full - (odd_plane ? 0 : random >> 2 & 1);
    default:
        return full == UINT32_MAX ? random : random % (full + 1);
    }
}

/* The pattern over the whole range of a type, as the word or sample that is stored. */
static uint32_t stored(enum sample_type type, enum values values, uint32_t bits, enum recipe_pattern pattern, unsigned plane,
                       uint32_t x, uint32_t y, uint32_t w, uint32_t h, uint32_t random)
{
    const uint32_t full = type == SAMPLE_U8 ? 255 : type == SAMPLE_I32 ? 131070 : type == SAMPLE_F32 ? 1u << 24 : (1u << bits) - 1;
    uint32_t v = pattern_sample(pattern, plane, x, y, w, h, full, random);
    if (type == SAMPLE_I32)
        v -= 65535;
    if (type == SAMPLE_F32) {
        const float f = values == VALUES_PIXELS ? (float)v * 0x1p-24f * 255.0f
                      : values == VALUES_UNIT ? (float)v * 0x1p-24f : ((float)v - 0x1p23f) * 0x1p-22f;
        memcpy(&v, &f, sizeof v);
    }
    return v;
}

static uint32_t word(enum values values, enum recipe_pattern pattern, unsigned plane, enum sample_type type, uint32_t random,
                     uint32_t index)
{
    struct recipe_words pair;
    switch (values) {
    case VALUES_DIVISION: pair = words_division(pattern, random, index); break;
    case VALUES_ROOTS: pair = words_roots(pattern, random, index); break;
    case VALUES_ROUNDING: pair = words_rounding(pattern, random, index, 62); break;
    case VALUES_PRODUCTS: pair = words_rounding(pattern, random, index, 30); break;
    case VALUES_CONVERSION: pair = words_conversion(pattern, random, index); break;
    case VALUES_DENORMAL: pair = words_denormal(pattern, random, index); break;
    case VALUES_SPECIAL: pair = words_special(pattern, random, index); break;
    case VALUES_PARTS: pair = words_parts(pattern, random, index); break;
    default: pair = words_any(pattern, random, index); break;
    }
    const uint32_t v = plane ? pair.b : pair.a;
    if (type != SAMPLE_F32)
        return v;
    /* finite and not denormal: a device may flush those when it moves a float */
    if (!(v & 0x7fffffffu))
        return v;
    return (v >> 23 & 0xff) == 0xff ? v & ~0x40000000u : (v >> 23 & 0xff) == 0 ? v | 0x40000000u : v;
}

void recipe_fill(const struct recipe_pass *pass, unsigned plane, enum recipe_pattern pattern, uint32_t seed, void *data,
                 size_t stride)
{
    const struct recipe *r = find(pass->kernel);
    const enum values values = r ? r->values : VALUES_SAMPLES;
    const enum sample_type type = pass->info->plane[plane];
    const uint32_t w = pass->plane[plane].width, h = pass->plane[plane].height;
    for (uint32_t y = 0; y < h; y++) {
        char *row = (char *)data + y * stride;
        for (uint32_t x = 0; x < w; x++) {
            const uint32_t index = y * w + x;
            /* Planes of samples are independent, planes of words are made in pairs. */
            const uint32_t paired = words_mix(seed * 0x9e3779b9u + index), own = words_mix(paired + plane + 1);
            const uint32_t v = type >= SAMPLE_U32 && values >= VALUES_WORDS
                             ? word(values, pattern, plane, type, paired, index)
                             : stored(type, values, pass->bits, pattern, plane, x, y, w, h, own);
            if (type == SAMPLE_U8)
                row[x] = (char)v;
            else if (type == SAMPLE_U16)
                memcpy(row + 2 * (size_t)x, &v, 2);
            else
                memcpy(row + 4 * (size_t)x, &v, 4);
        }
    }
}

/* What of the kernel decides a plane's samples: for words and floats, their domain. */
static enum values values_of(const struct recipe_pass *pass, unsigned plane)
{
    const struct recipe *r = find(pass->kernel);
    const enum values values = r ? r->values : VALUES_SAMPLES;
    const enum sample_type type = pass->info->plane[plane];
    return type == SAMPLE_F32 || (type >= SAMPLE_U32 && values >= VALUES_WORDS) ? values : VALUES_SAMPLES;
}

bool recipe_same_plane(const struct recipe_pass *a, unsigned i, const struct recipe_pass *b, unsigned j)
{
    const enum sample_type type = a->info->plane[i];
    const bool same_bits = a->bits == b->bits || (type != SAMPLE_U16 && type != SAMPLE_U32);
    return i == j && type == b->info->plane[j] && values_of(a, i) == values_of(b, j) && same_bits &&
           a->plane[i].width == b->plane[j].width && a->plane[i].height == b->plane[j].height;
}
