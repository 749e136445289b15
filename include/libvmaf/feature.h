/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a feature of libvmaf's interface: a list of names and values. */
#ifndef ASSAY_LIBVMAF_FEATURE_H
#define ASSAY_LIBVMAF_FEATURE_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASSAY_LIBVMAF_API __attribute__((visibility("default")))
#else
#define ASSAY_LIBVMAF_API
#endif

typedef struct VmafFeatureDictionary VmafFeatureDictionary;

/* Sets an option, and makes the list where *dict is NULL. A number is kept with six digits, as libvmaf keeps it. */
ASSAY_LIBVMAF_API int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *val);

/* Frees the list and sets *dict to NULL. */
ASSAY_LIBVMAF_API int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict);

#ifdef __cplusplus
}
#endif
#endif
