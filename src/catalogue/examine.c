/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/examine.h"

#include <stdlib.h>

#include "catalogue/catalogue.h"
#include "selftest/primitives.h"
#include "selftest/prove.h"
#include "selftest/prune.h"

struct examination {
    const struct selftest_device *device;
    struct selftest_result *result;
    uint64_t *ran; /* digests of passes */
    size_t n;
};

/* Adds a digest. *there: it was present before. */
static int add(struct examination *x, uint64_t digest, bool *there, struct assay_error *e)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->ran[i] == digest) {
            *there = true;
            return ASSAY_OK;
        }
    *there = false;
    TRY(assay_grow(&x->ran, x->n, sizeof *x->ran, "the self-test", e));
    x->ran[x->n++] = digest;
    return ASSAY_OK;
}

/* Runs wanted kernels: those with a pass in the graph that did not run yet, and those that could not be judged so
 * far. */
static int run_graph(struct examination *x, const struct graph *g, uint32_t bits, const bool wanted[KERNEL_VARIANTS],
                     struct assay_error *e)
{
    bool chosen[KERNEL_VARIANTS] = {false};
    struct graph *part = NULL;
    for (graph_pass p = 0; p < g->passes; p++) {
        const unsigned k = g->pass[p].kernel;
        bool there = false;
        TRY(add(x, selftest_pass_digest(g, p), &there, e));
        chosen[k] |= wanted[k] && (!there || x->result[k].state == SELFTEST_NOT_RUN);
    }
    TRY(graph_prune(g, chosen, &part, e));
    const int rc = part->passes ? selftest_frames(x->device, part, bits, x->result, e) : ASSAY_OK;
    graph_free(&part);
    return rc;
}

/* Runs the kernels that have no result yet, on frames of this size. */
static int run_size(struct examination *x, uint32_t width, uint32_t height, struct assay_error *e)
{
    bool wanted[KERNEL_VARIANTS];
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        wanted[k] = x->result[k].state == SELFTEST_NOT_RUN;
    for (unsigned i = 0;; i++) {
        struct graph *g;
        uint32_t bits;
        TRY(catalogue_graph(i, width, height, &g, &bits, e));
        if (!g)
            return ASSAY_OK;
        const int rc = run_graph(x, g, bits, wanted, e);
        graph_free(&g);
        TRY(rc);
    }
}

int catalogue_examine(const struct selftest_device *device, bool primitives,
                      struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e)
{
    struct examination x = {.device = device, .result = result};
    bool chosen[KERNEL_VARIANTS];
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        chosen[k] = primitive_known(k) && (primitives || !primitive_is(k));
    int rc = selftest_primitives(device, chosen, result, e);
    if (!rc)
        rc = run_size(&x, 67, 61, e);
    if (!rc) /* kernels that smaller frames do not use */
        rc = run_size(&x, 181, 177, e);
    if (!rc) /* and that larger ones do not */
        rc = run_size(&x, 7, 5, e);
    free(x.ran);
    return rc;
}
