/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/choose.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/devices.h"
#include "engine/rates.h"
#include "host/text.h"

enum { CANDIDATES = 32 };

struct candidate {
    char number[16];
    assay_config config; /* the session's, with this device */
};

struct candidates {
    struct candidate list[CANDIDATES];
    unsigned n;
    const struct executor_ops *ops; /* whose devices are being listed */
    const assay_config *config;
};

static void add(struct candidates *c, const char *number)
{
    if (c->n == CANDIDATES)
        return;
    struct candidate *to = &c->list[c->n++];
    snprintf(to->number, sizeof to->number, "%s", number);
    to->config = *c->config;
    to->config.backend = c->ops->name;
    to->config.device = *number ? to->number : NULL;
    to->config.frames = 0; /* rates are kept for runs of any length */
}

static void add_real(void *opaque, const struct executor_device *device)
{
    struct candidates *c = opaque;
    char number[16];
    snprintf(number, sizeof number, "%u", device->number);
    if (device->usable && !device->software)
        add(c, number);
}

/* Seconds per frame. Fails when the device can't be used. */
static int assess(struct candidate *c, const struct selftest_subject *subject, double *seconds, char name[128],
                  struct assay_error *e)
{
    const struct selftest_device device = {devices_open, &c->config, .threads = true};
    struct executor *x;
    TRY(devices_open(&c->config, &x, e));
    snprintf(name, 128, "%s", x->device);
    int rc = selftest_prove(x, &device, subject, e);
    if (!rc)
        rc = rates_seconds(x, &device, subject, seconds, e);
    x->ops->close(&x);
    return rc;
}

static void list_candidates(struct candidates *c)
{
    for (unsigned i = 0; assay_executors[i]; i++) {
        c->ops = assay_executors[i];
        if (c->ops->missing)
            continue;
        if (c->ops->list)
            c->ops->list(add_real, c, NULL); /* adds nothing for a backend without devices */
        else if (!c->ops->modules) /* the library's own code: the CPU */
            add(c, "");
    }
}

int choose_device(const assay_config *config, const struct selftest_subject *subject, struct choice *out,
                  struct assay_error *e)
{
    struct candidates *c = calloc(1, sizeof *c);
    double best = 0.0;
    char told[448] = "";
    *out = (struct choice){0};
    if (!c)
        return assay_fail_memory(e, "the choice of a device");
    c->config = config;
    list_candidates(c);
    int rc = ASSAY_OK;
    for (unsigned i = 0; !rc && i < c->n; i++) {
        struct assay_error why = {0};
        double seconds = 0.0;
        char name[128] = "";
        const int failed = assess(&c->list[i], subject, &seconds, name, &why);
        if (failed && failed != ASSAY_EDEVICE)
            rc = assay_fail(e, failed, "%s", why.text);
        else if (failed)
            text_append(told, sizeof told, "; not %s: %.250s", c->list[i].config.backend, why.text);
        else
            text_append(told, sizeof told, "; %s, %.60s: %.3f ms a frame", c->list[i].config.backend, name,
                        seconds * 1e3);
        if (!failed && (!out->backend || seconds < best)) {
            best = seconds;
            out->backend = c->list[i].config.backend;
            snprintf(out->device, sizeof out->device, "%s", c->list[i].number);
        }
    }
    if (!rc && !out->backend)
        rc = assay_fail(e, ASSAY_EDEVICE, "auto: no device can be used%s", told);
    if (!rc)
        snprintf(out->text, sizeof out->text, "auto takes %s%s%s%s", out->backend, *out->device ? " " : "", out->device,
                 told);
    free(c);
    return rc;
}
