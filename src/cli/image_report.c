/* SPDX-License-Identifier: BSD-2-Clause */
/* What assay image says: a table, gates, JSON. */
#include <stdlib.h>
#include <string.h>

#include "cli/image.h"
#include "report/sink.h"

const double *image_figure(const struct image_pair *p, const char *key)
{
    for (uint32_t i = 0; i < p->figures; i++)
        if (!strcmp(p->key[i], key))
            return &p->value[i];
    return NULL;
}

/* ---- gates ---- */

/* Images without alpha are opaque alike, and pass what is asked of it. */
static bool about_missing_alpha(const struct image_pair *p, const struct gate *g)
{
    return !p->alpha && !strncmp(g->key, "alpha_", 6);
}

int image_gates(const struct cli *c, struct image_pair *p, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->gates; i++) {
        const struct gate *g = &c->gate[i];
        if (about_missing_alpha(p, g))
            continue;
        const int rc = gates_validate(g, 1, 0, NULL, p->figures, p->key, e);
        if (rc)
            return rc;
        p->failed = p->failed || !gate_passes(g, *image_figure(p, g->key));
    }
    return ASSAY_OK;
}

void image_print_gates(const struct image_run *r, FILE *out)
{
    const struct cli *c = r->cli;
    for (uint32_t i = 0; i < r->pairs; i++) {
        const struct image_pair *p = &r->pair[i];
        char where[300] = "";
        if (r->folders)
            snprintf(where, sizeof where, "%s: ", p->name);
        for (uint32_t k = 0; !p->code && k < c->gates; k++) {
            const double *v = image_figure(p, c->gate[k].key);
            if (v && (!r->folders || !gate_passes(&c->gate[k], *v))) /* of a folder, those that fail */
                gate_print(out, &c->gate[k], where, *v);
        }
    }
}

/* ---- the table ---- */

enum { CELL = 64, COLUMNS_MOST = 24 };

/* Text that comes from outside must not steer the terminal. */
static void plain(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

static void number_text(const struct cli *c, char *text, double v)
{
    if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v)
        snprintf(text, CELL, "%lld", (long long)v);
    else if (c->precision == REPORT_SHORTEST)
        format_shortest(text, v);
    else
        format_fixed(text, v, c->precision == CLI_PRECISION_DEFAULT ? v < 1.0 ? 6 : 3 : c->precision);
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
    if (at_x && at_y)
        snprintf(text, CELL, "%.0f,%.0f", *at_x, *at_y);
}

static const char *verdict(const struct cli *c, const struct image_pair *p)
{
    return p->code ? "error" : p->failed ? "FAIL" : c->gates ? "pass" : p->differs ? "differs" : "equal";
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
    int width[COLUMNS_MOST] = {0};
    for (uint32_t i = 0; i < g->rows * g->columns; i++) {
        const int n = (int)strlen(g->cell[i]);
        plain(g->cell[i]);
        width[i % g->columns] = n > width[i % g->columns] ? n : width[i % g->columns];
    }
    for (uint32_t row = 0; row < g->rows; row++)
        for (uint32_t i = 0; i < g->columns; i++)
            fprintf(out, i ? "  %*s%s" : "%-*s%s", width[i], cell(g, row, i), i + 1 == g->columns ? "\n" : "");
}

/* One line per pair. */
static void print_folders(const struct image_run *r, FILE *out)
{
    static const char *const titles[] = {"image", "size", "mse", "psnr", "max_diff", "at", "diff_pixels",
                                         "alpha_max_diff"};
    enum { FIXED = sizeof titles / sizeof titles[0], RESULT = 1 };
    const struct image_pair *sample = NULL; /* other metrics' columns */
    for (uint32_t i = 0; !sample && i < r->pairs; i++)
        sample = r->pair[i].code ? NULL : &r->pair[i];
    uint32_t others = sample ? sample->first_alpha - sample->first_other : 0;
    others = others > COLUMNS_MOST - FIXED - RESULT ? COLUMNS_MOST - FIXED - RESULT : others;
    struct grid g = {.rows = r->pairs + 1, .columns = FIXED + others + RESULT};
    g.cell = calloc((size_t)g.rows * g.columns, CELL);
    if (!g.cell) {
        fprintf(out, "%u pairs; there is no memory for the table\n", r->pairs);
        return;
    }
    for (uint32_t i = 0; i < FIXED; i++)
        strcpy(cell(&g, 0, i), titles[i]);
    for (uint32_t i = 0; i < others; i++)
        snprintf(cell(&g, 0, FIXED + i), CELL, "%s", sample->key[sample->first_other + i]);
    strcpy(cell(&g, 0, g.columns - 1), "result");
    for (uint32_t row = 1; row < g.rows; row++) {
        const struct image_pair *p = &r->pair[row - 1];
        snprintf(cell(&g, row, 0), CELL, "%s", p->name);
        snprintf(cell(&g, row, 1), CELL, "%ux%u", p->format.width, p->format.height);
        for (uint32_t i = 2; i < FIXED; i++)
            figure_text(r->cli, cell(&g, row, i), p, titles[i]);
        place_text(cell(&g, row, 5), p, "");
        for (uint32_t i = 0; i < others; i++)
            figure_text(r->cli, cell(&g, row, FIXED + i), p, sample->key[sample->first_other + i]);
        strcpy(cell(&g, row, g.columns - 1), verdict(r->cli, p));
    }
    print_grid(&g, out);
    free(g.cell);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < r->alone[side]; i++) {
            char name[300];
            snprintf(name, sizeof name, "%s/%s", r->cli->path[side], r->only[side][i]);
            plain(name);
            fprintf(out, "no partner: %s\n", name);
        }
}

