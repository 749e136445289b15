/* SPDX-License-Identifier: BSD-2-Clause */
/* From features to scores. Every step is one IEEE operation in the order that libvmaf's has, so that the last bit
 * agrees, too; exp is the correctly rounded one of host/exact_math.h. */
#include <stdlib.h>

#include "host/exact_math.h"
#include "models/model.h"

static double predict_squared_distance(const double *vector, uint32_t features, const double *x)
{
    double distance = 0.0;
    for (uint32_t f = 0; f < features; f++) {
        const double d = x[f] - vector[f];
        distance += d * d;
    }
    return distance;
}

/* The terms are added in the order of the vectors. */
static double predict_machine(const struct model_svr *s, uint32_t features, const double *x)
{
    enum { AT_ONCE = 64 };
    const size_t step = 1 + features;
    double near[AT_ONCE], sum = 0.0;
    for (uint32_t first = 0; first < s->vectors; first += AT_ONCE) {
        const uint32_t n = s->vectors - first < AT_ONCE ? s->vectors - first : AT_ONCE;
        const double *v = s->vector + first * step;
        for (uint32_t i = 0; i < n; i++)
            near[i] = -s->gamma * predict_squared_distance(v + i * step + 1, features, x);
        assay_exp_each(near, n);
        for (uint32_t i = 0; i < n; i++)
            sum += v[i * step] * near[i];
    }
    return sum - s->rho;
}

/* A speed_chroma of exactly 0 becomes -chroma * adm3 + chroma. The features are compared as they are got back from
 * their rescaled values, as in libvmaf. */
static void predict_chroma(const struct model_predictor *p, double *x)
{
    const uint32_t to = p->chroma_to, from = p->chroma_from;
    const double *slope = p->slope + 1, *intercept = p->intercept + 1;
    const double chroma = p->rescale ? (x[to] - intercept[to]) / slope[to] : x[to];
    const double adm3 = p->rescale ? (x[from] - intercept[from]) / slope[from] : x[from];
    if (chroma != 0.0)
        return;
    const double corrected = -p->chroma * adm3 + p->chroma;
    x[to] = p->rescale ? slope[to] * corrected + intercept[to] : corrected;
}

/* The score before transform and clip. */
static double predict_raw(const struct model_predictor *p, uint32_t features, const double *feature)
{
    double x[MODEL_FEATURES];
    for (uint32_t i = 0; i < features; i++)
        x[i] = p->rescale ? p->slope[1 + i] * feature[i] + p->intercept[1 + i] : feature[i];
    if (p->chroma != 0.0)
        predict_chroma(p, x);
    const double y = predict_machine(&p->svr, features, x);
    return p->rescale ? (y - p->intercept[0]) / p->slope[0] : y;
}

/* The line through two knots, at y. */
static double predict_segment(const double *a, const double *b, double y)
{
    if (a[1] == b[1])
        return a[1];
    if (a[0] == 0.0)
        return (b[1] - a[1]) / b[0] * y + a[1];
    const double slope = (b[1] - a[1]) / (b[0] - a[0]);
    return slope * y + (a[1] - a[0] * slope);
}

/* Of two segments that meet at y, the later one counts. Outside of the knots the first and the last segment go on. */
static double predict_knots(const struct model_transform *t, double y)
{
    uint32_t i = t->knots - 2;
    while (i > 0 && y < t->knot[i][0])
        i--;
    return predict_segment(t->knot[i], t->knot[i + 1], y);
}

static double predict_transform(const struct model_transform *t, double y)
{
    double v = 0.0;
    if (t->has[0])
        v += t->p[0];
    if (t->has[1])
        v += t->p[1] * y;
    if (t->has[2])
        v += t->p[2] * y * y;
    if (!t->has[0] && !t->has[1] && !t->has[2])
        v = y;
    if (t->knots)
        v = predict_knots(t, v);
    if (t->out_lte_in)
        v = v > y ? y : v;
    if (t->out_gte_in)
        v = v < y ? y : v;
    return v;
}

static double predict_finish(const struct model_predictor *p, double y)
{
    if (p->transform.on)
        y = predict_transform(&p->transform, y);
    if (p->clip) {
        y = y < p->low ? p->low : y;
        y = y > p->high ? p->high : y;
    }
    return y;
}

/* Linear between the two values around the place. */
static double predict_percentile(const double *sorted, uint32_t n, double percent)
{
    const double place = percent * (n - 1) / 100.0;
    const uint32_t low = (uint32_t)place, high = low + ((double)low != place);
    return low == high ? sorted[low] : sorted[low] * ((double)high - place) + sorted[high] * (place - (double)low);
}

/* The figures of a collection from its members' raw scores, which get sorted. Mean and percentiles are finished as the
 * first member's score; the deviation is scaled by the slope of that at the mean. */
static void predict_figures(const struct model_predictor *first, double *raw, uint32_t n, double *figures)
{
    const double step = 0.01;
    double sum = 0.0, squares = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += raw[i];
    const double mean = sum / n;
    for (uint32_t i = 0; i < n; i++)
        squares += (raw[i] - mean) * (raw[i] - mean);
    qsort(raw, n, sizeof *raw, assay_ascending);
    const double slope = (predict_finish(first, mean + step) - predict_finish(first, mean - step)) / (2.0 * step);
    figures[MODEL_BAGGING] = predict_finish(first, mean);
    figures[MODEL_STDDEV] = assay_sqrt(squares / n) * slope;
    figures[MODEL_P95_LOW] = predict_finish(first, predict_percentile(raw, n, 2.5));
    figures[MODEL_P95_HIGH] = predict_finish(first, predict_percentile(raw, n, 97.5));
}

void model_predict(const struct model *m, const double *feature, double *scores)
{
    double raw[MODEL_MEMBERS];
    scores[0] = predict_finish(&m->predictor[0], predict_raw(&m->predictor[0], m->features, feature));
    for (uint32_t i = 0; i < m->members; i++) {
        raw[i] = predict_raw(&m->predictor[1 + i], m->features, feature);
        scores[1 + i] = predict_finish(&m->predictor[1 + i], raw[i]);
    }
    if (m->members)
        predict_figures(&m->predictor[1], raw, m->members, scores + 1 + m->members);
}
