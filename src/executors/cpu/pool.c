/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/pool.h"

#include <stdbool.h>
#include <stdlib.h>

#include "host/cpu.h"
#include "host/fpenv.h"
#include "host/thread.h"

enum { SPINS = 1000 }; /* looks before a thread sleeps: tens of microseconds, as long as two wake-ups cost */

/* A thread's share of every job: the same part of its tiles in every wave, so that what a pass wrote is in the cache of
 * the processor that reads it in the next one. A thread that is done with its share takes tiles of the others'. */
struct cpu_share {
    struct cpu_pool *pool;
    pthread_t thread;
    uint64_t work; /* atomic; tiles << 32 | the next one */
    char apart[64 - sizeof(void *) - sizeof(pthread_t) - sizeof(uint64_t)]; /* other threads' are in other lines */
};

struct cpu_pool {
    struct cpu_share *share; /* the first is that of the caller */
    uint32_t shares;
    bool spins; /* every thread has a processor of its own */
    pthread_mutex_t lock;
    pthread_cond_t start, finish;

    /* The work. A thread that has taken a tile may read `job` until it has counted the tile in `left`; the caller waits
     * for the tiles, and for no thread that has none: the system may give it no processor for a while. */
    const struct cpu_job *job;
    uint64_t left;  /* atomic; tiles of all jobs */
    uint64_t round; /* atomic; calls of cpu_pool_run; LAST_ROUND: the threads end */
};

static const uint64_t LAST_ROUND = UINT64_MAX;

/* The first tile of a job in a share. */
static uint32_t cpu_share_first(const struct cpu_pool *t, const struct cpu_job *job, uint32_t share)
{
    return (uint32_t)((uint64_t)job->tiles * share / t->shares);
}

/* Runs tile n of a share, which counts through its parts of all jobs. */
static void cpu_pool_run_tile(const struct cpu_pool *t, uint32_t share, uint32_t n)
{
    const struct cpu_job *job = t->job;
    uint32_t first, tiles;
    for (;; job++, n -= tiles) {
        first = cpu_share_first(t, job, share);
        tiles = cpu_share_first(t, job, share + 1) - first;
        if (n < tiles)
            break;
    }
    n += first;
    struct kernel_args args = job->args;
    args.tile_index = (int32_t)n;
    args.tile_x = (int32_t)(n % job->tiles_x * job->tile_w);
    args.tile_y = (int32_t)(job->row + n / job->tiles_x * job->tile_h);
    const int32_t left = args.grid_w - args.tile_x, below = (int32_t)job->end_row - args.tile_y;
    args.tile_w = left < (int32_t)job->tile_w ? left : (int32_t)job->tile_w;
    args.tile_h = below < (int32_t)job->tile_h ? below : (int32_t)job->tile_h;
    job->run(&args);
}

/* Runs the next tile of a share, if one is left. */
static bool cpu_pool_take_tile(struct cpu_pool *t, uint32_t share)
{
    uint64_t *const at = &t->share[share].work, work = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if ((uint32_t)work < work >> 32)
        work = __atomic_fetch_add(at, 1, __ATOMIC_ACQ_REL);
    if ((uint32_t)work >= work >> 32)
        return false;
    cpu_pool_run_tile(t, share, (uint32_t)work);
    if (!__atomic_sub_fetch(&t->left, 1, __ATOMIC_ACQ_REL)) {
        pthread_mutex_lock(&t->lock); /* the caller may be about to sleep */
        pthread_cond_signal(&t->finish);
        pthread_mutex_unlock(&t->lock);
    }
    return true;
}

static void cpu_pool_take_tiles(struct cpu_pool *t, uint32_t own)
{
    for (uint32_t i = 0; i < t->shares; i++)
        while (cpu_pool_take_tile(t, (own + i) % t->shares))
            while (cpu_pool_take_tile(t, own)) {} /* the next wave may have begun */
}

