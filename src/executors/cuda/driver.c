/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cuda/driver.h"

#include <stdlib.h>

#include "host/late.h"

static const char *cu_library_name(void)
{
#ifdef ASSAY_TEST_DRIVER
    const char *name = getenv("ASSAY_CUDA_DRIVER");
    if (name && *name)
        return name;
#endif
    return LATE_SYSTEM("libcuda.so.1", "nvcuda.dll");
}

int cu_driver_open(struct cu_driver *d, struct assay_error *e)
{
    void *const library = dlopen(cu_library_name(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return assay_fail(e, ASSAY_EDEVICE, "CUDA: no driver (%s can't be opened)", cu_library_name());
#define LOAD(name, symbol, parameters) \
    if (!late_find(library, symbol, &d->name)) \
        return assay_fail(e, ASSAY_EDEVICE, "CUDA: the driver lacks %s; version 12.0 or newer is needed", symbol);
    CU_EACH_FUNCTION(LOAD)
#undef LOAD
    int version = 0;
    TRY(cu_check(d, d->init(0), "starting the driver", e));
    TRY(cu_check(d, d->driver_version(&version), "asking for the driver's version", e));
    if (version < CU_MINIMAL_DRIVER)
        return assay_fail(e, ASSAY_EDEVICE, "CUDA: the driver is for CUDA %d.%d; 12.0 or newer is needed",
                          version / 1000, version % 1000 / 10);
    return ASSAY_OK;
}

int cu_check(const struct cu_driver *d, cu_result r, const char *what, struct assay_error *e)
{
    const char *name = NULL, *text = NULL;
    if (!r)
        return ASSAY_OK;
    if (d->error_name(r, &name) || !name)
        name = "unknown error";
    if (d->error_text(r, &text) || !text)
        text = "no description";
    return assay_fail(e, ASSAY_EDEVICE, "CUDA: %s failed: %s (%d), %s", what, name, r, text);
}
