/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/plane_file.h"

#include <string.h>

#include "host/text.h"
#include "results/sink.h"

int plane_file_check(const char *path, const char *type, struct assay_error *e)
{
    if (text_ends(path, ".npy"))
        return ASSAY_OK;
    if (!text_ends(path, ".pfm"))
        return assay_fail(e, ASSAY_EUSAGE, "%s: planes are written as .npy or .pfm, by the name's ending", path);
    if (strcmp(type, "f32"))
        return assay_fail(e, ASSAY_EUSAGE, "%s: PFM holds f32 planes and this one is %s; .npy holds both", path, type);
    return ASSAY_OK;
}

/* Format version 1.0: the magic, the version, the header's length in two bytes, then the header. The header is a Python
 * dictionary, padded with blanks so that the data begins at a multiple of 64 bytes. NumPy would pad to 128 bytes; assay
 * pads to 192, by which file_spare knows its own files. */
static void npy_head(struct sink *s, const assay_plane *plane)
{
    static const char *const types[][2] = {{"u8", "|u1"}, {"u16", "<u2"}, {"u32", "<u4"}, {"i32", "<i4"},
                                           {"f32", "<f4"}};
    enum { PREFIX = 10, HEAD = 192 };
    char head[HEAD + 1];
    const char *descr = "";
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(plane->type, types[i][0]))
            descr = types[i][1];
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = (char)(HEAD - PREFIX);
    head[9] = 0;
    const int n = snprintf(head + PREFIX, sizeof head - PREFIX,
                           "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u), }", descr, plane->height,
                           plane->width);
    memset(head + PREFIX + n, ' ', (size_t)(HEAD - PREFIX - n));
    head[HEAD - 1] = '\n';
    sink_bytes(s, head, HEAD);
}

int plane_file_write(const char *path, const assay_plane *plane, const void *data, struct assay_error *e)
{
    struct sink s;
    const size_t row = (size_t)plane->width * plane->sample_size;
    const bool pfm = text_ends(path, ".pfm");
    TRY(plane_file_check(path, plane->type, e));
    TRY(sink_open(&s, path, e));
    if (pfm)
        sink_format(&s, "Pf\n%u %u\n-1.00\n", plane->width, plane->height); /* negative: little-endian */
    else
        npy_head(&s, plane);
    for (uint32_t y = 0; y < plane->height; y++) /* PFM's rows go from the bottom to the top */
        sink_bytes(&s, (const char *)data + (size_t)(pfm ? plane->height - 1 - y : y) * row, row);
    return sink_close(&s, e);
}
