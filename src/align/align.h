/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which frame of the distorted side shows which frame of the reference, from the signatures of both sides.
 *
 * An offset d pairs reference frame n with distorted frame n + d. Indices count from 0. docs/align.md says what is
 * computed and what the confidence means.
 */
#ifndef ASSAY_ALIGN_ALIGN_H
#define ASSAY_ALIGN_ALIGN_H

#include <stdbool.h>

#include "align/signature.h"

enum {
    ALIGN_SEARCH = 120,       /* offsets from -120 to 120 where nothing else is asked for */
    ALIGN_LEAST = 8,          /* frames that two sides have to have in common at an offset that is looked at */
};

/* A run of frames with one offset. */
struct align_segment {
    uint64_t reference, distorted, length; /* the first frame of each side */
    double confidence;                     /* 0 to 1 */
};

/* Frames that one side has and the other has not, between two segments. */
enum align_event_kind { ALIGN_DROPPED, ALIGN_REPEATED, ALIGN_INSERTED };
struct align_event {
    enum align_event_kind kind; /* DROPPED: frames of the reference; else: frames of the distorted side. A REPEATED one
                                 * shows the picture before or behind it again */
    uint64_t frame, count;      /* the first of them, of its own side */
};

/* Why an offset is not certain. */
enum align_doubt { ALIGN_NO_DOUBT, ALIGN_FEW, ALIGN_STILL, ALIGN_ALIKE, ALIGN_UNLIKE, ALIGN_EDGE };

struct align_result {
    bool certain;             /* the confidence is at least 0.5 */
    double confidence;        /* 0 to 1: the least one of the segments */
    enum align_doubt doubt;
    int64_t offset;           /* of the first segment; the best guess where it is not certain */
    int64_t rival;            /* with ALIGN_ALIKE: an offset that fits about as well */
    int64_t least, most;      /* offsets that were looked at */
    struct align_segment *segment;
    uint32_t segments;        /* 0: no frames are in common */
    struct align_event *event;
    uint32_t events;
    enum align_event_kind period_kind;
    uint64_t period;          /* not 0: every period-th frame is dropped or repeated, as between two frame rates */
};

/* Looks at offsets from -search to search at which both sides have ALIGN_LEAST frames in common. Fails only where there
 * is no memory. */
int align_find(struct align_result *r, const struct signatures *reference, const struct signatures *distorted,
               uint32_t search, struct assay_error *e);
void align_free(struct align_result *r);

#endif
