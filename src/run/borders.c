/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/borders.h"

#include "host/colour.h"
#include "host/text.h"

/* Above the code of black, in codes of 8 bits. A row or column is black while its mean and its largest sample are at
 * most these: noise of a few codes and the ringing of a coder stay below. It is picture where one of them is above
 * PICTURE_*: what lies between is neither, so that a dark scene which is coded a little brighter makes no border. */
enum { BLACK_MEAN = 3, BLACK_MOST = 20, PICTURE_MEAN = 12, PICTURE_MOST = 64 };
enum { SAMPLED_ROWS = 128, /* of a column, about: columns lie apart in memory */
       LEAST = 2,          /* rows or columns by which borders differ */
       BLOCK = 16, FILTERED = 4 }; /* of coders: how far a block and the filter at its edge smear a picture */

struct luma {
    const char *samples;
    ptrdiff_t stride;
    uint32_t width, height, zero, unit; /* the code of black, and how much a code of 8 bits is */
    unsigned size; /* bytes of a sample */
};

struct line {
    uint64_t sum;
    uint32_t n, most;
};

static bool below(const struct luma *l, const struct line *line, uint32_t mean, uint32_t most)
{
    return line->sum <= (uint64_t)line->n * (l->zero + mean * l->unit) && line->most <= l->zero + most * l->unit;
}

/* Samples from (x, y) on, each `apart` bytes behind the one before. */
static struct line line_of(const struct luma *l, uint32_t x, uint32_t y, uint32_t n, ptrdiff_t apart)
{
    struct line line = {.n = n};
    const char *first = l->samples + (ptrdiff_t)y * l->stride + (ptrdiff_t)x * l->size;
    for (uint32_t i = 0; i < n; i++) {
        const char *at = first + i * apart;
        const uint32_t v = l->size > 1 ? *(const uint16_t *)(const void *)at : *(const uint8_t *)(const void *)at;
        line.sum += v;
        line.most = v > line.most ? v : line.most;
    }
    return line;
}

/* Counts lines of one edge inwards, where the first `i` lines are known to count. Columns are those of rows
 * [top, end). */
static uint32_t count(const struct luma *l, enum border_edge edge, uint32_t i, uint32_t top, uint32_t end,
                      uint32_t mean, uint32_t most)
{
    const bool rows = edge == EDGE_TOP || edge == EDGE_BOTTOM, behind = edge == EDGE_BOTTOM || edge == EDGE_RIGHT;
    const uint32_t all = rows ? l->height : l->width, step = (end - top) / SAMPLED_ROWS + 1;
    for (; i < all; i++) {
        const uint32_t at = behind ? all - 1 - i : i;
        const struct line line = rows ? line_of(l, 0, at, l->width, l->size)
                                      : line_of(l, at, top, (end - top + step - 1) / step, step * l->stride);
        if (!below(l, &line, mean, most))
            return i;
    }
    return all;
}

/* `edge` holds lines that are known to count. */
static void count_edges(const struct luma *l, uint32_t mean, uint32_t most, uint32_t edge[EDGES])
{
    for (unsigned i = 0; i < EDGES && edge[EDGE_TOP] < l->height; i++)
        edge[i] = count(l, (enum border_edge)i, edge[i], edge[EDGE_TOP], l->height - edge[EDGE_BOTTOM], mean, most);
    if (edge[EDGE_TOP] == l->height)
        edge[EDGE_BOTTOM] = l->height;
}

static void keep_least(uint32_t least[EDGES], const uint32_t edge[EDGES])
{
    for (unsigned i = 0; i < EDGES; i++)
        least[i] = edge[i] < least[i] ? edge[i] : least[i];
}

/* Finds the borders of a picture, of plane 0 or, of RGB, of all three planes. */
static void border_find(struct border *b, const assay_format *f, const assay_buffer *picture)
{
    const bool rgb = f->layout == ASSAY_LAYOUT_RGB, full = colour_range(f) == ASSAY_RANGE_FULL;
    const uint32_t unit = 1u << (f->bit_depth - 8);
    for (unsigned i = 0; i < EDGES; i++)
        b->black[i] = b->dark[i] = UINT32_MAX;
    for (unsigned i = 0; i < (rgb ? 3 : 1); i++) {
        const struct luma l = {picture->plane[i], picture->stride[i], f->width, f->height, full ? 0 : 16 * unit, unit,
                               f->bit_depth > 8 ? 2 : 1};
        if (!l.samples)
            return;
        uint32_t edge[EDGES] = {0};
        count_edges(&l, BLACK_MEAN, BLACK_MOST, edge);
        keep_least(b->black, edge);
        count_edges(&l, PICTURE_MEAN, PICTURE_MOST, edge);
        keep_least(b->dark, edge);
    }
    b->seen = b->dark[EDGE_TOP] < f->height;
}

