/* SPDX-License-Identifier: BSD-2-Clause */
/* assay image REFERENCE DISTORTED: are the pictures the same, and if not, how far are they apart? */
#include <stdlib.h>
#include <string.h>

#include "cli/image/image.h"
#include "host/text.h"
#include "input/stream.h"
#include "report/heatmap.h"
#include "report/progress.h"
#include "report/thumbnail.h"
#include "report/webp.h"

/* ---- gates ------------------------------------------------------------------------------------------------------- */

/* The figures that count pixels: a gate on them may have a limit in percent. */
static const char counts[] = "diff_pixels alpha_diff_pixels not_finite outside beyond_tolerance alpha_beyond_tolerance";

static int check_percent(const struct gate *g, struct assay_error *e)
{
    return text_word(counts, g->key) >= 0 ? ASSAY_OK
         : assay_fail(e, ASSAY_EUSAGE, "%s: a limit in percent is of the picture's pixels, and '%s' counts no pixels "
                      "(diff_pixels does)", g->over ? "--fail-over" : "--fail-under", g->key);
}

static int direction_of(const struct images *r, const char *key)
{
    for (uint32_t i = 0; i < r->keys; i++)
        if (!strcmp(r->key[i], key))
            return r->direction[i];
    return ASSAY_NEUTRAL;
}

/* Checks the gates of a pair and sets `failed`. A gate fails on a pair that lacks its figure. ASSAY_EUSAGE for a gate
 * on a figure that no such pair has. In a run of folders other pairs may have that figure: gates_known refuses the gate
 * at the end. */
static int gates_of_pair(const struct images *r, struct image_pair *p, struct assay_error *e)
{
    for (uint32_t i = 0; i < r->gates; i++) {
        const struct gate *g = &r->gate[i];
        const struct gate_result got = image_gate_judge(p, g);
        if (g->pool_named || (got.verdict == GATE_ABSENT && !r->folders))
            TRY(gate_validate(g, &(struct gate_names){.names = p->figures, .name = p->key}, e));
        TRY(gate_check_direction(g, direction_of(r, g->key), e));
        TRY(g->of_pixels ? check_percent(g, e) : ASSAY_OK);
        p->failed = p->failed || got.verdict != GATE_PASSED;
    }
    return ASSAY_OK;
}

static int gates_known(const struct images *r, struct assay_error *e)
{
    for (uint32_t i = 0; i < r->gates; i++) {
        bool known = false;
        for (uint32_t k = 0; k < r->done && !known; k++)
            known = image_gate_judge(&r->pair[k], &r->gate[i]).verdict != GATE_ABSENT;
        if (!known && r->keys)
            return gate_validate(&r->gate[i], &(struct gate_names){.names = r->keys, .name = (const char **)r->key},
                                 e);
    }
    return ASSAY_OK;
}

/* Says that alpha differs, or that samples are not finite, where gates look at other figures alone. No difference and
 * no error has samples that are not finite. */
static void print_ungated(const struct images *r, bool alpha, FILE *out)
{
    const char *const figure = alpha ? "alpha_diff_pixels" : "not_finite";
    const struct image_pair *first = NULL;
    char where[340] = "";
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < r->gates; i++)
        if (!strncmp(r->gate[i].key, figure, alpha ? 6 : 10))
            return;
    for (uint32_t i = r->gates ? r->done : 0; i-- > 0;)
        if (r->pair[i].differs && image_figure_above(&r->pair[i], figure)) {
            first = &r->pair[i];
            pairs++;
        }
    if (!first)
        return;
    if (r->folders)
        snprintf(where, sizeof where, "%u pair%s, the first is %.300s: ", pairs, pairs == 1 ? "" : "s", first->name);
    fprintf(out, "note  %s in %s%.0f pixels, and no gate is on it (--fail-over %s=0)\n",
            alpha ? "alpha differs" : "samples are not finite", where, *image_figure(first, figure),
            alpha ? "alpha_max_diff" : "not_finite");
}

