/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Microseconds that kernels take on a device: the least of 20 frames whose graph is one pass, by the device's clock.
 * No test: nothing here fails because a device is slow.
 *
 *     time_kernels BACKEND WIDTHxHEIGHT KERNEL...
 *
 * The pass is the first that a metric has in pictures of that size. About 20 us of a line are not the kernel: clearing,
 * starting and reading back. Small pictures show how much.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/harness.h"
#include "executors/executor.h"

enum { FRAMES = 20 };

static const struct executor_ops *ops;

static void time_pass(void *opaque, const struct trials_pass *from)
{
    const struct trial_pass *pass = &from->pass;
    const struct executor_config config = {.device = NULL};
    struct assay_error e = {0};
    graph_plane out[KERNEL_PLANES];
    struct executor *x = NULL;
    struct frame_inputs inputs = {0};
    struct buffers b;
    double *best = opaque;
    buffers_make(&b, from, LAYOUT_TIGHT);
    for (unsigned i = 0; i < pass->info->planes_in; i++)
        inputs.plane[i % 2][i / 2] = b.plane[i];
    struct graph *g = trials_graph(pass, NULL, 0, out, &e);
    int rc = !g || ops->open(&x, &config, &e) || x->ops->prepare(x, g, 1, &e);
    for (unsigned n = 0; n < FRAMES && !rc; n++) {
        struct frame_results results = {0};
        x->timed = true;
        rc = ops->submit(x, 0, &inputs, &e) || ops->wait(x, 0, &results, &e);
        const double us = (double)(results.times.passes[1] - results.times.passes[0]) * 1e-3;
        *best = us < *best ? us : *best;
    }
    if (rc) {
        fprintf(stderr, "%s: %s\n", pass->info->name, e.text);
        exit(1);
    }
    ops->close(&x);
    graph_free(&g);
    buffers_free(&b);
}

int main(int argc, char **argv)
{
    unsigned w = 0, h = 0;
    for (unsigned n = 0; argc > 3 && assay_executors[n]; n++)
        if (!strcmp(argv[1], assay_executors[n]->name))
            ops = assay_executors[n];
    if (!ops || sscanf(argv[2], "%ux%u", &w, &h) != 2) {
        fprintf(stderr, "usage: time_kernels BACKEND WIDTHxHEIGHT KERNEL...\n");
        return 2;
    }
    struct trials t;
    trials_open(&t, w, h);
    for (int i = 3; i < argc; i++) {
        double us = 1e9;
        trials_each(&t, trials_kernel(argv[i]), 0, PATTERN_RANDOM, 1, 8, time_pass, &us);
        printf("%s %s %s %.1f\n", ops->name, argv[2], argv[i], us);
        fflush(stdout);
    }
    trials_close(&t);
    return 0;
}
