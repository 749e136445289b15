/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics through the session, as a program would use them: frame pairs lent without a copy, scores polled. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double bench_wall(void) { return seconds(CLOCK_MONOTONIC); }

/* Scores of the first run on a content, to compare the later ones with: by metric, frame and key. */
struct expected {
    char metric[BENCH_METRICS][64];
    double *values[BENCH_METRICS];
    unsigned metrics;
};

static void expected_free(struct expected *x)
{
    for (unsigned i = 0; i < x->metrics; i++)
        free(x->values[i]);
    x->metrics = 0;
}

/* True when these are the first scores of the metric or the same as those. */
static bool same_scores(struct expected *x, const char *metric, const double *values, size_t n)
{
    for (unsigned i = 0; i < x->metrics; i++)
        if (!strcmp(x->metric[i], metric))
            return !memcmp(x->values[i], values, n * sizeof *values);
    if (x->metrics == BENCH_METRICS || !(x->values[x->metrics] = malloc((n + 1) * sizeof *values)))
        return true;
    memcpy(x->values[x->metrics], values, n * sizeof *values);
    snprintf(x->metric[x->metrics++], sizeof x->metric[0], "%s", metric);
    return true;
}

static int add_list(assay_session *s, const char *list)
{
    int rc = ASSAY_OK;
    while (!rc && *list) {
        char name[256];
        const size_t n = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, list);
        rc = assay_session_add_metric(s, name);
        list += n + (list[n] == ',');
    }
    return rc;
}

/* "all" is the set, or where there is none every metric that the format allows. ASSAY_EUSAGE: the format
 * does not allow the metric. */
static int open_session(assay_session **s, const assay_format *format, const char *metric, const char *set,
                        const char *level, unsigned threads)
{
    const bool all = !strcmp(metric, "all");
    char error[512] = "";
    const assay_config config = {.backend = "cpu", .cpu_level = level, .threads = threads};
    int rc = assay_session_new(s, &config, error, sizeof error);
    if (!rc)
        rc = !all  ? assay_session_add_metric(*s, metric)
             : set ? add_list(*s, set)
                   : assay_session_add_all(*s, format, NULL, NULL);
    if (!rc)
        rc = assay_session_start(*s, format);
    if (rc) {
        fprintf(stderr, "assay_bench: %s\n", *s ? assay_session_error(*s) : error);
        assay_session_close(s);
    }
    return rc;
}

/* All pairs once; the scores go to `values`, keys doubles per pair. */
static int score_all(assay_session *s, const struct content *c, uint64_t first, double *values)
{
    int rc = ASSAY_OK;
    uint64_t frame;
    for (unsigned i = 0; !rc && i < c->pairs; i++)
        rc = assay_session_submit(s, first + i, &c->picture[i][0], &c->picture[i][1]);
    if (!rc)
        rc = assay_session_flush(s);
    for (unsigned i = 0; !rc && i < c->pairs; i++)
        rc = assay_session_poll(s, &frame, values + (size_t)i * assay_session_keys(s)) == 1 ? ASSAY_OK
                                                                                            : ASSAY_EINTERNAL;
    if (rc)
        fprintf(stderr, "assay_bench: %s\n", assay_session_error(s));
    return rc;
}

static int measure(struct results *r, const struct bench_options *o, const struct content *c, struct expected *x,
                   struct metric_time t)
{
    assay_session *s;
    int rc = open_session(&s, &c->format, t.metric, o->set, t.level, t.threads);
    if (rc)
        return rc == ASSAY_EUSAGE ? ASSAY_OK : rc;
    const size_t n = (size_t)c->pairs * assay_session_keys(s);
    double *values = malloc((n + 1) * sizeof *values);
    if (!values)
        rc = ASSAY_EINTERNAL;
    for (unsigned i = 0; !rc && i <= o->rounds; i++) { /* the first round warms up */
        const double cpu = bench_cpu(), wall = bench_wall();
        rc = score_all(s, c, (uint64_t)i * c->pairs, values);
        const double cpu_ms = 1e3 * (bench_cpu() - cpu) / c->pairs, wall_ms = 1e3 * (bench_wall() - wall) / c->pairs;
        t.cpu_ms = i < 2 || cpu_ms < t.cpu_ms ? cpu_ms : t.cpu_ms;
        t.wall_ms = i < 2 || wall_ms < t.wall_ms ? wall_ms : t.wall_ms;
        if (!rc && !same_scores(x, t.metric, values, n)) {
            fprintf(stderr, "assay_bench: %s at %s with %u threads: the scores differ from the first run's\n", t.metric,
                    t.level, t.threads);
            r->different++;
            break;
        }
    }
    free(values);
    assay_session_close(&s);
    if (!rc && r->metrics < BENCH_CASES)
        r->metric[r->metrics++] = t;
    return rc;
}

