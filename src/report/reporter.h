/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the reporters: what one form of report has to provide. */
#ifndef ASSAY_REPORT_REPORTER_H
#define ASSAY_REPORT_REPORTER_H

#include <sys/types.h>

#include "report/report.h"
#include "report/sink.h"

struct report_form {
    void (*head)(struct reporter *r, const struct report_run *run);
    void (*frame)(struct reporter *r, uint64_t frame, const double *values);
    void (*tail)(struct reporter *r, const struct scores *s, const struct report_run *run);
};

extern const struct report_form report_form_json, report_form_xml, report_form_csv, report_form_sub;

struct reporter {
    struct sink sink;
    const struct report_form *form;
    int precision;
    uint32_t keys;
    const char *const *key;
    uint64_t frames; /* written so far */
    off_t fps_at;    /* where the space for the frame rate is; 0: nothing to fill in */
    const char *fps_end;
};

/* Writes the frame rate and what follows it on its line. When the rate will be known only at the end and the file can
 * be written at a place, blanks are left for it before the end of the line. `end` is a literal. */
void reporter_put_fps(struct reporter *r, double fps, const char *end);

/* libvmaf's pools, then ours, by their names in the reports. */
struct report_pool {
    const char *name;
    enum pool pool;
    double percent;
};
enum { REPORT_COMMON_POOLS = 4, REPORT_EXTRA_POOLS = 8 };
extern const struct report_pool report_common_pools[REPORT_COMMON_POOLS], report_extra_pools[REPORT_EXTRA_POOLS];

#endif
