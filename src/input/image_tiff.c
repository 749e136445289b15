/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF by libtiff, in strips or tiles: grey, RGB, palettes and JPEG's YCbCr of 8 and 16 bits, and grey of fewer
 * bits. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "input/image_decoder.h"

/* A libtiff handle and the data of its call-backs. */
struct decoder {
    TIFF *tiff;
    const struct image_file *file;
    uint64_t at;
    struct image *image;
    struct assay_error *error;
    bool alpha, premultiplied;
    bool reading;              /* samples, so that a warning is damage too. Before, it is of tags that are not known */
    char message[200];         /* of the first error, or warning if it counts */
    uint16_t bits, samples, photometric, planar, compression;
    uint32_t block_width, block_height;
    uint16_t *palette[3];
    unsigned palette_shift;      /* from its entries to 8 bits */
    unsigned char *block, *band; /* a strip or tile; the rows that it covers, with the samples of a pixel together */
};

/* libtiff has one handler of errors for the whole program. */
static _Thread_local struct decoder *decoding;

static void on_error(const char *module, const char *format, va_list args)
{
    (void)module;
    if (decoding && !decoding->message[0])
        vsnprintf(decoding->message, sizeof decoding->message, format, args);
}

static void on_warning(const char *module, const char *format, va_list args)
{
    if (decoding && decoding->reading)
        on_error(module, format, args);
}

static int damaged(const struct decoder *d)
{
    return image_damaged(d->image, "TIFF", d->message[0] ? d->message : "it can't be decoded", d->error);
}

static int refuse(const struct decoder *d, const char *reason)
{
    return assay_fail(d->error, ASSAY_EINPUT, "%s: is a TIFF of %s, which is not supported", d->image->name, reason);
}

/* ---- the bytes ---- */

static tmsize_t on_read(thandle_t handle, void *to, tmsize_t n)
{
    struct decoder *d = handle;
    const size_t got = n > 0 ? d->file->look_at(d->file, d->at, to, (size_t)n) : 0;
    d->at += got;
    return (tmsize_t)got;
}

static tmsize_t on_write(thandle_t handle, void *from, tmsize_t n)
{
    (void)handle, (void)from, (void)n;
    return -1;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    struct decoder *d = handle;
    d->at = offset + (whence == SEEK_CUR ? d->at : whence == SEEK_END ? d->file->size : 0);
    return d->at;
}

static int on_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t on_size(thandle_t handle)
{
    return ((struct decoder *)handle)->file->size;
}

/* ---- what the file is ---- */

static int read_alpha(struct decoder *d)
{
    const unsigned colours = d->photometric == PHOTOMETRIC_RGB || d->photometric == PHOTOMETRIC_YCBCR ? 3 : 1;
    uint16_t extras = 0, *kind = NULL;
    TIFFGetField(d->tiff, TIFFTAG_EXTRASAMPLES, &extras, &kind);
    if (d->samples < colours || d->samples > colours + 1u)
        return refuse(d, "channels beside colour and alpha");
    d->alpha = d->samples == colours + 1u;
    if (d->alpha && (extras != 1 || (kind[0] != EXTRASAMPLE_ASSOCALPHA && kind[0] != EXTRASAMPLE_UNASSALPHA)))
        return refuse(d, "a fourth channel that is not called alpha");
    d->premultiplied = d->alpha && kind[0] == EXTRASAMPLE_ASSOCALPHA;
    return ASSAY_OK;
}

