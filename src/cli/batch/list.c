/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of `assay batch`: its heading, its rows as command lines of jobs, which the parser of command lines checks,
 * and what rows must not have in common. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cli/batch/batch.h"
#include "host/system.h"
#include "host/text.h"
#include "results/csv_read.h"

enum column_kind { REFERENCE, DISTORTED, OPTIONS, VALUE, FLAG };
struct column {
    const char *name; /* as in the list */
    char option[48];  /* "--metric" */
    enum column_kind kind;
};

/* A file or a folder that rows must not have in common. */
struct place {
    struct file_spot at;
    uint32_t row;     /* that has it; 0: it is the list, the state or the summary, which `what` says */
    char *path;       /* as listed, of what the row's job makes; NULL: an input */
    uint32_t column;  /* of the list, that has `path`, from 1; 0: not known */
    const char *what;
};

/* The list while it is read. Row 0 is the heading, and row n is job n - 1 of the plan. */
struct list {
    struct batch *batch;
    struct csv csv;
    struct column *column;
    uint32_t columns, side[2]; /* side: the columns of the inputs */
    char *checked;             /* the metrics and the gates of the row before, which are in order */
    char *folder;              /* the last folder of outputs that is in order */
    struct place *place;
    uint32_t places;
};

static struct jobs_job *job_of(const struct list *l, uint32_t row)
{
    return &l->batch->plan.job[row - 1];
}

static const char *cell_of(const struct list *l, uint32_t row, uint32_t column)
{
    return l->csv.cell[l->csv.row[row].first + column];
}

/* Fails with a message that begins with the list, the line and, unless it is 0, the number of the column, from 1. */
PRINTF_LIKE(6, 7) static int refuse(const struct list *l, int code, uint32_t row, uint32_t column,
                              struct assay_error *e, const char *format, ...)
{
    char text[900], at[100] = "";
    TEXT_GIVEN(text, sizeof text, format);
    if (column && *l->column[column - 1].name)
        snprintf(at, sizeof at, ", column %u (%.60s)", column, l->column[column - 1].name);
    else if (column)
        snprintf(at, sizeof at, ", column %u", column);
    return assay_fail(e, code, "%s: line %u%s: %s", l->batch->name, l->csv.row[row].line, at, text);
}

int batch_enter(int folder, struct assay_error *e)
{
    return fchdir(folder) ? assay_fail(e, ASSAY_EINPUT, "the folder of the list can't be entered: %s", strerror(errno))
                          : ASSAY_OK;
}

/* ---- the heading ------------------------------------------------------------------------------------------------- */

static int read_column(struct list *l, uint32_t i, struct assay_error *e)
{
    static const char *const names[] = {"reference", "distorted", "options"};
    struct column *c = &l->column[i];
    const char *name = c->name + (strncmp(c->name, "--", 2) ? 0 : 2);
    struct assay_error why = {0};
    struct cli_option found;
    if (!*name || strlen(name) + 3 > sizeof c->option || strchr(name, '='))
        return refuse(l, ASSAY_EUSAGE, 0, i + 1, e, "a column is named reference, distorted, options, or as "
                      "a long option of scoring");
    snprintf(c->option, sizeof c->option, "--%s", name);
    for (char *at = c->option; *at; at++)
        *at = *at == '_' ? '-' : *at;
    for (uint32_t k = 0; k < i; k++)
        if (!strcmp(l->column[k].option, c->option))
            return refuse(l, ASSAY_EUSAGE, 0, i + 1, e, "column %u has this name, too", k + 1);
    for (unsigned k = 0; k < 3; k++)
        if (!strcmp(c->option + 2, names[k])) {
            c->kind = (enum column_kind)(REFERENCE + k);
            return ASSAY_OK;
        }
    if (cli_option(c->option, &found, &why))
        return refuse(l, ASSAY_EUSAGE, 0, i + 1, e, "%s", why.text);
    c->kind = found.takes_value ? VALUE : FLAG;
    return ASSAY_OK;
}

