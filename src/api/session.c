/* SPDX-License-Identifier: BSD-2-Clause */
/* A session's life: metrics, start, pairs, planes, texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "engine/read.h"
#include "engine/ring.h"
#include "host/format.h"
#include "host/fpenv.h"
#include "host/system.h"

int assay_session_new(assay_session **session, const assay_config *config, char *error, size_t error_size)
{
    struct assay_error e = {0};
    if (!session) {
        assay_fail(&e, ASSAY_EUSAGE, "nowhere to put the session");
        return assay_answer(&e, error, error_size);
    }
    assay_session *s = *session = calloc(1, sizeof *s);
    if (!s) {
        assay_fail_memory(&e, "a session");
        return assay_answer(&e, error, error_size);
    }
    if (config)
        s->config = *config;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    return assay_answer(&e, error, error_size);
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
    TRY(api_begin(s, s && metric && !s->started && !s->graph, "metrics are added by name, before the session starts"));
    if (s->metrics == SESSION_METRICS)
        return api_usage(s, "too many metrics");
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

/* metric_allows of a metric that is text: "psnr" or "psnr=enable_mse=true". */
static int allows_text(const struct metric_pair *pair, const char *metric, struct assay_error *e)
{
    struct metric *m;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    int rc = metric_new(&m, metric, e);
    rc = rc ? rc : metric_settle(m, pair, e);
    rc = rc ? rc : metric_allows(m, pair, e);
    metric_free(&m);
    assay_fpenv_leave(&saved);
    return rc;
}

/* session_each_encode: whether an encode's pictures allow a metric. */
struct allowing {
    const char *metric;
    const assay_config *config;
    const assay_format *format;
};

static int allows_encode(void *opaque, uint32_t encode, struct assay_error *e)
{
    const struct allowing *a = opaque;
    struct metric_pair pair;
    TRY(session_pair(&pair, a->config, encode, a->format, e));
    return a->metric ? allows_text(&pair, a->metric, e) : ASSAY_OK;
}

int assay_metric_allows(const char *metric, const assay_config *config, const assay_format *format, char *error,
                        size_t error_size)
{
    static const assay_config plain;
    struct assay_error e = {0};
    int rc = metric && format ? session_check_pictures(config ? config : &plain, &e)
                              : assay_fail(&e, ASSAY_EUSAGE, "a metric and a format are needed");
    if (!rc)
        rc = session_each_encode(config ? config : &plain, allows_encode,
                                 &(struct allowing){metric, config ? config : &plain, format}, &e);
    return assay_answer(&e, error, error_size);
}

static int print_keys(const assay_session *s, char **keys, struct assay_error *e)
{
    size_t size = 1;
    for (uint32_t i = 0; i < s->n_keys; i++)
        size += strlen(s->key[i]) + 1;
    char *at = *keys = calloc(1, size);
    if (!at)
        return assay_fail_memory(e, "the keys");
    for (uint32_t i = 0; i < s->n_keys; i++)
        if (!assay_session_key_feature(s, i) && !assay_session_key_encode(s, i))
            at += sprintf(at, "%s%s", at > *keys ? " " : "", s->key[i]);
    return ASSAY_OK;
}

int assay_metric_keys(const char *metric, const assay_config *config, const assay_format *format, char **keys,
                      char *error, size_t error_size)
{
    assay_session *s = NULL;
    struct assay_error e = {0};
    if (!keys) {
        assay_fail(&e, ASSAY_EUSAGE, "nowhere to write the keys to");
        return assay_answer(&e, error, error_size);
    }
    *keys = NULL;
    TRY(assay_session_new(&s, config, error, error_size));
    int rc = assay_session_add_metric(s, metric);
    rc = rc ? rc : assay_session_plan(s, format);
    rc = rc ? rc : print_keys(s, keys, &s->error);
    e = s->error;
    assay_session_close(&s);
    return assay_answer(&e, error, error_size);
}

