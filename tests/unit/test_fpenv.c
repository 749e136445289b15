/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets hostile floating-point modes, and looks at what arithmetic gives inside and after the library's environment. */
#include "host/fpenv.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(int ok, const char *what)
{
    if (!ok) {
        failures++;
        printf("failed: %s\n", what);
    }
}

#if defined(__x86_64__)

#include <xmmintrin.h>

enum { HOSTILE_MODES = 3 };
static const char *const mode_names[HOSTILE_MODES] = { "FTZ, DAZ and round up", "round down", "round to zero, flags" };
/* round control in bits 13 and 14, FTZ bit 15, DAZ bit 6; masks stay on; the last one has sticky flags raised */
static const uint64_t modes[HOSTILE_MODES] = {0x1f80 | 0x4000 | 0x8000 | 0x40, 0x1f80 | 0x2000, 0x1f80 | 0x6000 | 0x3f};

static uint64_t read_modes(void)
{
    return _mm_getcsr();
}

static void write_modes(uint64_t m)
{
    const uint16_t x87 = (uint16_t)(0x37f | (m >> 13 & 3) << 10); /* as fesetround does: glibc's strtod goes by it */
    __asm__ volatile("fldcw %0" : : "m"(x87));
    _mm_setcsr((uint32_t)m);
}

#else

enum { HOSTILE_MODES = 3 };
static const char *const mode_names[HOSTILE_MODES] = { "FZ and round up", "round down", "round to zero, default NaN" };
/* rounding mode in bits 22 and 23, FZ bit 24, DN bit 25 */
static const uint64_t modes[HOSTILE_MODES] = { 1u << 24 | 1u << 22, 2u << 22, 1u << 25 | 3u << 22 };

static uint64_t read_modes(void)
{
    uint64_t m;
    __asm__ volatile("mrs %0, fpcr" : "=r"(m)::"memory");
    return m;
}

static void write_modes(uint64_t m)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(m) : "memory");
}

#endif

/* Volatile keeps the compiler from doing the arithmetic itself, or elsewhere. */
static double add(double a, double b)
{
    volatile double x = a, y = b;
    volatile double r = x + y;
    return r;
}

static double multiply(double a, double b)
{
    volatile double x = a, y = b;
    volatile double r = x * y;
    return r;
}

static float multiply_float(float a, float b)
{
    volatile float x = a, y = b;
    volatile float r = x * y;
    return r;
}

/* Asks integers, as a comparison of doubles would read denormals as zero too. */
static uint64_t bits_of(double x)
{
    union {
        double d;
        uint64_t u;
    } v = { .d = x };
    return v.u;
}

static int arithmetic_is_ieee(void)
{
    volatile double zero = 0.0;
    double quotient = 1.0 / zero; /* would trap with the division exception unmasked */
    return bits_of(multiply(0x1p-600, 0x1p-450)) == bits_of(0x1p-1050) /* the result is denormal */
        && bits_of(multiply(0x1p-1050, 0x1p60)) == bits_of(0x1p-990)   /* an operand is */
        && multiply_float(0x1p-100f, 0x1p-40f) > 0.0f
        && bits_of(add(1.0, 0x1p-53)) == bits_of(1.0)                  /* a tie, to even */
        && bits_of(add(1.0, 0x1.8p-53)) == bits_of(0x1.0000000000001p+0)
        && bits_of(add(-1.0, -0x1p-54)) == bits_of(-1.0)
        && bits_of(add(-1.0, -0x1.8p-53)) == bits_of(-0x1.0000000000001p+0)
        && bits_of(quotient) == UINT64_C(0x7ff0000000000000);
}

int main(void)
{
    const uint64_t original = read_modes();
    for (int i = 0; i < HOSTILE_MODES; i++) {
        struct assay_fpenv outer, inner;
        write_modes(modes[i]);
        const uint64_t hostile = read_modes();
        int ieee_before = arithmetic_is_ieee(); /* the proof that this test can tell the difference */
        write_modes(modes[i]);
        assay_fpenv_enter(&outer);
        int ieee_inside = arithmetic_is_ieee();
        char text[32];
        snprintf(text, sizeof text, "%.17g %.1f", strtod("1.1", NULL), 0.25); /* a tie, to even */
        check(!strcmp(text, "1.1000000000000001 0.2"), "numbers are read and written as IEEE has them inside");
        assay_fpenv_enter(&inner);
        assay_fpenv_leave(&inner);
        int ieee_after_nested = arithmetic_is_ieee();
        assay_fpenv_leave(&outer);
        const uint64_t after = read_modes();
        int ieee_after = arithmetic_is_ieee();
        write_modes(original);
        printf("%s: control 0x%llx\n", mode_names[i], (unsigned long long)hostile);
        check(!ieee_before, "the hostile modes change arithmetic");
        check(ieee_inside, "arithmetic is IEEE inside");
        check(ieee_after_nested, "arithmetic is IEEE after a nested leave");
        check(after == hostile, "leave restores the register");
        check(!ieee_after, "arithmetic is hostile again after leave");
    }
    check(read_modes() == original, "the test cleans up");
    printf("%d failures\n", failures);
    return failures != 0;
}
