/* SPDX-License-Identifier: BSD-2-Clause */
/* assay bdrate: two rate-distortion curves, and how they are shown. */
#ifndef ASSAY_CLI_BDRATE_H
#define ASSAY_CLI_BDRATE_H

#include "cli/cli.h"
#include "report/encode.h"

struct bd_point {
    const char *path;
    double kbps;
    const char *rate_of; /* what has this rate: "video track", "file", "given", or "" where a report does not say */
    struct encode encode;
};

/* A figure of both curves, and what came of it by each method that was asked for. */
struct bd_figure {
    const struct gate *of;
    char name[sizeof((struct gate *)0)->key + 1 + sizeof((struct gate *)0)->pool_name]; /* "vmaf", "vmaf.p5" */
    uint32_t index; /* in encode.figure */
    int direction;  /* of assay.h */
    struct bdrate result[BDRATE_METHODS];
};

struct bd_run {
    const struct cli *cli;
    struct bd_point point[2][CLI_POINTS]; /* of the anchor and of the test, by rising rate */
    struct bd_figure figure[ENCODE_FIGURES];
    uint32_t figures;
};

extern const char *const bd_curve_name[2];

/* The table on standard output. Names of files and figures are cut where they would make it wider than 80 columns. */
void bd_print(const struct bd_run *r, FILE *out);
/* The points and the results for programs; and the results alone, a line each (RFC 4180). */
int bd_json(const struct bd_run *r, const char *path, struct assay_error *e);
int bd_csv(const struct bd_run *r, const char *path, struct assay_error *e);

#endif
