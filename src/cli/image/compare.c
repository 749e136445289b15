/* SPDX-License-Identifier: BSD-2-Clause */
/* One pair of images: its figures, by sessions that later pairs of the same format use again. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/image/image.h"
#include "host/text.h"
#include "input/stream.h"

/* The metrics that answer a regression test's questions. min_sse=1 keeps PSNR's cap from hiding a difference. A metric
 * that the user names with options takes the place of its default form. */
static const char *const defaults[] = {"psnr=enable_all=true:enable_mse=true:min_sse=1", "diff=per_plane=true"};
enum { DEFAULTS = sizeof defaults / sizeof defaults[0] };

/* What a scorer compares. Of floats, metrics of light see the floats, and other metrics of colour see codes. */
enum scored { SCORED_COLOUR, SCORED_CODED, SCORED_LIGHT, SCORED_ALPHA };

/* A session, which is kept as long as the format of the pictures stays the same. */
struct scorer {
    assay_session *session;
    assay_format format, distorted;
    bool codes;
    uint64_t frame;     /* the number of the next picture */
    uint32_t own_keys;  /* of the default metrics: they come first */
    double *value;      /* of the picture that was scored last, by key */
};

struct comparison {
    const struct cli *cli;
    struct images *all;
    struct scorer colour, alpha, light; /* `light`: metrics of light, of pictures of floats */
    struct image_ahead *ahead;
    struct image image[2];
    struct image_floats floats; /* of a pair of floats */
    bool said_alpha, said_untagged, said_light, said_codes;
    struct progress *progress;
};

/* Whether the user is told something; the line of progress is erased then. */
static bool tells(struct comparison *c)
{
    if (!c->cli->quiet)
        progress_erase(c->progress);
    return !c->cli->quiet;
}

#define tell(c, ...) \
    do { \
        if (tells(c)) \
            text_say(__VA_ARGS__); \
    } while (0)

/* Says which metrics a single pair does not allow. */
static int add_all(struct comparison *c, struct scorer *s, struct assay_error *e)
{
    struct left_out left = {.n = 0};
    TRY(request_add_all(&c->cli->q, s->session, &s->format, c->all->folders ? NULL : &left, e));
    if (left.n && tells(c))
        left_out_say(c->cli, &left, NULL, 0);
    return ASSAY_OK;
}

/* Whether the user's metric is one of a scorer. */
static bool is_scored(const char *metric, enum scored what)
{
    const bool light = assay_metric_of_light(assay_metric_find(metric)) != 0;
    return what == SCORED_COLOUR || (what == SCORED_LIGHT && light) || (what == SCORED_CODED && !light);
}

