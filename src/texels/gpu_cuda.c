/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions for frames that are in CUDA memory. */
#include <assay/gpu.h>

#include "engine/session.h"
#include "host/format.h"
#include "host/fpenv.h"

#ifdef ASSAY_HAVE_CUDA
#include "executors/gpu/images.h"

static int reopen(void *opaque, struct executor **out, struct assay_error *e)
{
    return executor_adopt(out, &(struct image_device){.api = IMAGE_CUDA, .cuda = {opaque}}, e);
}

static int start(struct assay_session *s, const assay_format *format, const assay_cuda *cuda)
{
    const struct selftest_device device = {reopen, cuda ? cuda->context : NULL};
    const uint32_t packing[2] = {cuda ? cuda->reference_packing : 0, cuda ? cuda->distorted_packing : 0};
    struct executor *x;
    if (format->alpha)
        return assay_fail(&s->error, ASSAY_EUSAGE, "pictures in CUDA memory have no plane of alpha");
    for (unsigned side = 0; side < 2; side++)
        if (packing[side] > (ASSAY_PACKED_PAIRS | ASSAY_PACKED_HIGH) ||
            (packing[side] & ASSAY_PACKED_PAIRS && format->layout == ASSAY_LAYOUT_RGB))
            return assay_fail(&s->error, ASSAY_EUSAGE, "a packing is a sum of ASSAY_PACKED_*, and RGB has no pairs");
    const int rc = reopen(device.opaque, &x, &s->error);
    if (rc) /* the session is as it was */
        return rc;
    for (unsigned side = 0; side < 2; side++) {
        s->packing[side] = packing[side];
        s->on_device[side] = packing[side] != 0;
    }
    return session_start_on_device(s, format, x, &device);
}

static int submit(struct executor *x, uint32_t slot, const uint32_t *held, const void *frame, struct assay_error *e)
{
    struct image_frame f = *(const struct image_frame *)frame;
    f.held = held;
    return executor_submit_images(x, slot, &f, e);
}

/* A plane's rows, in samples that lie where a kernel can read them. */
static bool plane_fits(const assay_format *f, uint32_t i, uint32_t packing, uint64_t data, size_t pitch)
{
    const size_t sample = format_sample_bytes(f), each = i && packing & ASSAY_PACKED_PAIRS ? 2 : 1;
    if (each == 2 && i == 2)
        return true;
    return data && pitch >= assay_format_plane_width(f, i) * sample * each && pitch <= INT32_MAX && !(data % sample) &&
           !(pitch % sample);
}

static int submit_pair(struct assay_session *s, uint64_t frame, const assay_cuda_picture *const picture[2], void *stream)
{
    const assay_format *f = &s->pair.format;
    struct image_frame pair = {.side = {{.api = IMAGE_CUDA}, {.api = IMAGE_CUDA}}, .stream = stream};
    for (unsigned side = 0; side < 2; side++) {
        struct device_picture *to = &pair.side[side].cuda;
        to->pairs = (s->packing[side] & ASSAY_PACKED_PAIRS) && assay_format_planes(f) == 3;
        to->shift = s->packing[side] & ASSAY_PACKED_HIGH && f->bit_depth > 8 ? 16 - f->bit_depth : 0;
        for (uint32_t i = 0; i < assay_format_planes(f); i++) {
            if (!picture[side] || !plane_fits(f, i, s->packing[side], picture[side]->plane[i], picture[side]->pitch[i]))
                return assay_fail(&s->error, ASSAY_EUSAGE, "a picture has a missing plane, a pitch shorter than its row, or "
                                  "samples of two bytes at an odd address");
            to->plane[i].data = picture[side]->plane[i];
            to->plane[i].pitch = picture[side]->pitch[i];
        }
    }
    return session_submit_on_device(s, frame, submit, &pair);
}

#else

static int start(struct assay_session *s, const assay_format *format, const assay_cuda *cuda)
{
    (void)format, (void)cuda;
    return assay_fail(&s->error, ASSAY_EDEVICE, "this build has no CUDA");
}

static int submit_pair(struct assay_session *s, uint64_t frame, const assay_cuda_picture *const picture[2], void *stream)
{
    (void)frame, (void)picture, (void)stream;
    return assay_fail(&s->error, ASSAY_EDEVICE, "this build has no CUDA");
}

#endif

int assay_session_start_cuda(assay_session *s, const assay_format *format, const assay_cuda *cuda)
{
    struct assay_fpenv saved;
    if (!s)
        return ASSAY_EUSAGE;
    s->error = (struct assay_error){0};
    int rc = format ? session_may_start(s) : assay_fail(&s->error, ASSAY_EUSAGE, "a session starts with the format of its pictures");
    if (rc)
        return rc;
    assay_fpenv_enter(&saved);
    rc = start(s, format, cuda);
    assay_fpenv_leave(&saved);
    return rc;
}

int assay_session_submit_cuda(assay_session *s, uint64_t frame, const assay_cuda_picture *reference,
                              const assay_cuda_picture *distorted, void *stream)
{
    const assay_cuda_picture *const picture[2] = {reference, distorted};
    if (!s)
        return ASSAY_EUSAGE;
    s->error = (struct assay_error){0};
    if (!s->started || s->running || s->source.opaque)
        return assay_fail(&s->error, ASSAY_EUSAGE, "the session was not started by assay_session_start_cuda");
    return submit_pair(s, frame, picture, stream);
}
