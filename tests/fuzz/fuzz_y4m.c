/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as Y4M: as they are, or after the magic when they lack it. */
#include <stdlib.h>
#include <string.h>

#include "feed.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char magic[] = "YUV4MPEG2 ";
    static unsigned char stream[FEED_MOST];
    size_t n = 0;
    if (size < sizeof magic - 1 || memcmp(data, magic, sizeof magic - 2) != 0) {
        n = sizeof magic - 1;
        memcpy(stream, magic, n);
    }
    if (size > sizeof stream - n)
        size = sizeof stream - n;
    if (size > 0)
        memcpy(stream + n, data, size);
    feed_both_ways(stream, n + size, (struct input_options) { 0 });
    return 0;
}
