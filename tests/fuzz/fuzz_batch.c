/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of `assay batch`, whose rows become command lines. What is refused is refused with one line that names the
 * list. The options of a job are one text, and its words make this text again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "texts.h"

static void check_job(const struct jobs_job *of)
{
    int n;
    char **word = jobs_words(of->listed, &n), *text = word ? jobs_quote(word, n) : NULL;
    texts_check(text, "memory");
    texts_check(!strcmp(text, of->listed), "words are cut where they were put together");
    texts_check(of->request && of->options, "a job has its request and the options that are no part of it");
    free(word);
    free(text);
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
            check_job(&b.plan.job[i]);
    batch_free(&b);
    return 0;
}
