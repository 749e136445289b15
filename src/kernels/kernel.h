/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the host knows of a kernel: its interface (generated from the kernel's text by tools/kernels.py) and the
 * arguments of its C build. Nothing here says what a kernel computes.
 */
#ifndef ASSAY_KERNELS_KERNEL_H
#define ASSAY_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

enum {
    KERNEL_PLANES = 4,  /* planes of a kernel, in and out; with the totals at most 4 storage buffers */
    KERNEL_PARAMS = 12, /* uniform 32-bit parameters */
};

enum sample_type { SAMPLE_U8, SAMPLE_U16, SAMPLE_U32, SAMPLE_I32, SAMPLE_F32, SAMPLE_TYPES };

static inline uint32_t sample_size(enum sample_type t)
{
    return t == SAMPLE_U8 ? 1 : t == SAMPLE_U16 ? 2 : 4;
}

struct kernel_plane {
    void *data;
    ptrdiff_t stride; /* bytes between rows, any alignment */
    int32_t width, height;
    /* bytes from the end of a layer to the next: negative where a window holds some rows of each */
    ptrdiff_t layer_gap;
    int32_t first_row, end_row; /* rows of each layer that are held, 0, 0: all; for the checking build */
    bool inner; /* of a C kernel's own copy: the tile lies so far inside that no word tests the plane's borders */
};

union kernel_param {
    int32_t i;
    uint32_t u;
    float f;
};

/* What a tile reads and adds to for one of several encodes of its reference. */
struct kernel_encode {
    struct kernel_plane plane;
    int64_t *totals;
};

/* Arguments of one tile of a C kernel. */
struct kernel_args {
    struct kernel_plane plane[KERNEL_PLANES];
    union kernel_param param[KERNEL_PARAMS];
    int64_t *totals;    /* sums, histograms and row sums of the pass: added to atomically, in any order; words */
    uint32_t *extrema;  /* per tile (value, position) pairs, see EXTREMUM in docs/dialect.md */
    int32_t grid_w, grid_h; /* work items of the pass */
    int32_t tile_x, tile_y; /* first item of this tile */
    int32_t tile_w, tile_h; /* size of this tile, cut at the grid */
    int32_t tile_index;
    /* the further encodes that the tile is computed for, behind the one of `plane` and `totals` */
    int32_t others;
    const struct kernel_encode *other;
};

/* A sum of 32-bit values, as separate sums of their low and of their high 16 bits. */
struct kernel_halves {
    int64_t low, high;
};

/* The largest value of a pass and its first position, in raster order. */
struct kernel_extremum {
    uint32_t value, position;
};

typedef void kernel_fn(const struct kernel_args *args);

struct kernel_schedule {
    uint16_t tile_w, tile_h;
    uint16_t threads; /* per workgroup; 0 on the CPU */
};

/* Shaders and SYCL kernels come with their schedules. */
enum kernel_target { TARGET_CPU, TARGET_CUDA, KERNEL_TARGETS };

/* Which rows of a plane belong to rows of the grid. Read: whole strips of rows y0 to y1 of the grid need at most rows
 * y0 * factor - before to y1 * factor + after of each of the plane's `layers` stacked layers, cut at the plane.
 * Written: row y of the grid writes row y of each layer; no other row of the grid does. */
struct kernel_rows {
    uint8_t layers; /* 0: nothing is stated, any row may be touched */
    uint8_t factor; /* 0: the height of a layer over that of the grid, cut off */
    uint8_t before, after;
};

/* One built variant of a kernel text. */
struct kernel_info {
    const char *name;   /* "ssim_cs_u8" */
    const char *family; /* "ssim_cs" */
    enum sample_type sample;   /* what SAMPLE is in this variant */
    uint8_t planes_in, planes_out, params;
    uint8_t sums;              /* 64-bit totals per pass */
    uint8_t row_sums;          /* 64-bit totals per row of the grid */
    uint8_t words;             /* 1: a 64-bit word per item of the grid, row by row, behind the sums */
    uint8_t extrema;           /* (value, position) pairs per pass */
    uint16_t histogram;        /* 64-bit bins per pass */
    enum sample_type plane[KERNEL_PLANES];
    /* layers of a plane written: it is this many layers of the grid's size, one below the other */
    uint8_t layers[KERNEL_PLANES];
    struct kernel_rows rows[KERNEL_PLANES];
    uint8_t encode_plane;      /* the plane that is an encode's, where C computes a tile for several of them; else 0 */
    struct kernel_schedule schedule[KERNEL_TARGETS];
};

#endif
