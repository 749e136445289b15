/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the HTML reports and the plot share. Included by html*.c and plot.c only. */
#ifndef ASSAY_REPORT_HTML_PAGE_H
#define ASSAY_REPORT_HTML_PAGE_H

#include "report/axis.h"
#include "results/encodes.h"
#include "results/sink.h"

/* src/report/html/report.css and report.js, and the script's SHA-256 as a Content-Security-Policy names it. */
extern const char html_style[], html_script[], html_script_digest[];

struct page {
    struct sink *s;
    const struct stored *encode;
    uint32_t encodes;
    const struct stored *lead; /* for what all have in common: the first encode with a frame, else the first */
    struct encodes_keys keys;         /* those of all encodes */
    int precision;
    uint64_t points, vertices;      /* of a curve, in the script's data and in a picture without script */
    uint64_t longest;               /* frames of the encode that has most */
};

/* The first bytes of the file, by which file_spare knows it. */
void html_begin(struct sink *s, const struct report_run *run);

/* Opens a page: its head, and its body up to its heading. `title` writes what both say of the page `of`. `script` is
 * the only one that may run, as a Content-Security-Policy names it; "none". */
typedef void html_title_of(struct sink *s, const void *of);
void html_open(struct sink *s, const char *script, const char *kind, html_title_of *title, const void *of);

/* The page of encodes; its points are not shared out yet. Without memory the sink fails, and the page has no keys. The
 * caller frees its keys. */
struct page html_page(struct sink *s, const struct stored *encode, uint32_t encodes, int precision);

/* The title of a report, a struct page: what was compared with what. */
void html_title(struct sink *s, const void *page);

/* The classes of what is drawn of an encode: html/report.css and plot.c have as many colours and dashes. */
enum { HTML_COLOURS = 7, HTML_DASHES = 6, HTML_CLASS = 32 };
const char *html_class(char text[HTML_CLASS], const char *name, uint32_t encode);
/* The same as an attribute; a short line as its curve has it, for a legend. */
void html_put_class(struct sink *s, const char *name, uint32_t encode);
void html_swatch(struct sink *s, uint32_t encode);

/* A name with its number, which is counted from 1 there, between two pieces of markup. */
void html_numbered(struct sink *s, const char *before, uint32_t number, const char *name, const char *after);

/* The next key with a plot and a row in tables, from *k on; *k becomes the number behind it. NULL: there is none. It is
 * no position of a pixel, and no feature that only a model asks for. For
 *     for (uint32_t k = 0; (key = html_next(p, &k));) */
const char *html_next(const struct page *p, uint32_t *k);

/* The rate of an encode, or NaN; and its unit: kbit/s, or bits per pixel where all encodes are images. */
double html_rate(const struct page *p, const struct stored *encode);
const char *html_rate_unit(const struct page *p);

/* The decimals of a rate: bits per pixel and low bit rates have some. */
int html_rate_decimals(double rate, const char *unit);

/* Text with <, > and & escaped, also in an attribute in double quotes. */
#define html_text sink_xml_text
#define html_within sink_xml_within

/* The end of a tag and its text, a value with so many decimals. Its attribute data-value reads back exactly. */
void html_value(struct sink *s, double v, int decimals, const char *after);

/* A picture and its label, where it has one. The script finds it by `what`: "reference", "distorted", "map" or
 * "alpha". */
void html_picture(struct sink *s, const struct report_picture *picture, const char *what, const char *label);

/* A row of a table of fields. Of the name, "_" is shown as a blank. */
void html_field(struct sink *s, const char *name, const char *value);

/* "1:02:03.456" or "2:03.456" */
void html_time(struct sink *s, int64_t time);

/* Sets the axis of a score's values, for all encodes alike, but for its pixels. Returns the range of the values. */
struct range html_axis(const struct page *p, const char *key, struct axis *y);

/* Sets the axis of frames that all encodes have a place on, but for its pixels. Without a frame its span is 0. */
void html_frames(const struct page *p, struct axis *x, int most);

/* The number of finite values in each of HTML_BINS equal parts of the axis. */
enum { HTML_BINS = 40 };
void html_histogram(const struct scores *s, uint32_t column, const struct axis *y, uint64_t bin[HTML_BINS]);

/* A decimal with so many digits as people read of a value of this size. */
int html_decimals(const struct page *p, double largest);

/* A plot of a score over the frames: axes and curves, with the mean of one encode, and rings around worst frames. */
struct panel {
    const struct page *page;
    const char *key;
    struct axis x, y;
    struct range values; /* of y */
    uint64_t parts;     /* of a curve */
    int decimals;       /* of a place */
    const char *radius; /* of a ring */
    bool plain;         /* in a file of its own: one encode has no number, and a ring has a title */
};
/* Sets the axes, from `left` to `right` and from `floor` up to `top`, and the range of the values. */
void panel_axes(struct panel *p, int left, int right, int top, int floor);
/* Draws it; the numbers of the frames stand at the height `numbers`. */
void panel_draw(const struct panel *p, int numbers);

/* A plot of a score by rates. The axis x is of the decimal logarithm of the rate. */
struct rate_plot {
    struct sink *s;
    const char *key;
    const char *unit; /* of the rate */
    struct axis x, y;
};

/* Begins a figure with its axes, which cover the ranges. `note` is the end of its heading. */
void rate_plot_begin(struct rate_plot *p, const char *note, const struct range *log_rate, const struct range *values);
void rate_plot_end(const struct rate_plot *p);
/* A vertex of a line, "x,y ". */
void rate_plot_vertex(void *plot, double log_rate, double value); /* struct rate_plot */

/* A point: its name, the number that stands beside it, and whose it is, as the attribute data-OF. */
struct rate_mark {
    const char *name, *of;
    uint32_t owner, number;
    double rate, value;
    int decimals; /* of the value */
    bool above;   /* the number stands above it on the left, else below it on the right */
};
void rate_plot_mark(const struct rate_plot *p, const struct rate_mark *mark);

/* ---- the parts of the page ---- */

void html_summary(const struct page *p);  /* html_figures.c */
void html_run(const struct page *p);      /* html_figures.c: options, versions, the inputs */
void html_plots(const struct page *p);    /* html_plot.c */
void html_rates(const struct page *p);    /* html_rates.c: rate and quality, where two encodes have a rate */
void html_worst(const struct page *p);    /* html_worst.c */
void html_data(const struct page *p);     /* html_data.c: what the script draws */

#endif
