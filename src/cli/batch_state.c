/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of `assay batch`: a file with a line for each job that has ended, written when it ends. A job is known by
 * its digest, so the list may change between two runs: jobs may be added, removed and moved. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/batch.h"
#include "host/text.h"
#include "report/file.h"

static const char heading[] = "{\"assay_batch\": 1}\n";
enum { HEADING = sizeof heading - 1 };

struct batch_state {
    const char *path;
    int file;
    int why; /* errno of the line that could not be written; 0: none */
};

static int cannot(const struct batch_state *s, const char *what, int why, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINTERNAL, "%s: %s: %s (--state names another file)", s->path, what, strerror(why));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Writes a whole line, or nothing. Returns 0 or an errno. */
static int append(const struct batch_state *s, const char *line, size_t size)
{
    const off_t before = lseek(s->file, 0, SEEK_END);
    int why = before < 0 ? errno : text_write(s->file, line, size);
    if (!why && fsync(s->file) && errno != EINVAL && errno != EROFS) /* a device has nothing to be kept */
        why = errno;
    if (why && before >= 0)
        (void)!ftruncate(s->file, before);
    return why;
}

void batch_state_add(struct batch *b, const struct batch_job *job)
{
    struct batch_state *s = b->state;
    struct outcome o = job->outcome;
    char *text = NULL, *line = NULL;
    if (!s || s->why)
        return;
    o.job = job->digest;
    const int length = outcome_text(&o, &text, NULL) ? -1 : asprintf(&line, "%s\n", text);
    s->why = length < 0 ? ENOMEM : append(s, line, (size_t)length);
    if (length >= 0)
        free(line);
    free(text);
}

int batch_state_close(struct batch *b, struct assay_error *e)
{
    struct batch_state *s = b->state;
    if (!s)
        return ASSAY_OK;
    const int rc = s->why ? assay_fail(e, ASSAY_EINTERNAL, "%s: can't be written: %s; jobs that have ended since then "
                                       "would be run again", s->path, strerror(s->why)) : ASSAY_OK;
    close(s->file);
    free(s);
    b->state = NULL;
    return rc;
}

void batch_state_leave(struct batch *b)
{
    if (b->state)
        close(b->state->file);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Whether all files that a job makes are there. */
static bool has_outputs(const struct batch *b, const struct batch_job *job)
{
    for (uint32_t i = 0; i < job->outputs; i++)
        if (faccessat(b->folder, job->output[i].path, F_OK, 0))
            return false;
    return true;
}

static int by_digest(const void *a, const void *b)
{
    const struct batch_job *const *p = a, *const *q = b;
    return ((*p)->digest > (*q)->digest) - ((*p)->digest < (*q)->digest);
}

/* Gives an outcome to its job. Later lines count more than earlier ones. A job that failed is run again: what stood in
 * its way may be gone. */
static void place(const struct batch *b, struct batch_job **sorted, struct outcome *o)
{
    struct batch_job key = {.digest = o->job}, *wanted = &key;
    struct batch_job **found = bsearch(&wanted, sorted, b->jobs, sizeof *sorted, by_digest);
    if (!found) {
        outcome_free(o);
        return;
    }
    struct batch_job *job = *found;
    outcome_free(&job->outcome);
    job->kept = o->code <= 1 && has_outputs(b, job);
    job->progress = job->kept ? BATCH_ENDED : BATCH_WAITING;
    if (job->kept)
        job->outcome = *o;
    else
        outcome_free(o);
}

/* Reads whole lines. *end becomes the byte behind the last one. */
static int read_lines(const struct batch *b, struct batch_job **sorted, const char *text, size_t size, size_t *end,
                      struct assay_error *e)
{
    const char *path = b->state->path, *stop;
    *end = HEADING;
    for (uint32_t line = 2; (stop = memchr(text + *end, '\n', size - *end)); line++) {
        struct outcome o;
        bool memory;
        if (!outcome_parse(&o, text + *end, (size_t)(stop - text) - *end, &memory))
            return memory ? assay_fail_memory(e, "the state")
                          : assay_fail(e, ASSAY_EINPUT, "%s: line %u is damaged; without the file all jobs are run",
                                       path, line);
        place(b, sorted, &o);
        *end = (size_t)(stop - text) + 1;
    }
    return ASSAY_OK;
}

/* Reads the file, and removes the part of a line that a kill has left at its end. */
static int read_file(const struct batch *b, struct batch_job **sorted, struct assay_error *e)
{
    const struct batch_state *s = b->state;
    size_t size, end;
    char *text = file_read(s->path, &size, e);
    if (!text)
        return e->code;
    int rc = ASSAY_OK;
    if (size < HEADING && !memcmp(text, heading, size)) {
        const int why = size && ftruncate(s->file, 0) ? errno : append(s, heading, HEADING);
        rc = why ? cannot(s, "can't be written", why, e) : ASSAY_OK;
    } else if (size < HEADING || memcmp(text, heading, HEADING)) {
        rc = assay_fail(e, ASSAY_EUSAGE, "%s: is no state of assay batch (--state names another file)", s->path);
    } else {
        rc = read_lines(b, sorted, text, size, &end, e);
        if (!rc && end < size && ftruncate(s->file, (off_t)end))
            rc = cannot(s, "can't be written", errno, e);
    }
    free(text);
    return rc;
}

static int open_and_lock(const struct batch *b, struct assay_error *e)
{
    struct batch_state *s = b->state;
    struct stat st;
    s->file = open(s->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (s->file < 0)
        return cannot(s, "can't be opened for writing", errno, e);
    if (fstat(s->file, &st))
        return cannot(s, "can't be read", errno, e);
    if (!S_ISREG(st.st_mode))
        return assay_fail(e, ASSAY_EUSAGE, "%s: is no file (--state names another)", s->path);
    if (flock(s->file, LOCK_EX | LOCK_NB))
        return errno == EWOULDBLOCK
            ? assay_fail(e, ASSAY_EUSAGE, "%s: another assay batch is running with this state", s->path)
            : cannot(s, "can't be locked", errno, e);
    return ASSAY_OK;
}

int batch_state_open(struct batch *b, const char *path, struct assay_error *e)
{
    struct batch_job **sorted = calloc(b->jobs + 1, sizeof *sorted);
    b->state = calloc(1, sizeof *b->state);
    if (!sorted || !b->state) {
        free(sorted);
        free(b->state);
        b->state = NULL;
        return assay_fail_memory(e, "the state");
    }
    for (uint32_t i = 0; i < b->jobs; i++)
        sorted[i] = &b->job[i];
    qsort(sorted, b->jobs, sizeof *sorted, by_digest);
    *b->state = (struct batch_state){.path = path, .file = -1};
    int rc = open_and_lock(b, e);
    rc = rc ? rc : read_file(b, sorted, e);
    free(sorted);
    return rc;
}
