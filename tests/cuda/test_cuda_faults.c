/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CUDA executor's host code on the fake driver: results against the CPU executor for every way in which planes can
 * lie in memory, each call of the driver failing once, and devices that can't be used. argv[1] is the fake driver.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/fake_cuda.h"
#include "executors/cpu/cpu.h"
#include "executors/executor.h"

enum { WIDTH = 45, HEIGHT = 19, FRAMES = 5, SLOTS = 2, ROOM = 4096 };

static struct fake_cuda *fake;
static const struct fake_cuda usual = {.devices = 2, .version = 12040, .major = 9, .free_bytes = (size_t)1 << 30};

#define EXPECT(ok, ...) \
    do { \
        if (!(ok)) { \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #ok); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            exit(1); \
        } \
    } while (0)

/* How the planes lie: as a session's own, with odd gaps, bottom-up, or each apart; those of the
 * distorted side on the device. */
enum placement { OWN, GAPS, BOTTOM_UP, APART, TAKEN, PLACEMENTS };

struct planes {
    unsigned char memory[4][ROOM];
    struct frame_inputs inputs;
};

static void fill(struct planes *p, enum placement how, unsigned seed, unsigned char *own)
{
    for (unsigned i = 0; i < 4; i++) {
        struct kernel_plane *k = &p->inputs.plane[i / 2][i % 2];
        const unsigned component = i % 2, w = component ? (WIDTH + 1) / 2 : WIDTH,
                       h = component ? (HEIGHT + 1) / 2 : HEIGHT;
        const ptrdiff_t canonical = (w + 63) / 64 * 64;
        k->width = (int32_t)w;
        k->height = (int32_t)h;
        k->stride = how == GAPS ? (ptrdiff_t)w + 7 : how == BOTTOM_UP ? -canonical : canonical;
        k->data = how == OWN || how == TAKEN ? own : p->memory[i];
        if (how == OWN || how == TAKEN)
            own += canonical * (ptrdiff_t)h;
        if (how == BOTTOM_UP)
            k->data = p->memory[i] + canonical * (ptrdiff_t)(h - 1);
        for (unsigned y = 0; y < h; y++)
            for (unsigned x = 0; x < w; x++) {
                seed = seed * 1664525u + 1013904223u;
                ((unsigned char *)k->data)[(ptrdiff_t)y * k->stride + (ptrdiff_t)x] = (unsigned char)(seed >> 24);
            }
    }
}

/* Squared differences of both components, a plane between two passes, a histogram, row sums and extrema. */
static struct graph *make_graph(graph_plane *half)
{
    struct assay_error e = {0};
    struct graph *g = graph_new(&e);
    graph_plane in[2][2];
    graph_pass pass;
    int rc = g ? 0 : -1;
    for (unsigned c = 0; !rc && c < 2; c++)
        for (unsigned s = 0; !rc && s < 2; s++)
            rc = graph_input(g, s ? SIDE_DIS : SIDE_REF, c, SAMPLE_U8, c ? (WIDTH + 1) / 2 : WIDTH,
                             c ? (HEIGHT + 1) / 2 : HEIGHT, &in[s][c], &e);
    for (unsigned c = 0; !rc && c < 2; c++) {
        const struct graph_pass_request sse = {.family = KERNEL_SSE, .in = {in[0][c], in[1][c]}};
        rc = graph_add(g, &sse, &pass, NULL, &e);
    }
    if (!rc) {
        const struct graph_pass_request load = {.family = KERNEL_T_LOAD, .in = {in[0][0]}, .out = {{WIDTH, HEIGHT}}};
        rc = graph_add(g, &load, &pass, half, &e);
    }
    if (!rc) {
        const struct graph_pass_request moments = {.family = KERNEL_MOMENTS, .in = {*half}};
        rc = graph_add(g, &moments, &pass, NULL, &e);
    }
    const enum kernel_family more[] = {KERNEL_T_HISTOGRAM, KERNEL_T_ROW_SUMS, KERNEL_T_EXTREMA};
    for (unsigned i = 0; !rc && i < 3; i++) {
        const struct graph_pass_request request = {.family = more[i], .in = {in[1][0]}};
        rc = graph_add(g, &request, &pass, NULL, &e);
    }
    if (!rc) {
        g->keep = true;
        rc = graph_seal(g, &e);
    }
    EXPECT(!rc, "%s", e.text);
    return g;
}

