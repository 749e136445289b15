/* SPDX-License-Identifier: BSD-2-Clause */
/* assay parity REFERENCE DISTORTED --backends A,B: the same frames on several backends, compared plane by plane. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/parity/compare.h"
#include "host/bits.h"
#include "host/format.h"
#include "host/numbers.h"
#include "host/text.h"
#include "results/json_write.h"
#include "run/pairing.h"

/* Entries of each list that are printed. JSON has more. */
enum { SHOWN = 10 };

struct contest {
    const struct cli *cli;
    struct pair pair;
    struct pairing *pairing;            /* of --pair time; else NULL */
    assay_session *session[CLI_BACKENDS];
    struct parity found[CLI_BACKENDS];  /* of backend i against the first one */
    void *memory;                       /* a picture of each side */
    assay_buffer buffer[2];
    uint64_t frames;                    /* compared */
    uint64_t frame;                     /* number of the last frame compared; no other can differ */
    bool different;
};

/* A session's failure, with the name of its backend. */
static int failed(const struct contest *t, uint32_t i, int rc, struct assay_error *e)
{
    return rc ? assay_fail(e, rc, "%s: %s", t->cli->backend[i].text, assay_session_error(t->session[i])) : ASSAY_OK;
}

/* ---- running ---- */

static int open_session(struct contest *t, uint32_t i, struct assay_error *e)
{
    const struct cli *c = t->cli;
    const struct cli_backend *b = &c->backend[i];
    const bool cpu = !strcmp(b->name, "cpu");
    assay_config config = c->q.config;
    pair_configure(&t->pair, &c->q, &config);
    config.backend = b->name;
    config.device = !cpu && b->device[0] ? b->device : NULL;
    config.cpu_level = cpu && b->device[0] ? b->device : NULL;
    config.keep_planes = 1;
    config.frames_in_flight = 1; /* frames are looked at one by one */
    TRY(session_make(&t->session[i], &config, e));
    assay_session *s = t->session[i];
    for (uint32_t m = 0; m < c->q.metrics; m++)
        TRY(failed(t, i, assay_session_add_metric(s, c->q.metric[m]), e));
    if (c->q.all_metrics || !c->q.metrics)
        TRY(failed(t, i, request_add_all(&c->q, s, &t->pair.format, NULL, e), e));
    TRY(failed(t, i, assay_session_start(s, &t->pair.format), e));
    return session_refuse_files(s, e);
}

static int make_buffers(struct contest *t, struct assay_error *e)
{
    t->memory = malloc(format_frame_bytes(pair_side(&t->pair, 0)) + format_frame_bytes(pair_side(&t->pair, 1)));
    if (!t->memory)
        return assay_fail_memory(e, "a frame pair");
    void *at = t->memory;
    for (unsigned side = 0; side < 2; side++)
        at = format_place(pair_side(&t->pair, side), at, t->buffer[side].plane, t->buffer[side].stride);
    return ASSAY_OK;
}

static int submit(struct contest *t, uint64_t frame, struct assay_error *e)
{
    assay_picture side[2] = {{.release = NULL}, {.release = NULL}};
    for (unsigned s = 0; s < 2; s++)
        for (unsigned p = 0; p < 3; p++) {
            side[s].plane[p] = t->buffer[s].plane[p];
            side[s].stride[p] = t->buffer[s].stride[p];
        }
    for (uint32_t i = 0; i < t->cli->backends; i++) {
        TRY(failed(t, i, assay_session_submit(t->session[i], frame, &side[0], &side[1]), e));
        TRY(failed(t, i, assay_session_wait(t->session[i]), e));
    }
    t->frames++;
    t->frame = frame;
    for (uint32_t i = 1; i < t->cli->backends; i++) {
        parity_free(&t->found[i]);
        TRY(parity_compare(t->session[0], t->session[i], &t->found[i], e));
        t->different = t->different || !parity_equal(&t->found[i]);
    }
    return ASSAY_OK;
}

/* Reads pair i. got[side]: whether the side has a frame. */
static int read_pair(struct contest *t, uint64_t i, int got[2], struct assay_error *e)
{
    const bool wanted = i % t->cli->q.every == 0;
    int64_t time;
    got[0] = pair_read(&t->pair, 0, wanted ? &t->buffer[0] : NULL, &time, e);
    if (got[0] < 0)
        return got[0];
    if (t->pairing && got[0])
        TRY(pairing_reference(t->pairing, time, e));
    else if (t->pairing)
        pairing_reference_ended(t->pairing);
    got[1] = t->pairing ? pairing_read(t->pairing, i, &t->buffer[1], e)
                        : pair_read(&t->pair, 1, wanted ? &t->buffer[1] : NULL, NULL, e);
    return got[1] < 0 ? got[1] : ASSAY_OK;
}

