/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of ciede2000, a colour and a pair of colours at a time, against their formulas in double: L*a*b* of a
 * dense grid of Y'CbCr, and the differences of all pairs of a coarser one, of greys, of tiny chroma, of hues around 0
 * and of near colours at 16 bits. Also the four pairs of L*a*b* in libvmaf's own test (test_ciede.c there).
 *
 *     test_ciede [--nightly]      pairs of a grid of 13 x 13 x 13 colours instead of 9 x 9 x 9
 *
 * With ORACLE_SABOTAGE=1 a coefficient of the formula is a little off, and the test passes if it notices.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_gen.h"
#include "oracle.h"

extern kernel_fn assay_k_ciede_lab_u8_scalar, assay_k_ciede_lab_u16_scalar, assay_k_ciede_f32_scalar;

/* The largest distance of a component of L*a*b*, and of a difference from one in double of the same floats: a part of
 * it and a part of the largest chroma. Of saturated blues most of c^2 + h^2 is taken away again by RT c h. */
static const double lab_bound = 2e-4, part_bound = 1e-5, chroma_bound = 2e-7;

static unsigned long checks, failures, opposite;
static double worst_part, worst_lab, worst_opposite;

struct colour {
    float lab[3];
};

/* The parameters are those of ciede2000.c for BT.709 of limited range. */
static struct colour colour_of(uint32_t depth, uint32_t luma, uint32_t cb, uint32_t cr)
{
    const double slope = 1000.0 / 1055, step = (double)(1u << (depth - 8)), chroma = slope / (224 * step);
    uint8_t narrow[3] = { (uint8_t)luma, (uint8_t)cb, (uint8_t)cr };
    uint16_t wide[3] = { (uint16_t)luma, (uint16_t)cb, (uint16_t)cr };
    struct colour c;
    struct kernel_args a = { .grid_w = 1, .grid_h = 1, .tile_w = 1, .tile_h = 1 };
    for (int i = 0; i < 3; i++)
        a.plane[i] = (struct kernel_plane){ .data = depth > 8 ? (void *)&wide[i] : (void *)&narrow[i], .stride = 2,
                                            .width = 1, .height = 1 };
    a.plane[3] = (struct kernel_plane){ .data = c.lab, .stride = 4, .width = 1, .height = 3 };
    a.param[2].i = 16 << (depth - 8);
    a.param[3].i = 128 << (depth - 8);
    a.param[4].f = (float)(slope / (219 * step));
    a.param[5].f = (float)(1.28033 * chroma);
    a.param[6].f = (float)(-0.21482 * chroma);
    a.param[7].f = (float)(-0.38059 * chroma);
    a.param[8].f = (float)(2.12798 * chroma);
    (depth > 8 ? assay_k_ciede_lab_u16_scalar : assay_k_ciede_lab_u8_scalar)(&a);
    return c;
}

static struct oracle_lab exact_of(const struct colour *c)
{
    return (struct oracle_lab){ (double)c->lab[0], (double)c->lab[1], (double)c->lab[2] };
}

static void check_lab(uint32_t depth, uint32_t luma, uint32_t cb, uint32_t cr)
{
    const struct colour c = colour_of(depth, luma, cb, cr);
    const struct oracle_lab exact = oracle_lab_of_yuv(depth, luma, cb, cr), got = exact_of(&c);
    const double off = fmax(fabs(got.l - exact.l), fmax(fabs(got.a - exact.a), fabs(got.b - exact.b)));
    checks++;
    worst_lab = fmax(worst_lab, off);
    if (!(off <= lab_bound) && failures++ < 5)
        printf("    L*a*b* of %u %u %u at %u bits is %.7g off\n", luma, cb, cr, depth, off);
}

static double difference_of(struct colour one, struct colour two)
{
    int64_t totals[2] = { 0 };
    struct kernel_args a = { .grid_w = 1, .grid_h = 1, .tile_w = 1, .tile_h = 1, .totals = totals };
    a.plane[0] = (struct kernel_plane){ .data = one.lab, .stride = 4, .width = 1, .height = 3 };
    a.plane[1] = (struct kernel_plane){ .data = two.lab, .stride = 4, .width = 1, .height = 3 };
    assay_k_ciede_f32_scalar(&a);
    return ((double)totals[0] + (double)totals[1] / 1048576) / 4096;
}

/* Half a degree from opposite hues the mean hue turns by that much where a hue does, and jumps there: the difference is
 * then only roughly that of the formula. */
static bool is_opposite(struct oracle_lab one, struct oracle_lab two)
{
    const double sum = one.a * two.b - one.b * two.a, dot = one.a * two.a + one.b * two.b;
    return dot < 0 && fabs(sum) < 0.01 * -dot;
}

