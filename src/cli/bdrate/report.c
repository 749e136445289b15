/* SPDX-License-Identifier: BSD-2-Clause */
/* What assay bdrate writes. */
#include <math.h>
#include <string.h>

#include "cli/bdrate/bdrate.h"
#include "host/text.h"
#include "report/grid.h"
#include "report/html_curves.h"
#include "report/reporter.h"
#include "results/json_write.h"

enum { WIDTH = 80, CELLS = 8, CELL = NUMBER_TEXT_SIZE + 8, NAME = 24 };

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* A name without control characters, of which the end counts. */
static void cell_name(struct grid *g, const char *name)
{
    char text[NAME + 1];
    const size_t n = strlen(name);
    snprintf(text, sizeof text, "%s%s", n > NAME ? "..." : "", n > NAME ? name + n - (NAME - 3) : name);
    text_plain(text);
    grid_cell(g, text);
}

/* A number with the decimals of --precision, or else with `decimals`, and a unit. */
static void cell_number(struct grid *g, const struct bd_curves *r, double v, int decimals, const char *unit)
{
    char text[CELL];
    const int precision = r->cli->precision;
    if (v != v)
        strcpy(text, "-");
    else if (precision == REPORT_SHORTEST)
        strcpy(text + format_shortest(text, v), unit);
    else
        strcpy(text + format_fixed(text, v, precision == CLI_PRECISION_DEFAULT ? decimals : precision), unit);
    grid_cell(g, text);
}

/* Decimals that make a positive value seven characters long. */
static int decimals_of(double v)
{
    return fabs(v) < 10 ? 5 : fabs(v) < 100 ? 4 : 3;
}

static void put_points(struct grid *g, const struct bd_curves *r, uint32_t figures)
{
    for (unsigned which = 0; which < 2; which++) {
        cell_name(g, r->cli->bdrate.name[which]);
        grid_cell(g, REPORT_KBPS);
        for (uint32_t i = 0; i < figures; i++)
            cell_name(g, r->figure[i].name);
        grid_end(g);
        for (uint32_t k = 0; k < r->points[which]; k++) {
            const struct bd_point *p = &r->point[which][k];
            cell_name(g, p->name);
            cell_number(g, r, p->kbps, 1, "");
            for (uint32_t i = 0; i < figures; i++) {
                const double v = p->encode.figure[r->figure[i].index];
                cell_number(g, r, v, decimals_of(v), "");
            }
            grid_end(g);
        }
    }
}

static void put_results(struct grid *g, const struct bd_curves *r)
{
    static const char *const titles[] = {"score", "method", "BD-rate", "BD-score", "from", "to", "overlap"};
    for (unsigned i = 0; i < sizeof titles / sizeof titles[0]; i++)
        grid_cell(g, titles[i]);
    grid_end(g);
    for (uint32_t i = 0; i < r->figures; i++)
        for (unsigned m = 0; m < BDRATE_METHODS; m++) {
            const struct bdrate *x = &r->figure[i].result[m];
            if (!r->cli->bdrate.method[m])
                continue;
            cell_name(g, r->figure[i].name);
            grid_cell(g, bdrate_method_name[m]);
            cell_number(g, r, x->rate, 3, " %");
            cell_number(g, r, x->figure, 5, "");
            cell_number(g, r, x->figures.low, decimals_of(x->figures.low), "");
            cell_number(g, r, x->figures.high, decimals_of(x->figures.high), "");
            cell_number(g, r, x->figures.share * 100, 1, " %");
            grid_end(g);
        }
}

void bd_print(const struct bd_curves *r, FILE *out)
{
    struct grid_column points[CELLS], results[CELLS];
    struct sink s = {.file = out};
    uint32_t figures = r->figures < CELLS - 2 ? r->figures : CELLS - 2;
    do { /* as many figures as fit; the JSON has all of them */
        grid_columns(points, CELLS);
        put_points(&(struct grid){.column = points}, r, figures);
    } while (grid_width(points, CELLS) > WIDTH && figures-- > 1);
    put_points(&(struct grid){.out = &s, .column = points}, r, figures);
    sink_text(&s, "\n");
    grid_columns(results, CELLS);
    put_results(&(struct grid){.column = results}, r);
    put_results(&(struct grid){.out = &s, .column = results}, r);
}

/* ---- HTML -------------------------------------------------------------------------------------------------------- */