/* `slow`: slow metrics, too. */
static int add_allowed(assay_session *s, const assay_format *format, bool slow,
                       void (*left_out)(void *opaque, const char *metric, const char *reason), void *opaque)
{
    struct allowing allowing = {NULL, s ? &s->config : NULL, format};
    TRY(api_begin(s, s && format && !s->started && !s->graph,
                  "metrics are added before the session starts, with the format that they shall allow"));
    TRY(session_check_config(&s->config, &s->error));
    TRY(session_each_encode(&s->config, allows_encode, &allowing, &s->error));
    for (uint32_t i = 0; assay_metrics[i]; i++) {
        const char *name = assay_metrics[i]->name;
        struct assay_error why = {0};
        if (has_metric(s, assay_metrics[i]))
            continue;
        allowing.metric = name;
        int rc = session_each_encode(&s->config, allows_encode, &allowing, &why);
        if (!rc && assay_metrics[i]->slow && !slow)
            rc = assay_fail(&why, ASSAY_EUSAGE, "%s takes long (its name or everything asks for it)", name);
        if (rc == ASSAY_EINTERNAL)
            return assay_fail(&s->error, rc, "%s", why.text);
        if (!rc)
            TRY(assay_session_add_metric(s, name));
        else if (left_out)
            left_out(opaque, name, why.text);
    }
    return ASSAY_OK;
}

int assay_session_add_all(assay_session *s, const assay_format *format,
                          void (*left_out)(void *opaque, const char *metric, const char *reason), void *opaque)
{
    return add_allowed(s, format, false, left_out, opaque);
}

int assay_session_add_everything(assay_session *s, const assay_format *format,
                                 void (*left_out)(void *opaque, const char *metric, const char *reason), void *opaque)
{
    return add_allowed(s, format, true, left_out, opaque);
}

int assay_session_set_callback(assay_session *s, assay_frame_callback callback, void *opaque)
{
    TRY(api_begin(s, s && !s->started, "the callback is set before the session starts"));
    s->callback = callback;
    s->callback_opaque = opaque;
    return ASSAY_OK;
}

static int start(assay_session *s, const assay_format *format, int (*how)(assay_session *, const assay_format *))
{
    struct assay_fpenv saved;
    TRY(api_begin(s, s && format, "a session starts with the format of its pictures"));
    TRY(session_may_start(s));
    assay_fpenv_enter(&saved);
    const int rc = how(s, format);
    assay_fpenv_leave(&saved);
    return rc;
}

int assay_session_start(assay_session *s, const assay_format *format) { return start(s, format, session_start); }
int assay_session_plan(assay_session *s, const assay_format *format) { return start(s, format, session_plan); }

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

uint32_t assay_session_encodes(const assay_session *s) { return api_planned(s) ? s->encodes : 0; }

uint32_t assay_session_key_metric(const assay_session *s, uint32_t index)
{
    uint32_t number;
    return api_planned(s) && session_metric_of(s, false, &index, &number) ? number % s->metrics_each : 0;
}

uint32_t assay_session_key_encode(const assay_session *s, uint32_t index)
{
    return api_planned(s) && index < s->n_keys ? index / (s->n_keys / s->encodes) : 0;
}

int assay_session_key_feature(const assay_session *s, uint32_t index)
{
    uint32_t number;
    const struct metric *m = api_planned(s) ? session_metric_of(s, false, &index, &number) : NULL;
    return m && (m->feature || m->detail[index]);
}

int assay_session_key_direction(const assay_session *s, uint32_t index)
{
    uint32_t number;
    const struct metric *m = api_planned(s) ? session_metric_of(s, false, &index, &number) : NULL;
    return m ? m->direction[index] : ASSAY_NEUTRAL;
}

uint32_t assay_session_aggregate_encode(const assay_session *s, uint32_t index)
{
    return api_planned(s) && index < s->n_aggregates ? index / (s->n_aggregates / s->encodes) : 0;
}

int assay_session_aggregate_direction(const assay_session *s, uint32_t index)
{
    uint32_t number;
    const struct metric *m = api_planned(s) ? session_metric_of(s, true, &index, &number) : NULL;
    return m ? m->aggregate_direction[index] : ASSAY_NEUTRAL;
}

static bool is_zero(const uint32_t *reserved, size_t n)
{
    while (n && !reserved[n - 1])
        n--;
    return !n;
}

#define RESERVED_IS_ZERO(of) is_zero((of)->reserved, sizeof (of)->reserved / sizeof (of)->reserved[0])

static bool picture_fits(const assay_session *s, unsigned side, const assay_picture *p)
{
    const assay_format *f = &s->side[side].given;
    for (uint32_t i = 0; p && i < INPUT_PLANES; i++) {
        const ptrdiff_t row = (ptrdiff_t)format_row_bytes(f, i);
        if (row && (!p->plane[i] || (p->stride[i] < row && p->stride[i] > -row)))
            return false;
    }
    return p && RESERVED_IS_ZERO(p);
}

