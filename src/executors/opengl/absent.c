/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenGL executor of a build without it. */
#include "executors/executor.h"

const struct executor_ops executor_opengl = {
    .name = "opengl",
    .missing = "OpenGL: this build has no kernels for it, because glslc, spirv-cross or the EGL and OpenGL "
               "headers were absent or left out (-Dopengl) when it was made"};