/* Compares frames up to the first one that differs. */
static int run(struct contest *t, struct assay_error *e)
{
    const struct cli *c = t->cli;
    for (unsigned side = 0; side < 2; side++)
        TRY(pair_skip(t->pair.source[side].input, c->q.skip[side] + c->q.first, e));
    if (c->q.pair_by == PAIR_TIME)
        TRY(pairing_open(&t->pairing, &t->pair, e));
    for (uint64_t i = c->q.first; !t->different && (!c->q.frames || i - c->q.first < c->q.frames); i++) {
        int got[2];
        TRY(read_pair(t, i, got, e));
        if (!got[0] || !got[1]) {
            TRY(pair_ended(&t->pair, &c->q, got, e));
            break;
        }
        TRY(i % c->q.every ? ASSAY_OK : submit(t, i, e));
    }
    return t->frames ? ASSAY_OK
                     : assay_fail(e, ASSAY_EINPUT, "%s has no frame to compare", t->pair.source[0].input->name);
}

/* ---- telling ---- */

/* Formats a sample: a float as C's %a and its bits, an integer in decimal. */
static const char *sample_text(char *text, size_t size, const assay_plane *of, uint32_t bits)
{
    char hex[NUMBER_TEXT_SIZE];
    if (!strcmp(of->type, "f32")) {
        format_hex(hex, (double)float_of_bits(bits));
        snprintf(text, size, "%s (0x%08" PRIx32 ")", hex, bits);
    } else if (!strcmp(of->type, "i32")) {
        snprintf(text, size, "%" PRId32 " (0x%08" PRIx32 ")", (int32_t)bits, bits);
    } else {
        snprintf(text, size, "%" PRIu32 " (0x%0*" PRIx32 ")", bits, (int)(2 * of->sample_size), bits);
    }
    return text;
}

static void tell_plane(const struct contest *t, uint32_t other, const struct parity_plane *p, const char *begin)
{
    const assay_plane *of = &p->of;
    char a[80], b[80];
    printf("%spass %u (%s), plane %u (%s, %ux%u): %" PRIu64 " of %" PRIu64
           " samples differ, first at x %u, y %u: %s %s, %s %s\n",
           begin, of->pass_number, of->pass, of->output, of->type, of->width, of->height, p->count,
           (uint64_t)of->width * of->height, p->x, p->y, t->cli->backend[0].text,
           sample_text(a, sizeof a, of, p->bits[0]), t->cli->backend[other].text,
           sample_text(b, sizeof b, of, p->bits[1]));
}

static void tell_lists(const struct contest *t, uint32_t other)
{
    const struct parity *p = &t->found[other];
    const char *const names[2] = {t->cli->backend[0].text, t->cli->backend[other].text};
    for (uint32_t i = 1; i < p->planes && i < SHOWN; i++)
        tell_plane(t, other, &p->plane[i], "  ");
    if (p->planes > SHOWN)
        printf("  and %u more planes\n", p->planes - SHOWN);
    for (uint32_t i = 0; i < p->totals && i < SHOWN; i++) {
        const struct parity_total *x = &p->total[i];
        printf("  pass %u (%s), total %u: %s %" PRId64 ", %s %" PRId64 "\n", x->pass, x->of.name, x->index, names[0],
               x->value[0], names[1], x->value[1]);
    }
    if (p->totals_differ > SHOWN)
        printf("  and %" PRIu64 " more totals\n", p->totals_differ - SHOWN);
    for (uint32_t i = 0; i < p->extrema && i < SHOWN; i++) {
        const struct parity_extremum *x = &p->extremum[i];
        printf("  pass %u (%s), extremum %u: %s %u at %u, %s %u at %u\n", x->pass, x->of.name, x->index, names[0],
               x->value[0], x->position[0], names[1], x->value[1], x->position[1]);
    }
    if (p->extrema_differ > SHOWN)
        printf("  and %" PRIu64 " more extrema\n", p->extrema_differ - SHOWN);
}

static void tell(const struct contest *t)
{
    for (uint32_t i = 1; i < t->cli->backends; i++) {
        const struct parity *p = &t->found[i];
        if (parity_equal(p)) {
            printf("%s and %s: equal in %" PRIu64 " frame%s of %u passes\n", t->cli->backend[0].text,
                   t->cli->backend[i].text, t->frames, t->frames == 1 ? "" : "s", p->passes);
            continue;
        }
        printf("%s and %s: frame %" PRIu64 " differs\n", t->cli->backend[0].text, t->cli->backend[i].text, t->frame);
        if (p->planes)
            tell_plane(t, i, &p->plane[0], "first: ");
        tell_lists(t, i);
    }
}

/* ---- JSON ---- */

static void json_pass(struct json *j, uint32_t pass, const char *name)
{
    json_object(j, NULL, JSON_ROW);
    json_count(j, "pass", pass);
    json_text(j, "name", name);
}

static void json_two(struct json *j, const char *name, const char *a, const char *b)
{
    json_list(j, name, JSON_ROW);
    json_text(j, NULL, a);
    json_text(j, NULL, b);
    json_end(j);
}

static void json_counts(struct json *j, const char *name, const uint32_t two[2])
{
    json_list(j, name, JSON_ROW);
    json_count(j, NULL, two[0]);
    json_count(j, NULL, two[1]);
    json_end(j);
}

