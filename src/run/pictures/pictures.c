/* SPDX-License-Identifier: BSD-2-Clause */
/* One pair of pictures: its figures, by sessions that later pairs of the same format use again. */
#include "run/pictures/pictures.h"

#include <stdlib.h>
#include <string.h>

#include "host/text.h"
#include "input/stream.h"
#include "run/session.h"

/* The metrics that answer a regression test's questions. min_sse=1 keeps PSNR's cap from hiding a difference. A metric
 * that the user names with options takes the place of its default form. */
static const char *const defaults[] = {"psnr=enable_all=true:enable_mse=true:min_sse=1", "diff=per_plane=true"};
enum { DEFAULTS = sizeof defaults / sizeof defaults[0] };

/* What a scorer compares. Of floats, metrics of light see the floats, and other metrics of colour see codes. */
enum scored { SCORED_COLOUR, SCORED_CODED, SCORED_LIGHT, SCORED_ALPHA };

/* Adds a line to the notes. */
#define note(x, ...) text_append((x)->notes, sizeof (x)->notes, __VA_ARGS__)

/* Adds what was not said of this pair or an earlier one, behind an image's name or "". */
static void note_once(struct pictures *x, const char *name, const char *text)
{
    char line[sizeof x->said];
    snprintf(line, sizeof line, "\n%s\n", text);
    if (!*text || strstr(x->said, line))
        return;
    note(x, "%s%s\n", name, text);
    text_append(x->said, sizeof x->said, "%s", line);
}

/* Whether the user's metric is one of a scorer. */
static bool is_scored(const char *metric, enum scored what)
{
    const bool light = assay_metric_of_light(assay_metric_find(metric)) != 0;
    return what == SCORED_COLOUR || (what == SCORED_LIGHT && light) || (what == SCORED_CODED && !light);
}

/* Adds the default metrics. For colours, not for alpha, adds the user's metrics too. */
static int add_metrics(struct pictures *x, struct scorer *s, enum scored what, struct assay_error *e)
{
    const struct request *q = x->q;
    const bool alpha = what == SCORED_ALPHA;
    uint32_t own = 0;
    for (unsigned i = 0; i < DEFAULTS; i++) {
        bool named = false;
        for (uint32_t m = 0; !alpha && m < q->metrics; m++)
            named = named || assay_metric_find(q->metric[m]) == assay_metric_find(defaults[i]);
        named = named || !s->codes;
        own += !named;
        TRY(named ? ASSAY_OK : session_failed(s->session, assay_session_add_metric(s->session, defaults[i]), e));
    }
    for (uint32_t m = 0; m < q->metrics; m++)
        if (is_scored(q->metric[m], what))
            TRY(session_failed(s->session, assay_session_add_metric(s->session, q->metric[m]), e));
    if (!alpha && q->all_metrics)
        TRY(request_add_all(q, s->session, &s->format, x->all->folders ? NULL : &x->left_out, e));
    TRY(session_failed(s->session, assay_session_start(s->session, &s->format), e));
    s->own_keys = 0;
    while (s->own_keys < assay_session_keys(s->session) && assay_session_key_metric(s->session, s->own_keys) < own)
        s->own_keys++;
    return ASSAY_OK;
}

static void close_scorer(struct scorer *s)
{
    assay_session_close(&s->session);
    free(s->value);
    s->value = NULL;
}

/* Makes the scorer's session one for this format, unless it is one already. */
static int prepare(struct pictures *x, struct scorer *s, const assay_format *format, const assay_format *distorted,
                   bool codes, enum scored what, struct assay_error *e)
{
    struct images *r = x->all;
    if (s->session && !memcmp(&s->format, format, sizeof *format) && s->codes == codes &&
        !memcmp(&s->distorted, distorted, sizeof *distorted))
        return ASSAY_OK;
    close_scorer(s);
    s->format = *format;
    s->distorted = *distorted;
    s->codes = codes;
    assay_config config = x->q->config;
    config.distorted = &s->distorted;
    config.allow_colour = codes; /* image_colours has decided */
    config.frames_in_flight = config.stills = 1; /* results are looked at one by one, and pairs are apart */
    TRY(session_make(&s->session, &config, e));
    TRY(add_metrics(x, s, what, e));
    if (!(s->value = calloc(assay_session_keys(s->session) + 1, sizeof *s->value)))
        return assay_fail_memory(e, "the figures");
    TRY(session_refuse_files(s->session, e));
    note_once(x, "", assay_session_notes(s->session));
    if (what == SCORED_ALPHA || r->configuration)
        return ASSAY_OK;
    snprintf(r->backend, sizeof r->backend, "%s", assay_session_backend(s->session));
    snprintf(r->device, sizeof r->device, "%s", assay_session_device(s->session));
    snprintf(r->driver, sizeof r->driver, "%s", assay_session_driver(s->session));
    snprintf(x->notice, sizeof x->notice, "%s", assay_session_notice(s->session));
    r->configuration = strdup(assay_session_configuration(s->session));
    return r->configuration ? ASSAY_OK : assay_fail_memory(e, "the configuration");
}

