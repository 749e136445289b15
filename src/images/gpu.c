/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of devices and comparisons. */
#include "images/gpu.h"

#include <stdlib.h>

#include "executors/gpu/memory.h"
#include "host/fpenv.h"
#include "selftest/prove.h"

/* The most bytes of a strip of one image. An image of usual size is one strip, because several would cost time and save
 * little memory. Every device binds at least twice as many bytes. */
enum { BAND_BYTES = 64 << 20 };

const char *gpu_kind_name(uint32_t kind)
{
    static const char *const name[] = {NULL, "a Vulkan device", "an OpenGL context", "a CUDA context", "a SYCL queue"};
    return name[kind];
}

const char *gpu_image_name(uint32_t kind)
{
    static const char *const name[] = {NULL, "a Vulkan image", "an OpenGL texture", "an image in CUDA memory",
                                       "an image in SYCL memory"};
    return name[kind];
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

int gpu_reopen(void *opaque, struct executor **out, struct assay_error *e)
{
    const struct assay_gpu *gpu = opaque;
    return executor_adopt(out, &gpu->handles, e);
}

static int take_vulkan(const assay_vulkan_device *v, struct image_device *to, struct assay_error *e)
{
    if (!v->instance || !v->physical_device || !v->device || !v->queue)
        return assay_fail(e, ASSAY_EUSAGE, "a Vulkan device is an instance, a physical device, a device and a queue");
    *to = (struct image_device){.api = IMAGE_VULKAN,
                                .vulkan = {.get_instance_proc_addr = v->get_instance_proc_addr, .instance = v->instance,
                                           .physical = v->physical_device, .device = v->device, .queue = v->queue,
                                           .family = v->queue_family}};
    return lent_reserved(v->reserved, sizeof v->reserved, "the handles", e);
}

static int take_handles(const assay_gpu_handles *h, struct image_device *to, struct assay_error *e)
{
    if (!h || h->kind < ASSAY_GPU_VULKAN || h->kind > ASSAY_GPU_SYCL)
        return assay_fail(e, ASSAY_EUSAGE, "handles have kind ASSAY_GPU_VULKAN, _OPENGL, _CUDA or _SYCL");
    TRY(lent_reserved(h->reserved, sizeof h->reserved, "the handles", e));
    if (h->kind == ASSAY_GPU_VULKAN)
        return take_vulkan(&h->vulkan, to, e);
    if (h->kind == ASSAY_GPU_CUDA) {
        *to = (struct image_device){.api = IMAGE_CUDA, .cuda = {.context = h->cuda.context}};
        return lent_reserved(h->cuda.reserved, sizeof h->cuda.reserved, "the handles", e);
    }
    if (h->kind == ASSAY_GPU_SYCL) {
        if (!h->sycl.queue)
            return assay_fail(e, ASSAY_EUSAGE, "a SYCL device is used through a queue");
        *to = (struct image_device){.api = IMAGE_SYCL, .sycl = {.queue = h->sycl.queue}};
        return lent_reserved(h->sycl.reserved, sizeof h->sycl.reserved, "the handles", e);
    }
    if (!h->opengl.get_proc_address)
        return assay_fail(e, ASSAY_EUSAGE, "an OpenGL context is used through get_proc_address");
    *to = (struct image_device){.api = IMAGE_OPENGL, .opengl = {.get_proc_address = h->opengl.get_proc_address}};
    return lent_reserved(h->opengl.reserved, sizeof h->opengl.reserved, "the handles", e);
}

static int open_gpu(struct assay_gpu **out, const assay_gpu_handles *handles, struct assay_error *e)
{
    struct image_device device;
    if (!out)
        return assay_fail(e, ASSAY_EUSAGE, "nowhere to put the assay_gpu");
    *out = NULL;
    TRY(take_handles(handles, &device, e));
    struct assay_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return assay_fail_memory(e, "the device");
    gpu->kind = handles->kind;
    gpu->handles = device;
    const int rc = gpu_reopen(gpu, &gpu->probe, e);
    if (rc)
        free(gpu);
    else
        *out = gpu;
    return rc;
}

int assay_gpu_open(assay_gpu **gpu, const assay_gpu_handles *handles, char *error, size_t error_size)
{
    struct assay_error e = {0};
    open_gpu(gpu, handles, &e);
    return assay_answer(&e, error, error_size);
}

static void drop_shape(struct gpu_shape *s)
{
    if (s->executor)
        s->executor->ops->close(&s->executor);
    graph_free(&s->graph);
    *s = (struct gpu_shape){.used = 0};
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
    free(gpu);
}

const char *assay_gpu_error(const assay_gpu *gpu) { return gpu ? gpu->error.text : "no device"; }
const char *assay_gpu_device(const assay_gpu *gpu) { return gpu ? gpu->probe->device : ""; }
const char *assay_gpu_driver(const assay_gpu *gpu) { return gpu ? gpu->probe->driver : ""; }

const char *assay_gpu_format(uint32_t kind, uint32_t format)
{
    const struct texel_format *f = kind == ASSAY_GPU_OPENGL ? texel_format_opengl(format) : texel_format_vulkan(format);
    return f ? f->name : NULL;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

/* The passes of a strip: the `build` of a selftest_subject. */
static int build_band(void *opaque, uint32_t width, uint32_t height, struct graph **out, struct assay_error *e)
{
    const struct gpu_shape *s = opaque;
    const struct texel_pair pair = {.format = {s->format[0], s->format[1]}, .width = width, .height = height};
    *out = graph_new(e);
    const int rc = *out ? texel_passes(*out, &pair, height, e) : ASSAY_EINTERNAL;
    if (rc)
        graph_free(out);
    return rc;
}

static int prove(struct assay_gpu *gpu, struct gpu_shape *s)
{
    const struct selftest_device device = {.open = gpu_reopen, .opaque = gpu};
    const struct selftest_subject subject = {.build = build_band, .opaque = s, .bits = 16, .graph = s->graph,
                                             .width = s->width, .height = s->rows};
    return selftest_prove(s->executor, &device, &subject, &gpu->error);
}

/* Gives an executor that is prepared for strips of `rows` rows of such a pair: one that was kept, or a new one in the
 * place of the least recently used. */
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
    int rc = build_band(oldest, pair->width, rows, &oldest->graph, &gpu->error);
    rc = rc ? rc : graph_seal(oldest->graph, &gpu->error);
    rc = rc ? rc : gpu_reopen(gpu, &oldest->executor, &gpu->error);
    rc = rc ? rc : prove(gpu, oldest);
    rc = rc ? rc : oldest->executor->ops->prepare(oldest->executor, oldest->graph, 1, &gpu->error);
    if (rc)
        drop_shape(oldest);
    *out = oldest;
    return rc;
}

static int run_band(struct assay_gpu *gpu, const struct lent_pair *pair, uint32_t first, uint32_t rows,
                    struct texel_sums *sums)
{
    const struct image_frame frame = lent_band(pair, first, rows);
    struct gpu_shape *shape;
    struct frame_results results;
    TRY(find_shape(gpu, &pair->texels, rows, &shape));
    struct executor *x = shape->executor;
    const uint64_t before = x->passes_run;
    int rc = x->ops->images->submit(x, 0, &frame, &gpu->error);
    rc = rc ? rc : x->ops->wait(x, 0, &results, &gpu->error);
    if (rc) {
        drop_shape(shape); /* a shape that failed is not used again */
        return rc;
    }
    gpu->passes_run += x->passes_run - before;
    texel_sums_add(sums, &pair->texels, &results, first);
    return ASSAY_OK;
}

/* The rows of a strip, so that both images and the totals fit into the memory that may be used. */
static int strip_rows(const struct texel_pair *pair, uint32_t *rows, struct assay_error *e)
{
    uint64_t bytes;
    const int rc = gpu_memory_from_environment(&bytes, e);
    const uint32_t row = (pair->width * texel_bytes(pair->format[0]) + 127) / 64 * 64;
    *rows = (uint32_t)((bytes / 3 < BAND_BYTES ? bytes / 3 : BAND_BYTES) / row);
    if (!*rows)
        *rows = 1; /* the executor says what does not fit */
    return rc;
}

static int compare(struct assay_gpu *gpu, const struct lent_pair *pair, struct texel_sums *sums)
{
    const uint32_t height = pair->texels.height;
    uint32_t most;
    TRY(strip_rows(&pair->texels, &most, &gpu->error));
    for (uint32_t y = 0; y < height; y += most)
        TRY(run_band(gpu, pair, y, height - y < most ? height - y : most, sums));
    return ASSAY_OK;
}

int assay_gpu_compare(assay_gpu *gpu, const assay_gpu_image *reference, const assay_gpu_image *distorted,
                      const assay_gpu_options *options, assay_image_figures *figures)
{
    static const assay_gpu_options none = {0};
    const assay_gpu_options *o = options ? options : &none;
    const double peak = o->peak != 0 ? o->peak : 1;
    struct texel_sums sums = {0};
    struct lent_pair pair;
    struct assay_fpenv saved;
    if (!gpu)
        return ASSAY_EUSAGE;
    gpu->error = (struct assay_error){0};
    if (!figures)
        return assay_fail(&gpu->error, ASSAY_EUSAGE, "nowhere to write the figures to");
    if (o->transfer || o->primaries || o->gamma)
        return assay_fail(&gpu->error, ASSAY_EUSAGE, "colours are stated for sessions: a comparison is of codes");
    if (!(peak > 0 && peak <= 0x1p100))
        return assay_fail(&gpu->error, ASSAY_EUSAGE, "the peak is a positive number of at most 2^100");
    TRY(lent_look(gpu, reference, distorted, &pair, &gpu->error));
    TRY(lent_route(gpu, o, &pair, &gpu->error));
    if (!pair.texels.format[0])
        return assay_fail(&gpu->error, ASSAY_EUSAGE, "texels are compared; pictures in planes are scored by a session");
    TRY(texel_pair_check(&pair.texels, o->srgb_as_unorm, &gpu->error));
    assay_fpenv_enter(&saved);
    const int rc = compare(gpu, &pair, &sums);
    assay_fpenv_leave(&saved);
    if (!rc)
        texel_figures(&pair.texels, &sums, peak, figures);
    return rc;
}
