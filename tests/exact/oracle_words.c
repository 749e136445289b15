/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Primitives on bit patterns. Sums, products, quotients and square roots are judged by integers: the result must be the
 * float nearest to the exact value, halves to even, found by comparing exact 128-bit products. Cube roots by
 * kernels/exact.h's formula, each of whose operations rounds so; how near that is to the root,
 * tests/oracle/test_primitives.c says.
 */
#include <string.h>

#include "exact/oracle_selftest.h"

typedef unsigned __int128 u128;

#define EACH_ITEM(x, y) \
    for (int64_t y = 0; y < pass->grid_h; y++) \
        for (int64_t x = 0; x < pass->grid_w; x++)
#define WORD(plane, x, y) oracle_word(b, pass, plane, x, y)

/* A finite float as sign * mantissa * 2^exponent. */
struct parts {
    bool negative;
    uint64_t mantissa;
    int exponent;
};

static struct parts parts_of(uint32_t w)
{
    const uint32_t e = w >> 23 & 0xff;
    const uint32_t m = (w & 0x7fffff) | (e ? 0x800000u : 0u);
    return (struct parts){.negative = w >> 31, .mantissa = m, .exponent = (int)(e ? e : 1) - 150};
}

/* mantissa * 2^exponent, plus a little more when `sticky`, rounded to the nearest float, halves to even. No result here
 * is denormal or infinite. */
static uint32_t rounded(bool negative, u128 mantissa, int exponent, bool sticky)
{
    const uint32_t sign = negative ? 0x80000000u : 0;
    if (!mantissa)
        return sign;
    while (mantissa < (u128)1 << 26) { /* the sticky part stays below the last bit */
        mantissa <<= 1;
        exponent--;
    }
    while (mantissa >= (u128)1 << 27) {
        sticky |= (mantissa & 1) != 0;
        mantissa >>= 1;
        exponent++;
    }
    /* 27 bits: 24 that stay and 3 that decide */
    uint32_t kept = (uint32_t)(mantissa >> 3), rest = (uint32_t)(mantissa & 7);
    exponent += 3;
    kept += rest > 4 || (rest == 4 && (sticky || (kept & 1)));
    if (kept == 0x1000000) {
        kept >>= 1;
        exponent++;
    }
    return sign | (uint32_t)(exponent + 150) << 23 | (kept & 0x7fffff);
}

static uint32_t exact_product(uint32_t a, uint32_t c)
{
    const struct parts p = parts_of(a), q = parts_of(c);
    return rounded(p.negative != q.negative, (u128)p.mantissa * q.mantissa, p.exponent + q.exponent, false);
}

static uint32_t exact_sum(uint32_t a, uint32_t c)
{
    struct parts p = parts_of(a), q = parts_of(c);
    if (!p.mantissa && !q.mantissa)
        return a & c; /* -0 only from two of them */
    if (!p.mantissa || !q.mantissa)
        return p.mantissa ? a : c;
    if (q.exponent > p.exponent) {
        const struct parts t = p;
        p = q;
        q = t;
    }
    /* Beyond 60 bits apart, q is only a direction. */
    const int apart = p.exponent - q.exponent;
    const bool far = apart > 60;
    const __int128 high = (__int128)((u128)p.mantissa << (far ? 60 : apart)), low = far ? 1 : (__int128)q.mantissa;
    const __int128 sum = (p.negative ? -high : high) + (q.negative ? -low : low);
    return rounded(sum < 0, (u128)(sum < 0 ? -sum : sum), far ? p.exponent - 60 : q.exponent, false);
}

static uint32_t exact_quotient(uint32_t a, uint32_t c)
{
    const struct parts p = parts_of(a), q = parts_of(c);
    const u128 whole = ((u128)p.mantissa << 60) / q.mantissa, rest = ((u128)p.mantissa << 60) % q.mantissa;
    return rounded(p.negative != q.negative, whole, p.exponent - q.exponent - 60, rest != 0);
}

static uint32_t exact_root(uint32_t a)
{
    struct parts p = parts_of(a);
    u128 v = (u128)p.mantissa << 60;
    int exponent = p.exponent - 60;
    if (exponent & 1) {
        v <<= 1;
        exponent--;
    }
    u128 root = 0;
    for (int bit = 43; bit >= 0; bit--) {
        const u128 more = root | (u128)1 << bit;
        if (more * more <= v)
            root = more;
    }
    return rounded(false, root, exponent / 2, root * root != v);
}

