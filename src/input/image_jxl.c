/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG XL by libjxl. */
#include <jxl/decode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/colour.h"
#include "input/image_decoder.h"

/* libjxl 0.9 has dropped the parameter for a pixel format from two functions. */
#if defined(JPEGXL_NUMERIC_VERSION)
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define NO_FORMAT
#endif
#endif
#ifndef NO_FORMAT
#define NO_FORMAT NULL,
#endif

#ifndef IMAGE_JXL_LARGE
#define IMAGE_JXL_LARGE (1 << 28) /* pixels; as many as WebP and libavif's limit have. A fuzzer's are fewer */
#endif

struct decoder {
    JxlDecoder *jxl;
    struct image *image;
    struct assay_error *error;
    JxlBasicInfo info;
    JxlPixelFormat samples;
    unsigned char *pixels;
    size_t size, file_size;
};

static int damaged(const struct decoder *d, const char *reason)
{
    return image_damaged(d->image, "JPEG XL", reason, d->error);
}

/* ---- what the file is ---- */

static int refuse(const struct decoder *d, const char *reason)
{
    return assay_fail(d->error, ASSAY_EINPUT, "%s: %s", d->image->name, reason);
}

static int read_info(struct decoder *d)
{
    enum { LARGE = IMAGE_JXL_LARGE };
    assay_format *f = &d->image->format;
    if (JxlDecoderGetBasicInfo(d->jxl, &d->info) != JXL_DEC_SUCCESS)
        return damaged(d, "its header can't be read");
    const JxlBasicInfo *i = &d->info;
    if (i->have_animation)
        return refuse(d, "holds more than one picture; JPEG XL animations can't be compared");
    if (i->exponent_bits_per_sample || i->alpha_exponent_bits || i->bits_per_sample > 16 || i->alpha_bits > 16)
        return refuse(d, "has samples of floating point or of more than 16 bits, which are read from EXR and PFM only");
    if (i->num_extra_channels > (i->alpha_bits ? 1u : 0u))
        return refuse(d, "has channels beside colour and alpha (CMYK, spot colours, depth)");
    const bool deep = i->bits_per_sample > 8 || i->alpha_bits > 8,
               between = deep && (i->bits_per_sample < 16 || (i->alpha_bits && i->alpha_bits < 16));
    d->image->orientation = i->orientation;
    f->width = i->xsize;
    f->height = i->ysize;
    TRY(image_check_sides(d->image, d->error));
    /* A few bytes may be a picture of one colour, but not of any size. */
    if ((uint64_t)f->width * f->height > LARGE)
        TRY(image_check_room(d->image, d->file_size, 1 << 12, (uint64_t)f->width * f->height, d->error));
    f->bit_depth = deep ? 16 : 8;
    f->layout = i->num_color_channels == 1 ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_RGB;
    d->samples = (JxlPixelFormat){.num_channels = i->num_color_channels + (i->alpha_bits ? 1 : 0),
                                  .data_type = between ? JXL_TYPE_FLOAT : deep ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                                  .endianness = JXL_LITTLE_ENDIAN};
    return ASSAY_OK;
}

/* The codes of H.273 for libjxl's description of colours. False: there are no such codes. */
static bool codes_of(const JxlColorEncoding *c, bool grey, uint32_t *primaries, uint32_t *transfer)
{
    const bool d65 = c->white_point == JXL_WHITE_POINT_D65;
    *transfer = (uint32_t)c->transfer_function; /* libjxl's numbers are H.273's, except for a gamma */
    if (c->transfer_function == JXL_TRANSFER_FUNCTION_GAMMA || c->transfer_function == JXL_TRANSFER_FUNCTION_UNKNOWN)
        return false;
    *primaries = grey || c->primaries == JXL_PRIMARIES_SRGB ? 1 : c->primaries == JXL_PRIMARIES_2100 ? 9 : 12;
    return d65 && (grey || (c->primaries != JXL_PRIMARIES_CUSTOM));
}

/* Asks libjxl for codes, and returns whether it makes those. */
static bool ask_for(struct decoder *d, const JxlColorEncoding *wanted)
{
    JxlColorEncoding c;
    return JxlDecoderSetPreferredColorProfile(d->jxl, wanted) == JXL_DEC_SUCCESS &&
           JxlDecoderGetColorAsEncodedProfile(d->jxl, NO_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, &c) == JXL_DEC_SUCCESS &&
           c.transfer_function == wanted->transfer_function;
}

