/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports on several encodes of one reference: JSON, CSV, HTML, the plot and the table. docs/output.md has their
 * shapes. */
#ifndef ASSAY_REPORT_JOINT_H
#define ASSAY_REPORT_JOINT_H

#include "report/report.h"
#include "results/encodes.h"

struct joint;

/* REPORT_JSON, REPORT_CSV, REPORT_HTML or a plot. joint_finish writes the file, which is opened here to see that it
 * can be. */
int joint_open(struct joint **out, enum report_kind kind, const char *path, int precision, struct assay_error *e);
/* Always frees the report and sets *j to NULL. `version` is assay's. A report that has a
 * column for each score leaves those of an encode without the score empty. */
int joint_finish(struct joint **j, const char *version, const struct stored *encode, uint32_t encodes,
                 struct assay_error *e);
void joint_abandon(struct joint **j);

/* Prints a row for each encode, on lines of at most `width` columns, with "-" for a score that the encode lacks. Scores
 * that do not fit follow in further tables with the same rows. ASSAY_EINTERNAL when the stream can't be written, or
 * without memory. */
int report_ladder_table(void *stream /* FILE* */, const char *reference, const struct stored *encode,
                        uint32_t encodes, int precision, int width);

#endif
