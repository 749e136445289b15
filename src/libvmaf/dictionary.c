/* SPDX-License-Identifier: BSD-2-Clause */
#include "libvmaf/dictionary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/error.h"
#include "host/numbers.h"
#include "host/text.h"

static struct dictionary_entry *find(const VmafFeatureDictionary *d, const char *key)
{
    for (unsigned i = 0; d && i < d->count; i++)
        if (!strcmp(d->entry[i].key, key))
            return &d->entry[i];
    return NULL;
}

/* Adds an entry without a value. NULL: there is no memory. */
static struct dictionary_entry *add(VmafFeatureDictionary *d, const char *key)
{
    char *copy = assay_grow(&d->entry, d->count, sizeof *d->entry, key, NULL) ? NULL : strdup(key);
    if (!copy)
        return NULL;
    d->entry[d->count] = (struct dictionary_entry){.key = copy};
    return &d->entry[d->count++];
}

int dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *value)
{
    VmafFeatureDictionary *made = NULL;
    char *copy = strdup(value);
    if (copy && !*dict)
        *dict = made = calloc(1, sizeof *made);
    struct dictionary_entry *entry = copy && *dict ? find(*dict, key) : NULL;
    if (copy && *dict && !entry)
        entry = add(*dict, key);
    if (!entry) {
        free(copy);
        if (made)
            vmaf_feature_dictionary_free(dict);
        return -ENOMEM;
    }
    free(entry->value);
    entry->value = copy;
    return 0;
}

int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *val)
{
    char number[NUMBER_TEXT_SIZE], plain[64];
    double v;
    if (!dict || !key || !val)
        return -EINVAL;
    const char *from = val + strspn(val, " \t\n\v\f\r");
    from += *from == '+';
    const size_t n = strcspn(from, " \t\n\v\f\r");
    if (n < sizeof plain && !from[n + strspn(from + n, " \t\n\v\f\r")]) {
        memcpy(plain, from, n);
        plain[n] = 0;
        if (parse_number(plain, &v)) { /* libvmaf keeps a float, printed with 6 digits */
            text_set(number, sizeof number, "%g", (double)(float)v);
            val = number;
        }
    }
    return dictionary_set(dict, key, val);
}

int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict)
{
    if (!dict)
        return -EINVAL;
    for (unsigned i = 0; *dict && i < (*dict)->count; i++) {
        free((*dict)->entry[i].key);
        free((*dict)->entry[i].value);
    }
    if (*dict)
        free((*dict)->entry);
    free(*dict);
    *dict = NULL;
    return 0;
}

int text_grow(char **text, const char *format, ...)
{
    va_list args;
    const size_t used = *text ? strlen(*text) : 0;
    va_start(args, format);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *larger = n < 0 ? NULL : realloc(*text, used + (size_t)n + 1);
    if (!larger)
        return -ENOMEM;
    *text = larger;
    va_start(args, format);
    vsnprintf(larger + used, (size_t)n + 1, format, args);
    va_end(args);
    return 0;
}
