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

/* Compiles the text of a kernel to the device's code, keeps and loads it. */
static cu_result cu_compile(struct cu_gpu *gpu, const struct compile_kernel *k, cu_module *module, char log[LOG_BYTES])
{
    const struct cu_driver *d = &gpu->driver;
    int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)LOG_BYTES}, *code = NULL;
    size_t bytes = 0;
    cu_link link;
    cu_result r = d->link_create(2, options, values, &link);
    if (r)
        return r;
    if (!(r = d->link_add(link, CU_JIT_PTX, k->code, k->bytes, k->name, 0, NULL, NULL)))
        r = d->link_complete(link, &code, &bytes);
    if (!r && !(r = d->module_load(module, code, 0, NULL, NULL)))
        compile_save(k, code, bytes);
    d->link_destroy(link); /* frees the code */
    return r;
}

static int cu_load_ptx(struct cu_gpu *gpu, unsigned kernel, const char *name, struct assay_error *e)
{
    char log[LOG_BYTES] = "", *text = cu_cut_ptx(gpu->images->ptx, name);
    if (!text)
        return assay_fail(e, ASSAY_EINTERNAL, "CUDA: no memory for kernel %s, or this build lacks it", name);
    const struct compile_kernel k = {&gpu->base, assay_kernel_info[kernel].name, text, strlen(text) + 1};
    cu_module *const module = &gpu->kernels.single[kernel];
    size_t bytes;
    void *const kept = compile_load(&k, &bytes);
    cu_result r = kept ? gpu->driver.module_load(module, kept, 0, NULL, NULL) : 0;
    if (!kept || r)
        r = cu_compile(gpu, &k, module, log);
    free(kept);
    free(text);
    if (!r)
        return ASSAY_OK;
    *module = NULL;
    log[strcspn(log, "\n")] = '\0';
    char what[NAME_BYTES + 160];
    snprintf(what, sizeof what, "loading kernel %.80s %s%.120s%s", name, log[0] ? "[" : "", log, log[0] ? "]" : "");
    return cu_fail(&gpu->driver, r, what, e);
}

/* Finished code is taken once. A device or a driver that can't use it gets PTX; that is no failure. */
static void cu_try_whole(struct cu_gpu *gpu)
{
    struct cu_kernels *k = &gpu->kernels;
    if (!k->whole_tried && gpu->images->fatbin_bytes &&
        gpu->driver.module_load(&k->whole, gpu->images->fatbin, 0, NULL, NULL))
        k->whole = NULL;
    k->whole_tried = true;
}

int cu_load_kernel(struct cu_gpu *gpu, unsigned kernel, struct assay_error *e)
{
    struct cu_kernels *k = &gpu->kernels;
    if (k->function[kernel])
        return ASSAY_OK;
    char name[NAME_BYTES];
    snprintf(name, sizeof name, CUDA_KERNEL_PREFIX "%s", assay_kernel_info[kernel].name);
    cu_try_whole(gpu);
    if (!k->whole && !k->single[kernel])
        TRY(cu_load_ptx(gpu, kernel, name, e));
    const cu_result r = gpu->driver.module_function(&k->function[kernel], k->whole ? k->whole : k->single[kernel],
                                                    name);
    if (!r)
        return ASSAY_OK;
    k->function[kernel] = NULL;
    return cu_fail(&gpu->driver, r, "finding a kernel", e);
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
    struct cu_gpu *gpu = (struct cu_gpu *)d;
    cu_try_whole(gpu);
    return compile_all(d, !gpu->kernels.whole, cu_load_one, e);
}
