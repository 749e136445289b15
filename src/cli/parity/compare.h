/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do two sessions that were given the same frame agree in every intermediate plane, total and extremum? Both score the
 * same metrics on the same format, and keep their planes.
 */
#ifndef ASSAY_CLI_PARITY_COMPARE_H
#define ASSAY_CLI_PARITY_COMPARE_H

#include <stdbool.h>

#include "run/session.h"

/* A plane that differs: its first differing sample in raster order, and how many differ. */
struct parity_plane {
    assay_plane of;
    uint32_t x, y;
    uint32_t bits[2];        /* the sample there, of the first and the second session */
    uint64_t count;
};

/* A 64-bit total that differs, by its number within the pass. */
struct parity_total {
    assay_pass of;
    uint32_t pass, index;
    int64_t value[2];
};

struct parity_extremum {
    assay_pass of;
    uint32_t pass, index;
    uint32_t value[2], position[2];
};

/* Lists in the order of the passes. Of totals and extrema the first PARITY_LISTED are kept, all are counted. */
enum { PARITY_LISTED = 100 };
struct parity {
    uint32_t passes; /* that were compared */
    struct parity_plane *plane;
    struct parity_total total[PARITY_LISTED];
    struct parity_extremum extremum[PARITY_LISTED];
    uint32_t planes, totals, extrema;
    uint64_t totals_differ, extrema_differ;
};

/* Compares the samples of plane p->of, whose rows have no gaps. False: they are equal. Else fills in the sample and the
 * count. */
bool parity_compare_planes(const void *a, const void *b, struct parity_plane *p);

/* Compares the frame that both sessions scored last. Call parity_free afterwards, also after a failure. */
int parity_compare(assay_session *a, assay_session *b, struct parity *p, struct assay_error *e);
void parity_free(struct parity *p);

static inline bool parity_equal(const struct parity *p)
{
    return !p->planes && !p->totals_differ && !p->extrema_differ;
}

#endif
