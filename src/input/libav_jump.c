/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes over pictures without decoding them. Packets are read, not decoded, up to the wanted picture. The decoder
 * starts at the last packet before it that depends on no earlier packet. If the container has an index of all packets
 * (MP4, MOV), most of the packets before that one are not read either.
 *
 * The pictures are the same as without passing over. Each packet is one picture. So the decoder's first picture has as
 * many pictures before it as there are packets before its own, plus packets behind it with an earlier time of display.
 * If that number is not certain, nothing is passed over, and the packets stay in line for the decoder.
 */
#include <stdlib.h>
#include <string.h>

#include "host/bits.h"
#include "host/int128.h"
#include "host/text.h"
#include "input/libav.h"

enum {
    REORDERED = 64,           /* pictures by which decoding and display order may differ; 16 in H.264 and HEVC */
    WORTH_IT = 2 * REORDERED, /* pictures. If fewer are to be passed over, they are decoded */
    LINE_BYTES = 256 << 20,   /* bytes of packets in line, about */
};

struct jump {
    struct libav *l;
    uint64_t next;            /* the number of the next packet to read, in the order of decoding */
    int64_t earliest;         /* of the times of all packets that were read */
    size_t bytes;             /* of the packets in line */
    int64_t start;            /* time of the first packet in line, where the decoder can start */
    uint64_t number;          /* of the start's picture, by the packets that were read so far */
    bool has_start, frozen;   /* frozen: no later packet may be the start */
    bool told;                /* a packet had parameters: a later start needs its own */
    bool counted;             /* `number` is final: no packet that comes is shown before the start's picture */
};

/* Finds the next NAL unit from *at on, behind `length` bytes that state its size or behind a start code. NULL: there is
 * none. */
static const uint8_t *libav_next_nal(const uint8_t **at, const uint8_t *end, int length)
{
    const uint8_t *p = *at;
    if (length) {
        if (end - p <= length)
            return NULL;
        const uint64_t n = big_endian(p, (size_t)length);
        p += length;
        *at = n < (uint64_t)(end - p) ? p + n : end;
        return p;
    }
    for (; end - p > 3; p++)
        if (!p[0] && !p[1] && p[2] == 1)
            return *at = p + 3;
    return NULL;
}

static bool libav_has_nals(const struct libav *l)
{
    const enum AVCodecID id = l->track->codecpar->codec_id;
    return id == AV_CODEC_ID_H264 || id == AV_CODEC_ID_HEVC;
}

/* Reads what `kinds` lists and returns the last of it: '1' is a bit, 'n' an unsigned number in H.264's Exp-Golomb code,
 * which is k zeros and then the k + 1 bits of the number plus 1. */
static uint32_t libav_next(assay_u128 *bits, const char *kinds)
{
    uint32_t v = 0;
    for (; *kinds; kinds++) {
        unsigned zeros = 0;
        while (*kinds == 'n' && zeros < 32 && !(*bits >> (127 - zeros)))
            zeros++;
        v = (uint32_t)(*bits >> (127 - 2 * zeros)) - (*kinds == 'n');
        *bits <<= 2 * zeros + 1;
    }
    return v;
}

/* The 128 bits behind `head` bytes of a NAL unit. A 3 behind two zeros is no byte of it. Zeros follow the unit, by
 * libav's rule for packets and extradata. */
static assay_u128 libav_bits(const uint8_t *nal, size_t head)
{
    assay_u128 bits = 0; /* from which the head is moved out */
    for (size_t n = 0; n < head + sizeof bits; nal++)
        if (*nal != 3 || nal[-1] || nal[-2]) {
            bits = bits << 8 | *nal;
            n++;
        }
    return bits;
}

/* What the NAL units of a packet, or of the extradata, say. */
struct libav_units {
    unsigned sequences, frames, gray; /* H.264's parameters of sequences: all, without fields, without chroma */
    bool start;      /* a picture that needs no earlier one, as far as its kind says */
    bool parameters; /* that later packets may need */
    bool hides;      /* pictures around it may not be shown */
};

/* Counts H.264's parameters of a sequence, whose head is four bytes. Where they have matrices or orders in cycles it is
 * not known whether pictures have fields. */
static void libav_count_sequence(struct libav_units *u, const uint8_t *nal)
{
    enum { HEAD = 4, CHROMA_400 = 0, CHROMA_444 = 3, LISTED = 0, CYCLED = 1 };
    static const uint8_t detailed[] = {44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244}; /* profiles */
    assay_u128 bits = libav_bits(nal, HEAD);
    u->sequences++;
    libav_next(&bits, "n");
    if (memchr(detailed, nal[1], sizeof detailed)) {
        const uint32_t chroma = libav_next(&bits, "n");
        u->gray += chroma == CHROMA_400;
        if (libav_next(&bits, chroma == CHROMA_444 ? "1nn11" : "nn11"))
            return;
    }
    const uint32_t order = libav_next(&bits, "nn");
    u->frames += order != CYCLED && libav_next(&bits, order == LISTED ? "nn1nn1" : "n1nn1");
}

