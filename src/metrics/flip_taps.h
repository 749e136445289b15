/* SPDX-License-Identifier: BSD-2-Clause */
/* FLIP's filters: their taps for a number of pixels per degree. */
#ifndef ASSAY_METRICS_FLIP_TAPS_H
#define ASSAY_METRICS_FLIP_TAPS_H

#include <stdbool.h>

#include "passes_gen.h"

/* Pixels per degree. */
#define FLIP_LEAST_PPD 2.0
#define FLIP_MOST_PPD 1000.0

/* The rows of a table of taps, from the centre to column `reach`. They are as shared.h has them. A tap below 2^-25 is
 * 0: the largest of its filter is more than 2^-9. */
struct flip_taps {
    int reach;
    bool near; /* the filters reach no further than the kernel of one pass, FLIP_REACH and so on; `reach` is that */
    float tap[FLIP_FILTERS][FLIP_MOST_REACH + 1];
};

void flip_taps_make(struct flip_taps *t, double ppd);

#endif
