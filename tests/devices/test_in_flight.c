/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * However many frames are in flight, each has its own results: those of the CPU's scalar kernels. A device may run the
 * passes of several frames together, and some are left when the last frame was submitted. Frames that nobody waits for
 * do no harm.
 *
 *     test_in_flight BACKEND
 *
 * Exit 77 when there is no such device, unless CI=true.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/cpu/cpu.h"
#include "graph/pass.h"
#include "host/fpenv.h"
#include "passes_gen.h"

enum { WIDTH = 61, HEIGHT = 37, MOST_SLOTS = 7, FRAMES = 2 * MOST_SLOTS + 1, MOST_TOTALS = 64, SKIPPED = 77 };

static uint32_t sample[2][FRAMES][HEIGHT][WIDTH];
static int64_t expected[FRAMES][MOST_TOTALS];

/* Two levels: the difference of the planes, the half of each; the structure of the halves. */
static struct graph *make_graph(struct assay_error *e)
{
    struct graph *g = graph_new(e);
    graph_plane plane[2], half[2];
    struct sse_at sse;
    struct ssim_at ssim;
    for (unsigned side = 0; g && side < 2; side++)
        if (graph_input(g, (enum graph_side)side, 0, SAMPLE_U32, WIDTH, HEIGHT, &plane[side], e) ||
            halve_add(g, PASS_GRID(halve, (WIDTH + 1) / 2, (HEIGHT + 1) / 2, .source = plane[side], .scale = 1.0f),
                      &half[side], e))
            return NULL;
    if (!g || sse_add(g, PASS(sse, .ref = plane[0], .dis = plane[1]), &sse, e) ||
        ssim_add(g, PASS_GRID(ssim, (WIDTH + 1) / 2 - 10, (HEIGHT + 1) / 2 - 10, .ref = half[0], .dis = half[1],
                              .scale = 1.0f, .wanted = SSIM_SCORE), &ssim, e) ||
        graph_seal(g, e))
        return NULL;
    return g;
}

static struct frame_inputs inputs_of(unsigned frame)
{
    struct frame_inputs inputs = {0};
    for (unsigned side = 0; side < 2; side++)
        inputs.plane[side][0] = (struct kernel_plane){.data = sample[side][frame], .stride = sizeof sample[0][0][0],
                                                      .width = WIDTH, .height = HEIGHT, .end_row = HEIGHT};
    return inputs;
}

static void fill(void)
{
    uint32_t state = 1;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned f = 0; f < FRAMES; f++)
            for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
                state = state * 1664525u + 1013904223u;
                (&sample[side][f][0][0])[i] = state >> 24;
            }
}

/* Runs `frames` frames through `slots` slots and compares them, or with `expect` keeps them as what is expected. The
 * last `left` of them are not waited for. Returns whether all is as it should be. */
static bool run(const struct executor_ops *ops, const struct graph *g, unsigned slots, unsigned frames, unsigned left,
                bool expect)
{
    const struct executor_config config = {.level = expect ? "scalar" : NULL};
    struct frame_inputs inputs[FRAMES];
    struct frame_results results;
    struct assay_error e = {0};
    struct executor *x = NULL;
    bool good = !ops->open(&x, &config, &e) && !x->ops->prepare(x, g, slots, &e);
    for (unsigned n = 0; good && n < frames + slots; n++) {
        if (n >= slots && n - slots < frames - left) { /* the oldest, whose slot comes next */
            const unsigned done = n - slots;
            good = !x->ops->wait(x, done % slots, &results, &e);
            if (good && expect)
                memcpy(expected[done], results.totals, g->totals * sizeof results.totals[0]);
            if (good && memcmp(expected[done], results.totals, g->totals * sizeof results.totals[0])) {
                fprintf(stderr, "%u slots: frame %u of %u has other totals than the CPU's\n", slots, done, frames);
                good = false;
            }
        }
        if (good && n < frames) {
            inputs[n] = inputs_of(n);
            good = !x->ops->submit(x, n % slots, &inputs[n], &e);
        }
    }
    if (e.code)
        fprintf(stderr, "%u slots: %s\n", slots, e.text);
    if (x)
        x->ops->close(&x);
    return good;
}

static const struct executor_ops *find(const char *name)
{
    for (unsigned i = 0; assay_executors[i]; i++)
        if (!strcmp(assay_executors[i]->name, name))
            return assay_executors[i];
    return NULL;
}

int main(int argc, char **argv)
{
    static const unsigned slots[] = {1, 2, 4, 6, MOST_SLOTS};
    const char *ci = getenv("CI");
    struct assay_error e = {0};
    struct executor *x = NULL;
    struct assay_fpenv saved;
    const struct executor_ops *ops = argc == 2 ? find(argv[1]) : NULL;
    if (!ops) {
        fprintf(stderr, "usage: test_in_flight BACKEND\n");
        return 2;
    }
    if (ops->open(&x, &(struct executor_config){.device = NULL}, &e)) {
        fprintf(stderr, "%s: %s\n", argv[1], e.text);
        return ci && !strcmp(ci, "true") ? 1 : SKIPPED;
    }
    x->ops->close(&x);
    assay_fpenv_enter(&saved);
    fill();
    struct graph *g = make_graph(&e);
    if (!g || g->totals > MOST_TOTALS) {
        fprintf(stderr, "the graph: %s\n", e.text);
        return 1;
    }
    bool good = run(&executor_cpu, g, 1, FRAMES, 0, true);
    for (unsigned i = 1; good && i < FRAMES; i++) /* or frames that change places would not be seen */
        good = memcmp(expected[i - 1], expected[i], sizeof expected[0]) != 0;
    for (unsigned i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        const unsigned n = slots[i];
        for (unsigned frames = 1; frames <= 2 * n + 1; frames += n > 1 ? n - 1 : 1) {
            good = run(ops, g, n, frames, 0, false) && good;
            good = run(ops, g, n, frames, frames < n ? frames : n, false) && good;
        }
    }
    graph_free(&g);
    assay_fpenv_leave(&saved);
    return !good;
}
