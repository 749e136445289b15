/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/numbered.h"

/* Linux never reads more than this in one call. */
static const size_t largest_read = 0x7ffff000;

/* Bytes that the system is asked to buffer for a pipe, so that the writer need not wait for each read. A refusal does
 * no harm. */
enum { PIPE_SIZE = 1024 * 1024 };

enum { LOOK_UP = 100 }; /* milliseconds between two checks in a wait whether it has to end */

/* Bytes that a look at a regular file reads at least. Most lines fit. */
enum { SHORT_LOOK = 512 };

static int stream_describe(struct stream *s, const char *name, struct assay_error *e)
{
    struct stat st;
    if (fstat(s->fd, &st) != 0)
        return assay_fail(e, ASSAY_EINPUT, "%s: can't be examined: %s", name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return assay_fail(e, ASSAY_EINPUT, "%s: is %sa directory", name, strcmp(name, "stdin") ? "" : "closed, or ");
    if (S_ISREG(st.st_mode)) {
        const off_t at = lseek(s->fd, 0, SEEK_CUR);
        if (at < 0)
            return assay_fail(e, ASSAY_EINPUT, "%s: can't be positioned: %s", name, strerror(errno));
        s->regular = true;
        s->changed = st.st_mtim;
        s->start = (uint64_t)at;
        s->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
        (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (S_ISFIFO(st.st_mode)) {
        (void)fcntl(s->fd, F_SETPIPE_SZ, PIPE_SIZE);
    }
    return ASSAY_OK;
}

int stream_open(struct stream **out, const char *path, const char *name, const struct input_stop *stop,
                struct assay_error *e)
{
    *out = NULL;
    struct stream *s = malloc(sizeof *s);
    if (!s)
        return assay_fail_memory(e, "an input buffer");
    memset(s, 0, offsetof(struct stream, buffer));
    s->stop = stop;
    if (strcmp(path, "-") == 0)
        s->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    else
        s->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is waited for where `stop` ends it */
    const int code = s->fd >= 0 ? stream_describe(s, name, e)
                   : assay_fail(e, ASSAY_EINPUT, "%s: can't be opened: %s", name, strerror(errno));
    if (code != ASSAY_OK)
        stream_close(&s);
    *out = s;
    return code;
}

void stream_close(struct stream **s)
{
    if (!*s)
        return;
    if ((*s)->fd >= 0)
        close((*s)->fd);
    free(*s);
    *s = NULL;
}

void input_stop(struct input_stop *s, int why)
{
    __atomic_store_n(&s->why, why, __ATOMIC_RELAXED);
}

void input_abandon(struct input_stop *s, bool abandon)
{
    __atomic_store_n(&s->abandoned, abandon, __ATOMIC_RELAXED);
}

int input_stopped(const struct input_stop *s)
{
    const int why = s ? __atomic_load_n(&s->why, __ATOMIC_RELAXED) : 0;
    return why || !s ? why : input_stopped(s->above);
}

static bool is_abandoned(const struct input_stop *s)
{
    return s && (__atomic_load_n(&s->abandoned, __ATOMIC_RELAXED) || is_abandoned(s->above));
}

/* Waits until a read will not block. True: the program or the thread is to end instead. A signal may go to another
 * thread, which does not end this thread's poll(2), so the wait checks again and again. Regular files never block. */
static bool stream_stopped(const struct stream *s)
{
    for (;;) {
        struct pollfd p = { .fd = s->fd, .events = POLLIN };
        if (input_stopped(s->stop) || is_abandoned(s->stop))
            return true;
        if (s->regular)
            return false;
        const int ready = poll(&p, 1, LOOK_UP);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return false;
    }
}

/* Reads once, from behind the bytes in the buffer. Waits for data even if the descriptor is non-blocking. 0: the end,
 * or `error` is set. */
static size_t stream_read_once(struct stream *s, void *dst, size_t n)
{
    if (n > largest_read)
        n = largest_read;
    while (!s->error) {
        if (stream_stopped(s)) {
            s->error = EINTR;
            break;
        }
        const ssize_t got = s->regular ? pread(s->fd, dst, n, (off_t)(s->start + s->offset + (s->tail - s->head)))
                                       : read(s->fd, dst, n);
        if (got > 0 || (!got && (!s->regular || s->offset + (s->tail - s->head) >= s->size)))
            return (size_t)got;
        if (!got) /* the file was longer when it was opened: its end is no end of a video */
            s->error = ENODATA;
        else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            s->error = errno;
    }
    return 0;
}

/* How many bytes to read into the buffer when at least `missing` are needed. From a pipe: all that fit. From a regular
 * file: those that will be asked for. */
static size_t stream_refill(const struct stream *s, size_t missing)
{
    const size_t room = STREAM_BUFFER - s->tail;
    if (!s->regular)
        return room;
    const uint64_t at = s->offset + (s->tail - s->head);
    uint64_t wanted = s->wanted > at ? s->wanted - at : SHORT_LOOK;
    if (wanted < missing)
        wanted = missing;
    return wanted < room ? (size_t)wanted : room;
}

size_t stream_peek(struct stream *s, const unsigned char **data, size_t n)
{
    if (n > STREAM_BUFFER)
        n = STREAM_BUFFER;
    if (s->tail - s->head < n && s->head > 0) {
        memmove(s->buffer, s->buffer + s->head, s->tail - s->head);
        s->tail -= s->head;
        s->head = 0;
    }
    while (s->tail - s->head < n) {
        const size_t got = stream_read_once(s, s->buffer + s->tail, stream_refill(s, n - (s->tail - s->head)));
        if (got == 0)
            break;
        s->tail += got;
    }
    *data = s->buffer + s->head;
    const size_t held = s->tail - s->head;
    return held < n ? held : n;
}

size_t stream_peek_line(struct stream *s, const unsigned char **line, size_t limit)
{
    size_t seen = 0;
    while (seen < limit) {
        if (stream_peek(s, line, seen + 1) <= seen)
            return seen;
        const size_t held = s->tail - s->head < limit ? s->tail - s->head : limit;
        const unsigned char *end = memchr(*line + seen, '\n', held - seen);
        if (end)
            return (size_t)(end - *line) + 1;
        seen = held;
    }
    return seen;
}

/* Moves buffered bytes to dst. NULL: passes over them. */
static size_t stream_take(struct stream *s, unsigned char *dst, size_t n)
{
    const size_t held = s->tail - s->head;
    if (n > held)
        n = held;
    if (dst && n > 0)
        memcpy(dst, s->buffer + s->head, n);
    s->head += n;
    s->offset += n;
    if (s->head == s->tail)
        s->head = s->tail = 0;
    return n;
}

size_t stream_read(struct stream *s, void *dst, size_t n)
{
    unsigned char *to = dst;
    size_t done = stream_take(s, to, n), got = 1;
    while (done < n && got > 0) {
        const size_t left = n - done;
        const unsigned char *data;
        if (left < STREAM_BUFFER / 2) {
            got = stream_peek(s, &data, 1) ? stream_take(s, to + done, left) : 0;
        } else {
            got = stream_read_once(s, to + done, left);
            s->offset += got;
        }
        done += got;
    }
    return done;
}

size_t stream_read_some(struct stream *s, void *dst, size_t n)
{
    size_t got = stream_take(s, dst, n);
    if (got == 0 && n > 0) {
        got = stream_read_once(s, dst, n);
        s->offset += got;
    }
    return got;
}

/* How many of n bytes from `offset` on a regular file has now. Any thread may call this. */
static uint64_t stream_bytes_at(const struct stream *s, uint64_t offset, uint64_t n)
{
    uint64_t size = s->size;
    struct stat st;
    /* A file that is being written may have grown since it was opened. */
    if ((offset > size || n > size - offset) && fstat(s->fd, &st) == 0 && (uint64_t)st.st_size > s->start)
        size = (uint64_t)st.st_size - s->start;
    const uint64_t left = offset < size ? size - offset : 0;
    return n < left ? n : left;
}

int64_t stream_file_bytes(const char *path)
{
    struct stat st;
    struct numbered numbered;
    if (numbered_is(path))
        return numbered_find(&numbered, path, path, NULL) ? -1 : (int64_t)numbered.bytes;
    return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

bool stream_changed(const struct stream *s)
{
    struct stat st;
    return s->regular && (fstat(s->fd, &st) || st.st_mtim.tv_sec != s->changed.tv_sec ||
                          st.st_mtim.tv_nsec != s->changed.tv_nsec);
}

uint64_t stream_skip(struct stream *s, uint64_t n)
{
    uint64_t done = 0;
    if (s->regular && n > s->tail - s->head) {
        const uint64_t there = stream_bytes_at(s, s->offset, n);
        return stream_seek(s, s->offset + there) ? there : 0;
    }
    const unsigned char *data;
    while (done < n && stream_peek(s, &data, 1) > 0)
        done += stream_take(s, NULL, n - done < STREAM_BUFFER ? (size_t)(n - done) : STREAM_BUFFER);
    return done;
}

bool stream_seek(struct stream *s, uint64_t offset)
{
    if (s->error || !s->regular || offset > (uint64_t)INT64_MAX - s->start)
        return false;
    s->offset = offset;
    s->head = s->tail = 0;
    return true;
}

struct stream *stream_view(const struct stream *s, uint64_t offset, uint64_t n)
{
    struct stream *view = malloc(sizeof *view);
    if (!view)
        return NULL;
    view->fd = s->fd; /* another thread changes what is not copied */
    view->stop = s->stop;
    view->error = 0;
    view->regular = true;
    view->size = s->size;
    view->start = s->start;
    view->offset = offset;
    view->wanted = offset + n;
    view->head = view->tail = 0;
    return view;
}

size_t stream_look_at(const struct stream *s, uint64_t offset, void *dst, size_t n)
{
    size_t done = 0;
    ssize_t got = 1;
    if (!s->regular || offset > (uint64_t)INT64_MAX - s->start - n)
        return 0;
    while (done < n && got) { /* a view would take STREAM_BUFFER bytes of memory */
        got = pread(s->fd, (char *)dst + done, n - done, (off_t)(s->start + offset + done));
        if (got < 0 && errno != EINTR)
            return done;
        done += got > 0 ? (size_t)got : 0;
    }
    return done;
}
