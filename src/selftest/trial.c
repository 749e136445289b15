/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_LEVEL scalar
#include "kernels/dialect/level.h"
extern kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS];

static unsigned planes_of(const struct recipe_pass *pass)
{
    return pass->info->planes_in + pass->info->planes_out;
}

static size_t row_bytes(const struct recipe_pass *pass, unsigned i)
{
    return (size_t)pass->plane[i].width * sample_size(pass->info->plane[i]);
}

int trial_init(struct trial *t, const struct recipe_pass *pass, struct assay_error *e)
{
    size_t at = recipe_totals(pass) * sizeof *t->totals;
    memset(t, 0, sizeof *t);
    for (int placing = 0; placing < 2; placing++) {
        const size_t bytes = at + 64;
        at = recipe_totals(pass) * sizeof *t->totals;
        if (placing && !(t->memory = calloc(1, bytes)))
            return assay_fail_memory(e, "the self-test");
        for (unsigned i = 0; i < planes_of(pass); i++) {
            at = (at + 15) / 16 * 16;
            t->plane[i] = (struct kernel_plane){.data = placing ? (char *)t->memory + at : NULL,
                                                .stride = (ptrdiff_t)row_bytes(pass, i),
                                                .width = (int32_t)pass->plane[i].width,
                                                .height = (int32_t)pass->plane[i].height};
            at += row_bytes(pass, i) * pass->plane[i].height;
        }
    }
    t->totals = t->memory;
    return ASSAY_OK;
}

void trial_free(struct trial *t)
{
    free(t->memory);
    memset(t, 0, sizeof *t);
}

void trial_fill(struct trial *t, const struct recipe_pass *pass, enum recipe_pattern pattern, uint32_t seed)
{
    for (unsigned i = 0; i < pass->info->planes_in; i++)
        recipe_fill(pass, i, pattern, seed, t->plane[i].data, (size_t)t->plane[i].stride);
}

static void clear_pairs(uint32_t *pairs)
{
    for (unsigned i = 0; i < TRIAL_EXTREMA; i++) {
        pairs[2 * i] = 0;
        pairs[2 * i + 1] = UINT32_MAX;
    }
}

static void join(uint32_t *best, const uint32_t *pair)
{
    if (pair[0] > best[0] || (pair[0] == best[0] && pair[1] < best[1]))
        memcpy(best, pair, 2 * sizeof *best);
}

void trial_run(const struct recipe_pass *pass, kernel_fn *run, const struct kernel_plane *plane, int64_t *totals,
               uint32_t *extrema, uint32_t tile_w, uint32_t tile_h)
{
    const struct kernel_schedule *s = &pass->info->schedule[TARGET_CPU];
    const uint32_t w = tile_w && tile_w < s->tile_w ? tile_w : s->tile_w, h = tile_h && tile_h < s->tile_h ? tile_h : s->tile_h;
    uint32_t pairs[2 * TRIAL_EXTREMA];
    struct kernel_args args = {.totals = totals, .extrema = pairs, .grid_w = (int32_t)pass->grid_w,
                               .grid_h = (int32_t)pass->grid_h};
    memcpy(args.plane, plane, sizeof args.plane);
    memcpy(args.param, pass->param, sizeof args.param);
    clear_pairs(extrema);
    for (uint32_t y = 0; y < pass->grid_h; y += h)
        for (uint32_t x = 0; x < pass->grid_w; x += w) {
            clear_pairs(pairs);
            args.tile_x = (int32_t)x;
            args.tile_y = (int32_t)y;
            args.tile_w = (int32_t)(pass->grid_w - x < w ? pass->grid_w - x : w);
            args.tile_h = (int32_t)(pass->grid_h - y < h ? pass->grid_h - y : h);
            run(&args);
            for (unsigned i = 0; i < pass->info->extrema; i++)
                join(extrema + 2 * i, pairs + 2 * i);
        }
}

void trial_expect(struct trial *t, const struct recipe_pass *pass)
{
    memset(t->totals, 0, recipe_totals(pass) * sizeof *t->totals);
    trial_run(pass, KERNEL_AT_LEVEL(table)[pass->kernel], t->plane, t->totals, t->extrema, 0, 0);
}

