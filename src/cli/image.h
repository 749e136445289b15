/* SPDX-License-Identifier: BSD-2-Clause */
/* assay image: single pictures, or two folders of them. */
#ifndef ASSAY_CLI_IMAGE_H
#define ASSAY_CLI_IMAGE_H

#include "cli/cli.h"
#include "input/image.h"

enum { IMAGE_KEYS = 512 };

struct image_pair {
    char *name;             /* of the file in both folders, or of the distorted one */
    char *path[2];
    int code;               /* 0: compared; else why not, in `error` */
    char *error;
    assay_format format;
    bool alpha;
    char reader[2][96], colour[2][128];
    uint32_t figures;       /* first those of the regression questions, then what other metrics say, then alpha's */
    uint32_t first_other, first_alpha;
    const char **key;       /* borrowed from the run's list of names */
    double *value;
    bool differs;           /* in any sample, alpha included */
    bool failed;            /* a gate */
    bool drawn;             /* a heatmap was written */
};

struct image_run {
    const struct cli *cli;
    bool folders;
    struct image_pair *pair;
    uint32_t pairs;
    char **only[2];         /* names that one folder has alone, sorted */
    uint32_t alone[2];
    char *key[IMAGE_KEYS];  /* every key that came up */
    uint32_t keys;
    char backend[32], device[128], driver[128]; /* what compared */
    char *configuration;    /* of the first pair that was compared */
};

/* ---- image_list.c: which files are compared with which ---- */

int image_list(struct image_run *r, struct assay_error *e);
void image_list_free(struct image_run *r);

/* ---- image_report.c ---- */

/* The figure of a pair by its key, or NULL. */
const double *image_figure(const struct image_pair *p, const char *key);
/* Checks the gates of a pair and sets `failed`; ASSAY_EUSAGE for a figure that the pair does not have. */
int image_gates(const struct cli *c, struct image_pair *p, struct assay_error *e);
void image_print(const struct image_run *r, FILE *out);
void image_print_gates(const struct image_run *r, FILE *out);
int image_json(const struct image_run *r, const char *path, struct assay_error *e);

#endif
