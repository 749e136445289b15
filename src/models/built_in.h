/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that tools/models.py makes of models.txt. Doubles stand as their bits. */
#ifndef ASSAY_MODELS_BUILT_IN_H
#define ASSAY_MODELS_BUILT_IN_H

#include <stdint.h>

struct built_in_svr {
    uint32_t first_word, first_vector, first_coefficient; /* indices of tables; a row has as many words as features */
    uint32_t features, vectors;
    uint64_t gamma, rho, bound;
};

struct built_in_model {
    const char *version, *other; /* other: the model for pictures of the other height, or "" */
    uint32_t height, features;
    uint32_t first_name, first_number, first_predictor; /* indices of tables */
    uint32_t predictors;
    uint64_t low, high, chroma;
    uint8_t has[3];
    uint64_t p[3];
    uint8_t out_lte_in, out_gte_in, on;
};

extern const uint32_t built_in_words[];      /* the elements of rows */
extern const uint64_t built_in_others[];     /* elements that a word can't hold */
extern const uint16_t built_in_vectors[];
extern const uint64_t built_in_coefficients[];
extern const struct built_in_svr built_in_svrs[];
extern const char *const built_in_names[], *const built_in_options[];
extern const uint64_t built_in_numbers[];    /* of each predictor: slope and intercept of the score and the features */
extern const uint32_t built_in_predictors[]; /* the machine of each predictor */
extern const struct built_in_model built_in_models[];
extern const uint32_t built_in_count;

#endif
