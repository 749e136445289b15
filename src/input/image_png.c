/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "host/primaries.h"
#include "host/system.h"
#include "input/image_decoder.h"
#include "input/reader.h"

/* libpng reports an error by longjmp. Everything that is used after the jump is here. */
struct decoder {
    png_structp png;
    png_infop info;
    const struct image_file *file;
    uint64_t at;        /* of the next byte that libpng gets */
    struct image_window window; /* heads and sums of chunks, which may be many */
    struct image *image;
    struct assay_error *error;
    uint64_t samples;   /* bytes of compressed samples */
    struct image_inflated inflated;
    bool profile;       /* it has an ICC profile, */
    char refusal[96];   /* and libpng refuses it for this reason, or "" */
    uint8_t *packed;    /* a row as libpng gives it, or the whole picture if it is interlaced */
    png_bytep *row;
    int colours;        /* of the palette; 0: there is none. What is beyond it is black, as browsers show it */
    uint8_t colour[256][4];
    bool beyond;        /* a sample is */
};

static void image_png_on_error(png_structp png, png_const_charp message)
{
    const struct decoder *d = png_get_error_ptr(png);
    assay_fail(d->error, ASSAY_EINPUT, "%s: damaged PNG: %s", d->image->name, message);
    png_longjmp(png, 1);
}

/* Chunks that libpng refuses: transparency may be lost with one. What it says of a profile is told in time. */
static void image_png_on_warning(png_structp png, png_const_charp message)
{
    struct decoder *d = png_get_error_ptr(png);
    const size_t of_profile = strncmp(message, "iCCP: ", 6) ? 0 : 6;
    char text[sizeof d->refusal];
    text_for_message(text, sizeof text, (const unsigned char *)message + of_profile, strlen(message + of_profile));
    if (!of_profile && !strstr(d->image->notice, text))
        image_notice(d->image, "libpng says: %s", text);
    else if (of_profile && !d->refusal[0])
        memcpy(d->refusal, text, sizeof text);
}

static png_voidp image_png_take(png_structp png, png_alloc_size_t size)
{
    const struct decoder *d = png_get_mem_ptr(png);
    void *memory = malloc(size);
    if (!memory) /* libpng reports that as damage of the picture */
        assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for a PNG picture", d->image->name);
    return memory;
}

static void image_png_on_data(png_structp png, png_bytep data, size_t n)
{
    struct decoder *d = png_get_io_ptr(png);
    struct image_inflated *const s = &d->inflated;
    size_t got = 0;
    if (s->chunk && d->at == s->first && n <= s->size - s->read) { /* libpng reads at most one chunk at once */
        memcpy(data, s->chunk + s->read, n);
        s->read += n;
        d->at = s->read < s->size ? s->first : s->end;
        return;
    }
    if (n < sizeof d->window.bytes / 4) {
        const uint8_t *from = image_window(&d->window, d->at, n, &got);
        got = got < n ? got : n;
        memcpy(data, from, got);
    } else {
        got = d->file->look_at(d->file, d->at, data, n);
    }
    d->at += got;
    if (got == n)
        return;
    assay_fail(d->error, ASSAY_EINPUT, "%s: ends in the middle of a picture", d->image->name);
    png_longjmp(png, 1);
}

/* Looks at the heads of all chunks. libpng takes the memory for a chunk before it reads it, so each has to lie in the
 * file. */
static int image_png_look_at_chunks(struct decoder *d)
{
    const uint8_t *head;
    uint64_t at = 8;
    size_t n;
    bool end = false;
    while (head = image_window(&d->window, at, 8, &n), n >= 8 && !end) {
        const uint64_t size = big_endian(head, 4);
        const bool samples = !memcmp(head + 4, "IDAT", 4);
        d->inflated.first = samples && !d->samples ? at : d->inflated.first;
        at += 12 + size;
        if (at > d->file->size)
            return assay_fail(d->error, ASSAY_EINPUT, "%s: ends in the middle of a picture", d->image->name);
        d->inflated.end = samples ? at : d->inflated.end;
        d->samples += samples ? size : 0;
        const bool profile = !memcmp(head + 4, "iCCP", 4);
        if (profile && d->profile)
            image_notice(d->image, "it has several ICC profiles, one of which libpng takes");
        d->profile |= profile;
        end = !memcmp(head + 4, "IEND", 4);
    }
    return ASSAY_OK;
}

