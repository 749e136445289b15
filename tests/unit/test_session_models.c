/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics by name, their keys, and models without a session: from the values that a session has of a model's features,
 * the model predicts the session's scores, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session_test.h"

enum { FRAMES = 3, WIDTH = 384, HEIGHT = 260 };

static void finds_metrics_by_name(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; assay_metric_name(i); i++)
        assert_int_equal(assay_metric_find(assay_metric_name(i)), i);
    assert_int_equal(assay_metric_find("psnr=enable_mse=true"), assay_metric_find("psnr"));
    assert_int_not_equal(assay_metric_find("psnr"), ASSAY_NONE);
    assert_int_equal(assay_metric_find("psn"), ASSAY_NONE);
    assert_int_equal(assay_metric_find("psnrr"), ASSAY_NONE);
    assert_int_equal(assay_metric_find(""), ASSAY_NONE);
    assert_int_equal(assay_metric_find(NULL), ASSAY_NONE);
}

static void names_the_keys_of_a_metric(void **unused)
{
    const assay_format yuv = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT),
                       grey = format_of(ASSAY_LAYOUT_400, 8, 64, 64);
    const assay_config two = {.encodes = 2};
    char *keys, error[512];
    (void)unused;
    assert_int_equal(assay_metric_keys("psnr", NULL, &yuv, &keys, NULL, 0), ASSAY_OK);
    assert_string_equal(keys, "psnr_y psnr_cb psnr_cr");
    free(keys);
    assert_int_equal(assay_metric_keys("psnr", &two, &grey, &keys, NULL, 0), ASSAY_OK);
    assert_string_equal(keys, "psnr_y");
    free(keys);
    /* not those of the metrics that it predicts from */
    assert_int_equal(assay_metric_keys("vmaf=name=mine", NULL, &yuv, &keys, NULL, 0), ASSAY_OK);
    assert_string_equal(keys, "mine");
    free(keys);
    assert_int_equal(assay_metric_keys("psnrr", NULL, &yuv, &keys, error, sizeof error), ASSAY_EUSAGE);
    assert_null(keys);
    assert_non_null(strstr(error, "psnr"));
    assert_int_equal(assay_metric_keys("psnr", NULL, NULL, &keys, error, sizeof error), ASSAY_EUSAGE);
    assert_int_equal(assay_metric_keys(NULL, NULL, &yuv, &keys, error, sizeof error), ASSAY_EUSAGE);
    assert_int_equal(assay_metric_keys("psnr", NULL, &yuv, NULL, error, sizeof error), ASSAY_EUSAGE);
}

static uint32_t key_number(const assay_session *s, const char *key)
{
    for (uint32_t i = 0; i < assay_session_keys(s); i++)
        if (!strcmp(assay_session_key(s, i), key))
            return i;
    fail_msg("the session has no key %s", key);
    return 0;
}

/* The scores of the model are the session's, frame by frame. Returns how many scores a frame has. */
static uint32_t predicts_as_session(const char *metric, const assay_format *stated)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct clip clip;
    assay_session *s;
    assay_model *m;
    double *values, feature[64], score[128];
    uint64_t frame;
    clip_open(&clip, &format, FRAMES, 9, 0);
    assert_int_equal(assay_model_open(&m, metric, stated, NULL, 0), ASSAY_OK);
    assert_int_equal(assay_session_new(&s, NULL, NULL, 0), ASSAY_OK);
    assert_int_equal(assay_session_add_metric(s, metric), ASSAY_OK);
    assert_int_equal(assay_session_start(s, &format), ASSAY_OK);
    for (unsigned i = 0; i < FRAMES; i++) {
        const assay_picture ref = clip_view(&clip, i, 0), dis = clip_view(&clip, i, 1);
        assert_int_equal(assay_session_submit(s, i, &ref, &dis), ASSAY_OK);
    }
    assert_int_equal(assay_session_flush(s), ASSAY_OK);
    values = calloc(assay_session_keys(s), sizeof *values);
    assert_non_null(values);
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(assay_session_poll(s, &frame, values), 1);
        for (uint32_t k = 0; k < assay_model_features(m); k++) {
            assay_feature f;
            assert_int_equal(assay_model_feature(m, k, &f), ASSAY_OK);
            assert_int_equal(assay_model_find_feature(m, f.key), k);
            assert_true(assay_model_find_feature(m, f.name) <= k);
            assert_int_not_equal(assay_metric_find(f.metric), ASSAY_NONE);
            feature[k] = values[key_number(s, f.key)];
        }
        assert_int_equal(assay_model_predict(m, feature, score), ASSAY_OK);
        for (uint32_t k = 0; k < assay_model_scores(m); k++)
            assert_memory_equal(&score[k], &values[key_number(s, assay_model_score(m, k))], sizeof score[k]);
        feature[0] += 1.0; /* else nothing would be seen to depend on it */
        assert_int_equal(assay_model_predict(m, feature, score), ASSAY_OK);
        assert_memory_not_equal(&score[0], &values[key_number(s, assay_model_score(m, 0))], sizeof score[0]);
    }
    const uint32_t scores = assay_model_scores(m);
    free(values);
    assay_session_close(&s);
    assay_model_close(&m);
    assert_null(m);
    clip_close(&clip);
    return scores;
}

