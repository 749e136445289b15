/* SPDX-License-Identifier: BSD-2-Clause */
/* Small pictures as WebP, by libwebp, which is loaded when one is written. Only its simple interface is used, which has
 * not changed in years, so a build needs no headers of it. */
#ifndef ASSAY_REPORT_WEBP_H
#define ASSAY_REPORT_WEBP_H

#include "results/results.h"

/* ASSAY_EUSAGE and the reason where this machine has no libwebp. */
int webp_available(struct assay_error *e);

/* Codes 3 bytes a pixel, rows without gaps, by the first of these qualities, which end with 0, with which the picture
 * takes at most `most` bytes, or else by the last one. A quality is 1 to 100, or WEBP_EXACT: without loss. *loss
 * becomes true where some was lost. */
enum { WEBP_EXACT = 101 };
int webp_picture(struct report_picture *to, const uint8_t *rgb, const uint32_t size[2], const int *quality, size_t most,
                 bool *loss, struct assay_error *e);
/* Frees its bytes: there is no picture then. */
void report_picture_free(struct report_picture *p);

#endif
