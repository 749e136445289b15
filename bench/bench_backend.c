/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame pairs per second of one backend, from pictures in host memory to scores, transfers included.
 *
 *     bench_backend BACKEND METRICS [WIDTHxHEIGHT [BITS [SECONDS [DEVICE]]]]
 *
 * Eight different frame pairs lie in the session's own memory and are submitted over and over; the first eight frames' scores
 * are compared with the CPU's, bit for bit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <assay/assay.h>

enum { PAIRS = 8, MAX_KEYS = 256 };

static assay_format format = {.width = 1920, .height = 1080, .bit_depth = 8, .layout = ASSAY_LAYOUT_420,
                              .range = ASSAY_RANGE_LIMITED};
static double first[2][PAIRS][MAX_KEYS]; /* by backend: the CPU's, then the other's */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A gradient that moves from pair to pair; the distorted one has noise on it. */
static void fill(const assay_buffer *b, unsigned pair, int noise)
{
    uint32_t state = 2463534242u + pair;
    const uint32_t peak = (1u << format.bit_depth) - 1;
    for (uint32_t p = 0; p < assay_format_planes(&format); p++)
        for (uint32_t y = 0; y < assay_format_plane_height(&format, p); y++) {
            unsigned char *row = (unsigned char *)b->plane[p] + (ptrdiff_t)y * b->stride[p];
            for (uint32_t x = 0; x < assay_format_plane_width(&format, p); x++) {
                uint32_t v = (x * (3 + p) + y * 2 + pair * 17) & peak;
                v = v * 3 / 4 + (noise ? next(&state) % 9 : 4);
                if (format.bit_depth > 8)
                    memcpy(row + 2 * x, &(uint16_t){(uint16_t)v}, 2);
                else
                    row[x] = (unsigned char)v;
            }
        }
}

static void stop(const assay_session *s, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, s ? assay_session_error(s) : "");
    exit(1);
}

/* Keeps the first frames' scores, so that nothing but the session runs while time is taken. */
struct keep {
    uint32_t keys;
    unsigned backend;
};

static int on_frame(void *opaque, uint64_t frame, const double *values)
{
    const struct keep *k = opaque;
    if (frame < PAIRS)
        memcpy(first[k->backend][frame], values, k->keys * sizeof *values);
    return 0;
}

/* Submits frames until `seconds` are over, at least eight; returns pairs per second after the first eight. */
static double run(unsigned which, const char *backend, const char *device, const char *metrics, double seconds,
                  struct keep *keep)
{
    const assay_config config = {.backend = backend, .device = device, .frames_in_flight = PAIRS};
    char error[512];
    assay_session *s;
    if (assay_session_new(&s, &config, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    char list[256];
    snprintf(list, sizeof list, "%s", metrics);
    for (char *m = strtok(list, ","); m; m = strtok(NULL, ","))
        if (assay_session_add_metric(s, m))
            stop(s, m);
    keep->backend = which;
    keep->keys = 0;
    if (assay_session_set_callback(s, on_frame, keep) || assay_session_start(s, &format))
        stop(s, backend);
    keep->keys = assay_session_keys(s);
    if (keep->keys > MAX_KEYS)
        stop(NULL, "too many keys");
    double start = 0.0, end = 0.0;
    uint64_t frame = 0;
    for (;; frame++) {
        assay_buffer ref, dis;
        if (frame == PAIRS) {
            if (assay_session_flush(s))
                stop(s, backend);
            start = now();
        }
        if (frame >= PAIRS && now() - start >= seconds)
            break;
        if (assay_session_take(s, &ref, &dis))
            stop(s, backend);
        if (frame < PAIRS) { /* a slot's memory keeps its pictures */
            fill(&ref, (unsigned)frame, 0);
            fill(&dis, (unsigned)frame, 1);
        }
        if (assay_session_commit(s, frame, 1))
            stop(s, backend);
    }
    if (assay_session_flush(s))
        stop(s, backend);
    end = now();
    printf("%s, %s, %s: ", assay_session_backend(s), assay_session_device(s), assay_session_driver(s));
    assay_session_close(&s);
    return frame > PAIRS ? (double)(frame - PAIRS) / (end - start) : 0.0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_backend BACKEND METRICS [WIDTHxHEIGHT [BITS [SECONDS [DEVICE]]]]\n");
        return 2;
    }
    struct keep keep;
    if (argc > 3 && sscanf(argv[3], "%" SCNu32 "x%" SCNu32, &format.width, &format.height) != 2)
        return 2;
    format.bit_depth = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 8;
    const double seconds = argc > 5 ? strtod(argv[5], NULL) : 2.0;
    const double cpu = run(0, "cpu", NULL, argv[2], 0.0, &keep);
    printf("reference scores\n");
    (void)cpu;
    const double rate = run(1, argv[1], argc > 6 ? argv[6] : NULL, argv[2], seconds, &keep);
    printf("%s, %ux%u, %u bits: %.1f frame pairs/s, %.3f ms each\n", argv[2], format.width, format.height, format.bit_depth,
           rate, 1e3 / rate);
    for (unsigned p = 0; p < PAIRS; p++)
        for (uint32_t k = 0; k < keep.keys; k++)
            if (memcmp(&first[0][p][k], &first[1][p][k], sizeof(double))) {
                printf("frame %u, key %u: %a, the CPU has %a\n", p, k, first[1][p][k], first[0][p][k]);
                return 1;
            }
    printf("the scores of %d pairs have the CPU's bits\n", PAIRS);
    return 0;
}
