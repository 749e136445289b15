/* SPDX-License-Identifier: BSD-2-Clause */
/* Models of users: what is read has the built-in model's figures, and what is malformed is refused with its place. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/model.h"
#include "comma_locale.h"

/* ---- built-in models, written as JSON and read again ---- */

static char text[1 << 20];
static size_t used;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    assert_true(used < sizeof text);
}

static void put_options(const struct model_feature *f)
{
    char name[MODEL_OPTIONS], value[MODEL_OPTIONS];
    double number;
    int n;
    put("{");
    for (const char *o = f->options; sscanf(o, "%[^=]=%[^:]%n", name, value, &n) == 2; o += o[n] == ':' ? n + 1 : n) {
        const bool bare = sscanf(value, "%lf", &number) == 1 || !strcmp(value, "true");
        put("%s\"%s\": %s%s%s", o > f->options ? ", " : "", name, bare ? "" : "\"", value, bare ? "" : "\"");
    }
    put("}");
}

static void put_predictor(const struct model *m, const struct model_predictor *p)
{
    put("{\"model_dict\": {\"model_type\": \"%sLIBSVMNUSVR\", \"norm_type\": \"linear_rescale\", ",
        m->members ? "BOOTSTRAP_" : "");
    for (unsigned list = 0; list < 2; list++) {
        put("\"%s\": [", list ? "intercepts" : "slopes");
        for (uint32_t i = 0; i <= m->features; i++)
            put("%s%.17g", i ? ", " : "", list ? p->intercept[i] : p->slope[i]);
        put("],\n");
    }
    put("\"score_clip\": [%.17g, %.17g], \"feature_names\": [", p->low, p->high);
    for (uint32_t i = 0; i < m->features; i++)
        put("%s\"%s\"", i ? ", " : "", m->feature[i].name);
    put("], \"feature_opts_dicts\": [");
    for (uint32_t i = 0; i < m->features; i++) {
        put(i ? ", " : "");
        put_options(&m->feature[i]);
    }
    put("], ");
    if (p->transform.there)
        put("\"score_transform\": {\"p0\": %.17g, \"p1\": %.17g, \"p2\": %.17g, \"knots\": null, "
            "\"out_gte_in\": \"%s\", \"enabled\": %s}, ", p->transform.p[0], p->transform.p[1], p->transform.p[2],
            p->transform.out_gte_in ? "true" : "false", p->transform.on ? "true" : "false");
    if (p->chroma != 0.0)
        put("\"chroma_correction_parameter\": %.17g, ", p->chroma);
    put("\"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma %.17g\\nnr_class 2\\ntotal_sv %u\\nrho %.17g\\nSV\\n",
        p->svr.gamma, p->svr.vectors, p->svr.rho);
    for (uint32_t v = 0; v < p->svr.vectors; v++) {
        const double *row = p->svr.vector + v * (1 + m->features);
        put("%.17g ", row[0]);
        for (uint32_t i = 1; i <= m->features; i++)
            if (row[i] != 0.0)
                put("%u:%.17g ", i, row[i]);
        put("\\n");
    }
    put("\"}}");
}

static void same_predictor(const struct model *m, struct model_predictor *a, struct model_predictor *b)
{
    const size_t values = (size_t)a->svr.vectors * (1 + m->features);
    assert_int_equal(a->svr.vectors, b->svr.vectors);
    assert_memory_equal(a->svr.vector, b->svr.vector, values * sizeof(double));
    assert_true(a->svr.gamma == b->svr.gamma && a->svr.rho == b->svr.rho);
    struct model_svr none = {0};
    struct model_predictor x = *a, y = *b;
    x.svr = y.svr = none;
    x.svr.vector = y.svr.vector = NULL;
    assert_memory_equal(x.slope, y.slope, sizeof x.slope);
    assert_memory_equal(x.intercept, y.intercept, sizeof x.intercept);
    assert_memory_equal(x.transform.p, y.transform.p, sizeof x.transform.p);
    assert_memory_equal(x.transform.has, y.transform.has, sizeof x.transform.has);
    assert_true(x.transform.there == y.transform.there && x.transform.on == y.transform.on && !y.transform.knots);
    assert_true(x.transform.out_gte_in == y.transform.out_gte_in && !y.transform.out_lte_in);
    assert_true(x.rescale == y.rescale && x.clip == y.clip && x.low == y.low && x.high == y.high);
    assert_true(x.chroma == y.chroma && (x.chroma == 0 || (x.chroma_to == y.chroma_to &&
                                                           x.chroma_from == y.chroma_from)));
}

