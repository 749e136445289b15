/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are read whole: shards, and records of assay bench. */
#ifndef ASSAY_REPORT_FILE_H
#define ASSAY_REPORT_FILE_H

#include "host/error.h"

/* The bytes of a file, which the caller frees, and their number. NULL after a failure. At most 1 GiB is read. */
char *file_read(const char *path, size_t *size, struct assay_error *e);

#endif
