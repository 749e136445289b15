/* SPDX-License-Identifier: BSD-2-Clause */
/* vif_log of kernels/vif_log.h over an array, built once per instruction set with LANES and VIF_LOG_LEVEL. With
 * SABOTAGE the last digits of a constant are wrong, and of one of those for PICK_32 and for PICK_8. */
#include "exact/vif_log.h"

#define TILE_W 16 /* the header wants a tile; none is used here */
#define TILE_H 16
#include "kernels/dialect/c.h"

#ifdef SABOTAGE
#undef VIF_LOG_1
#define VIF_LOG_1 3713519.5f
#undef VIF_LOG_0_13
#define VIF_LOG_0_13 -5416810.0f
#undef VIF_LOG8_1_3
#define VIF_LOG8_1_3 3373811.5f
#endif

#include "kernels/vif_log.h"

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

static void log_of_block(const uint32_t *x, int32_t *y)
{
    for (int i = 0; i < VIF_LOG_BLOCK; i += LANES) {
        const i32 v = vif_log(load_u32(x + i));
        memcpy(y + i, &v, sizeof v);
    }
}

const struct vif_log_level JOIN(vif_log_, VIF_LOG_LEVEL) = {TEXT(VIF_LOG_LEVEL), log_of_block};
