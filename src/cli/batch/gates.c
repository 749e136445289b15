/* SPDX-License-Identifier: BSD-2-Clause */
/* Gates of the list of `assay batch`, checked before the first job: they are on scores that the job's metrics have for
 * some kind of pictures. What the job's own pictures allow is seen when it opens them. */
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "results/digest.h"

/* Of what the check depends on. */
static uint64_t digest_gates(const struct cli *c)
{
    uint64_t digest = digest_word(DIGEST_START, (uint64_t)c->q.all_metrics + c->q.slow_metrics);
    for (uint32_t i = 0; i < c->q.metrics; i++)
        digest = digest_item(digest, c->q.metric[i]);
    digest = digest_item(digest_item(digest, ""), c->q.config.rgb_matrix);
    for (uint32_t i = 0; i < c->gates; i++)
        digest = digest_word(digest_word(digest_item(digest, c->gate[i].key), c->gate[i].pool_named),
                             (uint64_t)c->gate[i].over << 1 | c->gate[i].any_way);
    return digest;
}

int batch_check_gates(struct batch *b, const struct cli *c, const struct gate **bad, struct assay_error *e)
{
    const uint64_t digest = digest_gates(c);
    *bad = NULL;
    for (uint32_t i = 0; i < b->gated; i++)
        if (b->gate[i] == digest)
            return ASSAY_OK;
    if (!c->gates)
        return ASSAY_OK;
    uint64_t *more = realloc(b->gate, ((size_t)b->gated + 1) * sizeof *more);
    if (!more)
        return assay_fail_memory(e, "the gates of a list");
    b->gate = more;
    TRY(cli_gates_possible(c, c->gate, c->gates, bad, e));
    b->gate[b->gated++] = digest;
    return ASSAY_OK;
}
