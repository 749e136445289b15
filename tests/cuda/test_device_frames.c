/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames in CUDA memory of an application, scored in place: the scores are those of the CPU for the same samples. The
 * application writes the planes on its stream just before it submits them and overwrites them right after, without
 * waiting.
 *
 * test_device_frames DRIVER [frames]
 *
 * DRIVER is the fake driver, or libcuda.so.1 on a machine with a GPU (exit 77 when it is not there). With the fake
 * driver each of its calls fails once.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/gpu.h>

#include "cuda/fake_cuda.h"
#include "executors/cuda/driver.h"

enum { PLANES = 3, ROOM = 1 << 16, VALUES = 64, SKIPPED = 77 };

static struct fake_cuda *fake; /* NULL: a real device */
static const struct fake_cuda usual = {.devices = 2, .version = 12040, .major = 9, .free_bytes = (size_t)1 << 30};
static struct cu_driver driver;
static unsigned frames = 7;
static uint32_t packing[2]; /* ASSAY_PACKED_* of the application's pictures */

#define EXPECT(ok, ...) \
    do { \
        if (!(ok)) { \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #ok); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            exit(1); \
        } \
    } while (0)

/* The application's side: one set of planes on the device, which every frame overwrites. */
struct app {
    cu_context context;
    cu_stream stream;
    cu_address plane[2][PLANES];
    assay_gpu_image picture[2];
};

struct samples {
    unsigned char plane[2][PLANES][ROOM];
};

/* Samples of a frame, rows with a gap behind each: noise on a gradient. */
static void make(const assay_format *f, uint64_t frame, struct samples *s)
{
    uint32_t state = (uint32_t)frame * 747796405u + 1u;
    memset(s, 0xee, sizeof *s);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < assay_format_planes(f); i++) {
            const uint32_t w = assay_format_plane_width(f, i), h = assay_format_plane_height(f, i);
            const size_t sample = f->bit_depth > 8 ? 2 : 1, pitch = w * sample + 10;
            for (uint32_t y = 0; y < h; y++)
                for (uint32_t x = 0; x < w; x++) {
                    state = state * 1664525u + 1013904223u;
                    const uint32_t v = (x * 3 + y * 2 + (uint32_t)frame * 5 + (side ? state >> 28 : 0))
                                       << (f->bit_depth - 8);
                    const uint16_t cut = (uint16_t)(v & ((1u << f->bit_depth) - 1));
                    memcpy(s->plane[side][i] + y * pitch + x * sample, &cut, sample);
                }
        }
}

static bool pairs(unsigned side)
{
    return (packing[side] & ASSAY_PACKED_PAIRS) != 0;
}

static uint32_t app_planes(const assay_format *f, unsigned side)
{
    return pairs(side) ? 2 : assay_format_planes(f);
}

static size_t app_pitch(const assay_format *f, unsigned side, uint32_t i)
{
    return (size_t)assay_format_plane_width(f, i) * (f->bit_depth > 8 ? 2 : 1) * (i && pairs(side) ? 2 : 1) + 10;
}

static size_t app_bytes(const assay_format *f, unsigned side, uint32_t i)
{
    return app_pitch(f, side, i) * assay_format_plane_height(f, i);
}

/* A plane as a decoder leaves it. */
static void pack(const assay_format *f, unsigned side, uint32_t i, const struct samples *s, unsigned char *to)
{
    const size_t sample = f->bit_depth > 8 ? 2 : 1, w = assay_format_plane_width(f, i), pitch = w * sample + 10;
    const unsigned shift = packing[side] & ASSAY_PACKED_HIGH && sample == 2 ? 16 - f->bit_depth : 0,
                   each = i && pairs(side) ? 2 : 1;
    memset(to, 0xcc, app_bytes(f, side, i));
    for (uint32_t y = 0; y < assay_format_plane_height(f, i); y++)
        for (size_t x = 0; x < w * each; x++) {
            uint16_t v = 0;
            memcpy(&v, s->plane[side][i + x % each] + y * pitch + x / each * sample, sample);
            v = (uint16_t)(v << shift);
            memcpy(to + y * app_pitch(f, side, i) + x * sample, &v, sample);
        }
}

