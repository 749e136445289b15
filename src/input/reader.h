/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the readers share, and the readers' open functions. Included only in src/input. */
#ifndef ASSAY_INPUT_READER_H
#define ASSAY_INPUT_READER_H

#include "host/format.h"
#include "host/text.h" /* text_for_message */
#include "input/input.h"
#include "input/stream.h"

/* A reader of tightly packed planes as files hold them: 8-bit samples, or 16-bit little-endian words with
 * the value in the low bits. */
struct planar {
    struct input in;
    struct stream *stream;
    /* Moves the stream to the planes of the next picture: 1, 0 at the end, or negative. */
    int (*find)(const struct planar *p, struct assay_error *e);
    /* Reads a picture from a stream at its planes: 1 or negative. Where the input is positioned, it is a stream of the
     * picture's own. */
    int (*take)(const struct planar *p, uint64_t frame, struct stream *s, const struct picture *dst,
                struct assay_error *e);
    uint32_t planes;
    uint32_t to[3];               /* the file's plane i is plane to[i] of the picture */
    uint32_t width[3], height[3]; /* in samples */
    size_t row_bytes[3];
    uint64_t bytes;               /* of all planes: below 2^35 for sides up to 65535 */
    uint64_t unused;              /* bytes of an alpha plane behind the others, which is passed over */
};

/* Takes over the stream. Fields that are not set here are 0. */
void planar_start(struct planar *p, struct stream *s, const char *kind, const char *name);

/* Sets the format, which has a layout, sides of 1 to 65535 and a depth of 8 to 16, and what follows from it. */
void planar_init(struct planar *p, const assay_format *format);

/* What has become of an open function: the input, or it is closed and `code` is returned. */
int planar_opened(struct planar *p, int code, struct input **out);

/* The part of a plane that is handed out, in samples of that plane. Its width and height are those of the format. */
struct plane_part {
    uint32_t left, top, width, height;
};
struct plane_part input_part(const assay_format *f, const struct input_crop *crop, uint32_t plane);

/* The name of a plane in messages: "Cb", "R". */
const char *plane_name(const assay_format *format, uint32_t plane);

/* Fails with "NAME: frame N: REASON". input_fail does so with the index of the next frame. */
PRINTF_LIKE(4, 5) int input_fail_at(const struct input *in, uint64_t frame, struct assay_error *e,
                                                        const char *format, ...);
#define input_fail(in, e, ...) input_fail_at(in, (in)->index, e, __VA_ARGS__)

/* Fails because `frame` has only `got` of `wanted` bytes. `error` is the errno of a read that failed, or 0 where the
 * stream has ended. */
int input_fail_short(const struct input *in, uint64_t frame, int error, uint64_t got, uint64_t wanted,
                     struct assay_error *e);

/* Adds picture in->index to in->damage. */
int input_note_damage(struct input *in, struct assay_error *e);

/* Copies a path for messages. Control characters become '?'. Only the end of a long path is copied. */
void input_shown_name(char *out, size_t size, const char *path);

/* Divides both numbers by their greatest common divisor. If either is 0, both become 0: the ratio is unknown. */
void ratio_reduce(uint32_t *num, uint32_t *den);

/* Each function takes over the stream, and closes it on failure. `name` is the path in messages. */
int y4m_open(struct input **out, struct stream *s, const char *name, struct assay_error *e);
int raw_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
             struct assay_error *e);
/* What a user can do about content that nothing knows: the end of a message. */
const char *input_unknown(const struct input_options *options);

int libav_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
               struct assay_error *e);
int image_input_open(struct input **out, struct stream *s, const char *name, struct assay_error *e);
/* Opens numbered pictures as one stream. */
int numbered_open(struct input **out, const char *name, const struct input_options *options, struct assay_error *e);

/* Whether the stream begins with the signature of a file format. */
bool input_has_signature(struct stream *s);

/* The size of the file in bytes, at least, as its container states it. 0: not stated. *joined: a second file begins
 * there, which libav does not read. Does not move the stream. */
uint64_t container_end(struct stream *s, bool *joined);

/* Whether a stream that begins with these n bytes is Y4M: the magic, then a space or the end of the line. */
enum { Y4M_MAGIC = 10 };
bool y4m_probe(const unsigned char *data, size_t n);

#endif
