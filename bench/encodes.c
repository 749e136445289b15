/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What several encodes in one session take, against sessions of one each: milliseconds of a frame with all encodes, CPU
 * time of this process and time that went by, the least of several rounds. Frames of made-up content lie in memory. On
 * a GPU the time that went by counts. Also what the two ways need of memory.
 *
 *     assay_bench_encodes [ENCODES [WIDTHxHEIGHT [METRICS [BACKEND [THREADS [ROUNDS]]]]]]
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { FRAMES = 12 };

struct how {
    unsigned encodes, threads, rounds, width, height;
    char metrics[512];
    const char *backend;
    struct content content[ASSAY_ENCODES];
};

struct time {
    double cpu, wall;
};

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(assay_session *s, int rc)
{
    if (!rc)
        return;
    fprintf(stderr, "assay_bench_encodes: %s\n", s ? assay_session_error(s) : "out of memory");
    exit(1);
}

static assay_session *start(const struct how *h, unsigned encodes)
{
    char list[sizeof h->metrics], *rest = list, *name;
    assay_session *s;
    const assay_config config = {.backend = h->backend, .threads = h->threads, .encodes = encodes};
    if (assay_session_new(&s, &config, NULL, 0))
        must(NULL, 1);
    strcpy(list, h->metrics);
    while ((name = strsep(&rest, ",")))
        must(s, assay_session_add_metric(s, name));
    must(s, assay_session_start(s, &h->content[0].format));
    return s;
}

static void nothing(void *opaque)
{
    (void)opaque;
}

/* The scores of `encodes` encodes from `first` on; *value is the last one of the first key of each. */
static struct time score(const struct how *h, assay_session *s, unsigned first, unsigned encodes, double *value)
{
    static uint64_t number;
    const uint32_t keys = assay_session_keys(s);
    double *values = calloc(keys, sizeof *values);
    must(NULL, !values);
    const struct time begin = {seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_MONOTONIC)};
    for (unsigned i = 0; i < FRAMES; i++) {
        const unsigned pair = i % h->content[0].pairs;
        assay_picture reference = h->content[0].picture[pair][0], distorted[ASSAY_ENCODES];
        reference.release = nothing;
        for (unsigned k = 0; k < encodes; k++) {
            distorted[k] = h->content[first + k].picture[(pair + first + k) % h->content[0].pairs][1];
            distorted[k].release = nothing;
        }
        must(s, assay_session_submit(s, number++, &reference, distorted));
    }
    must(s, assay_session_flush(s));
    const struct time end = {seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_MONOTONIC)};
    for (uint64_t frame; assay_session_poll(s, &frame, values) == 1;)
        for (unsigned k = 0; k < encodes; k++)
            value[first + k] = values[k * (keys / encodes)];
    free(values);
    return (struct time){end.cpu - begin.cpu, end.wall - begin.wall};
}

static struct time least(struct time a, struct time b)
{
    return (struct time){a.cpu < b.cpu ? a.cpu : b.cpu, a.wall < b.wall ? a.wall : b.wall};
}

static void print_memory(const char *what, assay_session *s)
{
    char *text = assay_session_describe_memory(s), *rest = text, *line;
    while ((line = strsep(&rest, "\n")))
        if (!strncmp(line, "intermediate", 12) || !strncmp(line, "frame pair", 10))
            printf("%s: %s\n", what, line);
    free(text);
}

static void compare(const struct how *h)
{
    const double per_frame = 1e3 / FRAMES;
    double together[ASSAY_ENCODES], apart[ASSAY_ENCODES];
    struct time all = {1e9, 1e9}, each = {1e9, 1e9};
    assay_session *one = start(h, 1), *several = start(h, h->encodes);
    for (unsigned round = 0; round <= h->rounds; round++) { /* the first one warms up */
        struct time sum = {0, 0};
        const struct time t = score(h, several, 0, h->encodes, together);
        for (unsigned k = 0; k < h->encodes; k++) {
            const struct time single = score(h, one, k, 1, apart);
            sum = (struct time){sum.cpu + single.cpu, sum.wall + single.wall};
        }
        all = round ? least(all, t) : all;
        each = round ? least(each, sum) : each;
    }
    printf("%u encodes of %ux%u, %s, %s, %s\n", h->encodes, h->width, h->height, h->metrics,
           assay_session_backend(one), assay_session_device(one));
    printf("%-24s%12s%12s\n", "ms of a frame", "CPU", "time");
    printf("%-24s%12.2f%12.2f\n", "sessions of one each", each.cpu * per_frame, each.wall * per_frame);
    printf("%-24s%12.2f%12.2f\n", "one session", all.cpu * per_frame, all.wall * per_frame);
    printf("%-24s%12.3f%12.3f\n", "ratio", all.cpu / each.cpu, all.wall / each.wall);
    print_memory("one encode", one);
    print_memory("all encodes", several);
    assay_session_close(&one);
    assay_session_close(&several);
    if (memcmp(together, apart, h->encodes * sizeof *apart)) {
        fprintf(stderr, "assay_bench_encodes: the scores differ\n");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static struct how h = {.encodes = 6, .threads = 1, .rounds = 5, .width = 1920, .height = 1080,
                           .metrics = "vmaf,psnr,float_ms_ssim"};
    if (argc > 1)
        h.encodes = (unsigned)atoi(argv[1]);
    if (argc > 2 && sscanf(argv[2], "%ux%u", &h.width, &h.height) != 2)
        h.encodes = 0;
    if (argc > 3)
        snprintf(h.metrics, sizeof h.metrics, "%s", argv[3]);
    h.backend = argc > 4 ? argv[4] : NULL;
    if (argc > 5)
        h.threads = (unsigned)atoi(argv[5]);
    if (argc > 6)
        h.rounds = (unsigned)atoi(argv[6]);
    if (!h.encodes || h.encodes > ASSAY_ENCODES || !h.rounds) {
        fprintf(stderr, "usage: assay_bench_encodes [ENCODES [WxH [METRICS [BACKEND [THREADS [ROUNDS]]]]]]\n");
        return 2;
    }
    for (unsigned k = 0; k < h.encodes; k++)
        if (content_make(&h.content[k], h.width, h.height, 8))
            must(NULL, 1);
    compare(&h);
    for (unsigned k = 0; k < h.encodes; k++)
        content_free(&h.content[k]);
    return 0;
}
