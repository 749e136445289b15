/* SPDX-License-Identifier: BSD-2-Clause */
/* The light of pictures of floats on the host has the limits and weights that the kernels have. */
#include "host/light.h"

#include <math.h>
#include <stdio.h>

#include "constants_gen.h"

static int failures;

#define CHECK(ok) ((ok) ? (void)0 : (failures++, (void)printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #ok)))

static const double same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* The luminance of one pixel. */
static double luminance(float r, float g, float b)
{
    const struct light_planes p = {.plane = {&r, &g, &b}, .width = 1, .height = 1};
    struct assay_error e = {0};
    struct light light;
    CHECK(!light_measure(&p, same, &light, &e));
    CHECK(light.largest == light.median);
    return light.largest;
}

static double red(float v)
{
    return luminance(v, 0, 0);
}

static void limits(void)
{
    CHECK(red(LIGHT_LEAST) == 0);
    CHECK(red(nextafterf(LIGHT_LEAST, 1)) > 0);
    CHECK(red(LIGHT_MOST) > red(nextafterf(LIGHT_MOST, 0)));
    CHECK(red(LIGHT_MOST) == red(nextafterf(LIGHT_MOST, HUGE_VALF)));
    CHECK(red(-1) == 0);
}

static void weights(void)
{
    CHECK((float)red(1) == FLIP_LUMA_R);
    CHECK((float)luminance(0, 1, 0) == FLIP_LUMA_G);
    CHECK((float)luminance(0, 0, 1) == FLIP_LUMA_B);
}

int main(void)
{
    limits();
    weights();
    return failures ? 1 : 0;
}
