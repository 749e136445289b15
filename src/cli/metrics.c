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
