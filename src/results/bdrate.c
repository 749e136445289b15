/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/bdrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/exact_math.h"
#include "host/numbers.h"

enum { SAMPLES = 100 }; /* of BDRATE_AOM, and where it is looked whether curves cross */

const char *const bdrate_method_name[BDRATE_METHODS] = {"pchip", "akima", "aom", "cubic"};
const char *const bdrate_curve_name[2] = {"anchor", "test"};

enum bdrate_method bdrate_first(const bool asked[BDRATE_METHODS])
{
    unsigned m = 0;
    while (m + 1 < BDRATE_METHODS && !asked[m])
        m++;
    return (enum bdrate_method)m;
}

/* A curve y(x) through n points, x ascending. Between two points it is the cubic with the slopes at both. */
struct curve {
    uint32_t n;
    double x[BDRATE_MOST], y[BDRATE_MOST], slope[BDRATE_MOST];
};

static double secant(const struct curve *c, uint32_t i)
{
    return (c->y[i + 1] - c->y[i]) / (c->x[i + 1] - c->x[i]);
}

/* ---- slopes ------------------------------------------------------------------------------------------------------ */

/* The slope at an end from the three points next to it; h and d are the widths and secants of the two pieces, the outer
 * one first. A slope against the curve's direction becomes 0. Both secants have the same sign, because the points are
 * monotonic, so PCHIP's limit for an end at a turn is never needed. */
static double end_slope(double h0, double h1, double d0, double d1)
{
    const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    return slope * d0 < 0 ? 0 : slope;
}

/* Inside, the weighted harmonic mean of the secants on both sides, which have the same sign and are not 0. */
static void pchip_slopes(struct curve *c)
{
    const uint32_t n = c->n;
    for (uint32_t i = 1; i + 1 < n; i++) {
        const double h0 = c->x[i] - c->x[i - 1], h1 = c->x[i + 1] - c->x[i];
        c->slope[i] = (3 * h0 + 3 * h1) / ((2 * h1 + h0) / secant(c, i - 1) + (h1 + 2 * h0) / secant(c, i));
    }
    c->slope[0] = end_slope(c->x[1] - c->x[0], c->x[2] - c->x[1], secant(c, 0), secant(c, 1));
    c->slope[n - 1] = end_slope(c->x[n - 1] - c->x[n - 2], c->x[n - 2] - c->x[n - 3], secant(c, n - 2),
                                secant(c, n - 3));
}

/* Of the secants a, b | c, d around a point, b and c weighted by how little the other side bends. Where neither side
 * bends, their mean. */
static double akima_slope(double a, double b, double c, double d)
{
    const double left = fabs(d - c), right = fabs(b - a);
    return left + right > 0 ? (left * b + right * c) / (left + right) : (b + c) / 2;
}

/* Two more secants on each side go on as a parabola. */
static void akima_slopes(struct curve *c)
{
    const uint32_t n = c->n;
    double m[BDRATE_MOST + 3];
    for (uint32_t i = 0; i + 1 < n; i++)
        m[i + 2] = secant(c, i);
    m[1] = 2 * m[2] - m[3];
    m[0] = 2 * m[1] - m[2];
    m[n + 1] = 2 * m[n] - m[n - 1];
    m[n + 2] = 2 * m[n + 1] - m[n];
    for (uint32_t i = 0; i < n; i++)
        c->slope[i] = akima_slope(m[i], m[i + 1], m[i + 2], m[i + 3]);
}

/* The polynomial of degree 3 with the least squares: its values and slopes at the points take the points' places, and
 * the cubics between them are the polynomial. Polynomials that are orthogonal on the points (Forsythe 1957) need no
 * system of equations. */
static void fit_cubic(struct curve *c)
{
    double p[BDRATE_MOST], before[BDRATE_MOST] = {0}, fitted[BDRATE_MOST] = {0}; /* polynomials of degree k and k - 1 */
    double q[BDRATE_MOST] = {0}, steep[BDRATE_MOST] = {0};                       /* and their slopes */
    const double middle = (c->x[0] + c->x[c->n - 1]) / 2, half = (c->x[c->n - 1] - c->x[0]) / 2;
    double last = 1;
    for (uint32_t i = 0; i < c->n; i++)
        p[i] = 1, c->slope[i] = 0;
    for (unsigned k = 0; k < 4; k++) {
        double size = 0, at = 0, part = 0;
        for (uint32_t i = 0; i < c->n; i++) {
            size += p[i] * p[i];
            at += (c->x[i] - middle) / half * (p[i] * p[i]);
            part += p[i] * (c->y[i] - fitted[i]);
        }
        for (uint32_t i = 0; i < c->n; i++) {
            const double t = (c->x[i] - middle) / half - at / size, back = k ? size / last : 0;
            const double next = t * p[i] - back * before[i], slope = p[i] + t * q[i] - back * steep[i];
            fitted[i] += part / size * p[i];
            c->slope[i] += part / size * q[i] / half;
            before[i] = p[i];
            steep[i] = q[i];
            p[i] = next;
            q[i] = slope;
        }
        last = size;
    }
    memcpy(c->y, fitted, c->n * sizeof fitted[0]);
}

