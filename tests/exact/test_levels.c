/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every kernel at every instruction set, tile size and thread count against the scalar build at its own tiles: output
 * planes, totals and extrema have the same bits. And with flush-to-zero on: no output depends on denormal numbers.
 * These runs have stacks that begin at each multiple of 16 of 64 bytes: a system promises no more, and compilers have
 * taken it for more.
 *
 *     test_levels [--full|--brief] [--level NAME] [--kernel PREFIX]
 *
 * --brief: fewer sizes, for processors that are emulated and for sanitizers. A vector has at most 16 samples, so widths
 * up to 17 leave a rest of each size.
 *
 * Sizes of frames are shared out among threads. Prints a digest of all results, which must not depend on the machine or
 * the compiler.
 *
 * First it proves that it can fail: a scalar build with some constants off by one ULP must be noticed.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/harness.h"
#include "exact/levels.h"
#include "executors/cpu/cpu.h"
#include "host/cpu.h"
#include "host/digest.h"
#include "host/fpenv.h"

static struct {
    bool full, brief;
    const char *level, *kernel;
} options;

static atomic_ulong runs, threaded, failures; /* threaded: of the runs, those through the executor */
static _Thread_local uint64_t digest; /* of the frames of a size */
/* how often, of all frames and of the smallest ones */
static atomic_uint tested[KERNEL_VARIANTS];
static unsigned reached[KERNEL_VARIANTS];
enum { MAX_FAILURES = 20 };

static const struct { uint32_t w, h; } tiles[] = {{0, 0}, {64, 16}, {16, 8}};
enum { TILES = sizeof tiles / sizeof tiles[0] };

/* Whether a level is asked to run in tiles of size t. A size that leaves the grid whole is the first size again. The
 * scalar kernels, by far the slowest, take one size of the three with each input unless all cases are wanted. */
static bool wanted(const struct trials_pass *from, const char *level, unsigned t)
{
    if (options.level && strcmp(options.level, level))
        return false;
    if (!options.full && !strcmp(level, "scalar") && t != from->seed % TILES)
        return false;
    return !t || tiles[t].w < from->pass.grid_w || tiles[t].h < from->pass.grid_h;
}

static void check(bool ok)
{
    runs++;
    if (!ok && ++failures >= MAX_FAILURES) {
        fprintf(stderr, "stopped after %d failures\n", MAX_FAILURES);
        exit(1);
    }
}

static const char *describe(const struct trials_pass *from, const char *level, const char *how, uint32_t tile_w,
                            uint32_t tile_h)
{
    static _Thread_local char text[200];
    const struct trial_pass *pass = &from->pass;
    snprintf(text, sizeof text, "%s at %s%s, %ux%u, %u bits, tiles %ux%u, %s", pass->info->name, level, how,
             pass->plane[0].width, pass->plane[0].height, pass->bits, tile_w, tile_h, pattern_name(from->pattern));
    return text;
}

/* ---- several encodes in one call --------------------------------------------------------------------------------- */

enum { ENCODES_AT_ONCE = 3 };
static atomic_ulong encodes_tested, encodes_apart; /* and how often the encodes' sums differ from each other */

/* The encodes: the pass's own, the reference itself, and the first upside down. */
static void make_encodes(const struct buffers *b, unsigned at, struct kernel_encode *encode)
{
    for (unsigned i = 0; i < ENCODES_AT_ONCE; i++)
        encode[i].plane = b->plane[i == 1 ? 0 : at];
    encode[2].plane.data = (char *)encode[2].plane.data + (encode[2].plane.height - 1) * encode[2].plane.stride;
    encode[2].plane.stride = -encode[2].plane.stride;
}

/* Runs `n` encodes from the first one on. */
static void run_encodes(const struct buffers *b, const struct trial_pass *pass, kernel_fn *run, unsigned t,
                        const struct kernel_encode *encode, int32_t n)
{
    uint32_t extrema[2 * TRIAL_EXTREMA];
    struct trial trial = {.totals = encode[0].totals, .extrema = extrema, .others = n - 1, .other = encode + 1};
    memcpy(trial.plane, b->plane, sizeof trial.plane);
    trial.plane[pass->info->encode_plane] = encode[0].plane;
    for (int32_t i = 0; i < n; i++)
        memset(encode[i].totals, 0, trial_totals(pass) * sizeof *encode[i].totals);
    trial_run(pass, run, &trial, tiles[t].w, tiles[t].h);
}

