/* SPDX-License-Identifier: BSD-2-Clause */
/* `assay bdrate`: its arguments, a line each, and behind a record separator the report r.json that they name. Whatever
 * is taken has a rate, and as many figures as were asked for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bdrate/bdrate.h"
#include "texts.h"

enum { WORDS = 40 };

static void points(const struct cli *c)
{
    struct assay_error e = {0};
    struct bd_curves *r = calloc(1, sizeof *r);
    texts_check(r, "memory");
    r->cli = c;
    const int rc = bd_points(r, &e);
    if (rc)
        texts_check(rc < 0 && e.text[0] && !strchr(e.text, '\n'), "a refusal is one line");
    for (unsigned side = 0; !rc && side < 2; side++)
        for (uint32_t i = 0; i < r->points[side]; i++)
            texts_check(r->point[side][i].kbps > 0 && r->point[side][i].encode.frames, "a point has a rate and frames");
    bd_points_free(r);
    free(r);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static bool entered;
    static struct cli c;
    struct assay_error e = {0};
    char *word[WORDS + 1] = {NULL};
    if (!entered)
        texts_enter();
    entered = true;
    char *text = texts_cut(&data, &size), *report = texts_cut(&data, &size);
    texts_put("r.json", report, strlen(report));
    const int n = texts_words(text, word, WORDS);
    if (!cli_parse(&c, COMMAND_BDRATE, n, word, &e) && c.action == ACTION_SCORE &&
        !c.q.path[0]) { /* no video is scored */
        c.quiet = true;
        points(&c);
    }
    free(report);
    free(text);
    return 0;
}
