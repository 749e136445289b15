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

#include "report/axis.h"
#include "report/png_file.h"
#include "report/raster.h"
#include "report/reporter.h"

/* Pixels, and points of a curve: a longer one keeps the lowest and the highest frame of each of BUCKETS parts. */
enum { WIDTH = 960, LEFT = 76, RIGHT = 20, TOP = 52, PANEL = 150, INNER = 96, ABOVE = 26, BOTTOM = 24, BUCKETS = 1000 };

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

static void put_place(struct sink *s, double v)
{
    sink_number(s, v, 2);
}

/* ---- one panel --------------------------------------------------------------------------------------------------- */

struct panel {
    struct sink *s;
    const struct scores *scores;
    uint32_t key;
    struct axis x, y;
};

static double value_at(const struct panel *p, uint64_t row)
{
    return score_at(p->scores, row, p->key);
}

static void put_vertex(const struct panel *p, uint64_t row)
{
    put_place(p->s, axis_place(&p->x, (double)p->scores->frame[row]));
    sink_text(p->s, ",");
    put_place(p->s, axis_place(&p->y, value_at(p, row)));
    sink_text(p->s, " ");
}

/* The part of a curve that is being written. */
struct stroke {
    const struct panel *panel;
    bool open;
    uint64_t vertices, last;
};

static void end_stroke(struct stroke *k)
{
    if (!k->open)
        return;
    if (k->vertices == 1)
        put_vertex(k->panel, k->last); /* a dot */
    sink_text(k->panel->s, "\"/>\n");
    *k = (struct stroke){.panel = k->panel};
}

static void add_vertex(void *opaque, uint64_t row, bool finite)
{
    struct stroke *k = opaque;
    if (!finite) {
        end_stroke(k);
        return;
    }
    if (!k->open)
        sink_text(k->panel->s, "<polyline class=\"curve\" points=\"");
    k->open = true;
    k->vertices++;
    k->last = row;
    put_vertex(k->panel, row);
}

/* The curve, interrupted at frames without a finite value. */
static void put_curve(const struct panel *p)
{
    struct stroke k = {.panel = p};
    curve_walk(p->scores, p->key, BUCKETS, add_vertex, &k);
    end_stroke(&k);
}

/* Lines and numbers of the y axis, and the numbers of the x axis below the panel. */
static void put_ticks(const struct panel *p)
{
    struct sink *s = p->s;
    const int right = p->x.at + p->x.pixels;
    for (double i = axis_first(&p->y); axis_has(&p->y, i); i++) {
        const double y = axis_place(&p->y, i * p->y.step);
        sink_format(s, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"", LEFT, right);
        put_place(s, y);
        sink_text(s, "\" y2=\"");
        put_place(s, y);
        sink_format(s, "\"/><text class=\"y\" text-anchor=\"end\" x=\"%d\" y=\"", LEFT - 8);
        put_place(s, y + 4);
        sink_text(s, "\">");
        sink_number(s, i * p->y.step, axis_decimals(p->y.step));
        sink_text(s, "</text>\n");
    }
    for (double i = axis_first(&p->x); axis_has(&p->x, i); i++) {
        sink_text(s, "<text class=\"x\" text-anchor=\"middle\" x=\"");
        put_place(s, axis_place(&p->x, i * p->x.step));
        sink_format(s, "\" y=\"%d\">", p->y.at + 16);
        sink_number(s, i * p->x.step, 0);
        sink_text(s, "</text>\n");
    }
}

/* A circle around the first frame with the worst value, and its number. */
static void put_worst(const struct panel *p, int precision)
{
    uint64_t row;
    if (!scores_worst(p->scores, p->key, &row) || !isfinite(value_at(p, row)))
        return;
    sink_text(p->s, "<circle class=\"worst\" r=\"5\" cx=\"");
    put_place(p->s, axis_place(&p->x, (double)p->scores->frame[row]));
    sink_text(p->s, "\" cy=\"");
    put_place(p->s, axis_place(&p->y, value_at(p, row)));
    sink_format(p->s, "\"><title>worst: frame %" PRIu64 ", ", p->scores->frame[row]);
    sink_number(p->s, value_at(p, row), precision);
    sink_text(p->s, "</title></circle>\n");
}

static void put_heading(const struct panel *p, double mean, uint64_t finite, int precision)
{
    struct sink *s = p->s;
    const char *comma = "";
    uint64_t row;
    sink_format(s, "<text class=\"key\" x=\"%d\" y=\"%d\">%s%s</text>\n", LEFT, p->y.at - INNER - 8,
                p->scores->key[p->key], axis_unit(p->scores->key[p->key]));
    sink_format(s, "<text text-anchor=\"end\" x=\"%d\" y=\"%d\">", WIDTH - RIGHT, p->y.at - INNER - 8);
    if (isfinite(mean)) {
        sink_text(s, "mean ");
        sink_number(s, mean, precision);
        comma = ", ";
    }
    if (scores_worst(p->scores, p->key, &row) && isfinite(value_at(p, row))) {
        sink_format(s, "%sworst in frame %" PRIu64, comma, p->scores->frame[row]);
        comma = ", ";
    }
    if (finite < p->scores->rows)
        sink_format(s, "%s%" PRIu64 " of %" PRIu64 " without a finite value", comma, p->scores->rows - finite,
                    p->scores->rows);
    sink_text(s, "</text>\n");
}

