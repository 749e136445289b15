/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG files of 8-bit RGB. A build without libpng refuses by name. */
#ifndef ASSAY_REPORT_PNG_FILE_H
#define ASSAY_REPORT_PNG_FILE_H

#include "host/error.h"

/* Writes row y, 3 bytes per pixel, to `rgb`. */
typedef void png_file_row(const void *opaque, uint32_t y, uint8_t *rgb);

/* `comment` (may be NULL) goes into the file as its description: printable ASCII. A file that could not be written
 * whole leaves what was there before. */
int png_file_write(const char *path, uint32_t width, uint32_t height, png_file_row *row, const void *opaque,
                   const char *comment, struct assay_error *e);

/* Whether this build can: ASSAY_EUSAGE and the reason when not. */
int png_file_available(struct assay_error *e);

#endif
