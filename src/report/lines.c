/* SPDX-License-Identifier: BSD-2-Clause */
/* libvmaf's two forms with one line per frame: CSV, and SUB, a subtitle file (MicroDVD) that a player shows over the
 * video. Neither form has room for pools or for the description of the run. */
#include "report/reporter.h"

static void csv_head(struct reporter *r, const struct report_run *run)
{
    (void)run;
    sink_text(&r->sink, "Frame,");
    for (uint32_t k = 0; k < r->keys; k++)
        sink_format(&r->sink, "%s,", r->key[k]);
    sink_text(&r->sink, r->paired ? "distorted_frame," : "");
    sink_text(&r->sink, r->plain ? "\n" : "time\n");
}

static void csv_frame(struct reporter *r, const struct scores *s, uint64_t row)
{
    const int64_t time = reporter_time(r, s, row);
    sink_format(&r->sink, "%llu,", (unsigned long long)s->frame[row]);
    for (uint32_t k = 0; k < r->keys; k++) {
        const double v = reporter_value(r, s, row, k);
        if (scores_has(v))
            sink_number(&r->sink, v, r->precision);
        sink_text(&r->sink, ",");
    }
    if (r->paired)
        sink_format(&r->sink, "%llu,", (unsigned long long)s->partner[row]);
    if (time != SCORES_NO_TIME)
        sink_seconds(&r->sink, time);
    sink_text(&r->sink, "\n");
}

static void sub_frame(struct reporter *r, const struct scores *s, uint64_t row)
{
    unsigned long long n = s->frame[row];
    sink_format(&r->sink, "{%llu}{%llu}frame: %llu|", n, n + 1, n);
    for (uint32_t k = 0; k < r->keys; k++) {
        const double v = reporter_value(r, s, row, k);
        if (!scores_has(v))
            continue;
        sink_text(&r->sink, r->key[k]);
        sink_number_within(&r->sink, ": ", v, r->precision, "|");
    }
    sink_text(&r->sink, "\n");
}

const struct report_form report_form_csv = {csv_head, csv_frame, NULL, false};
const struct report_form report_form_sub = {NULL, sub_frame, NULL, false};
