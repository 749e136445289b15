/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session computes, known without a device: the pass graph, the keys of the scores, the configuration as
 * text. */
#include <stdlib.h>
#include <string.h>

#include "engine/session.h"
#include "host/fpenv.h"

static int unique_key(const struct assay_session *s, const char *key, struct assay_error *e)
{
    for (uint32_t i = 0; i < s->n_keys; i++)
        if (!strcmp(s->key[i], key))
            return assay_fail(e, ASSAY_EUSAGE, "two metrics would both write '%s'", key);
    return ASSAY_OK;
}

/* Finds the columns of the values that a metric predicts from. */
static int find_needs(const struct assay_session *s, struct metric *m, struct assay_error *e)
{
    for (uint32_t i = 0; i < m->n_needs; i++) {
        uint32_t *column = &m->need[i].column;
        for (*column = 0; *column < s->n_keys && strcmp(s->key[*column], m->need[i].key);)
            ++*column;
        if (*column == s->n_keys)
            return assay_fail(e, ASSAY_EINTERNAL, "%s needs %s, which %s does not write", m->ops->name,
                              m->need[i].key, m->need[i].metric);
    }
    return ASSAY_OK;
}

static int collect_keys(struct assay_session *s)
{
    uint32_t keys = 1, aggregates = 1;
    for (uint32_t i = 0; i < s->metrics; i++) {
        keys += s->metric[i]->n_keys;
        aggregates += s->metric[i]->n_aggregates;
        s->n_accumulators += s->metric[i]->n_accumulators;
    }
    s->key = calloc(keys, sizeof *s->key);
    s->aggregate_key = calloc(aggregates, sizeof *s->aggregate_key);
    s->accumulator = calloc(s->n_accumulators + 1, sizeof *s->accumulator);
    s->unused = calloc(s->n_accumulators + 1, sizeof *s->unused);
    s->accumulator_name = calloc(s->n_accumulators + 1, sizeof *s->accumulator_name);
    if (!s->key || !s->aggregate_key || !s->accumulator || !s->unused || !s->accumulator_name)
        return assay_fail_memory(&s->error, "the scores");
    char (*name)[SESSION_NAME] = s->accumulator_name;
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        for (uint32_t k = 0; k < m->n_keys; k++) {
            TRY(unique_key(s, m->keys[k], &s->error));
            s->key[s->n_keys++] = m->keys[k];
        }
        for (uint32_t k = 0; k < m->n_aggregates; k++)
            s->aggregate_key[s->n_aggregates++] = m->aggregates[k];
        for (uint32_t k = 0; k < m->n_accumulators; k++)
            snprintf(*name++, SESSION_NAME, "%s.%s", m->ops->name, m->accumulators[k]);
    }
    for (uint32_t i = 0; i < s->metrics; i++)
        TRY(find_needs(s, s->metric[i], &s->error));
    TRY(sequence_init(&s->sequence, s->metric, s->metrics, &s->error));
    return scores_init(&s->scores, s->n_keys, s->key, &s->error);
}

/* Adds the metric that a need names, unless one that serves is there. One that lacks no more than the debug output is
 * replaced, because two would write the same keys. */
static int add_need(struct assay_session *s, const char *text, struct assay_error *e)
{
    struct metric *m;
    TRY(metric_new(&m, text, e));
    for (uint32_t i = 0; i < s->metrics; i++) {
        struct metric **there = &s->metric[i];
        const bool serves = metric_serves(*there, m);
        if (!serves && !metric_serves(m, *there))
            continue;
        if (!serves) {
            m->feature = (*there)->feature;
            m->several = (*there)->several;
            struct metric *less = *there;
            *there = m;
            m = less;
        }
        metric_free(&m);
        return ASSAY_OK;
    }
    if (s->metrics == SESSION_METRICS) {
        metric_free(&m);
        return assay_fail(e, ASSAY_EUSAGE, "too many metrics");
    }
    m->feature = true;
    s->metric[s->metrics++] = m;
    return ASSAY_OK;
}

/* Adds the metrics that others need, behind them all. */
static int add_features(struct assay_session *s)
{
    const uint32_t named = s->metrics;
    for (uint32_t i = 0; i < named; i++) {
        struct metric *m = s->metric[i];
        for (uint32_t k = 0; k < named; k++)
            m->several |= k != i && s->metric[k]->ops == m->ops && m->ops->alike && m->ops->alike(m, s->metric[k]);
        for (uint32_t k = 0; k < m->n_needs; k++)
            TRY(add_need(s, m->need[k].metric, &s->error));
    }
    return ASSAY_OK;
}

