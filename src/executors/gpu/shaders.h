/* SPDX-License-Identifier: BSD-2-Clause */
/* The shaders of this build and a device's limits. */
#ifndef ASSAY_EXECUTORS_GPU_SHADERS_H
#define ASSAY_EXECUTORS_GPU_SHADERS_H

#include <stdbool.h>

#include "executors/modules.h"
#include "kernels/shaders/shaders.h"

struct gpu_limits {
    const struct shader_set *shaders;
    uint64_t plane_bytes;    /* of the largest plane */
    uint64_t binding_bytes;  /* of the largest range that a storage buffer binding takes */
    uint32_t offset_align;   /* of a binding's offset in bytes, a power of two */
    uint32_t shared_bytes, threads, groups[2]; /* of a workgroup; workgroups in x and y */
    bool full;               /* shaders of kind SHADER_FULL run: Vulkan's sum 32-bit integers over a subgroup */
    bool minimal;            /* ASSAY_GPU_LIMITS=minimal */
    bool extrema_keys;       /* kernels write a 64-bit key per extremum, not a pair per tile */
    bool binds_late;         /* gpu_slot_bindings is asked for each pass that is given, also behind an upload */
};

struct gpu_kernel {
    const struct shader *shader; /* NULL where the API has other code */
    uint32_t tile_w, tile_h, threads;
};

/* ASSAY_GPU_LIMITS=minimal lowers the limits to what every device has, for tests; full (or unset) leaves them. */
int gpu_limits_from_environment(struct gpu_limits *limits, struct assay_error *e);

/* Opens the module that holds the device's shaders. */
int gpu_shaders_open(struct gpu_limits *limits, enum module_name module, struct assay_error *e);

/* The larger schedule where it fits, else the smaller one: gpu_find_kernel of SPIR-V. */
int gpu_find_shader(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out, struct assay_error *e);

#endif
