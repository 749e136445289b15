/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/request.h"

const char *const allow_name[ALLOWS] = {"size", "length", "rate", "range", "depth", "format", "sar", "field-order",
                                        "rotation", "colour", "unpaired", "alpha", "damage", "playlist"};

uint32_t request_decode_threads(uint32_t processors, uint32_t files, double share)
{
    enum { MOST = 16 }; /* libav takes no more of its own accord */
    const double threads = 1.5 * processors * (1.0 / files + share) + 1.5;
    return threads < MOST ? (uint32_t)threads : MOST;
}

int request_check_options(const struct request *q, bool first, struct assay_error *e)
{
    const assay_config *config = &q->config;
    if (!config->scale && (config->scale_width || q->scale_ref || config->scale_siting))
        return assay_fail(e, ASSAY_EUSAGE, "%s needs --scale, which names the filter",
                          config->scale_width ? "--scale-to" : q->scale_ref ? "--scale-ref" : "--scale-siting");
    if (config->scale_width && q->scale_ref)
        return assay_fail(e, ASSAY_EUSAGE, "--scale-to and --scale-ref name two sizes");
    if (config->scale && q->allow[ALLOW_SIZE])
        return assay_fail(e, ASSAY_EUSAGE, "--scale and --allow-size contradict each other: one scales the pictures, "
                          "the other compares their common part");
    if (config->rgb_range && !config->rgb_matrix)
        return assay_fail(e, ASSAY_EUSAGE, "--range is of the luma that --matrix makes of RGB, which is missing "
                          "(--ref-colour and --dis-colour say what range an input has)");
    const char *const numbers = q->part ? "--shard" : first ? "--first" : q->every > 1 ? "--every" : NULL;
    if (q->pair_by == PAIR_TIME && numbers)
        return assay_fail(e, ASSAY_EUSAGE, "%s finds frames by their numbers, and --pair time by their times: one of "
                          "them must go", numbers);
    if (q->pair_by == PAIR_TIME && q->hwdec != HWDEC_OFF)
        return assay_fail(e, ASSAY_EUSAGE, "--pair time needs --hwdec off: pictures that are shown again are kept in "
                          "the host's memory");
    return ASSAY_OK;
}