/* The distorted side as a decoder leaves it, chroma in pairs, on a surface that is somebody else's again afterwards. */
static int take(struct executor *x, uint32_t slot, struct frame_inputs *inputs, struct assay_error *e)
{
    static unsigned char surface[2][ROOM];
    struct device_picture picture = {.pairs = true};
    for (unsigned c = 0; c < 2; c++) {
        const struct kernel_plane *k = &inputs->plane[1][c];
        const unsigned each = c + 1;
        picture.plane[c].data = (uintptr_t)surface[c];
        picture.plane[c].pitch = (size_t)k->width * each + 9;
        for (int32_t y = 0; y < k->height; y++)
            for (int32_t x_ = 0; x_ < k->width; x_++)
                surface[c][(size_t)y * picture.plane[c].pitch + (size_t)x_ * each] =
                    ((const unsigned char *)k->data)[y * k->stride + x_];
    }
    const int rc = x->ops->take(x, slot, 1, &picture, e);
    memset(surface, 0xdd, sizeof surface);
    inputs->taken[1] = true;
    for (unsigned c = 0; c < 2; c++)
        inputs->plane[1][c].data = NULL;
    return rc;
}

struct result {
    int64_t totals[ROOM / 8];
    uint32_t extrema[16], plane[WIDTH * HEIGHT];
};

static int collect(struct executor *x, uint32_t slot, const struct graph *g, graph_plane half, struct result *out,
                   struct assay_error *e)
{
    struct frame_results r;
    const int rc = x->ops->wait(x, slot, &r, e);
    if (rc)
        return rc;
    const struct frame_times *t = &r.times;
    EXPECT(t->upload[0] <= t->upload[1] && t->upload[1] <= t->passes[0] && t->passes[0] <= t->passes[1] &&
           x->timed == (t->passes[0] < t->passes[1]), "a frame's times: %llu to %llu", (unsigned long long)t->upload[0],
           (unsigned long long)t->passes[1]);
    memset(out, 0, sizeof *out);
    memcpy(out->totals, r.totals, g->totals * sizeof *out->totals);
    memcpy(out->extrema, r.extrema, 2 * g->extrema * sizeof *out->extrema);
    return x->ops->read_plane(x, slot, half, out->plane, WIDTH * sizeof *out->plane, e);
}

/* FRAMES frames through SLOTS slots; after a failure everything submitted is waited for, as the engine does. */
static int run(const struct executor_ops *ops, const char *device, enum placement how, struct result *out,
               struct assay_error *e)
{
    static struct planes planes[FRAMES];
    graph_plane half = 0;
    struct graph *g = make_graph(&half);
    struct executor *x = NULL;
    const struct executor_config config = {.device = device, .threads = 1,
                                           .level = ops == &executor_cpu ? "scalar" : NULL};
    unsigned char *own[FRAMES] = {0};
    int rc = ops->open(&x, &config, e);
    if (!rc)
        rc = ops->prepare(x, g, SLOTS, e);
    if (!rc)
        x->timed = how != OWN;
    for (unsigned n = 0; !rc && n < FRAMES; n++) {
        own[n] = ops->host_alloc(x, n % SLOTS, ROOM * 2);
        planes[n].inputs.taken[1] = false;
        if (!own[n])
            rc = assay_fail(e, ASSAY_EDEVICE, "CUDA: no host memory");
        else
            fill(&planes[n], how, n, own[n]);
    }
    /* The CPU executor runs at once and has one set of intermediate planes, so its frames come one by one. */
    const unsigned behind = ops == &executor_cpu ? 0 : 1;
    for (unsigned submitted = 0, done = 0; (!rc && done < FRAMES) || done < submitted;) {
        if (!rc && submitted < FRAMES && submitted - done < 1 + behind) {
            if (how == TAKEN && ops->take && (rc = take(x, submitted % SLOTS, &planes[submitted].inputs, e)))
                continue;
            rc = ops->submit(x, submitted % SLOTS, &planes[submitted].inputs, e);
            submitted++;
            if (submitted - done < 1 + behind && !rc)
                continue;
        }
        struct assay_error late = {0}; /* the first error is the one that counts */
        const int wrong = collect(x, done % SLOTS, g, half, &out[done], rc ? &late : e);
        rc = rc ? rc : wrong;
        done++;
    }
    for (unsigned n = 0; n < FRAMES; n++)
        if (own[n])
            ops->host_free(x, n % SLOTS, own[n]);
    if (x)
        ops->close(&x);
    graph_free(&g);
    return rc;
}

