/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/differences.h"

#include <inttypes.h>
#include <string.h>

#include "host/colour.h"
#include "host/depth.h"
#include "host/text.h"
#include "run/align.h"

enum {
    NAME_SHOWN = 96,     /* bytes of a file's name in the message, at most: the message has to hold both names */
    LINE_NAME = 160,     /* the same in a line for a shell, which needs the whole name */
    RATE_APART = 4000,   /* 23.976 and 24 are 1/1000 apart. Names with two decimals (47.95, 23.98) are up to 1/4800 off.
                          * Rates in milliseconds or in reduced fractions (959/16, 19001/317) are up to 1/20000 off. */
    SHAPES_APART = 200,  /* display aspects of one picture at two sizes: sizes are rounded to whole samples */
    SIZES_APART = 100,   /* a cut or a padding changes a side by less, scaling by more */
};

/* The comparison of a pair. What is refused becomes the text of one message. */
struct comparison {
    struct pair *p;
    const struct request *q;
    const assay_format *a, *b; /* of the reference's file and of the encode's, with the colours that the user states */
    char text[900];
    char flags[200];
    bool scaled;  /* a difference in size has --scale, which its text names */
    bool no_flag; /* another difference has no option */
};

static const char codes_compared[] = "the codes are compared as they are";
static const char *const field_name[] = {"unknown", "progressive", "top field first", "bottom field first", "mixed"};

void pair_notice(struct pair *p, const char *format, ...)
{
    const size_t n = strlen(p->notices), start = n + (n > 0);
    if (start + 1 >= sizeof p->notices)
        return;
    TEXT_GIVEN(p->notices + start, sizeof p->notices - start, format);
    if (n)
        p->notices[n] = '\n';
}

static void refuse(struct comparison *r, const char *kind, const char *ref, const char *dis)
{
    text_append(r->text, sizeof r->text, "%s%s %s against %s", r->text[0] ? ", " : "", kind, ref, dis);
}

/* The name of a side in the message. Of a long name, only the end. */
static const char *shown(const struct pair *p, unsigned side)
{
    const char *name = p->source[side].input->name;
    const size_t n = strlen(name);
    const char *tail = name + (n > NAME_SHOWN ? n - NAME_SHOWN : 0);
    while ((*tail & 0xc0) == 0x80) /* not in the middle of a UTF-8 character */
        tail++;
    return tail;
}

/* A difference without a flag, and what the user can do about it. */
static void refuse_for_good(struct comparison *r, const char *kind, const char *ref, const char *dis,
                            const char *advice)
{
    refuse(r, kind, ref, dis);
    text_append(r->text, sizeof r->text, " (%s)", advice);
    r->no_flag = true;
}

/* What allows the differences, for the end of the message: all of them, or those that can be allowed. */
static void conclude(struct comparison *r)
{
    if (r->flags[0])
        text_append(r->text, sizeof r->text, "; %s:%s%s",
                    r->no_flag ? "for the other differences" : "to compare them all the same",
                    r->scaled ? " --scale bicubic" : "", r->flags);
}

/* A difference with a flag; ALLOWS: one that is not refused. `then` says what is made of the pair. */
static void differ(struct comparison *r, enum allow what, const char *kind, const char *ref, const char *dis,
                   const char *then)
{
    if (what == ALLOWS || r->q->allow[what]) {
        if (what != ALLOWS)
            r->p->overridden[what] = true;
        pair_notice(r->p, "%s %s against %s: %s", kind, ref, dis, then);
        return;
    }
    refuse(r, kind, ref, dis);
    char flag[32];
    snprintf(flag, sizeof flag, " --allow-%s", allow_name[what]);
    if (!strstr(r->flags, flag))
        text_append(r->flags, sizeof r->flags, "%s", flag);
}

/* Whether a and b are less than 1/parts of the smaller one apart. */
static bool close_to(uint64_t a, uint64_t b, unsigned parts)
{
    const uint64_t less = a < b ? a : b, more = a < b ? b : a;
    return more - less <= less / parts;
}

bool differences_same_rate(uint32_t an, uint32_t ad, uint32_t bn, uint32_t bd)
{
    return close_to((uint64_t)an * bd, (uint64_t)bn * ad, RATE_APART);
}

