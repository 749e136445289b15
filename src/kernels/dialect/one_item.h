/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of one item, whose value is no vector: of CUDA, of SYCL, and of C with one lane. The header that includes
 * this one defines ITEM_FN, what stands before a function. */
#ifndef ASSAY_DIALECT_ONE_ITEM_H
#define ASSAY_DIALECT_ONE_ITEM_H

ITEM_FN f32 sel_f32(mask m, f32 a, f32 b) { return m ? a : b; }
ITEM_FN i32 sel_i32(mask m, i32 a, i32 b) { return m ? a : b; }
ITEM_FN u32 sel_u32(mask m, u32 a, u32 b) { return m ? a : b; }
ITEM_FN mask not_(mask m) { return !m; }

/* Two 16-bit numbers in a u32: the sum of the signed products of both halves, the low and the high 16 bits of the
 * unsigned product of each, their differences, the smaller of each, and the size of each. */
ITEM_FN u32 dot_i16(u32 a, u32 b)
{
    return (u32)((int16_t)a * (int16_t)b) + (u32)((int16_t)(a >> 16) * (int16_t)(b >> 16));
}
ITEM_FN u32 mul_low_u16(u32 a, u32 b)
{
    return ((a & 0xffffu) * (b & 0xffffu) & 0xffffu) | (a >> 16) * (b >> 16) << 16;
}
ITEM_FN u32 mul_high_u16(u32 a, u32 b)
{
    return (a & 0xffffu) * (b & 0xffffu) >> 16 | ((a >> 16) * (b >> 16) & 0xffff0000u);
}
ITEM_FN u32 sub_u16(u32 a, u32 b) { return ((a - b) & 0xffffu) | ((a & 0xffff0000u) - (b & 0xffff0000u)); }
ITEM_FN u32 min_u16(u32 a, u32 b)
{
    const u32 low_a = a & 0xffffu, low_b = b & 0xffffu, high_a = a >> 16, high_b = b >> 16;
    return (low_a < low_b ? low_a : low_b) | (high_a < high_b ? high_a : high_b) << 16;
}
ITEM_FN u32 abs_i16(u32 a)
{
    const u32 minus = (a >> 15 & 0x00010001u) * 0xffffu;
    return (a ^ minus) + (minus & 0x00010001u);
}

typedef uint64_t u64x;

ITEM_FN u64x u64x_make(u32 lo, u32 hi) { return (u64x)hi << 32 | lo; }
ITEM_FN u32 u64x_lo(u64x v) { return (u32)v; }
ITEM_FN u32 u64x_hi(u64x v) { return (u32)(v >> 32); }
ITEM_FN u64x u64x_from_u32(u32 v) { return v; }
ITEM_FN u64x u64x_from_i32(i32 v) { return (u64x)(int64_t)v; }
ITEM_FN u64x u64x_sel(mask m, u64x a, u64x b) { return m ? a : b; }
ITEM_FN mask u64x_eq(u64x a, u64x b) { return a == b; }
ITEM_FN mask u64x_lt(u64x a, u64x b) { return a < b; }
ITEM_FN mask u64x_lt_signed(u64x a, u64x b) { return (int64_t)a < (int64_t)b; }
ITEM_FN u64x u64x_add(u64x a, u64x b) { return a + b; }
ITEM_FN u64x u64x_sub(u64x a, u64x b) { return a - b; }
ITEM_FN u64x u64x_neg(u64x a) { return 0 - a; }
ITEM_FN u64x u64x_mul_u32(u32 a, u32 b) { return (u64x)a * b; }
ITEM_FN u64x u64x_mul_lo_u32(u64x a, u32 b) { return (u64x)(u32)a * b; }
ITEM_FN u64x u64x_mul_i32(i32 a, i32 b) { return (u64x)((int64_t)a * b); }
ITEM_FN u64x u64x_mul(u64x a, u64x b) { return a * b; }

#endif
