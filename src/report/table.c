/* SPDX-License-Identifier: BSD-2-Clause */
/* The scores as a table for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "report/sink.h"

enum { TABLE_WIDTH = 100, COLUMNS = 9, COLUMN_MEAN = 0, COLUMN_MIN = 2, COLUMN_FRAME = 3 };

static const struct {
    const char *title;
    enum pool pool;
    double percent;
} columns[COLUMNS] = {
    {"mean", POOL_MEAN, 0}, {"harmonic", POOL_HARMONIC_MEAN, 0}, {"min", POOL_MIN, 0},
    {"frame", POOL_MIN, 0}, {"p1", POOL_PERC, 1}, {"p5", POOL_PERC, 5},
    {"p50", POOL_PERC, 50}, {"max", POOL_MAX, 0}, {"stddev", POOL_STDDEV, 0},
};

struct row {
    char cell[COLUMNS][NUMBER_TEXT_SIZE];
};

/* Decimals that leave 7 characters to a positive value: more than any of these metrics is reproducible to between
 * two encodings, few enough for nine columns. */
static int default_decimals(double largest)
{
    return largest < 10 ? 5 : largest < 1000 ? 3 : largest < 1e5 ? 1 : 0;
}

static void format_value(char *text, double v, double largest, int precision)
{
    if (precision == REPORT_SHORTEST)
        format_shortest(text, v);
    else
        format_fixed(text, v, precision == REPORT_DEFAULT ? default_decimals(largest) : precision);
}

/* One row, all of it with the same number of decimals. */
static void make_row(struct row *row, const struct scores *s, uint32_t key, int precision)
{
    double value[COLUMNS], largest = 0;
    uint64_t frame = 0;
    for (int c = 0; c < COLUMNS; c++) {
        value[c] = scores_pool(s, key, columns[c].pool, columns[c].percent, c == COLUMN_FRAME ? &frame : NULL);
        if (isfinite(value[c]) && fabs(value[c]) > largest)
            largest = fabs(value[c]);
    }
    for (int c = 0; c < COLUMNS; c++) {
        if (c == COLUMN_FRAME)
            snprintf(row->cell[c], NUMBER_TEXT_SIZE, "%llu", (unsigned long long)frame);
        else
            format_value(row->cell[c], value[c], largest, precision);
    }
}

static void widen(int *width, const char *text)
{
    int length = (int)strlen(text);
    if (length > *width)
        *width = length;
}

struct layout {
    int gap, name, column[COLUMNS]; /* characters: blanks before every column, and widths */
};

/* A name longer than its column has a line of its own. */
static void put_name(struct sink *out, const char *name, int width)
{
    sink_format(out, "%-*s", width, name);
    if ((int)strlen(name) > width)
        sink_format(out, "\n%*s", width, "");
}

/* The wide form: one line per key. */
static void wide(struct sink *out, const struct scores *s, const struct report_run *run, int precision,
                 const struct layout *l)
{
    put_name(out, "metric", l->name);
    for (int c = 0; c < COLUMNS; c++)
        sink_format(out, "%*s%*s", l->gap, "", l->column[c], columns[c].title);
    sink_text(out, "\n");
    for (uint32_t k = 0; k < s->keys; k++) {
        struct row row;
        make_row(&row, s, k, precision);
        put_name(out, s->key[k], l->name);
        for (int c = 0; c < COLUMNS; c++)
            sink_format(out, "%*s%*s", l->gap, "", l->column[c], row.cell[c]);
        sink_text(out, "\n");
    }
    for (uint32_t i = 0; i < run->aggregates; i++) {
        const struct report_aggregate *a = run->aggregate + i;
        char text[NUMBER_TEXT_SIZE];
        format_value(text, a->value, fabs(a->value), precision);
        put_name(out, a->key, l->name);
        sink_format(out, "%*s%*s%*swhole sequence\n", l->gap, "", l->column[COLUMN_MEAN], text, l->gap, "");
    }
}

