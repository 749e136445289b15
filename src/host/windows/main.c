/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a program: arguments in UTF-8, in which wildcards stand for files as shells of other systems have it,
 * and standard streams of bytes. `\` in an argument becomes `/`, which Windows takes as well. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/windows/posix/posix.h"
#include "host/windows/windows.h"
#include <shellapi.h>

struct words {
    char **word;
    int n;
};

static void add(struct words *w, char *word)
{
    char **const more = realloc(w->word, ((size_t)w->n + 2) * sizeof *more);
    if (!more || !word) {
        fputs("assay: out of memory for arguments\n", stderr);
        exit(6);
    }
    w->word = more;
    more[w->n++] = word;
    more[w->n] = NULL;
}

static void add_argument(struct words *w, const wchar_t *argument)
{
    glob_t found = {0};
    char *const text = narrow(argument);
    const int as_it_is = text && !strncmp(text, "\\\\?\\", 4); /* Windows takes no / and no wildcard in it */
    for (char *c = text; c && !as_it_is && *c; c++)
        *c = *c == '\\' ? '/' : *c;
    if (!text || as_it_is || *text == '-' || !strpbrk(text, "*?") || glob(text, 0, NULL, &found)) {
        add(w, text);
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        add(w, found.gl_pathv[i]);
    free(text);
}

#undef main
int main(void)
{
    int given = 0;
    struct words words = {0};
    wchar_t **const argument = CommandLineToArgvW(GetCommandLineW(), &given);
    for (int i = 0; argument && i < given; i++)
        add_argument(&words, argument[i]);
    char *const end = words.n && strlen(words.word[0]) > 4 ? words.word[0] + strlen(words.word[0]) - 4 : NULL;
    if (end && !strcasecmp(end, ".exe"))
        *end = '\0'; /* vmaf.exe is called vmaf */
    for (int fd = 0; fd < 3; fd++)
        _setmode(fd, O_BINARY);
    const UINT before = GetConsoleOutputCP();
    DWORD mode;
    const HANDLE told = GetStdHandle(STD_ERROR_HANDLE);
    SetConsoleOutputCP(CP_UTF8);
    if (GetConsoleMode(told, &mode))
        SetConsoleMode(told, mode | 4); /* colours by escape sequences */
    setvbuf(stderr, NULL, _IONBF, 0);
    const int rc = assay_main(words.n, words.word);
    if (before)
        SetConsoleOutputCP(before);
    return rc;
}
