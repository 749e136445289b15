/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream of bytes from a file, a pipe or stdin. A call returns fewer bytes than asked for only at the end of the
 * stream or after a failed read, which sets `error`. Large reads go straight to their destination. Regular files are
 * read with pread(2), so that threads can read at their own positions while another thread moves the stream.
 */
#ifndef ASSAY_INPUT_STREAM_H
#define ASSAY_INPUT_STREAM_H

#include <stdbool.h>
#include <time.h>

#include "host/error.h"

/* Ends the reading of the streams that were opened with it: none of them waits for data any more. Any thread may call
 * these functions, and a signal handler may, too. */
struct input_stop {
    int why;       /* atomic; not 0: for good, a number of the one who stops */
    int abandoned; /* atomic; while it is set, so that reading threads can be ended */
    const struct input_stop *above; /* one that ends these streams, too; or NULL */
};
void input_stop(struct input_stop *s, int why);
void input_abandon(struct input_stop *s, bool abandon);
int input_stopped(const struct input_stop *s); /* why; 0: it goes on. `s` may be NULL */

enum { STREAM_BUFFER = 64 * 1024 };

struct stream {
    int fd;
    const struct input_stop *stop; /* or NULL */
    int error;       /* errno of the read that failed, or 0 */
    bool regular;    /* a regular file: it has `size` and `start`, and can be positioned */
    bool fragments;  /* container_end has found some of MP4 */
    uint64_t size;   /* bytes of the stream when it was opened */
    struct timespec changed; /* when the file was changed last, as it was opened */
    uint64_t start;  /* position of the stream's first byte in the file; stdin may be a file that was read in part */
    uint64_t offset; /* of the next byte that a call returns, from the start of the stream */
    uint64_t wanted; /* in a regular file: all bytes up to this offset will be asked for */
    size_t head, tail; /* [head, tail): the bytes in `buffer` that no call has returned yet */
    unsigned char buffer[STREAM_BUFFER];
};

/* "-" is stdin. `name` is the path in messages. `stop` outlives the stream; NULL: nothing ends it early. */
int stream_open(struct stream **out, const char *path, const char *name, const struct input_stop *stop,
                struct assay_error *e);
void stream_close(struct stream **s);

/* The next n bytes, at most STREAM_BUFFER, which stay in the stream. */
size_t stream_peek(struct stream *s, const unsigned char **data, size_t n);

/* The next line with its newline, which stays in the stream. If the first `limit` bytes (at most STREAM_BUFFER) have no
 * newline, these bytes, or all that are left. */
size_t stream_peek_line(struct stream *s, const unsigned char **line, size_t limit);

/* Reads n bytes and returns how many there were. */
size_t stream_read(struct stream *s, void *dst, size_t n);

/* Reads 1 to n bytes, as read(2) does; 0 at the end or after a failure. */
size_t stream_read_some(struct stream *s, void *dst, size_t n);

/* Passes over n bytes and returns how many there were. A regular file is not read for this: its size tells. */
uint64_t stream_skip(struct stream *s, uint64_t n);

/* Moves to `offset`, which may lie behind the end. False for a stream that is no regular file or has failed. */
bool stream_seek(struct stream *s, uint64_t offset);

/* Whether a regular file was written to since it was opened, or nobody can tell. */
bool stream_changed(const struct stream *s);

/* Makes a second stream over a regular file, at `offset`, from which n bytes will be read. For a thread that reads
 * while another thread moves `s`. A view is freed and not closed; `s` must stay open longer. NULL: no memory. */
struct stream *stream_view(const struct stream *s, uint64_t offset, uint64_t n);

/* The bytes of the regular file of a path, or of all numbered pictures; -1: it is none, and may be read only once. */
int64_t stream_file_bytes(const char *path);

/* Reads n bytes of a regular file at `offset` without moving the stream, and returns how many there were. */
size_t stream_look_at(const struct stream *s, uint64_t offset, void *dst, size_t n);

#endif
