/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bjontegaard's deltas of two rate-distortion curves: by how much the rates of the test differ from those of the anchor
 * at equal quality (BD-rate), and its figures at equal rates (BD-PSNR and its like). docs/bdrate.md has the formulas.
 * Everything is + - * / in double and the functions of exact_math.h, in a fixed order: the same bits everywhere.
 */
#ifndef ASSAY_RESULTS_BDRATE_H
#define ASSAY_RESULTS_BDRATE_H

#include <stdbool.h>

#include "host/error.h"

enum { BDRATE_LEAST = 4, BDRATE_MOST = 256 }; /* points of a curve */

/* How a curve runs between its points, and how it is averaged. PCHIP: piecewise cubic with the slopes of Fritsch and
 * Butland, integrated exactly: JCT-VC's and JVET's. AKIMA: with Akima's slopes of 1970, integrated exactly. AOM: as
 * PCHIP, but the mean by the trapezoidal rule over 100 samples: AOM's and libvmaf's. CUBIC: one polynomial of degree 3
 * with the least squares, integrated exactly: Bjontegaard's own of 2001. It need not pass through the points. */
enum bdrate_method { BDRATE_PCHIP, BDRATE_AKIMA, BDRATE_AOM, BDRATE_CUBIC, BDRATE_METHODS };
extern const char *const bdrate_method_name[BDRATE_METHODS];

/* The first of the methods that were asked for, at least one: plots show it, and what holds for all is said of it. */
enum bdrate_method bdrate_first(const bool asked[BDRATE_METHODS]);

/* The two curves as options, reports and pages name them: "anchor", "test". */
extern const char *const bdrate_curve_name[2];

struct bdrate_point {
    const char *name; /* in messages */
    double rate;      /* in any unit, the same for both curves */
    double figure;
};

/* [low, high] is where both curves are; `share` is its length as a part of where any of them is. */
struct bdrate_overlap {
    double low, high, share;
};

struct bdrate {
    double rate;                /* per cent; negative: the test needs less */
    double figure;              /* in the unit of the figures; NaN where the rates do not overlap */
    struct bdrate_overlap figures, rates;
    bool cross;                 /* at some figures the test needs less rate, at others more */
};

/* Sorts the points of a curve by rate and checks them. `curve` and `figure` are names for messages. *direction is that
 * of assay.h: higher or lower figures are better. 0: it is not known, and becomes what the points show. ASSAY_EUSAGE:
 * too few points, a rate or a figure that is not finite, or a rate that is not positive. ASSAY_EMISMATCH: equal rates,
 * or figures that do not get better with every step of the rate. */
int bdrate_order(struct bdrate_point *point, uint32_t n, const char *curve, const char *figure, int *direction,
                 struct assay_error *e);

/* Compares two curves that bdrate_order has taken, with one direction. ASSAY_EMISMATCH: their figures do not overlap,
 * or the curves are so steep that there is no finite result. */
int bdrate_compare(const struct bdrate_point *anchor, uint32_t anchors, const struct bdrate_point *test, uint32_t tests,
                   enum bdrate_method method, const char *figure, struct bdrate *out, struct assay_error *e);

/* Calls `vertex` for places on the curve that a method takes through points that bdrate_order has taken, in the order
 * of the figures: every point, and parts - 1 places at equal distances between each two. */
typedef void bdrate_vertex(void *opaque, double log_rate, double figure); /* log10 of the rate */
void bdrate_walk(const struct bdrate_point *point, uint32_t n, enum bdrate_method method, uint32_t parts,
                 bdrate_vertex *vertex, void *opaque);

/* What a reader of a result has to know, in words without its score's name; false: there is no such notice. `which`
 * counts from 0 to BDRATE_NOTICES - 1. */
enum { BDRATE_NOTICES = 3, BDRATE_NOTICE = 80 };
bool bdrate_notice(const struct bdrate *result, unsigned which, char text[BDRATE_NOTICE]);

#endif
