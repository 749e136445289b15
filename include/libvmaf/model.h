/* SPDX-License-Identifier: BSD-2-Clause */
/* Models of libvmaf's interface: what predicts a score, and collections of such, which say how sure it is. */
#ifndef ASSAY_LIBVMAF_MODEL_H
#define ASSAY_LIBVMAF_MODEL_H

#include <stdint.h>

#include "libvmaf/feature.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafModel VmafModel;
typedef struct VmafModelCollection VmafModelCollection;

enum VmafModelFlags {
    VMAF_MODEL_FLAGS_DEFAULT = 0,
    VMAF_MODEL_FLAG_DISABLE_CLIP = (1 << 0),
    VMAF_MODEL_FLAG_ENABLE_TRANSFORM = (1 << 1),
    VMAF_MODEL_FLAG_DISABLE_TRANSFORM = (1 << 2),
};

typedef struct VmafModelConfig {
    const char *name; /* of the score; NULL: "vmaf" */
    uint64_t flags;   /* VMAF_MODEL_FLAG_*, added */
} VmafModelConfig;

/* A built-in model by its version, or a file in libvmaf's JSON. On failure *model is NULL. A collection is refused:
 * vmaf_model_collection_load takes it. */
ASSAY_LIBVMAF_API int vmaf_model_load(VmafModel **model, VmafModelConfig *cfg, const char *version);
ASSAY_LIBVMAF_API int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg, const char *path);

/* Sets options of a feature that the model reads, "adm" or "vif", option by option. A feature that the model does not
 * read is no failure. The list of options is freed when the call succeeds. */
ASSAY_LIBVMAF_API int vmaf_model_feature_overload(VmafModel *model, const char *feature_name,
                                                  VmafFeatureDictionary *opts_dict);

ASSAY_LIBVMAF_API void vmaf_model_destroy(VmafModel *model);

enum VmafModelCollectionScoreType {
    VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
    VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP,
};

typedef struct VmafModelCollectionScore {
    enum VmafModelCollectionScoreType type;
    struct {
        double bagging_score;
        double stddev;
        struct {
            struct { double lo, hi; } p95;
        } ci;
    } bootstrap;
} VmafModelCollectionScore;

/* *model is the collection's own model, *model_collection its members. On failure both are NULL. */
ASSAY_LIBVMAF_API int vmaf_model_collection_load(VmafModel **model, VmafModelCollection **model_collection,
                                                 VmafModelConfig *cfg, const char *version);
ASSAY_LIBVMAF_API int vmaf_model_collection_load_from_path(VmafModel **model, VmafModelCollection **model_collection,
                                                           VmafModelConfig *cfg, const char *path);

ASSAY_LIBVMAF_API int vmaf_model_collection_feature_overload(VmafModel *model, VmafModelCollection **model_collection,
                                                             const char *feature_name,
                                                             VmafFeatureDictionary *opts_dict);

ASSAY_LIBVMAF_API void vmaf_model_collection_destroy(VmafModelCollection *model_collection);

#ifdef __cplusplus
}
#endif
#endif
