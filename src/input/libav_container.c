/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a container over a stream. What is read is the file that the user has named: a container whose content names
 * other files is a playlist. Playlists are refused, unless the user allows them. Then a part that can't be opened is a
 * fault of the container, whatever its demuxer makes of it.
 */
#include <stdio.h>
#include <string.h>

#include "host/bits.h"
#include "host/text.h"
#include "input/libav.h"

enum { IO_BUFFER = 64 * 1024 };

static int libav_io_read(void *opaque, uint8_t *dst, int n)
{
    struct libav *l = opaque;
    const size_t got = stream_read_some(l->stream, dst, n > 0 ? (size_t)n : 0);
    if (got > 0)
        return (int)got;
    return l->stream->error ? AVERROR(l->stream->error) : AVERROR_EOF;
}

/* Lets demuxers seek: some containers have their index at the end. */
static int64_t libav_io_seek(void *opaque, int64_t offset, int whence)
{
    struct libav *l = opaque;
    int64_t base = 0;
    if (whence & AVSEEK_SIZE)
        return (int64_t)l->stream->size;
    if ((whence & ~AVSEEK_FORCE) == SEEK_CUR)
        base = (int64_t)l->stream->offset;
    else if ((whence & ~AVSEEK_FORCE) == SEEK_END)
        base = (int64_t)l->stream->size;
    if (offset < -base || offset > INT64_MAX - base ||
        (uint64_t)(base + offset) > (uint64_t)INT64_MAX - l->stream->start)
        return AVERROR(EINVAL);
    if (stream_seek(l->stream, (uint64_t)(base + offset)))
        return base + offset;
    if (!l->stream->error) /* else a demuxer may take the failure for the end of the file */
        l->stream->error = EIO;
    return AVERROR(l->stream->error);
}

bool libav_needs_file(const struct libav *l)
{
    return !l->stream->regular && l->container && strncmp(l->container->iformat->name, "mov,", 4) == 0;
}
const char libav_needs_its_file[] =
    "its index lies behind its pictures, which a pipe has passed by then: give the file's name";

/* ---- playlists ---- */

/* Demuxers that open files which the content names, some of them without a call of io_open. */
static const char playlists[] = "hls concat dash imf webm_dash_manifest image2 rtsp sdp";

static int libav_refuse_playlist(const struct libav *l, const AVInputFormat *demuxer, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s: is a playlist (%s), which has assay open files that it names "
                      "(--allow-playlist allows it)", l->in.name, demuxer->name);
}

/* Called by demuxers that open other files. */
static int libav_open_part(AVFormatContext *container, AVIOContext **io, const char *url, int flags,
                           AVDictionary **options)
{
    struct libav *l = container->opaque;
    if (!l->playlist || (flags & AVIO_FLAG_WRITE)) {
        l->asked = true;
        return AVERROR(EPERM);
    }
    const int code = l->open_part(container, io, url, flags, options);
    if (code < 0) {
        char reason[AV_ERROR_MAX_STRING_SIZE] = "", text[sizeof l->fault], shown[sizeof l->fault];
        av_strerror(code, reason, sizeof reason);
        snprintf(text, sizeof text, "%s: %s", url, reason); /* the playlist may name it by any text */
        text_for_message(shown, sizeof shown, (const unsigned char *)text, strlen(text));
        libav_note_fault(l, shown);
    }
    return code;
}

/* Ends libav's waits, such as that for a live playlist to grow. */
static int libav_is_stopped(void *stop)
{
    return input_stopped(stop) != 0;
}

/* Options of the demuxer. No file, but for playlists: the pipe and the descriptors of this process are nobody's parts.
 * The last two are those of concat and HLS alone. */
static const char wishes_of_playlists[] = "protocol_whitelist=file,crypto,data;safe=0;max_reload=1",
                  wishes_of_others[] = "protocol_whitelist=none";

/* ---- opening ---- */

