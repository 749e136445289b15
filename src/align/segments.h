/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames' offsets as runs of one offset, and what lies between them. Included only in src/align. */
#ifndef ASSAY_ALIGN_SEGMENTS_H
#define ASSAY_ALIGN_SEGMENTS_H

#include "align/path.h"

/* Sets the segments, the events and the period of the result. */
int segments_make(struct align_result *r, const struct sides *s, const int32_t *offset, struct assay_error *e);

static inline int64_t segment_offset(const struct align_segment *g)
{
    return (int64_t)g->distorted - (int64_t)g->reference;
}

#endif
