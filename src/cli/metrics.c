/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of a run, added to a session. */
#include <string.h>

#include "cli/cli.h"
#include "host/text.h"

/* The metrics that a run leaves out. Of several that -m all asked for, only --verbose tells more than their names. */
struct left_out {
    const struct cli *c;
    const char *const *name; /* of the encodes */
    uint32_t names, metrics;
    char first[640], all[1024];
};

/* A reason of the library begins with "encode N: " where it is of one of several. */
static void leave_out(void *opaque, const char *metric, const char *reason)
{
    struct left_out *l = opaque;
    unsigned encode = 0;
    int n = 0;
    if (sscanf(reason, "encode %u: %n", &encode, &n) != 1 || !n || encode >= l->names)
        n = 0;
    char line[sizeof l->first];
    snprintf(line, sizeof line, "%s is left out: %s%s%s", metric, n ? l->name[encode] : "", n ? ": " : "", reason + n);
    if (l->c->verbose || !l->c->q.all_metrics)
        text_say("%s", line);
    else if (!l->metrics)
        memcpy(l->first, line, sizeof line);
    text_append(l->all, sizeof l->all, "%s%s", l->metrics++ ? ", " : "", metric);
}

static void say_left_out(const struct left_out *l)
{
    if (l->c->verbose || !l->c->q.all_metrics || !l->metrics)
        return;
    if (l->metrics == 1)
        text_say("%s", l->first);
    else
        text_say("%u metrics are left out (--verbose says why): %s", l->metrics, l->all);
}

int cli_add_metrics(const struct cli *c, assay_session *s, const assay_config *config, const assay_format *format,
                    const char *const *name, uint32_t names, struct assay_error *e)
{
    static const char *const fallback[] = {"vmaf", "psnr", "float_ms_ssim"};
    const unsigned fallbacks = sizeof fallback / sizeof fallback[0];
    struct left_out left = {.c = c, .name = name, .names = names};
    void (*const say)(void *, const char *, const char *) = name && !c->quiet ? leave_out : NULL;
    for (uint32_t i = 0; i < c->q.metrics; i++)
        TRY(cli_failed(s, assay_session_add_metric(s, c->q.metric[i]), e));
    if (c->q.all_metrics)
        TRY(cli_failed(s, assay_session_add_all(s, format, say, &left), e));
    /* No metric was named: add those of the common metrics that the pair allows. */
    for (unsigned i = 0; !c->q.metrics && !c->q.all_metrics && i < fallbacks; i++) {
        char why[512];
        const int allowed = assay_metric_allows(fallback[i], config, format, why, sizeof why);
        if (allowed && allowed != ASSAY_EUSAGE)
            return assay_fail(e, allowed, "%s", why);
        if (allowed && say)
            say(&left, fallback[i], why);
        else if (!allowed)
            TRY(cli_failed(s, assay_session_add_metric(s, fallback[i]), e));
    }
    say_left_out(&left);
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
