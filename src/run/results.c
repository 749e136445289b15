/* SPDX-License-Identifier: BSD-2-Clause */
/* Results as the clients of assay/run.h read them. */
#include "run/results.h"

#include <math.h>
#include <string.h>

#include "results/file.h"
#include "report/joint.h"

uint32_t assay_results_encodes(const assay_results *results)
{
    return results->encodes;
}

const char *assay_results_name(const assay_results *results, uint32_t encode)
{
    return encode < results->encodes ? results->of[encode].has.path : NULL;
}

/* Takes the lock, which give returns, and returns the result of an encode; an empty one where there is no such
 * encode. */
static const struct result *take(const assay_results *results, uint32_t encode)
{
    static const struct result none = {.state = ASSAY_EUSAGE};
    pthread_mutex_lock(results->lock);
    return encode < results->encodes ? &results->of[encode] : &none;
}

static void give(const assay_results *results)
{
    pthread_mutex_unlock(results->lock);
}

int assay_results_state(const assay_results *results, uint32_t encode, const char **reason)
{
    const struct result *x = take(results, encode);
    const int state = x->state;
    if (reason && encode < results->encodes)
        *reason = state < 0 ? x->error.text : "";
    give(results);
    return state;
}

uint32_t assay_results_keys(const assay_results *results, uint32_t encode)
{
    const uint32_t keys = take(results, encode)->has.scores.keys;
    give(results);
    return keys;
}

const char *assay_results_key(const assay_results *results, uint32_t encode, uint32_t key)
{
    return key < assay_results_keys(results, encode) ? results->of[encode].has.scores.key[key] : NULL;
}

int assay_results_key_direction(const assay_results *results, uint32_t encode, uint32_t key)
{
    return key < assay_results_keys(results, encode) ? results->of[encode].has.scores.direction[key] : ASSAY_NEUTRAL;
}

int assay_results_key_feature(const assay_results *results, uint32_t encode, uint32_t key)
{
    return key < assay_results_keys(results, encode) ? results->of[encode].has.run.hidden[key] : 0;
}

uint32_t assay_results_find_key(const assay_results *results, uint32_t encode, const char *key)
{
    uint32_t column;
    const uint32_t keys = assay_results_keys(results, encode);
    return keys && scores_column(&results->of[encode].has.scores, key, &column) ? column : ASSAY_NONE;
}

uint64_t assay_results_rows(const assay_results *results, uint32_t encode)
{
    const uint64_t rows = take(results, encode)->has.scores.rows;
    give(results);
    return rows;
}

const double *assay_results_row(const assay_results *results, uint32_t encode, uint64_t row, uint64_t *frame,
                                int64_t *time)
{
    const struct result *x = take(results, encode);
    const double *values = NULL;
    if (row < x->has.scores.rows) {
        values = scores_row(&x->has.scores, row);
        if (frame)
            *frame = x->has.scores.frame[row];
        if (time)
            *time = x->has.scores.time[row];
    }
    give(results);
    return values;
}

uint64_t assay_results_column(const assay_results *results, uint32_t encode, uint32_t key, uint64_t first,
                              uint64_t end, double *values, uint64_t *frames, int64_t *times)
{
    const struct result *x = take(results, encode);
    const uint64_t last = end < x->has.scores.rows ? end : x->has.scores.rows;
    const uint64_t n = (key < x->has.scores.keys || key == ASSAY_NONE) && first < last ? last - first : 0;
    for (uint64_t i = 0; i < n; i++) {
        if (values && key != ASSAY_NONE)
            values[i] = scores_value(&x->has.scores, first + i, key);
        if (frames)
            frames[i] = x->has.scores.frame[first + i];
        if (times)
            times[i] = x->has.scores.time[first + i];
    }
    give(results);
    return n;
}

int assay_results_value(const assay_results *results, uint32_t encode, const char *key, uint64_t frame, double *value)
{
    const uint32_t column = assay_results_find_key(results, encode, key);
    *value = (double)NAN;
    if (column == ASSAY_NONE)
        return ASSAY_EUSAGE;
    const struct result *x = take(results, encode);
    const uint64_t row = scores_find(&x->has.scores, frame);
    const bool there = row < x->has.scores.rows && x->has.scores.frame[row] == frame;
    if (there)
        *value = scores_value(&x->has.scores, row, column);
    give(results);
    return there ? ASSAY_OK : ASSAY_EUSAGE;
}

int assay_results_pool(const assay_results *results, uint32_t encode, const char *key, const char *pool,
                       uint64_t first, uint64_t end, double *value)
{
    const uint32_t column = assay_results_find_key(results, encode, key);
    enum pool kind;
    double percent;
    *value = (double)NAN;
    if (column == ASSAY_NONE || !pool_parse(pool, &kind, &percent))
        return ASSAY_EUSAGE;
    const struct result *x = take(results, encode);
    const uint64_t from = scores_find(&x->has.scores, first), to = scores_find(&x->has.scores, end);
    if (from < to)
        *value = scores_pool_rows(&x->has.scores, column, from, to, kind, percent, NULL);
    give(results);
    return ASSAY_OK;
}

