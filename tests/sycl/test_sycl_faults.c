/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SYCL executor's host code on the stand-in: results against the CPU executor with timed and untimed frames, each
 * call of the runtime failing once, and devices that can't be used. argv[1] is the module with the stand-in.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/cpu/cpu.h"
#include "executors/executor.h"
#include "sycl/fake_sycl.h"

enum { WIDTH = 45, HEIGHT = 19, STRIDE = 64, FRAMES = 5, SLOTS = 2, WORDS = 512 };

static struct fake_sycl *fake;
static struct fake_sycl usual;

#define EXPECT(ok, ...) \
    do { \
        if (!(ok)) { \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #ok); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            exit(1); \
        } \
    } while (0)

/* Squared differences, a plane between two passes, differences from the frame before, and every kind of total. */
static struct graph *make_graph(graph_plane *between)
{
    struct assay_error e = {0};
    struct graph *g = graph_new(&e);
    graph_plane in[2], before;
    graph_pass pass;
    int rc = g ? 0 : -1;
    for (unsigned s = 0; !rc && s < 2; s++)
        rc = graph_input(g, s ? SIDE_DIS : SIDE_REF, 0, SAMPLE_U8, WIDTH, HEIGHT, &in[s], &e);
    if (!rc)
        rc = graph_input_before(g, 1, SIDE_REF, 0, SAMPLE_U8, WIDTH, HEIGHT, &before, &e);
    for (unsigned i = 0; !rc && i < 2; i++) {
        const struct graph_pass_request sse = {.family = KERNEL_SSE, .in = {in[0], i ? before : in[1]}};
        rc = graph_add(g, &sse, &pass, NULL, &e);
    }
    if (!rc) {
        const struct graph_pass_request load = {.family = KERNEL_T_LOAD, .in = {in[0]}, .out = {{WIDTH, HEIGHT}}};
        rc = graph_add(g, &load, &pass, between, &e);
    }
    if (!rc) {
        const struct graph_pass_request moments = {.family = KERNEL_MOMENTS, .in = {*between}};
        rc = graph_add(g, &moments, &pass, NULL, &e);
    }
    const enum kernel_family more[] = {KERNEL_T_HISTOGRAM, KERNEL_T_ROW_SUMS, KERNEL_T_EXTREMA};
    for (unsigned i = 0; !rc && i < 3; i++) {
        const struct graph_pass_request request = {.family = more[i], .in = {in[1]}};
        rc = graph_add(g, &request, &pass, NULL, &e);
    }
    if (!rc) {
        g->keep = true;
        rc = graph_seal(g, &e);
    }
    EXPECT(!rc, "%s", e.text);
    return g;
}

struct result {
    int64_t totals[WORDS];
    uint32_t extrema[16], plane[WIDTH * HEIGHT];
};

/* Frame n's planes, in memory of the executor (NULL: in the test's own, with gaps between rows) and those of the frame
 * before. */
static void give(struct frame_inputs *inputs, unsigned n, unsigned char *own)
{
    static unsigned char memory[FRAMES][2][HEIGHT * (STRIDE + 9)];
    const ptrdiff_t stride = own ? STRIDE : STRIDE + 9;
    unsigned seed = n;
    inputs[n] = (struct frame_inputs){0};
    for (unsigned s = 0; s < 2; s++) {
        unsigned char *const to = own ? own + s * HEIGHT * STRIDE : memory[n][s];
        inputs[n].plane[s][0] = (struct kernel_plane){.data = to, .stride = stride, .width = WIDTH, .height = HEIGHT};
        for (ptrdiff_t i = 0; i < HEIGHT * stride; i++) {
            seed = seed * 1664525u + 1013904223u;
            to[i] = (unsigned char)(seed >> 24);
        }
    }
    inputs[n].before[0] = inputs[n ? n - 1 : 0].plane;
    inputs[n].held[0] = n ? 1 + (n - 1) % SLOTS : 1 + n % SLOTS;
}

