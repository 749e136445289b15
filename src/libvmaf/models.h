/* SPDX-License-Identifier: BSD-2-Clause */
/* Models by libvmaf's functions: an assay_model with the name of its score and the options that were set. */
#ifndef ASSAY_LIBVMAF_MODELS_H
#define ASSAY_LIBVMAF_MODELS_H

#include <assay/assay.h>
#include <libvmaf/model.h>

enum { FEATURE_NAME = 400 };

struct VmafModel {
    char *name;     /* of its score */
    char *metric;   /* as for assay_model_open, without `options` */
    VmafFeatureDictionary *options; /* that were set: "adm.adm_enhn_gain_limit" */
    assay_model *model;
    char (*feature)[FEATURE_NAME]; /* the names that the store has for the model's features */
};

/* The members of a collection. */
struct VmafModelCollection {
    struct VmafModel own; /* the same model again, which gives the members' scores, too */
    uint32_t members;
};

enum { COLLECTION_FIGURES = 4 }; /* bagging, stddev, ci_p95_lo, ci_p95_hi, behind the members */

/* The name of score `score` of a collection, from 1 on: "vmaf_0001", "vmaf_bagging". The caller frees it. NULL: there
 * is no memory. */
char *collection_score_name(const VmafModelCollection *collection, uint32_t score);

#endif
