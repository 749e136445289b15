/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a frame computes of earlier frames, and those frames have computed already. A pass on inputs of an age has a
 * twin: the same pass on the inputs of age 0, which ran when the earlier frame was scored. An executor that keeps what
 * the twin wrote leaves the pass out. The bits are the same, so this is a matter of memory and time alone.
 */
#ifndef ASSAY_GRAPH_KEPT_H
#define ASSAY_GRAPH_KEPT_H

#include "graph/graph.h"

struct graph_kept {
    uint8_t *pass_age;  /* [pass]: the age of the frame whose pass is its twin; 0: it has none */
    uint8_t *plane_age; /* [plane]: of a plane that such a pass writes, and of its views; else 0 */
    uint32_t *place;    /* [plane]: 1 + the bytes before it in a frame's memory, a multiple of 256, of planes that twins
                         * write, and of those that stand for them, where another pass reads them; 0: it is not kept */
    uint64_t bytes;     /* of a frame */
};

/* After graph_seal. No pass may have a twin: `bytes` is 0 then. */
int graph_kept_plan(struct graph_kept *k, const struct graph *g, struct assay_error *e);
void graph_kept_free(struct graph_kept *k);

#endif
