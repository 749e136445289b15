/* SPDX-License-Identifier: BSD-2-Clause */
/* What assay image prints for a person: the channels of one pair, or a line for each pair of two folders. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/image/image.h"
#include "host/text.h"

enum { CELL = 64, FIELDS = 6 };

static void number_text(const struct cli *c, char *text, double v)
{
    if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v)
        snprintf(text, CELL, "%lld", (long long)v);
    else if (c->precision == REPORT_SHORTEST)
        format_shortest(text, v);
    else
        format_fixed(text, v, c->precision == CLI_PRECISION_DEFAULT ? fabs(v) < 1.0 ? 6 : 3 : c->precision);
}

/* A figure as text, "-" where the pair has none. */
static void figure_text(const struct cli *c, char *text, const struct image_pair *p, const char *key)
{
    const double *v = image_figure(p, key);
    strcpy(text, "-");
    if (v && !(*v - *v == 0.0)) /* NaN and infinities */
        snprintf(text, CELL, "%s", *v > 0.0 ? "inf" : *v < 0.0 ? "-inf" : "nan");
    else if (v)
        number_text(c, text, *v);
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

/* Rows of cells, the first column to the left and the others to the right. */
struct grid {
    char (*cell)[CELL];
    uint32_t rows, columns;
};

static char *cell(struct grid *g, uint32_t row, uint32_t column)
{
    return g->cell[row * g->columns + column];
}

static void print_grid(struct grid *g, FILE *out)
{
    int width[FIELDS] = {0};
    for (uint32_t i = 0; i < g->rows * g->columns; i++) {
        const int n = (int)strlen(g->cell[i]);
        text_plain(g->cell[i]);
        width[i % g->columns] = n > width[i % g->columns] ? n : width[i % g->columns];
    }
    for (uint32_t row = 0; row < g->rows; row++)
        for (uint32_t i = 0; i < g->columns; i++)
            fprintf(out, i ? "  %*s%s" : "%-*s%s", width[i], cell(g, row, i), i + 1 == g->columns ? "\n" : "");
}

/* ---- two files --------------------------------------------------------------------------------------------------- */

/* One line per channel, then the figures of the user's metrics. */
static void print_channels(const struct image_run *r, const struct image_pair *p, FILE *out)
{
    static const char *const components[2][3] = {{"y", "cb", "cr"}, {"r", "g", "b"}};
    const bool rgb = p->format.layout == ASSAY_LAYOUT_RGB;
    const uint32_t planes = assay_format_planes(&p->format);
    enum { ROWS = 6 };
    static const char *const titles[FIELDS] = {"channel", "mse", "psnr", "max_diff", "at", "differ"};
    char cells[ROWS * FIELDS][CELL] = {{0}};
    struct grid g = {.cell = cells, .columns = FIELDS, .rows = 1};
    for (uint32_t i = 0; i < FIELDS; i++)
        strcpy(cells[i], titles[i]);
    /* The channels, all of them as one, and alpha. */
    for (uint32_t i = 0; i <= planes + p->alpha; i++) {
        const bool single = i < planes, alpha = i > planes;
        const char *tail = single ? components[rgb][i] : "", *prefix = alpha ? "alpha_" : "", *line = single ? "_" : "";
        char key[CELL];
        if (single && planes == 1)
            continue; /* equal to the row of all channels */
        const uint32_t row = g.rows++;
        strcpy(cell(&g, row, 0), single ? tail : alpha ? "alpha" : planes == 1 ? "grey" : rgb ? "rgb" : "yuv");
        snprintf(key, sizeof key, "%smse%s%s", prefix, line, tail);
        figure_text(r->cli, cell(&g, row, 1), p, key);
        snprintf(key, sizeof key, "%spsnr%s%s", prefix, line, tail);
        figure_text(r->cli, cell(&g, row, 2), p, key);
        snprintf(key, sizeof key, "%smax_diff%s%s", prefix, line, tail);
        figure_text(r->cli, cell(&g, row, 3), p, key);
        if (!single)
            place_text(cell(&g, row, 4), p, prefix);
        snprintf(key, sizeof key, single ? "diff_samples_%s%s" : "%sdiff_pixels%s", single ? "" : prefix, tail);
        figure_text(r->cli, cell(&g, row, 5), p, key);
    }
    print_grid(&g, out);
    for (uint32_t i = p->first_other; i < p->first_alpha; i++) {
        char text[CELL];
        figure_text(r->cli, text, p, p->key[i]);
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

void image_print(const struct image_run *r, FILE *out)
{
    const struct image_pair *p = &r->pair[0];
    char format[32], text[700];
    snprintf(text, sizeof text, "%s against %s: %ux%u %s%s: %s", r->cli->q.path[1], r->cli->q.path[0], p->format.width,
             p->format.height, input_format_name(&p->format, format), p->alpha ? " with alpha" : "",
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
    {"psnr", "psnr", 7}, {"max_diff", "max_diff", 8}, {"at", NULL, 9}, {"differ", "diff_pixels", 8},
    {"alpha", "alpha_max_diff", 5},
};
enum { COLUMNS = sizeof columns / sizeof columns[0], VALUE_WIDTH = 9, BITS_WIDTH = 7 };

static int key_width(const char *key)
{
    const int n = (int)strlen(key);
    return n > VALUE_WIDTH ? n : VALUE_WIDTH;
}

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

static void print_titles(struct image_rows *t, const struct image_pair *p, FILE *out)
{
    int end = fprintf(out, "%-7s", "result");
    for (uint32_t i = 0; i < COLUMNS; i++)
        end += fprintf(out, "  %*s", columns[i].width, columns[i].title);
    end += fprintf(out, "  %*s", BITS_WIDTH, "bits/px");
    t->shaped = p;
    t->columns = p->first_alpha - p->first_other;
    for (uint32_t i = 0; i < t->columns; i++)
        end += 2 + key_width(p->key[p->first_other + i]);
    if (end > COLUMNS_END)
        t->columns = 0;
    for (uint32_t i = 0; i < t->columns; i++) {
        const char *key = p->key[p->first_other + i];
        fprintf(out, "  %*s", key_width(key), key);
    }
    fputs("  image\n", out);
}

static void print_others(const struct cli *c, const struct image_pair *p, FILE *out)
{
    char value[CELL];
    int at = 0;
    for (uint32_t i = p->first_other; i < p->first_alpha; i++) {
        figure_text(c, value, p, p->key[i]);
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

void image_print_row(struct image_rows *t, const struct cli *c, const struct image_pair *p, FILE *out)
{
    char text[CELL], name[300];
    if (!t->shaped || (!p->code && !same_others(t->shaped, p)))
        print_titles(t, p, out);
    fprintf(out, "%-7s", image_result(c, p));
    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (columns[i].key)
            figure_text(c, text, p, columns[i].key);
        else
            place_text(text, p, "");
        fprintf(out, "  %*s", columns[i].width, text);
    }
    strcpy(text, "-");
    if (!p->code && p->bytes[1])
        format_fixed(text, image_bits_per_pixel(p, 1), 3);
    fprintf(out, "  %*s", BITS_WIDTH, text);
    for (uint32_t i = 0; i < t->columns; i++) {
        const char *key = t->shaped->key[t->shaped->first_other + i];
        figure_text(c, text, p, key);
        fprintf(out, "  %*s", key_width(key), text);
    }
    snprintf(name, sizeof name, "%s", p->name);
    text_plain(name);
    fprintf(out, "  %s\n", name);
    if (!t->columns)
        print_others(c, p, out);
    fflush(out); /* each line is seen at once, on a terminal and through a pipe */
}

static void print_path(const char *what, const char *folder, const char *name, const char *why, FILE *out)
{
    char path[600];
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    text_plain(path);
    fprintf(out, "%s: %s%s%s%s\n", what, path, *why ? " (" : "", why, *why ? ")" : "");
}

void image_print_end(const struct image_run *r, FILE *out)
{
    const struct image_count n = image_count(r);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < r->alone[side]; i++)
            print_path("no partner", r->cli->q.path[side], r->only[side][i], "", out);
    for (uint32_t i = 0; i < r->lefts; i++)
        print_path("left out", "", r->left[i].path, r->left[i].why, out);
    fprintf(out, "%u", r->done);
    if (r->done < r->pairs)
        fprintf(out, " of %u", r->pairs);
    fprintf(out, " pair%s: %u equal, %u differ, %u failed, %u error%s, %u unpaired, %u left out\n",
            r->pairs == 1 ? "" : "s", n.equal, n.differ, n.failed, n.errors, n.errors == 1 ? "" : "s", n.unpaired,
            r->lefts);
    if (n.worst && isfinite(n.psnr)) {
        char name[300], psnr[NUMBER_TEXT_SIZE];
        snprintf(name, sizeof name, "%s", n.worst->name);
        text_plain(name);
        format_fixed(psnr, n.psnr, 3);
        fprintf(out, "worst: %s (psnr %s)\n", name, psnr);
    }
}
