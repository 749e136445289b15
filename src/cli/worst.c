/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/worst.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/options.h"
#include "host/format.h"
#include "host/text.h"
#include "input/stream.h"
#include "report/progress.h"

int worst_parse(void *cli, char *text, uint64_t unused, struct assay_error *e)
{
    struct cli *c = cli;
    const size_t n = strcspn(text, ":");
    (void)unused;
    if (text[n] && !text[n + 1])
        return assay_fail(e, ASSAY_EUSAGE, "--frames-worst takes N or N:KEY, not '%s'", text);
    c->worst.key = text[n] ? text + n + 1 : NULL;
    return option_count("--frames-worst", text, n, 1, UINT32_MAX, &c->worst.frames, e);
}

/* ---- which frames ------------------------------------------------------------------------------------------------ */

bool worst_key(const assay_session *session, struct worst_run *run)
{
    const struct scores *s = run->scores;
    for (run->key = 0; run->key < s->keys; run->key++)
        if (s->direction[run->key] != ASSAY_NEUTRAL &&
            !assay_session_key_feature(session, s->column ? s->column[run->key] : run->key))
            return true;
    return false;
}

/* The key that chooses: the one that was named, or else that of worst_key. */
static int find_key(const struct cli *c, const assay_session *session, struct worst_run *run, struct assay_error *e)
{
    const struct scores *s = run->scores;
    const char *name = c->worst.key;
    char hint[SUGGEST_TEXT] = "";
    if (!name)
        return worst_key(session, run) ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE,
            "--frames-worst: no score of this run has better and worse values");
    struct suggestion like = suggest_for(name, strlen(name));
    for (run->key = 0; run->key < s->keys; run->key++) {
        const bool directed = s->direction[run->key] != ASSAY_NEUTRAL;
        if (!strcmp(s->key[run->key], name))
            return directed ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE,
                "--frames-worst: no value of '%s' is better than another, so no frame is the worst by it", name);
        if (directed)
            suggest_offer(&like, s->key[run->key]);
    }
    suggest_text(&like, hint);
    return assay_fail(e, ASSAY_EUSAGE, "--frames-worst: this run writes no score '%s'%s", name, hint);
}

struct candidate {
    double badness; /* the larger, the worse */
    uint64_t row;
};

/* NaN first, then the worse one, then the earlier one. */
static int worse_first(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    const bool no_number[2] = {isnan(a->badness) != 0, isnan(b->badness) != 0};
    if (no_number[0] != no_number[1])
        return no_number[0] ? -1 : 1;
    if (!no_number[0] && a->badness != b->badness)
        return a->badness > b->badness ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

int worst_choose(const struct worst_run *run, uint64_t most, uint64_t **row, uint64_t *n, struct assay_error *e)
{
    const struct scores *s = run->scores;
    struct candidate *all = calloc(s->rows + 1, sizeof *all);
    *n = most < s->rows ? most : s->rows;
    *row = calloc(*n + 1, sizeof **row);
    if (!all || !*row) {
        free(all);
        free(*row);
        *row = NULL;
        return assay_fail_memory(e, "the worst frames");
    }
    for (uint64_t i = 0; i < s->rows; i++) {
        const double v = scores_value(s, i, run->key);
        all[i] = (struct candidate){s->direction[run->key] == ASSAY_HIGHER ? -v : v, i};
    }
    qsort(all, s->rows, sizeof *all, worse_first);
    for (uint64_t i = 0; i < *n; i++)
        (*row)[i] = all[i].row;
    free(all);
    return ASSAY_OK;
}

/* ---- the second pass --------------------------------------------------------------------------------------------- */

struct wanted {
    uint64_t row, rank;
};

struct second {
    const struct cli *cli;
    struct cli again;      /* as the user's, but for what the second pass does in its own way */
    const struct worst_run *first;
    struct pair pair;
    assay_session *session;
    void *memory[2];       /* of the pictures */
    struct picture picture[2];
    struct wanted *wanted; /* by frame */
    uint64_t n;
    uint64_t compared;     /* this one and the next belong to the session's thread until flush */
    uint64_t changed;      /* a frame whose scores differ; UINT64_MAX: none */
};

static int changed(const struct second *z, uint64_t frame, const char *what, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s or %s changed while it was read: frame %" PRIu64 " %s in the second pass",
                      z->pair.source[0].input->name, z->pair.source[1].input->name, frame, what);
}

