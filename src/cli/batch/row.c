/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of the list of `assay batch` as the command line of a job, checked by the parser of command lines. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "host/text.h"
#include "results/digest.h"

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
    const int n = batch_words(cell, words);
    int rc = n >= 0 ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "a quote is never closed: %.200s", cell);
    for (int i = 0; !rc && i < n; i++, word += strlen(word) + 1)
        rc = add_word(job, "", word, e);
    free(words);
    return rc;
}

/* Parses a copy of the arguments, which parsing may cut. The caller frees *copy, into which *c points. */
static int parse(struct cli *c, const struct batch_job *job, char **copy, struct assay_error *e)
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

/* The names of metrics and their options. Nothing but the library knows them. */
static int check_metrics(struct batch *b, const struct cli *c, struct assay_error *e)
{
    size_t size = 1;
    for (uint32_t i = 0; i < c->q.metrics; i++)
        size += strlen(c->q.metric[i]) + 1;
    char *text = calloc(1, size), *at = text;
    if (!text)
        return assay_fail_memory(e, "a job");
    for (uint32_t i = 0; i < c->q.metrics; i++)
        at = stpcpy(stpcpy(at, c->q.metric[i]), ",");
    if (b->checked && !strcmp(b->checked, text)) {
        free(text);
        return ASSAY_OK;
    }
    assay_session *s = NULL;
    int rc = session_make(&s, NULL, e);
    for (uint32_t i = 0; !rc && i < c->q.metrics; i++)
        rc = session_failed(s, assay_session_add_metric(s, c->q.metric[i]), e);
    assay_session_close(&s);
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
                 char **copy, struct assay_error *e)
{
    TRY(parse(b->parsed, job, copy, e));
    TRY(check_fit(b->parsed, reference, distorted, e));
    return check_metrics(b, b->parsed, e);
}

/* The number of the column, from 1, that has alone what is wrong with the whole row. 0: none; it is what columns say
 * together. */
static uint32_t find_column(struct batch *b, const struct batch_job *job, char *const *cell, const char *wrong)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < b->columns && !found; i++) {
        struct assay_error e = {0};
        struct batch_job one = {0};
        char *copy = NULL;
        int rc = b->column[i].kind <= BATCH_DISTORTED ? 1 : ASSAY_OK;
        rc = rc ? rc : add_word(&one, "--reference", job->reference, &e);
        rc = rc ? rc : add_word(&one, "--distorted", job->distorted, &e);
        rc = rc ? rc : add_cell(&one, &b->column[i], cell[i], &e);
        if (!rc && check(b, &one, job->reference, job->distorted, &copy, &e) && !strcmp(e.text, wrong))
            found = i + 1;
        free(copy);
        for (int k = 0; k < one.argc; k++)
            free(one.argv[k]);
        free(one.argv);
    }
    return found;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Adds a file's place without links, its size and its time of change. */
static uint64_t digest_real(uint64_t digest, const char *real, const struct stat *st)
{
    digest = digest_text(digest, real);
    digest = digest_word(digest, (uint64_t)st->st_size);
    digest = digest_word(digest, (uint64_t)st->st_mtim.tv_sec);
    return digest_word(digest, (uint64_t)st->st_mtim.tv_nsec);
}

static uint64_t digest_file(uint64_t digest, const char *path, const struct stat *st)
{
    char real[PATH_MAX];
    return digest_real(digest, realpath(path, real) ? real : path, st);
}

/* Adds a part of a playlist. */
static void digest_part(void *digest, const char *path)
{
    struct stat st;
    if (!stat(path, &st))
        *(uint64_t *)digest = digest_file(*(uint64_t *)digest, path, &st);
}

/* Adds files that a metric's text names: models. */
static uint64_t digest_models(uint64_t digest, const char *metric)
{
    char path[PATH_MAX];
    struct stat st;
    for (size_t n; *metric; metric += n + (metric[n] != '\0')) {
        n = strcspn(metric, "=:");
        snprintf(path, sizeof path, "%.*s", n < sizeof path ? (int)n : 0, metric);
        if (*path && !stat(path, &st) && S_ISREG(st.st_mode))
            digest = digest_file(digest, path, &st);
    }
    return digest;
}

