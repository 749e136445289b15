/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of sessions whose pictures are images on a device. */
#include "engine/session.h"

#include <stdlib.h>
#include <string.h>

#include "host/fpenv.h"
#include "images/gpu.h"
#include "images/planes.h"

/* Frames of texels in flight where frames_in_flight is 0. Images are large; one pair is scored while the next is
 * drawn. */
enum { SLOTS = 2 };

/* The session's source. */
struct source {
    struct assay_gpu *gpu;
    struct lent_pair like;      /* the pair that it was started with */
    struct texel_planes planes; /* of texels */
};

static int source_check(void *opaque, const struct graph *g, uint64_t frame, const struct frame_results *results,
                        struct assay_error *e)
{
    const struct source *source = opaque;
    (void)g;
    return texel_planes_check(&source->planes, frame, results, e);
}

static int source_ready(void *opaque, struct assay_error *e)
{
    const struct source *source = opaque;
    return executor_ready(source->gpu->probe, e);
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

/* The format of such pairs that metrics are told. */
static int source_format(const struct lent_pair *pair, const assay_gpu_options *o, assay_format *format,
                         struct assay_error *e)
{
    if (o->peak != 0)
        return assay_fail(e, ASSAY_EUSAGE, "a peak is of comparisons: metrics have options of their own");
    if (pair->texels.format[0])
        return texel_planes_format(&pair->texels, o, format, e);
    if (o->transfer || o->primaries || o->gamma || o->srgb_as_unorm)
        return assay_fail(e, ASSAY_EUSAGE, "the colours of planes are stated in their format");
    *format = pair->side[0].planes;
    return ASSAY_OK;
}

static int start_on(struct assay_session *s, const struct source *like, const assay_format *format)
{
    const struct selftest_device device = {.open = gpu_reopen, .opaque = like->gpu};
    struct executor *x;
    TRY(gpu_reopen(like->gpu, &x, &s->error));
    struct source *source = malloc(sizeof *source);
    if (!source) {
        x->ops->close(&x);
        return assay_fail_memory(&s->error, "a session of images");
    }
    *source = *like;
    s->source = (struct session_source){.check = source_check, .ready = source_ready, .free = free, .opaque = source};
    if (like->like.texels.format[0]) {
        source->planes.pair = like->like.texels;
        s->source.bring = texel_planes_bring;
        s->source.bring_opaque = &source->planes;
        s->source.frames = SLOTS;
    }
    for (unsigned side = 0; side < 2; side++)
        s->side[side].on_device = like->like.side[side].packing != 0;
    return session_start_on_device(s, format, x, &device);
}

int assay_session_start_gpu(assay_session *s, assay_gpu *gpu, const assay_gpu_image *reference,
                            const assay_gpu_image *distorted, const assay_gpu_options *options)
{
    static const assay_gpu_options none = {0};
    struct source like = {.gpu = gpu};
    assay_format format;
    struct assay_fpenv saved;
    if (!s)
        return ASSAY_EUSAGE;
    s->error = (struct assay_error){0};
    TRY(session_may_start(s));
    if (s->config.backend || s->config.device)
        return assay_fail(&s->error, ASSAY_EUSAGE,
                          "a session of images runs where they are: its configuration names no backend or "
                          "device");
    TRY(lent_look(gpu, reference, distorted, &like.like, &s->error));
    TRY(lent_route(gpu, options ? options : &none, &like.like, &s->error));
    TRY(source_format(&like.like, options ? options : &none, &format, &s->error));
    assay_fpenv_enter(&saved);
    const int rc = start_on(s, &like, &format);
    assay_fpenv_leave(&saved);
    return rc;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static int submit_pair(struct executor *x, uint32_t slot, const uint32_t *held, const void *opaque,
                       struct assay_error *e)
{
    const struct lent_pair *pair = opaque;
    struct image_frame frame = lent_band(pair, 0, pair->texels.height);
    frame.held = held;
    return x->ops->images->submit(x, slot, &frame, e);
}

/* Whether an image is like the one that the session was started with. */
static int check_like(const struct lent *l, const struct lent *like, unsigned side, struct assay_error *e)
{
    const char *which = lent_name(side);
    if (l->owner != like->owner)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is %s of another assay_gpu than the session was started with", which,
                          gpu_image_name(l->owner->kind));
    if (l->packing != like->packing || memcmp(&l->planes, &like->planes, sizeof l->planes) ||
        !l->format != !like->format)
        return assay_fail(e, ASSAY_EMISMATCH, "the %s has another format or packing than the session was started with",
                          which);
    if (l->format != like->format || l->image.width != like->image.width || l->image.height != like->image.height)
        return assay_fail(e, ASSAY_EMISMATCH, "the %s is %s, %ux%u; the session was started for %s, %ux%u", which,
                          l->format->name,
                          l->image.width, l->image.height, like->format->name, like->image.width, like->image.height);
    return ASSAY_OK;
}

int assay_session_submit_gpu(assay_session *s, uint64_t frame, const assay_gpu_image *reference,
                             const assay_gpu_image *distorted)
{
    struct lent_pair pair;
    if (!s)
        return ASSAY_EUSAGE;
    s->error = (struct assay_error){0};
    const struct source *source = s->source.opaque;
    if (!s->started || s->finished || !source)
        return assay_fail(&s->error, ASSAY_EUSAGE, "the session was not started by assay_session_start_gpu");
    TRY(lent_look(source->gpu, reference, distorted, &pair, &s->error));
    for (unsigned side = 0; side < 2; side++) {
        const struct lent *like = &source->like.side[side];
        TRY(check_like(&pair.side[side], like, side, &s->error));
        if (like->image.api == IMAGE_OPENGL)
            pair.side[side].image.opengl.staged = like->image.opengl.staged;
    }
    return session_submit_on_device(s, frame, submit_pair, &pair);
}

/* ---- pictures from a decoder ------------------------------------------------------------------------------------- */

static int fill(assay_session *s, unsigned side, const assay_buffer *to, const assay_cuda_image *picture,
                struct assay_error *e)
{
    struct device_picture from;
    if (!s || !s->started || s->finished || side > s->encodes || !s->side[side].on_device || s->source.opaque || !to ||
        to->slot >= s->slots)
        return assay_fail(e, ASSAY_EUSAGE, "a picture is brought to a buffer of a side that gpu_sides names");
    const assay_format *f = &s->side[side].held, *g = picture ? picture->format : NULL;
    if (!g || picture->stream)
        return assay_fail(e, ASSAY_EUSAGE, "a decoder's picture has a format, and comes on the default stream");
    if (f->width != g->width || f->height != g->height || f->layout != g->layout || f->bit_depth != g->bit_depth)
        return assay_fail(e, ASSAY_EMISMATCH, "the %s has another format than the session", lent_name(side));
    TRY(lent_look_planes(picture, lent_name(side), &from, e));
    return session_take_picture(s, to->slot, side, &from, e);
}

int assay_session_fill_gpu(assay_session *s, unsigned side, const assay_buffer *to, const assay_cuda_image *picture,
                           char *error, size_t error_size)
{
    struct assay_error e = {0};
    fill(s, side, to, picture, &e);
    return assay_answer(&e, error, error_size);
}
