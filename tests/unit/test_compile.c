/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that a driver compiled, as files: what is kept comes back, and what can't be believed counts as absent. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "executors/gpu/compile.h"

static const struct gpu_device_ops ops = {.api = "API"}, other_ops = {.api = "Other"};
static const struct gpu_device device = {.ops = &ops, .name = "Device", .driver = "1.0", .build = 7};
static const char code[] = "code", made[] = "what the driver made";
static char folder[64], files[80];

static bool loads(const struct compile_kernel *k, const void *wanted, size_t wanted_bytes)
{
    size_t bytes = 1;
    void *const got = compile_load(k, &bytes);
    const bool same = got && bytes == wanted_bytes && !memcmp(got, wanted, bytes);
    assert_true(same || (!got && bytes == 0));
    free(got);
    return same;
}

/* Does something to each file of the folder; how many there are. */
static unsigned each_file(void (*change)(const char *path))
{
    char path[512];
    unsigned n = 0;
    DIR *const d = opendir(files);
    for (struct dirent *f; d && (f = readdir(d));)
        if (f->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", files, f->d_name);
            change(path);
            n++;
        }
    if (d)
        closedir(d);
    return n;
}

static void look(const char *path)
{
    struct stat st;
    assert_true(!stat(path, &st) && (st.st_mode & 0777) == 0600);
}

static void cut(const char *path)
{
    struct stat st;
    assert_true(!stat(path, &st) && !truncate(path, st.st_size - 1));
}

static void empty(const char *path)
{
    assert_true(!truncate(path, 0));
}

static void lengthen(const char *path)
{
    FILE *const f = fopen(path, "ab");
    assert_true(f && fputc(0, f) == 0 && !fclose(f));
}

/* The last byte is one of the code, the 20th one of what the code was compiled for. */
static void change_byte(const char *path, long at, int whence)
{
    FILE *const f = fopen(path, "r+b");
    assert_true(f && !fseek(f, at, whence));
    const int c = fgetc(f);
    assert_true(!fseek(f, -1, SEEK_CUR) && fputc(c ^ 1, f) != EOF && !fclose(f));
}

static void damage(const char *path)
{
    change_byte(path, -1, SEEK_END);
}

static void damage_head(const char *path)
{
    change_byte(path, 20, SEEK_SET);
}

static void open_to_others(const char *path)
{
    assert_true(!chmod(path, 0666));
}

static void remove_file(const char *path)
{
    assert_true(!unlink(path));
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/assay-compile-XXXXXX");
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1))
        return -1;
    snprintf(files, sizeof files, "%s/assay", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    each_file(remove_file);
    return rmdir(files) || rmdir(folder);
}

static void test_spoilt(void **state)
{
    (void)state;
    static void (*const spoil[])(const char *) = {cut, empty, lengthen, damage, damage_head, open_to_others,
        remove_file};
    const struct compile_kernel k = {&device, "kernel", code, sizeof code};
    assert_false(loads(&k, made, sizeof made));
    for (unsigned i = 0; i < sizeof spoil / sizeof spoil[0]; i++) {
        compile_save(&k, made, sizeof made);
        assert_true(loads(&k, made, sizeof made));
        assert_int_equal(each_file(look), 1);
        each_file(spoil[i]);
        assert_false(loads(&k, made, sizeof made));
    }
    compile_save(&k, made, sizeof made);
    assert_false(chmod(files, 0777)); /* a folder that others may write to */
    assert_false(loads(&k, made, sizeof made));
    assert_false(chmod(files, 0700));
    assert_true(loads(&k, made, sizeof made));
}

/* A kernel of a device has one file, whichever driver or build of ours it was made for; others have others. */
static void test_others(void **state)
{
    (void)state;
    const struct compile_kernel k = {&device, "kernel", code, sizeof code};
    struct gpu_device changed[5] = {device, device, device, device, device};
    strcpy(changed[0].driver, "1.1");
    changed[1].build = 8;
    strcpy(changed[3].name, "Device 2");
    changed[4].ops = &other_ops;
    for (unsigned i = 0; i < 5; i++) {
        const struct compile_kernel other = {&changed[i], k.name, i == 2 ? "CODE" : code, sizeof code};
        compile_save(&k, made, sizeof made);
        assert_false(loads(&other, made, sizeof made));
        compile_save(&other, code, sizeof code);
        assert_true(loads(&other, code, sizeof code));
        assert_int_equal(loads(&k, made, sizeof made), i >= 3);
        assert_int_equal(each_file(look), i < 3 ? 1 : i - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_spoilt, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_others, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
