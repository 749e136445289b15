/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/error.h"

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