static int libav_make_context(struct libav *l, struct assay_error *e)
{
    unsigned char *buffer = av_malloc(IO_BUFFER);
    l->container = avformat_alloc_context();
    l->io = buffer && l->container ? avio_alloc_context(buffer, IO_BUFFER, 0, l, libav_io_read, NULL,
                                                        l->stream->regular ? libav_io_seek : NULL) : NULL;
    if (!l->io) {
        av_free(buffer);
        return assay_fail_memory(e, "libav");
    }
    l->io->seekable = l->stream->regular ? AVIO_SEEKABLE_NORMAL : 0;
    l->container->pb = l->io;
    l->container->flags |= AVFMT_FLAG_CUSTOM_IO; /* closing the container leaves l->io alone */
    l->container->opaque = l;
    l->container->interrupt_callback.callback = libav_is_stopped;
    l->container->interrupt_callback.opaque = (void *)l->stream->stop; /* which nobody changes by it */
    l->open_part = l->container->io_open;
    l->container->io_open = libav_open_part;
    return ASSAY_OK;
}

/* The transfer function of a DPX that libav does not hand on, or that nobody stated. libavcodec writes linear light
 * into every DPX, and behind it, where others have primaries, 2, which means nothing. It names itself as the creator,
 * or nobody where its output is bit-exact. */
static void libav_dpx_curve(struct libav *l, const unsigned char *creator, const unsigned char curve[2])
{
    enum { PRINTING = 1, LINEAR, LOGARITHM, NO_PRIMARIES = 2, UNKNOWN = 2, OF_LOGARITHM = 9 };
    l->transfer = curve[0] == PRINTING || curve[0] == LOGARITHM ? OF_LOGARITHM : 0;
    if (curve[0] != LINEAR || (memcmp(creator, "Lavc", 4) && (*creator || curve[1] != NO_PRIMARIES)))
        return;
    l->transfer = UNKNOWN;
    snprintf(l->in.notice, sizeof l->in.notice,
             "is FFmpeg's, which calls every DPX linear light: its transfer function is not known");
}

/* Colours of stills that libav does not hand on: profiles, and those of JPEG 2000 that it takes for RGB. */
static int libav_still_colours(struct libav *l, const unsigned char *start, size_t n, struct assay_error *e)
{
    enum { BMP_PROFILE = 70, CODED = 1, SRGB = 16, SYCC = 18, BOX = 11 };
    const bool bmp = n > BMP_PROFILE && !memcmp(start, "BM", 2) && start[14] >= 124, /* the head may have one */
               jp2 = n > BOX && !memcmp(start + 4, "jP  ", 4), psd = n > BOX && !memcmp(start, "8BPS", 4);
    size_t at = bmp ? BMP_PROFILE : 0;
    n = psd ? stream_peek(l->stream, &start, STREAM_BUFFER) : n;
    while (at + BOX < n && ((jp2 && memcmp(start + at, "colr", 4)) || (psd && memcmp(start + at, "8BIM\4\x0f", 6))))
        at++;
    if (at + BOX >= n)
        return ASSAY_OK;
    const uint64_t kind = jp2 && start[at + 4] == CODED ? big_endian(start + at + 7, 4) : SRGB;
    if (kind < SRGB || kind > SYCC)
        return assay_fail(e, ASSAY_EINPUT, "%s: is JPEG 2000 of colours other than sRGB, grey and sYCC", l->in.name);
    if (psd || (jp2 && start[at + 4] != CODED) ||
        (bmp && (!memcmp(start + at, "DEBM", 4) || !memcmp(start + at, "KNIL", 4))))
        snprintf(l->in.notice, sizeof l->in.notice, "its ICC profile is not read");
    return ASSAY_OK;
}

/* Whether the index of MP4 has all pictures of each track. Those that are described as of a second codec are not in it,
 * and of fragments it is not known before they are read. */
static bool libav_has_all(const struct libav *l)
{
    bool all = l->stream->regular && !l->stream->fragments;
    for (unsigned i = 0; i < l->container->nb_streams; i++) {
        const AVStream *s = l->container->streams[i];
        all &= s->codecpar->codec_type != AVMEDIA_TYPE_VIDEO ||
               (s->nb_frames > 0 && avformat_index_get_entries_count(s) == s->nb_frames);
    }
    return all;
}

