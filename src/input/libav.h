/* SPDX-License-Identifier: BSD-2-Clause */
/* The internals of the libav reader. Included by its own files only. */
#ifndef ASSAY_INPUT_LIBAV_H
#define ASSAY_INPUT_LIBAV_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <pthread.h>

#include "input/libav_load.h"
#include "input/repack_frame.h"

/* A packet that the decoder has. The decoder's AVPacket.opaque points to this. */
struct libav_packet {
    struct libav *owner;
    uint64_t number; /* from 0, in the order of decoding */
    int64_t pts, dts;
    bool damaged;    /* the container says so, or the decoder has logged an error. Guarded by the reader's lock */
};

enum {
    LIBAV_THREADS = 64,  /* of a decoder, at most */
    LIBAV_PACKETS = 256, /* packets that are remembered: more than a decoder's threads and reordering hold back */
    LIBAV_TRACKS = 32,   /* whose colours in the container are known */
};

/* Decoding on the device. */
struct libav_hw {
    bool on;
    bool gave_up;        /* the device can't decode the stream, or the rest of it */
    enum AVPixelFormat samples; /* of the stream */
    enum AVPixelFormat surface; /* of the device's pictures */
    bool pairs, high;    /* how the device's pictures are packed: ASSAY_PACKED_* */
};

/* Packets that were read and wait for the decoder. */
struct libav_line {
    AVPacket **packet;
    size_t next, count;
    bool ended;      /* no packet follows; reading returned `end` */
    int end;
    int64_t place;   /* position of the next packet to read, in bytes from the start of the file; 0: any position */
};

/* The packets of the track that were read so far. */
struct libav_count {
    uint64_t packets, bytes, shown; /* shown: the sum of their durations */
    int64_t first, last; /* the earliest and the latest time */
    int64_t dts;         /* of the last packet that has one, if `dated` */
    int64_t place;       /* the furthest position, in bytes from the start of the file */
    int64_t length;      /* of the picture with the latest time; 0: not stated */
    bool decoding;       /* times are of decoding: AVI states no times of display for pictures out of order */
    bool dated;
    bool untimed;        /* a packet has no time, or times begin anew */
    bool broken;         /* reading went on elsewhere: what was counted is no beginning of the stream */
    bool ended;          /* they are all of them */
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
    assay_format stated[LIBAV_TRACKS + 1]; /* the container's colours of each track; 0: none, as of any further track */
    uint32_t transfer;   /* of a picture of DPX, where libav's is not what it means; 0: libav's is */
    bool playlist;       /* the user allows a container that names other files */
    bool asked;          /* the demuxer has asked for another file, which is not allowed */
    int (*open_part)(AVFormatContext *container, AVIOContext **io, const char *url, int flags, AVDictionary **options);
    bool concealed;      /* `frame` is a damaged picture */
    bool any_aspect, any_rotation; /* as input_options says */
    AVRational aspect;   /* of the first frame's samples, or of the last frame whose stream states one */
    int delay;           /* the decoder's `has_b_frames` at the first frame */
    bool strict;         /* an error that the decoder only logs counts as damage of the packet that it has */
    uint64_t packets;    /* sent to the decoder */
    struct libav_packet sent[LIBAV_PACKETS]; /* packet n is entry n % LIBAV_PACKETS */
    bool uncounted;      /* one of them does not show one picture */
    bool held;           /* `frame` is decoded and not yet handed out */
    bool draining;       /* the decoder knows that no more packets follow */
    uint64_t stated_end; /* size of the file in bytes as the container states it; 0: not stated */
    bool joined;         /* another file follows there, which is not read */
    int64_t behind;      /* the furthest position where another video track begins */
    bool failing;        /* no more packets can be read; pictures before the damage are still handed out */
    int64_t time, lasts; /* of the picture that was handed out last; INPUT_NO_TIME and 0 where they are not known */
    bool uneven;         /* two pictures that were handed out are not one picture apart by the frame rate */
    int64_t last_dts;    /* of the last packet that was sent; while failing, of the last good packet. INT64_MAX: all of
                          * the file is good, to which another one was joined */
    char failure[320];   /* while failing: why */
    struct libav_count count;
    struct libav_line line;
    int64_t from;        /* pictures shown before this time are left out */
    struct libav_hw hw;
    enum AVPixelFormat pixel_format; /* of the first frame; later frames must have the same one */
    struct repack repack;
    struct repack_crop crop;
    pthread_mutex_t lock; /* guards what follows: decoders log from threads of their own */
    char last_error[160];
    bool counting;       /* an error that the demuxer logs is a fault */
    uint64_t faults;     /* of the container: frames may be lost */
    char fault[160];     /* the first one */
    const struct libav_packet *damaged; /* the first packet for which the decoder has logged an error, or NULL */
};

/* The part of a frame that is shown, in luma samples: the codec's cropping, then the container's. Fails when nothing is
 * left, or when a chroma sample would be cut in two. */
int libav_crop(const struct libav *l, const AVFrame *frame, const struct repack *r, struct repack_crop *crop,
               struct assay_error *e);

/* The part of a frame that is handed out: of what is shown, what input_crop leaves. */
struct repack_crop libav_part(const struct libav *l);

/* Side data of a track, at least `size` bytes, or NULL. It moved from the stream to its parameters in FFmpeg 6.1. */
const uint8_t *libav_track_side_data(const AVStream *track, enum AVPacketSideDataType type, size_t size);

/* Fills in->rotation, mirrored and display from the first frame. */
void libav_describe_display(struct libav *l);

/* Fails where the stream has l->frame shown otherwise than the frames before. */
int libav_same_display(struct libav *l, struct assay_error *e);

