/* SPDX-License-Identifier: BSD-2-Clause */
/* The pairs of files to compare: the two files that were named, the files with the same name in two folders, or one
 * file and each file of a folder. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/image/image.h"

/* ---- lists ---- */

/* The list with room for one more than its n elements, or NULL. Its memory is doubled when n is a power of two. */
static void *with_room(void *list, uint32_t n, size_t size)
{
    return n & (n - 1) ? list : realloc(list, (n ? 2 * (size_t)n : 1) * size);
}

/* Takes over `name`. NULL means that there was no memory for it, and fails. */
static int append(char ***list, uint32_t *n, char *name, struct assay_error *e)
{
    char **more = name ? with_room(*list, *n, sizeof *more) : NULL;
    if (!more) {
        free(name);
        return assay_fail_memory(e, "a list of files");
    }
    *list = more;
    more[(*n)++] = name;
    return ASSAY_OK;
}

static char *joined(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s%s%s", folder, *folder && *name ? "/" : "", name) < 0 ? NULL : path;
}

/* Natural order: 2.png is before 10.png. */
static int by_name(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int by_pair(const void *a, const void *b)
{
    return strverscmp(((const struct image_pair *)a)->name, ((const struct image_pair *)b)->name);
}

/* ---- the files of a folder ---- */

/* The folders that are being listed, from the innermost to the outermost. A link to one of them would never end. */
struct chain {
    const struct chain *up;
    dev_t device;
    ino_t inode;
};

struct listing {
    struct images *all;
    const struct cli *cli;
    const char *root;
    char **file; /* their paths below `root` */
    uint32_t files;
};

static int leave_out(const struct listing *l, const char *name, const char *why, bool folder, struct assay_error *e)
{
    struct images *r = l->all;
    struct image_left *more = with_room(r->left, r->lefts, sizeof *more);
    char *path = joined(l->root, name);
    r->left = more ? more : r->left;
    if (!more || !path) {
        free(path);
        return assay_fail_memory(e, "a list of files");
    }
    r->left[r->lefts++] = (struct image_left){path, why, folder};
    return ASSAY_OK;
}

static bool goes_round(const struct chain *c, const struct stat *st)
{
    for (; c; c = c->up)
        if (c->device == st->st_dev && c->inode == st->st_ino)
            return true;
    return false;
}

/* Endings of images. A file of text with one of them (a page that a server sent instead, a pointer to a file that is
 * stored elsewhere) is a damaged image, or a PPM in letters. */
static const char *const endings[] = {
    "apng", "avif", "bmp", "dds", "exr", "gif", "heic", "heif", "hdr", "jfif", "jp2", "jpe", "jpeg", "jpg", "jxl",
    "pam", "pbm", "pfm", "pgm", "png", "pnm", "ppm", "psd", "qoi", "tga", "tif", "tiff", "webp", "xbm", "xpm", "y4m",
    "yuv",
};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

static bool named_as_image(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (unsigned i = 0; dot && i < ENDINGS; i++)
        if (!strcasecmp(dot + 1, endings[i]))
            return true;
    return false;
}

/* Whether a file's first bytes, at least one, are text. */
static bool begins_with_text(const char *path)
{
    unsigned char start[4096];
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(start, 1, sizeof start, f) : 0;
    bool text = n > 0;
    for (size_t i = 0; i < n && text; i++)
        text = (start[i] >= 0x20 && start[i] != 0x7f) || (start[i] >= '\t' && start[i] <= '\r') || start[i] == 0x1b;
    if (f)
        fclose(f);
    return text;
}

static int list_folder(struct listing *l, const char *folder, const struct chain *up, struct assay_error *e);

/* An entry that stat(2) fails for counts as a file: reading it will tell the reason. */
static int list_entry(struct listing *l, const char *folder, const char *name, const struct chain *up,
                      struct assay_error *e)
{
    struct stat st;
    char *below = joined(folder, name), *path = below ? joined(l->root, below) : NULL;
    if (!path) {
        free(below);
        return assay_fail_memory(e, "a list of files");
    }
    const bool seen = !stat(path, &st), is_folder = seen && S_ISDIR(st.st_mode);
    const bool text = seen && S_ISREG(st.st_mode) && name[0] != '.' && !named_as_image(name) && begins_with_text(path);
    free(path);
    int rc = ASSAY_OK;
    if (name[0] == '.')
        rc = leave_out(l, below, "hidden", false, e);
    else if (is_folder && !l->cli->recursive)
        rc = leave_out(l, below, "folder", true, e);
    else if (is_folder && goes_round(up, &st))
        rc = leave_out(l, below, "link to a folder around it", false, e);
    else if (is_folder)
        rc = list_folder(l, below, up, e);
    else if (seen && !S_ISREG(st.st_mode))
        rc = leave_out(l, below, "no regular file", false, e);
    else if (text)
        rc = leave_out(l, below, "text", false, e);
    else
        return append(&l->file, &l->files, below, e);
    free(below);
    return rc;
}

static int list_folder(struct listing *l, const char *folder, const struct chain *up, struct assay_error *e)
{
    struct dirent **entry = NULL;
    struct stat st;
    char *path = joined(l->root, folder);
    if (!path)
        return assay_fail_memory(e, "a list of files");
    const int n = stat(path, &st) ? -1 : scandir(path, &entry, NULL, versionsort);
    const int why = errno;
    int rc = n >= 0 ? ASSAY_OK : assay_fail(e, why == ENOMEM ? ASSAY_EINTERNAL : ASSAY_EINPUT, "%s: can't be read: %s",
                                            path, strerror(why));
    free(path);
    const struct chain here = {up, n < 0 ? 0 : st.st_dev, n < 0 ? 0 : st.st_ino};
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        if (!rc && strcmp(name, ".") && strcmp(name, ".."))
            rc = list_entry(l, folder, name, &here, e);
        free(entry[i]);
    }
    free(entry);
    return rc;
}

