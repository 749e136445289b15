/* SPDX-License-Identifier: BSD-2-Clause */
/* The self-test on a device that is wrong in one place at a time: what it says, and whom it blames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "catalogue/examine.h"
#include "engine/session.h"
#include "selftest/primitives.h"
#include "selftest/prove.h"
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
    const struct selftest_device device = {.open = open_ops, .opaque = opaque.out};
    memset(result, 0, sizeof result);
    return catalogue_examine(&device, true, result, e);
}

/* The primitives alone: no graph of a metric has one. */
static void run_primitives(void)
{
    struct assay_error e = {0};
    union { const void *in; void *out; } opaque = {.in = &executor_wrong};
    const struct selftest_device device = {.open = open_ops, .opaque = opaque.out};
    memset(result, 0, sizeof result);
    assert_int_equal(selftest_primitives(&device, NULL, result, &e), ASSAY_OK);
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (!primitive_known(k)) {
            assert_int_equal(result[k].state, SELFTEST_NOT_RUN);
            result[k].state = SELFTEST_PASSED;
        }
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
            fail_msg("%s did not pass, too: %s", assay_kernel_info[k].name, result[k].text);
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
    const struct trial_pass pass = primitive_make(kernel_called("t_divide_u32"), 67, 61, 10, 0);
    static uint32_t words[3][67 * 61];
    static int64_t totals[1];
    static uint32_t extrema[2];
    struct trial t = {.totals = totals, .extrema = extrema};
    char got[64], input[64];
    (void)state;
    wrong.fault = WRONG_PLANE;
    wrong.kernel = "t_divide_u32";
    wrong.x = 5;
    wrong.y = 3;
    run_primitives();
    for (unsigned i = 0; i < 3; i++) {
        t.plane[i] = (struct kernel_plane){.data = words[i], .stride = 4 * 67, .width = 67, .height = 61};
        if (i < 2)
            primitive_fill(&pass, i, PATTERN_RANDOM, 1000, &t.plane[i]);
    }
    trial_expect(&pass, &t);
    const size_t at = 5 + 3 * 67;
    const uint32_t right = words[2][at];
    snprintf(got, sizeof got, "output 0 at (5, 3) is 0x%08x, not 0x%08x", right ^ 1, right);
    snprintf(input, sizeof input, "input there 0x%08x, 0x%08x", words[0][at], words[1][at]);
    assert_blamed("t_divide_u32", (const char *const[]){"frame 0", got, input, NULL});
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
    run_primitives();
    assert_blamed("t_extrema_u16", (const char *const[]){"extremum 0 is 0x", "at item ", "not 0x", NULL});
}

static void names_the_set_of_parameters(void **state)
{
    (void)state;
    wrong.fault = WRONG_PLANE;
    wrong.kernel = "t_u64_u32";
    run_primitives();
    assert_blamed("t_u64_u32", (const char *const[]){"frame 0, parameters 0x00000000 0x00000000: output 0 at", NULL});
}

/* The graph that it was in is run again, kernel by kernel. What reads its planes is judged where it reads others. */
static void blames_the_kernel_that_can_not_run(void **state)
{
    static const struct { enum wrong_fault fault; const char *kernel, *says; } cases[] = {
        {WRONG_PREPARE, "t_select_u32", "can't run: the driver can't build kernel t_select_u32"},
        {WRONG_SUBMIT, "t_select_u32", "can't run: the device was lost"},
        {WRONG_PREPARE, "halve_u8", "can't run: the driver can't build kernel halve_u8"},
        {WRONG_SUBMIT, "linear_yuv_u16", "can't run: the device was lost"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_error e = {0};
        wrong.fault = cases[i].fault;
        wrong.kernel = cases[i].kernel;
        if (primitive_known(kernel_called(wrong.kernel)))
            run_primitives();
        else
            assert_int_equal(run_all(&executor_wrong, &e), ASSAY_OK);
        assert_blamed(cases[i].kernel, (const char *const[]){cases[i].says, NULL});
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
    unsigned primitives = 0;
    (void)state;
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        primitives += primitive_is(k);
        for (unsigned i = 1; primitive_known(k) && i < primitive_sets(k); i++)
            for (unsigned j = 0; j < i; j++) {
                const struct trial_pass a = primitive_make(k, 67, 61, 10, i), b = primitive_make(k, 67, 61, 10, j);
                if (!memcmp(a.param, b.param, sizeof a.param) && !memcmp(a.plane, b.plane, sizeof a.plane))
                    fail_msg("%s: sets %u and %u are one", assay_kernel_info[k].name, j, i);
            }
    }
    assert_true(primitives > 70);
}

/* ---- the graph of the first use ---------------------------------------------------------------------------------- */

/* A session of all metrics that the frames allow, and what it has to prove. */
static void check_small(const assay_format *format, uint32_t most)
{
    struct assay_error e = {0};
    struct assay_session *s;
    struct graph *g;
    assert_int_equal(assay_session_new(&s, NULL, NULL, 0), ASSAY_OK);
    for (unsigned i = 0; assay_metrics[i]; i++)
        if ((format->width >= 176 || !strstr(assay_metrics[i]->name, "ms_ssim"))
            && (format->width >= 216 || strcmp(assay_metrics[i]->name, "cambi") != 0)
            && (format->width >= 160 || strncmp(assay_metrics[i]->name, "speed", 5) != 0)
            && (format->width >= 45 || strcmp(assay_metrics[i]->name, "xpsnr") != 0))
            assert_int_equal(assay_session_add_metric(s, assay_metrics[i]->name), ASSAY_OK);
    if (session_plan(s, format))
        fail_msg("%ux%u: %s", format->width, format->height, s->error.text);
    struct session_proof proof;
    struct selftest_subject subject;
    assert_int_equal(session_subject(s, 0, &proof, &subject, &e), ASSAY_OK);
    assert_int_equal(selftest_small(&subject, &g, &e), ASSAY_OK);
    assert_int_equal(g->passes, s->graph->passes);
    for (graph_plane i = 0; i < g->planes; i++)
        assert_true(!g->plane[i].input || g->plane[i].table || g->plane[i].width <= most);
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        assert_int_equal(g->pass[p].kernel, s->graph->pass[p].kernel);
        /* The box of float_ssim follows from the frame's size. */
        if (!strcmp(k->family, "column_sums") || !strcmp(k->family, "row_means"))
            assert_int_equal(g->pass[p].param[0].i, s->graph->pass[p].param[0].i);
    }
    graph_free(&g);
    session_subject_free(&proof);
    assay_session_close(&s);
}

static void the_passes_that_run_are_proved(void **state)
{
    static const struct { uint32_t width, height, most; } sizes[] = {
        {1920, 1080, 227}, {3840, 2160, 455}, {400, 380, 227}, {227, 225, 227}, {176, 176, 227}, {100, 90, 100},
            {24, 20, 24}};
    (void)state;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assay_format f = {.width = sizes[i].width, .height = sizes[i].height, .bit_depth = 8,
                          .layout = ASSAY_LAYOUT_420, .rate_num = 25, .rate_den = 1};
        check_small(&f, sizes[i].most);
        f.bit_depth = 10;
        f.layout = ASSAY_LAYOUT_444;
        check_small(&f, sizes[i].most);
    }
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
        cmocka_unit_test(sets_of_parameters_differ),
        cmocka_unit_test(the_passes_that_run_are_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
