/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores that models predict from libvmaf's features are libvmaf's, for every frame that reports of it hold: those of
 * the repository, and those of the shared data folder ($ASSAY_SHARED, or ../shared beside the source tree). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "host/fpenv.h"
#include "models/model.h"

/* 17 digits are the double itself. exp is not rounded alike in 1 of 1000 calls; the sums hide nearly all of that. */
static const double bound = 1e-9;

static const struct {
    const char *key, *version; /* of the score in reports */
    bool disable_clip, enable_transform, no_motion;
} cases[] = {
    {"vmaf_v0.6.1", "vmaf_v0.6.1", false, false, false},
    {"vmaf_v0.6.1neg", "vmaf_v0.6.1neg", false, false, false},
    {"vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1", false, false, false},
    {"vmaf_4k_v0.6.1neg", "vmaf_4k_v0.6.1neg", false, false, false},
    {"vmaf_b_v0.6.3", "vmaf_b_v0.6.3", false, false, false},
    {"vmaf_float_v0.6.1", "vmaf_float_v0.6.1", false, false, false},
    {"vmaf_float_v0.6.1neg", "vmaf_float_v0.6.1neg", false, false, false},
    {"vmaf_float_4k_v0.6.1", "vmaf_float_4k_v0.6.1", false, false, false},
    {"vmaf_float_b_v0.6.3", "vmaf_float_b_v0.6.3", false, false, false},
    {"phone", "vmaf_v0.6.1", false, true, false},
    {"open", "vmaf_v0.6.1", true, false, false},
    {"phone_open", "vmaf_v0.6.1", true, true, false},
    {"phone_b", "vmaf_b_v0.6.3", false, true, false},
    {"open_b", "vmaf_b_v0.6.3", true, true, false},
    {"mfz", "vmaf_v0.6.1", false, false, true},
#define V1(tail) {"vmaf_v1.0.16_" tail, "vmaf_v1.0.16_" tail, false, false, false}
    V1("3d0h"), V1("1d5h_2160"), V1("hfr_3d0h"), V1("hfr_1d5h_2160"),
    /* These have no score of the sample pair, which is too small for them. */
    V1("5d0h"), V1("3d0h_2160"), V1("hfr_5d0h"), V1("hfr_3d0h_2160"),
};
enum { CASES = sizeof cases / sizeof cases[0], COMMITTED = CASES - 4, FIRST_OF_V1 = CASES - 8 };

static unsigned compared[CASES], equal[CASES], far_off; /* far_off: scores that a wrong last digit would have shown */
static double largest;

static const cJSON *metric(const cJSON *frame, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(frame, "metrics"), key);
}

/* The key of a feature of a model of version 1, with the values of all options that differ between these models. */
static void key_of_v1(const struct model_feature *f, char *key, size_t size)
{
    const char *o = f->options;
    if (strstr(f->name, "cambi"))
        snprintf(key, size, "cambi_hrs_1080_cmxv_17_vlt_0.06");
    else if (strstr(f->name, "speed_chroma_uv"))
        snprintf(key, size, "speed_chroma_uv_mxv_45_nnf_0.1%s_snn_0.19_wvm_5",
                 strstr(o, "prescale=0.6")   ? "_ps_0.6_psm_bilinear"
                 : strstr(o, "prescale=0.5") ? "_ps_0.5_psm_bilinear"
                                             : "");
    else if (strstr(f->name, "adm3"))
        snprintf(key, size, "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02%s%s",
                 strstr(o, "view_dist=5")     ? "_nvd_5"
                 : strstr(o, "view_dist=1.5") ? "_nvd_1.5"
                                              : "",
                 strstr(o, "height=2160") ? "_rdh_2160" : "");
    else
        snprintf(key, size, "integer_motion3%s_mmxv_18%s", strstr(o, "five_frame_window=true") ? "_mffw" : "",
                 strstr(o, "moving_average=true") ? "_mma" : "");
}

/* The key of a feature of the models of version 0.6, whose options end it by "_egl_1" or "_force_0". */
static void key_of_v0(const struct model_feature *f, bool no_motion, char *key, size_t size)
{
    char stem[MODEL_NAME];
    const bool integer = !strncmp(f->name, "VMAF_integer_feature_", 21);
    const size_t prefix = integer ? 21 : 13;
    assert_true(integer || !strncmp(f->name, "VMAF_feature_", 13));
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(f->name) - prefix - 6), f->name + prefix);
    const bool motion = !strncmp(stem, "motion", 6);
    snprintf(key, size, "%s%s%s%s", integer ? "integer_" : "", stem,
             strstr(f->options, "enhn_gain_limit=1") ? "_egl_1" : "", motion && no_motion ? "_force_0" : "");
}