static int on_frame(void *opaque, uint64_t frame, const double *values)
{
    struct second *z = opaque;
    const struct scores *s = z->first->scores;
    if (z->compared == z->n)
        return 1;
    const uint64_t row = z->wanted[z->compared].row;
    bool equal = s->frame[row] == frame;
    for (uint32_t i = 0; i < s->keys; i++) {
        const double first = scores_value(s, row, i);
        equal = equal && !memcmp(&values[s->column ? s->column[i] : i], &first, sizeof *values);
    }
    if (!equal)
        z->changed = frame;
    z->compared++;
    return !equal;
}

static int by_row(const void *x, const void *y)
{
    const struct wanted *a = x, *b = y;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int start(struct second *z, bool planes, struct assay_error *e)
{
    assay_config config = z->cli->q.config;
    z->again = *z->cli;
    z->again.q.hwdec = HWDEC_OFF; /* the pictures are needed in memory, and have the same bits */
    TRY(pair_open(&z->pair, &z->again.q, e));
    pair_configure(&z->pair, &config);
    config.maps = planes;
    config.keep_planes = planes || plane_codes_wanted(z->cli);
    TRY(session_make(&z->session, &config, e));
    TRY(run_add_metrics(&z->cli->q, z->session, &config, &z->pair.format, NULL, NULL, e));
    TRY(session_failed(z->session, assay_session_set_callback(z->session, on_frame, z), e));
    TRY(session_failed(z->session, assay_session_start(z->session, &z->pair.format), e));
    for (unsigned side = 0; side < 2; side++) {
        const assay_format *f = pair_side(&z->pair, side);
        struct picture *to = &z->picture[side];
        z->memory[side] = malloc(format_frame_bytes(f) + format_plane_bytes(f, 3));
        if (!z->memory[side])
            return assay_fail_memory(e, "a picture");
        to->plane[3] = format_place(f, z->memory[side], to->plane, to->stride);
        to->stride[3] = to->stride[0];
    }
    return ASSAY_OK;
}

/* Reads pair i into the pictures, or passes over it. */
static int read_pair(struct second *z, uint64_t i, bool used, struct assay_error *e)
{
    for (unsigned side = 0; side < 2; side++) {
        assay_buffer to = {.slot = 0};
        memcpy(to.plane, z->picture[side].plane, sizeof to.plane);
        memcpy(to.stride, z->picture[side].stride, sizeof to.stride);
        const int got = pair_read(&z->pair, side, used ? &to : NULL, e);
        if (signals_why())
            return signals_stopped(e);
        if (got <= 0)
            return got ? got : changed(z, i, "is missing", e);
    }
    return ASSAY_OK;
}

static int submit(struct second *z, uint64_t i, bool scored, struct assay_error *e)
{
    assay_picture of[2] = {{.release = NULL}, {.release = NULL}};
    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; k < 4; k++) {
            of[side].plane[k] = z->picture[side].plane[k];
            of[side].stride[k] = z->picture[side].stride[k];
        }
    return session_failed(z->session, scored ? assay_session_submit(z->session, i, &of[0], &of[1])
                                         : assay_session_submit_neighbour(z->session, i, &of[0], &of[1]), e);
}

/* Reads from the first pair that is needed to the last one: the wanted frames and those that their scores depend on, as
 * far as the first pass has read them. */
static int read_all(struct second *z, worst_function function, void *opaque, struct assay_error *e)
{
    const struct worst_run *first = z->first;
    const uint64_t *frame = first->scores->frame;
    uint32_t before, after;
    struct progress progress = {0};
    TRY(session_failed(z->session, assay_session_reach(z->session, &before, &after), e));
    const uint64_t begin = frame[z->wanted[0].row],
                   back = begin - first->begin < before ? begin - first->begin : before;
    for (unsigned side = 0; side < 2; side++)
        TRY(pair_skip(&z->pair, side, z->cli->q.skip[side] + begin - back, e));
    if (z->cli->progress || (!z->cli->quiet && !z->cli->no_progress))
        progress_start(&progress, stderr, z->cli->progress, z->n, "worst frames");
    int rc = ASSAY_OK;
    uint64_t k = 0, last = 0; /* the wanted frame at or behind i, and the one before that */
    for (uint64_t i = begin - back; !rc && i < first->end; i++) {
        const bool scored = k < z->n && frame[z->wanted[k].row] == i;
        const bool ahead = k < z->n && frame[z->wanted[k].row] - i <= before, behind = k && i - last <= after;
        if (k == z->n && !behind)
            break;
        rc = read_pair(z, i, scored || ahead || behind, e);
        if (!rc && (scored || ahead || behind))
            rc = submit(z, i, scored, e);
        if (rc || !scored)
            continue;
        const struct worst_frame at = {.frame = i, .row = z->wanted[k].row, .rank = z->wanted[k].rank,
                                       .session = z->session, .pair = &z->pair,
                                       .picture = {z->picture[0], z->picture[1]}};
        rc = function(opaque, &at, e);
        last = i;
        progress_update(&progress, ++k);
    }
    progress_erase(&progress);
    return rc;
}

