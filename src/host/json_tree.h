/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON that is read, as a tree of cJSON. The library's core alone has none, so this is no part of host/json.c. */
#ifndef ASSAY_HOST_JSON_TREE_H
#define ASSAY_HOST_JSON_TREE_H

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

#include "host/json.h"
#include "host/system.h"

/* A member of an object; NULL where it has none by this name. */
#define JSON_GET(object, name) cJSON_GetObjectItemCaseSensitive(object, name)

/* Reads the value that a text has. *end: behind it and the blanks that follow, or what is no JSON, where *root is NULL
 * and there is no failure. A failure is what json_bounded refuses, or a lack of memory. */
static inline int json_tree(cJSON **root, const char *path, const char *text, size_t size, const char **end,
                            struct assay_error *e)
{
    *root = NULL;
    *end = text;
    TRY(json_bounded(path, text, size, e));
    const struct c_locale before = c_locale_enter(); /* numbers are read by strtod, whose point is the locale's */
    errno = 0;
    *root = cJSON_ParseWithLengthOpts(text, size, end, false);
    const bool no_memory = !*root && errno == ENOMEM; /* cJSON reports both as NULL */
    c_locale_leave(before);
    while (*root && *end < text + size && **end && strchr(" \n\r\t", **end))
        ++*end;
    return no_memory ? assay_fail_memory(e, "what a file says") : ASSAY_OK;
}

#endif
