/* SPDX-License-Identifier: BSD-2-Clause */
/* The plots of the HTML report as they are without script: for each score its values over the frames, all encodes in
 * one picture, and beside it on the same axis how often each value is there. The script draws them again, to the width
 * of the window and zoomed. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/html_page.h"
#include "report/reporter.h"

/* Pixels. BAR: the histogram, whose longest bar has BAR_WIDTH. */
enum { WIDTH = 1080, HEIGHT = 196, LEFT = 56, RIGHT = 912, TOP = 12, FLOOR = 168, BAR = 936, BAR_WIDTH = 136 };

struct plot {
    const struct page *page;
    const char *key;
    struct axis x, y;
};

static void put_class(struct sink *s, const char *name, uint32_t encode)
{
    char text[HTML_CLASS];
    sink_format(s, " class=\"%s\"", html_class(text, name, encode));
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

/* A ring around the worst frame. */
static void put_worst(const struct plot *plot, const struct scores *s, uint32_t column, uint32_t encode)
{
    struct sink *out = plot->page->s;
    uint64_t row;
    if (!scores_worst(s, column, &row) || !isfinite(score_at(s, row, column)))
        return;
    sink_text(out, "<circle");
    put_class(out, "worst", encode);
    sink_text(out, " r=\"4.5\" cx=\"");
    axis_put(out, &plot->x, (double)s->frame[row], 1);
    sink_text(out, "\" cy=\"");
    axis_put(out, &plot->y, score_at(s, row, column), 1);
    sink_text(out, "\"/>\n");
}

/* ---- the histogram ----------------------------------------------------------------------------------------------- */

/* Bars of one encode; outlines of several. */
static void put_bars(const struct plot *plot, uint32_t encode, const uint64_t bin[HTML_BINS], double most)
{
    struct sink *s = plot->page->s;
    const double height = (double)(FLOOR - TOP) / HTML_BINS;
    const bool outline = plot->page->encodes > 1;
    if (outline) {
        sink_text(s, "<path");
        put_class(s, "curve", encode);
        sink_format(s, " d=\"M%d %d", BAR, FLOOR);
    }
    for (unsigned i = 0; i < HTML_BINS; i++) {
        const double width = (double)bin[i] / most * BAR_WIDTH, top = FLOOR - (i + 1) * height;
        if (outline) {
            sink_text(s, "H");
            sink_number(s, BAR + width, 1);
            sink_text(s, "V");
            sink_number(s, top, 1);
        } else if (bin[i]) {
            sink_format(s, "<rect class=\"bar\" x=\"%d\" height=\"", BAR);
            sink_number(s, height - 0.5, 2);
            sink_text(s, "\" y=\"");
            sink_number(s, top, 2);
            sink_text(s, "\" width=\"");
            sink_number(s, larger(width, 1), 1);
            sink_format(s, "\" data-frames=\"%" PRIu64 "\"/>\n", bin[i]);
        }
    }
    if (outline)
        sink_format(s, "H%d\"/>\n", BAR);
}

static void put_histogram(const struct plot *plot)
{
    const struct page *p = plot->page;
    uint64_t bin[HTML_BINS];
    double most = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < p->encodes; i++) {
            uint32_t column;
            if (!encode_column(&p->encode[i], plot->key, &column) || (pass && most <= 0))
                continue;
            html_histogram(p->encode[i].scores, column, &plot->y, bin);
            for (unsigned b = 0; b < HTML_BINS && !pass; b++)
                most = larger(most, (double)bin[b]);
            if (pass)
                put_bars(plot, i, bin, most);
        }
    sink_format(p->s, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n"
                "<text class=\"x\" x=\"%d\" y=\"%d\">0</text>\n<text class=\"y\" x=\"%d\" y=\"%d\">%.0f frame%s</text>\n",
                BAR, BAR, TOP, FLOOR, BAR, FLOOR + 18, BAR + BAR_WIDTH, FLOOR + 18, most,
                most == 1 ? "" : "s");
}

/* ---- a panel ----------------------------------------------------------------------------------------------------- */

/* "mean 88.771, worst 82.580 in frame 0" of one encode. Of several the tables say it. */
static void put_note(const struct plot *plot, uint64_t finite)
{
    const struct page *p = plot->page;
    const struct report_encode *x = p->encode;
    uint64_t row, rows = 0;
    uint32_t column;
    sink_text(p->s, "<span class=\"note\">");
    if (p->encodes == 1 && encode_column(x, plot->key, &column)) {
        const double mean = scores_pool(x->scores, column, POOL_MEAN, 0, NULL);
        const bool worst = scores_worst(x->scores, column, &row);
        if (isfinite(mean)) {
            sink_text(p->s, "mean ");
            sink_number(p->s, mean, html_decimals(p, fabs(mean)));
        }
        if (worst && isfinite(score_at(x->scores, row, column))) {
            sink_format(p->s, "%sworst ", isfinite(mean) ? ", " : "");
            sink_number(p->s, score_at(x->scores, row, column), html_decimals(p, fabs(mean)));
            sink_format(p->s, " in frame %" PRIu64, x->scores->frame[row]);
        }
    }
    for (uint32_t i = 0; i < p->encodes; i++)
        rows += encode_column(&p->encode[i], plot->key, &column) ? p->encode[i].scores->rows : 0;
    if (finite < rows)
        sink_format(p->s, " %" PRIu64 " of %" PRIu64 " without a finite value", rows - finite, rows);
    sink_text(p->s, "</span>");
}

