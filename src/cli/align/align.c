/* SPDX-License-Identifier: BSD-2-Clause */
/* assay align REFERENCE DISTORTED; --align auto, and the line about scores that look like those of a shifted pair. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "host/text.h"
#include "input/stream.h"
#include "results/json_write.h"
#include "run/align.h"

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* An offset between frame numbers of the files, from one between the frames behind those left out. */
static int64_t in_files(const struct align_look *a, int64_t offset)
{
    return offset + (int64_t)a->window.skip[1] - (int64_t)a->window.skip[0];
}

/* Why an offset is not certain, and what a user can do. */
enum { ALIGN_REASON = 320 };
static const char *reason_of(const struct align_look *a, char *text)
{
    const struct align_result *r = &a->found;
    const long long guess = in_files(a, r->offset);
    switch (r->doubt) {
    case ALIGN_NO_DOUBT:
        *text = '\0';
        break;
    case ALIGN_FEW:
        snprintf(text, ALIGN_REASON, "there are too few frames: at each of several offsets %d have to be in common",
                 ALIGN_LEAST);
        break;
    case ALIGN_STILL:
        snprintf(text, ALIGN_REASON, "the picture changes too little");
        break;
    case ALIGN_ALIKE:
        snprintf(text, ALIGN_REASON, "offset %lld and other offsets, such as %lld, fit alike: the content repeats, or "
                 "it moves too little for what the encode has lost", guess, (long long)in_files(a, r->rival));
        break;
    case ALIGN_UNLIKE:
        snprintf(text, ALIGN_REASON, "at no offset from %lld to %lld do the two sides look alike throughout",
                 (long long)in_files(a, r->least), (long long)in_files(a, r->most));
        break;
    case ALIGN_EDGE:
        snprintf(text, ALIGN_REASON, "offset %lld fits best, and it is the last one that was looked at (--search)",
                 guess);
        break;
    }
    return text;
}

static const char *const event_words[] = {"dropped", "repeated", "inserted"};

static uint64_t event_frame(const struct align_look *a, const struct align_event *v)
{
    return v->frame + a->window.skip[v->kind != ALIGN_DROPPED];
}

