/* SPDX-License-Identifier: BSD-2-Clause */
/* The pools of libvmaf's own reports, recomputed from its per-frame scores: the same bits. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "host/scores.h"

static char folder[4096];
static int columns, off_by_one_ulp_seen;

static cJSON *read_json(const char *name)
{
    char path[sizeof folder + 300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    static char text[1 << 22];
    size_t size = fread(text, 1, sizeof text - 1, f);
    assert_true(size < sizeof text - 1);
    fclose(f);
    text[size] = '\0';
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    return json;
}

static void check_column(const char *file, const cJSON *json, const cJSON *pooled)
{
    static const struct {
        const char *name;
        enum pool pool;
    } pools[] = {{"min", POOL_MIN}, {"max", POOL_MAX}, {"mean", POOL_MEAN}, {"harmonic_mean", POOL_HARMONIC_MEAN}};
    const char *key[1] = {pooled->string};
    struct scores s;
    assert_int_equal(scores_init(&s, 1, key, NULL), ASSAY_OK);
    const cJSON *frame;
    uint64_t n = 0;
    cJSON_ArrayForEach(frame, cJSON_GetObjectItem(json, "frames"))
    {
        const cJSON *v = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(frame, "metrics"), key[0]);
        assert_non_null(v);
        double value = cJSON_IsNull(v) ? INFINITY : v->valuedouble; /* psnr_hvs of identical planes */
        assert_int_equal(scores_add(&s, n++, SCORES_NO_TIME, &value, NULL), ASSAY_OK);
    }
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        const cJSON *expected = cJSON_GetObjectItem(pooled, pools[i].name);
        double v = scores_pool(&s, 0, pools[i].pool, 0, NULL);
        if (cJSON_IsNull(expected) ? isfinite(v) : v != expected->valuedouble)
            fail_msg("%s: %s of %s is %.17g, libvmaf has %.17g", file, pools[i].name, key[0], v, expected->valuedouble);
    }
    /* The comparison above can fail: one value off by one ULP moves the mean of most columns. */
    if (n > 0 && isfinite(scores_value(&s, n - 1, 0))) {
        double *last = &s.block[(n - 1) / SCORES_BLOCK][(n - 1) % SCORES_BLOCK];
        *last = nextafter(*last, INFINITY);
        off_by_one_ulp_seen += scores_pool(&s, 0, POOL_MEAN, 0, NULL) !=
                               cJSON_GetObjectItem(pooled, "mean")->valuedouble;
    }
    scores_free(&s);
    columns++;
}

static void pools_of_libvmaf(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".json") != 0 || strcmp(entry->d_name, "index.json") == 0)
            continue;
        cJSON *json = read_json(entry->d_name);
        const cJSON *pooled;
        cJSON_ArrayForEach(pooled, cJSON_GetObjectItem(json, "pooled_metrics"))
            check_column(entry->d_name, json, pooled);
        cJSON_Delete(json);
    }
    closedir(d);
    print_message("%d columns\n", columns);
    assert_true(columns > 500);
    assert_true(off_by_one_ulp_seen > 10);
}

int main(void)
{
    const char *shared = getenv("ASSAY_SHARED");
    snprintf(folder, sizeof folder, "%s/golden/libvmaf", shared ? shared : ASSAY_SOURCE_ROOT "/../shared");
    DIR *d = opendir(folder);
    if (!d) {
        printf("skipped: the shared data folder is not here (set ASSAY_SHARED)\n");
        return 77;
    }
    closedir(d);
    const struct CMUnitTest tests[] = {cmocka_unit_test(pools_of_libvmaf)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
