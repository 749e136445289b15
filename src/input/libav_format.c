/* SPDX-License-Identifier: BSD-2-Clause */
/* The format and description of a stream, from its first frame, its decoder and its container. */
#include <inttypes.h>
#include <libavutil/intreadwrite.h>
#include <string.h>

#include "host/colour.h"
#include "host/text.h"
#include "input/libav.h"

/* Containers carry their own cropping since FFmpeg 7.1: top, bottom, left, right, as 32-bit little-endian numbers. */
static void libav_container_crop(const AVStream *track, uint64_t crop[4])
{
    memset(crop, 0, 4 * sizeof crop[0]);
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 19, 100)
    const uint8_t *data = libav_track_side_data(track, AV_PKT_DATA_FRAME_CROPPING, 16);
    for (int i = 0; data && i < 4; i++)
        crop[i] = AV_RL32(data + 4 * i);
#else
    (void)track;
#endif
}

int libav_crop(const struct libav *l, const AVFrame *frame, const struct repack *r, struct repack_crop *crop,
               struct assay_error *e)
{
    uint64_t c[4];
    libav_container_crop(l->track, c);
    const uint64_t top = frame->crop_top + c[0], bottom = frame->crop_bottom + c[1];
    const uint64_t left = frame->crop_left + c[2], right = frame->crop_right + c[3];
    const uint64_t w = frame->width > 0 ? (uint64_t)frame->width : 0;
    const uint64_t h = frame->height > 0 ? (uint64_t)frame->height : 0;
    if (left >= w || right >= w - left || top >= h || bottom >= h - top)
        return input_fail(&l->in, e, "cropping leaves nothing of %" PRIu64 "x%" PRIu64, w, h);
    const uint64_t width = w - left - right, height = h - top - bottom;
    if (width > FORMAT_MAX_SIDE || height > FORMAT_MAX_SIDE)
        return input_fail(&l->in, e, "a picture of %" PRIu64 "x%" PRIu64 " is refused; sides are 1 to %d", width,
                          height, FORMAT_MAX_SIDE);
    const assay_format f = {.layout = r->layout};
    if (left % (1u << format_chroma_shift_x(&f)) != 0 || top % (1u << format_chroma_shift_y(&f)) != 0)
        return input_fail(&l->in, e, "cropping of %" PRIu64 " columns and %" PRIu64 " rows cuts chroma samples in two",
                          left, top);
    *crop = (struct repack_crop) { (uint32_t)left, (uint32_t)top, (uint32_t)width, (uint32_t)height };
    return ASSAY_OK;
}

struct repack_crop libav_part(const struct libav *l)
{
    const struct input_crop *c = &l->in.crop;
    return c->width ? (struct repack_crop){l->crop.left + c->left, l->crop.top + c->top, c->width, c->height} : l->crop;
}

/* The code of H.273 that a stream states, or else its container. 0 is "identity" or reserved, 2 nothing. */
static uint32_t libav_code(uint32_t stream, uint32_t container)
{
    return stream && stream != 2 ? stream : container ? container : 2;
}

void libav_colour(const struct libav *l, assay_format *f)
{
    const AVFrame *frame = l->frame;
    const assay_format *stated = &l->stated[FFMIN(l->track->index, LIBAV_TRACKS)];
    const bool rgb = l->repack.layout == ASSAY_LAYOUT_RGB;
    const unsigned siting = format_chroma_shift_x(f) ? (unsigned)frame->chroma_location : ASSAY_CHROMA_UNKNOWN;
    _Static_assert((int)AVCOL_RANGE_MPEG == ASSAY_RANGE_LIMITED && (int)AVCOL_RANGE_JPEG == ASSAY_RANGE_FULL, "");
    _Static_assert((int)AVCHROMA_LOC_LEFT == ASSAY_CHROMA_LEFT && (int)AVCHROMA_LOC_BOTTOM == ASSAY_CHROMA_BOTTOM, "");
    f->range = frame->color_range ? (assay_range)frame->color_range : stated->range;
    if (l->repack.full_range || (rgb && f->range == ASSAY_RANGE_UNKNOWN))
        f->range = ASSAY_RANGE_FULL;
    f->matrix = rgb ? 0 : libav_code(frame->colorspace, stated->matrix);
    f->transfer = l->transfer ? l->transfer : libav_code(frame->color_trc, stated->transfer);
    f->primaries = libav_code(frame->color_primaries, stated->primaries);
    f->chroma_location = siting <= ASSAY_CHROMA_BOTTOM ? (assay_chroma_location)siting : ASSAY_CHROMA_UNKNOWN;
}

