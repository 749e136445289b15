/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long checks, failures;

void check(bool ok, const char *what)
{
    checks++;
    if (!ok) {
        failures++;
        fprintf(stderr, "failed: %s\n", what);
    }
}

int checked(void)
{
    printf("%lu checks, %lu failed\n", checks, failures);
    return failures || !checks;
}

void checks_skip(const char *why)
{
    const char *ci = getenv("CI");
    fprintf(stderr, "%s\n", why);
    exit(ci && !strcmp(ci, "true") ? 1 : 77);
}

static assay_gpu *opened(int rc, assay_gpu *gpu, const char *error)
{
    if (rc) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    printf("%s, %s\n", assay_gpu_device(gpu), assay_gpu_driver(gpu));
    return gpu;
}

assay_gpu *checks_vulkan(const assay_vulkan *handles)
{
    assay_gpu *gpu;
    char error[512] = "";
    const int rc = assay_gpu_open_vulkan(&gpu, handles, error, sizeof error);
    return opened(rc, gpu, error);
}

assay_gpu *checks_opengl(const assay_opengl *handles)
{
    assay_gpu *gpu;
    char error[512] = "";
    const int rc = assay_gpu_open_opengl(&gpu, handles, error, sizeof error);
    return opened(rc, gpu, error);
}
