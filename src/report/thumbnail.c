/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/thumbnail.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/colour.h"
#include "host/exact_math.h"
#include "host/text.h"

/* ---- sizes and samples ------------------------------------------------------------------------------------------- */

void thumbnail_fit(const assay_format *format, uint32_t width, uint32_t height, uint32_t size[2])
{
    const bool stretched = format->sar_num && format->sar_den;
    const double w = width * (stretched ? (double)format->sar_num / format->sar_den : 1), h = height;
    const double by_width = THUMBNAIL_WIDTH / w, by_height = THUMBNAIL_HEIGHT / h;
    double scale = by_width < by_height ? by_width : by_height;
    scale = scale < 1 ? scale : 1;
    size[0] = (uint32_t)(w * scale + 0.5);
    size[1] = (uint32_t)(h * scale + 0.5);
    for (unsigned i = 0; i < 2; i++)
        size[i] = size[i] ? size[i] : 1;
}

void thumbnail_reduce(uint32_t width, uint32_t height, const uint32_t most[2], uint32_t size[2])
{
    const uint32_t across = (width - 1) / most[0] + 1, down = (height - 1) / most[1] + 1;
    const uint32_t factor = across > down ? across : down;
    size[0] = (width - 1) / factor + 1;
    size[1] = (height - 1) / factor + 1;
}

/* A plane of samples and its size. */
struct samples {
    const char *at;
    ptrdiff_t stride;
    uint32_t width, height;
    bool wide; /* 2 bytes a sample */
};

static struct samples plane_of(const struct thumbnail *t, unsigned plane)
{
    return (struct samples){t->plane[plane], t->stride[plane], assay_format_plane_width(t->format, plane),
                            assay_format_plane_height(t->format, plane), t->format->bit_depth > 8};
}

static uint32_t sample(const struct samples *s, uint32_t x, uint32_t y)
{
    const char *row = s->at + (ptrdiff_t)y * s->stride;
    uint16_t v;
    if (!s->wide)
        return (unsigned char)row[x];
    memcpy(&v, row + 2 * (size_t)x, sizeof v);
    return v;
}

/* The samples from which one of n parts of `all` samples is made: at least one. */
static void part_of(uint32_t all, uint32_t n, uint32_t i, uint32_t range[2])
{
    range[0] = (uint32_t)((uint64_t)i * all / n);
    range[1] = (uint32_t)((uint64_t)(i + 1) * all / n);
    range[1] += range[1] == range[0];
}

