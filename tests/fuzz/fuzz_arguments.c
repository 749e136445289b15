/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line, an argument a line, of each command in turn; of `assay vmaf` as well. What is refused is refused
 * with one line. Of a ladder that is taken, each encode's own paths are filled in. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/score/ladder.h"
#include "texts.h"

enum { WORDS = 40 };

static void fill_paths(const struct cli *c)
{
    for (uint32_t i = 0; i < c->q.encodes; i++) {
        struct assay_error e = {0};
        struct rung g = {0};
        if (!ladder_arguments(c, i, &g, &e))
            for (uint32_t k = 0; k < g.cli->outputs; k++)
                texts_check(g.cli->output[k].path, "an output has a path");
        else
            texts_check(e.text[0], "a refusal says why");
        stored_free(&g.x);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static bool entered;
    static struct cli c;
    if (!entered)
        texts_enter();
    entered = true;
    for (enum cli_command command = COMMAND_SCORE; command < COMMANDS; command++) {
        const unsigned char *at = data;
        size_t left = size;
        char *text = texts_cut(&at, &left), *word[WORDS + 1] = {NULL};
        struct assay_error e = {0};
        const int n = texts_words(text, word, WORDS), rc = cli_parse(&c, command, n, word, &e);
        if (rc)
            texts_check(rc < 0 && e.text[0] && !strchr(e.text, '\n'), "a refusal is one line");
        else if (command == COMMAND_SCORE && c.action == ACTION_SCORE)
            fill_paths(&c);
        free(text);
    }
    return 0;
}
