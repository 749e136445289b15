/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that decoders of images share: planes, rows, EXIF, profiles. Linked into each decoder's object. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "host/text.h"
#include "input/image_decoder.h"

int image_check_sides(const struct image *image, struct assay_error *e)
{
    const assay_format *f = &image->format;
    if (!f->width || !f->height || f->width > FORMAT_MAX_SIDE || f->height > FORMAT_MAX_SIDE)
        return assay_fail(e, ASSAY_EINPUT, "%s: a picture of %" PRIu32 "x%" PRIu32 " is refused; sides are 1 to %d",
                          image->name, f->width, f->height, FORMAT_MAX_SIDE);
    return ASSAY_OK;
}

int image_check_room(const struct image *image, uint64_t there, uint64_t most, uint64_t takes, struct assay_error *e)
{
    enum { SLACK = 1 << 16 }; /* bytes of pictures so small that their files need not be looked at */
    const assay_format *f = &image->format;
    if (takes <= SLACK || takes / most <= there)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EINPUT, "%s: states a picture of %" PRIu32 "x%" PRIu32 ", which its %" PRIu64 " bytes "
                      "can't hold", image->name, f->width, f->height, there);
}

int image_allocate(struct image *image, bool alpha, struct assay_error *e)
{
    const assay_format *f = &image->format;
    TRY(image_check_sides(image, e));
    const size_t bytes = format_frame_bytes(f) + (alpha ? format_plane_bytes(f, 0) : 0);
    image->memory = memory_planes(bytes);
    if (!image->memory)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for a picture of %zu bytes", image->name, bytes);
    void *const end = format_place(f, image->memory, image->plane, image->stride);
    image->plane[3] = alpha ? end : NULL;
    image->stride[3] = image->stride[0];
    return ASSAY_OK;
}

#define PUT_ROW(type) \
    do { \
        const type *from = pixels; \
        for (uint32_t c = 0; c < channels; c++) { \
            const uint32_t i = c < colours ? c : 3; \
            type *to = (type *)(void *)((char *)image->plane[i] + (ptrdiff_t)y * image->stride[i]); \
            for (uint32_t x = 0; x < width; x++) \
                to[x] = from[x * (size_t)channels + c]; \
        } \
    } while (0)

void image_put_row(struct image *image, uint32_t y, const void *pixels)
{
    const uint32_t width = image->format.width, colours = assay_format_planes(&image->format),
                   channels = colours + (image->plane[3] != NULL);
    if (image->format.bit_depth > 16)
        PUT_ROW(uint32_t);
    else if (image->format.bit_depth > 8)
        PUT_ROW(uint16_t);
    else
        PUT_ROW(uint8_t);
}

#define UNPREMULTIPLY(type) \
    do { \
        const type *a = (const type *)(const void *)((const char *)image->plane[3] + (ptrdiff_t)y * image->stride[3]); \
        type *v = (type *)(void *)((char *)image->plane[c] + (ptrdiff_t)y * image->stride[c]); \
        for (uint32_t x = 0; x < f->width; x++) { \
            const uint64_t straight = a[x] ? ((uint64_t)v[x] * peak + a[x] / 2u) / a[x] : 0; \
            v[x] = (type)(straight > peak ? peak : straight); \
        } \
    } while (0)

void image_unpremultiply(struct image *image)
{
    const assay_format *f = &image->format;
    const uint32_t peak = (1u << f->bit_depth) - 1;
    for (uint32_t c = 0; c < assay_format_planes(f); c++)
        for (uint32_t y = 0; y < f->height; y++)
            if (f->bit_depth > 8)
                UNPREMULTIPLY(uint16_t);
            else
                UNPREMULTIPLY(uint8_t);
    image_notice(image, "its colours are stored times alpha and were divided by it, rounded");
}

const unsigned char *image_window(struct image_window *w, uint64_t at, size_t wanted, size_t *n)
{
    if (at < w->at || at - w->at > w->n || w->n - (at - w->at) < wanted) {
        w->at = at;
        w->n = w->file->look_at(w->file, at, w->bytes, sizeof w->bytes);
    }
    *n = w->n - (size_t)(at - w->at);
    return w->bytes + (at - w->at);
}

int image_add_icc(struct image *image, const void *part, size_t size, struct assay_error *e)
{
    unsigned char *icc = realloc(image->icc, image->icc_size + size + 1);
    if (!icc)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for an ICC profile", image->name);
    memcpy(icc + image->icc_size, part, size);
    image->icc = icc;
    image->icc_size += size;
    return ASSAY_OK;
}