static void json_plane(struct json *j, const struct parity_plane *k)
{
    const assay_plane *of = &k->of;
    char a[80], b[80];
    json_pass(j, of->pass_number, of->pass);
    json_count(j, "plane", of->output);
    json_text(j, "type", of->type);
    json_count(j, "width", of->width);
    json_count(j, "height", of->height);
    json_count(j, "differ", k->count);
    json_count(j, "x", k->x);
    json_count(j, "y", k->y);
    snprintf(a, sizeof a, "0x%08" PRIx32, k->bits[0]);
    snprintf(b, sizeof b, "0x%08" PRIx32, k->bits[1]);
    json_two(j, "bits", a, b);
    json_two(j, "values", sample_text(a, sizeof a, of, k->bits[0]), sample_text(b, sizeof b, of, k->bits[1]));
    json_end(j);
}

static void json_difference(struct json *j, const struct contest *t, uint32_t other)
{
    const struct parity *p = &t->found[other];
    char a[24], b[24];
    json_object(j, NULL, JSON_LINES);
    json_text(j, "backend", t->cli->backend[other].text);
    json_bool(j, "equal", parity_equal(p));
    json_list(j, "planes", JSON_LINES | JSON_HANG);
    for (uint32_t i = 0; i < p->planes; i++)
        json_plane(j, &p->plane[i]);
    json_end(j);
    json_count(j, "totals_differ", p->totals_differ);
    json_list(j, "totals", JSON_LINES | JSON_HANG);
    for (uint32_t i = 0; i < p->totals; i++) {
        json_pass(j, p->total[i].pass, p->total[i].of.name);
        json_count(j, "total", p->total[i].index);
        snprintf(a, sizeof a, "%" PRId64, p->total[i].value[0]);
        snprintf(b, sizeof b, "%" PRId64, p->total[i].value[1]);
        json_two(j, "values", a, b);
        json_end(j);
    }
    json_end(j);
    json_count(j, "extrema_differ", p->extrema_differ);
    json_list(j, "extrema", JSON_LINES | JSON_HANG);
    for (uint32_t i = 0; i < p->extrema; i++) {
        json_pass(j, p->extremum[i].pass, p->extremum[i].of.name);
        json_count(j, "extremum", p->extremum[i].index);
        json_counts(j, "values", p->extremum[i].value);
        json_counts(j, "positions", p->extremum[i].position);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static int write_json(const struct contest *t, const char *path, struct assay_error *e)
{
    struct sink s;
    struct json j;
    const struct cli *c = t->cli;
    TRY(sink_open(&s, path, e));
    json_document(&j, &s, assay_version());
    json_text(&j, "configuration", assay_session_configuration(t->session[0]));
    json_list(&j, "backends", JSON_LINES);
    for (uint32_t i = 0; i < c->backends; i++) {
        json_object(&j, NULL, JSON_ROW);
        json_text(&j, "name", c->backend[i].text);
        json_text(&j, "device", assay_session_device(t->session[i]));
        json_text(&j, "driver", assay_session_driver(t->session[i]));
        json_end(&j);
    }
    json_end(&j);
    json_count(&j, "frames", t->frames);
    json_count(&j, "passes", t->found[1].passes);
    json_bool(&j, "equal", !t->different);
    json_maybe(&j, "frame", t->different, (int64_t)t->frame);
    json_list(&j, "against_the_first", JSON_LINES | JSON_BLOCK);
    for (uint32_t i = 1; i < c->backends; i++)
        json_difference(&j, t, i);
    json_end(&j);
    json_end(&j);
    return sink_close(&s, e);
}

static void tell_pairing(const struct contest *t)
{
    char text[400];
    if (!t->pairing || t->cli->quiet)
        return;
    pairing_finish(t->pairing);
    pairing_text(&t->pair.paired, text, sizeof text);
    text_say("%s", text);
}

static int compare(struct contest *t, struct assay_error *e)
{
    const struct cli *c = t->cli;
    TRY(results_spared(c, e));
    TRY(pair_open(&t->pair, &c->q, e));
    TRY(make_buffers(t, e));
    for (uint32_t i = 0; i < c->backends; i++)
        TRY(open_session(t, i, e));
    TRY(run(t, e));
    tell_pairing(t);
    for (uint32_t i = 0; i < c->outputs; i++)
        TRY(write_json(t, c->output[i].path, e));
    if (!c->quiet && results_stream(c) == stdout)
        tell(t);
    return t->different;
}

int cli_parity(const struct cli *c, struct assay_error *e)
{
    struct contest *t = calloc(1, sizeof *t);
    if (!t)
        return assay_fail_memory(e, "the comparison");
    t->cli = c;
    const int rc = compare(t, e);
    for (uint32_t i = 0; i < c->backends; i++) {
        assay_session_close(&t->session[i]);
        parity_free(&t->found[i]);
    }
    pairing_close(&t->pairing);
    pair_close(&t->pair);
    free(t->memory);
    free(t);
    return rc;
}
