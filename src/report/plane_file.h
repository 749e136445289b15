/* SPDX-License-Identifier: BSD-2-Clause */
/* A plane of numbers as a file: NumPy's .npy holds every type, .pfm floats. */
#ifndef ASSAY_REPORT_PLANE_FILE_H
#define ASSAY_REPORT_PLANE_FILE_H

#include "host/error.h"

/* Fails where the path's ending names no format that holds planes of this type. */
int plane_file_check(const char *path, const char *type, struct assay_error *e);

/* Types are "u8" "u16" "u32" "i32" and "f32". Rows have no gap between them. */
int plane_file_write(const char *path, const assay_plane *plane, const void *data, struct assay_error *e);

#endif
