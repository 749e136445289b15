/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of files: the two that were named, or the files of two folders by their names. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/image.h"

/* The files of a folder, sorted by the bytes of their names. */
struct files {
    struct dirent **file;
    int count;
};

static void free_files(struct files *n)
{
    while (n->count > 0)
        free(n->file[--n->count]);
    free(n->file);
}

static int is_shown(const struct dirent *f)
{
    return f->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static char *joined(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int read_folder(const char *folder, struct files *n, struct assay_error *e)
{
    const int all = scandir(folder, &n->file, is_shown, by_bytes);
    if (all < 0)
        return assay_fail(e, errno == ENOMEM ? ASSAY_EINTERNAL : ASSAY_EINPUT, "%s: cannot be read: %s", folder,
                          strerror(errno));
    int rc = ASSAY_OK;
    for (int i = 0; i < all; i++) { /* what is there and no folder moves up */
        struct dirent *f = n->file[i];
        struct stat st;
        char *path = joined(folder, f->d_name);
        if (!path)
            rc = assay_fail_memory(e, "a list of files");
        n->file[n->count] = f;
        if (path && (stat(path, &st) || S_ISDIR(st.st_mode)))
            free(f);
        else
            n->count++;
        free(path);
    }
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
static int match(struct image_run *r, struct files n[2], struct assay_error *e)
{
    const struct cli *c = r->cli;
    int at[2] = {0, 0};
    int rc = ASSAY_OK;
    r->pair = calloc((size_t)n[0].count + 1, sizeof *r->pair);
    r->only[0] = calloc((size_t)n[0].count + 1, sizeof(char *));
    r->only[1] = calloc((size_t)n[1].count + 1, sizeof(char *));
    if (!r->pair || !r->only[0] || !r->only[1])
        return assay_fail_memory(e, "a list of files");
    while (!rc && (at[0] < n[0].count || at[1] < n[1].count)) {
        const int order = at[0] == n[0].count   ? 1
                          : at[1] == n[1].count ? -1
                                                : strcmp(n[0].file[at[0]]->d_name, n[1].file[at[1]]->d_name);
        const unsigned side = order > 0;
        if (order) {
            if (!(r->only[side][r->alone[side]] = strdup(n[side].file[at[side]++]->d_name)))
                rc = assay_fail_memory(e, "a list of files");
            else
                r->alone[side]++;
            continue;
        }
        const char *name = n[0].file[at[0]++]->d_name;
        at[1]++;
        rc = add_pair(r, name, joined(c->path[0], name), joined(c->path[1], name), e);
    }
    return rc;
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

static int list_folders(struct image_run *r, struct files n[2], struct assay_error *e)
{
    const struct cli *c = r->cli;
    for (unsigned side = 0; side < 2; side++)
        TRY(read_folder(c->path[side], &n[side], e));
    TRY(match(r, n, e));
    return r->pairs ? ASSAY_OK : assay_fail(e, ASSAY_EMISMATCH, "%s and %s have no file name in common", c->path[0],
                                            c->path[1]);
}

static int list_two(struct image_run *r, struct assay_error *e)
{
    const char *const *path = r->cli->path;
    const char *slash = strrchr(path[1], '/');
    r->pair = calloc(1, sizeof *r->pair);
    if (!r->pair)
        return assay_fail_memory(e, "a list of files");
    return add_pair(r, slash && slash[1] ? slash + 1 : path[1], strdup(path[0]), strdup(path[1]), e);
}

int image_list(struct image_run *r, struct assay_error *e)
{
    const struct cli *c = r->cli;
    const bool folder[2] = {is_folder(c->path[0]), is_folder(c->path[1])};
    struct files n[2] = {{0}, {0}};
    if (folder[0] != folder[1])
        return assay_fail(e, ASSAY_EUSAGE, "'%s' is a folder and '%s' is not", c->path[folder[1]], c->path[folder[0]]);
    r->folders = folder[0];
    const int rc = r->folders ? list_folders(r, n, e) : list_two(r, e);
    free_files(&n[0]);
    free_files(&n[1]);
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
