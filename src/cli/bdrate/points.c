/* SPDX-License-Identifier: BSD-2-Clause */
/* The points of assay bdrate: from reports, on one encode or on several, and from videos that are scored. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bdrate/bdrate.h"
#include "host/text.h"
#include "input/stream.h"
#include "results/file.h"
#include "run/fields.h"

/* Whether a file is JSON: a report, and no video. */
static int is_report(const char *path, bool *report, struct assay_error *e)
{
    const int fd = file_open(path, e);
    if (fd < 0)
        return fd;
    char text[512];
    ssize_t n, i;
    do {
        n = read(fd, text, sizeof text);
        for (i = 0; i < n && memchr(" \n\r\t", text[i], 4); i++)
            continue;
    } while (n > 0 && i == n);
    const int why = n < 0 ? errno : 0;
    close(fd);
    *report = n > 0 && text[i] == '{';
    return why ? assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", path, strerror(why)) : ASSAY_OK;
}

/* ---- videos ------------------------------------------------------------------------------------------------------ */

/* The metric that writes the score `key` of -m. */
static int find_metric(const char *key, const char **name, struct assay_error *e)
{
    assay_output output;
    *name = run_metric_of(key, &output);
    for (uint32_t m = 0; !*name && assay_metric_name(m); m++)
        if (!strcmp(assay_metric_name(m), key) && !assay_metric_output(m, 0, &output))
            return assay_fail(e, ASSAY_EUSAGE, "-m %s: that is a metric, and its scores are %s", key, output.keys);
    return *name ? ASSAY_OK
                 : assay_fail(e, ASSAY_EUSAGE, "-m %s: no metric writes this score without options; --feature names "
                              "the metric that does", key);
}

/* Sets the metrics that videos are scored with: those of --feature, or else those that write the scores of -m; none:
 * the usual ones. */
static int choose_metrics(struct bd_curves *r, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    for (uint32_t i = 0; b->named && !r->cli->q.metrics && i < b->figures; i++) {
        const char *name;
        bool there = false;
        TRY(find_metric(b->figure[i].key, &name, e));
        for (uint32_t m = 0; m < r->metrics; m++)
            there = there || !strcmp(r->metric[m], name);
        if (!there)
            r->metric[r->metrics++] = name;
    }
    return ASSAY_OK;
}
_Static_assert((int)REQUEST_METRICS >= (int)ENCODE_FIGURES, "a metric for each figure has a place");

/* Scores videos as a ladder, which decodes the reference once for all of them, and takes their scores. */
static int score(const struct bd_curves *r, struct bd_point *const *point, uint32_t points, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    struct cli *c = malloc(sizeof *c);
    struct ladder *l = NULL;
    if (!c)
        return assay_fail_memory(e, "a run");
    if (!r->cli->quiet && points == 1)
        text_say("%s is scored", point[0]->path);
    else if (!r->cli->quiet)
        text_say("%u videos are scored", points);
    *c = *r->cli;
    c->command = COMMAND_SCORE;
    c->q.encodes = points;
    for (uint32_t k = 0; k < points; k++)
        c->q.encode[k] = point[k]->path;
    c->q.path[1] = c->q.encode[0];
    for (uint32_t i = 0; i < r->metrics; i++)
        c->q.metric[c->q.metrics++] = r->metric[i];
    c->outputs = 0;
    c->all_or_none = true;
    c->only_scores = true;
    c->q.seeks_shift = false;
    int rc = ladder_score(&l, c, e);
    for (uint32_t k = 0; !rc && k < points; k++)
        rc = encode_take(&point[k]->encode, point[k]->name, ladder_results(l, k), b->figure, b->figures, e);
    ladder_close(&l);
    free(c);
    return rc;
}

/* Raw pictures, Y4M and images have no bitrate of an encode. What can't be looked at twice is left to the scoring. */
static int check_coded(const struct bd_curves *r, const struct bd_point *p, struct assay_error *e)
{
    struct input_options o;
    struct input *in;
    if (p->encode.frames || p->given || stream_file_bytes(p->path) < 0)
        return ASSAY_OK;
    pair_options(&o, &r->cli->q, 1);
    o.path = p->path;
    TRY(input_open(&in, &o, e));
    const bool coded = !in->image && !strcmp(in->kind, "libav");
    const char *what = in->image ? "an image" : "not coded";
    input_close(&in);
    return coded ? ASSAY_OK
                 : assay_fail(e, ASSAY_EUSAGE, "%s: is %s, so its bitrate is not known; '%s@KBPS' gives that of the "
                              "encode it was made from, in kbit/s", p->name, what, p->name);
}

