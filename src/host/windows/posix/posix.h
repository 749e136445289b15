/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of POSIX that the command uses and that Windows lacks, or has with paths in the code page of the
 * machine or with texts for files. Sources of Windows' build include it before all else; the headers beside it have
 * the names of those that Windows lacks. Paths are UTF-8, and files are bytes.
 */
#ifndef ASSAY_HOST_WINDOWS_POSIX_H
#define ASSAY_HOST_WINDOWS_POSIX_H

/* These are declared below in another way, or are names of ours. */
#define mkdir windows_mkdir
#define read windows_read
#define tell windows_tell
#define write windows_write
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#undef mkdir
#undef read
#undef tell
#undef write

/* ---- files ---- */

#define O_CLOEXEC O_NOINHERIT
#define O_NONBLOCK 0
#define O_PATH 0
#define O_DIRECTORY 0x10000000
#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 1
#define S_ISLNK(mode) ((void)(mode), 0)

/* Windows' own have 16 bits of a file's number, and none of its volume. */
#undef stat
#undef fstat
#define stat posix_stat
#define fstat posix_fstat
#define dev_t uint64_t
#define ino_t uint64_t
struct posix_stat {
    uint64_t st_dev, st_ino;
    unsigned st_mode;
    int64_t st_size;
    struct timespec st_mtim;
};
int posix_stat(const char *path, struct posix_stat *st);
int posix_fstat(int fd, struct posix_stat *st);
int fstatat(int folder, const char *path, struct posix_stat *st, int flags); /* AT_FDCWD alone */
#define fchmod(fd, mode) ((void)(fd), (void)(mode), 0)
int openat(int folder, const char *path, int flags, ...); /* AT_FDCWD alone */
ssize_t readlinkat(int folder, const char *path, char *to, size_t size);
ssize_t pread(int fd, void *to, size_t n, int64_t at);
int mkdir(const char *path, unsigned mode) __asm__("posix_mkdir");
ssize_t read(int fd, void *to, size_t n) __asm__("posix_read");
ssize_t write(int fd, const void *from, size_t n) __asm__("posix_write");

/* Calls of these go to functions of ours, which take paths in UTF-8. */
int open(const char *path, int flags, ...) __asm__("posix_open");
FILE *fopen(const char *path, const char *mode) __asm__("posix_fopen");
int access(const char *path, int mode) __asm__("posix_access");
int unlink(const char *path) __asm__("posix_unlink");
int rename(const char *from, const char *to) __asm__("posix_rename"); /* over what is there */

#define POSIX_FADV_SEQUENTIAL 0
#define posix_fadvise(fd, at, n, advice) ((void)(advice))
#define F_SETPIPE_SZ 1
#define F_DUPFD_CLOEXEC 2
#define F_SETFL 3
int fcntl(int fd, int what, int value);

struct statfs {
    long f_type;
};
#define PROC_SUPER_MAGIC 1
#define PIPEFS_MAGIC 2
int fstatfs(int fd, struct statfs *fs); /* a pipe has no name, or somebody writes to it */

struct pollfd {
    int fd;
    short events, revents;
};
#define POLLIN 1
int poll(struct pollfd *p, unsigned n, int milliseconds); /* one */

int scandir(const char *path, struct dirent ***entry, int (*filter)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **));
#define versionsort NULL /* names are in order in any case */
int strverscmp(const char *a, const char *b);

typedef struct {
    size_t gl_pathc;
    char **gl_pathv;
} glob_t;
int glob(const char *pattern, int flags, int (*error)(const char *, int), glob_t *found);
void globfree(glob_t *found);

/* ---- texts ---- */

char *strsep(char **text, const char *ends);
char *strndup(const char *text, size_t n);
char *posix_strerror(int number);
#define strerror(number) posix_strerror(number)

/* ---- the terminal ---- */

struct winsize {
    unsigned short ws_row, ws_col;
};
#define TIOCGWINSZ 1
int ioctl(int fd, int what, struct winsize *size);
#undef isatty
int isatty(int fd) __asm__("posix_isatty"); /* NUL is none */

/* ---- signals: events of the console ---- */

#define SIGHUP 1
#define SIGPIPE 13
#define SIGALRM 14
#define SIGXFSZ 25
#define SA_RESTART 1
#define sigset_t posix_sigset
typedef int sigset_t;
struct sigaction {
    void (*sa_handler)(int);
    sigset_t sa_mask;
    int sa_flags;
};
#define sigemptyset(set) ((void)(*(set) = 0))
#define sigfillset(set) ((void)(*(set) = 0))
#define sigaddset(set, number) ((void)(*(set) |= 1 << (number)))
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#undef pthread_sigmask
#define pthread_sigmask(how, set, old) ((void)(set))
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
#define signal(number, action) ((void)0) /* a closed pipe is an error here in any case */
#define setitimer(which, value, old) ((void)(value))
#define ITIMER_REAL 0
struct itimerval {
    struct {
        long tv_sec, tv_usec;
    } it_interval, it_value;
};

/* ---- memory, and the start of the program ---- */

int assay_main(int argc, char **argv);

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 0
#define MAP_ANONYMOUS 0
#define MAP_FAILED NULL
void *mmap(void *at, size_t n, int protection, int flags, int fd, int64_t offset); /* pages of zeros */
int munmap(void *at, size_t n);
#define CLONE_FILES 0
#define MFD_CLOEXEC 0
static inline int unshare(int flags) { return (void)flags, -1; }
static inline int memfd_create(const char *name, unsigned flags) { return (void)name, (void)flags, -1; }

#endif
