/* SPDX-License-Identifier: BSD-2-Clause */
/* The build without FFmpeg's libraries. */
#include "input/reader.h"

int libav_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
               struct assay_error *e)
{
    *out = NULL;
    stream_close(&s);
    return assay_fail(e, ASSAY_EINPUT, options->image ? "%s: is no image that this build knows, which has no libav%s" :
                      "%s: is not Y4M, and this build has no libav%s" FFMPEG_PIPE, name, input_unknown(options));
}

const char *input_libraries(void)
{
    return "";
}
