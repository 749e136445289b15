/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/open.h"

#include <stdio.h>
#include <string.h>

#include "executors/multi.h"
#include "host/numbers.h"
#include "host/text.h"

const struct executor_ops *executor_find(const char *name)
{
    unsigned i = 0;
    while (assay_executors[i] && strcmp(assay_executors[i]->name, name))
        i++;
    return assay_executors[i];
}

void device_names_add(struct device_names *names, unsigned number, const char *name)
{
    text_append(names->text, sizeof names->text, "%s%u is '%.80s'", *names->text ? ", " : "", number, name);
}

static bool device_contains(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && text_lower(text[i]) == text_lower(part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

bool device_name_matches(const char *want, unsigned number, const char *name)
{
    uint64_t n;
    return parse_whole(want, strlen(want), 9999, &n) ? n == number : device_contains(name, want);
}

/* ---- what --device names ----------------------------------------------------------------------------------------- */

static void device_add(struct device_list *w, const char *number)
{
    if (w->count == DEVICE_LIST)
        w->too_many = true;
    else
        snprintf(w->number[w->count++], DEVICE_NUMBER, "%.*s", DEVICE_NUMBER - 1, number);
}

/* Numbers with commas between. A device's name may hold commas too, but is no list of numbers. */
static bool device_is_list(const char *text, struct device_list *w)
{
    if (strspn(text, "0123456789,") != strlen(text) || !strchr(text, ','))
        return false;
    while (*text) {
        char number[DEVICE_NUMBER];
        const size_t n = strcspn(text, ",");
        if (!n || n >= sizeof number)
            return false;
        snprintf(number, sizeof number, "%.*s", (int)n, text);
        device_add(w, number);
        text += n;
        if (*text == ',' && !*++text)
            return false;
    }
    return true;
}

static void device_add_real(void *opaque, const struct executor_device *device)
{
    char number[DEVICE_NUMBER];
    snprintf(number, sizeof number, "%u", device->number);
    if (device->usable && !device->software)
        device_add(opaque, number);
}

/* For a backend that has one device. */
static int device_only_first(const struct device_list *w, const struct executor_ops *ops, struct assay_error *e)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (strspn(w->number[i], "0") != strlen(w->number[i]))
            return assay_fail(e, ASSAY_EDEVICE, "%s: no device %s: there is only 0", ops->name, w->number[i]);
    return ASSAY_OK;
}

static int device_find(struct device_list *w, const struct executor_ops *ops, const char *device, struct assay_error *e)
{
    *w = (struct device_list){0};
    if (ops->missing)
        return assay_fail(e, ASSAY_EDEVICE, "%s", ops->missing);
    if (!device || (strcmp(device, "all") && !device_is_list(device, w))) {
        w->count = 0;
        return ASSAY_OK;
    }
    if (!strcmp(device, "all") && ops->list) {
        TRY(ops->list(device_add_real, w, e));
        if (!w->count)
            return assay_fail(e, ASSAY_EDEVICE,
                              "%s: no GPU for '--device all'; software devices are taken when they are named",
                              ops->name);
    } else if (!w->count) {
        device_add(w, "0");
    }
    TRY(ops->list ? ASSAY_OK : device_only_first(w, ops, e));
    return w->too_many ? assay_fail(e, ASSAY_EUSAGE, "more than %d devices", DEVICE_LIST) : ASSAY_OK;
}

struct search {
    const char *want;
    unsigned number;
    bool found;
};

static void device_compare(void *opaque, const struct executor_device *device)
{
    struct search *s = opaque;
    if (s->found || !device_name_matches(s->want, device->number, device->name))
        return;
    s->found = true;
    s->number = device->number;
}

/* Asks the executor whether it has a device that is in no list. It says in its own message which it has. */
static int device_ask(const struct executor_ops *ops, const char *device, struct assay_error *e)
{
    const struct executor_config config = {.device = device};
    struct executor *x;
    TRY(ops->open(&x, &config, e));
    x->ops->close(&x);
    return ops->list /* where the device has appeared since */
        ? assay_fail(e, ASSAY_EDEVICE, "%s: no device '%s'", ops->name, device) : ASSAY_OK;
}

int executor_named(const struct executor_ops *ops, const char *device, unsigned *count, unsigned *first,
                   struct assay_error *e)
{
    struct device_list w;
    struct search s = {.want = device, .found = !device};
    *count = 1;
    *first = 0;
    int rc = device_find(&w, ops, device, e);
    if (!rc && w.count) {
        *count = w.count;
        s.want = w.number[0];
    }
    if (!rc && !s.found && ops->list)
        rc = ops->list(device_compare, &s, e);
    if (!rc && !s.found)
        rc = device_ask(ops, s.want, e);
    *first = s.number;
    return rc;
}

int executor_open(struct executor **out, const struct executor_ops *ops, const struct executor_config *config,
                  struct assay_error *e)
{
    struct device_list w;
    struct executor_config one = *config;
    *out = NULL;
    TRY(device_find(&w, ops, config->device, e));
    w.groups = ops->groups && !config->device;
    for (uint32_t n = w.groups ? ops->groups(config) : 0; n; n--)
        device_add(&w, "0");
    if (w.count > 1)
        return multi_open(out, ops, config, &w, e);
    if (w.count == 1)
        one.device = w.number[0];
    return ops->open(out, &one, e);
}