/* The column that names a file which the job makes. 0: none does. */
static uint32_t column_with(const struct batch *b, char *const *cell, const char *path)
{
    for (uint32_t i = 0; i < b->columns; i++)
        if (b->column[i].kind > BATCH_DISTORTED && strstr(cell[i], path))
            return i + 1;
    return 0;
}

/* An input, as the list was read. */
struct side {
    struct stat st;
    const char *real; /* its path without links */
};

/* Refuses inputs that can't be opened, or not read again. */
static int check_sides(struct batch *b, struct batch_job *job, struct side sides[2], struct assay_error *e)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct stat *st = &sides[side].st;
        const char *path = side ? job->distorted : job->reference;
        uint32_t column = 1;
        while (b->column[column - 1].kind != (side ? BATCH_DISTORTED : BATCH_REFERENCE))
            column++;
        const int why = batch_look(b, side, path, &sides[side].st, &sides[side].real);
        if (why)
            return batch_refuse(b, why == ENOMEM ? ASSAY_EINTERNAL : ASSAY_EINPUT, job->line, column, e,
                                "%s: can't be opened: %s", path, strerror(why));
        if (!S_ISREG(st->st_mode))
            return batch_refuse(b, ASSAY_EINPUT, job->line, column, e, "%s: is no file%s", path,
                                S_ISDIR(st->st_mode) ? " but a folder"
                                                     : " that can be read again: a pipe or a device");
        job->spot[side] = (struct file_spot){st->st_dev, st->st_ino, 0};
    }
    return ASSAY_OK;
}

static void digest_job(struct batch *b, struct batch_job *job, const struct cli *c, const struct side sides[2])
{
    uint64_t digest = digest_text(DIGEST_START, assay_version());
    for (unsigned side = 0; side < 2; side++) {
        digest = digest_real(digest, sides[side].real, &sides[side].st);
        if (c->q.allow[ALLOW_PLAYLIST])
            input_parts(side ? job->distorted : job->reference, digest_part, &digest);
    }
    for (int i = 2; i < job->argc; i++)
        digest = digest_item(digest, job->argv[i]);
    const uint64_t others = digest;
    for (uint32_t i = 0; !b->no_models && i < c->q.metrics; i++)
        digest = digest_models(digest, c->q.metric[i]);
    b->no_models = digest == others;
    job->digest = digest;
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
    job->output[job->outputs++] = (struct batch_output){copy, column_with(b, cell, path)};
    return ASSAY_OK;
}

/* A folder that is missing is made when the job ends. One that can't be a folder is found out before the first job. */
static int check_folder(struct batch *b, const struct batch_job *job, char *const *cell, const char *path,
                        struct assay_error *e)
{
    char folder[PATH_MAX];
    text_folder(folder, sizeof folder, path);
    if (b->folder_checked && !strcmp(b->folder_checked, folder))
        return ASSAY_OK;
    if (access(folder, F_OK) && errno != ENOENT)
        return batch_refuse(b, ASSAY_EINTERNAL, job->line, column_with(b, cell, path), e, "%s: can't be written: %s",
                            path, strerror(errno));
    free(b->folder_checked);
    b->folder_checked = strdup(folder);
    return b->folder_checked ? ASSAY_OK : assay_fail_memory(e, "a list");
}