static void read_again(void **state)
{
    struct assay_error e = {0};
    (void)state;
    for (uint32_t v = 0; model_version(v); v++) {
        struct model *a, *b;
        assert_int_equal(model_built_in(&a, model_version(v), &e), 0);
        used = 0;
        put(a->members ? "{" : "");
        for (uint32_t i = 0; i <= a->members; i++) {
            if (a->members)
                put("%s\"%u\": ", i ? ",\n" : "", i);
            put_predictor(a, &a->predictor[i]);
        }
        put(a->members ? "}" : "");
        if (model_parse(&b, "folder/like.v1.json", text, used, &e))
            fail_msg("%s: %s", a->version, e.text);
        assert_string_equal(b->version, "like.v1");
        assert_true(b->digest != 0 && b->height == 0);
        assert_int_equal(a->features, b->features);
        assert_int_equal(a->members, b->members);
        assert_memory_equal(a->feature, b->feature, sizeof a->feature);
        for (uint32_t i = 0; i <= a->members; i++)
            same_predictor(a, &a->predictor[i], &b->predictor[i]);
        model_free(&a);
        model_free(&b);
    }
}

/* A locale whose decimal point is a comma. */
static void any_locale(void **state)
{
    if (!set_comma_locale())
        skip(); /* none is installed, and none can be made */
    no_locales = true;
    struct assay_error e = {0};
    struct model *m;
    static const char plain[] =
        "{\"model_dict\": {\"model_type\": \"LIBSVMNUSVR\", \"norm_type\": \"none\", \"feature_names\": [\"a\"], "
        "\"score_clip\": [0.5, 1.25], \"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.5\\nnr_class 2\\n"
        "total_sv 1\\nrho 0.75\\nSV\\n1.5 1:2.5\\n\"}}";
    (void)state;
    assert_int_equal(model_parse(&m, "m", plain, strlen(plain), &e), 0);
    assert_true(m->predictor[0].low == 0.5 && m->predictor[0].high == 1.25);
    assert_true(m->predictor[0].svr.gamma == 0.5 && m->predictor[0].svr.vector[1] == 2.5);
    model_free(&m);
    no_locales = false;
    setlocale(LC_ALL, "C");
}

/* ---- malformed models ---- */

#define MACHINE \
    "svm_type nu_svr\\nkernel_type rbf\\ngamma 0.5\\nnr_class 2\\ntotal_sv 2\\nrho 1\\nSV\\n-4 1:1 2:0.5 \\n4 2:1\\n"
#define MODEL \
    "{\"model_dict\": {\n\"model_type\": \"LIBSVMNUSVR\", \"norm_type\": \"linear_rescale\",\n" \
    "\"feature_names\": [\"VMAF_feature_adm2_score\", \"VMAF_feature_motion2_score\"],\n" \
    "\"feature_opts_dicts\": [{\"adm_enhn_gain_limit\": 1.0}, {\"motion_force_zero\": true}],\n" \
    "\"slopes\": [0.01, 1, 2], \"intercepts\": [0, 0.5, 0.25], \"score_clip\": [0, 100],\n" \
    "\"score_transform\": {\"p0\": 1, \"p1\": null, \"knots\": [[0, 0], [10, 20]], \"out_lte_in\": \"true\"},\n" \
    "\"model\": \"" MACHINE "\"}}"

