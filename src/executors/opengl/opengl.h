/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenGL executor: 4.3 or later, compute shaders, no window. */
#ifndef ASSAY_EXECUTORS_OPENGL_OPENGL_H
#define ASSAY_EXECUTORS_OPENGL_OPENGL_H

#include "executors/executor.h"

extern const struct executor_ops executor_opengl;

#endif