/* Each metric and all together: one thread at each level where `levels`, two threads at the best one where
 * `threads`. */
static int measure_content(struct results *r, const struct bench_options *o, const struct content *c, bool levels,
                           bool threads)
{
    struct expected x = {0};
    int rc = ASSAY_OK;
    const char *metric = "all";
    for (uint32_t m = 0; !rc && metric; metric = assay_metric_name(m++)) {
        if (o->only && strncmp(metric, o->only, strlen(o->only)))
            continue;
        struct metric_time t = {.metric = metric, .width = c->format.width, .height = c->format.height,
                                .bits = c->format.bit_depth, .threads = 1};
        for (const char *const *level = r->level; !rc && *level && (levels || level == r->level); level++) {
            t.level = *level;
            rc = measure(r, o, c, &x, t);
        }
        t.level = r->level[0];
        t.threads = 2;
        if (!rc && threads)
            rc = measure(r, o, c, &x, t);
    }
    expected_free(&x);
    return rc;
}

int bench_metrics(struct results *r, const struct bench_options *o)
{
    static const struct { uint32_t width, height, bits; bool levels, threads; } made[] = {
        {1920, 1080, 8, true, true}, {1920, 1080, 10, true, false}, {3840, 2160, 8, false, false}};
    struct content c;
    int rc = ASSAY_OK;
    if (o->ref) {
        rc = content_read(&c, o->ref, o->dis);
        if (!rc) {
            rc = measure_content(r, o, &c, true, true);
            content_free(&c);
        }
        return rc;
    }
    for (unsigned i = 0; !rc && i < sizeof made / sizeof made[0]; i++) {
        rc = content_make(&c, made[i].width, made[i].height, made[i].bits);
        if (!rc) {
            rc = measure_content(r, o, &c, made[i].levels, made[i].threads);
            content_free(&c);
        }
    }
    return rc;
}

/* ---- memory: a process of its own that fills the session's buffers, as the command does -------------------------- */

static int score_in_place(const char *set)
{
    const assay_format format = {.width = 1920, .height = 1080, .bit_depth = 8, .layout = ASSAY_LAYOUT_420};
    assay_session *s;
    int rc = open_session(&s, &format, "all", set, NULL, 1);
    for (uint64_t frame = 0; !rc && frame < 4; frame++) {
        assay_buffer side[2];
        rc = assay_session_take(s, &side[0], &side[1]);
        for (unsigned i = 0; !rc && i < 2; i++)
            for (uint32_t p = 0; p < 3; p++)
                memset(side[i].plane[p], (int)(100 + 10 * i + frame),
                       (size_t)side[i].stride[p] * assay_format_plane_height(&format, p));
        if (!rc)
            rc = assay_session_commit(s, frame, 1);
    }
    if (!rc)
        rc = assay_session_flush(s);
    if (s)
        assay_session_close(&s);
    return rc;
}

int bench_memory(struct results *r, const char *set)
{
    fflush(NULL);
    const pid_t child = fork();
    if (!child)
        _exit(score_in_place(set) ? 1 : 0);
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "assay_bench: the process that measures memory failed\n");
        return ASSAY_EINTERNAL;
    }
    r->peak_kb = usage.ru_maxrss;
    return ASSAY_OK;
}
