/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats of packed texels, as graphics APIs name them: where in a texel each channel is. */
#ifndef ASSAY_IMAGES_FORMATS_H
#define ASSAY_IMAGES_FORMATS_H

#include <stdbool.h>

#include "kernels_gen.h"

enum texel_kind { TEXEL_UNORM, TEXEL_SRGB, TEXEL_HALF, TEXEL_FLOAT };

struct texel_format {
    const char *name;
    enum texel_kind kind;
    enum sample_type element;
    uint8_t elements;          /* of a texel */
    uint8_t bits[4], shift[4]; /* of R, G, B, A; 0 bits: no such channel. With two elements R and G are in the first */
    uint32_t vulkan;           /* VkFormat, 0: none */
    /* OpenGL: the internal format of textures, and the transfer that reads its bits as they are; 0: none. */
    uint32_t opengl, opengl_format, opengl_type;
};

/* NULL for a format that can't be compared. */
const struct texel_format *texel_format_vulkan(uint32_t format);
const struct texel_format *texel_format_opengl(uint32_t internal_format);

/* All of them, for tests. */
const struct texel_format *texel_format_at(unsigned index);

static inline uint32_t texel_bytes(const struct texel_format *f)
{
    return f->elements * sample_size(f->element);
}

/* One bit per channel, R first. */
static inline uint32_t texel_channels(const struct texel_format *f)
{
    uint32_t set = 0;
    for (unsigned c = 0; c < 4; c++)
        set |= (uint32_t)(f->bits[c] != 0) << c;
    return set;
}

static inline bool texel_is_codes(const struct texel_format *f)
{
    return f->kind == TEXEL_UNORM || f->kind == TEXEL_SRGB;
}

#endif
