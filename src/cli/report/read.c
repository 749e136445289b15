/* SPDX-License-Identifier: BSD-2-Clause */
/* What a JSON report says of an encode beside its results (results/report_read.h). */
#include "cli/report/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/json.h"

static const char *text_of(const cJSON *item)
{
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* ---- reports of the front of libvmaf's command ------------------------------------------------------------------- */

/* Their frames have no times, but the worst ones of each score have. */
static void read_worst_times(struct told *t, const cJSON *percentiles)
{
    struct scores *s = &t->s.scores;
    for (uint32_t k = 0; k < s->keys; k++) {
        const cJSON *of = JSON_GET(percentiles, s->key[k]), *frame = JSON_GET(of, "worst_frame"),
                    *time = JSON_GET(of, "worst_time");
        const double n = cJSON_IsNumber(frame) ? frame->valuedouble : -1,
                     at = cJSON_IsNumber(time) ? time->valuedouble : (double)NAN;
        const uint64_t row = n >= 0 && n < 0x1p53 ? scores_find(s, (uint64_t)n) : s->rows;
        if (row < s->rows && fabs(at) < 0x1p33)
            s->time[row] = (int64_t)(at * 1e9 + (at < 0 ? -0.5 : 0.5));
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int read_rest(struct told *t, const cJSON *root, const cJSON *of, struct assay_error *e)
{
    struct stored *s = &t->s;
    const cJSON *fps = JSON_GET(root, "fps"), *block = JSON_GET(of, "assay");
    const char *head = text_of(JSON_GET(root, "version"));
    if (!s->run.version || !s->run.width || !s->run.height)
        return assay_fail(e, ASSAY_EINPUT, "%s: is no report of assay's: nothing in it says what was scored, and how",
                          s->path);
    s->run.fps = cJSON_IsNumber(fps) ? fps->valuedouble : 0;
    if (head && strncmp(head, "assay ", 6)) {
        s->run.libvmaf = stored_copy(s, head);
        read_worst_times(t, JSON_GET(block, "percentiles"));
    }
    const char *size = report_run_field(&s->run, "distorted_size");
    if (!size || sscanf(size, "%5ux%5u", &t->width, &t->height) != 2)
        t->width = t->height = 0;
    return ASSAY_OK;
}

int told_read(struct told *t, struct report_file *f, uint32_t i, struct assay_error *e)
{
    const cJSON *root = f->root;
    t->of = f->encodes ? &f->encode[i] : NULL;
    TRY(report_file_take(f, i, t->of ? t->of->file : f->path, &t->s, e));
    if (t->of && t->of->failed && !t->s.scores.key) {
        t->s.run.version = t->s.run.version ? t->s.run.version : assay_version();
        return ASSAY_OK;
    }
    return read_rest(t, root, t->of ? t->of->of : root, e);
}

void told_free(struct told *t)
{
    results_close(&t->results);
    thumbs_free(&t->thumbs);
    assay_session_close(&t->session);
    stored_free(&t->s);
}
