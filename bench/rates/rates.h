/* SPDX-License-Identifier: BSD-2-Clause */
/* assay_rates: frame pairs per second from memory to scores, and where the time goes. */
#ifndef ASSAY_BENCH_RATES_RATES_H
#define ASSAY_BENCH_RATES_RATES_H

#include <assay/assay.h>
#include <stdbool.h>
#include <stdio.h>

#include "../frames.h"
#include "run/session.h"

enum { RATES_METRICS = 64, RATES_SHAPES = 16, RATES_PAIRS = 8, RATES_MOST_PAIRS = 256, RATES_NAMES = 512 };

struct rates_options {
    assay_config config;
    const char *metrics[RATES_METRICS]; /* each a list that is scored together; none: every metric, then all at once */
    unsigned lists;
    struct { uint32_t width, height; } size[RATES_SHAPES];
    uint32_t depth[RATES_SHAPES];
    assay_layout layout[RATES_SHAPES];
    unsigned sizes, depths, layouts;
    uint32_t pairs;    /* different frame pairs at least; 0: RATES_PAIRS */
    double seconds;    /* for which a rate is measured */
    const char *json;  /* NULL: none */
    bool force;        /* overwrite a file that assay did not write */
    const char *compare[2];
    bool compares, help;
};

/* One line of results. Times are milliseconds per frame pair on the device; a negative time: the device has no clock
 * for it. */
struct rates_result {
    char metrics[RATES_NAMES];
    assay_format format;
    uint32_t pairs, in_flight;        /* different pairs; pairs on the device at once, at most */
    uint64_t frames;                  /* scored while the rate was measured */
    double rate, slowest, fastest;    /* pairs per second: the median round, the worst, the best */
    /* with `in_flight` frames: time in which the device copied, ran passes, did neither */
    double upload, passes, idle;
    double upload_alone, passes_alone;/* with one frame in flight */
    double latency;                   /* of one frame alone, from its commit to its scores */
    double submit;                    /* processor time to submit a frame */
    double dispatches, submissions;   /* per frame pair */
    uint64_t upload_bytes;            /* of the planes that the metrics read, per pair */
    uint64_t pass_bytes;              /* that the passes read and write, each plane once per pass */
    /* bytes per second of a plain copy to the device, and of one within it (bytes read plus bytes written) */
    double copy_rate, device_rate;
};

/* The machine that was measured. */
struct rates_machine {
    char backend[32], device[128], driver[128];
    unsigned threads;
};

/* Measures one line on pictures of `frames`. Returns 1 where the metric can't be computed of this format; `why` says
 * what is missing. Scores that differ from the CPU's are an error of the device. */
int rates_measure(const struct rates_options *o, const char *metrics, const assay_format *format,
                  struct bench_frames *frames, struct rates_machine *machine, struct rates_result *result,
                  struct assay_error *why, struct assay_error *e);

/* From 0 to 1: the rate of the uploads as a part of a plain copy's rate, and the share of a frame's time that its
 * submission takes. */
double rates_link_share(const struct rates_result *r);
double rates_submit_share(const struct rates_result *r);

void rates_print_head(const struct rates_machine *m, const struct rates_result *first, FILE *out);
void rates_print(const struct rates_result *r, const struct rates_result *before, FILE *out);
int rates_write(const char *path, const struct rates_machine *m, const struct rates_result *r, unsigned n,
                struct assay_error *e);
int rates_compare(const char *a, const char *b, FILE *out, struct assay_error *e);

#endif
