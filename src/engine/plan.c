/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session computes, known without a device: the pass graph, the keys of the scores, the configuration as
 * text. */
#include <math.h> /* NAN only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/session.h"
#include "host/fpenv.h"
#include "host/system.h"
#include "host/text.h"
#include "metrics/options.h"

/* The keys of an encode are those from `first` to `end` - 1. */
static int unique_key(const struct assay_session *s, uint32_t first, const char *key, struct assay_error *e)
{
    for (uint32_t i = first; i < s->n_keys; i++)
        if (!strcmp(s->key[i], key))
            return assay_fail(e, ASSAY_EUSAGE, "two metrics would both write '%s'", key);
    return ASSAY_OK;
}

/* Finds the columns, among its encode's, of the values that a metric predicts from. */
static int find_needs(const struct assay_session *s, uint32_t first, uint32_t end, struct metric *m,
                      struct assay_error *e)
{
    for (uint32_t i = 0; i < m->n_needs; i++) {
        uint32_t *column = &m->need[i].column;
        for (*column = first; *column < end && strcmp(s->key[*column], m->need[i].key);)
            ++*column;
        if (*column == end)
            return assay_fail(e, ASSAY_EINTERNAL, "%s needs %s, which %s does not write", m->ops->name,
                              m->need[i].key, m->need[i].metric);
        *column -= first;
    }
    return ASSAY_OK;
}

/* Each encode has the same keys: two would not where only one has planes of chroma to compare. */
static int same_keys(const struct metric *m, const struct metric *first, uint32_t encode, struct assay_error *e)
{
    bool same = m->n_keys == first->n_keys && m->n_aggregates == first->n_aggregates &&
                m->n_accumulators == first->n_accumulators;
    for (uint32_t k = 0; same && k < m->n_keys; k++)
        same = !strcmp(m->keys[k], first->keys[k]);
    for (uint32_t k = 0; same && k < m->n_aggregates; k++)
        same = !strcmp(m->aggregates[k], first->aggregates[k]);
    for (uint32_t k = 0; same && k < m->n_accumulators; k++)
        same = !strcmp(m->accumulators[k], first->accumulators[k]);
    if (same)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EMISMATCH, "%s has other scores for encode %u than for encode 0, as their formats "
                      "differ: they can't share a session", m->ops->name, encode);
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
    uint32_t first = 0;
    for (uint32_t i = 0; i < s->metrics; i++) {
        const struct metric *m = s->metric[i];
        TRY(same_keys(m, s->metric[i % s->metrics_each], i / s->metrics_each, &s->error));
        first = i % s->metrics_each ? first : s->n_keys;
        for (uint32_t k = 0; k < m->n_keys; k++) {
            TRY(unique_key(s, first, m->keys[k], &s->error));
            s->key[s->n_keys++] = m->keys[k];
        }
        for (uint32_t k = 0; k < m->n_aggregates; k++)
            s->aggregate_key[s->n_aggregates++] = m->aggregates[k];
        for (uint32_t k = 0; k < m->n_accumulators; k++)
            snprintf(*name++, SESSION_NAME, "%s.%s", m->ops->name, m->accumulators[k]);
    }
    const uint32_t each = s->n_keys / s->encodes;
    for (uint32_t i = 0; i < s->metrics; i++) {
        first = i / s->metrics_each * each;
        TRY(find_needs(s, first, first + each, s->metric[i], &s->error));
    }
    for (uint32_t k = 0; k < s->encodes; k++) {
        struct session_encode *own = &s->encode[k];
        TRY(sequence_init(&own->sequence, s->metric + k * s->metrics_each, s->metrics_each, &s->error));
        TRY(scores_init(&own->scores, each, s->key + k * each, &s->error));
    }
    s->row = calloc(keys, sizeof *s->row);
    return s->row ? ASSAY_OK : assay_fail_memory(&s->error, "the scores");
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

