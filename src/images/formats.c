/* SPDX-License-Identifier: BSD-2-Clause */
#include "images/formats.h"

#include <stddef.h>

/* Numbers of the APIs, so that their headers are not needed; tests/gpu compares them with the headers. */
enum {
    GL_RED_ = 0x1903, GL_RGB_ = 0x1907, GL_RGBA_ = 0x1908, GL_RG_ = 0x8227,
    GL_U8 = 0x1401, GL_U16 = 0x1403, GL_F32 = 0x1406, GL_F16 = 0x140b,
    GL_2_10_10_10 = 0x8368, GL_10_11_11 = 0x8c3b,
};

#define R(n) {n, 0, 0, 0}
#define RG(n) {n, n, 0, 0}
#define RGB(n) {n, n, n, 0}
#define RGBA(n) {n, n, n, n}
#define AT(...) {__VA_ARGS__}

/* Three channels of an OpenGL texture are read as four: the fourth is no channel of the image. */
static const struct texel_format formats[] = {
    {"R8_UNORM", TEXEL_UNORM, SAMPLE_U8, 1, R(8), AT(0), 9, 0x8229, GL_RED_, GL_U8},
    {"R8_SRGB", TEXEL_SRGB, SAMPLE_U8, 1, R(8), AT(0), 15, 0x8fbd, GL_RED_, GL_U8},
    {"R8G8_UNORM", TEXEL_UNORM, SAMPLE_U16, 1, RG(8), AT(0, 8), 16, 0x822b, GL_RG_, GL_U8},
    {"R8G8_SRGB", TEXEL_SRGB, SAMPLE_U16, 1, RG(8), AT(0, 8), 22, 0x8fbe, GL_RG_, GL_U8},
    {"R8G8B8_UNORM", TEXEL_UNORM, SAMPLE_U32, 1, RGB(8), AT(0, 8, 16), 0, 0x8051, GL_RGBA_, GL_U8},
    {"R8G8B8_SRGB", TEXEL_SRGB, SAMPLE_U32, 1, RGB(8), AT(0, 8, 16), 0, 0x8c41, GL_RGBA_, GL_U8},
    {"R8G8B8A8_UNORM", TEXEL_UNORM, SAMPLE_U32, 1, RGBA(8), AT(0, 8, 16, 24), 37, 0x8058, GL_RGBA_, GL_U8},
    {"R8G8B8A8_SRGB", TEXEL_SRGB, SAMPLE_U32, 1, RGBA(8), AT(0, 8, 16, 24), 43, 0x8c43, GL_RGBA_, GL_U8},
    {"B8G8R8A8_UNORM", TEXEL_UNORM, SAMPLE_U32, 1, RGBA(8), AT(16, 8, 0, 24), 44, 0, 0, 0},
    {"B8G8R8A8_SRGB", TEXEL_SRGB, SAMPLE_U32, 1, RGBA(8), AT(16, 8, 0, 24), 50, 0, 0, 0},
    {"A8B8G8R8_UNORM_PACK32", TEXEL_UNORM, SAMPLE_U32, 1, RGBA(8), AT(0, 8, 16, 24), 51, 0, 0, 0},
    {"A8B8G8R8_SRGB_PACK32", TEXEL_SRGB, SAMPLE_U32, 1, RGBA(8), AT(0, 8, 16, 24), 57, 0, 0, 0},
    {"A2R10G10B10_UNORM_PACK32", TEXEL_UNORM, SAMPLE_U32, 1, {10, 10, 10, 2}, AT(20, 10, 0, 30), 58, 0, 0, 0},
    {"A2B10G10R10_UNORM_PACK32", TEXEL_UNORM, SAMPLE_U32, 1, {10, 10, 10, 2}, AT(0, 10, 20, 30), 64, 0x8059, GL_RGBA_,
     GL_2_10_10_10},
    {"R16_UNORM", TEXEL_UNORM, SAMPLE_U16, 1, R(16), AT(0), 70, 0x822a, GL_RED_, GL_U16},
    {"R16G16_UNORM", TEXEL_UNORM, SAMPLE_U32, 1, RG(16), AT(0, 16), 77, 0x822c, GL_RG_, GL_U16},
    {"R16G16B16_UNORM", TEXEL_UNORM, SAMPLE_U32, 2, RGB(16), AT(0, 16, 0), 0, 0x8054, GL_RGBA_, GL_U16},
    {"R16G16B16A16_UNORM", TEXEL_UNORM, SAMPLE_U32, 2, RGBA(16), AT(0, 16, 0, 16), 91, 0x805b, GL_RGBA_, GL_U16},
    {"R16_SFLOAT", TEXEL_HALF, SAMPLE_U16, 1, R(16), AT(0), 76, 0x822d, GL_RED_, GL_F16},
    {"R16G16_SFLOAT", TEXEL_HALF, SAMPLE_U32, 1, RG(16), AT(0, 16), 83, 0x822f, GL_RG_, GL_F16},
    {"R16G16B16_SFLOAT", TEXEL_HALF, SAMPLE_U32, 2, RGB(16), AT(0, 16, 0), 0, 0x881b, GL_RGBA_, GL_F16},
    {"R16G16B16A16_SFLOAT", TEXEL_HALF, SAMPLE_U32, 2, RGBA(16), AT(0, 16, 0, 16), 97, 0x881a, GL_RGBA_, GL_F16},
    {"B10G11R11_UFLOAT_PACK32", TEXEL_HALF, SAMPLE_U32, 1, {11, 11, 10, 0}, AT(0, 11, 22), 122, 0x8c3a, GL_RGB_,
     GL_10_11_11},
    {"R32_SFLOAT", TEXEL_FLOAT, SAMPLE_U32, 1, R(32), AT(0), 100, 0x822e, GL_RED_, GL_F32},
    {"R32G32_SFLOAT", TEXEL_FLOAT, SAMPLE_U32, 2, RG(32), AT(0), 103, 0x8230, GL_RG_, GL_F32},
    {"R32G32B32_SFLOAT", TEXEL_FLOAT, SAMPLE_U32, 4, RGB(32), AT(0), 0, 0x8815, GL_RGBA_, GL_F32},
    {"R32G32B32A32_SFLOAT", TEXEL_FLOAT, SAMPLE_U32, 4, RGBA(32), AT(0), 109, 0x8814, GL_RGBA_, GL_F32},
};

const struct texel_format *texel_format_at(unsigned index)
{
    return index < sizeof formats / sizeof formats[0] ? &formats[index] : NULL;
}

const struct texel_format *texel_format_vulkan(uint32_t format)
{
    for (unsigned i = 0; format && texel_format_at(i); i++)
        if (formats[i].vulkan == format)
            return &formats[i];
    return NULL;
}

const struct texel_format *texel_format_opengl(uint32_t internal_format)
{
    for (unsigned i = 0; internal_format && texel_format_at(i); i++)
        if (formats[i].opengl == internal_format)
            return &formats[i];
    return NULL;
}
