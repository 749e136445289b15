/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/modules.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/digest.h"
#include "host/late.h"
#include "kernels_digest.h"

#define STRING(s) STRING_(s)
#define STRING_(s) #s

static const struct {
    const char *device, *file;
} names[MODULES] = {
    [MODULE_CUDA] = {"CUDA", LATE_MODULE("cuda")},
    [MODULE_VULKAN] = {"Vulkan", LATE_MODULE("vulkan")},
    [MODULE_OPENGL] = {"OpenGL", LATE_MODULE("opengl")},
    [MODULE_SYCL] = {"SYCL", LATE_MODULE("sycl")},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct module *opened[MODULES];

static int module_load(enum module_name name, const struct module **out, struct assay_error *e)
{
    void *const library = dlopen(names[name].file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        return assay_fail(e, ASSAY_EDEVICE, "%s: this build has no %s, which holds the kernels for it (`make` builds "
                          "it): %s", names[name].device, names[name].file, reason ? reason : "no reason given");
    }
    const struct module *const module = dlsym(library, STRING(MODULE_SYMBOL));
    if (!module || module->kernels != KERNEL_DIGEST) {
        dlclose(library);
        return assay_fail(e, ASSAY_EDEVICE, "%s: %s is refused, it is of another build of assay than this one",
                          names[name].device, names[name].file);
    }
    *out = module;
    return ASSAY_OK;
}

int module_open(enum module_name name, const struct module **out, struct assay_error *e)
{
    int rc = ASSAY_OK;
    pthread_mutex_lock(&lock);
    if (!opened[name])
        rc = module_load(name, &opened[name], e);
    *out = opened[name];
    pthread_mutex_unlock(&lock);
    return rc;
}

const struct module *module_opened(enum module_name name)
{
    pthread_mutex_lock(&lock);
    const struct module *const module = opened[name];
    pthread_mutex_unlock(&lock);
    return module;
}

uint64_t module_digest(enum module_name name)
{
    const struct module *const module = module_opened(name);
    const char *const limits = getenv("ASSAY_GPU_LIMITS");
    const uint64_t digest = module ? module->digest : 0;
    return limits && strcmp(limits, "full") ? digest_more(digest, limits, strlen(limits)) : digest;
}
