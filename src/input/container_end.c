/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The size of a file as its container states it. libav takes the end of a file for the end of the video, so a truncated
 * file would give fewer pictures without an error. Matroska, AVI, MP4, ASF and FLV state the size of the whole file,
 * and MXF the place of its footer. GIF and PNG have a last block, and IVF states how many pictures it has. Ogg, MPEG-TS
 * and AV1's bare streams state the size of their last page, packet or unit, in which nearly every cut lies. Of joined
 * files of MP4, ASF, FLV and PNG libav reads the first one.
 */
#include <string.h>
#include <strings.h>

#include "host/bits.h"
#include "input/reader.h"

static const char mxf_key[] = "\x06\x0e\x2b\x34";

/* Reads an EBML number. The leading zero bits of its first byte give its length. Returns 0 where there is no number or
 * the number is unknown (all ones). */
static size_t container_ebml_size(const unsigned char *at, size_t n, uint64_t *value)
{
    size_t length = 1;
    if (n == 0 || at[0] == 0)
        return 0;
    while (!(at[0] & (0x80 >> (length - 1))))
        length++;
    if (length > n)
        return 0;
    const uint64_t all_ones = (UINT64_C(1) << (7 * length)) - 1;
    *value = big_endian(at, length) & all_ones;
    return *value == all_ones ? 0 : length;
}

/* Matroska and WebM: an EBML header, then one segment. */
static uint64_t container_matroska_end(struct stream *s)
{
    static const unsigned char segment[] = { 0x18, 0x53, 0x80, 0x67 };
    const unsigned char *data;
    const size_t n = stream_peek(s, &data, 256);
    uint64_t size;
    size_t at = 4, length = container_ebml_size(data + at, n - at, &size);
    if (length == 0 || size > 128)
        return 0;
    at += length + (size_t)size;
    if (at + 5 > n || memcmp(data + at, segment, sizeof segment) != 0)
        return 0;
    at += sizeof segment;
    length = container_ebml_size(data + at, n - at, &size);
    return length > 0 ? at + length + size : 0;
}

/* Passes over zeros, with which tools fill up, up to 16 MiB and a little. */
static uint64_t container_pass_zeros(const struct stream *s, uint64_t at)
{
    enum { MOST_ZEROS = 16 << 20 };
    const uint64_t limit = at + MOST_ZEROS;
    unsigned char piece[4096];
    size_t n, zeros;
    do {
        n = stream_look_at(s, at, piece, sizeof piece);
        for (zeros = 0; zeros < n && !piece[zeros];)
            zeros++;
        at += zeros;
    } while (zeros == sizeof piece && at < limit);
    return at;
}

/* AVI: a list of `size` bytes, and in a regular file those behind it that go on with it. The last one may lack the byte
 * that makes its size even. 0: the writer could not go back to state a size. */
static uint64_t container_avi_end(const struct stream *s, uint64_t size)
{
    enum { HEAD = 12, MOST_LISTS = 100000 };
    unsigned char head[HEAD];
    uint64_t at = 0;
    for (int i = 0; i < MOST_LISTS && size && size != UINT32_MAX; i++) {
        const uint64_t end = at + 8 + size + size % 2;
        at = container_pass_zeros(s, end);
        if (stream_look_at(s, at, head, HEAD) < HEAD || memcmp(head, "RIFF", 4) || memcmp(head + 8, "AVIX", 4))
            return end - (size % 2 && end > s->size);
        size = little_endian(head + 4, 4);
    }
    return 0;
}

/* Whether four bytes can be the name of a box. Other bytes are no part of the container. */
static bool container_is_box_name(const unsigned char *name)
{
    for (int i = 0; i < 4; i++)
        if ((name[i] < 0x20 || name[i] > 0x7e) && name[i] != 0xa9)
            return false;
    return true;
}

/* MP4 and MOV in a regular file: a sequence of boxes. The last box may state that it goes to the end of the file. Each
 * fragment may have a header of its own. Where pictures are in no fragment, the second header begins a second file. */