static void predicts_from_values(void **unused)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    (void)unused;
    assert_int_equal(predicts_as_session("vmaf=disable_clip=true", NULL), 1);
    assert_int_equal(predicts_as_session("vmaf=version=vmaf_float_v0.6.1:disable_clip=true:name=own:"
                                         "float_adm.adm_enhn_gain_limit=1.5", &format), 1);
}

static void predicts_of_collections_and_by_size(void **unused)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    (void)unused;
    assert_int_equal(predicts_as_session("vmaf=version=vmaf_b_v0.6.3:disable_clip=true:name=b", NULL), 25);
    assert_int_equal(predicts_as_session("vmaf=version=v1:disable_clip=true", &format), 1);
}

static void refuses_what_is_no_model(void **unused)
{
    static const struct { const char *metric; int rc; const char *says; } wrong[] = {
        {"psnr", ASSAY_EUSAGE, "psnr predicts nothing"},
        {"vmaff", ASSAY_EUSAGE, "vmaf"},
        {"vmaf=version=vmaf_v9", ASSAY_EUSAGE, "vmaf_v9"},
        {"vmaf=version=v1", ASSAY_EUSAGE, "depends on the pictures"},
        {"vmaf=path=/no/such/model.json", ASSAY_EINPUT, "/no/such/model.json"},
        {NULL, ASSAY_EUSAGE, "text"},
    };
    assay_model *m;
    assay_feature f;
    char error[512];
    double v[64] = {0};
    (void)unused;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        m = (assay_model *)&f; /* any pointer: a failure replaces it */
        assert_int_equal(assay_model_open(&m, wrong[i].metric, NULL, error, sizeof error), wrong[i].rc);
        assert_null(m);
        assert_non_null(strstr(error, wrong[i].says));
    }
    assert_int_equal(assay_model_open(&m, "vmaf", NULL, error, sizeof error), ASSAY_OK);
    assert_string_equal(error, "");
    assert_string_equal(assay_model_score(m, 0), "vmaf");
    assert_null(assay_model_score(m, 1));
    assert_int_equal(assay_model_features(m), 6);
    assert_int_equal(assay_model_feature(m, 6, &f), ASSAY_EUSAGE);
    assert_int_equal(assay_model_find_feature(m, "VMAF_integer_feature_adm2_score"), 0);
    assert_int_equal(assay_model_find_feature(m, "integer_adm2"), 0);
    assert_int_equal(assay_model_find_feature(m, "psnr_y"), ASSAY_NONE);
    assert_int_equal(assay_model_predict(m, v, NULL), ASSAY_EUSAGE);
    assert_int_equal(assay_model_predict(m, NULL, v), ASSAY_EUSAGE);
    assert_int_equal(assay_model_predict(NULL, v, v), ASSAY_EUSAGE);
    assay_model_close(&m);
    assay_model_close(&m);
}

static void count_left_out(void *opaque, const char *metric, const char *reason)
{
    assert_true(strstr(reason, metric) == reason);
    ++*(unsigned *)opaque;
}

/* Slow metrics are all that everything has more than all. */
static void everything_is_all_and_slow_ones(void **state)
{
    const assay_format f = {.width = 352, .height = 288, .bit_depth = 8, .layout = ASSAY_LAYOUT_420, .rate_num = 25,
                            .rate_den = 1};
    unsigned left_out[2] = {0, 0}, slow = 0;
    (void)state;
    for (uint32_t i = 0; assay_metric_name(i); i++)
        slow += assay_metric_slow(i) != 0;
    assert_false(assay_metric_slow(ASSAY_NONE));
    for (unsigned k = 0; k < 2; k++) {
        assay_session *s;
        assert_int_equal(assay_session_new(&s, NULL, NULL, 0), 0);
        const int rc = k ? assay_session_add_everything(s, &f, count_left_out, &left_out[k])
                         : assay_session_add_all(s, &f, count_left_out, &left_out[k]);
        assert_int_equal(rc, 0);
        assay_session_close(&s);
    }
    assert_int_equal(left_out[0] - left_out[1], slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_metrics_by_name),    cmocka_unit_test(names_the_keys_of_a_metric),
        cmocka_unit_test(predicts_from_values),     cmocka_unit_test(predicts_of_collections_and_by_size),
        cmocka_unit_test(refuses_what_is_no_model), cmocka_unit_test(everything_is_all_and_slow_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
