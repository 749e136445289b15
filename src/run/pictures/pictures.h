/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of still pictures, each compared by itself: their colours, their alpha, and floats. A caller asks for one pair
 * after another, and looks at its pictures, sessions and notes in between. Results are those of report/images.h.
 */
#ifndef ASSAY_RUN_PICTURES_PICTURES_H
#define ASSAY_RUN_PICTURES_PICTURES_H

#include <assay/floats.h>

#include "input/image.h"
#include "report/images.h"
#include "run/request.h"

/* ---- ahead.c: reading the pictures of pairs that come later ---- */

/* Takes the part of a side that the request asks for. */
int image_part(struct image *image, const struct request *q, unsigned side, struct assay_error *e);

struct image_ahead;
int image_ahead_start(struct image_ahead **out, const struct images *r, const struct request *q, struct assay_error *e);
/* Takes the pictures of a pair. Pairs are taken in order. whole[side]: pixels before a part was taken. The caller frees
 * the pictures, also after a failure. */
int image_ahead_take(struct image_ahead *a, uint32_t pair, struct image image[2], uint64_t whole[2],
                     struct assay_error *e);
/* Called after a pair was taken and its pictures were freed. */
void image_ahead_done(struct image_ahead *a, uint32_t pair);
void image_ahead_stop(struct image_ahead **a);

/* ---- match.c: what two pictures have to have in common ---- */

/* Converts the pictures to one layout and depth, both with alpha or both without. ASSAY_EMISMATCH lists all differences
 * that are not allowed. */
int image_match(const struct request *q, struct image image[2], struct assay_error *e);

/* Sets *codes: whether the codes of the pictures can be compared. ASSAY_EMISMATCH when they can't and a metric needs
 * them. ASSAY_EUSAGE for a metric of colour on a picture whose colours are not known. */
int image_colours(const struct request *q, const struct image image[2], bool *codes, struct assay_error *e);
/* The format of the picture's alpha, and its own with the colours that the scores assume. */
assay_format image_alpha_format(const struct image *image);
assay_format image_scored_format(const struct request *q, const struct image *image);

/* ---- floats.c ---- */

struct image_floats {
    assay_image_figures figures;
    double relative;    /* the largest difference over the larger size of the two, of colours that are finite in both */
    uint64_t beyond[2]; /* pixels whose colours, and whose alpha, are beyond both tolerances */
    float *map[2];      /* the largest difference of the colours of each pixel, and that of alpha; or NULL */
};
bool image_is_float(const struct image *image);
/* ASSAY_EUSAGE for what can't be asked of floats. */
int image_float_allowed(const struct request *q, struct assay_error *e);
/* The caller frees `out`, also after a failure. It has maps with config.maps. */
int image_float_compare(const struct request *q, const struct image image[2], struct image_floats *out,
                        struct assay_error *e);
/* The maps alone. One that is not finite is as large as the largest finite one. */
int image_float_maps(const struct request *q, const struct image image[2], struct image_floats *out,
                     struct assay_error *e);
void image_floats_free(struct image_floats *f);
/* The largest finite one of n differences; 1 where there is none above 0. */
double image_float_peak(const float *map, size_t n);
/* Brings alpha of both to straight alpha, measures the reference's light into its format and says what samples below 0
 * count as. ASSAY_EINPUT for samples that are not finite. */
int image_float_light(struct image image[2], struct assay_error *e);
/* Makes codes of 16 bits and straight alpha of it, for metrics of colour. ASSAY_EINPUT for samples without a code. */
int image_float_code(const struct request *q, struct image *image, struct assay_error *e);
/* The same for a look: samples beyond 0 and 1 are clipped, NaN is 0. */
int image_float_show(struct image *image, struct assay_error *e);

/* ---- pictures.c ---- */

/* Refuses tolerances, where there are no floats. */
int pictures_refuse_tolerance(const struct images *r, struct assay_error *e);

/* A session, which is kept as long as the format of the pictures stays the same. */
struct scorer {
    assay_session *session;
    assay_format format, distorted;
    bool codes;
    uint64_t frame;     /* the number of the next picture */
    uint32_t own_keys;  /* of the default metrics: they come first */
    double *value;      /* of the picture that was scored last, by key */
};

struct pictures {
    const struct request *q;
    struct images *all;
    struct scorer colour, alpha, light; /* `light`: metrics of light, of pictures of floats */
    struct image_ahead *ahead;
    struct image image[2];      /* of the pair; their notices are for the user */
    struct image_floats floats; /* of a pair of floats */
    char said[4096];            /* notes that are told once, with this pair or an earlier one */
    /* What the user should know of the pair besides, in this order. */
    char notes[16384];          /* up to seven lines with a name each, and notes of sessions */
    struct left_out left_out;   /* metrics that a single pair does not allow */
    char notice[512];           /* of a session that was started, or "" */
};

/* Compares the pairs of `r`, which is filled. */
int pictures_open(struct pictures **out, struct images *r, const struct request *q, struct assay_error *e);
void pictures_close(struct pictures **x);
/* Compares pair r->done, which is read ahead of its turn. */
int pictures_next(struct pictures *x, struct assay_error *e);
/* Called after each pictures_next, also after a failure: lets go of the pair's pictures. */
void pictures_done(struct pictures *x);

#endif