/* Inflates a picture that is not interlaced. This happens before libpng checks the header, because png_read_info reads
 * beyond the head of the first IDAT chunk. So the header's fields are read here, too. */
static void image_png_inflate(struct decoder *d)
{
    enum { HEADER = 16, SIZE = 13 };
    static const uint8_t channels[8] = {1, 0, 3, 1, 2, 0, 4}; /* by the type of colour */
    size_t n;
    const uint8_t *header = image_window(&d->window, HEADER, SIZE, &n);
    const uint64_t width = n < SIZE ? 0 : big_endian(header, 4), height = n < SIZE ? 0 : big_endian(header + 4, 4);
    if (width <= FORMAT_MAX_SIDE && height <= FORMAT_MAX_SIDE && !header[12])
        image_inflate(&d->inflated, d->file, height * (1 + (width * header[8] * channels[header[9] & 7] + 7) / 8));
}

/* ---- colour ---- */

/* A chunk that libpng keeps as it is: what it makes of those of colour depends on its version, on their order, and on
 * what the others say. NULL: there is none of this size; 0 is any. A picture has one of each. */
static const png_unknown_chunk *image_png_chunk(const struct decoder *d, const char *name, size_t size)
{
    png_unknown_chunkp chunk;
    const png_unknown_chunk *found = NULL;
    const int n = png_get_unknown_chunks(d->png, d->info, &chunk);
    for (int i = 0; i < n; i++) {
        if (memcmp(chunk[i].name, name, 5))
            continue;
        if (found || (size && chunk[i].size != size))
            image_notice(d->image, "its %s chunk %s is passed over", found ? "second" : "damaged", name);
        else
            found = &chunk[i];
    }
    return found;
}

/* The chunk cHRM: white, red, green and blue. */
static void image_png_read_primaries(struct image *image, const uint8_t *chunk)
{
    struct primaries p;
    double to_bt709[9];
    for (unsigned i = 0; i < 8; i++)
        p.xy[(i / 2 + 3) % 4][i % 2] = (double)big_endian(chunk + 4 * (size_t)i, 4) / 100000.0;
    if (primaries_to_bt709(&p, to_bt709))
        image_set_primaries(&image->format, to_bt709);
    else
        image->format.primaries = IMAGE_TRANSFER_OTHER;
    text_append(image->colour, sizeof image->colour, "%schromaticities", *image->colour ? ", " : "");
}

/* The chunk gAMA. A gamma of 1/2.2 stands for sRGB. */
static void image_png_read_gamma(struct image *image, const uint8_t *chunk)
{
    enum { GAMMA_LINEAR = 100000, GAMMA_SRGB = 45455, GAMMA_STEP = 500, GAMMA_LEAST = 12500, GAMMA_MOST = 1000000 };
    assay_format *f = &image->format;
    const uint32_t gamma = (uint32_t)big_endian(chunk, 4);
    f->transfer = gamma == GAMMA_LINEAR ? 8
                : gamma >= GAMMA_SRGB - GAMMA_STEP && gamma <= GAMMA_SRGB + GAMMA_STEP ? 13 : IMAGE_TRANSFER_OTHER;
    if (f->transfer == IMAGE_TRANSFER_OTHER && gamma >= GAMMA_LEAST && gamma <= GAMMA_MOST)
        f->gamma = gamma;
    text_append(image->colour, sizeof image->colour, "%sgamma %" PRIu32 "/100000", *image->colour ? ", " : "", gamma);
}

/* Chunks in the PNG specification's order of precedence. Codes of cICP may state nothing (2): then the next one counts,
 * as it does where they state a matrix, which PNG has none of. */
