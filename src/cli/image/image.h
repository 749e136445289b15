/* SPDX-License-Identifier: BSD-2-Clause */
/* assay image: two pictures, two folders of them, or one picture and a folder. */
#ifndef ASSAY_CLI_IMAGE_IMAGE_H
#define ASSAY_CLI_IMAGE_IMAGE_H

#include "cli/cli.h"
#include "report/progress.h"
#include "run/pictures/pictures.h"

/* ---- list.c: which files are compared with which ---- */

int image_list(struct images *r, const struct cli *c, struct assay_error *e);

/* ---- compare.c: one pair ---- */

/* Compares the next pair, says what the user should know of it, and draws where it differs. */
int image_compare(struct pictures *x, const struct cli *c, struct progress *progress, struct assay_error *e);

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
