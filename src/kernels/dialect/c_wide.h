/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lane values of 64 bits in the C build: u64x, integers in two's complement, and f64x, IEEE double. LANES items are two
 * vectors of LANES / 2 each: `e` holds the even lanes, `o` the odd ones. So an item stays in the 64 bits where its
 * 32-bit value was; conversions between the widths are a shift or a mask and never cross the vector.
 */
#ifndef ASSAY_DIALECT_C_WIDE_H
#define ASSAY_DIALECT_C_WIDE_H

#include "kernels/dialect/c_lanes.h"

#define u64x_shl(v, n) (CHECK_AT_, u64x_shl_lanes_(v, n))
#define u64x_shr(v, n) (CHECK_AT_, u64x_shr_lanes_(v, n))
#define u64x_shr_signed(v, n) (CHECK_AT_, u64x_shr_signed_lanes_(v, n))
#define f64x_to_i32(v) (CHECK_AT_, f64x_to_i32_lanes_(v))
#define f64x_to_i64(v) (CHECK_AT_, f64x_to_i64_lanes_(v))
#define WIDE_SHIFT_CHECK_(n) KERNEL_CHECK((n) >= 0 && (n) < 64, "shift count")

/* The double with these bits, for all lanes. */
#define F64X(hi, lo) f64x_of_bits_((uint64_t)(uint32_t)(hi) << 32 | (uint32_t)(lo))

#if LANES == 1

typedef double f64x;

LANE_FN u64x u64x_shl_lanes_(u64x v, int n) { WIDE_SHIFT_CHECK_(n); return v << n; }
LANE_FN u64x u64x_shr_lanes_(u64x v, int n) { WIDE_SHIFT_CHECK_(n); return v >> n; }
LANE_FN u64x u64x_shr_signed_lanes_(u64x v, int n) { WIDE_SHIFT_CHECK_(n); return (u64x)((int64_t)v >> n); }
LANE_FN f32 u64x_to_f32(u64x v) { return (f32)v; }
LANE_FN uint64_t lanes_sum_u64(u64x v) { return v; }
LANE_FN u64x u64x_where_(mask m, u64x v) { return m ? v : 0; }
#define WORD_LANE_(v, l) (v)

LANE_FN f64x f64x_of_bits_(uint64_t bits) { f64x v; memcpy(&v, &bits, sizeof v); return v; }
LANE_FN u64x f64x_bits(f64x v) { u64x bits; memcpy(&bits, &v, sizeof bits); return bits; }
LANE_FN f64x bits_f64x(u64x v) { return f64x_of_bits_(v); }
LANE_FN f64x f64x_from_i32(i32 v) { return v; }
LANE_FN f64x f64x_from_u64(u64x v) { return (f64x)v; }
LANE_FN f64x f64x_from_i64(u64x v) { return (f64x)(int64_t)v; }
LANE_FN f64x f64x_from_f32(f32 v) { return (f64x)v; }
LANE_FN f32 f64x_to_f32(f64x v) { return (f32)v; }
LANE_FN f64x f64x_add(f64x a, f64x b) { return a + b; }
LANE_FN f64x f64x_sub(f64x a, f64x b) { return a - b; }
LANE_FN f64x f64x_mul(f64x a, f64x b) { return a * b; }
LANE_FN f64x f64x_div(f64x a, f64x b) { return a / b; }
LANE_FN mask f64x_lt(f64x a, f64x b) { return a < b; }
LANE_FN mask f64x_le(f64x a, f64x b) { return a <= b; }
LANE_FN f64x f64x_sel(mask m, f64x a, f64x b) { return m ? a : b; }
LANE_FN f64x f64x_min(f64x a, f64x b) { return a < b ? a : b; }
LANE_FN i32 f64x_to_i32_lanes_(f64x v)
{
    VALUE_CHECK(v > -2147483649.0 && v < 2147483648.0, "double to integer range");
    return (i32)v;
}
LANE_FN u64x f64x_to_i64_lanes_(f64x v)
{
    VALUE_CHECK(v >= -0x1p63 && v < 0x1p63, "double to integer range");
    return (u64x)(int64_t)v;
}

