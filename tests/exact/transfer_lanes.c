/* SPDX-License-Identifier: BSD-2-Clause */
/* Built once per instruction set with LANES and TRANSFER_LEVEL. With SABOTAGE a constant of each
 * function is a little off. */
#include "exact/transfer.h"

#define TILE_W 16 /* the header wants a tile; none is used here */
#define TILE_H 16
#include "kernels/dialect/c.h"

#ifdef SABOTAGE
#undef LOG2_3
#define LOG2_3 0.48095f
#undef EXP2_3
#define EXP2_3 0.0556f
#undef COLOUR_ONE_FIFTH
#define COLOUR_ONE_FIFTH 0.202f
#undef PQ_K
#define PQ_K 0.164063f
#undef HLG_C
#define HLG_C 0.559912f
#undef LOG2_SHORT_3
#define LOG2_SHORT_3 0.48095f
#undef EXP2_SHORT_3
#define EXP2_SHORT_3 0.0556f
#endif

#define CVVDP_CHANNELS 3
#include "kernels/colour.h"
#include "kernels/cvvdp.h"

#define EACH_VECTOR(i) for (size_t i = 0; i < TRANSFER_BLOCK; i += LANES)

static void store_f32(float *p, f32 v)
{
    memcpy(p, &v, sizeof v);
}

static void linear(int transfer, float gamma, const float *code, float *light)
{
    for (size_t i = 0; i < TRANSFER_BLOCK; i += 8 * LANES) {
        f32 v[8];
        for (int k = 0; k < 8; k++)
            v[k] = load_f32(code + i + k * LANES);
        COLOUR_LINEAR(v, 8, transfer, gamma)
        for (int k = 0; k < 8; k++)
            store_f32(light + i + k * LANES, v[k]);
    }
}

static void power(float exponent, float exponent_low, const float *x, float *y)
{
    EACH_VECTOR(i)
        store_f32(y + i, pow_(f32x_make(load_f32(x + i), F32(0.0f)), f32x_make(F32(exponent), F32(exponent_low))));
}

static void power24(const float *t, float *y)
{
    EACH_VECTOR(i)
        store_f32(y + i, colour_pow24(load_f32(t + i)));
}

static void binary_log(const float *x, float *hi, float *lo)
{
    EACH_VECTOR(i) {
        const f32x l = log2_(load_f32(x + i));
        store_f32(hi + i, l.hi);
        store_f32(lo + i, l.lo);
    }
}

static void binary_power(const float *hi, const float *lo, float *y)
{
    EACH_VECTOR(i)
        store_f32(y + i, exp2_(f32x_make(load_f32(hi + i), load_f32(lo + i))));
}

static void binary_log_float(const float *x, float *y)
{
    EACH_VECTOR(i)
        store_f32(y + i, log2_float(load_f32(x + i)));
}

static void short_log(const float *x, float *y)
{
    EACH_VECTOR(i) {
        f32 v[1] = {load_f32(x + i)};
        CVVDP_LOG2(v, 1)
        store_f32(y + i, v[0]);
    }
}

static void short_power(const float *x, float *y)
{
    EACH_VECTOR(i) {
        f32 v[1] = {load_f32(x + i)};
        CVVDP_EXP2(v, 1)
        store_f32(y + i, v[0]);
    }
}

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

const struct transfer_functions JOIN(transfer_, TRANSFER_LEVEL) = {
    TEXT(TRANSFER_LEVEL), linear, power, power24, binary_log, binary_power, binary_log_float, short_log, short_power,
};
