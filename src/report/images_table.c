/* SPDX-License-Identifier: BSD-2-Clause */
/* What is printed of pairs of images: the channels of one, or a line for each pair of two folders. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host/text.h"
#include "report/images.h"
#include "report/reporter.h"

enum { CELL = 64 };

/* A figure as text, "-" where the pair has none. */
static void figure_text(const struct images *r, char *text, const struct image_pair *p, const char *key)
{
    const double *v = image_figure(p, key);
    strcpy(text, "-");
    if (v && *v > -1e15 && *v < 1e15 && *v == (double)(int64_t)*v)
        snprintf(text, CELL, "%lld", (long long)*v);
    else if (v)
        report_number(text, *v, 0, r->precision != REPORT_DEFAULT ? r->precision : fabs(*v) < 1.0 ? 6 : 3);
}

static void place_text(char *text, const struct image_pair *p, const char *prefix)
{
    char x[CELL], y[CELL];
    snprintf(x, sizeof x, "%smax_diff_at_x", prefix);
    snprintf(y, sizeof y, "%smax_diff_at_y", prefix);
    const double *at_x = image_figure(p, x), *at_y = image_figure(p, y);
    strcpy(text, "-");
    if (at_x && at_y && p->differs)
        snprintf(text, CELL, "%.0f,%.0f", *at_x, *at_y);
}

/* ---- two files --------------------------------------------------------------------------------------------------- */

/* The line of a channel, of all of them as one (i is `planes`), or of alpha. */
static void put_channel(struct grid *g, const struct images *r, const struct image_pair *p, uint32_t i)
{
    static const char *const components[2][3] = {{"y", "cb", "cr"}, {"r", "g", "b"}};
    const bool rgb = p->format.layout == ASSAY_LAYOUT_RGB;
    const uint32_t planes = assay_format_planes(&p->format);
    const bool single = i < planes, alpha = i > planes;
    const char *tail = single ? components[rgb][i] : "", *prefix = alpha ? "alpha_" : "", *line = single ? "_" : "";
    char key[4][CELL], text[CELL] = "";
    snprintf(key[0], CELL, "%smse%s%s", prefix, line, tail);
    snprintf(key[1], CELL, "%spsnr%s%s", prefix, line, tail);
    snprintf(key[2], CELL, "%smax_diff%s%s", prefix, line, tail);
    snprintf(key[3], CELL, single ? "diff_samples_%s%s" : "%sdiff_pixels%s", single ? "" : prefix, tail);
    grid_cell(g, single ? tail : alpha ? "alpha" : planes == 1 ? "grey" : rgb ? "rgb" : "yuv");
    for (unsigned k = 0; k < 4; k++) {
        if (k == 3) {
            text[0] = '\0';
            if (!single)
                place_text(text, p, prefix);
            grid_cell(g, text);
        }
        figure_text(r, text, p, key[k]);
        grid_cell(g, text);
    }
    grid_end(g);
}

/* One line per channel, then the figures of the user's metrics. */
static void print_channels(const struct images *r, const struct image_pair *p, FILE *out)
{
    static const char *const titles[] = {"channel", "mse", "psnr", "max_diff", "at", "differ"};
    enum { FIELDS = sizeof titles / sizeof titles[0] };
    const uint32_t planes = assay_format_planes(&p->format);
    struct grid_column column[FIELDS];
    struct sink s = {.file = out};
    grid_columns(column, FIELDS);
    for (unsigned pass = 0; pass < 2; pass++) {
        struct grid g = {.out = pass ? &s : NULL, .column = column};
        for (uint32_t i = 0; i < FIELDS; i++)
            grid_cell(&g, titles[i]);
        grid_end(&g);
        for (uint32_t i = planes > 1 ? 0 : 1; i <= planes + p->alpha; i++) /* a single one is that of all channels */
            put_channel(&g, r, p, i);
    }
    for (uint32_t i = p->first_other; i < p->first_alpha; i++) {
        char text[CELL];
        figure_text(r, text, p, p->key[i]);
        fprintf(out, "%s  %s\n", p->key[i], text);
    }
}

/* "bytes  12345 against 67890, 1.286 against 7.072 bits per pixel" */
static void print_sizes(const struct image_pair *p, FILE *out)
{
    char bits[2][NUMBER_TEXT_SIZE];
    for (unsigned side = 0; side < 2; side++)
        format_fixed(bits[side], image_bits_per_pixel(p, side), 3);
    if (p->bytes[0] && p->bytes[1])
        fprintf(out, "bytes  %" PRIu64 " against %" PRIu64 ": %s against %s bits per pixel\n", p->bytes[1], p->bytes[0],
                bits[1], bits[0]);
}

void images_print(const struct images *r, FILE *out)
{
    const struct image_pair *p = &r->pair[0];
    char kind[IMAGE_KIND], text[700];
    snprintf(text, sizeof text, "%s against %s: %s: %s", r->path[1], r->path[0], image_kind(kind, p),
             p->differs ? "they differ" : "equal");
    text_plain(text);
    fprintf(out, "%s\n", text);
    print_channels(r, p, out);
    print_sizes(p, out);
}

/* ---- two folders ------------------------------------------------------------------------------------------------- */