static void put_mean(const struct plot *plot, const struct scores *s, uint32_t column)
{
    const double mean = scores_pool(s, column, POOL_MEAN, 0, NULL);
    if (!isfinite(mean))
        return;
    sink_format(plot->page->s, "<line class=\"mean\" x1=\"%d\" x2=\"%d\" y1=\"", LEFT, RIGHT);
    axis_put(plot->page->s, &plot->y, mean, 1);
    sink_text(plot->page->s, "\" y2=\"");
    axis_put(plot->page->s, &plot->y, mean, 1);
    sink_text(plot->page->s, "\"/>\n");
}

static void put_panel(const struct page *p, const char *key)
{
    struct plot plot = {.page = p, .key = key};
    struct sink *s = p->s;
    html_frames(p, &plot.x, 8);
    const uint64_t finite = html_axis(p, key, &plot.y);
    plot.x.at = LEFT;
    plot.x.pixels = RIGHT - LEFT;
    plot.y.at = FLOOR;
    plot.y.pixels = TOP - FLOOR;
    sink_format(s, "<figure class=\"panel\" id=\"score-%s\" data-key=\"%s\">\n<figcaption><h3>%s%s</h3>", key, key, key,
                axis_unit(key));
    put_note(&plot, finite);
    sink_format(s, "</figcaption>\n<div class=\"wide\"><svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s of each frame"
                "</title>\n", WIDTH, HEIGHT, key);
    axis_put_lines(s, &plot.y, LEFT, RIGHT, 1);
    axis_put_numbers(s, &plot.x, FLOOR + 18, 1);
    for (uint32_t i = 0; i < p->encodes; i++) {
        uint32_t column;
        if (!encode_column(&p->encode[i], key, &column))
            continue;
        char class[HTML_CLASS];
        const struct curve curve = {p->encode[i].scores, column, &plot.x, &plot.y, p->vertices, 1,
                                    html_class(class, "curve", i)};
        if (p->encodes == 1)
            put_mean(&plot, curve.scores, curve.key);
        curve_put(s, &curve);
        put_worst(&plot, curve.scores, curve.key, i);
    }
    put_histogram(&plot);
    sink_text(s, "</svg></div>\n</figure>\n");
}

static void put_legend(const struct page *p)
{
    sink_text(p->s, "<ul class=\"legend\" id=\"encode-names\">\n");
    for (uint32_t i = 0; i < p->encodes; i++) {
        sink_format(p->s, "<li data-encode=\"%u\"><svg class=\"swatch\" viewBox=\"0 0 28 10\" aria-hidden=\"true\">"
                    "<line", i);
        put_class(p->s, "curve", i);
        sink_format(p->s, " x1=\"1\" x2=\"27\" y1=\"5\" y2=\"5\"/></svg> <span class=\"number\">%u</span> ", i + 1);
        html_text(p->s, p->encode[i].name);
        sink_text(p->s, "</li>\n");
    }
    sink_text(p->s, "</ul>\n");
}

void html_plots(const struct page *p)
{
    const char *key;
    uint64_t longest = 0;
    sink_text(p->s, "<section id=\"plots\" aria-labelledby=\"plots-title\">\n"
              "<h2 id=\"plots-title\">Over the frames</h2>\n<div class=\"tools\" id=\"tools\">\n");
    if (p->encodes > 1)
        put_legend(p);
    sink_text(p->s, "</div>\n");
    for (uint32_t k = 0; (key = html_next(p, &k));)
        put_panel(p, key);
    for (uint32_t i = 0; i < p->encodes; i++)
        longest = p->encode[i].scores->rows > longest ? p->encode[i].scores->rows : longest;
    sink_text(p->s, "<p class=\"hint\">The ring is the worst frame.");
    if (p->encodes == 1)
        sink_text(p->s, " The dashed line is the mean.");
    if (longest > 2 * p->points)
        sink_format(p->s, " Of each %" PRIu64 " frames the lowest and the highest are drawn.",
                    (longest + p->points - 1) / p->points);
    sink_text(p->s, "</p>\n</section>\n");
}
