/* SPDX-License-Identifier: BSD-2-Clause */
/* assay_run: a thread that carries a request out. */
#include "run/worker.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/system.h"
#include "host/text.h"
#include "host/thread.h"

static uint32_t number_of(const assay_run *a, const struct lane *l)
{
    return l ? (uint32_t)(l - a->walk.lane) : ASSAY_NONE;
}

/* ---- what is said ------------------------------------------------------------------------------------------------ */

void worker_note(assay_run *a, uint32_t encode, const char *code, const char *lines)
{
    size_t n;
    pthread_mutex_lock(&a->events.lock);
    for (const char *line; (line = text_line(&lines, &n));)
        if (n)
            events_add(&a->events, ASSAY_EVENT_NOTE, encode, code, line, n, NULL, 0);
    pthread_mutex_unlock(&a->events.lock);
}

void worker_left_out(assay_run *a, const struct left_out *metrics)
{
    char text[800];
    for (uint32_t i = 0; i < metrics->n; i++) {
        snprintf(text, sizeof text, "%s is left out: %s", metrics->of[i].metric, metrics->of[i].reason);
        worker_note(a, ASSAY_NONE, "left-out", text);
    }
}

void worker_say(assay_run *a, int kind, uint32_t encode, const char *text, const assay_format *format, int result)
{
    pthread_mutex_lock(&a->events.lock);
    events_add(&a->events, kind, encode, NULL, text, strlen(text), format, result);
    pthread_mutex_unlock(&a->events.lock);
}

void worker_opened(assay_run *a, uint32_t encode, const char *name, const char *reader, const assay_format *format,
                   const char *notice)
{
    char text[400], form[32];
    snprintf(text, sizeof text, "%s (%s%s%s, %ux%u)", name, reader, *reader ? ", " : "",
             input_format_name(format, form), format->width, format->height);
    worker_say(a, ASSAY_EVENT_OPENED, encode, text, format, 0);
    worker_note(a, encode, "input", notice);
}

void worker_ended(assay_run *a, struct lane *l)
{
    const uint32_t k = number_of(a, l);
    l->rc = l->rc == RUN_STOPPED ? ASSAY_ECANCELLED : l->rc;
    pthread_mutex_lock(&a->events.lock);
    const bool said = a->results.over[k];
    if (!said)
        result_over(&a->results.of[k], l);
    a->results.over[k] = true;
    pthread_mutex_unlock(&a->events.lock);
    if (!said)
        worker_say(a, ASSAY_EVENT_ENDED, k, l->rc ? l->error.text : "", NULL, l->rc);
}

static void opened(assay_run *a, const struct lane *l, const struct input *in)
{
    worker_opened(a, number_of(a, l), in->name, "", &in->format, in->notice);
    worker_note(a, number_of(a, l), "decoding", in->decoding);
}

/* ---- the steps of the walk --------------------------------------------------------------------------------------- */

static int started(assay_run *a, struct assay_error *e)
{
    const struct run *r = &a->walk.run;
    char text[800];
    worker_left_out(a, &r->left_out);
    worker_note(a, ASSAY_NONE, "device", assay_session_choice(r->session));
    worker_note(a, ASSAY_NONE, "device", assay_session_notice(r->session));
    for (uint32_t k = 0; k < r->lanes; k++) {
        worker_note(a, number_of(a, r->lane[k]), "metric", assay_session_encode_notes(r->session, k));
        pthread_mutex_lock(&a->events.lock);
        const int rc = result_begin(&a->results.of[number_of(a, r->lane[k])], r->lane[k], r->session, NULL, 0, e);
        pthread_mutex_unlock(&a->events.lock);
        TRY(rc);
    }
    snprintf(text, sizeof text, "%s: %s", assay_session_backend(r->session), assay_session_device(r->session));
    for (uint32_t k = 0; k < r->lanes; k++)
        worker_say(a, ASSAY_EVENT_STARTED, number_of(a, r->lane[k]), text, NULL, 0);
    return ASSAY_OK;
}

static void scored(assay_run *a)
{
    struct walk *w = &a->walk;
    const double seconds = clock_seconds_since(w->started);
    pthread_mutex_lock(&a->events.lock);
    for (uint32_t k = 0; k < w->run.lanes; k++) {
        struct lane *l = w->run.lane[k];
        struct stored *x = &a->results.of[number_of(a, l)];
        if (walk_take(w, l, x))
            events_rows(&a->events, number_of(a, l), x->scores.rows);
    }
    events_progress(&a->events, w->scored + 1, w->total, seconds > 0 ? (double)(w->scored + 1) / seconds : 0);
    pthread_mutex_unlock(&a->events.lock);
}

/* What damage was read over, as notes. */
static void note_damage(assay_run *a, struct lane *l)
{
    struct buffer_text out;
    pair_damage(&l->pair, buffer_open(&out));
    char *const text = buffer_close(&out);
    if (text)
        worker_note(a, number_of(a, l), "damage", text);
    free(text);
}

