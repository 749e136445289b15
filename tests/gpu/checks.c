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

assay_gpu *checks_open(assay_gpu_handles handles)
{
    assay_gpu *gpu;
    char error[512] = "";
    if (assay_gpu_open(&gpu, &handles, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    printf("%s, %s\n", assay_gpu_device(gpu), assay_gpu_driver(gpu));
    return gpu;
}
