/* SPDX-License-Identifier: BSD-2-Clause */
/* The description of the run in a report: everything that decides a score, and the device that computed it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/images.h"
#include "run/pair.h"
#include "host/colour.h"
#include "host/numbers.h"
#include "host/text.h"

/* INCIDENTAL: can't change a score, so parts of a run may differ in it. */
enum kind { TEXT, NUMBER, INCIDENTAL, INCIDENTAL_NUMBER };

/* Adds a text of any length. */
static void add_text(struct stored *d, enum kind kind, const char *name, const char *text)
{
    const bool number = kind == NUMBER || kind == INCIDENTAL_NUMBER;
    stored_field(d, (struct report_field){name, text, number, kind >= INCIDENTAL});
}

/* A text that may be NULL or empty: there is no such field then. */
static void add_known(struct stored *d, enum kind kind, const char *name, const char *text)
{
    if (text && *text)
        add_text(d, kind, name, text);
}

PRINTF_LIKE(4, 5)
static void add(struct stored *d, enum kind kind, const char *name, const char *format, ...)
{
    char text[640];
    TEXT_GIVEN(text, sizeof text, format);
    add_text(d, kind, name, text);
}

static const char *const range_words[] = {"unknown", "limited", "full"},
    *const location_words[] = {"unknown", "left", "center", "top-left", "top", "bottom-left", "bottom"},
    *const field_words[] = {"unknown", "progressive", "top-first", "bottom-first", "mixed"};

#define WORD(words, n) (words)[(n) < sizeof (words) / sizeof (words)[0] ? (n) : 0]

/* The encode's bytes, duration and rate in kbit/s (1000 bits a second). A part of a run has the same fields as the
 * whole, with null where nothing is known. */
static void describe_rate(struct stored *d, const struct input *in, const struct input_rate *rate)
{
    char bytes[24] = "null", seconds[NUMBER_TEXT_SIZE] = "null", kbps[NUMBER_TEXT_SIZE] = "null";
    if (rate->den) {
        snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)rate->bytes);
        format_shortest(seconds, (double)rate->num / (double)rate->den);
        format_shortest(kbps, rate->num ? (double)rate->bytes * 8 * (double)rate->den / (double)rate->num / 1000
                                        : (double)NAN);
    }
    add(d, INCIDENTAL, REPORT_BITRATE_OF, "%s", in->image                   ? REPORT_OF_IMAGE
                                            : strcmp(in->kind, "libav") ? "file" : "video track");
    add(d, INCIDENTAL_NUMBER, "distorted_video_bytes", "%s", bytes);
    add(d, INCIDENTAL_NUMBER, "distorted_duration_s", "%s", seconds);
    add(d, INCIDENTAL_NUMBER, REPORT_BITRATE, "%s", kbps);
}

/* Matrix, transfer function and primaries by their names, as far as a picture of this layout has them. */
static void describe_colour(struct stored *d, const char *field, const assay_format *f)
{
    static const enum colour_kind kinds[] = {COLOUR_MATRIX, COLOUR_TRANSFER, COLOUR_PRIMARIES};
    char text[160] = "", name[COLOUR_NAME];
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (colour_has(f, kinds[k]))
            text_append(text, sizeof text, "%s%s %s", text[0] ? ", " : "", colour_kind_name[kinds[k]],
                        colour_name(f, kinds[k], name));
    add(d, TEXT, field, "%s", text);
}

/* Names of the fields of one side live as long as the program. */
#define SIDE(name) (side ? "distorted_" name : "reference_" name)

int describe_side(struct stored *d, unsigned side, const struct request *q, const struct input *in,
                  struct assay_error *e)
{
    char format[32];
    const assay_format *f = &in->format;
    add(d, INCIDENTAL, SIDE("file"), "%s", in->name);
    if (in->bytes)
        add(d, NUMBER, SIDE("bytes"), "%" PRIu64, in->bytes);
    add(d, TEXT, SIDE("reader"), "%s", in->kind);
    add_known(d, INCIDENTAL, SIDE("decoder"), in->decoder);
    add_known(d, INCIDENTAL, SIDE("decoding"), in->decoding);
    add(d, TEXT, SIDE("format"), "%s", input_format_name(f, format));
    add(d, TEXT, SIDE("size"), "%ux%u", in->whole_width, in->whole_height);
    if (q->crop[side].width) {
        char crop[48];
        crop_text(crop, sizeof crop, &in->crop);
        add(d, TEXT, SIDE("crop"), "%s", crop);
    }
    add(d, TEXT, SIDE("range"), "%s", WORD(range_words, f->range));
    describe_colour(d, SIDE("color"), f);
    add_known(d, TEXT, SIDE("stated_colour"), q->colour[side]);
    add(d, TEXT, SIDE("chroma_location"), "%s", WORD(location_words, f->chroma_location));
    add(d, TEXT, SIDE("frame_rate"), "%u/%u", f->rate_num, f->rate_den);
    add(d, TEXT, SIDE("sample_aspect_ratio"), "%u:%u", f->sar_num, f->sar_den);
    add(d, TEXT, SIDE("field_order"), "%s", WORD(field_words, f->field_order));
    add_known(d, TEXT, SIDE("notice"), in->notice);
    if (!q->allow[ALLOW_DAMAGE])
        return stored_lost(d, "the results", e);
    if (in->faults.count)
        add(d, INCIDENTAL_NUMBER, SIDE("container_faults"), "%llu", (unsigned long long)in->faults.count);
    if (in->changed)
        add(d, INCIDENTAL_NUMBER, SIDE("changed"), "true");
    add(d, INCIDENTAL_NUMBER, SIDE("damaged_frames"), "%llu", (unsigned long long)in->damage.pictures);
    add_text(d, INCIDENTAL, SIDE("damaged"), in->damage.text ? in->damage.text : "");
    return stored_lost(d, "the results", e);
}

