/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads JSON reports of assay and of libvmaf as runs: their frames' scores, and what they say of themselves. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/json.h"
#include "results/encode.h"
#include "results/file.h"

/* What encode_take needs of the run that a report describes. Texts are borrowed from `root`. */
struct reading {
    const char *name; /* for messages */
    const cJSON *root; /* of a report on several encodes, the object of one */
    struct scores scores;
    const char *key[ENCODE_FIGURES];
    struct report_field field[8];
    struct report_aggregate aggregate[ENCODE_FIGURES];
    struct report_run run;
    char number[2][NUMBER_TEXT_SIZE];
};

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int refuse(const char *name, const char *why, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s: no report of scores: %s", name, why);
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
            return refuse(r->name, "the numbers of its frames do not ascend", e);
        if (!cJSON_IsObject(get(frame, "metrics")))
            return refuse(r->name, "a frame has no metrics", e);
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
    static const char *const numbers[] = {REPORT_BITRATE, REPORT_FIRST_REFERENCE};
    const cJSON *block = get(r->root, "assay");
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (cJSON_IsString(get(block, texts[i])))
            r->field[r->run.fields++] =
                (struct report_field){texts[i], get(block, texts[i])->valuestring, false, false};
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const double v = number(get(block, numbers[i]));
        if (!isfinite(v))
            continue;
        format_shortest(r->number[i], v);
        r->field[r->run.fields++] = (struct report_field){numbers[i], r->number[i], true, false};
    }
    r->run.field = r->field;
    r->run.width = side(get(block, "width"));
    r->run.height = side(get(block, "height"));
    r->run.incomplete = cJSON_IsTrue(get(block, "incomplete"));
    r->run.reason = cJSON_IsString(get(block, "reason")) ? get(block, "reason")->valuestring : NULL;
}

static const char not_its_shape[] = "it has not the shape of those that assay's and libvmaf's --json write";

static int take(struct encode *x, struct reading *r, const struct gate *figure, uint32_t figures, struct assay_error *e)
{
    if (cJSON_IsString(get(r->root, "failed")))
        return assay_fail(e, ASSAY_EINPUT, "%s: this encode failed: %.200s", r->name,
                          get(r->root, "failed")->valuestring);
    if (!cJSON_IsArray(get(r->root, "frames")) || !cJSON_IsObject(get(r->root, "pooled_metrics")))
        return refuse(r->name, not_its_shape, e);
    read_block(r);
    TRY(choose_keys(r, figure, figures, e));
    TRY(read_frames(r, e));
    return encode_take(x, r->name, &r->scores, &r->run, figure, figures, e);
}

int encode_report_take(const struct encode_report *r, uint32_t i, struct encode *x, const char *name,
                       const struct gate *figure, uint32_t figures, struct assay_error *e)
{
    struct assay_error local = {0};
    struct reading reading = {.name = name, .root = r->encodes ? r->encode[i].of : r->root};
    *x = (struct encode){0};
    const int rc = take(x, &reading, figure, figures, &local);
    scores_free(&reading.scores);
    return rc ? assay_fail(e, rc, "%s", local.text) : ASSAY_OK;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

void encode_report_free(struct encode_report *r)
{
    cJSON_Delete(r->root);
    *r = (struct encode_report){0};
}

/* Lists the encodes of a report on several. */
static int list_encodes(struct encode_report *r, struct assay_error *e)
{
    const cJSON *list = get(r->root, "encodes"), *item;
    if (!cJSON_IsArray(list))
        return ASSAY_OK;
    if (!list->child)
        return refuse(r->path, "it has no encode", e);
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *name = get(item, "name"), *file = get(item, "file");
        if (r->encodes == ASSAY_ENCODES || !cJSON_IsString(name) || !cJSON_IsString(file))
            return refuse(r->path, not_its_shape, e);
        r->encode[r->encodes].name = name->valuestring;
        r->encode[r->encodes].file = file->valuestring;
        r->encode[r->encodes++].of = item;
    }
    return ASSAY_OK;
}

int encode_report_parse(struct encode_report *r, const char *path, const char *text, size_t size,
                        struct assay_error *e)
{
    *r = (struct encode_report){.path = path};
    TRY(json_bounded(path, text, size, e));
    errno = 0;
    r->root = cJSON_ParseWithLength(text, size);
    const int rc = r->root ? list_encodes(r, e)
                 : errno == ENOMEM ? assay_fail_memory(e, "a report") /* cJSON reports both as NULL */
                                   : refuse(path, "it is damaged, or no JSON", e);
    if (rc)
        encode_report_free(r);
    return rc;
}

int encode_report_read(struct encode_report *r, const char *path, struct assay_error *e)
{
    struct assay_error local = {0};
    size_t size;
    *r = (struct encode_report){0};
    char *text = file_read(path, &size, &local);
    if (!text)
        return assay_fail(e, local.code, "%s", local.text);
    const int rc = encode_report_parse(r, path, text, size, e);
    free(text);
    return rc;
}
