/* SPDX-License-Identifier: BSD-2-Clause */
/* AVIF by libavif. Its own conversion to RGB is used and not libyuv's, which rounds coefficients to 6 bits. */
#include <avif/avif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/image_decoder.h"

/* irot turns counter-clockwise, in units of 90 degrees. Then imir mirrors: 0 top to bottom, 1 left to right. */
static uint32_t orientation_of(const avifImage *avif)
{
    static const uint32_t turned[4] = {1, 8, 3, 6};
    static const uint32_t mirrored[2][4] = {{4, 5, 2, 7}, {2, 7, 4, 5}};
    const unsigned angle = avif->transformFlags & AVIF_TRANSFORM_IROT ? avif->irot.angle & 3u : 0;
    if (!(avif->transformFlags & AVIF_TRANSFORM_IMIR))
        return turned[angle];
#if AVIF_VERSION_MAJOR >= 1
    return mirrored[avif->imir.axis & 1][angle];
#else
    return mirrored[avif->imir.mode & 1][angle];
#endif
}

static int fail(const struct image *image, avifResult result, struct assay_error *e)
{
    if (result == AVIF_RESULT_OUT_OF_MEMORY)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for an AVIF picture", image->name);
    return image_damaged(image, "AVIF", avifResultToString(result), e);
}

/* The conversion to RGB scales grey to full range and gives three equal samples. One of them is kept. */
static void put_rows(struct image *image, const avifRGBImage *rgb, unsigned channels)
{
    const size_t sample = rgb->depth > 8 ? 2 : 1, pixel = channels * sample;
    const bool grey = image->format.layout == ASSAY_LAYOUT_400;
    for (uint32_t y = 0; y < rgb->height; y++) {
        uint8_t *row = rgb->pixels + (size_t)y * rgb->rowBytes;
        for (uint32_t x = 0; grey && x < rgb->width; x++) {
            uint8_t *to = row + x * (image->plane[3] ? 2 : 1) * sample;
            memmove(to, row + x * pixel, sample);
            if (image->plane[3])
                memmove(to + sample, row + x * pixel + 3 * sample, sample);
        }
        image_put_row(image, y, row);
    }
}

static int convert(struct image *image, const avifImage *avif, struct assay_error *e)
{
    assay_format *f = &image->format;
    const bool alpha = avif->alphaPlane != NULL;
    const unsigned channels = alpha ? 4 : 3;
    /* Grey and RGB of full range are taken in the file's depth, which image.c widens to 16 bits exactly. */
    const bool codes = avif->yuvRange == AVIF_RANGE_FULL && !avif->alphaPremultiplied &&
        (avif->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 || avif->matrixCoefficients == AVIF_MATRIX_COEFFICIENTS_IDENTITY);
    avifRGBImage rgb;
    if (avif->transformFlags & AVIF_TRANSFORM_CLAP)
        return assay_fail(e, ASSAY_EINPUT, "%s: is cut by a clean aperture, which is not supported", image->name);
    f->width = avif->width;
    f->height = avif->height;
    f->bit_depth = avif->depth > 8 && !codes ? 16 : avif->depth;
    f->layout = avif->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_RGB;
    image->orientation = orientation_of(avif);
    if (avif->transformFlags & AVIF_TRANSFORM_PASP)
        image_pixels(image, avif->pasp.hSpacing, avif->pasp.vSpacing, false);
    if (avif->icc.size)
        TRY(image_add_icc(image, avif->icc.data, avif->icc.size, e));
    else
        image_keep_codes(image, avif->colorPrimaries, avif->transferCharacteristics);
    TRY(image_allocate(image, alpha, e));
    avifRGBImageSetDefaults(&rgb, avif);
    rgb.depth = f->bit_depth;
    rgb.format = alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    rgb.chromaUpsampling = AVIF_CHROMA_UPSAMPLING_BILINEAR;
    rgb.avoidLibYUV = AVIF_TRUE;
    rgb.rowBytes = f->width * channels * (f->bit_depth > 8 ? 2 : 1);
    if (!(rgb.pixels = malloc((size_t)rgb.rowBytes * f->height)))
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for an AVIF picture", image->name);
    const avifResult result = avifImageYUVToRGB(avif, &rgb);
    if (result == AVIF_RESULT_OK)
        put_rows(image, &rgb, channels);
    free(rgb.pixels);
    if (avif->alphaPremultiplied)
        image_notice(image, "its colours are stored times alpha and were divided by it, rounded");
    return result == AVIF_RESULT_OK ? ASSAY_OK : fail(image, result, e);
}

static int decode_data(struct image *image, avifDecoder *decoder, const uint8_t *data, size_t size,
                       struct assay_error *e)
{
    decoder->ignoreXMP = AVIF_TRUE;
    decoder->ignoreExif = AVIF_TRUE; /* its orientation repeats irot and imir */
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    if (memmem(data, size < IMAGE_MAGIC ? size : IMAGE_MAGIC, "tmap", 4)) /* the brand of such files */
        image_notice(image, "its gain map for displays of HDR is not looked at: its base picture is compared");
    avifResult result = avifDecoderSetIOMemory(decoder, data, size);
    if (result == AVIF_RESULT_OK)
        result = avifDecoderParse(decoder);
    if (result == AVIF_RESULT_OK && decoder->imageCount > 1)
        return assay_fail(e, ASSAY_EINPUT, "%s: holds more than one picture; compare videos without 'image'",
                          image->name);
    if (result == AVIF_RESULT_OK)
        result = avifDecoderNextImage(decoder);
    return result == AVIF_RESULT_OK ? convert(image, decoder->image, e) : fail(image, result, e);
}

static int decode(struct image *image, const unsigned char *data, size_t size, struct assay_error *e)
{
    snprintf(image->reader, sizeof image->reader, "avif, libavif %s", avifVersion());
    avifDecoder *decoder = avifDecoderCreate();
    if (!decoder)
        return fail(image, AVIF_RESULT_OUT_OF_MEMORY, e);
    const int rc = decode_data(image, decoder, data, size, e);
    avifDecoderDestroy(decoder);
    return rc;
}

const struct image_decoder IMAGE_SYMBOL = IMAGE_DECODER(.decode_bytes = decode);
