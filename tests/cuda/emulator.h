/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enough of CUDA's language for a C++ compiler to build the kernel texts for the host: included in front of
 * the generated kernels.cu. The threads of a block are coroutines that run one after the other up to the
 * next barrier (emulator.c).
 */
#ifndef ASSAY_TESTS_CUDA_EMULATOR_H
#define ASSAY_TESTS_CUDA_EMULATOR_H

#include <stdint.h>
#include <string.h>

#include "cuda/emulate.h"

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(threads)
#define __align__(n) __attribute__((aligned(n)))

extern "C" uint64_t emulated_exchange(unsigned lanes, uint64_t value, int lane_xor);
extern "C" uint64_t emulated_product(uint32_t a, uint32_t b);

#define __syncthreads() emulated_barrier()

/* A text that reads or writes beside a plane ends the test. */
#define CELL_INSIDE_(p, x, y) \
    if ((unsigned)(x) >= (unsigned)(p).width || (unsigned)(y) >= (unsigned)(p).height) \
        __builtin_trap();

template <typename T> static inline T __shfl_xor_sync(unsigned lanes, T value, int lane_xor)
{
    return (T)emulated_exchange(lanes, (uint64_t)value, lane_xor);
}

static inline bool __any_sync(unsigned lanes, bool value)
{
    uint64_t any = value;
    for (int bit = 16; bit > 0; bit /= 2)
        any |= emulated_exchange(lanes, any, bit);
    return any;
}

/* What cuda.h has from the device itself: sums of 16 x 8 products of rows of a and columns of b, of 32 bytes each. */
static inline void matrix_add_u8(uint32_t (&sums)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    for (int i = 0; i < 4; i++) { /* rows 8 to 15 of a are odd, its columns 16 to 31 the last two */
        const uint64_t two = emulated_product(a[i], b[i / 2]);
        sums[i % 2 * 2] += (uint32_t)two;
        sums[i % 2 * 2 + 1] += (uint32_t)(two >> 32);
    }
}
/* Byte i of the result is the byte of `high` and `low` whose number, 0 to 7, is in bits 4 i to 4 i + 2 of `which`. */
static inline uint32_t __byte_perm(uint32_t low, uint32_t high, uint32_t which)
{
    const uint64_t both = (uint64_t)high << 32 | low;
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)(both >> 8 * (which >> 4 * i & 7) & 0xff) << 8 * i;
    return v;
}

template <typename T> static inline T __ldg(const T *p) { return *p; }
template <typename T> static inline void __stwb(T *p, T v) { *p = v; }

template <typename T> static inline T atomicAdd(T *p, T v)
{
    const T before = *p;
    *p = before + v;
    return before;
}
template <typename T> static inline T atomicMax(T *p, T v)
{
    const T before = *p;
    *p = v > before ? v : before;
    return before;
}

template <typename T> static inline T atomicOr(T *p, T v)
{
    const T before = *p;
    *p = before | v;
    return before;
}

static inline uint32_t __float_as_uint(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline float __uint_as_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
static inline float __uint2float_rz(uint32_t v)
{
    const float f = (float)v;
    return (double)f > v ? __builtin_nextafterf(f, 0.0f) : f;
}
static inline float __int2float_rn(int v) { return (float)v; }
/* The device's conversion saturates and takes NaN to 0; C has no answer there. */
static inline int __float2int_rz(float v)
{
    return v >= 2147483648.0f ? INT32_MAX : v < -2147483648.0f ? INT32_MIN : v != v ? 0 : (int)v;
}
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float v) { return __builtin_sqrtf(v); }

static inline float __ull2float_rn(unsigned long long v) { return (float)v; }
static inline double __ull2double_rn(unsigned long long v) { return (double)v; }
static inline double __ll2double_rn(long long v) { return (double)v; }
static inline double __int2double_rn(int v) { return v; }
static inline float __double2float_rn(double v) { return (float)v; }
static inline long long __double2ll_rz(double v)
{
    return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : v != v ? INT64_MIN : (long long)v;
}
static inline int __double2int_rz(double v)
{
    return v >= 2147483648.0 ? INT32_MAX : v <= -2147483649.0 ? INT32_MIN : v != v ? 0 : (int)v;
}
static inline long long __double_as_longlong(double v)
{
    long long bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline double __longlong_as_double(long long bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
static inline double __hiloint2double(int hi, int lo)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }

#endif
