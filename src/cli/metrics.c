/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of a run, added to a session. */
#include <string.h>

#include "cli/cli.h"
#include "host/text.h"

/* A reason of the library begins with "encode N: " where it is of one of several. */
void left_out_note(void *opaque, const char *metric, const char *reason)
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

void left_out_say(const struct left_out *l)
{
    if (l->c->verbose || !l->c->q.all_metrics || !l->metrics)
        return;
    if (l->metrics == 1)
        text_say("%s", l->first);
    else
        text_say("%u metrics are left out (--verbose says why): %s", l->metrics, l->all);
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
