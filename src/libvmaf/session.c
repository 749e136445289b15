/* SPDX-License-Identifier: BSD-2-Clause */
/* The session of a context: which metrics it has, how it starts, and where its scores go. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/colour_words.h"
#include "host/libvmaf.h"
#include "host/text.h"
#include "libvmaf/context.h"
#include "libvmaf/log.h"
#include "report/libvmaf.h"

enum { TEXT = 512 };

/* Says why a call with the session failed. */
static int failed(VmafContext *v)
{
    return context_fail(v, "%s", assay_session_error(v->session));
}

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

/* How many words of `some` are words of `all`; *count: of all. */
static unsigned common_words(const char *some, const char *all, unsigned *count)
{
    unsigned found = 0;
    *count = 0;
    for (const char *at = some; *at; at += strcspn(at, " "), at += *at == ' ', ++*count)
        found += text_word_of(all, at, strcspn(at, " ")) >= 0;
    return found;
}

/* Decides whether metric `b` is left out because of `a`, which was asked for earlier and writes some of its keys: the
 * debug output of a metric takes the place of the metric; of two with other options the first one counts. */
static int settle_two(VmafContext *v, unsigned a, unsigned b, bool *left_out)
{
    char error[TEXT], *keys[2] = {NULL, NULL};
    unsigned all, all_of_a;
    int rc = assay_metric_keys(v->metric[a], NULL, &v->format, &keys[0], error, sizeof error);
    if (!rc)
        rc = assay_metric_keys(v->metric[b], NULL, &v->format, &keys[1], error, sizeof error);
    const unsigned common = rc ? 0 : common_words(keys[1], keys[0], &all);
    if (rc) {
        rc = context_fail(v, "%s", error);
    } else if (common) {
        *left_out = true;
        common_words(keys[0], keys[1], &all_of_a);
        if (common == all_of_a && all > common) {
            char *more = v->metric[b];
            v->metric[b] = v->metric[a];
            v->metric[a] = more;
        } else {
            log_line(VMAF_LOG_LEVEL_WARNING, "%s and %s write the same scores: the first one counts", v->metric[a],
                     v->metric[b]);
        }
    }
    free(keys[0]);
    free(keys[1]);
    return rc;
}

static int add_metrics(VmafContext *v)
{
    bool *left_out = calloc(v->metrics + 1, sizeof *left_out);
    int rc = left_out ? 0 : -ENOMEM;
    for (unsigned b = 1; !rc && b < v->metrics; b++)
        for (unsigned a = 0; !rc && a < b && !left_out[b]; a++)
            if (!left_out[a] && assay_metric_find(v->metric[a]) == assay_metric_find(v->metric[b]))
                rc = settle_two(v, a, b, &left_out[b]);
    for (unsigned i = 0; !rc && i < v->metrics; i++)
        if (!left_out[i] && assay_session_add_metric(v->session, v->metric[i]))
            rc = failed(v);
    free(left_out);
    return rc;
}

/* ---- colour ------------------------------------------------------------------------------------------------------ */

/* Whether the options of a metric state a colour. */
static bool states_colour(const char *metric)
{
    return strstr(metric, "matrix=") || strstr(metric, "range=") || strstr(metric, "transfer=") ||
           strstr(metric, "primaries=");
}

