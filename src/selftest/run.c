/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/fpenv.h"
#include "selftest/batch.h"
#include "selftest/trial.h"

enum { ROW_ALIGN = 64 };

/* A batch on an open device. */
struct stage {
    struct batch *batch;
    struct selftest_result *result;
    struct graph *graph;
    struct executor *executor;
    uint32_t slot;  /* slot n runs on device n of an executor that has several */
    void *memory;   /* of the planes read, the executor's own for this slot */
    struct frame_inputs inputs;
};

static struct kernel_plane *input_plane(struct stage *s, unsigned i)
{
    return &s->inputs.plane[i % 2][i / 2];
}

static int place_inputs(struct stage *s, struct assay_error *e)
{
    size_t at = 0;
    for (int placing = 0; placing < 2; placing++) {
        if (placing && !(s->memory = s->executor->ops->host_alloc(s->executor, s->slot, at)))
            return assay_fail_memory(e, "the frames of the self-test");
        at = 0;
        for (unsigned i = 0; i < s->batch->inputs; i++) {
            const struct recipe_pass *recipe = &s->batch->entry[s->batch->input[i].entry].recipe;
            const unsigned p = s->batch->input[i].plane;
            const size_t row = (size_t)recipe->plane[p].width * sample_size(recipe->info->plane[p]);
            const size_t stride = (row + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
            *input_plane(s, i) = (struct kernel_plane){
                .data = placing ? (char *)s->memory + at : NULL, .stride = (ptrdiff_t)stride,
                .width = (int32_t)recipe->plane[p].width, .height = (int32_t)recipe->plane[p].height};
            at += stride * recipe->plane[p].height;
        }
    }
    return ASSAY_OK;
}

static int stage_open(struct stage *s, const struct selftest_device *device, struct assay_error *e)
{
    s->graph = batch_graph(s->batch, e);
    if (!s->graph)
        return ASSAY_EINTERNAL;
    const int rc = device->open(device->opaque, &s->executor, e);
    return rc ? rc : s->executor->ops->prepare(s->executor, s->graph, s->executor->devices ? s->executor->devices : 1, e);
}

static void free_inputs(struct stage *s)
{
    if (s->memory)
        s->executor->ops->host_free(s->executor, s->slot, s->memory);
    s->memory = NULL;
}

static void stage_close(struct stage *s)
{
    if (s->executor)
        s->executor->ops->close(&s->executor);
    graph_free(&s->graph);
}

/* The first difference, or what else makes the hashes differ. */
static int explain(const struct batch_entry *entry, unsigned frame, const struct trial *got, struct selftest_result *result,
                   struct assay_error *e)
{
    struct trial expected;
    const struct recipe_pass *recipe = &entry->recipe;
    char where[256];
    const int rc = trial_init(&expected, recipe, e);
    if (rc)
        return rc;
    trial_fill(&expected, recipe, case_pattern(frame), case_seed(frame));
    trial_expect(&expected, recipe);
    if (!trial_difference(&expected, got, recipe, where, sizeof where))
        snprintf(where, sizeof where, "the scalar kernels here don't give what they gave when the library was built");
    result->state = SELFTEST_FAILED;
    if (recipe_param_sets(recipe->kernel) > 1)
        snprintf(result->text, sizeof result->text, "frame %u, parameters %u: %s", frame, entry->set, where);
    else
        snprintf(result->text, sizeof result->text, "frame %u: %s", frame, where);
    trial_free(&expected);
    return ASSAY_OK;
}

/* What one pass of the frame wrote. */
static int judge(struct stage *s, const struct batch_entry *entry, unsigned frame, const struct frame_results *results,
                 struct assay_error *e)
{
    struct trial got;
    const struct kernel_info *k = entry->recipe.info;
    const struct graph_pass_info *pass = &s->graph->pass[entry->pass];
    const unsigned digest = entry->set * CASE_FRAMES + frame;
    int rc = trial_init(&got, &entry->recipe, e);
    for (unsigned i = 0; !rc && i < k->planes_out; i++) {
        const struct kernel_plane *to = &got.plane[k->planes_in + i];
        rc = s->executor->ops->read_plane(s->executor, s->slot, entry->out[i], to->data, (size_t)to->stride, e);
    }
    if (!rc) {
        memcpy(got.totals, results->totals + pass->totals, pass->totals_n * sizeof *got.totals);
        memcpy(got.extrema, results->extrema + 2 * (size_t)pass->extrema, 2 * (size_t)k->extrema * sizeof *got.extrema);
        if (trial_digest(&got, &entry->recipe) != assay_selftest_digest[entry->recipe.kernel][digest])
            rc = explain(entry, frame, &got, &s->result[entry->result], e);
    }
    trial_free(&got);
    return rc;
}

static int run_frame(struct stage *s, unsigned frame, struct assay_error *e)
{
    struct executor *x = s->executor;
    struct frame_results results;
    for (unsigned i = 0; i < s->batch->inputs; i++) {
        const struct kernel_plane *to = input_plane(s, i);
        recipe_fill(&s->batch->entry[s->batch->input[i].entry].recipe, s->batch->input[i].plane, case_pattern(frame),
                    case_seed(frame), to->data, (size_t)to->stride);
    }
    const uint64_t before = x->passes_run;
    int rc = x->ops->submit(x, s->slot, &s->inputs, e);
    if (!rc)
        rc = x->ops->wait(x, s->slot, &results, e);
    if (!rc && x->passes_run - before != s->graph->passes)
        rc = assay_fail(e, ASSAY_EDEVICE, "%llu of %u passes ran on the device",
                        (unsigned long long)(x->passes_run - before), s->graph->passes);
    for (unsigned i = 0; !rc && i < s->batch->entries; i++)
        if (s->result[s->batch->entry[i].result].state != SELFTEST_FAILED)
            rc = judge(s, &s->batch->entry[i], frame, &results, e);
    return rc;
}

static int run_batch(const struct selftest_device *device, struct batch *batch, struct selftest_result *result,
                     struct assay_error *e)
{
    struct stage s = {.batch = batch, .result = result};
    int rc = stage_open(&s, device, e);
    for (s.slot = 0; !rc && (!s.slot || s.slot < s.executor->devices); s.slot++) {
        rc = place_inputs(&s, e);
        for (unsigned frame = 0; !rc && frame < CASE_FRAMES; frame++)
            rc = run_frame(&s, frame, e);
        free_inputs(&s);
    }
    stage_close(&s);
    return rc;
}

static int run_batches(const struct selftest_device *device, struct batches *b, struct selftest_result *result,
                       struct assay_error *e);

/* A batch broke off. Each of its kernels runs alone, so that the one to blame is known. */
static int blame(const struct selftest_device *device, const struct batch *batch, struct selftest_result *result,
                 const struct assay_error *why, struct assay_error *e)
{
    const unsigned first = batch->entry[0].result;
    bool alone = true;
    for (unsigned i = 1; i < batch->entries; i++)
        alone &= batch->entry[i].result == first;
    if (alone) {
        result[first].state = SELFTEST_FAILED;
        snprintf(result[first].text, sizeof result[first].text, "can't run: %.300s", why->text);
        return ASSAY_OK;
    }
    int rc = ASSAY_OK;
    for (unsigned i = 0, last = UINT32_MAX; !rc && i < batch->entries; i++) {
        const unsigned r = batch->entry[i].result;
        struct batches one = {0};
        if (r == last || result[r].state == SELFTEST_FAILED)
            continue;
        last = r;
        rc = batches_add(&one, result[r].kernel, r, e);
        if (!rc)
            rc = run_batches(device, &one, result, e);
        batches_free(&one);
    }
    return rc;
}

static int run_batches(const struct selftest_device *device, struct batches *b, struct selftest_result *result,
                       struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (unsigned i = 0; !rc && i < b->n; i++) {
        struct assay_error why = {0};
        rc = run_batch(device, &b->batch[i], result, &why);
        if (rc == ASSAY_EDEVICE)
            rc = blame(device, &b->batch[i], result, &why, e);
        else if (rc)
            assay_fail(e, rc, "%s", why.text);
    }
    return rc;
}

int selftest_run(const struct selftest_device *device, struct selftest_result *result, unsigned n, struct assay_error *e)
{
    struct batches b = {0};
    struct executor *x = NULL;
    struct assay_fpenv saved;
    /* What has nothing to do with a kernel is said once. */
    int rc = device->open(device->opaque, &x, e);
    if (x)
        x->ops->close(&x);
    assay_fpenv_enter(&saved);
    for (unsigned i = 0; !rc && i < n; i++) {
        result[i].state = SELFTEST_NOT_RUN;
        result[i].text[0] = 0;
        rc = batches_add(&b, result[i].kernel, i, e);
    }
    if (!rc)
        rc = run_batches(device, &b, result, e);
    for (unsigned i = 0; !rc && i < n; i++)
        if (result[i].state == SELFTEST_NOT_RUN)
            result[i].state = SELFTEST_PASSED;
    batches_free(&b);
    assay_fpenv_leave(&saved);
    return rc;
}
