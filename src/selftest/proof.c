/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/proof.h"

#include <stdlib.h>
#include <string.h>

#include "host/cpu.h"
#include "host/thread.h"
#include "selftest/frame.h"
#include "selftest/prune.h"

/* A graph that runs on an open device. */
struct stage {
    const struct proof *proof;
    struct selftest_result *result; /* indexed by kernel */
    struct executor *executor;
    uint32_t slot;  /* slot n runs on device n of an executor that has several */
    struct selftest_inputs inputs;
    struct selftest_frame expected, got;
    bool *wrong;    /* indexed by plane: it differs, or depends on a plane that differs */
};

static int stage_open(struct stage *s, const struct selftest_device *device, struct assay_error *e)
{
    const struct graph *g = s->proof->graph;
    TRY(device->open(device->opaque, &s->executor, e));
    TRY(selftest_inputs_init(&s->inputs, e));
    TRY(selftest_frame_init(&s->expected, g, e));
    TRY(selftest_frame_init(&s->got, g, e));
    if (!(s->wrong = malloc(g->planes + 1)))
        return assay_fail_memory(e, "the self-test");
    return s->executor->ops->prepare(s->executor, g, s->executor->devices ? s->executor->devices : 1, e);
}

static void stage_close(struct stage *s)
{
    if (s->executor)
        s->executor->ops->close(&s->executor);
    selftest_inputs_free(&s->inputs);
    selftest_frame_free(&s->expected);
    selftest_frame_free(&s->got);
    free(s->wrong);
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static void blame(struct stage *s, const struct trial_pass *pass, unsigned frame, const char *difference)
{
    struct selftest_result *to = &s->result[pass->kernel];
    char params[12 * KERNEL_PARAMS + 1] = "";
    if (to->state == SELFTEST_FAILED)
        return;
    to->state = SELFTEST_FAILED;
    for (unsigned i = 0; i < pass->info->params; i++)
        snprintf(params + 11 * i, 12, " 0x%08x", pass->param[i].u);
    snprintf(to->text, sizeof to->text, "frame %u%s%s: %s", frame, *params ? ", parameters" : "", params, difference);
}

/* The scalar kernel runs on the inputs that the pass should have read. A pass that read a wrong plane is not judged. */
static int judge_pass(struct stage *s, graph_pass p, unsigned frame, struct assay_error *e)
{
    const struct graph *g = s->proof->graph;
    const struct trial_pass pass = trial_of(g, p);
    const struct trial expected = selftest_frame_trial(&s->expected, p), got = selftest_frame_trial(&s->got, p);
    const unsigned in = pass.info->planes_in, planes = in + pass.info->planes_out;
    char difference[256];
    bool wrong = false;
    for (unsigned i = 0; i < in; i++)
        wrong |= s->wrong[graph_rows_of(g, g->pass[p].plane[i])];
    for (unsigned i = in; i < planes && !wrong; i++)
        TRY(s->executor->ops->read_plane(s->executor, s->slot, g->pass[p].plane[i], got.plane[i].data,
                                         (size_t)got.plane[i].stride, e));
    if (!wrong && trial_difference(&expected, &got, &pass, difference, sizeof difference)) {
        blame(s, &pass, frame, difference);
        wrong = true;
    } else if (!wrong && s->result[pass.kernel].state == SELFTEST_NOT_RUN) {
        s->result[pass.kernel].state = SELFTEST_PASSED;
    }
    for (unsigned i = in; i < planes; i++)
        s->wrong[g->pass[p].plane[i]] = wrong;
    return ASSAY_OK;
}

/* The frames form a sequence: planes of an earlier frame have that frame's pattern. */
static void fill_inputs(struct stage *s, unsigned frame)
{
    const struct graph *g = s->proof->graph;
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        const struct kernel_plane *plane = &s->expected.plane[i];
        if (!p->input || p->table)
            continue;
        const unsigned back = graph_frames_before(p->age), shown = frame < back ? 0 : frame - back;
        s->proof->fill(s->proof->opaque, p, (enum pattern)shown, 1000 + shown, plane);
        *selftest_input(&s->inputs, p) = *plane;
    }
}

static int judge_frame(struct stage *s, unsigned frame, struct assay_error *e)
{
    const struct graph *g = s->proof->graph;
    struct frame_results results;
    TRY(s->executor->ops->wait(s->executor, s->slot, &results, e));
    memcpy(s->got.totals, results.totals, g->totals * sizeof *s->got.totals);
    memcpy(s->got.extrema, results.extrema, 2 * (size_t)g->extrema * sizeof *s->got.extrema);
    memset(s->wrong, 0, g->planes * sizeof *s->wrong);
    for (graph_pass p = 0; p < g->passes; p++)
        TRY(judge_pass(s, p, frame, e));
    return ASSAY_OK;
}

static void run_expected(void *frame, unsigned i, struct assay_error *e)
{
    (void)i, (void)e;
    selftest_frame_run(frame);
}

