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

const char *batch_status(const struct batch *b, uint32_t number)
{
    const struct jobs_job *job = &b->plan.job[number];
    const int code = b->job[number].result.code;
    if (b->job[number].has)
        return code > 1 ? "failed" : code ? "gate" : "ok";
    for (uint32_t k = 0; k < job->units; k++)
        if (b->unit[job->unit + k].progress == BATCH_STOPPED)
            return "stopped";
    return "not run";
}

static const char *status_of_unit(const struct batch_unit *u)
{
    static const char *const names[] = {[BATCH_WAITING] = "not run", [BATCH_RUNNING] = "stopped",
                                        [BATCH_STOPPED] = "stopped", [BATCH_ENDED] = "ok", [BATCH_OTHERS] = ""};
    return u->progress == BATCH_ENDED && u->note.code ? "failed" : names[u->progress];
}

static void print_bytes(char *text, size_t size, uint64_t bytes)
{
    if (bytes < UINT64_C(10000000000))
        snprintf(text, size, "%llu MB", (unsigned long long)(bytes + 500000) / 1000000);
    else
        snprintf(text, size, "%llu GB", (unsigned long long)(bytes + 500000000) / 1000000000);
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

void batch_show_start(struct batch_show *s, const struct batch *b, const struct jobs_machine *machine)
{
    const struct batch_options *o = b->options;
    const char *unit = b->plan.units > b->plan.jobs ? "part" : "job";
    uint32_t kept = 0;
    char memory[32] = "";
    *s = (struct batch_show){.batch = b, .start = clock_ns()};
    for (uint32_t i = 0; i < b->plan.units; i++) {
        kept += b->unit[i].kept;
        s->left += b->unit[i].progress == BATCH_WAITING;
    }
    if (o->quiet)
        return;
    if (kept && !o->work)
        text_say("%u of %u %ss %s done already, and their files are unchanged (%s)", kept, b->plan.units, unit,
                 kept == 1 ? "is" : "are", o->state ? o->state : "");
    print_bytes(memory, sizeof memory, machine->memory);
    if (s->left && o->jobs)
        text_say("%u %s%s, %u at once", s->left, unit, s->left == 1 ? "" : "s", o->jobs);
    else if (s->left)
        text_say("%u %s%s, as many at once as fill %u processor%s%s%s", s->left, unit, s->left == 1 ? "" : "s",
                 machine->processors, machine->processors == 1 ? "" : "s", machine->memory ? " and fit " : "",
                 machine->memory ? memory : "");
    if (!o->no_progress && s->left)
        progress_start(&s->progress, stderr, o->progress, b->plan.units, "jobs");
}

static void print_totals(const struct batch_show *s, uint64_t largest)
{
    static const char *const names[] = {"ok", "gate", "failed", "stopped", "not run"};
    const struct batch *b = s->batch;
    const bool parts = b->options->work || b->plan.units > b->plan.jobs;
    const uint32_t all = b->options->work ? s->left : parts ? b->plan.units : b->plan.jobs;
    const double seconds = clock_seconds_since(s->start);
    char text[300], memory[32], rate[NUMBER_TEXT_SIZE];
    size_t n = (size_t)snprintf(text, sizeof text, "%u %s%s: ", all, parts ? "part" : "job", all == 1 ? "" : "s");
    const size_t first = n;
    for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++) {
        uint32_t count = 0;
        for (uint32_t i = 0; !parts && i < all; i++)
            count += !strcmp(batch_status(b, i), names[k]);
        for (uint32_t i = 0; parts && i < b->plan.units; i++)
            count += (!b->options->work || !b->unit[i].kept) && !strcmp(status_of_unit(&b->unit[i]), names[k]);
        if (count)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u %s", n > first ? ", " : "", count,
                                   k == 1 ? "failed a gate" : names[k]);
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

void batch_show_end(struct batch_show *s, uint32_t number)
{
    const struct batch *b = s->batch;
    const struct batch_unit *u = &b->unit[number];
    const struct jobs_unit *of = &b->plan.unit[number];
    const struct jobs_job *job = &b->plan.job[of->job];
    const struct jobs_result *r = &b->job[of->job].result;
    const bool gate = b->job[of->job].has && r->code == 1;
    char name[SHOWN], reference[SHOWN], part[60] = "";
    uint32_t ended = 0;
    s->frames += u->frames;
    if (u->progress != BATCH_ENDED || (b->options->quiet && !u->note.code && !gate))
        return;
    for (uint32_t i = 0; i < b->plan.units; i++)
        ended += b->unit[i].progress == BATCH_ENDED;
    shown(name, job->distorted);
    shown(reference, job->reference);
    if (job->units > 1)
        snprintf(part, sizeof part, ", part %u of %u", number - job->unit + 1, job->units);
    progress_erase(&s->progress);
    if (u->note.code || gate)
        text_say("%u/%u %s: %s against %s (line %u%s): %s", ended, b->plan.units,
                 u->note.code ? "failed" : "gate failed", name, reference, job->line, part,
                 u->note.code ? u->note.reason : r->reason);
    else
        text_say("%u/%u ok: %s against %s%s: %llu frames", ended, b->plan.units, name, reference, part,
                 (unsigned long long)u->frames);
    const char *notices = u->note.notices;
    size_t n;
    for (const char *line; !b->options->quiet && notices && (line = text_line(&notices, &n));)
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

/* What is known of units that run is in `child`; units that have not begun count as average ones. */
static struct work count_work(const struct batch_show *s, const struct batch_child *child, uint32_t children)
{
    const struct batch *b = s->batch;
    struct work w = {.frames = s->frames};
    double known = 0;
    uint32_t unknown = 0, knowns = 0;
    for (uint32_t i = 0; i < b->plan.units; i++) {
        const struct batch_unit *u = &b->unit[i];
        w.ended += u->progress == BATCH_ENDED;
        if (u->kept)
            continue;
        if (u->progress == BATCH_ENDED && u->frames) {
            w.done += (double)u->frames * pixels(u->width, u->height);
            known += (double)u->frames * pixels(u->width, u->height);
            knowns++;
        }
        unknown += u->progress == BATCH_WAITING || (u->progress == BATCH_RUNNING && !u->frames);
    }
    for (uint32_t i = 0; i < children; i++)
        if (child[i].busy) {
            const struct batch_told *t = child[i].told;
            const double size = pixels(t->width, t->height);
            const uint64_t total = t->count.total ? t->count.total : t->frames;
            w.frames += t->count.done;
            w.done += (double)t->count.done * size;
            known += (double)total * size;
            knowns += total > 0;
            unknown -= total > 0 && unknown > 0;
        }
    w.total = knowns ? known + known / knowns * unknown : 0;
    return w;
}

/* "a.mp4 38 %, b.mp4 12 %" */
static void name_running(const struct batch_show *s, char *text, size_t size, const struct batch_child *child,
                         uint32_t children)
{
    size_t n = 0;
    *text = '\0';
    for (uint32_t i = 0; i < children && n + 60 < size; i++) {
        char name[SHOWN];
        if (!child[i].busy)
            continue;
        const struct jobs *j = &s->batch->plan;
        const struct batch_told *t = child[i].told;
        const uint64_t done = t->count.done, total = t->count.total ? t->count.total : t->frames;
        const char *path = j->job[j->unit[child[i].unit].job].distorted, *slash = strrchr(path, '/');
        shown(name, slash ? slash + 1 : path);
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
    name_running(s, names, sizeof names, child, children);
    format_fixed(rate, seconds > 0 ? (double)w.frames / seconds : 0, 1);
    snprintf(text, sizeof text, "%u/%u jobs  %s frames/s  %s%s", w.ended, s->batch->plan.units, rate, left, names);
    progress_show(&s->progress, text);
}
