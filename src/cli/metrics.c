/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of a run, added to a session. */
#include <string.h>

#include "cli/cli.h"
#include "host/text.h"

static void say_left_out(void *opaque, const char *metric, const char *reason)
{
    const struct cli *c = opaque;
    if (c && !c->quiet)
        text_say("%s is left out: %s", metric, reason);
}

int cli_add_metrics(const struct cli *c, assay_session *s, const assay_config *config, const assay_format *format,
                    bool say, struct assay_error *e)
{
    static const char *const fallback[] = {"vmaf", "psnr", "float_ms_ssim"};
    const unsigned fallbacks = sizeof fallback / sizeof fallback[0];
    void *told = say ? (void *)c : NULL;
    for (uint32_t i = 0; i < c->metrics; i++)
        TRY(cli_failed(s, assay_session_add_metric(s, c->metric[i]), e));
    if (c->all_metrics)
        TRY(cli_failed(s, assay_session_add_all(s, format, say_left_out, told), e));
    /* No metric was named: add those of the common metrics that the pair allows. */
    for (unsigned i = 0; !c->metrics && !c->all_metrics && i < fallbacks; i++) {
        char why[512];
        const int allowed = assay_metric_allows(fallback[i], config, format, why, sizeof why);
        if (allowed == ASSAY_EUSAGE)
            say_left_out(told, fallback[i], why);
        else if (allowed)
            return assay_fail(e, allowed, "%s", why);
        else
            TRY(cli_failed(s, assay_session_add_metric(s, fallback[i]), e));
    }
    return ASSAY_OK;
}

/* Whether `word` is one of the blank-separated words. */
static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (n == length && !strncmp(words, word, n))
            return true;
    }
    return false;
}

const char *cli_metric_of(const char *key, assay_output *output)
{
    const char *name;
    for (uint32_t m = 0; (name = assay_metric_name(m)); m++)
        for (uint32_t i = 0; !assay_metric_output(m, i, output); i++)
            if (has_word(output->keys, key))
                return name;
    return NULL;
}
