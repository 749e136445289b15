/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The results of several encodes of one reference. Encodes may have different scores: one of grey pictures has none of
 * chroma. So a figure is found by its encode and its key. The number of a column of one encode's scores means nothing
 * in another's, and every form of report asks here.
 */
#ifndef ASSAY_RESULTS_ENCODES_H
#define ASSAY_RESULTS_ENCODES_H

#include "results/results.h"

/* A name that at least one encode has. */
struct encodes_key {
    const char *key;
    int direction; /* of a score, as the first encode that has it states it */
    bool shown;    /* a score: an encode has it that shows it, and it is no position of a pixel. The others: true */
};

/* The names that encodes have, each once: of the scores of frames, and of figures of the whole run. They stand in each
 * encode's order; one that encodes before lack follows the name that it has in front of it. */
struct encodes_keys {
    uint32_t scores, wholes;
    struct encodes_key *score, *whole;
};
int encodes_keys_find(struct encodes_keys *all, const struct stored *encode, uint32_t encodes,
                      struct assay_error *e);
void encodes_keys_free(struct encodes_keys *all);

/* The percentile of a score that says how bad the bad frames are. */
static inline const char *direction_tail(int direction)
{
    return direction == ASSAY_LOWER ? "p95" : "p5";
}

/* Whether an encode has frames with scores. */
bool encode_scored(const struct stored *x);

/* Sets *column to the place of a score in x->scores, for walks over rows. False: the encode has no frame with it. */
bool encode_column(const struct stored *x, const char *key, uint32_t *column);

/* Sets *value to a pooled score; to a figure of the whole run; *row to the row of the worst frame by a score. False
 * (and NaN): the encode lacks it. */
bool encode_pooled(const struct stored *x, const char *key, const char *pool, double *value);
bool encode_whole(const struct stored *x, const char *key, double *value);
bool encode_worst(const struct stored *x, const char *key, uint64_t *row);

/* The bytes of an image's file; 0 of anything else, and of a pipe. Its bits per pixel, or NaN. */
double encode_image_bytes(const struct stored *x);
double encode_bits_per_pixel(const struct stored *x);

/* Whether all encodes that were scored are images, which have bytes and no bit rate. False without a scored one. */
bool encodes_only_images(const struct stored *encode, uint32_t encodes);

/* Whether all encodes that were scored were compared at one size. */
bool encodes_one_size(const struct stored *encode, uint32_t encodes);

#endif
