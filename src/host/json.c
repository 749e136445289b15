/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/json.h"

#include <stdbool.h>
#include <string.h>

/* A comma ends each value of a list or an object but the last one, and a bracket begins it. Sets `nul` where the text
 * has a NUL, or the escape of one. */
static size_t count_values(const char *text, size_t size, bool *nul)
{
    static const char escape[] = "\\u0000";
    const size_t n = sizeof escape - 1;
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        *nul = *nul || !c || (size - i >= n && !memcmp(text + i, escape, n));
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
    bool nul = false;
    const size_t values = count_values(text, size, &nul);
    if (nul) /* a parser's string would end there, and two names could be one */
        return assay_fail(e, ASSAY_EINPUT, "%s: has a character of the number 0", path);
    if (values > JSON_VALUES_MOST)
        return assay_fail(e, ASSAY_EINPUT, "%s: has more than %d values", path, JSON_VALUES_MOST);
    return values > JSON_VALUES_SMALL && values > size / JSON_BYTES_A_VALUE
        ? assay_fail(e, ASSAY_EINPUT, "%s: has more than one value for every %d bytes", path, JSON_BYTES_A_VALUE)
        : ASSAY_OK;
}