/* Scores the points that no report has, as many at a time as a session takes. */
static int score_videos(struct bd_curves *r, struct assay_error *e)
{
    struct bd_point *point[ASSAY_ENCODES];
    uint32_t points = 0;
    for (uint32_t i = 0; i < bd_count(r); i++)
        TRY(check_coded(r, bd_nth(r, i), e));
    for (uint32_t i = 0; i < bd_count(r); i++) {
        if (!bd_nth(r, i)->encode.frames) /* a report has frames */
            point[points++] = bd_nth(r, i);
        if (points == ASSAY_ENCODES) {
            TRY(score(r, point, points, e));
            points = 0;
        }
    }
    return points ? score(r, point, points, e) : ASSAY_OK;
}

/* The option that says what is compared, and is for videos alone; NULL: none was given. */
static const char *for_videos(const struct cli *c)
{
    for (const struct cli_setting *s = c->setting; s < c->setting + c->settings; s++)
        if (!s->field->section && s->field->option[0]) /* "Inputs" in the help */
            return s->field->option[s->side];
    return c->q.metrics ? "feature" : NULL;
}

/* A reference is needed where a video has to be scored, and useless where none has, as other options are. -m then names
 * scores that metrics write. Checked before anything is read. */
static int check_scoring(struct bd_curves *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    bool videos = false;
    for (unsigned which = 0; which < 2; which++)
        for (uint32_t i = 0; i < c->bdrate.points[which]; i++) {
            const struct cli_point *p = &c->bdrate.point[which][i];
            bool *const report = &r->is_report[which][i];
            TRY(is_report(p->path, report, e));
            if (!*report && p->encode)
                return assay_fail(e, ASSAY_EUSAGE, "%s: is no report, so it has no encode named '%s'", p->path,
                                  p->encode);
            if (!*report && !c->q.path[0])
                return assay_fail(e, ASSAY_EUSAGE, "%s: is no report, and to be scored it needs --reference", p->path);
            videos = videos || !*report;
        }
    if (!videos && for_videos(c))
        return assay_fail(e, ASSAY_EUSAGE, "--%s is for files that are to be scored, and all points are reports",
                          for_videos(c));
    return videos ? choose_metrics(r, e) : ASSAY_OK;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Adds a point of a file, or of an encode of a report on several, `file`. NULL: a failure. */
static struct bd_point *add_point(struct bd_curves *r, unsigned which, const char *path, const char *file, double given,
                                  struct assay_error *e)
{
    struct bd_point *p = &r->point[which][r->points[which]];
    if (r->points[which] == CLI_POINTS) {
        assay_fail(e, ASSAY_EUSAGE, "--%s has more than %d points", bdrate_curve_name[which], CLI_POINTS);
        return NULL;
    }
    r->points[which]++;
    *p = (struct bd_point){.path = path, .kbps = given, .given = given > 0};
    p->name = text_new("%s%s%s", path, file ? ":" : "", file ? file : "");
    if (!p->name)
        assay_fail_memory(e, "a point");
    p->file = p->name && file ? p->name + strlen(path) + 1 : NULL;
    return p->name ? p : NULL;
}

/* An encode is one point of one curve. */
static int check_new(struct bd_curves *r, const char *path, const char *file, struct assay_error *e)
{
    for (uint32_t i = 0; i < bd_count(r); i++) {
        const struct bd_point *p = bd_nth(r, i);
        if (p->file && !strcmp(p->path, path) && !strcmp(p->file, file))
            return assay_fail(e, ASSAY_EUSAGE, "%s is a point of --%s already: '%s:ENCODE' takes one encode of the "
                              "report", p->name, bdrate_curve_name[i >= r->points[0]], path);
    }
    return ASSAY_OK;
}

/* A rate that is given goes before the one that a report states. */
static int find_rate(struct bd_point *p, struct assay_error *e)
{
    p->kbps = p->given ? p->kbps : p->encode.kbps;
    return p->kbps > 0 || !p->encode.frames /* a video that is not scored yet */
                       ? ASSAY_OK
                       : assay_fail(e, ASSAY_EUSAGE, "%s: its bitrate is not known; '%s@KBPS' gives it, in kbit/s",
                                    p->name, p->name);
}

static int take(struct bd_curves *r, unsigned which, const struct cli_point *given, double kbps, uint32_t i,
                struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    const char *file = r->report.encodes ? r->report.encode[i].file : NULL;
    TRY(file ? check_new(r, given->path, file, e) : ASSAY_OK);
    struct bd_point *p = add_point(r, which, given->path, file, kbps, e);
    if (!p)
        return e->code;
    TRY(encode_of_report(&p->encode, &r->report, i, p->name, b->figure, b->figures, e));
    return find_rate(p, e);
}

/* The number of the encode whose file, or else whose name, is the first n bytes of a text. r->report.encodes: none has.
 * *again: another one that has it, or as many. */
static uint32_t find_encode(const struct report_file *report, const char *text, size_t n, uint32_t *again)
{
    uint32_t found = report->encodes;
    *again = report->encodes;
    for (unsigned by_name = 0; by_name < 2 && found == report->encodes; by_name++)
        for (uint32_t i = 0; i < report->encodes; i++) {
            const char *other = by_name ? report->encode[i].name : report->encode[i].file;
            if (strlen(other) != n || strncmp(other, text, n))
                continue;
            if (found < report->encodes && *again == report->encodes)
                *again = i;
            found = found < report->encodes ? found : i;
        }
    return found;
}

static int no_such(const struct report_file *report, const struct cli_point *p, struct assay_error *e)
{
    char known[600] = "";
    for (uint32_t i = 0; i < report->encodes; i++)
        text_append(known, sizeof known, "%s%s", i ? ", " : "", report->encode[i].file);
    return assay_fail(e, ASSAY_EUSAGE, "%s: has no encode '%.*s'; it has %s", p->path, (int)p->length, p->encode,
                      known);
}

/* One encode of a report on several. */
static int take_named(struct bd_curves *r, unsigned which, const struct cli_point *p, struct assay_error *e)
{
    const struct report_file *report = &r->report;
    size_t n = strlen(p->encode);
    uint32_t again, i = find_encode(report, p->encode, n, &again);
    const bool whole = i < report->encodes;
    if (!whole)
        i = find_encode(report, p->encode, n = p->length, &again);
    if (i == report->encodes)
        return no_such(report, p, e);
    if (again < report->encodes)
        return assay_fail(e, ASSAY_EUSAGE, "%s: two encodes are called '%.*s': %s and %s (the path names one of them)",
                          p->path, (int)n, p->encode, report->encode[i].file, report->encode[again].file);
    return take(r, which, p, whole ? (double)NAN : p->kbps, i, e);
}

static int take_report(struct bd_curves *r, unsigned which, const struct cli_point *p, struct assay_error *e)
{
    struct report_file *report = &r->report;
    if (!report->root || strcmp(report->path, p->path)) { /* several points of one file follow each other */
        report_file_free(report);
        TRY(report_file_read(report, p->path, e));
    }
    if (p->encode && !report->encodes)
        return assay_fail(e, ASSAY_EUSAGE, "%s: is a report on one encode, and '%s' names one of several", p->path,
                          p->encode);
    if (p->encode)
        return take_named(r, which, p, e);
    if (report->encodes > 1 && p->kbps > 0)
        return assay_fail(e, ASSAY_EUSAGE, "%s: is a report on %u encodes, and a rate is one encode's: %s:ENCODE@KBPS",
                          p->path, report->encodes, p->path);
    for (uint32_t i = 0; i < (report->encodes ? report->encodes : 1); i++)
        TRY(take(r, which, p, p->kbps, i, e));
    return ASSAY_OK;
}

int bd_too_few(unsigned which, uint32_t points, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EUSAGE, "bdrate needs at least %d points of each curve, and --%s has %u: assay bdrate "
                      "--anchor A1 A2 A3 A4 --test B1 B2 B3 B4", BDRATE_LEAST, bdrate_curve_name[which], points);
}

