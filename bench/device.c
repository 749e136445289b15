/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame pairs a second on a device, from the session's own host memory to scores on the host, everything included.
 *
 *     assay_bench_device BACKEND METRICS [WIDTH HEIGHT DEPTH [SECONDS]]
 *
 * Eight different pairs lie in the slots that are in flight; the scores of the first round are compared with the CPU's, bit
 * for bit. Exit 1 when they differ.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <assay/assay.h>

enum { PAIRS = 8, MOST_KEYS = 256 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A slow gradient with texture; the distorted side is coarser. */
static void fill(const assay_format *f, const assay_buffer *b, unsigned pair, unsigned coarse)
{
    uint32_t state = 12345 + pair * 7919;
    const uint32_t peak = (1u << f->bit_depth) - 1;
    for (uint32_t p = 0; p < assay_format_planes(f); p++)
        for (uint32_t y = 0; y < assay_format_plane_height(f, p); y++)
            for (uint32_t x = 0; x < assay_format_plane_width(f, p); x++) {
                state = state * 1664525u + 1013904223u;
                uint32_t v = (x * 3 + y * 2 + pair * 40 + ((x >> 4 ^ y >> 4) & 7) * 8 + (state >> 28)) & 255;
                v = (v - v % coarse) * peak / 255;
                char *row = (char *)b->plane[p] + (ptrdiff_t)y * b->stride[p];
                if (f->bit_depth > 8)
                    ((uint16_t *)(void *)row)[x] = (uint16_t)v;
                else
                    ((uint8_t *)row)[x] = (uint8_t)v;
            }
}

static int stop(const assay_session *s)
{
    fprintf(stderr, "%s\n", assay_session_error(s));
    return 2;
}

/* One session over PAIRS frames, then, if `rounds` says so, over the same memory again for `limit` seconds. */
static int run(const char *backend, const char *metric, const assay_format *f, double limit, double scores[PAIRS][MOST_KEYS],
               uint32_t *keys, double *rate)
{
    const assay_config config = {.backend = backend, .frames_in_flight = PAIRS};
    assay_session *s;
    char text[256];
    if (assay_session_new(&s, &config, text, sizeof text)) {
        fprintf(stderr, "%s\n", text);
        return 2;
    }
    int rc = 0;
    char *copy = strdup(metric);
    for (char *rest = copy, *name; !rc && (name = strsep(&rest, ","));)
        rc = assay_session_add_metric(s, name);
    free(copy);
    if (rc || assay_session_start(s, f))
        return stop(s);
    *keys = assay_session_keys(s);
    uint64_t frame = 0;
    assay_buffer ref, dis;
    for (unsigned i = 0; i < PAIRS; i++) {
        if (assay_session_take(s, &ref, &dis))
            return stop(s);
        fill(f, &ref, i, 1);
        fill(f, &dis, i, 6);
        if (assay_session_commit(s, frame++, 1))
            return stop(s);
    }
    if (assay_session_flush(s))
        return stop(s);
    for (unsigned i = 0; i < PAIRS; i++) {
        uint64_t number;
        if (assay_session_poll(s, &number, scores[i]) != 1)
            return stop(s);
    }
    const double begin = seconds();
    const uint64_t first = frame;
    while (limit > 0 && seconds() - begin < limit)
        for (unsigned i = 0; i < 64; i++)
            if (assay_session_take(s, &ref, &dis) || assay_session_commit(s, frame++, 1))
                return stop(s);
    if (assay_session_flush(s))
        return stop(s);
    *rate = (double)(frame - first) / (seconds() - begin);
    if (limit > 0)
        printf("%s, %s: ", assay_session_backend(s), assay_session_device(s));
    assay_session_close(&s);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: assay_bench_device BACKEND METRICS [WIDTH HEIGHT DEPTH [SECONDS]]\n");
        return 2;
    }
    const assay_format format = {.width = argc > 5 ? (uint32_t)atoi(argv[3]) : 1920, .height = argc > 5 ? (uint32_t)atoi(argv[4]) : 1080,
                                 .bit_depth = argc > 5 ? (uint32_t)atoi(argv[5]) : 8, .layout = ASSAY_LAYOUT_420};
    static double on_device[PAIRS][MOST_KEYS], on_cpu[PAIRS][MOST_KEYS];
    uint32_t keys = 0;
    double rate = 0, unused = 0;
    int rc = run(argv[1], argv[2], &format, argc > 6 ? atof(argv[6]) : 3.0, on_device, &keys, &rate);
    if (!rc)
        rc = run("cpu", argv[2], &format, 0, on_cpu, &keys, &unused);
    if (rc)
        return rc;
    bool equal = true;
    for (unsigned i = 0; i < PAIRS; i++)
        equal = equal && !memcmp(on_device[i], on_cpu[i], keys * sizeof(double));
    printf("%s %ux%u %u bit: %.0f pairs a second, scores %s the CPU's\n", argv[2], format.width, format.height,
           format.bit_depth, rate, equal ? "equal" : "DIFFER FROM");
    return equal ? 0 : 1;
}
