/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of assay image. Its pictures are made at the end: the worst pairs are known then, and read again. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/image/image.h"
#include "input/stream.h"
#include "report/html_images.h"
#include "report/thumbnail.h"
#include "report/webp.h"

/* A picture that takes more bytes without loss is coded with loss. */
static const struct limits {
    uint32_t most[2];
    size_t exact;
} limits[2] = {{{1600, 1200}, 1500000}, {{800, 600}, 150000}}; /* of two files; of folders */
enum { QUALITY = 90, MAP_QUALITY = 60, REST = 600 };

/* ---- the order --------------------------------------------------------------------------------------------------- */

struct rank {
    const struct image_pair *pair;
    int group;  /* 0 not compared, 1 failed, 2 differs, 3 equal */
    double key; /* the least is the worst */
};

/* The pair's place by the first gate's figure, or by PSNR. */
static struct rank rank_of(const struct image_run *r, const struct image_pair *p)
{
    struct rank k = {p, p->code ? 0 : p->failed ? 1 : p->differs ? 2 : 3, -INFINITY};
    if (r->cli->gates && image_gate_value(p, &r->cli->gate[0], &k.key))
        k.key = r->cli->gate[0].over ? -k.key : k.key;
    else if (!r->cli->gates && !p->code)
        k.key = image_least_psnr(p);
    k.key = k.key == k.key ? k.key : -INFINITY;
    return k;
}

static int by_rank(const void *x, const void *y)
{
    const struct rank *a = x, *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->key < b->key || a->key > b->key)
        return a->key < b->key ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair; /* by name */
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

struct drawing {
    const struct cli *cli;
    const struct limits *limits;
    struct image image[2];
    float *map[2];      /* of floats: of the colours and of alpha */
    uint32_t size[2];
    uint8_t *rgb, *extra;
    bool lossy;
};

static int code(struct drawing *d, struct report_picture *to, int quality, struct assay_error *e)
{
    void *data;
    TRY(webp_encode(d->rgb, d->size[0], d->size[1], WEBP_EXACT, &data, &to->size, e));
    if (to->size > d->limits->exact) {
        free(data);
        to->size = 0;
        TRY(webp_encode(d->rgb, d->size[0], d->size[1], quality, &data, &to->size, e));
        d->lossy = true;
    }
    to->data = data;
    to->type = "image/webp";
    to->width = d->size[0];
    to->height = d->size[1];
    return ASSAY_OK;
}

