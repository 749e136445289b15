/* SPDX-License-Identifier: BSD-2-Clause */
/* Two curves of results: assay_results_bdrate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/bdrate.h"
#include "run/results.h"

/* Both curves; the points of the test stand behind those of the anchor. */
struct curves {
    struct encode has[2 * BDRATE_MOST];
    const struct encode *encode[2 * BDRATE_MOST];
    struct bdrate_point point[2 * BDRATE_MOST];
    uint32_t points;
};

static int take(struct curves *c, const assay_rate_point *p, const char *figure, const struct gate *gate,
                struct assay_error *e)
{
    struct stored s;
    const uint32_t i = c->points;
    for (unsigned r = 0; r < sizeof p->reserved / sizeof p->reserved[0]; r++)
        if (p->reserved[r])
            return assay_fail(e, ASSAY_EUSAGE, "point %u: reserved fields are to be 0", i);
    if (!p->results)
        return assay_fail(e, ASSAY_EUSAGE, "point %u has no results", i);
    TRY(result_stored(p->results, p->encode, &s, e));
    pthread_mutex_lock(p->results->lock); /* pools have scratch */
    const int rc = encode_take(&c->has[i], s.path, &s, gate, 1, e);
    pthread_mutex_unlock(p->results->lock);
    c->points += !rc;
    TRY(rc);
    const double kbps = p->kbps != 0 ? p->kbps : c->has[i].kbps;
    c->encode[i] = &c->has[i];
    c->point[i] = (struct bdrate_point){s.path, kbps, c->has[i].figure[0]};
    if (!c->has[i].has[0])
        return assay_fail(e, ASSAY_EUSAGE, "%s has no score named '%s'", s.path, figure);
    return isnan(kbps) ? assay_fail(e, ASSAY_EUSAGE, "%s: its bitrate is not known", s.path) : ASSAY_OK;
}

static int compare(struct curves *c, const assay_rate_point *point[2], const uint32_t points[2], const char *figure,
                   const char *method, struct bdrate *result, struct assay_error *e)
{
    struct gate gate;
    const struct gate *const gates[1] = {&gate};
    int direction;
    unsigned m = 0;
    while (m < BDRATE_METHODS && strcmp(bdrate_method_name[m], method))
        m++;
    if (m == BDRATE_METHODS)
        return assay_fail(e, ASSAY_EUSAGE, "the method is pchip, akima, aom or cubic, not '%s'", method);
    TRY(gate_figure(&gate, "the figure", figure, strlen(figure), e));
    TRY(rates_direction(&gate, &direction, e));
    for (unsigned side = 0; side < 2; side++) {
        if (points[side] < BDRATE_LEAST || points[side] > BDRATE_MOST)
            return assay_fail(e, ASSAY_EUSAGE, "a curve has %d to %d points, and the %s has %u", BDRATE_LEAST,
                              BDRATE_MOST, bdrate_curve_name[side], points[side]);
        for (uint32_t i = 0; i < points[side]; i++)
            TRY(take(c, &point[side][i], figure, &gate, e));
    }
    TRY(rates_match(c->encode, c->points, gates, 1, e));
    for (unsigned side = 0; side < 2; side++)
        TRY(bdrate_order(c->point + side * points[0], points[side], bdrate_curve_name[side], figure, &direction, e));
    return bdrate_compare(c->point, points[0], c->point + points[0], points[1], (enum bdrate_method)m, figure, result,
                          e);
}

int assay_results_bdrate(const assay_rate_point *anchor, uint32_t anchors, const assay_rate_point *test, uint32_t tests,
                         const char *figure, const char *method, assay_bdrate *bdrate, char *error, size_t error_size)
{
    struct assay_error e = {0};
    struct bdrate r = {0};
    struct curves *c = calloc(1, sizeof *c);
    const assay_rate_point *point[2] = {anchor, test};
    *bdrate = (assay_bdrate){0};
    if (!c)
        assay_fail_memory(&e, "the curves");
    else if (!compare(c, point, (uint32_t[2]){anchors, tests}, figure, method, &r, &e))
        *bdrate = (assay_bdrate){.rate = r.rate, .figure = r.figure, .cross = r.cross,
                                 .figures = {r.figures.low, r.figures.high}, .figures_share = r.figures.share,
                                 .rates = {r.rates.low, r.rates.high}, .rates_share = r.rates.share};
    for (uint32_t i = 0; c && i < c->points; i++)
        encode_free(&c->has[i]);
    free(c);
    return assay_answer(&e, error, error_size);
}
