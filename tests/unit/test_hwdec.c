/* SPDX-License-Identifier: BSD-2-Clause */
/* --hwdec: what is decided from what is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "input/hwdec.h"

#define OFF HWDEC_OFF
#define AUTO HWDEC_AUTO
#define CUDA HWDEC_CUDA
#define SOFTWARE HWDEC_IN_SOFTWARE
#define FELL_BACK HWDEC_FELL_BACK
#define DEVICE HWDEC_ON_DEVICE
#define IMPOSSIBLE HWDEC_IMPOSSIBLE

static const struct {
    struct hwdec_facts facts;
    enum hwdec_answer answer;
    const char *why; /* a part of it; NULL: nothing is said */
} table[] = {
    {{.wish = OFF}, SOFTWARE, NULL},
    {{.wish = OFF, .backend = "cuda"}, SOFTWARE, NULL},
    {{.wish = OFF, .backend = "cuda", .refused = "no"}, SOFTWARE, NULL},
    /* by the backend */
    {{.wish = AUTO}, FELL_BACK, "--backend cuda"},
    {{.wish = AUTO, .backend = "cpu"}, FELL_BACK, "--backend cuda"},
    {{.wish = AUTO, .backend = "auto"}, FELL_BACK, "--backend cuda"},
    {{.wish = AUTO, .backend = "vulkan", .inexact = "mpeg4"}, FELL_BACK, "--backend cuda"},
    {{.wish = CUDA}, IMPOSSIBLE, "--backend cuda"},
    {{.wish = CUDA, .backend = "auto"}, IMPOSSIBLE, "--backend cuda"},
    {{.wish = CUDA, .backend = "opengl"}, IMPOSSIBLE, "--backend cuda"},
    /* nothing speaks against it */
    {{.wish = AUTO, .backend = "cuda"}, DEVICE, NULL},
    {{.wish = CUDA, .backend = "cuda"}, DEVICE, NULL},
    /* one thing does */
    {{.wish = AUTO, .backend = "cuda", .several_devices = true}, FELL_BACK, "several devices"},
    {{.wish = CUDA, .backend = "cuda", .several_devices = true}, IMPOSSIBLE, "several devices"},
    {{.wish = AUTO, .backend = "cuda", .once = true}, FELL_BACK, "read again"},
    {{.wish = CUDA, .backend = "cuda", .once = true}, DEVICE, NULL},
    {{.wish = AUTO, .backend = "cuda", .inexact = "mpeg4"}, FELL_BACK, "mpeg4"},
    {{.wish = CUDA, .backend = "cuda", .inexact = "mpeg4"}, IMPOSSIBLE, "mpeg4"},
    {{.wish = AUTO, .backend = "cuda", .no_hwaccel = "ffv1"}, FELL_BACK, "no CUDA decoder for ffv1"},
    {{.wish = CUDA, .backend = "cuda", .no_hwaccel = "ffv1"}, IMPOSSIBLE, "no CUDA decoder for ffv1"},
    {{.wish = AUTO, .backend = "cuda", .refused = "no libnvcuvid"}, FELL_BACK, "refuses: no libnvcuvid"},
    {{.wish = CUDA, .backend = "cuda", .refused = "no libnvcuvid"}, IMPOSSIBLE, "refuses: no libnvcuvid"},
    {{.wish = AUTO, .backend = "cuda", .format = "gbrp as yuv444p"}, FELL_BACK, "gbrp as yuv444p"},
    {{.wish = CUDA, .backend = "cuda", .format = "gbrp as yuv444p"}, IMPOSSIBLE, "gbrp as yuv444p"},
    {{.wish = AUTO, .backend = "cuda", .converted = "size"}, FELL_BACK, "differ in size"},
    {{.wish = CUDA, .backend = "cuda", .converted = "size"}, IMPOSSIBLE, "differ in size"},
    /* several do: the first in the order above is said */
    {{.wish = AUTO, .backend = "cuda", .several_devices = true, .refused = "no"}, FELL_BACK, "several devices"},
    {{.wish = AUTO, .backend = "cuda", .inexact = "mjpeg",
      .no_hwaccel = "mjpeg"}, FELL_BACK, "no CUDA decoder for mjpeg"},
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char why[200];
        const enum hwdec_answer answer = hwdec_decide(&table[i].facts, why, sizeof why);
        if (answer != table[i].answer || (table[i].why ? !strstr(why, table[i].why) : why[0] != 0))
            fail_msg("row %zu: %d, '%s'", i, (int)answer, why);
    }
}

/* A text that is cut stays a text. */
static void test_short_buffer(void **state)
{
    (void)state;
    char why[8];
    const struct hwdec_facts facts = {.wish = CUDA, .backend = "cuda", .refused = "a long story"};
    assert_int_equal(hwdec_decide(&facts, why, sizeof why), HWDEC_IMPOSSIBLE);
    assert_string_equal(why, "the dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_short_buffer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
