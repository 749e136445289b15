/* SPDX-License-Identifier: BSD-2-Clause */
/* assay image: two pictures, two folders of them, or one picture and a folder. */
#ifndef ASSAY_CLI_IMAGE_IMAGE_H
#define ASSAY_CLI_IMAGE_IMAGE_H

#include <assay/gpu.h>

#include "cli/cli.h"
#include "input/image.h"
#include "report/grid.h"

enum { IMAGE_KEYS = 512 };

struct image_pair {
    char *name;             /* of the file in both folders, or of the distorted file */
    char *path[2];
    int code;               /* 0: compared; else why not, in `error` */
    char *error;
    assay_format format;
    bool alpha;
    bool floats;
    bool codes;             /* codes are compared; false: they stand for different colours, only colours are compared */
    bool colour_unknown;    /* the pair was not compared because its colours are not known */
    char reader[2][96], colour[2][128];
    uint64_t bytes[2];      /* of the files; 0: not known, as of a pipe */
    uint64_t whole[2];      /* pixels of the files' pictures, of which a part may be compared */
    uint32_t orientation[2]; /* that the files state, and that was applied */
    uint32_t figures;       /* in this order: of the default metrics, of the user's metrics, of alpha */
    uint32_t first_other, first_alpha;
    const char **key;       /* borrowed from the run's list of names */
    double *value;
    bool differs;           /* in any sample, alpha included */
    bool failed;            /* a gate */
    bool drawn;             /* a heatmap was written */
};

/* Something in a folder that is not compared. */
struct image_left {
    char *path;
    const char *why; /* a constant */
    bool folder;     /* nothing in it is compared */
};

struct image_run {
    const struct cli *cli;
    bool folders;           /* the distorted side is one */
    struct image_pair *pair;
    uint32_t pairs;
    uint32_t done;          /* pairs so far, compared or failed; a run that broke off leaves the others out */
    const char *reason;     /* why `done` is not `pairs`, or NULL */
    char **only[2];         /* names of files that only this folder has, sorted */
    uint32_t alone[2];
    struct image_left *left;
    uint32_t lefts;
    char *key[IMAGE_KEYS];  /* the keys of all pairs so far */
    signed char direction[IMAGE_KEYS]; /* of assay.h, of each; ASSAY_NEUTRAL where no session has said it */
    uint32_t keys;
    char backend[32], device[128], driver[128]; /* that compared the images */
    char *configuration;    /* of the first pair that was compared */
};

/* ---- image_colour.c ---- */

bool image_metric_of_colour(const char *metric);
bool image_asks_for_colour(const struct cli *c);
/* Sets *codes: whether the codes of the two images can be compared. ASSAY_EMISMATCH when they can't and a metric needs
 * them. ASSAY_EUSAGE for a metric of colour on an image whose colours are not known. */
int image_colours(const struct cli *c, const struct image image[2], bool *codes, struct assay_error *e);
/* The image's format with the colours that the scores assume. */
assay_format image_scored_format(const struct cli *c, const struct image *image);

/* ---- image_float.c: images of floats ---- */

struct image_floats {
    assay_image_figures figures;
    double relative;    /* the largest difference over the larger size of the two, of colours that are finite in both */
    uint64_t beyond[2]; /* pixels whose colours, and whose alpha, are beyond both tolerances */
    float *map[2];      /* with --heatmap: the largest difference of the colours of each pixel, and that of alpha */
};
bool image_is_float(const struct image *image);
/* ASSAY_EUSAGE for what can't be asked of floats. */
int image_float_allowed(const struct cli *c, struct assay_error *e);
/* The caller frees `out`, also after a failure. */
int image_float_compare(const struct cli *c, const struct image image[2], struct image_floats *out,
                        struct assay_error *e);
void image_floats_free(struct image_floats *f);
/* Draws the map of the colours or of alpha as --heatmap does: FOLDER/STEM.diff.png. */
int image_float_draw(const struct cli *c, const struct image_floats *f, const assay_format *format, bool alpha,
                     const char *stem, struct assay_error *e);
/* Brings alpha of both to straight alpha, measures the reference's light into its format and says what samples below 0
 * count as. ASSAY_EINPUT for samples that are not finite. */
int image_float_light(struct image image[2], struct assay_error *e);
/* Makes codes of 16 bits and straight alpha of it, for metrics of colour. ASSAY_EINPUT for samples without a code. */
int image_float_code(const struct cli *c, struct image *image, struct assay_error *e);

