/* SPDX-License-Identifier: BSD-2-Clause */
/* The two inputs of a run: opened, brought to one format by exact copies, and read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/pair.h"
#include "host/colour_words.h"
#include "host/format.h"
#include "host/int128.h"
#include "host/text.h"
#include "input/stream.h"
#include "results/shard.h"
#include "run/differences.h"

/* ---- a part of a side's pictures, in place of the whole ---------------------------------------------------------- */

const char *const crop_name[2] = {"--crop-ref", "--crop-dis"};

int crop_apply(struct input *in, const struct request *q, unsigned side, struct assay_error *e)
{
    return q->crop[side].width ? input_crop(in, &q->crop[side], crop_name[side], e) : ASSAY_OK;
}

void crop_text(char *text, size_t size, const struct input_crop *crop)
{
    snprintf(text, size, "%ux%u+%u+%u", crop->width, crop->height, crop->left, crop->top);
}

bool crop_advice(char *text, size_t size, const struct request *q, const struct pair *p)
{
    enum { BORDER = 100 }; /* a border is more than this part of the side; less is a padding to whole blocks */
    const assay_format *f[2] = {&p->source[0].format, &p->source[1].format};
    const bool ref = f[0]->width >= f[1]->width && f[0]->height >= f[1]->height;
    const unsigned larger = ref ? 0 : 1;
    const assay_format *a = f[larger], *b = f[1 - larger];
    const uint32_t x = format_chroma_shift_x(a), y = format_chroma_shift_y(a);
    struct input_crop part = {b->width, b->height, 0, 0}, wide;
    char crop[48];
    if (q->crop[larger].width || b->width > a->width || b->height > a->height)
        return false;
    if (a->width - b->width <= a->width / BORDER && a->height - b->height <= a->height / BORDER)
        return false;
    part.left = (a->width - b->width) / 2 >> x << x;
    part.top = (a->height - b->height) / 2 >> y << y;
    wide = part;
    input_crop_widen(a, &wide);
    if (wide.width != part.width || wide.height != part.height)
        return false;
    crop_text(crop, sizeof crop, &part);
    snprintf(text, size, "%s %s takes the middle of the %s, if the rest is a border", crop_name[larger], crop,
             larger ? "distorted" : "reference");
    return true;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

int pair_picture(struct picture *p, const assay_format *f, struct assay_error *e)
{
    void *memory = malloc(format_frame_bytes(f) + format_plane_bytes(f, 3));
    if (!memory)
        return assay_fail_memory(e, "a picture");
    p->plane[3] = format_place(f, memory, p->plane, p->stride);
    p->stride[3] = p->stride[0];
    return ASSAY_OK;
}

/* Names the first difference between the input's format and the session's, or NULL. */
static const char *conversion(const assay_format *from, const assay_format *to)
{
    return from->width != to->width || from->height != to->height ? "size"
         : from->layout != to->layout ? "pixel format"
         : from->bit_depth != to->bit_depth ? "bit depth" : NULL;
}

void pair_options(struct input_options *o, const struct request *q, unsigned side)
{
    static const enum input_form form[] = {[FORM_CODED] = INPUT_CODED, [FORM_RAW] = INPUT_RAW};
    *o = q->raw[side];
    o->form = q->form[side] != FORM_AUTO ? form[q->form[side]] : request_described(q, side) ? INPUT_EITHER
                                                                                            : INPUT_CODED;
    o->bit_depth = o->bit_depth ? o->bit_depth : o->named_depth;
    o->path = q->path[side];
    o->conceal = q->allow[ALLOW_DAMAGE];
    o->playlist = q->allow[ALLOW_PLAYLIST];
    o->any_aspect = q->allow[ALLOW_SAR];
    o->any_rotation = q->allow[ALLOW_ROTATION];
    o->stop = q->stop;
    o->decode_threads = q->decode_threads[side];
}

int pair_described(const struct request *q, const struct input *const *in, uint32_t inputs, struct assay_error *e)
{
    /* Of a ladder all inputs are looked at together. */
    bool raw = (!request_described(q, 0) && !request_described(q, 1)) || q->several;
    for (uint32_t i = 0; i < inputs; i++)
        raw = raw || !strcmp(in[i]->kind, "raw");
    return raw ? ASSAY_OK
               : assay_fail(e, ASSAY_EUSAGE, "-w, -h, -p and -b describe raw input, and %s inputs have headers "
                            "(--ref-format raw or --dis-format raw reads one as raw)", inputs > 2 ? "all" : "both");
}

static int open_side(struct pair *p, unsigned side, const struct request *q, const struct hwdec_facts *facts,
                     unsigned device, struct assay_error *e)
{
    struct input_options o;
    pair_options(&o, q, side);
    o.hwdec = *facts;
    o.cuda_device = device;
    TRY(side && p->early ? input_open_end(&p->early, &p->source[1].input, e)
                         : input_open(&p->source[side].input, &o, e));
    TRY(crop_apply(p->source[side].input, q, side, e));
    p->source[side].format = p->source[side].input->format;
    colour_words_state(&p->source[side].format, q->colour[side]);
    return ASSAY_OK;
}

void pair_open_early(struct pair *p, const struct request *q)
{
    struct input_options o;
    pair_options(&o, q, 1);
    p->early = q->hwdec == HWDEC_OFF && stream_file_bytes(o.path) >= 0 ? input_open_early(&o) : NULL;
}

/* Opens a side anew, to decode on the CPU, if it is decoded on the device but has to be converted. */
static int bring_home(struct pair *p, unsigned side, const struct request *q, struct hwdec_facts *facts,
                      struct assay_error *e)
{
    struct input **in = &p->source[side].input;
    char why[200], name[sizeof (*in)->name];
    facts->converted = conversion(&(*in)->format, pair_side(p, side));
    if (!(*in)->on_device || !facts->converted)
        return ASSAY_OK;
    snprintf(name, sizeof name, "%s", (*in)->name);
    if (hwdec_decide(facts, why, sizeof why) == HWDEC_IMPOSSIBLE)
        return assay_fail(e, ASSAY_EDEVICE, "%s: --hwdec cuda is not possible: %s", name, why);
    input_close(in);
    TRY(open_side(p, side, q, &(struct hwdec_facts){.wish = HWDEC_OFF}, 0, e));
    snprintf((*in)->decoding, sizeof (*in)->decoding, "decoded on the CPU: %s", why);
    return ASSAY_OK;
}

/* Sets the facts about decoding on the device that are known before a file is opened, and the device's number. */
static int hwdec_start(const struct request *q, struct hwdec_facts *facts, unsigned *device, struct assay_error *e)
{
    char why[512];
    unsigned devices = 1;
    if (q->allow[ALLOW_DAMAGE] && q->hwdec != HWDEC_OFF)
        return assay_fail(e, ASSAY_EUSAGE, "--allow-damage needs --hwdec off: the device does not say what is damaged");
    *device = 0;
    *facts = (struct hwdec_facts){.wish = q->hwdec, .backend = q->config.backend};
    if (hwdec_decide(facts, why, sizeof why) == HWDEC_ON_DEVICE) {
        const int rc = assay_find_device("cuda", q->config.device, &devices, device, why, sizeof why);
        if (rc)
            return assay_fail(e, rc, "%s", why);
        facts->several_devices = devices > 1;
    }
    if (hwdec_decide(facts, why, sizeof why) == HWDEC_IMPOSSIBLE)
        return assay_fail(e, ASSAY_EDEVICE, "--hwdec cuda is not possible: %s", why);
    return ASSAY_OK;
}

const assay_format *pair_side(const struct pair *p, unsigned side)
{
    return side ? &p->distorted : &p->format;
}

bool pair_scaled(const struct pair *p, unsigned side)
{
    const assay_format *f = pair_side(p, side);
    return f->width != p->width || f->height != p->height;
}

bool pair_like(const struct pair *a, const struct pair *b)
{
    return a->width == b->width && a->height == b->height && a->format.width == b->format.width &&
           a->format.height == b->format.height && a->format.layout == b->format.layout &&
           a->format.bit_depth == b->format.bit_depth;
}

void pair_configure(const struct pair *p, const struct request *q, assay_config *config)
{
    config->distorted = &p->distorted;
    if (config->scale) {
        config->scale_width = p->width;
        config->scale_height = p->height;
    }
    config->allow_colour |= q->allow[ALLOW_COLOUR] || p->overridden[ALLOW_RANGE];
}

int pair_open_reference(struct pair *p, const struct request *q, struct assay_error *e)
{
    memset(p, 0, sizeof *p);
    TRY(hwdec_start(q, &p->hwdec, &p->device, e));
    return open_side(p, 0, q, &p->hwdec, p->device, e);
}

int pair_open_encode(struct pair *p, const struct pair *reference, const struct request *q, struct assay_error *e)
{
    if (reference) {
        *p = (struct pair){.borrowed = true, .early = p->early, .hwdec = reference->hwdec, .device = reference->device};
        p->source[0].input = reference->source[0].input;
        p->source[0].format = reference->source[0].format;
    }
    return open_side(p, 1, q, &p->hwdec, p->device, e);
}

int pair_check_inputs(const struct input *const *in, uint32_t inputs, const struct request *q, struct assay_error *e)
{
    bool on_device = false;
    TRY(pair_described(q, in, inputs, e));
    for (uint32_t i = 0; i < inputs; i++)
        on_device = on_device || in[i]->on_device;
    if (q->hwdec == HWDEC_CUDA && !on_device)
        return assay_fail(e, ASSAY_EDEVICE, "--hwdec cuda is not possible: %s is a file that needs decoding",
                          inputs > 2 ? "none of them" : "neither of the two");
    return ASSAY_OK;
}

int pair_ready(struct pair *p, unsigned side, const struct request *q, struct assay_error *e)
{
    struct hwdec_facts facts = p->hwdec;
    TRY(bring_home(p, side, q, &facts, e));
    struct source *s = &p->source[side];
    TRY(recode_init(&s->recode, &s->format, pair_side(p, side), e));
    return s->recode.equal ? ASSAY_OK : pair_picture(&s->scratch, &s->format, e);
}

int pair_open(struct pair *p, const struct request *q, struct assay_error *e)
{
    TRY(pair_open_reference(p, q, e));
    TRY(pair_open_encode(p, NULL, q, e));
    TRY(pair_check_inputs((const struct input *[]){p->source[0].input, p->source[1].input}, 2, q, e));
    TRY(differences_check(p, q, e));
    for (unsigned side = 0; side < 2; side++)
        TRY(pair_ready(p, side, q, e));
    return ASSAY_OK;
}

int pair_ended(struct pair *p, const struct request *q, const int got[2], struct assay_error *e)
{
    const unsigned shorter = got[0] ? 1 : 0;
    if (!got[0] == !got[1])
        return ASSAY_OK;
    const struct input *ended = p->source[shorter].input, *longer = p->source[1 - shorter].input;
    const bool timed = q->pair_by == PAIR_TIME;
    char when[64] = "";
    if (timed)
        text_append(when, sizeof when, "%.3f s after its first frame", (double)p->paired.end[shorter] / 1e9);
    else
        snprintf(when, sizeof when, "after %" PRIu64 " frames", ended->index);
    if (!q->allow[ALLOW_LENGTH])
        return assay_fail(e, ASSAY_EMISMATCH, "%s ends %s, %s goes on (--allow-length takes the common %s)",
                          ended->name, when, longer->name, timed ? "time" : "ones");
    if (q->libvmaf && !timed) /* libvmaf's command has this line, too */
        snprintf(p->ending, sizeof p->ending, "\"%s\" ended before \"%s\".", ended->name, longer->name);
    else if (timed || !p->overridden[ALLOW_LENGTH])
        snprintf(p->ending, sizeof p->ending, "%s ends %s, %s goes on: the %s compared", ended->name, when,
                 longer->name, timed ? "time that both have is" : "frames that both have are");
    p->overridden[ALLOW_LENGTH] = true;
    return ASSAY_OK;
}

void pair_damage(struct pair *p, FILE *out)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct input *in = p->source[side].input;
        p->overridden[ALLOW_DAMAGE] |= in->damage.pictures > 0 || in->faults.count > 0 || in->changed;
        if (!out || (!side && p->encode)) /* that of a common reference once */
            continue;
        if (in->faults.count)
            fprintf(out, "damaged: %s: frames may be lost: %s (%" PRIu64 " fault%s of the container)\n", in->name,
                    in->faults.first, in->faults.count, in->faults.count == 1 ? "" : "s");
        if (in->changed)
            fprintf(out, "damaged: %s: changed while it was read, and its frames may be of two contents\n", in->name);
        if (in->damage.pictures)
            fprintf(out, "damaged: %s: %" PRIu64 " frames, scored as the decoder made them up: %s\n", in->name,
                    in->damage.pictures, in->damage.text);
    }
}

