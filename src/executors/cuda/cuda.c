/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cuda/cuda.h"

#include <pthread.h>
#include <stdlib.h>

#include "executors/gpu/digest.h"
#include "executors/gpu/images.h"
#include "executors/gpu/memory.h"
#include "kernels/cuda/module.h"

enum { DEPTH = 8 }; /* frames in flight: uploads, kernels and the host all stay busy, and a frame or two may be late */

struct cu_executor {
    struct executor base;
    struct cu_gpu *gpu;
    struct cu_layout layout;
    struct cu_slot *slot;
    uint32_t slots;
    pthread_mutex_t loading; /* of kernels, once frames are taken from several threads */
};

static void cuda_close(struct executor **out)
{
    struct cu_executor *x = (struct cu_executor *)*out;
    if (!x)
        return;
    *out = NULL;
    const int entered = cu_enter(x->gpu, NULL); /* where that fails, device memory goes with the context */
    for (uint32_t i = 0; i < x->slots; i++)
        cu_slot_free(&x->slot[i], x->gpu);
    if (!entered)
        cu_leave(x->gpu);
    cu_gpu_close(&x->gpu);
    cu_layout_free(&x->layout);
    pthread_mutex_destroy(&x->loading);
    free(x->slot);
    free(x);
}

/* Takes the device, also when it fails. */
static int open_on(struct executor **out, struct cu_gpu *gpu, struct assay_error *e)
{
    struct cu_executor *x = calloc(1, sizeof *x);
    if (!x) {
        cu_gpu_close(&gpu);
        return assay_fail_memory(e, "the CUDA executor");
    }
    x->gpu = gpu;
    pthread_mutex_init(&x->loading, NULL);
    x->base = (struct executor){.ops = &executor_cuda, .depth = DEPTH, .keeps = true};
    snprintf(x->base.device, sizeof x->base.device, "%s", x->gpu->name);
    snprintf(x->base.driver, sizeof x->base.driver, "CUDA %d.%d", x->gpu->version / 1000, x->gpu->version % 1000 / 10);
    *out = &x->base;
    return ASSAY_OK;
}

static int cuda_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    *out = NULL;
    struct cu_gpu *gpu;
    const int rc = cu_gpu_open(&gpu, config->device, e);
    return rc ? rc : open_on(out, gpu, e);
}

int cu_executor_adopt(struct executor **out, void *context, struct assay_error *e)
{
    *out = NULL;
    struct cu_gpu *gpu;
    const int rc = cu_gpu_adopt(&gpu, context, e);
    return rc ? rc : open_on(out, gpu, e);
}

/* Looked at before any is taken, so that a frame that can't fit is named as such. */
static int check_memory(const struct cu_executor *x, uint32_t slots, struct assay_error *e)
{
    uint64_t most;
    size_t room = 0, total = 0;
    const int rc = gpu_memory_from_environment(&most, e);
    if (rc)
        return rc;
    const cu_result r = x->gpu->driver.memory_info(&room, &total);
    if (r)
        return cu_fail(&x->gpu->driver, r, "asking for the free memory", e);
    if (room > most)
        room = (size_t)most;
    const uint64_t each = x->layout.bytes ? x->layout.bytes : 1;
    if (slots <= room / each)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE, "%s: %u frames in flight need %llu MiB and %llu MiB are free: %llu would fit",
                      x->gpu->name, slots, (unsigned long long)((each * slots + (1 << 20) - 1) >> 20),
                      (unsigned long long)(room >> 20), (unsigned long long)(room / each));
}

static int cuda_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct cu_executor *x = (struct cu_executor *)base;
    int rc = cu_layout_init(&x->layout, g, e);
    if (rc)
        return rc;
    x->slot = calloc(slots, sizeof *x->slot);
    if (!x->slot)
        return assay_fail_memory(e, "the CUDA executor");
    if ((rc = cu_enter(x->gpu, e)))
        return rc;
    rc = check_memory(x, slots, e);
    while (!rc && x->slots < slots) /* close frees a slot that is half made, too */
        rc = cu_slot_init(&x->slot[x->slots++], x->gpu, &x->layout, e);
    cu_leave(x->gpu);
    return rc;
}

static void *cuda_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    (void)slot;
    const struct cu_executor *x = (const struct cu_executor *)base;
    void *memory = NULL;
    if (cu_enter(x->gpu, NULL))
        return NULL;
    if (x->gpu->driver.host_alloc(&memory, bytes ? bytes : 1, CU_HOST_PORTABLE))
        memory = NULL;
    cu_leave(x->gpu);
    return memory;
}

static void cuda_host_free(struct executor *base, uint32_t slot, void *memory)
{
    (void)slot;
    const struct cu_executor *x = (const struct cu_executor *)base;
    if (!memory || cu_enter(x->gpu, NULL))
        return;
    x->gpu->driver.host_free(memory);
    cu_leave(x->gpu);
}