/* Says in which colours a container contradicts its stream. */
static void libav_contradict(struct libav *l)
{
    char text[200] = "", name[2][COLOUR_NAME];
    assay_format *stated = &l->stated[FFMIN(l->track->index, LIBAV_TRACKS)];
    stated->layout = l->in.format.layout;
    for (enum colour_kind k = 0; k < COLOUR_SITING; k++)
        if (colour_differs(stated, &l->in.format, k))
            text_append(text, sizeof text, "%s%s %s against %s", *text ? ", " : "", colour_kind_name[k],
                        colour_name(stated, k, name[0]), colour_name(&l->in.format, k, name[1]));
    if (*text)
        text_append(l->in.notice, sizeof l->in.notice, "%sits container contradicts its stream, which counts: %s",
                    *l->in.notice ? "; " : "", text);
}

/* A frame that is marked as interlaced decides. Otherwise the track does, whose names end with the field that is
 * displayed first. */
static assay_field_order libav_field_order(const AVFrame *frame, const AVCodecParameters *track)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    const bool interlaced = (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
    const bool top_first = (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
    const bool interlaced = frame->interlaced_frame != 0;
    const bool top_first = frame->top_field_first != 0;
#endif
    if (interlaced)
        return top_first ? ASSAY_FIELD_TOP_FIRST : ASSAY_FIELD_BOTTOM_FIRST;
    const enum AVFieldOrder order = track->field_order;
    return order == AV_FIELD_PROGRESSIVE ? ASSAY_FIELD_PROGRESSIVE
           : order == AV_FIELD_TT || order == AV_FIELD_BT ? ASSAY_FIELD_TOP_FIRST
           : order == AV_FIELD_BB || order == AV_FIELD_TB ? ASSAY_FIELD_BOTTOM_FIRST : ASSAY_FIELD_UNKNOWN;
}

bool libav_is_image(const struct libav *l)
{
    const char *name = l->container->iformat->name;
    return text_ends(name, "_pipe") || strncmp(name, "image2", 6) == 0;
}

bool libav_is_bare(const struct libav *l)
{
    const AVClass *has = l->container->iformat->priv_class;
    return (l->container->iformat->flags & AVFMT_NOTIMESTAMPS) ||
           (has && av_opt_find(&has, "framerate", NULL, 0, AV_OPT_SEARCH_FAKE_OBJ));
}

/* A single image has no rate. A bare elementary stream has only the rate that its codec states; libav would invent 25.
 * In a short file whose times are in milliseconds, libav's guess gives 24 for 23.976; there the average rate is what
 * the container states. Where it states none, a guess of 1000 says that no rate was found. */
static AVRational libav_frame_rate(const struct libav *l)
{
    if (libav_is_image(l))
        return (AVRational) { 0, 0 };
    if (libav_is_bare(l))
        return l->decoder->framerate;
    const AVRational unit = l->track->time_base, stated = l->track->avg_frame_rate,
                     guess = av_guess_frame_rate(l->container, l->track, NULL);
    const bool average = unit.num == 1 && unit.den == 1000 && (stated.num > 0 || guess.num / 1000 == guess.den);
    return average ? stated : guess;
}

/* Whether the average rate is not that of the container's first times, by more than 1/100. A rate of fields is twice
 * that of frames. A rate of one picture in a unit of time says that none was found. */
static bool libav_uneven(const struct libav *l)
{
    const AVRational average = l->track->avg_frame_rate, base = l->track->r_frame_rate, unit = l->track->time_base;
    if (libav_is_image(l) || libav_is_bare(l) || average.num <= 0 || average.den <= 0 || base.num <= 0 ||
        base.den <= 0 || (int64_t)base.num * unit.num == (int64_t)base.den * unit.den)
        return false;
    const uint64_t b = (uint64_t)base.num * (uint64_t)average.den;
    for (uint64_t fields = 1; fields <= 2; fields++) {
        const uint64_t a = fields * (uint64_t)average.num * (uint64_t)base.den;
        if ((a > b ? a - b : b - a) <= b / 100)
            return false;
    }
    return true;
}

static void libav_set_ratio(uint32_t *num, uint32_t *den, AVRational r)
{
    *num = r.num > 0 ? (uint32_t)r.num : 0;
    *den = r.den > 0 ? (uint32_t)r.den : 0;
    ratio_reduce(num, den);
}

/* Fields may be packets of their own. Packets of HEVC, AV1 and others may show nothing, and empty ones are not read. */
uint64_t libav_indexed(const struct libav *l)
{
    static const char one_each[] = "h264 ffv1 huffyuv ffvhuff dnxhd mjpeg utvideo prores cfhd jpeg2000 png";
    const int entries = avformat_index_get_entries_count(l->track);
    if (strncmp(l->container->iformat->name, "mov,", 4) || entries <= 0 || entries != l->track->nb_frames ||
        l->track->codecpar->field_order != AV_FIELD_PROGRESSIVE || !libav_only_frames(l) ||
        text_word(one_each, avcodec_get_name(l->track->codecpar->codec_id)) < 0)
        return 0;
    for (int i = 0; i < entries; i++)
        if (avformat_index_get_entry(l->track, i)->flags & AVINDEX_DISCARD_FRAME ||
            !avformat_index_get_entry(l->track, i)->size)
            return 0;
    return (uint64_t)entries;
}

/* Corrects the plan for samples of fewer bits than the pixel format has. These decoders move them to its top, but that
 * of JPEG leaves those of RGB at the bottom. Others scale them (PNG, PNM). Of inks the decoder of JPEG has a fourth
 * plane in the place of alpha, and that of TIFF makes RGB0. Returns why the samples can't be had, or NULL. */
static const char *libav_plan_bits(struct repack *r, const struct libav *l)
{
    const enum AVCodecID id = l->track->codecpar->codec_id;
    const int bits = l->decoder->bits_per_raw_sample, top = (int)r->depth - bits;
    if ((id == AV_CODEC_ID_MJPEG && r->alpha && r->component[0].step == 1) ||
        (id == AV_CODEC_ID_TIFF && l->frame->format == AV_PIX_FMT_RGB0))
        return libav_of_inks;
    if (bits <= 0 || top <= 0 || text_word("jpeg2000 mjpeg jpegls", avcodec_get_name(id)) < 0)
        return NULL;
    if (bits <= 8 || !r->component[0].alone || (id == AV_CODEC_ID_MJPEG && r->layout == ASSAY_LAYOUT_RGB))
        return "the file's samples have fewer bits than it has";
    r->depth = (uint32_t)bits;
    for (int i = 0; i < 3; i++)
        r->component[i].shift += top;
    return NULL;
}

int libav_describe(struct libav *l, struct assay_error *e)
{
    assay_format *f = &l->in.format;
    const int64_t duration = l->container->duration;
    const char *reason = repack_plan(&l->repack, libav_samples(l));
    if (!reason)
        reason = libav_plan_bits(&l->repack, l);
    if (reason) {
        const char *name = av_get_pix_fmt_name(libav_samples(l));
        return assay_fail(e, ASSAY_EINPUT, "%s: pixel format %s is refused: %s", l->in.name, name ? name : "?", reason);
    }
    if (libav_is_gray(l, true))
        l->repack.layout = ASSAY_LAYOUT_400;
    TRY(libav_crop(l, l->frame, &l->repack, &l->crop, e));
    l->pixel_format = l->frame->format;
    f->width = l->crop.width;
    f->height = l->crop.height;
    f->bit_depth = l->repack.depth;
    f->layout = l->repack.layout;
    libav_colour(l, f);
    libav_contradict(l);
    f->field_order = libav_field_order(l->frame, l->track->codecpar);
    libav_set_ratio(&f->rate_num, &f->rate_den, libav_frame_rate(l));
    libav_set_ratio(&f->sar_num, &f->sar_den, av_guess_sample_aspect_ratio(l->container, l->track, l->frame));
    libav_set_ratio(&l->in.time_num, &l->in.time_den, libav_is_bare(l) ? (AVRational){0, 0} : l->track->time_base);
    l->in.image = libav_is_image(l);
    l->in.uneven = libav_uneven(l);
    libav_describe_display(l);
    if (l->track->nb_frames > 0)
        l->in.frames_hint = l->track->nb_frames;
    else if (duration > 0 && f->rate_num > 0 && f->rate_num <= INT32_MAX)
        l->in.frames_hint = av_rescale(duration, f->rate_num, (int64_t)f->rate_den * AV_TIME_BASE);
    if (libav_indexed(l) && l->sent[1].pts == l->frame->pts)
        l->in.frames = (int64_t)libav_indexed(l);
    return ASSAY_OK;
}
