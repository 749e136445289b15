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
#include "host/text.h"

/* ---- lists ---- */

/* A file of a folder, known by its path below it. */
struct file {
    char *name;
    unsigned side;
};

struct listing {
    struct images *all;
    const struct cli *cli;
    struct file *file; /* of both sides */
    uint32_t files;
};

static const char list_name[] = "a list of files";

static int checked(bool complete, struct assay_error *e)
{
    return complete ? ASSAY_OK : assay_fail_memory(e, list_name);
}

static char *joined(const char *folder, const char *name)
{
    return text_new("%s%s%s", folder, *folder && *name ? "/" : "", name);
}

/* Natural order: 2.png is before 10.png. */
static int by_name(const void *a, const void *b)
{
    return strverscmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static int by_pair(const void *a, const void *b)
{
    return strverscmp(((const struct image_pair *)a)->name, ((const struct image_pair *)b)->name);
}

static void sort(void *list, uint32_t n, size_t size, int (*order)(const void *, const void *))
{
    if (n)
        qsort(list, n, size, order);
}

/* ---- the files of a folder ---- */

/* The folders that are being listed, from the innermost to the outermost. A link to one of them would never end. */
struct chain {
    const struct chain *up;
    dev_t device;
    ino_t inode;
};

static int add_file(struct listing *l, unsigned side, const char *name, struct assay_error *e)
{
    TRY(assay_grow(&l->file, l->files, sizeof *l->file, list_name, e));
    l->file[l->files] = (struct file){strdup(name), side};
    return checked(l->file[l->files++].name, e);
}

static int leave_out(struct images *r, unsigned side, const char *name, const char *why, bool folder,
                     struct assay_error *e)
{
    TRY(assay_grow(&r->left, r->lefts, sizeof *r->left, list_name, e));
    r->left[r->lefts] = (struct image_left){joined(r->path[side], name), why, folder};
    return checked(r->left[r->lefts++].path, e);
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

static int list_folder(struct listing *l, unsigned side, const char *folder, const struct chain *up,
                       struct assay_error *e);

/* An entry that stat(2) fails for counts as a file: reading it will tell the reason. */
static int list_entry(struct listing *l, unsigned side, const char *below, const char *path, const struct chain *up,
                      struct assay_error *e)
{
    struct stat st;
    const char *name = file_name(below);
    const bool seen = !stat(path, &st), folder = seen && S_ISDIR(st.st_mode), file = seen && S_ISREG(st.st_mode);
    const bool hidden = name[0] == '.', closed = !hidden && folder && !l->cli->recursive;
    const char *why = hidden                          ? "hidden"
                      : closed                        ? "folder"
                      : folder && goes_round(up, &st) ? "link to a folder around it"
                      : seen && !folder && !file      ? "no regular file"
                      : file && !named_as_image(name) && begins_with_text(path) ? "text" : NULL;
    return why      ? leave_out(l->all, side, below, why, closed, e)
           : folder ? list_folder(l, side, below, up, e) : add_file(l, side, below, e);
}

static int list_folder(struct listing *l, unsigned side, const char *folder, const struct chain *up,
                       struct assay_error *e)
{
    struct dirent **entry = NULL;
    struct stat st;
    char *root = joined(l->all->path[side], folder);
    TRY(checked(root, e));
    const int n = stat(root, &st) ? -1 : scandir(root, &entry, NULL, versionsort);
    const int why = errno;
    int rc = n >= 0 ? ASSAY_OK : assay_fail(e, why == ENOMEM ? ASSAY_EINTERNAL : ASSAY_EINPUT, "%s: can't be read: %s",
                                            root, strerror(why));
    const struct chain here = {up, n < 0 ? 0 : st.st_dev, n < 0 ? 0 : st.st_ino};
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        if (!rc && strcmp(name, ".") && strcmp(name, "..")) {
            char *below = joined(folder, name), *path = joined(root, name);
            rc = checked(below && path, e);
            rc = rc ? rc : list_entry(l, side, below, path, &here, e);
            free(below);
            free(path);
        }
        free(entry[i]);
    }
    free(entry);
    free(root);
    return rc;
}

/* ---- pairs ---- */

/* `file`: the way from each side's path to the file; "" of a side that is a file itself. */
static int add_pair(struct images *r, const char *name, const char *const file[2], struct assay_error *e)
{
    TRY(assay_grow(&r->pair, r->pairs, sizeof *r->pair, list_name, e));
    struct image_pair *p = &r->pair[r->pairs++];
    *p = (struct image_pair){.name = strdup(name), .path = {joined(r->path[0], file[0]), joined(r->path[1], file[1])}};
    return checked(p->name && p->path[0] && p->path[1], e);
}

static int stem_length(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    return dot ? (int)(dot - name) : (int)strlen(name);
}

/* By the name without its ending. */
static int by_stem(const void *a, const void *b)
{
    const char *const p = ((const struct file *)a)->name, *const q = ((const struct file *)b)->name;
    const int n[2] = {stem_length(p), stem_length(q)};
    return n[0] != n[1] ? n[0] - n[1] : strncmp(p, q, (size_t)n[0]);
}

/* Makes pairs of files that are equal in an order, where each side has one of them. The others stay in the list. */
static int match(struct listing *l, int (*order)(const void *, const void *), struct assay_error *e)
{
    uint32_t left = 0, next;
    int rc = ASSAY_OK;
    sort(l->file, l->files, sizeof *l->file, order);
    for (uint32_t i = 0; i < l->files; i = next) {
        const struct file *f = &l->file[i];
        for (next = i + 1; next < l->files && !order(f, &l->file[next]); next++)
            continue;
        if (!rc && next == i + 2 && f[0].side != f[1].side) {
            const char *const side[2] = {f[f[0].side].name, f[f[1].side].name};
            rc = add_pair(l->all, side[1], side, e);
            free(f[0].name);
            free(f[1].name);
            continue;
        }
        while (i < next)
            l->file[left++] = l->file[i++];
    }
    l->files = left;
    return rc;
}

/* Refuses outputs that would be written over an input. */
static int spared(const struct images *r, const struct cli *c, struct assay_error *e)
{
    for (uint32_t i = 0; i < 2 * r->pairs; i++) {
        const char *path = r->pair[i / 2].path[i % 2];
        char map[4096]; /* Linux opens no path of more bytes */
        snprintf(map, sizeof map, "%s/%s", c->heatmap ? c->heatmap : "", file_name(path));
        if (c->heatmap && is_folder(r->path[i % 2]) && same_file(map, path))
            return assay_fail(e, ASSAY_EUSAGE, "--heatmap: '%s' holds the images themselves", c->heatmap);
        for (const struct cli_output *o = c->output; o < c->output + c->outputs; o++)
            if (same_file(o->path, path))
                return assay_fail(e, ASSAY_EUSAGE, "'%s' is one of the inputs and would be overwritten", o->path);
    }
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

/* Files of one name, then those that are left by their names without the ending: a.png with a.webp, one picture in two
 * formats. */
static int list_folders(struct listing *l, struct assay_error *e)
{
    struct images *r = l->all;
    for (unsigned side = 0; side < 2; side++)
        TRY(list_folder(l, side, "", NULL, e));
    TRY(match(l, by_name, e));
    TRY(match(l, by_stem, e));
    for (unsigned side = 0; side < 2; side++)
        r->only[side] = calloc(l->files + 1, sizeof *r->only[side]);
    TRY(checked(r->only[0] && r->only[1], e));
    sort(l->file, l->files, sizeof *l->file, by_name);
    for (const struct file *f = l->file; f < l->file + l->files; f++)
        r->only[f->side][r->alone[f->side]++] = f->name;
    l->files = 0;
    sort(r->pair, r->pairs, sizeof *r->pair, by_pair);
    return r->pairs ? ASSAY_OK : assay_fail(e, ASSAY_EMISMATCH, "%s and %s have no file name in common%s", r->path[0],
                                            r->path[1], advice(r));
}

/* One image and each of a folder, without itself. */
static int list_one(struct listing *l, struct assay_error *e)
{
    struct images *r = l->all;
    TRY(list_folder(l, 1, "", NULL, e));
    sort(l->file, l->files, sizeof *l->file, by_name);
    for (const struct file *f = l->file; f < l->file + l->files; f++) {
        char *path = joined(r->path[1], f->name);
        TRY(checked(path, e));
        const bool itself = same_file(path, r->path[0]);
        free(path);
        TRY(itself ? leave_out(r, 1, f->name, "the reference", false, e)
                   : add_pair(r, f->name, (const char *const[2]){"", f->name}, e));
    }
    return r->pairs ? ASSAY_OK : assay_fail(e, ASSAY_EMISMATCH, "%s holds no image to compare with %s%s", r->path[1],
                                            r->path[0], advice(r));
}

int image_list(struct images *r, const struct cli *c, struct assay_error *e)
{
    const bool folder[2] = {is_folder(r->path[0]), is_folder(r->path[1])};
    struct listing l = {.all = r, .cli = c};
    if (folder[0] && !folder[1])
        return assay_fail(e, ASSAY_EUSAGE, "'%s' is a folder and '%s' is not: the picture that all others are compared "
                          "with comes first (assay image %s %s)", r->path[0], r->path[1], r->path[1], r->path[0]);
    if (c->recursive && !folder[1])
        return assay_fail(e, ASSAY_EUSAGE, "--recursive is for folders, and '%s' is none", r->path[1]);
    r->folders = folder[1];
    const int rc = folder[0] ? list_folders(&l, e) : folder[1] ? list_one(&l, e)
                 : add_pair(r, file_name(r->path[1]), (const char *const[2]){"", ""}, e);
    for (uint32_t i = 0; i < l.files; i++)
        free(l.file[i].name);
    free(l.file);
    return rc ? rc : spared(r, c, e);
}
