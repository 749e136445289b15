/* SPDX-License-Identifier: BSD-2-Clause */
#include "scale/passes.h"

#include <stdlib.h>

#include "host/format.h"
#include "passes_gen.h"

bool scale_is_scaled(const struct scale_plan *plan, unsigned side)
{
    const assay_format *a = &plan->side[side].from, *b = &plan->side[side].to;
    return a->width != b->width || a->height != b->height;
}

/* ---- what can be scaled ------------------------------------------------------------------------------------------ */

static int check_format(const assay_format *f, const char *which, struct assay_error *e)
{
    const uint32_t depth = f->bit_depth;
    if (f->layout == ASSAY_LAYOUT_RGB)
        return assay_fail(e, ASSAY_EUSAGE, "RGB can't be scaled: the definition is for YUV and grey");
    if (f->alpha)
        return assay_fail(e, ASSAY_EUSAGE, "a picture with alpha can't be scaled");
    if (depth != 8 && depth != 9 && depth != 10 && depth != 12 && depth != 14 && depth != 16)
        return assay_fail(e, ASSAY_EUSAGE, "samples of %u bits can't be scaled: 8, 9, 10, 12, 14 or 16", depth);
    if (f->width > SCALE_MOST_SIDE || f->height > SCALE_MOST_SIDE)
        return assay_fail(e, ASSAY_EUSAGE, "%ux%u is too large to scale %s: at most %d samples a side", f->width,
                          f->height, which, SCALE_MOST_SIDE);
    return ASSAY_OK;
}

/* The place of a component's samples in 1/256 of its own sample, on an axis where chroma is shifted by `shift`. `from`
 * is where it lies in 1/256 of a luma sample, or less than 0: in the middle. */
static int32_t place_of(uint32_t shift, int32_t from)
{
    return shift && from >= 0 ? (from + 128) >> shift : SCALE_CENTRED;
}

static int32_t place_across(const assay_format *f, uint32_t component, bool sited)
{
    const bool left = f->chroma_location == ASSAY_CHROMA_LEFT || f->chroma_location == ASSAY_CHROMA_TOP_LEFT ||
                      f->chroma_location == ASSAY_CHROMA_BOTTOM_LEFT;
    return place_of(component ? format_chroma_shift_x(f) : 0, sited && left ? 0 : -1);
}

static int32_t place_down(const assay_format *f, uint32_t component, bool sited)
{
    const bool top = f->chroma_location == ASSAY_CHROMA_TOP_LEFT || f->chroma_location == ASSAY_CHROMA_TOP,
               bottom = f->chroma_location == ASSAY_CHROMA_BOTTOM_LEFT || f->chroma_location == ASSAY_CHROMA_BOTTOM;
    return place_of(component ? format_chroma_shift_y(f) : 0, !sited ? -1 : top ? 0 : bottom ? 256 : -1);
}

/* The axes of a component. */
static void axes_of(const struct scale_plan *plan, unsigned side, uint32_t component, struct scale_axis *across,
                    struct scale_axis *down)
{
    const assay_format *a = &plan->side[side].from, *b = &plan->side[side].to;
    const bool sited = plan->side[side].sited;
    *across = (struct scale_axis){assay_format_plane_width(a, component), assay_format_plane_width(b, component),
                                  place_across(a, component, sited), place_across(b, component, sited)};
    *down = (struct scale_axis){assay_format_plane_height(a, component), assay_format_plane_height(b, component),
                                place_down(a, component, sited), place_down(b, component, sited)};
}

int scale_check(const struct scale_plan *plan, struct assay_error *e)
{
    for (unsigned side = 0; side < 2; side++) {
        if (!scale_is_scaled(plan, side))
            continue;
        TRY(check_format(&plan->side[side].from, "from", e));
        TRY(check_format(&plan->side[side].to, "to", e));
        for (uint32_t c = 0; c < assay_format_planes(&plan->side[side].from) && c < 2; c++) {
            struct scale_axis axis[2];
            axes_of(plan, side, c, &axis[0], &axis[1]);
            for (unsigned i = 0; i < 2; i++) {
                struct scale_taps t;
                TRY(scale_taps_make(&t, plan->filter, &axis[i], i ? SCALE_ONE_DOWN : SCALE_ONE_ACROSS, false, e));
                scale_taps_free(&t);
            }
        }
    }
    return ASSAY_OK;
}

static uint32_t in_proportion(uint32_t v, uint32_t from, uint32_t to)
{
    const uint64_t scaled = ((uint64_t)v * to + from / 2) / from;
    return scaled ? (uint32_t)scaled : 1;
}

