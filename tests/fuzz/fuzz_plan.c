/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan of a folder of `assay batch`, read, written and read again: it is the same. What is refused is refused with
 * one line that names the file. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs.h"
#include "texts.h"

static void check_equal(const struct jobs *a, const struct jobs *b)
{
    texts_check(a->jobs == b->jobs && a->units == b->units && a->tasks == b->tasks, "a plan has what it had");
    for (uint32_t i = 0; i < a->jobs; i++)
        texts_check(a->job[i].key == b->job[i].key && !strcmp(a->job[i].options, b->job[i].options) &&
                    !strcmp(a->job[i].reference, b->job[i].reference) && a->job[i].units == b->job[i].units,
                    "a job is what it was");
    for (uint32_t i = 0; i < a->units; i++)
        texts_check(a->unit[i].key == b->unit[i].key && a->unit[i].first == b->unit[i].first &&
                    a->unit[i].frames == b->unit[i].frames, "a unit is what it was");
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static bool entered;
    struct jobs j = JOBS_START, again = JOBS_START;
    struct assay_error e = {0};
    bool found;
    if (!entered)
        texts_enter();
    entered = true;
    texts_check(!jobs_open(&j, "f", true, &e), "a folder is made");
    texts_put("f/plan.jsonl", data, size);
    const int rc = jobs_read(&j, &found, &e);
    texts_check(found, "the plan is found");
    if (rc) {
        texts_check(rc == ASSAY_EINPUT && strstr(e.text, "plan.jsonl: line ") && !strchr(e.text, '\n'),
                    "a refusal is one line that names the file");
    } else {
        texts_check(!jobs_write(&j, &e), "the plan is written");
        texts_check(!jobs_open(&again, "f", false, &e) && !jobs_read(&again, &found, &e) && found, "it is read again");
        check_equal(&j, &again);
    }
    jobs_free(&again);
    jobs_free(&j);
    jobs_erase("f");
    return 0;
}
