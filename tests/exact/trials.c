/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact/trials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"

const char *pattern_name(enum pattern pattern)
{
    static const char *const name[PATTERNS] = {"random", "checkerboard", "zero against full scale", "flat",
                                               "noise on white", "smooth",
                                               "first pixel", "last pixel", "top right pixel", "bottom left pixel"};
    return name[pattern];
}

static void must(int rc, const struct assay_error *e)
{
    if (!rc)
        return;
    fprintf(stderr, "%s\n", e->text);
    exit(99);
}

static void *allocate(size_t bytes)
{
    struct assay_error e = {0};
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        must(assay_fail_memory(&e, "the test"), &e);
    return p;
}

void trials_open(struct trials *t, uint32_t width, uint32_t height)
{
    struct assay_error e = {0};
    *t = (struct trials){.width = width, .height = height};
    for (;; t->graphs++) {
        struct graph **g = &t->graph[t->graphs];
        must(catalogue_graph(t->graphs, width, height, g, &t->bits[t->graphs], &e), &e);
        if (!*g)
            return;
        (*g)->keep = true;
        must(graph_seal(*g, &e), &e);
        for (graph_pass p = 0; p < (*g)->passes; p++)
            t->count[(*g)->pass[p].kernel]++;
    }
}

void trials_close(struct trials *t)
{
    for (unsigned i = 0; i < t->graphs; i++) {
        if (t->ran[i])
            selftest_frame_free(&t->frame[i]);
        free(t->ran[i]);
        graph_free(&t->graph[i]);
    }
}

unsigned trials_count(const struct trials *t, unsigned kernel)
{
    return primitive_known(kernel) ? primitive_sets(kernel) : t->count[kernel];
}

bool trials_first(const struct trials *t, unsigned kernel, uint32_t bits, struct trial_pass *pass)
{
    if (primitive_known(kernel))
        *pass = primitive_make(kernel, t->width, t->height, bits, 0);
    for (unsigned i = 0; i < t->graphs && !primitive_known(kernel); i++)
        for (graph_pass p = 0; p < t->graph[i]->passes; p++)
            if (t->graph[i]->pass[p].kernel == kernel) {
                *pass = trial_of(t->graph[i], p);
                return true;
            }
    return primitive_known(kernel);
}

/* ---- a pass of a graph ------------------------------------------------------------------------------------------- */

/* A sequence whose earlier frames have the earlier patterns. */
static void fill(struct trials *t, unsigned i, enum pattern pattern, uint32_t seed)
{
    const struct graph *g = t->graph[i];
    for (graph_plane p = 0; p < g->planes; p++) {
        const struct graph_plane_info *info = &g->plane[p];
        if (info->input && !info->table)
            pattern_fill((pattern + PATTERNS - info->age) % PATTERNS, info->side,
                         seed - info->age + 100u * info->component, info->type, t->bits[i], &t->frame[i].plane[p]);
    }
}

/* The passes that write what a pass reads. */
static void run_before(struct trials *t, unsigned i, graph_pass p)
{
    const struct graph *g = t->graph[i];
    for (unsigned in = 0; in < assay_kernel_info[g->pass[p].kernel].planes_in; in++) {
        const struct graph_plane_info *plane = &g->plane[g->pass[p].plane[in]];
        if (plane->input || t->ran[i][plane->pass])
            continue;
        run_before(t, i, plane->pass);
        const struct trial_pass pass = trial_of(g, plane->pass);
        const struct trial trial = selftest_frame_trial(&t->frame[i], plane->pass);
        trial_expect(&pass, &trial);
        t->ran[i][plane->pass] = true;
    }
}

