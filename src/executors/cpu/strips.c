/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/strips.h"

#include <stdlib.h>
#include <string.h>

/*
 * Rows of a step: few, so that what one pass leaves is still in a cache when the next one takes it, but enough
 * tiles for every thread, since a step ends when its last tile does: LEAST_TILES, and MOST_TILES where the plan takes
 * at most THREAD_BYTES for each thread and one more. Below LEAST_BYTES everything stays in a second-level cache anyway.
 */
enum { STEP_ROWS = 16, LEAST_TILES = 24, MOST_TILES = 96, LEAST_BYTES = 1 << 20, THREAD_BYTES = 8 << 20,
       MOST_STEPS = 4096 };

/* Bytes of the planes that several encodes read, in a band: they are written once and read once for each encode. */
enum { BAND_BYTES = 4 << 20 };

static unsigned strips_planes_of(const struct kernel_info *k)
{
    return k->planes_in + k->planes_out;
}

static const struct kernel_info *strips_kernel_of(const struct graph *g, graph_pass p)
{
    return &assay_kernel_info[g->pass[p].kernel];
}

/* A plane that a pass writes: neither an input nor a view. */
static bool strips_made(const struct graph *g, graph_plane plane)
{
    return !g->plane[plane].input && !g->plane[plane].view;
}

/* Whether a pass reads a plane that a pass of an earlier encode made: one of the reference. */
static bool strips_reads_shared(const struct graph *g, graph_pass p, unsigned i)
{
    const struct graph_plane_info *plane = &g->plane[g->pass[p].plane[i]];
    return !plane->input && g->pass[plane->pass].encode != g->pass[p].encode;
}

