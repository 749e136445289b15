/* SPDX-License-Identifier: BSD-2-Clause */
/* assay probe FILE...: what assay sees in each input, and whether it can be compared with the first one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "host/text.h"
#include "results/json_write.h"
#include "run/differences.h"

enum { PROBE_FILES = 256 };

struct probe {
    struct request q;
    const char *path[PROBE_FILES];
    uint32_t files;
    const char *json;
    bool force, help;
    bool raw; /* one of the files is */
};

static int parse_format(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    (void)unused;
    return input_raw_format(&((struct probe *)to)->q.raw[0], "--pixel-format", text, e);
}

#define AT(field) .offset = offsetof(struct probe, field)

static const struct option options[] = {
    {"width", 'w', OPTION_U32, AT(q.raw[0].width), .least = 1, .most = 65535, INPUTS("N", "of raw files")},
    {"height", 'h', OPTION_U32, AT(q.raw[0].height), .least = 1, .most = 65535, INPUTS("N", NULL)},
    {"pixel-format", 'p', OPTION_CALL, .call = parse_format, INPUTS("NAME", NULL)},
    {"bitdepth", 'b', OPTION_U32, AT(q.raw[0].bit_depth), .least = 8, .most = 16, INPUTS("N", NULL)},
    {"allow-playlist", 0, OPTION_FLAG, AT(q.allow[ALLOW_PLAYLIST]), INPUTS(NULL, "read files that name other files")},
    {"json", 0, OPTION_STRING, AT(json),
     RESULTS("FILE", "the same for programs ('-': standard output instead of the text)")},
    {"force", 0, OPTION_FLAG, AT(force), RESULTS(NULL, "overwrite files that assay did not write")},
    {"help", 0, OPTION_FLAG, AT(help)},
};

static int add_file(void *to, char *path, struct assay_error *e)
{
    struct probe *p = to;
    if (p->files == PROBE_FILES)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d files", PROBE_FILES);
    p->path[p->files++] = path;
    return ASSAY_OK;
}

const struct option_list cli_probe_options = {options, sizeof options / sizeof options[0], "assay probe --help",
                                              .word = add_file};

static int parse(struct probe *p, int argc, char **argv, struct assay_error *e)
{
    struct request *q = &p->q;
    uint32_t pipes = 0;
    p->help = argc == 1 && !strcmp(argv[0], "-h"); /* the height otherwise, as for scoring */
    TRY(p->help ? ASSAY_OK : option_parse(&cli_probe_options, p, argc, argv, e));
    for (uint32_t i = 0; i < p->files; i++)
        pipes += !strcmp(p->path[i], "-");
    if (p->help)
        return ASSAY_OK;
    if (!p->files || pipes > 1)
        return assay_fail(e, ASSAY_EUSAGE, "%s (%s)", pipes ? "only one of the files can be standard input"
                                                            : "a file is needed: assay probe FILE...",
                          cli_probe_options.help);
    q->raw[1] = q->raw[0];
    TRY(input_raw_depth(&q->raw[0], "the format of -p", "-b", e));
    q->path[0] = p->path[0];
    q->every = 1;
    q->may_pair = true;
    q->stop = &cli_stop;
    if (!p->json || !strcmp(p->json, "-"))
        return ASSAY_OK;
    for (uint32_t i = 0; i < p->files; i++)
        if (file_same_spot(p->path[i], p->json))
            return assay_fail(e, ASSAY_EUSAGE, "'%s' is one of the inputs and would be overwritten", p->json);
    return p->force ? ASSAY_OK : file_spare(p->json, FILE_JSON, e);
}

/* How many frames an input has: exactly, about, or NULL where it is not known. */
static const char *frames_of(const struct input *in, char *text, size_t size)
{
    if (in->frames < 0 && in->frames_hint < 0)
        return NULL;
    snprintf(text, size, "%s%" PRId64, in->frames < 0 ? "about " : "", in->frames < 0 ? in->frames_hint : in->frames);
    return text;
}

/* The fields of a description without the side in front of their names. */
static const char *name_of(const struct report_field *f)
{
    const char *end = strchr(f->name, '_');
    return end ? end + 1 : f->name;
}

static void show_text(struct sink *s, const struct input *in, const struct report_run *d, const char *notices,
                      const struct assay_error *refused)
{
    char text[40];
    const char *frames = frames_of(in, text, sizeof text);
    sink_plain(s, in->name);
    for (uint32_t i = 1; i < d->fields; i++) { /* the first one is the file */
        sink_format(s, "\n  %-20s", name_of(&d->field[i]));
        sink_plain(s, d->field[i].value);
    }
    sink_format(s, "\n  %-20s%s\n", "frames", frames ? frames : "unknown");
    size_t n;
    for (const char *line; (line = text_line(&notices, &n));)
        sink_format(s, "  %-20s%.*s\n", "difference", (int)n, line);
    if (refused->code) {
        sink_format(s, "  %-20s", "refused");
        sink_plain(s, refused->text);
        sink_text(s, "\n");
    }
}

