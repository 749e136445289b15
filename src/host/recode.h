/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of one side in the form that both sides of a pair share: the common size, layout and depth. */
#ifndef ASSAY_HOST_RECODE_H
#define ASSAY_HOST_RECODE_H

#include <assay/assay.h>
#include <stdbool.h>

#include "host/error.h"

struct recode {
    assay_format from, to; /* `to` has the alpha of `from` */
    bool equal;            /* the samples are those of `from`: nothing is left out, and no code changes */
    uint16_t *code[3];     /* by codes of `from` those of `to`: of luma, R, G and B; of chroma; of alpha. NULL: equal */
};

/* What the two formats say of colour does not count, but for the range of `from`. `to` is not larger than `from` and
 * not of a smaller depth; its layout is that of `from`, or 4:0:0. Fails where there is no memory for the tables. After
 * a failure recode_free is called, too. */
int recode_init(struct recode *r, const assay_format *from, const assay_format *to, struct assay_error *e);
void recode_free(struct recode *r);

/* Writes the top left part of a picture, but for planes of `to` that are NULL. Several threads may do it at once. */
void recode_picture(const struct recode *r, const assay_picture *from, const assay_buffer *to);

#endif
