/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/fields.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/colour_words.h"
#include "host/json.h"
#include "host/suggest.h"
#include "host/text.h"

static const char version_name[] = "assay", version[] = "request/1", reference_name[] = "reference",
                  encodes_name[] = "encodes";
enum { MEMBER = 32 };

/* ---- values that are more than a number or a text ---------------------------------------------------------------- */

static int take_metric(struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    (void)side;
    if (!*text)
        return assay_fail(e, ASSAY_EUSAGE, "a metric's name is missing");
    if (!strcmp(text, "all")) {
        q->all_metrics = true;
        return ASSAY_OK;
    }
    if (q->metrics == REQUEST_METRICS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d metrics", REQUEST_METRICS);
    q->metric[q->metrics++] = text;
    return ASSAY_OK;
}

static int take_allow(struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    (void)side;
    (void)e;
    for (unsigned i = 0; i < ALLOWS; i++)
        if (!strcmp(text, allow_name[i]))
            q->allow[i] = true;
    return ASSAY_OK;
}

/* Numbers of at most five digits, each before a mark, the last one before the end: "x++" for WxH+X+Y. */
static bool take_numbers(const char *text, const char *marks, uint32_t *const *number)
{
    for (size_t i = 0, all = strlen(marks) + 1; i < all; i++, text++) {
        const size_t n = strspn(text, "0123456789");
        if (!n || n > 5 || text[n] != marks[i])
            return false;
        *number[i] = (uint32_t)strtoul(text, NULL, 10);
        text += n;
    }
    return true;
}

static int take_size(struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    uint32_t *const number[] = {&q->config.scale_width, &q->config.scale_height};
    (void)side;
    q->scale_ref = !strcmp(text, "distorted");
    if (q->scale_ref || !strcmp(text, reference_name) ||
        (take_numbers(text, "x", number) && *number[0] && *number[1] && *number[0] < 65536 && *number[1] < 65536))
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "scale.to is 'reference', 'distorted' or WxH, not '%s'", text);
}

static int take_crop(struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    struct input_crop *crop = &q->crop[side];
    uint32_t *const number[] = {&crop->width, &crop->height, &crop->left, &crop->top};
    return take_numbers(text, "x++", number) && crop->width && crop->height
        ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "crop is WxH+X+Y, not '%s'", text);
}

static int take_colour(struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    q->colour[side] = text;
    return colour_words_check("colour", text, e);
}

static int take_raw_format(struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    return input_raw_format(&q->raw[side], text, e);
}

static int take_file(struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    q->path[side] = text;
    return *text && strcmp(text, "-") ? ASSAY_OK
                                      : assay_fail(e, ASSAY_EUSAGE, "file is a path, not '%s'", text);
}

/* The name of an encode is no part of what is computed. */
static int take_name(struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    (void)q;
    return side && *text ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "name is that of an encode, and not empty");
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* How a field is taken. The comments say what `offset` is that of; of a field of sides it is that of the first. */
enum how {
    TAKE_TEXT, /* const char * */
    TAKE_WORD, /* an int or an enumeration: the number of the word, from 0 */
    TAKE_U32, TAKE_U64,
    TAKE_CALL, /* calls `call` */
    TAKE_LIST, /* calls `call` for each member */
};

#define AT(field) .offset = offsetof(struct request, field)
#define OF_SIDE(field) .of_sides = true, .offset = offsetof(struct request, field[0]), \
    .stride = sizeof ((struct request *)0)->field[0]
#define OF_RAW(field) .of_sides = true, .offset = offsetof(struct request, raw[0].field), \
    .stride = sizeof(struct input_options)
#define FRAMES_MOST (UINT64_C(1) << 53) /* many readers of JSON take numbers as doubles */

