/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line and a request: what the one says of the other, as texts, for --print-request, and of one encode of
 * several; and a request with options that say what becomes of the scores, of `assay run` and of a job of `assay
 * batch`. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "host/system.h"
#include "run/fields.h"

int setting_add(struct cli *c, const struct field *f, unsigned side, uint32_t encode, const char *text,
                struct assay_error *e)
{
    if (c->settings == CLI_SETTINGS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d options say what is compared", CLI_SETTINGS);
    struct cli_setting *to = &c->setting[c->settings];
    for (struct cli_setting *s = c->setting; s < c->setting + c->settings && f->how != TAKE_LIST; s++)
        to = s->field == f && s->side == side && s->encode == encode ? s : to;
    const bool again = to < &c->setting[c->settings] || (!strcmp(f->name, "file") && c->q.path[side]);
    if (again && !c->last_counts)
        return assay_fail(e, ASSAY_EUSAGE, "--%s is given twice: '%s' would take the place of what is there",
                          f->option[side] ? f->option[side] : f->option[0] ? f->option[0] : "scale-to", text);
    c->settings += to == &c->setting[c->settings];
    *to = (struct cli_setting){f, text, side, encode};
    return ASSAY_OK;
}

/* A field of sides whose option says something of the encodes. */
static bool is_of_encodes(const struct field *f, unsigned side)
{
    return f->of_sides && (side || !f->option[1]) && strcmp(f->name, "file") != 0;
}

int setting_of_encode(struct cli *c, const struct field *f, unsigned side, const char *what, char **text,
                      struct assay_error *e)
{
    const size_t n = strspn(*text, "0123456789");
    const bool numbered = n && n < 3 && (*text)[n] == '=', name = !strcmp(f->name, "name");
    struct request tried = {.every = 1};
    if (!c->q.may_pair || !is_of_encodes(f, side) || !(numbered || name))
        return ASSAY_OK;
    const uint32_t encode = numbered ? (uint32_t)strtoul(*text, NULL, 10) : 1;
    const char *value = *text + (numbered ? n + 1 : 0);
    if (!encode || encode > ASSAY_ENCODES)
        return assay_fail(e, ASSAY_EUSAGE, "%s %s: encodes have the numbers 1 to %d", what, *text, ASSAY_ENCODES);
    if (f->moment && option_time(value, NULL))
        return assay_fail(e, ASSAY_EUSAGE, "%s %s: of one encode it takes a number of frames; a time is of all of them",
                          what, *text);
    TRY(field_take(f, &tried, 1, what, value, !f->unchecked, e));
    *text = NULL;
    return setting_add(c, f, side, encode, value, e);
}

int settings_apply(const struct cli *c, uint32_t number, struct request *q, const char **name, struct assay_error *e)
{
    bool raw = false, form = false;
    for (uint32_t i = 0; i < c->settings; i++) {
        const struct cli_setting *s = &c->setting[i];
        const char *field = s->field->name;
        if (s->encode != number + 1)
            continue;
        TRY(field_take(s->field, q, 1, field, s->text, true, e));
        *name = strcmp(field, "name") ? *name : s->text;
        raw = raw || !strncmp(field, "raw.", 4);
        form = form || !strcmp(field, "format");
    }
    if (raw && !form)
        q->form[1] = FORM_RAW;
    return ASSAY_OK;
}

int settings_check(const struct cli *c, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->settings; i++)
        if (c->setting[i].encode > c->q.encodes)
            return assay_fail(e, ASSAY_EUSAGE, "'%u=%s': there are %u encodes", c->setting[i].encode,
                              c->setting[i].text, c->q.encodes);
    for (uint32_t k = 0; k < c->q.encodes; k++) {
        struct request q = c->q;
        const char *name = NULL;
        TRY(settings_apply(c, k, &q, &name, e));
        TRY(input_raw_depth(&q.raw[1], "the format of -p", "-b", e));
        if (request_described(&q, 1) && !input_raw_whole(&q.raw[1]))
            return assay_fail(e, ASSAY_EUSAGE, "raw input needs all four of -w, -h, -p and -b (-b is in names such as "
                              "yuv420p10le), of encode %u, too", k + 1);
    }
    return ASSAY_OK;
}

/* ---- as a request ------------------------------------------------------------------------------------------------ */

static int set(assay_request *request, int side, const char *field, const char *value, struct assay_error *e)
{
    char text[512];
    const int rc = assay_request_set(request, side, field, value, text, sizeof text);
    return rc ? assay_fail(e, rc, "--print-request: %s", text) : ASSAY_OK;
}

/* A list as assay_request_set takes it; `first` may be "". The caller frees it. */
static char *join(const char *first, const char *const *word, uint32_t words)
{
    struct buffer_text out;
    if (!buffer_open(&out))
        return NULL;
    fputs(first, out.file);
    for (uint32_t i = 0; i < words; i++)
        fprintf(out.file, "%s%s", i || *first ? "," : "", word[i]);
    return buffer_close(&out);
}

