/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames in USM memory of an application, scored in place: the scores are those of the CPU for the same samples. The
 * application writes the planes on its queue just before it submits them and overwrites them right after, without
 * waiting. Texels are compared, and handles that can't be used are refused.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <vector>

#include <sycl/sycl.hpp>

#include <assay/gpu.h>

#define EXPECT(ok, ...) \
    do { \
        if (!(ok)) { \
            std::fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #ok); \
            std::fprintf(stderr, __VA_ARGS__); \
            std::fputc('\n', stderr); \
            std::exit(1); \
        } \
    } while (0)

enum { PLANES = 3, FRAMES = 6, VALUES = 64 };
static const char *const metrics[] = {"psnr", "motion", "motion=motion_five_frame_window=true", "float_ssim"};

typedef std::vector<unsigned char> bytes;

static size_t sample_bytes(const assay_format &f) { return f.bit_depth > 8 ? 2 : 1; }

/* Rows of a plane lie this far apart in the samples that are made. */
static size_t row_bytes(const assay_format &f, uint32_t i)
{
    return (size_t)assay_format_plane_width(&f, i) * sample_bytes(f) + 10;
}

struct samples {
    bytes plane[2][PLANES];
};

/* Samples of a frame: noise on a gradient. */
static samples make(const assay_format &f, uint32_t frame)
{
    samples s;
    uint32_t state = frame * 747796405u + 1u;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < assay_format_planes(&f); i++) {
            const uint32_t w = assay_format_plane_width(&f, i), h = assay_format_plane_height(&f, i);
            s.plane[side][i].resize(row_bytes(f, i) * h);
            for (uint32_t y = 0; y < h; y++)
                for (uint32_t x = 0; x < w; x++) {
                    state = state * 1664525u + 1013904223u;
                    const uint32_t v = (x * 3 + y * 2 + frame * 5 + (side ? state >> 28 : 0)) << (f.bit_depth - 8);
                    const uint16_t cut = (uint16_t)(v & ((1u << f.bit_depth) - 1));
                    std::memcpy(&s.plane[side][i][y * row_bytes(f, i) + x * sample_bytes(f)], &cut, sample_bytes(f));
                }
        }
    return s;
}

/* The planes as the application has them: with ASSAY_PACKED_* of `packing`. */
static bytes pack(const assay_format &f, const samples &s, unsigned side, uint32_t i, uint32_t packing)
{
    const bool pair = i && packing & ASSAY_PACKED_PAIRS;
    const uint32_t w = assay_format_plane_width(&f, i), h = assay_format_plane_height(&f, i), each = pair ? 2 : 1;
    const size_t pitch = (size_t)w * sample_bytes(f) * each + 14, sample = sample_bytes(f);
    const unsigned shift = packing & ASSAY_PACKED_HIGH && sample == 2 ? 16 - f.bit_depth : 0;
    bytes to(pitch * h, 0xcc);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w * each; x++) {
            uint16_t v = 0;
            std::memcpy(&v, &s.plane[side][i + x % each][y * row_bytes(f, i) + x / each * sample], sample);
            v = (uint16_t)(v << shift);
            std::memcpy(&to[y * pitch + x * sample], &v, sample);
        }
    return to;
}

static assay_session *new_session()
{
    assay_session *s;
    EXPECT(!assay_session_new(&s, nullptr, nullptr, 0), "a session");
    for (const char *m : metrics)
        EXPECT(!assay_session_add_metric(s, m), "%s", assay_session_error(s));
    return s;
}

static void collect(assay_session *s, double (*values)[VALUES])
{
    uint64_t frame;
    EXPECT(!assay_session_flush(s), "%s", assay_session_error(s));
    std::memset(values, 0, FRAMES * sizeof *values);
    for (unsigned n = 0; n < FRAMES; n++)
        EXPECT(assay_session_poll(s, &frame, values[n]) == 1 && frame == n, "frame %u", n);
    assay_session_close(&s);
}

