/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls the functions of a libvmaf.so.3 in every order, wrong ones above all, and prints a line for each answer.
 *
 *     probe LIBRARY REF.y4m DIS.y4m
 */
#include <math.h>

#include "functions.h"

static struct video ref, dis;
static const char *group = "";

/* Instruction sets of the other library change scores at some widths; its scalar code is the definition. */
enum { SCALAR = 63 };

static void answer(const char *what, int rc)
{
    printf("%s: %s = %d\n", group, what, rc);
}

/* A score counts where the call did not fail. */
static void answer_score(const char *what, int rc, double score)
{
    if (rc)
        answer(what, rc);
    else if (isnan(score))
        printf("%s: %s = nan\n", group, what);
    else
        printf("%s: %s = %.13g\n", group, what, score);
}

static VmafContext *context(unsigned n_subsample)
{
    VmafContext *c;
    const VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_NONE, .n_subsample = n_subsample, .cpumask = SCALAR};
    if (vmaf.init(&c, cfg))
        exit(2);
    return c;
}

static VmafModel *model(const char *version, const char *name, uint64_t flags)
{
    VmafModel *m;
    VmafModelConfig cfg = {.name = name, .flags = flags};
    if (vmaf.model_load(&m, &cfg, version))
        exit(2);
    return m;
}

static VmafFeatureDictionary *options(const char *key, const char *value)
{
    VmafFeatureDictionary *d = NULL;
    if (vmaf.feature_dictionary_set(&d, key, value))
        exit(2);
    return d;
}

static void ask(VmafContext *c, const char *feature, unsigned index)
{
    char what[200];
    double v = 0;
    const int rc = vmaf.feature_score_at_index(c, feature, &v, index);
    snprintf(what, sizeof what, "%s at %u", feature, index);
    answer_score(what, rc, v);
}

static void ask_model(VmafContext *c, VmafModel *m, const char *name, unsigned index)
{
    char what[200];
    double v = 0;
    const int rc = vmaf.score_at_index(c, m, &v, index);
    snprintf(what, sizeof what, "model %s at %u", name, index);
    answer_score(what, rc, v);
}

static void ask_pool(VmafContext *c, const char *feature, int method, unsigned low, unsigned high)
{
    char what[200];
    double v = 0;
    const int rc = vmaf.feature_score_pooled(c, feature, (enum VmafPoolingMethod)method, &v, low, high);
    snprintf(what, sizeof what, "%s pooled by %d over %u to %u", feature, method, low, high);
    answer_score(what, rc, v);
}

static void ask_model_pool(VmafContext *c, VmafModel *m, const char *name, int method, unsigned low, unsigned high)
{
    char what[200];
    double v = 0;
    const int rc = vmaf.score_pooled(c, m, (enum VmafPoolingMethod)method, &v, low, high);
    snprintf(what, sizeof what, "model %s pooled by %d over %u to %u", name, method, low, high);
    answer_score(what, rc, v);
}