/* Devices of one executor work at the same time. They are judged one after another. */
static int run_frame(struct stage *s, unsigned frame, struct assay_error *e)
{
    struct executor *x = s->executor;
    const uint32_t devices = x->devices ? x->devices : 1;
    const uint64_t before = x->passes_run, passes = (uint64_t)devices * s->proof->graph->passes;
    fill_inputs(s, frame);
    for (s->slot = 0; s->slot < devices; s->slot++)
        TRY(x->ops->submit(x, s->slot, &s->inputs.frame, e));
    TRY(thread_each(1, 1, run_expected, &s->expected, e)); /* the kernels need its stack */
    for (s->slot = 0; s->slot < devices; s->slot++)
        TRY(judge_frame(s, frame, e));
    if (x->passes_run - before != passes)
        return assay_fail(e, ASSAY_EDEVICE, "%llu of %llu passes ran on the device",
                          (unsigned long long)(x->passes_run - before), (unsigned long long)passes);
    return ASSAY_OK;
}

static int run_whole(const struct selftest_device *device, const struct proof *proof, struct selftest_result *result,
                     struct assay_error *e)
{
    struct stage s = {.proof = proof, .result = result};
    int rc = stage_open(&s, device, e);
    for (unsigned frame = 0; !rc && frame < PROOF_FRAMES; frame++)
        rc = run_frame(&s, frame, e);
    stage_close(&s);
    return rc;
}

/* ---- a graph that can't run -------------------------------------------------------------------------------------- */

/* Runs each kernel with only the passes that it needs, to find the kernel that fails. Kernels that need the output of a
 * failed one are not run. */
static int run_apart(const struct selftest_device *device, const struct proof *proof, struct selftest_result *result,
                     struct assay_error *e)
{
    bool done[KERNEL_VARIANTS] = {false};
    for (graph_pass p = 0; p < proof->graph->passes; p++) {
        const unsigned k = proof->graph->pass[p].kernel;
        bool one[KERNEL_VARIANTS] = {false};
        struct graph *part = NULL;
        struct assay_error why = {0};
        if (done[k] || result[k].state == SELFTEST_FAILED)
            continue;
        done[k] = one[k] = true;
        TRY(graph_prune(proof->graph, one, &part, e));
        bool hopeless = false;
        for (graph_pass q = 0; q < part->passes; q++)
            hopeless |= result[part->pass[q].kernel].state == SELFTEST_FAILED;
        const struct proof alone = {.graph = part, .fill = proof->fill, .opaque = proof->opaque};
        const int rc = hopeless ? ASSAY_OK : run_whole(device, &alone, result, &why);
        graph_free(&part);
        if (rc && rc != ASSAY_EDEVICE)
            return assay_fail(e, rc, "%s", why.text);
        if (rc && result[k].state != SELFTEST_FAILED) {
            result[k].state = SELFTEST_FAILED;
            snprintf(result[k].text, sizeof result[k].text, "can't run: %.380s", why.text);
        }
    }
    return ASSAY_OK;
}

static bool any_failed(const struct graph *g, const struct selftest_result *result)
{
    bool any = false;
    for (graph_pass p = 0; p < g->passes; p++)
        any |= result[g->pass[p].kernel].state == SELFTEST_FAILED;
    return any;
}

static int run_proof(const struct selftest_device *device, const struct proof *proof, struct selftest_result *result,
                     struct assay_error *e)
{
    struct assay_error why = {0};
    struct executor *x = NULL;
    int rc = run_whole(device, proof, result, &why);
    if (rc == ASSAY_EDEVICE) {
        /* When the device can't be opened, no kernel has failed: the one failure is the device's. */
        rc = device->open(device->opaque, &x, e);
        if (x)
            x->ops->close(&x);
        if (!rc)
            rc = run_apart(device, proof, result, e);
        if (!rc && !any_failed(proof->graph, result)) /* each kernel can run alone */
            rc = assay_fail(e, ASSAY_EDEVICE, "%s", why.text);
    } else if (rc) {
        assay_fail(e, rc, "%s", why.text);
    }
    return rc;
}

/* ---- several proofs ---------------------------------------------------------------------------------------------- */

struct proof_work {
    const struct selftest_device *device;
    const struct proof *proof;
    struct selftest_result (*result)[KERNEL_VARIANTS]; /* [proof] */
};

static void run_one(void *opaque, unsigned i, struct assay_error *e)
{
    const struct proof_work *w = opaque;
    run_proof(w->device, &w->proof[i], w->result[i], e);
}

/* The first failure of a kernel is told. */
static void join_results(struct selftest_result *to, const struct selftest_result *from)
{
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (from[k].state != SELFTEST_NOT_RUN && to[k].state != SELFTEST_FAILED)
            to[k] = from[k];
}

int proof_run(const struct selftest_device *device, const struct proof *proof, unsigned proofs,
              struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e)
{
    struct proof_work w = {device, proof, calloc(proofs + 1, sizeof *w.result)};
    const int rc = w.result ? thread_each(device->threads ? cpu_allowed_count() : 0, proofs, run_one, &w, e)
                            : assay_fail_memory(e, "the self-test");
    for (unsigned i = 0; !rc && i < proofs; i++)
        join_results(result, w.result[i]);
    free(w.result);
    return rc;
}
