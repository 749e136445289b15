/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels as a driver compiled them: by several threads, and kept between runs (host/cache.h), one file for each kernel
 * of each device. A file tells its device, its driver and the code that the kernel was compiled from. One that tells
 * others, that is cut or whose digest differs counts as absent, and the next one takes its place.
 */
#ifndef ASSAY_EXECUTORS_GPU_COMPILE_H
#define ASSAY_EXECUTORS_GPU_COMPILE_H

#include "executors/gpu/device.h"

/* A kernel of a device's graph: its name, and the code that a driver compiles. compile_shader: of a pass's shader. */
struct compile_kernel {
    const struct gpu_device *device;
    const char *name;
    const void *code;
    size_t bytes;
};
struct compile_kernel compile_shader(const struct gpu_device *d, graph_pass pass);

/* What the driver made of it in an earlier run, which the caller frees; NULL: nothing is kept. */
void *compile_load(const struct compile_kernel *k, size_t *bytes);
void compile_save(const struct compile_kernel *k, const void *made, size_t bytes);

/* The failure of a compiler, with the first line of its log: the rest rarely helps and would not fit one line. */
int compile_failed(const struct compile_kernel *k, const char *log, struct assay_error *e);

/* Calls `build` for each kernel of d->graph, with the first pass that runs it: on several threads, or on this one. */
typedef int compile_one(struct gpu_device *d, graph_pass pass, struct assay_error *e);
int compile_all(struct gpu_device *d, bool threads, compile_one *build, struct assay_error *e);

#endif
