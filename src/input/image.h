/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole picture in memory, with its alpha plane beside it. PNG is read with libpng when the build has it: 8 and 16
 * bits, grey and RGB, with and without alpha; palettes and grey of 1, 2 and 4 bits are expanded to 8 bits, which is
 * exact. Everything else goes through input_open, which leaves alpha behind and says so.
 */
#ifndef ASSAY_INPUT_IMAGE_H
#define ASSAY_INPUT_IMAGE_H

#include <stdbool.h>

#include "host/error.h"

/* assay_format.transfer of an image whose colours no code of H.273 describes: an ICC profile, or the
 * gamma that the format has. */
enum { IMAGE_TRANSFER_OTHER = 255 };

struct image {
    assay_format format;
    void *plane[3];
    ptrdiff_t stride[3];
    void *alpha;           /* of the size and depth of plane 0; NULL: the image has none */
    ptrdiff_t alpha_stride;
    char name[256];        /* as messages show it */
    char reader[96];       /* "png, libpng 1.6.39", or the decoder */
    char colour[128];      /* what the file says of its colours, "" when nothing */
    char notice[256];      /* one line the user should see, or "" */
    void *memory;
};

/* On failure `image` holds nothing. */
int image_read(struct image *image, const char *path, struct assay_error *e);
void image_free(struct image *image);

/* ---- for readers ---- */

/* Memory for the planes of image->format and, when asked, alpha; rows without gaps. */
int image_allocate(struct image *image, bool alpha, struct assay_error *e);

struct stream;
/* Whether data begins as PNG does, and this build reads it with libpng. */
enum { PNG_MAGIC = 8 };
bool image_is_png(const unsigned char *data, size_t n);
/* Takes the stream over. image->name is set. */
int image_read_png(struct image *image, struct stream *s, struct assay_error *e);

#endif
