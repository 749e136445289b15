/* SPDX-License-Identifier: BSD-2-Clause */
/* Rate-distortion plots: the frame of one, and those of the HTML report, each score's mean by the encodes' rates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html_page.h"
#include "report/reporter.h"

enum { WIDTH = 520, HEIGHT = 300, LEFT = 56, RIGHT = 500, TOP = 16, FLOOR = 252, ENCODES_MOST = 256 };

static bool is_per_pixel(const char *unit)
{
    return !strcmp(unit, REPORT_BITS_PER_PIXEL);
}

static const char *rate_name(const char *unit)
{
    return is_per_pixel(unit) ? "bits per pixel" : "bitrate";
}

/* ---- a plot ------------------------------------------------------------------------------------------------------ */

/* Ticks at 1, 2 and 5 times powers of ten. Between two rates that are close to each other there may be none: their
 * points state the rate. */
static void put_ticks(const struct rate_plot *p)
{
    static const double factors[] = {1, 2, 5};
    struct sink *s = p->s;
    axis_put_lines(s, &p->y, LEFT, RIGHT, 1);
    for (int power = -3; power < 12; power++)
        for (unsigned f = 0; f < 3; f++) {
            const double rate = factors[f] * assay_pow(10, power), at = assay_log10(rate);
            if (at < p->x.low || at > p->x.low + p->x.span)
                continue;
            axis_put(s, "<text class=\"x\" x=\"", &p->x, at, 1);
            sink_format(s, "\" y=\"%d", FLOOR + 18);
            sink_number_within(s, "\">", rate, power < 0 ? -power : 0, "</text>\n");
        }
    sink_format(s, "<text class=\"x\" x=\"%d\" y=\"%d\">%s</text>\n", (LEFT + RIGHT) / 2, FLOOR + 38, p->unit);
}

void rate_plot_begin(struct rate_plot *p, const char *note, const struct range *log_rate, const struct range *values)
{
    const double low = log_rate->low, high = log_rate->high, room = assay_max(0.04, (high - low) * 0.06);
    axis_cover(&p->y, values);
    p->x = (struct axis){low - room, high - low + 2 * room, 1, LEFT, RIGHT - LEFT};
    p->y.at = FLOOR;
    p->y.pixels = TOP - FLOOR;
    sink_format(p->s, "<figure class=\"rate\" data-key=\"%s\"><figcaption><h3>%s%s</h3><span class=\"note\">%s</span>"
                "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s by %s</title>\n", p->key, p->key,
                axis_unit(p->key), note, WIDTH, HEIGHT, p->key, rate_name(p->unit));
    put_ticks(p);
}

void rate_plot_end(const struct rate_plot *p)
{
    sink_text(p->s, "</svg></figure>\n");
}

void rate_plot_vertex(void *plot, double log_rate, double value)
{
    const struct rate_plot *p = plot;
    axis_put(p->s, "", &p->x, log_rate, 1);
    axis_put(p->s, ",", &p->y, value, 1);
    sink_text(p->s, " ");
}

int html_rate_decimals(double rate, const char *unit)
{
    return is_per_pixel(unit) ? 3 : rate < 100 ? 1 : 0;
}

void rate_plot_mark(const struct rate_plot *p, const struct rate_mark *mark)
{
    struct sink *s = p->s;
    const double at = assay_log10(mark->rate);
    sink_format(s, "<g class=\"point e%u\" data-%s=\"%u\"><title>", mark->owner % HTML_COLOURS, mark->of, mark->owner);
    html_within(s, "", mark->name, ": ");
    sink_number(s, mark->rate, html_rate_decimals(mark->rate, p->unit));
    sink_format(s, " %s", p->unit);
    sink_number_within(s, ", ", mark->value, mark->decimals, "</title><circle r=\"5");
    axis_put(s, "\" cx=\"", &p->x, at, 1);
    axis_put(s, "\" cy=\"", &p->y, mark->value, 1);
    sink_format(s, "\"/><text%s", mark->above ? " text-anchor=\"end\"" : "");
    sink_number_within(s, " x=\"", axis_place(&p->x, at) + (mark->above ? -8 : 9), 1, "\" y=\"");
    sink_number(s, axis_place(&p->y, mark->value) + (mark->above ? -6 : 14), 1);
    sink_format(s, "\">%u</text></g>\n", mark->number);
}

/* ---- of encodes -------------------------------------------------------------------------------------------------- */

struct rates {
    const struct page *page;
    uint32_t n;
    struct rate_point {
        uint32_t encode;
        double rate, value;
    } point[ENCODES_MOST];
};

/* The points of a score by their rate. */
static void find_points(struct rates *r, const char *key)
{
    const struct page *p = r->page;
    r->n = 0;
    for (uint32_t i = 0; i < p->encodes && r->n < ENCODES_MOST; i++) {
        struct rate_point point = {.encode = i, .rate = html_rate(p, &p->encode[i])};
        uint32_t at = r->n;
        encode_pooled(&p->encode[i], key, "mean", &point.value);
        if (!isfinite(point.rate) || !isfinite(point.value))
            continue;
        for (; at && r->point[at - 1].rate > point.rate; at--)
            r->point[at] = r->point[at - 1];
        r->point[at] = point;
        r->n++;
    }
}

static void put_figure(const struct rates *r, const char *key)
{
    const struct page *page = r->page;
    char note[32];
    struct rate_plot p = {.s = page->s, .key = key, .unit = html_rate_unit(page)};
    struct range rates = range_empty, values = range_empty;
    for (uint32_t i = 0; i < r->n; i++) {
        range_add(&rates, assay_log10(r->point[i].rate));
        range_add(&values, r->point[i].value);
    }
    snprintf(note, sizeof note, "mean by %s", rate_name(p.unit));
    rate_plot_begin(&p, note, &rates, &values);
    sink_text(p.s, "<polyline class=\"join\" points=\"");
    for (uint32_t i = 0; i < r->n; i++)
        rate_plot_vertex(&p, assay_log10(r->point[i].rate), r->point[i].value);
    sink_text(p.s, "\"/>\n");
    for (uint32_t i = 0; i < r->n; i++) {
        const struct rate_point *point = &r->point[i];
        rate_plot_mark(&p, &(struct rate_mark){page->encode[point->encode].name, "encode", point->encode,
                                               point->encode + 1, point->rate, point->value,
                                               html_decimals(page, fabs(point->value)), false});
    }
    rate_plot_end(&p);
}

void html_rates(const struct page *p)
{
    struct rates r = {.page = p};
    const struct encodes_keys *all = &p->keys;
    bool begun = false;
    for (uint32_t k = 0; p->encodes > 1 && k < all->scores; k++) {
        if (!all->score[k].shown || all->score[k].direction == ASSAY_NEUTRAL)
            continue;
        find_points(&r, all->score[k].key);
        if (r.n < 2)
            continue;
        if (!begun)
            sink_text(p->s, "<section id=\"rates\" aria-labelledby=\"rates-title\">\n"
                      "<h2 id=\"rates-title\">Rate and quality</h2>\n<div class=\"rates\">\n");
        begun = true;
        put_figure(&r, all->score[k].key);
    }
    if (begun)
        sink_text(p->s, "</div>\n<p class=\"hint\">The numbers are those of the encodes in the summary.</p>\n"
                  "</section>\n");
}
