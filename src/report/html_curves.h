/* SPDX-License-Identifier: BSD-2-Clause */
/* The HTML page of assay bdrate: two rate-distortion curves and what came of them. It loads nothing and has no script.
 * docs/bdrate.md describes it. */
#ifndef ASSAY_REPORT_HTML_CURVES_H
#define ASSAY_REPORT_HTML_CURVES_H

#include <stdbool.h>
#include <stdint.h>

#include "results/bdrate.h"
#include "results/sink.h"

/* A score of both curves. `better` is of assay.h; result has an element for each method. */
struct html_score {
    const char *name;
    int better;
    const struct bdrate_point *point[2]; /* by rising rate; the same points for all scores */
    const struct bdrate *result;
};

struct html_curves {
    const char *reference;     /* its file; NULL: not stated */
    uint32_t width, height;    /* of what was scored; 0: not stated */
    uint64_t frames;
    const char *curve[2];      /* what the anchor and the test are called */
    uint32_t points[2];        /* of them */
    const struct html_score *score;
    uint32_t scores;
    const bool *method;        /* those that were asked for. The plots show the first one */
    int precision;             /* as in report_table */
};

/* The whole file. */
void html_curves_write(struct sink *s, const struct html_curves *c);

#endif
