/* SPDX-License-Identifier: BSD-2-Clause */
/* assay merge PART ...: the reports of a whole run from the exact results of its parts. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/worst.h"
#include "host/text.h"
#include "results/report_read.h"
#include "results/shard.h"
#include "run/session.h"

/* One file may be in different folders on different machines, so only file names are compared. */
static void notice_files(const struct cli *c, const struct stored *part)
{
    static const char *const names[] = {"reference_file", "distorted_file"};
    for (unsigned side = 0; !c->quiet && side < 2; side++)
        for (uint32_t i = 1; i < c->parts; i++) {
            const char *first = report_run_field(&part[0].run, names[side]),
                       *other = report_run_field(&part[i].run, names[side]);
            if (!first || !other || !strcmp(file_name(first), file_name(other)))
                continue;
            text_say("%s is '%s' in %s and '%s' in %s", names[side], first, part[0].path, other, part[i].path);
            break;
        }
}

static int merge(const struct cli *c, struct stored *part, struct stored *whole, assay_session **s,
                 struct assay_error *e)
{
    const char *no_videos = thumbs_wanted(c) ? "assay merge has the scores and not the videos" : NULL;
    TRY(results_spared(c, e));
    for (uint32_t i = 0; i < c->parts; i++)
        TRY(stored_read(&part[i], c->part[i], NULL, 0, e));
    TRY(shards_merge(part, c->parts, whole, e));
    notice_files(c, part);
    TRY(stored_whole(s, whole, e));
    const int rc = results_stored(c, *s, whole, no_videos, e);
    return rc < 0 || !whole->run.incomplete
        ? rc : assay_fail(e, ASSAY_EMISMATCH, "the merged run is incomplete: %s",
                          whole->run.reason ? whole->run.reason : "a part is");
}

int cli_merge(const struct cli *c, struct assay_error *e)
{
    struct stored *part = calloc(c->parts, sizeof *part), whole = {0};
    assay_session *s = NULL;
    if (!part)
        return assay_fail_memory(e, "the parts");
    const int rc = merge(c, part, &whole, &s, e);
    assay_session_close(&s);
    stored_free(&whole);
    for (uint32_t i = 0; i < c->parts; i++)
        stored_free(&part[i]);
    free(part);
    return rc;
}
