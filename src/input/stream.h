/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A byte stream over a file, a pipe or stdin. A request is answered short only at the end of the stream or after a failed
 * read, and `error` tells the two apart. Large requests go straight to their destination. Regular files are read with
 * pread(2), so any number of threads may read them at positions while one thread moves the stream.
 */
#ifndef ASSAY_INPUT_STREAM_H
#define ASSAY_INPUT_STREAM_H

#include <signal.h>
#include <stdbool.h>

#include "host/error.h"

/* Set, to anything but 0, by a signal handler that wants the program to end: no stream waits for data any more. */
extern volatile sig_atomic_t input_stop;

/* While set, no stream of the process waits for data: to end threads that read. */
void input_abandon(bool abandon);

enum { STREAM_BUFFER = 64 * 1024 };

struct stream {
    int fd;
    int error;       /* errno of the read that failed, or 0 */
    bool regular;    /* a regular file: `size` and `start` mean something, and the stream can be positioned */
    uint64_t size;   /* bytes of the whole stream when it was opened */
    uint64_t start;  /* where in the file the stream begins (a redirected stdin may begin anywhere) */
    uint64_t offset; /* bytes handed out so far */
    uint64_t wanted; /* of a regular file: everything up to this position will be read */
    size_t head, tail;
    unsigned char buffer[STREAM_BUFFER];
};

/* "-" is stdin. `name` is the path as messages show it. */
int stream_open(struct stream **out, const char *path, const char *name, struct assay_error *e);
void stream_close(struct stream **s);

/* The next bytes without taking them: up to n (at most STREAM_BUFFER), fewer only at the end or after a failure. */
size_t stream_peek(struct stream *s, const unsigned char **data, size_t n);

/* The next line without taking it, up to its newline, or the first `limit` bytes (at most STREAM_BUFFER) or all that is
 * left when there is none in them. */
size_t stream_peek_line(struct stream *s, const unsigned char **line, size_t limit);

/* Takes n bytes; returns how many there were. */
size_t stream_read(struct stream *s, void *dst, size_t n);

/* Takes some of the next bytes, at least one and at most n, as read(2) does; 0 at the end or after a failure. */
size_t stream_read_some(struct stream *s, void *dst, size_t n);

/* Passes over n bytes; returns how many there were. In a regular file the size stands for the bytes: none of them is read. */
uint64_t stream_skip(struct stream *s, uint64_t n);

/* Positions a regular file at `offset` from the start of the stream, which may lie behind its end. False, with nothing moved, when
 * that is not possible. */
bool stream_seek(struct stream *s, uint64_t offset);

/* How many of the n bytes from a position on a regular file has now. Any thread may call this. */
uint64_t stream_bytes_at(const struct stream *s, uint64_t offset, uint64_t n);

/* A stream over the same regular file, at `offset`, of which n bytes are about to be read: for a thread that reads while another one
 * moves `s`, which stays open meanwhile. A view is not closed. */
void stream_view(struct stream *view, const struct stream *s, uint64_t offset, uint64_t n);

/* Bytes of a regular file at a position, without moving the stream; fewer than n at the end or after a failure. */
size_t stream_look_at(const struct stream *s, uint64_t offset, void *dst, size_t n);

#endif
