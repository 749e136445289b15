/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of libvmaf 3.2, served by assay: a program that was built for libvmaf.so.3 runs with this library as it
 * is. docs/ffmpeg.md says how it is put in the other's place, and where the two differ.
 *
 * Functions return 0 or a negative errno. A score that a call can't give is NaN.
 */
#ifndef ASSAY_LIBVMAF_LIBVMAF_H
#define ASSAY_LIBVMAF_LIBVMAF_H

#include <stdint.h>
#include <stdio.h> /* programs count on it */

#include "libvmaf/feature.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

enum VmafLogLevel {
    VMAF_LOG_LEVEL_NONE = 0,
    VMAF_LOG_LEVEL_ERROR,
    VMAF_LOG_LEVEL_WARNING,
    VMAF_LOG_LEVEL_INFO,
    VMAF_LOG_LEVEL_DEBUG,
};

enum VmafOutputFormat {
    VMAF_OUTPUT_FORMAT_NONE = 0,
    VMAF_OUTPUT_FORMAT_XML,
    VMAF_OUTPUT_FORMAT_JSON,
    VMAF_OUTPUT_FORMAT_CSV,
    VMAF_OUTPUT_FORMAT_SUB,
};

enum VmafPoolingMethod {
    VMAF_POOL_METHOD_UNKNOWN = 0,
    VMAF_POOL_METHOD_MIN,
    VMAF_POOL_METHOD_MAX,
    VMAF_POOL_METHOD_MEAN,
    VMAF_POOL_METHOD_HARMONIC_MEAN,
    VMAF_POOL_METHOD_NB
};

typedef struct VmafConfiguration {
    enum VmafLogLevel log_level; /* of the process, to standard error */
    unsigned n_threads;          /* that compute; 0: one. ASSAY_THREADS wins */
    unsigned n_subsample;        /* scores of pictures whose index it divides; 0 and 1: of all */
    uint64_t cpumask;            /* instruction sets that are not used, libvmaf's bits. No score depends on it */
    uint64_t gpumask;            /* not 0: a state of CUDA is not used for pictures in the host's memory */
} VmafConfiguration;

typedef struct VmafContext VmafContext;

/* Nothing is opened before the first picture. */
ASSAY_LIBVMAF_API int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg);

ASSAY_LIBVMAF_API int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model);
ASSAY_LIBVMAF_API int vmaf_use_features_from_model_collection(VmafContext *vmaf,
                                                              VmafModelCollection *model_collection);

/* A feature of libvmaf or any metric of assay, by its name. The list of options is freed when the call succeeds. */
ASSAY_LIBVMAF_API int vmaf_use_feature(VmafContext *vmaf, const char *feature_name, VmafFeatureDictionary *opts_dict);

ASSAY_LIBVMAF_API int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value,
                                                unsigned index);

/* Takes both pictures when it succeeds, and clears the structures. Both NULL: no more pictures come. Indices may come
 * in any order; pictures follow each other as they come. */
ASSAY_LIBVMAF_API int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist, unsigned index);

ASSAY_LIBVMAF_API int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score, unsigned index);
ASSAY_LIBVMAF_API int vmaf_score_at_index_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                                           VmafModelCollectionScore *score, unsigned index);
ASSAY_LIBVMAF_API int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name, double *score,
                                                  unsigned index);

/* Over the indices `index_low` to `index_high`, those left out by n_subsample excepted. */
ASSAY_LIBVMAF_API int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model, enum VmafPoolingMethod pool_method,
                                        double *score, unsigned index_low, unsigned index_high);
ASSAY_LIBVMAF_API int vmaf_score_pooled_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                                         enum VmafPoolingMethod pool_method,
                                                         VmafModelCollectionScore *score, unsigned index_low,
                                                         unsigned index_high);
ASSAY_LIBVMAF_API int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name,
                                                enum VmafPoolingMethod pool_method, double *score, unsigned index_low,
                                                unsigned index_high);

typedef struct VmafPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    unsigned pic_cnt;
} VmafPictureConfiguration;

/* Pictures whose memory is used again. */
ASSAY_LIBVMAF_API int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg);
ASSAY_LIBVMAF_API int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

ASSAY_LIBVMAF_API int vmaf_close(VmafContext *vmaf);

ASSAY_LIBVMAF_API int vmaf_write_output(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt);

ASSAY_LIBVMAF_API const char *vmaf_version(void); /* "3.2.0+assay.0.2.0" */

#ifdef __cplusplus
}
#endif
#endif
