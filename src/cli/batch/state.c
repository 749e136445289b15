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

#include "cli/batch/batch.h"
#include "host/text.h"

static const char heading[] = "{\"assay_batch\": 1}\n";
enum { HEADING = sizeof heading - 1, LINE_MOST = 4 << 20 };

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
 * its way may be gone. So is one whose line is not as it was written. */
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
    job->kept = !o->edited && o->code <= 1 && has_outputs(b, job);
    job->progress = job->kept ? BATCH_ENDED : BATCH_WAITING;
    if (job->kept)
        job->outcome = *o;
    else
        outcome_free(o);
}

/* Lines that are not as they were written. */
struct edited {
    uint32_t lines, first;
};

static int take_line(const struct batch *b, struct batch_job **sorted, const char *text, size_t size, uint32_t line,
                     struct edited *edited, struct assay_error *e)
{
    struct outcome o;
    bool memory;
    if (!outcome_parse(&o, text, size, &memory))
        return memory ? assay_fail_memory(e, "the state")
                      : assay_fail(e, ASSAY_EINPUT, "%s: line %u is damaged; without the file all jobs are run",
                                   b->state->path, line);
    edited->first = edited->lines ? edited->first : line;
    edited->lines += o.edited;
    place(b, sorted, &o);
    return ASSAY_OK;
}

/* Reads whole lines, a few at a time: the state of a million jobs has a gigabyte. *end becomes the byte behind the last
 * one. */
static int read_lines(const struct batch *b, struct batch_job **sorted, char *text, off_t *end, struct edited *edited,
                      struct assay_error *e)
{
    const struct batch_state *s = b->state;
    uint32_t line = 2;
    size_t used = 0;
    *end = HEADING;
    for (ssize_t n; (n = pread(s->file, text + used, LINE_MOST - used, *end + (off_t)used));) {
        if (n < 0 && errno != EINTR)
            return cannot(s, "can't be read", errno, e);
        used += n > 0 ? (size_t)n : 0;
        const char *at = text, *stop;
        for (; (stop = memchr(at, '\n', used - (size_t)(at - text))); at = stop + 1)
            TRY(take_line(b, sorted, at, (size_t)(stop - at), line++, edited, e));
        const size_t done = (size_t)(at - text);
        memmove(text, at, used - done);
        used -= done;
        *end += (off_t)done;
        if (used == LINE_MOST)
            return take_line(b, sorted, "", 0, line, edited, e); /* no line is as long: it is damaged */
    }
    return ASSAY_OK;
}

/* Reads the file, and removes the part of a line that a kill has left at its end. */
static int read_file(const struct batch *b, struct batch_job **sorted, char *text, struct assay_error *e)
{
    const struct batch_state *s = b->state;
    struct edited edited = {0};
    struct stat st;
    off_t end;
    const ssize_t size = pread(s->file, text, HEADING, 0);
    if (size < 0)
        return cannot(s, "can't be read", errno, e);
    if (size < HEADING && !memcmp(text, heading, (size_t)size)) {
        const int why = size && ftruncate(s->file, 0) ? errno : append(s, heading, HEADING);
        return why ? cannot(s, "can't be written", why, e) : ASSAY_OK;
    }
    if (size < HEADING || memcmp(text, heading, HEADING))
        return assay_fail(e, ASSAY_EUSAGE, "%s: is no state of assay batch (--state names another file)", s->path);
    TRY(read_lines(b, sorted, text, &end, &edited, e));
    if (!fstat(s->file, &st) && end < st.st_size && ftruncate(s->file, end))
        return cannot(s, "can't be written", errno, e);
    if (edited.lines == 1)
        text_say("%s: line %u is not as it was written, so its job is run again", s->path, edited.first);
    else if (edited.lines)
        text_say("%s: %u lines, the first of them line %u, are not as they were written, so their jobs are run again",
                 s->path, edited.lines, edited.first);
    return ASSAY_OK;
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
    char *text = malloc(LINE_MOST);
    b->state = calloc(1, sizeof *b->state);
    if (!sorted || !text || !b->state) {
        free(sorted);
        free(text);
        free(b->state);
        b->state = NULL;
        return assay_fail_memory(e, "the state");
    }
    for (uint32_t i = 0; i < b->jobs; i++)
        sorted[i] = &b->job[i];
    qsort(sorted, b->jobs, sizeof *sorted, by_digest);
    *b->state = (struct batch_state){.path = path, .file = -1};
    int rc = open_and_lock(b, e);
    rc = rc ? rc : read_file(b, sorted, text, e);
    free(sorted);
    free(text);
    return rc;
}