/* ---- pairs ---- */

static int add_pair(struct images *r, const char *name, char *ref, char *dis, struct assay_error *e)
{
    struct image_pair *more = with_room(r->pair, r->pairs, sizeof *more);
    char *own = strdup(name);
    r->pair = more ? more : r->pair;
    if (!more || !own || !ref || !dis) {
        free(own);
        free(ref);
        free(dis);
        return assay_fail_memory(e, "a list of files");
    }
    r->pair[r->pairs++] = (struct image_pair){.name = own, .path = {ref, dis}};
    return ASSAY_OK;
}

/* Walks both sorted lists at once. */
static int match(struct images *r, struct listing side[2], struct assay_error *e)
{
    uint32_t at[2] = {0, 0};
    while (at[0] < side[0].files || at[1] < side[1].files) {
        const int order = at[0] == side[0].files   ? 1
                          : at[1] == side[1].files ? -1
                                                   : strverscmp(side[0].file[at[0]], side[1].file[at[1]]);
        const char *name = side[order > 0].file[at[order > 0]];
        if (order)
            TRY(append(&r->only[order > 0], &r->alone[order > 0], strdup(name), e));
        else
            TRY(add_pair(r, name, joined(side[0].root, name), joined(side[1].root, name), e));
        at[0] += order <= 0;
        at[1] += order >= 0;
    }
    return ASSAY_OK;
}

static size_t stem_length(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

/* The index of the only file in the list whose name without its ending equals that of `name`. UINT32_MAX: there is no
 * such file, or more than one. */
static uint32_t only_with_stem(char *const *list, uint32_t n, const char *name)
{
    const size_t length = stem_length(name);
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (stem_length(list[i]) != length || memcmp(list[i], name, length))
            continue;
        if (found != UINT32_MAX)
            return UINT32_MAX;
        found = i;
    }
    return found;
}

static void drop(char **list, uint32_t *n, uint32_t i)
{
    free(list[i]);
    memmove(list + i, list + i + 1, (--*n - i) * sizeof *list);
}

/* Pairs the files that are left by their names without the ending: a.png with a.webp, one picture in two formats. */
static int match_stems(struct images *r, struct assay_error *e)
{
    for (uint32_t i = 0; i < r->alone[0];) {
        const uint32_t k = only_with_stem(r->only[1], r->alone[1], r->only[0][i]);
        if (k == UINT32_MAX || only_with_stem(r->only[0], r->alone[0], r->only[0][i]) != i) {
            i++;
            continue;
        }
        TRY(add_pair(r, r->only[1][k], joined(r->path[0], r->only[0][i]), joined(r->path[1], r->only[1][k]), e));
        drop(r->only[0], &r->alone[0], i);
        drop(r->only[1], &r->alone[1], k);
    }
    return ASSAY_OK;
}

