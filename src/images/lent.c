/* SPDX-License-Identifier: BSD-2-Clause */
#include "images/lent.h"

#include <string.h>

#include "host/format.h"
#include "images/gpu.h"

/* Numbers of the APIs, so that their headers are not needed; tests/gpu compares them with the headers. */
enum { VULKAN_UNDEFINED = 0, VULKAN_PREINITIALIZED = 8 };
enum {
    OPENGL_2D = 0x0de1, OPENGL_3D = 0x806f, OPENGL_RECTANGLE = 0x84f5, OPENGL_CUBE = 0x8513, OPENGL_2D_ARRAY = 0x8c1a,
    OPENGL_CUBE_ARRAY = 0x9009, OPENGL_2D_MULTISAMPLE = 0x9100, OPENGL_2D_MULTISAMPLE_ARRAY = 0x9102,
};

const char *lent_name(unsigned side)
{
    return side ? "distorted image" : "reference";
}

int lent_reserved(const uint32_t *reserved, size_t bytes, const char *of, struct assay_error *e)
{
    for (size_t i = 0; i < bytes / sizeof *reserved; i++)
        if (reserved[i])
            return assay_fail(e, ASSAY_EUSAGE, "a reserved field of %s is not 0", of);
    return ASSAY_OK;
}

/* ---- one image --------------------------------------------------------------------------------------------------- */

static int look_vulkan(const assay_gpu_image *from, const char *which, struct lent *to, struct assay_error *e)
{
    const assay_vulkan_image *v = &from->vulkan;
    if (!v->image)
        return assay_fail(e, ASSAY_EUSAGE, "no %s", which);
    TRY(lent_reserved(v->reserved, sizeof v->reserved, "an image", e));
    if (v->samples > 1)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is multisampled (%u samples): resolve it first", which, v->samples);
    if (!(to->format = texel_format_vulkan(v->format)))
        return assay_fail(e, ASSAY_EUSAGE, "images of VkFormat %u can't be compared (the %s)", v->format, which);
    if (v->layout == VULKAN_UNDEFINED || v->layout == VULKAN_PREINITIALIZED)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is in layout %s: its texels are not there, or can't be kept", which,
                          v->layout ? "PREINITIALIZED" : "UNDEFINED");
    to->image = (struct image){.api = IMAGE_VULKAN, .vulkan = {.image = v->image, .layer = v->layer,
                                                               .layout = v->layout,
                                                               .from = v->queue_family, .to = v->queue_family}};
    to->order = (struct image_order){.wait = v->wait, .signal = v->signal};
    to->width = v->width;
    to->height = v->height;
    return ASSAY_OK;
}

static bool is_2d(uint32_t target)
{
    static const uint32_t targets[] = {OPENGL_2D, OPENGL_3D, OPENGL_RECTANGLE, OPENGL_CUBE, OPENGL_2D_ARRAY,
                                       OPENGL_CUBE_ARRAY};
    for (unsigned i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (target == targets[i])
            return true;
    return false;
}

static int look_opengl(const assay_gpu_image *from, const char *which, struct lent *to, struct assay_error *e)
{
    const assay_opengl_image *t = &from->opengl;
    struct image_facts facts;
    if (!t->texture)
        return assay_fail(e, ASSAY_EUSAGE, "no %s", which);
    TRY(lent_reserved(t->reserved, sizeof t->reserved, "an image", e));
    TRY(to->owner->probe->ops->images->look(to->owner->probe, t->texture, &facts, e));
    if (facts.samples > 1 || facts.target == OPENGL_2D_MULTISAMPLE || facts.target == OPENGL_2D_MULTISAMPLE_ARRAY)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is multisampled (%u samples): resolve it first", which,
                          facts.samples);
    if (!is_2d(facts.target))
        return assay_fail(e, ASSAY_EUSAGE, "the %s is no 2D texture (target 0x%04x)", which, facts.target);
    if (!(to->format = texel_format_opengl(facts.internal_format)))
        return assay_fail(e, ASSAY_EUSAGE, "textures of internal format 0x%04x can't be compared (the %s)",
                          facts.internal_format, which);
    if (t->layer >= facts.layers)
        return assay_fail(e, ASSAY_EUSAGE, "the %s has no layer %u, but %u layers", which, t->layer, facts.layers);
    to->image = (struct image){.api = IMAGE_OPENGL,
                               .opengl = {.texture = t->texture, .layer = t->layer, .format = to->format->opengl_format,
                                          .type = to->format->opengl_type, .context = to->owner->probe}};
    to->width = facts.width;
    to->height = facts.height;
    return ASSAY_OK;
}

