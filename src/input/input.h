/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input: a linear stream of pictures. Samples are only ever re-packed, exactly; nothing is scaled, converted
 * between colour spaces, or sought. One open function tries the readers in order: raw when a geometry is given,
 * Y4M by its magic, else FFmpeg's libav* when the build has it.
 */
#ifndef ASSAY_INPUT_INPUT_H
#define ASSAY_INPUT_INPUT_H

#include <stdbool.h>

#include "host/device_picture.h"
#include "host/error.h"
#include "input/hwdec.h"

struct input_options {
    const char *path; /* "-" is stdin */
    bool raw;         /* headerless planar YUV of the geometry below */
    uint32_t width, height, bit_depth;
    assay_layout layout;
    uint32_t decode_threads; /* for libav's decoders; 0: as many as libav likes. The pictures are the same. */
    struct hwdec_facts hwdec; /* what is known before the file is opened; all 0: decoded in software */
    unsigned cuda_device;     /* the device's number, where the pictures are decoded and scored */
};

/* Destination of one picture: planes that the caller owns, of the stream's format. Strides are in bytes, at least a
 * row of samples. A failed read may leave part of a picture behind. */
struct picture {
    void *plane[3];
    ptrdiff_t stride[3];
};

/* What a read hands back about the picture itself. pts is in the stream's time base, or its index when there is none. */
struct picture_info {
    int64_t pts;
};

/* A picture that was begun: its number, and where its samples are in a file that is read at positions. */
struct input_place {
    uint64_t index;
    uint64_t at; /* bytes from the start of the stream */
};

struct input {
    const struct input_ops *ops; /* the reader's own functions */
    assay_format format;
    int64_t frames;        /* number of pictures if the container says so exactly, else -1 */
    int64_t frames_hint;   /* about how many, for a progress line; -1: no idea. Never decide anything by it. */
    int32_t rotation;      /* degrees clockwise, 0 to 359, by which a player would turn the pictures; never applied here */
    bool mirrored;         /* a player would mirror them before that turn; never applied here */
    uint32_t time_num, time_den; /* seconds of one unit of pts; 0/0 when unknown */
    char kind[32];         /* "y4m", "raw", "libav" */
    char decoder[96];      /* decoder and container names with library versions; "" where none is involved */
    char notice[256];      /* one line the user should see ("alpha is dropped"), or "" */
    char decoding[320];    /* where it is decoded, when the device was wished for, and why; or "" */
    bool on_device;        /* pictures are read by input_read_device, not by input_read */
    bool positioned;       /* any number of pictures may be begun before they are finished, and finished in any order */
    char name[256];        /* the path as shown in messages, shortened from the left when long */
    uint64_t index;        /* number of pictures begun or skipped so far, and so the number of the next one */
    int state;             /* 0: reading, 1: ended, negative: the code of the failure. Atomic: whoever finishes a picture may set it */
};

struct input_ops {
    /* Finds the next picture and sets place->at: 1, 0 at the end, or negative. NULL: `read` does that. */
    int (*begin)(struct input *in, struct input_place *place, struct assay_error *e);
    int (*read)(struct input *in, const struct input_place *place, const struct picture *dst, struct picture_info *info,
                struct assay_error *e);
    int (*skip)(struct input *in, struct assay_error *e); /* as read, the picture thrown away */
    int (*read_device)(struct input *in, struct device_picture *picture, struct assay_error *e); /* of inputs `on_device` */
    void (*close)(struct input *in);
};

/* Opens a stream and reads its header. On failure *out is NULL and e names the file and the reason. */
int input_open(struct input **out, const struct input_options *options, struct assay_error *e);

/* 1: a picture was read; 0: the stream ended cleanly after a whole picture; negative: e names file, frame, reason. */
int input_read(struct input *in, const struct picture *dst, struct picture_info *info, struct assay_error *e);

/*
 * input_read in two steps, for several threads that read one input. Pictures are begun in order, by one thread at a time, and each is
 * finished once, by any thread, into planes of its own. Unless the input is `positioned`, a picture is finished before the next one is
 * begun. Both answer as input_read does; a reader that only knows the end when it reads says it in input_finish.
 */
int input_begin(struct input *in, struct input_place *place, struct assay_error *e);
int input_finish(struct input *in, const struct input_place *place, const struct picture *dst, struct picture_info *info,
                 struct assay_error *e);

/* As input_read, of an input that is `on_device`. The picture, with samples of the stream's format, stays until the input is read
 * again, skipped or closed; the work that writes it is on the default stream of the device's primary context. */
int input_read_device(struct input *in, struct device_picture *picture, struct assay_error *e);

/* As input_read, without a destination. */
int input_skip(struct input *in, struct assay_error *e);

void input_close(struct input **in);

/* "yuv420p10", "gray8", "rgb48": the name of a format in messages. `text` holds at least 32 bytes. */
const char *input_format_name(const assay_format *format, char *text);

/* Library versions that a report should carry ("libavformat 59.27.100, libavcodec ..."), or "" when no input has needed libav. */
const char *input_libraries(void);

#endif
