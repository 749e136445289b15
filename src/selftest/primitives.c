/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/primitives.h"

#include <string.h>

#include "host/bits.h"
#include "host/text.h"
#include "passes_gen.h"
#include "selftest/words.h"

typedef struct word_pair word_function(unsigned set, uint32_t random, uint32_t index);

struct primitive {
    const char *family;
    word_function *words; /* words of 32-bit planes; NULL: i32 -65535 to 65535, u32 0 to 65535, f32 -2 to 2 */
    void (*shape)(struct trial_pass *pass, uint32_t w, uint32_t h); /* NULL: every plane and the grid are w x h */
    void (*params)(struct trial_pass *pass, unsigned set);
    unsigned sets; /* 0: one */
};

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void size_plane(struct trial_pass *pass, unsigned i, uint32_t w, uint32_t h)
{
    pass->plane[i].width = w;
    pass->plane[i].height = h;
}

/* Sets the size of all planes and of the grid. */
static void size_all(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    for (unsigned i = 0; i < KERNEL_PLANES; i++)
        size_plane(pass, i, w, h);
    pass->grid_w = w;
    pass->grid_h = h;
}

static void shape_half(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, (w + 1) / 2, (h + 1) / 2);
    size_plane(pass, 0, w, h);
}

static void shape_chroma(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, w, h);
    size_plane(pass, 1, (w + 1) / 2, (h + 1) / 2);
}

static void shape_blocks(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, (w + 6) / 7, (h + 6) / 7);
    size_plane(pass, 0, w, h);
}

static void shape_three(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, w + 3, h + 2);
    size_plane(pass, 0, w, h);
    size_plane(pass, 1, w, h);
    size_plane(pass, 2, (w + 1) / 2, (h + 2) / 3);
}

static void shape_layers(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, w, h);
    size_plane(pass, 1, w, 4 * h);
}

static void shape_stacked(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, w, h);
    size_plane(pass, 0, w, 3 * h);
    size_plane(pass, 1, w, 2 * h);
}

static void shape_halves(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, w, h);
    size_plane(pass, 0, (w + 1) / 2, (h + 1) / 2 * 2);
    size_plane(pass, 1, w, 2 * h);
}

static void shape_table(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, w, h);
    size_plane(pass, 1, 256, 1);
}

static void shape_rows(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, w, h);
    pass->grid_w = h;
    pass->grid_h = 1;
}

