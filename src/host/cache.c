/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/text.h"

struct place {
    char folder[PATH_MAX - 64], path[PATH_MAX];
};

/* The cache folder and the path of a file in it. False when the machine has no place for caches. */
static bool find_place(struct place *p, const char *name)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (cache && cache[0] == '/') /* a relative path is ignored, as the XDG specification asks */
        n = snprintf(p->folder, sizeof p->folder, "%s/assay", cache);
    else if (home && home[0] == '/')
        n = snprintf(p->folder, sizeof p->folder, "%s/.cache/assay", home);
    return n >= 0 && n < PATH_MAX - 64 && snprintf(p->path, sizeof p->path, "%s/%.60s", p->folder, name) > 0;
}

/* Whether an open file or folder is this user's, and nobody else can write to it. Otherwise `why` says what it is. */
static bool is_own(int fd, const char *path, mode_t type, char why[CACHE_WHY])
{
    struct stat st;
    const char *what = NULL;
    if (fstat(fd, &st))
        what = "can't be looked at";
    else if ((st.st_mode & S_IFMT) != type)
        what = type == S_IFDIR ? "is no folder" : "is no regular file";
    else if (st.st_uid != geteuid())
        what = "belongs to another user";
    else if (st.st_mode & (S_IWGRP | S_IWOTH))
        what = "can be written by other users";
    if (what)
        snprintf(why, CACHE_WHY, "%.400s %s", path, what);
    return !what;
}

/* The folder, or -1. */
static int open_folder(const char *folder, char why[CACHE_WHY])
{
    const int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || is_own(fd, folder, S_IFDIR, why))
        return fd;
    close(fd);
    return -1;
}

/* All of a file, or NULL. */
static char *read_whole(int fd, size_t most, size_t *bytes)
{
    struct stat st;
    char *data = NULL;
    ssize_t got = 0;
    *bytes = 0;
    if (!fstat(fd, &st) && st.st_size > 0 && (uint64_t)st.st_size <= most)
        data = malloc((size_t)st.st_size + 1);
    while (data && *bytes < (size_t)st.st_size && (got = read(fd, data + *bytes, (size_t)st.st_size - *bytes)) > 0)
        *bytes += (size_t)got;
    if (data)
        data[*bytes] = 0;
    return data;
}

/* Another user may have made the folder and anything in it: a pipe, or a link. */
char *cache_read(const char *name, size_t most, size_t *bytes, char why[CACHE_WHY])
{
    struct place p;
    char *data = NULL;
    *bytes = 0;
    why[0] = '\0';
    const int in = find_place(&p, name) ? open_folder(p.folder, why) : -1;
    const int fd = in < 0 ? -1 : openat(in, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && in >= 0 && errno != ENOENT)
        snprintf(why, CACHE_WHY, "%.400s can't be opened: %s", p.path, strerror(errno));
    if (fd >= 0 && is_own(fd, p.path, S_IFREG, why))
        data = read_whole(fd, most, bytes);
    if (fd >= 0)
        close(fd);
    if (in >= 0)
        close(in);
    return data;
}

/* Writes under another name and renames. */
void cache_write(const char *name, const char *data, size_t bytes)
{
    struct place p;
    char why[CACHE_WHY], temporary[PATH_MAX];
    if (!find_place(&p, name))
        return;
    text_make_folders(p.path, 0700);
    const int own = open_folder(p.folder, why); /* a file elsewhere would not be believed */
    if (own < 0)
        return;
    close(own);
    snprintf(temporary, sizeof temporary, "%s/new-XXXXXX", p.folder);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return;
    const bool written = !text_write(fd, data, bytes);
    if (close(fd) || !written || rename(temporary, p.path))
        unlink(temporary);
}
