/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/axis.h"

#include <math.h>
#include <string.h>

double axis_place(const struct axis *a, double v)
{
    const double part = (v - a->low) / a->span;
    return a->at + (part < 0 ? 0 : part > 1 ? 1 : part) * a->pixels;
}

void axis_put(struct sink *s, const char *before, const struct axis *a, double v, int decimals)
{
    sink_number_within(s, before, axis_place(a, v), decimals, "");
}

double axis_step(double span, int most)
{
    static const double factors[] = {1, 2, 5, 10};
    const double least = span / most, power = assay_pow(10, assay_floor(assay_log10(least)));
    for (unsigned i = 0; i < 3; i++)
        if (factors[i] * power >= least)
            return factors[i] * power;
    return factors[3] * power;
}

int axis_decimals(double step)
{
    const double power = assay_floor(assay_log10(step) + 1e-9);
    return power >= 0 ? 0 : power < -17 ? 17 : (int)-power;
}

/* The number of the first tick of an axis: tick i is at i * step. */
static double axis_first(const struct axis *a)
{
    return assay_ceil(a->low / a->step - 1e-9) + 0.0; /* no -0 */
}

/* Whether tick i is on the axis. */
static bool axis_has(const struct axis *a, double i)
{
    return i * a->step <= a->low + a->span * (1 + 1e-9);
}

const struct range range_empty = {INFINITY, -INFINITY, 0, 0};

void range_add(struct range *r, double v)
{
    r->all++;
    if (!isfinite(v))
        return;
    r->low = v < r->low ? v : r->low;
    r->high = v > r->high ? v : r->high;
    r->finite++;
}

void range_add_column(struct range *r, const struct scores *s, uint32_t key)
{
    for (uint64_t row = 0; row < s->rows; row++)
        range_add(r, score_at(s, row, key));
}

void axis_cover(struct axis *a, const struct range *r)
{
    double low = r->finite ? r->low : 0, high = r->finite ? r->high : 0;
    if (!(high - low > fabs(high) * 1e-12 + 0x1p-1000)) { /* one value: some room on both sides */
        const double room = fabs(high) > 1 ? fabs(high) / 100 : 0.01;
        low -= room;
        high += room;
    }
    if (!(fabs(low) < 0x1p1000 && fabs(high) < 0x1p1000)) { /* a line above them may be infinite: at the edges */
        low = -1;
        high = 1;
    }
    a->step = axis_step(high - low, 4);
    a->low = assay_floor(low / a->step) * a->step;
    a->span = assay_ceil(high / a->step) * a->step - a->low;
}

void axis_put_lines(struct sink *s, const struct axis *y, int left, int right, int decimals)
{
    for (double i = axis_first(y); axis_has(y, i); i++) {
        const double at = axis_place(y, i * y->step);
        sink_format(s, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"", left, right);
        sink_number_within(s, "", at, decimals, "\" y2=\"");
        sink_number(s, at, decimals);
        sink_format(s, "\"/><text class=\"y\" text-anchor=\"end\" x=\"%d\" y=\"", left - 8);
        sink_number(s, at + 4, decimals);
        sink_number_within(s, "\">", i * y->step, axis_decimals(y->step), "</text>\n");
    }
}

void axis_put_numbers(struct sink *s, const struct axis *x, int at, int decimals)
{
    for (double i = axis_first(x); axis_has(x, i); i++) {
        axis_put(s, "<text class=\"x\" text-anchor=\"middle\" x=\"", x, i * x->step, decimals);
        sink_format(s, "\" y=\"%d", at);
        sink_number_within(s, "\">", i * x->step, 0, "</text>\n");
    }
}

const char *axis_unit(const char *key)
{
    return !strncmp(key, "psnr", 4) || !strncmp(key, "float_psnr", 10) ? " (dB)" : "";
}

void curve_walk(const struct scores *s, uint32_t key, uint64_t most, curve_vertex *vertex, void *opaque)
{
    const uint64_t rows = s->rows, parts = rows > 2 * most ? most : rows;
    for (uint64_t i = 0; i < parts; i++) {
        const uint64_t from = i * rows / parts, to = (i + 1) * rows / parts;
        uint64_t low = rows, high = rows;
        for (uint64_t row = from; row < to; row++) {
            const double v = score_at(s, row, key);
            if (!isfinite(v)) {
                vertex(opaque, row, false);
                continue;
            }
            low = low == rows || v < score_at(s, low, key) ? row : low;
            high = high == rows || v > score_at(s, high, key) ? row : high;
        }
        if (low == rows)
            continue;
        vertex(opaque, low < high ? low : high, true);
        if (low != high)
            vertex(opaque, low < high ? high : low, true);
    }
}

/* The part of a curve that is being written. */
struct stroke {
    struct sink *s;
    const struct curve *curve;
    bool open, dot; /* dot: one vertex so far, `last` */
    uint64_t last;
};

static void put_vertex(const struct stroke *k, uint64_t row)
{
    const struct curve *c = k->curve;
    axis_put(k->s, "", c->x, (double)c->scores->frame[row], c->decimals);
    axis_put(k->s, ",", c->y, score_at(c->scores, row, c->key), c->decimals);
    sink_text(k->s, " ");
}

static void end_stroke(struct stroke *k)
{
    if (k->open && k->dot)
        put_vertex(k, k->last);
    if (k->open)
        sink_text(k->s, "\"/>\n");
    k->open = false;
}

static void add_vertex(void *opaque, uint64_t row, bool finite)
{
    struct stroke *k = opaque;
    if (!finite) {
        end_stroke(k);
        return;
    }
    if (!k->open)
        sink_format(k->s, "<polyline class=\"%s\" points=\"", k->curve->class);
    k->dot = !k->open;
    k->open = true;
    k->last = row;
    put_vertex(k, row);
}

void curve_put(struct sink *s, const struct curve *curve)
{
    struct stroke k = {.s = s, .curve = curve};
    curve_walk(curve->scores, curve->key, curve->parts, add_vertex, &k);
    end_stroke(&k);
}
