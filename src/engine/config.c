/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a session's configuration that do not depend on its pictures. */
#include <string.h>

#include "engine/devices.h"
#include "engine/session.h"
#include "executors/open.h"
#include "host/cpu.h"

int backend_named(const char *name, const struct executor_ops **out, struct assay_error *e)
{
    *out = executor_find(name);
    return *out ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "this build has no backend '%s'", name);
}

/* An instruction set has no effect on a device whose kernels are modules. */
static int check_level(const assay_config *c, const struct executor_ops *ops, struct assay_error *e)
{
    if (!c->cpu_level)
        return ASSAY_OK;
    if (cpu_level_from_name(c->cpu_level) < 0)
        return assay_fail(e, ASSAY_EUSAGE, "no instruction set is called '%s'", c->cpu_level);
    if (ops && (ops->modules || ops->missing))
        return assay_fail(e, ASSAY_EUSAGE, "the instruction set '%s' is for the CPU: the backend %s has none",
                          c->cpu_level, ops->name);
    return ASSAY_OK;
}

static int check_tile(const char *what, uint32_t size, uint32_t least, struct assay_error *e)
{
    if (!size || (size >= least && !(size & (size - 1))))
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "the %s of a tile is a power of two from %u on, not %u", what, least, size);
}

int session_check_pictures(const assay_config *c, struct assay_error *e)
{
    for (unsigned i = 0; i < sizeof c->reserved / sizeof c->reserved[0]; i++)
        if (c->reserved[i])
            return assay_fail(e, ASSAY_EUSAGE, "a reserved field of the configuration is not 0");
    if (c->rgb_matrix && !session_rgb_matrix(c->rgb_matrix))
        return assay_fail(e, ASSAY_EUSAGE, "no RGB matrix is called '%s' (bt709, bt601)", c->rgb_matrix);
    if (c->rgb_range > ASSAY_RANGE_FULL)
        return assay_fail(e, ASSAY_EUSAGE, "rgb_range is an assay_range, not %u", (unsigned)c->rgb_range);
    return ASSAY_OK;
}

int session_check_config(const assay_config *c, struct assay_error *e)
{
    const struct executor_ops *ops = NULL;
    const bool automatic = c->backend && !strcmp(c->backend, "auto");
    TRY(session_check_pictures(c, e));
    if (c->backend && !automatic)
        TRY(backend_named(c->backend, &ops, e));
    if (c->maps && !c->keep_planes)
        return assay_fail(e, ASSAY_EUSAGE, "maps are planes that are read: they need keep_planes");
    TRY(check_level(c, ops, e));
    TRY(check_tile("width", c->tile_width, 16, e));
    TRY(check_tile("height", c->tile_height, 4, e));
    if (automatic && c->device)
        return assay_fail(e, ASSAY_EUSAGE, "a device can be named when its backend is, not with auto");
    if (c->gpu_sides >> (session_encodes(c) + 1))
        return assay_fail(e, ASSAY_EUSAGE, "gpu_sides is a sum of 1 << side for sides 0 to %u, not %u",
                          session_encodes(c), c->gpu_sides);
    return ASSAY_OK;
}