/* `p` NULL: the extradata, of H.264. */
static struct libav_units libav_units_of(const AVCodecParameters *c, const AVPacket *p)
{
    enum { COUNT_AT = 5, UNITS_AT = 6, LENGTH = 2, SEQUENCE = 7, PICTURE = 8, IDR = 5 };
    const bool hevc = c->codec_id == AV_CODEC_ID_HEVC;
    const int length_at = hevc ? 21 : 4;
    const bool lengths = c->extradata_size > length_at && c->extradata[0] == 1; /* as in MP4 */
    const uint8_t *at = p ? p->data : c->extradata, *end = at ? at + (p ? p->size : c->extradata_size) : NULL, *nal;
    int length = lengths ? (c->extradata[length_at] & 3) + 1 : 0;
    unsigned left = UINT_MAX;
    struct libav_units u = {0};
    if (!p && lengths && c->extradata_size > UNITS_AT) {
        left = at[COUNT_AT] & 31;
        at += UNITS_AT;
        length = LENGTH;
    }
    while (left-- && (nal = libav_next_nal(&at, end, length))) {
        const int type = hevc ? nal[0] >> 1 & 63 : nal[0] & 31;
        const bool access = type >= 16 && type <= 21; /* in HEVC */
        if (!hevc && type == SEQUENCE)
            libav_count_sequence(&u, nal);
        u.start |= hevc ? access : type == IDR;
        u.hides |= hevc ? type == 36 || type == 37 || (access && (type < 19 || (end - nal > 2 && nal[2] & 0x40)))
                        : u.frames < u.sequences;
        u.parameters |= u.hides || (hevc ? type >= 32 && type <= 34 : type == SEQUENCE || type == PICTURE);
    }
    return u;
}

/* The first parameters of a sequence of HEVC's base layer begin with a kind and a layer that stand nowhere else in
 * extradata. Behind their profile's 12 bytes, 128 bits hold all that is read, but of pictures in layers in time. */
bool libav_misses_corners(const struct libav *l)
{
    enum { HEAD = 3, PROFILE = 12, LAYERS = 0x0e, CHROMA_420 = 1, CHROMA_422 = 2 };
    const AVCodecParameters *c = l->track->codecpar;
    const uint8_t *nal = c->extradata;
    int left = c->codec_id == AV_CODEC_ID_HEVC ? c->extradata_size - HEAD : 0;
    for (; left > 0 && (nal[0] != 0x42 || nal[1] != 1); left--)
        nal++;
    if (left <= 0 || nal[2] & LAYERS)
        return false;
    assay_u128 bits = libav_bits(nal, HEAD + PROFILE);
    const uint32_t chroma = libav_next(&bits, "nn");
    if (libav_next(&bits, "nn1")) /* cropping */
        libav_next(&bits, "nnnn");
    libav_next(&bits, "nnn1nnn");
    const uint32_t least = libav_next(&bits, "n"), more = libav_next(&bits, "n"); /* blocks of 2^(3 + least + more) */
    const bool matrices = libav_next(&bits, "nnnn1") && libav_next(&bits, "1"); /* in front of SAO's bit */
    return (chroma == CHROMA_420 || chroma == CHROMA_422) && least + more == 1 &&
           (matrices || libav_next(&bits, "11"));
}

bool libav_only_frames(const struct libav *l)
{
    const AVCodecParameters *c = l->track->codecpar;
    if (c->codec_id != AV_CODEC_ID_H264)
        return c->field_order == AV_FIELD_PROGRESSIVE || (c->field_order == AV_FIELD_UNKNOWN && !libav_has_nals(l));
    const struct libav_units u = libav_units_of(c, NULL);
    return u.sequences && u.frames == u.sequences;
}

bool libav_is_gray(const struct libav *l, bool whole)
{
    const AVCodecParameters *c = l->track->codecpar;
    if (c->codec_id != AV_CODEC_ID_H264)
        return false;
    const struct libav_units head = libav_units_of(c, NULL);
    return whole ? head.gray && head.gray == head.sequences : head.gray || libav_units_of(c, l->packet).gray;
}

/* Whether no picture shown from this packet's picture on needs an earlier packet. *parameters: the packet or its
 * container has parameters that later packets may need, such as those of H.264 that allow fields, or it is one of HEVC
 * around which pictures may not be shown: a link that is broken, the end of a sequence, or a random access point that
 * has the pictures before it left out. */