/* A row begins with the result and ends with the file's name, which may have any length. Columns of other metrics are
 * before the name if they end by column COLUMNS_END, else in lines of their own of at most LINE characters. */
enum { LINE = 80, COLUMNS_END = 76, INDENT = 9 };
static const struct { const char *title, *key; int width; } columns[] = {
    {"result", NULL, 7}, {"psnr", "psnr", 7}, {"max_diff", "max_diff", 8}, {"at", NULL, 9},
    {"differ", "diff_pixels", 8}, {"alpha", "alpha_max_diff", 5}, {"bits/px", NULL, 7},
};
enum { COLUMNS = sizeof columns / sizeof columns[0], COLUMN_AT = 3, VALUE_WIDTH = 9 };

static bool same_others(const struct image_pair *a, const struct image_pair *b)
{
    const uint32_t n = a->first_alpha - a->first_other;
    if (n != b->first_alpha - b->first_other)
        return false;
    for (uint32_t i = 0; i < n; i++) /* the run has one copy of each name */
        if (a->key[a->first_other + i] != b->key[b->first_other + i])
            return false;
    return true;
}

static void print_titles(struct image_rows *t, const struct image_pair *p, struct sink *out)
{
    struct grid g = {.out = out, .column = t->column};
    const uint32_t others = p->first_alpha - p->first_other;
    t->shaped = p;
    t->others = others < IMAGE_OTHERS ? others : 0;
    grid_columns(t->column, COLUMNS + IMAGE_OTHERS);
    for (uint32_t i = 0; i < COLUMNS; i++)
        t->column[i].width = columns[i].width;
    for (uint32_t i = 0; i < t->others; i++) {
        const int n = (int)strlen(p->key[p->first_other + i]);
        t->column[COLUMNS + i].width = n > VALUE_WIDTH ? n : VALUE_WIDTH;
    }
    if (grid_width(t->column, COLUMNS + t->others) > COLUMNS_END)
        t->others = 0;
    t->column[COLUMNS + t->others].width = 1; /* the name has what it needs */
    for (uint32_t i = 0; i < COLUMNS + t->others; i++)
        grid_cell(&g, i < COLUMNS ? columns[i].title : p->key[p->first_other + i - COLUMNS]);
    grid_cell(&g, "image");
    grid_end(&g);
}

static void print_others(const struct images *r, const struct image_pair *p, FILE *out)
{
    char value[CELL];
    int at = 0;
    for (uint32_t i = p->first_other; i < p->first_alpha; i++) {
        figure_text(r, value, p, p->key[i]);
        const int n = (int)(strlen(p->key[i]) + 1 + strlen(value));
        if (at && at + 2 + n > LINE) {
            fputc('\n', out);
            at = 0;
        }
        at += fprintf(out, "%*s%s %s", at ? 2 : INDENT, "", p->key[i], value);
    }
    if (at)
        fputc('\n', out);
}

void images_print_row(struct image_rows *t, const struct images *r, const struct image_pair *p, FILE *out)
{
    char text[CELL];
    struct sink s = {.file = out};
    struct grid g = {.out = &s, .column = t->column};
    if (!t->shaped || (!p->code && !same_others(t->shaped, p)))
        print_titles(t, p, &s);
    grid_cell(&g, image_result(r, p));
    for (uint32_t i = 1; i < COLUMNS; i++) {
        strcpy(text, "-");
        if (columns[i].key)
            figure_text(r, text, p, columns[i].key);
        else if (i == COLUMN_AT)
            place_text(text, p, "");
        else if (!p->code && p->bytes[1])
            format_fixed(text, image_bits_per_pixel(p, 1), 3);
        grid_cell(&g, text);
    }
    for (uint32_t i = 0; i < t->others; i++) {
        figure_text(r, text, p, t->shaped->key[t->shaped->first_other + i]);
        grid_cell(&g, text);
    }
    grid_cell(&g, p->name);
    grid_end(&g);
    if (!t->others)
        print_others(r, p, out);
    fflush(out); /* each line is seen at once, on a terminal and through a pipe */
}

static void print_path(const char *what, const char *folder, const char *name, const char *why, FILE *out)
{
    char path[600];
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    text_plain(path);
    fprintf(out, "%s: %s%s%s%s\n", what, path, *why ? " (" : "", why, *why ? ")" : "");
}

void images_print_end(const struct images *r, FILE *out)
{
    const struct image_count n = image_count(r);
    char counts[IMAGE_COUNTS];
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < r->alone[side]; i++)
            print_path("no partner", r->path[side], r->only[side][i], "", out);
    for (uint32_t i = 0; i < r->lefts; i++)
        print_path("left out", "", r->left[i].path, r->left[i].why, out);
    image_counts_text(r, counts);
    fprintf(out, "%u", r->done);
    if (r->done < r->pairs)
        fprintf(out, " of %u", r->pairs);
    fprintf(out, " pair%s: %s\n", r->pairs == 1 ? "" : "s", counts);
    if (n.worst && isfinite(n.psnr)) {
        char name[300], psnr[NUMBER_TEXT_SIZE];
        snprintf(name, sizeof name, "%s", n.worst->name);
        text_plain(name);
        format_fixed(psnr, n.psnr, 3);
        fprintf(out, "worst: %s (psnr %s)\n", name, psnr);
    }
}