#define ADM2 "VMAF_integer_feature_adm2_score"
#define MOTION2 "VMAF_integer_feature_motion2_score"
#define VIF0 "VMAF_integer_feature_vif_scale0_score"

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void nulls(void)
{
    VmafContext *c = context(0);
    VmafModel *m = model("vmaf_v0.6.1", NULL, 0);
    VmafPicture pic = {0};
    const VmafConfiguration cfg = {0};
    VmafFeatureDictionary *d = NULL;
    double v = 0;
    group = "NULL";
    answer("init", vmaf.init(NULL, cfg));
    answer("close", vmaf.close(NULL));
    answer("use_feature of no context", vmaf.use_feature(NULL, "psnr", NULL));
    answer("use_feature without a name", vmaf.use_feature(c, NULL, NULL));
    answer("use_features_from_model", vmaf.use_features_from_model(c, NULL));
    answer("use_features_from_model of no context", vmaf.use_features_from_model(NULL, m));
    answer("use_features_from_model_collection", vmaf.use_features_from_model_collection(c, NULL));
    answer("import of no context", vmaf.import_feature_score(NULL, "psnr_y", 1, 0));
    answer("import without a name", vmaf.import_feature_score(c, NULL, 1, 0));
    answer("read_pictures of no context", vmaf.read_pictures(NULL, NULL, NULL, 0));
    answer("read_pictures with one side", vmaf.read_pictures(c, &pic, NULL, 0));
    answer("score_at_index without a model", vmaf.score_at_index(c, NULL, &v, 0));
    answer("score_at_index without a place", vmaf.score_at_index(c, m, NULL, 0));
    answer("feature_score_at_index without a name", vmaf.feature_score_at_index(c, NULL, &v, 0));
    answer("score_pooled without a place", vmaf.score_pooled(c, m, VMAF_POOL_METHOD_MEAN, NULL, 0, 0));
    answer("preallocate_pictures of no context", vmaf.preallocate_pictures(NULL, (VmafPictureConfiguration){0}));
    answer("fetch_preallocated_picture of no context", vmaf.fetch_preallocated_picture(NULL, &pic));
    answer("picture_alloc", vmaf.picture_alloc(NULL, VMAF_PIX_FMT_YUV420P, 8, 16, 16));
    answer("picture_unref", vmaf.picture_unref(NULL));
    answer("picture_unref of a cleared one", vmaf.picture_unref(&pic));
    answer("model_feature_overload without options", vmaf.model_feature_overload(m, "adm", NULL));
    answer("model_collection_feature_overload", vmaf.model_collection_feature_overload(m, NULL, "adm", NULL));
    answer("dictionary_set", vmaf.feature_dictionary_set(NULL, "a", "b"));
    answer("dictionary_set without a key", vmaf.feature_dictionary_set(&d, NULL, "b"));
    answer("dictionary_free", vmaf.feature_dictionary_free(NULL));
    answer("dictionary_free of none", vmaf.feature_dictionary_free(&d));
    vmaf.model_destroy(NULL);
    vmaf.model_collection_destroy(NULL);
    vmaf.model_destroy(m);
    vmaf.close(c);
}

static void pictures(void)
{
    static const struct {
        enum VmafPixelFormat format;
        unsigned bpc, w, h;
    } made[] = {{VMAF_PIX_FMT_YUV420P, 8, 7, 5}, {VMAF_PIX_FMT_YUV422P, 10, 7, 5}, {VMAF_PIX_FMT_YUV444P, 16, 7, 5},
                {VMAF_PIX_FMT_YUV400P, 8, 7, 5}, {VMAF_PIX_FMT_UNKNOWN, 8, 7, 5},  {VMAF_PIX_FMT_YUV420P, 7, 7, 5},
                {VMAF_PIX_FMT_YUV420P, 17, 7, 5}};
    group = "pictures";
    for (unsigned i = 0; i < sizeof made / sizeof made[0]; i++) {
        VmafPicture p = {0};
        char what[200];
        const int rc = vmaf.picture_alloc(&p, made[i].format, made[i].bpc, made[i].w, made[i].h);
        snprintf(what, sizeof what, "%d of %u bits: %ux%u %ux%u %ux%u %d%d%d", (int)made[i].format, made[i].bpc, p.w[0],
                 p.h[0], p.w[1], p.h[1], p.w[2], p.h[2], p.data[0] != NULL, p.data[1] != NULL, p.data[2] != NULL);
        answer(what, rc);
        if (!rc) {
            answer("given back", vmaf.picture_unref(&p));
            answer("given back again", vmaf.picture_unref(&p));
        }
    }
    VmafContext *c = context(0);
    VmafPicture p;
    const VmafPictureConfiguration good = {{64, 48, 8, VMAF_PIX_FMT_YUV420P}, 4}, none = {{64, 48, 8, 1}, 0},
                                   flat = {{64, 0, 8, 1}, 4};
    answer("fetch before preallocation", vmaf.fetch_preallocated_picture(c, &p));
    answer("preallocate none", vmaf.preallocate_pictures(c, none));
    answer("preallocate without a height", vmaf.preallocate_pictures(c, flat));
    answer("preallocate", vmaf.preallocate_pictures(c, good));
    for (unsigned i = 0; i < 6; i++) {
        answer("fetch", vmaf.fetch_preallocated_picture(c, &p));
        answer("its width", (int)p.w[0]);
        answer("unref", vmaf.picture_unref(&p));
    }
    vmaf.close(c);
    c = context(0);
    answer("use psnr", vmaf.use_feature(c, "psnr", NULL));
    answer("alloc", vmaf.picture_alloc(&p, VMAF_PIX_FMT_YUV420P, 8, 64, 48));
    answer("one as both sides", vmaf.read_pictures(c, &p, &p, 0));
    if (p.ref)
        vmaf.picture_unref(&p);
    vmaf.close(c);
}

