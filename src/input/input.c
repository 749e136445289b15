/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"
#include "host/thread.h"
#include "input/image_decoder.h"
#include "input/numbered.h"
#include "input/reader.h"

/* Owns the stream from here on. */
static int input_open_stream(struct input **out, struct stream *s, const char *name,
                             const struct input_options *options, struct assay_error *e)
{
    if (options->form == INPUT_RAW || (options->form == INPUT_EITHER && !input_has_signature(s)))
        return raw_open(out, s, name, options, e);

    const unsigned char *start;
    const size_t n = stream_peek(s, &start, Y4M_MAGIC);
    if (y4m_probe(start, n))
        return y4m_open(out, s, name, e);
    if (image_is(s))
        return image_input_open(out, s, name, e);
    if (s->error)
        assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", name, strerror(s->error));
    else if (n == 0)
        assay_fail(e, ASSAY_EINPUT, "%s: is empty", name);
    else
        return libav_open(out, s, name, options, e);
    stream_close(&s);
    return ASSAY_EINPUT;
}

static int input_open_file(struct input **out, const char *name, const struct input_options *options,
                           struct assay_error *e)
{
    struct stream *s;
    TRY(stream_open(&s, options->path, name, options->stop, e));
    const uint64_t bytes = s->regular ? s->size : 0;
    TRY(input_open_stream(out, s, name, options, e));
    (*out)->bytes = bytes;
    return ASSAY_OK;
}

int input_open(struct input **out, const struct input_options *options, struct assay_error *e)
{
    char name[sizeof(*out)->name];
    *out = NULL;
    input_shown_name(name, sizeof name, options->path);
    TRY((numbered_is(options->path) ? numbered_open : input_open_file)(out, name, options, e));
    (*out)->conceal = options->conceal;
    (*out)->whole_width = (*out)->format.width;
    (*out)->whole_height = (*out)->format.height;
    if ((*out)->alpha_dropped)
        text_append((*out)->notice, sizeof (*out)->notice, "%salpha is dropped", (*out)->notice[0] ? "; " : "");
    return ASSAY_OK;
}

struct input_early {
    pthread_t thread;
    struct input_options options;
    struct input *input;
    struct assay_error error;
    int rc;
};

static void *open_in_thread(void *opaque)
{
    struct input_early *x = opaque;
    x->rc = input_open(&x->input, &x->options, &x->error);
    return NULL;
}

struct input_early *input_open_early(const struct input_options *options)
{
    struct input_early *x = calloc(1, sizeof *x);
    if (x)
        x->options = *options;
    if (x && !thread_start(&x->thread, open_in_thread, x))
        return x;
    free(x);
    return NULL;
}

int input_open_end(struct input_early **early, struct input **out, struct assay_error *e)
{
    struct input_early *x = *early;
    *early = NULL;
    pthread_join(x->thread, NULL);
    *out = x->input;
    const int rc = x->rc ? assay_fail(e, x->rc, "%s", x->error.text) : ASSAY_OK;
    free(x);
    return rc;
}

/* The state is atomic because a picture may be finished while the next one is begun. */
static int input_state(const struct input *in)
{
    return __atomic_load_n(&in->state, __ATOMIC_RELAXED);
}

static int input_ends(struct input *in, int state)
{
    __atomic_store_n(&in->state, state, __ATOMIC_RELAXED);
    return state;
}

/* 1: another picture may be read; 0: the stream has ended. A stream that has failed keeps failing, because its position
 * is no longer at a picture. */
static int input_goes_on(const struct input *in, struct assay_error *e)
{
    const int state = input_state(in);
    if (state < 0)
        return assay_fail(e, state, "%s: frame %" PRIu64 ": an earlier failure ended the stream", in->name, in->index);
    return state == 0;
}

/* Counts a picture that the reader has found, or notes the end or the failure. */
static int input_count(struct input *in, int got, struct assay_error *e)
{
    if (got == 0 && in->index == 0)
        got = assay_fail(e, ASSAY_EINPUT, "%s: holds no pictures", in->name);
    if (got == 1)
        in->index++;
    else
        input_ends(in, got == 0 ? 1 : got);
    return got;
}

int input_begin(struct input *in, struct input_place *place, struct assay_error *e)
{
    *place = (struct input_place){.index = in->index};
    const int more = input_goes_on(in, e);
    return more == 1 && in->ops->begin ? input_count(in, in->ops->begin(in, place, e), e) : more;
}

int input_finish(struct input *in, const struct input_place *place, const struct picture *dst,
                 struct picture_info *info, struct assay_error *e)
{
    const int got = in->ops->read(in, place, dst, info, e);
    if (!in->ops->begin)
        return input_count(in, got, e);
    return got < 0 ? input_ends(in, got) : got;
}

bool input_passes_planes(const struct input *in)
{
    return in->positioned && in->format.bit_depth == 8;
}

int input_read(struct input *in, const struct picture *dst, struct picture_info *info, struct assay_error *e)
{
    struct input_place place;
    struct picture_info own = {.lends = false};
    int got = input_begin(in, &place, e);
    if (got == 1)
        got = input_finish(in, &place, dst, &own, e);
    if (info)
        *info = own;
    if (got < 0)
        in->index = place.index; /* a picture that could not be finished does not count */
    return got;
}

int input_read_device(struct input *in, assay_cuda_image *picture, struct picture_info *info, struct assay_error *e)
{
    const int more = input_goes_on(in, e);
    return more == 1 ? input_count(in, in->ops->read_device(in, picture, info, e), e) : more;
}

int input_skip(struct input *in, struct assay_error *e)
{
    const int more = input_goes_on(in, e);
    return more == 1 ? input_count(in, in->ops->skip(in, e), e) : more;
}

int input_pass(struct input *in, uint64_t count, struct assay_error *e)
{
    int got = 1;
    if (in->ops->jump) {
        const int rc = in->ops->jump(in, count, e);
        if (rc)
            return input_ends(in, rc);
    }
    while (got == 1 && in->index < count)
        got = input_skip(in, e);
    return got;
}

/* Finds the end of a file whose header and size don't say how many pictures it holds. How far a run has read ahead
 * must not decide what is known. */
static void input_find_end(struct input *in)
{
    struct assay_error unused = {0};
    while (in->frames < 0 && in->bytes && input_state(in) == 0 && input_skip(in, &unused) == 1)
        continue;
}

int input_measure(struct input *in, struct input_rate *rate, struct assay_error *e)
{
    const assay_format *f = &in->format;
    *rate = (struct input_rate){0};
    if (in->ops->rate)
        return in->ops->rate(in, rate, e);
    input_find_end(in);
    const uint64_t frames = input_state(in) == 1 ? in->index : in->frames > 0 ? (uint64_t)in->frames : 0;
    if (in->bytes && frames && f->rate_num && f->rate_den)
        *rate = (struct input_rate){in->bytes, frames * f->rate_den, f->rate_num};
    return ASSAY_OK;
}

int input_unchanged(struct input *in, struct assay_error *e)
{
    const bool changed = in->ops->changed ? in->ops->changed(in) : in->stream && stream_changed(in->stream);
    in->changed = changed && in->conceal;
    return changed && !in->conceal
        ? assay_fail(e, ASSAY_EINPUT, "%s: changed while it was read, and its frames may be of two contents "
                     "(--allow-damage scores them)", in->name)
        : ASSAY_OK;
}

void input_close(struct input **in)
{
    if (!*in)
        return;
    free((*in)->damage.text);
    (*in)->ops->close(*in);
    *in = NULL;
}
