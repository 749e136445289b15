/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream of pictures, read from the first to the last. Samples are re-packed exactly, never scaled, and never
 * converted between colour spaces. input_open chooses the reader: numbered images (input/numbered.h) by the path, raw
 * by the options, Y4M and images (input/image.h) by their first bytes, else FFmpeg's libav* if the build has it.
 */
#ifndef ASSAY_INPUT_INPUT_H
#define ASSAY_INPUT_INPUT_H

#include <assay/gpu.h>
#include <stdbool.h>

#include "host/error.h"
#include "input/hwdec.h"

/* CODED: the stream has a header. RAW: the stream has no header, and the options describe it. EITHER: raw, unless the
 * stream begins with the signature of a file format. */
enum input_form { INPUT_CODED, INPUT_RAW, INPUT_EITHER };

struct input_options {
    const char *path;         /* "-" is stdin */
    enum input_form form;
    uint32_t width, height, bit_depth; /* these and the fields up to `packing` are of raw input */
    uint32_t named_depth;     /* the depth in the format's name; 0: the name has none */
    assay_layout layout;
    assay_range range;
    bool gbr;                 /* planes are in the order G, B, R */
    const struct packing *packing; /* samples are not planes of their own (packing.h); NULL: they are */
    uint32_t decode_threads;  /* of libav's decoders; 0: libav chooses. Does not change the pictures */
    struct hwdec_facts hwdec; /* the facts known before the file is opened; all 0: decode in software */
    unsigned cuda_device;     /* number of the device that decodes and scores */
    bool conceal;             /* read pictures that are damaged in part too, and count them in `damage` */
    bool playlist;            /* a container may name other files, which are opened */
    bool any_aspect, any_rotation; /* a stream may change its sample aspect ratio or its rotation */
    const struct input_stop *stop; /* ends the reading early; it outlives the input. NULL: nothing does (stream.h) */
    bool image;               /* an image is expected; decides nothing but what messages say of unknown content */
};

/* The memory that a picture is read to: planes of the stream's format. A stride is in bytes and at least a row of
 * samples long; or it is 0 for a plane that nobody looks at, whose rows all go to one place. The samples of such a
 * plane are checked all the same. A failed read may have written a part of the planes. */
struct picture {
    void *plane[4]; /* [3] is alpha, in a format that has it. NULL: passed over; see input_passes_planes */
    ptrdiff_t stride[4];
};

/* A part of pictures: its size and its first column and row, in luma samples. Width 0: the whole pictures. */
struct input_crop {
    uint32_t width, height, left, top;
};

#define INPUT_NO_TIME INT64_MIN
struct picture_info {
    int64_t pts; /* in the stream's time base; INPUT_NO_TIME where the stream states none */
    int64_t duration; /* in the same unit; 0: not stated */
    bool lends;         /* set by the caller of input_finish: a picture may be handed out where the reader has it */
    assay_picture lent; /* this one, where it has a `release`: nothing was written to the caller's planes */
};

/* A picture that was begun. */
struct input_place {
    uint64_t index; /* from 0 */
    uint64_t at;    /* if the input is `positioned`: bytes from the start of the stream to the first sample */
};

/* The kinds of information in a file on how to show its pictures. No score depends on them. */
enum input_display { INPUT_MASTERING, INPUT_LIGHT, INPUT_DYNAMIC_HDR, INPUT_VIEW, INPUT_DISPLAYS };

/* What the pictures of a whole stream take, and how long they are shown: num / den seconds. */
struct input_rate {
    uint64_t bytes;
    uint64_t num, den; /* 0/0: not known */
};

/* What a container says of itself that may be a loss of pictures, while damage is read over. */
struct input_faults {
    uint64_t count;
    char first[160];
};

/* Pictures that were read although the decoder says that they are damaged. */
struct input_damage {
    uint64_t pictures;
    uint64_t last;        /* index of the last one */
    size_t range;         /* offset in `text` of the last range's end */
    char *text;           /* indexes of the pictures: "4, 12-13"; NULL: there are none */
};

struct input {
    const struct input_ops *ops;
    assay_format format;  /* of the pictures that are handed out; input_crop changes its size */
    uint32_t whole_width, whole_height; /* of the stream's pictures, before input_crop */
    struct input_crop crop;
    int64_t frames;       /* number of pictures where the file says it exactly, else -1 */
    int64_t frames_hint;  /* an estimate of `frames` for a progress line, never for a decision; -1: none */
    int32_t rotation;     /* degrees clockwise, 0 to 359, by which a player turns the pictures; never applied here */
    bool image;           /* a picture by its format: it has no frame rate, and no bit rate */
    bool numbered;        /* many pictures by their format, the first one of the number `first_number` */
    uint32_t first_number;
    bool alpha_dropped;   /* the file has alpha, which is not handed out; `notice` says so */
    bool uneven;          /* the container says that pictures are not evenly apart in time. False: it doesn't say so */
    bool mirrored;        /* a player mirrors the pictures before it turns them; never applied here */
    uint32_t time_num, time_den; /* seconds of one unit of pts; 0/0: unknown */
    uint64_t bytes;       /* of a regular file, or of all numbered pictures; 0 of any other stream */
    const struct stream *stream; /* that the pictures are read from; NULL: they were read when it was opened */
    char kind[32];        /* "y4m", "raw", "image", "images", "libav" */
    char decoder[96];     /* names of decoder and container with their libraries' versions, or "" */
    char notice[1024];    /* one line for the user ("alpha is dropped"), or "" */
    char decoding[320];   /* if --hwdec asks for the device: where the pictures are decoded, and why; else "" */
    char display[INPUT_DISPLAYS][96]; /* as text, "" where the file has none */
    struct input_damage damage;
    struct input_faults faults;
    bool conceal, changed; /* damage is read over, such as a change that input_unchanged has found */
    bool on_device;       /* pictures are read by input_read_device, not by input_read */
    bool positioned;      /* pictures can be begun before earlier ones are finished, and finished in any order */
    char name[256];       /* the path in messages; only the end of a long path */
    uint64_t index;       /* index of the next picture, which is the number of pictures begun or skipped */
    int state;            /* 0: reading, 1: ended, negative: the failure. Atomic: any thread may set it */
};

