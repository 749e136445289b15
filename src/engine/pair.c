/* SPDX-License-Identifier: BSD-2-Clause */
/* What the metrics are told of a frame pair, and which formats no metric can take. */
#include <string.h>

#include "engine/session.h"

/* Integer weights of luma in 2^-16, of full-range RGB; they sum to 2^16 exactly. */
static const struct { const char *name; int32_t weight[3]; } rgb_matrix[] = {
    {"bt709", {13933, 46871, 4732}},  /* 0.2126 0.7152 0.0722, ITU-R BT.709 */
    {"bt601", {19595, 38470, 7471}},  /* 0.299 0.587 0.114, ITU-R BT.601 */
};

static int rgb_conversion(struct metric_pair *pair, const assay_config *config, struct assay_error *e)
{
    for (unsigned i = 0; i < sizeof rgb_matrix / sizeof rgb_matrix[0]; i++) {
        if (strcmp(config->rgb_matrix, rgb_matrix[i].name))
            continue;
        const uint32_t depth = pair->format.bit_depth, peak = (1u << depth) - 1, span = 219u << (depth - 8);
        const bool limited = config->rgb_range == ASSAY_RANGE_LIMITED;
        pair->rgb_to_luma = pair->has_luma = true;
        pair->rgb_offset = limited ? (int32_t)(16u << (depth - 8)) : 0;
        for (unsigned c = 0; c < 3; c++) {
            const int64_t w = rgb_matrix[i].weight[c];
            pair->rgb_weight[c] = (int32_t)(limited ? (w * span + peak / 2) / peak : w);
        }
        return ASSAY_OK;
    }
    return assay_fail(e, ASSAY_EUSAGE, "no RGB matrix is called '%s' (bt709, bt601)", config->rgb_matrix);
}

int session_pair(struct metric_pair *pair, const assay_config *config, const assay_format *format,
                 struct assay_error *e)
{
    *pair = (struct metric_pair){.format = *format, .has_luma = format->layout != ASSAY_LAYOUT_RGB,
                                 .whole_width = format->width, .whole_height = format->height};
    if (!format->width || !format->height || format->width > 65535 || format->height > 65535)
        return assay_fail(e, ASSAY_EUSAGE, "pictures are 1x1 to 65535x65535, not %ux%u", format->width, format->height);
    if (format->bit_depth < 8 || format->bit_depth > 16)
        return assay_fail(e, ASSAY_EUSAGE, "samples have 8 to 16 bits, not %u", format->bit_depth);
    if (format->layout <= ASSAY_LAYOUT_UNKNOWN || format->layout > ASSAY_LAYOUT_RGB)
        return assay_fail(e, ASSAY_EUSAGE, "the pictures' layout is not stated");
    if (format->alpha > 1 || (format->gamma && (format->gamma < 12500 || format->gamma > 1000000)))
        return assay_fail(e, ASSAY_EUSAGE, "alpha is 0 or 1 and gamma 0 or 12500 to 1000000, not %u and %u",
                          format->alpha, format->gamma);
    if (format->layout == ASSAY_LAYOUT_RGB && config->rgb_matrix)
        return rgb_conversion(pair, config, e);
    return ASSAY_OK;
}
