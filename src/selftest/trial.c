/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/trial.h"

#include <inttypes.h>
#include <string.h>

#define KERNEL_LEVEL scalar
#include "host/text.h"
#include "kernels/dialect/level.h"
extern kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS];

struct trial_pass trial_of(const struct graph *g, graph_pass pass)
{
    const struct graph_pass_info *p = &g->pass[pass];
    struct trial_pass t = {.info = &assay_kernel_info[p->kernel], .kernel = p->kernel, .grid_w = p->grid_w,
                           .grid_h = p->grid_h};
    for (unsigned i = 0; i < (unsigned)(t.info->planes_in + t.info->planes_out); i++) {
        t.plane[i].width = g->plane[p->plane[i]].width;
        t.plane[i].height = g->plane[p->plane[i]].height;
    }
    memcpy(t.param, p->param, sizeof t.param);
    return t;
}

size_t trial_totals(const struct trial_pass *pass)
{
    const size_t of_row = pass->info->row_sums + (size_t)pass->info->words * pass->grid_w;
    return (size_t)pass->info->sums + pass->info->histogram + of_row * pass->grid_h;
}

void trial_run(const struct trial_pass *pass, kernel_fn *run, const struct trial *t, uint32_t tile_w, uint32_t tile_h)
{
    const struct kernel_schedule *s = &pass->info->schedule[TARGET_CPU];
    const uint32_t w = tile_w && tile_w < s->tile_w ? tile_w : s->tile_w,
                   h = tile_h && tile_h < s->tile_h ? tile_h : s->tile_h;
    uint32_t pairs[2 * TRIAL_EXTREMA];
    struct kernel_args args = {.totals = t->totals, .extrema = pairs, .grid_w = (int32_t)pass->grid_w,
                               .grid_h = (int32_t)pass->grid_h, .others = t->others, .other = t->other};
    memcpy(args.plane, t->plane, sizeof args.plane);
    memcpy(args.param, pass->param, sizeof args.param);
    extrema_clear(t->extrema, pass->info->extrema);
    for (uint32_t y = 0; y < pass->grid_h; y += h)
        for (uint32_t x = 0; x < pass->grid_w; x += w) {
            extrema_clear(pairs, TRIAL_EXTREMA);
            args.tile_x = (int32_t)x;
            args.tile_y = (int32_t)y;
            args.tile_w = (int32_t)(pass->grid_w - x < w ? pass->grid_w - x : w);
            args.tile_h = (int32_t)(pass->grid_h - y < h ? pass->grid_h - y : h);
            run(&args);
            for (unsigned i = 0; i < pass->info->extrema; i++)
                extremum_join(t->extrema + 2 * i, pairs + 2 * i);
        }
}

void trial_expect(const struct trial_pass *pass, const struct trial *t)
{
    memset(t->totals, 0, trial_totals(pass) * sizeof *t->totals);
    trial_run(pass, KERNEL_AT_LEVEL(table)[pass->kernel], t, 0, 0);
}

static uint32_t sample_at(const struct trial *t, const struct trial_pass *pass, unsigned i, uint32_t x, uint32_t y)
{
    const uint32_t size = sample_size(pass->info->plane[i]);
    uint32_t v = 0; /* little-endian, as everything here */
    memcpy(&v, (const char *)t->plane[i].data + (ptrdiff_t)y * t->plane[i].stride + (size_t)x * size, size);
    return v;
}

/* Prints the inputs at a position, for planes of the output's size. */
static void say_inputs(const struct trial *t, const struct trial_pass *pass, uint32_t x, uint32_t y, char *text,
                       size_t size)
{
    for (unsigned i = 0; i < pass->info->planes_in; i++) {
        if (x >= pass->plane[i].width || y >= pass->plane[i].height)
            continue;
        const int digits = (int)(2 * sample_size(pass->info->plane[i]));
        text_append(text, size, "%s0x%0*" PRIx32, i ? ", " : "; input there ", digits, sample_at(t, pass, i, x, y));
    }
}

static bool plane_difference(const struct trial *expected, const struct trial *got, const struct trial_pass *pass,
                             unsigned i, char *text, size_t size)
{
    const size_t row = (size_t)pass->plane[i].width * sample_size(pass->info->plane[i]);
    for (uint32_t y = 0; y < pass->plane[i].height; y++) {
        if (!memcmp((const char *)expected->plane[i].data + (ptrdiff_t)y * expected->plane[i].stride,
                    (const char *)got->plane[i].data + (ptrdiff_t)y * got->plane[i].stride, row))
            continue;
        for (uint32_t x = 0; x < pass->plane[i].width; x++) {
            const uint32_t e = sample_at(expected, pass, i, x, y), g = sample_at(got, pass, i, x, y);
            if (e == g)
                continue;
            snprintf(text, size, "output %u at (%" PRIu32 ", %" PRIu32 ") is 0x%08" PRIx32 ", not 0x%08" PRIx32,
                     i - pass->info->planes_in, x, y, g, e);
            say_inputs(expected, pass, x, y, text, size);
            return true;
        }
    }
    return false;
}

bool trial_difference(const struct trial *expected, const struct trial *got, const struct trial_pass *pass, char *text,
                      size_t size)
{
    for (unsigned i = pass->info->planes_in; i < (unsigned)(pass->info->planes_in + pass->info->planes_out); i++)
        if (plane_difference(expected, got, pass, i, text, size))
            return true;
    for (size_t i = 0; i < trial_totals(pass); i++)
        if (expected->totals[i] != got->totals[i]) {
            snprintf(text, size, "total %zu is 0x%016" PRIx64 ", not 0x%016" PRIx64, i, (uint64_t)got->totals[i],
                     (uint64_t)expected->totals[i]);
            return true;
        }
    for (unsigned i = 0; i < pass->info->extrema; i++) {
        const uint32_t *e = expected->extrema + 2 * (size_t)i, *g = got->extrema + 2 * (size_t)i;
        if (!memcmp(e, g, 2 * sizeof *e))
            continue;
        snprintf(text, size, "extremum %u is 0x%08" PRIx32 " at item %" PRIu32 ", not 0x%08" PRIx32 " at %" PRIu32, i,
                 g[0], g[1], e[0], e[1]);
        return true;
    }
    return false;
}
