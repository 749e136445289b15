/* SPDX-License-Identifier: BSD-2-Clause */
#include "texels/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "executors/gpu/memory.h"
#include "host/fpenv.h"
#include "selftest/prove.h"

/* Bytes of a band of one image: several bands of an image of usual size would cost more than they save, and every device binds
 * twice as many. */
enum { BAND_BYTES = 64 << 20 };

static void drop_shape(struct gpu_shape *s)
{
    if (s->executor)
        s->executor->ops->close(&s->executor);
    graph_free(&s->graph);
    *s = (struct gpu_shape){.used = 0};
}

int gpu_new(assay_gpu **out, const void *handles, size_t size,
            int (*open)(struct assay_gpu *gpu, struct executor **out, struct assay_error *e), char *error, size_t error_size)
{
    struct assay_error e = {0};
    struct assay_gpu *gpu = calloc(1, sizeof *gpu);
    int rc = ASSAY_OK;
    *out = NULL;
    if (!gpu || !(gpu->handles = malloc(size)))
        rc = assay_fail_memory(&e, "the device");
    if (!rc) {
        memcpy(gpu->handles, handles, size);
        gpu->open = open;
        rc = open(gpu, &gpu->probe, &e);
    }
    if (!rc) {
        memcpy(gpu->device, gpu->probe->device, sizeof gpu->device);
        memcpy(gpu->driver, gpu->probe->driver, sizeof gpu->driver);
        *out = gpu;
        return rc;
    }
    if (gpu)
        free(gpu->handles);
    free(gpu);
    if (error && error_size)
        snprintf(error, error_size, "%s", e.text);
    return rc;
}

void assay_gpu_close(assay_gpu **out)
{
    struct assay_gpu *gpu = out ? *out : NULL;
    if (!gpu)
        return;
    *out = NULL;
    for (unsigned i = 0; i < GPU_SHAPES; i++)
        drop_shape(&gpu->shape[i]);
    gpu->probe->ops->close(&gpu->probe);
    free(gpu->handles);
    free(gpu);
}

const char *assay_gpu_error(const assay_gpu *gpu) { return gpu ? gpu->error.text : "no device"; }
const char *assay_gpu_device(const assay_gpu *gpu) { return gpu ? gpu->device : ""; }
const char *assay_gpu_driver(const assay_gpu *gpu) { return gpu ? gpu->driver : ""; }

const char *assay_gpu_vulkan_format(uint32_t format)
{
    const struct texel_format *f = texel_format_vulkan(format);
    return f ? f->name : NULL;
}

const char *assay_gpu_opengl_format(uint32_t internal_format)
{
    const struct texel_format *f = texel_format_opengl(internal_format);
    return f ? f->name : NULL;
}

void gpu_begin(struct assay_gpu *gpu)
{
    gpu->error = (struct assay_error){0};
}

const char *gpu_side_name(unsigned side)
{
    return side ? "distorted image" : "reference";
}

int gpu_rectangle(assay_rectangle *r, uint32_t width, uint32_t height, const char *which, struct assay_error *e)
{
    if (!width || !height || width > 65535 || height > 65535)
        return assay_fail(e, ASSAY_EUSAGE, "images are 1x1 to 65535x65535; the %s is %ux%u", which, width, height);
    if (!r->x && !r->y && !r->width && !r->height) {
        r->width = width;
        r->height = height;
    }
    if (!r->width || !r->height || r->x >= width || r->y >= height || r->width > width - r->x || r->height > height - r->y)
        return assay_fail(e, ASSAY_EUSAGE, "the rectangle %ux%u at (%u, %u) is not inside the %s of %ux%u", r->width, r->height,
                          r->x, r->y, which, width, height);
    return ASSAY_OK;
}

int gpu_pair_size(struct texel_pair *pair, const assay_rectangle rectangle[2], struct assay_error *e)
{
    const assay_rectangle *reference = &rectangle[0], *distorted = &rectangle[1];
    if (reference->width != distorted->width || reference->height != distorted->height)
        return assay_fail(e, ASSAY_EMISMATCH, "the reference is %ux%u, the distorted image %ux%u", reference->width,
                          reference->height, distorted->width, distorted->height);
    pair->width = reference->width;
    pair->height = reference->height;
    return ASSAY_OK;
}

