/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of several encodes on the terminal: a row for each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/grid.h"
#include "report/reporter.h"
#include "results/encodes.h"

enum { CELL = NUMBER_TEXT_SIZE, NAME_LEAST = 12 };

/* The columns in front of the scores. COMPARED is empty, and not printed, where all have one size there. */
enum { COLUMN_SIZE, COLUMN_COMPARED, COLUMN_RATE, COLUMN_BYTES, COLUMN_BITS, COLUMN_FRAMES,
       COLUMN_WORST, COLUMN_TIME, FIXED };

struct ladder_table {
    struct sink out;
    const struct stored *encode;
    uint32_t encodes;
    const struct stored *lead; /* an encode with scores, for what all have in common */
    struct encodes_keys keys;
    int precision, width;
};

/* One column of cells, of one encode each. */
struct column {
    char title[128];
    bool beside; /* a percentile stays beside the mean in front of it */
    char (*cell)[CELL];
};

static void set(struct column *c, uint32_t row, const char *text)
{
    snprintf(c->cell[row], CELL, "%s", text);
}

static void set_title(struct column *c, const char *title)
{
    snprintf(c->title, sizeof c->title, "%s", title);
}

/* What a column says of the encodes: known[i] is false where encode i has no such figure. */
struct values {
    double value[ASSAY_ENCODES];
    bool known[ASSAY_ENCODES];
};

/* Values of one column have the same number of decimals. */
static void set_values(const struct ladder_table *t, struct column *c, const struct values *v)
{
    double largest = 0;
    for (uint32_t i = 0; i < t->encodes; i++)
        if (v->known[i] && isfinite(v->value[i]) && fabs(v->value[i]) > largest)
            largest = fabs(v->value[i]);
    for (uint32_t i = 0; i < t->encodes; i++) {
        char text[NUMBER_TEXT_SIZE] = "-";
        if (v->known[i])
            report_number(text, v->value[i], largest, t->precision);
        set(c, i, text);
    }
}

/* The first score with better and worse values, by which the worst frame is found. NULL: there is none. */
static const char *find_judge(const struct ladder_table *t)
{
    for (uint32_t k = 0; k < t->keys.scores; k++)
        if (t->keys.score[k].shown && t->keys.score[k].direction != ASSAY_NEUTRAL)
            return t->keys.score[k].key;
    return NULL;
}

static void set_size(struct column *c, uint32_t row, uint32_t width, uint32_t height)
{
    char text[CELL] = "-";
    if (width)
        snprintf(text, sizeof text, "%ux%u", width, height);
    set(c, row, text);
}

static void set_bytes(struct column *column, uint32_t row, const struct stored *x)
{
    char text[CELL] = "-";
    const double bytes = encode_image_bytes(x);
    if (bytes > 0)
        format_fixed(text, bytes, 0);
    set(&column[COLUMN_BYTES], row, text);
    if (bytes > 0)
        format_fixed(text, encode_bits_per_pixel(x), 3);
    set(&column[COLUMN_BITS], row, text);
}

static void set_fixed(const struct ladder_table *t, struct column *column)
{
    static const char *const titles[FIXED] = {"size", "compared", REPORT_KBPS, "bytes", REPORT_BITS_PER_PIXEL,
                                               "frames", "worst", "time"};
    const char *judge = find_judge(t);
    const bool one_size = encodes_one_size(t->encode, t->encodes), images = encodes_only_images(t->encode, t->encodes);
    for (unsigned c = 0; c < FIXED; c++)
        if (c == COLUMN_COMPARED ? !one_size : c == COLUMN_BYTES || c == COLUMN_BITS ? images
                                                                                     : c != COLUMN_RATE || !images)
            set_title(&column[c], titles[c]);
    for (uint32_t i = 0; i < t->encodes; i++) {
        const struct stored *x = &t->encode[i];
        const bool scored = encode_scored(x);
        char text[CELL], rate[NUMBER_TEXT_SIZE + 16] = "-";
        uint64_t row;
        set_size(&column[COLUMN_SIZE], i, x->width, x->height);
        if (!one_size)
            set_size(&column[COLUMN_COMPARED], i, scored ? x->run.width : 0, x->run.height);
        double kbps = 0;
        if (scored && report_bitrate(&x->run, &kbps))
            format_fixed(rate, kbps, kbps < 10 ? 3 : 1);
        if (images)
            set_bytes(column, i, x);
        else
            set(&column[COLUMN_RATE], i, rate);
        snprintf(text, sizeof text, "%llu", scored ? (unsigned long long)x->scores.rows : 0);
        set(&column[COLUMN_FRAMES], i, text);
        const bool named = judge && encode_worst(x, judge, &row);
        strcpy(text, "-");
        if (named)
            report_frame(text, &x->run, x->scores.frame[row]);
        set(&column[COLUMN_WORST], i, text);
        report_seconds(text, named ? x->scores.time[row] : SCORES_NO_TIME);
        set(&column[COLUMN_TIME], i, text);
    }
}

/* Sets the columns of the scores: mean and percentile of each, and the one figure of an aggregate. Returns their
 * number. */
