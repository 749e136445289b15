/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed texels in CUDA memory of an application: the figures are those of plain loops, and a session's scores those of
 * an ordinary session, in every format, in rectangles, in strips, with each image on a stream of its own.
 *
 * test_images_cuda DRIVER
 *
 * DRIVER is the fake driver, or libcuda.so.1 on a machine with a GPU (exit 77 when it is not there).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/fake_cuda.h"
#include "executors/cuda/driver.h"
#include "gpu/checks.h"
#include "gpu/score_oracle.h"

enum { GAP = 12 }; /* bytes between two rows */

static struct cu_driver driver;
static cu_stream stream[2];

struct lent {
    struct host_image host[2];
    cu_address memory[2];
    assay_gpu_image lent[2];
};

static void must(cu_result r, const char *what)
{
    if (!r)
        return;
    fprintf(stderr, "%s: CUDA error %d\n", what, (int)r);
    exit(1);
}

static void lend(struct lent *l, const struct texel_format *f, uint32_t w, uint32_t h, enum texel_pattern pattern)
{
    const size_t row = (size_t)w * texel_bytes(f), pitch = (row + GAP + 3) / 4 * 4;
    texels_make(l->host, f, f, w, h, pattern, w * 31 + h);
    if (pattern == TEXELS_NEAR && (f->kind == TEXEL_HALF || f->kind == TEXEL_FLOAT))
        texels_make_parts(l->host, w + h);
    for (unsigned side = 0; side < 2; side++) {
        must(driver.memory_alloc(&l->memory[side], pitch * h), "the application's memory");
        for (uint32_t y = 0; y < h; y++)
            must(driver.upload(l->memory[side] + y * pitch, l->host[side].texels + y * row, row, stream[side]),
                 "an upload");
        l->lent[side] = (assay_gpu_image){
            .kind = ASSAY_GPU_CUDA, .cuda = {.plane = {l->memory[side]}, .pitch = {pitch}, .stream = stream[side],
                                             .texels = f->vulkan, .width = w, .height = h}};
    }
}

static void drop(struct lent *l)
{
    for (unsigned side = 0; side < 2; side++) {
        driver.stream_wait(stream[side]);
        driver.memory_free(l->memory[side]);
    }
    texels_free(l->host);
}

static void test_figures(assay_gpu *gpu, const struct texel_format *f, uint32_t w, uint32_t h,
                         enum texel_pattern pattern, const assay_rectangle cut[2])
{
    const uint32_t x[2] = {cut[0].x, cut[1].x}, y[2] = {cut[0].y, cut[1].y};
    const assay_gpu_options options = {.peak = f->kind == TEXEL_FLOAT ? 4 : 0};
    assay_image_figures expected, got;
    struct lent l;
    char what[120];
    snprintf(what, sizeof what, "%s, %ux%u, pattern %d", f->name, w, h, (int)pattern);
    lend(&l, f, w, h, pattern);
    for (unsigned side = 0; side < 2; side++)
        l.lent[side].rectangle = cut[side];
    texels_expect(l.host, x, y, cut[0].width ? cut[0].width : w, cut[0].width ? cut[0].height : h,
                  options.peak != 0 ? options.peak : 1, &expected);
    memset(&got, 0xff, sizeof got);
    if (assay_gpu_compare(gpu, &l.lent[0], &l.lent[1], &options, &got))
        fprintf(stderr, "%s: %s\n", what, assay_gpu_error(gpu));
    check(figures_same(&expected, &got, what), what);
    drop(&l);
}

static void test_formats(assay_gpu *gpu)
{
    static const struct { uint32_t w, h; } sizes[] = {{33, 17}, {1, 1}, {130, 70}, {5, 40}};
    static const assay_rectangle whole[2] = {{0}}, cut[2] = {{3, 5, 21, 13}, {0, 17, 21, 13}};
    const struct texel_format *f;
    unsigned tried = 0;
    for (unsigned i = 0; (f = texel_format_at(i)); i++) {
        if (!f->vulkan)
            continue;
        for (unsigned p = 0; p < TEXEL_PATTERNS; p++)
            test_figures(gpu, f, sizes[(i + p) % 4].w, sizes[(i + p) % 4].h, (enum texel_pattern)p, whole);
        test_figures(gpu, f, 50, 30, TEXELS_NEAR, cut);
        tried++;
    }
    check(tried == 22, "every format of Vulkan");
    setenv("ASSAY_GPU_MEMORY", "1", 1);
    test_figures(gpu, texel_format_vulkan(97), 301, 333, TEXELS_NEAR, whole); /* several strips */
    unsetenv("ASSAY_GPU_MEMORY");
}

