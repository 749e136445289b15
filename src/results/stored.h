/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that have been stored: those of one encode as a report has them, or those that parts of a run make together.
 * They own all that they point to, but for `path`. */
#ifndef ASSAY_RESULTS_STORED_H
#define ASSAY_RESULTS_STORED_H

#include "results/results.h"

struct stored {
    const char *path;        /* for messages */
    struct report_run run;   /* without `part`. `version` is NULL where none is stated */
    struct scores scores;    /* without directions */
    struct report_part part; /* `every` 0: of a whole run */
    struct stored_memory *memory;
};

/* Zeroed memory that lives as long as the results. NULL: out of memory. */
void *stored_alloc(struct stored *s, size_t count, size_t size);
char *stored_copy(struct stored *s, const char *text); /* a copy of NULL is NULL, and no failure */

/* Leaves it empty. */
void stored_free(struct stored *s);

#endif