static uint32_t minus(uint32_t a)
{
    return a ^ 0x80000000u;
}

/* y ~ x^(-1/3) from a third of the bits, twice y += y (e / 3 + 2 e^2 / 9) with e = 1 - x y^3; c = x
 * y^2, c + (x - c^3) y^2 / 3. */
static uint32_t exact_cube_root(uint32_t x)
{
    const uint32_t one = 0x3f800000u, third = oracle_bits(0x1.555556p-2f), two_ninths = oracle_bits(0x1.c71c72p-3f);
    uint32_t part = (x >> 2) + (x >> 4); /* a third of the bits, as the formula comes near it */
    for (int n = 4; n <= 16; n *= 2)
        part += part >> n;
    uint32_t y = 0x54a21d2au - part;
    for (int i = 0; i < 2; i++) {
        const uint32_t e = exact_sum(one, minus(exact_product(exact_product(x, y), exact_product(y, y))));
        y = exact_sum(y, exact_product(y, exact_product(e, exact_sum(third, exact_product(e, two_ninths)))));
    }
    const uint32_t y2 = exact_product(y, y), c = exact_product(x, y2);
    const uint32_t rest = exact_sum(x, minus(exact_product(exact_product(c, c), c)));
    return exact_sum(c, exact_product(rest, exact_product(y2, third)));
}

static void divide(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y)
        oracle_put(b, 2, x, y, exact_quotient(WORD(0, x, y), WORD(1, x, y)));
}

static void roots(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t a = WORD(0, x, y);
        oracle_put(b, 1, x, y, a ? exact_root(a) : 0);
        oracle_put(b, 2, x, y, exact_cube_root(a));
    }
}

static void round_once(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        oracle_put(b, 2, x, y, exact_sum(WORD(0, x, y), WORD(1, x, y)));
        oracle_put(b, 3, x, y, exact_product(WORD(0, x, y), WORD(1, x, y)));
    }
}

static void fuse(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t p = WORD(0, x, y), q = WORD(1, x, y);
        oracle_put(b, 2, x, y, exact_sum(exact_product(p, q), minus(exact_product(p, oracle_bits(1.1f)))));
        oracle_put(b, 3, x, y, exact_sum(exact_sum(p, q), minus(p)));
    }
}

static void convert(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const struct parts p = parts_of(WORD(0, x, y));
        const int64_t v = oracle_get(b, pass, 1, x, y), i = v >= (int64_t)1 << 31 ? v - ((int64_t)1 << 32) : v;
        const uint64_t size = p.exponent >= 0    ? p.mantissa << p.exponent
                              : p.exponent > -64 ? p.mantissa >> -p.exponent
                                                 : 0;
        oracle_put(b, 2, x, y, (uint32_t)(p.negative ? 0 - size : size));
        oracle_put(b, 3, x, y, rounded(i < 0, (u128)(i < 0 ? -i : i), 0, false));
    }
}

static uint64_t shifted_left(uint32_t v, unsigned n)
{
    return v * ((uint64_t)1 << n) % ((uint64_t)1 << 32);
}

/* With the sign. The complement of a negative number shifts towards zero. */
static uint64_t shifted_down(uint32_t v, unsigned n)
{
    const uint64_t power = (uint64_t)1 << n;
    return (v >> 31 ? ~(uint64_t)(~v / power) : v / power) % ((uint64_t)1 << 32);
}

static void shift(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t v = WORD(0, x, y);
        uint64_t h = v, g = v;
        for (unsigned n = 0; n < 32; n++) {
            const unsigned own = (v >> 27) + n;
            h = h * 2654435761u + (shifted_left(v, n) ^ v >> (31 - n));
            g = g * 2654435761u + shifted_down(v, n);
            h = (h + (shifted_left(v, own % 32) ^ v >> (31 - own % 32))) % ((uint64_t)1 << 32);
            g = (g + shifted_down(v, own % 32)) % ((uint64_t)1 << 32);
        }
        oracle_put(b, 1, x, y, (uint32_t)h);
        oracle_put(b, 2, x, y, (uint32_t)g);
    }
}