/* Prints the gates, and lines on what differs and no gate is on. */
static void print_gates(const struct images *r, FILE *out)
{
    for (uint32_t i = 0; i < r->done; i++) {
        const struct image_pair *p = &r->pair[i];
        char where[300] = "";
        if (r->folders)
            snprintf(where, sizeof where, "%s: ", p->name);
        for (uint32_t k = 0; !p->code && k < r->gates; k++) {
            const struct gate_result g = image_gate_judge(p, &r->gate[k]);
            if (!r->folders || g.verdict != GATE_PASSED) /* of folders, only gates that fail */
                gate_print(out, &r->gate[k], where, &g);
        }
    }
    print_ungated(r, false, out);
    print_ungated(r, true, out);
}

/* ---- one pair ---------------------------------------------------------------------------------------------------- */

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

/* Draws the map of the colours or of alpha of floats. The largest finite difference has the last colour, and so has one
 * that is not finite. */
static int draw_floats(const struct pictures *x, const struct cli *c, const assay_format *format, bool alpha,
                       const char *stem, struct assay_error *e)
{
    const float *const plane = x->floats.map[alpha];
    const struct heatmap map = {.plane = plane, .type = "f32", .width = format->width, .height = format->height,
                                .what = "largest difference of each pixel",
                                .full = image_float_peak(plane, (size_t)format->width * format->height)};
    char *path = text_new("%s/%s.diff.png", c->heatmap, stem);
    int rc = path ? results_spare(c, path, FILE_PNG, e) : assay_fail_memory(e, "a file's name");
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

/* Whether maps of the first n characters of a name, with or without alpha, would have the names of another pair's. */
static bool is_shared(const struct images *r, const char *name, size_t n)
{
    bool shared = false;
    for (const struct image_pair *p = r->pair; p < r->pair + r->pairs; p++)
        shared = shared || (!strncmp(p->name, name, n) &&
                            (!p->name[n] || text_word(".alpha .alpha.png", p->name + n) >= 0));
    return shared;
}

/* Draws where a pair differs. Called for pairs that fail a gate, or, without gates, for all pairs that differ. */
static int draw(const struct pictures *x, const struct cli *c, struct image_pair *p, struct assay_error *e)
{
    const size_t n = strlen(p->name), short_n = n > 4 && !strcmp(p->name + n - 4, ".png") ? n - 4 : n;
    const int length = (int)(is_shared(x->all, p->name, short_n) ? n : short_n);
    for (int alpha = 0; alpha < (p->alpha && image_figure_above(p, "alpha_diff_pixels") ? 2 : 1); alpha++) {
        char *stem = text_new("%.*s%s", length, p->name, alpha ? ".alpha" : "");
        const int rc = stem ? draw_maps(x, c, p, alpha, stem, e) : assay_fail_memory(e, "a file's name");
        free(stem);
        TRY(rc);
    }
    p->drawn = true;
    return ASSAY_OK;
}

/* What becomes of a pair that was compared. Floats have a map of their own. */
static int conclude_pair(const struct pictures *x, const struct cli *c, struct image_pair *p, struct assay_error *e)
{
    TRY(p->floats ? ASSAY_OK : heatmaps_check(c, x->colour.session, e));
    TRY(p->alpha && !p->floats ? heatmaps_check(c, x->alpha.session, e) : ASSAY_OK);
    TRY(gates_of_pair(x->all, p, e));
    return c->heatmap && (c->gates ? p->failed : p->differs) ? draw(x, c, p, e) : ASSAY_OK;
}

/* Compares the next pair, says what the user should know of it, and draws where it differs. */
static int compare_next(struct pictures *x, const struct cli *c, struct progress *progress, struct assay_error *e)
{
    struct image_pair *p = &x->all->pair[x->all->done];
    int rc = pictures_next(x, e);
    say(x, c, progress);
    if (!rc && x->notes[0] && !(p->notes = strndup(x->notes, strlen(x->notes) - 1)))
        rc = assay_fail_memory(e, "the notes on a pair");
    rc = rc ? rc : conclude_pair(x, c, p, e);
    pictures_done(x);
    return rc;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* Pictures of the pairs that it shows. They are made at the end, when the worst pairs are known, whose files are read
 * again. */
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
    if (stream_file_bytes(p->path[side]) < 0)
        return assay_fail(e, ASSAY_EINPUT, "%s is no file that can be read again", p->path[side]);
    TRY(image_read(&d->image[side], p->path[side], d->cli->q.stop, e));
    return image_part(&d->image[side], &d->cli->q, side, e);
}

/* Draws a side over white. */
static void draw_side(struct drawing *d, const struct image *image)
{
    const assay_format alpha = image_alpha_format(image), shown = image_scored_format(&d->cli->q, image);
    const struct thumbnail colours = {&shown, image->plane, image->stride},
                           over = {&alpha, &image->plane[3], &image->stride[3]};
    thumbnail_draw(&colours, d->size, d->rgb);
    if (!image->plane[3])
        return;
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
    const assay_format format = image_alpha_format(&image[0]);
    const struct thumbnail colours[2] = {{&image[0].format, image[0].plane, image[0].stride},
                                         {&image[1].format, image[1].plane, image[1].stride}},
                           alphas[2] = {{&format, &image[0].plane[3], &image[0].stride[3]},
                                        {&format, &image[1].plane[3], &image[1].stride[3]}};
    TRY(thumbnail_difference(alpha ? alphas : colours, d->size, d->rgb, &full, e));
    difference_label(out->label[view], what, full, " of 255");
    return code(d, &out->view[view], map_qualities, e);
}

static int draw_views(struct drawing *d, const struct image_pair *p, struct image_shown *out, struct assay_error *e)
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

static void describe_views(const struct drawing *d, const struct image_pair *p, struct image_shown *out)
{
    char colours[360], reduced[64] = "Not reduced";
    const uint32_t factor = (p->format.width - 1) / d->size[0] + 1;
    const assay_format shown[2] = {image_scored_format(&d->cli->q, &d->image[0]),
                                   image_scored_format(&d->cli->q, &d->image[1])};
    thumbnail_colours(&shown[0], &shown[1], colours, sizeof colours);
    if (factor > 1)
        snprintf(reduced, sizeof reduced, "Reduced %u times to %ux%u", factor, d->size[0], d->size[1]);
    snprintf(out->note, sizeof out->note, "%s, coded with%s loss. Colours: %s.%s", reduced, d->lossy ? "" : "out",
             colours, p->codes ? "" : " The codes stand for different colours: there is no view of their difference.");
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
        describe_views(&d, p, p->shown);
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
static int make_pictures(const struct images *r, const struct cli *c, struct image_pair *const *order,
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

/* ---- all pairs --------------------------------------------------------------------------------------------------- */

/* Whether a failure concerns this pair alone: the pair can't be read or does not match. Other failures end the run. */
static bool of_the_pair(int code, const struct image_pair *p)
{
    return code == ASSAY_EINPUT || code == ASSAY_EMISMATCH || (code == ASSAY_EUSAGE && p->colour_unknown);
}

/* Keeps why a pair was not compared. The first failure is printed at the end. */
static int fail_pair(struct image_pair *p, const struct assay_error *why, struct progress *progress,
                     struct assay_error *e)
{
    p->code = why->code;
    p->figures = p->first_other = p->first_alpha = 0;
    if (!(p->error = strdup(why->text)))
        return assay_fail_memory(e, "a message");
    progress_erase(progress);
    if (e->code)
        text_say("%s", why->text);
    else
        *e = *why;
    return ASSAY_OK;
}

static int compare_all(struct images *r, const struct cli *c, struct pictures *x, struct progress *progress,
                       struct assay_error *e)
{
    struct image_rows rows = {.shaped = NULL};
    while (r->done < r->pairs) {
        struct image_pair *p = &r->pair[r->done];
        struct assay_error why = {0};
        const int rc = signals_why() ? ASSAY_EINPUT : compare_next(x, c, progress, &why);
        const bool stopped = rc && signals_why();
        if (stopped || (rc && (!r->folders || !of_the_pair(rc, p)))) {
            progress_erase(progress);
            if (e->code) /* the failure that ends the run replaces a pair's failure */
                text_say("%s", e->text);
            *e = why;
            return stopped ? signals_stopped(e) : rc;
        }
        TRY(rc ? fail_pair(p, &why, progress, e) : ASSAY_OK);
        r->done++;
        progress_erase(progress);
        if (r->folders && !c->quiet && results_stream(c) == stdout)
            images_print_row(&rows, r, p, stdout);
        progress_update(progress, r->done);
    }
    return ASSAY_OK;
}

/* Fails where a file is in one folder only or a folder was not looked into, unless that is allowed. */
static int check_left(const struct images *r, struct assay_error *e)
{
    const uint32_t alone = r->alone[0] + r->alone[1];
    const unsigned side = r->alone[0] ? 0 : 1;
    uint32_t folders = 0;
    const char *first = NULL;
    if (alone)
        return assay_fail(e, ASSAY_EMISMATCH, "%u file%s in one folder only, the first is %s/%s (--allow-unpaired "
                          "leaves them out)", alone, alone == 1 ? " is" : "s are", r->path[side], r->only[side][0]);
    for (uint32_t i = 0; i < r->lefts; i++) {
        first = !first && r->left[i].folder ? r->left[i].path : first;
        folders += r->left[i].folder;
    }
    if (!folders)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EMISMATCH, "%u folder%s not looked into, the first is %s (--recursive compares what is "
                      "in them, --allow-unpaired leaves them out)", folders, folders == 1 ? " was" : "s were", first);
}

static int write_report(const struct images *r, const struct cli *c, const struct cli_output *to, struct assay_error *e)
{
    if (to->kind != REPORT_HTML)
        return (to->kind == REPORT_CSV ? images_csv : images_json)(r, to->path, e);
    struct image_pair **order = images_order(r, e);
    int rc = order ? make_pictures(r, c, order, e) : e->code;
    rc = rc ? rc : images_html(r, order, to->path, e);
    free(order);
    return rc;
}

/* Writes the reports and the end of the table, also after a run that broke off. Returns the worst result. */
static int conclude(struct images *r, const struct cli *c, struct assay_error *e)
{
    FILE *people = results_stream(c);
    struct assay_error late = {0};
    bool failed = false, floats = false;
    r->reason = r->done < r->pairs ? e->text : NULL;
    for (uint32_t i = 0; !late.code && i < c->outputs; i++)
        write_report(r, c, &c->output[i], &late);
    if (!c->quiet && people == stdout)
        (r->folders ? images_print_end : images_print)(r, people);
    print_gates(r, people);
    for (uint32_t i = 0; i < r->done; i++) {
        failed = failed || r->pair[i].failed;
        floats = floats || r->pair[i].floats;
    }
    TRY(e->code);
    TRY(gates_known(r, e));
    TRY(floats ? ASSAY_OK : pictures_refuse_tolerance(r, e));
    TRY(c->q.allow[ALLOW_UNPAIRED] ? ASSAY_OK : check_left(r, e));
    return late.code ? assay_fail(e, late.code, "%s", late.text) : failed;
}

static int run(struct images *r, const struct cli *c, struct assay_error *e)
{
    struct progress progress = {0};
    struct pictures *x = NULL;
    TRY(results_spared(c, e));
    TRY(c->heatmap ? heatmaps_folder(c->heatmap, e) : ASSAY_OK);
    TRY(image_list(r, c, e));
    if (c->progress || (r->folders && !c->quiet && !c->no_progress))
        progress_start(&progress, stderr, c->progress, r->pairs, "pairs");
    int broken = pictures_open(&x, r, &c->q, e);
    broken = broken ? broken : compare_all(r, c, x, &progress, e);
    pictures_close(&x);
    progress_erase(&progress);
    return broken && !r->done ? broken : conclude(r, c, e);
}

int cli_image(const struct cli *c, struct assay_error *e)
{
    struct images *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the run");
    r->gate = c->gate;
    r->gates = c->gates;
    r->tolerance = c->q.tolerances ? c->q.tolerance : NULL;
    r->precision = c->precision;
    r->shown = c->thumbnails;
    for (unsigned side = 0; side < 2; side++) {
        r->path[side] = c->q.path[side];
        if (c->q.crop[side].width)
            crop_text(r->crop[side], sizeof r->crop[side], &c->q.crop[side]);
    }
    signals_catch(false);
    const int rc = run(r, c, e);
    images_free(r);
    free(r);
    return rc;
}
