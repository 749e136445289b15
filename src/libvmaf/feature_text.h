/* SPDX-License-Identifier: BSD-2-Clause */
/* Features by libvmaf's names, as metrics of assay with their options. */
#ifndef ASSAY_LIBVMAF_FEATURE_TEXT_H
#define ASSAY_LIBVMAF_FEATURE_TEXT_H

#include <assay/assay.h>

#include "libvmaf/dictionary.h"

/* The name of a metric's option that an entry sets. NULL: the metric has none (a WARNING), or, with a code in *rc, its
 * value can't be written as an option. */
const char *feature_option(uint32_t metric, const struct dictionary_entry *entry, int *rc);

/* Makes what assay_session_add_metric takes of a feature and its options, which may be NULL. 0 and a text that the
 * caller frees, or -EINVAL with a line in the log, or -ENOMEM. */
int feature_metric(char **text, const char *name, const VmafFeatureDictionary *options);

#endif
