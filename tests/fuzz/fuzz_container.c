/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a container that states its size. The first byte chooses between a file and a pipe. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "feed.h"
#include "input/reader.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct assay_error e = {0};
    struct stream *s;
    char path[32];
    int ends[2] = {-1, -1};
    if (!size)
        return 0;
    const bool piped = data[0] & 1;
    size = size - 1 < FEED_MOST ? size - 1 : FEED_MOST;
    if (piped ? pipe(ends) : (ends[0] = ends[1] = memfd_create("fuzz", MFD_CLOEXEC)) < 0)
        abort();
    if (write(ends[1], data + 1, size) != (ssize_t)size)
        abort();
    if (piped)
        close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    if (stream_open(&s, path, "fuzz", NULL, &e))
        abort();
    bool joined, again;
    const uint64_t end = container_end(s, &joined);
    if (container_end(s, &again) != end || again != joined || s->offset != 0) {
        fprintf(stderr, "broken: looking for the end moves the stream\n");
        abort();
    }
    stream_close(&s);
    close(ends[0]);
    return 0;
}
