/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of `assay batch`, read, added to, and read again: what was known is known, and what was added. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "texts.h"

enum { JOBS = 3 };

static int open_state(struct batch *b, struct batch_job *job, struct assay_error *e)
{
    static const struct batch_options o = {.quiet = true};
    memset(job, 0, JOBS * sizeof *job);
    for (uint32_t i = 0; i < JOBS; i++)
        job[i].digest = i + 1;
    *b = (struct batch){.options = &o, .here = -1, .folder = -1, .job = job, .jobs = JOBS};
    return batch_state_open(b, "s", e);
}

static void empty(struct batch_job *job)
{
    for (uint32_t i = 0; i < JOBS; i++)
        outcome_free(&job[i].outcome);
}

static void add_and_read(const struct batch_job *before)
{
    struct batch b;
    struct batch_job job[JOBS];
    struct assay_error e = {0};
    char *one, *other;
    texts_check(!open_state(&b, job, &e), "a state that was added to is read");
    for (uint32_t i = 0; i < 2; i++) {
        texts_check(job[i].kept == before[i].kept, "what was known is known");
        if (!job[i].kept)
            continue;
        texts_check(!outcome_text(&before[i].outcome, &one, &e) && !outcome_text(&job[i].outcome, &other, &e) &&
                    !strcmp(one, other), "an outcome is what it was");
        free(one);
        free(other);
    }
    texts_check(job[2].kept && job[2].outcome.code == 1, "what was added is known");
    texts_check(!batch_state_close(&b, &e), "the state is closed");
    empty(job);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static bool entered;
    struct batch b;
    struct batch_job job[JOBS];
    struct assay_error e = {0};
    if (!entered)
        texts_enter();
    entered = true;
    texts_put("s", data, size);
    const int rc = open_state(&b, job, &e);
    if (rc) {
        texts_check(rc == ASSAY_EINPUT || rc == ASSAY_EUSAGE, "the file is to blame");
        texts_check(!strncmp(e.text, "s: ", 3) && !strchr(e.text, '\n'), "a refusal is one line");
        batch_state_close(&b, NULL);
        empty(job);
        return 0;
    }
    texts_check(!outcome_start(&job[2].outcome, 3, 1, "a gate", &e), "memory");
    batch_state_add(&b, &job[2]);
    texts_check(!batch_state_close(&b, &e), "the state is written");
    add_and_read(job);
    empty(job);
    return 0;
}