/* The metrics of an encode behind those of the first one: the same, made again for its pair. */
static int add_metrics_again(struct assay_session *s, uint32_t encode)
{
    for (uint32_t i = 0; i < s->metrics_each; i++) {
        struct metric *m;
        TRY(metric_again(&m, s->metric[i], &s->error));
        m->feature = s->metric[i]->feature;
        m->several = s->metric[i]->several;
        s->metric[s->metrics++] = m;
        TRY(metric_settle(m, &s->encode[encode].pair, &s->error));
    }
    return ASSAY_OK;
}

/* Passes that are added from now on bring sides as an encode's plan of scaling says. `scale` is used until these passes
 * are there. */
static void set_bring(const struct assay_session *s, struct scale_plan *scale, struct graph *g)
{
    g->bring = s->scales ? scale_bring : s->source.bring;
    g->bring_opaque = s->scales ? scale : s->source.bring_opaque;
}

static int add_passes(struct graph *g, const struct metric_pair *pair, struct metric *m, bool maps,
                      struct assay_error *e)
{
    struct metric_build b = {.graph = g, .pair = pair, .metric = m, .maps = maps, .error = e};
    TRY(metric_allows(m, pair, e));
    return m->ops->build(&b);
}

static int check_files(const struct assay_session *s, const struct metric *m, struct assay_error *e)
{
    if (m->n_files && s->encodes > 1)
        return assay_fail(e, ASSAY_EUSAGE, "%s: the files in %s would have the same names for each of %u encodes",
                          m->ops->name, m->files[0].folder, s->encodes);
    if (m->n_files && !s->config.keep_planes)
        return assay_fail(e, ASSAY_EUSAGE, "%s: an option asks for files in %s, and nobody here writes them",
                          m->ops->name, m->files[0].folder);
    return ASSAY_OK;
}

/* session_each_encode: adds the passes of an encode. */
static int add_encode(void *opaque, uint32_t encode, struct assay_error *e)
{
    struct assay_session *s = opaque;
    struct session_encode *own = &s->encode[encode];
    graph_begin_encode(s->graph, encode, own->reference);
    set_bring(s, &own->scale, s->graph);
    for (uint32_t i = 0; i < s->metrics_each; i++) {
        struct metric *m = s->metric[encode * s->metrics_each + i];
        TRY(add_passes(s->graph, &own->pair, m, s->config.maps != 0, e));
        TRY(check_files(s, m, e));
    }
    return ASSAY_OK;
}

static int build_graph(struct assay_session *s)
{
    s->graph = graph_new(&s->error);
    if (!s->graph)
        return ASSAY_EINTERNAL;
    s->graph->encodes = (uint8_t)s->encodes;
    TRY(session_each_encode(&s->config, add_encode, s, &s->error));
    s->graph->keep = s->config.keep_planes != 0;
    if (s->graph->keep && s->graph->mirrored)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a metric takes the video as mirrored at its first frame "
                          "(padding=symmetric): frames wait for later ones, and planes and maps of each can't be read");
    return graph_seal(s->graph, &s->error);
}

/* Builds the passes of an encode's metrics alone for frames of another size: `build` of selftest_subject. */
static int build_again(void *opaque, uint32_t width, uint32_t height, struct graph **out, struct assay_error *e)
{
    const struct session_proof *proof = opaque;
    const struct assay_session *s = proof->session;
    const struct session_encode *own = &s->encode[proof->encode];
    struct metric_pair pair = own->pair;
    struct scale_plan scale = own->scales ? scale_plan_resized(&own->scale, width, height) : own->scale;
    *out = graph_new(e);
    int rc = *out ? ASSAY_OK : ASSAY_EINTERNAL;
    if (*out)
        set_bring(s, &scale, *out);
    pair.format.width = pair.side[0].width = pair.side[1].width = width;
    pair.format.height = pair.side[0].height = pair.side[1].height = height;
    for (uint32_t i = 0; !rc && i < s->metrics_each; i++) {
        const struct metric *like = s->metric[proof->encode * s->metrics_each + i];
        struct metric *m = NULL;
        if (like->ops->predict)
            continue;
        rc = metric_again(&m, like, e);
        if (!rc)
            rc = add_passes(*out, &pair, m, s->config.maps != 0, e);
        metric_free(&m);
    }
    if (rc)
        graph_free(out);
    else if (s->scales)
        (*out)->bring = NULL; /* nothing is added any more, and `scale` ends here */
    return rc;
}

