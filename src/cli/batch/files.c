/* SPDX-License-Identifier: BSD-2-Clause */
/* The input files of jobs. The rows of a list name the same file, or files of the same folder, one after the other. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "host/text.h"

/* The last file and the last folder that were looked at. */
struct batch_look {
    char path[PATH_MAX], real[PATH_MAX]; /* path "": none */
    char folder[PATH_MAX], real_folder[PATH_MAX];
    struct stat st;
};

/* Makes l->real of a file that is no link. */
static bool find_real(struct batch_look *l, const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    text_folder(folder, sizeof folder, path);
    if (strcmp(folder, l->folder)) {
        *l->folder = '\0';
        if (!realpath(folder, l->real_folder))
            return false;
        strcpy(l->folder, folder);
    }
    const bool root = !strcmp(l->real_folder, "/");
    const int n = snprintf(l->real, sizeof l->real, "%s/%s", root ? "" : l->real_folder, slash ? slash + 1 : path);
    return n > 0 && (size_t)n < sizeof l->real;
}

int batch_look(struct batch *b, unsigned side, const char *path, struct stat *st, const char **real)
{
    if (!b->look && !(b->look = calloc(2, sizeof *b->look)))
        return ENOMEM;
    struct batch_look *l = &b->look[side];
    if (!*path || strcmp(l->path, path)) {
        *l->path = '\0';
        if (lstat(path, &l->st))
            return errno;
        const bool plain = S_ISREG(l->st.st_mode);
        if ((!plain && stat(path, &l->st)) || access(path, R_OK))
            return errno;
        if (!(plain && find_real(l, path)) && !realpath(path, l->real))
            strcpy(l->real, path);
        strcpy(l->path, path);
    }
    *st = l->st;
    *real = l->real;
    return 0;
}
