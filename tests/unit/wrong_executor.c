/* SPDX-License-Identifier: BSD-2-Clause */
#include "wrong_executor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executors/cpu/cpu.h"

struct wrong wrong;

struct wrong_device {
    struct executor base;
    struct executor *cpu;
    const struct graph *graph;
    uint32_t *extrema;
    int64_t *totals;
};

static bool is_kernel(const struct graph *g, graph_pass pass)
{
    return !strcmp(assay_kernel_info[g->pass[pass].kernel].name, wrong.kernel);
}

static bool in_graph(const struct graph *g)
{
    bool found = false;
    for (graph_pass p = 0; p < g->passes; p++)
        found |= is_kernel(g, p);
    return found;
}

static void wrong_close(struct executor **out)
{
    struct wrong_device *x = (struct wrong_device *)*out;
    *out = NULL;
    if (!x)
        return;
    if (x->cpu)
        x->cpu->ops->close(&x->cpu);
    free(x->extrema);
    free(x->totals);
    free(x);
}

static int wrong_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    struct executor_config one = *config;
    *out = NULL;
    if (wrong.fault == WRONG_OPEN)
        return assay_fail(e, ASSAY_EDEVICE, "the wrong device does not open");
    if (config->device && strcmp(config->device, "0") && !strstr("wrong device", config->device))
        return assay_fail(e, ASSAY_EDEVICE, "wrong: no device '%s'", config->device);
    struct wrong_device *x = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the wrong device");
    one.device = NULL;
    one.threads = 1;
    const int rc = executor_cpu.open(&x->cpu, &one, e);
    x->base = (struct executor){.ops = &executor_wrong, .depth = 2};
    snprintf(x->base.device, sizeof x->base.device, "wrong device");
    snprintf(x->base.driver, sizeof x->base.driver, "driver 1");
    *out = &x->base;
    if (rc)
        wrong_close(out);
    wrong.opens += !rc;
    return rc;
}

static int wrong_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct wrong_device *x = (struct wrong_device *)base;
    x->graph = g;
    x->totals = calloc(g->totals + 1, sizeof *x->totals);
    x->extrema = calloc(g->extrema + 1, 2 * sizeof *x->extrema);
    if (!x->totals || !x->extrema || wrong.fault == WRONG_MEMORY)
        return assay_fail_memory(e, "the wrong device");
    if (wrong.fault == WRONG_PREPARE && in_graph(g))
        return assay_fail(e, ASSAY_EDEVICE, "the driver can't build kernel %s", wrong.kernel);
    return x->cpu->ops->prepare(x->cpu, g, slots, e);
}

static void *wrong_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    struct wrong_device *x = (struct wrong_device *)base;
    return x->cpu->ops->host_alloc(x->cpu, slot, bytes);
}

static void wrong_free(struct executor *base, uint32_t slot, void *memory)
{
    struct wrong_device *x = (struct wrong_device *)base;
    x->cpu->ops->host_free(x->cpu, slot, memory);
}

/* No kernel of a real run is that fast. */
static bool skips(const struct graph *g)
{
    bool wide = false;
    for (graph_plane i = 0; i < g->planes; i++)
        wide |= g->plane[i].input && g->plane[i].width > 600;
    return wide && wrong.instant;
}

static int wrong_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct wrong_device *x = (struct wrong_device *)base;
    const struct timespec pause = {.tv_nsec = (long)wrong.delay};
    wrong.frames++;
    if (wrong.fault == WRONG_SUBMIT && in_graph(x->graph))
        return assay_fail(e, ASSAY_EDEVICE, "the device was lost");
    if (wrong.delay)
        nanosleep(&pause, NULL);
    return skips(x->graph) ? ASSAY_OK : x->cpu->ops->submit(x->cpu, slot, inputs, e);
}

static int wrong_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    struct wrong_device *x = (struct wrong_device *)base;
    const int rc = x->cpu->ops->wait(x->cpu, slot, results, e);
    if (rc)
        return rc;
    results->times = (struct frame_times){0};
    x->base.passes_run += x->graph->passes;
    memcpy(x->totals, results->totals, x->graph->totals * sizeof *x->totals);
    memcpy(x->extrema, results->extrema, (size_t)x->graph->extrema * 2 * sizeof *x->extrema);
    for (graph_pass p = 0; p < x->graph->passes; p++) {
        if (!wrong.kernel || !is_kernel(x->graph, p))
            continue;
        if (wrong.fault == WRONG_TOTAL)
            x->totals[x->graph->pass[p].totals] ^= 1;
        if (wrong.fault == WRONG_EXTREMUM)
            x->extrema[2 * x->graph->pass[p].extrema + 1] += 1;
    }
    results->totals = x->totals;
    results->extrema = x->extrema;
    return ASSAY_OK;
}

static int wrong_read(struct executor *base, uint32_t slot, graph_plane plane, void *dst, size_t stride,
                      struct assay_error *e)
{
    struct wrong_device *x = (struct wrong_device *)base;
    const struct graph_plane_info *p = &x->graph->plane[plane];
    const int rc = x->cpu->ops->read_plane(x->cpu, slot, plane, dst, stride, e);
    if (!rc && wrong.fault == WRONG_PLANE && !p->input && is_kernel(x->graph, p->pass))
        ((char *)dst)[wrong.y * stride + 4 * (size_t)wrong.x] ^= 1;
    return rc;
}

static uint64_t wrong_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    const struct wrong_device *x = (const struct wrong_device *)base;
    return x->cpu->ops->memory(x->cpu, g, slots);
}

static uint64_t wrong_modules(void)
{
    return wrong.modules;
}

static int wrong_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque,
                      struct assay_error *e)
{
    const struct executor_device device = {.name = "wrong device", .driver = "driver 1", .software = wrong.software,
                                           .usable = !wrong.unusable, .memory = 1 << 30};
    if (wrong.none)
        return assay_fail(e, ASSAY_EDEVICE, "wrong: there is no device");
    show(opaque, &device);
    return ASSAY_OK;
}

const struct executor_ops executor_wrong = {
    .name = "wrong", .open = wrong_open, .prepare = wrong_prepare, .host_alloc = wrong_alloc, .host_free = wrong_free,
    .submit = wrong_submit, .wait = wrong_wait, .read_plane = wrong_read, .memory = wrong_memory, .close = wrong_close,
    .modules = wrong_modules, .list = wrong_list,
};

const struct executor_ops executor_absent = {.name = "absent", .missing = "Absent: this build was made without it"};

const struct executor_ops *const assay_executors[] = {&executor_cpu, &executor_wrong, &executor_absent, NULL};
