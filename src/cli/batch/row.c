/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of the list of `assay batch` as the command line of a job, checked by the parser of command lines. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "host/system.h"
#include "host/text.h"

static bool is_default(const char *cell)
{
    return !*cell || !strcmp(cell, "-");
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static int add_word(struct batch_job *job, const char *option, const char *value, struct assay_error *e)
{
    char **argv = realloc(job->argv, ((size_t)job->argc + 2) * sizeof *argv), *word;
    if (argv)
        job->argv = argv;
    if (!argv || asprintf(&word, "%s%s%s", option, *option && value ? "=" : "", value ? value : "") < 0)
        return assay_fail_memory(e, "a job");
    job->argv[job->argc++] = word;
    job->argv[job->argc] = NULL;
    return ASSAY_OK;
}

/* Adds what a cell says. `e` has no place of the list. */
static int add_cell(struct batch_job *job, const struct batch_column *c, const char *cell, struct assay_error *e)
{
    if (is_default(cell))
        return c->kind > BATCH_DISTORTED ? ASSAY_OK
                                         : assay_fail(e, ASSAY_EUSAGE, "a job needs a file here, and has no default");
    if (c->kind == BATCH_FLAG && strcmp(cell, "yes") && strcmp(cell, "no"))
        return assay_fail(e, ASSAY_EUSAGE, "it takes yes or no, not '%.100s'", cell);
    if (c->kind == BATCH_FLAG)
        return strcmp(cell, "yes") ? ASSAY_OK : add_word(job, c->option, NULL, e);
    if (c->kind != BATCH_OPTIONS)
        return add_word(job, c->option, cell, e);
    char *words = malloc(strlen(cell) + 1), *word = words;
    if (!words)
        return assay_fail_memory(e, "a job");
    const int n = jobs_words(cell, words);
    int rc = n >= 0 ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "a quote is never closed: %.200s", cell);
    for (int i = 0; !rc && i < n; i++, word += strlen(word) + 1)
        rc = add_word(job, "", word, e);
    free(words);
    return rc;
}

int batch_parse(struct cli *c, const struct batch_job *job, char **copy, struct assay_error *e)
{
    size_t size = ((size_t)job->argc + 1) * sizeof(char *);
    for (int i = 0; i < job->argc; i++)
        size += strlen(job->argv[i]) + 1;
    char **argv = calloc(1, size), *to = (char *)(argv + job->argc + 1);
    *copy = (char *)argv;
    if (!argv)
        return assay_fail_memory(e, "a job");
    for (int i = 0; i < job->argc; i++) {
        argv[i] = to;
        to = stpcpy(to, job->argv[i]) + 1;
    }
    return cli_parse(c, COMMAND_SCORE, job->argc, argv, e);
}

/* What a list of jobs has no place for. */
static int check_fit(const struct cli *c, const char *reference, const char *distorted, struct assay_error *e)
{
    if (c->action != ACTION_SCORE)
        return assay_fail(e, ASSAY_EUSAGE, "a job scores: --help, --version and --list-... are not for it");
    if (c->q.encodes > 1)
        return assay_fail(e, ASSAY_EUSAGE, "more than two inputs: a job scores one encode");
    if (strcmp(c->q.path[0], reference) || strcmp(c->q.path[1], distorted))
        return assay_fail(e, ASSAY_EUSAGE, "the reference and the distorted file have columns of their own");
    if (c->dump_graph || c->dump_memory)
        return assay_fail(e, ASSAY_EUSAGE, "%s prints to standard output, which a job has not",
                          c->dump_graph ? "--dump-graph" : "--dump-memory");
    if (c->progress || c->no_progress)
        return assay_fail(e, ASSAY_EUSAGE, "%s is for all jobs together: assay batch takes it",
                          c->progress ? "--progress" : "--no-progress");
    for (uint32_t i = 0; i < c->outputs; i++) {
        if (!strcmp(c->output[i].path, "-"))
            return assay_fail(e, ASSAY_EUSAGE, "a report can't be written to standard output, which a job has not");
        if (ladder_has_place(c->output[i].path))
            return assay_fail(e, ASSAY_EUSAGE, "{name} and {number} are for several encodes, and a job scores one");
    }
    if (c->heatmap && ladder_has_place(c->heatmap))
        return assay_fail(e, ASSAY_EUSAGE, "{name} and {number} are for several encodes, and a job scores one");
    return ASSAY_OK;
}

