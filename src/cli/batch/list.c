/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of `assay batch`: its heading, and what its rows must not have in common. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "host/text.h"
#include "results/csv_read.h"
#include "results/file.h"

int batch_refuse(const struct batch *b, int code, uint32_t line, uint32_t column, struct assay_error *e,
                 const char *format, ...)
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
        return batch_refuse(b, ASSAY_EUSAGE, line, i + 1, e, "a column is named reference, distorted, options, or as "
                            "a long option of scoring");
    snprintf(c->option, sizeof c->option, "--%s", name);
    for (char *at = c->option; *at; at++)
        *at = *at == '_' ? '-' : *at;
    for (uint32_t k = 0; k < i; k++)
        if (!strcmp(b->column[k].option, c->option))
            return batch_refuse(b, ASSAY_EUSAGE, line, i + 1, e, "column %u has this name, too", k + 1);
    for (unsigned k = 0; k < 3; k++)
        if (!strcmp(c->option + 2, names[k])) {
            c->kind = (enum batch_column_kind)(BATCH_REFERENCE + k);
            return ASSAY_OK;
        }
    if (cli_option(COMMAND_SCORE, c->option, &found, &why))
        return batch_refuse(b, ASSAY_EUSAGE, line, i + 1, e, "%s", why.text);
    c->kind = found.takes_value ? BATCH_VALUE : BATCH_FLAG;
    return ASSAY_OK;
}

static int read_heading(struct batch *b, const struct csv *csv, struct assay_error *e)
{
    bool has[2] = {false};
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
            return batch_refuse(b, ASSAY_EUSAGE, csv->row[0].line, 0, e, "columns are separated by commas");
        TRY(read_column(b, csv->row[0].line, i, e));
        if (b->column[i].kind <= BATCH_DISTORTED)
            has[b->column[i].kind] = true;
    }
    for (unsigned side = 0; side < 2; side++)
        if (!has[side])
            return batch_refuse(b, ASSAY_EUSAGE, csv->row[0].line, 0, e, "no column is named '%s': the first line "
                                "names the columns", side ? "distorted" : "reference");
    return ASSAY_OK;
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
        return batch_refuse(b, ASSAY_EUSAGE, p->job->line, p->output->column, e, "'%s' is %s", p->output->path,
                            q->what);
    if (q->output && q->job == p->job)
        return batch_refuse(b, ASSAY_EUSAGE, p->job->line, p->output->column, e, "'%s' is written twice",
                            p->output->path);
    if (q->output)
        return batch_refuse(b, ASSAY_EUSAGE, q->job->line, q->output->column, e, "'%s' is written by line %u, too",
                            q->output->path, p->job->line);
    return batch_refuse(b, ASSAY_EUSAGE, p->job->line, p->output->column, e, "'%s' is an input of line %u and would be "
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
            rc = batch_refuse(b, ASSAY_EUSAGE, sorted[i + 1]->line, 0, e, "it is the same job as line %u",
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
            return batch_refuse(b, ASSAY_EUSAGE, row->line, 0, e, "it has %u cell%s, and the first line names %u "
                                "columns (a cell may be empty or '-')", row->cells, row->cells == 1 ? "" : "s",
                                b->columns);
        TRY(batch_row(b, job, csv->cell + row->first, e));
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

