/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects streams that begin with the header of a file format. Signatures are used only if no raw picture begins with
 * them: they have four bytes or more, and not only small numbers, as MPEG's start codes have. */
#include <string.h>

#include "input/reader.h"

static const struct { unsigned at, n; const char *bytes; } signatures[] = {
    {0, 4, "\x1a\x45\xdf\xa3"},     /* Matroska, WebM */
    {4, 4, "ftyp"}, {4, 4, "moov"}, {4, 4, "mdat"}, {4, 4, "wide"}, /* MP4, MOV, AVIF, HEIF */
    {8, 4, "AVI "}, {8, 4, "WEBP"}, /* behind RIFF and a size */
    {0, 4, "OggS"}, {0, 4, "FLV\1"}, {0, 4, "DKIF"}, {0, 4, "nut/"},
    {0, 4, "\x06\x0e\x2b\x34"},     /* MXF */
    {0, 4, "\x30\x26\xb2\x75"},     /* ASF */
    {0, 8, "\x89PNG\r\n\x1a\n"}, {4, 4, "JXL "}, {0, 4, "GIF8"}, {0, 4, "II*\0"}, {0, 4, "MM\0*"},
    {0, 4, "\xff\xd8\xff\xdb"}, {0, 4, "\xff\xd8\xff\xe0"}, {0, 4, "\xff\xd8\xff\xe1"}, /* JPEG */
    {0, 4, "\xff\xd8\xff\xee"},
    {0, 4, "\x76\x2f\x31\x01"},     /* EXR */
};

/* MPEG-TS: packets of 188 bytes, each beginning with 0x47. A flat raw picture of 0x47 is not taken for one. */
static bool is_transport_stream(const unsigned char *data, size_t n)
{
    enum { PACKET = 188, PACKETS = 5 };
    if (n <= PACKET * (PACKETS - 1) || data[1] == 0x47)
        return false;
    for (unsigned i = 0; i < PACKETS; i++)
        if (data[i * PACKET] != 0x47)
            return false;
    return true;
}

bool input_has_signature(struct stream *s)
{
    const unsigned char *data;
    const size_t n = stream_peek(s, &data, 1024);
    for (unsigned i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        if (n >= signatures[i].at + signatures[i].n &&
            memcmp(data + signatures[i].at, signatures[i].bytes, signatures[i].n) == 0)
            return true;
    return y4m_probe(data, n) || is_transport_stream(data, n);
}
