/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/fields.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/json_tree.h"
#include "host/suggest.h"
#include "host/text.h"

static const char version_name[] = "assay", version[] = "request/1", reference_name[] = "reference",
                  encodes_name[] = "encodes";
enum { MEMBER = 32 };

/* ---- from JSON --------------------------------------------------------------------------------------------------- */

static int take_integer(const struct field *f, struct request *q, unsigned side, const cJSON *v, struct assay_error *e)
{
    const double d = cJSON_IsNumber(v) ? v->valuedouble : -1;
    const uint64_t n = d >= 0 && d <= (double)f->most ? (uint64_t)d : UINT64_MAX;
    if ((double)n != d || n < f->least || n > f->most)
        return assay_fail(e, ASSAY_EUSAGE, "%s is a whole number from %llu to %llu", f->name,
                          (unsigned long long)f->least, (unsigned long long)f->most);
    field_put(f, q, side, n);
    return ASSAY_OK;
}

static int take_value(const struct field *f, struct request *q, unsigned side, const cJSON *v, struct assay_error *e)
{
    const cJSON *member;
    if (f->how == TAKE_U32 || f->how == TAKE_U64)
        return take_integer(f, q, side, v, e);
    if (f->how != TAKE_LIST)
        return cJSON_IsString(v) ? field_take(f, q, side, f->name, v->valuestring, true, e)
                                 : assay_fail(e, ASSAY_EUSAGE, "%s is a text", f->name);
    if (!cJSON_IsArray(v))
        return assay_fail(e, ASSAY_EUSAGE, "%s is a list of texts", f->name);
    cJSON_ArrayForEach(member, v)
    {
        if (!cJSON_IsString(member))
            return assay_fail(e, ASSAY_EUSAGE, "%s is a list of texts", f->name);
        TRY(field_take(f, q, side, f->name, member->valuestring, true, e));
    }
    return ASSAY_OK;
}

/* Whether fields have names that begin with NAME and a dot. */
static bool is_group(const char *name, bool of_sides)
{
    const size_t n = strlen(name);
    bool group = false;
    const struct field *f;
    for (uint32_t i = 0; (f = field_at(i)); i++)
        group = group || (f->of_sides == of_sides && !strncmp(f->name, name, n) && f->name[n] == '.');
    return group;
}

static int unknown(const char *where, const char *name, bool of_sides, struct assay_error *e)
{
    char shown[MEMBER * 2], hint[SUGGEST_TEXT];
    struct suggestion like = suggest_for(name, strlen(name));
    const struct field *f;
    for (uint32_t i = 0; (f = field_at(i)); i++)
        if (f->of_sides == of_sides)
            suggest_offer(&like, f->name);
    text_for_message(shown, sizeof shown, (const unsigned char *)name, strlen(name));
    return assay_fail(e, ASSAY_EUSAGE, "%s%s: unknown field '%s'%s", where, of_sides ? "" : "request", shown,
                      suggest_text(&like, hint));
}

/* Takes a member of the request or of a side; `outer`: the name of the object that it is in, with a dot, or "". */
static int take_member(struct request *q, unsigned side, const cJSON *v, const char *outer, const char *where,
                       bool of_sides, struct assay_error *e)
{
    char name[2 * MEMBER];
    if (strchr(v->string, '.')) /* which would be there twice beside the object, and one of the two would count */
        return assay_fail(e, ASSAY_EUSAGE, "'%.60s' is no name: what is behind a dot is within an object", v->string);
    if (snprintf(name, sizeof name, "%s%s", outer, v->string) >= (int)sizeof name)
        return unknown(where, v->string, of_sides, e);
    const struct field *f = field_find(name, of_sides);
    if (f) {
        struct assay_error why = {0};
        const int rc = take_value(f, q, side, v, &why);
        return rc ? assay_fail(e, rc, "%s%s%s", where, *where ? ": " : "", why.text) : ASSAY_OK;
    }
    if (*outer || !is_group(name, of_sides))
        return unknown(where, name, of_sides, e);
    if (!cJSON_IsObject(v))
        return assay_fail(e, ASSAY_EUSAGE, "%s%s%s is an object", where, *where ? ": " : "", name);
    char within[2 * MEMBER + 1];
    const cJSON *member;
    snprintf(within, sizeof within, "%s.", name);
    cJSON_ArrayForEach(member, v)
        TRY(take_member(q, side, member, within, where, of_sides, e));
    return ASSAY_OK;
}