static uint32_t set_scores(const struct ladder_table *t, struct column *column)
{
    struct values v;
    uint32_t n = 0;
    for (uint32_t k = 0; k < t->keys.scores; k++)
        for (unsigned tail = 0; tail < 2 && t->keys.score[k].shown; tail++) {
            const char *key = t->keys.score[k].key, *percentile = direction_tail(t->keys.score[k].direction);
            for (uint32_t i = 0; i < t->encodes; i++)
                v.known[i] = encode_pooled(&t->encode[i], key, tail ? percentile : "mean", &v.value[i]);
            set_title(&column[n], tail ? percentile : key);
            column[n].beside = tail;
            set_values(t, &column[n++], &v);
        }
    for (uint32_t a = 0; a < t->keys.wholes; a++) {
        for (uint32_t i = 0; i < t->encodes; i++)
            v.known[i] = encode_whole(&t->encode[i], t->keys.whole[a].key, &v.value[i]);
        set_title(&column[n], t->keys.whole[a].key);
        set_values(t, &column[n++], &v);
    }
    return n;
}

/* The rows of the table: the names, and the columns [first, end). */
static void put_rows(struct ladder_table *t, struct grid *g, const struct column *column, uint32_t columns)
{
    grid_cell(g, "encode");
    for (uint32_t c = 0; c < columns; c++)
        grid_cell(g, column[c].title);
    grid_end(g);
    for (uint32_t i = 0; i < t->encodes; i++) {
        grid_cell(g, t->encode[i].label);
        for (uint32_t c = 0; c < columns; c++)
            grid_cell(g, column[c].cell[i]);
        grid_end(g);
    }
}

/* Prints the columns from `first` on that fit behind the names. Returns the first one that is left. */
static uint32_t print_part(struct ladder_table *t, const struct column *column, struct grid_column *grid,
                           uint32_t first, uint32_t columns)
{
    uint32_t end = first;
    for (int used = grid[0].width; end < columns;) {
        const uint32_t next = end + 1 < columns && column[end + 1].beside ? end + 2 : end + 1;
        const int more = grid_width(grid + 1 + end, next - end);
        if (end > first && used + more > t->width)
            break;
        used += more;
        end = next;
    }
    struct grid g = {.out = &t->out, .column = grid, .name = GRID_END, .first = 1 + first, .end = 1 + end};
    put_rows(t, &g, column, columns);
    return end;
}

static void head(struct ladder_table *t, const char *reference)
{
    const struct report_run *run = &t->lead->run;
    char text[NUMBER_TEXT_SIZE];
    sink_plain(&t->out, reference);
    sink_format(&t->out, ": %u encodes", t->encodes);
    if (encodes_one_size(t->encode, t->encodes))
        sink_format(&t->out, ", compared at %ux%u", run->width, run->height);
    if (reporter_has_rate(run->fps)) {
        format_fixed(text, run->fps, run->fps < 10 ? 2 : 1);
        sink_format(&t->out, ", %s frames/s", text);
    }
    sink_text(&t->out, "\n");
}

/* The names take what they need, at most what the columns in front of the scores leave, and the widest score. */
static int name_width(const struct ladder_table *t, const struct column *column, const struct grid_column *grid,
                      uint32_t columns)
{
    int most = grid_width(grid + 1, FIXED), width = (int)strlen("encode");
    for (uint32_t c = FIXED; c < columns; c++) {
        const bool pair = c + 1 < columns && column[c + 1].beside;
        const int score = 2 + grid[1 + c].width + (pair ? 1 + grid[2 + c].width : 0);
        most = score > most ? score : most;
    }
    const int left = t->width - most < NAME_LEAST ? NAME_LEAST : t->width - most;
    for (uint32_t i = 0; i < t->encodes; i++) {
        const int n = (int)strlen(t->encode[i].label);
        width = n > width ? n : width;
    }
    return width < left ? width : left;
}

/* Prints the table with so many columns of scores at most. */
static int print_table(struct ladder_table *t, const char *reference, uint32_t most)
{
    struct column *column = calloc(FIXED + most, sizeof *column);
    struct grid_column *grid = calloc(1 + FIXED + most, sizeof *grid);
    char (*cells)[CELL] = calloc((size_t)(FIXED + most) * t->encodes, sizeof *cells);
    int rc = column && grid && cells ? ASSAY_OK : ASSAY_EINTERNAL;
    if (!rc) {
        for (uint32_t c = 0; c < FIXED + most; c++)
            column[c].cell = cells + (size_t)c * t->encodes;
        set_fixed(t, column);
        const uint32_t columns = FIXED + set_scores(t, column + FIXED);
        grid_columns(grid, 1 + columns);
        for (uint32_t c = 0; c < columns; c++)
            grid[1 + c].gap = column[c].beside ? 1 : 2;
        put_rows(t, &(struct grid){.column = grid, .name = GRID_END}, column, columns);
        grid[0].width = name_width(t, column, grid, columns);
        head(t, reference);
        for (uint32_t c = 0; c < columns;) {
            if (c)
                sink_text(&t->out, "\n");
            c = print_part(t, column, grid, c, columns);
        }
        rc = sink_flush(&t->out, NULL);
    }
    free(cells);
    free(grid);
    free(column);
    return rc;
}

int report_ladder_table(void *stream, const char *reference, const struct stored *encode, uint32_t encodes,
                        int precision, int width)
{
    struct ladder_table t = {.out = {.file = stream}, .encode = encode, .encodes = encodes, .precision = precision,
                             .width = width};
    for (uint32_t i = encodes; i-- > 0;)
        t.lead = encode_scored(&encode[i]) && (!t.lead || !encode[i].failed) ? &encode[i] : t.lead;
    if (!t.lead)
        return ASSAY_OK;
    if (encodes_keys_find(&t.keys, encode, encodes, NULL))
        return ASSAY_EINTERNAL;
    const int rc = print_table(&t, reference, 2 * t.keys.scores + t.keys.wholes);
    encodes_keys_free(&t.keys);
    return rc;
}
