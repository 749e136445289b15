/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/error.h"

#include <stdlib.h>
#include <string.h>

#include "host/text.h"

int assay_fail(struct assay_error *e, int code, const char *format, ...)
{
    if (!e || e->code)
        return code;
    e->code = code;
    TEXT_GIVEN(e->text, sizeof e->text, format);
    text_plain(e->text); /* names of files and texts of reports may have line ends */
    return code;
}

int assay_fail_memory(struct assay_error *e, const char *what)
{
    return assay_fail(e, ASSAY_EINTERNAL, "out of memory for %s", what);
}

int assay_answer(const struct assay_error *e, char *error, size_t error_size)
{
    if (error && error_size)
        snprintf(error, error_size, "%s", e->text);
    return e->code;
}

int assay_grow(void *list, size_t n, size_t size, const char *what, struct assay_error *e)
{
    void *memory; /* by memcpy, as the pointer is to any type */
    if (n & (n - 1))
        return ASSAY_OK;
    memcpy(&memory, list, sizeof memory);
    memory = realloc(memory, (n ? 2 * n : 1) * size);
    if (!memory)
        return assay_fail_memory(e, what);
    memcpy(list, &memory, sizeof memory);
    return ASSAY_OK;
}