static int app_open(struct app *a, const assay_format *f)
{
    cu_device device;
    memset(a, 0, sizeof *a);
    EXPECT(!driver.device_get(&device, 0) && !driver.context_retain(&a->context, device) &&
               !driver.context_push(a->context) && !driver.stream_create(&a->stream, CU_STREAM_APART),
           "the application's device");
    for (unsigned side = 0; side < 2; side++) {
        a->picture[side] = (assay_gpu_image){.kind = ASSAY_GPU_CUDA,
                                             .cuda = {.format = f, .packing = packing[side], .stream = a->stream}};
        for (uint32_t i = 0; i < app_planes(f, side); i++) {
            EXPECT(!driver.memory_alloc(&a->plane[side][i], app_bytes(f, side, i)), "the application's memory");
            a->picture[side].cuda.plane[i] = a->plane[side][i];
            a->picture[side].cuda.pitch[i] = app_pitch(f, side, i);
        }
    }
    return 0;
}

static void app_close(struct app *a)
{
    cu_context context;
    driver.stream_wait(a->stream);
    for (unsigned i = 0; i < 2 * PLANES; i++)
        if (a->plane[i / PLANES][i % PLANES])
            driver.memory_free(a->plane[i / PLANES][i % PLANES]);
    driver.stream_destroy(a->stream);
    driver.context_pop(&context);
    driver.context_release(0);
}

/* The copies read the planes when the stream gets there: `room` stays. */
static unsigned write_planes(const struct app *a, const assay_format *f, const struct samples *s, struct samples *room)
{
    unsigned copies = 0;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < app_planes(f, side); i++, copies++) {
            pack(f, side, i, s, room->plane[side][i]);
            EXPECT(!driver.upload(a->plane[side][i], room->plane[side][i], app_bytes(f, side, i), a->stream),
                   "the application's frame");
        }
    return copies;
}

/* NULL when the device is refused: the reason in `text`. */
static assay_gpu *new_gpu(const struct app *a, char text[512])
{
    const assay_gpu_handles handles = {.kind = ASSAY_GPU_CUDA, .cuda = {.context = a->context}};
    assay_gpu *gpu;
    assay_gpu_open(&gpu, &handles, text, 512);
    return gpu;
}

static assay_session *new_session(const char *const *metrics)
{
    assay_session *s;
    EXPECT(!assay_session_new(&s, NULL, NULL, 0), "a session");
    for (; *metrics; metrics++)
        EXPECT(!assay_session_add_metric(s, *metrics), "%s", assay_session_error(s));
    return s;
}

static void submit_host(assay_session *s, const assay_format *f, unsigned n)
{
    static struct samples samples;
    assay_picture picture[2] = {{.release = NULL}, {.release = NULL}};
    make(f, n, &samples);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < assay_format_planes(f); i++) {
            picture[side].plane[i] = samples.plane[side][i];
            picture[side].stride[i] = (ptrdiff_t)assay_format_plane_width(f, i) * (f->bit_depth > 8 ? 2 : 1) + 10;
        }
    EXPECT(!assay_session_submit(s, n, &picture[0], &picture[1]), "%s", assay_session_error(s));
}

static void expected_scores(const char *const *metrics, const assay_format *f, double (*values)[VALUES])
{
    assay_session *s = new_session(metrics);
    uint64_t frame;
    EXPECT(!assay_session_start(s, f), "%s", assay_session_error(s));
    for (unsigned n = 0; n < frames; n++)
        submit_host(s, f, n);
    EXPECT(!assay_session_flush(s), "%s", assay_session_error(s));
    for (unsigned n = 0; n < frames; n++)
        EXPECT(assay_session_poll(s, &frame, values[n]) == 1 && frame == n, "frame %u", n);
    assay_session_close(&s);
}

/* Frames from the host's memory on the device, or on as many as it is named. Returns how often something was
 * uploaded. */
static long host_scores(const char *const *metrics, const assay_format *f, double (*expected)[VALUES],
                        const char *device)
{
    double values[VALUES];
    uint64_t frame;
    assay_session *s;
    EXPECT(!assay_session_new(&s, &(assay_config){.backend = "cuda", .device = device}, NULL, 0), "a session");
    for (const char *const *m = metrics; *m; m++)
        EXPECT(!assay_session_add_metric(s, *m), "%s", assay_session_error(s));
    EXPECT(!assay_session_start(s, f), "%s", assay_session_error(s));
    const long before = fake ? fake->uploads : 0;
    for (unsigned n = 0; n < frames; n++)
        submit_host(s, f, n);
    EXPECT(!assay_session_flush(s), "%s", assay_session_error(s));
    const long uploads = fake ? fake->uploads - before : 0;
    for (unsigned n = 0; n < frames; n++) {
        EXPECT(assay_session_poll(s, &frame, values) == 1 && frame == n, "frame %u", n);
        EXPECT(!expected || !memcmp(values, expected[n], assay_session_keys(s) * sizeof *values), "frame %u on %s", n,
               device);
    }
    assay_session_close(&s);
    return uploads;
}

