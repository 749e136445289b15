/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The curves of the HTML report for its script, as JSON:
 *   {"frames": [first, span], "encodes": [name, ...],
 *    "keys": [{"name", "unit", "y": [low, span, step], "ticks": decimals, "decimals",
 *              "curves": [{"frames", "times", "values", "bins", "mean", "worst": [frame, value]} or null, ...]}, ...]}
 * A curve's frames are {"first", "step"}, or the first one and then each one's distance from the one before. Times are
 * milliseconds: a line over the frames, or as frames are, or null. Values have the key's decimals, by which a hundredth
 * of a step of the axis is seen, and null interrupts a curve.
 */
#include <math.h>

#include "report/html_page.h"
#include "report/reporter.h"

/* The rows of a curve that are kept, one after the other. */
struct list {
    const struct page *page;
    struct json *j;
    const struct scores *scores;
    uint32_t column;
    int decimals;
    enum { LIST_VALUES, LIST_FRAMES, LIST_TIMES } what;
    bool gap;
    int64_t last;
};

static void put_row(void *opaque, uint64_t row, bool finite)
{
    struct list *l = opaque;
    if (!finite && l->gap)
        return;
    l->gap = !finite;
    if (l->what == LIST_VALUES) {
        json_number(l->j, NULL, finite ? score_at(l->scores, row, l->column) : (double)NAN, l->decimals);
        return;
    }
    const int64_t at = l->what == LIST_FRAMES ? (int64_t)l->scores->frame[row]
                                              : report_milliseconds(l->scores->time[row]);
    json_whole(l->j, NULL, at - l->last);
    l->last = at;
}

static void put_list(struct list l, const char *name)
{
    json_list(l.j, name, JSON_TIGHT);
    curve_walk(l.scores, l.column, l.page->points, put_row, &l);
    json_end(l.j);
}

/* Whether the frames of all rows are first + row * step. */
static bool even_frames(const struct scores *s, uint64_t *step)
{
    *step = s->rows > 1 ? s->frame[1] - s->frame[0] : 1;
    for (uint64_t row = 1; row < s->rows; row++)
        if (s->frame[row] - s->frame[row - 1] != *step)
            return false;
    return true;
}

/* Whether every row is in the list: nothing is thinned, and no gap is longer than a row. */
static bool complete(const struct list *l)
{
    bool gap = false;
    if (l->scores->rows > 2 * l->page->points)
        return false;
    for (uint64_t row = 0; row < l->scores->rows; row++) {
        const bool finite = isfinite(score_at(l->scores, row, l->column));
        if (!finite && gap)
            return false;
        gap = !finite;
    }
    return true;
}

/* Whether all times are within a millisecond of a straight line from the first frame's to the last one's. */
static bool even_times(const struct scores *s, double *first, double *each)
{
    const uint64_t last = s->rows - 1;
    *first = (double)s->time[0] / 1e6;
    *each = last ? ((double)s->time[last] - (double)s->time[0]) / 1e6 / (double)(s->frame[last] - s->frame[0]) : 0;
    for (uint64_t row = 0; row < s->rows; row++) {
        const double at = *first + *each * (double)(s->frame[row] - s->frame[0]);
        if (s->time[row] == SCORES_NO_TIME || fabs(at - (double)s->time[row] / 1e6) > 1)
            return false;
    }
    return true;
}

static void put_places(struct list l)
{
    struct json *j = l.j;
    uint64_t step;
    double first, each;
    bool timed = true;
    l.what = LIST_FRAMES;
    if (even_frames(l.scores, &step) && complete(&l)) {
        json_object(j, "frames", JSON_TIGHT);
        json_count(j, "first", l.scores->frame[0]);
        json_count(j, "step", step);
        json_end(j);
    } else {
        put_list(l, "frames");
    }
    for (uint64_t row = 0; row < l.scores->rows; row++)
        timed = timed && l.scores->time[row] != SCORES_NO_TIME;
    l.what = LIST_TIMES;
    if (!timed) {
        json_null(j, "times");
    } else if (even_times(l.scores, &first, &each)) {
        json_object(j, "times", JSON_TIGHT);
        json_count(j, "frame", l.scores->frame[0]);
        json_number(j, "first", first, 6);
        json_number(j, "step", each, 9);
        json_end(j);
    } else {
        put_list(l, "times");
    }
}

