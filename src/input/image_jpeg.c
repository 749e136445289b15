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
    unsigned char *row;
    struct jpeg_progress_mgr progress;
    bool has_exif, gain_map;
    unsigned seen;            /* components that scans have had, a bit each */
    unsigned parts;           /* of the ICC profile */
    const unsigned char *part[256]; /* the segments that they are in, from the length on. They count from 1 */
};

enum { ICC_HEAD = 14 /* "ICC_PROFILE", 0, number, parts */, SCANS_MOST = 1000 };
static const char profile_is_damaged[] = "the parts of its ICC profile do not add up";

static _Noreturn void leave(struct decoder *d, const char *reason)
{
    image_damaged(d->image, "JPEG", reason, d->error);
    longjmp(d->out, 1);
}

static void on_error(j_common_ptr jpeg)
{
    struct decoder *d = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    const int code = jpeg->err->msg_code;
    jpeg->err->format_message(jpeg, text);
    if (code == JERR_OUT_OF_MEMORY)
        assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for a JPEG picture", d->image->name);
    else if (code == JERR_BAD_PRECISION || code == JERR_SOF_UNSUPPORTED || code == JERR_ARITH_NOTIMPL ||
             code == JERR_CONVERSION_NOTIMPL || code == JERR_FRACT_SAMPLE_NOTIMPL)
        assay_fail(d->error, ASSAY_EINPUT, "%s: is a JPEG that its library does not read: %s", d->image->name, text);
    else
        image_damaged(d->image, "JPEG", text, d->error);
    longjmp(d->out, 1);
}

/* Level -1 is damage that libjpeg conceals. Odd versions and bytes between segments leave the samples as they are.
 * Behind a scan such bytes may be the scan's own, and the only sign of its damage. */
static void on_message(j_common_ptr jpeg, int level)
{
    const int code = jpeg->err->msg_code;
    const struct decoder *d = jpeg->client_data;
    const bool between = code == JWRN_EXTRANEOUS_DATA && !d->jpeg.input_scan_number;
    if (level < 0 && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM && !between)
        on_error(jpeg);
}

/* Called in each scan. Scans may be empty, and each takes the time of a whole picture. */
static void on_progress(j_common_ptr jpeg)
{
    struct decoder *d = jpeg->client_data;
    for (int i = 0; i < d->jpeg.comps_in_scan; i++)
        d->seen |= 1u << d->jpeg.cur_comp_info[i]->component_index;
    if (d->jpeg.input_scan_number > SCANS_MOST)
        leave(d, "it has more than 1000 scans");
}

/* libjpeg would append each segment to the end of a list, which it looks for from the list's start. */
static boolean on_segment(j_decompress_ptr jpeg)
{
    struct decoder *d = jpeg->client_data;
    struct jpeg_source_mgr *source = jpeg->src;
    const unsigned char *at = source->next_input_byte;
    const size_t size = source->bytes_in_buffer < 2 ? 0 : (size_t)big_endian(at, 2);
    if (source->bytes_in_buffer < 2 || size > source->bytes_in_buffer)
        leave(d, "it ends in the middle of a segment");
    if (size < 2)
        leave(d, "a segment states no length");
    source->next_input_byte += size;
    source->bytes_in_buffer -= size;
    at += 2;
    d->gain_map = d->gain_map || memmem(at, size - 2, "hdrgm:Version", 13) || /* Ultra HDR; ISO 21496-1 */
                  memmem(at, size - 2, "urn:iso:std:iso:ts:21496:-1", 27);
    if (jpeg->unread_marker == JPEG_APP0 + 1 && !d->has_exif && size >= 8 && !memcmp(at, "Exif\0\0", 6)) {
        image_read_exif(d->image, at, size - 2);
        d->has_exif = true;
    } else if (jpeg->unread_marker == JPEG_APP0 + 2 && size >= 6 && !memcmp(at, "MPF", 4)) {
        if (image_of_several(at + 4, size - 6))
            image_notice(d->image, "the other views or parts of a panorama that it holds are not compared");
    } else if (jpeg->unread_marker == JPEG_APP0 + 2 && size >= 2 + ICC_HEAD && !memcmp(at, "ICC_PROFILE", 12)) {
        if (!at[12] || at[12] > at[13] || d->part[at[12]] || (d->parts && d->parts != at[13]))
            leave(d, profile_is_damaged);
        d->parts = at[13];
        d->part[at[12]] = at - 2;
    }
    return TRUE;
}