/* What the check of metrics and gates depends on. NULL: no memory. */
static char *text_of_checked(const struct cli *c)
{
    struct buffer_text text;
    FILE *const out = buffer_open(&text);
    if (!out)
        return NULL;
    fprintf(out, "%d %d %s", c->q.all_metrics, c->q.slow_metrics, c->q.config.rgb_matrix ? c->q.config.rgb_matrix : "");
    for (uint32_t i = 0; i < c->q.metrics; i++)
        fprintf(out, ",%s", c->q.metric[i]);
    for (uint32_t i = 0; i < c->gates; i++)
        fprintf(out, "\n%s %s %d %d", c->gate[i].key, c->gate[i].pool_named ? c->gate[i].pool_name : "",
                c->gate[i].over, c->gate[i].any_way);
    return buffer_close(&text);
}

/* The names of metrics and their options, and the scores that gates are on: nothing but the library knows them. What
 * the job's own pictures allow is seen when it opens them. *bad is a gate that is wrong. */
static int check_metrics(struct batch *b, const struct cli *c, const struct gate **bad, struct assay_error *e)
{
    char *text = text_of_checked(c);
    *bad = NULL;
    if (!text)
        return assay_fail_memory(e, "a job");
    if (b->checked && !strcmp(b->checked, text)) {
        free(text);
        return ASSAY_OK;
    }
    assay_session *s = NULL;
    int rc = session_make(&s, NULL, e);
    for (uint32_t i = 0; !rc && i < c->q.metrics; i++)
        rc = session_failed(s, assay_session_add_metric(s, c->q.metric[i]), e);
    assay_session_close(&s);
    rc = rc ? rc : cli_gates_possible(c, c->gate, c->gates, bad, e);
    if (rc) {
        free(text);
        return rc;
    }
    free(b->checked);
    b->checked = text;
    b->no_models = false;
    return ASSAY_OK;
}

static int check(struct batch *b, const struct batch_job *job, const char *reference, const char *distorted,
                 char **copy, const struct gate **bad, struct assay_error *e)
{
    *bad = NULL;
    TRY(batch_parse(b->parsed, job, copy, e));
    TRY(check_fit(b->parsed, reference, distorted, e));
    return check_metrics(b, b->parsed, bad, e);
}

/* The number of the column, from 1, that has alone what is wrong with the whole row. 0: none; it is what columns say
 * together. */
