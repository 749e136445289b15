/* SPDX-License-Identifier: BSD-2-Clause */
/* The signatures of both sides, each read by a thread of its own; and a second look at a pair that seems shifted. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "host/text.h"
#include "host/thread.h"
#include "input/stream.h"
#include "run/align.h"

struct side {
    unsigned number;
    struct align_look *to;
    struct input *input;
    int rc;
    struct input_stop *stop;
    int *failed; /* of both sides: 1 + the number of the side that failed first; atomic */
    struct assay_error error;
};

static int read_frames(struct side *s, void *luma, void *row, struct assay_error *e)
{
    struct input *in = s->input;
    struct signatures *signatures = &s->to->signatures[s->number];
    const uint64_t skip = s->to->window.skip[s->number], frames = s->to->window.frames;
    const assay_format *f = &in->format;
    const unsigned at = f->layout == ASSAY_LAYOUT_RGB ? 1 : 0; /* green is the most of luma */
    const ptrdiff_t stride = (ptrdiff_t)format_row_bytes(f, at);
    struct picture picture;
    for (unsigned i = 0; i < 4; i++) {
        picture.plane[i] = i == at ? luma : input_passes_planes(in) ? NULL : row;
        picture.stride[i] = i == at ? stride : 0;
    }
    int got = 1;
    TRY(pair_skip(in, skip, e));
    for (uint64_t n = 0; got == 1 && (!frames || n < frames); n++) {
        got = input_read(in, &picture, NULL, e);
        struct signature *to = got == 1 ? signatures_add(signatures, e) : NULL;
        if (got == 1 && !to)
            return ASSAY_EINTERNAL;
        if (to)
            signature_make(to, luma, stride, f->width, f->height, f->bit_depth);
        if (input_stopped(s->stop) || __atomic_load_n(s->failed, __ATOMIC_RELAXED))
            return ASSAY_OK;
    }
    s->to->whole[s->number] = got == 0;
    s->to->frames[s->number] = got == 0 ? (int64_t)(skip + signatures->frames) : in->frames;
    return got < 0 ? got : input_unchanged(in, e);
}

