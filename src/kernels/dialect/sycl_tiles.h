/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel dialect for SYCL devices that are processors: the C dialect, compiled as C++. A work-item is a tile, which
 * it computes with the processor's vectors, so there is no barrier and no local memory. Sums go to the 64-bit totals
 * with the processor's atomics.
 *
 * LANES is what the compiler may use: that of a build for the machine it runs on (-march=native), else SSE4.1 or NEON.
 * tools/sycl_module.py puts each text into a namespace of its own, with the tile of the C build.
 */
#ifndef ASSAY_DIALECT_SYCL_TILES_H
#define ASSAY_DIALECT_SYCL_TILES_H

#include "kernels/sycl/launch.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#elif defined(__SSE4_1__) || defined(__aarch64__)
#define LANES 4
#else
#define LANES 1
#endif

#include "kernels/dialect/c.h"
#include "kernels/exact.h"

/* Tile `column` of the `row`-th row of tiles of W x H items, `across` in a row, by the tile function of the text. */
template <int W, int H, int PAIRS>
static inline void run_tile_(kernel_fn *tile, const sycl_args &given, size_t row, size_t column, size_t across)
{
    kernel_args args = kernel_args();
    for (int i = 0; i < KERNEL_PLANES; i++) {
        const sycl_plane &plane = given.plane[i];
        args.plane[i].data = plane.data;
        args.plane[i].stride = plane.stride;
        args.plane[i].width = plane.width;
        args.plane[i].height = plane.height;
    }
    memcpy(args.param, given.param, sizeof args.param);
    args.totals = (int64_t *)given.totals; /* low words first, as this processor has them */
    args.extrema = given.extrema;
    args.grid_w = given.grid_w;
    args.grid_h = given.grid_h;
    args.tile_x = (int)column * W;
    args.tile_y = (int)row * H;
    args.tile_w = given.grid_w - args.tile_x < W ? given.grid_w - args.tile_x : W;
    args.tile_h = given.grid_h - args.tile_y < H ? given.grid_h - args.tile_y : H;
    args.tile_index = (int)(row * across + column);
    for (int k = 0; k < PAIRS; k++) {
        uint32_t *const pair = args.extrema + 2 * ((size_t)args.tile_index * PAIRS + k);
        pair[0] = 0; /* less than any value: its position is behind every item's */
        pair[1] = UINT32_MAX;
    }
    tile(&args);
}

#endif