void borders_look(struct borders *b, const struct pair *p, unsigned side, uint64_t picture, const assay_buffer *of)
{
    const struct source *s = &p->source[side];
    unsigned look = 0;
    uint64_t at = 0;
    for (; at < picture && look + 1 < BORDER_LOOKS; look++)
        at = 3 * at + 2;
    if (at != picture || s->input->on_device || s->unread[0])
        return;
    border_find(&b->look[look], pair_side(p, side), of);
}

/* The least of all pictures that were seen on both sides. False: there are none. */
static bool common(const struct borders *const b[2], struct border least[2])
{
    bool any = false;
    for (unsigned i = 0; i < BORDER_LOOKS; i++) {
        if (!b[0]->look[i].seen || !b[1]->look[i].seen)
            continue;
        for (unsigned side = 0; side < 2; side++) {
            least[side] = any ? least[side] : b[side]->look[i];
            keep_least(least[side].black, b[side]->look[i].black);
            keep_least(least[side].dark, b[side]->look[i].dark);
        }
        any = true;
    }
    return any;
}

/* Whether a coder may have made the reference's border the smaller one that the distorted side has: at low rates the
 * block in which the picture begins has one brightness. */
static bool is_smeared(uint64_t expected, uint64_t found)
{
    const uint64_t block = expected / BLOCK * BLOCK;
    return found && found + FILTERED >= block;
}

/* Whether one side is black where the other one clearly is picture, for LEAST lines of the smaller picture. The two
 * have two sizes where one is scaled. */
static bool edge_differs(const struct pair *p, const struct border least[2], unsigned edge)
{
    const assay_format *f[2] = {pair_side(p, 0), pair_side(p, 1)};
    uint64_t whole[2];
    for (unsigned side = 0; side < 2; side++)
        whole[side] = edge == EDGE_TOP || edge == EDGE_BOTTOM ? f[side]->height : f[side]->width;
    const uint64_t margin = LEAST * (whole[0] > whole[1] ? whole[0] : whole[1]);
    for (unsigned side = 0; side < 2; side++)
        if (least[side].black[edge] * whole[1 - side] >= least[1 - side].dark[edge] * whole[side] + margin &&
            (side || !is_smeared(least[0].black[edge] * whole[1] / whole[0], least[1].dark[edge])))
            return true;
    return false;
}

/* "top 140, bottom 140" or "none" */
static bool name_borders(char *text, size_t size, const struct border *b)
{
    static const char *const word[EDGES] = {"top", "bottom", "left", "right"};
    text[0] = 0;
    for (unsigned i = 0; i < EDGES; i++)
        if (b->black[i])
            text_append(text, size, "%s%s %u", *text ? ", " : "", word[i], b->black[i]);
    if (*text)
        return true;
    snprintf(text, size, "none");
    return false;
}

/* The crop that leaves out a side's borders, but for less than a sample of chroma. */
static void name_crop(char *text, size_t size, const struct pair *p, unsigned side, const struct border *b)
{
    const assay_format *f = pair_side(p, side);
    const struct input *in = p->source[side].input;
    assay_format whole = in->format;
    struct input_crop crop = {f->width - b->black[EDGE_LEFT] - b->black[EDGE_RIGHT],
                              f->height - b->black[EDGE_TOP] - b->black[EDGE_BOTTOM],
                              in->crop.left + b->black[EDGE_LEFT], in->crop.top + b->black[EDGE_TOP]};
    char part[48];
    whole.width = in->whole_width;
    whole.height = in->whole_height;
    input_crop_widen(&whole, &crop);
    crop_text(part, sizeof part, &crop);
    snprintf(text, size, " %s %s", crop_name[side], part);
}

bool borders_differ(const struct borders *ref, const struct borders *dis, const struct request *q, const struct pair *p,
                    char *text, size_t size)
{
    struct border least[2];
    char borders[2][96], crop[2][80] = {"", ""};
    bool differ = false;
    if (!common((const struct borders *[]){ref, dis}, least))
        return false;
    for (unsigned edge = 0; edge < EDGES; edge++)
        differ = differ || edge_differs(p, least, edge);
    for (unsigned side = 0; differ && side < 2; side++)
        if (name_borders(borders[side], sizeof borders[side], &least[side]) && !q->libvmaf)
            name_crop(crop[side], sizeof crop[side], p, side, &least[side]);
    if (differ)
        snprintf(text, size, "black borders differ: %s has %s, %s has %s%s%s%s", p->source[0].input->name, borders[0],
                 p->source[1].input->name, borders[1], crop[0][0] || crop[1][0] ? "; without them:" : "", crop[0],
                 crop[1]);
    return differ;
}
