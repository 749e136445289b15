/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of scores on the terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/grid.h"
#include "report/reporter.h"

enum { TABLE_WIDTH = 80, COLUMNS = 8, COLUMN_MEAN = 0, COLUMN_MIN = 2, COLUMN_FRAME, COLUMN_TIME,
       COLUMN_MAX = COLUMNS - 1, MANY_ROWS = 12 };

static const struct {
    const char *title, *pool;
} columns[COLUMNS] = {
    {"mean", "mean"}, {"harmonic", "harmonic_mean"}, {"min", "min"},
    {"frame", "min"}, {"time", "min"}, /* of the worst value; no pools */
    {"p1", "p1"}, {"p5", "p5"}, {"max", "max"},
};

/* The data of the table, and its layout. */
struct table {
    struct sink out;
    const struct scores *scores;
    const struct report_run *run;
    int precision;
    struct grid grid;
    struct grid_column column[1 + COLUMNS];
};

struct row {
    int worst; /* the column of the worst value; -1: none */
    char cell[COLUMNS][NUMBER_TEXT_SIZE];
};

/* Decimals that make a positive value 7 characters long. These are more digits than any metric reproduces between two
 * encodings, and seven such columns fit. */
int report_decimals(double largest)
{
    return largest < 10 ? 5 : largest < 1000 ? 3 : largest < 1e5 ? 1 : 0;
}

void report_number(char *text, double v, double largest, int precision)
{
    if (precision == REPORT_SHORTEST)
        format_shortest(text, v);
    else
        format_fixed(text, v, precision == REPORT_DEFAULT ? report_decimals(largest) : precision);
}

static bool has_row(const struct table *t, uint32_t key)
{
    return !(t->run->hidden && t->run->hidden[key]) &&
           (t->scores->rows == 1 || !report_key_is_place(t->scores->key[key]));
}

static uint32_t rows_of(const struct table *t)
{
    uint32_t rows = 0;
    for (uint32_t k = 0; k < t->scores->keys; k++)
        rows += has_row(t, k) || report_key_is_place(t->scores->key[k]);
    return rows;
}

static bool is_pool(int column)
{
    return column != COLUMN_FRAME && column != COLUMN_TIME;
}

/* Whether the table has a column. Without times there is no column of times. */
static bool has_column(const struct table *t, int column)
{
    return column != COLUMN_TIME || t->scores->time[0] != SCORES_NO_TIME;
}

int64_t report_milliseconds(int64_t time)
{
    return time / 1000000 + time / 500000 % 2;
}

void report_seconds(char *text, int64_t time)
{
    const int64_t ms = report_milliseconds(time);
    if (time == SCORES_NO_TIME)
        strcpy(text, "-");
    else
        snprintf(text, NUMBER_TEXT_SIZE, "%s%lld.%03d", ms < 0 ? "-" : "", (long long)(ms < 0 ? -ms : ms) / 1000,
                 (int)((ms < 0 ? -ms : ms) % 1000));
}

/* Whether frames are paired by time: what the distorted one is differs from frame to frame. */
static bool is_paired(const struct report_run *run)
{
    const char *pairing = report_run_field(run, "pairing");
    return pairing && !strcmp(pairing, "time");
}

/* The first frames of both files that were compared. */
static void first_frames(const struct report_run *run, uint64_t first[2])
{
    static const char *const fields[2] = {REPORT_FIRST_REFERENCE, REPORT_FIRST_DISTORTED};
    for (unsigned side = 0; side < 2; side++) {
        const char *text = report_run_field(run, fields[side]);
        first[side] = text ? strtoull(text, NULL, 10) : 0;
    }
    if (is_paired(run))
        first[1] = first[0];
}

void report_frame(char *text, const struct report_run *run, uint64_t frame)
{
    uint64_t of[2];
    first_frames(run, of);
    const unsigned long long n = frame, first[2] = {of[0] + frame, of[1] + frame};
    if (!of[0] && !of[1])
        snprintf(text, NUMBER_TEXT_SIZE, "%llu", n);
    else if (of[0] == of[1])
        snprintf(text, NUMBER_TEXT_SIZE, "%llu (%llu)", n, first[0]);
    else
        snprintf(text, NUMBER_TEXT_SIZE, "%llu (%llu, %llu)", n, first[0], first[1]);
}

bool report_start(char *text, const struct report_run *run)
{
    uint64_t of[2];
    first_frames(run, of);
    if (of[0] == of[1])
        snprintf(text, REPORT_START, "frame 0 is number %llu of %s", (unsigned long long)of[0],
                 is_paired(run) ? "the reference" : "both files");
    else
        snprintf(text, REPORT_START, "frame 0 is number %llu of the reference and %llu of the encode",
                 (unsigned long long)of[0], (unsigned long long)of[1]);
    return of[0] || of[1];
}

