/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions: they check arguments and forward. */
#include <assay/assay.h>

#include <math.h> /* NAN only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/devices.h"
#include "engine/session.h"
#include "host/format.h"
#include "host/fpenv.h"

const char *assay_version(void)
{
    return ASSAY_VERSION;
}

const char *assay_metric_name(uint32_t index)
{
    for (uint32_t i = 0; assay_metrics[i]; i++)
        if (i == index)
            return assay_metrics[i]->name;
    return NULL;
}

const char *assay_metric_summary(uint32_t index)
{
    return assay_metric_name(index) ? assay_metrics[index]->summary : NULL;
}

int assay_list_devices(const char *backend, assay_device_callback *show, void *opaque, char *error, size_t error_size)
{
    struct assay_error e = {0};
    const int rc = show ? devices_list(backend, show, opaque, &e) : assay_fail(&e, ASSAY_EUSAGE, "nobody to show devices to");
    if (error && error_size)
        snprintf(error, error_size, "%s", e.text);
    return rc;
}

/* Each call starts with a clean error, so that assay_session_error speaks of the last one. */
static void begin(assay_session *s)
{
    s->error.code = 0;
    s->error.text[0] = 0;
}

static int usage(assay_session *s, const char *what)
{
    return assay_fail(&s->error, ASSAY_EUSAGE, "%s", what);
}

int assay_session_new(assay_session **session, const assay_config *config, char *error, size_t error_size)
{
    if (!session)
        return ASSAY_EUSAGE;
    *session = NULL;
    assay_session *s = calloc(1, sizeof *s);
    if (!s) {
        if (error && error_size)
            snprintf(error, error_size, "out of memory for a session");
        return ASSAY_EINTERNAL;
    }
    if (config)
        s->config = *config;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    *session = s;
    return ASSAY_OK;
}

void assay_session_close(assay_session **session)
{
    if (!session || !*session)
        return;
    session_free(*session);
    *session = NULL;
}

const char *assay_session_error(const assay_session *s)
{
    return s ? s->error.text : "no session";
}

int assay_session_add_metric(assay_session *s, const char *metric)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!metric || s->started)
        return usage(s, "metrics are added by name, before the session starts");
    if (s->metrics == SESSION_METRICS)
        return usage(s, "too many metrics");
    struct metric *m;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved); /* options are numbers */
    const int rc = metric_new(&m, metric, &s->error);
    assay_fpenv_leave(&saved);
    if (!rc)
        s->metric[s->metrics++] = m;
    return rc;
}

static bool has_metric(const assay_session *s, const struct metric_ops *ops)
{
    for (uint32_t i = 0; i < s->metrics; i++)
        if (s->metric[i]->ops == ops)
            return true;
    return false;
}

/* Whether a metric with default options can score the pair; if not, `why` says what is missing. */
static int metric_allows(assay_session *s, const struct metric_pair *pair, const char *name, bool *allowed,
                         struct assay_error *why)
{
    struct metric *m;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    const int rc = metric_new(&m, name, &s->error);
    *allowed = !rc && !m->ops->allows(pair, m->options, why);
    metric_free(&m);
    assay_fpenv_leave(&saved);
    return rc;
}

int assay_session_add_all(assay_session *s, const assay_format *format,
                          void (*left_out)(void *opaque, const char *metric, const char *reason), void *opaque)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!format || s->started)
        return usage(s, "metrics are added before the session starts, with the format that they shall allow");
    struct metric_pair pair;
    int rc = session_pair(&pair, &s->config, format, &s->error);
    for (uint32_t i = 0; !rc && assay_metrics[i]; i++) {
        struct assay_error why = {0};
        bool allowed;
        if (has_metric(s, assay_metrics[i]))
            continue;
        rc = metric_allows(s, &pair, assay_metrics[i]->name, &allowed, &why);
        if (!rc && allowed)
            rc = assay_session_add_metric(s, assay_metrics[i]->name);
        else if (!rc && left_out)
            left_out(opaque, assay_metrics[i]->name, why.text);
    }
    return rc;
}

int assay_session_set_callback(assay_session *s, assay_frame_callback callback, void *opaque)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (s->started)
        return usage(s, "the callback is set before the session starts");
    s->callback = callback;
    s->callback_opaque = opaque;
    return ASSAY_OK;
}

