/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/configuration.h"

#include <string.h>

bool configuration_next(const char **at, struct configuration_entry *x)
{
    if (!**at)
        return false;
    *x = (struct configuration_entry){*at, strcspn(*at, ","), strcspn(*at, "=,")};
    *at += x->length + ((*at)[x->length] == ',');
    return true;
}

bool configuration_same(const struct configuration_entry *a, const struct configuration_entry *b)
{
    return a->length == b->length && !strncmp(a->text, b->text, a->length);
}

bool configuration_same_metric(const struct configuration_entry *a, const struct configuration_entry *b)
{
    return a->name == b->name && !strncmp(a->text, b->text, a->name);
}

bool configuration_has(const char *configuration, const struct configuration_entry *x,
                       struct configuration_entry *other)
{
    struct configuration_entry y;
    *other = (struct configuration_entry){0};
    while (configuration_next(&configuration, &y)) {
        if (configuration_same(x, &y))
            return true;
        if (configuration_same_metric(x, &y))
            *other = y;
    }
    return false;
}
