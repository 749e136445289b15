/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/html_curves.h"

#include <inttypes.h>
#include <math.h>

#include "host/exact_math.h"
#include "report/html_page.h"
#include "report/reporter.h"

/* Vertices of a curve between two of its points. */
enum { PARTS = 24 };

static int decimals(const struct html_curves *c, int usual)
{
    return c->precision == REPORT_DEFAULT ? usual : c->precision;
}

static int score_decimals(const struct html_curves *c, double v)
{
    return decimals(c, report_decimals(fabs(v)));
}

/* A cell; a dash where there is no figure. */
static void put_cell(struct sink *s, const char *class, const char *figure, double v, int digits, const char *unit)
{
    if (!isfinite(v)) {
        sink_text(s, "<td class=\"none\">–</td>");
        return;
    }
    sink_format(s, "<td%s data-figure=\"%s\"", class, figure);
    html_value(s, v, digits, unit);
    sink_text(s, "</td>");
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void put_result(struct sink *s, const struct html_curves *c, const struct html_score *score, unsigned method)
{
    const struct bdrate *x = &score->result[method];
    const bool common = x->rates.share > 0;
    sink_format(s, "<tr data-key=\"%s\" data-method=\"%s\"><th scope=\"row\">%s%s</th><td>%s</td>", score->name,
                bdrate_method_name[method], score->name, axis_unit(score->name), bdrate_method_name[method]);
    put_cell(s, " class=\"main\"", "bd_rate_percent", x->rate, decimals(c, 3), " %");
    put_cell(s, "", "bd_score", x->figure, decimals(c, 5), "");
    put_cell(s, "", "score_from", x->figures.low, score_decimals(c, x->figures.low), "");
    put_cell(s, "", "score_to", x->figures.high, score_decimals(c, x->figures.high), "");
    put_cell(s, "", "score_overlap_percent", x->figures.share * 100, decimals(c, 1), " %");
    put_cell(s, "", "kbps_from", common ? x->rates.low : (double)NAN, decimals(c, 1), "");
    put_cell(s, "", "kbps_to", common ? x->rates.high : (double)NAN, decimals(c, 1), "");
    sink_text(s, "</tr>\n");
}

/* All methods have the ranges that these are about. Whether curves cross is said of the first method. */
static void put_notices(struct sink *s, const struct html_curves *c)
{
    char text[BDRATE_NOTICE];
    for (uint32_t i = 0; i < c->scores; i++)
        for (unsigned k = 0; k < BDRATE_NOTICES; k++)
            if (bdrate_notice(&c->score[i].result[bdrate_first(c->method)], k, text))
                sink_format(s, "<p class=\"warning\">%s: %s</p>\n", c->score[i].name, text);
}

static const struct {
    const char *title, *what;
} columns[] = {
    {"BD-rate", "of the bitrates at equal scores"},
    {"BD-score", "of the scores at equal bitrates"},
    {"from", "the lowest score that both reach"},
    {"to", "the highest score that both reach"},
    {"overlap", "scores that both reach, as a part of what any of them reaches"},
    {"from " REPORT_KBPS, "the lowest rate of both"},
    {"to " REPORT_KBPS, "the highest rate of both"},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void put_results(struct sink *s, const struct html_curves *c)
{
    html_within(s, "<section id=\"results\" aria-labelledby=\"results-title\">\n<h2 id=\"results-title\">", c->curve[1],
                " against ");
    html_within(s, "", c->curve[0], "</h2>\n");
    sink_text(s, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Results\">"
              "<table class=\"figures\" aria-label=\"BD-rates\">\n<thead><tr><th scope=\"col\">score</th><th scope=\"col\" title=\"how a curve "
              "runs between its points\">method</th>");
    for (unsigned i = 0; i < COLUMNS; i++)
        sink_format(s, "<th scope=\"col\" title=\"%s\">%s</th>", columns[i].what, columns[i].title);
    sink_text(s, "</tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < c->scores; i++)
        for (unsigned m = 0; m < BDRATE_METHODS; m++)
            if (c->method[m])
                put_result(s, c, &c->score[i], m);
    sink_text(s, "</tbody>\n</table></div>\n<p class=\"hint\">BD-rate is by how much the test's bitrates differ from "
              "the anchor's at equal scores, on average: negative is a saving. BD-score is the difference of the scores at "
              "equal bitrates.</p>\n");
    put_notices(s, c);
    sink_text(s, "</section>\n");
}

/* ---- plots ------------------------------------------------------------------------------------------------------- */

/* The scores that both curves reach, over which the rates are averaged. */
static void put_band(const struct rate_plot *p, const struct bdrate_overlap *o)
{
    const double top = axis_place(&p->y, o->high);
    sink_format(p->s, "<rect class=\"band\" x=\"%d\" width=\"%d\" y=\"", p->x.at, p->x.pixels);
    sink_number(p->s, top, 1);
    sink_number_within(p->s, "\" height=\"", axis_place(&p->y, o->low) - top, 1,
                       "\"><title>the scores that both reach</title></rect>\n");
}

static void put_figure(struct sink *s, const struct html_curves *c, const struct html_score *score)
{
    struct rate_plot p = {.s = s, .key = score->name, .unit = REPORT_KBPS};
    struct range rates = range_empty, values = range_empty;
    const enum bdrate_method method = bdrate_first(c->method);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < c->points[side]; i++) {
            range_add(&rates, assay_log10(score->point[side][i].rate));
            range_add(&values, score->point[side][i].figure);
        }
    rate_plot_begin(&p, score->better == ASSAY_LOWER ? "lower is better" : "", &rates, &values);
    put_band(&p, &score->result[method].figures);
    for (unsigned side = 0; side < 2; side++) {
        sink_format(s, "<polyline data-curve=\"%u\"", side);
        html_put_class(s, "curve", side);
        sink_text(s, " points=\"");
        bdrate_walk(score->point[side], c->points[side], method, PARTS, rate_plot_vertex, &p);
        sink_text(s, "\"/>\n");
    }
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < c->points[side]; i++) {
            const struct bdrate_point *q = &score->point[side][i];
            rate_plot_mark(&p, &(struct rate_mark){q->name, "curve", side, i + 1, q->rate, q->figure,
                                                   score_decimals(c, q->figure), side == 1});
        }
    rate_plot_end(&p);
}

static void put_plots(struct sink *s, const struct html_curves *c)
{
    sink_text(s, "<section id=\"rates\" aria-labelledby=\"rates-title\">\n<h2 id=\"rates-title\">Rate and quality"
              "</h2>\n<ul class=\"legend\">\n");
    for (unsigned side = 0; side < 2; side++) {
        sink_text(s, "<li>");
        html_swatch(s, side);
        html_within(s, "", c->curve[side], "</li>\n");
    }
    sink_text(s, "</ul>\n<div class=\"rates\">\n");
    for (uint32_t i = 0; i < c->scores; i++)
        put_figure(s, c, &c->score[i]);
    sink_format(s, "</div>\n<p class=\"hint\">The numbers are those of the points below. Between them the curves run "
                "as %s has them. The band is of the scores that both reach.</p>\n</section>\n",
                bdrate_method_name[bdrate_first(c->method)]);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void put_points(struct sink *s, const struct html_curves *c, unsigned side)
{
    html_within(s, "<h3>", c->curve[side], "</h3>\n");
    sink_format(s, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Points of the %s\">"
                "<table class=\"overview\" id=\"points-%u\" aria-label=\"Points of the %s\">\n<thead><tr>"
                "<th scope=\"col\">point</th><th scope=\"col\">" REPORT_KBPS "</th>", bdrate_curve_name[side], side,
                bdrate_curve_name[side]);
    for (uint32_t i = 0; i < c->scores; i++)
        sink_format(s, "<th scope=\"col\">%s%s</th>", c->score[i].name, axis_unit(c->score[i].name));
    sink_text(s, "</tr></thead>\n<tbody>\n");
    for (uint32_t k = 0; k < c->points[side]; k++) {
        const struct bdrate_point *p = &c->score[0].point[side][k];
        html_numbered(s, "<tr><th scope=\"row\">", k, p->name, "</th>");
        put_cell(s, "", "kbps", p->rate, decimals(c, 1), "");
        for (uint32_t i = 0; i < c->scores; i++) {
            const double v = c->score[i].point[side][k].figure;
            put_cell(s, "", c->score[i].name, v, score_decimals(c, v), "");
        }
        sink_text(s, "</tr>\n");
    }
    sink_text(s, "</tbody>\n</table></div>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void put_facts(struct sink *s, const struct html_curves *c)
{
    sink_text(s, "<p class=\"facts\">");
    if (c->width)
        sink_format(s, "<span>%u×%u</span> ", c->width, c->height);
    sink_format(s, "<span>%" PRIu64 " frame%s</span> <span>%u and %u points</span> <span>assay %s</span></p>\n",
                c->frames, c->frames == 1 ? "" : "s", c->points[0], c->points[1], assay_version());
}

static void put_title(struct sink *s, const void *of)
{
    const struct html_curves *c = of;
    sink_text(s, "Two rate-distortion curves");
    if (c->reference)
        html_within(s, " of ", c->reference, "");
}

void html_curves_write(struct sink *s, const struct html_curves *c)
{
    html_begin(s, &(struct report_run){.version = assay_version()});
    html_open(s, "none", "Rate and distortion", put_title, c);
    put_facts(s, c);
    sink_text(s, "</header>\n<main>\n");
    put_results(s, c);
    put_plots(s, c);
    sink_text(s, "<section id=\"points\" aria-labelledby=\"points-title\">\n<h2 id=\"points-title\">Points</h2>\n");
    for (unsigned side = 0; side < 2; side++)
        put_points(s, c, side);
    sink_text(s, "</section>\n</main>\n</body>\n</html>\n");
}