int bd_html(const struct bd_curves *r, const char *path, struct assay_error *e)
{
    struct html_score score[ENCODE_FIGURES];
    struct sink s;
    /* All points have one size, one number of frames and, where they state it, one reference. */
    const struct encode *any = &r->point[0][0].encode, *stated = any;
    for (unsigned which = 0; which < 2; which++)
        for (uint32_t i = 0; i < r->points[which] && !stated->reference; i++)
            stated = &r->point[which][i].encode;
    for (uint32_t i = 0; i < r->figures; i++)
        score[i] = (struct html_score){r->figure[i].name, r->figure[i].direction,
                                       {r->figure[i].curve[0], r->figure[i].curve[1]}, r->figure[i].result};
    TRY(sink_open(&s, path, e));
    html_curves_write(&s, &(struct html_curves){stated->reference, stated->width, stated->height, any->frames,
                                                {r->cli->bdrate.name[0], r->cli->bdrate.name[1]},
                                                {r->points[0], r->points[1]}, score, r->figures,
                                                r->cli->bdrate.method, results_precision(r->cli, REPORT_HTML)});
    return sink_close(&s, e);
}

/* ---- JSON and CSV ------------------------------------------------------------------------------------------------ */

/* What both say of a result, in this order. */
static const char *const columns[] = {"bd_rate_percent", "bd_score", "score_from", "score_to", "score_overlap_percent",
                                      "kbps_from", "kbps_to", "kbps_overlap_percent"};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* NaN: there is no such figure. */
static double column_of(const struct bdrate *x, unsigned column)
{
    const bool rates = x->rates.share > 0;
    return (const double[COLUMNS]){x->rate, x->figure, x->figures.low, x->figures.high, x->figures.share * 100,
                                   rates ? x->rates.low : (double)NAN, rates ? x->rates.high : (double)NAN,
                                   x->rates.share * 100}[column];
}

static const char *better_of(const struct bd_figure *f)
{
    return f->direction == ASSAY_LOWER ? "lower" : "higher";
}

static void json_points(struct json *j, const struct bd_curves *r, unsigned which)
{
    json_list(j, bdrate_curve_name[which], JSON_LINES);
    for (uint32_t k = 0; k < r->points[which]; k++) {
        const struct bd_point *p = &r->point[which][k];
        json_object(j, NULL, JSON_ROW);
        json_text(j, "file", p->path);
        if (p->file)
            json_text(j, "encode", p->file);
        json_number(j, "kbps", p->kbps, REPORT_SHORTEST);
        json_text(j, "bitrate_of", p->given ? "given" : p->encode.rate_of);
        json_object(j, "scores", JSON_ROW);
        for (uint32_t i = 0; i < r->figures; i++)
            json_number(j, r->figure[i].name, p->encode.figure[r->figure[i].index],
                        results_precision(r->cli, REPORT_JSON));
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

static void json_result(struct json *j, const struct bd_curves *r, const struct bd_figure *f, unsigned method)
{
    json_object(j, NULL, JSON_ROW);
    json_text(j, "score", f->name);
    json_text(j, "better", better_of(f));
    json_text(j, "method", bdrate_method_name[method]);
    for (unsigned i = 0; i < COLUMNS; i++)
        json_number(j, columns[i], column_of(&f->result[method], i), results_precision(r->cli, REPORT_JSON));
    json_end(j);
}

int bd_json(const struct bd_curves *r, const char *path, struct assay_error *e)
{
    struct sink s;
    struct json j;
    TRY(sink_open(&s, path, e));
    json_document(&j, &s, assay_version());
    for (unsigned which = 0; which < 2; which++)
        json_text(&j, which ? "test_name" : "anchor_name", r->cli->bdrate.name[which]);
    for (unsigned which = 0; which < 2; which++)
        json_points(&j, r, which);
    json_list(&j, "results", JSON_LINES);
    for (uint32_t i = 0; i < r->figures; i++)
        for (unsigned m = 0; m < BDRATE_METHODS; m++)
            if (r->cli->bdrate.method[m])
                json_result(&j, r, &r->figure[i], m);
    json_end(&j);
    json_end(&j);
    return sink_close(&s, e);
}

/* Names of scores and methods hold nothing that CSV needs quotes for. */
static void csv_result(struct sink *s, const struct bd_curves *r, const struct bd_figure *f, unsigned method)
{
    sink_format(s, "%s,%s,%s", f->name, better_of(f), bdrate_method_name[method]);
    for (unsigned i = 0; i < COLUMNS; i++) {
        const double v = column_of(&f->result[method], i);
        sink_text(s, ",");
        if (v == v)
            sink_number(s, v, results_precision(r->cli, REPORT_CSV));
    }
    sink_text(s, "\n");
}

int bd_csv(const struct bd_curves *r, const char *path, struct assay_error *e)
{
    struct sink s;
    TRY(sink_open(&s, path, e));
    sink_text(&s, "score,better,method");
    for (unsigned i = 0; i < COLUMNS; i++)
        sink_format(&s, ",%s", columns[i]);
    sink_text(&s, "\n");
    for (uint32_t i = 0; i < r->figures; i++)
        for (unsigned m = 0; m < BDRATE_METHODS; m++)
            if (r->cli->bdrate.method[m])
                csv_result(&s, r, &r->figure[i], m);
    return sink_close(&s, e);
}