static void put_curve(const struct page *p, struct json *j, const struct stored *encode, uint32_t column,
                      const struct axis *y, int decimals)
{
    const struct scores *scores = &encode->scores;
    uint64_t bin[HTML_BINS], row;
    const struct list list = {.page = p, .j = j, .scores = scores, .column = column, .decimals = decimals};
    json_object(j, NULL, JSON_TIGHT);
    put_places(list);
    put_list(list, "values");
    html_histogram(scores, column, y, bin);
    json_list(j, "bins", JSON_TIGHT);
    for (unsigned i = 0; i < HTML_BINS; i++)
        json_count(j, NULL, bin[i]);
    json_end(j);
    json_number(j, "mean", scores_pool(scores, column, POOL_MEAN, 0, NULL), REPORT_SHORTEST);
    if (scores_worst(scores, column, &row) && isfinite(score_at(scores, row, column))) {
        json_list(j, "worst", JSON_TIGHT);
        json_count(j, NULL, scores->frame[row]);
        json_number(j, NULL, score_at(scores, row, column), decimals);
        json_end(j);
    } else {
        json_null(j, "worst");
    }
    json_end(j);
}

static void put_key(const struct page *p, struct json *j, const char *key, const struct axis *y, int decimals)
{
    json_object(j, NULL, JSON_TIGHT);
    json_text(j, "name", key);
    json_text(j, "unit", axis_unit(key));
    json_list(j, "y", JSON_TIGHT);
    json_number(j, NULL, y->low, REPORT_SHORTEST);
    json_number(j, NULL, y->span, REPORT_SHORTEST);
    json_number(j, NULL, y->step, REPORT_SHORTEST);
    json_end(j);
    json_whole(j, "ticks", axis_decimals(y->step));
    json_whole(j, "decimals", decimals);
    json_list(j, "curves", JSON_TIGHT | JSON_LINES | JSON_HANG);
    for (uint32_t i = 0; i < p->encodes; i++) {
        uint32_t column;
        if (encode_column(&p->encode[i], key, &column))
            put_curve(p, j, &p->encode[i], column, y, decimals);
        else
            json_null(j, NULL);
    }
    json_end(j);
    json_end(j);
}

void html_data(const struct page *p)
{
    struct json j = {.sink = p->s, .html = true};
    struct axis x, y;
    const char *key;
    html_frames(p, &x, 8);
    sink_text(p->s, "<script type=\"application/json\" id=\"data\">");
    json_object(&j, NULL, JSON_TIGHT);
    json_list(&j, "frames", JSON_TIGHT);
    json_number(&j, NULL, x.low, 0);
    json_number(&j, NULL, x.span, 0);
    json_end(&j);
    json_list(&j, "encodes", JSON_TIGHT);
    for (uint32_t i = 0; i < p->encodes; i++)
        json_text(&j, NULL, p->encode[i].name);
    json_end(&j);
    json_list(&j, "keys", JSON_TIGHT | JSON_LINES | JSON_HANG);
    for (uint32_t k = 0; (key = html_next(p, &k));) {
        html_axis(p, key, &y);
        const int usual = report_decimals(assay_max(fabs(y.low), fabs(y.low + y.span))),
                  fine = axis_decimals(y.step / 100);
        put_key(p, &j, key, &y, usual > fine ? usual : fine);
    }
    json_end(&j);
    json_end(&j);
    sink_text(p->s, "</script>\n");
}
