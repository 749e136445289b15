/* SPDX-License-Identifier: BSD-2-Clause */
/* The pool of threads: every tile is run once, threads begin with their own share, and nobody waits for a thread that
 * has none. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "executors/cpu/pool.h"

static int failures;

#define CHECK(ok) ((ok) ? (void)0 : (failures++, (void)printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #ok)))

enum { JOBS = 5, TILES = 40 };
static uint32_t runs[JOBS][TILES];

static void count_tile(const struct kernel_args *args)
{
    uint32_t *const job = args->plane[0].data;
    __atomic_fetch_add(&job[args->tile_index], 1, __ATOMIC_RELAXED);
}

static struct cpu_job job_of(kernel_fn *run, void *data, uint32_t tiles)
{
    return (struct cpu_job){.run = run, .tiles_x = tiles ? tiles : 1, .tiles = tiles, .tile_w = 1, .tile_h = 1,
                            .end_row = 1, .args = {.plane[0].data = data, .grid_w = (int32_t)tiles, .grid_h = 1}};
}

static void check_counts(unsigned threads, unsigned rounds)
{
    struct cpu_pool *pool;
    struct assay_error e = {0};
    CHECK(!cpu_pool_new(&pool, threads, threads, &e));
    for (unsigned round = 0, random = 1; round < rounds; round++) {
        struct cpu_job job[JOBS];
        uint32_t tiles[JOBS], jobs, wrong = 0;
        random = random * 1664525u + 1013904223u;
        jobs = (random >> 24) % (JOBS + 1);
        memset(runs, 0, sizeof runs);
        for (uint32_t i = 0; i < jobs; i++) {
            random = random * 1664525u + 1013904223u;
            tiles[i] = (random >> 24) % (TILES + 1);
            job[i] = job_of(count_tile, runs[i], tiles[i]);
        }
        cpu_pool_run(pool, job, jobs);
        for (uint32_t i = 0; i < jobs; i++)
            for (uint32_t k = 0; k < TILES; k++)
                wrong += runs[i][k] != (k < tiles[i]);
        CHECK(!wrong);
    }
    cpu_pool_free(&pool);
}

/* ---- a thread that is held ---- */

static pthread_t other;
static pid_t other_number;
static uint32_t met;
static int held[2], release[2]; /* pipes: of the thread that is held, and to it */

/* Both threads have a tile before one of them ends. */
static void meet(const struct kernel_args *args)
{
    const pthread_t *const caller = args->plane[0].data;
    if (!pthread_equal(pthread_self(), *caller)) {
        other = pthread_self();
        other_number = gettid();
    }
    __atomic_fetch_add(&met, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&met, __ATOMIC_ACQUIRE) < 2)
        usleep(100);
}

static void hold(int number)
{
    char byte = (char)number;
    if (write(held[1], &byte, 1) != 1 || read(release[0], &byte, 1) != 1)
        _exit(1);
}

/* Whether a thread sleeps: then it waits for work, and has no lock. */
static bool sleeps(pid_t number)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)number);
    FILE *const f = fopen(path, "r");
    const bool read = f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1;
    if (f)
        fclose(f);
    return read && state == 'S';
}

/* Two threads run tiles in lockstep, one each at a time: the caller those of the first half of every job. */
static void in_step(const struct kernel_args *args)
{
    const pthread_t *const caller = args->plane[0].data;
    const uint32_t before = __atomic_fetch_add(&met, 1, __ATOMIC_ACQ_REL), end = before / 2 * 2 + 2;
    const bool is_caller = pthread_equal(pthread_self(), *caller);
    if (!is_caller)
        other_number = gettid();
    CHECK(is_caller == (args->tile_index < args->grid_w / 2));
    while (__atomic_load_n(&met, __ATOMIC_ACQUIRE) < end)
        usleep(100);
}

static void check_shares(void)
{
    struct cpu_pool *pool;
    struct assay_error e = {0};
    pthread_t caller = pthread_self();
    const struct cpu_job job[2] = {job_of(in_step, &caller, 6), job_of(in_step, &caller, 2)};
    CHECK(!cpu_pool_new(&pool, 2, 2, &e));
    for (unsigned round = 0; round < 20; round++) {
        met = 0;
        cpu_pool_run(pool, job, 2);
        while (!sleeps(other_number)) /* it may look for tiles of the caller's yet */
            usleep(100);
    }
    cpu_pool_free(&pool);
    met = 0;
}

static void check_held(void)
{
    struct cpu_pool *pool;
    struct assay_error e = {0};
    pthread_t caller = pthread_self();
    char byte;
    CHECK(!pipe(held) && !pipe(release) && !cpu_pool_new(&pool, 2, 2, &e));
    cpu_pool_run(pool, &(struct cpu_job){0}, 0);
    const struct cpu_job both = job_of(meet, &caller, 2);
    cpu_pool_run(pool, &both, 1);
    CHECK(other_number != 0);
    while (!sleeps(other_number))
        usleep(1000);
    signal(SIGUSR1, hold);
    CHECK(!pthread_kill(other, SIGUSR1) && read(held[0], &byte, 1) == 1);
    memset(runs, 0, sizeof runs);
    const struct cpu_job job = job_of(count_tile, runs[0], TILES);
    alarm(60); /* a pool that waits for the thread never returns */
    cpu_pool_run(pool, &job, 1);
    alarm(0);
    for (uint32_t k = 0; k < TILES; k++)
        CHECK(runs[0][k] == 1);
    CHECK(write(release[1], &byte, 1) == 1);
    cpu_pool_free(&pool);
}

int main(void)
{
    for (unsigned threads = 1; threads <= 8; threads++)
        check_counts(threads, 3000);
    check_shares();
    check_held();
    return failures != 0;
}