/* Tiles of several encodes at once against scalar ones of an encode each, at every level and tile size. */
static void test_encodes(const struct trials_pass *from)
{
    const struct trial_pass *pass = &from->pass;
    const size_t bytes = trial_totals(pass) * sizeof(int64_t);
    struct kernel_encode alone[ENCODES_AT_ONCE], together[ENCODES_AT_ONCE];
    struct buffers b[2 * ENCODES_AT_ONCE];
    for (unsigned i = 0; i < 2 * ENCODES_AT_ONCE; i++)
        buffers_make(&b[i], from, LAYOUT_ODD);
    make_encodes(&b[0], pass->info->encode_plane, alone);
    make_encodes(&b[0], pass->info->encode_plane, together);
    for (unsigned i = 0; i < ENCODES_AT_ONCE; i++) {
        alone[i].totals = b[i].totals;
        together[i].totals = b[ENCODES_AT_ONCE + i].totals;
        run_encodes(&b[0], pass, cpu_kernels_by_name("scalar")->kernel[pass->kernel], 0, &alone[i], 1);
    }
    encodes_tested++;
    encodes_apart += memcmp(alone[0].totals, alone[1].totals, bytes) && memcmp(alone[0].totals, alone[2].totals, bytes);
    for (const char *const *name = runnable_levels(); *name; name++)
        for (unsigned t = 0; t < TILES; t++) {
            if (!wanted(from, *name, t))
                continue;
            run_encodes(&b[0], pass, cpu_kernels_by_name(*name)->kernel[pass->kernel], t, together, ENCODES_AT_ONCE);
            for (unsigned i = 0; i < ENCODES_AT_ONCE; i++)
                check(buffers_same(&b[i], &b[ENCODES_AT_ONCE + i], pass,
                                   describe(from, *name, ", of several encodes", tiles[t].w, tiles[t].h), false));
        }
    for (unsigned i = 0; i < 2 * ENCODES_AT_ONCE; i++)
        buffers_free(&b[i]);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static _Thread_local struct {
    kernel_fn *run;
    size_t bytes;             /* by how much its stack is shifted */
} shifted;
static atomic_uint shifts;    /* bits: by how many times 16, of 64, a stack was */

static __attribute__((noinline)) uintptr_t stack_place(void)
{
    __asm__ volatile("" ::: "memory"); /* one call is not like another */
    return (uintptr_t)__builtin_frame_address(0);
}

static __attribute__((noinline, no_sanitize_address)) void run_shifted(const struct kernel_args *args)
{
    const uintptr_t before = stack_place();
    volatile char *const room = __builtin_alloca(shifted.bytes + 16);
    room[0] = 0;
    shifts |= 1u << (before - stack_place()) / 16 % 4;
    shifted.run(args);
}

/* One pass with one input: every level, every tile size, two layouts, and flush-to-zero. */
static void test_pass(void *opaque, const struct trials_pass *from)
{
    (void)opaque;
    const struct trial_pass *pass = &from->pass;
    const struct cpu_kernels *scalar = cpu_kernels_by_name("scalar");
    struct buffers expected, tight, odd;
    buffers_make(&expected, from, LAYOUT_TIGHT);
    buffers_make(&tight, from, LAYOUT_TIGHT);
    buffers_make(&odd, from, LAYOUT_ODD);
    buffers_run(&expected, pass, scalar->kernel[pass->kernel], 0, 0);
    shifted.bytes = 16 * (tested[pass->kernel]++ % 4);
    digest = buffers_digest(&expected, pass, digest);
    for (const char *const *name = runnable_levels(); *name; name++) {
        kernel_fn *run = cpu_kernels_by_name(*name)->kernel[pass->kernel];
        if (options.level && strcmp(options.level, *name))
            continue;
        for (unsigned t = 0; t < TILES; t++) {
            struct buffers *b = t ? &tight : &odd;
            if (!wanted(from, *name, t))
                continue;
            buffers_run(b, pass, run, tiles[t].w, tiles[t].h);
            check(buffers_same(&expected, b, pass, describe(from, *name, "", tiles[t].w, tiles[t].h), false));
        }
        const uint64_t modes = flush_to_zero_on();
        shifted.run = run;
        buffers_run(&tight, pass, run_shifted, 0, 0);
        flush_to_zero_off(modes);
        check(buffers_same(&expected, &tight, pass, describe(from, *name, ", flush to zero, another stack", 0, 0),
                           false));
    }
    if (pass->info->encode_plane)
        test_encodes(from);
    buffers_free(&expected);
    buffers_free(&tight);
    buffers_free(&odd);
}

/* Calls test for the kernels on frames of a size, in one way of using each, or (full) up to eight. */
static void each_kernel(struct trials *t, unsigned turn, enum pattern pattern, uint32_t seed, bool untested,
                        trials_fn *test)
{
    static const uint32_t depths[] = {16, 10, 9, 12};
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        const unsigned ways = trials_count(t, k), most = options.full ? 8 : 1;
        if ((options.kernel && strncmp(options.kernel, assay_kernel_info[k].name, strlen(options.kernel))) ||
            (untested && reached[k]))
            continue;
        for (unsigned i = 0; i < ways && i < most; i++)
            trials_each(t, k, (most * turn + i) * (ways > 64 ? 37 : 1) % ways, pattern, seed, depths[turn % 4], test,
                        NULL);
    }
}

