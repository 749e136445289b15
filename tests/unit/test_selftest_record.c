/* SPDX-License-Identifier: BSD-2-Clause */
/* First use: what is tested, what is remembered, what a session says of a device that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/devices.h"
#include "wrong_executor.h"

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    wrong = (struct wrong){.modules = 1};
    snprintf(folder, sizeof folder, "/tmp/assay-record-XXXXXX");
    return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1);
}

static int remove_all(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const assay_format format = {.width = 200, .height = 180, .bit_depth = 8, .layout = ASSAY_LAYOUT_420};

/* Starts a session on the device; its error, "" when it starts. */
static const char *start_as(const char *metric, const assay_config *config)
{
    static char text[512];
    assay_session *s;
    wrong.opens = wrong.frames = 0;
    assert_int_equal(assay_session_new(&s, config, NULL, 0), ASSAY_OK);
    assert_int_equal(assay_session_add_metric(s, metric), ASSAY_OK);
    const int rc = assay_session_start(s, &format);
    snprintf(text, sizeof text, "%s", assay_session_error(s));
    assert_int_equal(rc, *text ? ASSAY_EDEVICE : ASSAY_OK);
    assay_session_close(&s);
    return text;
}

static const char *start(const char *metric, const char *backend)
{
    return start_as(metric, &(assay_config){.backend = backend});
}

static bool tested(void)
{
    return wrong.frames > 0;
}

/* The path of the only file below `folder`/assay. */
static void only_file(const char *below, char path[512])
{
    char dir[256];
    unsigned n = 0;
    snprintf(dir, sizeof dir, "%s/assay", below);
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (const struct dirent *f; (f = readdir(d));)
        if (f->d_name[0] != '.') {
            snprintf(path, 512, "%s/%.200s", dir, f->d_name);
            n++;
        }
    closedir(d);
    assert_int_equal(n, 1);
}

static size_t read_text(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t n = fread(text, 1, size, f);
    fclose(f);
    return n;
}

