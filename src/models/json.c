/* SPDX-License-Identifier: BSD-2-Clause */
/* Models in libvmaf's JSON. A file is refused as a whole, with the place of the first thing that is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/digest.h"
#include "host/json_tree.h"
#include "host/numbers.h"
#include "host/text.h"
#include "models/model.h"

struct json_reader {
    const char *path;
    char place[64]; /* of the object that is read: "model_dict" or "3.model_dict" */
    struct assay_error *error;
};

PRINTF_LIKE(3, 4) static int json_fail(const struct json_reader *r, const char *name, const char *format, ...)
{
    char what[256];
    TEXT_GIVEN(what, sizeof what, format);
    return assay_fail(r->error, ASSAY_EINPUT, "%s: %s%s%s: %s", r->path, r->place, *r->place && *name ? "." : "", name,
                      what);
}

/* *item becomes NULL where the name is not there or is null. A name that stands twice is refused: readers differ in
 * which one they take. */
static int json_member(const struct json_reader *r, const cJSON *object, const char *name, const cJSON **item)
{
    const cJSON *child;
    *item = NULL;
    cJSON_ArrayForEach(child, object) {
        if (!child->string || strcmp(child->string, name))
            continue;
        if (*item)
            return json_fail(r, name, "stands twice");
        *item = child;
    }
    if (*item && cJSON_IsNull(*item))
        *item = NULL;
    return ASSAY_OK;
}

static int json_number(const struct json_reader *r, const cJSON *item, const char *name, double *v)
{
    if (!cJSON_IsNumber(item))
        return json_fail(r, name, "is no number");
    *v = item->valuedouble;
    return *v - *v == 0.0 ? ASSAY_OK : json_fail(r, name, "is out of the range of numbers");
}

/* The numbers of an array of exactly `count` elements. */
static int json_numbers(const struct json_reader *r, const cJSON *list, const char *name, uint32_t count, double *to)
{
    const cJSON *item;
    char element[64];
    uint32_t n = 0;
    if (!cJSON_IsArray(list))
        return json_fail(r, name, "is no list");
    if ((uint32_t)cJSON_GetArraySize(list) != count)
        return json_fail(r, name, "has %d numbers, not %u", cJSON_GetArraySize(list), count);
    cJSON_ArrayForEach(item, list) {
        snprintf(element, sizeof element, "%s[%u]", name, n);
        TRY(json_number(r, item, element, &to[n++]));
    }
    return ASSAY_OK;
}

static bool json_is_one_of(const cJSON *item, const char *words)
{
    return cJSON_IsString(item) && text_word(words, item->valuestring) >= 0;
}

/* ---- features ---------------------------------------------------------------------------------------------------- */

/* Names and values become keys and options: letters, digits and some signs. */
static bool json_is_word(const char *text)
{
    const char *c = text;
    while ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
           (*c && strchr("_.+-", *c)))
        c++;
    return *text && !*c;
}

/* Appends "name=value", with a ':' in front of all but the first. */
static int json_option(const struct json_reader *r, const cJSON *item, const char *place, char *options)
{
    char number[NUMBER_TEXT_SIZE];
    const char *value = cJSON_IsBool(item) ? cJSON_IsTrue(item) ? "true" : "false" : item->valuestring;
    if (cJSON_IsNumber(item)) {
        double v = 0.0;
        TRY(json_number(r, item, place, &v));
        format_shortest(number, v);
        value = number;
    } else if (!cJSON_IsBool(item) && !cJSON_IsString(item)) {
        return json_fail(r, place, "the value of an option is a number, true, false or a word");
    }
    const size_t used = strlen(options), room = MODEL_OPTIONS - used;
    if (!json_is_word(item->string) || !json_is_word(value))
        return json_fail(r, place, "a name or value of an option is no word");
    if (snprintf(options + used, room, "%s%s=%s", used ? ":" : "", item->string, value) >= (int)room)
        return json_fail(r, place, "the options take more than %d characters", MODEL_OPTIONS - 1);
    return ASSAY_OK;
}

static int json_options(const struct json_reader *r, const cJSON *list, struct model *m)
{
    const cJSON *dict, *item;
    char place[64];
    uint32_t i = 0;
    if (!cJSON_IsArray(list))
        return json_fail(r, "feature_opts_dicts", "is no list");
    if ((uint32_t)cJSON_GetArraySize(list) != m->features)
        return json_fail(r, "feature_opts_dicts", "has %d elements, and the model has %u features",
                         cJSON_GetArraySize(list), m->features);
    cJSON_ArrayForEach(dict, list) {
        snprintf(place, sizeof place, "feature_opts_dicts[%u]", i);
        if (!cJSON_IsObject(dict))
            return json_fail(r, place, "is no object");
        cJSON_ArrayForEach(item, dict) TRY(json_option(r, item, place, m->feature[i].options));
        i++;
    }
    return ASSAY_OK;
}

