/* SPDX-License-Identifier: BSD-2-Clause */
/* Black borders around the pictures of a run. Borders that only one side has change every score, so a notice tells. */
#ifndef ASSAY_RUN_BORDERS_H
#define ASSAY_RUN_BORDERS_H

#include "run/pair.h"

enum border_edge { EDGE_TOP, EDGE_BOTTOM, EDGE_LEFT, EDGE_RIGHT, EDGES };

/* Of a picture: rows or columns from each edge on that are black, and those that are not clearly picture, which are as
 * many or more. Between the two are noise, ringing and dark scenes. */
struct border {
    bool seen;  /* the picture was looked at, and is not black altogether */
    uint32_t black[EDGES], dark[EDGES];
};

/* Pictures that are looked at: those with the numbers 0, 2, 8, 26, ..., powers of 3 less 1. So the work hardly grows
 * with the video, and a black lead-in does not hide the rest. All 0 at first. Numbers of 40 looks are below 2^64. */
enum { BORDER_LOOKS = 40 };
struct borders { /* of a side */
    struct border look[BORDER_LOOKS];
};

/* Looks at the picture of a side, number `picture` of those that are scored, after it was read. Several threads may do
 * so with different pictures. */
void borders_look(struct borders *b, const struct pair *p, unsigned side, uint64_t picture, const assay_buffer *of);

/* One line where the borders of the two sides differ; false where they don't. */
bool borders_differ(const struct borders *ref, const struct borders *dis, const struct request *q, const struct pair *p,
                    char *text, size_t size);

#endif
