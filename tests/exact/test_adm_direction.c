/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The direction test of the integer ADM against its definition in integers, floats and doubles: random pairs of
 * vectors, small ones, zeros, and pairs at the edge, where the answer changes from one number to the next. A build
 * whose float form is never unsure must be noticed.
 */
#include "exact/adm_direction.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 400, STEPS = 16 };

static uint64_t state = 88172645463325252u;

static uint32_t random_u32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

/* As libvmaf's scalar code has it. */
static bool same_direction(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    const float dot = (float)(oh * th + ov * tv), oo = (float)(oh * oh + ov * ov), tt = (float)(th * th + tv * tv);
    return dot >= 0.0f && (double)dot * (double)dot >= (0.9996954202651978 * (double)oo) * (double)tt;
}

/* A number of random size up to `most`. */
static int64_t any(int64_t most)
{
    const int64_t v = (int64_t)(random_u32() >> random_u32() % 32) % (most + 1);
    return random_u32() & 1 ? -v : v;
}

static int64_t clamped(double v, int64_t most)
{
    return v > (double)most ? most : v < (double)-most ? -most : (int64_t)v;
}

/* A pair: of two vectors, or of a vector and one that is turned by nearly a degree. At an edge t_v is searched, where
 * the answer changes, and `step` numbers further on. */
static void make_pair(int64_t most, int step, int64_t v[4])
{
    v[0] = any(most);
    v[1] = any(most);
    if (step == STEPS) {
        v[2] = any(most);
        v[3] = any(most);
        return;
    }
    const double size = (double)(1 + random_u32() % 4000) / 2000, turn = random_u32() & 1 ? 0.0174524 : -0.0174524;
    v[2] = clamped(size * ((double)v[0] - turn * (double)v[1]), most);
    int64_t yes = clamped(size * (double)v[1], most);
    int64_t no = clamped(size * ((double)v[1] + 3 * turn * (double)v[0]), most);
    if (!same_direction(v[0], v[1], v[2], yes) || same_direction(v[0], v[1], v[2], no)) {
        v[3] = clamped(size * ((double)v[1] + turn * (double)v[0]), most);
        return;
    }
    while (yes - no > 1 || no - yes > 1) {
        const int64_t middle = (yes + no) / 2;
        *(same_direction(v[0], v[1], v[2], middle) ? &yes : &no) = middle;
    }
    v[3] = clamped((double)(yes + step - STEPS / 2), most);
}

static unsigned check(const struct adm_direction_level *level)
{
    unsigned wrong = 0, same = 0;
    state = 88172645463325252u;
    for (int b = 0; b < BLOCKS; b++) {
        static int32_t v[4][ADM_DIRECTION_BLOCK], yes[ADM_DIRECTION_BLOCK];
        const bool wide = b & 1;
        const int64_t most = b % 8 < 2 ? 30 : wide ? 1510000000 : 22930;
        for (int i = 0; i < ADM_DIRECTION_BLOCK; i++) {
            int64_t pair[4];
            make_pair(most, i % (STEPS + 1), pair);
            for (int k = 0; k < 4; k++)
                v[k][i] = (int32_t)pair[k];
        }
        (wide ? level->of_32 : level->of_16)(v, yes);
        for (int i = 0; i < ADM_DIRECTION_BLOCK; i++) {
            const bool expected = same_direction(v[0][i], v[1][i], v[2][i], v[3][i]);
            same += expected;
            wrong += yes[i] != expected;
        }
    }
    printf("%s: %u of %d answers are wrong, %u are yes\n", level->name, wrong, BLOCKS * ADM_DIRECTION_BLOCK, same);
    return wrong;
}

int main(void)
{
    unsigned wrong = check(&adm_direction_scalar);
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.1"))
        wrong += check(&adm_direction_sse4);
    if (__builtin_cpu_supports("avx2"))
        wrong += check(&adm_direction_avx2);
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        wrong += check(&adm_direction_avx512);
#else
    wrong += check(&adm_direction_neon);
#endif
    if (!check(&adm_direction_sabotaged)) {
        printf("a float form that is never unsure was not noticed\n");
        return EXIT_FAILURE;
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