static int json_features(const struct json_reader *r, const cJSON *dict, struct model *m)
{
    const cJSON *list, *item;
    char place[64];
    TRY(json_member(r, dict, "feature_names", &list));
    if (!cJSON_IsArray(list))
        return json_fail(r, "feature_names", list ? "is no list" : "is missing");
    const int count = cJSON_GetArraySize(list);
    if (count < 1 || count > MODEL_FEATURES)
        return json_fail(r, "feature_names", "a model has 1 to %d features, not %d", MODEL_FEATURES, count);
    cJSON_ArrayForEach(item, list) {
        snprintf(place, sizeof place, "feature_names[%u]", m->features);
        if (!cJSON_IsString(item) || !json_is_word(item->valuestring) || strlen(item->valuestring) >= MODEL_NAME)
            return json_fail(r, place, "is no name of a feature");
        strcpy(m->feature[m->features++].name, item->valuestring);
    }
    TRY(json_member(r, dict, "feature_opts_dicts", &list));
    return list ? json_options(r, list, m) : ASSAY_OK;
}

/* The members of a collection read the same features as the model, which are in m. */
static int json_same_features(const struct json_reader *r, const cJSON *dict, const struct model *m)
{
    struct model *other;
    TRY(model_new(&other, 1, r->error));
    int rc = json_features(r, dict, other);
    if (!rc && (other->features != m->features || memcmp(other->feature, m->feature, sizeof m->feature)))
        rc = json_fail(r, "feature_names", "a member's features and options are those of the model \"0\"");
    model_free(&other);
    return rc;
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

static int json_knots(const struct json_reader *r, const cJSON *list, struct model_transform *t)
{
    const cJSON *item;
    char place[64];
    const int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (count < 2 || count > MODEL_KNOTS)
        return json_fail(r, "score_transform.knots", "is no list of 2 to %d knots", MODEL_KNOTS);
    cJSON_ArrayForEach(item, list) {
        double *knot = t->knot[t->knots];
        snprintf(place, sizeof place, "score_transform.knots[%u]", t->knots);
        TRY(json_numbers(r, item, place, 2, knot));
        if (t->knots && !(knot[-2] < knot[0] && knot[-1] <= knot[1]))
            return json_fail(r, place, "knots ascend, and their values do not descend");
        t->knots++;
    }
    return ASSAY_OK;
}

/* out_lte_in and out_gte_in are the words "true" and "false" in libvmaf's models. */
static int json_flag(const struct json_reader *r, const cJSON *object, const char *name, bool *flag)
{
    const cJSON *item;
    char place[64];
    TRY(json_member(r, object, name, &item));
    snprintf(place, sizeof place, "score_transform.%s", name);
    if (item && !cJSON_IsBool(item) && !json_is_one_of(item, "true false"))
        return json_fail(r, place, "is neither true nor false");
    *flag = item && (cJSON_IsBool(item) ? cJSON_IsTrue(item) : !strcmp(item->valuestring, "true"));
    return ASSAY_OK;
}

static int json_transform(const struct json_reader *r, const cJSON *dict, struct model_transform *t)
{
    const cJSON *object, *item;
    TRY(json_member(r, dict, "score_transform", &object));
    if (!object)
        return ASSAY_OK;
    if (!cJSON_IsObject(object))
        return json_fail(r, "score_transform", "is no object");
    t->there = true;
    TRY(json_flag(r, object, "enabled", &t->on));
    TRY(json_flag(r, object, "out_lte_in", &t->out_lte_in));
    TRY(json_flag(r, object, "out_gte_in", &t->out_gte_in));
    for (unsigned i = 0; i < 3; i++) {
        char name[3] = {'p', (char)('0' + i), 0}, place[64];
        snprintf(place, sizeof place, "score_transform.%s", name);
        TRY(json_member(r, object, name, &item));
        t->has[i] = item != NULL;
        if (item)
            TRY(json_number(r, item, place, &t->p[i]));
    }
    TRY(json_member(r, object, "knots", &item));
    return item ? json_knots(r, item, t) : ASSAY_OK;
}

static int json_clip(const struct json_reader *r, const cJSON *dict, struct model_predictor *p)
{
    const cJSON *list;
    double bounds[2];
    TRY(json_member(r, dict, "score_clip", &list));
    if (!list)
        return ASSAY_OK;
    TRY(json_numbers(r, list, "score_clip", 2, bounds));
    if (bounds[0] > bounds[1])
        return json_fail(r, "score_clip", "the lower bound is above the upper one");
    p->clip = true;
    p->low = bounds[0];
    p->high = bounds[1];
    return ASSAY_OK;
}

static int json_rescale(const struct json_reader *r, const cJSON *dict, uint32_t features, struct model_predictor *p)
{
    const cJSON *item, *slopes, *intercepts;
    TRY(json_member(r, dict, "norm_type", &item));
    TRY(json_member(r, dict, "slopes", &slopes));
    TRY(json_member(r, dict, "intercepts", &intercepts));
    if (!json_is_one_of(item, "linear_rescale none"))
        return json_fail(r, "norm_type", "is neither linear_rescale nor none");
    p->rescale = !strcmp(item->valuestring, "linear_rescale");
    if (!p->rescale)
        return ASSAY_OK;
    TRY(json_numbers(r, slopes, "slopes", 1 + features, p->slope));
    TRY(json_numbers(r, intercepts, "intercepts", 1 + features, p->intercept));
    return p->slope[0] != 0.0 ? ASSAY_OK : json_fail(r, "slopes[0]", "is 0");
}

/* The one feature whose name contains `part`. */
static int json_feature_like(const struct json_reader *r, const struct model *m, const char *part, uint32_t *index)
{
    const uint32_t found = model_feature_like(m, part, index);
    return found == 1 ? ASSAY_OK : json_fail(r, "chroma_correction_parameter", "needs one feature %s, and there are %u",
                                             part, found);
}

static int json_chroma(const struct json_reader *r, const cJSON *dict, const struct model *m, struct model_predictor *p)
{
    const cJSON *item;
    TRY(json_member(r, dict, "chroma_correction_parameter", &item));
    if (!item)
        return ASSAY_OK;
    TRY(json_number(r, item, "chroma_correction_parameter", &p->chroma));
    if (p->chroma == 0.0) /* as one that is not there */
        return ASSAY_OK;
    TRY(json_feature_like(r, m, MODEL_CHROMA_TO, &p->chroma_to));
    TRY(json_feature_like(r, m, MODEL_CHROMA_FROM, &p->chroma_from));
    if (p->rescale && (p->slope[1 + p->chroma_to] == 0.0 || p->slope[1 + p->chroma_from] == 0.0))
        return json_fail(r, "slopes", "the slope of a feature of the chroma correction is 0");
    return ASSAY_OK;
}

/* ---- a model, a collection --------------------------------------------------------------------------------------- */

static int json_machine(const struct json_reader *r, const cJSON *dict, bool member, uint32_t features,
                        struct model_svr *s)
{
    static const char types[] = "BOOTSTRAP_LIBSVMNUSVR RESIDUEBOOTSTRAP_LIBSVMNUSVR";
    const cJSON *item;
    char where[512];
    TRY(json_member(r, dict, "model_type", &item));
    if (!json_is_one_of(item, types) && !json_is_one_of(item, "LIBSVMNUSVR"))
        return json_fail(r, "model_type", "is none of LIBSVMNUSVR, BOOTSTRAP_LIBSVMNUSVR and "
                         "RESIDUEBOOTSTRAP_LIBSVMNUSVR");
    if (member && !json_is_one_of(item, types))
        return json_fail(r, "model_type", "members of a collection are of a type BOOTSTRAP");
    TRY(json_member(r, dict, "model", &item));
    if (!cJSON_IsString(item))
        return json_fail(r, "model", item ? "is no text" : "is missing");
    snprintf(where, sizeof where, "%s: %s.model", r->path, r->place);
    return model_svr_parse(s, features, item->valuestring, where, r->error);
}

/* Reads the predictor `index` of the model from an object with a "model_dict". */
static int json_predictor(struct json_reader *r, const cJSON *object, struct model *m, uint32_t index)
{
    struct model_predictor *p = &m->predictor[index];
    const cJSON *dict;
    TRY(json_member(r, object, "model_dict", &dict));
    snprintf(r->place + strlen(r->place), sizeof r->place - strlen(r->place), "%smodel_dict", *r->place ? "." : "");
    if (!cJSON_IsObject(dict))
        return json_fail(r, "", dict ? "is no object" : "is missing");
    TRY(index ? json_same_features(r, dict, m) : json_features(r, dict, m));
    TRY(json_rescale(r, dict, m->features, p));
    TRY(json_clip(r, dict, p));
    TRY(json_transform(r, dict, &p->transform));
    TRY(json_chroma(r, dict, m, p));
    return json_machine(r, dict, index > 0, m->features, &p->svr);
}

/* How many predictors a file has: objects named "0", "1" and so on. */
static int json_count(const struct json_reader *r, const cJSON *root, uint32_t *count)
{
    const cJSON *item;
    uint32_t models = 0;
    cJSON_ArrayForEach(item, root)
        models += cJSON_IsObject(item) && cJSON_HasObjectItem(item, "model_dict");
    for (*count = 0; *count <= MODEL_MEMBERS; ++*count) {
        char name[16];
        snprintf(name, sizeof name, "%u", *count);
        TRY(json_member(r, root, name, &item));
        if (!item)
            break;
    }
    if (!*count)
        return json_fail(r, "model_dict", "is missing, and so is \"0\" of a collection");
    if (*count == 1)
        return json_fail(r, "1", "is missing: a collection has at least one member");
    if (*count > MODEL_MEMBERS)
        return json_fail(r, "", "a collection has at most %d members", MODEL_MEMBERS - 1);
    return models == *count ? ASSAY_OK : json_fail(r, "", "the models are numbered 0 to %u, and there are %u",
                                                   *count - 1, models);
}

static int json_collection(struct json_reader *r, const cJSON *root, struct model **out)
{
    uint32_t count;
    TRY(json_count(r, root, &count));
    TRY(model_new(out, count, r->error));
    for (uint32_t i = 0; i < count; i++) {
        const cJSON *item;
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        r->place[0] = 0;
        TRY(json_member(r, root, name, &item));
        strcpy(r->place, name);
        TRY(json_predictor(r, item, *out, i));
    }
    return ASSAY_OK;
}

static int json_root(struct json_reader *r, const cJSON *root, struct model **out)
{
    const cJSON *dict;
    if (!cJSON_IsObject(root))
        return assay_fail(r->error, ASSAY_EINPUT, "%s: a model is an object", r->path);
    TRY(json_member(r, root, "model_dict", &dict));
    if (!dict)
        return json_collection(r, root, out);
    TRY(model_new(out, 1, r->error));
    return json_predictor(r, root, *out, 0);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static int json_syntax(const char *path, const char *text, const char *end, struct assay_error *e)
{
    unsigned line = 1;
    const char *start = text;
    for (const char *c = text; c < end; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    return assay_fail(e, ASSAY_EINPUT, "%s: line %u, byte %zu: no JSON, or nested too deeply", path, line,
                      (size_t)(end - start) + 1);
}

/* The file's name without folders and ending. */
static void json_version(const char *path, char version[MODEL_VERSION])
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    snprintf(version, MODEL_VERSION, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

/* A value of `size` bytes of text; NULL where it is none. */
static cJSON *json_value(const char *path, const char *text, size_t size, struct assay_error *e)
{
    const char *end;
    cJSON *root;
    if (json_tree(&root, path, text, size, &end, e) || (root && end == text + size))
        return root;
    cJSON_Delete(root);
    json_syntax(path, text, end, e);
    return NULL;
}

int model_parse(struct model **out, const char *path, const char *text, size_t size, struct assay_error *e)
{
    struct json_reader r = {.path = path, .error = e};
    *out = NULL;
    cJSON *root = json_value(path, text, size, e);
    int rc = root ? json_root(&r, root, out) : e->code;
    if (!rc) {
        json_version(path, (*out)->version);
        (*out)->digest = digest_of(text, size);
    } else {
        rc = e->code;
        model_free(out);
    }
    cJSON_Delete(root);
    return rc;
}

/* ---- objects of settings ----------------------------------------------------------------------------------------- */

static int json_take_members(const struct json_reader *r, const cJSON *object, model_member *take, void *opaque)
{
    const cJSON *child, *item;
    cJSON_ArrayForEach(child, object) {
        double number[MODEL_MEMBER_NUMBERS];
        int n = 0;
        TRY(json_member(r, object, child->string, &item));
        if (cJSON_IsNumber(child)) {
            TRY(json_number(r, child, child->string, number));
            n = 1;
        } else if (cJSON_IsArray(child) && cJSON_GetArraySize(child) <= MODEL_MEMBER_NUMBERS) {
            n = cJSON_GetArraySize(child);
            TRY(json_numbers(r, child, child->string, (uint32_t)n, number));
        }
        TRY(take(opaque, child->string, cJSON_IsString(child) ? child->valuestring : NULL, number, (unsigned)n,
                 r->error));
    }
    return ASSAY_OK;
}

int model_members(const char *path, const char *name, model_member *take, void *opaque, struct assay_error *e)
{
    struct json_reader r = {.path = path, .error = e};
    const cJSON *object = NULL;
    char *text;
    size_t size = 0;
    int rc = model_file(path, &text, &size, e);
    cJSON *root = rc ? NULL : json_value(path, text, size, e);
    if (root)
        rc = cJSON_IsObject(root) ? json_member(&r, root, name, &object) : ASSAY_OK;
    else
        rc = e->code;
    if (!rc && !cJSON_IsObject(object))
        rc = assay_fail(e, ASSAY_EINPUT, "%s: has no object '%s'", path, name);
    if (!rc) {
        snprintf(r.place, sizeof r.place, "%.60s", name);
        rc = json_take_members(&r, object, take, opaque);
    }
    cJSON_Delete(root);
    free(text);
    return rc;
}