/* An earlier frame's plane is not uploaded again where the device has it. Zeros stand for the planes before the first
 * frame: one copy for the first frame, which looks back at two, and one for the second. */
static void test_uploads(const assay_format *f)
{
    static const char *const with[] = {"psnr", "motion", "motion=motion_five_frame_window=true",
                                       NULL}, *const without[] = {"psnr", NULL};
    static double expected[64][VALUES];
    expected_scores(with, f, expected);
    const long plain = host_scores(without, f, NULL, "0"), more = host_scores(with, f, expected, "0");
    EXPECT(more == plain + (fake ? 2 : 0), "%ld uploads, %ld with motion", plain, more);
    for (unsigned i = 0; i < 2; i++)
        host_scores(with, f, expected, i ? "0,0,0" : "0,0");
}

/* Frames from the device; how many were scored, all of them equal to what is expected. The error's line in `text`. */
static unsigned device_scores(const char *const *metrics, const assay_format *f, double (*expected)[VALUES],
                              char text[512])
{
    static struct samples samples[2 * 64], room[2 * 64];
    struct app app;
    double values[VALUES];
    uint64_t frame;
    unsigned scored = 0;
    const long fail_at = fake ? fake->fail_at : 0;
    if (fake)
        fake->fail_at = 0;
    app_open(&app, f);
    assay_session *s = new_session(metrics);
    if (fake) {
        fake->calls = 0;
        fake->fail_at = fail_at;
    }
    assay_gpu *gpu = new_gpu(&app, text);
    int rc = gpu ? assay_session_start_gpu(s, gpu, &app.picture[0], &app.picture[1], NULL) : ASSAY_EDEVICE;
    for (unsigned n = 0; !rc && n < frames; n++) {
        struct samples *mine = &samples[2 * (n % 64)], *other = mine + 1;
        const long left = fake ? fake->fail_at : 0;
        make(f, n, mine);
        make(f, 1000 + n, other);
        if (fake)
            fake->fail_at = 0; /* the application's own calls don't fail */
        const unsigned copies = write_planes(&app, f, mine, &room[2 * (n % 64)]);
        if (fake) {
            fake->fail_at = left;
            fake->calls -= copies;
        }
        rc = assay_session_submit_gpu(s, n, &app.picture[0], &app.picture[1]);
        if (fake)
            fake->fail_at = 0;
        write_planes(&app, f, other, &room[2 * (n % 64) + 1]); /* not seen by the frame before it */
        if (n % 2)
            driver.stream_wait(app.stream);
        if (fake) {
            fake->fail_at = left;
            fake->calls -= copies + n % 2;
        }
    }
    if (!rc)
        rc = assay_session_flush(s);
    if (gpu)
        snprintf(text, 512, "%s", rc ? assay_session_error(s) : "");
    while (assay_session_poll(s, &frame, values) == 1) {
        EXPECT(frame == scored, "frame %llu after %u", (unsigned long long)frame, scored);
        for (uint32_t k = 0; k < assay_session_keys(s); k++)
            EXPECT(!memcmp(&values[k], &expected[frame][k], sizeof values[k]), "frame %u, %s: %a, expected %a", scored,
                   assay_session_key(s, k), values[k], expected[frame][k]);
        scored++;
    }
    assay_session_close(&s);
    assay_gpu_close(&gpu);
    if (fake)
        fake->fail_at = 0;
    app_close(&app);
    return scored;
}