static bool libav_is_start(const struct libav *l, const AVPacket *packet, bool *parameters)
{
    const struct libav_units u = libav_has_nals(l) ? libav_units_of(l->track->codecpar, packet)
                                                   : (struct libav_units){.start = true};
    *parameters = u.parameters || av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, NULL);
    return u.start && !u.hides && (packet->flags & AV_PKT_FLAG_KEY);
}

/* The pictures that a packet of AV1 shows, each layer's for itself. Its last unit need not state its size. */
static unsigned libav_shown_units(const AVPacket *p)
{
    enum { SIZED = 2, EXTENDED = 4, HEADER = 3, FRAME = 6, SHOWN = 0x90 }; /* for the first time, or again */
    const uint8_t *at = p->data, *end = at + p->size;
    unsigned shown = 0;
    while (end - at > 1) {
        const unsigned head = *at, kind = head >> 3 & 15;
        at += head & EXTENDED ? 2 : 1;
        const uint64_t left = (uint64_t)(end - at), size = head & SIZED ? leb128(&at, end) : left;
        shown += (kind == HEADER || kind == FRAME) && *at & SHOWN;
        at += FFMIN(size, (uint64_t)(end - at));
    }
    return shown;
}

/* A packet of VP9 that has several frames ends with their sizes between two bytes that are equal. The last frame alone
 * is shown, but of layers each is. Tools that take such packets apart make packets of frames that are not shown. */
bool libav_shows_one(const struct libav *l, const AVPacket *p)
{
    const enum AVCodecID id = l->track->codecpar->codec_id;
    const uint8_t first = p->size ? p->data[0] : 0, last = p->size ? p->data[p->size - 1] : 0;
    const int tail = 2 + ((last >> 3 & 3) + 1) * ((last & 7) + 1), shown = (first & 0x30) == 0x30 ? 0x5 : 0xa;
    const bool several = (last & 0xe0) == 0xc0 && last & 7 && tail < p->size && p->data[p->size - tail] == last;
    return id == AV_CODEC_ID_AV1 ? libav_shown_units(p) == 1 : id != AV_CODEC_ID_VP9 || several == !(first & shown);
}

void libav_note_order(const struct libav *l)
{
    enum { PICTURE = 0, EXTENSION = 0xb5, OF_SEQUENCE = 1, LOW_DELAY_AT = 6 };
    const uint8_t *at = l->packet->data, *end = at + l->packet->size, *unit;
    if (l->track->codecpar->codec_id == AV_CODEC_ID_MPEG2VIDEO)
        while ((unit = libav_next_nal(&at, end, 0)) && *unit != PICTURE)
            if (*unit == EXTENSION && unit[1] >> 4 == OF_SEQUENCE)
                l->decoder->has_b_frames = !(unit[LOW_DELAY_AT] & 0x80);
}

/* Whether each packet of the codec is one picture and a key packet needs no earlier packet. */
static bool libav_can_jump(const struct libav *l)
{
    return libav_only_frames(l) && !l->hw.on && l->held && l->frame->pts != AV_NOPTS_VALUE &&
           l->packets < LIBAV_PACKETS && !l->uncounted &&
           text_word("h264 hevc av1 vp9 ffv1 huffyuv ffvhuff dnxhd mjpeg utvideo prores",
                     avcodec_get_name(l->track->codecpar->codec_id)) >= 0;
}

/* Lets the decoder start at packet `number`. The packet is put in line by the caller afterwards. */
static void libav_start_at(struct jump *j, uint64_t number, int64_t time)
{
    libav_empty_line(j->l);
    j->bytes = 0;
    j->start = time;
    j->number = j->next = number;
    j->has_start = true;
    j->counted = false;
}

static int libav_put_in_line(struct libav *l, struct assay_error *e)
{
    struct libav_line *line = &l->line;
    TRY(assay_grow(&line->packet, line->count, sizeof *line->packet, "packets", e));
    AVPacket *p = av_packet_alloc();
    if (!p)
        return assay_fail_memory(e, "packets");
    av_packet_move_ref(p, l->packet);
    line->packet[line->count++] = p;
    return ASSAY_OK;
}

void libav_empty_line(struct libav *l)
{
    for (size_t i = l->line.next; i < l->line.count; i++)
        av_packet_free(&l->line.packet[i]);
    free(l->line.packet);
    l->line.packet = NULL;
    l->line.next = l->line.count = 0;
}

/* Counts a packet, and whether its picture is shown before the start's. */
static void libav_count_time(struct jump *j, int64_t time)
{
    j->next++;
    j->earliest = time < j->earliest ? time : j->earliest;
    j->number += j->has_start && !j->counted && time < j->start;
}

