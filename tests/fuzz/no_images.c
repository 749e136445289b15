/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands for the readers of images, whose libraries a fuzzer of Y4M or raw video does not test: nothing is an image. */
#include "input/image_decoder.h"
#include "input/reader.h"

bool image_is(struct stream *s)
{
    (void)s;
    return false;
}

int image_input_open(struct input **out, struct stream *s, const char *name, struct assay_error *e)
{
    *out = NULL;
    stream_close(&s);
    return assay_fail(e, ASSAY_EINPUT, "%s: is an image", name);
}

int numbered_open(struct input **out, const char *name, const struct input_options *options, struct assay_error *e)
{
    (void)options;
    *out = NULL;
    return assay_fail(e, ASSAY_EINPUT, "%s: are images", name);
}
