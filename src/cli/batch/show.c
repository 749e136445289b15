/* SPDX-License-Identifier: BSD-2-Clause */
/* What `assay batch` tells people on standard error: a line for each job that has ended, what a job noticed, and, on a
 * terminal, how far all jobs are. */
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "host/clock.h"
#include "host/text.h"

enum { SHOWN = 120 };

/* A name without control characters, of which the end counts. */
static const char *shown(char text[SHOWN], const char *name)
{
    const size_t n = strlen(name);
    if (n < SHOWN)
        memcpy(text, name, n + 1);
    else
        snprintf(text, SHOWN, "...%s", name + n - (SHOWN - 4));
    text_plain(text);
    return text;
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *batch_status(const struct batch_job *job)
{
    if (job->progress == BATCH_ENDED)
        return job->outcome.code > 1 ? "failed" : job->outcome.code ? "gate" : "ok";
    return job->progress == BATCH_STOPPED ? "stopped" : "not run";
}

static void print_bytes(char *text, size_t size, uint64_t bytes)
{
    if (bytes < UINT64_C(10000000000))
        snprintf(text, size, "%llu MB", (unsigned long long)(bytes + 500000) / 1000000);
    else
        snprintf(text, size, "%llu GB", (unsigned long long)(bytes + 500000000) / 1000000000);
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

void batch_show_start(struct batch_show *s, const struct batch *b, const struct batch_machine *machine)
{
    const struct batch_options *o = b->options;
    uint32_t kept = 0;
    char memory[32] = "";
    for (uint32_t i = 0; i < b->jobs; i++)
        kept += b->job[i].kept;
    *s = (struct batch_show){.batch = b, .start = clock_ns()};
    if (o->quiet)
        return;
    if (kept)
        text_say("%u of %u jobs %s done already, and their files are unchanged (%s)", kept, b->jobs,
                 kept == 1 ? "is" : "are", o->state);
    print_bytes(memory, sizeof memory, machine->memory);
    const uint32_t left = b->jobs - kept;
    if (left && o->jobs)
        text_say("%u job%s, %u at once", left, left == 1 ? "" : "s", o->jobs);
    else if (left)
        text_say("%u job%s, as many at once as fill %u processor%s%s%s", left, left == 1 ? "" : "s",
                 machine->processors, machine->processors == 1 ? "" : "s", machine->memory ? " and fit " : "",
                 machine->memory ? memory : "");
    if (!o->no_progress && left)
        progress_start(&s->progress, stderr, o->progress, b->jobs, "jobs");
}

static void print_totals(const struct batch_show *s, uint64_t largest)
{
    static const char *const names[] = {"ok", "gate", "failed", "stopped", "not run"};
    static const char *const words[] = {"ok", "failed a gate", "failed", "stopped", "not run"};
    const struct batch *b = s->batch;
    const double seconds = clock_seconds_since(s->start);
    char text[300], memory[32], rate[NUMBER_TEXT_SIZE];
    size_t n = (size_t)snprintf(text, sizeof text, "%u job%s: ", b->jobs, b->jobs == 1 ? "" : "s");
    const size_t first = n;
    for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < b->jobs; i++)
            count += !strcmp(batch_status(&b->job[i]), names[k]);
        if (count)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u %s", n > first ? ", " : "", count, words[k]);
    }
    format_fixed(rate, seconds > 0 ? (double)s->frames / seconds : 0, 1);
    n += (size_t)snprintf(text + n, sizeof text - n, "; %llu frames in ", (unsigned long long)s->frames);
    n += (size_t)progress_duration(text + n, sizeof text - n, seconds);
    print_bytes(memory, sizeof memory, largest);
    text_say("%s, %s frames/s; a job took at most %s of memory", text, rate, memory);
}

