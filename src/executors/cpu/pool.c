/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "executors/executor.h"
#include "host/cpu.h"
#include "host/fpenv.h"

enum { SPINS = 1000 }; /* looks before a thread sleeps: tens of microseconds, as long as two wake-ups cost */

struct cpu_pool {
    pthread_t *worker;
    unsigned workers;
    bool spins; /* every thread has a processor of its own */
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    bool quit;

    /* The work: set by the caller before `generation` is raised, read only until `busy` is 0 again. */
    const struct cpu_job *job;
    uint32_t tiles;       /* of all jobs */
    uint32_t next_tile;   /* atomic */
    uint64_t generation;  /* atomic; counts cpu_pool_run, written under the lock */
    unsigned busy;        /* atomic; workers that still look for tiles */
};

static void cpu_pool_take_tiles(struct cpu_pool *t)
{
    const struct cpu_job *job = t->job;
    struct kernel_args args = job->args;
    uint32_t first = 0; /* tile of this job in the count of all */
    for (;;) {
        uint32_t n = __atomic_fetch_add(&t->next_tile, 1, __ATOMIC_RELAXED);
        if (n >= t->tiles)
            return;
        if (n - first >= job->tiles) {
            do {
                first += job->tiles;
                job++;
            } while (n - first >= job->tiles);
            args = job->args;
        }
        n -= first;
        args.tile_index = (int32_t)n;
        args.tile_x = (int32_t)(n % job->tiles_x * job->tile_w);
        args.tile_y = (int32_t)(job->row + n / job->tiles_x * job->tile_h);
        const int32_t left = args.grid_w - args.tile_x, below = (int32_t)job->end_row - args.tile_y;
        args.tile_w = left < (int32_t)job->tile_w ? left : (int32_t)job->tile_w;
        args.tile_h = below < (int32_t)job->tile_h ? below : (int32_t)job->tile_h;
        job->run(&args);
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

/* Waits for work for a while without sleeping, which saves waking up between the passes of a frame. */
static bool cpu_pool_spin_for_work(struct cpu_pool *t, uint64_t seen)
{
    for (int i = 0; t->spins && i < SPINS; i++) {
        if (__atomic_load_n(&t->generation, __ATOMIC_ACQUIRE) != seen)
            return true;
        cpu_pool_relax();
    }
    return false;
}

static void *cpu_pool_work(void *opaque)
{
    struct cpu_pool *t = opaque;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    for (uint64_t seen = 0;; seen++) {
        if (!cpu_pool_spin_for_work(t, seen)) {
            pthread_mutex_lock(&t->lock);
            while (!t->quit && t->generation == seen)
                pthread_cond_wait(&t->start, &t->lock);
            const bool quit = t->generation == seen;
            pthread_mutex_unlock(&t->lock);
            if (quit)
                break;
        }
        cpu_pool_take_tiles(t);
        if (__atomic_sub_fetch(&t->busy, 1, __ATOMIC_ACQ_REL) == 0) {
            pthread_mutex_lock(&t->lock); /* the caller may be about to sleep */
            pthread_cond_signal(&t->done);
            pthread_mutex_unlock(&t->lock);
        }
    }
    assay_fpenv_leave(&saved);
    return NULL;
}

static bool cpu_pool_all_idle(struct cpu_pool *t)
{
    return __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE) == 0;
}

static void cpu_pool_wait_for_workers(struct cpu_pool *t)
{
    for (int i = 0; t->spins && i < SPINS && !cpu_pool_all_idle(t); i++)
        cpu_pool_relax();
    if (cpu_pool_all_idle(t))
        return;
    pthread_mutex_lock(&t->lock);
    while (!cpu_pool_all_idle(t))
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void cpu_pool_run(struct cpu_pool *t, const struct cpu_job *jobs, uint32_t count)
{
    t->job = jobs;
    t->tiles = 0;
    for (uint32_t i = 0; i < count; i++)
        t->tiles += jobs[i].tiles;
    if (!t->tiles)
        return;
    __atomic_store_n(&t->next_tile, 0, __ATOMIC_RELAXED);
    const bool alone = !t->workers || t->tiles == 1;
    if (!alone) {
        __atomic_store_n(&t->busy, t->workers, __ATOMIC_RELAXED);
        pthread_mutex_lock(&t->lock);
        __atomic_store_n(&t->generation, t->generation + 1, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&t->start);
        pthread_mutex_unlock(&t->lock);
    }
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    cpu_pool_take_tiles(t);
    assay_fpenv_leave(&saved);
    if (!alone)
        cpu_pool_wait_for_workers(t);
}

static int cpu_pool_start_workers(struct cpu_pool *t, unsigned count, struct assay_error *e)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return assay_fail_memory(e, "the CPU executor");
    pthread_attr_setstacksize(&attr, EXECUTOR_STACK);
    int rc = ASSAY_OK;
    while (!rc && t->workers < count) {
        if (pthread_create(&t->worker[t->workers], &attr, cpu_pool_work, t))
            rc = assay_fail(e, ASSAY_EINTERNAL, "can't start compute thread %u of %u", t->workers + 1, count);
        else
            t->workers++;
    }
    pthread_attr_destroy(&attr);
    return rc;
}

int cpu_pool_new(struct cpu_pool **out, unsigned threads, struct assay_error *e)
{
    struct cpu_pool *t = *out = calloc(1, sizeof *t);
    if (!t)
        return assay_fail_memory(e, "the CPU executor");
    t->spins = threads <= cpu_allowed_count();
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->start, NULL);
    pthread_cond_init(&t->done, NULL);
    t->worker = calloc(threads, sizeof *t->worker);
    return t->worker ? cpu_pool_start_workers(t, threads - 1, e) : assay_fail_memory(e, "the CPU executor");
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
    pthread_cond_destroy(&t->done);
    free(t->worker);
    free(t);
}