/* Which sides are scaled, from and to which size, and by what. */
static void describe_scale(struct stored *d, const struct request *q, const struct pair *p)
{
    if (!pair_scaled(p, 0) && !pair_scaled(p, 1))
        return;
    for (unsigned side = 0; side < 2; side++)
        if (pair_scaled(p, side))
            add(d, TEXT, SIDE("scaled"), "%ux%u to %ux%u", pair_side(p, side)->width, pair_side(p, side)->height,
                p->width, p->height);
    add(d, TEXT, "scale_filter", "%s", q->config.scale);
    add(d, TEXT, "scale_siting", "%s", q->config.scale_siting == ASSAY_SCALE_TAG ? "tag" : "centre");
}

static void describe_pairing(struct stored *d, const struct request *q, const struct pair_figures *f)
{
    char apart[NUMBER_TEXT_SIZE];
    add(d, TEXT, "pairing", "%s", q->pair_by == PAIR_TIME ? "time" : "number");
    if (q->pair_by != PAIR_TIME)
        return;
    format_shortest(apart, (double)f->apart / 1e6);
    add(d, NUMBER, "distorted_frames_shown", "%llu", (unsigned long long)f->shown);
    add(d, NUMBER, "distorted_frames_repeated", "%llu", (unsigned long long)(f->pairs - f->shown));
    add(d, NUMBER, "distorted_frames_left_out", "%llu", (unsigned long long)f->left_out);
    add(d, NUMBER, "largest_time_distance_ms", "%s", apart);
}

int describe_run(struct stored *d, const struct request *q, const struct pair *p, const assay_session *s,
                 struct assay_error *e)
{
    d->run.fields = 0;
    add_text(d, TEXT, "configuration", assay_session_configuration(s));
    add_known(d, TEXT, "notes", assay_session_encode_notes(s, p->encode));
    add(d, TEXT, "backend", "%s", assay_session_backend(s));
    add(d, INCIDENTAL, "device", "%s", assay_session_device(s));
    add_known(d, INCIDENTAL, "driver", assay_session_driver(s));
    add_known(d, INCIDENTAL, "choice", assay_session_choice(s));
    add(d, INCIDENTAL_NUMBER, "threads", "%u", assay_session_threads(s));
    /* Another run of the process may have loaded them. */
    if (strstr(p->source[0].input->decoder, "libavcodec") || strstr(p->source[1].input->decoder, "libavcodec"))
        add(d, INCIDENTAL, "libraries", "%s", input_libraries());
    add(d, NUMBER, "scored_layout", "%d", (int)p->format.layout);
    add(d, NUMBER, "scored_bit_depth", "%u", p->format.bit_depth);
    for (unsigned side = 0; side < 2; side++)
        TRY(describe_side(d, side, q, p->source[side].input, e));
    describe_rate(d, p->source[1].input, &p->source[1].rate);
    describe_scale(d, q, p);
    describe_pairing(d, q, &p->paired);
    add(d, NUMBER, REPORT_FIRST_REFERENCE, "%llu", (unsigned long long)q->skip[0]);
    add(d, NUMBER, REPORT_FIRST_DISTORTED, "%llu", (unsigned long long)q->skip[1]);
    if (q->align.applied) {
        char confidence[NUMBER_TEXT_SIZE];
        format_fixed(confidence, q->align.confidence, 3);
        add(d, NUMBER, "align_offset", "%lld", (long long)q->align.offset);
        add(d, NUMBER, "align_confidence", "%s", confidence);
    }
    add(d, NUMBER, "every", "%llu", (unsigned long long)q->every);
    if (q->config.rgb_matrix && p->format.layout == ASSAY_LAYOUT_RGB)
        add(d, TEXT, "rgb_to_luma", "%s %s", q->config.rgb_matrix,
            q->config.rgb_range == ASSAY_RANGE_LIMITED ? "limited" : "full");
    char allowed[128] = "";
    for (unsigned i = 0; i < ALLOWS; i++)
        if (p->overridden[i])
            text_append(allowed, sizeof allowed, "%s%s", allowed[0] ? " " : "", allow_name[i]);
    add(d, INCIDENTAL, "allowed_differences", "%s", allowed);
    add_text(d, INCIDENTAL, "notices", p->notices);
    stored_compared(d);
    return stored_lost(d, "the results", e);
}

int describe_pictures(struct stored *d, const struct images *r, const struct image_pair *p, struct assay_error *e)
{
    char compared[640];
    snprintf(compared, sizeof compared, "%s against %s", p->path[1], p->path[0]);
    d->run.compared = stored_copy(d, compared);
    if (r->configuration) { /* floats without metrics need no session */
        add_text(d, TEXT, "configuration", r->configuration);
        add(d, TEXT, "backend", "%s", r->backend);
        add(d, INCIDENTAL, "device", "%s", r->device);
    }
    add_known(d, INCIDENTAL, "driver", r->driver);
    add(d, TEXT, "scored_format", "%s%s", p->format_name, p->alpha ? " with alpha" : "");
    for (unsigned side = 0; side < 2; side++) {
        add(d, INCIDENTAL, SIDE("file"), "%s", p->path[side]);
        if (p->bytes[side])
            add(d, NUMBER, SIDE("bytes"), "%llu", (unsigned long long)p->bytes[side]);
        add(d, TEXT, SIDE("reader"), "%s", p->reader[side]);
        add_known(d, TEXT, SIDE("crop"), r->crop[side]);
        add(d, TEXT, SIDE("color"), "%s", p->colour[side]);
    }
    return stored_lost(d, "the results", e);
}
