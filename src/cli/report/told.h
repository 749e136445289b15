/* SPDX-License-Identifier: BSD-2-Clause */
/* assay report: forms of results from a JSON report. */
#ifndef ASSAY_CLI_REPORT_TOLD_H
#define ASSAY_CLI_REPORT_TOLD_H

#include "cli/cli.h"
#include "cli/worst.h"
#include "results/report_read.h"

/* An encode of the report, and what its forms need. */
struct told {
    struct stored s;         /* `run` has the worst frames, too, when its forms are written */
    struct cli cli;          /* with the reports on this encode alone */
};

/* Reads encode number `i`, counted from 0, of a report: its results, the facts of its run, and infinities, which JSON
 * has not. ASSAY_EINPUT: it is no report of assay's. stored_free(&t->s) frees it, also after a failure. */
int told_read(struct told *t, struct report_file *f, uint32_t i, struct assay_error *e);

#endif
