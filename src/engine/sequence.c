/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/sequence.h"

#include <stdlib.h>
#include <string.h>

int sequence_init(struct sequence *q, struct metric *const *metric, uint32_t metrics, struct assay_error *e)
{
    uint32_t needs = 0;
    *q = (struct sequence){.metric = metric, .metrics = metrics};
    for (uint32_t i = 0; i < metrics; i++) {
        const struct metric *m = metric[i];
        if (m->before > METRIC_BEFORE || m->after > METRIC_AFTER)
            return assay_fail(e, ASSAY_EINTERNAL, "%s looks further than %d frames back or %d ahead", m->ops->name,
                              METRIC_BEFORE, METRIC_AFTER);
        q->keys += m->n_keys;
        needs = m->n_needs > needs ? m->n_needs : needs;
        q->before = m->before > q->before ? m->before : q->before;
        q->after = m->after > q->after ? m->after : q->after;
    }
    q->memory = calloc((SEQUENCE_ROWS + 1) * ((size_t)q->keys + 1) + needs, sizeof *q->memory);
    if (!q->memory)
        return assay_fail_memory(e, "the scores");
    for (uint32_t i = 0; i < SEQUENCE_ROWS; i++)
        q->row[i].value = q->memory + i * (size_t)q->keys;
    q->out = q->memory + SEQUENCE_ROWS * (size_t)q->keys;
    q->needed = q->out + q->keys;
    return ASSAY_OK;
}

void sequence_free(struct sequence *q)
{
    free(q->memory);
    *q = (struct sequence){0};
}

double *sequence_add(struct sequence *q, uint64_t frame, bool neighbour)
{
    const unsigned at = (unsigned)(q->added++ % SEQUENCE_ROWS);
    q->row[at].frame = frame;
    q->row[at].neighbour = neighbour;
    return q->row[at].value;
}

/* The values of all metrics around frame n. */
static void look_around(const struct sequence *q, uint64_t n, const double *row[SEQUENCE_ROWS])
{
    for (int k = -METRIC_BEFORE; k <= METRIC_AFTER; k++) {
        const uint64_t at = n + (uint64_t)(int64_t)k; /* an earlier frame than the first gives a huge number */
        const bool there = k >= -(int)q->before && k <= (int)q->after && at < q->added;
        row[METRIC_BEFORE + k] = there ? q->row[at % SEQUENCE_ROWS].value : NULL;
    }
}

/* The values that metrics predict from those of others. */
static void predict_frame(struct sequence *q)
{
    double *out = q->out;
    for (uint32_t i = 0; i < q->metrics; i++) {
        const struct metric *m = q->metric[i];
        for (uint32_t k = 0; k < m->n_needs; k++)
            q->needed[k] = q->out[m->need[k].column];
        if (m->ops->predict)
            m->ops->predict(m, q->needed, out);
        out += m->n_keys;
    }
}

static void resolve_frame(struct sequence *q, uint64_t n)
{
    const double *row[SEQUENCE_ROWS];
    double *out = q->out;
    look_around(q, n, row);
    memcpy(out, row[METRIC_BEFORE], q->keys * sizeof *out);
    for (uint32_t i = 0; i < q->metrics; i++) {
        const struct metric *m = q->metric[i];
        if (m->ops->resolve)
            m->ops->resolve(m, row + METRIC_BEFORE, out);
        for (int k = 0; k < SEQUENCE_ROWS; k++)
            row[k] = row[k] ? row[k] + m->n_keys : NULL;
        out += m->n_keys;
    }
    predict_frame(q);
}

bool sequence_resolve(struct sequence *q, bool ended, uint64_t *frame)
{
    while (q->resolved + (ended ? 0 : q->after) < q->added) {
        const uint64_t n = q->resolved++;
        if (q->row[n % SEQUENCE_ROWS].neighbour)
            continue;
        *frame = q->row[n % SEQUENCE_ROWS].frame;
        resolve_frame(q, n);
        return true;
    }
    return false;
}

void sequence_restart(struct sequence *q) { q->added = q->resolved = 0; }
