/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures in device memory whose samples don't lie as kernels read them: chroma in pairs, values in the high bits. */
#include "executors/cuda/frame.h"
#include "kernels/dialect/cuda_args.h"
#include "passes_gen.h"

static int unpack_kernel(enum sample_type type)
{
    return assay_kernel_variant[KERNEL_UNPACK][type];
}

int cu_unpack_load(struct cu_gpu *gpu, const struct device_picture *picture, enum sample_type type, struct assay_error *e)
{
    return picture->pairs || picture->shift ? cu_load_kernel(gpu, (unsigned)unpack_kernel(type), e) : ASSAY_OK;
}

/* Rows of the slot's planes start at multiples of 64 bytes, so that the last word of a row has room. */
static cu_result launch(const struct cu_slot *s, const struct cu_gpu *gpu, cu_address to, const struct graph_plane_info *plane,
                        const struct device_picture *picture, unsigned from, unsigned step, unsigned first)
{
    const int kernel = unpack_kernel(plane->type);
    const struct kernel_schedule *schedule = &assay_kernel_info[kernel].schedule[TARGET_GPU];
    const uint32_t per_word = plane->type == SAMPLE_U8 ? 4 : 2, words = (plane->width + per_word - 1) / per_word;
    struct cuda_args args = {.grid_w = (int32_t)words, .grid_h = (int32_t)plane->height};
    args.plane[0] = (struct cuda_plane){.data = picture->plane[from].data, .stride = (int32_t)picture->plane[from].pitch,
                                        .width = (int32_t)(plane->width * step), .height = (int32_t)plane->height};
    args.plane[1] = (struct cuda_plane){.data = to, .stride = (int32_t)graph_stride(plane), .width = (int32_t)words,
                                        .height = (int32_t)plane->height};
    unpack_params(PASS(unpack, .source = 0, .step = (int32_t)step, .first = (int32_t)first, .shift = (int32_t)picture->shift), args.param);
    void *parameters[] = {&args};
    return gpu->driver.launch(gpu->kernels.function[kernel], (words + schedule->tile_w - 1) / schedule->tile_w,
                              (plane->height + schedule->tile_h - 1) / schedule->tile_h, 1, schedule->threads, 1, 1, 0,
                              s->stream, parameters, NULL);
}

static cu_result copy(const struct cu_slot *s, const struct cu_gpu *gpu, cu_address to, const struct graph_plane_info *plane,
                      const struct device_picture *picture)
{
    const struct cu_copy_2d rows = {
        .src_kind = CU_MEMORY_DEVICE, .src_device = picture->plane[plane->component].data,
        .src_pitch = picture->plane[plane->component].pitch,
        .dst_kind = CU_MEMORY_DEVICE, .dst_device = to, .dst_pitch = graph_stride(plane),
        .width = (size_t)plane->width * (plane->type == SAMPLE_U8 ? 1 : 2), .height = plane->height,
    };
    return gpu->driver.copy_2d(&rows, s->stream);
}

cu_result cu_unpack(const struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, unsigned side,
                    struct device_picture *picture, bool whole)
{
    bool in_place[3] = {true, true, true};
    cu_result r = 0;
    for (uint32_t i = 0; !r && i < l->inputs; i++) {
        const struct graph_plane_info *plane = &l->graph->plane[l->input[i]];
        const cu_address to = s->memory + l->plane_offset[l->input[i]];
        const unsigned c = plane->component;
        if (plane->side != side || plane->age)
            continue;
        if (c && picture->pairs)
            r = launch(s, gpu, to, plane, picture, 1, 2, c - 1);
        else if (picture->shift)
            r = launch(s, gpu, to, plane, picture, c, 1, 0);
        else if (whole)
            r = copy(s, gpu, to, plane, picture);
        in_place[c] = !whole && !picture->shift && !(c && picture->pairs);
    }
    for (unsigned c = 0; c < 3; c++)
        if (!in_place[c])
            picture->plane[c].data = 0;
    return r;
}
