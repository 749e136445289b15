/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/cache.h"
#include "host/clock.h"
#include "host/cpu.h"
#include "host/digest.h"
#include "host/text.h"

void *memory_aligned(size_t alignment, size_t bytes)
{
    void *p = NULL;
    return posix_memalign(&p, alignment, bytes ? bytes : alignment) ? NULL : p;
}

void *memory_planes(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    const bool large = bytes >= 2 * HUGE_PAGE && bytes <= SIZE_MAX - HUGE_PAGE;
    const size_t room = large ? (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE : bytes;
    void *p = memory_aligned(large ? HUGE_PAGE : 64, room);
    if (p && large)
        (void)madvise(p, room, MADV_HUGEPAGE); /* a hint */
    return p;
}

void memory_aligned_free(void *memory) { free(memory); }

FILE *buffer_open(struct buffer_text *b)
{
    *b = (struct buffer_text){0};
    return b->file = open_memstream(&b->text, &b->size);
}

char *buffer_close(struct buffer_text *b)
{
    const bool bad = !b->file || ferror(b->file) != 0;
    if (!b->file || (!fclose(b->file) && !bad))
        return b->text;
    free(b->text);
    return NULL;
}

/* The whole "C" locale is a constant object of the C library: nothing is allocated, nothing is freed. */
struct c_locale c_locale_enter(void)
{
    return (struct c_locale){.before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0))};
}

void c_locale_leave(struct c_locale saved) { uselocale(saved.before); }

void system_name(char *name, size_t size)
{
    struct utsname host;
    snprintf(name, size, "%s", uname(&host) ? "" : host.nodename);
}

FILE *system_open_regular(const char *path, bool *regular)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool seen = fd >= 0 && !fstat(fd, &st);
    *regular = !seen || S_ISREG(st.st_mode);
    FILE *const file = seen && *regular ? fdopen(fd, "rb") : NULL;
    const int why = errno;
    if (fd >= 0 && !file)
        close(fd);
    errno = why;
    return file;
}

uint64_t system_name_digest(const char *name) { return digest_of(name, strlen(name)); }

int system_make_folder(const char *path, unsigned mode)
{
    return mkdir(path, (mode_t)mode) ? errno : 0;
}

int text_write(int fd, const char *text, size_t size)
{
    while (size) {
        const ssize_t n = write(fd, text, size);
        if (n < 0 && errno != EINTR)
            return errno;
        text += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

int clock_condition(pthread_cond_t *condition)
{
    pthread_condattr_t steady;
    int rc = pthread_condattr_init(&steady);
    if (rc)
        return rc;
    rc = pthread_condattr_setclock(&steady, CLOCK_OF_CONDITIONS);
    rc = rc ? rc : pthread_cond_init(condition, &steady);
    pthread_condattr_destroy(&steady);
    return rc;
}

/* ---- processors -------------------------------------------------------------------------------------------------- */

/* Number of CPUs in the affinity mask. The kernel refuses a mask shorter than its own, so the mask grows until it
 * fits. */
static unsigned affinity_count(void)
{
    for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (!set)
            return 1;
        const size_t size = CPU_ALLOC_SIZE((size_t)cpus);
        const int status = sched_getaffinity(0, size, set);
        const int count = status == 0 ? CPU_COUNT_S(size, set) : 0;
        const bool too_short = status != 0 && errno == EINVAL;
        CPU_FREE(set);
        if (!too_short)
            return count > 0 ? (unsigned)count : 1;
    }
    return 1;
}

/* Reads the first line of root/controller/group/file; false if there is none. */
static bool read_group_file(const char *root, const char *controller, const char *group, const char *file, char *line,
                            int size)
{
    char path[3 * PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s%s%s%s/%s", root, *controller ? "/" : "", controller, group,
                                file);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    const bool ok = fgets(line, size, f) != NULL;
    fclose(f);
    return ok;
}

/* quota / period in whole CPUs, rounded up. 0: no limit, or values that are no limit. */
static unsigned whole_cpus(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    const long long cpus = quota / period + (quota % period != 0);
    return cpus < INT_MAX ? (unsigned)cpus : INT_MAX;
}

/* The limit that one group itself states. Version 2 states it in cpu.max ("max 100000" or "150000 100000"), version 1
 * in two files. */
static unsigned group_limit(const char *root, const char *controller, const char *group)
{
    char line[128], *end;
    if (!*controller) {
        if (!read_group_file(root, controller, group, "cpu.max", line, sizeof line))
            return 0;
        const long long quota = strtoll(line, &end, 10);
        return end == line ? 0 : whole_cpus(quota, strtoll(end, NULL, 10));
    }
    if (!read_group_file(root, controller, group, "cpu.cfs_quota_us", line, sizeof line))
        return 0;
    const long long quota = strtoll(line, NULL, 10);
    if (!read_group_file(root, controller, group, "cpu.cfs_period_us", line, sizeof line))
        return 0;
    return whole_cpus(quota, strtoll(line, NULL, 10));
}

static unsigned tighter(unsigned a, unsigned b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* The tightest limit of a group and the groups above it, because a limit holds for everything below its group. In a
 * container the mounted root may be an inner group; paths that do not exist there are passed over. */
static unsigned limit_upwards(const char *root, const char *controller, char *group)
{
    unsigned limit = 0;
    for (;;) {
        limit = tighter(limit, group_limit(root, controller, strcmp(group, "/") == 0 ? "" : group));
        char *slash = strrchr(group, '/');
        if (!slash)
            return limit;
        *slash = '\0';
    }
}

unsigned cpu_cgroup_limit(const char *membership, const char *root)
{
    FILE *f = fopen(membership, "re");
    if (!f)
        return 0;
    unsigned limit = 0;
    char line[PATH_MAX + 256];
    while (fgets(line, sizeof line, f)) { /* hierarchy-id:controllers:group, no controllers in version 2 */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *controllers++ = '\0';
        *group++ = '\0';
        const char *controller = NULL;
        if (!*controllers)
            controller = "";
        else if (strcmp(controllers, "cpu") == 0 || strcmp(controllers, "cpu,cpuacct") == 0)
            controller = "cpu"; /* a link to cpu,cpuacct where the two are mounted together */
        if (controller)
            limit = tighter(limit, limit_upwards(root, controller, group));
    }
    fclose(f);
    return limit;
}

unsigned cpu_allowed_count(void)
{
    const unsigned limit = cpu_cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    const unsigned count = affinity_count();
    return limit != 0 && limit < count ? limit : count;
}

/* ---- files that are kept between runs ---------------------------------------------------------------------------- */

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
