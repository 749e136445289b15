/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of several encodes on the terminal: a row for each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/grid.h"
#include "report/reporter.h"
#include "results/encodes.h"

/* BESIDE: the gap in front of a percentile, which stays beside its mean. */
enum { NAME_LEAST = 12, BESIDE = 1 };

/* A column of scores. */
struct score {
    const char *title;
    bool beside; /* a percentile */
    double value[ASSAY_ENCODES], largest; /* of one column all have the same number of decimals */
    bool known[ASSAY_ENCODES]; /* false: the encode has no such figure */
};

struct ladder_table {
    struct sink out;
    const struct stored *encode;
    uint32_t encodes;
    const struct stored *lead; /* an encode with scores, for what all have in common */
    bool one_size, images;     /* all are compared at one size; all are images */
    struct encodes_keys keys;
    const char *judge;         /* the first score with better and worse values: it has the worst frame. Or NULL */
    struct score *score;
    uint32_t scores, fixed;    /* fixed: the columns in front of the scores */
    int precision, width;
};

/* A pooled score, or, for a pool of NULL, a figure of the whole run. */
static void add_score(struct ladder_table *t, const char *key, const char *pool)
{
    const bool tail = pool && strcmp(pool, "mean");
    struct score *s = &t->score[t->scores++];
    *s = (struct score){.title = tail ? pool : key, .beside = tail};
    for (uint32_t i = 0; i < t->encodes; i++) {
        const struct stored *x = &t->encode[i];
        double *const v = &s->value[i];
        s->known[i] = pool ? encode_pooled(x, key, pool, v) : encode_whole(x, key, v);
        if (s->known[i] && isfinite(*v) && fabs(*v) > s->largest)
            s->largest = fabs(*v);
    }
}