static void each_of_graph(struct trials *t, unsigned i, graph_pass p, enum pattern pattern, uint32_t seed,
                          trials_fn *test, void *opaque)
{
    struct assay_error e = {0};
    const size_t passes = t->graph[i]->passes;
    if (!t->ran[i]) {
        must(selftest_frame_init(&t->frame[i], t->graph[i], &e), &e);
        t->ran[i] = allocate(passes);
        t->filled[i].seed = seed + 1;
    }
    if (t->filled[i].pattern != pattern || t->filled[i].seed != seed) {
        memset(t->ran[i], 0, passes);
        fill(t, i, pattern, seed);
        t->filled[i].pattern = pattern;
        t->filled[i].seed = seed;
    }
    run_before(t, i, p);
    const struct trial trial = selftest_frame_trial(&t->frame[i], p);
    struct trials_pass pass = {.pass = trial_of(t->graph[i], p), .read = trial.plane, .pattern = pattern, .seed = seed};
    pass.pass.bits = t->bits[i];
    test(opaque, &pass);
}

static void each_of_primitive(const struct trials *t, unsigned kernel, unsigned set, enum pattern pattern,
                              uint32_t seed, uint32_t bits, trials_fn *test, void *opaque)
{
    struct kernel_plane read[KERNEL_PLANES] = {{0}};
    const struct trials_pass pass = {.pass = primitive_make(kernel, t->width, t->height, bits, set), .read = read,
                                     .pattern = pattern, .seed = seed};
    for (unsigned i = 0; i < pass.pass.info->planes_in; i++) {
        const size_t row = (size_t)pass.pass.plane[i].width * sample_size(pass.pass.info->plane[i]);
        read[i] = (struct kernel_plane){.data = allocate(row * pass.pass.plane[i].height), .stride = (ptrdiff_t)row};
        primitive_fill(&pass.pass, i, pattern, seed, &read[i]);
    }
    test(opaque, &pass);
    for (unsigned i = 0; i < KERNEL_PLANES; i++)
        free(read[i].data);
}

void trials_each(struct trials *t, unsigned kernel, unsigned number, enum pattern pattern, uint32_t seed, uint32_t bits,
                 trials_fn *test, void *opaque)
{
    if (primitive_known(kernel)) {
        each_of_primitive(t, kernel, number, pattern, seed, bits, test, opaque);
        return;
    }
    for (unsigned i = 0; i < t->graphs; i++)
        for (graph_pass p = 0; p < t->graph[i]->passes; p++)
            if (t->graph[i]->pass[p].kernel == kernel && !number--) {
                each_of_graph(t, i, p, pattern, seed, test, opaque);
                return;
            }
}

unsigned trials_kernel(const char *name)
{
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (!strcmp(assay_kernel_info[k].name, name))
            return k;
    fprintf(stderr, "no kernel is called %s\n", name);
    exit(99);
}

struct graph *trials_graph(const struct trial_pass *pass, unsigned (*age)(unsigned turn, unsigned plane), unsigned turn,
                           graph_plane out[KERNEL_PLANES], struct assay_error *e)
{
    struct graph_pass_request request = {.grid_w = pass->grid_w, .grid_h = pass->grid_h};
    const struct kernel_info *k = pass->info;
    struct graph *g = graph_new(e);
    int rc = g ? 0 : -1;
    graph_pass p;
    while (assay_kernel_variant[request.family][k->plane[0]] != (int)pass->kernel)
        request.family++;
    for (unsigned i = 0; i < k->planes_in && !rc; i++)
        rc = graph_input_before(g, age ? age(turn, i) : 0, i % 2 ? SIDE_DIS : SIDE_REF, i / 2, k->plane[i],
                                pass->plane[i].width, pass->plane[i].height, &request.in[i], e);
    for (unsigned i = 0; i < k->planes_out; i++) {
        request.out[i].width = pass->plane[k->planes_in + i].width;
        request.out[i].height = pass->plane[k->planes_in + i].height;
    }
    memcpy(request.param, pass->param, sizeof request.param);
    if (!rc)
        rc = graph_add(g, &request, &p, out, e);
    if (!rc) {
        g->keep = true;
        rc = graph_seal(g, e);
    }
    if (rc)
        graph_free(&g);
    return g;
}
