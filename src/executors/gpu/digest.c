/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/digest.h"

#include <stdlib.h>
#include <string.h>

#include "host/digest.h"

uint64_t gpu_digest_module(enum module_name name)
{
    const struct module *module = module_opened(name);
    uint64_t digest = module ? module->digest : 0;
    const char *limits = getenv("ASSAY_GPU_LIMITS");
    if (limits && strcmp(limits, "full"))
        digest = digest_more(digest, limits, strlen(limits));
    return digest;
}
