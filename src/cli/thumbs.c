/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/thumbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "host/numbers.h"
#include "host/text.h"
#include "report/heatmap.h"
#include "report/thumbnail.h"
#include "report/webp.h"

/* Maps are noise to a coder, and a few of them would be most of the file. A picture of more than SIZE_MOST bytes is
 * coded again with less quality: with those of six encodes the report of an hour stays below 3 MB. */
static const int qualities[] = {75, 37, 18, 9, 4, 2, 1, 0}, map_qualities[] = {30, 15, 7, 3, 1, 0};
enum { SIZE_MOST = 12000 };

bool thumbs_wanted(const struct cli *c)
{
    bool html = false;
    for (uint32_t i = 0; i < c->outputs; i++)
        html = html || c->output[i].kind == REPORT_HTML;
    return html && c->thumbnails;
}

/* ---- which frames ------------------------------------------------------------------------------------------------ */

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
    const struct scores *s = run->scores;
    uint64_t *row, n;
    const uint64_t second = frames_of_second(s), room = (s->frame[s->rows - 1] - s->frame[0] + 1) / (2 * c->thumbnails);
    *distance = room < second ? room : second;
    TRY(worst_choose(run, s->rows, &row, &n, e));
    t->worst = calloc(c->thumbnails, sizeof *t->worst);
    for (uint64_t i = 0; t->worst && i < n && t->n < c->thumbnails; i++)
        if (!is_near(t, s, row[i], *distance))
            t->worst[t->n++] = (struct report_worst){.row = row[i], .key = run->key};
    free(row);
    return t->worst ? ASSAY_OK : assay_fail_memory(e, "the worst frames");
}

/* ---- their pictures ---------------------------------------------------------------------------------------------- */

struct drawing {
    struct thumbs *thumbs;
    bool maps;            /* a metric has one, and its planes are kept as --heatmap asks */
    char colours[2][160]; /* of the sides */
};

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

static int draw_all(const struct drawing *d, const struct worst_frame *f, const uint32_t size[2], uint8_t *rgb,
                    struct assay_error *e)
{
    struct report_worst *w = &d->thumbs->worst[f->rank];
    struct thumbnail side[2];
    bool loss = true;
    for (unsigned i = 0; i < 2; i++) {
        side[i] = (struct thumbnail){pair_side(f->pair, i), f->picture[i].plane, f->picture[i].stride};
        thumbnail_draw(&side[i], size, rgb);
        TRY(webp_picture(&w->picture[i], rgb, size, qualities, SIZE_MOST, &loss, e));
    }
    TRY(d->maps ? draw_map(f->session, size, rgb, w, e) : draw_difference(side, size, rgb, w, e));
    return webp_picture(&w->picture[2], rgb, size, map_qualities, SIZE_MOST, &loss, e);
}

static int draw(struct drawing *d, const struct worst_frame *f, struct assay_error *e)
{
    uint32_t size[2];
    for (unsigned i = 0; i < 2; i++)
        thumbnail_colours(pair_side(f->pair, i), d->colours[i], sizeof d->colours[i]);
    thumbnail_fit(pair_side(f->pair, 0), f->pair->width, f->pair->height, size);
    uint8_t *rgb = malloc((size_t)size[0] * size[1] * 3);
    const int rc = rgb ? draw_all(d, f, size, rgb, e) : assay_fail_memory(e, "a small picture");
    free(rgb);
    return rc;
}

static void drop_pictures(struct thumbs *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        for (unsigned side = 0; side < 3; side++)
            report_picture_free(&t->worst[i].picture[side]);
}

/* Looks at the frames again. Where an input can't be read again, the report has no picture and says why. */
static int draw_pictures(struct thumbs *t, const struct cli *c, const struct worst_first *run, const char *spaced,
                         struct assay_error *e)
{
    struct assay_error why = {0};
    struct drawing d = {.thumbs = t, .maps = c->heatmap != NULL};
    uint64_t row[THUMBS_MOST];
    for (uint32_t i = 0; i < t->n; i++)
        row[i] = t->worst[i].row;
    struct second *z = NULL;
    struct worst_frame f;
    int rc = webp_available(&why);
    rc = rc ? rc : worst_inputs(c, "a second pass", &why);
    rc = rc ? rc : second_open(&z, c, run, row, t->n, d.maps, &why);
    while (!rc && (rc = second_next(z, &f, &why)) > 0)
        rc = draw(&d, &f, &why);
    second_close(&z);
    if (rc && (signals_why() || rc == ASSAY_EINTERNAL || rc == ASSAY_EDEVICE))
        return assay_fail(e, rc, "%s", why.text);
    if (rc) {
        drop_pictures(t);
        snprintf(t->text, sizeof t->text, "%s There are no pictures: %.800s.", spaced, why.text);
        if (!c->quiet)
            text_say("the HTML report has no pictures of the worst frames: %s", why.text);
        return ASSAY_OK;
    }
    const bool same = !strcmp(d.colours[0], d.colours[1]);
    snprintf(t->text, sizeof t->text,
             "%s Pictures are reduced and coded with loss: they are for a look. Colours: %s%s%s.", spaced,
             d.colours[0], same ? "" : "; of the distorted side: ", same ? "" : d.colours[1]);
    return ASSAY_OK;
}

int thumbs_make(struct thumbs *t, const struct cli *c, struct worst_first *run, const char *no_pictures,
                struct assay_error *e)
{
    uint64_t distance;
    char spaced[80] = "";
    *t = (struct thumbs){.n = 0};
    if (!run->scores->rows || !worst_key(run))
        return ASSAY_OK;
    TRY(choose(t, c, run, &distance, e));
    if (distance > 1)
        snprintf(spaced, sizeof spaced, "They are at least %" PRIu64 " frames apart.", distance);
    if (!no_pictures)
        return draw_pictures(t, c, run, spaced, e);
    snprintf(t->text, sizeof t->text, "%s There are no pictures: %s.", spaced, no_pictures);
    return ASSAY_OK;
}

void thumbs_show(const struct thumbs *t, struct report_run *run)
{
    run->worst = t->worst;
    run->worsts = t->n;
    run->pictures = t->text[0] ? t->text : NULL;
}

void thumbs_free(struct thumbs *t)
{
    drop_pictures(t);
    free(t->worst);
    *t = (struct thumbs){.n = 0};
}
