/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the input layer: what the readers share, and how each of them opens. */
#ifndef ASSAY_INPUT_READER_H
#define ASSAY_INPUT_READER_H

#include "input/input.h"
#include "input/stream.h"

enum { INPUT_MAX_SIDE = 65535 };

/* Tightly packed planes as files hold them: 8-bit samples, or 16-bit little-endian words with the value in the low bits. */
struct planar {
    uint32_t planes;
    uint32_t width[3], height[3]; /* in samples */
    size_t row_bytes[3];
    uint64_t bytes;               /* of the planes together: below 2^35 for sides up to 65535 */
    uint64_t unused;              /* bytes after them that are passed over: an alpha plane */
};

/* `format` has a layout, sides of 1 to 65535 and a depth of 8 to 16. */
void planar_init(struct planar *p, const assay_format *format);

/* Reads the planes of a picture that was begun: at place->at, by any thread, of an input that is positioned, else what comes next in
 * the stream. 1, or negative with the file, the frame and the reason. */
int planar_read(const struct input *in, const struct input_place *place, const struct planar *p, struct stream *s,
                const struct picture *dst, struct assay_error *e);

/* Passes over the planes of picture in->index. */
int planar_skip(const struct input *in, const struct planar *p, struct stream *s, struct assay_error *e);

/* "Cb", "R": a plane in messages. */
const char *plane_name(const assay_format *format, uint32_t plane);

/* Fails with "name: frame N: reason"; input_fail: of the frame that is next. */
__attribute__((format(printf, 4, 5))) int input_fail_at(const struct input *in, uint64_t frame, struct assay_error *e,
                                                        const char *format, ...);
#define input_fail(in, e, ...) input_fail_at(in, (in)->index, e, __VA_ARGS__)

/* The answer to a read of `frame` that came up short: the errno of a read that failed, or 0 and the end after `got` of `wanted` bytes. */
int input_fail_short(const struct input *in, uint64_t frame, int error, uint64_t got, uint64_t wanted, struct assay_error *e);

/* The path for messages: one line whatever the name holds, and its end when it is long. */
void input_shown_name(char *out, size_t size, const char *path);

/* Text of the file in a message: bytes that are not printable ASCII become '?', and the end is cut. */
void text_for_message(char *out, size_t size, const unsigned char *data, size_t n);

/* Divides both by their greatest common divisor; 0/0 when either is 0 (unknown). */
void ratio_reduce(uint32_t *num, uint32_t *den);

/* Each takes the stream over, also when it fails. `name` is the path as messages show it. */
int y4m_open(struct input **out, struct stream *s, const char *name, struct assay_error *e);
int raw_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
             struct assay_error *e);
int libav_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
               struct assay_error *e);
const char *libav_libraries(void);

/* Where a container says that it ends, in bytes from the start of the stream, as far as it says so and as far as that
 * can be known without moving the stream: 0 or less than the truth otherwise. */
uint64_t container_end(struct stream *s);

/* Whether a stream that begins with these bytes is Y4M: its magic and a space or the end of the line. */
enum { Y4M_MAGIC = 10 };
bool y4m_probe(const unsigned char *data, size_t n);

#endif
