/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of an application in USM memory: kernels read their planes in place. Kernel `unpack` copies the planes that
 * other kernels can't read (interleaved chroma, values in the high bits) and those that later frames read, too. */
#include "executors/sycl/device.h"
#include "passes_gen.h"

/* Rows of the slot's planes start at multiples of 64 bytes, so that the last word of a row has room. */
static bool sy_unpack(const struct sy_gpu *gpu, struct sy_slot *own, char *to, const struct graph_plane_info *plane,
                      const struct device_picture *picture)
{
    const bool pair = plane->component && picture->pairs;
    const unsigned from = pair ? 1 : plane->component, step = pair ? 2 : 1;
    const uint32_t per_word = 4 / sample_size(plane->type), words = (plane->width + per_word - 1) / per_word;
    const unsigned kernel = (unsigned)assay_kernel_variant[KERNEL_UNPACK][plane->type];
    struct sycl_args args = {.grid_w = (int32_t)words, .grid_h = (int32_t)plane->height};
    args.plane[0] = (struct sycl_plane){.data = (void *)(uintptr_t)picture->plane[from].data,
                                        .stride = (int32_t)picture->plane[from].pitch,
                                        .width = (int32_t)(plane->width * step), .height = (int32_t)plane->height};
    args.plane[1] = (struct sycl_plane){.data = to, .stride = (int32_t)graph_stride(plane), .width = (int32_t)words,
                                        .height = (int32_t)plane->height};
    unpack_params(PASS(unpack, .source = 0, .step = (int32_t)step, .first = pair ? (int32_t)plane->component - 1 : 0,
                       .shift = (int32_t)picture->shift), args.param);
    return gpu->sycl->launch(own->stream, kernel, sy_form(gpu, kernel), &args, true, own->why);
}

/* Texels of 32 bits are copied row by row. */
static bool sy_copy_rows(const struct sy_gpu *gpu, struct sy_slot *own, char *to, const struct graph_plane_info *plane,
                         const struct device_picture *picture)
{
    const char *const from = (const char *)(uintptr_t)picture->plane[plane->component].data;
    bool good = true;
    for (uint32_t y = 0; good && y < plane->height; y++)
        good = gpu->sycl->copy(own->stream, to + y * graph_stride(plane),
                               from + y * picture->plane[plane->component].pitch,
                               (size_t)plane->width * sample_size(plane->type), own->why);
    return good;
}

static bool sy_bring_side(const struct sy_gpu *gpu, struct gpu_slot *s, unsigned side)
{
    const struct gpu_plan *plan = gpu->base.plan;
    const struct device_picture *picture = &s->frame->side[side].memory;
    struct sy_slot *own = s->own;
    bool good = true;
    for (uint32_t k = 0; good && k < plan->inputs; k++) {
        const graph_plane i = plan->input[k];
        const struct graph_plane_info *plane = &plan->graph->plane[i];
        char *const to = (char *)(uintptr_t)s->inputs.handle + plan->input_offset[i];
        if (plane->side != side || plane->age)
            continue;
        const bool packed = picture_is_packed(picture, plane->component);
        if (packed || (plan->kept[i] && sample_size(plane->type) < 4))
            good = sy_unpack(gpu, own, to, plane, picture);
        else if (plan->kept[i])
            good = sy_copy_rows(gpu, own, to, plane, picture);
        if (!packed) {
            s->place[i] = (struct gpu_place){picture->plane[plane->component].data,
                                             (uint32_t)picture->plane[plane->component].pitch};
            s->direct = true;
        }
    }
    return good;
}

int sy_bring(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    const struct sy_gpu *gpu = (const struct sy_gpu *)d;
    struct sy_slot *own = s->own;
    for (unsigned side = 0; side < gpu_slot_streams(s); side++)
        if (!gpu->sycl->arrive(own->stream, s->frame->order[side].stream, own->why))
            return sy_fail("waiting for the application's queue", own->why, e);
    for (unsigned side = 0; side < 2; side++)
        if (!sy_bring_side(gpu, s, side))
            return sy_fail("unpacking a frame", own->why, e);
    return ASSAY_OK;
}
