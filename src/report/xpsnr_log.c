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

static const double *average(const struct report_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->aggregates; i++)
        if (!strncmp(run->aggregate[i].key, "xpsnr_", 6) && !strcmp(run->aggregate[i].key + 6, name))
            return &run->aggregate[i].value;
    return NULL;
}

static void xpsnr_tail(struct reporter *r, const struct scores *s, const struct report_run *run)
{
    char name[16];
    const double *v = average(run, "minimum");
    if (!s->rows || !run->aggregates)
        return;
    sink_format(&r->sink, "\nXPSNR average, %llu frames", (unsigned long long)s->rows);
    for (unsigned p = 0; p < PLANES; p++) {
        snprintf(name, sizeof name, "average_%s", letter[p]);
        if (average(run, name))
            db(&r->sink, "", letter[p], *average(run, name));
    }
    if (v)
        db(&r->sink, "(", "minimum", *v);
    sink_text(&r->sink, v ? ")\n" : "\n");
}

const struct report_form report_form_xpsnr = {NULL, xpsnr_frame, xpsnr_tail, false};
