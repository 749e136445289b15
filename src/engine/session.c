/* SPDX-License-Identifier: BSD-2-Clause */
/* Start and end of a session, and queries between frames. */
#include "engine/session.h"

#include <stdlib.h>
#include <string.h>

#include "engine/crew.h"
#include "engine/devices.h"
#include "engine/pump.h"
#include "engine/read.h"
#include "engine/ring.h"
#include "executors/cpu/pool.h"
#include "host/format.h"

/* The device is chosen for the first encode: the work of the others is like its own. */
static int choose(struct assay_session *s)
{
    struct selftest_subject subject;
    struct session_proof proof;
    int rc = session_subject(s, 0, &proof, &subject, &s->error);
    if (!rc)
        rc = choose_device(&s->config, &subject, &s->choice, &s->error);
    session_subject_free(&proof);
    s->config.backend = s->choice.backend;
    s->config.device = *s->choice.device ? s->choice.device : NULL;
    return rc;
}

/* Whether an encode's passes are those of an earlier one, up to the pictures that they read. */
static bool proved_before(const struct assay_session *s, uint32_t encode)
{
    const struct metric_pair *pair = &s->encode[encode].pair;
    for (uint32_t k = 0; k < encode; k++)
        if (!memcmp(pair->given, s->encode[k].pair.given, sizeof pair->given))
            return true;
    return false;
}

/* Each encode's passes are proved as those of a session of its own, so that what is on record is not run again. */
static int prove(struct assay_session *s, const struct selftest_device *device)
{
    int rc = ASSAY_OK;
    for (uint32_t k = 0; !rc && k < s->encodes; k++) {
        struct selftest_subject subject;
        struct session_proof proof;
        if (proved_before(s, k) || !s->executor->ops->modules)
            continue;
        rc = session_subject(s, k, &proof, &subject, &s->error);
        if (!rc)
            rc = selftest_prove(s->executor, device, &subject, &s->error);
        session_subject_free(&proof);
    }
    return rc;
}

static int open_executor(struct assay_session *s)
{
    const struct selftest_device device = {devices_open, &s->config, .threads = true};
    if (s->config.backend && !strcmp(s->config.backend, "auto"))
        TRY(choose(s));
    TRY(devices_open_for(&s->config, s->graph, &s->executor, &s->error));
    for (uint32_t side = 0; side < s->sides; side++)
        if (s->side[side].on_device && !s->executor->ops->take)
            return assay_fail(&s->error, ASSAY_EDEVICE, "pictures in a device's memory can't be scored on %s%s",
                              s->executor->ops->name,
                              s->config.device && s->executor->devices ? " of several devices" : "");
    return prove(s, &device);
}

int session_may_start(struct assay_session *s)
{
    if (s->started || s->graph || s->executor)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a session is started once; one whose start failed is closed");
    return s->metrics ? ASSAY_OK : assay_fail(&s->error, ASSAY_EUSAGE, "no metric was added");
}

/* Pictures in a device's memory are read there as they are. */
static int refuse_conversion(struct assay_session *s, bool all)
{
    for (uint32_t side = 0; side < s->sides; side++)
        if ((all || s->side[side <= s->encodes ? side : 0].on_device) && !s->side[side].recode.equal)
            return assay_fail(&s->error, ASSAY_EUSAGE, "%s pictures in a device's memory can't be brought to another "
                              "depth or layout", side && side <= s->encodes ? "distorted" : "reference");
    return ASSAY_OK;
}

/* Allocates the slots and prepares the executor for them. */
static int prepare(struct assay_session *s)
{
    bool on_device = s->source.opaque != NULL;
    for (uint32_t side = 0; side < s->sides; side++)
        on_device |= s->side[side].on_device;
    if (s->graph->mirrored && on_device)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a metric takes the video as mirrored at its first frame "
                          "(padding=symmetric), and pictures in a device's memory can't be read twice");
    TRY(ring_init(s));
    return s->executor->ops->prepare(s->executor, s->graph, s->slots, &s->error);
}

int session_start(struct assay_session *s, const assay_format *format)
{
    for (unsigned side = 0; side < SESSION_SIDES; side++)
        s->side[side].on_device = s->config.gpu_sides >> side & 1;
    TRY(session_plan(s, format));
    TRY(refuse_conversion(s, false));
    TRY(open_executor(s));
    TRY(prepare(s));
    TRY(crew_start(s));
    TRY(pump_start_thread(s));
    s->started = true;
    return ASSAY_OK;
}

