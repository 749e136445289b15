/* SPDX-License-Identifier: BSD-2-Clause */
/* How many jobs of `assay batch` run at once: what the machine has, and what a pair of pictures takes of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cpu.h"
#include "jobs/jobs.h"

/*
 * Of a pair that is scored with several threads, one thread waits for another now and then, and the more often, the
 * smaller the pictures are. On 16 processors the default metrics of 16 processes with a thread each score 2.1 times as
 * many pairs of 576x324 as one process with 16 threads; eight with two threads score 1.65 times as many of 1920x1080
 * and 1.35 times as many of 3840x2160, where a thread each would be no faster and take twice the memory.
 */
enum { SMALL = 1280 * 720, THREADS_SMALL = 1, THREADS = 2, GPU_JOBS = 2 };

/* A pair takes 16 MB (576x324) to 118 MB (3840x2160) with the default metrics; decoders and other metrics take more.
 * What a job has really taken replaces this as soon as it is more. */
#define MEMORY_LEAST (UINT64_C(64) << 20)
#define MEMORY_OF_A_PIXEL UINT64_C(128)

uint32_t jobs_threads(uint32_t named, bool on_gpu, uint32_t width, uint32_t height, uint32_t processors)
{
    const uint64_t pixels = (uint64_t)width * height;
    /* A device is shared by GPU_JOBS jobs: one is started or decodes while the other computes. */
    uint32_t n = on_gpu ? (processors + GPU_JOBS - 1) / GPU_JOBS : pixels && pixels < SMALL ? THREADS_SMALL : THREADS;
    n = named && !on_gpu ? named : n;
    return n < processors ? n : processors;
}

uint64_t jobs_memory(uint32_t width, uint32_t height)
{
    const uint64_t pixels = (uint64_t)width * height;
    return MEMORY_LEAST + MEMORY_OF_A_PIXEL * (pixels ? pixels : 1920 * 1080);
}

/* A number at the start of a file, or behind `name` in it. False where there is none ("max"). */
static bool read_number(const char *path, const char *name, uint64_t *value)
{
    char line[200];
    bool found = false;
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        const size_t n = strlen(name);
        char *end;
        if (strncmp(line, name, n))
            continue;
        *value = strtoull(line + n, &end, 10);
        found = end > line + n;
    }
    if (f)
        fclose(f);
    return found;
}

/* What can be had without swapping, also inside a container. 0: not known. */
static uint64_t free_memory(void)
{
    uint64_t available = 0, most, used;
    if (read_number("/proc/meminfo", "MemAvailable:", &available))
        available *= 1024;
    if (read_number("/sys/fs/cgroup/memory.max", "", &most) &&
        read_number("/sys/fs/cgroup/memory.current", "", &used) && (!available || most < available + used))
        available = most > used ? most - used : 1;
    return available;
}

struct jobs_machine jobs_machine(void)
{
    const unsigned processors = cpu_allowed_count();
    return (struct jobs_machine){.processors = processors ? processors : 1, .memory = free_memory() / 2};
}
