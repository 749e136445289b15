/* SPDX-License-Identifier: BSD-2-Clause */
/* Information for players: rotation, mastering display, light levels, views, profiles. None of it changes a sample. */
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/spherical.h>
#include <libavutil/stereo3d.h>
#include <stdio.h>
#include <string.h>

#include "host/text.h"
#include "input/libav.h"

const uint8_t *libav_track_side_data(const AVStream *track, enum AVPacketSideDataType type, size_t size)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    const AVPacketSideData *found = av_packet_side_data_get(track->codecpar->coded_side_data,
                                                            track->codecpar->nb_coded_side_data, type);
    return found && found->size >= size ? found->data : NULL;
#else
    size_t n = 0;
    const uint8_t *data = av_stream_get_side_data(track, type, &n);
    return data && n >= size ? data : NULL;
#endif
}

/* Side data of the first frame, else of the track, or NULL. */
static const void *libav_side_data(const struct libav *l, enum AVFrameSideDataType frame,
                                   enum AVPacketSideDataType track, size_t size)
{
    const AVFrameSideData *own = av_frame_get_side_data(l->frame, frame);
    return own && own->size >= size ? own->data : libav_track_side_data(l->track, track, size);
}

/*
 * Reads the matrix by which a player turns the decoded picture: 16.16 fixed point, with a b / c d in elements 0, 1, 3
 * and 4. All tools write multiples of 90 degrees. Other angles are rounded to a degree.
 */
static void libav_orientation(const struct libav *l, int32_t *rotation, bool *mirrored)
{
    int32_t m[9];
    const void *data = libav_side_data(l, AV_FRAME_DATA_DISPLAYMATRIX, AV_PKT_DATA_DISPLAYMATRIX, sizeof m);
    if (!data)
        return;
    memcpy(m, data, sizeof m);
    *mirrored = (int64_t)m[0] * m[4] < (int64_t)m[1] * m[3];
    if (*mirrored)
        av_display_matrix_flip(m, 1, 0);
    const double turn = -av_display_rotation_get(m); /* clockwise; NaN for a singular matrix */
    if (turn >= -360 && turn <= 360)
        *rotation = (int)(turn + 720.5) % 360;
}

/* What a container states is that of all frames. Where MPEG-1 or MPEG-2 changes the shape of samples, libav's decoder
 * drops the picture that it still holds. It does so, too, or hands one out twice, where MPEG-2 or MPEG-4 begins or
 * ceases to have pictures that are shown in another order than they are decoded. */
int libav_same_display(struct libav *l, struct assay_error *e)
{
    const AVRational now = l->frame->sample_aspect_ratio, before = l->aspect;
    const int mpeg = text_word("mpeg4 mpeg1video mpeg2video", avcodec_get_name(l->track->codecpar->codec_id));
    int32_t rotation = l->in.rotation;
    bool mirrored = l->in.mirrored;
    if (!libav_track_side_data(l->track, AV_PKT_DATA_DISPLAYMATRIX, 1))
        libav_orientation(l, &rotation, &mirrored);
    if (now.num > 0)
        l->aspect = now;
    if (mpeg >= 0 && l->decoder->has_b_frames != l->delay)
        return input_fail(&l->in, e, "the order of decoding changes, where libav leaves out or repeats a picture");
    if (mpeg > 0 && av_cmp_q(now, before))
        return input_fail(&l->in, e, "the sample aspect ratio changes, where libav may leave out a picture");
    if (!l->any_aspect && l->track->sample_aspect_ratio.num <= 0 && now.num > 0 && before.num > 0 &&
        av_cmp_q(now, before))
        return input_fail(&l->in, e, "the sample aspect ratio changes (--allow-sar compares the samples as they are)");
    if (!l->any_rotation && (rotation != l->in.rotation || mirrored != l->in.mirrored))
        return input_fail(&l->in, e, "the rotation changes (--allow-rotation compares pictures as they are stored)");
    return ASSAY_OK;
}

static void libav_light(struct libav *l)
{
    enum { TEXT = sizeof l->in.display[0] };
    const AVMasteringDisplayMetadata *m = libav_side_data(l, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
                                                          AV_PKT_DATA_MASTERING_DISPLAY_METADATA, sizeof *m);
    const AVContentLightMetadata *c = libav_side_data(l, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
                                                      AV_PKT_DATA_CONTENT_LIGHT_LEVEL, sizeof *c);
    char *text = l->in.display[INPUT_MASTERING];
    if (m && m->has_primaries)
        text_append(text, TEXT, "R %.3f,%.3f G %.3f,%.3f B %.3f,%.3f white %.3f,%.3f",
                    av_q2d(m->display_primaries[0][0]), av_q2d(m->display_primaries[0][1]),
                    av_q2d(m->display_primaries[1][0]), av_q2d(m->display_primaries[1][1]),
                    av_q2d(m->display_primaries[2][0]), av_q2d(m->display_primaries[2][1]),
                    av_q2d(m->white_point[0]), av_q2d(m->white_point[1]));
    if (m && m->has_luminance)
        text_append(text, TEXT, "%s%.4g to %.5g cd/m2", *text ? " " : "", av_q2d(m->min_luminance),
                    av_q2d(m->max_luminance));
    if (c)
        snprintf(l->in.display[INPUT_LIGHT], TEXT, "MaxCLL %u MaxFALL %u", c->MaxCLL, c->MaxFALL);
    snprintf(l->in.display[INPUT_DYNAMIC_HDR], TEXT, "%s",
             libav_track_side_data(l->track, AV_PKT_DATA_DOVI_CONF, 1) ? "Dolby Vision"
             : av_frame_get_side_data(l->frame, AV_FRAME_DATA_DYNAMIC_HDR_PLUS) ? "HDR10+" : "");
}

static void libav_view(struct libav *l)
{
    const AVStereo3D *stereo = libav_side_data(l, AV_FRAME_DATA_STEREO3D, AV_PKT_DATA_STEREO3D, sizeof *stereo);
    const AVSphericalMapping *sphere = libav_side_data(l, AV_FRAME_DATA_SPHERICAL, AV_PKT_DATA_SPHERICAL,
                                                       sizeof *sphere);
    static const char *const packing[] = {"2D", "stereo side by side", "stereo top and bottom",
                                          "stereo frame by frame", "stereo checkerboard"};
    const unsigned type = stereo ? (unsigned)stereo->type : 0;
    snprintf(l->in.display[INPUT_VIEW], sizeof l->in.display[0], "%s%s%s",
             type >= sizeof packing / sizeof packing[0] ? "stereo" : type ? packing[type] : "",
             type && sphere ? ", " : "",
             !sphere ? "" : sphere->projection == AV_SPHERICAL_CUBEMAP ? "cube map" : "equirectangular");
}

void libav_describe_display(struct libav *l)
{
    l->aspect = l->frame->sample_aspect_ratio;
    l->delay = l->decoder->has_b_frames;
    libav_orientation(l, &l->in.rotation, &l->in.mirrored);
    libav_light(l);
    libav_view(l);
    if (libav_side_data(l, AV_FRAME_DATA_ICC_PROFILE, AV_PKT_DATA_ICC_PROFILE, 1))
        text_append(l->in.notice, sizeof l->in.notice, "%sits ICC profile is not read", l->in.notice[0] ? "; " : "");
}