/* Reads the reports, and notes the videos. */
static int read_reports(struct bd_curves *r, struct assay_error *e)
{
    const struct cli_bdrate *b = &r->cli->bdrate;
    for (unsigned which = 0; which < 2; which++)
        for (uint32_t i = 0; i < b->points[which]; i++) {
            const struct cli_point *p = &b->point[which][i];
            if (r->is_report[which][i])
                TRY(take_report(r, which, p, e));
            else if (!add_point(r, which, p->path, NULL, p->kbps, e))
                return e->code;
        }
    for (unsigned which = 0; which < 2; which++)
        if (r->points[which] < BDRATE_LEAST)
            return bd_too_few(which, r->points[which], e);
    return ASSAY_OK;
}

int bd_points(struct bd_curves *r, struct assay_error *e)
{
    TRY(check_scoring(r, e));
    int rc = read_reports(r, e);
    report_file_free(&r->report);
    rc = rc ? rc : score_videos(r, e);
    for (uint32_t i = 0; !rc && i < bd_count(r); i++)
        rc = find_rate(bd_nth(r, i), e);
    return rc;
}

void bd_points_free(struct bd_curves *r)
{
    for (uint32_t i = 0; i < bd_count(r); i++) {
        encode_free(&bd_nth(r, i)->encode);
        free(bd_nth(r, i)->name);
    }
}
