/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a request's fields. */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "host/colour_words.h"
#include "host/format.h"
#include "host/numbers.h"
#include "host/text.h"
#include "run/fields.h"

/* ---- values that are more than a number or a text ---------------------------------------------------------------- */

static int take_metric(const struct field_value *v)
{
    if (!*v->text)
        return assay_fail(v->e, ASSAY_EUSAGE, "a metric's name is missing");
    if (request_takes_all(v->q, v->text))
        return ASSAY_OK;
    if (v->q->metrics == REQUEST_METRICS)
        return assay_fail(v->e, ASSAY_EUSAGE, "more than %d metrics", REQUEST_METRICS);
    v->q->metric[v->q->metrics++] = v->text;
    return ASSAY_OK;
}

static int take_allow(const struct field_value *v)
{
    for (unsigned i = 0; i < ALLOWS; i++)
        if (!strcmp(v->text, allow_name[i]))
            v->q->allow[i] = true;
    return ASSAY_OK;
}

/* Whole numbers of at most five digits, each before a mark, the last one before the end: "x++" for WxH+X+Y. The first
 * two are not 0. */
static int take_numbers(const struct field_value *v, const char *form, const char *marks, uint32_t *const *number)
{
    const char *at = v->text;
    for (size_t i = 0, all = strlen(marks) + 1; i < all; i++, at++) {
        const size_t n = strspn(at, "0123456789");
        if (!n || at[n] != marks[i])
            return assay_fail(v->e, ASSAY_EUSAGE, "%s takes %s, not '%s'", v->what, form, v->text);
        const unsigned long side = n < 6 ? strtoul(at, NULL, 10) : ULONG_MAX;
        if (side > FORMAT_MAX_SIDE || (i < 2 && !side))
            return assay_fail(v->e, ASSAY_EUSAGE, "%s takes a whole number from %d to %d, not '%.*s'", v->what,
                              i < 2, FORMAT_MAX_SIDE, (int)n, at);
        *number[i] = (uint32_t)side;
        at += n;
    }
    return ASSAY_OK;
}

static int take_size(const struct field_value *v)
{
    uint32_t *const number[] = {&v->q->config.scale_width, &v->q->config.scale_height};
    v->q->scale_ref = !strcmp(v->text, "distorted");
    return v->q->scale_ref || !strcmp(v->text, "reference")
        ? ASSAY_OK : take_numbers(v, "'reference', 'distorted' or WxH", "x", number);
}

static int take_tile(const struct field_value *v)
{
    uint32_t *const number[] = {&v->q->config.tile_width, &v->q->config.tile_height};
    return take_numbers(v, "WxH", "x", number);
}

static int take_crop(const struct field_value *v)
{
    struct input_crop part;
    uint32_t *const number[] = {&part.width, &part.height, &part.left, &part.top};
    TRY(take_numbers(v, "WxH+X+Y", "x++", number));
    v->q->crop[v->side] = part;
    return ASSAY_OK;
}

static int take_colour(const struct field_value *v)
{
    v->q->colour[v->side] = v->text;
    return colour_words_check(v->what, v->text, v->e);
}

static int take_raw_format(const struct field_value *v)
{
    return input_raw_format(&v->q->raw[v->side], v->what, v->text, v->e);
}

static int take_tolerance(const struct field_value *v, unsigned which)
{
    double *to = &v->q->tolerance[which];
    if (!parse_number(v->text, to) || !(*to >= 0) || *to - *to != 0)
        return assay_fail(v->e, ASSAY_EUSAGE, "%s takes a number from 0 on, not '%s'", v->what, v->text);
    v->q->tolerances = true;
    return ASSAY_OK;
}

static int take_absolute(const struct field_value *v) { return take_tolerance(v, 0); }
static int take_relative(const struct field_value *v) { return take_tolerance(v, 1); }

