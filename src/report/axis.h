/* SPDX-License-Identifier: BSD-2-Clause */
/* What the plots of scores share: axes with round ticks, and curves that are thinned without losing a peak. */
#ifndef ASSAY_REPORT_AXIS_H
#define ASSAY_REPORT_AXIS_H

#include "host/exact_math.h"
#include "host/scores.h"
#include "results/sink.h"

/* An axis: values from `low` on, of which `pixels` are `span`, and the distance of its ticks. */
struct axis {
    double low, span, step;
    int at, pixels; /* where `low` is, and to where it goes; negative: upwards */
};

/* The pixel of a value. Values beyond the axis are at its ends. */
double axis_place(const struct axis *a, double v);

/* Writes a text, and behind it a pixel with so many decimals. */
void axis_put(struct sink *s, const char *before, const struct axis *a, double v, int decimals);

/* The smallest of 1, 2 and 5 times a power of ten that divides `span` into at most `most` parts. `span` is positive and
 * finite, and so is the step. */
double axis_step(double span, int most);

/* Decimals that tell the ticks apart. */
int axis_decimals(double step);

/* The lowest and the highest finite value seen so far, how many there were, and how many of all. */
struct range {
    double low, high;
    uint64_t finite, all;
};
extern const struct range range_empty;
void range_add(struct range *r, double v);
void range_add_column(struct range *r, const struct scores *s, uint32_t key);

/* Sets low, span and step of an axis that shows a range, out to whole steps. */
void axis_cover(struct axis *a, const struct range *r);

/* Writes the ticks of a plot as SVG: axis_put_lines those of y, with lines from `left` to `right`; axis_put_numbers
 * those of x, whose numbers stand at the height `at`. */
void axis_put_lines(struct sink *s, const struct axis *y, int left, int right, int decimals);
void axis_put_numbers(struct sink *s, const struct axis *x, int at, int decimals);

/* The unit of a score, " (dB)", or "". */
const char *axis_unit(const char *key);

static inline double score_at(const struct scores *s, uint64_t row, uint32_t key)
{
    return scores_value(s, row, key);
}

/* Calls `vertex` for rows of a curve in their order. A run of more than 2 * `parts` rows is cut into so many parts, of
 * each of which the lowest and the highest row are kept, otherwise all are. A row whose value is not finite interrupts
 * the curve; `vertex` is called for it, too. */
typedef void curve_vertex(void *opaque, uint64_t row, bool finite);
void curve_walk(const struct scores *s, uint32_t key, uint64_t parts, curve_vertex *vertex, void *opaque);

/* A curve as SVG: polylines of a class, through the rows that curve_walk keeps. */
struct curve {
    const struct scores *scores;
    uint32_t key;
    const struct axis *x, *y;
    uint64_t parts;
    int decimals;
    const char *class;
};
void curve_put(struct sink *s, const struct curve *curve);

#endif
