/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/axis.h"

#include <math.h>
#include <string.h>

#include "host/exact_math.h"

double axis_place(const struct axis *a, double v)
{
    const double part = (v - a->low) / a->span;
    return a->at + (part < 0 ? 0 : part > 1 ? 1 : part) * a->pixels;
}

void axis_put(struct sink *s, const struct axis *a, double v, int decimals)
{
    sink_number(s, axis_place(a, v), decimals);
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

double axis_first(const struct axis *a)
{
    return assay_ceil(a->low / a->step - 1e-9) + 0.0; /* no -0 */
}

bool axis_has(const struct axis *a, double i)
{
    return i * a->step <= a->low + a->span * (1 + 1e-9);
}

const struct range range_empty = {INFINITY, -INFINITY, 0};

void range_add(struct range *r, double v)
{
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
    if (!(high - low > fabs(high) * 1e-12)) { /* one value: some room on both sides */
        const double room = fabs(high) > 1 ? fabs(high) / 100 : 0.01;
        low -= room;
        high += room;
    }
    if (!isfinite(high - low)) { /* further apart than a double can say: at the edges */
        low = -1;
        high = 1;
    }
    a->step = axis_step(high - low, 4);
    a->low = assay_floor(low / a->step) * a->step;
    a->span = assay_ceil(high / a->step) * a->step - a->low;
}

void axis_frames(struct axis *a, const struct scores *s, int most)
{
    const double first = (double)s->frame[0], last = (double)s->frame[s->rows - 1];
    a->low = first;
    a->span = last > first ? last - first : 1;
    a->step = axis_step(a->span, most);
    a->step = a->step < 1 ? 1 : a->step;
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
