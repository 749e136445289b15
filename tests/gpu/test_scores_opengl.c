/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Textures of an OpenGL application scored by sessions in its context: every metric has the bits that an ordinary
 * session has for the same codes, in every format, at odd sizes, in rectangles and layers; the context's state is as
 * before after every call, also after one that fails. Exit 77 without OpenGL 4.5.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/checks.h"
#include "gpu/opengl_app.h"
#include "gpu/opengl_state.h"
#include "gpu/score_oracle.h"

static struct opengl_app app;

struct lent {
    struct host_image host[2];
    assay_gpu_image lent[2];
    struct score_case c;
};

struct placed {
    GLenum target;
    uint32_t layers, layer;
};

static void lend(struct lent *l, const struct texel_format *f, uint32_t w, uint32_t h, enum texel_pattern pattern,
                 const struct placed *at)
{
    memset(l, 0, sizeof *l);
    texels_make(l->host, f, f, w, h, pattern, w * 31 + h);
    if (f->kind == TEXEL_HALF || f->kind == TEXEL_FLOAT)
        texels_make_parts(l->host, w + h);
    for (unsigned side = 0; side < 2; side++)
        l->lent[side] = opengl_app_lend(
            opengl_app_texture(&app, &l->host[side], at->target, (GLsizei)at->layers, (GLint)at->layer), at->layer);
    l->c = (struct score_case){.image = l->host, .w = w, .h = h};
}

static void cut(struct lent *l, assay_rectangle reference, assay_rectangle distorted)
{
    l->lent[0].rectangle = reference;
    l->lent[1].rectangle = distorted;
    score_cut(&l->c, reference, distorted);
}

static void drop(struct lent *l)
{
    for (unsigned side = 0; side < 2; side++)
        app.glDeleteTextures(1, &l->lent[side].opengl.texture);
    texels_free(l->host);
}

static void score(assay_gpu *gpu, const struct lent *l, const char *metrics, const char *name)
{
    struct score_case c = l->c;
    char what[160];
    c.metrics = metrics;
    snprintf(what, sizeof what, "%s, %s, %ux%u", l->host[0].format->name, name, c.w, c.h);
    assay_session *s = score_session(&c);
    int rc = assay_session_start_gpu(s, gpu, &l->lent[0], &l->lent[1], &c.colour);
    for (unsigned n = 0; !rc && n < 2; n++)
        rc = assay_session_submit_gpu(s, n, &l->lent[0], &l->lent[1]);
    check(score_flushed(s, rc, &c, 2, "opengl", what), what);
    assay_session_close(&s);
    check(app.gl.glGetError() == GL_NO_ERROR, "no error is left behind");
}

static const struct placed plain = {.target = GL_TEXTURE_2D};

static void test_formats(assay_gpu *gpu)
{
    static const struct { uint32_t w, h; } sizes[] = {{33, 17}, {1, 1}, {130, 70}, {5, 40}, {3, 2}, {64, 9}};
    unsigned tried = 0;
    const struct texel_format *f;
    for (unsigned i = 0; (f = texel_format_at(i)); i++) {
        struct lent l;
        if (!f->opengl || f->opengl == GL_SR8_EXT || f->opengl == GL_SRG8_EXT || (f->bits[1] && !f->bits[2]))
            continue;
        for (unsigned p = 0; p < 2; p++) {
            lend(&l, f, sizes[(i + 3 * p) % 6].w, sizes[(i + 3 * p) % 6].h, (enum texel_pattern)p, &plain);
            score(gpu, &l, SCORE_FEW, "codes");
            drop(&l);
        }
        tried++;
    }
    printf("%u formats\n", tried);
    check(tried >= 14, "the usual formats are there");
}

