/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const struct metric_time *find(const struct results *r, const struct metric_time *like)
{
    for (unsigned i = 0; i < r->metrics; i++) {
        const struct metric_time *t = &r->metric[i];
        if (!strcmp(t->metric, like->metric) && !strcmp(t->level, like->level) && t->threads == like->threads
            && t->bits == like->bits && t->width == like->width && t->height == like->height)
            return t;
    }
    return NULL;
}

/* A cell of 10 characters: a number, or a dash where nothing was measured. */
static void cell(double v, const char *format, bool known)
{
    char text[32] = "-";
    if (known)
        snprintf(text, sizeof text, format, v);
    printf(" %9s", text);
}

static double level_ms(const struct results *r, unsigned first, const char *level)
{
    for (unsigned i = first; i < r->kernels && !strcmp(r->kernel[i].name, r->kernel[first].name); i++)
        if (!strcmp(r->kernel[i].level, level))
            return r->kernel[i].ms;
    return 0;
}

void print_kernels(const struct results *r)
{
    printf(
        "Kernels, one thread: CPU milliseconds for one 1920x1080 frame; GB/s of the planes read and written, at %s\n\n%-24s",
        r->level[0], "kernel");
    for (const char *const *level = r->level; *level; level++)
        printf(" %9s", *level);
    printf(" %9s %9s\n", "GB/s", "avx2/512");
    for (unsigned i = 0; i < r->kernels; i++) {
        const struct kernel_time *t = &r->kernel[i];
        if (i && !strcmp(t->name, r->kernel[i - 1].name))
            continue;
        printf("%-24s", t->name);
        for (const char *const *level = r->level; *level; level++)
            cell(level_ms(r, i, *level), "%.3f", true);
        const double avx2 = level_ms(r, i, "avx2"), avx512 = level_ms(r, i, "avx512");
        cell((double)t->bytes / (t->ms * 1e6), "%.1f", t->ms > 0);
        cell(avx2 / avx512, "%.2f", avx2 > 0 && avx512 > 0);
        printf("\n");
    }
    printf("\n");
}

static void print_levels(const struct results *r, const struct metric_time *shape)
{
    printf("Metrics, one thread, %ux%u, %u bit: CPU milliseconds per frame pair\n\n%-24s", shape->width, shape->height,
           shape->bits, "metric");
    for (const char *const *level = r->level; *level; level++)
        printf(" %9s", *level);
    printf(" %9s\n", "avx2/512");
    for (unsigned i = 0; i < r->metrics; i++) {
        struct metric_time like = r->metric[i];
        if (like.threads != 1 || like.width != shape->width || like.height != shape->height || like.bits != shape->bits
            || strcmp(like.level, r->level[0]))
            continue;
        printf("%-24s", like.metric);
        for (const char *const *level = r->level; *level; level++) {
            like.level = *level;
            const struct metric_time *t = find(r, &like);
            cell(t ? t->cpu_ms : 0, "%.3f", t);
        }
        like.level = "avx2";
        const struct metric_time *avx2 = find(r, &like);
        like.level = "avx512";
        const struct metric_time *avx512 = find(r, &like);
        cell(avx2 && avx512 ? avx2->cpu_ms / avx512->cpu_ms : 0, "%.2f", avx2 && avx512);
        printf("\n");
    }
    printf("\n");
}

/* How depth, size and threads change the time of the first shape at the best level. */
static void print_ratios(const struct results *r)
{
    printf("At %s, against one thread, 1920x1080, 8 bit: CPU time of 10 bit, CPU time per pixel of 3840x2160,\n"
           "CPU time of two threads, and how many times faster two threads are\n\n%-24s %9s %9s %9s %9s\n", r->level[0],
           "metric", "10 bit", "4K", "2 threads", "speed-up");
    for (unsigned i = 0; i < r->metrics; i++) {
        const struct metric_time *base = &r->metric[i];
        if (base->threads != 1 || base->width != 1920 || base->bits != 8 || strcmp(base->level, r->level[0]))
            continue;
        struct metric_time like = *base;
        like.bits = 10;
        const struct metric_time *deep = find(r, &like);
        like = *base;
        like.width = 3840;
        like.height = 2160;
        const struct metric_time *large = find(r, &like);
        like = *base;
        like.threads = 2;
        const struct metric_time *threads = find(r, &like);
        printf("%-24s", base->metric);
        cell(deep ? deep->cpu_ms / base->cpu_ms : 0, "%.2f", deep);
        cell(large ? large->cpu_ms / 4 / base->cpu_ms : 0, "%.2f", large);
        cell(threads ? threads->cpu_ms / base->cpu_ms : 0, "%.2f", threads);
        cell(threads ? base->wall_ms / threads->wall_ms : 0, "%.2f", threads);
        printf("\n");
    }
    printf("\n");
}

void print_metrics(const struct results *r)
{
    for (unsigned i = 0; i < r->metrics; i++) {
        const struct metric_time *t = &r->metric[i];
        if (!i || t->width != t[-1].width || t->bits != t[-1].bits)
            print_levels(r, t);
    }
    print_ratios(r);
}

/* Names are kernels', metrics' and levels' own: letters, digits and underscores. */
int write_json(const struct results *r, const char *path)
{
    FILE *out = strcmp(path, "-") ? fopen(path, "w") : stdout;
    if (!out) {
        perror(path);
        return ASSAY_EINTERNAL;
    }
    fprintf(out,
            "{\n  \"version\": \"%s\",\n  \"compiler\": \"" __VERSION__ "\",\n  \"peak_kb\": %ld,\n  \"kernels\": [",
            assay_version(), r->peak_kb);
    for (unsigned i = 0; i < r->kernels; i++) {
        const struct kernel_time *t = &r->kernel[i];
        fprintf(out,
                "%s\n    {\"kernel\": \"%s\", \"level\": \"%s\", \"width\": %u, \"height\": %u, \"cpu_ms\": %.6f, "
                "\"bytes\": %llu}",
                i ? "," : "", t->name, t->level, t->width, t->height, t->ms, (unsigned long long)t->bytes);
    }
    fprintf(out, "\n  ],\n  \"metrics\": [");
    for (unsigned i = 0; i < r->metrics; i++) {
        const struct metric_time *t = &r->metric[i];
        fprintf(out, "%s\n    {\"metric\": \"%s\", \"level\": \"%s\", \"threads\": %u, \"width\": %u, \"height\": %u, "
                "\"bits\": %u, \"cpu_ms\": %.6f, \"wall_ms\": %.6f}", i ? "," : "", t->metric, t->level, t->threads,
                t->width,
                t->height, t->bits, t->cpu_ms, t->wall_ms);
    }
    fprintf(out, "\n  ],\n  \"runs_with_other_scores\": %u\n}\n", r->different);
    const bool failed = ferror(out) != 0;
    if ((out == stdout ? fflush(out) : fclose(out)) || failed) {
        fprintf(stderr, "assay_bench: %s: can't be written\n", path);
        return ASSAY_EINTERNAL;
    }
    return ASSAY_OK;
}