static void write_text(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void what_passed_is_not_tested_again(void **state)
{
    (void)state;
    assert_string_equal(start("psnr", "wrong"), "");
    assert_true(tested());
    const unsigned first = wrong.frames;
    assert_string_equal(start("psnr", "wrong"), "");
    assert_false(tested());
    /* Another metric has other kernels: those, and no more. */
    assert_string_equal(start("float_ms_ssim", "wrong"), "");
    assert_true(tested() && wrong.frames <= first);
    assert_string_equal(start("float_ms_ssim", "wrong"), "");
    assert_false(tested());
}

static void other_code_is_tested_anew(void **state)
{
    (void)state;
    assert_string_equal(start("psnr", "wrong"), "");
    wrong.modules = 2;
    assert_string_equal(start("psnr", "wrong"), "");
    assert_true(tested());
    wrong.modules = 1;
    assert_string_equal(start("psnr", "wrong"), "");
    assert_false(tested());
}

static void the_cpu_needs_no_proof(void **state)
{
    (void)state;
    assert_string_equal(start("psnr", "cpu"), "");
    assert_int_equal(rmdir(folder), 0); /* nothing was written */
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_damaged_file_is_as_good_as_none(void **state)
{
    static char text[1 << 16], broken[1 << 16];
    char path[512];
    (void)state;
    assert_string_equal(start("psnr", "wrong"), "");
    only_file(folder, path);
    const size_t n = read_text(path, text, sizeof text);
    assert_true(n > 100 && n < sizeof text);
    for (size_t cut = 0; cut < n; cut += n / 7) {
        write_text(path, text, cut);
        assert_string_equal(start("psnr", "wrong"), "");
        assert_true(tested());
        assert_int_equal(read_text(path, broken, sizeof broken), n);
        assert_memory_equal(broken, text, n);
    }
    for (size_t at = 0; at < n; at += n / 11) {
        memcpy(broken, text, n);
        broken[at] ^= 1;
        write_text(path, broken, n);
        assert_string_equal(start("psnr", "wrong"), "");
        assert_true(tested());
    }
    memset(broken, 0, sizeof broken);
    write_text(path, broken, sizeof broken);
    assert_string_equal(start("psnr", "wrong"), "");
    assert_true(tested());
}

/* "passed" under another device's head is no proof. */
static void a_file_of_another_device_is_ignored(void **state)
{
    char path[512], text[1 << 14];
    (void)state;
    assert_string_equal(start("psnr", "wrong"), "");
    only_file(folder, path);
    const size_t n = read_text(path, text, sizeof text);
    assert_int_equal(unlink(path), 0);
    wrong.modules = 2;
    assert_string_equal(start("psnr", "wrong"), "");
    only_file(folder, path);
    write_text(path, text, n);
    assert_string_equal(start("psnr", "wrong"), "");
    assert_true(tested());
}

/* Anyone can compute a record's sum, so a record counts only where nobody else can have written it. */
static void a_record_is_believed_only_from_this_user(void **state)
{
    char path[512], below[80];
    (void)state;
    snprintf(below, sizeof below, "%s/assay", folder);
    assert_string_equal(start("psnr", "wrong"), "");
    only_file(folder, path);
    const mode_t shared[] = {0622, 0660, 0602};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(chmod(path, shared[i]), 0);
        assert_string_equal(start("psnr", "wrong"), "");
        assert_true(tested());
        assert_string_equal(start("psnr", "wrong"), ""); /* it was written anew */
        assert_false(tested());
    }
    for (unsigned again = 0; again < 2; again++) {
        assert_int_equal(chmod(below, again ? 0770 : 0707), 0);
        assert_string_equal(start("psnr", "wrong"), "");
        assert_true(tested());
    }
    assert_int_equal(chmod(below, 0700), 0);
    assert_string_equal(start("psnr", "wrong"), "");
    assert_false(tested());
    if (geteuid()) /* only root can give a file away */
        return;
    for (unsigned again = 0; again < 2; again++) {
        assert_int_equal(chown(again ? below : path, 65534, (gid_t)-1), 0);
        assert_string_equal(start("psnr", "wrong"), "");
        assert_true(tested());
    }
}

/* In the place of a record: a pipe that nobody writes to, and a link. */
static void what_is_no_file_is_no_record(void **state)
{
    char path[512], other[560];
    (void)state;
    assert_string_equal(start("psnr", "wrong"), "");
    only_file(folder, path);
    snprintf(other, sizeof other, "%s/elsewhere", folder);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_string_equal(start("psnr", "wrong"), "");
    assert_true(tested());
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(60);
    assert_string_equal(start("psnr", "wrong"), "");
    assert_true(tested());
    assert_string_equal(start("psnr", "wrong"), "");
    assert_false(tested());
    alarm(0);
}

static void a_folder_that_can_not_be_written_is_no_error(void **state)
{
    static const char *const places[] = {"/dev/null/cache", "/proc/nowhere", "relative", ""};
    (void)state;
    setenv("HOME", "/dev/null", 1);
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        setenv("XDG_CACHE_HOME", places[i], 1);
        for (unsigned again = 0; again < 2; again++) {
            assert_string_equal(start("psnr", "wrong"), "");
            assert_true(tested());
        }
    }
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    assert_string_equal(start("psnr", "wrong"), "");
    assert_true(tested());
    assert_int_not_equal(access("relative", F_OK), 0);
}

static void home_is_the_second_choice(void **state)
{
    char path[512], below[128];
    (void)state;
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    assert_string_equal(start("psnr", "wrong"), "");
    snprintf(below, sizeof below, "%s/.cache", folder);
    only_file(below, path);
    assert_string_equal(start("psnr", "wrong"), "");
    assert_false(tested());
}

static void a_device_that_fails_is_refused_every_time(void **state)
{
    (void)state;
    wrong.fault = WRONG_PLANE;
    wrong.kernel = "t_divide_u32";
    for (unsigned again = 0; again < 2; again++) {
        const char *why = start("psnr", "wrong");
        assert_non_null(
            strstr(why, "wrong: wrong device is refused, it failed the self-test: t_divide_u32: frame 0: output 0 at "
                        "(0, 0) is 0x"));
        assert_non_null(strstr(why, ", not 0x"));
        assert_non_null(strstr(why, "; input there 0x"));
        assert_true(tested());
    }
    wrong.fault = WRONG_NOTHING; /* it was the memory that was hot */
    assert_string_equal(start("psnr", "wrong"), "");
    assert_true(tested());
}