/* Whether libjxl makes codes by the primaries and the curve of the image's ICC profile. Its powers make 0 of light
 * below 1e-5, so of a power above 2.8 too many codes would be lost. */
static bool ask_for_own(struct decoder *d, JxlColorEncoding c)
{
    struct image own = *d->image;
    const assay_format *f = &own.format;
    struct primaries p;
    double matrix[9];
    image_apply_icc(&own);
    if (own.unknown_colour[0] || (f->transfer == IMAGE_TRANSFER_OTHER && f->gamma < 35000) ||
        colour_to_bt709(f, matrix, NULL) || !primaries_of_matrix(matrix, &p))
        return false;
    c.primaries = JXL_PRIMARIES_CUSTOM;
    c.transfer_function = f->gamma ? JXL_TRANSFER_FUNCTION_GAMMA : (JxlTransferFunction)f->transfer;
    c.gamma = f->gamma / 100000.0;
    memcpy(c.primaries_red_xy, p.xy[0], sizeof p.xy[0]);
    memcpy(c.primaries_green_xy, p.xy[1], sizeof p.xy[1]);
    memcpy(c.primaries_blue_xy, p.xy[2], sizeof p.xy[2]);
    return ask_for(d, &c);
}

static int keep_profile(struct decoder *d, JxlColorProfileTarget target)
{
    size_t size;
    if (JxlDecoderGetICCProfileSize(d->jxl, NO_FORMAT target, &size) != JXL_DEC_SUCCESS)
        return refuse(d, "has colours that libjxl gives no profile of");
    if (!(d->image->icc = malloc(size + 1)))
        return assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for an ICC profile", d->image->name);
    d->image->icc_size = size;
    return JxlDecoderGetColorAsICCProfile(d->jxl, NO_FORMAT target, d->image->icc, size) == JXL_DEC_SUCCESS
               ? ASSAY_OK : damaged(d, "its ICC profile can't be read");
}

/* Of XYB libjxl makes linear light, too coarse for 8 bits, where the colours have an ICC profile or are grey under
 * another white than D65. */
static int read_colour(struct decoder *d)
{
    const bool grey = d->info.num_color_channels == 1;
    const JxlColorEncoding wide = {.color_space = grey ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB,
                                   .white_point = JXL_WHITE_POINT_D65, .primaries = JXL_PRIMARIES_2100,
                                   .transfer_function = JXL_TRANSFER_FUNCTION_SRGB};
    JxlColorEncoding c, of;
    uint32_t primaries, transfer;
    const bool made = !d->info.uses_original_profile &&
        (JxlDecoderGetColorAsEncodedProfile(d->jxl, NO_FORMAT JXL_COLOR_PROFILE_TARGET_ORIGINAL, &of) ||
         JxlDecoderGetColorAsEncodedProfile(d->jxl, NO_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, &c) ||
         c.transfer_function != of.transfer_function);
    if (made) {
        TRY(keep_profile(d, JXL_COLOR_PROFILE_TARGET_ORIGINAL));
        if (ask_for_own(d, wide)) {
            image_notice(d->image, "libjxl makes codes of its profile's primaries and curve, and cuts off others");
            return ASSAY_OK;
        }
        free(d->image->icc);
        d->image->icc = NULL;
        ask_for(d, &wide);
    }
    if (JxlDecoderGetColorAsEncodedProfile(d->jxl, NO_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, &c) == JXL_DEC_SUCCESS &&
        codes_of(&c, grey, &primaries, &transfer)) {
        image_keep_codes(d->image, primaries, transfer);
        if (made)
            image_notice(d->image, "libjxl makes codes of %s of its ICC profile's colours, and cuts off those outside",
                         transfer == 8 ? "linear sRGB" : grey ? "sRGB" : "BT.2020's primaries and sRGB's curve");
        return ASSAY_OK;
    }
    return keep_profile(d, JXL_COLOR_PROFILE_TARGET_DATA);
}

/* ---- the picture ---- */

