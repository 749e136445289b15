/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input: a stream of pictures, read from the first to the last. Samples are re-packed, exactly, and never scaled or
 * converted between colour spaces. input_open chooses the reader: raw by the options, Y4M and images (input/image.h) by
 * their first bytes, else FFmpeg's libav* when the build has it.
 */
#ifndef ASSAY_INPUT_INPUT_H
#define ASSAY_INPUT_INPUT_H

#include <assay/gpu.h>
#include <stdbool.h>

#include "host/error.h"
#include "input/hwdec.h"

/* CODED: the stream has a header. RAW: it has none, and the options say what it holds. EITHER: raw, unless it begins
 * with the signature of a file format. */
enum input_form { INPUT_CODED, INPUT_RAW, INPUT_EITHER };

struct input_options {
    const char *path;         /* "-" is stdin */
    enum input_form form;
    uint32_t width, height, bit_depth; /* of raw input, and so to `gbr` */
    uint32_t named_depth;     /* what the format's name says of the depth; 0: nothing */
    assay_layout layout;
    assay_range range;
    bool gbr;                 /* planes are in the order G, B, R */
    uint32_t decode_threads;  /* of libav's decoders; 0: libav chooses. The pictures are the same */
    struct hwdec_facts hwdec; /* what is known before the file is opened; all 0: decoded in software */
    unsigned cuda_device;     /* number of the device that decodes and scores */
    bool conceal;             /* pictures that the decoder has damaged in part are read, and counted in `damage` */
};

/* Where a picture is read to: planes of the stream's format. Strides are in bytes and at least a row of samples long. A
 * failed read may have written a part of them. */
struct picture {
    void *plane[4]; /* [3] is alpha, of a format that has it */
    ptrdiff_t stride[4];
};

#define INPUT_NO_TIME INT64_MIN
struct picture_info {
    int64_t pts; /* in the stream's time base; INPUT_NO_TIME where the stream does not say */
};

/* A picture that was begun. */
struct input_place {
    uint64_t index; /* from 0 */
    uint64_t at;    /* of an input that is `positioned`: its first sample's, in bytes from the start of the stream */
};

/* What a file says of how its pictures are to be shown. No score depends on it. */
enum input_display { INPUT_MASTERING, INPUT_LIGHT, INPUT_DYNAMIC_HDR, INPUT_VIEW, INPUT_DISPLAYS };

/* Pictures that were read although the decoder says that they are damaged. */
struct input_damage {
    uint64_t pictures;
    uint64_t last;        /* index of the last one */
    size_t range;         /* where the last range's end is in `text` */
    char *text;           /* their indexes: "4, 12-13"; NULL: there are none */
};

struct input {
    const struct input_ops *ops;
    assay_format format;
    int64_t frames;       /* number of pictures where the file says it exactly, else -1 */
    int64_t frames_hint;  /* an estimate of it for a progress line, never for a decision; -1: none */
    int32_t rotation;     /* by how many degrees clockwise, 0 to 359, a player turns the pictures; never applied here */
    bool mirrored;        /* a player mirrors the pictures before it turns them; never applied here */
    uint32_t time_num, time_den; /* seconds of one unit of pts; 0/0: unknown */
    char kind[32];        /* "y4m", "raw", "image", "libav" */
    char decoder[96];     /* names of decoder and container with their libraries' versions, or "" */
    char notice[256];     /* one line for the user ("alpha is dropped"), or "" */
    char decoding[320];   /* where the pictures are decoded and why there, when --hwdec asks for the device; else "" */
    char display[INPUT_DISPLAYS][96]; /* as text, "" where nothing is said */
    struct input_damage damage;
    bool on_device;       /* pictures are read by input_read_device, not by input_read */
    bool positioned;      /* pictures can be begun before earlier ones are finished, and finished in any order */
    char name[256];       /* the path in messages; of a long one the end */
    uint64_t index;       /* number of pictures begun or skipped, which is the index of the next one */
    int state;            /* 0: reading, 1: ended, negative: the failure. Atomic: any thread may set it */
};

struct input_ops {
    /* Finds the next picture and sets place->at: 1, 0 at the end, or negative. NULL: `read` finds it. */
    int (*begin)(struct input *in, struct input_place *place, struct assay_error *e);
    int (*read)(struct input *in, const struct input_place *place, const struct picture *dst, struct picture_info *info,
                struct assay_error *e);
    int (*skip)(struct input *in, struct assay_error *e);
    /* Passes over pictures up to number `target` at most, before any was read, and sets in->index. NULL: `skip`
     * does. */
    int (*jump)(struct input *in, uint64_t target, struct assay_error *e);
    int (*read_device)(struct input *in, assay_cuda_image *picture, struct picture_info *info, struct assay_error *e);
    void (*close)(struct input *in);
};

/* Sets layout, named_depth, range and gbr by the name of a raw format: "420", "yuv420p10le". */
int input_raw_format(struct input_options *options, const char *name, struct assay_error *e);

/* Opens a stream and reads its header. On failure *out is NULL, and `e` names the file and the reason. */
int input_open(struct input **out, const struct input_options *options, struct assay_error *e);

/* 1: a picture was read. 0: the stream has ended after a whole picture. Negative: `e` names the file,
 * the frame and the reason. */
int input_read(struct input *in, const struct picture *dst, struct picture_info *info, struct assay_error *e);

/*
 * input_read in two steps, for several threads that read one input. One thread at a time begins the next
 * picture. Each picture that was begun is finished once, by any thread, into planes of its own; unless the input
 * is `positioned`, before the next one is begun. Both functions answer as input_read does: some readers find the
 * end only in input_finish.
 */
int input_begin(struct input *in, struct input_place *place, struct assay_error *e);
int input_finish(struct input *in, const struct input_place *place, const struct picture *dst,
                 struct picture_info *info, struct assay_error *e);

/* As input_read, of an input that is `on_device`. The picture has the stream's format. It stays until the input is read
 * again, skipped or closed, and is written by work on the default stream of the device's primary context. */
int input_read_device(struct input *in, assay_cuda_image *picture, struct picture_info *info, struct assay_error *e);

/* Passes over the next picture. Answers as input_read does. */
int input_skip(struct input *in, struct assay_error *e);

/* Passes over the first `count` pictures, before any was read. Answers as input_read does. */
int input_pass(struct input *in, uint64_t count, struct assay_error *e);

void input_close(struct input **in);

/* The name of a format in messages: "yuv420p10", "gray8", "rgb48". `text` holds at least 32 bytes. */
const char *input_format_name(const assay_format *format, char *text);

/* Versions of FFmpeg's libraries for reports ("libavformat 59.27.100, libavcodec ..."), or "" when
 * no input has needed them. */
const char *input_libraries(void);

#endif
