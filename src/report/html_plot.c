/* SPDX-License-Identifier: BSD-2-Clause */
/* The plots of the HTML report as they are without script: for each score its values over the frames, all encodes in
 * one picture, and beside it on the same axis how often each value is there. The script draws them again, to the width
 * of the window and zoomed. */
#include <inttypes.h>
#include <math.h>

#include "report/html_page.h"
#include "report/reporter.h"

/* Pixels. BAR: the histogram, whose longest bar has BAR_WIDTH. */
enum { WIDTH = 1080, HEIGHT = 196, LEFT = 56, RIGHT = 912, TOP = 12, FLOOR = 168, BAR = 936, BAR_WIDTH = 136 };

/* ---- curves ------------------------------------------------------------------------------------------------------ */

/* The classes of what is drawn of an encode. */
static const char *class_of(const struct panel *p, char text[HTML_CLASS], const char *name, uint32_t encode)
{
    return p->plain && p->page->encodes == 1 ? name : html_class(text, name, encode);
}

/* A ring around the first frame with the worst value; with its number, where nothing else says it. */
static void put_ring(const struct panel *p, const struct stored *encode, uint32_t column, const char *class)
{
    struct sink *s = p->page->s;
    const struct scores *scores = &encode->scores;
    uint64_t row;
    if (!scores_worst(scores, column, &row) || !isfinite(score_at(scores, row, column)))
        return;
    sink_format(s, "<circle class=\"%s\" r=\"%s", class, p->radius);
    axis_put(s, "\" cx=\"", &p->x, (double)scores->frame[row], p->decimals);
    axis_put(s, "\" cy=\"", &p->y, score_at(scores, row, column), p->decimals);
    if (!p->plain) {
        sink_text(s, "\"/>\n");
        return;
    }
    sink_text(s, "\"><title>");
    if (p->page->encodes > 1)
        html_within(s, "", encode->name, ", ");
    sink_format(s, "worst: frame %" PRIu64, scores->frame[row]);
    sink_number_within(s, ", ", score_at(scores, row, column), p->page->precision, "</title></circle>\n");
}

static void put_mean(const struct panel *p, const struct scores *scores, uint32_t column)
{
    struct sink *s = p->page->s;
    const double mean = scores_pool(scores, column, POOL_MEAN, 0, NULL);
    if (!isfinite(mean))
        return;
    sink_format(s, "<line class=\"mean\" x1=\"%d\" x2=\"%d", p->x.at, p->x.at + p->x.pixels);
    axis_put(s, "\" y1=\"", &p->y, mean, p->decimals);
    axis_put(s, "\" y2=\"", &p->y, mean, p->decimals);
    sink_text(s, "\"/>\n");
}

void panel_axes(struct panel *p, int left, int right, int top, int floor)
{
    html_frames(p->page, &p->x, 8);
    p->values = html_axis(p->page, p->key, &p->y);
    p->x.at = left;
    p->x.pixels = right - left;
    p->y.at = floor;
    p->y.pixels = top - floor;
}

void panel_draw(const struct panel *p, int numbers)
{
    struct sink *s = p->page->s;
    axis_put_lines(s, &p->y, p->x.at, p->x.at + p->x.pixels, p->decimals);
    axis_put_numbers(s, &p->x, numbers, p->decimals);
    for (uint32_t i = 0; i < p->page->encodes; i++) {
        const struct stored *x = &p->page->encode[i];
        char curve[HTML_CLASS], worst[HTML_CLASS];
        uint32_t column;
        if (!encode_column(x, p->key, &column))
            continue;
        if (p->page->encodes == 1)
            put_mean(p, &x->scores, column);
        curve_put(s, &(struct curve){&x->scores, column, &p->x, &p->y, p->parts, p->decimals,
                                     class_of(p, curve, "curve", i)});
        put_ring(p, x, column, class_of(p, worst, "worst", i));
    }
}

/* ---- the histogram ----------------------------------------------------------------------------------------------- */