int session_start_on_device(struct assay_session *s, const assay_format *format, struct executor *x,
                            const struct selftest_device *device)
{
    s->executor = x;
    if (session_encodes(&s->config) > 1)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a session of images on a device has one encode, not %u",
                          session_encodes(&s->config));
    TRY(session_plan(s, format));
    TRY(refuse_conversion(s, true));
    TRY(prove(s, device));
    TRY(prepare(s));
    s->started = true;
    return ASSAY_OK;
}

/* The session's thread sleeps when every frame is done, so the calling thread may use the executor. */
int session_read_plane(struct assay_session *s, graph_plane plane, void *to, size_t stride)
{
    TRY(session_drain(s));
    if (!s->done)
        return assay_fail(&s->error, ASSAY_EUSAGE, "no frame was scored yet");
    const uint32_t last = ring_slot(s, s->done - 1);
    return s->executor->ops->read_plane(s->executor, last, plane, to, stride, &s->error);
}

static uint64_t plane_bytes(const struct graph_plane_info *p)
{
    return (uint64_t)p->width * p->height * sample_size(p->type);
}

uint64_t session_pair_bytes(const struct assay_session *s)
{
    uint64_t pair = 0;
    for (uint32_t i = 0; i < s->sides * INPUT_PLANES; i++) {
        const assay_format *f = &s->side[i / INPUT_PLANES].held;
        const uint32_t p = i % INPUT_PLANES;
        pair += (uint64_t)assay_format_plane_height(f, p) * ((format_row_bytes(f, p) + 63) / 64 * 64);
    }
    return pair;
}

void session_work(const struct assay_session *s, assay_work *work)
{
    const struct executor *x = s->executor;
    const struct graph *g = s->graph;
    *work = (assay_work){.frames = s->slots, .in_flight = x->depth < s->slots ? x->depth : s->slots,
                         .devices = x->devices ? x->devices : 1, .passes = g->passes, .dispatches = x->passes_run,
                         .submissions = x->submissions, .picture_bytes = s->slots * session_pair_bytes(s),
                         .device_bytes = x->ops->memory(s->executor, g, s->slots)};
    for (graph_plane i = 0; i < g->planes; i++)
        if (g->plane[i].input && !g->plane[i].table && !(x->keeps && g->plane[i].age))
            work->upload_bytes += plane_bytes(&g->plane[i]);
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        for (unsigned i = 0; i < (unsigned)k->planes_in + k->planes_out; i++)
            work->pass_bytes += plane_bytes(&g->plane[g->pass[p].plane[i]]);
    }
}

void session_finish(struct assay_session *s)
{
    if (s->reading)
        session_read_stop(s, NULL);
    if (s->held)
        session_commit(s, 0, ASSAY_UNUSED);
    pump_stop(s);
    cpu_pool_free(&s->crew);
    ring_free(s);
    if (s->executor)
        s->executor->ops->close(&s->executor);
    if (s->source.opaque)
        s->source.free(s->source.opaque);
    s->source = (struct session_source){0};
    free(s->zeros);
    s->zeros = NULL;
    for (uint32_t k = 0; k < ASSAY_ENCODES; k++) {
        free(s->encode[k].blank_memory);
        s->encode[k].blank_memory = NULL;
    }
    s->finished = true;
}

void session_free(struct assay_session *s)
{
    if (!s->finished)
        session_finish(s);
    graph_free(&s->graph);
    for (uint32_t i = 0; i < s->metrics; i++)
        metric_free(&s->metric[i]);
    free(s->row);
    free(s->key);
    free(s->aggregate_key);
    free(s->accumulator_name);
    free(s->accumulator);
    free(s->unused);
    for (uint32_t side = 0; side < GRAPH_SIDES; side++)
        recode_free(&s->side[side].recode);
    for (uint32_t k = 0; k < ASSAY_ENCODES; k++) {
        sequence_free(&s->encode[k].sequence);
        scores_free(&s->encode[k].scores);
        free(s->encode[k].notes);
    }
    free(s->configuration);
    free(s->notes);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s);
}