static void test_catalogue(assay_gpu *gpu)
{
    static const GLenum formats[] = {GL_SRGB8_ALPHA8, GL_RGB10_A2, GL_RGB16, GL_R8};
    struct lent l;
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        lend(&l, texel_format_opengl(formats[i]), 219, 181, TEXELS_NEAR, &plain);
        score(gpu, &l, NULL, "all metrics");
        drop(&l);
    }
    lend(&l, texel_format_opengl(GL_RGBA32F), 61, 47, TEXELS_NEAR, &plain);
    l.c.colour.transfer = 8;
    score(gpu, &l, NULL, "all metrics of its size");
    drop(&l);
    check(score_saw_catalogue(), "every metric of the catalogue was compared");
}

static void test_places(assay_gpu *gpu)
{
    static const struct placed places[] = {
        {.target = GL_TEXTURE_RECTANGLE}, {.target = GL_TEXTURE_2D_ARRAY, .layers = 3, .layer = 2},
        {.target = GL_TEXTURE_3D, .layers = 4, .layer = 1}, {.target = GL_TEXTURE_CUBE_MAP, .layer = 4},
        {.target = GL_TEXTURE_CUBE_MAP_ARRAY, .layers = 12, .layer = 9}};
    struct lent l;
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        lend(&l, texel_format_opengl(i % 2 ? GL_RGBA16 : GL_SRGB8_ALPHA8), 50, 50, TEXELS_NEAR, &places[i]);
        if (i % 2)
            cut(&l, (assay_rectangle){3 + i, 5, 21, 13}, (assay_rectangle){0, 17, 21, 13});
        score(gpu, &l, SCORE_FEW, "a place");
        drop(&l);
    }
}

/* Metrics that look at earlier frames find these frames' texels, though the one pair of textures has others by then. */
static void test_sequence(assay_gpu *gpu)
{
    enum { PAIRS = 3, FRAMES = 7, W = 51, H = 35 };
    const struct texel_format *f = texel_format_opengl(GL_RGBA8);
    struct host_image host[2 * PAIRS];
    assay_gpu_image lent[2];
    for (unsigned k = 0; k < PAIRS; k++)
        texels_make(&host[2 * k], f, f, W, H, TEXELS_NEAR, 5 + k);
    for (unsigned side = 0; side < 2; side++)
        lent[side] = opengl_app_lend(opengl_app_texture(&app, &host[side], GL_TEXTURE_2D, 1, 0), 0);
    const struct score_case c = {.image = host, .pairs = PAIRS, .w = W, .h = H, .metrics = "motion diff psnr"};
    assay_session *s = score_session(&c);
    int rc = assay_session_start_gpu(s, gpu, &lent[0], &lent[1], NULL);
    for (unsigned n = 0; !rc && n < FRAMES; n++) {
        for (unsigned side = 0; side < 2; side++)
            app.glTextureSubImage2D(lent[side].opengl.texture, 0, 0, 0, W, H, GL_RGBA, GL_UNSIGNED_BYTE,
                                    host[2 * (n % PAIRS) + side].texels);
        rc = assay_session_submit_gpu(s, n, &lent[0], &lent[1]);
    }
    check(score_flushed(s, rc, &c, FRAMES, "opengl", "a sequence"), "a sequence");
    assay_session_close(&s);
    for (unsigned side = 0; side < 2; side++)
        app.glDeleteTextures(1, &lent[side].opengl.texture);
    for (unsigned k = 0; k < PAIRS; k++)
        texels_free(&host[2 * k]);
}