/* `scale` is how sides are scaled in this graph, where they are. It is used until the graph's passes are there. */
static int new_graph(const struct assay_session *s, struct scale_plan *scale, struct graph **g, struct assay_error *e)
{
    *g = graph_new(e);
    if (!*g)
        return ASSAY_EINTERNAL;
    (*g)->bring = s->scales ? scale_bring : s->source.bring;
    (*g)->bring_opaque = s->scales ? scale : s->source.bring_opaque;
    return ASSAY_OK;
}

static int add_passes(struct graph *g, const struct metric_pair *pair, struct metric *m, struct assay_error *e)
{
    struct metric_build b = {.graph = g, .pair = pair, .metric = m, .error = e};
    TRY(metric_allows(m, pair, e));
    return m->ops->build(&b);
}

static int build_graph(struct assay_session *s)
{
    TRY(new_graph(s, &s->scale, &s->graph, &s->error));
    for (uint32_t i = 0; i < s->metrics; i++) {
        TRY(add_passes(s->graph, &s->pair, s->metric[i], &s->error));
        if (s->metric[i]->n_files && !s->config.keep_planes)
            return assay_fail(&s->error, ASSAY_EUSAGE, "%s: an option asks for files in %s, and nobody here writes "
                              "them", s->metric[i]->ops->name, s->metric[i]->files[0].folder);
    }
    s->graph->keep = s->config.keep_planes != 0;
    return graph_seal(s->graph, &s->error);
}

/* Builds the passes of the session's metrics for frames of another size: `build` of selftest_subject. */
static int build_again(void *opaque, uint32_t width, uint32_t height, struct graph **out, struct assay_error *e)
{
    const struct assay_session *s = opaque;
    struct metric_pair pair = s->pair;
    struct scale_plan scale = s->scales ? scale_plan_resized(&s->scale, width, height) : s->scale;
    int rc = new_graph(s, &scale, out, e);
    pair.format.width = pair.side[0].width = pair.side[1].width = width;
    pair.format.height = pair.side[0].height = pair.side[1].height = height;
    for (uint32_t i = 0; !rc && i < s->metrics; i++) {
        struct metric *m = NULL;
        if (s->metric[i]->ops->predict)
            continue;
        rc = metric_again(&m, s->metric[i], e);
        if (!rc)
            rc = add_passes(*out, &pair, m, e);
        metric_free(&m);
    }
    if (rc)
        graph_free(out);
    else if (s->scales)
        (*out)->bring = NULL; /* nothing is added any more, and `scale` ends here */
    return rc;
}

struct selftest_subject session_subject(struct assay_session *s)
{
    const assay_format *f = &s->pair.format;
    return (struct selftest_subject){
        .build = build_again, .opaque = s, .graph = s->graph, .width = f->width, .height = f->height,
        .bits = s->source.bring ? 16 : f->bit_depth, .takes = s->on_device[0] || s->on_device[1]};
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Writes a metric's option as the configuration has it, with what separates it from those before: "" for a text that is
 * empty. Returns its length, like snprintf. */
static int print_option(const struct metric *m, uint32_t o, bool first, char *to, size_t size)
{
    char value[64];
    const char *text = metric_option_value(m, o, value), separator = first ? '=' : ':';
    if (!*text)
        return 0;
    if (m->ops->options[o].type == OPTION_REST)
        return snprintf(to, size, "%c%s", separator, text);
    return snprintf(to, size, "%c%s=%s", separator, m->ops->options[o].name, text);
}

/* Writes the configuration into `size` bytes and returns its length, like snprintf. It names the metrics that were
 * asked for; those that they need follow from them. */
static size_t print_configuration(const struct assay_session *s, char *to, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < s->metrics && !s->metric[i]->feature; i++) {
        const struct metric *m = s->metric[i];
        bool first = true;
        for (uint32_t o = 0; o <= m->ops->n_options; o++) { /* the name, then the options */
            const size_t left = used < size ? size - used : 0;
            char *at = left ? to + used : NULL;
            const int n = o ? print_option(m, o - 1, first, at, left)
                            : snprintf(at, left, "%s%s", i ? "," : "", m->ops->name);
            used += n > 0 ? (size_t)n : 0;
            first = first && !(o && n > 0);
        }
    }
    return used;
}

