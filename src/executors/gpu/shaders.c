/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/shaders.h"

#include <stdlib.h>
#include <string.h>

enum {
    MINIMAL_SHARED_BYTES = 16384,
    MINIMAL_THREADS = 128,
    MINIMAL_GROUPS = 65535,
    MINIMAL_BINDING = 128 << 20,
};

int gpu_limits_from_environment(struct gpu_limits *limits, struct assay_error *e)
{
    const char *text = getenv("ASSAY_GPU_LIMITS");
    if (!text || !*text || !strcmp(text, "full"))
        return ASSAY_OK;
    if (strcmp(text, "minimal"))
        return assay_fail(e, ASSAY_EUSAGE, "ASSAY_GPU_LIMITS is 'minimal' or 'full', not '%s'", text);
    limits->plane_bytes = limits->binding_bytes = MINIMAL_BINDING;
    limits->shared_bytes = MINIMAL_SHARED_BYTES;
    limits->threads = MINIMAL_THREADS;
    limits->groups[0] = limits->groups[1] = MINIMAL_GROUPS;
    limits->full = false;
    limits->minimal = true;
    return ASSAY_OK;
}

int gpu_shaders_open(struct gpu_limits *limits, enum module_name name, struct assay_error *e)
{
    const struct module *module;
    const int rc = module_open(name, &module, e);
    limits->shaders = rc ? NULL : module->content;
    return rc;
}

static bool gpu_shader_fits(const struct shader *s, enum shader_kind kind, const struct gpu_limits *limits)
{
    return s->shared_bytes <= limits->shared_bytes && s->threads <= limits->threads &&
           (kind == SHADER_MIN || limits->full);
}

int gpu_find_shader(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out, struct assay_error *e)
{
    for (enum shader_kind kind = SHADER_KINDS; kind-- > SHADER_MIN;) {
        const struct shader *s = &limits->shaders->shader[kind][kernel];
        *out = (struct gpu_kernel){.shader = s, .tile_w = s->tile_w, .tile_h = s->tile_h, .threads = s->threads};
        if (gpu_shader_fits(s, kind, limits))
            return ASSAY_OK;
    }
    return assay_fail(e, ASSAY_EDEVICE, "kernel %s needs %u bytes of shared memory and %u invocations per workgroup; "
                      "the device has %u and %u", assay_kernel_info[kernel].name, out->shader->shared_bytes,
                      out->threads,
                      limits->shared_bytes, limits->threads);
}