static int set_lists(assay_request *request, const struct request *q, struct assay_error *e)
{
    const char *allowed[ALLOWS];
    uint32_t n = 0;
    for (unsigned i = 0; i < ALLOWS; i++)
        if (q->allow[i])
            allowed[n++] = allow_name[i];
    for (uint32_t i = 0; i < q->metrics; i++)
        if (strchr(q->metric[i], ','))
            return assay_fail(e, ASSAY_EUSAGE, "--print-request: a comma in '%s' would be between two metrics",
                              q->metric[i]);
    char *metrics = join(q->slow_metrics ? "everything" : q->all_metrics ? "all" : "", q->metric, q->metrics),
         *allow = join("", allowed, n);
    int rc = metrics && allow ? ASSAY_OK : assay_fail_memory(e, "the request");
    if (!rc && *metrics)
        rc = set(request, ASSAY_SIDE_ALL, "metrics", metrics, e);
    if (!rc && *allow)
        rc = set(request, ASSAY_SIDE_ALL, "allow", allow, e);
    free(metrics);
    free(allow);
    return rc;
}

/* Sets a field as an option states it: of a time, the frames that it is. */
static int set_setting(const struct cli *c, assay_request *request, int side, const struct cli_setting *s,
                       struct assay_error *e)
{
    char number[24];
    const bool frames = s->field->moment && !s->encode;
    if (frames)
        snprintf(number, sizeof number, "%llu", (unsigned long long)field_get(s->field, &c->q, s->side));
    return set(request, side, s->field->name, frames ? number : s->text, e);
}

/* Sets what options say of a side: of one encode alone, by its number, or 0 for what all encodes have. */
static int set_given(const struct cli *c, assay_request *request, int side, uint32_t encode, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->settings; i++) {
        const struct cli_setting *s = &c->setting[i];
        const struct field *f = s->field;
        if (s->encode == encode && f->of_sides && strcmp(f->name, "file") && strcmp(f->name, "format") &&
            (!f->option[1] || s->side == (side > 0)))
            TRY(set_setting(c, request, side, s, e));
    }
    return ASSAY_OK;
}

static int set_side(const struct cli *c, assay_request *request, int side, struct assay_error *e)
{
    static const char *const form[] = {[FORM_AUTO] = "auto", [FORM_CODED] = "coded", [FORM_RAW] = "raw"};
    TRY(set(request, side, "file", request_input(&c->q, (uint32_t)side), e));
    TRY(set_given(c, request, side, 0, e));
    TRY(side ? set_given(c, request, side, (uint32_t)side, e) : ASSAY_OK);
    struct request q = c->q;
    const char *name = NULL;
    TRY(side ? settings_apply(c, (uint32_t)side - 1, &q, &name, e) : ASSAY_OK);
    return request_described(&q, side > 0) || q.form[side > 0] != FORM_AUTO
        ? set(request, side, "format", form[q.form[side > 0]], e) : ASSAY_OK;
}

static int fill(const struct cli *c, assay_request *request, struct assay_error *e)
{
    for (int side = 0; side <= (int)c->q.encodes; side++)
        TRY(set_side(c, request, side, e));
    TRY(set_lists(request, &c->q, e));
    for (uint32_t i = 0; i < c->settings; i++)
        if (!c->setting[i].field->of_sides && c->setting[i].field->how != TAKE_LIST)
            TRY(set_setting(c, request, ASSAY_SIDE_ALL, &c->setting[i], e));
    return c->q.scale_ref ? set(request, ASSAY_SIDE_ALL, "scale.to", "distorted", e) : ASSAY_OK;
}

int cli_request_text(const struct cli *c, char **text, struct assay_error *e)
{
    assay_request *request;
    char why[512];
    int rc = assay_request_new(&request, why, sizeof why);
    *text = NULL;
    if (rc)
        return assay_fail(e, rc, "%s", why);
    rc = fill(c, request, e);
    if (!rc && !(*text = assay_request_text(request)))
        rc = assay_fail_memory(e, "the request");
    assay_request_close(&request);
    return rc;
}

int cli_print_request(const struct cli *c, struct assay_error *e)
{
    char *text;
    if (c->q.align.wish)
        return assay_fail(e, ASSAY_EUSAGE, "--print-request: a request has no --align; assay align finds the frames "
                          "that --skip-ref or --skip-dis leaves out");
    TRY(cli_request_text(c, &text, e));
    printf("%s\n", text);
    free(text);
    return ASSAY_OK;
}

/* ---- a request with options -------------------------------------------------------------------------------------- */

int cli_parse_asked(struct cli *c, const struct request *q, int options, char **option, char ***line,
                    struct assay_error *e)
{
    char **at = *line = calloc((size_t)options + ASSAY_ENCODES + 2, sizeof *at);
    if (!at)
        return assay_fail_memory(e, "the command line");
    memcpy(at, option, (size_t)options * sizeof *at);
    at += options;
    *at++ = (char *)"--"; /* nobody writes to it, nor to the paths */
    *at++ = (char *)q->path[0];
    for (uint32_t k = 0; k < q->encodes; k++)
        *at++ = (char *)q->encode[k];
    return cli_parse(c, q->compare == COMPARE_PICTURES ? COMMAND_IMAGE : COMMAND_SCORE, (int)(at - *line), *line, e);
}

/* Takes over what options of outputs decide in a request. */
static void take_outputs(struct request *to, const struct request *from)
{
    to->may_pair = from->may_pair;
    to->part = from->part;
    to->seeks_shift = from->seeks_shift;
    to->stop = from->stop;
    to->config.maps = from->config.maps;
    to->config.keep_planes = from->config.keep_planes;
}

void cli_take_asked(struct cli *c, struct assay_request *asked)
{
    const struct request outputs = c->q;
    c->q = asked->encode[0];
    take_outputs(&c->q, &outputs);
    c->each = asked->encode;
    c->each_name = asked->name;
    cli_choose_planes(c);
    for (uint32_t k = 0; k < asked->encodes; k++)
        take_outputs(&asked->encode[k], &c->q);
}
