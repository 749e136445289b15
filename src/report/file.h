/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the command reads whole, and files that it writes: reports, parts, planes, pictures, records. */
#ifndef ASSAY_REPORT_FILE_H
#define ASSAY_REPORT_FILE_H

#include <stdio.h>

#include "host/error.h"

/* The bytes of a file, which the caller frees, and their number. NULL after a failure. At most 1 GiB is read. */
char *file_read(const char *path, size_t *size, struct assay_error *e);

/* Refuses (ASSAY_EUSAGE) a path whose file holds anything but what assay writes. Free are a path without a file, an
 * empty file, a device and a pipe. */
int file_spare(const char *path, struct assay_error *e);

/*
 * A file that is being written. A regular one, and one that is not there yet, is written beside its place, in the same
 * folder, as NAME.part-PID-N. It takes its place when it is whole; until then an older file stays there as it was.
 * A device, a pipe, and what lies in /dev or /proc, is written where it is.
 */
struct file_out {
    FILE *stream;
    char *place, *beside; /* NULL: written where it is */
};
int file_begin(struct file_out *f, const char *path, struct assay_error *e);

/* Both close the file, whatever happens. file_place returns 0 or an errno, and then leaves *beside for the message,
 * which the caller frees, when the whole file lies there. file_discard removes what was written. */
int file_place(struct file_out *f, char **beside);
void file_discard(struct file_out *f);

#endif