struct input_ops {
    /* Finds the next picture and sets place->at. Returns 1, 0 at the end, or negative. NULL: `read` finds it. */
    int (*begin)(struct input *in, struct input_place *place, struct assay_error *e);
    int (*read)(struct input *in, const struct input_place *place, const struct picture *dst, struct picture_info *info,
                struct assay_error *e);
    int (*skip)(struct input *in, struct assay_error *e);
    /* Passes over pictures, at most up to number `target`, before any was read. Sets in->index. NULL: `skip` is
     * used. */
    int (*jump)(struct input *in, uint64_t target, struct assay_error *e);
    int (*read_device)(struct input *in, assay_cuda_image *picture, struct picture_info *info, struct assay_error *e);
    /* NULL: the pictures take the whole file, and each is shown for as long as the format's rate says. */
    int (*rate)(struct input *in, struct input_rate *rate, struct assay_error *e);
    bool (*changed)(const struct input *in); /* see input_unchanged. NULL: the stream tells */
    void (*close)(struct input *in);
};

/* Sets layout, named_depth, range, gbr and packing from the name of a raw format: "420", "yuv420p10le". A message calls
 * the field `what`. */
int input_raw_format(struct input_options *options, const char *what, const char *name, struct assay_error *e);

/* Whether a description of raw pictures has all that reading them needs. */
static inline bool input_raw_whole(const struct input_options *o)
{
    return o->width && o->height && o->layout && (o->bit_depth || o->named_depth);
}

/* Refuses a depth other than that in the format's name. `format` and `depth` are what messages call the two. */
int input_raw_depth(const struct input_options *o, const char *format, const char *depth, struct assay_error *e);

/* Calls `each` with the path of every file that a playlist names, and of those that named playlists name. */
void input_parts(const char *path, void (*each)(void *opaque, const char *path), void *opaque);

/* Opens a stream and reads its header. On failure *out is NULL, and `e` names the file and the reason. */
int input_open(struct input **out, const struct input_options *options, struct assay_error *e);
/* Begins input_open in a thread of its own, because a decoder takes 50 to 100 ms, and several can be opened at a time.
 * What the options point to stays until input_open_end, which waits for it. NULL: no thread, or no memory. */
struct input_early;
struct input_early *input_open_early(const struct input_options *options);
int input_open_end(struct input_early **early, struct input **out, struct assay_error *e);

/* Makes a part of pictures of this format and size the smallest one around it that cuts no chroma sample in two. */
void input_crop_widen(const assay_format *whole, struct input_crop *part);

/* From now on the stream's pictures are this part of what they were. Called before any was read. Refuses a part that
 * does not lie in the pictures, or that cuts chroma samples in two. `option` begins the message: "--crop-ref". Samples
 * outside the part are not looked at. */
int input_crop(struct input *in, const struct input_crop *part, const char *option, struct assay_error *e);

/* 1: a picture was read. 0: the stream has ended after a whole picture. Negative: `e` names the file,
 * the frame and the reason. */
int input_read(struct input *in, const struct picture *dst, struct picture_info *info, struct assay_error *e);

/*
 * input_read in two steps, so that more than one thread can read an input. One thread at a time begins the next
 * picture. Each picture that was begun is finished once, by any thread, into planes of its own. If the input is not
 * `positioned`, a picture is finished before the next one is begun. Both functions return what input_read returns: some
 * readers find the end only in input_finish.
 */
int input_begin(struct input *in, struct input_place *place, struct assay_error *e);
int input_finish(struct input *in, const struct input_place *place, const struct picture *dst,
                 struct picture_info *info, struct assay_error *e);

/* Whether planes of a picture can be passed over. They can where samples are not looked at (8 bits), in a file whose
 * size tells that they are there. */
bool input_passes_planes(const struct input *in);

/* input_read for an input that is `on_device`. The picture has the stream's format. It is valid until the input is read
 * again, skipped or closed. It is written by work on the default stream of the device's primary context. */
int input_read_device(struct input *in, assay_cuda_image *picture, struct picture_info *info, struct assay_error *e);

/* Passes over the next picture. Returns what input_read returns. */
int input_skip(struct input *in, struct assay_error *e);

/* Passes over the first `count` pictures, before any was read. Returns what input_read returns. */
int input_pass(struct input *in, uint64_t count, struct assay_error *e);

/* What the pictures of the whole stream take, also those that were not read. The input can't be read any more behind
 * this: what is left of a container may be read for it, without decoding. *rate is all 0 where the stream does not
 * say. */
int input_measure(struct input *in, struct input_rate *rate, struct assay_error *e);

/* Fails where a regular file, or a numbered picture, was written to since the input was opened: its pictures may be of
 * two contents. Sets in->changed instead where damage is read over. A file that has grown may have been written anew
 * from its start. */
int input_unchanged(struct input *in, struct assay_error *e);

void input_close(struct input **in);

/* The name of a format in messages: "yuv420p10", "gray8", "rgb48". `text` holds at least 32 bytes. */
const char *input_format_name(const assay_format *format, char *text);

/* Versions of FFmpeg's libraries for reports ("libavformat 59.27.100, libavcodec ..."), or "" when
 * no input has needed them. */
const char *input_libraries(void);

#endif