int gpu_reopen(void *opaque, struct executor **out, struct assay_error *e)
{
    struct assay_gpu *gpu = opaque;
    return gpu->open(gpu, out, e);
}

/* The executor that is prepared for bands of `rows` rows of such a pair: one of those at hand, or a new one in place of the one
 * that was used least lately. */
static int find_shape(struct assay_gpu *gpu, const struct texel_pair *pair, uint32_t rows, struct gpu_shape **out)
{
    struct gpu_shape *oldest = &gpu->shape[0];
    for (unsigned i = 0; i < GPU_SHAPES; i++) {
        struct gpu_shape *s = &gpu->shape[i];
        if (s->used && s->format[0] == pair->format[0] && s->format[1] == pair->format[1] && s->width == pair->width &&
            s->rows == rows) {
            s->used = ++gpu->clock;
            *out = s;
            return ASSAY_OK;
        }
        if (s->used < oldest->used)
            oldest = s;
    }
    drop_shape(oldest);
    *oldest = (struct gpu_shape){.format = {pair->format[0], pair->format[1]}, .width = pair->width, .rows = rows,
                                 .used = ++gpu->clock};
    int rc = texel_graph(&oldest->graph, pair, rows, &gpu->error);
    if (!rc)
        rc = gpu->open(gpu, &oldest->executor, &gpu->error);
    if (!rc)
        rc = selftest_prove(oldest->executor, &(struct selftest_device){gpu_reopen, gpu}, oldest->graph, false, &gpu->error);
    if (!rc)
        rc = oldest->executor->ops->prepare(oldest->executor, oldest->graph, 1, &gpu->error);
    if (rc)
        drop_shape(oldest);
    *out = oldest;
    return rc;
}

static int run_band(struct assay_gpu *gpu, const struct texel_pair *pair, const struct gpu_band *band, gpu_submit *submit,
                    const void *images, struct texel_sums *sums)
{
    struct gpu_shape *shape;
    struct frame_results results;
    int rc = find_shape(gpu, pair, band->rows, &shape);
    if (rc)
        return rc;
    struct executor *x = shape->executor;
    const uint64_t before = x->passes_run;
    rc = submit(gpu, x, images, band);
    if (!rc)
        rc = x->ops->wait(x, 0, &results, &gpu->error);
    if (rc) {
        drop_shape(shape); /* what a failure left behind is not used again */
        return rc;
    }
    gpu->passes_run += x->passes_run - before;
    texel_sums_add(sums, pair, &results, band->first);
    return ASSAY_OK;
}

/* The rows of a band: both images and the totals in less than the memory that may be used. */
static int band_rows(const struct texel_pair *pair, uint32_t *rows, struct assay_error *e)
{
    uint64_t bytes;
    const int rc = gpu_memory_from_environment(&bytes, e);
    const uint32_t row = (pair->width * texel_bytes(pair->format[0]) + 127) / 64 * 64;
    *rows = (uint32_t)((bytes / 3 < BAND_BYTES ? bytes / 3 : BAND_BYTES) / row);
    if (!*rows)
        *rows = 1; /* the executor says what does not fit */
    return rc;
}

int gpu_compare(struct assay_gpu *gpu, const struct texel_pair *pair, const assay_compare_options *options,
                gpu_submit *submit, const void *images, assay_image_figures *figures)
{
    const double peak = options && options->peak != 0 ? options->peak : 1;
    struct texel_sums sums = {0};
    struct assay_fpenv saved;
    int rc = texel_pair_check(pair, options && options->srgb_as_unorm, &gpu->error);
    if (!rc && !(peak > 0 && peak <= 0x1p100))
        rc = assay_fail(&gpu->error, ASSAY_EUSAGE, "the peak is a positive number of at most 2^100");
    uint32_t most = 1;
    if (!rc)
        rc = band_rows(pair, &most, &gpu->error);
    assay_fpenv_enter(&saved);
    for (uint32_t y = 0; !rc && y < pair->height;) {
        const uint32_t left = pair->height - y, rows = left < most ? left : most;
        const struct gpu_band band = {.first = y, .rows = rows, .is_first = !y, .is_last = rows == left};
        rc = run_band(gpu, pair, &band, submit, images, &sums);
        y += rows;
    }
    assay_fpenv_leave(&saved);
    if (!rc)
        texel_figures(pair, &sums, peak, figures);
    return rc;
}