/* Refuses an object with two members of one name. All names are fields: a loop ends after as many members as there are
 * fields, however large the text is. */
static int check_twice(const cJSON *object, struct assay_error *e)
{
    for (const cJSON *a = object->child; a; a = a->next) {
        for (const cJSON *b = a->string ? a->next : NULL; b; b = b->next)
            if (!strcmp(a->string, b->string))
                return assay_fail(e, ASSAY_EUSAGE, "the request has the field '%.60s' twice", a->string);
        TRY(check_twice(a, e));
    }
    return ASSAY_OK;
}

static int take_side(struct request *q, unsigned side, const cJSON *v, const char *where, bool whole,
                     struct assay_error *e)
{
    const cJSON *member;
    if (v && !cJSON_IsObject(v))
        return assay_fail(e, ASSAY_EUSAGE, "%s is an object", where);
    cJSON_ArrayForEach(member, v)
        TRY(take_member(q, side, member, "", where, true, e));
    struct assay_error why = {0};
    const char *path = q->path[side];
    if (path && (!*path || !strcmp(path, "-")))
        return assay_fail(e, ASSAY_EUSAGE, "%s: file is a path, not '%s'", where, path);
    const bool described = request_described(q, side);
    if (described && !JSON_GET(v, "format"))
        q->form[side] = FORM_RAW;
    if (whole && !q->path[side])
        return assay_fail(e, ASSAY_EUSAGE, "%s: file is missing", where);
    if (whole && (described || q->form[side] == FORM_RAW) && !input_raw_whole(&q->raw[side]))
        return assay_fail(e, ASSAY_EUSAGE, "%s: raw needs width, height and pixel_format, and bit_depth where its name "
                          "has none", where);
    const int rc = whole ? input_raw_depth(&q->raw[side], "raw.pixel_format", "raw.bit_depth", &why) : ASSAY_OK;
    return rc ? assay_fail(e, rc, "%s: %s", where, why.text) : ASSAY_OK;
}

/* The fields that are not of sides. */
static int take_all(struct request *q, const cJSON *root, struct assay_error *e)
{
    const cJSON *stated = JSON_GET(root, version_name), *v;
    if (!cJSON_IsString(stated) || strcmp(stated->valuestring, version))
        return assay_fail(e, ASSAY_EUSAGE, "the request's field '%s' is not '%s'", version_name, version);
    cJSON_ArrayForEach(v, root)
        if (strcmp(v->string, version_name) && strcmp(v->string, reference_name) && strcmp(v->string, encodes_name))
            TRY(take_member(q, 0, v, "", "", false, e));
    return ASSAY_OK;
}

/* Refuses what says nothing of pictures. */
static int check_pictures(const struct request *q, struct assay_error *e)
{
    bool of_frames = q->pair_by != PAIR_NUMBER || q->first || q->frames || q->every > 1 || q->config.scale ||
                     q->hwdec != HWDEC_OFF || q->config.frames_in_flight;
    for (unsigned side = 0; side < 2; side++)
        of_frames = of_frames || q->skip[side] || q->form[side] || q->colour[side] || request_described(q, side);
    for (unsigned i = 0; i < ALLOWS; i++)
        of_frames = of_frames || (q->allow[i] && i != ALLOW_DEPTH && i != ALLOW_COLOUR && i != ALLOW_ALPHA);
    return !of_frames ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "of pictures, a request has file, name, crop, metrics, "
        "rgb_matrix, rgb_range, assume, tolerance, device (but for hwdec and in_flight), and allow of depth, colour "
        "and alpha");
}

