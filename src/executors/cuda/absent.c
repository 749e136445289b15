/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA executor of a build without it. */
#include "executors/executor.h"

const struct executor_ops executor_cuda = {
    .name = "cuda",
    .missing = "CUDA: this build has no kernels for it, because nvcc was absent or left out (-Dcuda) when it was made"};
