/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/prove.h"

#include <stdlib.h>
#include <string.h>

#include "host/digest.h"
#include "selftest/batch.h"

enum {
    WIDTH = 67, HEIGHT = 61,    /* several tiles each way on a GPU, and the last ones cut */
    WIDER = 227, HIGHER = 225,  /* enough for pyramids of six scales; doubled from there on */
    BITS = 10,                  /* bits of the primitives' 16-bit samples */
};

/* ---- the graph of the self-test ---------------------------------------------------------------------------------- */

static bool same_kernels(const struct graph *a, const struct graph *b)
{
    bool same = a->passes == b->passes;
    for (graph_pass p = 0; same && p < a->passes; p++)
        same = a->pass[p].kernel == b->pass[p].kernel;
    return same;
}

int selftest_small(const struct selftest_subject *s, struct graph **out, struct assay_error *e)
{
    uint32_t w = WIDTH, h = HEIGHT;
    *out = NULL;
    for (bool first = true; first || (uint64_t)w * h < (uint64_t)s->width * s->height; first = false) {
        struct assay_error why = {0};
        const int rc = s->build(s->opaque, w, h, out, &why);
        if (rc && rc != ASSAY_EUSAGE)
            return assay_fail(e, rc, "%s", why.text);
        if (!rc && same_kernels(*out, s->graph))
            return ASSAY_OK;
        graph_free(out);
        w = first ? WIDER : 2 * w + 1;
        h = first ? HIGHER : 2 * h + 1;
    }
    return s->build(s->opaque, s->width, s->height, out, e);
}

uint64_t selftest_pass_digest(const struct graph *g, graph_pass pass)
{
    const struct trial_pass t = trial_of(g, pass);
    uint64_t digest = digest_of(t.info->name, strlen(t.info->name));
    digest = digest_more(digest, t.plane, sizeof t.plane);
    digest = digest_more(digest, t.param, sizeof t.param);
    return digest_more(digest_more(digest, &t.grid_w, sizeof t.grid_w), &t.grid_h, sizeof t.grid_h);
}

uint64_t selftest_digest(const struct graph *g, uint32_t bits)
{
    uint64_t digest = digest_of(&bits, sizeof bits);
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        const uint32_t words[] = {p->type, p->width, p->input, p->view, p->view ? p->of : 0, p->side, p->component,
                                  p->age};
        digest = digest_more(digest, words, sizeof words);
        digest = digest_more(digest, p->table, p->table ? graph_stride(p) * p->height : 0);
    }
    for (graph_pass i = 0; i < g->passes; i++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[i].kernel];
        const uint64_t pass = selftest_pass_digest(g, i);
        digest = digest_more(digest, &pass, sizeof pass);
        digest = digest_more(digest, g->pass[i].plane,
                             (size_t)(k->planes_in + k->planes_out) * sizeof *g->pass[i].plane);
    }
    return digest;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void fill_frame(const void *bits, const struct graph_plane_info *input, enum pattern pattern, uint32_t seed,
                       const struct kernel_plane *to)
{
    pattern_fill(pattern, input->side, seed + 100u * input->component, input->type, *(const uint32_t *)bits, to);
}

int selftest_frames(const struct selftest_device *device, const struct graph *g, uint32_t bits,
                    struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e)
{
    const struct proof proof = {.graph = g, .fill = fill_frame, .opaque = &bits};
    return proof_run(device, &proof, 1, result, e);
}

static void fill_batch(const void *opaque, const struct graph_plane_info *input, enum pattern pattern, uint32_t seed,
                       const struct kernel_plane *to)
{
    const struct batch *b = opaque;
    const unsigned i = 2u * input->component + input->side;
    primitive_fill(&b->input[i].pass, b->input[i].plane, pattern, seed, to);
}

/* The chosen primitives, and a graph on frames of `bits` (NULL: none). */
static int run_both(const struct selftest_device *device, const bool chosen[KERNEL_VARIANTS], const struct graph *g,
                    uint32_t bits, struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e)
{
    struct batches b = {0};
    int rc = ASSAY_OK;
    for (unsigned k = 0; !rc && k < KERNEL_VARIANTS; k++)
        if (chosen ? chosen[k] : primitive_known(k))
            rc = batches_add(&b, k, WIDTH, HEIGHT, BITS, e);
    rc = rc ? rc : batches_seal(&b, e);
    struct proof *const proof = calloc(b.n + 1, sizeof *proof);
    if (!rc && !proof)
        rc = assay_fail_memory(e, "the self-test");
    unsigned n = 0;
    if (!rc && g) /* first: its kernels take the longest to compile, and some drivers open one device at a time */
        proof[n++] = (struct proof){.graph = g, .fill = fill_frame, .opaque = &bits};
    for (unsigned i = 0; !rc && i < b.n; i++)
        proof[n++] = (struct proof){.graph = b.batch[i].graph, .fill = fill_batch, .opaque = &b.batch[i]};
    rc = rc ? rc : proof_run(device, proof, n, result, e);
    free(proof);
    batches_free(&b);
    return rc;
}

