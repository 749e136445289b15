/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plot of the scores over the frames: SVG, a panel for each row of the table. It needs no script, no fonts and no
 * network. Colours follow the reader's light or dark scheme. They are Okabe and Ito's: colour-blind readers tell
 * them apart, and the mark of the worst frame has a shape of its own besides.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host/exact_math.h"
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

/* An axis: values from `low` on, of which `pixels` are `span`, and the distance of its ticks. */
struct axis {
    double low, span, step;
    int at, pixels; /* where `low` is, and to where it goes; negative: upwards */
};

static double place(const struct axis *a, double v)
{
    const double part = (v - a->low) / a->span;
    return a->at + (part < 0 ? 0 : part > 1 ? 1 : part) * a->pixels;
}

/* The smallest of 1, 2 and 5 times a power of ten that divides `span` into at most `most` parts. `span` is positive and
 * finite, and so is the step. */
static double nice_step(double span, int most)
{
    static const double factors[] = {1, 2, 5, 10};
    const double least = span / most, power = assay_pow(10, assay_floor(assay_log10(least)));
    for (unsigned i = 0; i < 3; i++)
        if (factors[i] * power >= least)
            return factors[i] * power;
    return factors[3] * power;
}

/* Decimals that tell the ticks apart. */
static int tick_decimals(double step)
{
    const double power = assay_floor(assay_log10(step) + 1e-9);
    return power >= 0 ? 0 : power < -17 ? 17 : (int)-power;
}

static void put_place(struct sink *s, double v)
{
    sink_number(s, v, 2);
}

/* The unit of a score, " (dB)", or "". */
static const char *unit_of(const char *key)
{
    return !strncmp(key, "psnr", 4) || !strncmp(key, "float_psnr", 10) ? " (dB)" : "";
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
    return p->scores->value[row * p->scores->keys + p->key];
}

static void put_vertex(const struct panel *p, uint64_t row)
{
    put_place(p->s, place(&p->x, (double)p->scores->frame[row]));
    sink_text(p->s, ",");
    put_place(p->s, place(&p->y, value_at(p, row)));
    sink_text(p->s, " ");
}

/* The part of a curve that is being written. */
struct stroke {
    bool open;
    uint64_t vertices, last;
};

static void end_stroke(const struct panel *p, struct stroke *k)
{
    if (!k->open)
        return;
    if (k->vertices == 1)
        put_vertex(p, k->last); /* a dot */
    sink_text(p->s, "\"/>\n");
    *k = (struct stroke){0};
}

static void add_vertex(const struct panel *p, struct stroke *k, uint64_t row)
{
    if (!k->open)
        sink_text(p->s, "<polyline class=\"curve\" points=\"");
    k->open = true;
    k->vertices++;
    k->last = row;
    put_vertex(p, row);
}

/* The curve, interrupted at frames without a finite value. */
static void put_curve(const struct panel *p)
{
    const uint64_t rows = p->scores->rows, parts = rows > 2 * BUCKETS ? BUCKETS : rows;
    struct stroke k = {0};
    for (uint64_t i = 0; i < parts; i++) {
        const uint64_t from = i * rows / parts, to = (i + 1) * rows / parts;
        uint64_t low = rows, high = rows;
        for (uint64_t row = from; row < to; row++) {
            const double v = value_at(p, row);
            if (!isfinite(v)) {
                end_stroke(p, &k);
                continue;
            }
            low = low == rows || v < value_at(p, low) ? row : low;
            high = high == rows || v > value_at(p, high) ? row : high;
        }
        if (low == rows)
            continue;
        add_vertex(p, &k, low < high ? low : high);
        if (low != high)
            add_vertex(p, &k, low < high ? high : low);
    }
    end_stroke(p, &k);
}