/* FNV-1a over 32-bit words, with its high bits brought down so that every bit of a word reaches every bit of the hash. */
static uint64_t fold(uint64_t digest, const void *data, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint32_t w;
        memcpy(&w, (const char *)data + 4 * i, sizeof w);
        digest = (digest ^ w) * 0x100000001b3u;
        digest ^= digest >> 29;
    }
    return digest;
}

uint64_t trial_digest(const struct trial *t, const struct recipe_pass *pass)
{
    uint64_t digest = 0xcbf29ce484222325u;
    for (unsigned i = pass->info->planes_in; i < planes_of(pass); i++)
        digest = fold(digest, t->plane[i].data, (size_t)pass->plane[i].width * pass->plane[i].height);
    digest = fold(digest, t->totals, 2 * recipe_totals(pass));
    return fold(digest, t->extrema, 2 * (size_t)pass->info->extrema);
}

static uint32_t sample_at(const struct trial *t, const struct recipe_pass *pass, unsigned i, uint32_t x, uint32_t y)
{
    const uint32_t size = sample_size(pass->info->plane[i]);
    uint32_t v = 0; /* little-endian, as everything here */
    memcpy(&v, (const char *)t->plane[i].data + (ptrdiff_t)y * t->plane[i].stride + (size_t)x * size, size);
    return v;
}

/* The inputs at a position, where they are as large as the output. */
static void say_inputs(const struct trial *t, const struct recipe_pass *pass, uint32_t x, uint32_t y, char *text, size_t size)
{
    size_t used = strlen(text);
    for (unsigned i = 0; i < pass->info->planes_in; i++) {
        if (x >= pass->plane[i].width || y >= pass->plane[i].height)
            continue;
        const int digits = (int)(2 * sample_size(pass->info->plane[i]));
        used += (size_t)snprintf(text + used, used < size ? size - used : 0, "%s0x%0*" PRIx32, i ? ", " : "; input there ",
                                 digits, sample_at(t, pass, i, x, y));
        used = used < size ? used : size;
    }
}

static bool plane_difference(const struct trial *expected, const struct trial *got, const struct recipe_pass *pass, unsigned i,
                             char *text, size_t size)
{
    for (uint32_t y = 0; y < pass->plane[i].height; y++)
        for (uint32_t x = 0; x < pass->plane[i].width; x++) {
            const uint32_t e = sample_at(expected, pass, i, x, y), g = sample_at(got, pass, i, x, y);
            if (e == g)
                continue;
            snprintf(text, size, "output %u at (%" PRIu32 ", %" PRIu32 ") is 0x%08" PRIx32 ", not 0x%08" PRIx32,
                     i - pass->info->planes_in, x, y, g, e);
            say_inputs(expected, pass, x, y, text, size);
            return true;
        }
    return false;
}

bool trial_difference(const struct trial *expected, const struct trial *got, const struct recipe_pass *pass, char *text,
                      size_t size)
{
    for (unsigned i = pass->info->planes_in; i < planes_of(pass); i++)
        if (plane_difference(expected, got, pass, i, text, size))
            return true;
    for (size_t i = 0; i < recipe_totals(pass); i++)
        if (expected->totals[i] != got->totals[i]) {
            snprintf(text, size, "total %zu is 0x%016" PRIx64 ", not 0x%016" PRIx64, i, (uint64_t)got->totals[i],
                     (uint64_t)expected->totals[i]);
            return true;
        }
    for (unsigned i = 0; i < pass->info->extrema; i++) {
        const uint32_t *e = expected->extrema + 2 * (size_t)i, *g = got->extrema + 2 * (size_t)i;
        if (!memcmp(e, g, 2 * sizeof *e))
            continue;
        snprintf(text, size, "extremum %u is 0x%08" PRIx32 " at item %" PRIu32 ", not 0x%08" PRIx32 " at %" PRIu32, i, g[0], g[1],
                 e[0], e[1]);
        return true;
    }
    return false;
}