/* Whether rows of `bytes` bytes, in samples of `sample` bytes, can be read where they lie. */
static bool rows_fit(const assay_cuda_image *c, unsigned plane, size_t bytes, size_t sample)
{
    return c->plane[plane] && c->pitch[plane] >= bytes && c->pitch[plane] <= INT32_MAX && !(c->plane[plane] % sample) &&
           !(c->pitch[plane] % sample);
}

static int look_planes(const assay_cuda_image *c, const char *which, struct lent *to, struct assay_error *e)
{
    const assay_format *f = c->format;
    const bool pairs = c->packing & ASSAY_PACKED_PAIRS;
    if (f->alpha || format_is_float(f))
        return assay_fail(e, ASSAY_EUSAGE, "pictures in a device's memory have no plane of alpha, and no floats");
    if (c->packing > (ASSAY_PACKED_PAIRS | ASSAY_PACKED_HIGH) || (pairs && f->layout == ASSAY_LAYOUT_RGB))
        return assay_fail(e, ASSAY_EUSAGE, "a packing is a sum of ASSAY_PACKED_*, and RGB has no pairs");
    if (c->texels || c->width || c->height)
        return assay_fail(e, ASSAY_EUSAGE,
                          "the %s is a picture in planes: its format says all of texels, width, height", which);
    const uint32_t planes = assay_format_planes(f);
    to->image.memory.pairs = pairs && planes == 3;
    to->image.memory.shift = c->packing & ASSAY_PACKED_HIGH && f->bit_depth > 8 ? 16 - f->bit_depth : 0;
    for (uint32_t i = 0; i < planes; i++) {
        const bool pair = i && to->image.memory.pairs;
        if (!(pair && i == 2) && !rows_fit(c, i, format_row_bytes(f, i) * (pair ? 2 : 1), format_sample_bytes(f)))
            return assay_fail(e, ASSAY_EUSAGE,
                              "a picture has a missing plane, a pitch shorter than its row, or samples of two "
                              "bytes at an odd address");
        to->image.memory.plane[i].data = c->plane[i];
        to->image.memory.plane[i].pitch = c->pitch[i];
    }
    to->planes = *f;
    to->packing = c->packing;
    to->width = f->width;
    to->height = f->height;
    return ASSAY_OK;
}

int lent_look_planes(const assay_cuda_image *from, const char *which, struct device_picture *to, struct assay_error *e)
{
    struct lent l = {0};
    TRY(look_planes(from, which, &l, e));
    *to = l.image.memory;
    return ASSAY_OK;
}

/* In the memory of CUDA or of SYCL, which are described alike. */
static int look_memory(const assay_gpu_image *from, const char *which, struct lent *to, struct assay_error *e)
{
    const assay_cuda_image *c = from->kind == ASSAY_GPU_SYCL ? &from->sycl : &from->cuda;
    TRY(lent_reserved(c->reserved, sizeof c->reserved, "an image", e));
    to->image.api = from->kind == ASSAY_GPU_SYCL ? IMAGE_SYCL : IMAGE_CUDA;
    to->order.stream = c->stream;
    if (c->format)
        return look_planes(c, which, to, e);
    if (!c->plane[0])
        return assay_fail(e, ASSAY_EUSAGE, "no %s", which);
    if (!(to->format = texel_format_vulkan(c->texels)))
        return assay_fail(e, ASSAY_EUSAGE, "texels of VkFormat %u can't be compared (the %s)", c->texels, which);
    if (c->packing || !rows_fit(c, 0, (size_t)c->width * texel_bytes(to->format), sample_size(to->format->element)))
        return assay_fail(e, ASSAY_EUSAGE,
                          "texels in a device's memory have no packing, a pitch of a row at least, and addresses and "
                          "pitches that are multiples of 4 or of a smaller texel");
    to->image.memory.plane[0].data = c->plane[0];
    to->image.memory.plane[0].pitch = c->pitch[0];
    to->width = c->width;
    to->height = c->height;
    return ASSAY_OK;
}

