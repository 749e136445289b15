/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/numbered.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/numbers.h"
#include "host/text.h"

enum { DIGITS = 9, MOST = 999999999 }; /* of a number */

static const char *numbered_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Where the number is in a path. False: it has none. */
static bool numbered_form(struct numbered *n, const char *path)
{
    for (const char *at = numbered_name(path); (at = strchr(at, '%')); at++) {
        const bool wide = at[1] == '0' && at[2] >= '1' && at[2] <= '0' + DIGITS;
        *n = (struct numbered){.path = path, .before = (int)(at - path), .digits = wide ? at[2] - '0' : 1,
                               .behind = at + (wide ? 4 : 2)};
        if (n->behind[-1] == 'd')
            return true;
    }
    return false;
}

/* Whether a file has such a name, and its number. */
static bool numbered_matches(const struct numbered *n, const char *name, uint64_t *number)
{
    char digits[24];
    const char *const start = numbered_name(n->path);
    const size_t before = (size_t)(n->path + n->before - start);
    if (strncmp(name, start, before))
        return false;
    const size_t there = strspn(name + before, "0123456789");
    if (!parse_whole(name + before, there, MOST, number) || strcmp(name + before + there, n->behind))
        return false;
    snprintf(digits, sizeof digits, "%0*llu", n->digits, (unsigned long long)*number);
    return strlen(digits) == there; /* no other zeros in front */
}

bool numbered_is(const char *path)
{
    struct numbered n;
    struct stat st;
    return numbered_form(&n, path) && stat(path, &st);
}

void numbered_path(const struct numbered *n, uint32_t i, char *to, size_t size)
{
    snprintf(to, size, "%.*s%0*u%s", n->before, n->path, n->digits, n->first + i, n->behind);
}

bool numbered_has(const char *numbered, const char *path)
{
    struct numbered n;
    struct stat at, of;
    char own[PATH_MAX];
    uint64_t number;
    if (!numbered || !numbered_form(&n, numbered) || !numbered_matches(&n, numbered_name(path), &number))
        return false;
    numbered_path(&n, (uint32_t)number, own, sizeof own);
    return !stat(path, &at) && !stat(own, &of) && at.st_dev == of.st_dev && at.st_ino == of.st_ino;
}

/* Looks at all pictures, and whether a number is missing. */
static int numbered_all(struct numbered *n, uint32_t found, const char *name, struct assay_error *e)
{
    char path[PATH_MAX], shown[256];
    struct stat st;
    for (uint32_t i = 0; i < n->count; i++) {
        numbered_path(n, i, path, sizeof path);
        if (stat(path, &st) || !S_ISREG(st.st_mode)) {
            text_end(shown, sizeof shown, path);
            return assay_fail(e, ASSAY_EINPUT, "%s: %s is missing: there are %u of the pictures %u to %u", name, shown,
                              found, n->first, n->first + n->count - 1);
        }
        n->bytes += (uint64_t)st.st_size;
        n->changed += (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
    }
    return ASSAY_OK;
}

int numbered_find(struct numbered *n, const char *path, const char *name, struct assay_error *e)
{
    char folder[PATH_MAX];
    struct dirent **entry = NULL;
    uint32_t found = 0, last = 0;
    if (!numbered_form(n, path))
        return assay_fail(e, ASSAY_EINPUT, "%s: has no place for a number", name);
    n->first = UINT32_MAX;
    text_folder(folder, sizeof folder, path);
    const int entries = scandir(folder, &entry, NULL, NULL), why = errno;
    for (int i = 0; i < entries; i++) {
        uint64_t number;
        if (numbered_matches(n, entry[i]->d_name, &number)) {
            n->first = number < n->first ? (uint32_t)number : n->first;
            last = number > last ? (uint32_t)number : last;
            found++;
        }
        free(entry[i]);
    }
    free(entry);
    if (entries < 0)
        return assay_fail(e, why == ENOMEM ? ASSAY_EINTERNAL : ASSAY_EINPUT, "%s: the folder can't be read: %s", name,
                          strerror(why));
    if (!found)
        return assay_fail(e, ASSAY_EINPUT, "%s: there is no such file, and none with a number in the place of '%.*s'",
                          name, (int)(n->behind - path) - n->before, path + n->before);
    n->count = last - n->first + 1;
    return numbered_all(n, found, name, e);
}
