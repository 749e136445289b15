/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of `assay image`: pairs of images, the worst first, their figures, and pictures of those that differ. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/exact_math.h"
#include "report/html_page.h"
#include "report/images.h"
#include "report/reporter.h"

const struct image_limits image_limits[2] = {{{1600, 1200}, 1500000}, {{800, 600}, 150000}};

struct images_page {
    struct sink *s;
    const struct images *r;
    struct image_pair *const *order;
    const char *column[IMAGE_KEYS]; /* keys of the table of all pairs */
    uint32_t columns;
};

/* ---- the order --------------------------------------------------------------------------------------------------- */

/* Those that were not compared, that failed, that differ, and equal ones. */
static int group_of(const struct image_pair *p)
{
    return p->code ? 0 : p->failed ? 1 : p->differs ? 2 : 3;
}

/* By the first gate's figure, or by PSNR. */
static double rank_of(const struct images *r, const struct image_pair *p)
{
    const double v = r->gates ? image_gate_judge(p, &r->gate[0]).value * (r->gate[0].over ? -1 : 1)
                   : p->code ? -INFINITY : image_least_psnr(p);
    return v == v ? v : -INFINITY;
}

static int by_rank(const void *x, const void *y)
{
    const struct image_pair *a = *(struct image_pair *const *)x, *b = *(struct image_pair *const *)y;
    if (group_of(a) != group_of(b))
        return group_of(a) < group_of(b) ? -1 : 1;
    if (a->rank < b->rank || a->rank > b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a < b ? -1 : a > b; /* by name */
}

struct image_pair **images_order(const struct images *r, struct assay_error *e)
{
    struct image_pair **order = calloc(r->done + 1, sizeof *order);
    if (!order) {
        assay_fail_memory(e, "the page");
        return NULL;
    }
    for (uint32_t i = 0; i < r->done; i++) {
        order[i] = &r->pair[i];
        order[i]->rank = rank_of(r, order[i]);
    }
    qsort(order, r->done, sizeof *order, by_rank);
    return order;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* The decimals of a figure; whole numbers have none. */
static int decimals_of(const struct images_page *g, double v)
{
    const bool whole = v == assay_floor(v) && fabs(v) < 1e15;
    return whole ? 0 : g->r->precision == REPORT_DEFAULT ? report_decimals(fabs(v)) : g->r->precision;
}

/* A cell; a dash where there is no figure. */
static void put_cell(const struct images_page *g, const char *key, const double *v)
{
    if (!v) {
        sink_text(g->s, "<td class=\"none\">–</td>");
        return;
    }
    sink_format(g->s, "<td data-key=\"%s\"", key);
    html_value(g->s, *v, decimals_of(g, *v), "</td>");
}

static void put_result(const struct images_page *g, const struct image_pair *p, const char *tag)
{
    const char *result = image_result(g->r, p);
    sink_format(g->s, "<%s data-result=\"%s\"%s>%s</%s>", tag, result,
                p->code || p->failed ? " class=\"bad\"" : "", result, tag);
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void put_title(struct sink *s, const void *images)
{
    const struct images *r = images;
    html_text(s, r->path[0]);
    html_within(s, " against ", r->path[1], "");
}

static void put_begin(const struct images_page *g)
{
    struct sink *s = g->s;
    const struct images *r = g->r;
    char counts[IMAGE_COUNTS];
    html_begin(s, &(struct report_run){.version = assay_version()});
    html_open(s, html_script_digest, "Images compared", put_title, r);
    sink_text(s, "<p class=\"facts\"><span id=\"counts\">");
    image_counts_text(r, counts);
    if (r->folders)
        sink_format(s, "%u pair%s: %s", r->done, r->done == 1 ? "" : "s", counts);
    else
        sink_text(s, image_result(r, &r->pair[0]));
    html_within(s, "</span> <span>assay ", assay_version(), "</span></p>\n</header>\n<main>\n");
    if (!r->reason)
        return;
    sink_format(s, "<p class=\"warning\" role=\"alert\"><strong>Incomplete</strong> %u of %u pairs: ", r->done,
                r->pairs);
    html_within(s, "", r->reason, "</p>\n");
}

/* Of how many pairs a gate fails. */
static uint32_t failures(const struct images *r, const struct gate *gate)
{
    uint32_t n = 0;
    for (const struct image_pair *p = r->pair; p < r->pair + r->done; p++)
        n += !p->code && image_gate_judge(p, gate).verdict != GATE_PASSED;
    return n;
}

static void put_gates(const struct images_page *g)
{
    struct sink *s = g->s;
    const struct images *r = g->r;
    sink_text(s, r->gates ? "<ul class=\"gates\">\n" : "");
    for (uint32_t i = 0; i < r->gates; i++) {
        const struct gate *gate = &r->gate[i];
        const uint32_t failed = failures(r, gate);
        const char *word = failed ? "failed" : "passed";
        sink_format(s, "<li class=\"%s\"><b>%s</b> ", word, word);
        html_within(s, "", gate->key, gate->over ? " at most " : " at least ");
        sink_number_within(s, "", gate->limit, REPORT_SHORTEST, gate->of_pixels ? " % of the pixels" : "");
        if (r->folders)
            sink_format(s, ": fails for %u pair%s", failed, failed == 1 ? "" : "s");
        sink_text(s, "</li>\n");
    }
    sink_text(s, r->gates ? "</ul>\n" : "");
}

/* ---- the table of all pairs -------------------------------------------------------------------------------------- */

/* The usual columns that any pair has, then those of the user's metrics. */
static void find_columns(struct images_page *g)
{
    static const char *const usual[] = {"psnr", "max_diff", "diff_pixels", "beyond_tolerance", "alpha_psnr",
                                        "alpha_max_diff", "alpha_diff_pixels"};
    const struct images *r = g->r;
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++)
        for (uint32_t k = 0; k < r->keys; k++)
            if (!strcmp(r->key[k], usual[i]))
                g->column[g->columns++] = r->key[k];
    for (const struct image_pair *p = r->pair; p < r->pair + r->done; p++)
        for (uint32_t i = p->first_other; i < p->first_alpha; i++) {
            bool known = false;
            for (uint32_t k = 0; k < g->columns && !known; k++)
                known = g->column[k] == p->key[i];
            if (!known)
                g->column[g->columns++] = p->key[i];
        }
}

static void put_row(const struct images_page *g, uint32_t number)
{
    struct sink *s = g->s;
    const struct image_pair *p = g->order[number];
    const double bits = image_bits_per_pixel(p, 1);
    sink_format(s, "<tr data-pair=\"%u\"><th scope=\"row\">", number);
    if (p->shown)
        sink_format(s, "<a href=\"#pair-%u\">", number);
    html_within(s, "", p->name, p->shown ? "</a></th>" : "</th>");
    put_result(g, p, "td");
    if (p->error) {
        sink_format(s, "<td class=\"why\" colspan=\"%u\">", g->columns + 1);
        html_within(s, "", p->error, "</td></tr>\n");
        return;
    }
    for (uint32_t i = 0; i < g->columns; i++)
        put_cell(g, g->column[i], image_figure(p, g->column[i]));
    put_cell(g, "bits_per_pixel", p->bytes[1] ? &bits : NULL);
    sink_text(s, "</tr>\n");
}

/* The files that were not compared, a line each. */
static void put_rest(const struct images_page *g)
{
    struct sink *s = g->s;
    const struct images *r = g->r;
    const uint32_t rest = r->alone[0] + r->alone[1] + r->lefts;
    if (rest)
        sink_format(s, "<details id=\"rest\"><summary>%u not compared</summary>\n<ul class=\"list\">\n", rest);
    for (uint32_t i = 0; i < r->lefts; i++) {
        html_within(s, "<li>left out: ", r->left[i].path, "");
        sink_format(s, " (%s)</li>\n", r->left[i].why);
    }
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < r->alone[side]; i++) {
            html_within(s, "<li>no partner: ", r->path[side], "/");
            html_within(s, "", r->only[side][i], "</li>\n");
        }
    sink_text(s, rest ? "</ul>\n</details>\n" : "");
}

static void put_table(const struct images_page *g)
{
    struct sink *s = g->s;
    const struct gate *gate = g->r->gates ? &g->r->gate[0] : NULL;
    sink_text(s, "<section id=\"pairs\" aria-labelledby=\"pairs-title\">\n<h2 id=\"pairs-title\">All pairs</h2>\n"
              "<p class=\"hint\" id=\"order\">");
    sink_format(s, "Pairs that were not compared come first, then those that failed, that differ, and equal ones; "
                "among these the %s ", !gate || !gate->over ? "lowest" : "highest");
    html_within(s, "", gate ? gate->key : "psnr", " first.</p>\n");
    sink_text(s, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"All pairs\">"
              "<table class=\"overview\" aria-label=\"Pairs, the worst first\">\n<thead><tr>"
              "<th scope=\"col\">image</th><th scope=\"col\">result</th>");
    for (uint32_t i = 0; i < g->columns; i++)
        sink_format(s, "<th scope=\"col\">%s</th>", g->column[i]);
    sink_text(s, "<th scope=\"col\" title=\"of the distorted file\">bits/px</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < g->r->done; i++)
        put_row(g, i);
    sink_text(s, "</tbody>\n</table></div>\n");
    put_gates(g);
    put_rest(g);
    sink_text(s, "</section>\n");
}

/* ---- a pair ------------------------------------------------------------------------------------------------------ */

static void put_file(const struct images_page *g, const struct image_pair *p, unsigned side)
{
    struct sink *s = g->s;
    const double bits = image_bits_per_pixel(p, side);
    sink_format(s, "<tr><th scope=\"row\">%s</th><td>", side ? "distorted" : "reference");
    html_text(s, p->path[side]);
    if (p->bytes[side]) {
        sink_format(s, "; %" PRIu64 " bytes, ", p->bytes[side]);
        sink_number_within(s, "", bits, decimals_of(g, bits), " bits per pixel");
    }
    html_within(s, p->reader[side][0] ? "; " : "", p->reader[side], p->colour[side][0] ? "; " : "");
    html_within(s, "", p->colour[side], "</td></tr>\n");
}

static void put_figures(const struct images_page *g, const struct image_pair *p)
{
    sink_text(g->s, "<table class=\"figures\" aria-label=\"Figures\"><tbody>\n");
    for (uint32_t i = 0; i < p->figures; i++) {
        sink_format(g->s, "<tr><th scope=\"row\">%s</th>", p->key[i]);
        put_cell(g, p->key[i], &p->value[i]);
        sink_text(g->s, "</tr>\n");
    }
    sink_text(g->s, "</tbody></table>\n<table class=\"fields\" aria-label=\"Files\"><tbody>\n");
    for (unsigned side = 0; side < 2; side++)
        put_file(g, p, side);
    sink_text(g->s, "</tbody></table>\n");
}

static void put_pair(const struct images_page *g, uint32_t number)
{
    static const char *const what[IMAGE_VIEWS] = {"reference", "distorted", "map", "alpha"};
    struct sink *s = g->s;
    const struct image_pair *p = g->order[number];
    const struct image_shown *shown = p->shown;
    char kind[IMAGE_KIND];
    sink_format(s, "<li class=\"frame\" id=\"pair-%u\" data-pair=\"%u\" style=\"--width:%upx\"><h3>", number, number,
                shown->view[VIEW_REFERENCE].width);
    html_within(s, "", p->name, "</h3>\n<p>");
    put_result(g, p, "b");
    html_within(s, " <span>", p->code ? "" : image_kind(kind, p), "</span></p>\n");
    const bool pictures = shown->view[VIEW_REFERENCE].size;
    sink_text(s, pictures ? "<div class=\"sides\">\n" : "");
    for (unsigned i = 0; pictures && i < IMAGE_VIEWS; i++)
        html_picture(s, &shown->view[i], what[i], shown->label[i]);
    sink_text(s, pictures ? "</div>\n" : "");
    if (shown->note[0])
        html_within(s, "<p class=\"hint\">", shown->note, "</p>\n");
    sink_text(s, g->r->folders ? "<details><summary>All figures</summary>\n" : "");
    put_figures(g, p);
    sink_text(s, g->r->folders ? "</details>\n</li>\n" : "</li>\n");
}

/* What the pictures show. */
static void put_legend(const struct images_page *g)
{
    const struct image_limits *l = &image_limits[g->r->folders];
    struct sink *s = g->s;
    sink_text(s, "<p class=\"hint\" id=\"shown\">Pictures");
    if (g->r->folders)
        sink_format(s, " are of at most %u pairs that fail or differ, the worst ones. They", g->r->shown);
    sink_format(s, " are reduced by a whole factor to at most %ux%u pixels, each the mean of the samples that it "
                "covers, shown as sRGB, with alpha over white; floats below 0 and above 1 are clipped. The difference is the "
                "mean one of luma, or of red, green and blue, under each pixel, of floats the largest of the colours: "
                "black is 0, and yellow what 99 of 100 pixels don't exceed. A picture of more than %zu bytes is coded "
                "with loss. Figures are those of the files, not of these pictures.</p>\n</section>\n", l->most[0],
                l->most[1], l->exact);
}

static void put_pairs(const struct images_page *g)
{
    const bool folders = g->r->folders;
    uint32_t shown = 0, pictures = 0;
    for (const struct image_pair *p = g->r->pair; p < g->r->pair + g->r->done; p++) {
        shown += p->shown != NULL;
        pictures += p->shown && p->shown->view[VIEW_REFERENCE].size;
    }
    if (!shown)
        return;
    sink_format(g->s, "<section id=\"pictures\" aria-labelledby=\"pictures-title\">\n"
                "<h2 id=\"pictures-title\">%s</h2>\n<ol class=\"frames %s\">\n",
                folders ? "The worst pairs" : "The pair", folders ? "pairs" : "large");
    for (uint32_t i = 0; i < g->r->done; i++)
        if (g->order[i]->shown)
            put_pair(g, i);
    sink_text(g->s, "</ol>\n");
    if (pictures)
        put_legend(g);
    else
        sink_text(g->s, "</section>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void put_page(const struct images_page *g)
{
    struct sink *s = g->s;
    const struct images *r = g->r;
    const struct report_field field[] = {
        {.name = "version", .value = assay_version()}, {.name = "reference", .value = r->path[0]},
        {.name = "distorted", .value = r->path[1]}, {.name = "reference_crop", .value = r->crop[0]},
        {.name = "distorted_crop", .value = r->crop[1]}, {.name = "backend", .value = r->backend},
        {.name = "device", .value = r->device}, {.name = "driver", .value = r->driver},
        {.name = "configuration", .value = r->configuration},
    };
    put_begin(g);
    if (r->folders)
        put_table(g);
    else
        put_gates(g);
    put_pairs(g);
    sink_text(s, "<section id=\"run\" aria-labelledby=\"run-title\">\n<h2 id=\"run-title\">Options and versions</h2>\n"
              "<table class=\"fields\" aria-label=\"Options and versions\">\n<tbody>\n");
    for (unsigned i = 0; i < sizeof field / sizeof field[0]; i++)
        if (field[i].value && field[i].value[0])
            html_field(s, field[i].name, field[i].value);
    sink_text(s, "</tbody>\n</table>\n</section>\n</main>\n<script>");
    sink_text(s, html_script);
    sink_text(s, "</script>\n</body>\n</html>\n");
}

int images_html(const struct images *r, struct image_pair *const *order, const char *path, struct assay_error *e)
{
    struct sink s;
    struct images_page page = {.s = &s, .r = r, .order = order};
    find_columns(&page);
    TRY(sink_open(&s, path, e));
    put_page(&page);
    return sink_close(&s, e);
}
