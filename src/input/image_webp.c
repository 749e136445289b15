/* SPDX-License-Identifier: BSD-2-Clause */
/* WebP by libwebp, and its chunks by libwebpdemux. */
#include <stdio.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include "input/image_decoder.h"

static int read_chunks(struct image *image, const WebPData *data, struct assay_error *e)
{
    WebPChunkIterator chunk;
    int rc = ASSAY_OK;
    WebPDemuxer *demuxer = WebPDemux(data);
    if (!demuxer)
        return image_damaged(image, "WebP", "its chunks do not add up", e);
    if (WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk))
        image_read_exif(image, chunk.chunk.bytes, chunk.chunk.size);
    WebPDemuxReleaseChunkIterator(&chunk);
    if (WebPDemuxGetChunk(demuxer, "ICCP", 1, &chunk))
        rc = image_add_icc(image, chunk.chunk.bytes, chunk.chunk.size, e);
    WebPDemuxReleaseChunkIterator(&chunk);
    WebPDemuxDelete(demuxer);
    return rc;
}

static const char *status_text(VP8StatusCode status)
{
    return status == VP8_STATUS_NOT_ENOUGH_DATA ? "it ends in the middle of a picture"
         : status == VP8_STATUS_UNSUPPORTED_FEATURE ? "it uses what libwebp does not know"
                                                    : "its data can't be decoded";
}

static int decode_picture(struct image *image, const uint8_t *data, size_t size, WebPDecoderConfig *config,
                          struct assay_error *e)
{
    assay_format *f = &image->format;
    const bool alpha = config->input.has_alpha;
    f->width = (uint32_t)config->input.width;
    f->height = (uint32_t)config->input.height;
    f->bit_depth = 8;
    f->layout = ASSAY_LAYOUT_RGB;
    config->output.colorspace = alpha ? MODE_RGBA : MODE_RGB;
    config->options.use_threads = 0;
    const VP8StatusCode status = WebPDecode(data, size, config);
    if (status == VP8_STATUS_OUT_OF_MEMORY)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for a WebP picture", image->name);
    if (status != VP8_STATUS_OK)
        return image_damaged(image, "WebP", status_text(status), e);
    TRY(image_allocate(image, alpha, e));
    for (uint32_t y = 0; y < f->height; y++)
        image_put_row(image, y, config->output.u.RGBA.rgba + (ptrdiff_t)y * config->output.u.RGBA.stride);
    return ASSAY_OK;
}

static int decode(struct image *image, const unsigned char *data, size_t size, struct assay_error *e)
{
    WebPDecoderConfig config;
    const WebPData whole = {data, size};
    const int version = WebPGetDecoderVersion();
    snprintf(image->reader, sizeof image->reader, "webp, libwebp %d.%d.%d", version >> 16, version >> 8 & 255,
             version & 255);
    if (!WebPInitDecoderConfig(&config))
        return assay_fail(e, ASSAY_EINTERNAL, "libwebp is of another version than its headers");
    const VP8StatusCode status = WebPGetFeatures(data, size, &config.input);
    if (status != VP8_STATUS_OK)
        return image_damaged(image, "WebP", status_text(status), e);
    if (config.input.has_animation)
        return assay_fail(e, ASSAY_EINPUT, "%s: is an animated WebP, which is not read: 'webpmux -get frame N FILE -o "
                          "PICTURE.webp' takes a picture out of it", image->name);
    TRY(read_chunks(image, &whole, e));
    const int rc = decode_picture(image, data, size, &config, e);
    WebPFreeDecBuffer(&config.output);
    return rc;
}

const struct image_decoder IMAGE_SYMBOL = IMAGE_DECODER(.decode_bytes = decode);
