/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/digest.h"

#include <stdlib.h>
#include <string.h>

uint64_t gpu_digest_module(enum module_name name)
{
    const struct module *module = module_opened(name);
    uint64_t digest = module ? module->digest : 0;
    const char *limits = getenv("ASSAY_GPU_LIMITS");
    if (limits && strcmp(limits, "full"))
        for (; *limits; limits++)
            digest = (digest ^ (unsigned char)*limits) * 0x100000001b3u; /* FNV-1a */
    return digest;
}
