/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that can fail in the report layer fails here: the N-th allocation, the N-th read, and the disk after N
 * bytes, for N = 1, 2, ... until nothing fails any more. Every time there is one line that says so and nothing leaks
 * (the sanitizer builds see to that). The program is linked with --wrap, so that the counters below stand before the
 * C library.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "report/report.h"
#include "results/report_read.h"
#include "results/shard.h"

static long allocations_left = -1, reads_left = -1; /* negative: no faults */

static int fault(long *left, int error)
{
    if (*left < 0 || --*left != 0)
        return 0;
    *left = -1;
    errno = error;
    return 1;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
ssize_t __real_read(int fd, void *p, size_t n);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);
ssize_t __wrap_read(int fd, void *p, size_t n);

void *__wrap_malloc(size_t size)
{
    return fault(&allocations_left, ENOMEM) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fault(&allocations_left, ENOMEM) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fault(&allocations_left, ENOMEM) ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
    return fault(&allocations_left, ENOMEM) ? NULL : __real_strdup(s);
}

ssize_t __wrap_read(int fd, void *p, size_t n)
{
    return fault(&reads_left, EIO) ? -1 : __real_read(fd, p, n);
}

enum { FRAMES = 600, KEYS = 2 }; /* more rows than the scores hold at first */

static char path[64], part_path[2][64];
static const char *const keys[KEYS] = {"psnr_y", "float_ssim"};
static const struct report_field fields[] = {{.name = "backend", .value = "cpu"}};

static int fill(struct scores *s, uint64_t first, uint64_t n, struct assay_error *e)
{
    int result = scores_init(s, KEYS, keys, e);
    for (uint64_t i = first; i < first + n && !result; i++)
        result = scores_add(s, i, SCORES_NO_TIME, (double[]){30 + (double)(i % 7), 0.5}, e);
    return result;
}

/* A whole run: scores, a report, a shard, and the table. */
static int write_everything(enum report_kind kind, uint64_t first, uint64_t n, const char *shard, struct assay_error *e)
{
    struct scores s;
    struct reporter *r = NULL;
    struct report_total total = {.name = "t", .value = (exact_total)n};
    struct report_run run = {.version = "0.1.0", .width = 8, .height = 8, .fields = 1, .field = fields};
    int result = fill(&s, first, n, e);
    if (!result)
        result = reporter_open(&r, kind, path, 6, &(struct stored){.run = run, .scores = s}, e);
    for (uint64_t i = 0; i < n && !result; i++)
        result = reporter_frame(r, &s, i, e);
    if (r && !result)
        result = reporter_finish(&r, &(struct stored){.run = run, .scores = s}, e);
    reporter_abandon(&r);
    const struct report_part part = {.first = first, .count = n, .every = 1, .total = FRAMES, .totals = 1,
                                     .exact = &total};
    run.part = &part;
    if (!result)
        result = reporter_write(REPORT_JSON, shard, REPORT_HEX, &(struct stored){.run = run, .scores = s}, e);
    scores_free(&s);
    return result;
}

static int merge_everything(struct assay_error *e)
{
    struct stored part[2] = {{0}}, whole = {0};
    int result = stored_read(part, part_path[0], NULL, 0, e);
    if (!result)
        result = stored_read(part + 1, part_path[1], NULL, 0, e);
    if (!result)
        result = shards_merge(part, 2, &whole, e);
    if (!result)
        result = reporter_write(REPORT_JSON, path, 6, &whole, e);
    stored_free(part);
    stored_free(part + 1);
    stored_free(&whole);
    return result;
}

static void assert_one_line(const struct assay_error *e, int result)
{
    assert_int_equal(e->code, result);
    assert_true(e->text[0] && !strchr(e->text, '\n'));
}

static void allocations(void **state)
{
    (void)state;
    for (int kind = REPORT_JSON; kind <= REPORT_SUB; kind++) {
        int faults = 0;
        for (long n = 1;; n++, faults++) {
            struct assay_error e = {0};
            allocations_left = n;
            int result = write_everything((enum report_kind)kind, 0, FRAMES, part_path[0], &e);
            int failed = allocations_left < 0;
            allocations_left = -1;
            assert_int_equal(result, failed ? ASSAY_EINTERNAL : ASSAY_OK);
            if (!failed)
                break;
            assert_one_line(&e, result);
            assert_non_null(strstr(e.text, "out of memory"));
        }
        assert_true(faults >= 7);
    }
}

static void allocations_of_merge(void **state)
{
    (void)state;
    /* cJSON allocates through a shared library, which --wrap does not reach. */
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = __wrap_malloc, .free_fn = free});
    assert_int_equal(write_everything(REPORT_CSV, 0, 300, part_path[0], NULL), ASSAY_OK);
    assert_int_equal(write_everything(REPORT_CSV, 300, 300, part_path[1], NULL), ASSAY_OK);
    int faults = 0;
    for (long n = 1;; n++, faults++) {
        struct assay_error e = {0};
        allocations_left = n;
        int result = merge_everything(&e);
        int failed = allocations_left < 0;
        allocations_left = -1;
        assert_int_equal(result, failed ? ASSAY_EINTERNAL : ASSAY_OK);
        if (!failed)
            break;
        assert_one_line(&e, result);
        assert_non_null(strstr(e.text, "out of memory"));
    }
    cJSON_InitHooks(NULL);
    print_message("%d allocations\n", faults);
    assert_true(faults > 1200); /* cJSON takes two for every row */
}

static void reads(void **state)
{
    (void)state;
    int faults = 0;
    for (long n = 1;; n++, faults++) {
        struct assay_error e = {0};
        reads_left = n;
        int result = merge_everything(&e);
        int failed = reads_left < 0;
        reads_left = -1;
        assert_int_equal(result, failed ? ASSAY_EINPUT : ASSAY_OK);
        if (!failed)
            break;
        assert_one_line(&e, result);
        assert_non_null(strstr(e.text, ": can't be read: Input/output error"));
    }
    assert_true(faults >= 4); /* two files, each read to its end */
}

/* The disk is full after N bytes. */
static void disk(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (int kind = REPORT_JSON; kind <= REPORT_SUB; kind++) {
        int faults = 0, result;
        do {
            struct assay_error e = {0};
            limit = (struct rlimit){.rlim_cur = (rlim_t)faults * 37, .rlim_max = old.rlim_max};
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
            result = write_everything((enum report_kind)kind, 0, 20, part_path[0], &e);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
            if (result) {
                assert_int_equal(result, ASSAY_EINTERNAL);
                assert_one_line(&e, result);
                assert_non_null(strstr(e.text, ": can't be written: File too large"));
                faults++;
            }
        } while (result);
        assert_true(faults > 10);
    }
}

int main(void)
{
    char *const names[] = {path, part_path[0], part_path[1]};
    for (int i = 0; i < 3; i++) {
        strcpy(names[i], "/tmp/assay-faults-XXXXXX");
        int fd = mkstemp(names[i]);
        if (fd < 0)
            return 1;
        close(fd);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations),
        cmocka_unit_test(allocations_of_merge),
        cmocka_unit_test(reads),
        cmocka_unit_test(disk),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 3; i++)
        unlink(names[i]);
    return result;
}