static int add_outputs(struct batch *b, struct batch_job *job, const struct cli *c, char *const *cell,
                       struct assay_error *e)
{
    static const char folder[] = "heatmaps_path=";
    for (uint32_t i = 0; i < c->outputs; i++) {
        TRY(check_folder(b, job, cell, c->output[i].path, e));
        TRY(add_output(b, job, cell, c->output[i].path, e));
    }
    if (c->shard)
        TRY(check_folder(b, job, cell, c->shard, e));
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

/* The options as one text that batch_words cuts into the same words. */
static int name_options(struct batch_job *job, struct assay_error *e)
{
    size_t size = 1;
    for (int i = 2; i < job->argc; i++)
        size += 4 * strlen(job->argv[i]) + 3; /* each byte as '\'' at most, a blank, and a quote at both ends */
    char *to = job->options = calloc(1, size);
    if (!to)
        return assay_fail_memory(e, "a job");
    for (int i = 2; i < job->argc; i++) {
        const bool plain = *job->argv[i] && !strpbrk(job->argv[i], " \t\r\n'\"\\");
        to = stpcpy(to, i > 2 ? " " : "");
        if (plain) {
            to = stpcpy(to, job->argv[i]);
            continue;
        }
        *to++ = '\'';
        for (const char *at = job->argv[i]; *at; at++)
            to = stpcpy(to, *at == '\'' ? "'\\''" : (char[2]){*at, '\0'});
        *to++ = '\'';
    }
    char *exact = realloc(job->options, (size_t)(to - job->options) + 1);
    job->options = exact ? exact : job->options;
    return ASSAY_OK;
}

/* The inputs first, then what all other columns say. */
static int make_command(struct batch *b, struct batch_job *job, char *const *cell, struct assay_error *e)
{
    struct assay_error why = {0};
    uint32_t at = 0;
    int rc = ASSAY_OK;
    for (enum batch_column_kind side = BATCH_REFERENCE; !rc && side <= BATCH_DISTORTED; side++) {
        for (at = 0; b->column[at].kind != side;)
            at++;
        rc = add_cell(job, &b->column[at], cell[at], &why);
        char **name = side == BATCH_REFERENCE ? &job->reference : &job->distorted;
        if (!rc && !(*name = strdup(cell[at])))
            return assay_fail_memory(e, "a job");
    }
    for (uint32_t i = 0; !rc && i < b->columns; i++)
        if (b->column[i].kind > BATCH_DISTORTED)
            rc = add_cell(job, &b->column[at = i], cell[i], &why);
    return rc ? batch_refuse(b, rc, job->line, at + 1, e, "%s", why.text) : ASSAY_OK;
}

/* The column that has a gate. 0: none does, as it was written in another way. */
static uint32_t column_of_gate(const struct batch *b, char *const *cell, const struct gate *g)
{
    const char *option = g->over ? "--fail-over" : "--fail-under";
    for (uint32_t i = 0; i < b->columns; i++)
        if ((b->column[i].kind == BATCH_OPTIONS || !strcmp(b->column[i].option, option)) && strstr(cell[i], g->key))
            return i + 1;
    return 0;
}

static int check_job(struct batch *b, struct batch_job *job, char *const *cell, char **copy, struct assay_error *e)
{
    const struct cli *c = b->parsed;
    struct assay_error why = {0};
    struct side sides[2];
    TRY(check_sides(b, job, sides, e));
    const int rc = check(b, job, job->reference, job->distorted, copy, &why);
    if (rc) {
        const uint32_t column = find_column(b, job, cell, why.text);
        return batch_refuse(b, rc, job->line, column, e, "%s", why.text);
    }
    const struct gate *bad;
    const int gated = batch_check_gates(b, c, &bad, &why);
    if (gated)
        return batch_refuse(b, gated, job->line, bad ? column_of_gate(b, cell, bad) : 0, e, "%s", why.text);
    digest_job(b, job, c, sides);
    TRY(add_outputs(b, job, c, cell, e));
    const int spared = results_spared(c, &why);
    if (spared) {
        uint32_t column = 0;
        for (uint32_t i = 0; i < job->outputs && !column; i++)
            column = strstr(why.text, job->output[i].path) ? job->output[i].column : 0;
        return batch_refuse(b, spared, job->line, column, e, "%s", why.text);
    }
    job->threads = c->q.config.threads;
    job->on_gpu = c->q.config.backend && strcmp(c->q.config.backend, "cpu");
    return ASSAY_OK;
}

int batch_row(struct batch *b, struct batch_job *job, char *const *cell, struct assay_error *e)
{
    char *copy = NULL;
    TRY(make_command(b, job, cell, e));
    TRY(name_options(job, e));
    const int rc = check_job(b, job, cell, &copy, e);
    free(copy);
    return rc;
}