/* The model with one piece replaced, and what the error has to say. */
static const struct { const char *piece, *by, *says; } faults[] = {
    {"", "", NULL},
    /* syntax */
    {"\"norm_type\"", "norm_type", "line 2, byte 31: no JSON"},
    {"}}", "}", "line 7"},
    {"}}", "}} 1", "no JSON"},
    {"0.01", "0.0.1", "line 5"},
    {"0.01", "NaN", "line 5"},
    {"0.01", "-Infinity", "line 5"},
    {"0.01", "0,1", "slopes: has 4 numbers, not 3"}, /* as in locales that have no point */
    {"0.01", "0,01", "a number that begins with 0"},
    {"\"p0\": 1", "\"p0\": \"1\"", "model_dict.score_transform.p0: is no number"},
    /* what is there, and how much of it */
    {"model_dict", "model_dist", "model_dict: is missing"},
    {"{\"model_dict\": {", "{\"model_dict\": [{", "line 7"},
    {"\"model_type\": \"LIBSVMNUSVR\",", "", "model_type: is none of"},
    {"\"LIBSVMNUSVR\"", "\"RANDOMFOREST\"", "model_type: is none of"},
    {"\"LIBSVMNUSVR\"", "7", "model_type: is none of"},
    {"linear_rescale", "clip_0to1", "norm_type: is neither"},
    {"\"feature_names\"", "\"names\"", "feature_names: is missing"},
    {"[\"VMAF_feature_adm2_score\", \"VMAF_feature_motion2_score\"]", "[]", "1 to 64 features, not 0"},
    {"[\"VMAF_feature_adm2_score\", \"VMAF_feature_motion2_score\"]", "\"x\"", "feature_names: is no list"},
    {"\"VMAF_feature_adm2_score\"", "12", "feature_names[0]: is no name"},
    {"VMAF_feature_motion2_score", "a b", "feature_names[1]: is no name"},
    {"VMAF_feature_motion2_score", "", "feature_names[1]: is no name"},
    {", {\"motion_force_zero\": true}", "", "has 1 elements, and the model has 2 features"},
    {"{\"motion_force_zero\": true}", "3", "feature_opts_dicts[1]: is no object"},
    {": true}", ": [1]}", "feature_opts_dicts[1]: the value of an option"},
    {": true}", ": null}", "feature_opts_dicts[1]: the value of an option"},
    {": true}", ": \"a:b\"}", "feature_opts_dicts[1]: a name or value of an option is no word"},
    {"motion_force_zero", "motion,force", "is no word"},
    {": 1.0", ": 1e999", "feature_opts_dicts[0]: is out of the range"},
    {"[0.01, 1, 2]", "[0.01, 1]", "slopes: has 2 numbers, not 3"},
    {"[0.01, 1, 2]", "[0.01, 1, 2, 3]", "slopes: has 4 numbers, not 3"},
    {"[0.01, 1, 2]", "7", "slopes: is no list"},
    {"\"slopes\": [0.01, 1, 2],", "", "slopes: is no list"},
    {"[0.01, 1, 2]", "[0, 1, 2]", "slopes[0]: is 0"},
    {"[0.01, 1, 2]", "[0.01, 1, \"2\"]", "slopes[2]: is no number"},
    {"[0.01, 1, 2]", "[0.01, 1, 1e400]", "slopes[2]: is out of the range"},
    {"\"intercepts\": [0, 0.5, 0.25]", "\"intercepts\": [0, 0.5]", "intercepts: has 2 numbers, not 3"},
    {"\"intercepts\"", "\"slopes\": [1, 1, 1], \"intercepts\"", "slopes: stands twice"},
    {"[0, 100]", "[0]", "score_clip: has 1 numbers, not 2"},
    {"[0, 100]", "[100, 0]", "score_clip: the lower bound"},
    {"[0, 100]", "[0, 100, 1]", "score_clip: has 3 numbers"},
    {"[0, 100]", "[0, null]", "score_clip[1]: is no number"},
    {"{\"p0\": 1,", "[", "line 6"},
    {"[[0, 0], [10, 20]]", "[[0, 0]]", "knots: is no list of 2 to 10"},
    {"[[0, 0], [10, 20]]", "[[0,0],[1,1],[2,2],[3,3],[4,4],[5,5],[6,6],[7,7],[8,8],[9,9],[10,10]]",
     "knots: is no list"},
    {"[[0, 0], [10, 20]]", "[[0, 0], [0, 20]]", "knots[1]: knots ascend"},
    {"[[0, 0], [10, 20]]", "[[0, 30], [10, 20]]", "knots[1]: knots ascend"},
    {"[[0, 0], [10, 20]]", "[[0, 0], [10, 20, 30]]", "knots[1]: has 3 numbers"},
    {"\"out_lte_in\": \"true\"", "\"out_lte_in\": \"yes\"", "out_lte_in: is neither"},
    {"\"out_lte_in\": \"true\"", "\"enabled\": 1", "enabled: is neither"},
    {"\"score_clip\"", "\"chroma_correction_parameter\": 120, \"score_clip\"",
     "needs one feature speed_chroma, and there are 0"},
    {"\"score_clip\"", "\"chroma_correction_parameter\": \"120\", \"score_clip\"",
     "chroma_correction_parameter: is no number"},
    /* the machine */
    {"\"model\": \"" MACHINE "\"", "\"model\": 7", "model_dict.model: is no text"},
    {",\n\"model\": \"" MACHINE "\"", "", "model_dict.model: is missing"},
    {MACHINE, "", "line 1 of the text: the line SV is missing"},
    {"nu_svr", "c_svc", "line 1 of the text: only machines for regression"},
    {"rbf", "linear", "line 2 of the text: only the kernel rbf"},
    {"gamma 0.5", "gamma x", "line 3 of the text: no finite number: 'x'"},
    {"gamma 0.5", "gamma nan", "no finite number: 'nan'"},
    {"gamma 0.5", "gamma inf", "no finite number: 'inf'"},
    {"gamma 0.5", "gamma 1e309", "no finite number: '1e309'"},
    {"gamma 0.5", "gamma", "line 3 of the text: a number is missing"},
    {"gamma 0.5", "gamma 0.5 2", "line 3 of the text: nothing more is expected here: '2'"},
    {"gamma 0.5\\n", "", "this is missing: 'gamma'"},
    {"gamma 0.5", "gamma 0.5\\ngamma 0.5", "given twice: 'gamma'"},
    {"gamma 0.5", "gammon 0.5", "unknown name 'gammon'"},
    {"nr_class 2", "nr_class 3", "line 4 of the text: out of range: '3'"},
    {"nr_class 2", "nr_class 1", "nr_class of a machine for regression is 2"},
    {"total_sv 2", "total_sv 3", "fewer vectors follow than total_sv says"},
    {"total_sv 2", "total_sv 1", "nothing more is expected here: '4'"},
    {"total_sv 2", "total_sv 65536", "fewer vectors follow than total_sv says"},
    {"total_sv 2", "total_sv 65537", "out of range"},
    {"total_sv 2", "total_sv -1", "out of range"},
    {"total_sv 2", "total_sv 1.5", "out of range"},
    {"total_sv 2", "total_sv 4000000000000", "out of range"},
    {"SV\\n", "", "unknown name '-4'"},
    {"-4 1:1 2:0.5", "-4 1:1 3:0.5", "line 8 of the text: the model has fewer features than '3'"},
    {"-4 1:1 2:0.5", "-4 2:1 1:0.5", "indices ascend from 1; this one does not: '1'"},
    {"-4 1:1 2:0.5", "-4 0:1 2:0.5", "this one does not: '0'"},
    {"-4 1:1 2:0.5", "-4 1:1 1:0.5", "this one does not: '1'"},
    {"-4 1:1 2:0.5", "-4 1:1 2", "an element is INDEX:VALUE, not '2'"},
    {"-4 1:1 2:0.5", "-4 1: 2:0.5", "a number is missing"},
    {"-4 1:1 2:0.5", "x 1:1 2:0.5", "line 8 of the text: no finite number: 'x'"},
    {"-4 1:1 2:0.5", "1e-4000000000000000000000000000000000000000000000000000000000000000000001 1:1",
     "no finite number"},
};

