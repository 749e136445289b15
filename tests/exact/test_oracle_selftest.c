/* SPDX-License-Identifier: BSD-2-Clause */
/* The scalar build of every self-test kernel against its oracle, on all patterns. A build whose kernels have wrong constants
 * (SABOTAGE) must be noticed. */
#include <stdio.h>
#include <string.h>

#include "exact/levels.h"
#include "exact/oracle_selftest.h"
#include "executors/cpu/cpu.h"
#include "selftest/cases.h"

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
static void expect(struct buffers *expected, const struct recipe_pass *pass, oracle_fn *oracle)
{
    memset(expected->totals, 0, recipe_totals(pass) * sizeof *expected->totals);
    oracle(expected, pass);
}

static void test_pass(const struct recipe_pass *pass, oracle_fn *oracle, kernel_fn *run, enum recipe_pattern pattern,
                      uint32_t seed)
{
    struct buffers got, expected;
    char what[160];
    buffers_make(&got, pass, pattern, seed, LAYOUT_TIGHT);
    buffers_make(&expected, pass, pattern, seed, LAYOUT_TIGHT);
    buffers_run(&got, pass, run, 0, 0);
    expect(&expected, pass, oracle);
    snprintf(what, sizeof what, "%s, %ux%u, %u bits, %s, parameters %d %d", pass->info->name, pass->plane[0].width,
             pass->plane[0].height, pass->bits, recipe_pattern_name(pattern), pass->param[0].i, pass->param[1].i);
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

static void test_kernel(unsigned kernel, oracle_fn *oracle, kernel_fn *run)
{
    static const struct { uint32_t w, h; } sizes[] = {{1, 1}, {2, 3}, {3, 2}, {1, 9}, {17, 1}, {5, 5}, {8, 8}, {16, 7}, {31, 13},
                                                      {33, 34}, {300, 37}};
    static const uint32_t depths[] = {16, 10, 9};
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (unsigned set = 0; set < recipe_param_sets(kernel); set++)
            for (unsigned p = 0; p < PATTERNS; p++) {
                struct recipe_pass pass;
                if (recipe_make(&pass, kernel, sizes[s].w, sizes[s].h, depths[s % 3], set) == RECIPE_OK)
                    test_pass(&pass, oracle, run, (enum recipe_pattern)p, 97 * s + p);
            }
}

#ifndef SABOTAGE
/* What the library expects of a device: the hash that was made when it was built is that of the oracle's results. */
static void test_expected(unsigned kernel, unsigned set, unsigned frame, oracle_fn *oracle, kernel_fn *run)
{
    struct recipe_pass pass;
    struct buffers got, expected;
    if (recipe_make(&pass, kernel, CASE_WIDTH, CASE_HEIGHT, CASE_BITS, set)) {
        failures++;
        return;
    }
    buffers_make(&got, &pass, case_pattern(frame), case_seed(frame), LAYOUT_TIGHT);
    buffers_make(&expected, &pass, case_pattern(frame), case_seed(frame), LAYOUT_TIGHT);
    buffers_run(&got, &pass, run, 0, 0);
    expect(&expected, &pass, oracle);
    struct trial t = {.totals = expected.totals};
    memcpy(t.plane, expected.plane, sizeof t.plane);
    memcpy(t.extrema, expected.extrema, sizeof t.extrema);
    runs++;
    if (trial_digest(&t, &pass) != assay_selftest_digest[kernel][set * CASE_FRAMES + frame]) {
        failures++;
        fprintf(stderr, "%s, parameters %u, frame %u: the self-test expects something else than the oracle\n", pass.info->name,
                set, frame);
    }
    buffers_free(&got);
    buffers_free(&expected);
}
#endif

int main(void)
{
#ifdef SABOTAGE
    kernel_fn *const *kernels = sabotaged_kernels();
#else
    kernel_fn *const *kernels = cpu_kernels_by_name("scalar")->kernel;
#endif
    unsigned tested = 0;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        if (strncmp(assay_kernel_info[k].family, "t_", 2))
            continue;
        const struct oracle *o = find(assay_kernel_info[k].family);
        if (!o) {
            fprintf(stderr, "%s has no oracle\n", assay_kernel_info[k].family);
            return 1;
        }
        test_kernel(k, o->run, kernels[k]);
#ifndef SABOTAGE
        for (unsigned i = 0; i < recipe_param_sets(k) * CASE_FRAMES; i++)
            test_expected(k, i / CASE_FRAMES, i % CASE_FRAMES, o->run, kernels[k]);
#endif
        tested++;
    }
    printf("%u self-test kernels against their oracles: %lu runs, %lu differ\n", tested, runs, failures);
#ifdef SABOTAGE
    return failures == 0;
#else
    return failures != 0;
#endif
}
