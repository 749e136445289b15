/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/webp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/late.h"

static struct {
    bool whole;
    size_t (*encode)(const uint8_t *rgb, int width, int height, int stride, float quality, uint8_t **out);
    size_t (*exact)(const uint8_t *rgb, int width, int height, int stride, uint8_t **out);
    void (*release)(void *memory);
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

static int encode(struct report_picture *to, const uint8_t *rgb, int quality, struct assay_error *e)
{
    const int width = (int)to->width, height = (int)to->height;
    uint8_t *coded = NULL;
    to->size = quality == WEBP_EXACT ? lib.exact(rgb, width, height, width * 3, &coded)
                                     : lib.encode(rgb, width, height, width * 3, (float)quality, &coded);
    void *data = to->size ? malloc(to->size) : NULL;
    if (data)
        memcpy(data, coded, to->size);
    to->data = data;
    lib.release(coded);
    return data ? ASSAY_OK : assay_fail_memory(e, "a small picture");
}

int webp_picture(struct report_picture *to, const uint8_t *rgb, const uint32_t size[2], const int *quality, size_t most,
                 bool *loss, struct assay_error *e)
{
    *to = (struct report_picture){.type = "image/webp", .width = size[0], .height = size[1]};
    TRY(webp_available(e));
    TRY(encode(to, rgb, *quality, e));
    while (to->size > most && quality[1]) {
        report_picture_free(to);
        TRY(encode(to, rgb, *++quality, e));
    }
    *loss = *loss || *quality != WEBP_EXACT;
    return ASSAY_OK;
}

void report_picture_free(struct report_picture *p)
{
    union { const void *in; void *out; } data = {.in = p->data};
    free(data.out);
    p->data = NULL;
    p->size = 0;
}