static int cut(const assay_rectangle *wanted, const char *which, struct lent *to, struct assay_error *e)
{
    const assay_rectangle whole = {0, 0, to->width, to->height};
    const bool all = !wanted->x && !wanted->y && !wanted->width && !wanted->height;
    const assay_rectangle r = all ? whole : *wanted;
    if (!whole.width || !whole.height || whole.width > FORMAT_MAX_SIDE || whole.height > FORMAT_MAX_SIDE)
        return assay_fail(e, ASSAY_EUSAGE, "images are 1x1 to 65535x65535; the %s is %ux%u", which, whole.width,
                          whole.height);
    if (!r.width || !r.height || r.x >= whole.width || r.y >= whole.height || r.width > whole.width - r.x ||
        r.height > whole.height - r.y)
        return assay_fail(e, ASSAY_EUSAGE, "the rectangle %ux%u at (%u, %u) is not inside the %s of %ux%u", r.width,
                          r.height, r.x, r.y, which, whole.width, whole.height);
    if (!all && !to->format)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is a picture in planes, which has no rectangle", which);
    to->image.x = r.x;
    to->image.y = r.y;
    to->image.width = r.width;
    to->image.height = r.height;
    if (!to->format)
        return ASSAY_OK;
    to->image.texel_bytes = texel_bytes(to->format);
    if (to->image.api == IMAGE_CUDA || to->image.api == IMAGE_SYCL)
        to->image.memory.plane[0].data += r.y * to->image.memory.plane[0].pitch + (uint64_t)r.x * to->image.texel_bytes;
    return ASSAY_OK;
}

static int look(const struct assay_gpu *gpu, const assay_gpu_image *from, unsigned side, struct lent *to,
                struct assay_error *e)
{
    static int (*const by_kind[])(const assay_gpu_image *from, const char *which, struct lent *to,
                                  struct assay_error *e) = {
        [ASSAY_GPU_VULKAN] = look_vulkan, [ASSAY_GPU_OPENGL] = look_opengl, [ASSAY_GPU_CUDA] = look_memory,
        [ASSAY_GPU_SYCL] = look_memory};
    const char *which = lent_name(side);
    if (!from)
        return assay_fail(e, ASSAY_EUSAGE, "no %s", which);
    if (from->kind < ASSAY_GPU_VULKAN || from->kind > ASSAY_GPU_SYCL)
        return assay_fail(e, ASSAY_EUSAGE, "the %s has kind %u: it is none of ASSAY_GPU_VULKAN, _OPENGL, _CUDA, _SYCL",
                          which, from->kind);
    TRY(lent_reserved(from->reserved, sizeof from->reserved, "an image", e));
    *to = (struct lent){.owner = from->gpu ? from->gpu : gpu};
    if (from->kind != to->owner->kind)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is %s and belongs to %s", which, gpu_image_name(from->kind),
                          gpu_kind_name(to->owner->kind));
    if (to->owner != gpu && !(gpu->kind == ASSAY_GPU_VULKAN && from->kind == ASSAY_GPU_OPENGL))
        return assay_fail(e, ASSAY_EUSAGE, "the %s is %s of another assay_gpu, which %s can't take", which,
                          gpu_image_name(from->kind), gpu_kind_name(gpu->kind));
    TRY(by_kind[from->kind](from, which, to, e));
    return cut(&from->rectangle, which, to, e);
}

/* ---- a pair ------------------------------------------------------------------------------------------------------ */