static void malformed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        static const char whole[] = MODEL;
        const char *at = strstr(whole, faults[i].piece);
        struct assay_error e = {0};
        struct model *m;
        assert_non_null(at);
        used = 0;
        put("%.*s%s%s", (int)(at - whole), whole, faults[i].by, at + strlen(faults[i].piece));
        const int rc = model_parse(&m, "folder/m.json", text, used, &e);
        if (!faults[i].says) {
            assert_int_equal(rc, 0);
            model_free(&m);
            continue;
        }
        if (rc != ASSAY_EINPUT || m)
            fail_msg("'%s' instead of '%s' gives %d: %s", faults[i].by, faults[i].piece, rc, e.text);
        if (strncmp(e.text, "folder/m.json: ", 15) || !strstr(e.text, faults[i].says) || strchr(e.text, '\n'))
            fail_msg("'%s' instead of '%s': '%s' does not say '%s'", faults[i].by, faults[i].piece, e.text,
                     faults[i].says);
    }
}

static void refused(const char *says)
{
    struct assay_error e = {0};
    struct model *m;
    if (model_parse(&m, "m", text, used, &e) != ASSAY_EINPUT || m || !strstr(e.text, says))
        fail_msg("'%.60s': '%s' does not say '%s'", text, e.text, says);
}

/* Puts the model with n pieces replaced. */
static void put_changed(const char *const (*change)[2], unsigned n)
{
    static char model[4096], rest[4096];
    strcpy(model, MODEL);
    for (unsigned i = 0; i < n; i++) {
        char *at = strstr(model, change[i][0]);
        assert_non_null(at);
        strcpy(rest, at + strlen(change[i][0]));
        strcpy(at, change[i][1]);
        strcat(model, rest);
    }
    put("%s", model);
}

