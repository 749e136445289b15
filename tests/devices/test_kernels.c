/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every kernel on a device against the scalar C build: output planes, totals and extrema have the same bits, and every
 * pass ran on the device.
 *
 *     test_kernels BACKEND [--limits minimal|full] [--device NAME] [--kernel PREFIX] [--full]
 *
 * First it proves that it can fail: kernels built with constants off by one ULP must differ from the device's. Exit 77
 * when there is no such device, unless CI=true.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/harness.h"
#include "exact/levels.h"
#include "executors/cpu/cpu.h"
#include "host/fpenv.h"

enum { FRAMES = 4, SLOTS = 2, MAX_FAILURES = 20, SKIPPED = 77 };

static struct {
    const struct executor_ops *ops;
    struct executor_config config;
    const char *kernel;
    bool full;
} options;

static unsigned long runs, failures;
static unsigned tested[KERNEL_VARIANTS];

static void check(bool ok)
{
    runs++;
    if (!ok && ++failures >= MAX_FAILURES) {
        fprintf(stderr, "stopped after %d failures\n", MAX_FAILURES);
        exit(1);
    }
}

static void fail(const struct trial_pass *pass, const struct assay_error *e)
{
    fprintf(stderr, "%s, %ux%u: %s\n", pass->info->name, pass->plane[0].width, pass->plane[0].height, e->text);
    check(false);
}

/* Input i of a pass is a plane of the frame, or of an earlier one: to the executor they are planes like the others. */
static unsigned age_of(unsigned turn, unsigned i)
{
    static const unsigned ages[] = {0, 1, 2, GRAPH_AGES, GRAPH_AGES + 1, GRAPH_HISTORY};
    return ages[(turn + i) % (sizeof ages / sizeof ages[0])];
}

struct frame {
    struct buffers expected, got;
    struct frame_inputs inputs;
    struct kernel_plane earlier[KERNEL_PLANES][GRAPH_SIDES][INPUT_PLANES]; /* what inputs.before points to */
    void *memory;
    enum pattern pattern;
};

/* Inputs of one pass are of different ages. */
static struct kernel_plane *input_of(struct frame *f, unsigned turn, unsigned i)
{
    const unsigned age = age_of(turn, i);
    if (!age)
        return &f->inputs.plane[i % 2][i / 2];
    f->inputs.before[age - 1] = f->earlier[i];
    return &f->earlier[i][i % 2][i / 2];
}

/* A frame's planes in memory of the executor when `own`, else in the harness's, whose strides are odd. */
static bool place(struct executor *x, const struct trial_pass *pass, unsigned turn, bool own, struct frame *f)
{
    const struct buffers *b = &f->expected;
    size_t at[KERNEL_PLANES], bytes = 0;
    f->memory = NULL;
    f->inputs = (struct frame_inputs){0};
    for (unsigned i = 0; i < pass->info->planes_in; i++) {
        const size_t row = (size_t)pass->plane[i].width * sample_size(pass->info->plane[i]);
        at[i] = bytes;
        bytes += (row + 63) / 64 * 64 * pass->plane[i].height;
        *input_of(f, turn, i) = f->inputs.plane[i % 2][i / 2] = b->plane[i]; /* the frame's own is an input, too */
    }
    if (!own)
        return true;
    if (!(f->memory = x->ops->host_alloc(x, 0, bytes)) || (uintptr_t)f->memory % 64)
        return false;
    for (unsigned i = 0; i < pass->info->planes_in; i++) {
        struct kernel_plane *to = input_of(f, turn, i);
        const size_t row = (size_t)pass->plane[i].width * sample_size(pass->info->plane[i]);
        to->data = (char *)f->memory + at[i];
        to->stride = (ptrdiff_t)((row + 63) / 64 * 64);
        for (int32_t y = 0; y < to->height; y++)
            memcpy((char *)to->data + y * to->stride, (char *)b->plane[i].data + y * b->plane[i].stride, row);
    }
    return true;
}

static bool collect(struct executor *x, const struct graph *g, const struct trial_pass *pass, const graph_plane *out,
                    uint32_t slot, struct frame *f, struct assay_error *e)
{
    struct frame_results results;
    const uint64_t before = x->passes_run;
    if (x->ops->wait(x, slot, &results, e))
        return false;
    const struct frame_times *t = &results.times;
    if (t->upload[0] > t->upload[1] || t->upload[1] > t->passes[0] || t->passes[0] > t->passes[1] ||
        (!x->timed && t->passes[1])) {
        assay_fail(e, ASSAY_EINTERNAL, "the frame's times go backwards");
        return false;
    }
    if (x->passes_run != before + g->passes) {
        assay_fail(e, ASSAY_EINTERNAL, "%" PRIu64 " passes ran, not %u", x->passes_run - before, g->passes);
        return false;
    }
    memcpy(f->got.totals, results.totals, g->totals * sizeof *f->got.totals);
    memcpy(f->got.extrema, results.extrema, (size_t)g->extrema * 2 * sizeof *f->got.extrema);
    for (unsigned i = 0; i < pass->info->planes_out; i++) {
        struct kernel_plane *to = &f->got.plane[pass->info->planes_in + i];
        if (x->ops->read_plane(x, slot, out[i], to->data, (size_t)to->stride, e))
            return false;
    }
    return true;
}

