/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of `assay batch`: its heading, its rows as command lines of jobs, which the parser of command lines checks,
 * and what rows must not have in common. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "host/system.h"
#include "host/text.h"
#include "results/csv_read.h"
#include "results/file.h"

/* Fails with a message that begins with the list, the line and, unless it is 0, the number of the column, from 1. */
PRINTF_LIKE(6, 7) static int refuse(const struct batch *b, int code, uint32_t line, uint32_t column,
                              struct assay_error *e, const char *format, ...)
{
    char text[900], at[100] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (column && *b->column[column - 1].name)
        snprintf(at, sizeof at, ", column %u (%.60s)", column, b->column[column - 1].name);
    else if (column)
        snprintf(at, sizeof at, ", column %u", column);
    return assay_fail(e, code, "%s: line %u%s: %s", b->name, line, at, text);
}

int batch_enter(int folder, struct assay_error *e)
{
    return fchdir(folder) ? assay_fail(e, ASSAY_EINPUT, "the folder of the list can't be entered: %s", strerror(errno))
                          : ASSAY_OK;
}

/* ---- the heading ------------------------------------------------------------------------------------------------- */

static int read_column(struct batch *b, uint32_t line, uint32_t i, struct assay_error *e)
{
    static const char *const names[] = {"reference", "distorted", "options"};
    struct batch_column *c = &b->column[i];
    const char *name = c->name + (strncmp(c->name, "--", 2) ? 0 : 2);
    struct assay_error why = {0};
    struct cli_option found;
    if (!*name || strlen(name) + 3 > sizeof c->option || strchr(name, '='))
        return refuse(b, ASSAY_EUSAGE, line, i + 1, e, "a column is named reference, distorted, options, or as "
                      "a long option of scoring");
    snprintf(c->option, sizeof c->option, "--%s", name);
    for (char *at = c->option; *at; at++)
        *at = *at == '_' ? '-' : *at;
    for (uint32_t k = 0; k < i; k++)
        if (!strcmp(b->column[k].option, c->option))
            return refuse(b, ASSAY_EUSAGE, line, i + 1, e, "column %u has this name, too", k + 1);
    for (unsigned k = 0; k < 3; k++)
        if (!strcmp(c->option + 2, names[k])) {
            c->kind = (enum batch_column_kind)(BATCH_REFERENCE + k);
            return ASSAY_OK;
        }
    if (cli_option(COMMAND_SCORE, c->option, &found, &why))
        return refuse(b, ASSAY_EUSAGE, line, i + 1, e, "%s", why.text);
    c->kind = found.takes_value ? BATCH_VALUE : BATCH_FLAG;
    return ASSAY_OK;
}

static int read_heading(struct batch *b, const struct csv *csv, struct assay_error *e)
{
    if (!csv->rows)
        return assay_fail(e, ASSAY_EUSAGE, "%s: it is empty; its first line names the columns: "
                          "reference,distorted,...", b->name);
    b->columns = csv->row[0].cells;
    b->column = calloc(b->columns, sizeof *b->column);
    if (!b->column)
        return assay_fail_memory(e, "a list");
    for (uint32_t i = 0; i < b->columns; i++) {
        const char *name = b->column[i].name = csv->cell[csv->row[0].first + i];
        if (b->columns == 1 && (strchr(name, ';') || strchr(name, '\t')))
            return refuse(b, ASSAY_EUSAGE, csv->row[0].line, 0, e, "columns are separated by commas");
        TRY(read_column(b, csv->row[0].line, i, e));
        if (b->column[i].kind <= BATCH_DISTORTED)
            b->side[b->column[i].kind] = i;
    }
    for (unsigned side = 0; side < 2; side++)
        if (b->column[b->side[side]].kind != (enum batch_column_kind)side)
            return refuse(b, ASSAY_EUSAGE, csv->row[0].line, 0, e, "no column is named '%s': the first line "
                          "names the columns", side ? "distorted" : "reference");
    return ASSAY_OK;
}

/* ---- the command line of a row ----------------------------------------------------------------------------------- */

