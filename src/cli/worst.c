/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/worst.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/options.h"
#include "host/numbers.h"
#include "host/text.h"
#include "input/stream.h"
#include "report/heatmap.h"
#include "report/progress.h"
#include "report/thumbnail.h"
#include "report/webp.h"
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

/* Sets run->key to the first score whose metric was asked for, and of which some values are better than others. False
 * where there is none. */
static bool first_key(struct worst_first *run)
{
    const struct scores *s = &run->of->scores;
    for (run->key = 0; run->key < s->keys; run->key++)
        if (s->direction[run->key] != ASSAY_NEUTRAL && !run->of->run.hidden[run->key])
            return true;
    return false;
}

/* The key that chooses: the one that was named, or else that of first_key. */
static int find_key(const struct cli *c, struct worst_first *run, struct assay_error *e)
{
    const struct scores *s = &run->of->scores;
    const char *name = c->worst.key;
    char hint[SUGGEST_TEXT] = "";
    if (!name)
        return first_key(run) ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE,
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

/* The rows of a run, the worst first: those whose score is NaN, then by the score; the earlier one of equal frames
 * first. Neighbours in the video are not taken together. The caller frees *all. */
static int order_rows(const struct worst_first *run, struct candidate **all, struct assay_error *e)
{
    const struct scores *s = &run->of->scores;
    *all = calloc(s->rows + 1, sizeof **all);
    if (!*all)
        return assay_fail_memory(e, "the worst frames");
    for (uint64_t i = 0; i < s->rows; i++) {
        const double v = scores_value(s, i, run->key);
        (*all)[i] = (struct candidate){s->direction[run->key] == ASSAY_HIGHER ? -v : v, i};
    }
    qsort(*all, s->rows, sizeof **all, worse_first);
    return ASSAY_OK;
}

/* ---- the second pass --------------------------------------------------------------------------------------------- */

struct second {
    const struct cli *cli;
    const struct worst_first *first;
    struct request q;      /* the user's, but for what the second pass does in its own way */
    struct walk walk;
    uint64_t *frame, n;    /* those that are wanted, ascending */
    uint64_t shown, compared;
    struct progress progress;
};

static int changed(const struct second *z, uint64_t frame, const char *what, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s or %s changed while it was read: frame %" PRIu64 " %s in the second pass",
                      z->q.path[0], z->q.path[1], frame, what);
}