/* The tall form, for numbers too long to stand side by side: one line per figure. */
static void tall(struct sink *out, const struct scores *s, const struct report_run *run, int precision)
{
    for (uint32_t k = 0; k < s->keys; k++) {
        struct row row;
        make_row(&row, s, k, precision);
        sink_format(out, "%s\n", s->key[k]);
        for (int c = 0; c < COLUMNS; c++) {
            if (c == COLUMN_FRAME)
                continue;
            sink_format(out, "  %-8s  %s", columns[c].title, row.cell[c]);
            if (c == COLUMN_MIN)
                sink_format(out, " at frame %s", row.cell[COLUMN_FRAME]);
            sink_text(out, "\n");
        }
    }
    for (uint32_t i = 0; i < run->aggregates; i++) {
        char text[NUMBER_TEXT_SIZE];
        format_value(text, run->aggregate[i].value, fabs(run->aggregate[i].value), precision);
        sink_format(out, "%s\n  whole sequence  %s\n", run->aggregate[i].key, text);
    }
}

/* Text that comes from outside must not steer the terminal. */
static void plain_text(struct sink *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        sink_format(out, "%c", c < 0x20 || c == 0x7f ? '?' : c);
    }
}

static void what_was_compared(struct sink *out, const struct scores *s, const struct report_run *run)
{
    if (run->compared) {
        plain_text(out, run->compared);
        sink_text(out, ": ");
    }
    sink_format(out, "%ux%u, %llu frame%s", run->width, run->height, (unsigned long long)s->rows,
                s->rows == 1 ? "" : "s");
    if (run->fps > 0 && isfinite(run->fps)) {
        char text[NUMBER_TEXT_SIZE];
        format_fixed(text, run->fps, run->fps < 10 ? 2 : 1);
        sink_format(out, ", %s frames/s", text);
    }
    sink_text(out, "\n");
}

/* The widest name that leaves `room` characters, of those that the table has. */
static int name_column(const struct scores *s, const struct report_run *run, int room)
{
    int width = (int)strlen("metric");
    for (uint32_t i = 0; i < s->keys + run->aggregates; i++) {
        const char *name = i < s->keys ? s->key[i] : run->aggregate[i - s->keys].key;
        if ((int)strlen(name) <= room)
            widen(&width, name);
    }
    return width;
}

/* False when the numbers are too long to stand side by side. Names give way to them, not they to names. */
static bool lay_out(struct layout *l, const struct scores *s, const struct report_run *run, int precision)
{
    int numbers = 0;
    *l = (struct layout){0};
    for (uint32_t k = 0; k < s->keys; k++) {
        struct row row;
        make_row(&row, s, k, precision);
        for (int c = 0; c < COLUMNS; c++)
            widen(l->column + c, row.cell[c]);
    }
    for (uint32_t i = 0; i < run->aggregates; i++) {
        char text[NUMBER_TEXT_SIZE];
        format_value(text, run->aggregate[i].value, fabs(run->aggregate[i].value), precision);
        widen(l->column + COLUMN_MEAN, text);
    }
    for (int c = 0; c < COLUMNS; c++) {
        widen(l->column + c, columns[c].title);
        numbers += l->column[c];
    }
    const int longest = name_column(s, run, TABLE_WIDTH);
    l->gap = longest + numbers + 2 * COLUMNS <= TABLE_WIDTH ? 2 : 1;
    l->name = name_column(s, run, TABLE_WIDTH - numbers - l->gap * COLUMNS);
    return l->name + numbers + l->gap * COLUMNS <= TABLE_WIDTH;
}

int report_table(void *stream, const struct scores *s, const struct report_run *run, int precision)
{
    struct sink out = {.file = stream};
    what_was_compared(&out, s, run);
    if (s->rows > 0) {
        struct layout layout;
        if (lay_out(&layout, s, run, precision))
            wide(&out, s, run, precision, &layout);
        else
            tall(&out, s, run, precision);
    }
    if (run->incomplete) {
        sink_text(&out, "incomplete: ");
        plain_text(&out, run->reason ? run->reason : "frames are missing");
        sink_text(&out, "\n");
    }
    return sink_flush(&out, NULL);
}
