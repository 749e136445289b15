/* SPDX-License-Identifier: BSD-2-Clause */
/* assay image REFERENCE DISTORTED: are the pictures the same, and if not, how far are they apart? */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/image/image.h"
#include "host/text.h"
#include "input/stream.h"
#include "report/progress.h"

/* The metrics that answer a regression test's questions. min_sse=1 keeps PSNR's cap from hiding a difference. A metric
 * that the user names with options takes the place of its default form. */
static const struct { const char *name, *text; } defaults[] = {
    {"psnr", "psnr=enable_all=true:enable_mse=true:min_sse=1"},
    {"diff", "diff=per_plane=true"},
};
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
    struct image_run *run;
    struct scorer colour, alpha, light; /* `light`: metrics of light, of pictures of floats */
    struct image_ahead *ahead;
    struct image image[2];
    struct image_floats floats; /* of a pair of floats */
    bool said_alpha, said_untagged, said_light, said_codes;
    struct image_rows rows;
    struct progress progress;
};

static bool same_metric(const char *text, const char *name)
{
    const size_t n = strlen(name);
    return !strncmp(text, name, n) && (!text[n] || text[n] == '=');
}

/* Prints a line for the user, unless --quiet. Erases the progress line first. */
__attribute__((format(printf, 2, 3))) static void say(struct comparison *c, const char *format, ...)
{
    char text[2048];
    va_list args;
    if (c->run->cli->quiet)
        return;
    progress_erase(&c->progress);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_say("%s", text);
}

