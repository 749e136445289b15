/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a playlist names. What a playlist means is libav's matter. Here every piece of its text that is the
 * name of a file counts: a line of HLS, what stands in quotes or between the tags of a DASH manifest, what is behind
 * "file" in a list of concat. In DASH, "$Number$" and the like stand for any text.
 */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/text.h"
#include "input/input.h"

enum { PLAYLIST_MOST = 16 << 20, DEEP = 4, PARTS_MOST = 1000000 };

struct parts {
    void (*each)(void *opaque, const char *path);
    void *opaque;
    unsigned count; /* a playlist may name itself */
};

static void playlist_walk(struct parts *p, const char *path, unsigned deep);

static void playlist_part(struct parts *p, const char *path, unsigned deep)
{
    struct stat st;
    if (p->count == PARTS_MOST || stat(path, &st) || !S_ISREG(st.st_mode))
        return;
    p->count++;
    p->each(p->opaque, path);
    if (deep < DEEP)
        playlist_walk(p, path, deep + 1);
}

/* A piece of the text, which is cut at its end. */
static void playlist_piece(struct parts *p, const char *folder, char *text, unsigned deep)
{
    static const char file[] = "file ";
    char path[2 * PATH_MAX];
    if (!strncmp(text, file, sizeof file - 1))
        text += sizeof file - 1;
    text += strspn(text, " \t");
    if (!*text || strlen(text) >= PATH_MAX)
        return;
    snprintf(path, sizeof path, "%s%s%s", *text == '/' ? "" : folder, *text == '/' ? "" : "/", text);
    char *to = strchr(path, '$');
    if (!to) {
        playlist_part(p, path, deep);
        return;
    }
    glob_t found = {.gl_pathc = 0};
    for (const char *from = to; *from; from++) {
        const char *end = *from == '$' ? strchr(from + 1, '$') : NULL;
        *to++ = end ? '*' : *from;
        from = end ? end : from;
    }
    *to = '\0';
    if (!glob(path, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++)
            playlist_part(p, found.gl_pathv[i], deep);
    globfree(&found);
}

/* The text of a file that may be a playlist, with a 0 behind it, or NULL. */
static char *playlist_text(const char *path)
{
    static const char *const starts[] = {"#EXTM3U", "ffconcat version", "<?xml", "<MPD"};
    char start[16] = "", *text = NULL;
    FILE *f = fopen(path, "rbe");
    if (!f)
        return NULL;
    bool known = false;
    const size_t n = fread(start, 1, sizeof start, f);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        known |= n >= strlen(starts[i]) && !memcmp(start, starts[i], strlen(starts[i]));
    struct stat st;
    if (known && !fstat(fileno(f), &st) && st.st_size <= PLAYLIST_MOST && (text = malloc((size_t)st.st_size + 1))) {
        rewind(f);
        text[fread(text, 1, (size_t)st.st_size, f)] = '\0';
    }
    fclose(f);
    return text;
}

static void playlist_walk(struct parts *p, const char *path, unsigned deep)
{
    char folder[PATH_MAX], *text = playlist_text(path), *rest = text;
    text_folder(folder, sizeof folder, path);
    for (char *piece; rest && (piece = strsep(&rest, "\r\n\"'<>"));)
        playlist_piece(p, folder, piece, deep);
    free(text);
}

void input_parts(const char *path, void (*each)(void *opaque, const char *path), void *opaque)
{
    playlist_walk(&(struct parts){.each = each, .opaque = opaque}, path, 0);
}
