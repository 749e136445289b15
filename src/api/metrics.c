/* SPDX-License-Identifier: BSD-2-Clause */
/* What needs no session: the version, metrics and their options, models, devices. */
#include <string.h>

#include "api/api.h"
#include "engine/devices.h"
#include "host/numbers.h"
#include "metrics/options.h"

const char *assay_version(void)
{
    return ASSAY_VERSION;
}

/* ---- metrics ---- */

static const struct metric_ops *metric_at(uint32_t index)
{
    uint32_t i = 0;
    while (i < index && assay_metrics[i])
        i++;
    return assay_metrics[i];
}

uint32_t assay_metric_find(const char *name)
{
    const struct metric_ops *m = name ? metric_find(name, strcspn(name, "=")) : NULL;
    for (uint32_t i = 0; m && assay_metrics[i]; i++)
        if (assay_metrics[i] == m)
            return i;
    return ASSAY_NONE;
}

const char *assay_metric_name(uint32_t metric) { return metric_at(metric) ? metric_at(metric)->name : NULL; }
const char *assay_metric_summary(uint32_t metric) { return metric_at(metric) ? metric_at(metric)->summary : NULL; }

int assay_metric_of_colour(uint32_t metric) { return metric_at(metric) && metric_at(metric)->of_colour; }

int assay_metric_slow(uint32_t metric) { return metric_at(metric) && metric_at(metric)->slow; }

int assay_metric_of_light(uint32_t metric) { return metric_at(metric) && metric_at(metric)->of_light; }

int assay_metric_output(uint32_t metric, uint32_t index, assay_output *output)
{
    const struct metric_ops *m = metric_at(metric);
    if (!m || index >= m->n_outputs || !output)
        return ASSAY_EUSAGE;
    const struct metric_output *o = &m->outputs[index];
    *output = (assay_output){.keys = o->keys, .when = o->when, .direction = o->direction};
    return ASSAY_OK;
}

int assay_metric_option(uint32_t metric, uint32_t index, assay_option *option)
{
    static const char *const types[] = {
        [OPTION_BOOL] = "bool", [OPTION_INT] = "int", [OPTION_DOUBLE] = "double", [OPTION_CHOICE] = "choice",
        [OPTION_TEXT] = "text", [OPTION_REST] = "text"};
    const struct metric_ops *m = metric_at(metric);
    if (!m || index >= m->n_options || !option)
        return ASSAY_EUSAGE;
    const struct metric_option *o = &m->options[index];
    *option = (assay_option){.name = o->name, .alias = o->alias, .help = o->help, .type = types[o->type],
                             .least = o->min, .most = o->max};
    _Static_assert(sizeof option->fallback >= NUMBER_TEXT_SIZE, "every value fits");
    options_value(o, o->fallback, option->fallback);
    for (unsigned i = 0; o->choices && o->choices[i].name && i + 1 < sizeof option->choices / sizeof option->choices[0];
         i++)
        option->choices[i] = o->choices[i].name;
    return ASSAY_OK;
}

/* ---- devices ---- */

int assay_list_devices(const char *backend, assay_device_callback *show, void *opaque, char *error, size_t error_size)
{
    struct assay_error e = {0};
    if (show)
        devices_list(backend, show, opaque, &e);
    else
        assay_fail(&e, ASSAY_EUSAGE, "nobody to show devices to");
    return assay_answer(&e, error, error_size);
}

int assay_find_device(const char *backend, const char *device, unsigned *count, unsigned *first, char *error,
                      size_t error_size)
{
    struct assay_error e = {0};
    if (backend && count && first)
        devices_named(backend, device, count, first, &e);
    else
        assay_fail(&e, ASSAY_EUSAGE, "a device is looked for within a backend");
    return assay_answer(&e, error, error_size);
}

