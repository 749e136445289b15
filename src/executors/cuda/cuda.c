/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cuda/cuda.h"

#include "executors/cuda/slot.h"
#include "executors/gpu/digest.h"

/* A frame is waited for and memory is given back without the context, too: as far as the driver
 * allows, the rest goes with it. */
static int cuda_run(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque, struct assay_error *e)
{
    const struct cu_gpu *gpu = (const struct cu_gpu *)d;
    struct assay_error unread = {0};
    const int entered = cu_enter(gpu, e);
    if (entered && urgency == GPU_OR_FAIL)
        return entered;
    const int rc = work(opaque, entered ? &unread : e);
    if (!entered)
        cu_leave(gpu);
    return entered ? entered : rc;
}

static void cuda_close(struct gpu_device **out)
{
    struct cu_gpu *gpu = (struct cu_gpu *)*out;
    *out = NULL;
    cu_gpu_close(&gpu);
}

static int cuda_free_bytes(struct gpu_device *d, uint64_t *bytes, struct assay_error *e)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    size_t room = 0, total = 0;
    const cu_result r = driver->memory_info(&room, &total);
    *bytes = room;
    return r ? cu_fail(driver, r, "asking for the free memory", e) : ASSAY_OK;
}

static int cuda_find_kernel(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out,
                            struct assay_error *e)
{
    const struct kernel_schedule *s = &assay_kernel_info[kernel].schedule[TARGET_GPU];
    (void)limits, (void)e;
    *out = (struct gpu_kernel){.tile_w = s->tile_w, .tile_h = s->tile_h, .threads = s->threads};
    return ASSAY_OK;
}

static int cuda_no_flush(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e)
{
    (void)d, (void)b, (void)e; /* page-locked memory is coherent */
    return ASSAY_OK;
}

static int cuda_prepare(struct gpu_device *d, struct assay_error *e)
{
    for (graph_pass p = 0; p < d->graph->passes; p++)
        TRY(cu_load_kernel((struct cu_gpu *)d, d->graph->pass[p].kernel, e));
    return ASSAY_OK;
}

const struct gpu_device_ops cu_device_ops = {
    .api = "CUDA", .run = cuda_run, .close = cuda_close, .free_bytes = cuda_free_bytes, .kernel = cuda_find_kernel,
    .buffer_create = cu_buffer_create, .buffer_destroy = cu_buffer_destroy, .flush = cuda_no_flush,
    .invalidate = cuda_no_flush, .prepare = cuda_prepare, .slot_create = cu_slot_create,
    .slot_destroy = cu_slot_destroy, .begin = cu_begin, .copy = cu_copy, .clear = cu_clear, .dispatch = cu_dispatch,
    .barrier = cu_barrier, .follow = cu_follow, .mark = cu_mark, .end = cu_end, .submit = cu_submit, .wait = cu_wait,
    .finish = cu_finish, .times = cu_times, .bring = cu_bring, .take = cu_take,
};

static int cuda_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    struct cu_gpu *gpu;
    *out = NULL;
    TRY(cu_gpu_open(&gpu, config->device, e));
    return gpu_executor_open(out, &executor_cuda, &gpu->base, e);
}

static int cuda_adopt(struct executor **out, const struct image_device *lent, struct assay_error *e)
{
    struct cu_gpu *gpu;
    *out = NULL;
    TRY(cu_gpu_adopt(&gpu, lent->cuda.context, e));
    return gpu_executor_open(out, &executor_cuda, &gpu->base, e);
}

static const char *cuda_needs(void)
{
    const struct module *module = module_opened(MODULE_CUDA);
    return module ? ((const struct cuda_images *)module->content)->needs : NULL;
}

static uint64_t cuda_modules(void)
{
    return gpu_digest_module(MODULE_CUDA);
}

static const struct image_ops cuda_images = {.adopt = cuda_adopt, .submit = gpu_executor_submit_images};

const struct executor_ops executor_cuda = {
    .name = "cuda", .open = cuda_open, GPU_EXECUTOR_OPS, .take = gpu_executor_take, .needs = cuda_needs,
    .modules = cuda_modules, .list = cu_gpu_list, .images = &cuda_images,
};
