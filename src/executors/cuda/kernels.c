/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading kernels. Finished code for the device is taken when the library has some; else PTX, of which only the kernels
 * that a graph needs are cut out, because translating all of them takes seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/cuda/device.h"
#include "kernels/cuda/module.h"
#include "kernels/dialect/cuda_args.h"

enum { LOG_BYTES = 1024, NAME_BYTES = 96 };

/* The text up to the first kernel, and kernel `name` with its body, which ends with a brace at a line's start. */
static char *cu_cut_ptx(const char *ptx, const char *name)
{
    static const char begins[] = ".visible .entry ";
    char head[NAME_BYTES + sizeof begins];
    const char *const first = strstr(ptx, begins);
    snprintf(head, sizeof head, "%s%s(", begins, name);
    const char *const from = first ? strstr(first, head) : NULL;
    const char *const last = from ? strstr(from, "\n}\n") : NULL;
    if (!last)
        return NULL;
    const size_t common = (size_t)(first - ptx), own = (size_t)(last + 3 - from);
    char *text = malloc(common + own + 1);
    if (text) {
        memcpy(text, ptx, common);
        memcpy(text + common, from, own);
        text[common + own] = '\0';
    }
    return text;
}

static int cu_load_ptx(struct cu_gpu *gpu, unsigned kernel, const char *name, struct assay_error *e)
{
    char log[LOG_BYTES] = "";
    union { size_t bytes; void *value; } size = {.bytes = sizeof log};
    const int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, size.value};
    char *text = cu_cut_ptx(gpu->images->ptx, name);
    if (!text)
        return assay_fail(e, ASSAY_EINTERNAL, "CUDA: no memory for kernel %s, or this build lacks it", name);
    const cu_result r = gpu->driver.module_load(&gpu->kernels.single[kernel], text, 2, options, values);
    free(text);
    if (!r)
        return ASSAY_OK;
    gpu->kernels.single[kernel] = NULL;
    log[strcspn(log, "\n")] = '\0';
    char what[NAME_BYTES + 160];
    snprintf(what, sizeof what, "loading kernel %.80s %s%.120s%s", name, log[0] ? "[" : "", log, log[0] ? "]" : "");
    return cu_fail(&gpu->driver, r, what, e);
}

int cu_load_kernel(struct cu_gpu *gpu, unsigned kernel, struct assay_error *e)
{
    struct cu_kernels *k = &gpu->kernels;
    if (k->function[kernel])
        return ASSAY_OK;
    char name[NAME_BYTES];
    snprintf(name, sizeof name, CUDA_KERNEL_PREFIX "%s", assay_kernel_info[kernel].name);
    /* A device or a driver that can't use the finished code gets PTX; that is no failure. */
    if (!k->whole_tried && gpu->images->fatbin_bytes &&
        gpu->driver.module_load(&k->whole, gpu->images->fatbin, 0, NULL, NULL))
        k->whole = NULL;
    k->whole_tried = true;
    cu_module module = k->whole;
    if (!module) {
        const int rc = cu_load_ptx(gpu, kernel, name, e);
        if (rc)
            return rc;
        module = k->single[kernel];
    }
    const cu_result r = gpu->driver.module_function(&k->function[kernel], module, name);
    if (!r)
        return ASSAY_OK;
    k->function[kernel] = NULL;
    return cu_fail(&gpu->driver, r, "finding a kernel", e);
}
