/* SPDX-License-Identifier: BSD-2-Clause */
/* One pair of images: what is said of it, and the heatmaps. */
#include <stdlib.h>
#include <string.h>

#include "cli/image/image.h"
#include "host/text.h"
#include "report/heatmap.h"
#include "results/file.h"

/* Says what the comparison notes. The line of progress is erased then. */
static void say(const struct pictures *x, const struct cli *c, struct progress *progress)
{
    const char *notes = x->notes, *line;
    size_t n;
    if (c->quiet || (!*notes && !x->left_out.n && !x->notice[0]))
        return;
    progress_erase(progress);
    while ((line = text_line(&notes, &n)))
        text_say("%.*s", (int)n, line);
    left_out_say(c, &x->left_out, NULL, 0);
    if (x->notice[0])
        text_say("%s", x->notice);
}

static void say_notices(const struct pictures *x, const struct cli *c, struct progress *progress)
{
    for (const struct image *i = x->image; !c->quiet && i < x->image + 2; i++)
        if (i->notice[0]) {
            progress_erase(progress);
            text_say("%s: %s", i->name, i->notice);
        }
}

/* Draws the map of the colours or of alpha of floats. The largest finite difference has the last colour, and so has one
 * that is not finite. */
static int draw_floats(const struct pictures *x, const struct cli *c, const assay_format *format, bool alpha,
                       const char *stem, struct assay_error *e)
{
    const float *const plane = x->floats.map[alpha];
    const struct heatmap map = {.plane = plane, .type = "f32", .width = format->width, .height = format->height,
                                .what = "largest difference of each pixel",
                                .full = image_float_peak(plane, (size_t)format->width * format->height)};
    char *path = NULL;
    if (asprintf(&path, "%s/%s.diff.png", c->heatmap, stem) < 0)
        return assay_fail_memory(e, "a file's name");
    int rc = c->force ? ASSAY_OK : file_spare(path, FILE_PNG, e);
    rc = rc ? rc : heatmap_write(path, &map, e);
    free(path);
    return rc;
}

static int draw_maps(const struct pictures *x, const struct cli *c, const struct image_pair *p, bool alpha,
                     const char *stem, struct assay_error *e)
{
    assay_session *s = alpha ? x->alpha.session : x->colour.session;
    if (p->floats && p->codes)
        TRY(draw_floats(x, c, &p->format, alpha, stem, e));
    if (p->floats && alpha)
        return ASSAY_OK;
    TRY(p->floats && x->light.session ? heatmaps_write(c, x->light.session, 0, stem, e) : ASSAY_OK);
    return s ? heatmaps_write(c, s, 0, stem, e) : ASSAY_OK;
}

/* Draws where a pair differs. Called for pairs that fail a gate, or, without gates, for all pairs that differ. */
static int draw(const struct pictures *x, const struct cli *c, struct image_pair *p, struct assay_error *e)
{
    const size_t n = strlen(p->name);
    const int length = (int)(n > 4 && !strcmp(p->name + n - 4, ".png") ? n - 4 : n);
    for (int alpha = 0; alpha < (p->alpha && image_figure_above(p, "alpha_diff_pixels") ? 2 : 1); alpha++) {
        char *stem = NULL;
        if (asprintf(&stem, "%.*s%s", length, p->name, alpha ? ".alpha" : "") < 0)
            return assay_fail_memory(e, "a file's name");
        const int rc = draw_maps(x, c, p, alpha, stem, e);
        free(stem);
        TRY(rc);
    }
    p->drawn = true;
    return ASSAY_OK;
}

/* What becomes of a pair that was compared. Floats have a map of their own. */
static int conclude(const struct pictures *x, const struct cli *c, struct image_pair *p, struct progress *progress,
                    struct assay_error *e)
{
    TRY(p->floats ? ASSAY_OK : heatmaps_check(c, x->colour.session, e));
    TRY(p->alpha && !p->floats ? heatmaps_check(c, x->alpha.session, e) : ASSAY_OK);
    say_notices(x, c, progress);
    TRY(image_gates(x->all, p, e));
    return c->heatmap && (c->gates ? p->failed : p->differs) ? draw(x, c, p, e) : ASSAY_OK;
}

int image_compare(struct pictures *x, const struct cli *c, struct progress *progress, struct assay_error *e)
{
    int rc = pictures_next(x, e);
    say(x, c, progress);
    rc = rc ? rc : conclude(x, c, &x->all->pair[x->all->done], progress, e);
    pictures_done(x);
    return rc;
}
