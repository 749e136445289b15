/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a side's pictures that is compared in place of the whole. */

#include "host/format.h"
#include "run/pair.h"

static const char *const name[2] = {"--crop-ref", "--crop-dis"};

int crop_apply(struct input *in, const struct request *q, unsigned side, struct assay_error *e)
{
    return q->crop[side].width ? input_crop(in, &q->crop[side], name[side], e) : ASSAY_OK;
}

void crop_text(char *text, size_t size, const struct input_crop *crop)
{
    snprintf(text, size, "%ux%u+%u+%u", crop->width, crop->height, crop->left, crop->top);
}

bool crop_advice(char *text, size_t size, const struct request *q, const struct pair *p)
{
    enum { BORDER = 100 }; /* a border is more than this part of the side; less is a padding to whole blocks */
    const assay_format *f[2] = {&p->source[0].format, &p->source[1].format};
    const bool ref = f[0]->width >= f[1]->width && f[0]->height >= f[1]->height;
    const unsigned larger = ref ? 0 : 1;
    const assay_format *a = f[larger], *b = f[1 - larger];
    const uint32_t x = format_chroma_shift_x(a), y = format_chroma_shift_y(a);
    struct input_crop part = {b->width, b->height, 0, 0}, wide;
    char crop[48];
    if (q->crop[larger].width || b->width > a->width || b->height > a->height)
        return false;
    if (a->width - b->width <= a->width / BORDER && a->height - b->height <= a->height / BORDER)
        return false;
    part.left = (a->width - b->width) / 2 >> x << x;
    part.top = (a->height - b->height) / 2 >> y << y;
    wide = part;
    input_crop_widen(a, &wide);
    if (wide.width != part.width || wide.height != part.height)
        return false;
    crop_text(crop, sizeof crop, &part);
    snprintf(text, size, "%s %s takes the middle of the %s, if the rest is a border", name[larger], crop,
             larger ? "distorted" : "reference");
    return true;
}
