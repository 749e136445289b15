/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/score_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/session.h"
#include "graph/kept.h"

enum { KEYS = SESSION_METRICS * METRIC_KEYS };

static bool seen[SESSION_METRICS]; /* by the catalogue's order */

static void must(int rc, const char *error)
{
    if (!rc)
        return;
    fprintf(stderr, "an ordinary session: %s\n", error);
    exit(1);
}

void score_cut(struct score_case *c, assay_rectangle reference, assay_rectangle distorted)
{
    *c = (struct score_case){.image = c->image, .x = {reference.x, distorted.x}, .y = {reference.y, distorted.y},
                             .w = reference.width, .h = reference.height};
}

/* ---- the same texels as planes ----------------------------------------------------------------------------------- */

static assay_format format_of(const struct score_case *c)
{
    const struct texel_format *f = c->image[0].format;
    const bool codes = f->kind == TEXEL_UNORM || f->kind == TEXEL_SRGB, grey = !f->bits[1];
    return (assay_format){.width = c->w, .height = c->h, .bit_depth = codes ? f->bits[0] : 16,
                          .layout = grey ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_RGB, .range = ASSAY_RANGE_FULL,
                          .matrix = grey ? 2 : 0,
                          .transfer = c->colour.transfer ? c->colour.transfer : codes ? 13 : 255,
                          .primaries = c->colour.primaries ? c->colour.primaries : 1, .gamma = c->colour.gamma,
                          .alpha = f->bits[3] != 0};
}

static uint32_t code_of(const struct texel_format *f, unsigned c, uint32_t field)
{
    if (f->kind == TEXEL_UNORM || f->kind == TEXEL_SRGB)
        return f->bits[c] == 2 ? field * 341 : field;
    const float product = texels_value(f, c, field) * 65535.0f;
    return (uint32_t)floor((double)product + 0.5);
}

static void make_plane(const struct score_case *c, const struct host_image *image, unsigned side, unsigned channel,
                       uint32_t depth, void *to)
{
    for (uint32_t y = 0; y < c->h; y++)
        for (uint32_t x = 0; x < c->w; x++) {
            const uint32_t code = code_of(image->format, channel,
                                          texels_field(image, c->x[side] + x, c->y[side] + y, channel));
            if (depth > 8)
                ((uint16_t *)to)[y * c->w + x] = (uint16_t)code;
            else
                ((uint8_t *)to)[y * c->w + x] = (uint8_t)code;
        }
}

static void make_picture(const struct score_case *c, const assay_format *f, unsigned pair, unsigned side,
                         assay_picture *p)
{
    const size_t sample = f->bit_depth > 8 ? 2 : 1;
    *p = (assay_picture){.release = NULL};
    for (unsigned channel = 0; channel < 4; channel++) {
        if (!c->image[0].format->bits[channel])
            continue;
        void *plane = malloc((size_t)c->w * c->h * sample);
        if (!plane)
            exit(99);
        make_plane(c, &c->image[2 * pair + side], side, channel, f->bit_depth, plane);
        p->plane[channel] = plane;
        p->stride[channel] = (ptrdiff_t)(c->w * sample);
    }
}

static void free_picture(const assay_picture *p)
{
    for (unsigned i = 0; i < 4; i++) {
        union { const void *in; void *out; } plane = {.in = p->plane[i]};
        free(plane.out);
    }
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

void score_add_all(assay_session *s, const struct score_case *c)
{
    static const char *const with_rate[] = {"xpsnr=fps=25", "cvvdp=fps=25"}; /* images state no rate */
    const assay_format f = format_of(c);
    must(assay_session_add_everything(s, &f, NULL, NULL), assay_session_error(s));
    for (unsigned i = 0; i < sizeof with_rate / sizeof with_rate[0]; i++)
        if (!assay_metric_allows(with_rate[i], NULL, &f, NULL, 0))
            must(assay_session_add_metric(s, with_rate[i]), assay_session_error(s));
}

assay_session *score_session(const struct score_case *c)
{
    const assay_config config = {.rgb_matrix = c->image[0].format->bits[1] ? "bt709" : NULL};
    assay_session *s;
    char error[512] = "", text[512], *word, *rest = text;
    must(assay_session_new(&s, &config, error, sizeof error), error);
    if (!c->metrics) {
        score_add_all(s, c);
        return s;
    }
    snprintf(text, sizeof text, "%s", c->metrics);
    while ((word = strtok_r(rest, " ", &rest)))
        must(assay_session_add_metric(s, word), assay_session_error(s));
    return s;
}

static bool same_value(double a, double b)
{
    return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b));
}

/* Aggregates of two sessions that have scored the same. */
static bool same_aggregates(assay_session *a, assay_session *b)
{
    const uint32_t n = assay_session_aggregates(a);
    bool same = n == assay_session_aggregates(b);
    for (uint32_t i = 0; same && i < n; i++) {
        double x, y;
        same = !assay_session_aggregate(a, i, &x) && !assay_session_aggregate(b, i, &y) && same_value(x, y);
    }
    return same;
}