static bool is_default(const char *cell)
{
    return !*cell || !strcmp(cell, "-");
}

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
    int n, rc = ASSAY_OK;
    char **word = jobs_words(cell, &n);
    if (!word || n < 0)
        rc = n < 0 ? assay_fail(e, ASSAY_EUSAGE, "a quote is never closed: %.200s", cell)
                   : assay_fail_memory(e, "a job");
    for (int i = 0; !rc && i < n; i++)
        rc = add_word(job, "", word[i], e);
    free(word);
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
        const uint32_t column = b->side[k] + 1;
        if (why)
            return refuse(b, ASSAY_EINPUT, of->line, column, e, "%s: can't be opened: %s", path, strerror(why));
        if (!S_ISREG(st->st_mode))
            return refuse(b, ASSAY_EINPUT, of->line, column, e, "%s: is no file%s", path,
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
        return refuse(b, ASSAY_EINTERNAL, line, column_with(b, cell, NULL, path), e, "%s: can't be written: %s",
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
    TRY(c->shard ? check_folder(b, line, cell, c->shard, e) : ASSAY_OK);
    TRY(c->shard ? add_output(b, job, cell, c->shard, e) : ASSAY_OK);
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
    for (unsigned side = 0; !rc && side < 2; side++) {
        at = b->side[side];
        rc = add_cell(job, &b->column[at], cell[at], &why);
        char **name = side ? &of->distorted : &of->reference;
        if (!rc && !(*name = strdup(cell[at])))
            return assay_fail_memory(e, "a job");
    }
    for (uint32_t i = 0; !rc && i < b->columns; i++)
        if (b->column[i].kind > BATCH_DISTORTED)
            rc = add_cell(job, &b->column[at = i], cell[i], &why);
    TRY(rc ? refuse(b, rc, of->line, at + 1, e, "%s", why.text) : ASSAY_OK);
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
        return refuse(b, rc, of->line, column, e, "%s", why.text);
    }
    of->key = batch_key(b, of, c);
    TRY(add_outputs(b, job, of->line, c, cell, e));
    const int spared = results_spared(c, &why);
    if (spared) {
        uint32_t column = 0;
        for (uint32_t i = 0; i < job->outputs && !column; i++)
            column = strstr(why.text, job->output[i].path) ? job->output[i].column : 0;
        return refuse(b, spared, of->line, column, e, "%s", why.text);
    }
    job->threads = c->q.config.threads;
    job->on_gpu = c->q.config.backend && strcmp(c->q.config.backend, "cpu");
    return ASSAY_OK;
}

/* Makes a job of the cells of a row, one for each column. */
static int read_row(struct batch *b, uint32_t job, char *const *cell, struct assay_error *e)
{
    char *copy = NULL;
    TRY(make_command(b, &b->job[job], &b->plan.job[job], cell, e));
    const int rc = check_job(b, &b->job[job], &b->plan.job[job], cell, &copy, e);
    free(copy);
    return rc;
}

/* ---- jobs beside each other -------------------------------------------------------------------------------------- */

struct place {
    struct file_spot at;
    const struct jobs_job *job;           /* NULL: the list, the state or the summary, which `what` says */
    const struct batch_output *output;    /* NULL: an input */
    const char *what;
};

static int compare(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    const int apart = file_spot_compare(&p->at, &q->at);
    /* of one file: what is written first, and then in the order of the list */
    return apart ? apart : !p->output != !q->output ? (q->output != NULL) - (p->output != NULL)
         : (p->job > q->job) - (p->job < q->job);
}

/* `q` is the same file as `p`, which a job writes. */
static int clash(const struct batch *b, const struct place *p, const struct place *q, struct assay_error *e)
{
    if (!q->job)
        return refuse(b, ASSAY_EUSAGE, p->job->line, p->output->column, e, "'%s' is %s", p->output->path,
                      q->what);
    if (q->output && q->job == p->job)
        return refuse(b, ASSAY_EUSAGE, p->job->line, p->output->column, e, "'%s' is written twice",
                      p->output->path);
    if (q->output)
        return refuse(b, ASSAY_EUSAGE, q->job->line, q->output->column, e, "'%s' is written by line %u, too",
                      q->output->path, p->job->line);
    return refuse(b, ASSAY_EUSAGE, p->job->line, p->output->column, e, "'%s' is an input of line %u and would be "
                  "overwritten", p->output->path, q->job->line);
}

static size_t list_places(const struct batch *b, struct place *place)
{
    const struct batch_options *o = b->options;
    const char *state = o->plan ? o->plan : o->state;
    size_t n = 0;
    for (uint32_t i = 0; i < b->plan.jobs; i++) {
        const struct batch_job *job = &b->job[i];
        const struct jobs_job *of = &b->plan.job[i];
        for (unsigned side = 0; side < 2; side++)
            place[n++] = (struct place){.at = job->spot[side], .job = of};
        for (uint32_t k = 0; k < job->outputs; k++) {
            place[n] = (struct place){.job = of, .output = &job->output[k]};
            n += file_spot(&place[n].at, b->folder, job->output[k].path);
        }
    }
    const char *const own[] = {strcmp(o->list, "-") ? o->list : NULL, state,
                               strcmp(o->summary, "-") ? o->summary : NULL};
    static const char *const what[] = {"the list itself", "the folder of the state", "the summary"};
    for (unsigned i = 0; i < 3; i++)
        if (own[i]) {
            place[n] = (struct place){.what = what[i]};
            n += file_spot(&place[n].at, b->here, own[i]);
        }
    return n;
}

/* Refuses (ASSAY_EUSAGE) jobs that write one file, or that write over an input of a job. */
static int outputs_apart(const struct batch *b, struct assay_error *e)
{
    size_t most = 3;
    for (uint32_t i = 0; i < b->plan.jobs; i++)
        most += 2 + b->job[i].outputs;
    struct place *place = calloc(most, sizeof *place);
    if (!place)
        return assay_fail_memory(e, "a list");
    const size_t n = list_places(b, place);
    qsort(place, n, sizeof *place, compare);
    int rc = ASSAY_OK;
    for (size_t i = 0; !rc && i + 1 < n; i++) {
        const struct place *p = &place[i], *q = p + 1;
        if (file_spot_compare(&p->at, &q->at))
            continue;
        if (p->output)
            rc = clash(b, p, q, e);
        else if (!p->job) /* these come before inputs */
            rc = assay_fail(e, ASSAY_EUSAGE, "%s: %s is %s, too", b->name, p->what,
                            q->job ? "an input of a job" : q->what);
    }
    free(place);
    return rc;
}