static int read_header(struct decoder *d)
{
    assay_format *f = &d->image->format;
    uint16_t sample_format = SAMPLEFORMAT_UINT, orientation = 1;
    uint32_t kind = 0;
    float x = 0.0f, y = 0.0f; /* pixels in an inch, or in any other length */
    TIFFGetFieldDefaulted(d->tiff, TIFFTAG_BITSPERSAMPLE, &d->bits);
    TIFFGetFieldDefaulted(d->tiff, TIFFTAG_SAMPLESPERPIXEL, &d->samples);
    TIFFGetFieldDefaulted(d->tiff, TIFFTAG_PLANARCONFIG, &d->planar);
    TIFFGetFieldDefaulted(d->tiff, TIFFTAG_SAMPLEFORMAT, &sample_format);
    TIFFGetFieldDefaulted(d->tiff, TIFFTAG_COMPRESSION, &d->compression);
    TIFFGetFieldDefaulted(d->tiff, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetFieldDefaulted(d->tiff, TIFFTAG_SUBFILETYPE, &kind);
    TIFFGetField(d->tiff, TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(d->tiff, TIFFTAG_YRESOLUTION, &y);
    if (kind & FILETYPE_REDUCEDIMAGE) /* raw pictures of cameras begin with one */
        return refuse(d, "a smaller copy of a picture that is elsewhere in the file");
    if (!TIFFGetField(d->tiff, TIFFTAG_PHOTOMETRIC, &d->photometric) ||
        !TIFFGetField(d->tiff, TIFFTAG_IMAGEWIDTH, &f->width) ||
        !TIFFGetField(d->tiff, TIFFTAG_IMAGELENGTH, &f->height))
        return image_damaged(d->image, "TIFF", "its size or its kind of colour is not stated", d->error);
    if (d->photometric == PHOTOMETRIC_YCBCR && d->compression == COMPRESSION_JPEG && d->planar == PLANARCONFIG_CONTIG)
        TIFFSetField(d->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    else if (d->photometric > PHOTOMETRIC_PALETTE)
        return refuse(d, "colours that are none of grey, RGB, a palette and JPEG's in one plane");
    if (sample_format != SAMPLEFORMAT_UINT && sample_format != SAMPLEFORMAT_VOID)
        return refuse(d, "signed or floating-point samples");
    const bool small = d->samples == 1 && (d->bits == 1 || d->bits == 2 || d->bits == 4);
    if ((d->bits != 8 && d->bits != 16 && !small) || (d->photometric == PHOTOMETRIC_PALETTE && d->bits == 16))
        return refuse(d, "samples of other than 8 or 16 bits");
    TRY(read_alpha(d));
    d->image->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    image_pixels(d->image, (double)x, (double)y, true);
    f->bit_depth = d->bits == 16 ? 16 : 8;
    f->layout = d->photometric <= PHOTOMETRIC_MINISBLACK ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_RGB;
    return ASSAY_OK;
}

/* ---- the picture ---- */

/* Converts a row from the file to the form that image_put_row takes. */
static void expand_row(const struct decoder *d, const unsigned char *from, void *to)
{
    const uint32_t width = d->image->format.width;
    const bool inverted = d->photometric == PHOTOMETRIC_MINISWHITE;
    const unsigned peak = (1u << (d->bits < 8 ? d->bits : 8)) - 1;
    uint8_t *out = to;
    if (d->bits == 16) {
        memcpy(to, from, (size_t)width * d->samples * 2);
        for (size_t i = 0; inverted && i < (size_t)width * d->samples; i += d->samples)
            ((uint16_t *)to)[i] = (uint16_t)~((uint16_t *)to)[i];
        return;
    }
    for (size_t i = 0; i < (size_t)width * d->samples; i++) {
        const size_t bit = i * d->bits;
        unsigned v = from[bit / 8] >> (8 - d->bits - bit % 8) & peak;
        if (d->photometric == PHOTOMETRIC_PALETTE && i % d->samples == 0) {
            for (unsigned c = 0; c < 3; c++)
                *out++ = (uint8_t)(d->palette[c][v] >> d->palette_shift);
            continue;
        }
        if (inverted && i % d->samples == 0)
            v = peak - v;
        *out++ = (uint8_t)(v * (255 / peak));
    }
}

/* Reads the blocks that begin in row `y` of the image into the band. If the file stores planes separately, reads those
 * of plane `plane`. */
static bool read_blocks(struct decoder *d, uint32_t y, uint16_t plane, uint32_t rows)
{
    const bool tiled = TIFFIsTiled(d->tiff) != 0, apart = d->planar == PLANARCONFIG_SEPARATE && d->samples > 1;
    const uint32_t width = d->image->format.width, pixel = d->samples * d->bits, in_file = apart ? d->bits : pixel;
    const size_t sample = d->bits / 8, band_row = ((size_t)width * pixel + 7) / 8,
                 block_row = ((size_t)d->block_width * in_file + 7) / 8;
    for (uint32_t x = 0; x < width; x += d->block_width) {
        const tmsize_t got = tiled ? TIFFReadTile(d->tiff, d->block, x, y, 0, plane)
                                   : TIFFReadEncodedStrip(d->tiff, TIFFComputeStrip(d->tiff, y, plane), d->block, -1);
        const uint32_t columns = width - x < d->block_width ? width - x : d->block_width;
        /* libtiff goes on behind codes of fax and blocks of JPEG that it could not read */
        if (got < 0 || (size_t)got < block_row * (rows - 1) || d->message[0])
            return false;
        for (uint32_t r = 0; r < rows; r++) {
            const unsigned char *from = d->block + r * block_row;
            unsigned char *to = d->band + r * band_row + (size_t)x * pixel / 8;
            if (!apart)
                memcpy(to, from, ((size_t)columns * pixel + 7) / 8);
            for (uint32_t i = 0; apart && i < columns; i++)
                memcpy(to + (i * d->samples + plane) * sample, from + i * sample, sample);
        }
    }
    return true;
}

/* Entries have 16 bits. Writers set the upper 8, or all to v * 257, or the lower 8 of all entries. */
static int read_palette(struct decoder *d)
{
    bool finer = false;
    if (!TIFFGetField(d->tiff, TIFFTAG_COLORMAP, &d->palette[0], &d->palette[1], &d->palette[2]))
        return image_damaged(d->image, "TIFF", "it has no palette", d->error);
    for (size_t i = 0; i < (size_t)3 << d->bits; i++) {
        const unsigned v = d->palette[i % 3][i / 3], low = v & 255;
        d->palette_shift = v > 255 ? 8 : d->palette_shift;
        finer = finer || (low && low != v >> 8);
    }
    if (finer && d->palette_shift)
        image_notice(d->image, "its palette's entries have 16 bits, the upper 8 of which are compared");
    return ASSAY_OK;
}

static int read_rows(struct decoder *d, void *row)
{
    const assay_format *f = &d->image->format;
    const size_t band_row = ((size_t)f->width * d->samples * d->bits + 7) / 8;
    TRY(d->photometric == PHOTOMETRIC_PALETTE ? read_palette(d) : ASSAY_OK);
    for (uint32_t y = 0; y < f->height; y += d->block_height) {
        const uint32_t rows = f->height - y < d->block_height ? f->height - y : d->block_height;
        for (uint16_t plane = 0; plane < (d->planar == PLANARCONFIG_SEPARATE ? d->samples : 1); plane++)
            if (!read_blocks(d, y, plane, rows))
                return damaged(d);
        for (uint32_t r = 0; r < rows; r++) {
            expand_row(d, d->band + r * band_row, row);
            image_put_row(d->image, y + r, row);
        }
    }
    return ASSAY_OK;
}

/* Bytes of samples that come from a byte of the file, at most. */
static uint64_t most_of(const struct decoder *d)
{
    switch (d->compression) {
    case COMPRESSION_NONE: return 1;
    case COMPRESSION_PACKBITS: return 64;
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE: return IMAGE_DEFLATE_MOST;
    case COMPRESSION_LZW: return 4096;
    case COMPRESSION_JPEG: return 4096;
    default: return 1 << 17; /* a line of fax may take a bit */
    }
}

static int read_picture(struct decoder *d, void **row)
{
    const assay_format *f = &d->image->format;
    const void *icc;
    uint32_t size;
    TRY(read_header(d));
    TRY(image_check_sides(d->image, d->error));
    TRY(image_check_room(d->image, d->file->size, most_of(d),
                         ((uint64_t)f->width * d->samples * d->bits + 7) / 8 * f->height, d->error));
    TRY(image_allocate(d->image, d->alpha, d->error));
    if (TIFFGetField(d->tiff, TIFFTAG_ICCPROFILE, &size, &icc))
        TRY(image_add_icc(d->image, icc, size, d->error));
    const bool tiled = TIFFIsTiled(d->tiff) != 0;
    d->block_width = f->width;
    TIFFGetFieldDefaulted(d->tiff, TIFFTAG_ROWSPERSTRIP, &d->block_height);
    if (tiled) {
        TIFFGetField(d->tiff, TIFFTAG_TILEWIDTH, &d->block_width);
        TIFFGetField(d->tiff, TIFFTAG_TILELENGTH, &d->block_height);
    }
    d->block_height = d->block_height > f->height ? f->height : d->block_height;
    const tmsize_t bytes = tiled ? TIFFTileSize(d->tiff) : TIFFStripSize(d->tiff);
    if (!d->block_width || !d->block_height || bytes <= 0)
        return damaged(d);
    if (d->block_width < f->width && d->block_width * d->bits % 8)
        return refuse(d, "tiles whose rows end within a byte");
    d->block = malloc((size_t)bytes);
    d->band = malloc((size_t)f->width * d->samples * 2 * d->block_height);
    *row = malloc((size_t)f->width * 8);
    if (!d->block || !d->band || !*row)
        return assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for a TIFF picture", d->image->name);
    d->message[0] = '\0'; /* an error in a tag that is not needed */
    d->reading = true;
    TRY(read_rows(d, *row));
    if (d->premultiplied)
        image_unpremultiply(d->image);
    if (!TIFFLastDirectory(d->tiff))
        return assay_fail(d->error, ASSAY_EINPUT, "%s: holds more than one picture (TIFF pages)", d->image->name);
    return ASSAY_OK;
}

static int decode(struct image *image, const struct image_file *file, struct assay_error *e)
{
    struct decoder d = {.file = file, .image = image, .error = e};
    void *row = NULL;
    snprintf(image->reader, sizeof image->reader, "tiff, %.*s", (int)strcspn(TIFFGetVersion(), "\n"), TIFFGetVersion());
    decoding = &d;
    TIFFSetErrorHandler(on_error);
    TIFFSetWarningHandler(on_warning);
    d.tiff = TIFFClientOpen(image->name, "rm", &d, on_read, on_write, on_seek, on_close, on_size, NULL, NULL);
    const int rc = d.tiff ? read_picture(&d, &row) : damaged(&d);
    if (d.tiff)
        TIFFClose(d.tiff);
    decoding = NULL;
    free(d.block);
    free(d.band);
    free(row);
    return rc;
}

const struct image_decoder IMAGE_SYMBOL = IMAGE_DECODER(.decode = decode);
