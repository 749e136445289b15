/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole picture in memory, upright, with its alpha plane beside it: grey or RGB of 8 or 16 bits, or of floats, whose
 * format.bit_depth is IMAGE_FLOAT_BITS: no session takes it. Every format is
 * decoded by its own library (image_kinds.c), as browsers do. Palettes and grey of 1, 2 and 4 bits become 8 bits, which
 * is exact; samples of 9 to 15 bits become the nearest of 16. Other files go through input_open.
 */
#ifndef ASSAY_INPUT_IMAGE_H
#define ASSAY_INPUT_IMAGE_H

#include <assay/assay.h>
#include <stdbool.h>

#include "host/error.h"

/* assay_format.transfer and primaries that no code of H.273 describes: those of an ICC profile, or by parameters of the
 * file's own. */
enum { IMAGE_TRANSFER_OTHER = 255 };

/* assay_format.bit_depth of an image whose samples are floats. Halves become floats, exactly. */
enum { IMAGE_FLOAT_BITS = 32 };

struct image {
    assay_format format;
    void *plane[4];        /* [3] is alpha, of plane 0's size and depth, straight unless `premultiplied`. NULL: none */
    ptrdiff_t stride[4];
    uint32_t orientation;  /* 1 to 8 as EXIF counts: how the file says that its samples lie. The planes are upright */
    char name[256];        /* as messages show it */
    char reader[96];       /* "png, libpng 1.6.39", or the decoder */
    char colour[128];      /* what the file says of its colours, "" when nothing */
    char unknown_colour[200]; /* why metrics of colour can't use what the file says of them, or "" */
    char notice[1024];     /* one line the user should see, or "" */
    void *memory;
    uint64_t icc_fingerprint; /* of a profile that is not understood; else 0 */
    bool premultiplied;    /* of floats: the colours are stored times alpha */
    bool alpha_dropped;    /* the file has alpha that its reader does not hand out */
    bool untagged;         /* the file says nothing of its colours: they are sRGB's, as in browsers */
    bool not_srgb;         /* but its EXIF says that they are others. Cameras say so of Adobe RGB */
    unsigned char *icc;    /* the ICC profile's bytes while the picture is read */
    size_t icc_size;
};

/* Images that are being decoded. A handler of signals may look at it: a decoder can't be asked to end. */
extern int image_decoding; /* atomic */

/* On failure `image` holds nothing. `stop` is as in input_options. */
struct input_stop;
int image_read(struct image *image, const char *path, const struct input_stop *stop, struct assay_error *e);
/* Makes it a part of itself, in place; as input_crop. */
struct input_crop;
int image_crop(struct image *image, const struct input_crop *part, const char *option, struct assay_error *e);
/* Makes it an image of this layout, depth and alpha, as two videos are made alike (host/recode.h). Grey is repeated in
 * R, G and B, and alpha where there is none is opaque. */
int image_convert(struct image *image, assay_layout layout, uint32_t bit_depth, bool alpha, struct assay_error *e);

/* `to` is `image` with planes of this depth that are not filled yet, in memory of its own. On failure it holds
 * nothing. */
int image_room(struct image *to, const struct image *image, uint32_t bit_depth, struct assay_error *e);

/* Adds a sentence to image->notice. */
PRINTF_LIKE(2, 3) void image_notice(struct image *image, const char *format, ...);

void image_free(struct image *image);

#endif