static void test_scores(assay_gpu *gpu, uint32_t format, const char *metrics)
{
    enum { FRAMES = 5 };
    const struct texel_format *f = texel_format_vulkan(format);
    struct lent l;
    char what[120];
    snprintf(what, sizeof what, "a session of %s, %s", f->name, metrics);
    lend(&l, f, 51, 35, TEXELS_NEAR);
    const struct score_case c = {.image = l.host, .w = 51, .h = 35, .metrics = metrics};
    assay_session *s = score_session(&c);
    int rc = assay_session_start_gpu(s, gpu, &l.lent[0], &l.lent[1], NULL);
    for (unsigned n = 0; !rc && n < FRAMES; n++)
        rc = assay_session_submit_gpu(s, n, &l.lent[0], &l.lent[1]);
    check(score_flushed(s, rc, &c, FRAMES, "cuda", what), what);
    assay_session_close(&s);
    drop(&l);
}

static void test_refusals(assay_gpu *gpu)
{
    assay_image_figures figures;
    struct lent l;
    lend(&l, texel_format_vulkan(37), 20, 10, TEXELS_NEAR);
    const assay_gpu_image good = l.lent[0];
    assay_gpu_image bad;
#define REFUSED(change, code, word) \
    bad = good; \
    bad.change; \
    check(assay_gpu_compare(gpu, &good, &bad, NULL, &figures) == (code) && strstr(assay_gpu_error(gpu), word), word);
    REFUSED(cuda.plane[0] = 0, ASSAY_EUSAGE, "no distorted image")
    REFUSED(cuda.plane[0]++, ASSAY_EUSAGE, "multiples of 4")
    REFUSED(cuda.pitch[0] = 79, ASSAY_EUSAGE, "a pitch of a row at least")
    REFUSED(cuda.texels = 126, ASSAY_EUSAGE, "VkFormat 126")
    REFUSED(cuda.packing = ASSAY_PACKED_PAIRS, ASSAY_EUSAGE, "no packing")
    REFUSED(cuda.width = 19, ASSAY_EMISMATCH, "20x10")
    REFUSED(cuda.height = 0, ASSAY_EUSAGE, "1x1 to 65535x65535")
    REFUSED(rectangle.width = 21, ASSAY_EUSAGE, "not inside")
#undef REFUSED
    check(!assay_gpu_compare(gpu, &good, &good, NULL, &figures) && !figures.differing_all, "an image against itself");
    drop(&l);
}

int main(int argc, char **argv)
{
    static const struct fake_cuda usual = {.devices = 1, .version = 12040, .major = 9, .free_bytes = (size_t)1 << 30};
    cu_context context;
    cu_device device;
    struct assay_error e = {0};
    if (argc != 2)
        return 2;
    void *const library = dlopen(argv[1], RTLD_NOW);
    struct fake_cuda *fake = library ? dlsym(library, "fake_cuda") : NULL;
    if (fake)
        *fake = usual;
    setenv("ASSAY_CUDA_DRIVER", argv[1], 1);
    if (!library || cu_driver_open(&driver, &e) || driver.device_get(&device, 0) ||
        driver.context_retain(&context, device))
        checks_skip("no CUDA device");
    must(driver.context_push(context), "the context");
    for (unsigned side = 0; side < 2; side++)
        must(driver.stream_create(&stream[side], CU_STREAM_APART), "a stream");
    assay_gpu *gpu = checks_open((assay_gpu_handles){.kind = ASSAY_GPU_CUDA}); /* the context that is current */
    test_formats(gpu);
    test_scores(gpu, 37, "psnr diff motion");
    test_scores(gpu, 97, "psnr motion");
    test_scores(gpu, 9, "psnr float_ssim");
    test_refusals(gpu);
    assay_gpu_close(&gpu);
    for (unsigned side = 0; side < 2; side++)
        driver.stream_destroy(stream[side]);
    driver.context_pop(&context);
    driver.context_release(device);
    return checked();
}