/* Writes what becomes of pictures of two depths or layouts, and the metrics' notes, into `size` bytes and returns their
 * length, like snprintf. A note is "name: text"; a line feed separates two notes. */
static size_t print_notes(const struct assay_session *s, char *to, size_t size)
{
    char converted[SESSION_DIFFERENCES];
    session_differences(&s->pair, converted);
    size_t used = session_scale_note(s, to, size);
    if (converted[0]) {
        const int n = snprintf(used < size ? to + used : NULL, used < size ? size - used : 0, "%s%s", used ? "\n" : "",
                               converted);
        used += n > 0 ? (size_t)n : 0;
    }
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        const size_t left = used < size ? size - used : 0;
        if (!m->note[0])
            continue;
        const int n = snprintf(left ? to + used : NULL, left, "%s%s: %s", used ? "\n" : "", m->ops->name, m->note);
        used += n > 0 ? (size_t)n : 0;
    }
    return used;
}

static int describe(struct assay_session *s)
{
    const size_t notes = print_notes(s, NULL, 0) + 1;
    s->notes = malloc(notes);
    if (!s->notes)
        return assay_fail_memory(&s->error, "the notes");
    *s->notes = 0;
    print_notes(s, s->notes, notes);
    const size_t size = print_configuration(s, NULL, 0) + 1;
    s->configuration = malloc(size);
    if (!s->configuration)
        return assay_fail_memory(&s->error, "the configuration");
    print_configuration(s, s->configuration, size);
    return ASSAY_OK;
}

int session_plan(struct assay_session *s, const assay_format *format)
{
    TRY(session_pair(&s->pair, &s->config, format, &s->error));
    for (unsigned side = 0; side < 2; side++)
        TRY(recode_init(&s->recode[side], &s->pair.given[side], &s->pair.held[side], &s->error));
    TRY(session_scale(s, &s->error));
    for (uint32_t i = 0; i < s->metrics; i++)
        TRY(metric_settle(s->metric[i], &s->pair, &s->error));
    TRY(add_features(s));
    TRY(build_graph(s));
    TRY(session_check_config(&s->config, &s->error));
    TRY(collect_keys(s));
    return describe(s);
}

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

void session_aggregates(const struct assay_session *s, double *aggregates)
{
    const assay_i128 *accumulators = s->accumulator;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        if (m->n_aggregates)
            m->ops->finish(m, s->counted, accumulators, aggregates);
        aggregates += m->n_aggregates;
        accumulators += m->n_accumulators;
    }
    assay_fpenv_leave(&saved);
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

const struct graph_plane_info *session_plane(const struct assay_session *s, uint32_t index, graph_plane *plane)
{
    for (graph_plane i = 0; i < s->graph->planes; i++)
        if (!s->graph->plane[i].input && !index--) {
            *plane = i;
            return &s->graph->plane[i];
        }
    return NULL;
}

bool session_plane_file(const struct assay_session *s, uint32_t index, assay_plane_file *file)
{
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        if (index >= m->n_files) {
            index -= m->n_files;
            continue;
        }
        const struct metric_file *f = &m->files[index];
        *file = (assay_plane_file){.folder = f->folder, .name = f->name, .scale = f->scale};
        for (graph_plane p = 0; p < f->plane; p++)
            file->plane += !s->graph->plane[p].input;
        return true;
    }
    return false;
}

bool session_describe_plane(const struct assay_session *s, uint32_t index, assay_plane *plane)
{
    graph_plane number;
    const struct graph_plane_info *p = session_plane(s, index, &number);
    if (!p)
        return false;
    const struct graph_pass_info *pass = &s->graph->pass[p->pass];
    const graph_plane *written = pass->plane + assay_kernel_info[pass->kernel].planes_in;
    *plane = (assay_plane){.type = graph_type_name(p->type), .width = p->width, .height = p->height,
                           .sample_size = sample_size(p->type), .pass_number = p->pass, .view = p->view};
    graph_name(s->graph, p->pass, plane->pass);
    while (written[plane->output] != (p->view ? p->of : number))
        plane->output++;
    for (uint32_t m = 0; m < s->metrics; m++)
        for (uint32_t i = 0; i < s->metric[m]->n_maps && !plane->map; i++)
            if (s->metric[m]->maps[i].plane == number)
                plane->map = s->metric[m]->maps[i].name;
    return true;
}
