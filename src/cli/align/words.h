/* SPDX-License-Identifier: BSD-2-Clause */
/* assay align, --align auto, and the line about a pair that looks shifted. */
#ifndef ASSAY_CLI_ALIGN_WORDS_H
#define ASSAY_CLI_ALIGN_WORDS_H

#include "cli/cli.h"
#include "run/align.h"

/* Why an offset is not certain, and what a user can do; the offsets of the result count from the window's skips. */
enum { ALIGN_REASON = 320 };
const char *align_reason(const struct align_result *r, const struct align_window *w, char *text);

/* "reference frames 100 and 200 to 201 are dropped, distorted frame 12 is repeated", cut short where there are many. */
const char *align_changes(const struct align_result *r, const struct align_window *w, char *text, size_t size);

#endif
