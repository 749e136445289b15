/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/memory.h"

#include <stdlib.h>
#include <string.h>

#include "host/numbers.h"

int gpu_memory_from_environment(uint64_t *bytes, struct assay_error *e)
{
    *bytes = UINT64_MAX;
    const char *text = getenv("ASSAY_GPU_MEMORY");
    uint64_t mib;
    if (!text || !*text)
        return ASSAY_OK;
    if (!parse_whole(text, strlen(text), UINT32_MAX * UINT64_C(10) + 9, &mib))
        return assay_fail(e, ASSAY_EUSAGE, "ASSAY_GPU_MEMORY is a number of MiB, not '%s'", text);
    *bytes = mib << 20;
    return ASSAY_OK;
}
