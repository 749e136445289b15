/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of a run, added to a session. */
#include "run/pair.h"

#include <string.h>

#include "host/text.h"

bool request_takes_all(struct request *q, const char *text)
{
    const bool everything = !strcmp(text, "everything"), all = everything || !strcmp(text, "all");
    q->all_metrics = q->all_metrics || all;
    q->slow_metrics = q->slow_metrics || everything;
    return all;
}

bool request_names(const struct request *q, bool colour)
{
    for (uint32_t i = 0; i < q->metrics; i++) {
        const uint32_t metric = assay_metric_find(q->metric[i]);
        if (metric != ASSAY_NONE && assay_metric_of_colour(metric) == colour)
            return true;
    }
    return false;
}

static void leave_out(void *opaque, const char *metric, const char *reason)
{
    struct left_out *l = opaque;
    if (l->n == REQUEST_METRICS)
        return;
    snprintf(l->of[l->n].metric, sizeof l->of[0].metric, "%s", metric);
    snprintf(l->of[l->n++].reason, sizeof l->of[0].reason, "%s", reason);
}

int request_add_all(const struct request *q, assay_session *s, const assay_format *format, struct left_out *left_out,
                    struct assay_error *e)
{
    return session_failed(s, (q->slow_metrics ? assay_session_add_everything : assay_session_add_all)(
                                 s, format, left_out ? leave_out : NULL, left_out), e);
}

int run_add_metrics(const struct request *q, assay_session *s, const assay_config *config, const assay_format *format,
                    struct left_out *left_out, struct assay_error *e)
{
    static const char *const fallback[] = {"vmaf", "psnr", "float_ms_ssim"};
    const unsigned fallbacks = sizeof fallback / sizeof fallback[0];
    for (uint32_t i = 0; i < q->metrics; i++)
        TRY(session_failed(s, assay_session_add_metric(s, q->metric[i]), e));
    if (q->all_metrics)
        TRY(request_add_all(q, s, format, left_out, e));
    /* No metric was named: add those of the common metrics that the pair allows. */
    for (unsigned i = 0; !q->metrics && !q->all_metrics && i < fallbacks; i++) {
        char why[512];
        const int allowed = assay_metric_allows(fallback[i], config, format, why, sizeof why);
        if (allowed && allowed != ASSAY_EUSAGE)
            return assay_fail(e, allowed, "%s", why);
        if (allowed && left_out)
            leave_out(left_out, fallback[i], why);
        else if (!allowed)
            TRY(session_failed(s, assay_session_add_metric(s, fallback[i]), e));
    }
    return ASSAY_OK;
}

const char *run_metric_of(const char *key, assay_output *output)
{
    const char *name;
    for (uint32_t m = 0; (name = assay_metric_name(m)); m++)
        for (uint32_t i = 0; !assay_metric_output(m, i, output); i++)
            if (text_word(output->keys, key) >= 0)
                return name;
    return NULL;
}

int rates_direction(const struct gate *figure, int *direction, struct assay_error *e)
{
    assay_output output = {.direction = ASSAY_NEUTRAL};
    const bool known = run_metric_of(figure->key, &output), spread = figure->pool == POOL_STDDEV ||
                                                                     figure->pool == POOL_VARIANCE;
    *direction = known && !spread ? output.direction : 0;
    if (known && output.direction == ASSAY_NEUTRAL)
        return assay_fail(e, ASSAY_EUSAGE, "-m %s: neither higher nor lower values of it are better", figure->key);
    return ASSAY_OK;
}

int rates_match(const struct encode *const *encode, uint32_t n, const struct gate *const *figure, uint32_t figures,
                struct assay_error *e)
{
    const char *metric[ENCODE_FIGURES];
    uint32_t metrics = 0;
    assay_output output;
    for (uint32_t i = 0; i < figures; i++) {
        metric[i] = run_metric_of(figure[i]->key, &output);
        metrics += metric[i] != NULL;
    }
    metrics = metrics == figures ? metrics : 0; /* a score of unknown metric: all metrics are compared */
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            TRY(encodes_match(encode[i], encode[k], metric, metrics, e));
    return ASSAY_OK;
}
