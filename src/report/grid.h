/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of texts in columns, for a terminal: the first column to the left, the others to the right. The rows are given
 * twice. The first pass finds the widths, the second one prints. */
#ifndef ASSAY_REPORT_GRID_H
#define ASSAY_REPORT_GRID_H

#include "results/sink.h"

struct grid_column {
    int width, gap; /* characters; `gap`: the blanks before it */
};

/* A text that is wider than the first column: it has made the column as wide; its end is there, behind dots; or it has
 * a line of its own. The caller sets the width of the latter two. */
enum grid_name { GRID_WHOLE, GRID_END, GRID_OWN_LINE };

struct grid {
    struct sink *out; /* NULL: the first pass */
    struct grid_column *column;
    enum grid_name name;
    uint32_t first, end; /* of the columns behind the first one, those that are printed; `end` 0: all */
    uint32_t at;         /* the column of the next cell */
};

/* The texts are printed without control characters. */
void grid_cell(struct grid *g, const char *text);
void grid_end(struct grid *g);

/* The columns of a grid that has so many; each but the first one has a gap of 2. */
void grid_columns(struct grid_column *column, uint32_t columns);

/* The characters of a line. A column without a width has no gap. */
int grid_width(const struct grid_column *column, uint32_t columns);

#endif
