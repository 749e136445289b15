/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of several encodes on the terminal: a row for each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/joint.h"
#include "report/reporter.h"

enum { CELL = NUMBER_TEXT_SIZE, FIXED = 6, NAME_LEAST = 12 };

/* The columns in front of the scores. */
enum { COLUMN_FILE, COLUMN_SIZE, COLUMN_RATE, COLUMN_FRAMES, COLUMN_WORST, COLUMN_TIME };

struct ladder_table {
    struct sink out;
    const struct report_encode *encode;
    uint32_t encodes;
    const struct report_encode *lead; /* an encode with scores, for what all have in common */
    int precision, width;
    int name;                         /* columns of the file's name */
};

/* One column of cells, of one encode each. */
struct column {
    char title[128];
    char (*cell)[CELL];
    int width;
};

static bool shown(const struct ladder_table *t, uint32_t key)
{
    const struct report_encode *x = t->lead;
    return !(x->run->hidden && x->run->hidden[key]) && !report_key_is_place(x->scores->key[key]);
}

static bool has_scores(const struct report_encode *x)
{
    return x->scores && x->scores->rows;
}

static void set(struct column *c, uint32_t row, const char *text)
{
    snprintf(c->cell[row], CELL, "%s", text);
    if ((int)strlen(c->cell[row]) > c->width)
        c->width = (int)strlen(c->cell[row]);
}

static void set_title(struct column *c, const char *title)
{
    snprintf(c->title, sizeof c->title, "%s", title);
    c->width = (int)strlen(c->title);
}

/* Values of one column have the same number of decimals. */
static void set_values(const struct ladder_table *t, struct column *c, const double *value)
{
    double largest = 0;
    for (uint32_t i = 0; i < t->encodes; i++)
        if (has_scores(&t->encode[i]) && isfinite(value[i]) && fabs(value[i]) > largest)
            largest = fabs(value[i]);
    for (uint32_t i = 0; i < t->encodes; i++) {
        char text[NUMBER_TEXT_SIZE] = "-";
        if (has_scores(&t->encode[i]))
            report_number(text, value[i], largest, t->precision);
        set(c, i, text);
    }
}

/* The end of a name that is longer than its column: the beginning is most often a common folder. */
static void put_name(const struct ladder_table *t, const char *name)
{
    const size_t n = strlen(name), most = (size_t)t->name;
    const char *tail = n > most ? name + (n - most) + 3 : name;
    while (n > most && ((unsigned char)*tail & 0xc0) == 0x80) /* not in the middle of a UTF-8 character */
        tail++;
    if (n > most)
        sink_text(&((struct ladder_table *)t)->out, "...");
    sink_plain(&((struct ladder_table *)t)->out, tail);
    const size_t used = n > most ? 3 + strlen(tail) : n;
    sink_format(&((struct ladder_table *)t)->out, "%*s", (int)(most > used ? most - used : 0), "");
}

/* The first score with better and worse values, by which the worst frame is found. */
static bool find_judge(const struct ladder_table *t, uint32_t *key)
{
    for (*key = 0; *key < t->lead->scores->keys; ++*key)
        if (shown(t, *key) && t->lead->scores->direction && t->lead->scores->direction[*key] != ASSAY_NEUTRAL)
            return true;
    return false;
}

static void set_fixed(const struct ladder_table *t, struct column *column)
{
    uint32_t judge;
    const bool judged = find_judge(t, &judge);
    set_title(&column[COLUMN_SIZE], "size");
    set_title(&column[COLUMN_RATE], "kbit/s");
    set_title(&column[COLUMN_FRAMES], "frames");
    set_title(&column[COLUMN_WORST], "worst");
    set_title(&column[COLUMN_TIME], "time");
    for (uint32_t i = 0; i < t->encodes; i++) {
        const struct report_encode *x = &t->encode[i];
        char text[CELL] = "-", rate[NUMBER_TEXT_SIZE + 16];
        uint64_t row;
        if (x->width)
            snprintf(text, sizeof text, "%ux%u", x->width, x->height);
        set(&column[COLUMN_SIZE], i, text);
        double kbps = 0;
        strcpy(rate, "-");
        if (has_scores(x) && report_bitrate(x->run, &kbps))
            format_fixed(rate, kbps, kbps < 10 ? 3 : 1);
        set(&column[COLUMN_RATE], i, rate);
        snprintf(text, sizeof text, "%llu", has_scores(x) ? (unsigned long long)x->scores->rows : 0);
        set(&column[COLUMN_FRAMES], i, text);
        const bool named = judged && has_scores(x) && scores_worst(x->scores, judge, &row);
        snprintf(text, sizeof text, "%llu", named ? (unsigned long long)x->scores->frame[row] : 0);
        set(&column[COLUMN_WORST], i, named ? text : "-");
        report_seconds(text, named ? x->scores->time[row] : SCORES_NO_TIME);
        set(&column[COLUMN_TIME], i, text);
    }
}

/* Sets the columns of the scores: mean and 5th percentile of each, and the one figure of an aggregate. Returns their
 * number. */