static int check_planes(const struct lent_pair *pair, struct assay_error *e)
{
    const assay_format *r = &pair->side[0].planes, *d = &pair->side[1].planes;
    if (!pair->texels.format[0] != !pair->texels.format[1])
        return assay_fail(e, ASSAY_EMISMATCH, "one image is a picture in planes, the other one packed texels");
    if (!pair->texels.format[0] && memcmp(r, d, sizeof *r))
        return assay_fail(e, ASSAY_EMISMATCH, "the formats of the reference and of the distorted picture differ");
    return ASSAY_OK;
}

static int check_order(const struct lent_pair *pair, struct assay_error *e)
{
    const struct image_order *a = &pair->side[0].order, *b = &pair->side[1].order;
    if ((a->wait && a->wait == b->wait) || (a->signal && a->signal == b->signal))
        return assay_fail(e, ASSAY_EUSAGE,
                          "both images name one semaphore: the one of them that is to use it names it");
    return ASSAY_OK;
}

int lent_look(const struct assay_gpu *gpu, const assay_gpu_image *reference, const assay_gpu_image *distorted,
              struct lent_pair *pair, struct assay_error *e)
{
    if (!gpu)
        return assay_fail(e, ASSAY_EUSAGE, "no assay_gpu");
    TRY(look(gpu, reference, 0, &pair->side[0], e));
    TRY(look(gpu, distorted, 1, &pair->side[1], e));
    const struct image *r = &pair->side[0].image, *d = &pair->side[1].image;
    if (r->width != d->width || r->height != d->height)
        return assay_fail(e, ASSAY_EMISMATCH, "the reference is %ux%u, the distorted image %ux%u", r->width, r->height,
                          d->width, d->height);
    pair->texels = (struct texel_pair){.format = {pair->side[0].format, pair->side[1].format}, .width = r->width,
                                       .height = r->height};
    TRY(check_planes(pair, e));
    return check_order(pair, e);
}

int lent_route(const struct assay_gpu *gpu, const assay_gpu_options *options, struct lent_pair *pair,
               struct assay_error *e)
{
    const bool staged = options->path == ASSAY_GPU_STAGED;
    if (options->path > ASSAY_GPU_STAGED || options->srgb_as_unorm > 1)
        return assay_fail(e, ASSAY_EUSAGE, "there is no such path, or srgb_as_unorm is neither 0 nor 1");
    TRY(lent_reserved(options->reserved, sizeof options->reserved, "the options", e));
    for (unsigned side = 0; side < 2; side++) {
        struct lent *l = &pair->side[side];
        struct assay_error why = {0};
        if (l->owner == gpu)
            continue;
        const int rc = staged ? ASSAY_OK : executor_can_share(gpu->probe, l->owner->probe, &why);
        if (rc)
            return assay_fail(e, rc, "%s; ASSAY_GPU_STAGED goes through memory of the host instead", why.text);
        l->image.opengl.staged = staged;
    }
    return ASSAY_OK;
}

struct image_frame lent_band(const struct lent_pair *pair, uint32_t first, uint32_t rows)
{
    const bool last = first + rows == pair->texels.height;
    struct image_frame frame = {.held = NULL};
    for (unsigned side = 0; side < 2; side++) {
        struct image *i = &frame.side[side];
        struct image_order *order = &frame.order[side];
        *i = pair->side[side].image;
        *order = pair->side[side].order;
        i->y += first;
        i->height = rows;
        order->wait = first ? 0 : order->wait;
        order->signal = last ? order->signal : 0;
        if (i->api == IMAGE_VULKAN) {
            i->vulkan.from = first ? IMAGE_FAMILY_IGNORED : i->vulkan.from;
            i->vulkan.to = last ? i->vulkan.to : IMAGE_FAMILY_IGNORED;
        } else if (i->api == IMAGE_CUDA || i->api == IMAGE_SYCL) {
            i->memory.plane[0].data += first * i->memory.plane[0].pitch;
        }
    }
    return frame;
}