void pair_close(struct pair *p)
{
    if (p->early)
        input_open_end(&p->early, &p->source[1].input, NULL);
    for (unsigned side = p->borrowed; side < 2; side++) {
        free(p->source[side].scratch.plane[0]);
        p->source[side].scratch = (struct picture){0};
        recode_free(&p->source[side].recode);
        p->source[side].recode = (struct recode){0};
        if (p->source[side].input)
            input_close(&p->source[side].input);
    }
}

void pair_convert(const struct pair *p, unsigned side, const struct picture *picture, const assay_buffer *to)
{
    assay_picture from = {.release = NULL};
    for (unsigned i = 0; i < 4; i++) {
        from.plane[i] = picture->plane[i];
        from.stride[i] = picture->stride[i];
    }
    recode_picture(&p->source[side].recode, &from, to);
}

/* Copies a picture within the device, from the decoder's memory to the session's slot. `side` is the session's. */
static int read_on_device(struct source *s, unsigned side, assay_session *session, const assay_buffer *to,
                          struct picture_info *info, struct assay_error *e)
{
    assay_cuda_image picture;
    char why[512];
    const int got = input_read_device(s->input, &picture, info, e);
    const int rc = got > 0 ? assay_session_fill_gpu(session, side, to, &picture, why, sizeof why) : ASSAY_OK;
    return rc ? assay_fail(e, rc, "%s", why) : got;
}

