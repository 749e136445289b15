/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "host/exact_math.h"
#include "metrics/flip_taps.h"

enum { Y, XY, YZ_1, YZ_2, MEAN, EDGE, POINT };

/* The widths of contrast sensitivity, in square degrees times 2 pi^2, and the weights of both parts of y - z. */
static const double width_y = 0.0047, width_xy = 0.0053, width_yz[2] = {0.04, 0.025}, weight_yz[2] = {34.1, 13.5};
static const double edge_degrees = 0.082; /* the width of an edge that is seen */
static const double least = 1.0 / (1 << 25);

/* The reference computes radii as floats. They are the ceilings of these. */
static int flip_ceil(float v)
{
    return (int)assay_ceil((double)v);
}

/* exp(-pi^2 (i / ppd)^2 / width), the centre and one side, times `factor`. The sum of all taps, with both sides. */
static double flip_gaussian(double *to, int radius, double ppd, double width, double factor)
{
    double sum = 0.0;
    for (int i = 0; i <= radius; i++) {
        const double degrees = i / ppd;
        to[i] = factor * assay_exp(-(ASSAY_PI * ASSAY_PI) * degrees * degrees / width);
        sum += i ? 2.0 * to[i] : to[i];
    }
    return sum;
}

static void flip_divide(double *taps, int radius, double by)
{
    for (int i = 0; i <= radius; i++)
        taps[i] /= by;
}

static void flip_colour_taps(double taps[FLIP_FILTERS][FLIP_MOST_REACH + 1], int radius, double ppd)
{
    double sum[2];
    flip_divide(taps[Y], radius, flip_gaussian(taps[Y], radius, ppd, width_y, 1.0));
    flip_divide(taps[XY], radius, flip_gaussian(taps[XY], radius, ppd, width_xy, 1.0));
    for (int i = 0; i < 2; i++)
        sum[i] = flip_gaussian(taps[YZ_1 + i], radius, ppd, width_yz[i],
                               assay_sqrt(weight_yz[i] * assay_sqrt(ASSAY_PI / width_yz[i])));
    for (int i = 0; i < 2; i++)
        flip_divide(taps[YZ_1 + i], radius, assay_sqrt(sum[0] * sum[0] + sum[1] * sum[1]));
}

/* A Gaussian and its derivatives in pixels; positive and negative taps of a derivative have sums of 1 and -1. */
static void flip_feature_taps(double taps[FLIP_FILTERS][FLIP_MOST_REACH + 1], int radius, double deviation)
{
    double mean = 0.0, edge = 0.0, positive = 0.0, negative = 0.0;
    for (int i = 0; i <= radius; i++) {
        const double square = i * i / (deviation * deviation), g = assay_exp(-0.5 * square), sides = i ? 2.0 : 1.0;
        taps[MEAN][i] = g;
        taps[EDGE][i] = i * g;
        taps[POINT][i] = (square - 1.0) * g;
        mean += sides * g;
        edge += i * g;
        *(taps[POINT][i] > 0.0 ? &positive : &negative) += sides * taps[POINT][i];
    }
    flip_divide(taps[MEAN], radius, mean);
    flip_divide(taps[EDGE], radius, edge);
    for (int i = 0; i <= radius; i++)
        taps[POINT][i] /= taps[POINT][i] > 0.0 ? positive : -negative;
}

/* Whether all taps behind `reach` are 0. */
static bool flip_ends(const float tap[FLIP_MOST_REACH + 1], int reach)
{
    for (int i = reach + 1; i <= FLIP_MOST_REACH; i++)
        if (tap[i] > 0.0f || tap[i] < 0.0f)
            return false;
    return true;
}

void flip_taps_make(struct flip_taps *t, double ppd)
{
    const float pixels = (float)ppd, pi = (float)ASSAY_PI, deviation = 0.5f * (float)edge_degrees * pixels;
    const float spread = (float)assay_sqrt((double)((float)width_yz[0] / (2.0f * (pi * pi))));
    const int colour = flip_ceil(3.0f * spread * pixels), feature = flip_ceil(3.0f * deviation);
    double taps[FLIP_FILTERS][FLIP_MOST_REACH + 1];
    memset(taps, 0, sizeof taps);
    flip_colour_taps(taps, colour, ppd);
    flip_feature_taps(taps, feature, 0.5 * edge_degrees * ppd);
    for (int k = 0; k < FLIP_FILTERS; k++)
        for (int i = 0; i <= FLIP_MOST_REACH; i++)
            t->tap[k][i] = taps[k][i] < least && taps[k][i] > -least ? 0.0f : (float)taps[k][i];
    t->near = colour <= FLIP_REACH && feature <= FLIP_REACH_EDGE && flip_ends(t->tap[Y], FLIP_REACH_Y) &&
              flip_ends(t->tap[XY], FLIP_REACH_XY);
    t->reach = t->near ? FLIP_REACH : colour > feature ? colour : feature;
}