/* Mean and percentile of each score, and the one figure of an aggregate. */
static void find_scores(struct ladder_table *t)
{
    for (const struct encodes_key *k = t->keys.score; k < t->keys.score + t->keys.scores; k++) {
        if (!k->shown)
            continue;
        t->judge = !t->judge && k->direction != ASSAY_NEUTRAL ? k->key : t->judge;
        add_score(t, k->key, "mean");
        add_score(t, k->key, direction_tail(k->direction));
    }
    for (uint32_t i = 0; i < t->keys.wholes; i++)
        add_score(t, t->keys.whole[i].key, NULL);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void put_titles(const struct ladder_table *t, struct grid *g)
{
    grid_cell(g, "encode");
    grid_cell(g, "size");
    if (!t->one_size)
        grid_cell(g, "compared");
    grid_cell(g, t->images ? "bytes" : REPORT_KBPS);
    if (t->images)
        grid_cell(g, REPORT_BITS_PER_PIXEL);
    grid_cell(g, "frames");
    grid_cell(g, "worst");
    grid_cell(g, "time");
    for (uint32_t k = 0; k < t->scores; k++)
        grid_cell(g, t->score[k].title);
    grid_end(g);
}

static void put_size(struct grid *g, uint32_t width, uint32_t height)
{
    char text[NUMBER_TEXT_SIZE] = "-";
    if (width)
        snprintf(text, sizeof text, "%ux%u", width, height);
    grid_cell(g, text);
}

static void put_number(struct grid *g, bool known, double v, int decimals)
{
    char text[NUMBER_TEXT_SIZE] = "-";
    if (known)
        format_fixed(text, v, decimals);
    grid_cell(g, text);
}

/* The rate of an encode, behind the bytes of its file where all are images. */
static void put_rate(const struct ladder_table *t, struct grid *g, const struct stored *x)
{
    const double bytes = encode_image_bytes(x);
    double kbps = 0;
    const bool coded = encode_scored(x) && report_bitrate(&x->run, &kbps);
    if (t->images) {
        put_number(g, bytes > 0, bytes, 0);
        put_number(g, bytes > 0, encode_bits_per_pixel(x), 3);
    } else {
        put_number(g, coded, kbps, kbps < 10 ? 3 : 1);
    }
}

static void put_encode(const struct ladder_table *t, struct grid *g, uint32_t i)
{
    const struct stored *x = &t->encode[i];
    char text[NUMBER_TEXT_SIZE] = "-";
    uint64_t row;
    const bool named = t->judge && encode_worst(x, t->judge, &row);
    grid_cell(g, x->label);
    put_size(g, x->width, x->height);
    if (!t->one_size)
        put_size(g, encode_scored(x) ? x->run.width : 0, x->run.height);
    put_rate(t, g, x);
    put_number(g, true, (double)x->scores.rows, 0);
    if (named)
        report_frame(text, &x->run, x->scores.frame[row]);
    grid_cell(g, text);
    report_seconds(text, named ? x->scores.time[row] : SCORES_NO_TIME);
    grid_cell(g, text);
    for (const struct score *s = t->score; s < t->score + t->scores; s++) {
        strcpy(text, "-");
        if (s->known[i])
            report_number(text, s->value[i], s->largest, t->precision);
        grid_cell(g, text);
    }
    grid_end(g);
}

static void put_rows(const struct ladder_table *t, struct grid *g)
{
    put_titles(t, g);
    for (uint32_t i = 0; i < t->encodes; i++)
        put_encode(t, g, i);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Prints the columns from `first` on that fit behind the names. Returns the first one that is left. */
static uint32_t print_part(struct ladder_table *t, struct grid_column *grid, uint32_t first, uint32_t columns)
{
    uint32_t end = first;
    for (int used = grid[0].width; end < columns;) {
        const uint32_t next = end + 1 < columns && grid[end + 2].gap == BESIDE ? end + 2 : end + 1;
        const int more = grid_width(grid + 1 + end, next - end);
        if (end > first && used + more > t->width)
            break;
        used += more;
        end = next;
    }
    struct grid g = {.out = &t->out, .column = grid, .name = GRID_END, .first = 1 + first, .end = 1 + end};
    put_rows(t, &g);
    return end;
}

static void head(struct ladder_table *t, const char *reference)
{
    const struct report_run *run = &t->lead->run;
    char text[NUMBER_TEXT_SIZE];
    sink_plain(&t->out, reference);
    sink_format(&t->out, ": %u encodes", t->encodes);
    if (t->one_size)
        sink_format(&t->out, ", compared at %ux%u", run->width, run->height);
    if (reporter_has_rate(run->fps)) {
        format_fixed(text, run->fps, run->fps < 10 ? 2 : 1);
        sink_format(&t->out, ", %s frames/s", text);
    }
    sink_text(&t->out, "\n");
}

/* The names take what they need, at most what the columns in front of the scores leave, and the widest score. */
static int name_width(const struct ladder_table *t, const struct grid_column *grid)
{
    int most = grid_width(grid + 1, t->fixed), width = (int)strlen("encode");
    for (uint32_t k = 0; k < t->scores; k++) {
        const bool pair = k + 1 < t->scores && t->score[k + 1].beside;
        const int score = grid_width(grid + 1 + t->fixed + k, pair ? 2 : 1);
        most = score > most ? score : most;
    }
    const int left = t->width - most < NAME_LEAST ? NAME_LEAST : t->width - most;
    for (uint32_t i = 0; i < t->encodes; i++) {
        const int n = (int)strlen(t->encode[i].label);
        width = n > width ? n : width;
    }
    return width < left ? width : left;
}

static int print_table(struct ladder_table *t, const char *reference)
{
    const uint32_t columns = t->fixed + t->scores;
    struct grid_column *grid = calloc(1 + columns, sizeof *grid);
    if (!grid)
        return ASSAY_EINTERNAL;
    grid_columns(grid, 1 + columns);
    for (uint32_t k = 0; k < t->scores; k++)
        grid[1 + t->fixed + k].gap = t->score[k].beside ? BESIDE : 2;
    put_rows(t, &(struct grid){.column = grid, .name = GRID_END});
    grid[0].width = name_width(t, grid);
    head(t, reference);
    for (uint32_t c = 0; c < columns;) {
        if (c)
            sink_text(&t->out, "\n");
        c = print_part(t, grid, c, columns);
    }
    free(grid);
    return sink_flush(&t->out, NULL);
}

int report_ladder_table(void *stream, const char *reference, const struct stored *encode, uint32_t encodes,
                        int precision, int width)
{
    struct ladder_table t = {.out = {.file = stream}, .encode = encode, .encodes = encodes, .precision = precision,
                             .one_size = encodes_one_size(encode, encodes),
                             .images = encodes_only_images(encode, encodes), .width = width};
    for (uint32_t i = encodes; i-- > 0;)
        t.lead = encode_scored(&encode[i]) && (!t.lead || !encode[i].failed) ? &encode[i] : t.lead;
    if (!t.lead)
        return ASSAY_OK;
    if (encodes_keys_find(&t.keys, encode, encodes, NULL))
        return ASSAY_EINTERNAL;
    t.fixed = (t.one_size ? 5u : 6u) + t.images; /* put_titles has them */
    t.score = calloc(2 * t.keys.scores + t.keys.wholes + 1, sizeof *t.score);
    if (t.score)
        find_scores(&t);
    const int rc = t.score ? print_table(&t, reference) : ASSAY_EINTERNAL;
    free(t.score);
    encodes_keys_free(&t.keys);
    return rc;
}