#else

typedef uint64_t u64_half __attribute__((vector_size(LANES * 4)));
typedef int64_t i64_half __attribute__((vector_size(LANES * 4)));
typedef double f64_half __attribute__((vector_size(LANES * 4)));
typedef float f32_half __attribute__((vector_size(LANES * 2)));
typedef struct u64x { u64_half e, o; } u64x;
typedef struct f64x { f64_half e, o; } f64x;

/* The even 32-bit lanes of a between the odd ones of b. */
#define MIX_(a, b) SHUFFLED(MIXED_LANE_, (u32)(a), (u32)(b))
#define MIXED_LANE_(l) ((l) % 2 * LANES + (l))
#define HALF_(c) ((u64_half){0} + (uint64_t)(c))
#define LOW_WORD_ HALF_(0xffffffffu)

LANE_FN u64x u64x_make(u32 lo, u32 hi)
{
    return (u64x){(u64_half)MIX_(lo, (u64_half)hi << 32), (u64_half)MIX_((u64_half)lo >> 32, hi)};
}
LANE_FN u32 u64x_lo(u64x v) { return MIX_(v.e, v.o << 32); }
LANE_FN u32 u64x_hi(u64x v) { return MIX_(v.e >> 32, v.o); }
LANE_FN u64x u64x_from_u32(u32 v) { return (u64x){(u64_half)v & LOW_WORD_, (u64_half)v >> 32}; }
LANE_FN u64x u64x_from_i32(i32 v) { return u64x_make((u32)v, (u32)(v >> 31)); }

/* A mask of 32-bit lanes for the 64-bit lanes, and back. */
#define EVEN_LANE_(l) ((l) & ~1)
#define ODD_LANE_(l) ((l) | 1)
LANE_FN i32 mask_even_(mask m) { return SHUFFLED(EVEN_LANE_, m, m); }
LANE_FN i32 mask_odd_(mask m) { return SHUFFLED(ODD_LANE_, m, m); }
LANE_FN mask mask_of_(i64_half e, i64_half o) { return (mask)MIX_(e, o); }

LANE_FN u64x u64x_sel(mask m, u64x a, u64x b)
{
    return (u64x){(u64_half)sel_i32(mask_even_(m), (i32)a.e, (i32)b.e),
                  (u64_half)sel_i32(mask_odd_(m), (i32)a.o, (i32)b.o)};
}
LANE_FN mask u64x_eq(u64x a, u64x b) { return mask_of_(a.e == b.e, a.o == b.o); }
#if defined(__x86_64__) && LANES == 4
/* SSE4.1 has no compare of 64-bit integers for order. The highest bit of the borrow says a < b. */
LANE_FN mask top_bits_(u64_half e, u64_half o) { return (mask)MIX_(e >> 32, o) >> 31; }
LANE_FN u64_half borrow_(u64_half a, u64_half b) { return (~a & b) | (~(a ^ b) & (a - b)); }
LANE_FN u64_half borrow_signed_(u64_half a, u64_half b) { return (a & ~b) | (~(a ^ b) & (a - b)); }
LANE_FN mask u64x_lt(u64x a, u64x b) { return top_bits_(borrow_(a.e, b.e), borrow_(a.o, b.o)); }
LANE_FN mask u64x_lt_signed(u64x a, u64x b)
{
    return top_bits_(borrow_signed_(a.e, b.e), borrow_signed_(a.o, b.o));
}
#else
LANE_FN mask u64x_lt(u64x a, u64x b) { return mask_of_(a.e < b.e, a.o < b.o); }
LANE_FN mask u64x_lt_signed(u64x a, u64x b)
{
    return mask_of_((i64_half)a.e < (i64_half)b.e, (i64_half)a.o < (i64_half)b.o);
}
#endif
LANE_FN u64x u64x_add(u64x a, u64x b) { return (u64x){a.e + b.e, a.o + b.o}; }
LANE_FN u64x u64x_sub(u64x a, u64x b) { return (u64x){a.e - b.e, a.o - b.o}; }
LANE_FN u64x u64x_neg(u64x a) { return (u64x){-a.e, -a.o}; }