/* The time at which a picture is shown, rounded to nanoseconds. SCORES_NO_TIME where the input states none. */
static int64_t time_of(const struct input *in, int64_t pts)
{
    const assay_i128 second = 1000000000, most = INT64_MAX;
    if (pts == INPUT_NO_TIME || !in->time_num || !in->time_den)
        return SCORES_NO_TIME;
    /* below 2^(63 + 32 + 30) */
    const assay_i128 twice = 2 * ((assay_i128)pts * in->time_num * second), den = in->time_den;
    const assay_i128 time = (twice + (pts < 0 ? -den : den)) / (2 * den);
    return time > most || time < -most ? SCORES_NO_TIME : (int64_t)time;
}

static void take_time(struct source *s, const struct picture_info *info, int64_t *time)
{
    const int64_t lasts = info->duration > 0 ? time_of(s->input, info->duration) : 0;
    *time = time_of(s->input, info->pts);
    s->lasts = lasts == SCORES_NO_TIME ? 0 : lasts;
}

int pair_finish(struct pair *p, unsigned side, const struct input_place *place, assay_session *session,
                assay_buffer *to, int64_t *time, struct assay_error *e)
{
    struct source *s = &p->source[side];
    struct picture_info info = {.pts = INPUT_NO_TIME, .lends = session && to->lends && s->recode.equal};
    struct picture picture;
    unsigned char *row = NULL; /* for planes that nothing reads */
    const unsigned number = side ? p->encode + 1 : 0; /* the session's */
    int rc;
    if (s->input->on_device) {
        rc = read_on_device(s, number, session, to, &info, e);
        if (time)
            *time = time_of(s->input, info.pts);
        return rc;
    }
    if (s->recode.equal && !input_passes_planes(s->input) && !(row = malloc(format_row_bytes(&s->input->format, 0))))
        return assay_fail_memory(e, "a picture");
    if (s->recode.equal)
        for (unsigned i = 0; i < 4; i++) {
            const bool read = i == 3 || !s->unread[i];
            picture.plane[i] = read ? to->plane[i] : row;
            picture.stride[i] = read ? to->stride[i] : 0;
        }
    rc = input_finish(s->input, place, s->recode.equal ? &picture : &s->scratch, &info, e);
    if (rc > 0 && !s->recode.equal)
        pair_convert(p, side, &s->scratch, to);
    if (rc > 0 && info.lent.release) {
        memcpy(to->plane, info.lent.plane, sizeof to->plane);
        memcpy(to->stride, info.lent.stride, sizeof to->stride);
        if (assay_session_lend(session, number, to, &info.lent))
            rc = assay_fail(e, ASSAY_EINTERNAL, "a picture can't be lent");
    }
    if (time)
        take_time(s, &info, time);
    free(row);
    return rc;
}