/* Adds the default metrics. For colours, not for alpha, adds the user's metrics too. */
static int add_metrics(struct comparison *c, struct scorer *s, enum scored what, struct assay_error *e)
{
    const struct cli *cli = c->cli;
    const bool alpha = what == SCORED_ALPHA;
    uint32_t own = 0;
    for (unsigned i = 0; i < DEFAULTS; i++) {
        bool named = false;
        for (uint32_t m = 0; !alpha && m < cli->q.metrics; m++)
            named = named || assay_metric_find(cli->q.metric[m]) == assay_metric_find(defaults[i]);
        named = named || !s->codes;
        own += !named;
        TRY(named ? ASSAY_OK : session_failed(s->session, assay_session_add_metric(s->session, defaults[i]), e));
    }
    for (uint32_t m = 0; m < cli->q.metrics; m++)
        if (is_scored(cli->q.metric[m], what))
            TRY(session_failed(s->session, assay_session_add_metric(s->session, cli->q.metric[m]), e));
    if (!alpha && cli->q.all_metrics)
        TRY(add_all(c, s, e));
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
static int prepare(struct comparison *c, struct scorer *s, const assay_format *format, const assay_format *distorted,
                   bool codes, enum scored what, struct assay_error *e)
{
    struct images *r = c->all;
    if (s->session && !memcmp(&s->format, format, sizeof *format) && s->codes == codes &&
        !memcmp(&s->distorted, distorted, sizeof *distorted))
        return ASSAY_OK;
    close_scorer(s);
    s->format = *format;
    s->distorted = *distorted;
    s->codes = codes;
    assay_config config = c->cli->q.config;
    config.distorted = &s->distorted;
    config.allow_colour = codes; /* image_colours has decided */
    config.frames_in_flight = config.stills = 1; /* results are looked at one by one, and pairs are apart */
    TRY(session_make(&s->session, &config, e));
    TRY(add_metrics(c, s, what, e));
    if (!(s->value = calloc(assay_session_keys(s->session) + 1, sizeof *s->value)))
        return assay_fail_memory(e, "the figures");
    TRY(plane_codes_refuse(s->session, e));
    if (what == SCORED_ALPHA || r->configuration)
        return ASSAY_OK;
    snprintf(r->backend, sizeof r->backend, "%s", assay_session_backend(s->session));
    snprintf(r->device, sizeof r->device, "%s", assay_session_device(s->session));
    snprintf(r->driver, sizeof r->driver, "%s", assay_session_driver(s->session));
    if (*assay_session_notice(s->session))
        tell(c, "%s", assay_session_notice(s->session));
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
static void released(void *image)
{
    (void)image;
}

static assay_picture picture_of(const struct image *image)
{
    assay_picture p = {.release = released};
    for (unsigned i = 0; i < 3; i++) {
        p.plane[i] = image->plane[i];
        p.stride[i] = image->stride[i];
    }
    p.plane[3] = image->alpha;
    p.stride[3] = image->alpha_stride;
    return p;
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
static int add_score(struct comparison *c, struct image_pair *p, const char *prefix, const struct scorer *s, uint32_t i,
                     struct assay_error *e)
{
    return add_figure(c->all, p, prefix, assay_session_key(s->session, i), assay_session_key_direction(s->session, i),
                      s->value[i], e);
}

/* Whether a figure is that of one plane. Alpha is one plane: its figures of "all planes" are enough. */
static bool of_one_plane(const char *key)
{
    const size_t n = strlen(key);
    return n > 2 && !strcmp(key + n - 2, "_y") && strcmp(key, "max_diff_at_y");
}

/* What metrics say of the colours. `own`: how many figures are those of the questions. */
static int compare_colour(struct comparison *c, struct image_pair *p, enum scored what, uint32_t *own,
                          struct assay_error *e)
{
    const assay_format format = image_scored_format(c->cli, &c->image[0]),
                       distorted = image_scored_format(c->cli, &c->image[1]);
    const assay_picture ref = picture_of(&c->image[0]), dis = picture_of(&c->image[1]);
    struct scorer *s = what == SCORED_LIGHT ? &c->light : &c->colour;
    TRY(prepare(c, s, &format, &distorted, p->codes && !p->floats, what, e));
    TRY(p->floats ? ASSAY_OK : heatmaps_check(c->cli, s->session, e)); /* floats have a map of their own */
    TRY(score(s, &ref, &dis, e));
    for (uint32_t i = 0; i < assay_session_keys(s->session); i++)
        TRY(add_score(c, p, "", s, i, e));
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

static bool asks_for(const struct cli *c, enum scored what)
{
    bool found = false;
    for (uint32_t m = 0; m < c->q.metrics; m++)
        found = found || is_scored(c->q.metric[m], what);
    return found;
}

/* Metrics of light on floats, then other metrics of colour on the codes that are made of them. */
static int score_floats(struct comparison *c, struct image_pair *p, struct assay_error *e)
{
    const struct cli *cli = c->cli;
    uint32_t own;
    if (asks_for(cli, SCORED_LIGHT)) {
        TRY(image_float_light(c->image, e));
        TRY(compare_colour(c, p, SCORED_LIGHT, &own, e));
    }
    if (!asks_for(cli, SCORED_CODED))
        return ASSAY_OK;
    for (unsigned side = 0; side < 2; side++)
        TRY(image_float_code(cli, &c->image[side], e));
    return compare_colour(c, p, SCORED_CODED, &own, e);
}

static int compare_floats(struct comparison *c, struct image_pair *p, struct assay_error *e)
{
    struct image_floats *floats = &c->floats;
    const assay_image_figures *f = &floats->figures;
    struct images *r = c->all;
    TRY(image_float_compare(c->cli, c->image, floats, e));
    if (p->codes) {
        TRY(add_floats(r, p, floats, e));
        TRY(add_beyond(r, p, "", floats->beyond[0], e));
    }
    TRY(score_floats(c, p, e));
    p->first_alpha = p->figures;
    p->differs = !p->codes || f->differing_all > 0;
    if (!p->alpha || !p->codes)
        return ASSAY_OK;
    TRY(add_channels(r, p, "alpha_", &f->channel[3], f->differing_alpha, e));
    return add_beyond(r, p, "alpha_", floats->beyond[1], e);
}

static int compare_alpha(struct comparison *c, struct image_pair *p, struct assay_error *e)
{
    const assay_format *f = &c->image[0].format;
    const assay_format format = {.width = f->width, .height = f->height, .bit_depth = f->bit_depth,
                                 .layout = ASSAY_LAYOUT_400, .range = ASSAY_RANGE_FULL};
    assay_picture side[2] = {{.release = released}, {.release = released}};
    for (unsigned i = 0; i < 2; i++) {
        side[i].plane[0] = c->image[i].alpha;
        side[i].stride[0] = c->image[i].alpha_stride;
    }
    struct scorer *s = &c->alpha;
    TRY(prepare(c, s, &format, &format, true, SCORED_ALPHA, e));
    TRY(heatmaps_check(c->cli, s->session, e));
    TRY(score(s, &side[0], &side[1], e));
    for (uint32_t i = 0; i < assay_session_keys(s->session); i++)
        if (!of_one_plane(assay_session_key(s->session, i)))
            TRY(add_score(c, p, "alpha_", s, i, e));
    return ASSAY_OK;
}

static bool above_zero(const struct image_pair *p, const char *key)
{
    const double *v = image_figure(p, key);
    return v && *v > 0.0;
}

static int compare_codes(struct comparison *c, struct image_pair *p, struct assay_error *e)
{
    TRY(compare_colour(c, p, SCORED_COLOUR, &p->first_other, e));
    p->first_alpha = p->figures;
    TRY(p->alpha ? compare_alpha(c, p, e) : ASSAY_OK);
    p->differs = !p->codes || above_zero(p, "max_diff") || above_zero(p, "alpha_max_diff");
    return ASSAY_OK;
}

static int draw_maps(struct comparison *c, const struct image_pair *p, bool alpha, const char *stem,
                     struct assay_error *e)
{
    const struct cli *cli = c->cli;
    assay_session *s = alpha ? c->alpha.session : c->colour.session;
    if (p->floats && p->codes)
        TRY(image_float_draw(cli, &c->floats, &p->format, alpha, stem, e));
    if (p->floats && alpha)
        return ASSAY_OK;
    TRY(p->floats && c->light.session ? heatmaps_write(cli, c->light.session, 0, stem, e) : ASSAY_OK);
    return s ? heatmaps_write(cli, s, 0, stem, e) : ASSAY_OK;
}

/* Draws where a pair differs. Called for pairs that fail a gate, or, without gates, for all pairs that differ. */
static int draw(struct comparison *c, struct image_pair *p, struct assay_error *e)
{
    const size_t n = strlen(p->name);
    const int length = (int)(n > 4 && !strcmp(p->name + n - 4, ".png") ? n - 4 : n);
    for (int alpha = 0; alpha < (p->alpha && above_zero(p, "alpha_diff_pixels") ? 2 : 1); alpha++) {
        char *stem = NULL;
        if (asprintf(&stem, "%.*s%s", length, p->name, alpha ? ".alpha" : "") < 0)
            return assay_fail_memory(e, "a file's name");
        const int rc = draw_maps(c, p, alpha, stem, e);
        free(stem);
        TRY(rc);
    }
    p->drawn = true;
    return ASSAY_OK;
}

/* Says, once in a run, how the colours of images are taken. */
static void say_colours(struct comparison *c, const struct image_pair *p)
{
    const struct cli *cli = c->cli;
    const bool wanted = !cli->assume_srgb && (image_asks_for_colour(cli) || cli->q.all_metrics);
    for (unsigned side = 0; wanted && side < 2 && !c->said_untagged; side++)
        if (c->image[side].untagged) {
            char has[IMAGE_UNTAGGED];
            image_untagged(&c->image[side], has);
            tell(c, "%s has %s and is taken as sRGB, like all such images", c->image[side].name, has);
            c->said_untagged = true;
        }
    for (unsigned side = 0; wanted && p->floats && side < 2 && !c->said_light; side++)
        if (!side || strcmp(c->image[0].colour, c->image[1].colour))
            tell(c, "%s is taken as %s", c->image[side].name, c->image[side].colour);
    c->said_light = c->said_light || (wanted && p->floats);
    if (!p->codes && !c->said_codes) {
        tell(c, "%s: the codes stand for other colours than the reference's and are not compared (--allow-colour)",
            c->image[1].name);
        c->said_codes = true;
    }
}

static int compare_read(struct comparison *c, struct image_pair *p, struct assay_error *e)
{
    const struct cli *cli = c->cli;
    const struct image *a = &c->image[0], *b = &c->image[1];
    TRY(image_match(cli, c->image, e));
    p->colour_unknown = a->unknown_colour[0] || b->unknown_colour[0];
    TRY(image_colours(cli, c->image, &p->codes, e));
    p->format = a->format;
    input_format_name(&p->format, p->format_name);
    p->alpha = a->alpha != NULL;
    p->floats = image_is_float(a);
    TRY(p->floats ? image_float_allowed(cli, e) : ASSAY_OK);
    TRY(p->floats || c->all->folders ? ASSAY_OK : image_refuse_tolerance(c->all, e));
    say_colours(c, p);
    if (p->alpha && (cli->q.metrics || cli->q.all_metrics) && !c->said_alpha) {
        tell(c, "%s: alpha is not blended in but by metrics of colour (ssimulacra2, flip): other metrics of -m score "
            "the colours alone", b->name);
        c->said_alpha = true;
    }
    p->key = calloc(IMAGE_KEYS, sizeof *p->key);
    p->value = calloc(IMAGE_KEYS, sizeof *p->value);
    if (!p->key || !p->value)
        return assay_fail_memory(e, "the figures of a pair");
    TRY(p->floats ? compare_floats(c, p, e) : compare_codes(c, p, e));
    for (unsigned side = 0; side < 2; side++)
        if (c->image[side].notice[0])
            tell(c, "%s: %s", c->image[side].name, c->image[side].notice);
    TRY(image_gates(c->all, p, e));
    return cli->heatmap && (cli->gates ? p->failed : p->differs) ? draw(c, p, e) : ASSAY_OK;
}

static uint64_t bytes_of_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

int comparison_next(struct comparison *c, struct assay_error *e)
{
    struct image_pair *p = &c->all->pair[c->all->done];
    int rc = image_ahead_take(c->ahead, c->all->done, c->image, p->whole, e);
    for (unsigned side = 0; side < 2; side++) {
        const struct image *image = &c->image[side];
        snprintf(p->reader[side], sizeof p->reader[side], "%s", image->reader);
        snprintf(p->colour[side], sizeof p->colour[side], "%s", image->colour);
        p->orientation[side] = image->orientation;
        p->bytes[side] = bytes_of_file(p->path[side]);
    }
    if (!rc)
        rc = compare_read(c, p, e);
    image_free(&c->image[0]);
    image_free(&c->image[1]);
    image_floats_free(&c->floats);
    image_ahead_done(c->ahead, c->all->done);
    return rc;
}

int comparison_open(struct comparison **out, struct images *r, const struct cli *c, struct progress *progress,
                    struct assay_error *e)
{
    struct comparison *x = *out = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the comparison");
    x->all = r;
    x->cli = c;
    x->progress = progress;
    return image_ahead_start(&x->ahead, r, c, e);
}

void comparison_close(struct comparison **out)
{
    struct comparison *c = *out;
    if (!c)
        return;
    image_ahead_stop(&c->ahead);
    close_scorer(&c->colour);
    close_scorer(&c->light);
    close_scorer(&c->alpha);
    free(c);
    *out = NULL;
}
