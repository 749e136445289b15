/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reporter writes a report: each frame as soon as it is scored, and at the end the pools, the aggregates and the
 * description of the run. Shapes and names are libvmaf's (docs/output.md). One more block has what libvmaf's logs have
 * not.
 */
#ifndef ASSAY_REPORT_REPORT_H
#define ASSAY_REPORT_REPORT_H

#include "host/numbers.h"
#include "host/scores.h"

/* A name and a value that describe the run: "backend", "reference_decoder". With `number`, the value is a JSON
 * number, true, false or null; without, it is printed as a string. An `incidental` field (threads, device) can't
 * change a score: parts of a run may differ in it. The block itself has version, width, height, frames, incomplete,
 * reason, bits, gates and percentiles. */
struct report_field {
    const char *name;
    const char *value;
    bool number;
    bool incidental;
};

struct gate;

struct report_aggregate {
    const char *key;
    double value;
};

struct report_run {
    const char *version;            /* of assay */
    const char *compared;           /* for people, "a.mkv against b.mkv"; may be NULL */
    uint32_t width, height;
    uint32_t fields;
    const struct report_field *field;
    uint32_t aggregates;            /* known at the end */
    const struct report_aggregate *aggregate;
    double fps;                     /* 0: not stated (--reproducible, merged reports). Negative when a reporter is
                                     * opened: known at the end, and stated then in a regular file */
    const uint32_t *metric;         /* of each key, the number of its metric: the table keeps them apart; or NULL */
    uint32_t gates;                 /* known at the end */
    const struct gate *gate;
    bool incomplete;                /* frames are missing; `reason` says why in one line */
    const char *reason;
};

enum report_kind { REPORT_JSON, REPORT_XML, REPORT_CSV, REPORT_SUB };

struct reporter;

/* `path` "-" is stdout. `precision` is the number of decimals (0 to 17), or REPORT_SHORTEST for the shortest decimal
 * that reads back exactly. The keys are borrowed until the reporter is gone. A failed open leaves *out NULL. */
enum { REPORT_SHORTEST = -1 };
int reporter_open(struct reporter **out, enum report_kind kind, const char *path, int precision,
                  const struct report_run *run, uint32_t keys, const char *const *key, struct assay_error *e);
/* `time` is in nanoseconds, or SCORES_NO_TIME. The frame is handed to the system before this returns: a reader of the
 * file sees it, and a full disk shows. */
int reporter_frame(struct reporter *r, uint64_t frame, int64_t time, const double *values, struct assay_error *e);
/* Writes the tail and closes; the reporter is freed whatever happens and *r set to NULL. A full disk shows here. */
int reporter_finish(struct reporter **r, const struct scores *s, const struct report_run *run, struct assay_error *e);
/* Closes without a tail (after an internal error). */
void reporter_abandon(struct reporter **r);

/* True for a key that every report can hold: a letter or _, then letters, digits, _ . and -. */
bool report_key_valid(const char *key);

/* The table for people, at most 80 columns wide. `precision` as above, REPORT_DEFAULT for as many decimals as the
 * size of the values asks for. ASSAY_EINTERNAL when the stream can't be written. */
enum { REPORT_DEFAULT = -2 };
int report_table(void *stream /* FILE* */, const struct scores *s, const struct report_run *run, int precision);

/* A gate, "key.pool=value" or "key=value" (the mean, or the one figure of an aggregate). */
struct gate {
    char key[128];
    enum pool pool;
    double percent;
    double limit;
    bool over;       /* fails above the limit instead of below */
    bool pool_named; /* the text named the pool; `pool_name` is how */
    char pool_name[32];
};
int gate_parse(struct gate *g, const char *text, bool over, struct assay_error *e);
/* Refuses gates whose key is neither among the keys nor among the aggregates; for use before the first frame. */
int gates_validate(const struct gate *g, uint32_t gates, uint32_t keys, const char *const *key, uint32_t aggregates,
                   const char *const *aggregate, struct assay_error *e);
/* One figure against one gate: whether it passes (a NaN never does), and the line that says so,
 * with `where` before the name. */
bool gate_passes(const struct gate *g, double v);
void gate_print(void *stream /* FILE* */, const struct gate *g, const char *where, double v);
/* The figure of a run that a gate is about, and whether the gate passes. Of a run that is incomplete the figure is NaN,
 * and nothing passes. The gate is one that gates_validate has let through. */
bool gate_holds(const struct gate *g, const struct scores *s, const struct report_run *run, double *value);
/* The pool of a gate by its name, or NULL for a figure of the whole run. */
const char *gate_pool(const struct gate *g, const struct report_run *run);
/* Prints one line per gate beside its value; returns the number that failed, or negative when a key is unknown.
 * Aggregates (apsnr_y) may be gated too, without a pool. A value that is NaN fails; +inf passes a lower gate. */
int gates_check(const struct gate *g, uint32_t gates, const struct scores *s, const struct report_run *run,
                void *stream /* FILE* */, struct assay_error *e);

#endif
