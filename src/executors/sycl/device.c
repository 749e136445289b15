/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/sycl/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/modules.h"
#include "executors/open.h"

enum {
    DEPTH = 6, /* frames in flight: one is copied, one computed, and the host is at the others, command by command */
    NEEDED_LOCAL = 16384, NEEDED_THREADS = 128, /* of a work-group: what the smaller schedules take */
};

int sy_fail(const char *what, const char *why, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EDEVICE, "SYCL: %s failed: %.200s", what, why);
}

static int sy_module(const struct sycl_interface **sycl, struct assay_error *e)
{
    const struct module *module;
    TRY(module_open(MODULE_SYCL, &module, e));
    *sycl = module->content;
    return ASSAY_OK;
}

static bool sy_usable(const struct sycl_facts *f)
{
    return f->memory_kinds && f->local_bytes >= NEEDED_LOCAL && f->threads >= NEEDED_THREADS;
}

static int sy_check_usable(const struct sycl_facts *f, struct assay_error *e)
{
    if (!f->memory_kinds)
        return assay_fail(e, ASSAY_EDEVICE, "SYCL: %s has no USM allocations for the device and the host", f->name);
    if (!sy_usable(f))
        return assay_fail(e, ASSAY_EDEVICE, "SYCL: a work-group of %s has %llu bytes of local memory and %llu items; "
                          "%u and %u are needed", f->name, (unsigned long long)f->local_bytes,
                          (unsigned long long)f->threads, NEEDED_LOCAL, NEEDED_THREADS);
    return ASSAY_OK;
}

static int sy_count(const struct sycl_interface *sycl, unsigned *devices, struct assay_error *e)
{
    char why[SYCL_WHY] = "";
    return sycl->count(devices, why) ? ASSAY_OK : sy_fail("counting devices", why, e);
}

static int sy_look(const struct sycl_interface *sycl, unsigned device, struct sycl_facts *f, struct assay_error *e)
{
    char why[SYCL_WHY] = "";
    return sycl->look(device, f, why) ? ASSAY_OK : sy_fail("asking about a device", why, e);
}

int sy_gpu_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e)
{
    const struct sycl_interface *sycl;
    unsigned devices = 0;
    TRY(sy_module(&sycl, e));
    TRY(sy_count(sycl, &devices, e));
    for (unsigned i = 0; i < devices; i++) {
        struct sycl_facts f;
        TRY(sy_look(sycl, i, &f, e));
        show(opaque, &(struct executor_device){.number = i, .name = f.name, .driver = f.driver, .software = f.software,
                                               .usable = sy_usable(&f),
                                               .memory = f.memory < SIZE_MAX / 2 ? f.memory : 0 /* unknown */});
    }
    return ASSAY_OK;
}

/* The device that is named; else the first one that is usable and no software, else the first one. */
static int sy_choose(struct sy_gpu *g, const char *want, unsigned *number, struct assay_error *e)
{
    struct device_names names = {""};
    unsigned devices = 0;
    bool found = false;
    TRY(sy_count(g->sycl, &devices, e));
    for (unsigned i = 0; i < devices; i++) {
        struct sycl_facts f;
        TRY(sy_look(g->sycl, i, &f, e));
        device_names_add(&names, i, f.name);
        const bool better = want ? device_name_matches(want, i, f.name) : sy_usable(&f) && !f.software;
        if (better || (!want && !found)) {
            *number = i;
            g->facts = f;
            found = true;
        }
        if (better)
            return ASSAY_OK;
    }
    if (found)
        return ASSAY_OK;
    return want && devices ? assay_fail(e, ASSAY_EDEVICE, "SYCL: no device '%s': %s", want, names.text)
                           : assay_fail(e, ASSAY_EDEVICE, "SYCL: the runtime finds no device");
}

bool sy_items_wanted(void)
{
    const char *form = getenv("ASSAY_SYCL_FORM");
    return form && !strcmp(form, "items");
}

/* What the facts say. */
static int sy_take_facts(struct sy_gpu *g, struct assay_error *e)
{
    const struct sycl_facts *f = &g->facts;
    TRY(sy_check_usable(f, e));
    /* Kernels address 4 GiB of a plane. */
    g->base.limits = (struct gpu_limits){
        .plane_bytes = f->largest < UINT32_MAX ? f->largest : UINT32_MAX, .binding_bytes = f->largest,
        .offset_align = 1, .groups = {INT32_MAX, INT32_MAX},
        .shared_bytes = f->local_bytes < UINT32_MAX ? (uint32_t)f->local_bytes : UINT32_MAX, .binds_late = true,
        .threads = f->threads < UINT32_MAX ? (uint32_t)f->threads : UINT32_MAX};
    TRY(gpu_limits_from_environment(&g->base.limits, e));
    const char *form = getenv("ASSAY_SYCL_FORM");
    if (form && *form && !sy_items_wanted())
        return assay_fail(e, ASSAY_EUSAGE, "ASSAY_SYCL_FORM is 'items', not '%s'", form);
    if (f->tiles && !sy_items_wanted())
        g->base.limits.threads = SYCL_TILE_THREADS;
    snprintf(g->base.name, sizeof g->base.name, "%s", f->name);
    snprintf(g->base.driver, sizeof g->base.driver, "%s", f->driver);
    g->base.ops = &sy_device_ops;
    g->base.depth = DEPTH;
    g->base.keeps = true;
    return ASSAY_OK;
}

static int sy_open(struct sy_gpu *g, const char *want, struct assay_error *e)
{
    char why[SYCL_WHY] = "";
    unsigned number = 0;
    TRY(sy_module(&g->sycl, e));
    TRY(sy_choose(g, want, &number, e));
    TRY(sy_take_facts(g, e));
    return g->sycl->open(number, &g->device, why) ? ASSAY_OK : sy_fail("opening the device", why, e);
}

static int sy_adopt(struct sy_gpu *g, void *queue, struct assay_error *e)
{
    char why[SYCL_WHY] = "";
    TRY(sy_module(&g->sycl, e));
    if (!g->sycl->adopt(queue, &g->device, &g->facts, why))
        return sy_fail("asking about the application's queue", why, e);
    return sy_take_facts(g, e);
}

int sy_gpu_open(struct gpu_device **out, const char *want, void *queue, struct assay_error *e)
{
    struct sy_gpu *g = calloc(1, sizeof *g);
    *out = (struct gpu_device *)g;
    if (!g)
        return assay_fail_memory(e, "the SYCL device");
    const int rc = queue ? sy_adopt(g, queue, e) : sy_open(g, want, e);
    if (rc)
        sy_gpu_close(out);
    return rc;
}

void sy_gpu_close(struct gpu_device **gpu)
{
    struct sy_gpu *g = (struct sy_gpu *)*gpu;
    *gpu = NULL;
    if (g->device)
        g->sycl->close(g->device);
    free(g);
}
