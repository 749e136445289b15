/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading kernels. Finished code for the device is taken when the library has some; else PTX, of which only the kernels
 * that a graph needs are cut out, because translating all of them takes seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/cuda/device.h"
#include "executors/gpu/compile.h"
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

static cu_result cu_take_kernel(struct cu_gpu *gpu, cu_library library, unsigned kernel, const char *name)
{
    cu_kernel found;
    cu_result r = gpu->driver.library_kernel(&found, library, name);
    if (!r && (r = gpu->driver.kernel_function(&gpu->kernels.function[kernel], found)))
        gpu->kernels.function[kernel] = NULL;
    return r;
}

/* As a library: driver 580 compiles the texts of libraries on all threads that ask, those of modules one at a time.
 * Its linker (cuLinkAddData) compiles on all threads, too, but to code that can be linked, which is up to 1.25 times as
 * slow. */
static int cu_load_ptx(struct cu_gpu *gpu, unsigned kernel, const char *name, struct assay_error *e)
{
    char log[LOG_BYTES] = "", *text = gpu->major >= 8 ? cu_cut_ptx(gpu->images->ptx_80, name) : NULL;
    text = text ? text : cu_cut_ptx(gpu->images->ptx, name);
    static const int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)LOG_BYTES};
    cu_library *const library = &gpu->kernels.single[kernel];
    if (!text)
        return assay_fail(e, ASSAY_EINTERNAL, "CUDA: no memory for kernel %s, or this build lacks it", name);
    cu_result r = gpu->driver.library_load(library, text, options, values, 2, NULL, NULL, 0);
    if (!r && (r = cu_take_kernel(gpu, *library, kernel, name)))
        gpu->driver.library_unload(*library);
    free(text);
    if (!r)
        return ASSAY_OK;
    *library = NULL;
    log[strcspn(log, "\n")] = '\0';
    char what[NAME_BYTES + 160];
    snprintf(what, sizeof what, "loading kernel %.80s %s%.120s%s", name, log[0] ? "[" : "", log, log[0] ? "]" : "");
    return cu_check(&gpu->driver, r, what, e);
}

/* Finished code is taken once. A device or a driver that can't use it gets PTX; that is no failure. */
static void cu_try_whole(struct cu_gpu *gpu)
{
    struct cu_kernels *k = &gpu->kernels;
    if (k->whole_tried)
        return;
    k->whole_tried = true;
    if (gpu->images->fatbin_bytes &&
        gpu->driver.library_load(&k->whole, gpu->images->fatbin, NULL, NULL, 0, NULL, NULL, 0))
        k->whole = NULL;
}

int cu_load_kernel(struct cu_gpu *gpu, unsigned kernel, struct assay_error *e)
{
    struct cu_kernels *k = &gpu->kernels;
    if (k->function[kernel])
        return ASSAY_OK;
    char name[NAME_BYTES];
    snprintf(name, sizeof name, CUDA_KERNEL_PREFIX "%s", assay_kernel_info[kernel].name);
    cu_try_whole(gpu);
    return k->whole && !cu_take_kernel(gpu, k->whole, kernel, name) ? ASSAY_OK : cu_load_ptx(gpu, kernel, name, e);
}

/* The context is current in the thread that prepares, and becomes so in the others. */
static int cu_load_one(struct gpu_device *d, graph_pass pass, struct assay_error *e)
{
    struct cu_gpu *gpu = (struct cu_gpu *)d;
    TRY(cu_enter(gpu, e));
    const int rc = cu_load_kernel(gpu, d->graph->pass[pass].kernel, e);
    cu_leave(gpu);
    return rc;
}

int cu_prepare(struct gpu_device *d, struct assay_error *e)
{
    cu_try_whole((struct cu_gpu *)d);
    return compile_all(d, true, cu_load_one, e);
}