/* Products of the low 32 bits of 64-bit lanes. */
#if defined(__x86_64__) && !defined(__clang__)
#if LANES < 16
#define WIDE_MUL_(name, a, b) (u64_half)X86_(name)((i32)(a), (i32)(b))
#else
typedef long long x86_wide __attribute__((vector_size(64)));
#define WIDE_MUL_(name, a, b) (u64_half)__builtin_ia32_##name##512_mask((i32)(a), (i32)(b), (x86_wide){0}, 0xff)
#endif
LANE_FN u64_half mul_low_u32_(u64_half a, u64_half b) { return WIDE_MUL_(pmuludq, a, b); }
LANE_FN u64_half mul_low_i32_(u64_half a, u64_half b) { return WIDE_MUL_(pmuldq, a, b); }
#elif defined(__x86_64__)
LANE_FN u64_half mul_low_u32_(u64_half a, u64_half b) { return (a & LOW_WORD_) * (b & LOW_WORD_); }
LANE_FN u64_half mul_low_i32_(u64_half a, u64_half b)
{
    return (u64_half)(((i64_half)(a << 32) >> 32) * ((i64_half)(b << 32) >> 32));
}
#else
LANE_FN u64_half mul_low_u32_(u64_half a, u64_half b) { return (u64_half)vmull_u32(vmovn_u64(a), vmovn_u64(b)); }
LANE_FN u64_half mul_low_i32_(u64_half a, u64_half b)
{
    return (u64_half)vmull_s32(vmovn_s64((int64x2_t)a), vmovn_s64((int64x2_t)b));
}
#endif
LANE_FN u64x u64x_mul_u32(u32 a, u32 b)
{
    return (u64x){mul_low_u32_((u64_half)a, (u64_half)b), mul_low_u32_((u64_half)a >> 32, (u64_half)b >> 32)};
}
LANE_FN u64x u64x_mul_lo_u32(u64x a, u32 b)
{
    return (u64x){mul_low_u32_(a.e, (u64_half)b), mul_low_u32_(a.o, (u64_half)b >> 32)};
}
LANE_FN u64x u64x_mul_i32(i32 a, i32 b)
{
    return (u64x){mul_low_i32_((u64_half)a, (u64_half)b), mul_low_i32_((u64_half)a >> 32, (u64_half)b >> 32)};
}
LANE_FN u64x u64x_mul(u64x a, u64x b) { return (u64x){a.e * b.e, a.o * b.o}; }

LANE_FN u64x u64x_shl_lanes_(u64x v, int n) { WIDE_SHIFT_CHECK_(n); return (u64x){v.e << n, v.o << n}; }
LANE_FN u64x u64x_shr_lanes_(u64x v, int n) { WIDE_SHIFT_CHECK_(n); return (u64x){v.e >> n, v.o >> n}; }
LANE_FN u64x u64x_shr_signed_lanes_(u64x v, int n)
{
    WIDE_SHIFT_CHECK_(n);
#if defined(__x86_64__) && LANES < 16
    /* no signed shift: of the number plus 2^63, less 2^(63 - n) */
    const u64_half sign = HALF_(UINT64_C(1) << 63), less = HALF_(UINT64_C(1) << 63 >> n);
    return (u64x){((v.e ^ sign) >> n) - less, ((v.o ^ sign) >> n) - less};
#else
    return (u64x){(u64_half)((i64_half)v.e >> n), (u64_half)((i64_half)v.o >> n)};
#endif
}

LANE_FN uint64_t lanes_sum_u64(u64x v)
{
    const u64_half both = v.e + v.o;
    uint64_t s = 0;
    for (int l = 0; l < LANES / 2; l++)
        s += both[l];
    return s;
}

#define WORD_LANE_(v, l) ((l) & 1 ? (v).o[(l) / 2] : (v).e[(l) / 2])
/* v where m, else 0. */
LANE_FN u64x u64x_where_(mask m, u64x v)
{
    return (u64x){v.e & (u64_half)mask_even_(m), v.o & (u64_half)mask_odd_(m)};
}

