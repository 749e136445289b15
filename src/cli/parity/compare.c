/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/parity/compare.h"

#include <stdlib.h>
#include <string.h>

bool parity_compare_planes(const void *a, const void *b, struct parity_plane *p)
{
    const uint32_t size = p->of.sample_size, width = p->of.width;
    const size_t samples = (size_t)width * p->of.height;
    p->count = 0;
    if (!memcmp(a, b, samples * size))
        return false;
    for (size_t i = 0; i < samples; i++) {
        uint32_t bits[2] = {0, 0}; /* samples are little-endian */
        memcpy(&bits[0], (const char *)a + i * size, size);
        memcpy(&bits[1], (const char *)b + i * size, size);
        if (bits[0] == bits[1] || p->count++)
            continue;
        p->x = (uint32_t)(i % width);
        p->y = (uint32_t)(i / width);
        memcpy(p->bits, bits, sizeof bits);
    }
    return true;
}

static int compare_plane(assay_session *const s[2], uint32_t index, const assay_plane *of, void *const buffer[2],
                         struct parity *p, struct assay_error *e)
{
    struct parity_plane found = {.of = *of};
    const size_t row = (size_t)of->width * of->sample_size;
    for (unsigned i = 0; i < 2; i++)
        TRY(session_failed(s[i], assay_session_read_plane(s[i], index, buffer[i], row), e));
    if (parity_compare_planes(buffer[0], buffer[1], &found))
        p->plane[p->planes++] = found;
    return ASSAY_OK;
}

/* Compares what pass p->passes wrote beside planes. */
static int compare_results(assay_session *const s[2], const assay_pass *of, void *const buffer[2], struct parity *p,
                           struct assay_error *e)
{
    const int64_t *const a = buffer[0], *const b = buffer[1];
    uint32_t *extrema[2];
    for (unsigned i = 0; i < 2; i++) {
        extrema[i] = (uint32_t *)((int64_t *)buffer[i] + of->totals);
        TRY(session_failed(s[i], assay_session_read_pass(s[i], p->passes, buffer[i], extrema[i]), e));
    }
    for (uint32_t i = 0; i < of->totals; i++)
        if (a[i] != b[i] && p->totals_differ++ < PARITY_LISTED)
            p->total[p->totals++] = (struct parity_total){*of, p->passes, i, {a[i], b[i]}};
    for (uint32_t i = 0; i < of->extrema; i++) {
        const uint32_t *c = extrema[0] + 2 * (size_t)i, *d = extrema[1] + 2 * (size_t)i;
        if ((c[0] != d[0] || c[1] != d[1]) && p->extrema_differ++ < PARITY_LISTED)
            p->extremum[p->extrema++] = (struct parity_extremum){*of, p->passes, i, {c[0], d[0]}, {c[1], d[1]}};
    }
    return ASSAY_OK;
}

/* The same metrics on the same format make the same passes. Planes of different ones can't be compared. */
static int same_passes(const assay_session *a, const assay_session *b, struct assay_error *e)
{
    char *const text[2] = {assay_session_describe_graph(a), assay_session_describe_graph(b)};
    int rc = text[0] && text[1] ? ASSAY_OK : assay_fail_memory(e, "the passes of two sessions");
    if (!rc && strcmp(text[0], text[1]))
        rc = assay_fail(e, ASSAY_EINTERNAL, "sessions that ran different passes can't be compared");
    free(text[0]);
    free(text[1]);
    return rc;
}

/* The bytes of the largest plane, or of what a pass writes beside planes. */
static size_t largest(assay_session *s)
{
    assay_plane plane;
    assay_pass pass;
    size_t most = 1, bytes;
    for (uint32_t i = 0; !assay_session_plane(s, i, &plane); i++, most = bytes > most ? bytes : most)
        bytes = (size_t)plane.width * plane.height * plane.sample_size;
    for (uint32_t i = 0; !assay_session_pass(s, i, &pass); i++, most = bytes > most ? bytes : most)
        bytes = ((size_t)pass.totals + pass.extrema) * sizeof(int64_t);
    return most;
}

int parity_compare(assay_session *a, assay_session *b, struct parity *p, struct assay_error *e)
{
    assay_session *const s[2] = {a, b};
    assay_plane plane;
    assay_pass pass;
    memset(p, 0, sizeof *p);
    TRY(same_passes(a, b, e));
    const size_t bytes = largest(a);
    void *const buffer[2] = {malloc(bytes), malloc(bytes)};
    p->plane = calloc(assay_session_planes(a) + (size_t)1, sizeof *p->plane);
    int rc = p->plane && buffer[0] && buffer[1] ? ASSAY_OK : assay_fail_memory(e, "two planes to compare");
    for (uint32_t i = 0; !rc && !assay_session_plane(a, i, &plane); i++)
        rc = plane.view ? ASSAY_OK : compare_plane(s, i, &plane, buffer, p, e);
    for (; !rc && !assay_session_pass(a, p->passes, &pass); p->passes++)
        rc = compare_results(s, &pass, buffer, p, e);
    free(buffer[0]);
    free(buffer[1]);
    return rc;
}

void parity_free(struct parity *p)
{
    free(p->plane);
    *p = (struct parity){0};
}
