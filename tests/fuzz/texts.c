/* SPDX-License-Identifier: BSD-2-Clause */
#include "texts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

void texts_check(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

static void leave(void)
{
    DIR *d = opendir(folder);
    for (const struct dirent *f; d && (f = readdir(d));)
        unlinkat(dirfd(d), f->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
}

void texts_enter(void)
{
    strcpy(folder, "/dev/shm/assay-fuzz-XXXXXX");
    if (!mkdtemp(folder)) {
        strcpy(folder, "/tmp/assay-fuzz-XXXXXX");
        texts_check(mkdtemp(folder), "a folder can be made");
    }
    texts_check(!chdir(folder) && !atexit(leave), "the folder can be entered");
}

void texts_put(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "wb");
    texts_check(f && fwrite(data, 1, size, f) == size, name);
    texts_check(!fclose(f), name);
}

char *texts_cut(const unsigned char **data, size_t *size)
{
    const unsigned char *end = *size ? memchr(*data, 0x1e, *size) : NULL;
    const size_t n = end ? (size_t)(end - *data) : *size;
    char *text = malloc(n + 1);
    texts_check(text, "memory");
    for (size_t i = 0; i < n; i++)
        text[i] = (*data)[i] ? (char)(*data)[i] : ' ';
    text[n] = '\0';
    *data += n + (end != NULL);
    *size -= n + (end != NULL);
    return text;
}

int texts_words(char *text, char **word, int most)
{
    int n = 0;
    for (char *at = text; *at && n < most; n++) {
        word[n] = at;
        at += strcspn(at, "\n");
        if (*at)
            *at++ = '\0';
    }
    return n;
}