/* Refuses what comes between the pairs that the session reads. */
static int reads_not(assay_session *s)
{
    return s->reading ? api_usage(s, "the session reads: the pairs are those of its reader") : ASSAY_OK;
}

static int submit(assay_session *s, uint64_t frame, const assay_picture *reference, const assay_picture *distorted,
                  bool neighbour)
{
    TRY(api_begin(s, api_scoring(s), "the session is not started, or finished"));
    TRY(reads_not(s));
    if (s->held)
        return api_usage(s, "a taken pair is committed before the next is submitted");
    bool fit = picture_fits(s, 0, reference) && distorted;
    for (uint32_t k = 0; fit && k < s->encodes; k++)
        fit = s->ended >> k & 1 || picture_fits(s, k + 1, &distorted[k]);
    if (!fit)
        return api_usage(s, "a picture has a missing plane, a stride shorter than its row, or a reserved field that is "
                            "not 0");
    return session_queue(s, frame, reference, distorted, neighbour);
}

int assay_session_submit(assay_session *s, uint64_t frame, const assay_picture *reference,
                         const assay_picture *distorted)
{
    return submit(s, frame, reference, distorted, false);
}

int assay_session_submit_neighbour(assay_session *s, uint64_t frame, const assay_picture *reference,
                                   const assay_picture *distorted)
{
    return submit(s, frame, reference, distorted, true);
}

int assay_session_reach(assay_session *s, uint32_t *before, uint32_t *after)
{
    TRY(api_begin(s, api_scoring(s), "the session is not started, or finished"));
    if (!before || !after)
        return api_usage(s, "nowhere to write the reach to");
    *before = *after = 0;
    for (uint32_t k = 0; k < s->encodes; k++) {
        const struct sequence *q = &s->encode[k].sequence;
        *before = q->before > *before ? q->before : *before;
        *after = q->after > *after ? q->after : *after;
    }
    *after = s->lead > *after ? s->lead : *after;
    return ASSAY_OK;
}

int assay_session_reads(assay_session *s, unsigned side, unsigned plane)
{
    TRY(api_begin(s, api_scoring(s), "the session is not started, or finished"));
    if (side > s->encodes || plane >= INPUT_PLANES)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a pair has sides 0 to %u, and a picture planes 0 to 3", s->encodes);
    return session_reads(s, side, plane) && assay_format_plane_width(&s->side[side].given, plane);
}

int assay_session_take(assay_session *s, assay_buffer *reference, assay_buffer *distorted)
{
    TRY(api_begin(s, api_scoring(s) && reference && distorted, "pairs are taken after the session starts"));
    TRY(reads_not(s));
    if (session_all_taken(s))
        return api_usage(s, "every frame in flight is taken and none committed");
    return session_take(s, reference, distorted);
}

int assay_session_commit(assay_session *s, uint64_t frame, int use)
{
    TRY(api_begin(s, s && s->held, "no pair is taken"));
    TRY(reads_not(s));
    return session_commit(s, frame, use);
}

int assay_session_lend(assay_session *s, unsigned side, const assay_buffer *to, const assay_picture *picture)
{
    assay_buffer own;
    if (!api_scoring(s) || side > s->encodes || !to || to->slot >= s->slots || !picture_fits(s, side, picture) ||
        !picture->release)
        return ASSAY_EUSAGE;
    ring_buffer(s, to->slot, side, &own);
    if (!own.lends)
        return ASSAY_EUSAGE;
    ring_offer(s, to->slot, side, picture);
    return ASSAY_OK;
}

int assay_session_end_encode(assay_session *s, uint32_t encode, int how)
{
    TRY(api_begin(s, api_scoring(s), "the session is not started, or finished"));
    TRY(reads_not(s));
    if (encode >= s->encodes || s->ended >> encode & 1)
        return assay_fail(&s->error, ASSAY_EUSAGE, "encode %u %s", encode,
                          encode < s->encodes ? "has ended" : "is none of the session's");
    return session_end_encode(s, encode, how);
}