static int read_heading(struct list *l, struct assay_error *e)
{
    if (!l->csv.rows)
        return assay_fail(e, ASSAY_EUSAGE, "%s: it is empty; its first line names the columns: "
                          "reference,distorted,...", l->batch->name);
    l->columns = l->csv.row[0].cells;
    l->column = calloc(l->columns, sizeof *l->column);
    if (!l->column)
        return assay_fail_memory(e, "a list");
    for (uint32_t i = 0; i < l->columns; i++) {
        const char *name = l->column[i].name = cell_of(l, 0, i);
        if (l->columns == 1 && (strchr(name, ';') || strchr(name, '\t')))
            return refuse(l, ASSAY_EUSAGE, 0, 0, e, "columns are separated by commas");
        TRY(read_column(l, i, e));
        if (l->column[i].kind <= DISTORTED)
            l->side[l->column[i].kind] = i;
    }
    for (unsigned side = 0; side < 2; side++)
        if (l->column[l->side[side]].kind != (enum column_kind)side)
            return refuse(l, ASSAY_EUSAGE, 0, 0, e, "no column is named '%s': the first line names the columns",
                          side ? "distorted" : "reference");
    return ASSAY_OK;
}

/* ---- the command line of a row ----------------------------------------------------------------------------------- */

/* A command line as one text, and as its words, into which a parsed command points. Two name the inputs; options are
 * behind them. */
struct command {
    char *text, **word;
    int words;
};

static void command_free(struct command *m)
{
    free(m->text);
    free(m->word);
}

/* Adds what a cell says. `e` has no place of the list. */
static int write_cell(FILE *out, const struct column *c, const char *cell, struct assay_error *e)
{
    const bool flag = c->kind == FLAG;
    if (!*cell || !strcmp(cell, "-"))
        return c->kind > DISTORTED ? ASSAY_OK
                                   : assay_fail(e, ASSAY_EUSAGE, "a job needs a file here, and has no default");
    if (flag && strcmp(cell, "yes"))
        return strcmp(cell, "no") ? assay_fail(e, ASSAY_EUSAGE, "it takes yes or no, not '%.100s'", cell) : ASSAY_OK;
    if (c->kind == OPTIONS) {
        int words;
        free(jobs_words(cell, &words));
        fprintf(out, " %s", cell);
        return words < 0 ? assay_fail(e, ASSAY_EUSAGE, "a quote is never closed: %.200s", cell) : ASSAY_OK;
    }
    char *word = text_new("%s%s%s", c->option, flag ? "" : "=", flag ? "" : cell);
    char *text = word ? jobs_quote(&word, 1) : NULL;
    fprintf(out, " %s", text ? text : "");
    free(word);
    free(text);
    return text ? ASSAY_OK : assay_fail_memory(e, "a job");
}

/* Makes the text of a row: the inputs first, then what all other columns say, or `only` one of them, from 1. */
static int write_command(const struct list *l, uint32_t row, uint32_t only, struct command *m, struct assay_error *e)
{
    struct buffer_text text;
    struct assay_error why = {0};
    FILE *const out = buffer_open(&text);
    uint32_t at = 0;
    int rc = out ? ASSAY_OK : assay_fail_memory(&why, "a job");
    for (uint32_t k = 0; !rc && k < l->columns + 2; k++) {
        const uint32_t i = k < 2 ? l->side[k] : k - 2;
        if (k < 2 || (l->column[i].kind > DISTORTED && (!only || only == i + 1)))
            rc = write_cell(out, &l->column[at = i], cell_of(l, row, i), &why);
    }
    m->text = out ? buffer_close(&text) : NULL;
    if (!rc && !m->text)
        rc = assay_fail_memory(&why, "a job");
    return rc ? refuse(l, rc, row, at + 1, e, "%s", why.text) : ASSAY_OK;
}

/* Parsing cuts words, so they are made anew. `most` of them are parsed. */
static int parse(struct cli *c, struct command *m, int most, struct assay_error *e)
{
    free(m->word);
    m->word = jobs_words(m->text, &m->words);
    const int words = m->words < most ? m->words : most;
    return m->word ? cli_parse(c, COMMAND_SCORE, words, m->word, e) : assay_fail_memory(e, "a job");
}

