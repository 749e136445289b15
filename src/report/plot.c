/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plot of the scores over the frames: SVG, a panel for each row of the table, or PNG with the same picture. The SVG
 * needs no script, no fonts and no network. Colours follow the reader's light or dark scheme. They are Okabe and Ito's:
 * colour-blind readers tell them apart, and the mark of the worst frame has a shape of its own besides.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/system.h"
#include "report/html_page.h"
#include "report/png_file.h"
#include "report/raster.h"
#include "report/reporter.h"

/* Pixels, and points of a curve: a longer one keeps the lowest and the highest frame of each of BUCKETS parts. */
enum { WIDTH = 960, LEFT = 76, RIGHT = 20, TOP = 52, PANEL = 150, INNER = 96, ABOVE = 26, BOTTOM = 24, NAME = 18,
       BUCKETS = 1000 };

/* No variables: not every program that draws SVG knows them. */
static const char style[] =
    "<style>\n"
    ".page { fill: #ffffff; }\n"
    "text { fill: #222222; font: 12px system-ui, sans-serif; }\n"
    ".title { font-size: 16px; }\n"
    ".key { font-weight: bold; }\n"
    ".grid { stroke: #dddddd; stroke-width: 1; }\n"
    ".curve { fill: none; stroke: #0072b2; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }\n"
    ".mean { stroke: #222222; stroke-width: 1; stroke-dasharray: 4 4; }\n"
    ".worst { fill: none; stroke: #d55e00; stroke-width: 2; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  .page { fill: #16181c; }\n"
    "  text { fill: #e6e6e6; }\n"
    "  .grid { stroke: #3a3d44; }\n"
    "  .curve { stroke: #56b4e9; }\n"
    "  .mean { stroke: #e6e6e6; }\n"
    "  .worst { stroke: #e69f00; }\n"
    "}\n"
    "</style>\n";

/* Beside `style`, of several encodes. Their colours are those of html/report.css, and so are the dashes. */
static const char several[] =
    "<style>\n"
    ".e0 { stroke: #0072b2; } .e1 { stroke: #d55e00; } .e2 { stroke: #008a66; } .e3 { stroke: #b0518a; }\n"
    ".e4 { stroke: #b07800; } .e5 { stroke: #3b96cc; } .e6 { stroke: #555b63; }\n"
    ".d1 { stroke-dasharray: 7 3; } .d2 { stroke-dasharray: 2 3; } .d3 { stroke-dasharray: 9 3 2 3; }\n"
    ".d4 { stroke-dasharray: 13 4; } .d5 { stroke-dasharray: 5 3 2 3 2 3; } .worst { stroke-dasharray: none; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  .e0 { stroke: #56b4e9; } .e1 { stroke: #ff8a3d; } .e2 { stroke: #2fc59c; } .e3 { stroke: #e08fbf; }\n"
    "  .e4 { stroke: #f0b429; } .e5 { stroke: #8f9bff; } .e6 { stroke: #c3c8cf; }\n"
    "}\n"
    "</style>\n";

/* ---- one panel --------------------------------------------------------------------------------------------------- */

/* The score's name; of one encode its mean and worst frame, too. */
static void put_heading(const struct panel *p)
{
    struct sink *s = p->page->s;
    const struct stored *x = p->page->encode;
    const char *comma = "";
    double mean;
    uint64_t row;
    uint32_t column;
    encode_pooled(x, p->key, "mean", &mean);
    sink_format(s, "<text class=\"key\" x=\"%d\" y=\"%d\">%s%s</text>\n", LEFT, p->y.at - INNER - 8, p->key,
                axis_unit(p->key));
    sink_format(s, "<text text-anchor=\"end\" x=\"%d\" y=\"%d\">", WIDTH - RIGHT, p->y.at - INNER - 8);
    if (p->page->encodes == 1 && isfinite(mean)) {
        sink_number_within(s, "mean ", mean, p->page->precision, "");
        comma = ", ";
    }
    if (p->page->encodes == 1 && encode_column(x, p->key, &column) && scores_worst(&x->scores, column, &row) &&
        isfinite(score_at(&x->scores, row, column))) {
        sink_format(s, "%sworst in frame %" PRIu64, comma, x->scores.frame[row]);
        comma = ", ";
    }
    if (p->values.finite < p->values.all)
        sink_format(s, "%s%" PRIu64 " of %" PRIu64 " without a finite value", comma, p->values.all - p->values.finite,
                    p->values.all);
    sink_text(s, "</text>\n");
}

