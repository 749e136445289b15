/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/image.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/colour.h"
#include "host/system.h"
#include "input/image_decoder.h"
#include "input/reader.h"

/* ---- the bytes of a file, or of a pipe that was read to its end ---- */

static size_t look_at_stream(const struct image_file *file, uint64_t offset, void *to, size_t n)
{
    struct stream *const s = file->opaque;
    if (offset >= s->size)
        return 0;
    errno = input_stopped(s->stop) ? EINTR : 0;
    const size_t got = errno ? 0 : stream_look_at(s, offset, to, n);
    if (!s->error && got < n && got < s->size - offset) /* shorter than it was when it was opened, if not a failure */
        s->error = errno ? errno : ENODATA;
    return got;
}

static size_t look_at_memory(const struct image_file *file, uint64_t offset, void *to, size_t n)
{
    const size_t left = offset < file->size ? (size_t)(file->size - offset) : 0;
    memcpy(to, (const char *)file->opaque + (left ? offset : 0), left < n ? left : n);
    return left < n ? left : n;
}

/* Reads a pipe to its end. */
static int read_pipe(struct image_file *file, unsigned char **memory, struct stream *s, const struct image_kind *kind,
                     const char *name, struct assay_error *e)
{
    enum { STEP = 1 << 20 };
    const unsigned char *start;
    size_t size = 0, got = stream_peek(s, &start, IMAGE_MAGIC);
    const uint64_t most = kind->most ? kind->most(start, got) : kind->pipe_most;
    if (!most && !s->error)
        return assay_fail(e, ASSAY_EINPUT, "%s: damaged %s: its header states no picture", name, kind->name);
    do {
        if (size > most)
            return assay_fail(e, ASSAY_EINPUT, "%s: an image of more than %" PRIu64 " bytes can't be read from a pipe: "
                              "give the file's name", name, most);
        unsigned char *more = realloc(*memory, size + STEP);
        if (!more)
            return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for %zu bytes", name, size + STEP);
        *memory = more;
        size += got = stream_read(s, more + size, STEP);
    } while (got == STEP);
    if (s->error)
        return assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", name, strerror(s->error));
    *file = (struct image_file){.size = size, .look_at = look_at_memory, .opaque = *memory};
    return ASSAY_OK;
}

/* ---- images that the readers of video know (PPM, BMP, Y4M, ...) ---- */

/* Reads the picture of a stream. Fails where the stream has a second picture. */
static int read_only_picture(struct image *image, struct input *in, struct assay_error *e)
{
    struct picture picture;
    image->format = in->format;
    if (!in->format.range && !colour_has(&in->format, COLOUR_MATRIX)) /* PGM states none */
        image->format.range = ASSAY_RANGE_FULL;
    TRY(image_allocate(image, false, e));
    memcpy(picture.plane, image->plane, sizeof picture.plane);
    memcpy(picture.stride, image->stride, sizeof picture.stride);
    int got = input_read(in, &picture, NULL, e);
    if (got == 1)
        got = input_skip(in, e);
    if (got == 1)
        return assay_fail(e, ASSAY_EINPUT, "%s: holds more than one picture; compare videos without 'image'", in->name);
    return got;
}

static int read_video(struct image *image, const char *path, const struct input_stop *stop, struct assay_error *e)
{
    const struct input_options options = {.path = path, .decode_threads = 1, .stop = stop, .image = true};
    struct input *in;
    TRY(input_open(&in, &options, e));
    const int rc = in->rotation || in->mirrored
        ? assay_fail(e, ASSAY_EINPUT, "%s: is shown turned or mirrored; compare videos without 'image'", in->name)
        : read_only_picture(image, in, e);
    snprintf(image->reader, sizeof image->reader, "%s", in->decoder[0] ? in->decoder : in->kind);
    memcpy(image->notice, in->notice, sizeof image->notice);
    image_pixels(image, in->format.sar_num, in->format.sar_den, false);
    image->alpha_dropped = in->alpha_dropped;
    input_close(&in);
    return rc;
}

/* ---- reading ---- */