static void expect_failure(const char *device, const char *wanted)
{
    static struct result out[FRAMES];
    struct assay_error e = {0};
    fake->calls = fake->fail_at = 0;
    const int rc = run(&executor_cuda, device, OWN, out, &e);
    EXPECT(rc == ASSAY_EDEVICE && strstr(e.text, wanted), "wanted '%s', got %d '%s'", wanted, rc, e.text);
    *fake = usual;
}

static void test_devices(const char *driver)
{
    expect_failure("2", "0 is 'Fake Alpha', 1 is 'Fake Beta'");
    expect_failure("gamma", "no device 'gamma'");
    fake->devices = 0;
    expect_failure(NULL, "finds no device");
    fake->version = 11080;
    expect_failure(NULL, "for CUDA 11.8; 12.0 or newer is needed");
    fake->major = 7;
    expect_failure(NULL, "compute capability 7.0; 7.5 is the lowest");
    fake->free_bytes = 15000;
    expect_failure(NULL, "2 frames in flight need");
    setenv("ASSAY_GPU_MEMORY", "0", 1);
    expect_failure(NULL, "2 frames in flight need");
    unsetenv("ASSAY_GPU_MEMORY");
    setenv("ASSAY_CUDA_DRIVER", "/nonexistent/libcuda.so", 1);
    expect_failure(NULL, "no driver");
    setenv("ASSAY_CUDA_DRIVER", driver, 1);
}

static void show(void *opaque, const struct executor_device *d)
{
    unsigned *n = opaque;
    EXPECT(d->number == *n && !strcmp(d->name, *n ? "Fake Beta" : "Fake Alpha") && !strcmp(d->driver, "CUDA 12.4") &&
           d->usable && !d->software, "%u %s %s", d->number, d->name, d->driver);
    ++*n;
}

/* Each call of a listing fails once; only the size of the memory may be unknown. */
static void test_list(void)
{
    for (long n = 0;; n++) {
        struct assay_error e = {0};
        unsigned seen = 0;
        *fake = usual;
        fake->fail_at = n;
        const int rc = executor_cuda.list(show, &seen, &e);
        EXPECT(rc || seen == 2, "%u devices", seen);
        EXPECT(rc == (fake->failed && strcmp(fake->failed, "cuDeviceTotalMem_v2") ? ASSAY_EDEVICE : ASSAY_OK), "%s",
               e.text);
        if (n && !fake->failed)
            break;
    }
}

