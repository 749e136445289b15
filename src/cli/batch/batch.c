/* SPDX-License-Identifier: BSD-2-Clause */
/* assay batch LIST.csv: its options, and what it does one after the other. */
#include "cli/batch/batch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "input/stream.h"

#define AT(field) .offset = offsetof(struct batch_options, field)
static const struct option options[] = {
    {"summary", 0, OPTION_STRING, 0, AT(summary),
     RESULTS("FILE", "CSV with a row for each job (default: standard output)")},
    {"jobs", 'j', OPTION_U32, 0, AT(jobs), 1, BATCH_JOBS,
     RESULTS("N", "pairs at once (default: as many as fill the processors; 2 on a GPU)")},
    {"state", 0, OPTION_STRING, 0, AT(state),
     RESULTS("FILE", "what is done; a run that was stopped or killed goes on there (default: JOBS.csv.state)")},
    {"force", 0, OPTION_FLAG, 0, AT(force), RESULTS(NULL, "overwrite a summary that assay did not write")},
    {"quiet", 'q', OPTION_FLAG, 0, AT(quiet), RESULTS(NULL, "no lines but for jobs that fail")},
    {"progress", 0, OPTION_FLAG, 0, AT(progress), RESULTS(NULL, "a line a minute where standard error is no terminal")},
    {"no-progress", 0, OPTION_FLAG, 0, AT(no_progress), RESULTS(NULL, "no progress line")},
    {"help", 'h', OPTION_FLAG, 0, AT(help)},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

const struct option *batch_options_table(uint32_t *rows)
{
    *rows = OPTIONS;
    return options;
}

static int parse(struct batch_options *o, int argc, char **argv, struct assay_error *e)
{
    bool only_paths = false;
    for (int i = 0; i < argc; i++) {
        char *value;
        if (!only_paths && argv[i][0] == '-' && argv[i][1]) {
            only_paths = !strcmp(argv[i], "--");
            const struct option *found = option_find(options, OPTIONS, 0, argv[i], &value);
            if (found)
                TRY(option_set(found, o, argc, argv, &i, value, e));
            else if (!only_paths)
                return option_unknown(options, OPTIONS, 0, argv[i], "assay batch --help; options of scoring are "
                                      "columns of the list", e);
        } else if (o->list) {
            return assay_fail(e, ASSAY_EUSAGE, "more than one list; the second is %s", argv[i]);
        } else {
            o->list = argv[i];
        }
    }
    if (o->help)
        return ASSAY_OK;
    if (!o->list || !*o->list)
        return assay_fail(e, ASSAY_EUSAGE, "batch needs a list of jobs: assay batch JOBS.csv (assay batch --help)");
    if (o->progress && o->no_progress)
        return assay_fail(e, ASSAY_EUSAGE, "--progress and --no-progress contradict each other");
    return ASSAY_OK;
}

/* The code of the first job that failed, or 1 when no more than gates failed. */
static int conclude(const struct batch *b, struct assay_error *e)
{
    uint32_t failed = 0, gates = 0;
    const struct batch_job *first = NULL;
    for (uint32_t i = 0; i < b->jobs; i++) {
        const struct batch_job *job = &b->job[i];
        failed += job->outcome.code > 1;
        gates += job->outcome.code == 1;
        first = !first && job->outcome.code > 1 ? job : first;
    }
    if (first)
        return assay_fail(e, -first->outcome.code, "%u of %u jobs failed; the first is line %u of %s: %s", failed,
                          b->jobs, first->line, b->name, first->outcome.reason);
    return gates > 0;
}

static int run(struct batch *b, const char *state, struct assay_error *e)
{
    struct assay_error late = {0};
    TRY(batch_read(b, e));
    TRY(batch_summary_check(b, e));
    if (state)
        TRY(batch_state_open(b, state, e));
    int rc = batch_run(b, e);
    const int written = batch_summary(b, &late), kept = batch_state_close(b, &late);
    if (signals_why())
        return signals_stopped(e);
    if (!rc && (written || kept))
        rc = assay_fail(e, late.code, "%s", late.text);
    return rc ? rc : conclude(b, e);
}

int cli_batch(int argc, char **argv, struct assay_error *e)
{
    struct batch_options o = {0};
    char *state = NULL;
    TRY(parse(&o, argc, argv, e));
    if (o.help) {
        cli_help("batch", stdout);
        return ASSAY_OK;
    }
    if (!o.state && batch_list_is_file(&o)) {
        if (asprintf(&state, "%s.state", o.list) < 0)
            return assay_fail_memory(e, "the state");
        o.state = state;
    }
    struct batch b = {.options = &o, .here = -1, .folder = -1};
    const int rc = run(&b, o.state, e);
    batch_state_close(&b, NULL);
    batch_free(&b);
    free(state);
    return rc;
}
