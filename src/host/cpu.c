/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/cpu.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const struct {
    const char *name, *title;
} level_words[CPU_LEVELS] = {
    [CPU_SCALAR] = {"scalar", "scalar C"}, [CPU_SSE4] = {"sse4", "SSE4.1"}, [CPU_AVX2] = {"avx2", "AVX2"},
    [CPU_AVX512] = {"avx512", "AVX-512"}, [CPU_AVX512VNNI] = {"avx512vnni", "AVX-512 VNNI"},
    [CPU_NEON] = {"neon", "NEON"},
};

/* ---- levels ----------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* Register state that the operating system saves (XCR0). Only valid if CPUID says OSXSAVE. */
static uint64_t saved_state(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static bool has_all(uint64_t value, uint64_t wanted)
{
    return (value & wanted) == wanted;
}

static uint32_t detect_levels(void)
{
    enum {
        ECX1_SSSE3 = 1 << 9, ECX1_SSE41 = 1 << 19, ECX1_OSXSAVE = 1 << 27, ECX1_AVX = 1 << 28,
        EBX7_AVX2 = 1 << 5, EBX7_AVX512F = 1 << 16, EBX7_AVX512DQ = 1 << 17, EBX7_AVX512BW = 1 << 30,
        ECX7_AVX512VNNI = 1 << 11,
        STATE_AVX = 0x06,    /* XMM and upper halves of YMM */
        STATE_AVX512 = 0xe6, /* those, mask registers, upper halves of ZMM, ZMM16 to ZMM31 */
    };
    const uint32_t ebx7_avx512vl = UINT32_C(1) << 31;
    uint32_t levels = 1u << CPU_SCALAR;
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has_all(c, ECX1_SSSE3 | ECX1_SSE41))
        return levels;
    levels |= 1u << CPU_SSE4;
    if (!has_all(c, ECX1_OSXSAVE | ECX1_AVX))
        return levels;
    const uint64_t state = saved_state();
    if (!has_all(state, STATE_AVX) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has_all(b, EBX7_AVX2))
        return levels;
    levels |= 1u << CPU_AVX2;
    if (has_all(state, STATE_AVX512) && has_all(b, EBX7_AVX512F | EBX7_AVX512DQ | EBX7_AVX512BW | ebx7_avx512vl))
        levels |= 1u << CPU_AVX512 | (has_all(c, ECX7_AVX512VNNI) ? 1u << CPU_AVX512VNNI : 0);
    return levels;
}

uint32_t cpu_levels(void)
{
    /* CPUID traps to the hypervisor in a virtual machine, tens of microseconds each time. 0: not asked yet. */
    static _Atomic uint32_t known;
    uint32_t levels = known;
    if (!levels)
        known = levels = detect_levels();
    return levels;
}

#else /* AArch64, where Advanced SIMD is part of the base */

uint32_t cpu_levels(void)
{
    return 1u << CPU_SCALAR | 1u << CPU_NEON;
}

#endif

enum cpu_level cpu_best_level(uint32_t levels)
{
    for (int level = CPU_LEVELS - 1; level > CPU_SCALAR; level--) {
        if (levels >> level & 1)
            return (enum cpu_level)level;
    }
    return CPU_SCALAR;
}

const char *cpu_level_name(enum cpu_level level)
{
    return level_words[level].name;
}

const char *cpu_level_title(enum cpu_level level)
{
    return level_words[level].title;
}

int cpu_level_from_name(const char *name)
{
    for (int level = 0; level < CPU_LEVELS; level++) {
        if (strcmp(name, level_words[level].name) == 0)
            return level;
    }
    return -1;
}
