/* SPDX-License-Identifier: BSD-2-Clause */
/* assay bench: frame pairs per second from memory to scores, and where the time goes. */
#ifndef ASSAY_CLI_BENCH_BENCH_H
#define ASSAY_CLI_BENCH_BENCH_H

#include <assay/assay.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/bench/frames.h"
#include "run/session.h"

enum { BENCH_METRICS = 64, BENCH_SHAPES = 16, BENCH_PAIRS = 8, BENCH_MOST_PAIRS = 256, BENCH_NAMES = 512 };

struct bench_options {
    assay_config config;
    const char *metrics[BENCH_METRICS]; /* each a list that is scored together; none: every metric, then all at once */
    unsigned lists;
    struct { uint32_t width, height; } size[BENCH_SHAPES];
    uint32_t depth[BENCH_SHAPES];
    assay_layout layout[BENCH_SHAPES];
    unsigned sizes, depths, layouts;
    uint32_t pairs;    /* different frame pairs at least; 0: BENCH_PAIRS */
    double seconds;    /* for which a rate is measured */
    const char *json;  /* NULL: none */
    bool force;        /* overwrite a file that assay did not write */
    const char *compare[2];
    bool compares, help;
};

/* One line of results. Times are milliseconds per frame pair on the device; a negative time: the device has no clock
 * for it. */
struct bench_result {
    char metrics[BENCH_NAMES];
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
struct bench_machine {
    char backend[32], device[128], driver[128];
    unsigned threads;
};

int bench_parse(struct bench_options *o, int argc, char **argv, struct assay_error *e);

/* Measures one line on pictures of `frames`. Returns 1 where the metric can't be computed of this format; `why` says
 * what is missing. Scores that differ from the CPU's are an error of the device. */
int bench_measure(const struct bench_options *o, const char *metrics, const assay_format *format,
                  struct bench_frames *frames, struct bench_machine *machine, struct bench_result *result,
                  struct assay_error *why, struct assay_error *e);

/* From 0 to 1: the rate of the uploads as a part of a plain copy's rate, and the share of a frame's time that its
 * submission takes. */
double bench_link_share(const struct bench_result *r);
double bench_submit_share(const struct bench_result *r);

void bench_print_head(const struct bench_machine *m, const struct bench_result *first, FILE *out);
void bench_print(const struct bench_result *r, const struct bench_result *before, FILE *out);
int bench_write(const char *path, const struct bench_machine *m, const struct bench_result *r, unsigned n,
                struct assay_error *e);
int bench_compare(const char *a, const char *b, FILE *out, struct assay_error *e);

struct option;
const struct option *bench_options_table(uint32_t *rows);
/* Runs the command. argv has the arguments behind its name. */
int cli_bench(int argc, char **argv, struct assay_error *e);

#endif