/* The value of a feature in libvmaf's report. */
static double feature_value(const cJSON *frame, const struct model_feature *f, unsigned which)
{
    char key[MODEL_NAME + 64];
    if (which >= FIRST_OF_V1)
        key_of_v1(f, key, sizeof key);
    else
        key_of_v0(f, cases[which].no_motion, key, sizeof key);
    const cJSON *item = metric(frame, key);
    if (!cJSON_IsNumber(item))
        fail_msg("no feature %s", key);
    return item->valuedouble;
}

static void compare(const char *file, const cJSON *frame, unsigned which, const char *tail, double score)
{
    char key[128];
    snprintf(key, sizeof key, "%s%s", cases[which].key, tail);
    const cJSON *item = metric(frame, key);
    if (!cJSON_IsNumber(item))
        fail_msg("%s: no score %s", file, key);
    const double off = score > item->valuedouble ? score - item->valuedouble : item->valuedouble - score;
    if (!(off <= bound))
        fail_msg("%s: %s is %.17g, libvmaf has %.17g", file, key, score, item->valuedouble);
    largest = off > largest ? off : largest;
    compared[which]++;
    equal[which] += off == 0.0;
    far_off += score + 2e-9 - item->valuedouble > bound;
}

static void check_frame(const char *file, const cJSON *frame, unsigned which, const struct model *m)
{
    static const char *const figures[MODEL_FIGURES] = {"_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"};
    double feature[MODEL_FEATURES], score[1 + MODEL_MEMBERS + MODEL_FIGURES];
    for (uint32_t i = 0; i < m->features; i++)
        feature[i] = feature_value(frame, &m->feature[i], which);
    model_predict(m, feature, score);
    compare(file, frame, which, "", score[0]);
    for (uint32_t i = 1; i <= m->members; i++) {
        char tail[8];
        snprintf(tail, sizeof tail, "_%04u", i);
        compare(file, frame, which, tail, score[i]);
    }
    for (uint32_t i = 0; m->members && i < MODEL_FIGURES; i++)
        compare(file, frame, which, figures[i], score[1 + m->members + i]);
}

static cJSON *read_report(const char *path)
{
    static char text[1 << 22];
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s can't be opened", path);
    const size_t size = fread(text, 1, sizeof text - 1, f);
    assert_true(size < sizeof text - 1);
    fclose(f);
    text[size] = 0;
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    return json;
}

static void check_report(const char *path)
{
    struct assay_error e = {0};
    cJSON *json = read_report(path);
    for (unsigned i = 0; i < CASES; i++) {
        const cJSON *frame, *frames = cJSON_GetObjectItem(json, "frames");
        struct model *m;
        if (!metric(cJSON_GetArrayItem(frames, 0), cases[i].key))
            continue;
        assert_int_equal(model_built_in(&m, cases[i].version, &e), 0);
        assert_int_equal(m->members ? 1 + m->members + MODEL_FIGURES : 1, m->members ? 25 : 1);
        model_set(m, cases[i].disable_clip, cases[i].enable_transform);
        cJSON_ArrayForEach(frame, frames) check_frame(path, frame, i, m);
        model_free(&m);
    }
    cJSON_Delete(json);
}

static void committed(void **state)
{
    (void)state;
    memset(compared, 0, sizeof compared);
    check_report(ASSAY_SOURCE_ROOT "/tests/golden/libvmaf/sample.vmaf.json");
    check_report(ASSAY_SOURCE_ROOT "/tests/golden/libvmaf/self.vmaf.json");
    check_report(ASSAY_SOURCE_ROOT "/tests/golden/libvmaf/sample.v1.json");
    for (unsigned i = 0; i < COMMITTED; i++) {
        print_message("%s: %u scores, %u of them libvmaf's to the last bit\n", cases[i].key, compared[i], equal[i]);
        assert_true(compared[i] > 0);
        assert_true(compared[i] - equal[i] <= 1 + compared[i] / 20);
    }
    print_message("largest difference %g\n", largest);
    assert_true(far_off > 0);
}

