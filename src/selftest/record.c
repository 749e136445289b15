/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/text.h"

enum { HEAD = 1024, LINE = 96, TEXT_BYTES = HEAD + LINE * (KERNEL_VARIANTS + RECORD_GRAPHS) };

static const char magic[] = "assay self-test 2\n";

static uint64_t hash(const char *text, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h;
}

struct selftest_identity selftest_identity_of(const struct executor *x)
{
    struct selftest_identity id = {.modules = x->ops->modules ? x->ops->modules() : 0};
    struct utsname host;
    snprintf(id.backend, sizeof id.backend, "%s", x->ops->name);
    snprintf(id.driver, sizeof id.driver, "%s", x->driver);
    if (x->threads)
        snprintf(id.device, sizeof id.device, "%.100s, %u threads", x->device, x->threads);
    else
        snprintf(id.device, sizeof id.device, "%s", x->device);
    /* A device without a driver is identified by the machine's name, because machines may share a home folder. */
    if (!id.driver[0] && !uname(&host))
        snprintf(id.driver, sizeof id.driver, "%.100s", host.nodename);
    return id;
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

struct text {
    char *at;
    size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    const size_t left = t->size - t->used;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->at + t->used, left, format, args);
    va_end(args);
    t->used += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left - 1;
}

static void write_head(struct text *t, const struct selftest_identity *id)
{
    add(t, "%sversion %s\nbackend %s\ndevice %s\ndriver %s\nmodules %016" PRIx64 "\n", magic, ASSAY_VERSION,
        id->backend, id->device, id->driver, id->modules);
}

char *selftest_record_text(const struct selftest_record *r, size_t *bytes)
{
    struct text all = {malloc(TEXT_BYTES), 0, TEXT_BYTES}, *t = &all;
    if (!t->at)
        return NULL;
    write_head(t, &r->identity);
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (r->state[k])
            add(t, "%s %.64s\n", r->state[k] == SELFTEST_PASSED ? "passed" : "failed", assay_kernel_info[k].name);
    for (unsigned i = 0; i < r->graphs; i++)
        add(t, "graph %016" PRIx64 " %d %" PRIu64 " %" PRIu64 "\n", r->graph[i].digest, r->graph[i].proved,
            r->graph[i].frame_time, r->graph[i].pixel_time);
    const uint64_t sum = hash(t->at, t->used);
    add(t, "end %016" PRIx64 "\n", sum);
    *bytes = t->used;
    return t->at;
}

static int kernel_of(const char *name)
{
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (!strcmp(assay_kernel_info[k].name, name))
            return (int)k;
    return -1;
}

static void read_line(struct selftest_record *r, const char *line)
{
    char word[16], name[80];
    struct selftest_graph g;
    int proved;
    if (sscanf(line, "graph %" SCNx64 " %d %" SCNu64 " %" SCNu64, &g.digest, &proved, &g.frame_time,
               &g.pixel_time) == 4) {
        g.proved = proved != 0;
        *selftest_record_graph(r, g.digest) = g;
        return;
    }
    const int k = sscanf(line, "%15s %79s", word, name) == 2 ? kernel_of(name) : -1;
    if (k >= 0)
        r->state[k] = !strcmp(word, "passed")   ? SELFTEST_PASSED
                      : !strcmp(word, "failed") ? SELFTEST_FAILED
                                                : SELFTEST_NOT_RUN;
}

bool selftest_record_parse(struct selftest_record *r, const struct selftest_identity *identity, char *text,
                           size_t bytes)
{
    static const size_t end = sizeof "end 0123456789abcdef\n" - 1;
    char head_text[HEAD], last[32];
    struct text head = {head_text, 0, HEAD};
    write_head(&head, identity);
    *r = (struct selftest_record){.identity = *identity};
    if (bytes < head.used + end || memcmp(text, head_text, head.used) || memchr(text, 0, bytes))
        return false;
    snprintf(last, sizeof last, "end %016" PRIx64 "\n", hash(text, bytes - end));
    if (memcmp(text + bytes - end, last, end))
        return false;
    text[bytes - end] = 0;
    for (char *line = text + head.used, *rest = NULL; (line = strtok_r(line, "\n", &rest)); line = NULL)
        read_line(r, line);
    return true;
}