/* The scores of an ordinary session, `keys` of each frame; `aggregates`: whether those of `of` are its. */
static double *expect(assay_session *of, const struct score_case *c, unsigned frames, uint32_t *keys, bool *aggregates,
                      char *configuration, size_t size)
{
    assay_session *s = score_session(c);
    const assay_format f = format_of(c);
    uint64_t frame;
    must(assay_session_start(s, &f), assay_session_error(s));
    for (unsigned n = 0; n < frames; n++) {
        assay_picture picture[2];
        for (unsigned side = 0; side < 2; side++)
            make_picture(c, &f, n % (c->pairs ? c->pairs : 1), side, &picture[side]);
        must(assay_session_submit(s, n, &picture[0], &picture[1]), assay_session_error(s));
        for (unsigned side = 0; side < 2; side++)
            free_picture(&picture[side]);
    }
    must(assay_session_flush(s), assay_session_error(s));
    *keys = assay_session_keys(s);
    double *values = calloc((size_t)*keys * frames + 1, sizeof *values);
    for (unsigned n = 0; values && n < frames; n++)
        must(assay_session_poll(s, &frame, values + (size_t)n * *keys) != 1, assay_session_error(s));
    snprintf(configuration, size, "%s", assay_session_configuration(s));
    *aggregates = same_aggregates(s, of);
    assay_session_close(&s);
    return values;
}

/* How many passes of each frame but a sequence's first one an executor may leave out, because an earlier frame has
 * kept what they make. */
static unsigned passes_kept(const struct graph *g)
{
    struct assay_error e = {0};
    struct graph_kept kept;
    unsigned n = 0;
    must(graph_kept_plan(&kept, g, &e), e.text);
    for (unsigned p = 0; p < g->passes; p++)
        n += kept.pass_age[p] != 0;
    graph_kept_free(&kept);
    return n;
}

/* Every pass of all sequences of so many frames has run on the device, or all but those that earlier frames kept. */
static bool on_device(const assay_session *s, unsigned frames, const char *backend, const char *what)
{
    const uint64_t all = s->done * s->graph->passes, later = s->done - s->done / frames, run = s->executor->passes_run;
    unsigned inputs = 0, others = 0;
    for (graph_plane i = 0; i < s->graph->planes; i++) {
        const struct graph_plane_info *p = &s->graph->plane[i];
        const bool of_images = p->input && !p->table;
        inputs += of_images && !p->component && !p->age;
        others += of_images && p->component;
    }
    const bool ok = !strcmp(assay_session_backend(s), backend) && inputs && inputs <= 2 && !others &&
                    s->graph->passes > 2 && s->done && (run == all || run == all - later * passes_kept(s->graph));
    if (!ok)
        fprintf(stderr, "%s: %llu passes of %llu frames of %u ran on %s, on %u inputs\n", what,
                (unsigned long long)run, (unsigned long long)s->done, s->graph->passes,
                assay_session_backend(s), inputs);
    return ok;
}

bool score_same(assay_session *s, const struct score_case *c, unsigned frames, const char *backend, const char *what)
{
    static double got[KEYS];
    static char configuration[1 << 16];
    uint32_t keys;
    bool aggregates;
    double *expected = expect(s, c, frames, &keys, &aggregates, configuration, sizeof configuration);
    uint64_t frame;
    bool ok = expected && keys && assay_session_keys(s) == keys &&
              !strcmp(configuration, assay_session_configuration(s)) && aggregates;
    if (!ok && what)
        fprintf(stderr, "%s: %u keys, expected %u; %s aggregates\n", what, assay_session_keys(s), keys,
                aggregates ? "the same" : "other");
    for (unsigned n = 0; ok && n < frames; n++) {
        if (assay_session_poll(s, &frame, got) != 1) {
            fprintf(stderr, "%s: frame %u is missing: %s\n", what, n, assay_session_error(s));
            ok = false;
        }
        for (uint32_t i = 0; ok && i < keys; i++)
            if (!same_value(expected[n * keys + i], got[i])) {
                if (what)
                    fprintf(stderr, "%s: frame %u: %s is %a, expected %a\n", what, n, assay_session_key(s, i), got[i],
                            expected[n * keys + i]);
                ok = false;
            }
    }
    free(expected);
    for (uint32_t i = 0; ok && i < s->metrics; i++)
        for (uint32_t k = 0; assay_metrics[k]; k++)
            seen[k] = seen[k] || assay_metrics[k] == s->metric[i]->ops;
    return on_device(s, frames, backend, what) && ok;
}

bool score_flushed(assay_session *s, int rc, const struct score_case *c, unsigned frames, const char *backend,
                   const char *what)
{
    if (!rc)
        rc = assay_session_flush(s);
    if (rc)
        fprintf(stderr, "%s: %s\n", what, assay_session_error(s));
    return !rc && score_same(s, c, frames, backend, what);
}

bool score_saw_catalogue(void)
{
    bool all = true;
    for (uint32_t k = 0; assay_metrics[k]; k++) {
        if (!strcmp(assay_metrics[k]->name, "speed_chroma"))
            continue; /* needs planes of chroma; images have RGB or grey */
        if (!seen[k])
            fprintf(stderr, "%s was not compared\n", assay_metrics[k]->name);
        all = all && seen[k];
    }
    return all;
}