static void check_pair(struct colour first, struct colour second)
{
    const struct oracle_lab one = exact_of(&first), two = exact_of(&second);
    const double exact = oracle_ciede(one, two), got = difference_of(first, second), off = fabs(got - exact);
    const double chroma = fmax(hypot(one.a, one.b), hypot(two.a, two.b));
    checks++;
    if (is_opposite(one, two)) {
        opposite++;
        worst_opposite = fmax(worst_opposite, exact > 0 ? off / exact : 0);
        if (!(off <= 2e-3 * exact + 1e-6) && failures++ < 5)
            printf("    opposite hues: %.9g, should be %.9g\n", got, exact);
        return;
    }
    if (exact > 0.01)
        worst_part = fmax(worst_part, off / exact);
    if (!(off <= part_bound * exact + chroma_bound * chroma + 1e-9) && failures++ < 5)
        printf("    (%.9g %.9g %.9g) (%.9g %.9g %.9g): %.9g, should be %.9g\n", one.l, one.a, one.b, two.l, two.a,
               two.b, got, exact);
}

static uint64_t state = 1;
static uint32_t number(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static float uniform(double low, double high)
{
    return (float)(low + (high - low) * number(1u << 30) / (1u << 30));
}

static void check_grid(uint32_t n)
{
    const uint32_t all = n * n * n;
    struct colour *c = malloc(all * sizeof *c);
    for (uint32_t i = 0; i < all; i++)
        c[i] = colour_of(8, i / n / n * 255 / (n - 1), i / n % n * 255 / (n - 1), i % n * 255 / (n - 1));
    for (uint32_t i = 0; i < all; i++)
        for (uint32_t k = 0; k < all; k++)
            check_pair(c[i], c[k]);
    free(c);
}

static void check_special(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        /* two greys; a grey and a colour; any two colours of 8 bits */
        const uint32_t y1 = number(256), y2 = number(256), u = number(256), v = number(256);
        check_pair(colour_of(8, y1, 128, 128), colour_of(8, y2, 128, 128));
        check_pair(colour_of(8, y1, 128, 128), colour_of(8, y2, u, v));
        check_pair(colour_of(8, y1, number(256), number(256)), colour_of(8, y2, u, v));
        /* a step or none of 16 bits on each component */
        const uint32_t y = 1 + number(65534), cb = 1 + number(65534), cr = 1 + number(65534);
        check_pair(colour_of(16, y, cb, cr), colour_of(16, y + number(3) - 1, cb + number(3) - 1, cr + number(3) - 1));
        /* hues around 0, around 275 degrees, tiny chroma, a chroma of 0 */
        const double sizes[] = { 1e-5, 1e-3, 1, 30, 120 }, size = sizes[number(5)];
        const double middle = number(2) ? 0 : 275, h1 = (middle + (double)uniform(-60, 60)) / 57.29577951308232,
                     h2 = (middle + (double)uniform(-60, 60)) / 57.29577951308232;
        const double c1 = size * (double)uniform(0.2, 1.5), c2 = number(20) ? size * (double)uniform(0.2, 1.5) : 0;
        const float l = uniform(0, 100);
        check_pair((struct colour){ { l, (float)(c1 * cos(h1)), (float)(c1 * sin(h1)) } },
                   (struct colour){ { l + uniform(-1, 1) * (float)number(2), (float)(c2 * cos(h2)),
                                      (float)(c2 * sin(h2)) } });
    }
}

/* libvmaf's test holds its own results to 1e-9; they are rounded to float on the way. */
static void check_published(void)
{
    static const struct {
        struct colour one, two;
        double difference;
    } published[] = {
        { { { 0.052488625f, -0.587470829f, -8.98771572f } }, { { 0.465437293f, 0.386364758f, -12.7648535f } },
          2.54780269 },
        { { { 87.156334f, -12.049645f, -1.205325f } }, { { 83.455727f, -9.040445f, -8.894289f } }, 4.22714281 },
        { { { 79.718491f, 9.109915f, 13.727915f } }, { { 78.717224f, 7.526546f, 5.597448f } }, 4.26012468 },
        { { { 99.205299f, -3.339410f, 1.205873f } }, { { 97.991730f, -2.497345f, 2.473533f } }, 1.26915979 },
    };
    for (unsigned i = 0; i < sizeof published / sizeof published[0]; i++) {
        const double want = published[i].difference, exact = oracle_ciede(exact_of(&published[i].one),
                                                                         exact_of(&published[i].two));
        checks++;
        if (fabs(exact - want) > 1e-6 || fabs(difference_of(published[i].one, published[i].two) - want) > 1e-5)
            failures++;
        check_pair(published[i].one, published[i].two);
    }
}

int main(int argc, char **argv)
{
    const bool nightly = argc > 1 && !strcmp(argv[1], "--nightly");
    for (uint32_t i = 0; i < 33 * 33 * 33; i++)
        check_lab(8, i / 1089 * 255 / 32, i / 33 % 33 * 255 / 32, i % 33 * 255 / 32);
    for (unsigned i = 0; i < 50000; i++)
        check_lab(16, number(65536), number(65536), number(65536));
    check_published();
    check_grid(nightly ? 13 : 9);
    check_special(nightly ? 2000000 : 100000);
    printf("%lu checks: L*a*b* within %.3g, differences above 0.01 within %.3g of themselves, %lu of opposite hues "
           "within %.3g, %lu failures\n", checks, worst_lab, worst_part, opposite, worst_opposite, failures);
    if (ORACLE_SABOTAGE)
        return failures == 0;
    return failures != 0;
}