static int ascending(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* The second pass over the frames of n rows, in any order. `planes`: intermediate planes are kept, with the maps of the
 * metrics. *z is closed in any case. */
static int second_open(struct second **second, const struct cli *c, const struct worst_first *first,
                       const struct candidate *worst, uint64_t n, bool planes, struct assay_error *e)
{
    struct second *z = *second = calloc(1, sizeof *z);
    if (!z)
        return assay_fail_memory(e, "the worst frames");
    z->frame = calloc(n + 1, sizeof *z->frame);
    if (!z->frame)
        return assay_fail_memory(e, "the worst frames");
    for (uint64_t i = 0; i < n; i++)
        z->frame[i] = first->of->scores.frame[worst[i].row];
    qsort(z->frame, n, sizeof *z->frame, ascending);
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
    walk_open(&z->walk, &z->q, n > 0);
    z->walk.lane->q = &z->q;
    return ASSAY_OK;
}

static void second_close(struct second **second)
{
    struct second *z = *second;
    if (!z)
        return;
    progress_erase(&z->progress);
    walk_close(&z->walk);
    free(z->frame);
    free(z);
    *second = NULL;
}

/* Compares the scores of a frame with those of the first pass. */
static int compare(struct second *z, struct assay_error *e)
{
    const struct scores *s = &z->first->of->scores;
    const struct walk *w = &z->walk;
    const uint64_t frame = z->frame[z->compared++], row = scores_find(s, frame);
    bool equal = frame == w->frame;
    for (uint32_t i = 0; i < s->keys; i++) {
        const double first = scores_value(s, row, i);
        equal = equal && !memcmp(&w->values[s->column ? s->column[i] : i], &first, sizeof first);
    }
    z->walk.lane->scored++;
    return equal ? ASSAY_OK : changed(z, w->frame, "has other scores", e);
}

/* How the walk has ended. An input that ends sooner than in the first pass is no failure of reading it. */
static int concluded(const struct second *z, struct assay_error *e)
{
    const struct lane *l = z->walk.lane;
    if (signals_why())
        return signals_stopped(e);
    if (l->rc && l->rc != ASSAY_EMISMATCH)
        return assay_fail(e, l->rc, "%s", l->error.text);
    return z->compared == z->n ? ASSAY_OK : changed(z, z->frame[z->compared], "is missing", e);
}

/* Goes to the next frame, in the order of the video: it was submitted last, so that its planes can be read
 * (assay_session_read_plane), and its pictures are walk.run.kept. 1, 0 behind the last one, or a negative code:
 * ASSAY_EINPUT where a score is another one than in the first pass, or a frame is missing. */
static int second_next(struct second *z, struct assay_error *e)
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
        progress_update(&z->progress, z->shown++);
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
    pair_configure(p, &c->q, &config);
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

static void say(const struct cli *c, const struct worst_first *run, const struct candidate *worst, uint64_t n)
{
    const struct scores *s = &run->of->scores;
    enum { LISTED = 20 };
    if (c->quiet)
        return;
    char list[LISTED * 24] = "";
    for (uint64_t i = 0; i < n && i < LISTED; i++)
        text_append(list, sizeof list, "%s%" PRIu64, i ? ", " : "", s->frame[worst[i].row]);
    text_say("%s%sthe worst frames by %s, the worst first: %s%s", c->q.several ? c->q.path[1] : "",
             c->q.several ? ": " : "", s->key[run->key], list, n > LISTED ? ", ..." : "");
}

int worst_draw(const struct cli *c, const struct worst_first *first, struct assay_error *e)
{
    const uint64_t rows = first->of->scores.rows, n = c->worst.frames < rows ? c->worst.frames : rows;
    struct candidate *worst;
    struct second *z;
    TRY(order_rows(first, &worst, e));
    say(c, first, worst, n);
    int rc = second_open(&z, c, first, worst, n, true, e);
    while (!rc && (rc = second_next(z, e)) > 0) {
        char stem[32];
        snprintf(stem, sizeof stem, "%06" PRIu64, z->walk.frame);
        rc = heatmaps_write(c, z->walk.run.session, 0, stem, e);
    }
    second_close(&z);
    free(worst);
    return rc;
}

/* ---- small pictures ---------------------------------------------------------------------------------------------- */

/* Maps are noise to a coder, and a few of them would be most of the file. A picture of more than SIZE_MOST bytes is
 * coded again with less quality: with those of six encodes the report of an hour stays below 3 MB. */
static const int qualities[] = {75, 37, 18, 9, 4, 2, 1, 0}, map_qualities[] = {30, 15, 7, 3, 1, 0};
enum { SIZE_MOST = 12000 };

struct thumbs {
    struct report_worst *worst; /* in the results' memory, with the pictures */
    uint32_t n;
    char text[1024];            /* what the report says of the pictures */
    bool maps;                  /* a metric has one, and its planes are kept as --heatmap asks */
    char colours[360];          /* of the sides */
};

bool thumbs_wanted(const struct cli *c)
{
    bool html = false;
    for (uint32_t i = 0; i < c->outputs; i++)
        html = html || c->output[i].kind == REPORT_HTML;
    return html && c->thumbnails;
}

/* The frames of a second; without a rate those of a second of film. */
static uint64_t frames_of_second(const struct scores *s)
{
    const uint64_t last = s->rows - 1;
    if (!last || s->time[0] == SCORES_NO_TIME || s->time[last] <= s->time[0])
        return 24;
    const double seconds = ((double)s->time[last] - (double)s->time[0]) / 1e9;
    return (uint64_t)((double)(s->frame[last] - s->frame[0]) / seconds + 0.5);
}

static bool is_near(const struct thumbs *t, const struct scores *s, uint64_t row, uint64_t distance)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const uint64_t a = s->frame[row], b = s->frame[t->worst[i].row];
        if ((a < b ? b - a : a - b) < distance)
            return true;
    }
    return false;
}

/* Neighbours look alike: of a bad second the worst frame stands for all. In a short run frames may be nearer, so that
 * there are as many as were asked for. */
static int choose(struct thumbs *t, const struct cli *c, const struct worst_first *run, uint64_t *distance,
                  struct assay_error *e)
{
    const struct scores *s = &run->of->scores;
    struct candidate *all;
    const uint64_t second = frames_of_second(s), room = (s->frame[s->rows - 1] - s->frame[0] + 1) / (2 * c->thumbnails);
    *distance = room < second ? room : second;
    TRY(order_rows(run, &all, e));
    t->worst = stored_alloc(run->of, c->thumbnails, sizeof *t->worst);
    for (uint64_t i = 0; t->worst && i < s->rows && t->n < c->thumbnails; i++)
        if (!is_near(t, s, all[i].row, *distance))
            t->worst[t->n++] = (struct report_worst){.row = all[i].row, .key = run->key};
    free(all);
    return stored_lost(run->of, "the worst frames", e);
}

/* Draws the first map of a metric. */
static int draw_map(assay_session *s, const uint32_t size[2], uint8_t *rgb, struct report_worst *w,
                    struct assay_error *e)
{
    assay_plane p = {.map = NULL};
    uint32_t index = 0;
    void *data;
    double full;
    char number[NUMBER_TEXT_SIZE];
    while (!assay_session_plane(s, index, &p) && !p.map)
        index++;
    int rc = stages_read(s, index, &p, &data, e);
    const struct heatmap map = {.plane = data, .type = p.type, .width = p.width, .height = p.height};
    rc = rc ? rc : thumbnail_map(&map, size, rgb, &full, e);
    free(data);
    TRY(rc);
    format_fixed(number, full, full < 1 ? 4 : 1);
    snprintf(w->map, sizeof w->map, "map %s, brightest from %s on", p.map, number);
    return ASSAY_OK;
}

