/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths with a place for an encode's name or number. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "host/system.h"

bool ladder_has_place(const char *path)
{
    return strstr(path, LADDER_NAME) || strstr(path, LADDER_NUMBER);
}

char *ladder_fill(const char *path, const char *name, uint32_t number)
{
    struct buffer_text text;
    FILE *const out = buffer_open(&text);
    if (!out)
        return NULL;
    while (*path) {
        const bool named = !strncmp(path, LADDER_NAME, strlen(LADDER_NAME)),
                   numbered = !strncmp(path, LADDER_NUMBER, strlen(LADDER_NUMBER));
        if (named)
            fputs(name, out);
        else if (numbered)
            fprintf(out, "%u", number);
        else
            fputc(*path, out);
        path += named ? strlen(LADDER_NAME) : numbered ? strlen(LADDER_NUMBER) : 1;
    }
    return buffer_close(&text);
}
