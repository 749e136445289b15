/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan of `assay batch`: jobs as requests, and what is known of how long they take. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "cli/worst.h"
#include "host/text.h"
#include "run/fields.h"

/* ---- a request as a command line --------------------------------------------------------------------------------- */

void batch_ask_free(struct batch *b)
{
    assay_request_close(&b->request);
    free(b->option);
    free(b->line);
    b->option = b->line = NULL;
}

int batch_ask(struct batch *b, const struct jobs_job *job, struct assay_error *e)
{
    struct cli *c = b->parsed;
    char why[512];
    int n;
    batch_ask_free(b);
    const int rc = assay_request_parse(&b->request, job->request, strlen(job->request), why, sizeof why);
    TRY(rc ? assay_fail(e, rc, "%s", why) : ASSAY_OK);
    TRY(asked_take(b->request, true, e));
    b->option = jobs_words(job->options, &n);
    if (!b->option || n < 0)
        return n < 0 ? assay_fail(e, ASSAY_EINPUT, "the plan is damaged: a quote is never closed")
                     : assay_fail_memory(e, "a job");
    TRY(cli_parse_asked(c, &b->request->encode[0], n, b->option, &b->line, e));
    if (c->settings) /* options say what is compared, and the request has the files alone */
        return ASSAY_OK;
    const struct request_align align = c->q.align;
    cli_take_asked(c, b->request);
    c->q.align = align;
    c->each = NULL;
    return ASSAY_OK;
}

/* ---- how long jobs take ------------------------------------------------------------------------------------------ */

/* Pixels of a byte, of an encode with 0.1 bits a pixel. Few have less than a tenth of that; a job that would be short
 * even then is not opened. */
enum { PIXELS_OF_A_BYTE = 80, UNSURE = 10 };

/* Whether parts of a job can be put together: its outputs need the scores alone, and its pairs have numbers. */
static bool can_be_cut(const struct cli *c)
{
    return !c->q.first && !c->q.frames && c->q.pair_by == PAIR_NUMBER && !c->q.align.wish &&
           !moment_given(c, NULL) && !c->shard && !c->heatmap && !c->stages && !c->worst.frames &&
           !plane_codes_wanted(c) && !thumbs_wanted(c);
}

static bool is_raw(const struct request *q, unsigned side)
{
    return q->form[side] == FORM_RAW || text_ends(q->path[side], ".y4m");
}

struct batch_size batch_measure(const struct cli *c)
{
    static struct pair pair;
    struct batch_size size = {0};
    struct assay_error e = {0};
    struct request q = c->q;
    q.hwdec = HWDEC_OFF;
    q.decode_threads[0] = q.decode_threads[1] = 1;
    if (!pair_open(&pair, &q, &e))
        size = (struct batch_size){pair_frames(&pair, &q), pair.width, pair.height};
    pair_close(&pair);
    return size;
}

/* Sets what is known of a job's length. What can't be opened is reckoned by its bytes. */
static void reckon(struct batch *b, struct jobs_job *of)
{
    struct batch_size size = {0};
    struct assay_error e = {0};
    struct cli *c = b->parsed;
    double pixels = 0;
    if (batch_ask(b, of, &e))
        return;
    for (unsigned side = 0; side < 2; side++) {
        struct stat st = {0};
        if (stat(c->q.path[side], &st))
            st.st_size = 0;
        const double shown = (double)st.st_size * (is_raw(&c->q, side) ? 0.5 : PIXELS_OF_A_BYTE);
        pixels = pixels > 0 && pixels < shown ? pixels : shown;
    }
    of->seconds = jobs_seconds(1, (uint64_t)pixels, c->q.metric, c->q.metrics);
    if (of->seconds * UNSURE > b->options->seconds)
        size = batch_measure(c);
    if (size.frames)
        of->seconds = jobs_seconds(size.frames, (uint64_t)size.width * size.height, c->q.metric, c->q.metrics);
    of->pairs = can_be_cut(c) ? size.frames : 0;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static int name_plan(struct batch *b, struct assay_error *e)
{
    char link[64], real[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", b->folder);
    if (!realpath(link, real))
        return assay_fail(e, ASSAY_EINPUT, "%s: its folder can't be read: %s", b->name, strerror(errno));
    b->plan.list = strdup(file_name(b->name));
    b->plan.folder = jobs_way(b->plan.path, real);
    return b->plan.list && b->plan.folder ? ASSAY_OK : assay_fail_memory(e, "a plan");
}

int batch_plan(struct batch *b, const char *path, struct assay_error *e)
{
    const bool only = b->options->plan;
    struct jobs before = JOBS_START;
    bool found = false;
    TRY(jobs_open(&b->plan, path, true, e));
    if (!jobs_lock(&b->plan, JOBS_ALL))
        return assay_fail(e, ASSAY_EUSAGE, "%s: another assay batch is running with this state", path);
    before.path = strdup(b->plan.path);
    int rc = before.path ? ASSAY_OK : assay_fail_memory(e, "a plan");
    if (!rc && (rc = jobs_read(&before, &found, e)) && only) { /* a damaged one gets a new one in its place */
        text_say("%s", e->text);
        *e = (struct assay_error){0};
        jobs_free(&before);
        rc = ASSAY_OK;
    }
    if (!rc && before.path)
        jobs_look(&before);
    rc = rc ? rc : name_plan(b, e);
    rc = rc ? rc : batch_enter(b->folder, e);
    for (uint32_t i = 0; !rc && only && i < b->plan.jobs; i++)
        reckon(b, &b->plan.job[i]);
    rc = rc ? rc : jobs_cut(&b->plan, &before, only ? b->options->seconds : 0, e);
    jobs_free(&before);
    TRY(rc);
    jobs_clean(&b->plan);
    jobs_look(&b->plan);
    jobs_forget(&b->plan);
    signals_catch(false); /* from here on, so that the plan is put in its place */
    return jobs_write(&b->plan, e);
}

int batch_load(struct batch *b, const char *path, struct assay_error *e)
{
    bool found;
    TRY(jobs_open(&b->plan, path, false, e));
    TRY(jobs_read(&b->plan, &found, e));
    if (!found)
        return assay_fail(e, ASSAY_EUSAGE, "%s: has no plan: assay batch JOBS.csv --plan %s makes one", path, path);
    snprintf(b->name, sizeof b->name, "%s", b->plan.list);
    char *folder = text_new("%s%s%s", *b->plan.folder == '/' ? "" : b->plan.path, *b->plan.folder == '/' ? "" : "/",
                            b->plan.folder);
    int rc = folder ? batch_folders(b, folder, e) : assay_fail_memory(e, "a plan");
    free(folder);
    b->parsed = malloc(sizeof *b->parsed);
    if (!rc && !b->parsed)
        rc = assay_fail_memory(e, "a plan");
    if (!rc)
        jobs_look(&b->plan);
    return rc;
}