static void finish(assay_run *a, struct lane *l)
{
    const struct run *r = &a->walk.run;
    struct source *encode = &l->pair.source[1];
    struct assay_error unknown = {0};
    const uint32_t k = number_of(a, l);
    char text[RUN_NOTE];
    const char *code;
    for (enum run_note i = 0; run_note(r, l, i, &code, text); i++)
        worker_note(a, k, code, text);
    note_damage(a, l);
    if (!l->rc && l->total && input_measure(encode->input, &encode->rate, &unknown))
        worker_note(a, k, "bitrate", unknown.text);
    pthread_mutex_lock(&a->events.lock);
    result_end(&a->results.of[k], l, r->session);
    pthread_mutex_unlock(&a->events.lock);
    worker_ended(a, l);
}

static int take_step(assay_run *a, enum walk_step step, struct assay_error *e)
{
    const struct run *r = &a->walk.run;
    if (step == WALK_REFERENCE && !a->begun)
        opened(a, NULL, r->reference.source[0].input);
    a->begun = a->begun || step == WALK_REFERENCE;
    for (uint32_t k = 0; k < a->asked.encodes; k++) {
        struct lane *l = &a->walk.lane[k];
        if (step == WALK_OPENED && l->state == LANE_WAITING)
            opened(a, l, l->pair.source[1].input);
        if (step == WALK_CHOSEN)
            worker_note(a, k, "later", l->later);
        if (step == WALK_OVER && l->state == LANE_DONE)
            worker_ended(a, l);
    }
    for (uint32_t k = 0; k < r->lanes; k++) {
        if (step == WALK_READY)
            worker_note(a, number_of(a, r->lane[k]), "difference", r->lane[k]->pair.notices);
        if (step == WALK_READ)
            finish(a, r->lane[k]);
    }
    if (step == WALK_SCORED)
        scored(a);
    return step == WALK_STARTED ? started(a, e) : ASSAY_OK;
}

static void *carry_out(void *opaque)
{
    assay_run *a = opaque;
    int result = ASSAY_OK;
    const bool pictures = a->asked.encode[0].compare == COMPARE_PICTURES;
    if (pictures)
        worker_pictures(a);
    for (enum walk_step step; !pictures && (step = walk_next(&a->walk)) != WALK_END;) {
        struct assay_error e = {0};
        const int rc = take_step(a, step, &e);
        if (rc)
            walk_fail(&a->walk, rc, &e);
    }
    for (uint32_t k = 0; k < a->asked.encodes && !result; k++)
        result = -a->results.of[k].exit_code;
    pthread_mutex_lock(&a->events.lock);
    events_end(&a->events, result);
    pthread_mutex_unlock(&a->events.lock);
    return NULL;
}

/* ---- the public functions ---------------------------------------------------------------------------------------- */

/* Signals go to threads of the application: those of the run, which inherit this one's mask, have none. */
static int start_thread(assay_run *a, struct assay_error *e)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = thread_start(&a->thread, carry_out, a);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? assay_fail(e, ASSAY_EINTERNAL, "a thread can't be started") : ASSAY_OK;
}

static int prepare(assay_run *a, const assay_request *request, struct assay_error *e)
{
    if (!(a->asked.root = cJSON_Duplicate(request->root, true)))
        return assay_fail_memory(e, "a run");
    TRY(asked_take(&a->asked, true, e));
    walk_open(&a->walk, a->asked.encode, a->asked.encodes);
    a->results.encodes = a->asked.encodes;
    a->results.lock = &a->events.lock;
    a->results.reference = a->asked.encode[0].path[0];
    for (uint32_t k = 0; k < a->asked.encodes; k++) {
        struct request *q = &a->asked.encode[k];
        q->stop = &a->stop;
        a->walk.lane[k].q = q;
        stored_name(&a->results.of[k], a->asked.name[k], q->path[1]);
        TRY(stored_lost(&a->results.of[k], "a run", e));
    }
    return ASSAY_OK;
}

static void discard(assay_run *a)
{
    for (uint32_t k = 0; k < ASSAY_ENCODES; k++)
        stored_free(&a->results.of[k]);
    walk_close(&a->walk);
    cJSON_Delete(a->asked.root);
    events_free(&a->events);
    free(a);
}

int assay_run_start(assay_run **run, const assay_request *request, char *error, size_t error_size)
{
    struct assay_error e = {0};
    assay_run *a = *run = calloc(1, sizeof *a);
    if (a ? events_init(&a->events, &e) : assay_fail_memory(&e, "a run"))
        free(a);
    else if (prepare(a, request, &e) || start_thread(a, &e))
        discard(a);
    if (e.code)
        *run = NULL;
    return assay_answer(&e, error, error_size);
}

int assay_run_next(assay_run *run, uint32_t milliseconds, assay_event *event)
{
    events_wait(&run->events, milliseconds, event);
    return event->kind;
}

void assay_run_cancel(assay_run *run)
{
    input_stop(&run->stop, SIGINT);
}

void assay_run_close(assay_run **run)
{
    if (!*run)
        return;
    assay_run_cancel(*run);
    pthread_join((*run)->thread, NULL);
    discard(*run);
    *run = NULL;
}

const assay_results *assay_run_results(const assay_run *run)
{
    return &run->results;
}