/* Says which metrics a single pair does not allow. */
static int add_all(struct comparison *c, struct scorer *s, struct assay_error *e)
{
    const struct cli *cli = c->run->cli;
    struct left_out left = {.n = 0};
    const bool told = !c->run->folders && !cli->quiet;
    const int rc = request_add_all(&cli->q, s->session, &s->format, told ? &left : NULL, e);
    if (!rc && left.n) {
        progress_erase(&c->progress);
        left_out_say(cli, &left, NULL, 0);
    }
    return rc;
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
    const struct cli *cli = c->run->cli;
    const bool alpha = what == SCORED_ALPHA;
    uint32_t own = 0;
    for (unsigned i = 0; i < DEFAULTS; i++) {
        bool named = false;
        for (uint32_t m = 0; !alpha && m < cli->q.metrics; m++)
            named = named || same_metric(cli->q.metric[m], defaults[i].name);
        named = named || !s->codes;
        own += !named;
        TRY(named ? ASSAY_OK : session_failed(s->session, assay_session_add_metric(s->session, defaults[i].text), e));
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
    struct image_run *r = c->run;
    if (s->session && !memcmp(&s->format, format, sizeof *format) && s->codes == codes &&
        !memcmp(&s->distorted, distorted, sizeof *distorted))
        return ASSAY_OK;
    close_scorer(s);
    s->format = *format;
    s->distorted = *distorted;
    s->codes = codes;
    assay_config config = r->cli->q.config;
    config.distorted = &s->distorted;
    config.allow_colour = codes; /* image_colours has decided */
    config.frames_in_flight = 1; /* results are looked at one by one */
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
        say(c, "%s", assay_session_notice(s->session));
    r->configuration = strdup(assay_session_configuration(s->session));
    return r->configuration ? ASSAY_OK : assay_fail_memory(e, "the configuration");
}

static int submit(struct scorer *s, const assay_picture *ref, const assay_picture *dis, struct assay_error *e)
{
    uint64_t frame;
    TRY(session_failed(s->session, assay_session_submit(s->session, s->frame++, ref, dis), e));
    TRY(session_failed(s->session, assay_session_flush(s->session), e));
    const int rc = assay_session_poll(s->session, &frame, s->value);
    return rc == 1 ? ASSAY_OK : session_failed(s->session, rc ? rc : ASSAY_EINTERNAL, e);
}

/* The session reads the pictures where they are, and has let go of them when this returns. */
static int score(struct scorer *s, const assay_picture *ref, const assay_picture *dis, struct assay_error *e)
{
    const int rc = submit(s, ref, dis, e);
    if (rc)
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

/* The run's own copy of a key, which pairs borrow. */
static const char *intern(struct image_run *r, const char *prefix, const char *key, struct assay_error *e)
{
    char *name = NULL;
    if (asprintf(&name, "%s%s", prefix, key) < 0)
        name = NULL;
    for (uint32_t i = 0; name && i < r->keys; i++)
        if (!strcmp(r->key[i], name)) {
            free(name);
            return r->key[i];
        }
    if (!name || r->keys == IMAGE_KEYS) {
        free(name);
        assay_fail(e, ASSAY_EINTERNAL, "no room for the scores' names");
        return NULL;
    }
    return r->key[r->keys++] = name;
}

static int add_figure(struct image_run *r, struct image_pair *p, const char *prefix, const char *key, double v,
                      struct assay_error *e)
{
    const char *name = intern(r, prefix, key, e);
    if (!name)
        return ASSAY_EINTERNAL;
    p->key[p->figures] = name;
    p->value[p->figures++] = v;
    return ASSAY_OK;
}

/* Adds score i of a session, of which it takes the direction, too. */
static int add_score(struct image_run *r, struct image_pair *p, const char *prefix, const assay_session *s, uint32_t i,
                     double v, struct assay_error *e)
{
    uint32_t k = 0;
    TRY(add_figure(r, p, prefix, assay_session_key(s, i), v, e));
    while (r->key[k] != p->key[p->figures - 1])
        k++;
    r->direction[k] = (signed char)assay_session_key_direction(s, i);
    return ASSAY_OK;
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
    const assay_format format = image_scored_format(c->run->cli, &c->image[0]),
                       distorted = image_scored_format(c->run->cli, &c->image[1]);
    const assay_picture ref = picture_of(&c->image[0]), dis = picture_of(&c->image[1]);
    struct scorer *s = what == SCORED_LIGHT ? &c->light : &c->colour;
    TRY(prepare(c, s, &format, &distorted, p->codes && !p->floats, what, e));
    TRY(p->floats ? ASSAY_OK : heatmaps_check(c->run->cli, s->session, e)); /* floats have a map of their own */
    TRY(score(s, &ref, &dis, e));
    for (uint32_t i = 0; i < assay_session_keys(s->session); i++)
        TRY(add_score(c->run, p, "", s->session, i, s->value[i], e));
    *own = s->own_keys;
    return ASSAY_OK;
}

static int add_channel(struct image_run *r, struct image_pair *p, const char *prefix, const char *tail, double mse,
                       double psnr, double most, struct assay_error *e)
{
    char key[3][16];
    snprintf(key[0], sizeof key[0], "mse%s", tail);
    snprintf(key[1], sizeof key[1], "psnr%s", tail);
    snprintf(key[2], sizeof key[2], "max_diff%s", tail);
    TRY(add_figure(r, p, prefix, key[0], mse, e));
    TRY(add_figure(r, p, prefix, key[1], psnr, e));
    return add_figure(r, p, prefix, key[2], most, e);
}

/* The figures of the colours of floats, by the names that those of codes have. */
static int add_floats(struct image_run *r, struct image_pair *p, const struct image_floats *from, struct assay_error *e)
{
    static const char *const tails[] = {"_r", "_g", "_b"};
    const assay_image_figures *f = &from->figures;
    for (unsigned i = 0; i < 3 && f->channels & 2; i++)
        TRY(add_channel(r, p, "", tails[i], f->channel[i].mse, f->channel[i].psnr, f->channel[i].max_difference, e));
    TRY(add_channel(r, p, "", "", f->mse, f->psnr, f->max_difference, e));
    TRY(add_figure(r, p, "", "max_diff_at_x", f->max_x, e));
    TRY(add_figure(r, p, "", "max_diff_at_y", f->max_y, e));
    TRY(add_figure(r, p, "", "diff_pixels", (double)f->differing, e));
    p->first_other = p->figures;
    TRY(add_figure(r, p, "", "max_rel_diff", from->relative, e));
    TRY(add_figure(r, p, "", "not_finite", (double)f->not_finite, e));
    TRY(add_figure(r, p, "", "outside", (double)f->outside, e));
    return r->cli->tolerances ? add_figure(r, p, "", "beyond_tolerance", (double)from->beyond[0], e) : ASSAY_OK;
}

static int add_float_alpha(struct image_run *r, struct image_pair *p, const struct image_floats *from,
                           struct assay_error *e)
{
    const assay_image_figures *f = &from->figures;
    const assay_channel_figures *a = &f->channel[3];
    TRY(add_channel(r, p, "alpha_", "", a->mse, a->psnr, a->max_difference, e));
    TRY(add_figure(r, p, "alpha_", "max_diff_at_x", a->max_x, e));
    TRY(add_figure(r, p, "alpha_", "max_diff_at_y", a->max_y, e));
    TRY(add_figure(r, p, "alpha_", "diff_pixels", (double)f->differing_alpha, e));
    return r->cli->tolerances ? add_figure(r, p, "alpha_", "beyond_tolerance", (double)from->beyond[1], e) : ASSAY_OK;
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
    const struct cli *cli = c->run->cli;
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
    struct image_run *r = c->run;
    TRY(image_float_compare(r->cli, c->image, floats, e));
    if (p->codes)
        TRY(add_floats(r, p, floats, e));
    TRY(score_floats(c, p, e));
    p->first_alpha = p->figures;
    p->differs = !p->codes || floats->figures.differing_all > 0;
    return p->alpha && p->codes ? add_float_alpha(r, p, floats, e) : ASSAY_OK;
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
    TRY(heatmaps_check(c->run->cli, s->session, e));
    TRY(score(s, &side[0], &side[1], e));
    for (uint32_t i = 0; i < assay_session_keys(s->session); i++)
        if (!of_one_plane(assay_session_key(s->session, i)))
            TRY(add_score(c->run, p, "alpha_", s->session, i, s->value[i], e));
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

/* Makes the folders in a pair's name below the folder of --heatmap. */
static int make_folders(const char *top, const char *name, struct assay_error *e)
{
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        char *folder = NULL;
        if (asprintf(&folder, "%s/%.*s", top, (int)(slash - name), name) < 0)
            return assay_fail_memory(e, "a folder's name");
        const int rc = heatmaps_folder(folder, e);
        free(folder);
        TRY(rc);
    }
    return ASSAY_OK;
}

static int draw_maps(struct comparison *c, const struct image_pair *p, bool alpha, const char *stem,
                     struct assay_error *e)
{
    const struct cli *cli = c->run->cli;
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
    const struct cli *cli = c->run->cli;
    const size_t n = strlen(p->name);
    TRY(c->run->folders ? make_folders(cli->heatmap, p->name, e) : ASSAY_OK);
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
    const struct cli *cli = c->run->cli;
    const bool wanted = !cli->assume_srgb && (image_asks_for_colour(cli) || cli->q.all_metrics);
    for (unsigned side = 0; wanted && side < 2 && !c->said_untagged; side++)
        if (c->image[side].untagged) {
            char has[IMAGE_UNTAGGED];
            image_untagged(&c->image[side], has);
            say(c, "%s has %s and is taken as sRGB, like all such images", c->image[side].name, has);
            c->said_untagged = true;
        }
    for (unsigned side = 0; wanted && p->floats && side < 2 && !c->said_light; side++)
        if (!side || strcmp(c->image[0].colour, c->image[1].colour))
            say(c, "%s is taken as %s", c->image[side].name, c->image[side].colour);
    c->said_light = c->said_light || (wanted && p->floats);
    if (!p->codes && !c->said_codes) {
        say(c, "%s: the codes stand for other colours than the reference's and are not compared (--allow-colour)",
            c->image[1].name);
        c->said_codes = true;
    }
}

static int refuse_tolerance(struct assay_error *e)
{
    return assay_fail(e, ASSAY_EUSAGE, "--abs-tolerance and --rel-tolerance are for images of floats, and there are "
                      "none (of codes, gates on max_diff and diff_pixels say as much)");
}

static int compare_read(struct comparison *c, struct image_pair *p, struct assay_error *e)
{
    const struct cli *cli = c->run->cli;
    const struct image *a = &c->image[0], *b = &c->image[1];
    TRY(image_match(cli, c->image, e));
    p->colour_unknown = a->unknown_colour[0] || b->unknown_colour[0];
    TRY(image_colours(cli, c->image, &p->codes, e));
    p->format = a->format;
    p->floats = image_is_float(a);
    TRY(p->floats ? image_float_allowed(cli, e) : ASSAY_OK);
    if (cli->tolerances && !p->floats && !c->run->folders)
        return refuse_tolerance(e);
    p->alpha = a->alpha != NULL;
    say_colours(c, p);
    if (p->alpha && (cli->q.metrics || cli->q.all_metrics) && !c->said_alpha) {
        say(c, "%s: alpha is not blended in but by metrics of colour (ssimulacra2, flip): other metrics of -m score "
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
            say(c, "%s: %s", c->image[side].name, c->image[side].notice);
    TRY(image_gates(c->run, p, e));
    return cli->heatmap && (cli->gates ? p->failed : p->differs) ? draw(c, p, e) : ASSAY_OK;
}

static uint64_t bytes_of_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static int compare_pair(struct comparison *c, uint32_t i, struct assay_error *e)
{
    struct image_pair *p = &c->run->pair[i];
    int rc = image_ahead_take(c->ahead, i, c->image, p->whole, e);
    for (unsigned side = 0; side < 2; side++) {
        const struct image *image = &c->image[side];
        snprintf(p->reader[side], sizeof p->reader[side], "%s", image->reader);
        snprintf(p->colour[side], sizeof p->colour[side], "%s", image->colour);
        p->orientation[side] = image->orientation;
        p->bytes[side] = bytes_of_file(p->path[side]);
    }
    p->format = c->image[0].format;
    if (!rc)
        rc = compare_read(c, p, e);
    image_free(&c->image[0]);
    image_free(&c->image[1]);
    image_floats_free(&c->floats);
    image_ahead_done(c->ahead, i);
    return rc;
}

/* ---- all pairs ---- */

/* Whether a failure concerns this pair alone: the pair can't be read or does not match. Other failures end the run. */
static bool of_the_pair(int code, const struct image_pair *p)
{
    return code == ASSAY_EINPUT || code == ASSAY_EMISMATCH || (code == ASSAY_EUSAGE && p->colour_unknown);
}

/* Counts a pair as done and prints its row, whether it was compared or not. */
static void conclude_pair(struct comparison *c, struct image_pair *p)
{
    struct image_run *r = c->run;
    r->done++;
    progress_erase(&c->progress);
    if (r->folders && !r->cli->quiet && results_stream(r->cli) == stdout)
        image_print_row(&c->rows, r->cli, p, stdout);
    progress_update(&c->progress, r->done);
}

static int compare_all(struct comparison *c, struct assay_error *e)
{
    struct image_run *r = c->run;
    for (uint32_t i = 0; i < r->pairs; i++) {
        struct image_pair *p = &r->pair[i];
        struct assay_error why = {0};
        const int rc = signals_why() ? ASSAY_EINPUT : compare_pair(c, i, &why);
        const bool stopped = rc && signals_why();
        if (stopped || (rc && (!r->folders || !of_the_pair(rc, p)))) {
            progress_erase(&c->progress);
            if (e->code) /* the failure that ends the run replaces a pair's failure */
                text_say("%s", e->text);
            *e = why;
            return stopped ? signals_stopped(e) : rc;
        }
        if (rc) {
            p->code = rc;
            p->figures = p->first_other = p->first_alpha = 0;
            if (!(p->error = strdup(why.text)))
                return assay_fail_memory(e, "a message");
            progress_erase(&c->progress);
            if (e->code) /* the first failure is printed at the end */
                text_say("%s", why.text);
            else
                assay_fail(e, rc, "%s", why.text);
        }
        conclude_pair(c, p);
    }
    return ASSAY_OK;
}

/* Fails where a file is in one folder only or a folder was not looked into, unless that is allowed. */
static int check_left(const struct image_run *r, struct assay_error *e)
{
    const uint32_t alone = r->alone[0] + r->alone[1];
    const unsigned side = r->alone[0] ? 0 : 1;
    uint32_t folders = 0;
    const char *first = NULL;
    if (r->cli->q.allow[ALLOW_UNPAIRED])
        return ASSAY_OK;
    if (alone)
        return assay_fail(e, ASSAY_EMISMATCH,
                          "%u file%s in one folder only, the first is %s/%s (--allow-unpaired leaves them out)", alone,
                          alone == 1 ? " is" : "s are", r->cli->q.path[side], r->only[side][0]);
    for (uint32_t i = 0; i < r->lefts; i++) {
        first = !first && r->left[i].folder ? r->left[i].path : first;
        folders += r->left[i].folder;
    }
    if (!folders)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EMISMATCH,
                      "%u folder%s not looked into, the first is %s (--recursive compares what is in them, "
                      "--allow-unpaired leaves them out)", folders, folders == 1 ? " was" : "s were", first);
}

/* Writes the reports and the end of the table, also after a run that broke off. Returns the worst result. */
static int conclude(struct image_run *r, int broken, struct assay_error *e)
{
    const struct cli *c = r->cli;
    FILE *people = results_stream(c);
    struct assay_error late = {0};
    bool failed = false, floats = false;
    int wrote = ASSAY_OK;
    r->reason = broken ? e->text : NULL;
    for (uint32_t i = 0; !wrote && i < c->outputs; i++)
        wrote = (c->output[i].kind == REPORT_CSV    ? image_csv
                 : c->output[i].kind == REPORT_HTML ? image_html
                                                    : image_json)(r, c->output[i].path, &late);
    if (!c->quiet && people == stdout)
        (r->folders ? image_print_end : image_print)(r, people);
    image_print_gates(r, people);
    for (uint32_t i = 0; i < r->done; i++) {
        failed = failed || r->pair[i].failed;
        floats = floats || r->pair[i].floats;
    }
    TRY(e->code);
    TRY(image_gates_known(r, e));
    TRY(c->tolerances && !floats ? refuse_tolerance(e) : ASSAY_OK);
    TRY(check_left(r, e));
    return wrote ? assay_fail(e, wrote, "%s", late.text) : failed;
}

static int run(struct comparison *c, struct assay_error *e)
{
    struct image_run *r = c->run;
    const struct cli *cli = r->cli;
    TRY(results_spared(cli, e));
    TRY(cli->heatmap ? heatmaps_folder(cli->heatmap, e) : ASSAY_OK);
    TRY(image_list(r, e));
    if (cli->progress || (r->folders && !cli->quiet && !cli->no_progress))
        progress_start(&c->progress, stderr, cli->progress, r->pairs, "pairs");
    int broken = image_ahead_start(&c->ahead, r, e);
    broken = broken ? broken : compare_all(c, e);
    image_ahead_stop(&c->ahead);
    progress_erase(&c->progress);
    return broken && !r->done ? broken : conclude(r, broken, e);
}

int cli_image(const struct cli *c, struct assay_error *e)
{
    struct image_run *r = calloc(1, sizeof *r);
    struct comparison comparison = {.run = r};
    if (!r)
        return assay_fail_memory(e, "the run");
    r->cli = c;
    signals_catch();
    const int rc = run(&comparison, e);
    close_scorer(&comparison.colour);
    close_scorer(&comparison.light);
    close_scorer(&comparison.alpha);
    image_list_free(r);
    free(r);
    return rc;
}
