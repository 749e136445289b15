/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The size of a file as its container states it. libav takes the end of a file for the end of the video, so a truncated
 * file would give fewer pictures without an error. Three families of containers state their size.
 */
#include <string.h>

#include "input/reader.h"

static uint64_t big_endian(const unsigned char *at, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | at[i];
    return v;
}

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
static uint64_t container_matroska_end(const unsigned char *data, size_t n)
{
    static const unsigned char segment[] = { 0x18, 0x53, 0x80, 0x67 };
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

/* AVI: a sequence of RIFF chunks. A size of 0 or all ones means that the writer could not go back to state it. */
static uint64_t container_riff_end(const unsigned char *data)
{
    const uint64_t size = (uint64_t)data[4] | (uint64_t)data[5] << 8 | (uint64_t)data[6] << 16 |
                          (uint64_t)data[7] << 24;
    return size == 0 || size == UINT32_MAX ? 0 : 8 + size;
}

/* Whether four bytes can be the name of a box. Other bytes are no part of the container. */
static bool container_is_box_name(const unsigned char *name)
{
    for (int i = 0; i < 4; i++) {
        if ((name[i] < 0x20 || name[i] > 0x7e) && name[i] != 0xa9)
            return false;
    }
    return true;
}

/* MP4 and MOV in a regular file: a sequence of boxes. The last box may state that it goes to the end of the file. */
static uint64_t container_boxes_end(const struct stream *s)
{
    enum { MOST_BOXES = 1000000 };
    uint64_t at = 0;
    for (int i = 0; i < MOST_BOXES && at < s->size; i++) {
        unsigned char head[16];
        const size_t n = stream_look_at(s, at, head, sizeof head);
        if (n < 8)
            return at + 8;
        uint64_t size = big_endian(head, 4);
        if (!container_is_box_name(head + 4) || size == 0)
            return at;
        if (size == 1 && n < 16)
            return at + 16;
        if (size == 1)
            size = big_endian(head + 8, 8);
        if (size < 8 || size > INT64_MAX - at)
            return at;
        at += size;
    }
    return at;
}

uint64_t container_end(struct stream *s)
{
    static const unsigned char ebml[] = { 0x1a, 0x45, 0xdf, 0xa3 };
    const unsigned char *data;
    const size_t n = stream_peek(s, &data, 256);
    if (n < 12)
        return 0;
    if (memcmp(data, ebml, sizeof ebml) == 0)
        return container_matroska_end(data, n);
    if (memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "AVI ", 4) == 0)
        return container_riff_end(data);
    if (s->regular && (memcmp(data + 4, "ftyp", 4) == 0 || memcmp(data + 4, "moov", 4) == 0 ||
                       memcmp(data + 4, "mdat", 4) == 0 || memcmp(data + 4, "wide", 4) == 0))
        return container_boxes_end(s);
    return 0;
}
