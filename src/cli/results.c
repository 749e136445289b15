/* SPDX-License-Identifier: BSD-2-Clause */
/* The outputs of a run or a merge: reports, the table, gates; and those that say several encodes together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/worst.h"
#include "host/system.h"
#include "input/numbered.h"
#include "input/stream.h"
#include "report/progress.h"
#include "results/encodes.h"

/* Checks the gates. Where other encodes of a ladder may have other scores, a gate may be on one that this encode lacks:
 * then it fails for this encode. */
static int check_gates(const struct cli *c, const struct gate_names *names, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->gates; i++) {
        const struct gate *g = &c->gate[i], *bad;
        struct assay_error unknown = {0};
        const bool elsewhere = c->mix && gate_names_find(names, g->key) == names->names;
        if (!elsewhere || (c->mix == MIX_FIRST && cli_gates_possible(c, g, 1, &bad, &unknown)))
            TRY(gate_validate(g, names, e));
    }
    return ASSAY_OK;
}

int results_precision(const struct cli *c, enum report_kind kind)
{
    return c->precision != CLI_PRECISION_DEFAULT ? c->precision : kind == REPORT_HTML ? REPORT_DEFAULT : 6;
}

int results_open(struct cli_results *r, const struct cli *c, const assay_session *session, uint32_t encode,
                 const struct stored *x, struct assay_error *e)
{
    struct gate_names names;
    memset(r, 0, sizeof *r);
    int rc = cli_gate_names(&names, &x->scores, session, encode, e);
    rc = rc ? rc : check_gates(c, &names, e);
    free(names.name);
    free(names.direction);
    for (uint32_t i = 0; !rc && i < c->outputs; i++)
        rc = reporter_open(&r->reporter[i], c->output[i].kind, c->output[i].path,
                           results_precision(c, c->output[i].kind), x, e);
    if (rc)
        results_close(r);
    return rc;
}

/* Whether any output still takes the results. */
static bool anybody_left(const struct cli_results *r, const struct cli *c)
{
    bool left = !c->outputs || c->gates || c->shard || (!c->quiet && !c->q.libvmaf && results_stream(c) == stdout);
    for (uint32_t i = 0; i < c->outputs; i++)
        left = left || r->reporter[i];
    return left;
}

int results_frame(struct cli_results *r, const struct cli *c, const struct scores *s, uint64_t row,
                  struct assay_error *e)
{
    bool unread = false;
    for (uint32_t i = 0; i < c->outputs; i++) {
        if (!r->reporter[i] || !reporter_frame(r->reporter[i], s, row, &r->failed))
            continue;
        unread = unread || !strcmp(c->output[i].path, "-");
        reporter_abandon(&r->reporter[i]);
    }
    return unread || !anybody_left(r, c) ? assay_fail(e, r->failed.code, "%s", r->failed.text) : ASSAY_OK;
}

void results_close(struct cli_results *r)
{
    for (unsigned i = 0; i < CLI_OUTPUTS; i++)
        reporter_abandon(&r->reporter[i]);
}

FILE *results_stream(const struct cli *c)
{
    for (uint32_t i = 0; i < c->outputs; i++)
        if (!strcmp(c->output[i].path, "-"))
            return stderr;
    return stdout;
}

int results_finish(struct cli_results *r, const struct cli *c, const struct stored *x, struct assay_error *e)
{
    FILE *people = results_stream(c);
    int rc = ASSAY_OK, failed = 0;
    for (uint32_t i = 0; i < c->outputs; i++)
        if (r->reporter[i])
            reporter_finish(&r->reporter[i], x, &r->failed);
    errno = 0;
    const bool table = !c->quiet && !c->q.several && !c->q.libvmaf && !c->only_scores && people == stdout;
    if (table && x->scores.rows && (rc = report_table(people, x, c->precision)))
        assay_fail(e, rc, "stdout: can't be written: %s", strerror(errno ? errno : EIO));
    if (!rc && c->gates && !c->q.several && !c->only_scores)
        failed = gates_check("", c->gate, c->gates, x, people, e);
    rc = rc ? rc : failed < 0 ? failed : r->failed.code;
    if (r->failed.code)
        assay_fail(e, rc, "%s", r->failed.text);
    return rc ? rc : failed > 0;
}

int results_stored(const struct cli *c, const assay_session *session, struct stored *x, const char *no_videos,
                   struct assay_error *e)
{
    struct cli_results r;
    struct worst_first first = {.of = x};
    struct assay_error late = {0};
    x->run.gates = c->gates;
    x->run.gate = c->gate;
    if (!c->in_batch)
        signals_catch(true);
    TRY(results_open(&r, c, session, 0, x, e));
    int rc = ASSAY_OK;
    for (uint64_t row = 0; row < x->scores.rows && !rc; row++)
        rc = signals_why() && !c->in_batch ? signals_stopped(e) : results_frame(&r, c, &x->scores, row, e);
    if (!rc && no_videos)
        rc = thumbs_make(c, &first, no_videos, e);
    x->run.incomplete = x->run.incomplete || rc; /* stated in the reports that can still be written */
    x->run.reason = rc ? e->text : x->run.reason;
    const int finished = rc < -128 ? rc : results_finish(&r, c, x, rc ? &late : e);
    results_close(&r);
    return rc ? rc : finished;
}

/* ---- where they may be written ---- */

bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && b && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool is_folder(const char *path)
{
    struct stat st;
    return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

int results_spare(const struct cli *c, const char *path, enum file_form form, struct assay_error *e)
{
    bool input = false;
    if (!path || stream_file_bytes(path) < 0)
        return ASSAY_OK;
    for (uint32_t i = 0; i <= c->q.encodes && !input; i++)
        input = same_file(path, request_input(&c->q, i)) || numbered_has(request_input(&c->q, i), path);
    for (uint32_t i = 0; i < c->parts && !input; i++)
        input = same_file(path, c->part[i]);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < c->bdrate.points[side] && !input; i++)
            input = same_file(path, c->bdrate.point[side][i].path);
    if (input)
        return assay_fail(e, ASSAY_EUSAGE, "'%s' is one of the inputs and would be overwritten", path);
    return c->force ? ASSAY_OK : file_spare(path, form, e);
}

int results_spared(const struct cli *c, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->outputs; i++) {
        const char *path = c->output[i].path;
        TRY(results_spare(c, path, report_file_form(c->output[i].kind), e));
        for (uint32_t k = 0; k < i; k++)
            if (file_same_spot(c->output[k].path, path))
                return assay_fail(e, ASSAY_EUSAGE, "two reports would both be written to '%s'", path);
        if (c->shard && file_same_spot(c->shard, path))
            return assay_fail(e, ASSAY_EUSAGE, "a report and the shard would both be written to '%s'", c->shard);
    }
    for (uint32_t i = 0; i < c->stages; i++)
        TRY(results_spare(c, c->stage[i].file, FILE_PLANE, e));
    return results_spare(c, c->shard, FILE_JSON, e);
}

/* ---- paths with a place for an encode's name or number ----------------------------------------------------------- */

bool ladder_has_place(const char *path)
{
    return strstr(path, LADDER_NAME) || strstr(path, LADDER_NUMBER);
}

const char *ladder_fill(struct stored *s, const char *path, uint32_t number)
{
    struct buffer_text text;
    FILE *const out = buffer_open(&text);
    while (out && *path) {
        const bool named = !strncmp(path, LADDER_NAME, strlen(LADDER_NAME)),
                   numbered = !strncmp(path, LADDER_NUMBER, strlen(LADDER_NUMBER));
        if (named)
            fputs(s->name, out);
        else if (numbered)
            fprintf(out, "%u", number);
        else
            fputc(*path, out);
        path += named ? strlen(LADDER_NAME) : numbered ? strlen(LADDER_NUMBER) : 1;
    }
    char *filled = out ? buffer_close(&text) : NULL;
    const char *copy = stored_copy(s, filled);
    s->lost = s->lost || !filled;
    free(filled);
    return copy;
}

int ladder_outputs(struct cli *own, const struct cli *c, struct stored *s, uint32_t number, bool several,
                   struct assay_error *e)
{
    own->outputs = 0;
    for (uint32_t i = 0; i < c->outputs; i++) {
        const struct cli_output *o = &c->output[i];
        if (!several || ladder_has_place(o->path))
            own->output[own->outputs++] = (struct cli_output){o->kind, ladder_fill(s, o->path, number)};
    }
    return stored_lost(s, "the path of a report", e);
}

/* ---- reports on several encodes ---------------------------------------------------------------------------------- */

enum { NARROW = 80, WIDE = 120 }; /* columns of the table */

int ladder_reports_open(struct cli_results *r, const struct cli *c, struct assay_error *e)
{
    static struct cli all; /* larger than a small stack */
    all = *c;
    all.outputs = 0;
    for (uint32_t i = 0; i < c->outputs; i++)
        if (!ladder_has_place(c->output[i].path))
            all.output[all.outputs++] = c->output[i];
    TRY(results_spared(&all, e));
    signals_catch(false);
    for (uint32_t i = 0; i < all.outputs; i++)
        TRY(reporter_open_joint(&r->reporter[i], all.output[i].kind, all.output[i].path,
                                results_precision(c, all.output[i].kind), e));
    return ASSAY_OK;
}

/* The width of the table: what a terminal has, within bounds. */
static int table_width(FILE *out)
{
    const int columns = (int)progress_columns(out);
    return columns < NARROW ? NARROW : columns < WIDE ? columns : WIDE;
}

/* Of a run of this encode alone, with the gates of this command. */
static void judge(const struct cli *c, struct stored *x)
{
    for (uint32_t i = 0; i < c->gates && !x->exit_code && x->scores.key; i++)
        x->exit_code = gate_judge(&c->gate[i], x).verdict != GATE_PASSED;
}

int ladder_reports_finish(struct cli_results *r, const struct cli *c, const char *reference,
                          struct stored *entry, uint32_t n, struct assay_error *e)
{
    FILE *people = results_stream(c);
    int gates = 0;
    bool scored = false;
    for (uint32_t k = 0; k < n; k++) {
        judge(c, &entry[k]);
        scored = scored || encode_scored(&entry[k]);
    }
    for (uint32_t i = 0; i < c->outputs; i++)
        if (r->reporter[i] && scored)
            reporter_finish_joint(&r->reporter[i], entry, n, &r->failed);
    errno = 0;
    if (!c->quiet && !c->only_scores && people == stdout && scored &&
        report_ladder_table(people, reference, entry, n, c->precision, table_width(people)))
        assay_fail(&r->failed, ASSAY_EINTERNAL, "stdout: can't be written: %s", strerror(errno ? errno : EIO));
    for (uint32_t k = 0; k < n && scored && c->gates; k++) {
        char where[300];
        snprintf(where, sizeof where, "%.280s: ", entry[k].label);
        const int bad = gates_check(where, c->gate, c->gates, &entry[k], people, &r->failed);
        gates += bad > 0 ? bad : 0;
    }
    return r->failed.code ? assay_fail(e, r->failed.code, "%s", r->failed.text) : gates > 0;
}
