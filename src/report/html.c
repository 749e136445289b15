/* SPDX-License-Identifier: BSD-2-Clause */
/* The HTML report: the page around its parts, and what they share. It is one file, which loads nothing and is readable
 * without script. docs/report.md describes it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host/numbers.h"
#include "report/html_page.h"
#include "report/reporter.h"

/* Points of all curves together: in the script's data, and in the pictures that need no script. A file of an hour of
 * video stays below 3 MB with them. A curve has at least LEAST parts. */
enum { POINTS_MOST = 80000, VERTICES_MOST = 40000, VERTICES_CURVE = 1600, LEAST = 200 };

struct page html_page(struct sink *s, const struct stored *encode, uint32_t encodes, int precision)
{
    struct page page = {.s = s, .encode = encode, .encodes = encodes, .lead = encode, .precision = precision};
    struct assay_error failed = {0};
    for (uint32_t i = encodes; i-- > 0;) {
        page.lead = encode_scored(&encode[i]) ? &encode[i] : page.lead;
        page.longest = encode[i].scores.rows > page.longest ? encode[i].scores.rows : page.longest;
    }
    if (encodes_keys_find(&page.keys, encode, encodes, &failed))
        sink_fail(s, &failed);
    return page;
}

const char *html_class(char text[HTML_CLASS], const char *name, uint32_t encode)
{
    snprintf(text, HTML_CLASS, "%s e%u d%u", name, encode % HTML_COLOURS, encode % HTML_DASHES);
    return text;
}

void html_put_class(struct sink *s, const char *name, uint32_t encode)
{
    char text[HTML_CLASS];
    sink_format(s, " class=\"%s\"", html_class(text, name, encode));
}

void html_swatch(struct sink *s, uint32_t encode)
{
    sink_text(s, "<svg class=\"swatch\" viewBox=\"0 0 28 10\" aria-hidden=\"true\"><line");
    html_put_class(s, "curve", encode);
    sink_text(s, " x1=\"1\" x2=\"27\" y1=\"5\" y2=\"5\"/></svg> ");
}

void html_numbered(struct sink *s, const char *before, uint32_t number, const char *name, const char *after)
{
    sink_format(s, "%s<span class=\"number\">%u</span> ", before, number + 1);
    html_within(s, "", name, after);
}

const char *html_next(const struct page *p, uint32_t *k)
{
    while (*k < p->keys.scores && !p->keys.score[*k].shown)
        ++*k;
    return *k < p->keys.scores ? p->keys.score[(*k)++].key : NULL;
}

const char *html_rate_unit(const struct page *p)
{
    return encodes_only_images(p->encode, p->encodes) ? REPORT_BITS_PER_PIXEL : REPORT_KBPS;
}

double html_rate(const struct page *p, const struct stored *encode)
{
    double kbps;
    if (encodes_only_images(p->encode, p->encodes))
        return encode_bits_per_pixel(encode);
    return report_bitrate(&encode->run, &kbps) ? kbps : (double)NAN;
}

void html_time(struct sink *s, int64_t time)
{
    const int64_t rounded = report_milliseconds(time);
    const uint64_t ms = (uint64_t)(rounded < 0 ? -rounded : rounded), minutes = ms / 60000;
    sink_text(s, rounded < 0 ? "-" : "");
    if (minutes >= 60)
        sink_format(s, "%" PRIu64 ":%02u", minutes / 60, (unsigned)(minutes % 60));
    else
        sink_format(s, "%" PRIu64, minutes);
    sink_format(s, ":%02u.%03u", (unsigned)(ms / 1000 % 60), (unsigned)(ms % 1000));
}

struct range html_axis(const struct page *p, const char *key, struct axis *y)
{
    struct range range = range_empty;
    for (uint32_t i = 0; i < p->encodes; i++) {
        uint32_t column;
        if (encode_column(&p->encode[i], key, &column))
            range_add_column(&range, &p->encode[i].scores, column);
    }
    axis_cover(y, &range);
    return range;
}

void html_frames(const struct page *p, struct axis *x, int most)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < p->encodes; i++) {
        const struct scores *s = &p->encode[i].scores;
        if (!s->rows)
            continue;
        low = assay_min(low, (double)s->frame[0]);
        high = assay_max(high, (double)s->frame[s->rows - 1]);
    }
    x->low = low <= high ? low : 0;
    x->span = low < high ? high - low : low == high ? 0.5 : 0; /* one frame has no other number beside its own */
    x->step = assay_max(1, x->span > 0 ? axis_step(x->span, most) : 1);
}

void html_histogram(const struct scores *s, uint32_t column, const struct axis *y, uint64_t bin[HTML_BINS])
{
    memset(bin, 0, HTML_BINS * sizeof *bin);
    for (uint64_t row = 0; row < s->rows; row++) {
        const double v = score_at(s, row, column), at = (v - y->low) / y->span * HTML_BINS;
        if (isfinite(v))
            bin[at < 0 ? 0 : at < HTML_BINS ? (unsigned)at : HTML_BINS - 1]++;
    }
}

int html_decimals(const struct page *p, double largest)
{
    return p->precision == REPORT_DEFAULT ? report_decimals(largest) : p->precision;
}

