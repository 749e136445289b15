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

/* The wide form: one line per key. `gap` blanks stand before every column. */
static void wide(struct sink *out, const struct scores *s, const struct report_run *run, int precision, int gap,
                 int name_width, const int width[COLUMNS])
{
    sink_format(out, "%-*s", name_width, "metric");
    for (int c = 0; c < COLUMNS; c++)
        sink_format(out, "%*s%*s", gap, "", width[c], columns[c].title);
    sink_text(out, "\n");
    for (uint32_t k = 0; k < s->keys; k++) {
        struct row row;
        make_row(&row, s, k, precision);
        sink_format(out, "%-*s", name_width, s->key[k]);
        for (int c = 0; c < COLUMNS; c++)
            sink_format(out, "%*s%*s", gap, "", width[c], row.cell[c]);
        sink_text(out, "\n");
    }
    for (uint32_t i = 0; i < run->aggregates; i++) {
        const struct report_aggregate *a = run->aggregate + i;
        char text[NUMBER_TEXT_SIZE];
        format_value(text, a->value, fabs(a->value), precision);
        sink_format(out, "%-*s%*s%*s%*swhole sequence\n", name_width, a->key, gap, "", width[COLUMN_MEAN], text, gap, "");
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
    sink_format(out, "%ux%u, %llu frame%s", run->width, run->height, (unsigned long long)s->rows, s->rows == 1 ? "" : "s");
    if (run->fps > 0 && isfinite(run->fps)) {
        char text[NUMBER_TEXT_SIZE];
        format_fixed(text, run->fps, run->fps < 10 ? 2 : 1);
        sink_format(out, ", %s frames/s", text);
    }
    sink_text(out, "\n");
}

int report_table(void *stream, const struct scores *s, const struct report_run *run, int precision)
{
    struct sink out = {.file = stream};
    what_was_compared(&out, s, run);
    if (s->rows > 0) {
        int name_width = (int)strlen("metric"), width[COLUMNS] = {0};
        for (uint32_t k = 0; k < s->keys; k++) {
            struct row row;
            make_row(&row, s, k, precision);
            widen(&name_width, s->key[k]);
            for (int c = 0; c < COLUMNS; c++)
                widen(width + c, row.cell[c]);
        }
        for (uint32_t i = 0; i < run->aggregates; i++) {
            char text[NUMBER_TEXT_SIZE];
            format_value(text, run->aggregate[i].value, fabs(run->aggregate[i].value), precision);
            widen(&name_width, run->aggregate[i].key);
            widen(width + COLUMN_MEAN, text);
        }
        int total = name_width;
        for (int c = 0; c < COLUMNS; c++) {
            widen(width + c, columns[c].title);
            total += width[c];
        }
        int gap = total + 2 * COLUMNS <= TABLE_WIDTH ? 2 : 1;
        if (total + gap * COLUMNS <= TABLE_WIDTH)
            wide(&out, s, run, precision, gap, name_width, width);
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