/* ---- integrals --------------------------------------------------------------------------------------------------- */

/* Factors of s, s^2 and s^3 of piece i, where s = x - x[i]. */
static void piece(const struct curve *c, uint32_t i, double factor[3])
{
    const double h = c->x[i + 1] - c->x[i], d = secant(c, i);
    factor[0] = c->slope[i];
    factor[1] = (3 * d - 2 * c->slope[i] - c->slope[i + 1]) / h;
    factor[2] = (c->slope[i] - 2 * d + c->slope[i + 1]) / (h * h);
}

/* The cubic of piece i at x. */
static double value_in(const struct curve *c, uint32_t i, double x)
{
    double f[3];
    const double s = x - c->x[i];
    piece(c, i, f);
    return c->y[i] + s * (f[0] + s * (f[1] + s * f[2]));
}

/* The integral from low to high, within the curve. Simpson's rule is exact for cubics. A difference of two integrals
 * from the start of a piece would leave no digits of a short overlap. */
static double integral(const struct curve *c, double low, double high)
{
    double sum = 0;
    for (uint32_t i = 0; i + 1 < c->n; i++) {
        const double from = low > c->x[i] ? low : c->x[i], to = high < c->x[i + 1] ? high : c->x[i + 1];
        if (from < to)
            sum += (to - from) / 6 * (value_in(c, i, from) + 4 * value_in(c, i, from + (to - from) / 2) +
                                      value_in(c, i, to));
    }
    return sum;
}

static double value(const struct curve *c, double x)
{
    uint32_t i = 0;
    while (i + 2 < c->n && x >= c->x[i + 1])
        i++;
    return value_in(c, i, x);
}

/* The integral by the trapezoidal rule over SAMPLES points with equal distances. */
static double sampled_integral(const struct curve *c, double low, double high)
{
    const double step = (high - low) / (SAMPLES - 1);
    double sum = 0, before = value(c, low);
    for (unsigned i = 1; i < SAMPLES; i++) {
        const double next = value(c, i + 1 < SAMPLES ? low + i * step : high);
        sum += (before + next) / 2;
        before = next;
    }
    return sum * step;
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

/* The curve of log10 of the rate over the figure, or, if `by_rate`, of the figure over log10 of the rate. */
static void make_curve(struct curve *c, const struct bdrate_point *p, uint32_t n, enum bdrate_method method,
                       bool by_rate)
{
    const bool descends = !by_rate && p[0].figure > p[1].figure; /* lower figures are better */
    c->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct bdrate_point *q = &p[descends ? n - 1 - i : i];
        const double rate = assay_log10(q->rate);
        c->x[i] = by_rate ? rate : q->figure;
        c->y[i] = by_rate ? q->figure : rate;
    }
    (method == BDRATE_AKIMA ? akima_slopes : method == BDRATE_CUBIC ? fit_cubic : pchip_slopes)(c);
}

static struct bdrate_overlap overlap(const struct curve *a, const struct curve *b)
{
    const double a0 = a->x[0], a1 = a->x[a->n - 1], b0 = b->x[0], b1 = b->x[b->n - 1];
    struct bdrate_overlap o = {a0 > b0 ? a0 : b0, a1 < b1 ? a1 : b1, 0};
    if (o.low < o.high)
        o.share = (o.high - o.low) / ((a1 > b1 ? a1 : b1) - (a0 < b0 ? a0 : b0));
    return o;
}

/* The mean of b - a where both are. */
static double mean_difference(const struct curve *a, const struct curve *b, const struct bdrate_overlap *o,
                              enum bdrate_method method)
{
    double (*const integrate)(const struct curve *, double, double) = method == BDRATE_AOM ? sampled_integral
                                                                                           : integral;
    return (integrate(b, o->low, o->high) - integrate(a, o->low, o->high)) / (o->high - o->low);
}

/* A thousandth of the rate, as log10: curves that are closer are taken as one. */
static const double apart = 0.000434;

/* Whether one curve is above the other at some places and below it at others. */
static bool curves_cross(const struct curve *a, const struct curve *b, const struct bdrate_overlap *o)
{
    bool above = false, below = false;
    for (unsigned i = 0; i < SAMPLES; i++) {
        const double x = i + 1 < SAMPLES ? o->low + i * ((o->high - o->low) / (SAMPLES - 1)) : o->high;
        const double d = value(b, x) - value(a, x);
        above = above || d > apart;
        below = below || d < -apart;
    }
    return above && below;
}

