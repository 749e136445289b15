/* SPDX-License-Identifier: BSD-2-Clause */
/* The tile memory of a C kernel lies on the stack of the thread that runs it: at most 1 MiB at any instruction set,
 * which the CPU executor's threads have four times. A painted stack shows how deep a kernel went. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "exact/harness.h"
#include "executors/cpu/cpu.h"

enum { STACK = 8 << 20, LIMIT = 1 << 20, PAINT = 0x5a };

struct job {
    struct buffers *buffers;
    const struct trial_pass *pass;
    kernel_fn *run;
};

static void *work(void *opaque)
{
    const struct job *job = opaque;
    buffers_run(job->buffers, job->pass, job->run, 0, 0);
    return NULL;
}

/* Bytes of a painted stack that a thread used, painted again. A thread that does nothing uses a few kilobytes, too. */
static size_t depth(struct job *job, unsigned char *stack)
{
    pthread_attr_t attr;
    pthread_t thread;
    size_t untouched = 0;
    static unsigned char paint[4096];
    memset(paint, PAINT, sizeof paint);
    if (pthread_attr_init(&attr) || pthread_attr_setstack(&attr, stack, STACK) ||
        pthread_create(&thread, &attr, work, job)) {
        fprintf(stderr, "can't start a thread\n");
        exit(99);
    }
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    while (untouched < STACK && !memcmp(stack + untouched, paint, sizeof paint))
        untouched += sizeof paint;
    while (untouched < STACK && stack[untouched] == PAINT)
        untouched++;
    memset(stack + untouched, PAINT, STACK - untouched);
    return STACK - untouched;
}

struct deepest {
    unsigned char *stack;
    size_t most;
    const char *which;
    unsigned failures;
};

static void test_pass(void *opaque, const struct trials_pass *from)
{
    struct deepest *d = opaque;
    struct buffers b;
    buffers_make(&b, from, LAYOUT_TIGHT);
    for (const char *const *name = cpu_kernel_names(); *name; name++) {
        struct job job = {&b, &from->pass, cpu_kernels_by_name(*name)->kernel[from->pass.kernel]};
        const size_t used = depth(&job, d->stack);
        if (used > d->most) {
            d->most = used;
            d->which = from->pass.info->name;
        }
        if (used > LIMIT) {
            fprintf(stderr, "%s at %s needs %zu bytes of stack: at most %d\n", from->pass.info->name, *name, used,
                    LIMIT);
            d->failures++;
        }
    }
    buffers_free(&b);
}

int main(void)
{
    unsigned char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    struct deepest d = {.stack = stack, .which = ""};
    struct trials t;
    if (stack == MAP_FAILED) {
        fprintf(stderr, "out of memory\n");
        return 99;
    }
    memset(stack, PAINT, STACK);
    trials_open(&t, 1100, 180);
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (trials_count(&t, k))
            trials_each(&t, k, 0, PATTERN_RANDOM, 1, 16, test_pass, &d);
    trials_close(&t);
    munmap(stack, STACK);
    printf("deepest stack: %zu bytes, %s\n", d.most, d.which);
    return d.failures || d.most < 65536; /* less: nothing was measured, t_decimate alone has 100 kB */
}
