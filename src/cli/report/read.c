/* SPDX-License-Identifier: BSD-2-Clause */
/* What a JSON report says of an encode beside its results (results/report_read.h). */
#include "cli/report/told.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "results/digest.h"

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *text_of(const cJSON *item)
{
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* ---- exact scores ------------------------------------------------------------------------------------------------ */

static bool is_stated(const cJSON *bits, const char *key, uint64_t digest)
{
    char text[20];
    const char *stated = text_of(get(bits, key));
    snprintf(text, sizeof text, "%016" PRIx64, digest);
    return stated && !strcmp(stated, text);
}

static uint64_t digest_of(const struct scores *s, uint32_t k, double instead)
{
    uint64_t sum = DIGEST_START;
    for (uint64_t row = 0; row < s->rows; row++) {
        const double v = scores_value(s, row, k);
        sum = digest_value(sum, s->frame[row], isnan(v) ? instead : v);
    }
    return sum;
}

/* JSON has null for what is no number. The digests tell which one it was: of a score's values, all the same. */
static const double others[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
enum { OTHERS = sizeof others / sizeof others[0] };

/* Sets the values of a key that are no numbers. False: its scores are rounded. */
static bool restore_key(struct scores *s, const cJSON *bits, uint32_t k)
{
    unsigned i = 0;
    while (i < OTHERS && !is_stated(bits, s->key[k], digest_of(s, k, others[i])))
        i++;
    for (uint64_t row = 0; i && i < OTHERS && row < s->rows; row++)
        if (isnan(scores_value(s, row, k)))
            s->block[row / SCORES_BLOCK][row % SCORES_BLOCK * s->keys + k] = others[i];
    return i < OTHERS;
}

static bool restore(struct stored *s, struct report_aggregate *aggregate, const cJSON *bits)
{
    bool exact = true;
    for (uint32_t k = 0; k < s->scores.keys; k++)
        exact = restore_key(&s->scores, bits, k) && exact;
    for (uint32_t a = 0; a < s->run.aggregates; a++) {
        aggregate[a] = s->run.aggregate[a];
        unsigned i = 0;
        for (double v = aggregate[a].value; i < OTHERS; i++)
            if (is_stated(bits, aggregate[a].key, digest_value(DIGEST_START, 0, isnan(v) ? others[i] : v)))
                break;
        if (i < OTHERS && isnan(aggregate[a].value))
            aggregate[a].value = others[i];
        exact = exact && i < OTHERS;
    }
    s->run.aggregate = aggregate;
    return exact;
}

/* ---- what was compared ------------------------------------------------------------------------------------------- */

/* What was done to a side's pictures, as describe_run of run/pair.h says it. */
static const char *changed(const struct report_run *run, unsigned side)
{
    const bool cropped = report_run_field(run, side ? "distorted_crop" : "reference_crop"),
               scaled = report_run_field(run, side ? "distorted_scaled" : "reference_scaled");
    return cropped && scaled ? " (cropped, scaled)" : cropped ? " (cropped)" : scaled ? " (scaled)" : "";
}

static void describe(struct told *t)
{
    const struct report_run *run = &t->s.run;
    const char *ref = report_run_field(run, "reference_file"), *dis = report_run_field(run, "distorted_file"),
               *filter = report_run_field(run, "scale_filter"), *size = report_run_field(run, "distorted_size");
    if (!size || sscanf(size, "%5ux%5u", &t->width, &t->height) != 2)
        t->width = t->height = 0;
    if (!ref || !dis)
        return;
    snprintf(t->compared, sizeof t->compared, "%s%s against %s%s%s%s", dis, changed(run, 1), ref, changed(run, 0),
             filter ? ", " : "", filter ? filter : "");
    t->s.run.compared = t->compared;
}

/* ---- frames that are paired by time ------------------------------------------------------------------------------ */

static uint64_t partner(void *opaque, uint64_t frame)
{
    const struct told *t = opaque;
    return t->partner[scores_find(&t->s.scores, frame)];
}

static int read_partners(struct told *t, const cJSON *frames, struct assay_error *e)
{
    const cJSON *frame;
    uint64_t row = 0;
    if (!get(cJSON_GetArrayItem(frames, 0), "distorted_frame"))
        return ASSAY_OK;
    t->partner = calloc(t->s.scores.rows + 1, sizeof *t->partner);
    if (!t->partner)
        return assay_fail_memory(e, "the frames of a report");
    cJSON_ArrayForEach(frame, frames)
    {
        const cJSON *item = get(frame, "distorted_frame");
        const double v = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(v >= 0 && v < 0x1p53))
            return assay_fail(e, ASSAY_EINPUT, "%s: no report of scores: a frame has no 'distorted_frame'", t->s.path);
        t->partner[row++] = (uint64_t)v;
    }
    t->s.run.partner = partner;
    t->s.run.partner_opaque = t;
    return ASSAY_OK;
}

/* ---- reports of the front of libvmaf's command ------------------------------------------------------------------- */

/* Their frames have no times, but the worst ones of each score have. */
static void read_worst_times(struct told *t, const cJSON *percentiles)
{
    struct scores *s = &t->s.scores;
    for (uint32_t k = 0; k < s->keys; k++) {
        const cJSON *of = get(percentiles, s->key[k]), *frame = get(of, "worst_frame"), *time = get(of, "worst_time");
        const double n = cJSON_IsNumber(frame) ? frame->valuedouble : -1,
                     at = cJSON_IsNumber(time) ? time->valuedouble : (double)NAN;
        const uint64_t row = n >= 0 && n < 0x1p53 ? scores_find(s, (uint64_t)n) : s->rows;
        if (row < s->rows && fabs(at) < 0x1p33)
            s->time[row] = (int64_t)(at * 1e9 + (at < 0 ? -0.5 : 0.5));
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* The version that scored. Of an encode that failed at once, only the head of the report says it. */
static const char *version_of(const cJSON *root)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.+-";
    const char *version = text_of(get(root, "version"));
    version = version && !strncmp(version, "assay ", 6) ? version + 6 : "";
    return *version && !version[strspn(version, letters)] ? version : assay_version();
}

static int read_rest(struct told *t, const cJSON *root, const cJSON *of, struct assay_error *e)
{
    struct stored *s = &t->s;
    const cJSON *fps = get(root, "fps"), *block = get(of, "assay");
    const char *head = text_of(get(root, "version"));
    struct report_aggregate *aggregate = stored_alloc(s, s->run.aggregates + 1, sizeof *aggregate);
    if (!aggregate)
        return assay_fail_memory(e, "a report");
    if (!s->run.version || !s->run.width || !s->run.height)
        return assay_fail(e, ASSAY_EINPUT, "%s: is no report of assay's: nothing in it says what was scored, and how",
                          s->path);
    t->rounded = !restore(s, aggregate, get(block, "bits"));
    s->run.fps = cJSON_IsNumber(fps) ? fps->valuedouble : 0;
    if (head && strncmp(head, "assay ", 6)) {
        s->run.libvmaf = stored_copy(s, head);
        read_worst_times(t, get(block, "percentiles"));
    }
    describe(t);
    return read_partners(t, get(of, "frames"), e);
}

/* Takes the reason of a failure out of an encode's object, so that the scores in front of it can be read. */
static int take_failure(struct told *t, cJSON *of, struct assay_error *e)
{
    cJSON *failed = cJSON_DetachItemFromObjectCaseSensitive(of, "failed");
    char *why = failed && text_of(failed) ? strdup(failed->valuestring) : NULL;
    const bool lost = failed && text_of(failed) && !why;
    cJSON_Delete(failed);
    t->failed = why;
    return lost ? assay_fail_memory(e, "a report") : ASSAY_OK;
}

int told_read(struct told *t, struct report_file *f, uint32_t i, struct assay_error *e)
{
    cJSON *root = f->root, *of = root;
    if (f->encodes) {
        of = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "encodes"), (int)i);
        t->name = f->encode[i].name;
        t->file = f->encode[i].file;
        const cJSON *code = get(of, "exit_code");
        t->exit_code = cJSON_IsNumber(code) ? code->valueint : 0;
        TRY(take_failure(t, of, e));
    }
    if (t->failed && !get(of, "frames")) {
        t->s.path = t->file;
        t->s.run = (struct report_run){.version = version_of(root), .incomplete = true, .reason = t->failed};
        return ASSAY_OK;
    }
    TRY(report_file_take(f, i, t->file ? t->file : f->path, &t->s, e));
    return read_rest(t, root, of, e);
}

void told_free(struct told *t)
{
    union { const char *in; char *out; } failed = {t->failed};
    results_close(&t->results);
    thumbs_free(&t->thumbs);
    assay_session_close(&t->session);
    stored_free(&t->s);
    for (unsigned i = 0; i < CLI_OUTPUTS; i++)
        free(t->path[i]);
    free(t->partner);
    free(failed.out);
}
