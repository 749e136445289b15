/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assay_bench: how long each kernel and each metric takes on this machine. Times are CPU time of the process, the least
 * of several rounds; frames lie in memory before the clock starts. It also compares the scores of all its runs: a
 * schedule must not change one bit.
 */
#ifndef ASSAY_BENCH_BENCH_H
#define ASSAY_BENCH_BENCH_H

#include <assay/assay.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_LEVELS = 8, BENCH_METRICS = 64, BENCH_PAIRS = 8, BENCH_CASES = 256, BENCH_KEYS = 1024 };

struct bench_options {
    const char *ref, *dis; /* Y4M or anything else that assay reads; NULL: made-up frames */
    const char *json;      /* NULL: none */
    const char *only;      /* metric or kernel whose name starts with this; NULL: all */
    const char *set;       /* metrics that "all" stands for, separated by commas; NULL: every metric */
    const char *level;     /* NULL: every level of this machine */
    unsigned rounds;
    bool kernels, metrics, memory;
};

/* Frame pairs in memory. */
struct content {
    assay_format format;
    unsigned pairs;
    void *memory;
    assay_picture picture[BENCH_PAIRS][2];
};

/* Frames with edges, texture, grain and motion, and a copy with the marks of a coarse encoder:
 * the same on every machine. */
int content_make(struct content *c, uint32_t width, uint32_t height, uint32_t bits);
/* The first frames of two files; says on stderr what is wrong with them. */
int content_read(struct content *c, const char *ref, const char *dis);
void content_free(struct content *c);

struct kernel_time {
    const char *name, *level;
    uint32_t width, height;
    double ms;
    uint64_t bytes; /* of all planes that the pass reads or writes */
};

struct metric_time {
    const char *metric, *level;
    uint32_t width, height, bits;
    unsigned threads;
    double cpu_ms, wall_ms; /* per frame pair */
};

struct results {
    struct kernel_time *kernel;
    unsigned kernels, kernel_capacity;
    struct metric_time metric[BENCH_CASES];
    unsigned metrics;
    const char *const *level; /* best first, NULL-terminated */
    long peak_kb;             /* of a process that scores 1080p frames with every metric in one thread */
    unsigned different;       /* runs whose scores differ from those of the first run of the same frames */
};

int bench_kernels(struct results *r, const struct bench_options *o);
int bench_metrics(struct results *r, const struct bench_options *o);
int bench_memory(struct results *r, const char *set);

/* Seconds of CPU time of this process; seconds that went by. */
double bench_cpu(void);
double bench_wall(void);

void print_kernels(const struct results *r);
void print_metrics(const struct results *r);
int write_json(const struct results *r, const char *path);

#endif