static void on_processor(const assay_format &f, double (*values)[VALUES])
{
    assay_session *s = new_session();
    EXPECT(!assay_session_start(s, &f), "%s", assay_session_error(s));
    for (unsigned n = 0; n < FRAMES; n++) {
        const samples frame = make(f, n);
        assay_picture picture[2] = {};
        for (unsigned side = 0; side < 2; side++)
            for (uint32_t i = 0; i < assay_format_planes(&f); i++) {
                picture[side].plane[i] = const_cast<unsigned char *>(frame.plane[side][i].data());
                picture[side].stride[i] = (ptrdiff_t)row_bytes(f, i);
            }
        EXPECT(!assay_session_submit(s, n, &picture[0], &picture[1]), "%s", assay_session_error(s));
    }
    collect(s, values);
}

/* One set of planes: of the reference in the device's memory, of the distorted side in the host's. */
struct application {
    sycl::context context;
    sycl::queue queue;
    void *plane[2][PLANES] = {};
    assay_gpu_image image[2] = {};
    std::vector<bytes> written; /* what copies read when the queue gets there */

    application(const sycl::device &d, bool ordered = true)
        : context(d), queue(context, d, ordered ? sycl::property_list{sycl::property::queue::in_order()}
                                                : sycl::property_list{})
    {
    }
    void allocate(const assay_format &f, uint32_t packing)
    {
        for (unsigned side = 0; side < 2; side++) {
            image[side].kind = ASSAY_GPU_SYCL;
            image[side].sycl.format = &f;
            image[side].sycl.packing = packing;
            image[side].sycl.stream = side ? &queue : nullptr;
            for (uint32_t i = 0; i < (packing & ASSAY_PACKED_PAIRS ? 2 : assay_format_planes(&f)); i++) {
                const size_t size = pack(f, make(f, 0), side, i, packing).size(), room = (size + 63) / 64 * 64;
                plane[side][i] = side ? sycl::aligned_alloc_host(64, room, context)
                                      : sycl::aligned_alloc_device(64, room, queue.get_device(), context);
                image[side].sycl.plane[i] = (uint64_t)(uintptr_t)plane[side][i];
                image[side].sycl.pitch[i] = size / assay_format_plane_height(&f, i);
            }
        }
    }
    void write(const assay_format &f, const samples &s, uint32_t packing)
    {
        for (unsigned side = 0; side < 2; side++)
            for (uint32_t i = 0; i < PLANES && plane[side][i]; i++) {
                written.push_back(pack(f, s, side, i, packing));
                queue.memcpy(plane[side][i], written.back().data(), written.back().size());
            }
    }
    ~application()
    {
        queue.wait_and_throw();
        for (auto &side : plane)
            for (void *p : side)
                if (p)
                    sycl::free(p, context);
    }
};

static assay_gpu *open_gpu(application &a)
{
    assay_gpu_handles handles = {};
    char why[512] = "";
    assay_gpu *gpu;
    handles.kind = ASSAY_GPU_SYCL;
    handles.sycl.queue = &a.queue;
    assay_gpu_open(&gpu, &handles, why, sizeof why);
    EXPECT(gpu, "%s", why);
    return gpu;
}

static void test_scores(const sycl::device &d, const assay_format &f, uint32_t packing)
{
    static double expected[FRAMES][VALUES], got[FRAMES][VALUES];
    application a(d);
    on_processor(f, expected);
    a.allocate(f, packing);
    a.written.reserve(4 * FRAMES * PLANES);
    assay_gpu *gpu = open_gpu(a);
    assay_session *s = new_session();
    EXPECT(!assay_session_start_gpu(s, gpu, &a.image[0], &a.image[1], nullptr), "%s", assay_session_error(s));
    for (unsigned n = 0; n < FRAMES; n++) {
        a.write(f, make(f, n), packing);
        EXPECT(!assay_session_submit_gpu(s, n, &a.image[0], &a.image[1]), "%s", assay_session_error(s));
        a.write(f, make(f, 1000 + n), packing); /* not seen by the frame before it */
    }
    collect(s, got);
    EXPECT(!std::memcmp(expected, got, sizeof got), "%u bits, packing %u: the scores differ", f.bit_depth, packing);
    assay_gpu_close(&gpu);
}

