/* SPDX-License-Identifier: BSD-2-Clause */
/* assay bdrate: two rate-distortion curves, and how they are shown. */
#ifndef ASSAY_CLI_BDRATE_BDRATE_H
#define ASSAY_CLI_BDRATE_BDRATE_H

#include "cli/cli.h"
#include "results/encode.h"
#include "run/pair.h"

struct bd_point {
    char *name;              /* of the file, or "FILE:ENCODE" of an encode that a report on several has */
    const char *path, *file; /* `file`: the encode's, of a report on several; else NULL */
    double kbps;
    bool given;              /* the user gave the rate */
    struct encode encode;
};

/* A figure of both curves, and what came of it by each method that was asked for. */
struct bd_figure {
    const struct gate *of;
    char name[sizeof((struct gate *)0)->key + 1 + sizeof((struct gate *)0)->pool_name]; /* "vmaf", "vmaf.p5" */
    uint32_t index; /* in encode.figure */
    int direction;  /* of assay.h */
    struct bdrate_point curve[2][CLI_POINTS]; /* by rising rate */
    struct bdrate result[BDRATE_METHODS];
};

struct bd_curves {
    const struct cli *cli;
    struct bd_point point[2][CLI_POINTS]; /* of the anchor and of the test; at the end by rising rate */
    uint32_t points[2];
    const char *metric[ENCODE_FIGURES]; /* that videos are scored with beside those of the command line */
    uint32_t metrics;
    bool is_report[2][CLI_POINTS]; /* of the command line's files; the others are videos */
    struct report_file report; /* the one that was read last */
    struct bd_figure figure[ENCODE_FIGURES];
    uint32_t figures;
};

/* The points of both curves, numbers from 0. */
static inline uint32_t bd_count(const struct bd_curves *r)
{
    return r->points[0] + r->points[1];
}
static inline struct bd_point *bd_nth(struct bd_curves *r, uint32_t i)
{
    return i < r->points[0] ? &r->point[0][i] : &r->point[1][i - r->points[0]];
}

/* Makes the points: reads the reports, then scores the videos. A failure leaves some for bd_points_free. */
int bd_points(struct bd_curves *r, struct assay_error *e);
void bd_points_free(struct bd_curves *r);
int bd_too_few(unsigned which, uint32_t points, struct assay_error *e);

#endif
