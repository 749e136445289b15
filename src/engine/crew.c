/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/crew.h"

#include "executors/cpu/pool.h"
#include "host/cpu.h"

int crew_start(struct assay_session *s)
{
    const unsigned allowed = s->config.threads ? s->config.threads : cpu_allowed_count();
    unsigned parts = 0;
    for (uint32_t i = 0; i < s->metrics; i++)
        parts += s->metric[i]->ops->parts;
    const unsigned threads = parts < allowed ? parts : allowed;
    return threads > 1 ? cpu_pool_new(&s->crew, threads, threads, &s->error) : ASSAY_OK;
}

/* A tile of the pool's job is a part of the metric that the job's first plane points to. */
static void crew_part(const struct kernel_args *args)
{
    const struct metric *m = args->plane[0].data;
    m->ops->part(m, (uint32_t)args->tile_x, args->totals);
}

void crew_run(const struct assay_session *s, const int64_t *totals, uint32_t without)
{
    struct cpu_job job[SESSION_METRICS];
    uint32_t jobs = 0;
    union { const int64_t *in; int64_t *out; } words = {.in = totals}; /* parts only read them */
    for (uint32_t i = 0; i < s->metrics; i++) {
        const uint32_t parts = s->metric[i]->ops->parts;
        if (!parts || without >> (i / s->metrics_each) & 1)
            continue;
        if (!s->crew)
            for (uint32_t part = 0; part < parts; part++)
                s->metric[i]->ops->part(s->metric[i], part, totals);
        if (s->crew && jobs == SESSION_METRICS) {
            cpu_pool_run(s->crew, job, jobs);
            jobs = 0;
        }
        job[jobs++] = (struct cpu_job){.run = crew_part, .tiles_x = parts, .tiles = parts, .tile_w = 1, .tile_h = 1,
                                       .end_row = 1,
                                       .args = {.plane[0].data = s->metric[i], .totals = words.out,
                                                .grid_w = (int32_t)parts, .grid_h = 1}};
    }
    if (s->crew && jobs)
        cpu_pool_run(s->crew, job, jobs);
}
