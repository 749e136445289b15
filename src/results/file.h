/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the command reads whole, and files that it writes: reports, parts, planes, pictures, records. */
#ifndef ASSAY_RESULTS_FILE_H
#define ASSAY_RESULTS_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "host/error.h"

/*
 * Opens a file for reading. A pipe that has a name and that nobody opens for writing within a second is refused: to
 * wait for somebody would be to hang where such a pipe stands in the place of a file. Returns a descriptor, or a
 * negative code.
 */
int file_open(const char *path, struct assay_error *e);

/* The bytes of a file, with a 0 behind them, which the caller frees, and their number. NULL after a failure. More than
 * FILE_MOST bytes are refused, and so is a device with a byte of 0, which no text has: /dev/zero would never end. */
enum { FILE_MOST = 256 << 20 };
char *file_read(const char *path, size_t *size, struct assay_error *e);

/* A path without its folder. */
const char *file_name(const char *path);

/* Makes the folders of a path that are missing. Returns 0 or an errno; what was made stays. */
int file_folders(const char *path);

/* What a file is written as. */
enum file_form { FILE_JSON, FILE_XML, FILE_CSV, FILE_SUB, FILE_LOG, FILE_SVG, FILE_PNG, FILE_HTML, FILE_PLANE,
                 FILE_RAW };

/* Refuses (ASSAY_EUSAGE) to overwrite a file that is not one of assay's in this form. Allows a path without a file, an
 * empty file, a device and a pipe. Of FILE_RAW every file is refused: nothing in it says who wrote it. */
int file_spare(const char *path, enum file_form form, struct assay_error *e);

/* A file or a folder, or the place in a folder where one is to be, whatever the spelling of its path. */
struct file_spot {
    dev_t device;
    ino_t number;
    uint64_t name; /* a digest of the name in the folder of this number; 0 of a file that is there */
};

/* The spot of a path, which is relative to the folder with the descriptor `folder`. A link to nothing is where it
 * leads. False for devices and pipes: they take what several write. */
bool file_spot(struct file_spot *s, int folder, const char *path);

/* The order of spots; 0: they are one. */
int file_spot_compare(const struct file_spot *a, const struct file_spot *b);

/* Whether two paths lead to one spot. */
bool file_same_spot(const char *a, const char *b);

/*
 * A file that is being written. A regular or a new file is first written as NAME.part-PID-N in the same folder. When
 * it is whole, it is renamed to NAME. Until then an older file NAME stays as it was. Links are followed first, also to
 * a file that is not there. A device, a pipe, and what an entry of /proc leads to (/dev/stdout does, too) is written
 * where it is.
 */
struct file_out {
    FILE *stream;
    char *place, *beside; /* NULL: written where it is */
};
int file_begin(struct file_out *f, const char *path, struct assay_error *e);

/* Both functions always close the file. file_place renames it and returns 0 or an errno. If the file is whole but could
 * not be renamed, *beside is its path, which the caller frees; else NULL. file_discard removes the file. */
int file_place(struct file_out *f, char **beside);
void file_discard(struct file_out *f);

#endif