static uint64_t container_boxes_end(struct stream *s)
{
    enum { MOST_BOXES = 1000000 };
    bool fragments = false, whole = false;
    uint64_t at = 0, header = 0;
    for (int i = 0; i < MOST_BOXES && at < s->size; i++) {
        unsigned char head[16];
        const size_t n = stream_look_at(s, at, head, sizeof head);
        if (n < 8) /* more than four zeros are no size in front of a name */
            return n > 4 && !memcmp(head, "\0\0\0\0\0\0", n) ? at : at + 8;
        uint64_t size = big_endian(head, 4);
        header = !memcmp(head + 4, "ftyp", 4) ? at : header;
        s->fragments |= !memcmp(head + 4, "moof", 4);
        fragments = at != header && (fragments || !memcmp(head + 4, "moof", 4));
        whole = whole || (!fragments && !memcmp(head + 4, "mdat", 4));
        if (header && whole)
            return header;
        if (!container_is_box_name(head + 4) || size == 0)
            return at;
        if (size == 1)
            size = n < 16 ? 16 : big_endian(head + 8, 8);
        if (size < 8 || size > INT64_MAX - at)
            return at;
        at += size;
    }
    return at;
}

/* FLV: a double of the description in the first tag. 0: the writer could not go back to state it, so the tags are gone
 * through in a regular file. Behind a tag stands its size. Some writers leave out the last one of these. A file that is
 * shorter than stated is whole where its pictures end with the mark of H.264, HEVC and AV1 for the end of a sequence:
 * the double is that of another file, from which the description was copied. */
static uint64_t container_flv_end(struct stream *s)
{
    enum { HEAD = 9, SIZE = 4, TAG = 11, MOST_TAGS = 10000000, PICTURE = 9, H264 = 7, EXTENDED = 0x80, ENDS = 2 };
    static const char name[] = "filesize"; /* with 0, the type of doubles; some writers have a capital S */
    const unsigned char *data;
    const size_t n = stream_peek(s, &data, 4096);
    double size = 0;
    for (size_t i = 0; i + sizeof name + 8 <= n && size <= 0; i++) {
        const uint64_t bits = big_endian(data + i + sizeof name, 8);
        if (!strncasecmp((const char *)data + i, name, sizeof name))
            memcpy(&size, &bits, sizeof size);
    }
    const uint64_t stated = size > 0 && size < 0x1p53 ? (uint64_t)size : 0;
    if (size > 0 && stated <= s->size)
        return stated;
    bool ended = false;
    uint64_t at = HEAD + SIZE;
    for (int i = 0; i < MOST_TAGS && at < s->size; i++) {
        unsigned char tag[TAG + 2];
        const size_t had = stream_look_at(s, at, tag, sizeof tag);
        if (had < 4 || !memchr("\x08\x09\x12", tag[0] & 0x1f, 3))
            return stated ? stated : at; /* neither sound nor pictures nor a description */
        if (had == sizeof tag && (tag[0] & 0x1f) == PICTURE)
            ended = tag[TAG] & EXTENDED ? (tag[TAG] & 0xf) == ENDS : (tag[TAG] & 0xf) == H264 && tag[TAG + 1] == ENDS;
        at += TAG + big_endian(tag + 1, 3) + SIZE;
    }
    at = at > s->size && at <= s->size + SIZE ? s->size : at;
    return stated && !(ended && at == s->size) ? stated : at;
}

/* IVF in a regular file: the header states a number of pictures, or, as FFmpeg up to 6 writes it, how long they are
 * shown together. Where pictures are evenly apart, a whole file has both, and one that states more than both is cut
 * off. A number below the time of the last picture is a number of pictures. A picture's time follows its size. */
static uint64_t container_ivf_end(const struct stream *s)
{
    enum { STATED_AT = 24, HEADER = 32, TIMED = 12, MOST_PICTURES = 10000000 };
    unsigned char head[HEADER] = {0};
    uint64_t pictures = 0, first = 0, apart = 1, last = 0, at = HEADER;
    bool even = stream_look_at(s, 0, head, sizeof head) == sizeof head;
    const uint64_t stated = little_endian(head + STATED_AT, 4);
    for (; pictures < MOST_PICTURES && at < s->size; pictures++) {
        if (stream_look_at(s, at, head, TIMED) < TIMED)
            return s->size + 1;
        last = little_endian(head + 4, 8);
        first = pictures ? first : last;
        apart = pictures == 1 ? last - first : apart;
        even = even && last - first == pictures * apart;
        at += TIMED + little_endian(head, 4);
    }
    const bool cut = even && pictures < MOST_PICTURES && stated != UINT32_MAX && stated > pictures &&
                     (stated < last || stated - last > apart);
    return cut ? s->size + 1 : at;
}

