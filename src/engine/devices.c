/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/devices.h"

#include <stdio.h>

#include "executors/open.h"
#include "selftest/prove.h"

struct listing {
    const struct executor_ops *ops;
    assay_device_callback *show;
    void *opaque;
};

static void show_known(const struct listing *l, const struct selftest_identity *id, assay_device *d)
{
    unsigned passed;
    const enum selftest_state state = selftest_known(id, &passed);
    d->self_test = state == SELFTEST_PASSED ? ASSAY_SELF_TEST_PASSED
                 : state == SELFTEST_FAILED ? ASSAY_SELF_TEST_FAILED : ASSAY_SELF_TEST_NOT_RUN;
    d->kernels_passed = passed;
    d->kernels = KERNEL_VARIANTS;
    l->show(l->opaque, d);
}

static void show_one(void *opaque, const struct executor_device *device)
{
    const struct listing *l = opaque;
    struct selftest_identity id = {.modules = l->ops->modules ? l->ops->modules() : 0};
    assay_device d = {.backend = l->ops->name, .number = device->number, .name = device->name, .driver = device->driver,
                      .memory = device->memory, .software = device->software, .usable = device->usable};
    snprintf(id.backend, sizeof id.backend, "%s", l->ops->name);
    snprintf(id.device, sizeof id.device, "%s", device->name);
    snprintf(id.driver, sizeof id.driver, "%.127s", device->driver);
    show_known(l, &id, &d);
}

/* Shows the device of a backend that has one. Opens it to get its name. */
static int show_only(const struct listing *l, struct assay_error *e)
{
    const struct executor_config config = {0};
    struct executor *x;
    TRY(l->ops->open(&x, &config, e));
    const struct selftest_identity id = selftest_identity_of(x);
    assay_device d = {.backend = l->ops->name, .name = x->device, .driver = x->driver, .usable = 1};
    show_known(l, &id, &d);
    x->ops->close(&x);
    return ASSAY_OK;
}

static int show_backend(struct listing *l, struct assay_error *e)
{
    struct assay_error why = {0};
    int rc = ASSAY_EDEVICE;
    if (!l->ops->missing)
        rc = l->ops->list ? l->ops->list(show_one, l, &why) : show_only(l, &why);
    if (rc && rc != ASSAY_EDEVICE)
        return assay_fail(e, rc, "%s", why.text);
    const assay_device none = {.backend = l->ops->name, .name = "", .driver = "",
                               .missing = l->ops->missing ? l->ops->missing : why.text};
    if (rc)
        l->show(l->opaque, &none);
    return ASSAY_OK;
}

int devices_list(const char *backend, assay_device_callback *show, void *opaque, struct assay_error *e)
{
    struct listing l = {NULL, show, opaque};
    if (backend) {
        TRY(backend_named(backend, &l.ops, e));
        return show_backend(&l, e);
    }
    for (unsigned i = 0; assay_executors[i]; i++) {
        l.ops = assay_executors[i];
        TRY(show_backend(&l, e));
    }
    return ASSAY_OK;
}

int devices_named(const char *backend, const char *want, unsigned *count, unsigned *first, struct assay_error *e)
{
    const struct executor_ops *ops;
    TRY(backend_named(backend, &ops, e));
    return executor_named(ops, want, count, first, e);
}

int devices_open_for(const assay_config *c, const struct graph *g, struct executor **out, struct assay_error *e)
{
    const struct executor_config own = {.device = c->device, .threads = c->threads, .level = c->cpu_level,
                                        .tile_w = c->tile_width, .tile_h = c->tile_height,
                                        .strip_h = c->strip_height, .frames = c->frames,
                                        .in_flight = c->frames_in_flight, .graph = g};
    const struct executor_ops *ops;
    TRY(backend_named(c->backend ? c->backend : "cpu", &ops, e));
    return executor_open(out, ops, &own, e);
}

int devices_open(void *config, struct executor **out, struct assay_error *e)
{
    return devices_open_for(config, NULL, out, e);
}
