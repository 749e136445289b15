/* SPDX-License-Identifier: BSD-2-Clause */
/* --crop-ref and --crop-dis: a part of a side's pictures is compared in place of the whole. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "host/format.h"
#include "input/image.h"

static const char *const name[2] = {"--crop-ref", "--crop-dis"};

int crop_parse(void *cli, char *text, uint64_t side, struct assay_error *e)
{
    struct input_crop *crop = &((struct cli *)cli)->q.crop[side], part;
    uint32_t *const number[4] = {&part.width, &part.height, &part.left, &part.top};
    static const char behind[4] = {'x', '+', '+', 0};
    const char *at = text;
    for (unsigned i = 0; i < 4; i++, at++) {
        const size_t n = behind[i] ? strcspn(at, (char[2]){behind[i]}) : strlen(at);
        if (!n || at[n] != behind[i])
            return assay_fail(e, ASSAY_EUSAGE, "%s takes WxH+X+Y, not '%s'", name[side], text);
        TRY(option_u32(name[side], at, n, i < 2, FORMAT_MAX_SIDE, number[i], e));
        at += n;
    }
    *crop = part;
    return ASSAY_OK;
}

int crop_image(struct image *image, const struct cli *c, unsigned side, struct assay_error *e)
{
    return c->q.crop[side].width ? image_crop(image, &c->q.crop[side], name[side], e) : ASSAY_OK;
}