/* Sets the cells of the worst value: its frame, and the frame's time in seconds. "-" for a neutral key. */
static void name_worst(struct row *row, const struct table *t, uint32_t key)
{
    const struct scores *s = t->scores;
    uint64_t worst;
    const bool named = scores_worst(s, key, &worst);
    row->worst = !named ? -1 : s->direction[key] == ASSAY_HIGHER ? COLUMN_MIN : COLUMN_MAX;
    strcpy(row->cell[COLUMN_FRAME], "-");
    report_seconds(row->cell[COLUMN_TIME], named ? s->time[worst] : SCORES_NO_TIME);
    if (named)
        report_frame(row->cell[COLUMN_FRAME], t->run, s->frame[worst]);
}

/* Makes one row. All its numbers have the same number of decimals. */
static void make_row(struct row *row, const struct table *t, uint32_t key)
{
    double value[COLUMNS], largest = 0;
    for (int c = 0; c < COLUMNS; c++) {
        value[c] = scores_figure(t->scores, key, columns[c].pool);
        if (is_pool(c) && isfinite(value[c]) && fabs(value[c]) > largest)
            largest = fabs(value[c]);
    }
    for (int c = 0; c < COLUMNS; c++)
        if (is_pool(c))
            report_number(row->cell[c], value[c], largest, t->precision);
    name_worst(row, t, key);
}

/* Formats an aggregate. */
static const char *aggregate_text(char *text, const struct table *t, uint32_t i)
{
    const double v = t->run->aggregate[i].value;
    report_number(text, v, fabs(v), t->precision);
    return text;
}

/* Puts an empty line before and behind a metric that has more than one key, in a table of more than MANY_ROWS rows. */
static void put_gap(struct table *t, uint32_t key)
{
    const uint32_t *metric = t->run->metric, keys = t->scores->keys;
    if (!t->grid.out || !metric || !key || !has_row(t, key) || rows_of(t) <= MANY_ROWS)
        return;
    if (metric[key] == metric[key - 1])
        return;
    if ((key > 1 && metric[key - 2] == metric[key - 1]) || (key + 1 < keys && metric[key + 1] == metric[key]))
        sink_text(&t->out, "\n");
}

/* The form for a single frame: its figures, not pooled. */
static void one_frame(struct table *t)
{
    const struct scores *s = t->scores;
    char number[NUMBER_TEXT_SIZE], text[NUMBER_TEXT_SIZE];
    report_frame(number, t->run, s->frame[0]);
    snprintf(text, sizeof text, "frame %.33s", number);
    grid_cell(&t->grid, "metric");
    grid_cell(&t->grid, text);
    grid_end(&t->grid);
    for (uint32_t k = 0; k < s->keys; k++) {
        put_gap(t, k);
        if (!has_row(t, k))
            continue;
        const double v = scores_value(s, 0, k);
        report_number(text, v, fabs(v), report_key_is_place(s->key[k]) ? 0 : t->precision); /* places are whole */
        grid_cell(&t->grid, s->key[k]);
        grid_cell(&t->grid, text);
        grid_end(&t->grid);
    }
}

/* The wide form: one line per key. */
static void wide(struct table *t)
{
    const struct scores *s = t->scores;
    grid_cell(&t->grid, "metric");
    for (int c = 0; c < COLUMNS; c++)
        if (has_column(t, c))
            grid_cell(&t->grid, columns[c].title);
    grid_end(&t->grid);
    for (uint32_t k = 0; k < s->keys; k++) {
        struct row row;
        put_gap(t, k);
        if (!has_row(t, k))
            continue;
        make_row(&row, t, k);
        grid_cell(&t->grid, s->key[k]);
        for (int c = 0; c < COLUMNS; c++)
            if (has_column(t, c))
                grid_cell(&t->grid, row.cell[c]);
        grid_end(&t->grid);
    }
}

/* The lines of one of these forms, and of the aggregates. */
static void side_by_side(struct table *t)
{
    char text[NUMBER_TEXT_SIZE];
    (t->scores->rows == 1 ? one_frame : wide)(t);
    for (uint32_t i = 0; i < t->run->aggregates; i++) {
        grid_cell(&t->grid, t->run->aggregate[i].key);
        grid_cell(&t->grid, aggregate_text(text, t, i));
        if (t->grid.out)
            sink_format(&t->out, "%*swhole sequence", t->column[1].gap, "");
        grid_end(&t->grid);
    }
}