/* ---- through the graph and the executor: threads ----------------------------------------------------------------- */

static bool run_executor(const struct trial_pass *pass, const struct executor_config *config, struct buffers *b)
{
    struct assay_error e = {0};
    graph_plane out[KERNEL_PLANES];
    struct graph *g = trials_graph(pass, NULL, 0, out, &e);
    struct executor *x = NULL;
    struct frame_inputs inputs = {0};
    struct frame_results results;
    const struct kernel_info *k = pass->info;
    for (unsigned i = 0; i < k->planes_in; i++)
        inputs.plane[i % 2][i / 2] = b->plane[i];
    int rc = g ? executor_cpu.open(&x, config, &e) : ASSAY_EINTERNAL;
    if (!rc)
        rc = executor_cpu.prepare(x, g, 1, &e);
    if (!rc)
        rc = executor_cpu.submit(x, 0, &inputs, &e);
    if (!rc)
        rc = executor_cpu.wait(x, 0, &results, &e);
    for (unsigned i = 0; i < k->planes_out && !rc; i++)
        rc = executor_cpu.read_plane(x, 0, out[i], b->plane[k->planes_in + i].data,
                                     (size_t)b->plane[k->planes_in + i].stride, &e);
    if (rc) {
        fprintf(stderr, "%s: %s\n", k->name, e.text);
    } else {
        memcpy(b->totals, results.totals, g->totals * sizeof *b->totals);
        memcpy(b->extrema, results.extrema, (size_t)g->extrema * 2 * sizeof *b->extrema);
    }
    if (x)
        executor_cpu.close(&x);
    graph_free(&g);
    return !rc;
}