/* Bars of one encode; outlines of several. */
static void put_bars(const struct panel *plot, uint32_t encode, const uint64_t bin[HTML_BINS], double most)
{
    struct sink *s = plot->page->s;
    const double height = (double)(FLOOR - TOP) / HTML_BINS;
    const bool outline = plot->page->encodes > 1;
    if (outline) {
        sink_text(s, "<path");
        html_put_class(s, "curve", encode);
        sink_format(s, " d=\"M%d %d", BAR, FLOOR);
    }
    for (unsigned i = 0; i < HTML_BINS; i++) {
        const double width = (double)bin[i] / most * BAR_WIDTH, top = FLOOR - (i + 1) * height;
        if (outline) {
            sink_number_within(s, "H", BAR + width, 1, "V");
            sink_number(s, top, 1);
        } else if (bin[i]) {
            sink_format(s, "<rect class=\"bar\" x=\"%d\" height=\"", BAR);
            sink_number(s, height - 0.5, 2);
            sink_number_within(s, "\" y=\"", top, 2, "\" width=\"");
            sink_number(s, assay_max(width, 1), 1);
            sink_format(s, "\" data-frames=\"%" PRIu64 "\"/>\n", bin[i]);
        }
    }
    if (outline)
        sink_format(s, "H%d\"/>\n", BAR);
}

static void put_histogram(const struct panel *plot)
{
    const struct page *p = plot->page;
    uint64_t bin[HTML_BINS];
    double most = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < p->encodes; i++) {
            uint32_t column;
            if (!encode_column(&p->encode[i], plot->key, &column) || (pass && most <= 0))
                continue;
            html_histogram(&p->encode[i].scores, column, &plot->y, bin);
            for (unsigned b = 0; b < HTML_BINS && !pass; b++)
                most = assay_max(most, (double)bin[b]);
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
static void put_note(const struct panel *plot)
{
    const struct page *p = plot->page;
    const struct stored *x = p->encode;
    uint64_t row;
    uint32_t column;
    sink_text(p->s, "<span class=\"note\">");
    if (p->encodes == 1 && encode_column(x, plot->key, &column)) {
        const double mean = scores_pool(&x->scores, column, POOL_MEAN, 0, NULL);
        const bool worst = scores_worst(&x->scores, column, &row);
        if (isfinite(mean))
            sink_number_within(p->s, "mean ", mean, html_decimals(p, fabs(mean)), "");
        if (worst && isfinite(score_at(&x->scores, row, column))) {
            sink_number_within(p->s, isfinite(mean) ? ", worst " : "worst ", score_at(&x->scores, row, column),
                               html_decimals(p, fabs(mean)), "");
            sink_format(p->s, " in frame %" PRIu64, x->scores.frame[row]);
        }
    }
    if (plot->values.finite < plot->values.all)
        sink_format(p->s, " %" PRIu64 " of %" PRIu64 " without a finite value",
                    plot->values.all - plot->values.finite, plot->values.all);
    sink_text(p->s, "</span>");
}

static void put_panel(const struct page *p, const char *key)
{
    struct panel plot = {.page = p, .key = key, .parts = p->vertices, .decimals = 1, .radius = "4.5"};
    struct sink *s = p->s;
    panel_axes(&plot, LEFT, RIGHT, TOP, FLOOR);
    sink_format(s, "<figure class=\"panel\" id=\"score-%s\" data-key=\"%s\">\n<figcaption><h3>%s%s</h3>", key, key, key,
                axis_unit(key));
    put_note(&plot);
    sink_format(s, "</figcaption>\n<div class=\"wide\"><svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s of each frame"
                "</title>\n", WIDTH, HEIGHT, key);
    panel_draw(&plot, FLOOR + 18);
    put_histogram(&plot);
    sink_text(s, "</svg></div>\n</figure>\n");
}

static void put_legend(const struct page *p)
{
    sink_text(p->s, "<ul class=\"legend\" id=\"encode-names\">\n");
    for (uint32_t i = 0; i < p->encodes; i++) {
        sink_format(p->s, "<li data-encode=\"%u\">", i);
        html_swatch(p->s, i);
        html_numbered(p->s, "", i, p->encode[i].name, "</li>\n");
    }
    sink_text(p->s, "</ul>\n");
}

void html_plots(const struct page *p)
{
    const char *key;
    sink_text(p->s, "<section id=\"plots\" aria-labelledby=\"plots-title\">\n"
              "<h2 id=\"plots-title\">Over the frames</h2>\n<div class=\"tools\" id=\"tools\">\n");
    if (p->encodes > 1)
        put_legend(p);
    sink_text(p->s, "</div>\n");
    for (uint32_t k = 0; (key = html_next(p, &k));)
        put_panel(p, key);
    sink_text(p->s, "<p class=\"hint\">The ring is the worst frame.");
    if (p->encodes == 1)
        sink_text(p->s, " The dashed line is the mean.");
    if (p->longest > 2 * p->points)
        sink_format(p->s, " Of each %" PRIu64 " frames the lowest and the highest are drawn.",
                    (p->longest + p->points - 1) / p->points);
    sink_text(p->s, "</p>\n</section>\n");
}