/* Draws the difference of the sides. */
static int draw_difference(const struct thumbnail side[2], const uint32_t size[2], uint8_t *rgb,
                           struct report_worst *w, struct assay_error *e)
{
    double full;
    TRY(thumbnail_difference(side, size, rgb, &full, e));
    const int tenths = (int)(full * 10 + 0.5);
    snprintf(w->map, sizeof w->map, "difference, brightest from %d.%d of 255 on", tenths / 10, tenths % 10);
    return ASSAY_OK;
}

/* Codes a picture into the memory of the results. */
static int code(struct stored *x, struct report_picture *to, const uint8_t *rgb, const uint32_t size[2],
                const int *quality, struct assay_error *e)
{
    bool loss = true;
    struct report_picture coded;
    TRY(webp_picture(&coded, rgb, size, quality, SIZE_MOST, &loss, e));
    void *data = stored_alloc(x, coded.size, 1);
    *to = coded;
    to->data = data ? memcpy(data, coded.data, coded.size) : NULL;
    report_picture_free(&coded);
    return stored_lost(x, "a small picture", e);
}

static int draw_all(const struct thumbs *t, const struct second *z, const uint32_t size[2], uint8_t *rgb,
                    struct assay_error *e)
{
    struct stored *of = z->first->of;
    struct report_worst *w = t->worst;
    while (of->scores.frame[w->row] != z->walk.frame) /* which is one of them */
        w++;
    const struct picture *picture = z->walk.run.kept;
    struct thumbnail side[2];
    for (unsigned i = 0; i < 2; i++) {
        side[i] = (struct thumbnail){pair_side(&z->walk.lane->pair, i), picture[i].plane, picture[i].stride};
        thumbnail_draw(&side[i], size, rgb);
        TRY(code(of, &w->picture[i], rgb, size, qualities, e));
    }
    TRY(t->maps ? draw_map(z->walk.run.session, size, rgb, w, e) : draw_difference(side, size, rgb, w, e));
    return code(of, &w->picture[2], rgb, size, map_qualities, e);
}

static int draw(struct thumbs *t, const struct second *z, struct assay_error *e)
{
    const struct pair *p = &z->walk.lane->pair;
    uint32_t size[2];
    thumbnail_colours(pair_side(p, 0), pair_side(p, 1), t->colours, sizeof t->colours);
    thumbnail_fit(pair_side(p, 0), p->width, p->height, size);
    uint8_t *rgb = malloc((size_t)size[0] * size[1] * 3);
    const int rc = rgb ? draw_all(t, z, size, rgb, e) : assay_fail_memory(e, "a small picture");
    free(rgb);
    return rc;
}

/* Looks at the frames again. Where an input can't be read again, the report has no picture and says why. */
static int draw_pictures(struct thumbs *t, const struct cli *c, const struct worst_first *run, const char *spaced,
                         struct assay_error *e)
{
    struct assay_error why = {0};
    struct candidate shown[THUMBS_MOST];
    for (uint32_t i = 0; i < t->n; i++)
        shown[i].row = t->worst[i].row;
    struct second *z = NULL;
    int rc = webp_available(&why);
    rc = rc ? rc : worst_inputs(c, "a second pass", &why);
    rc = rc ? rc : second_open(&z, c, run, shown, t->n, t->maps, &why);
    while (!rc && (rc = second_next(z, &why)) > 0)
        rc = draw(t, z, &why);
    second_close(&z);
    if (rc && (signals_why() || rc == ASSAY_EINTERNAL || rc == ASSAY_EDEVICE))
        return assay_fail(e, rc, "%s", why.text);
    if (rc) {
        for (uint32_t i = 0; i < t->n; i++)
            memset(t->worst[i].picture, 0, sizeof t->worst[i].picture);
        snprintf(t->text, sizeof t->text, "%s There are no pictures: %.800s.", spaced, why.text);
        if (!c->quiet)
            text_say("the HTML report has no pictures of the worst frames: %s", why.text);
        return ASSAY_OK;
    }
    snprintf(t->text, sizeof t->text,
             "%s Pictures are reduced and coded with loss: they are for a look. Colours: %s.", spaced, t->colours);
    return ASSAY_OK;
}

int thumbs_make(const struct cli *c, struct worst_first *run, const char *no_pictures, struct assay_error *e)
{
    uint64_t distance;
    char spaced[80] = "";
    struct thumbs t = {.maps = c->heatmap != NULL};
    struct stored *x = run->of;
    if (!x->scores.rows || !first_key(run))
        return ASSAY_OK;
    TRY(choose(&t, c, run, &distance, e));
    if (distance > 1)
        snprintf(spaced, sizeof spaced, "They are at least %" PRIu64 " frames apart.", distance);
    if (no_pictures)
        snprintf(t.text, sizeof t.text, "%s There are no pictures: %s.", spaced, no_pictures);
    else
        TRY(draw_pictures(&t, c, run, spaced, e));
    x->run.worst = t.worst;
    x->run.worsts = t.n;
    x->run.pictures = stored_copy(x, t.text);
    return stored_lost(x, "the worst frames", e);
}
