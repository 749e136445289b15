/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every pass that a session can have: graphs of all metrics with their options one by one, on frames of several kinds,
 * and of packed texels. `assay doctor` and the tests of kernels run them, so that no kernel is described a second time.
 */
#ifndef ASSAY_CATALOGUE_CATALOGUE_H
#define ASSAY_CATALOGUE_CATALOGUE_H

#include "graph/graph.h"

/* Graph number `index` for frames of width x height, not sealed; NULL after the last one. Metrics that refuse such
 * frames are left out, so a graph of small frames may have no pass. `bits`: bits of the u16 samples of the pair. */
int catalogue_graph(unsigned index, uint32_t width, uint32_t height, struct graph **out, uint32_t *bits,
                    struct assay_error *e);

#endif
