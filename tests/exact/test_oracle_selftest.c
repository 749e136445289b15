/* SPDX-License-Identifier: BSD-2-Clause */
/* The scalar build of every self-test kernel against its oracle, on all patterns. With SABOTAGE: kernels with wrong
 * constants, each of which must be noticed. --brief leaves the largest size out, for processors that are emulated and
 * for sanitizers. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "exact/levels.h"
#include "exact/oracle_selftest.h"
#include "executors/cpu/cpu.h"

static unsigned long runs, failures;

static const struct oracle *find(const char *family)
{
    const struct oracle *const lists[] = {oracle_samples, oracle_words};
    for (int l = 0; l < 2; l++)
        for (const struct oracle *o = lists[l]; o->family; o++)
            if (!strcmp(o->family, family))
                return o;
    return NULL;
}

/* Clears what the oracle adds to. */
static void expect(struct buffers *expected, const struct trial_pass *pass, oracle_fn *oracle)
{
    memset(expected->totals, 0, trial_totals(pass) * sizeof *expected->totals);
    oracle(expected, pass);
}

struct judge {
    oracle_fn *oracle;
    kernel_fn *run;
};

static void test_pass(void *opaque, const struct trials_pass *from)
{
    const struct judge *judge = opaque;
    const struct trial_pass *pass = &from->pass;
    struct buffers got, expected;
    char what[160];
    buffers_make(&got, from, LAYOUT_TIGHT);
    buffers_make(&expected, from, LAYOUT_TIGHT);
    buffers_run(&got, pass, judge->run, 0, 0);
    expect(&expected, pass, judge->oracle);
    snprintf(what, sizeof what, "%s, %ux%u, %u bits, %s, parameters %d %d", pass->info->name, pass->plane[0].width,
             pass->plane[0].height, pass->bits, pattern_name(from->pattern), pass->param[0].i, pass->param[1].i);
    runs++;
#ifdef SABOTAGE
    const bool quiet = true;
#else
    const bool quiet = failures > 20;
#endif
    failures += !buffers_same(&expected, &got, pass, what, quiet);
    buffers_free(&got);
    buffers_free(&expected);
}

/* The frames of the self-test, with their seeds, and others, the largest one last. */
static void test_kernel(unsigned kernel, oracle_fn *oracle, kernel_fn *run, bool brief)
{
    static const struct { uint32_t w, h; } sizes[] =
        {{67, 61}, {1, 1}, {2, 3}, {3, 2}, {1, 9}, {17, 1}, {5, 5}, {8, 8}, {16, 7}, {31, 13}, {33, 34}, {300, 37}};
    static const uint32_t depths[] = {10, 16, 9};
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0] - brief; s++)
        for (unsigned set = 0; set < primitive_sets(kernel); set++)
            for (unsigned p = 0; p < PATTERNS; p++) {
                struct trials t = {.width = sizes[s].w, .height = sizes[s].h};
                struct judge judge = {oracle, run};
                trials_each(&t, kernel, set, (enum pattern)p, (s ? 97 * s : 1000) + p, depths[s % 3], test_pass,
                            &judge);
            }
}

#ifdef SABOTAGE
int main(void)
{
    static const char *const wrong[] = {"t_decimate_u8", "t_decimate_f32", "t_sum_f32_u16", "t_fuse_u32"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const unsigned k = trials_kernel(wrong[i]);
        failures = 0;
        test_kernel(k, find(assay_kernel_info[k].family)->run, sabotaged_kernel(k), true);
        printf("%s with a constant that is off by one ULP: %lu differ\n", wrong[i], failures);
        if (!failures)
            return 1;
    }
    return 0;
}
#else
int main(int argc, char **argv)
{
    const bool brief = argc > 1 && !strcmp(argv[1], "--brief");
    unsigned tested = 0;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        if (!primitive_is(k))
            continue;
        const struct oracle *o = find(assay_kernel_info[k].family);
        if (!o) {
            fprintf(stderr, "%s has no oracle\n", assay_kernel_info[k].family);
            return 1;
        }
        test_kernel(k, o->run, cpu_kernels_by_name("scalar")->kernel[k], brief);
        tested++;
    }
    printf("%u self-test kernels against their oracles: %lu runs, %lu differ\n", tested, runs, failures);
    return failures != 0;
}
#endif
