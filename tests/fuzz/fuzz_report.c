/* SPDX-License-Identifier: BSD-2-Clause */
/* A report as a point of `assay bdrate`. One that is taken matches itself; a refusal is one line that begins with the
 * path. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/encode.h"

static const struct gate figures[] = {
    {.key = "vmaf", .pool = POOL_MEAN},
    {.key = "vmaf", .pool = POOL_PERC, .percent = 5, .pool_named = true, .pool_name = "p5"},
    {.key = "psnr_y", .pool = POOL_HARMONIC_MEAN, .pool_named = true, .pool_name = "harmonic_mean"},
    {.key = "apsnr_y", .pool = POOL_MEAN},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct assay_error e = {0};
    struct encode x;
    const int rc = encode_parse(&x, "r.json", (const char *)data, size, figures, FIGURES, &e);
    if (!rc) {
        if (!x.frames || x.has[0] != x.has[1] || encodes_match(&x, "r.json", &x, "r.json", NULL, 0, &e))
            abort();
    } else if (x.reference || x.configuration || (rc != ASSAY_EINPUT && rc != ASSAY_EUSAGE) ||
               strncmp(e.text, "r.json: ", 8) || strchr(e.text, '\n')) {
        abort();
    }
    encode_free(&x);
    return 0;
}
