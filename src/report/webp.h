/* SPDX-License-Identifier: BSD-2-Clause */
/* Small pictures as WebP, by libwebp, which is loaded when one is written. Only its simple interface is used, which has
 * not changed in years, so a build needs no headers of it. */
#ifndef ASSAY_REPORT_WEBP_H
#define ASSAY_REPORT_WEBP_H

#include <stddef.h>

#include "host/error.h"

/* ASSAY_EUSAGE and the reason where this machine has no libwebp. */
int webp_available(struct assay_error *e);

/* Codes 3 bytes a pixel, rows without gaps. `quality` is 0 to 100, or WEBP_EXACT: without loss. The caller frees
 * *data. */
enum { WEBP_EXACT = 101 };
int webp_encode(const uint8_t *rgb, uint32_t width, uint32_t height, int quality, void **data, size_t *size,
                struct assay_error *e);

#endif
