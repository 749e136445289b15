/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that ffmpeg's filter xpsnr writes for its option stats_file: a line for each frame, an empty line, and the
 * averages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/reporter.h"

enum { PLANES = 3 };
static const char *const letter[PLANES] = {"y", "u", "v"};

static void db(struct sink *out, const char *before, const char *plane, double v)
{
    char text[NUMBER_TEXT_SIZE] = "inf";
    if (!isinf(v))
        format_fixed(text, v, 4);
    sink_format(out, "  %s%s: %s", before, plane, text);
}

static void xpsnr_frame(struct reporter *r, const struct scores *s, uint64_t row)
{
    char name[16];
    sink_format(&r->sink, "n: %4llu", (unsigned long long)r->frames + 1);
    for (unsigned p = 0; p < PLANES; p++) {
        snprintf(name, sizeof name, "xpsnr_%s", letter[p]);
        for (uint32_t k = 0; k < r->keys; k++)
            if (!strcmp(r->key[k], name))
                db(&r->sink, "XPSNR ", letter[p], reporter_value(r, s, row, k));
    }
    sink_text(&r->sink, "\n");
}

static void xpsnr_tail(struct reporter *r, const struct stored *x)
{
    const struct report_run *run = &x->run;
    char name[24];
    const struct report_aggregate *least = report_run_aggregate(run, "xpsnr_minimum"), *average;
    if (!x->scores.rows || !run->aggregates)
        return;
    sink_format(&r->sink, "\nXPSNR average, %llu frames", (unsigned long long)x->scores.rows);
    for (unsigned p = 0; p < PLANES; p++) {
        snprintf(name, sizeof name, "xpsnr_average_%s", letter[p]);
        if ((average = report_run_aggregate(run, name)))
            db(&r->sink, "", letter[p], average->value);
    }
    if (least)
        db(&r->sink, "(", "minimum", least->value);
    sink_text(&r->sink, least ? ")\n" : "\n");
}

const struct report_form report_form_xpsnr = {NULL, xpsnr_frame, xpsnr_tail, false};
