/* SPDX-License-Identifier: BSD-2-Clause */
/* --crop-ref and --crop-dis: a part of a side's pictures is compared in place of the whole. */
#include "cli/cli.h"
#include "input/image.h"

static const char *const name[2] = {"--crop-ref", "--crop-dis"};

int crop_image(struct image *image, const struct cli *c, unsigned side, struct assay_error *e)
{
    return c->q.crop[side].width ? image_crop(image, &c->q.crop[side], name[side], e) : ASSAY_OK;
}