int libav_open_container(struct libav *l, const struct input_options *options, struct assay_error *e)
{
    enum { DPX_CREATOR = 160, DPX_CURVE = 801 };
    const unsigned char *start;
    const size_t n = stream_peek(l->stream, &start, DPX_CURVE + 2);
    const bool pam = n >= 3 && !memcmp(start, "P7\n", 3), spiff = n >= 12 && !memcmp(start + 6, "SPIFF", 6);
    const AVInputFormat *demuxer = pam ? av_find_input_format("pam_pipe") /* libav takes few PAMs for one */
                                 : spiff ? av_find_input_format("jpegls_pipe") : NULL; /* image_kinds.c has others */
    AVDictionary *wishes = NULL;
    if (n > DPX_CURVE + 1 && (!memcmp(start, "SDPX", 4) || !memcmp(start, "XPDS", 4)))
        libav_dpx_curve(l, start + DPX_CREATOR, start + DPX_CURVE);
    TRY(libav_still_colours(l, start, n, e));
    l->playlist = options->playlist;
    TRY(libav_make_context(l, e));
    if (n >= 6 && (!memcmp(start, "#?RADI", 6) || !memcmp(start, "#?RGBE", 6))) /* some libav takes it for subtitles */
        return assay_fail(e, ASSAY_EINPUT, "%s: is Radiance HDR, which is not read: OpenEXR and PFM of its light are",
                          l->in.name);
    /* By content alone: a name must not decide how a file is read, nor be taken for a pattern of names. Newer libav
     * takes HLS for such by its name alone. */
    const char *const name = n >= 7 && !memcmp(start, "#EXTM3U", 7) ? "m.m3u8" : "";
    int code = demuxer ? 0 : av_probe_input_buffer2(l->io, &demuxer, name, l->container, 0, 0);
    if (code < 0 && code != AVERROR(ENOMEM) && !l->stream->error)
        return assay_fail(e, ASSAY_EINPUT, "%s: is neither %s nor anything that libav knows by its content%s",
                          l->in.name, options->image ? "an image that assay knows" : "Y4M", input_unknown(options));
    if (code >= 0 && !l->playlist && text_word(playlists, demuxer->name) >= 0)
        return libav_refuse_playlist(l, demuxer, e);
    if (code >= 0)
        code = av_dict_parse_string(&wishes, l->playlist ? wishes_of_playlists : wishes_of_others, "=", ";", 0);
    const bool mov = demuxer && strncmp(demuxer->name, "mov,", 4) == 0;
    libav_read_for(l);
    if (code >= 0)
        code = avformat_open_input(&l->container, options->path, demuxer, &wishes);
    av_dict_free(&wishes);
    l->counting = true; /* headers were read: from now on, what the demuxer calls an error is a loss of frames */
    const bool opened = code >= 0;
    if (opened && mov && libav_has_all(l))
        l->faults = 0; /* libav has warned of a second codec */
    for (unsigned i = 0; opened && i < l->container->nb_streams && i < LIBAV_TRACKS; i++) {
        const AVCodecParameters *c = l->container->streams[i]->codecpar; /* until libav looks into the stream */
        l->stated[i] = (assay_format){.range = (assay_range)c->color_range, .matrix = (uint32_t)c->color_space,
                                      .transfer = (uint32_t)c->color_trc, .primaries = (uint32_t)c->color_primaries};
    }
    if (opened)
        code = avformat_find_stream_info(l->container, NULL);
    libav_read_for(NULL);
    if (l->stream->error)
        return assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", l->in.name, strerror(l->stream->error));
    if (l->asked)
        return libav_refuse_playlist(l, demuxer, e);
    if (!opened && mov && !l->stream->regular && code != AVERROR(ENOMEM))
        return assay_fail(e, ASSAY_EINPUT, "%s: %s", l->in.name, libav_needs_its_file);
    return code < 0 ? libav_fail(l, code, "the container can't be opened", e) : ASSAY_OK;
}

/* MPEG-TS and MPEG-PS may be joined as they are. What the second file calls by other numbers is another track, which
 * begins behind the last packet of the one that is read. */
bool libav_is_wanted(struct libav *l)
{
    AVStream *of = l->container->streams[l->packet->stream_index];
    if (of != l->track && of->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && of->discard != AVDISCARD_ALL) {
        l->behind = FFMAX(l->behind, l->packet->pos);
        of->discard = AVDISCARD_ALL;
    }
    return of == l->track;
}