void image_keep_codes(struct image *image, uint32_t primaries, uint32_t transfer)
{
    image->format.primaries = primaries;
    image->format.transfer = transfer;
    if (primaries == 1 && transfer == 13)
        snprintf(image->colour, sizeof image->colour, "sRGB");
    else if (primaries != 2 || transfer != 2)
        snprintf(image->colour, sizeof image->colour, "primaries %" PRIu32 ", transfer %" PRIu32, primaries, transfer);
}

/* ---- EXIF ---- */

enum { EXIF_SHORT = 3, EXIF_LONG = 4, EXIF_BYTES = 7 };
struct exif {
    const unsigned char *data;
    size_t size;
    bool big;
};

static uint32_t exif_number(const struct exif *x, size_t at, unsigned bytes)
{
    if (at > x->size || x->size - at < bytes)
        return 0;
    return (uint32_t)(x->big ? big_endian(x->data + at, bytes) : little_endian(x->data + at, bytes));
}

/* The first directory. 0: there is none. */
static uint32_t exif_open(struct exif *x, const unsigned char *data, size_t size)
{
    *x = (struct exif){data, size, size && data[0] == 'M'};
    return size < 8 || (memcmp(data, "II*\0", 4) && memcmp(data, "MM\0*", 4)) ? 0 : exif_number(x, 4, 4);
}

/* The value of a tag in a directory, or where it begins. 0: it has none of this type. */
static uint32_t exif_value(const struct exif *x, size_t directory, uint32_t tag, uint32_t type)
{
    enum { ENTRY = 12 };
    const size_t entries = directory ? exif_number(x, directory, 2) : 0;
    for (size_t i = 0; i < entries; i++) {
        const size_t at = directory + 2 + ENTRY * i;
        if (exif_number(x, at, 2) == tag)
            return exif_number(x, at + 2, 2) == type ? exif_number(x, at + 8, type == EXIF_SHORT ? 2 : 4) : 0;
    }
    return 0;
}

void image_read_exif(struct image *image, const unsigned char *exif, size_t size)
{
    enum { ORIENTATION = 0x112, OF_CAMERA = 0x8769, COLOURS = 0xa001, SRGB = 1 };
    struct exif x;
    const size_t name = size >= 6 && !memcmp(exif, "Exif\0\0", 6) ? 6 : 0;
    const uint32_t directory = exif_open(&x, exif + name, size - name),
                   v = exif_value(&x, directory, ORIENTATION, EXIF_SHORT),
                   camera = exif_value(&x, directory, OF_CAMERA, EXIF_LONG);
    image->orientation = v >= 1 && v <= 8 ? v : 1;
    image->not_srgb = exif_value(&x, camera, COLOURS, EXIF_SHORT) > SRGB;
}

bool image_of_several(const unsigned char *mpf, size_t size)
{
    enum { PICTURES = 0xb002, SEVERAL = 2 }; /* the first picture's kind is in its first number */
    struct exif x;
    const uint32_t first = exif_value(&x, exif_open(&x, mpf, size), PICTURES, EXIF_BYTES);
    return first && (exif_number(&x, first, 4) >> 16 & 255) == SEVERAL;
}

/* ---- floats ---- */

void image_is_light(struct image *image)
{
    image->format.transfer = 8;
    image->format.primaries = 1;
    snprintf(image->colour, sizeof image->colour, "linear light with the primaries of BT.709, as none are stated");
}

void image_pixels(struct image *image, double x, double y, bool unit)
{
    const double wide = unit == (image->orientation < 5) ? y / x : x / y; /* from 5 on, width and height change */
    if (x > 0.0 && y > 0.0 && (wide < 0.995 || wide > 1.005)) /* densities are rounded */
        image_notice(image, "its pixels are %g times as wide as high, and are compared as they are", wide);
}

/* ---- messages ---- */

void image_notice(struct image *image, const char *format, ...)
{
    char text[sizeof image->notice];
    TEXT_GIVEN(text, sizeof text, format);
    text_append(image->notice, sizeof image->notice, "%s%s", *image->notice ? "; " : "", text);
}

int image_damaged(const struct image *image, const char *what, const char *reason, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s: damaged %s: %s", image->name, what, reason);
}