static void models(void)
{
    VmafModelConfig cfg = {0}, named = {.name = "other"};
    VmafModel *m = NULL;
    VmafModelCollection *mc = NULL;
    VmafContext *c = context(0);
    group = "models";
    answer("unknown version", vmaf.model_load(&m, &cfg, "vmaf_v9"));
    answer("unknown collection", vmaf.model_collection_load(&m, &mc, &cfg, "vmaf_v9"));
    answer("no such file", vmaf.model_load_from_path(&m, &cfg, "/does/not/exist.json"));
    answer("a directory", vmaf.model_load_from_path(&m, &cfg, "/"));
    answer("a file that is no model", vmaf.model_load_from_path(&m, &cfg, "/dev/null"));
    answer("no such file of a collection", vmaf.model_collection_load_from_path(&m, &mc, &cfg, "/does/not/exist.json"));
    answer("a model as a collection", vmaf.model_collection_load(&m, &mc, &cfg, "vmaf_v0.6.1"));
    answer("version", vmaf.model_load(&m, &named, "vmaf_v0.6.1"));
    answer("overload", vmaf.model_feature_overload(m, "adm", options("adm_enhn_gain_limit", "1.1")));
    answer("overload, another option", vmaf.model_feature_overload(m, "vif", options("vif_enhn_gain_limit", "1.2")));
    answer("overload once more", vmaf.model_feature_overload(m, "adm", options("adm_enhn_gain_limit", "1.0")));
    answer("overload of what it does not read", vmaf.model_feature_overload(m, "psnr", options("enable_mse", "true")));
    answer("overload of what nobody has", vmaf.model_feature_overload(m, "blorf", options("enable_mse", "true")));
    answer("overload with an unknown option", vmaf.model_feature_overload(m, "motion", options("blorf", "1")));
    answer("use", vmaf.use_features_from_model(c, m));
    answer("use again", vmaf.use_features_from_model(c, m));
    for (unsigned i = 0; i < 3; i++)
        answer("read", read_pair(c, &ref, &dis, i, i));
    answer("flush", vmaf.read_pictures(c, NULL, NULL, 0));
    for (unsigned i = 0; i < 3; i++)
        ask_model(c, m, "other", i);
    ask(c, "integer_adm2", 1);
    ask(c, "integer_adm2_egl_1", 1);
    ask(c, "integer_vif_scale0_egl_1.2", 1);
    ask(c, ADM2, 1);
    ask(c, "other", 1);
    vmaf.model_destroy(m);
    vmaf.close(c);
}

static void features(void)
{
    static const char *const names[] = {
        "psnr", "float_psnr", "float_ssim", "float_ms_ssim", "ciede", "psnr_hvs", "adm", "motion", "vif", "cambi",
        "float_adm", "float_vif", "float_motion", "float_moment", "speed_chroma", "speed_temporal", "float_ansnr",
        "null", "blorf", "", "vmaf", "psnr=enable_mse=true", "ssimulacra2", "adm_cuda"};
    static const struct {
        const char *feature, *key, *value;
    } with[] = {{"psnr", "enable_mse", "true"},           {"psnr", "enable_mse", "maybe"}, {"psnr", "blorf", "1"},
                {"psnr", "min_sse", "0.5"},               {"psnr", "min_sse", "-1"},       {"float_ssim", "scale", "1"},
                {"float_ssim", "scale", "99"},            {"vif", "vif_kernelscale", "x"},
                {"vif", "vif_enhn_gain_limit", "1.23456789"}};
    group = "features";
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        VmafContext *c = context(0);
        answer(names[i], vmaf.use_feature(c, names[i], NULL));
        vmaf.close(c);
    }
    for (unsigned i = 0; i < sizeof with / sizeof with[0]; i++) {
        VmafContext *c = context(0);
        VmafFeatureDictionary *d = options(with[i].key, with[i].value);
        char what[200];
        snprintf(what, sizeof what, "%s with %s=%s", with[i].feature, with[i].key, with[i].value);
        answer(what, vmaf.use_feature(c, with[i].feature, d));
        vmaf.close(c);
    }
    VmafContext *c = context(0);
    answer("gain", vmaf.use_feature(c, "vif", options("vif_enhn_gain_limit", "1.23456789")));
    answer("none", vmaf.use_feature(c, "vif", NULL));
    answer("mse", vmaf.use_feature(c, "psnr", options("enable_mse", "true")));
    answer("psnr again", vmaf.use_feature(c, "psnr", NULL));
    answer("read", read_pair(c, &ref, &dis, 0, 0));
    answer("flush", vmaf.read_pictures(c, NULL, NULL, 0));
    ask(c, "integer_vif_scale0_egl_1.23457", 0);
    ask(c, VIF0, 0);
    ask(c, "mse_cb", 0);
    vmaf.close(c);
}