static int image_png_read_colour(struct decoder *d)
{
    struct image *image = d->image;
    assay_format *f = &image->format;
    const png_unknown_chunk *const codes = image_png_chunk(d, "cICP", 4), *const gamma = image_png_chunk(d, "gAMA", 4),
                            *const primaries = image_png_chunk(d, "cHRM", 32);
    int intent, compression;
    png_charp name;
    png_bytep profile;
    png_uint_32 length;
    const bool known = png_get_sRGB(d->png, d->info, &intent) != 0; /* its ICC profile is one of a list */
    const uint8_t *const code = codes ? codes->data : NULL; /* primaries, transfer, matrix, full range */
    if (code && code[2]) {
        image_notice(image, "its chunk cICP states a matrix, and is passed over");
    } else if (code) {
        f->primaries = code[0];
        f->transfer = code[1];
        f->range = code[3] ? ASSAY_RANGE_FULL : ASSAY_RANGE_LIMITED;
        if (code[0] != 2 || code[1] != 2)
            snprintf(image->colour, sizeof image->colour, "cICP %u-%u-%u-%u", code[0], code[1], code[2], code[3]);
        if (code[0] != 2 && code[1] != 2)
            return ASSAY_OK;
        if (code[0] != code[1])
            image_notice(image, "its cICP leaves the %s open: others count", code[1] == 2 ? "curve" : "primaries");
    }
    if (!known && png_get_iCCP(d->png, d->info, &name, &compression, &profile, &length))
        return image_add_icc(image, profile, length, d->error);
    if (known || image_png_chunk(d, "sRGB", 1)) {
        image_keep_codes(image, 1, 13);
    } else {
        if (gamma)
            image_png_read_gamma(image, gamma->data);
        if (primaries)
            image_png_read_primaries(image, primaries->data);
    }
    if (!d->profile || known)
        return ASSAY_OK;
    if (!image->colour[0])
        image_keep_codes(image, 1, 13);
    text_append(image->colour, sizeof image->colour, ", as libpng refuses its ICC profile (%s)",
                d->refusal[0] ? d->refusal : "no reason given");
    image_notice(image, "counts as %s", image->colour);
    return ASSAY_OK;
}

/* ---- samples ---- */

/* Returns the number of channels. libpng would make colours of a palette's samples, and not say which are beyond it. */
static uint32_t image_png_read_palette(struct decoder *d)
{
    png_colorp from = NULL;
    png_bytep alpha = NULL;
    int alphas = 0;
    png_get_PLTE(d->png, d->info, &from, &d->colours);
    png_get_tRNS(d->png, d->info, &alpha, &alphas, NULL);
    for (int i = 0; i < 256; i++) {
        const png_color c = i < d->colours ? from[i] : (png_color){0, 0, 0};
        memcpy(d->colour[i], (const uint8_t[]){c.red, c.green, c.blue, i < alphas ? alpha[i] : 255}, 4);
    }
    return alphas ? 4 : 3;
}

static void image_png_put_row(struct decoder *d, uint32_t y, const uint8_t *row)
{
    const struct image *image = d->image;
    for (uint32_t x = 0; d->colours && x < image->format.width; x++) {
        d->beyond |= row[x] >= d->colours;
        for (unsigned c = 0; c < 4; c++)
            if (image->plane[c])
                ((uint8_t *)image->plane[c])[(ptrdiff_t)y * image->stride[c] + x] = d->colour[row[x]][c];
    }
    if (!d->colours)
        image_put_row(d->image, y, row);
}

/* Copies each row to the planes when it is read, so that no second picture is held, unless the picture is
 * interlaced. */
static int image_png_rows(struct decoder *d)
{
    const uint32_t height = d->image->format.height;
    const size_t stride = png_get_rowbytes(d->png, d->info);
    const bool interlaced = png_get_interlace_type(d->png, d->info) != PNG_INTERLACE_NONE;
    d->packed = malloc(interlaced ? stride * height : stride);
    d->row = malloc(height * sizeof *d->row);
    if (!d->packed || !d->row)
        return assay_fail_memory(d->error, "a PNG picture");
    for (uint32_t y = 0; y < height; y++)
        d->row[y] = d->packed + (interlaced ? y * stride : 0);
    if (interlaced)
        png_read_image(d->png, d->row);
    for (uint32_t y = 0; y < height; y++) {
        if (!interlaced)
            png_read_row(d->png, d->packed, NULL);
        image_png_put_row(d, y, d->row[y]);
    }
    if (d->beyond)
        image_notice(d->image, "samples beyond the %d colours of its palette are black", d->colours);
    png_set_crc_action(d->png, PNG_CRC_DEFAULT, PNG_CRC_ERROR_QUIT);
    return ASSAY_OK;
}

