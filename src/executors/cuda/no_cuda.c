/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA executor of a build without CUDA kernels. */
#include "executors/cuda/cuda.h"

static int cuda_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    *out = NULL;
    (void)config;
    return assay_fail(e, ASSAY_EDEVICE, "CUDA: this build has no kernels for it, because nvcc was absent or left out (-Dcuda) "
                      "when it was made");
}

const struct executor_ops executor_cuda = {.name = "cuda", .open = cuda_open};