struct selftest_graph *selftest_record_graph(struct selftest_record *r, uint64_t digest)
{
    for (unsigned i = 0; i < r->graphs; i++)
        if (r->graph[i].digest == digest)
            return &r->graph[i];
    if (r->graphs == RECORD_GRAPHS) {
        memmove(r->graph, r->graph + 1, (RECORD_GRAPHS - 1) * sizeof *r->graph);
        r->graphs--;
    }
    r->graph[r->graphs] = (struct selftest_graph){.digest = digest};
    return &r->graph[r->graphs++];
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* The cache folder and the path of a device's file in it. False when the machine has no place for caches. */
static bool place(const struct selftest_identity *identity, char folder[PATH_MAX - 64], char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char text[HEAD];
    struct text head = {text, 0, HEAD};
    int n = -1;
    write_head(&head, identity);
    if (cache && cache[0] == '/') /* a relative path is ignored, as the XDG specification asks */
        n = snprintf(folder, PATH_MAX - 64, "%s/assay", cache);
    else if (home && home[0] == '/')
        n = snprintf(folder, PATH_MAX - 64, "%s/.cache/assay", home);
    if (n < 0 || n >= PATH_MAX - 64)
        return false;
    snprintf(path, PATH_MAX, "%s/selftest-%016" PRIx64, folder, hash(head.at, head.used));
    return true;
}

/* Whether an open file or folder is this user's, and nobody else can write to it. Otherwise `why` says what it is. */
static bool is_own(int fd, const char *path, mode_t type, char why[RECORD_WHY])
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
        snprintf(why, RECORD_WHY, "%.400s %s", path, what);
    return !what;
}

/* The folder, or -1. */
static int open_folder(const char *folder, char why[RECORD_WHY])
{
    const int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || is_own(fd, folder, S_IFDIR, why))
        return fd;
    close(fd);
    return -1;
}

/* Reads the file of a record, up to `size` bytes. 0: there is none that can be believed; `why` says why one that is
 * there can't, or is "". Another user may have made the folder and anything in it: a pipe, or a link. */
static size_t read_file(const char *folder, const char *path, char *text, size_t size, char why[RECORD_WHY])
{
    why[0] = '\0';
    const int in = open_folder(folder, why);
    const int fd = in < 0 ? -1 : openat(in, strrchr(path, '/') + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    size_t n = 0;
    if (fd < 0 && in >= 0 && errno != ENOENT)
        snprintf(why, RECORD_WHY, "%.400s can't be opened: %s", path, strerror(errno));
    if (fd >= 0 && is_own(fd, path, S_IFREG, why))
        for (ssize_t got; n < size && (got = read(fd, text + n, size - n)) > 0;)
            n += (size_t)got;
    if (fd >= 0)
        close(fd);
    if (in >= 0)
        close(in);
    return n;
}

static void load(struct selftest_record *r, const struct selftest_identity *identity, char why[RECORD_WHY])
{
    char folder[PATH_MAX - 64], path[PATH_MAX];
    char *text = malloc(TEXT_BYTES);
    *r = (struct selftest_record){.identity = *identity};
    why[0] = '\0';
    if (text && place(identity, folder, path)) {
        const size_t n = read_file(folder, path, text, TEXT_BYTES, why);
        if (!n || n == TEXT_BYTES || !selftest_record_parse(r, identity, text, n))
            *r = (struct selftest_record){.identity = *identity};
    }
    free(text);
}

void selftest_record_load(struct selftest_record *r, const struct selftest_identity *identity)
{
    char why[RECORD_WHY];
    load(r, identity, why);
}

void selftest_record_ignored(const struct selftest_identity *identity, char why[RECORD_WHY])
{
    struct selftest_record r;
    load(&r, identity, why);
}

/* Makes every folder of the path. */
static void make_folders(char *folder)
{
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(folder, 0700);
        *slash = '/';
    }
    mkdir(folder, 0700);
}

/* Writes under another name and renames, so that no reader ever sees a part of the file. */
static void write_file(const char *folder, const char *path, const char *text, size_t n)
{
    char temporary[PATH_MAX];
    snprintf(temporary, sizeof temporary, "%s/new-XXXXXX", folder);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return;
    const bool written = !text_write(fd, text, n);
    if (close(fd) || !written || rename(temporary, path))
        unlink(temporary);
}

void selftest_record_save(const struct selftest_record *r)
{
    char folder[PATH_MAX - 64], path[PATH_MAX], why[RECORD_WHY];
    size_t bytes;
    char *text = selftest_record_text(r, &bytes);
    if (text && place(&r->identity, folder, path)) {
        make_folders(folder);
        const int own = open_folder(folder, why); /* a record elsewhere would not be believed */
        if (own >= 0) {
            close(own);
            write_file(folder, path, text, bytes);
        }
    }
    free(text);
}