/* ---- double ------------------------------------------------------------------------------------------------------ */

LANE_FN f64x f64x_of_bits_(uint64_t bits) { return (f64x){(f64_half)HALF_(bits), (f64_half)HALF_(bits)}; }
LANE_FN u64x f64x_bits(f64x v) { return (u64x){(u64_half)v.e, (u64_half)v.o}; }
LANE_FN f64x bits_f64x(u64x v) { return (f64x){(f64_half)v.e, (f64_half)v.o}; }
LANE_FN f64x f64x_add(f64x a, f64x b) { return (f64x){a.e + b.e, a.o + b.o}; }
LANE_FN f64x f64x_sub(f64x a, f64x b) { return (f64x){a.e - b.e, a.o - b.o}; }
LANE_FN f64x f64x_mul(f64x a, f64x b) { return (f64x){a.e * b.e, a.o * b.o}; }
LANE_FN f64x f64x_div(f64x a, f64x b) { return (f64x){a.e / b.e, a.o / b.o}; }
LANE_FN mask f64x_lt(f64x a, f64x b) { return mask_of_(a.e < b.e, a.o < b.o); }
LANE_FN mask f64x_le(f64x a, f64x b) { return mask_of_(a.e <= b.e, a.o <= b.o); }
/* x86's own minimum is this compare and select. */
#if defined(__x86_64__) && LANES < 16
LANE_FN f64_half f64_half_min_(f64_half a, f64_half b) { return X86_OF_FLOATS_(minpd)(a, b); }
#elif defined(__x86_64__) && defined(__clang__)
LANE_FN f64_half f64_half_min_(f64_half a, f64_half b) { return __builtin_ia32_minpd512(a, b, 4); }
#elif defined(__x86_64__)
LANE_FN f64_half f64_half_min_(f64_half a, f64_half b) { return __builtin_ia32_minpd512_mask(a, b, a, 0xff, 4); }
#else
LANE_FN f64_half f64_half_min_(f64_half a, f64_half b) { return (f64_half)sel_i32((i32)(a < b), (i32)a, (i32)b); }
#endif
LANE_FN f64x f64x_min(f64x a, f64x b) { return (f64x){f64_half_min_(a.e, b.e), f64_half_min_(a.o, b.o)}; }
LANE_FN f64x f64x_sel(mask m, f64x a, f64x b) { return bits_f64x(u64x_sel(m, f64x_bits(a), f64x_bits(b))); }

#if defined(__x86_64__) && LANES < 16

/* No conversion between double and 64-bit integers. A word w with 0x43300000 above it is the double 2^52 + w, one with
 * 0x45300000 above it is 2^84 + 2^32 w. */
#define TWO_52_ UINT64_C(0x4330000000000000)
#define TWO_84_ UINT64_C(0x4530000000000000)
LANE_FN f64x f64x_from_i32(i32 v)
{
    const u64x w = u64x_make((u32)(v ^ INT32_MIN), U32(0x43300000u)); /* 2^52 + 2^31 + v */
    const f64_half less = (f64_half)HALF_(TWO_52_ | 0x80000000u);
    return (f64x){(f64_half)w.e - less, (f64_half)w.o - less};
}
/* Only the last sum rounds. `flip` is 2^31 where the number is signed; `less` is then larger by 2^63. */
LANE_FN f64_half f64_half_of_(u64_half v, uint64_t flip, double less)
{
    const f64_half high = (f64_half)((v >> 32) ^ HALF_(TWO_84_ ^ flip));
    const f64_half low = (f64_half)MIX_(v, HALF_(TWO_52_));
    return (high - less) + low;
}
LANE_FN f64x f64x_from_u64(u64x v)
{
    const double less = 0x1p84 + 0x1p52;
    return (f64x){f64_half_of_(v.e, 0, less), f64_half_of_(v.o, 0, less)};
}
LANE_FN f64x f64x_from_i64(u64x v)
{
    const double less = 0x1p84 + 0x1p63 + 0x1p52;
    return (f64x){f64_half_of_(v.e, 0x80000000u, less), f64_half_of_(v.o, 0x80000000u, less)};
}
/* 3: towards zero, 1: down. */
#define ROUND_(v, how) X86_OF_FLOATS_(roundpd)(v, how)
/* A whole number plus 1.5 2^52 has its low word as the lowest bits. */
LANE_FN u64_half f64_word_(f64_half whole) { return (u64_half)(whole + 0x1.8p52); }
LANE_FN i32 f64x_to_i32_lanes_(f64x v)
{
    return (i32)MIX_(f64_word_(ROUND_(v.e, 3)), f64_word_(ROUND_(v.o, 3)) << 32);
}
LANE_FN u64_half f64_to_i64_(f64_half v)
{
    const f64_half whole = ROUND_(v, 3), high = ROUND_(whole * 0x1p-32, 1);
    return (u64_half)MIX_((u64_half)(whole - high * 0x1p32 + 0x1p52), f64_word_(high) << 32);
}
LANE_FN u64x f64x_to_i64_lanes_(f64x v) { return (u64x){f64_to_i64_(v.e), f64_to_i64_(v.o)}; }