void batch_show_free(struct batch_show *s, uint64_t largest)
{
    progress_erase(&s->progress);
    if (!s->batch->options->quiet && largest)
        print_totals(s, largest);
    for (uint32_t i = 0; i < s->notices; i++)
        free(s->notice[i]);
    free(s->notice);
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */

/* Whether a notice is new. Where memory fails it is new each time. */
static bool is_new(struct batch_show *s, const char *notice, size_t n)
{
    for (uint32_t i = 0; i < s->notices; i++)
        if (strlen(s->notice[i]) == n && !strncmp(s->notice[i], notice, n))
            return false;
    char **list = realloc(s->notice, (s->notices + 1) * sizeof *list);
    s->notice = list ? list : s->notice;
    char *copy = list ? strndup(notice, n) : NULL;
    if (copy)
        s->notice[s->notices++] = copy;
    return true;
}

void batch_show_end(struct batch_show *s, const struct batch_job *job)
{
    const struct batch *b = s->batch;
    const struct outcome *o = &job->outcome;
    char name[SHOWN], reference[SHOWN];
    uint32_t ended = 0;
    s->frames += o->frames;
    if (job->progress != BATCH_ENDED || (b->options->quiet && !o->code))
        return;
    for (uint32_t i = 0; i < b->jobs; i++)
        ended += b->job[i].progress == BATCH_ENDED;
    shown(name, job->distorted);
    shown(reference, job->reference);
    progress_erase(&s->progress);
    if (o->code)
        text_say("%u/%u %s: %s against %s (line %u): %s", ended, b->jobs,
                 o->code > 1 ? "failed" : "gate failed", name, reference, job->line, o->reason);
    else
        text_say("%u/%u ok: %s against %s: %llu frames", ended, b->jobs, name, reference,
                 (unsigned long long)o->frames);
    const char *notices = o->notices;
    size_t n;
    for (const char *line; !b->options->quiet && (line = text_line(&notices, &n));)
        if (n && is_new(s, line, n))
            text_say("%s (line %u): %.*s", name, job->line, (int)n, line);
}

/* ---- how far all jobs are ---------------------------------------------------------------------------------------- */

/* Work is counted in pixels: frames times the size of a picture. */
struct work {
    double done, total; /* of this run, without jobs that were done before */
    uint64_t frames;    /* done */
    uint32_t ended;
};

static double pixels(uint32_t width, uint32_t height)
{
    return width && height ? (double)width * height : 1920.0 * 1080;
}

static struct work count_work(const struct batch_show *s, const struct batch_child *child, uint32_t children)
{
    const struct batch *b = s->batch;
    struct work w = {.frames = s->frames};
    double known = 0;
    uint32_t unknown = 0, knowns = 0;
    for (uint32_t i = 0; i < b->jobs; i++) {
        const struct batch_job *job = &b->job[i];
        const double size = pixels(job->width, job->height);
        w.ended += job->progress == BATCH_ENDED;
        if (job->kept)
            continue;
        if (job->progress == BATCH_ENDED) {
            w.done += (double)job->outcome.frames * pixels(job->outcome.width, job->outcome.height);
            known += (double)job->outcome.frames * pixels(job->outcome.width, job->outcome.height);
            knowns += job->outcome.frames > 0;
        } else {
            known += (double)job->frames * size;
            knowns += job->frames > 0;
            unknown += !job->frames;
        }
    }
    for (uint32_t i = 0; i < children; i++)
        if (child[i].job) {
            w.frames += child[i].count->done;
            w.done += (double)child[i].count->done * pixels(child[i].job->width, child[i].job->height);
        }
    w.total = knowns ? known + known / knowns * unknown : 0; /* jobs of unknown length count as average ones */
    return w;
}

/* "a.mp4 38 %, b.mp4 12 %" */
static void name_running(char *text, size_t size, const struct batch_child *child, uint32_t children)
{
    size_t n = 0;
    *text = '\0';
    for (uint32_t i = 0; i < children && n + 60 < size; i++) {
        char name[SHOWN];
        if (!child[i].job)
            continue;
        const uint64_t done = child[i].count->done, stated = child[i].count->total,
                       total = stated ? stated : child[i].job->frames;
        shown(name, file_of(child[i].job->distorted));
        n += (size_t)snprintf(text + n, size - n, "%s%.40s", n ? ", " : "", name);
        if (total && done <= total)
            n += (size_t)snprintf(text + n, size - n, " %u %%", (unsigned)(100 * (double)done / (double)total));
    }
}

void batch_show_running(struct batch_show *s, const struct batch_child *child, uint32_t children)
{
    char text[400], rate[NUMBER_TEXT_SIZE], left[60] = "", names[200];
    if (!progress_due(&s->progress))
        return;
    const double seconds = clock_seconds_since(s->start);
    const struct work w = count_work(s, child, children);
    if (w.done > 0 && w.total > w.done) {
        const int n = progress_duration(left, sizeof left, (w.total - w.done) / w.done * seconds);
        snprintf(left + n, sizeof left - (size_t)n, " left  ");
    }
    name_running(names, sizeof names, child, children);
    format_fixed(rate, seconds > 0 ? (double)w.frames / seconds : 0, 1);
    snprintf(text, sizeof text, "%u/%u jobs  %s frames/s  %s%s", w.ended, s->batch->jobs, rate, left, names);
    progress_show(&s->progress, text);
}