struct scale_plan scale_plan_resized(const struct scale_plan *plan, uint32_t width, uint32_t height)
{
    struct scale_plan p = *plan;
    p.any = true;
    for (unsigned side = 0; side < 2; side++) {
        assay_format *a = &p.side[side].from, *b = &p.side[side].to;
        a->width = in_proportion(a->width, b->width, width);
        a->height = in_proportion(a->height, b->height, height);
        b->width = width;
        b->height = height;
    }
    return p;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static uint32_t two_taps(int32_t low, int32_t high)
{
    return ((uint32_t)low & 0xffffu) | (uint32_t)high << 16;
}

static int32_t tap_at(const struct scale_taps *t, uint32_t output, int32_t k)
{
    return k >= 0 && (uint32_t)k < t->taps ? t->tap[(size_t)output * t->taps + (uint32_t)k] : 0;
}

/* Kernels load the samples of neighbouring outputs together: their first samples may not fall. */
static int check_order(const struct scale_taps *t, struct assay_error *e)
{
    for (uint32_t i = 1; i < t->outputs; i++)
        if (t->first[i] < t->first[i - 1])
            return assay_fail(e, ASSAY_EINTERNAL, "the filter of output %u begins before that of the one before", i);
    return ASSAY_OK;
}

/* A table of scale_columns.k: taps in pairs, a column for each output. Pairs lie inside the source where it is not
 * narrower than they are: there is at most one tap more than the filter has, and where the filter ends with the row, a
 * 0 stands before its taps. */
static int columns_table(struct graph *g, const struct scale_taps *t, uint32_t from, uint32_t *pairs,
                         graph_plane *plane, struct assay_error *e)
{
    const uint32_t n = (t->taps + 1) / 2, width = t->outputs;
    const int32_t last = from > 2 * n ? (int32_t)(from - 2 * n) : 0;
    TRY(check_order(t, e));
    uint32_t *table = malloc((size_t)(1 + n) * width * sizeof *table);
    if (!table)
        return assay_fail_memory(e, "the filters of scaling");
    for (uint32_t x = 0; x < width; x++) {
        const int32_t first = t->first[x] < last ? t->first[x] : last, before = t->first[x] - first;
        table[x] = (uint32_t)first;
        for (uint32_t j = 0; j < n; j++)
            table[(size_t)(1 + j) * width + x] = two_taps(tap_at(t, x, (int32_t)(2 * j) - before),
                                                          tap_at(t, x, (int32_t)(2 * j) + 1 - before));
    }
    *pairs = n;
    const int rc = graph_table(g, table, width * sizeof *table, SAMPLE_U32, width, 1 + n, plane, e);
    free(table);
    return rc;
}

/* A table of scale_rows.k, and how far its rows reach from those in proportion. */
struct rows_table {
    graph_plane plane;
    uint32_t taps, reach;
};

/* A row of `middle` holds `each` rows of the source, 1 or 2. */
static int rows_table(struct graph *g, const struct scale_taps *t, uint32_t middle, uint32_t each,
                      struct rows_table *out, struct assay_error *e)
{
    const int64_t height = t->outputs;
    uint32_t n = 1;
    TRY(check_order(t, e));
    for (uint32_t y = 0; y < t->outputs; y++) {
        const uint32_t first = (uint32_t)t->first[y] / each, end = ((uint32_t)t->first[y] + t->taps - 1) / each + 1;
        n = end - first > n ? end - first : n;
    }
    uint32_t *table = malloc((size_t)height * (1 + n) * sizeof *table);
    if (!table)
        return assay_fail_memory(e, "the filters of scaling");
    *out = (struct rows_table){.taps = n};
    for (uint32_t y = 0; y < t->outputs; y++) {
        const int32_t first = t->first[y] / (int32_t)each;
        const int64_t middle_row = (int64_t)y * middle / height, before = middle_row - first,
                      last = (int64_t)first + n < middle ? (int64_t)first + n - 1 : (int64_t)middle - 1,
                      after = last - middle_row, reach = before > after ? before : after;
        out->reach = reach > (int64_t)out->reach ? (uint32_t)reach : out->reach;
        table[(size_t)y * (1 + n)] = (uint32_t)first;
        for (uint32_t j = 0; j < n; j++) {
            const int32_t k = (first + (int32_t)j) * (int32_t)each - t->first[y];
            table[(size_t)y * (1 + n) + 1 + j] = each == 2 ? two_taps(tap_at(t, y, k), tap_at(t, y, k + 1))
                                                           : (uint32_t)tap_at(t, y, k);
        }
    }
    const int rc = graph_table(g, table, (1 + n) * sizeof *table, SAMPLE_U32, 1 + n, t->outputs, &out->plane, e);
    free(table);
    return rc;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* A plane that is scaled. */
struct scaling {
    struct scale_taps across, down;
    uint32_t depth, width, height; /* bits of a sample; the size of the result */
    uint32_t middle;               /* rows of the plane that the first pass writes and the second one reads */
    graph_plane source;
};

static int add_columns(struct graph *g, const struct scaling *s, uint32_t from, graph_plane *middle,
                       struct assay_error *e)
{
    graph_plane table;
    uint32_t pairs = 0;
    TRY(columns_table(g, &s->across, from, &pairs, &table, e));
    const struct scale_columns_pass pass =
        PASS_GRID(scale_columns, s->width, s->middle, .source = s->source, .table = table, .pairs = (int32_t)pairs,
                  .shift = s->depth == 8 ? 7 : s->depth == 16 ? 11 : (int32_t)s->depth - 1);
    return s->depth == 16 ? scale_columns_wide_add(g, pass, middle, e) : scale_columns_add(g, pass, middle, e);
}

/* The kernels by the bits of a sample and by how far they reach; what they are built for (kernels.txt). */
typedef int add_rows_fn(struct graph *g, struct scale_rows_pass p, graph_plane *words, struct assay_error *e);
enum { REACH = 8, REACH_FAR = 88, REACH_WIDE = 16, REACH_WIDE_FAR = 172 };
static const struct { uint32_t bits, reach; add_rows_fn *add; } row_kernels[] = {
    {8, REACH, scale_rows_8_add},        {8, REACH_FAR, scale_far_8_add},
    {15, REACH, scale_rows_16_add},      {15, REACH_FAR, scale_far_16_add},
    {16, REACH_WIDE, scale_rows_wide_add}, {16, REACH_WIDE_FAR, scale_far_wide_add},
};

static int add_rows(struct graph *g, const struct scaling *s, graph_plane middle, graph_plane *words,
                    struct assay_error *e)
{
    const bool wide = s->depth == 16;
    const uint32_t each = s->depth > 8 ? 2 : 4;
    struct rows_table table;
    TRY(rows_table(g, &s->down, s->middle, wide ? 1 : 2, &table, e));
    const struct scale_rows_pass pass =
        PASS_GRID(scale_rows, (s->width + each - 1) / each, s->height, .middle = middle, .table = table.plane,
                  .taps = (int32_t)table.taps, .rounding = wide ? (1 << 14) - (1 << 30) : 1 << (26 - s->depth),
                  .shift = wide ? 15 : 27 - (int32_t)s->depth, .least = wide ? -32768 : 0,
                  .most = wide ? 32767 : (1 << s->depth) - 1);
    for (unsigned i = 0; i < sizeof row_kernels / sizeof row_kernels[0]; i++)
        if (s->depth <= row_kernels[i].bits && table.reach <= row_kernels[i].reach)
            return row_kernels[i].add(g, pass, words, e);
    return assay_fail(e, ASSAY_EINTERNAL, "a filter reaches %u rows from its place", table.reach);
}

static int add_passes(struct graph *g, const struct scaling *s, uint32_t from, graph_plane *plane,
                      struct assay_error *e)
{
    graph_plane middle, words;
    TRY(add_columns(g, s, from, &middle, e));
    TRY(add_rows(g, s, middle, &words, e));
    return graph_view(g, words, s->depth > 8 ? SAMPLE_U16 : SAMPLE_U8, s->width, plane, e);
}

int scale_bring(struct graph *g, void *opaque, uint32_t age, enum graph_side side, uint32_t component, uint32_t width,
                uint32_t height, graph_plane *plane, struct assay_error *e)
{
    const struct scale_plan *plan = opaque;
    const assay_format *from = &plan->side[side].from;
    const enum sample_type type = from->bit_depth > 8 ? SAMPLE_U16 : SAMPLE_U8;
    struct scale_axis across, down;
    if (!scale_is_scaled(plan, side))
        return graph_frame(g, age, side, component, type, width, height, plane, e);
    axes_of(plan, side, component, &across, &down);
    struct scaling s = {.depth = from->bit_depth, .width = across.to, .height = down.to,
                        .middle = from->bit_depth == 16 ? down.from : (down.from + 1) / 2};
    int rc = graph_frame(g, age, side, component, type, across.from, down.from, &s.source, e);
    rc = rc ? rc : scale_taps_make(&s.across, plan->filter, &across, SCALE_ONE_ACROSS, plan->any, e);
    rc = rc ? rc : scale_taps_make(&s.down, plan->filter, &down, SCALE_ONE_DOWN, plan->any, e);
    rc = rc ? rc : add_passes(g, &s, across.from, plane, e);
    scale_taps_free(&s.across);
    scale_taps_free(&s.down);
    return rc;
}