/* Width and height of a picture on a screen, both times one factor. The terms of the aspect ratio bound that factor. */
static void shown_shape(const assay_format *f, uint64_t shape[2])
{
    const bool known = f->sar_num && f->sar_den && f->sar_num < 65536 && f->sar_den < 65536;
    shape[0] = (uint64_t)f->width * (known ? f->sar_num : 1);
    shape[1] = (uint64_t)f->height * (known ? f->sar_den : 1);
}

/* Whether two pictures have one shape on a screen. Products are below 2^64: factors are below 2^32. */
static bool same_shape(const assay_format *a, const assay_format *b)
{
    uint64_t sa[2], sb[2];
    shown_shape(a, sa);
    shown_shape(b, sb);
    return close_to(sa[0] * sb[1], sb[0] * sa[1], SHAPES_APART);
}

/* Whether one picture looks like the other one at another size. */
static bool looks_scaled(const assay_format *a, const assay_format *b)
{
    return same_shape(a, b) &&
           !(close_to(a->width, b->width, SIZES_APART) && close_to(a->height, b->height, SIZES_APART));
}

/* Sets the size that is compared where pictures are scaled, and says what scaling does to their shapes. */
static void check_scale(struct comparison *r, bool turned, const char *ref, const char *dis)
{
    const assay_config *config = &r->q->config;
    const assay_format *to = r->q->scale_ref ? r->b : r->a;
    r->p->width = config->scale_width ? config->scale_width : to->width;
    r->p->height = config->scale_height ? config->scale_height : to->height;
    if (turned)
        refuse_for_good(r, "size", ref, dis, "one is turned on its side: turn it back first");
    else if (!same_shape(r->a, r->b))
        pair_notice(r->p, "size %s against %s: the pictures have two shapes, and scaling stretches one", ref, dis);
}

static void check_size(struct comparison *r)
{
    struct pair *p = r->p;
    const struct request *q = r->q;
    const assay_format *a = r->a, *b = r->b;
    char ref[32], dis[32], advice[96], crop[160];
    const bool turned = a->width == b->height && a->height == b->width && a->width != a->height,
               scales = !q->libvmaf; /* libvmaf's command has no --scale and no --crop-ref */
    snprintf(ref, sizeof ref, "%ux%u", a->width, a->height);
    snprintf(dis, sizeof dis, "%ux%u", b->width, b->height);
    if (q->config.scale) {
        check_scale(r, turned, ref, dis);
        return;
    }
    if (a->width == b->width && a->height == b->height)
        return;
    p->format.width = a->width < b->width ? a->width : b->width;
    p->format.height = a->height < b->height ? a->height : b->height;
    const bool scaled = looks_scaled(a, b);
    if (q->allow[ALLOW_SIZE] || !(turned || scaled)) {
        snprintf(advice, sizeof advice, "the common top left %ux%u is compared%s", p->format.width, p->format.height,
                 turned || scaled ? ", which shows different things" : "");
        differ(r, ALLOW_SIZE, "size", ref, dis, advice);
        const bool borders = scales && crop_advice(crop, sizeof crop, q, p);
        if (!q->allow[ALLOW_SIZE] && scales)
            text_append(r->text, sizeof r->text, " (%s%s--scale bicubic scales)", borders ? crop : "",
                        borders ? "; " : "");
    } else {
        snprintf(advice, sizeof advice, "%s", turned ? "one is turned on its side: turn it back first"
                 : scales ? "one is scaled: --scale bicubic brings it to the reference's size"
                          : "one is scaled: scale it to the size of the other one first");
        r->scaled = !turned && scales;
        refuse_for_good(r, "size", ref, dis, advice);
        r->no_flag = !r->scaled; /* the first difference */
    }
}

