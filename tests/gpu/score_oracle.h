/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scores of images that are on a device against those of an ordinary session on the CPU, which gets the same texels as
 * planes: plain loops make them.
 */
#ifndef ASSAY_TESTS_GPU_SCORE_ORACLE_H
#define ASSAY_TESTS_GPU_SCORE_ORACLE_H

#include "gpu/texel_oracle.h"

/* Rectangles of one pair of images, and what they are scored with. */
struct score_case {
    const struct host_image *image; /* two for each pair of a sequence, which goes round */
    unsigned pairs;                 /* 0 stands for 1 */
    uint32_t x[2], y[2], w, h;
    const char *metrics;            /* separated by blanks; NULL: all that such a picture allows */
    assay_gpu_options colour;
};

/* Metrics that pictures of any size have. */
#define SCORE_FEW "psnr=enable_all=true:enable_mse=true:enable_apsnr=true:min_sse=1 diff=per_plane=true"

/* Makes the case one of rectangles of equal size, of the same images, with nothing else stated. */
void score_cut(struct score_case *c, assay_rectangle reference, assay_rectangle distorted);

/* A session with the metrics, not yet started; ends the program when there is none. */
assay_session *score_session(const struct score_case *c);

/* Adds the metrics of a case without any for the pictures that the session will get. */
void score_add_all(assay_session *s, const struct score_case *c);

/* Whether the `frames` frames of a session that was just flushed, which runs on `backend`, have the scores and
 * aggregates of the CPU's session; and whether all passes of all its frames ran on the device, on nothing but the
 * texels. Says on stderr where not, but for scores when `what` is NULL. */
bool score_same(assay_session *s, const struct score_case *c, unsigned frames, const char *backend, const char *what);

/* score_same for a session whose start and submits gave `rc`: flushes it first, and says what went wrong. */
bool score_flushed(assay_session *s, int rc, const struct score_case *c, unsigned frames, const char *backend,
                   const char *what);

/* As many of the catalogue's metrics as score_same has compared so far; says on stderr which are missing. */
bool score_saw_catalogue(void);

#endif
