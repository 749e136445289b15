/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of jobs: how jobs are cut and grouped, plans that are written and read, what counts as done, locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "jobs/jobs.h"

enum { JOBS = 4 };

static char *copy(const char *text)
{
    char *made = strdup(text);
    assert_non_null(made);
    return made;
}

/* Four jobs: one of 1000 pairs that takes 100 s, two short ones, one of unknown length. */
static void fill(struct jobs *j)
{
    static const double seconds[JOBS] = {100, 3, 4, 0};
    j->job = calloc(JOBS, sizeof *j->job);
    assert_non_null(j->job);
    j->jobs = JOBS;
    for (uint32_t i = 0; i < JOBS; i++) {
        struct jobs_job *job = &j->job[i];
        *job = (struct jobs_job){.key = (i + 1) * UINT64_C(0x0123456789abcdef), .line = i + 2, .seconds = seconds[i],
                                 .pairs = i ? 0 : 1000};
        job->request = copy("{\"assay\":\"request/1\",\"reference\":{\"file\":\"r\xff.y4m\"},"
                            "\"encodes\":[{\"file\":\"d \\\"x\\\".y4m\"}]}");
        job->reference = copy("r\xff.y4m");
        job->distorted = copy("d \"x\".y4m");
        job->options = copy("--json 'a b.json'");
        job->listed = copy("-m psnr --json 'a b.json'");
    }
    free(j->list);
    free(j->folder);
    j->list = copy("jobs.csv");
    j->folder = copy("..");
}

static void check_cover(const struct jobs *j)
{
    for (uint32_t i = 0; i < j->jobs; i++) {
        uint64_t at = 0;
        for (uint32_t k = 0; k < j->job[i].units; k++) {
            const struct jobs_unit *u = &j->unit[j->job[i].unit + k];
            assert_true(u->first == at && u->job == i);
            assert_true((u->frames == 0) == (k + 1 == j->job[i].units));
            assert_true(u->key == jobs_unit_key(j->job[i].key, u->first, u->frames));
            at += u->frames;
        }
    }
}

static void cutting(void **state)
{
    static const struct {
        double seconds;
        uint32_t units, tasks;
    } want[] = {{0, 4, 4}, {1000, 4, 2}, {100, 4, 3}, {25, 7, 6}, {10, 13, 12}, {0.01, 1003, 1003}};
    const struct jobs none = JOBS_START;
    (void)state;
    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct jobs j = JOBS_START;
        struct assay_error e = {0};
        fill(&j);
        assert_int_equal(jobs_cut(&j, &none, want[i].seconds, &e), 0);
        assert_int_equal(j.units, want[i].units);
        assert_int_equal(j.tasks, want[i].tasks);
        check_cover(&j);
        jobs_free(&j);
    }
}

/* What has been begun is not cut anew, and what has not is. */
static void cut_again(void **state)
{
    const struct jobs none = JOBS_START;
    struct jobs before = JOBS_START, j = JOBS_START;
    struct assay_error e = {0};
    (void)state;
    fill(&before);
    assert_int_equal(jobs_cut(&before, &none, 25, &e), 0);
    for (int done = 0; done < 2; done++) {
        before.unit[2].state = done ? UNIT_DONE : UNIT_FAILED;
        jobs_free(&j);
        fill(&j);
        assert_int_equal(jobs_cut(&j, &before, 50, &e), 0);
        assert_int_equal(j.job[0].units, done ? 4 : 2);
        check_cover(&j);
    }
    jobs_free(&before);
    jobs_free(&j);
}

/* Each range of a job has a key of its own, and the whole job has the job's. */
static void keys_of_units(void **state)
{
    static const uint64_t range[][2] = {{0, 0}, {0, 4}, {0, 5}, {4, 0}, {4, 4}, {5, 4}};
    enum { RANGES = sizeof range / sizeof range[0] };
    (void)state;
    assert_true(jobs_unit_key(7, 0, 0) == 7);
    for (unsigned i = 0; i < RANGES; i++)
        for (unsigned k = 0; k < i; k++)
            assert_true(jobs_unit_key(7, range[i][0], range[i][1]) != jobs_unit_key(7, range[k][0], range[k][1]));
}

static void reckoning(void **state)
{
    const char *const fast[] = {"psnr"}, *const slow[] = {"psnr", "ssimulacra2=x=1"};
    (void)state;
    const double one = jobs_seconds(100, 1000, fast, 1);
    assert_true(one > 0 && jobs_seconds(200, 1000, fast, 1) == 2 * one);
    assert_true(jobs_seconds(100, 1000, slow, 2) > 2 * one);
}

