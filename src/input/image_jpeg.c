/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG by libjpeg-turbo: the exact inverse DCT and the smooth chroma that browsers use. */
#include <setjmp.h>
#include <stdio.h> /* jpeglib.h needs it first */
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "input/image_decoder.h"

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x

/* libjpeg reports an error by a call that must not return. Everything that is used after it is here. */
struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr manager;
    jmp_buf out;
    struct image *image;
    struct assay_error *error;
    unsigned char *data, *row;
};

static void on_error(j_common_ptr jpeg)
{
    struct decoder *d = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for a JPEG picture", d->image->name);
    else
        image_damaged(d->image, "JPEG", text, d->error);
    longjmp(d->out, 1);
}

/* Level -1 is damage that libjpeg conceals. Odd versions and bytes between segments leave the samples as they are. */
static void on_message(j_common_ptr jpeg, int level)
{
    const int code = jpeg->err->msg_code;
    if (level < 0 && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM && code != JWRN_EXTRANEOUS_DATA)
        on_error(jpeg);
}

static int read_markers(struct decoder *d)
{
    unsigned char *icc;
    unsigned size;
    for (jpeg_saved_marker_ptr m = d->jpeg.marker_list; m; m = m->next)
        if (m->marker == JPEG_APP0 + 1 && m->data_length >= 6 && !memcmp(m->data, "Exif\0\0", 6)) {
            d->image->orientation = image_exif_orientation(m->data, m->data_length);
            break;
        }
    if (!jpeg_read_icc_profile(&d->jpeg, &icc, &size))
        return ASSAY_OK;
    const int rc = image_keep_icc(d->image, icc, size, d->error);
    free(icc);
    return rc;
}

static int decode_picture(struct decoder *d, size_t size)
{
    enum { SEGMENT_MOST = 65535 };
    struct jpeg_decompress_struct *j = &d->jpeg;
    assay_format *f = &d->image->format;
    if (setjmp(d->out))
        return d->error->code;
    jpeg_create_decompress(j);
    jpeg_save_markers(j, JPEG_APP0 + 1, SEGMENT_MOST);
    jpeg_save_markers(j, JPEG_APP0 + 2, SEGMENT_MOST);
    jpeg_mem_src(j, d->data, (unsigned long)size);
    jpeg_read_header(j, TRUE);
    TRY(read_markers(d));
    if (j->num_components > 3)
        return assay_fail(d->error, ASSAY_EINPUT, "%s: is a JPEG of CMYK, which has no exact RGB; convert it first",
                          d->image->name);
    const bool grey = j->jpeg_color_space == JCS_GRAYSCALE;
    j->out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    j->dct_method = JDCT_ISLOW;
    j->do_fancy_upsampling = TRUE;
    f->width = j->image_width;
    f->height = j->image_height;
    f->bit_depth = 8;
    f->layout = grey ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_RGB;
    TRY(image_allocate(d->image, false, d->error));
    if (!(d->row = malloc((size_t)f->width * 3)))
        return assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for a JPEG picture", d->image->name);
    jpeg_start_decompress(j);
    while (j->output_scanline < j->output_height) {
        const uint32_t y = j->output_scanline;
        jpeg_read_scanlines(j, &d->row, 1);
        image_put_row(d->image, y, d->row);
    }
    jpeg_finish_decompress(j);
    return ASSAY_OK;
}

static int decode(struct image *image, const struct image_file *file, struct assay_error *e)
{
    struct decoder d = {.image = image, .error = e};
    snprintf(image->reader, sizeof image->reader, "jpeg, libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION));
    if (!(d.data = image_bytes(image, file, e)))
        return e->code;
    d.jpeg.err = jpeg_std_error(&d.manager);
    d.jpeg.client_data = &d;
    d.manager.error_exit = on_error;
    d.manager.emit_message = on_message;
    const int rc = decode_picture(&d, (size_t)file->size);
    jpeg_destroy_decompress(&d.jpeg);
    free(d.data);
    free(d.row);
    return rc;
}

const struct image_decoder IMAGE_SYMBOL = IMAGE_DECODER(decode);
