/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/webp.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/late.h"

typedef size_t encode_function(const uint8_t *rgb, int width, int height, int stride, float quality, uint8_t **out);
typedef size_t exact_function(const uint8_t *rgb, int width, int height, int stride, uint8_t **out);
typedef void free_function(void *memory);

static struct {
    bool whole;
    encode_function *encode;
    exact_function *exact;
    free_function *release;
} lib;

static void load(void)
{
    void *const library = dlopen("libwebp.so.7", RTLD_NOW | RTLD_LOCAL); /* never closed */
    lib.whole = late_find(library, "WebPEncodeRGB", &lib.encode) &&
                late_find(library, "WebPEncodeLosslessRGB", &lib.exact) && late_find(library, "WebPFree", &lib.release);
}

int webp_available(struct assay_error *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return lib.whole ? ASSAY_OK
                     : assay_fail(e, ASSAY_EUSAGE, "they are coded by libwebp, which this machine does not have "
                                  "(Debian's package is libwebp7)");
}

int webp_encode(const uint8_t *rgb, uint32_t width, uint32_t height, int quality, void **data, size_t *size,
                struct assay_error *e)
{
    uint8_t *coded = NULL;
    *data = NULL;
    TRY(webp_available(e));
    *size = quality == WEBP_EXACT
        ? lib.exact(rgb, (int)width, (int)height, (int)width * 3, &coded)
        : lib.encode(rgb, (int)width, (int)height, (int)width * 3, (float)quality, &coded);
    *data = *size ? malloc(*size) : NULL;
    if (*data)
        memcpy(*data, coded, *size);
    lib.release(coded);
    return *data ? ASSAY_OK : assay_fail_memory(e, "a small picture");
}
