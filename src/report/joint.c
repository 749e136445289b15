/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON and CSV on several encodes of one reference. */
#include <stdlib.h>

#include "report/reporter.h"
#include "results/encodes.h"

static void json_encode(struct reporter *r, const struct stored *x)
{
    struct json *j = &r->json;
    const struct scores *s = &x->scores;
    json_object(j, NULL, JSON_LINES | JSON_FLAT);
    json_text(j, "name", x->name);
    json_text(j, "file", x->file);
    json_whole(j, "exit_code", x->exit_code);
    json_text(j, "failed", x->failed);
    if (s->key) {
        r->keys = s->keys;
        r->key = s->key;
        r->column = s->column;
        r->paired = s->paired;
        report_json_frames(r);
        for (r->frames = 0; r->frames < s->rows; r->frames++)
            r->form->frame(r, s, r->frames);
        report_json_results(r, x);
    } else {
        json_end(j);
    }
}

void joint_json(struct reporter *r, const struct stored *encode, uint32_t encodes)
{
    struct json *j = &r->json;
    double fps = 0;
    for (uint32_t i = 0; i < encodes; i++)
        if (encode[i].scores.key && reporter_has_rate(encode[i].run.fps) && encode[i].run.fps > fps)
            fps = encode[i].run.fps;
    report_json_head(r, &(struct report_run){.version = encode->run.version, .fps = fps});
    json_list(j, "encodes", JSON_LINES | JSON_FLAT);
    for (uint32_t i = 0; i < encodes; i++)
        json_encode(r, &encode[i]);
    json_end(j);
    json_end(j);
}

/* The rows of an encode, whose label is their first column. column[k] becomes where it has the reporter's key k. */
static void csv_encode(struct reporter *r, const struct stored *x, uint32_t *column)
{
    const struct scores *s = &x->scores;
    for (uint32_t k = 0; k < r->keys; k++) {
        uint32_t at;
        column[k] = !encode_column(x, r->key[k], &at) ? ASSAY_NONE : s->column ? s->column[at] : at;
    }
    for (uint64_t row = 0; row < s->rows; row++) {
        sink_csv_text(&r->sink, x->label);
        sink_text(&r->sink, ",");
        r->form->frame(r, s, row);
    }
}

/* A column for each score that any encode has. */
static int write_csv(struct reporter *r, const struct stored *encode, uint32_t encodes, struct assay_error *e)
{
    struct encodes_keys all;
    TRY(encodes_keys_find(&all, encode, encodes, e));
    const char **key = calloc(all.scores + 1, sizeof *key);
    uint32_t *column = calloc(all.scores + 1, sizeof *column);
    const int rc = key && column ? ASSAY_OK : assay_fail_memory(e, "a report");
    bool head = false;
    for (uint32_t k = 0; !rc && k < all.scores; k++)
        key[k] = all.score[k].key;
    r->keys = all.scores;
    r->key = key;
    r->column = column;
    for (uint32_t i = 0; !rc && i < encodes; i++) {
        if (!encode_scored(&encode[i]))
            continue;
        r->paired = encode[i].scores.paired;
        sink_text(&r->sink, head ? "" : "encode,");
        if (!head)
            r->form->head(r, &encode[i].run);
        head = true;
        csv_encode(r, &encode[i], column);
    }
    free(key);
    free(column);
    encodes_keys_free(&all);
    return rc;
}

void joint_csv(struct reporter *r, const struct stored *encode, uint32_t encodes)
{
    struct assay_error failed = {0};
    if (write_csv(r, encode, encodes, &failed))
        sink_fail(&r->sink, &failed);
}
