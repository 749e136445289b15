/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of pairs, for the page. They are made at the end, when the worst pairs are known, whose files are read
 * again. */
#include <stdlib.h>
#include <string.h>

#include "cli/image/image.h"
#include "report/heatmap.h"
#include "report/thumbnail.h"
#include "report/webp.h"
#include "run/align.h"

static const int qualities[] = {WEBP_EXACT, 90, 0}, map_qualities[] = {WEBP_EXACT, 60, 0};

struct drawing {
    const struct cli *cli;
    const struct image_limits *limits;
    struct image image[2];
    struct image_floats floats; /* maps of floats */
    uint32_t size[2];
    uint8_t *rgb, *extra;
    bool lossy;
};

static int code(struct drawing *d, struct report_picture *to, const int *quality, struct assay_error *e)
{
    return webp_picture(to, d->rgb, d->size, quality, d->limits->exact, &d->lossy, e);
}

/* Reads a side as the comparison did. */
static int read_side(struct drawing *d, const struct image_pair *p, unsigned side, struct assay_error *e)
{
    if (!align_is_file(p->path[side]))
        return assay_fail(e, ASSAY_EINPUT, "%s is no file that can be read again", p->path[side]);
    TRY(image_read(&d->image[side], p->path[side], d->cli->q.stop, e));
    return image_part(&d->image[side], &d->cli->q, side, e);
}

static assay_format alpha_format(const struct image *image)
{
    return (assay_format){.width = image->format.width, .height = image->format.height, .range = ASSAY_RANGE_FULL,
                          .bit_depth = image->format.bit_depth, .layout = ASSAY_LAYOUT_400};
}

static struct thumbnail alpha_of(const struct image *image, const assay_format *format, void *plane[1])
{
    plane[0] = image->alpha;
    return (struct thumbnail){format, plane, &image->alpha_stride};
}

/* Draws a side over white. */
static void draw_side(struct drawing *d, const struct image *image)
{
    const assay_format alpha = alpha_format(image), shown = image_scored_format(&d->cli->q, image);
    const struct thumbnail colours = {&shown, image->plane, image->stride};
    void *plane[1];
    thumbnail_draw(&colours, d->size, d->rgb);
    if (!image->alpha)
        return;
    const struct thumbnail over = alpha_of(image, &alpha, plane);
    thumbnail_draw(&over, d->size, d->extra);
    for (size_t i = 0; i < (size_t)d->size[0] * d->size[1] * 3; i++)
        d->rgb[i] = (uint8_t)((d->rgb[i] * d->extra[i] + 255 * (255 - d->extra[i]) + 127) / 255);
}

static void difference_label(char label[96], const char *what, double full, const char *unit)
{
    char number[NUMBER_TEXT_SIZE];
    if (!(full > 0)) {
        snprintf(label, 96, "no difference%s", what);
        return;
    }
    if (full < 0.01)
        format_shortest(number, full);
    else
        format_fixed(number, full, full < 1 ? 4 : 1);
    snprintf(label, 96, "difference%s, brightest from %s%s on", what, number, unit);
}

/* Draws where the sides differ, in the colours or in alpha. */
static int draw_difference(struct drawing *d, struct image_shown *out, bool alpha, struct assay_error *e)
{
    const struct image *image = d->image;
    const char *what = alpha ? " of alpha" : "";
    const enum image_view view = alpha ? VIEW_ALPHA : VIEW_MAP;
    double full;
    if (d->floats.map[alpha]) {
        const struct heatmap map = {.plane = d->floats.map[alpha], .type = "f32", .width = image[0].format.width,
                                    .height = image[0].format.height};
        TRY(thumbnail_map(&map, d->size, d->rgb, &full, e));
        difference_label(out->label[view], what, full, "");
        return code(d, &out->view[view], map_qualities, e);
    }
    const assay_format format = alpha_format(&image[0]);
    void *plane[2][1];
    const struct thumbnail colours[2] = {{&image[0].format, image[0].plane, image[0].stride},
                                         {&image[1].format, image[1].plane, image[1].stride}},
                           alphas[2] = {alpha_of(&image[0], &format, plane[0]), alpha_of(&image[1], &format, plane[1])};
    TRY(thumbnail_difference(alpha ? alphas : colours, d->size, d->rgb, &full, e));
    difference_label(out->label[view], what, full, " of 255");
    return code(d, &out->view[view], map_qualities, e);
}