/* AV1's units in a regular file, of which each states its size. */
static uint64_t container_obu_end(const struct stream *s)
{
    enum { MOST_UNITS = 10000000, SIZED = 2, EXTENDED = 4, FORBIDDEN = 0x80 };
    uint64_t at = 0;
    for (int i = 0; i < MOST_UNITS && at < s->size; i++) {
        unsigned char head[10] = {0};
        const size_t n = stream_look_at(s, at, head, sizeof head);
        const unsigned char *behind = head + (head[0] & EXTENDED ? 2 : 1);
        if ((head[0] & (FORBIDDEN | SIZED)) != SIZED)
            return at;
        const uint64_t size = leb128(&behind, head + sizeof head);
        at += (size_t)(behind - head) <= n ? (size_t)(behind - head) + size : n + 1;
    }
    return at;
}

/* ASF in a regular file: the file properties, among the objects of the header. A broadcast does not know its size. */
static uint64_t container_asf_end(const struct stream *s)
{
    static const unsigned char properties[16] = {0xa1, 0xdc, 0xab, 0x8c, 0x47, 0xa9, 0xcf, 0x11,
                                                 0x8e, 0xe4, 0x00, 0xc0, 0x0c, 0x20, 0x53, 0x65};
    enum { MOST_OBJECTS = 1000, HEADER = 30, SIZE_AT = 40, FLAGS_AT = 88, PROPERTIES = 92 };
    uint64_t at = HEADER;
    for (int i = 0; i < MOST_OBJECTS; i++) {
        unsigned char object[PROPERTIES];
        const size_t n = stream_look_at(s, at, object, sizeof object);
        if (n == PROPERTIES && memcmp(object, properties, sizeof properties) == 0)
            return object[FLAGS_AT] & 1 ? 0 : little_endian(object + SIZE_AT, 8);
        const uint64_t size = n < 24 ? 0 : little_endian(object + 16, 8);
        if (size < 24 || size > s->size || at > s->size - size)
            return 0;
        at += size;
    }
    return 0;
}

/* Ogg in a regular file: the end of its last page. */
static uint64_t container_ogg_end(const struct stream *s)
{
    enum { HEAD = 27, SEGMENTS = 255, MOST_PAGE = HEAD + SEGMENTS + SEGMENTS * 255 };
    static const unsigned char capture[] = {'O', 'g', 'g', 'S', 0};
    for (uint64_t at = s->size; at > 0 && s->size - at < MOST_PAGE;) {
        unsigned char piece[4096 + HEAD];
        const size_t step = at < 4096 ? (size_t)at : 4096;
        at -= step;
        const size_t n = stream_look_at(s, at, piece, step + sizeof capture - 1); /* one may lie across two pieces */
        for (size_t i = n < sizeof capture ? 0 : n - sizeof capture + 1; i-- > 0;) {
            if (memcmp(piece + i, capture, sizeof capture) != 0)
                continue;
            unsigned char page[HEAD + SEGMENTS];
            const size_t got = stream_look_at(s, at + i, page, sizeof page);
            uint64_t end = at + i + HEAD;
            if (got < HEAD || got < (size_t)HEAD + page[HEAD - 1])
                return s->size + 1;
            end += page[HEAD - 1];
            for (unsigned k = 0; k < page[HEAD - 1]; k++)
                end += page[HEAD + k];
            return end;
        }
    }
    return 0;
}

/* MPEG-TS in a regular file, of packets of 188 bytes, or of 192 with a time before each: the end of the last packet. */
static uint64_t container_ts_end(const struct stream *s)
{
    enum { SYNC = 0x47, PACKET = 188, TIMED = 192 };
    for (uint64_t packet = PACKET; packet <= TIMED; packet += TIMED - PACKET) {
        const uint64_t sync = packet - PACKET, rest = s->size % packet, whole = s->size - rest;
        bool synced = whole >= 3 * packet && rest > sync;
        for (unsigned i = 0; i < 4 && synced; i++) { /* the first two packets, the last whole one, and the rest */
            unsigned char byte = 0;
            const uint64_t at = (i < 2 ? i * packet : whole - (3 - i) * packet) + sync;
            synced = stream_look_at(s, at, &byte, 1) == 1 && byte == SYNC;
        }
        if (synced)
            return whole + packet;
    }
    return 0;
}

