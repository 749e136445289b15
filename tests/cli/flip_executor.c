/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device with a fault, for tests of what finds faults: the CPU executor under the name "flip".
 * ASSAY_FLIP says what is wrong:
 *   "input SIDE COMPONENT X Y BIT"  one bit of one sample of each frame pair is another one when the passes run
 *   "plane PLANE X Y BIT"           one bit of one intermediate plane is another one when it is read
 *   "total WORD DELTA"              one total is off
 *   "extremum PAIR DELTA"           the value of one extremum is off
 * Unset: nothing is wrong. ASSAY_FLIP_FROM: nothing is wrong with so many frame pairs that come first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/cpu/cpu.h"
#include "executors/executor.h"

static struct executor_ops executor_flip;
static const struct graph *flip_graph;
static long flip_pairs; /* submitted */

static const char *fault(const char *kind)
{
    const char *text = getenv("ASSAY_FLIP"), *from = getenv("ASSAY_FLIP_FROM");
    const size_t n = strlen(kind);
    const bool later = !from || flip_pairs > atol(from);
    return later && text && !strncmp(text, kind, n) && text[n] == ' ' ? text + n + 1 : NULL;
}

static int flip_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    const int rc = executor_cpu.open(out, config, e);
    if (!rc) {
        (*out)->ops = &executor_flip;
        snprintf((*out)->device, sizeof (*out)->device, "CPU with a fault");
    }
    return rc;
}

static int flip_prepare(struct executor *x, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    flip_graph = g;
    return executor_cpu.prepare(x, g, slots, e);
}

static void flip_bit(void *plane, size_t stride, uint32_t sample, unsigned x, unsigned y, unsigned bit)
{
    unsigned char *byte = (unsigned char *)plane + y * stride + (size_t)x * sample + bit / 8;
    *byte = (unsigned char)(*byte ^ 1u << bit % 8);
}

/* The CPU's submit returns when all passes have run, so the caller's plane is whole again before it looks. */
static int flip_submit(struct executor *x, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    unsigned side, component, column, row, bit;
    flip_pairs++;
    const char *text = fault("input");
    const bool wrong = text && sscanf(text, "%u %u %u %u %u", &side, &component, &column, &row, &bit) == 5;
    const struct kernel_plane *p = wrong ? &inputs->plane[side][component] : NULL;
    const uint32_t sample = sample_size(flip_graph->plane[0].type); /* plane 0 is an input, and inputs have one type */
    if (wrong)
        flip_bit(p->data, (size_t)p->stride, sample, column, row, bit);
    const int rc = executor_cpu.submit(x, slot, inputs, e);
    if (wrong)
        flip_bit(p->data, (size_t)p->stride, sample, column, row, bit);
    return rc;
}

static int flip_wait(struct executor *x, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    const int rc = executor_cpu.wait(x, slot, results, e);
    union { const int64_t *in; int64_t *out; } totals = {.in = results->totals};
    union { const uint32_t *in; uint32_t *out; } extrema = {.in = results->extrema};
    unsigned at;
    int delta;
    if (fault("total") && sscanf(fault("total"), "%u %d", &at, &delta) == 2)
        totals.out[at] += delta;
    if (fault("extremum") && sscanf(fault("extremum"), "%u %d", &at, &delta) == 2)
        extrema.out[2 * (size_t)at] += (uint32_t)delta;
    return rc;
}

static int flip_read_plane(struct executor *x, uint32_t slot, graph_plane plane, void *dst, size_t stride,
                           struct assay_error *e)
{
    unsigned at, column, row, bit;
    const int rc = executor_cpu.read_plane(x, slot, plane, dst, stride, e);
    if (!rc && fault("plane") && sscanf(fault("plane"), "%u %u %u %u", &at, &column, &row, &bit) == 4 && at == plane)
        flip_bit(dst, stride, sample_size(flip_graph->plane[plane].type), column, row, bit);
    return rc;
}

/* All else is the CPU's. */
__attribute__((constructor)) static void make_flip(void)
{
    executor_flip = executor_cpu;
    executor_flip.name = "flip";
    executor_flip.open = flip_open;
    executor_flip.prepare = flip_prepare;
    executor_flip.submit = flip_submit;
    executor_flip.wait = flip_wait;
    executor_flip.read_plane = flip_read_plane;
}

/* In place of the list in src/executors/executors.c. */
const struct executor_ops *const assay_executors[] = {&executor_cpu, &executor_flip, NULL};
