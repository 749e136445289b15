/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of the forms of a report (JSON, XML, CSV, SUB), and what the forms share. */
#ifndef ASSAY_REPORT_REPORTER_H
#define ASSAY_REPORT_REPORTER_H

#include "report/report.h"
#include "results/json_write.h"

/* A function that is NULL has nothing to write. */
struct report_form {
    void (*head)(struct reporter *r, const struct report_run *run);
    void (*frame)(struct reporter *r, const struct scores *s, uint64_t row);
    void (*tail)(struct reporter *r, const struct stored *x);
    bool has_rate; /* `head` states the frame rate */
};

extern const struct report_form report_form_json, report_form_xml, report_form_csv, report_form_sub,
    report_form_plot, report_form_plot_png, report_form_html, report_form_xpsnr;

/* What writes the whole of a report on several encodes. One that was not scored has its name there, and why. */
typedef void report_joint(struct reporter *r, const struct stored *encode, uint32_t encodes);
report_joint joint_json, joint_csv, joint_html, joint_plot, joint_plot_png;

/* reporter_open with a form. A program that names forms here carries those alone. */
int reporter_open_form(struct reporter **out, const struct report_form *form, const char *path, int precision,
                       const struct stored *x, struct assay_error *e);

struct reporter {
    struct sink sink;
    struct json json; /* of JSON: what is open; made by the head */
    const struct report_form *form;
    report_joint *joint; /* NULL: it is on one encode */
    int precision;
    uint32_t keys;
    const char *const *key;
    const uint32_t *column; /* of each key among a row's values, or ASSAY_NONE; NULL: its number */
    uint64_t frames; /* written so far */
    bool rate_later; /* the head states the rate, but the rate is known only at the end */
    bool plain;      /* frames have no times */
    bool paired;     /* scores.paired */
    bool all_later;  /* everything is written at the end: head and frames can't be written again, and need the rate */
};

/* The value of key number `key` of a row; none (scores_has) where its encode has no such key. */
static inline double reporter_value(const struct reporter *r, const struct scores *s, uint64_t row, uint32_t key)
{
    const uint32_t at = r->column ? r->column[key] : key;
    return at == ASSAY_NONE ? scores_no_value() : scores_row(s, row)[at];
}

/* Makes a reporter of these settings, and opens its file. On failure *out is NULL. */
int reporter_begin(struct reporter **out, const struct reporter *as, const char *path, struct assay_error *e);
/* Closes the file and frees the reporter. */
int reporter_close(struct reporter **r, struct assay_error *e);

/* When a row's frame is shown, as far as the report says it. */
static inline int64_t reporter_time(const struct reporter *r, const struct scores *s, uint64_t row)
{
    return r->plain ? SCORES_NO_TIME : s->time[row];
}

/* Begins the object of a JSON report: the version, and the rate where there is one. */
void report_json_head(struct reporter *r, const struct report_run *run);

/* Begins the list of frames of a JSON report, in an object that is open. Then each frame follows, and
 * report_json_results: the list's end, pools, aggregates, assay's block, and the object's end. */
void report_json_frames(struct reporter *r);
void report_json_results(struct reporter *r, const struct stored *x);

/* The version that the head states. */
enum { REPORTER_VERSION = 128 };
const char *reporter_version(const struct report_run *run, char *text);

/* Whether `fps` is a rate that a report states. A run too short to be timed has none. */
bool reporter_has_rate(double fps);

/* The decimals that people are shown of figures of which `largest` is the largest, where they asked for none. */
int report_decimals(double largest);

/* Texts of the tables, of at most NUMBER_TEXT_SIZE bytes. A number of a row or column whose largest magnitude is
 * `largest`; a time in seconds, "-" for SCORES_NO_TIME. And the nearest milliseconds of a time, which pages have. */
void report_number(char *text, double v, double largest, int precision);
void report_seconds(char *text, int64_t time);
int64_t report_milliseconds(int64_t time);

/* A frame's number, of at most NUMBER_TEXT_SIZE bytes; where a run left out the start of a file, with the number in
 * the files behind it: "4 (6)", or "4 (4, 6)" where the reference and the distorted file have unequal ones. */
void report_frame(char *text, const struct report_run *run, uint64_t frame);
/* What the numbers in parentheses are, of at most REPORT_START bytes. False: there are none. */
enum { REPORT_START = 80 };
bool report_start(char *text, const struct report_run *run);

/* The units of rates, as tables and pages name them. */
#define REPORT_KBPS "kbit/s"
#define REPORT_BITS_PER_PIXEL "bits/pixel"

enum { RATE_DECIMALS = 2 }; /* as in libvmaf */
#endif
