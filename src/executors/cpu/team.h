/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that run the tiles of kernels: the caller's and the team's own take tiles until none is left. */
#ifndef ASSAY_EXECUTORS_CPU_TEAM_H
#define ASSAY_EXECUTORS_CPU_TEAM_H

#include "host/error.h"
#include "kernels/kernel.h"

/* Some rows of one pass of one frame. */
struct team_job {
    kernel_fn *run;
    struct kernel_args args; /* all but the tile */
    uint32_t tiles_x, tiles, tile_w, tile_h;
    uint32_t row, end_row;   /* of the grid, whole rows of tiles */
};

struct cpu_team;

/* `threads` counts the caller's. */
int team_new(struct cpu_team **out, unsigned threads, struct assay_error *e);
void team_free(struct cpu_team **team);

/* Returns when every tile of every job is done. The jobs must not depend on each other; tiles have any order. The
 * caller's stack holds the tile memory of a kernel (EXECUTOR_STACK). */
void team_run(struct cpu_team *team, const struct team_job *jobs, uint32_t count);

#endif
