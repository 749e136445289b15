/* SPDX-License-Identifier: BSD-2-Clause */
/* The libav reader, as its own files see it. */
#ifndef ASSAY_INPUT_LIBAV_H
#define ASSAY_INPUT_LIBAV_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <pthread.h>

#include "input/repack.h"

struct libav {
    struct input in;
    struct stream *stream;
    AVIOContext *io;
    AVFormatContext *container;
    AVStream *track;
    AVCodecContext *decoder;
    AVPacket *packet;
    AVFrame *frame;
    bool strict;         /* an error that the decoder only logs is one of the picture in its hands */
    bool held;           /* `frame` was decoded and not yet handed out */
    bool draining;       /* the decoder was told that no more packets follow */
    uint64_t stated_end; /* bytes that the container says it has, or 0 */
    bool failing;        /* the container failed: what was decoded before is still handed out, then the failure */
    int64_t last_dts;    /* of the last packet that the decoder got */
    char failure[320];   /* the reason, while failing */
    int pixel_format;    /* of the first frame; the others must agree */
    int coded_width, coded_height;
    struct repack repack;
    struct repack_crop crop;
    pthread_mutex_t lock; /* of the rest: decoders log from their own threads */
    char last_error[160];
    bool complained;      /* the decoder has logged an error since it was opened */
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

/* Whether the decoder has logged an error. */
bool libav_complained(struct libav *l);

/* Sends libav's messages to last_error of the reader that they belong to, and nowhere else. */
void libav_quiet(void);

#endif
