/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices by number or name, as in --device. */
#ifndef ASSAY_EXECUTORS_GPU_NAMES_H
#define ASSAY_EXECUTORS_GPU_NAMES_H

#include <stdbool.h>

/* "0 is 'A', 1 is 'B'", for messages; shortened when long. */
struct gpu_names {
    char text[384];
};

void gpu_names_add(struct gpu_names *names, unsigned number, const char *name);

/* Whether `want` is this device's number, or a part of its name in either case. */
bool gpu_name_matches(const char *want, unsigned number, const char *name);

#endif