static uint32_t find_column(struct batch *b, const struct jobs_job *of, char *const *cell, const char *wrong)
{
    const struct gate *bad;
    uint32_t found = 0;
    for (uint32_t i = 0; i < b->columns && !found; i++) {
        struct assay_error e = {0};
        struct batch_job one = {0};
        char *copy = NULL;
        int rc = b->column[i].kind <= BATCH_DISTORTED ? 1 : ASSAY_OK;
        rc = rc ? rc : add_word(&one, "--reference", of->reference, &e);
        rc = rc ? rc : add_word(&one, "--distorted", of->distorted, &e);
        rc = rc ? rc : add_cell(&one, &b->column[i], cell[i], &e);
        if (!rc && check(b, &one, of->reference, of->distorted, &copy, &bad, &e) && !strcmp(e.text, wrong))
            found = i + 1;
        free(copy);
        for (int k = 0; k < one.argc; k++)
            free(one.argv[k]);
        free(one.argv);
    }
    return found;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The column of an option, or of any for NULL, that has a text: the name of a file which the job makes, or of a score.
 * 0: none has, as it was written in another way. */
static uint32_t column_with(const struct batch *b, char *const *cell, const char *option, const char *text)
{
    for (uint32_t i = 0; i < b->columns; i++) {
        const struct batch_column *c = &b->column[i];
        const bool may = c->kind == BATCH_OPTIONS || !option || !strcmp(c->option, option);
        if (c->kind > BATCH_DISTORTED && may && strstr(cell[i], text))
            return i + 1;
    }
    return 0;
}

int batch_see(struct batch *b, const struct jobs_job *job, unsigned *side)
{
    int why = 0;
    for (*side = 0; !why && *side < 2; *side += !why)
        why = jobs_see(&b->seen[*side], *side ? job->distorted : job->reference);
    return why;
}

uint64_t batch_key(struct batch *b, const struct jobs_job *job, const struct cli *c)
{
    return jobs_key(job, b->seen, c->q.allow[ALLOW_PLAYLIST], c->q.metric, c->q.metrics, &b->no_models);
}

/* Refuses inputs that can't be opened, or not read again. */
static int check_sides(struct batch *b, struct batch_job *job, const struct jobs_job *of, struct assay_error *e)
{
    unsigned side;
    const int why = batch_see(b, of, &side);
    for (unsigned k = why ? side : 0; k < 2; k++) {
        const char *path = k ? of->distorted : of->reference;
        const struct stat *st = &b->seen[k].st;
        uint32_t column = 1;
        while (b->column[column - 1].kind != (k ? BATCH_DISTORTED : BATCH_REFERENCE))
            column++;
        if (why)
            return batch_refuse(b, ASSAY_EINPUT, of->line, column, e, "%s: can't be opened: %s", path, strerror(why));
        if (!S_ISREG(st->st_mode))
            return batch_refuse(b, ASSAY_EINPUT, of->line, column, e, "%s: is no file%s", path,
                                S_ISDIR(st->st_mode) ? " but a folder" : " that can be read again: a pipe or a device");
        job->spot[k] = (struct file_spot){st->st_dev, st->st_ino, 0};
    }
    return ASSAY_OK;
}

static int add_output(const struct batch *b, struct batch_job *job, char *const *cell, const char *path,
                      struct assay_error *e)
{
    struct batch_output *output = realloc(job->output, (job->outputs + 1) * sizeof *output);
    if (output)
        job->output = output;
    char *copy = output ? strdup(path) : NULL;
    if (!copy)
        return assay_fail_memory(e, "a job");
    job->output[job->outputs++] = (struct batch_output){copy, column_with(b, cell, NULL, path)};
    return ASSAY_OK;
}

/* A folder that is missing is made when the job ends. One that can't be a folder is found out before the first job. */
static int check_folder(struct batch *b, uint32_t line, char *const *cell, const char *path,
                        struct assay_error *e)
{
    char folder[PATH_MAX];
    text_folder(folder, sizeof folder, path);
    if (b->folder_checked && !strcmp(b->folder_checked, folder))
        return ASSAY_OK;
    if (access(folder, F_OK) && errno != ENOENT)
        return batch_refuse(b, ASSAY_EINTERNAL, line, column_with(b, cell, NULL, path), e, "%s: can't be written: %s",
                            path, strerror(errno));
    free(b->folder_checked);
    b->folder_checked = strdup(folder);
    return b->folder_checked ? ASSAY_OK : assay_fail_memory(e, "a list");
}

static int add_outputs(struct batch *b, struct batch_job *job, uint32_t line, const struct cli *c, char *const *cell,
                       struct assay_error *e)
{
    static const char folder[] = "heatmaps_path=";
    for (uint32_t i = 0; i < c->outputs; i++) {
        TRY(check_folder(b, line, cell, c->output[i].path, e));
        TRY(add_output(b, job, cell, c->output[i].path, e));
    }
    if (c->shard)
        TRY(check_folder(b, line, cell, c->shard, e));
    if (c->shard)
        TRY(add_output(b, job, cell, c->shard, e));
    if (c->heatmap)
        TRY(add_output(b, job, cell, c->heatmap, e));
    for (uint32_t i = 0; i < c->stages; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s-%llu.npy", c->stage[i].pass, (unsigned long long)c->stage[i].frame);
        TRY(add_output(b, job, cell, c->stage[i].file ? c->stage[i].file : name, e));
    }
    for (uint32_t i = 0; i < c->q.metrics; i++) {
        const char *at = strstr(c->q.metric[i], folder);
        char path[PATH_MAX];
        at = at ? at + sizeof folder - 1 : NULL;
        if (at && strcspn(at, ":") < sizeof path) {
            snprintf(path, sizeof path, "%.*s", (int)strcspn(at, ":"), at);
            TRY(add_output(b, job, cell, path, e));
        }
    }
    return ASSAY_OK;
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* The inputs first, then what all other columns say. */
static int make_command(struct batch *b, struct batch_job *job, struct jobs_job *of, char *const *cell,
                        struct assay_error *e)
{
    struct assay_error why = {0};
    uint32_t at = 0;
    int rc = ASSAY_OK;
    for (enum batch_column_kind side = BATCH_REFERENCE; !rc && side <= BATCH_DISTORTED; side++) {
        for (at = 0; b->column[at].kind != side;)
            at++;
        rc = add_cell(job, &b->column[at], cell[at], &why);
        char **name = side == BATCH_REFERENCE ? &of->reference : &of->distorted;
        if (!rc && !(*name = strdup(cell[at])))
            return assay_fail_memory(e, "a job");
    }
    for (uint32_t i = 0; !rc && i < b->columns; i++)
        if (b->column[i].kind > BATCH_DISTORTED)
            rc = add_cell(job, &b->column[at = i], cell[i], &why);
    TRY(rc ? batch_refuse(b, rc, of->line, at + 1, e, "%s", why.text) : ASSAY_OK);
    of->listed = jobs_quote(job->argv + 2, job->argc - 2);
    return of->listed ? ASSAY_OK : assay_fail_memory(e, "a job");
}

static int check_job(struct batch *b, struct batch_job *job, struct jobs_job *of, char *const *cell, char **copy,
                     struct assay_error *e)
{
    const struct cli *c = b->parsed;
    struct assay_error why = {0};
    const struct gate *bad;
    TRY(check_sides(b, job, of, e));
    const int rc = check(b, job, of->reference, of->distorted, copy, &bad, &why);
    if (rc) {
        const uint32_t column = bad ? column_with(b, cell, bad->over ? "--fail-over" : "--fail-under", bad->key)
                                    : find_column(b, of, cell, why.text);
        return batch_refuse(b, rc, of->line, column, e, "%s", why.text);
    }
    of->key = batch_key(b, of, c);
    TRY(add_outputs(b, job, of->line, c, cell, e));
    const int spared = results_spared(c, &why);
    if (spared) {
        uint32_t column = 0;
        for (uint32_t i = 0; i < job->outputs && !column; i++)
            column = strstr(why.text, job->output[i].path) ? job->output[i].column : 0;
        return batch_refuse(b, spared, of->line, column, e, "%s", why.text);
    }
    job->threads = c->q.config.threads;
    job->on_gpu = c->q.config.backend && strcmp(c->q.config.backend, "cpu");
    return ASSAY_OK;
}

int batch_row(struct batch *b, uint32_t job, char *const *cell, struct assay_error *e)
{
    char *copy = NULL;
    TRY(make_command(b, &b->job[job], &b->plan.job[job], cell, e));
    const int rc = check_job(b, &b->job[job], &b->plan.job[job], cell, &copy, e);
    free(copy);
    return rc;
}