static uint32_t set_scores(const struct ladder_table *t, struct column *column)
{
    const struct report_encode *lead = t->lead;
    double value[ASSAY_ENCODES];
    uint32_t n = 0;
    for (uint32_t k = 0; k < lead->scores->keys; k++)
        for (unsigned p5 = 0; p5 < 2 && shown(t, k); p5++) {
            for (uint32_t i = 0; i < t->encodes; i++)
                value[i] = has_scores(&t->encode[i])
                    ? scores_pool(t->encode[i].scores, k, p5 ? POOL_PERC : POOL_MEAN, p5 ? 5 : 0, NULL) : (double)NAN;
            set_title(&column[n], p5 ? "p5" : lead->scores->key[k]);
            set_values(t, &column[n++], value);
        }
    for (uint32_t a = 0; a < lead->run->aggregates; a++) {
        for (uint32_t i = 0; i < t->encodes; i++)
            value[i] = has_scores(&t->encode[i]) && t->encode[i].run->aggregates
                ? t->encode[i].run->aggregate[a].value : (double)NAN;
        set_title(&column[n], lead->run->aggregate[a].key);
        set_values(t, &column[n++], value);
    }
    return n;
}

/* Whether a column begins a score: a mean stays beside its percentile. */
static bool begins_score(const struct column *c)
{
    return strcmp(c->title, "p5") != 0;
}

/* Prints the columns from `first` on that fit behind the names. Returns the first one that is left. */
static uint32_t print_part(struct ladder_table *t, const struct column *column, uint32_t first, uint32_t columns)
{
    uint32_t end = first;
    for (int used = t->name; end < columns;) {
        uint32_t next = end + 1;
        int more = 2 + column[end].width;
        if (next < columns && !begins_score(&column[next]))
            more += 1 + column[next++].width;
        if (end > first && used + more > t->width)
            break;
        used += more;
        end = next;
    }
    put_name(t, "encode");
    for (uint32_t c = first; c < end; c++)
        sink_format(&t->out, "%*s%*s", begins_score(&column[c]) ? 2 : 1, "", column[c].width, column[c].title);
    sink_text(&t->out, "\n");
    for (uint32_t i = 0; i < t->encodes; i++) {
        put_name(t, t->encode[i].file);
        for (uint32_t c = first; c < end; c++)
            sink_format(&t->out, "%*s%*s", begins_score(&column[c]) ? 2 : 1, "", column[c].width, column[c].cell[i]);
        sink_text(&t->out, "\n");
    }
    return end;
}

static void head(struct ladder_table *t, const char *reference)
{
    const struct report_run *run = t->lead->run;
    char text[NUMBER_TEXT_SIZE];
    sink_plain(&t->out, reference);
    sink_format(&t->out, ": %u encodes, compared at %ux%u", t->encodes, run->width, run->height);
    if (reporter_has_rate(run->fps)) {
        format_fixed(text, run->fps, run->fps < 10 ? 2 : 1);
        sink_format(&t->out, ", %s frames/s", text);
    }
    sink_text(&t->out, "\n");
}

static void failures(struct ladder_table *t)
{
    for (uint32_t i = 0; i < t->encodes; i++) {
        const struct report_encode *x = &t->encode[i];
        if (!x->failed)
            continue;
        sink_text(&t->out, has_scores(x) ? "incomplete: " : "failed: ");
        if (!strstr(x->failed, x->file)) {
            sink_plain(&t->out, x->file);
            sink_text(&t->out, ": ");
        }
        sink_plain(&t->out, x->failed);
        sink_text(&t->out, "\n");
    }
}

/* The names take what they need, at most what the columns in front of the scores leave, and the widest score. */
static void choose_name_width(struct ladder_table *t, const struct column *column, uint32_t columns)
{
    int most = 0;
    for (unsigned c = COLUMN_SIZE; c < FIXED; c++)
        most += 2 + column[c].width;
    for (uint32_t c = FIXED; c < columns; c++) {
        const bool pair = c + 1 < columns && !begins_score(&column[c + 1]);
        const int score = 2 + column[c].width + (pair ? 1 + column[c + 1].width : 0);
        most = score > most ? score : most;
    }
    const int left = t->width - most < NAME_LEAST ? NAME_LEAST : t->width - most;
    t->name = (int)strlen("encode");
    for (uint32_t i = 0; i < t->encodes; i++) {
        const int n = (int)strlen(t->encode[i].file);
        t->name = n > t->name ? n : t->name;
    }
    t->name = t->name < left ? t->name : left;
}

int report_ladder_table(void *stream, const char *reference, const struct report_encode *encode, uint32_t encodes,
                        int precision, int width)
{
    struct ladder_table t = {.out = {.file = stream}, .encode = encode, .encodes = encodes, .precision = precision,
                             .width = width};
    for (uint32_t i = encodes; i-- > 0;)
        t.lead = has_scores(&encode[i]) ? &encode[i] : t.lead;
    for (uint32_t i = encodes; i-- > 0;) /* an encode that failed has no aggregates */
        t.lead = has_scores(&encode[i]) && !encode[i].failed ? &encode[i] : t.lead;
    if (!t.lead)
        return ASSAY_OK;
    const uint32_t most = FIXED + 2 * t.lead->scores->keys + t.lead->run->aggregates;
    struct column *column = calloc(most, sizeof *column);
    char (*cells)[CELL] = calloc((size_t)most * encodes, sizeof *cells);
    int rc = column && cells ? ASSAY_OK : ASSAY_EINTERNAL;
    if (!rc) {
        for (uint32_t c = 0; c < most; c++)
            column[c].cell = cells + (size_t)c * encodes;
        set_fixed(&t, column);
        const uint32_t columns = FIXED + set_scores(&t, column + FIXED);
        choose_name_width(&t, column, columns);
        head(&t, reference);
        for (uint32_t c = COLUMN_SIZE; c < columns;) {
            if (c > COLUMN_SIZE)
                sink_text(&t.out, "\n");
            c = print_part(&t, column, c, columns);
        }
        failures(&t);
        rc = sink_flush(&t.out, NULL);
    }
    free(cells);
    free(column);
    return rc;
}