static double mean_of(const struct samples *s, const uint32_t size[2], uint32_t x, uint32_t y)
{
    uint32_t across[2], down[2];
    uint64_t sum = 0;
    part_of(s->width, size[0], x, across);
    part_of(s->height, size[1], y, down);
    for (uint32_t v = down[0]; v < down[1]; v++)
        for (uint32_t u = across[0]; u < across[1]; u++)
            sum += sample(s, u, v);
    return (double)sum / ((double)(across[1] - across[0]) * (double)(down[1] - down[0]));
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

/* How the codes of a format are shown. */
struct shown {
    bool rgb, grey;        /* grey: luma alone, also where the matrix is not known */
    int matrix;            /* enum colour_matrix */
    bool limited;
    int transfer;          /* enum colour_transfer, or less than 0 */
    bool converted;        /* from other primaries, by to_709 */
    double to_709[9];
};

/* Pictures without a tag: those of 720 lines and more are of BT.709, smaller ones of BT.601, as players do. */
static struct shown rules_of(const assay_format *f)
{
    const int matrix = colour_matrix(f), range = colour_range(f), primaries = colour_primaries(f);
    struct shown s = {.rgb = f->layout == ASSAY_LAYOUT_RGB, .grey = assay_format_planes(f) < 3,
                      .transfer = colour_transfer(f)};
    s.matrix = matrix >= 0 ? matrix : f->height >= 720 ? MATRIX_709 : MATRIX_601;
    s.grey = s.grey || (!s.rgb && matrix == COLOUR_UNKNOWN);
    s.limited = range == ASSAY_RANGE_LIMITED || (range != ASSAY_RANGE_FULL && !s.rgb);
    if (!s.grey && primaries == PRIMARIES_MATRIX) {
        s.converted = true;
        memcpy(s.to_709, f->to_bt709, sizeof s.to_709);
    } else if (!s.grey && primaries > 0) {
        s.converted = primaries_to_bt709(&colour_chromaticities[primaries], s.to_709);
    }
    return s;
}

static double clip(double v)
{
    return v > 0 ? v < 1 ? v : 1 : 0;
}

static double pq_to_light(double v)
{
    static const double m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128, c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32,
                        c3 = 2392.0 / 4096 * 32;
    const double p = assay_pow(clip(v), 1 / m2), above = p - c1;
    return assay_pow((above > 0 ? above : 0) / (c2 - c3 * p), 1 / m1);
}

/* Light relative to white from a code from 0 to 1, and back. Of PQ, white is 203 cd/m2. */
static double to_light(const struct shown *s, double v)
{
    switch (s->transfer) {
    case TRANSFER_LINEAR: return v;
    case TRANSFER_PQ: return pq_to_light(v) * 10000 / 203;
    default: return assay_pow(clip(v), 2.4);
    }
}

/* Highlights of PQ are bent so that four times white is the brightest colour. */
static double from_light(const struct shown *s, double v)
{
    if (s->transfer == TRANSFER_PQ && v > 0)
        v = v * (1 + v / 16) / (1 + v);
    return assay_pow(clip(v), 1 / 2.4);
}

/* Codes of the planes, 0 to 2^depth - 1, to RGB from 0 to 1. */
static void to_rgb(const struct shown *s, const double code[3], double top, double rgb[3])
{
    const double unit = (top + 1) / 256, black = s->limited ? 16 * unit : 0;
    const double span = s->limited ? 219 * unit : top, chroma = s->limited ? 224 * unit : top;
    if (s->rgb || s->grey) {
        for (int i = 0; i < 3; i++)
            rgb[i] = (code[s->grey ? 0 : i] - black) / span;
        return;
    }
    const double kr = colour_luma[s->matrix][0], kb = colour_luma[s->matrix][1], y = (code[0] - black) / span;
    const double cb = (code[1] - 128 * unit) / chroma, cr = (code[2] - 128 * unit) / chroma;
    rgb[0] = y + 2 * (1 - kr) * cr;
    rgb[2] = y + 2 * (1 - kb) * cb;
    rgb[1] = (y - kr * rgb[0] - kb * rgb[2]) / (1 - kr - kb);
}

/* Light is only looked at where more than the codes decides what is seen. */
static void to_display(const struct shown *s, double rgb[3])
{
    double light[3];
    if (!s->converted && s->transfer != TRANSFER_PQ && s->transfer != TRANSFER_LINEAR)
        return;
    for (int i = 0; i < 3; i++)
        light[i] = to_light(s, rgb[i]);
    for (int i = 0; i < 3; i++)
        rgb[i] = from_light(s, s->converted ? s->to_709[3 * i] * light[0] + s->to_709[3 * i + 1] * light[1] +
                                                  s->to_709[3 * i + 2] * light[2]
                                            : light[i]);
}

void thumbnail_draw(const struct thumbnail *t, const uint32_t size[2], uint8_t *out)
{
    const struct shown rules = rules_of(t->format);
    const unsigned planes = rules.grey ? 1 : 3;
    const double top = (double)((1u << t->format->bit_depth) - 1);
    struct samples s[3];
    for (unsigned i = 0; i < planes; i++)
        s[i] = plane_of(t, i);
    for (uint32_t y = 0; y < size[1]; y++)
        for (uint32_t x = 0; x < size[0]; x++) {
            double code[3] = {0}, rgb[3];
            for (unsigned i = 0; i < planes; i++)
                code[i] = mean_of(&s[i], size, x, y);
            to_rgb(&rules, code, top, rgb);
            to_display(&rules, rgb);
            for (unsigned i = 0; i < 3; i++)
                *out++ = (uint8_t)(clip(rgb[i]) * 255 + 0.5);
        }
}

static void name_colours(const assay_format *f, char *text, size_t n)
{
    const struct shown s = rules_of(f);
    snprintf(text, n, "%s%s%s%s",
             s.rgb ? "RGB" : assay_format_planes(f) < 3 ? "grey" : s.grey ? "luma alone, as the matrix is not known"
                                                                          : colour_matrix_name[s.matrix],
             s.limited ? ", limited range" : ", full range", s.converted ? ", its primaries made those of sRGB" : "",
             s.transfer == TRANSFER_PQ ? ", PQ with its highlights bent to what a display of sRGB shows"
             : s.transfer == TRANSFER_HLG ? ", HLG as displays without HDR show it" : "");
}

void thumbnail_colours(const assay_format *reference, const assay_format *distorted, char *text, size_t n)
{
    char other[160];
    name_colours(reference, text, n);
    name_colours(distorted, other, sizeof other);
    if (strcmp(text, other))
        text_append(text, n, "; of the distorted side: %s", other);
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

/* The mean difference of one plane under a pixel, on the scale of 8 bits. */
static double difference_of(const struct samples s[2], const double top[2], const uint32_t size[2], uint32_t x,
                            uint32_t y)
{
    uint32_t across[2], down[2];
    double sum = 0;
    if (s[0].width != s[1].width || s[0].height != s[1].height || top[0] != top[1])
        return 255 * fabs(mean_of(&s[0], size, x, y) / top[0] - mean_of(&s[1], size, x, y) / top[1]);
    part_of(s[0].width, size[0], x, across);
    part_of(s[0].height, size[1], y, down);
    for (uint32_t v = down[0]; v < down[1]; v++)
        for (uint32_t u = across[0]; u < across[1]; u++)
            sum += fabs((double)sample(&s[0], u, v) - (double)sample(&s[1], u, v));
    return 255 / top[0] * sum / ((double)(across[1] - across[0]) * (double)(down[1] - down[0]));
}

/* Draws values in the colours of heatmaps. *full becomes the value that 99 of 100 pixels do not exceed, so that a few
 * large ones do not hide all others, or the largest value where that is 0. */
static int draw_values(const double *value, const uint32_t size[2], uint8_t *rgb, double *full, struct assay_error *e)
{
    const size_t n = (size_t)size[0] * size[1];
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return assay_fail_memory(e, "a small picture");
    memcpy(sorted, value, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, assay_ascending);
    *full = sorted[n * 99 / 100] > 0 ? sorted[n * 99 / 100] : sorted[n - 1];
    free(sorted);
    for (size_t i = 0; i < n; i++)
        heatmap_colour(value[i], *full, rgb + 3 * i);
    return ASSAY_OK;
}

int thumbnail_map(const struct heatmap *map, const uint32_t size[2], uint8_t *rgb, double *full, struct assay_error *e)
{
    double *value = calloc((size_t)size[0] * size[1], sizeof *value);
    if (!value)
        return assay_fail_memory(e, "a small picture");
    for (uint32_t y = 0; y < size[1]; y++)
        for (uint32_t x = 0; x < size[0]; x++) {
            uint32_t across[2], down[2];
            double sum = 0;
            part_of(map->width, size[0], x, across);
            part_of(map->height, size[1], y, down);
            for (uint32_t v = down[0]; v < down[1]; v++)
                for (uint32_t u = across[0]; u < across[1]; u++) {
                    const double at = heatmap_value(map, (size_t)v * map->width + u);
                    sum += at > 0 ? at : 0;
                }
            value[(size_t)y * size[0] + x] = sum / ((double)(across[1] - across[0]) * (double)(down[1] - down[0]));
        }
    const int rc = draw_values(value, size, rgb, full, e);
    free(value);
    return rc;
}

int thumbnail_difference(const struct thumbnail picture[2], const uint32_t size[2], uint8_t *rgb, double *full,
                         struct assay_error *e)
{
    const bool colours = picture[0].format->layout == ASSAY_LAYOUT_RGB && picture[1].format->layout == ASSAY_LAYOUT_RGB;
    const unsigned planes = colours ? 3 : 1;
    double *value = calloc((size_t)size[0] * size[1], sizeof *value), top[2];
    if (!value)
        return assay_fail_memory(e, "a small picture");
    for (unsigned side = 0; side < 2; side++)
        top[side] = (double)((1u << picture[side].format->bit_depth) - 1);
    for (unsigned i = 0; i < planes; i++) {
        const struct samples s[2] = {plane_of(&picture[0], i), plane_of(&picture[1], i)};
        for (uint32_t y = 0; y < size[1]; y++)
            for (uint32_t x = 0; x < size[0]; x++)
                value[(size_t)y * size[0] + x] += difference_of(s, top, size, x, y) / planes;
    }
    const int rc = draw_values(value, size, rgb, full, e);
    free(value);
    return rc;
}