/* The name of an encode is no part of what is computed. */
static int take_name(const struct field_value *v)
{
    return v->side && *v->text
        ? ASSAY_OK : assay_fail(v->e, ASSAY_EUSAGE, "%s is that of an encode, and not empty", v->what);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

#define AT(field) .offset = offsetof(struct request, field)
#define OF_SIDE(field) .of_sides = true, .offset = offsetof(struct request, field[0]), \
    .stride = sizeof ((struct request *)0)->field[0]
#define OF_BOTH(function) .of_sides = true, .call = function
#define OF_RAW(field) .of_sides = true, .offset = offsetof(struct request, raw[0].field), \
    .stride = sizeof(struct input_options)
#define FRAMES_MOST UINT64_C(999999999999999) /* cJSON writes 15 digits of a number */

static const struct field fields[] = {
    {"file", "the path of a video, an image or raw pictures", TAKE_TEXT, OF_SIDE(path),
     .option = {"reference", "distorted"}, .letter = {'r', 'd'}, .argument = "FILE"},
    {"name", "what reports call an encode", TAKE_CALL, OF_BOTH(take_name),
     .fallback = "that of the file, without its folder and ending", .option = {NULL, "name"}, .argument = "NAME"},
    {"format", "whether the file has a header (\"coded\") or is raw", TAKE_WORD, OF_SIDE(form),
     .words = "auto, coded, raw", .fallback = "raw where raw is given, else auto, which looks",
     .option = {"ref-format", "dis-format"}, .argument = "auto|coded|raw"},
    {"skip", "frames that are left out in front", TAKE_U64, OF_SIDE(skip), .most = FRAMES_MOST, .fallback = "0",
     .moment = true, .option = {"skip-ref", "skip-dis"}, .also = {"frame-skip-ref", "frame-skip-dist"},
     .argument = "N|TIME"},
    {"crop", "the part of the pictures that is compared, WxH+X+Y", TAKE_CALL, OF_BOTH(take_crop),
     .fallback = "the whole", .option = {"crop-ref", "crop-dis"}, .argument = "WxH+X+Y"},
    {"colour", "what the colours are, \"bt2020-pq,limited\"", TAKE_CALL, OF_BOTH(take_colour), .fallback = "as tagged",
     .option = {"ref-colour", "dis-colour"}, .argument = "WORDS"},
    {"raw.width", "columns of raw pictures", TAKE_U32, OF_RAW(width), .least = 1, .most = 65535, .option = {"width"},
     .letter = {'w'}, .argument = "N"},
    {"raw.height", "rows of raw pictures", TAKE_U32, OF_RAW(height), .least = 1, .most = 65535, .option = {"height"},
     .letter = {'h'}, .argument = "N"},
    {"raw.pixel_format", "of raw pictures, \"yuv420p10le\"", TAKE_CALL, OF_BOTH(take_raw_format),
     .option = {"pixel-format"}, .letter = {'p'}, .argument = "NAME"},
    {"raw.bit_depth", "of raw pictures whose pixel format states none", TAKE_U32, OF_RAW(bit_depth), .least = 8,
     .most = 16, .option = {"bitdepth"}, .letter = {'b'}, .argument = "N"},
    {"compare", "frames of videos, or pictures with their colours, alpha and floats, as assay image takes them",
     TAKE_WORD, AT(compare), .words = "frames, pictures", .fallback = "frames"},
    {"assume", "colour of images that say otherwise, for metrics of colour", TAKE_WORD, AT(assume_srgb), .least = 1,
     .words = "srgb", .fallback = "as tagged", .option = {"assume"}, .argument = "srgb"},
    {"metrics", "metrics with their options, \"all\", or \"everything\": slow ones, too", TAKE_LIST,
     .call = take_metric, .section = "Metrics",
     .fallback = "vmaf, psnr and float_ms_ssim, as far as the pictures allow them; of assay image psnr and diff, of "
                 "assay parity all",
     .option = {"metric"}, .also = {"metrics"}, .letter = {'m'}, .argument = "LIST"},
    {"pair", "by what frames are paired", TAKE_WORD, AT(pair_by), .words = "number, time", .fallback = "number",
     .option = {"pair"}, .argument = "number|time"},
    {"first", "the first pair that is scored", TAKE_U64, AT(first), .most = FRAMES_MOST, .fallback = "0",
     .moment = true, .option = {"first"}, .argument = "N|TIME"},
    {"frames", "how many pairs are scored at most", TAKE_U64, AT(frames), .least = 1, .most = FRAMES_MOST,
     .fallback = "all", .moment = true, .option = {"frames"}, .also = {"frame-cnt"}, .letter = {'n'},
     .argument = "N|TIME"},
    {"every", "pairs whose number is a multiple of it are scored", TAKE_U64, AT(every), .least = 1,
     .most = FRAMES_MOST, .fallback = "1", .option = {"every"}, .also = {"subsample"}, .argument = "N"},
    {"allow", "differences between the sides that are not refused", TAKE_LIST, .call = take_allow,
     .words = "size, length, rate, range, depth, format, sar, field-order, rotation, colour, alpha, damage, playlist",
     .fallback = "none"},
    {"scale.filter", "by which pictures of another size are scaled", TAKE_TEXT, AT(config.scale),
     .words = "bicubic, lanczos, bilinear, spline", .fallback = "none: sizes are equal", .option = {"scale"},
     .argument = "FILTER"},
    {"scale.to", "the size that is compared, \"reference\", \"distorted\" or WxH", TAKE_CALL, .call = take_size,
     .fallback = "reference"},
    {"scale.siting", "where chroma lies when it is scaled", TAKE_WORD, AT(config.scale_siting), .words = "centre, tag",
     .fallback = "centre", .option = {"scale-siting"}, .argument = "centre|tag"},
    {"tolerance.absolute", "of floats: pixels beyond this and the relative one are counted (beyond_tolerance)",
     TAKE_CALL, .call = take_absolute, .section = "Results", .fallback = "none", .option = {"abs-tolerance"},
     .argument = "A"},
    {"tolerance.relative", "of floats: of the larger one of two samples", TAKE_CALL, .call = take_relative,
     .section = "Results", .fallback = "none", .option = {"rel-tolerance"}, .argument = "R"},
    {"rgb_matrix", "by which metrics of luma take RGB", TAKE_TEXT, AT(config.rgb_matrix), .words = "bt709, bt601",
     .fallback = "none: they refuse it", .unchecked = true, .option = {"matrix"}, .argument = "bt709|bt601"},
    {"rgb_range", "of the luma that is made of RGB", TAKE_WORD, AT(config.rgb_range), .least = ASSAY_RANGE_LIMITED,
     .words = "limited, full", .fallback = "full", .option = {"range"}, .argument = "limited|full"},
    {"device.backend", "what computes", TAKE_TEXT, AT(config.backend), .section = "Machine",
     .words = "cpu, cuda, vulkan, opengl, sycl, auto", .fallback = "cpu", .unchecked = true, .option = {"backend"},
     .argument = "NAME"},
    {"device.name", "number, part of a name, \"0,2\" or \"all\"", TAKE_TEXT, AT(config.device), .section = "Machine",
     .fallback = "the first", .option = {"device"}, .argument = "N|NAME|N,N|all"},
    {"device.threads", "threads of the CPU that compute", TAKE_U32, AT(config.threads), .section = "Machine",
     .least = 1, .most = 1024, .fallback = "one for each processor", .option = {"threads"}, .letter = {'t'},
     .argument = "N"},
    {"device.cpu", "the instruction set of the CPU", TAKE_TEXT, AT(config.cpu_level), .section = "Machine",
     .words = "scalar, sse4, avx2, avx512, avx512vnni, neon", .fallback = "the best one", .unchecked = true,
     .option = {"cpu"}, .argument = "LEVEL"},
    {"device.hwdec", "where videos are decoded", TAKE_WORD, AT(hwdec), .section = "Machine",
     .words = "off, auto, cuda", .fallback = "off", .option = {"hwdec"}, .argument = "off|auto|cuda"},
    {"device.in_flight", "pairs that are read and scored at once", TAKE_U32, AT(config.frames_in_flight),
     .section = "Machine", .least = 1, .most = 256, .fallback = "as many as keep the device busy",
     .option = {"in-flight"}, .argument = "N"},
    {"device.tile", "the pieces that a frame is cut into, WxH", TAKE_CALL, .section = "Machine", .call = take_tile,
     .option = {"tile"}, .argument = "WxH"},
    {"device.strip", "rows that a CPU takes through all passes at once", TAKE_U32, AT(config.strip_height),
     .section = "Machine", .least = 1, .most = 65535, .fallback = "as few as keep every thread busy",
     .option = {"strip"}, .argument = "ROWS"},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };
_Static_assert(sizeof fields / sizeof fields[0] <= FIELDS_MOST, "FIELDS_MOST says how many fields there may be");

const char *const field_allow[ALLOWS] = {
    [ALLOW_SIZE] = "pictures of other sizes: their common part is compared",
    [ALLOW_LENGTH] = "another number of frames: those that both have",
    [ALLOW_RATE] = "other frame rates: frames are paired by number",
    [ALLOW_RANGE] = "limited and full range: codes as they are",
    [ALLOW_COLOUR] = "other colours: metrics of codes, and cvvdp, take them as they are",
    [ALLOW_DEPTH] = "other bit depths: brought to the larger one",
    [ALLOW_ALPHA] = "alpha of one side alone",
    [ALLOW_FORMAT] = "other chroma formats: luma alone",
    [ALLOW_SAR] = "other sample aspect ratios",
    [ALLOW_FIELD_ORDER] = "other field orders",
    [ALLOW_ROTATION] = "other rotations",
    [ALLOW_DAMAGE] = "pictures that the decoder says are damaged",
    [ALLOW_PLAYLIST] = "inputs that name other files, as HLS does",
    [ALLOW_UNPAIRED] = "images that one of two folders has alone",
};

const struct field *field_at(uint32_t index)
{
    return index < FIELDS ? &fields[index] : NULL;
}

const struct field *field_find(const char *name, bool of_sides)
{
    for (unsigned i = 0; i < FIELDS; i++)
        if (fields[i].of_sides == of_sides && !strcmp(fields[i].name, name))
            return &fields[i];
    return NULL;
}

int assay_request_field(uint32_t index, assay_field *field)
{
    const struct field *f = field_at(index);
    if (!f || !field)
        return ASSAY_EUSAGE;
    const bool integer = f->how == TAKE_U32 || f->how == TAKE_U64;
    *field = (assay_field){.name = f->name, .help = f->help, .words = f->words, .fallback = f->fallback,
                           .type = f->how == TAKE_LIST ? "list" : integer ? "integer" : "text",
                           .of_sides = f->of_sides, .least = integer ? f->least : 0, .most = f->most};
    return ASSAY_OK;
}

/* ---- a value ----------------------------------------------------------------------------------------------------- */

static void *place(const struct field *f, const struct request *q, unsigned side)
{
    return (char *)q + f->offset + side * f->stride;
}

uint64_t field_get(const struct field *f, const struct request *q, unsigned side)
{
    const void *at = place(f, q, side);
    return f->how == TAKE_U32 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

void field_put(const struct field *f, struct request *q, unsigned side, uint64_t number)
{
    if (f->how == TAKE_U32)
        *(uint32_t *)place(f, q, side) = (uint32_t)number;
    else
        *(uint64_t *)place(f, q, side) = number;
}

static int take_number(const struct field *f, struct request *q, unsigned side, const char *what, const char *text,
                       struct assay_error *e)
{
    const size_t n = strlen(text);
    const bool digits = n && n < 18 && strspn(text, "0123456789") == n;
    const uint64_t number = digits ? strtoull(text, NULL, 10) : UINT64_MAX;
    if (!digits || number < f->least || number > f->most)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes a whole number from %llu to %llu, not '%s'", what,
                          (unsigned long long)f->least, (unsigned long long)f->most, text);
    field_put(f, q, side, number);
    return ASSAY_OK;
}

int field_take(const struct field *f, struct request *q, unsigned side, const char *what, const char *text,
               bool checked, struct assay_error *e)
{
    const int word = f->words && checked ? text_word(f->words, text) : 0;
    if (word < 0)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes %s, not '%s'", what, f->words, text);
    switch (f->how) {
    case TAKE_TEXT: *(const char **)place(f, q, side) = text; return ASSAY_OK;
    case TAKE_WORD: *(int *)place(f, q, side) = (int)f->least + word; return ASSAY_OK;
    case TAKE_U32: case TAKE_U64: return take_number(f, q, side, what, text, e);
    default: return f->call(&(struct field_value){q, side, what, text, e});
    }
}
