/* SPDX-License-Identifier: BSD-2-Clause */
/* kernels/adm_int_direction.h over arrays, built once per instruction set with LANES and ADM_DIRECTION_LEVEL. With
 * SABOTAGE the float form is never unsure. */
#include "exact/adm_direction.h"

#define TILE_W 16 /* the header wants a tile; none is used here */
#define TILE_H 16
#include "kernels/dialect/c.h"

#ifdef SABOTAGE
#undef ADM_INT_NEAR
#define ADM_INT_NEAR 0.0f
#endif

#include "kernels/adm_int_direction.h"

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

static void of_16(const int32_t v[4][ADM_DIRECTION_BLOCK], int32_t *yes)
{
    for (int i = 0; i < ADM_DIRECTION_BLOCK; i += LANES) {
        const u32 o = (load_u32(v[0] + i) & 0xffffu) | shl_u32(load_u32(v[1] + i), 16);
        const u32 t = (load_u32(v[2] + i) & 0xffffu) | shl_u32(load_u32(v[3] + i), 16);
        const i32 r = sel_i32(adm_int_same_direction_16(o, t), I32(1), I32(0));
        memcpy(yes + i, &r, sizeof r);
    }
}

static void of_32(const int32_t v[4][ADM_DIRECTION_BLOCK], int32_t *yes)
{
    for (int i = 0; i < ADM_DIRECTION_BLOCK; i += LANES) {
        const i32 r = sel_i32(adm_int_same_direction_32(load_i32(v[0] + i), load_i32(v[1] + i), load_i32(v[2] + i),
                                                        load_i32(v[3] + i)), I32(1), I32(0));
        memcpy(yes + i, &r, sizeof r);
    }
}

const struct adm_direction_level JOIN(adm_direction_, ADM_DIRECTION_LEVEL) = {TEXT(ADM_DIRECTION_LEVEL), of_16, of_32};
