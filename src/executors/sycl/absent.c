/* SPDX-License-Identifier: BSD-2-Clause */
/* The SYCL executor of a build without it. */
#include "executors/executor.h"

const struct executor_ops executor_sycl = {
    .name = "sycl",
    .missing = "SYCL: this build has no kernels for it, because no SYCL compiler (icpx, acpp) was found or it was left "
               "out (-Dsycl) when it was made"};