/* "reference frames 100 and 200 to 201 are dropped, distorted frame 12 is repeated", cut short where there are many. */
static const char *changes_of(const struct align_look *a, char *text, size_t size)
{
    enum { MOST = 6 };
    const struct align_result *r = &a->found;
    *text = '\0';
    for (uint32_t i = 0; i < r->events && i < MOST; i++) {
        const struct align_event *v = &r->event[i];
        const uint64_t frame = event_frame(a, v);
        text_append(text, size, "%s%s frame%s %" PRIu64, i ? ", " : "",
                    v->kind == ALIGN_DROPPED ? "reference" : "distorted", v->count > 1 ? "s" : "", frame);
        if (v->count > 1)
            text_append(text, size, " to %" PRIu64, frame + v->count - 1);
        text_append(text, size, " %s %s", v->count > 1 ? "are" : "is", event_words[v->kind]);
    }
    if (r->events > MOST)
        text_append(text, size, ", and %u more", r->events - MOST);
    return text;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_offset(const struct align_look *a, FILE *out)
{
    const struct align_result *r = &a->found;
    const int64_t offset = in_files(a, r->offset);
    if (!r->certain) {
        char reason[ALIGN_REASON];
        fprintf(out, "not certain: %s\n", reason_of(a, reason));
        if (r->doubt == ALIGN_FEW || r->doubt == ALIGN_STILL || !r->segments)
            return;
        fprintf(out, "best guess: ");
    }
    fprintf(out, "offset %+" PRId64 ", confidence %.2f: distorted frame n%s%.0" PRId64 " shows reference frame n\n",
            offset, r->confidence, offset > 0 ? " + " : offset < 0 ? " - " : "", offset < 0 ? -offset : offset);
}

static void print_segments(const struct align_look *a, FILE *out)
{
    enum { MOST = 12 };
    const struct align_result *r = &a->found;
    for (uint32_t i = 0; i < r->segments && i < MOST; i++) {
        const struct align_segment *g = &r->segment[i];
        const uint64_t ref = g->reference + a->window.skip[0], dis = g->distorted + a->window.skip[1];
        fprintf(out, "reference %" PRIu64 " to %" PRIu64 " = distorted %" PRIu64 " to %" PRIu64 "\n", ref,
                ref + g->length - 1, dis, dis + g->length - 1);
    }
    if (r->segments > MOST)
        fprintf(out, "and %u more runs of frames (--json lists them)\n", r->segments - MOST);
}

static void print(const struct cli *c, const struct align_look *a, FILE *out)
{
    const struct align_result *r = &a->found;
    char text[1024];
    uint64_t skip[2];
    fprintf(out, "%s against %s: %" PRIu64 " and %" PRIu64 " frames, offsets %+" PRId64 " to %+" PRId64 "\n",
            a->name[1], a->name[0], a->signatures[1].frames, a->signatures[0].frames, in_files(a, r->least),
            in_files(a, r->most));
    print_offset(a, out);
    if (!r->certain)
        return;
    print_segments(a, out);
    if (r->events)
        fprintf(out, "%s\n", changes_of(a, text, sizeof text));
    if (r->period && r->period_kind == ALIGN_DROPPED)
        fprintf(out, "the distorted side seems to lack every %" PRIu64 "th frame of the reference\n", r->period);
    else if (r->period)
        fprintf(out, "every %" PRIu64 "th frame of the distorted side seems to be one more than the reference has\n",
                r->period);
    align_skips(a->window.skip, r->offset, skip);
    if (r->segments > 1)
        fprintf(out, "no one offset holds for all frames\n");
    else if (skip[0] || skip[1])
        fprintf(out, "%s, or --align auto, compares these frames\n", align_advice(&c->q, a, skip, text));
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_side(struct json *j, const char *name, const struct align_look *a, unsigned side)
{
    json_object(j, name, JSON_ROW);
    json_text(j, "file", a->name[side]);
    json_count(j, "first", a->window.skip[side]);
    json_count(j, "frames", a->signatures[side].frames);
    json_end(j);
}

static void json_events(struct json *j, const struct align_look *a, enum align_event_kind kind)
{
    const struct align_result *r = &a->found;
    json_list(j, event_words[kind], JSON_ROW);
    for (uint32_t i = 0; i < r->events; i++) {
        if (r->event[i].kind != kind)
            continue;
        json_object(j, NULL, JSON_ROW);
        json_count(j, kind == ALIGN_DROPPED ? "reference" : "distorted", event_frame(a, &r->event[i]));
        json_count(j, "frames", r->event[i].count);
        json_end(j);
    }
    json_end(j);
}

static void json_segments(struct json *j, const struct align_look *a)
{
    json_list(j, "segments", JSON_LINES);
    for (uint32_t i = 0; i < a->found.segments; i++) {
        const struct align_segment *g = &a->found.segment[i];
        const uint64_t ref = g->reference + a->window.skip[0], dis = g->distorted + a->window.skip[1];
        json_object(j, NULL, JSON_ROW);
        json_count(j, "reference", ref);
        json_count(j, "distorted", dis);
        json_count(j, "frames", g->length);
        json_whole(j, "offset", (int64_t)dis - (int64_t)ref);
        json_number(j, "confidence", g->confidence, 3);
        json_end(j);
    }
    json_end(j);
}

static void json_result(struct json *j, const struct align_look *a)
{
    const struct align_result *r = &a->found;
    char reason[ALIGN_REASON];
    uint64_t skip[2];
    json_list(j, "search", JSON_ROW);
    json_whole(j, NULL, in_files(a, r->least));
    json_whole(j, NULL, in_files(a, r->most));
    json_end(j);
    json_text(j, "word", r->certain ? "certain" : "not certain");
    json_number(j, "confidence", r->confidence, 3);
    json_text(j, "reason", r->certain ? NULL : reason_of(a, reason));
    json_maybe(j, "offset", r->segments, in_files(a, r->offset));
    json_bool(j, "constant", r->segments == 1);
    align_skips(a->window.skip, r->offset, skip);
    if (r->certain && r->segments == 1) {
        json_count(j, "skip_ref", skip[0]);
        json_count(j, "skip_dis", skip[1]);
    }
}

static int write_json(const struct align_look *a, const char *path, struct assay_error *e)
{
    const struct align_result *r = &a->found;
    struct sink s;
    struct json j;
    TRY(sink_open(&s, path, e));
    json_document(&j, &s, assay_version());
    json_side(&j, "reference", a, 0);
    json_side(&j, "distorted", a, 1);
    json_result(&j, a);
    json_segments(&j, a);
    for (unsigned kind = ALIGN_DROPPED; kind <= ALIGN_INSERTED; kind++)
        json_events(&j, a, (enum align_event_kind)kind);
    if (r->period) {
        json_object(&j, "period", JSON_ROW);
        json_count(&j, "frames", r->period);
        json_text(&j, "are", event_words[r->period_kind]);
        json_end(&j);
    } else {
        json_null(&j, "period");
    }
    json_end(&j);
    return sink_close(&s, e);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int show(const struct cli *c, const struct align_look *a, struct assay_error *e)
{
    const struct align_result *r = &a->found;
    char reason[ALIGN_REASON];
    for (uint32_t i = 0; i < c->outputs; i++)
        TRY(write_json(a, c->output[i].path, e));
    if (!c->quiet && results_stream(c) == stdout)
        print(c, a, stdout);
    if (!r->certain)
        return assay_fail(e, ASSAY_EMISMATCH, "the offset is not certain: %s", reason_of(a, reason));
    return in_files(a, r->offset) || r->segments > 1;
}

int cli_align(const struct cli *c, struct assay_error *e)
{
    const struct align_window w = {{c->q.skip[0], c->q.skip[1]}, c->q.frames, c->search ? c->search : ALIGN_SEARCH};
    struct align_look a;
    TRY(results_spared(c, e));
    signals_catch(false);
    int rc = align_look(&a, &c->q, &w, e);
    if (rc)
        return signals_why() ? signals_stopped(e) : rc;
    rc = show(c, &a, e);
    align_look_free(&a);
    return rc;
}

/* ---- --align auto ------------------------------------------------------------------------------------------------ */

/* Refuses what one offset can't make pairs of. */
static int check(const struct align_look *a, struct assay_error *e)
{
    char text[640];
    if (!a->found.certain)
        return assay_fail(e, ASSAY_EMISMATCH, "--align auto: the offset is not certain: %s (assay align says more; "
                          "--skip-ref and --skip-dis set it by hand)", reason_of(a, text));
    if (a->found.segments > 1)
        return assay_fail(e, ASSAY_EMISMATCH, "--align auto: no one offset holds for all frames: %s (assay align lists "
                          "them)", changes_of(a, text, sizeof text));
    return ASSAY_OK;
}

static void say(const struct cli *c)
{
    char text[ALIGN_TEXT];
    const char *who = c->q.several ? c->q.path[1] : "", *colon = c->q.several ? ": " : "";
    if (c->quiet)
        return;
    if (c->q.skip[0] || c->q.skip[1])
        text_say("%s%saligned with %s: distorted frame n %c %" PRIu64 " shows reference frame n "
                 "(confidence %.2f)", who, colon, align_options(c->q.skip, text), c->q.align.offset < 0 ? '-' : '+',
                 (uint64_t)llabs(c->q.align.offset), c->q.align.confidence);
    else
        text_say("%s%sthe two sides are aligned as they are (confidence %.2f)", who, colon, c->q.align.confidence);
}

/* Frames at the ends of which the offset between the files leaves no partner are no difference in length. */
static bool explained(const struct align_look *a, const struct request_align *found)
{
    const int64_t apart = a->frames[0] - a->frames[1] + found->offset;
    return found->offset && a->whole[0] && a->whole[1] && llabs(apart) <= llabs(found->offset);
}

int align_apply(struct cli *c, struct assay_error *e)
{
    struct align_look a;
    struct align_window w = {{c->q.skip[0], c->q.skip[1]}, 0, c->search ? c->search : ALIGN_SEARCH};
    for (unsigned side = 0; side < 2; side++)
        if (stream_file_bytes(c->q.path[side]) < 0)
            return assay_fail(e, ASSAY_EUSAGE, "--align auto reads the inputs twice, and '%s' is no regular file",
                              c->q.path[side]);
    if (c->q.frames) /* those that are scored at any offset, and as many more */
        w.frames = c->q.first + c->q.frames + 2 * (uint64_t)w.search;
    TRY(align_look(&a, &c->q, &w, e));
    const int rc = check(&a, e);
    align_skips(w.skip, a.found.offset, c->q.skip);
    c->q.align.applied = true;
    c->q.align.offset = (int64_t)c->q.skip[1] - (int64_t)c->q.skip[0];
    c->q.align.confidence = a.found.confidence;
    c->q.allow[ALLOW_LENGTH] = c->q.allow[ALLOW_LENGTH] || explained(&a, &c->q.align);
    align_look_free(&a);
    if (!rc)
        say(c);
    return rc;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* Means below which it is worth a look whether the pair is shifted. */
static const struct {
    const char *key;
    double limit;
} limits[] = {{"psnr_y", 35}, {"float_psnr", 35}, {"vmaf", 80}, {"float_ssim", 0.93}, {"ssim", 0.93},
              {"float_ms_ssim", 0.96}, {"ssimulacra2", 70}};

/* Whether the scores are low, and the worst frame. */
static bool look_shifted(const struct scores *s, uint64_t *worst)
{
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++)
        for (uint32_t k = 0; k < s->keys; k++) {
            double sum = 0;
            uint64_t low = 0;
            if (strcmp(s->key[k], limits[i].key))
                continue;
            for (uint64_t row = 0; row < s->rows; row++) {
                sum += scores_value(s, row, k);
                low = scores_value(s, row, k) < scores_value(s, low, k) ? row : low;
            }
            *worst = s->frame[low];
            if (sum < limits[i].limit * (double)s->rows)
                return true;
        }
    return false;
}

void align_hint(const struct cli *c, const struct scores *s)
{
    uint64_t worst;
    char text[ALIGN_SHIFT];
    if (s->rows >= ALIGN_LEAST && look_shifted(s, &worst) && align_shift(&c->q, worst, text))
        text_say("%s%sat frame %" PRIu64 " %s", c->q.several ? c->q.path[1] : "", c->q.several ? ": " : "", worst,
                 text);
}
