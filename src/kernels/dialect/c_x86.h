/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Widening loads, square roots, the larger and the smaller of two integers in the C build's vectors on x86-64. clang
 * makes these instructions from portable vectors (the square root from version 17 on). gcc 12 does not, so its built-in
 * functions are called. <immintrin.h> has other names for them, but gcc takes 0.3 s to read it.
 */
#ifndef ASSAY_DIALECT_C_X86_H
#define ASSAY_DIALECT_C_X86_H

/* The built-in function of an instruction on vectors of LANES lanes. For SSE those on floats have no number in their
 * names. With 512 bits most of gcc's have a mask and other names. */
#if LANES == 4
#define X86_(name) __builtin_ia32_##name##128
#define X86_OF_FLOATS_(name) __builtin_ia32_##name
#elif LANES == 8
#define X86_(name) __builtin_ia32_##name##256
#define X86_OF_FLOATS_(name) __builtin_ia32_##name##256
#else
#define X86_(name) __builtin_ia32_##name##512
#endif

typedef long long x86_mask __attribute__((vector_size(LANES * 4)));
#if LANES == 16
/* Lanes n to n + 15 of a and then b, 1 <= n <= 15. */
LANE_FN u32 x86_between(u32 a, u32 b, int n)
{
#if defined(__clang__)
#define BETWEEN_(n) case n: return (u32)__builtin_ia32_alignd512((i32)b, (i32)a, n);
#else
#define BETWEEN_(n) case n: return (u32)__builtin_ia32_alignd512_mask((i32)b, (i32)a, n, (i32)a, 0xffff);
#endif
    switch (n) {
    BETWEEN_(1) BETWEEN_(2) BETWEEN_(3) BETWEEN_(4) BETWEEN_(5) BETWEEN_(6) BETWEEN_(7) BETWEEN_(8) BETWEEN_(9)
    BETWEEN_(10) BETWEEN_(11) BETWEEN_(12) BETWEEN_(13) BETWEEN_(14) BETWEEN_(15)
    default: return a;
    }
#undef BETWEEN_
}

/* x86_pick_32: element i modulo 32 of the vector of a table's first 16 floats and of the others.
 * f32_cut: a number below 2^31 as a float, towards zero (11), whatever MXCSR says. */
#if defined(__clang__)
LANE_FN f32 x86_pick_32(u32 i, f32 low, f32 high) { return __builtin_ia32_vpermi2varps512(low, (i32)i, high); }
LANE_FN f32 f32_cut(u32 v) { return __builtin_ia32_cvtdq2ps512_mask((i32)v, (f32){0}, 0xffff, 11); }
#else
LANE_FN f32 x86_pick_32(u32 i, f32 low, f32 high)
{
    return __builtin_ia32_vpermt2varps512_mask((i32)i, low, high, 0xffff);
}
LANE_FN f32 f32_cut(u32 v) { return __builtin_ia32_cvtdq2ps512_mask((i32)v, (f32){0}, (short)-1, 11); }
#endif
#define PICK_32(i, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, \
                c22, c23, c24, c25, c26, c27, c28, c29, c30, c31) \
    x86_pick_32(i, (f32){c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15}, \
                (f32){c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31})
/* Cells i of a row of 32 floats. */
#define X86_OF_32(row, i) x86_pick_32((u32)(i), *(const f32_any *)(row), ((const f32_any *)(row))[1])
#elif LANES == 8
#define PICK_8(i, c0, c1, c2, c3, c4, c5, c6, c7) \
    __builtin_ia32_permvarsf256((f32){c0, c1, c2, c3, c4, c5, c6, c7}, (i32)(i))
#define X86_OF_8(row, i) __builtin_ia32_permvarsf256(*(const f32_any *)(row), i)
#define X86_OF_16(row, i) __builtin_ia32_blendvps256(X86_OF_8(row, i), X86_OF_8((row) + 32, i), (f32)((i) << 28))
#define X86_OF_32(row, i) __builtin_ia32_blendvps256(X86_OF_16(row, i), X86_OF_16((row) + 64, i), (f32)((i) << 27))
#endif

#if defined(__clang__)

