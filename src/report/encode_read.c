/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a JSON report of assay or of libvmaf as a run: its frames' scores, and what it says of itself. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "report/encode.h"
#include "report/file.h"

/* What encode_take needs of the run that a report describes. Texts are borrowed from `root`. */
struct reading {
    const char *path;
    cJSON *root;
    struct scores scores;
    const char *key[ENCODE_FIGURES];
    struct report_field field[7];
    struct report_aggregate aggregate[ENCODE_FIGURES];
    struct report_run run;
    char number[NUMBER_TEXT_SIZE];
};

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int refuse(const struct reading *r, const char *why, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s: no report of scores: %s", r->path, why);
}

/* NaN for null, for anything that is no number, and where nothing is. */
static double number(const cJSON *item)
{
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static uint32_t side(const cJSON *item)
{
    const double v = number(item);
    return v >= 1 && v <= 65535 ? (uint32_t)v : 0;
}

/* The keys of the figures that the frames have, each once; and the figures that are of the whole run. */
static int choose_keys(struct reading *r, const struct gate *figure, uint32_t figures, struct assay_error *e)
{
    const cJSON *first = get(cJSON_GetArrayItem(get(r->root, "frames"), 0), "metrics");
    const cJSON *whole = get(r->root, "aggregate_metrics");
    uint32_t keys = 0;
    for (uint32_t i = 0; i < figures && i < ENCODE_FIGURES; i++) {
        bool listed = false;
        for (uint32_t k = 0; k < keys; k++)
            listed = listed || !strcmp(r->key[k], figure[i].key);
        if (!listed && get(first, figure[i].key))
            r->key[keys++] = figure[i].key;
        else if (!listed && get(whole, figure[i].key))
            r->aggregate[r->run.aggregates++] =
                (struct report_aggregate){figure[i].key, number(get(whole, figure[i].key))};
    }
    r->run.aggregate = r->aggregate;
    return scores_init(&r->scores, keys, r->key, e);
}

static int read_frames(struct reading *r, struct assay_error *e)
{
    const cJSON *frames = get(r->root, "frames"), *frame;
    double row[ENCODE_FIGURES], before = -1;
    cJSON_ArrayForEach(frame, frames)
    {
        const double n = number(get(frame, "frameNum"));
        if (!(n > before && n < 0x1p53) || n != (double)(uint64_t)n)
            return refuse(r, "the numbers of its frames do not ascend", e);
        if (!cJSON_IsObject(get(frame, "metrics")))
            return refuse(r, "a frame has no metrics", e);
        for (uint32_t k = 0; k < r->scores.keys; k++)
            row[k] = number(get(get(frame, "metrics"), r->key[k]));
        if (scores_add(&r->scores, (uint64_t)n, SCORES_NO_TIME, row, e))
            return e->code;
        before = n;
    }
    return ASSAY_OK;
}

/* What assay's own block says. A report of libvmaf has none. */
static void read_block(struct reading *r)
{
    static const char *const texts[] = {"reference_file", "configuration", "scale_filter", "scale_siting",
                                        "reference_crop", REPORT_BITRATE_OF};
    const cJSON *block = get(r->root, "assay");
    const double kbps = number(get(block, REPORT_BITRATE));
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (cJSON_IsString(get(block, texts[i])))
            r->field[r->run.fields++] =
                (struct report_field){texts[i], get(block, texts[i])->valuestring, false, false};
    if (isfinite(kbps)) {
        format_shortest(r->number, kbps);
        r->field[r->run.fields++] = (struct report_field){REPORT_BITRATE, r->number, true, false};
    }
    r->run.field = r->field;
    r->run.width = side(get(block, "width"));
    r->run.height = side(get(block, "height"));
    r->run.incomplete = cJSON_IsTrue(get(block, "incomplete"));
    r->run.reason = cJSON_IsString(get(block, "reason")) ? get(block, "reason")->valuestring : NULL;
}

static int take(struct encode *x, struct reading *r, const struct gate *figure, uint32_t figures, struct assay_error *e)
{
    if (cJSON_IsArray(get(r->root, "encodes")))
        return assay_fail(e, ASSAY_EINPUT, "%s: is a report on several encodes; --json with {name} in its path writes "
                          "one for each", r->path);
    if (!cJSON_IsArray(get(r->root, "frames")) || !cJSON_IsObject(get(r->root, "pooled_metrics")))
        return refuse(r, "it has not the shape of those that assay's and libvmaf's --json write", e);
    read_block(r);
    TRY(choose_keys(r, figure, figures, e));
    TRY(read_frames(r, e));
    return encode_take(x, r->path, &r->scores, &r->run, figure, figures, e);
}

int encode_parse(struct encode *x, const char *path, const char *text, size_t size, const struct gate *figure,
                 uint32_t figures, struct assay_error *e)
{
    struct assay_error local = {0};
    struct reading r = {.path = path};
    *x = (struct encode){0};
    errno = 0;
    r.root = cJSON_ParseWithLength(text, size);
    int rc;
    if (r.root)
        rc = take(x, &r, figure, figures, &local);
    else if (errno == ENOMEM) /* cJSON reports both as NULL */
        rc = assay_fail_memory(&local, "a report");
    else
        rc = refuse(&r, "it is damaged, or no JSON", &local);
    scores_free(&r.scores);
    cJSON_Delete(r.root);
    return rc ? assay_fail(e, rc, "%s", local.text) : ASSAY_OK;
}

int encode_read(struct encode *x, const char *path, const struct gate *figure, uint32_t figures, struct assay_error *e)
{
    struct assay_error local = {0};
    size_t size;
    *x = (struct encode){0};
    char *text = file_read(path, &size, &local);
    if (!text)
        return assay_fail(e, local.code, "%s", local.text);
    const int rc = encode_parse(x, path, text, size, figure, figures, e);
    free(text);
    return rc;
}