/* Reads a side as the comparison did. */
static int read_side(struct drawing *d, const struct image_pair *p, unsigned side, struct assay_error *e)
{
    struct stat st;
    if (strcmp(p->path[side], "-") == 0 || stat(p->path[side], &st) || !S_ISREG(st.st_mode))
        return assay_fail(e, ASSAY_EINPUT, "%s is no file that can be read again", p->path[side]);
    TRY(image_read(&d->image[side], p->path[side], &cli_stop, e));
    return crop_image(&d->image[side], d->cli, side, e);
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
    const assay_format alpha = alpha_format(image), shown = image_scored_format(d->cli, image);
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
static int draw_difference(struct drawing *d, struct html_image_pair *out, bool alpha, struct assay_error *e)
{
    const struct image *image = d->image;
    const char *what = alpha ? " of alpha" : "";
    const enum html_image_view view = alpha ? VIEW_ALPHA : VIEW_MAP;
    double full;
    if (d->map[alpha]) {
        const struct heatmap map = {.plane = d->map[alpha], .type = "f32", .width = image[0].format.width,
                                    .height = image[0].format.height};
        TRY(thumbnail_map(&map, d->size, d->rgb, &full, e));
        difference_label(out->label[view], what, full, "");
        return code(d, &out->view[view], MAP_QUALITY, e);
    }
    const assay_format format = alpha_format(&image[0]);
    void *plane[2][1];
    const struct thumbnail colours[2] = {{&image[0].format, image[0].plane, image[0].stride},
                                         {&image[1].format, image[1].plane, image[1].stride}},
                           alphas[2] = {alpha_of(&image[0], &format, plane[0]), alpha_of(&image[1], &format, plane[1])};
    TRY(thumbnail_difference(alpha ? alphas : colours, d->size, d->rgb, &full, e));
    difference_label(out->label[view], what, full, " of 255");
    return code(d, &out->view[view], MAP_QUALITY, e);
}

static int draw_views(struct drawing *d, const struct image_pair *p, struct html_image_pair *out,
                      struct assay_error *e)
{
    static const char *const name[2] = {"reference", "distorted"};
    for (unsigned side = 0; side < 2; side++)
        TRY(read_side(d, p, side, e));
    TRY(image_match(d->cli, d->image, e));
    struct image *image = d->image;
    const assay_format *f = &image[0].format;
    if (f->width != p->format.width || f->height != p->format.height || f->bit_depth != p->format.bit_depth)
        return assay_fail(e, ASSAY_EINPUT, "the files have changed since they were compared");
    for (int alpha = 0; p->floats && alpha < (image[0].alpha ? 2 : 1); alpha++)
        if (!(d->map[alpha] = image_float_map(d->cli, image, alpha, e)))
            return e->code;
    thumbnail_reduce(f->width, f->height, d->limits->most, d->size);
    d->rgb = malloc((size_t)d->size[0] * d->size[1] * 3);
    d->extra = malloc((size_t)d->size[0] * d->size[1] * 3);
    if (!d->rgb || !d->extra)
        return assay_fail_memory(e, "a picture for the page");
    for (unsigned side = 0; side < 2; side++) {
        TRY(p->floats ? image_float_show(&image[side], e) : ASSAY_OK);
        draw_side(d, &image[side]);
        TRY(code(d, &out->view[side], QUALITY, e));
        snprintf(out->label[side], sizeof out->label[side], "%s", name[side]);
    }
    TRY(p->codes ? draw_difference(d, out, false, e) : ASSAY_OK);
    const double *alpha = image_figure(p, "alpha_diff_pixels");
    return alpha && *alpha > 0 ? draw_difference(d, out, true, e) : ASSAY_OK;
}

static void drop_views(struct html_image_pair *p)
{
    for (unsigned i = 0; i < HTML_IMAGE_VIEWS; i++) {
        union { const void *in; void *out; } data = {.in = p->view[i].data};
        free(data.out);
        p->view[i] = (struct report_picture){.size = 0};
    }
}

static void describe(const struct drawing *d, const struct image_pair *p, struct html_image_pair *out)
{
    char colours[2][160] = {"", ""};
    const uint32_t factor = (p->format.width - 1) / d->size[0] + 1;
    for (unsigned side = 0; side < 2; side++) {
        const assay_format shown = image_scored_format(d->cli, &d->image[side]);
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
static int draw_pair(const struct image_run *r, const struct image_pair *p, struct html_image_pair *out,
                     struct assay_error *e)
{
    struct drawing d = {.cli = r->cli, .limits = &limits[r->folders]};
    struct assay_error why = {0};
    out->drawn = true;
    int rc = signals_why() ? assay_fail(&why, ASSAY_EINPUT, "the run was stopped") : webp_available(&why);
    rc = rc ? rc : draw_views(&d, p, out, &why);
    if (rc) {
        drop_views(out);
        snprintf(out->note, sizeof out->note, "There are no pictures: %.400s.", why.text);
    } else {
        describe(&d, p, out);
    }
    for (unsigned i = 0; i < 2; i++) {
        image_free(&d.image[i]);
        free(d.map[i]);
    }
    free(d.rgb);
    free(d.extra);
    return rc == ASSAY_EINTERNAL ? assay_fail(e, rc, "%s", why.text) : ASSAY_OK;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void fill_pair(const struct image_run *r, const struct image_pair *p, struct html_image_pair *out)
{
    char format[32];
    *out = (struct html_image_pair){.name = p->name, .result = image_result(r->cli, p), .error = p->error,
                                    .bad = p->code || p->failed, .figures = p->figures, .key = p->key,
                                    .value = p->value};
    for (unsigned side = 0; side < 2; side++) {
        out->path[side] = p->path[side];
        out->reader[side] = p->reader[side];
        out->colour[side] = p->colour[side];
        out->bytes[side] = p->bytes[side];
        out->bits_per_pixel[side] = image_bits_per_pixel(p, side);
    }
    if (!p->code)
        snprintf(out->kind, sizeof out->kind, "%ux%u %s%s", p->format.width, p->format.height,
                 input_format_name(&p->format, format), p->alpha ? " with alpha" : "");
}

/* The columns of the table: the usual ones that any pair has, then those of the user's metrics. */
static uint32_t find_columns(const struct image_run *r, const char *column[IMAGE_KEYS])
{
    static const char *const usual[] = {"psnr", "max_diff", "diff_pixels", "beyond_tolerance", "alpha_psnr",
                                        "alpha_max_diff", "alpha_diff_pixels"};
    uint32_t n = 0;
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++)
        for (uint32_t k = 0; k < r->keys; k++)
            if (!strcmp(r->key[k], usual[i]))
                column[n++] = r->key[k];
    for (const struct image_pair *p = r->pair; p < r->pair + r->done; p++)
        for (uint32_t i = p->first_other; i < p->first_alpha; i++) {
            bool known = false;
            for (uint32_t k = 0; k < n && !known; k++)
                known = column[k] == p->key[i];
            if (!known)
                column[n++] = p->key[i];
        }
    return n;
}

/* The files that were not compared, a line each. */
static int list_rest(const struct image_run *r, char ***rest, uint32_t *n, struct assay_error *e)
{
    const uint32_t most = r->alone[0] + r->alone[1] + r->lefts;
    *n = 0;
    if (!(*rest = calloc(most + 1, sizeof **rest)))
        return assay_fail_memory(e, "the page");
    for (uint32_t i = 0; i < most; i++) {
        const uint32_t k = i < r->lefts ? i : i - r->lefts;
        const unsigned side = k >= r->alone[0];
        char *line = NULL;
        const int length = i < r->lefts
            ? asprintf(&line, "left out: %s (%s)", r->left[i].path, r->left[i].why)
            : asprintf(&line, "no partner: %s/%s", r->cli->q.path[side], r->only[side][side ? k - r->alone[0] : k]);
        if (length < 0)
            return assay_fail_memory(e, "the page");
        (*rest)[(*n)++] = line;
    }
    return ASSAY_OK;
}

static void count_gates(const struct image_run *r, struct html_image_gate gate[CLI_GATES])
{
    for (uint32_t i = 0; i < r->cli->gates; i++) {
        struct html_image_gate *g = &gate[i];
        *g = (struct html_image_gate){&r->cli->gate[i], 0};
        for (const struct image_pair *p = r->pair; p < r->pair + r->done; p++) {
            double v;
            g->failed += !p->code && (!image_gate_value(p, g->gate, &v) || !gate_passes(g->gate, v));
        }
    }
}

static void put_words(const struct image_run *r, struct html_images *page, char counts[200], char order[300],
                      char pictures[1024])
{
    const struct image_count n = image_count(r);
    const struct gate *g = r->cli->gates ? &r->cli->gate[0] : NULL;
    const struct limits *l = &limits[r->folders];
    if (r->folders)
        snprintf(counts, 200, "%u pair%s: %u equal, %u differ, %u failed, %u error%s, %u unpaired, %u left out",
                 r->done, r->done == 1 ? "" : "s", n.equal, n.differ, n.failed, n.errors, n.errors == 1 ? "" : "s",
                 n.unpaired, r->lefts);
    else
        snprintf(counts, 200, "%s", page->pairs ? page->pair[0].result : "not compared");
    snprintf(order, 300, "Pairs that were not compared come first, then those that failed, that differ, and equal "
             "ones; among these the %s %s first.", !g || !g->over ? "lowest" : "highest", g ? g->key : "psnr");
    char which[120] = "Pictures";
    if (r->folders)
        snprintf(which, sizeof which, "Pictures are of at most %u pairs that fail or differ, the worst ones. They",
                 r->cli->thumbnails);
    snprintf(pictures, 1024, "%s are reduced by a whole factor to at most %ux%u pixels, each the mean of the "
             "samples that it covers, shown as sRGB, with alpha over white; floats below 0 and above 1 are clipped. "
             "The difference is the mean one of luma, or of red, green and blue, under each pixel, of floats the largest "
             "of the colours: black is 0, and yellow what 99 of 100 pixels don't exceed. A picture of more than %zu "
             "bytes is coded with loss. Figures are those of the files, not of these pictures.", which, l->most[0],
             l->most[1], l->exact);
    page->counts = counts;
    page->order = order;
    page->pictures = pictures;
}

static int write_page(const struct image_run *r, const struct html_images *page, const char *path,
                      struct assay_error *e)
{
    struct html_images whole = *page;
    char counts[200], order[300], pictures[1024], crop[2][48] = {"", ""};
    const char *column[IMAGE_KEYS];
    for (unsigned side = 0; side < 2; side++)
        if (r->cli->q.crop[side].width)
            crop_text(crop[side], sizeof crop[side], &r->cli->q.crop[side]);
    const struct report_field field[] = {
        {.name = "version", .value = whole.version}, {.name = "reference", .value = r->cli->q.path[0]},
        {.name = "distorted", .value = r->cli->q.path[1]}, {.name = "reference_crop", .value = crop[0]},
        {.name = "distorted_crop", .value = crop[1]}, {.name = "backend", .value = r->backend},
        {.name = "device", .value = r->device}, {.name = "driver", .value = r->driver},
        {.name = "configuration", .value = r->configuration},
    };
    struct html_image_gate gate[CLI_GATES];
    struct sink s;
    put_words(r, &whole, counts, order, pictures);
    count_gates(r, gate);
    whole.gate = gate;
    whole.gates = r->cli->gates;
    whole.column = column;
    whole.columns = find_columns(r, column);
    whole.field = field;
    whole.fields = sizeof field / sizeof field[0];
    TRY(sink_open(&s, path, e));
    html_images_write(&s, &whole);
    return sink_close(&s, e);
}

/* Whether a pair has pictures: one of two files always, of folders those that fail or differ. */
static bool shown(const struct image_run *r, const struct image_pair *p)
{
    return !p->code && (!r->folders || p->failed || p->differs);
}

static int fill_pairs(const struct image_run *r, struct html_image_pair *pair, struct assay_error *e)
{
    struct rank *rank = calloc(r->done + 1, sizeof *rank);
    uint32_t drawn = 0;
    int rc = rank ? ASSAY_OK : assay_fail_memory(e, "the page");
    for (uint32_t i = 0; !rc && i < r->done; i++)
        rank[i] = rank_of(r, &r->pair[i]);
    if (!rc)
        qsort(rank, r->done, sizeof *rank, by_rank);
    for (uint32_t i = 0; !rc && i < r->done; i++) {
        fill_pair(r, rank[i].pair, &pair[i]);
        pair[i].drawn = !r->folders;
        if (drawn < r->cli->thumbnails && shown(r, rank[i].pair)) {
            drawn++;
            rc = draw_pair(r, rank[i].pair, &pair[i], e);
        }
    }
    free(rank);
    return rc;
}

int image_html(const struct image_run *r, const char *path, struct assay_error *e)
{
    struct html_image_pair *pair = calloc(r->done + 1, sizeof *pair);
    char **rest = NULL, version[64];
    uint32_t rests = 0;
    snprintf(version, sizeof version, "%s", assay_version());
    int rc = pair ? list_rest(r, &rest, &rests, e) : assay_fail_memory(e, "the page");
    rc = rc ? rc : fill_pairs(r, pair, e);
    if (!rc)
        rc = write_page(r, &(struct html_images){.path = {r->cli->q.path[0], r->cli->q.path[1]}, .folders = r->folders,
                                                 .version = version, .reason = r->reason, .planned = r->pairs,
                                                 .pair = pair, .pairs = r->done, .rest = (const char *const *)rest,
                                                 .rests = rests, .precision = results_precision(r->cli, REPORT_HTML)},
                        path, e);
    for (uint32_t i = 0; pair && i < r->done; i++)
        drop_views(&pair[i]);
    while (rests)
        free(rest[--rests]);
    free(rest);
    free(pair);
    return rc;
}