/* Colours that the file does not state are taken as sRGB's. Stated colours that are not known are reported. */
static void conclude_colour(struct image *image)
{
    assay_format *f = &image->format;
    const bool no_curve = colour_transfer(f) == COLOUR_UNKNOWN;
    if (f->layout == ASSAY_LAYOUT_RGB)
        f->matrix = 0;
    image->untagged = colour_transfer(f) == COLOUR_UNTAGGED && colour_primaries(f) == COLOUR_UNTAGGED;
    if (image->untagged && image->not_srgb)
        image_notice(image, "is taken as sRGB for want of a profile, though its EXIF says that it is not (Adobe RGB?)");
    if (colour_transfer(f) == COLOUR_UNTAGGED)
        f->transfer = 13;
    if (colour_primaries(f) == COLOUR_UNTAGGED)
        f->primaries = 1;
    if (!image->unknown_colour[0] && (no_curve || colour_primaries(f) == COLOUR_UNKNOWN))
        snprintf(image->unknown_colour, sizeof image->unknown_colour, "its %s not known (%s)",
                 no_curve ? "transfer function is" : "primaries are", image->colour);
}

static int decode(struct image *image, const struct image_kind *kind, const struct image_file *file,
                  struct assay_error *e)
{
    if (kind->moves && kind->moves(file))
        return assay_fail(e, ASSAY_EINPUT, "%s: holds more than one picture; compare videos without 'image'",
                          image->name);
    image->format.range = ASSAY_RANGE_FULL;
    image->format.matrix = image->format.primaries = image->format.transfer = 2;
    TRY(image_kind_decode(kind, image, file, e));
    if (image->format.bit_depth > 8 && image->format.bit_depth < 16)
        TRY(image_convert(image, image->format.layout, 16, image->plane[3] != NULL, e));
    image_apply_icc(image);
    conclude_colour(image);
    image->format.alpha = image->plane[3] != NULL;
    return image_turn(image, e);
}

int image_decoding;

static const struct image_kind *kind_of_stream(struct stream *s)
{
    const unsigned char *start;
    const size_t n = stream_peek(s, &start, IMAGE_MAGIC);
    return image_kind_of(start, n);
}

int image_read_stream(struct image *image, struct stream *s, struct assay_error *e)
{
    struct image_file file = {.size = s->size, .look_at = look_at_stream, .opaque = s};
    struct assay_error why = {0};
    unsigned char *memory = NULL;
    const struct image_kind *kind = kind_of_stream(s);
    int rc = s->regular ? ASSAY_OK : read_pipe(&file, &memory, s, kind, image->name, &why);
    image->orientation = 1;
    __atomic_fetch_add(&image_decoding, 1, __ATOMIC_RELAXED);
    if (!rc)
        rc = decode(image, kind, &file, &why);
    __atomic_fetch_sub(&image_decoding, 1, __ATOMIC_RELAXED);
    if (rc && s->error)
        assay_fail(e, rc = ASSAY_EINPUT, "%s: can't be read: %s", image->name, strerror(s->error));
    else if (rc)
        assay_fail(e, rc, "%s", why.text);
    free(memory);
    free(image->icc);
    image->icc = NULL;
    if (rc)
        image_free(image);
    return rc;
}

bool image_is(struct stream *s)
{
    const struct image_kind *kind = kind_of_stream(s);
    const struct image_file file = {.size = s->size, .look_at = look_at_stream, .opaque = s};
    return kind && s->regular && !(kind->moves && kind->moves(&file));
}

int image_read(struct image *image, const char *path, const struct input_stop *stop, struct assay_error *e)
{
    struct stream *s;
    memset(image, 0, sizeof *image);
    image->orientation = 1;
    input_shown_name(image->name, sizeof image->name, path);
    TRY(stream_open(&s, path, image->name, stop, e));
    int rc;
    if (kind_of_stream(s))
        rc = image_read_stream(image, s, e);
    else if (s->error)
        rc = assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", image->name, strerror(s->error));
    else if (!strcmp(path, "-"))
        rc = assay_fail(e, ASSAY_EINPUT, "stdin: holds no image of a format that can be read from a pipe");
    else if (!(rc = read_video(image, path, stop, e)) && !colour_has(&image->format, COLOUR_MATRIX) &&
             colour_transfer(&image->format) == COLOUR_UNTAGGED)
        conclude_colour(image);
    stream_close(&s);
    if (rc)
        image_free(image);
    return rc;
}

void image_free(struct image *image)
{
    memory_aligned_free(image->memory);
    free(image->icc);
    memset(image, 0, sizeof *image);
}
