/* SPDX-License-Identifier: BSD-2-Clause */
/* assay batch --engine slurm: the tasks of a plan as job arrays of Slurm, and one job behind them that collects. Only
 * sbatch is called; it finds out itself how to reach the cluster. What is done is read from the folder, never asked of
 * the engine. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "host/text.h"

enum {
    ARRAY = 1000,  /* elements of an array: Slurm's default limit of an index is 1000 */
    ID = 32,       /* bytes of a job's number as text */
    LOOK = 5,      /* seconds between two looks at the folder */
};

struct slurm {
    struct batch *batch;
    char self[PATH_MAX], log[PATH_MAX + 16];
    char **option;         /* those for sbatch that the user gave */
    int options;
    char *after;           /* the dependency of the job that collects */
    uint32_t tasks;        /* submitted */
};

/* Has sbatch take a script, `assay batch -q STEP FOLDER REST`, and reads the job's number. The words of `own` come
 * behind the user's. With *pid it runs on until the job has ended. */
static int submit(struct slurm *s, const char *step, const char *rest, const char *const *own, char id[ID], pid_t *pid,
                  struct assay_error *e)
{
    char *const places[] = {s->self, s->batch->plan.path}, *self = jobs_quote(places, 1),
         *folder = jobs_quote(places + 1, 1);
    const int script = memfd_create("script", MFD_CLOEXEC);
    const char *first[] = {"sbatch", "--parsable", "--job-name=assay", "--open-mode=append", s->log, NULL};
    const char **argv = calloc((size_t)s->options + 16, sizeof *argv);
    posix_spawn_file_actions_t actions;
    int out[2] = {-1, -1}, status = 0, n = 0;
    int why = argv && self && folder && dprintf(script, "#!/bin/sh\nexec %s batch -q %s %s %s\n", self, step, folder,
                                                rest) > 0 && !pipe2(out, O_CLOEXEC) ? 0 : errno;
    const char *const *const list[] = {first, (const char *const *)s->option, own};
    for (unsigned k = 0; argv && k < 3; k++)
        for (unsigned i = 0; list[k][i]; i++)
            argv[n++] = list[k][i];
    if (!why && !(why = posix_spawn_file_actions_init(&actions))) {
        lseek(script, 0, SEEK_SET);
        posix_spawn_file_actions_adddup2(&actions, script, 0);
        posix_spawn_file_actions_adddup2(&actions, out[1], 1);
        why = posix_spawnp(pid, "sbatch", &actions, NULL, (char *const *)(uintptr_t)argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (out[1] >= 0)
        close(out[1]);
    FILE *said = why ? NULL : fdopen(out[0], "r");
    const bool told = said && fgets(id, ID, said) && *id >= '0' && *id <= '9';
    if (said)
        fclose(said);
    if (script >= 0)
        close(script);
    free(argv);
    free(self);
    free(folder);
    if (why)
        return assay_fail(e, ASSAY_EINTERNAL, "sbatch can't be called: %s", strerror(why));
    id[told ? strspn(id, "0123456789") : 0] = '\0';
    if (told && own[0] && !strcmp(own[0], "--wait"))
        return ASSAY_OK;
    if (waitpid(*pid, &status, 0) != *pid || status || !told)
        return assay_fail(e, ASSAY_EINTERNAL, "sbatch has not taken the job");
    return ASSAY_OK;
}

/* Submits those of the tasks from `base` on that are left, ARRAY at most. */
static int submit_array(struct slurm *s, const bool *left, uint32_t base, struct assay_error *e)
{
    const struct batch_options *o = s->batch->options;
    char list[ARRAY * 8 + 32] = "--array=", task[64], id[ID] = "";
    const uint32_t rest = s->batch->plan.tasks - base, most = rest < ARRAY ? rest : ARRAY;
    uint32_t n = 0;
    pid_t pid;
    for (uint32_t i = 0, end; i < most; i = end) {
        for (end = i + 1; left[base + i] && end < most && left[base + end]; end++)
            ;
        if (!left[base + i])
            continue;
        text_append(list, sizeof list, "%s%u", n ? "," : "", i);
        if (end > i + 1)
            text_append(list, sizeof list, "-%u", end - 1);
        n += end - i;
    }
    if (!n)
        return ASSAY_OK;
    if (o->jobs)
        text_append(list, sizeof list, "%%%u", o->jobs);
    snprintf(task, sizeof task, "--task $((SLURM_ARRAY_TASK_ID + %u))", base);
    TRY(submit(s, "--work", task, (const char *[]){list, NULL}, id, &pid, e));
    char *after = text_new("%s:%s", s->after ? s->after : "--dependency=afterany", id);
    if (!after)
        return assay_fail_memory(e, "a job");
    free(s->after);
    s->after = after;
    s->tasks += n;
    return ASSAY_OK;
}

/* Follows the folder until sbatch, which waits for the job that collects, has ended. */
static int wait_for(struct slurm *s, const char *id, pid_t pid, struct assay_error *e)
{
    struct jobs *j = &s->batch->plan;
    uint32_t before = UINT32_MAX;
    int status = 0;
    while (!waitpid(pid, &status, WNOHANG)) {
        uint32_t count[UNIT_STATES] = {0};
        jobs_look(j);
        for (uint32_t i = 0; i < j->units; i++)
            count[j->unit[i].state]++;
        if (count[UNIT_LEFT] != before && !s->batch->options->quiet && !s->batch->options->no_progress)
            text_say("%u of %u parts are done, %u failed", count[UNIT_DONE], j->units, count[UNIT_FAILED]);
        before = count[UNIT_LEFT];
        sleep(LOOK);
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -ASSAY_EINTERNAL;
    return code <= 1 ? code : assay_fail(e, code <= -ASSAY_EINTERNAL ? -code : ASSAY_EINTERNAL,
                                         "job %s, which collects, ended with exit code %d: %s", id, code,
                                         s->log + strlen("--output="));
}

static int submit_all(struct slurm *s, const bool *left, struct assay_error *e)
{
    const struct batch_options *o = s->batch->options;
    const struct jobs *j = &s->batch->plan;
    const char *own[3];
    char id[ID] = "";
    pid_t pid;
    int n = 0;
    for (uint32_t base = 0; base < j->tasks; base += ARRAY)
        TRY(submit_array(s, left, base, e));
    const bool named = strcmp(o->summary, "-");
    char *summary = text_new("%s%s", named ? o->summary : j->path, named ? "" : "/summary.csv");
    if (!summary)
        return assay_fail_memory(e, "a job");
    if (o->wait)
        own[n++] = "--wait";
    if (s->after)
        own[n++] = s->after;
    own[n] = NULL;
    char *option = jobs_quote((char *[]){"--summary", summary}, 2);
    int rc = option ? submit(s, o->force ? "--force --collect" : "--collect", option, own, id, &pid, e)
                    : assay_fail_memory(e, "a job");
    free(option);
    if (!rc && !o->quiet)
        text_say("%u of %u tasks are submitted, and job %s behind them, which collects and writes %s", s->tasks,
                 j->tasks, id, summary);
    free(summary);
    return rc || !o->wait ? rc : wait_for(s, id, pid, e);
}

int batch_slurm(struct batch *b, struct assay_error *e)
{
    const char *given = b->options->engine_options ? b->options->engine_options : "";
    struct slurm s = {.batch = b};
    bool *left = calloc(b->plan.tasks, sizeof *left);
    const ssize_t n = readlink("/proc/self/exe", s.self, sizeof s.self - 1);
    s.option = jobs_words(given, &s.options);
    int rc = s.option && left && n > 0 ? batch_enter(b->here, e) : assay_fail_memory(e, "the jobs");
    jobs_unlock(&b->plan, JOBS_ALL); /* a planner's: workers may begin */
    if (!rc && s.options < 0)
        rc = assay_fail(e, ASSAY_EUSAGE, "--engine-options: a quote is open, or a backslash stands at the end");
    snprintf(s.log, sizeof s.log, "--output=%s/slurm.log", b->plan.path);
    for (uint32_t i = 0; !rc && i < b->plan.units; i++) {
        const struct jobs_unit *u = &b->plan.unit[i];
        left[u->task] = left[u->task] || jobs_is_left(u);
    }
    rc = rc ? rc : submit_all(&s, left, e);
    free(s.option);
    free(s.after);
    free(left);
    return rc;
}
