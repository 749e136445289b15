/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GPU builds of the kernel texts, two per variant: `min` needs no optional feature, at most 16 KiB of shared memory
 * and 128 invocations; `full` has the larger schedule, and on Vulkan 32-bit subgroup sums. All give the same bits.
 *
 * Interface: set 0, storage buffers at bindings 0 to planes - 1, then the totals if the kernel has any, then the
 * extrema if it has any; struct shader_push as push constants (Vulkan) or as the one uniform block (OpenGL).
 */
#ifndef ASSAY_KERNELS_SHADERS_H
#define ASSAY_KERNELS_SHADERS_H

#include "kernels_gen.h"

enum shader_kind { SHADER_MIN, SHADER_FULL, SHADER_KINDS };

struct shader {
    const void *code; /* Vulkan: SPIR-V words. OpenGL: GLSL 4.30 and a NUL that `bytes` leaves out */
    uint32_t bytes;
    uint16_t tile_w, tile_h, threads;
    uint32_t shared_bytes;
};

/* The content of the modules vulkan and opengl. */
struct shader_set {
    struct shader shader[SHADER_KINDS][KERNEL_VARIANTS];
};

struct shader_push {
    struct {
        int32_t offset; /* of the plane in its binding, in 32-bit words */
        int32_t stride; /* bytes; a multiple of the sample's size */
        int32_t width, height;
    } plane[KERNEL_PLANES];
    int32_t grid_w, grid_h;
    int32_t totals;  /* first 64-bit word of the pass in the buffer of totals */
    int32_t extrema; /* first (value, position) pair */
    union kernel_param param[KERNEL_PARAMS];
};
_Static_assert(sizeof(struct shader_push) == 128, "every Vulkan device has 128 bytes of push constants, and no more");

#endif