int assay_session_read_begin(assay_session *s, const assay_reader *reader, uint64_t first, uint64_t end)
{
    TRY(api_begin(s, api_scoring(s) && reader && reader->read, "a session reads after its start, with a reader"));
    if (!RESERVED_IS_ZERO(reader))
        return api_usage(s, "a reserved field of the reader is not 0");
    TRY(reads_not(s));
    if (s->held)
        return api_usage(s, "a taken pair is committed before others are read");
    return session_read_begin(s, reader, first, end);
}

int assay_session_read_next(assay_session *s, uint32_t milliseconds, uint64_t *pair, int *use)
{
    TRY(api_begin(s, s && s->reading && pair && use, "the session does not read"));
    return session_read_next(s, milliseconds, pair, use);
}

int assay_session_read_stop(assay_session *s, assay_read_end *result)
{
    if (!s || !s->reading)
        return s ? api_usage(s, "the session does not read") : ASSAY_EUSAGE;
    session_read_stop(s, result);
    return ASSAY_OK;
}

int assay_session_read(assay_session *s, const assay_reader *reader, uint64_t first, uint64_t end,
                       assay_read_end *result)
{
    uint64_t pair;
    int use, rc;
    TRY(api_begin(s, result != NULL, "a session reads after its start, with a reader"));
    *result = (assay_read_end){0};
    TRY(assay_session_read_begin(s, reader, first, end));
    while ((rc = session_read_next(s, UINT32_MAX, &pair, &use)) > 0) {
        if (rc == ASSAY_READ_PAIR && reader->submitted && (rc = reader->submitted(reader->opaque, pair, use)))
            break;
        s->error = (struct assay_error){0}; /* what `submitted` caused is no failure of reading */
    }
    session_read_stop(s, result);
    return rc;
}

int assay_session_finish(assay_session *s)
{
    TRY(api_begin(s, api_started(s), "the session is not started"));
    if (!s->finished)
        session_finish(s);
    return ASSAY_OK;
}

int assay_session_flush(assay_session *s)
{
    TRY(api_begin(s, api_scoring(s), "the session is not started, or finished"));
    TRY(reads_not(s));
    if (s->lead && s->held)
        return api_usage(s, "a taken pair is committed before a sequence ends that is mirrored at its first frame");
    return session_flush(s);
}

int assay_session_wait(assay_session *s)
{
    TRY(api_begin(s, api_scoring(s), "the session is not started, or finished"));
    return session_drain(s);
}

uint32_t assay_session_planes(const assay_session *s)
{
    uint32_t n = 0;
    for (graph_plane i = 0; api_planned(s) && i < s->graph->planes; i++)
        n += !s->graph->plane[i].input;
    return n;
}

int assay_session_plane(assay_session *s, uint32_t index, assay_plane *plane)
{
    TRY(api_begin(s, api_planned(s), "the session is not started"));
    if (!plane || !session_describe_plane(s, index, plane))
        return api_usage(s, plane ? "no such plane" : "nowhere to write what the plane is to");
    return ASSAY_OK;
}

int assay_session_plane_file(assay_session *s, uint32_t index, assay_plane_file *file)
{
    TRY(api_begin(s, api_planned(s), "the session is not started"));
    if (!file || !session_plane_file(s, index, file))
        return api_usage(s, file ? "no such file" : "nowhere to write what the file is to");
    return ASSAY_OK;
}

int assay_session_read_plane(assay_session *s, uint32_t index, void *to, size_t stride)
{
    graph_plane i;
    TRY(api_begin(s, api_scoring(s) && s->graph->keep, "planes are read from a started session with keep_planes"));
    const struct graph_plane_info *p = session_plane(s, index, &i);
    if (!p || !to || stride < (size_t)p->width * sample_size(p->type))
        return api_usage(s, "no such plane, or a stride shorter than its row");
    return session_read_plane(s, i, to, stride);
}

int assay_session_pass(assay_session *s, uint32_t index, assay_pass *pass)
{
    TRY(api_begin(s, api_planned(s), "the session is not started"));
    if (!pass || index >= s->graph->passes)
        return api_usage(s, pass ? "no such pass" : "nowhere to write what the pass is to");
    *pass = (assay_pass){.totals = s->graph->pass[index].totals_n, .extrema = s->graph->pass[index].extrema_n};
    graph_name(s->graph, index, pass->name);
    return ASSAY_OK;
}

