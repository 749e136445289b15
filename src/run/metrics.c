/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of a run, added to a session. */
#include "run/pair.h"

#include <string.h>

bool request_takes_all(struct request *q, const char *text)
{
    const bool everything = !strcmp(text, "everything"), all = everything || !strcmp(text, "all");
    q->all_metrics = q->all_metrics || all;
    q->slow_metrics = q->slow_metrics || everything;
    return all;
}

int request_add_all(const struct request *q, assay_session *s, const assay_format *format, request_left_out *left_out,
                    void *opaque, struct assay_error *e)
{
    return session_failed(s, (q->slow_metrics ? assay_session_add_everything : assay_session_add_all)(
                                 s, format, left_out, opaque), e);
}

int run_add_metrics(const struct request *q, assay_session *s, const assay_config *config, const assay_format *format,
                    void (*left_out)(void *opaque, const char *metric, const char *reason), void *opaque,
                    struct assay_error *e)
{
    static const char *const fallback[] = {"vmaf", "psnr", "float_ms_ssim"};
    const unsigned fallbacks = sizeof fallback / sizeof fallback[0];
    for (uint32_t i = 0; i < q->metrics; i++)
        TRY(session_failed(s, assay_session_add_metric(s, q->metric[i]), e));
    if (q->all_metrics)
        TRY(request_add_all(q, s, format, left_out, opaque, e));
    /* No metric was named: add those of the common metrics that the pair allows. */
    for (unsigned i = 0; !q->metrics && !q->all_metrics && i < fallbacks; i++) {
        char why[512];
        const int allowed = assay_metric_allows(fallback[i], config, format, why, sizeof why);
        if (allowed && allowed != ASSAY_EUSAGE)
            return assay_fail(e, allowed, "%s", why);
        if (allowed && left_out)
            left_out(opaque, fallback[i], why);
        else if (!allowed)
            TRY(session_failed(s, assay_session_add_metric(s, fallback[i]), e));
    }
    return ASSAY_OK;
}
