/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/pool.h"

#include <stdbool.h>
#include <stdlib.h>

#include "host/cpu.h"
#include "host/fpenv.h"
#include "host/thread.h"

enum { SPINS = 1000 }; /* looks before a thread sleeps: tens of microseconds, as long as two wake-ups cost */

struct cpu_pool {
    pthread_t *worker;
    unsigned workers;
    bool spins; /* every thread has a processor of its own */
    pthread_mutex_t lock;
    pthread_cond_t start, finish;
    bool quit;

    /* The work. A thread that has taken a tile may read `job` until it has counted the tile in `done`; the caller waits
     * for the tiles, and for no thread that has none: the system may give it no processor for a while. */
    const struct cpu_job *job;
    uint64_t work; /* atomic; tiles of all jobs << 32 | the next tile */
    uint32_t done; /* atomic; tiles */
};

static bool cpu_pool_has_work(struct cpu_pool *t)
{
    const uint64_t work = __atomic_load_n(&t->work, __ATOMIC_ACQUIRE);
    return (uint32_t)work < work >> 32;
}

static void cpu_pool_run_tile(const struct cpu_job *job, uint32_t n)
{
    while (n >= job->tiles)
        n -= job++->tiles;
    struct kernel_args args = job->args;
    args.tile_index = (int32_t)n;
    args.tile_x = (int32_t)(n % job->tiles_x * job->tile_w);
    args.tile_y = (int32_t)(job->row + n / job->tiles_x * job->tile_h);
    const int32_t left = args.grid_w - args.tile_x, below = (int32_t)job->end_row - args.tile_y;
    args.tile_w = left < (int32_t)job->tile_w ? left : (int32_t)job->tile_w;
    args.tile_h = below < (int32_t)job->tile_h ? below : (int32_t)job->tile_h;
    job->run(&args);
}

static void cpu_pool_take_tiles(struct cpu_pool *t)
{
    while (cpu_pool_has_work(t)) {
        const uint64_t work = __atomic_fetch_add(&t->work, 1, __ATOMIC_ACQ_REL);
        const uint32_t tiles = (uint32_t)(work >> 32);
        if ((uint32_t)work >= tiles)
            return;
        cpu_pool_run_tile(t->job, (uint32_t)work);
        if (__atomic_add_fetch(&t->done, 1, __ATOMIC_ACQ_REL) == tiles) {
            pthread_mutex_lock(&t->lock); /* the caller may be about to sleep */
            pthread_cond_signal(&t->finish);
            pthread_mutex_unlock(&t->lock);
        }
    }
}

static inline void cpu_pool_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void *cpu_pool_work(void *opaque)
{
    struct cpu_pool *t = opaque;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    for (bool quit = false; !quit;) {
        for (int i = 0; t->spins && i < SPINS && !cpu_pool_has_work(t); i++) /* saves waking up between passes */
            cpu_pool_relax();
        if (!cpu_pool_has_work(t)) {
            pthread_mutex_lock(&t->lock);
            while (!t->quit && !cpu_pool_has_work(t))
                pthread_cond_wait(&t->start, &t->lock);
            quit = t->quit;
            pthread_mutex_unlock(&t->lock);
        }
        cpu_pool_take_tiles(t);
    }
    assay_fpenv_leave(&saved);
    return NULL;
}

static void cpu_pool_wait(struct cpu_pool *t, uint32_t tiles)
{
    for (int i = 0; t->spins && i < SPINS && __atomic_load_n(&t->done, __ATOMIC_ACQUIRE) != tiles; i++)
        cpu_pool_relax();
    if (__atomic_load_n(&t->done, __ATOMIC_ACQUIRE) == tiles)
        return;
    pthread_mutex_lock(&t->lock);
    while (__atomic_load_n(&t->done, __ATOMIC_ACQUIRE) != tiles)
        pthread_cond_wait(&t->finish, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void cpu_pool_run(struct cpu_pool *t, const struct cpu_job *jobs, uint32_t count)
{
    uint32_t tiles = 0;
    struct assay_fpenv saved;
    for (uint32_t i = 0; i < count; i++)
        tiles += jobs[i].tiles;
    t->job = jobs;
    __atomic_store_n(&t->done, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&t->work, (uint64_t)tiles << 32, __ATOMIC_RELEASE);
    if (t->workers && tiles > 1) {
        pthread_mutex_lock(&t->lock);
        pthread_cond_broadcast(&t->start);
        pthread_mutex_unlock(&t->lock);
    }
    assay_fpenv_enter(&saved);
    cpu_pool_take_tiles(t);
    assay_fpenv_leave(&saved);
    cpu_pool_wait(t, tiles);
}

int cpu_pool_new(struct cpu_pool **out, unsigned threads, struct assay_error *e)
{
    struct cpu_pool *t = *out = calloc(1, sizeof *t);
    if (!t)
        return assay_fail_memory(e, "the CPU executor");
    t->spins = threads <= cpu_allowed_count();
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->start, NULL);
    pthread_cond_init(&t->finish, NULL);
    if (!(t->worker = calloc(threads, sizeof *t->worker)))
        return assay_fail_memory(e, "the CPU executor");
    for (; t->workers + 1 < threads; t->workers++)
        if (thread_start(&t->worker[t->workers], cpu_pool_work, t))
            return assay_fail(e, ASSAY_EINTERNAL, "can't start compute thread %u of %u", t->workers + 1, threads - 1);
    return ASSAY_OK;
}

void cpu_pool_free(struct cpu_pool **pool)
{
    struct cpu_pool *t = *pool;
    if (!t)
        return;
    *pool = NULL;
    pthread_mutex_lock(&t->lock);
    t->quit = true;
    pthread_cond_broadcast(&t->start);
    pthread_mutex_unlock(&t->lock);
    for (unsigned i = 0; i < t->workers; i++)
        pthread_join(t->worker[i], NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->start);
    pthread_cond_destroy(&t->finish);
    free(t->worker);
    free(t);
}
