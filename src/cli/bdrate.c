/* SPDX-License-Identifier: BSD-2-Clause */
/* assay bdrate --anchor A1 ... --test B1 ...: points from reports, or from files that are scored first. */
#include "cli/bdrate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const bd_curve_name[2] = {"anchor", "test"};

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
            return assay_fail(e, ASSAY_EUSAGE, "--method takes pchip, akima, aom, not '%s'", name);
        b->method[i] = true;
    }
    return ASSAY_OK;
}

/* "FILE" or "FILE@KBPS". A file that has the whole name is that file. */
int bdrate_add(struct cli_bdrate *b, char *text, struct assay_error *e)
{
    char *at = strrchr(text, '@');
    double kbps = (double)NAN;
    if (!b->curve)
        return assay_fail(e, ASSAY_EUSAGE, "'%s' stands behind neither --anchor nor --test", text);
    if (!strcmp(text, "-"))
        return assay_fail(e, ASSAY_EUSAGE, "bdrate does not read standard input");
    const unsigned side = (unsigned)b->curve - 1;
    if (b->points[side] == CLI_POINTS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d files behind --%s", CLI_POINTS, bd_curve_name[side]);
    if (at && access(text, F_OK) && parse_number(at + 1, &kbps)) {
        if (!(kbps > 0) || !isfinite(kbps))
            return assay_fail(e, ASSAY_EUSAGE, "'%s': the rate behind @ is no positive number", text);
        *at = '\0';
    }
    b->point[side][b->points[side]++] = (struct cli_point){text, kbps};
    return ASSAY_OK;
}

int bdrate_conclude(struct cli *c, struct assay_error *e)
{
    struct cli_bdrate *b = &c->bdrate;
    bool any = false;
    for (unsigned side = 0; side < 2; side++)
        if (b->points[side] < BDRATE_LEAST)
            return assay_fail(e, ASSAY_EUSAGE, "bdrate needs at least %d points of each curve, and --%s has %u: assay "
                              "bdrate --anchor A1 A2 A3 A4 --test B1 B2 B3 B4", BDRATE_LEAST, bd_curve_name[side],
                              b->points[side]);
    for (unsigned i = 0; i < BDRATE_METHODS; i++)
        any = any || b->method[i];
    b->method[BDRATE_PCHIP] |= !any;
    b->method[BDRATE_AKIMA] |= !any;
    b->named = b->figures > 0;
    for (unsigned i = 0; !b->named && i < sizeof usual / sizeof usual[0]; i++)
        TRY(gate_figure(&b->figure[b->figures++], "-m", usual[i], strlen(usual[i]), e));
    return ASSAY_OK;
}

/* ---- what is known of a score ------------------------------------------------------------------------------------ */

/* Whether `word` is one of the blank-separated words. */
static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (n == length && !strncmp(words, word, n))
            return true;
    }
    return false;
}

