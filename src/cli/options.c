/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include <stdbool.h>
#include <string.h>

static bool same_name(const char *given, size_t length, const char *name)
{
    if (strlen(name) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((given[i] == '_' ? '-' : given[i]) != name[i])
            return false;
    return true;
}

int option_find(const struct option_name *names, size_t n, const char *argument, const char **value)
{
    const bool is_long = argument[1] == '-';
    const size_t length = is_long ? strcspn(argument, "=") : 2;
    *value = argument[length] ? argument + length + (argument[length] == '=') : NULL;
    for (size_t i = 0; i < n; i++)
        if (is_long ? same_name(argument + 2, length - 2, names[i].name)
                    : names[i].letter && argument[1] == names[i].letter)
            return names[i].id;
    return -1;
}

int option_value(int argc, char **argv, int *i, const char **value, struct assay_error *e)
{
    if (*value)
        return ASSAY_OK;
    if (*i + 1 == argc)
        return assay_fail(e, ASSAY_EUSAGE, "'%s' needs a value", argv[*i]);
    *value = argv[++*i];
    return ASSAY_OK;
}

int option_count(const char *what, const char *text, size_t n, uint64_t least, uint64_t most, uint64_t *out,
                 struct assay_error *e)
{
    uint64_t v = 0;
    size_t i = 0;
    for (; i < n && text[i] >= '0' && text[i] <= '9' && v <= (UINT64_MAX - 9) / 10; i++)
        v = v * 10 + (uint64_t)(text[i] - '0');
    if (!n || i < n || v < least || v > most)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes a whole number from %llu to %llu, not '%.*s'", what,
                          (unsigned long long)least, (unsigned long long)most, (int)n, text);
    *out = v;
    return ASSAY_OK;
}

int option_u32(const char *what, const char *text, size_t n, uint32_t least, uint32_t most, uint32_t *out,
               struct assay_error *e)
{
    uint64_t v = 0;
    TRY(option_count(what, text, n, least, most, &v, e));
    *out = (uint32_t)v;
    return ASSAY_OK;
}