int assay_session_start(assay_session *s, const assay_format *format)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    int rc = format ? session_may_start(s) : usage(s, "a session starts with the format of its pictures");
    if (rc)
        return rc;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    rc = session_start(s, format);
    assay_fpenv_leave(&saved);
    return rc;
}

uint32_t assay_session_keys(const assay_session *s) { return s ? s->n_keys : 0; }
uint32_t assay_session_aggregates(const assay_session *s) { return s ? s->n_aggregates : 0; }

const char *assay_session_key(const assay_session *s, uint32_t index)
{
    return s && index < s->n_keys ? s->key[index] : NULL;
}

const char *assay_session_aggregate_key(const assay_session *s, uint32_t index)
{
    return s && index < s->n_aggregates ? s->aggregate_key[index] : NULL;
}

static bool picture_fits(const assay_session *s, const assay_picture *p)
{
    const assay_format *f = &s->pair.format;
    for (uint32_t i = 0; p && i < INPUT_PLANES; i++) {
        const ptrdiff_t row = (ptrdiff_t)format_row_bytes(f, i);
        if (row && (!p->plane[i] || (p->stride[i] < row && p->stride[i] > -row)))
            return false;
    }
    return p != NULL;
}

static int submit(assay_session *s, uint64_t frame, const assay_picture *reference, const assay_picture *distorted, bool neighbour)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!s->started || s->held)
        return usage(s, s->held ? "a taken pair is committed before the next is submitted" : "the session is not started");
    if (!picture_fits(s, reference) || !picture_fits(s, distorted))
        return usage(s, "a picture has a missing plane or a stride shorter than its row");
    return session_queue(s, frame, reference, distorted, neighbour);
}

int assay_session_submit(assay_session *s, uint64_t frame, const assay_picture *reference, const assay_picture *distorted)
{
    return submit(s, frame, reference, distorted, false);
}

int assay_session_submit_neighbour(assay_session *s, uint64_t frame, const assay_picture *reference, const assay_picture *distorted)
{
    return submit(s, frame, reference, distorted, true);
}

int assay_session_reach(assay_session *s, uint32_t *before, uint32_t *after)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!s->started || !before || !after)
        return usage(s, s->started ? "nowhere to write the reach to" : "the session is not started");
    *before = s->sequence.before;
    *after = s->sequence.after;
    return ASSAY_OK;
}

int assay_session_take(assay_session *s, assay_buffer *reference, assay_buffer *distorted)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!s->started || !reference || !distorted)
        return usage(s, "pairs are taken after the session starts");
    if (s->held == s->room)
        return usage(s, "every frame in flight is taken and none committed");
    return session_take(s, reference, distorted);
}

int assay_session_commit(assay_session *s, uint64_t frame, int use)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!s->held)
        return usage(s, "no pair is taken");
    return session_commit(s, frame, use);
}

int assay_session_flush(assay_session *s)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    return s->started ? session_flush(s) : usage(s, "the session is not started");
}

int assay_session_poll(assay_session *s, uint64_t *frame, double *values)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!s->started || s->callback || !frame || !values)
        return usage(s, "frames are polled after the start, when no callback is set");
    pthread_mutex_lock(&s->lock);
    int rc = s->run_error.code;
    if (s->polled < s->scores.rows) {
        *frame = s->scores.frame[s->polled];
        memcpy(values, s->scores.value + s->polled * s->n_keys, s->n_keys * sizeof *values);
        s->polled++;
        rc = 1;
    } else if (rc)
        s->error = s->run_error;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int assay_session_pooled(assay_session *s, const char *key, const char *pool, double *value)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    enum pool kind;
    double percent;
    if (!s->started || !key || !pool || !value || !pool_parse(pool, &kind, &percent))
        return usage(s, "pooled scores need a started session, a key and a pool (mean, harmonic_mean, min, max, perc5, ...)");
    for (uint32_t i = 0; i < s->n_keys; i++)
        if (!strcmp(s->key[i], key)) {
            struct assay_fpenv saved;
            pthread_mutex_lock(&s->lock);
            assay_fpenv_enter(&saved);
            *value = scores_pool(&s->scores, i, kind, percent, NULL);
            assay_fpenv_leave(&saved);
            pthread_mutex_unlock(&s->lock);
            return ASSAY_OK;
        }
    return assay_fail(&s->error, ASSAY_EUSAGE, "this session scores no '%s'", key);
}