/* Lines and numbers of the y axis, and the numbers of the x axis below the panel. */
static void put_ticks(const struct panel *p)
{
    struct sink *s = p->s;
    const int right = p->x.at + p->x.pixels;
    for (double i = assay_ceil(p->y.low / p->y.step - 1e-9); i * p->y.step <= p->y.low + p->y.span * (1 + 1e-9); i++) {
        const double y = place(&p->y, i * p->y.step);
        sink_format(s, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"", LEFT, right);
        put_place(s, y);
        sink_text(s, "\" y2=\"");
        put_place(s, y);
        sink_format(s, "\"/><text class=\"y\" text-anchor=\"end\" x=\"%d\" y=\"", LEFT - 8);
        put_place(s, y + 4);
        sink_text(s, "\">");
        sink_number(s, i * p->y.step, tick_decimals(p->y.step));
        sink_text(s, "</text>\n");
    }
    for (double i = assay_ceil(p->x.low / p->x.step); i * p->x.step <= p->x.low + p->x.span; i++) {
        sink_text(s, "<text class=\"x\" text-anchor=\"middle\" x=\"");
        put_place(s, place(&p->x, i * p->x.step));
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
    put_place(p->s, place(&p->x, (double)p->scores->frame[row]));
    sink_text(p->s, "\" cy=\"");
    put_place(p->s, place(&p->y, value_at(p, row)));
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
                p->scores->key[p->key], unit_of(p->scores->key[p->key]));
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

/* Sets the y axis: all finite values, out to whole steps. Returns how many values are finite. */
static uint64_t find_range(struct panel *p)
{
    double low = INFINITY, high = -INFINITY;
    uint64_t finite = 0;
    for (uint64_t row = 0; row < p->scores->rows; row++) {
        const double v = value_at(p, row);
        if (isfinite(v)) {
            low = v < low ? v : low;
            high = v > high ? v : high;
            finite++;
        }
    }
    if (!finite)
        low = high = 0;
    if (!(high - low > fabs(high) * 1e-12)) { /* one value: some room on both sides */
        const double room = fabs(high) > 1 ? fabs(high) / 100 : 0.01;
        low -= room;
        high += room;
    }
    if (!isfinite(high - low)) { /* further apart than a double can say: at the edges */
        low = -1;
        high = 1;
    }
    p->y.step = nice_step(high - low, 4);
    p->y.low = assay_floor(low / p->y.step) * p->y.step;
    p->y.span = assay_ceil(high / p->y.step) * p->y.step - p->y.low;
    return finite;
}

static void put_panel(struct reporter *r, const struct scores *scores, uint32_t key, int top)
{
    const double first = (double)scores->frame[0], last = (double)scores->frame[scores->rows - 1];
    struct panel p = {.s = &r->sink, .scores = scores, .key = key};
    p.x = (struct axis){first, last > first ? last - first : 1, 1, LEFT, WIDTH - LEFT - RIGHT};
    p.x.step = nice_step(p.x.span, 8);
    p.x.step = p.x.step < 1 ? 1 : p.x.step;
    p.y.at = top + ABOVE + INNER;
    p.y.pixels = -INNER;
    const uint64_t finite = find_range(&p);
    const double mean = scores_pool(scores, key, POOL_MEAN, 0, NULL);
    sink_format(&r->sink, "<g id=\"%s\">\n", scores->key[key]);
    put_heading(&p, mean, finite, r->precision);
    put_ticks(&p);
    if (isfinite(mean)) {
        sink_format(&r->sink, "<line class=\"mean\" x1=\"%d\" x2=\"%d\" y1=\"", LEFT, WIDTH - RIGHT);
        put_place(&r->sink, place(&p.y, mean));
        sink_text(&r->sink, "\" y2=\"");
        put_place(&r->sink, place(&p.y, mean));
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
    int height = TOP + BOTTOM, top = TOP;
    for (uint32_t k = 0; scores->rows && k < scores->keys; k++)
        height += has_panel(scores, run, k) ? PANEL : 0;
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
