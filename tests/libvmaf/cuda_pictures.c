/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures in CUDA memory, as ffmpeg's filter libvmaf_cuda has them: luma is copied on the device into pictures that
 * the library lends, and scored there.
 *
 *     cuda_pictures LIBRARY exact REF.y4m DIS.y4m    the scores are those of pictures in the host's memory, bit for bit
 *     cuda_pictures LIBRARY rate WIDTHxHEIGHT FRAMES how many pairs a second are scored
 *
 * LIBRARY is a libvmaf.so.3, this one or libvmaf's own; of that only the rate is asked for. $ASSAY_CUDA_DRIVER names
 * another driver than libcuda.so.1. Exits with 77 where there is no driver or no device.
 */
#include <math.h>
#include <stdbool.h>
#include <time.h>

#include "executors/cuda/driver.h"
#include "functions.h"

static struct cu_driver cu;
static cu_context context;

static void need(int rc, const char *what)
{
    if (!rc)
        return;
    fprintf(stderr, "%s: %d\n", what, rc);
    exit(1);
}

static void open_driver(void)
{
    const char *name = getenv("ASSAY_CUDA_DRIVER");
    void *library = dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *address;
    cu_device device;
    if (!library)
        exit(77);
#define LOAD(member, symbol, parameters) \
    address = dlsym(library, symbol); \
    memcpy(&cu.member, &address, sizeof address);
    CU_EACH_FUNCTION(LOAD)
#undef LOAD
    if (cu.init(0) || cu.device_get(&device, 0))
        exit(77);
    need(cu.context_retain(&context, device), "the primary context");
    need(cu.context_push(context), "entering it");
}

/* A frame's luma in device memory, as a decoder leaves it. */
struct luma {
    cu_address address;
    size_t pitch;
};

static struct luma upload(const unsigned char *samples, unsigned w, unsigned h)
{
    struct luma l = {.pitch = (w + 511) / 512 * 512};
    need(cu.memory_alloc(&l.address, l.pitch * h), "device memory");
    const struct cu_copy_2d copy = {.src_kind = CU_MEMORY_HOST, .src_host = samples, .src_pitch = w,
                                    .dst_kind = CU_MEMORY_DEVICE, .dst_device = l.address, .dst_pitch = l.pitch,
                                    .width = w, .height = h};
    need(cu.copy_2d(&copy, NULL), "a copy to the device");
    need(cu.stream_wait(NULL), "waiting for it");
    return l;
}

/* Copies luma into a picture of the library, as the filter does: on the device, on the default stream. */
static void fetch(VmafContext *c, struct luma from, VmafPicture *pic)
{
    need(vmaf.cuda_fetch_preallocated_picture(c, pic), "fetching a picture");
    const struct cu_copy_2d copy = {.src_kind = CU_MEMORY_DEVICE, .src_device = from.address, .src_pitch = from.pitch,
                                    .dst_kind = CU_MEMORY_DEVICE, .dst_device = (cu_address)(uintptr_t)pic->data[0],
                                    .dst_pitch = (size_t)pic->stride[0], .width = pic->w[0], .height = pic->h[0]};
    need(cu.copy_2d(&copy, NULL), "a copy on the device");
}

static VmafContext *cuda_context(unsigned w, unsigned h, const VmafModel *const *model, unsigned models)
{
    VmafContext *c;
    VmafCudaState *state;
    const VmafCudaPictureConfiguration pool = {{w, h, 8, VMAF_PIX_FMT_YUV420P},
                                               VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE};
    need(vmaf.init(&c, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_WARNING}), "a context");
    need(vmaf.cuda_state_init(&state, (VmafCudaConfiguration){context}), "a CUDA state");
    need(vmaf.cuda_import_state(c, state), "importing it");
    need(vmaf.cuda_preallocate_pictures(c, pool), "pictures");
    for (unsigned i = 0; i < models; i++)
        need(vmaf.use_features_from_model(c, (VmafModel *)(uintptr_t)model[i]), "a model");
    return c;
}

static int read_on_device(VmafContext *c, const struct luma from[2], unsigned index)
{
    VmafPicture pic[2];
    for (unsigned side = 0; side < 2; side++)
        fetch(c, from[side], &pic[side]);
    return vmaf.read_pictures(c, &pic[0], &pic[1], index);
}

/* How many metrics of chroma are not refused: the pictures' chroma was never written. */
static unsigned chroma_scored(const struct video *like, const struct luma pair[2])
{
    static const char *const names[] = {"ciede", "ssimulacra2", "flip", "speed_chroma"};
    unsigned scored = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        VmafContext *c = cuda_context(like->w, like->h, NULL, 0);
        need(vmaf.use_feature(c, names[i], NULL), names[i]);
        if (!read_on_device(c, pair, 0)) {
            printf("%s scored chroma that nobody wrote\n", names[i]);
            scored++;
        }
        vmaf.close(c);
    }
    return scored;
}

/* Whether psnr is that of luma, and of nothing else. */
static bool psnr_is_of_luma(const struct video *ref, const struct video *dis, const struct luma pair[2])
{
    VmafContext *c[2] = {cuda_context(ref->w, ref->h, NULL, 0), NULL};
    double luma[2] = {NAN, NAN}, chroma = NAN;
    need(vmaf.init(&c[1], (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_WARNING}), "a context");
    for (unsigned i = 0; i < 2; i++)
        need(vmaf.use_feature(c[i], "psnr", NULL), "psnr");
    need(read_on_device(c[0], pair, 0), "a pair on the device");
    need(read_pair(c[1], ref, dis, 0, 0), "a pair in the host's memory");
    for (unsigned i = 0; i < 2; i++) {
        need(vmaf.read_pictures(c[i], NULL, NULL, 0), "the flush");
        need(vmaf.feature_score_at_index(c[i], "psnr_y", &luma[i], 0), "psnr of luma");
    }
    const bool of_luma = luma[0] == luma[1] && vmaf.feature_score_at_index(c[0], "psnr_cb", &chroma, 0);
    if (!of_luma)
        printf("psnr of luma is %.17g on the device, %.17g in the host's memory; of chroma %.17g\n", luma[0], luma[1],
               chroma);
    for (unsigned i = 0; i < 2; i++)
        vmaf.close(c[i]);
    return of_luma;
}

