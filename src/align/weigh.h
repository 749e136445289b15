/* SPDX-License-Identifier: BSD-2-Clause */
/* How certain the offset of a segment is. Included only in src/align. */
#ifndef ASSAY_ALIGN_WEIGH_H
#define ASSAY_ALIGN_WEIGH_H

#include "align/segments.h"

struct verdict {
    double confidence; /* 0 to 1 */
    enum align_doubt doubt;
    int64_t rival;
};

/* `plain` are the reference's signatures as they were read. */
int weigh(struct verdict *v, const struct sides *s, const struct signature *plain, const struct align_segment *g,
          struct assay_error *e);

/* Sorts n values, and returns the middle one; 0 where there is none. */
double median(double *value, size_t n);

#endif