/* MXF in a regular file: items of a key, a length and a value. The first one says where the footer is, behind all
 * pictures, and is walked from; in a file that was never finished, all items are. */
static uint64_t container_mxf_end(const struct stream *s)
{
    enum { KEY = 16, HEAD = KEY + 9, MOST_ITEMS = 1000000, KIND_AT = 13, FOOTER_AT = 24, FIRST = HEAD + FOOTER_AT + 8 };
    unsigned char item[FIRST];
    uint64_t at = 0;
    for (int i = 0; i < MOST_ITEMS && at < s->size; i++) {
        const size_t n = stream_look_at(s, at, item, i ? HEAD : FIRST);
        if (memcmp(item, mxf_key, n < 4 ? n : 4) != 0)
            return at; /* what is behind the items is none */
        const size_t more = n > KEY && item[KEY] & 0x80 ? item[KEY] & 0x7f : 0, value = KEY + 1 + more;
        if (n < value)
            return more > 8 ? 0 : s->size + 1;
        const uint64_t size = more ? big_endian(item + KEY + 1, more) : item[KEY],
                       footer = !i && item[KIND_AT] == 2 && n >= value + FOOTER_AT + 8 && size >= FOOTER_AT + 8
                                    ? big_endian(item + value + FOOTER_AT, 8) : 0;
        if (more == 0 && item[KEY] & 0x80)
            return 0; /* of no stated length */
        if (size > INT64_MAX - at - value || footer > INT64_MAX)
            return s->size + 1;
        at = footer > at + value + size ? footer : at + value + size;
        if (footer >= s->size && footer)
            return footer + 1;
    }
    return at;
}

/* GIF in a regular file: blocks, up to the trailer, behind which libav reads on in a joined file. Other bytes behind it
 * are no part of the container. Images and extensions have data in pieces, each behind its size, of which the last one
 * is empty. */
static uint64_t container_gif_end(const struct stream *s)
{
    enum { MOST_BLOCKS = 10000000, HEADER = 'G', IMAGE = ',', EXTENSION = '!', TRAILER = ';', PALETTE = 0x80 };
    bool data = false, trailer = false;
    uint64_t at = 0;
    for (int i = 0; i < MOST_BLOCKS && at < s->size; i++) {
        unsigned char head[13] = {0};
        const size_t n = stream_look_at(s, at, head, sizeof head);
        const unsigned kind = data ? 0 : head[0], flags = kind == HEADER ? head[10] : kind == IMAGE ? head[9] : 0;
        if (!n || (!data && kind != HEADER && kind != IMAGE && kind != EXTENSION && kind != TRAILER) ||
            (trailer && memcmp(head, "GIF8", 4)))
            return at; /* what is no block is libav's to judge */
        trailer = kind == TRAILER;
        at += data ? 1 + head[0] : kind == HEADER ? 13 : kind == IMAGE ? 11 : kind == EXTENSION ? 2 : 1;
        at += flags & PALETTE ? 6u << (flags & 7) : 0;
        data = data ? head[0] : kind == IMAGE || kind == EXTENSION;
    }
    return trailer ? at : at + 1;
}

/* An animated PNG in a regular file: chunks, up to the last one. Of joined PNGs that stand still libav reads all. */
static uint64_t container_png_end(const struct stream *s)
{
    enum { MOST_CHUNKS = 10000000 };
    unsigned char head[8] = {0};
    bool animated = false;
    uint64_t at = 8;
    for (int i = 0; memcmp(head + 4, "IEND", 4) && stream_look_at(s, at, head, sizeof head) == sizeof head; i++) {
        if (i == MOST_CHUNKS)
            return 0;
        animated = animated || !memcmp(head + 4, "acTL", 4);
        at += 12 + big_endian(head, 4);
    }
    return !animated ? 0 : memcmp(head + 4, "IEND", 4) ? at + 12 : at;
}

/* Whether another file follows at `end`, perhaps behind zeros. `begin`: the first four bytes of such a file; NULL: a
 * box of MP4 that begins one or goes on with one, whose size comes first. */
