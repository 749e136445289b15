/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding on the device by libav's CUDA hwaccels (NVDEC). CUDA's headers and libraries are not needed: libav opens the
 * driver itself and uses the device's primary context, as the CUDA executor does. libav's frames hold device addresses.
 */
#include <stdio.h>

#include "input/libav.h"

const AVCodec *libav_hw_codec(enum AVCodecID id)
{
    void *position = NULL;
    const AVCodec *codec;
    while ((codec = av_codec_iterate(&position))) {
        if (codec->id != id || !av_codec_is_decoder(codec) || (codec->capabilities & AV_CODEC_CAP_HARDWARE))
            continue;
        const AVCodecHWConfig *config;
        for (int i = 0; (config = avcodec_get_hw_config(codec, i)); i++)
            if (config->device_type == AV_HWDEVICE_TYPE_CUDA && config->pix_fmt == AV_PIX_FMT_CUDA &&
                (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX))
                return codec;
    }
    return NULL;
}

/* AVCodecContext.get_format: called for every sequence, and again without CUDA's format when
 * the device can't decode it. */
static enum AVPixelFormat libav_hw_choose_format(AVCodecContext *decoder, const enum AVPixelFormat *offered)
{
    for (; *offered != AV_PIX_FMT_NONE; offered++)
        if (*offered == AV_PIX_FMT_CUDA)
            return AV_PIX_FMT_CUDA;
    const struct libav_packet *packet = decoder->opaque;
    packet->owner->hw.gave_up = true;
    return AV_PIX_FMT_NONE;
}

int libav_hw_attach(struct libav *l, unsigned number)
{
    char text[12];
    AVDictionary *options = NULL;
    snprintf(text, sizeof text, "%u", number);
    int code = av_dict_parse_string(&options, "primary_ctx=1", "=", ";", 0);
    if (code >= 0)
        code = av_hwdevice_ctx_create(&l->decoder->hw_device_ctx, AV_HWDEVICE_TYPE_CUDA, text, options, 0);
    av_dict_free(&options);
    l->decoder->get_format = libav_hw_choose_format;
    l->decoder->thread_count = 1; /* the device has its own */
    return code < 0 ? code : 0;
}

bool libav_hw_misreads(struct libav *l)
{
    if (!libav_is_gray(l, false))
        return false;
    snprintf(l->last_error, sizeof l->last_error, "it reads H.264 without chroma as if it had some");
    return l->hw.gave_up = true;
}

enum AVPixelFormat libav_samples(const struct libav *l)
{
    return l->frame->format == AV_PIX_FMT_CUDA ? l->decoder->sw_pix_fmt : (enum AVPixelFormat)l->frame->format;
}

static enum AVPixelFormat libav_hw_surface_of(const AVFrame *frame)
{
    return frame->hw_frames_ctx ? ((const AVHWFramesContext *)frame->hw_frames_ctx->data)->sw_format : AV_PIX_FMT_NONE;
}

/* Whether the device's pixel format holds the samples of the stream's; sets hw->pairs and hw->high. */
static bool libav_hw_understand(struct libav_hw *hw, const struct repack *r)
{
    static const struct {
        enum AVPixelFormat surface;
        assay_layout layout;
        uint32_t least, most; /* bits of the stream's samples */
    } known[] = {
        {AV_PIX_FMT_NV12, ASSAY_LAYOUT_420, 8, 8}, {AV_PIX_FMT_P010, ASSAY_LAYOUT_420, 10, 10},
        {AV_PIX_FMT_P016, ASSAY_LAYOUT_420, 9, 16}, {AV_PIX_FMT_NV16, ASSAY_LAYOUT_422, 8, 8},
        {AV_PIX_FMT_P210, ASSAY_LAYOUT_422, 10, 10}, {AV_PIX_FMT_P216, ASSAY_LAYOUT_422, 9, 16},
        {AV_PIX_FMT_YUV444P, ASSAY_LAYOUT_444, 8, 8}, {AV_PIX_FMT_YUV444P16, ASSAY_LAYOUT_444, 9, 16}};
    unsigned i = 0;
    while (i < sizeof known / sizeof known[0] && known[i].surface != hw->surface)
        i++;
    if (i == sizeof known / sizeof known[0] || r->depth < known[i].least || r->depth > known[i].most)
        return false;
    hw->high = r->depth > 8; /* the device fills the high bits also of 10-bit samples */
    hw->pairs = known[i].layout != ASSAY_LAYOUT_444;
    return r->layout == known[i].layout || (r->layout == ASSAY_LAYOUT_400 && known[i].layout == ASSAY_LAYOUT_420);
}

static bool libav_has_grain_in_software(const struct libav *l)
{
    return l->decoder->codec_id == AV_CODEC_ID_AV1 && av_frame_get_side_data(l->frame, AV_FRAME_DATA_FILM_GRAIN_PARAMS);
}

const char *libav_hw_plan(struct libav *l, char *text, size_t size)
{
    if (l->frame->format != AV_PIX_FMT_CUDA)
        return "pictures in the host's memory";
    if (libav_has_grain_in_software(l))
        return "pictures without their film grain";
    l->hw.samples = l->decoder->sw_pix_fmt;
    l->hw.surface = libav_hw_surface_of(l->frame);
    if (libav_hw_understand(&l->hw, &l->repack))
        return NULL;
    const char *from = av_get_pix_fmt_name(l->hw.samples), *to = av_get_pix_fmt_name(l->hw.surface);
    snprintf(text, size, "%s as %s", from ? from : "?", to ? to : "?");
    return text;
}

int libav_hw_same(const struct libav *l, struct assay_error *e)
{
    TRY(libav_same_pixels(l, l->hw.samples, l->decoder->sw_pix_fmt, e));
    TRY(libav_same_pixels(l, l->hw.surface, libav_hw_surface_of(l->frame), e));
    return !libav_has_grain_in_software(l) ? ASSAY_OK
         : assay_fail(e, ASSAY_EDEVICE, "%s: frame %llu: has film grain, which the device's pictures lack "
                      "(--hwdec off)", l->in.name, (unsigned long long)l->in.index);
}

void libav_hw_locate(const struct libav *l, assay_cuda_image *to)
{
    const AVFrame *f = l->frame;
    const struct repack *r = &l->repack;
    const struct repack_crop part = libav_part(l);
    const size_t sample = r->depth > 8 ? 2 : 1;
    const bool luma = r->layout == ASSAY_LAYOUT_400;
    *to = (assay_cuda_image){.format = &l->in.format};
    to->packing = (l->hw.pairs && !luma ? ASSAY_PACKED_PAIRS : 0) | (l->hw.high ? ASSAY_PACKED_HIGH : 0);
    for (unsigned i = 0; i < (luma ? 1u : l->hw.pairs ? 2u : 3u); i++) {
        const uint32_t sx = i ? format_chroma_shift_x(&l->in.format) : 0,
                       sy = i ? format_chroma_shift_y(&l->in.format) : 0;
        const size_t each = i && l->hw.pairs ? 2 : 1;
        to->pitch[i] = (size_t)f->linesize[i];
        to->plane[i] = (uint64_t)(uintptr_t)f->data[i] + (uint64_t)(part.top >> sy) * to->pitch[i] +
                       (uint64_t)(part.left >> sx) * sample * each;
    }
}