/* The session reads the pictures where they are, and has let go of them when this returns. */
static int score(struct scorer *s, const assay_picture *ref, const assay_picture *dis, struct assay_error *e)
{
    uint64_t frame;
    int rc = assay_session_submit(s->session, s->frame++, ref, dis);
    rc = rc ? rc : assay_session_flush(s->session);
    rc = rc ? rc : assay_session_poll(s->session, &frame, s->value);
    if (rc == 1)
        return ASSAY_OK;
    rc = session_failed(s->session, rc ? rc : ASSAY_EINTERNAL, e);
    close_scorer(s);
    return rc;
}

/* ---- one pair ---- */

/* The session has let go of a picture. Pictures are freed after their pair was scored. */
static void released(void *image) { (void)image; }

/* A picture, or its alpha as one of its own. */
static assay_picture picture_of(const struct image *image, bool alpha)
{
    void *const *p = image->plane;
    const ptrdiff_t *s = image->stride;
    return alpha ? (assay_picture){.plane = {p[3]}, .stride = {s[3]}, .release = released}
                 : (assay_picture){.plane = {p[0], p[1], p[2], p[3]}, .stride = {s[0], s[1], s[2], s[3]},
                                   .release = released};
}

/* Adds a figure, whose name all pairs share. */
static int add_figure(struct images *r, struct image_pair *p, const char *prefix, const char *key, int direction,
                      double v, struct assay_error *e)
{
    char name[256];
    uint32_t k = 0;
    snprintf(name, sizeof name, "%s%s", prefix, key);
    while (k < r->keys && strcmp(r->key[k], name))
        k++;
    if (k == IMAGE_KEYS || (k == r->keys && !(r->key[r->keys++] = strdup(name))))
        return assay_fail(e, ASSAY_EINTERNAL, "no room for the scores' names");
    if (direction != ASSAY_NEUTRAL) /* figures that no session makes have none */
        r->direction[k] = (signed char)direction;
    p->key[p->figures] = r->key[k];
    p->value[p->figures++] = v;
    return ASSAY_OK;
}

/* Adds score i of a session. */
static int add_score(struct pictures *x, struct image_pair *p, const char *prefix, const struct scorer *s, uint32_t i,
                     struct assay_error *e)
{
    return add_figure(x->all, p, prefix, assay_session_key(s->session, i), assay_session_key_direction(s->session, i),
                      s->value[i], e);
}

/* What metrics say of the colours. `own`: how many figures are those of the questions. */
static int compare_colour(struct pictures *x, struct image_pair *p, enum scored what, uint32_t *own,
                          struct assay_error *e)
{
    const assay_format format = image_scored_format(x->q, &x->image[0]),
                       distorted = image_scored_format(x->q, &x->image[1]);
    const assay_picture ref = picture_of(&x->image[0], false), dis = picture_of(&x->image[1], false);
    struct scorer *s = what == SCORED_LIGHT ? &x->light : &x->colour;
    TRY(prepare(x, s, &format, &distorted, p->codes && !p->floats, what, e));
    TRY(score(s, &ref, &dis, e));
    for (uint32_t i = 0; i < assay_session_keys(s->session); i++)
        TRY(add_score(x, p, "", s, i, e));
    *own = s->own_keys;
    return ASSAY_OK;
}

/* The figures of floats have the names that those of codes have. */
static int add_channel(struct images *r, struct image_pair *p, const char *prefix, const char *tail,
                       const assay_channel_figures *f, struct assay_error *e)
{
    static const char *const names[] = {"mse", "psnr", "max_diff"};
    const double value[] = {f->mse, f->psnr, f->max_difference};
    for (unsigned i = 0; i < 3; i++) {
        char key[16];
        snprintf(key, sizeof key, "%s%s", names[i], tail);
        TRY(add_figure(r, p, prefix, key, ASSAY_NEUTRAL, value[i], e));
    }
    return ASSAY_OK;
}

