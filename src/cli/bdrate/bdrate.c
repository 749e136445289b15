/* SPDX-License-Identifier: BSD-2-Clause */
/* assay bdrate --anchor A1 ... --test B1 ...: points from reports, or from files that are scored first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bdrate/bdrate.h"
#include "host/text.h"
#include "report/grid.h"
#include "report/html_curves.h"
#include "report/reporter.h"
#include "results/json_write.h"

/* The scores that are compared where none is named, as far as all points have them. */
static const char *const usual[] = {"vmaf", "psnr_y", "float_ms_ssim"};

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* -m: "vmaf,psnr_y.p5". Cuts the text at its commas. */
int bdrate_figures(void *cli, char *text, uint64_t unused, struct assay_error *e)
{
    struct cli_bdrate *b = &((struct cli *)cli)->bdrate;
    (void)unused;
    for (char *name; (name = strsep(&text, ","));) {
        if (b->figures == ENCODE_FIGURES)
            return assay_fail(e, ASSAY_EUSAGE, "more than %d scores", ENCODE_FIGURES);
        TRY(gate_figure(&b->figure[b->figures++], "-m", name, strlen(name), e));
    }
    return ASSAY_OK;
}

/* --method: "pchip,akima" */
int bdrate_methods(void *cli, char *text, uint64_t unused, struct assay_error *e)
{
    struct cli_bdrate *b = &((struct cli *)cli)->bdrate;
    (void)unused;
    for (char *name; (name = strsep(&text, ","));) {
        unsigned i = 0;
        while (i < BDRATE_METHODS && strcmp(name, bdrate_method_name[i]))
            i++;
        if (i == BDRATE_METHODS)
            return assay_fail(e, ASSAY_EUSAGE, "--method takes pchip, akima, aom, cubic, not '%s'", name);
        b->method[i] = true;
    }
    return ASSAY_OK;
}

/* Cuts "FILE:ENCODE" at the last colon that has a file's name in front of it. Returns what is behind it; NULL: there is
 * no such file. */
static char *cut_encode(char *text)
{
    for (char *at = text + strlen(text); at-- > text;) {
        if (*at != ':')
            continue;
        *at = '\0';
        if (!access(text, F_OK))
            return at + 1;
        *at = ':';
    }
    return NULL;
}