int asked_take(struct assay_request *a, bool whole, struct assay_error *e)
{
    struct request base = {.every = 1, .may_pair = true};
    TRY(take_all(&base, a->root, e));
    TRY(take_side(&base, 0, JSON_GET(a->root, reference_name), reference_name, whole, e));
    const cJSON *encodes = JSON_GET(a->root, encodes_name), *v;
    if (encodes && !cJSON_IsArray(encodes))
        return assay_fail(e, ASSAY_EUSAGE, "%s is a list", encodes_name);
    a->encodes = 0;
    cJSON_ArrayForEach(v, encodes)
    {
        char where[MEMBER];
        if (a->encodes == ASSAY_ENCODES)
            return assay_fail(e, ASSAY_EUSAGE, "more than %d encodes", ASSAY_ENCODES);
        const uint32_t k = a->encodes++;
        const cJSON *name = JSON_GET(v, "name");
        snprintf(where, sizeof where, "%s[%u]", encodes_name, k);
        a->encode[k] = base;
        TRY(take_side(&a->encode[k], 1, v, where, whole, e));
        a->name[k] = name ? name->valuestring : NULL;
    }
    TRY(check_twice(a->root, e));
    if (whole && !a->encodes)
        return assay_fail(e, ASSAY_EUSAGE, "the request has no encode");
    TRY(whole ? request_check_options(&base, base.first, e) : ASSAY_OK);
    if (whole && base.compare == COMPARE_FRAMES && (base.tolerances || base.assume_srgb))
        return assay_fail(e, ASSAY_EUSAGE, "assume and tolerance are of pictures: compare says what is compared");
    for (uint32_t k = 0; k < a->encodes; k++) {
        struct request *q = &a->encode[k];
        q->several = a->encodes > 1;
        q->encodes = a->encodes;
        for (uint32_t i = 0; i < a->encodes; i++)
            q->encode[i] = a->encode[i].path[1];
        TRY(whole && q->compare == COMPARE_PICTURES ? check_pictures(q, e) : ASSAY_OK);
    }
    return ASSAY_OK;
}

/* ---- to JSON ----------------------------------------------------------------------------------------------------- */

/* A value of a field as JSON; NULL: no memory, or a failure in `e`. */
static cJSON *value_of(const struct field *f, const char *text, struct assay_error *e)
{
    if (f->how == TAKE_U32 || f->how == TAKE_U64) {
        const size_t n = strlen(text);
        if (n && n < 17 && strspn(text, "0123456789") == n)
            return cJSON_CreateNumber((double)strtoull(text, NULL, 10));
        assay_fail(e, ASSAY_EUSAGE, "%s is a whole number from %llu to %llu, not '%s'", f->name,
                   (unsigned long long)f->least, (unsigned long long)f->most, text);
        return NULL;
    }
    if (f->how != TAKE_LIST)
        return cJSON_CreateString(text);
    cJSON *list = cJSON_CreateArray();
    for (const char *end, *at = *text ? text : NULL; list && at; at = *end ? end + 1 : NULL) {
        end = at + strcspn(at, ",");
        char *word = strndup(at, (size_t)(end - at));
        cJSON *member = word ? cJSON_CreateString(word) : NULL;
        free(word);
        if (!member || !cJSON_AddItemToArray(list, member)) {
            cJSON_Delete(member);
            cJSON_Delete(list);
            return NULL;
        }
    }
    return list;
}

/* The object of a side, made where it is the next one. */
static cJSON *side_of(cJSON *root, int side)
{
    if (side <= ASSAY_SIDE_REFERENCE) {
        cJSON *reference = side < 0 ? root : JSON_GET(root, reference_name);
        return reference ? reference : cJSON_AddObjectToObject(root, reference_name);
    }
    cJSON *encodes = JSON_GET(root, encodes_name);
    encodes = encodes ? encodes : cJSON_AddArrayToObject(root, encodes_name);
    if (encodes && cJSON_GetArraySize(encodes) == side - 1) {
        cJSON *next = cJSON_CreateObject();
        if (!next || !cJSON_AddItemToArray(encodes, next))
            cJSON_Delete(next);
    }
    return cJSON_GetArrayItem(encodes, side - 1);
}

