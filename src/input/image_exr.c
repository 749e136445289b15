/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenEXR by its C library: R, G and B, or Y, and A, of halves or floats, of one part in scan lines or tiles. The
 * picture is the display window; where the file has no samples of it they are 0.
 */
#include <openexr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "host/primaries.h"
#include "host/text.h"
#include "input/image_decoder.h"

enum { CHANNELS = 4 };

struct decoder {
    exr_context_t exr;
    const struct image_file *file;
    struct image *image;
    struct assay_error *error;
    char message[200];         /* of the first error */
    exr_attr_box2i_t data, display;
    int64_t width, height;     /* of the data window */
    exr_storage_t storage;
    const char *name[CHANNELS]; /* of the channels that are read: R, G, B or Y in the first place, A in the last */
    /* A chunk of each, and of a channel that is not read: some of OpenEXR's routines write to every channel. */
    float *block[CHANNELS + 1];
    size_t block_size;         /* samples that a block has room for */
};

/* Handlers of errors get no data of ours while a file is opened. */
static _Thread_local struct decoder *decoding;

static void on_error(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context;
    (void)code;
    if (decoding && !decoding->message[0])
        text_for_message(decoding->message, sizeof decoding->message, (const unsigned char *)message,
                         strcspn(message, "\n"));
}

static int damaged(const struct decoder *d)
{
    return image_damaged(d->image, "OpenEXR", d->message[0] ? d->message : "it can't be decoded", d->error);
}

static int refuse(const struct decoder *d, const char *reason)
{
    return assay_fail(d->error, ASSAY_EINPUT, "%s: is OpenEXR with %s, which is not supported", d->image->name, reason);
}

static int64_t on_read(exr_const_context_t context, void *opaque, void *to, uint64_t size, uint64_t offset,
                       exr_stream_error_func_ptr_t error)
{
    const struct decoder *d = opaque;
    (void)context;
    (void)error;
    return (int64_t)d->file->look_at(d->file, offset, to, (size_t)size);
}

static int64_t on_size(exr_const_context_t context, void *opaque)
{
    (void)context;
    return (int64_t)((const struct decoder *)opaque)->file->size;
}

/* ---- what the file is ---- */

static int read_kind(struct decoder *d)
{
    int parts = 0, levels_x = 1, levels_y = 1;
    float aspect = 1.0f;
    if (exr_get_count(d->exr, &parts) || exr_get_storage(d->exr, 0, &d->storage) ||
        exr_get_pixel_aspect_ratio(d->exr, 0, &aspect) ||
        exr_get_data_window(d->exr, 0, &d->data) || exr_get_display_window(d->exr, 0, &d->display))
        return damaged(d);
    d->width = (int64_t)d->data.max.x - d->data.min.x + 1;
    d->height = (int64_t)d->data.max.y - d->data.min.y + 1;
    if (d->width < 1 || d->width > FORMAT_MAX_SIDE || d->height < 1 || d->height > FORMAT_MAX_SIDE)
        return refuse(d, "a data window whose sides are not 1 to 65535");
    if (parts != 1)
        return refuse(d, "several parts");
    if (d->storage != EXR_STORAGE_SCANLINE && d->storage != EXR_STORAGE_TILED)
        return refuse(d, "deep samples");
    if (d->storage == EXR_STORAGE_TILED && exr_get_tile_levels(d->exr, 0, &levels_x, &levels_y))
        return damaged(d);
    if (levels_x > 1 || levels_y > 1)
        image_notice(d->image, "its smaller copies (mip levels) are not looked at");
    image_pixels(d->image, (double)aspect, 1.0, false);
    if (memcmp(&d->data, &d->display, sizeof d->data))
        image_notice(d->image, "its data window is not its display window, which is compared, with 0 where it has no "
                     "data");
    return ASSAY_OK;
}

/* Where a channel of this name goes; CHANNELS: nowhere. */
static unsigned place_of(const char *name)
{
    static const char known[] = "RGBAY"; /* Y in the place of R */
    const char *const at = name[0] && !name[1] ? strchr(known, name[0]) : NULL;
    return at ? (unsigned)(at - known) % CHANNELS : CHANNELS;
}

