/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/memory.h"

#include <stdlib.h>

int gpu_memory_from_environment(uint64_t *bytes, struct assay_error *e)
{
    *bytes = UINT64_MAX;
    const char *text = getenv("ASSAY_GPU_MEMORY");
    if (!text || !*text)
        return ASSAY_OK;
    uint64_t mib = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || mib > UINT32_MAX)
            return assay_fail(e, ASSAY_EUSAGE, "ASSAY_GPU_MEMORY is a number of MiB, not '%s'", text);
        mib = mib * 10 + (uint64_t)(*c - '0');
    }
    *bytes = mib << 20;
    return ASSAY_OK;
}
