/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG files of 8-bit RGB. In a build without libpng all functions fail with a message that names libpng. */
#ifndef ASSAY_REPORT_PNG_FILE_H
#define ASSAY_REPORT_PNG_FILE_H

#include "host/error.h"
#include "results/sink.h"

/* Writes row y, 3 bytes per pixel, to `rgb`. */
typedef void png_file_row(const void *opaque, uint32_t y, uint8_t *rgb);

/* `comment` (printable ASCII, or NULL) becomes the file's description. After a failure an older file is still there. */
int png_file_write(const char *path, uint32_t width, uint32_t height, png_file_row *row, const void *opaque,
                   const char *comment, struct assay_error *e);

/* The same to an open sink, which stays open. */
int png_file_put(struct sink *s, uint32_t width, uint32_t height, png_file_row *row, const void *opaque,
                 const char *comment, struct assay_error *e);

/* ASSAY_EUSAGE and the reason where this build can't write PNG. */
int png_file_available(struct assay_error *e);

#endif