static int read_channels(struct decoder *d)
{
    const exr_attr_chlist_t *list;
    assay_format *f = &d->image->format;
    char other[64] = "";
    unsigned others = 0;
    if (exr_get_channels(d->exr, 0, &list))
        return damaged(d);
    for (int i = 0; i < list->num_channels; i++) {
        const exr_attr_chlist_entry_t *c = &list->entries[i];
        const unsigned place = place_of(c->name.str);
        if (!strcmp(c->name.str, "RY") || !strcmp(c->name.str, "BY"))
            return refuse(d, "chroma beside luma");
        if (place == CHANNELS) {
            text_for_message(other, sizeof other, (const unsigned char *)c->name.str, strlen(c->name.str));
            others++;
            continue;
        }
        if (d->name[place])
            return refuse(d, "both Y and R");
        if (c->x_sampling != 1 || c->y_sampling != 1)
            return refuse(d, "subsampled channels");
        if (c->pixel_type == EXR_PIXEL_UINT)
            return refuse(d, "integers as samples");
        d->name[place] = c->name.str;
    }
    if (!d->name[0] || !d->name[1] != !d->name[2] || (d->name[1] && strcmp(d->name[0], "R")) ||
        (!d->name[1] && strcmp(d->name[0], "Y")))
        return refuse(d, "neither the channels R, G and B nor Y");
    if (others)
        image_notice(d->image, "%u other channel%s (%s%s) %s not compared", others, others == 1 ? "" : "s", other,
                     others == 1 ? "" : ", ...", others == 1 ? "is" : "are");
    f->layout = d->name[1] ? ASSAY_LAYOUT_RGB : ASSAY_LAYOUT_400;
    return ASSAY_OK;
}

/* Light, with the primaries of the attribute "chromaticities". */
static int read_colour(struct decoder *d)
{
    exr_attr_chromaticities_t c;
    image_is_light(d->image);
    const exr_result_t rc = exr_attr_get_chromaticities(d->exr, 0, "chromaticities", &c);
    if (rc == EXR_ERR_NO_ATTR_BY_NAME)
        return ASSAY_OK;
    if (rc)
        return damaged(d);
    const struct primaries p = {{{(double)c.red_x, (double)c.red_y}, {(double)c.green_x, (double)c.green_y},
                                 {(double)c.blue_x, (double)c.blue_y}, {(double)c.white_x, (double)c.white_y}}};
    double matrix[9];
    text_set(d->image->colour, sizeof d->image->colour,
             "linear light, chromaticities %.4g,%.4g %.4g,%.4g %.4g,%.4g white %.4g,%.4g", p.xy[0][0], p.xy[0][1],
             p.xy[1][0], p.xy[1][1], p.xy[2][0], p.xy[2][1], p.xy[3][0], p.xy[3][1]);
    if (!primaries_to_bt709(&p, matrix))
        return refuse(d, "chromaticities that span no colours");
    image_set_primaries(&d->image->format, matrix);
    return ASSAY_OK;
}

/* ---- the picture ---- */

/* Decodes a chunk into the blocks. */
static int read_chunk(struct decoder *d, exr_decode_pipeline_t *p, const exr_chunk_info_t *chunk, bool first)
{
    /* Of samples that are not compressed, OpenEXR's library leaves memory as it is where they are too few. */
    const bool wrong = chunk->compression == EXR_COMPRESSION_NONE && chunk->packed_size != chunk->unpacked_size;
    if (wrong || chunk->width < 1 || chunk->width > FORMAT_MAX_SIDE || chunk->height < 1 ||
        chunk->height > FORMAT_MAX_SIDE)
        return damaged(d);
    const size_t samples = (size_t)chunk->width * (size_t)chunk->height;
    if (samples > d->block_size) {
        d->block_size = 0;
        for (unsigned i = 0; i <= CHANNELS; i++) {
            free(d->block[i]);
            if (!(d->block[i] = malloc(samples * sizeof(float))))
                return assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for a part of it", d->image->name);
        }
        d->block_size = samples;
    }
    if (first ? exr_decoding_initialize(d->exr, 0, chunk, p) : exr_decoding_update(d->exr, 0, chunk, p))
        return damaged(d);
    for (int i = 0; i < p->channel_count; i++) {
        exr_coding_channel_info_t *c = &p->channels[i];
        c->decode_to_ptr = (uint8_t *)d->block[place_of(c->channel_name)];
        c->user_data_type = EXR_PIXEL_FLOAT;
        c->user_bytes_per_element = sizeof(float);
        c->user_pixel_stride = sizeof(float);
        c->user_line_stride = (int32_t)sizeof(float) * chunk->width;
    }
    if ((first && exr_decoding_choose_default_routines(d->exr, 0, p)) || exr_decoding_run(d->exr, 0, p))
        return damaged(d);
    return ASSAY_OK;
}

/* Copies what a chunk, whose first sample is at (x, y) of the data window, has of the display window. */
static void place_chunk(const struct decoder *d, const exr_chunk_info_t *chunk, int32_t x, int32_t y)
{
    struct image *image = d->image;
    const int64_t left = (int64_t)d->data.min.x + x - d->display.min.x, width = image->format.width,
                  from = left < 0 ? -left : 0, end = left + chunk->width > width ? width - left : chunk->width;
    for (int32_t row = 0; row < chunk->height; row++) {
        const int64_t at = (int64_t)d->data.min.y + y + row - d->display.min.y;
        if (at < 0 || at >= image->format.height || from >= end)
            continue;
        for (unsigned i = 0; i < CHANNELS; i++)
            if (d->name[i]) {
                char *to = (char *)image->plane[i] + at * image->stride[i];
                memcpy((float *)(void *)to + left + from, d->block[i] + (size_t)row * (size_t)chunk->width + from,
                       (size_t)(end - from) * sizeof(float));
            }
    }
}

