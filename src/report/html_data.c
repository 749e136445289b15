/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The curves of the HTML report for its script, as JSON:
 *   {"frames": [first, span], "encodes": [name, ...],
 *    "keys": [{"name", "unit", "y": [low, span, step], "ticks": decimals, "decimals",
 *              "curves": [{"frames", "times", "values", "bins", "mean", "worst": [frame, value]} or null, ...]}, ...]}
 * A curve's frames are {"first", "step"}, or the first one and then each one's distance from the one before. Times are
 * milliseconds: a line over the frames, or as frames are, or null. Values have the key's decimals, and null interrupts
 * a curve.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/html_page.h"
#include "report/reporter.h"

static void put_number(struct sink *s, double v, int decimals)
{
    if (isfinite(v))
        sink_number(s, v, decimals);
    else
        sink_text(s, "null");
}

/* The rows of a curve that are kept, one after the other. */
struct list {
    const struct page *page;
    const struct scores *scores;
    uint32_t column;
    int decimals;
    enum { LIST_VALUES, LIST_FRAMES, LIST_TIMES } what;
    uint64_t n;
    bool gap;
    int64_t last;
};

static void put_row(void *opaque, uint64_t row, bool finite)
{
    struct list *l = opaque;
    struct sink *s = l->page->s;
    if (!finite && l->gap)
        return;
    l->gap = !finite;
    sink_text(s, l->n++ ? "," : "");
    if (l->what == LIST_VALUES) {
        put_number(s, finite ? score_at(l->scores, row, l->column) : (double)NAN, l->decimals);
        return;
    }
    const int64_t at = l->what == LIST_FRAMES ? (int64_t)l->scores->frame[row] : l->scores->time[row] / 1000000;
    sink_format(s, "%" PRId64, at - l->last);
    l->last = at;
}

static void put_list(struct list l)
{
    sink_text(l.page->s, "[");
    curve_walk(l.scores, l.column, l.page->points, put_row, &l);
    sink_text(l.page->s, "]");
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
    struct sink *s = l.page->s;
    uint64_t step;
    double first, each;
    bool timed = true;
    sink_text(s, "\"frames\":");
    l.what = LIST_FRAMES;
    if (even_frames(l.scores, &step) && complete(&l))
        sink_format(s, "{\"first\":%" PRIu64 ",\"step\":%" PRIu64 "}", l.scores->frame[0], step);
    else
        put_list(l);
    for (uint64_t row = 0; row < l.scores->rows; row++)
        timed = timed && l.scores->time[row] != SCORES_NO_TIME;
    sink_text(s, ",\"times\":");
    l.what = LIST_TIMES;
    if (!timed) {
        sink_text(s, "null");
    } else if (even_times(l.scores, &first, &each)) {
        sink_format(s, "{\"frame\":%" PRIu64 ",\"first\":", l.scores->frame[0]);
        put_number(s, first, 6);
        sink_text(s, ",\"step\":");
        put_number(s, each, 9);
        sink_text(s, "}");
    } else {
        put_list(l);
    }
}

static void put_curve(const struct page *p, const struct report_encode *encode, uint32_t column, const struct axis *y,
                      int decimals)
{
    const struct scores *scores = encode->scores;
    struct sink *s = p->s;
    uint64_t bin[HTML_BINS], row;
    const struct list list = {.page = p, .scores = scores, .column = column, .decimals = decimals};
    sink_text(s, "{");
    put_places(list);
    sink_text(s, ",\"values\":");
    put_list(list);
    html_histogram(scores, column, y, bin);
    sink_text(s, ",\"bins\":[");
    for (unsigned i = 0; i < HTML_BINS; i++)
        sink_format(s, "%s%" PRIu64, i ? "," : "", bin[i]);
    sink_text(s, "],\"mean\":");
    put_number(s, scores_pool(scores, column, POOL_MEAN, 0, NULL), decimals + 2);
    sink_text(s, ",\"worst\":");
    if (scores_worst(scores, column, &row) && isfinite(score_at(scores, row, column))) {
        sink_format(s, "[%" PRIu64 ",", scores->frame[row]);
        put_number(s, score_at(scores, row, column), decimals);
        sink_text(s, "]");
    } else {
        sink_text(s, "null");
    }
    sink_text(s, "}");
}

static void put_key(const struct page *p, const char *key, const struct axis *y, int decimals)
{
    struct sink *s = p->s;
    sink_format(s, "{\"name\":\"%s\",\"unit\":\"%s\",\"y\":[", key, axis_unit(key));
    put_number(s, y->low, REPORT_SHORTEST);
    sink_text(s, ",");
    put_number(s, y->span, REPORT_SHORTEST);
    sink_text(s, ",");
    put_number(s, y->step, REPORT_SHORTEST);
    sink_format(s, "],\"ticks\":%d,\"decimals\":%d,\"curves\":[", axis_decimals(y->step), decimals);
    for (uint32_t i = 0; i < p->encodes; i++) {
        uint32_t column;
        sink_text(s, i ? ",\n" : "\n");
        if (encode_column(&p->encode[i], key, &column))
            put_curve(p, &p->encode[i], column, y, decimals);
        else
            sink_text(s, "null");
    }
    sink_text(s, "]}");
}

void html_data(const struct page *p)
{
    struct sink *s = p->s;
    struct axis x, y;
    const char *key;
    bool first = true;
    html_frames(p, &x, 8);
    sink_text(s, "<script type=\"application/json\" id=\"data\">{\"frames\":[");
    put_number(s, x.low, 0);
    sink_text(s, ",");
    put_number(s, x.span, 0);
    sink_text(s, "],\"encodes\":[");
    for (uint32_t i = 0; i < p->encodes; i++) {
        sink_text(s, i ? "," : "");
        sink_json_html(s, p->encode[i].name);
    }
    sink_text(s, "],\"keys\":[");
    for (uint32_t k = 0; (key = html_next(p, &k));) {
        html_axis(p, key, &y);
        sink_text(s, first ? "\n" : ",\n");
        put_key(p, key, &y, report_decimals(larger(fabs(y.low), fabs(y.low + y.span))));
        first = false;
    }
    sink_text(s, "]}</script>\n");
}