/* The profile's parts stay in memory with the file. */
static int read_profile(struct decoder *d)
{
    for (unsigned i = 1; i <= d->parts; i++) {
        const unsigned char *const part = d->part[i];
        if (!part)
            return image_damaged(d->image, "JPEG", profile_is_damaged, d->error);
        TRY(image_add_icc(d->image, part + 2 + ICC_HEAD, (size_t)big_endian(part, 2) - 2 - ICC_HEAD, d->error));
    }
    return ASSAY_OK;
}

/* What libjpeg makes up without a word: a component without a scan is grey, and where scans of a progressive picture
 * leave out bits, it smooths what there is. */
static void check_scans(struct decoder *d)
{
    const struct jpeg_decompress_struct *j = &d->jpeg;
    bool whole = true;
    if (d->seen != (1u << j->num_components) - 1)
        leave(d, "a component has no scan");
    for (int c = 0; c < j->num_components; c++)
        for (int i = 0; i < DCTSIZE2; i++)
            whole = whole && (!j->coef_bits || !j->coef_bits[c][i]);
    if (!whole)
        image_notice(d->image, "its scans leave out bits of its samples, which libjpeg smooths");
}

static int decode_picture(struct decoder *d, const unsigned char *data, size_t size)
{
    /* Pixels that come from a byte, at most. Of Huffman's codes, a block of 64 takes a bit at least. */
    enum { HUFFMAN_MOST = 1 << 10, ARITHMETIC_MOST = 1 << 16 };
    struct jpeg_decompress_struct *j = &d->jpeg;
    assay_format *f = &d->image->format;
    if (setjmp(d->out))
        return d->error->code;
    jpeg_create_decompress(j);
    jpeg_set_marker_processor(j, JPEG_APP0 + 1, on_segment);
    jpeg_set_marker_processor(j, JPEG_APP0 + 2, on_segment);
    d->progress.progress_monitor = on_progress;
    j->progress = &d->progress;
    jpeg_mem_src(j, data, (unsigned long)size);
    jpeg_read_header(j, TRUE);
    if (j->data_precision != 8) /* lossless JPEG may have fewer bits, which newer libraries leave as they are */
        ERREXIT1(j, JERR_BAD_PRECISION, j->data_precision);
    TRY(read_profile(d));
    if (d->gain_map)
        image_notice(d->image, "its gain map for displays of HDR is not looked at: its base picture is compared");
    if (j->num_components > 3)
        return assay_fail(d->error, ASSAY_EINPUT, "%s: is a JPEG of CMYK, which has no exact RGB; convert it first",
                          d->image->name);
    image_pixels(d->image, j->X_density, j->Y_density, j->density_unit != 0);
    const bool grey = j->jpeg_color_space == JCS_GRAYSCALE;
    j->out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    j->dct_method = JDCT_ISLOW;
    j->do_fancy_upsampling = TRUE;
    f->width = j->image_width;
    f->height = j->image_height;
    f->bit_depth = 8;
    f->layout = grey ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_RGB;
    TRY(image_check_room(d->image, size, j->arith_code ? ARITHMETIC_MOST : HUFFMAN_MOST,
                         (uint64_t)f->width * f->height, d->error));
    TRY(image_allocate(d->image, false, d->error));
    if (!(d->row = malloc((size_t)f->width * 3)))
        return assay_fail(d->error, ASSAY_EINTERNAL, "%s: out of memory for a JPEG picture", d->image->name);
    jpeg_start_decompress(j);
    while (j->output_scanline < j->output_height) {
        const uint32_t y = j->output_scanline;
        jpeg_read_scanlines(j, &d->row, 1);
        image_put_row(d->image, y, d->row);
    }
    check_scans(d);
    jpeg_finish_decompress(j);
    return ASSAY_OK;
}

static int decode(struct image *image, const unsigned char *data, size_t size, struct assay_error *e)
{
    struct decoder d = {.image = image, .error = e};
    snprintf(image->reader, sizeof image->reader, "jpeg, libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION));
    d.jpeg.err = jpeg_std_error(&d.manager);
    d.jpeg.client_data = &d;
    d.manager.error_exit = on_error;
    d.manager.emit_message = on_message;
    const int rc = decode_picture(&d, data, size);
    jpeg_destroy_decompress(&d.jpeg);
    free(d.row);
    return rc;
}

const struct image_decoder IMAGE_SYMBOL = IMAGE_DECODER(.decode_bytes = decode);
