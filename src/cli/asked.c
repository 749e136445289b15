/* SPDX-License-Identifier: BSD-2-Clause */
/* A request, with options that say what becomes of the scores: of `assay run`, and of a job of `assay batch`. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "run/fields.h"

int cli_parse_asked(struct cli *c, const struct request *q, int options, char **option, char ***line,
                    struct assay_error *e)
{
    char **at = *line = calloc((size_t)options + ASSAY_ENCODES + 2, sizeof *at);
    if (!at)
        return assay_fail_memory(e, "the command line");
    memcpy(at, option, (size_t)options * sizeof *at);
    at += options;
    *at++ = (char *)"--"; /* nobody writes to it, nor to the paths */
    *at++ = (char *)q->path[0];
    for (uint32_t k = 0; k < q->encodes; k++)
        *at++ = (char *)q->encode[k];
    return cli_parse(c, q->compare == COMPARE_PICTURES ? COMMAND_IMAGE : COMMAND_SCORE, (int)(at - *line), *line, e);
}

void cli_take_outputs(struct request *to, const struct request *from)
{
    to->may_pair = from->may_pair;
    to->part = from->part;
    to->seeks_shift = from->seeks_shift;
    to->stop = from->stop;
    to->config.maps = from->config.maps;
    to->config.keep_planes = from->config.keep_planes;
}

void cli_take_asked(struct cli *c, struct assay_request *asked)
{
    const struct request outputs = c->q;
    c->q = asked->encode[0];
    cli_take_outputs(&c->q, &outputs);
    c->each = asked->encode;
    c->each_name = asked->name;
    cli_choose_planes(c);
    for (uint32_t k = 0; k < asked->encodes; k++)
        cli_take_outputs(&asked->encode[k], &c->q);
}