/* Chunks are tiles. One of scan lines is as wide as the data. */
static int read_chunks(struct decoder *d, exr_decode_pipeline_t *p)
{
    const bool tiled = d->storage == EXR_STORAGE_TILED;
    int32_t width = (int32_t)d->width, height = (int32_t)d->height, tile_w = width, tile_h = 0;
    const bool stated = tiled ? !exr_get_tile_sizes(d->exr, 0, 0, 0, &tile_w, &tile_h) &&
                                !exr_get_level_sizes(d->exr, 0, 0, 0, &width, &height)
                              : !exr_get_scanlines_per_chunk(d->exr, 0, &tile_h);
    if (!stated || tile_w < 1 || tile_h < 1)
        return damaged(d);
    for (int64_t y = 0; y < height; y += tile_h)
        for (int64_t x = 0; x < width; x += tile_w) {
            exr_chunk_info_t chunk;
            if (tiled ? exr_read_tile_chunk_info(d->exr, 0, (int)(x / tile_w), (int)(y / tile_h), 0, 0, &chunk)
                      : exr_read_scanline_chunk_info(d->exr, 0, (int)(d->data.min.y + y), &chunk))
                return damaged(d);
            TRY(read_chunk(d, p, &chunk, x == 0 && y == 0));
            place_chunk(d, &chunk, (int32_t)x, (int32_t)y);
        }
    return ASSAY_OK;
}

/* Fails where the file can't hold the data window, or where nearly nothing of a large display window has data. */
static int check_windows(const struct decoder *d, uint64_t width, uint64_t height)
{
    /* A byte of DWA may be the 64 samples of many blocks; Huffman's and Deflate's codes give 1032 bytes at most. */
    enum { DWA_MOST = 1 << 17, OTHERS_MOST = 1 << 11, EMPTY = 1 << 26, TIMES = 16 };
    exr_compression_t compression;
    if (exr_get_compression(d->exr, 0, &compression))
        return damaged(d);
    const uint64_t samples = (uint64_t)d->width * (uint64_t)d->height;
    const bool dwa = compression == EXR_COMPRESSION_DWAA || compression == EXR_COMPRESSION_DWAB;
    if (compression == EXR_COMPRESSION_B44 || compression == EXR_COMPRESSION_B44A) /* see docs/inputs.md */
        return refuse(d, "B44 compression, of which versions of its C library make other samples");
    if (width * height > EMPTY && width * height / TIMES > samples)
        return assay_fail(d->error, ASSAY_EINPUT, "%s: its display window of %llux%llu is too large for its data "
                          "window of %llux%llu", d->image->name, (unsigned long long)width, (unsigned long long)height,
                          (unsigned long long)d->width, (unsigned long long)d->height);
    return image_check_room(d->image, d->file->size, compression == EXR_COMPRESSION_NONE ? 1
                            : dwa ? DWA_MOST : OTHERS_MOST, 2 * samples, d->error);
}

static int read_picture(struct decoder *d)
{
    assay_format *f = &d->image->format;
    exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
    TRY(read_kind(d));
    TRY(read_channels(d));
    TRY(read_colour(d));
    const int64_t width = (int64_t)d->display.max.x - d->display.min.x + 1,
                  height = (int64_t)d->display.max.y - d->display.min.y + 1;
    f->width = width > 0 && width <= UINT32_MAX ? (uint32_t)width : 0;
    f->height = height > 0 && height <= UINT32_MAX ? (uint32_t)height : 0;
    f->bit_depth = IMAGE_FLOAT_BITS;
    d->image->premultiplied = d->name[3] != NULL;
    TRY(image_check_sides(d->image, d->error));
    TRY(check_windows(d, f->width, f->height));
    TRY(image_allocate(d->image, d->name[3] != NULL, d->error));
    memset(d->image->memory, 0, format_frame_bytes(f) + (d->name[3] ? format_plane_bytes(f, 0) : 0));
    const int rc = read_chunks(d, &pipeline);
    exr_decoding_destroy(d->exr, &pipeline);
    return rc;
}

static int decode(struct image *image, const struct image_file *file, struct assay_error *e)
{
    struct decoder d = {.file = file, .image = image, .error = e};
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    int major, minor, patch;
    const char *extra;
    setup.error_handler_fn = on_error;
    setup.user_data = &d;
    setup.read_fn = on_read;
    setup.size_fn = on_size;
    exr_get_library_version(&major, &minor, &patch, &extra);
    snprintf(image->reader, sizeof image->reader, "exr, OpenEXR %d.%d.%d", major, minor, patch);
    decoding = &d;
    const int rc = exr_start_read(&d.exr, image->name, &setup) ? damaged(&d) : read_picture(&d);
    exr_finish(&d.exr);
    decoding = NULL;
    for (unsigned i = 0; i <= CHANNELS; i++)
        free(d.block[i]);
    return rc;
}

const struct image_decoder IMAGE_SYMBOL = IMAGE_DECODER(.decode = decode);
