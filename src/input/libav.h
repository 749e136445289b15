/* SPDX-License-Identifier: BSD-2-Clause */
/* The libav reader, as its own files see it. */
#ifndef ASSAY_INPUT_LIBAV_H
#define ASSAY_INPUT_LIBAV_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <pthread.h>

#include "input/libav_load.h"
#include "input/repack.h"

/* A packet on its way through the decoder, which carries a pointer to this in `opaque`. */
struct libav_packet {
    struct libav *owner;
    uint64_t number; /* in the order of decoding */
    int64_t pts, dts;
};

enum {
    LIBAV_THREADS = 64,  /* most threads of a decoder */
    LIBAV_PACKETS = 256, /* packets remembered: more than threads and reordering hold back */
};

/* Decoding on the device. */
struct libav_hw {
    bool on;
    bool gave_up;        /* the device does not, or no longer, decode the stream */
    int samples;         /* pixel formats: what the stream holds, and as what the device gives it */
    int surface;
    bool pairs;
    uint32_t shift;
};

struct libav {
    struct input in;
    struct stream *stream;
    AVIOContext *io;
    AVFormatContext *container;
    AVStream *track;
    AVCodecContext *decoder;
    AVPacket *packet;
    AVFrame *frame;
    bool strict;         /* an error that the decoder only logs is damage of the packet in its hands */
    uint64_t packets;    /* that the decoder got */
    struct libav_packet sent[LIBAV_PACKETS]; /* packet n at n modulo their number */
    bool held;           /* `frame` was decoded and not yet handed out */
    bool draining;       /* the decoder was told that no more packets follow */
    uint64_t stated_end; /* bytes that the container says it has, or 0 */
    bool failing;        /* nothing more can be read: pictures that are surely in place are still handed out */
    int64_t last_dts;    /* of the last packet that the decoder got, or while failing of the last good one */
    char failure[320];   /* the reason, while failing */
    struct libav_hw hw;
    int pixel_format;    /* of the first frame; the others must agree */
    int coded_width, coded_height;
    struct repack repack;
    struct repack_crop crop;
    pthread_mutex_t lock; /* of the rest: decoders log from their own threads */
    char last_error[160];
    const struct libav_packet *damaged; /* the first packet over which the decoder has logged an error, or NULL */
};

/* Cropping of a frame, in luma samples of the whole frame: what the codec says, then what the container says. Negative
 * when nothing is left, or when it would cut a chroma sample in two. */
int libav_crop(const struct libav *l, const AVFrame *frame, const struct repack *r, struct repack_crop *crop,
               struct assay_error *e);

/* Fills in->format, rotation and notices from the first frame. */
int libav_describe(struct libav *l, struct assay_error *e);

/* The colour fields of a frame, which may not change inside a stream. */
void libav_colour(const AVFrame *frame, const struct repack *r, assay_format *f);

/* "what: reason" or "what: reason (what libav said last)", for a libav error code. */
void libav_explain(struct libav *l, int code, const char *what, char *text, size_t size);

/* Fails with that. Out of memory is not the file's fault. */
int libav_fail(struct libav *l, int code, const char *what, struct assay_error *e);

/* The first packet that the decoder has complained about, or NULL. */
const struct libav_packet *libav_damaged(struct libav *l);

/* ---- decoding on the device (libav_hw.c) ---- */

/* A decoder that has a CUDA hwaccel, or NULL; and whether every decoder of the codec gives the same samples. */
const AVCodec *libav_hw_codec(enum AVCodecID id);
bool libav_hw_exact(enum AVCodecID id);

/* Makes the decoder, which is not open yet, work on CUDA device `number`. 0 or libav's code. */
int libav_hw_attach(struct libav *l, unsigned number);

/* What frame l->frame holds: its own pixel format, or that of the stream when it lies on the device. */
enum AVPixelFormat libav_samples(const struct libav *l);

/* Looks at the first frame, of which l->repack is known: NULL, or why it can't be scored where it lies. */
const char *libav_hw_plan(struct libav *l, char *text, size_t size);

/* Whether l->frame is like the first one. */
int libav_hw_same(const struct libav *l, struct assay_error *e);

void libav_hw_locate(const struct libav *l, struct device_picture *to);

/* From now on, in this thread, messages of no reader's are taken for those of `l`; NULL: of nobody's. */
void libav_listen(struct libav *l);

/* Sends libav's messages to last_error of the reader that they belong to, and nowhere else. */
void libav_quiet(void);

#endif