static void show_json(struct json *j, const struct input *in, const struct report_run *d, const char *notices,
                      const struct assay_error *refused)
{
    for (uint32_t i = 0; i < d->fields; i++)
        (d->field[i].number ? json_value : json_text)(j, name_of(&d->field[i]), d->field[i].value);
    const bool exact = in->frames >= 0;
    json_maybe(j, "frames", exact || in->frames_hint >= 0, exact ? in->frames : in->frames_hint);
    json_bool(j, "frames_exact", exact);
    json_text(j, "differences", notices);
    json_text(j, "refused", refused->code ? refused->text : NULL);
}

/* What is said of a file that can't be read. */
static void show_unread(struct sink *s, struct json *j, const char *path, const char *why)
{
    if (j) {
        json_text(j, "file", path);
        json_text(j, "unread", why);
        return;
    }
    sink_plain(s, path);
    sink_format(s, "\n  %-20s", "unread");
    sink_plain(s, why);
    sink_text(s, "\n");
}

/* Shows file number k beside the first one, which is open. Returns a code where it can't be read or would be
 * refused. */
static int show_file(struct probe *p, struct pair *first, uint32_t k, struct json *j, struct assay_error *e)
{
    struct sink *s = j->sink;
    struct pair *pair = k ? calloc(1, sizeof *pair) : first;
    struct stored d = {0};
    struct assay_error refused = {0};
    int rc = pair ? ASSAY_OK : assay_fail_memory(e, "a file");
    p->q.path[1] = p->path[k];
    if (k && !rc && !(rc = pair_open_encode(pair, first, &p->q, e)))
        differences_check(pair, &p->q, &refused);
    if (!signals_why() && pair) {
        if (p->json)
            json_object(j, NULL, JSON_ROW);
        else
            sink_text(s, k ? "\n" : "");
        if (rc) {
            show_unread(s, p->json ? j : NULL, p->path[k], e->text);
        } else {
            const struct input *in = pair->source[k > 0].input;
            rc = describe_side(&d, k > 0, &p->q, in, e);
            if (p->json)
                show_json(j, in, &d.run, pair->notices, &refused);
            else
                show_text(s, in, &d.run, pair->notices, &refused);
            p->raw = p->raw || !strcmp(in->kind, "raw");
        }
        if (p->json)
            json_end(j);
    }
    if (!rc && refused.code)
        rc = assay_fail(e, refused.code, "%s would be refused beside %s", p->path[k], p->path[0]);
    if (k && pair)
        pair_close(pair);
    free(k ? pair : NULL);
    stored_free(&d);
    return rc;
}

static int show(struct probe *p, struct pair *first, struct assay_error *e)
{
    struct sink s;
    struct json j = {.sink = &s};
    struct assay_error unread = {0};
    int rc = pair_open_reference(first, &p->q, e);
    if (rc)
        return signals_why() ? signals_stopped(e) : rc;
    TRY(sink_open(&s, p->json ? p->json : "-", e));
    if (p->json) {
        json_object(&j, NULL, JSON_ROW);
        json_list(&j, "files", JSON_LINES);
    }
    for (uint32_t k = 0; k < p->files && !signals_why(); k++) {
        struct assay_error why = {0};
        const int one = show_file(p, first, k, &j, &why);
        if (one && !rc)
            unread = why;
        rc = rc ? rc : one;
    }
    if (signals_why()) { /* a list of some of the files is none of all */
        sink_abandon(&s);
        return signals_stopped(e);
    }
    if (p->json) {
        json_end(&j);
        json_end(&j);
    }
    TRY(sink_close(&s, e));
    if (!rc && request_described(&p->q, 0) && !p->raw)
        return assay_fail(e, ASSAY_EUSAGE, "--width, --height, --pixel-format and --bitdepth describe raw files, and "
                          "none of these is one");
    return rc ? assay_fail(e, rc, "%s", unread.text) : ASSAY_OK;
}

int cli_probe(int argc, char **argv, struct assay_error *e)
{
    struct probe *p = calloc(1, sizeof *p);
    struct pair *first = calloc(1, sizeof *first);
    int rc = p && first ? ASSAY_OK : assay_fail_memory(e, "the files");
    rc = rc ? rc : parse(p, argc, argv, e);
    if (!rc && p->help) {
        cli_help("probe", stdout);
    } else if (!rc) {
        signals_catch(false);
        rc = show(p, first, e);
        pair_close(first);
    }
    free(p);
    free(first);
    return rc;
}