static void put_panel(const struct page *page, const char *key, int top)
{
    struct panel p = {.page = page, .key = key, .parts = BUCKETS, .decimals = 2, .radius = "5", .plain = true};
    struct sink *s = page->s;
    panel_axes(&p, LEFT, WIDTH - RIGHT, top + ABOVE, top + ABOVE + INNER);
    sink_format(s, "<g id=\"%s\">\n", p.key);
    put_heading(&p);
    panel_draw(&p, p.y.at + 16);
    sink_text(s, "</g>\n");
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

/* Where the panels begin. The names of several encodes stand above them, a line each. */
static int top_of(const struct page *p)
{
    return TOP + (p->encodes > 1 ? (int)p->encodes * NAME : 0);
}

static int height_of(const struct page *p)
{
    int height = top_of(p) + BOTTOM;
    for (uint32_t k = 0; p->lead->scores.rows && html_next(p, &k);)
        height += PANEL;
    return height;
}

static void put_names(const struct page *p)
{
    char class[HTML_CLASS];
    for (uint32_t i = 0; p->encodes > 1 && i < p->encodes; i++) {
        const int y = TOP + (int)i * NAME + 8;
        const struct report_run *run = &p->encode[i].run;
        sink_format(p->s, "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/><text class=\"name\" x=\"%d\" "
                    "y=\"%d\">", html_class(class, "curve", i), LEFT, LEFT + 40, y - 4, y - 4, LEFT + 50, y);
        html_text(p->s, p->encode[i].name);
        if (run->incomplete)
            html_within(p->s, "; incomplete: ", run->reason ? run->reason : "frames are missing", "");
        sink_text(p->s, "</text>\n");
    }
}

static void put_picture(const struct page *p)
{
    struct sink *s = p->s;
    const struct report_run *run = &p->lead->run;
    const struct scores *scores = &p->lead->scores;
    const int height = height_of(p);
    const char *key;
    int top = top_of(p);
    sink_format(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
                WIDTH, height, WIDTH, height);
    sink_text(s, "<title>");
    html_title(s, p);
    sink_format(s, "</title>\n%s%s<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", style,
                p->encodes > 1 ? several : "", WIDTH, height);
    sink_format(s, "<text class=\"title\" x=\"%d\" y=\"24\">", LEFT);
    html_title(s, p);
    sink_format(s, "</text>\n<text x=\"%d\" y=\"42\">", LEFT);
    if (encodes_one_size(p->encode, p->encodes))
        sink_format(s, "%ux%u, ", run->width, run->height);
    sink_format(s, "%" PRIu64 " frame%s", scores->rows, scores->rows == 1 ? "" : "s");
    if (run->incomplete && p->encodes == 1)
        html_within(s, "; incomplete: ", run->reason ? run->reason : "frames are missing", "");
    sink_text(s, "</text>\n");
    put_names(p);
    for (uint32_t k = 0; scores->rows && (key = html_next(p, &k)); top += PANEL)
        put_panel(p, key, top);
    sink_format(s, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">frame</text>\n</svg>\n", (LEFT + WIDTH - RIGHT) / 2,
                height - 8);
}

static void write_svg(struct sink *s, const struct stored *encode, uint32_t encodes, int precision)
{
    struct page page = html_page(s, encode, encodes, precision);
    html_within(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- assay ", encode->run.version, " -->\n");
    put_picture(&page);
    encodes_keys_free(&page.keys);
}

/* ---- as PNG ------------------------------------------------------------------------------------------------------ */

/* Pixels of a side that cairo draws, and of a unit of the SVG; fewer where the plot would be higher. */
enum { SIDE_MOST = 32767, SCALE = 2 };

struct drawing {
    const uint8_t *rgb;
    size_t row; /* bytes */
};

static void copy_row(const void *opaque, uint32_t y, uint8_t *rgb)
{
    const struct drawing *d = opaque;
    memcpy(rgb, d->rgb + y * d->row, d->row);
}

static int put_png(struct sink *out, const char *svg, size_t size, uint32_t height, const char *title,
                   struct assay_error *e)
{
    const uint32_t scale = height * SCALE <= SIDE_MOST ? SCALE : 1;
    uint8_t *rgb;
    if (height > SIDE_MOST)
        return assay_fail(e, ASSAY_EUSAGE, "a plot of so many scores is too high for PNG; .svg has room");
    TRY(raster_draw(svg, size, WIDTH, height, scale, &rgb, e));
    const struct drawing drawing = {rgb, (size_t)WIDTH * scale * 3};
    const int rc = png_file_put(out, WIDTH * scale, height * scale, copy_row, &drawing, title, e);
    free(rgb);
    return rc;
}

/* ---- as a report ------------------------------------------------------------------------------------------------- */

void joint_plot(struct reporter *r, const struct stored *encode, uint32_t encodes)
{
    write_svg(&r->sink, encode, encodes, r->precision);
}

/* A failure of librsvg's is the sink's. */
void joint_plot_png(struct reporter *r, const struct stored *encode, uint32_t encodes)
{
    struct assay_error why = {0};
    struct buffer_text buffer;
    struct sink svg = {.file = buffer_open(&buffer)};
    struct page page = html_page(&svg, encode, encodes, r->precision);
    if (svg.file)
        write_svg(&svg, encode, encodes, r->precision);
    char *const text = buffer_close(&buffer);
    if (!text || svg.error)
        assay_fail_memory(&why, "the plot");
    else
        put_png(&r->sink, text, buffer.size, (uint32_t)height_of(&page), "scores over the frames, by assay", &why);
    encodes_keys_free(&page.keys);
    if (why.code)
        sink_fail(&r->sink, &why);
    free(text);
}

/* The plot of one encode is called by what was compared alone. */
static void tail(struct reporter *r, const struct stored *x)
{
    joint_plot(r, &(struct stored){.name = "", .scores = x->scores, .run = x->run}, 1);
}

static void png_tail(struct reporter *r, const struct stored *x)
{
    joint_plot_png(r, &(struct stored){.name = "", .scores = x->scores, .run = x->run}, 1);
}

const struct report_form report_form_plot = {NULL, NULL, tail, false},
                         report_form_plot_png = {NULL, NULL, png_tail, false};