static void *read_side(void *opaque)
{
    struct side *s = opaque;
    const assay_format *f = &s->input->format;
    void *luma = malloc(format_plane_bytes(f, 0)), *row = malloc(format_row_bytes(f, 0)); /* the longest */
    s->rc = luma && row ? read_frames(s, luma, row, &s->error) : assay_fail_memory(&s->error, "a picture");
    if (s->rc) { /* the other side may be a pipe that waits */
        int none = 0;
        __atomic_compare_exchange_n(s->failed, &none, (int)s->number + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        input_abandon(s->stop, true);
    }
    free(luma);
    free(row);
    return NULL;
}

static int read_both(struct side side[2], struct assay_error *e)
{
    int failed = 0;
    pthread_t thread;
    side[0].failed = side[1].failed = &failed;
    if (thread_start(&thread, read_side, &side[0]))
        return assay_fail(e, ASSAY_EINTERNAL, "a thread can't be started");
    read_side(&side[1]);
    pthread_join(thread, NULL);
    input_abandon(side[0].stop, false);
    if (input_stopped(side[0].stop))
        return assay_fail(e, ASSAY_EINPUT, "%s was not read to its end: it was stopped", side[0].input->name);
    return failed ? assay_fail(e, side[failed - 1].rc, "%s", side[failed - 1].error.text) : ASSAY_OK;
}

static int open_and_read(struct side side[2], struct align_look *a, const struct request *q, struct assay_error *e)
{
    for (unsigned i = 0; i < 2; i++) {
        struct input_options o;
        side[i] = (struct side){.number = i, .to = a, .stop = q->stop};
        pair_options(&o, q, i);
        o.any_aspect = o.any_rotation = true; /* signatures are of the samples as they are stored */
        TRY(input_open(&side[i].input, &o, e));
        TRY(crop_apply(side[i].input, q, i, e));
        memcpy(a->name[i], side[i].input->name, sizeof a->name[i]);
    }
    TRY(pair_described(q, (const struct input *[]){side[0].input, side[1].input}, 2, e));
    return read_both(side, e);
}

int align_look(struct align_look *a, const struct request *q, const struct align_window *w, struct assay_error *e)
{
    struct side side[2] = {{0}};
    *a = (struct align_look){.window = *w};
    int rc = open_and_read(side, a, q, e);
    for (unsigned i = 0; i < 2; i++)
        if (side[i].input)
            input_close(&side[i].input);
    rc = rc ? rc : align_find(&a->found, &a->signatures[0], &a->signatures[1], w->search, e);
    if (rc)
        align_look_free(a);
    return rc;
}

void align_look_free(struct align_look *a)
{
    for (unsigned i = 0; i < 2; i++)
        signatures_free(&a->signatures[i]);
    align_free(&a->found);
}

/* ---- a pair that seems shifted ----------------------------------------------------------------------------------- */

void align_skips(const uint64_t from[2], int64_t offset, uint64_t skip[2])
{
    skip[0] = from[0] + (offset < 0 ? (uint64_t)-offset : 0);
    skip[1] = from[1] + (offset > 0 ? (uint64_t)offset : 0);
}

const char *align_options(const uint64_t skip[2], char *text)
{
    char part[2][40] = {"", ""};
    if (skip[0])
        snprintf(part[0], sizeof part[0], "--skip-ref %" PRIu64, skip[0]);
    if (skip[1])
        snprintf(part[1], sizeof part[1], "--skip-dis %" PRIu64, skip[1]);
    snprintf(text, ALIGN_TEXT, "%s%s%s", part[0], skip[0] && skip[1] ? " " : "", part[1]);
    return text;
}

/* Whether scoring with these options may end at a difference in length. */
static bool lengths_differ(const struct request *q, const struct align_look *a, const uint64_t skip[2])
{
    const uint64_t asked = q->may_pair && q->frames ? q->first + q->frames : UINT64_MAX;
    uint64_t left[2];
    for (unsigned side = 0; side < 2; side++) {
        if (a->frames[side] < 0 || (uint64_t)a->frames[side] < skip[side])
            return true;
        left[side] = (uint64_t)a->frames[side] - skip[side];
        left[side] = left[side] < asked ? left[side] : asked;
    }
    return left[0] != left[1];
}

const char *align_advice(const struct request *q, const struct align_look *a, const uint64_t skip[2], char *text)
{
    align_options(skip, text);
    if (!q->allow[ALLOW_LENGTH] && lengths_differ(q, a, skip))
        text_append(text, ALIGN_TEXT, " --allow-length");
    return text;
}

/* The offset of pair `frame`, which the window begins `before` it. 0: none that is certain. */
static int64_t offset_at(const struct align_result *r, uint64_t before)
{
    for (uint32_t i = 0; r->certain && i < r->segments; i++) {
        const struct align_segment *g = &r->segment[i];
        if (before >= g->reference && before < g->reference + g->length)
            return (int64_t)g->distorted - (int64_t)g->reference;
    }
    return 0;
}

enum { AROUND = 48, SEARCH = 24 };

/* Whether a shift that nobody has asked for is worth a look. */
static bool is_wanted(const struct request *q)
{
    return q->seeks_shift && !q->align.wish && q->pair_by == PAIR_NUMBER && stream_file_bytes(q->path[0]) >= 0 &&
           stream_file_bytes(q->path[1]) >= 0;
}

bool align_shift(const struct request *q, uint64_t frame, char text[ALIGN_SHIFT])
{
    struct align_look a;
    struct assay_error unused = {0};
    char advice[ALIGN_TEXT];
    uint64_t skip[2];
    const bool throughout = frame == UINT64_MAX;
    const uint64_t begin = throughout ? q->first : frame > AROUND ? frame - AROUND : 0;
    const struct align_window w = {{q->skip[0] + begin, q->skip[1] + begin}, 2 * AROUND, SEARCH};
    if (!is_wanted(q) || align_look(&a, q, &w, &unused))
        return false;
    const struct align_result *r = &a.found;
    const int64_t offset = !throughout ? offset_at(r, frame - begin) : r->certain && r->segments == 1 ? r->offset : 0;
    const uint64_t frames = (uint64_t)llabs(offset);
    align_skips(q->skip, offset, skip);
    snprintf(text, ALIGN_SHIFT, "the distorted side seems to be shown %" PRIu64 " frame%s %s: %s, or --align auto "
             "where that holds throughout, compares the same frames", frames, frames > 1 ? "s" : "",
             offset > 0 ? "later" : "earlier", align_advice(q, &a, skip, advice));
    align_look_free(&a);
    return offset != 0;
}
