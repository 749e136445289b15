/* SPDX-License-Identifier: BSD-2-Clause */
/* What a JSON text would take, before a parser takes it: a value of two bytes takes 80 bytes of memory. */
#ifndef ASSAY_HOST_JSON_H
#define ASSAY_HOST_JSON_H

#include <stddef.h>

#include "host/error.h"

/* A report of a day of video has 2 million values for each score. The densest that a program writes, with all blanks
 * taken out, has more than 8 bytes for each value. Small texts may have any values. */
enum { JSON_VALUES_MOST = 16 << 20, JSON_VALUES_SMALL = 1 << 16, JSON_BYTES_A_VALUE = 5 };

/* Refuses a text with more values than JSON_VALUES_MOST, or with more than one for JSON_BYTES_A_VALUE bytes, and one
 * with a NUL or with what JSON forbids, though cJSON takes it. */
int json_bounded(const char *path, const char *text, size_t size, struct assay_error *e);

#endif