static void orders(void)
{
    VmafContext *c = context(0);
    VmafModel *m = model("vmaf_v0.6.1", NULL, 0);
    group = "orders";
    answer("flush of an empty context", vmaf.read_pictures(c, NULL, NULL, 0));
    answer("flush again", vmaf.read_pictures(c, NULL, NULL, 0));
    answer("read after the flush", read_pair(c, &ref, &dis, 0, 0));
    vmaf.close(c);
    c = context(0);
    answer("use", vmaf.use_features_from_model(c, m));
    answer("use psnr", vmaf.use_feature(c, "psnr", NULL));
    ask_model(c, m, "vmaf", 0);
    ask(c, "psnr_y", 0);
    ask_pool(c, "psnr_y", VMAF_POOL_METHOD_MEAN, 0, 0);
    answer("flush before pictures", vmaf.read_pictures(c, NULL, NULL, 0));
    answer("read 0", read_pair(c, &ref, &dis, 0, 0));
    answer("read 0 again", read_pair(c, &ref, &dis, 0, 0));
    answer("read 1", read_pair(c, &ref, &dis, 1, 1));
    answer("read 2", read_pair(c, &ref, &dis, 2, 2));
    ask(c, ADM2, 0);
    ask(c, ADM2, 2);
    ask(c, MOTION2, 0);
    ask_model(c, m, "vmaf", 0);
    answer("another size", read_pair(c, &(struct video){.w = 64, .h = 48, .frames = 1, .frame = {ref.frame[0]}},
                                     &(struct video){.w = 64, .h = 48, .frames = 1, .frame = {dis.frame[0]}}, 0, 3));
    answer("two sizes", read_pair(c, &ref, &(struct video){.w = 64, .h = 48, .frames = 1, .frame = {dis.frame[0]}}, 0,
                                  3));
    answer("flush", vmaf.read_pictures(c, NULL, NULL, 0));
    answer("flush again", vmaf.read_pictures(c, NULL, NULL, 0));
    answer("read after the flush", read_pair(c, &ref, &dis, 3, 3));
    for (unsigned i = 0; i < 4; i++)
        ask_model(c, m, "vmaf", i);
    ask(c, "psnr_y", 2);
    ask(c, "psnr_y", 3);
    ask(c, "psnr_y", 4000000000u);
    for (int method = -1; method < 7; method++) {
        ask_pool(c, "psnr_y", method, 0, 2);
        ask_model_pool(c, m, "vmaf", method, 0, 2);
    }
    ask_pool(c, "psnr_y", VMAF_POOL_METHOD_MEAN, 1, 1);
    ask_pool(c, "psnr_y", VMAF_POOL_METHOD_MEAN, 2, 1);
    ask_pool(c, "psnr_y", VMAF_POOL_METHOD_MEAN, 0, 3);
    ask_pool(c, "blorf", VMAF_POOL_METHOD_MEAN, 0, 2);
    ask_model_pool(c, m, "vmaf", VMAF_POOL_METHOD_MEAN, 0, 3);
    answer("a report in no folder", vmaf.write_output(c, "/does/not/exist/report", VMAF_OUTPUT_FORMAT_CSV));
    answer("a report in no form", vmaf.write_output(c, "/dev/null", VMAF_OUTPUT_FORMAT_NONE));
    answer("a report in an unknown form", vmaf.write_output(c, "/dev/null", (enum VmafOutputFormat)9));
    answer("a report", vmaf.write_output(c, "/dev/null", VMAF_OUTPUT_FORMAT_XML));
    vmaf.model_destroy(m);
    answer("close", vmaf.close(c));
}

