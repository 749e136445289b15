/* SPDX-License-Identifier: BSD-2-Clause */
/* A report as points of `assay bdrate`. A point that is taken matches itself; a refusal is one line that begins with
 * the path. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "results/encode.h"

static const struct gate figures[] = {
    {.key = "vmaf", .pool = POOL_MEAN},
    {.key = "vmaf", .pool = POOL_PERC, .percent = 5, .pool_named = true, .pool_name = "p5"},
    {.key = "psnr_y", .pool = POOL_HARMONIC_MEAN, .pool_named = true, .pool_name = "harmonic_mean"},
    {.key = "apsnr_y", .pool = POOL_MEAN},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

static bool is_refusal(const struct assay_error *e)
{
    return (e->code == ASSAY_EINPUT || e->code == ASSAY_EUSAGE) && !strncmp(e->text, "r.json: ", 8) &&
           !strchr(e->text, '\n');
}

static void take(const struct report_file *r, uint32_t i)
{
    struct assay_error e = {0};
    struct encode x;
    if (!encode_of_report(&x, r, i, "r.json", figures, FIGURES, &e)) {
        if (!x.frames || x.has[0] != x.has[1] || encodes_match(&x, &x, NULL, 0, &e))
            abort();
    } else if (x.reference || x.configuration || !is_refusal(&e)) {
        abort();
    }
    encode_free(&x);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct assay_error e = {0};
    struct report_file r;
    if (report_file_parse(&r, "r.json", (const char *)data, size, &e)) {
        if (r.root || r.encodes || !is_refusal(&e))
            abort();
        return 0;
    }
    for (uint32_t i = 0; i < (r.encodes ? r.encodes : 1); i++)
        take(&r, i);
    report_file_free(&r);
    return 0;
}
