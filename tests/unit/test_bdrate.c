/* SPDX-License-Identifier: BSD-2-Clause */
/* Bjontegaard's deltas: published curves against published figures and the figures of published programs, the same bits
 * everywhere, and every refusal. tests/cli/test_bdrate.py computes curves a second time in exact fractions.
 *
 * Built with SABOTAGE the same program runs on a logarithm that is off by one ULP, and succeeds if it notices. */
#ifdef SABOTAGE
#include "host/exact_math.h"
#include <math.h>
static double log10_off(double x)
{
    return nextafter(assay_log10(x), 1e9);
}
#define assay_log10 log10_off
#include "results/bdrate.c"
#undef assay_log10
#else
#include "results/bdrate.h"
#endif

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 6 };

/* `published` is the BD-rate in %, with `digits` decimals, that the source prints; NaN: it prints none. `program` are
 * BD-rate and BD-score that FAU-LMS's `bjontegaard` 1.3.0 computes with scipy 1.10.1, and, of `aom`, the BD-rate of
 * AOM's CalcBDRate.py with it; both sum in another order, so their last digits differ. Those of `cubic` are computed in
 * exact fractions, as tests/cli/test_bdrate.py does. */
static const struct example {
    const char *name;
    uint32_t n;
    double rate[2][POINTS], figure[2][POINTS];
    struct {
        double published, tolerance, program[2];
        uint64_t bits[2];
    } of[BDRATE_METHODS];
} examples[] = {
    /* JCTVC-E137, two lines of its tables, with the figures that libvmaf's tests state for them */
    {"JCTVC-E137, first", 4,
     {{108048.8736, 61279.976, 33905.6656, 18883.6928}, {108061.2784, 61299.9936, 33928.7472, 18910.912}},
     {{43.6471, 40.3953, 37.247, 34.2911}, {43.6768, 40.4232, 37.2761, 34.3147}},
     {{-0.465215420752807, 1e-11, {-0.46521542075262934, 0.02505021125935584},
       {UINT64_C(0xbfddc616e66e8e18), UINT64_C(0x3f99a6c33877a0cb)}},
      {NAN, 0, {-0.46512033118071283, 0.025057351950847715},
       {UINT64_C(0xbfddc48810c80170), UINT64_C(0x3f99a8a26c9cee49)}},
      {NAN, 0, {-0.465209803318023, NAN},
       {UINT64_C(0xbfddc5ff56c21c60), UINT64_C(0x3f99a6b3dd891483)}},
      {NAN, 0, {-0.4644154200334709, 0.025059986247449467},
       {UINT64_C(0xbfddb8fb74334460), UINT64_C(0x3f99a953357beb26)}}}},
    {"JCTVC-E137, second", 4,
     {{40433.8848, 7622.7456, 2394.488, 1017.6184}, {40370.12, 7587.0024, 2390.0944, 1017.0984}},
     {{37.5761, 35.3756, 33.8977, 32.0603}, {37.5982, 35.4025, 33.9194, 32.0822}},
     {{-1.8779823450567612, 1e-11, {-1.8779823450566169, 0.028471891040305668},
       {UINT64_C(0xbffe0c373727bf30), UINT64_C(0x3f9d27bc437e597e)}},
      {NAN, 0, {-1.8651320008330363, 0.028074864268297594},
       {UINT64_C(0xbffdd794a724d32c), UINT64_C(0x3f9cbfa83f7ce291)}},
      {NAN, 0, {-1.877921888950218, NAN},
       {UINT64_C(0xbffe0bf7d297b10e), UINT64_C(0x3f9d27a0799417ec)}},
      {NAN, 0, {-1.9101686785718026, 0.028703812331159356},
       {UINT64_C(0xbffe900d0844f520), UINT64_C(0x3f9d64883cee70a7)}}}},
    /* the three examples that come with `bjontegaard` */
    {"bjontegaard, first", 4,
     {{9487.76, 4593.60, 2486.44, 1358.24}, {9787.80, 4469.00, 2451.52, 1356.24}},
     {{40.037, 38.615, 36.845, 34.851}, {40.121, 38.651, 36.970, 34.987}},
     {{NAN, 0, {-4.417485350589045, 0.11969278542479489},
       {UINT64_C(0xc011ab81479d5b2e), UINT64_C(0x3fbea42fb6f775b0)}},
      {NAN, 0, {-4.425245156997493, 0.11940927028529469},
       {UINT64_C(0xc011b37377685810), UINT64_C(0x3fbe919b1eb6eb61)}},
      {NAN, 0, {-4.4173119355973895, NAN},
       {UINT64_C(0xc011ab53d1ee7bac), UINT64_C(0x3fbea3fea7d837f6)}},
      {NAN, 0, {-4.420462706168441, 0.12040941911488987},
       {UINT64_C(0xc011ae8dc690b965), UINT64_C(0x3fbed326d53a9339)}}}},
    {"bjontegaard, second", 4,
     {{82472.76, 26875.24, 9487.76, 4593.6}, {99896.96, 33952.04, 9787.8, 4469.0}},
     {{43.825, 41.404, 40.037, 38.615}, {44.731, 41.875, 40.121, 38.651}},
     {{NAN, 0, {-4.47218200276197, 0.08887484704747745},
       {UINT64_C(0xc011e383adce7e05), UINT64_C(0x3fb6c0808181856c)}},
      {NAN, 0, {-4.085760940415084, 0.08990284924945707},
       {UINT64_C(0xc01057d1b7496cec), UINT64_C(0x3fb703df8557f88c)}},
      {NAN, 0, {-4.472202503631484, NAN},
       {UINT64_C(0xc011e3890d98bbfe), UINT64_C(0x3fb6c18e3f422dc1)}},
      {NAN, 0, {-4.6994375478767285, 0.09540440289141454},
       {UINT64_C(0xc012cc395b46e5f1), UINT64_C(0x3fb86c6c465022d7)}}}},
    {"bjontegaard, third", 6,
     {{82472.76, 26875.24, 9487.76, 4593.6, 3600, 2900}, {99896.96, 33952.04, 9787.8, 4469.0, 4040, 3300}},
     {{43.825, 41.404, 40.037, 38.615, 36.5, 35.1}, {44.731, 41.875, 40.121, 38.651, 37, 36.5}},
     {{NAN, 0, {-2.9528024116427964, 0.08953590194998828},
       {UINT64_C(0xc0079f56deec7322), UINT64_C(0x3fb6ebd32ab16df6)}},
      {NAN, 0, {-2.52692018696532, 0.050889305024889205},
       {UINT64_C(0xc0043721ee54f136), UINT64_C(0x3faa0e29b998a20a)}},
      {NAN, 0, {-2.954654426155845, NAN},
       {UINT64_C(0xc007a321dc1a9583), UINT64_C(0x3fb6ff1e793f23d4)}},
      {NAN, 0, {-0.6392886208331693, 0.10358085154975921},
       {UINT64_C(0xbfe4750d68e5dd9c), UINT64_C(0x3fba844651e5e5a5)}}}},
    /* the example in AOM's CalcBDRate.py */
    {"AOM", 6,
     {{9563.04, 6923.28, 4894.8, 3304.32, 2108.4, 1299.84}, {9758.88, 7111.68, 5073.36, 3446.4, 2178, 1306.56}},
     {{50.0198, 46.9709, 43.4791, 39.6659, 35.8063, 32.3055}, {49.6767, 46.7027, 43.2038, 39.297, 35.2944, 31.5938}},
     {{NAN, 0, {7.909194770434658, -0.6858086007021504},
       {UINT64_C(0x401fa303f432d907), UINT64_C(0xbfe5f224e0ea99f6)}},
      {NAN, 0, {7.913163103882015, -0.6863429010825024},
       {UINT64_C(0x401fa7143a8c58b5), UINT64_C(0xbfe5f685633fb72e)}},
      {NAN, 0, {7.909282487807445, NAN},
       {UINT64_C(0x401fa31af2cfd599), UINT64_C(0xbfe5f2259b23de79)}},
      {NAN, 0, {7.9384909422134164, -0.6923545223571171},
       {UINT64_C(0x401fc103c501989e), UINT64_C(0xbfe627c4abd85e95)}}}},
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

static int failures;

static void expect(bool good, const char *what, const char *more)
{
    if (!good) {
        printf("%s: %s\n", what, more);
        failures++;
    }
}

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void fill(struct bdrate_point *p, const struct example *x, unsigned side)
{
    for (uint32_t i = 0; i < x->n; i++)
        p[i] = (struct bdrate_point){"p", x->rate[side][i], x->figure[side][i]};
}

/* Both curves of an example, in order. */
static void order(struct bdrate_point curve[2][POINTS], const struct example *x)
{
    for (unsigned side = 0; side < 2; side++) {
        struct assay_error e = {0};
        int direction = 0;
        fill(curve[side], x, side);
        expect(!bdrate_order(curve[side], x->n, "curve", "psnr_y", &direction, &e) && direction == ASSAY_HIGHER,
               x->name, e.text);
    }
}

static void check_example(const struct example *x)
{
    struct bdrate_point curve[2][POINTS];
    order(curve, x);
    for (unsigned m = 0; m < BDRATE_METHODS; m++) {
        struct assay_error e = {0};
        struct bdrate r, back, same;
        const enum bdrate_method method = (enum bdrate_method)m;
        expect(!bdrate_compare(curve[0], x->n, curve[1], x->n, method, "psnr_y", &r, &e), x->name, e.text);
        const double program[2] = {r.rate - x->of[m].program[0], r.figure - x->of[m].program[1]};
        expect(!(fabs(program[0]) > 1e-10) && !(fabs(program[1]) > 1e-12), x->name, "not what the programs compute");
        expect(isnan(x->of[m].published) || fabs(r.rate - x->of[m].published) <= x->of[m].tolerance, x->name,
               "not what was published");
        if (bits_of(r.rate) != x->of[m].bits[0] || bits_of(r.figure) != x->of[m].bits[1]) {
            printf("%s %s: {0x%016" PRIx64 ", 0x%016" PRIx64 "}\n", x->name, bdrate_method_name[m], bits_of(r.rate),
                   bits_of(r.figure));
            failures++;
        }
        bdrate_compare(curve[1], x->n, curve[0], x->n, method, "psnr_y", &back, &e);
        expect(back.figure == -r.figure && back.figures.share == r.figures.share, x->name, "not the same backwards");
        expect(fabs((1 + back.rate / 100) * (1 + r.rate / 100) - 1) < 1e-14, x->name, "no inverse backwards");
        bdrate_compare(curve[0], x->n, curve[0], x->n, method, "psnr_y", &same, &e);
        expect(same.rate == 0 && same.figure == 0 && same.figures.share == 1 && same.rates.share == 1, x->name,
               "a curve differs from itself");
    }
}

/* The order of the points does not matter. With figures below zero as "lower is better" the rates stay the same. */
static void check_order(const struct example *x)
{
    struct bdrate_point curve[2][POINTS], turned[2][POINTS];
    struct assay_error e = {0};
    order(curve, x);
    for (unsigned m = 0; m < BDRATE_METHODS; m++) {
        struct bdrate r, s;
        int direction = ASSAY_LOWER;
        for (unsigned side = 0; side < 2; side++) {
            fill(turned[side], x, side);
            const struct bdrate_point first = turned[side][0];
            memmove(turned[side], turned[side] + 1, (x->n - 1) * sizeof first);
            turned[side][x->n - 1] = first;
            for (uint32_t i = 0; i < x->n; i++)
                turned[side][i].figure = -turned[side][i].figure;
            expect(!bdrate_order(turned[side], x->n, "curve", "mse", &direction, &e), x->name, e.text);
        }
        bdrate_compare(curve[0], x->n, curve[1], x->n, (enum bdrate_method)m, "psnr_y", &r, &e);
        bdrate_compare(turned[0], x->n, turned[1], x->n, (enum bdrate_method)m, "mse", &s, &e);
        expect(fabs(r.rate - s.rate) < 1e-11 && r.figure == -s.figure, x->name, "mirrored figures have other results");
        expect(s.figures.low == -r.figures.high && s.figures.high == -r.figures.low, x->name, "mirrored overlap");
    }
}

/* ---- refusals ---- */

static void refused(uint32_t n, const double (*at)[2], int direction, int code, const char *says)
{
    struct bdrate_point p[POINTS];
    struct assay_error e = {0};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    for (uint32_t i = 0; i < n; i++)
        p[i] = (struct bdrate_point){names[i], at[i][0], at[i][1]};
    expect(bdrate_order(p, n, "anchor", "vmaf", &direction, &e) == code && strstr(e.text, says), says, e.text);
}

static void check_refusals(void)
{
    static const double good[][2] = {{100, 50}, {200, 60}, {400, 70}, {800, 75}},
                        equal_rate[][2] = {{100, 50}, {200, 60}, {400, 70}, {200, 75}},
                        falls[][2] = {{100, 50}, {200, 60}, {800, 69}, {400, 70}},
                        flat[][2] = {{100, 50}, {200, 60}, {400, 70}, {800, 70}},
                        endless[][2] = {{100, 50}, {200, 60}, {400, 70}, {800, (double)INFINITY}},
                        none[][2] = {{100, 50}, {200, (double)NAN}, {400, 70}, {800, 75}},
                        zero[][2] = {{0, 50}, {200, 60}, {400, 70}, {800, 75}},
                        unknown[][2] = {{(double)NAN, 50}, {200, 60}, {400, 70}, {800, 75}};
    refused(3, good, 0, ASSAY_EUSAGE, "3 points");
    refused(4, equal_rate, 0, ASSAY_EMISMATCH, "b and d have the same rate, 200");
    refused(4, falls, 0, ASSAY_EMISMATCH, "not monotonic: 70.000000 of d, and 69.000000 of c");
    refused(4, flat, 0, ASSAY_EMISMATCH, "not monotonic: 70.000000 of c, and 70.000000 of d");
    refused(4, good, ASSAY_LOWER, ASSAY_EMISMATCH, "not monotonic: 50.000000 of a, and 60.000000 of b");
    refused(4, endless, 0, ASSAY_EUSAGE, "vmaf of d has no finite value");
    refused(4, none, 0, ASSAY_EUSAGE, "vmaf of b has no finite value");
    refused(4, zero, 0, ASSAY_EUSAGE, "rate of a is no positive number");
    refused(4, unknown, 0, ASSAY_EUSAGE, "rate of a is no positive number");
}

/* Two curves of four points: equal figures from `figure` on in steps of 1, rates from `rate` on that double. */
static void curves(struct bdrate_point c[2][4], double figure, double rate, double step)
{
    for (unsigned i = 0; i < 4; i++) {
        c[0][i] = (struct bdrate_point){"a", 100.0 * (1 << i), 50 + i * step};
        c[1][i] = (struct bdrate_point){"b", rate * (1 << i), figure + i * step};
    }
}

/* Curves that cross, and curves that are a hair apart. */
static void check_crossing(void)
{
    struct bdrate_point c[2][4];
    char text[BDRATE_NOTICE];
    for (unsigned m = 0; m < BDRATE_METHODS; m++) {
        const enum bdrate_method method = (enum bdrate_method)m;
        struct assay_error e = {0};
        struct bdrate r;
        curves(c, 50, 100, 1);
        expect(!bdrate_compare(c[0], 4, c[1], 4, method, "vmaf", &r, &e) && !r.cross, "equal curves cross", e.text);
        c[1][0].rate *= 0.999, c[1][3].rate *= 1.0009; /* by less than a thousandth at one end */
        expect(!bdrate_compare(c[0], 4, c[1], 4, method, "vmaf", &r, &e) && !r.cross, "close curves cross", e.text);
        c[1][0].rate *= 0.9, c[1][3].rate *= 1.1;
        expect(!bdrate_compare(c[0], 4, c[1], 4, method, "vmaf", &r, &e) && r.cross &&
               bdrate_notice(&r, BDRATE_NOTICES - 1, text) && strstr(text, "the curves cross"), "crossing curves",
               e.text);
    }
}

static void check_ends(void)
{
    struct bdrate_point c[2][4];
    for (unsigned m = 0; m < BDRATE_METHODS; m++) {
        const enum bdrate_method method = (enum bdrate_method)m;
        struct assay_error e = {0};
        struct bdrate r;
        curves(c, 53, 100, 1); /* they touch in one figure */
        expect(bdrate_compare(c[0], 4, c[1], 4, method, "vmaf", &r, &e) == ASSAY_EMISMATCH &&
               strstr(e.text, "vmaf: the curves do not overlap: 50.000000 to 53.000000 of the anchor, 53.000000 to 56"),
               "touching curves", e.text);
        curves(c, 50, 1000, 1); /* rates apart, figures alike: straight lines, ten times the rate */
        e = (struct assay_error){0};
        expect(!bdrate_compare(c[0], 4, c[1], 4, method, "vmaf", &r, &e) && fabs(r.rate - 900) < 1e-9 &&
               isnan(r.figure) && r.rates.share == 0 && r.figures.share == 1, "rates apart", e.text);
        curves(c, 52, 100, 1); /* a part in common */
        expect(!bdrate_compare(c[0], 4, c[1], 4, method, "vmaf", &r, &e) && fabs(r.rate + 75) < 1e-9 &&
               fabs(r.figure - 2) < 1e-12 && r.figures.low == 52 && r.figures.high == 53 &&
               fabs(r.figures.share - 0.2) < 1e-15 && r.rates.low == 100 && r.rates.high == 800, "a part", e.text);
        curves(c, 53 - 0x1p-30, 100, 1); /* next to nothing in common: there, an eighth of the rate */
        expect(!bdrate_compare(c[0], 4, c[1], 4, method, "vmaf", &r, &e) && fabs(r.rate + 87.5) < 1e-7,
               "a short overlap", bdrate_method_name[method]);
        curves(c, 50, 110, 0x1p-1070);
        for (unsigned side = 0; side < 2; side++)
            for (unsigned i = 0; i < 4; i++)
                c[side][i].figure -= 50;
        for (unsigned i = 0; i < 4; i++)
            c[0][i].figure = c[1][i].figure = i * 0x1p-1070;
        expect(bdrate_compare(c[0], 4, c[1], 4, method, "vmaf", &r, &e) == ASSAY_EMISMATCH &&
               strstr(e.text, "too steep"), "steep curves", e.text);
    }
}

int main(void)
{
    for (unsigned i = 0; i < EXAMPLES; i++) {
        check_example(&examples[i]);
        check_order(&examples[i]);
    }
    check_refusals();
    check_crossing();
    check_ends();
    printf("%d failures\n", failures);
#ifdef SABOTAGE
    return failures == 0;
#else
    return failures != 0;
#endif
}
