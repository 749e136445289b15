/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions whose frames are pairs of packed texels: the planes that metrics ask for are made of them by passes of the session's
 * own graph.
 */
#ifndef ASSAY_TEXELS_SCORE_H
#define ASSAY_TEXELS_SCORE_H

#include "engine/session.h"
#include "texels/gpu.h"

enum score_kind { SCORE_VULKAN, SCORE_OPENGL, SCORE_BOTH };

/* Where the values of a channel that have no code are counted. */
struct score_counting {
    bool counts; /* else every value has one */
    struct texel_plane_at at;
};

/* What a session of images knows of them: the session's source. */
struct score {
    enum score_kind kind;
    struct assay_gpu *gpu;    /* that it runs on */
    struct assay_gpu *opengl; /* of SCORE_BOTH: whose textures they are */
    bool staged;
    struct texel_pair pair;
    struct score_counting counting[2][4]; /* by side and channel */
    int (*ready)(const struct score *score, struct assay_error *e); /* NULL: always; see session_source */
};

/* What an ordinary session would be told of such a pair; fails when no metric can take it. */
int score_format(const struct texel_pair *pair, const assay_image_colour *colour, assay_format *format, struct assay_error *e);

/* The beginning of a public call: an error when the session can't be started, or (the second) when it is none of `kind`. */
int score_begin(struct assay_session *s);
int score_find(struct assay_session *s, enum score_kind kind, struct score **score);

/* Starts the session on like->gpu, for pairs like like->pair. `like` is copied. */
int score_start(struct assay_session *s, const struct score *like, const assay_image_colour *colour);

/* Whether a frame's images are as those that the session was started for. */
int score_check(const struct score *score, const struct texel_pair *pair, struct assay_error *e);

/* All rows, at once. */
struct gpu_band score_band(const struct score *score);

#endif