/* What all channels are as one, and where they differ most. */
static int add_channels(struct images *r, struct image_pair *p, const char *prefix, const assay_channel_figures *f,
                        uint64_t differing, struct assay_error *e)
{
    TRY(add_channel(r, p, prefix, "", f, e));
    TRY(add_figure(r, p, prefix, "max_diff_at_x", ASSAY_NEUTRAL, f->max_x, e));
    TRY(add_figure(r, p, prefix, "max_diff_at_y", ASSAY_NEUTRAL, f->max_y, e));
    return add_figure(r, p, prefix, "diff_pixels", ASSAY_NEUTRAL, (double)differing, e);
}

static int add_floats(struct images *r, struct image_pair *p, const struct image_floats *from, struct assay_error *e)
{
    static const char *const tails[] = {"_r", "_g", "_b"};
    const assay_image_figures *f = &from->figures;
    const assay_channel_figures whole = {.mse = f->mse, .psnr = f->psnr, .max_difference = f->max_difference,
                                         .max_x = f->max_x, .max_y = f->max_y};
    for (unsigned i = 0; i < 3 && f->channels & 2; i++)
        TRY(add_channel(r, p, "", tails[i], &f->channel[i], e));
    TRY(add_channels(r, p, "", &whole, f->differing, e));
    p->first_other = p->figures;
    TRY(add_figure(r, p, "", "max_rel_diff", ASSAY_NEUTRAL, from->relative, e));
    TRY(add_figure(r, p, "", "not_finite", ASSAY_NEUTRAL, (double)f->not_finite, e));
    return add_figure(r, p, "", "outside", ASSAY_NEUTRAL, (double)f->outside, e);
}

static int add_beyond(struct images *r, struct image_pair *p, const char *prefix, uint64_t pixels,
                      struct assay_error *e)
{
    return r->tolerance ? add_figure(r, p, prefix, "beyond_tolerance", ASSAY_NEUTRAL, (double)pixels, e) : ASSAY_OK;
}

static bool asks_for(const struct request *q, enum scored what)
{
    bool found = false;
    for (uint32_t m = 0; m < q->metrics; m++)
        found = found || is_scored(q->metric[m], what);
    return found;
}

/* Metrics of light on floats, then other metrics of colour on the codes that are made of them. */
static int score_floats(struct pictures *x, struct image_pair *p, struct assay_error *e)
{
    const struct request *q = x->q;
    uint32_t own;
    if (asks_for(q, SCORED_LIGHT)) {
        TRY(image_float_light(x->image, e));
        TRY(compare_colour(x, p, SCORED_LIGHT, &own, e));
    }
    if (!asks_for(q, SCORED_CODED))
        return ASSAY_OK;
    for (unsigned side = 0; side < 2; side++)
        TRY(image_float_code(q, &x->image[side], e));
    return compare_colour(x, p, SCORED_CODED, &own, e);
}

static int compare_floats(struct pictures *x, struct image_pair *p, struct assay_error *e)
{
    struct image_floats *floats = &x->floats;
    const assay_image_figures *f = &floats->figures;
    struct images *r = x->all;
    TRY(image_float_compare(x->q, x->image, floats, e));
    if (p->codes) {
        TRY(add_floats(r, p, floats, e));
        TRY(add_beyond(r, p, "", floats->beyond[0], e));
    }
    TRY(score_floats(x, p, e));
    p->first_alpha = p->figures;
    p->differs = !p->codes || f->differing_all > 0;
    if (!p->alpha || !p->codes)
        return ASSAY_OK;
    TRY(add_channels(r, p, "alpha_", &f->channel[3], f->differing_alpha, e));
    return add_beyond(r, p, "alpha_", floats->beyond[1], e);
}

/* Alpha is one plane: its figures of "all planes" are enough. */
static int compare_alpha(struct pictures *x, struct image_pair *p, struct assay_error *e)
{
    const assay_format format = image_alpha_format(&x->image[0]);
    const assay_picture side[2] = {picture_of(&x->image[0], true), picture_of(&x->image[1], true)};
    TRY(prepare(x, &x->alpha, &format, &format, true, SCORED_ALPHA, e));
    TRY(score(&x->alpha, &side[0], &side[1], e));
    for (uint32_t i = 0; i < assay_session_keys(x->alpha.session); i++) {
        const char *key = assay_session_key(x->alpha.session, i);
        if (!text_ends(key, "_y") || !strcmp(key, "max_diff_at_y"))
            TRY(add_score(x, p, "alpha_", &x->alpha, i, e));
    }
    return ASSAY_OK;
}

