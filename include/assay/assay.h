/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libassay: how far is a distorted picture from its reference?
 *
 * A score is a pure function of the pixels and the options: it has the same bits at every instruction
 * set, on every device, for every number of threads. See docs/numerics.md.
 *
 * Use: make a session, add metrics, submit frame pairs in order, finish, read the scores.
 *
 * Conventions of every function here
 * - The result is 0 (ASSAY_OK) or a negative ASSAY_E* code; after a failure assay_session_error() (or the
 *   buffer that the function takes) holds one line that names the reason.
 * - Zero in a configuration field means "default". Strings are UTF-8 and belong to the library unless said.
 * - A session may be used by one thread at a time; different sessions may run in different threads at once.
 */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASSAY_API __attribute__((visibility("default")))
#else
#define ASSAY_API
#endif

/* Results. The `assay` command exits with the same number without its sign. */
enum {
    ASSAY_OK = 0,
    ASSAY_EUSAGE = -2,    /* wrong argument, unknown metric or option, a metric that this pair does not allow */
    ASSAY_EINPUT = -3,    /* a file or a frame that can't be read, or is not what its header says */
    ASSAY_EDEVICE = -4,   /* a named backend or device that can't run */
    ASSAY_EMISMATCH = -5, /* the inputs do not match in length or kind */
    ASSAY_EINTERNAL = -6, /* out of memory, an output that can't be written, or our own fault */
};

/* How samples are arranged. Planes are in the order Y, Cb, Cr or R, G, B; subsampled planes round up. */
typedef enum assay_layout {
    ASSAY_LAYOUT_UNKNOWN = 0,
    ASSAY_LAYOUT_400,
    ASSAY_LAYOUT_420,
    ASSAY_LAYOUT_422,
    ASSAY_LAYOUT_444,
    ASSAY_LAYOUT_411,
    ASSAY_LAYOUT_RGB,
} assay_layout;

typedef enum assay_range {
    ASSAY_RANGE_UNKNOWN = 0,
    ASSAY_RANGE_LIMITED,
    ASSAY_RANGE_FULL,
} assay_range;

typedef enum assay_chroma_location {
    ASSAY_CHROMA_UNKNOWN = 0,
    ASSAY_CHROMA_LEFT,
    ASSAY_CHROMA_CENTER,
    ASSAY_CHROMA_TOP_LEFT,
    ASSAY_CHROMA_TOP,
    ASSAY_CHROMA_BOTTOM_LEFT,
    ASSAY_CHROMA_BOTTOM,
} assay_chroma_location;

typedef enum assay_field_order {
    ASSAY_FIELD_UNKNOWN = 0,
    ASSAY_FIELD_PROGRESSIVE,
    ASSAY_FIELD_TOP_FIRST,
    ASSAY_FIELD_BOTTOM_FIRST,
    ASSAY_FIELD_MIXED,
} assay_field_order;

/*
 * What a stream of pictures is. width and height are those of plane 0, 1 to 65535. bit_depth is 8 to 16;
 * samples of 8 bit are uint8_t, deeper ones uint16_t in native byte order with the value in the low bits.
 * matrix, transfer and primaries are ITU-T H.273 code points (2: unspecified; 0 is taken as 2 except that a
 * matrix of 0 is "identity" when layout is RGB). A rate or ratio of 0/0 is unknown.
 */
typedef struct assay_format {
    uint32_t width, height;
    uint32_t bit_depth;
    assay_layout layout;
    assay_range range;
    uint32_t matrix, transfer, primaries;
    assay_chroma_location chroma_location;
    assay_field_order field_order;
    uint32_t rate_num, rate_den; /* frames per second */
    uint32_t sar_num, sar_den;   /* sample aspect ratio */
    uint32_t reserved[8];        /* 0 */
} assay_format;

/* Planes of a layout (1 or 3) and the size of one of them. */
ASSAY_API uint32_t assay_format_planes(const assay_format *format);
ASSAY_API uint32_t assay_format_plane_width(const assay_format *format, uint32_t plane);
ASSAY_API uint32_t assay_format_plane_height(const assay_format *format, uint32_t plane);

#ifdef __cplusplus
}
#endif
#endif
