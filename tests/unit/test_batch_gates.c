/* SPDX-License-Identifier: BSD-2-Clause */
/* The gates of assay batch: no score that a metric has for pictures of any kind is refused before the pictures are
 * seen, and a score that it has for none is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static unsigned failures, scores;

static struct cli cli;

/* What the list answered for the metric's scores. It knows no pictures, so an answer is that for all formats. */
enum { MOST_ANSWERS = 1000 };
static struct { char key[sizeof cli.gate[0].key]; bool takes; } answer[MOST_ANSWERS];
static unsigned answers;

/* Whether the list takes a gate on a score of the metric, or, for NULL, of the metrics without -m. */
static bool takes(const char *metric, const char *key)
{
    const struct gate *bad;
    struct assay_error e = {0};
    for (unsigned i = 0; i < answers; i++)
        if (!strcmp(answer[i].key, key))
            return answer[i].takes;
    if (answers == MOST_ANSWERS)
        abort();
    cli = (struct cli){.q.metric = {metric}, .q.metrics = metric && strcmp(metric, "all"), .gates = 1,
                       .q.all_metrics = metric && !strcmp(metric, "all")};
    cli.gate[0].any_way = true;
    snprintf(cli.gate[0].key, sizeof cli.gate[0].key, "%s", key);
    const int rc = cli_gates_possible(&cli, cli.gate, 1, &bad, &e);
    snprintf(answer[answers].key, sizeof answer[answers].key, "%s", key);
    answer[answers].takes = !rc && !bad;
    return answer[answers++].takes;
}

static void expect(bool good, const char *metric, const char *key, const assay_format *f)
{
    if (good)
        return;
    printf("%s: %s of layout %d, %u bits, alpha %u, %ux%u, %u Hz\n", metric ? metric : "no -m", key, (int)f->layout,
           f->bit_depth, f->alpha, f->width, f->height, f->rate_num);
    failures++;
}

static void try_format(const char *metric, const assay_format *f)
{
    assay_session *s = NULL;
    struct assay_error e = {0};
    char text[200];
    if (assay_session_new(&s, NULL, text, sizeof text))
        abort();
    if (!run_add_metrics(&cli.q, s, &cli.q.config, f, NULL, &e) && !assay_session_plan(s, f)) {
        for (uint32_t i = 0; i < assay_session_keys(s); i++, scores++)
            expect(takes(metric, assay_session_key(s, i)), metric, assay_session_key(s, i), f);
        for (uint32_t i = 0; i < assay_session_aggregates(s); i++, scores++)
            expect(takes(metric, assay_session_aggregate_key(s, i)), metric, assay_session_aggregate_key(s, i), f);
        expect(!takes(metric, "no_such_score"), metric, "no_such_score", f);
    }
    assay_session_close(&s);
}

static void try_metric(const char *metric)
{
    static const uint32_t sizes[][2] = {{352, 288}, {1280, 720}, {1920, 1080}, {3840, 2160}}, rates[] = {0, 25, 60},
                          depths[] = {8, 10, 16};
    assay_format f = {.width = 1920, .height = 1080, .rate_num = 25, .rate_den = 1};
    answers = 0;
    takes(metric, "none"); /* sets `cli` */
    for (unsigned i = 0; i < 6 * 3 * 2; i++) {
        f.layout = (assay_layout)(ASSAY_LAYOUT_400 + i % 6);
        f.bit_depth = depths[i / 6 % 3];
        f.alpha = i / 18;
        try_format(metric, &f);
    }
    f.layout = ASSAY_LAYOUT_420;
    f.alpha = 0;
    for (unsigned i = 0; i < 4 * 3; i++) {
        f.width = sizes[i % 4][0];
        f.height = sizes[i % 4][1];
        f.rate_num = rates[i / 4];
        f.rate_den = f.rate_num > 0;
        try_format(metric, &f);
    }
}

/* A metric with all switches on that write more scores. */
static void try_switches(uint32_t metric)
{
    char text[600];
    assay_option option;
    size_t used = (size_t)snprintf(text, sizeof text, "%s", assay_metric_name(metric));
    bool any = false;
    for (uint32_t i = 0; !assay_metric_option(metric, i, &option); i++)
        if (!strcmp(option.type, "bool") && (!strncmp(option.name, "enable", 6) || !strcmp(option.name, "debug") ||
                                             !strcmp(option.name, "per_plane"))) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%c%s=true", any ? ':' : '=', option.name);
            any = true;
        }
    if (any)
        try_metric(text);
}

int main(void)
{
    const char *name;
    char text[200];
    try_metric(NULL);
    try_metric("all");
    for (uint32_t m = 0; (name = assay_metric_name(m)); m++) {
        try_metric(name);
        try_switches(m);
    }
    for (uint32_t i = 0; (name = assay_model_version(i)); i++) {
        snprintf(text, sizeof text, "vmaf=model=%s", name);
        try_metric(text);
    }
    try_metric("vmaf=model=v1");
    try_metric("vmaf=model=v1_hfr");
    printf("%u scores, %u failures\n", scores, failures);
    return failures || scores < 10000;
}