/* The largest difference of the colours of each pixel, or that of alpha; one that is not finite is as large as the
 * largest finite one. The caller frees it. NULL after a failure. */
float *image_float_map(const struct cli *c, const struct image image[2], bool alpha, struct assay_error *e);
/* Makes codes of 16 bits and straight alpha of it, for a look: samples beyond 0 and 1 are clipped, NaN is 0. */
int image_float_show(struct image *image, struct assay_error *e);

/* ---- image_html.c: the page, with pictures of the worst pairs, which are read again ---- */

int image_html(const struct image_run *r, const char *path, struct assay_error *e);

/* ---- image_match.c ---- */

/* Converts the images to one layout and depth, both with alpha or both without. ASSAY_EMISMATCH lists all differences
 * that are not allowed. */
int image_match(const struct cli *c, struct image image[2], struct assay_error *e);

/* ---- image_list.c: which files are compared with which ---- */

int image_list(struct image_run *r, struct assay_error *e);
void image_list_free(struct image_run *r);

/* ---- image_ahead.c: reading the images of pairs that come later ---- */

struct image_ahead;
int image_ahead_start(struct image_ahead **out, const struct image_run *r, struct assay_error *e);
/* Takes the images of a pair. Pairs are taken in order. whole[side]: pixels before a part was taken. The caller frees
 * the images, also after a failure. */
int image_ahead_take(struct image_ahead *a, uint32_t pair, struct image image[2], uint64_t whole[2],
                     struct assay_error *e);
/* Called after a pair was taken and its images were freed. */
void image_ahead_done(struct image_ahead *a, uint32_t pair);
void image_ahead_stop(struct image_ahead **a);

/* ---- image_gates.c ---- */

/* Checks the gates of a pair and sets `failed`. ASSAY_EUSAGE for a gate on a figure that no such pair has. In a run of
 * folders other pairs may have that figure: there image_gates_known refuses the gate at the end. */
int image_gates(const struct image_run *r, struct image_pair *p, struct assay_error *e);
/* Sets *value to what a gate is on: the pair's figure, in percent of the picture's pixels where the limit is. False:
 * the pair has no such figure. */
bool image_gate_value(const struct image_pair *p, const struct gate *g, double *value);
int image_gates_known(const struct image_run *r, struct assay_error *e);
/* Prints the gates, and a line when alpha differs and no gate is on it. */
void image_print_gates(const struct image_run *r, FILE *out);

/* ---- image_report.c: counts and JSON ---- */

/* The figure of a pair by its key, or NULL. */
const double *image_figure(const struct image_pair *p, const char *key);
/* Bits of a side's file for each pixel of its picture; 0: not known. */
double image_bits_per_pixel(const struct image_pair *p, unsigned side);
/* "equal", "differs", "pass", "FAIL" or "error" */
const char *image_result(const struct cli *c, const struct image_pair *p);
/* The lower one of the PSNR of the colours and the PSNR of alpha. PSNR ranks pairs of different size and depth. */
double image_least_psnr(const struct image_pair *p);
int image_csv(const struct image_run *r, const char *path, struct assay_error *e);
int image_json(const struct image_run *r, const char *path, struct assay_error *e);

/* The pairs of a run, counted by result. A pair that failed a gate is counted as equal or different too. */
struct image_count {
    uint32_t equal, differ, failed, errors, unpaired;
    const struct image_pair *worst; /* the pair of least PSNR that differs; NULL: none differs */
    double psnr;                    /* of `worst` */
};
struct image_count image_count(const struct image_run *r);

/* ---- image_table.c: tables on the terminal ---- */

/* Prints the result of two files: a line per channel, then the figures of the user's metrics. */
void image_print(const struct image_run *r, FILE *out);
/* Prints the line of a pair of two folders when its result is known. The columns are named before the first line, and
 * again before a pair that has other figures. */
enum { IMAGE_OTHERS = 8, IMAGE_COLUMNS = 7 + IMAGE_OTHERS };
struct image_rows {
    const struct image_pair *shaped; /* the pair that named the columns; NULL: none yet */
    uint32_t others;                 /* columns of other metrics */
    struct grid_column column[IMAGE_COLUMNS];
};
void image_print_row(struct image_rows *t, const struct cli *c, const struct image_pair *p, FILE *out);
/* Prints the files without a partner, the files and folders left out, and the counts. */
void image_print_end(const struct image_run *r, FILE *out);

#endif