static int draw_views(struct drawing *d, const struct image_pair *p, struct image_shown *out,
                      struct assay_error *e)
{
    static const char *const name[2] = {"reference", "distorted"};
    for (unsigned side = 0; side < 2; side++)
        TRY(read_side(d, p, side, e));
    TRY(image_match(&d->cli->q, d->image, e));
    struct image *image = d->image;
    const assay_format *f = &image[0].format;
    if (f->width != p->format.width || f->height != p->format.height || f->bit_depth != p->format.bit_depth)
        return assay_fail(e, ASSAY_EINPUT, "the files have changed since they were compared");
    TRY(p->floats ? image_float_maps(&d->cli->q, image, &d->floats, e) : ASSAY_OK);
    thumbnail_reduce(f->width, f->height, d->limits->most, d->size);
    d->rgb = malloc((size_t)d->size[0] * d->size[1] * 3);
    d->extra = malloc((size_t)d->size[0] * d->size[1] * 3);
    if (!d->rgb || !d->extra)
        return assay_fail_memory(e, "a picture for the page");
    for (unsigned side = 0; side < 2; side++) {
        TRY(p->floats ? image_float_show(&image[side], e) : ASSAY_OK);
        draw_side(d, &image[side]);
        TRY(code(d, &out->view[side], qualities, e));
        snprintf(out->label[side], sizeof out->label[side], "%s", name[side]);
    }
    TRY(p->codes ? draw_difference(d, out, false, e) : ASSAY_OK);
    return image_figure_above(p, "alpha_diff_pixels") ? draw_difference(d, out, true, e) : ASSAY_OK;
}

static void describe(const struct drawing *d, const struct image_pair *p, struct image_shown *out)
{
    char colours[2][160] = {"", ""};
    const uint32_t factor = (p->format.width - 1) / d->size[0] + 1;
    for (unsigned side = 0; side < 2; side++) {
        const assay_format shown = image_scored_format(&d->cli->q, &d->image[side]);
        thumbnail_colours(&shown, colours[side], sizeof colours[side]);
    }
    const bool same = !strcmp(colours[0], colours[1]);
    char reduced[64] = "Not reduced";
    if (factor > 1)
        snprintf(reduced, sizeof reduced, "Reduced %u times to %ux%u", factor, d->size[0], d->size[1]);
    snprintf(out->note, sizeof out->note, "%s, coded with%s loss. Colours: %s%s%s.%s", reduced, d->lossy ? "" : "out",
             colours[0], same ? "" : "; of the distorted side: ", same ? "" : colours[1],
             p->codes ? "" : " The codes stand for different colours: there is no view of their difference.");
}

/* Where a pair can't be drawn, its note says why. */
static int draw_pair(const struct images *r, const struct cli *c, struct image_pair *p, struct assay_error *e)
{
    struct drawing d = {.cli = c, .limits = &image_limits[r->folders]};
    struct assay_error why = {0};
    int rc = signals_why() ? assay_fail(&why, ASSAY_EINPUT, "the run was stopped") : webp_available(&why);
    rc = rc ? rc : draw_views(&d, p, p->shown, &why);
    if (rc) {
        for (unsigned i = 0; i < IMAGE_VIEWS; i++)
            report_picture_free(&p->shown->view[i]);
        snprintf(p->shown->note, sizeof p->shown->note, "There are no pictures: %.400s.", why.text);
    } else {
        describe(&d, p, p->shown);
    }
    for (unsigned i = 0; i < 2; i++)
        image_free(&d.image[i]);
    image_floats_free(&d.floats);
    free(d.rgb);
    free(d.extra);
    return rc == ASSAY_EINTERNAL ? assay_fail(e, rc, "%s", why.text) : ASSAY_OK;
}

/* A pair of two files is shown in any case; it has pictures if it was compared. Of folders, pairs that fail or differ
 * are. */
int image_pictures(const struct images *r, const struct cli *c, struct image_pair *const *order,
                   struct assay_error *e)
{
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < r->done; i++) {
        struct image_pair *p = order[i];
        const bool draws = drawn < r->shown && !p->code && (!r->folders || p->failed || p->differs);
        drawn += draws;
        if (p->shown || (r->folders && !draws)) /* another page has it */
            continue;
        if (!(p->shown = calloc(1, sizeof *p->shown)))
            return assay_fail_memory(e, "the page");
        TRY(draws ? draw_pair(r, c, p, e) : ASSAY_OK);
    }
    return ASSAY_OK;
}
