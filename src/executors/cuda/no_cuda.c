/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA executor of a build without CUDA kernels. */
#include "executors/cuda/cuda.h"

static int absent(struct assay_error *e)
{
    return assay_fail(e, ASSAY_EDEVICE, "CUDA: this build has no kernels for it, because nvcc was absent or left out (-Dcuda) "
                      "when it was made");
}

static int cuda_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    *out = NULL;
    (void)config;
    return absent(e);
}

static int cuda_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e)
{
    (void)show;
    (void)opaque;
    return absent(e);
}

const struct executor_ops executor_cuda = {.name = "cuda", .open = cuda_open, .list = cuda_list};