/* The line for a shell that makes of the side of RGB what the other side is. The matrices have ffmpeg's names. */
static void rgb_advice(char *text, size_t size, const struct comparison *r)
{
    const unsigned rgb = r->a->layout == ASSAY_LAYOUT_RGB ? 0 : 1;
    const assay_format *yuv = rgb ? r->a : r->b;
    const bool tagged = colour_matrix(yuv) != COLOUR_UNTAGGED;
    const int matrix = tagged ? colour_matrix(yuv) : MATRIX_601;
    const char *name = r->p->source[rgb].input->name;
    /* FFmpeg 7.1 makes limited range of full range at the end unless it is said there, too. */
    const char *const range = colour_range(yuv) == ASSAY_RANGE_FULL ? "pc" : "tv";
    char format[32];
    if (yuv->layout == ASSAY_LAYOUT_400 || matrix == COLOUR_UNKNOWN || strchr(name, '\'') || strlen(name) > LINE_NAME) {
        snprintf(text, size, "RGB has no plane in common with %s: convert one to the format of the other one first",
                 yuv->layout == ASSAY_LAYOUT_400 ? "grey" : "YUV");
        return;
    }
    snprintf(text, size, "RGB and YUV have no plane in common%s: ffmpeg -i '%s' -vf scale=out_color_matrix=%s:"
             "out_range=%s:flags=bicubic+accurate_rnd+full_chroma_inp+bitexact,format=%s -color_range %s -c:v ffv1 "
             "converted.mkv makes the file to compare instead", tagged ? "" : ", and no matrix is tagged, where ffmpeg "
             "takes bt601", name, colour_matrix_name[matrix], range, input_format_name(yuv, format), range);
}

static void check_samples(struct comparison *r)
{
    const assay_format *a = r->a, *b = r->b;
    char ref[32], dis[32], advice[560];
    if (a->layout != b->layout) {
        input_format_name(a, ref);
        input_format_name(b, dis);
        if (a->layout == ASSAY_LAYOUT_RGB || b->layout == ASSAY_LAYOUT_RGB) {
            rgb_advice(advice, sizeof advice, r);
            refuse_for_good(r, "pixel format", ref, dis, advice);
        } else {
            differ(r, ALLOW_FORMAT, "pixel format", ref, dis, "only luma is compared");
        }
        r->p->format.layout = ASSAY_LAYOUT_400;
    }
    if (a->bit_depth != b->bit_depth) {
        snprintf(ref, sizeof ref, "%u bits", a->bit_depth);
        snprintf(dis, sizeof dis, "%u bits", b->bit_depth);
        differ(r, ALLOW_DEPTH, "bit depth", ref, dis,
               depth_rule(colour_range(a->bit_depth < b->bit_depth ? a : b) == ASSAY_RANGE_FULL));
        r->p->format.bit_depth = a->bit_depth > b->bit_depth ? a->bit_depth : b->bit_depth;
    }
    if (a->alpha != b->alpha)
        differ(r, ALLOW_ALPHA, "alpha", a->alpha ? "there" : "none", b->alpha ? "there" : "none",
               "the picture without alpha is opaque");
}

/* ---- colour ------------------------------------------------------------------------------------------------------ */

/* Whether codes are compared: a metric of codes is asked for by name or by default, or by `-m all`, which leaves them
 * out where two colours differ without --allow-colour. */
static bool asks_for_codes(const struct comparison *r)
{
    const struct request *q = r->q;
    bool allowed = q->all_metrics;
    if (request_names(q, false))
        return true;
    for (enum colour_kind kind = 0; kind < COLOUR_SITING; kind++)
        allowed = allowed && (q->allow[ALLOW_COLOUR] || !colour_differs(r->a, r->b, kind));
    return allowed || (!q->metrics && !q->all_metrics);
}

/* Whether the default for a missing tag is what the other side's tag says (docs/colour.md). */
static bool taken_alike(const assay_format *other, enum colour_kind kind)
{
    return kind == COLOUR_MATRIX      ? colour_matrix(other) == MATRIX_709
           : kind == COLOUR_RANGE     ? colour_range(other) == ASSAY_RANGE_LIMITED
           : kind == COLOUR_TRANSFER  ? colour_transfer(other) == (other->layout == ASSAY_LAYOUT_RGB ? TRANSFER_SRGB
                                                                                                     : TRANSFER_1886)
                                      : colour_primaries(other) == PRIMARIES_709;
}

/* The tags of colour that only one side has. */
static void note_untagged(const struct comparison *r)
{
    const assay_format *const f[2] = {r->a, r->b};
    for (unsigned side = 0; side < 2; side++) {
        char missing[64] = "", there[96] = "", text[COLOUR_NAME];
        for (enum colour_kind kind = 0; kind < COLOUR_SITING; kind++) {
            if (!colour_has(f[side], kind) || colour_tagged(f[side], kind) || !colour_tagged(f[1 - side], kind) ||
                taken_alike(f[1 - side], kind))
                continue;
            text_append(missing, sizeof missing, "%s%s", missing[0] ? ", " : "", colour_kind_name[kind]);
            text_append(there, sizeof there, "%s%s", there[0] ? ", " : "", colour_name(f[1 - side], kind, text));
        }
        if (missing[0])
            pair_notice(r->p, "%s is not tagged with %s, the %s is (%s): %s", shown(r->p, side), missing,
                        side ? "reference" : "distorted one", there, codes_compared);
    }
}

