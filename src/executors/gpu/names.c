/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/names.h"

#include <stdio.h>
#include <string.h>

void gpu_names_add(struct gpu_names *names, unsigned number, const char *name)
{
    const size_t at = strlen(names->text);
    snprintf(names->text + at, sizeof names->text - at, "%s%u is '%.80s'", at ? ", " : "", number, name);
}

/* A decimal number, or -1. */
static long as_number(const char *text)
{
    long n = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || n > 1000)
            return -1;
        n = n * 10 + (*c - '0');
    }
    return *text ? n : -1;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool contains(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

bool gpu_name_matches(const char *want, unsigned number, const char *name)
{
    const long n = as_number(want);
    return n >= 0 ? n == (long)number : contains(name, want);
}