static void shape_columns(struct trial_pass *pass, uint32_t w, uint32_t h)
{
    size_all(pass, w, h);
    pass->grid_h = 1;
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static const int32_t offset[][2] = {{0, 0}, {-1, 1}, {3, -2}, {-17, 5}, {40, 9}, {-100, -70}};

/* Of t_border, t_steps and t_pairs as well: an offset is all that they take. */
static void params_load(struct trial_pass *pass, unsigned set)
{
    t_load_params((struct t_load_pass){.dx = offset[set][0], .dy = offset[set][1]}, pass->param);
}

/* 4:4:4, 4:2:0, 4:2:2 and, for completeness, half the rows. */
static void params_phases(struct trial_pass *pass, unsigned set)
{
    const uint32_t sx = set == 1 || set == 2, sy = set == 1 || set == 3;
    size_plane(pass, 0, (pass->grid_w + sx) >> sx, (pass->grid_h + sy) >> sy);
    t_phases_params((struct t_phases_pass){.sx = (int32_t)sx, .sy = (int32_t)sy}, pass->param);
}

/* A negative zero, and a float that is no sum of 0 and itself in fewer bits. */
static void params_constant(struct trial_pass *pass, unsigned set)
{
    t_groups_params((struct t_groups_pass){.constant = set ? 0x1.fffffep-20f : -0.0f}, pass->param);
}

/* The shift from samples to 256 bins. */
static void params_shift(struct trial_pass *pass, unsigned set)
{
    (void)set;
    t_histogram_params((struct t_histogram_pass){.shift = (int32_t)pass->bits - 8}, pass->param);
}

/* Windows of 1, of a size that rows and columns of tiles cut, and the largest. */
static void params_tally(struct trial_pass *pass, unsigned set)
{
    static const int32_t radius[] = {0, 6, 32}, reach[] = {40, 22, 40};
    t_tally_params((struct t_tally_pass){.radius = radius[set], .reach = reach[set]}, pass->param);
}

static void params_arrays(struct trial_pass *pass, unsigned set)
{
    int32_t steps[4];
    float weight[5];
    for (unsigned i = 0; i < 4; i++)
        steps[i] = (int32_t)(i * 1000003u) - 7;
    for (unsigned i = 0; i < 5; i++)
        weight[i] = 0.3f + 0.17f * (float)i;
    t_params_params((struct t_params_pass){.steps = &steps, .weight = &weight, .count = (int32_t)(4 - set)},
                    pass->param);
}

/* Every operation. Shifts and the conversion take counts near the middle and the ends of the word. */
static void params_u64(struct trial_pass *pass, unsigned set)
{
    static const int32_t op[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {8, 0}, {9, 0}, {4, 0}, {4, 1}, {4, 31}, {4, 32},
                                    {4, 63}, {5, 0}, {5, 7}, {5, 32}, {5, 33}, {5, 63}, {6, 0}, {6, 31}, {6, 32},
                                    {6, 63}, {7, 0}, {7, 8}, {7, 39}, {7, 63}};
    t_u64_params((struct t_u64_pass){.op = op[set][0], .count = op[set][1]}, pass->param);
}

/* Every operation, on operands far apart and near; conversions of integers of several lengths. */
static void params_f64(struct trial_pass *pass, unsigned set)
{
    static const int32_t op[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {4, 0}, {4, 1},
                                    {5, 0}, {5, 7}, {5, 11}, {5, 40}, {6, 0}, {6, 9}, {6, 10}, {6, 50}, {7, 0}, {7, 20},
                                    {8, 0}, {9, 0}, {9, 1}, {10, 0}, {10, 1}, {11, 0}};
    t_f64_params((struct t_f64_pass){.op = op[set][0], .near = op[set][1]}, pass->param);
}

/* Samples of one component, and each of two components in turn. Rows end inside a word. */
static void params_unpack(struct trial_pass *pass, unsigned set)
{
    static const struct unpack_pass from[] = {{.step = 1, .shift = 6}, {.step = 2}, {.step = 2, .first = 1, .shift = 4},
                                              {.step = 1}};
    const uint32_t samples = pass->grid_w * (pass->info->sample == SAMPLE_U8 ? 4 : 2) - 1;
    size_plane(pass, 0, samples * (uint32_t)from[set].step, pass->grid_h);
    unpack_params(from[set], pass->param);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* A primitive without parameters whose planes hold samples and have one size needs no entry. */
static const struct primitive primitives[] = {
    {"t_load", words_any, NULL, params_load, 6},
    {"t_border", words_any, NULL, params_load, 6},
    {"t_steps", words_any, NULL, params_load, 6},
    {"t_pairs", NULL, NULL, params_load, 6},
    {"t_decimate", NULL, shape_half, NULL, 0},
    {"t_chroma", NULL, shape_chroma, NULL, 0},
    {"t_phases", NULL, NULL, params_phases, 4},
    {"t_groups", words_special, NULL, params_constant, 2},
    {"t_layers", NULL, shape_layers, NULL, 0},
    {"t_stacked", NULL, shape_stacked, NULL, 0},
    {"t_halves", words_any, shape_halves, NULL, 0},
    {"t_blocks", NULL, shape_blocks, NULL, 0},
    {"t_blocks_staged", NULL, shape_blocks, NULL, 0},
    {"t_planes", NULL, shape_three, NULL, 0},
    {"t_histogram", NULL, NULL, params_shift, 0},
    {"t_tally", NULL, NULL, params_tally, 3},
    {"t_table", words_any, shape_table, NULL, 0},
    {"t_serial_rows", NULL, shape_rows, NULL, 0},
    {"t_serial_columns", NULL, shape_columns, NULL, 0},
    {"t_params", NULL, NULL, params_arrays, 3},
    {"t_divide", words_division, NULL, NULL, 0},
    {"t_roots", words_roots, NULL, NULL, 0},
    {"t_round", words_rounding, NULL, NULL, 0},
    {"t_fuse", words_products, NULL, NULL, 0},
    {"t_convert", words_conversion, NULL, NULL, 0},
    {"t_shift", words_any, NULL, NULL, 0},
    {"t_select", words_special, NULL, NULL, 0},
    {"t_clamp", words_any, shape_table, NULL, 0},
    {"t_denormals", words_denormal, NULL, NULL, 0},
    {"t_sums", words_any, NULL, NULL, 0},
    {"t_wide_sums", words_any, NULL, NULL, 0},
    {"t_wide_rows", words_any, NULL, NULL, 0},
    {"t_u64", words_any, NULL, params_u64, 24},
    {"t_f64", words_any, NULL, params_f64, 26},
    {"unpack", NULL, NULL, params_unpack, 4},
};

static const struct primitive *find(unsigned kernel)
{
    static const struct primitive plain = {.family = ""};
    for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; i++)
        if (!strcmp(primitives[i].family, assay_kernel_info[kernel].family))
            return &primitives[i];
    return &plain;
}

bool primitive_is(unsigned kernel)
{
    return !strncmp(assay_kernel_info[kernel].family, "t_", 2);
}

bool primitive_known(unsigned kernel)
{
    return primitive_is(kernel) || *find(kernel)->family;
}

/*
 * One sample type each. What a device is refused for that fails one, before its first use:
 *     divide, roots, round, fuse     results that are not rounded once, to nearest; operations fused or reordered
 *     denormals, convert, shift      flushed integers; roundings of conversions; counts of shifts beyond the word
 *     select, u64, f64               compares with NaN and -0; carries, products and roundings of our wide numbers
 *     params, table, clamp           indices by loop variables, by samples, and outside of a table
 *     barriers, groups, tile_add, tally     stores of other items seen too early, too late, or not
 *     sums, sum_f32, row_sums, words, wide_sums, wide_rows, extrema, histogram     what a pass adds up
 * No device is refused for another primitive: its words stand in the kernels that are about to run, whose passes are
 * proved. `assay doctor` runs them all, so that a failure of those passes has the name of a word, and tests hold each
 * word to its oracle by them (tests/exact).
 */
bool primitive_at_first_use(unsigned kernel)
{
    static const char names[] =
        "t_divide_u32 t_roots_u32 t_round_u32 t_denormals_u32 t_fuse_u32 t_convert_u32 t_shift_u32 t_select_u32 "
        "t_u64_u32 t_f64_u32 t_params_u8 t_table_u8 t_clamp_u32 t_barriers_u8 t_groups_f32 t_sums_u32 t_sum_f32_f32 "
        "t_row_sums_u8 t_words_u8 t_extrema_u32 t_histogram_u8 t_wide_sums_u32 t_wide_rows_u32 t_tile_add_u8 t_tally_u8";
    return text_word(names, assay_kernel_info[kernel].name) >= 0;
}

unsigned primitive_sets(unsigned kernel)
{
    return find(kernel)->sets ? find(kernel)->sets : 1;
}

struct trial_pass primitive_make(unsigned kernel, uint32_t width, uint32_t height, uint32_t bits, unsigned set)
{
    const struct primitive *t = find(kernel);
    const struct kernel_info *k = &assay_kernel_info[kernel];
    struct trial_pass pass = {.info = k, .kernel = (uint16_t)kernel,
                              .bits = k->sample == SAMPLE_U8 ? 8 : k->sample == SAMPLE_U16 ? bits : 16};
    (t->shape ? t->shape : size_all)(&pass, width, height);
    if (t->params)
        t->params(&pass, set);
    return pass;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* The word for a plane. Floats are finite and not denormal: a device may flush a denormal when it moves it. */
static uint32_t word(word_function *words, enum pattern pattern, unsigned plane, enum sample_type type, uint32_t random,
                     uint32_t index)
{
    const struct word_pair pair = words(pattern, random, index);
    const uint32_t v = plane ? pair.b : pair.a, exponent = v >> 23 & 0xff;
    if (type != SAMPLE_F32 || !(v & 0x7fffffffu))
        return v;
    return exponent == 0xff ? v & ~0x40000000u : exponent == 0 ? v | 0x40000000u : v;
}

/* The stored sample of a pattern that covers the whole range of the type. */
static uint32_t sample(const struct trial_pass *pass, unsigned plane, enum pattern pattern, uint32_t x, uint32_t y,
                       uint32_t random)
{
    const enum sample_type type = pass->info->plane[plane];
    const uint32_t samples = (1u << pass->bits) - 1, reals = type == SAMPLE_F32 ? 1u << 24 : samples;
    const uint32_t full = type == SAMPLE_U8 ? 255 : type == SAMPLE_I32 ? 131070 : reals;
    uint32_t v = pattern_sample(pattern, plane, x, y, pass->plane[plane].width, pass->plane[plane].height, full,
                                random);
    if (type == SAMPLE_F32)
        return bits_of_float(((float)v - 0x1p23f) * 0x1p-22f);
    return type == SAMPLE_I32 ? v - 65535 : v;
}

/* The word function of a plane; NULL for a plane of samples. */
static word_function *words_of(const struct trial_pass *pass, unsigned plane)
{
    return pass->info->plane[plane] >= SAMPLE_U32 ? find(pass->kernel)->words : NULL;
}

void primitive_fill(const struct trial_pass *pass, unsigned plane, enum pattern pattern, uint32_t seed,
                    const struct kernel_plane *to)
{
    word_function *words = words_of(pass, plane);
    const enum sample_type type = pass->info->plane[plane];
    const uint32_t w = pass->plane[plane].width, size = sample_size(type);
    for (uint32_t y = 0; y < pass->plane[plane].height; y++) {
        char *row = (char *)to->data + (ptrdiff_t)y * to->stride;
        for (uint32_t x = 0; x < w; x++) {
            const uint32_t index = y * w + x;
            /* Planes of samples are independent, planes of words are made in pairs. */
            const uint32_t paired = words_mix(seed * 0x9e3779b9u + index);
            const uint32_t v = words ? word(words, pattern, plane, type, paired, index)
                                     : sample(pass, plane, pattern, x, y, words_mix(paired + plane + 1));
            memcpy(row + (size_t)x * size, &v, size);
        }
    }
}

bool primitive_same_plane(const struct trial_pass *a, unsigned i, const struct trial_pass *b, unsigned j)
{
    const enum sample_type type = a->info->plane[i];
    return i == j && type == b->info->plane[j] && words_of(a, i) == words_of(b, j) && a->bits == b->bits &&
           a->plane[i].width == b->plane[j].width && a->plane[i].height == b->plane[j].height;
}