int assay_session_aggregate(assay_session *s, uint32_t index, double *value)
{
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!s->started || index >= s->n_aggregates || !value)
        return usage(s, "no such aggregate");
    const int rc = session_drain(s);
    double all[SESSION_METRICS * METRIC_AGGREGATES];
    if (rc)
        return rc;
    session_aggregates(s, s->counted, s->accumulator, all);
    *value = s->counted ? all[index] : (double)NAN; /* as pools of nothing */
    return ASSAY_OK;
}

uint32_t assay_session_planes(const assay_session *s)
{
    uint32_t n = 0;
    for (graph_plane i = 0; s && s->started && i < s->graph->planes; i++)
        n += !s->graph->plane[i].input;
    return n;
}

int assay_session_plane(assay_session *s, uint32_t index, assay_plane *plane)
{
    graph_plane i;
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!s->started)
        return usage(s, "the session is not started");
    const struct graph_plane_info *p = plane ? session_plane(s, index, &i) : NULL;
    if (!p)
        return usage(s, plane ? "no such plane" : "nowhere to write what the plane is to");
    *plane = (assay_plane){.type = graph_type_name(p->type), .width = p->width, .height = p->height,
                           .sample_size = sample_size(p->type)};
    return ASSAY_OK;
}

int assay_session_read_plane(assay_session *s, uint32_t index, void *to, size_t stride)
{
    graph_plane i;
    if (!s)
        return ASSAY_EUSAGE;
    begin(s);
    if (!s->started || !s->graph->keep)
        return usage(s, "planes are read from a started session with keep_planes");
    const struct graph_plane_info *p = session_plane(s, index, &i);
    if (!p || !to || stride < (size_t)p->width * sample_size(p->type))
        return usage(s, "no such plane, or a stride shorter than its row");
    return session_read_plane(s, i, to, stride);
}

const char *assay_session_backend(const assay_session *s) { return s && s->executor ? s->executor->ops->name : ""; }
const char *assay_session_device(const assay_session *s) { return s && s->executor ? s->executor->device : ""; }
const char *assay_session_driver(const assay_session *s) { return s && s->executor ? s->executor->driver : ""; }
const char *assay_session_choice(const assay_session *s)
{
    return s && s->executor ? s->choice.text : "";
}

unsigned assay_session_threads(const assay_session *s) { return s && s->executor ? s->executor->threads : 0; }
const char *assay_session_configuration(const assay_session *s) { return s && s->configuration ? s->configuration : ""; }
const char *assay_session_notes(const assay_session *s) { return s && s->notes ? s->notes : ""; }

static char *printed(const assay_session *s, void (*print)(const assay_session *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *out = s && s->started ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    print(s, out);
    const bool bad = ferror(out) != 0;
    if (fclose(out) || bad) {
        free(text);
        return NULL;
    }
    return text;
}

static void print_graph(const assay_session *s, FILE *out)
{
    graph_print(s->graph, out);
}

static void print_memory(const assay_session *s, FILE *out)
{
    const assay_format *f = &s->pair.format;
    uint64_t pair = 0;
    for (uint32_t p = 0; p < INPUT_PLANES; p++)
        pair += 2ull * assay_format_plane_height(f, p) * ((format_row_bytes(f, p) + 63) / 64 * 64);
    const struct executor_ops *ops = s->executor->ops;
    if (ops->print_memory)
        ops->print_memory(s->executor, s->graph, out);
    else
        graph_print_memory(s->graph, out);
    fprintf(out, "frame pair: %llu bytes, %u in flight, %u in memory\n", (unsigned long long)pair, s->room, s->slots);
    fprintf(out, "device: %llu bytes\n",
            (unsigned long long)ops->memory(s->executor, s->graph, s->slots));
}

char *assay_session_describe_graph(const assay_session *s) { return printed(s, print_graph); }
char *assay_session_describe_memory(const assay_session *s) { return printed(s, print_memory); }
