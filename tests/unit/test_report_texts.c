/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts and files from outside: what gets to a terminal, what is read, and where a file is written. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/json.h"
#include "host/text.h"
#include "results/file.h"

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/assay-texts-XXXXXX");
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_all(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") || system(command);
}

static void put(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* ---- what gets to a terminal ------------------------------------------------------------------------------------- */

static void control_characters_become_marks(void **state)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {
        {"", ""},
        {"plain name.y4m", "plain name.y4m"},
        {"a\nb\tc\rd\x1b[2Je\x7f""f", "a?b?c?d?[2Je?f"},
        {"\xc3\xa9t\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x8e\xac", "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x8e\xac"},
        {"a\xc2\x9b""2Jb\xc2\x80\xc2\x9f\xc2\xa0", "a?2Jb??\xc2\xa0"}, /* U+009B, CSI; U+00A0 is no control character */
        {"\x9b""2J\x85 caf\xe9", "?2J? caf\xe9"},                   /* in Latin-1 */
        {"cut \xe2\x9b", "cut \xe2?"},
        {"\xf0\x9f\x8e", "\xf0??"},
        {"\xe0\x82\x9b", "\xe0??"},                                 /* U+009B in too many bytes */
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[100];
        struct assay_error e = {0};
        strcpy(text, cases[i].text);
        text_plain(text);
        assert_string_equal(text, cases[i].plain);
        assay_fail(&e, ASSAY_EINPUT, "%s", cases[i].text);
        assert_string_equal(e.text, cases[i].plain);
    }
    char text[8];
    text_for_message(text, sizeof text, (const unsigned char *)"a\0\xc3\xa9\x9b~xyz", 9);
    assert_string_equal(text, "a????~x");
}

/* ---- what is read ------------------------------------------------------------------------------------------------ */

static void assert_unread(const char *path, const char *why)
{
    struct assay_error e = {0};
    struct timespec before, after;
    size_t size;
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_null(file_read(path, &size, &e));
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_int_equal(e.code, ASSAY_EINPUT);
    assert_string_equal(e.text, why);
    assert_true(after.tv_sec - before.tv_sec < 60);
}

static void what_never_ends_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    alarm(60);
    assert_unread("pipe", "pipe: is a pipe, and nobody writes to it");
    assert_unread("/dev/zero", "/dev/zero: is a device, and no text comes from it");
    alarm(0);
    put("large", "", 0);
    assert_int_equal(truncate("large", (off_t)FILE_MOST + 1), 0);
    assert_unread("large", "large: has more than 256 MiB");
    assert_unread("none", "none: can't be opened: No such file or directory");
}

static void pipes_with_a_writer_are_read(void **state)
{
    char path[64];
    int end[2];
    size_t size;
    struct assay_error e = {0};
    (void)state;
    assert_int_equal(pipe(end), 0);
    assert_int_equal(write(end[1], "text", 4), 4);
    assert_int_equal(close(end[1]), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", end[0]);
    char *text = file_read(path, &size, &e);
    assert_true(text && size == 4 && !memcmp(text, "text", 4));
    free(text);
    close(end[0]);
    text = file_read("/dev/null", &size, &e);
    assert_true(text && !size);
    free(text);
}

/* cJSON takes 80 bytes for a value. */
static void values_of_json_are_bounded(void **state)
{
    enum { VALUES = 1 << 20 };
    struct assay_error e = {0};
    (void)state;
    char *text = malloc(8 * VALUES + 2);
    assert_non_null(text);
    text[0] = '[';
    for (size_t i = 0; i < VALUES; i++)
        memcpy(text + 1 + 2 * i, "1,", 2);
    assert_int_equal(json_bounded("a.json", text, 1 + 2 * VALUES, &e), ASSAY_EINPUT);
    assert_string_equal(e.text, "a.json: has more than one value for every 5 bytes");
    assert_int_equal(json_bounded("a.json", text, JSON_VALUES_SMALL, NULL), ASSAY_OK);
    for (size_t i = 0; i < VALUES; i++)
        memcpy(text + 1 + 8 * i, "12.3456,", 8);
    assert_int_equal(json_bounded("a.json", text, 1 + 8 * VALUES, NULL), ASSAY_OK);
    memset(text, ',', 8 * VALUES); /* in a string, with quotes in it, they are no values */
    memcpy(text, "[\"\\\"\\\\\\\"", 8);
    text[8 * VALUES - 1] = '"';
    assert_int_equal(json_bounded("a.json", text, 8 * VALUES, NULL), ASSAY_OK);
    free(text);
}

/* ---- where a file is written ------------------------------------------------------------------------------------- */

/* A file that `path` leads to is written beside `place` and renamed; for NULL it is written where it is. */
static void assert_beside(const char *path, const char *place)
{
    struct assay_error e = {0};
    struct file_out out;
    char *left;
    assert_int_equal(file_begin(&out, path, &e), ASSAY_OK);
    if (place) {
        assert_string_equal(out.place, place);
        assert_memory_equal(out.beside, place, strlen(place));
        assert_non_null(strstr(out.beside, ".part-"));
    } else {
        assert_null(out.place);
    }
    assert_true(fputs("new", out.stream) >= 0);
    assert_int_equal(file_place(&out, &left), 0);
    assert_null(left);
}

static void assert_holds(const char *path, const char *text)
{
    size_t size;
    struct assay_error e = {0};
    char *have = file_read(path, &size, &e);
    assert_non_null(have);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(have, text, size);
    free(have);
}

static void files_are_written_beside_their_place(void **state)
{
    char name[64];
    struct stat st;
    (void)state;
    assert_beside("new", "new");
    assert_beside("new", "new");
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(symlink("sub/far", "dangling"), 0);
    assert_int_equal(symlink("../dangling", "sub/link"), 0);
    assert_beside("sub/link", "sub/../sub/far"); /* a link to a link to no file */
    assert_holds("sub/far", "new");
    put("sub/far", "old", 3);
    assert_beside("dangling", "sub/far");
    assert_holds("sub/far", "new");
    assert_true(!lstat("dangling", &st) && S_ISLNK(st.st_mode));
    if (!stat("/dev/shm", &st)) {
        snprintf(name, sizeof name, "/dev/shm/assay-%ld", (long)getpid());
        assert_beside(name, name);
        assert_beside(name, name);
        assert_int_equal(unlink(name), 0);
    }
}

static void what_is_no_file_is_written_where_it_is(void **state)
{
    char name[64];
    (void)state;
    assert_beside("/dev/null", NULL);
    const int fd = open("open", O_RDWR | O_CREAT, 0600); /* as of /dev/stdout, where a shell has opened the file */
    assert_true(fd >= 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    assert_beside(name, NULL);
    assert_int_equal(symlink(name, "stdout"), 0);
    assert_beside("stdout", NULL);
    assert_holds("open", "new");
    close(fd);
    struct file_out out;
    struct assay_error e = {0};
    assert_int_equal(symlink("round", "round"), 0);
    assert_int_equal(file_begin(&out, "round", &e), ASSAY_EINTERNAL);
    assert_non_null(strstr(e.text, "round: can't be opened for writing: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_become_marks),
        cmocka_unit_test_setup_teardown(what_never_ends_is_refused, set_up, remove_all),
        cmocka_unit_test(pipes_with_a_writer_are_read),
        cmocka_unit_test(values_of_json_are_bounded),
        cmocka_unit_test_setup_teardown(files_are_written_beside_their_place, set_up, remove_all),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_written_where_it_is, set_up, remove_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