static void test_refusals(const assay_format *f)
{
    static const char *const metrics[] = {"psnr", NULL};
    struct app app;
    char text[512];
    assay_session *s = new_session(metrics);
    assay_image_figures figures;
    app_open(&app, f);
    assay_gpu *gpu = new_gpu(&app, text);
    EXPECT(gpu, "%s", text);
    const assay_gpu_image *const ref = &app.picture[0], good = app.picture[1];
    assay_gpu_image bad = good;
    EXPECT(assay_session_submit_gpu(s, 0, ref, &good) == ASSAY_EUSAGE, "before the start");
    EXPECT(assay_gpu_compare(gpu, ref, &good, NULL, &figures) == ASSAY_EUSAGE, "planes are not compared");
    EXPECT(assay_session_start_gpu(s, gpu, ref, &good, &(assay_gpu_options){.transfer = 1}) == ASSAY_EUSAGE,
           "a format has colours");
    EXPECT(!assay_session_start_gpu(s, gpu, ref, &good, NULL), "%s", assay_session_error(s));
    EXPECT(assay_session_start_gpu(s, gpu, ref, &good, NULL) == ASSAY_EUSAGE, "a second start");
    EXPECT(assay_session_submit(s, 0, &(assay_picture){.plane = {s, s, s}, .stride = {999, 999, 999}},
                                &(assay_picture){.plane = {s, s, s},
                                                 .stride = {999, 999, 999}}) == ASSAY_EUSAGE, "host frames");
#define REFUSED(change, code) \
    bad = good; \
    bad.change; \
    EXPECT(assay_session_submit_gpu(s, 0, ref, &bad) == (code), #change);
    REFUSED(cuda.pitch[1] = 1, ASSAY_EUSAGE)
    REFUSED(cuda.plane[2] = 0, ASSAY_EUSAGE)
    REFUSED(cuda.packing = 4, ASSAY_EUSAGE)
    REFUSED(cuda.packing = ASSAY_PACKED_HIGH, ASSAY_EMISMATCH)
    REFUSED(cuda.texels = 37, ASSAY_EUSAGE)
    REFUSED(cuda.reserved[7] = 1, ASSAY_EUSAGE)
    REFUSED(rectangle = ((assay_rectangle){0, 0, 8, 8}), ASSAY_EUSAGE)
    REFUSED(kind = ASSAY_GPU_VULKAN, ASSAY_EUSAGE)
    assay_format other = *f;
    other.range = ASSAY_RANGE_FULL;
    REFUSED(cuda.format = &other, ASSAY_EMISMATCH)
    other.alpha = 1;
    REFUSED(cuda.format = &other, ASSAY_EUSAGE)
    REFUSED(cuda = ((assay_cuda_image){.plane = {good.cuda.plane[0]}, .pitch = {4096}, .texels = 37, .width = 4,
                                       .height = 4}),
            ASSAY_EMISMATCH)
#undef REFUSED
    EXPECT(!assay_session_submit_gpu(s, 5, ref, &good), "%s", assay_session_error(s));
    EXPECT(assay_session_submit_gpu(s, 5, ref, &good) == ASSAY_EUSAGE, "a frame twice");
    assay_session_close(&s); /* with a frame in flight */
    assay_gpu_close(&gpu);
    app_close(&app);
}

/* Pictures that are needed twice are the application's again when they were read once. */
static void test_no_mirror(const assay_format *f)
{
    static const char *const metrics[] = {"cvvdp=fps=24:padding=symmetric", NULL};
    assay_session *s = new_session(metrics);
    char text[512];
    struct app app;
    app_open(&app, f);
    assay_gpu *gpu = new_gpu(&app, text);
    EXPECT(gpu, "%s", text);
    EXPECT(assay_session_start_gpu(s, gpu, &app.picture[0], &app.picture[1], NULL) == ASSAY_EUSAGE &&
           strstr(assay_session_error(s), "mirrored at its first frame"), "%s", assay_session_error(s));
    assay_session_close(&s);
    assay_gpu_close(&gpu);
    app_close(&app);
}

/* A start that never got to the device leaves an ordinary session. */
static void test_no_start(const char *const *metrics, const assay_format *f, double (*expected)[VALUES])
{
    assay_session *s = new_session(metrics);
    double values[VALUES];
    char text[512];
    struct app app;
    uint64_t frame;
    *fake = usual;
    packing[0] = packing[1] = ASSAY_PACKED_PAIRS;
    app_open(&app, f);
    assay_gpu *gpu = new_gpu(&app, text);
    EXPECT(gpu, "%s", text);
    assay_gpu_image bad = app.picture[1];
    bad.cuda.packing = 4;
    EXPECT(assay_session_start_gpu(s, gpu, &app.picture[0], &bad, NULL) == ASSAY_EUSAGE, "a packing that is none");
    fake->calls = 0;
    fake->fail_at = 1;
    EXPECT(assay_session_start_gpu(s, gpu, &app.picture[0], &app.picture[1], NULL) == ASSAY_EDEVICE,
           "without a driver");
    fake->fail_at = 0;
    packing[0] = packing[1] = 0;
    EXPECT(!assay_session_start(s, f), "%s", assay_session_error(s));
    for (unsigned n = 0; n < frames; n++)
        submit_host(s, f, n);
    EXPECT(!assay_session_flush(s), "%s", assay_session_error(s));
    for (unsigned n = 0; n < frames; n++)
        EXPECT(assay_session_poll(s, &frame, values) == 1 &&
                   !memcmp(values, expected[n], assay_session_keys(s) * sizeof values[0]),
               "frame %u after a start that failed", n);
    assay_session_close(&s);
    assay_gpu_close(&gpu);
    packing[0] = packing[1] = ASSAY_PACKED_PAIRS;
    app_close(&app);
    packing[0] = packing[1] = 0;
}

/* NV12, P010 and the like on either side or on both. */
static void test_packings(const char *const *metrics, const assay_format *f, double (*expected)[VALUES])
{
    static const uint32_t cases[][2] = {{1, 1}, {3, 3}, {0, 1}, {3, 0}, {2, 2}, {2, 1}};
    char text[512];
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (fake)
            *fake = usual;
        memcpy(packing, cases[i], sizeof packing);
        EXPECT(device_scores(metrics, f, expected, text) == frames, "packings %u and %u: %s", packing[0], packing[1],
               text);
        EXPECT(!fake || !fake->left, "%ld things left", fake->left);
    }
    packing[0] = packing[1] = 0;
    printf("%zu packings of %u-bit samples\n", sizeof cases / sizeof cases[0], f->bit_depth);
}

