/* SPDX-License-Identifier: BSD-2-Clause */
/* assay report SCORES.json: the other forms of results, as the run that wrote the report would have written them. */
#include "cli/report/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/json_tree.h"
#include "host/text.h"

struct told_all {
    const struct cli *cli;
    struct report_file file;
    uint32_t n;
    struct told *told;
    struct cli_results joint; /* of several encodes */
};

/* ---- what the report says ---------------------------------------------------------------------------------------- */

/* The frames of reports of the front of libvmaf's command have no times, but the worst ones of each score have. */
static void read_worst_times(struct told *t, const cJSON *percentiles)
{
    struct scores *s = &t->s.scores;
    for (uint32_t k = 0; k < s->keys; k++) {
        const cJSON *of = JSON_GET(percentiles, s->key[k]), *frame = JSON_GET(of, "worst_frame"),
                    *time = JSON_GET(of, "worst_time");
        const double n = cJSON_IsNumber(frame) ? frame->valuedouble : -1,
                     at = cJSON_IsNumber(time) ? time->valuedouble : (double)NAN;
        const uint64_t row = n >= 0 && n < 0x1p53 ? scores_find(s, (uint64_t)n) : s->rows;
        if (row < s->rows && scores_time(at) != SCORES_NO_TIME)
            s->time[row] = scores_time(at);
    }
}

static int read_rest(struct told *t, const cJSON *root, const cJSON *of, struct assay_error *e)
{
    struct stored *s = &t->s;
    const cJSON *fps = JSON_GET(root, "fps"), *block = JSON_GET(of, "assay");
    const char *head = cJSON_GetStringValue(JSON_GET(root, "version"));
    if (!s->run.version || !s->run.width || !s->run.height)
        return assay_fail(e, ASSAY_EINPUT, "%s: is no report of assay's: nothing in it says what was scored, and how",
                          s->path);
    s->run.fps = cJSON_IsNumber(fps) ? fps->valuedouble : 0;
    if (head && strncmp(head, "assay ", 6)) {
        s->run.libvmaf = stored_copy(s, head);
        read_worst_times(t, JSON_GET(block, "percentiles"));
    }
    return ASSAY_OK;
}

int told_read(struct told *t, struct report_file *f, uint32_t i, struct assay_error *e)
{
    TRY(report_file_take(f, i, f->encodes ? f->encode[i].file : f->path, &t->s, e));
    if (t->s.failed && !t->s.scores.key) {
        t->s.run.version = t->s.run.version ? t->s.run.version : assay_version();
        return ASSAY_OK;
    }
    return read_rest(t, f->root, f->encodes ? f->encode[i].of : f->root, e);
}

/* ---- one encode -------------------------------------------------------------------------------------------------- */

/* Which reports are on this encode alone, and where they go. */
static int choose_outputs(struct told_all *a, struct told *t, uint32_t number, struct assay_error *e)
{
    const struct cli *c = a->cli;
    t->cli = *c;
    t->cli.q.several = a->file.encodes > 0;
    t->s.run.gates = c->gates;
    t->s.run.gate = c->gate;
    TRY(ladder_outputs(&t->cli, c, &t->s, number + 1, a->file.encodes, e));
    return results_spared(&t->cli, e);
}

/* The figures of the whole run are those that the report states. One that its metrics have may not be missing. */
static int check_aggregates(const struct stored *s, const assay_session *session, struct assay_error *e)
{
    for (uint32_t i = 0; i < assay_session_aggregates(session); i++) {
        const char *key = assay_session_aggregate_key(session, i);
        if (!report_run_aggregate(&s->run, key))
            return assay_fail(e, ASSAY_EINPUT, "%s has no figure '%s'", s->path, key);
    }
    return ASSAY_OK;
}

