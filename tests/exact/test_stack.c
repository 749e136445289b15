/* SPDX-License-Identifier: BSD-2-Clause */
/* The tile memory of a C kernel lies on the stack of the thread that runs it: at most 1 MiB at any instruction set,
 * which the CPU executor's threads have four times. A painted stack shows how deep a kernel went. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/harness.h"
#include "executors/cpu/cpu.h"

/* Bytes. Right below the frame of a function are those of the functions that paint and look. */
enum { STACK = 8 << 20, PAINTED = 4 << 20, LIMIT = 1 << 20, OTHERS = 8192, PAINT = 0x5a };

struct deepest {
    unsigned char *floor; /* of what is painted */
    size_t most;
    const char *which;
    unsigned failures;
};

/* Bytes that a kernel used of the stack below this function's frame, which are painted again. */
static __attribute__((noinline, no_sanitize_address)) size_t depth(struct deepest *d, struct buffers *b,
                                                                   const struct trial_pass *pass, kernel_fn *run)
{
    unsigned char *const top = (unsigned char *)__builtin_frame_address(0) - OTHERS;
    static unsigned char paint[4096];
    size_t untouched = 0;
    memset(paint, PAINT, sizeof paint);
    buffers_run(b, pass, run, 0, 0);
    while (d->floor + untouched + sizeof paint < top && !memcmp(d->floor + untouched, paint, sizeof paint))
        untouched += sizeof paint;
    while (d->floor + untouched < top && d->floor[untouched] == PAINT)
        untouched++;
    unsigned char *const used = d->floor + untouched;
    memset(used, PAINT, (size_t)(top - used));
    return (size_t)(top - used) + OTHERS;
}

static void test_pass(void *opaque, const struct trials_pass *from)
{
    struct deepest *d = opaque;
    struct buffers b;
    buffers_make(&b, from, LAYOUT_TIGHT);
    for (const char *const *name = runnable_levels(); *name; name++) {
        const size_t used = depth(d, &b, &from->pass, cpu_kernels_by_name(*name)->kernel[from->pass.kernel]);
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

/* Windows gives a thread the pages of its stack from the top on, each when the one above it is there. */
static __attribute__((noinline, no_sanitize_address)) void paint_stack(struct deepest *d)
{
    volatile unsigned char *at = (unsigned char *)__builtin_frame_address(0) - OTHERS;
    d->floor = (unsigned char *)at - PAINTED;
    while (at > d->floor)
        *--at = PAINT;
}

static void *work(void *opaque)
{
    struct trials t;
    paint_stack(opaque);
    trials_open(&t, 1100, 180);
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (trials_count(&t, k))
            trials_each(&t, k, 0, PATTERN_RANDOM, 1, 16, test_pass, opaque);
    trials_close(&t);
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    struct deepest d = {.which = ""};
    if (pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, STACK) ||
        pthread_create(&thread, &attr, work, &d) || pthread_join(thread, NULL)) {
        fprintf(stderr, "can't start a thread\n");
        return 99;
    }
    pthread_attr_destroy(&attr);
    printf("deepest stack: %zu bytes, %s\n", d.most, d.which);
    return d.failures || d.most < 65536; /* less: nothing was measured, t_decimate alone has 100 kB */
}