static int by_key(const void *a, const void *b)
{
    const struct jobs_job *const *p = a, *const *q = b;
    if ((*p)->key != (*q)->key)
        return (*p)->key < (*q)->key ? -1 : 1;
    return (*p > *q) - (*p < *q);
}

/* Jobs of the same files with the same options. */
static int refuse_twins(const struct batch *b, struct assay_error *e)
{
    struct jobs_job **sorted = calloc(b->plan.jobs + 1, sizeof *sorted);
    int rc = sorted ? ASSAY_OK : assay_fail_memory(e, "a list");
    for (uint32_t i = 0; !rc && i < b->plan.jobs; i++)
        sorted[i] = &b->plan.job[i];
    if (!rc)
        qsort(sorted, b->plan.jobs, sizeof *sorted, by_key);
    for (uint32_t i = 0; !rc && i + 1 < b->plan.jobs; i++)
        if (sorted[i]->key == sorted[i + 1]->key)
            rc = refuse(b, ASSAY_EUSAGE, sorted[i + 1]->line, 0, e, "it is the same job as line %u",
                        sorted[i]->line);
    free(sorted);
    return rc;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

enum { MANY = 10000 }; /* rows whose check takes a second or so, of which a line tells */

static int read_rows(struct batch *b, const struct csv *csv, struct progress *progress, struct assay_error *e)
{
    TRY(read_heading(b, csv, e));
    if (csv->rows < 2)
        return assay_fail(e, ASSAY_EUSAGE, "%s: it has no job below the line that names the columns", b->name);
    b->job = calloc(csv->rows - 1, sizeof *b->job);
    b->plan.job = calloc(csv->rows - 1, sizeof *b->plan.job);
    b->parsed = malloc(sizeof *b->parsed);
    if (!b->job || !b->plan.job || !b->parsed)
        return assay_fail_memory(e, "a list");
    for (uint32_t i = 1; i < csv->rows; i++) {
        const struct csv_row *row = &csv->row[i];
        if (i % 64 == 0)
            progress_update(progress, i);
        const uint32_t job = b->plan.jobs++;
        b->plan.job[job].line = row->line;
        if (row->cells != b->columns)
            return refuse(b, ASSAY_EUSAGE, row->line, 0, e, "it has %u cell%s, and the first line names %u "
                          "columns (a cell may be empty or '-')", row->cells, row->cells == 1 ? "" : "s",
                          b->columns);
        TRY(read_row(b, job, csv->cell + row->first, e));
    }
    TRY(refuse_twins(b, e));
    return outputs_apart(b, e);
}

bool batch_list_is_file(const struct batch_options *o)
{
    struct stat st;
    return strcmp(o->list, "-") && (stat(o->list, &st) || S_ISREG(st.st_mode));
}

int batch_folders(struct batch *b, const char *folder, struct assay_error *e)
{
    b->here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    b->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return b->here < 0 || b->folder < 0
        ? assay_fail(e, ASSAY_EINPUT, "%s: its folder can't be opened: %s", b->name, strerror(errno)) : ASSAY_OK;
}

static int open_folders(struct batch *b, struct assay_error *e)
{
    const char *list = b->options->list, *slash = batch_list_is_file(b->options) ? strrchr(list, '/') : NULL;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - list) + 1 : 1, slash ? list : ".");
    return batch_folders(b, folder, e);
}

int batch_read(struct batch *b, struct assay_error *e)
{
    const bool is_stdin = !strcmp(b->options->list, "-");
    struct csv csv = {0};
    size_t size;
    b->here = b->folder = -1;
    snprintf(b->name, sizeof b->name, "%s", is_stdin ? "stdin" : b->options->list);
    char *text = file_read(is_stdin ? "/dev/stdin" : b->options->list, &size, e);
    int rc = text ? open_folders(b, e) : e->code;
    if (!rc)
        rc = csv_parse(&csv, b->name, text, size, e);
    free(text);
    if (!rc)
        rc = batch_enter(b->folder, e);
    if (!rc) {
        struct progress progress = {0};
        if (csv.rows > MANY && !b->options->quiet)
            text_say("%u rows are checked before the first job starts", csv.rows - 1);
        if (!b->options->no_progress)
            progress_start(&progress, stderr, b->options->progress, csv.rows, "rows checked");
        rc = read_rows(b, &csv, &progress, e);
        progress_erase(&progress);
        const int back = batch_enter(b->here, e);
        rc = rc ? rc : back;
    }
    free(b->column);
    b->column = NULL;
    csv_free(&csv);
    return rc;
}