static int tell_one(struct told_all *a, struct told *t, struct assay_error *e)
{
    const char *no_videos = thumbs_wanted(a->cli) ? "assay report has the scores and not the videos" : NULL;
    t->s.run.fps = a->cli->reproducible ? 0 : t->s.run.fps;
    if (!t->s.scores.key) /* it failed before there was a score */
        return ASSAY_OK;
    assay_session *session = NULL;
    int rc = stored_plan(&session, &t->s, e);
    rc = rc ? rc : stored_describe(&t->s, session, 0, assay_session_keys(session), true, e);
    rc = rc ? rc : check_aggregates(&t->s, session, e);
    rc = rc ? rc : results_stored(&t->cli, session, &t->s, no_videos, e);
    assay_session_close(&session);
    return rc;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Refuses reports of one encode that are to be of several. */
static int check_joint(const struct told_all *a, struct assay_error *e)
{
    for (uint32_t i = 0; i < a->cli->outputs; i++) {
        const struct cli_output *o = &a->cli->output[i];
        if (report_of_one(o->kind) && !ladder_has_place(o->path))
            return assay_fail(e, ASSAY_EUSAGE, "'%s' is of one encode, and %s of several: {name} in the path stands "
                              "for each one's name", o->path, a->file.path);
    }
    return ASSAY_OK;
}

/* The reports on several encodes, their table, and the gates. Returns 1 when a gate failed. */
static int tell_all(struct told_all *a, struct assay_error *e)
{
    const struct cli *c = a->cli;
    struct stored entry[ASSAY_ENCODES];
    const char *reference = NULL;
    for (uint32_t k = 0; k < a->n; k++) {
        entry[k] = a->told[k].s;
        entry[k].exit_code = entry[k].exit_code == 1 ? 0 : entry[k].exit_code; /* of other gates */
        reference = reference ? reference : report_run_field(&entry[k].run, "reference_file");
    }
    return ladder_reports_finish(&a->joint, c, reference ? reference : a->file.path, entry, a->n, e);
}

/* Says what can't be as the run would have written it. */
static int notice(const struct told_all *a, struct assay_error *e)
{
    bool rounded = false;
    for (uint32_t k = 0; k < a->n; k++)
        rounded = rounded || a->told[k].s.rounded;
    for (uint32_t i = 0; rounded && i < a->cli->outputs; i++)
        if (a->cli->output[i].kind == REPORT_JSON)
            return assay_fail(e, ASSAY_EUSAGE, "%s has rounded scores, and --json would give them digests of their own "
                              "(--precision max writes exact ones)", a->file.path);
    if (a->cli->quiet)
        return ASSAY_OK;
    if (rounded)
        text_say("%s has rounded scores (--precision max writes exact ones): figures of all frames are those of the "
                 "rounded scores", a->file.path);
    if (thumbs_wanted(a->cli))
        text_say("the HTML report has no pictures of the worst frames: assay report does not read the videos");
    return ASSAY_OK;
}

static int tell(struct told_all *a, struct assay_error *e)
{
    TRY(report_file_read(&a->file, a->cli->part[0], e));
    const uint32_t n = a->file.encodes ? a->file.encodes : 1;
    if (!(a->told = calloc(n, sizeof *a->told)))
        return assay_fail_memory(e, "the results");
    a->n = n;
    for (uint32_t k = 0; k < n; k++) {
        TRY(told_read(&a->told[k], &a->file, k, e));
        TRY(choose_outputs(a, &a->told[k], k, e));
    }
    TRY(notice(a, e));
    TRY(a->file.encodes ? check_joint(a, e) : ASSAY_OK);
    TRY(a->file.encodes ? ladder_reports_open(&a->joint, a->cli, e) : ASSAY_OK);
    int result = ASSAY_OK;
    for (uint32_t k = 0; k < n; k++) {
        const int rc = tell_one(a, &a->told[k], e);
        TRY(rc < 0 ? rc : ASSAY_OK);
        result = rc ? rc : result;
    }
    return a->file.encodes ? tell_all(a, e) : result;
}

int cli_report(const struct cli *c, struct assay_error *e)
{
    struct told_all a = {.cli = c};
    const int rc = tell(&a, e);
    results_close(&a.joint);
    for (uint32_t k = 0; k < a.n; k++)
        stored_free(&a.told[k].s);
    free(a.told);
    report_file_free(&a.file);
    return rc;
}
