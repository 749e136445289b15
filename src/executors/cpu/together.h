/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes that one call of a kernel computes together, tile by tile: the kernel's text has ENCODES, and the passes
 * differ in no more than the plane that is an encode's. So what a tile makes of the reference alone is made once. They
 * read only what the frame holds and write only sums, so it does not matter when they run.
 */
#ifndef ASSAY_EXECUTORS_CPU_TOGETHER_H
#define ASSAY_EXECUTORS_CPU_TOGETHER_H

#include "graph/graph.h"

struct together {
    struct {
        graph_pass leader; /* the first of the passes that run together with it; itself where it is the first */
        graph_pass next;   /* the next one of them; graph->passes behind the last */
        uint32_t from;     /* of a leader: its first place in `other` */
    } *pass;               /* [pass] */
    struct kernel_encode *other; /* [pass]: room for the arguments of those behind leaders */
};

int together_plan(struct together **out, const struct graph *g, struct assay_error *e);
void together_free(struct together **t);

#endif