/* Why a picture of CMYK or inks is refused. */
extern const char libav_of_inks[];

/* Fills in->format, the notices, and the fields of libav_describe_display from the first frame. */
int libav_describe(struct libav *l, struct assay_error *e);

/* The colour fields of l->frame, which may not change inside a stream. */
void libav_colour(const struct libav *l, assay_format *f);

/* The text of libav's error `code`: "WHAT: REASON", or "WHAT: REASON (MESSAGE)" with the last
 * message that libav logged. */
void libav_explain(struct libav *l, int code, const char *what, char *text, size_t size);

/* Fails with that text: ASSAY_EINPUT, or ASSAY_EINTERNAL when memory ran out. */
int libav_fail(struct libav *l, int code, const char *what, struct assay_error *e);

/* Returns l->damaged, read under the lock. */
const struct libav_packet *libav_damaged(struct libav *l);

/* Reads the track's next packet, behind those in line, into l->packet. Returns 1, 0 at the end, or libav's negative
 * code; then l->failure says why. AVERROR_EOF: the end of a file to which another one was joined. */
int libav_read_packet(struct libav *l);

/* The number of packets in the index of MP4 or MOV, each of which is a picture. 0: not known. */
uint64_t libav_indexed(const struct libav *l);

/* Tells the decoder of MPEG-2 what l->packet says of the order of pictures, which that decoder does not note. */
void libav_note_order(const struct libav *l);

/* Whether no picture can be two fields, which may be packets of their own: of H.264 its parameters decide. */
bool libav_only_frames(const struct libav *l);

/* Whether H.264 has no chroma: `whole`: by all parameters in its head, else by any there or in l->packet. */
bool libav_is_gray(const struct libav *l, bool whole);

/* Whether HEVC has chroma of half the width, and blocks of 16x16 with SAO. At their corners libav's decoder filters
 * chroma by samples that it has not deblocked yet. */
bool libav_misses_corners(const struct libav *l);

/* ---- libav_container.c ---- */

int libav_open_container(struct libav *l, const struct input_options *options, struct assay_error *e);

/* Whether the input is MP4 or MOV in a pipe. The index may be behind the pictures, which the pipe has passed by
 * then. */
bool libav_needs_file(const struct libav *l);
extern const char libav_needs_its_file[];

/* Whether l->packet is of the track that is read. Notes where another video track begins. */
bool libav_is_wanted(struct libav *l);

/* ---- passing over pictures (libav_jump.c) ---- */

/* Passes over pictures, at most up to number `target`, before any was read. Sets in->index to the next picture. */
int libav_jump(struct input *in, uint64_t target, struct assay_error *e);

void libav_empty_line(struct libav *l);

/* Whether a packet shows one picture, as far as that is looked at. */
bool libav_shows_one(const struct libav *l, const AVPacket *p);

/* Moves to packet `number` by the container's index. */
bool libav_go_to(struct libav *l, uint64_t number);

/* ---- bytes and duration (libav_rate.c) ---- */

/* Counts l->packet. */
void libav_count_packet(struct libav *l);

int libav_rate(struct input *in, struct input_rate *rate, struct assay_error *e);

/* Whether the container is a single image, or several that follow one another: neither has a rate. */
bool libav_is_image(const struct libav *l);

/* Whether the input is a bare stream, which has no times. Its demuxer has an option "framerate", and makes times up. */
bool libav_is_bare(const struct libav *l);

/* ---- decoding on the device (libav_hw.c) ---- */

/* A decoder of the codec that has a CUDA hwaccel, or NULL. */
const AVCodec *libav_hw_codec(enum AVCodecID id);

/* Sets up the decoder, which is not open yet, for CUDA device `number`. Returns 0 or libav's code. */
int libav_hw_attach(struct libav *l, unsigned number);

/* Whether the device would give other samples than the CPU for l->packet. Then it gives up, and the last message says
 * why. */
bool libav_hw_misreads(struct libav *l);

/* The pixel format of l->frame, or, if the frame is on the device, of the stream. */
enum AVPixelFormat libav_samples(const struct libav *l);

/* NULL, or why the first frame can't be scored on the device, in `text` or elsewhere. l->repack is known. */
const char *libav_hw_plan(struct libav *l, char *text, size_t size);

/* Fails when two frames differ in their pixel format. */
int libav_same_pixels(const struct libav *l, enum AVPixelFormat first, enum AVPixelFormat now, struct assay_error *e);

/* Fails when l->frame is not on the device in the first frame's format. */
int libav_hw_same(const struct libav *l, struct assay_error *e);

/* Sets *to to the device addresses of l->frame. */
void libav_hw_locate(const struct libav *l, assay_cuda_image *to);

/* From now on, messages of containers that this thread causes and that name no reader, such as those of a playlist's
 * parts, count as `l`'s. NULL: as no reader's. */
void libav_read_for(struct libav *l);

void libav_note_fault(struct libav *l, const char *text);
/* Whether the container has had a fault; then `text` says so. Sets l->in.faults. */
bool libav_has_faults(struct libav *l, char *text, size_t size);

/* From now on, messages that this thread causes and that belong to no reader count as `l`'s. NULL: as no reader's. */
void libav_listen(struct libav *l);

/* libav_load, behind which libav's messages stay off standard error: each goes to last_error of its reader. */
bool libav_load_quiet(char *why, size_t size);

/* Versions of the libraries that are loaded, for reports. */
extern char libav_versions[96];
#define LIBAV_NUMBERS(version) AV_VERSION_MAJOR(version), AV_VERSION_MINOR(version), AV_VERSION_MICRO(version)

#endif