static void imports(void)
{
    static const char *const names[] = {ADM2, MOTION2, VIF0, "VMAF_integer_feature_vif_scale1_score",
                                        "VMAF_integer_feature_vif_scale2_score",
                                        "VMAF_integer_feature_vif_scale3_score"};
    VmafContext *c = context(0);
    VmafModel *m = model("vmaf_v0.6.1", NULL, 0), *open = model("vmaf_v0.6.1", "open", VMAF_MODEL_FLAG_DISABLE_CLIP),
              *phone = model("vmaf_v0.6.1", "phone", VMAF_MODEL_FLAG_ENABLE_TRANSFORM);
    group = "imports";
    for (unsigned index = 0; index < 12; index += 3)
        for (unsigned i = 0; i < 6; i++)
            answer(names[i], vmaf.import_feature_score(c, names[i], i == 1 ? index : 0.5 + 0.05 * i + 0.01 * index,
                                                       index));
    answer("twice", vmaf.import_feature_score(c, ADM2, 0.5, 3));
    answer("of a name that nobody has", vmaf.import_feature_score(c, "my_score", 7.5, 1000));
    answer("an infinity", vmaf.import_feature_score(c, "my_score", INFINITY, 1001));
    ask(c, "my_score", 1000);
    ask(c, "my_score", 999);
    for (unsigned index = 0; index < 7; index++) {
        ask_model(c, m, "vmaf", index);
        ask_model(c, open, "open", index);
        ask_model(c, phone, "phone", index);
    }
    ask_model_pool(c, m, "vmaf", VMAF_POOL_METHOD_MEAN, 0, 3);
    ask_model_pool(c, m, "vmaf", VMAF_POOL_METHOD_MEAN, 3, 3);
    answer("a score that is predicted already", vmaf.import_feature_score(c, "vmaf", 1, 3));
    answer("a score of one's own", vmaf.import_feature_score(c, "vmaf", 42, 1));
    ask_model(c, m, "vmaf", 1);
    answer("flush", vmaf.read_pictures(c, NULL, NULL, 0));
    vmaf.close(c);
    c = context(0);
    answer("use psnr", vmaf.use_feature(c, "psnr", NULL));
    answer("a value before its picture", vmaf.import_feature_score(c, "psnr_y", 1, 1));
    answer("read 0", read_pair(c, &ref, &dis, 0, 0));
    answer("read 1", read_pair(c, &ref, &dis, 1, 1));
    answer("read 2", read_pair(c, &ref, &dis, 2, 2));
    answer("flush", vmaf.read_pictures(c, NULL, NULL, 0));
    for (unsigned i = 0; i < 3; i++)
        ask(c, "psnr_y", i);
    vmaf.model_destroy(m);
    vmaf.model_destroy(open);
    vmaf.model_destroy(phone);
    vmaf.close(c);
}

static void subsample(unsigned step)
{
    char name[32];
    VmafContext *c = context(step);
    VmafModel *m = model("vmaf_v0.6.1", NULL, 0);
    snprintf(name, sizeof name, "every %u", step);
    group = name;
    answer("use", vmaf.use_features_from_model(c, m));
    for (unsigned i = 0; i < ref.frames; i++)
        answer("read", read_pair(c, &ref, &dis, i, i));
    answer("flush", vmaf.read_pictures(c, NULL, NULL, 0));
    for (unsigned i = 0; i < ref.frames; i++)
        ask_model(c, m, "vmaf", i);
    ask_model_pool(c, m, "vmaf", VMAF_POOL_METHOD_MEAN, 0, ref.frames - 1);
    ask_model_pool(c, m, "vmaf", VMAF_POOL_METHOD_MIN, 0, ref.frames - 1);
    ask_model_pool(c, m, "vmaf", VMAF_POOL_METHOD_MAX, 1, ref.frames - 1);
    ask_pool(c, MOTION2, VMAF_POOL_METHOD_HARMONIC_MEAN, 0, ref.frames - 1);
    vmaf.model_destroy(m);
    vmaf.close(c);
}

static void answer_collection(const char *what, int rc, const VmafModelCollectionScore *s)
{
    if (rc)
        answer(what, rc);
    else
        printf("%s: %s = %d %.12g %.11g %.12g %.12g\n", group, what, (int)s->type, s->bootstrap.bagging_score,
               s->bootstrap.stddev, s->bootstrap.ci.p95.lo, s->bootstrap.ci.p95.hi);
}

