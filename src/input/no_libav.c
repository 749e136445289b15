/* SPDX-License-Identifier: BSD-2-Clause */
/* The build without FFmpeg's libraries. */
#include "input/reader.h"

int libav_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
               struct assay_error *e)
{
    (void)options;
    *out = NULL;
    stream_close(&s);
    return assay_fail(e, ASSAY_EINPUT,
                      "%s: is not Y4M, and this build has no libav; give -w, -h, -p and -b if it is raw YUV", name);
}

const char *libav_libraries(void)
{
    return "";
}
