/* SPDX-License-Identifier: BSD-2-Clause */
/* Which scores gates may be on: what a session has, and what the metrics of a command line can have. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "host/text.h"

/* ---- directions -------------------------------------------------------------------------------------------------- */

/* The figures of assay image alone that have a direction: lower is better. */
static const char of_images[] = "max_rel_diff not_finite outside";

int cli_gates_direction(const struct cli *c, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->gates; i++) {
        const bool image = c->command == COMMAND_IMAGE, alpha = image && !strncmp(c->gate[i].key, "alpha_", 6);
        const char *key = c->gate[i].key + (alpha ? 6 : 0);
        assay_output output;
        const int direction = run_metric_of(key, &output)              ? output.direction
                            : image && text_word(of_images, key) >= 0 ? ASSAY_LOWER : ASSAY_NEUTRAL;
        TRY(gate_check_direction(&c->gate[i], direction, e));
    }
    return ASSAY_OK;
}

/* ---- names of a session ------------------------------------------------------------------------------------------ */

int cli_gate_names(struct gate_names *n, const struct scores *s, const assay_session *session, uint32_t encode,
                   struct assay_error *e)
{
    const uint32_t encodes = assay_session_encodes(session), keys = s ? s->keys : assay_session_keys(session),
                   aggregates = assay_session_aggregates(session) / (encodes ? encodes : 1), all = keys + aggregates;
    *n = (struct gate_names){all, keys, calloc(all + 1, sizeof *n->name), calloc(all + 1, sizeof *n->direction)};
    if (!n->name || !n->direction)
        return assay_fail_memory(e, "the names of scores");
    for (uint32_t i = 0; i < keys; i++) {
        n->name[i] = s ? s->key[i] : assay_session_key(session, i);
        n->direction[i] = s ? s->direction[i] : (signed char)assay_session_key_direction(session, i);
    }
    for (uint32_t i = 0; i < aggregates; i++) {
        const uint32_t at = encode * aggregates + i;
        n->name[keys + i] = assay_session_aggregate_key(session, at);
        n->direction[keys + i] = (signed char)assay_session_aggregate_direction(session, at);
    }
    return ASSAY_OK;
}

/* ---- what metrics can have --------------------------------------------------------------------------------------- */

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

/* Whether pictures of a kind can be planned for. *s is open where that is so, or where there is no memory. */
static int plan(const struct cli *c, unsigned kind, assay_session **s, bool *can, struct assay_error *e)
{
    const assay_format format = {.width = kinds[kind].width, .height = kinds[kind].height, .bit_depth = 8,
                                 .layout = kinds[kind].layout, .alpha = kinds[kind].alpha,
                                 .rate_num = kinds[kind].rate, .rate_den = 1};
    const assay_config config = {.rgb_matrix = c->q.config.rgb_matrix, .rgb_range = c->q.config.rgb_range};
    struct assay_error why = {0};
    TRY(session_make(s, &config, e));
    int rc = run_add_metrics(&c->q, *s, &config, &format, NULL, &why);
    rc = rc ? rc : session_failed(*s, assay_session_plan(*s, &format), &why);
    *can = !rc;
    return rc == ASSAY_EINTERNAL ? assay_fail(e, rc, "%s", why.text) : ASSAY_OK;
}

/* Holds a gate against the kinds of pictures, until one has its score. Else it is refused in the words of the first. */
static int hold(const struct cli *c, const struct gate *g, const struct gate **bad, struct assay_error *e)
{
    struct assay_error why = {0};
    bool fits = false;
    for (unsigned k = 0; k < KINDS && !fits; k++) {
        assay_session *s = NULL;
        struct gate_names names = {0};
        bool can = false;
        int rc = plan(c, k, &s, &can, e);
        if (!rc && can) {
            rc = cli_gate_names(&names, NULL, s, 0, e);
            fits = !rc && !gate_validate(g, &names, &why);
        }
        free(names.name);
        free(names.direction);
        assay_session_close(&s);
        TRY(rc);
    }
    if (fits || !why.code)
        return ASSAY_OK;
    *bad = g;
    return assay_fail(e, why.code, "%s", why.text);
}

int cli_gates_possible(const struct cli *c, const struct gate *gate, uint32_t gates, const struct gate **bad,
                       struct assay_error *e)
{
    *bad = NULL;
    for (uint32_t i = 0; i < gates; i++)
        TRY(hold(c, &gate[i], bad, e));
    return ASSAY_OK;
}
