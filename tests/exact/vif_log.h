/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_TESTS_EXACT_VIF_LOG_H
#define ASSAY_TESTS_EXACT_VIF_LOG_H

#include <stdint.h>

enum { VIF_LOG_BLOCK = 1024 }; /* elements per call, a multiple of every lane count */

struct vif_log_level {
    const char *name;
    void (*log)(const uint32_t *x, int32_t *y);
};

extern const struct vif_log_level vif_log_scalar, vif_log_sse4, vif_log_avx2, vif_log_avx512, vif_log_neon,
    vif_log_sabotaged, vif_log_sabotaged_table, vif_log_sabotaged_eighths;

#endif