/* The metric that writes a key by this name, with *output the row that names it. NULL: no table names the key. */
static const char *metric_of(const char *key, assay_output *output)
{
    const char *name;
    for (uint32_t m = 0; (name = assay_metric_name(m)); m++)
        for (uint32_t i = 0; !assay_metric_output(m, i, output); i++)
            if (has_word(output->keys, key))
                return name;
    return NULL;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Whether a file is JSON: a report, and no video. */
static int is_report(const char *path, bool *report, struct assay_error *e)
{
    FILE *f = fopen(path, "rbe");
    int c = EOF;
    if (!f)
        return assay_fail(e, ASSAY_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    do
        c = getc(f);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t');
    const int why = ferror(f) ? errno : 0;
    fclose(f);
    *report = c == '{';
    return why ? assay_fail(e, ASSAY_EINPUT, "%s: cannot be read: %s", path, strerror(why)) : ASSAY_OK;
}

/* The metric that writes the score `key` of -m. */
static int find_metric(const char *key, const char **name, struct assay_error *e)
{
    assay_output output;
    *name = metric_of(key, &output);
    for (uint32_t m = 0; !*name && assay_metric_name(m); m++)
        if (!strcmp(assay_metric_name(m), key) && !assay_metric_output(m, 0, &output))
            return assay_fail(e, ASSAY_EUSAGE, "-m %s: that is a metric, and its scores are %s", key, output.keys);
    return *name ? ASSAY_OK
                 : assay_fail(e, ASSAY_EUSAGE, "-m %s: no metric writes this score without options; --feature names "
                              "the metric that does", key);
}

/* Whether files are scored with the metrics that write the scores of -m. */
static bool metrics_by_scores(const struct cli *c)
{
    return c->bdrate.named && !c->metrics;
}

/* Sets the metrics that files are scored with: those of --feature, or else those that write the scores of -m; none: the
 * usual ones. */
static int choose_metrics(struct cli *c, struct assay_error *e)
{
    const struct cli_bdrate *b = &c->bdrate;
    const bool by_scores = metrics_by_scores(c);
    for (uint32_t i = 0; by_scores && i < b->figures; i++) {
        const char *name;
        bool there = false;
        TRY(find_metric(b->figure[i].key, &name, e));
        for (uint32_t m = 0; m < c->metrics; m++)
            there = there || !strcmp(c->metric[m], name);
        if (!there)
            c->metric[c->metrics++] = name; /* ENCODE_FIGURES of them at most, and CLI_METRICS are not fewer */
    }
    return ASSAY_OK;
}
_Static_assert((int)CLI_METRICS >= (int)ENCODE_FIGURES, "a metric for each figure has a place");

struct taking {
    const struct cli_bdrate *of;
    struct bd_point *point;
};

static int take_scored(void *opaque, const struct scores *s, const struct report_run *run, struct assay_error *e)
{
    const struct taking *t = opaque;
    return encode_take(&t->point->encode, t->point->path, s, run, t->of->figure, t->of->figures, e);
}

/* Scores a file by the ordinary path. */
static int score(const struct bd_run *r, struct bd_point *p, struct assay_error *e)
{
    struct taking taking = {&r->cli->bdrate, p};
    struct cli *c = malloc(sizeof *c);
    if (!c)
        return assay_fail_memory(e, "a run");
    *c = *r->cli;
    c->path[1] = p->path;
    c->outputs = 0;
    c->scored = take_scored;
    c->scored_opaque = &taking;
    int rc = choose_metrics(c, e);
    rc = rc ? rc : cli_score(c, e);
    free(c);
    return rc;
}

/* Reads or scores a point, and finds its rate. */
static int get_point(const struct bd_run *r, struct bd_point *p, double given, struct assay_error *e)
{
    const struct cli *c = r->cli;
    bool report;
    TRY(is_report(p->path, &report, e));
    if (report) {
        TRY(encode_read(&p->encode, p->path, c->bdrate.figure, c->bdrate.figures, e));
    } else {
        if (!c->quiet)
            fprintf(stderr, "assay: %s is scored\n", p->path);
        TRY(score(r, p, e));
    }
    p->kbps = given > 0 ? given : p->encode.kbps;
    p->rate_of = given > 0 ? "given" : p->encode.rate_of;
    return p->kbps > 0 ? ASSAY_OK
                       : assay_fail(e, ASSAY_EUSAGE, "%s: its bitrate is not known; '%s@KBPS' gives it, in kbit/s",
                                    p->path, p->path);
}

/* A reference is needed where a file has to be scored, and useless where none has. So are --scale, --crop-ref and
 * --crop-dis. -m then names scores that metrics write. Checked before the first file is scored. */
static int check_scoring(const struct cli *c, struct assay_error *e)
{
    const struct cli_bdrate *b = &c->bdrate;
    bool files = false;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < b->points[side]; i++) {
            bool report;
            TRY(is_report(b->point[side][i].path, &report, e));
            if (!report && !c->path[0])
                return assay_fail(e, ASSAY_EUSAGE, "%s: is no report, and to be scored it needs --reference",
                                  b->point[side][i].path);
            files = files || !report;
        }
    if (!files && (c->path[0] || c->config.scale || c->crop[0].width || c->crop[1].width))
        return assay_fail(e, ASSAY_EUSAGE, "--%s is for files that are to be scored, and all points are reports",
                          c->path[0] ? "reference" : c->config.scale ? "scale" : c->crop[0].width ? "crop-ref"
                                                                                                  : "crop-dis");
    for (uint32_t i = 0; files && metrics_by_scores(c) && i < b->figures; i++) {
        const char *name;
        TRY(find_metric(b->figure[i].key, &name, e));
    }
    return ASSAY_OK;
}

static int get_points(struct bd_run *r, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < b->points[side]; i++) {
            r->point[side][i].path = b->point[side][i].path;
            TRY(get_point(r, &r->point[side][i], b->point[side][i].kbps, e));
        }
    return ASSAY_OK;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static struct bd_point *nth(struct bd_run *r, uint32_t i)
{
    const uint32_t anchors = r->cli->bdrate.points[0];
    return i < anchors ? &r->point[0][i] : &r->point[1][i - anchors];
}

/* The figures that all points have. One that was named and is missing is refused. */
static int choose_figures(struct bd_run *r, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    for (uint32_t i = 0; i < b->figures; i++) {
        const struct bd_point *lacks = NULL;
        for (uint32_t k = 0; k < b->points[0] + b->points[1] && !lacks; k++)
            lacks = nth(r, k)->encode.has[i] ? NULL : nth(r, k);
        if (lacks && b->named)
            return assay_fail(e, ASSAY_EUSAGE, "%s has no score named '%s'", lacks->path, b->figure[i].key);
        if (lacks && !r->cli->quiet)
            fprintf(stderr, "assay: %s is left out: %s has no such score\n", b->figure[i].key, lacks->path);
        if (lacks)
            continue;
        struct bd_figure *f = &r->figure[r->figures++];
        assay_output output = {.direction = ASSAY_NEUTRAL};
        f->of = &b->figure[i];
        f->index = i;
        snprintf(f->name, sizeof f->name, "%s%s%s", f->of->key, f->of->pool_named ? "." : "", f->of->pool_name);
        const bool known = metric_of(f->of->key, &output), spread = f->of->pool == POOL_STDDEV ||
                                                                    f->of->pool == POOL_VARIANCE;
        if (known && output.direction == ASSAY_NEUTRAL)
            return assay_fail(e, ASSAY_EUSAGE, "-m %s: neither higher nor lower values of it are better", f->of->key);
        f->direction = known && !spread ? output.direction : 0; /* 0: what the points show */
    }
    return r->figures ? ASSAY_OK
                      : assay_fail(e, ASSAY_EUSAGE, "no score that all points have is one of vmaf, psnr_y and "
                                   "float_ms_ssim; -m names others");
}

/* Every point with every other one: what one report does not state, two others may state differently. */
static int check_matches(struct bd_run *r, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    const uint32_t points = b->points[0] + b->points[1];
    const char *metric[ENCODE_FIGURES];
    uint32_t metrics = 0;
    assay_output output;
    for (uint32_t i = 0; i < r->figures; i++) {
        metric[i] = metric_of(r->figure[i].of->key, &output);
        metrics += metric[i] != NULL;
    }
    metrics = metrics == r->figures ? metrics : 0; /* a score of unknown metric: all metrics are compared */
    for (uint32_t i = 0; i < points; i++)
        for (uint32_t k = i + 1; k < points; k++)
            TRY(encodes_match(&nth(r, i)->encode, nth(r, i)->path, &nth(r, k)->encode, nth(r, k)->path, metric, metrics,
                              e));
    return ASSAY_OK;
}

static int compare(struct bd_run *r, struct bd_figure *f, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    struct bdrate_point curve[2][CLI_POINTS];
    for (unsigned side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < b->points[side]; i++) {
            const struct bd_point *p = &r->point[side][i];
            curve[side][i] = (struct bdrate_point){p->path, p->kbps, p->encode.figure[f->index]};
        }
        TRY(bdrate_order(curve[side], b->points[side], bd_curve_name[side], f->name, &f->direction, e));
    }
    for (unsigned m = 0; m < BDRATE_METHODS; m++)
        if (b->method[m])
            TRY(bdrate_compare(curve[0], b->points[0], curve[1], b->points[1], (enum bdrate_method)m, f->name,
                               &f->result[m], e));
    return ASSAY_OK;
}