static void test_texels(const sycl::device &d)
{
    enum { WIDTH = 37, HEIGHT = 11, RGBA8 = 37 /* VK_FORMAT_R8G8B8A8_UNORM */ };
    application a(d);
    assay_gpu *gpu = open_gpu(a);
    assay_image_figures figures = {};
    for (unsigned side = 0; side < 2; side++) {
        unsigned char *const to = (unsigned char *)sycl::aligned_alloc_host(64, 64 * 4 * HEIGHT, a.context);
        std::memset(to, 7, 64 * 4 * HEIGHT);
        a.plane[side][0] = to;
        a.image[side].kind = ASSAY_GPU_SYCL;
        a.image[side].sycl.plane[0] = (uint64_t)(uintptr_t)to;
        a.image[side].sycl.pitch[0] = 64 * 4;
        a.image[side].sycl.texels = RGBA8;
        a.image[side].sycl.width = WIDTH;
        a.image[side].sycl.height = HEIGHT;
    }
    ((unsigned char *)a.plane[1][0])[5 * 256 + 4 * 30] = 10;
    EXPECT(!assay_gpu_compare(gpu, &a.image[0], &a.image[1], nullptr, &figures), "%s", assay_gpu_error(gpu));
    EXPECT(figures.differing == 1, "%llu pixels", (unsigned long long)figures.differing);
    assay_gpu_close(&gpu);
}

static void test_refusals(const sycl::device &d)
{
    application a(d, false);
    assay_gpu_handles handles = {};
    char why[512] = "";
    assay_gpu *gpu;
    handles.kind = ASSAY_GPU_SYCL;
    EXPECT(assay_gpu_open(&gpu, &handles, why, sizeof why) == ASSAY_EUSAGE && std::strstr(why, "queue"), "%s", why);
    handles.sycl.queue = &a.queue;
    EXPECT(assay_gpu_open(&gpu, &handles, why, sizeof why) == ASSAY_EDEVICE && std::strstr(why, "not in order"), "%s",
           why);
}

/* The devices that can be used, and the others. */
static void sort_devices(std::vector<sycl::device> &usable, std::vector<sycl::device> &others)
{
    for (const sycl::device &d : sycl::device::get_devices()) {
        application a(d);
        assay_gpu_handles handles = {};
        char why[512] = "";
        assay_gpu *gpu;
        handles.kind = ASSAY_GPU_SYCL;
        handles.sycl.queue = &a.queue;
        assay_gpu_open(&gpu, &handles, why, sizeof why);
        (gpu ? usable : others).push_back(d);
        EXPECT(gpu || std::strstr(why, "the module was made for "), "%s", why);
        assay_gpu_close(&gpu);
    }
    EXPECT(!usable.empty(), "no device is used");
}

/* With an argument the runtime is the stand-in, which has a device without kernels. */
int main(int argc, char **argv)
{
    std::vector<sycl::device> usable, others;
    std::ostringstream said;
    std::streambuf *const out = std::cout.rdbuf(said.rdbuf());
    sort_devices(usable, others);
    const std::string before = said.str(); /* a runtime that the library has not been at yet says what it likes */
    (void)argv;
    EXPECT(argc == 1 || others.size() == 1, "%zu devices are refused", others.size());
    const sycl::device d = usable.front();
    assay_format f = {};
    f.width = 67;
    f.height = 45;
    f.layout = ASSAY_LAYOUT_420;
    for (uint32_t depth : {8u, 10u})
        for (uint32_t packing : {0u, (uint32_t)ASSAY_PACKED_PAIRS, (uint32_t)(ASSAY_PACKED_PAIRS | ASSAY_PACKED_HIGH)}) {
            f.bit_depth = depth;
            test_scores(d, f, packing);
        }
    test_texels(d);
    test_refusals(d);
    std::cout << "the application's own words\n";
    EXPECT(said.str() == before + "the application's own words\n", "%s", said.str().c_str());
    std::cout.rdbuf(out);
    std::puts("scores in place are the CPU's");
    return 0;
}
