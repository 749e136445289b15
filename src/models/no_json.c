/* SPDX-License-Identifier: BSD-2-Clause */
/* A build of the library alone (-Dcore_only=true) reads no JSON. */
#include "models/model.h"

int model_parse(struct model **out, const char *path, const char *text, size_t size, struct assay_error *e)
{
    (void)text;
    (void)size;
    *out = NULL;
    return assay_fail(e, ASSAY_EUSAGE, "%s: this build of assay has built-in models alone and reads no JSON", path);
}

int model_members(const char *path, const char *name, model_member *take, void *opaque, struct assay_error *e)
{
    (void)name;
    (void)take;
    (void)opaque;
    return assay_fail(e, ASSAY_EUSAGE, "%s: this build of assay reads no JSON", path);
}
