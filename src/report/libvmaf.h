/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of the columns of libvmaf's reports. */
#ifndef ASSAY_REPORT_LIBVMAF_H
#define ASSAY_REPORT_LIBVMAF_H

#include <assay/assay.h>
#include <stdbool.h>

/* Whether libvmaf knows the values of a key behind the last picture only. */
bool libvmaf_known_at_end(const char *key);

/* Writes the session's keys in the order of libvmaf's reports to column[0] and on, and returns how many there are. The
 * session's first metrics are models: model[i] is the key of metric number i. Without `predicted` the keys of models
 * are left out. */
uint32_t libvmaf_columns(const assay_session *s, const char *const *model, uint32_t models, bool predicted,
                         uint32_t *column);

#endif
