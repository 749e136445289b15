/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are kept between runs, in $XDG_CACHE_HOME/assay or ~/.cache/assay. A file, or all of a folder, that is not
 * this user's or that others can write to counts as absent: it says what a device has passed, and what runs on it.
 */
#ifndef ASSAY_HOST_CACHE_H
#define ASSAY_HOST_CACHE_H

#include <stddef.h>

enum { CACHE_WHY = 512 }; /* bytes of a reason */

/* Reads a file whole, which the caller frees: 1 to `most` bytes, and a NUL behind them. NULL: there is none that can be
 * believed; `why` says why one that is there can't, or is "". */
char *cache_read(const char *name, size_t most, size_t *bytes, char why[CACHE_WHY]);

/* Writes a file for later runs, of which no reader ever sees a part. Failing to is no error. */
void cache_write(const char *name, const char *data, size_t bytes);

#endif