/* Inputs, and what was there before the passes of its encode ran. */
static bool strips_reads_inputs_only(const struct graph *g, graph_pass p)
{
    for (unsigned i = 0; i < strips_kernel_of(g, p)->planes_in; i++)
        if (!g->plane[g->pass[p].plane[i]].input && !strips_reads_shared(g, p, i))
            return false;
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A kernel's statement about the rows of its plane i. NULL: there is none, or its number of layers does not fit. */
static const struct kernel_rows *strips_stated(const struct graph *g, const struct graph_pass_info *pass, unsigned i)
{
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    const struct kernel_rows *r = &k->rows[i];
    const uint32_t height = g->plane[pass->plane[i]].height;
    if (!r->layers || height % r->layers || (r->layers > 1 && i >= k->planes_in && height / r->layers != pass->grid_h))
        return NULL;
    return r;
}

static const struct kernel_rows *strips_written(const struct graph *g, graph_plane plane)
{
    const struct graph_pass_info *pass = &g->pass[g->plane[plane].pass];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    for (unsigned i = k->planes_in; i < strips_planes_of(k); i++)
        if (pass->plane[i] == graph_rows_of(g, plane))
            return strips_stated(g, pass, i);
    return NULL;
}

/* How a pass reads its plane i by rows. NULL: it waits until the plane is whole. */
static const struct kernel_rows *strips_read_by_rows(const struct graph *g, const struct graph_pass_info *pass,
                                                     unsigned i)
{
    const struct kernel_rows *r = strips_stated(g, pass, i), *w = strips_written(g, pass->plane[i]);
    return r && w && r->layers == w->layers ? r : NULL;
}

/* The row of a layer of `height` rows that belongs to row y of a grid of `grid_h`. */
static uint32_t strips_row_at(const struct kernel_rows *r, uint32_t y, uint32_t height, uint32_t grid_h)
{
    return r->factor ? y * r->factor : (uint32_t)((uint64_t)y * height / grid_h);
}

static uint32_t strips_first_row(const struct kernel_rows *r, uint32_t y, uint32_t height, uint32_t grid_h)
{
    const uint32_t at = strips_row_at(r, y, height, grid_h);
    return at > r->before ? at - r->before : 0;
}

static uint32_t strips_end_row(const struct kernel_rows *r, uint32_t y1, uint32_t height, uint32_t grid_h)
{
    return strips_least(strips_row_at(r, y1 - 1, height, grid_h) + r->after + 1, height);
}

void strips_touched(const struct graph *g, const struct graph_pass_info *pass, unsigned i, uint32_t y0, uint32_t y1,
                    uint32_t *first, uint32_t *end)
{
    const struct kernel_rows *r = strips_stated(g, pass, i);
    const uint32_t height = g->plane[pass->plane[i]].height, layer = r ? height / r->layers : height;
    *first = r ? strips_least(strips_first_row(r, y0, layer, pass->grid_h), layer) : 0;
    *end = r ? strips_end_row(r, y1, layer, pass->grid_h) : height;
}

/* The rows of each layer of a plane that are written when `done` rows of its pass's grid are done. */
static uint32_t strips_rows_made(const struct strips *b, const struct graph *g, graph_plane plane, uint32_t done)
{
    const uint32_t height = b->plane[plane].height;
    return done == g->pass[g->plane[plane].pass].grid_h ? height : strips_least(done, height);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Whether the inputs of a pass's rows before y1 are complete. */
static bool strips_may_run(const struct strips *b, const struct graph *g, const uint32_t *done, graph_pass p,
                           uint32_t y1)
{
    const struct graph_pass_info *pass = &g->pass[p];
    for (unsigned i = 0; i < assay_kernel_info[pass->kernel].planes_in; i++) {
        const graph_plane plane = pass->plane[i];
        if (g->plane[plane].input)
            continue;
        const graph_pass maker = g->plane[plane].pass;
        const struct kernel_rows *r = strips_read_by_rows(g, pass, i);
        if (r ? strips_end_row(r, y1, b->plane[plane].height, pass->grid_h) > strips_rows_made(b, g, plane, done[maker])
              : done[maker] < g->pass[maker].grid_h)
            return false;
    }
    return true;
}

/* The row that a pass may not pass in a step. Passes that read only the frame pair set the pace. */
static uint32_t strips_pace(const struct strips *b, const struct graph *g, graph_pass p, uint32_t step)
{
    const uint32_t height = g->pass[p].grid_h;
    if (b->steps > 1 && g->pass[p].encode != b->turn[step].encode)
        return 0;
    return strips_reads_inputs_only(g, p) ? (uint32_t)((uint64_t)height * b->turn[step].part / b->parts) : height;
}

/* Runs every pass as far as its inputs allow, in whole rows of tiles. */
static void strips_run_step(struct strips *b, const struct graph *g, const struct strips_config *c, uint32_t step)
{
    uint32_t *done = b->done + (size_t)step * b->passes;
    if (step) /* before the first one nothing is */
        memcpy(done, done - b->passes, b->passes * sizeof *done);
    for (graph_pass p = 0; p < b->passes; p++) {
        const uint32_t height = g->pass[p].grid_h, until = strips_pace(b, g, p, step);
        while (done[p] < until) {
            const uint32_t y1 = done[p] + strips_least(c->tiles[p].h, height - done[p]);
            if (!strips_may_run(b, g, done, p, y1))
                break;
            done[p] = y1;
        }
    }
}

uint32_t strips_done(const struct strips *b, uint32_t step, graph_pass pass)
{
    return step ? b->done[(size_t)(step - 1) * b->passes + pass] : 0;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* The first row of a plane that this step or a later one reads or writes. */
static uint32_t strips_needed(const struct strips *b, const struct graph *g, graph_plane plane, uint32_t step)
{
    uint32_t needed = strips_rows_made(b, g, plane, strips_done(b, step, g->plane[plane].pass));
    for (graph_pass p = g->plane[plane].pass + 1; p <= g->plane[plane].last_use; p++) {
        const struct graph_pass_info *pass = &g->pass[p];
        const uint32_t done = strips_done(b, step, p);
        for (unsigned i = 0; done < pass->grid_h && i < assay_kernel_info[pass->kernel].planes_in; i++)
            if (graph_rows_of(g, pass->plane[i]) == plane) {
                const struct kernel_rows *r = strips_read_by_rows(g, pass, i);
                needed = strips_least(needed, r ? strips_first_row(r, done, b->plane[plane].height, pass->grid_h) : 0);
            }
    }
    return needed;
}

/* Chooses the window of a plane: one and a half times the rows that any step needs, so that not every step moves
 * rows. Rows move when it is full, and when a third of it is behind what is needed and the fewest rows have to. */
static void strips_place_window(struct strips *b, const struct graph *g, graph_plane plane)
{
    struct strips_plane *own = &b->plane[plane];
    const graph_pass maker = g->plane[plane].pass;
    uint32_t most = 1, first = 0, fewest = UINT32_MAX;
    if (!strips_written(g, plane) || b->steps == 1) {
        own->window = own->height;
        return;
    }
    for (uint32_t step = 0; step < b->steps; step++) {
        const uint32_t needed = strips_needed(b, g, plane, step);
        const uint32_t rows = strips_rows_made(b, g, plane, strips_done(b, step + 1, maker)) - needed;
        most = rows > most ? rows : most;
        if (needed && needed < own->height)
            fewest = strips_least(fewest, strips_rows_made(b, g, plane, strips_done(b, step, maker)) - needed);
    }
    own->window = strips_least(most + most / 2, own->height);
    for (uint32_t step = 0; step < b->steps; step++) {
        const uint32_t made = strips_rows_made(b, g, plane, strips_done(b, step + 1, maker)),
                       needed = strips_needed(b, g, plane, step);
        const uint32_t rows = strips_rows_made(b, g, plane, strips_done(b, step, maker)) - needed;
        if (made - first > own->window || (rows <= fewest && needed - first >= own->window / 3))
            first = needed;
        b->first[(size_t)step * b->planes + plane] = first;
    }
}

struct kernel_plane strips_view(const struct strips *b, const struct graph *g, graph_plane plane, uint32_t step,
                                void *const *storage)
{
    const graph_plane rows = graph_rows_of(g, plane);
    const struct strips_plane *own = &b->plane[rows];
    const ptrdiff_t stride = (ptrdiff_t)graph_stride(&g->plane[rows]);
    const uint32_t first = b->first[(size_t)step * b->planes + rows];
    return (struct kernel_plane){.data = (char *)storage[own->storage] - (ptrdiff_t)first * stride, .stride = stride,
                                 .width = (int32_t)g->plane[plane].width, .height = (int32_t)g->plane[plane].height,
                                 .layer_gap = ((ptrdiff_t)own->window - (ptrdiff_t)own->height) * stride};
}

void strips_move(const struct strips *b, const struct graph *g, uint32_t step, void *const *storage)
{
    for (graph_plane i = 0; step && i < b->planes; i++) {
        const uint32_t *first = b->first + (size_t)step * b->planes + i;
        if (first[0] == first[-(ptrdiff_t)b->planes])
            continue;
        const struct strips_plane *own = &b->plane[i];
        const size_t stride = graph_stride(&g->plane[i]), layer = stride * own->window;
        const uint32_t made = strips_rows_made(b, g, i, strips_done(b, step, g->plane[i].pass));
        char *to = storage[own->storage];
        for (uint32_t k = 0; k < own->layers; k++)
            memmove(to + k * layer, to + k * layer + (first[0] - first[-(ptrdiff_t)b->planes]) * stride,
                    (made - first[0]) * stride);
    }
}

/* The times of a plane's first write and last use. A time counts the passes of all steps. */
static void strips_lifetime(const struct strips *b, const struct graph *g, graph_plane plane, uint32_t *from,
                            uint32_t *to)
{
    const struct graph_plane_info *info = &g->plane[plane];
    *from = UINT32_MAX;
    for (uint32_t step = 0; step < b->steps; step++)
        for (graph_pass p = info->pass; p <= info->last_use; p++) {
            const uint32_t now = step * b->passes + p;
            if (strips_done(b, step, p) == strips_done(b, step + 1, p))
                continue;
            bool touches = p == info->pass;
            for (unsigned i = 0; i < strips_kernel_of(g, p)->planes_in; i++)
                touches |= graph_rows_of(g, g->pass[p].plane[i]) == plane;
            if (touches) {
                *from = strips_least(*from, now);
                *to = now;
            }
        }
}

/* One step has the graph's own storages. */
static void strips_take_storages(struct strips *b, const struct graph *g)
{
    b->storages = g->storages;
    memcpy(b->storage_bytes, g->storage_bytes, g->storages * sizeof *b->storage_bytes);
    for (graph_plane i = 0; i < b->planes; i++)
        b->plane[i].storage = g->plane[i].storage;
}

/* Planes take storages in the order of their first writes. */
static int strips_place_storages(struct strips *b, const struct graph *g, struct assay_error *e)
{
    uint32_t *life = calloc(3 * (size_t)b->planes + 1, sizeof *life);
    if (!life)
        return assay_fail_memory(e, "the plan of strips");
    uint32_t *const busy_until = life + 2 * (size_t)b->planes;
    for (graph_plane i = 0; i < b->planes; i++)
        if (strips_made(g, i))
            strips_lifetime(b, g, i, &life[2 * i], &life[2 * i + 1]);
    for (;;) {
        graph_plane next = b->planes;
        for (graph_plane i = 0; i < b->planes; i++)
            if (strips_made(g, i) && b->plane[i].storage == UINT32_MAX &&
                (next == b->planes || life[2 * i] < life[2 * next]))
                next = i;
        if (next == b->planes)
            break;
        struct strips_plane *own = &b->plane[next];
        own->storage = graph_pick_storage(b->storage_bytes, &b->storages, g->keep ? NULL : busy_until, life[2 * next],
                                          (uint64_t)graph_stride(&g->plane[next]) * own->window * own->layers);
        busy_until[own->storage] = life[2 * next + 1];
    }
    free(life);
    return ASSAY_OK;
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

static bool strips_conflict(const struct strips *b, const struct graph *g, graph_pass writer, graph_pass other)
{
    const struct kernel_info *w = strips_kernel_of(g, writer), *o = strips_kernel_of(g, other);
    for (unsigned i = w->planes_in; i < strips_planes_of(w); i++)
        for (unsigned j = 0; j < strips_planes_of(o); j++) {
            const graph_plane plane = graph_rows_of(g, g->pass[other].plane[j]);
            if (!g->plane[plane].input && b->plane[plane].storage == b->plane[g->pass[writer].plane[i]].storage)
                return true;
        }
    return false;
}

/* The waves of a step. A pass comes one wave after the last earlier pass that it conflicts with, and where one step has
 * several encodes, behind those of the encodes before its own: their planes are used while a cache has them. */
static void strips_plan_waves(struct strips *b, const struct graph *g, const struct strips_config *c,
                              const bool *depend, uint32_t *wave, uint32_t step)
{
    graph_pass *order = b->order + (size_t)step * b->passes;
    uint32_t *wave_end = b->wave_end + (size_t)step * b->passes, n = 0, waves = 0, first = 0;
    for (graph_pass p = 0; p < b->passes; p++) {
        if (p && g->pass[p].encode != g->pass[p - 1].encode)
            first = waves;
        if (strips_done(b, step, p) == strips_done(b, step + 1, p))
            continue;
        wave[p] = first;
        for (graph_pass q = 0; q < p; q++)
            if (depend[(size_t)p * b->passes + q] && strips_done(b, step, q) != strips_done(b, step + 1, q) &&
                wave[q] >= wave[p])
                wave[p] = wave[q] + 1;
        waves = wave[p] >= waves ? wave[p] + 1 : waves;
    }
    for (uint32_t w = 0; w < waves; w++) {
        const uint32_t begin = n;
        uint32_t pairs = 0;
        for (graph_pass p = 0; p < b->passes; p++) {
            const uint32_t rows = strips_done(b, step + 1, p) - strips_done(b, step, p);
            if (!rows || wave[p] != w)
                continue;
            order[n++] = p;
            pairs += (rows + c->tiles[p].h - 1) / c->tiles[p].h * c->tiles[p].across * g->pass[p].extrema_n;
        }
        wave_end[begin] = n;
        b->most_pairs = pairs > b->most_pairs ? pairs : b->most_pairs;
    }
    b->turn[step].running = n;
}

static int strips_all_waves(struct strips *b, const struct graph *g, const struct strips_config *c,
                            struct assay_error *e)
{
    bool *depend = calloc((size_t)b->passes * b->passes + 1, sizeof *depend);
    uint32_t *wave = calloc(b->passes + 1, sizeof *wave);
    for (graph_pass p = 0; depend && p < b->passes; p++)
        for (graph_pass q = 0; q < p; q++)
            depend[(size_t)p * b->passes + q] = strips_conflict(b, g, p, q) || strips_conflict(b, g, q, p);
    for (uint32_t step = 0; depend && wave && step < b->steps; step++)
        strips_plan_waves(b, g, c, depend, wave, step);
    const int rc = depend && wave ? ASSAY_OK : assay_fail_memory(e, "the plan of strips");
    free(depend);
    free(wave);
    return rc;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* The bytes of all planes that several encodes read. */
static uint64_t strips_shared_bytes(const struct graph *g)
{
    uint64_t bytes = 0;
    for (graph_plane i = 0; i < g->planes; i++) {
        bool shared = false;
        for (graph_pass p = 0; strips_made(g, i) && p < g->passes && !shared; p++)
            for (unsigned k = 0; k < strips_kernel_of(g, p)->planes_in; k++)
                shared |= graph_rows_of(g, g->pass[p].plane[k]) == i && strips_reads_shared(g, p, k);
        bytes += shared ? (uint64_t)graph_stride(&g->plane[i]) * g->plane[i].height : 0;
    }
    return bytes;
}

/* The encodes take turns, band by band. */
static void strips_take_turns(struct strips *b, uint32_t encodes, uint32_t most)
{
    const uint32_t bands = strips_least(most, b->parts);
    uint32_t step = 0;
    for (uint32_t band = 0; band < bands; band++)
        for (uint32_t k = 0; k < encodes; k++)
            for (uint32_t part = (uint32_t)((uint64_t)b->parts * band / bands);
                 part < (uint64_t)b->parts * (band + 1) / bands; part++)
                b->turn[step++] = (struct strips_turn){.encode = k, .part = part + 1};
}

static int strips_allocate(struct strips **out, const struct graph *g, uint32_t parts, uint32_t bands,
                           struct assay_error *e)
{
    const uint32_t encodes = parts > 1 ? g->encode + 1 : 1, steps = parts * encodes;
    struct strips *b = *out = calloc(1, sizeof *b);
    if (!b)
        return assay_fail_memory(e, "the plan of strips");
    const size_t passes = (size_t)steps * g->passes + 1, planes = (size_t)steps * g->planes + 1;
    *b = (struct strips){.steps = steps, .passes = g->passes, .planes = g->planes, .parts = parts};
    b->turn = calloc(steps, sizeof *b->turn);
    b->done = calloc(passes, sizeof *b->done);
    b->first = calloc(planes, sizeof *b->first);
    b->order = calloc(passes, sizeof *b->order);
    b->wave_end = calloc(passes, sizeof *b->wave_end);
    b->plane = calloc(g->planes + 1, sizeof *b->plane);
    b->storage_bytes = calloc(g->planes + 1, sizeof *b->storage_bytes);
    if (!b->turn || !b->done || !b->first || !b->order || !b->wave_end || !b->plane || !b->storage_bytes)
        return assay_fail_memory(e, "the plan of strips");
    strips_take_turns(b, encodes, bands);
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct kernel_rows *w = g->plane[i].input ? NULL : strips_written(g, i);
        b->plane[i] = (struct strips_plane){.storage = UINT32_MAX, .layers = w ? w->layers : 1};
        b->plane[i].height = g->plane[i].height / b->plane[i].layers;
    }
    return ASSAY_OK;
}

static uint32_t strips_tallest(const struct graph *g)
{
    uint32_t most = 1;
    for (graph_pass p = 0; p < g->passes; p++)
        most = g->pass[p].grid_h > most ? g->pass[p].grid_h : most;
    return most;
}

/* Makes the plan with `rows` rows of the tallest grid in a step, in so many bands. */
static int strips_make(struct strips **out, const struct graph *g, const struct strips_config *c, uint32_t rows,
                       uint32_t bands, struct assay_error *e)
{
    const uint32_t wanted = (strips_tallest(g) + rows - 1) / rows;
    TRY(strips_allocate(out, g, strips_least(wanted, MOST_STEPS / (g->encode + 1)), bands, e));
    struct strips *b = *out;
    for (uint32_t step = 0; step < b->steps; step++)
        strips_run_step(b, g, c, step);
    for (graph_plane i = 0; i < g->planes; i++)
        if (strips_made(g, i))
            strips_place_window(b, g, i);
    if (b->steps == 1)
        strips_take_storages(b, g);
    else
        TRY(strips_place_storages(b, g, e));
    return strips_all_waves(b, g, c, e);
}

/* Rows of a step so that the passes that read only the frame pair have `each` tiles for every thread: those of an
 * encode that has not those of the reference as well. */
static uint32_t strips_rows(const struct graph *g, const struct strips_config *c, uint32_t each)
{
    const uint32_t height = strips_tallest(g);
    uint32_t rows = STEP_ROWS;
    for (; rows < height; rows *= 2) {
        uint64_t tiles = 0;
        for (graph_pass p = 0; p < g->passes; p++)
            if (strips_reads_inputs_only(g, p) && g->pass[p].encode == g->encode)
                tiles += (uint64_t)c->tiles[p].across * rows * g->pass[p].grid_h / height / c->tiles[p].h;
        if (tiles >= (uint64_t)each * c->threads || c->threads == 1)
            break;
    }
    return strips_least(rows, height);
}

/* Makes the plan with `rows` rows of the tallest grid in a step, in one band, or in several where these take less
 * memory: planes of the reference for a band alone, but the windows of every encode. */
static int strips_of_rows(struct strips **out, const struct graph *g, const struct strips_config *c, uint32_t rows,
                          struct assay_error *e)
{
    const uint32_t bands = g->encode ? (uint32_t)(strips_shared_bytes(g) / BAND_BYTES) + 1 : 1;
    struct strips *other = NULL;
    TRY(strips_make(out, g, c, rows, 1, e));
    if ((*out)->steps == 1 || bands == 1)
        return ASSAY_OK;
    const int rc = strips_make(&other, g, c, rows, bands, e);
    if (!rc && strips_memory(other) < strips_memory(*out)) {
        struct strips *const one = *out;
        *out = other;
        other = one;
    }
    strips_free(&other);
    return rc;
}

int strips_plan(struct strips **out, const struct graph *g, const struct strips_config *c, struct assay_error *e)
{
    *out = NULL;
    const uint32_t height = strips_tallest(g);
    const bool whole = g->keep || (!c->rows && graph_memory(g) <= LEAST_BYTES), chosen = whole || c->rows;
    const uint32_t fewest = chosen ? height : strips_rows(g, c, LEAST_TILES);
    uint32_t rows = whole ? height : c->rows ? strips_least(c->rows, height) : strips_rows(g, c, MOST_TILES);
    int rc;
    while (!(rc = strips_of_rows(out, g, c, rows, e)) && rows > fewest &&
           strips_memory(*out) > (c->threads + UINT64_C(1)) * THREAD_BYTES) {
        strips_free(out);
        rows = rows / 2 > fewest ? rows / 2 : fewest;
    }
    /* most kernels state nothing: waiting for whole planes only costs */
    if (!rc && !c->rows && (*out)->steps > 1 && strips_memory(*out) >= graph_memory(g)) {
        strips_free(out);
        rc = strips_make(out, g, c, height, 1, e);
    }
    if (rc)
        strips_free(out);
    return rc;
}

void strips_free(struct strips **out)
{
    struct strips *b = *out;
    if (!b)
        return;
    *out = NULL;
    free(b->turn);
    free(b->done);
    free(b->first);
    free(b->order);
    free(b->wave_end);
    free(b->plane);
    free(b->storage_bytes);
    free(b);
}

uint64_t strips_memory(const struct strips *b)
{
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < b->storages; s++)
        bytes += b->storage_bytes[s];
    return bytes;
}

void strips_print(const struct strips *b, const struct graph *g, FILE *out)
{
    for (uint32_t s = 0; s < b->storages; s++) {
        fprintf(out, "buffer %u: %llu bytes, holds", s, (unsigned long long)b->storage_bytes[s]);
        for (graph_plane i = 0; i < b->planes; i++) {
            const struct strips_plane *p = &b->plane[i];
            if (!strips_made(g, i) || p->storage != s)
                continue;
            fprintf(out, " plane%u (passes %u to %u", i, g->plane[i].pass, g->plane[i].last_use);
            if (p->window < p->height)
                fprintf(out, ", %u of %u rows", p->window * p->layers, p->height * p->layers);
            fputc(')', out);
        }
        fputc('\n', out);
    }
    if (b->steps > 1)
        fprintf(out, "strips: %u\n", b->steps);
    fprintf(out, "intermediate planes: %llu bytes\ntotals: %u words of 64 bits\n", (unsigned long long)strips_memory(b),
            g->totals);
}
