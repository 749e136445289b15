/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of files: the two that were named, or the files of two folders by their names. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/image.h"

struct names {
    char **name;
    uint32_t count, capacity;
};

static void free_names(struct names *n)
{
    for (uint32_t i = 0; i < n->count; i++)
        free(n->name[i]);
    free(n->name);
    *n = (struct names){0};
}

static int add_name(struct names *n, const char *name, struct assay_error *e)
{
    if (n->count == n->capacity) {
        const uint32_t more = n->capacity ? 2 * n->capacity : 64;
        char **bigger = realloc(n->name, more * sizeof *bigger);
        if (!bigger)
            return assay_fail_memory(e, "a list of files");
        n->name = bigger;
        n->capacity = more;
    }
    if (!(n->name[n->count] = strdup(name)))
        return assay_fail_memory(e, "a list of files");
    n->count++;
    return ASSAY_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *joined(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* The files of a folder but those with a dot in front, sorted by their bytes. */
static int read_folder(const char *folder, struct names *n, struct assay_error *e)
{
    DIR *d = opendir(folder);
    if (!d)
        return assay_fail(e, ASSAY_EINPUT, "%s: cannot be read: %s", folder, strerror(errno));
    int rc = ASSAY_OK;
    errno = 0;
    for (struct dirent *f; !rc && (f = readdir(d)); errno = 0) {
        struct stat st;
        if (f->d_name[0] == '.')
            continue;
        char *path = joined(folder, f->d_name);
        if (!path)
            rc = assay_fail_memory(e, "a list of files");
        else if (!stat(path, &st) && !S_ISDIR(st.st_mode))
            rc = add_name(n, f->d_name, e);
        free(path);
    }
    if (!rc && errno)
        rc = assay_fail(e, ASSAY_EINPUT, "%s: cannot be read: %s", folder, strerror(errno));
    closedir(d);
    if (n->count)
        qsort(n->name, n->count, sizeof *n->name, by_name);
    return rc;
}

static int add_pair(struct image_run *r, const char *name, char *ref, char *dis, struct assay_error *e)
{
    struct image_pair *p = &r->pair[r->pairs++];
    p->name = strdup(name);
    p->path[0] = ref;
    p->path[1] = dis;
    return p->name && ref && dis ? ASSAY_OK : assay_fail_memory(e, "a list of files");
}

/* Walks both sorted lists at once. */
static int match(struct image_run *r, struct names n[2], struct assay_error *e)
{
    const struct cli *c = r->cli;
    uint32_t at[2] = {0, 0};
    int rc = ASSAY_OK;
    r->pair = calloc(n[0].count + 1, sizeof *r->pair);
    r->only[0] = calloc(n[0].count + 1, sizeof(char *));
    r->only[1] = calloc(n[1].count + 1, sizeof(char *));
    if (!r->pair || !r->only[0] || !r->only[1])
        return assay_fail_memory(e, "a list of files");
    while (!rc && (at[0] < n[0].count || at[1] < n[1].count)) {
        const int order = at[0] == n[0].count   ? 1
                          : at[1] == n[1].count ? -1
                                                : strcmp(n[0].name[at[0]], n[1].name[at[1]]);
        const unsigned side = order > 0;
        if (order) {
            if (!(r->only[side][r->alone[side]] = strdup(n[side].name[at[side]++])))
                rc = assay_fail_memory(e, "a list of files");
            else
                r->alone[side]++;
            continue;
        }
        const char *name = n[0].name[at[0]++];
        at[1]++;
        rc = add_pair(r, name, joined(c->path[0], name), joined(c->path[1], name), e);
    }
    return rc;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Nothing that is read may be written over. */
static int spared(const struct image_run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    for (unsigned side = 0; side < 2; side++) {
        if (c->heatmap && r->folders && same_file(c->heatmap, c->path[side]))
            return assay_fail(e, ASSAY_EUSAGE, "--heatmap: '%s' holds the images themselves", c->heatmap);
        for (uint32_t i = 0; i < r->pairs; i++)
            for (uint32_t o = 0; o < c->outputs; o++)
                if (same_file(c->output[o].path, r->pair[i].path[side]))
                    return assay_fail(e, ASSAY_EUSAGE, "'%s' is one of the inputs and would be overwritten",
                                      c->output[o].path);
    }
    return ASSAY_OK;
}

int image_list(struct image_run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    const bool folder[2] = {is_folder(c->path[0]), is_folder(c->path[1])};
    struct names n[2] = {{0}, {0}};
    int rc = ASSAY_OK;
    if (folder[0] != folder[1])
        return assay_fail(e, ASSAY_EUSAGE, "'%s' is a folder and '%s' is not", c->path[folder[1]], c->path[folder[0]]);
    r->folders = folder[0];
    if (r->folders) {
        for (unsigned side = 0; !rc && side < 2; side++)
            rc = read_folder(c->path[side], &n[side], e);
        if (!rc)
            rc = match(r, n, e);
        free_names(&n[0]);
        free_names(&n[1]);
        if (!rc && !r->pairs)
            rc = assay_fail(e, ASSAY_EMISMATCH, "%s and %s have no file name in common", c->path[0], c->path[1]);
    } else {
        const char *slash = strrchr(c->path[1], '/');
        r->pair = calloc(1, sizeof *r->pair);
        rc = r->pair
                 ? add_pair(r, slash && slash[1] ? slash + 1 : c->path[1], strdup(c->path[0]), strdup(c->path[1]), e)
                 : assay_fail_memory(e, "a list of files");
    }
    return rc ? rc : spared(r, e);
}

void image_list_free(struct image_run *r)
{
    for (uint32_t i = 0; i < r->pairs; i++) {
        struct image_pair *p = &r->pair[i];
        free(p->name);
        free(p->path[0]);
        free(p->path[1]);
        free(p->error);
        free(p->key);
        free(p->value);
    }
    free(r->pair);
    for (unsigned side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < r->alone[side]; i++)
            free(r->only[side][i]);
        free(r->only[side]);
    }
    for (uint32_t i = 0; i < r->keys; i++)
        free(r->key[i]);
    free(r->configuration);
}
