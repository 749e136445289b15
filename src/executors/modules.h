/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the modules (kernels/module.h) of this build when a device asks for them. Once opened, they stay. */
#ifndef ASSAY_EXECUTORS_MODULES_H
#define ASSAY_EXECUTORS_MODULES_H

#include "host/error.h"
#include "kernels/module.h"

enum module_name { MODULE_CUDA, MODULE_VULKAN, MODULE_OPENGL, MODULE_SYCL, MODULES };

/* The module of that name. ASSAY_EDEVICE with one line when there is none, or when it is of another build than this.
 * The dynamic linker looks for it in LD_LIBRARY_PATH, then beside the library (programs of a build folder: in that
 * folder), then where it looks for every library. Any thread may call it. */
int module_open(enum module_name name, const struct module **out, struct assay_error *e);

/* What module_open gave for it, NULL before. */
const struct module *module_opened(enum module_name name);
/* executor_ops.modules: of its code, and of ASSAY_GPU_LIMITS, which restricts what of it is taken. */
uint64_t module_digest(enum module_name name);

#endif
