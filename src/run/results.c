/* SPDX-License-Identifier: BSD-2-Clause */
/* Results as the clients of assay/run.h read them. */
#include "run/results.h"

#include <math.h>
#include <string.h>

#include "host/fpenv.h"
#include "results/file.h"
#include "report/report.h"

uint32_t assay_results_encodes(const assay_results *results) { return results->encodes; }

const char *assay_results_name(const assay_results *results, uint32_t encode)
{
    return encode < results->encodes ? results->of[encode].name : NULL;
}

static _Thread_local struct assay_fpenv modes; /* of the caller that has the lock */

/* Takes the lock and the library's floating-point modes, which give returns, and returns the result of an encode; an
 * empty one where there is no such encode. */
static const struct stored *take(const assay_results *results, uint32_t encode)
{
    static const struct stored none;
    pthread_mutex_lock(results->lock);
    assay_fpenv_enter(&modes);
    return encode < results->encodes ? &results->of[encode] : &none;
}

static void give(const assay_results *results)
{
    assay_fpenv_leave(&modes);
    pthread_mutex_unlock(results->lock);
}

static bool is_over(const assay_results *r, uint32_t encode) { return encode < r->encodes && r->over[encode]; }

int assay_results_state(const assay_results *results, uint32_t encode, const char **reason)
{
    const struct stored *x = take(results, encode);
    const bool there = encode < results->encodes;
    const int state = !there ? ASSAY_EUSAGE : is_over(results, encode) ? -x->exit_code : 1;
    if (reason && there)
        *reason = state < 0 ? x->failed : "";
    give(results);
    return state;
}

uint32_t assay_results_keys(const assay_results *results, uint32_t encode)
{
    const uint32_t keys = take(results, encode)->scores.keys;
    give(results);
    return keys;
}

const char *assay_results_key(const assay_results *results, uint32_t encode, uint32_t key)
{
    return key < assay_results_keys(results, encode) ? results->of[encode].scores.key[key] : NULL;
}

int assay_results_key_direction(const assay_results *results, uint32_t encode, uint32_t key)
{
    return key < assay_results_keys(results, encode) ? results->of[encode].scores.direction[key] : ASSAY_NEUTRAL;
}

int assay_results_key_feature(const assay_results *results, uint32_t encode, uint32_t key)
{
    return key < assay_results_keys(results, encode) ? results->of[encode].run.hidden[key] : 0;
}

uint32_t assay_results_find_key(const assay_results *results, uint32_t encode, const char *key)
{
    uint32_t column;
    const uint32_t keys = assay_results_keys(results, encode);
    return keys && scores_column(&results->of[encode].scores, key, &column) ? column : ASSAY_NONE;
}

uint64_t assay_results_rows(const assay_results *results, uint32_t encode)
{
    const uint64_t rows = take(results, encode)->scores.rows;
    give(results);
    return rows;
}

const double *assay_results_row(const assay_results *results, uint32_t encode, uint64_t row, uint64_t *frame,
                                int64_t *time)
{
    const struct stored *x = take(results, encode);
    const double *values = NULL;
    if (row < x->scores.rows) {
        values = scores_row(&x->scores, row);
        if (frame)
            *frame = x->scores.frame[row];
        if (time)
            *time = x->scores.time[row];
    }
    give(results);
    return values;
}

uint64_t assay_results_column(const assay_results *results, uint32_t encode, uint32_t key, uint64_t first,
                              uint64_t end, double *values, uint64_t *frames, int64_t *times)
{
    const struct stored *x = take(results, encode);
    const uint64_t last = end < x->scores.rows ? end : x->scores.rows;
    const uint64_t n = (key < x->scores.keys || key == ASSAY_NONE) && first < last ? last - first : 0;
    for (uint64_t i = 0; i < n; i++) {
        if (values && key != ASSAY_NONE)
            values[i] = scores_value(&x->scores, first + i, key);
        if (frames)
            frames[i] = x->scores.frame[first + i];
        if (times)
            times[i] = x->scores.time[first + i];
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
    const struct stored *x = take(results, encode);
    const uint64_t row = scores_find(&x->scores, frame);
    const bool there = row < x->scores.rows && x->scores.frame[row] == frame;
    if (there)
        *value = scores_value(&x->scores, row, column);
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
    const struct stored *x = take(results, encode);
    *value = scores_pool_rows(&x->scores, column, scores_find(&x->scores, first), scores_find(&x->scores, end), kind,
                              percent, NULL);
    give(results);
    return ASSAY_OK;
}

const char *assay_results_aggregate(const assay_results *results, uint32_t encode, uint32_t index, double *value)
{
    const char *key = NULL;
    const struct stored *x = take(results, encode);
    if (is_over(results, encode) && !x->exit_code && index < x->run.aggregates) {
        key = x->run.aggregate[index].key;
        *value = x->run.aggregate[index].value;
    }
    give(results);
    return key;
}

const char *assay_results_fact(const assay_results *results, uint32_t encode, const char *name)
{
    const struct stored *x = take(results, encode);
    const char *value = is_over(results, encode) ? report_run_field(&x->run, name) : NULL;
    give(results);
    return value;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static int write_one(const struct stored *x, enum report_kind kind, int decimals, const char *path,
                     struct assay_error *e)
{
    return x->scores.key ? reporter_write(kind, path, decimals, x, e)
                         : assay_fail(e, ASSAY_EUSAGE, "%s has no scores: %s", x->name, x->failed);
}

static int write_all(const assay_results *results, enum report_kind kind, int decimals, const char *path,
                     struct assay_error *e)
{
    struct reporter *r;
    TRY(reporter_open_joint(&r, kind, path, decimals, e));
    return reporter_finish_joint(&r, results->of, results->encodes, e);
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
    } forms[] = {{"json", REPORT_JSON}, {"csv", REPORT_CSV}, {"html", REPORT_HTML}, {"svg", REPORT_PLOT},
                 {"xml", REPORT_XML}, {"sub", REPORT_SUB}};
    enum { FORMS = sizeof forms / sizeof forms[0] };
    struct assay_error e = {0};
    unsigned i = 0;
    while (i < FORMS && strcmp(forms[i].name, form))
        i++;
    const bool all = encode == ASSAY_NONE && results->encodes > 1;
    const uint32_t one = encode == ASSAY_NONE ? 0 : encode;
    bool done = true;
    take(results, one);
    for (uint32_t k = 0; k < results->encodes; k++)
        done = done && ((!all && k != one) || results->over[k]);
    if (i == FORMS || (all && report_of_one(forms[i].kind)))
        assay_fail(&e, ASSAY_EUSAGE, "no report of %s is called '%s'", all ? "several encodes" : "an encode", form);
    else if (one >= results->encodes || decimals < -1 || decimals > 17 || !strcmp(path, "-"))
        assay_fail(&e, ASSAY_EUSAGE, "there is no encode %u, or not %d decimals, or '%s' is no file", one, decimals,
                   path);
    else if (results->of[one].rounded && !strcmp(form, "json"))
        assay_fail(&e, ASSAY_EUSAGE, "%s has rounded scores, and a report would give them digests of their own",
                   results->of[one].name);
    else if (is_input(results, path))
        assay_fail(&e, ASSAY_EUSAGE, "'%s' is one of the inputs and would be overwritten", path);
    else if (!done)
        assay_fail(&e, ASSAY_EUSAGE, "the run is not at its end");
    else if (all)
        write_all(results, forms[i].kind, decimals, path, &e);
    else
        write_one(&results->of[one], forms[i].kind, decimals, path, &e);
    give(results);
    return assay_answer(&e, error, error_size);
}