/* -1, 0, 1 for less, equal and greater floats; 2 when one is NaN. By integers: floats of one
 * sign compare as their words. */
static int order(uint32_t a, uint32_t c)
{
    if ((a & 0x7fffffffu) > 0x7f800000u || (c & 0x7fffffffu) > 0x7f800000u)
        return 2;
    const int64_t p = a >> 31 ? -(int64_t)(a & 0x7fffffffu) : (int64_t)a,
                  q = c >> 31 ? -(int64_t)(c & 0x7fffffffu) : (int64_t)c;
    return (p > q) - (p < q);
}

static void selects(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t a = WORD(0, x, y), c = WORD(1, x, y);
        const int64_t ia = a >> 31 ? (int64_t)a - ((int64_t)1 << 32) : a,
                      ic = c >> 31 ? (int64_t)c - ((int64_t)1 << 32) : c;
        const int o = order(a, c);
        const bool less = o == -1, greater = o == 1, equal = o == 0;
        const uint32_t bits = less | (uint32_t)(less || equal) << 1 | (uint32_t)greater << 2 |
                              (uint32_t)(greater || equal) << 3 | (uint32_t)equal << 4 | (uint32_t)!equal << 5 |
                              (uint32_t)!less << 6 | (uint32_t)equal << 7 | (uint32_t)(less || greater) << 8 |
                              (uint32_t)(ia < ic) << 9 | (uint32_t)(ia == ic) << 10 | (uint32_t)(a < c) << 11 |
                              (uint32_t)(a >= c) << 12 | (uint32_t)(ia <= ic) << 13 | (uint32_t)(ia >= ic) << 14 |
                              (uint32_t)(a < c) << 15;
        oracle_put(b, 2, x, y, bits);
        oracle_put(b, 3, x, y,
                   (greater ? a : c) * 3 + (less ? a : c) * 5 + (a & 0x7fffffffu) * 7 + (a < c ? a : c) * 11);
    }
}

static int64_t as_signed(uint32_t v)
{
    return v >> 31 ? (int64_t)v - ((int64_t)1 << 32) : v;
}

/* The signed number divided by 2^n, down. */
static int64_t floor_shifted(uint32_t v, int n)
{
    const int64_t by = (int64_t)1 << n, number = as_signed(v);
    return number >= 0 ? number / by : -((-number + by - 1) / by);
}

static uint64_t u64_result(int op, int n, uint64_t p, uint64_t q, uint32_t a, uint32_t c)
{
    switch (op) {
    case 0: return p + q;
    case 1: return p - q;
    case 2: return (uint64_t)a * c;
    case 3: return p * q;
    case 4: return p << n;
    case 5: return p >> n;
    case 6: return p >> 63 ? ~(~p >> n) : p >> n;
    case 9: return (uint64_t)(as_signed(a) * as_signed(c));
    case 7: return ((0 - p) >> 32) << 32 | rounded(false, p >> n, 0, false);
    default: return (uint64_t)(p < q) | (uint64_t)((p ^ (uint64_t)1 << 63) < (q ^ (uint64_t)1 << 63)) << 32;
    }
}

static void u64(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t a = WORD(0, x, y), c = WORD(1, x, y);
        const uint64_t p = (uint64_t)c << 32 | a, q = (uint64_t)(a << 7 | a >> 25) << 32 | c;
        const uint64_t r = u64_result(pass->param[0].i, pass->param[1].i, p, q, a, c);
        oracle_put(b, 2, x, y, (uint32_t)r);
        oracle_put(b, 3, x, y, (uint32_t)(r >> 32));
    }
}