/* Whether the decoder may start at a packet, by what came before it. *first: it is a start as such. */
static bool libav_may_start(struct jump *j, const AVPacket *p, bool *first)
{
    bool parameters;
    *first = libav_is_start(j->l, p, &parameters);
    const bool start = *first && !j->frozen && (parameters || !j->told);
    j->frozen |= parameters && !start; /* later packets may need them */
    j->told |= parameters;
    return start;
}

/* Reads packets up to number `stop`. Returns 1; 0: the attempt is over, at the end of the stream or before; or
 * negative. */
static int libav_read_line(struct jump *j, uint64_t stop, uint64_t target, struct assay_error *e)
{
    struct libav *l = j->l;
    while (j->next < stop) {
        bool first;
        const int got = libav_read_packet(l);
        if (got != 1) {
            l->line.ended = true;
            l->line.end = got;
            return 0;
        }
        const AVPacket *p = l->packet;
        const bool start = libav_may_start(j, p, &first);
        j->counted |= first;
        if (start && j->next + REORDERED <= target)
            libav_start_at(j, j->next, p->pts);
        const int64_t time = p->pts;
        const bool sure = p->pts != AV_NOPTS_VALUE && !(p->flags & AV_PKT_FLAG_DISCARD) && libav_shows_one(l, p);
        j->bytes += (size_t)p->size;
        TRY(libav_put_in_line(l, e));
        if (!sure && j->has_start && !j->counted && l->decoder->codec_id == AV_CODEC_ID_HEVC)
            return input_fail(&l->in, e, "its place is not known, so frame %llu can't be found without reading through",
                              (unsigned long long)target);
        if (!sure || j->bytes > LINE_BYTES)
            return 0;
        libav_count_time(j, time);
    }
    return 1;
}

bool libav_go_to(struct libav *l, uint64_t number)
{
    const AVIndexEntry *entry = avformat_index_get_entry(l->track, (int)number);
    l->count.broken = true;
    l->line.place = entry->pos;
    return av_seek_frame(l->container, l->track->index, entry->timestamp, AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_ANY) >= 0;
}

/* MP4 and MOV: moves to the last packet where the decoder may start, if the index has all packets. A packet marked as a
 * key there may still need earlier packets. All keys of H.264 are read, since any of them may have parameters. */
static int libav_jump_by_index(struct jump *j, uint64_t target, struct assay_error *e)
{
    struct libav *l = j->l;
    const bool all = l->decoder->codec_id == AV_CODEC_ID_H264;
    const uint64_t begin = j->next, last = target - REORDERED;
    if (!l->stream->regular || target >= libav_indexed(l) || last < begin ||
        (all && l->decoder->codec_tag != MKTAG('a', 'v', 'c', '1')))
        return ASSAY_OK;
    for (uint64_t n = 0, i; n <= last - begin && (all || !j->has_start); n++) {
        bool first;
        i = all ? begin + n : last - n;
        if (!(avformat_index_get_entry(l->track, (int)i)->flags & AVINDEX_KEYFRAME) || !libav_go_to(l, i) ||
            libav_read_packet(l) != 1)
            continue;
        const int64_t time = l->packet->pts;
        if (libav_may_start(j, l->packet, &first) && time != AV_NOPTS_VALUE) {
            libav_start_at(j, i, time);
            libav_count_time(j, time);
            TRY(libav_put_in_line(l, e));
        }
        av_packet_unref(l->packet);
    }
    return libav_go_to(l, j->next) ? ASSAY_OK : input_fail(&l->in, e, "the container's index leads nowhere");
}

static int libav_find_start(struct jump *j, uint64_t target, struct assay_error *e)
{
    struct libav *l = j->l;
    for (uint64_t i = 1; i <= l->packets; i++)
        libav_count_time(j, l->sent[i % LIBAV_PACKETS].pts);
    const int got = libav_read_line(j, l->packets + REORDERED, 0, e);
    /* A stream may begin with packets whose pictures are not shown. */
    if (got != 1 || l->sent[1].pts != l->frame->pts || j->earliest < l->frame->pts)
        return got < 0 ? got : 0;
    TRY(libav_jump_by_index(j, target, e));
    return libav_read_line(j, target, target, e);
}

int libav_jump(struct input *in, uint64_t target, struct assay_error *e)
{
    struct libav *l = (struct libav *)in;
    struct jump j = {.l = l, .earliest = INT64_MAX};
    if (target < WORTH_IT || !libav_can_jump(l))
        return ASSAY_OK;
    const int got = libav_find_start(&j, target, e);
    if (got >= 0 && j.has_start) {
        in->index = j.number;
        l->from = j.start;
        l->held = false;
        av_frame_unref(l->frame);
        avcodec_flush_buffers(l->decoder);
    }
    return got < 0 ? got : ASSAY_OK;
}