int pair_next(struct pair *p, unsigned side, const struct picture *to, int64_t *time, struct assay_error *e)
{
    struct source *s = &p->source[side];
    struct picture_info info = {.pts = INPUT_NO_TIME};
    const int got = input_read(s->input, to, &info, e);
    take_time(s, &info, time);
    return got;
}

int pair_read(struct pair *p, unsigned side, assay_buffer *to, int64_t *time, struct assay_error *e)
{
    struct input *in = p->source[side].input;
    struct input_place place;
    const int more = to ? input_begin(in, &place, e) : input_skip(in, e);
    return more == 1 && to ? pair_finish(p, side, &place, NULL, to, time, e) : more;
}

int pair_skip(struct input *in, uint64_t count, struct assay_error *e)
{
    const int rc = input_pass(in, count, e);
    if (!rc)
        return assay_fail(e, ASSAY_EINPUT, "%s ends before the %" PRIu64 " frames that are to be skipped", in->name,
                          count);
    return rc < 0 ? rc : ASSAY_OK;
}

uint64_t pair_frames(const struct pair *p, const struct request *q)
{
    uint64_t least = q->frames ? q->frames : UINT64_MAX;
    for (unsigned side = 0; side < 2; side++) {
        const struct input *in = p->source[side].input;
        const bool paces = !side || q->pair_by == PAIR_NUMBER; /* its frames are as many as the pairs */
        const int64_t n = !paces ? -1 : in->frames < 0 ? in->frames_hint : in->frames;
        const uint64_t before = q->skip[side] + q->first;
        const uint64_t left = n < 0 ? UINT64_MAX : (uint64_t)n > before ? (uint64_t)n - before : 0;
        least = left < least ? left : least;
    }
    return least == UINT64_MAX ? 0 : shard_scored(least, q->every);
}
