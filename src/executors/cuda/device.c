/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cuda/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "executors/modules.h"
#include "executors/open.h"

enum { DEPTH = 8 }; /* frames in flight: uploads, kernels and the host all stay busy, and a frame or two may be late */

/* ---- which device ------------------------------------------------------------------------------------------------ */

static cu_result cu_look_at(struct cu_gpu *g)
{
    const struct cu_driver *d = &g->driver;
    cu_result r = d->device_name(g->base.name, (int)sizeof g->base.name, g->device);
    if (!r)
        r = d->device_attribute(&g->major, CU_DEVICE_ATTRIBUTE_MAJOR, g->device);
    if (!r)
        r = d->device_attribute(&g->minor, CU_DEVICE_ATTRIBUTE_MINOR, g->device);
    return r;
}

static int cu_device_at(struct cu_gpu *g, int number, struct assay_error *e)
{
    const struct cu_driver *d = &g->driver;
    cu_result r = d->device_get(&g->device, number);
    if (!r)
        r = cu_look_at(g);
    return cu_check(d, r, "asking about a device", e);
}

static bool cu_usable(const struct cu_gpu *g)
{
    return g->major > 7 || (g->major == 7 && g->minor >= 5);
}

static void cu_gpu_free(struct cu_gpu *g)
{
    pthread_mutex_destroy(&g->loading);
    free(g);
}

static int cu_start(struct cu_gpu *g, struct assay_error *e)
{
    const struct module *module;
    TRY(module_open(MODULE_CUDA, &module, e));
    TRY(cu_driver_open(&g->driver, e));
    g->images = module->content;
    if (g->driver.driver_version(&g->version))
        return assay_fail(e, ASSAY_EDEVICE, "CUDA: the driver doesn't say its version");
    snprintf(g->base.driver, sizeof g->base.driver, "CUDA %d.%d", g->version / 1000, g->version % 1000 / 10);
    return ASSAY_OK;
}

static int cu_open_driver(struct cu_gpu **out, struct assay_error *e)
{
    struct cu_gpu *g = *out = calloc(1, sizeof *g);
    if (!g)
        return assay_fail_memory(e, "the CUDA device");
    pthread_mutex_init(&g->loading, NULL);
    g->base.ops = &cu_device_ops;
    g->base.depth = DEPTH;
    g->base.keeps = g->base.reads_host = g->base.replays[GPU_PASSES] = true;
    /* Kernels address 4 GiB of a plane. */
    g->base.limits = (struct gpu_limits){.plane_bytes = UINT32_MAX, .binding_bytes = UINT64_MAX, .offset_align = 1,
                                         .groups = {INT32_MAX, UINT16_MAX}, .extrema_keys = true,
                                         .binds_late = true};
    const int rc = cu_start(g, e);
    if (rc) {
        cu_gpu_free(g);
        *out = NULL;
    }
    return rc;
}

int cu_gpu_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e)
{
    struct cu_gpu *g;
    int devices = 0;
    TRY(cu_open_driver(&g, e));
    int rc = cu_check(&g->driver, g->driver.device_count(&devices), "counting devices", e);
    for (int i = 0; !rc && i < devices; i++) {
        size_t memory = 0;
        if ((rc = cu_device_at(g, i, e)))
            break;
        if (g->driver.device_memory(&memory, g->device))
            memory = 0; /* unknown */
        const struct executor_device device = {.number = (unsigned)i, .name = g->base.name, .driver = g->base.driver,
                                               .usable = cu_usable(g), .memory = memory};
        show(opaque, &device);
    }
    cu_gpu_free(g);
    return rc;
}

static int cu_choose(struct cu_gpu *g, const char *want, struct assay_error *e)
{
    struct device_names names = {""};
    int devices = 0;
    TRY(cu_check(&g->driver, g->driver.device_count(&devices), "counting devices", e));
    if (devices < 1)
        return assay_fail(e, ASSAY_EDEVICE, "CUDA: the driver finds no device");
    for (int i = 0; i < devices; i++) {
        const int rc = cu_device_at(g, i, e);
        if (rc || !want || device_name_matches(want, (unsigned)i, g->base.name))
            return rc;
        device_names_add(&names, (unsigned)i, g->base.name);
    }
    return assay_fail(e, ASSAY_EDEVICE, "CUDA: no device '%s': %s", want, names.text);
}

static int cu_check_usable(const struct cu_gpu *g, struct assay_error *e)
{
    return cu_usable(g) ? ASSAY_OK
                        : assay_fail(e, ASSAY_EDEVICE,
                                     "CUDA: %s has compute capability %d.%d; 7.5 is the lowest that is supported",
                                     g->base.name, g->major, g->minor);
}

int cu_gpu_adopt(struct gpu_device **out, cu_context context, struct assay_error *e)
{
    struct cu_gpu *g;
    TRY(cu_open_driver(&g, e));
    cu_result r = context ? 0 : g->driver.context_current(&context);
    g->context = context;
    g->applications = true;
    int rc = cu_check(&g->driver, r, "asking for the context", e);
    if (!rc && !context)
        rc = assay_fail(e, ASSAY_EUSAGE, "CUDA: no context is current in this thread, and none was given");
    else if (!rc && !(rc = cu_enter(g, e))) {
        r = g->driver.context_device(&g->device);
        if (!r)
            r = cu_look_at(g);
        cu_leave(g);
        rc = cu_check(&g->driver, r, "asking for the context's device", e);
        rc = rc ? rc : cu_check_usable(g, e);
    }
    if (rc)
        cu_gpu_free(g);
    else
        *out = &g->base;
    return rc;
}

int cu_gpu_open(struct gpu_device **out, const char *want, struct assay_error *e)
{
    struct cu_gpu *g;
    TRY(cu_open_driver(&g, e));
    int rc = cu_choose(g, want, e);
    rc = rc ? rc : cu_check_usable(g, e);
    if (!rc)
        rc = cu_check(&g->driver, g->driver.context_retain(&g->context, g->device), "opening the device", e);
    if (rc)
        cu_gpu_free(g);
    else
        *out = &g->base;
    return rc;
}

void cu_gpu_close(struct gpu_device **gpu)
{
    struct cu_gpu *const g = (struct cu_gpu *)*gpu;
    *gpu = NULL;
    if (!g->driver.context_push(g->context)) {
        if (g->origin)
            g->driver.event_destroy(g->origin);
        if (g->kernels.whole)
            g->driver.library_unload(g->kernels.whole);
        for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
            if (g->kernels.single[k])
                g->driver.library_unload(g->kernels.single[k]);
        cu_leave(g);
    }
    if (!g->applications)
        g->driver.context_release(g->device);
    cu_gpu_free(g);
}

int cu_enter(const struct cu_gpu *gpu, struct assay_error *e)
{
    return cu_check(&gpu->driver, gpu->driver.context_push(gpu->context), "making the device current", e);
}

void cu_leave(const struct cu_gpu *gpu)
{
    cu_context before;
    gpu->driver.context_pop(&before);
}