/* Compares the colours that the two sides are tagged with. Metrics of colour convert each side from its own colour, and
 * report that themselves. */
static void check_colour(struct comparison *r)
{
    const assay_format *a = r->a, *b = r->b;
    char ref[COLOUR_NAME], dis[COLOUR_NAME];
    if (!asks_for_codes(r) || (a->layout == ASSAY_LAYOUT_RGB) != (b->layout == ASSAY_LAYOUT_RGB))
        return;
    for (enum colour_kind kind = 0; kind < COLOUR_KINDS; kind++) {
        if (!colour_differs(a, b, kind))
            continue;
        const char *left = colour_name(a, kind, ref), *right = colour_name(b, kind, dis);
        if (kind == COLOUR_SITING && r->q->config.scale_siting == ASSAY_SCALE_TAG &&
            (pair_scaled(r->p, 0) || pair_scaled(r->p, 1)))
            continue; /* scaling brings both to one siting */
        differ(r, kind == COLOUR_SITING ? ALLOWS
               : kind == COLOUR_RANGE && !r->q->allow[ALLOW_COLOUR] ? ALLOW_RANGE : ALLOW_COLOUR,
               colour_kind_name[kind], left, right, codes_compared);
    }
    note_untagged(r);
}

/* ---- time and shape ---------------------------------------------------------------------------------------------- */

/* A rate as a rounded decimal and as the exact fraction: "23.976 fps (24000/1001)". */
static void rate_text(char *text, size_t size, uint32_t num, uint32_t den)
{
    const uint64_t thousandths = ((uint64_t)num * 1000 + den / 2) / den;
    snprintf(text, size, "%" PRIu64 ".%03u fps (%u/%u)", thousandths / 1000, (unsigned)(thousandths % 1000), num, den);
}

static void check_rate(struct comparison *r)
{
    const assay_format *a = r->a, *b = r->b;
    char ref[64], dis[64];
    if (!a->rate_den || !b->rate_den || differences_same_rate(a->rate_num, a->rate_den, b->rate_num, b->rate_den))
        return;
    rate_text(ref, sizeof ref, a->rate_num, a->rate_den);
    rate_text(dis, sizeof dis, b->rate_num, b->rate_den);
    const bool timed = r->q->pair_by == PAIR_TIME;
    differ(r, timed ? ALLOWS : ALLOW_RATE, "frame rate", ref, dis,
           timed ? "frames are paired by time" : "frames are paired by number");
    if (!timed && !r->q->allow[ALLOW_RATE] && r->q->may_pair)
        text_append(r->text, sizeof r->text, " (or --pair time)");
}

static const char length_allowed[] = "the frames that both have are compared";

/* Compares the lengths of the two files, where both state them exactly, within the pictures that this run reads. */
static void check_length(struct comparison *r)
{
    const struct request *q = r->q;
    const uint64_t asked = q->frames ? q->first + q->frames : UINT64_MAX;
    uint64_t left[2], read[2];
    char text[2][48];
    for (unsigned side = 0; side < 2; side++) {
        const int64_t frames = r->p->source[side].input->frames;
        if (frames < 0 || (uint64_t)frames <= q->skip[side] + q->first)
            return; /* reading says what is wrong, if anything is */
        left[side] = (uint64_t)frames - q->skip[side];
        read[side] = left[side] < asked ? left[side] : asked;
        snprintf(text[side], sizeof text[side], "%" PRIu64 " frames%s", left[side],
                 q->skip[side] ? " after those left out" : "");
    }
    if (read[0] != read[1]) {
        char shift[ALIGN_SHIFT];
        differ(r, ALLOW_LENGTH, "length", text[0], text[1], length_allowed);
        if (!q->allow[ALLOW_LENGTH] && align_shift(q, UINT64_MAX, shift))
            text_append(r->text, sizeof r->text, " (%s)", shift);
    } else if (left[0] != left[1] && q->allow[ALLOW_LENGTH]) /* all parts of a run say the same */
        pair_notice(r->p, "length %s against %s: %s", text[0], text[1], length_allowed);
}

