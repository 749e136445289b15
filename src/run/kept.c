/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that are read from reports, merged, and compared. */
#include <stdlib.h>
#include <string.h>

#include "host/fpenv.h"
#include "results/compare.h"
#include "results/report_read.h"
#include "results/shard.h"
#include "run/results.h"

void assay_results_free(assay_results **results)
{
    assay_results *r = *results;
    *results = NULL;
    if (!r || r->lock != &r->own)
        return;
    for (uint32_t i = 0; i < ASSAY_ENCODES; i++)
        stored_free(&r->of[i]);
    pthread_mutex_destroy(&r->own);
    free(r->path);
    free(r);
}

static _Thread_local struct assay_fpenv modes; /* of the caller, between kept_new and kept_finish */

static int kept_new(assay_results **to, const char *path, struct assay_error *e)
{
    assay_fpenv_enter(&modes);
    assay_results *r = *to = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the results");
    pthread_mutex_init(&r->own, NULL);
    r->lock = &r->own;
    return (r->path = strdup(path)) ? ASSAY_OK : assay_fail_memory(e, "the results");
}

/* Frees the results after a failure. */
static int kept_finish(assay_results **results, const struct assay_error *e, char *error, size_t error_size)
{
    assay_fpenv_leave(&modes);
    if (e->code)
        assay_results_free(results);
    return assay_answer(e, error, error_size);
}

/* Makes results ready to be looked at. The session may be NULL. */
static int keep(assay_results *k, uint32_t i, const assay_session *session, struct assay_error *e)
{
    struct stored *x = &k->of[i];
    struct report_run *run = &x->run;
    struct assay_error why = {0};
    const char *reference = report_run_field(run, "reference_file");
    k->reference = reference ? reference : k->path;
    run->version = run->version ? run->version : assay_version();
    x->exit_code = !run->incomplete ? 0 : x->exit_code > 1 ? x->exit_code : -ASSAY_EMISMATCH;
    if (run->incomplete)
        assay_fail(&why, -x->exit_code, "%s", run->reason ? run->reason : "it is incomplete");
    x->failed = run->reason = stored_copy(x, run->incomplete ? why.text : NULL);
    k->over[i] = true;
    TRY(stored_lost(x, "the results", e));
    return stored_describe(x, session, 0, session ? assay_session_keys(session) : 0, false, e);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int read_encode(assay_results *k, const struct report_file *f, uint32_t i, struct assay_error *e)
{
    struct assay_error why = {0};
    assay_session *session = NULL;
    TRY(report_file_take(f, i, k->path, &k->of[i], e));
    const int rc = stored_plan(&session, &k->of[i], &why) == ASSAY_EINTERNAL
        ? assay_fail(e, why.code, "%s", why.text) : keep(k, i, session, e);
    assay_session_close(&session);
    return rc;
}

int assay_results_read(assay_results **results, const char *path, char *error, size_t error_size)
{
    struct assay_error e = {0};
    struct report_file f = {0};
    int rc = kept_new(results, path, &e);
    rc = rc ? rc : report_file_read(&f, (*results)->path, &e);
    for (uint32_t i = 0; !rc && i < (f.encodes ? f.encodes : 1); i++) {
        (*results)->encodes = i + 1;
        rc = read_encode(*results, &f, i, &e);
    }
    report_file_free(&f);
    return kept_finish(results, &e, error, error_size);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

int result_stored(const assay_results *results, uint32_t encode, struct stored *s, struct assay_error *e)
{
    if (encode >= results->encodes)
        return assay_fail(e, ASSAY_EUSAGE, "there is no encode %u", encode);
    const struct stored *x = &results->of[encode];
    if (assay_results_state(results, encode, NULL) == 1 || !x->scores.keys) /* an encode that is over changes no more */
        return assay_fail(e, ASSAY_EUSAGE, "%s has no scores, or not all of them yet", x->name);
    *s = *x;
    s->path = results->path ? results->path : x->name;
    return ASSAY_OK;
}

static int merge(assay_results *k, const assay_results *const *parts, uint32_t count, struct stored *part,
                 struct assay_error *e)
{
    assay_session *session = NULL;
    struct stored *x = &k->of[0];
    for (uint32_t i = 0; i < count; i++)
        TRY(result_stored(parts[i], 0, &part[i], e));
    TRY(shards_merge(part, count, x, e));
    k->encodes = 1;
    stored_name(x, part->name, part->file);
    int rc = stored_whole(&session, x, e);
    x->part = (struct report_part){0};
    rc = rc ? rc : keep(k, 0, session, e);
    assay_session_close(&session);
    return rc;
}

int assay_results_merge(assay_results **results, const assay_results *const *parts, uint32_t count, char *error,
                        size_t error_size)
{
    struct assay_error e = {0};
    struct stored *part = calloc((size_t)count + 1, sizeof *part);
    if (!kept_new(results, "the merged parts", &e))
        (void)(part ? merge(*results, parts, count, part, &e) : assay_fail_memory(&e, "the parts"));
    free(part);
    return kept_finish(results, &e, error, error_size);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

int assay_results_compare(const assay_results *a, uint32_t encode_a, const assay_results *b, uint32_t encode_b,
                          uint32_t index, assay_comparison *comparison)
{
    struct stored has[2];
    uint32_t other;
    *comparison = (assay_comparison){0};
    TRY(result_stored(a, encode_a, &has[0], NULL));
    TRY(result_stored(b, encode_b, &has[1], NULL));
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < stored_scores(&has[side]); i++) {
            const char *name = stored_score(&has[side], i);
            if ((side && stored_find(&has[0], name, &other)) || index--)
                continue;
            stored_compare(&has[0], &has[1], name, -1, comparison);
            return ASSAY_OK;
        }
    return ASSAY_EUSAGE;
}
