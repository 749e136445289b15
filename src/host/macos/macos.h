/* SPDX-License-Identifier: BSD-2-Clause */
/* What macOS lacks of what src/host/posix and the command use, or has under another name. Each source includes it
 * before all else; the headers in include/ have the names of those that macOS lacks. */
#ifndef ASSAY_HOST_MACOS_H
#define ASSAY_HOST_MACOS_H

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xlocale.h>

#define MADV_HUGEPAGE 0 /* no advice */
#define O_PATH O_RDONLY
#define F_SETPIPE_SZ F_GETFD /* a pipe stays as large as it is */
#define POSIX_FADV_SEQUENTIAL 0
#define posix_fadvise(fd, at, n, advice) ((void)(advice))
#define PROC_SUPER_MAGIC 0x9fa0 /* Linux's, which no folder here has */
#define PIPEFS_MAGIC 0x50495045
#define st_mtim st_mtimespec
#define CLONE_FILES 0
#define MFD_CLOEXEC 0
static inline int unshare(int flags) { return (void)flags, -1; }
static inline int memfd_create(const char *name, unsigned flags) { return (void)name, (void)flags, -1; }

int strverscmp(const char *a, const char *b); /* host/windows/order.c */
static inline int versionsort(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

/* No thread is bound to processors: all that are there may be used. */
typedef char cpu_set_t;
#define CPU_SETSIZE 1024
#define CPU_ALLOC(n) malloc(n)
#define CPU_ALLOC_SIZE(n) (n)
#define CPU_FREE(set) free(set)
#define CPU_COUNT_S(size, set) ((void)(size), (void)(set), (int)sysconf(_SC_NPROCESSORS_ONLN))
#define sched_getaffinity(pid, size, set) 0

/* Conditions know the time of day alone, or a time from now on. */
#define pthread_condattr_setclock(attr, clock) 0
static inline int macos_wait(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long long left = (until->tv_sec - now.tv_sec) * 1000000000ll + until->tv_nsec - now.tv_nsec;
    const struct timespec rest = {.tv_sec = left > 0 ? left / 1000000000 : 0,
                                  .tv_nsec = left > 0 ? left % 1000000000 : 0};
    return pthread_cond_timedwait_relative_np(condition, lock, &rest);
}
#define pthread_cond_timedwait macos_wait

#endif