/* A value that has no code: the session says so and ends. */
static void test_values(assay_gpu *gpu)
{
    struct lent l;
    assay_session *s;
    lend(&l, texel_format_opengl(GL_RGBA32F), 20, 11, TEXELS_NEAR, &plain);
    app.glDeleteTextures(1, &l.lent[1].opengl.texture);
    texels_set_field(&l.host[1], 19, 10, 2, 0x3f800001);
    texels_set_field(&l.host[1], 0, 0, 2, 0x80000001);
    l.lent[1].opengl.texture = opengl_app_texture(&app, &l.host[1], GL_TEXTURE_2D, 1, 0);
    if (assay_session_new(&s, NULL, NULL, 0) || assay_session_add_metric(s, "psnr"))
        exit(1);
    check(!assay_session_start_gpu(s, gpu, &l.lent[0], &l.lent[1], NULL) &&
          !assay_session_submit_gpu(s, 3, &l.lent[0], &l.lent[1]), "floats");
    check(assay_session_flush(s) == ASSAY_EINPUT &&
              strstr(assay_session_error(s), "frame 3: 2 values of channel B of the distorted"),
          "values without a code");
    assay_session_close(&s);
    drop(&l);
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void test_state(assay_gpu *gpu)
{
    struct opengl_state_objects objects;
    struct opengl_snapshot before, after;
    struct lent l;
    lend(&l, texel_format_opengl(GL_SRGB8_ALPHA8), 37, 29, TEXELS_NEAR, &plain);
    l.c.metrics = "psnr ssimulacra2 diff motion";
    opengl_state_disturb(&app, &objects);
    opengl_state_snap(&app, &before);
    opengl_watched_forget();
    assay_session *s = score_session(&l.c);
    int rc = assay_session_start_gpu(s, gpu, &l.lent[0], &l.lent[1], NULL);
    for (unsigned step = 0; step < 5; step++) {
        if (step == 4)
            assay_session_close(&s);
        else if (!rc)
            rc = step == 0  ? ASSAY_OK
                 : step < 3 ? assay_session_submit_gpu(s, step, &l.lent[0], &l.lent[1])
                            : assay_session_flush(s);
        check(!rc, rc ? assay_session_error(s) : "a session amid the application's state");
        opengl_state_snap(&app, &after);
        check(!memcmp(&before, &after, sizeof before), "the application's state is as before");
        if (step == 3)
            check(score_same(s, &l.c, 2, "opengl", "amid the state"), "scores amid the application's state");
    }
    check(opengl_watched_in_snapshot() >= 14, "state was changed and set back, all of it looked at");

    /* And when a call fails. */
    l.c.metrics = "psnr";
    bool ended = false;
    for (unsigned at = 1; !ended && at < 500; at++) {
        s = score_session(&l.c);
        opengl_fail_at(at, at % 2 ? GL_OUT_OF_MEMORY : GL_CONTEXT_LOST);
        rc = assay_session_start_gpu(s, gpu, &l.lent[0], &l.lent[1], NULL);
        for (unsigned n = 0; !rc && n < 3; n++)
            rc = assay_session_submit_gpu(s, n, &l.lent[0], &l.lent[1]);
        if (!rc)
            rc = assay_session_flush(s);
        const bool reached = opengl_failed();
        const char *text = assay_session_error(s);
        check(!reached ||
                  (rc == ASSAY_EDEVICE && strstr(text, at % 2 ? "out of memory" : "was lost") && !strchr(text, '\n')),
              "one clear line for an error");
        check(reached || (!rc && at > 10), "it succeeds when nothing fails");
        assay_session_close(&s);
        opengl_fail_at(0, 0);
        opengl_state_snap(&app, &after);
        check(!memcmp(&before, &after, sizeof before), "the application's state after a failure");
        ended = !reached;
        if (ended)
            printf("%u sessions with a failing call\n", at - 1);
    }
    check(ended, "every check failed once");
    opengl_state_reset(&app, &objects);
    drop(&l);
}

/* Two sessions of one gpu whose frames take turns, and comparisons in between. */
static void test_together(assay_gpu *gpu)
{
    const uint32_t none[2] = {0, 0};
    struct lent l[2];
    assay_session *s[2];
    assay_image_figures expected, figures;
    int rc = ASSAY_OK;
    for (unsigned i = 0; i < 2; i++) {
        lend(&l[i], texel_format_opengl(i ? GL_R8 : GL_RGBA8), 40 - i, 30, TEXELS_NEAR, &plain);
        l[i].c.metrics = i ? "psnr float_ssim" : "psnr motion";
        s[i] = score_session(&l[i].c);
        rc = rc ? rc : assay_session_start_gpu(s[i], gpu, &l[i].lent[0], &l[i].lent[1], NULL);
    }
    texels_expect(l[0].host, none, none, 40, 30, 1, &expected);
    for (unsigned n = 0; !rc && n < 10; n++) {
        rc = assay_session_submit_gpu(s[n % 2], n / 2, &l[n % 2].lent[0], &l[n % 2].lent[1]);
        if (!rc)
            rc = assay_gpu_compare(gpu, &l[0].lent[0], &l[0].lent[1], NULL, &figures);
        check(!rc && figures_same(&expected, &figures, "between frames"), "a comparison between frames");
    }
    for (unsigned i = 0; i < 2; i++) {
        check(!rc && !assay_session_flush(s[i]) && score_same(s[i], &l[i].c, 5, "opengl", "sessions in turn"),
              "sessions in turn");
        assay_session_close(&s[i]);
        drop(&l[i]);
    }
}

static void test_refusals(assay_gpu *gpu)
{
    struct lent l, other;
    assay_session *s;
    lend(&l, texel_format_opengl(GL_RGBA8), 20, 10, TEXELS_NEAR, &plain);
    lend(&other, texel_format_opengl(GL_RG8), 20, 10, TEXELS_NEAR, &plain);
    l.c.metrics = "psnr";
    s = score_session(&l.c);
    check(assay_session_start_gpu(s, gpu, &other.lent[0], &other.lent[1], NULL) == ASSAY_EUSAGE &&
          strstr(assay_session_error(s), "neither grey nor"), "R and G alone");
    check(assay_session_start_gpu(s, NULL, &l.lent[0], &l.lent[1], NULL) == ASSAY_EUSAGE &&
          strstr(assay_session_error(s), "no assay_gpu"), "no context");
    check(assay_session_start_gpu(s, gpu, &l.lent[0], &other.lent[0], NULL) == ASSAY_EMISMATCH, "other channels");
    check(!assay_session_start_gpu(s, gpu, &l.lent[0], &l.lent[1], NULL), "and then the right ones");
    check(assay_session_submit_gpu(s, 0, &other.lent[0], &l.lent[1]) == ASSAY_EMISMATCH &&
          strstr(assay_session_error(s), "the session was started for R8G8B8A8_UNORM, 20x10"), "another format");
    app.glEnable(GL_TEXTURE_2D_ARRAY); /* an error that the application has not asked for */
    check(assay_session_submit_gpu(s, 0, &l.lent[0], &l.lent[1]) == ASSAY_EUSAGE &&
          strstr(assay_session_error(s), "error 0x0500"), "an error from before");
    check(!assay_session_submit_gpu(s, 0, &l.lent[0], &l.lent[1]), "and the call after it");
    app.glEnable(GL_TEXTURE_2D_ARRAY);
    check(assay_session_flush(s) == ASSAY_EUSAGE && strstr(assay_session_error(s), "error 0x0500"),
          "an error before a flush");
    check(!assay_session_flush(s), "and the flush after it");
    check(score_same(s, &l.c, 1, "opengl", "after refusals"), "scores after refusals");
    assay_session_close(&s);
    drop(&l);
    drop(&other);
}

int main(void)
{
    if (!opengl_app_open(&app, false))
        checks_skip("no OpenGL 4.5");
    const assay_gpu_handles opengl = opengl_app_handles(opengl_watched(&app));
    assay_gpu *gpu = checks_open(opengl);
    test_formats(gpu);
    test_catalogue(gpu);
    test_places(gpu);
    test_sequence(gpu);
    test_values(gpu);
    test_state(gpu);
    test_together(gpu);
    test_refusals(gpu);
    assay_gpu_close(&gpu);
    check(!opengl_watched_unknown(), "every function that was asked for is known");
    opengl_app_close(&app);
    return checked();
}
