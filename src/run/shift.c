/* SPDX-License-Identifier: BSD-2-Clause */
/* A pair that looks shifted is looked at again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/text.h"
#include "run/align.h"

bool align_is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode);
}

void align_skips(const struct align_window *w, int64_t offset, uint64_t skip[2])
{
    skip[0] = w->skip[0] + (offset < 0 ? (uint64_t)-offset : 0);
    skip[1] = w->skip[1] + (offset > 0 ? (uint64_t)offset : 0);
}

const char *align_options(const uint64_t skip[2], char *text)
{
    char part[2][40] = {"", ""};
    if (skip[0])
        snprintf(part[0], sizeof part[0], "--skip-ref %" PRIu64, skip[0]);
    if (skip[1])
        snprintf(part[1], sizeof part[1], "--skip-dis %" PRIu64, skip[1]);
    snprintf(text, ALIGN_TEXT, "%s%s%s", part[0], skip[0] && skip[1] ? " " : "", part[1]);
    return text;
}

/* Whether scoring with these options may end at a difference in length. */
static bool lengths_differ(const struct request *q, const struct align_sides *a, const uint64_t skip[2])
{
    const uint64_t asked = q->may_pair && q->frames ? q->first + q->frames : UINT64_MAX;
    uint64_t left[2];
    for (unsigned side = 0; side < 2; side++) {
        if (a->frames[side] < 0 || (uint64_t)a->frames[side] < skip[side])
            return true;
        left[side] = (uint64_t)a->frames[side] - skip[side];
        left[side] = left[side] < asked ? left[side] : asked;
    }
    return left[0] != left[1];
}

const char *align_advice(const struct request *q, const struct align_sides *a, const uint64_t skip[2], char *text)
{
    align_options(skip, text);
    if (!q->allow[ALLOW_LENGTH] && lengths_differ(q, a, skip))
        text_append(text, ALIGN_TEXT, " --allow-length");
    return text;
}

/* The offset of pair `frame`, which the window begins `before` it. 0: none that is certain. */
static int64_t offset_at(const struct align_result *r, uint64_t before)
{
    for (uint32_t i = 0; r->certain && i < r->segments; i++) {
        const struct align_segment *g = &r->segment[i];
        if (before >= g->reference && before < g->reference + g->length)
            return (int64_t)g->distorted - (int64_t)g->reference;
    }
    return 0;
}

enum { AROUND = 48, SEARCH = 24 };

bool align_hint_wanted(const struct request *q)
{
    return q->seeks_shift && !q->align.wish && q->pair_by == PAIR_NUMBER && align_is_file(q->path[0]) &&
           align_is_file(q->path[1]);
}

int64_t align_shift_at(const struct request *q, uint64_t frame, char advice[ALIGN_TEXT])
{
    struct align_sides a;
    struct align_result r;
    struct assay_error unused = {0};
    int64_t offset = 0;
    const bool throughout = frame == UINT64_MAX;
    const uint64_t begin = throughout ? q->first : frame > AROUND ? frame - AROUND : 0;
    const struct align_window w = {{q->skip[0] + begin, q->skip[1] + begin}, 2 * AROUND, SEARCH},
                              run = {{q->skip[0], q->skip[1]}, 0, 0};
    if (align_read(&a, q, &w, &unused))
        return 0;
    if (!align_find(&r, &a.signatures[0], &a.signatures[1], SEARCH, &unused)) {
        uint64_t skip[2];
        offset = !throughout ? offset_at(&r, frame - begin) : r.certain && r.segments == 1 ? r.offset : 0;
        align_skips(&run, offset, skip);
        align_advice(q, &a, skip, advice);
        align_free(&r);
    }
    align_sides_free(&a);
    return offset;
}

void align_shift_text(char text[ALIGN_SHIFT], int64_t offset, const char *advice)
{
    const uint64_t frames = (uint64_t)llabs(offset);
    snprintf(text, ALIGN_SHIFT, "the distorted side seems to be shown %" PRIu64 " frame%s %s: %s, or --align auto "
             "where that holds throughout, compares the same frames", frames, frames > 1 ? "s" : "",
             offset > 0 ? "later" : "earlier", advice);
}
