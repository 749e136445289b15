/* SPDX-License-Identifier: BSD-2-Clause */
/* assay image: two pictures, two folders of them, or one picture and a folder. */
#ifndef ASSAY_CLI_IMAGE_IMAGE_H
#define ASSAY_CLI_IMAGE_IMAGE_H

#include "cli/cli.h"
#include "run/pictures/pictures.h"

/* ---- list.c: which files are compared with which ---- */

int image_list(struct images *r, const struct cli *c, struct assay_error *e);

#endif
