/* SPDX-License-Identifier: BSD-2-Clause */
/* The build without libpng: PNG is left to libav. */
#include "input/image.h"
#include "input/stream.h"

bool image_is_png(const unsigned char *data, size_t n)
{
    (void)data, (void)n;
    return false;
}

int image_read_png(struct image *image, struct stream *s, struct assay_error *e)
{
    stream_close(&s);
    return assay_fail(e, ASSAY_EINTERNAL, "%s: this build has no libpng", image->name);
}
