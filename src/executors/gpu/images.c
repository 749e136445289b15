/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/images.h"

#include "executors/open.h"

int executor_adopt(struct executor **out, const struct image_device *device, struct assay_error *e)
{
    static const char *const names[] = {[IMAGE_VULKAN] = "vulkan", [IMAGE_OPENGL] = "opengl", [IMAGE_CUDA] = "cuda",
                                        [IMAGE_SYCL] = "sycl"};
    const struct executor_ops *ops = executor_find(names[device->api]); /* each build has all four */
    *out = NULL;
    return ops->missing ? assay_fail(e, ASSAY_EDEVICE, "%s", ops->missing) : ops->images->adopt(out, device, e);
}

int executor_ready(struct executor *x, struct assay_error *e)
{
    return x->ops->images->ready ? x->ops->images->ready(x, e) : ASSAY_OK;
}

int executor_can_share(struct executor *x, struct executor *from, struct assay_error *e)
{
    if (!x->ops->images->can_share || !from->ops->images->is_device)
        return assay_fail(e, ASSAY_EDEVICE, "%s takes no images of %s", x->ops->name, from->ops->name);
    return x->ops->images->can_share(x, from, e);
}
