/* SPDX-License-Identifier: BSD-2-Clause */
/* Gates of the list of `assay batch`, checked before the first job: they are on scores that the job's metrics have for
 * some kind of pictures. What the job's own pictures allow is seen when it opens them. */
#include <stdlib.h>
#include <string.h>

#include "cli/batch.h"
#include "report/digest.h"

/* The kinds of pictures on which the names of scores depend: planes, alpha, and the size and the rate by which models
 * choose their features. */
static const struct {
    assay_layout layout;
    uint32_t alpha, width, height, rate;
} kinds[] = {
    {ASSAY_LAYOUT_420, 0, 1920, 1080, 25}, {ASSAY_LAYOUT_RGB, 1, 1920, 1080, 25}, {ASSAY_LAYOUT_420, 0, 1920, 1080, 60},
    {ASSAY_LAYOUT_420, 0, 3840, 2160, 25}, {ASSAY_LAYOUT_420, 0, 3840, 2160, 60},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* A job's gates against the scores of a planned session. why[i] becomes why gate i is refused, in the words of the
 * first kind of pictures; its code is 0 where a kind has the score. */
static void hold_against(const assay_session *s, const struct cli *c, bool first, struct assay_error *why,
                         const char **name)
{
    const uint32_t keys = assay_session_keys(s), aggregates = assay_session_aggregates(s);
    for (uint32_t i = 0; i < keys + aggregates; i++)
        name[i] = i < keys ? assay_session_key(s, i) : assay_session_aggregate_key(s, i - keys);
    for (uint32_t i = 0; i < c->gates; i++) {
        struct assay_error here = {0};
        if (!first && !why[i].code)
            continue;
        if (!gates_validate(&c->gate[i], 1, keys, name, aggregates, name + keys, &here))
            why[i] = (struct assay_error){0};
        else if (first)
            why[i] = here;
    }
}

/* Whether pictures of a kind can be planned for. *s is open where that is so, or where there is no memory. */
static int plan(const struct cli *c, unsigned kind, assay_session **s, bool *can, struct assay_error *e)
{
    const assay_format format = {.width = kinds[kind].width, .height = kinds[kind].height, .bit_depth = 8,
                                 .layout = kinds[kind].layout, .alpha = kinds[kind].alpha,
                                 .rate_num = kinds[kind].rate, .rate_den = 1};
    const assay_config config = {.rgb_matrix = c->config.rgb_matrix, .rgb_range = c->config.rgb_range};
    struct assay_error why = {0};
    TRY(cli_session(s, &config, e));
    int rc = cli_add_metrics(c, *s, &config, &format, false, &why);
    rc = rc ? rc : cli_failed(*s, assay_session_plan(*s, &format), &why);
    *can = !rc;
    return rc == ASSAY_EINTERNAL ? assay_fail(e, rc, "%s", why.text) : ASSAY_OK;
}

static int check(const struct cli *c, struct assay_error *why, const struct gate **bad, struct assay_error *e)
{
    bool first = true, left = true;
    for (unsigned k = 0; k < KINDS && left; k++) {
        assay_session *s = NULL;
        bool can = false;
        int rc = plan(c, k, &s, &can, e);
        const char **name = !rc && can ? calloc((size_t)assay_session_keys(s) + assay_session_aggregates(s) + 1,
                                                sizeof *name) : NULL;
        if (name) {
            hold_against(s, c, first, why, name);
            first = left = false;
        } else if (can) {
            rc = assay_fail_memory(e, "the names of scores");
        }
        for (uint32_t i = 0; i < c->gates; i++)
            left = left || first || why[i].code;
        free(name);
        assay_session_close(&s);
        TRY(rc);
    }
    for (uint32_t i = 0; i < c->gates; i++)
        if (why[i].code) {
            *bad = &c->gate[i];
            return assay_fail(e, why[i].code, "%s", why[i].text);
        }
    return ASSAY_OK;
}

static uint64_t digest_text(uint64_t digest, const char *text)
{
    for (; text && *text; text++)
        digest = digest_word(digest, (unsigned char)*text);
    return digest_word(digest, UINT64_MAX);
}

/* Of what the check depends on. */
static uint64_t digest_gates(const struct cli *c)
{
    uint64_t digest = digest_word(DIGEST_START, c->all_metrics);
    for (uint32_t i = 0; i < c->metrics; i++)
        digest = digest_text(digest, c->metric[i]);
    digest = digest_text(digest_text(digest, ""), c->config.rgb_matrix);
    for (uint32_t i = 0; i < c->gates; i++)
        digest = digest_word(digest_text(digest, c->gate[i].key), c->gate[i].pool_named);
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
    struct assay_error *why = calloc(c->gates, sizeof *why);
    if (more)
        b->gate = more;
    int rc = more && why ? ASSAY_OK : assay_fail_memory(e, "the gates of a list");
    rc = rc ? rc : check(c, why, bad, e);
    free(why);
    if (!rc)
        b->gate[b->gated++] = digest;
    return rc;
}