int assay_session_read_pass(assay_session *s, uint32_t index, int64_t *totals, uint32_t *extrema)
{
    TRY(api_begin(s, api_scoring(s) && index < s->graph->passes, "no such pass, or a session that is not started"));
    TRY(session_drain(s));
    if (!s->done)
        return api_usage(s, "no frame was scored yet");
    const struct graph_pass_info *p = &s->graph->pass[index];
    if (totals && p->totals_n)
        memcpy(totals, s->results.totals + p->totals, p->totals_n * sizeof *totals);
    if (extrema && p->extrema_n)
        memcpy(extrema, s->results.extrema + 2 * (size_t)p->extrema, 2 * (size_t)p->extrema_n * sizeof *extrema);
    return ASSAY_OK;
}

/* ---- measuring ---- */

int assay_session_set_times(assay_session *s, assay_times_callback *callback, void *opaque)
{
    TRY(api_begin(s, api_scoring(s), "the session is not started, or finished"));
    TRY(session_drain(s));
    s->on_times = callback;
    s->on_times_opaque = opaque;
    s->executor->timed = callback != NULL;
    return ASSAY_OK;
}

int assay_session_work(assay_session *s, assay_work *work)
{
    TRY(api_begin(s, api_scoring(s) && work, "work is looked at after the session starts"));
    TRY(session_drain(s));
    session_work(s, work);
    return ASSAY_OK;
}

int assay_session_copy_rate(assay_session *s, int kind, size_t bytes, unsigned times, double *rate)
{
    TRY(api_begin(s, api_scoring(s) && bytes && times && rate &&
                         (kind == ASSAY_COPY_UPLOAD || kind == ASSAY_COPY_DEVICE),
                  "copies of a kind, of some bytes, are measured after the session starts"));
    TRY(session_drain(s));
    struct executor *x = s->executor;
    double seconds = 0.0;
    if (x->ops->copy_rate)
        TRY(x->ops->copy_rate(x, kind == ASSAY_COPY_UPLOAD ? COPY_UPLOAD : COPY_DEVICE, bytes, times, &seconds,
                              &s->error));
    *rate = seconds > 0.0 ? (double)bytes * times * (x->devices ? x->devices : 1) / seconds : 0.0;
    return ASSAY_OK;
}

const char *assay_session_backend(const assay_session *s) { return s && s->executor ? s->executor->ops->name : ""; }
const char *assay_session_device(const assay_session *s) { return s && s->executor ? s->executor->device : ""; }
const char *assay_session_driver(const assay_session *s) { return s && s->executor ? s->executor->driver : ""; }
const char *assay_session_notice(const assay_session *s) { return s && s->executor ? s->executor->notice : ""; }
const char *assay_session_choice(const assay_session *s) { return s && s->executor ? s->choice.text : ""; }
unsigned assay_session_threads(const assay_session *s) { return s && s->executor ? s->executor->threads : 0; }
const char *assay_session_configuration(const assay_session *s)
{
    return s && s->configuration ? s->configuration : "";
}
const char *assay_session_notes(const assay_session *s) { return s && s->notes ? s->notes : ""; }
const char *assay_session_encode_notes(const assay_session *s, uint32_t encode)
{
    return api_planned(s) && encode < s->encodes ? s->encode[encode].notes : NULL;
}

static char *printed(const assay_session *s, void (*print)(const assay_session *, FILE *))
{
    struct buffer_text out;
    if (buffer_open(&out))
        print(s, out.file);
    return buffer_close(&out);
}

static void print_graph(const assay_session *s, FILE *out) { graph_print(s->graph, out); }

static void print_memory(const assay_session *s, FILE *out)
{
    const struct executor_ops *ops = s->executor->ops;
    if (ops->print_memory)
        ops->print_memory(s->executor, s->graph, out);
    else
        graph_print_memory(s->graph, out);
    fprintf(out, "frame pair: %llu bytes, %u in flight, %u in memory\n", (unsigned long long)session_pair_bytes(s),
            s->room, s->slots);
    fprintf(out, "device: %llu bytes\n", (unsigned long long)ops->memory(s->executor, s->graph, s->slots));
}

char *assay_session_describe_graph(const assay_session *s) { return api_planned(s) ? printed(s, print_graph) : NULL; }
char *assay_session_describe_memory(const assay_session *s) { return api_scoring(s) ? printed(s, print_memory) : NULL; }