static const struct field {
    const char *name, *help;
    enum how how;
    size_t offset, stride;
    int (*call)(struct request *q, unsigned side, const char *text, struct assay_error *e);
    const char *words, *fallback;
    bool of_sides;
    uint64_t least, most;
} fields[] = {
    {"file", "the path of a video, an image or raw pictures", TAKE_CALL, .of_sides = true, .call = take_file},
    {"name", "what reports call an encode", TAKE_CALL, .of_sides = true, .call = take_name,
     .fallback = "that of the file, without its folder and ending"},
    {"skip", "frames that are left out in front", TAKE_U64, OF_SIDE(skip), .most = FRAMES_MOST, .fallback = "0"},
    {"crop", "the part of the pictures that is compared, WxH+X+Y", TAKE_CALL, .of_sides = true, .call = take_crop,
     .fallback = "the whole"},
    {"colour", "what the colours are, \"bt2020-pq,limited\"", TAKE_CALL, .of_sides = true, .call = take_colour,
     .fallback = "as tagged"},
    {"raw.width", "columns of raw pictures", TAKE_U32, OF_RAW(width), .least = 1, .most = 65535},
    {"raw.height", "rows of raw pictures", TAKE_U32, OF_RAW(height), .least = 1, .most = 65535},
    {"raw.pixel_format", "of raw pictures, \"yuv420p10le\"", TAKE_CALL, .of_sides = true, .call = take_raw_format},
    {"raw.bit_depth", "of raw pictures whose pixel format states none", TAKE_U32, OF_RAW(bit_depth), .least = 8,
     .most = 16},
    {"metrics", "metrics with their options, or \"all\"", TAKE_LIST, .call = take_metric,
     .fallback = "vmaf, psnr and float_ms_ssim, as far as the pictures allow them"},
    {"pair", "by what frames are paired", TAKE_WORD, AT(pair_by), .words = "number, time", .fallback = "number"},
    {"first", "the first pair that is scored", TAKE_U64, AT(first), .most = FRAMES_MOST, .fallback = "0"},
    {"frames", "how many pairs are scored at most", TAKE_U64, AT(frames), .least = 1, .most = FRAMES_MOST,
     .fallback = "all"},
    {"every", "pairs whose number is a multiple of it are scored", TAKE_U64, AT(every), .least = 1,
     .most = FRAMES_MOST, .fallback = "1"},
    {"allow", "differences between the sides that are not refused", TAKE_LIST, .call = take_allow,
     .words = "size, length, rate, range, depth, format, sar, field-order, rotation, colour, damage",
     .fallback = "none"},
    {"scale.filter", "by which pictures of another size are scaled", TAKE_TEXT, AT(config.scale),
     .words = "bicubic, lanczos, bilinear, spline", .fallback = "none: sizes are equal"},
    {"scale.to", "the size that is compared, \"reference\", \"distorted\" or WxH", TAKE_CALL, .call = take_size,
     .fallback = "reference"},
    {"scale.siting", "where chroma lies when it is scaled", TAKE_WORD, AT(config.scale_siting), .words = "centre, tag",
     .fallback = "centre"},
    {"rgb_matrix", "by which metrics of luma take RGB", TAKE_TEXT, AT(config.rgb_matrix), .words = "bt709, bt601",
     .fallback = "none: they refuse it"},
    {"device.backend", "what computes", TAKE_TEXT, AT(config.backend), .words = "cpu, cuda, vulkan, opengl, sycl, auto",
     .fallback = "cpu"},
    {"device.name", "number, part of a name, \"0,2\" or \"all\"", TAKE_TEXT, AT(config.device),
     .fallback = "the first"},
    {"device.threads", "threads of the CPU that compute", TAKE_U32, AT(config.threads), .least = 1, .most = 1024,
     .fallback = "one for each processor"},
    {"device.hwdec", "where videos are decoded", TAKE_WORD, AT(hwdec), .words = "off, auto, cuda", .fallback = "off"},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

int assay_request_field(uint32_t index, assay_field *field)
{
    if (index >= FIELDS || !field)
        return ASSAY_EUSAGE;
    const struct field *f = &fields[index];
    *field = (assay_field){.name = f->name, .help = f->help, .words = f->words, .fallback = f->fallback,
                           .type = f->how == TAKE_LIST ? "list" : f->how == TAKE_U32 || f->how == TAKE_U64 ? "integer"
                                                                                                           : "text",
                           .of_sides = f->of_sides, .least = f->least, .most = f->most};
    return ASSAY_OK;
}

/* The place of a word among those of a list, "number, time"; -1: it is none. */
static int word_number(const char *words, const char *word)
{
    const size_t length = strlen(word);
    int number = 0;
    for (size_t n; *words; words += n + strspn(words + n, ", "), number++) {
        n = strcspn(words, ",");
        if (n == length && !strncmp(words, word, n))
            return number;
    }
    return -1;
}

/* ---- from JSON --------------------------------------------------------------------------------------------------- */

static void *place(const struct field *f, struct request *q, unsigned side)
{
    return (char *)q + f->offset + side * f->stride;
}

static int take_text(const struct field *f, struct request *q, unsigned side, const char *text, struct assay_error *e)
{
    const int word = f->words ? word_number(f->words, text) : 0;
    if (word < 0)
        return assay_fail(e, ASSAY_EUSAGE, "%s is one of %s, not '%s'", f->name, f->words, text);
    if (f->how == TAKE_TEXT)
        *(const char **)place(f, q, side) = text;
    else if (f->how == TAKE_WORD)
        *(int *)place(f, q, side) = word;
    else
        return f->call(q, side, text, e);
    return ASSAY_OK;
}

static int take_integer(const struct field *f, struct request *q, unsigned side, const cJSON *v, struct assay_error *e)
{
    const double d = cJSON_IsNumber(v) ? v->valuedouble : -1;
    const uint64_t n = d >= 0 && d <= (double)f->most ? (uint64_t)d : UINT64_MAX;
    if ((double)n != d || n < f->least || n > f->most)
        return assay_fail(e, ASSAY_EUSAGE, "%s is a whole number from %llu to %llu", f->name,
                          (unsigned long long)f->least, (unsigned long long)f->most);
    if (f->how == TAKE_U32)
        *(uint32_t *)place(f, q, side) = (uint32_t)n;
    else
        *(uint64_t *)place(f, q, side) = n;
    return ASSAY_OK;
}

static int take_value(const struct field *f, struct request *q, unsigned side, const cJSON *v, struct assay_error *e)
{
    const cJSON *member;
    if (f->how == TAKE_U32 || f->how == TAKE_U64)
        return take_integer(f, q, side, v, e);
    if (f->how != TAKE_LIST)
        return cJSON_IsString(v) ? take_text(f, q, side, v->valuestring, e)
                                 : assay_fail(e, ASSAY_EUSAGE, "%s is a text", f->name);
    if (!cJSON_IsArray(v))
        return assay_fail(e, ASSAY_EUSAGE, "%s is a list of texts", f->name);
    cJSON_ArrayForEach(member, v)
    {
        if (!cJSON_IsString(member))
            return assay_fail(e, ASSAY_EUSAGE, "%s is a list of texts", f->name);
        TRY(take_text(f, q, side, member->valuestring, e));
    }
    return ASSAY_OK;
}

/* The row of a name, among those of sides or the others; NULL: there is none. */
static const struct field *find(const char *name, bool of_sides)
{
    for (unsigned i = 0; i < FIELDS; i++)
        if (fields[i].of_sides == of_sides && !strcmp(fields[i].name, name))
            return &fields[i];
    return NULL;
}

/* Whether fields have names that begin with NAME and a dot. */
static bool is_group(const char *name, bool of_sides)
{
    const size_t n = strlen(name);
    bool group = false;
    for (unsigned i = 0; i < FIELDS; i++)
        group = group || (fields[i].of_sides == of_sides && !strncmp(fields[i].name, name, n) &&
                          fields[i].name[n] == '.');
    return group;
}

static int unknown(const char *where, const char *name, bool of_sides, struct assay_error *e)
{
    char shown[MEMBER * 2], hint[SUGGEST_TEXT];
    struct suggestion like = suggest_for(name, strlen(name));
    for (unsigned i = 0; i < FIELDS; i++)
        if (fields[i].of_sides == of_sides)
            suggest_offer(&like, fields[i].name);
    text_for_message(shown, sizeof shown, (const unsigned char *)name, strlen(name));
    return assay_fail(e, ASSAY_EUSAGE, "%s%s: unknown field '%s'%s", where, of_sides ? "" : "request", shown,
                      suggest_text(&like, hint));
}

/* Takes a member of the request or of a side; `outer`: the name of the object that it is in, with a dot, or "". */
static int take_member(struct request *q, unsigned side, const cJSON *v, const char *outer, const char *where,
                       bool of_sides, struct assay_error *e)
{
    char name[2 * MEMBER];
    if (snprintf(name, sizeof name, "%s%s", outer, v->string) >= (int)sizeof name)
        return unknown(where, v->string, of_sides, e);
    const struct field *f = find(name, of_sides);
    if (f) {
        struct assay_error why = {0};
        const int rc = take_value(f, q, side, v, &why);
        return rc ? assay_fail(e, rc, "%s%s%s", where, *where ? ": " : "", why.text) : ASSAY_OK;
    }
    if (*outer || !is_group(name, of_sides) || !cJSON_IsObject(v))
        return unknown(where, name, of_sides, e);
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
    const struct input_options *raw = &q->raw[side];
    if (raw->width || raw->height || raw->layout || raw->bit_depth)
        q->form[side] = FORM_RAW;
    if (whole && !q->path[side])
        return assay_fail(e, ASSAY_EUSAGE, "%s: file is missing", where);
    if (whole && q->form[side] == FORM_RAW &&
        !(raw->width && raw->height && raw->layout && (raw->bit_depth || raw->named_depth)))
        return assay_fail(e, ASSAY_EUSAGE, "%s: raw needs width, height and pixel_format, and bit_depth where its name "
                          "has none", where);
    return ASSAY_OK;
}

/* The fields that are not of sides. */
static int take_all(struct request *q, const cJSON *root, struct assay_error *e)
{
    const cJSON *stated = cJSON_GetObjectItemCaseSensitive(root, version_name), *v;
    if (!cJSON_IsString(stated) || strcmp(stated->valuestring, version))
        return assay_fail(e, ASSAY_EUSAGE, "the request's field '%s' is not '%s'", version_name, version);
    cJSON_ArrayForEach(v, root)
        if (strcmp(v->string, version_name) && strcmp(v->string, reference_name) && strcmp(v->string, encodes_name))
            TRY(take_member(q, 0, v, "", "", false, e));
    return ASSAY_OK;
}

int asked_take(struct asked *a, bool whole, struct assay_error *e)
{
    struct request base = {.every = 1, .may_pair = true};
    TRY(take_all(&base, a->root, e));
    TRY(take_side(&base, 0, cJSON_GetObjectItemCaseSensitive(a->root, reference_name), reference_name, whole, e));
    const cJSON *encodes = cJSON_GetObjectItemCaseSensitive(a->root, encodes_name), *v;
    if (encodes && !cJSON_IsArray(encodes))
        return assay_fail(e, ASSAY_EUSAGE, "%s is a list", encodes_name);
    a->encodes = 0;
    cJSON_ArrayForEach(v, encodes)
    {
        char where[MEMBER];
        if (a->encodes == ASSAY_ENCODES)
            return assay_fail(e, ASSAY_EUSAGE, "more than %d encodes", ASSAY_ENCODES);
        const uint32_t k = a->encodes++;
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(v, "name");
        snprintf(where, sizeof where, "%s[%u]", encodes_name, k);
        a->encode[k] = base;
        TRY(take_side(&a->encode[k], 1, v, where, whole, e));
        a->name[k] = name ? name->valuestring : NULL;
    }
    TRY(check_twice(a->root, e));
    if (whole && !a->encodes)
        return assay_fail(e, ASSAY_EUSAGE, "the request has no encode");
    TRY(whole ? request_check_scale(&base, e) : ASSAY_OK);
    for (uint32_t k = 0; k < a->encodes; k++) {
        struct request *q = &a->encode[k];
        q->rung = a->encodes > 1;
        q->encodes = a->encodes;
        for (uint32_t i = 0; i < a->encodes; i++)
            q->encode[i] = a->encode[i].path[1];
        if (q->pair_by == PAIR_TIME && (q->first || q->every > 1 || q->hwdec != HWDEC_OFF))
            return assay_fail(e, ASSAY_EUSAGE, "pair by time: first, every and device.hwdec are not possible");
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
    for (size_t n; list && *text; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        char *word = strndup(text, n);
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
        cJSON *reference = side < 0 ? root : cJSON_GetObjectItemCaseSensitive(root, reference_name);
        return reference ? reference : cJSON_AddObjectToObject(root, reference_name);
    }
    cJSON *encodes = cJSON_GetObjectItemCaseSensitive(root, encodes_name);
    encodes = encodes ? encodes : cJSON_AddArrayToObject(root, encodes_name);
    if (encodes && cJSON_GetArraySize(encodes) == side - 1) {
        cJSON *next = cJSON_CreateObject();
        if (!next || !cJSON_AddItemToArray(encodes, next))
            cJSON_Delete(next);
    }
    return cJSON_GetArrayItem(encodes, side - 1);
}

/* Puts a value into the tree, of which it becomes a part, also after a failure. */
static bool put(cJSON *root, int side, const char *name, cJSON *value)
{
    cJSON *at = side_of(root, side);
    const char *dot = strchr(name, '.');
    if (at && dot) {
        char group[MEMBER];
        snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(at, group);
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

/* Parses the text of a field, and puts it into a->root. */
static int asked_set(struct asked *a, int side, const char *name, const char *value, struct assay_error *e)
{
    const struct field *f = find(name, side >= 0);
    if (!f)
        return unknown(side < 0 ? "" : "a side", name, side >= 0, e);
    cJSON *v = value_of(f, value, e), *root = v ? cJSON_Duplicate(a->root, true) : NULL;
    if (!root) {
        cJSON_Delete(v);
        return e->code ? e->code : assay_fail_memory(e, "a request");
    }
    struct asked *tried = calloc(1, sizeof *tried);
    int rc = tried && put(root, side, name, v) ? ASSAY_OK : assay_fail_memory(e, "a request");
    if (!tried)
        cJSON_Delete(v);
    if (!rc) {
        tried->root = root;
        rc = asked_take(tried, false, e);
    }
    cJSON_Delete(rc ? root : a->root);
    if (!rc)
        *a = *tried;
    free(tried);
    return rc;
}

/* ---- the public functions ---------------------------------------------------------------------------------------- */

static int answer(const struct assay_error *e, char *error, size_t error_size)
{
    if (error && error_size)
        snprintf(error, error_size, "%s", e->text);
    return e->code;
}

/* Makes a request of a tree, which it owns from here on. NULL: no memory for it. */
static int make(assay_request **request, cJSON *root, struct assay_error *e)
{
    assay_request *r = root ? calloc(1, sizeof *r) : NULL;
    int rc = r ? ASSAY_OK : assay_fail_memory(e, "a request");
    if (!rc) {
        r->asked.root = root;
        rc = asked_take(&r->asked, false, e);
    }
    if (rc) {
        cJSON_Delete(root);
        free(r);
    }
    *request = rc ? NULL : r;
    return rc;
}

int assay_request_new(assay_request **request, char *error, size_t error_size)
{
    struct assay_error e = {0};
    cJSON *root = cJSON_CreateObject();
    if (root && !cJSON_AddStringToObject(root, version_name, version)) {
        cJSON_Delete(root);
        root = NULL;
    }
    make(request, root, &e);
    return answer(&e, error, error_size);
}

/* Whether a text has a NUL, or the escape of one: a parser's string would end there. */
static bool has_nul(const char *text, size_t size)
{
    static const char escape[] = "\\u0000";
    const size_t n = sizeof escape - 1;
    for (size_t i = 0; i < size; i++) {
        if (!text[i] || (size - i >= n && !memcmp(text + i, escape, n)))
            return true;
        i += text[i] == '\\';
    }
    return false;
}

int assay_request_parse(assay_request **request, const char *text, size_t size, char *error, size_t error_size)
{
    struct assay_error e = {0};
    const char *end = NULL;
    *request = NULL;
    if (has_nul(text, size)) {
        assay_fail(&e, ASSAY_EUSAGE, "the request has a character of the number 0");
    } else if (!json_bounded("the request", text, size, &e)) {
        cJSON *root = cJSON_ParseWithLengthOpts(text, size, &end, false);
        size_t left = root ? size - (size_t)(end - text) : 0;
        for (; left && strchr(" \t\r\n", *end) && *end; end++)
            left--;
        if (!root || left || !cJSON_IsObject(root)) {
            cJSON_Delete(root);
            assay_fail(&e, ASSAY_EUSAGE, "the request is no JSON object%s", left ? ", or has something behind it" : "");
        } else {
            make(request, root, &e);
        }
    }
    return answer(&e, error, error_size);
}

void assay_request_close(assay_request **request)
{
    if (!*request)
        return;
    cJSON_Delete((*request)->asked.root);
    free(*request);
    *request = NULL;
}

int assay_request_set(assay_request *request, int side, const char *field, const char *value, char *error,
                      size_t error_size)
{
    struct assay_error e = {0};
    if (side < ASSAY_SIDE_ALL || side > (int)request->asked.encodes + 1)
        assay_fail(&e, ASSAY_EUSAGE, "the request has no side %d yet", side);
    else
        asked_set(&request->asked, side, field, value, &e);
    return answer(&e, error, error_size);
}

char *assay_request_text(const assay_request *request)
{
    char *text = cJSON_Print(request->asked.root);
    char *copy = text ? strdup(text) : NULL; /* cJSON may have an allocator of its own */
    cJSON_free(text);
    return copy;
}