/* Frames of several patterns through two slots, so that one is in flight while the next is submitted. */
static void run_frames(struct executor *x, const struct graph *g, const struct trial_pass *pass, const graph_plane *out,
                       struct frame *frame)
{
    struct assay_error e = {0};
    for (unsigned n = 0; n < FRAMES + 1; n++) {
        if (n < FRAMES && x->ops->submit(x, n % SLOTS, &frame[n].inputs, &e))
            break;
        if (n == 0)
            continue;
        struct frame *f = &frame[n - 1];
        char what[160];
        snprintf(what, sizeof what, "%s, %ux%u, %u bits, %s, frame %u", pass->info->name, pass->plane[0].width,
                 pass->plane[0].height, pass->bits, pattern_name(f->pattern), n - 1);
        if (!collect(x, g, pass, out, (n - 1) % SLOTS, f, &e))
            break;
        check(buffers_same(&f->expected, &f->got, pass, what, false));
    }
    if (e.code)
        fail(pass, &e);
}

/* The frames of a pass, one after the other. */
struct pass_frames {
    struct frame frame[FRAMES];
    struct trial_pass pass;
    unsigned n;
};

static void add_frame(void *opaque, const struct trials_pass *from)
{
    struct pass_frames *to = opaque;
    struct frame *f = &to->frame[to->n];
    to->pass = from->pass;
    f->pattern = from->pattern;
    buffers_make(&f->expected, from, to->n % 2 ? LAYOUT_ODD : LAYOUT_TIGHT);
    buffers_make(&f->got, from, LAYOUT_TIGHT);
    buffers_run(&f->expected, &from->pass, cpu_kernels_by_name("scalar")->kernel[from->pass.kernel], 0, 0);
    to->n++;
}

static void test_frames(struct pass_frames *frames, unsigned turn)
{
    struct assay_error e = {0};
    const struct trial_pass *pass = &frames->pass;
    graph_plane out[KERNEL_PLANES];
    struct executor *x = NULL;
    struct graph *g = trials_graph(pass, age_of, turn, out, &e);
    if (!g || options.ops->open(&x, &options.config, &e) || x->ops->prepare(x, g, SLOTS, &e)) {
        fail(pass, &e);
    } else {
        bool placed = true;
        x->timed = turn % 2;
        for (unsigned n = 0; n < FRAMES; n++) {
            struct frame *f = &frames->frame[n];
            placed = place(x, pass, turn, n % 2 == 0, f) && placed;
        }
        if (placed)
            run_frames(x, g, pass, out, frames->frame);
        else
            check(false);
        for (unsigned n = 0; n < FRAMES; n++)
            x->ops->host_free(x, 0, frames->frame[n].memory);
    }
    if (x)
        x->ops->close(&x);
    graph_free(&g);
}

/* Way `number` of using a kernel. */
static void test_pass(struct trials *t, unsigned kernel, unsigned number, unsigned turn)
{
    static const uint32_t depths[] = {16, 10, 9, 12};
    struct pass_frames frames = {.n = 0};
    for (unsigned n = 0; n < FRAMES; n++) {
        const enum pattern pattern = n == 0 ? PATTERN_RANDOM : (enum pattern)(1 + (turn * 3 + n) % (PATTERNS - 1));
        trials_each(t, kernel, number, pattern, 100 * turn + n, depths[turn % 4], add_frame, &frames);
    }
    test_frames(&frames, turn);
    for (unsigned n = 0; n < FRAMES; n++) {
        buffers_free(&frames.frame[n].expected);
        buffers_free(&frames.frame[n].got);
    }
    tested[kernel]++;
}

/* rest: only kernels that no size before reached. */
static void each_kernel(uint32_t w, uint32_t h, unsigned turn, bool rest)
{
    struct trials t;
    trials_open(&t, w, h);
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        const unsigned ways = trials_count(&t, k), most = options.full ? 8 : 1;
        if ((options.kernel && strncmp(options.kernel, assay_kernel_info[k].name, strlen(options.kernel))) ||
            (rest && tested[k]))
            continue;
        for (unsigned i = 0; i < ways && i < most; i++)
            test_pass(&t, k, (most * turn + i) * (ways > 64 ? 37 : 1) % ways, turn + i);
    }
    trials_close(&t);
}

