/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/json.h"

#include <stdbool.h>

/* A comma ends each value of a list or an object but the last one, and a bracket begins it. */
static size_t count_values(const char *text, size_t size)
{
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            i += c == '\\';
        else
            values += c == ',' || c == '[' || c == '{';
    }
    return values;
}

int json_bounded(const char *path, const char *text, size_t size, struct assay_error *e)
{
    const size_t values = count_values(text, size);
    if (values > JSON_VALUES_MOST)
        return assay_fail(e, ASSAY_EINPUT, "%s: has more than %d values", path, JSON_VALUES_MOST);
    return values > JSON_VALUES_SMALL && values > size / JSON_BYTES_A_VALUE
        ? assay_fail(e, ASSAY_EINPUT, "%s: has more than one value for every %d bytes", path, JSON_BYTES_A_VALUE)
        : ASSAY_OK;
}