static int finish(struct second *z, int rc, struct assay_error *e)
{
    const int flushed = rc ? assay_session_wait(z->session) : assay_session_flush(z->session);
    if (signals_why())
        return signals_stopped(e);
    if (z->changed != UINT64_MAX) {
        *e = (struct assay_error){0};
        return changed(z, z->changed, "has other scores", e);
    }
    TRY(rc ? rc : session_failed(z->session, flushed, e));
    return z->compared == z->n ? ASSAY_OK
                               : changed(z, z->first->scores->frame[z->wanted[z->compared].row], "has no scores", e);
}

int worst_look(const struct cli *c, const struct worst_run *first, const uint64_t *row, uint64_t n, bool planes,
               worst_function function, void *opaque, struct assay_error *e)
{
    struct second *z = n ? calloc(1, sizeof *z) : NULL;
    if (!n)
        return ASSAY_OK;
    struct wanted *wanted = calloc(n, sizeof *wanted);
    int rc = z && wanted ? ASSAY_OK : assay_fail_memory(e, "the worst frames");
    for (uint64_t i = 0; !rc && i < n; i++)
        wanted[i] = (struct wanted){row[i], i};
    if (!rc) {
        qsort(wanted, n, sizeof *wanted, by_row);
        z->cli = c;
        z->first = first;
        z->wanted = wanted;
        z->n = n;
        z->changed = UINT64_MAX;
        rc = start(z, planes, e);
        if (!rc)
            rc = finish(z, read_all(z, function, opaque, e), e);
        assay_session_close(&z->session);
        pair_close(&z->pair);
        free(z->memory[0]);
        free(z->memory[1]);
    }
    free(wanted);
    free(z);
    return rc;
}

/* ---- before and behind the first pass ---------------------------------------------------------------------------- */

/* A path that does not exist is left to the reader, which says so. */
int worst_inputs(const struct cli *c, const char *option, struct assay_error *e)
{
    if (c->q.pair_by == PAIR_TIME)
        return assay_fail(e, ASSAY_EUSAGE, "%s finds frames by their numbers, and --pair time by their times: one of "
                          "them must go", option);
    for (unsigned side = 0; side < 2; side++) {
        struct stat st;
        if (!strcmp(c->q.path[side], "-") || (!stat(c->q.path[side], &st) && !S_ISREG(st.st_mode)))
            return assay_fail(e, ASSAY_EUSAGE, "%s reads both inputs a second time, and '%s' is no file", option,
                              c->q.path[side]);
    }
    return ASSAY_OK;
}

int worst_check(const struct cli *c, const struct pair *p, const assay_session *session, struct worst_run *run,
                struct assay_error *e)
{
    assay_config config = c->q.config;
    assay_session *s = NULL;
    TRY(find_key(c, session, run, e));
    pair_configure(p, &config);
    config.keep_planes = config.maps = 1;
    int rc = session_make(&s, &config, e);
    if (!rc)
        rc = run_add_metrics(&c->q, s, &config, &p->format, NULL, NULL, e);
    if (!rc)
        rc = session_failed(s, assay_session_plan(s, &p->format), e);
    if (!rc)
        rc = heatmaps_check(c, s, e);
    assay_session_close(&s);
    return rc;
}

static int draw(void *opaque, const struct worst_frame *f, struct assay_error *e)
{
    char stem[32];
    snprintf(stem, sizeof stem, "%06" PRIu64, f->frame);
    return heatmaps_write(opaque, f->session, 0, stem, e);
}

static void say(const struct cli *c, const struct worst_run *run, const uint64_t *row, uint64_t n)
{
    const struct scores *s = run->scores;
    enum { LISTED = 20 };
    if (c->quiet)
        return;
    char list[LISTED * 24] = "";
    for (uint64_t i = 0; i < n && i < LISTED; i++)
        text_append(list, sizeof list, "%s%" PRIu64, i ? ", " : "", s->frame[row[i]]);
    text_say("%s%sthe worst frames by %s, the worst first: %s%s", c->q.rung ? c->q.path[1] : "", c->q.rung ? ": " : "",
             s->key[run->key], list, n > LISTED ? ", ..." : "");
}

int worst_draw(const struct cli *c, const struct worst_run *first, struct assay_error *e)
{
    uint64_t *row, n;
    TRY(worst_choose(first, c->worst.frames, &row, &n, e));
    say(c, first, row, n);
    const int rc = worst_look(c, first, row, n, true, draw, (void *)c, e);
    free(row);
    return rc;
}
