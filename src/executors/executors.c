/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/cpu.h"

const struct executor_ops *const assay_executors[] = {
    &executor_cpu,
    NULL,
};