void html_value(struct sink *s, double v, int decimals, const char *after)
{
    sink_number_within(s, " data-value=\"", v, REPORT_SHORTEST, "\">");
    sink_number_within(s, "", v, decimals, after);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

void html_begin(struct sink *s, const struct report_run *run)
{
    html_within(s, "<!DOCTYPE html>\n<!-- assay ", run->version, " -->\n");
}

void html_title(struct sink *s, const void *page)
{
    const struct page *p = page;
    const char *reference = report_run_field(&p->lead->run, "reference_file");
    if (p->encodes == 1) {
        const char *name = p->lead->name[0] ? p->lead->name : "scores";
        html_text(s, p->lead->run.compared ? p->lead->run.compared : name);
        return;
    }
    sink_format(s, "%u encodes", p->encodes);
    if (reference)
        html_within(s, " against ", reference, "");
}

void html_open(struct sink *s, const char *script, const char *kind, html_title_of *title, const void *of)
{
    sink_text(s, "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    /* Whatever characters a name has: no other script runs, and nothing is loaded. */
    sink_format(s, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                "'unsafe-inline'; img-src data:; script-src '%s'\">\n", script);
    sink_text(s, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
    title(s, of);
    sink_text(s, "</title>\n<style>\n");
    sink_text(s, html_style);
    sink_format(s, "</style>\n</head>\n<body>\n<header>\n<p class=\"kind\">%s</p>\n<h1>", kind);
    title(s, of);
    sink_text(s, "</h1>\n");
}

/* "1920x1080, 250 frames, 25 frames/s, 10.000 s" */
static void put_facts(const struct page *p)
{
    struct sink *s = p->s;
    const struct report_run *run = &p->lead->run;
    const char *rate = report_run_field(run, "reference_frame_rate");
    unsigned num = 0, den = 0;
    sink_text(s, "<p class=\"facts\">");
    if (run->width && encodes_one_size(p->encode, p->encodes))
        sink_format(s, "<span>%u×%u</span> ", run->width, run->height);
    sink_format(s, "<span>%" PRIu64 " frame%s</span>", p->longest, p->longest == 1 ? "" : "s");
    if (rate && sscanf(rate, "%u/%u", &num, &den) == 2 && num && den) {
        char text[NUMBER_TEXT_SIZE];
        format_fixed(text, (double)num / den, num % den ? 3 : 0);
        sink_format(s, " <span>%s frames/s</span>", text);
    }
    char start[REPORT_START];
    if (p->encodes == 1 && report_start(start, run))
        sink_format(s, " <span>%s</span>", start);
    html_within(s, " <span>assay ", run->version, "</span></p>\n");
}

static void put_incomplete(const struct page *p)
{
    for (uint32_t i = 0; i < p->encodes; i++) {
        const struct report_run *run = &p->encode[i].run;
        if (!run->incomplete)
            continue;
        sink_text(p->s, "<p class=\"warning\" role=\"alert\"><strong>Incomplete</strong> ");
        if (p->encodes > 1)
            html_within(p->s, "", p->encode[i].name, ": ");
        html_within(p->s, "", run->reason ? run->reason : "frames are missing", "</p>\n");
    }
}

/* Shares the points among the curves. A part has two points. */
static void share_points(struct page *p)
{
    uint64_t curves = 0;
    for (uint32_t k = 0; html_next(p, &k);)
        curves += p->encodes;
    curves = curves ? curves : 1;
    p->points = POINTS_MOST / curves / 2;
    p->vertices = (VERTICES_MOST / curves < VERTICES_CURVE ? VERTICES_MOST / curves : VERTICES_CURVE) / 2;
    p->points = p->points < LEAST ? LEAST : p->points;
    p->vertices = p->vertices < LEAST ? LEAST : p->vertices;
}

/* The file behind its first bytes. The encodes (at least one) are all compared with one reference. A score has the same
 * meaning in each of them; one that an encode lacks is a dash there. */
static void write_page(struct sink *s, const struct stored *encode, uint32_t encodes, int precision)
{
    struct page page = html_page(s, encode, encodes, precision);
    const struct page *p = &page;
    share_points(&page);
    html_open(s, html_script_digest, "Quality report", html_title, p);
    put_facts(p);
    sink_text(s, "</header>\n<main>\n");
    put_incomplete(p);
    html_summary(p);
    if (p->lead->scores.rows) {
        html_plots(p);
        html_rates(p);
        html_worst(p);
    }
    html_run(p);
    sink_text(s, "</main>\n");
    html_data(p);
    sink_text(s, "<script>");
    sink_text(s, html_script);
    sink_text(s, "</script>\n</body>\n</html>\n");
    encodes_keys_free(&page.keys);
}

/* ---- as a report ------------------------------------------------------------------------------------------------- */

static void head(struct reporter *r, const struct report_run *run)
{
    html_begin(&r->sink, run);
}

/* The encode is called by the whole name of its file. */
static void tail(struct reporter *r, const struct stored *x)
{
    const char *file = report_run_field(&x->run, "distorted_file");
    struct stored encode = *x;
    encode.name = file ? file : "distorted";
    write_page(&r->sink, &encode, 1, r->precision);
}

void joint_html(struct reporter *r, const struct stored *encode, uint32_t encodes)
{
    head(r, &encode->run);
    write_page(&r->sink, encode, encodes, r->precision);
}

const struct report_form report_form_html = {head, NULL, tail, false};
