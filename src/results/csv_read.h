/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads CSV as RFC 4180 defines it: cells separated by commas, rows by line ends. A cell in double quotes may hold
 * commas, line ends and, written twice, double quotes. Blanks are part of a cell. */
#ifndef ASSAY_RESULTS_CSV_READ_H
#define ASSAY_RESULTS_CSV_READ_H

#include <stddef.h>
#include <stdint.h>

#include "host/error.h"

struct csv_row {
    uint32_t line;  /* of the file, from 1, in which the row begins */
    uint32_t first; /* index of its first cell */
    uint32_t cells;
};

struct csv {
    char *text;  /* of all cells */
    char **cell; /* of all rows one after the other */
    struct csv_row *row;
    uint32_t rows;
};

/* Lines may end in LF or CR LF. A mark of UTF-8 in front is passed over, and so are empty lines. The bytes of a cell
 * are taken as they are. `path` is for messages. A failure (ASSAY_EINPUT) names the line and leaves *c empty. */
int csv_parse(struct csv *c, const char *path, const char *text, size_t size, struct assay_error *e);

void csv_free(struct csv *c);

#endif
