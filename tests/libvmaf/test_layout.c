/* SPDX-License-Identifier: BSD-2-Clause */
/* The sizes, offsets and numbers that programs built for libvmaf 3.2 on x86-64 and aarch64 have in their code. */
#include <libvmaf.h> /* by the second folder of libvmaf.pc, as ffmpeg includes it */
#include <libvmaf/libvmaf_cuda.h>
#include <libvmaf/version.h>
#include <stddef.h>

#define IS(what, value) _Static_assert((what) == (value), #what)

IS(sizeof(VmafPicture), 96);
IS(offsetof(VmafPicture, pix_fmt), 0);
IS(offsetof(VmafPicture, bpc), 4);
IS(offsetof(VmafPicture, w), 8);
IS(offsetof(VmafPicture, h), 20);
IS(offsetof(VmafPicture, stride), 32);
IS(offsetof(VmafPicture, data), 56);
IS(offsetof(VmafPicture, ref), 80);
IS(offsetof(VmafPicture, priv), 88);

IS(sizeof(VmafConfiguration), 32);
IS(offsetof(VmafConfiguration, log_level), 0);
IS(offsetof(VmafConfiguration, n_threads), 4);
IS(offsetof(VmafConfiguration, n_subsample), 8);
IS(offsetof(VmafConfiguration, cpumask), 16);
IS(offsetof(VmafConfiguration, gpumask), 24);

IS(sizeof(VmafModelConfig), 16);
IS(offsetof(VmafModelConfig, name), 0);
IS(offsetof(VmafModelConfig, flags), 8);

IS(sizeof(VmafModelCollectionScore), 40);
IS(offsetof(VmafModelCollectionScore, type), 0);
IS(offsetof(VmafModelCollectionScore, bootstrap.bagging_score), 8);
IS(offsetof(VmafModelCollectionScore, bootstrap.stddev), 16);
IS(offsetof(VmafModelCollectionScore, bootstrap.ci.p95.lo), 24);
IS(offsetof(VmafModelCollectionScore, bootstrap.ci.p95.hi), 32);

IS(sizeof(VmafPictureConfiguration), 20);
IS(offsetof(VmafPictureConfiguration, pic_params.w), 0);
IS(offsetof(VmafPictureConfiguration, pic_params.h), 4);
IS(offsetof(VmafPictureConfiguration, pic_params.bpc), 8);
IS(offsetof(VmafPictureConfiguration, pic_params.pix_fmt), 12);
IS(offsetof(VmafPictureConfiguration, pic_cnt), 16);

IS(sizeof(VmafCudaPictureConfiguration), 20);
IS(offsetof(VmafCudaPictureConfiguration, pic_prealloc_method), 16);
IS(sizeof(VmafCudaConfiguration), 8);

IS(VMAF_LOG_LEVEL_NONE, 0);
IS(VMAF_LOG_LEVEL_ERROR, 1);
IS(VMAF_LOG_LEVEL_WARNING, 2);
IS(VMAF_LOG_LEVEL_INFO, 3);
IS(VMAF_LOG_LEVEL_DEBUG, 4);
IS(VMAF_OUTPUT_FORMAT_NONE, 0);
IS(VMAF_OUTPUT_FORMAT_XML, 1);
IS(VMAF_OUTPUT_FORMAT_JSON, 2);
IS(VMAF_OUTPUT_FORMAT_CSV, 3);
IS(VMAF_OUTPUT_FORMAT_SUB, 4);
IS(VMAF_POOL_METHOD_UNKNOWN, 0);
IS(VMAF_POOL_METHOD_MIN, 1);
IS(VMAF_POOL_METHOD_MAX, 2);
IS(VMAF_POOL_METHOD_MEAN, 3);
IS(VMAF_POOL_METHOD_HARMONIC_MEAN, 4);
IS(VMAF_POOL_METHOD_NB, 5);
IS(VMAF_PIX_FMT_UNKNOWN, 0);
IS(VMAF_PIX_FMT_YUV420P, 1);
IS(VMAF_PIX_FMT_YUV422P, 2);
IS(VMAF_PIX_FMT_YUV444P, 3);
IS(VMAF_PIX_FMT_YUV400P, 4);
IS(VMAF_MODEL_FLAGS_DEFAULT, 0);
IS(VMAF_MODEL_FLAG_DISABLE_CLIP, 1);
IS(VMAF_MODEL_FLAG_ENABLE_TRANSFORM, 2);
IS(VMAF_MODEL_FLAG_DISABLE_TRANSFORM, 4);
IS(VMAF_MODEL_COLLECTION_SCORE_UNKNOWN, 0);
IS(VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP, 1);
IS(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE, 0);
IS(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE, 1);
IS(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST, 2);
IS(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED, 3);
IS(VMAF_API_VERSION_MAJOR, 3);
IS(VMAF_API_VERSION_MINOR, 2);
IS(VMAF_API_VERSION_PATCH, 0);

/* All functions, so that the linker looks for each, as for a program with BIND_NOW. */
int main(void)
{
    void (*const all[])(void) = {
#define F(name) (void (*)(void))vmaf_##name
        F(version), F(init), F(close), F(use_feature), F(use_features_from_model),
        F(use_features_from_model_collection), F(import_feature_score), F(read_pictures), F(score_at_index),
        F(score_at_index_model_collection), F(feature_score_at_index), F(score_pooled),
        F(score_pooled_model_collection), F(feature_score_pooled), F(preallocate_pictures),
        F(fetch_preallocated_picture), F(write_output), F(picture_alloc), F(picture_unref), F(model_load),
        F(model_load_from_path), F(model_feature_overload), F(model_destroy), F(model_collection_load),
        F(model_collection_load_from_path), F(model_collection_feature_overload), F(model_collection_destroy),
        F(feature_dictionary_set), F(feature_dictionary_free), F(cuda_state_init), F(cuda_import_state),
        F(cuda_preallocate_pictures), F(cuda_fetch_preallocated_picture)};
    IS(sizeof all / sizeof all[0], 33);
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!all[i])
            return 1;
    return 0;
}
