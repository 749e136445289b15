/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of threads for the tiles of kernels. The caller's thread and the pool's take tiles until none is left. */
#ifndef ASSAY_EXECUTORS_CPU_POOL_H
#define ASSAY_EXECUTORS_CPU_POOL_H

#include "host/error.h"
#include "kernels/kernel.h"

/* Rows of one pass of one frame. */
struct cpu_job {
    kernel_fn *run;
    struct kernel_args args; /* all but the tile */
    uint32_t tiles_x, tiles, tile_w, tile_h;
    uint32_t row, end_row;   /* of the grid, whole rows of tiles */
};

struct cpu_pool;

/* `threads` includes the caller's thread. `all` are these and those of pools that run at the same time. */
int cpu_pool_new(struct cpu_pool **out, unsigned threads, unsigned all, struct assay_error *e);
void cpu_pool_free(struct cpu_pool **pool);

/* Returns when every tile of every job is done. The jobs must not depend on each other; tiles have any order. The
 * caller's stack holds the tile memory of a kernel (THREAD_STACK). */
void cpu_pool_run(struct cpu_pool *pool, const struct cpu_job *jobs, uint32_t count);

#endif
