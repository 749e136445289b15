/* SPDX-License-Identifier: BSD-2-Clause */
/* A plane of numbers as a file: NumPy's .npy holds every type, .pfm floats. */
#ifndef ASSAY_REPORT_PLANE_FILE_H
#define ASSAY_REPORT_PLANE_FILE_H

#include "host/error.h"

/* Whether a plane of this type can be written under this name, by its ending; if not, the error says why. */
int plane_file_check(const char *path, const char *type, struct assay_error *e);

/* `type` is "u8" "u16" "u32" "i32" or "f32". Rows have no gap between them. */
int plane_file_write(const char *path, const assay_plane *plane, const void *data, struct assay_error *e);

#endif
