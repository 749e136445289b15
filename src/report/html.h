/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HTML report: one file of the scores of one or several encodes of a reference. It loads nothing, and it
 * is readable without script. docs/report.md describes it.
 */
#ifndef ASSAY_REPORT_HTML_H
#define ASSAY_REPORT_HTML_H

#include "results/encodes.h"
#include "results/sink.h"

/* The first bytes of the file, by which file_spare knows it. */
void html_begin(struct sink *s, const struct report_run *run);

/* The rest of the file. The encodes (at least one) are all compared with one reference. A score has the same meaning in
 * each of them; one that an encode lacks is a dash there. `precision` is that of figures, as in report_table. */
void html_write(struct sink *s, const struct stored *encode, uint32_t encodes, int precision);

#endif
