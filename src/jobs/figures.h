/* SPDX-License-Identifier: BSD-2-Clause */
/* What the summary of a list says of the results of its jobs. */
#ifndef ASSAY_JOBS_FIGURES_H
#define ASSAY_JOBS_FIGURES_H

#include "jobs/jobs.h"
#include "results/results.h"

/* What the figures of all jobs share. */
struct jobs_figures {
    char **name;
    uint32_t names;
    assay_session *session; /* a planned one, for what reports do not say; of the results that `planned` tells */
    char *planned;
};
void jobs_figures_free(struct jobs_figures *f);

/* Takes the figures of results. Of each score that the table shows: the mean and the end at which it is bad, that is p5
 * and min, or p95 and max where lower is better. The results get their directions. */
int jobs_take(struct jobs_figures *f, struct jobs_result *r, struct stored *s, struct assay_error *e);
/* Names the gates that fail, as far as there is room. */
int jobs_take_gates(struct jobs_result *r, const struct gate *gate, uint32_t gates, const struct stored *s,
                    struct assay_error *e);

#endif
