/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shares of integer VIF without a double against those in double (kernels/vif_share.h): random variances of all
 * sizes, covariances of all sizes, those that make quotients near whole numbers, equal and nearly equal pictures,
 * multiples, and covariances at a limit of the gain. A form that is sure has to have the same integers; it has to be
 * sure of equal pictures, and of six in seven cases of each other kind. A build that adds a wrong constant to the
 * divisor must be noticed.
 */
#include "exact/vif_share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALLEST = 1 << 17, ROUNDS = 3000000 };
static const int32_t LARGEST = (1 << 30) + (1 << 17);
static const int limits[] = {100, 1, 2, 7};

static uint64_t state = 1;

static uint32_t random_32(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

/* From `least` to `most`, every order of size equally often. */
static int32_t random_size(int32_t least, int32_t most)
{
    const double order = log2((double)least) + (log2((double)most) - log2((double)least)) * (random_32() * 0x1p-32);
    const double v = exp2(order);
    return v >= most ? most : v <= least ? least : (int32_t)v;
}

/* The largest covariance of the domain. */
static int32_t most_covariance(int32_t s1)
{
    const double most = floor(sqrt(1.69 * 0x1p30 * s1));
    return most < LARGEST ? (int32_t)most : LARGEST;
}

enum kind { ANY, EQUAL, NEARLY_EQUAL, MULTIPLE, NEAR_WHOLE, AT_LIMIT, KINDS };

static struct vif_share_case random_case(enum kind kind, int limit)
{
    struct vif_share_case c = {.s1 = random_size(SMALLEST, LARGEST), .s2 = random_size(1, LARGEST)};
    const int32_t most = most_covariance(c.s1);
    const int32_t near = (int32_t)(random_32() % 5) - 2;
    double s12 = random_size(1, most);
    if (kind == EQUAL || kind == NEARLY_EQUAL) {
        s12 = c.s1 + (kind == EQUAL ? 0 : near);
    } else if (kind == MULTIPLE) {
        s12 = c.s1 / (double)(random_32() % 64 + 1) * (random_32() % 64 + 1) + near;
    } else if (kind == NEAR_WHOLE) { /* s12^2 / s1 near a whole number */
        const double whole = random_size(1, LARGEST);
        s12 = rint(sqrt(whole * c.s1)) + near;
    } else if (kind == AT_LIMIT) {
        s12 = (double)limit * c.s1 + near;
    }
    c.s12 = s12 < 1 ? 1 : s12 > most ? most : (int32_t)s12;
    if (kind == EQUAL || kind == NEARLY_EQUAL)
        c.s2 = c.s1;
    else if (random_32() & 1) /* near what is explained */
        c.s2 = (int32_t)fmin(fmax((double)c.s12 * c.s12 / c.s1 + near, 1), LARGEST);
    return c;
}

struct counts {
    unsigned wrong, unsure;
};

static struct counts check(const struct vif_share_forms *forms, enum kind kind, int rounds)
{
    struct counts counts = {0};
    for (int i = 0; i < rounds; i++) {
        const int limit = limits[random_32() % 4];
        const struct vif_share_case c = random_case(kind, limit);
        const struct vif_share_result quick = forms->quick(c, limit), exact = vif_share_right.exact(c, limit);
        const bool equal = quick.rest == exact.rest && quick.kept == exact.kept;
        counts.unsure += !quick.sure;
        counts.wrong += quick.sure && !equal;
        if (quick.sure && !equal && counts.wrong <= 3)
            printf("s1 %d, s2 %d, s12 %d, limit %d: %u and %u, not %u and %u\n", c.s1, c.s2, c.s12, limit, quick.rest,
                   quick.kept, exact.rest, exact.kept);
    }
    return counts;
}

int main(int argc, char **argv)
{
    static const char *const names[KINDS] = {
        "any", "equal pictures", "nearly equal pictures", "multiples", "near whole numbers", "at the limit"};
    const int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
    bool bad = false;
    for (enum kind kind = ANY; kind < KINDS; kind++) {
        const struct counts counts = check(&vif_share_right, kind, rounds);
        printf("%s: %u wrong, %u unsure of %d\n", names[kind], counts.wrong, counts.unsure, rounds);
        bad = bad || counts.wrong || (kind == EQUAL && counts.unsure)
              || counts.unsure > (unsigned)rounds / 7;
    }
    printf("a wrong constant in the divisor:\n");
    if (check(&vif_share_sabotaged, NEARLY_EQUAL, 1000).wrong == 0) {
        printf("was not noticed\n");
        bad = true;
    }
    const struct vif_share_case any = {.s1 = SMALLEST, .s2 = SMALLEST, .s12 = SMALLEST};
    if (vif_share_right.quick(any, 0).sure) { /* 0: the limit is no whole number */
        printf("sure without a limit\n");
        bad = true;
    }
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