/* The same comparison, against kernels whose constants are off by one ULP. */
static void compare_sabotaged(void *opaque, const struct trials_pass *from)
{
    bool *noticed = opaque;
    struct assay_error e = {0};
    const struct trial_pass *pass = &from->pass;
    struct frame f = {.pattern = PATTERN_RANDOM};
    graph_plane out[KERNEL_PLANES];
    struct executor *x = NULL;
    buffers_make(&f.expected, from, LAYOUT_TIGHT);
    buffers_make(&f.got, from, LAYOUT_TIGHT);
    buffers_run(&f.expected, pass, sabotaged_kernel(pass->kernel), 0, 0);
    struct graph *g = trials_graph(pass, age_of, 0, out, &e);
    *noticed = g && !options.ops->open(&x, &options.config, &e) && !x->ops->prepare(x, g, 1, &e) &&
               place(x, pass, 0, false, &f) && !x->ops->submit(x, 0, &f.inputs, &e) &&
               collect(x, g, pass, out, 0, &f, &e) && !buffers_same(&f.expected, &f.got, pass, "", true);
    if (!*noticed)
        fprintf(stderr, "a constant of %s is off by one ULP, and this test can't see it %s\n", pass->info->name,
                e.text);
    if (x)
        x->ops->close(&x);
    graph_free(&g);
    buffers_free(&f.expected);
    buffers_free(&f.got);
}

static bool can_fail(void)
{
    static const char *const wrong[] = {"t_decimate_f32", "t_sum_f32_u16", "t_fuse_u32", "ssim_u16"};
    bool all = true;
    struct trials t;
    trials_open(&t, 33, 17);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bool noticed = false;
        trials_each(&t, trials_kernel(wrong[i]), 0, PATTERN_RANDOM, 1, 16, compare_sabotaged, &noticed);
        all &= noticed;
    }
    trials_close(&t);
    return all;
}

static void show(void *opaque, const struct executor_device *device)
{
    unsigned *expected = opaque;
    printf("  %u: %s, %s%s%s\n", device->number, device->name, device->driver, device->software ? ", software" : "",
           device->usable ? "" : ", can't be used");
    check(device->number == (*expected)++ && *device->name);
}

/* Stays open until the end: opening a GPU anew for every pass takes most of the time otherwise. */
static struct executor *device;

static int open_device(void)
{
    struct assay_error e = {0};
    unsigned devices = 0;
    if (options.ops->open(&device, &options.config, &e)) {
        const char *ci = getenv("CI");
        const bool must = ci && !strcmp(ci, "true");
        fprintf(stderr, "%s: %s\n", must ? "failed" : "skipped", e.text);
        return must ? 1 : SKIPPED;
    }
    printf("%s: %s, %s\n", options.ops->name, device->device, device->driver);
    check(!options.ops->list || (!options.ops->list(show, &devices, &e) && devices));
    runs = 0;
    return 0;
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--full"))
            options.full = true;
        else if (more && !strcmp(argv[i], "--limits"))
            setenv("ASSAY_GPU_LIMITS", argv[++i], 1);
        else if (more && !strcmp(argv[i], "--device"))
            options.config.device = argv[++i];
        else if (more && !strcmp(argv[i], "--kernel"))
            options.kernel = argv[++i];
        else
            for (unsigned n = 0; assay_executors[n]; n++)
                if (!strcmp(argv[i], assay_executors[n]->name))
                    options.ops = assay_executors[n];
    }
    return options.ops;
}

int main(int argc, char **argv)
{
    static const struct { uint32_t w, h; } sizes[] = {{1, 1}, {7, 5}, {33, 19}, {131, 70}, {2, 37}, {45, 3}, {260, 33},
                                                      {64, 16}, {65, 17}, {11, 11}, {264, 72}};
    if (!parse(argc, argv)) {
        fprintf(stderr,
                "usage: test_kernels BACKEND [--limits minimal|full] [--device NAME] [--kernel PREFIX] [--full]\n");
        return 2;
    }
    const int rc = open_device();
    if (rc)
        return rc;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    if (!can_fail())
        return 1;
    for (unsigned i = 0; i < (options.full ? sizeof sizes / sizeof sizes[0] : 4); i++)
        each_kernel(sizes[i].w, sizes[i].h, i, false);
    for (unsigned i = 0; i < 2; i++)
        each_kernel(i ? 181 : 176, i ? 179 : 177, i, true);
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (!tested[k] && !options.kernel) {
            fprintf(stderr, "%s was not tested: no frame needs it\n", assay_kernel_info[k].name);
            failures++;
        }
    assay_fpenv_leave(&saved);
    device->ops->close(&device);
    printf("%u kernels, %lu frames, %lu differ\n", (unsigned)KERNEL_VARIANTS, runs, failures);
    return failures != 0;
}