/* "FILE" or "FILE:ENCODE", with "@KBPS" behind it or not. A file that has the whole name is that file. */
int bdrate_add(struct cli_bdrate *b, char *text, struct assay_error *e)
{
    if (!b->curve)
        return assay_fail(e, ASSAY_EUSAGE, "'%s' stands behind neither --anchor nor --test", text);
    if (!strcmp(text, "-"))
        return assay_fail(e, ASSAY_EUSAGE, "bdrate does not read standard input");
    const unsigned which = (unsigned)b->curve - 1;
    if (b->points[which] == CLI_POINTS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d files behind --%s", CLI_POINTS, bdrate_curve_name[which]);
    struct cli_point *p = &b->point[which][b->points[which]++];
    *p = (struct cli_point){.path = text, .kbps = (double)NAN};
    if (!access(text, F_OK))
        return ASSAY_OK;
    char *at = strrchr(text, '@');
    const bool given = at && parse_number(at + 1, &p->kbps);
    if (given && (!(p->kbps > 0) || !isfinite(p->kbps)))
        return assay_fail(e, ASSAY_EUSAGE, "'%s': the rate behind @ is no positive number", text);
    p->encode = cut_encode(text);
    if (p->encode && given && at >= p->encode)
        p->length = (size_t)(at - p->encode);
    else if (p->encode)
        p->length = strlen(p->encode);
    else if (given)
        *at = '\0';
    return ASSAY_OK;
}

int bdrate_conclude(struct cli *c, struct assay_error *e)
{
    struct cli_bdrate *b = &c->bdrate;
    bool any = false;
    for (unsigned which = 0; which < 2; which++) {
        if (!b->points[which])
            return bd_too_few(which, 0, e);
        b->name[which] = b->name[which] ? b->name[which] : bdrate_curve_name[which];
        if (!*b->name[which])
            return assay_fail(e, ASSAY_EUSAGE, "--%s-name needs a name", bdrate_curve_name[which]);
    }
    if (!strcmp(b->name[0], b->name[1]))
        return assay_fail(e, ASSAY_EUSAGE, "both curves would be called '%s': --anchor-name and --test-name have to "
                          "differ", b->name[0]);
    for (unsigned i = 0; i < BDRATE_METHODS; i++)
        any = any || b->method[i];
    b->method[BDRATE_PCHIP] |= !any;
    b->method[BDRATE_AKIMA] |= !any;
    b->named = b->figures > 0;
    for (unsigned i = 0; !b->named && i < sizeof usual / sizeof usual[0]; i++)
        TRY(gate_figure(&b->figure[b->figures++], "-m", usual[i], strlen(usual[i]), e));
    return ASSAY_OK;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* The figures that all points have. One that was named and is missing is refused. */
static int choose_figures(struct bd_curves *r, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    for (uint32_t i = 0; i < b->figures; i++) {
        const struct bd_point *lacks = NULL;
        for (uint32_t k = 0; k < bd_count(r) && !lacks; k++)
            lacks = bd_nth(r, k)->encode.has[i] ? NULL : bd_nth(r, k);
        if (lacks && b->named)
            return assay_fail(e, ASSAY_EUSAGE, "%s has no score named '%s'", lacks->name, b->figure[i].key);
        if (lacks && !r->cli->quiet)
            text_say("%s is left out: %s has no such score", b->figure[i].key, lacks->name);
        if (lacks)
            continue;
        struct bd_figure *f = &r->figure[r->figures++];
        f->of = &b->figure[i];
        f->index = i;
        snprintf(f->name, sizeof f->name, "%s%s%s", f->of->key, f->of->pool_named ? "." : "", f->of->pool_name);
        TRY(rates_direction(f->of, &f->direction, e));
    }
    return r->figures ? ASSAY_OK
                      : assay_fail(e, ASSAY_EUSAGE, "no score that all points have is one of vmaf, psnr_y and "
                                   "float_ms_ssim; -m names others");
}

static int check_matches(struct bd_curves *r, struct assay_error *e)
{
    const uint32_t points = bd_count(r);
    const struct encode *encode[2 * CLI_POINTS];
    const struct gate *figure[ENCODE_FIGURES];
    for (uint32_t i = 0; i < points; i++)
        encode[i] = &bd_nth(r, i)->encode;
    for (uint32_t i = 0; i < r->figures; i++)
        figure[i] = r->figure[i].of;
    return rates_match(encode, points, figure, r->figures, e);
}

static int compare(struct bd_curves *r, struct bd_figure *f, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    struct bdrate_point (*const curve)[CLI_POINTS] = f->curve;
    for (unsigned which = 0; which < 2; which++) {
        for (uint32_t i = 0; i < r->points[which]; i++) {
            const struct bd_point *p = &r->point[which][i];
            curve[which][i] = (struct bdrate_point){p->name, p->kbps, p->encode.figure[f->index]};
        }
        TRY(bdrate_order(curve[which], r->points[which], bdrate_curve_name[which], f->name, &f->direction, e));
    }
    for (unsigned m = 0; m < BDRATE_METHODS; m++)
        if (b->method[m])
            TRY(bdrate_compare(curve[0], r->points[0], curve[1], r->points[1], (enum bdrate_method)m, f->name,
                               &f->result[m], e));
    return ASSAY_OK;
}

static int by_rate(const void *a, const void *b)
{
    const struct bd_point *p = a, *q = b;
    return (p->kbps > q->kbps) - (p->kbps < q->kbps);
}

/* All methods have the ranges that these are about. Whether curves cross is said of the first method. */
static void notices(const struct bd_curves *r)
{
    char text[BDRATE_NOTICE];
    for (uint32_t i = 0; !r->cli->quiet && i < r->figures; i++)
        for (unsigned k = 0; k < BDRATE_NOTICES; k++)
            if (bdrate_notice(&r->figure[i].result[bdrate_first(r->cli->bdrate.method)], k, text))
                text_say("%s: %s", r->figure[i].name, text);
}

enum { WIDTH = 80, CELLS = 8, CELL = NUMBER_TEXT_SIZE + 8, NAME = 24 };

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* A name without control characters, of which the end counts. */
static void cell_name(struct grid *g, const char *name)
{
    char text[NAME + 1];
    text_end(text, sizeof text, name);
    grid_cell(g, text);
}

/* A number with the decimals of --precision, or else with `decimals`, and a unit. */
static void cell_number(struct grid *g, const struct bd_curves *r, double v, int decimals, const char *unit)
{
    char text[CELL] = "-";
    const int precision = r->cli->precision;
    if (v == v) {
        report_number(text, v, 0, precision == CLI_PRECISION_DEFAULT ? decimals : precision);
        strcat(text, unit);
    }
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

/* The table on standard output. Names of files and figures are cut where they would make it wider than 80 columns. */
static void print(const struct bd_curves *r, FILE *out)
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

static void write_html(struct sink *s, const struct bd_curves *r)
{
    struct html_score score[ENCODE_FIGURES];
    /* All points have one size, one number of frames and, where they state it, one reference. */
    const struct encode *any = &r->point[0][0].encode, *stated = any;
    for (unsigned which = 0; which < 2; which++)
        for (uint32_t i = 0; i < r->points[which] && !stated->reference; i++)
            stated = &r->point[which][i].encode;
    for (uint32_t i = 0; i < r->figures; i++)
        score[i] = (struct html_score){r->figure[i].name, r->figure[i].direction,
                                       {r->figure[i].curve[0], r->figure[i].curve[1]}, r->figure[i].result};
    html_curves_write(s, &(struct html_curves){stated->reference, stated->width, stated->height, any->frames,
                                               {r->cli->bdrate.name[0], r->cli->bdrate.name[1]},
                                               {r->points[0], r->points[1]}, score, r->figures,
                                               r->cli->bdrate.method, results_precision(r->cli, REPORT_HTML)});
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

static void write_json(struct sink *s, const struct bd_curves *r)
{
    struct json j;
    json_document(&j, s, assay_version());
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

static void write_csv(struct sink *s, const struct bd_curves *r)
{
    sink_text(s, "score,better,method");
    for (unsigned i = 0; i < COLUMNS; i++)
        sink_format(s, ",%s", columns[i]);
    sink_text(s, "\n");
    for (uint32_t i = 0; i < r->figures; i++)
        for (unsigned m = 0; m < BDRATE_METHODS; m++)
            if (r->cli->bdrate.method[m])
                csv_result(s, r, &r->figure[i], m);
}

static int write_report(const struct bd_curves *r, const struct cli_output *to, struct assay_error *e)
{
    struct sink s;
    TRY(sink_open(&s, to->path, e));
    (to->kind == REPORT_CSV ? write_csv : to->kind == REPORT_HTML ? write_html : write_json)(&s, r);
    return sink_close(&s, e);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int run(struct bd_curves *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    TRY(results_spared(c, e));
    TRY(bd_points(r, e));
    TRY(choose_figures(r, e));
    TRY(check_matches(r, e));
    for (uint32_t i = 0; i < r->figures; i++)
        TRY(compare(r, &r->figure[i], e));
    for (unsigned which = 0; which < 2; which++)
        qsort(r->point[which], r->points[which], sizeof r->point[which][0], by_rate);
    notices(r);
    for (uint32_t i = 0; i < c->outputs; i++)
        TRY(write_report(r, &c->output[i], e));
    if (!c->quiet && results_stream(c) == stdout)
        print(r, stdout);
    return ASSAY_OK;
}

int cli_bdrate(const struct cli *c, struct assay_error *e)
{
    struct bd_curves *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the points");
    r->cli = c;
    const int rc = run(r, e);
    bd_points_free(r);
    free(r);
    return rc;
}
