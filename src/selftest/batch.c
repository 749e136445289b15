/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/batch.h"

#include <stdlib.h>
#include <string.h>

void batches_free(struct batches *b)
{
    for (unsigned i = 0; i < b->n; i++)
        graph_free(&b->batch[i].graph);
    free(b->batch);
    *b = (struct batches){0};
}

/* The number of the batch's input that fits plane `plane` of a pass; `inputs` when there is none. */
static unsigned find_input(const struct batch *b, const struct trial_pass *pass, unsigned plane)
{
    unsigned at = 0;
    while (at < b->inputs && !primitive_same_plane(&b->input[at].pass, b->input[at].plane, pass, plane))
        at++;
    return at;
}

static bool fits(const struct batch *b, const struct trial_pass *pass)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < pass->info->planes_in; i++)
        missing += find_input(b, pass, i) == b->inputs;
    return b->inputs + missing <= BATCH_INPUTS;
}

/* The first batch that has room, or a new one. */
static int batch_for(struct batches *b, const struct trial_pass *pass, struct batch **out, struct assay_error *e)
{
    unsigned at = 0;
    while (at < b->n && !fits(&b->batch[at], pass))
        at++;
    if (at == b->n) {
        TRY(assay_grow(&b->batch, b->n, sizeof *b->batch, "the self-test", e));
        b->batch[b->n++] = (struct batch){0};
        if (!(b->batch[at].graph = graph_new(e)))
            return ASSAY_EINTERNAL;
    }
    *out = &b->batch[at];
    return ASSAY_OK;
}

static int add_pass(struct batch *b, const struct trial_pass *pass, struct assay_error *e)
{
    const struct kernel_info *k = pass->info;
    struct graph_pass_request request = {.grid_w = pass->grid_w, .grid_h = pass->grid_h};
    graph_plane out[KERNEL_PLANES];
    graph_pass number;
    while (assay_kernel_variant[request.family][k->plane[0]] != (int)pass->kernel)
        request.family++;
    for (unsigned i = 0; i < k->planes_in; i++) {
        const unsigned at = find_input(b, pass, i);
        if (at == b->inputs) {
            b->input[at].pass = *pass;
            b->input[at].plane = i;
            b->inputs++;
        }
        TRY(graph_input(b->graph, at % 2 ? SIDE_DIS : SIDE_REF, at / 2, k->plane[i], pass->plane[i].width,
                        pass->plane[i].height, &request.in[i], e));
    }
    for (unsigned i = 0; i < k->planes_out; i++) {
        request.out[i].width = pass->plane[k->planes_in + i].width;
        request.out[i].height = pass->plane[k->planes_in + i].height;
    }
    memcpy(request.param, pass->param, sizeof request.param);
    return graph_add(b->graph, &request, &number, out, e);
}

int batches_add(struct batches *b, unsigned kernel, uint32_t width, uint32_t height, uint32_t bits,
                struct assay_error *e)
{
    for (unsigned set = 0; set < primitive_sets(kernel); set++) {
        const struct trial_pass pass = primitive_make(kernel, width, height, bits, set);
        struct batch *to = NULL;
        TRY(batch_for(b, &pass, &to, e));
        TRY(add_pass(to, &pass, e));
    }
    return ASSAY_OK;
}

int batches_seal(struct batches *b, struct assay_error *e)
{
    for (unsigned i = 0; i < b->n; i++) {
        b->batch[i].graph->keep = true;
        TRY(graph_seal(b->batch[i].graph, e));
    }
    return ASSAY_OK;
}