/* What a list of jobs has no place for. */
static int check_fit(const struct cli *c, struct assay_error *e)
{
    if (c->action != ACTION_SCORE)
        return assay_fail(e, ASSAY_EUSAGE, "a job scores: --help, --version and --list-... are not for it");
    if (c->q.encodes > 1)
        return assay_fail(e, ASSAY_EUSAGE, "more than two inputs: a job scores one encode");
    if (c->dump_graph || c->dump_memory)
        return assay_fail(e, ASSAY_EUSAGE, "%s prints to standard output, which a job has not",
                          c->dump_graph ? "--dump-graph" : "--dump-memory");
    if (c->progress || c->no_progress)
        return assay_fail(e, ASSAY_EUSAGE, "%s is for all jobs together: assay batch takes it",
                          c->progress ? "--progress" : "--no-progress");
    for (uint32_t i = 0; i <= c->outputs; i++) {
        const char *path = i < c->outputs ? c->output[i].path : c->heatmap;
        if (i < c->outputs && !strcmp(path, "-"))
            return assay_fail(e, ASSAY_EUSAGE, "a report can't be written to standard output, which a job has not");
        if (path && ladder_has_place(path))
            return assay_fail(e, ASSAY_EUSAGE, "{name} and {number} are for several encodes, and a job scores one");
    }
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
static int check_metrics(struct list *l, const struct gate **bad, struct assay_error *e)
{
    const struct cli *c = l->batch->parsed;
    char *text = text_of_checked(c), *before = l->checked;
    if (!text)
        return assay_fail_memory(e, "a job");
    if (before && !strcmp(before, text)) {
        free(text);
        return ASSAY_OK;
    }
    assay_session *s = NULL;
    int rc = session_make(&s, NULL, e);
    for (uint32_t i = 0; !rc && i < c->q.metrics; i++)
        rc = session_failed(s, assay_session_add_metric(s, c->q.metric[i]), e);
    assay_session_close(&s);
    rc = rc ? rc : cli_gates_possible(c, c->gate, c->gates, bad, e);
    l->checked = rc ? before : text;
    l->batch->no_models = l->batch->no_models && rc;
    free(rc ? text : before);
    return rc;
}

static int check_command(struct list *l, struct command *m, const struct gate **bad, struct assay_error *e)
{
    *bad = NULL;
    TRY(parse(l->batch->parsed, m, INT_MAX, e));
    TRY(check_fit(l->batch->parsed, e));
    return check_metrics(l, bad, e);
}

/* The number of the column, from 1, that has alone what is wrong with the whole row. 0: none; it is what columns say
 * together. */
static uint32_t find_column(struct list *l, uint32_t row, const char *wrong)
{
    const struct gate *bad;
    uint32_t found = 0;
    for (uint32_t i = 0; i < l->columns && !found; i++) {
        struct assay_error e = {0};
        struct command one = {0};
        if (l->column[i].kind > DISTORTED && !write_command(l, row, i + 1, &one, &e) &&
            check_command(l, &one, &bad, &e) && !strcmp(e.text, wrong))
            found = i + 1;
        command_free(&one);
    }
    return found;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The column of an option, or of any for NULL, that has a text: the name of a file which the job makes, or of a score.
 * 0: none has, as it was written in another way. */
static uint32_t column_with(const struct list *l, uint32_t row, const char *option, const char *text)
{
    for (uint32_t i = 0; i < l->columns; i++) {
        const struct column *c = &l->column[i];
        const bool may = c->kind == OPTIONS || !option || !strcmp(c->option, option);
        if (c->kind > DISTORTED && may && strstr(cell_of(l, row, i), text))
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

/* Takes over the path of a place, also where it fails. */
static int add_place(struct list *l, struct place place, struct assay_error *e)
{
    const int rc = assay_grow(&l->place, l->places, sizeof *l->place, "a list", e);
    if (rc)
        free(place.path);
    else
        l->place[l->places++] = place;
    return rc;
}

/* Refuses inputs that can't be opened, or not read again. */
static int add_inputs(struct list *l, uint32_t row, struct assay_error *e)
{
    const struct jobs_job *of = job_of(l, row);
    unsigned side;
    const int why = batch_see(l->batch, of, &side);
    for (unsigned k = why ? side : 0; k < 2; k++) {
        const char *path = k ? of->distorted : of->reference;
        const struct stat *st = &l->batch->seen[k].st;
        const uint32_t column = l->side[k] + 1;
        if (why)
            return refuse(l, ASSAY_EINPUT, row, column, e, "%s: can't be opened: %s", path, strerror(why));
        if (!S_ISREG(st->st_mode))
            return refuse(l, ASSAY_EINPUT, row, column, e, "%s: is no file%s", path,
                          S_ISDIR(st->st_mode) ? " but a folder" : " that can be read again: a pipe or a device");
        TRY(add_place(l, (struct place){.at = {st->st_dev, st->st_ino, 0}, .row = row}, e));
    }
    return ASSAY_OK;
}

/* A file or a folder that a job makes. */
static int add_output(struct list *l, uint32_t row, const char *path, struct assay_error *e)
{
    struct place place = {.row = row, .path = strdup(path), .column = column_with(l, row, NULL, path)};
    struct jobs_job *job = job_of(l, row);
    if (!place.path)
        return assay_fail_memory(e, "a job");
    job->complete = job->complete && !access(path, F_OK);
    if (file_spot(&place.at, l->batch->folder, path))
        return add_place(l, place, e);
    free(place.path);
    return ASSAY_OK;
}

/* A file whose folder is made when the job ends, where it is missing. One that can't be a folder is found out before
 * the first job. */
static int add_report(struct list *l, uint32_t row, const char *path, struct assay_error *e)
{
    char folder[PATH_MAX];
    text_folder(folder, sizeof folder, path);
    if (!l->folder || strcmp(l->folder, folder)) {
        if (access(folder, F_OK) && errno != ENOENT)
            return refuse(l, ASSAY_EINTERNAL, row, column_with(l, row, NULL, path), e, "%s: can't be written: %s",
                          path, strerror(errno));
        free(l->folder);
        if (!(l->folder = strdup(folder)))
            return assay_fail_memory(e, "a list");
    }
    return add_output(l, row, path, e);
}

static int add_outputs(struct list *l, uint32_t row, struct assay_error *e)
{
    static const char folder[] = "heatmaps_path=";
    const struct cli *c = l->batch->parsed;
    for (uint32_t i = 0; i < c->outputs; i++)
        TRY(add_report(l, row, c->output[i].path, e));
    TRY(c->shard ? add_report(l, row, c->shard, e) : ASSAY_OK);
    TRY(c->heatmap ? add_output(l, row, c->heatmap, e) : ASSAY_OK);
    for (uint32_t i = 0; i < c->stages; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s-%llu.npy", c->stage[i].pass, (unsigned long long)c->stage[i].frame);
        TRY(add_output(l, row, c->stage[i].file ? c->stage[i].file : name, e));
    }
    for (uint32_t i = 0; i < c->q.metrics; i++) {
        const char *at = strstr(c->q.metric[i], folder);
        char path[PATH_MAX];
        at = at ? at + sizeof folder - 1 : NULL;
        if (at && strcspn(at, ":") < sizeof path) {
            snprintf(path, sizeof path, "%.*s", (int)strcspn(at, ":"), at);
            TRY(add_output(l, row, path, e));
        }
    }
    return ASSAY_OK;
}

/* ---- a row as a request ------------------------------------------------------------------------------------------ */

/* A job's options for which a request has no field, as one text. */
static int own_options(const struct jobs_job *of, char **options, struct assay_error *e)
{
    int n, own = 0, rc = ASSAY_OK;
    char **word = jobs_words(of->listed, &n);
    for (int i = 0; word && !rc && i < n; i++) {
        struct cli_option o;
        rc = cli_option(word[i], &o, e);
        const int behind = !rc && o.takes_value && !o.value && i + 1 < n;
        for (int k = 0; !rc && !o.of_request && k <= behind; k++)
            word[own++] = word[i + k];
        i += behind;
    }
    *options = word && !rc ? jobs_quote(word, own) : NULL;
    free(word);
    return *options ? ASSAY_OK : rc ? rc : assay_fail_memory(e, "a job");
}

/* Makes the request of a row, and the options of its outputs. */
static int make_request(struct list *l, uint32_t row, struct command *m, struct assay_error *e)
{
    struct jobs_job *of = job_of(l, row);
    struct assay_error unfit = {0};
    struct cli *c = l->batch->parsed;
    TRY(write_command(l, row, 0, m, e));
    TRY(parse(c, m, INT_MAX, e));
    if (!moment_given(c, NULL) && !c->q.align.wish && !cli_request_text(c, &of->request, &unfit)) {
        struct assay_error why = {0};
        const int rc = own_options(of, &of->options, &why); /* refuses "--" */
        TRY(rc ? refuse(l, rc, row, 0, e, "%s", why.text) : ASSAY_OK);
    } else { /* options say what a request has no place for: times, a metric with a comma */
        TRY(parse(c, m, 2, e));
        TRY(cli_request_text(c, &of->request, e));
        of->options = strdup(of->listed);
    }
    cJSON_Minify(of->request);
    return of->options ? ASSAY_OK : assay_fail_memory(e, "a job");
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

static int check_job(struct list *l, uint32_t row, struct command *m, struct assay_error *e)
{
    struct jobs_job *of = job_of(l, row);
    const struct cli *c = l->batch->parsed;
    struct assay_error why = {0};
    const struct gate *bad;
    TRY(add_inputs(l, row, e));
    const int rc = check_command(l, m, &bad, &why);
    if (rc)
        return refuse(l, rc, row, bad ? column_with(l, row, bad->over ? "--fail-over" : "--fail-under", bad->key)
                                      : find_column(l, row, why.text), e, "%s", why.text);
    of->key = batch_key(l->batch, of, c);
    of->complete = true;
    const uint32_t first = l->places;
    TRY(add_outputs(l, row, e));
    const int spared = results_spared(c, &why);
    uint32_t column = 0;
    for (uint32_t i = first; spared && i < l->places && !column; i++)
        column = strstr(why.text, l->place[i].path) ? l->place[i].column : 0;
    if (spared)
        return refuse(l, spared, row, column, e, "%s", why.text);
    of->threads = c->q.config.threads;
    of->on_gpu = c->q.config.backend && strcmp(c->q.config.backend, "cpu");
    return ASSAY_OK;
}

/* ---- jobs beside each other -------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    const int apart = file_spot_compare(&p->at, &q->at);
    /* of one file: what is written first, and then in the order of the list */
    return apart ? apart : !p->path != !q->path ? (q->path != NULL) - (p->path != NULL)
         : (p->row > q->row) - (p->row < q->row);
}

/* `q` is the same file as `p`, which a job writes. */
static int clash(const struct list *l, const struct place *p, const struct place *q, struct assay_error *e)
{
    if (!q->row)
        return refuse(l, ASSAY_EUSAGE, p->row, p->column, e, "'%s' is %s", p->path, q->what);
    if (q->path && q->row == p->row)
        return refuse(l, ASSAY_EUSAGE, p->row, p->column, e, "'%s' is written twice", p->path);
    if (q->path)
        return refuse(l, ASSAY_EUSAGE, q->row, q->column, e, "'%s' is written by line %u, too", q->path,
                      l->csv.row[p->row].line);
    return refuse(l, ASSAY_EUSAGE, p->row, p->column, e, "'%s' is an input of line %u and would be overwritten",
                  p->path, l->csv.row[q->row].line);
}

/* The files and the folder of the command itself. */
static int add_own(struct list *l, struct assay_error *e)
{
    const struct batch_options *o = l->batch->options;
    const struct {
        const char *path, *what;
    } own[] = {{o->list, "the list itself"}, {o->plan ? o->plan : o->state, "the folder of the state"},
               {o->summary, "the summary"}};
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++) {
        struct place place = {.what = own[i].what};
        if (own[i].path && strcmp(own[i].path, "-") && file_spot(&place.at, l->batch->here, own[i].path))
            TRY(add_place(l, place, e));
    }
    return ASSAY_OK;
}

/* Refuses (ASSAY_EUSAGE) jobs that write one file, or that write over an input of a job. */
static int outputs_apart(struct list *l, struct assay_error *e)
{
    TRY(add_own(l, e));
    qsort(l->place, l->places, sizeof *l->place, compare);
    for (uint32_t i = 0; i + 1 < l->places; i++) {
        const struct place *p = &l->place[i], *q = p + 1;
        if (file_spot_compare(&p->at, &q->at))
            continue;
        if (p->path)
            return clash(l, p, q, e);
        if (!p->row) /* these come before inputs */
            return assay_fail(e, ASSAY_EUSAGE, "%s: %s is %s, too", l->batch->name, p->what,
                              q->row ? "an input of a job" : q->what);
    }
    return ASSAY_OK;
}

/* Jobs of the same files with the same options. */
static int refuse_twins(const struct list *l, struct assay_error *e)
{
    const struct jobs *j = &l->batch->plan;
    struct jobs_job **sorted = jobs_sorted(j);
    int rc = sorted ? ASSAY_OK : assay_fail_memory(e, "a list");
    for (uint32_t i = 0; !rc && i + 1 < j->jobs; i++)
        if (sorted[i]->key == sorted[i + 1]->key)
            rc = refuse(l, ASSAY_EUSAGE, (uint32_t)(sorted[i + 1] - j->job) + 1, 0, e, "it is the same job as line %u",
                        sorted[i]->line);
    free(sorted);
    return rc;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

enum { MANY = 10000 }; /* rows whose check takes a second or so, of which a line tells */

static int read_row(struct list *l, uint32_t row, struct command *m, struct assay_error *e)
{
    struct jobs_job *of = job_of(l, row);
    const uint32_t cells = l->csv.row[row].cells;
    l->batch->plan.jobs = row;
    of->line = l->csv.row[row].line;
    if (cells != l->columns)
        return refuse(l, ASSAY_EUSAGE, row, 0, e, "it has %u cell%s, and the first line names %u columns (a cell may "
                      "be empty or '-')", cells, cells == 1 ? "" : "s", l->columns);
    TRY(write_command(l, row, 0, m, e));
    m->word = jobs_words(m->text, &m->words);
    of->reference = strdup(cell_of(l, row, l->side[0]));
    of->distorted = strdup(cell_of(l, row, l->side[1]));
    of->listed = m->word ? jobs_quote(m->word + 2, m->words - 2) : NULL;
    return of->reference && of->distorted && of->listed ? check_job(l, row, m, e) : assay_fail_memory(e, "a job");
}

/* Requests take longer than the rest, so they are made when all rows are in order. */
static int walk_rows(struct list *l, bool requests, struct progress *progress, struct assay_error *e)
{
    for (uint32_t i = 1; i < l->csv.rows; i++) {
        struct command m = {0};
        if (i % 64 == 0 && !requests)
            progress_update(progress, i);
        const int rc = requests ? make_request(l, i, &m, e) : read_row(l, i, &m, e);
        command_free(&m);
        TRY(rc);
    }
    return ASSAY_OK;
}

static int read_rows(struct list *l, struct progress *progress, struct assay_error *e)
{
    struct batch *b = l->batch;
    TRY(read_heading(l, e));
    if (l->csv.rows < 2)
        return assay_fail(e, ASSAY_EUSAGE, "%s: it has no job below the line that names the columns", b->name);
    b->plan.job = calloc(l->csv.rows - 1, sizeof *b->plan.job);
    b->parsed = malloc(sizeof *b->parsed);
    if (!b->plan.job || !b->parsed)
        return assay_fail_memory(e, "a list");
    TRY(walk_rows(l, false, progress, e));
    TRY(refuse_twins(l, e));
    TRY(outputs_apart(l, e));
    return walk_rows(l, true, progress, e);
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
    char folder[PATH_MAX];
    text_folder(folder, sizeof folder, batch_list_is_file(b->options) ? b->options->list : "");
    return batch_folders(b, folder, e);
}

int batch_read(struct batch *b, struct assay_error *e)
{
    const bool is_stdin = !strcmp(b->options->list, "-");
    struct list l = {.batch = b};
    size_t size;
    b->here = b->folder = -1;
    snprintf(b->name, sizeof b->name, "%s", is_stdin ? "stdin" : b->options->list);
    char *text = file_read(is_stdin ? "/dev/stdin" : b->options->list, &size, e);
    int rc = text ? open_folders(b, e) : e->code;
    rc = rc ? rc : csv_parse(&l.csv, b->name, text, size, e);
    free(text);
    rc = rc ? rc : batch_enter(b->folder, e);
    if (!rc) {
        struct progress progress = {0};
        if (l.csv.rows > MANY && !b->options->quiet)
            text_say("%u rows are checked before the first job starts", l.csv.rows - 1);
        if (!b->options->no_progress)
            progress_start(&progress, stderr, b->options->progress, l.csv.rows, "rows checked");
        rc = read_rows(&l, &progress, e);
        progress_erase(&progress);
        const int back = batch_enter(b->here, e);
        rc = rc ? rc : back;
    }
    for (uint32_t i = 0; i < l.places; i++)
        free(l.place[i].path);
    free(l.place);
    free(l.checked);
    free(l.folder);
    free(l.column);
    csv_free(&l.csv);
    return rc;
}