static void collections(void)
{
    VmafModelConfig cfg = {.name = "b"};
    VmafModel *m;
    VmafModelCollection *mc;
    VmafModelCollectionScore s = {0};
    VmafContext *c = context(0);
    group = "collections";
    answer("load", vmaf.model_collection_load(&m, &mc, &cfg, "vmaf_b_v0.6.3"));
    answer("overload", vmaf.model_collection_feature_overload(m, &mc, "vif", options("vif_enhn_gain_limit", "2")));
    answer("use", vmaf.use_features_from_model_collection(c, mc));
    answer_collection("before pictures", vmaf.score_at_index_model_collection(c, mc, &s, 0), &s);
    for (unsigned i = 0; i < 3; i++)
        answer("read", read_pair(c, &ref, &dis, i, i));
    answer("flush", vmaf.read_pictures(c, NULL, NULL, 0));
    ask_model(c, m, "b", 0);
    answer_collection("at 0", vmaf.score_at_index_model_collection(c, mc, &s, 0), &s);
    answer_collection("at 0 again", vmaf.score_at_index_model_collection(c, mc, &s, 0), &s);
    answer_collection("pooled over 1 to 2", vmaf.score_pooled_model_collection(c, mc, VMAF_POOL_METHOD_MEAN, &s, 1, 2),
                      &s);
    answer_collection("pooled over 1 to 3", vmaf.score_pooled_model_collection(c, mc, VMAF_POOL_METHOD_MEAN, &s, 1, 3),
                      &s);
    ask(c, "b_0001", 0);
    ask(c, "b_0020", 2);
    ask(c, "b_0021", 2);
    ask(c, "b_bagging", 1);
    ask(c, "b_ci_p95_hi", 1);
    vmaf.model_destroy(m);
    vmaf.model_collection_destroy(mc);
    vmaf.close(c);
}

static void scores(void)
{
    static const char *const versions[] = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_v1.0.16_3d0h"};
    static const char *const names[] = {
        ADM2, MOTION2, VIF0, "VMAF_integer_feature_vif_scale3_score", "VMAF_integer_feature_motion3_score",
        "VMAF_integer_feature_motion_sad_score", "integer_adm_scale0", "psnr_y", "psnr_cb", "psnr_cr",
        "Cambi_feature_cambi_score"};
    enum { MODELS = sizeof versions / sizeof versions[0] };
    VmafModel *m[MODELS];
    VmafContext *c = context(0);
    group = "scores";
    for (unsigned i = 0; i < MODELS; i++) {
        m[i] = model(versions[i], versions[i], 0);
        answer(versions[i], vmaf.use_features_from_model(c, m[i]));
    }
    answer("psnr", vmaf.use_feature(c, "psnr", NULL));
    for (unsigned i = 0; i < ref.frames; i++)
        answer("read", read_pair(c, &ref, &dis, i, i));
    answer("flush", vmaf.read_pictures(c, NULL, NULL, 0));
    for (unsigned i = 0; i < ref.frames; i++) {
        for (unsigned k = 0; k < MODELS; k++)
            ask_model(c, m[k], versions[k], i);
        for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++)
            ask(c, names[k], i);
    }
    for (unsigned k = 0; k < MODELS; k++) {
        ask_model_pool(c, m[k], versions[k], VMAF_POOL_METHOD_MEAN, 0, ref.frames - 1);
        vmaf.model_destroy(m[k]);
    }
    vmaf.close(c);
}

/* libvmaf has these functions in builds with CUDA; there is no device where this program is compared. */
static void cuda(void)
{
    VmafContext *c = context(0);
    VmafCudaState *state = NULL;
    VmafPicture pic;
    group = "cuda";
    answer("state_init", vmaf.cuda_state_init ? vmaf.cuda_state_init(&state, (VmafCudaConfiguration){0}) : -22);
    answer("state_init without a place", vmaf.cuda_state_init ? vmaf.cuda_state_init(NULL, (VmafCudaConfiguration){0})
                                                              : -22);
    answer("import_state", vmaf.cuda_import_state ? vmaf.cuda_import_state(c, NULL) : -22);
    answer("preallocate", vmaf.cuda_preallocate_pictures
                              ? vmaf.cuda_preallocate_pictures(NULL, (VmafCudaPictureConfiguration){0})
                              : -22);
    answer("fetch", vmaf.cuda_fetch_preallocated_picture ? vmaf.cuda_fetch_preallocated_picture(c, &pic) : -22);
    vmaf.close(c);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    open_functions(argv[1]);
    video_read(&ref, argv[2]);
    video_read(&dis, argv[3]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    nulls();
    pictures();
    models();
    features();
    orders();
    imports();
    subsample(2);
    subsample(3);
    collections();
    scores();
    cuda();
    free(ref.data);
    free(dis.data);
    return 0;
}