/* Reads what was put. */
static void taken(uint32_t members)
{
    struct assay_error e = {0};
    struct model *m;
    if (model_parse(&m, "m", text, used, &e))
        fail_msg("%s", e.text);
    assert_int_equal(m->members, members);
    model_free(&m);
}

/* Members of a collection predict from the model's own features, with the same options. */
static void features_of_members(void **state)
{
    static const char *const others[][2] = {{"motion2_score", "motion3_score"}, {": true}", ": false}"},
                                            {"gain_limit\": 1.0", "gain_limit\": 1.5"}};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const char *const change[][2] = {{"\"LIBSVMNUSVR\"", "\"BOOTSTRAP_LIBSVMNUSVR\""},
                                         {i ? others[i - 1][0] : "", i ? others[i - 1][1] : ""}};
        used = 0, put("{\"0\": " MODEL ", \"1\": "), put_changed(change, 2), put("}");
        if (i)
            refused("1.model_dict.feature_names: a member's features and options are those of the model");
        else
            taken(1);
    }
}

/* The chroma correction divides by the slopes of both features. */
static void slopes_of_chroma(void **state)
{
    static const char *const slopes[] = {"[0.01, 1, 2]", "[0.01, 0, 2]", "[0.01, 1, 0]"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        const char *const change[][2] = {{"feature_adm2_score", "feature_adm3_score"},
                                         {"VMAF_feature_motion2_score", "speed_chroma"}, {slopes[0], slopes[i]},
                                         {"\"score_clip\"", "\"chroma_correction_parameter\": 120, \"score_clip\""}};
        used = 0, put_changed(change, 4);
        if (i)
            refused("slopes: the slope of a feature of the chroma correction is 0");
        else
            taken(0);
    }
}

static void collections(void **state)
{
    static const char member[] = MODEL;
    (void)state;
    used = 0, put("{\"0\": %s}", member), refused("1: is missing: a collection has at least one member");
    used = 0, put("{\"0\": %s, \"1\": %s}", member, member);
    refused("1.model_dict.model_type: members of a collection");
    used = 0, put("{\"0\": %s, \"2\": %s}", member, member), refused("1: is missing");
    used = 0, put("{\"0\": %s, \"1\": %s, \"3\": %s}", member, member, member);
    refused("the models are numbered 0 to 1, and there are 3");
    used = 0, put("{\"0\": %s, \"1\": {}}", member), refused("are numbered 0 to 1, and there are 1");
    used = 0, put("{\"0\": 7, \"1\": {\"model_dict\": 1}}"), refused("are numbered");
    used = 0, put("{\"0\": {\"model_dict\": 3}, \"1\": {\"model_dict\": 1}}"), refused("0.model_dict: is no object");
    used = 0, put("[]"), refused("a model is an object");
    used = 0, put("{}"), refused("model_dict: is missing");
    used = 0, refused("line 1, byte 1");
}

/* A file that nests, one with a zero, and one that promises much. */
static void hostile(void **state)
{
    (void)state;
    used = 0;
    for (unsigned i = 0; i < 200000; i++)
        put("[");
    refused("more than one value for every 5 bytes");
    used = 0;
    for (unsigned i = 0; i < 50000; i++)
        put("{\"a\":     ");
    refused("nested too deeply");
    used = 0, put("{}"), text[used++] = 0, refused("has a character of the number 0");
}

static void files(void **state)
{
    struct assay_error e = {0};
    struct model *m;
    (void)state;
    assert_int_equal(model_read(&m, "/nowhere/m.json", &e), ASSAY_EINPUT);
    assert_non_null(strstr(e.text, "/nowhere/m.json: can't be opened"));
    e = (struct assay_error){0};
    assert_int_equal(model_read(&m, "/", &e), ASSAY_EINPUT);
    assert_non_null(strstr(e.text, "/: is no regular file"));
    e = (struct assay_error){0};
    assert_int_equal(model_read(&m, "/dev/zero", &e), ASSAY_EINPUT);
    assert_non_null(strstr(e.text, "/dev/zero: is no regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_again), cmocka_unit_test(malformed), cmocka_unit_test(collections),
        cmocka_unit_test(hostile),    cmocka_unit_test(files),     cmocka_unit_test(any_locale),
        cmocka_unit_test(features_of_members), cmocka_unit_test(slopes_of_chroma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