/* Each call of the driver fails once: one line, and right scores for the frames before it. */
static void test_faults(const char *const *metrics, const assay_format *f, double (*expected)[VALUES])
{
    long n = 1;
    unsigned whole = 0;
    for (;; n++) {
        char text[512];
        *fake = usual;
        fake->fail_at = n;
        const unsigned scored = device_scores(metrics, f, expected, text);
        if (!fake->failed)
            break;
        EXPECT(scored == frames || (strstr(text, "CUDA") && !strchr(text, '\n')), "call %ld, %s: '%s'", n, fake->failed,
               text);
        EXPECT(!fake->left || !strcmp(fake->failed, "cuCtxPushCurrent_v2"), "call %ld, %s: %ld things left", n,
               fake->failed, fake->left);
        whole += scored == frames;
    }
    EXPECT(n > 60 && whole < (unsigned long)n / 2, "%ld calls, %u without effect", n, whole);
    printf("%ld calls failed once each\n", n - 1);
}

int main(int argc, char **argv)
{
    static const char *const few[] = {"psnr", "float_ssim", "motion", NULL};
    static const char *const many[] = {"psnr", "float_ssim", "float_ms_ssim", "motion=motion_five_frame_window=true",
                                       "ssimulacra2", NULL};
    static const assay_format formats[] = {
        {.width = 61, .height = 35, .bit_depth = 8, .layout = ASSAY_LAYOUT_420, .range = ASSAY_RANGE_LIMITED},
        {.width = 44, .height = 33, .bit_depth = 10, .layout = ASSAY_LAYOUT_444, .range = ASSAY_RANGE_LIMITED},
        {.width = 177, .height = 176, .bit_depth = 8, .layout = ASSAY_LAYOUT_420, .range = ASSAY_RANGE_LIMITED}};
    static double expected[64][VALUES];
    char text[512];
    EXPECT(argc >= 2, "usage: test_device_frames DRIVER [frames]");
    frames = argc > 2 ? (unsigned)atoi(argv[2]) : frames;
    EXPECT(frames && frames <= 64, "1 to 64 frames");
    void *const library = dlopen(argv[1], RTLD_NOW);
    if (library)
        fake = dlsym(library, "fake_cuda");
    setenv("ASSAY_CUDA_DRIVER", argv[1], 1);
    struct assay_error e = {0};
    if (!library || cu_driver_open(&driver, &e)) {
        fprintf(stderr, "no CUDA driver: %s\n", e.text);
        return SKIPPED;
    }
    for (unsigned i = 0; i < (fake ? 2 : 3); i++) {
        const char *const *metrics = fake ? few : i < 2 ? few : many;
        if (fake)
            *fake = usual;
        expected_scores(metrics, &formats[i], expected);
        EXPECT(device_scores(metrics, &formats[i], expected, text) == frames, "%s", text);
        EXPECT(!fake || !fake->left, "%ld things left", fake->left);
        if (i < 2)
            test_packings(metrics, &formats[i], expected);
    }
    test_refusals(&formats[0]);
    test_no_mirror(&formats[0]);
    test_uploads(&formats[0]);
    if (fake) {
        frames = 6;
        expected_scores(few, &formats[0], expected);
        test_no_start(few, &formats[0], expected);
        test_faults(few, &formats[0], expected);
        packing[0] = packing[1] = ASSAY_PACKED_PAIRS;
        test_faults(few, &formats[0], expected);
    }
    printf("frames in device memory have the CPU's scores\n");
    return 0;
}