typedef uint8_t x86_u8 __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef uint16_t x86_u16 __attribute__((vector_size(LANES * 2), aligned(1), may_alias));
LANE_FN i32 x86_widen_u8(const void *p) { return __builtin_convertvector(*(const x86_u8 *)p, i32); }
LANE_FN i32 x86_widen_u16(const void *p) { return __builtin_convertvector(*(const x86_u16 *)p, i32); }

#define INTS_(most, a, b) __builtin_elementwise_##most(a, b)

#if __has_builtin(__builtin_elementwise_sqrt)
LANE_FN f32 x86_sqrt(f32 v) { return __builtin_elementwise_sqrt(v); }
#elif LANES < 16
LANE_FN f32 x86_sqrt(f32 v) { return X86_OF_FLOATS_(sqrtps)(v); }
#else
LANE_FN f32 x86_sqrt(f32 v) { return __builtin_ia32_sqrtps512(v, 4); } /* 4: rounded as MXCSR says */
#endif

#else

typedef char x86_u8 __attribute__((vector_size(16)));
typedef short x86_u16 __attribute__((vector_size(LANES == 16 ? 32 : 16)));
typedef long long x86_u64 __attribute__((vector_size(16)));
typedef long long x86_words __attribute__((vector_size(LANES == 16 ? 32 : 16)));
typedef UNALIGNED_OF(long long) x86_u64_any;
typedef UNALIGNED_OF(x86_u64) x86_two_any;
typedef UNALIGNED_OF(x86_words) x86_words_any;

/* Where LANES samples are less than 16 bytes, zeros follow them. */
#if LANES == 4
LANE_FN i32 x86_widen_u8(const void *p)
{
    int four;
    memcpy(&four, p, 4);
    return __builtin_ia32_pmovzxbd128((x86_u8)(i32){four, 0, 0, 0});
}
LANE_FN i32 x86_widen_u16(const void *p)
{
    return __builtin_ia32_pmovzxwd128((x86_u16)(x86_u64){*(const x86_u64_any *)p, 0});
}
LANE_FN f32 x86_sqrt(f32 v) { return __builtin_ia32_sqrtps(v); }
#define INTS_(most, a, b) __builtin_ia32_p##most##sd128(a, b)
#elif LANES == 8
LANE_FN i32 x86_widen_u8(const void *p)
{
    return __builtin_ia32_pmovzxbd256((x86_u8)(x86_u64){*(const x86_u64_any *)p, 0});
}
LANE_FN i32 x86_widen_u16(const void *p) { return __builtin_ia32_pmovzxwd256((x86_u16)*(const x86_words_any *)p); }
LANE_FN f32 x86_sqrt(f32 v) { return __builtin_ia32_sqrtps256(v); }
#define INTS_(most, a, b) __builtin_ia32_p##most##sd256(a, b)
#else
/* The masks (0xffff, -1) select every lane, so the vectors before them are not used. */
LANE_FN i32 x86_widen_u8(const void *p)
{
    return __builtin_ia32_pmovzxbd512_mask((x86_u8)*(const x86_two_any *)p, (i32){0}, 0xffff);
}
LANE_FN i32 x86_widen_u16(const void *p)
{
    return __builtin_ia32_pmovzxwd512_mask((x86_u16)*(const x86_words_any *)p, (i32){0}, 0xffff);
}
LANE_FN f32 x86_sqrt(f32 v) { return __builtin_ia32_sqrtps512_mask(v, v, -1, 4); } /* 4: rounded as MXCSR says */
#define INTS_(most, a, b) __builtin_ia32_p##most##sd512_mask(a, b, a, 0xffff)
#endif

#endif

/* a > b ? a : b, or a < b ? a : b; also of NaN and of zeros. */
#if LANES < 16
#define X86_FLOATS(most, a, b) X86_OF_FLOATS_(most##ps)(a, b)
#elif defined(__clang__)
#define X86_FLOATS(most, a, b) __builtin_ia32_##most##ps512(a, b, 4)
#else
#define X86_FLOATS(most, a, b) __builtin_ia32_##most##ps512_mask(a, b, a, -1, 4)
#endif

#endif
