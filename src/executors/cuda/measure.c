/* SPDX-License-Identifier: BSD-2-Clause */
/* What the device's own clock says of a frame, and how fast it copies. */

#include "host/clock.h"

#include "executors/cuda/frame.h"

int cu_slot_marks(struct cu_slot *s, struct cu_gpu *gpu, struct assay_error *e)
{
    const struct cu_driver *d = &gpu->driver;
    cu_result r = 0;
    for (unsigned i = 0; !r && i < 3; i++)
        if (!s->mark[i] && (r = d->event_create(&s->mark[i], 0)))
            s->mark[i] = NULL;
    if (!r && !gpu->origin) {
        if ((r = d->event_create(&gpu->origin, 0)))
            gpu->origin = NULL;
        else if (!(r = d->event_record(gpu->origin, s->stream)))
            r = d->event_wait(gpu->origin);
    }
    return r ? cu_fail(d, r, "making an event", e) : ASSAY_OK;
}

int cu_slot_times(const struct cu_slot *s, const struct cu_gpu *gpu, struct frame_times *times, struct assay_error *e)
{
    *times = (struct frame_times){0};
    uint64_t at[3];
    for (unsigned i = 0; s->timed && i < 3; i++) {
        float ms = 0.0f;
        const cu_result r = gpu->driver.event_elapsed(&ms, gpu->origin, s->mark[i]);
        if (r)
            return cu_fail(&gpu->driver, r, "asking for a frame's times", e);
        at[i] = (uint64_t)((double)ms * 1e6);
    }
    if (s->timed)
        *times = (struct frame_times){.upload = {at[0], at[1]}, .passes = {at[1], at[2]}};
    return ASSAY_OK;
}

struct copies {
    cu_address to, from;
    void *host;
    cu_stream stream;
};

static cu_result prepare(struct copies *c, const struct cu_driver *d, enum executor_copy kind, size_t bytes)
{
    cu_result r = d->stream_create(&c->stream, CU_STREAM_APART);
    if (r)
        c->stream = NULL;
    if (!r && (r = d->memory_alloc(&c->to, bytes)))
        c->to = 0;
    if (!r && kind == COPY_DEVICE && (r = d->memory_alloc(&c->from, bytes)))
        c->from = 0;
    if (!r && kind == COPY_UPLOAD && (r = d->host_alloc(&c->host, bytes, CU_HOST_PORTABLE)))
        c->host = NULL;
    return r;
}

static cu_result copy(const struct copies *c, const struct cu_driver *d, size_t bytes, unsigned times)
{
    cu_result r = 0;
    for (unsigned i = 0; !r && i < times; i++)
        r = c->host ? d->upload(c->to, c->host, bytes, c->stream) : d->copy_device(c->to, c->from, bytes, c->stream);
    const cu_result waited = d->stream_wait(c->stream);
    return r ? r : waited;
}

int cu_copy_rate(const struct cu_gpu *gpu, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                 struct assay_error *e)
{
    const struct cu_driver *d = &gpu->driver;
    struct copies c = {0};
    cu_result r = prepare(&c, d, kind, bytes);
    if (!r)
        r = copy(&c, d, bytes, 1); /* the first one touches the memory */
    const uint64_t start = clock_ns();
    if (!r)
        r = copy(&c, d, bytes, times);
    *seconds = clock_seconds_since(start);
    if (c.host)
        d->host_free(c.host);
    if (c.from)
        d->memory_free(c.from);
    if (c.to)
        d->memory_free(c.to);
    if (c.stream)
        d->stream_destroy(c.stream);
    return r ? cu_fail(d, r, "measuring a copy", e) : ASSAY_OK;
}
