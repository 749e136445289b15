/* SPDX-License-Identifier: BSD-2-Clause */
/* assay bdrate --anchor A1 ... --test B1 ...: points from reports, or from files that are scored first. */
#include "cli/bdrate/bdrate.h"
#include "host/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        TRY((c->output[i].kind == REPORT_CSV ? bd_csv : c->output[i].kind == REPORT_HTML ? bd_html : bd_json)(
            r, c->output[i].path, e));
    if (!c->quiet && results_stream(c) == stdout)
        bd_print(r, stdout);
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