static void test_threads(void *opaque, const struct trials_pass *from)
{
    static const unsigned threads[] = {1, 2, 7};
    (void)opaque;
    const struct trial_pass *pass = &from->pass;
    struct buffers expected, got;
    buffers_make(&expected, from, LAYOUT_TIGHT);
    buffers_make(&got, from, LAYOUT_TIGHT);
    buffers_run(&expected, pass, cpu_kernels_by_name("scalar")->kernel[pass->kernel], 0, 0);
    for (const char *const *name = runnable_levels(); *name; name++)
        for (unsigned t = 0; t < TILES; t++)
            for (unsigned n = 0; n < 3; n++) {
                char how[32];
                const struct executor_config config = {.threads = threads[n], .level = *name, .tile_w = tiles[t].w,
                                                       .tile_h = tiles[t].h};
                if ((options.level && strcmp(options.level, *name)) || (!options.full && n != (t + from->seed) % 3))
                    continue;
                snprintf(how, sizeof how, ", %u threads", threads[n]);
                threaded++;
                check(run_executor(pass, &config, &got) &&
                      buffers_same(&expected, &got, pass, describe(from, *name, how, tiles[t].w, tiles[t].h), false));
            }
    buffers_free(&expected);
    buffers_free(&got);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Frames of a size. untested: only kernels that no smaller frame reached. threads: all kernels through the executor,
 * too. */
struct size {
    uint32_t w, h;
    unsigned turn;
    bool untested, threads;
    uint64_t digest;
};
enum { SIZES_MOST = 200, THREADS_MOST = 16 };
static struct {
    struct size size[SIZES_MOST];
    unsigned n;
    atomic_uint next;
} list;

static void add_size(uint32_t w, uint32_t h, unsigned turn, bool untested, bool threads)
{
    list.size[list.n++] = (struct size){.w = w, .h = h, .turn = turn, .untested = untested, .threads = threads};
}

/* All patterns, or random and one or two that change from size to size: two on small frames, which cost little. */
static void test_size(struct size *s)
{
    const bool small = s->w * s->h < 1024;
    struct trials t;
    trials_open(&t, s->w, s->h);
    digest = digest_of_nothing;
    for (unsigned p = 0; p < PATTERNS; p++)
        if (options.full || p == PATTERN_RANDOM || p == 1 + s->turn % (PATTERNS - 1) ||
            (small && p == 1 + (s->turn + 3) % (PATTERNS - 1)))
            each_kernel(&t, s->turn, (enum pattern)p, 1000 * s->turn + p, s->untested, test_pass);
    if (s->threads)
        each_kernel(&t, s->turn, s->turn % 2 ? PATTERN_CHECKERBOARD : PATTERN_RANDOM, s->turn, false, test_threads);
    trials_close(&t);
    s->digest = digest;
}

static void *test_next_sizes(void *opaque)
{
    struct assay_fpenv saved;
    (void)opaque;
    assay_fpenv_enter(&saved);
    for (unsigned i; (i = list.next++) < list.n;)
        test_size(&list.size[i]);
    assay_fpenv_leave(&saved);
    return NULL;
}

/* Tests the listed sizes, with a thread for each processor, and empties the list. */
static void test_sizes(uint64_t *all)
{
    const unsigned processors = cpu_allowed_count(), more = (processors < THREADS_MOST ? processors : THREADS_MOST) - 1;
    pthread_t thread[THREADS_MOST];
    list.next = 0;
    for (unsigned i = 0; i < more; i++)
        if (pthread_create(&thread[i], NULL, test_next_sizes, NULL))
            exit(99);
    test_next_sizes(NULL);
    for (unsigned i = 0; i < more; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < list.n; i++)
        *all = digest_more(*all, &list.size[i].digest, sizeof list.size[i].digest);
    list.n = 0;
}

/* ---- the proof that the comparison can fail ---------------------------------------------------------------------- */

static void compare_sabotaged(void *opaque, const struct trials_pass *from)
{
    bool *differs = opaque;
    struct buffers expected, got;
    buffers_make(&expected, from, LAYOUT_TIGHT);
    buffers_make(&got, from, LAYOUT_TIGHT);
    buffers_run(&expected, &from->pass, cpu_kernels_by_name("scalar")->kernel[from->pass.kernel], 0, 0);
    buffers_run(&got, &from->pass, sabotaged_kernel(from->pass.kernel), 0, 0);
    *differs = !buffers_same(&expected, &got, &from->pass, "", true);
    buffers_free(&expected);
    buffers_free(&got);
}

static bool notices(struct trials *t, const char *kernel)
{
    bool differs = false;
    trials_each(t, trials_kernel(kernel), 0, PATTERN_RANDOM, 1, 16, compare_sabotaged, &differs);
    return differs;
}

static bool notices_all(struct trials *t)
{
    static const char *const wrong[] = {"t_decimate_u8", "t_decimate_f32", "t_sum_f32_u16", "t_fuse_u32", "ssim_u8",
                                        "ssim_u16", "halve_f32", "adm_dwt_u8", "xyb_yuv_u8", "ssimulacra2_f32",
                                        "ciede_lab_u8", "ciede_f32"};
    static const char *const right[] = {"t_load_u8", "t_stage_mixed_u16", "t_divide_u32", "sse_u8"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (!notices(t, wrong[i])) {
            fprintf(stderr, "a constant of %s is off by one ULP, and this test can't see it\n", wrong[i]);
            return false;
        }
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        if (notices(t, right[i])) {
            fprintf(stderr, "%s uses none of the wrong constants, and differs\n", right[i]);
            return false;
        }
    return true;
}

static bool can_fail(void)
{
    struct trials t;
    trials_open(&t, 180, 177);
    const bool can = notices_all(&t);
    trials_close(&t);
    return can;
}

/* Counts a failure for each kernel that too few stacks saw, and where no sums of several encodes differ. */
static void check_coverage(void)
{
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (tested[k] < 4 && (tested[k] || !options.kernel)) {
            fprintf(stderr, tested[k] ? "%s does not see four stacks\n" : "%s is used by no metric on any frame: leave "
                    "it out of src/kernels/kernels.txt\n", assay_kernel_info[k].name);
            failures++;
        }
    if (shifts != 15) {
        fprintf(stderr, "stacks are not shifted by 0, 16, 32 and 48 bytes\n");
        failures++;
    }
    if (!encodes_apart && (encodes_tested || !options.kernel)) {
        fprintf(stderr, "no sums of several encodes differ: the test of them can't fail\n");
        failures++;
    }
}

int main(int argc, char **argv)
{
    static const struct { uint32_t w, h; } larger[] =
        {{67, 35}, {129, 5}, {1, 77}, {211, 19}, {1037, 3}, {40, 70}, {257, 33}, {227, 225}};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--full")) {
            options.full = true;
        } else if (!strcmp(argv[i], "--brief")) {
            options.brief = true;
        } else if (i + 1 < argc && !strcmp(argv[i], "--level")) {
            options.level = argv[++i];
        } else if (i + 1 < argc && !strcmp(argv[i], "--kernel")) {
            options.kernel = argv[++i];
        } else {
            fprintf(stderr, "usage: test_levels [--full|--brief] [--level NAME] [--kernel PREFIX]\n");
            return 2;
        }
    }
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    if (!can_fail())
        return 1;
    uint64_t all = digest_of_nothing;
    for (uint32_t w = 1; w <= 33; w += options.brief && w > 16 ? 8 : 1)
        for (uint32_t i = 0; i < (options.full ? 4u : 1u); i++)
            add_size(w, 1 + (w * 5 + i * 7) % 19, w + i, false, !i && (w == 1 || w == 7 || w == 33));
    test_sizes(&all);
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        reached[k] = tested[k];
    /* A row's last vector has each number of samples; with --brief 1, 8 and 15 of 16. */
    for (uint32_t w = 1; w <= (options.full ? 33u : 17u); w += options.brief ? 7 : 1)
        add_size(176 + w, 176 + (w * 5) % 19, w, true, w == 1);
    for (unsigned i = 0; i < sizeof larger / sizeof larger[0]; i += options.brief ? 2 : 1)
        add_size(larger[i].w, larger[i].h, i, false, i == 0 || i == 4);
    test_sizes(&all);
    check_coverage();
    printf("%u kernels, levels:", (unsigned)KERNEL_VARIANTS);
    for (const char *const *name = runnable_levels(); *name; name++)
        printf(" %s", *name);
    printf("; %lu runs by hand, %lu through the executor, %lu differ\ndigest of all results: 0x%016" PRIx64 "\n",
           runs - threaded, (unsigned long)threaded, (unsigned long)failures, all);
    assay_fpenv_leave(&saved);
    return failures != 0;
}