static bool only_cleans_up(const char *name)
{
    static const char *const names[] = {"cuCtxPopCurrent_v2", "cuMemFree_v2", "cuMemFreeHost", "cuLibraryUnload",
        "cuStreamDestroy_v2", "cuGraphExecDestroy", "cuGraphDestroy", "cuEventDestroy_v2",
        "cuDevicePrimaryCtxRelease_v2"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Both copies are measured, or the call that fails is named; nothing is left behind. */
static void test_copies(void)
{
    const struct executor_config config = {0};
    for (long n = 0;; n++) {
        struct executor *x = NULL;
        struct assay_error e = {0};
        double seconds = -1.0;
        *fake = usual;
        int rc = executor_cuda.open(&x, &config, &e);
        fake->calls = 0;
        fake->fail_at = n;
        for (unsigned kind = COPY_UPLOAD; !rc && kind <= COPY_DEVICE; kind++) {
            rc = executor_cuda.copy_rate(x, (enum executor_copy)kind, 1000, 3, &seconds, &e);
            EXPECT(rc || seconds >= 0.0, "kind %u", kind);
        }
        const char *const failed = fake->failed;
        fake->fail_at = 0;
        if (x)
            x->ops->close(&x);
        EXPECT(rc == (failed && !only_cleans_up(failed) ? ASSAY_EDEVICE : ASSAY_OK), "call %ld, %s: %d %s", n, failed,
               rc, e.text);
        EXPECT(!fake->left, "call %ld: %ld things left", n, fake->left);
        if (n && !failed)
            break;
    }
}

static void test_results(const struct result *expected)
{
    static struct result out[FRAMES];
    static const char *const devices[PLACEMENTS] = {NULL, "1", "beta", "0", NULL};
    for (enum placement how = OWN; how < PLACEMENTS; how++) {
        struct assay_error e = {0};
        *fake = usual;
        const int rc = run(&executor_cuda, devices[how], how, out, &e);
        EXPECT(!rc, "%s", e.text);
        EXPECT(!memcmp(expected, out, sizeof out), "placement %d differs from the CPU", (int)how);
        EXPECT(!fake->left, "%ld things left", fake->left);
        EXPECT(how != OWN || fake->uploads == FRAMES, "a frame takes more than one copy: %ld", fake->uploads);
    }
}

/* Every call fails once: one line that says so, or the frames' right results; nothing left behind. */
static void test_faults(const struct result *expected, enum placement odd, enum placement even)
{
    static struct result out[FRAMES];
    long n = 1;
    for (;; n++) {
        struct assay_error e = {0};
        *fake = usual;
        fake->fail_at = n;
        const int rc = run(&executor_cuda, NULL, n % 2 ? odd : even, out, &e);
        if (!fake->failed)
            break;
        const bool push = !strcmp(fake->failed, "cuCtxPushCurrent_v2"),
                   wait = !strcmp(fake->failed, "cuStreamSynchronize");
        EXPECT(rc == ASSAY_EDEVICE || (rc == 0 && (only_cleans_up(fake->failed) || push || wait)),
               "call %ld, %s: %d '%s'", n, fake->failed, rc, e.text);
        EXPECT(rc == 0 || (strstr(e.text, "CUDA") && !strchr(e.text, '\n')), "call %ld, %s: '%s'", n, fake->failed,
               e.text);
        EXPECT(rc || !memcmp(expected, out, sizeof out), "call %ld, %s: wrong results", n, fake->failed);
        EXPECT(!fake->left || push, "call %ld, %s: %ld things left", n, fake->failed, fake->left);
    }
    EXPECT(n > 100, "only %ld calls", n);
    printf("%ld calls failed once each\n", n - 1);
}

int main(int argc, char **argv)
{
    static struct result expected[FRAMES];
    struct assay_error e = {0};
    void *const library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    fake = library ? dlsym(library, "fake_cuda") : NULL;
    EXPECT(fake, "usage: test_cuda_faults FAKE_DRIVER (%s)", dlerror());
    setenv("ASSAY_CUDA_DRIVER", argv[1], 1);
    EXPECT(!run(&executor_cpu, NULL, OWN, expected, &e), "%s", e.text);
    test_results(expected);
    test_devices(argv[1]);
    test_list();
    test_copies();
    test_faults(expected, OWN, BOTTOM_UP);
    test_faults(expected, TAKEN, TAKEN);
    return 0;
}