#else

LANE_FN f64x f64x_from_u64(u64x v)
{
    return (f64x){__builtin_convertvector(v.e, f64_half), __builtin_convertvector(v.o, f64_half)};
}
LANE_FN f64x f64x_from_i64(u64x v)
{
    return (f64x){__builtin_convertvector((i64_half)v.e, f64_half), __builtin_convertvector((i64_half)v.o, f64_half)};
}
LANE_FN f64x f64x_from_i32(i32 v)
{
    return f64x_from_i64((u64x){(u64_half)((i64_half)((u64_half)v << 32) >> 32), (u64_half)((i64_half)v >> 32)});
}
LANE_FN u64x f64x_to_i64_lanes_(f64x v)
{
    return (u64x){(u64_half)__builtin_convertvector(v.e, i64_half), (u64_half)__builtin_convertvector(v.o, i64_half)};
}
LANE_FN i32 f64x_to_i32_lanes_(f64x v) { return (i32)u64x_lo(f64x_to_i64_lanes_(v)); }

#endif

#define EVEN_OF_(l) (2 * (l))
#define ODD_OF_(l) (2 * (l) + 1)
#define IN_TURN_(l) ((l) / 2 + (l) % 2 * LANES / 2)
LANE_FN f64x f64x_from_f32(f32 v)
{
    const f32_half e = __builtin_shufflevector(v, v, HALF_LANES(EVEN_OF_)),
                   o = __builtin_shufflevector(v, v, HALF_LANES(ODD_OF_));
    return (f64x){__builtin_convertvector(e, f64_half), __builtin_convertvector(o, f64_half)};
}
LANE_FN f32 f64x_to_f32(f64x v)
{
    const f32_half e = __builtin_convertvector(v.e, f32_half), o = __builtin_convertvector(v.o, f32_half);
    return SHUFFLED(IN_TURN_, e, o);
}

/* A double holds 53 bits. Of larger numbers the low 11 bits become one bit that says whether any of them was set: far
 * below the float's last bit it decides the same. So the number is rounded once. */
LANE_FN u64_half sticky_(u64_half v)
{
    const u64_half rest = v & 0x7ffu, odd = ((v | (rest + 0x7ffu)) & ~HALF_(0x7ffu));
    const u64_half large = (u64_half)(v >> 53 != 0);
    return (odd & large) | (v & ~large);
}
LANE_FN f32 u64x_to_f32(u64x v) { return f64x_to_f32(f64x_from_u64((u64x){sticky_(v.e), sticky_(v.o)})); }

#endif

/* Lane l goes to to[l] where m. */
EDGE_FN void lanes_store_words(int64_t *to, mask m, u64x v)
{
    for (int l = 0; l < LANES; l++)
        if (LANE(m, l))
            to[l] = (int64_t)WORD_LANE_(v, l);
}

#endif
