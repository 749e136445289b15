/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/adm_map.h"

#include "host/exact_math.h"
#include "metrics/options.h"

int adm_add_keys(struct metric_build *b, const char *adm, const char *aim, const struct metric_output *outputs,
                 bool debug)
{
    char tail[METRIC_KEY_SIZE];
    TRY(options_key_tail(b->metric, tail, b->error));
    TRY(metric_add_key(b, &outputs[OUT_KEPT], "%s2%s", adm, tail));
    TRY(metric_add_key(b, &outputs[OUT_ADDED], "%s%s", aim, tail));
    TRY(metric_add_key(b, &outputs[OUT_KEPT], "%s3%s", adm, tail));
    return metric_add_scale_keys(b, adm, ADM_SCALES, &outputs[OUT_KEPT], debug ? &outputs[OUT_KEPT_DEBUG] : NULL,
                                 &outputs[OUT_SUMS]);
}

int adm_add_level(struct metric_build *b, unsigned scale, graph_plane *plane, graph_plane *bands)
{
    const struct graph_plane_info *p = &b->graph->plane[*plane];
    const uint32_t w = p->width / 2 + (p->width & 1), h = p->height / 2 + (p->height & 1);
    const int bits = ADM_SIGNAL_BITS + 8 - (int)b->pair->format.bit_depth;
    struct adm_dwt_written out;
    TRY(adm_dwt_add(b->graph,
                    PASS_GRID(adm_dwt, w, h, .source = *plane, .scale = scale ? 1.0f : (float)assay_power_of_two(bits),
                              .offset = scale ? 0.0f : 128.0f * (float)assay_power_of_two(ADM_SIGNAL_BITS)),
                    &out, b->error));
    *plane = out.lows;
    *bands = out.bands;
    return ASSAY_OK;
}

/* Adds the map of lost or added detail: each pass adds a scale to the plane of the pass before, from the smallest scale
 * up. */
static int adm_join_scales(struct metric_build *b, const graph_plane values[ADM_SCALES],
                           const uint32_t height[ADM_SCALES], bool skip_scale0, bool added, graph_plane *map)
{
    for (unsigned i = ADM_SCALES; i-- > (skip_scale0 ? 1 : 0);) {
        const bool first = i == ADM_SCALES - 1;
        TRY(adm_map_add(b->graph,
                        PASS_GRID(adm_map, b->graph->plane[values[i]].width, height[i], .values = values[i],
                                  .other = first ? values[i] : *map, .added = added, .shift = first ? -1 : 1),
                        map, b->error));
    }
    return ASSAY_OK;
}

int adm_add_maps(struct metric_build *b, const struct adm_map *of)
{
    const float unit = (float)assay_power_of_two(-ADM_SIGNAL_BITS);
    graph_plane plane[2], bands[2], values[ADM_SCALES] = {0}, map = 0;
    uint32_t height[ADM_SCALES];
    TRY(metric_luma(b, SIDE_REF, &plane[0]));
    TRY(metric_luma(b, SIDE_DIS, &plane[1]));
    for (unsigned i = 0; i < ADM_SCALES; i++) {
        for (unsigned side = 0; side < 2; side++)
            TRY(adm_add_level(b, i, &plane[side], &bands[side]));
        const uint32_t w = b->graph->plane[plane[0]].width;
        height[i] = b->graph->plane[plane[0]].height;
        if (i || !of->skip_scale0)
            TRY(adm_values_add(b->graph,
                               PASS_GRID(adm_values, w, height[i], .ref = bands[0], .dis = bands[1], .left = 0,
                                         .top = 0, .rows = (int32_t)height[i], .factor_hv = of->hv[i] * unit,
                                         .factor_d = of->d[i] * unit, .gain = of->gain, .masking = of->masking),
                               &values[i], b->error));
    }
    TRY(adm_join_scales(b, values, height, of->skip_scale0, false, &map));
    TRY(metric_add_map(b, of->lost, map, 5.0));
    TRY(adm_join_scales(b, values, height, of->skip_scale0, true, &map));
    return metric_add_map(b, of->added, map, 1.0);
}
