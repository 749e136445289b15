/* SPDX-License-Identifier: BSD-2-Clause */
#include "libvmaf/feature_text.h"

#include <stdlib.h>
#include <string.h>

#include "libvmaf/log.h"

const char *feature_option(uint32_t metric, const struct dictionary_entry *entry, int *rc)
{
    assay_option o;
    const char *name = NULL;
    for (uint32_t i = 0; !name && !assay_metric_option(metric, i, &o); i++)
        if (!strcmp(o.name, entry->key) || (o.alias && !strcmp(o.alias, entry->key)))
            name = o.name;
    if (!name)
        log_line(VMAF_LOG_LEVEL_WARNING, "the feature %s has no option \"%s\": it is skipped",
                 assay_metric_name(metric), entry->key);
    else if (strpbrk(entry->value, ":,"))
        *rc = log_refuse("the option %s of %s has no ':' and no ',' in its value: \"%s\"", name,
                         assay_metric_name(metric), entry->value);
    return *rc ? NULL : name;
}

/* Refuses options that metrics refuse whatever the pictures are. */
static int check(const char *text)
{
    const assay_format any = {.width = 1920, .height = 1080, .bit_depth = 8, .layout = ASSAY_LAYOUT_420};
    char error[512], *keys;
    if (assay_metric_keys(text, NULL, &any, &keys, error, sizeof error))
        return log_refuse("%s", error);
    free(keys);
    return 0;
}

int feature_metric(char **text, const char *name, const VmafFeatureDictionary *options)
{
    const uint32_t metric = assay_metric_find(name);
    *text = NULL;
    if (metric == ASSAY_NONE || strchr(name, '='))
        return log_refuse("no feature is called \"%s\"", name);
    if (metric == assay_metric_find("vmaf"))
        return log_refuse("vmaf is no feature: vmaf_model_load loads its models");
    int rc = text_grow(text, "%s", assay_metric_name(metric));
    char separator = '=';
    for (unsigned i = 0; !rc && options && i < options->count; i++) {
        const char *option = feature_option(metric, &options->entry[i], &rc);
        if (!option)
            continue;
        rc = text_grow(text, "%c%s=%s", separator, option, options->entry[i].value);
        separator = ':';
    }
    if (!rc && separator == ':')
        rc = check(*text);
    if (rc) {
        free(*text);
        *text = NULL;
    }
    return rc;
}
