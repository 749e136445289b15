/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/cpu/cpu.h"
#include "host/digest.h"

enum { UNTOUCHED = 0xa5 };

const char *const *runnable_levels(void)
{
    static const char *names[CPU_LEVELS + 1];
    unsigned n = 0;
    for (unsigned i = CPU_LEVELS; i-- > 0;)
        if (cpu_kernels_by_name(cpu_level_name((enum cpu_level)i)))
            names[n++] = cpu_level_name((enum cpu_level)i);
    return names;
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(99);
    }
    return p;
}

static void make_plane(struct buffers *b, const struct trial_pass *pass, unsigned i, enum layout layout)
{
    const uint32_t size = sample_size(pass->info->plane[i]);
    const bool written = i >= pass->info->planes_in;
    const size_t row = (size_t)pass->plane[i].width * size;
    /* Every stride of a plane written is a multiple of its elements, as the graph makes them. */
    const size_t gap = layout == LAYOUT_TIGHT ? 0 : written ? 12 : 3 + 2 * i,
                 offset = layout == LAYOUT_TIGHT || written ? 0 : 1 + i;
    const size_t bytes = offset + (row + gap) * (pass->plane[i].height - 1) + row;
    b->memory[i] = allocate(bytes);
    memset(b->memory[i], UNTOUCHED, bytes);
    b->plane[i] = (struct kernel_plane){.data = (char *)b->memory[i] + offset, .stride = (ptrdiff_t)(row + gap),
                                        .width = (int32_t)pass->plane[i].width, .height =
                                            (int32_t)pass->plane[i].height};
}

void buffers_make(struct buffers *b, const struct trials_pass *from, enum layout layout)
{
    const struct trial_pass *pass = &from->pass;
    const struct kernel_info *k = pass->info;
    memset(b, 0, sizeof *b);
    for (unsigned i = 0; i < (unsigned)(k->planes_in + k->planes_out); i++) {
        make_plane(b, pass, i, layout);
        for (uint32_t y = 0; i < k->planes_in && y < pass->plane[i].height; y++)
            memcpy((char *)b->plane[i].data + (ptrdiff_t)y * b->plane[i].stride,
                   (const char *)from->read[i].data + (ptrdiff_t)y * from->read[i].stride,
                   (size_t)pass->plane[i].width * sample_size(k->plane[i]));
    }
    b->totals = allocate(trial_totals(pass) * sizeof *b->totals);
}

void buffers_free(struct buffers *b)
{
    for (unsigned i = 0; i < KERNEL_PLANES; i++)
        free(b->memory[i]);
    free(b->totals);
    memset(b, 0, sizeof *b);
}

void buffers_clear(struct buffers *b, const struct trial_pass *pass)
{
    const struct kernel_info *k = pass->info;
    for (unsigned i = k->planes_in; i < k->planes_in + k->planes_out; i++)
        memset(b->memory[i], UNTOUCHED, (size_t)b->plane[i].stride * (pass->plane[i].height - 1)
                                            + (size_t)pass->plane[i].width * sample_size(k->plane[i]));
    memset(b->totals, 0, trial_totals(pass) * sizeof *b->totals);
}

void buffers_run(struct buffers *b, const struct trial_pass *pass, kernel_fn *run, uint32_t tile_w, uint32_t tile_h)
{
    buffers_clear(b, pass);
    struct trial t = {.totals = b->totals, .extrema = b->extrema};
    memcpy(t.plane, b->plane, sizeof t.plane);
    trial_run(pass, run, &t, tile_w, tile_h);
}

static bool same_plane(const struct buffers *expected, const struct buffers *got, const struct trial_pass *pass,
                       unsigned i, const char *what, bool quiet)
{
    const size_t row = (size_t)pass->plane[i].width * 4;
    for (uint32_t y = 0; y < pass->plane[i].height; y++) {
        const char *a = (const char *)expected->plane[i].data + (ptrdiff_t)y * expected->plane[i].stride;
        const char *g = (const char *)got->plane[i].data + (ptrdiff_t)y * got->plane[i].stride;
        for (size_t x = 0; memcmp(a, g, row) && x < pass->plane[i].width; x++) {
            uint32_t p, q;
            memcpy(&p, a + 4 * x, 4);
            memcpy(&q, g + 4 * x, 4);
            if (p == q)
                continue;
            if (!quiet)
                fprintf(stderr, "%s: plane %u at (%zu, %u) is 0x%08x, expected 0x%08x\n", what, i, x, y, q, p);
            return false;
        }
        const size_t gap = y + 1 < pass->plane[i].height ? (size_t)got->plane[i].stride - row : 0;
        for (size_t x = 0; x < gap; x++)
            if ((unsigned char)g[row + x] != UNTOUCHED) {
                if (!quiet)
                    fprintf(stderr, "%s: plane %u: a byte behind row %u was written\n", what, i, y);
                return false;
            }
    }
    return true;
}

bool buffers_same(const struct buffers *expected, const struct buffers *got, const struct trial_pass *pass,
                  const char *what, bool quiet)
{
    const struct kernel_info *k = pass->info;
    for (unsigned i = k->planes_in; i < k->planes_in + k->planes_out; i++)
        if (!same_plane(expected, got, pass, i, what, quiet))
            return false;
    for (size_t i = 0; i < trial_totals(pass); i++)
        if (expected->totals[i] != got->totals[i]) {
            if (!quiet)
                fprintf(stderr, "%s: total %zu is %" PRId64 ", expected %" PRId64 "\n", what, i, got->totals[i],
                        expected->totals[i]);
            return false;
        }
    for (unsigned i = 0; i < k->extrema; i++)
        if (memcmp(expected->extrema + 2 * i, got->extrema + 2 * i, 2 * sizeof(uint32_t))) {
            if (!quiet)
                fprintf(stderr, "%s: extremum %u is %u at %u, expected %u at %u\n", what, i, got->extrema[2 * i],
                        got->extrema[2 * i + 1], expected->extrema[2 * i], expected->extrema[2 * i + 1]);
            return false;
        }
    return true;
}

uint64_t buffers_digest(const struct buffers *b, const struct trial_pass *pass, uint64_t digest)
{
    const struct kernel_info *k = pass->info;
    for (unsigned i = k->planes_in; i < k->planes_in + k->planes_out; i++)
        for (uint32_t y = 0; y < pass->plane[i].height; y++)
            digest = digest_more(digest, (const char *)b->plane[i].data + (ptrdiff_t)y * b->plane[i].stride,
                                 (size_t)pass->plane[i].width * 4);
    digest = digest_more(digest, b->totals, trial_totals(pass) * sizeof *b->totals);
    return digest_more(digest, b->extrema, k->extrema * 2 * sizeof *b->extrema);
}
