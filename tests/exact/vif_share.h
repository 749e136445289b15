/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_TESTS_EXACT_VIF_SHARE_H
#define ASSAY_TESTS_EXACT_VIF_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct vif_share_case {
    int32_t s1, s2, s12;
};

struct vif_share_result {
    uint32_t rest, kept;
    bool sure;
};

/* Scalar builds of vif_share_exact and vif_share_quick (kernels/vif_share.h); `sabotaged` has a wrong constant. */
struct vif_share_forms {
    struct vif_share_result (*exact)(struct vif_share_case c, double limit);
    struct vif_share_result (*quick)(struct vif_share_case c, int whole_limit);
};

extern const struct vif_share_forms vif_share_right, vif_share_sabotaged;

#endif