static void put_panel(struct reporter *r, const struct scores *scores, uint32_t key, int top)
{
    struct range range = range_empty;
    struct panel p = {.s = &r->sink, .scores = scores, .key = key};
    p.x.at = LEFT;
    p.x.pixels = WIDTH - LEFT - RIGHT;
    axis_frames(&p.x, scores, 8);
    p.y.at = top + ABOVE + INNER;
    p.y.pixels = -INNER;
    range_add_column(&range, scores, key);
    axis_cover(&p.y, &range);
    const double mean = scores_pool(scores, key, POOL_MEAN, 0, NULL);
    sink_format(&r->sink, "<g id=\"%s\">\n", scores->key[key]);
    put_heading(&p, mean, range.finite, r->precision);
    put_ticks(&p);
    if (isfinite(mean)) {
        sink_format(&r->sink, "<line class=\"mean\" x1=\"%d\" x2=\"%d\" y1=\"", LEFT, WIDTH - RIGHT);
        put_place(&r->sink, axis_place(&p.y, mean));
        sink_text(&r->sink, "\" y2=\"");
        put_place(&r->sink, axis_place(&p.y, mean));
        sink_text(&r->sink, "\"/>\n");
    }
    put_curve(&p);
    put_worst(&p, r->precision);
    sink_text(&r->sink, "</g>\n");
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

static bool has_panel(const struct scores *scores, const struct report_run *run, uint32_t key)
{
    return !(run->hidden && run->hidden[key]) && !report_key_is_place(scores->key[key]);
}

static int height_of(const struct scores *scores, const struct report_run *run)
{
    int height = TOP + BOTTOM;
    for (uint32_t k = 0; scores->rows && k < scores->keys; k++)
        height += has_panel(scores, run, k) ? PANEL : 0;
    return height;
}

static void head(struct reporter *r, const struct report_run *run)
{
    sink_format(&r->sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- assay %s -->\n", run->version);
}

static void frame(struct reporter *r, uint64_t number, int64_t time, const double *values)
{
    (void)r;
    (void)number;
    (void)time;
    (void)values;
}

static void tail(struct reporter *r, const struct scores *scores, const struct report_run *run)
{
    struct sink *s = &r->sink;
    const char *title = run->compared ? run->compared : "scores";
    const int height = height_of(scores, run);
    int top = TOP;
    sink_format(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
                WIDTH, height, WIDTH, height);
    sink_text(s, "<title>");
    sink_xml_text(s, title);
    sink_format(s, "</title>\n%s<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", style, WIDTH, height);
    sink_format(s, "<text class=\"title\" x=\"%d\" y=\"24\">", LEFT);
    sink_xml_text(s, title);
    sink_format(s, "</text>\n<text x=\"%d\" y=\"42\">%ux%u, %" PRIu64 " frame%s", LEFT, run->width, run->height,
                scores->rows, scores->rows == 1 ? "" : "s");
    if (run->incomplete) {
        sink_text(s, "; incomplete: ");
        sink_xml_text(s, run->reason ? run->reason : "frames are missing");
    }
    sink_text(s, "</text>\n");
    for (uint32_t k = 0; scores->rows && k < scores->keys; k++)
        if (has_panel(scores, run, k)) {
            put_panel(r, scores, k, top);
            top += PANEL;
        }
    sink_format(s, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">frame</text>\n</svg>\n", (LEFT + WIDTH - RIGHT) / 2,
                height - 8);
}

const struct report_form report_form_plot = {head, frame, tail, false};

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

static void no_head(struct reporter *r, const struct report_run *run)
{
    (void)r;
    (void)run;
}

static void png_tail(struct reporter *r, const struct scores *scores, const struct report_run *run)
{
    struct assay_error why = {0};
    struct reporter svg = *r;
    char *text = NULL;
    size_t size = 0;
    svg.sink = (struct sink){.file = open_memstream(&text, &size)};
    if (svg.sink.file) {
        head(&svg, run);
        tail(&svg, scores, run);
    }
    if (!svg.sink.file || fclose(svg.sink.file) || svg.sink.error)
        assay_fail_memory(&why, "the plot");
    else
        put_png(&r->sink, text, size, (uint32_t)height_of(scores, run), "scores over the frames, by assay", &why);
    if (why.code)
        sink_fail(&r->sink, &why);
    free(text);
}

const struct report_form report_form_plot_png = {no_head, frame, png_tail, false};