/* Refuses outputs that would be written over an input. */
static int spared(const struct images *r, const struct cli *c, struct assay_error *e)
{
    for (unsigned side = 0; side < 2; side++) {
        if (c->heatmap && r->folders && same_file(c->heatmap, r->path[side]))
            return assay_fail(e, ASSAY_EUSAGE, "--heatmap: '%s' holds the images themselves", c->heatmap);
        for (uint32_t i = 0; i < r->pairs; i++)
            for (uint32_t o = 0; o < c->outputs; o++)
                if (same_file(c->output[o].path, r->pair[i].path[side]))
                    return assay_fail(e, ASSAY_EUSAGE, "'%s' is one of the inputs and would be overwritten",
                                      c->output[o].path);
    }
    return ASSAY_OK;
}

static int list_sorted(struct listing *l, struct assay_error *e)
{
    TRY(list_folder(l, "", NULL, e));
    if (l->files)
        qsort(l->file, l->files, sizeof *l->file, by_name);
    return ASSAY_OK;
}

/* What may help where a list is empty. */
static const char *advice(const struct images *r)
{
    for (uint32_t i = 0; i < r->lefts; i++)
        if (r->left[i].folder)
            return " (--recursive looks into the folders within)";
    return "";
}

static int list_folders(struct images *r, struct listing side[2], struct assay_error *e)
{
    for (unsigned i = 0; i < 2; i++)
        TRY(list_sorted(&side[i], e));
    TRY(match(r, side, e));
    TRY(match_stems(r, e));
    if (r->pairs) {
        qsort(r->pair, r->pairs, sizeof *r->pair, by_pair);
        return ASSAY_OK;
    }
    return assay_fail(e, ASSAY_EMISMATCH, "%s and %s have no file name in common%s", r->path[0], r->path[1], advice(r));
}

/* One image and each of a folder, without itself. */
static int list_one(struct images *r, struct listing *l, struct assay_error *e)
{
    TRY(list_sorted(l, e));
    for (uint32_t i = 0; i < l->files; i++) {
        char *path = joined(l->root, l->file[i]);
        if (!path)
            return assay_fail_memory(e, "a list of files");
        if (!same_file(path, r->path[0])) {
            TRY(add_pair(r, l->file[i], strdup(r->path[0]), path, e));
            continue;
        }
        free(path);
        TRY(leave_out(l, l->file[i], "the reference", false, e));
    }
    return r->pairs ? ASSAY_OK : assay_fail(e, ASSAY_EMISMATCH, "%s holds no image to compare with %s%s", r->path[1],
                                            r->path[0], advice(r));
}

static int list_two(struct images *r, struct assay_error *e)
{
    const char *slash = strrchr(r->path[1], '/');
    return add_pair(r, slash && slash[1] ? slash + 1 : r->path[1], strdup(r->path[0]), strdup(r->path[1]), e);
}

int image_list(struct images *r, const struct cli *c, struct assay_error *e)
{
    const bool folder[2] = {is_folder(r->path[0]), is_folder(r->path[1])};
    struct listing side[2] = {{.all = r, .cli = c, .root = r->path[0]}, {.all = r, .cli = c, .root = r->path[1]}};
    if (folder[0] && !folder[1])
        return assay_fail(e, ASSAY_EUSAGE, "'%s' is a folder and '%s' is not: the picture that all others are compared "
                          "with comes first (assay image %s %s)", r->path[0], r->path[1], r->path[1], r->path[0]);
    if (c->recursive && !folder[1])
        return assay_fail(e, ASSAY_EUSAGE, "--recursive is for folders, and '%s' is none", r->path[1]);
    r->folders = folder[1];
    const int rc = folder[0] ? list_folders(r, side, e) : folder[1] ? list_one(r, &side[1], e) : list_two(r, e);
    for (unsigned i = 0; i < 2; i++) {
        while (side[i].files)
            free(side[i].file[--side[i].files]);
        free(side[i].file);
    }
    return rc ? rc : spared(r, c, e);
}
