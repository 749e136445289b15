/* SPDX-License-Identifier: BSD-2-Clause */
/* The build without FFmpeg's libraries. */
#include "input/reader.h"

int libav_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
               struct assay_error *e)
{
    *out = NULL;
    stream_close(&s);
    return assay_fail(e, ASSAY_EINPUT, "%s: is %s, and this build has no libav%s%s", name,
                      options->image ? "no image" : "not Y4M", input_unknown(options),
                      options->image ? "" : FFMPEG_PIPE);
}

const char *libav_libraries(void)
{
    return "";
}
