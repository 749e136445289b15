/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reporters: they stream frames as they are scored and write pools, aggregates and the description of the run at
 * the end. Shapes and key names are libvmaf's (docs/output.md); what is ours stands in one extra block.
 */
#ifndef ASSAY_REPORT_REPORT_H
#define ASSAY_REPORT_REPORT_H

#include "report/numbers.h"
#include "report/scores.h"

/* Ordered name/value pairs that describe the run ("version", "backend", "ref.decoder", "metric.psnr.enable_mse", ...). Values are
 * printed as JSON strings unless `number` is set, when `value` is already a JSON number or true/false/null. */
struct report_field {
    const char *name;
    const char *value;
    bool number;
};

struct report_aggregate {
    const char *key;
    double value;
};

struct report_run {
    const char *version;            /* of assay */
    uint32_t width, height;
    uint32_t fields;
    const struct report_field *field;
    uint32_t aggregates;            /* known at the end */
    const struct report_aggregate *aggregate;
    double fps;                     /* 0: not stated (--reproducible, merged reports) */
    bool incomplete;                /* frames are missing; `reason` says why in one line */
    const char *reason;
};

enum report_kind { REPORT_JSON, REPORT_XML, REPORT_CSV, REPORT_SUB };

struct reporter;

/* `path` "-" is stdout. `precision` is the number of decimals (0 to 17), or REPORT_SHORTEST for the shortest decimal
 * that reads back exactly. */
enum { REPORT_SHORTEST = -1 };
int reporter_open(struct reporter **out, enum report_kind kind, const char *path, int precision,
                  const struct report_run *run, uint32_t keys, const char *const *key, struct assay_error *e);
int reporter_frame(struct reporter *r, uint64_t frame, const double *values, struct assay_error *e);
/* Writes the tail and closes; the reporter is freed whatever happens and *r set to NULL. A full disk shows here. */
int reporter_finish(struct reporter **r, const struct scores *s, const struct report_run *run, struct assay_error *e);
/* Closes without a tail (after an internal error). */
void reporter_abandon(struct reporter **r);

/* The table for people. `precision` as above, -2 for the default of the table. */
int report_table(void *stream /* FILE* */, const struct scores *s, const struct report_run *run, int precision);

/* A gate, "key.pool=value" or "key=value" (the mean). */
struct gate {
    char key[128];
    enum pool pool;
    double percent;
    double limit;
    bool over; /* fails above the limit instead of below */
};
int gate_parse(struct gate *g, const char *text, bool over, struct assay_error *e);
/* Prints one line per gate beside its value; returns the number that failed, or negative when a key is unknown.
 * Aggregates (apsnr_y) may be gated too, without a pool. A value that is NaN fails; +inf passes a lower gate. */
int gates_check(const struct gate *g, uint32_t gates, const struct scores *s, const struct report_run *run,
                void *stream /* FILE* */, struct assay_error *e);

#endif