enum { MODELS = 3 };

static int exact(const char *ref_path, const char *dis_path)
{
    static const char *const versions[MODELS] = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"};
    struct video ref, dis;
    const VmafModel *model[MODELS];
    VmafContext *host;
    unsigned bad = 0, values = 0;
    video_read(&ref, ref_path);
    video_read(&dis, dis_path);
    for (unsigned i = 0; i < MODELS; i++) {
        VmafModelConfig cfg = {.name = versions[i]};
        VmafModel *m;
        need(vmaf.model_load(&m, &cfg, versions[i]), "a model");
        model[i] = m;
    }
    VmafContext *device = cuda_context(ref.w, ref.h, model, MODELS);
    need(vmaf.init(&host, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_WARNING}), "a context");
    for (unsigned i = 0; i < MODELS; i++)
        need(vmaf.use_features_from_model(host, (VmafModel *)(uintptr_t)model[i]), "a model");
    for (unsigned i = 0; i < ref.frames; i++) {
        need(read_on_device(device, (struct luma[2]){upload(ref.frame[i], ref.w, ref.h),
                                                     upload(dis.frame[i], dis.w, dis.h)}, i), "a pair on the device");
        need(read_pair(host, &ref, &dis, i, i), "a pair in the host's memory");
    }
    need(vmaf.read_pictures(device, NULL, NULL, 0), "the flush");
    need(vmaf.read_pictures(host, NULL, NULL, 0), "the flush");
    for (unsigned i = 0; i < ref.frames; i++)
        for (unsigned k = 0; k < MODELS; k++, values++) {
            double a = NAN, b = NAN;
            need(vmaf.score_at_index(device, (VmafModel *)(uintptr_t)model[k], &a, i), "a score");
            need(vmaf.score_at_index(host, (VmafModel *)(uintptr_t)model[k], &b, i), "a score");
            if (a != b) {
                printf("%s at %u: %.17g on the device, %.17g in the host's memory\n", versions[k], i, a, b);
                bad++;
            }
        }
    vmaf.close(device);
    vmaf.close(host);
    const struct luma first[2] = {upload(ref.frame[0], ref.w, ref.h), upload(dis.frame[0], dis.w, dis.h)};
    bad += chroma_scored(&ref, first) + !psnr_is_of_luma(&ref, &dis, first);
    for (unsigned i = 0; i < MODELS; i++)
        vmaf.model_destroy((VmafModel *)(uintptr_t)model[i]);
    printf("%s: %u scores, %u differ\n", vmaf.version(), values, bad);
    return bad != 0;
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Pairs of noise, which are resident, in turn. */
static int rate(unsigned w, unsigned h, unsigned frames)
{
    enum { PAIRS = 8, WARM = 50 };
    struct luma luma[PAIRS][2];
    VmafModelConfig cfg = {0};
    VmafModel *m;
    uint32_t dice = 1;
    double begin = 0.0, processor = 0.0, score = NAN;
    unsigned char *samples = malloc((size_t)w * h);
    if (!samples)
        return 1;
    for (unsigned i = 0; i < PAIRS; i++)
        for (unsigned side = 0; side < 2; side++) {
            for (size_t k = 0; k < (size_t)w * h; k++) {
                dice = dice * 1664525u + 1013904223u;
                samples[k] = (unsigned char)((k % w / 8 + k / w / 8 + i) % 200 + (dice >> 28));
            }
            luma[i][side] = upload(samples, w, h);
        }
    free(samples);
    need(vmaf.model_load(&m, &cfg, "vmaf_v0.6.1"), "the model");
    VmafContext *c = cuda_context(w, h, (const VmafModel *[1]){m}, 1);
    for (unsigned i = 0; i < frames + WARM; i++) {
        if (i == WARM) {
            begin = seconds(CLOCK_MONOTONIC);
            processor = seconds(CLOCK_THREAD_CPUTIME_ID);
        }
        need(read_on_device(c, luma[i % PAIRS], i), "a pair");
    }
    need(vmaf.read_pictures(c, NULL, NULL, 0), "the flush");
    const double read = seconds(CLOCK_MONOTONIC) - begin;
    need(vmaf.score_pooled(c, m, VMAF_POOL_METHOD_MEAN, &score, 0, frames + WARM - 1), "the score");
    const double took = seconds(CLOCK_MONOTONIC) - begin;
    processor = seconds(CLOCK_THREAD_CPUTIME_ID) - processor;
    printf("%s: %ux%u, %u pairs in %.3f s (%.3f before the score, %.3f of this thread's processor), %.1f a second, "
           "vmaf %.6f\n", vmaf.version(), w, h, frames, took, read, processor, frames / took, score);
    vmaf.close(c);
    vmaf.model_destroy(m);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned w, h;
    if (argc != 5)
        return 2;
    open_driver();
    open_functions(argv[1]);
    if (!vmaf.cuda_state_init) {
        fprintf(stderr, "%s has no functions for CUDA\n", argv[1]);
        return 2;
    }
    if (!strcmp(argv[2], "exact"))
        return exact(argv[3], argv[4]);
    return sscanf(argv[3], "%ux%u", &w, &h) == 2 ? rate(w, h, (unsigned)atoi(argv[4])) : 2;
}