static int offer_memory(struct decoder *d)
{
    if (d->pixels)
        return damaged(d, "it holds a second picture");
    if (JxlDecoderImageOutBufferSize(d->jxl, &d->samples, &d->size) != JXL_DEC_SUCCESS)
        return damaged(d, "its size can't be told");
    if (!(d->pixels = malloc(d->size)))
        return assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for a JPEG XL picture", d->image->name);
    return JxlDecoderSetImageOutBuffer(d->jxl, &d->samples, d->pixels, d->size) == JXL_DEC_SUCCESS
               ? ASSAY_OK : damaged(d, "its samples can't be had");
}

static int decode_steps(struct decoder *d)
{
    for (;;) {
        switch (JxlDecoderProcessInput(d->jxl)) {
        case JXL_DEC_BASIC_INFO: TRY(read_info(d)); break;
        case JXL_DEC_COLOR_ENCODING: TRY(read_colour(d)); break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER: TRY(offer_memory(d)); break;
        case JXL_DEC_FULL_IMAGE: return ASSAY_OK;
        case JXL_DEC_NEED_MORE_INPUT: return damaged(d, "it ends in the middle of a picture");
        default: return damaged(d, "its data can't be decoded");
        }
    }
}

/* Rounds floats to the nearest codes of 16 bits, in place. A float within 1/64 of a code of the file's own depth counts
 * as that code: libjxl's floats are rounded. */
static void make_codes(struct decoder *d)
{
    const uint32_t channels = d->samples.num_channels, colours = d->info.num_color_channels;
    for (size_t i = 0; i < d->size / sizeof(float); i++) {
        const uint32_t bits = i % channels < colours ? d->info.bits_per_sample : d->info.alpha_bits;
        const double peak = (double)((UINT64_C(1) << bits) - 1);
        float v;
        memcpy(&v, d->pixels + i * sizeof v, sizeof v);
        const double own = v > 0.0f ? v < 1.0f ? (double)v * peak : peak : 0.0, code = (double)(uint64_t)(own + 0.5),
                     near = own - code < 0x1p-6 && code - own < 0x1p-6 ? code : own;
        const uint16_t to = (uint16_t)(near * (65535.0 / peak) + 0.5);
        memcpy(d->pixels + i * sizeof to, &to, sizeof to);
    }
    d->size /= 2;
}

static int decode_data(struct decoder *d, const uint8_t *data, size_t size)
{
    struct image *image = d->image;
    const assay_format *f = &image->format;
    const int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE;
    if (JxlDecoderSubscribeEvents(d->jxl, events) != JXL_DEC_SUCCESS ||
        JxlDecoderSetKeepOrientation(d->jxl, JXL_TRUE) != JXL_DEC_SUCCESS || /* image_turn turns */
        JxlDecoderSetUnpremultiplyAlpha(d->jxl, JXL_TRUE) != JXL_DEC_SUCCESS ||
        JxlDecoderSetInput(d->jxl, data, size) != JXL_DEC_SUCCESS)
        return assay_fail(d->error, ASSAY_EINTERNAL, "%s: libjxl can't be started", image->name);
    d->file_size = size;
    TRY(decode_steps(d)); /* the input is not closed, because libjxl would print a line if it ends too early */
    TRY(image_allocate(image, d->info.alpha_bits > 0, d->error));
    const size_t row = (size_t)f->width * d->samples.num_channels * (f->bit_depth / 8);
    if (d->pixels && d->samples.data_type == JXL_TYPE_FLOAT)
        make_codes(d);
    if (!d->pixels || row * f->height > d->size)
        return damaged(d, "it holds no picture");
    for (uint32_t y = 0; y < f->height; y++)
        image_put_row(image, y, d->pixels + y * row);
    if (d->info.alpha_premultiplied)
        image_notice(image, "its colours are stored times alpha and were divided by it, rounded");
    return ASSAY_OK;
}

static int decode(struct image *image, const unsigned char *data, size_t size, struct assay_error *e)
{
    const uint32_t version = JxlDecoderVersion();
    struct decoder d = {.image = image, .error = e, .jxl = JxlDecoderCreate(NULL)};
    snprintf(image->reader, sizeof image->reader, "jxl, libjxl %u.%u.%u", version / 1000000, version / 1000 % 1000,
             version % 1000);
    if (!d.jxl)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for a JPEG XL picture", image->name);
    const int rc = decode_data(&d, data, size);
    JxlDecoderDestroy(d.jxl);
    free(d.pixels);
    return rc;
}

const struct image_decoder IMAGE_SYMBOL = IMAGE_DECODER(.decode_bytes = decode);