/* The tall form: one line per figure, for numbers too long for the wide form. */
static void tall(struct table *t)
{
    const struct scores *s = t->scores;
    char text[NUMBER_TEXT_SIZE];
    for (uint32_t k = 0; k < s->keys; k++) {
        struct row row;
        put_gap(t, k);
        if (!has_row(t, k))
            continue;
        make_row(&row, t, k);
        sink_format(&t->out, "%s\n", s->key[k]);
        for (int c = 0; c < COLUMNS; c++) {
            if (!is_pool(c))
                continue;
            sink_format(&t->out, "  %-8s  %s", columns[c].title, row.cell[c]);
            if (c == row.worst)
                sink_format(&t->out, " at frame %s", row.cell[COLUMN_FRAME]);
            if (c == row.worst && has_column(t, COLUMN_TIME))
                sink_format(&t->out, ", %s s", row.cell[COLUMN_TIME]);
            sink_text(&t->out, "\n");
        }
    }
    for (uint32_t i = 0; i < t->run->aggregates; i++)
        sink_format(&t->out, "%s\n  whole sequence  %s\n", t->run->aggregate[i].key, aggregate_text(text, t, i));
}

/* ---- widths ------------------------------------------------------------------------------------------------------ */

/* The width of the longest name in the table that has at most `room` characters. */
static int name_column(const struct table *t, int room)
{
    int width = (int)strlen("metric");
    for (uint32_t i = 0; i < t->scores->keys + t->run->aggregates; i++) {
        const bool is_key = i < t->scores->keys;
        const char *name = is_key ? t->scores->key[i] : t->run->aggregate[i - t->scores->keys].key;
        const int length = (int)strlen(name);
        if (length > width && length <= room && (!is_key || has_row(t, i)))
            width = length;
    }
    return width;
}

/* Sets the widths of the lines that are side by side. Names too long for their column get lines of their own. False:
 * the numbers alone are too wide. */
static bool lay_out(struct table *t)
{
    const int used = t->scores->rows == 1 ? 1 : COLUMNS - !has_column(t, COLUMN_TIME);
    grid_columns(t->column, 1 + COLUMNS);
    t->grid = (struct grid){.column = t->column, .name = GRID_OWN_LINE};
    side_by_side(t);
    const int numbers = grid_width(t->column, 1 + COLUMNS) - 2 * used;
    const int narrow = name_column(t, TABLE_WIDTH - numbers - used);
    const int gap = name_column(t, TABLE_WIDTH - numbers - 2 * used) == narrow ? 2 : 1; /* a narrower gap leaves more
                                                                                         * room for names */
    for (int c = 1; c <= COLUMNS; c++)
        t->column[c].gap = gap;
    t->column[0].width = narrow;
    return used == 1 || narrow + numbers + gap * used <= TABLE_WIDTH;
}

/* ---- around the rows --------------------------------------------------------------------------------------------- */

/* Prints what was compared, on two lines if one would be too long. */
static void what_was_compared(struct table *t)
{
    const struct report_run *run = t->run;
    char start[REPORT_START], text[NUMBER_TEXT_SIZE], numbers[3 * NUMBER_TEXT_SIZE + 64];
    double kbps;
    int n = snprintf(numbers, sizeof numbers, "%ux%u, %llu frame%s", run->width, run->height,
                     (unsigned long long)t->scores->rows, t->scores->rows == 1 ? "" : "s");
    if (run->fps > 0 && isfinite(run->fps)) {
        format_fixed(text, run->fps, run->fps < 10 ? 2 : 1);
        n += snprintf(numbers + n, sizeof numbers - (size_t)n, ", %s frames/s", text);
    }
    if (report_bitrate(run, &kbps)) {
        format_fixed(text, kbps, kbps < 10 ? 3 : 1);
        n += snprintf(numbers + n, sizeof numbers - (size_t)n, ", %s " REPORT_KBPS, text);
    }
    if (run->compared) {
        sink_plain(&t->out, run->compared);
        sink_text(&t->out, strlen(run->compared) + 2 + (size_t)n <= TABLE_WIDTH ? ": " : ":\n");
    }
    sink_format(&t->out, "%s\n", numbers);
    if (report_start(start, run))
        sink_format(&t->out, "%s\n", start);
}

int report_table(void *stream, const struct stored *x, int precision)
{
    const struct report_run *run = &x->run;
    struct table t = {.out = {.file = stream}, .scores = &x->scores, .run = run, .precision = precision};
    what_was_compared(&t);
    if (t.scores->rows > 0) {
        const bool fits = lay_out(&t);
        t.grid.out = &t.out;
        (fits ? side_by_side : tall)(&t);
    }
    if (run->incomplete) {
        sink_text(&t.out, "incomplete: ");
        sink_plain(&t.out, run->reason ? run->reason : "frames are missing");
        sink_text(&t.out, "\n");
    }
    return sink_flush(&t.out, NULL);
}
