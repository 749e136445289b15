/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of a run, added to a session. */
#include <string.h>

#include "cli/cli.h"
#include "host/text.h"

/* "vmaf is left out: b.mp4: ...". A reason of the library begins with "encode N: " where it is of one of several. */
static void line_of(char *line, size_t size, const struct left_out_metric *m, const char *const *name, uint32_t names)
{
    unsigned encode = 0;
    int n = 0;
    if (sscanf(m->reason, "encode %u: %n", &encode, &n) != 1 || !n || encode >= names)
        n = 0;
    snprintf(line, size, "%s is left out: %s%s%s", m->metric, n ? name[encode] : "", n ? ": " : "", m->reason + n);
}

void left_out_say(const struct cli *c, const struct left_out *l, const char *const *name, uint32_t names)
{
    const bool each = c->verbose || !c->q.all_metrics || l->n == 1;
    char line[640], all[1024] = "";
    for (uint32_t i = 0; !c->quiet && i < l->n; i++) {
        line_of(line, sizeof line, &l->of[i], name, names);
        text_append(all, sizeof all, "%s%s", i ? ", " : "", l->of[i].metric);
        if (each)
            text_say("%s", line);
    }
    if (!c->quiet && !each && l->n)
        text_say("%u metrics are left out (--verbose says why): %s", l->n, all);
}