/* VmafPicture carries no colour. Where metrics of colour are asked for, the pictures get one, or are refused. */
static int state_colour(VmafContext *v)
{
    static const char taken[] = "bt709,limited";
    const char *of = NULL;
    bool warn = false;
    for (unsigned i = 0; i < v->metrics; i++)
        if (assay_metric_of_colour(assay_metric_find(v->metric[i]))) {
            of = v->metric[i];
            warn = warn || !states_colour(of);
        }
    if (!of)
        return 0;
    if (v->on_device && v->format.layout != ASSAY_LAYOUT_400)
        return context_fail(v, "%.*s compares colours: of pictures in device memory luma is scored",
                            (int)strcspn(of, "="), of);
    if (warn && !v->environment.colour)
        log_line(VMAF_LOG_LEVEL_WARNING, "%.*s compares colours, and pictures of libvmaf have none: BT.709 of limited "
                 "range is taken (ASSAY_COLOUR or options of the feature state another)", (int)strcspn(of, "="), of);
    colour_words_state(&v->format, v->environment.colour ? v->environment.colour : taken);
    return 0;
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* assay_frame_callback: puts the scores of a pair under their names. */
static int take_scores(void *opaque, uint64_t pair, const double *values)
{
    VmafContext *v = opaque;
    pthread_mutex_lock(&v->store.lock);
    const unsigned index = v->index[pair];
    v->ended = clock_ns();
    pthread_mutex_unlock(&v->store.lock);
    if (!context_scores(v, index))
        return 0;
    for (uint32_t i = 0; i < v->columns; i++)
        if (store_set(&v->store, v->key[v->column[i]], index, values[v->column[i]]) == -ENOMEM)
            return -ENOMEM;
    return 0;
}

static int list_keys(VmafContext *v)
{
    enum { LONGER = 32 }; /* what libvmaf's name of a key has more than the key */
    const uint32_t keys = assay_session_keys(v->session);
    v->key = calloc(keys + 1, sizeof *v->key);
    v->column = calloc(keys + 1, sizeof *v->column);
    if (!v->key || !v->column)
        return -ENOMEM;
    for (; v->keys < keys; v->keys++) {
        const char *key = assay_session_key(v->session, v->keys);
        const size_t size = strlen(key) + LONGER;
        v->key[v->keys] = malloc(size);
        if (!v->key[v->keys])
            return -ENOMEM;
        libvmaf_kept_name(v->key[v->keys], size, key);
    }
    v->columns = libvmaf_columns(v->session, NULL, 0, true, v->column);
    for (uint32_t i = 0; i < v->columns; i++)
        if (store_name(&v->store, v->key[v->column[i]],
                       libvmaf_known_at_end(assay_session_key(v->session, v->column[i]))))
            return -ENOMEM;
    return 0;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

static void show_notes(const VmafContext *v)
{
    const char *texts[] = {assay_session_choice(v->session), assay_session_notice(v->session)};
    for (unsigned i = 0; i < 2; i++)
        if (*texts[i])
            log_line(VMAF_LOG_LEVEL_INFO, "%s", texts[i]);
}

static int start(VmafContext *v, const VmafPicture *ref, const VmafPicture *dist)
{
    TRY(add_metrics(v));
    if (assay_session_set_callback(v->session, take_scores, v))
        return failed(v);
    TRY(v->on_device ? cuda_session_start(v, ref, dist) : assay_session_start(v->session, &v->format) ? failed(v) : 0);
    if (assay_session_reach(v->session, &v->before, &v->after))
        return failed(v);
    show_notes(v);
    return list_keys(v);
}

int session_begin(VmafContext *v, const VmafPicture *ref, const VmafPicture *dist)
{
    char error[TEXT], device[16];
    const struct environment *e = &v->environment;
    const char *backend = v->on_device ? NULL : e->backend ? e->backend : v->cuda && !v->cfg.gpumask ? "cuda" : NULL;
    assay_config config = {.backend = backend, .device = v->on_device ? NULL : e->device};
    if (backend && !e->backend && !e->device) { /* the imported state's */
        snprintf(device, sizeof device, "%d", cuda_device(v));
        config.device = device;
    }
    if (!backend || !strcmp(backend, "cpu")) {
        config.threads = e->threads ? e->threads : v->cfg.n_threads ? v->cfg.n_threads : 1;
        config.cpu_level = v->on_device ? NULL : libvmaf_cpu_level(v->cfg.cpumask);
    }
    if (!v->metrics)
        return 0;
    if (state_colour(v))
        return -EINVAL;
    if (assay_session_new(&v->session, &config, error, sizeof error))
        return context_fail(v, "%s", error);
    const int rc = start(v, ref, dist);
    return rc == -ENOMEM ? context_fail(v, "there is no memory for a session") : rc;
}