static int cuda_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct cu_executor *x = (struct cu_executor *)base;
    x->slot[slot].broken = true;
    int rc = cu_enter(x->gpu, e);
    if (rc)
        return rc;
    rc = cu_slot_submit(x->slot, slot, x->gpu, &x->layout, inputs, base->timed, e);
    if (rc)
        cu_slot_wait(&x->slot[slot], x->gpu, &x->layout, NULL); /* what was queued reads the frame */
    cu_leave(x->gpu);
    base->submissions += !rc;
    return rc;
}

/* What unpacking a side takes. The context is current. */
static int load_unpacking(struct cu_executor *x, unsigned side, const struct device_picture *picture, struct assay_error *e)
{
    int rc = ASSAY_OK;
    pthread_mutex_lock(&x->loading);
    for (uint32_t i = 0; !rc && i < x->layout.inputs; i++) {
        const struct graph_plane_info *plane = &x->layout.graph->plane[x->layout.input[i]];
        if (plane->side == side)
            rc = cu_unpack_load(x->gpu, picture, plane->type, e);
    }
    pthread_mutex_unlock(&x->loading);
    return rc;
}

static int cuda_take(struct executor *base, uint32_t slot, unsigned side, const struct device_picture *picture, struct assay_error *e)
{
    struct cu_executor *x = (struct cu_executor *)base;
    int rc = cu_enter(x->gpu, e);
    if (rc)
        return rc;
    rc = load_unpacking(x, side, picture, e);
    if (!rc)
        rc = cu_slot_take(&x->slot[slot], x->gpu, &x->layout, side, picture, e);
    cu_leave(x->gpu);
    return rc;
}

int cu_executor_submit_device(struct executor *base, uint32_t slot, const uint32_t *held, const struct cu_frame *frame,
                              struct assay_error *e)
{
    struct cu_executor *x = (struct cu_executor *)base;
    x->slot[slot].broken = true;
    int rc = cu_enter(x->gpu, e);
    if (rc)
        return rc;
    for (unsigned side = 0; !rc && side < 2; side++)
        rc = load_unpacking(x, side, &frame->side[side], e);
    if (!rc)
        rc = cu_slot_submit_device(x->slot, slot, x->gpu, &x->layout, held, frame, e);
    if (rc)
        cu_slot_wait(&x->slot[slot], x->gpu, &x->layout, NULL); /* what was queued reads the frame */
    cu_leave(x->gpu);
    base->submissions += !rc;
    return rc;
}

static int cuda_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    struct cu_executor *x = (struct cu_executor *)base;
    const int entered = cu_enter(x->gpu, e);
    /* Without a context, too: after this the caller takes the planes back. */
    const int waited = cu_slot_wait(&x->slot[slot], x->gpu, &x->layout, entered ? NULL : e);
    if (entered)
        return entered;
    const int timed = waited ? waited : cu_slot_times(&x->slot[slot], x->gpu, &results->times, e);
    cu_leave(x->gpu);
    if (timed)
        return timed;
    x->base.passes_run += x->layout.graph->passes;
    results->totals = x->slot[slot].results;
    results->extrema = x->slot[slot].extrema;
    return ASSAY_OK;
}

static int cuda_read_plane(struct executor *base, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                           struct assay_error *e)
{
    struct cu_executor *x = (struct cu_executor *)base;
    int rc = cu_enter(x->gpu, e);
    if (rc)
        return rc;
    rc = cu_slot_read_plane(&x->slot[slot], x->gpu, &x->layout, plane, dst, dst_stride, e);
    cu_leave(x->gpu);
    return rc;
}

static int cuda_copy_rate(struct executor *base, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                          struct assay_error *e)
{
    const struct cu_executor *x = (const struct cu_executor *)base;
    int rc = cu_enter(x->gpu, e);
    if (rc)
        return rc;
    rc = cu_copy_rate(x->gpu, kind, bytes, times, seconds, e);
    cu_leave(x->gpu);
    return rc;
}

static uint64_t cuda_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    struct cu_layout l;
    const uint64_t bytes = cu_layout_init(&l, g, NULL) ? 0 : l.bytes * slots;
    cu_layout_free(&l);
    (void)base;
    return bytes;
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

static int cuda_adopt(struct executor **out, const struct image_device *device, struct assay_error *e)
{
    return cu_executor_adopt(out, device->cuda.context, e);
}

static int cuda_submit_images(struct executor *x, uint32_t slot, const struct image_frame *f, struct assay_error *e)
{
    const struct cu_frame frame = {.side = {f->side[0].cuda, f->side[1].cuda}, .stream = f->stream};
    return cu_executor_submit_device(x, slot, f->held, &frame, e);
}

static const struct image_ops cuda_images = {.adopt = cuda_adopt, .submit = cuda_submit_images};

const struct executor_ops executor_cuda = {
    .name = "cuda", .open = cuda_open, .prepare = cuda_prepare, .host_alloc = cuda_host_alloc,
    .host_free = cuda_host_free, .take = cuda_take, .submit = cuda_submit, .wait = cuda_wait, .read_plane = cuda_read_plane,
    .memory = cuda_memory, .close = cuda_close, .copy_rate = cuda_copy_rate, .needs = cuda_needs, .modules = cuda_modules,
    .list = cu_gpu_list, .images = &cuda_images,
};