/* Compares all models with the reports of a folder below `golden` of the shared data folder. */
static void check_folder(const char *name)
{
    char folder[4000], path[5000];
    const char *stated = getenv("ASSAY_SHARED");
    snprintf(folder, sizeof folder, "%s/golden/%s", stated ? stated : ASSAY_SOURCE_ROOT "/../shared", name);
    DIR *d = opendir(folder);
    if (!d)
        skip();
    memset(compared, 0, sizeof compared);
    memset(equal, 0, sizeof equal);
    for (struct dirent *entry; (entry = readdir(d));) {
        if (!strstr(entry->d_name, ".models.json"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_report(path);
    }
    closedir(d);
    for (unsigned i = 0; i < CASES; i++)
        if (compared[i])
            print_message("%s: %u scores, %u of them libvmaf's to the last bit\n", cases[i].key, compared[i], equal[i]);
    print_message("largest difference %g\n", largest);
}

static void shared(void **state)
{
    unsigned scores = 0;
    (void)state;
    check_folder("libvmaf");
    for (unsigned i = 0; i < CASES; i++)
        scores += compared[i];
    assert_true(scores > 300);
}

/* Every score of version 1, from libvmaf's features. */
static void shared_v1(void **state)
{
    unsigned scores = 0, same = 0;
    (void)state;
    check_folder("v1");
    for (unsigned i = FIRST_OF_V1; i < CASES; i++) {
        assert_true(compared[i] > 0);
        scores += compared[i];
        same += equal[i];
    }
    print_message("version 1: %u scores, %u of them libvmaf's to the last bit\n", scores, same);
    assert_int_equal(scores, 376);
}

static void versions(void **state)
{
    struct assay_error e = {0};
    struct model *m;
    uint32_t n = 0;
    (void)state;
    while (model_version(n)) {
        assert_int_equal(model_built_in(&m, model_version(n), &e), 0);
        assert_string_equal(m->version, model_version(n++));
        assert_true(m->height == 1080 || m->height == 2160);
        if (*m->other) {
            struct model *other;
            assert_int_equal(model_built_in(&other, m->other, &e), 0);
            assert_int_equal(other->height + m->height, 1080 + 2160);
            model_free(&other);
        }
        model_free(&m);
    }
    assert_int_equal(n, 17);
    assert_int_equal(model_built_in(&m, "vmaf_v0.6.2", &e), ASSAY_EUSAGE);
    assert_null(m);
    assert_non_null(strstr(e.text, "did you mean 'vmaf_v0.6.1'"));
}

/* ---- steps that no built-in model has ---------------------------------------------------------------------------- */

/* A model of one feature whose score before the transform is the feature. */
static double transformed(struct model_transform t, double y)
{
    struct assay_error e = {0};
    struct model *m;
    double score;
    assert_int_equal(model_new(&m, 1, &e), 0);
    assert_int_equal(model_svr_new(&m->predictor[0].svr, 0, 1, &e), 0);
    m->features = 1;
    m->predictor[0].svr.rho = -y;
    m->predictor[0].transform = t;
    m->predictor[0].transform.there = m->predictor[0].transform.on = true;
    model_predict(m, &y, &score);
    model_free(&m);
    return score;
}

static void knots(void **state)
{
    const struct model_transform t = {.knots = 4, .knot = {{0, 10}, {10, 20}, {20, 20}, {30, 50}}};
    (void)state;
    assert_true(transformed(t, -5) == 5);   /* before the first knot: its segment goes on */
    assert_true(transformed(t, 5) == 15);
    assert_true(transformed(t, 10) == 20);
    assert_true(transformed(t, 12) == 20);
    assert_true(transformed(t, 25) == 35);
    assert_true(transformed(t, 40) == 80);
    const struct model_transform meet = {.knots = 3, .knot = {{1, 1}, {7, 5}, {13, 17}}};
    assert_true(transformed(meet, 7) == 5); /* by the later of two segments; by the other one it is 4.999999999999999 */
    const struct model_transform flat = {.knots = 2, .knot = {{0, 7}, {10, 7}}};
    assert_true(transformed(flat, -1) == 7 && transformed(flat, 99) == 7);
    const struct model_transform low = {.has = {true}, .p = {50}, .out_lte_in = true};
    assert_true(transformed(low, 40) == 40 && transformed(low, 60) == 50);
    const struct model_transform none = {0};
    assert_true(transformed(none, 40) == 40);
}

/* speed_chroma of 0 becomes -p * adm3 + p. The one vector is far away, so the score is about -rho for every value but
 * the one that lies on it. */
static void chroma(void **state)
{
    struct assay_error e = {0};
    struct model *m;
    double score;
    (void)state;
    assert_int_equal(model_new(&m, 1, &e), 0);
    struct model_predictor *p = &m->predictor[0];
    assert_int_equal(model_svr_new(&p->svr, 1, 2, &e), 0);
    m->features = 2;
    p->svr.gamma = 1;
    memcpy(p->svr.vector, (double[]){7, 60, 0.5}, 3 * sizeof(double)); /* -120 * 0.5 + 120 = 60 */
    p->chroma = 120;
    p->chroma_to = 0;
    p->chroma_from = 1;
    model_predict(m, (double[]){0, 0.5}, &score);
    assert_true(score == 7);
    model_predict(m, (double[]){1e-3, 0.5}, &score);
    assert_true(score == 0);
    p->chroma = 0; /* as one that is not there */
    model_predict(m, (double[]){0, 0.5}, &score);
    assert_true(score == 0);
    model_free(&m);
}

static int enter(void **state)
{
    static struct assay_fpenv saved;
    (void)state;
    assay_fpenv_enter(&saved);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions), cmocka_unit_test(committed), cmocka_unit_test(shared),
        cmocka_unit_test(shared_v1), cmocka_unit_test(knots),    cmocka_unit_test(chroma),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
