/* SPDX-License-Identifier: BSD-2-Clause */
/* What `assay batch` tells people on standard error: a line for each job that has ended, what a job noticed, and, on a
 * terminal, how far all jobs are. */
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "host/clock.h"
#include "host/text.h"

enum { SHOWN = 120 }; /* bytes of a name, of which the end counts */

const char *const batch_status_name[] = {"ok", "gate", "failed", "stopped", "not run"};

enum batch_status batch_status(const struct batch *b, uint32_t number)
{
    const struct jobs_job *job = &b->plan.job[number];
    const int code = job->result.note.code;
    if (job->has)
        return code > 1 ? BATCH_FAILED : code ? BATCH_GATE : BATCH_OK;
    for (const struct jobs_unit *u = &b->plan.unit[job->unit]; u < &b->plan.unit[job->unit + job->units]; u++)
        if (u->state == UNIT_FAILED || u->state == UNIT_STOPPED)
            return u->state == UNIT_FAILED ? BATCH_FAILED : BATCH_UNFINISHED;
    return BATCH_NOT_RUN;
}

static const enum batch_status status_of_unit[UNIT_STATES] = {
    [UNIT_LEFT] = BATCH_UNFINISHED, [UNIT_WAITING] = BATCH_NOT_RUN, [UNIT_RUNNING] = BATCH_UNFINISHED,
    [UNIT_STOPPED] = BATCH_UNFINISHED, [UNIT_FAILED] = BATCH_FAILED, [UNIT_DONE] = BATCH_OK};

