/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Containers and images through FFmpeg's libav*. Pictures are decoded in order from the first to the last. Decoders run
 * bit-exact with one inverse transform. They mark the pictures that are damaged, and such a picture is an error here:
 * none is left out or made up in silence.
 */
#include "input/libav.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/bits.h"
#include "host/text.h"
#include "input/libav_reader.h"

static const char undecodable[] = "the stream can't be decoded from here on";
const char libav_of_inks[] = "its colours are inks, which have no exact RGB; convert it first";

static void libav_close(struct input *in)
{
    struct libav *l = (struct libav *)in;
    avcodec_free_context(&l->decoder);
    avformat_close_input(&l->container);
    if (l->io) {
        av_freep(&l->io->buffer);
        avio_context_free(&l->io);
    }
    av_frame_free(&l->frame);
    av_packet_free(&l->packet);
    libav_empty_line(l);
    stream_close(&l->stream);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

/* The bytes that a still picture has at least by its own head, of formats of which libav's decoders make up what is
 * missing at the end without a word. `d` has zeros behind its n bytes. 0: it does not say it. */
static uint64_t libav_still_end(const char *codec, const uint8_t *d, uint64_t n)
{
    enum { SUN_HEAD = 32, SUN_RUNS = 2, SGI_HEAD = 512, QOI_TAIL = 8, PCX_HEAD = 128, PIX_HEAD = 10, PSD_HEAD = 26 };
    if (!strcmp(codec, "bmp"))
        return little_endian(d + 2, 4);
    if (!strcmp(codec, "dpx") && big_endian(d + 16, 4) != UINT32_MAX)
        return d[0] == 'S' ? big_endian(d + 16, 4) : little_endian(d + 16, 4);
    if (!strcmp(codec, "qoi")) /* seven zeros and a 1 */
        return n < QOI_TAIL || big_endian(d + n - QOI_TAIL, QOI_TAIL) != 1 ? n + 1 : n;
    if (!strcmp(codec, "sunrast")) { /* old ones may state no length */
        const uint64_t row = (big_endian(d + 4, 4) * big_endian(d + 12, 4) + 15) / 16 * 2;
        const uint64_t plain = big_endian(d + 20, 4) == SUN_RUNS ? 0 : row * big_endian(d + 8, 4);
        return SUN_HEAD + big_endian(d + 28, 4) + FFMAX(plain, big_endian(d + 16, 4));
    }
    if (!strcmp(codec, "alias_pix") && n > PIX_HEAD) /* runs of one size */
        return n + (n - PIX_HEAD) % (1 + big_endian(d + 8, 2) / 8);
    if (!strcmp(codec, "pcx") && n > PCX_HEAD) {
        const uint64_t row = d[65] * little_endian(d + 66, 2), bottom = little_endian(d + 10, 2);
        uint64_t end = PCX_HEAD;
        for (uint64_t y = little_endian(d + 6, 2), x; y <= bottom; y++)
            for (x = 0; x < row && end <= n; end++)
                x += d[2] && d[end] >= 0xc0 ? d[end++] & 0x3f : 1; /* a run is in front of its sample */
        return end;
    }
    if (!strcmp(codec, "psd") && n > PSD_HEAD) { /* behind three sections, how runs are stored: the sizes of rows */
        uint64_t at = PSD_HEAD;
        for (int i = 0; i < 3 && at < n; i++)
            at += 4 + big_endian(d + at, 4);
        const uint64_t rows = at < n && big_endian(d + at, 2) == 1 ? big_endian(d + 12, 2) * big_endian(d + 14, 4) : 0;
        const uint64_t first = at + 2 + 2 * rows;
        uint64_t end = rows ? first : 0;
        for (at += 2; end <= n && at < first; at += 2)
            end += big_endian(d + at, 2);
        return end;
    }
    const uint64_t rows = strcmp(codec, "sgi") || !d[2] ? 0 : big_endian(d + 8, 2) * big_endian(d + 10, 2);
    uint64_t end = rows ? SGI_HEAD + 8 * rows : 0;
    for (uint64_t at = SGI_HEAD; end <= n && at < SGI_HEAD + 4 * rows; at += 4) /* where rows begin, lengths */
        end = FFMAX(end, big_endian(d + at, 4) + big_endian(d + at + 4 * rows, 4));
    return end;
}

/* Whether a still picture is a binary PGM, PPM or PAM whose largest sample is neither 255 nor 65535. Its decoder brings
 * samples to these by a factor of a few bits, so that some are off by one, and larger ones wrap. Zeros end `text`. */
static bool libav_is_rescaled(const char *codec, const char *text)
{
    static const char blanks[] = " \t\r\n";
    if ((strcmp(codec, "pgm") && strcmp(codec, "ppm") && strcmp(codec, "pam")) || !strchr("567", text[1]))
        return false;
    const char *at = text[1] == '7' ? strstr(text, "MAXVAL") : text;
    for (int words = text[1] == '7' ? 1 : 3; at && (words || *at == '#'); at += strspn(at, blanks)) {
        words -= *at != '#';
        at += strcspn(at, *at == '#' ? "\n" : blanks);
    }
    const unsigned long largest = at ? strtoul(at, NULL, 10) : 0;
    return at && *at >= '0' && *at <= '9' && largest != UINT8_MAX && largest != UINT16_MAX;
}

/*
 * Whether l->packet is a picture without its end, or with another one behind it, which libav passes over. Of a JPEG
 * file, and of one in a bare stream, the decoder would make up a short missing part. Coded samples hold no markers
 * except restarts, and thumbnails come first. So the end of the image (0xffd9) must follow the last start of a scan
 * (0xffda). In NUT whose end was lost, or to which another file was joined, libav makes packets of what it finds.
 */
static bool libav_is_cut(const struct libav *l, const char *codec)
{
    const char *const container = l->container->iformat->name;
    const bool jpeg = text_word("jpeg_pipe jpegls_pipe mjpeg", container) >= 0;
    if (!strcmp(container, "nut") && l->stated_end && l->packet->pos + l->packet->size > (int64_t)l->stated_end)
        return true;
    for (int i = l->packet->size - 2; jpeg && i >= 0; i--)
        if (l->packet->data[i] == 0xff && (l->packet->data[i + 1] == 0xd9 || l->packet->data[i + 1] == 0xda))
            return l->packet->data[i + 1] == 0xda;
    const uint8_t *const d = l->packet->data;
    const uint64_t n = (uint64_t)l->packet->size, end = n ? libav_still_end(codec, d, n) : 0;
    return end > n || (end && n - end >= 4 && !memcmp(d + end, d, 4));
}

/* Why l->packet's picture can't be had as the file has it, or NULL. */
static const char *libav_refusal(const struct libav *l)
{
    enum { PSD_MODE_AT = 25, PSD_CMYK = 4, PSD_INKS = 8 };
    const AVPacket *const p = l->packet;
    const char *const codec = avcodec_get_name(l->track->codecpar->codec_id);
    const uint8_t psd = p->size > PSD_MODE_AT && !strcmp(codec, "psd") ? p->data[PSD_MODE_AT] : 0;
    if (psd == PSD_CMYK || psd == PSD_INKS)
        return libav_of_inks;
    if (p->size > 2 && libav_is_rescaled(codec, (const char *)p->data))
        return "its largest sample is stated as neither 255 nor 65535, and libav would scale its samples inexactly";
    return l->in.conceal ? NULL : p->flags & AV_PKT_FLAG_CORRUPT ? "damaged or truncated in its container"
         : libav_is_cut(l, codec) ? "truncated, or joined to another picture" : NULL;
}

/* Whether libav leaves out the picture of l->packet, of a fragment of MP4, because times go back to where they were:
 * files were joined. Edit lists leave out pictures, too, but only of those that the file's head counts, or of those
 * that were read before and are shown again. */
static bool libav_begins_anew(const struct libav *l)
{
    return l->packet->flags & AV_PKT_FLAG_DISCARD && l->packet->stream_index == l->track->index && l->count.dated &&
           l->packet->dts <= l->count.dts && l->count.packets >= (uint64_t)FFMAX(l->track->nb_frames, 1) &&
           l->packet->pos > l->count.place;
}

/* Why the end that libav has found is not that of the video; NULL: it is, as far as the file says. */
static const char *libav_odd_end(struct libav *l)
{
    const uint64_t end = l->stream->regular ? l->stream->size : l->stream->offset;
    l->joined |= l->count.packets > 1 && l->behind > l->count.place;
    return l->joined ? "another file was joined to this one here, and is not read: a tool can join such files"
         : end < l->stated_end ? "truncated: the container goes on past the end of the file" : NULL;
}

/* Ends reading with `code`. */
static int libav_stop(struct libav *l, int code, const char *why)
{
    av_packet_unref(l->packet);
    snprintf(l->failure, sizeof l->failure, "%s", why);
    return code;
}

int libav_read_packet(struct libav *l)
{
    for (;;) {
        libav_read_for(l);
        int code = av_read_frame(l->container, l->packet);
        libav_read_for(NULL);
        if (l->stream->error) {
            snprintf(l->failure, sizeof l->failure, "can't be read: %s", strerror(l->stream->error));
            return AVERROR(l->stream->error);
        }
        if (code >= 0 && libav_begins_anew(l))
            libav_note_fault(l, "the times of its fragments begin anew, so that pictures are left out");
        /* Of the end of the file these demuxers make another failure, without a word. */
        const bool over = code < 0 && code != AVERROR(ENOMEM) && l->io->eof_reached &&
                          text_word("gxf mpjpeg", l->container->iformat->name) >= 0;
        if (over || (code >= 0 && l->joined && l->packet->pos >= (int64_t)l->stated_end)) {
            av_packet_unref(l->packet);
            code = AVERROR_EOF;
        }
        const char *odd = code == AVERROR_EOF ? libav_odd_end(l) : NULL;
        if (odd && l->in.conceal)
            libav_note_fault(l, odd);
        char fault[sizeof l->failure];
        if (libav_has_faults(l, fault, sizeof fault) && !l->in.conceal)
            return libav_stop(l, AVERROR_INVALIDDATA,
                              libav_needs_file(l) && !l->packets ? libav_needs_its_file : fault);
        if (odd && !l->in.conceal)
            return libav_stop(l, l->joined ? AVERROR_EOF : AVERROR_INVALIDDATA, odd);
        if (code == AVERROR_EOF) {
            l->count.ended = !l->count.broken;
            return 0;
        }
        if (code < 0) {
            libav_explain(l, code, "can't be read from its container", l->failure, sizeof l->failure);
            return libav_needs_file(l) ? libav_stop(l, code, libav_needs_its_file) : code;
        }
        const bool wanted = libav_is_wanted(l) && (l->packet->size || l->packet->side_data_elems);
        if (wanted && (!l->line.place || l->packet->pos == l->line.place))
            break;
        if (wanted && l->packet->pos > l->line.place)
            return libav_stop(l, AVERROR_INVALIDDATA, "can't be found by the container's index");
        av_packet_unref(l->packet);
    }
    l->line.place = 0;
    libav_count_packet(l);
    const char *const refusal = libav_refusal(l);
    return refusal ? libav_stop(l, AVERROR_INVALIDDATA, refusal) : 1;
}

/* libav_read_packet, but takes packets in line first. */
static int libav_next_packet(struct libav *l)
{
    struct libav_line *line = &l->line;
    if (line->next == line->count)
        return line->ended ? line->end : libav_read_packet(l);
    av_packet_move_ref(l->packet, line->packet[line->next]);
    av_packet_free(&line->packet[line->next++]);
    return 1;
}

/* Has the decoder hand a packet's number on to its picture. Times don't do: packets of bare streams lack them. */
static void libav_number_picture(struct libav *l)
{
#ifdef AV_CODEC_FLAG_COPY_OPAQUE
    l->packet->opaque = (void *)(uintptr_t)l->packets;
#else
    l->decoder->reordered_opaque = (int64_t)l->packets;
#endif
}

/* The packet of which l->frame is the picture, or NULL. */
static const struct libav_packet *libav_packet_of_frame(const struct libav *l)
{
#ifdef AV_CODEC_FLAG_COPY_OPAQUE
    const uint64_t number = (uintptr_t)l->frame->opaque;
#else
    const uint64_t number = (uint64_t)l->frame->reordered_opaque;
#endif
    const struct libav_packet *sent = &l->sent[number % LIBAV_PACKETS];
    return number && sent->number == number ? sent : NULL;
}

/* Sends the decoder the next packet, or the end of the stream. 0 or libav's code. */
static int libav_feed(struct libav *l)
{
    const int got = libav_next_packet(l);
    if (got == 1) {
        struct libav_packet *slot = &l->sent[++l->packets % LIBAV_PACKETS];
        *slot = (struct libav_packet) { l, l->packets, l->packet->pts, l->packet->dts,
                                        (l->packet->flags & AV_PKT_FLAG_CORRUPT) != 0 };
        l->decoder->opaque = slot;
        l->uncounted |= !libav_shows_one(l, l->packet);
        libav_number_picture(l);
        libav_note_order(l);
        l->last_dts = l->packet->dts;
    } else {
        l->draining = true;
        l->last_dts = got == AVERROR_EOF ? INT64_MAX : l->last_dts;
    }
    if (got == AVERROR(ENOMEM))
        return got;
    l->failing = got < 0;
    const int code = got == 1 && l->hw.on && libav_hw_misreads(l) ? AVERROR_EXTERNAL
                   : avcodec_send_packet(l->decoder, got == 1 ? l->packet : NULL);
    av_packet_unref(l->packet);
    return code == AVERROR_EOF ? 0 : code;
}

/* Fails with l->failure: nothing more can be decoded. */
static int libav_give_up(const struct libav *l, struct assay_error *e)
{
    if (l->hw.gave_up)
        return assay_fail(e, ASSAY_EDEVICE,
                          "%s: frame %" PRIu64 ": the device can't decode what follows, "
                          "--hwdec off decodes it on the CPU: %s", l->in.name, l->in.index, l->failure);
    return input_fail(&l->in, e, "%s", l->failure);
}

/*
 * Called when the decoder has failed with `code`. True: the packet that it failed at is known. Then the pictures before
 * that packet are handed out first, as after a failure of the container. So their number does not depend on the number
 * of threads.
 */
static bool libav_fail_later(struct libav *l, int code)
{
    const struct libav_packet *damaged = l->strict ? libav_damaged(l) : NULL;
    if (!damaged || damaged->dts == AV_NOPTS_VALUE || code == AVERROR(ENOMEM))
        return false;
    libav_explain(l, code, undecodable, l->failure, sizeof l->failure);
    l->hw.gave_up |= l->hw.on && code == AVERROR_EXTERNAL;
    l->failing = true;
    l->last_dts = damaged->dts;
    if (!l->draining) {
        l->draining = true;
        (void)avcodec_send_packet(l->decoder, NULL);
    }
    return true;
}

/*
 * Whether l->frame may be damaged by the first packet for which the decoder has logged an error: the frame is that
 * packet's picture, or it was decoded later, or it is shown later. A frame thread hands out its picture when its packet
 * is done, so an error of that packet is known by then. Other threads may have logged errors of later packets. These
 * don't count for this picture.
 */
static bool libav_is_damaged(struct libav *l)
{
    const struct libav_packet *damaged = libav_damaged(l);
    if (!damaged)
        return false;
    if (l->frame->pts == AV_NOPTS_VALUE || damaged->pts == AV_NOPTS_VALUE || l->frame->pts > damaged->pts)
        return true;
    const struct libav_packet *sent = libav_packet_of_frame(l);
    return !sent || sent->number >= damaged->number;
}

/* Whether a picture at `time` is the one behind that which was handed out last, by the frame rate. Containers round by
 * less than a quarter of a picture, and none fits between two that are so near. */
static bool libav_follows(const struct libav *l, int64_t time)
{
    const assay_format *f = &l->in.format;
    const AVRational unit = l->track->time_base;
    const double pictures = ((double)time - (double)l->time) * unit.num / unit.den * f->rate_num / f->rate_den;
    return pictures > 0.75 && pictures < 1.25;
}

/*
 * Whether l->frame, which the decoder still held at a failure, is good: no lost packet can come before it. Decoding
 * times only grow, and no picture is shown before it is decoded. So a picture whose time is at most the last packet's
 * decoding time is good. Where all pictures so far were evenly apart, the next one is, too.
 */
static bool libav_is_next(const struct libav *l)
{
    const int64_t time = l->frame->pts;
    const bool even = l->time != INPUT_NO_TIME && !l->uneven && !l->in.uneven;
    return l->last_dts == INT64_MAX || (time != AV_NOPTS_VALUE && l->last_dts != AV_NOPTS_VALUE &&
                                        (time <= l->last_dts || (even && libav_follows(l, time))));
}

/* Puts the decoder's next picture into l->frame. Returns 1, 0 at the end, or negative. */
static int libav_receive(struct libav *l, struct assay_error *e)
{
    int patience = LIBAV_PACKETS; /* failures that may follow from the first one, at most */
    for (;;) {
        int code = avcodec_receive_frame(l->decoder, l->frame);
        if (l->failing) {
            if (code < 0 && code != AVERROR_EOF && code != AVERROR(ENOMEM) && --patience > 0)
                continue;
            if (code != 0 || !libav_is_next(l))
                return libav_give_up(l, e);
        }
        if (code == 0 && l->frame->pts < l->from && l->frame->pts != AV_NOPTS_VALUE)
            continue;
        l->from = code == 0 ? INT64_MIN : l->from; /* later ones count, whatever their times are */
        if (code == 0 || code == AVERROR_EOF)
            return code == 0;
        if (code == AVERROR(EAGAIN) && !l->draining)
            code = libav_feed(l);
        if (code < 0 && l->in.conceal && !l->hw.gave_up && code != AVERROR(ENOMEM) && --patience > 0)
            continue; /* a packet without a picture */
        if (code < 0 && !libav_fail_later(l, code)) {
            if (!l->hw.on || code == AVERROR(ENOMEM))
                return libav_fail(l, code, undecodable, e);
            libav_explain(l, code, undecodable, l->failure, sizeof l->failure);
            l->hw.gave_up |= code == AVERROR_EXTERNAL;
            return libav_give_up(l, e);
        }
    }
}

/* Whether the decoder says that l->frame is damaged, in the frame or while it had the frame's packet. */
static bool libav_is_concealed(struct libav *l)
{
    const struct libav_packet *sent = libav_packet_of_frame(l);
    bool damaged = (l->frame->flags & AV_FRAME_FLAG_CORRUPT) || l->frame->decode_error_flags;
    pthread_mutex_lock(&l->lock);
    damaged |= sent && sent->damaged;
    pthread_mutex_unlock(&l->lock);
    return damaged;
}

/* Decodes the next picture into l->frame, unless it is damaged: 1, 0 at the end, negative. */
static int libav_decode(struct libav *l, struct assay_error *e)
{
    const int got = libav_receive(l, e);
    if (got != 1)
        return got;
    if (l->in.conceal) {
        l->concealed = libav_is_concealed(l);
        return 1;
    }
    if (l->strict && libav_is_damaged(l))
        return libav_fail(l, AVERROR_INVALIDDATA, "is damaged", e);
    /* Slices that lack are logged. In fields the flag is set where the thread had a frame before, though none lacks. */
    const int unlogged = l->frame->decode_error_flags & ~(l->strict ? FF_DECODE_ERROR_DECODE_SLICES : 0);
    if ((l->frame->flags & AV_FRAME_FLAG_CORRUPT) || unlogged)
        return input_fail(&l->in, e, "is damaged, or needs pictures that the stream does not hold (it may be cut in an "
                          "open group of pictures)");
    return 1;
}

int libav_same_pixels(const struct libav *l, enum AVPixelFormat first, enum AVPixelFormat now, struct assay_error *e)
{
    const char *const was = av_get_pix_fmt_name(first), *const is = av_get_pix_fmt_name(now);
    return first == now ? ASSAY_OK : input_fail(&l->in, e, "the pixel format changes from %s to %s", was ? was : "?",
                                                is ? is : "?");
}

/* Fails when l->frame differs from the first frame in a way that scores depend on. */
static int libav_same_format(struct libav *l, struct assay_error *e)
{
    struct repack_crop crop;
    TRY(libav_same_pixels(l, l->pixel_format, l->frame->format, e));
    if (l->hw.on)
        TRY(libav_hw_same(l, e));
    TRY(libav_crop(l, l->frame, &l->repack, &crop, e));
    if (crop.width != l->crop.width || crop.height != l->crop.height)
        return input_fail(&l->in, e, "the size changes from %" PRIu32 "x%" PRIu32 " to %" PRIu32 "x%" PRIu32,
                          l->crop.width, l->crop.height, crop.width, crop.height);
    const assay_format *first = &l->in.format;
    assay_format colour = *first;
    libav_colour(l, &colour);
    const char *what = colour.range != first->range                       ? "range"
                       : colour.matrix != first->matrix                   ? "colour matrix"
                       : colour.transfer != first->transfer               ? "transfer function"
                       : colour.primaries != first->primaries             ? "set of primaries"
                       : colour.chroma_location != first->chroma_location ? "chroma siting" : NULL;
    if (what)
        return input_fail(&l->in, e, "the %s changes", what);
    l->crop = crop;
    return libav_same_display(l, e);
}

static int64_t libav_duration(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

/* The time at which the file says that the picture is shown. libav's guess, which takes the times of decoding where
 * those of showing go back, counts only where the file states none. Behind the last time of decoding, as of the last
 * pictures of AVI with B-frames, there is no guess: they follow each other by their durations. */
static void libav_note_time(struct libav *l)
{
    const int64_t stated = l->frame->pts, pts = stated == AV_NOPTS_VALUE ? l->frame->best_effort_timestamp : stated;
    const bool follows = l->time != INPUT_NO_TIME && l->lasts > 0 && l->time <= INT64_MAX - l->lasts;
    l->uneven |= l->time != INPUT_NO_TIME && !libav_follows(l, pts);
    l->time = pts != AV_NOPTS_VALUE ? pts : follows ? l->time + l->lasts : INPUT_NO_TIME;
    l->lasts = libav_duration(l->frame);
}

/* Makes l->frame the next picture: 1, 0 at the end, negative. */
static int libav_advance(struct libav *l, struct assay_error *e)
{
    const int got = l->held ? 1 : libav_decode(l, e);
    if (got != 1)
        return got;
    l->held = false;
    TRY(libav_same_format(l, e));
    libav_note_time(l);
    return 1;
}

static int libav_read(struct input *in, const struct input_place *place, const struct picture *dst,
                      struct picture_info *info, struct assay_error *e)
{
    (void)place;
    struct libav *l = (struct libav *)in;
    uint32_t plane;
    const int got = libav_advance(l, e);
    if (got != 1)
        return got;
    *info = (struct picture_info){.pts = l->time, .duration = l->lasts, .lends = info->lends};
    const struct repack_crop part = libav_part(l);
    if (!repack_frame(&l->repack, l->frame, &part, dst, info->lends ? &info->lent : NULL, &plane))
        return input_fail(in, e, "plane %s holds samples of more than the %" PRIu32 " bits of its pixel format %s",
                          plane_name(&in->format, plane), in->format.bit_depth, av_get_pix_fmt_name(l->pixel_format));
    if (l->concealed)
        TRY(input_note_damage(in, e));
    if (info->lent.plane[0] && !repack_keep(l->frame, &info->lent))
        return assay_fail_memory(e, "a picture");
    av_frame_unref(l->frame);
    return 1;
}

static int libav_read_device(struct input *in, assay_cuda_image *picture, struct picture_info *info,
                             struct assay_error *e)
{
    struct libav *l = (struct libav *)in;
    const int got = libav_advance(l, e);
    if (got == 1) {
        libav_hw_locate(l, picture);
        info->pts = l->time;
    }
    return got;
}

static int libav_skip(struct input *in, struct assay_error *e)
{
    struct libav *l = (struct libav *)in;
    const int got = libav_advance(l, e);
    av_frame_unref(l->frame);
    return got;
}

static const struct input_ops libav_ops = {.read = libav_read, .skip = libav_skip, .read_device = libav_read_device,
                                           .jump = libav_jump, .rate = libav_rate, .close = libav_close};

/* Chooses the first video track that is marked as the default, or else the first video track. Cover art is no video. */
static int libav_choose_track(struct libav *l, struct assay_error *e)
{
    unsigned tracks = 0, chosen = 0; /* video tracks count from 1 */
    for (unsigned i = 0; i < l->container->nb_streams; i++) {
        AVStream *s = l->container->streams[i];
        const bool video = s->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
        s->discard = video && l->container->iformat->flags & AVFMT_TS_DISCONT ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
        if (!video || (s->disposition & AV_DISPOSITION_ATTACHED_PIC))
            continue;
        tracks++;
        if (!l->track ||
            (!(l->track->disposition & AV_DISPOSITION_DEFAULT) && (s->disposition & AV_DISPOSITION_DEFAULT))) {
            l->track = s;
            chosen = tracks;
        }
    }
    if (!l->track)
        return assay_fail(e, ASSAY_EINPUT, "%s: holds no video (libav takes it for %s)", l->in.name,
                          l->container->iformat->name);
    l->track->discard = AVDISCARD_DEFAULT;
    if (tracks > 1)
        snprintf(l->in.notice, sizeof l->in.notice, "track %u of %u video tracks is read", chosen, tracks);
    return ASSAY_OK;
}

static const AVCodec *libav_choose_decoder(enum AVCodecID id)
{
    void *position = NULL;
    /* Packets are pointers; samples are spread; colours that can't be read are black. */
    if (id == AV_CODEC_ID_WRAPPED_AVFRAME || id == AV_CODEC_ID_FITS || id == AV_CODEC_ID_XPM)
        return NULL;
    const AVCodec *codec = avcodec_find_decoder(id), *other;
    if (!codec || !(codec->capabilities & AV_CODEC_CAP_HARDWARE))
        return codec;
    while ((other = av_codec_iterate(&position)))
        if (other->id == id && av_codec_is_decoder(other) && !(other->capabilities & AV_CODEC_CAP_HARDWARE))
            return other;
    return NULL;
}

/*
 * Whether a codec's decoder may use more than one thread. These decoders were tried so on damaged streams, and report
 * errors picture by picture, in order. With the strictness of libav_set_strictness and more than one thread, those of
 * MPEG-4 and WebP abort the process, that of MPEG-2 refuses streams without damage, and that of VP8 does not notice
 * damage and makes other pictures of it with each number of threads. Threads of H.264 do not tell each other which
 * transfer function a message prefers. It is HLG's.
 */
static bool libav_may_have_threads(const AVCodecParameters *c)
{
    return text_word("h264 hevc av1 vp9 ffv1 prores utvideo huffyuv ffvhuff", avcodec_get_name(c->codec_id)) >= 0 &&
           (c->codec_id != AV_CODEC_ID_H264 || c->color_trc != AVCOL_TRC_ARIB_STD_B67);
}

/*
 * Makes every error that a decoder sees end the stream. Concealment is on, because decoders mark the pictures in which
 * they conceal something, and marked pictures are never handed out. Without concealment decoders count errors wrongly:
 * each picture with more than one slice would count as damaged (H.264, MPEG-2).
 */
static void libav_set_strictness(struct libav *l, enum AVCodecID id)
{
    if (l->in.conceal) { /* as in players: parts that can't be decoded are made up from their surroundings */
        l->decoder->err_recognition = AV_EF_CRCCHECK;
        l->decoder->error_concealment = FF_EC_GUESS_MVS | FF_EC_DEBLOCK;
        return;
    }
    l->decoder->err_recognition = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER;
    if (id == AV_CODEC_ID_MPEG1VIDEO || id == AV_CODEC_ID_MPEG2VIDEO) /* zeros behind a picture fill a constant rate */
        l->decoder->err_recognition &= ~AV_EF_BITSTREAM;
    if (id != AV_CODEC_ID_TIFF) /* TIFF's decoder counts unknown tags as damage */
        l->decoder->err_recognition |= AV_EF_EXPLODE;
    l->decoder->error_concealment = FF_EC_GUESS_MVS;
    /* FFV1's decoder fills a damaged slice from the picture before and only logs that. The decoders of H.264 and HEVC
     * may mark a picture after another thread has handed it out. */
    l->strict = id == AV_CODEC_ID_FFV1 || id == AV_CODEC_ID_H264 || id == AV_CODEC_ID_HEVC;
    if (id == AV_CODEC_ID_H264) /* by its level, not by what came before: else pictures of a later order are left out */
        l->decoder->strict_std_compliance = FF_COMPLIANCE_STRICT;
}

static int libav_open_decoder(struct libav *l, const struct input_options *options, struct assay_error *e)
{
    const enum AVCodecID id = l->track->codecpar->codec_id;
    const uint32_t threads = options->decode_threads;
    const AVCodec *codec = l->hw.on ? libav_hw_codec(id) : libav_choose_decoder(id);
    if (!codec)
        return assay_fail(e, ASSAY_EINPUT, "%s: this libavcodec has no decoder for %s%s", l->in.name,
                          avcodec_get_name(id), avcodec_find_decoder(id) ? " that keeps its samples" : "");
    l->decoder = avcodec_alloc_context3(codec);
    if (!l->decoder)
        return assay_fail_memory(e, "a decoder");
    int code = avcodec_parameters_to_context(l->decoder, l->track->codecpar);
    if (code < 0)
        return libav_fail(l, code, "the decoder can't be set up", e);
    l->sent[0].owner = l;
    l->decoder->opaque = &l->sent[0];
    l->decoder->pkt_timebase = l->track->time_base;
    libav_set_strictness(l, id);
    l->decoder->thread_type = id == AV_CODEC_ID_FFV1 ? FF_THREAD_SLICE : FF_THREAD_FRAME;
    /* Concealed samples may depend on how far the decoder's other threads are. */
    l->decoder->thread_count = l->in.conceal || !libav_may_have_threads(l->track->codecpar) ? 1
                             : threads > LIBAV_THREADS ? LIBAV_THREADS : (int)threads;
    l->decoder->flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_OUTPUT_CORRUPT;
#ifdef AV_CODEC_FLAG_COPY_OPAQUE
    l->decoder->flags |= AV_CODEC_FLAG_COPY_OPAQUE;
#endif
    if (l->hw.on || id != AV_CODEC_ID_AV1) /* a thread may not know the grain that others apply */
        l->decoder->export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
    l->decoder->idct_algo = FF_IDCT_SIMPLE;
    l->decoder->apply_cropping = 0; /* repack_frame crops to the sample */
    if (l->hw.on && (code = libav_hw_attach(l, options->cuda_device)) < 0) {
        l->hw.gave_up = code != AVERROR(ENOMEM);
        return libav_fail(l, code, "the device can't be opened for decoding", e);
    }
    code = avcodec_open2(l->decoder, codec, NULL);
    if (code < 0)
        return libav_fail(l, code, "the decoder can't be opened", e);
    l->damaged = NULL;
    snprintf(l->in.decoder, sizeof l->in.decoder, "%s%s (libavcodec %u.%u.%u) in %s (libavformat %u.%u.%u)",
             codec->name, l->hw.on ? " on the device" : "", LIBAV_NUMBERS(avcodec_version()),
             l->container->iformat->name, LIBAV_NUMBERS(avformat_version()));
    return ASSAY_OK;
}

/* Decodes the first picture, which decides the stream's format. Headers may be wrong. */
static int libav_open_first(struct libav *l, struct assay_error *e)
{
    const int got = libav_decode(l, e);
    if (got != 1)
        return got ? got : assay_fail(e, ASSAY_EINPUT, "%s: holds no pictures", l->in.name);
    TRY(libav_describe(l, e));
    l->held = true;
    /* WebM states whether packets of VP8 or VP9 have alpha beside their pictures, which libav's decoders pass over. */
    const AVDictionaryEntry *beside = av_dict_get(l->track->metadata, "alpha_mode", NULL, 0);
    if (av_frame_get_side_data(l->frame, AV_FRAME_DATA_FILM_GRAIN_PARAMS))
        text_append(l->in.notice, sizeof l->in.notice, "%sits film grain is not applied", *l->in.notice ? "; " : "");
    if (!l->hw.on && libav_misses_corners(l))
        text_append(l->in.notice, sizeof l->in.notice, "%sis HEVC with blocks of 16x16 and SAO, of which libav may get "
                    "a few samples of chroma wrong", *l->in.notice ? "; " : "");
    l->in.alpha_dropped = l->repack.alpha || (beside && !strcmp(beside->value, "1"));
    return ASSAY_OK;
}

static int libav_open_reader(struct libav **out, struct stream *s, const char *name,
                             const struct input_options *options, struct assay_error *e)
{
    struct libav *l = *out = calloc(1, sizeof *l);
    if (!l)
        return assay_fail_memory(e, "a libav reader");
    pthread_mutex_init(&l->lock, NULL);
    l->in.stream = l->stream = s;
    l->stated_end = container_end(s, &l->joined);
    l->in.ops = &libav_ops;
    l->in.frames = l->in.frames_hint = -1;
    l->last_dts = AV_NOPTS_VALUE;
    l->time = INPUT_NO_TIME;
    l->from = INT64_MIN;
    l->in.conceal = options->conceal;
    l->any_aspect = options->any_aspect;
    l->any_rotation = options->any_rotation;
    snprintf(l->in.kind, sizeof l->in.kind, "libav");
    snprintf(l->in.name, sizeof l->in.name, "%s", name);
    l->frame = av_frame_alloc();
    l->packet = av_packet_alloc();
    if (!l->frame || !l->packet)
        return assay_fail_memory(e, "libav");
    TRY(libav_open_container(l, options, e));
    return libav_choose_track(l, e);
}

/* Frees the reader, but not the stream. */
static void libav_discard(struct libav **l)
{
    if (!*l)
        return;
    (*l)->stream = NULL;
    libav_close(&(*l)->in);
    *l = NULL;
}

static int libav_open_decoding(struct libav *l, const struct input_options *options, struct assay_error *e)
{
    TRY(libav_open_decoder(l, options, e));
    return libav_open_first(l, e);
}

/* libav_open_decoding on the device. False: `facts` has the obstacle, whose text is in `text`. If the device is not the
 * cause, `e` has the failure. */
static bool libav_open_on_device(struct libav *l, const struct input_options *options, struct hwdec_facts *facts,
                                 char *text, size_t size, struct assay_error *e)
{
    struct assay_error failed = {0};
    l->hw.on = true;
    libav_listen(l);
    l->last_error[0] = 0; /* forgets messages about the container; no thread of a decoder runs yet */
    const int code = libav_open_decoding(l, options, &failed);
    libav_listen(NULL);
    if (code != ASSAY_OK) {
        snprintf(text, size, "%.*s", (int)size - 1, l->last_error[0] ? l->last_error : failed.text);
        facts->refused = text;
        if (!l->hw.gave_up)
            *e = failed;
        return false;
    }
    facts->format = libav_hw_plan(l, text, size);
    return l->in.on_device = !facts->format;
}

static const char on_cpu[] = "decoded on the CPU: ";

/* Opens on the device if that is possible. False: it is not possible; if the user is to be told, l->in.decoding says
 * why. If *answer is HWDEC_IMPOSSIBLE the caller has to fail, with `e` if `e` has the file's own failure. */
static bool libav_try_device(struct libav *l, const struct input_options *options, enum hwdec_answer *answer,
                             struct assay_error *e)
{
    static const char exact[] = "h264 hevc vp8 vp9 av1"; /* the standards of others allow transforms a tolerance */
    const char *codec = avcodec_get_name(l->track->codecpar->codec_id);
    struct hwdec_facts facts = options->hwdec;
    char why[200], text[160];
    facts.once = !l->stream->regular || !strcmp(options->path, "-");
    facts.inexact = text_word(exact, codec) >= 0 ? NULL : codec;
    facts.no_hwaccel = libav_hw_codec(l->track->codecpar->codec_id) ? NULL : codec;
    *answer = hwdec_decide(&facts, why, sizeof why);
    if (*answer == HWDEC_ON_DEVICE && !libav_open_on_device(l, options, &facts, text, sizeof text, e))
        *answer = hwdec_decide(&facts, why, sizeof why);
    if (*answer == HWDEC_ON_DEVICE)
        snprintf(l->in.decoding, sizeof l->in.decoding, "decoded on the device (%s)",
                 av_get_pix_fmt_name(l->hw.surface));
    else if (*answer != HWDEC_IN_SOFTWARE)
        snprintf(l->in.decoding, sizeof l->in.decoding, "%s%s", on_cpu, why);
    return *answer == HWDEC_ON_DEVICE;
}

/* Opens the reader anew, to decode in software, after the device's decoder could not be opened. If the stream can't be
 * read again, fails with the failure in `failed`, or else with the device's. */
static int libav_start_over(struct libav **l, struct stream *s, const char *name, const struct input_options *options,
                      const struct assay_error *failed, struct assay_error *e)
{
    char decoding[sizeof (*l)->in.decoding];
    memcpy(decoding, (*l)->in.decoding, sizeof decoding);
    libav_discard(l);
    if (!stream_seek(s, 0)) {
        if (s->error)
            return assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", name, strerror(s->error));
        if (failed->code)
            return assay_fail(e, failed->code, "%s", failed->text);
        return assay_fail(e, ASSAY_EDEVICE, "%s: --hwdec cuda is not possible: %s", name, decoding + strlen(on_cpu));
    }
    TRY(libav_open_reader(l, s, name, options, e));
    memcpy((*l)->in.decoding, decoding, sizeof decoding);
    return ASSAY_OK;
}

/* On failure *l is a reader to discard, or NULL. */
static int libav_open_either(struct libav **l, struct stream *s, const char *name, const struct input_options *options,
                             struct assay_error *e)
{
    enum hwdec_answer answer = HWDEC_IN_SOFTWARE;
    TRY(libav_open_reader(l, s, name, options, e));
    if (options->hwdec.wish != HWDEC_OFF) {
        struct assay_error failed = {0};
        if (libav_try_device(*l, options, &answer, &failed))
            return ASSAY_OK;
        if ((*l)->hw.on)
            TRY(libav_start_over(l, s, name, options, &failed, e));
    }
    TRY(libav_open_decoding(*l, options, e));
    if (answer == HWDEC_IMPOSSIBLE) /* and the file is not to blame */
        return assay_fail(e, ASSAY_EDEVICE, "%s: --hwdec cuda is not possible: %s", name,
                          (*l)->in.decoding + strlen(on_cpu));
    return ASSAY_OK;
}

static int libav_open_reader_of(struct input **out, struct stream *s, const char *name,
                                const struct input_options *options, struct assay_error *e)
{
    struct libav *l = NULL;
    *out = NULL;
    const int code = libav_open_either(&l, s, name, options, e);
    if (code != ASSAY_OK) {
        libav_discard(&l);
        stream_close(&s);
        return code;
    }
    *out = &l->in;
    return ASSAY_OK;
}

const struct libav_reader LIBAV_SYMBOL = {ASSAY_VERSION, sizeof(struct input), sizeof(struct stream),
                                          LIBAVFORMAT_VERSION_MAJOR, libav_load_quiet, libav_open_reader_of,
                                          libav_versions};