static int image_png_decode(struct decoder *d)
{
    /* Text, times: libpng would unpack some of them. */
    static const char unread[] = "tEXt\0zTXt\0iTXt\0sPLT\0hIST\0pCAL\0sCAL\0oFFs\0tIME\0bKGD\0sBIT",
                      kept[] = "cICP\0sRGB\0gAMA\0cHRM\0eXIf\0pHYs";
    struct image *image = d->image;
    assay_format *f = &image->format;
    if (setjmp(png_jmpbuf(d->png)))
        return d->error->code;
    png_set_read_fn(d->png, d, image_png_on_data);
    png_set_user_limits(d->png, FORMAT_MAX_SIDE, FORMAT_MAX_SIDE);
    png_set_crc_action(d->png, PNG_CRC_DEFAULT, PNG_CRC_ERROR_QUIT); /* else a damaged tRNS, gAMA, ... is dropped */
    png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_NEVER, (png_const_bytep)unread, sizeof unread / 5);
    png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_ALWAYS, (png_const_bytep)kept, sizeof kept / 5);
    png_read_info(d->png, d->info);
    f->width = png_get_image_width(d->png, d->info);
    f->height = png_get_image_height(d->png, d->info);
    TRY(image_check_room(image, d->samples, IMAGE_DEFLATE_MOST, png_get_rowbytes(d->png, d->info) * f->height,
                         d->error));
    if (d->inflated.chunk) { /* image_inflate has checked the CRC and Adler's sum of the file's chunks */
        png_set_crc_action(d->png, PNG_CRC_QUIET_USE, PNG_CRC_ERROR_QUIT);
#ifdef PNG_IGNORE_ADLER32 /* a libpng that is built without it computes the sum once more */
        png_set_option(d->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
    }
    const bool palette = png_get_color_type(d->png, d->info) == PNG_COLOR_TYPE_PALETTE;
    png_set_check_for_invalid_index(d->png, 0); /* image_png_put_row looks for them, whichever libpng it is */
    if (palette)
        png_set_packing(d->png);
    else
        png_set_expand(d->png); /* grey of fewer bits to 8 bits, a transparent colour to alpha: exact */
    if (png_get_bit_depth(d->png, d->info) == 16)
        png_set_swap(d->png); /* to little-endian */
    png_set_interlace_handling(d->png);
    png_read_update_info(d->png, d->info);
    const uint32_t channels = palette ? image_png_read_palette(d) : png_get_channels(d->png, d->info);
    f->bit_depth = png_get_bit_depth(d->png, d->info);
    f->layout = channels > 2 ? ASSAY_LAYOUT_RGB : ASSAY_LAYOUT_400;
    TRY(image_png_read_colour(d));
    TRY(image_allocate(image, channels % 2 == 0, d->error));
    TRY(image_png_rows(d));
    png_read_end(d->png, d->info);
    const png_unknown_chunk *const exif = image_png_chunk(d, "eXIf", 0); /* also behind the samples */
    if (exif)
        image_read_exif(image, exif->data, exif->size);
    const png_unknown_chunk *const pixel = image_png_chunk(d, "pHYs", 9); /* numbers in X and in Y, and of what */
    if (pixel)
        image_pixels(image, (uint32_t)big_endian(pixel->data, 4), (uint32_t)big_endian(pixel->data + 4, 4),
                     pixel->data[8]);
    return ASSAY_OK;
}

int image_decode_png(struct image *image, const struct image_file *file, struct assay_error *e)
{
    struct assay_error why = {0};
    struct decoder d = {.file = file, .image = image, .error = &why, .window.file = file};
    snprintf(image->reader, sizeof image->reader, "png, libpng %s", png_get_libpng_ver(NULL));
    d.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &d, image_png_on_error, image_png_on_warning, &d,
                                     image_png_take, NULL);
    d.info = d.png ? png_create_info_struct(d.png) : NULL;
    int rc = d.info ? image_png_look_at_chunks(&d) : assay_fail_memory(&why, "a PNG picture");
    if (!rc)
        image_png_inflate(&d);
    rc = rc ? rc : image_png_decode(&d);
    if (d.png)
        png_destroy_read_struct(&d.png, &d.info, NULL);
    memory_aligned_free(d.inflated.chunk);
    free(d.packed);
    free(d.row);
    rc = rc ? rc : why.code; /* libpng goes on after errors that it calls benign */
    return rc ? assay_fail(e, rc, "%s", why.text) : ASSAY_OK;
}