int session_subject(const struct assay_session *s, uint32_t encode, struct session_proof *proof,
                    struct selftest_subject *subject, struct assay_error *e)
{
    const assay_format *f = &s->encode[encode].pair.format;
    *proof = (struct session_proof){.session = s, .encode = encode};
    if (s->encodes > 1) {
        TRY(build_again(proof, f->width, f->height, &proof->graph, e));
        TRY(graph_seal(proof->graph, e));
    }
    *subject = (struct selftest_subject){
        .build = build_again, .opaque = proof, .graph = proof->graph ? proof->graph : s->graph, .width = f->width,
        .height = f->height, .bits = s->source.bring ? 16 : f->bit_depth,
        .takes = s->side[s->encode[encode].reference].on_device || s->side[encode + 1].on_device};
    return ASSAY_OK;
}

void session_subject_free(struct session_proof *proof)
{
    graph_free(&proof->graph);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Writes a metric's option as the configuration has it, with a separator in front, and returns true. An option whose
 * text is empty is left out, and the function returns false. */
static bool print_option(const struct metric *m, uint32_t o, bool first, FILE *out)
{
    char value[64];
    const struct metric_option *option = &m->ops->options[o];
    const char *text = options_print(option, m->options, value);
    const bool rest = option->type == OPTION_REST;
    if (*text)
        fprintf(out, "%c%s%s%s", first ? '=' : ':', rest ? "" : option->name, rest ? "" : "=", text);
    return *text;
}

/* Writes the metrics that were asked for; those that they need follow from them. */
static void print_configuration(const struct assay_session *s, uint32_t encode, FILE *out)
{
    for (uint32_t i = 0; i < s->metrics_each && !s->metric[i]->feature; i++) {
        const struct metric *m = s->metric[encode * s->metrics_each + i];
        bool first = true;
        fprintf(out, "%s%s", i ? "," : "", m->ops->name);
        for (uint32_t o = 0; o < m->ops->n_options; o++)
            first = !print_option(m, o, first, out) && first;
    }
}

/* Writes what becomes of an encode's pictures of two depths or layouts, and the metrics' notes, "name: text", a line
 * each. */
static void print_notes(const struct assay_session *s, uint32_t encode, FILE *out)
{
    char converted[SESSION_DIFFERENCES];
    session_differences(&s->encode[encode].pair, converted);
    session_print_scale(&s->encode[encode], out);
    fprintf(out, "%s%s", converted, converted[0] ? "\n" : "");
    for (uint32_t i = 0; i < s->metrics_each; i++) {
        const struct metric *m = s->metric[encode * s->metrics_each + i];
        if (m->note[0])
            fprintf(out, "%s: %s\n", m->ops->name, m->note);
    }
}

/* Writes the notes of the first `encodes` encodes. If there are several, each line begins with its encode's number. */
static void print_all_notes(const struct assay_session *s, uint32_t encodes, FILE *out)
{
    for (uint32_t k = 0; k < encodes; k++) {
        char prefix[SESSION_PREFIX];
        const char *notes = s->encode[k].notes;
        size_t n;
        for (const char *line; (line = text_line(&notes, &n));)
            fprintf(out, "%s%.*s\n", session_prefix(encodes, k, prefix), (int)n, line);
    }
}

/* Makes a text of what `print` writes, without the line feed at its end. */
static int describe(struct assay_session *s, char **text, uint32_t encode,
                    void (*print)(const struct assay_session *s, uint32_t encode, FILE *out))
{
    struct buffer_text out;
    if (buffer_open(&out))
        print(s, encode, out.file);
    if (!(*text = buffer_close(&out)))
        return assay_fail_memory(&s->error, "the notes and the configuration");
    const size_t n = strlen(*text);
    if (n && (*text)[n - 1] == '\n')
        (*text)[n - 1] = 0;
    return ASSAY_OK;
}

static int describe_all(struct assay_session *s)
{
    bool equal = true;
    for (uint32_t k = 0; k < s->encodes; k++) {
        TRY(describe(s, &s->encode[k].notes, k, print_notes));
        equal = equal && !strcmp(s->encode[k].notes, s->encode[0].notes);
    }
    TRY(describe(s, &s->notes, equal ? 1 : s->encodes, print_all_notes));
    return describe(s, &s->configuration, 0, print_configuration);
}

struct pairing {
    struct assay_session *session;
    const assay_format *format;
};

/* session_each_encode. */
static int add_pair(void *opaque, uint32_t encode, struct assay_error *e)
{
    const struct pairing *p = opaque;
    struct session_encode *own = &p->session->encode[encode];
    TRY(session_pair(&own->pair, &p->session->config, encode, p->format, e));
    return session_scale(p->session, own, e);
}

int session_plan(struct assay_session *s, const assay_format *format)
{
    s->encodes = session_encodes(&s->config);
    TRY(session_each_encode(&s->config, add_pair, &(struct pairing){s, format}, &s->error));
    TRY(session_choose_sides(s, &s->error));
    for (uint32_t i = 0; i < s->metrics; i++)
        TRY(metric_settle(s->metric[i], &s->encode[0].pair, &s->error));
    TRY(add_features(s));
    s->metrics_each = s->metrics;
    for (uint32_t k = 1; k < s->encodes; k++)
        TRY(add_metrics_again(s, k));
    TRY(build_graph(s));
    TRY(session_check_config(&s->config, &s->error));
    TRY(collect_keys(s));
    return describe_all(s);
}

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

const struct metric *session_metric_of(const struct assay_session *s, bool aggregate, uint32_t *index,
                                       uint32_t *number)
{
    for (*number = 0; *number < s->metrics; ++*number) {
        const struct metric *m = s->metric[*number];
        const uint32_t own = aggregate ? m->n_aggregates : m->n_keys;
        if (*index < own)
            return m;
        *index -= own;
    }
    return NULL;
}

double session_aggregate(const struct assay_session *s, uint32_t index)
{
    double all[METRIC_AGGREGATES];
    const assay_i128 *accumulators = s->accumulator;
    struct assay_fpenv saved;
    uint32_t number;
    const struct metric *m = session_metric_of(s, true, &index, &number);
    const uint32_t encode = number / s->metrics_each;
    const uint64_t counted = s->encode[encode].counted;
    uint32_t column = 0;
    for (uint32_t i = 0; i < number; i++) {
        accumulators += s->metric[i]->n_accumulators;
        column += i / s->metrics_each == encode ? s->metric[i]->n_keys : 0;
    }
    assay_fpenv_enter(&saved);
    if (counted && m->ops->fold)
        m->ops->fold(m, &s->encode[encode].scores, column, all);
    else if (counted)
        m->ops->finish(m, counted, accumulators, all);
    assay_fpenv_leave(&saved);
    return counted ? all[index] : (double)NAN;
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
            if (s->metric[m]->maps[i].plane == number) {
                plane->map = s->metric[m]->maps[i].name;
                plane->map_full = s->metric[m]->maps[i].full;
                plane->map_colours = s->metric[m]->maps[i].colours;
                plane->encode = m / s->metrics_each;
            }
    return true;
}