int bdrate_compare(const struct bdrate_point *anchor, uint32_t anchors, const struct bdrate_point *test, uint32_t tests,
                   enum bdrate_method method, const char *figure, struct bdrate *out, struct assay_error *e)
{
    struct curve a, b;
    make_curve(&a, anchor, anchors, method, false);
    make_curve(&b, test, tests, method, false);
    out->figures = overlap(&a, &b);
    if (!(out->figures.share > 0)) {
        char text[4][NUMBER_TEXT_SIZE];
        const double end[4] = {a.x[0], a.x[a.n - 1], b.x[0], b.x[b.n - 1]};
        for (unsigned i = 0; i < 4; i++)
            format_fixed(text[i], end[i], 6);
        return assay_fail(e, ASSAY_EMISMATCH, "%s: the curves do not overlap: %s to %s of the anchor, %s to %s of the "
                          "test", figure, text[0], text[1], text[2], text[3]);
    }
    out->cross = curves_cross(&a, &b, &out->figures);
    out->rate = (assay_pow(10, mean_difference(&a, &b, &out->figures, method)) - 1) * 100;
    make_curve(&a, anchor, anchors, method, true);
    make_curve(&b, test, tests, method, true);
    out->rates = overlap(&a, &b);
    out->figure = out->rates.share > 0 ? mean_difference(&a, &b, &out->rates, method) : (double)NAN;
    out->rates.low = anchor[0].rate > test[0].rate ? anchor[0].rate : test[0].rate;
    out->rates.high = anchor[anchors - 1].rate < test[tests - 1].rate ? anchor[anchors - 1].rate
                                                                      : test[tests - 1].rate;
    if (!isfinite(out->rate) || (out->rates.share > 0 && !isfinite(out->figure)))
        return assay_fail(e, ASSAY_EMISMATCH, "%s: the curves are too steep for a finite result", figure);
    return ASSAY_OK;
}

void bdrate_walk(const struct bdrate_point *point, uint32_t n, enum bdrate_method method, uint32_t parts,
                 bdrate_vertex *vertex, void *opaque)
{
    struct curve c;
    make_curve(&c, point, n, method, false);
    for (uint32_t i = 0; i + 1 < n; i++)
        for (uint32_t k = 0; k < parts; k++) {
            const double x = c.x[i] + (c.x[i + 1] - c.x[i]) * k / parts;
            vertex(opaque, k ? value(&c, x) : c.y[i], x);
        }
    vertex(opaque, c.y[n - 1], c.x[n - 1]);
}

/* The share of the curves below which the mean is of a part that need not be typical: the limit of the package
 * `bjontegaard`. */
static const double small_overlap = 0.75;

bool bdrate_notice(const struct bdrate *result, unsigned which, char text[BDRATE_NOTICE])
{
    const double share = which ? result->rates.share : result->figures.share;
    if (which == 2)
        snprintf(text, BDRATE_NOTICE, "the curves cross: which one needs less rate depends on the score");
    else if (!(share > 0))
        snprintf(text, BDRATE_NOTICE, "the rates of the curves do not overlap, so there is no BD-score");
    else
        snprintf(text, BDRATE_NOTICE, "the curves have only %d %% of their %s in common",
                 (int)(share * 100), which ? "rates" : "range"); /* cut off, so that it is never the limit */
    return which == 2 ? result->cross : share < small_overlap;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static int by_rate(const void *a, const void *b)
{
    const struct bdrate_point *p = a, *q = b;
    const int order = (p->rate > q->rate) - (p->rate < q->rate);
    return order ? order : strcmp(p->name, q->name);
}

/* Checks two neighbours in the order of their rates. */
static int check_step(const struct bdrate_point *p, const struct bdrate_point *q, const char *curve, const char *figure,
                      int direction, struct assay_error *e)
{
    char low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];
    const double step = (q->figure - p->figure) * direction;
    if (p->rate == q->rate) {
        format_shortest(low, p->rate);
        return assay_fail(e, ASSAY_EMISMATCH, "%s: %s and %s have the same rate, %s", curve, p->name, q->name, low);
    }
    if (step > 0)
        return ASSAY_OK;
    format_fixed(low, p->figure, 6);
    format_fixed(high, q->figure, 6);
    return assay_fail(e, ASSAY_EMISMATCH, "%s: %s is not monotonic: %s of %s, and %s of %s with a higher rate", curve,
                      figure, low, p->name, high, q->name);
}

int bdrate_order(struct bdrate_point *point, uint32_t n, const char *curve, const char *figure, int *direction,
                 struct assay_error *e)
{
    if (n < BDRATE_LEAST || n > BDRATE_MOST)
        return assay_fail(e, ASSAY_EUSAGE, "%s: %u points, and %d to %d are needed", curve, n, BDRATE_LEAST,
                          BDRATE_MOST);
    for (uint32_t i = 0; i < n; i++) {
        if (!isfinite(point[i].rate) || !(point[i].rate > 0))
            return assay_fail(e, ASSAY_EUSAGE, "%s: the rate of %s is no positive number", curve, point[i].name);
        if (!isfinite(point[i].figure))
            return assay_fail(e, ASSAY_EUSAGE, "%s: %s of %s has no finite value", curve, figure, point[i].name);
    }
    qsort(point, n, sizeof *point, by_rate);
    if (!*direction)
        *direction = point[n - 1].figure < point[0].figure ? ASSAY_LOWER : ASSAY_HIGHER;
    for (uint32_t i = 0; i + 1 < n; i++)
        TRY(check_step(&point[i], &point[i + 1], curve, figure, *direction, e));
    return ASSAY_OK;
}