int selftest_primitives(const struct selftest_device *device, const bool chosen[KERNEL_VARIANTS],
                        struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e)
{
    return run_both(device, chosen, NULL, 0, result, e);
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

enum selftest_state selftest_known(const struct selftest_identity *identity, unsigned *passed)
{
    struct selftest_record r;
    bool failed = false;
    selftest_record_load(&r, identity, NULL);
    *passed = 0;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        *passed += r.state[k] == SELFTEST_PASSED;
        failed |= r.state[k] == SELFTEST_FAILED;
    }
    return failed ? SELFTEST_FAILED : *passed ? SELFTEST_PASSED : SELFTEST_NOT_RUN;
}

void selftest_remember(const struct executor *x, const struct selftest_result result[KERNEL_VARIANTS], uint64_t digest)
{
    const struct selftest_identity identity = selftest_identity_of(x);
    struct selftest_record r;
    bool failed = false;
    selftest_record_load(&r, &identity, NULL); /* read again now: another process may have added to it */
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        if (result[k].state != SELFTEST_NOT_RUN)
            r.state[k] = (uint8_t)result[k].state;
        failed |= result[k].state == SELFTEST_FAILED;
    }
    if (digest && !failed)
        selftest_record_graph(&r, digest)->proved = true;
    selftest_record_save(&r);
}

/* ---- first use --------------------------------------------------------------------------------------------------- */

/* The primitives that the device has not passed yet. */
static bool choose_primitives(const struct selftest_record *r, bool takes, bool chosen[KERNEL_VARIANTS])
{
    bool any = false;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        const bool needed = primitive_at_first_use(k) || (takes && primitive_known(k) && !primitive_is(k));
        chosen[k] = needed && r->state[k] != SELFTEST_PASSED;
        any |= chosen[k];
    }
    return any;
}

static int refuse(const struct executor *x, const struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e)
{
    unsigned first = KERNEL_VARIANTS, failed = 0;
    char more[64] = "";
    for (unsigned k = KERNEL_VARIANTS; k-- > 0;)
        if (result[k].state == SELFTEST_FAILED) {
            /* Prefer a primitive: its failure says more about the cause. */
            if (first == KERNEL_VARIANTS || primitive_is(k) || !primitive_is(first))
                first = k;
            failed++;
        }
    if (!failed)
        return ASSAY_OK;
    if (failed > 1)
        snprintf(more, sizeof more, " (and %u more: assay doctor)", failed - 1);
    return assay_fail(e, ASSAY_EDEVICE, "%s: %.127s is refused, it failed the self-test: %s: %s%s", x->ops->name,
                      x->device, assay_kernel_info[first].name, result[first].text, more);
}

/* Tests everything that the record does not know. */
static int examine(const struct executor *x, const struct selftest_device *device,
                   const struct selftest_subject *subject, struct graph *g, struct selftest_record *r,
                   struct selftest_result *result, struct assay_error *e)
{
    bool chosen[KERNEL_VARIANTS];
    const uint64_t digest = selftest_digest(g, subject->bits);
    const bool primitives = choose_primitives(r, subject->takes, chosen),
               graph = !selftest_record_graph(r, digest)->proved;
    if (graph) {
        g->keep = true;
        TRY(graph_seal(g, e));
    }
    TRY(run_both(device, chosen, graph ? g : NULL, subject->bits, result, e));
    if (primitives || graph)
        selftest_remember(x, result, digest);
    return refuse(x, result, e);
}

int selftest_prove(const struct executor *x, const struct selftest_device *device,
                   const struct selftest_subject *subject, struct assay_error *e)
{
    if (!x->ops->modules)
        return ASSAY_OK;
    const struct selftest_identity identity = selftest_identity_of(x);
    struct selftest_result *result = calloc(KERNEL_VARIANTS, sizeof *result);
    struct selftest_record *r = malloc(sizeof *r);
    struct graph *g = NULL;
    int rc = result && r ? ASSAY_OK : assay_fail_memory(e, "the self-test");
    rc = rc ? rc : selftest_small(subject, &g, e);
    if (!rc) {
        selftest_record_load(r, &identity, NULL);
        rc = examine(x, device, subject, g, r, result, e);
    }
    graph_free(&g);
    free(result);
    free(r);
    return rc;
}
