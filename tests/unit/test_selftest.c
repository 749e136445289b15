/* SPDX-License-Identifier: BSD-2-Clause */
/* The self-test on a device that is wrong in one place at a time: what it says, and whom it blames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "selftest/cases.h"
#include "selftest/trial.h"
#include "selftest/run.h"
#include "wrong_executor.h"

static struct selftest_result result[KERNEL_VARIANTS];

static int open_ops(void *opaque, struct executor **out, struct assay_error *e)
{
    static const struct executor_config config = {.threads = 2};
    const struct executor_ops *ops = opaque;
    return ops->open(out, &config, e);
}

static int run_all(const struct executor_ops *ops, struct assay_error *e)
{
    union { const void *in; void *out; } opaque = {.in = ops};
    const struct selftest_device device = {open_ops, opaque.out};
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        result[k].kernel = (uint16_t)k;
    return selftest_run(&device, result, KERNEL_VARIANTS, e);
}

static unsigned kernel_called(const char *name)
{
    unsigned k = 0;
    while (strcmp(assay_kernel_info[k].name, name))
        k++;
    return k;
}

/* The one kernel that failed says `words`, in this order. */
static void assert_blamed(const char *name, const char *const *words)
{
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (strcmp(assay_kernel_info[k].name, name) && result[k].state != SELFTEST_PASSED)
            fail_msg("%s failed, too: %s", assay_kernel_info[k].name, result[k].text);
    const struct selftest_result *r = &result[kernel_called(name)];
    assert_int_equal(r->state, SELFTEST_FAILED);
    const char *at = r->text;
    for (; *words; words++) {
        const char *found = strstr(at, *words);
        if (!found)
            fail_msg("'%s' does not say '%s'", r->text, *words);
        at = found;
    }
}

static int reset(void **state)
{
    wrong = (struct wrong){.modules = 1};
    (void)state;
    return 0;
}

static void passes_where_nothing_is_wrong(void **state)
{
    const struct executor_ops *const ops[] = {assay_executors[0], &executor_wrong};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct assay_error e = {0};
        assert_int_equal(run_all(ops[i], &e), ASSAY_OK);
        for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
            if (result[k].state != SELFTEST_PASSED)
                fail_msg("%s: %s", assay_kernel_info[k].name, result[k].text);
    }
}

/* The output's bits, one of them flipped, and the inputs' bits: as the scalar kernel has them. */
static void names_the_input_of_a_primitive(void **state)
{
    struct assay_error e = {0};
    struct recipe_pass pass;
    struct trial t;
    char got[64], input[64];
    uint32_t a, b, right;
    (void)state;
    wrong.fault = WRONG_PLANE;
    wrong.kernel = "t_divide_u32";
    wrong.x = 5;
    wrong.y = 3;
    assert_int_equal(run_all(&executor_wrong, &e), ASSAY_OK);
    assert_int_equal(recipe_make(&pass, kernel_called("t_divide_u32"), CASE_WIDTH, CASE_HEIGHT, CASE_BITS, 0), RECIPE_OK);
    assert_int_equal(trial_init(&t, &pass, &e), 0);
    trial_fill(&t, &pass, case_pattern(0), case_seed(0));
    trial_expect(&t, &pass);
    const size_t at = 4 * (5 + 3 * (size_t)CASE_WIDTH);
    memcpy(&a, (char *)t.plane[0].data + at, 4);
    memcpy(&b, (char *)t.plane[1].data + at, 4);
    memcpy(&right, (char *)t.plane[2].data + at, 4);
    snprintf(got, sizeof got, "output 0 at (5, 3) is 0x%08x, not 0x%08x", right ^ 1, right);
    snprintf(input, sizeof input, "input there 0x%08x, 0x%08x", a, b);
    assert_blamed("t_divide_u32", (const char *const[]){"frame 0", got, input, NULL});
    trial_free(&t);
}

static void names_the_sample_of_a_kernel(void **state)
{
    struct assay_error e = {0};
    (void)state;
    wrong.fault = WRONG_PLANE;
    wrong.kernel = "halve_u16";
    wrong.x = 33;
    wrong.y = 30;
    assert_int_equal(run_all(&executor_wrong, &e), ASSAY_OK);
    assert_blamed("halve_u16", (const char *const[]){"output 0 at (33, 30) is 0x", ", not 0x", "input there 0x", NULL});
}