/* One line per channel, then what other metrics say. */
static void print_channels(const struct image_run *r, const struct image_pair *p, FILE *out)
{
    static const char *const components[2][3] = {{"y", "cb", "cr"}, {"r", "g", "b"}};
    const bool rgb = p->format.layout == ASSAY_LAYOUT_RGB;
    const uint32_t planes = assay_format_planes(&p->format);
    enum { ROWS = 6, FIELDS = 6 };
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
            continue; /* the same as all of them */
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

void image_print(const struct image_run *r, FILE *out)
{
    if (r->folders) {
        print_folders(r, out);
        return;
    }
    const struct image_pair *p = &r->pair[0];
    char format[32], text[700];
    snprintf(text, sizeof text, "%s against %s: %ux%u %s%s: %s", r->cli->path[1], r->cli->path[0], p->format.width,
             p->format.height, input_format_name(&p->format, format), p->alpha ? " with alpha" : "",
             p->differs ? "they differ" : "equal");
    plain(text);
    fprintf(out, "%s\n", text);
    print_channels(r, p, out);
}

/* ---- JSON ---- */

static void json_pair(struct sink *s, const struct image_run *r, const struct image_pair *p)
{
    static const char *const side[2] = {"reference", "distorted"};
    char format[32], name[32];
    sink_json_member(s, "    {\n      ", "name", p->name);
    sink_json_member(s, ",\n      ", "result", verdict(r->cli, p));
    for (unsigned i = 0; i < 2; i++) {
        sink_json_member(s, ",\n      ", side[i], p->path[i]);
        if (p->code)
            continue;
        snprintf(name, sizeof name, "%s_reader", side[i]);
        sink_json_member(s, ",\n      ", name, p->reader[i]);
        snprintf(name, sizeof name, "%s_colour", side[i]);
        sink_json_member(s, ",\n      ", name, p->colour[i]);
    }
    if (p->code) {
        sink_json_member(s, ",\n      ", "error", p->error);
        sink_format(s, ",\n      \"code\": %d\n    }", -p->code);
        return;
    }
    sink_format(s, ",\n      \"width\": %u,\n      \"height\": %u", p->format.width, p->format.height);
    sink_json_member(s, ",\n      ", "format", input_format_name(&p->format, format));
    sink_format(s, ",\n      \"alpha\": %s,\n      \"heatmap\": %s,\n      \"metrics\": {", p->alpha ? "true" : "false",
                p->drawn ? "true" : "false");
    for (uint32_t i = 0; i < p->figures; i++) {
        sink_format(s, "%s\n        \"%s\": ", i ? "," : "", p->key[i]);
        sink_json_number(s, p->value[i], r->cli->precision == CLI_PRECISION_DEFAULT ? 6 : r->cli->precision);
    }
    sink_text(s, "\n      }\n    }");
}

static void json_names(struct sink *s, const char *name, char *const *list, uint32_t n)
{
    sink_format(s, "    \"%s\": [", name);
    for (uint32_t i = 0; i < n; i++) {
        sink_text(s, i ? ", " : "");
        sink_json_string(s, list[i]);
    }
    sink_text(s, "]");
}

int image_json(const struct image_run *r, const char *path, struct assay_error *e)
{
    struct sink s;
    const int rc = sink_open(&s, path, e);
    if (rc)
        return rc;
    sink_format(&s, "{\n  \"version\": \"assay %s\"", assay_version());
    sink_json_member(&s, ",\n  ", "configuration", r->configuration ? r->configuration : "");
    sink_json_member(&s, ",\n  ", "backend", r->backend);
    sink_json_member(&s, ",\n  ", "device", r->device);
    sink_json_member(&s, ",\n  ", "driver", r->driver);
    sink_text(&s, ",\n  \"unpaired\": {\n");
    json_names(&s, "reference", r->only[0], r->alone[0]);
    sink_text(&s, ",\n");
    json_names(&s, "distorted", r->only[1], r->alone[1]);
    sink_text(&s, "\n  },\n  \"pairs\": [\n");
    for (uint32_t i = 0; i < r->pairs; i++) {
        json_pair(&s, r, &r->pair[i]);
        sink_text(&s, i + 1 < r->pairs ? ",\n" : "\n");
    }
    sink_text(&s, "  ]\n}\n");
    return sink_close(&s, e);
}