static bool container_joined(const struct stream *s, uint64_t end, const unsigned char *begin)
{
    static const char boxes[][5] = {"ftyp", "styp", "moof"};
    unsigned char piece[8];
    const size_t n = stream_look_at(s, container_pass_zeros(s, end), piece, sizeof piece);
    if (begin)
        return n >= 4 && !memcmp(piece, begin, 4);
    for (size_t i = 0; n == 8 && i < 4; i++) /* a size may begin with zeros */
        for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; k++)
            if (!memcmp(piece + 1 + i, boxes[k], 4))
                return true;
    return false;
}

/* NUT in a regular file: where its index begins. The last packet of a finished file is the index, whose size stands
 * before its last four bytes. */
static uint64_t container_nut_end(const struct stream *s)
{
    unsigned char tail[12] = {0}, head[8] = {0};
    const bool read = s->size > sizeof tail && stream_look_at(s, s->size - sizeof tail, tail, sizeof tail);
    const uint64_t index = big_endian(tail, 8);
    return read && index < s->size && stream_look_at(s, s->size - index, head, sizeof head) &&
           !memcmp(head, "NX\xdd\x67\x2f\x23\xe6\x4e", sizeof head) ? s->size - index : s->size + 1;
}

/* GXF in a regular file: its last packet, which has a head alone, says that it is the last one. */
static uint64_t container_gxf_end(const struct stream *s)
{
    unsigned char last[16] = {0};
    const bool read = s->size > sizeof last && stream_look_at(s, s->size - sizeof last, last, sizeof last);
    return read && !memcmp(last, "\0\0\0\0\1\xfb", 6) ? s->size : s->size + 1;
}

/* Bare DV in a regular file: pictures of one size, a multiple of a sequence's, each of which begins as the first. */
static uint64_t container_dv_end(const struct stream *s, const unsigned char *first)
{
    enum { SEQUENCE = 12000, MOST = 48 };
    unsigned char head[4];
    for (uint64_t picture = SEQUENCE; picture <= MOST * SEQUENCE; picture += SEQUENCE)
        if (stream_look_at(s, picture, head, sizeof head) == sizeof head && !memcmp(head, first, sizeof head))
            return (s->size + picture - 1) / picture * picture;
    return 0;
}

uint64_t container_end(struct stream *s, bool *joined)
{
    const unsigned char *data;
    *joined = false;
    if (stream_peek(s, &data, 12) < 12)
        return 0;
    const bool boxes = s->regular && (!memcmp(data + 4, "ftyp", 4) || !memcmp(data + 4, "moov", 4) ||
                                      !memcmp(data + 4, "mdat", 4) || !memcmp(data + 4, "wide", 4)),
               avi = !memcmp(data, "RIFF", 4) && !memcmp(data + 8, "AVI ", 4),
               ebml = !memcmp(data, "\x1a\x45\xdf\xa3", 4),
               asf = s->regular && !memcmp(data, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", 8),
               png = s->regular && !memcmp(data, "\x89PNG", 4);
    if (boxes || asf || png || avi || ebml || !memcmp(data, "FLV\1", 4)) {
        const uint64_t end = boxes ? container_boxes_end(s) : asf ? container_asf_end(s)
                           : png ? container_png_end(s) : avi ? container_avi_end(s, little_endian(data + 4, 4))
                           : ebml ? container_matroska_end(s) : container_flv_end(s);
        *joined = end && container_joined(s, end, boxes ? NULL : data);
        return end;
    }
    return !s->regular ? 0
         : !memcmp(data, mxf_key, 4) ? container_mxf_end(s)
         : !memcmp(data, "OggS", 4) ? container_ogg_end(s)
         : !memcmp(data, "GIF8", 4) ? container_gif_end(s)
         : !memcmp(data, "DKIF", 4) ? container_ivf_end(s)
         : !memcmp(data, "nut/", 4) ? container_nut_end(s)
         : !memcmp(data, "\0\0\0\0\1\xbc", 6) ? container_gxf_end(s)
         : !memcmp(data, "\x1f\x07\0", 3) ? container_dv_end(s, data)
         : !memcmp(data, "\x12\0\x0a", 3) ? container_obu_end(s) /* a delimiter, and the header of a sequence */
                                          : container_ts_end(s);
}