static int by_rate(const void *a, const void *b)
{
    const struct bd_point *p = a, *q = b;
    return (p->kbps > q->kbps) - (p->kbps < q->kbps);
}

/* The share of the curves below which the mean is of a part that need not be typical: the limit of the package
 * `bjontegaard`. */
static const double small_overlap = 0.75;

static void notices(const struct bd_run *r)
{
    for (uint32_t i = 0; !r->cli->quiet && i < r->figures; i++)
        for (unsigned m = 0; m < BDRATE_METHODS; m++) {
            const struct bdrate *x = &r->figure[i].result[m];
            if (!r->cli->bdrate.method[m])
                continue;
            if (x->figures.share < small_overlap)
                fprintf(stderr, "assay: %s: the curves have only %.0f %% of their range in common\n", r->figure[i].name,
                        x->figures.share * 100);
            if (!(x->rates.share > 0))
                fprintf(stderr, "assay: %s: the rates of the curves do not overlap, so there is no BD-score\n",
                        r->figure[i].name);
            break; /* of the other methods it is the same */
        }
}

static int run(struct bd_run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    TRY(results_spared(c, e));
    TRY(check_scoring(c, e));
    TRY(get_points(r, e));
    TRY(choose_figures(r, e));
    TRY(check_matches(r, e));
    for (uint32_t i = 0; i < r->figures; i++)
        TRY(compare(r, &r->figure[i], e));
    for (unsigned side = 0; side < 2; side++)
        qsort(r->point[side], c->bdrate.points[side], sizeof r->point[side][0], by_rate);
    notices(r);
    for (uint32_t i = 0; i < c->outputs; i++)
        TRY((c->output[i].kind == REPORT_CSV ? bd_csv : bd_json)(r, c->output[i].path, e));
    if (!c->quiet && results_stream(c) == stdout)
        bd_print(r, stdout);
    return ASSAY_OK;
}

int cli_bdrate(const struct cli *c, struct assay_error *e)
{
    struct bd_run *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the points");
    r->cli = c;
    const int rc = run(r, e);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < c->bdrate.points[side]; i++)
            encode_free(&r->point[side][i].encode);
    free(r);
    return rc;
}
