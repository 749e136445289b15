/* SPDX-License-Identifier: BSD-2-Clause */
/* --align auto, and the line about scores that look like those of a shifted pair. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/align.h"
#include "host/text.h"

static bool is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode);
}

/* ---- --align auto ------------------------------------------------------------------------------------------------ */

/* Refuses what one offset can't make pairs of. */
static int check(const struct align_result *r, const struct align_window *w, struct assay_error *e)
{
    char text[640];
    if (!r->certain)
        return assay_fail(e, ASSAY_EMISMATCH, "--align auto: the offset is not certain: %s (assay align says more; "
                          "--skip-ref and --skip-dis set it by hand)", align_reason(r, w, text));
    if (r->segments > 1)
        return assay_fail(e, ASSAY_EMISMATCH, "--align auto: no one offset holds for all frames: %s (assay align lists "
                          "them)", align_changes(r, w, text, sizeof text));
    return ASSAY_OK;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void say(const struct cli *c)
{
    char text[ALIGN_TEXT];
    const char *who = c->q.rung ? c->q.path[1] : "", *colon = c->q.rung ? ": " : "";
    if (c->quiet)
        return;
    if (c->q.skip[0] || c->q.skip[1])
        text_say("%s%saligned with %s: distorted frame n %c %" PRIu64 " shows reference frame n "
                 "(confidence %.2f)", who, colon, align_options(c->q.skip, text), c->q.align.offset < 0 ? '-' : '+',
                 (uint64_t)llabs(c->q.align.offset), c->q.align.confidence);
    else
        text_say("%s%sthe two sides are aligned as they are (confidence %.2f)", who, colon,
                 c->q.align.confidence);
}

/* Frames at the ends of which the offset leaves no partner are no difference in length. */
static bool explained(const struct align_sides *a, int64_t offset)
{
    const uint64_t d = (uint64_t)llabs(offset), n[2] = {a->signatures[0].frames - (offset < 0 ? d : 0),
                                                        a->signatures[1].frames - (offset > 0 ? d : 0)};
    return offset && a->whole[0] && a->whole[1] && n[0] + n[1] - 2 * least(n[0], n[1]) <= d;
}

int align_apply(struct cli *c, struct assay_error *e)
{
    struct align_sides a;
    struct align_result r;
    struct align_window w = {{c->q.skip[0], c->q.skip[1]}, 0, c->search ? c->search : ALIGN_SEARCH};
    for (unsigned side = 0; side < 2; side++)
        if (!is_file(c->q.path[side]))
            return assay_fail(e, ASSAY_EUSAGE, "--align auto reads the inputs twice, and '%s' is no regular file",
                              c->q.path[side]);
    if (c->q.frames) /* those that are scored at any offset, and as many more */
        w.frames = c->q.first + c->q.frames + 2 * (uint64_t)w.search;
    TRY(align_read(&a, c, &w, e));
    int rc = align_find(&r, &a.signatures[0], &a.signatures[1], w.search, e);
    if (!rc) {
        rc = check(&r, &w, e);
        align_skips(&w, r.offset, c->q.skip);
        c->q.align.applied = true;
        c->q.align.offset = (int64_t)c->q.skip[1] - (int64_t)c->q.skip[0];
        c->q.align.confidence = r.confidence;
        c->q.allow[ALLOW_LENGTH] = c->q.allow[ALLOW_LENGTH] || explained(&a, r.offset);
        align_free(&r);
    }
    align_sides_free(&a);
    if (!rc)
        say(c);
    return rc;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* Means below which it is worth a look whether the pair is shifted. */
static const struct {
    const char *key;
    double limit;
} limits[] = {{"psnr_y", 35}, {"float_psnr", 35}, {"vmaf", 80}, {"float_ssim", 0.93}, {"ssim", 0.93},
              {"float_ms_ssim", 0.96}, {"ssimulacra2", 70}};

/* Whether the scores are low, and the worst frame. */
static bool look_shifted(const struct scores *s, uint64_t *worst)
{
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++)
        for (uint32_t k = 0; k < s->keys; k++) {
            double sum = 0;
            uint64_t low = 0;
            if (strcmp(s->key[k], limits[i].key))
                continue;
            for (uint64_t row = 0; row < s->rows; row++) {
                sum += scores_value(s, row, k);
                low = scores_value(s, row, k) < scores_value(s, low, k) ? row : low;
            }
            *worst = s->frame[low];
            if (sum < limits[i].limit * (double)s->rows)
                return true;
        }
    return false;
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

/* Whether a user of this run wants to hear of a shift that nobody has asked for. */
static bool hint_wanted(const struct cli *c)
{
    return c->q.seeks_shift && !c->q.align.wish && c->q.pair_by == PAIR_NUMBER && is_file(c->q.path[0]) &&
           is_file(c->q.path[1]);
}

/* How far the two files lie shifted at a frame, or, with `frame` UINT64_MAX, in all of the first frames; and what
 * compares the same frames. 0: not at all, or not certain. */
static int64_t shift_at(const struct cli *c, uint64_t frame, char advice[ALIGN_TEXT])
{
    struct align_sides a;
    struct align_result r;
    struct assay_error unused = {0};
    int64_t offset = 0;
    const bool throughout = frame == UINT64_MAX;
    const uint64_t begin = throughout ? c->q.first : frame > AROUND ? frame - AROUND : 0;
    const struct align_window w = {{c->q.skip[0] + begin, c->q.skip[1] + begin}, 2 * AROUND, SEARCH},
                              run = {{c->q.skip[0], c->q.skip[1]}, 0, 0};
    if (align_read(&a, c, &w, &unused))
        return 0;
    if (!align_find(&r, &a.signatures[0], &a.signatures[1], SEARCH, &unused)) {
        uint64_t skip[2];
        offset = !throughout ? offset_at(&r, frame - begin) : r.certain && r.segments == 1 ? r.offset : 0;
        align_skips(&run, offset, skip);
        align_advice(c, &a, skip, advice);
        align_free(&r);
    }
    align_sides_free(&a);
    return offset;
}

/* "seems to be shown 3 frames later: --skip-dis 3" */
static void shift_text(char *text, size_t size, int64_t offset, const char *advice)
{
    const uint64_t frames = (uint64_t)llabs(offset);
    snprintf(text, size, "the distorted side seems to be shown %" PRIu64 " frame%s %s: %s, or --align auto where that "
             "holds throughout, compares the same frames", frames, frames > 1 ? "s" : "",
             offset > 0 ? "later" : "earlier", advice);
}

void align_hint(const struct cli *c, const struct scores *s)
{
    uint64_t worst;
    char advice[ALIGN_TEXT], text[ALIGN_LENGTHS];
    if (!hint_wanted(c) || s->rows < ALIGN_LEAST || !look_shifted(s, &worst))
        return;
    const int64_t offset = shift_at(c, worst, advice);
    shift_text(text, sizeof text, offset, advice);
    if (offset)
        text_say("%s%sat frame %" PRIu64 " %s", c->q.rung ? c->q.path[1] : "", c->q.rung ? ": " : "", worst,
                 text);
}

void align_lengths(const struct cli *c, char text[ALIGN_LENGTHS])
{
    char advice[ALIGN_TEXT];
    const int64_t offset = hint_wanted(c) ? shift_at(c, UINT64_MAX, advice) : 0;
    *text = '\0';
    if (offset)
        shift_text(text, ALIGN_LENGTHS, offset, advice);
}
