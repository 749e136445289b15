/* SPDX-License-Identifier: BSD-2-Clause */
/* The gates of assay image: which hold for a pair, and what is printed of them. */
#include <string.h>

#include "cli/image/image.h"

/* The figures that count pixels: a gate on them may have a limit in percent. */
static const char *const counts[] = {"diff_pixels", "alpha_diff_pixels", "not_finite", "outside", "beyond_tolerance",
                                     "alpha_beyond_tolerance"};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static int check_percent(const struct gate *g, struct assay_error *e)
{
    for (unsigned i = 0; i < COUNTS; i++)
        if (!strcmp(g->key, counts[i]))
            return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "%s: a limit in percent is of the picture's pixels, and '%s' counts no pixels "
                      "(diff_pixels does)", g->over ? "--fail-over" : "--fail-under", g->key);
}

static int direction_of(const struct images *r, const char *key)
{
    for (uint32_t i = 0; i < r->keys; i++)
        if (!strcmp(r->key[i], key))
            return r->direction[i];
    return ASSAY_NEUTRAL;
}

/* A gate fails on a pair that lacks its figure. A name that no pair can have is an error. */
int image_gates(const struct images *r, struct image_pair *p, struct assay_error *e)
{
    for (uint32_t i = 0; i < r->gates; i++) {
        const struct gate *g = &r->gate[i];
        double v;
        const bool has = image_gate_value(p, g, &v);
        if (g->pool_named || (!has && !r->folders))
            TRY(gates_validate(g, 1, &(struct gate_names){.names = p->figures, .name = p->key}, e));
        TRY(gate_check_direction(g, direction_of(r, g->key), e));
        TRY(g->of_pixels ? check_percent(g, e) : ASSAY_OK);
        p->failed = p->failed || !has || !gate_passes(g, v);
    }
    return ASSAY_OK;
}

int image_gates_known(const struct images *r, struct assay_error *e)
{
    for (uint32_t i = 0; i < r->gates; i++) {
        bool known = false;
        double v;
        for (uint32_t k = 0; k < r->done && !known; k++)
            known = image_gate_value(&r->pair[k], &r->gate[i], &v);
        if (!known && r->keys)
            return gates_validate(&r->gate[i], 1,
                                  &(struct gate_names){.names = r->keys, .name = (const char **)r->key}, e);
    }
    return ASSAY_OK;
}

/* Says that alpha differs where gates look at other figures alone. */
static void print_ungated_alpha(const struct images *r, FILE *out)
{
    const struct image_pair *first = NULL;
    char where[340] = "";
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < r->gates; i++)
        if (!strncmp(r->gate[i].key, "alpha_", 6))
            return;
    for (uint32_t i = 0; r->gates && i < r->done; i++) {
        if (!image_figure_above(&r->pair[i], "alpha_diff_pixels"))
            continue;
        first = first ? first : &r->pair[i];
        pairs++;
    }
    if (!first)
        return;
    if (r->folders)
        snprintf(where, sizeof where, "%u pair%s, the first is %.300s: ", pairs, pairs == 1 ? "" : "s", first->name);
    fprintf(out, "note  alpha differs in %s%.0f pixels, and no gate is on it (--fail-over alpha_max_diff=0)\n", where,
            *image_figure(first, "alpha_diff_pixels"));
}

void image_print_gates(const struct images *r, FILE *out)
{
    for (uint32_t i = 0; i < r->done; i++) {
        const struct image_pair *p = &r->pair[i];
        char where[300] = "";
        if (r->folders)
            snprintf(where, sizeof where, "%s: ", p->name);
        for (uint32_t k = 0; !p->code && k < r->gates; k++) {
            double v;
            if (!image_gate_value(p, &r->gate[k], &v))
                fprintf(out, "FAIL  %s%s: this pair has no such figure\n", where, r->gate[k].key);
            else if (!r->folders || !gate_passes(&r->gate[k], v)) /* of folders, only gates that fail */
                gate_print(out, &r->gate[k], where, v);
        }
    }
    print_ungated_alpha(r, out);
}
