/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths with a place for an encode's name or number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "host/system.h"

bool ladder_has_place(const char *path)
{
    return strstr(path, LADDER_NAME) || strstr(path, LADDER_NUMBER);
}

const char *ladder_fill(struct stored *s, const char *path, const char *name, uint32_t number)
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
    char *filled = buffer_close(&text);
    const char *copy = stored_copy(s, filled);
    free(filled);
    return copy;
}

int ladder_outputs(struct cli *own, const struct cli *c, struct stored *s, const char *name, uint32_t number,
                   bool several, struct assay_error *e)
{
    own->outputs = 0;
    for (uint32_t i = 0; i < c->outputs; i++) {
        const char *path = c->output[i].path;
        if (several && !ladder_has_place(path))
            continue;
        if (!(path = ladder_fill(s, path, name, number)))
            return assay_fail_memory(e, "the path of a report");
        own->output[own->outputs++] = (struct cli_output){c->output[i].kind, path};
    }
    return ASSAY_OK;
}
