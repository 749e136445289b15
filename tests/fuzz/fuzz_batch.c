/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of `assay batch`, whose rows become command lines. What is refused is refused with one line that names the
 * list. The options of a job, as one text, are cut into its arguments again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "texts.h"

static void check_job(const struct batch_job *job, const struct jobs_job *of)
{
    int n;
    char **word = jobs_words(of->listed, &n);
    texts_check(word, "memory");
    texts_check(n == job->argc - 2, "the options have as many words as arguments");
    for (int i = 0; i < n; i++)
        texts_check(!strcmp(word[i], job->argv[i + 2]), "a word is an argument");
    free(word);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static bool entered;
    struct assay_error e = {0};
    struct batch_options o = {.list = "l.csv", .summary = "-", .quiet = true};
    struct batch b = {.options = &o, .here = -1, .folder = -1, .plan = JOBS_START};
    if (!entered) {
        texts_enter();
        texts_put("a", "a", 1);
        texts_put("b", "b", 1);
    }
    entered = true;
    texts_put("l.csv", data, size);
    if (batch_read(&b, &e))
        texts_check(e.text[0] && !strncmp(e.text, "l.csv", 5) && !strchr(e.text, '\n'), "a refusal names the list");
    else
        for (uint32_t i = 0; i < b.plan.jobs; i++)
            check_job(&b.job[i], &b.plan.job[i]);
    batch_free(&b);
    return 0;
}
