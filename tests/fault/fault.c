/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands between the command's objects and the C library (the linker's --wrap): the N-th call of one kind fails as it
 * would on a machine that has run out. Which one is in the environment: ASSAY_FAULT=memory:7, and ASSAY_FAULT_FD is a
 * descriptor that receives a byte when that call is reached. signal:7 is SIGTERM at the seventh call that writes, which
 * does not fail. The product knows nothing of this.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {"memory", "thread", "read", "write", "process", "signal"};
enum kind { MEMORY, THREAD, READ, WRITE, PROCESS, SIGNAL, KINDS };

static enum kind failing = KINDS;
static long calls_left;
static int report_to = -1;

__attribute__((constructor)) static void configure(void)
{
    const char *text = getenv("ASSAY_FAULT"), *fd = getenv("ASSAY_FAULT_FD"), *colon = text ? strchr(text, ':') : NULL;
    for (unsigned k = 0; colon && k < KINDS; k++)
        if (strlen(kinds[k]) == (size_t)(colon - text) && !memcmp(kinds[k], text, (size_t)(colon - text))) {
            calls_left = strtol(colon + 1, NULL, 10);
            report_to = fd ? (int)strtol(fd, NULL, 10) : -1;
            failing = (enum kind)k;
        }
}

ssize_t __real_write(int fd, const void *p, size_t n);

static bool fails(enum kind kind, int error)
{
    const bool here = failing == kind || (failing == SIGNAL && kind == WRITE);
    if (!here || __atomic_sub_fetch(&calls_left, 1, __ATOMIC_RELAXED) != 0)
        return false;
    if (report_to >= 0 && __real_write(report_to, "!", 1) != 1)
        abort();
    if (failing == SIGNAL)
        return raise(SIGTERM);
    errno = error;
    return true;
}

/* WRAP(result type, name, parameters, arguments, kind, errno, failed result) */
#define WRAP(type, name, parameters, arguments, kind, error, failed) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters { return fails(kind, error) ? (failed) : __real_##name arguments; }

WRAP(void *, malloc, (size_t n), (n), MEMORY, ENOMEM, NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), MEMORY, ENOMEM, NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), MEMORY, ENOMEM, NULL)
WRAP(char *, strdup, (const char *s), (s), MEMORY, ENOMEM, NULL)
WRAP(int, posix_memalign, (void **p, size_t align, size_t n), (p, align, n), MEMORY, ENOMEM, ENOMEM)
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size), MEMORY, ENOMEM, NULL)
WRAP(int, pthread_attr_init, (pthread_attr_t *a), (a), MEMORY, ENOMEM, ENOMEM)

/* libav's, which the command looks up; the types are its own affair. */
#define LIBAV(X) \
    X(av_malloc, (size_t n), (n)) X(av_frame_alloc, (void), ()) X(av_packet_alloc, (void), ()) \
    X(avformat_alloc_context, (void), ()) X(avcodec_alloc_context3, (const void *codec), (codec))
#define LOOKED_UP(name, parameters, arguments) \
    static void *(*real_##name) parameters; \
    static void *faulty_##name parameters { return fails(MEMORY, ENOMEM) ? NULL : real_##name arguments; }
LIBAV(LOOKED_UP)

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name)
{
    void *address = __real_dlsym(library, name);
#define SWAP(known, parameters, arguments) \
    if (address && !strcmp(name, #known)) { \
        void *(*const mine) parameters = faulty_##known; \
        memcpy(&real_##known, &address, sizeof address); \
        memcpy(&address, &mine, sizeof address); \
    }
    LIBAV(SWAP)
    return address;
}

WRAP(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*run)(void *), void *arg), (t, a, run, arg),
     THREAD, EAGAIN, EAGAIN)
WRAP(pid_t, fork, (void), (), PROCESS, EAGAIN, -1)
WRAP(int, pipe2, (int end[2], int flags), (end, flags), THREAD, EMFILE, -1)

WRAP(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), READ, EIO, -1)
/* With 64-bit offsets the C library's names end in 64. */
WRAP(ssize_t, pread64, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), READ, EIO, -1)
WRAP(off_t, lseek64, (int fd, off_t at, int whence), (fd, at, whence), READ, EIO, -1)
WRAP(int, fstat64, (int fd, struct stat *s), (fd, s), READ, EIO, -1)

/* A stream that has failed says so from then on. */
static bool stream_fails(enum kind kind, FILE *f, int error)
{
    if (f == stderr || !fails(kind, error))
        return false;
    f->_flags |= 0x20; /* glibc's mark of an error, which ferror reads */
    return true;
}

#define WRAP_STREAM(type, name, parameters, arguments, stream, kind, error, failed) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters { return stream_fails(kind, stream, error) ? (failed) : __real_##name arguments; }

WRAP_STREAM(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), f, READ, EIO, 0)
WRAP_STREAM(int, fputs, (const char *s, FILE *f), (s, f), f, WRITE, ENOSPC, EOF)
WRAP_STREAM(int, fputc, (int c, FILE *f), (c, f), f, WRITE, ENOSPC, EOF)
WRAP_STREAM(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), f, WRITE, ENOSPC, 0)
WRAP_STREAM(int, vfprintf, (FILE *f, const char *format, va_list args), (f, format, args), f, WRITE, ENOSPC, -1)
WRAP_STREAM(int, fflush, (FILE *f), (f), f, WRITE, ENOSPC, EOF)
WRAP(ssize_t, pwrite64, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), WRITE, ENOSPC, -1)
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    return fails(WRITE, ENOSPC) ? -1 : __real_write(fd, p, n);
}
WRAP(int, fsync, (int fd), (fd), WRITE, EIO, -1)
WRAP(FILE *, fopen64, (const char *path, const char *mode), (path, mode), *mode == 'r' ? READ : WRITE, EACCES, NULL)

/* Closing frees the stream whatever it says. */
int __real_fclose(FILE *f);
int __wrap_fclose(FILE *f);
int __wrap_fclose(FILE *f)
{
    const bool failed = fails(WRITE, ENOSPC);
    const int result = __real_fclose(f);
    errno = failed ? ENOSPC : errno;
    return failed ? EOF : result;
}