static void names_totals_and_extrema(void **state)
{
    struct assay_error e = {0};
    (void)state;
    wrong.fault = WRONG_TOTAL;
    wrong.kernel = "sse_u8";
    assert_int_equal(run_all(&executor_wrong, &e), ASSAY_OK);
    assert_blamed("sse_u8", (const char *const[]){"frame 0: total 0 is 0x", ", not 0x", NULL});
    wrong.fault = WRONG_EXTREMUM;
    wrong.kernel = "t_extrema_u16";
    assert_int_equal(run_all(&executor_wrong, &e), ASSAY_OK);
    assert_blamed("t_extrema_u16", (const char *const[]){"extremum 0 is 0x", "at item ", "not 0x", NULL});
}

static void names_the_set_of_parameters(void **state)
{
    struct assay_error e = {0};
    (void)state;
    wrong.fault = WRONG_PLANE;
    wrong.kernel = "t_u64_u32";
    assert_int_equal(run_all(&executor_wrong, &e), ASSAY_OK);
    assert_blamed("t_u64_u32", (const char *const[]){"parameters 0", NULL});
}

/* The batch that it was in is run again, kernel by kernel. */
static void blames_the_kernel_that_can_not_run(void **state)
{
    static const enum wrong_fault faults[] = {WRONG_PREPARE, WRONG_SUBMIT};
    static const char *const says[] = {"can't run: the driver can't build kernel t_select_u32", "can't run: the device was lost"};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct assay_error e = {0};
        wrong.fault = faults[i];
        wrong.kernel = "t_select_u32";
        assert_int_equal(run_all(&executor_wrong, &e), ASSAY_OK);
        assert_blamed("t_select_u32", (const char *const[]){says[i], NULL});
    }
}

static void a_device_that_does_not_open_is_an_error(void **state)
{
    struct assay_error e = {0};
    (void)state;
    wrong.fault = WRONG_OPEN;
    assert_int_equal(run_all(&executor_wrong, &e), ASSAY_EDEVICE);
    assert_string_equal(e.text, "the wrong device does not open");
    e = (struct assay_error){0};
    wrong.fault = WRONG_MEMORY;
    assert_int_equal(run_all(&executor_wrong, &e), ASSAY_EINTERNAL);
    assert_non_null(strstr(e.text, "out of memory"));
}

/* Sets of parameters that make one and the same pass would only cost time. */
static void sets_of_parameters_differ(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        for (unsigned i = 1; i < recipe_param_sets(k); i++)
            for (unsigned j = 0; j < i; j++) {
                struct recipe_pass a, b;
                memset(&a, 0, sizeof a);
                memset(&b, 0, sizeof b);
                assert_int_equal(recipe_make(&a, k, CASE_WIDTH, CASE_HEIGHT, CASE_BITS, i), RECIPE_OK);
                assert_int_equal(recipe_make(&b, k, CASE_WIDTH, CASE_HEIGHT, CASE_BITS, j), RECIPE_OK);
                if (!memcmp(&a, &b, sizeof a))
                    fail_msg("%s: sets %u and %u are one", assay_kernel_info[k].name, j, i);
            }
}

/* Each has thousands of inputs, and noise gives something else than flat frames. Positions are the same whatever the samples
 * are. */
static void every_kernel_has_its_frames(void **state)
{
    unsigned primitives = 0, noise = 0, flat = 0;
    (void)state;
    while (case_pattern(noise) != PATTERN_RANDOM)
        noise++;
    while (case_pattern(flat) != PATTERN_FLAT)
        flat++;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        primitives += case_is_primitive(k);
        if (assay_selftest_digest[k][noise] == assay_selftest_digest[k][flat] &&
            strcmp(assay_kernel_info[k].family, "t_positions"))
            fail_msg("%s gives the same for two different frames", assay_kernel_info[k].name);
    }
    assert_true(primitives > 70 && CASE_WIDTH * CASE_HEIGHT * CASE_FRAMES > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(passes_where_nothing_is_wrong, reset),
        cmocka_unit_test_setup(names_the_input_of_a_primitive, reset),
        cmocka_unit_test_setup(names_the_sample_of_a_kernel, reset),
        cmocka_unit_test_setup(names_totals_and_extrema, reset),
        cmocka_unit_test_setup(names_the_set_of_parameters, reset),
        cmocka_unit_test_setup(blames_the_kernel_that_can_not_run, reset),
        cmocka_unit_test_setup(a_device_that_does_not_open_is_an_error, reset),
        cmocka_unit_test_setup(every_kernel_has_its_frames, reset),
        cmocka_unit_test(sets_of_parameters_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
