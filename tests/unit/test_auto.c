/* SPDX-License-Identifier: BSD-2-Clause */
/* --backend auto, with a GPU of the tests that is as fast as it is told to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wrong_executor.h"

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    wrong = (struct wrong){.modules = 1};
    snprintf(folder, sizeof folder, "/tmp/assay-auto-XXXXXX");
    return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1);
}

static int remove_all(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static struct {
    char backend[32], choice[512];
} took;

static int start(const char *device, uint32_t width, uint32_t height)
{
    const assay_config config = {.backend = "auto", .device = device, .cpu_level = "scalar", .threads = 1,
                                 .frames_in_flight = 1};
    const assay_format format = {.width = width, .height = height, .bit_depth = 8, .layout = ASSAY_LAYOUT_400};
    assay_session *s;
    wrong.frames = 0;
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), ASSAY_OK);
    assert_int_equal(assay_session_add_metric(s, "ssim"), ASSAY_OK);
    const int rc = assay_session_start(s, &format);
    snprintf(took.backend, sizeof took.backend, "%s", assay_session_backend(s));
    snprintf(took.choice, sizeof took.choice, "%s", rc ? assay_session_error(s) : assay_session_choice(s));
    assay_session_close(&s);
    return rc;
}

static void assert_takes(const char *backend, const char *because)
{
    if (strcmp(took.backend, backend) || !strstr(took.choice, because))
        fail_msg("took %s, and says: %s", took.backend, took.choice);
}

static void takes_the_faster_one(void **state)
{
    (void)state;
    wrong.instant = true;
    assert_int_equal(start(NULL, 1280, 720), ASSAY_OK);
    assert_takes("wrong", "auto takes wrong 0; cpu, CPU (scalar C): ");
    assert_takes("wrong", " ms a frame; wrong, wrong device: ");
    /* Measured once. */
    assert_true(wrong.frames > 0);
    assert_int_equal(start(NULL, 1280, 720), ASSAY_OK);
    assert_takes("wrong", "auto takes wrong 0");
    assert_int_equal(wrong.frames, 0);
}

/* The delay is ten times what the CPU needs for so small a frame, sanitizers and a busy machine included. */
static void keeps_the_cpu_when_the_gpu_is_slow(void **state)
{
    (void)state;
    wrong.delay = 30000000;
    assert_int_equal(start(NULL, 64, 48), ASSAY_OK);
    assert_takes("cpu", "auto takes cpu; cpu, ");
    assert_takes("cpu", "wrong, wrong device: ");
}

/* A cost per frame that pays on large frames only. */
static void looks_at_the_size_of_frames(void **state)
{
    (void)state;
    wrong.instant = true;
    wrong.delay = 20000000;
    assert_int_equal(start(NULL, 64, 48), ASSAY_OK);
    assert_takes("cpu", "auto takes cpu");
    assert_int_equal(start(NULL, 4096, 2160), ASSAY_OK);
    assert_takes("wrong", "auto takes wrong");
}

static void leaves_software_to_those_who_name_it(void **state)
{
    (void)state;
    wrong.instant = wrong.software = true;
    assert_int_equal(start(NULL, 1280, 720), ASSAY_OK);
    assert_takes("cpu", "auto takes cpu");
    assert_null(strstr(took.choice, "wrong device"));
    wrong.software = false;
    wrong.unusable = true;
    assert_int_equal(start(NULL, 1280, 720), ASSAY_OK);
    assert_takes("cpu", "auto takes cpu");
    wrong.none = true;
    assert_int_equal(start(NULL, 1280, 720), ASSAY_OK);
    assert_takes("cpu", "auto takes cpu");
}

static void names_what_failed_the_self_test(void **state)
{
    (void)state;
    wrong.instant = true;
    wrong.fault = WRONG_PLANE;
    wrong.kernel = "t_round_u32";
    assert_int_equal(start(NULL, 1280, 720), ASSAY_OK);
    assert_takes("cpu", "; not wrong: wrong: wrong device is refused, it failed the self-test: t_round_u32");
    wrong.fault = WRONG_OPEN;
    assert_int_equal(start(NULL, 1280, 720), ASSAY_OK);
    assert_takes("cpu", "; not wrong: the wrong device does not open");
}

static void takes_no_name_of_a_device(void **state)
{
    (void)state;
    assert_int_equal(start("0", 1280, 720), ASSAY_EUSAGE);
    assert_string_equal(took.choice, "a device can be named when its backend is, not with auto");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_the_faster_one, set_up, remove_all),
        cmocka_unit_test_setup_teardown(keeps_the_cpu_when_the_gpu_is_slow, set_up, remove_all),
        cmocka_unit_test_setup_teardown(looks_at_the_size_of_frames, set_up, remove_all),
        cmocka_unit_test_setup_teardown(leaves_software_to_those_who_name_it, set_up, remove_all),
        cmocka_unit_test_setup_teardown(names_what_failed_the_self_test, set_up, remove_all),
        cmocka_unit_test_setup_teardown(takes_no_name_of_a_device, set_up, remove_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
