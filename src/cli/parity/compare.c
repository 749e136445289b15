/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/parity/compare.h"

#include <stdlib.h>
#include <string.h>

#include "engine/session.h"

static uint32_t sample_at(const void *plane, size_t index, uint32_t size)
{
    uint32_t bits = 0; /* samples are little-endian */
    memcpy(&bits, (const char *)plane + index * size, size);
    return bits;
}

bool parity_compare_planes(const void *a, const void *b, enum sample_type type, uint32_t width, uint32_t height,
                           struct parity_plane *first)
{
    const uint32_t size = sample_size(type);
    const size_t row = (size_t)width * size;
    first->count = 0;
    for (uint32_t y = 0; y < height; y++) {
        const size_t start = (size_t)y * width;
        if (!memcmp((const char *)a + start * size, (const char *)b + start * size, row))
            continue;
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t bits[2] = {sample_at(a, start + x, size), sample_at(b, start + x, size)};
            if (bits[0] == bits[1])
                continue;
            if (!first->count++) {
                first->type = type;
                first->width = width;
                first->height = height;
                first->x = x;
                first->y = y;
                first->bits[0] = bits[0];
                first->bits[1] = bits[1];
            }
        }
    }
    return first->count != 0;
}

static int compare_plane(struct assay_session *const s[2], graph_pass pass, unsigned output, void *const buffer[2],
                         struct parity *p, struct assay_error *e)
{
    const struct graph *g = s[0]->graph;
    const struct graph_pass_info *info = &g->pass[pass];
    const graph_plane plane = info->plane[assay_kernel_info[info->kernel].planes_in + output];
    const struct graph_plane_info *k = &g->plane[plane];
    struct parity_plane found = {.pass = pass, .output = output};
    for (unsigned i = 0; i < 2; i++) {
        const int rc = session_read_plane(s[i], plane, buffer[i], (size_t)k->width * sample_size(k->type));
        if (rc)
            return assay_fail(e, rc, "%s", s[i]->error.text);
    }
    if (parity_compare_planes(buffer[0], buffer[1], k->type, k->width, k->height, &found))
        p->plane[p->planes++] = found;
    return ASSAY_OK;
}

static void compare_totals(struct assay_session *const s[2], graph_pass pass, struct parity *p)
{
    const struct graph_pass_info *info = &s[0]->graph->pass[pass];
    for (uint32_t i = 0; i < info->totals_n; i++) {
        const int64_t a = s[0]->results.totals[info->totals + i], b = s[1]->results.totals[info->totals + i];
        if (a == b)
            continue;
        if (p->totals < PARITY_LISTED)
            p->total[p->totals++] = (struct parity_total){pass, i, {a, b}};
        p->totals_differ++;
    }
    for (uint32_t i = 0; i < info->extrema_n; i++) {
        const uint32_t *a = s[0]->results.extrema + 2 * (size_t)(info->extrema + i);
        const uint32_t *b = s[1]->results.extrema + 2 * (size_t)(info->extrema + i);
        if (a[0] == b[0] && a[1] == b[1])
            continue;
        if (p->extrema < PARITY_LISTED)
            p->extremum[p->extrema++] = (struct parity_extremum){pass, i, {a[0], b[0]}, {a[1], b[1]}};
        p->extrema_differ++;
    }
}

const struct graph *parity_graph(const struct assay_session *s)
{
    return s->graph;
}

/* The same metrics on the same format make the same graph. Planes of different graphs can't be compared. */
static bool same_graph(const struct graph *a, const struct graph *b)
{
    bool same = a->passes == b->passes && a->planes == b->planes && a->totals == b->totals && a->extrema == b->extrema;
    for (graph_pass i = 0; same && i < a->passes; i++)
        same = a->pass[i].kernel == b->pass[i].kernel;
    return same;
}

int parity_compare(struct assay_session *a, struct assay_session *b, struct parity *p, struct assay_error *e)
{
    struct assay_session *const s[2] = {a, b};
    void *buffer[2] = {NULL, NULL};
    size_t bytes = 1;
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < 2; i++) {
        const int rc = session_drain(s[i]);
        if (rc)
            return assay_fail(e, rc, "%s", s[i]->error.text);
    }
    if (!same_graph(a->graph, b->graph) || !a->results.totals || !b->results.totals)
        return assay_fail(e, ASSAY_EINTERNAL, "sessions that ran different passes can't be compared");
    const struct graph *g = a->graph;
    for (graph_plane i = 0; i < g->planes; i++) {
        const size_t size = (size_t)g->plane[i].width * g->plane[i].height * sample_size(g->plane[i].type);
        bytes = size > bytes && !g->plane[i].input ? size : bytes;
    }
    p->plane = calloc(g->planes + 1, sizeof *p->plane);
    p->total = calloc(PARITY_LISTED, sizeof *p->total);
    p->extremum = calloc(PARITY_LISTED, sizeof *p->extremum);
    buffer[0] = malloc(bytes);
    buffer[1] = malloc(bytes);
    int rc = p->plane && p->total && p->extremum && buffer[0] && buffer[1]
                 ? ASSAY_OK
                 : assay_fail_memory(e, "two planes to compare");
    for (graph_pass pass = 0; !rc && pass < g->passes; pass++) {
        for (unsigned o = 0; !rc && o < assay_kernel_info[g->pass[pass].kernel].planes_out; o++)
            rc = compare_plane(s, pass, o, buffer, p, e);
        if (!rc)
            compare_totals(s, pass, p);
    }
    free(buffer[0]);
    free(buffer[1]);
    return rc;
}

void parity_free(struct parity *p)
{
    free(p->plane);
    free(p->total);
    free(p->extremum);
    *p = (struct parity){0};
}