static int collect(struct executor *x, uint32_t slot, const struct graph *g, graph_plane between, struct result *out,
                   struct assay_error *e)
{
    struct frame_results r;
    TRY(x->ops->wait(x, slot, &r, e));
    const struct frame_times *t = &r.times;
    EXPECT(t->upload[0] <= t->upload[1] && t->upload[1] <= t->passes[0] && t->passes[0] <= t->passes[1] &&
           x->timed == (t->passes[0] < t->passes[1]), "a frame's times: %llu to %llu", (unsigned long long)t->upload[0],
           (unsigned long long)t->passes[1]);
    memset(out, 0, sizeof *out);
    memcpy(out->totals, r.totals, g->totals * sizeof *out->totals);
    memcpy(out->extrema, r.extrema, 2 * g->extrema * sizeof *out->extrema);
    return x->ops->read_plane(x, slot, between, out->plane, WIDTH * sizeof *out->plane, e);
}

/* Frames one behind the other; those that were submitted are waited for after a failure, as the engine does. */
static int frames(struct executor *x, const struct graph *g, graph_plane between, bool own, struct result *out,
                  struct assay_error *e)
{
    static struct frame_inputs inputs[FRAMES];
    void *memory[FRAMES] = {0};
    const unsigned ahead = x->ops == &executor_cpu ? 1 : SLOTS; /* the CPU has one set of planes */
    int rc = 0;
    for (unsigned n = 0; !rc && n < FRAMES; n++) {
        if (own && !(memory[n] = x->ops->host_alloc(x, n % SLOTS, 2 * HEIGHT * STRIDE)))
            rc = assay_fail(e, ASSAY_EDEVICE, "SYCL: no host memory");
        else
            give(inputs, n, memory[n]);
    }
    for (unsigned submitted = 0, done = 0; (!rc && done < FRAMES) || done < submitted;) {
        struct assay_error late = {0}; /* the first error is the one that counts */
        if (!rc && submitted < FRAMES && submitted - done < ahead) {
            if ((rc = x->ops->submit(x, submitted % SLOTS, &inputs[submitted], e)))
                continue;
            submitted++;
            continue;
        }
        const int wrong = collect(x, done % SLOTS, g, between, &out[done], rc ? &late : e);
        rc = rc ? rc : wrong;
        done++;
    }
    for (unsigned n = 0; n < FRAMES; n++)
        if (memory[n])
            x->ops->host_free(x, n % SLOTS, memory[n]);
    return rc;
}

static int run(const struct executor_ops *ops, const char *device, bool own, bool timed, struct result *out,
               struct assay_error *e)
{
    graph_plane between = 0;
    struct graph *g = make_graph(&between);
    struct executor *x = NULL;
    const struct executor_config config = {.device = device, .threads = 1,
                                           .level = ops == &executor_cpu ? "scalar" : NULL};
    int rc = ops->open(&x, &config, e);
    if (!rc)
        rc = ops->prepare(x, g, SLOTS, e);
    if (!rc) {
        x->timed = timed;
        rc = frames(x, g, between, own, out, e);
    }
    if (x)
        ops->close(&x);
    graph_free(&g);
    return rc;
}

static void expect_nothing_left(const char *when)
{
    EXPECT(!fake->allocations && !fake->lost, "%s: %u allocations left, %s", when, fake->allocations,
           fake->lost ? "work lost" : "no work lost");
}

static void expect_failure(const char *device, const char *wanted)
{
    static struct result out[FRAMES];
    struct assay_error e = {0};
    const int rc = run(&executor_sycl, device, true, false, out, &e);
    EXPECT(rc == ASSAY_EDEVICE && strstr(e.text, wanted), "wanted '%s', got %d '%s'", wanted, rc, e.text);
    expect_nothing_left(wanted);
    *fake = usual;
}

