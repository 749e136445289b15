/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long libraries take for one video, in turn and in one run, with n_threads = 0: pictures are allocated, filled and
 * handed over as ffmpeg's filter does, and decoding is apart.
 *
 *     rate REF.y4m DIS.y4m FRAMES CPUMASK ROUNDS LIBRARY...
 *
 * Prints for each library the best of all rounds: milliseconds of the processor and of the clock for each pair, and the
 * pooled score of the default model.
 */
#include <time.h>

#include "functions.h"

enum { LIBRARIES = 4 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct result {
    double processor, elapsed, score;
};

static void run(const struct video *ref, const struct video *dis, unsigned frames, uint64_t mask, struct result *best)
{
    VmafContext *c;
    VmafModel *m;
    VmafModelConfig cfg = {0};
    double score = -1;
    const double begin[2] = {seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC)};
    if (vmaf.init(&c, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_ERROR, .cpumask = mask}) ||
        vmaf.model_load(&m, &cfg, "vmaf_v0.6.1") || vmaf.use_features_from_model(c, m))
        exit(1);
    for (unsigned i = 0; i < frames; i++)
        if (read_pair(c, ref, dis, i, i))
            exit(1);
    if (vmaf.read_pictures(c, NULL, NULL, 0) || vmaf.score_pooled(c, m, VMAF_POOL_METHOD_MEAN, &score, 0, frames - 1))
        exit(1);
    vmaf.model_destroy(m);
    vmaf.close(c);
    const double processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin[0];
    const double elapsed = seconds(CLOCK_MONOTONIC) - begin[1];
    best->processor = best->processor <= 0 || processor < best->processor ? processor : best->processor;
    best->elapsed = best->elapsed <= 0 || elapsed < best->elapsed ? elapsed : best->elapsed;
    best->score = score;
}

int main(int argc, char **argv)
{
    struct video ref, dis;
    struct functions library[LIBRARIES];
    struct result best[LIBRARIES] = {{0}};
    const unsigned libraries = argc < 7 ? 0 : (unsigned)argc - 6;
    if (!libraries || libraries > LIBRARIES)
        return 2;
    video_read(&ref, argv[1]);
    video_read(&dis, argv[2]);
    const unsigned frames = (unsigned)atoi(argv[3]), rounds = (unsigned)atoi(argv[5]);
    for (unsigned i = 0; i < libraries; i++) {
        open_functions(argv[6 + i]);
        library[i] = vmaf;
    }
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < libraries; i++) {
            vmaf = library[i];
            run(&ref, &dis, frames, strtoull(argv[4], NULL, 0), &best[i]);
        }
    for (unsigned i = 0; i < libraries; i++)
        printf("%-20s %ux%u: %.3f ms of the processor, %.3f ms a pair, vmaf %.6f\n", library[i].version(), ref.w, ref.h,
               1e3 * best[i].processor / frames, 1e3 * best[i].elapsed / frames, best[i].score);
    free(ref.data);
    free(dis.data);
    return 0;
}
