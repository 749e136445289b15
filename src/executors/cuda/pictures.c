/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures in device memory: kernels read them in place, or they are copied into a slot's inputs. Kernel `unpack`
 * copies what other kernels can't read: interleaved chroma, values in the high bits.
 *
 * Passes that read the slot's inputs are the same for each frame, so a slot records them once and starts all of them by
 * one call. Passes that read pictures in place are started one by one, about 2 microseconds of a processor each. Within
 * the device a copy of a plane of 1080p takes about as long. So pictures are read in place by graphs of few passes. */
#include "executors/cuda/device.h"
#include "passes_gen.h"

static unsigned cu_unpack_kernel(enum sample_type type)
{
    return (unsigned)assay_kernel_variant[KERNEL_UNPACK][type];
}

/* Loads the kernels that a side's picture needs. Several threads may call it. */
static int cu_load_unpacking(struct cu_gpu *gpu, unsigned side, const struct device_picture *picture,
                             struct assay_error *e)
{
    const struct gpu_plan *plan = gpu->base.plan;
    int rc = ASSAY_OK;
    pthread_mutex_lock(&gpu->loading);
    for (uint32_t k = 0; !rc && k < plan->inputs; k++) {
        const struct graph_plane_info *plane = &plan->graph->plane[plan->input[k]];
        if (plane->side == side && (picture->pairs || picture->shift))
            rc = cu_load_kernel(gpu, cu_unpack_kernel(plane->type), e);
    }
    pthread_mutex_unlock(&gpu->loading);
    return rc;
}

/* Rows of the slot's planes start at multiples of 64 bytes, so that the last word of a row has room. */
static cu_result cu_unpack(const struct cu_gpu *gpu, const struct gpu_slot *s, cu_address to,
                           const struct graph_plane_info *plane, const struct device_picture *picture)
{
    const bool pair = plane->component && picture->pairs;
    const unsigned from = pair ? 1 : plane->component, step = pair ? 2 : 1;
    const uint32_t per_word = plane->type == SAMPLE_U8 ? 4 : 2, words = (plane->width + per_word - 1) / per_word;
    struct cuda_args args = {.grid_w = (int32_t)words, .grid_h = (int32_t)plane->height};
    args.plane[0] = (struct cuda_plane){.data = picture->plane[from].data,
                                        .stride = (int32_t)picture->plane[from].pitch,
                                        .width = (int32_t)(plane->width * step), .height = (int32_t)plane->height};
    args.plane[1] = (struct cuda_plane){.data = to, .stride = (int32_t)graph_stride(plane), .width = (int32_t)words,
                                        .height = (int32_t)plane->height};
    unpack_params(PASS(unpack, .source = 0, .step = (int32_t)step, .first = pair ? (int32_t)plane->component - 1 : 0,
                       .shift = (int32_t)picture->shift), args.param);
    return cu_launch(gpu, s, cu_unpack_kernel(plane->type), &args);
}

static cu_result cu_copy_rows(const struct cu_gpu *gpu, const struct gpu_slot *s, cu_address to,
                              const struct graph_plane_info *plane, const struct device_picture *picture)
{
    const struct cu_slot *own = s->own;
    const struct cu_copy_2d rows = {
        .src_kind = CU_MEMORY_DEVICE, .src_device = picture->plane[plane->component].data,
        .src_pitch = picture->plane[plane->component].pitch,
        .dst_kind = CU_MEMORY_DEVICE, .dst_device = to, .dst_pitch = graph_stride(plane),
        .width = (size_t)plane->width * sample_size(plane->type), .height = plane->height,
    };
    return gpu->driver.copy_2d(&rows, own->at);
}

/* Queues the copy of a side's picture into the slot's inputs: all of it (`whole`), or only the planes that kernels
 * can't read in place and those that later frames read. */
static cu_result cu_bring_side(const struct cu_gpu *gpu, struct gpu_slot *s, unsigned side,
                               const struct device_picture *picture, bool whole)
{
    const struct gpu_plan *plan = gpu->base.plan;
    cu_result r = 0;
    for (uint32_t k = 0; !r && k < plan->inputs; k++) {
        const graph_plane i = plan->input[k];
        const struct graph_plane_info *plane = &plan->graph->plane[i];
        const cu_address to = s->inputs.handle + plan->input_offset[i];
        if (plane->side != side || plane->age)
            continue;
        if (picture_is_packed(picture, plane->component)) {
            r = cu_unpack(gpu, s, to, plane, picture);
        } else {
            if (whole || plan->kept[i])
                r = cu_copy_rows(gpu, s, to, plane, picture);
            if (!whole) {
                s->place[i] = (struct gpu_place){picture->plane[plane->component].data,
                                                 (uint32_t)picture->plane[plane->component].pitch};
                s->direct = true;
            }
        }
    }
    return r;
}

int cu_bring(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    struct cu_gpu *gpu = (struct cu_gpu *)d;
    const bool copied = d->graph->passes > 2 * d->plan->inputs;
    for (unsigned side = 0; side < 2; side++) {
        TRY(cu_load_unpacking(gpu, side, &s->frame->side[side].memory, e));
        TRY(cu_check(&gpu->driver, cu_bring_side(gpu, s, side, &s->frame->side[side].memory, copied),
                     "bringing a frame", e));
    }
    return cu_check(&gpu->driver, s->direct ? 0 : cu_let_go(gpu, s), "letting the application's stream wait", e);
}

int cu_take(struct gpu_device *d, struct gpu_slot *s, unsigned side, const struct device_picture *picture,
            struct assay_error *e)
{
    struct cu_gpu *gpu = (struct cu_gpu *)d;
    const struct cu_slot *own = s->own;
    TRY(cu_load_unpacking(gpu, side, picture, e));
    cu_result r = cu_arrive(gpu, s, side, NULL); /* libav decodes into the default stream */
    if (!r)
        r = cu_bring_side(gpu, s, side, picture, true);
    /* Also after a failure: queued work may read the picture, and its owner may overwrite it after this call. */
    const cu_result waited = gpu->driver.stream_wait(own->stream);
    return cu_check(&gpu->driver, r ? r : waited, "taking a decoded picture", e);
}
