/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_SELFTEST_PRUNE_H
#define ASSAY_SELFTEST_PRUNE_H

#include "graph/graph.h"

/* A sealed copy of a graph with the passes of the chosen kernels and the passes that these need. It keeps its
 * planes. */
int graph_prune(const struct graph *g, const bool kernels[KERNEL_VARIANTS], struct graph **out, struct assay_error *e);

#endif