/* Puts a value into the tree, of which it becomes a part, or frees it. Fails where either is missing, too. */
static bool put(cJSON *root, int side, const char *name, cJSON *value)
{
    cJSON *at = side_of(root, side);
    const char *dot = strchr(name, '.');
    if (at && dot) {
        char group[MEMBER];
        snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
        cJSON *inner = JSON_GET(at, group);
        at = inner ? inner : cJSON_AddObjectToObject(at, group);
        name = dot + 1;
    }
    if (at)
        cJSON_DeleteItemFromObjectCaseSensitive(at, name);
    const bool done = at && cJSON_AddItemToObject(at, name, value);
    if (!done)
        cJSON_Delete(value);
    return done;
}

/* Makes a request of a tree, which it owns from here on. NULL: no memory for it. */
static int make(assay_request **request, cJSON *root, struct assay_error *e)
{
    assay_request *r = root ? calloc(1, sizeof *r) : NULL;
    int rc = r ? ASSAY_OK : assay_fail_memory(e, "a request");
    if (!rc) {
        r->root = root;
        rc = asked_take(r, false, e);
    }
    if (rc) {
        cJSON_Delete(root);
        free(r);
    }
    *request = rc ? NULL : r;
    return rc;
}

/* Parses the text of a field, and puts it into a->root. */
static int asked_set(struct assay_request *a, int side, const char *name, const char *value, struct assay_error *e)
{
    const struct field *f = field_find(name, side >= 0);
    if (!f)
        return unknown(side < 0 ? "" : "a side", name, side >= 0, e);
    assay_request *tried;
    cJSON *v = value_of(f, value, e), *root = v ? cJSON_Duplicate(a->root, true) : NULL;
    if (!put(root, side, name, v)) {
        cJSON_Delete(root);
        return e->code ? e->code : assay_fail_memory(e, "a request");
    }
    TRY(make(&tried, root, e));
    cJSON_Delete(a->root);
    *a = *tried;
    free(tried);
    return ASSAY_OK;
}

/* ---- the public functions ---------------------------------------------------------------------------------------- */

int assay_request_new(assay_request **request, char *error, size_t error_size)
{
    struct assay_error e = {0};
    cJSON *root = cJSON_CreateObject();
    if (root && !cJSON_AddStringToObject(root, version_name, version)) {
        cJSON_Delete(root);
        root = NULL;
    }
    make(request, root, &e);
    return assay_answer(&e, error, error_size);
}

int assay_request_parse(assay_request **request, const char *text, size_t size, char *error, size_t error_size)
{
    struct assay_error e = {0};
    const char *end;
    cJSON *root;
    *request = NULL;
    if (json_tree(&root, "the request", text, size, &end, &e) == ASSAY_EINPUT)
        e.code = ASSAY_EUSAGE; /* as with all that is wrong with a request */
    const bool more = root && end < text + size;
    if (!e.code && (more || !cJSON_IsObject(root)))
        assay_fail(&e, ASSAY_EUSAGE, "the request is no JSON object%s", more ? ", or has something behind it" : "");
    if (!e.code)
        make(request, root, &e);
    else
        cJSON_Delete(root);
    return assay_answer(&e, error, error_size);
}

void assay_request_close(assay_request **request)
{
    if (!*request)
        return;
    cJSON_Delete((*request)->root);
    free(*request);
    *request = NULL;
}

int assay_request_set(assay_request *request, int side, const char *field, const char *value, char *error,
                      size_t error_size)
{
    struct assay_error e = {0};
    if (side < ASSAY_SIDE_ALL || side > (int)request->encodes + 1)
        assay_fail(&e, ASSAY_EUSAGE, "the request has no side %d yet", side);
    else
        asked_set(request, side, field, value, &e);
    return assay_answer(&e, error, error_size);
}

char *assay_request_text(const assay_request *request)
{
    char *text = cJSON_Print(request->root);
    char *copy = text ? strdup(text) : NULL; /* cJSON may have an allocator of its own */
    cJSON_free(text);
    return copy;
}