static void enter(char folder[32])
{
    strcpy(folder, "/tmp/assay-jobs-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void plans(void **state)
{
    const struct jobs none = JOBS_START;
    struct jobs j = JOBS_START, again = JOBS_START;
    struct assay_error e = {0};
    char folder[32], path[64], *text;
    bool found;
    (void)state;
    enter(folder);
    assert_int_equal(jobs_open(&again, folder, false, &e), ASSAY_EUSAGE);
    jobs_free(&again);
    assert_int_equal(jobs_open(&j, folder, true, &e), 0);
    assert_int_equal(jobs_read(&j, &found, &e), 0);
    assert_false(found);
    fill(&j);
    assert_int_equal(jobs_cut(&j, &none, 25, &e), 0);
    assert_int_equal(jobs_write(&j, &e), 0);
    assert_int_equal(jobs_open(&again, folder, false, &e), 0);
    assert_int_equal(jobs_read(&again, &found, &e), 0);
    assert_true(found && again.jobs == j.jobs && again.units == j.units && again.tasks == j.tasks);
    for (uint32_t i = 0; i < j.jobs; i++) {
        assert_string_equal(again.job[i].request, j.job[i].request);
        assert_string_equal(again.job[i].options, j.job[i].options);
        assert_string_equal(again.job[i].listed, j.job[i].listed);
        assert_string_equal(again.job[i].reference, j.job[i].reference);
        assert_string_equal(again.job[i].distorted, j.job[i].distorted);
        assert_true(again.job[i].key == j.job[i].key && again.job[i].line == j.job[i].line);
    }
    for (uint32_t i = 0; i < j.units; i++)
        assert_true(again.unit[i].key == j.unit[i].key && again.unit[i].task == j.unit[i].task);
    /* whatever is missing at its end, it is damaged, and nothing else is said of it */
    snprintf(path, sizeof path, "%s/plan.jsonl", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text = calloc(1, 1 << 16);
    const size_t size = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    for (size_t n = 1; n < size - 1; n += 7) {
        assert_int_equal(truncate(path, (off_t)(size - 1 - n)), 0);
        jobs_free(&again);
        e = (struct assay_error){0};
        assert_int_equal(jobs_open(&again, folder, false, &e), 0);
        assert_int_equal(jobs_read(&again, &found, &e), ASSAY_EINPUT);
        assert_non_null(strstr(e.text, "plan.jsonl: line "));
    }
    free(text);
    jobs_free(&again);
    jobs_free(&j);
    jobs_erase(folder);
    assert_int_equal(access(folder, F_OK), -1);
}

static void put(const struct jobs *j, uint64_t key, const char *text)
{
    char *path = jobs_path(j, key, JOBS_PART);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    free(path);
}

static void done(void **state)
{
    struct jobs j = JOBS_START;
    struct assay_error e = {0};
    struct jobs_unit u = {.key = UINT64_C(0xfedcba9876543210)};
    struct jobs_note n = {3, (char *)"why \"not\"", (char *)"one\ntwo"}, read;
    char folder[32];
    (void)state;
    enter(folder);
    assert_int_equal(jobs_open(&j, folder, true, &e), 0);
    jobs_look_at(&j, &u);
    assert_int_equal(u.state, UNIT_LEFT);
    assert_int_equal(jobs_note_write(&j, u.key, &n, &e), 0);
    jobs_look_at(&j, &u);
    assert_int_equal(u.state, UNIT_FAILED);
    assert_true(jobs_note_read(&j, u.key, &read));
    assert_int_equal(read.code, 3);
    assert_string_equal(read.reason, n.reason);
    assert_string_equal(read.notices, n.notices);
    jobs_note_free(&read);
    for (unsigned i = 0; i < 3; i++) {
        static const char *const text[] = {"{\n  \"a\": {\n  }\n", "", "{\n  \"a\": 1\n}\n"};
        put(&j, u.key, text[i]);
        jobs_look_at(&j, &u);
        assert_int_equal(u.state, i == 2 ? UNIT_DONE : UNIT_FAILED);
    }
    jobs_remove(&j, u.key, JOBS_PART);
    jobs_remove(&j, u.key, JOBS_NOTE);
    jobs_look_at(&j, &u);
    assert_int_equal(u.state, UNIT_LEFT);
    jobs_free(&j);
    jobs_erase(folder);
}

static void locks(void **state)
{
    struct jobs a = JOBS_START, b = JOBS_START;
    struct assay_error e = {0};
    char folder[32];
    (void)state;
    enter(folder);
    assert_int_equal(jobs_open(&a, folder, true, &e), 0);
    assert_int_equal(jobs_open(&b, folder, true, &e), 0);
    assert_true(jobs_lock(&a, 3));
    assert_false(jobs_lock(&b, 3) || jobs_lock(&b, JOBS_ALL));
    assert_true(jobs_lock(&b, 4));
    jobs_unlock(&a, 3);
    assert_true(jobs_lock(&b, JOBS_ALL));
    assert_false(jobs_lock(&a, 3));
    jobs_free(&b);
    assert_true(jobs_lock(&a, 3));
    jobs_free(&a);
    jobs_erase(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cutting), cmocka_unit_test(cut_again), cmocka_unit_test(reckoning), cmocka_unit_test(plans),
        cmocka_unit_test(keys_of_units), cmocka_unit_test(done), cmocka_unit_test(locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