static double f64_operand(uint32_t hi, uint32_t lo, bool near)
{
    uint64_t bits = (uint64_t)(hi & 0x80000000u) << 32;
    if (hi & 0x00ff0000u) {
        const uint32_t exponent = near ? (hi >> 20) % 8 + 1023 + 28 : (hi >> 20) % 128 + 1023 - 64;
        bits |= (uint64_t)exponent << 52 | (uint64_t)(hi & 0xfffffu) << 32 | lo;
    }
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t f64_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* The host's doubles are IEEE's. */
static uint64_t f64_result(int op, int near, uint32_t a, uint32_t c)
{
    const double p = f64_operand(a, c, near), q = f64_operand(near ? a ^ (c & 0x80100003u) : c, a, near);
    const uint64_t word = (uint64_t)c << 32 | a;
    switch (op) {
    case 0: return f64_bits(p + q);
    case 1: return f64_bits(p - q);
    case 2: return f64_bits(p * q);
    case 3: return f64_bits(p / (q == 0 ? 1.5 : q));
    case 4: return (uint64_t)(p < q) | (uint64_t)(p <= q) << 32;
    case 5: return f64_bits((double)(word >> near));
    case 6: return f64_bits((double)(word >> 63 ? -(int64_t)(~word >> near) - 1 : (int64_t)(word >> near)));
    case 7: return f64_bits((double)floor_shifted(a, near));
    case 8: return oracle_bits((float)p);
    case 9: return (uint64_t)(uint32_t)(int32_t)(p * 0x1p-33) | ((uint64_t)(int64_t)(p * 0.5) >> 32) << 32;
    case 10: return (uint64_t)(int64_t)(p * 0.5);
    default: return f64_bits((double)(float)p);
    }
}

static void f64(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint64_t r = f64_result(pass->param[0].i, pass->param[1].i, WORD(0, x, y), WORD(1, x, y));
        oracle_put(b, 2, x, y, (uint32_t)r);
        oracle_put(b, 3, x, y, (uint32_t)(r >> 32));
    }
}

/* Wraps as two's complement does. */
static void add_total(int64_t *total, uint64_t v)
{
    const uint64_t sum = (uint64_t)*total + v;
    memcpy(total, &sum, sizeof sum);
}

static void wide_sums(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t a = WORD(0, x, y), c = WORD(1, x, y);
        b->totals[0] += floor_shifted(a, 7);
        add_total(&b->totals[1], (uint64_t)c << 32 | a);
        add_total(&b->totals[2], (uint64_t)(as_signed(a) * as_signed(c)));
    }
}

static void wide_rows(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t a = WORD(0, x, y), c = WORD(1, x, y);
        add_total(&b->totals[2 * y], (uint64_t)c << 32 | a);
        add_total(&b->totals[2 * y + 1], (uint64_t)(as_signed(a) * as_signed(c)));
    }
}

static int64_t signed_word(const struct buffers *b, const struct trial_pass *pass, int64_t x, int64_t y)
{
    return as_signed(WORD(0, x, y));
}

static void clamps(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const int64_t far = signed_word(b, pass, x, y), last = pass->plane[1].width - 1;
        const int64_t near = far >= 0 ? far / 4194304 : -((-far + 4194303) / 4194304);
        oracle_put(b, 2, x, y, WORD(1, far < 0 ? 0 : far > last ? last : far, 0) * 3
                             + WORD(1, near < 0 ? 0 : near > last ? last : near, 0));
    }
}

/* A float as large as b's swallows the denormal whole. */
static void denormals(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t q = WORD(1, x, y);
        oracle_put(b, 2, x, y, q >> 31 ? WORD(0, x + 1, y) : WORD(0, x, y));
        oracle_put(b, 3, x, y, q);
    }
}

static void sums(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const int64_t w = signed_word(b, pass, x, y), v = w >= 0 ? w / 128 : -((-w + 127) / 128), size = v < 0 ? -v : v;
        b->totals[0] += v;
        b->totals[1] += size;
        b->totals[2] -= size;
        b->totals[3] -= v >= 0 ? (v + 1) / 2 : -(-v / 2);
        b->totals[4] += (int64_t)((uint32_t)v & 0xfff) * 2047 - (int64_t)((uint32_t)v >> 16 & 0xfff) * 1023;
    }
}

const struct oracle oracle_words[] = {
    {"t_divide", divide}, {"t_roots", roots}, {"t_round", round_once}, {"t_fuse", fuse}, {"t_convert", convert},
    {"t_shift", shift}, {"t_select", selects}, {"t_u64", u64}, {"t_f64", f64}, {"t_wide_sums", wide_sums},
    {"t_wide_rows", wide_rows}, {"t_clamp", clamps}, {"t_denormals", denormals}, {"t_sums", sums}, {NULL, NULL},
};