static void test_devices(void)
{
    expect_failure("2", "0 is 'Stand-in 0', 1 is 'Stand-in 1'");
    expect_failure("gamma", "no device 'gamma'");
    fake->devices = 0;
    expect_failure(NULL, "finds no device");
    fake->usm = false;
    expect_failure(NULL, "no USM allocations");
    fake->local_bytes = 8192;
    expect_failure(NULL, "8192 bytes of local memory");
    fake->memory = 15000;
    expect_failure(NULL, "2 frames in flight need");
    setenv("ASSAY_GPU_MEMORY", "0", 1);
    expect_failure(NULL, "2 frames in flight need");
    unsetenv("ASSAY_GPU_MEMORY");
}

static void show(void *opaque, const struct executor_device *d)
{
    unsigned *n = opaque;
    EXPECT(d->number == *n && !strncmp(d->name, "Stand-in", 8) && d->usable && d->software == fake->software,
           "%u %s %s", d->number, d->name, d->driver);
    ++*n;
}

static void test_list(void)
{
    for (unsigned n = 0;; n++) {
        struct assay_error e = {0};
        unsigned seen = 0;
        *fake = usual;
        fake->fail_at = n;
        const int rc = executor_sycl.list(show, &seen, &e);
        EXPECT(rc ? rc == ASSAY_EDEVICE && fake->failed : seen == 2, "%u devices: %s", seen, e.text);
        if (n && !fake->failed)
            break;
    }
}

static void test_results(const struct result *expected)
{
    static struct result out[FRAMES];
    static const char *const devices[] = {NULL, "1", "stand", "0", "0"};
    for (unsigned i = 0; i < 5; i++) {
        struct assay_error e = {0};
        const bool tiles = i == 3;
        *fake = usual;
        fake->software = i >= 3;
        setenv("ASSAY_SYCL_FORM", i == 4 ? "items" : "", 1);
        const int rc = run(&executor_sycl, devices[i], i % 2, i >= 2, out, &e);
        EXPECT(!rc, "%s", e.text);
        EXPECT(!memcmp(expected[FRAMES * (i % 2)].totals, out[0].totals, sizeof out[0].totals), "run %u: totals", i);
        EXPECT(!memcmp(&expected[FRAMES * (i % 2)], out, sizeof out), "run %u differs from the CPU", i);
        EXPECT(tiles ? fake->alone && !fake->grouped : fake->grouped && !fake->alone,
               "run %u: %u kernels with work-groups, %u without", i, fake->grouped, fake->alone);
        expect_nothing_left("results");
    }
}

/* Every call fails once: one line that says so, or the frames' right results; nothing left behind. */
static void test_faults(const struct result *expected)
{
    static struct result out[FRAMES];
    unsigned n = 1;
    for (;; n++) {
        struct assay_error e = {0};
        *fake = usual;
        fake->fail_at = n;
        const bool own = n % 2;
        const int rc = run(&executor_sycl, NULL, own, n % 3 == 0, out, &e);
        if (!fake->failed)
            break;
        EXPECT(rc == ASSAY_EDEVICE || (rc == 0 && !strcmp(fake->failed, "wait_and_throw")), "call %u, %s: %d '%s'", n,
               fake->failed, rc, e.text);
        EXPECT(rc == 0 || (strstr(e.text, "SYCL") && !strchr(e.text, '\n')), "call %u, %s: '%s'", n, fake->failed,
               e.text);
        EXPECT(rc || !memcmp(&expected[FRAMES * own], out, sizeof out), "call %u, %s: wrong results", n, fake->failed);
        expect_nothing_left(fake->failed);
    }
    EXPECT(n > 50, "only %u calls", n);
    printf("%u calls failed once each\n", n - 1);
}

int main(int argc, char **argv)
{
    static struct result expected[2 * FRAMES];
    struct assay_error e = {0};
    void *const library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    fake = library ? dlsym(library, "fake_sycl") : NULL;
    EXPECT(fake, "usage: test_sycl_faults MODULE (%s)", dlerror());
    usual = *fake;
    for (unsigned own = 0; own < 2; own++)
        EXPECT(!run(&executor_cpu, NULL, own, false, expected + FRAMES * own, &e), "%s", e.text);
    test_results(expected);
    test_devices();
    test_list();
    test_faults(expected);
    return 0;
}
