/* SPDX-License-Identifier: BSD-2-Clause */
/* The plot of one or several encodes of a reference, as files of their own: SVG, and PNG of the same picture. */
#ifndef ASSAY_REPORT_PLOT_H
#define ASSAY_REPORT_PLOT_H

#include "report/html.h"

void plot_write(struct sink *s, const struct stored *encode, uint32_t encodes, int precision);

/* A failure of librsvg's is the sink's (sink_fail). */
void plot_write_png(struct sink *s, const struct stored *encode, uint32_t encodes, int precision);

#endif