const char *assay_results_aggregate(const assay_results *results, uint32_t encode, uint32_t index, double *value)
{
    const char *key = NULL;
    const struct result *x = take(results, encode);
    if (!x->state && index < x->has.run.aggregates) {
        key = x->has.run.aggregate[index].key;
        *value = x->has.run.aggregate[index].value;
    }
    give(results);
    return key;
}

const char *assay_results_fact(const assay_results *results, uint32_t encode, const char *name)
{
    const struct result *x = take(results, encode);
    const char *value = x->state <= 0 ? report_run_field(&x->has.run, name) : NULL;
    give(results);
    return value;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static int write_one(const struct result *x, enum report_kind kind, int decimals, const char *path,
                     struct assay_error *e)
{
    struct report_run run = x->has.run;
    if (!run.version || !x->has.scores.keys)
        return assay_fail(e, ASSAY_EUSAGE, "%s has no scores: %s", x->has.path, x->error.text);
    run.reason = run.incomplete ? x->error.text : NULL;
    return reporter_write(kind, path, decimals, &run, &x->has.scores, e);
}

static int write_all(const assay_results *results, enum report_kind kind, int decimals, const char *path,
                     struct assay_error *e)
{
    struct report_encode entry[ASSAY_ENCODES];
    struct report_run run[ASSAY_ENCODES];
    struct joint *joint;
    for (uint32_t k = 0; k < results->encodes; k++) {
        const struct result *x = &results->of[k];
        const bool scored = x->has.run.version && x->has.scores.keys;
        run[k] = scored ? x->has.run : (struct report_run){.version = assay_version(), .incomplete = true};
        run[k].reason = run[k].incomplete ? x->error.text : NULL;
        entry[k] = (struct report_encode){.name = x->has.path, .file = x->file, .width = x->width, .height = x->height,
                                          .failed = x->state < 0 ? x->error.text : NULL, .exit_code = -x->state,
                                          .scores = scored ? &x->has.scores : NULL, .run = &run[k]};
    }
    TRY(joint_open(&joint, kind, path, decimals, e));
    return joint_finish(&joint, assay_version(), entry, results->encodes, e);
}

static bool is_input(const assay_results *results, const char *path)
{
    bool input = file_same_spot(results->reference, path);
    for (uint32_t k = 0; k < results->encodes; k++)
        input = input || file_same_spot(results->of[k].file, path);
    return input;
}

int assay_results_write(const assay_results *results, uint32_t encode, const char *form, int decimals,
                        const char *path, char *error, size_t error_size)
{
    static const struct {
        const char *name;
        enum report_kind kind;
        bool joint; /* may be of several encodes */
    } forms[] = {{"json", REPORT_JSON, true}, {"csv", REPORT_CSV, true}, {"html", REPORT_HTML, true},
                 {"svg", REPORT_PLOT, true}, {"xml", REPORT_XML, false}, {"sub", REPORT_SUB, false}};
    enum { FORMS = sizeof forms / sizeof forms[0] };
    struct assay_error e = {0};
    unsigned i = 0;
    while (i < FORMS && strcmp(forms[i].name, form))
        i++;
    const bool all = encode == ASSAY_NONE && results->encodes > 1;
    const uint32_t one = encode == ASSAY_NONE ? 0 : encode;
    bool done = true;
    pthread_mutex_lock(results->lock);
    for (uint32_t k = 0; k < results->encodes; k++)
        done = done && ((!all && k != one) || results->of[k].state != 1);
    if (i == FORMS || (all && !forms[i].joint))
        assay_fail(&e, ASSAY_EUSAGE, "no report of %s is called '%s'", all ? "several encodes" : "an encode", form);
    else if (one >= results->encodes || decimals < -1 || decimals > 17 || !strcmp(path, "-"))
        assay_fail(&e, ASSAY_EUSAGE, "there is no encode %u, or not %d decimals, or '%s' is no file", one, decimals,
                   path);
    else if (results->path && results->of[one].has.rounded && !strcmp(form, "json"))
        assay_fail(&e, ASSAY_EUSAGE, "%s has rounded scores, and a report would give them digests of their own",
                   results->of[one].has.path);
    else if (is_input(results, path))
        assay_fail(&e, ASSAY_EUSAGE, "'%s' is one of the inputs and would be overwritten", path);
    else if (!done)
        assay_fail(&e, ASSAY_EUSAGE, "the run is not at its end");
    else if (all)
        write_all(results, forms[i].kind, decimals, path, &e);
    else
        write_one(&results->of[one], forms[i].kind, decimals, path, &e);
    pthread_mutex_unlock(results->lock);
    return run_answer(&e, error, error_size);
}