static int compare_codes(struct pictures *x, struct image_pair *p, struct assay_error *e)
{
    TRY(compare_colour(x, p, SCORED_COLOUR, &p->first_other, e));
    p->first_alpha = p->figures;
    TRY(p->alpha ? compare_alpha(x, p, e) : ASSAY_OK);
    p->differs = !p->codes || image_figure_above(p, "max_diff") || image_figure_above(p, "alpha_max_diff");
    return ASSAY_OK;
}

/* Says, once in a run, how the colours of images are taken. */
static void say_colours(struct pictures *x, const struct image_pair *p)
{
    const struct request *q = x->q;
    const bool wanted = !q->assume_srgb && (request_names(q, true) || q->all_metrics);
    for (unsigned side = 0; wanted && side < 2; side++) {
        const struct image *image = &x->image[side];
        char light[sizeof image->colour + 16];
        snprintf(light, sizeof light, " is taken as %s", image->colour);
        if (image->untagged)
            note_once(x, image->name, " has no tag of colour and is taken as sRGB, like all such images");
        else if (p->floats)
            note_once(x, image->name, light);
    }
    if (!p->codes)
        note_once(x, x->image[1].name, ": the codes stand for other colours than the reference's and are not compared "
                  "(--allow-colour)");
}

static int compare_read(struct pictures *x, struct image_pair *p, struct assay_error *e)
{
    const struct request *q = x->q;
    const struct image *a = &x->image[0], *b = &x->image[1];
    TRY(image_match(q, x->image, e));
    p->colour_unknown = a->unknown_colour[0] || b->unknown_colour[0];
    TRY(image_colours(q, x->image, &p->codes, e));
    p->format = a->format;
    input_format_name(&p->format, p->format_name);
    p->alpha = a->plane[3] != NULL;
    p->floats = image_is_float(a);
    TRY(p->floats ? image_float_allowed(q, e) : ASSAY_OK);
    TRY(p->floats || x->all->folders ? ASSAY_OK : pictures_refuse_tolerance(x->all, e));
    say_colours(x, p);
    if (p->alpha && (request_names(q, false) || q->all_metrics))
        note_once(x, b->name, ": alpha is blended in by metrics of colour, such as ssimulacra2: the other ones of -m "
                  "score the colours alone");
    p->key = calloc(IMAGE_KEYS, sizeof *p->key);
    p->value = calloc(IMAGE_KEYS, sizeof *p->value);
    if (!p->key || !p->value)
        return assay_fail_memory(e, "the figures of a pair");
    return p->floats ? compare_floats(x, p, e) : compare_codes(x, p, e);
}

int pictures_refuse_tolerance(const struct images *r, struct assay_error *e)
{
    return !r->tolerance ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "--abs-tolerance and --rel-tolerance are for images "
                                                 "of floats, and there are none (of codes, gates on max_diff and "
                                                 "diff_pixels say as much)");
}

int pictures_next(struct pictures *x, struct assay_error *e)
{
    struct image_pair *p = &x->all->pair[x->all->done];
    int rc = image_ahead_take(x->ahead, x->all->done, x->image, p->whole, e);
    x->notes[0] = x->notice[0] = '\0';
    x->left_out.n = 0;
    for (unsigned side = 0; side < 2; side++) {
        const struct image *image = &x->image[side];
        snprintf(p->reader[side], sizeof p->reader[side], "%s", image->reader);
        snprintf(p->colour[side], sizeof p->colour[side], "%s", image->colour);
        p->orientation[side] = image->orientation;
        const int64_t bytes = stream_file_bytes(p->path[side]);
        p->bytes[side] = bytes < 0 ? 0 : (uint64_t)bytes;
    }
    rc = rc ? rc : compare_read(x, p, e);
    for (const struct image *i = x->image; !rc && i < x->image + 2; i++)
        if (i->notice[0])
            note(x, "%s: %s\n", i->name, i->notice);
    return rc;
}

void pictures_done(struct pictures *x)
{
    image_free(&x->image[0]);
    image_free(&x->image[1]);
    image_floats_free(&x->floats);
    image_ahead_done(x->ahead, x->all->done);
}

int pictures_open(struct pictures **out, struct images *r, const struct request *q, struct assay_error *e)
{
    struct pictures *x = *out = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the comparison");
    x->all = r;
    x->q = q;
    return image_ahead_start(&x->ahead, r, q, e);
}

void pictures_close(struct pictures **out)
{
    struct pictures *x = *out;
    if (!x)
        return;
    image_ahead_stop(&x->ahead);
    close_scorer(&x->colour);
    close_scorer(&x->light);
    close_scorer(&x->alpha);
    free(x);
    *out = NULL;
}
