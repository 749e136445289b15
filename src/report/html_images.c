/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/html_images.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host/exact_math.h"
#include "report/html_page.h"
#include "report/reporter.h"

/* A figure as text; whole numbers have no decimals. */
static void put_number(struct sink *s, const struct html_images *h, double v)
{
    const bool whole = v == assay_floor(v) && fabs(v) < 1e15;
    sink_number(s, v, whole ? 0 : h->precision == REPORT_DEFAULT ? report_decimals(fabs(v)) : h->precision);
}

/* A cell whose attribute data-value reads back exactly. */
static void put_cell(struct sink *s, const struct html_images *h, const char *key, double v)
{
    sink_format(s, "<td data-key=\"%s\" data-value=\"", key);
    sink_number(s, v, REPORT_SHORTEST);
    sink_text(s, "\">");
    put_number(s, h, v);
    sink_text(s, "</td>");
}

static const double *figure_of(const struct html_image_pair *p, const char *key)
{
    for (uint32_t i = 0; i < p->figures; i++)
        if (!strcmp(p->key[i], key))
            return &p->value[i];
    return NULL;
}

static void put_result(struct sink *s, const struct html_image_pair *p, const char *tag)
{
    sink_format(s, "<%s data-result=\"%s\"%s>%s</%s>", tag, p->result, p->bad ? " class=\"bad\"" : "", p->result, tag);
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void put_title(struct sink *s, const struct html_images *h)
{
    html_text(s, h->path[0]);
    sink_text(s, " against ");
    html_text(s, h->path[1]);
}

static void put_begin(struct sink *s, const struct html_images *h)
{
    html_begin(s, &(struct report_run){.version = h->version});
    html_head(s, html_script_digest);
    put_title(s, h);
    html_head_end(s);
    sink_text(s, "<body>\n<header>\n<p class=\"kind\">Images compared</p>\n<h1>");
    put_title(s, h);
    sink_text(s, "</h1>\n<p class=\"facts\"><span id=\"counts\">");
    html_text(s, h->counts);
    sink_text(s, "</span> <span>assay ");
    html_text(s, h->version);
    sink_text(s, "</span></p>\n</header>\n<main>\n");
    if (!h->reason)
        return;
    sink_format(s, "<p class=\"warning\" role=\"alert\"><strong>Incomplete</strong> %u of %u pairs: ", h->pairs,
                h->planned);
    html_text(s, h->reason);
    sink_text(s, "</p>\n");
}

static void put_gates(struct sink *s, const struct html_images *h)
{
    sink_text(s, h->gates ? "<ul class=\"gates\">\n" : "");
    for (uint32_t i = 0; i < h->gates; i++) {
        const struct gate *g = h->gate[i].gate;
        const char *word = h->gate[i].failed ? "failed" : "passed";
        sink_format(s, "<li class=\"%s\"><b>%s</b> ", word, word);
        html_text(s, g->key);
        sink_format(s, " at %s ", g->over ? "most" : "least");
        sink_number(s, g->limit, REPORT_SHORTEST);
        sink_text(s, g->of_pixels ? " % of the pixels" : "");
        if (h->folders)
            sink_format(s, ": fails for %u pair%s", h->gate[i].failed, h->gate[i].failed == 1 ? "" : "s");
        sink_text(s, "</li>\n");
    }
    sink_text(s, h->gates ? "</ul>\n" : "");
}

/* ---- the table of all pairs -------------------------------------------------------------------------------------- */

static void put_row(struct sink *s, const struct html_images *h, uint32_t number)
{
    const struct html_image_pair *p = &h->pair[number];
    sink_format(s, "<tr data-pair=\"%u\"><th scope=\"row\">", number);
    if (p->drawn)
        sink_format(s, "<a href=\"#pair-%u\">", number);
    html_text(s, p->name);
    sink_text(s, p->drawn ? "</a></th>" : "</th>");
    put_result(s, p, "td");
    if (p->error) {
        sink_format(s, "<td class=\"why\" colspan=\"%u\">", h->columns + 1);
        html_text(s, p->error);
        sink_text(s, "</td></tr>\n");
        return;
    }
    for (uint32_t i = 0; i < h->columns; i++) {
        const double *v = figure_of(p, h->column[i]);
        if (v)
            put_cell(s, h, h->column[i], *v);
        else
            sink_text(s, "<td class=\"none\">–</td>");
    }
    if (p->bytes[1])
        put_cell(s, h, "bits_per_pixel", p->bits_per_pixel[1]);
    else
        sink_text(s, "<td class=\"none\">–</td>");
    sink_text(s, "</tr>\n");
}

static void put_table(struct sink *s, const struct html_images *h)
{
    sink_text(s, "<section id=\"pairs\" aria-labelledby=\"pairs-title\">\n<h2 id=\"pairs-title\">All pairs</h2>\n"
              "<p class=\"hint\" id=\"order\">");
    html_text(s, h->order);
    sink_text(s, "</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"All pairs\">"
              "<table class=\"overview\" aria-label=\"Pairs, the worst first\">\n<thead><tr>"
              "<th scope=\"col\">image</th><th scope=\"col\">result</th>");
    for (uint32_t i = 0; i < h->columns; i++)
        sink_format(s, "<th scope=\"col\">%s</th>", h->column[i]);
    sink_text(s, "<th scope=\"col\" title=\"of the distorted file\">bits/px</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < h->pairs; i++)
        put_row(s, h, i);
    sink_text(s, "</tbody>\n</table></div>\n");
    put_gates(s, h);
    if (h->rests)
        sink_format(s, "<details id=\"rest\"><summary>%u not compared</summary>\n<ul class=\"list\">\n", h->rests);
    for (uint32_t i = 0; i < h->rests; i++) {
        sink_text(s, "<li>");
        html_text(s, h->rest[i]);
        sink_text(s, "</li>\n");
    }
    sink_text(s, h->rests ? "</ul>\n</details>\n</section>\n" : "</section>\n");
}

/* ---- a pair ------------------------------------------------------------------------------------------------------ */

static void put_file(struct sink *s, const struct html_images *h, const struct html_image_pair *p, unsigned side)
{
    sink_format(s, "<tr><th scope=\"row\">%s</th><td>", side ? "distorted" : "reference");
    html_text(s, p->path[side]);
    if (p->bytes[side]) {
        sink_format(s, "; %" PRIu64 " bytes, ", p->bytes[side]);
        put_number(s, h, p->bits_per_pixel[side]);
        sink_text(s, " bits per pixel");
    }
    sink_text(s, p->reader[side][0] ? "; " : "");
    html_text(s, p->reader[side]);
    sink_text(s, p->colour[side][0] ? "; " : "");
    html_text(s, p->colour[side]);
    sink_text(s, "</td></tr>\n");
}

static void put_figures(struct sink *s, const struct html_images *h, const struct html_image_pair *p)
{
    sink_text(s, "<table class=\"figures\" aria-label=\"Figures\"><tbody>\n");
    for (uint32_t i = 0; i < p->figures; i++) {
        sink_format(s, "<tr><th scope=\"row\">%s</th>", p->key[i]);
        put_cell(s, h, p->key[i], p->value[i]);
        sink_text(s, "</tr>\n");
    }
    sink_text(s, "</tbody></table>\n<table class=\"fields\" aria-label=\"Files\"><tbody>\n");
    for (unsigned side = 0; side < 2; side++)
        put_file(s, h, p, side);
    sink_text(s, "</tbody></table>\n");
}

static void put_views(struct sink *s, const struct html_image_pair *p)
{
    static const char *const what[HTML_IMAGE_VIEWS] = {"reference", "distorted", "map", "alpha"};
    sink_text(s, "<div class=\"sides\">\n");
    for (unsigned i = 0; i < HTML_IMAGE_VIEWS; i++)
        html_picture(s, &p->view[i], what[i], p->label[i]);
    sink_text(s, "</div>\n");
}

static void put_pair(struct sink *s, const struct html_images *h, uint32_t number)
{
    const struct html_image_pair *p = &h->pair[number];
    const bool pictures = p->view[VIEW_REFERENCE].size;
    sink_format(s, "<li class=\"frame\" id=\"pair-%u\" data-pair=\"%u\" style=\"--width:%upx\"><h3>", number, number,
                p->view[VIEW_REFERENCE].width);
    html_text(s, p->name);
    sink_text(s, "</h3>\n<p>");
    put_result(s, p, "b");
    sink_text(s, " <span>");
    html_text(s, p->kind);
    sink_text(s, "</span></p>\n");
    if (pictures)
        put_views(s, p);
    sink_text(s, p->note[0] ? "<p class=\"hint\">" : "");
    html_text(s, p->note);
    sink_text(s, p->note[0] ? "</p>\n" : "");
    sink_text(s, h->folders ? "<details><summary>All figures</summary>\n" : "");
    put_figures(s, h, p);
    sink_text(s, h->folders ? "</details>\n</li>\n" : "</li>\n");
}

void html_images_write(struct sink *s, const struct html_images *h)
{
    uint32_t drawn = 0, pictures = 0;
    put_begin(s, h);
    if (h->folders)
        put_table(s, h);
    else
        put_gates(s, h);
    for (uint32_t i = 0; i < h->pairs; i++) {
        drawn += h->pair[i].drawn;
        pictures += h->pair[i].view[VIEW_REFERENCE].size > 0;
    }
    if (drawn) {
        sink_format(s, "<section id=\"pictures\" aria-labelledby=\"pictures-title\">\n<h2 id=\"pictures-title\">%s"
                    "</h2>\n<ol class=\"frames %s\">\n", h->folders ? "The worst pairs" : "The pair",
                    h->folders ? "pairs" : "large");
        for (uint32_t i = 0; i < h->pairs; i++)
            if (h->pair[i].drawn)
                put_pair(s, h, i);
        sink_text(s, pictures ? "</ol>\n<p class=\"hint\" id=\"shown\">" : "</ol>\n");
        html_text(s, pictures ? h->pictures : "");
        sink_text(s, pictures ? "</p>\n</section>\n" : "</section>\n");
    }
    sink_text(s, "<section id=\"run\" aria-labelledby=\"run-title\">\n<h2 id=\"run-title\">Options and versions</h2>\n"
              "<table class=\"fields\" aria-label=\"Options and versions\">\n<tbody>\n");
    for (uint32_t i = 0; i < h->fields; i++)
        if (h->field[i].value && h->field[i].value[0])
            html_field(s, h->field[i].name, h->field[i].value);
    sink_text(s, "</tbody>\n</table>\n</section>\n</main>\n<script>");
    sink_text(s, html_script);
    sink_text(s, "</script>\n</body>\n</html>\n");
}