/* An aspect ratio that is not stated counts as 1:1, the shape of samples that every player takes then. */
static void check_aspect(struct comparison *r)
{
    char text[2][48];
    uint64_t num[2], den[2];
    bool stated = true;
    for (unsigned side = 0; side < 2; side++) {
        const assay_format *f = side ? r->b : r->a;
        const bool known = f->sar_num && f->sar_den;
        stated = stated && known;
        num[side] = known ? f->sar_num : 1;
        den[side] = known ? f->sar_den : 1;
        snprintf(text[side], sizeof text[side], known ? "%u:%u" : "not stated", f->sar_num, f->sar_den);
    }
    /* Scaling gives pictures of one shape on a screen one shape of samples. */
    const bool alike = (r->q->config.scale || r->scaled) && same_shape(r->a, r->b);
    if (!alike && num[0] * den[1] != num[1] * den[0])
        differ(r, stated ? ALLOW_SAR : ALLOWS, "sample aspect ratio", text[0], text[1],
               "the samples are compared as they are");
}

static void check_field_order(struct comparison *r)
{
    const assay_field_order a = r->a->field_order, b = r->b->field_order;
    const bool stated = a && b;
    if (a != b && (stated || (a ? a : b) != ASSAY_FIELD_PROGRESSIVE))
        differ(r, stated ? ALLOW_FIELD_ORDER : ALLOWS, "field order", field_name[a], field_name[b],
               "the frames are compared as they are");
}

static void check_rotation(struct comparison *r)
{
    char text[2][48];
    for (unsigned side = 0; side < 2; side++) {
        const struct input *in = r->p->source[side].input;
        snprintf(text[side], sizeof text[side], "%d degrees%s", in->rotation, in->mirrored ? " and mirrored" : "");
    }
    if (strcmp(text[0], text[1]))
        differ(r, ALLOW_ROTATION, "rotation", text[0], text[1], "the pictures are compared as they are stored");
}

/* Notes what the files say of how a player shows the decoded pictures. No score depends on it. */
static void note_display(struct pair *p)
{
    static const char *const word[INPUT_DISPLAYS] = {"mastering display", "content light", "dynamic HDR", "view"};
    const struct input *a = p->source[0].input, *b = p->source[1].input;
    for (unsigned i = 0; i < INPUT_DISPLAYS; i++)
        if (strcmp(a->display[i], b->display[i]))
            pair_notice(p, "%s %s against %s: no score depends on it", word[i],
                        a->display[i][0] ? a->display[i] : "not stated",
                        b->display[i][0] ? b->display[i] : "not stated");
}

/* Numbered pictures are paired in order, whatever their numbers are. */
static void note_numbers(struct pair *p)
{
    const struct input *a = p->source[0].input, *b = p->source[1].input;
    if (a->numbered && b->numbered && a->first_number != b->first_number)
        pair_notice(p, "the numbers of the pictures begin at %u against %u: they are paired in order", a->first_number,
                    b->first_number);
}

int differences_check(struct pair *p, const struct request *q, struct assay_error *e)
{
    struct comparison r = {.p = p, .q = q, .a = &p->source[0].format, .b = &p->source[1].format};
    p->format = p->source[0].format;
    p->distorted = p->source[1].format;
    const assay_format *paced = q->pair_by == PAIR_TIME ? &p->format : &p->distorted; /* pairs have its rate */
    p->distorted.rate_num = paced->rate_num;
    p->distorted.rate_den = paced->rate_den;
    check_size(&r);
    check_samples(&r);
    if (q->config.rgb_matrix && p->format.layout != ASSAY_LAYOUT_RGB)
        pair_notice(p, "--matrix %s is for RGB, and changes nothing of these pictures", q->config.rgb_matrix);
    check_colour(&r);
    check_rate(&r);
    if (q->pair_by != PAIR_TIME) /* by time the numbers of frames say nothing */
        check_length(&r);
    check_aspect(&r);
    check_field_order(&r);
    check_rotation(&r);
    note_display(p);
    note_numbers(p);
    if (!q->config.scale) {
        p->distorted.width = p->width = p->format.width;
        p->distorted.height = p->height = p->format.height;
    }
    p->distorted.layout = p->format.layout;
    p->distorted.bit_depth = p->format.bit_depth;
    if (!r.text[0])
        return ASSAY_OK;
    conclude(&r);
    return assay_fail(e, ASSAY_EMISMATCH, "%s and %s differ: %s", shown(p, 0), shown(p, 1), r.text);
}
