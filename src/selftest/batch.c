/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/batch.h"

#include <stdlib.h>
#include <string.h>

void batches_free(struct batches *b)
{
    for (unsigned i = 0; i < b->n; i++)
        free(b->batch[i].entry);
    free(b->batch);
    memset(b, 0, sizeof *b);
}

/* Room for one more item of `size` bytes. */
static bool grow(void **items, unsigned n, unsigned *capacity, size_t size)
{
    if (n < *capacity)
        return true;
    const unsigned more = *capacity ? 2 * *capacity : 8;
    void *bigger = realloc(*items, more * size);
    if (!bigger)
        return false;
    *items = bigger;
    *capacity = more;
    return true;
}

/* The plane of the batch that holds what plane `i` of a pass needs, or its number of planes. */
static unsigned find_input(const struct batch *b, const struct recipe_pass *recipe, unsigned i)
{
    unsigned at = 0;
    while (at < b->inputs && !recipe_same_plane(&b->entry[b->input[at].entry].recipe, b->input[at].plane, recipe, i))
        at++;
    return at;
}

static unsigned missing_inputs(const struct batch *b, const struct recipe_pass *recipe)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < recipe->info->planes_in; i++)
        missing += find_input(b, recipe, i) == b->inputs;
    return missing;
}

/* Where the kernel is already, so that it is built once; else where its planes are; else where they fit. */
static unsigned rank(const struct batch *b, const struct recipe_pass *recipe)
{
    const unsigned missing = missing_inputs(b, recipe);
    bool here = false;
    for (unsigned i = 0; i < b->entries; i++)
        here |= b->entry[i].recipe.kernel == recipe->kernel;
    if (b->inputs + missing > BATCH_INPUTS)
        return 0;
    return 1u + (missing == 0) + (here ? 2 : 0);
}

static struct batch *best_batch(struct batches *b, const struct recipe_pass *recipe, struct assay_error *e)
{
    unsigned best = 0, at = b->n;
    for (unsigned i = 0; i < b->n; i++) {
        const unsigned r = rank(&b->batch[i], recipe);
        if (r > best) {
            best = r;
            at = i;
        }
    }
    void *all = b->batch;
    if (at == b->n) {
        if (!grow(&all, b->n, &b->capacity, sizeof *b->batch)) {
            assay_fail_memory(e, "the self-test");
            return NULL;
        }
        b->batch = all;
        memset(&b->batch[b->n++], 0, sizeof *b->batch);
    }
    return &b->batch[at];
}

static int add_entry(struct batch *b, const struct batch_entry *entry, struct assay_error *e)
{
    void *all = b->entry;
    if (!grow(&all, b->entries, &b->capacity, sizeof *b->entry))
        return assay_fail_memory(e, "the self-test");
    b->entry = all;
    struct batch_entry *to = &b->entry[b->entries];
    *to = *entry;
    for (unsigned i = 0; i < entry->recipe.info->planes_in; i++) {
        to->input[i] = find_input(b, &entry->recipe, i);
        if (to->input[i] == b->inputs) {
            b->input[b->inputs].entry = b->entries;
            b->input[b->inputs++].plane = i;
        }
    }
    b->entries++;
    return ASSAY_OK;
}

static int add_set(struct batches *b, unsigned kernel, unsigned set, uint32_t width, uint32_t height, unsigned result,
                   struct assay_error *e)
{
    struct batch_entry entry = {.set = set, .result = result};
    /* It can be made: the build has made it. */
    if (recipe_make(&entry.recipe, kernel, width, height, CASE_BITS, set))
        return assay_fail(e, ASSAY_EINTERNAL, "the self-test has no frame for %s", assay_kernel_info[kernel].name);
    struct batch *to = best_batch(b, &entry.recipe, e);
    return to ? add_entry(to, &entry, e) : ASSAY_EINTERNAL;
}

int batches_add(struct batches *b, unsigned kernel, unsigned result, struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (unsigned set = 0; !rc && set < recipe_param_sets(kernel); set++)
        rc = add_set(b, kernel, set, CASE_WIDTH, CASE_HEIGHT, result, e);
    return rc;
}

int batches_add_one(struct batches *b, unsigned kernel, uint32_t width, uint32_t height, struct assay_error *e)
{
    return add_set(b, kernel, 0, width, height, 0, e);
}

static int add_pass(struct graph *g, struct batch_entry *entry, struct assay_error *e)
{
    const struct recipe_pass *recipe = &entry->recipe;
    const struct kernel_info *k = recipe->info;
    struct graph_pass_request request = {.grid_w = recipe->grid_w, .grid_h = recipe->grid_h};
    for (unsigned f = 0; f < KERNEL_FAMILIES; f++)
        if (assay_kernel_variant[f][k->plane[0]] == (int)recipe->kernel)
            request.family = (enum kernel_family)f;
    for (unsigned i = 0; i < k->planes_in; i++) {
        const unsigned at = entry->input[i];
        const int rc = graph_input(g, at % 2 ? SIDE_DIS : SIDE_REF, at / 2, k->plane[i], recipe->plane[i].width,
                                   recipe->plane[i].height, &request.in[i], e);
        if (rc)
            return rc;
    }
    for (unsigned i = 0; i < k->planes_out; i++) {
        request.out[i].width = recipe->plane[k->planes_in + i].width;
        request.out[i].height = recipe->plane[k->planes_in + i].height;
    }
    memcpy(request.param, recipe->param, sizeof request.param);
    return graph_add(g, &request, &entry->pass, entry->out, e);
}

struct graph *batch_graph(struct batch *b, struct assay_error *e)
{
    struct graph *g = graph_new(e);
    int rc = g ? ASSAY_OK : ASSAY_EINTERNAL;
    for (unsigned i = 0; !rc && i < b->entries; i++)
        rc = add_pass(g, &b->entry[i], e);
    if (!rc) {
        g->keep = true;
        rc = graph_seal(g, e);
    }
    if (rc)
        graph_free(&g);
    return g;
}
