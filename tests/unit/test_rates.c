/* SPDX-License-Identifier: BSD-2-Clause */
/* assay_rates must notice a device whose scores are wrong: the null executor's are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rates.h"
#include "null_executor.h"

static int measure(const char *backend, struct assay_error *e)
{
    const struct rates_options o = {.config = {.backend = backend, .threads = 1}, .seconds = 0.01};
    const assay_format format = {.width = 48, .height = 33, .bit_depth = 8, .layout = ASSAY_LAYOUT_420};
    struct rates_machine machine;
    struct rates_result result;
    struct assay_error why = {0};
    struct bench_frames frames = {0};
    null_reset(2, NULL_CALLS, 0);
    const int rc = rates_measure(&o, "psnr", &format, &frames, &machine, &result, &why, e);
    bench_frames_free(&frames);
    return rc;
}

static void wrong_scores(void **state)
{
    struct assay_error e = {0};
    (void)state;
    assert_int_equal(measure("null", &e), ASSAY_EDEVICE);
    assert_non_null(strstr(
        e.text, "8 frames have other scores than the CPU's; the first is pair 0, psnr_y: 0x1.ep+5, the CPU has "));
    assert_int_equal(null_look()->host_blocks, 0);
    assert_int_equal(null_look()->count[NULL_CLOSE], 1);
}

static void right_scores(void **state)
{
    struct assay_error e = {0};
    (void)state;
    assert_int_equal(measure("cpu", &e), ASSAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_scores), cmocka_unit_test(right_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