static void print_bytes(char *text, size_t size, uint64_t bytes)
{
    const uint64_t unit = bytes < UINT64_C(10000000000) ? 1000000 : 1000000000;
    snprintf(text, size, "%llu %cB", (unsigned long long)((bytes + unit / 2) / unit), unit == 1000000 ? 'M' : 'G');
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

void batch_show_start(struct batch_runner *r)
{
    const struct batch *b = r->batch;
    const struct batch_options *o = b->options;
    const struct jobs_machine *machine = &r->machine;
    const char *unit = b->plan.units > b->plan.jobs ? "part" : "job";
    uint32_t kept = 0;
    char memory[32] = "";
    r->start = clock_ns();
    for (uint32_t i = 0; i < b->plan.units; i++) {
        const struct jobs_unit *u = &b->plan.unit[i];
        kept += u->kept;
        r->units += u->state == UNIT_WAITING;
        r->ended += u->state >= UNIT_FAILED;
    }
    r->left = r->units;
    if (o->quiet)
        return;
    if (kept && !o->work)
        text_say("%u of %u %ss %s done already, and their files are unchanged (%s)", kept, b->plan.units, unit,
                 kept == 1 ? "is" : "are", o->state ? o->state : "");
    print_bytes(memory, sizeof memory, machine->memory);
    if (r->left && o->jobs)
        text_say("%u %s%s, %u at once", r->left, unit, r->left == 1 ? "" : "s", o->jobs);
    else if (r->left)
        text_say("%u %s%s, as many at once as fill %u processor%s%s%s", r->left, unit, r->left == 1 ? "" : "s",
                 machine->processors, machine->processors == 1 ? "" : "s", machine->memory ? " and fit " : "",
                 machine->memory ? memory : "");
    if (!o->no_progress && r->left)
        progress_start(&r->progress, stderr, o->progress, b->plan.units, "jobs");
}

static void print_totals(const struct batch_runner *r)
{
    const struct batch *b = r->batch;
    const bool work = b->options->work, parts = work || b->plan.units > b->plan.jobs;
    const uint32_t all = parts ? b->plan.units : b->plan.jobs, told = work ? r->units : all;
    const double seconds = clock_seconds_since(r->start);
    uint32_t count[BATCH_STATUSES] = {0};
    char text[200] = "", took[60], memory[32], rate[NUMBER_TEXT_SIZE];
    for (uint32_t i = 0; i < all; i++)
        if (!parts)
            count[batch_status(b, i)]++;
        else if (b->plan.unit[i].state != UNIT_LEFT && !(work && b->plan.unit[i].kept))
            count[status_of_unit[b->plan.unit[i].state]]++;
    for (unsigned k = 0; k < BATCH_STATUSES; k++)
        if (count[k])
            text_append(text, sizeof text, "%s%u %s", *text ? ", " : "", count[k],
                        k == BATCH_GATE ? "failed a gate" : batch_status_name[k]);
    format_fixed(rate, seconds > 0 ? (double)r->frames / seconds : 0, 1);
    progress_duration(took, sizeof took, seconds);
    print_bytes(memory, sizeof memory, r->largest);
    text_say("%u %s%s: %s; %llu frames in %s, %s frames/s; a job took at most %s of memory", told,
             parts ? "part" : "job", told == 1 ? "" : "s", text, (unsigned long long)r->frames, took, rate, memory);
}

void batch_show_free(struct batch_runner *r)
{
    progress_erase(&r->progress);
    if (!r->batch->options->quiet && r->largest)
        print_totals(r);
    for (uint32_t i = 0; i < r->notices; i++)
        free(r->notice[i]);
    free(r->notice);
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */

/* Of a picture of a unit. Work is counted in pixels: frames times this. */
static double pixels(const struct batch_child *c)
{
    const uint32_t width = c->told.width, height = c->told.height;
    return width && height ? (double)width * height : 1920.0 * 1080;
}

/* Whether a notice is new. Where memory fails it is new each time. */
static bool is_new(struct batch_runner *r, const char *notice, size_t n)
{
    for (uint32_t i = 0; i < r->notices; i++)
        if (strlen(r->notice[i]) == n && !strncmp(r->notice[i], notice, n))
            return false;
    const bool room = !assay_grow(&r->notice, r->notices, sizeof *r->notice, "a notice", NULL);
    char *copy = room ? strndup(notice, n) : NULL;
    if (copy)
        r->notice[r->notices++] = copy;
    return true;
}

void batch_show_end(struct batch_runner *r, const struct batch_child *child)
{
    const struct batch *b = r->batch;
    const struct jobs_unit *u = &b->plan.unit[child->unit];
    const struct jobs_job *job = &b->plan.job[u->job];
    const struct jobs_note *result = &job->result.note;
    const bool gate = job->has && result->code == 1, ended = u->state >= UNIT_FAILED;
    const uint64_t frames = child->told.count.done;
    char name[SHOWN], reference[SHOWN], part[60] = "";
    r->frames += frames;
    r->pixels += ended ? (double)frames * pixels(child) : 0;
    r->measured += ended && frames;
    r->ended += ended;
    if (!ended || (b->options->quiet && !u->note.code && !gate))
        return;
    text_end(name, sizeof name, job->distorted);
    text_end(reference, sizeof reference, job->reference);
    if (job->units > 1)
        snprintf(part, sizeof part, ", part %u of %u", child->unit - job->unit + 1, job->units);
    progress_erase(&r->progress);
    if (u->note.code || gate)
        text_say("%u/%u %s: %s against %s (line %u%s): %s", r->ended, b->plan.units,
                 u->note.code ? "failed" : "gate failed", name, reference, job->line, part,
                 u->note.code ? u->note.reason : result->reason);
    else
        text_say("%u/%u ok: %s against %s%s: %llu frames", r->ended, b->plan.units, name, reference, part,
                 (unsigned long long)frames);
    const char *notices = u->note.notices;
    size_t n;
    for (const char *line; !b->options->quiet && notices && (line = text_line(&notices, &n));)
        if (n && is_new(r, line, n))
            text_say("%s (line %u): %.*s", name, job->line, (int)n, line);
}

/* ---- how far all jobs are ---------------------------------------------------------------------------------------- */

/* That a running unit has. 0: not known. */
static uint64_t frames_of(const struct batch_child *c)
{
    return c->told.count.total ? c->told.count.total : c->told.frames;
}

/* "a.mp4 38 %, b.mp4 12 %" */
static void name_running(const struct batch_runner *r, char *text, size_t size)
{
    const struct jobs *j = &r->batch->plan;
    *text = '\0';
    for (const struct batch_child *c = r->child; c < r->child + r->children && strlen(text) + 60 < size; c++) {
        char name[SHOWN];
        if (!c->busy)
            continue;
        const uint64_t done = c->told.count.done, total = frames_of(c);
        text_end(name, sizeof name, file_name(j->job[j->unit[c->unit].job].distorted));
        text_append(text, size, "%s%.40s", *text ? ", " : "", name);
        if (total && done <= total)
            text_append(text, size, " %u %%", (unsigned)(100 * (double)done / (double)total));
    }
}

/* Units that have not begun, or have not told how long they are, count as average ones. */
void batch_show_running(struct batch_runner *r)
{
    char text[400], rate[NUMBER_TEXT_SIZE], left[60] = "", names[200];
    double done = r->pixels, known = r->pixels;
    uint64_t frames = r->frames;
    uint32_t measured = r->measured, unknown = r->left + r->running;
    if (!progress_due(&r->progress))
        return;
    for (const struct batch_child *c = r->child; c < r->child + r->children; c++)
        if (c->busy) {
            const uint64_t scored = c->told.count.done, total = frames_of(c);
            frames += scored;
            done += (double)scored * pixels(c);
            known += (double)total * pixels(c);
            measured += total > 0;
            unknown -= total > 0;
        }
    const double seconds = clock_seconds_since(r->start), all = measured ? known + known / measured * unknown : 0;
    if (done > 0 && all > done) {
        const int n = progress_duration(left, sizeof left, (all - done) / done * seconds);
        snprintf(left + n, sizeof left - (size_t)n, " left  ");
    }
    name_running(r, names, sizeof names);
    format_fixed(rate, seconds > 0 ? (double)frames / seconds : 0, 1);
    snprintf(text, sizeof text, "%u/%u jobs  %s frames/s  %s%s", r->ended, r->batch->plan.units, rate, left, names);
    progress_show(&r->progress, text);
}