static inline void cpu_pool_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Returns when (*at == value) is `wanted`. Looks first, which saves waking up between passes, and then sleeps. */
static void cpu_pool_await(struct cpu_pool *t, const uint64_t *at, uint64_t value, bool wanted, pthread_cond_t *changed)
{
    for (int i = 0; t->spins && i < SPINS && (__atomic_load_n(at, __ATOMIC_ACQUIRE) == value) != wanted; i++)
        cpu_pool_relax();
    if ((__atomic_load_n(at, __ATOMIC_ACQUIRE) == value) == wanted)
        return;
    pthread_mutex_lock(&t->lock);
    while ((__atomic_load_n(at, __ATOMIC_ACQUIRE) == value) != wanted)
        pthread_cond_wait(changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void *cpu_pool_work(void *opaque)
{
    struct cpu_share *const own = opaque;
    struct cpu_pool *const t = own->pool;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    for (uint64_t seen = 0; seen != LAST_ROUND;) {
        cpu_pool_await(t, &t->round, seen, false, &t->start);
        seen = __atomic_load_n(&t->round, __ATOMIC_ACQUIRE);
        cpu_pool_take_tiles(t, (uint32_t)(own - t->share));
    }
    assay_fpenv_leave(&saved);
    return NULL;
}

static void cpu_pool_start(struct cpu_pool *t, uint64_t round)
{
    __atomic_store_n(&t->round, round, __ATOMIC_RELEASE);
    pthread_mutex_lock(&t->lock); /* a thread may be about to sleep */
    pthread_cond_broadcast(&t->start);
    pthread_mutex_unlock(&t->lock);
}

void cpu_pool_run(struct cpu_pool *t, const struct cpu_job *jobs, uint32_t count)
{
    uint64_t tiles = 0;
    struct assay_fpenv saved;
    for (uint32_t i = 0; i < count; i++)
        tiles += jobs[i].tiles;
    t->job = jobs;
    __atomic_store_n(&t->left, tiles, __ATOMIC_RELAXED);
    for (uint32_t s = 0; s < t->shares; s++) {
        uint64_t own = 0;
        for (uint32_t i = 0; i < count; i++)
            own += cpu_share_first(t, &jobs[i], s + 1) - cpu_share_first(t, &jobs[i], s);
        __atomic_store_n(&t->share[s].work, own << 32, __ATOMIC_RELEASE);
    }
    if (t->shares > 1 && tiles > 1)
        cpu_pool_start(t, t->round + 1);
    assay_fpenv_enter(&saved);
    cpu_pool_take_tiles(t, 0);
    assay_fpenv_leave(&saved);
    cpu_pool_await(t, &t->left, 0, true, &t->finish);
}

int cpu_pool_new(struct cpu_pool **out, unsigned threads, unsigned all, struct assay_error *e)
{
    struct cpu_pool *t = *out = calloc(1, sizeof *t);
    if (!t)
        return assay_fail_memory(e, "the CPU executor");
    t->spins = all <= cpu_allowed_count();
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->start, NULL);
    pthread_cond_init(&t->finish, NULL);
    if (!(t->share = calloc(threads, sizeof *t->share)))
        return assay_fail_memory(e, "the CPU executor");
    for (t->shares = 1; t->shares < threads; t->shares++) {
        t->share[t->shares].pool = t;
        if (thread_start(&t->share[t->shares].thread, cpu_pool_work, &t->share[t->shares]))
            return assay_fail(e, ASSAY_EINTERNAL, "can't start compute thread %u of %u", t->shares, threads - 1);
    }
    return ASSAY_OK;
}

void cpu_pool_free(struct cpu_pool **pool)
{
    struct cpu_pool *t = *pool;
    if (!t)
        return;
    *pool = NULL;
    cpu_pool_start(t, LAST_ROUND);
    for (uint32_t i = 1; i < t->shares; i++)
        pthread_join(t->share[i].thread, NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->start);
    pthread_cond_destroy(&t->finish);
    free(t->share);
    free(t);
}
