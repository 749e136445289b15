/* SPDX-License-Identifier: BSD-2-Clause */
/* assay image: two pictures, two folders of them, or one picture and a folder. */
#ifndef ASSAY_CLI_IMAGE_IMAGE_H
#define ASSAY_CLI_IMAGE_IMAGE_H

#include <assay/gpu.h>

#include "cli/cli.h"
#include "input/image.h"
#include "report/images.h"
#include "report/progress.h"

/* ---- list.c: which files are compared with which ---- */

int image_list(struct images *r, const struct cli *c, struct assay_error *e);

/* ---- ahead.c: reading the images of pairs that come later ---- */

/* Takes the part of a side that --crop-ref and --crop-dis ask for. */
int image_part(struct image *image, const struct cli *c, unsigned side, struct assay_error *e);

struct image_ahead;
int image_ahead_start(struct image_ahead **out, const struct images *r, const struct cli *c, struct assay_error *e);
/* Takes the images of a pair. Pairs are taken in order. whole[side]: pixels before a part was taken. The caller frees
 * the images, also after a failure. */
int image_ahead_take(struct image_ahead *a, uint32_t pair, struct image image[2], uint64_t whole[2],
                     struct assay_error *e);
/* Called after a pair was taken and its images were freed. */
void image_ahead_done(struct image_ahead *a, uint32_t pair);
void image_ahead_stop(struct image_ahead **a);

/* ---- match.c: what two images have to have in common ---- */

/* Converts the images to one layout and depth, both with alpha or both without. ASSAY_EMISMATCH lists all differences
 * that are not allowed. */
int image_match(const struct cli *c, struct image image[2], struct assay_error *e);

bool image_metric_of_colour(const char *metric);
bool image_asks_for_colour(const struct cli *c);
/* Sets *codes: whether the codes of the two images can be compared. ASSAY_EMISMATCH when they can't and a metric needs
 * them. ASSAY_EUSAGE for a metric of colour on an image whose colours are not known. */
int image_colours(const struct cli *c, const struct image image[2], bool *codes, struct assay_error *e);
/* The image's format with the colours that the scores assume. */
assay_format image_scored_format(const struct cli *c, const struct image *image);

/* ---- float.c: images of floats ---- */

struct image_floats {
    assay_image_figures figures;
    double relative;    /* the largest difference over the larger size of the two, of colours that are finite in both */
    uint64_t beyond[2]; /* pixels whose colours, and whose alpha, are beyond both tolerances */
    float *map[2];      /* the largest difference of the colours of each pixel, and that of alpha; or NULL */
};
bool image_is_float(const struct image *image);
/* ASSAY_EUSAGE for what can't be asked of floats. */
int image_float_allowed(const struct cli *c, struct assay_error *e);
/* The caller frees `out`, also after a failure. It has maps with --heatmap. */
int image_float_compare(const struct cli *c, const struct image image[2], struct image_floats *out,
                        struct assay_error *e);
/* The maps alone. One that is not finite is as large as the largest finite one. */
int image_float_maps(const struct cli *c, const struct image image[2], struct image_floats *out, struct assay_error *e);
void image_floats_free(struct image_floats *f);
/* Draws the map of the colours or of alpha as --heatmap does: FOLDER/STEM.diff.png. */
int image_float_draw(const struct cli *c, const struct image_floats *f, const assay_format *format, bool alpha,
                     const char *stem, struct assay_error *e);
/* Brings alpha of both to straight alpha, measures the reference's light into its format and says what samples below 0
 * count as. ASSAY_EINPUT for samples that are not finite. */
int image_float_light(struct image image[2], struct assay_error *e);
/* Makes codes of 16 bits and straight alpha of it, for metrics of colour. ASSAY_EINPUT for samples without a code. */
int image_float_code(const struct cli *c, struct image *image, struct assay_error *e);
/* The same for a look: samples beyond 0 and 1 are clipped, NaN is 0. */
int image_float_show(struct image *image, struct assay_error *e);

/* ---- compare.c: one pair ---- */

/* Refuses tolerances, where there are no floats. */
int image_refuse_tolerance(const struct images *r, struct assay_error *e);

struct comparison;
int comparison_open(struct comparison **out, struct images *r, const struct cli *c, struct progress *progress,
                    struct assay_error *e);
void comparison_close(struct comparison **c);
/* Compares the next pair, which is read ahead of its turn. */
int comparison_next(struct comparison *c, struct assay_error *e);

/* ---- gates.c ---- */

/* Checks the gates of a pair and sets `failed`. ASSAY_EUSAGE for a gate on a figure that no such pair has. In a run of
 * folders other pairs may have that figure: there image_gates_known refuses the gate at the end. */
int image_gates(const struct images *r, struct image_pair *p, struct assay_error *e);
int image_gates_known(const struct images *r, struct assay_error *e);
/* Prints the gates, and a line when alpha differs and no gate is on it. */
void image_print_gates(const struct images *r, FILE *out);

/* ---- pictures.c: of the pairs that the page shows, whose files are read again ---- */

int image_pictures(const struct images *r, const struct cli *c, struct image_pair *const *order, struct assay_error *e);

#endif
