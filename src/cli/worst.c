/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/worst.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/options.h"
#include "host/text.h"
#include "input/stream.h"
#include "report/progress.h"
#include "run/walk.h"

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

bool worst_key(struct worst_first *run)
{
    const struct scores *s = run->scores;
    for (run->key = 0; run->key < s->keys; run->key++)
        if (s->direction[run->key] != ASSAY_NEUTRAL && !run->hidden[run->key])
            return true;
    return false;
}

/* The key that chooses: the one that was named, or else that of worst_key. */
static int find_key(const struct cli *c, struct worst_first *run, struct assay_error *e)
{
    const struct scores *s = run->scores;
    const char *name = c->worst.key;
    char hint[SUGGEST_TEXT] = "";
    if (!name)
        return worst_key(run) ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE,
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

int worst_choose(const struct worst_first *run, uint64_t most, uint64_t **row, uint64_t *n, struct assay_error *e)
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
    const struct worst_first *first;
    struct request q;      /* the user's, but for what the second pass does in its own way */
    struct lane lane, *all;
    struct walk walk;
    struct wanted *wanted; /* by frame */
    uint64_t *frame, n;
    uint64_t shown, compared;
    struct progress progress;
};

static int changed(const struct second *z, uint64_t frame, const char *what, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s or %s changed while it was read: frame %" PRIu64 " %s in the second pass",
                      z->q.path[0], z->q.path[1], frame, what);
}

static int by_row(const void *x, const void *y)
{
    const struct wanted *a = x, *b = y;
    return a->row < b->row ? -1 : a->row > b->row;
}

int second_open(struct second **second, const struct cli *c, const struct worst_first *first, const uint64_t *row,
                uint64_t n, bool planes, struct assay_error *e)
{
    struct second *z = *second = calloc(1, sizeof *z);
    if (!z)
        return assay_fail_memory(e, "the worst frames");
    z->wanted = calloc(n + 1, sizeof *z->wanted);
    z->frame = calloc(n + 1, sizeof *z->frame);
    if (!z->wanted || !z->frame)
        return assay_fail_memory(e, "the worst frames");
    for (uint64_t i = 0; i < n; i++)
        z->wanted[i] = (struct wanted){row[i], i};
    qsort(z->wanted, n, sizeof *z->wanted, by_row);
    for (uint64_t i = 0; i < n; i++)
        z->frame[i] = first->scores->frame[z->wanted[i].row];
    z->cli = c;
    z->first = first;
    z->n = n;
    z->q = c->q;
    z->q.hwdec = HWDEC_OFF; /* the pictures are needed in memory, and have the same bits */
    z->q.config.maps = planes;
    z->q.config.keep_planes = planes || plane_codes_wanted(c);
    z->q.frames = first->end - c->q.first; /* as far as the first pass has read */
    z->q.part = false;
    z->q.only = z->frame;
    z->q.onlys = n;
    z->q.keep_pictures = true;
    z->lane = (struct lane)LANE_START;
    z->lane.q = &z->q;
    z->all = &z->lane;
    walk_open(&z->walk, &z->q, &z->all, n > 0);
    return ASSAY_OK;
}

void second_close(struct second **second)
{
    struct second *z = *second;
    if (!z)
        return;
    progress_erase(&z->progress);
    walk_close(&z->walk);
    lane_clear(&z->lane);
    free(z->wanted);
    free(z->frame);
    free(z);
    *second = NULL;
}

/* Compares the scores of a frame with those of the first pass. */
static int compare(struct second *z, struct assay_error *e)
{
    const struct scores *s = z->first->scores;
    const struct walk *w = &z->walk;
    const uint64_t row = z->wanted[z->compared++].row;
    bool equal = s->frame[row] == w->frame;
    for (uint32_t i = 0; i < s->keys; i++) {
        const double first = scores_value(s, row, i);
        equal = equal && !memcmp(&w->values[s->column ? s->column[i] : i], &first, sizeof first);
    }
    z->lane.scored++;
    return equal ? ASSAY_OK : changed(z, w->frame, "has other scores", e);
}

/* How the walk has ended. An input that ends sooner than in the first pass is no failure of reading it. */
static int concluded(const struct second *z, struct assay_error *e)
{
    const struct lane *l = &z->lane;
    if (signals_why())
        return signals_stopped(e);
    if (l->rc && l->rc != ASSAY_EMISMATCH)
        return assay_fail(e, l->rc, "%s", l->error.text);
    return z->compared == z->n ? ASSAY_OK : changed(z, z->frame[z->compared], "is missing", e);
}

int second_next(struct second *z, struct worst_frame *f, struct assay_error *e)
{
    struct walk *w = &z->walk;
    for (enum walk_step step; (step = walk_next(w)) != WALK_END;) {
        struct assay_error why = {0};
        if (step == WALK_STARTED && (z->cli->progress || (!z->cli->quiet && !z->cli->no_progress)))
            progress_start(&z->progress, stderr, z->cli->progress, z->n, "worst frames");
        if (step == WALK_SCORED && compare(z, &why))
            walk_fail(w, why.code, &why);
        if (step != WALK_PAIR)
            continue;
        const struct wanted *at = &z->wanted[z->shown];
        progress_update(&z->progress, z->shown++);
        *f = (struct worst_frame){.frame = w->frame, .row = at->row, .rank = at->rank, .session = w->run.session,
                                  .pair = &z->lane.pair, .picture = w->run.kept};
        return 1;
    }
    return concluded(z, e);
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

int worst_check(const struct cli *c, const struct pair *p, struct worst_first *run, struct assay_error *e)
{
    assay_config config = c->q.config;
    assay_session *s = NULL;
    TRY(find_key(c, run, e));
    pair_configure(p, &config);
    config.keep_planes = config.maps = 1;
    int rc = session_make(&s, &config, e);
    if (!rc)
        rc = run_add_metrics(&c->q, s, &config, &p->format, NULL, e);
    if (!rc)
        rc = session_failed(s, assay_session_plan(s, &p->format), e);
    if (!rc)
        rc = heatmaps_check(c, s, e);
    assay_session_close(&s);
    return rc;
}

static void say(const struct cli *c, const struct worst_first *run, const uint64_t *row, uint64_t n)
{
    const struct scores *s = run->scores;
    enum { LISTED = 20 };
    if (c->quiet)
        return;
    char list[LISTED * 24] = "";
    for (uint64_t i = 0; i < n && i < LISTED; i++)
        text_append(list, sizeof list, "%s%" PRIu64, i ? ", " : "", s->frame[row[i]]);
    text_say("%s%sthe worst frames by %s, the worst first: %s%s", c->q.several ? c->q.path[1] : "",
             c->q.several ? ": " : "", s->key[run->key], list, n > LISTED ? ", ..." : "");
}

int worst_draw(const struct cli *c, const struct worst_first *first, struct assay_error *e)
{
    uint64_t *row, n;
    TRY(worst_choose(first, c->worst.frames, &row, &n, e));
    say(c, first, row, n);
    struct second *z;
    struct worst_frame f;
    int rc = second_open(&z, c, first, row, n, true, e);
    while (!rc && (rc = second_next(z, &f, e)) > 0) {
        char stem[32];
        snprintf(stem, sizeof stem, "%06" PRIu64, f.frame);
        rc = heatmaps_write(c, f.session, 0, stem, e);
    }
    second_close(&z);
    free(row);
    return rc;
}
