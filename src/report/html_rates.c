/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate-distortion plots of the HTML report: each score's mean by the encodes' rates. */
#include <math.h>
#include <string.h>

#include "host/exact_math.h"
#include "report/html_page.h"

enum { WIDTH = 520, HEIGHT = 300, LEFT = 56, RIGHT = 500, TOP = 16, FLOOR = 252, ENCODES_MOST = 256 };

struct rates {
    const struct page *page;
    uint32_t n;
    struct rate_point {
        uint32_t encode;
        double kbps, value;
    } point[ENCODES_MOST];
    struct axis x, y; /* x: the decimal logarithm of the rate */
};

/* The points of a score by their rate. */
static void find_points(struct rates *r, const char *key)
{
    const struct page *p = r->page;
    r->n = 0;
    for (uint32_t i = 0; i < p->encodes && r->n < ENCODES_MOST; i++) {
        const int64_t column = html_column(&p->encode[i], key);
        const struct rate_point point = {
            i, html_kbps(&p->encode[i]),
            column == HTML_NONE || !p->encode[i].scores->rows
                ? (double)NAN : scores_pool(p->encode[i].scores, (uint32_t)column, POOL_MEAN, 0, NULL)};
        uint32_t at = r->n;
        if (!isfinite(point.kbps) || !isfinite(point.value))
            continue;
        for (; at && r->point[at - 1].kbps > point.kbps; at--)
            r->point[at] = r->point[at - 1];
        r->point[at] = point;
        r->n++;
    }
}

static void set_axes(struct rates *r)
{
    struct range range = range_empty;
    for (uint32_t i = 0; i < r->n; i++)
        range_add(&range, r->point[i].value);
    axis_cover(&r->y, &range);
    const double low = assay_log10(r->point[0].kbps), high = assay_log10(r->point[r->n - 1].kbps),
                 room = larger(0.04, (high - low) * 0.06);
    r->x = (struct axis){low - room, high - low + 2 * room, 1, LEFT, RIGHT - LEFT};
    r->y.at = FLOOR;
    r->y.pixels = TOP - FLOOR;
}

static void put_place(const struct rates *r, const struct rate_point *point)
{
    axis_put(r->page->s, &r->x, assay_log10(point->kbps), 1);
    sink_text(r->page->s, ",");
    axis_put(r->page->s, &r->y, point->value, 1);
    sink_text(r->page->s, " ");
}

/* Ticks at 1, 2 and 5 times powers of ten. Between two rates that are close to each other there may be none: their
 * points state the rate. */
static void put_ticks(const struct rates *r)
{
    static const double factors[] = {1, 2, 5};
    struct sink *s = r->page->s;
    axis_put_lines(s, &r->y, LEFT, RIGHT, 1);
    for (int power = -3; power < 12; power++)
        for (unsigned f = 0; f < 3; f++) {
            const double kbps = factors[f] * assay_pow(10, power), at = assay_log10(kbps);
            if (at < r->x.low || at > r->x.low + r->x.span)
                continue;
            sink_text(s, "<text class=\"x\" x=\"");
            axis_put(s, &r->x, at, 1);
            sink_format(s, "\" y=\"%d\">", FLOOR + 18);
            sink_number(s, kbps, power < 0 ? -power : 0);
            sink_text(s, "</text>\n");
        }
    sink_format(s, "<text class=\"x\" x=\"%d\" y=\"%d\">kbit/s</text>\n", (LEFT + RIGHT) / 2, FLOOR + 38);
}

static void put_points(const struct rates *r)
{
    struct sink *s = r->page->s;
    sink_text(s, "<polyline class=\"join\" points=\"");
    for (uint32_t i = 0; i < r->n; i++)
        put_place(r, &r->point[i]);
    sink_text(s, "\"/>\n");
    for (uint32_t i = 0; i < r->n; i++) {
        const struct rate_point *point = &r->point[i];
        sink_format(s, "<g class=\"point e%u\" data-encode=\"%u\"><title>", point->encode % HTML_COLOURS,
                    point->encode);
        html_text(s, r->page->encode[point->encode].name);
        sink_text(s, ": ");
        sink_number(s, point->kbps, point->kbps < 100 ? 1 : 0);
        sink_text(s, " kbit/s, ");
        sink_number(s, point->value, html_decimals(r->page, fabs(point->value)));
        sink_text(s, "</title><circle r=\"5\" cx=\"");
        axis_put(s, &r->x, assay_log10(point->kbps), 1);
        sink_text(s, "\" cy=\"");
        axis_put(s, &r->y, point->value, 1);
        sink_text(s, "\"/><text x=\"");
        sink_number(s, axis_place(&r->x, assay_log10(point->kbps)) + 9, 1);
        sink_text(s, "\" y=\"");
        sink_number(s, axis_place(&r->y, point->value) + 14, 1);
        sink_format(s, "\">%u</text></g>\n", point->encode + 1);
    }
}

void html_rates(const struct page *p)
{
    struct rates r = {.page = p};
    const struct scores *s = p->lead->scores;
    bool begun = false;
    for (uint32_t k = 0; p->encodes > 1 && k < s->keys; k++) {
        if (!html_shown(p, k) || !s->direction || s->direction[k] == ASSAY_NEUTRAL)
            continue;
        find_points(&r, s->key[k]);
        if (r.n < 2)
            continue;
        if (!begun)
            sink_text(p->s, "<section id=\"rates\" aria-labelledby=\"rates-title\">\n"
                      "<h2 id=\"rates-title\">Rate and quality</h2>\n<div class=\"rates\">\n");
        begun = true;
        set_axes(&r);
        sink_format(p->s, "<figure class=\"rate\" data-key=\"%s\"><figcaption><h3>%s%s</h3><span class=\"note\">"
                    "mean by bitrate</span></figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s by bitrate</title>\n",
                    s->key[k], s->key[k], axis_unit(s->key[k]), WIDTH, HEIGHT, s->key[k]);
        put_ticks(&r);
        put_points(&r);
        sink_text(p->s, "</svg></figure>\n");
    }
    if (begun)
        sink_text(p->s, "</div>\n<p class=\"hint\">The numbers are those of the encodes in the summary.</p>\n"
                  "</section>\n");
}