static void a_kernel_of_the_graph_counts_as_much(void **state)
{
    (void)state;
    wrong.fault = WRONG_TOTAL;
    wrong.kernel = "sse_u8";
    assert_non_null(strstr(start("psnr", "wrong"), "refused, it failed the self-test: sse_u8: frame 0: total 0 is 0x"));
    assert_string_equal(start("float_ssim", "wrong"), ""); /* nothing of it runs there */
}

/* Encodes with other pictures have other passes, which are proved, too. */
static void the_passes_of_every_encode_are_proved(void **state)
{
    (void)state;
    assay_format encode[2] = {format, format};
    const assay_config config = {.backend = "wrong", .encodes = 2, .distorted = encode, .allow_depth = 1};
    wrong.fault = WRONG_TOTAL;
    wrong.kernel = "sse_u16";
    assert_string_equal(start_as("psnr", &config), "");
    encode[1].bit_depth = 10;
    assert_non_null(strstr(start_as("psnr", &config), "refused, it failed the self-test: sse_u16: frame 0: total 0"));
}

struct listed {
    int state, missing;
    unsigned passed;
};

static void note(void *opaque, const assay_device *device)
{
    struct listed *l = opaque;
    if (!strcmp(device->backend, "wrong") && !device->missing) {
        l->state = device->self_test;
        l->passed = device->kernels_passed;
        assert_string_equal(device->name, "wrong device");
        assert_string_equal(device->driver, "driver 1");
        assert_true(device->memory == 1 << 30 && device->usable && !device->software);
    }
    l->missing += device->missing != NULL;
}

static struct listed list(void)
{
    struct listed l = {.state = 99};
    char why[64];
    assert_int_equal(assay_list_devices(NULL, note, &l, why, sizeof why), ASSAY_OK);
    return l;
}

static void the_list_says_what_is_known(void **state)
{
    char why[64];
    (void)state;
    assert_int_equal(list().state, ASSAY_SELF_TEST_NOT_RUN);
    assert_int_equal(list().missing, 1); /* what this build lacks */
    assert_string_equal(start("psnr", "wrong"), "");
    assert_int_equal(list().state, ASSAY_SELF_TEST_PASSED);
    assert_true(list().passed > 10);
    wrong.fault = WRONG_TOTAL;
    wrong.kernel = "moments_u8";
    start("float_moment", "wrong");
    assert_int_equal(list().state, ASSAY_SELF_TEST_FAILED);
    wrong.none = true;
    assert_int_equal(list().state, 99);
    assert_int_equal(list().missing, 2);
    assert_int_equal(assay_list_devices("nobody", note, NULL, why, sizeof why), ASSAY_EUSAGE);
    assert_string_equal(why, "this build has no backend 'nobody'");
    assert_int_equal(assay_list_devices(NULL, NULL, NULL, NULL, 0), ASSAY_EUSAGE);
}

static void a_missing_backend_says_why(void **state)
{
    (void)state;
    assert_string_equal(start("psnr", "absent"), "Absent: this build was made without it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_passed_is_not_tested_again, set_up, remove_all),
        cmocka_unit_test_setup_teardown(other_code_is_tested_anew, set_up, remove_all),
        cmocka_unit_test_setup_teardown(the_cpu_needs_no_proof, set_up, remove_all),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_as_good_as_none, set_up, remove_all),
        cmocka_unit_test_setup_teardown(a_file_of_another_device_is_ignored, set_up, remove_all),
        cmocka_unit_test_setup_teardown(a_record_is_believed_only_from_this_user, set_up, remove_all),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_no_record, set_up, remove_all),
        cmocka_unit_test_setup_teardown(a_folder_that_can_not_be_written_is_no_error, set_up, remove_all),
        cmocka_unit_test_setup_teardown(home_is_the_second_choice, set_up, remove_all),
        cmocka_unit_test_setup_teardown(a_device_that_fails_is_refused_every_time, set_up, remove_all),
        cmocka_unit_test_setup_teardown(a_kernel_of_the_graph_counts_as_much, set_up, remove_all),
        cmocka_unit_test_setup_teardown(the_passes_of_every_encode_are_proved, set_up, remove_all),
        cmocka_unit_test_setup_teardown(the_list_says_what_is_known, set_up, remove_all),
        cmocka_unit_test_setup_teardown(a_missing_backend_says_why, set_up, remove_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
